//! One face clipped by one cell, and its integrals.

use super::cells::{Cell, SIDES};
use crate::real::{Real, max, min};

/// A face of the other body, in the frame of the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Its corners.
    pub corners: [[f64; 3]; 3],
    /// Its unit normal, outwards.
    pub normal: [f64; 3],
}

/// The integrals of a face in a cell, with `s = min(t, 2 max(0, t - tau))`, `t = -dot(face normal, cell normal)`, tau the
/// cell's [`dead`](Cell::dead), T the halo and g the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// `s int dA`: a length squared.
    pub area: f64,
    /// `s int (1 - g/T) dA`: a length squared.
    pub pressure: f64,
    /// `s int (1 - g/T) x dA`, in the frame of the cell: a length to the third power.
    pub first: [f64; 3],
    /// The smallest gap there.
    pub least_gap: f64,
}

/// A triangle has three corners, and each of the sides, the floor and the ceiling adds one at most.
const MOST: usize = 3 + SIDES + 2;

/// A convex polygon about the anchor of a cell, in units of about the halo.
struct Polygon {
    corner: [[f64; 3]; MOST],
    count: usize,
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The integrals of `face` over what is inside of the `sides` of `cell` and of `0 <= g <= halo`; `None` where that has no
/// area, where the face does not face the cell, or where the halo is not positive.
///
/// Exact but for rounding: the integrands are polynomials of degree two (`docs/contacts.md`, section 3). Never NaN for finite
/// input whose differences do not overflow. Cost: a few tens of nanoseconds where there is something, a few where not.
pub fn measure(face: &Face, cell: &Cell, sides: &[[f64; 4]], halo: f64) -> Option<Moments> {
    let t = -dot(face.normal, cell.normal);
    let weight = min(t, 2.0 * max(0.0, t - cell.dead));
    if !(weight > 0.0 && halo > 0.0) {
        return None;
    }
    // In units in which the halo is in [1, 2).
    let scale = halo.inverse_exponent();
    let ceiling = halo * scale;
    let corners = face.corners.map(|x| sub(x, cell.anchor).map(|x| x * scale));
    let up = cell.normal.map(|u| u * cell.slope);
    let gaps = corners.map(|y| dot(up, y));
    if gaps.iter().all(|g| *g >= ceiling) || gaps.iter().all(|g| *g < 0.0) {
        return None;
    }
    for [x, y, z, offset] in sides {
        if corners.iter().all(|c| dot([*x, *y, *z], *c) + offset * scale <= 0.0) {
            return None;
        }
    }
    let mut polygon = Polygon::new(corners);
    polygon.clip(up.map(|x| -x), ceiling);
    polygon.clip(up, 0.0);
    for [x, y, z, offset] in sides {
        polygon.clip([*x, *y, *z], offset * scale);
    }
    let sums = polygon.integrate(face.normal, up, 1.0 / ceiling)?;
    let unscale = 1.0 / scale;
    let area = weight * (unscale * unscale);
    let pressure = sums.pressure * area;
    let first = [0, 1, 2].map(|k| sums.first[k] * unscale * area + cell.anchor[k] * pressure);
    Some(Moments { area: sums.area * area, pressure, first, least_gap: sums.least_gap * unscale })
}

impl Polygon {
    #[inline(always)]
    fn new([a, b, c]: [[f64; 3]; 3]) -> Self {
        let mut corner = [[0.0; 3]; MOST];
        (corner[0], corner[1], corner[2]) = (a, b, c);
        Polygon { corner, count: 3 }
    }

    /// Keeps `dot(nu, y) + offset >= 0`.
    #[inline(always)]
    fn clip(&mut self, nu: [f64; 3], offset: f64) {
        let mut height = [0.0; MOST];
        let mut inside = true;
        for (h, y) in height.iter_mut().zip(&self.corner).take(self.count) {
            *h = dot(nu, *y) + offset;
            inside &= *h >= 0.0;
        }
        if !inside {
            self.cut(&height);
        }
    }

    fn cut(&mut self, height: &[f64; MOST]) {
        let old = self.corner;
        let mut count = 0;
        let mut push = |y: [f64; 3]| {
            if let Some(to) = self.corner.get_mut(count) {
                *to = y;
                count += 1;
            }
        };
        for i in 0..self.count {
            let j = if i + 1 < self.count { i + 1 } else { 0 };
            let (hi, hj) = (height[i], height[j]);
            if hi >= 0.0 {
                push(old[i]);
            }
            if (hi >= 0.0) != (hj >= 0.0) {
                let by = hi / (hi - hj);
                push([0, 1, 2].map(|k| old[i][k] + (old[j][k] - old[i][k]) * by));
            }
        }
        self.count = count;
    }

    /// Sums over the triangles about corner 0. For linear f and h over a triangle with their values at its corners,
    /// `int f h = area / 12 (sum f sum h + sum f h)`.
    #[inline(always)]
    fn integrate(&self, normal: [f64; 3], up: [f64; 3], per_ceiling: f64) -> Option<Moments> {
        if self.count < 3 {
            return None;
        }
        let mut sums = Moments { area: 0.0, pressure: 0.0, first: [0.0; 3], least_gap: f64::INFINITY };
        let mut pressure = [0.0; MOST];
        for (p, y) in pressure.iter_mut().zip(&self.corner).take(self.count) {
            let gap = max(dot(up, *y), 0.0);
            sums.least_gap = min(sums.least_gap, gap);
            *p = max(1.0 - gap * per_ceiling, 0.0);
        }
        let (a, pa) = (self.corner[0], pressure[0]);
        for i in 1..self.count - 1 {
            let (b, c) = (self.corner[i], self.corner[i + 1]);
            let (pb, pc) = (pressure[i], pressure[i + 1]);
            let (e, f) = (sub(b, a), sub(c, a));
            let cross = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
            let area = 0.5 * dot(normal, cross);
            let sum = pa + pb + pc;
            sums.area += area;
            sums.pressure += area * (1.0 / 3.0) * sum;
            for k in 0..3 {
                let mixed = sum * (a[k] + b[k] + c[k]) + (pa * a[k] + pb * b[k] + pc * c[k]);
                sums.first[k] += area * (1.0 / 12.0) * mixed;
            }
        }
        (sums.area > 0.0 && sums.pressure > 0.0).then_some(sums)
    }
}
