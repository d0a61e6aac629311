//! Contacts of spheres, half-spaces, meshes and compounds: closed forms, walls in few and many triangles, deep and bad cases.

use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, status};
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::contact::{Body, HALO, after, at, carried, cuboid, soup, wrench};
use dem_tests::random::Random;
use dem_tests::shapes::{all, assert_sound, capsule, ground, placed, sphere, surface};
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use dem_tests::{Triangle, walls};
use std::f64::consts::PI;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn force(c: &Contact) -> f64 {
    (1.0 - c.gap / c.halo) * c.area
}

fn close(x: f64, y: f64, relative: f64) -> bool {
    (x - y).abs() <= relative * x.abs().max(y.abs())
}

#[test]
fn two_spheres_have_the_pressure_of_a_cap() {
    let mut random = Random::new(1);
    for case in 0..200 {
        let [ra, rb] = [0; 2].map(|_| random.range(0.1, 3.0));
        let [ha, hb] = [0; 2].map(|_| random.range(0.0, 0.2));
        let halo = ha + hb;
        let gap = (halo * random.range(-1.0, 1.0)).max(-0.9 * ra.min(rb));
        let direction = random.direction();
        let centre = random.in_cube(5.0);
        let (pa, pb) = (at(add(centre, scale(ra + rb + gap, direction)), random.rotation()), at(centre, NONE));
        let (list, found) = all(&placed(sphere(ra, ha), &pa), &placed(sphere(rb, hb), &pb));
        assert_eq!((list.len(), found.contacts), (1, 1));
        let c = &list[0];
        assert_sound(c);
        assert!((c.least_gap - gap).abs() < 1e-13 && length(sub(c.normal, direction)) < 1e-14);
        let surface = add(centre, scale(rb + gap * hb / halo, direction));
        assert!(length(sub(c.position, surface)) < 1e-13, "{case}: {c:?}");
        assert_eq!((c.key, c.share, c.moment), ([7, 0], 1.0, [0.0; 3]));
        assert!((c.halo - halo).abs() < 1e-16);
        assert_eq!(c.status, if c.least_gap < 0.0 { status::PENETRATING | status::TOUCHING } else { 0 });
        // The cap of the larger sphere in the reach of the smaller one, summed over its heights.
        let (small, large) = (ra.min(rb), ra.max(rb));
        let (reach, apart, steps) = (small + halo, ra + rb + gap, 20_000);
        let mut sum = 0.0;
        for i in 0..steps {
            // By the square of the distance from the smaller one's centre, d(d^2) = 2 D R sin(theta) d(theta).
            let (low, high) = ((apart - large).powi(2), reach * reach);
            let square = low + (high - low) * (i as f64 + 0.5) / steps as f64;
            sum += (high - square) / (high - small * small) * PI * large / apart * (high - low) / steps as f64;
        }
        assert!(close(force(c), sum, 1e-6), "{case}: {} {sum}", force(c));
    }
}

#[test]
fn a_sphere_on_a_half_space_is_a_disc_and_a_huge_sphere_is_a_half_space() {
    let mut random = Random::new(2);
    for _ in 0..100 {
        let (r, halo) = (random.range(0.01, 2.0), random.range(0.01, 0.3));
        let gap = (halo * random.range(-0.5, 0.99)).max(-0.9 * r);
        let world = at(random.in_cube(2.0), random.rotation());
        let ball = at(add(world.position, rotate(world.orientation, [0.3, 0.2, r + gap])), NONE);
        let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
        let flat = all(&placed(sphere(r, 0.25 * halo), &ball), &placed(ground(0.75 * halo), &world)).0;
        let c = flat[0];
        assert_sound(&c);
        let (reach, height) = (r + halo, r + gap);
        let wanted = 0.5 * PI * (reach * reach - height * height).powi(2) / (reach * reach - r * r);
        assert!(close(force(&c), wanted, 1e-9), "{} {wanted}", force(&c));
        let mean = ((reach * reach + height * height) / 2.0).sqrt() - r;
        assert!((c.gap - mean).abs() < 1e-12 * reach && length(sub(c.normal, up)) < 1e-14);
        let position = sub(ball.position, scale(r + 0.25 * gap, up));
        assert!(length(sub(c.position, position)) < 1e-13, "{c:?} {position:?}");

        let huge = 1e6;
        let below = at(add(world.position, rotate(world.orientation, [0.3, 0.2, -huge])), NONE);
        let round = all(&placed(sphere(r, 0.25 * halo), &ball), &placed(sphere(huge, 0.75 * halo), &below)).0[0];
        assert!(close(force(&round), force(&c), 1e-5), "{} {}", force(&round), force(&c));
    }
}

