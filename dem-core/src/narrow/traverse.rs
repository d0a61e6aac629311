//! Two trees, pair of clusters by pair of clusters, down to pairs of fine triangles that may be within the threshold.
//!
//! A work item is a pair of clusters; one step of the filter tests all pairs of their nodes. Items wait on a stack, and
//! up to sixteen are taken at once, as they do not depend on each other and their latencies overlap (pairs of nodes instead
//! of the products of active sets of P0 Algorithm 5.1, and its section 5.4's buffer). Both sides descend together; where
//! one is fine, the other goes on alone.
//!
//! # Bound of the stack
//! An item's height is the number of levels below both clusters. All items that one item leads to have the same, smaller
//! height, and they are pushed in the order of the items taken, so heights never grow from bottom to top. Items of height
//! h are pushed only when an item of larger height is taken, and then all items above it, which include those of height
//! h, are gone or are taken with it. So each height is present with what one step pushes, at most: the stack needs
//! (heights) times (items at once) times (16 pairs of nodes) times (child clusters of a node)^2.

use super::Operand;
use super::filter::{fine, survivors, survivors_by_gap};
use super::frame::{Frame, Relative};
use super::prisms::{self, Plain};
use super::stack::{Side, Stack, damaged, descend, descend_by_gap};
use crate::error::Result;
use crate::simd::{Kernel, Simd};
use crate::surrogate::{Cluster, TreeRef};

/// Items taken at once.
pub(super) const AT_ONCE: usize = 16;

/// Candidate pairs of one step, at most.
pub(super) const MOST: usize = AT_ONCE * 16;

/// A pair of fine triangles: A in the upper half, B in the lower.
pub(crate) type Key = u64;

#[inline(always)]
pub(crate) fn key(a: u32, b: u32) -> Key {
    u64::from(a) << 32 | u64::from(b)
}

#[inline(always)]
pub(crate) fn ids(key: Key) -> (u32, u32) {
    ((key >> 32) as u32, key as u32)
}

/// What a query wants of a traversal.
pub(super) trait Goal {
    /// Pairs whose distance less both halos is larger, in the world's units, are of no interest. It may be negative, and it may
    /// shrink as the traversal goes on.
    fn threshold(&self) -> f64;
    /// Takes candidates ([`Part::Clusters`]: pairs of fine clusters), and says whether to go on.
    fn take(&mut self, candidates: &[Key]) -> Result<bool>;
    /// A second, smaller threshold: [`take_close`](Self::take_close) is given those of the candidates that may be within it.
    fn close(&self) -> Option<f64> {
        None
    }
    /// Takes candidates of the second threshold.
    fn take_close(&mut self, _candidates: &[Key]) -> Result<()> {
        Ok(())
    }
    /// The place of the candidate, of those taken last, that makes everything below it on the stack uninteresting.
    fn settled(&self) -> Option<usize> {
        None
    }
    /// Whether [`choose`](Self::choose) is to be asked; goals with a second threshold are not.
    fn chooses(&self) -> bool {
        false
    }
    /// Of pairs of nodes of two clusters, a bit for each, those below which there may be a pair of interest.
    fn choose(&self, _clusters: [u32; 2], nodes: u32) -> u32 {
        nodes
    }
    /// So many [`Plain`] pairs are no candidates, as their prisms do not meet. Says whether to go on.
    fn leave_out(&mut self, _count: usize) -> bool {
        true
    }
}

/// Work items that a traversal of these trees may have to keep.
pub(super) fn stack_size(a: &TreeRef<'_>, b: &TreeRef<'_>) -> u64 {
    let ([depth_a, clusters_a, roots_a], [depth_b, clusters_b, roots_b]) = (extent(a), extent(b));
    waiting(depth_a + depth_b, [clusters_a, clusters_b], [roots_a, roots_b])
}

