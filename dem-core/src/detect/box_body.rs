//! The box and the sphere of a huge body, as a struct whose fields a broad phase reads by strides.

use core::mem::offset_of;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::widened_bounds::{TINY, in_sphere, widened};
use crate::array::{Array, Scalar, Strides, Words};
use crate::broad::{self, Boxes};
use crate::error::{Result, What};
use crate::real::{Real, SUM_ERROR, min};

/// The box and the sphere of a huge body, with its motion, groups and mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct HugeBox {
    pub low: [f64; 3],
    pub high: [f64; 3],
    pub centre: [f64; 3],
    pub radius: f64,
    pub body: u32,
    pub motion: u32,
    pub group: u32,
    pub mask: u32,
}

const SIZE: usize = size_of::<HugeBox>();

impl HugeBox {
    /// The boxes of these bodies as the input of a broad phase.
    pub fn boxes(huge_boxes: &[HugeBox]) -> Result<Boxes<'_>> {
        let [motions, groups, masks] = HugeBox::words(huge_boxes)?;
        let [low, high] = [offset_of!(HugeBox, low), offset_of!(HugeBox, high)];
        let boxes =
            Boxes::new(HugeBox::points(huge_boxes, low, What::Lows)?, HugeBox::points(huge_boxes, high, What::Highs)?);
        Ok(Boxes { motions, groups, masks, ..boxes })
    }

    /// Their spheres as the input of a broad phase.
    pub fn spheres(huge_boxes: &[HugeBox]) -> Result<broad::Proxies<'_>> {
        let [motions, groups, masks] = HugeBox::words(huge_boxes)?;
        let layout = Strides { count: huge_boxes.len(), stride: SIZE, component_stride: 8, scalar: Scalar::F64 };
        let radii = Array::numbers(behind(huge_boxes, offset_of!(HugeBox, radius)), layout, What::Radii)?;
        let spheres =
            broad::Proxies::new(HugeBox::points(huge_boxes, offset_of!(HugeBox, centre), What::Centres)?, radii);
        Ok(broad::Proxies { motions, groups, masks, ..spheres })
    }

    fn points(huge_boxes: &[HugeBox], offset: usize, what: What) -> Result<Array<'_>> {
        let layout = Strides { count: huge_boxes.len(), stride: SIZE, component_stride: 8, scalar: Scalar::F64 };
        Array::new(behind(huge_boxes, offset), layout, what)
    }

    fn words(huge_boxes: &[HugeBox]) -> Result<[Option<Words<'_>>; 3]> {
        let words = |offset, what| Words::new(behind(huge_boxes, offset), huge_boxes.len(), SIZE, what).map(Some);
        Ok([
            words(offset_of!(HugeBox, motion), What::Motions)?,
            words(offset_of!(HugeBox, group), What::Groups)?,
            words(offset_of!(HugeBox, mask), What::Masks)?,
        ])
    }

    /// The box and the sphere enlarged on all sides by a skin and by the possible rounding error.
    pub fn widened(&self, skin: f64) -> HugeBox {
        let HugeBox { low, high, centre, radius, .. } = *self;
        let more = |k: usize| skin + 4.0 * SUM_ERROR * (Real::abs(low[k]) + Real::abs(high[k]) + skin + TINY);
        HugeBox {
            low: [0, 1, 2].map(|k| low[k] - more(k)),
            high: [0, 1, 2].map(|k| high[k] + more(k)),
            radius: widened(&centre, radius, skin),
            ..*self
        }
    }

    /// Whether this wide box contains the box `now`. `moved` is the translation by periods with which a host has wrapped the body.
    pub fn holds(&self, now: &HugeBox, moved: [f64; 3]) -> bool {
        let holds = |k: usize| {
            let numbers = [self.low[k], self.high[k], now.low[k], now.high[k], moved[k]];
            let slack = SUM_ERROR * (numbers.into_iter().fold(TINY, |sum, x| sum + Real::abs(x)));
            self.low[k] + slack <= now.low[k] - moved[k] && now.high[k] - moved[k] + slack <= self.high[k]
        };
        let d = [0, 1, 2].map(|k| (now.centre[k] - self.centre[k]) - moved[k]);
        let sphere = in_sphere(&self.centre, self.radius, &now.centre, now.radius, d);
        self.body == now.body && sphere && (0..3).all(holds)
    }
}

/// The bytes from a field of the first item on.
fn behind(huge_boxes: &[HugeBox], offset: usize) -> &[u8] {
    huge_boxes.as_bytes().get(offset..).unwrap_or_default()
}

/// The most huge bodies of a scene with this many bodies.
pub(super) fn most(bodies: u32) -> u32 {
    min(bodies / 8 + 64, 2048)
}

/// Up to this many large bodies are all huge. If there are more, sizes are spread, and the grid handles all but those whose spheres are mostly
/// empty.
pub(super) fn few(bodies: usize) -> usize {
    min(bodies / 64 + 64, 2048)
}

/// Places in scratch for huge bodies, and for planes of unbounded bodies.
pub(super) fn places(bodies: u64) -> u64 {
    most(u32::try_from(bodies).unwrap_or(u32::MAX)).into()
}
