//! Tests of closest points, distances and sides: against all triangles one by one, closed forms, winding numbers, and every instruction set.

extern crate std;

use std::vec;
use std::vec::Vec;

use super::nearest::{Local, among_all};
use super::tests::{Body, bumpy, memory, pose};
use super::*;
use crate::array::{Array, Scalar};
use crate::mesh::{Halo, NONE};
use crate::simd::Isa;
use crate::triangle::distance_point_triangle;
use crate::triangle::tests::Random;

type Point = [f64; 3];

fn run(isa: Isa, operand: &Operand<'_>, at: &[Point], bound: f64) -> Vec<PointOnMesh> {
    let mut out = vec![PointOnMesh::default(); at.len()];
    let scratch = memory(points_scratch(operand).expect("scratch").size);
    points(isa, operand, Array::from_f64(at), bound, &mut out, scratch).expect("points");
    out
}

fn run_all(operand: &Operand<'_>, at: &[Point], bound: f64) -> Vec<PointOnMesh> {
    let got = run(Isa::best(), operand, at, bound);
    for isa in Isa::list() {
        assert_eq!(run(*isa, operand, at, bound), got, "{}", isa.name());
    }
    together(operand, at, bound, &got);
    got
}

/// Compares [`many_points`] with the results, for all instruction sets.
fn together(operand: &Operand<'_>, at: &[Point], bound: f64, got: &[PointOnMesh]) {
    for isa in Isa::list() {
        let mut out = vec![PointOnMesh::default(); at.len()];
        let scratch = memory(many_points_scratch(operand).expect("scratch").size);
        many_points(*isa, operand, Array::from_f64(at), bound, &mut out, scratch).expect("points");
        assert_eq!(out, got, "{}", isa.name());
    }
}

fn winding(operand: &Operand<'_>, at: &[Point]) -> Vec<f64> {
    let mut out = vec![0.0; at.len()];
    winding_numbers(operand, Array::from_f64(at), &mut out).expect("winding");
    out
}

fn length(v: Point) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn direction(random: &mut Random) -> Point {
    let v = [0; 3].map(|_| random.next() - 0.5);
    let l = length(v);
    v.map(|x| x / l)
}

