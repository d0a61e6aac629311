//! Corners and clamped normals of compounds equal those of their parts one by one.

use dem_core::contact::shape::{Part, Placed, Shape, Surface, shape_cones, shape_corners, shape_corners_scratch};
use dem_core::contact::{CellOptions, Clamped, Contact, Corner, CornerLimits, PatchCone, Regions, clamp_normals};
use dem_core::error::{Error, Kind, What};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::contact::{Body, HALO, after, at, cuboid};
use dem_tests::random::Random;
use dem_tests::shapes::{all, ground, part, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};

/// The corners of all contacts, with as much room as they take.
fn corners(a: &Placed<'_>, b: &Placed<'_>, contacts: &[Contact]) -> Vec<Corner> {
    let (mut pairs, mut out) = (1, vec![Corner::default(); 1]);
    loop {
        let mut scratch = Memory::new(shape_corners_scratch(a, b, pairs).unwrap()).unwrap();
        match shape_corners(
            Isa::best(),
            a,
            b,
            &Regions { contacts, nodes: &[] },
            CornerLimits { pairs, most: CornerLimits::ALL },
            &mut out,
            &mut scratch,
        ) {
            Ok(count) => {
                out.truncate(count);
                return out;
            }
            Err(Error { kind: Kind::Capacity, what: What::Pairs, needed, .. }) => {
                assert!(needed as usize > pairs);
                pairs = needed as usize;
            }
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) => {
                assert!(needed as usize > out.len());
                out.resize(needed as usize, Corner::default());
            }
            Err(e) => panic!("{e}"),
        }
    }
}

/// A part of a compound by itself in the world.
fn pose_of(body: &Placed<'_>, part: &Part<'_>) -> Pose {
    let turned = rotate(body.pose.orientation, scale(body.scale, part.pose.position));
    at(add(body.pose.position, turned), after(body.pose.orientation, part.pose.orientation))
}

/// The parts of a body in the world, each with the number of its first feature.
fn parts<'a>(body: &Placed<'a>) -> Vec<(Shape<'a>, Pose, f64, u64)> {
    let Shape::Compound(parts) = body.shape else { return vec![(body.shape, *body.pose, body.scale, 0)] };
    let mut first = 0;
    let one = |part: &Part<'a>| {
        first += part.shape.features();
        (part.shape, pose_of(body, part), body.scale * part.scale, first - part.shape.features())
    };
    parts.iter().map(one).collect()
}

fn close(x: [f64; 3], y: [f64; 3]) -> bool {
    length(sub(x, y)) < 1e-9
}

/// Corners of two bodies are those of their parts by themselves. How many there are.
fn assert_corners_of_parts(a: &Placed<'_>, b: &Placed<'_>) -> usize {
    let contacts = all(a, b).0;
    let found = corners(a, b, &contacts);
    assert!(found.windows(2).all(|two| (two[0].contact, two[0].order) < (two[1].contact, two[1].order)));
    let mut slow = Vec::new();
    for (shape_a, pose_a, scale_a, first_a) in parts(a) {
        for (shape_b, pose_b, scale_b, first_b) in parts(b) {
            let (x, y) = (
                Placed { shape: shape_a, pose: &pose_a, scale: scale_a },
                Placed { shape: shape_b, pose: &pose_b, scale: scale_b },
            );
            let own = all(&x, &y).0;
            slow.extend(corners(&x, &y, &own).iter().map(|corner| {
                let key = own[corner.contact as usize].key[1] + (first_a << 32 | first_b);
                (key, *corner)
            }));
        }
    }
    assert_eq!(found.len(), slow.len());
    for corner in &found {
        let key = contacts[corner.contact as usize].key[1];
        let same = |(other, c): &&(u64, Corner)| *other == key && c.order == corner.order;
        let (_, c) = slow.iter().find(same).unwrap_or_else(|| panic!("{corner:?} of {key:x} is not in {slow:?}"));
        assert!(close(c.position, corner.position) && (c.gap - corner.gap).abs() < 1e-9, "{c:?} {corner:?}");
    }
    found.len()
}

/// A table of four legs, a plate and a ball on it, in a size of its own.
fn table<'a>(leg: &'a Surface<'a>, plate: &'a Surface<'a>) -> [Part<'a>; 6] {
    let leg = |x: f64, y: f64| Part { scale: 0.5, ..part(Shape::Mesh(leg), [x, y, 0.25]) };
    let spin = Pose { position: [0.0, 0.0, 0.55], orientation: [0.0, 0.0, 0.3, 0.9] };
    let plate = Part { shape: Shape::Mesh(plate), pose: spin, scale: 1.0 };
    let ball = part(sphere(0.1, HALO), [0.0, 0.0, 0.75]);
    [leg(-0.4, -0.3), leg(0.4, -0.3), ball, leg(0.4, 0.3), leg(-0.4, 0.3), plate]
}

