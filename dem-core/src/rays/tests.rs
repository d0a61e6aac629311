//! Tests of casts against all triangles one by one, closed forms, and rays through every edge and corner.

extern crate std;

use std::vec;
use std::vec::Vec;

use super::triangle::Sheared;
use super::*;
use crate::array::{Array, Scalar, Words};
use crate::contact::shape::{Part, Placed, Shape};
use crate::detect::Bodies;
use crate::exec::{Executor, Serial};
use crate::mesh::Halo;
use crate::narrow::Operand;
use crate::narrow::tests::{Body, bumpy, memory, pose};
use crate::pose::Pose;
use crate::surrogate::Options;
use crate::triangle::tests::Random;
use crate::vector::{cross, dot, safe_length, sub};

type Point = [f64; 3];

fn anywhere(random: &mut Random, size: f64) -> Point {
    [0; 3].map(|_| size * (2.0 * random.next() - 1.0))
}

/// A closed surface: coordinates of common corners are equal, except for the signs of zeros.
fn closed(random: &mut Random, n: usize) -> Vec<Point> {
    let mut corners = bumpy(random, n, 1.0, false);
    corners.iter_mut().for_each(|v| *v = v.map(|x| x + 0.0));
    for t in corners.chunks_mut(3) {
        if dot(t[0], cross(t[1], t[2])) < 0.0 {
            t.swap(1, 2);
        }
    }
    corners
}

/// All hits of a mesh, by a test of all triangles.
fn brute(body: &Body, pose: &Pose, ray: &Ray) -> Vec<(f64, u32, u32)> {
    let turn = pose.transform(What::Pose).expect("pose");
    let turn = crate::pose::Transform { translation: sub(turn.translation, ray.origin), ..turn };
    let by = largest(ray.direction).inverse_exponent();
    let extent = safe_length(body.mesh.centre()) + body.mesh.radius();
    let sheared = Sheared::new(turn.apply_back([0.0; 3]), turn.rotate_back(scale(ray.direction, by)), extent);
    let mut all: Vec<_> = (0..body.mesh.len())
        .filter_map(|i| sheared.meet(&body.mesh.triangle(i)).map(|met| (met.along * by, i as u32, !met.outside as u32)))
        .filter(|(t, ..)| *t <= ray.most)
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    all
}

/// Clear hits by the textbook formula (Moeller and Trumbore 1997), in world coordinates.
fn clear(body: &Body, pose: &Pose, ray: &Ray) -> Vec<(f64, u32)> {
    let turn = pose.transform(What::Pose).expect("pose");
    let of = |i: usize| {
        let [a, b, c] = body.mesh.triangle(i).map(|v| turn.apply(v));
        let (e, f, s) = (sub(b, a), sub(c, a), sub(ray.origin, a));
        let p = cross(ray.direction, f);
        let by = 1.0 / dot(p, e);
        let (u, v) = (by * dot(p, s), by * dot(cross(s, e), ray.direction));
        let t = by * dot(cross(s, e), f);
        let upright = Real::abs(dot(p, e)) > 1e-3 * safe_length(ray.direction) * safe_length(e) * safe_length(f);
        let sure = upright && u > 1e-6 && v > 1e-6 && u + v < 1.0 - 1e-6 && t > 1e-6 && t < 0.999 * ray.most;
        sure.then_some((t, i as u32))
    };
    (0..body.mesh.len()).filter_map(of).collect()
}

