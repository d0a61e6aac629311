//! Tests of queries against all pairs decided one by one, in every order, with every instruction set.

extern crate std;

mod caps;
mod limits;
mod needles;
pub(crate) mod prisms;
mod scales;
mod selfcross;
mod sift;

use std::vec;
use std::vec::Vec;

use super::decide::{Decide, Decided};
use super::frame::Frame;
use super::key::{Key, ids, key};
use super::*;
use crate::array::{Array, Scalar};
use crate::mesh::{Halo, Mesh, MeshInput};
use crate::simd::{Isa, dispatch};
use crate::surrogate::{Options, Tree, TreeSizes};
use crate::triangle::Block;
use crate::triangle::tests::Random;

/// Aligned memory that is never freed.
pub(crate) fn memory(bytes: usize) -> &'static mut [u8] {
    let block: &'static mut [u8] = vec![0; bytes + 64].leak();
    let skip = block.as_ptr().align_offset(64);
    &mut block[skip..skip + bytes]
}

#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub mesh: MeshRef<'static>,
    pub tree: TreeRef<'static>,
}

impl Body {
    pub fn new(corners: &[[f64; 3]], halo: Halo<'_>, scalar: Scalar) -> Body {
        Body::with_tree(corners, halo, scalar, &Options::default())
    }

    pub fn with_tree(corners: &[[f64; 3]], halo: Halo<'_>, scalar: Scalar, options: &Options) -> Body {
        let input = MeshInput { vertices: Array::from_f64(corners), triangles: None, scalar, halo };
        let sizes = input.sizes().expect("sizes");
        let scratch = memory(crate::mesh::build_scratch(&sizes).expect("scratch").size);
        let block = memory(Mesh::layout(&sizes).expect("layout").size);
        let mesh = Mesh::from_arrays(block, &input, scratch).expect("mesh");
        let sizes = TreeSizes::new(mesh.len() as u32, options).expect("sizes");
        let scratch = memory(crate::surrogate::build_scratch(&mesh.sizes, options).expect("scratch").size);
        let block = memory(Tree::layout(&sizes).expect("layout").size);
        Body { mesh, tree: Tree::from_mesh(block, &mesh, options, scratch, Isa::best()).expect("tree") }
    }

    pub fn at<'p>(&self, pose: &'p Pose) -> Operand<'p> {
        Operand { mesh: self.mesh, tree: self.tree, pose, scale: 1.0 }
    }
}

