//! One face in one cell: what has to be cut off, and the integrals over what is left.

use super::cells::{Cell, SIDES};
use super::clip::{Batch, COLUMNS, CUTS, Integrals};
use crate::real::{max, min};
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, dispatch};

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

/// A face, coordinate by coordinate, so that lanes take its corners side by side; what is behind them repeats the last.
#[derive(Clone, Copy)]
pub(super) struct Corners {
    face: Face,
    rows: [[f64; 8]; 3],
    /// The sides from corner 0 to the others.
    sides: [[f64; 3]; 2],
    /// Twice the area.
    twice: f64,
}

impl Corners {
    pub fn new(face: &Face) -> Self {
        let [a, b, c] = face.corners;
        let (e, f) = (sub(b, a), sub(c, a));
        let cross = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
        let rows = [0, 1, 2].map(|k| [a[k], b[k], c[k], c[k], c[k], c[k], c[k], c[k]]);
        Corners { face: *face, rows, sides: [e, f], twice: dot(face.normal, cross) }
    }

    /// The corners as seen from a point.
    #[inline(always)]
    fn from<L: Lane<Scalar = f64>>(&self, simd: L::Simd, point: [f64; 3]) -> [[f64; 8]; 3] {
        let mut from = self.rows;
        let mut at = 0;
        while at < 3 {
            for k in 0..3 {
                (L::load(simd, &self.rows[k], at) - L::splat(simd, point[k])).store(&mut from[k], at);
            }
            at += L::LANES;
        }
        from
    }
}

/// A face and a cell that wait for their integrals.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    corner: [f64; 3],
    sides: [[f64; 3]; 2],
    /// s times twice the face's area.
    weight: f64,
    /// Sum of both halos.
    pub halo: f64,
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The integrals of `face` over what is inside of the `sides` of `cell` (no more than six) and of `0 <= g <= halo`; `None` where
/// that has no area, where the face does not face the cell, or where the halo is not positive.
///
/// Exact but for rounding: the integrands are polynomials of degree two (`docs/contacts.md`, section 3). Never NaN for finite
/// input whose differences do not overflow. Cost: about a hundred nanoseconds; [`contacts`](super::contacts) does many at once.
pub fn measure(face: &Face, cell: &Cell, sides: &[[f64; 4]], halo: f64) -> Option<Moments> {
    dispatch(Isa::SCALAR, One { face, cell, sides, halo })
}

struct One<'o> {
    face: &'o Face,
    cell: &'o Cell,
    sides: &'o [[f64; 4]],
    halo: f64,
}

impl Kernel for One<'_> {
    type Output = Option<Moments>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Option<Moments> {
        let corners = Corners::new(self.face);
        let mut cuts = Cuts::new();
        let waiting =
            cuts.prepare::<S::F64>(simd, &corners, self.cell, self.sides, Reach { halo: self.halo, floor: 0.0 })?;
        let mut batch = Batch::new();
        cuts.put(&mut batch, 0);
        batch.clip::<S::F64>(simd, cuts.number(), 1);
        waiting.moments(&batch.integrals(0))
    }
}

/// From where to where gaps count.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Up to the sum of both halos.
    pub halo: f64,
    /// From a rounding's worth below zero: what is deeper is enclosed (see `penetration`).
    pub floor: f64,
}

/// The gap over the halo at a face's corners, and the heights above all that cuts the face.
pub(super) struct Cuts {
    gap: [f64; 8],
    /// The end of the halo and the surface, then the sides of the cell.
    heights: [[f64; 8]; CUTS],
    ends: usize,
    sides: usize,
}

impl Cuts {
    #[inline(always)]
    pub fn new() -> Self {
        Cuts { gap: [0.0; 8], heights: [[0.0; 8]; CUTS], ends: 0, sides: 0 }
    }

    /// How many half-planes cut the face.
    #[inline(always)]
    pub fn number(&self) -> usize {
        self.ends + self.sides
    }

