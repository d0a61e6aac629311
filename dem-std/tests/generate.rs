//! Generators: counts, closedness, orientation, ranges, true corners of hulls, and the same bits everywhere.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use dem_std::Triangles;
use dem_std::dem_core::error::{Error, Kind};
use dem_std::dem_core::mesh::Cylinder;
use dem_std::generate::*;
use dem_std::random::SplitMix64;
use std::collections::BTreeMap;

/// Every edge is used once in each direction, and the enclosed volume is positive.
#[track_caller]
fn closed_and_outwards(t: &Triangles) -> f64 {
    closed_but_for_holes(t, 2)
}

/// The same of a surface with this characteristic of Euler: 2 of balls, 0 of rings.
#[track_caller]
fn closed_but_for_holes(t: &Triangles, characteristic: usize) -> f64 {
    let mut edges = BTreeMap::new();
    for f in &t.indices {
        for k in 0..3 {
            assert_eq!(edges.insert((f[k], f[(k + 1) % 3]), ()), None, "an edge is used twice in one direction");
        }
    }
    assert!(edges.keys().all(|&(a, b)| edges.contains_key(&(b, a))), "an edge is open");
    assert_eq!(t.vertices.len() + t.len(), edges.len() / 2 + characteristic, "Euler's formula");
    let volume = volume(t);
    assert!(volume > 0.0, "turned inside out: {volume}");
    volume
}

