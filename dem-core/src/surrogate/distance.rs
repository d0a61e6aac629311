//! Distances of points to a triangle that may be degenerate, rounded so that they are never too small; and the smallest halo.

use glam::DVec3;

use super::lanes::BATCH;
use crate::simd::{Kernel, Lane, Mask, Portable, Simd, Vec3};

/// A triangle, prepared for many points.
pub(super) struct Target {
    corner: DVec3,
    /// Edges 0-1, 0-2, 1-2.
    edge: [DVec3; 3],
    /// 1 over the squared length of each edge; 0 for an edge of length 0.
    inverse: [f64; 3],
    normal: DVec3,
    /// 1 over the squared length of the normal; 0 if the face is no nearer to points than the edges.
    inverse_normal: f64,
}

/// Below this squared sine a triangle lies within 1e-11 of its edges, relative to their length.
const FLAT: f64 = 1e-22;

impl Target {
    pub fn new(triangle: [DVec3; 3]) -> Target {
        let [a, b, c] = triangle;
        let edge = [b - a, c - a, c - b];
        let inverse = edge.map(|e| inverse_or_zero(e.dot(e)));
        let normal = edge[0].cross(edge[1]);
        let area = normal.dot(normal);
        let flat = area <= FLAT * edge[0].dot(edge[0]) * edge[1].dot(edge[1]);
        Target { corner: a, edge, inverse, normal, inverse_normal: if flat { 0.0 } else { inverse_or_zero(area) } }
    }
}

fn inverse_or_zero(x: f64) -> f64 {
    let inverse = 1.0 / x;
    if x > 0.0 && inverse.is_finite() { inverse } else { 0.0 }
}

/// A [`Target`] in all lanes.
struct Wide<L> {
    corner: Vec3<L>,
    edge: [Vec3<L>; 3],
    inverse: [L; 3],
    normal: Vec3<L>,
    inverse_normal: L,
    zero: L,
    one: L,
}

impl<L: Lane<Scalar = f64>> Wide<L> {
    #[inline(always)]
    fn new(simd: L::Simd, t: &Target) -> Self {
        let [e0, e1, e2] = t.edge;
        let [i0, i1, i2] = t.inverse;
        Wide {
            corner: Vec3::splat(simd, t.corner.to_array()),
            edge: [
                Vec3::splat(simd, e0.to_array()),
                Vec3::splat(simd, e1.to_array()),
                Vec3::splat(simd, e2.to_array()),
            ],
            inverse: [L::splat(simd, i0), L::splat(simd, i1), L::splat(simd, i2)],
            normal: Vec3::splat(simd, t.normal.to_array()),
            inverse_normal: L::splat(simd, t.inverse_normal),
            zero: L::splat(simd, 0.0),
            one: L::splat(simd, 1.0),
        }
    }

    /// A triangle in each lane, given as in [`CoverEach`].
    #[inline(always)]
    fn each(simd: L::Simd, rows: &[[f64; BATCH]; 9], at: usize) -> Self {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let mut corners = [Vec3::splat(simd, [0.0; 3]); 3];
        let mut k = 0;
        while k < 9 {
            corners[k / 3].0[k % 3] = L::load(simd, &rows[k], at);
            k += 1;
        }
        let [a, b, c] = corners;
        let edge = [b - a, c - a, c - b];
        let [e0, e1, e2] = edge;
        let squares = [e0.dot(e0), e1.dot(e1), e2.dot(e2)];
        let inverse = [
            Self::inverse_or_zero(simd, squares[0]),
            Self::inverse_or_zero(simd, squares[1]),
            Self::inverse_or_zero(simd, squares[2]),
        ];
        let normal = e0.cross(e1);
        let area = normal.dot(normal);
        let flat = area.le(L::splat(simd, FLAT) * squares[0] * squares[1]);
        let inverse_normal = L::select(flat, zero, Self::inverse_or_zero(simd, area));
        Wide { corner: a, edge, inverse, normal, inverse_normal, zero, one }
    }

    #[inline(always)]
    fn inverse_or_zero(simd: L::Simd, x: L) -> L {
        let (zero, inverse) = (L::splat(simd, 0.0), L::splat(simd, 1.0) / x);
        L::select(zero.lt(x) & inverse.le(L::splat(simd, f64::MAX)), inverse, zero)
    }

