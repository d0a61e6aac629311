//! Contact points of triangle pairs, as in P0 (Noble and Weinzierl, *A multiresolution discrete element method*). Every pair is a contact (2.2),
//! or contacts close to each other are merged (remark 1). They serve for comparison with that paper: neither is continuous in the poses
//! (`docs/contacts.md`, section 1).

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::record::{Contact, POINT, status};
use super::unit;
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, sections};
use crate::narrow::{Operand, TrianglePair, key};
use crate::pose::Transform;
use crate::real::{max, min};

/// The direction of a gap below this, relative to the coordinates, is rounding only.
const NO_DIRECTION: f64 = 1e-12;

/// A contact that may be merged.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Item {
    contact: Contact,
    /// An item of the same cluster that comes earlier, or the item itself.
    link: u64,
}

/// Scratch for [`pair_contacts`] with this number of pairs.
///
/// Errors: [`Kind::TooLarge`].
pub fn pair_contacts_scratch(pairs: usize) -> Result<Layout> {
    Memory::layout(pairs)
}

sections! {
    /// Memory for this number of pairs.
    struct Memory<'s>(pairs: usize) {
        items: [Item; pairs as u64],
    }
}

/// Writes the contact points of triangle pairs, ordered by [`Contact::key`], and returns their number.
///
/// A pair's point divides the segment between its closest points in the ratio of both halos (P0 (2.2) takes the midpoint, as this function does
/// if there is no halo). Its normal points from B to A; if triangles touch or cross, it follows from the face normals. Points closer than
/// `radius` are merged, directly or through other points (P0 remark 1, which leaves the order open). The merged position is the mean, the normal
/// is that of the sum, the gap the smallest, the key the first. A radius of 0 merges nothing. Each contact has a share of 1 and no area, so P0's
/// force is `K * (1 - gap / halo) * share`. Exchanging A and B negates normals. The order of the triangles changes only keys, to the last bit, if
/// no two positions are equal.
///
/// `pairs` are those of [`pairs`](crate::narrow::pairs) for the same bodies; `scratch` is [`pair_contacts_scratch`].
///
/// Errors: those of the poses; [`Kind::NotFinite`] and [`Kind::OutOfRange`] for the radius ([`What::Bound`]); [`Kind::BadIndex`] for a triangle
/// that does not exist, with the pair; [`Kind::Capacity`] with the exact number for [`What::Output`] (`out` then has no meaning), and for the
/// scratch. Cost: O(n log n), and a few nanoseconds for each pair of points closer than the radius along x.
pub fn pair_contacts(
    a: &Operand<'_>,
    b: &Operand<'_>,
    pairs: &[TrianglePair],
    tag: u64,
    radius: f64,
    out: &mut [Contact],
    scratch: &mut [u8],
) -> Result<usize> {
    if !radius.is_finite() {
        return Err(Error::new(Kind::NotFinite, What::Bound));
    }
    if radius < 0.0 {
        return Err(Error::new(Kind::OutOfRange, What::Bound));
    }
    let bodies = [Body::new(a, What::BodyPoseA)?, Body::new(b, What::BodyPoseB)?];
    let items = Memory::new(scratch, pairs.len())?.items;
    for (i, (to, pair)) in items.iter_mut().zip(pairs).enumerate() {
        for (component, (triangle, body)) in [(pair.a, a), (pair.b, b)].into_iter().enumerate() {
            if triangle as usize >= body.mesh.len() {
                let error = Error::new(Kind::BadIndex, What::Pairs).at(i as u64, component as u32);
                return Err(error.amounts(body.mesh.len() as u64, u64::from(triangle)));
            }
        }
        *to = Item { contact: contact(&bodies, pair, tag), link: 0 };
    }
    connect(items, radius);
    let number = items.iter().enumerate().filter(|(i, item)| item.link == *i as u64).count();
    let capacity = out.len();
    let out = out.get_mut(..number).ok_or(Error::capacity(What::Output, number as u64, capacity as u64))?;
    merge(items, out);
    out.sort_unstable_by_key(|contact| contact.key);
    Ok(number)
}

/// One side of the pairs.
struct Body<'a> {
    operand: &'a Operand<'a>,
    transform: Transform,
}

impl<'a> Body<'a> {
    fn new(operand: &'a Operand<'a>, what: What) -> Result<Self> {
        Ok(Body { operand, transform: operand.pose.transform(what)? })
    }

    /// Outward normal in world axes; zero for a triangle without area.
    fn normal(&self, triangle: u32) -> DVec3 {
        let [p, q, r] = self.operand.mesh.triangle(triangle as usize).map(DVec3::from_array);
        let normal = unit((q - p).cross(r - p)).map_or(DVec3::ZERO, |(n, _)| n);
        DVec3::from_array(self.transform.rotate(normal.to_array()))
    }
}

