//! Greedy matching of two lists of points: the nearest pair first, then the nearest pair of the rest, and so on, without testing all pairs.
//!
//! If few points are near each other, as usual between two steps, a sweep along one coordinate finds all pairs within the bound, and they
//! are sorted. If many are near, the module searches two k-d trees.
//!
//! Two points that are each other's nearest neighbours belong to the greedy matching, since removing other points brings no point nearer.
//! To find such a pair, a chain goes from a point to its nearest neighbour in the other list, and on from there. Distances decrease along
//! the chain, so it ends in two mutual nearest neighbours. They are matched and removed, and the rest of the chain is continued
//! (nearest-neighbour chains: Benzecri 1982). Each step of a chain is one search, and there are at most three searches per point.

use super::kd_tree::{Node, apart, build, is_in, leave, nearest, take_out, widest};

/// Calls `found` with the ids of each matched pair, the old one first. `bound` is the square of the largest distance; `chain` has an item for
/// each point.
pub fn pair_up(old: &mut [Node], new: &mut [Node], bound: f64, chain: &mut [u32], found: &mut dyn FnMut(u32, u32)) {
    match near_pairs(old, new, bound, chain) {
        Some(pairs) => pairs.iter().for_each(|[i, j]| {
            let (Some(x), Some(y)) = (old.get_mut(*i as usize), new.get_mut(*j as usize)) else { return };
            if leave(x, y) {
                found(x.id, y.id);
            }
        }),
        None => by_chains(old, new, bound, chain, found),
    }
}

/// The indices of all pairs within the bound, sorted by distance, then by ids. `None` if they do not fit into `room`, or if the sweep would be
/// slow.
pub fn near_pairs<'c>(old: &mut [Node], new: &mut [Node], bound: f64, room: &'c mut [u32]) -> Option<&'c [[u32; 2]]> {
    /// Largest average number of tested pairs per point.
    const EASY: usize = 16;
    let (axis, mut easy) = (widest(old), EASY * (old.len() + new.len()));
    let along = |x: &Node, y: &Node| x.at[axis].total_cmp(&y.at[axis]);
    old.sort_unstable_by(along);
    new.sort_unstable_by(along);
    let (pairs, _) = room.as_chunks_mut::<2>();
    let (mut from, mut count) = (0, 0);
    for (j, y) in new.iter().enumerate().filter(|(_, y)| !y.at[axis].is_nan()) {
        // The difference in one coordinate is at most the distance, also when rounded; NaN is near nothing.
        let is_near = |x: &Node| (x.at[axis] - y.at[axis]) * (x.at[axis] - y.at[axis]) <= bound;
        let is_behind = |x: &Node| x.at[axis] >= y.at[axis];
        while old.get(from).is_some_and(|x| !is_near(x) && !is_behind(x)) {
            from += 1;
        }
        for (i, x) in old.iter().enumerate().skip(from) {
            if !is_near(x) && is_behind(x) {
                break;
            }
            easy = easy.checked_sub(1)?;
            if apart(&x.at, &y.at) <= bound {
                *pairs.get_mut(count)? = [i as u32, j as u32];
                count += 1;
            }
        }
    }
    let pairs = pairs.get_mut(..count)?;
    pairs.sort_unstable_by(|p, q| {
        let key = |[i, j]: &[u32; 2]| {
            let (x, y) = (old.get(*i as usize)?, new.get(*j as usize)?);
            Some((apart(&x.at, &y.at), x.id, y.id))
        };
        key(p).partial_cmp(&key(q)).unwrap_or(core::cmp::Ordering::Equal)
    });
    Some(pairs)
}

/// As [`pair_up`], by nearest-neighbour chains in two k-d trees.
pub fn by_chains(old: &mut [Node], new: &mut [Node], bound: f64, chain: &mut [u32], found: &mut dyn FnMut(u32, u32)) {
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
            // New points have even indices in the chain.
            let top = chain.get(length - 1).map_or(0, |i| *i as usize);
            let (mine, other) = if length % 2 == 1 { (&mut *new, &mut *old) } else { (&mut *old, &mut *new) };
            let next = mine.get(top).and_then(|node| nearest(other, &node.at, bound));
            let Some((next, _)) = next else {
                // No point is within the bound, and none can come into it later.
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
                // NaN distances have no order, so the chain may not end.
                return;
            }
        }
    }
}