    #[inline(always)]
    fn along(&self, r: Vec3<L>, k: usize) -> L {
        let e = self.edge[k];
        let t = (r.dot(e) * self.inverse[k]).min(self.one).max(self.zero);
        let q = r - e.scale(t);
        q.dot(q)
    }

    /// Squared distance of a point in each lane.
    ///
    /// Every value that is compared is the distance to a point *of the triangle* (parameters are clamped before the point
    /// is taken), so rounding in the parameters can only make the result larger; what remains is the rounding of the
    /// subtractions and of the square, a few units in the last place of the coordinates.
    #[inline(always)]
    fn distance2(&self, point: Vec3<L>) -> L {
        let r = point - self.corner;
        let [e0, e1, _] = self.edge;
        let edges = self.along(r, 0).min(self.along(r, 1)).min(self.along(r - e0, 2));
        // These forms of the barycentrics do not cancel for needles; a zero `inverse_normal` leaves corner 0.
        let v = self.normal.dot(r.cross(e1)) * self.inverse_normal;
        let w = self.normal.dot(e0.cross(r)) * self.inverse_normal;
        let over = self.zero.le(v) & self.zero.le(w) & (v + w).le(self.one);
        if !over.any() {
            return edges;
        }
        let q = r - e0.scale(v) - e1.scale(w);
        L::select(over, edges.min(q.dot(q)), edges)
    }
}

/// Squared distance of a point.
pub(super) fn distance2(target: &Target, point: DVec3) -> f64 {
    let mut value = [0.0];
    let simd = Portable::<1, 1>;
    Wide::<<Portable<1, 1> as Simd>::F64>::new(simd, target)
        .distance2(Vec3::splat(simd, point.to_array()))
        .store(&mut value, 0);
    value[0]
}

/// Largest distance plus halo of points from a triangle that is given relative to `origin`.
///
/// All components have the same length, a multiple of [`BATCH`], padded with copies of a point. `halos` has that length too, or is empty and then
/// counts as 0.
pub(super) struct Cover<'a> {
    pub target: &'a Target,
    pub origin: DVec3,
    pub points: [&'a [f64]; 3],
    pub halos: &'a [f64],
}

impl Kernel for Cover<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> f64 {
        let [x, y, z] = self.points;
        let wide = Wide::<S::F64>::new(simd, self.target);
        let origin = Vec3::splat(simd, self.origin.to_array());
        let own = !self.halos.is_empty();
        let mut n = x.len().min(y.len()).min(z.len());
        if own {
            n = n.min(self.halos.len());
        }
        let n = n / BATCH * BATCH;
        let mut largest = S::F64::splat(simd, 0.0);
        let mut i = 0;
        while i < n {
            let p = Vec3([S::F64::load(simd, x, i), S::F64::load(simd, y, i), S::F64::load(simd, z, i)]);
            let squared = wide.distance2(p - origin);
            largest = match own {
                true => largest.max(squared.sqrt() + S::F64::load(simd, self.halos, i)),
                false => largest.max(squared),
            };
            i += <S::F64 as Lane>::LANES;
        }
        if !own {
            largest = largest.sqrt();
        }
        let mut values = [0.0; BATCH];
        largest.store(&mut values, 0);
        let mut most = 0.0;
        let mut l = 0;
        while l < <S::F64 as Lane>::LANES {
            most = if values[l] > most { values[l] } else { most };
            l += 1;
        }
        most
    }
}

/// As [`Cover`], for sixteen parts at once, one in each lane, so that all lanes of a wide register are used.
pub(super) struct CoverEach<'a> {
    /// Corner k, component c, relative to the origin of the part, in row `3 k + c`.
    pub triangles: &'a [[f64; BATCH]; 9],
    pub origins: &'a [[f64; BATCH]; 3],
    /// Rows with the next point of each part.
    pub points: [&'a [f64]; 3],
    /// A halo for each point, or empty.
    pub halos: &'a [f64],
}

