//! Springs for new contacts: for each new contact, the nearest contact of the last step that shares a patch with it. If none of these is
//! near, the nearest of all.
//!
//! Contacts of the last step are sorted by patch of A; contacts that share a patch of B with a new contact are sorted by patch of B. So each
//! patch has a list of old and a list of new contacts. A hash table of cells excludes old contacts that are near no new one. If both lists are
//! long, a k-d tree of the rest is searched, so the cost does not grow with the product of their lengths.

use core::ops::Range;

use super::bit_sets::{Cells, Marks};
use super::kd_tree::{Node, apart, build, nearest};
use super::match_pair::{Both, Contacts, Frames, Room, fill, keep};
use super::records::{Link, square};
use crate::mesh::NONE;
use crate::real::{Real, max};

/// Lists up to this length are compared by brute force.
const FEW: usize = 24;

/// The size of a contact: the square root of its area.
fn size(area: f64) -> f64 {
    Real::sqrt(max(area, 0.0))
}

/// The patches of A and B of a contact.
fn patches(keys: &[u64], i: usize) -> [u32; 2] {
    let key = keys.get(i).copied().unwrap_or(u64::MAX);
    [(key >> 32) as u32, key as u32]
}

impl<L: Contacts, N: Contacts> Both<'_, L, N> {
    /// Sets the source of each contact without origin and source. The source is the nearest contact of the last step that shares a patch, if both
    /// areas may be adjacent. Otherwise it is the nearest of all contacts, if both areas may be adjacent.
    pub fn find_sources(&mut self, bound: f64, frames: [&Frames; 2], room: &mut Room<'_>) {
        let without = self.begun().filter(|j| self.links.get(*j).is_some_and(|link| link.source == NONE));
        let new = fill(room.new, without.map(|j| Node::new(frames[1].point(self.now.position(j)), j)));
        let Some((order, with_b)) = room.chain.split_at_mut_checked(new.len()).filter(|_| !new.is_empty()) else {
            return;
        };
        let range = self.before.range.clone();
        let (last, now, keys, links) = (self.last, self.now, self.keys, &mut *self.links);
        let mut search = Search { last, now, keys, links, frames, bound, reach: bound, old: &mut *room.old };
        let count = search.look_through(new, range.clone(), with_b);
        search.by_a(new, range.clone());
        search.by_b(new, order, with_b.get_mut(..count).unwrap_or_default());
        new.iter().for_each(|node| search.keep_neighbour(node));
        let new = keep(new, |node| search.links.get(node.id as usize).is_some_and(|link| link.source == NONE));
        search.by_place(new, range);
    }
}

