//! Dividing a part by balanced k-means (P0 appendix B: "a tailored k-means algorithm", sets "of roughly same size").
//!
//! The paper says no more. Here, centres are drawn from a seed, far from each other (k-means++). Rounds follow: each child is filled up to its
//! share, beginning with the triangles that have most to lose, and the centres move to the means.

use glam::DVec3;

use super::points::Item;
use super::split::{Sorter, ordered};
use super::tree_shape::{Cut, share};
use crate::real::{max, min};

/// The most rounds of assignment.
const ROUNDS: usize = 8;
/// The most children of a part.
const MOST: usize = 64;

/// Sorts items into the children of a cut: those of child 0 first. Items of a child keep their order.
pub(super) fn divide(sorter: &mut Sorter<'_>, items: &mut [Item], cut: Cut, seed: u64) {
    let ways = (cut.ways as usize).clamp(1, MOST);
    let mut centres = [DVec3::ZERO; MOST];
    let centres = centres.get_mut(..ways).unwrap_or_default();
    draw(items, centres, seed);
    // These numbers hold the child of each item.
    sorter.sorted.get_mut(..items.len()).unwrap_or_default().fill(u64::MAX);
    for _ in 0..ROUNDS {
        if !assign(sorter, items, cut, centres) {
            break;
        }
        means(items, sorter.sorted, centres);
    }
    gather(sorter, items, ways as u32);
}

fn centre(item: &Item) -> DVec3 {
    DVec3::from_array(item.centre.map(f64::from))
}

/// Each centre is an item, drawn with a probability proportional to the squared distance from the earlier centres.
fn draw(items: &[Item], centres: &mut [DVec3], seed: u64) {
    let mut state = seed;
    let nearest = |item: &Item, chosen: &[DVec3]| {
        chosen.iter().fold(f64::MAX, |m, c| min(m, (centre(item) - *c).length_squared()))
    };
    for k in 0..centres.len() {
        let (chosen, rest) = centres.split_at_mut(k);
        let weight = |item: &Item| if chosen.is_empty() { 1.0 } else { nearest(item, chosen) };
        let mut left = unit(&mut state) * items.iter().map(weight).sum::<f64>();
        let drawn = items.iter().find(|item| {
            left -= weight(item);
            left < 0.0
        });
        if let (Some(slot), Some(item)) = (rest.first_mut(), drawn.or(items.last())) {
            *slot = centre(item);
        }
    }
}

/// Uniform in [0, 1) (splitmix64).
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Gives every item the nearest centre with room left. Gives whether any assignment changed.
fn assign(sorter: &mut Sorter<'_>, items: &[Item], cut: Cut, centres: &[DVec3]) -> bool {
    let mut room = [0u32; MOST];
    for (child, room) in room.iter_mut().enumerate().take(centres.len()) {
        *room = share(cut, child as u32).saturating_mul(sorter.leaf);
    }
    // The last leaf of the last child may not be full.
    let places: u64 = room.iter().map(|&r| u64::from(r)).sum();
    if let Some(last) = room.get_mut(centres.len().saturating_sub(1)) {
        *last = last.saturating_sub(places.saturating_sub(items.len() as u64) as u32);
    }
    let (Some(keys), Some(children)) = (sorter.keys.get_mut(..items.len()), sorter.sorted.get_mut(..items.len()))
    else {
        return false;
    };
    for (i, (key, item)) in keys.iter_mut().zip(items.iter()).enumerate() {
        // An item has most to lose if the second-nearest centre is much farther than the nearest.
        let (mut first, mut second) = (f64::MAX, f64::MAX);
        for c in centres {
            let d = (centre(item) - *c).length_squared();
            second = min(second, max(first, d));
            first = min(first, d);
        }
        *key = u64::from(!ordered((second - first) as f32)) << 32 | i as u64;
    }
    keys.sort_unstable();
    let mut changed = false;
    for key in keys.iter() {
        let at = (key & 0xffff_ffff) as usize;
        let (Some(item), Some(child_of)) = (items.get(at), children.get_mut(at)) else { continue };
        let mut best = (f64::MAX, u32::MAX);
        for (child, (c, room)) in centres.iter().zip(&room).enumerate() {
            let d = (centre(item) - *c).length_squared();
            if *room > 0 && d < best.0 {
                best = (d, child as u32);
            }
        }
        if let Some(room) = room.get_mut(best.1 as usize) {
            *room -= 1;
            changed |= *child_of != u64::from(best.1);
            *child_of = u64::from(best.1);
        }
    }
    changed
}

fn means(items: &[Item], children: &[u64], centres: &mut [DVec3]) {
    for (child, c) in centres.iter_mut().enumerate() {
        let mut sum = (DVec3::ZERO, 0.0);
        for (item, _) in items.iter().zip(children).filter(|(_, of)| **of == child as u64) {
            sum = (sum.0 + centre(item), sum.1 + 1.0);
        }
        if sum.1 > 0.0 {
            *c = sum.0 / sum.1;
        }
    }
}

fn gather(sorter: &mut Sorter<'_>, items: &mut [Item], ways: u32) {
    let Some(spare) = sorter.spare.get_mut(..items.len()) else { return };
    let of = |child: u32| {
        items.iter().zip(sorter.sorted.iter()).filter(move |(_, of)| **of == u64::from(child)).map(|(item, _)| item)
    };
    for (to, from) in spare.iter_mut().zip((0..ways).flat_map(of)) {
        *to = *from;
    }
    items.copy_from_slice(spare);
}
