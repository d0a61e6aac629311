//! The filter: sixteen pairs of surrogates at once, discarded where a direction separates them for certain.
//!
//! Two surrogates need not be looked into when a plane separates their triangles by more than both halos plus the
//! threshold. Three directions are tried: the unit normal of each, and the line of their centroids. In exact arithmetic
//! each of them is a proof; the rest of this comment shows that rounding never makes it a wrong one.
//!
//! # Rounding
//! Let u = 2^-24 and M = reach A + reach B + |t|, with t the vector between both origins in A's frame; no coordinate in
//! A's frame exceeds M. Halos are exact bounds for the triangles *as stored*, so stored numbers carry no error. Fused or
//! not, rounding is bounded by the same terms.
//! * Entries of R, rounded to f32, err by u, and rows have a sum of magnitudes of at most sqrt 3: a component of R x errs
//!   by (1 + 3) u sqrt 3 |x|, t by u |t|, their sum by u M. So a corner of B is displaced by at most 12 u M.
//! * A dot product of a unit vector with a vector of length M errs by 3 u M, a difference of two by 2 u M.
//! * Offsets: n.v of A is stored as one number although its three corners differ by rounding of n: (1 + 3) u M. The same
//!   for B in A's frame: R n errs by 7 u, its corners by 12 u M against each other as above.
//! * A stored unit normal is 1 +- 2 u long, its rotation 1 +- 9 u: the gap is that much smaller than it seems. The
//!   threshold grows by 8 u of itself, the halos are at most M, so 9 u M more.
//! * The direction of the centroids is any vector; its own rounding does not matter, its length errs by 3 u, the dots by
//!   3 u M. Both sides of g > T |d| are squared, T^2 d.d is taken 1 + 32 u larger.
//!
//! The sum is less than 56 u M; the slack is 64 u M. It is added to the threshold together with 64 units of f64 roundoff
//! of the size of the pair of bodies, for what the canonical coordinates (four roundings each) and distances err by.

use super::frame::Relative;
use crate::simd::{Lane, Mask, Simd, Vec3};
use crate::surrogate::Cluster;

/// Bit `4 i + j` is set where node i of `a` and node j of `b` may be within the threshold.
#[inline(always)]
pub(super) fn survivors<S: Simd>(simd: S, a: &Cluster, b: &Cluster, relative: &Relative) -> u32 {
    let mut bits = 0;
    let mut part = 0;
    while part * S::F32::LANES < 16 {
        let test = test::<S::F32>(simd, a, b, relative, part);
        bits |= (!test.separated(simd)).bits() << (part * S::F32::LANES);
        part += 1;
    }
    bits & occupied(a.count(), b.count())
}

/// The same, and for each pair of nodes how far apart everything below is at least: to visit near ones first.
#[inline(always)]
pub(super) fn survivors_by_gap<S: Simd>(
    simd: S,
    a: &Cluster,
    b: &Cluster,
    relative: &Relative,
    gaps: &mut [f32; 16],
) -> u32 {
    let mut bits = 0;
    let mut part = 0;
    while part * S::F32::LANES < 16 {
        let test = test::<S::F32>(simd, a, b, relative, part);
        bits |= (!test.separated(simd)).bits() << (part * S::F32::LANES);
        test.gap(simd).store(gaps, part * S::F32::LANES);
        part += 1;
    }
    bits & occupied(a.count(), b.count())
}

/// Bits of the nodes that exist.
#[inline(always)]
fn occupied(count_a: usize, count_b: usize) -> u32 {
    let columns = 0x1111 * (0xf >> (4 - count_b.clamp(1, 4)));
    columns & (0xffff >> (16 - 4 * count_a.clamp(1, 4)))
}

/// What the three directions say.
struct Test<L> {
    /// Halos, threshold and slack: what must be exceeded.
    threshold: L,
    /// Gap along either normal.
    by_normals: L,
    /// Gap along the line of centroids times its length, and the square of that, enlarged for its rounding.
    by_centres: L,
    length2: L,
}