    /// `None` where it is clear that nothing is left: mostly by the sides, so these come first.
    #[inline(always)]
    pub fn prepare<L: Lane<Scalar = f64>>(
        &mut self,
        simd: L::Simd,
        corners: &Corners,
        cell: &Cell,
        sides: &[[f64; 4]],
        Reach { halo, floor }: Reach,
    ) -> Option<Waiting> {
        let t = -dot(corners.face.normal, cell.normal);
        let weight = min(t, 2.0 * max(0.0, t - cell.dead));
        if !(weight > 0.0 && halo > 0.0) {
            return None;
        }
        let from = corners.from::<L>(simd, cell.anchor);
        self.sides = 0;
        for [x, y, z, offset] in sides.iter().take(SIDES) {
            let height = &mut self.heights[2 + self.sides];
            let mut at = 0;
            while at < 3 {
                (along::<L>(simd, &from, [*x, *y, *z], at) + L::splat(simd, *offset)).store(height, at);
                at += L::LANES;
            }
            let (some, all) = above::<L>(simd, height, false);
            if !some {
                return None;
            }
            self.sides += usize::from(!all);
        }
        let (per_halo, below) = (cell.slope / halo, floor / halo);
        let [high, low, ..] = &mut self.heights;
        let mut at = 0;
        while at < 3 {
            let gap = along::<L>(simd, &from, cell.normal, at) * L::splat(simd, per_halo);
            gap.store(&mut self.gap, at);
            (L::splat(simd, 1.0) - gap).store(high, at);
            (gap + L::splat(simd, below)).store(low, at);
            at += L::LANES;
        }
        // A face that lies on the surface counts.
        let (near, all_near) = above::<L>(simd, high, false);
        let (outside, all_outside) = above::<L>(simd, low, true);
        if !(near && outside) {
            return None;
        }
        self.ends = usize::from(!all_near);
        if !all_outside {
            if all_near {
                *high = *low;
            }
            self.ends += 1;
        }
        let weight = weight * corners.twice;
        Some(Waiting { corner: corners.face.corners[0], sides: corners.sides, weight, halo })
    }

    /// Writes all that waits to a column of a batch.
    #[inline(always)]
    pub fn put(&self, batch: &mut Batch, column: usize) {
        let column = column & (COLUMNS - 1);
        for k in 0..3 {
            batch.gap[k][column] = self.gap[k];
        }
        let (ends, sides) = self.heights.split_at(2);
        let cuts = ends.iter().take(self.ends).chain(sides.iter().take(self.sides));
        for (from, to) in cuts.zip(&mut batch.height) {
            for k in 0..3 {
                to[k][column] = from[k];
            }
        }
    }
}

/// Whether some of three heights are above zero (or at it, where the side is `closed`), and whether none is below.
#[inline(always)]
fn above<L: Lane<Scalar = f64>>(simd: L::Simd, height: &[f64; 8], closed: bool) -> (bool, bool) {
    let zero = L::splat(simd, 0.0);
    let (mut some, mut all) = (false, true);
    let mut at = 0;
    while at < 3 {
        let height = L::load(simd, height, at);
        let not_below = zero.le(height);
        some |= if closed { not_below.any() } else { zero.lt(height).any() };
        all &= not_below.all();
        at += L::LANES;
    }
    (some, all)
}

/// Dot products with a direction.
#[inline(always)]
fn along<L: Lane<Scalar = f64>>(simd: L::Simd, from: &[[f64; 8]; 3], [x, y, z]: [f64; 3], at: usize) -> L {
    let [a, b, c] = [L::load(simd, &from[0], at), L::load(simd, &from[1], at), L::load(simd, &from[2], at)];
    a * L::splat(simd, x) + b * L::splat(simd, y) + c * L::splat(simd, z)
}

impl Waiting {
    /// In the cell's frame and units; `None` where nothing is left.
    #[inline(always)]
    pub fn moments(&self, of: &Integrals) -> Option<Moments> {
        let [e, f] = self.sides;
        let at = |k: usize| self.corner[k] * of.pressure + (e[k] * of.first[0] + f[k] * of.first[1]);
        let (area, pressure) = (self.weight * of.area, self.weight * of.pressure);
        let first = [0, 1, 2].map(|k| self.weight * at(k));
        let least_gap = of.least * self.halo;
        (area > 0.0 && pressure > 0.0).then_some(Moments { area, pressure, first, least_gap })
    }
}
