//! Matching within one body pair: first equal keys or common nodes (`common_nodes`), then nearest positions. Springs for new contacts are found
//! in `spring_sources`.

use core::cmp::Ordering;
use core::ops::Range;

use super::bit_sets::Cells;
use super::kd_tree::{Node, Point};
use super::records::{Blend, Link, StepContacts, places, square};
use crate::contact;
use crate::error::{Error, Result, What};
use crate::memory::sections;
use crate::mesh::NONE;
use crate::pose::{Pose, Transform};

/// The data of a step's contacts that matching reads, besides the second halves of their keys.
pub trait Contacts {
    /// Position of contact `i`.
    fn position(&self, i: usize) -> [f64; 3];
    /// Area of contact `i`.
    fn area(&self, i: usize) -> f64;
    /// Poses of A and B of a body pair.
    fn poses(&self, pair: usize) -> [Pose; 2];
}

impl<S: StepContacts> Contacts for S {
    #[inline]
    fn position(&self, i: usize) -> [f64; 3] {
        StepContacts::position(self, i)
    }

    #[inline]
    fn area(&self, i: usize) -> f64 {
        self.contact(i).area
    }

    fn poses(&self, pair: usize) -> [Pose; 2] {
        let pair = self.pair(pair);
        [pair.pose_a, pair.pose_b]
    }
}

/// The contacts of a body pair in one step.
pub struct Group<'s> {
    /// The range of the contacts in the list of the step.
    pub range: Range<usize>,
    /// Index of the body pair in the step.
    pub pair: usize,
    /// The nodes of the contacts; empty if each contact is one node.
    pub nodes: &'s [contact::Node],
    /// The number that nodes use for contact 0 of the step.
    pub first: u32,
}

/// The contacts of a body pair in both steps, and their links.
pub struct Both<'s, L, N> {
    /// All contacts of the last step.
    pub last: &'s L,
    /// All contacts of this step.
    pub now: &'s N,
    /// The second halves of the keys of both steps.
    pub keys: [&'s [u64]; 2],
    /// The pair's contacts of the last step.
    pub before: &'s Group<'s>,
    /// The pair's contacts of this step.
    pub after: &'s Group<'s>,
    /// The link of each contact of this step.
    pub links: &'s mut [Link],
    /// For each contact of the last step, the contact of this step that continues it.
    pub successors: &'s mut [u32],
}

sections! {
    /// Scratch for one body pair at a time, for this number of contacts in the last step and in this one, and of nodes in both.
    pub struct Room<'r>(last: u64, now: u64, nodes: u64) {
        pub old: [Node; last],
        pub new: [Node; now],
        pub chain: [u32; last + now],
        pub common: [Blend; nodes],
    }
}