impl Kernel for CoverEach<'_> {
    type Output = [f64; BATCH];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [f64; BATCH] {
        let [x, y, z] = self.points;
        let own = !self.halos.is_empty();
        let mut n = x.len().min(y.len()).min(z.len());
        if own {
            n = n.min(self.halos.len());
        }
        let n = n / BATCH * BATCH;
        let mut values = [0.0; BATCH];
        let mut at = 0;
        while at < BATCH {
            let wide = Wide::<S::F64>::each(simd, self.triangles, at);
            let [ox, oy, oz] = self.origins;
            let origin = Vec3([S::F64::load(simd, ox, at), S::F64::load(simd, oy, at), S::F64::load(simd, oz, at)]);
            let mut largest = S::F64::splat(simd, 0.0);
            let mut i = at;
            while i < n {
                let p = Vec3([S::F64::load(simd, x, i), S::F64::load(simd, y, i), S::F64::load(simd, z, i)]);
                let squared = wide.distance2(p - origin);
                largest = match own {
                    true => largest.max(squared.sqrt() + S::F64::load(simd, self.halos, i)),
                    false => largest.max(squared),
                };
                i += BATCH;
            }
            if !own {
                largest = largest.sqrt();
            }
            largest.store(&mut values, at);
            at += <S::F64 as Lane>::LANES;
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::max;
    use crate::simd::{Isa, dispatch};

    /// Random numbers in [-1, 1).
    fn random(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(state: &mut u64) -> DVec3 {
        DVec3::new(random(state), random(state), random(state))
    }

    /// The smallest distance to many points of the triangle, found by refining a grid of barycentric coordinates.
    fn slow(t: [DVec3; 3], p: DVec3) -> f64 {
        let at = |v: f64, w: f64| ((t[0] + (t[1] - t[0]) * v + (t[2] - t[0]) * w) - p).length();
        let (mut v, mut w, mut step) = (0.33, 0.33, 0.33);
        while step > 1e-12 {
            let mut best = (at(v, w), v, w);
            for (i, j) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)] {
                let (a, b) = (max(v + step * i as f64, 0.0), max(w + step * j as f64, 0.0));
                let over = max(a + b, 1.0);
                let (a, b) = (a / over, b / over);
                if at(a, b) < best.0 {
                    best = (at(a, b), a, b);
                }
            }
            if best.0 < at(v, w) { (v, w) = (best.1, best.2) } else { step *= 0.5 }
        }
        at(v, w)
    }

    #[test]
    fn distances_are_those_of_a_slow_search_for_all_kinds_of_triangles() {
        let mut s = 7;
        for i in 0..600 {
            let (a, b, p) = (vector(&mut s), vector(&mut s), vector(&mut s) * 2.0);
            let c = match i % 6 {
                0 => a,
                1 => a + (b - a) * 0.5,
                2 => a + (b - a) * 0.5 + vector(&mut s) * 1e-6,
                3 => a + (b - a) * 3.0 + vector(&mut s) * 1e-13,
                _ => vector(&mut s),
            };
            let t = if i % 12 == 0 { [a, a, a] } else { [a, b, c] };
            let [x, y, z] = p.to_array().map(|c| [c; BATCH]);
            let target = Target::new(t);
            let halos = [[0.25; BATCH]; 1];
            let halos = if i % 2 == 0 { &halos[0][..] } else { &[] };
            let cover =
                |isa| dispatch(isa, Cover { target: &target, origin: DVec3::ZERO, points: [&x, &y, &z], halos });
            let fast = cover(Isa::SCALAR);
            Isa::list().iter().for_each(|&isa| assert_eq!(cover(isa), fast, "{}", isa.name()));
            let rows = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|k| [t[k / 3][k % 3]; BATCH]);
            let each = CoverEach { triangles: &rows, origins: &[[0.0; BATCH]; 3], points: [&x, &y, &z], halos };
            assert_eq!(dispatch(Isa::best(), each), [fast; BATCH], "{i}");
            let slow = slow(t, p) + if halos.is_empty() { 0.0 } else { 0.25 };
            assert!((fast - slow).abs() < 1e-6 * slow + 1e-9, "{i}: {fast} {slow}");
            assert!(fast <= slow + 1e-10, "{i}: {fast} {slow}");
        }
    }
}