#[test]
fn hits_are_those_of_all_triangles_one_by_one() {
    let mut random = Random(71);
    let (mut met, mut sure) = (0, 0);
    for case in 0..12 {
        let (n, size) = ([1, 3, 8, 20][case % 4], [1.0, 1e-6, 1e5][case % 3]);
        let corners = bumpy(&mut random, n, size, case % 2 == 0);
        let each: Vec<Point> = (0..corners.len() / 3).map(|i| [size * 0.2 * (i % 3) as f64, 0.0, 0.0]).collect();
        let halo = [Halo::Uniform(0.0), Halo::Uniform(0.5 * size), Halo::Each(Array::from_f64(&each))][case % 3];
        let body = Body::new(&corners, halo, if case % 5 == 0 { Scalar::F32 } else { Scalar::F64 });
        let pose = pose(&mut random, [[0.0; 3], [1e3 * size, -size, 0.1 * size]][case / 3 % 2]);
        let operand = body.at(&pose);
        for i in 0..400 {
            let away = [0.5, 3.0, 1e4][i % 3] * size;
            let origin = [0, 1, 2].map(|k| pose.position[k] + away * (random.next() - 0.5));
            let aim = anywhere(&mut random, size);
            let mut direction = [0, 1, 2].map(|k| pose.position[k] + aim[k] - origin[k]);
            if i % 7 == 0 {
                direction = [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1e-9]][i / 7 % 3];
            }
            let ray = Ray {
                most: if i % 2 == 0 { f64::INFINITY } else { random.next() * 2.0 },
                ..Ray::new(origin, direction)
            };
            let want = brute(&body, &pose, &ray);
            let mut out = vec![Hit::NOTHING; want.len()];
            assert_eq!(cast_mesh_all(&operand, &ray, &mut out), Ok(want.len()), "{case} {i}");
            let got: Vec<_> = out.iter().map(|hit| (hit.t, hit.triangle, hit.side)).collect();
            assert_eq!(got, want, "{case} {i}");
            assert_eq!(cast_mesh(&operand, &ray), Ok(out.first().copied()), "{case} {i}");
            for (t, triangle) in clear(&body, &pose, &ray) {
                let near = |hit: &&Hit| hit.triangle == triangle && (hit.t - t).abs() < 1e-6 * t + 1e-9;
                assert!(out.iter().any(|hit| near(&hit)), "{case} {i} {t} {triangle}");
                sure += 1;
            }
            met += want.len();
            if let Some((first, short)) = want.len().checked_sub(1).map(|short| (out[0], short)) {
                let full = Error::capacity(What::Output, want.len() as u64, short as u64);
                assert_eq!(cast_mesh_all(&operand, &ray, &mut out[..short]), Err(full));
                let (towards, normal) = (dot(first.normal, direction), first.normal);
                let sure = Real::abs(towards) > 1e-9 * safe_length(direction);
                assert!(!sure || (towards < 0.0) == (first.side == 0), "{first:?}");
                assert!(normal == [0.0; 3] || (safe_length(normal) - 1.0).abs() < 1e-12, "{first:?}");
            }
        }
    }
    assert!(met > 2000 && sure > 1000, "{met} {sure}");
}

