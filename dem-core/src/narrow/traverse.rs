//! Traverses two trees, pair of clusters by pair of clusters, down to pairs of fine triangles that may be within the threshold.
//!
//! A work item is a pair of clusters; one step of the filter tests all pairs of their nodes. Items wait on a stack. A step takes up to
//! sixteen at once: they do not depend on each other, so their latencies overlap. (P0 Algorithm 5.1 has products of active sets instead of
//! pairs of nodes, and its section 5.4 has a buffer.) Both sides descend together; if one is fine, the other descends alone.
//!
//! # A body that is much smaller
//! If all of one body is smaller than the other one's nodes, only the other one descends: see [`Ahead`].
//!
//! # Bodies that touch in a small part of both
//! The triangles that may be near the other body are found and packed first: see `facing_caps`. The filter then tests only these.
//!
//! # Bound of the stack
//! An item's height is the number of levels below both clusters; its successors have smaller heights. Call the items that one step pushes a
//! layer. The stack consists of layers, and a step takes items from the upper ones: all of these, except a possible rest of the lowest
//! layer that it reaches. So it puts a new layer onto this rest or onto a layer below. The heights of the new layer are smaller than the
//! largest height of the layers from which the items came.
//! So the largest heights of layers fall from bottom to top, and there are no more layers than heights. The stack needs (heights) times
//! (items at once) times (16 pairs of nodes) times (child clusters of a node)^2.

use super::Operand;
use super::facing_caps::{Cap, take_caps};
use super::filter::{fine, survivors, survivors_by_gap};
use super::frame::{Frame, Relative};
use super::key::{Key, ids, key};
use super::prisms::{self, Plain};
use super::stack::{Side, Stack, damaged, descend, descend_by_gap};
use crate::error::Result;
use crate::real::{max, min};
use crate::simd::{Kernel, Simd};
use crate::surrogate::{Cluster, TreeRef};

/// Work items that are taken at once.
pub(super) const AT_ONCE: usize = 16;

/// The most candidate pairs of one step.
pub(super) const MOST: usize = AT_ONCE * 16;

/// What a query does with the results of a traversal.
pub(super) trait Goal {
    /// Pairs whose distance less both halos is larger than this, in the world's units, do not matter. The threshold may be negative, and may shrink
    /// during the traversal.
    fn threshold(&self) -> f64;
    /// Takes candidates ([`Part::Clusters`]: pairs of fine clusters). Gives whether to continue.
    fn take(&mut self, candidates: &[Key]) -> Result<bool>;
    /// A second, smaller threshold: [`take_close`](Self::take_close) gets the candidates that may be within it.
    fn close(&self) -> Option<f64> {
        None
    }
    /// The number of work items to take at once, at most [`AT_ONCE`]; fewer if the first hit ends the search.
    fn at_once(&self) -> usize {
        AT_ONCE
    }
    /// Takes candidates of the second threshold.
    fn take_close(&mut self, _candidates: &[Key]) -> Result<()> {
        Ok(())
    }
    /// Index of the last candidate taken that makes everything below it on the stack irrelevant.
    fn settled(&self) -> Option<usize> {
        None
    }
    /// Whether to call [`choose`](Self::choose); not for goals with a second threshold.
    fn chooses(&self) -> bool {
        false
    }
    /// Of the pairs of nodes of two clusters, one bit each, those below which there may be a relevant pair.
    fn choose(&self, _clusters: [u32; 2], nodes: u32) -> u32 {
        nodes
    }
    /// Counts [`Plain`] pairs that are no candidates, because their prisms do not meet. Gives whether to continue.
    fn leave_out(&mut self, _count: usize) -> bool {
        true
    }
}

/// The most work items that wait in a traversal of these trees.
pub(super) fn stack_size(a: &TreeRef<'_>, b: &TreeRef<'_>) -> u64 {
    let ([depth_a, clusters_a, roots_a], [depth_b, clusters_b, roots_b]) = (extent(a), extent(b));
    waiting(depth_a + depth_b, [clusters_a, clusters_b], [roots_a, roots_b])
}

