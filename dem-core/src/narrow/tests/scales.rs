//! Tests of scaled instances of a mesh.

use super::*;
use crate::narrow::{PointOnMesh, points, points_scratch, winding_numbers};

#[test]
fn queries_of_instances_equal_brute_force() {
    let mut random = Random(31);
    let mut found = 0;
    for k in 0..24 {
        let spoil = k % 2 == 0;
        let scalar = if k % 5 == 0 { Scalar::F32 } else { Scalar::F64 };
        let a = Body::new(&bumpy(&mut random, [2, 5, 7][k % 3], 1.0, spoil), Halo::Uniform(0.01), Scalar::F64);
        let b = Body::new(&bumpy(&mut random, [3, 6, 1][k / 3 % 3], 1.0, spoil), Halo::Uniform(0.02), scalar);
        let [s, t] = [[3.0, 1.0], [0.3, 1.7], [1e-3, 0.9], [1.0, 1e-6], [1e5, 7e4], [1e12, 3e12]][k % 6];
        let unit = if s > t { s } else { t };
        let apart = [1.9 * s + 0.2 * t, s + 1.02 * t, 0.5 * s + 0.5 * t][k % 3];
        let away = if k % 7 == 0 { 1e6 * unit } else { 0.0 };
        let pa = pose(&mut random, [away, 0.0, -away]);
        let pb = pose(&mut random, [away + apart, 0.1 * s, 0.05 * s - away]);
        let (a, b) = (Operand { scale: s, ..a.at(&pa) }, Operand { scale: t, ..b.at(&pb) });
        let least = if s < t { s } else { t };
        found += check(&a, &b, [0.0, 0.05, 0.5][k / 2 % 3] * least);
    }
    assert!(found > 1_000, "{found}");
}

/// For an instance scaled by a power of two, all results have the same bits as for a mesh that was built larger.
#[test]
fn an_instance_twice_as_large_is_the_mesh_of_twice_the_vertices() {
    let mut random = Random(32);
    let (x, y) = (bumpy(&mut random, 4, 1.0, true), bumpy(&mut random, 4, 1.0, true));
    let build = |v: &[[f64; 3]], s: f64| {
        Body::new(&v.iter().map(|p| p.map(|x| x * s)).collect::<Vec<_>>(), Halo::Uniform(0.01 * s), Scalar::F64)
    };
    for [s, t] in [[2.0, 1.0], [0.25, 2.0], [0.5, 0.5]] {
        let (pa, pb) = (pose(&mut random, [0.0; 3]), pose(&mut random, [0.9 * (s + t), 0.1, 0.0]));
        let (a, b) = (build(&x, 1.0), build(&y, 1.0));
        let (a, b) = (Operand { scale: s, ..a.at(&pa) }, Operand { scale: t, ..b.at(&pb) });
        let (large_a, large_b) = (build(&x, s), build(&y, t));
        let (large_a, large_b) = (large_a.at(&pa), large_b.at(&pb));
        let list = run(Isa::best(), &a, &b, 0.4, 10_000).expect("pairs");
        assert_eq!(list, run(Isa::best(), &large_a, &large_b, 0.4, 10_000).expect("pairs"));
        assert!(list.len() > 20, "{}", list.len());
        let place: Vec<[f64; 3]> = (0..200).map(|_| [0; 3].map(|_| 3.0 * (random.next() - 0.5))).collect();
        let at = |operand: &Operand<'_>| {
            let mut out = [PointOnMesh::default(); 200];
            let scratch = memory(points_scratch(operand).expect("scratch").size);
            points(Isa::best(), operand, Array::from_f64(&place), 1.0, &mut out, scratch).expect("points");
            let mut winding = [0.0; 200];
            winding_numbers(operand, Array::from_f64(&place), &mut winding).expect("winding");
            (out, winding)
        };
        assert_eq!(at(&a), at(&large_a));
    }
}

#[test]
fn a_scale_that_is_none_is_refused() {
    let mut random = Random(33);
    let a = Body::new(&bumpy(&mut random, 1, 1.0, false), Halo::Uniform(0.0), Scalar::F64);
    let good = a.at(&Pose::IDENTITY);
    for (scale, kind) in
        [(0.0, Kind::OutOfRange), (-1.0, Kind::OutOfRange), (1e-200, Kind::OutOfRange), (f64::NAN, Kind::NotFinite)]
    {
        let bad = Operand { scale, ..good };
        let wanted = |place| Err(Error::new(kind, What::Scale).at(place, 0));
        assert_eq!(run(Isa::best(), &bad, &good, 0.0, 10).map(|_| ()), wanted(0));
        assert_eq!(run(Isa::best(), &good, &bad, 0.0, 10).map(|_| ()), wanted(1));
        let scratch = memory(points_scratch(&bad).expect("scratch").size);
        assert_eq!(points(Isa::best(), &bad, Array::from_f64(&[]), 1.0, &mut [], scratch), wanted(0));
    }
}