/// Hits do not depend on the tree: its fan-out, its leaves, its depth (as for a spiral whose triangles shrink to a millionth), or on the scale.
#[test]
fn no_tree_changes_a_hit() {
    let mut random = Random(75);
    let spiral: Vec<Point> = (0..3000)
        .flat_map(|i| {
            let (size, angle) = (0.9953_f64.powi(i), 0.37 * f64::from(i));
            let at = |turn: f64, up: f64| [size * (angle + turn).cos(), size * (angle + turn).sin(), up * size];
            [at(0.0, 0.0), at(0.3, 0.1), at(0.1, 0.5)]
        })
        .collect();
    let mut met = 0;
    for (k, corners) in [spiral, bumpy(&mut random, 12, 1.0, true)].iter().enumerate() {
        for (fan_out, leaf) in [(2, 1), (2, 64), (3, 1), (5, 2), (17, 1), (64, 1), (64, 64)] {
            let options = Options { fan_out, leaf, ..Options::default() };
            let body = Body::with_tree(corners, Halo::Uniform(0.01), Scalar::F64, &options);
            let pose = pose(&mut random, [3.0, -2.0, 0.5]);
            let operand = body.at(&pose);
            for i in 0..200 {
                let aim = [0, 1, 2].map(|k| pose.position[k] + [1.0, 1e-3][i % 2] * (random.next() - 0.5));
                let origin = [0, 1, 2].map(|k| pose.position[k] + 4.0 * (random.next() - 0.5));
                let ray = Ray::new(origin, sub(aim, origin));
                let want = brute(&body, &pose, &ray);
                let mut out = vec![Hit::NOTHING; want.len()];
                assert_eq!(cast_mesh_all(&operand, &ray, &mut out), Ok(want.len()), "{k} {fan_out} {leaf} {i}");
                let got: Vec<_> = out.iter().map(|hit| (hit.t, hit.triangle, hit.side)).collect();
                assert_eq!(got, want, "{k} {fan_out} {leaf} {i}");
                assert_eq!(cast_mesh(&operand, &ray), Ok(out.first().copied()));
                // The same scene four times as large, and as far away.
                let four = Ray {
                    origin: [0, 1, 2].map(|k| pose.position[k] + 4.0 * (origin[k] - pose.position[k])),
                    direction: scale(ray.direction, 4.0),
                    ..ray
                };
                let large = cast_mesh(&Operand { scale: 4.0, ..operand }, &four).expect("hit");
                assert_eq!(large.map(|hit| hit.triangle), got.first().map(|hit| hit.1));
                assert!(large.is_none_or(|hit| (hit.t - got[0].0).abs() < 1e-12), "{large:?} {got:?}");
                met += want.len();
            }
        }
    }
    assert!(met > 5000, "{met}");
}

/// From a point inside, a ray leaves a closed surface once more often than it enters it; from outside, equally often, whatever its direction.
#[test]
fn no_ray_slips_through_an_edge_or_a_corner() {
    let mut random = Random(72);
    let (mut through, mut out) = (0, [Hit::NOTHING; 64]);
    for case in 0..12 {
        let corners = closed(&mut random, [1, 2, 4, 8][case % 4]);
        let body = Body::new(&corners, Halo::Uniform(0.0), Scalar::F64);
        let pose = Pose::IDENTITY;
        let operand = body.at(&pose);
        for i in 0..84_000 {
            let t = 3 * ((random.next() * (corners.len() / 3) as f64) as usize);
            let (a, b) = (corners[t + i % 3], corners[t + (i + 1) % 3]);
            let s = [0.0, 0.5, random.next()][i / 3 % 3];
            let aim = [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]));
            let (origin, inside) = match i % 4 {
                0 => ([0.0; 3], true),
                1 => (anywhere(&mut random, 0.2), true),
                2 => (anywhere(&mut random, 1.0).map(|x| x + if x > 0.0 { 2.0 } else { -2.0 }), false),
                // Along an axis, directly at the target.
                _ => ([aim[0], aim[1], -4.0], false),
            };
            let direction = if i % 4 == 3 { [0.0, 0.0, 1.0] } else { sub(aim, origin) };
            let count = cast_mesh_all(&operand, &Ray::new(origin, direction), &mut out).expect("hits");
            let sum: i32 = out[..count].iter().map(|hit| if hit.side == 1 { 1 } else { -1 }).sum();
            assert_eq!(sum, i32::from(inside), "{case} {i} {origin:?} {direction:?} {:?}", &out[..count]);
            assert!(!inside || count > 0);
            through += count;
        }
    }
    assert!(through > 1_000_000, "{through}");
}

