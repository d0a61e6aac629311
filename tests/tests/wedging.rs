//! What friction bears on: in a groove the forces of both sides, on what is flat their sum.

use dem_core::body::Body;
use dem_core::contact::regions::{Grouping, Mode};
use dem_core::contact::shape::Shape;
use dem_core::contact::{Contact, status};
use dem_core::exec::Serial;
use dem_core::force::{Damping, Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::world::{BodyDef, Setup};
use dem_std::{OwnedWorld, generate};
use dem_tests::contact::{self, cuboid, soup};
use dem_tests::random::Random;
use dem_tests::shapes::{capsule, ground, grouped, placed, sphere, surface};
use dem_tests::vector::{add, cross, dot, length, rotate, scale};
use dem_tests::{Triangle, walls};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const HALO: f64 = 0.01;

/// What friction bears on over the force, of all contacts of two bodies.
fn load(contacts: &[Contact]) -> f64 {
    let force = |c: &Contact| (1.0 - c.gap / c.halo) * c.area;
    let sum = contacts.iter().fold([0.0; 3], |sum, c| add(sum, scale(force(c), c.normal)));
    contacts.iter().fold(0.0, |all, c| all + c.wedging * force(c)) / length(sum)
}

/// The height at which a body just has contacts, less a part of its halo.
fn lowered(depth: f64, mut touches: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-2.0, 5.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if touches(middle) { low = middle } else { high = middle }
    }
    low - depth
}

fn turn(axis: usize, angle: f64) -> [f64; 4] {
    let mut turn = [0.0, 0.0, 0.0, (0.5 * angle).cos()];
    turn[axis] = (0.5 * angle).sin();
    turn
}

/// One turn after the other.
fn product([a, b, c, d]: [f64; 4], [x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ]
}

