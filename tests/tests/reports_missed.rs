//! Reports of users of other libraries about contacts that were missing, flickered, or were NaN: one test for each
//! symptom, with the thread above it.

use dem_core::contact::shape::Shape;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_tests::contact::{Body, HALO, after, all_contacts, at, carried, cuboid, wrench};
use dem_tests::query::{all_pairs, nearest, operand, shape};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::shapes::{all, ground, placed, surface};
use dem_tests::vector::{add, dot, length, rotate, scale, sub};
use dem_tests::{boxes, walls};

const UP: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// About this axis; exact for angles that are small.
fn small_turn(axis: [f64; 3], angle: f64) -> [f64; 4] {
    let [x, y, z] = scale(0.5 * angle, axis);
    [x, y, z, (1.0 - 0.25 * angle * angle).sqrt()]
}

/// fcl #293: closest points of two boxes that are apart, a wide flat one and a small one turned anyhow, were not numbers.
#[test]
fn closest_points_of_boxes_are_points_of_the_boxes() {
    let mut random = Random::new(8);
    let (flat, small) = (cuboid([2.75, 6.0, 0.05]), cuboid([0.42, 0.15, 0.17]));
    let options = dem_core::surrogate::Options::default();
    let (a, b) = (shape(&flat, 0.0, &options), shape(&small, 0.0, &options));
    for case in 0..200 {
        // Far, near, and with edges or faces that are parallel.
        let turn = if case % 4 == 0 { UP } else { random.rotation() };
        let pose = at(add([1.4, 0.0, 0.5], random.in_cube(1.5)), if case % 3 == 0 { UP } else { turn });
        let under = at([1.625, 0.0, 0.0], if case % 5 == 0 { turn } else { UP });
        let found = nearest(Isa::best(), &operand(&a, &under), &operand(&b, &pose), f64::INFINITY).unwrap();
        let right = boxes::least(&posed(&flat, &under), &posed(&small, &pose)).0;
        assert!((found.distance - right.distance).abs() < 1e-12, "{case}: {found:?} {right:?}");
        assert!((length(sub(found.point_a, found.point_b)) - found.distance).abs() < 1e-12, "{case}: {found:?}");
        for (point, pose, edges) in
            [(found.point_a, under, [2.75, 6.0, 0.05]), (found.point_b, pose, [0.42, 0.15, 0.17])]
        {
            let [x, y, z, w] = pose.orientation;
            let own = rotate([-x, -y, -z, w], sub(point, pose.position));
            assert!((0..3).all(|k| own[k].abs() < 0.5 * edges[k] + 1e-12), "{case}: {own:?} of {edges:?}");
        }
    }
}

/// coal #755: meshes of two boxes 0.7 apart had no contact within a margin of 1.
#[test]
fn boxes_apart_have_contacts_within_large_margins() {
    let (large, small) = (cuboid([2.0; 3]), cuboid([1.0; 3]));
    let options = dem_core::surrogate::Options::default();
    let (a, b) = (shape(&large, 0.0, &options), shape(&small, 0.0, &options));
    let (wide, narrow) = (Body::new(&large, 0.5), Body::new(&small, 0.5));
    for step in 0..=30 {
        let gap = 0.05 * f64::from(step);
        let pose = at([0.1, -0.2, 1.5 + gap], [0.0, 0.0, 0.3, 1.0]);
        let near = all_pairs(Isa::best(), &operand(&b, &pose), &operand(&a, &Pose::IDENTITY), 1.0);
        let contacts = all_contacts(Isa::best(), &narrow.side(&pose), &wide.side(&Pose::IDENTITY)).0;
        if (gap - 1.0).abs() > 1e-9 {
            assert_eq!((near.is_empty(), contacts.is_empty()), (gap > 1.0, gap > 1.0), "gap {gap}");
        }
        for c in contacts {
            // Beside the faces there are rims, whose gaps are larger.
            assert!(c.least_gap >= gap - 1e-12 && (c.share < 0.5 || c.least_gap < gap + 1e-12), "{gap}: {c:?}");
        }
    }
}

/// mujoco #2471: contacts of two boxes that lie against each other within a margin, one of them tilted by 1e-6, came and went.
#[test]
fn contacts_within_a_margin_do_not_come_and_go_at_a_tiny_tilt() {
    let edges = [0.014, 0.014, 0.02];
    let margin = 0.0005;
    let boxed = Body::new(&cuboid(edges), 0.5 * margin);
    for tilt in [0.0, 1e-15, 1e-12, 1e-9, 2e-6, 1e-4] {
        // Faces overlap by half; one box turns about x until they are apart, in steps that are far below the margin.
        let still = at([0.0; 3], small_turn([0.0, 1.0, 0.0], tilt));
        let mut last: Option<[f64; 2]> = None;
        for step in 0..200 {
            let turned = at([0.0, edges[1] + 0.4 * margin, 0.01], small_turn([1.0, 0.0, 0.0], 1e-7 * f64::from(step)));
            let list = all_contacts(Isa::best(), &boxed.side(&turned), &boxed.side(&still)).0;
            let sum = wrench(&list, turned.position);
            assert!(sum.force[1] > 1e-5, "tilt {tilt:e}, step {step}: {list:?}");
            let now = [sum.force[1], sum.torque[0]];
            if let Some(before) = last.replace(now) {
                // A face of 2e-4 turns about its middle by 1e-7: 1e-9 of its height over the margin.
                assert!((now[0] - before[0]).abs() < 1e-5 * now[0], "tilt {tilt:e}, step {step}: {now:?} {before:?}");
            }
        }
    }
}