fn contact([a, b]: &[Body<'_>; 2], pair: &TrianglePair, tag: u64) -> Contact {
    let (pa, pb) = (DVec3::from_array(pair.point_a), DVec3::from_array(pair.point_b));
    let halos = [a.operand.mesh.halo(pair.a as usize), b.operand.mesh.halo(pair.b as usize)];
    let halo = halos[0] + halos[1];
    let weight = |own: f64| if halo > 0.0 { own / halo } else { 0.5 };
    // A sum whose terms may be exchanged.
    let position = pa * weight(halos[1]) + pb * weight(halos[0]);
    let size = max(pa.abs().max_element(), pb.abs().max_element());
    let along = unit(pa - pb).filter(|_| pair.distance > NO_DIRECTION * size).map(|(n, _)| n);
    let faces = || {
        let (na, nb) = (a.normal(pair.a), b.normal(pair.b));
        let middle = |body: &Body<'_>, i: u32| {
            let [p, q, r] = body.operand.mesh.triangle(i as usize).map(DVec3::from_array);
            DVec3::from_array(body.transform.apply(((p + q + r) / 3.0).to_array()))
        };
        // If both face normals are equal, the body behind is pushed back.
        unit(nb - na).or_else(|| unit(middle(a, pair.a) - middle(b, pair.b))).map(|(n, _)| n)
    };
    let known = along.or_else(faces);
    let normal = known.unwrap_or(DVec3::Z);
    let touching = if pair.distance == 0.0 { status::TOUCHING } else { 0 };
    Contact {
        key: [tag, key(pair.a, pair.b)],
        position: position.to_array().map(|x| x + 0.0),
        normal: normal.to_array().map(|x| x + 0.0),
        gap: pair.distance,
        least_gap: pair.distance,
        share: 1.0,
        halo,
        kind: POINT,
        wedging: 1.0,
        status: touching | if known.is_none() { status::DEGENERATE } else { 0 },
        ..Contact::default()
    }
}

/// Sorts the items by position and links those that are closer than the radius, directly or by others.
fn connect(items: &mut [Item], radius: f64) {
    let order = |x: &Item, y: &Item| {
        let by_place = x.contact.position.iter().zip(&y.contact.position).map(|(x, y)| x.total_cmp(y));
        by_place.fold(core::cmp::Ordering::Equal, core::cmp::Ordering::then).then(x.contact.key.cmp(&y.contact.key))
    };
    items.sort_unstable_by(order);
    (0..).zip(items.iter_mut()).for_each(|(i, item)| item.link = i);
    for i in 0..items.len() {
        let at = DVec3::from_array(items[i].contact.position);
        for j in i + 1..items.len() {
            let apart = DVec3::from_array(items[j].contact.position) - at;
            if apart.x >= radius {
                break;
            }
            if apart.length_squared() < radius * radius {
                let (x, y) = (first_of(items, i), first_of(items, j));
                let (first, other) = (min(x, y), max(x, y));
                items[other].link = first as u64;
            }
        }
    }
    for i in 0..items.len() {
        items[i].link = first_of(items, i) as u64;
    }
}

/// The index of the first item of a cluster; halves the path to it.
fn first_of(items: &mut [Item], mut i: usize) -> usize {
    while let Some(link) = items.get(i).map(|item| item.link as usize).filter(|link| *link != i) {
        let next = items.get(link).map_or(link as u64, |item| item.link);
        items[i].link = next;
        i = next as usize;
    }
    i
}

/// Writes one contact for each cluster, in the order of first items. Items are sorted by position, which fixes the order of summation.
fn merge(items: &mut [Item], out: &mut [Contact]) {
    let mut number = 0;
    for i in 0..items.len() {
        let Item { contact, link } = items[i];
        let first = link as usize;
        if first == i {
            // From here on the link is the index of the cluster's contact, whose share counts its points.
            items[i].link = number as u64;
            if let Some(to) = out.get_mut(number) {
                *to = contact;
            }
            number += 1;
            continue;
        }
        let place = items.get(first).map_or(usize::MAX, |item| item.link as usize);
        let Some(to) = out.get_mut(place) else { continue };
        let add = |x: [f64; 3], y: [f64; 3]| [0, 1, 2].map(|k| x[k] + y[k]);
        *to = Contact {
            key: min(to.key, contact.key),
            position: add(to.position, contact.position),
            normal: add(to.normal, contact.normal),
            gap: min(to.gap, contact.gap),
            least_gap: min(to.least_gap, contact.least_gap),
            share: to.share + 1.0,
            halo: max(to.halo, contact.halo),
            status: to.status | contact.status,
            ..*to
        };
    }
    for contact in out.iter_mut().filter(|contact| contact.share > 1.0) {
        let points = contact.share;
        let normal = unit(DVec3::from_array(contact.normal)).map(|(n, _)| n);
        if normal.is_none() {
            contact.status |= status::DEGENERATE;
        }
        contact.normal = normal.unwrap_or(DVec3::Z).to_array().map(|x| x + 0.0);
        contact.position = contact.position.map(|x| x / points);
        contact.share = 1.0;
    }
}
