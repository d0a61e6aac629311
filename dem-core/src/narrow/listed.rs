//! Triangle pairs from another source: whether [`pairs`](super::pairs()) would report them.

use super::frame::Frame;
use super::key::key;
use super::undecided::{Hits, Query, keep_hits};
use super::{Operand, check_length, check_operands};
use crate::error::{Result, What};
use crate::simd::Isa;

/// Two bodies, and a margin in addition to their halos.
pub(crate) struct ListedPairs<'t> {
    query: Query<'t>,
    hits: Hits<'t>,
    margin: f64,
}

impl<'t> ListedPairs<'t> {
    /// Errors: those of [`pairs`](super::pairs()), except for lack of room.
    pub fn new(isa: Isa, a: &Operand<'t>, b: &Operand<'t>, frame: &'t Frame, margin: f64) -> Result<Self> {
        check_operands(a, b)?;
        check_length(margin, What::Margin)?;
        let query = Query { isa, a: *a, b: *b, frame };
        Ok(ListedPairs { query, hits: Hits::new(a, b, margin), margin })
    }

    /// The threshold for two triangles: the largest distance at which they are near.
    pub fn threshold(&self, a: u32, b: u32) -> f64 {
        let Query { a: of_a, b: of_b, .. } = &self.query;
        (of_a.halo(a as usize) + of_b.halo(b as usize)) + self.margin
    }

    /// Whether two triangles are within their threshold.
    #[inline(never)]
    pub fn is_near(&self, a: u32, b: u32) -> bool {
        !keep_hits(&self.query, self.hits, &mut [key(a, b)]).0.is_empty()
    }
}
