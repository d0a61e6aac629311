//! Periodic images of candidates.

use super::all_bounds::AllBounds;
use crate::broad::Candidate;

/// The numbers of periodic images in records of pairs. They are counted from the image of B that is nearest to A, by the centres of their spheres.
/// So a body that leaves a box on one side and comes back on the other keeps its contacts.
#[derive(Clone, Copy)]
pub(super) struct Images<'a> {
    centres: &'a [[f64; 3]],
    endless: &'a [u32],
    periods: [f64; 3],
    open: bool,
    /// The periods by which bodies have been wrapped since candidates were listed; empty if none has been.
    moved: &'a [[i16; 4]],
}

impl<'a> Images<'a> {
    pub fn new(all_bounds: &AllBounds<'a>, moved: &'a [[i16; 4]]) -> Self {
        let AllBounds { centres, endless, periods, .. } = *all_bounds;
        Images { centres, endless: endless.ids, periods, open: periods == [0.0; 3], moved }
    }

    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The image number of a candidate in its record. `centres` are given if they are not those of the bodies.
    #[inline(always)]
    pub fn number(&self, c: &Candidate, centres: Option<[[f64; 3]; 2]>) -> [i32; 3] {
        if self.is_open() {
            return c.shift.map(i32::from);
        }
        let (shift, nearest) = (self.shift(c), self.nearest(c, centres));
        [0, 1, 2].map(|k| i32::from(shift[k]) - i32::from(nearest[k]))
    }

    /// The periods by which B is moved to meet A.
    #[inline(always)]
    pub fn shift(&self, c: &Candidate) -> [i16; 3] {
        let (Some(a), Some(b)) = (self.moved.get(c.a as usize), self.moved.get(c.b as usize)) else { return c.shift };
        if self.is_endless(c) {
            return c.shift;
        }
        [0, 1, 2].map(|k| c.shift[k].wrapping_add(a[k].wrapping_sub(b[k])))
    }

    fn is_endless(&self, c: &Candidate) -> bool {
        let endless = |i: &u32| self.endless.binary_search(i).is_ok();
        !self.endless.is_empty() && (endless(&c.a) || endless(&c.b))
    }

    /// The shift that moves B to its nearest place to A. Unbounded bodies have no images.
    #[inline(always)]
    fn nearest(&self, c: &Candidate, centres: Option<[[f64; 3]; 2]>) -> [i16; 3] {
        if self.is_open() || c.a == c.b || self.is_endless(c) {
            return [0; 3];
        }
        let centre = |i: u32| self.centres.get(i as usize).copied().unwrap_or_default();
        let [a, b] = centres.unwrap_or_else(|| [centre(c.a), centre(c.b)]);
        [0, 1, 2].map(|k| match self.periods[k] {
            0.0 => 0,
            period => {
                let away = (a[k] - b[k]) / period;
                // Casts to integers round towards zero and saturate.
                (if away < 0.0 { away - 0.5 } else { away + 0.5 }) as i16
            }
        })
    }
}