/// A bumpy closed surface of 8 n^2 triangles, of about this radius. With `spoil`, every 16th triangle is degenerate or damaged in some way.
pub(crate) fn bumpy(random: &mut Random, n: usize, radius: f64, spoil: bool) -> Vec<[f64; 3]> {
    let (a, b, c) = (random.next() * 6.0, random.next() * 6.0, random.next() * 6.0);
    let place = |u: [f64; 3]| {
        let l = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
        let d = u.map(|x| x / l);
        let bump = 1.0 + 0.1 * ((5.0 * d[0] + a).sin() + (4.0 * d[1] + b).sin() + (6.0 * d[2] + c).sin());
        d.map(|x| x * radius * bump)
    };
    let mut out = Vec::new();
    for octant in 0..8 {
        let sign = [0, 1, 2].map(|k| if octant >> k & 1 == 0 { 1.0 } else { -1.0 });
        let at = |i: usize, j: usize| {
            let (x, y) = (i as f64 / n as f64, j as f64 / n as f64);
            place([x * sign[0], y * sign[1], (1.0 - x - y) * sign[2]])
        };
        for i in 0..n {
            for j in 0..n - i {
                out.extend([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < n {
                    out.extend([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    if spoil {
        for t in (0..out.len() / 3).step_by(16) {
            match t / 16 % 4 {
                0 => out[3 * t + 1] = out[3 * t],
                1 => out[3 * t + 2] = [0, 1, 2].map(|k| 0.5 * (out[3 * t][k] + out[3 * t + 1][k])),
                2 => (out[3 * t + 1], out[3 * t + 2]) = (out[3 * t], out[3 * t]),
                _ => out[3 * t] = out[3 * t].map(|x| 1.5 * x),
            }
        }
    }
    out
}

pub(crate) fn pose(random: &mut Random, position: [f64; 3]) -> Pose {
    Pose { position, orientation: [0; 4].map(|_| random.next() - 0.5) }
}

/// Canonical distances of all pairs.
fn brute(a: &Operand<'_>, b: &Operand<'_>) -> Vec<(Key, f64)> {
    struct All(Vec<(Key, f64)>);
    impl Decided for All {
        fn put(&mut self, keys: &[Key], block: &Block<f64>) {
            self.0.extend(keys.iter().copied().zip(block.distance));
        }
    }
    let frame = Frame::new(a, b).expect("frame");
    let keys: Vec<Key> =
        (0..a.mesh.len() as u32).flat_map(|i| (0..b.mesh.len() as u32).map(move |j| key(i, j))).collect();
    let mut all = All(Vec::new());
    dispatch(Isa::best(), Decide { a: *a, b: *b, frame: &frame, keys: &keys, out: &mut all });
    all.0
}

fn run(isa: Isa, a: &Operand<'_>, b: &Operand<'_>, margin: f64, capacity: usize) -> Result<Vec<TrianglePair>> {
    let mut out = vec![TrianglePair::default(); capacity];
    let scratch = memory(pairs_scratch(a, b, capacity)?.size);
    let number = pairs(isa, a, b, margin, &mut out, scratch)?;
    out.truncate(number);
    Ok(out)
}

fn check(a: &Operand<'_>, b: &Operand<'_>, margin: f64) -> usize {
    let all = brute(a, b);
    let want: Vec<Key> = all
        .iter()
        .filter(|(k, d)| *d <= (a.halo(ids(*k).0 as usize) + b.halo(ids(*k).1 as usize)) + margin)
        .map(|(k, _)| *k)
        .collect();
    let got = run(Isa::best(), a, b, margin, want.len()).expect("pairs");
    assert_eq!(got.iter().map(|p| key(p.a, p.b)).collect::<Vec<_>>(), want);
    for isa in Isa::list() {
        assert_eq!(run(*isa, a, b, margin, want.len()).expect("pairs"), got, "{}", isa.name());
    }
    // With one place too few, the error gives the exact number.
    if !want.is_empty() {
        let error = run(Isa::best(), a, b, margin, want.len() - 1).expect_err("too small");
        assert_eq!((error.kind, error.needed), (Kind::Capacity, want.len() as u64));
        let error = run(Isa::best(), a, b, margin, 0).expect_err("too small");
        assert_eq!((error.kind, error.needed), (Kind::Capacity, want.len() as u64));
    }
    // The same with the bodies exchanged.
    let mut back = run(Isa::best(), b, a, margin, want.len()).expect("pairs");
    for pair in &mut back {
        *pair = TrianglePair {
            a: pair.b,
            b: pair.a,
            feature_a: pair.feature_b,
            feature_b: pair.feature_a,
            point_a: pair.point_b,
            point_b: pair.point_a,
            ..*pair
        };
    }
    back.sort_by_key(|p| key(p.a, p.b));
    assert_eq!(back, got);

    let scratch = memory(distance_scratch(a, b).expect("scratch").size);
    let least = all.iter().fold(f64::INFINITY, |m, (_, d)| if *d < m { *d } else { m });
    let nearest = min_distance(Isa::best(), a, b, f64::INFINITY, scratch).expect("distance").expect("a pair");
    assert_eq!(nearest.distance, least);
    let mut witness = None;
    for isa in Isa::list() {
        let again = min_distance(*isa, a, b, least, scratch).expect("distance");
        assert_eq!(again, Some(nearest), "{}", isa.name());
        assert_eq!(any_pair(*isa, a, b, margin, scratch), Ok(!want.is_empty()));
        let any =
            min_distance_with(*isa, a, b, f64::INFINITY, Witness::Any, scratch).expect("distance").expect("a pair");
        if least > 0.0 {
            assert_eq!(any, nearest);
            continue;
        }
        assert_eq!(any, *witness.get_or_insert(any), "{}", isa.name());
        assert!(all.iter().any(|(key, d)| *d == 0.0 && *key == super::key(any.a, any.b)), "{any:?}");
        assert_eq!((any.distance, any.point_a), (0.0, any.point_b));
    }
    if least > 0.0 {
        assert_eq!(min_distance(Isa::best(), a, b, least.next_down(), scratch), Ok(None));
    }
    want.len()
}

#[test]
fn queries_equal_brute_force() {
    let mut random = Random(11);
    let mut found = 0;
    for k in 0..24 {
        let (na, nb) = ([2, 5, 7][k % 3], [3, 6, 1][k / 3 % 3]);
        let spoil = k % 2 == 0;
        let a = Body::new(&bumpy(&mut random, na, 1.0, spoil), Halo::Uniform(0.01), Scalar::F64);
        let size = [1.0, 0.1, 1e-3, 1e-6][k % 4];
        let scalar = if k % 5 == 0 { Scalar::F32 } else { Scalar::F64 };
        let b = Body::new(&bumpy(&mut random, nb, size, spoil), Halo::Uniform(0.02 * size), scalar);
        let away = if k % 7 == 0 { 1e6 } else { 0.0 };
        let apart = [1.9 * size + 0.2, 1.02, 0.5 + 0.9 * size][k % 3];
        let pa = pose(&mut random, [away, 0.0, -away]);
        let pb = pose(&mut random, [away + apart, 0.1, 0.05 - away]);
        found += check(&a.at(&pa), &b.at(&pb), [0.0, 0.05, 0.5][k / 2 % 3]);
    }
    assert!(found > 10_000, "{found}");
}

#[test]
fn halos_of_single_triangles_count() {
    let mut random = Random(13);
    let corners = bumpy(&mut random, 5, 1.0, false);
    let halos: Vec<[f64; 3]> = (0..corners.len() / 3).map(|i| [0.1 * (i % 3) as f64, 0.0, 0.0]).collect();
    let a = Body::new(&corners, Halo::Each(Array::from_f64(&halos)), Scalar::F64);
    let b = Body::new(&bumpy(&mut random, 4, 1.0, false), Halo::Uniform(0.01), Scalar::F64);
    let (pa, pb) = (pose(&mut random, [0.0; 3]), pose(&mut random, [1.7, 0.1, 0.0]));
    assert!(check(&a.at(&pa), &b.at(&pb), 0.0) > 10);
}

#[test]
fn scaling_by_a_power_of_two_scales_the_answer() {
    let mut random = Random(14);
    let (a, b) = (bumpy(&mut random, 4, 1.0, true), bumpy(&mut random, 4, 1.0, true));
    let (pa, pb) = (pose(&mut random, [0.0; 3]), pose(&mut random, [1.7, 0.1, 0.0]));
    let scaled = |s: f64| {
        let big = |v: &[[f64; 3]]| v.iter().map(|p| p.map(|x| x * s)).collect::<Vec<_>>();
        let (a, b) = (
            Body::new(&big(&a), Halo::Uniform(0.01 * s), Scalar::F64),
            Body::new(&big(&b), Halo::Uniform(0.01 * s), Scalar::F64),
        );
        let move_to = |p: &Pose| Pose { position: p.position.map(|x| x * s), ..*p };
        run(Isa::best(), &a.at(&move_to(&pa)), &b.at(&move_to(&pb)), 0.1 * s, 10_000).expect("pairs")
    };
    let want = scaled(1.0);
    assert!(want.len() > 20);
    for e in [-40, -10, 3, 40] {
        let s = libm::ldexp(1.0, e);
        let got = scaled(s);
        assert_eq!(got.len(), want.len());
        for (g, w) in got.iter().zip(&want) {
            assert_eq!((g.a, g.b, g.distance, g.point_a), (w.a, w.b, w.distance * s, w.point_a.map(|x| x * s)));
        }
    }
}

#[test]
fn bad_arguments_are_named() {
    let mut random = Random(15);
    let a = Body::new(&bumpy(&mut random, 1, 1.0, false), Halo::Uniform(0.0), Scalar::F64);
    let good = Pose::IDENTITY;
    let nan = Pose { position: [0.0, f64::NAN, 0.0], ..good };
    let zero = Pose { orientation: [0.0; 4], ..good };
    let error = |pa: &Pose, pb: &Pose, margin: f64| run(Isa::best(), &a.at(pa), &a.at(pb), margin, 10).map(|_| ());
    assert_eq!(error(&nan, &good, 0.0), Err(Error::new(Kind::NotFinite, What::PoseA).at(0, 1)));
    assert_eq!(error(&good, &zero, 0.0), Err(Error::new(Kind::OutOfRange, What::PoseB).at(0, 3)));
    assert_eq!(error(&good, &good, f64::NAN), Err(Error::new(Kind::NotFinite, What::Margin)));
    assert_eq!(error(&good, &good, -1.0), Err(Error::new(Kind::OutOfRange, What::Margin)));
    let b = Body::new(&bumpy(&mut random, 2, 1.0, false), Halo::Uniform(0.0), Scalar::F64);
    let mixed = Operand { mesh: a.mesh, tree: b.tree, pose: &good, scale: 1.0 };
    assert_eq!(run(Isa::best(), &a.at(&good), &mixed, 0.0, 10), Err(Error::new(Kind::Mismatch, What::TreeB)));
}
