//! Even division: the number of triangles alone decides how parts are divided into children, so the size of a tree is known before it is built.

use super::options::Options;

/// Nodes of a cluster.
pub(super) const WIDTH: u32 = 4;

/// The options that decide the number of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    pub fan_out: u32,
    pub leaf: u32,
    pub subtree: u32,
}

/// The numbers of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub clusters: u64,
    pub origins: u64,
    /// Consecutive clusters of the root's children.
    pub roots: u64,
    /// Levels of clusters.
    pub depth: u32,
    /// Surrogates without the root.
    pub surrogates: u64,
}

/// A number of leaves at the start of a part, and the number of children among which they are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub leaves: u32,
    pub ways: u32,
}

/// The first half of a bisection of `leaves` among `ways` children: the shares of the children are equal or differ by one leaf.
pub(super) fn bisect(leaves: u32, ways: u32) -> Cut {
    let first = ways - ways / 2;
    let share = (leaves as u64 * first as u64).div_ceil(ways.max(1) as u64);
    Cut { leaves: share as u32, ways: first }
}

/// The leaves of one child of a cut.
pub(super) fn share(mut cut: Cut, mut child: u32) -> u32 {
    while cut.ways > 1 {
        let first = bisect(cut.leaves, cut.ways);
        if child < first.ways {
            cut = first;
        } else {
            child -= first.ways;
            cut = Cut { leaves: cut.leaves - first.leaves, ways: cut.ways - first.ways };
        }
    }
    cut.leaves
}

impl Fill {
    pub fn new(options: &Options) -> Fill {
        Fill { fan_out: options.fan_out, leaf: options.leaf, subtree: options.subtree }
    }

    /// The number of leaves of a part: all are full except the last.
    pub fn leaves(&self, triangles: u32) -> u32 {
        triangles.div_ceil(self.leaf.max(1))
    }

    /// The number of children of a part with at least two leaves.
    pub fn ways(&self, leaves: u32) -> u32 {
        leaves.min(self.fan_out.max(2))
    }

    /// Whether the children of a part have an origin of their own, if the parts above have none.
    pub fn starts_subtree(&self, leaves: u32) -> bool {
        leaves as u64 * self.leaf as u64 <= self.subtree as u64
    }

    /// All numbers of a tree of this many triangles. Cost: proportional to the depth.
    pub fn counts(&self, triangles: u32) -> Counts {
        let leaves = self.leaves(triangles) as u64;
        if leaves == 0 {
            return Counts { origins: 1, ..Counts::default() };
        }
        let full = self.leaf.div_ceil(WIDTH) as u64;
        let rest = (triangles - (leaves as u32 - 1) * self.leaf).div_ceil(WIDTH) as u64;
        let roots = match leaves {
            1 => rest,
            _ => self.ways(leaves as u32).div_ceil(WIDTH) as u64,
        };
        let fine = (leaves - 1) * full + rest;
        let mut counts = Counts { clusters: fine, origins: 1, roots, depth: 1, surrogates: 0 };
        // Parts of one level have at most two sizes, which differ by one leaf.
        let mut level = [(leaves as u32, 1u64), (0, 0)];
        let whole_has_subtree = self.starts_subtree(leaves as u32);
        while level.iter().any(|&(size, number)| number > 0 && size > 1) {
            let mut next = [(0u32, 0u64); 2];
            for (size, number) in level.into_iter().filter(|&(size, number)| number > 0 && size > 1) {
                let ways = self.ways(size);
                counts.clusters += number * ways.div_ceil(WIDTH) as u64;
                counts.surrogates += number * ways as u64;
                let (small, more) = (size / ways, size % ways);
                for (child, children) in [(small, ways - more), (small + 1, more)] {
                    if children == 0 {
                        continue;
                    }
                    if !whole_has_subtree && self.starts_subtree(child) && !self.starts_subtree(size) {
                        counts.origins += number * children as u64;
                    }
                    let slot = if next[0].1 == 0 || next[0].0 == child { 0 } else { 1 };
                    next[slot] = (child, next[slot].1 + number * children as u64);
                }
            }
            counts.depth += 1;
            level = next;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, by a walk over every part.
    fn walk(fill: &Fill, triangles: u32, leaves: u32, level: u32, owned: bool, out: &mut Counts) -> u64 {
        out.depth = out.depth.max(level + 1);
        let owned = owned || {
            let starts = fill.starts_subtree(leaves);
            out.origins += starts as u64;
            starts
        };
        if leaves == 1 {
            let clusters = triangles.div_ceil(WIDTH) as u64;
            out.clusters += clusters;
            return clusters;
        }
        let ways = fill.ways(leaves);
        out.clusters += ways.div_ceil(WIDTH) as u64;
        divide(fill, triangles, Cut { leaves, ways }, level, owned, out);
        ways.div_ceil(WIDTH) as u64
    }

    fn divide(fill: &Fill, triangles: u32, part: Cut, level: u32, owned: bool, out: &mut Counts) {
        if part.ways == 1 {
            out.surrogates += 1;
            walk(fill, triangles, part.leaves, level + 1, owned, out);
            return;
        }
        let first = bisect(part.leaves, part.ways);
        let second = Cut { leaves: part.leaves - first.leaves, ways: part.ways - first.ways };
        assert!(first.leaves >= first.ways && second.leaves >= second.ways);
        let cut = first.leaves * fill.leaf;
        divide(fill, cut, first, level, owned, out);
        divide(fill, triangles - cut, second, level, owned, out);
    }

    #[test]
    fn counts_are_those_of_a_walk_over_all_parts() {
        for (fan_out, leaf, subtree) in
            [(4, 4, 512), (4, 4, 0), (8, 8, 100), (2, 1, 7), (3, 5, 40), (64, 64, 4096), (5, 3, 1)]
        {
            let fill = Fill { fan_out, leaf, subtree };
            for n in (1..400).chain([512, 1280, 1281, 3674, 20_480, 20_479, 65_537]) {
                let mut walked = Counts { origins: 1, ..Counts::default() };
                let leaves = fill.leaves(n);
                walked.roots = walk(&fill, n, leaves, 0, fill.starts_subtree(leaves), &mut walked);
                assert_eq!(fill.counts(n), walked, "{n} triangles, {fill:?}");
            }
        }
    }
}
