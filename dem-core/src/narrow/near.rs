//! Triangle pairs for whoever looks at them in a way of its own: those within the halos and others that the filter did not
//! discard, and, decided exactly, those that all but touch.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::frame::{Frame, far_apart};
use super::prisms::Plain;
use super::traverse::{Goal, Key, MOST, Part, Traversal, stack_size};
use super::waiting::{Hits, Query, Waiting, keep_hits, keys_size};
use super::{Operand, check_operands};
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, each_with};
use crate::memory::{Carve, Layout, Plan};
use crate::mesh::NONE;
use crate::real::min;
use crate::simd::{Isa, dispatch};

/// What is near, by ids in keys.
#[derive(Default)]
pub(crate) struct NearPairs<'s> {
    /// All pairs within both halos and the reach, and some that are farther apart; in no order.
    pub candidates: &'s mut [Key],
    /// As many, of no meaning, for who wants them in two orders.
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

/// Scratch for [`near_pairs`] with room for so many pairs, for so many lanes.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(crate) fn near_pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, room: usize, lanes: usize) -> Result<Layout> {
    let keys = keys_size(room);
    let mut plan = Plan::new();
    plan.add::<u64>(stack_size(&a.tree, &b.tree).saturating_mul(lanes as u64));
    plan.add::<Key>(keys).add::<Key>(keys).add::<Key>(keys).add::<Key>(keys).add::<u32>(keys);
    plan.layout(What::Scratch)
}

/// No more candidates are given.
pub(crate) fn near_pairs_room(room: usize) -> u64 {
    keys_size(room)
}

/// Pairs within both halos and `reach`, which is in canonical units: a length of 1 is about the size of both bodies. Pairs of `plain`
/// triangles are left out where their prisms do not meet. There is room for half as many again as is asked for, and then some, so
/// mostly none has to be decided only to make room.
///
/// Errors: those of the poses; those of scales; [`Kind::Mismatch`](crate::error::Kind::Mismatch) for a tree of another mesh;
/// [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number of [`What::Pairs`].
pub(crate) fn near_pairs<'s>(
    lanes: Lanes<'_>,
    [a, b]: [&Operand<'_>; 2],
    plain: Option<Plain<'_>>,
    reach: f64,
    room: usize,
    scratch: &'s mut [u8],
) -> Result<NearPairs<'s>> {
    check_operands(a, b)?;
    let mut carve = Carve::new(scratch, near_pairs_scratch(a, b, room, lanes.count)?, What::Scratch)?;
    if far_apart(a, b, 0.0)? {
        return Ok(NearPairs::default());
    }
    let frame = Frame::new(a, b)?;
    let reach = reach / frame.scale;
    let own = stack_size(&a.tree, &b.tree);
    let stacks = carve.take::<u64>(own.saturating_mul(lanes.count as u64))?;
    let query = Query { isa: lanes.isa, a: *a, b: *b, frame: &frame };
    let mut keys = || carve.take::<Key>(keys_size(room));
    let [all, close, by_b, spare] = [keys()?, keys()?, keys()?, keys()?];
    let table = carve.take::<u32>(keys_size(room))?;
    // Nodes count with their halos.
    let close_reach = reach - (smallest_halo(a) + smallest_halo(b));
    let search = Search { query, plain, reach, close: close_reach, own: own as usize, room };
    let found = match lanes.count {
        0 | 1 => search.alone(stacks, [&mut *all, &mut *close])?,
        _ => search.shared(lanes, stacks, [&mut *all, &mut *close, &mut *by_b]),
    };
    let [n, m] = match found {
        Some(found) => found,
        // Whether there is no room, or a tree is wrong, one lane finds out, and leaves nothing out.
        None => Search { plain: None, ..search }.alone(stacks, [&mut *all, &mut *close])?.unwrap_or_default(),
    };
    let (candidates, close) = (all.get_mut(..n).unwrap_or_default(), close.get_mut(..m).unwrap_or_default());
    let (by_b, spare) = (&mut by_b[..candidates.len()], &mut spare[..candidates.len()]);
    let table = &mut table[..candidates.len()];
    close.sort_unstable();
    let (touching, crossing) = keep_hits(&query, search.touch(), close);
    Ok(NearPairs { candidates, by_b, spare, table, touching, crossing })
}

/// Who works on a query.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<'e> {
    pub exec: &'e dyn Executor,
    pub isa: Isa,
    /// There is scratch for so many.
    pub count: usize,
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Search<'t> {
    query: Query<'t>,
    plain: Option<Plain<'t>>,
    reach: f64,
    /// The smaller threshold.
    close: f64,
    /// Items that a stack has room for.
    own: usize,
    /// What was asked for.
    room: usize,
}

/// With no more work items than these, one lane goes on alone: waking another one would take longer.
const FEW: usize = 128;
/// Items that a lane takes at a time.
const ITEMS: usize = 4;