#[test]
fn a_point_and_a_sphere_without_halo_have_contacts() {
    let (here, there) = (Pose::IDENTITY, at([0.0, 0.0, 1.05], NONE));
    // Two points with halos.
    let close_by = at([0.0, 0.0, 0.1], NONE);
    let c = all(&placed(sphere(0.0, 0.1), &close_by), &placed(sphere(0.0, 0.1), &here)).0[0];
    assert_sound(&c);
    assert_eq!((c.least_gap, c.area, c.share, c.position), (0.1, 0.0, 1.0, [0.0, 0.0, 0.05]));
    // A point on a wall, a half-space and a sphere.
    let wall = Body::new(&walls::irregular(300, 2.0, 1), 0.05);
    let above = at([0.1, 0.2, 0.06], NONE);
    let point = placed(sphere(0.0, 0.05), &above);
    let c = all(&point, &placed(ground(0.05), &here)).0[0];
    let d = all(&point, &placed(Shape::Mesh(&surface(&wall, false)), &here)).0[0];
    assert!((c.least_gap - 0.06).abs() < 1e-15 && close(force(&c), force(&d), 1e-9) && c.area > 0.0, "{c:?} {d:?}");
    // Nothing has a halo: what overlaps has a contact, what does not has none.
    let bare = sphere(1.0, 0.0);
    assert!(all(&placed(bare, &there), &placed(ground(0.0), &here)).0.is_empty());
    let sunk = at([0.0, 0.0, 0.95], NONE);
    let bare_wall = Body::new(&walls::regular(30, 2.0), 0.0);
    for other in [ground(0.0), Shape::Mesh(&surface(&bare_wall, false))] {
        let c = all(&placed(bare, &sunk), &placed(other, &here)).0[0];
        assert_sound(&c);
        assert!((c.least_gap + 0.05).abs() < 1e-12 && c.area > 0.2 && c.halo == 0.0, "{c:?}");
    }
    let c = all(&placed(bare, &sunk), &placed(sphere(1.0, 0.0), &here)).0[0];
    assert!((c.least_gap + 1.05).abs() < 1e-12 && c.area > 0.2);
}

#[test]
fn spheres_with_one_centre_have_a_normal() {
    for (ra, rb) in [(1.0, 1.0), (0.5, 1.0), (0.0, 0.0), (0.0, 1.0)] {
        let pose = at([3.0, 4.0, 5.0], NONE);
        let list = |a, b| all(&placed(sphere(a, 0.1), &pose), &placed(sphere(b, 0.1), &pose)).0[0];
        let (c, d) = (list(ra, rb), list(rb, ra));
        assert_sound(&c);
        assert_eq!(c.status & status::DEGENERATE, status::DEGENERATE);
        assert!(c.least_gap == -(ra + rb) && c.normal[2].abs() == 1.0);
        assert!(ra == rb || c.normal[2] == -d.normal[2]);
    }
}

/// A patch so small that it is in one direction from the centre: its force is what docs/contacts.md says of that direction.
#[test]
fn a_patch_that_is_seen_from_the_side_counts_less() {
    let (r, size) = (0.4, 1e-4);
    let reach = r + 2.0 * HALO;
    let speck = [[-size, -size, 0.0], [2.0 * size, -size, 0.0], [-size, 2.0 * size, 0.0]];
    let area = 4.5 * size * size;
    let body = Body::facing(&[speck], HALO);
    for degrees in [0.0f64, 20.0, 45.0, 70.0, 85.0] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let distance = r + 0.6 * HALO;
        let ball = at([distance * sine, 0.0, distance * cosine], NONE);
        let list =
            all(&placed(sphere(r, HALO), &ball), &placed(Shape::Mesh(&surface(&body, false)), &Pose::IDENTITY)).0;
        let [c] = list[..] else { panic!("{degrees}: {list:?}") };
        let pressure = (reach * reach - distance * distance) / (reach * reach - r * r);
        let expected = area * pressure * cosine * (2.0 - cosine);
        assert!((force(&c) / expected - 1.0).abs() < 5e-3, "{degrees}: {} {expected}", force(&c));
        assert!(dot(c.normal, [sine, 0.0, cosine]) > 1.0 - 1e-6, "{degrees}: {c:?}");
    }
}

