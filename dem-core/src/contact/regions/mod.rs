//! Regions: one contact for each place where two bodies touch, joined from the contacts of patch pairs (nodes).
//!
//! `docs/contacts.md`, section "From the measure to nodes and regions", has the rules, the reasons and the limits.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `apart` | patches that share an edge and still belong to different places |
//! | `body` | the interface of a body for grouping |
//! | `entry` | a node in the matrix of nodes, and a patch with nodes |
//! | `outward` | the outward normals of patches with nodes |
//! | `node_matrix` | nodes by patch of one body and of the other, and a visit of all neighbours among them |
//! | `sets` | grouping of nodes by union-find: places, their parts by charts, leaning nodes |
//! | `curvature` | how the normal turns across a contact |
//! | `curve_neighbours` | the neighbours of an enclosed part's node along the curve around that part |
//! | `convex` | whether both bodies are convex where they meet |
//! | `clusters` | joins parts of a place that was split |
//! | `join` | the contact of several nodes |
//! | `inward` | the direction from which nodes of round bodies push |
//! | `wedging` | the force that limits friction in a groove |
//! | `spatial_order` | which of two bodies comes first in space |

mod apart;
mod body;
mod clusters;
mod convex;
mod curvature;
mod curve_neighbours;
mod entry;
mod inward;
mod join;
mod node_matrix;
mod outward;
mod sets;
mod spatial_order;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
mod wedging;

pub(super) use body::Body;
pub(super) use spatial_order::{Parts, comes_first};
pub(super) use wedging::flats;

use core::cell::OnceCell;
use glam::DVec3;

use super::lean::settle;
use super::measure::reduce::share;
use super::penetration::Tie;
use super::record::force;
use super::{Contact, Node};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::real::{Real, max, min};
use convex::{CONVEX, convexity, part};
use curvature::curvature;
use entry::{Entry, Spot};
use inward::{Member, inward_of};
use join::join;
use node_matrix::{Memo, Room, Rows};
use sets::{Limit, Set, Sets};

/// How the patch pairs on which two bodies press on each other are grouped into contacts.
///
/// The force and the torque of a pair of bodies are the same in all modes, up to rounding. `docs/contacts.md` has the rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouping {
    /// Which nodes form one contact.
    pub mode: Mode,
    /// In radians, 0 to pi: if forces of patch pairs lean further than this angle from their sum, they do not form a single region. Only
    /// [`Mode::Regions`] uses it.
    pub angle: f64,
}

impl Default for Grouping {
    /// Regions, with 45 degrees.
    fn default() -> Self {
        Grouping { mode: Mode::Regions, angle: core::f64::consts::FRAC_PI_4 }
    }
}