/// A star-shaped closed surface of spikes and pits that looks outward: each vertex is at a random distance from the middle. It is closed if n is a
/// power of two, because coordinates are then exact before they are bent.
fn spiky(random: &mut Random, n: usize, shortest: f64) -> Vec<Point> {
    let mut corners = bumpy(random, n, 1.0, false);
    let seed = random.next();
    for v in &mut corners {
        // Equal positions get equal numbers, whatever the signs of their zeros.
        let bits = v.iter().fold(seed.to_bits(), |h, x| (h ^ (x + 0.0).to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let radius = shortest + (1.0 - shortest) * Random(bits).next();
        let l = length(*v);
        *v = v.map(|x| (x / l * radius) + 0.0);
    }
    for t in corners.chunks_mut(3) {
        let [a, b, c] = [t[0], t[1], t[2]];
        let volume = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        if volume < 0.0 {
            t.swap(1, 2);
        }
    }
    corners
}

/// Points this far from corners, edges and faces, on both sides; and points anywhere.
fn around(random: &mut Random, corners: &[Point], number: usize, away: f64) -> Vec<Point> {
    (0..number)
        .map(|i| {
            let t = 3 * ((random.next() * (corners.len() / 3) as f64) as usize);
            let (a, b, c) = (corners[t], corners[t + 1], corners[t + 2]);
            let (s, r) = (random.next(), random.next());
            let on = match i % 4 {
                0 => a,
                1 => [0, 1, 2].map(|k| a[k] + s * (b[k] - a[k])),
                2 => [0, 1, 2].map(|k| a[k] + (1.0 - s) * r * (b[k] - a[k]) + s * r * (c[k] - a[k])),
                _ => [0; 3].map(|_| 2.0 * random.next() - 1.0),
            };
            let d = direction(random);
            [0, 1, 2].map(|k| on[k] + away * d[k])
        })
        .collect()
}

fn to_world(pose: &Pose, at: &[Point]) -> Vec<Point> {
    let transform = pose.transform(What::Pose).expect("pose");
    at.iter().map(|p| transform.apply(*p)).collect()
}

#[test]
fn closest_points_are_those_of_all_triangles_one_by_one() {
    let mut random = Random(21);
    for case in 0..10 {
        let (n, size) = ([1, 3, 7, 12][case % 4], [1.0, 1e-6, 1e5][case % 3]);
        let corners: Vec<Point> = bumpy(&mut random, n, size, case % 2 == 0);
        let each: Vec<Point> = (0..corners.len() / 3).map(|i| [size * 0.2 * (i % 3) as f64, 0.0, 0.0]).collect();
        let halo = [Halo::Uniform(0.0), Halo::Uniform(0.5 * size), Halo::Each(Array::from_f64(&each))][case % 3];
        let body = Body::new(&corners, halo, if case % 5 == 0 { Scalar::F32 } else { Scalar::F64 });
        let pose = pose(&mut random, [[0.0; 3], [1e6 * size, -size, 0.1]][case / 3 % 2]);
        let operand = body.at(&pose);
        let mut at = around(&mut random, &corners, 100, [0.0, 1e-9, 0.01, 0.5][case % 4] * size);
        at.extend((0..20).map(|_| direction(&mut random).map(|x| x * 1e6 * size)));
        let at = to_world(&pose, &at);
        let transform = pose.transform(What::Pose).expect("pose");
        for (p, got) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)) {
            let local = transform.rotate_back(minus(*p, transform.translation));
            let extent = crate::vector::safe_length(body.mesh.centre()) + body.mesh.radius();
            let want = among_all(&body.mesh, &Local::new(local, extent)).expect("a triangle");
            assert_eq!((got.triangle, got.distance, got.feature), (want.triangle, want.distance, want.feature as u32));
            // Compare with other code: an upper bound for each triangle, equality for one.
            let least = (0..body.mesh.len())
                .map(|i| distance_point_triangle(local, body.mesh.triangle(i)).expect("finite").distance)
                .fold(f64::INFINITY, |m, d| if d < m { d } else { m });
            let tolerance = 1e-12 * (size + length(local));
            assert!((got.distance - least).abs() < tolerance, "{} {least}", got.distance);
            let rounding = tolerance + 1e-15 * length(*p);
            assert!((length(minus(*p, got.point)) - got.distance).abs() < rounding);
            assert!((length(got.normal) - 1.0).abs() < 1e-12 || got.doubt != 0);
            // A distance equal to the bound counts; a smaller bound gives no triangle.
            assert_eq!(run(Isa::best(), &operand, &[*p], got.distance)[0], got);
            if got.distance > 0.0 {
                let none = run(Isa::best(), &operand, &[*p], got.distance.next_down())[0];
                assert_eq!((none.triangle, none.side, none.distance), (NONE, PointSide::Beyond as u32, f64::INFINITY));
            }
        }
    }
}

#[test]
fn sides_agree_with_winding_numbers_on_spiky_bodies() {
    let mut random = Random(22);
    let mut sides = [0; 4];
    for case in 0..9 {
        let corners = spiky(&mut random, [2, 4, 8][case % 3], [0.2, 0.6, 0.9][case / 3]);
        let body = Body::new(&corners, Halo::Uniform(0.0), Scalar::F64);
        let pose = pose(&mut random, [0.3, -0.2, 0.7]);
        let operand = body.at(&pose);
        for away in [0.3, 1e-2, 1e-4, 1e-7, 1e-9] {
            let at = to_world(&pose, &around(&mut random, &corners, 120, away));
            let around = winding(&operand, &at);
            for ((p, got), w) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)).zip(around) {
                assert!((w - libm::round(w)).abs() < 1e-6, "{w}");
                let want = if w > 0.5 { PointSide::Inside } else { PointSide::Outside };
                assert_eq!((got.side, got.doubt), (want as u32, 0), "{p:?} {got:?} {w}");
                assert_eq!(got.signed_distance.abs(), got.distance);
                assert_eq!(got.signed_distance < 0.0, want == PointSide::Inside);
                sides[got.side as usize] += 1;
            }
        }
    }
    assert!(sides[0] > 1000 && sides[1] > 1000, "{sides:?}");
}

#[test]
fn the_normal_is_the_gradient_of_the_signed_distance() {
    let mut random = Random(23);
    let corners = spiky(&mut random, 4, 0.6);
    let body = Body::new(&corners, Halo::Uniform(0.0), Scalar::F64);
    let pose = pose(&mut random, [0.3, -0.2, 0.7]);
    let operand = body.at(&pose);
    let at = to_world(&pose, &around(&mut random, &corners, 200, 1e-2));
    let step = 1e-5;
    for (p, got) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)) {
        // For a point moved towards the closest point, that stays the closest.
        let towards = if got.signed_distance < 0.0 { step } else { -step };
        let nearer = [0, 1, 2].map(|k| p[k] + towards * got.normal[k]);
        let nearer = run(Isa::best(), &operand, &[nearer], f64::INFINITY)[0];
        assert!((nearer.signed_distance - got.signed_distance - towards).abs() < 1e-14 || got.distance < step);
        // From the surface along the normal by the distance: this gives the point itself.
        let back = [0, 1, 2].map(|k| got.point[k] + got.signed_distance * got.normal[k]);
        assert!(length(minus(back, *p)) < 1e-13, "{got:?}");
    }
}

