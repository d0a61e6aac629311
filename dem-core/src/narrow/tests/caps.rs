//! Tests of the caps of two small bodies against all pairs decided one by one.

use super::*;
use crate::narrow::facing_caps::{Cap, lie_apart, take_caps};
use crate::simd::{Kernel, Simd};

struct Take<'t, 'c> {
    of: [&'t Operand<'t>; 2],
    frame: &'t Frame,
    threshold: f64,
    caps: &'c mut [Cap; 2],
}

impl Kernel for Take<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> bool {
        let Take { of: [a, b], frame, threshold, caps: [of_a, of_b] } = self;
        let threshold = threshold / frame.scales[0];
        take_caps::<S::F32>(simd, [&a.tree, &b.tree], frame, [threshold; 2], [of_a, of_b]).is_some()
    }
}

/// The triangles of a cap.
fn triangles(cap: &Cap) -> Vec<u32> {
    cap.clusters().iter().flat_map(|cluster| cluster.link[..cluster.count()].to_vec()).collect()
}

#[test]
fn nothing_that_is_near_is_left_out_and_most_else_is() {
    let mut random = Random(41);
    let (mut taken, mut left, mut all, mut near, mut aparts) = (0, 0, 0, 0, 0);
    for k in 0..100 {
        let mesh =
            |random: &mut Random, n| Body::new(&bumpy(random, n, 1.0, k % 3 == 0), Halo::Uniform(0.01), Scalar::F64);
        // Some meshes are so large that parts of them have their own origins.
        let (m, n) = if k % 10 == 0 { (9, 12) } else { ([2, 3, 4][k % 3], [1, 3, 4][k / 3 % 3]) };
        let (a, b) = (mesh(&mut random, m), mesh(&mut random, n));
        let [s, t] = [[1.0, 1.0], [1.0, 0.3], [0.2, 1.0], [1e4, 2e4], [3e-9, 3e-9]][k % 5];
        let away = if k % 7 == 0 { 1e5 * s } else { 0.0 };
        let apart = (0.7 + 0.4 * random.next()) * (s + t);
        let way = [random.next() - 0.5, random.next() - 0.5, random.next() - 0.5];
        let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (pa, pb) = (pose(&mut random, [away; 3]), pose(&mut random, way.map(|x| away + x / length * apart)));
        let (a, b) = (Operand { scale: s, ..a.at(&pa) }, Operand { scale: t, ..b.at(&pb) });
        let (frame, threshold) = (Frame::new(&a, &b).expect("frame"), 0.02 * random.next() * s);
        let pairs = brute(&a, &b);
        let reach = |pair: Key| (a.halo(ids(pair).0 as usize) + b.halo(ids(pair).1 as usize)) + threshold;
        for isa in Isa::list() {
            let is_apart = lie_apart(*isa, [&a.tree, &b.tree], &frame, threshold);
            assert!(!is_apart || pairs.iter().all(|(pair, distance)| *distance > reach(*pair)), "{k} {}", isa.name());
            aparts += usize::from(is_apart);
            let mut caps = [Cap::default(), Cap::default()];
            let take = Take { of: [&a, &b], frame: &frame, threshold, caps: &mut caps };
            if !dispatch(*isa, take) {
                continue;
            }
            let of_both = [triangles(&caps[0]), triangles(&caps[1])];
            taken += 1;
            left += of_both[0].len() + of_both[1].len();
            all += a.mesh.len() + b.mesh.len();
            for (pair, distance) in &pairs {
                let (i, j) = ids(*pair);
                if *distance <= (a.halo(i as usize) + b.halo(j as usize)) + threshold {
                    near += 1;
                    assert!(of_both[0].contains(&i) && of_both[1].contains(&j), "{k} {} {i} {j}", isa.name());
                }
            }
        }
    }
    assert!(taken > 100 && near > 1000 && 3 * left < all, "{taken} {near} {left} {all}");
    assert!(aparts > 20, "{aparts}");
}

#[test]
fn bodies_that_are_deep_in_each_other_go_the_other_way() {
    let mut random = Random(42);
    let [small, large] =
        [3, 9].map(|n| Body::new(&bumpy(&mut random, n, 1.0, false), Halo::Uniform(0.01), Scalar::F64));
    let (here, there) = (Pose::IDENTITY, pose(&mut random, [0.3, 0.1, 0.0]));
    for (a, b) in [(large.at(&here), large.at(&there)), (small.at(&here), small.at(&here))] {
        let frame = Frame::new(&a, &b).expect("frame");
        let mut caps = [Cap::default(), Cap::default()];
        assert!(!dispatch(Isa::best(), Take { of: [&a, &b], frame: &frame, threshold: 0.0, caps: &mut caps }));
    }
}