/// What the work items of a tree depend on: its depth, clusters of a node, roots.
pub(crate) fn extent(tree: &TreeRef<'_>) -> [u64; 3] {
    [tree.sizes.depth.into(), u64::from(tree.sizes.fan_out).div_ceil(4), tree.sizes.roots.into()]
}

/// Bytes that work items take at most, in any search, of two trees of which neither has a larger [`extent`].
pub(crate) fn most_waiting([depth, clusters, roots]: [u64; 3]) -> u64 {
    // An item of near pairs, an item and a gap of the smallest distance, and the rounding to whole lines.
    waiting(2 * depth, [clusters; 2], [roots; 2]).saturating_mul(8 + 12).saturating_add(256)
}

fn waiting(depths: u64, [clusters_a, clusters_b]: [u64; 2], [roots_a, roots_b]: [u64; 2]) -> u64 {
    // Sizes that no tree has must not overflow either: they are too large for any memory.
    let waiting = (depths + 1).saturating_mul(MOST as u64 * clusters_a).saturating_mul(clusters_b);
    waiting.saturating_add(roots_a.saturating_mul(roots_b))
}

pub(super) struct Traversal<'t, 'g> {
    pub a: Operand<'t>,
    pub b: Operand<'t>,
    pub frame: &'t Frame,
    pub stack: &'t mut [u64],
    /// A gap for each item of the stack, where near pairs shall come first: worth its price where the threshold shrinks.
    /// Empty where the order does not matter.
    pub gaps: &'t mut [f32],
    pub goal: &'g mut dyn Goal,
    pub part: Part<'t>,
    /// Triangles of which a query with a second threshold asks no more than what they have in each other's prisms.
    pub plain: Option<Plain<'t>>,
}

