//! Discards candidates that are too far apart along a direction at right angles to an edge of both triangles. The filter does not test such
//! directions, so it lets such candidates through; this test is faster than the later ones.
//!
//! With edges e_i = a_(i+1) - a_i of A, f_j of B, and their normals N and M (not normalised), the direction is n = e_i x f_j. Along n, A extends
//! from edge i by `-f_j.N` to its third corner, B from edge j by `e_i.M`, and the edges are `n.(b_j - a_i)` apart. So few numbers give the extents
//! of both triangles.
//!
//! # Rounding in f64
//! Let u = 2^-53. Canonical coordinates are less than 2, so edges are less than 4; E and F are the longest ones. A coordinate errs by 8 u
//! at most, n by `(3 + 8) u E F`, which counts once for each coordinate of `b_j - a_i`, the triple products by `12 u E F` for each unit of
//! the third edge. So the gap along n errs by less than `200 u E F`. The test subtracts `2^-42 (E^2 + F^2)` from it, twenty times as much.
//! The gap is compared with `reach |n|`, which is larger by a part of 2^-20 than needed, and so are squares. A term added to it covers too
//! short an n. The reach is wider by 2^-45 than halos, because other frames err by 128 u.

use core::mem;

use super::Operand;
use super::decide::{Corners, place};
use super::frame::Frame;
use super::key::{Key, ids};
use super::undecided::Hits;
use crate::real::min;
use crate::simd::{Kernel, Lane, Mask, Simd, Vec3};
use crate::triangle::kernel::{Aligned, Vertices};

/// Times the sum of the squares of the longest edges: a bound, with reserve, of the rounding error of a gap.
const GAP_ERROR: f64 = 1.0 / (1u64 << 42) as f64;

/// Smaller gaps count as 0, because their squares underflow.
const TINY: f64 = 1e-100;

/// By how much a reach is enlarged: a factor, and a canonical length.
const WIDER: [f64; 2] = [1.0 + 1.0 / (1 << 20) as f64, 1.0 / (1u64 << 45) as f64];

/// Pairs that are tested together: as many as the widest vector has numbers.
const COLUMNS: usize = 8;

/// Moves the keys of a list that may be hits to the front, keeping their order, and does the same for a second list with a smaller reach. Gives
/// both numbers.
///
/// The second list is mostly a subset of the first one, in the same order; then one pass tests both.
pub(super) struct Sift<'t, 'k> {
    pub a: Operand<'t>,
    pub b: Operand<'t>,
    pub frame: &'t Frame,
    pub near: (Hits<'t>, &'k mut [Key]),
    pub close: (Hits<'t>, &'k mut [Key]),
}

impl Kernel for Sift<'_, '_> {
    type Output = [usize; 2];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [usize; 2] {
        let Sift { a, b, frame, near: (hits, keys), close: (close_hits, close_keys) } = self;
        let corners = [Corners::new(&a.mesh), Corners::new(&b.mesh)];
        let Aligned(input) = &mut Aligned::new();
        let mut work = Work { frame, corners, input };
        let mut close = Close { hits: close_hits, keys: close_keys, seen: 0, kept: 0 };
        let (mut hits, mut keys, mut before, mut numbers) = (hits, keys, [0; 2], [0; 2]);
        for number in &mut numbers {
            *number = work.sift(simd, &hits, keys, before, &mut close);
            // Then the keys of the second list that are not in the first one.
            (hits, before) = (close.hits, [close.seen, close.kept]);
            keys = mem::take(&mut close.keys);
            (close.seen, close.kept) = (0, 0);
        }
        numbers
    }
}

/// The list with the smaller reach.
struct Close<'t, 'k> {
    hits: Hits<'t>,
    keys: &'k mut [Key],
    /// Number of its keys that the pass over the other list has met; `kept`: how many of these may be hits. Those are at the front.
    seen: usize,
    kept: usize,
}

