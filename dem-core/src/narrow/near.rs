//! Triangle pairs for whoever looks at them in a way of its own: those within the halos and others that the filter did not
//! discard, and, decided exactly, those that all but touch.

use super::frame::{Frame, far_apart};
use super::order::sort;
use super::traverse::{Goal, Key, Traversal, stack_size};
use super::waiting::{Hits, Query, Waiting, keep_hits, keys_size};
use super::{Operand, check_operands};
use crate::error::{Error, Result, What};
use crate::memory::{Carve, Layout, Plan};
use crate::real::min;
use crate::simd::{Isa, dispatch};

/// What is near, by ids in keys.
#[derive(Default)]
pub(crate) struct NearPairs<'s> {
    /// All pairs within both halos and the reach, and some that are farther apart; ordered.
    pub candidates: &'s mut [Key],
    /// As many, of no meaning, for who wants them in B's order.
    pub by_b: &'s mut [Key],
    /// As many, of no meaning.
    pub spare: &'s mut [Key],
    /// As many, of no meaning, for sorting.
    pub table: &'s mut [u32],
    /// The pairs within the reach, ordered.
    pub touching: &'s [Key],
    /// How many of them touch or cross.
    pub crossing: usize,
}

/// Scratch for [`near_pairs`] with room for so many pairs.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(crate) fn near_pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, room: usize) -> Result<Layout> {
    let keys = keys_size(room);
    let mut plan = Plan::new();
    plan.add::<u64>(stack_size(&a.tree, &b.tree));
    plan.add::<Key>(keys).add::<Key>(keys).add::<Key>(keys).add::<Key>(keys).add::<u32>(keys);
    plan.layout(What::Scratch)
}

/// No more candidates are given.
pub(crate) fn near_pairs_room(room: usize) -> u64 {
    keys_size(room)
}

/// Pairs within both halos and `reach`, which is in canonical units: a length of 1 is about the size of both bodies. There is room
/// for half as many again as is asked for, and then some, so mostly none has to be decided only to make room.
///
/// Errors: those of the poses; those of scales; [`Kind::Mismatch`](crate::error::Kind::Mismatch) for a tree of another mesh;
/// [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number of [`What::Pairs`].
pub(crate) fn near_pairs<'s>(
    isa: Isa,
    a: &Operand<'_>,
    b: &Operand<'_>,
    reach: f64,
    room: usize,
    scratch: &'s mut [u8],
) -> Result<NearPairs<'s>> {
    check_operands(a, b)?;
    let mut carve = Carve::new(scratch, near_pairs_scratch(a, b, room)?, What::Scratch)?;
    if far_apart(a, b, 0.0)? {
        return Ok(NearPairs::default());
    }
    let frame = Frame::new(a, b)?;
    let reach = reach / frame.scale;
    let stack = carve.take::<u64>(stack_size(&a.tree, &b.tree))?;
    let query = Query { isa, a: *a, b: *b, frame: &frame };
    let mut keys = || carve.take::<Key>(keys_size(room));
    let [all, close, by_b, spare] = [keys()?, keys()?, keys()?, keys()?];
    let table = carve.take::<u32>(keys_size(room))?;
    // Whether there is room must not depend on how many the filter let through.
    let capacity = all.len() - 512;
    let touch = Hits::within(reach);
    let mut goal = Both {
        near: Waiting::new(query, Hits::new(a, b, reach), all, capacity),
        close: Waiting::new(query, touch, close, capacity),
        reach,
        // Nodes count with their halos.
        close_threshold: reach - (smallest_halo(a) + smallest_halo(b)),
    };
    dispatch(isa, Traversal { a: *a, b: *b, frame: &frame, stack, gaps: &mut [], goal: &mut goal })?;
    let full = |needed| Error::capacity(What::Pairs, needed, room as u64);
    let candidates = goal.near.finish().map_err(full)?;
    let close = goal.close.finish().map_err(full)?;
    let (by_b, spare) = (&mut by_b[..candidates.len()], &mut spare[..candidates.len()]);
    let table = &mut table[..candidates.len()];
    sort(candidates, spare, table, u64::MAX);
    close.sort_unstable();
    let (touching, crossing) = keep_hits(&query, touch, close);
    Ok(NearPairs { candidates, by_b, spare, table, touching, crossing })
}

fn smallest_halo(operand: &Operand<'_>) -> f64 {
    operand.mesh.halos.iter().copied().reduce(min).unwrap_or_else(|| operand.mesh.largest_halo()) * operand.scale
}

struct Both<'t, 'k> {
    near: Waiting<'t, 'k>,
    close: Waiting<'t, 'k>,
    reach: f64,
    close_threshold: f64,
}

impl Goal for Both<'_, '_> {
    fn threshold(&self) -> f64 {
        self.reach
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        self.near.add(candidates);
        Ok(true)
    }

    fn close(&self) -> Option<f64> {
        Some(self.close_threshold)
    }

    fn take_close(&mut self, candidates: &[Key]) -> Result<()> {
        self.close.add(candidates);
        Ok(())
    }
}
