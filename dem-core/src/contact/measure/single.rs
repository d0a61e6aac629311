//! One face in one cell, without batching.

use super::clip::{Batch, Clip, Corners};
use super::face::{Cuts, Face, Faces, Moments};
use super::second_moments::{Spread, Wide};
use crate::contact::Law;
use crate::contact::cells::Cell;
use crate::contact::spread::Wants;
use crate::simd::{Isa, Kernel, Simd, dispatch};

/// The integrals of `face` over its part inside the `sides` of `cell` (at most six) with `0 <= g <= halo`. `None` if that part has no area, if
/// the face does not face the cell, or if the halo is not positive.
///
/// Exact up to rounding: the integrands are polynomials of degree two (`docs/contacts.md`, section 3). Never NaN for finite input whose
/// differences do not overflow. Cost: about a hundred nanoseconds; [`contacts`](crate::contact::contacts) does many at once.
pub fn measure(face: &Face, cell: &Cell, sides: &[[f64; 4]], halo: f64) -> Option<Moments> {
    dispatch(Isa::SCALAR, One { face, cell, sides, halo, rounding: 0.0, law: Law::Facing, wants: Wants::default() })
        .map(|measured| measured.moments)
}

/// The same with 1 in place of s, for faces of any orientation, and with their weight in mean gaps. A face closer to a side than `rounding` is on
/// it; gaps count from as much below zero.
pub(in crate::contact) fn measure_all(
    isa: Isa,
    face: &Face,
    cell: &Cell,
    sides: &[[f64; 4]],
    [halo, rounding]: [f64; 2],
    wants: Wants,
) -> Option<Measured> {
    dispatch(isa, One { face, cell, sides, halo, rounding, law: Law::Volume, wants })
}

/// [`measure`], with optional results.
pub(in crate::contact) fn measure_facing(
    isa: Isa,
    face: &Face,
    cell: &Cell,
    sides: &[[f64; 4]],
    halo: f64,
    wants: Wants,
) -> Option<Measured> {
    dispatch(isa, One { face, cell, sides, halo, rounding: 0.0, law: Law::Facing, wants })
}

/// A face in a cell.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Measured {
    pub moments: Moments,
    /// The weight of areas and pressures.
    pub facing: f64,
    /// 0 unless energies are requested.
    pub energy: f64,
    /// 0 unless second moments are requested.
    pub wide: Wide,
}

struct One<'o> {
    face: &'o Face,
    cell: &'o Cell,
    sides: &'o [[f64; 4]],
    halo: f64,
    rounding: f64,
    law: Law,
    wants: Wants,
}

impl Kernel for One<'_> {
    type Output = Option<Measured>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let faces = Faces::one(self.face, self.halo);
        let mut cuts = Cuts::new();
        if cuts.prepare(simd, &faces, self.cell, self.sides, self.rounding, self.law) == 0 {
            return None;
        }
        let mut batch = Batch::new();
        let waiting = cuts.put(&faces, 0, &mut batch, 0);
        let number = cuts.number(0);
        let mut corners = (self.wants != Wants::default()).then(Corners::new);
        simd.call(Clip { batch: &mut batch, cuts: number, count: 1, corners: corners.as_mut() });
        let of = batch.integrals(0);
        let mut measured =
            Measured { moments: waiting.moments(&of)?, facing: cuts.facing(0), energy: 0.0, wide: Wide::default() };
        if let Some(corners) = &corners {
            if self.wants.energy {
                measured.energy = cuts.field(&faces, 0, self.cell, self.sides).energy(corners, 0, 3 + number);
            }
            if self.wants.spread {
                let sums = simd.call(Spread { batch: &batch, corners, cuts: number, count: 1 });
                measured.wide = waiting.wide(&of, &sums, 0);
            }
        }
        Some(measured)
    }
}
