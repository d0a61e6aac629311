//! Penetration against closed forms and an independent oracle.

use dem_core::contact::{Contact, Room, contacts, contacts_scratch};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::contact::{Body, HALO, all_contacts, at, carried, cuboid, ell, soup, wrench_of};
use dem_tests::convex::{Common, below, common};
use dem_tests::deep::{ball, deep, find, moved, sized, turn};
use dem_tests::random::Random;
use dem_tests::scene::posed;
use dem_tests::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_tests::walls::{self, quartered};
use dem_tests::{Triangle, cases, data};

fn triangle_normal([a, b, c]: &Triangle) -> [f64; 3] {
    let n = cross(sub(*b, *a), sub(*c, *a));
    scale(1.0 / length(n), n)
}

/// So thin that the gap measure adds nothing to speak of.
const THIN: f64 = 1e-9;

/// T of the other bodies.
const REACH: f64 = 2.0 * HALO;

#[test]
fn convex_bodies_have_the_normal_volume_and_centre_of_what_they_have_in_common() {
    let mut random = Random::new(9);
    let mut seen = [0; 2];
    for seed in 0..200 {
        let a = cuboid([1.0, 0.8, 1.3]);
        let b = if seed % 2 == 0 { cuboid([0.7, 1.1, 0.6]) } else { soup(&generate::hull_sphere(30, seed).unwrap()) };
        let (pose_a, pose_b) = (at(random.in_cube(0.5), random.rotation()), at(random.in_cube(0.8), random.rotation()));
        let right: Common = common(&posed(&a, &pose_a), &posed(&b, &pose_b));
        if right.volume < 1e-6 {
            continue;
        }
        let area = length(right.area);
        let (soup_a, soup_b) = (a, b);
        let (a, b) = (Body::facing(&soup_a, THIN), Body::facing(&soup_b, THIN));
        let (list, _) = all_contacts(Isa::best(), &a.side(&pose_a), &b.side(&pose_b));
        // By the law of volumes the sum is that of all area vectors, by a factor of the volume.
        let surface =
            |soup: &[Triangle]| soup.iter().map(|[a, b, c]| 0.5 * length(cross(sub(*b, *a), sub(*c, *a)))).sum::<f64>();
        let factor = 1.0 + right.volume / (2.0 * THIN * 0.25 * surface(&soup_a).min(surface(&soup_b)));
        let [x, y] = [&soup_a, &soup_b].map(|soup| Body::conservative(soup, THIN));
        let force = wrench_of(&x, &pose_a, &y, &pose_b, [0.0; 3]).force;
        assert!(length(add(force, scale(factor, right.area))) < 1e-5 * factor, "{seed}: {force:?} {factor} {right:?}");
        let deep = deep(&list);
        // Nearly all of the force is that of the volume, and each loop has its part of it.
        let force: f64 = deep.iter().map(|c| c.area * (1.0 - c.gap / c.halo)).sum();
        let volume = (force - area) * 2.0 * THIN;
        assert!((volume / right.volume - 1.0).abs() < 1e-5, "{seed}: {volume} {right:?}");
        seen[usize::from(deep.len() > 1)] += 1;
        if let [c] = deep[..] {
            let normal = scale(-1.0 / area, right.area);
            assert!(length(sub(c.normal, normal)) < 1e-6, "{seed}: {c:?} {normal:?}");
            assert!(length(sub(c.position, right.centre)) < 1e-6, "{seed}: {c:?} {right:?}");
            // The width across the patch that faces the other body, if any does, and no more than along the normal.
            let width = |n: [f64; 3]| {
                let along = right.points.iter().map(|v| dot(*v, n));
                let [low, high] = along.fold([f64::MAX, f64::MIN], |[low, high], x| [x.min(low), x.max(high)]);
                high - low
            };
            let faces = |soup: &[Triangle], pose: &Pose| posed(soup, pose).into_iter().map(|t| triangle_normal(&t));
            let all = faces(&soup_a, &pose_a).chain(faces(&soup_b, &pose_b));
            let narrowest = all.map(width).fold(width(normal), f64::min);
            let depth = -c.least_gap;
            assert!(depth < width(normal) + 1e-9 && depth > narrowest - 1e-9, "{seed}: {c:?} {narrowest}");
            let depth = (right.volume / area).min(depth);
            assert!((c.gap + depth).abs() < 1e-6 * depth + 1e-9, "{seed}: {c:?} {depth}");
        }
    }
    assert!(seen[0] > 100 && seen[1] > 20, "{seen:?}");
}

