//! AABBs of huge bodies in a host's arrays, and their checks.

use super::super::{FARTHEST, IMAGES, Motion, Query, Space, WIDEST};
use crate::array::{Array, Words};
use crate::error::{Error, Kind, Result, What};
use crate::real::min;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// AABBs of huge bodies, including halos, in a host's arrays, and filters of pairs. Box i is item i of every array. In two dimensions
/// (`Dimensions::Two`) the third component is ignored.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    /// Smallest coordinates, in units of length; minus infinity where a box is unbounded.
    pub low: Array<'a>,
    /// Largest coordinates, at least `low`; infinity where a box is unbounded.
    pub high: Array<'a>,
    /// A [`Motion`] for each box; without this array all are dynamic.
    pub motions: Option<Words<'a>>,
    /// Bits of the groups that a box belongs to; without this array all groups.
    pub groups: Option<Words<'a>>,
    /// Bits of the groups that a box is paired with; without this array all groups.
    pub masks: Option<Words<'a>>,
}

/// A body and a box: the body's bounding sphere, margin included, touches or overlaps the box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct BoxCandidate {
    /// The body.
    pub body: u32,
    /// The box.
    pub huge: u32,
    /// Periods along each axis by which the box is translated to the image that meets the body; 0 along open axes, and
    /// along axes on which the box is unbounded.
    pub shift: [i16; 3],
    /// Always 0.
    pub spare: u16,
}

impl<'a> Boxes<'a> {
    /// Dynamic boxes; all pairs are allowed.
    pub fn new(low: Array<'a>, high: Array<'a>) -> Self {
        Boxes { low, high, motions: None, groups: None, masks: None }
    }

    /// Number of boxes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.low.is_empty()
    }

    /// Checks the boxes for this space.
    ///
    /// Errors: [`Kind::TooLarge`] for more than 32-bit ids; [`Kind::Mismatch`] for arrays of different lengths;
    /// [`Kind::NotFinite`] and [`Kind::OutOfRange`] with array (`What::Lows`, `What::Highs`), index and component: NaN;
    /// a low side of plus infinity or a high side of minus infinity; one infinite side along a periodic axis; a low
    /// side above the high one; finite sides beyond [`FARTHEST`], or more than [`IMAGES`] periods from the origin;
    /// boxes wider than [`WIDEST`] periods; an unknown kind of motion (`What::Motions`). Cost: one pass.
    pub fn check(&self, space: &Space) -> Result<()> {
        self.check_lengths()?;
        (0..self.len()).try_for_each(|i| {
            (0..space.axes()).try_for_each(|axis| self.check_axis(i, axis, space.period(axis)))?;
            match self.motions.is_some_and(|m| m.get(i) > Motion::LAST) {
                true => Err(Error::new(Kind::OutOfRange, What::Motions).at(i as u64, 0)),
                false => Ok(()),
            }
        })
    }

    pub(super) fn check_lengths(&self) -> Result<()> {
        let n = self.len();
        if n >= u32::MAX as usize {
            return Err(Error::new(Kind::TooLarge, What::Lows).amounts(u64::from(u32::MAX) - 1, n as u64));
        }
        let words = [(self.motions, What::Motions), (self.groups, What::Groups), (self.masks, What::Masks)];
        let lengths = words.map(|(words, what)| (words.map_or(n, |w| w.len()), what));
        for (length, what) in [(self.high.len(), What::Highs)].into_iter().chain(lengths) {
            if length != n {
                return Err(Error::new(Kind::Mismatch, what).amounts(n as u64, length as u64));
            }
        }
        Ok(())
    }

    fn check_axis(&self, i: usize, axis: usize, period: Option<f64>) -> Result<()> {
        let (low, high) = (self.low.get(i)[axis], self.high.get(i)[axis]);
        let error = |kind, what| Err(Error::new(kind, what).at(i as u64, axis as u32));
        let one_end = period.is_some() && low.is_finite() != high.is_finite();
        if low.is_nan() || low == f64::INFINITY || (one_end && !low.is_finite()) {
            return error(Kind::NotFinite, What::Lows);
        }
        if high.is_nan() || high == f64::NEG_INFINITY || one_end {
            return error(Kind::NotFinite, What::Highs);
        }
        let farthest = period.map_or(FARTHEST, |p| min(IMAGES * p, FARTHEST));
        if low.is_finite() && !(-farthest..=farthest).contains(&low) {
            return error(Kind::OutOfRange, What::Lows);
        }
        let far = high.is_finite() && !(-farthest..=farthest).contains(&high);
        let wide = period.is_some_and(|p| high.is_finite() && high - low > WIDEST * p);
        if high < low || far || wide {
            return error(Kind::OutOfRange, What::Highs);
        }
        Ok(())
    }

    /// Whether the host allows this pair.
    #[inline]
    pub fn wanted(&self, query: &Query<'_>, body: usize, huge: usize) -> bool {
        let motion = |motions: Option<Words<'_>>, i| motions.map_or(0, |m| m.get(i));
        if !Motion::wanted(motion(query.bodies.motions, body), motion(self.motions, huge)) {
            return false;
        }
        let bits = |words: Option<Words<'_>>, i| words.map_or(u32::MAX, |w| w.get(i));
        bits(query.bodies.groups, body) & bits(self.masks, huge) != 0
            && bits(self.groups, huge) & bits(query.bodies.masks, body) != 0
    }
}
