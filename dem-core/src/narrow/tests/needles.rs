//! Tests with solids of many long and narrow triangles, each of which touches few of the other body: the number of tested pairs is proportional to
//! their number.

use super::*;
use crate::narrow::traverse::{Goal, Part, Traversal, stack_size};
use core::cell::Cell;
use core::f64::consts::TAU;

/// The corners of a polygon of `n` sides at a height, rotated by a fraction of a side.
fn polygon(n: usize, radius: f64, height: f64, part: f64) -> Vec<[f64; 3]> {
    let at = |i: usize| TAU * (i as f64 + part) / n as f64;
    (0..n).map(|i| [radius * at(i).cos(), radius * at(i).sin(), height]).collect()
}

/// Triangles between two polygons; the first one may be a point.
fn band(from: &[[f64; 3]], to: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let n = to.len();
    let at = |i: usize| from[i % from.len()];
    let side = |i: usize| {
        let j = (i + 1) % n;
        let whole = if from.len() > 1 { vec![at(i), at(j), to[j]] } else { vec![] };
        [whole, vec![at(i), to[j], to[i]]].concat()
    };
    (0..n).flat_map(side).collect()
}

/// A pin of `n` sides in a ring of as many. Halos and the gap are as long as a side is wide, so each side has the same number of neighbours for any
/// `n`.
fn pin_in_ring(n: usize) -> [Body; 2] {
    let narrow = 1.2 / n as f64;
    let [low, high] = [-0.5, 0.5].map(|height| polygon(n, 1.0, height, 0.5));
    let pin = [band(&[[0.0, 0.0, -0.5]], &low), band(&low, &high), band(&[[0.0, 0.0, 0.5]], &high)].concat();
    let [[inner, outer], [upper_inner, upper_outer]] =
        [-0.4, 0.4].map(|height| [1.0 + narrow, 1.3].map(|radius| polygon(n, radius, height, 0.0)));
    let ring = [
        band(&upper_inner, &inner),
        band(&inner, &outer),
        band(&outer, &upper_outer),
        band(&upper_outer, &upper_inner),
    ];
    [ring.concat(), pin].map(|corners| Body::new(&corners, Halo::Uniform(narrow), Scalar::F64))
}

/// Counts candidates.
#[derive(Default)]
struct Count {
    threshold: f64,
    candidates: usize,
    /// Pairs of clusters with candidates.
    clusters: Cell<usize>,
}

impl Goal for Count {
    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        self.candidates += candidates.len();
        Ok(true)
    }

    fn chooses(&self) -> bool {
        true
    }

    fn choose(&self, _: [u32; 2], nodes: u32) -> u32 {
        self.clusters.set(self.clusters.get() + 1);
        nodes
    }
}

/// Counts candidates for both thresholds.
struct Twice {
    close: f64,
    counts: [usize; 2],
}

impl Goal for Twice {
    fn threshold(&self) -> f64 {
        0.0
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        self.counts[0] += candidates.len();
        Ok(true)
    }

    fn close(&self) -> Option<f64> {
        Some(self.close)
    }

    fn take_close(&mut self, candidates: &[Key]) -> Result<()> {
        self.counts[1] += candidates.len();
        Ok(())
    }
}

/// For each side: candidates and pairs of clusters; then candidates and close ones of a search with both thresholds.
fn looked_at(isa: Isa, n: usize) -> [f64; 4] {
    let [a, b] = pin_in_ring(n);
    let (a, b) = (a.at(&Pose::IDENTITY), b.at(&Pose::IDENTITY));
    let frame = Frame::new(&a, &b).expect("frame");
    let mut stack = vec![0; stack_size(&a.tree, &b.tree) as usize];
    let mut go = |goal: &mut dyn Goal| {
        let (stack, gaps, part) = (&mut stack[..], &mut [][..], Part::All);
        dispatch(isa, Traversal { a, b, frame: &frame, stack, gaps, goal, part, plain: None }).expect("a sound tree");
    };
    let mut count = Count::default();
    go(&mut count);
    let mut twice = Twice { close: -(a.halo(0) + b.halo(0)), counts: [0; 2] };
    go(&mut twice);
    let [near, close] = twice.counts;
    [count.candidates, count.clusters.get(), near, close].map(|count| count as f64 / n as f64)
}

#[test]
fn a_pin_of_needles_in_a_ring_takes_no_more_for_each_of_more_sides() {
    for isa in Isa::list() {
        let [few, many] = [128, 1024].map(|n| looked_at(*isa, n));
        std::println!("{}: {few:?} {many:?} for each side", isa.name());
        for (few, many) in few.iter().zip(&many) {
            assert!(*many < 1.5 * few + 2.0, "{}: {few} {many}", isa.name());
        }
    }
}
