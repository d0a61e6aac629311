//! Distances of points to triangles in single-precision lanes, for the search: each lane has a triangle, or each lane has a point.

use crate::simd::{Lane, Mask, Vec3};

/// Candidates of one batch: corner k, component c is row `3 k + c`.
pub(super) type Rows = [[f32; BATCH]; 9];
/// Candidates of a batch, for any number of lanes.
pub(super) const BATCH: usize = 16;

/// A triangle per lane in its own plane: corners (0, 0), (length, 0) and (x, y) with y >= 0.
pub(super) struct Planar<L: Lane> {
    corner: Vec3<L>,
    /// The direction of side 0-1, the direction across it in the plane, and the normal.
    pub axes: [Vec3<L>; 3],
    /// x and y of the last corner.
    apex: [L; 2],
    half0: L,
    tangent1: [L; 2],
    side1: L,
    middle1: L,
    half1: L,
    tangent2: [L; 2],
    half2: L,
    /// Points whose outward distances are all below this lie over the face; without a face, no point does.
    inside: L,
    zero: L,
    pub area: L,
    pub perimeter: L,
}

/// Lengths relative to a part of size 1; shorter vectors have no direction.
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
            apex: [x, y],
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

    /// Unit vector and length; for length 0 the vector is along x.
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
    pub fn perpendicular(simd: L::Simd, u: Vec3<L>) -> Vec3<L> {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let steep = u.0[0].abs().lt(L::splat(simd, 0.7));
        let v = u.cross(Vec3([L::select(steep, one, zero), L::select(steep, zero, one), zero]));
        v.scale(one / v.dot(v).sqrt())
    }

    /// Squared distance of a point in each lane.
    #[inline(always)]
    pub fn distance2(&self, p: Vec3<L>) -> L {
        let r = p - self.corner;
        let [u, v, n] = self.axes;
        let (x, y, h) = (u.dot(r), v.dot(r), n.dot(r));
        let zero = self.zero;
        // For each edge: the outward distance s, and how far the point is beyond its ends.
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

/// Numbers for feet of points in addition to a [`Planar`]: 1 over the length of each side and over the height.
pub(super) struct Feet<L> {
    side: [L; 3],
    height: L,
}

/// Derivatives of the volume with its halo by the corners, along the axes, and by the halo.
pub(super) struct Slopes<L> {
    pub corner: [Vec3<L>; 3],
    pub halo: L,
}

impl<L: Lane<Scalar = f32>> Planar<L> {
    #[inline(always)]
    pub fn feet(&self, simd: L::Simd) -> Feet<L> {
        let (one, tiny) = (L::splat(simd, 1.0), L::splat(simd, TINY));
        let side = [
            one / (self.half0 + self.half0).max(tiny),
            one / (self.half1 + self.half1).max(tiny),
            one / (self.half2 + self.half2).max(tiny),
        ];
        Feet { side, height: one / self.apex[1].max(tiny) }
    }

    /// For a point in each lane, the weights of the corners in the closest point of the triangle, and the vector from there to the point, along the
    /// axes.
    #[inline(always)]
    pub fn foot(&self, feet: &Feet<L>, simd: L::Simd, p: Vec3<L>) -> ([L; 3], Vec3<L>) {
        let (zero, half, one) = (self.zero, L::splat(simd, 0.5), L::splat(simd, 1.0));
        let r = p - self.corner;
        let [u, v, n] = self.axes;
        let (x, y, h) = (u.dot(r), v.dot(r), n.dot(r));
        // For each side: the outward distance, the position along the side from its middle, and the parameter on the side from 0 to 1.
        let s1 = self.tangent1[1] * x - self.tangent1[0] * y - self.side1;
        let s2 = self.tangent2[1] * x - self.tangent2[0] * y;
        let t0 = x - self.half0;
        let t1 = self.tangent1[0] * x + self.tangent1[1] * y - self.middle1;
        let t2 = self.tangent2[0] * x + self.tangent2[1] * y + self.half2;
        let on0 = t0.max(-self.half0).min(self.half0);
        let on1 = t1.max(-self.half1).min(self.half1);
        let on2 = t2.max(-self.half2).min(self.half2);
        let (end0, end1, end2) = (t0 - on0, t1 - on1, t2 - on2);
        let d0 = y * y + end0 * end0;
        let d1 = s1 * s1 + end1 * end1;
        let d2 = s2 * s2 + end2 * end2;
        let (on0, on1, on2) = (on0 * feet.side[0] + half, on1 * feet.side[1] + half, on2 * feet.side[2] + half);
        let first = d0.lt(d1);
        let last = d2.lt(d0.min(d1));
        let b = L::select(last, zero, L::select(first, on0, one - on1));
        let c = L::select(last, one - on2, L::select(first, zero, on1));
        let over = (-y).max(s1).max(s2).lt(self.inside);
        let rise = y * feet.height;
        let b = L::select(over, (x - rise * self.apex[0]) * feet.side[0], b);
        let c = L::select(over, rise, c);
        let foot_x = b * (self.half0 + self.half0) + c * self.apex[0];
        ([one - b - c, b, c], Vec3([x - foot_x, y - c * self.apex[1], h]))
    }

    /// Derivatives of the logarithm of the [`objective`](super::pattern_search::objective), times the volume.
    #[inline(always)]
    pub fn slopes(&self, simd: L::Simd, halo: L, exponent: u32) -> Slopes<L> {
        let (zero, half, one) = (self.zero, L::splat(simd, 0.5), L::splat(simd, 1.0));
        let pi = L::splat(simd, core::f32::consts::PI);
        let (length, [x, y]) = (self.half0 + self.half0, self.apex);
        let rim = halo * halo * pi * half;
        let volume =
            halo * (self.area + self.area) + rim * self.perimeter + halo * halo * halo * pi * L::splat(simd, 4.0 / 3.0);
        let power = L::splat(simd, 0.5 * exponent as f32) * volume / halo;
        let by_halo = self.area + self.area + pi * halo * (self.perimeter + L::splat(simd, 4.0) * halo) + power;
        let ([a1, b1], [a2, b2]) = (self.tangent1, self.tangent2);
        let corner = [
            Vec3([rim * (a2 - one) - halo * y, rim * b2 + halo * (x - length), zero]),
            Vec3([rim * (one - a1) + halo * y, -(rim * b1) - halo * x, zero]),
            Vec3([rim * (a1 - a2), rim * (b1 - b2) + halo * length, zero]),
        ];
        Slopes { corner, halo: by_halo }
    }
}

/// A batch of candidates: `LANES` of them from `at` on.
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