/// The sizes of a tree that determine its number of work items: depth, child clusters of a node, roots.
pub(crate) fn extent(tree: &TreeRef<'_>) -> [u64; 3] {
    [tree.sizes.depth.into(), u64::from(tree.sizes.fan_out.max(tree.sizes.leaf)).div_ceil(4), tree.sizes.roots.into()]
}

/// The most bytes of work items in any search of two trees, neither of which has a larger [`extent`].
pub(crate) fn most_waiting([depth, clusters, roots]: [u64; 3]) -> u64 {
    // An item of near pairs; an item and a gap of the smallest distance; and rounding to whole lines.
    waiting(2 * depth, [clusters; 2], [roots; 2]).saturating_mul(8 + 12).saturating_add(256)
}

fn waiting(depths: u64, [clusters_a, clusters_b]: [u64; 2], [roots_a, roots_b]: [u64; 2]) -> u64 {
    // Sizes that no tree has must not overflow either: they exceed any memory.
    let waiting = (depths + 1).saturating_mul(MOST as u64 * clusters_a).saturating_mul(clusters_b);
    waiting.saturating_add(roots_a.saturating_mul(roots_b))
}

pub(super) struct Traversal<'t, 'g> {
    pub a: Operand<'t>,
    pub b: Operand<'t>,
    pub frame: &'t Frame,
    pub stack: &'t mut [u64],
    /// A gap for each item of the stack, for traversals that visit near pairs first, which pays off if the threshold shrinks. Empty if the order
    /// does not matter.
    pub gaps: &'t mut [f32],
    pub goal: &'g mut dyn Goal,
    pub part: Part<'t>,
    /// Triangles for which a query with a second threshold only needs the parts within each other's prisms.
    pub plain: Option<Plain<'t>>,
}

/// Which part of a traversal is done in one call.
#[derive(Clone, Copy)]
pub(super) enum Part<'t> {
    /// The whole traversal.
    All,
    /// From the roots, level by level, until more than this many items wait on the stack. At most this many wait before the last step. If the
    /// number is at most [`MOST`], the stack has room for these and for what a step pushes.
    Until(usize),
    /// The subtrees of these items.
    Of(&'t [u64]),
    /// The whole traversal, but the goal takes pairs of fine clusters instead of pairs of their triangles.
    Clusters,
    /// The triangles of these pairs of fine clusters; there may be more pairs than a stack holds.
    Listed(&'t [u64]),
}

impl Part<'_> {
    /// Pushes the first items onto the stack, or gives them as a list.
    #[inline(always)]
    fn begin(&self, stack: &mut Stack<'_>, [a, b]: [&TreeRef<'_>; 2]) -> Result<&[u64]> {
        match self {
            Part::Of(items) => stack.push_items(items)?,
            Part::Listed(items) => return Ok(items),
            _ => stack.push_roots(a.sizes.roots, b.sizes.roots)?,
        }
        Ok(&[])
    }

    /// Whether to continue with this many items on the stack.
    #[inline(always)]
    fn goes_on(&self, waiting: usize) -> bool {
        waiting > 0 && if let Part::Until(most) = self { waiting <= *most } else { true }
    }

    /// Takes as many items as there is room for, and gives their number.
    #[inline(always)]
    fn take(&self, stack: &mut Stack<'_>, listed: &mut &[u64], threshold: f64, taken: &mut [u64]) -> usize {
        match self {
            Part::Until(_) => stack.take_oldest(taken),
            Part::Listed(_) => take_listed(listed, taken),
            _ => stack.take(threshold, taken),
        }
    }
}

