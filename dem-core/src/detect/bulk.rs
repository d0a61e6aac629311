//! The box and the sphere of a huge body, in an array of structs that others read by strides.

use core::mem::offset_of;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::wide::{TINY, in_sphere, widened};
use crate::array::{Array, Layout, Scalar, Words};
use crate::broad::{self, Boxes};
use crate::error::{Result, What};
use crate::real::{Real, SLACK};

/// The box and the sphere of a huge body, and who wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Bulk {
    pub low: [f64; 3],
    pub high: [f64; 3],
    pub centre: [f64; 3],
    pub radius: f64,
    pub body: u32,
    pub motion: u32,
    pub group: u32,
    pub mask: u32,
}

const SIZE: usize = size_of::<Bulk>();

impl Bulk {
    /// The boxes of some, as a broad phase takes them.
    pub fn boxes(bulks: &[Bulk]) -> Result<Boxes<'_>> {
        let [motions, groups, masks] = Bulk::words(bulks)?;
        let [low, high] = [offset_of!(Bulk, low), offset_of!(Bulk, high)];
        let boxes = Boxes::new(Bulk::points(bulks, low, What::Lows)?, Bulk::points(bulks, high, What::Highs)?);
        Ok(Boxes { motions, groups, masks, ..boxes })
    }

    /// Their spheres.
    pub fn spheres(bulks: &[Bulk]) -> Result<broad::Bodies<'_>> {
        let [motions, groups, masks] = Bulk::words(bulks)?;
        let layout = Layout { count: bulks.len(), stride: SIZE, component_stride: 8, scalar: Scalar::F64 };
        let radii = Array::numbers(behind(bulks, offset_of!(Bulk, radius)), layout, What::Radii)?;
        let spheres = broad::Bodies::new(Bulk::points(bulks, offset_of!(Bulk, centre), What::Centres)?, radii);
        Ok(broad::Bodies { motions, groups, masks, ..spheres })
    }

    fn points(bulks: &[Bulk], offset: usize, what: What) -> Result<Array<'_>> {
        let layout = Layout { count: bulks.len(), stride: SIZE, component_stride: 8, scalar: Scalar::F64 };
        Array::new(behind(bulks, offset), layout, what)
    }

    fn words(bulks: &[Bulk]) -> Result<[Option<Words<'_>>; 3]> {
        let words = |offset, what| Words::new(behind(bulks, offset), bulks.len(), SIZE, what).map(Some);
        Ok([
            words(offset_of!(Bulk, motion), What::Motions)?,
            words(offset_of!(Bulk, group), What::Groups)?,
            words(offset_of!(Bulk, mask), What::Masks)?,
        ])
    }

    /// Larger to all sides by a skin and by what rounding may do.
    pub fn widened(&self, skin: f64) -> Bulk {
        let Bulk { low, high, centre, radius, .. } = *self;
        let more = |k: usize| skin + 4.0 * SLACK * (Real::abs(low[k]) + Real::abs(high[k]) + skin + TINY);
        Bulk {
            low: [0, 1, 2].map(|k| low[k] - more(k)),
            high: [0, 1, 2].map(|k| high[k] + more(k)),
            radius: widened(&centre, radius, skin),
            ..*self
        }
    }

    /// Whether another one lies in this one, a wide one, but for lengths that it has been moved by without having gone there.
    pub fn holds(&self, now: &Bulk, moved: [f64; 3]) -> bool {
        let holds = |k: usize| {
            let numbers = [self.low[k], self.high[k], now.low[k], now.high[k], moved[k]];
            let slack = SLACK * (numbers.into_iter().fold(TINY, |sum, x| sum + Real::abs(x)));
            self.low[k] + slack <= now.low[k] - moved[k] && now.high[k] - moved[k] + slack <= self.high[k]
        };
        let d = [0, 1, 2].map(|k| (now.centre[k] - self.centre[k]) - moved[k]);
        let sphere = in_sphere(&self.centre, self.radius, &now.centre, now.radius, d);
        self.body == now.body && sphere && (0..3).all(holds)
    }
}

/// The bytes from a field of the first one on.
fn behind(bulks: &[Bulk], offset: usize) -> &[u8] {
    bulks.as_bytes().get(offset..).unwrap_or_default()
}