#[test]
fn a_box_sinks_into_a_wall_without_a_jump_whatever_its_tilt() {
    // At -2 T; by the law of volumes with a quarter of its surface, and half of what the wall's face has in the halo of its sides.
    let rim = 0.5 * (3.2 * 0.5 * REACH + std::f64::consts::PI * REACH * REACH / 3.0);
    sinks(Body::facing, 0.6 * 3.0, 2e-3, 13.0);
    sinks(Body::conservative, 0.6 * (1.0 + 0.6 * 2.0 / 0.7) + rim, 5e-3, 15.0);
}

fn sinks(make: fn(&[Triangle], f64) -> Body, most: f64, off: f64, stiffness: f64) {
    let boxed = make(&cuboid([1.0, 0.6, 0.5]), HALO);
    let mut random = Random::new(2);
    for other in [walls::regular(1, 2.0), walls::irregular(500, 2.0, 3), cuboid([3.0, 3.0, 1.0])] {
        let top = other.iter().flatten().fold(f64::MIN, |m, v| m.max(v[2]));
        let wall = make(&other, HALO);
        let world = at(random.in_cube(3.0), random.rotation());
        let pose_wall = carried(&world, &Pose::IDENTITY);
        for tilt in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2] {
            let with = |gap: f64| {
                let pose = carried(&world, &at([0.1, 0.05, top + 0.25 + gap], turn([0.6, -0.8, 0.0], tilt)));
                wrench_of(&boxed, &pose, &wall, &pose_wall, pose.position)
            };
            // Roundings of coordinates shift the line in which planes cross by so much, and a loop with it.
            let noise = 1e-11 + if tilt < 1e-10 { 0.0 } else { 4e-15 / tilt };
            let (mut before, mut last) = (with(1.1 * REACH), 1.1 * REACH);
            let steps = (-40..22).map(|k| k as f64 * 0.05 * REACH);
            let fine = [1e-8, 1e-10, 1e-13, 1e-14, 1e-15, 0.0];
            let mut gaps: Vec<f64> = steps.chain(fine.iter().flat_map(|x| [*x, -*x])).collect();
            gaps.sort_by(|x, y| y.total_cmp(x));
            for gap in gaps {
                let now = with(gap);
                let change = now.minus(&before);
                let rate = (length(change.force).max(length(change.torque)) - noise) / (last - gap).max(1e-300);
                // That of its base is 12, and there is a rim.
                assert!(rate < stiffness, "tilt {tilt:e}, gap {gap:e} from {last:e}: {change:?}");
                // It never pushes less.
                assert!(length(now.force) > length(before.force) - noise, "tilt {tilt:e} gap {gap:e}");
                (before, last) = (now, gap);
            }
            // At -2 T.
            assert!((length(before.force) - most).abs() < off, "{before:?} {most}");
        }
    }
}

const NONE: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

#[test]
fn caps_and_lenses_have_their_depths() {
    let pi = std::f64::consts::PI;
    let (fine, wall) = (Body::facing(&ball(4), THIN), Body::facing(&cuboid([4.0, 4.0, 2.0]), THIN));
    let (h, pose) = (0.3, at([0.2, 0.1, 1.7], turn([0.6, 0.8, 0.0], 1.0)));
    let (list, _) = find(&fine, &pose, &wall, &Pose::IDENTITY, false);
    let [c] = deep(&list)[..] else { panic!("{list:?}") };
    let (area, volume) = (pi * h * (2.0 - h), pi * h * h * (3.0 - h) / 3.0);
    assert!((c.area / area - 1.0).abs() < 0.01 && (c.gap / -(volume / area) - 1.0).abs() < 0.01, "{c:?}");
    assert!((c.least_gap + h).abs() < 0.003 && c.normal[2] > 1.0 - 1e-9, "{c:?}");
    let world = at([0.5, -0.3, 2.0], turn([0.0, 0.6, 0.8], 0.7));
    let (pose_a, pose_b) = (carried(&world, &at([1.6, 0.0, 0.0], NONE)), carried(&world, &Pose::IDENTITY));
    let (list, _) = find(&fine, &pose_a, &fine, &pose_b, false);
    let [c] = deep(&list)[..] else { panic!("{list:?}") };
    let (area, volume) = (pi * 0.36, 2.0 * pi * 0.04 * 2.8 / 3.0);
    assert!((c.area / area - 1.0).abs() < 0.01 && (c.gap / -(volume / area) - 1.0).abs() < 0.01, "{c:?}");
    assert!(length(sub(c.normal, rotate(world.orientation, [1.0, 0.0, 0.0]))) < 1e-9, "{c:?}");
}