impl Kernel for Traversal<'_, '_> {
    /// The number of items that still wait.
    type Output = Result<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<usize> {
        let Traversal { a, b, frame, stack, gaps, goal, part, plain } = self;
        let trees = [&a.tree, &b.tree];
        let mut stack = Stack { items: stack, gaps, len: 0 };
        // The filter works in the units of A's mesh.
        let close = goal.close().map(|close| close / frame.scales[0]);
        let at_once = min(goal.at_once(), AT_ONCE);
        let mut cache = Cache { of: u64::MAX, threshold: -1.0, relative: None };
        let mut caps = [Cap::default(), Cap::default()];
        // Only if the order does not matter and no first hit ends the search.
        if matches!(part, Part::All) && stack.gaps.is_empty() && at_once == AT_ONCE && !goal.chooses() {
            let (threshold, [of_a, of_b]) = (goal.threshold() / frame.scales[0], &mut caps);
            let thresholds = [threshold, close.unwrap_or(threshold)];
            let relative = take_caps::<S::F32>(simd, trees, frame, thresholds, [of_a, of_b]);
            cache = Cache { of: key(0, 0), threshold, relative };
        }
        let packed = cache.relative.is_some();
        let (clusters, mut listed) = if packed {
            let clusters = caps.each_ref().map(Cap::clusters);
            stack.push_roots(clusters[0].len() as u32, clusters[1].len() as u32)?;
            (clusters, &[][..])
        } else {
            cache.of = u64::MAX;
            (trees.map(|tree| tree.clusters), part.begin(&mut stack, trees)?)
        };
        let way =
            Way { simd, part, plain, chooses: goal.chooses(), close: close.is_some(), ahead: Ahead::new(frame, trees) };
        let (mut keys, mut close_keys) = ([0; MOST], [0; MOST]);
        let mut found = StepItems { number: 0, close: 0, left_out: 0, keys: &mut keys, close_keys: &mut close_keys };
        let mut taken = [0; AT_ONCE];
        // Where the children and the candidates of each item begin.
        let mut begins = [(0, 0); AT_ONCE];
        let mut scaled;
        while part.goes_on(stack.len) || !listed.is_empty() {
            let threshold = goal.threshold() / frame.scales[0];
            let number = part.take(&mut stack, &mut listed, threshold, &mut taken[..at_once]);
            (found.number, found.close, found.left_out) = (0, 0, 0);
            for (item, begin) in taken[..number].iter().zip(&mut begins) {
                *begin = (stack.len, found.number);
                let (i, j) = ids(*item);
                let of_both = clusters[0].get(i as usize).zip(clusters[1].get(j as usize));
                let (ca, mut cb) = of_both.ok_or_else(damaged)?;
                if frame.ratio != 1.0 {
                    scaled = cb.scaled(frame.ratio);
                    cb = &scaled;
                }
                let relative = cache.get(frame, trees, [ca, cb], [threshold, close.unwrap_or(threshold)]);
                let pair = Pair { item: *item, clusters: [ca, cb], relative: relative.ok_or_else(damaged)? };
                if ca.is_fine() && cb.is_fine() {
                    way.fine(pair, &mut *goal, &mut found);
                } else {
                    way.down(pair, &mut *goal, &mut stack)?;
                }
            }
            if !found.give(goal, &mut stack, &begins[..number])? {
                return Ok(0);
            }
        }
        Ok(stack.len)
    }
}

/// One item: its clusters, those of B in A's units, and their relative frame.
#[derive(Clone, Copy)]
struct Pair<'c> {
    item: u64,
    clusters: [&'c Cluster; 2],
    relative: &'c Relative,
}

/// What all items of a traversal share.
struct Way<'t, S> {
    simd: S,
    part: Part<'t>,
    plain: Option<Plain<'t>>,
    chooses: bool,
    /// Whether there is a second threshold.
    close: bool,
    ahead: Ahead,
}

