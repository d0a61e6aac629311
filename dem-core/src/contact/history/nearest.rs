//! The nearest two of two lists first, then the nearest two of what is left, and so on, without looking at all pairs.
//!
//! Two points that are each other's nearest are two such: nothing that is taken out elsewhere brings anything nearer. To find
//! them, a chain goes from a point to its nearest in the other list, and on from there; distances only decrease along it,
//! so it ends in two that are each other's nearest. They are taken out, and the chain goes on from what is left of it
//! (nearest-neighbour chains: Benzecri 1982). Each step of a chain is one search, and there are at most three for each
//! point.

use super::tree::{Node, build, is_in, nearest, take_out};

/// Tells `found` of each pair of ids, one of the old and one of the new. `bound` is the square of the largest distance; `chain` has
/// a place for each point.
pub fn pair_up(old: &mut [Node], new: &mut [Node], bound: f64, chain: &mut [u32], mut found: impl FnMut(u32, u32)) {
    build(old);
    build(new);
    for start in 0..new.len() {
        let mut length = 0;
        if is_in(new, start)
            && let Some(to) = chain.get_mut(0)
        {
            (*to, length) = (start as u32, 1);
        }
        while length > 0 {
            // New points have even places in the chain.
            let top = chain.get(length - 1).map_or(0, |i| *i as usize);
            let (mine, other) = if length % 2 == 1 { (&mut *new, &mut *old) } else { (&mut *old, &mut *new) };
            let next = mine.get(top).and_then(|node| nearest(other, &node.at, bound));
            let Some((next, _)) = next else {
                // Nothing is near enough, and nothing ever will be.
                take_out(mine, top);
                length -= 1;
                continue;
            };
            let before = length.checked_sub(2).and_then(|i| chain.get(i)).map(|i| *i as usize);
            if before == Some(next) {
                let id = |nodes: &[Node], i: usize| nodes.get(i).map_or(u32::MAX, |node| node.id);
                let (x, y) = (id(mine, top), id(other, next));
                if length % 2 == 1 {
                    found(y, x)
                } else {
                    found(x, y)
                }
                take_out(mine, top);
                take_out(other, next);
                length -= 2;
            } else if let Some(to) = chain.get_mut(length) {
                *to = next as u32;
                length += 1;
            } else {
                // Distances that are no numbers: there is no order to rely on.
                return;
            }
        }
    }
}