/// A ring about z, with radii 1 and 0.4.
fn torus() -> Vec<Triangle> {
    let (m, n) = (40, 24);
    let at = |i: usize, j: usize| {
        let [u, v] = [(i % m) as f64 / m as f64, (j % n) as f64 / n as f64].map(|x| x * std::f64::consts::TAU);
        let r = 1.0 + 0.4 * v.cos();
        [r * u.cos(), r * u.sin(), 0.4 * v.sin()]
    };
    let square = |i, j| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..m * n).flat_map(|k| square(k / n, k % n)).collect()
}

/// Side by side, pressed in along the line of their centres, anywhere: one contact, whose normal and depth are known.
#[test]
fn rings_that_are_pressed_into_each_other_have_their_depth() {
    let ring = Body::new(&torus(), THIN);
    let mut random = Random::new(14);
    for depth in [1e-6, 1e-3, 0.02, 0.1, 0.3] {
        for tilt in [0.0, 0.4, 1.1] {
            let world = at(random.in_cube(2.0), random.rotation());
            // About the line of centres, which keeps the points that are deepest.
            let other = at([2.8 - depth, 0.0, 0.0], turn([1.0, 0.0, 0.0], tilt));
            let list = find(&ring, &world, &ring, &carried(&world, &other), true).0;
            let [c] = deep(&list)[..] else { panic!("{depth} {tilt}: {list:?}") };
            let along = rotate(world.orientation, [-1.0, 0.0, 0.0]);
            assert!(length(sub(c.normal, along)) < 1e-6, "{depth} {tilt}: {c:?} {along:?}");
            assert!((c.least_gap + depth).abs() < 1e-9, "{depth} {tilt}: {c:?}");
            let middle = carried(&world, &at([1.4 - 0.5 * depth, 0.0, 0.0], NONE)).position;
            // Facets are cut along one diagonal: about a corner they are not quite the same on both sides.
            assert!(length(sub(c.position, middle)) < 0.1 * c.area.sqrt(), "{depth} {tilt}: {c:?} {middle:?}");
        }
    }
}

/// Any closed body in a wall: all loops lie in one plane, so the force tells the sum of volumes and areas, however many there are.
#[test]
fn bodies_of_any_shape_have_the_volume_and_area_that_are_below_a_wall() {
    let rock = soup(&generate::bumpy(generate::icosphere(3).unwrap(), 2.0, 5).unwrap());
    let bunny = sized(&data::mesh("scenes/bunny.stl"), 10.0);
    let mut random = Random::new(4);
    let mut loops = 0;
    for (name, mesh) in [("torus", torus()), ("rock", rock), ("bunny", bunny)] {
        let low = mesh.iter().flatten().fold(f64::MAX, |m, v| m.min(v[2]));
        let high = mesh.iter().flatten().fold(f64::MIN, |m, v| m.max(v[2]));
        for (step, tilt) in [(0.02, 0.0), (0.1, 0.1), (0.3, 0.0), (0.5, 1.5), (0.7, 0.4), (0.9, 2.0)] {
            let size = high - low;
            let pose = at([0.1 * size, 0.0, -low - step * size], turn([0.6, 0.8, 0.0], tilt));
            let [volume, area] = below(&posed(&mesh, &pose));
            if volume == 0.0 {
                continue;
            }
            for halo in [THIN, 0.1 * size] {
                let world = at(random.in_cube(size), random.rotation());
                let body = Body::facing(&mesh, halo);
                let wall = Body::facing(
                    &moved(&cuboid([10.0 * size, 10.0 * size, 9.0 * size]), [0.0, 0.0, -4.5 * size]),
                    halo,
                );
                let list = find(&body, &carried(&world, &pose), &wall, &world, false).0;
                let up = rotate(world.orientation, [0.0, 0.0, 1.0]);
                let force = |c: &Contact| (1.0 - c.gap / c.halo) * c.area * dot(c.normal, up);
                let all = list.iter().map(force).sum::<f64>();
                let right = area + volume / (2.0 * halo);
                loops += deep(&list).len();
                if halo == THIN {
                    // Each loop is pushed straight out, and the deepest part is as deep as the lowest corner.
                    let lowest = posed(&mesh, &pose).iter().flatten().fold(f64::MAX, |m, v| m.min(v[2]));
                    let deepest = deep(&list).iter().fold(f64::MAX, |m, c| m.min(c.least_gap));
                    assert!((deepest - lowest).abs() < 1e-9 * size, "{name} {step}: {deepest} {lowest}");
                    let leans = deep(&list).iter().fold(0.0, |m: f64, c| m.max(length(sub(c.normal, up))));
                    assert!(leans < 1e-6, "{name} {step}: {leans}");
                    assert!((all / right - 1.0).abs() < 1e-6, "{name} {step}: {all} {right}");
                } else {
                    // What is above the wall is pushed, too.
                    assert!(
                        all > right * (1.0 - 1e-9) && all < right + 8.0 * size * size,
                        "{name} {step}: {all} {right}"
                    );
                }
            }
        }
    }
    assert!(loops > 40, "{loops}");
}