/// The frame and the meshes, and room for the corners of some pairs.
struct Work<'t, 'i> {
    frame: &'t Frame,
    corners: [Corners<'t>; 2],
    input: &'i mut [[f64; COLUMNS]; 18],
}

impl Work<'_, '_> {
    /// Sifts a list of which `seen` keys have been tested and `kept` of these may be hits.
    #[inline(always)]
    fn sift<S: Simd>(
        &mut self,
        simd: S,
        hits: &Hits<'_>,
        keys: &mut [Key],
        [seen, kept]: [usize; 2],
        close: &mut Close<'_, '_>,
    ) -> usize {
        let Work { frame, corners: [corners_a, corners_b], input } = self;
        let mut reach = [[0.0; COLUMNS]; 2];
        let wider = |reach: f64| reach * frame.scale * WIDER[0] + WIDER[1];
        let (mut from, mut kept) = (seen, kept);
        while from < keys.len() {
            let number = min(keys.len() - from, COLUMNS);
            let mut both = 0;
            for (c, key) in keys[from..from + number].iter().enumerate() {
                let (i, j) = ids(*key);
                corners_a.gather(i as usize, c, &mut input[..9]);
                corners_b.gather(j as usize, c, &mut input[9..]);
                reach[0][c] = wider(hits.reach(*key));
                reach[1][c] = wider(close.hits.reach(*key));
                if close.keys.get(close.seen) == Some(key) {
                    (both, close.seen) = (both | 1 << c, close.seen + 1);
                }
            }
            let (mut apart, mut at) = ([0; 2], 0);
            while at < number {
                let few = S::Few::LANES < S::F64::LANES && number - at <= S::Few::LANES;
                let [near, beyond] = if few {
                    lanes::<S::Few>(simd.few(), frame, input, &reach, at)
                } else {
                    lanes::<S::F64>(simd, frame, input, &reach, at)
                };
                apart = [apart[0] | near << at, apart[1] | beyond << at];
                at += if few { S::Few::LANES } else { S::F64::LANES };
            }
            for c in 0..number {
                let key = keys[from + c];
                keys[kept] = key;
                kept += (!apart[0] >> c & 1) as usize;
                if both >> c & 1 != 0 {
                    close.keys[close.kept] = key;
                    close.kept += (!apart[1] >> c & 1) as usize;
                }
            }
            from += number;
        }
        kept
    }
}

/// The square of the longest of three vectors.
// A function, because a closure that is called twice is not inlined, and would be compiled without the instructions of the kernel.
#[inline(always)]
fn longest2<L: Lane<Scalar = f64>>(x: [Vec3<L>; 3]) -> L {
    x[0].dot(x[0]).max(x[1].dot(x[1])).max(x[2].dot(x[2]))
}

/// The bits of the columns `at ..` whose triangles are farther apart than the larger reach, and than the smaller reach.
#[inline(always)]
fn lanes<L: Lane<Scalar = f64>>(
    simd: L::Simd,
    frame: &Frame,
    input: &[[f64; COLUMNS]; 18],
    reach: &[[f64; COLUMNS]; 2],
    at: usize,
) -> [u32; 2] {
    let (zero, slack) = (L::splat(simd, 0.0), L::splat(simd, GAP_ERROR));
    let a: Vertices<L> = place(simd, frame, 0, input, 0, at);
    let b: Vertices<L> = place(simd, frame, 1, input, 9, at);
    let (reach, close) = (L::load(simd, &reach[0], at), L::load(simd, &reach[1], at));
    let (reach, close) = (reach * reach, close * close);
    let e = [a[1] - a[0], a[2] - a[1], a[0] - a[2]];
    let f = [b[1] - b[0], b[2] - b[1], b[0] - b[2]];
    let (normal_a, normal_b) = (e[0].cross(e[1]), f[0].cross(f[1]));
    let slack = (longest2(e) + longest2(f)) * slack + L::splat(simd, TINY);
    // The extent of each triangle along each direction, measured from an edge: where it begins and where it ends.
    let (mut of_a, mut of_b) = ([[zero; 2]; 3], [[zero; 2]; 3]);
    for k in 0..3 {
        let (third_a, third_b) = (-f[k].dot(normal_a), e[k].dot(normal_b));
        of_a[k] = [zero.min(third_a), zero.max(third_a)];
        of_b[k] = [zero.min(third_b), zero.max(third_b)];
    }
    let mut apart = [zero.lt(zero); 2];
    for i in 0..3 {
        for j in 0..3 {
            let n = e[i].cross(f[j]);
            let between = n.dot(b[j] - a[i]);
            let ([from_a, to_a], [from_b, to_b]) = (of_a[j], of_b[i]);
            let gap = (between + (from_b - to_a)).max((from_a - to_b) - between) - slack;
            let (length2, gap2, ahead) = (n.dot(n), gap * gap, zero.lt(gap));
            apart[0] = apart[0] | (ahead & (reach * length2).lt(gap2));
            apart[1] = apart[1] | (ahead & (close * length2).lt(gap2));
        }
    }
    [apart[0].bits(), apart[1].bits()]
}
