//! Triangles around the points of sixteen parts at once: the start of the descent for small parts.

use super::lanes::{BATCH, Planar};
use super::objective::Points;
use crate::simd::{Lane, Simd, Vec3};

/// Cosines of 0, 30, .. degrees; the sine of an angle is the item three places earlier.
const COS: [f32; 12] = [1.0, A, 0.5, 0.0, -0.5, -A, -1.0, -A, -0.5, 0.0, 0.5, A];
const A: f32 = 0.866_025_4;
/// A length, relative to a part of size 1, below which everything is noise.
const TINY: f32 = 1e-6;

/// A triangle around the points of each lane, in their principal plane: the smallest of four triangles that are regular after scaling the points to
/// equal extents along both axes. Also the distance of the points from that plane.
#[inline(always)]
pub(super) fn around<S: Simd>(
    simd: S,
    points: Points<'_>,
    counts: &[f32; BATCH],
    at: usize,
) -> ([Vec3<S::F32>; 3], S::F32) {
    let half = S::F32::splat(simd, 0.5);
    let axes = axes::<S>(simd, points, counts, at);
    let (low, high) = extents::<S>(simd, points, &axes, at);
    let (middle, reach) = ((low + high).scale(half), (high - low).scale(half));
    let wide = [reach.0[0].max(S::F32::splat(simd, TINY)), reach.0[1].max(S::F32::splat(simd, TINY))];
    let corners = smallest::<S>(simd, &supports::<S>(simd, points, &axes, &middle, &wide, at));
    let mut triangle = [Vec3::splat(simd, [0.0; 3]); 3];
    let mut k = 0;
    while k < 3 {
        let [x, y] = corners[k];
        triangle[k] = axes[0].scale(middle.0[0] + wide[0] * x)
            + axes[1].scale(middle.0[1] + wide[1] * y)
            + axes[2].scale(middle.0[2]);
        k += 1;
    }
    (triangle, reach.0[2])
}

/// A point of each lane.
#[inline(always)]
fn point<S: Simd>(simd: S, points: Points<'_>, i: usize) -> Vec3<S::F32> {
    Vec3([S::F32::load(simd, points.x, i), S::F32::load(simd, points.y, i), S::F32::load(simd, points.z, i)])
}

/// Unit vectors in the directions of the largest, the middle and the smallest spread.
#[inline(always)]
fn axes<S: Simd>(simd: S, points: Points<'_>, counts: &[f32; BATCH], at: usize) -> [Vec3<S::F32>; 3] {
    let (zero, one) = (S::F32::splat(simd, 0.0), S::F32::splat(simd, 1.0));
    let (none, tiny) = (Vec3::splat(simd, [0.0; 3]), S::F32::splat(simd, TINY));
    let counts = S::F32::load(simd, counts, at);
    // Sums of xx, yy, zz, and of yz, zx, xy.
    let (mut sum, mut square, mut mixed) = (none, none, none);
    let (mut row, mut i) = (zero, at);
    while i < points.len() {
        let p = Vec3::select(row.lt(counts), point::<S>(simd, points, i), none);
        let [x, y, z] = p.0;
        sum = sum + p;
        square = square + Vec3([x * x, y * y, z * z]);
        mixed = mixed + Vec3([y * z, z * x, x * y]);
        row = row + one;
        i += BATCH;
    }
    let mean = sum.scale(one / counts.max(one));
    let ([sx, sy, sz], [mx, my, mz]) = (sum.0, mean.0);
    let spread = Symmetric {
        diagonal: square - Vec3([sx * mx, sy * my, sz * mz]),
        mixed: mixed - Vec3([sy * mz, sz * mx, sx * my]),
    };
    let u = spread.dominant(simd, Vec3([one, zero, zero]));
    let rest = spread.without(u);
    let other = Planar::perpendicular(simd, u);
    let v = rest.dominant(simd, other);
    let v = v - u.scale(u.dot(v));
    let length = v.dot(v).sqrt();
    let v = Vec3::select(tiny.lt(length), v.scale(one / length.max(tiny)), other);
    [u, v, u.cross(v)]
}

/// A symmetric matrix: diagonal, and the elements yz, zx, xy.
#[derive(Clone, Copy)]
struct Symmetric<L> {
    diagonal: Vec3<L>,
    mixed: Vec3<L>,
}

impl<L: Lane<Scalar = f32>> Symmetric<L> {
    #[inline(always)]
    fn columns(&self) -> [Vec3<L>; 3] {
        let ([x, y, z], [yz, zx, xy]) = (self.diagonal.0, self.mixed.0);
        [Vec3([x, xy, zx]), Vec3([xy, y, yz]), Vec3([zx, yz, z])]
    }

    /// The matrix without the part along a unit eigenvector.
    #[inline(always)]
    fn without(&self, u: Vec3<L>) -> Self {
        let [a, b, c] = self.columns();
        let value = Vec3([a.dot(u), b.dot(u), c.dot(u)]).dot(u);
        let ([x, y, z], by) = (u.0, u.scale(value));
        let [bx, by, bz] = by.0;
        Symmetric {
            diagonal: self.diagonal - Vec3([x * bx, y * by, z * bz]),
            mixed: self.mixed - Vec3([y * bz, z * bx, x * by]),
        }
    }

