//! Self-intersections against every pair of triangles decided one by one.

use super::*;
use crate::triangle::kernel::{snap, touch_beyond_shared};

fn run(isa: Isa, body: &Body, capacity: usize) -> Result<Vec<[u32; 2]>> {
    let scratch = memory(self_intersections_scratch(&body.tree)?.size);
    let mut out = vec![[0; 2]; capacity];
    let number = self_intersections(isa, body.mesh, body.tree, &mut out, scratch)?;
    out.truncate(number);
    Ok(out)
}

/// All of them, after comparison with all pairs; too little room is tried, too.
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
            // The same again, displaced, far away from the origin of its frame.
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
fn a_tree_of_another_mesh_is_refused() {
    let mut random = Random(23);
    let [a, b] = [1, 2].map(|n| Body::new(&bumpy(&mut random, n, 1.0, false), Halo::Uniform(0.0), Scalar::F64));
    let mixed = Body { mesh: a.mesh, tree: b.tree };
    assert_eq!(run(Isa::best(), &mixed, 9).map_err(|e| (e.kind, e.what)), Err((Kind::Mismatch, What::Tree)));
    let short = self_intersections(Isa::best(), a.mesh, a.tree, &mut [], &mut memory(64)[..64]);
    assert_eq!(short.map_err(|e| (e.kind, e.what)), Err((Kind::Capacity, What::Scratch)));
}
