//! The stack of a traversal: pairs of clusters that wait, and the successors of pairs of nodes.

use super::key::{ids, key};
use crate::error::{Error, Kind, Result, What};
use crate::real::min;
use crate::surrogate::Cluster;

/// Pairs of clusters, with A in the upper half and B in the lower half.
pub(super) struct Stack<'t> {
    pub items: &'t mut [u64],
    /// A lower bound of the distance of everything below each item, if the order matters; else empty.
    pub gaps: &'t mut [f32],
    pub len: usize,
}

impl Stack<'_> {
    /// Pushes the work items of two whole trees.
    pub fn push_roots(&mut self, roots_a: u32, roots_b: u32) -> Result<()> {
        for i in 0..roots_a as usize {
            for j in 0..roots_b as usize {
                self.push(i, j, f32::NEG_INFINITY)?;
            }
        }
        Ok(())
    }

    /// Pushes items of another stack, in their order.
    pub fn push_items(&mut self, items: &[u64]) -> Result<()> {
        items.iter().try_for_each(|item| {
            let (a, b) = ids(*item);
            self.push(a as usize, b as usize, f32::NEG_INFINITY)
        })
    }

    /// Errors: [`Kind::Damaged`], because the stack has room for every sound tree.
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

    /// Takes as many items as there is room for from the top, nearest last. Leaves out items whose gap exceeds the current threshold.
    #[inline(always)]
    pub fn take(&mut self, threshold: f64, taken: &mut [u64]) -> usize {
        let first = self.len.saturating_sub(taken.len());
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

    /// Keeps only the items from this index on.
    pub fn keep_top(&mut self, from: usize) {
        self.items.copy_within(from..self.len, 0);
        if !self.gaps.is_empty() {
            self.gaps.copy_within(from..self.len, 0);
        }
        self.len -= from;
    }

    /// Takes as many items as there is room for from the bottom, regardless of their gaps. So items are taken level by level, and the waiting items
    /// are many and of about the same size.
    pub fn take_oldest(&mut self, taken: &mut [u64]) -> usize {
        let number = min(self.len, taken.len());
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

/// One of the two clusters of an item.
#[derive(Clone, Copy)]
pub(super) struct Side<'t> {
    index: usize,
    cluster: &'t Cluster,
    /// Whether it stays the same in the successors: a fine cluster does, and a cluster that waits while the other tree descends.
    stays: bool,
}

impl<'t> Side<'t> {
    #[inline(always)]
    pub fn new(index: u32, cluster: &'t Cluster, stays: bool) -> Self {
        Side { index: index as usize, cluster, stays: stays || cluster.is_fine() }
    }

    /// The successor cluster of each node, if each node has only one.
    #[inline(always)]
    fn one_below_each(&self) -> Option<[u32; 4]> {
        if self.stays {
            return Some([self.index as u32; 4]);
        }
        // Each byte is the number of child clusters of a node.
        (self.cluster.meta[2] & !0x0101_0101 == 0).then_some(self.cluster.link)
    }

    /// The successor clusters of a node: its children, or the cluster itself if it stays.
    #[inline(always)]
    fn below(&self, lane: usize) -> core::ops::Range<usize> {
        if self.stays { self.index..self.index + 1 } else { self.cluster.children(lane) }
    }
}

/// All nodes of a cluster that stays have the same successor, so one bit stands for its row or column of four.
#[inline(always)]
fn folded(bits: u32, a: Side<'_>, b: Side<'_>) -> u32 {
    if a.stays {
        (bits | bits >> 4 | bits >> 8 | bits >> 12) & 0xf
    } else if b.stays {
        (bits | bits >> 1 | bits >> 2 | bits >> 3) & 0x1111
    } else {
        bits
    }
}

#[inline(always)]
pub(super) fn descend(bits: u32, [a, b]: [Side<'_>; 2], stack: &mut Stack<'_>) -> Result<()> {
    let mut bits = folded(bits, a, b);
    if let (Some(of_a), Some(of_b)) = (a.one_below_each(), b.one_below_each())
        && let Some(to) = stack.items.get_mut(stack.len..).and_then(<[u64]>::first_chunk_mut::<16>)
    {
        // Without branches: all are written, and only those with a bit are kept.
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

/// The gaps of the folded bits: each is the smallest gap of the bits for which it stands. Gaps of unset bits are infinite.
#[inline(always)]
fn least(bits: u32, mut gaps: [f32; 16], a: Side<'_>, b: Side<'_>) -> [f32; 16] {
    for (bit, gap) in gaps.iter_mut().enumerate() {
        *gap = if bits >> bit & 1 != 0 { *gap } else { f32::INFINITY };
    }
    let of = |k: [usize; 4]| min(min(gaps[k[0]], gaps[k[1]]), min(gaps[k[2]], gaps[k[3]]));
    match (a.stays, b.stays) {
        (true, _) => core::array::from_fn(|k| of([k & 3, 4 + (k & 3), 8 + (k & 3), 12 + (k & 3)])),
        (_, true) => core::array::from_fn(|k| of([k & 12, (k & 12) + 1, (k & 12) + 2, (k & 12) + 3])),
        _ => gaps,
    }
}

/// The rank of each set bit in the order of the gaps, the largest first. The order ignores the last digits of the gaps.
///
/// Each gap is compared with all others. That has no branches, half of which would be mispredicted.
#[inline(always)]
fn places(bits: u32, gaps: &[f32; 16]) -> [u32; 16] {
    // Numbers in the order of the gaps, all different. Those of unset bits are the smallest.
    let numbers: [i32; 16] = core::array::from_fn(|bit| {
        let x = gaps[bit].to_bits() as i32;
        let ordered = (x ^ ((x >> 31) as u32 >> 1) as i32) & !15 | bit as i32;
        if bits >> bit & 1 != 0 { ordered } else { i32::MIN | bit as i32 }
    });
    let mut places = [0; 16];
    for number in numbers {
        for (place, own) in places.iter_mut().zip(&numbers) {
            *place += u32::from(*own < number);
        }
    }
    places
}

/// As [`descend`], with the nearest successors last, so that they are taken first.
#[inline(always)]
pub(super) fn descend_by_gap(bits: u32, gaps: [f32; 16], [a, b]: [Side<'_>; 2], stack: &mut Stack<'_>) -> Result<()> {
    let gaps = least(bits, gaps, a, b);
    let bits = folded(bits, a, b);
    let places = places(bits, &gaps);
    if let (Some(of_a), Some(of_b)) = (a.one_below_each(), b.one_below_each())
        && let Some(items) = stack.items.get_mut(stack.len..).and_then(<[u64]>::first_chunk_mut::<16>)
        && let Some(to) = stack.gaps.get_mut(stack.len..).and_then(<[f32]>::first_chunk_mut::<16>)
    {
        for (bit, place) in places.iter().enumerate() {
            items[*place as usize & 15] = key(of_a[bit >> 2], of_b[bit & 3]);
            to[*place as usize & 15] = gaps[bit];
        }
        stack.len += bits.count_ones() as usize;
        return Ok(());
    }
    let mut order = [0; 16];
    for (bit, place) in places.iter().enumerate() {
        order[*place as usize & 15] = bit;
    }
    for bit in &order[..bits.count_ones() as usize] {
        push_all(a.below(bit >> 2), b.below(bit & 3), gaps[*bit], stack)?;
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
                let gaps: [f32; 16] = core::array::from_fn(|_| random.next() as f32 - 0.5);
                let bits = 1 + (random.next() * 65_535.0) as u32;
                let (mut items, mut kept) = ([0; 16], [0.0; 16]);
                let mut stack = Stack { items: &mut items, gaps: &mut kept, len: 0 };
                let (a, b) = (Side::new(1, a, false), Side::new(2, b, false));
                assert_eq!(descend_by_gap(bits, gaps, [a, b], &mut stack), Ok(()));
                let number = stack.len;
                assert!(kept[..number].is_sorted_by(|x, y| *x >= y - 1e-5 * y.abs()), "nearest last");
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