impl<'t> Search<'t> {
    fn touch(&self) -> Hits<'t> {
        Hits::within(self.reach)
    }

    /// There is room for so many pairs of either kind, however many the filter lets through and with those that are left out: what it
    /// does depends on the instruction set. Keys are some more, as those that wait have to be somewhere.
    fn capacity(&self) -> usize {
        keys_size(self.room) as usize - 2 * MOST
    }

    fn part(&self, part: Part<'_>, stack: &mut [u64], goal: &mut dyn Goal) -> Result<usize> {
        let Query { isa, a, b, frame } = self.query;
        dispatch(isa, Traversal { a, b, frame, stack, gaps: &mut [], goal, part, plain: self.plain })
    }

    /// Writes candidates, in no order, to the first two lists of keys, on all lanes, and tells how many there are. `None` where one lane
    /// is to do all: to find out what fits where not all candidates do, or what is wrong with a tree.
    fn shared(
        &self,
        lanes: Lanes<'_>,
        stacks: &mut [u64],
        [near, close, items]: [&mut [Key]; 3],
    ) -> Option<[usize; 2]> {
        if near.len() > NONE as usize / 4 {
            return None;
        }
        // What is left out is only counted.
        let pools = [Pool::new(near), Pool::new(close), Pool::new(&mut [])];
        let goal = || Shared { pools: &pools, search: *self };
        let waiting = self.part(Part::Until(FEW), stacks, &mut goal()).ok()?;
        let items = items.get_mut(..waiting)?;
        items.copy_from_slice(stacks.get(..waiting)?);
        let broken = AtomicBool::new(false);
        let work = |_, items: &[u64], stack: &mut [u64]| {
            if self.part(Part::Of(items), stack, &mut goal()).is_err() {
                broken.store(true, Relaxed);
            }
        };
        each_with(lanes.exec, Cut(items, ITEMS), CutMut(stacks, self.own), work).ok()?;
        let [near, close, left_out] = pools.map(|pool| u64::from(pool.count()));
        let fits = near + left_out <= self.capacity() as u64 && close <= self.capacity() as u64;
        (fits && !broken.load(Relaxed)).then_some([near as usize, close as usize])
    }

    /// The same on one lane. `None` where pairs that were left out may be too many.
    fn alone(&self, stack: &mut [u64], [near, close]: [&mut [Key]; 2]) -> Result<Option<[usize; 2]>> {
        let Query { a, b, .. } = &self.query;
        let (hits, capacity) = (Hits::new(a, b, self.reach), self.capacity());
        let near = Waiting::new(self.query, hits, near, capacity);
        let close = Waiting::new(self.query, self.touch(), close, capacity);
        let mut goal = Both { near, close, left_out: 0, search: *self };
        self.part(Part::All, stack, &mut goal)?;
        if goal.left_out > 0 && goal.near.len().saturating_add(goal.left_out) > capacity {
            return Ok(None);
        }
        let full = |needed| Error::capacity(What::Pairs, needed, self.room as u64);
        let [near, close] = [goal.near, goal.close].map(|keys| keys.finish_exactly().map_err(full));
        Ok(Some([near?.len(), close?.len()]))
    }
}

/// Candidates of all lanes.
struct Shared<'t> {
    pools: &'t [Pool<'t, Key>; 3],
    search: Search<'t>,
}

impl Goal for Shared<'_> {
    fn threshold(&self) -> f64 {
        self.search.reach
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        Ok(self.pools[0].put(candidates) as usize <= self.search.capacity())
    }

    fn close(&self) -> Option<f64> {
        Some(self.search.close)
    }

    fn take_close(&mut self, candidates: &[Key]) -> Result<()> {
        // Of the pairs that are left out, some may be here; when there are too many of these, that is enough to know.
        if self.pools[1].count() as usize <= self.search.capacity() {
            self.pools[1].put(candidates);
        }
        Ok(())
    }

    fn leave_out(&mut self, count: usize) -> bool {
        self.pools[2].put(&[0; MOST][..min(count, MOST)]) as usize <= self.search.capacity()
    }
}

fn smallest_halo(operand: &Operand<'_>) -> f64 {
    operand.mesh.halos.iter().copied().reduce(min).unwrap_or_else(|| operand.mesh.largest_halo()) * operand.scale
}

struct Both<'t, 'k> {
    near: Waiting<'t, 'k>,
    close: Waiting<'t, 'k>,
    left_out: usize,
    search: Search<'t>,
}

impl Goal for Both<'_, '_> {
    fn threshold(&self) -> f64 {
        self.search.reach
    }

    fn take(&mut self, candidates: &[Key]) -> Result<bool> {
        self.near.add(candidates);
        Ok(true)
    }

    fn close(&self) -> Option<f64> {
        Some(self.search.close)
    }

    fn take_close(&mut self, candidates: &[Key]) -> Result<()> {
        self.close.add(candidates);
        Ok(())
    }

    fn leave_out(&mut self, count: usize) -> bool {
        self.left_out += count;
        self.left_out <= self.search.capacity()
    }
}
