//! The integrals of a triangle between two heights above a plane.

use glam::DVec3;

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
}

/// A corner of a polygon and its height.
pub(super) type Corner = (DVec3, f64);

/// Largest number of corners of a triangle that has been cut twice.
pub(super) const MOST: usize = 5;

/// The integrals over the part of a triangle between the heights `low` and `high`; `None` where this part has no area.
/// `normal` is the triangle's unit normal.
pub(super) fn slab(
    corners: &[DVec3; 3],
    heights: [f64; 3],
    normal: DVec3,
    [low, high]: [f64; 2],
    unit: f64,
    halo: f64,
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
    (piece.area > 0.0).then_some(piece)
}

/// Clips the polygon to the part below the height `at`, or above it where `side` is -1.
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