/// How much of a traversal is done at once.
#[derive(Clone, Copy)]
pub(super) enum Part<'t> {
    /// All of it.
    All,
    /// From the roots, level by level, until more than so many items wait on the stack. Before the last step there were no more than
    /// these, which the stack has room for beside what a step pushes, where they are no more than [`MOST`].
    Until(usize),
    /// What comes of these items.
    Of(&'t [u64]),
    /// All of it, but the goal takes pairs of fine clusters in place of pairs of their triangles.
    Clusters,
    /// What comes of these pairs of fine clusters; there may be more of them than a stack holds.
    Listed(&'t [u64]),
}

impl Kernel for Traversal<'_, '_> {
    /// How many items wait.
    type Output = Result<usize>;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Result<usize> {
        let Traversal { a, b, frame, stack, gaps, goal, part, plain } = self;
        let (tree_a, tree_b) = (&a.tree, &b.tree);
        let mut stack = Stack { items: stack, gaps, len: 0 };
        let ordered = !stack.gaps.is_empty();
        let close = goal.close().map(|close| close / frame.scales[0]);
        let chooses = goal.chooses();
        let most = if let Part::Until(most) = part { most } else { usize::MAX };
        let listing = matches!(part, Part::Clusters);
        let mut listed: &[u64] = &[];
        match part {
            Part::Of(items) => stack.push_items(items)?,
            Part::Listed(items) => listed = items,
            _ => stack.push_roots(tree_a.sizes.roots, tree_b.sizes.roots)?,
        }
        let mut cache = Cache { of: u64::MAX, threshold: -1.0, relative: None };
        let (mut candidates, mut close_ones) = ([0; MOST], [0; MOST]);
        let mut taken = [0; AT_ONCE];
        let mut node_gaps = [0.0; 16];
        // Where the children and the candidates of each item begin.
        let mut begins = [(0, 0); AT_ONCE];
        let mut scaled;
        while (stack.len > 0 && stack.len <= most) || !listed.is_empty() {
            // The filter has the units of A's mesh.
            let threshold = goal.threshold() / frame.scales[0];
            let number = match part {
                Part::Until(_) => stack.take_oldest(&mut taken),
                Part::Listed(_) => take_listed(&mut listed, &mut taken),
                _ => stack.take(threshold, &mut taken),
            };
            let (mut found, mut found_close, mut left_out) = (0, 0, 0);
            for (item, begin) in taken[..number].iter().zip(&mut begins) {
                *begin = (stack.len, found);
                let (i, j) = ids(*item);
                let clusters = tree_a.clusters.get(i as usize).zip(tree_b.clusters.get(j as usize));
                let (ca, mut cb) = clusters.ok_or_else(damaged)?;
                if frame.ratio != 1.0 {
                    scaled = cb.scaled(frame.ratio);
                    cb = &scaled;
                }
                let relative = cache.get(frame, tree_a, tree_b, ca, cb, [threshold, close.unwrap_or(threshold)]);
                let relative = relative.ok_or_else(damaged)?;
                let both_fine = ca.is_fine() && cb.is_fine();
                if !both_fine && matches!(part, Part::Listed(_)) {
                    return Err(damaged());
                }
                if both_fine && close.is_some() {
                    let plain = plain.filter(|_| relative.slack <= prisms::LARGEST);
                    let of = match plain.map_or(0, |plain| plain.pairs(ca, cb)) {
                        0 => fine::<S, false>(simd, [ca, cb], relative, 0),
                        plain => fine::<S, true>(simd, [ca, cb], relative, plain),
                    };
                    if of.survivors == 0 {
                        continue;
                    }
                    left_out += of.apart.count_ones() as usize;
                    found = collect(of.survivors & !of.apart, ca, cb, &mut candidates, found);
                    if of.close != 0 {
                        found_close = collect(of.close, ca, cb, &mut close_ones, found_close);
                    }
                    continue;
                }
                let mut bits = match ordered {
                    true => survivors_by_gap(simd, ca, cb, relative, &mut node_gaps),
                    false => survivors(simd, ca, cb, relative),
                };
                if chooses && bits != 0 {
                    bits = goal.choose([i, j], bits);
                }
                if bits == 0 {
                    continue;
                }
                if both_fine && listing {
                    candidates[found & (MOST - 1)] = *item;
                    found += 1;
                } else if both_fine {
                    found = collect(bits, ca, cb, &mut candidates, found);
                } else if ordered {
                    descend_by_gap(bits, &node_gaps, Side::new(i, ca), Side::new(j, cb), &mut stack)?;
                } else {
                    descend(bits, Side::new(i, ca), Side::new(j, cb), &mut stack)?;
                }
            }
            if left_out > 0 && !goal.leave_out(left_out) {
                return Ok(0);
            }
            if found_close > 0 {
                goal.take_close(&close_ones[..found_close])?;
            }
            if found > 0 && !goal.take(&candidates[..found])? {
                return Ok(0);
            }
            if found > 0
                && let Some(settled) = goal.settled()
            {
                // What comes before it are the children of the items that were above its own.
                let first = begins[..number].iter().find(|(_, candidate)| *candidate > settled);
                stack.keep_top(first.map_or(stack.len, |(child, _)| *child));
            }
        }
        Ok(stack.len)
    }
}

/// The last relative frame: neighbouring items mostly have the same origins.
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
        a: &TreeRef<'_>,
        b: &TreeRef<'_>,
        ca: &Cluster,
        cb: &Cluster,
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

/// Takes up to [`AT_ONCE`] items off the front of a list.
#[inline(always)]
fn take_listed(listed: &mut &[u64], taken: &mut [u64; AT_ONCE]) -> usize {
    let (now, later) = listed.split_at(listed.len().min(AT_ONCE));
    taken[..now.len()].copy_from_slice(now);
    *listed = later;
    now.len()
}

/// All sixteen are written and only those that count are kept: how many there are could not be foreseen by a branch.
#[inline(always)]
fn collect(bits: u32, ca: &Cluster, cb: &Cluster, candidates: &mut [Key; MOST], mut found: usize) -> usize {
    for bit in 0..16 {
        candidates[found & (MOST - 1)] = key(ca.link[bit >> 2], cb.link[bit & 3]);
        found += (bits >> bit & 1) as usize;
    }
    found
}
