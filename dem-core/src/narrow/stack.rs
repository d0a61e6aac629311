//! The stack of a traversal: pairs of clusters that wait, and where pairs of nodes lead to.

use super::traverse::{AT_ONCE, ids, key};
use crate::error::{Error, Kind, Result, What};
use crate::real::min;
use crate::surrogate::Cluster;

/// Pairs of clusters, A in the upper half, B in the lower.
pub(super) struct Stack<'t> {
    pub items: &'t mut [u64],
    /// How far apart everything below is at least, where the order matters; else empty.
    pub gaps: &'t mut [f32],
    pub len: usize,
}

impl Stack<'_> {
    /// The work items of two whole trees.
    pub fn push_roots(&mut self, roots_a: u32, roots_b: u32) -> Result<()> {
        for i in 0..roots_a as usize {
            for j in 0..roots_b as usize {
                self.push(i, j, f32::NEG_INFINITY)?;
            }
        }
        Ok(())
    }

    /// Items of another stack, in their order.
    pub fn push_items(&mut self, items: &[u64]) -> Result<()> {
        items.iter().try_for_each(|item| {
            let (a, b) = ids(*item);
            self.push(a as usize, b as usize, f32::NEG_INFINITY)
        })
    }

    /// Errors: [`Kind::Damaged`]: the stack holds whatever a sound tree can lead to.
    #[inline(always)]
    pub fn push(&mut self, a: usize, b: usize, gap: f32) -> Result<()> {
        let Some(item) = self.items.get_mut(self.len) else { return Err(damaged()) };
        *item = key(a as u32, b as u32);
        if let Some(to) = self.gaps.get_mut(self.len) {
            *to = gap;
        }
        self.len += 1;
        Ok(())
    }

    /// Takes up to [`AT_ONCE`] items off the top, nearest last, without those whose gap is too large by now.
    #[inline(always)]
    pub fn take(&mut self, threshold: f64, taken: &mut [u64; AT_ONCE]) -> usize {
        let first = self.len.saturating_sub(AT_ONCE);
        let mut number = 0;
        for k in first..self.len {
            if self.gaps.get(k).is_none_or(|gap| f64::from(*gap) <= threshold) {
                taken[number] = self.items[k];
                number += 1;
            }
        }
        self.len = first;
        number
    }

    /// Leaves only the items from this place on.
    pub fn keep_top(&mut self, from: usize) {
        self.items.copy_within(from..self.len, 0);
        if !self.gaps.is_empty() {
            self.gaps.copy_within(from..self.len, 0);
        }
        self.len -= from;
    }

    /// Takes up to [`AT_ONCE`] items from the bottom, whatever their gaps: in the order of levels, so that items that wait are many, and
    /// of about the same size.
    pub fn take_oldest(&mut self, taken: &mut [u64; AT_ONCE]) -> usize {
        let number = min(self.len, AT_ONCE);
        taken[..number].copy_from_slice(&self.items[..number]);
        self.items.copy_within(number..self.len, 0);
        self.len -= number;
        number
    }
}

#[cold]
pub(super) fn damaged() -> Error {
    Error::new(Kind::Damaged, What::Tree)
}

/// One cluster of an item.
#[derive(Clone, Copy)]
pub(super) struct Side<'t> {
    index: usize,
    cluster: &'t Cluster,
}

impl<'t> Side<'t> {
    #[inline(always)]
    pub fn new(index: u32, cluster: &'t Cluster) -> Self {
        Side { index: index as usize, cluster }
    }

    /// Where to go on for each node, if that is one cluster for each.
    #[inline(always)]
    fn one_below_each(&self) -> Option<[u32; 4]> {
        if self.cluster.is_fine() {
            return Some([self.index as u32; 4]);
        }
        // A byte for each node: how many clusters its children take.
        (self.cluster.meta[2] & !0x0101_0101 == 0).then_some(self.cluster.link)
    }

    /// Where to go on for one of the nodes: its children, or all of a fine cluster again.
    #[inline(always)]
    fn below(&self, lane: usize) -> core::ops::Range<usize> {
        if self.cluster.is_fine() { self.index..self.index + 1 } else { self.cluster.children(lane) }
    }
}

/// All nodes of a fine cluster go on together, so one bit stands for its row or column of four.
#[inline(always)]
fn folded(bits: u32, a: Side<'_>, b: Side<'_>) -> u32 {
    if a.cluster.is_fine() {
        (bits | bits >> 4 | bits >> 8 | bits >> 12) & 0xf
    } else if b.cluster.is_fine() {
        (bits | bits >> 1 | bits >> 2 | bits >> 3) & 0x1111
    } else {
        bits
    }
}

