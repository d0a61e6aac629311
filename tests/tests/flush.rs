//! Solids whose faces lie in each other, near the origin and far from it: copies at the same place, bodies flush in a corner of a larger one, and bodies pressed
//! in each other with flush sides. What rounding would decide, the shift of both bodies decides (`docs/contacts.md`, section 10).

use dem_core::contact::shape::{Placed, Shape};
use dem_core::contact::status;
use dem_core::mesh::Cylinder;
use dem_core::pose::Pose;
use dem_std::generate;
use dem_tests::contact::{Body, Wrench, at, carried, cuboid, ell, soup, wrench};
use dem_tests::deep::{ball, find, moved};
use dem_tests::random::Random;
use dem_tests::shapes::{all, surface};
use dem_tests::vector::{add, length, rotate, scale, sub};
use dem_tests::{Triangle, cases};

const THICKNESS: f64 = 0.01;

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// Distances from the origin.
const FAR: [f64; 6] = [0.0, 1.0, 30.0, 1e3, 1e4, 1e5];

/// A pose in a cube of this half edge around the origin; without a turn in the first case.
fn anywhere(random: &mut Random, far: f64, case: usize) -> Pose {
    at(random.in_cube(far), if case == 0 { NONE } else { random.rotation() })
}

/// A prism between two equal outlines.
fn prism(corners: [[f64; 2]; 3]) -> Vec<Triangle> {
    let [a, b, c] = corners.map(|[x, y]| [[x, y, 0.0], [x, y, 1.0]]);
    let mut all = vec![[a[0], c[0], b[0]], [a[1], b[1], c[1]]];
    for [p, q] in [[a, b], [b, c], [c, a]] {
        all.extend([[p[0], q[0], q[1]], [p[0], q[1], p[1]]]);
    }
    all
}

/// Solids of about unit size. Of some, the centre of the smallest ball around them is outside.
fn solids() -> Vec<(&'static str, Vec<Triangle>)> {
    let v = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let tetrahedron = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|t| t.map(|i| v[i])).to_vec();
    let cylinder = generate::cylinder(Cylinder { radius: 0.5, length: 1.0, facets: 12 });
    vec![
        ("tetrahedron", tetrahedron),
        ("prism", prism([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])),
        ("cube", cuboid([1.0; 3])),
        ("box", cuboid([0.3, 0.7, 1.1])),
        ("cylinder", soup(&cylinder.unwrap())),
        ("ell", ell()),
        ("icosahedron", ball(0)),
    ]
}

/// A body in a copy of itself at the same place, or as good as that, leaves it.
#[test]
fn copies_at_the_same_place_are_inside() {
    let mut random = Random::new(1);
    for (name, solid) in solids() {
        let body = Body::new(&solid, THICKNESS);
        for far in FAR {
            for case in 0..20 {
                let pose = anywhere(&mut random, far, case);
                let (list, _) = find(&body, &pose, &body, &pose, true);
                let main = list.iter().find(|c| c.status & status::CONTAINED != 0);
                let Some(c) = main else { panic!("{name} {far} {case}: {list:?}") };
                assert!(c.least_gap < -0.25 && c.status & status::DOUBTFUL == 0, "{name} {far} {case}: {c:?}");
                assert!((length(c.normal) - 1.0).abs() < 1e-12, "{name} {far} {case}: {c:?}");
            }
        }
    }
}

/// As a copy moves away, it is inside at first, and then its surface crosses the other one: there is no offset between without a depth.
#[test]
fn copies_have_a_depth_at_every_small_offset() {
    let mut random = Random::new(2);
    for (name, solid) in solids() {
        let body = Body::new(&solid, THICKNESS);
        for far in [0.0, 30.0, 1e3] {
            for case in 0..60 {
                let pose = anywhere(&mut random, far, case);
                let by = scale(10f64.powf(random.range(-17.0, -6.0)), random.direction());
                let other = Pose { position: add(pose.position, by), ..pose };
                for (a, b) in [(&pose, &other), (&other, &pose)] {
                    let list = find(&body, a, &body, b, true).0;
                    assert!(list.iter().any(|c| c.least_gap < -0.1), "{name} {far} {by:?}: {list:?}");
                }
            }
        }
    }
}

/// A smaller box in a larger one, flush with up to three of its sides, or beside them by roundings.
#[test]
fn a_box_flush_in_a_corner_of_a_larger_one_is_inside() {
    let mut random = Random::new(3);
    let large = Body::new(&cuboid([1.0; 3]), THICKNESS);
    for far in FAR {
        for case in 0..cases(50, 150) {
            let edges = [0; 3].map(|_| 0.1 * (1 + random.below(8)) as f64);
            let small = Body::new(&cuboid(edges), THICKNESS);
            let flush = 1 + random.below(3);
            let place = [0, 1, 2].map(|k| {
                let room = 0.5 * (1.0 - edges[(k + case) % 3]);
                if k < flush { room } else { room * random.range(-0.8, 0.8) }
            });
            let mut offset = [0.0; 3];
            (0..3).for_each(|k| offset[(k + case) % 3] = place[k]);
            let beside = if case % 3 == 0 { 10f64.powf(random.range(-16.0, -10.0)) } else { 0.0 };
            let offset = add(offset, [beside; 3]);
            let pose = anywhere(&mut random, far, case);
            let inner = carried(&pose, &at(offset, NONE));
            for (a, b, at_a, at_b) in [(&small, &large, &inner, &pose), (&large, &small, &pose, &inner)] {
                let list = find(a, at_a, b, at_b, true).0;
                assert!(list.iter().any(|c| c.least_gap < -0.05), "{far} {flush} {edges:?} {offset:?}: {list:?}");
                assert!(list.iter().all(|c| c.status & status::DOUBTFUL == 0), "{far} {flush}: {list:?}");
            }
        }
    }
}

