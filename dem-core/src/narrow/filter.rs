//! The filter: tests sixteen pairs of surrogates at once, and discards those that a direction certainly separates.
//!
//! A pair of surrogates can be discarded if a plane separates their triangles by more than both halos plus the threshold. Three directions are
//! tried: the unit normal of each, and the line of their centroids. In exact arithmetic each of them is a proof; the rest of this comment shows
//! that rounding never makes it a wrong one.
//!
//! # Needles
//! Two long and narrow triangles, side by side or crossed, mostly have centroids that are farther apart along the triangles than across them, so
//! the line of centroids does not separate them. On a cylinder of n facets, each has a fraction of n such neighbours: of order n^2 pairs in all. So
//! if most pairs are left, two more directions are tried: in the plane of each triangle, across its longest edge.
//!
//! # Rounding
//! Let u = 2^-24, a and b the largest distances of a corner from its origin, h both halos, t the vector between the origins
//! in A's frame; a node's reach is at least its a or b with its halo. Halos are exact bounds for the triangles *as stored*,
//! so stored numbers carry no error. Fused or not, rounding is bounded by the same terms. A rotation's matrix of magnitudes
//! has a norm of at most sqrt 3. In units of u:
//! * Corners of B in A's frame: an entry of R errs by 1 of itself, a sum of three products by 3, so R x by 4 sqrt 3 b; t and
//!   the sum add 1 |t| and 1 (b + |t|). A corner is displaced by at most 8 b + 2 |t|.
//! * A dot product of a unit vector with a corner of A errs by 3 a, with one of B by 3 (b + |t|), a difference of two by 1 of
//!   itself. With the displacement: 3 a + 11 b + 5 |t| in every direction.
//! * Normal of A: its own rounding (1), and that of the edges from which it was computed (0.2: `write` drops normals that are less certain), turn
//!   it out of the plane, so that n.v differs by 2.4 a between corners. Stored as one number, n.v errs by 1 a. That is 3.4 a in place of 3 a.
//! * Normal of B: R n errs by 4 sqrt 3, so its corners differ by 2 b (4 sqrt 3 + 1.2) = 16.2 b: 27.2 b in place of 11 b.
//! * A normal is up to 1 + 8 u long after rotation, so a gap g may be 8 g too large; the difference adds 1 g.
//! * The bound T that a gap must exceed is the threshold s with slack, plus two halos: two roundings, of 2 (|s| + h) at most.
//! * The direction of the centroids is any vector, and so is one across an edge; its rounding does not matter. Both sides of g > T |d| are squared;
//!   T^2 and d.d err by 1 and 3, the products by 1 each. d.d is taken 1 + 32 u larger, which covers twice that.
//!
//! A gap is never larger than a + b + |t|, so the sum is at most 12.4 a + 36.2 b + 14 |t| + 2 h + 2 |s|. A gap that is kept for a later threshold
//! has three more roundings: of g - T, of s, and of their sum, 2 (a + b + |t|) + 4 h + 3 |s| at most. If B's clusters are scaled, their numbers are
//! rounded once more: corners by 1 b, which deviate from the plane of their normal by another 2 b, and halos by 1 h. All of it is below the slack,
//! `15 reach A + 45 reach B + 17 |t| + 12 |s|`. Added to it are [`UNDERFLOW`], and 128 units of f64 roundoff of the size of the pair of bodies: see
//! `frame`. (Gaps below 0 may exceed a negative T. That is correct, because no distance is that small.)
//!
//! # Range
//! If a host's mode flushes to zero, underflow in a sum of products loses up to the smallest normal number for each of about fifty operations;
//! `UNDERFLOW` is more than that. It is added to d.d, too, which may vanish as a whole. If T^2 vanishes, the reaches are so small that g^2 vanishes
//! as well. Numbers that overflow compare as not separated, except if only g^2 overflows, which then is larger than the other side. A gap to be
//! kept is minus infinity if it is not finite.