impl<S: Simd> Way<'_, S> {
    /// Handles two fine clusters: their pairs of triangles become candidates.
    #[inline(always)]
    fn fine(&self, pair: Pair<'_>, goal: &mut dyn Goal, found: &mut StepItems<'_>) {
        let Pair { item, clusters: [a, b], relative } = pair;
        if self.close {
            return self.fine_twice(pair, found);
        }
        let bits = self.chosen(survivors(self.simd, a, b, relative), item, goal);
        if bits != 0 && matches!(self.part, Part::Clusters) {
            found.keys[found.number & (MOST - 1)] = item;
            found.number += 1;
        } else if bits != 0 {
            found.number = collect(bits, a, b, found.keys, found.number);
        }
    }

    /// The same with two thresholds.
    #[inline(always)]
    fn fine_twice(&self, Pair { clusters: [a, b], relative, .. }: Pair<'_>, found: &mut StepItems<'_>) {
        let plain = self.plain.filter(|_| relative.slack <= prisms::LARGEST);
        let of = match plain.map_or(0, |plain| plain.pairs(a, b)) {
            0 => fine::<S, false>(self.simd, [a, b], relative, (0, false)),
            plain => fine::<S, true>(self.simd, [a, b], relative, (plain, self.plain.is_some_and(|plain| plain.all))),
        };
        if of.survivors == 0 {
            return;
        }
        found.left_out += of.apart.count_ones() as usize;
        found.number = collect(of.survivors & !of.apart, a, b, found.keys, found.number);
        if of.close != 0 {
            found.close = collect(of.close, a, b, found.close_keys, found.close);
        }
    }

    /// Handles two clusters at least one of which has children: pushes the successors.
    #[inline(always)]
    fn down(&self, pair: Pair<'_>, goal: &mut dyn Goal, stack: &mut Stack<'_>) -> Result<()> {
        let Pair { item, clusters: [a, b], relative } = pair;
        if let Part::Listed(_) = self.part {
            return Err(damaged());
        }
        let sides = |[stay_a, stay_b]: [bool; 2]| {
            let (i, j) = ids(item);
            [Side::new(i, a, stay_a), Side::new(j, b, stay_b)]
        };
        let mut gaps = [0.0; 16];
        let ordered = !stack.gaps.is_empty();
        let bits = match ordered {
            true => survivors_by_gap(self.simd, a, b, relative, &mut gaps),
            false => survivors(self.simd, a, b, relative),
        };
        match self.chosen(bits, item, goal) {
            0 => Ok(()),
            bits if ordered => descend_by_gap(bits, gaps, sides(self.ahead.stay(item, [a, b])), stack),
            bits => descend(bits, sides(self.ahead.stay(item, [a, b])), stack),
        }
    }

    #[inline(always)]
    fn chosen(&self, bits: u32, item: u64, goal: &mut dyn Goal) -> u32 {
        let (i, j) = ids(item);
        if self.chooses && bits != 0 { goal.choose([i, j], bits) } else { bits }
    }
}

/// The results of the items of a step.
struct StepItems<'k> {
    number: usize,
    close: usize,
    left_out: usize,
    keys: &'k mut [Key; MOST],
    close_keys: &'k mut [Key; MOST],
}

impl StepItems<'_> {
    /// Passes the results to the goal. Gives whether to continue.
    #[inline(always)]
    fn give(&self, goal: &mut dyn Goal, stack: &mut Stack<'_>, begins: &[(usize, usize)]) -> Result<bool> {
        if self.left_out > 0 && !goal.leave_out(self.left_out) {
            return Ok(false);
        }
        if self.close > 0 {
            goal.take_close(&self.close_keys[..self.close])?;
        }
        if self.number == 0 {
            return Ok(true);
        }
        if !goal.take(&self.keys[..self.number])? {
            return Ok(false);
        }
        if let Some(settled) = goal.settled() {
            // Only the children of items that were above the item of this candidate remain relevant.
            let first = begins.iter().find(|(_, candidate)| *candidate > settled);
            stack.keep_top(first.map_or(stack.len, |(child, _)| *child));
        }
        Ok(true)
    }
}