#[test]
fn every_ray_through_the_diagonals_of_a_box_meets_it_twice() {
    let at = |i: usize| [0, 1, 2].map(|k| f64::from((i >> k & 1) as u32));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let corners: Vec<Point> = quads.iter().flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]]).map(at).collect();
    let (body, mut out) = (Body::new(&corners, Halo::Uniform(0.1), Scalar::F32), [Hit::NOTHING; 12]);
    let operand = body.at(&Pose::IDENTITY);
    for i in 1..100 {
        let x = f64::from(i) / 100.0;
        for (origin, direction) in [([x, x, 3.0], [0.0, 0.0, -2.0]), ([3.0, x, x], [-1.0, 0.0, 0.0])] {
            assert_eq!(cast_mesh_all(&operand, &Ray::new(origin, direction), &mut out), Ok(2));
            assert_eq!((out[0].side, out[1].side), (0, 1));
            assert_eq!(out[0].t, 2.0 / safe_length(direction));
            assert_eq!(out[0].normal, direction.map(|x| -x / safe_length(direction) + 0.0));
        }
    }
    // Rays that begin on the surface, that end on it, and that end before it.
    let up = Ray::new([0.25, 0.5, 1.0], [0.0, 0.0, 1.0]);
    assert_eq!(cast_mesh(&operand, &up).map(|hit| hit.map(|hit| hit.t)), Ok(Some(0.0)));
    let below = Ray { origin: [0.25, 0.5, -1.0], ..up };
    assert!(cast_mesh(&operand, &Ray { most: 1.0, ..below }).is_ok_and(|hit| hit.is_some()));
    assert_eq!(cast_mesh(&operand, &Ray { most: 0.999, ..below }), Ok(None));
}

#[test]
fn spheres_half_spaces_and_compounds_are_met_where_closed_forms_say() {
    let mut random = Random(73);
    let (mut met, mut out) = (0, [Hit::NOTHING; 8]);
    for case in 0..2000 {
        let far = [1.0, 1e6][case % 2];
        let body = pose(&mut random, [far; 3]);
        let parts = [
            Part {
                shape: Shape::Sphere { radius: 1.0, halo: 0.3 },
                pose: Pose { position: [0.5, 0.0, 0.0], ..Pose::IDENTITY },
                scale: 0.5,
            },
            Part { shape: Shape::HalfSpace { halo: 0.3 }, pose: pose(&mut random, [0.0, 0.25, -0.5]), scale: 1.0 },
            Part { shape: Shape::Sphere { radius: 0.75, halo: 0.0 }, pose: Pose::IDENTITY, scale: 1.0 },
        ];
        let placed = Placed { shape: Shape::Compound(&parts), pose: &body, scale: 2.0 };
        let origin = [0, 1, 2].map(|k| body.position[k] + 6.0 * (random.next() - 0.5));
        let direction = anywhere(&mut random, [1e-3, 1.0, 1e40][case % 3]);
        let ray = Ray::new(origin, direction);
        let count = cast_all(&placed, &ray, &mut out).expect("hits");
        assert_eq!(cast(&placed, &ray), Ok(out[..count].first().copied()));
        assert!(out[..count].is_sorted_by(|a, b| a.t <= b.t));
        let turn = body.transform(What::Pose).expect("pose");
        let mut want = 0;
        for (number, part) in parts.iter().enumerate() {
            let centre = turn.apply(part.pose.position.map(|x| 2.0 * x));
            let own = || out[..count].iter().filter(|hit| hit.part == number as u32);
            if let Shape::Sphere { radius, .. } = part.shape {
                let radius = radius * part.scale * 2.0;
                let unit = direction.map(|x| x / safe_length(direction));
                let to = sub(centre, origin);
                let off = safe_length(sub(to, scale(unit, dot(to, unit))));
                if (off - radius).abs() < 1e-9 * far || (safe_length(to) - radius).abs() < 1e-9 * far {
                    want += own().count();
                    continue;
                }
                let inside = safe_length(to) < radius;
                let expected = if inside {
                    1
                } else if off < radius && dot(to, unit) > 0.0 {
                    2
                } else {
                    0
                };
                assert_eq!(own().count(), expected, "{case} {number}");
                want += expected;
                for hit in own() {
                    assert!((safe_length(sub(hit.point, centre)) - radius).abs() < 1e-14 * far * 10.0, "{hit:?}");
                    assert!(safe_length(sub(hit.point, ray.at(hit.t))) < 1e-13 * far * 10.0, "{hit:?}");
                    assert_eq!(dot(hit.normal, direction) < 0.0, hit.side == 0);
                }
            } else {
                let inner = part.pose.transform(What::Pose).expect("pose");
                let normal = turn.rotate(inner.rotate([0.0, 0.0, 1.0]));
                let t = dot(sub(centre, origin), normal) / dot(direction, normal);
                assert_eq!(own().count(), usize::from(t >= 0.0), "{case}");
                want += usize::from(t >= 0.0);
                own().for_each(|hit| assert!((hit.t - t).abs() <= 1e-7 * t, "{hit:?} {t}"));
            }
        }
        assert_eq!(count, want);
        met += count;
    }
    assert!(met > 1000, "{met}");
}