use super::frame::{Relative, UNDERFLOW};
use super::prisms::{Rows, apart};
use crate::simd::{Lane, Mask, Simd, Vec3};
use crate::surrogate::Cluster;

/// Bit `4 i + j` is set where node i of `a` and node j of `b` may be within the threshold.
#[inline(always)]
pub(super) fn survivors<S: Simd>(simd: S, a: &Cluster, b: &Cluster, relative: &Relative) -> u32 {
    let turned = turned::<S::F32>(simd, b, relative);
    let there = occupied(a.count(), b.count());
    let mut bits = 0;
    let mut part = 0;
    while part * S::F32::LANES < 16 {
        let rows = rows::<S::F32>(simd, a, &turned, part);
        let test = test::<S::F32>(simd, [a, b], &rows, relative.threshold, part);
        let mut left = (!test.separated(simd)).bits();
        if are_most::<S::F32>(left & there >> (part * S::F32::LANES)) {
            left &= !Across::new(simd, &rows).separated(simd, test.threshold).bits();
        }
        bits |= left << (part * S::F32::LANES);
        part += 1;
    }
    bits & there
}

/// The results for a pair of fine clusters, as bits like those of [`survivors`].
#[derive(Clone, Copy)]
pub(super) struct Fine {
    pub survivors: u32,
    /// Those of `survivors` that may be within the second threshold.
    pub close: u32,
    /// Those of `survivors` that are pairs of `plain` triangles whose prisms do not meet.
    pub apart: u32,
}

/// As [`survivors`], with two thresholds. The slack is that of the larger threshold, so it covers the rounding of both.
#[inline(always)]
pub(super) fn fine<S: Simd, const PLAIN: bool>(
    simd: S,
    [a, b]: [&Cluster; 2],
    relative: &Relative,
    (plain, all): (u32, bool),
) -> Fine {
    let turned = turned::<S::F32>(simd, b, relative);
    let there = occupied(a.count(), b.count());
    let mut of = Fine { survivors: 0, close: 0, apart: 0 };
    for part in 0..16 / S::F32::LANES {
        let shift = part * S::F32::LANES;
        let rows = rows::<S::F32>(simd, a, &turned, part);
        let mut test = test::<S::F32>(simd, [a, b], &rows, relative.threshold, part);
        let near = test.threshold;
        let mut survivors = (!test.separated(simd)).bits();
        test.threshold = with_halos(simd, [a, b], relative.close, part);
        let mut close = (!test.separated(simd)).bits();
        if are_most::<S::F32>(survivors & there >> shift) {
            let across = Across::new(simd, &rows);
            survivors &= !across.separated(simd, near).bits();
            close &= !across.separated(simd, test.threshold).bits();
        }
        if PLAIN && survivors & (plain >> shift) != 0 {
            of.apart |= apart(simd, &rows, near, relative.slack, all).bits() << shift;
        }
        of.survivors |= survivors << shift;
        of.close |= close << shift;
    }
    let survivors = of.survivors & there;
    Fine { survivors, close: of.close & survivors, apart: of.apart & survivors & plain }
}

/// As [`survivors`]; also writes for each pair of nodes a lower bound of the distance of everything below, less both halos. The caller visits near
/// pairs first, and leaves out pairs that are beyond a later threshold.
#[inline(always)]
pub(super) fn survivors_by_gap<S: Simd>(
    simd: S,
    a: &Cluster,
    b: &Cluster,
    relative: &Relative,
    gaps: &mut [f32; 16],
) -> u32 {
    let turned = turned::<S::F32>(simd, b, relative);
    let mut bits = 0;
    let mut part = 0;
    while part * S::F32::LANES < 16 {
        let rows = rows::<S::F32>(simd, a, &turned, part);
        let test = test::<S::F32>(simd, [a, b], &rows, relative.threshold, part);
        bits |= (!test.separated(simd)).bits() << (part * S::F32::LANES);
        test.gap(simd, relative.asked).store(gaps, part * S::F32::LANES);
        part += 1;
    }
    bits & occupied(a.count(), b.count())
}