#[inline(always)]
pub(super) fn descend(bits: u32, a: Side<'_>, b: Side<'_>, stack: &mut Stack<'_>) -> Result<()> {
    let mut bits = folded(bits, a, b);
    if let (Some(of_a), Some(of_b)) = (a.one_below_each(), b.one_below_each())
        && let Some(to) = stack.items.get_mut(stack.len..).and_then(<[u64]>::first_chunk_mut::<16>)
    {
        // As for candidates: all are written and only those that count are kept.
        let mut number = 0;
        for bit in 0..16 {
            to[number & 15] = key(of_a[bit >> 2], of_b[bit & 3]);
            number += (bits >> bit & 1) as usize;
        }
        stack.len += number;
        return Ok(());
    }
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        push_all(a.below(bit >> 2), b.below(bit & 3), 0.0, stack)?;
    }
    Ok(())
}

/// The gaps that go with folded bits: the smallest of those that a bit stands for.
#[inline(always)]
fn least(mut bits: u32, gaps: &[f32; 16], a: Side<'_>, b: Side<'_>) -> [f32; 16] {
    let mut least = [f32::INFINITY; 16];
    while bits != 0 {
        let bit = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let onto = match (a.cluster.is_fine(), b.cluster.is_fine()) {
            (true, _) => bit & 3,
            (_, true) => bit & 12,
            _ => bit,
        };
        least[onto] = crate::real::min(gaps[bit], least[onto]);
    }
    least
}

/// The same, nearest last, so that they are taken first.
#[inline(always)]
pub(super) fn descend_by_gap(
    bits: u32,
    gaps: &[f32; 16],
    a: Side<'_>,
    b: Side<'_>,
    stack: &mut Stack<'_>,
) -> Result<()> {
    let gaps = least(bits, gaps, a, b);
    let mut left = folded(bits, a, b);
    while left != 0 {
        let mut farthest = left.trailing_zeros() as usize;
        let mut others = left & (left - 1);
        while others != 0 {
            let bit = others.trailing_zeros() as usize;
            others &= others - 1;
            if gaps[bit] > gaps[farthest] {
                farthest = bit;
            }
        }
        left &= !(1 << farthest);
        push_all(a.below(farthest >> 2), b.below(farthest & 3), gaps[farthest], stack)?;
    }
    Ok(())
}

#[inline(always)]
fn push_all(a: core::ops::Range<usize>, b: core::ops::Range<usize>, gap: f32, stack: &mut Stack<'_>) -> Result<()> {
    for i in a {
        for j in b.clone() {
            stack.push(i, j, gap)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::FINE;
    use crate::triangle::tests::Random;

    #[test]
    fn a_pair_of_clusters_is_as_near_as_the_nearest_of_the_nodes_it_stands_for() {
        let mut random = Random(51);
        let cluster = |fine: u32| Cluster {
            rows: [[0.0; 4]; 14],
            link: [10, 20, 30, 40],
            meta: [4 | fine, 0, if fine == 0 { 0x0101_0101 } else { 0 }, 0],
        };
        let (coarse, fine) = (cluster(0), cluster(FINE));
        for (a, b) in [(&coarse, &coarse), (&fine, &coarse), (&coarse, &fine)] {
            for _ in 0..500 {
                let gaps: [f32; 16] = core::array::from_fn(|_| random.next() as f32);
                let bits = 1 + (random.next() * 65_535.0) as u32;
                let (mut items, mut kept) = ([0; 16], [0.0; 16]);
                let mut stack = Stack { items: &mut items, gaps: &mut kept, len: 0 };
                let (a, b) = (Side { index: 1, cluster: a }, Side { index: 2, cluster: b });
                assert_eq!(descend_by_gap(bits, &gaps, a, b, &mut stack), Ok(()));
                let number = stack.len;
                assert!(kept[..number].is_sorted_by(|x, y| x >= y), "nearest last");
                for bit in (0..16).filter(|bit| bits >> bit & 1 != 0) {
                    let item = key(a.below(bit >> 2).start as u32, b.below(bit & 3).start as u32);
                    let at = items[..number].iter().position(|i| *i == item);
                    assert!(at.is_some_and(|at| kept[at] <= gaps[bit]), "{bits:x} {bit}");
                }
                for (at, gap) in kept[..number].iter().enumerate() {
                    assert!(gaps.contains(gap) && !items[..at].contains(&items[at]));
                }
            }
        }
    }
}