#[test]
fn a_table_stands_on_the_corners_of_its_legs() {
    let (leg, plate) = (Body::new(&cuboid([0.2, 0.2, 1.0]), 2.0 * HALO), Body::new(&cuboid([1.2, 1.0, 0.1]), HALO));
    let (leg, plate) = (surface(&leg, true), surface(&plate, true));
    let parts = table(&leg, &plate);
    let tiles = Body::new(&walls::regular(8, 2.0), HALO);
    let tiles = surface(&tiles, false);
    let halves = [part(Shape::Mesh(&tiles), [-2.0, 0.0, 0.0]), part(Shape::Mesh(&tiles), [2.0, 0.0, 0.0])];
    let mut random = Random::new(5);
    for wall in [Shape::Mesh(&tiles), ground(HALO), Shape::Compound(&halves)] {
        for size in [1.0, 1.7] {
            // Anywhere, and far away; all in one size.
            let by = at(random.in_cube(1e3), random.rotation());
            let pose = at(add(by.position, rotate(by.orientation, [0.0, 0.0, 0.7 * HALO])), by.orientation);
            let (body, floor) = (
                Placed { shape: Shape::Compound(&parts), pose: &pose, scale: size },
                Placed { shape: wall, pose: &by, scale: size },
            );
            let contacts = all(&body, &floor).0;
            let found = corners(&body, &floor, &contacts);
            // Legs are at least 0.05 from the seam at x = 0: what stands on a wall touches one of its halves.
            for (x, y) in [-0.4f64, 0.4].into_iter().flat_map(|x| [(x, -0.3f64), (x, 0.3)]) {
                for (dx, dy) in [(-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05)] {
                    let local = scale(size, [x + dx, y + dy, 0.35 * HALO / size]);
                    let expected = add(by.position, rotate(by.orientation, local));
                    let hit = found.iter().filter(|c| length(sub(c.position, expected)) < 1e-3 * HALO);
                    assert!(
                        hit.clone().any(|c| (c.gap - 0.7 * HALO).abs() < 1e-6 * HALO),
                        "{size} {expected:?} {found:?}"
                    );
                }
            }
            assert!(assert_corners_of_parts(&body, &floor) >= 16);
            // The other way round, to the last bit.
            let back = all(&floor, &body).0;
            let other = corners(&floor, &body, &back);
            assert_eq!(found.len(), other.len());
            let place = |c: &Contact| back.iter().position(|o| o.key[1].rotate_left(32) == c.key[1]).unwrap() as u32;
            for corner in &found {
                let [of_a, of_b] = corner.features;
                let contact = place(&contacts[corner.contact as usize]);
                let there = Corner { contact, features: [of_b, of_a], ..*corner };
                assert!(other.contains(&there), "{there:?} {other:?}");
            }
        }
    }
}

#[test]
fn corners_of_compounds_in_any_pose_are_those_of_their_parts() {
    let (leg, plate) = (Body::new(&cuboid([0.2, 0.2, 1.0]), HALO), Body::new(&cuboid([1.2, 1.0, 0.1]), HALO));
    let (leg, plate) = (surface(&leg, true), surface(&plate, true));
    let parts = table(&leg, &plate);
    let stack = [part(Shape::Mesh(&plate), [0.0, 0.0, -0.1]), part(ground(HALO), [0.0, 0.0, -0.6]), parts[0]];
    let mut random = Random::new(8);
    let mut sum = 0;
    for _ in 0..150 {
        let poses = [0; 2].map(|_| at(random.in_cube(0.5), random.rotation()));
        let compound = |i: usize, parts| Placed { shape: Shape::Compound(parts), pose: &poses[i], scale: 1.0 };
        sum += assert_corners_of_parts(&compound(0, &parts), &compound(1, &stack));
        sum += assert_corners_of_parts(&placed(Shape::Mesh(&plate), &poses[0]), &compound(1, &parts));
    }
    assert!(sum > 1000, "{sum}");
}