/// An L of two boxes, [0, 2] x [0, 1] and [0, 1] x [0, 2], from z = 0 to 1.
fn ell() -> Vec<Point> {
    let ring = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let at = |i: usize, z: f64| [ring[i % 6][0], ring[i % 6][1], z];
    let mut out = Vec::new();
    for i in 1..5 {
        out.extend([at(0, 0.0), at(i + 1, 0.0), at(i, 0.0), at(0, 1.0), at(i, 1.0), at(i + 1, 1.0)]);
    }
    for i in 0..6 {
        out.extend([at(i, 0.0), at(i + 1, 0.0), at(i + 1, 1.0), at(i, 0.0), at(i + 1, 1.0), at(i, 1.0)]);
    }
    out
}

fn box_distance(p: Point, high: Point) -> f64 {
    length([0, 1, 2].map(|k| {
        if p[k] < 0.0 {
            -p[k]
        } else if p[k] > high[k] {
            p[k] - high[k]
        } else {
            0.0
        }
    }))
}

#[test]
fn an_ell_has_its_closed_form_on_a_lattice_and_just_off_it() {
    let body = Body::new(&ell(), Halo::Uniform(0.1), Scalar::F64);
    let pose = Pose::IDENTITY;
    let operand = body.at(&pose);
    let mut random = Random(24);
    let mut at = Vec::new();
    for i in 0..13 {
        for j in 0..13 {
            for k in 0..9 {
                let p = [i, j, k].map(|n| n as f64 * 0.25 - 0.5);
                at.push(p);
                for off in [1e-3, 1e-9, 1e-13] {
                    at.push(p.map(|x| x + off * (random.next() - 0.5)));
                }
            }
        }
    }
    let mut number = [0; 3];
    for (p, got) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)) {
        let [x, y, z] = *p;
        let inside = |closed: bool| {
            let within = |v: f64, high: f64| if closed { 0.0 <= v && v <= high } else { 0.0 < v && v < high };
            let deep = (within(x, 2.0) && within(y, 1.0)) || (within(x, 1.0) && within(y, 2.0));
            // The seam of the two boxes is inside.
            deep && within(z, 1.0)
        };
        let want = match (inside(false), inside(true)) {
            (true, _) => PointSide::Inside,
            (_, true) => PointSide::Surface,
            _ => PointSide::Outside,
        };
        assert_eq!((got.side, got.doubt), (want as u32, 0), "{p:?} {got:?}");
        assert_eq!(got.distance == 0.0, want == PointSide::Surface);
        if want == PointSide::Outside {
            let (a, b) = (box_distance(*p, [2.0, 1.0, 1.0]), box_distance(*p, [1.0, 2.0, 1.0]));
            let least = if a < b { a } else { b };
            assert!((got.distance - least).abs() < 4e-16 * (1.0 + least), "{p:?} {got:?} {least}");
        }
        assert!((length(got.normal) - 1.0).abs() < 1e-14);
        number[got.side as usize] += 1;
    }
    assert!(number.iter().all(|n| *n > 200), "{number:?}");
}

#[test]
fn scaling_by_a_power_of_two_scales_the_answer() {
    let mut random = Random(25);
    let corners = spiky(&mut random, 4, 0.5);
    let at = around(&mut random, &corners, 200, 0.01);
    let pose_at = pose(&mut random, [0.25, 1.0, -3.0]);
    let scaled = |s: f64| {
        let big = |v: &[Point]| v.iter().map(|p| p.map(|x| x * s)).collect::<Vec<_>>();
        let body = Body::new(&big(&corners), Halo::Uniform(0.01 * s), Scalar::F64);
        let pose = Pose { position: pose_at.position.map(|x| x * s), ..pose_at };
        run_all(&body.at(&pose), &big(&at), f64::INFINITY)
    };
    let want = scaled(1.0);
    for e in [-90, -40, 10, 50] {
        let s = libm::ldexp(1.0, e);
        for (g, w) in scaled(s).iter().zip(&want) {
            let grown = PointOnMesh {
                distance: w.distance * s,
                signed_distance: w.signed_distance * s,
                point: w.point.map(|x| x * s),
                ..*w
            };
            assert_eq!(*g, grown);
        }
    }
}

