//! Tests of self-intersections against every pair of triangles decided one by one.

use super::*;
use crate::triangle::kernel::{snap, touch_beyond_shared};

fn run(isa: Isa, body: &Body, capacity: usize) -> Result<Vec<[u32; 2]>> {
    let scratch = memory(self_intersections_scratch(&body.tree)?.size);
    let mut out = vec![[0; 2]; capacity];
    let number = self_intersections(isa, body.mesh, body.tree, &mut out, scratch)?;
    out.truncate(number);
    Ok(out)
}

/// All self-intersections, compared with all pairs. Also tries too little room.
fn check(body: &Body) -> Vec<[u32; 2]> {
    let pose = Pose::IDENTITY;
    let scale = Frame::new(&body.at(&pose), &body.at(&pose)).expect("frame").scale;
    let corners = |i: u32| body.mesh.triangle(i as usize).map(|v| v.map(|x| snap(x * scale)));
    let n = body.mesh.len() as u32;
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
    let want: Vec<[u32; 2]> = pairs.filter(|[i, j]| touch_beyond_shared(&corners(*i), &corners(*j))).collect();
    for isa in Isa::list() {
        assert_eq!(run(*isa, body, want.len()).expect("room"), want, "{}", isa.name());
    }
    for capacity in [0, want.len().saturating_sub(1)].into_iter().filter(|c| *c < want.len()) {
        let error = Error::capacity(What::Output, want.len() as u64, capacity as u64);
        assert_eq!(run(Isa::best(), body, capacity), Err(error));
    }
    want
}

#[test]
fn self_intersections_equal_brute_force() {
    let mut random = Random(21);
    let mut found = 0;
    for k in 0..10 {
        let scalar = if k % 3 == 0 { Scalar::F32 } else { Scalar::F64 };
        let mut corners = bumpy(&mut random, [2, 4, 6][k % 3], 1.0, k % 2 == 0);
        if k % 4 == 1 {
            // A displaced copy, far from the origin of its frame.
            let again: Vec<_> = corners.iter().map(|p| [p[0] + 0.5, p[1] + 0.1, p[2]]).collect();
            corners.extend(again);
            corners.iter_mut().for_each(|p| p[0] += 1000.0);
        }
        let each: Vec<[f64; 3]> = (0..corners.len() / 3).map(|i| [0.1 * (i % 3) as f64, 0.0, 0.0]).collect();
        let halo = if k % 5 == 2 { Halo::Each(Array::from_f64(&each)) } else { Halo::Uniform([0.0, 0.3, 1e-3][k % 3]) };
        found += check(&Body::new(&corners, halo, scalar)).len();
    }
    assert!(found > 200, "{found}");
}

#[test]
fn a_clean_surface_has_none_and_two_that_cross_have_a_curve() {
    let mut random = Random(22);
    let sphere = bumpy(&mut random, 8, 1.0, false);
    assert_eq!(check(&Body::new(&sphere, Halo::Uniform(0.1), Scalar::F64)), [[0; 2]; 0]);
    let n = sphere.len() as u32 / 3;
    let mut both = sphere.clone();
    both.extend(sphere.iter().map(|p| [p[0] + 0.9, p[1] + 0.03, p[2] + 0.01]));
    let crossing = check(&Body::new(&both, Halo::Uniform(0.1), Scalar::F64));
    assert!(crossing.len() > 40 && crossing.iter().all(|[i, j]| *i < n && *j >= n), "{crossing:?}");
}

#[test]
fn copies_are_in_every_pair_of_what_they_are_copies_of() {
    let mut random = Random(24);
    let mut found = 0;
    for round in 0..12 {
        let once = bumpy(&mut random, 2, 1.0, true);
        let again: Vec<_> = once.iter().map(|p| [p[0] + 0.7, p[1] + 0.1, p[2]]).collect();
        let mut triangles: Vec<[[f64; 3]; 3]> = once
            .iter()
            .chain(&again)
            .copied()
            .collect::<Vec<_>>()
            .chunks_exact(3)
            .map(|t| [t[0], t[1], t[2]])
            .collect();
        // Also a segment and a point, with corners in several orders.
        let [p, q, _] = triangles[0];
        triangles.extend([[p, q, q], [q, p, q], [p, p, q], [p; 3], [p; 3]]);
        let number = triangles.len();
        for _ in 0..[5, 40, 200][round % 3] {
            let [a, b, c] = triangles[(random.next() * number as f64) as usize % number];
            let copy = if random.next() < 0.5 { [b, c, a] } else { [a, c, b] };
            triangles.insert((random.next() * triangles.len() as f64) as usize, copy);
        }
        found += check(&Body::new(triangles.as_flattened(), Halo::Uniform([0.0, 0.2][round % 2]), Scalar::F64)).len();
    }
    assert!(found > 1_000, "{found}");
}

#[test]
fn triangles_of_a_crowded_vertex_are_found_where_they_meet_elsewhere() {
    let mut random = Random(25);
    let mut found = [0; 2];
    for round in 0..16 {
        // Triangles around one or two vertices, in all directions or in a fan, short and long, with points, segments and copies.
        let flat = round % 4 == 1;
        let mut way = |size: f64| {
            let [x, y, z] = [0, 1, 2].map(|_| size * (2.0 * random.next() - 1.0));
            [x, y, if flat { 0.0 } else { z }]
        };
        let mut triangles = vec![];
        for i in 0..150 {
            let hub = [[0.1, 0.2, 0.3], [0.6, 0.2, 0.3]][i % (1 + round % 2)];
            let p = way([1.0, 0.01, 1e3][round % 3]);
            let q = way(if i % 3 == 0 { 1.0 } else { 0.02 });
            let q = [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
            triangles.push(match i {
                20 => [hub; 3],
                21 => [hub, hub, p],
                22 => [[2.0 * hub[0] - p[0], 2.0 * hub[1] - p[1], 2.0 * hub[2] - p[2]], p, hub],
                23 => triangles[3],
                _ => [[hub, p, q], [p, q, hub], [q, hub, p]][i % 3],
            });
        }
        let halo = Halo::Uniform([0.0, 0.2][round % 2]);
        found[usize::from(flat)] += check(&Body::new(triangles.as_flattened(), halo, Scalar::F64)).len();
    }
    assert!(found.iter().all(|n| *n > 1_000), "{found:?}");
}

#[test]
fn a_tree_of_another_mesh_is_refused() {
    let mut random = Random(23);
    let [a, b] = [1, 2].map(|n| Body::new(&bumpy(&mut random, n, 1.0, false), Halo::Uniform(0.0), Scalar::F64));
    let mixed = Body { mesh: a.mesh, tree: b.tree };
    assert_eq!(run(Isa::best(), &mixed, 9).map_err(|e| (e.kind, e.what)), Err((Kind::Mismatch, What::Tree)));
    let short = self_intersections(Isa::best(), a.mesh, a.tree, &mut [], &mut memory(64)[..64]);
    assert_eq!(short.map_err(|e| (e.kind, e.what)), Err((Kind::Capacity, What::Scratch)));
}