/// An executor with four threads.
struct Four;

impl Executor for Four {
    fn width(&self) -> usize {
        4
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..threads).for_each(|i| _ = scope.spawn(move || thread(i))));
    }
}

#[test]
fn a_scene_is_met_where_its_bodies_are() {
    let mut random = Random(74);
    let shapes = [Shape::Sphere { radius: 0.4, halo: 0.1 }, Shape::HalfSpace { halo: 0.1 }];
    let n = 300;
    let mut positions: Vec<Point> = (0..n).map(|_| anywhere(&mut random, 5.0)).collect();
    positions[17] = [0.0, 0.0, -6.0];
    positions[200] = positions[3];
    let kinds: Vec<u32> = (0..n).map(|i| u32::from(i == 17)).collect();
    let groups: Vec<u32> = (0..n).map(|i| 1 << (i % 3)).collect();
    let ids: Vec<u64> = (0..n as u64).map(|i| 1000 - i).collect();
    let bodies = Bodies {
        groups: Some(Words::from_slice(&groups)),
        ids: Some(Words::from_slice(&ids)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let rays: Vec<Ray> = (0..500)
        .map(|i| {
            let ray = Ray::new(anywhere(&mut random, 9.0), anywhere(&mut random, 1.0));
            Ray { mask: [u32::MAX, 1, 6, 8][i % 4], most: [f64::INFINITY, 4.0][i % 2], ..ray }
        })
        .chain([Ray::new([0.0, 0.0, 20.0], sub(positions[3], [0.0, 0.0, 20.0]))])
        .collect();
    let mut hits = vec![Hit::NOTHING; rays.len()];
    let scratch = memory(cast_bodies_scratch(&bodies).expect("scratch").size);
    cast_bodies(&Serial, &bodies, &rays, &mut hits, scratch).expect("hits");
    let mut shared = vec![Hit::NOTHING; rays.len()];
    cast_bodies(&Four, &bodies, &rays, &mut shared, scratch).expect("hits");
    assert_eq!(shared, hits);
    let mut met = 0;
    for (ray, got) in rays.iter().zip(&hits) {
        let mut want = Hit::NOTHING;
        for i in (0..n).filter(|i| groups[*i] & ray.mask != 0) {
            let pose = bodies.pose(i);
            let placed = Placed { shape: shapes[kinds[i] as usize], pose: &pose, scale: 1.0 };
            if let Some(hit) = cast(&placed, ray).expect("hit")
                && (hit.t < want.t || hit.t == want.t && ids[i] < want.id)
            {
                want = Hit { id: ids[i], body: i as u32, ..hit };
            }
        }
        assert_eq!(*got, want, "{ray:?}");
        met += usize::from(got.is_some());
    }
    assert!(met > 100 && met < 400, "{met}");
    all_hits_are_those_of_each_body(&bodies, &rays, &hits, scratch);
    let none = Bodies::new(&shapes, Words::from_slice(&[]), Array::from_f64(&[]));
    cast_bodies(&Serial, &none, &rays, &mut hits, scratch).expect("no bodies");
    assert!(hits.iter().all(|hit| *hit == Hit::NOTHING));
    // The error is that of the first bad ray, and nothing is written.
    let mut bad = rays.clone();
    bad[7].most = -1.0;
    hits.fill(Hit { t: 1.0, ..Hit::NOTHING });
    let error = cast_bodies(&Serial, &bodies, &bad, &mut hits, scratch);
    assert_eq!(error, Err(Error::new(Kind::OutOfRange, What::Rays).at(7, 6)));
    assert!(hits.iter().all(|hit| hit.t == 1.0));
    let short = cast_bodies(&Serial, &bodies, &rays, &mut hits[..3], scratch);
    assert_eq!(short, Err(Error::capacity(What::Output, rays.len() as u64, 3)));
}

/// Bodies in a cloud, in distant clusters, in a plane, in one point, with sizes from dust to a planet; also far from the origin.
fn spread_out(random: &mut Random, kind: usize, n: usize) -> (Vec<Point>, Vec<f64>) {
    let far = [0.0, 1e7][kind / 5];
    let place = |random: &mut Random, i: usize| match kind % 5 {
        0 => anywhere(random, 10.0),
        1 => add([1e3 * (i % 7) as f64, 0.0, 0.0], anywhere(random, 2.0)),
        2 => [random.next() * 50.0, random.next() * 50.0, 0.0],
        3 => [1.0, 2.0, 3.0],
        _ => anywhere(random, 30.0),
    };
    let size = |random: &mut Random, i: usize| match kind % 5 {
        4 if i.is_multiple_of(100) => 20.0,
        4 => [1.0, 0.1, 0.01, 1e-3, 1e-4][i % 5],
        _ => 0.2 + random.next(),
    };
    (0..n).map(|i| (add(place(random, i), [far, -far, 0.0]), size(random, i))).unzip()
}

#[test]
fn the_tree_of_bodies_changes_no_hit() {
    let mut random = Random(75);
    let shapes = [Shape::Sphere { radius: 1.0, halo: 0.0 }, Shape::HalfSpace { halo: 0.0 }];
    let n = 1000;
    let mut met = 0;
    for kind in 0..10 {
        let (positions, scales) = spread_out(&mut random, kind, n);
        let kinds: Vec<u32> = (0..n).map(|i| u32::from(i.is_multiple_of(499))).collect();
        let groups: Vec<u32> = (0..n).map(|i| 1 << (i % 3)).collect();
        let bodies = Bodies {
            groups: Some(Words::from_slice(&groups)),
            scales: Some(Array::from_numbers(&scales)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
        };
        let rays: Vec<Ray> = (0..400)
            .map(|i| {
                let (from, to) = (positions[i], add(positions[n - 1 - i], anywhere(&mut random, 1.0)));
                let origin = add(from, anywhere(&mut random, 3.0));
                let along = [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 0.0, 1e-3], [1e-300, 1.0, -0.0]];
                let direction = if i % 3 == 0 { along[i % 4] } else { sub(to, origin) };
                let mask = if i % 5 == 0 { 1 << (i % 3) } else { 6 };
                Ray { most: [f64::INFINITY, 0.7][i % 2], mask, ..Ray::new(origin, direction) }
            })
            .collect();
        let full = cast_bodies_scratch(&bodies).expect("scratch").size;
        let scratch = memory(full);
        let mut hits = vec![Hit::NOTHING; rays.len()];
        cast_bodies(&Serial, &bodies, &rays, &mut hits, scratch).expect("hits");
        // With too little scratch for a tree.
        let small = scratch.len() - 64;
        let mut one_by_one = hits.clone();
        cast_bodies(&Serial, &bodies, &rays, &mut one_by_one, &mut scratch[..small]).expect("hits");
        assert_eq!(hits, one_by_one, "{kind}");
        let all = |scratch: &mut [u8]| {
            let (mut all, mut ends) = (vec![Hit::NOTHING; 400_000], vec![0; rays.len()]);
            let count = cast_bodies_all(&Serial, &bodies, &rays, &mut all, &mut ends, scratch).expect("room");
            all.truncate(count);
            (all, ends)
        };
        assert_eq!(all(scratch), all(&mut scratch[..small]), "{kind}");
        met += hits.iter().filter(|hit| hit.is_some()).count();
    }
    assert!(met > 1000, "{met}");
}

fn all_hits_are_those_of_each_body(bodies: &Bodies<'_>, rays: &[Ray], firsts: &[Hit], scratch: &mut [u8]) {
    let mut ends = vec![0; rays.len()];
    let error = cast_bodies_all(&Serial, bodies, rays, &mut [], &mut ends, scratch).expect_err("no room");
    assert_eq!((error.kind, error.what, error.given), (Kind::Capacity, What::Output, 0));
    let needed = error.needed as usize;
    assert_eq!(ends.last(), Some(&error.needed));
    // One place fewer is an error; one place more is not written.
    let marked = Hit { t: -1.0, ..Hit::NOTHING };
    let mut hits = vec![marked; needed + 1];
    assert_eq!(cast_bodies_all(&Serial, bodies, rays, &mut hits[1..needed], &mut ends, scratch), {
        Err(Error::capacity(What::Output, needed as u64, needed as u64 - 1))
    });
    assert!(hits.iter().all(|hit| *hit == marked));
    assert_eq!(cast_bodies_all(&Serial, bodies, rays, &mut hits, &mut ends, scratch), Ok(needed));
    assert_eq!(hits.pop(), Some(marked));
    let (mut shared, mut shared_ends) = (vec![marked; needed], vec![0; rays.len()]);
    cast_bodies_all(&Four, bodies, rays, &mut shared, &mut shared_ends, scratch).expect("hits");
    assert_eq!((&shared, &shared_ends), (&hits, &ends));
    let (mut own, mut start) = (vec![Hit::NOTHING; 8], 0);
    for ((ray, first), end) in rays.iter().zip(firsts).zip(&ends) {
        let mut want = Vec::new();
        for i in (0..bodies.len()).filter(|i| bodies.groups.expect("groups").get(*i) & ray.mask != 0) {
            let pose = bodies.pose(i);
            let count = cast_all(&bodies.placed(i, &pose), ray, &mut own).expect("hits of a body");
            let id = bodies.ids.expect("ids").get(i);
            want.extend(own[..count].iter().map(|hit| Hit { id, body: i as u32, ..*hit }));
        }
        want.sort_by(|a, b| a.t.total_cmp(&b.t).then(a.id.cmp(&b.id)));
        let got = &hits[start..*end as usize];
        assert_eq!(got, want, "{ray:?}");
        assert_eq!(got.first().unwrap_or(&Hit::NOTHING), first);
        start = *end as usize;
    }
    assert!(needed > rays.len() / 2, "{needed}");
    let short = cast_bodies_all(&Serial, bodies, rays, &mut hits, &mut ends[..3], scratch);
    assert_eq!(short, Err(Error::capacity(What::Output, rays.len() as u64, 3)));
}

#[test]
fn bad_rays_are_refused_with_what_is_wrong() {
    let placed = Placed { shape: Shape::HalfSpace { halo: 0.0 }, pose: &Pose::IDENTITY, scale: 1.0 };
    let good = Ray::new([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]);
    let wrong = |ray: Ray, kind, component| {
        assert_eq!(cast(&placed, &ray), Err(Error::new(kind, What::Rays).at(0, component)));
    };
    wrong(Ray { origin: [0.0, f64::INFINITY, 0.0], ..good }, Kind::NotFinite, 1);
    wrong(Ray { direction: [0.0, 0.0, f64::NAN], ..good }, Kind::NotFinite, 5);
    wrong(Ray { most: f64::NAN, ..good }, Kind::NotFinite, 6);
    wrong(Ray { most: -1.0, ..good }, Kind::OutOfRange, 6);
    wrong(Ray { direction: [0.0; 3], ..good }, Kind::OutOfRange, 3);
    wrong(Ray { origin: [1e200, 0.0, 0.0], ..good }, Kind::OutOfRange, 0);
    assert!(cast(&placed, &good).is_ok_and(|hit| hit.is_some_and(|hit| hit.t == 1.0)));
}
