//! One body pair: equal keys, then what is nearest; what begins beside another is in `beside`.

use core::cmp::Ordering;
use core::ops::Range;

use super::marks::Cells;
use super::tree::{Node, Point};
use super::{BodyPair, Link, Step, square};
use crate::contact::Contact;
use crate::error::{Result, What};
use crate::mesh::NONE;
use crate::pose::Transform;

/// The contacts of a body pair in one step.
pub struct Group {
    /// Their places in the list.
    pub range: Range<usize>,
    /// The bodies: which pair of the step.
    pub pair: usize,
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
        let before = Frames::new(&self.last.pair(self.before.pair))?;
        let after = Frames::new(&self.now.pair(self.after.pair))?;
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

    pub fn begins(&self, j: &usize) -> bool {
        self.links.get(*j).is_some_and(|link| link.origin == NONE)
    }

    fn nearest_first(&mut self, bound: f64, frames: [&Frames; 2], room: &mut Room<'_>) {
        let new = self.after.range.clone().filter(|j| self.begins(j));
        let new = fill(room.new, new.map(|j| Node::new(frames[1].point(&self.now.contact(j)), j)));
        // Mostly what ends and what begins is not near each other.
        let near = Cells::around(new.iter(), bound);
        let old = self.before.range.clone().filter(|i| self.ends(i));
        let old = old.map(|i| Node::new(frames[0].point(&self.last.contact(i)), i));
        let old = fill(room.old, old.filter(|node| near.has(node)));
        let near = Cells::around(old.iter(), bound);
        let new = keep(new, |node| near.has(node));
        super::nearest::pair_up(old, new, 2.0 * square(bound), room.chain, |i, j| {
            self.link(i as usize, j as usize);
        });
    }
}

/// Those for which it holds, moved to the front.
fn keep(nodes: &mut [Node], holds: impl Fn(&Node) -> bool) -> &mut [Node] {
    let mut count = 0;
    for k in 0..nodes.len() {
        if holds(&nodes[k]) {
            nodes.swap(count, k);
            count += 1;
        }
    }
    nodes.get_mut(..count).unwrap_or_default()
}

/// As many nodes as there are.
pub fn fill(room: &mut [Node], nodes: impl Iterator<Item = Node>) -> &mut [Node] {
    let mut count = 0;
    for (to, node) in room.iter_mut().zip(nodes) {
        *to = node;
        count += 1;
    }
    room.get_mut(..count).unwrap_or_default()
}

/// The frames of both bodies.
pub struct Frames {
    a: Transform,
    b: Transform,
}

impl Frames {
    fn new(bodies: &BodyPair) -> Result<Self> {
        Ok(Frames { a: bodies.pose_a.transform(What::PoseA)?, b: bodies.pose_b.transform(What::PoseB)? })
    }

    /// Where a contact is in both bodies.
    pub fn point(&self, contact: &Contact) -> Point {
        let inside =
            |frame: &Transform| frame.rotate_back([0, 1, 2].map(|k| contact.position[k] - frame.translation[k]));
        let ([x, y, z], [u, v, w]) = (inside(&self.a), inside(&self.b));
        [x, y, z, u, v, w]
    }
}
