//! Triangle pairs for callers with tests of their own: pairs within the halos and others that the filter did not discard. And, decided
//! exactly, pairs that touch within rounding.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::edge_axes::Sift;
use super::frame::{Frame, far_apart};
use super::key::Key;
use super::prisms::Plain;
use super::traverse::{Goal, MOST, Part, Traversal, stack_size};
use super::undecided::{Hits, Query, Waiting, keep_hits, keys_size};
use super::{Operand, check_operands};
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, each_with};
use crate::memory::{Layout, sections};
use crate::mesh::NONE;
use crate::real::{max, min};
use crate::simd::{Isa, dispatch};

/// What is near, by ids in keys.
#[derive(Default)]
pub(crate) struct NearPairs<'s> {
    /// All pairs within both halos and the reach, and some that are farther apart; in no order.
    pub candidates: &'s mut [Key],
    /// Scratch of the same length, for callers that need both orders.
    pub by_b: &'s mut [Key],
    /// Scratch of the same length.
    pub spare: &'s mut [Key],
    /// Scratch of the same length, for sorting.
    pub table: &'s mut [u32],
    /// The pairs within the reach, ordered.
    pub touching: &'s [Key],
    /// How many of them touch or cross.
    pub crossing: usize,
}

/// The frame of two bodies that may be within their halos, which are wider by `margin`, both together; `None` where they are not for certain.
/// `far`: how far from the origin the positions are from which these poses were computed, if that is farther.
///
/// Errors: those of the poses; those of scales; [`Kind::Mismatch`](crate::error::Kind::Mismatch) for a tree of another mesh.
pub(crate) fn near_frame(a: &Operand<'_>, b: &Operand<'_>, (margin, far): (f64, f64)) -> Result<Option<Frame>> {
    check_operands(a, b)?;
    let mut frame = Frame::unless_far(a, b, margin)?;
    frame.iter_mut().for_each(|frame| (frame.margin, frame.far) = (margin, max(frame.far, far)));
    Ok(frame)
}

/// Scratch for [`near_pairs`] with room for so many pairs, for so many threads.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(crate) fn near_pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, room: usize, threads: usize) -> Result<Layout> {
    Memory::layout(a, b, room, threads)
}

sections! {
    /// Memory of a search for so many pairs on so many threads.
    struct Memory<'s>(a: &Operand<'_>, b: &Operand<'_>, room: usize, threads: usize; keys = keys_size(room)) {
        stacks: [u64; stack_size(&a.tree, &b.tree)] * threads,
        all: [Key; keys],
        close: [Key; keys],
        by_b: [Key; keys],
        spare: [Key; keys],
        table: [u32; keys],
    }
}

/// No more candidates are given.
pub(crate) fn near_pairs_room(room: usize) -> u64 {
    keys_size(room)
}

/// Where a search for near pairs begins.
#[derive(Clone, Copy)]
pub(crate) enum From<'k> {
    /// At the roots of both trees.
    Roots,
    /// At pairs of clusters that [`list_clusters`] wrote.
    Clusters(&'k [u64]),
}

/// Writes all pairs of fine clusters that may have triangles within both halos and `reach`, a length in the world's units, and
/// tells how many there are, in no order. From these, [`near_pairs`] finds what it would have found from the roots, for all poses in which
/// triangles that are within its own reach were within this one.
///
/// Errors: as for [`near_pairs`]; [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number for [`What::PairList`].
pub(crate) fn list_clusters(
    isa: Isa,
    [a, b]: [&Operand<'_>; 2],
    reach: f64,
    out: &mut [u64],
    scratch: &mut [u8],
) -> Result<usize> {
    check_operands(a, b)?;
    let Descent { stack } = Descent::new(scratch, a, b)?;
    if far_apart(a, b, reach)? {
        return Ok(0);
    }
    let frame = Frame::new(a, b)?;
    let mut goal = List { reach, out, count: 0 };
    let (part, gaps) = (Part::Clusters, &mut []);
    dispatch(isa, Traversal { a: *a, b: *b, frame: &frame, stack, gaps, goal: &mut goal, part, plain: None })?;
    let (count, given) = (goal.count, goal.out.len());
    if count > given { Err(Error::capacity(What::PairList, count as u64, given as u64)) } else { Ok(count) }
}

/// Scratch for [`list_clusters`].
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(crate) fn list_clusters_scratch(a: &Operand<'_>, b: &Operand<'_>) -> Result<Layout> {
    Descent::layout(a, b)
}

sections! {
    /// Memory of a way down both trees.
    struct Descent<'s>(a: &Operand<'_>, b: &Operand<'_>) {
        stack: [u64; stack_size(&a.tree, &b.tree)],
    }
}