/// siconos #29, #374: cubes and tetrahedra had too few contacts with a plane or a mesh, or none, and fell through.
#[test]
fn polyhedra_that_fall_on_a_floor_are_held_however_they_land() {
    let mut random = Random::new(5);
    let [p, q, r, s] = [[1.0, 0.0, -0.3], [-0.5, 0.8, -0.3], [-0.5, -0.8, -0.3], [0.0, 0.0, 0.9]];
    let tetrahedron = vec![[p, r, q], [p, q, s], [q, r, s], [r, p, s]];
    let floors =
        [walls::regular(1, 4.0), walls::regular(9, 4.0), walls::irregular(300, 4.0, 2)].map(|w| Body::new(&w, HALO));
    for mesh in [cuboid([1.0; 3]), tetrahedron] {
        let body = Body::new(&mesh, HALO);
        let solid = surface(&body, true);
        for case in 0..120 {
            // On corners, edges and faces, above the floor by less than the halos, or a little below it.
            let turn = match case % 3 {
                0 => random.rotation(),
                1 => [0.0, 0.0, random.range(-1.0, 1.0), 1.0],
                _ => after(small_turn([0.6, 0.8, 0.0], 1e-9 * random.unit()), [0.0, 0.0, random.range(-1.0, 1.0), 1.0]),
            };
            let lowest = mesh.iter().flatten().fold(f64::MAX, |m, v| m.min(rotate(turn, *v)[2]));
            let gap = random.range(-0.5, 1.9) * HALO;
            let pose = at([random.range(-1.0, 1.0), random.range(-1.0, 1.0), gap - lowest], turn);
            let world = at(random.in_cube(2.0), random.rotation());
            let there = carried(&world, &pose);
            let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
            let planes: Vec<_> = floors.iter().map(|floor| surface(floor, false)).collect();
            let meshes = planes.iter().map(Shape::Mesh);
            for (k, floor) in meshes.chain([ground(HALO)]).enumerate() {
                let list = all(&placed(Shape::Mesh(&solid), &there), &placed(floor, &world)).0;
                let force = wrench(&list, there.position).force;
                assert!(dot(force, up) > 0.0, "floor {k}, case {case}, gap {gap}: {list:?}");
                let least = list.iter().fold(f64::MAX, |m, c| m.min(c.least_gap));
                assert!((least - gap).abs() < 1e-9, "floor {k}, case {case}: {least} of {gap}");
            }
        }
    }
}

/// newton #2438: rotations by a rounding gave faces that touch no contact, or one with the opposite normal.
#[test]
fn noise_in_rotations_turns_no_normal_of_faces_that_touch() {
    let mut random = Random::new(6);
    let (boxed, other) = (Body::facing(&cuboid([0.5; 3]), HALO), Body::facing(&cuboid([0.5, 0.4, 0.6]), HALO));
    for case in 0..300 {
        let noise = 10f64.powi(-7 - (case % 10));
        let gap = [0.0, 1e-16, -1e-16, 1e-12, -1e-12, 1e-9, -1e-9][case as usize % 7];
        let (a, b) = if case % 2 == 0 { (&boxed, &boxed) } else { (&boxed, &other) };
        let height = if case % 2 == 0 { 0.5 } else { 0.55 };
        let world = at(random.in_cube(1.0), random.rotation());
        let [x, y, z] = random.in_cube(noise);
        let pose = carried(&world, &at([0.0, 0.1 * f64::from(case % 3), height + gap], [x, y, z, 1.0]));
        let contacts = all_contacts(Isa::best(), &a.solid(&pose), &b.solid(&world)).0;
        let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
        let sum = wrench(&contacts, pose.position);
        assert!(length(sub(sum.force, scale(dot(sum.force, up), up))) < 1e-6, "{case}: {sum:?}");
        // All of the halo is pressed in, over the area that they have in common, and a rim around it.
        let area = 0.5 * (if case % 2 == 0 { 0.5 } else { 0.4 }) * (1.0 - 0.1 * f64::from(case % 3) / 0.5);
        assert!(dot(sum.force, up) > 0.9 * area, "{case}: {sum:?} {area}");
        let main = contacts.iter().copied().reduce(|x, y| if y.share > x.share { y } else { x }).unwrap();
        assert!(length(sub(main.normal, up)) < 1e-6 + 2.0 * noise && main.share > 0.9, "{case}: {main:?}");
    }
}