/// What a sphere feels of a flat wall does not depend on its triangles, and is what it feels of a half-space.
#[test]
fn a_wall_of_any_triangles_is_a_half_space_for_a_sphere() {
    let mut random = Random::new(3);
    let tilings = [
        walls::regular(1, 2.0),
        walls::regular(10, 2.0),
        walls::regular(71, 2.0),
        walls::irregular(200, 2.0, 1),
        walls::irregular(10_000, 2.0, 2),
    ];
    for tiling in tilings {
        let wall = Body::new(&tiling, HALO);
        for case in 0..40 {
            let r = [0.001, 0.03, 0.4, 1.0][case % 4];
            let gap = random.range(-0.5, 1.9) * HALO;
            let world = at(random.in_cube(3.0), random.rotation());
            let ball = at([random.range(-0.5, 0.5), random.range(-0.5, 0.5), (r + gap).max(0.2 * r)], NONE);
            let ball = carried(&world, &ball);
            let a = placed(sphere(r, HALO), &ball);
            let flat = all(&a, &placed(ground(HALO), &world)).0[0];
            let list = all(&a, &placed(Shape::Mesh(&surface(&wall, false)), &world)).0;
            assert_eq!(list.len(), 1, "{case}: {list:?}");
            let c = list[0];
            assert_sound(&c);
            assert!(close(force(&c), force(&flat), 1e-9), "{case}: {} {}", force(&c), force(&flat));
            assert!(length(sub(c.normal, flat.normal)) < 1e-9, "{case}: {c:?} {flat:?}");
            assert!((c.least_gap - flat.least_gap).abs() < 1e-14 && (c.gap - flat.gap).abs() < 1e-9 * HALO);
            assert!(length(sub(c.position, flat.position)) < 1e-9 && c.share == 1.0);
        }
    }
}

/// With its centre exactly above a corner of triangles, or its axis above a side.
#[test]
fn what_is_exactly_above_a_vertex_feels_a_flat_wall() {
    let random = &mut Random::new(31);
    let mut worst = 0.0f64;
    let fan = |number: usize| -> Vec<Triangle> {
        let rim = |k: usize| {
            let turn = 2.0 * PI * (k % number) as f64 / number as f64;
            [2.0 * turn.cos(), 2.0 * turn.sin(), 0.0]
        };
        (0..number).map(|k| [[0.0; 3], rim(k), rim(k + 1)]).collect()
    };
    let lying = after([0.0, 0.0, (0.125 * PI).sin(), (0.125 * PI).cos()], [0.0, 0.5f64.sqrt(), 0.0, 0.5f64.sqrt()]);
    let cases: Vec<(Shape<'_>, [f64; 4], f64)> = vec![
        (sphere(0.3, HALO), NONE, 0.3),
        (capsule(0.4, 0.2, HALO), NONE, 0.6),
        (capsule(0.4, 0.2, HALO), [0.0, 0.5f64.sqrt(), 0.0, 0.5f64.sqrt()], 0.2),
        (capsule(0.4, 0.2, HALO), [0.5f64.sqrt(), 0.0, 0.0, 0.5f64.sqrt()], 0.2),
        (capsule(0.4, 0.2, HALO), lying, 0.2),
    ];
    let tilings = (3..9).map(fan).chain([walls::regular(2, 2.0), walls::regular(4, 2.0), cuboid([2.0, 2.0, 0.5])]);
    for (wall, triangles) in tilings.enumerate() {
        let (solid, top) = if wall == 8 { (true, 0.25) } else { (false, 0.0) };
        for body in [Body::conservative(&triangles, HALO), Body::facing(&triangles, HALO)] {
            let surface = surface(&body, solid);
            for (shape, turn, low) in &cases {
                for case in 0..40 {
                    // On the wall's vertices, and with an end of a capsule there.
                    let along = [[0.0; 3], [0.4, 0.0, 0.0], [0.0, -0.4, 0.0], [0.1, 0.0, 0.0]][case % 4];
                    let gap = [0.9, 0.3, 0.0, -0.4][case / 4 % 4] * HALO;
                    let pose = at([along[0], along[1], top + low + gap], *turn);
                    // Where numbers are round, and where everything is turned.
                    let world = if case < 20 { Pose::IDENTITY } else { at(random.in_cube(2.0), random.rotation()) };
                    let ground_pose = carried(&world, &at([0.0, 0.0, top], NONE));
                    let own = carried(&world, &pose);
                    let a = placed(*shape, &own);
                    let right = wrench(&all(&a, &placed(ground(HALO), &ground_pose)).0, own.position);
                    let found = wrench(&all(&a, &placed(Shape::Mesh(&surface), &world)).0, own.position);
                    let off = found.minus(&right).size().map(|x| x / right.size()[0]);
                    worst = worst.max(off[0]).max(off[1]);
                    assert!(off.iter().all(|x| *x < 1e-9), "wall {wall}, {turn:?} {low} {case}: {found:?} {right:?}");
                }
            }
        }
    }
    println!("{worst:.1e}");
}