#[test]
fn too_little_room_for_corners_of_compounds_tells_what_would_do() {
    let leg = Body::new(&cuboid([0.2, 0.2, 1.0]), HALO);
    let leg = surface(&leg, true);
    let parts = table(&leg, &leg);
    let tiles = Body::new(&walls::regular(8, 2.0), HALO);
    let tiles = surface(&tiles, false);
    let pose = at([0.0, 0.0, HALO], [0.0, 0.0, 0.0, 1.0]);
    let body = placed(Shape::Compound(&parts), &pose);
    let floor = placed(Shape::Mesh(&tiles), &Pose::IDENTITY);
    let contacts = all(&body, &floor).0;
    let ask = |pairs: usize, capacity: usize| {
        let layout = shape_corners_scratch(&body, &floor, pairs).unwrap();
        let mut scratch = Memory::new(layout).unwrap();
        let mut out = vec![Corner::default(); capacity];
        let limits = CornerLimits { pairs, most: CornerLimits::ALL };
        let short = layout.size - 1;
        let refused = shape_corners(
            Isa::best(),
            &body,
            &floor,
            &Regions { contacts: &contacts, nodes: &[] },
            limits,
            &mut out,
            &mut scratch[..short],
        );
        assert_eq!(refused.unwrap_err().what, What::Scratch);
        shape_corners(
            Isa::best(),
            &body,
            &floor,
            &Regions { contacts: &contacts, nodes: &[] },
            limits,
            &mut out,
            &mut scratch,
        )
    };
    let Error { kind: Kind::Capacity, what: What::Pairs, needed, .. } = ask(1, 99).unwrap_err() else { panic!() };
    let count = ask(needed as usize, 99).unwrap();
    assert_eq!(ask(needed as usize - 1, 99), Err(Error::capacity(What::Pairs, needed, needed - 1)));
    assert_eq!(ask(needed as usize, 3), Err(Error::capacity(What::Output, count as u64, 3)));
}

/// A wall of loose triangles with hills and hollows, in four tiles.
fn hills() -> [Vec<Triangle>; 4] {
    let height = |x: f64, y: f64| 0.03 * ((4.0 * x).sin() + (3.0 * y + 1.0).cos());
    let wall: Vec<_> = walls::regular(32, 2.0).iter().map(|t| t.map(|[x, y, _]| [x, y, height(x, y)])).collect();
    let tile = |i: usize| {
        let inside = |t: &&Triangle| {
            let [x, y] = [0, 1].map(|k| t[0][k] + t[1][k] + t[2][k]);
            usize::from(x > 0.0) + 2 * usize::from(y > 0.0) == i
        };
        walls::unwelded(&wall.iter().filter(inside).copied().collect::<Vec<_>>())
    };
    [0, 1, 2, 3].map(tile)
}

fn cones(shape: &Shape<'_>) -> Vec<PatchCone> {
    let mut cones = vec![PatchCone { axis: [9.0; 3], cosine: 9.0 }; shape.features() as usize];
    shape_cones(shape, &CellOptions::default(), &mut cones).unwrap();
    cones
}

/// The way of a ball over a surface without friction.
fn ride(wall: &Placed<'_>, cones: Option<&[PatchCone]>) -> Vec<[f64; 3]> {
    let (mut position, mut velocity, dt, gravity) = ([-1.2, 0.013, 0.37], [1.5, 0.0, 0.0], 0.0025, 9.81);
    let mut ride = Vec::new();
    for i in 1..=600 {
        velocity[2] -= gravity * dt;
        let pose = at(position, [0.0, 0.0, 0.0, 1.0]);
        let mut found = all(&placed(sphere(0.3, HALO), &pose), wall).0;
        if let Some(cones) = cones {
            clamp_normals(cones, wall.pose, Clamped::B, &mut found).unwrap();
        }
        for _ in 0..20 {
            for c in found.iter().filter(|c| c.share > 0.0) {
                let lacks = -c.least_gap / dt - dot(velocity, c.normal);
                velocity = add(velocity, scale(f64::max(lacks, 0.0), c.normal));
            }
        }
        position = add(position, scale(dt, velocity));
        if i % 10 == 0 {
            ride.push(position);
        }
    }
    ride
}