impl Grouping {
    /// One contact for each patch pair.
    pub const PATCHES: Grouping = Grouping { mode: Mode::Patches, angle: core::f64::consts::FRAC_PI_4 };
    /// One contact for each pair of bodies, unless its forces cancel.
    pub const BODIES: Grouping = Grouping { mode: Mode::Bodies, angle: core::f64::consts::FRAC_PI_4 };

    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Angle`].
    pub fn check(&self) -> Result<()> {
        match self.angle {
            angle if !Real::is_finite(angle) => Err(Error::new(Kind::NotFinite, What::Angle)),
            angle if !(0.0..=core::f64::consts::PI).contains(&angle) => Err(Error::new(Kind::OutOfRange, What::Angle)),
            _ => Ok(()),
        }
    }

    fn limit(&self) -> Limit {
        const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;
        Limit { cosine: libm::cos(self.angle) - ROUNDING, sine: libm::sin(self.angle) }
    }
}

/// Which nodes form one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Mode {
    /// One contact for each place where two bodies touch.
    #[default]
    Regions = 0,
    /// One contact for each patch of A with each patch of B.
    Patches = 1,
    /// One contact for each pair of bodies. If its forces cancel to less than half of the sum of their magnitudes (a body in a narrow groove),
    /// one contact for each region.
    Bodies = 2,
}

sections! {
    /// Scratch of [`group`] for this number of nodes and ties.
    struct Memory<'s>(n: u64) {
        entry: [Entry; n],
        first: [Spot; n],
        second: [Spot; n],
        memo: [Memo; n],
        root: [u32; n],
        set: [Set; n],
        order: [u64; n],
        size: [f64; n],
        reach: [f64; n],
        inwards: [[f64; 3]; n],
        inward_sums: [[f64; 3]; n],
        head: [u32; n],
        across: [u32; n],
    }
}

/// Scratch of [`group`] for this number of nodes and ties.
///
/// Errors: [`Kind::TooLarge`].
pub(super) fn group_scratch(nodes: usize, ties: usize) -> Result<Layout> {
    Memory::layout((nodes as u64).saturating_add(ties as u64))
}

/// Groups nodes into contacts. Writes the contacts to the front of the list, ordered by key, and returns their number. Calls `node` for each node
/// with its index in the order of features; the calls are in another order.
///
/// `list` are the contacts of all patch pairs of two bodies, ordered by features, each once. They have measured areas in place of shares, and get
/// shares here. `swapped`: B comes first in space. Exchanging the bodies, the lists and this flag exchanges features and negates normals and
/// moments, bit for bit. `ties` are the patches that cross around enclosed parts: an enclosed part's node has the neighbours of nodes there. This
/// function sorts the ties, and exchanges them with the bodies. `scratch` is [`group_scratch`].
///
/// Errors: [`Kind::Capacity`] for [`What::Scratch`]. Cost: for n nodes and ties a sort and a few passes; a few comparisons for each pair of
/// neighbouring nodes, plus a binary search if they are not yet in one place; in places that are split, about log n times that.
pub(super) fn group<B: Body>(
    list: &mut [Contact],
    bodies: [&B; 2],
    swapped: bool,
    ties: &mut [Tie],
    grouping: &Grouping,
    scratch: &mut [u8],
    mut node: impl FnMut(usize, Node),
) -> Result<usize> {
    let n = list.len();
    if n < 2 || grouping.mode == Mode::Patches {
        for (i, contact) in list.iter_mut().enumerate() {
            contact.status &= !super::status::LEANS;
            settle(contact);
            node(i, Node { features: contact.key[1], contact: i as u32, force: magnitude(force(contact)) });
        }
        share(list);
        return Ok(n);
    }
    let ties = curve_neighbours::settle(ties, list, swapped);
    let Memory { entry, first, second, memo, root, set, order, size, reach, head, across, inwards, inward_sums } =
        Memory::new(scratch, (n + ties.iter().filter(|tie| tie.faces != curve_neighbours::LINK).count()) as u64)?;
    let given = bodies;
    let bodies = if swapped { [bodies[1], bodies[0]] } else { bodies };
    let room = Room { entry, first, second, memo, across, reach };
    let mut rows = Rows::new((list, ties), bodies, swapped, room, order, head);
    for (to, entry) in size.iter_mut().zip(rows.entry) {
        *to = list.get(entry.place as usize).map_or(0.0, force);
    }
    // If no body is round, the memory of inward directions is used for outward normals.
    let (inwards, inward_sums) = if inward_of(list, given, rows.entry, inwards) {
        (&*inwards, inward_sums)
    } else {
        rows.find_outward(inwards, inward_sums);
        (&[][..], &mut [][..])
    };
    let limit = grouping.limit();
    let mut sets = Sets { list, entry: rows.entry, size, inwards, inward_sums, root, set, best: &mut *head, limit };
    sets.group(&mut rows, grouping.mode == Mode::Bodies, order);
    let real = (0..).zip(rows.entry).filter(|(_, entry)| !entry.is_tie());
    for (to, (i, _)) in order.iter_mut().zip(real) {
        *to = u64::from(sets.root(i)) << 32 | u64::from(i);
    }
    let order = order.get_mut(..n).unwrap_or_default();
    order.sort_unstable();
    let (entry, size) = (rows.entry, &*size);
    let place = |key: &u64| entry.get(*key as u32 as usize).map_or(0, |entry| entry.place);
    for members in order.chunk_by(|x, y| x >> 32 == y >> 32) {
        let member = |key: &u64| {
            let (c, i) = (list.get(place(key) as usize)?, *key as u32 as usize);
            let inward = inwards.get(i).map_or(c.normal, |inward| *inward);
            Some(Member { node: i as u32, contact: c, size: *size.get(i)?, inward: DVec3::from_array(inward) })
        };
        let own = members.iter().filter_map(member);
        let told = OnceCell::new();
        let convexity = || *told.get_or_init(|| convexity(own.clone(), |i| rows.outward_of_flats(i)));
        let is_convex = || convexity() >= CONVEX;
        let joined = if members.len() > 1 { join(own.clone(), |k, c| flat(given, k, c), is_convex) } else { None };
        let mut chief = None;
        if let Some((contact, at)) = &joined
            && let Some(at) = members.get(*at).map(place)
        {
            let (direction, outward) = (DVec3::from_array(contact.normal), |i| rows.outward(i));
            let wedging = wedging::wedging(own.clone(), direction, outward, !inwards.is_empty(), || part(convexity()));
            let curvature = match contact.spread != [0.0; 6] && inwards.is_empty() {
                true => curvature(own.clone(), contact, outward),
                false => [0.0; 6],
            };
            if let Some(to) = list.get_mut(at as usize) {
                // A negative value marks a joined contact, whose `wedging` is no longer the packed pair of a node ([`wedging::flats`]).
                *to = Contact { key: to.key, wedging: -wedging, curvature, ..*contact };
                chief = Some(at);
            }
        }
        for key in members {
            let own = place(key);
            head.get_mut(own as usize).into_iter().for_each(|to| *to = chief.unwrap_or(own));
        }
    }
    // Each head is the node that names its contact, and nodes are in the order of names. Items before a head are overwritten, so the indices of
    // contacts reuse the memory of roots.
    let number = root;
    let mut count = 0;
    for i in 0..n {
        if head.get(i) == Some(&(i as u32))
            && let Some(mut contact) = list.get(i).copied()
        {
            number.get_mut(i).into_iter().for_each(|to| *to = count as u32);
            contact.status &= !super::status::LEANS;
            // A single node still has its packed pair here.
            if contact.wedging < 0.0 {
                contact.wedging = max(1.0, -contact.wedging);
            } else {
                settle(&mut contact);
            }
            list.get_mut(count).into_iter().for_each(|to| *to = contact);
            count += 1;
        }
    }
    share(list.get_mut(..count).unwrap_or_default());
    // In the order of the list, which is the order of features.
    for (entry, size) in entry.iter().zip(size).filter(|(entry, _)| !entry.is_tie()) {
        let contact = head.get(entry.place as usize).and_then(|head| number.get(*head as usize)).copied().unwrap_or(0);
        let features = if swapped { entry.features.rotate_left(32) } else { entry.features };
        node(entry.place as usize, Node { features, contact, force: magnitude(*size) });
    }
    Ok(count)
}

/// The direction in which a flat patch of A (0) or B (1) pushes one of its nodes; `None` if it is not flat.
fn flat<B: Body>(bodies: [&B; 2], k: usize, node: &Contact) -> Option<DVec3> {
    let feature = (node.key[1] >> [32, 0][k % 2]) as u32;
    let body = bodies[k % 2];
    let outward = if body.is_flat(feature) { body.normal(feature) } else { None };
    if k == 0 { outward.map(|n| -n) } else { outward }
}

/// Converts to single precision, cut to the finite range.
fn magnitude(force: f64) -> f32 {
    min(force, f64::from(f32::MAX)) as f32
}
