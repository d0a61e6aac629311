//! The integrals of a triangle between two heights above a plane.

use glam::DVec3;

use crate::contact::spread::{Tensor, add_product};
use crate::real::min;

/// Integrals over a part of a triangle, with the pressure `p = (T - h) / unit`: h is the height, T the halo.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Piece {
    /// `int dA`
    pub area: f64,
    /// `int p dA`
    pub pressure: f64,
    /// `int p x dA`
    pub first: DVec3,
    /// `int p h dA`
    pub lift: f64,
    /// `int x dA`
    pub even: DVec3,
    /// The smallest height.
    pub least: f64,
    /// Second moment of the pressure about its centre, over the pressure, for points moved by a vector times their height; only if requested.
    pub second: Tensor,
    /// `int x dA` of these moved points.
    pub shifted: DVec3,
}

/// A corner of a polygon and its height.
pub(super) type Corner = (DVec3, f64);

/// Largest number of corners of a triangle that has been cut twice.
pub(super) const MOST: usize = 5;

/// The integrals over the part of a triangle between the heights `low` and `high`; `None` if this part has no area.
/// `normal` is the triangle's unit normal.
pub(super) fn slab(
    corners: &[DVec3; 3],
    heights: [f64; 3],
    normal: DVec3,
    [low, high]: [f64; 2],
    [unit, halo]: [f64; 2],
    spread: Option<DVec3>,
) -> Option<Piece> {
    let mut polygon = [(DVec3::ZERO, 0.0); MOST];
    for k in 0..3 {
        polygon[k] = (corners[k], heights[k]);
    }
    let (polygon, count) = cut(&polygon, 3, high, 1.0);
    let (polygon, count) = if low.is_finite() { cut(&polygon, count, low, -1.0) } else { (polygon, count) };
    let mut piece = Piece { least: f64::INFINITY, ..Piece::default() };
    for k in 2..count {
        piece.add([polygon[0], polygon[k - 1], polygon[k]], normal, |h| (halo - h) / unit);
    }
    if let Some(moved) = spread.filter(|_| piece.pressure > 0.0) {
        let centre = (piece.first + moved * piece.lift) / piece.pressure;
        for k in 2..count {
            piece.widen([polygon[0], polygon[k - 1], polygon[k]], normal, (centre, moved), |h| (halo - h) / unit);
        }
        piece.second = piece.second.map(|x| x / piece.pressure);
    }
    (piece.area > 0.0).then_some(piece)
}

/// Clips the polygon to the part below the height `at`, or to the part above it if `side` is -1.
pub(super) fn cut(polygon: &[Corner; MOST], count: usize, at: f64, side: f64) -> ([Corner; MOST], usize) {
    let (mut kept, mut number) = ([(DVec3::ZERO, 0.0); MOST], 0);
    let mut push = |corner: Corner| {
        if let Some(to) = kept.get_mut(number) {
            *to = corner;
            number += 1;
        }
    };
    for k in 0..count {
        let (p, q) = (polygon[k], polygon[if k + 1 < count { k + 1 } else { 0 }]);
        let (over_p, over_q) = (side * (p.1 - at), side * (q.1 - at));
        if over_p <= 0.0 {
            push(p);
        }
        if (over_p < 0.0 && over_q > 0.0) || (over_p > 0.0 && over_q < 0.0) {
            // Interpolated from the lower end, so that both triangles of an edge cut it at the same point.
            let (p, q) = if p.1 < q.1 { (p, q) } else { (q, p) };
            push((p.0 + (q.0 - p.0) * ((at - p.1) / (q.1 - p.1)), at));
        }
    }
    (kept, number)
}

impl Piece {
    /// Adds to the second moment. For linear f, g and h, `int f g h` is `area / 60` times the sum of six products.
    fn widen(
        &mut self,
        corners: [Corner; 3],
        normal: DVec3,
        (centre, moved): (DVec3, DVec3),
        law: impl Fn(f64) -> f64,
    ) {
        let [(a, _), (b, _), (c, _)] = corners;
        let area = 0.5 * normal.dot((b - a).cross(c - a));
        let [a, b, c] = corners.map(|(at, height)| at + moved * height - centre);
        self.shifted += (a + b + c + centre * 3.0) * (area * (1.0 / 3.0));
        let p = corners.map(|(_, height)| law(height));
        let all = p[0] + p[1] + p[2];
        let (sum, part) = ((a + b + c).to_array(), area / 60.0);
        add_product(&mut self.second, part * all, sum, sum);
        for (x, p) in [a, b, c].into_iter().zip(p) {
            let x = x.to_array();
            add_product(&mut self.second, part * (all + 2.0 * p), x, x);
            add_product(&mut self.second, part * 2.0 * p, sum, x);
        }
    }

    /// For linear f and h over a triangle, `int f h = area / 12 (sum f sum h + sum f h)`.
    fn add(&mut self, [a, b, c]: [Corner; 3], normal: DVec3, law: impl Fn(f64) -> f64) {
        let area = 0.5 * normal.dot((b.0 - a.0).cross(c.0 - a.0));
        let (mut p, mut x, mut h, mut px, mut ph) = (0.0, DVec3::ZERO, 0.0, DVec3::ZERO, 0.0);
        for (at, height) in [a, b, c] {
            let pressure = law(height);
            p += pressure;
            x += at;
            h += height;
            px += at * pressure;
            ph += height * pressure;
            self.least = min(self.least, height);
        }
        self.area += area;
        self.even += x * (area * (1.0 / 3.0));
        self.pressure += area * p * (1.0 / 3.0);
        self.first += (x * p + px) * (area * (1.0 / 12.0));
        self.lift += area * (p * h + ph) * (1.0 / 12.0);
    }
}