#[test]
fn in_a_groove_friction_bears_on_both_sides() {
    let cube = cuboid([0.6, 0.6, 0.6]);
    let rock = soup(&generate::icosphere(3).unwrap()).iter().map(|t| t.map(|v| scale(0.4, v))).collect::<Vec<_>>();
    for conservative in [false, true] {
        let made = |mesh: &[Triangle]| match conservative {
            true => contact::Body::conservative(mesh, HALO),
            false => contact::Body::facing(mesh, HALO),
        };
        let (cube, rock) = (made(&cube), made(&rock));
        let (cube, rock) = (surface(&cube, true), surface(&rock, true));
        for degrees in [5.0, 15.0, 30.0, 40.0, 44.9, 45.1, 55.0] {
            let angle = f64::to_radians(degrees);
            for strips in [1, 5] {
                let mesh = made(&walls::groove(angle, strips));
                let floor = surface(&mesh, false);
                let wanted = 1.0 / angle.cos();
                let upright = Pose::IDENTITY.orientation;
                for (name, shape, orientation, off) in [
                    ("ball", sphere(0.4, HALO), upright, 1e-9),
                    ("capsule", capsule(0.3, 0.3, HALO), turn(1, FRAC_PI_2), 1e-9),
                    ("cube", Shape::Mesh(&cube), upright, 0.02),
                    ("rock", Shape::Mesh(&rock), [0.1, 0.7, -0.2, 0.678_232_998_312_526_8], 0.02),
                ] {
                    // Faces that look at a side by less than 120 degrees have forces of their own.
                    if name == "cube" && degrees >= 30.0 {
                        continue;
                    }
                    for depth in [0.002, 0.01, 0.018] {
                        let find = |z: f64| {
                            let pose = Pose { position: [0.1, 0.0, z], orientation };
                            grouped(
                                &placed(shape, &pose),
                                &placed(Shape::Mesh(&floor), &Pose::IDENTITY),
                                &Grouping::default(),
                            )
                        };
                        let found = find(lowered(depth, |z| !find(z).is_empty()));
                        let got = load(&found);
                        assert!(
                            (got / wanted - 1.0).abs() < off,
                            "{name} {degrees} {strips} {depth} {conservative}: {got} {wanted}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn on_what_is_flat_facets_of_the_other_body_count_for_nothing() {
    let ball = soup(&generate::icosphere(1).unwrap());
    assert_eq!(ball.len(), 80);
    let mut random = Random::new(4);
    let turned = walls::rounded(&walls::irregular(300, 3.0, 8), Pose::IDENTITY.orientation, [0.0; 3]);
    for conservative in [false, true] {
        let made = |mesh: &[Triangle]| match conservative {
            true => contact::Body::conservative(mesh, 0.1),
            false => contact::Body::facing(mesh, 0.1),
        };
        let (ball, box_of) = (made(&ball), made(&cuboid([1.0, 0.7, 1.9])));
        let (flat, bad) = (made(&walls::regular(12, 3.0)), made(&turned));
        let shapes = [surface(&ball, true), surface(&box_of, true)];
        let (flat, bad) = (surface(&flat, false), surface(&bad, false));
        let mut met = 0;
        for case in 0..200 {
            let orientation = random.rotation();
            for own in &shapes {
                for below in [ground(0.1), Shape::Mesh(&flat), Shape::Mesh(&bad)] {
                    let pose = Pose {
                        position: [0.3 * random.unit(), 0.2 * random.unit(), 1.0 + 0.1 * random.unit()],
                        orientation,
                    };
                    for mode in [Mode::Regions, Mode::Bodies] {
                        let grouping = Grouping { mode, ..Grouping::default() };
                        let found =
                            grouped(&placed(Shape::Mesh(own), &pose), &placed(below, &Pose::IDENTITY), &grouping);
                        assert!(found.iter().all(|c| (c.wedging - 1.0).abs() < 1e-9), "{case}: {found:?}");
                        met += found.len();
                    }
                }
            }
        }
        assert!(met > 300, "{met}");
    }
}

/// An anticlockwise outline in the plane of x and z, extruded along y.
fn extruded(outline: &[[f64; 2]], long: f64) -> Vec<Triangle> {
    let (n, at) = (outline.len(), |i: usize, y: f64| [outline[i][0], y, outline[i][1]]);
    let (mut all, half) = (Vec::new(), 0.5 * long);
    for i in 0..n {
        let j = (i + 1) % n;
        let [a, b, c, d] = [at(i, -half), at(j, -half), at(j, half), at(i, half)];
        all.extend([[a, c, b], [a, d, c]]);
    }
    for [i, j, k] in ears(outline) {
        all.extend([[at(i, -half), at(j, -half), at(k, -half)], [at(i, half), at(k, half), at(j, half)]]);
    }
    all
}

/// Triangles of an anticlockwise outline: cuts off one corner after another in which no other corner lies.
fn ears(outline: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let twice = |i: usize, j: usize, k: usize| {
        let [a, b, c] = [outline[i], outline[j], outline[k]];
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let (mut left, mut all): (Vec<usize>, Vec<_>) = ((0..outline.len()).collect(), Vec::new());
    while left.len() > 3 {
        let corner = |m: usize| [m + left.len() - 1, m, m + 1].map(|m| left[m % left.len()]);
        let is_ear = |m: &usize| {
            let [i, j, k] = corner(*m);
            let within = |p: usize| twice(i, j, p) >= 0.0 && twice(j, k, p) >= 0.0 && twice(k, i, p) >= 0.0;
            twice(i, j, k) > 0.0 && left.iter().all(|p| [i, j, k].contains(p) || !within(*p))
        };
        let ear = (0..left.len()).find(is_ear).expect("an outline that does not cross itself");
        all.push(corner(ear));
        left.remove(ear);
    }
    all.push([left[0], left[1], left[2]]);
    all
}

/// A bar with a sharp lower edge lies in a groove with the same angle, above and below the surface: both sides bear.
#[test]
fn below_the_surface_both_sides_of_a_groove_bear() {
    let h = 0.01;
    for conservative in [true, false] {
        for degrees in [20.0, 30.0, 45.0, 60.0, 70.0, 75.0, 90.0, 106.0, 110.0, 120.0] {
            // By the law of facing, both sides are one contact, whose `wedging` is 4 at most.
            if !conservative && degrees < 30.0 {
                continue;
            }
            let half = f64::to_radians(0.5 * degrees);
            let (w, wide) = (0.2, 0.3);
            let (up, top) = (w / half.tan(), wide / half.tan());
            let bar = extruded(&[[0.0, 0.0], [w, up], [w, up + 0.2], [-w, up + 0.2], [-w, up]], 0.5);
            let seat = [[0.0, 0.0], [-wide, top], [-0.6, top], [-0.6, -0.3], [0.6, -0.3], [0.6, top], [wide, top]];
            let seat = extruded(&seat, 0.9);
            let made = |mesh: &[Triangle]| match conservative {
                true => contact::Body::conservative(mesh, h),
                false => contact::Body::facing(mesh, h),
            };
            let (bar, seat) = (made(&bar), made(&seat));
            let (bar, seat) = (surface(&bar, true), surface(&seat, true));
            for (x, yaw) in [(0.0, 0.0), (1.3e-4, 0.0), (0.0, 1e-3)] {
                for depth in [0.1, -0.01, -0.06, -0.15, -0.24, -0.3, -0.36, -0.45] {
                    let position = [x * h, 0.0, 2.0 * h * depth / half.sin()];
                    let pose = Pose { position, orientation: turn(2, yaw) };
                    let [a, b] = [placed(Shape::Mesh(&bar), &pose), placed(Shape::Mesh(&seat), &Pose::IDENTITY)];
                    let bears = load(&grouped(&a, &b, &Grouping::default())) * half.sin();
                    let off = if degrees < 60.0 { 0.05 } else { 0.03 };
                    assert!((bears - 1.0).abs() < off, "{conservative} {degrees} {x} {yaw} {depth}: {bears}");
                }
            }
        }
    }
}

/// The same surface with T-junctions: every second triangle is cut in two at the middle of its longest side.
fn with_t_junctions(mesh: &[Triangle]) -> Vec<Triangle> {
    let cut = |(i, [a, b, c]): (usize, &Triangle)| {
        let side = |p: [f64; 3], q: [f64; 3]| length(add(p, scale(-1.0, q)));
        let [a, b, c] = match [side(*a, *b), side(*b, *c), side(*c, *a)] {
            [x, y, z] if x >= y && x >= z => [*a, *b, *c],
            [_, y, z] if y >= z => [*b, *c, *a],
            _ => [*c, *a, *b],
        };
        let middle = scale(0.5, add(a, b));
        if i % 2 == 0 { vec![[a, middle, c], [middle, b, c]] } else { vec![[a, b, c]] }
    };
    mesh.iter().enumerate().flat_map(cut).collect()
}

/// Floor and flanks of a key in its slot, and of a dovetail, all bear, above and below the surface. No thin body sticks in another one.
#[test]
fn below_the_surface_all_sides_of_a_slot_bear() {
    let h = 0.01;
    for (name, lean) in [("key", 0.0f64), ("dovetail", 30.0)] {
        for conservative in [true, false] {
            for depth in [0.1, -0.01, -0.06, -0.15, -0.24, -0.36, -0.45] {
                let (gap, (w, high), lean) = (2.0 * h * depth, (0.12, 0.25), lean.to_radians());
                let at = |z: f64| w + (high - z) * lean.tan();
                let key = [[-at(gap), gap], [at(gap), gap], [w, high], [w, 0.5], [-w, 0.5], [-w, high]];
                let aside = gap / lean.cos();
                let [mouth, floor] = [w + aside, at(0.0) + aside];
                let top = high - 0.05;
                let slot = [
                    [-0.6, top],
                    [-0.6, -0.3],
                    [0.6, -0.3],
                    [0.6, top],
                    [mouth + (high - top) * lean.tan(), top],
                    [floor, 0.0],
                    [-floor, 0.0],
                    [-mouth - (high - top) * lean.tan(), top],
                ];
                let made = |mesh: &[Triangle]| match conservative {
                    true => contact::Body::conservative(mesh, h),
                    false => contact::Body::facing(mesh, h),
                };
                let (key, slot) = (extruded(&key, 0.5), extruded(&slot, 0.9));
                let (torn_key, torn_slot) = (with_t_junctions(&key), with_t_junctions(&slot));
                for (key, slot) in [(&key, &slot), (&torn_key, &slot), (&key, &torn_slot), (&torn_key, &torn_slot)] {
                    let (key, slot) = (made(key), made(slot));
                    let (key, slot) = (surface(&key, true), surface(&slot, true));
                    let [a, b] = [Shape::Mesh(&key), Shape::Mesh(&slot)].map(|shape| placed(shape, &Pose::IDENTITY));
                    let found = grouped(&a, &b, &Grouping::default());
                    // Flanks end below the mouth, and so does what bears on them.
                    let (floor, flank) = (2.0 * at(0.5 * gap), 2.0 * (top - 0.5 * gap) / lean.cos());
                    let bears = load(&found) * (floor - flank * lean.sin()) / (floor + flank);
                    let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
                    let known = format!("{name} {conservative} {depth}: {bears} {least} {found:?}");
                    assert!((bears - 1.0).abs() < 0.06 && (least - depth).abs() < 1e-9, "{known}");
                    assert!(found.iter().all(|c| c.status & status::THIN == 0), "{known}");
                }
            }
        }
    }
}

/// The walls and the round bottom of a slot bear, above and below the surface.
#[test]
fn all_around_the_round_bottom_of_a_slot_bears() {
    let (h, r, mouth) = (0.005, 0.1, 0.35);
    for facets in [4, 8, 16] {
        let half = 0.5 * PI / f64::from(facets);
        for conservative in [true, false] {
            for depth in [0.1, -0.02, -0.1, -0.3] {
                // From the right wall through the bottom to the left one.
                let around = |r: f64, top: f64| {
                    let at = |i: u32| 2.0 * half * f64::from(i);
                    let bottom = (0..=facets).map(|i| [r * at(i).cos(), 0.1 - r * at(i).sin()]);
                    [[r, top]].into_iter().chain(bottom).chain([[-r, top]]).collect::<Vec<_>>()
                };
                let mut key = around(r, 0.6);
                key.reverse();
                let wide = r + 2.0 * h * depth / half.cos();
                let mut slot = vec![[-0.6, mouth], [-0.6, -0.3], [0.6, -0.3], [0.6, mouth]];
                slot.extend(around(wide, mouth));
                let made = |mesh: &[Triangle]| match conservative {
                    true => contact::Body::conservative(mesh, h),
                    false => contact::Body::facing(mesh, h),
                };
                let (key, slot) = (made(&extruded(&key, 0.5)), made(&extruded(&slot, 0.9)));
                let (key, slot) = (surface(&key, true), surface(&slot, true));
                let [a, b] = [Shape::Mesh(&key), Shape::Mesh(&slot)].map(|shape| placed(shape, &Pose::IDENTITY));
                let found = grouped(&a, &b, &Grouping::default());
                let arc = 2.0 * f64::from(facets) * r * half.sin();
                let bears = load(&found) * 2.0 * r / (2.0 * (mouth - 0.1) + arc);
                let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
                let known = format!("{facets} {conservative} {depth}: {bears} {least} {found:?}");
                assert!((bears - 1.0).abs() < 0.06 && (least - depth).abs() < 0.03, "{known}");
            }
        }
    }
}

/// The contacts of two bars with these outlines, the first one shorter and moved aside, by the law of volumes.
fn of_bars(outlines: [&[[f64; 2]]; 2], h: f64, aside: [f64; 3]) -> Vec<Contact> {
    let [a, b] = [(outlines[0], 0.5), (outlines[1], 0.9)].map(|(outline, long)| extruded(outline, long));
    let [a, b] = [a, b].map(|mesh| contact::Body::conservative(&mesh, h));
    let (a, b) = (surface(&a, true), surface(&b, true));
    let pose = Pose { position: aside, ..Pose::IDENTITY };
    grouped(&placed(Shape::Mesh(&a), &pose), &placed(Shape::Mesh(&b), &Pose::IDENTITY), &Grouping::default())
}

/// The flanks of the teeth of two racks all bear below the surface.
#[test]
fn below_the_surface_the_teeth_of_racks_bear() {
    let (h, pitch, teeth) = (0.005, 0.1, 6);
    for degrees in [30.0f64, 60.0, 90.0] {
        let half = (0.5 * degrees).to_radians();
        let high = 0.5 * pitch / half.tan();
        let at = |i: i32, up: f64| [0.5 * pitch * f64::from(i - teeth), up + if i % 2 == 0 { 0.0 } else { high }];
        for depth in [0.1, -0.02, -0.1, -0.3] {
            let gap = 2.0 * h * depth;
            let mut rack: Vec<_> = (0..=2 * teeth).map(|i| at(i, gap / half.sin())).collect();
            let end = 0.5 * pitch * f64::from(teeth);
            rack.extend([[end, high + 0.2], [-end, high + 0.2]]);
            let mut other: Vec<_> = (-2..=2 * teeth + 2).rev().map(|i| at(i, 0.0)).collect();
            other.extend([[-end - pitch, -0.3], [end + pitch, -0.3]]);
            for aside in [0.0, 0.1] {
                let found = of_bars([&rack, &other], h, [aside * gap, 0.0, 0.0]);
                let bears = load(&found) * half.sin();
                let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
                let known = format!("{degrees} {depth} {aside}: {bears} {least} {found:?}");
                // Where the surfaces just touch, the halos of the tips bear, too.
                let off = if depth < -0.2 { 0.05 } else { 0.12 };
                assert!((bears - 1.0).abs() < off, "{known}");
                assert!((least - depth).abs() < 0.12 * depth.abs() + 1e-9, "{known}");
            }
        }
    }
}

/// All sides of a T-slot and of a rail bear below the surface, and none is deeper than it is.
#[test]
fn below_the_surface_all_sides_of_t_slots_and_rails_bear() {
    let h = 0.005;
    // A head of .4 by .15 on a neck of .16, larger by `more` on all sides, and the place where the neck ends.
    let tee = |more: f64, end: f64| {
        let (head, neck, high) = (0.2 + more, 0.08 + more, 0.15 + more);
        [
            [-head, -more],
            [head, -more],
            [head, high],
            [neck, high],
            [neck, end],
            [-neck, end],
            [-neck, high],
            [-head, high],
        ]
    };
    let block = |cavity: [[f64; 2]; 8]| {
        let [a, b, c, d, e, f, g, h] = cavity;
        [[-0.5, e[1]], [-0.5, -0.3], [0.5, -0.3], [0.5, e[1]], e, d, c, b, a, h, g, f]
    };
    for depth in [0.1, -0.02, -0.1, -0.3] {
        let gap = 2.0 * h * depth;
        for (name, [a, b]) in [
            ("slot", [&tee(-gap, 0.5)[..], &block(tee(0.0, 0.35))]),
            ("rail", [&block(tee(gap, 0.35))[..], &tee(0.0, 0.5)]),
        ] {
            for aside in [[0.0; 3], [0.1 * gap, 0.0, 0.0], [0.1 * gap, 0.0, 0.2 * gap]] {
                let found = of_bars([a, b], h, aside);
                let force = |c: &Contact| (1.0 - c.gap / c.halo) * c.area;
                let all = found.iter().map(|c| c.wedging * force(c)).sum::<f64>();
                // The floor, the walls of the head, its shoulders, and the neck.
                let sides = 0.4 + 0.3 + 0.24 + 0.4;
                let share = all / (0.5 * sides * (1.0 - depth));
                let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
                let known = format!("{name} {depth} {aside:?}: {share} {least} {found:?}");
                assert!((least - depth).abs() < 0.35 * depth.abs() + 1e-9, "{known}");
                assert!(share > 0.9, "{known}");
            }
        }
    }
}

/// A prism of this many sides around the z axis, with this radius inside of its faces, and a plate with such a hole.
fn peg_and_plate(sides: u32, [peg, hole]: [f64; 2], [long, thick]: [f64; 2]) -> [Vec<Triangle>; 2] {
    let at = |r: f64, k: u32, z: f64| {
        let angle = TAU * f64::from(k % sides) / f64::from(sides);
        [r * angle.cos(), r * angle.sin(), z]
    };
    let wide = (f64::from(sides).recip() * 0.5 * TAU).cos().recip();
    let (peg, hole, outer) = (peg * wide, hole * wide, 0.8);
    let quad = |all: &mut Vec<Triangle>, [a, b, c, d]: [[f64; 3]; 4]| all.extend([[a, b, c], [a, c, d]]);
    let [mut inner, mut plate] = [vec![], vec![]];
    for (i, j) in (0..sides).map(|i| (i, i + 1)) {
        let ring = [[hole, -thick], [outer, -thick], [outer, thick], [hole, thick]];
        for k in 0..4 {
            let [[r, z], [s, w]] = [ring[k], ring[(k + 1) % 4]];
            quad(&mut plate, [at(r, i, z), at(r, j, z), at(s, j, w), at(s, i, w)]);
        }
        quad(&mut inner, [at(peg, i, -long), at(peg, j, -long), at(peg, j, long), at(peg, i, long)]);
        inner.extend([[[0.0, 0.0, long], at(peg, i, long), at(peg, j, long)]]);
        inner.extend([[[0.0, 0.0, -long], at(peg, j, -long), at(peg, i, -long)]]);
    }
    let outward = |mesh: Vec<Triangle>| {
        let volume: f64 = mesh.iter().map(|[a, b, c]| dot(*a, cross(*b, *c))).sum();
        if volume < 0.0 { mesh.iter().map(|[a, b, c]| [*a, *c, *b]).collect() } else { mesh }
    };
    [outward(inner), outward(plate)]
}

/// A ball that is too large for a socket around most of it: all of the socket bears, and no contact is deeper than the ball.
#[test]
fn all_around_a_ball_its_socket_bears() {
    let (h, r, depth) = (0.005, 0.5, -0.3);
    // From the pole below to `end` degrees from it, in `steps` steps.
    let arc = |r: f64, end: f64, steps: u32| {
        let at = move |i: u32| (end * f64::from(i) / f64::from(steps)).to_radians();
        let is_pole = move |i: u32| i == 0 || i == steps && end == 180.0;
        (0..=steps).map(move |i| [if is_pole(i) { 0.0 } else { r * at(i).sin() }, -r * at(i).cos()])
    };
    for (n, reach) in [(32u32, 130.0), (32, 150.0), (60, 130.0)] {
        let ball: Vec<_> = arc(r, 180.0, n / 2).collect();
        // Turned, so that the facets of both do not fit.
        let ball = soup(&generate::turned(&ball, n).unwrap());
        let steps = f64::from(n) / 360.0 * reach * 1.2;
        let inner = r + 2.0 * h * depth;
        let mut socket = vec![[0.0, -0.9], [0.9, -0.9], [0.9, -inner * f64::to_radians(reach).cos()]];
        socket.extend(arc(inner, reach, steps as u32).collect::<Vec<_>>().into_iter().rev());
        let socket = soup(&generate::turned(&socket, n + 7).unwrap());
        let (ball, socket) = (contact::Body::conservative(&ball, h), contact::Body::conservative(&socket, h));
        let (ball, socket) = (surface(&ball, true), surface(&socket, true));
        for aside in [[0.0; 3], [0.0, 0.0, -0.2], [0.2, 0.1, -0.1]] {
            let pose = Pose { position: scale(2.0 * h, aside), orientation: product(turn(0, 1.1), turn(2, 0.7)) };
            let [a, b] = [placed(Shape::Mesh(&ball), &pose), placed(Shape::Mesh(&socket), &Pose::IDENTITY)];
            let found = grouped(&a, &b, &Grouping::default());
            let force = |c: &Contact| (1.0 - c.gap / c.halo) * c.area;
            let all = found.iter().map(|c| c.wedging * force(c)).sum::<f64>();
            // The area around the ball, and the volume between both surfaces over a quarter of the ball's surface.
            let inside = TAU * r * r * (1.0 - f64::to_radians(reach).cos());
            let bears = all / (inside * (1.0 - depth * inside / (PI * r * r)));
            let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
            let known = format!("{n} {reach} {aside:?}: {bears} {least} {}", found.len());
            assert!(bears > 0.75 && bears < 1.05 && least < -0.15 && least > -1.0, "{known}");
        }
    }
}

/// A peg that is too wide for its hole: all sides bear, though their forces cancel.
#[test]
fn all_around_a_peg_its_hole_bears() {
    let (h, r) = (0.005, 0.2);
    for sides in [3, 4, 6, 16, 24, 48, 96, 200, 500] {
        for depth in [0.5, 0.05, -0.02, -0.1, -0.3] {
            let [peg, plate] = peg_and_plate(sides, [r, r + 2.0 * h * depth], [0.3, 0.2]);
            let half = 0.5 * TAU / f64::from(sides);
            let around = 2.0 * f64::from(sides) * half.tan();
            let surface_of_peg = around * r * (0.6 + r);
            let (peg, plate) = (contact::Body::conservative(&peg, h), contact::Body::conservative(&plate, h));
            let (peg, plate) = (surface(&peg, true), surface(&plate, true));
            for (aside, yaw) in [([0.0, 0.0], 0.0), ([0.05, 0.02], 0.0), ([0.0, 0.0], 1e-3)] {
                let pose = Pose { position: [2.0 * h * aside[0], 2.0 * h * aside[1], 0.0], orientation: turn(2, yaw) };
                let [a, b] = [placed(Shape::Mesh(&peg), &pose), placed(Shape::Mesh(&plate), &Pose::IDENTITY)];
                let found = grouped(&a, &b, &Grouping::default());
                let bears = found.iter().map(|c| c.wedging * (1.0 - c.gap / c.halo) * c.area).sum::<f64>();
                let inside = around * (r + h * depth) * 0.4;
                let pressure = if depth > 0.0 { 1.0 - depth } else { 1.0 - depth * inside / (0.25 * surface_of_peg) };
                let bears = bears / (inside * pressure);
                let known = format!("{sides} {depth} {aside:?} {yaw}: {bears} {found:?}");
                assert!((bears - 1.0).abs() < 0.06, "{known}");
                assert!(found.iter().all(|c| c.status & (status::THIN | status::DOUBTFUL) == 0), "{known}");
                // Moved aside, the peg is deeper at one side. A yaw moves corners by .2 T.
                let least = found.iter().fold(f64::INFINITY, |least, c| least.min(c.least_gap)) / (2.0 * h);
                let slack = 0.06 + if yaw > 0.0 { 0.3 } else { 0.0 };
                assert!(depth > 0.0 || (least < 0.99 * depth && least > depth - slack), "{known} {least}");
            }
        }
    }
}

/// A peg that is too wide for its hole: friction all around holds .9 of its limit, and not 1.1 of it.
#[test]
fn friction_holds_a_peg_in_its_hole() {
    let (h, r, mu, depth, g, mass) = (0.005, 0.2, 0.3, -0.1, 10.0, 50.0);
    for sides in [6, 24] {
        let [peg, plate] = peg_and_plate(sides, [r, r + 2.0 * h * depth], [0.5, 0.2]);
        let around = 2.0 * f64::from(sides) * (0.5 * TAU / f64::from(sides)).tan();
        let inside = around * (r + h * depth) * 0.4;
        let pressure = 1.0 - depth * inside / (0.25 * around * r * (1.0 + r));
        let (peg, plate) = (contact::Body::conservative(&peg, h), contact::Body::conservative(&plate, h));
        let (peg, plate) = (surface(&peg, true), surface(&plate, true));
        let shapes = [Shape::Mesh(&plate), Shape::Mesh(&peg)];
        for load in [0.9, 1.1] {
            let stiffness = mass * g / (load * mu * inside * pressure);
            let table = [Interaction { shear: 50.0, lag: 1e-3, ..Interaction::new(Normal::Pressure, stiffness) }
                .damped(Damping::Dashpot, 0.3)
                .rough(mu, 50.0)];
            let laws = Laws::new(&table).unwrap();
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.set_up(&Setup { gravity: [0.0, 0.0, -g], ..Setup::default() }).unwrap();
            world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
            let position = [0.02 * h, 0.01 * h, 0.0];
            let body = Body { mass, moments: [mass; 3], ..Body::ball(1.0, 1.0, position).unwrap() };
            let handle = world.add(&BodyDef::new(body, 1)).unwrap();
            world.advance(0.1, 5e-5, &shapes, &laws).unwrap();
            let end = world.view().unwrap().body(handle).unwrap();
            let known = format!("{sides} {load}: {:?} {:?}", end.position, end.velocity);
            if load < 1.0 {
                assert!(end.position[2] > -0.05 * h && end.velocity[2].abs() < 1e-3, "{known}");
            } else {
                let slides = (1.0 - 1.0 / load) * g * 0.1;
                assert!((-end.velocity[2] / slides - 1.0).abs() < 0.4, "{known}: {slides}");
            }
        }
    }
}

/// A box and a capsule slide down a groove of one mesh, as fast as what two sides bear.
#[test]
fn boxes_and_capsules_slide_in_grooves_as_on_two_sides() {
    let (mass, mu, slope) = (100.0, 0.3, 0.7f64);
    for degrees in [25.0, 44.0, 46.0] {
        let angle = f64::to_radians(degrees);
        for dt in [4e-4, 2e-4] {
            let cube = contact::Body::conservative(&cuboid([1.0, 0.6, 0.6]), HALO);
            // Turned in space: the groove and gravity with it.
            let about = [0.3, -0.2, 0.5, 0.787_400_787_401_181];
            let mesh: Vec<Triangle> = walls::groove(angle, 3).iter().map(|t| t.map(|v| rotate(about, v))).collect();
            let floor = contact::Body::conservative(&mesh, HALO);
            let (cube, floor) = (surface(&cube, true), surface(&floor, false));
            let own = if degrees < 30.0 { Shape::Mesh(&cube) } else { capsule(0.4, 0.3, HALO) };
            let shapes = [Shape::Mesh(&floor), own];
            let (sine, cosine) = slope.sin_cos();
            let gravity = rotate(about, [10.0 * sine, 0.0, -10.0 * cosine]);
            let table = [Interaction {
                lag: 1e-3,
                ..Interaction::new(Normal::Pressure, 2e6).damped(Damping::Dashpot, 0.5).rough(mu, 0.8)
            }];
            let laws = Laws::new(&table).unwrap();
            // A box stands upright on two edges, a capsule lies along the groove.
            let upright = degrees < 30.0;
            let z = if upright { 0.3 + 0.3 * angle.tan() } else { 0.3 / angle.cos() };
            // Near the gap at which it rests: else it is thrown off.
            let gap = if upright { 1.5 } else { 1.96 };
            let (z, roll) = (z + gap * HALO / angle.cos(), if upright { 0.0 } else { 0.25 * TAU });
            let block = Body {
                mass,
                moments: [mass; 3],
                orientation: product(about, turn(1, roll)),
                ..Body::ball(1.0, 1.0, rotate(about, [-1.5, 0.0, z])).unwrap()
            };
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.set_up(&Setup { gravity, ..Setup::default() }).unwrap();
            world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
            let handle = world.add(&BodyDef::new(block, 1)).unwrap();
            let mut speed = || {
                world.advance(0.2, dt, &shapes, &laws).unwrap();
                dot(world.view().unwrap().body(handle).unwrap().velocity, rotate(about, [1.0, 0.0, 0.0]))
            };
            let (before, after) = (speed(), speed());
            let expected = 0.2 * 10.0 * (sine - mu * cosine / angle.cos());
            let off = (after - before) / expected - 1.0;
            println!("{degrees} {dt}: {off:e}");
            assert!(off.abs() < 0.02, "{degrees} {dt}: {} {expected}", after - before);
        }
    }
}

/// What a groove does to a ball is the same whether it is one contact or one for each side, and nothing jumps where it falls apart or joins.
#[test]
fn a_groove_is_the_same_as_one_contact_and_as_two() {
    let angle_of_grouping = Grouping::default().angle;
    // Sides that lean less belong to one chart.
    for degrees in [20.0, 30.0, 42.0] {
        let angle = f64::to_radians(degrees);
        let sides = contact::Body::conservative(&walls::groove(angle, 3), HALO);
        let sides = surface(&sides, false);
        let shapes = [Shape::Mesh(&sides), sphere(0.2, HALO)];
        for (normal, stiffness) in
            [(Normal::Pressure, 1e6), (Normal::Linear, 1e4), (Normal::Spring, 30.0), (Normal::Hertz, 1e6)]
        {
            // One that slides along it, so heavy that it goes on, and one that comes down without friction.
            for (damped, friction, density, velocity) in [
                (Damping::None, 1e3, 3e9, [0.1, 0.0, 0.0]),
                (Damping::HuntCrossley, 0.0, 3e4, [0.0, 0.0, -0.02]),
                (Damping::Dashpot, 0.0, 3e4, [0.0, 0.0, -0.02]),
            ] {
                let table = [Interaction { torsion: 0.0, lag: 1e-4, ..Interaction::new(normal, stiffness) }
                    .damped(damped, 0.3)
                    .rough(friction, 0.8)];
                let laws = Laws::new(&table).unwrap();
                let ball =
                    Body { velocity, ..Body::ball(0.2, density, [0.1, 0.0, (0.2 + HALO) / angle.cos()]).unwrap() };
                let begin = |fine: bool| {
                    let mut world = OwnedWorld::with_executor(Box::new(Serial));
                    world.settings.grouping.angle = if fine { 0.5 * angle } else { angle_of_grouping };
                    world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0)).unwrap();
                    let handle = world.add(&BodyDef::new(ball, 1)).unwrap();
                    (world, handle)
                };
                let ((mut one, ball), (mut two, _)) = (begin(false), begin(true));
                let step = |world: &mut OwnedWorld, steps: f64| {
                    world.advance(steps * 2e-5, 2e-5, &shapes, &laws).unwrap();
                    let view = world.view().unwrap();
                    let report = world.report().unwrap();
                    let at = ball.slot as usize;
                    let stored = [report.stored_normal, report.stored_tangential];
                    (view.scene().now().contacts().len(), view.wrenches()[at].force, stored)
                };
                let close = |what: &str, x: &([f64; 3], [f64; 2]), y: &([f64; 3], [f64; 2]), off: f64| {
                    for (x, y) in [(x.0[0], y.0[0]), (x.0[2], y.0[2]), (x.1[0], y.1[0]), (x.1[1], y.1[1])] {
                        assert!((x - y).abs() <= off * y.abs(), "{what} {degrees} {normal:?} {damped:?}: {x} {y}");
                    }
                };
                let (first, second) = (step(&mut one, 100.0), step(&mut two, 100.0));
                assert_eq!((first.0, second.0), (1, 2), "{degrees}");
                assert!(first.1[2] > 0.0 && (friction == 0.0 || first.1[0] < -0.01 * first.1[2]), "{first:?}");
                close("together", &(first.1, first.2), &(second.1, second.2), 1e-6);
                // A step later, in which little has moved.
                one.settings.grouping.angle = 0.5 * angle;
                two.settings.grouping.angle = angle_of_grouping;
                let (apart, joined) = (step(&mut one, 1.0), step(&mut two, 1.0));
                assert_eq!((apart.0, joined.0), (2, 1), "{degrees}");
                close("apart", &(apart.1, apart.2), &(first.1, first.2), 0.03);
                close("apart and joined", &(apart.1, apart.2), &(joined.1, joined.2), 1e-6);
            }
        }
    }
}
