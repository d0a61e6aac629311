//! One body pair: equal keys, then what is nearest, then what begins beside another.

use core::cmp::Ordering;
use core::ops::Range;

use super::tree::{Node, Point, apart};
use super::{BodyPair, Link, Step, square};
use crate::contact::Contact;
use crate::error::{Result, What};
use crate::mesh::NONE;
use crate::pose::Transform;
use crate::real::{Real, max};

/// The contacts of a body pair in one step.
pub struct Group {
    /// Their places in the list.
    pub range: Range<usize>,
    /// Where the bodies are.
    pub bodies: BodyPair,
}

/// The contacts of a body pair in both steps, and what is found out about them.
pub struct Both<'s, L, N> {
    /// All contacts of the last step.
    pub last: &'s L,
    /// All contacts of this step.
    pub now: &'s N,
    /// Which of the last step's are meant.
    pub before: &'s Group,
    /// Which of this step's are meant.
    pub after: &'s Group,
    /// For each contact of this step.
    pub links: &'s mut [Link],
    /// For each contact of the last step the one that goes on with it.
    pub successors: &'s mut [u32],
}

/// Memory for one body pair after the other.
pub struct Room<'r> {
    pub old: &'r mut [Node],
    pub new: &'r mut [Node],
    pub chain: &'r mut [u32],
}

impl<L: Step, N: Step> Both<'_, L, N> {
    /// Finds all links.
    pub fn settle(&mut self, bound: f64, room: &mut Room<'_>) -> Result<()> {
        if self.before.range.is_empty() || self.after.range.is_empty() {
            return Ok(());
        }
        let (old, new) = self.equal_keys();
        if new == 0 {
            return Ok(());
        }
        let before = Frames::new(&self.before.bodies)?;
        let after = Frames::new(&self.after.bodies)?;
        if old > 0 {
            self.nearest_first(bound, [&before, &after], room);
        }
        self.beside(bound, [&before, &after], room);
        Ok(())
    }

    fn link(&mut self, old: usize, new: usize) {
        if let (Some(link), Some(successor)) = (self.links.get_mut(new), self.successors.get_mut(old)) {
            *link = Link { origin: old as u32, source: old as u32 };
            *successor = new as u32;
        }
    }

    /// Links contacts with equal keys; gives how many are left in both steps.
    fn equal_keys(&mut self) -> (usize, usize) {
        let (mut i, mut j) = (self.before.range.start, self.after.range.start);
        let mut equal = 0;
        while i < self.before.range.end && j < self.after.range.end {
            match self.last.key(i)[1].cmp(&self.now.key(j)[1]) {
                Ordering::Less => i += 1,
                Ordering::Greater => j += 1,
                Ordering::Equal => {
                    self.link(i, j);
                    (i, j, equal) = (i + 1, j + 1, equal + 1);
                }
            }
        }
        (self.before.range.len() - equal, self.after.range.len() - equal)
    }

    fn ends(&self, i: &usize) -> bool {
        self.successors.get(*i) == Some(&NONE)
    }

    fn begins(&self, j: &usize) -> bool {
        self.links.get(*j).is_some_and(|link| link.origin == NONE)
    }

    fn nearest_first(&mut self, bound: f64, frames: [&Frames; 2], room: &mut Room<'_>) {
        let old = self.before.range.clone().filter(|i| self.ends(i));
        let old = fill(room.old, old.map(|i| Node::new(frames[0].point(&self.last.contact(i)), i)));
        let new = self.after.range.clone().filter(|j| self.begins(j));
        let new = fill(room.new, new.map(|j| Node::new(frames[1].point(&self.now.contact(j)), j)));
        super::nearest::pair_up(old, new, 2.0 * square(bound), room.chain, |i, j| {
            self.link(i as usize, j as usize);
        });
    }

    /// What still begins takes the spring of the nearest contact of the last step that has a patch in common with it, if both
    /// areas can be neighbours. Those that begin are few: they are sorted by both patches, and all others look them up.
    fn beside(&mut self, bound: f64, frames: [&Frames; 2], room: &mut Room<'_>) {
        let begin = self.after.range.clone().filter(|j| self.begins(j));
        let new = fill(room.new, begin.map(|j| Node::new(frames[1].point(&self.now.contact(j)), j)));
        let Some(order) = room.chain.get_mut(..new.len()).filter(|order| !order.is_empty()) else { return };
        let index = Index::new(new, order, |id| self.now.key(id as usize)[1]);
        let mut from = 0;
        for i in self.before.range.clone() {
            let key = self.last.key(i)[1];
            from += index.skip(from, key);
            let mut at = None;
            index.with_a_patch_of(from, key, |node| {
                let at = at.get_or_insert_with(|| frames[0].point(&self.last.contact(i)));
                let distance = apart(at, &node.at);
                let Some(link) = self.links.get_mut(node.id as usize) else { return };
                let nearer = |other: u32| {
                    let there = frames[0].point(&self.last.contact(other as usize));
                    (distance, i as u32) < (apart(&there, &node.at), other)
                };
                if link.source == NONE || nearer(link.source) {
                    link.source = i as u32;
                }
            });
        }
        let size = |c: &Contact| Real::sqrt(max(c.area, 0.0));
        for node in new {
            let Some(link) = self.links.get_mut(node.id as usize).filter(|link| link.source != NONE) else { continue };
            let (there, here) = (self.last.contact(link.source as usize), self.now.contact(node.id as usize));
            let reach = bound + size(&there) + size(&here);
            let distance = apart(&frames[0].point(&there), &node.at);
            // What is no number is not within reach.
            link.source = if distance <= 2.0 * square(reach) { link.source } else { NONE };
        }
    }
}

