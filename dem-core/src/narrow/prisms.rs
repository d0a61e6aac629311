//! Tests sixteen pairs of triangles at once whether their prisms meet. It is for queries that only need the part of one triangle in the prism of
//! the other one.
//!
//! The prism of a triangle is the space on its outer side, along its normal. Let n be the normal of A, m that of B, T the sum of the halos and all
//! other allowances, and d a direction at right angles to n. Let `d.y > d.x + T |d.m|` for all points y of A and x of B. A point x of B in A's
//! prism would be `y + g n` with y in A, so that `d.x = d.y`. A point y of A in B's prism within T would be `x + g m` with x in B and `|g| <= T`,
//! so that `d.y = d.x + g d.m`. Neither is possible.
//!
//! For the sides e of A, d is `n x e`, which points inwards, so `d.y` is least at the side itself. For the sides e of B, which faces A, d is the
//! opposite of `-n x e`, which points inwards, so `d.x` is largest at the side itself. The length of d is at most that of e, and `|d.m|` is at most
//! `|n x m|` times that. If the triangles do not face each other (`n.m > 0`), neither counts in the prism of the other one under a law of facing
//! triangles. Under a law in which all triangles count, only the sides of A are a proof: for those of B, `-n x e` then points outwards.
//!
//! # Rounding
//! Errors are those of `filter`; let s be twice its slack. In its terms corners are displaced by less than s/7, including what was lost when they
//! were stored. The errors of dot products with d, of sums, and of everything relative to T are below s as well.
//! A plane whose values at the corners of a triangle are off by s/7 has a slope of less than 2/7 s over the least height. The test requires heights
//! of at least T/16, and `T |n.m|` larger than 32 s. So T is larger than 32 s, and heights are known to half of them. Normals, which are those of
//! displaced triangles, are turned by less than 64/7 s/T, and the sign of n.m is certain.
//! In units of the length of e, `T |d.m|` and `T |d.n|` contribute T |n x m| and 64/7 s, and all other errors another s. The last two are less than
//! 11 s, and their square less than 128 s^2. Each square counts twice in the square of a sum.
//!
//! # Range
//! All lengths are less than 2^21 s, so with s at most [`LARGEST`] all squares here are finite; larger s are not tried. If s^2 underflows, all
//! lengths are so small that the square of the gap, which must exceed `UNDERFLOW`, underflows, too.

use super::frame::UNDERFLOW;
use crate::simd::{Lane, Vec3};
use crate::surrogate::Cluster;

/// The largest slack with which [`apart`] may be called: then no length exceeds about 2^28.
pub(super) const LARGEST: f32 = 128.0;

/// The triangles of both bodies, some of which count only within each other's prisms.
#[derive(Clone, Copy)]
pub(crate) struct Plain<'p> {
    /// For each body, where the cells of each triangle begin. A plain triangle has one cell, its prism, so the next number is larger by one.
    pub first: [&'p [u32]; 2],
    /// Whether triangles that do not face each other count as well.
    pub all: bool,
}

impl Plain<'_> {
    /// Bit `4 i + j` is set if triangle i of a fine cluster of A and triangle j of one of B both count only within prisms.
    #[inline(always)]
    pub fn pairs(&self, a: &Cluster, b: &Cluster) -> u32 {
        let [of_a, of_b] = self.first;
        let (mut rows, mut columns) = (0, 0);
        for k in 0..4 {
            rows |= is_plain(of_a, a.link[k]) << (4 * k);
            columns |= is_plain(of_b, b.link[k]) << k;
        }
        (rows * 0xf) & (columns * 0x1111)
    }
}

#[inline(always)]
fn is_plain(first: &[u32], triangle: u32) -> u32 {
    let own = first.get(triangle as usize..).and_then(<[u32]>::first_chunk);
    u32::from(own.is_some_and(|[from, to]| *to == from.wrapping_add(1)))
}