/// Users call it ghost collisions: normals that jump and contacts that come and go at inner edges.
#[test]
fn a_sphere_rolled_over_a_wall_of_rounded_triangles_has_one_contact_that_is_continuous() {
    let mut random = Random::new(3);
    for wall in [walls::regular(71, 1.0), walls::irregular(10_000, 1.0, 5)] {
        let world = at(random.in_cube(1.0), random.rotation());
        let wall = Body::new(&walls::rounded(&wall, world.orientation, world.position), HALO);
        let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
        let mut last: Option<Contact> = None;
        for step in 0..2_000 {
            let along = step as f64 * 2e-4;
            let pose = carried(&world, &at([-0.4 + along, 0.1 - 0.7 * along, 0.3 + 0.6 * HALO], NONE));
            let (list, _) =
                all(&placed(sphere(0.3, HALO), &pose), &placed(Shape::Mesh(&surface(&wall, false)), &Pose::IDENTITY));
            assert_eq!(list.len(), 1, "step {step}");
            let c = list[0];
            assert!(length(sub(c.normal, up)) < 1e-6, "step {step}: {c:?}");
            let before = last.get_or_insert(c);
            assert!(c.key == before.key && (c.least_gap - before.least_gap).abs() < 2e-7, "step {step}");
            assert!(close(force(&c), force(before), 1e-5), "step {step}");
            last = Some(c);
        }
    }
}