impl<L: Lane<Scalar = f32>> Test<L> {
    #[inline(always)]
    fn separated(&self, simd: L::Simd) -> L::Mask {
        let zero = L::splat(simd, 0.0);
        let limit = self.threshold * self.threshold * self.length2;
        self.threshold.lt(self.by_normals) | (zero.lt(self.by_centres) & limit.lt(self.by_centres * self.by_centres))
    }

    /// Largest gap less what must be exceeded.
    #[inline(always)]
    fn gap(&self, simd: L::Simd) -> L {
        let zero = L::splat(simd, 0.0);
        let some = zero.lt(self.length2);
        let length = L::select(some, self.length2, L::splat(simd, 1.0)).sqrt();
        let by_centres = L::select(some, self.by_centres / length, zero);
        self.by_normals.max(by_centres) - self.threshold
    }
}

#[inline(always)]
fn test<L: Lane<Scalar = f32>>(simd: L::Simd, a: &Cluster, b: &Cluster, relative: &Relative, part: usize) -> Test<L> {
    let mut pa = [Vec3([L::splat(simd, 0.0); 3]); 3];
    let mut pb = pa;
    for v in 0..3 {
        for c in 0..3 {
            pa[v].0[c] = L::repeat4(simd, &a.rows[3 * v + c], part);
        }
        let x = Vec3([
            L::tile4(simd, &b.rows[3 * v], part),
            L::tile4(simd, &b.rows[3 * v + 1], part),
            L::tile4(simd, &b.rows[3 * v + 2], part),
        ]);
        pb[v] = turned(simd, relative, x);
        for c in 0..3 {
            pb[v].0[c] = pb[v].0[c] + L::splat(simd, relative.translation[c]);
        }
    }
    let threshold =
        L::splat(simd, relative.threshold) + L::repeat4(simd, &a.rows[9], part) + L::tile4(simd, &b.rows[9], part);

    let normal = Vec3([
        L::repeat4(simd, &a.rows[10], part),
        L::repeat4(simd, &a.rows[11], part),
        L::repeat4(simd, &a.rows[12], part),
    ]);
    let (low, high) = range(normal, &pb);
    let offset = L::repeat4(simd, &a.rows[13], part);
    let by_a = (low - offset).max(offset - high);

    let normal =
        Vec3([L::tile4(simd, &b.rows[10], part), L::tile4(simd, &b.rows[11], part), L::tile4(simd, &b.rows[12], part)]);
    let normal = turned(simd, relative, normal);
    let offset = dot(normal, pb[0]);
    let (low, high) = range(normal, &pa);
    let by_b = (low - offset).max(offset - high);

    let third = L::splat(simd, 1.0 / 3.0);
    let d = ((pb[0] - pa[0]) + (pb[1] - pa[1]) + (pb[2] - pa[2])).scale(third);
    let (low, _) = range(d, &pb);
    let (_, high) = range(d, &pa);
    let length2 = dot(d, d) * L::splat(simd, 1.0 + 32.0 / 16_777_216.0);
    Test { threshold, by_normals: by_a.max(by_b), by_centres: low - high, length2 }
}

/// Smallest and largest dot product with three corners.
#[inline(always)]
fn range<L: Lane>(direction: Vec3<L>, corners: &[Vec3<L>; 3]) -> (L, L) {
    let (x, y, z) = (dot(direction, corners[0]), dot(direction, corners[1]), dot(direction, corners[2]));
    (x.min(y).min(z), x.max(y).max(z))
}

#[inline(always)]
fn dot<L: Lane>(a: Vec3<L>, b: Vec3<L>) -> L {
    let ([a, b, c], [x, y, z]) = (a.0, b.0);
    a.fused(x, b.fused(y, c * z))
}

#[inline(always)]
fn turned<L: Lane<Scalar = f32>>(simd: L::Simd, relative: &Relative, v: Vec3<L>) -> Vec3<L> {
    let mut out = v;
    for c in 0..3 {
        let [x, y, z] = relative.turn[c];
        out.0[c] = v.0[0].fused(L::splat(simd, x), v.0[1].fused(L::splat(simd, y), v.0[2] * L::splat(simd, z)));
    }
    out
}