impl<L: Contacts, N: Contacts> Both<'_, L, N> {
    /// Finds all links, and the blends of contacts that take several springs.
    pub fn settle(&mut self, bound: f64, room: &mut Room<'_>, blends: &mut Blends<'_>) -> Result<()> {
        if self.before.range.is_empty() || self.after.range.is_empty() {
            return Ok(());
        }
        let (old, new) = if self.has_nodes() { self.common_nodes(room.common, blends) } else { self.equal_keys() };
        if new == 0 {
            return Ok(());
        }
        let before = Frames::new(self.last.poses(self.before.pair))?;
        let after = Frames::new(self.now.poses(self.after.pair))?;
        if old > 0 {
            self.nearest_first(bound, [&before, &after], room);
        }
        self.find_sources(bound, [&before, &after], room);
        Ok(())
    }

    /// The second half of the key of a contact of the last step (0) or of this one (1).
    pub fn key(&self, step: usize, i: usize) -> u64 {
        self.keys[step].get(i).copied().unwrap_or(u64::MAX)
    }

    fn link(&mut self, old: usize, new: usize) {
        if let (Some(link), Some(successor)) = (self.links.get_mut(new), self.successors.get_mut(old)) {
            // A contact with nodes in common with the last step already has a source.
            let source = if link.source == NONE { old as u32 } else { link.source };
            *link = Link { origin: old as u32, source };
            *successor = new as u32;
        }
    }

    /// Links contacts with equal keys. Returns the numbers of unlinked contacts in both steps.
    fn equal_keys(&mut self) -> (usize, usize) {
        let (mut i, mut j) = (self.before.range.start, self.after.range.start);
        let mut equal = 0;
        while i < self.before.range.end && j < self.after.range.end {
            match self.key(0, i).cmp(&self.key(1, j)) {
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

    /// Contacts of the last step that are not linked yet.
    fn ended(&self) -> impl Iterator<Item = usize> + Clone {
        places(self.successors, &self.before.range, |next| *next == NONE)
    }

    /// Contacts of this step that are not linked yet.
    pub fn begun(&self) -> impl Iterator<Item = usize> + Clone {
        places(self.links, &self.after.range, |link| link.origin == NONE)
    }

    fn nearest_first(&mut self, bound: f64, frames: [&Frames; 2], room: &mut Room<'_>) {
        let new = fill(room.new, self.begun().map(|j| Node::new(frames[1].point(self.now.position(j)), j)));
        // Usually ending and new contacts are not near each other.
        let near = Cells::around(new.iter(), bound);
        let old = self.ended().filter_map(|i| Some(Node::new(frames[0].near(self.last.position(i), &near)?, i)));
        let old = fill(room.old, old);
        let near = Cells::around(old.iter(), bound);
        let new = keep(new, |node| near.has([node.at[0], node.at[1], node.at[2]]));
        super::nearest::pair_up(old, new, 2.0 * square(bound), room.chain, &mut |i, j| {
            self.link(i as usize, j as usize);
        });
    }
}

/// Moves the nodes for which `holds` is true to the front, and returns them.
pub fn keep(nodes: &mut [Node], holds: impl Fn(&Node) -> bool) -> &mut [Node] {
    let mut count = 0;
    for k in 0..nodes.len() {
        if holds(&nodes[k]) {
            nodes.swap(count, k);
            count += 1;
        }
    }
    nodes.get_mut(..count).unwrap_or_default()
}

/// Writes nodes into `room`, and returns them.
pub fn fill(room: &mut [Node], nodes: impl Iterator<Item = Node>) -> &mut [Node] {
    let mut count = 0;
    for (to, node) in room.iter_mut().zip(nodes) {
        *to = node;
        count += 1;
    }
    room.get_mut(..count).unwrap_or_default()
}

/// The frames of both bodies of a pair.
pub struct Frames {
    a: Transform,
    b: Transform,
}

impl Frames {
    fn new([a, b]: [Pose; 2]) -> Result<Self> {
        Ok(Frames { a: a.transform(What::PoseA)?, b: b.transform(What::PoseB)? })
    }

    /// The position of a contact in the frames of both bodies.
    pub fn point(&self, position: [f64; 3]) -> Point {
        let ([x, y, z], [u, v, w]) = (self.a.apply_back(position), self.b.apply_back(position));
        [x, y, z, u, v, w]
    }

    /// As [`point`](Self::point), if the position in the frame of A is near `near`; else None, without computing the
    /// frame of B.
    pub fn near(&self, position: [f64; 3], near: &Cells) -> Option<Point> {
        let [x, y, z] = self.a.apply_back(position);
        if !near.has([x, y, z]) {
            return None;
        }
        let [u, v, w] = self.b.apply_back(position);
        Some([x, y, z, u, v, w])
    }
}

/// Output of blends. Blends without room are counted.
pub(crate) struct Blends<'b> {
    to: Option<&'b mut [Blend]>,
    /// Number of blends.
    pub count: usize,
}

impl<'b> Blends<'b> {
    pub fn new(to: Option<&'b mut [Blend]>) -> Self {
        Blends { to, count: 0 }
    }

    pub(super) fn push(&mut self, blend: Blend) {
        if let Some(to) = self.to.as_mut().and_then(|all| all.get_mut(self.count)) {
            *to = blend;
        }
        self.count += 1;
    }

    /// Number of blends.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) if blends are wanted and did not fit.
    pub fn full(self) -> Result<usize> {
        match self.to {
            Some(to) if to.len() < self.count => Err(Error::capacity(What::Blends, self.count as u64, to.len() as u64)),
            _ => Ok(self.count),
        }
    }
}
