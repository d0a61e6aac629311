//! All triangle pairs of two meshes within a threshold.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::decide::Decided;
use super::frame::Frame;
use super::key::{Key, ids};
use super::traverse::{Goal, Part, Traversal, stack_size};
use super::undecided::{Hits, Query, Waiting, keys_size};
use super::{Operand, check_operands};
use crate::error::{Error, Result, What};
use crate::memory::{Layout, sections};
use crate::simd::{Isa, dispatch};
use crate::triangle::Block;

/// Two triangles within the threshold, and their closest points.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TrianglePair {
    /// Triangle of A.
    pub a: u32,
    /// Triangle of B.
    pub b: u32,
    /// Part of A's triangle that `point_a` lies on: a [`Feature`](crate::triangle::Feature) as a number.
    pub feature_a: u32,
    /// The same for B's triangle.
    pub feature_b: u32,
    /// Distance of the two triangles, without halos; exactly 0 if and only if they touch or cross.
    pub distance: f64,
    /// Closest point on A's triangle, in world coordinates.
    pub point_a: [f64; 3],
    /// Closest point on B's triangle; equal to `point_a` if the distance is 0.
    pub point_b: [f64; 3],
}

/// Scratch for [`pairs`] with room for `capacity` results.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub fn pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, capacity: usize) -> Result<Layout> {
    Memory::layout(a, b, capacity)
}

sections! {
    /// Memory of a search for this many pairs.
    struct Memory<'s>(a: &Operand<'_>, b: &Operand<'_>, capacity: usize) {
        stack: [u64; stack_size(&a.tree, &b.tree)],
        keys: [Key; keys_size(capacity)],
    }
}

/// Writes all pairs of triangles whose distance is at most `halo of A's + halo of B's + margin`, ordered by triangle of A, then of B, and
/// gives their number.
///
/// The list is complete and exact: it contains a pair if and only if its canonical distance is within the threshold, with any instruction
/// set; ties count. Exchanging A and B exchanges ids and points, bit for bit. Degenerate triangles count as the segments and points that
/// they are.
///
/// Errors: those of the poses; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for a margin that is not a number or negative, and for scales,
/// with 0 for A's and 1 for B's as index; [`Kind::Mismatch`] for a tree of another mesh; [`Kind::Capacity`] with the exact number if `out`
/// or `scratch` is too small (`out` then has no meaning).
///
/// Cost: proportional to the number of pairs and to the area of the surfaces that are close; bodies that are far apart cost a few
/// nanoseconds.
///
/// [`Kind::NotFinite`]: crate::error::Kind::NotFinite
/// [`Kind::OutOfRange`]: crate::error::Kind::OutOfRange
/// [`Kind::Mismatch`]: crate::error::Kind::Mismatch
/// [`Kind::Capacity`]: crate::error::Kind::Capacity
pub fn pairs(
    isa: Isa,
    a: &Operand<'_>,
    b: &Operand<'_>,
    margin: f64,
    out: &mut [TrianglePair],
    scratch: &mut [u8],
) -> Result<usize> {
    check_operands(a, b)?;
    super::check_length(margin, What::Margin)?;
    let Some(frame) = Frame::unless_far(a, b, margin)? else { return Ok(0) };
    let Memory { stack, keys } = Memory::new(scratch, a, b, out.len())?;
    let query = Query { isa, a: *a, b: *b, frame: &frame };
    let mut goal = Gather { waiting: Waiting::new(query, Hits::new(a, b, margin), keys, out.len()), margin };
    dispatch(
        isa,
        Traversal { a: *a, b: *b, frame: &frame, stack, gaps: &mut [], goal: &mut goal, part: Part::All, plain: None },
    )?;
    goal.finish(out)
}

/// Collects all pairs until the end, and then decides them in order.
struct Gather<'t, 'k> {
    waiting: Waiting<'t, 'k>,
    margin: f64,
}

impl Goal for Gather<'_, '_> {
    fn threshold(&self) -> f64 {
        self.margin
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        self.waiting.add(candidates);
        Ok(true)
    }
}

impl Gather<'_, '_> {
    fn finish(self, out: &mut [TrianglePair]) -> Result<usize> {
        let (query, hits, capacity) = (self.waiting.query, self.waiting.hits, out.len());
        let keys = self.waiting.finish().map_err(|needed| Error::capacity(What::Output, needed, capacity as u64))?;
        keys.sort_unstable();
        let mut write = Write { hits, frame: query.frame, out, number: 0 };
        query.decide(keys, &mut write);
        let number = write.number;
        if number > capacity {
            return Err(Error::capacity(What::Output, number as u64, capacity as u64));
        }
        Ok(number)
    }
}

struct Write<'t, 'o> {
    hits: Hits<'t>,
    frame: &'t Frame,
    out: &'o mut [TrianglePair],
    number: usize,
}

impl Decided for Write<'_, '_> {
    fn put(&mut self, keys: &[Key], block: &Block<f64>) {
        for (column, key) in keys.iter().enumerate() {
            if self.hits.is_hit(*key, block.distance[column]) {
                if let Some(to) = self.out.get_mut(self.number) {
                    *to = record(self.frame, *key, block, column);
                }
                self.number += 1;
            }
        }
    }
}

/// A pair in world coordinates, without negative zeros.
#[inline]
pub(super) fn record(frame: &Frame, key: Key, block: &Block<f64>, column: usize) -> TrianglePair {
    let (a, b) = ids(key);
    let world = |rows: &[[f64; crate::triangle::BLOCK]; 3]| [0, 1, 2].map(|k| rows[k][column] + frame.middle[k] + 0.0);
    let [feature_a, feature_b] = block.features(column).map(|f| f as u32);
    TrianglePair {
        a,
        b,
        feature_a,
        feature_b,
        distance: block.distance[column],
        point_a: world(&block.point_a),
        point_b: world(&block.point_b),
    }
}