/// Bits of the pairs of nodes that exist.
#[inline(always)]
fn occupied(count_a: usize, count_b: usize) -> u32 {
    let columns = 0x1111 * (0xf >> (4 - count_b.clamp(1, 4)));
    columns & (0xffff >> (16 - 4 * count_a.clamp(1, 4)))
}

/// The results of the three directions.
struct Test<L> {
    /// The sum of halos, threshold and slack, which a gap must exceed.
    threshold: L,
    /// The larger gap along the two normals.
    by_normals: L,
    by_centres: Gap<L>,
}

/// The gap along a direction.
#[derive(Clone, Copy)]
struct Gap<L> {
    /// The gap times the length of the direction.
    scaled: L,
    /// The square of this length, enlarged to cover its rounding: never 0.
    length2: L,
}

impl<L: Lane<Scalar = f32>> Gap<L> {
    #[inline(always)]
    fn new(simd: L::Simd, direction: Vec3<L>, scaled: L) -> Self {
        let larger = L::splat(simd, 1.0 + 32.0 / 16_777_216.0);
        Gap { scaled, length2: direction.dot_fused(direction).fused(larger, L::splat(simd, UNDERFLOW)) }
    }

    #[inline(always)]
    fn exceeds(self, simd: L::Simd, threshold: L) -> L::Mask {
        let limit = threshold * threshold * self.length2;
        L::splat(simd, 0.0).lt(self.scaled) & limit.lt(self.scaled * self.scaled)
    }
}

/// Whether so many pairs of one pass are left that [`Across`], which costs about as much as the first test, pays off: three quarters.
#[inline(always)]
fn are_most<L: Lane>(left: u32) -> bool {
    4 * left.count_ones() as usize >= 3 * L::LANES
}

/// The gaps along the directions across the longest edges, each in the plane of its triangle.
struct Across<L>([Gap<L>; 2]);

impl<L: Lane<Scalar = f32>> Across<L> {
    #[inline(always)]
    fn new(simd: L::Simd, [of_a, of_b]: &Rows<L>) -> Self {
        Across([Self::gap(simd, of_a, of_b), Self::gap(simd, of_b, of_a)])
    }

    #[inline(always)]
    fn gap(simd: L::Simd, [own @ .., normal]: &[Vec3<L>; 4], [other @ .., _]: &[Vec3<L>; 4]) -> Gap<L> {
        let direction = normal.cross_fused(longest_edge(own));
        let ((from, to), (other_from, other_to)) = (range(direction, own), range(direction, other));
        Gap::new(simd, direction, (other_from - to).max(from - other_to))
    }

    #[inline(always)]
    fn separated(&self, simd: L::Simd, threshold: L) -> L::Mask {
        self.0[0].exceeds(simd, threshold) | self.0[1].exceeds(simd, threshold)
    }
}

#[inline(always)]
fn longest_edge<L: Lane>([a, b, c]: &[Vec3<L>; 3]) -> Vec3<L> {
    let (e, f, g) = (*b - *a, *c - *b, *a - *c);
    let (of_e, of_f) = (e.dot_fused(e), f.dot_fused(f));
    let longer = Vec3::select(of_e.lt(of_f), f, e);
    Vec3::select(of_e.max(of_f).lt(g.dot_fused(g)), g, longer)
}

impl<L: Lane<Scalar = f32>> Test<L> {
    #[inline(always)]
    fn separated(&self, simd: L::Simd) -> L::Mask {
        self.threshold.lt(self.by_normals) | self.by_centres.exceeds(simd, self.threshold)
    }

    /// The largest gap less halos and slack; `asked` is the threshold without them.
    #[inline(always)]
    fn gap(&self, simd: L::Simd, asked: f32) -> L {
        let by_centres = self.by_centres.scaled / self.by_centres.length2.sqrt();
        let gap = (by_centres.max(self.by_normals) - self.threshold) + L::splat(simd, asked);
        L::select(gap.abs().le(L::splat(simd, f32::MAX)), gap, L::splat(simd, f32::NEG_INFINITY))
    }
}