/// Mask of the pairs in which neither triangle has a part that counts in the prism of the other one, within `threshold`; `all` is that of
/// [`Plain`]. It may be false for such pairs. `slack` is twice that of the filter, and at most [`LARGEST`].
#[inline(always)]
pub(super) fn apart<L: Lane<Scalar = f32>>(
    simd: L::Simd,
    of: &Rows<L>,
    threshold: L,
    slack: f32,
    all: bool,
) -> L::Mask {
    let [[a @ .., n], [b @ .., m]] = of;
    let (zero, two) = (L::splat(simd, 0.0), L::splat(simd, 2.0));
    let (s2, t2) = (L::splat(simd, slack * slack), threshold * threshold);
    let of_a = Sides::new(simd, *n, a, b);
    let of_b = Sides::new(simd, -*n, b, a);
    let (tilt, facing) = (n.cross_fused(*m), n.dot_fused(*m));
    let beyond = (t2 * tilt.dot_fused(tilt)).fused(two, s2 * L::splat(simd, 256.0));
    // Both numbers must be positive.
    let turned = t2.fused(facing * facing, -(s2 * L::splat(simd, 1024.0)));
    let high = of_a.higher(simd, t2).min(of_b.higher(simd, t2));
    let away = zero.lt(facing);
    let (by_a, by_b) = (of_a.separate(simd, beyond), of_b.separate(simd, beyond));
    zero.lt(turned.min(high)) & if all { by_a | (by_b & !away) } else { away | by_a | by_b }
}

/// The distances by which the other triangle lies beyond the sides of a triangle.
struct Sides<L> {
    /// The distance of the whole other triangle beyond each side, times the length of the side, and the square of that length.
    gaps: [(L, L); 3],
    /// Square of the longest side.
    longest2: L,
    /// Twice the area.
    twice: L,
}

impl<L: Lane<Scalar = f32>> Sides<L> {
    /// The triangle lies to the left of its sides if one looks against `n`.
    #[inline(always)]
    fn new(simd: L::Simd, n: Vec3<L>, own: &[Vec3<L>; 3], other: &[Vec3<L>; 3]) -> Self {
        let zero = L::splat(simd, 0.0);
        let (mut gaps, mut longest2, mut twice) = ([(zero, zero); 3], zero, zero);
        for k in 0..3 {
            let e = own[(k + 1) % 3] - own[k];
            let d = n.cross_fused(e);
            let here = d.dot_fused(own[k]);
            let there = d.dot_fused(other[0]).max(d.dot_fused(other[1])).max(d.dot_fused(other[2]));
            let length2 = e.dot_fused(e);
            gaps[k] = (here - there, length2);
            longest2 = longest2.max(length2);
            if k == 0 {
                twice = d.dot_fused(own[2]) - here;
            }
        }
        Sides { gaps, longest2, twice }
    }

    /// Mask of the pairs in which the whole other triangle is farther beyond a side than a limit; `beyond` is the square of the limit, per square
    /// of the side's length.
    // Inlined like all functions on lanes: a function that is not inlined into a kernel is compiled without its instructions. This also holds for
    // closures that are called twice.
    #[inline(always)]
    fn separate(&self, simd: L::Simd, beyond: L) -> L::Mask {
        let zero = L::splat(simd, 0.0);
        let mut most = zero;
        for (gap, length2) in self.gaps {
            most = most.max(gap.fused(gap.max(zero), -(beyond * length2)));
        }
        L::splat(simd, UNDERFLOW).lt(most)
    }

    /// Positive if the least height is larger than a sixteenth of the root of `t2`.
    #[inline(always)]
    fn higher(&self, simd: L::Simd, t2: L) -> L {
        (self.twice * self.twice).fused(L::splat(simd, 256.0), -(t2 * self.longest2))
    }
}

/// Three corners and the normal of a node of A and of a node of B, for several pairs of nodes.
pub(super) type Rows<L> = [[Vec3<L>; 4]; 2];
