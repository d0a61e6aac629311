//! Triangle pairs for callers that test pairs themselves: all pairs within the halos, and others that the filter did not discard. Also, decided
//! exactly, the pairs that touch within rounding.

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

/// The pairs that are near, as keys of two ids.
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
    /// Number of these pairs that touch or cross.
    pub crossing: usize,
}

/// The frame of two bodies that may be within their halos, whose sum is enlarged by `margin`. `None` if they are certainly farther apart. `far` is
/// the largest distance from the origin of the positions from which the poses were computed; it only counts if it is larger than that of the poses.
///
/// Errors: those of the poses; those of scales; [`Kind::Mismatch`](crate::error::Kind::Mismatch) for a tree of another mesh.
pub(crate) fn near_frame(a: &Operand<'_>, b: &Operand<'_>, (margin, far): (f64, f64)) -> Result<Option<Frame>> {
    check_operands(a, b)?;
    let mut frame = Frame::unless_far(a, b, margin)?;
    frame.iter_mut().for_each(|frame| (frame.margin, frame.far) = (margin, max(frame.far, far)));
    Ok(frame)
}

/// Scratch for [`near_pairs`] with room for this many pairs, for this many threads.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(crate) fn near_pairs_scratch(a: &Operand<'_>, b: &Operand<'_>, room: usize, threads: usize) -> Result<Layout> {
    Memory::layout(a, b, room, threads)
}

sections! {
    /// Memory of a search for this many pairs on this many threads.
    struct Memory<'s>(a: &Operand<'_>, b: &Operand<'_>, room: usize, threads: usize; keys = keys_size(room)) {
        stacks: [u64; stack_size(&a.tree, &b.tree)] * threads,
        all: [Key; keys],
        close: [Key; keys],
        by_b: [Key; keys],
        spare: [Key; keys],
        table: [u32; keys],
    }
}

/// The most candidates that [`near_pairs`] gives.
pub(crate) fn near_pairs_room(room: usize) -> u64 {
    keys_size(room)
}

/// Where a search for near pairs starts.
#[derive(Clone, Copy)]
pub(crate) enum From<'k> {
    /// At the roots of both trees.
    Roots,
    /// At pairs of clusters that [`list_clusters`] wrote.
    Clusters(&'k [u64]),
}

/// Writes all pairs of fine clusters that may have triangles within both halos and `reach`, a length in the world's units, in no order. Gives their
/// number. From these pairs, [`near_pairs`] finds the same as from the roots, as long as all triangles within its own reach were within `reach`
/// when the list was made.
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
    /// Memory of a descent through both trees.
    struct Descent<'s>(a: &Operand<'_>, b: &Operand<'_>) {
        stack: [u64; stack_size(&a.tree, &b.tree)],
    }
}

/// Collects pairs of clusters. Pairs beyond the room are only counted.
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

/// Finds pairs within both halos, the frame's margin and `reach`. `reach` is in canonical units, in which the two bodies have a size of about 1.
/// Pairs of `plain` triangles whose prisms do not meet are left out. There is room for half as many pairs again as requested, plus a constant, so
/// that candidates mostly need not be decided only to make room.
///
/// The frame is [`near_frame`] of both. Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number of [`What::Pairs`].
///
/// Not inlined, so that its locals do not enlarge the stack under later calls.
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
    // The filter already counts the halos of nodes.
    let close_reach = reach - (smallest_halo(a) + smallest_halo(b));
    let wide = reach + frame.margin;
    let search = Search { query, from, plain, reach, wide, close: close_reach, own: own as usize, room };
    let found = match threads.count {
        0 | 1 => search.alone(stacks, [&mut *all, &mut *close])?,
        _ => search.shared(threads, stacks, [&mut *all, &mut *close, &mut *by_b]),
    };
    let [mut n, mut m] = match found {
        Some(found) => found,
        // The list does not fit, or a tree is damaged. One thread, which leaves nothing out, finds out which.
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

/// The threads that work on a query.
#[derive(Clone, Copy)]
pub(crate) struct Threads<'e> {
    pub exec: &'e dyn Executor,
    pub isa: Isa,
    /// The number of threads for which there is scratch.
    pub count: usize,
}

/// The inputs of a search.
#[derive(Clone, Copy)]
struct Search<'t> {
    query: Query<'t>,
    from: From<'t>,
    plain: Option<Plain<'t>>,
    /// The distance beyond the halos, without the frame's margin.
    reach: f64,
    /// The distance beyond the halos, with the frame's margin.
    wide: f64,
    /// The smaller threshold, for pairs that touch.
    close: f64,
    /// Room of a stack, in work items.
    own: usize,
    /// The number of pairs that the caller has asked for.
    room: usize,
}

/// With at most this many work items, one thread continues alone, because waking another thread would take longer.
const FEW: usize = 128;
/// Work items that a thread takes at a time.
const ITEMS: usize = 4;
/// With more candidates than this, the edge test is skipped: one thread would do it while the others wait, and all threads share the later work.
const SIFTED: usize = 4096;

impl<'t> Search<'t> {
    fn touch(&self) -> Hits<'t> {
        Hits::within(self.reach)
    }

    /// The limit for pairs of either kind. It counts pairs that are left out, but not false candidates of the filter, whose number depends on the
    /// instruction set. There are more keys than this, because undecided candidates need room.
    fn capacity(&self) -> usize {
        keys_size(self.room) as usize - 2 * MOST
    }

    fn part(&self, part: Part<'_>, stack: &mut [u64], goal: &mut dyn Goal) -> Result<usize> {
        let Query { isa, a, b, frame } = self.query;
        dispatch(isa, Traversal { a, b, frame, stack, gaps: &mut [], goal, part, plain: self.plain })
    }

    /// Writes candidates, in no order, to the first two lists of keys, on all threads. Gives their numbers. `None` if one thread must do all the
    /// work, to find out which candidates fit, or which tree is damaged.
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
        // The third pool has no room: pairs that are left out are only counted.
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

    /// As [`Self::shared`], on one thread. `None` if there may be too many pairs, counting those that are left out.
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

/// The candidates of all threads.
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
        // These may include pairs that are left out. If there are too many, the exact number does not matter.
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
