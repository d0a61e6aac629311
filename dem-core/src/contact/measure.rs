//! One face clipped by one cell, and its integrals.

use super::cells::{Cell, SIDES};
use super::clip::{Batch, Clip, Integrals};
use crate::real::{max, min};
use crate::simd::{Isa, dispatch};

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

/// A face and a cell that may have something in common.
#[derive(Clone, Copy)]
pub(super) struct Prepared {
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
    let mut batch = Batch::new();
    let prepared = prepare(face, cell, sides, halo, &mut batch, 0)?;
    dispatch(Isa::SCALAR, Clip { batch: &mut batch, sides: sides.len().min(SIDES), count: 1 });
    prepared.moments(&batch.integrals(0))
}

/// Writes gaps and heights of a face's corners to a column of a batch; `None` where it is clear that nothing is left.
#[inline(always)]
pub(super) fn prepare(
    face: &Face,
    cell: &Cell,
    sides: &[[f64; 4]],
    halo: f64,
    batch: &mut Batch,
    column: usize,
) -> Option<Prepared> {
    let t = -dot(face.normal, cell.normal);
    let weight = min(t, 2.0 * max(0.0, t - cell.dead));
    if !(weight > 0.0 && halo > 0.0) {
        return None;
    }
    let corners =
        [sub(face.corners[0], cell.anchor), sub(face.corners[1], cell.anchor), sub(face.corners[2], cell.anchor)];
    let per_halo = cell.slope / halo;
    let gap = [0, 1, 2].map(|k| dot(cell.normal, corners[k]) * per_halo);
    if (gap[0] >= 1.0 && gap[1] >= 1.0 && gap[2] >= 1.0) || (gap[0] < 0.0 && gap[1] < 0.0 && gap[2] < 0.0) {
        return None;
    }
    for (side, rows) in sides.iter().zip(&mut batch.height) {
        let nu = [side[0], side[1], side[2]];
        let height = [0, 1, 2].map(|k| dot(nu, corners[k]) + side[3]);
        if height[0] <= 0.0 && height[1] <= 0.0 && height[2] <= 0.0 {
            return None;
        }
        (0..3).for_each(|k| rows[k][column] = height[k]);
    }
    (0..3).for_each(|k| batch.gap[k][column] = gap[k]);
    let [a, b, c] = face.corners;
    let (e, f) = (sub(b, a), sub(c, a));
    let cross = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    Some(Prepared { corner: a, sides: [e, f], weight: weight * dot(face.normal, cross), halo })
}

impl Prepared {
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