/// If the nodes of a tree are larger than the whole other body, the tree descends alone until they are not. Otherwise the other tree would reach
/// its triangles before these nodes can be told apart, and continue with all of them.
#[derive(Clone, Copy)]
pub(super) struct Ahead {
    /// The body whose tree may descend alone.
    body: usize,
    /// The other body's clusters below this number are its roots.
    roots: u32,
    /// Nodes larger than this descend alone, in the filter's units.
    larger_than: f32,
}

impl Ahead {
    /// In units of the other body's radius.
    const TIMES: f64 = 4.0;

    pub fn new(frame: &Frame, [a, b]: [&TreeRef<'_>; 2]) -> Self {
        let radius = |tree: &TreeRef<'_>| tree.root().map_or(0.0, |root| root.radius);
        let (of_a, of_b) = (radius(a), radius(b) * frame.ratio);
        let ahead = |body: usize, other: &TreeRef<'_>, radius: f64| {
            let larger_than = (Ahead::TIMES * radius) as f32;
            Ahead { body, roots: other.sizes.roots, larger_than }
        };
        if of_a > Ahead::TIMES * of_b {
            ahead(0, b, of_b)
        } else if of_b > Ahead::TIMES * of_a {
            ahead(1, a, of_a)
        } else {
            Ahead { body: 0, roots: 0, larger_than: 0.0 }
        }
    }

    /// Which of two clusters, in the filter's units, stays: that of the other body, if it is a root.
    #[inline(always)]
    pub fn stay(&self, item: u64, clusters: [&Cluster; 2]) -> [bool; 2] {
        let (i, j) = ids(item);
        let other = if self.body == 0 { j } else { i };
        if other >= self.roots { [false; 2] } else { self.stays(clusters) }
    }

    #[inline(never)]
    fn stays(&self, clusters: [&Cluster; 2]) -> [bool; 2] {
        let cluster = clusters[self.body & 1];
        let goes = !cluster.is_fine() && size(cluster) > self.larger_than;
        [goes && self.body == 1, goes && self.body == 0]
    }
}

/// The largest halo or extent along an axis of a node.
fn size(cluster: &Cluster) -> f32 {
    (0..cluster.count()).fold(0.0, |most, lane| {
        let [u, v, w] = cluster.triangle(lane);
        let extent = |k: usize| max(max(u[k], v[k]), w[k]) - min(min(u[k], v[k]), w[k]);
        max(max(most, cluster.halo(lane)), max(max(extent(0), extent(1)), extent(2)))
    })
}

/// The last relative frame. Successive items mostly have the same origins.
struct Cache {
    of: u64,
    threshold: f64,
    relative: Option<Relative>,
}

impl Cache {
    #[inline(always)]
    fn get(
        &mut self,
        frame: &Frame,
        [a, b]: [&TreeRef<'_>; 2],
        [ca, cb]: [&Cluster; 2],
        [threshold, close]: [f64; 2],
    ) -> Option<&Relative> {
        let of = key(ca.meta[1], cb.meta[1]);
        if of != self.of || threshold != self.threshold {
            let (oa, ob) = (a.origins.get(ca.origin())?, b.origins.get(cb.origin())?);
            self.relative = Some(frame.relative(oa, ob, threshold, close));
            (self.of, self.threshold) = (of, threshold);
        }
        self.relative.as_ref()
    }
}

/// Takes as many items as there is room for from the front of a list.
#[inline(always)]
fn take_listed(listed: &mut &[u64], taken: &mut [u64]) -> usize {
    let (now, later) = listed.split_at(min(listed.len(), taken.len()));
    taken[..now.len()].copy_from_slice(now);
    *listed = later;
    now.len()
}

/// Writes all sixteen pairs and keeps only those with a bit, because a branch on their number could not be predicted.
#[inline(always)]
fn collect(bits: u32, ca: &Cluster, cb: &Cluster, candidates: &mut [Key; MOST], mut found: usize) -> usize {
    for bit in 0..16 {
        candidates[found & (MOST - 1)] = key(ca.link[bit >> 2], cb.link[bit & 3]);
        found += (bits >> bit & 1) as usize;
    }
    found
}