#[test]
fn distances_are_those_of_a_pair_with_a_triangle_without_size() {
    let mut random = Random(26);
    let corners = bumpy(&mut random, 4, 1.0, true);
    let body = Body::new(&corners, Halo::Uniform(0.01), Scalar::F64);
    let pose = pose(&mut random, [5.0, 0.0, 1.0]);
    let operand = body.at(&pose);
    let at = to_world(&pose, &around(&mut random, &corners, 40, 0.1));
    for (p, got) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)) {
        let speck = Body::new(&[[0.0; 3]; 3], Halo::Uniform(0.0), Scalar::F64);
        let there = Pose { position: *p, ..Pose::IDENTITY };
        let speck = speck.at(&there);
        let scratch = memory(distance_scratch(&operand, &speck).expect("scratch").size);
        let pair =
            min_distance(Isa::best(), &operand, &speck, f64::INFINITY, scratch).expect("distance").expect("pair");
        assert!((pair.distance - got.distance).abs() < 1e-14, "{pair:?} {got:?}");
    }
}

#[test]
fn a_million_sizes_away_is_outside() {
    let mut random = Random(27);
    let corners = spiky(&mut random, 8, 0.3);
    let body = Body::new(&corners, Halo::Uniform(0.0), Scalar::F64);
    let pose = pose(&mut random, [0.0; 3]);
    let operand = body.at(&pose);
    let at: Vec<Point> = (0..300).map(|i| direction(&mut random).map(|x| x * [1e1, 1e3, 1e6][i % 3])).collect();
    for (p, got) in at.iter().zip(run_all(&operand, &at, f64::INFINITY)) {
        assert_eq!((got.side, got.doubt), (PointSide::Outside as u32, 0), "{p:?} {got:?}");
    }
}

#[test]
fn doubt_says_why_a_side_is_a_guess() {
    let pose = Pose::IDENTITY;
    let at = |corners: &[Point], p: Point| {
        run_all(&Body::new(corners, Halo::Uniform(0.0), Scalar::F64).at(&pose), &[p], f64::INFINITY)[0]
    };
    let (o, x, y, z) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let seen = |p: PointOnMesh| (p.side, p.doubt);
    let (inside, outside) = (PointSide::Inside as u32, PointSide::Outside as u32);
    // A single triangle goes around nothing, so points are outside, unless they are so near that it might be a part of a surface.
    assert_eq!(seen(at(&[o, x, y], [0.25, 0.25, 0.5])), (outside, 0));
    assert_eq!(seen(at(&[o, x, y], [0.25, 0.25, 1e-3])), (outside, 0));
    assert_eq!(seen(at(&[o, x, y], [0.25, 0.25, -0.5])), (outside, 0));
    assert_eq!(seen(at(&[o, x, y], [0.25, 0.25, -1e-3])), (inside, doubt::WINDING));
    assert_eq!(at(&[o, x, y], [0.5, 0.0, 0.0]).doubt, doubt::OPEN);
    assert_eq!(at(&[o, x, y], o).doubt & doubt::OPEN, doubt::OPEN);
    // Two triangles with opposite orientations.
    assert_eq!(at(&[o, x, y, o, x, z], [0.5, 0.0, 0.0]).doubt, doubt::INCONSISTENT);
    // A triangle without area.
    let flat = at(&[o, x, [0.5, 0.0, 0.0]], [0.25, 0.0, 0.0]);
    assert_eq!((flat.side, flat.distance, flat.normal), (PointSide::Surface as u32, 0.0, [0.0; 3]));
    assert_ne!(flat.doubt & (doubt::DEGENERATE | doubt::OPEN), 0);
    // Two tetrahedra that touch in the origin.
    let tetrahedron = [o, y, x, o, z, y, o, x, z, x, y, z];
    let mut both = tetrahedron.to_vec();
    both.extend(tetrahedron.chunks(3).flat_map(|t| [t[0], t[2], t[1]]).map(|v| v.map(|x| -x)));
    assert_eq!(seen(at(&tetrahedron, [-0.1, -0.1, -0.1])), (outside, 0));
    assert_eq!(at(&both, [-0.1, -0.1, 0.1]).doubt & !doubt::TOUCHING, 0);
    assert_eq!(seen(at(&both, [0.1, 0.1, 0.1])), (inside, 0));
    assert_eq!(seen(at(&both, [0.01, -0.02, 0.01])).0, outside);
    assert_eq!(at(&both, o).doubt, doubt::TOUCHING);
    // A box without a lid: the winding number still decides.
    let open = Body::new(&ell()[6..], Halo::Uniform(0.0), Scalar::F64);
    let w = winding(&open.at(&pose), &[[0.5, 1.5, 0.5], [0.5, 1.5, 5.0]]);
    assert!(w[0] > 0.5 && w[1] < 0.5, "{w:?}");
}