#[test]
fn a_half_space_is_a_wall_for_a_mesh() {
    let mut random = Random::new(5);
    let turned = |angle: f64| [(0.5 * angle).sin(), 0.0, 0.0, (0.5 * angle).cos()];
    let bodies = [
        ("box", cuboid([1.0, 0.6, 0.5]), [0.0, 0.0, 0.27], NONE),
        ("tilted box", cuboid([1.0, 0.6, 0.5]), [0.0, 0.0, 0.27], turned(0.01)),
        ("box on edge", cuboid([1.0, 0.6, 0.5]), [0.0, 0.0, 0.4], turned(0.7)),
        ("sphere", soup(&generate::icosphere(3).unwrap()), [0.1, 0.0, 1.015], [0.1, 0.2, 0.3, 0.4]),
        ("box on corner", cuboid([1.0; 3]), [0.0, 0.0, 0.87], after([0.0, 0.3029, 0.0, 0.953], turned(0.25 * PI))),
    ];
    for (name, triangles, position, orientation) in bodies {
        let body = Body::new(&triangles, HALO);
        let pose = at(position, orientation);
        let world = at(random.in_cube(2.0), random.rotation());
        let there = carried(&world, &pose);
        let solid = surface(&body, true);
        let a = placed(Shape::Mesh(&solid), &there);
        let (list, found) = all(&a, &placed(ground(HALO), &world));
        let flat = wrench(&list, there.position);
        assert!(flat.size()[0] > 1e-4 && found.crossing == 0, "{name}: {flat:?}");
        list.iter().for_each(assert_sound);
        let tilings: [Vec<Triangle>; 4] = [
            walls::regular(1, 2.0),
            walls::regular(10, 2.0),
            walls::irregular(200, 2.0, 1),
            walls::irregular(10_000, 2.0, 2),
        ];
        for tiling in tilings {
            let wall = Body::new(&tiling, HALO);
            let many = all(&a, &placed(Shape::Mesh(&surface(&wall, false)), &world)).0;
            let relative = wrench(&many, there.position).minus(&flat).size().map(|x| x / flat.size()[0]);
            assert!(relative.iter().all(|x| *x < 1e-9), "{name}, {} triangles: {relative:?}", tiling.len());
            let least = |list: &[Contact]| list.iter().fold(f64::INFINITY, |m, c| m.min(c.least_gap));
            assert!((least(&many) - least(&list)).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn a_box_that_sinks_into_a_half_space_is_pushed_by_area_and_volume() {
    let boxed = Body::facing(&cuboid([1.0, 0.6, 0.5]), HALO);
    let halo = 2.0 * HALO;
    let at_depth = |depth: f64, turn: [f64; 4]| {
        let pose = at([0.1, 0.2, 0.25 - depth], turn);
        let list = all(&placed(Shape::Mesh(&surface(&boxed, true)), &pose), &placed(ground(HALO), &Pose::IDENTITY)).0;
        list.iter().for_each(assert_sound);
        (wrench(&list, pose.position), list)
    };
    for depth in [1e-15, 1e-9, 1e-3, 0.1, 0.4] {
        let (w, list) = at_depth(depth, NONE);
        // Above the base there is nothing but a rim that is lower than the halo.
        let right = 0.6 * (1.0 + depth / halo);
        assert!(close(w.force[2], right, 0.01 + 1e-9), "{depth}: {w:?}");
        let base = list.iter().max_by(|x, y| x.share.total_cmp(&y.share)).unwrap();
        assert!((base.least_gap + depth).abs() < 1e-15 && (base.gap + depth).abs() < 2e-3 + 0.01 * depth);
    }
    // Through zero without a jump, flat and tilted.
    for turn in [NONE, [1e-9, 0.0, 0.0, 1.0], [0.005, 0.002, 0.0, 1.0], [0.2, 0.1, 0.3, 0.9]] {
        let heights: Vec<f64> = (0..400).map(|i| 2e-4 * (i as f64 - 150.0)).collect();
        let mut last = None;
        for depth in heights {
            let w = at_depth(depth, turn).0;
            if let Some(before) = last.replace(w) {
                let change = w.minus(&before).size();
                assert!(change.iter().all(|x| *x < 20.0 * 2e-4), "{turn:?} {depth}: {change:?}");
            }
        }
    }
    let (above, below) = (at_depth(-1e-13, NONE).0, at_depth(1e-13, NONE).0);
    assert!(below.minus(&above).size().into_iter().all(|x| x < 1e-11), "{above:?} {below:?}");
    assert!(dot(below.force, [0.0, 0.0, 1.0]) > 0.59);
}

/// A half-space uses heights, a solid block the curve of intersection; both give the same law.
#[test]
fn a_half_space_is_a_solid_block_for_a_mesh_that_sinks() {
    let block = Body::new(&cuboid([8.0, 8.0, 4.0]), HALO);
    let below = at([0.0, 0.0, -2.0], NONE);
    let mut random = Random::new(12);
    // No part of what is below the surface is under another part.
    for (triangles, deepest) in [(cuboid([1.0, 0.6, 0.5]), 0.08), (soup(&generate::icosphere(2).unwrap()), 0.9)] {
        let body = Body::new(&triangles, HALO);
        let solid = surface(&body, true);
        for case in 0..40 {
            // On a corner, more or less: seen from above, an edge would have a side behind it.
            let [x, y, z] = random.in_cube(0.1);
            let (s, c) = (0.3077_f64.sin(), 0.3077_f64.cos());
            let corner = after([0.0, s, 0.0, c], [(PI / 8.0).sin(), 0.0, 0.0, (PI / 8.0).cos()]);
            let turn = after([x, y, z, (1.0 - x * x - y * y - z * z).sqrt()], corner);
            let lowest = triangles.iter().flatten().fold(f64::INFINITY, |m, v| m.min(rotate(turn, *v)[2]));
            let depth = deepest * random.unit();
            let pose = at([random.range(-0.5, 0.5), 0.1, -lowest - depth], turn);
            let a = placed(Shape::Mesh(&solid), &pose);
            let list = all(&a, &placed(ground(HALO), &Pose::IDENTITY)).0;
            let least = list.iter().fold(f64::INFINITY, |m, c| m.min(c.least_gap));
            assert!((least + depth).abs() < 1e-14);
            let flat = wrench(&list, pose.position);
            let loops = wrench(&all(&a, &placed(Shape::Mesh(&surface(&block, true)), &below)).0, pose.position);
            // Loops are found for bodies that are smaller by 1e-12.
            let relative = loops.minus(&flat).size().map(|x| x / (flat.size()[0] + 0.1));
            assert!(relative.iter().all(|x| *x < 1e-9), "{case}: {relative:?} {flat:?} {loops:?}");
        }
    }
}