#[test]
fn a_rod_that_comes_out_of_the_other_side_of_a_plate_is_pushed_back_from_both() {
    let (rod, plate) = (Body::new(&cuboid([0.2, 0.2, 2.0]), HALO), Body::new(&cuboid([2.0, 2.0, 0.1]), HALO));
    let q = turn([0.6, 0.8, 0.0], 0.3);
    let with = |z: f64| find(&rod, &at(rotate(q, [0.0, 0.0, z]), q), &plate, &Pose::IDENTITY, false);
    let mut before = with(1.1).1;
    for k in 0..200 {
        let now = with(1.1 - 0.001 * k as f64).1;
        assert!(length(now.minus(&before).force) < 0.01, "{k}: {now:?} {before:?}");
        before = now;
    }
    let (list, sum) = with(0.3);
    let [x, y] = deep(&list)[..] else { panic!("{list:?}") };
    assert!(length(sum.force) < 1e-12 && length(add(x.normal, y.normal)) < 1e-9, "{list:?}");
    assert!(x.normal[2].abs() > 0.99 && (x.area / 0.04 - 1.0).abs() < 0.15 && x.least_gap > -0.11, "{x:?}");
}

#[test]
fn both_legs_of_a_tilted_table_have_their_own_depth() {
    let table = Body::new(&cuboid([1.0; 3]), HALO);
    let leg = |x: f64| moved(&cuboid([0.1, 0.1, 1.0]), [x, 0.05, -0.5]);
    let legs = Body::new(&[leg(-0.4), leg(0.4)].concat(), HALO);
    let pose = at([0.0, 0.0, 0.49], turn([0.0, 1.0, 0.0], 0.01));
    let list = find(&table, &pose, &legs, &Pose::IDENTITY, false).0;
    let [x, y] = deep(&list)[..] else { panic!("{list:?}") };
    assert!((x.gap + 0.006).abs() < 1e-4 && (y.gap + 0.014).abs() < 1e-4, "{list:?}");
    assert!((x.position[0] + 0.4).abs() < 1e-3 && (y.position[0] - 0.4).abs() < 1e-3, "{list:?}");
}

#[test]
fn bodies_without_halos_have_contacts_where_they_penetrate() {
    let (a, b) = (Body::new(&cuboid([1.0, 0.6, 0.5]), 0.0), Body::new(&cuboid([3.0, 3.0, 1.0]), 0.0));
    let pose = at([0.1, 0.05, 0.65], turn([0.0, 0.0, 1.0], 0.4));
    let list = find(&a, &pose, &b, &Pose::IDENTITY, true).0;
    let [c] = list[..] else { panic!("{list:?}") };
    assert!((c.area - 0.6).abs() < 1e-9 && (c.gap + 0.1).abs() < 1e-9 && c.share == 1.0 && c.halo == 0.0, "{c:?}");
    assert!(length(sub(c.position, [0.1, 0.05, 0.5])) < 1e-9 && length(c.moment) < 1e-9, "{c:?}");
    let inside = find(&a, &at([0.1, 0.0, 0.1], NONE), &b, &Pose::IDENTITY, true).0;
    let [c] = inside[..] else { panic!("{inside:?}") };
    assert!(c.gap == c.least_gap && (c.gap + 0.65).abs() < 1e-9 && c.normal[2] > 1.0 - 1e-9, "{c:?}");
}

