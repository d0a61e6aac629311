//! Group `huge`: bodies against boxes in a tree. Not compared with a peer.

use crate::broad::scene;
use crate::clock::{SAMPLES, median, time};
use dem_core::broad::BoxCandidate;
use dem_core::exec::Serial;
use dem_tests::huge::{Huge, Tree};
use dem_tests::random::Random;

/// The whole group. A thousand boxes, each a tenth of the box around all bodies long at most, and walls around these:
/// near every body, and far from all.
pub fn run(_: &mut crate::clock::Table) {
    for n in [100_000, 1_000_000] {
        let scene = scene(n, 10.0, true);
        let side = scene.centres.iter().flatten().fold(0.0, |a: f64, b| a.max(*b));
        let among = Huge::random(1000, side, 0.1 * side, &mut Random::new(3));
        let mut far = among.clone();
        for z in far.low.iter_mut().chain(&mut far.high).map(|c| &mut c[2]) {
            *z += 3.0 * side;
        }
        let mut walls = Huge::default();
        for (axis, at) in [(0, 0.0), (0, side), (1, 0.0), (1, side), (2, 0.0), (2, side)] {
            walls.low.push([0, 1, 2].map(|k| if k == axis { at } else { f64::NEG_INFINITY }));
            walls.high.push([0, 1, 2].map(|k| if k == axis { at } else { f64::INFINITY }));
        }
        for (name, huge) in [("1,000 among bodies", among), ("1,000 far away", far), ("6 walls", walls)] {
            let mut tree = Tree::new(huge.low.len(), n);
            let built = median(
                (0..SAMPLES)
                    .map(|_| time(|| tree.rebuild(&scene.space, &huge).unwrap_or_else(|e| panic!("{e}"))))
                    .collect(),
            );
            let mut out = vec![BoxCandidate::default(); 4 * n];
            let mut count = Ok(0);
            let mut ask = || count = tree.pairs(crate::isa(), &Serial, &scene.query(), &huge, &mut out);
            let asked = median((0..SAMPLES).map(|_| time(&mut ask)).collect()) / n as f64;
            let count = count.unwrap_or_else(|e| panic!("{e}"));
            println!(
                "info huge, {n} bodies, {name}: {asked:.1} ns a body, {count} pairs; {:.0} us to build",
                built / 1e3
            );
        }
    }
}