/// The search for one body pair.
struct Search<'s, L, N> {
    last: &'s L,
    now: &'s N,
    keys: [&'s [u64]; 2],
    links: &'s mut [Link],
    /// Frames of the last step and of this one.
    frames: [&'s Frames; 2],
    bound: f64,
    /// The bound plus the size of the largest contact of the last step that may be a source.
    reach: f64,
    old: &'s mut [Node],
}

impl<L: Contacts, N: Contacts> Search<'_, L, N> {
    fn new_patch(&self, node: &Node, body: usize) -> u32 {
        patches(self.keys[1], node.id as usize)[body]
    }

    /// Finds the old contacts that may share a patch with a new one: records their largest size, and lists those that
    /// may share a patch of B.
    fn look_through(&mut self, new: &[Node], range: Range<usize>, with_b: &mut [u32]) -> usize {
        let mut marks = [Marks::<64>::NONE; 2];
        for node in new {
            marks.iter_mut().zip(patches(self.keys[1], node.id as usize)).for_each(|(marks, patch)| marks.set(patch));
        }
        let (mut area, mut count) = (0.0, 0);
        for i in range {
            let [a, b] = patches(self.keys[0], i);
            let has_b = marks[1].has(b);
            if has_b || marks[0].has(a) {
                area = max(self.last.area(i), area);
            }
            if has_b && let Some(to) = with_b.get_mut(count) {
                *to = i as u32;
                count += 1;
            }
        }
        self.reach = self.bound + Real::sqrt(area);
        count
    }

    fn by_a(&mut self, new: &[Node], range: Range<usize>) {
        let mut from = range.start;
        let keys = self.keys[0];
        let mut rest = new;
        while let Some(first) = rest.first() {
            let a = self.new_patch(first, 0);
            let (group, others) = rest.split_at(rest.partition_point(|node| self.new_patch(node, 0) <= a));
            from = first_without(from..range.end, |i| patches(keys, i)[0] < a);
            let to = first_without(from..range.end, |i| patches(keys, i)[0] <= a);
            self.settle(group.iter(), from..to);
            (from, rest) = (to, others);
        }
    }

    /// Assigns the nearest contact of all to each contact without a near contact that shares a patch.
    fn by_place(&mut self, new: &[Node], range: Range<usize>) {
        if new.is_empty() {
            return;
        }
        self.reach = self.bound + size(range.clone().fold(0.0, |area, i| max(self.last.area(i), area)));
        self.settle(new.iter(), range);
        new.iter().for_each(|node| self.keep_neighbour(node));
    }

    fn by_b(&mut self, new: &[Node], order: &mut [u32], with_b: &mut [u32]) {
        let [old_keys, new_keys] = self.keys;
        let node = |k: &u32| new.get(*k as usize);
        let of_new = |k: &u32| node(k).map_or(0, |node| patches(new_keys, node.id as usize)[1]);
        let of_old = |i: &u32| patches(old_keys, *i as usize)[1];
        (0u32..).zip(order.iter_mut()).for_each(|(k, to)| *to = k);
        order.sort_unstable_by_key(|k| (of_new(k), *k));
        with_b.sort_unstable_by_key(|i| (of_old(i), *i));
        let mut rest = &*with_b;
        for group in order.chunk_by(|x, y| of_new(x) == of_new(y)) {
            let b = group.first().map_or(0, of_new);
            rest = rest.split_at(rest.partition_point(|i| of_old(i) < b)).1;
            let (same, others) = rest.split_at(rest.partition_point(|i| of_old(i) <= b));
            self.settle(group.iter().filter_map(node), same.iter().map(|i| *i as usize));
            rest = others;
        }
    }

    /// Offers each new contact the nearest old contact; all of these share a patch.
    fn settle<'n>(
        &mut self,
        new: impl Iterator<Item = &'n Node> + Clone,
        old: impl ExactSizeIterator<Item = usize> + Clone,
    ) {
        if old.len() == 0 {
            return;
        }
        let (last, before) = (self.last, self.frames[0]);
        let near = (old.len() > FEW).then(|| self.cells(new.clone()));
        let point = |i: usize| match &near {
            Some(near) => before.near(last.position(i), near),
            None => Some(before.point(last.position(i))),
        };
        let nodes = fill(self.old, old.filter_map(|i| Some(Node::new(point(i)?, i))));
        let many = nodes.len() > FEW && new.clone().nth(FEW).is_some();
        if many {
            build(nodes);
        }
        for node in new {
            let limit = 2.0 * square(self.reach + size(self.now.area(node.id as usize)));
            let found = match many {
                true => nearest(nodes, &node.at, limit).and_then(|(at, by)| Some((by, nodes.get(at)?.id))),
                false => one_by_one(nodes, node, limit),
            };
            let (Some(found), Some(link)) = (found, self.links.get_mut(node.id as usize)) else { continue };
            let has = |source: u32| (apart(&before.point(last.position(source as usize)), &node.at), source);
            if link.source == NONE || found < has(link.source) {
                link.source = found.1;
            }
        }
    }

    /// The cells near new contacts.
    fn cells<'n>(&self, new: impl Iterator<Item = &'n Node> + Clone) -> Cells {
        let largest = new.clone().fold(0.0, |m, node| max(size(self.now.area(node.id as usize)), m));
        Cells::around(new, self.reach + largest)
    }

    /// Removes a source that is out of reach.
    fn keep_neighbour(&mut self, node: &Node) {
        let Some(link) = self.links.get_mut(node.id as usize).filter(|link| link.source != NONE) else { return };
        let (there, here) = (link.source as usize, node.id as usize);
        let reach = self.bound + size(self.last.area(there)) + size(self.now.area(here));
        let distance = apart(&self.frames[0].point(self.last.position(there)), &node.at);
        // NaN is not within reach.
        link.source = if distance <= 2.0 * square(reach) { link.source } else { NONE };
    }
}

/// The first index in the range for which `holds` is false; it must be true before and false from there on. Fast where
/// this index is near the start.
fn first_without(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = range;
    let mut step = 1;
    while end - start > step && holds(start + step - 1) {
        (start, step) = (start + step, 2 * step);
    }
    end = end.min(start + step);
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

/// As [`nearest`], without a tree.
fn one_by_one(nodes: &[Node], node: &Node, limit: f64) -> Option<(f64, u32)> {
    let all = nodes.iter().map(|old| (apart(&old.at, &node.at), old.id));
    all.filter(|(by, _)| *by <= limit).reduce(|best, next| if next < best { next } else { best })
}