#[test]
fn too_few_segments_are_an_error_with_the_exact_number() {
    let unit = Body::new(&cuboid([1.0; 3]), HALO);
    let pose = at([0.1, 0.2, 0.9], turn([0.6, 0.8, 0.0], 0.1));
    let (a, b) = (unit.side(&pose), unit.side(&Pose::IDENTITY));
    let run = |segments: usize| {
        let room = Room { pairs: 200, terms: 2_000, segments };
        let mut scratch = Memory::new(contacts_scratch(&a, &b, room, 1).unwrap()).unwrap();
        contacts(Work::new(&Serial, Isa::best(), &mut scratch), &a, &b, 0, room, &mut [Contact::default(); 50])
    };
    let Err(e) = run(0) else { panic!("no room is enough") };
    assert_eq!((e.kind, e.what), (Kind::Capacity, What::Segments));
    assert_eq!(run(e.needed as usize - 1), Err(Error { given: e.needed - 1, ..e }));
    assert!(run(e.needed as usize).unwrap().crossing >= e.needed as usize);
}

/// What is above and below a counter-clockwise outline in the plane z = 0, down and up to a half; `cap` are the triangles of the outline.
fn extruded(outline: &[[f64; 2]], cap: &[[usize; 3]]) -> Vec<Triangle> {
    let n = outline.len();
    let at = |i: usize, z: f64| [outline[i % n][0], outline[i % n][1], z];
    let caps = cap
        .iter()
        .flat_map(|[i, j, k]| [[at(*i, 0.5), at(*j, 0.5), at(*k, 0.5)], [at(*k, -0.5), at(*j, -0.5), at(*i, -0.5)]]);
    let side = |i: usize| [[at(i, -0.5), at(i + 1, -0.5), at(i + 1, 0.5)], [at(i, -0.5), at(i + 1, 0.5), at(i, 0.5)]];
    caps.chain((0..n).flat_map(side)).collect()
}

/// Depths follow from surfaces, and not from the triangles of flat faces: also where both legs of a body are in one triangle.
#[test]
fn depths_do_not_depend_on_the_triangles_of_flat_faces() {
    let bridge = extruded(
        &[[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [1.5, 0.5], [1.5, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]],
        &[[0, 1, 2], [0, 2, 7], [2, 3, 6], [2, 6, 7], [3, 4, 5], [3, 5, 6]],
    );
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let wedge: Vec<Triangle> =
        [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map(|t: [usize; 3]| t.map(|i| corners[i])).to_vec();
    let legged = [sized(&ell(), 0.5), sized(&moved(&bridge, [-1.0, -0.5, 0.0]), 0.5)];
    let others = [sized(&wedge, 0.5), cuboid([1.5, 0.5, 0.5]), sized(&ell(), 0.5), cuboid([1.0; 3])];
    let cuts = |mesh: &[Triangle]| {
        let turned = |by: usize| mesh.iter().map(|t| [0, 1, 2].map(|k| t[(k + by) % 3])).collect::<Vec<_>>();
        let four = quartered(mesh);
        [mesh.to_vec(), turned(1), turned(2), four.clone(), quartered(&four)]
            .map(|mesh| Body::conservative(&mesh, HALO))
    };
    let (mut random, mut number, mut off) = (Random::new(5), 0, 0);
    for leg in &legged {
        for other in &others {
            let [x, y] = [leg, other].map(|mesh| cuts(mesh));
            for _ in 0..cases(130, 400) {
                let pose = at(scale(random.range(0.2, 1.0), random.direction()), random.rotation());
                let of = |i: usize, j: usize| {
                    let (list, sum) = find(&x[i], &Pose::IDENTITY, &y[j], &pose, true);
                    let least = deep(&list).iter().fold(0.0, |least, c| f64::min(least, c.least_gap));
                    (least, sum)
                };
                let (least, sum) = of(0, 0);
                if least == 0.0 {
                    continue;
                }
                number += 1;
                for (i, j) in [(1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (0, 2), (0, 3), (0, 4)] {
                    let (depth, other) = of(i, j);
                    let [force, _] = other.minus(&sum).size();
                    assert!(force <= 1e-9 * sum.size()[0], "{force}");
                    if (depth - least).abs() > 1e-7 {
                        off += 1;
                        println!("triangles {i} and {j}, {pose:?}: {depth}, not {least}");
                    }
                }
            }
        }
    }
    assert!(number > cases(325, 1000) && off == 0, "{number} poses, {off} other depths");
}