/// Pairs of clusters, written as long as there is room and counted always.
struct List<'o> {
    reach: f64,
    out: &'o mut [u64],
    count: usize,
}

impl Goal for List<'_> {
    fn threshold(&self) -> f64 {
        self.reach
    }

    fn take(&mut self, clusters: &[Key]) -> Result<bool> {
        for item in clusters {
            if let Some(to) = self.out.get_mut(self.count) {
                *to = *item;
            }
            self.count += 1;
        }
        Ok(true)
    }
}

/// Pairs within both halos, the frame's margin and `reach`, which is in canonical units: a length of 1 is about the size of both bodies. Pairs of `plain`
/// triangles are left out where their prisms do not meet. There is room for half as many again as is asked for, and then some, so
/// mostly none has to be decided only to make room.
///
/// The frame is [`near_frame`] of both. Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number of [`What::Pairs`].
///
/// Out of line, so that what it has on the stack is not under what comes next.
#[inline(never)]
pub(crate) fn near_pairs<'s>(
    threads: Threads<'_>,
    [a, b]: [&Operand<'_>; 2],
    frame: &Frame,
    (from, plain): (From<'_>, Option<Plain<'_>>),
    reach: f64,
    room: usize,
    scratch: &'s mut [u8],
) -> Result<NearPairs<'s>> {
    let Memory { stacks, all, close, by_b, spare, table } = Memory::new(scratch, a, b, room, threads.count)?;
    let reach = reach / frame.scale;
    let own = stack_size(&a.tree, &b.tree);
    let query = Query { isa: threads.isa, a: *a, b: *b, frame };
    // Nodes count with their halos.
    let close_reach = reach - (smallest_halo(a) + smallest_halo(b));
    let wide = reach + frame.margin;
    let search = Search { query, from, plain, reach, wide, close: close_reach, own: own as usize, room };
    let found = match threads.count {
        0 | 1 => search.alone(stacks, [&mut *all, &mut *close])?,
        _ => search.shared(threads, stacks, [&mut *all, &mut *close, &mut *by_b]),
    };
    let [mut n, mut m] = match found {
        Some(found) => found,
        // Whether there is no room, or a tree is wrong, one thread finds out, and leaves nothing out.
        None => Search { plain: None, ..search }.alone(stacks, [&mut *all, &mut *close])?.unwrap_or_default(),
    };
    if n + m > 0 && n <= SIFTED {
        let near = (Hits::new(a, b, wide), all.get_mut(..n).unwrap_or_default());
        let close = (search.touch(), close.get_mut(..m).unwrap_or_default());
        [n, m] = dispatch(threads.isa, Sift { a: *a, b: *b, frame, near, close });
    }
    let (candidates, close) = (all.get_mut(..n).unwrap_or_default(), close.get_mut(..m).unwrap_or_default());
    let (by_b, spare) = (&mut by_b[..candidates.len()], &mut spare[..candidates.len()]);
    let table = &mut table[..candidates.len()];
    close.sort_unstable();
    let (touching, crossing) = keep_hits(&query, search.touch(), close);
    Ok(NearPairs { candidates, by_b, spare, table, touching, crossing })
}