fn volume(t: &Triangles) -> f64 {
    let det = |[a, b, c]: [[f64; 3]; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    (0..t.len()).map(|i| det(t.triangle(i)) / 6.0).sum()
}

fn radius(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI;

#[test]
fn icospheres_have_the_papers_counts_and_converge_to_the_ball() {
    let mut missing = BALL;
    for (level, n) in [20, 80, 320, 1280, 5120, 20480].into_iter().enumerate() {
        let t = icosphere(level as u32).unwrap();
        assert_eq!((t.len(), t.vertices.len()), (n, n / 2 + 2));
        assert!(t.vertices.iter().all(|v| (radius(v) - 1.0).abs() < 4e-16));
        let gap = BALL - closed_and_outwards(&t);
        assert!(gap > 0.0 && gap < 0.45 * missing, "second order: {gap} after {missing}");
        missing = gap;
    }
    assert_eq!(icosphere(14).map_err(|e| e.kind), Err(Kind::TooLarge));
    assert_eq!(icosphere(u32::MAX).map_err(|e| e.kind), Err(Kind::TooLarge));
}

#[test]
fn uv_spheres_have_the_papers_counts() {
    for ((n, m), count) in [((3, 3), 12), ((6, 4), 36), ((10, 8), 140), ((36, 18), 1224), ((8, 5), 64)] {
        let t = uv_sphere(n, m).unwrap();
        assert_eq!(t.len(), count);
        assert!(closed_and_outwards(&t) < BALL);
        assert!(t.vertices.iter().all(|v| (radius(v) - 1.0).abs() < 4e-16));
    }
    assert_eq!(uv_sphere(2, 5).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert_eq!(uv_sphere(3, 1).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert_eq!(uv_sphere(100_000, 100_000).map_err(|e| e.kind), Err(Kind::TooLarge));
}

#[test]
fn hulls_of_random_points_have_the_papers_counts() {
    for (n, count) in [(4, 4), (8, 12), (20, 36), (72, 140), (614, 1224)] {
        let t = hull_sphere(n, 5).unwrap();
        assert_eq!((t.len(), t.vertices.len()), (count, n as usize));
        closed_and_outwards(&t);
        assert_convex(&t, &t.vertices);
    }
}

/// No point lies above any face (exact up to the rounding of this test's own determinant).
fn assert_convex(t: &Triangles, points: &[[f64; 3]]) {
    for i in 0..t.len() {
        let [a, b, c] = t.triangle(i);
        let sub = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let (u, v) = (sub(b, a), sub(c, a));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        assert!(radius(&n) > 0.0, "face {i} has no area");
        for p in points {
            let w = sub(*p, a);
            assert!(n[0] * w[0] + n[1] * w[1] + n[2] * w[2] <= 1e-12 * radius(&n), "a point lies outside of face {i}");
        }
    }
}

#[test]
fn hulls_of_points_in_planes_and_on_lines_have_true_corners_only() {
    let mut grid: Vec<[f64; 3]> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|x| x as f64 * 0.1)).collect();
    let mut random = SplitMix64::new(11);
    for _ in 0..40 {
        let t = hull(&grid).unwrap();
        assert_eq!((t.vertices.len(), t.len()), (8, 12), "a grid's hull is a box");
        assert!((closed_and_outwards(&t) - 0.4f64 * 0.4 * 0.4).abs() < 1e-15);
        assert_convex(&t, &grid);
        for i in (1..grid.len()).rev() {
            grid.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
        }
    }
}

#[test]
fn hulls_of_random_balls_contain_their_points() {
    let mut random = SplitMix64::new(2);
    for _ in 0..20 {
        let points: Vec<[f64; 3]> = (0..100).map(|_| [(); 3].map(|()| random.signed())).collect();
        let t = hull(&points).unwrap();
        closed_and_outwards(&t);
        assert_convex(&t, &points);
        assert!(t.vertices.iter().all(|v| points.contains(v)));
    }
}

#[test]
fn hulls_refuse_what_spans_no_space() {
    let kind = |points: &[[f64; 3]]| hull(points).map_err(|e| (e.kind, e.index, e.component));
    assert_eq!(kind(&[]), Err((Kind::OutOfRange, 0, 0)));
    assert_eq!(kind(&[[1.0; 3]; 9]), Err((Kind::OutOfRange, 0, 0)));
    let plane: Vec<[f64; 3]> = (0..20).map(|i| [(i % 5) as f64, (i / 5) as f64, 3.0]).collect();
    assert_eq!(kind(&plane), Err((Kind::OutOfRange, 0, 0)));
    assert_eq!(kind(&[[0.0; 3], [0.0, f64::NAN, 0.0]]), Err((Kind::NotFinite, 1, 1)));
    assert_eq!(kind(&[[0.0; 3], [0.0, 0.0, 1e100]]), Err((Kind::OutOfRange, 1, 2)));
    assert!(hull_sphere(3, 1).is_err());
}

#[test]
fn boxes_cylinders_and_plates_are_what_they_say() {
    let t = cuboid([1.0, 2.0, 3.0]).unwrap();
    assert_eq!((t.len(), closed_and_outwards(&t)), (12, 6.0));
    let drum = Cylinder { radius: 0.5, length: 2.0, facets: 12 };
    let t = cylinder(drum).unwrap();
    assert!((closed_and_outwards(&t) - std::f64::consts::FRAC_PI_2).abs() < 1e-14 && t.len() == 48);
    assert_eq!(cylinder(Cylinder { facets: 2, ..drum }).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert!(cuboid([1.0, -2.0, 3.0]).is_err() && cuboid([1.0, 2.0, f64::NAN]).is_err());
    let t = plate([3, 5], [6.0, 5.0]).unwrap();
    assert_eq!((t.len(), t.vertices.len()), (30, 24));
    let doubled_area = |[a, b, c]: [[f64; 3]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    assert!((0..30).all(|i| doubled_area(t.triangle(i)) > 0.0), "faces up");
    assert!(((0..30).map(|i| doubled_area(t.triangle(i))).sum::<f64>() - 60.0).abs() < 1e-12);
    assert!(plate([0, 1], [1.0, 1.0]).is_err());
    assert_eq!(plate([1 << 20, 1 << 20], [1.0, 1.0]).map_err(|e| e.kind), Err(Kind::TooLarge));
}

#[test]
fn bumpy_spheres_use_the_range_of_radii_and_stay_smooth() {
    for seed in 0..10 {
        let t = bumpy(icosphere(4).unwrap(), 1.2, seed).unwrap();
        closed_and_outwards(&t);
        let (mut low, mut high) = (f64::MAX, 0.0f64);
        for v in &t.vertices {
            let r = radius(v);
            assert!(r > 1.0 - 1e-15 && r < 1.2 + 1e-15, "{r}");
            (low, high) = (low.min(r), high.max(r));
        }
        assert!(high - low > 0.08, "seed {seed} uses {low} to {high} only");
        // Edges are 0.07 long, so no slope of the height is above 45 degrees.
        for f in &t.indices {
            let [a, b] = [f[0], f[1]].map(|v| radius(&t.vertices[v as usize]));
            assert!((a - b).abs() < 0.06, "seed {seed}: a step from {a} to {b}");
        }
        // The same body at another fineness: vertices of the coarse mesh are vertices of the fine one.
        let coarse = bumpy(icosphere(3).unwrap(), 1.2, seed).unwrap();
        assert_eq!(coarse.vertices, t.vertices[..coarse.vertices.len()]);
    }
    let sphere = icosphere(2).unwrap();
    assert_eq!(bumpy(sphere.clone(), 1.0, 9).unwrap(), sphere, "eta = 1 adds no noise");
    assert!(bumpy(sphere.clone(), 0.9, 9).is_err() && bumpy(sphere, f64::INFINITY, 9).is_err());
}

#[test]
fn elongated_spheres_have_the_diameters_of_table_6_1() {
    for eta in [1.0, 1.2, 1.4, 1.8, 2.6] {
        let t = elongated(2, eta).unwrap();
        let reach = |c: usize| t.vertices.iter().map(|v| v[c].abs()).fold(0.0, f64::max);
        // An icosahedron subdivided once has vertices on the axes.
        assert!((reach(0) - eta / 2.0).abs() < 1e-15 && (reach(1) - 0.5).abs() < 1e-15);
        closed_and_outwards(&t);
    }
    assert!(elongated(2, 0.0).is_err());
}

#[test]
fn mirrored_meshes_stay_outwards() {
    closed_and_outwards(&icosphere(1).unwrap().scaled([-1.0, 2.0, 3.0]).moved([5.0, 0.0, 0.0]));
}

/// FNV-1a over the bits of everything.
fn hash(t: &Triangles) -> u64 {
    let vertices = t.vertices.as_flattened().iter().map(|x| x.to_bits());
    let indices = t.indices.as_flattened().iter().map(|&i| i as u64);
    let step = |h: u64, byte: u8| (h ^ byte as u64).wrapping_mul(0x100_0000_01b3);
    vertices.chain(indices).flat_map(u64::to_le_bytes).fold(0xcbf2_9ce4_8422_2325, step)
}

#[test]
fn the_bits_are_the_same_on_every_machine() -> Result<(), Error> {
    let hashes = [
        hash(&icosphere(3)?),
        hash(&uv_sphere(36, 18)?),
        hash(&hull_sphere(72, 1)?),
        hash(&bumpy(icosphere(3)?, 1.2, 42)?),
    ];
    assert_eq!(
        hashes.map(|h| format!("{h:016x}")),
        ["13e515cc001abd1d", "f8b0f489b9b50d2f", "8a80b685d5396f12", "394b3d577dc843a6"]
    );
    Ok(())
}

#[test]
fn bodies_of_revolution_have_their_volume() {
    // Guldin: area times the way of its centre; a polygon of n corners around has n/2 sin(2 pi / n) of it in place of pi.
    let around = |n: f64| 0.5 * n * (2.0 * std::f64::consts::PI / n).sin();
    for (outline, area, middle) in [
        (vec![[1.0, 0.0], [2.0, 0.0], [2.0, 3.0], [1.0, 3.0]], 3.0, 1.5),
        (vec![[1.0, 3.0], [2.0, 3.0], [2.0, 0.0], [1.0, 0.0]], 3.0, 1.5),
    ] {
        let volume = closed_but_for_holes(&turned(&outline, 24).unwrap(), 0);
        assert!((volume - 2.0 * around(24.0) * middle * area).abs() < 1e-12, "{volume}");
    }
    // On the axis at both ends, and at one.
    let cylinder = turned(&[[0.0, -1.0], [2.0, -1.0], [2.0, 1.0], [0.0, 1.0]], 12).unwrap();
    assert_eq!(cylinder.len(), 48);
    assert!((closed_and_outwards(&cylinder) - 8.0 * around(12.0)).abs() < 1e-12);
    let cone = turned(&[[0.0, 0.0], [1.0, 3.0], [0.0, 3.0]], 12).unwrap();
    assert!((closed_and_outwards(&cone) - around(12.0)).abs() < 1e-12);
    let ring = torus(2.0, 0.5, 48, 24).unwrap();
    assert_eq!(ring.len(), 2 * 48 * 24);
    let volume = closed_but_for_holes(&ring, 0);
    assert!((volume - 2.0 * around(48.0) * 2.0 * 0.25 * around(24.0)).abs() < 1e-12, "{volume}");

    for bad in [
        vec![[1.0, 0.0], [2.0, 0.0]],
        vec![[-1.0, 0.0], [2.0, 0.0], [2.0, 1.0]],
        vec![[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]],
    ] {
        assert_eq!(turned(&bad, 24).map_err(|e| e.kind), Err(Kind::OutOfRange));
    }
    assert_eq!(turned(&[[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]], 2).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert_eq!(torus(1.0, 1.0, 12, 12).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert_eq!(torus(2.0, 1.0, u32::MAX, u32::MAX).map_err(|e| e.kind), Err(Kind::TooLarge));
}

#[test]
fn sheets_of_revolution_keep_their_ends_apart() {
    use dem_std::generate::turned_sheet;
    let area_vectors = |t: &Triangles| -> Vec<[f64; 3]> {
        let corners = |i: &[u32; 3]| i.map(|v| t.vertices[v as usize]);
        let less = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let cross = |[a, b, c]: [f64; 3], [u, v, w]: [f64; 3]| [b * w - c * v, c * u - a * w, a * v - b * u];
        t.indices.iter().map(corners).map(|[a, b, c]| cross(less(b, a), less(c, a))).collect()
    };
    // A funnel: two strips. A triangle looks away from the axis.
    let funnel = turned_sheet(&[[0.1, 0.0], [0.4, 0.5], [0.4, 1.0]], 12).unwrap();
    assert_eq!((funnel.len(), funnel.vertices.len()), (48, 36));
    for (n, corners) in area_vectors(&funnel).iter().zip(&funnel.indices) {
        let at = funnel.vertices[corners[0] as usize];
        assert!(n[0] * at[0] + n[1] * at[1] > 0.0);
    }
    // Each edge of both rims has one triangle.
    let mut edges = std::collections::HashMap::new();
    for [a, b, c] in &funnel.indices {
        for (a, b) in [(a, b), (b, c), (c, a)] {
            *edges.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    assert_eq!(edges.values().filter(|count| **count == 1).count(), 24);
    // A disc from the axis on has the area of the polygon.
    let disc = turned_sheet(&[[0.0, 0.0], [2.0, 0.0]], 24).unwrap();
    let area: f64 = area_vectors(&disc).iter().map(|n| -0.5 * n[2]).sum();
    assert!((area - 4.0 * 12.0 * (std::f64::consts::PI / 12.0).sin()).abs() < 1e-12, "{area}");
    for bad in [vec![[1.0, 0.0]], vec![[0.0, 0.0], [0.0, 1.0]], vec![[1.0, 0.0], [1.0, f64::NAN]]] {
        assert_eq!(turned_sheet(&bad, 24).map_err(|e| e.kind), Err(Kind::OutOfRange));
    }
}

#[test]
fn threads_are_helicoids() {
    let thread = Thread { radius: 1.0, pitch: 0.4, turns: 3, sides: 24 };
    let (bolt, nut) = (thread.bolt([1.5, 0.7]).unwrap(), thread.nut(0.05, 1.6).unwrap());
    let least = 2.0 * std::f64::consts::PI * 0.25;
    assert!(closed_and_outwards(&bolt) > least);
    assert!(closed_but_for_holes(&nut, 0) > 0.0);
    // A part of a turn, and what the thread moves by in it.
    let (part, turn) = (0.4 / 24.0, std::f64::consts::TAU / 24.0);
    let own = |t: &Triangles| {
        t.vertices.iter().copied().filter(|v| (0.5..1.1).contains(&radius(&[v[0], v[1], 0.0]))).collect::<Vec<_>>()
    };
    for (mesh, inside) in [(&bolt, 0.01..1.19), (&nut, 0.0..1.19)] {
        let all = own(mesh);
        for [x, y, z] in all.iter().copied().filter(|v| v[2] + part > inside.start && v[2] + part < inside.end) {
            let moved = [x * turn.cos() - y * turn.sin(), x * turn.sin() + y * turn.cos(), z + part];
            let near = all.iter().map(|v| radius(&[v[0] - moved[0], v[1] - moved[1], v[2] - moved[2]]));
            assert!(near.fold(f64::INFINITY, f64::min) < 1e-12, "{moved:?}");
        }
    }
    // Crests and roots, and heads of six sides.
    let far = |t: &Triangles| own(t).iter().map(|v| radius(&[v[0], v[1], 0.0])).fold(0.0, f64::max);
    assert!((far(&bolt) - 1.0).abs() < 1e-12 && (far(&nut) - 1.05).abs() < 1e-12);
    let corner = bolt.vertices.iter().map(|v| radius(&[v[0], v[1], 0.0])).fold(0.0, f64::max);
    assert!((corner - 1.5 / 0.75_f64.sqrt()).abs() < 1e-12, "{corner}");
    for bad in [
        Thread { sides: 20, ..thread },
        Thread { pitch: 2.0, ..thread },
        Thread { turns: 0, ..thread },
        Thread { radius: f64::NAN, ..thread },
    ] {
        assert_eq!(bad.bolt([1.5, 0.7]).map_err(|e| e.kind), Err(Kind::OutOfRange));
        assert_eq!(bad.nut(0.1, 1.5).map_err(|e| e.kind), Err(Kind::OutOfRange));
    }
    assert_eq!(thread.bolt([0.9, 0.7]).map_err(|e| e.kind), Err(Kind::OutOfRange));
    assert_eq!(Thread { turns: u32::MAX, ..thread }.bolt([1.5, 0.7]).map_err(|e| e.kind), Err(Kind::TooLarge));
}

/// Errors name the argument, and tell what would do.
#[test]
fn errors_name_the_argument() {
    let thread = Thread { radius: 1.0, pitch: 0.5, turns: 2, sides: 24 };
    let triangle = [[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]];
    let far = [[1.0, 0.0], [-2.0, 0.0], [2.0, 1.0]];
    let all = [
        (bumpy(icosphere(0).unwrap(), 0.4, 1), "eta: must be at least 1"),
        (elongated(1, 0.0), "eta: must be larger than 0"),
        (uv_sphere(2, 5), "meridians: must be at least 3"),
        (uv_sphere(3, 1), "bands: must be at least 2"),
        (torus(2.0, 1.0, 12, 2), "bands: must be at least 3"),
        (torus(1.0, 1.0, 12, 12), "small: must be larger than 0 and less than `large`"),
        (plate([0, 1], [1.0; 2]), "cells: must be at least 1"),
        (plate([1, 1], [1.0, -1.0]), "edges: must be finite and not negative"),
        (turned(&triangle, 2), "meridians: must be at least 3"),
        (turned(&triangle[..2], 9), "outline: must have at least 3 points"),
        (turned_sheet(&triangle[..1], 9), "outline: must have at least 2 points"),
        (turned(&[[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]], 9), "outline: encloses nothing"),
        (turned_sheet(&[[0.0, 0.0], [0.0, 1.0]], 9), "outline: must have a point beside the axis"),
        (turned(&far, 9), "outline: item 1 must have a finite distance from the axis that is not negative"),
        (Thread { sides: 25, ..thread }.bolt([1.5, 0.7]), "thread: `sides` must be a multiple of 6"),
        (thread.bolt([0.9, 0.7]), "thread: a head, or a nut less its clearance, must be wider than the radius"),
        (thread.nut(-0.1, 1.5), "clearance: must not be negative, and at most 0.18 of the pitch"),
    ];
    for (made, message) in all {
        let found = made.unwrap_err().to_string();
        assert!(found.starts_with(message), "{found}\n{message}");
    }
}

/// A room is a box whose triangles look inward.
#[test]
fn rooms_look_inward() {
    let [outside, inside] = [cuboid([1.0, 2.0, 3.0]), room([1.0, 2.0, 3.0])].map(Result::unwrap);
    assert_eq!(outside.vertices, inside.vertices);
    assert!(outside.indices.iter().zip(&inside.indices).all(|(a, b)| [a[0], a[2], a[1]] == *b));
    assert_eq!(inside.reversed(), outside);
}