/// Tiles of loose triangles, in a frame of their own.
#[test]
fn a_ball_goes_over_a_terrain_of_tiles_as_over_all_of_it_in_one_mesh() {
    let tiles = hills();
    let (there, back) = (at([0.3, -0.4, 0.2], [0.1, -0.1, 0.7, 0.7]), [-0.1, 0.1, -0.7, 0.7]);
    let seen = |t: &Triangle| t.map(|v| rotate(back, sub(v, there.position)));
    let bodies = tiles.each_ref().map(|tile| Body::facing(&tile.iter().map(seen).collect::<Vec<_>>(), HALO));
    let surfaces = bodies.each_ref().map(|body| surface(body, false));
    let parts = surfaces.each_ref().map(|s| Part { shape: Shape::Mesh(s), pose: there, scale: 1.0 });
    let terrain = placed(Shape::Compound(&parts), &Pose::IDENTITY);
    let whole = Body::facing(&tiles.concat(), HALO);
    let whole = surface(&whole, false);
    let whole = placed(Shape::Mesh(&whole), &Pose::IDENTITY);
    let (plain, clamped) = (ride(&terrain, None), ride(&terrain, Some(&cones(&terrain.shape))));
    let expected = ride(&whole, Some(&cones(&whole.shape)));
    assert!(clamped.iter().zip(&expected).all(|(c, e)| close(*c, *e)), "{clamped:?} {expected:?}");
    let last = clamped.len() - 1;
    assert!(clamped[last][0] > 1.1 && plain[last][0] < 0.3, "without the clamp it comes to a halt");
}

#[test]
fn normals_are_clamped_as_those_of_the_parts_one_by_one() {
    let tiles = hills();
    let bodies = tiles.map(|tile| Body::facing(&tile, HALO));
    let surfaces = bodies.each_ref().map(|body| surface(body, false));
    let mut random = Random::new(3);
    let (mut compared, mut turned) = (0, 0);
    for _ in 0..60 {
        // A ball among the parts has a feature, and no cone.
        let mut list: Vec<_> = surfaces
            .iter()
            .map(|s| Part {
                shape: Shape::Mesh(s),
                pose: at(random.in_cube(0.1), random.rotation()),
                scale: random.range(0.5, 2.0),
            })
            .collect();
        list.insert(1, part(sphere(0.2, HALO), [0.0, 0.0, 0.5]));
        let pose = at(random.in_cube(2.0), random.rotation());
        let body = Placed { shape: Shape::Compound(&list), pose: &pose, scale: 1.5 };
        let other = at(add(pose.position, random.in_cube(0.5)), [0.0, 0.0, 0.0, 1.0]);
        let ball = placed(sphere(0.3, HALO), &other);
        let found = all(&ball, &body).0;
        let mut clamped = found.clone();
        clamp_normals(&cones(&body.shape), &pose, Clamped::B, &mut clamped).unwrap();
        let mut slow = Vec::new();
        for (shape, pose, scale, first) in parts(&body) {
            let mut own = all(&ball, &Placed { shape, pose: &pose, scale }).0;
            clamp_normals(&cones(&shape), &pose, Clamped::B, &mut own).unwrap();
            slow.extend(own.into_iter().map(|c| Contact { key: [c.key[0], c.key[1] + first], ..c }));
        }
        assert_eq!(clamped.len(), slow.len());
        for ((plain, c), s) in found.iter().zip(&clamped).zip(&slow) {
            assert_eq!(c.key, s.key);
            assert!(close(c.normal, s.normal) && (c.area - s.area).abs() < 1e-9, "{c:?} {s:?}");
            compared += 1;
            turned += usize::from(length(cross(c.normal, plain.normal)) > 0.01);
        }
        let sum: f64 = clamped.iter().map(|c| c.share).sum();
        assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-12);
    }
    assert!(compared > 300 && turned > 100, "{compared} {turned}");
}

#[test]
fn cones_of_any_body_have_room_for_its_features() {
    let plate = Body::new(&cuboid([1.0, 1.0, 0.1]), HALO);
    let plate = surface(&plate, true);
    let list = [part(sphere(0.2, HALO), [0.0; 3]), part(Shape::Mesh(&plate), [0.0; 3])];
    let options = CellOptions::default();
    let mut out = [PatchCone { axis: [9.0; 3], cosine: 9.0 }; 13];
    assert_eq!(
        shape_cones(&Shape::Compound(&list), &options, &mut out[..12]),
        Err(Error::capacity(What::Output, 13, 12))
    );
    shape_cones(&Shape::Compound(&list), &options, &mut out).unwrap();
    assert!(out[0] == PatchCone::default() && out[1..] == cones(&Shape::Mesh(&plate))[..]);
    shape_cones(&ground(HALO), &options, &mut out[..1]).unwrap();
    assert_eq!(out[0], PatchCone::default());
    let nested = [part(Shape::Compound(&list), [0.0; 3])];
    let error = shape_cones(&Shape::Compound(&nested), &options, &mut out).unwrap_err();
    assert_eq!((error.kind, error.what, error.index), (Kind::Unsupported, What::ShapeA, 0));
}
