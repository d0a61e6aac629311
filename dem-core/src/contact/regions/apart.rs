//! Patches that share an edge far from the other body: nodes on them are not in one place.
//!
//! If two regions on neighbouring patches are one, a point of an edge that these patches share is closer to the other body than the halos are
//! thick. So two patches with a concave edge are no neighbours in a contact if none of their shared edges comes that close to the planes that
//! press on them. Examples are the inner sides of an L that stands on an edge of each leg.

use core::ops::Range;

use glam::DVec3;

use super::body::Body;
use super::entry::{Entry, Spot};
use crate::contact::record::force;
use crate::contact::{Contact, status};
use crate::real::{max, min};

/// Nodes within this number of halos of each other are in one place if their patches meet; their edges are not tested.
const NEAR: f64 = 2.0;

/// Whether some nodes are so far apart that they may be in different places although their patches meet.
pub fn spread_out(list: &[Contact]) -> bool {
    let Some(first) = list.first() else { return false };
    let (mut low, mut high, mut halo) = (first.position, first.position, first.halo);
    for c in list {
        for k in 0..3 {
            (low[k], high[k]) = (min(low[k], c.position[k]), max(high[k], c.position[k]));
        }
        halo = max(halo, c.halo);
    }
    (0..3).any(|k| high[k] - low[k] > NEAR * halo)
}

/// The reach of each node: its halo, negative (also -0) if the node leans, and NaN if the node has no force. A tie has the reach of its node.
pub fn reaches(list: &[Contact], entry: &[Entry], to: &mut [f64]) {
    for (to, own) in to.iter_mut().zip(entry) {
        let node = match own.tie() {
            None => Some(own.place),
            Some((true, node)) => entry.get(node as usize).map(|node| node.place),
            Some((false, _)) => None,
        };
        let contact = node.and_then(|place| list.get(place as usize)).filter(|c| force(c) > 0.0);
        let leans = contact.is_some_and(|c| c.status & status::LEANS != 0);
        *to = match contact {
            Some(_) if leans && own.is_tie() => f64::NAN,
            Some(c) if leans => -c.halo,
            Some(c) => c.halo,
            None => f64::NAN,
        };
    }
}

/// The kind of nodes of a patch that decide whether the patch is apart from another one.
#[derive(Clone, Copy, PartialEq)]
enum Telling {
    /// Nodes that connect their neighbours.
    Firm,
    /// Leaning nodes, if there are no others.
    Leaning,
}

impl Telling {
    /// The kind of a node with this reach.
    fn of(reach: f64) -> Option<Telling> {
        let told = if reach.is_sign_negative() { Telling::Leaning } else { Telling::Firm };
        (!reach.is_nan()).then_some(told)
    }
}

/// The nodes of each patch of both bodies; the body that is first in space comes first.
#[derive(Clone, Copy)]
pub struct Nodes<'r> {
    pub entry: &'r [Entry],
    /// The entries in the order of their patches of the second body.
    pub across: &'r [u32],
    /// The reach of each entry; empty if all nodes are near each other.
    pub reach: &'r [f64],
}

impl Nodes<'_> {
    /// Whether two neighbouring patches of a body are no neighbours in this contact. `side` is 0 for the first body.
    pub fn apart<B: Body>(&self, bodies: [&B; 2], side: usize, spots: &[Spot], [i, j]: [usize; 2]) -> bool {
        let (body, other) = if side == 0 { (bodies[0], bodies[1]) } else { (bodies[1], bodies[0]) };
        let (Some(x), Some(y)) = (spots.get(i), spots.get(j)) else { return false };
        if self.reach.is_empty() || x.part != y.part || x.feature == y.feature {
            return false;
        }
        let patches = [x.feature - x.base, y.feature - y.base];
        if !body.is_concave(x.part, patches) {
            return false;
        }
        let [Some(of_x), Some(of_y)] = [i, j].map(|i| self.telling(side, spots, i)) else { return false };
        let mut near = [false; 2];
        let known = body.shared(x.part, patches, |end| {
            for (near, (spot, telling)) in near.iter_mut().zip([(i, of_x), (j, of_y)]) {
                let mut nodes = self.of(side, spots, spot);
                *near = *near || nodes.any(|node| self.is_reached(other, side, (node, telling), end));
            }
            near != [true; 2]
        });
        known && near != [true; 2]
    }

    /// Whether a patch has a concave edge, and a node with a force. Other patches are apart from no patch.
    pub fn may_be_apart<B: Body>(&self, body: &B, side: usize, spots: &[Spot], i: usize) -> bool {
        let own = spots.get(i).filter(|_| !self.reach.is_empty());
        own.is_some_and(|own| body.has_concave_edge(own.part, own.feature - own.base))
            && self.telling(side, spots, i).is_some()
    }

    /// The kind of a patch's nodes that decides; none if no node has a force.
    fn telling(&self, side: usize, spots: &[Spot], i: usize) -> Option<Telling> {
        let of = |node: usize| self.reach.get(node).and_then(|reach| Telling::of(*reach));
        let mut told = None;
        for own in self.of(side, spots, i).filter_map(of) {
            told = Some(own);
            if own == Telling::Firm {
                break;
            }
        }
        told
    }

    /// Whether a point is within a node's reach of its plane on the other body. False for nodes of another kind.
    fn is_reached<B: Body>(&self, other: &B, side: usize, (node, telling): (usize, Telling), point: DVec3) -> bool {
        let reach = self.reach.get(node).copied().filter(|reach| Telling::of(*reach) == Some(telling));
        let (Some(reach), Some(own)) = (reach, self.entry.get(node)) else { return false };
        let feature = if side == 0 { own.features as u32 } else { (own.features >> 32) as u32 };
        // A round feature has no plane, so the point counts as reached.
        other.plane(feature).is_none_or(|[at, normal]| (point - at).dot(normal) <= reach.abs())
    }

    /// The nodes of a patch.
    fn of(&self, side: usize, spots: &[Spot], i: usize) -> impl Iterator<Item = usize> {
        let start = |i: usize| spots.get(i).map_or(self.entry.len(), |spot| spot.from as usize);
        let range: Range<usize> = start(i)..start(i + 1);
        let across = self.across;
        range.filter_map(move |at| if side == 0 { Some(at) } else { across.get(at).map(|node| *node as usize) })
    }

    /// Marks the patches of a body that are apart from a neighbour. `around` enumerates the later neighbours of each patch.
    pub fn mark<B: Body>(
        &self,
        bodies: [&B; 2],
        side: usize,
        spots: &mut [Spot],
        around: impl Fn(&[Spot], usize, &mut dyn FnMut(usize)),
        marks: &mut [u32],
    ) {
        marks.fill(0);
        for i in 0..spots.len() {
            if !self.may_be_apart(bodies[side % 2], side, spots, i) {
                continue;
            }
            around(spots, i, &mut |j| {
                if self.apart(bodies, side, spots, [i, j]) {
                    [i, j].into_iter().for_each(|k| marks.get_mut(k).into_iter().for_each(|to| *to = 1));
                }
            });
        }
        for (spot, mark) in spots.iter_mut().zip(marks) {
            spot.apart = *mark;
        }
    }
}