/// Who works on a query.
#[derive(Clone, Copy)]
pub(crate) struct Threads<'e> {
    pub exec: &'e dyn Executor,
    pub isa: Isa,
    /// There is scratch for so many.
    pub count: usize,
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Search<'t> {
    query: Query<'t>,
    from: From<'t>,
    plain: Option<Plain<'t>>,
    /// Beside halos, without the frame's margin.
    reach: f64,
    /// With it.
    wide: f64,
    /// The smaller threshold.
    close: f64,
    /// Items that a stack has room for.
    own: usize,
    /// What was asked for.
    room: usize,
}

/// With no more work items than these, one thread goes on alone: waking another one would take longer.
const FEW: usize = 128;
/// Items that a thread takes at a time.
const ITEMS: usize = 4;
/// More candidates are worked on by all threads, for which one of them would keep the others waiting.
const SIFTED: usize = 4096;

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

    /// Writes candidates, in no order, to the first two lists of keys, on all threads, and tells how many there are. `None` where one thread
    /// is to do all: to find out what fits where not all candidates do, or what is wrong with a tree.
    #[inline(never)]
    fn shared(
        &self,
        threads: Threads<'_>,
        stacks: &mut [u64],
        [near, close, items]: [&mut [Key]; 3],
    ) -> Option<[usize; 2]> {
        if near.len() > NONE as usize / 4 {
            return None;
        }
        // What is left out is only counted.
        let pools = [Pool::new(near), Pool::new(close), Pool::new(&mut [])];
        let goal = || Shared { pools: &pools, search: *self };
        let broken = AtomicBool::new(false);
        let work = |part: Part<'_>, stack: &mut [u64]| {
            if self.part(part, stack, &mut goal()).is_err() {
                broken.store(true, Relaxed);
            }
        };
        let stacks_of = |stacks| CutMut(stacks, self.own);
        match self.from {
            From::Roots => {
                let waiting = self.part(Part::Until(FEW), stacks, &mut goal()).ok()?;
                let items = items.get_mut(..waiting)?;
                items.copy_from_slice(stacks.get(..waiting)?);
                let of = |_, items: &[u64], stack: &mut [u64]| work(Part::Of(items), stack);
                each_with(threads.exec, Cut(items, ITEMS), stacks_of(stacks), of).ok()?;
            }
            From::Clusters(items) => {
                let of = |_, items: &[u64], stack: &mut [u64]| work(Part::Listed(items), stack);
                each_with(threads.exec, Cut(items, FEW), stacks_of(stacks), of).ok()?;
            }
        }
        let [near, close, left_out] = pools.map(|pool| u64::from(pool.count()));
        let fits = near + left_out <= self.capacity() as u64 && close <= self.capacity() as u64;
        (fits && !broken.load(Relaxed)).then_some([near as usize, close as usize])
    }

    /// The same on one thread. `None` where pairs that were left out may be too many.
    fn alone(&self, stack: &mut [u64], [near, close]: [&mut [Key]; 2]) -> Result<Option<[usize; 2]>> {
        let Query { a, b, .. } = &self.query;
        let (hits, capacity) = (Hits::new(a, b, self.wide), self.capacity());
        let near = Waiting::new(self.query, hits, near, capacity);
        let close = Waiting::new(self.query, self.touch(), close, capacity);
        let mut goal = Both { near, close, left_out: 0, search: *self };
        let part = match self.from {
            From::Roots => Part::All,
            From::Clusters(items) => Part::Listed(items),
        };
        self.part(part, stack, &mut goal)?;
        if goal.left_out > 0 && goal.near.len().saturating_add(goal.left_out) > capacity {
            return Ok(None);
        }
        let full = |needed| Error::capacity(What::Pairs, needed, self.room as u64);
        let [near, close] = [goal.near, goal.close].map(|keys| keys.finish_exactly().map_err(full));
        Ok(Some([near?.len(), close?.len()]))
    }
}

/// Candidates of all threads.
struct Shared<'t> {
    pools: &'t [Pool<'t, Key>; 3],
    search: Search<'t>,
}

impl Goal for Shared<'_> {
    fn threshold(&self) -> f64 {
        self.search.wide
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
        self.search.wide
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