    /// The unit eigenvector of the largest eigenvalue, by squaring seven times; `other` if there is none.
    #[inline(always)]
    fn dominant(self, simd: L::Simd, other: Vec3<L>) -> Vec3<L> {
        let least = L::splat(simd, 1e-30);
        let mut of = self;
        let mut k = 0;
        while k < 7 {
            let [x, y, z] = of.diagonal.0;
            let inverse = L::splat(simd, 1.0) / (x + y + z).max(least);
            let scaled = Symmetric { diagonal: of.diagonal.scale(inverse), mixed: of.mixed.scale(inverse) };
            let [a, b, c] = scaled.columns();
            of = Symmetric {
                diagonal: Vec3([a.dot(a), b.dot(b), c.dot(c)]),
                mixed: Vec3([b.dot(c), c.dot(a), a.dot(b)]),
            };
            k += 1;
        }
        let ([a, b, c], [x, y, z]) = (of.columns(), of.diagonal.0);
        let column = Vec3::select(x.max(y).lt(z), c, Vec3::select(x.lt(y), b, a));
        let squared = column.dot(column);
        let unit = column.scale(L::splat(simd, 1.0) / squared.max(least).sqrt());
        Vec3::select(least.lt(squared), unit, other)
    }
}

/// Smallest and largest coordinate along each axis.
#[inline(always)]
fn extents<S: Simd>(simd: S, points: Points<'_>, axes: &[Vec3<S::F32>; 3], at: usize) -> (Vec3<S::F32>, Vec3<S::F32>) {
    let (mut low, mut high) = (Vec3::<S::F32>::splat(simd, [f32::MAX; 3]), Vec3::<S::F32>::splat(simd, [f32::MIN; 3]));
    let mut i = at;
    while i < points.len() {
        let p = point::<S>(simd, points, i);
        let mut c = 0;
        while c < 3 {
            let x = axes[c].dot(p);
            (low.0[c], high.0[c]) = (low.0[c].min(x), high.0[c].max(x));
            c += 1;
        }
        i += BATCH;
    }
    (low, high)
}

/// Extents of points in twelve directions of the plane, scaled to an extent of 1 along either axis.
#[inline(always)]
fn supports<S: Simd>(
    simd: S,
    points: Points<'_>,
    axes: &[Vec3<S::F32>; 3],
    middle: &Vec3<S::F32>,
    wide: &[S::F32; 2],
    at: usize,
) -> [S::F32; 12] {
    let one = S::F32::splat(simd, 1.0);
    let (mut low, mut high) = ([S::F32::splat(simd, f32::MAX); 6], [S::F32::splat(simd, f32::MIN); 6]);
    let (u, v) = (axes[0].scale(one / wide[0]), axes[1].scale(one / wide[1]));
    let (x0, y0) = (middle.0[0] / wide[0], middle.0[1] / wide[1]);
    let mut i = at;
    while i < points.len() {
        let p = point::<S>(simd, points, i);
        let (x, y) = (u.dot(p) - x0, v.dot(p) - y0);
        let mut k = 0;
        while k < 6 {
            let h = x * S::F32::splat(simd, COS[k]) + y * S::F32::splat(simd, COS[(k + 9) % 12]);
            (low[k], high[k]) = (low[k].min(h), high[k].max(h));
            k += 1;
        }
        i += BATCH;
    }
    let mut out = [one; 12];
    let mut k = 0;
    while k < 6 {
        (out[k], out[k + 6]) = (high[k], -low[k]);
        k += 1;
    }
    out
}

/// The corners of the smallest of the four regular triangles with sides in these directions.
#[inline(always)]
fn smallest<S: Simd>(simd: S, supports: &[S::F32; 12]) -> [[S::F32; 2]; 3] {
    let mut best = [supports[0], supports[4], supports[8]];
    let mut size = best[0] + best[1] + best[2];
    let (mut cos, mut sin) = (S::F32::splat(simd, 1.0), S::F32::splat(simd, 0.0));
    let mut k = 1;
    while k < 4 {
        let of = [supports[k], supports[k + 4], supports[k + 8]];
        let sum = of[0] + of[1] + of[2];
        let less = sum.lt(size);
        let mut j = 0;
        while j < 3 {
            best[j] = S::F32::select(less, of[j], best[j]);
            j += 1;
        }
        size = S::F32::select(less, sum, size);
        cos = S::F32::select(less, S::F32::splat(simd, COS[k]), cos);
        sin = S::F32::select(less, S::F32::splat(simd, COS[(k + 9) % 12]), sin);
        k += 1;
    }
    // Rotated so that one side looks along x; the other sides look 120 degrees to either side.
    let (two, slope) = (S::F32::splat(simd, 2.0), S::F32::splat(simd, 0.5 / A));
    let [a, b, c] = best;
    let plain = [[a, (two * b + a) * slope], [-(b + c), (b - c) * slope], [a, -((two * c + a) * slope)]];
    let mut out = plain;
    let mut k = 0;
    while k < 3 {
        let [x, y] = plain[k];
        out[k] = [cos * x - sin * y, sin * x + cos * y];
        k += 1;
    }
    out
}