/// A body beside another one, with which it touches, is not inside, wherever they are.
#[test]
fn boxes_that_touch_from_outside_have_no_depth() {
    let mut random = Random::new(4);
    let (large, small) = (Body::new(&cuboid([1.0; 3]), THICKNESS), Body::new(&cuboid([0.5; 3]), THICKNESS));
    for far in FAR {
        for case in 0..50 {
            let offset = [0.75, [0.25, 0.1][case % 2], [0.75, 0.25, 0.0][case % 3]];
            let pose = anywhere(&mut random, far, case);
            let list = find(&small, &carried(&pose, &at(offset, NONE)), &large, &pose, true).0;
            assert!(list.iter().all(|c| c.least_gap > -1e-8 * (1.0 + far)), "{far} {offset:?}: {list:?}");
        }
    }
}

/// Force and least gap of both bodies, in the axes of a pose.
fn seen_from(pose: &Pose, sum: &Wrench, gap: f64) -> ([f64; 3], f64) {
    let [x, y, z, w] = pose.orientation;
    (rotate([-x, -y, -z, w], sum.force), gap)
}

/// Two equal boxes, one of which has moved along one or two of its edges: four or two of their sides are flush. Far away, their coordinates are
/// rounded, and neither force nor depth may depend on that. Once as two meshes, once with a scale.
#[test]
fn flush_sides_of_boxes_pressed_in_each_other_push_alike_everywhere() {
    let mut random = Random::new(5);
    for edges in [[1.0; 3], [0.3, 0.7, 1.1]] {
        let body = Body::new(&cuboid(edges), THICKNESS);
        let half = Body::new(&cuboid(scale(0.5, edges)), 0.5 * THICKNESS);
        let half = surface(&half, true);
        for far in FAR {
            for case in 0..cases(40, 100) {
                let mut offset = [0.0; 3];
                (0..1 + case % 2).for_each(|k| offset[(case / 2 + k) % 3] = 0.05 * (1 + random.below(4)) as f64);
                let sum = |pose: &Pose| {
                    let other = carried(pose, &at(offset, NONE));
                    let (list, sum) = find(&body, pose, &body, &other, true);
                    let scaled = |pose| Placed { shape: Shape::Mesh(&half), pose, scale: 2.0 };
                    let by_shape = all(&scaled(pose), &scaled(&other)).0;
                    let off = sub(sum.force, wrench(&by_shape, [0.0; 3]).force);
                    assert!(length(off) < 1e-6 * length(sum.force), "{edges:?} {far} {offset:?}: {off:?}");
                    seen_from(pose, &sum, list.iter().fold(0.0, |least: f64, c| least.min(c.least_gap)))
                };
                let ((force, gap), (there, gap_there)) = (sum(&Pose::IDENTITY), sum(&anywhere(&mut random, far, case)));
                let off = length(sub(force, there)) / length(force);
                assert!(off < 1e-6 && (gap - gap_there).abs() < 1e-6, "{edges:?} {far} {offset:?}: {off:e}");
            }
        }
    }
}

/// A body of two parts: one crosses the surface of a wall, the other one is inside, flush with up to three sides of the wall.
#[test]
fn a_part_that_is_inside_and_flush_counts_everywhere() {
    let mut random = Random::new(6);
    let wall = Body::facing(&cuboid([1.0; 3]), THICKNESS);
    // The area of the first part, half of its volume, and all of the second one.
    let right = 0.04 + (0.004 + 0.008) / (2.0 * THICKNESS);
    for place in [[0.4, 0.0, 0.0], [-0.4, 0.0, 0.0], [0.0, -0.4, 0.0], [0.0, 0.0, -0.4], [-0.4; 3]] {
        let parts = [moved(&cuboid([0.2; 3]), [0.0, 0.0, 0.5]), moved(&cuboid([0.2; 3]), place)].concat();
        let body = Body::facing(&parts, THICKNESS);
        for far in FAR {
            for case in 0..30 {
                let pose = anywhere(&mut random, far, case);
                let (list, sum) = find(&body, &pose, &wall, &pose, true);
                assert!(list.iter().all(|c| c.status & status::DOUBTFUL == 0), "{list:?}");
                let force = length(sum.force);
                assert!((force / right - 1.0).abs() < 1e-6, "{place:?} {far} {case}: {force} {right}");
            }
        }
    }
}