#[inline(always)]
fn rows<L: Lane<Scalar = f32>>(simd: L::Simd, a: &Cluster, turned: &Turned, part: usize) -> Rows<L> {
    let zero = Vec3([L::splat(simd, 0.0); 3]);
    let (mut of_a, mut of_b) = ([zero; 4], [zero; 4]);
    for k in 0..4 {
        for c in 0..3 {
            of_a[k].0[c] = L::repeat4(simd, &a.rows[Cluster::row(k, c)], part);
            of_b[k].0[c] = L::tile4(simd, &turned.0[Cluster::row(k, c)], part);
        }
    }
    [of_a, of_b]
}

#[inline(always)]
fn test<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    [a, b]: [&Cluster; 2],
    rows: &Rows<L>,
    threshold: f32,
    part: usize,
) -> Test<L> {
    let [[pa @ .., normal_a], [pb @ .., normal_b]] = *rows;
    let threshold = with_halos(simd, [a, b], threshold, part);

    let (low, high) = range(normal_a, &pb);
    let offset = L::repeat4(simd, &a.rows[Cluster::OFFSET], part);
    let by_a = (low - offset).max(offset - high);

    let offset = normal_b.dot_fused(pb[0]);
    let (low, high) = range(normal_b, &pa);
    let by_b = (low - offset).max(offset - high);

    let third = L::splat(simd, 1.0 / 3.0);
    let d = ((pb[0] - pa[0]) + (pb[1] - pa[1]) + (pb[2] - pa[2])).scale(third);
    let (low, _) = range(d, &pb);
    let (_, high) = range(d, &pa);
    Test { threshold, by_normals: by_a.max(by_b), by_centres: Gap::new(simd, d, low - high) }
}

/// The sum of a threshold with slack and both halos.
#[inline(always)]
fn with_halos<L: Lane<Scalar = f32>>(simd: L::Simd, [a, b]: [&Cluster; 2], threshold: f32, part: usize) -> L {
    let (halo_a, halo_b) = (&a.rows[Cluster::HALO], &b.rows[Cluster::HALO]);
    L::splat(simd, threshold) + L::repeat4(simd, halo_a, part) + L::tile4(simd, halo_b, part)
}

/// The smallest and the largest dot product with three corners.
#[inline(always)]
fn range<L: Lane>(direction: Vec3<L>, corners: &[Vec3<L>; 3]) -> (L, L) {
    let (x, y, z) = (direction.dot_fused(corners[0]), direction.dot_fused(corners[1]), direction.dot_fused(corners[2]));
    (x.min(y).min(z), x.max(y).max(z))
}

/// The rows of a cluster in the other one's frame: [`Cluster::row`]. Each coordinate has one cache line.
#[repr(align(64))]
struct Turned([[f32; 4]; 12]);

/// Transforms four vectors at a time, the three corners and the normal, for all four nodes together.
#[inline(always)]
fn turned<L: Lane<Scalar = f32>>(simd: L::Simd, cluster: &Cluster, relative: &Relative) -> Turned {
    let mut out = Turned([[0.0; 4]; 12]);
    let from = cluster.rows.as_flattened();
    let to = out.0.as_flattened_mut();
    let mut at = 0;
    while at < 16 {
        let (x, y, z) = (L::load(simd, from, at), L::load(simd, from, 16 + at), L::load(simd, from, 32 + at));
        for c in 0..3 {
            let row = relative.turn[c];
            let x = x.fused(L::splat(simd, row[0]), y.fused(L::splat(simd, row[1]), z * L::splat(simd, row[2])));
            (x + L::load(simd, &relative.moves[c], at)).store(to, 16 * c + at);
        }
        at += L::LANES;
    }
    out
}

#[cfg(test)]
#[allow(clippy::expect_used)]
#[path = "filter_tests.rs"]
mod tests;