/// Contacts that begin, to be found by a patch. Most contacts have none in common with them, so that is told first.
struct Index<'i, K> {
    /// Ordered by the patch of A.
    nodes: &'i [Node],
    /// Their places, ordered by the patch of B.
    by_b: &'i [u32],
    /// The patches of a contact.
    patches: K,
    /// A bit for each patch of B, of which several have the same.
    some: [u64; 64],
}

impl<'i, K: Fn(u32) -> u64> Index<'i, K> {
    fn new(nodes: &'i [Node], by_b: &'i mut [u32], patches: K) -> Self {
        (0u32..).zip(by_b.iter_mut()).for_each(|(k, to)| *to = k);
        let b = |k: &u32| nodes.get(*k as usize).map_or(0, |node| patches(node.id)) as u32;
        by_b.sort_unstable_by_key(|k| (b(k), *k));
        let mut some = [0; 64];
        by_b.iter().for_each(|k| some[b(k) as usize / 64 % 64] |= 1 << (b(k) % 64));
        Index { nodes, by_b, patches, some }
    }

    fn of(&self, k: usize) -> Option<u64> {
        self.nodes.get(k).map(|node| (self.patches)(node.id))
    }

    /// How many from there on are before all with this patch of A.
    fn skip(&self, from: usize, key: u64) -> usize {
        (from..self.nodes.len()).take_while(|k| self.of(*k).is_some_and(|of| of >> 32 < key >> 32)).count()
    }

    /// Those with the same patch of A, which begin at `from`, and those with the same patch of B.
    fn with_a_patch_of(&self, from: usize, key: u64, mut found: impl FnMut(&Node)) {
        let (a, b) = (key >> 32, key as u32);
        let same_a = (from..self.nodes.len()).take_while(|k| self.of(*k).is_some_and(|of| of >> 32 == a));
        same_a.filter_map(|k| self.nodes.get(k)).for_each(&mut found);
        if self.some[b as usize / 64 % 64] & 1 << (b % 64) == 0 {
            return;
        }
        let of_b = |k: &u32| self.of(*k as usize).unwrap_or(0) as u32;
        let first = self.by_b.partition_point(|k| of_b(k) < b);
        let same_b = self.by_b.iter().skip(first).take_while(|k| of_b(k) == b);
        same_b.filter_map(|k| self.nodes.get(*k as usize)).for_each(found);
    }
}

/// As many nodes as there are.
fn fill(room: &mut [Node], nodes: impl Iterator<Item = Node>) -> &mut [Node] {
    let mut count = 0;
    for (to, node) in room.iter_mut().zip(nodes) {
        *to = node;
        count += 1;
    }
    room.get_mut(..count).unwrap_or_default()
}

/// The frames of both bodies.
struct Frames {
    a: Transform,
    b: Transform,
}

impl Frames {
    fn new(bodies: &BodyPair) -> Result<Self> {
        Ok(Frames { a: bodies.pose_a.transform(What::PoseA)?, b: bodies.pose_b.transform(What::PoseB)? })
    }

    /// Where a contact is in both bodies.
    fn point(&self, contact: &Contact) -> Point {
        let inside =
            |frame: &Transform| frame.rotate_back([0, 1, 2].map(|k| contact.position[k] - frame.translation[k]));
        let ([x, y, z], [u, v, w]) = (inside(&self.a), inside(&self.b));
        [x, y, z, u, v, w]
    }
}