#[test]
fn bad_arguments_are_named_and_nothing_is_written() {
    let body = Body::new(&ell(), Halo::Uniform(0.0), Scalar::F64);
    let pose = Pose::IDENTITY;
    let operand = body.at(&pose);
    let untouched = PointOnMesh { triangle: 77, ..PointOnMesh::default() };
    let try_with = |operand: &Operand<'_>, at: &[Point], bound: f64, room: usize, less: usize| {
        let mut out = vec![untouched; room];
        let size = points_scratch(operand).expect("scratch").size;
        let result =
            points(Isa::best(), operand, Array::from_f64(at), bound, &mut out, &mut memory(size)[..size - less]);
        assert!(result.is_ok() || out.iter().all(|o| *o == untouched));
        result
    };
    let good = [[0.5; 3]; 3];
    assert_eq!(try_with(&operand, &good, 1.0, 3, 0), Ok(()));
    assert_eq!(try_with(&operand, &[], 1.0, 0, 0), Ok(()));
    let nan = [[0.5; 3], [0.5, 0.5, f64::NAN]];
    assert_eq!(try_with(&operand, &nan, 1.0, 2, 0), Err(Error::new(Kind::NotFinite, What::Points).at(1, 2)));
    let far = [[0.5; 3], [0.5, -1e305, 0.0]];
    assert_eq!(try_with(&operand, &far, 1.0, 2, 0), Err(Error::new(Kind::OutOfRange, What::Points).at(1, 1)));
    assert_eq!(try_with(&operand, &good, f64::NAN, 3, 0), Err(Error::new(Kind::NotFinite, What::Bound)));
    assert_eq!(try_with(&operand, &good, -1.0, 3, 0), Err(Error::new(Kind::OutOfRange, What::Bound)));
    assert_eq!(try_with(&operand, &good, 1.0, 2, 0), Err(Error::capacity(What::Output, 3, 2)));
    let size = points_scratch(&operand).expect("scratch").size as u64;
    assert_eq!(try_with(&operand, &good, 1.0, 3, 1), Err(Error::capacity(What::Scratch, size, size - 1)));
    let zero = Pose { orientation: [0.0; 4], ..pose };
    assert_eq!(try_with(&body.at(&zero), &good, 1.0, 3, 0), Err(Error::new(Kind::OutOfRange, What::Pose).at(0, 3)));
    let other = Body::new(&ell()[3..], Halo::Uniform(0.0), Scalar::F64);
    let mixed = Operand { tree: other.tree, ..operand };
    assert_eq!(try_with(&mixed, &good, 1.0, 3, 0), Err(Error::new(Kind::Mismatch, What::Tree)));
    // Near the ends of the range.
    let edge = run_all(&operand, &[[1e300, -1e300, 1e300], [0.5, 0.5, 1e-40]], f64::INFINITY);
    assert!((edge[0].distance / 1e300 - 3f64.sqrt()).abs() < 1e-15 && edge[1].distance == 1e-40, "{edge:?}");
    assert_eq!((edge[0].side, edge[0].doubt), (PointSide::Outside as u32, doubt::FAR));
    assert_eq!((edge[1].side, edge[1].doubt), (PointSide::Inside as u32, 0));
}

#[test]
fn points_close_together_find_what_each_finds_alone() {
    let mut random = Random(53);
    for (case, size) in [1.0, 1e-12, 1e12, 1e-5].into_iter().enumerate() {
        let corners = spiky(&mut random, 16, 0.6);
        let dense = around(&mut random, &corners, 700, [1e-3, 0.05][case % 2]);
        let scaled = |at: &[Point]| at.iter().map(|p| p.map(|x| x * size)).collect::<Vec<_>>();
        let mut dense = scaled(&dense);
        // Some points beyond the bound, in no order, and one on the surface.
        dense.extend([[1e9 * size, 0.0, 0.0], [0.0, -1e300, 0.0], corners[7].map(|x| x * size)]);
        let body = Body::new(&scaled(&corners), Halo::Uniform(0.0), Scalar::F64);
        let pose = pose(&mut random, [0.3 * size, -size, 0.0]);
        let operand = body.at(&pose);
        let at = to_world(&pose, &dense);
        for bound in [f64::INFINITY, 0.02 * size] {
            run_all(&operand, &at, bound);
        }
    }
}
