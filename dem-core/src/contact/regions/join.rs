//! Joins several nodes to one contact.

use glam::DVec3;

use super::inward::Member;
use crate::contact::record::pressure;
use crate::contact::spread::Gathered;
use crate::contact::{Contact, unit};
use crate::real::{Real, min};

/// The contact of nodes with the magnitudes of their forces, and the index of the node with the largest force (the first one of equals). `None`
/// if forces cancel to less than half of the sum of their magnitudes, if only some nodes have a halo, or if numbers overflow. There are three
/// exceptions to the rule of cancelling. First, forces on one flat patch whose sum is along the patch's normal: the sides of a tip that begins to
/// touch it. Second, forces that push a round body from one side. Third, forces between bodies that are both `convex`. `flat` gives the direction
/// in which a flat patch of A (0) or B (1) pushes.
///
/// Gap and position are those of one node with the same terms: `1 - gap / halo = sum P / sum S` and `sum X / sum P`, with the measured areas S,
/// which are stored in place of shares. So they do not depend on how terms are divided among nodes. Force and torque are the sums of those of the
/// nodes.
pub fn join<'c>(
    nodes: impl Iterator<Item = Member<'c>> + Clone,
    flat: impl Fn(usize, &Contact) -> Option<DVec3>,
    convex: impl FnOnce() -> bool,
) -> Option<(Contact, usize)> {
    let Member { contact: first, .. } = nodes.clone().next()?;
    let origin = DVec3::from_array(first.position);
    let (mut sum, mut inwards, mut all, mut largest) = (DVec3::ZERO, DVec3::ZERO, 0.0, (0, -1.0));
    let (mut measured, mut halos, mut least, mut status, mut energy) = (0.0, 0.0, f64::INFINITY, 0, 0.0);
    for (i, Member { contact: c, size, inward, .. }) in nodes.clone().enumerate() {
        if (c.halo > 0.0) != (first.halo > 0.0) {
            return None;
        }
        sum += DVec3::from_array(c.normal) * size;
        inwards += inward * size;
        all += size;
        measured += c.share;
        energy += c.energy;
        halos += c.share * (c.halo - first.halo);
        least = min(least, c.least_gap);
        status |= c.status;
        if size > largest.1 {
            largest = (i, size);
        }
    }
    let (normal, size) = unit(sum)?;
    let from_one_side = size > SOME * all && unit(inwards).is_some_and(|(_, size)| size >= 0.5 * all);
    let cancel = all.is_nan() || size < 0.5 * all && !from_one_side;
    let is_one = || on_flat(nodes.clone(), normal, flat) || size > SOME * all && convex();
    if measured.is_nan() || measured <= 0.0 || cancel && !is_one() {
        return None;
    }
    let halo = first.halo + halos / measured;
    let (mut total, mut gaps, mut centre) = (0.0, 0.0, DVec3::ZERO);
    let (mut spread, mut even, mut areas) = (Gathered::default(), DVec3::ZERO, 0.0);
    for Member { contact: c, .. } in nodes.clone() {
        let weight = pressure(c);
        let at = DVec3::from_array(c.position) - origin;
        total += weight;
        centre += at * weight;
        gaps += c.share * c.gap;
        if c.spread != [0.0; 6] {
            let second = c.spread.map(|x| x * weight);
            spread.join(&Gathered { weight, centre: at.to_array(), second });
            even += (at + DVec3::from_array(c.offset)) * c.share;
            areas += c.share;
        }
    }
    if total.is_nan() || total <= 0.0 {
        return None;
    }
    let (centre, mean) = (centre / total, total / measured);
    // Area and gap are computed so that a law gets back the force without further rounding.
    let (gap, area) = if halo > 0.0 { (halo * (1.0 - mean), size / mean) } else { (gaps / measured, size) };
    let moment = nodes.fold(DVec3::ZERO, |sum, Member { contact: c, size, .. }| {
        let arm = DVec3::from_array(c.position) - origin - centre;
        sum + (DVec3::from_array(c.moment) + arm.cross(DVec3::from_array(c.normal) * size))
    });
    let [position, normal, moment] = [origin + centre, normal, moment].map(|v| v.to_array().map(|x| x + 0.0));
    let numbers = [gap, least, area, halo, energy];
    let (spread, offset) = match areas > 0.0 {
        true => (spread.about(centre.to_array()), (even / areas - centre).to_array()),
        false => ([0.0; 6], [0.0; 3]),
    };
    let finite = position.iter().chain(&normal).chain(&moment).chain(&numbers).all(|x| Real::is_finite(*x));
    let finite = finite && spread.iter().chain(&offset).all(|x| Real::is_finite(*x));
    let numbers = Contact { position, normal, moment, gap, least_gap: least, area, halo, status, energy, ..*first };
    let joined = Contact { spread, offset, ..numbers };
    finite.then_some((joined, largest.0))
}

/// Whether all nodes are on one flat patch that pushes in this direction, or almost.
fn on_flat<'c>(
    nodes: impl Iterator<Item = Member<'c>> + Clone,
    direction: DVec3,
    flat: impl Fn(usize, &Contact) -> Option<DVec3>,
) -> bool {
    let names = |c: &Contact| [(c.key[1] >> 32) as u32, c.key[1] as u32];
    let Some(Member { contact: first, .. }) = nodes.clone().next() else { return false };
    (0..2).any(|k| {
        flat(k, first).is_some_and(|normal| normal.dot(direction) > ALONG)
            && nodes.clone().all(|node| names(node.contact)[k] == names(first)[k])
    })
}

/// Least part of the sum of magnitudes that must be left for a direction. Forces on both sides of a blade cancel to any part, and all push a ball
/// off the edge of the blade.
pub(super) const SOME: f64 = 1.0 / (1 << 10) as f64;

/// Cosine of the largest angle between the normal of a flat patch and a sum of forces that cancel.
pub(super) const ALONG: f64 = 0.9;
