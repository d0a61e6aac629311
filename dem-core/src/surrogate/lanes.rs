//! Distances of points to triangles in single-precision lanes, for the search: a triangle in every lane, or a point.

use crate::simd::{Lane, Mask, Vec3};

/// Candidates of one batch: corner k, component c is row `3 k + c`.
pub(super) type Rows = [[f32; BATCH]; 9];
/// Candidates of a batch, whatever the lanes.
pub(super) const BATCH: usize = 16;

/// A triangle per lane in its own plane: corners (0, 0), (length, 0) and (x, y) with y >= 0.
pub(super) struct Planar<L: Lane> {
    corner: Vec3<L>,
    axes: [Vec3<L>; 3],
    half0: L,
    tangent1: [L; 2],
    side1: L,
    middle1: L,
    half1: L,
    tangent2: [L; 2],
    half2: L,
    /// Points with all outward distances below this lie over the face; nothing does where there is none.
    inside: L,
    zero: L,
    pub area: L,
    pub perimeter: L,
}

/// Lengths are relative to a part of size 1; what is smaller has no direction.
const TINY: f32 = 1e-12;
const FLAT: f32 = 1e-6;

impl<L: Lane<Scalar = f32>> Planar<L> {
    #[inline(always)]
    pub fn new(simd: L::Simd, [a, b, c]: [Vec3<L>; 3]) -> Self {
        let (zero, one, half) = (L::splat(simd, 0.0), L::splat(simd, 1.0), L::splat(simd, 0.5));
        let tiny = L::splat(simd, TINY);
        let (e0, e1) = (b - a, c - a);
        let length = e0.dot(e0).sqrt();
        let inverse = one / length.max(tiny);
        let straight = tiny.lt(length);
        let u = Vec3::select(straight, e0.scale(inverse), Vec3([one, zero, zero]));
        let x = e1.dot(u);
        let up = e1 - u.scale(x);
        let y = up.dot(up).sqrt();
        let face = (L::splat(simd, FLAT) * (length + x.abs()) + tiny).lt(y);
        let mut v = up.scale(one / y.max(tiny));
        if !face.all() {
            v = Vec3::select(face, v, Self::perpendicular(simd, u));
        }
        let n = u.cross(v);
        let (tangent1, length1) = Self::direction(simd, x - length, y);
        let (tangent2, length2) = Self::direction(simd, -x, -y);
        Planar {
            corner: a,
            axes: [u, v, n],
            half0: length * half,
            tangent1,
            side1: tangent1[1] * length,
            middle1: tangent1[0] * length + length1 * half,
            half1: length1 * half,
            tangent2,
            half2: length2 * half,
            inside: L::select(face, zero, L::splat(simd, f32::MIN)),
            zero,
            area: length * y * half,
            perimeter: length + length1 + length2,
        }
    }

    /// Unit vector and length; along x for a point.
    #[inline(always)]
    fn direction(simd: L::Simd, x: L, y: L) -> ([L; 2], L) {
        let tiny = L::splat(simd, TINY);
        let length = (x * x + y * y).sqrt();
        let inverse = L::splat(simd, 1.0) / length.max(tiny);
        let long = tiny.lt(length);
        let tangent =
            [L::select(long, x * inverse, L::splat(simd, 1.0)), L::select(long, y * inverse, L::splat(simd, 0.0))];
        (tangent, length)
    }

    #[inline(always)]
    fn perpendicular(simd: L::Simd, u: Vec3<L>) -> Vec3<L> {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let steep = u.0[0].abs().lt(L::splat(simd, 0.7));
        let v = u.cross(Vec3([L::select(steep, one, zero), L::select(steep, zero, one), zero]));
        v.scale(one / v.dot(v).sqrt())
    }

    /// Squared distance of a point per lane.
    #[inline(always)]
    pub fn distance2(&self, p: Vec3<L>) -> L {
        let r = p - self.corner;
        let [u, v, n] = self.axes;
        let (x, y, h) = (u.dot(r), v.dot(r), n.dot(r));
        let zero = self.zero;
        // To each edge: outward distance s, and what a point lies beyond its ends.
        let s0 = -y;
        let end0 = ((x - self.half0).abs() - self.half0).max(zero);
        let s1 = self.tangent1[1] * x - self.tangent1[0] * y - self.side1;
        let t1 = self.tangent1[0] * x + self.tangent1[1] * y - self.middle1;
        let end1 = (t1.abs() - self.half1).max(zero);
        let s2 = self.tangent2[1] * x - self.tangent2[0] * y;
        let t2 = self.tangent2[0] * x + self.tangent2[1] * y + self.half2;
        let end2 = (t2.abs() - self.half2).max(zero);
        let edges = (s0 * s0 + end0 * end0).min(s1 * s1 + end1 * end1).min(s2 * s2 + end2 * end2);
        let over = s0.max(s1).max(s2).lt(self.inside);
        L::select(over, zero, edges) + h * h
    }
}

/// A batch of candidates, `LANES` of them from `at` on.
#[inline(always)]
pub(super) fn candidates<L: Lane<Scalar = f32>>(simd: L::Simd, rows: &Rows, at: usize) -> Planar<L> {
    let mut corners = [Vec3::splat(simd, [0.0; 3]); 3];
    let mut k = 0;
    while k < 9 {
        corners[k / 3].0[k % 3] = L::load(simd, &rows[k], at);
        k += 1;
    }
    Planar::new(simd, corners)
}

/// One triangle in all lanes.
#[inline(always)]
pub(super) fn single<L: Lane<Scalar = f32>>(simd: L::Simd, triangle: &[[f32; 3]; 3]) -> Planar<L> {
    let [a, b, c] = *triangle;
    Planar::new(simd, [Vec3::splat(simd, a), Vec3::splat(simd, b), Vec3::splat(simd, c)])
}
