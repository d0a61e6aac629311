//! Shortest paths through candidate cell sizes (dynamic programming: the cost of a level depends only on the level
//! below).

use super::model::{Cut, Model};
use crate::memory::sections;

/// Largest number of nodes of a shortest path problem.
pub(super) const WIDTH: usize = 512;

sections! {
    /// Scratch for shortest paths.
    pub(super) struct Room<'s>(levels: u64, width: u64) {
        /// Cost of the shortest path to each node; `before`: with one level less.
        pub best: [f64; width],
        pub before: [f64; width],
        /// Predecessor of each node: a row for each level.
        pub from: [u32; levels * width],
    }
}

/// Costs of steps between candidates.
pub(super) struct Field<'a> {
    pub model: &'a Model,
    pub cuts: &'a [Cut],
    /// Added for each level, so that a level that saves almost nothing is left out.
    pub toll: f64,
}

/// The predecessor of a first level.
const START: u32 = u32::MAX;

impl Field<'_> {
    fn cut(&self, node: u32) -> Cut {
        self.cuts.get(node as usize).copied().unwrap_or(Cut::start())
    }

    /// The cheapest last level: a node whose cells all bodies fit into.
    fn top(&self, nodes: &[u32], best: &[f64]) -> Option<usize> {
        let mut top = nodes.len().checked_sub(1)?;
        for (i, (node, cost)) in nodes.iter().zip(best).enumerate().rev() {
            if self.cut(*node).above[0] > 0.0 {
                break;
            }
            if *cost < *best.get(top)? {
                top = i;
            }
        }
        Some(top)
    }

    fn step(&self, below: u32, at: u32) -> f64 {
        self.toll + self.model.part(&self.cut(below), &self.cut(at)).time
    }

    /// The shortest path with any number of levels, whose last node all bodies fit into. Writes the path, and gives its
    /// number of levels and its cost; None where `path` is too short.
    pub fn free(&self, nodes: &[u32], room: &mut Room<'_>, path: &mut [u32]) -> Option<(usize, f64)> {
        for (i, node) in nodes.iter().enumerate() {
            let (mut best, mut from) = (self.step(START, *node), START);
            for (k, (below, cost)) in nodes.iter().zip(&*room.best).take(i).enumerate() {
                let cost = cost + self.step(*below, *node);
                if cost < best {
                    (best, from) = (cost, k as u32);
                }
            }
            *room.best.get_mut(i)? = best;
            *room.from.get_mut(i)? = from;
        }
        let last = self.top(nodes, room.best)?;
        let count = walk(nodes, room.from, last as u32, path, |at| at)?;
        Some((count, *room.best.get(last)?))
    }

    /// The shortest path with exactly `path.len()` levels, whose last node all bodies fit into. Levels may be equal:
    /// then the upper ones are empty.
    pub fn exactly(&self, nodes: &[u32], room: &mut Room<'_>, path: &mut [u32]) -> Option<f64> {
        let (levels, count) = (path.len(), nodes.len());
        for (best, node) in room.best.iter_mut().zip(nodes) {
            *best = self.step(START, *node);
        }
        for level in 1..levels {
            room.before.get_mut(..count)?.copy_from_slice(room.best.get(..count)?);
            let row = room.from.get_mut(level * WIDTH..level * WIDTH + count)?;
            for (i, node) in nodes.iter().enumerate() {
                let (mut best, mut from) = (f64::INFINITY, START);
                for (k, (below, cost)) in nodes.iter().zip(&*room.before).take(i + 1).enumerate() {
                    let cost = cost + self.step(*below, *node);
                    if cost < best {
                        (best, from) = (cost, k as u32);
                    }
                }
                *room.best.get_mut(i)? = best;
                *row.get_mut(i)? = from;
            }
        }
        let mut at = self.top(nodes, room.best)?;
        let cost = *room.best.get(at)?;
        for level in (0..levels).rev() {
            *path.get_mut(level)? = *nodes.get(at)?;
            if level > 0 {
                at = *room.from.get(level * WIDTH + at)? as usize;
            }
        }
        cost.is_finite().then_some(cost)
    }
}

/// Follows predecessors to the start, and writes the path forwards.
fn walk(nodes: &[u32], from: &[u32], last: u32, path: &mut [u32], row: impl Fn(usize) -> usize) -> Option<usize> {
    let (mut at, mut count) = (last, 0);
    while at != START {
        count += 1;
        at = *from.get(row(at as usize))?;
    }
    at = last;
    for place in path.get_mut(..count)?.iter_mut().rev() {
        *place = *nodes.get(at as usize)?;
        at = *from.get(row(at as usize))?;
    }
    Some(count)
}
