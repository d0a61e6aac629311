//! Patches that share an edge far from the other body: what touches them is not in one place.
//!
//! Where two regions on neighbouring patches are one, a point of an edge that these patches share is nearer to the other body than the
//! halos are thick. So two patches with a concave edge between them are no neighbours in a contact if none of the edges that they
//! share comes so near to the planes that press on them: the inner sides of an L that stands on an edge of each leg.

use core::ops::Range;

use glam::DVec3;

use super::body::Body;
use super::entry::{Entry, Spot};
use crate::contact::record::force;
use crate::contact::{Contact, status};
use crate::real::{max, min};

/// Nodes within so many halos of each other are of one place if their patches meet: nobody has to look at edges.
const NEAR: f64 = 2.0;

/// Whether some of the nodes are so far apart that they may be of different places though their patches meet.
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

/// How far each node reaches: its halo, negative (also -0) where it leans, and not a number where there is nothing to reach. Ties reach as far as their nodes.
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

/// Which nodes of a patch tell whether it is apart from another one.
#[derive(Clone, Copy, PartialEq)]
enum Telling {
    /// Those that connect their neighbours.
    Firm,
    /// Those that lean: there are no others.
    Leaning,
}

impl Telling {
    /// What a node that reaches so far is.
    fn of(reach: f64) -> Option<Telling> {
        let told = if reach.is_sign_negative() { Telling::Leaning } else { Telling::Firm };
        (!reach.is_nan()).then_some(told)
    }
}

/// The nodes of each patch of either body, the first one in space and the other one.
#[derive(Clone, Copy)]
pub struct Nodes<'r> {
    pub entry: &'r [Entry],
    /// The entries in the order of their patches of the second body.
    pub across: &'r [u32],
    /// How far each of them reaches; none where nodes are near each other.
    pub reach: &'r [f64],
}

impl Nodes<'_> {
    /// Whether two patches of a body, which are neighbours, are none in this contact. `side` is 0 for the first body.
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

    /// Whether a patch has a concave edge, and a node that presses: it is apart from no other patch if not.
    pub fn may_be_apart<B: Body>(&self, body: &B, side: usize, spots: &[Spot], i: usize) -> bool {
        let own = spots.get(i).filter(|_| !self.reach.is_empty());
        own.is_some_and(|own| body.has_concave_edge(own.part, own.feature - own.base))
            && self.telling(side, spots, i).is_some()
    }

    /// Which nodes of a patch tell where it is pressed; none where none presses.
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

    /// Whether a point is no farther than a node reaches from the plane that it has on the other body. Of nodes that do not tell, it is not.
    fn is_reached<B: Body>(&self, other: &B, side: usize, (node, telling): (usize, Telling), point: DVec3) -> bool {
        let reach = self.reach.get(node).copied().filter(|reach| Telling::of(*reach) == Some(telling));
        let (Some(reach), Some(own)) = (reach, self.entry.get(node)) else { return false };
        let feature = if side == 0 { own.features as u32 } else { (own.features >> 32) as u32 };
        // Whatever is round may be anywhere.
        other.plane(feature).is_none_or(|[at, normal]| (point - at).dot(normal) <= reach.abs())
    }

    /// The nodes of a patch.
    fn of(&self, side: usize, spots: &[Spot], i: usize) -> impl Iterator<Item = usize> {
        let start = |i: usize| spots.get(i).map_or(self.entry.len(), |spot| spot.from as usize);
        let range: Range<usize> = start(i)..start(i + 1);
        let across = self.across;
        range.filter_map(move |at| if side == 0 { Some(at) } else { across.get(at).map(|node| *node as usize) })
    }

    /// Marks the patches of a body that are apart from a neighbour. `around` tells of the later neighbours of each.
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
