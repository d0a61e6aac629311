//! Normals clamped to the cones of patches: bodies slide over inner edges of unwelded meshes, and real edges keep their
//! normals. The bodies push along the normals of cells, which lean at edges; by the law of volumes faces push along their own.

use dem_core::contact::shape::Placed;
use dem_core::contact::{CellOptions, Clamped, Contact, PatchCone, clamp_normals, patch_cones};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_tests::contact::{Body, HALO, all_contacts, at, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{all, placed, sphere, surface};
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

fn cones(body: &Body) -> Vec<PatchCone> {
    let mesh = body.shape.mesh().unwrap();
    let mut cones = vec![PatchCone::default(); mesh.len()];
    patch_cones(&mesh, &body.cells(), &CellOptions::default(), &mut cones).unwrap();
    cones
}

/// A velocity solver as in engines: contacts one after the other, so that no gap closes within the step.
fn slide(mut velocity: [f64; 3], contacts: &[Contact], dt: f64) -> [f64; 3] {
    for _ in 0..20 {
        for c in contacts.iter().filter(|c| c.share > 0.0) {
            let lacks = -c.least_gap / dt - dot(velocity, c.normal);
            if lacks > 0.0 {
                velocity = add(velocity, scale(lacks, c.normal));
            }
        }
    }
    velocity
}

/// The speed that is left of 1 after a way of 2.4 along a wall, without friction, by contacts as they are or clamped.
fn left(contacts: impl Fn([f64; 3]) -> Vec<Contact>, height: f64, cones: Option<&[PatchCone]>) -> f64 {
    let (mut position, mut velocity, dt) = ([-1.2, 0.013, height], [1.0, 0.0, 0.0], 0.005);
    for _ in 0..480 {
        velocity[2] -= 9.81 * dt;
        let mut found = contacts(position);
        if let Some(cones) = cones {
            clamp_normals(cones, &Pose::IDENTITY, Clamped::B, &mut found).unwrap();
        }
        velocity = slide(velocity, &found, dt);
        position = add(position, scale(dt, velocity));
        assert!(position[2] > height - 0.02 && position[2] < height + 0.2, "{position:?}");
    }
    velocity[0]
}

#[test]
fn a_ball_does_not_stumble_over_edges_of_a_soup() {
    let soup = Body::facing(&walls::unwelded(&walls::regular(24, 2.0)), HALO);
    let shape = surface(&soup, false);
    let contacts = |position: [f64; 3]| {
        let pose = at(position, [0.0, 0.0, 0.0, 1.0]);
        let wall = Placed { shape: dem_core::contact::shape::Shape::Mesh(&shape), pose: &Pose::IDENTITY, scale: 1.0 };
        all(&placed(sphere(0.3, HALO), &pose), &wall).0
    };
    let (plain, clamped) = (left(contacts, 0.3, None), left(contacts, 0.3, Some(&cones(&soup))));
    assert!(plain < 0.9, "without the clamp it stumbles: {plain}");
    assert!((clamped - 1.0).abs() < 1e-9, "{clamped}");
    // By the law of volumes there is nothing to do.
    let conservative = Body::conservative(&walls::unwelded(&walls::regular(24, 2.0)), HALO);
    let shape = surface(&conservative, false);
    let contacts = |position: [f64; 3]| {
        let pose = at(position, [0.0, 0.0, 0.0, 1.0]);
        let wall = Placed { shape: dem_core::contact::shape::Shape::Mesh(&shape), pose: &Pose::IDENTITY, scale: 1.0 };
        all(&placed(sphere(0.3, HALO), &pose), &wall).0
    };
    assert!((left(contacts, 0.3, None) - 1.0).abs() < 1e-9);
    // Nor where the wall is welded.
    let welded = Body::facing(&walls::regular(24, 2.0), HALO);
    let shape = surface(&welded, false);
    let contacts = |position: [f64; 3]| {
        let pose = at(position, [0.0, 0.0, 0.0, 1.0]);
        let wall = Placed { shape: dem_core::contact::shape::Shape::Mesh(&shape), pose: &Pose::IDENTITY, scale: 1.0 };
        all(&placed(sphere(0.3, HALO), &pose), &wall).0
    };
    assert!((left(contacts, 0.3, None) - 1.0).abs() < 1e-9);
}

#[test]
fn a_box_does_not_stumble_over_edges_of_a_soup() {
    let (soup, block) =
        (Body::facing(&walls::unwelded(&walls::regular(24, 2.0)), HALO), Body::facing(&cuboid([0.5, 0.4, 0.2]), HALO));
    let contacts = |position: [f64; 3]| {
        let pose = at(position, [0.0, 0.0, 0.05, 1.0]);
        all_contacts(Isa::best(), &block.side(&pose), &soup.side(&Pose::IDENTITY)).0
    };
    let (plain, clamped) = (left(contacts, 0.1, None), left(contacts, 0.1, Some(&cones(&soup))));
    assert!(plain < 0.99, "without the clamp it stumbles: {plain}");
    assert!((clamped - 1.0).abs() < 1e-9, "{clamped}");
}

/// A gable of two slopes, each of two triangles.
fn roof() -> Vec<Triangle> {
    let v = |x: f64, y: f64| [x, y, -0.5 * x.abs()];
    let quad = |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| [[a, b, c], [a, c, d]];
    let left = quad(v(-1.0, -1.0), v(0.0, -1.0), v(0.0, 1.0), v(-1.0, 1.0));
    let right = quad(v(0.0, -1.0), v(1.0, -1.0), v(1.0, 1.0), v(0.0, 1.0));
    [left, right].concat()
}

#[test]
fn cones_are_as_wide_as_edges_are_sharp() {
    for wall in [walls::regular(5, 1.0), walls::irregular(200, 1.0, 2), walls::unwelded(&walls::regular(3, 1.0))] {
        let body = Body::facing(&wall, HALO);
        let all = cones(&body);
        for patch in body.cells().patch {
            let PatchCone { axis, cosine } = all[*patch as usize];
            assert!(length(sub(axis, [0.0, 0.0, 1.0])) < 1e-12 && cosine == 1.0);
        }
    }
    let body = Body::facing(&roof(), HALO);
    let slope = 0.5f64.atan();
    for (i, side) in [(0usize, -1.0), (2, 1.0)] {
        let PatchCone { axis, cosine } = cones(&body)[i];
        assert!(length(sub(axis, [side * slope.sin(), 0.0, slope.cos()])) < 1e-12);
        // Up to the other slope.
        assert!((cosine.acos() - 2.0 * slope).abs() < 1e-9);
    }
}

#[test]
fn a_real_edge_keeps_its_normals() {
    let body = Body::facing(&roof(), HALO);
    let shape = surface(&body, false);
    let all_cones = cones(&body);
    let mut random = Random::new(1);
    let mut leaning = 0;
    for _ in 0..200 {
        let pose = at(
            [random.range(-0.02, 0.02), random.range(-0.5, 0.5), 0.2 + random.range(0.2, 0.9) * HALO],
            [0.0, 0.0, 0.0, 1.0],
        );
        let turn = random.rotation();
        let wall = at(random.in_cube(1.0), turn);
        let pose = at(add(rotate(turn, pose.position), wall.position), turn);
        let ground = Placed { shape: dem_core::contact::shape::Shape::Mesh(&shape), pose: &wall, scale: 1.0 };
        let found = all(&placed(sphere(0.2, HALO), &pose), &ground).0;
        let mut clamped = found.clone();
        clamp_normals(&all_cones, &wall, Clamped::B, &mut clamped).unwrap();
        for (c, d) in found.iter().zip(&clamped) {
            assert!(c.normal == d.normal && c.area == d.area, "{c:?} {d:?}");
            leaning += usize::from(dot(c.normal, rotate(turn, all_cones[c.key[1] as u32 as usize].axis)) < 0.99);
        }
        // The other way round it is A that is clamped.
        let mut other = all(&ground, &placed(sphere(0.2, HALO), &pose)).0;
        clamp_normals(&all_cones, &wall, Clamped::A, &mut other).unwrap();
        for (c, d) in clamped.iter().zip(&other) {
            assert!(c.area == d.area && length(add(c.normal, d.normal)) == 0.0);
        }
    }
    assert!(leaning > 50);
}

#[test]
fn forces_become_the_nearest_in_the_cone_continuously() {
    let mut random = Random::new(9);
    for _ in 0..2000 {
        let axis = rotate(random.rotation(), [0.0, 0.0, 1.0]);
        let cosine = random.range(-0.2, 1.0);
        let cone = [PatchCone { axis, cosine }];
        let force = |normal: [f64; 3]| {
            let mut contact = [Contact { normal, area: 1.0, share: 1.0, ..Contact::default() }];
            clamp_normals(&cone, &Pose::IDENTITY, Clamped::B, &mut contact).unwrap();
            let [c] = contact;
            assert!((length(c.normal) - 1.0).abs() < 1e-12 && c.area >= 0.0 && c.area <= 1.0);
            assert!(dot(c.normal, axis) >= cosine - 1e-9);
            assert!(c.share == if c.area > 0.0 { 1.0 } else { 0.0 });
            scale(c.area, c.normal)
        };
        let unit = |v: [f64; 3]| scale(1.0 / length(v), v);
        let n = unit(random.in_cube(1.0));
        let m = unit(add(n, scale(0.1, random.in_cube(1.0))));
        // A projection onto a convex set: it shortens distances; cones wider than a half-space are none.
        if cosine > 0.0 {
            assert!(length(sub(force(n), force(m))) <= length(sub(n, m)) + 1e-9);
            // The removed part is perpendicular to the rest.
            let f = force(n);
            assert!(dot(f, sub(n, f)).abs() < 1e-9);
        }
    }
}

/// A wall with hills and hollows.
fn hills() -> Vec<Triangle> {
    let height = |x: f64, y: f64| 0.03 * ((4.0 * x).sin() + (3.0 * y + 1.0).cos());
    walls::regular(32, 2.0).iter().map(|t| t.map(|[x, y, _]| [x, y, height(x, y)])).collect()
}

/// Energy for each unit of mass and place of a ball that goes over a surface without friction, after every tenth step.
fn ride(body: &Body, cones: Option<&[PatchCone]>) -> Vec<(f64, [f64; 3])> {
    let shape = surface(body, false);
    let wall = Placed { shape: dem_core::contact::shape::Shape::Mesh(&shape), pose: &Pose::IDENTITY, scale: 1.0 };
    let (mut position, mut velocity, dt, gravity) = ([-1.2, 0.013, 0.37], [1.5, 0.0, 0.0], 0.0025, 9.81);
    let mut ride = Vec::new();
    for i in 1..=600 {
        velocity[2] -= gravity * dt;
        let pose = at(position, [0.0, 0.0, 0.0, 1.0]);
        let mut found = all(&placed(sphere(0.3, HALO), &pose), &wall).0;
        if let Some(cones) = cones {
            clamp_normals(cones, &Pose::IDENTITY, Clamped::B, &mut found).unwrap();
        }
        velocity = slide(velocity, &found, dt);
        position = add(position, scale(dt, velocity));
        if i % 10 == 0 {
            ride.push((dot(velocity, velocity) / 2.0 + gravity * position[2], position));
        }
    }
    ride
}

#[test]
fn a_ball_goes_over_hills_of_a_soup_as_over_welded_ones() {
    let (welded, soup) = (Body::facing(&hills(), HALO), Body::facing(&walls::unwelded(&hills()), HALO));
    let [right, plain, clamped] = [(&welded, true), (&soup, false), (&soup, true)].map(|(body, clamp)| {
        let cones = cones(body);
        ride(body, clamp.then_some(&cones[..]))
    });
    // It has landed by then.
    const LANDED: usize = 5;
    let begin = clamped[LANDED].0;
    for (c, r) in clamped.iter().zip(&right).skip(LANDED) {
        // A little is lost at each edge of a hollow; nothing is gained.
        assert!(c.0 > 0.98 * begin && c.0 < 1.002 * begin && r.0 > 0.98 * begin, "{c:?} {r:?}");
        assert!(length(sub(c.1, r.1)) < 0.03, "{c:?} {r:?}");
    }
    let last = clamped.len() - 1;
    assert!(clamped[last].1[0] > 1.1 && plain[last].1[0] < 0.3, "without the clamp it comes to a halt");
    assert!(plain[last].0 < 0.75 * begin);
}
