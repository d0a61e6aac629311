//! The contact of several nodes.

use glam::DVec3;

use crate::contact::spread::Gathered;
use crate::contact::{Contact, unit};
use crate::real::{Real, max, min};

/// The contact of nodes and the magnitudes of their forces, and the node with the largest force (the first of equals). `None` if forces
/// cancel to less than half of their sum, if only some have a halo, or if numbers overflow. Forces on one flat patch may cancel to any part if their sum is along the normal of the patch: the sides of a
/// tip that begins to touch it. `flat` tells the direction in which a flat patch of A (0) or B (1) pushes.
///
/// Let `F = (1 - gap / halo) area normal` of each node (`area normal` without halos), N the direction of their sum, and w the part of F
/// along N. The mean pressure is that of springs side by side: `sum w / sum (w / (1 - gap / halo))`. Force and torque are the sums of those
/// of the nodes.
pub fn join<'c>(
    nodes: impl Iterator<Item = (&'c Contact, f64)> + Clone,
    flat: impl Fn(usize, &Contact) -> Option<DVec3>,
) -> Option<(Contact, usize)> {
    let (first, _) = nodes.clone().next()?;
    let origin = DVec3::from_array(first.position);
    let (mut sum, mut all, mut largest) = (DVec3::ZERO, 0.0, (0, -1.0));
    let (mut area, mut halos, mut least, mut status, mut energy) = (0.0, 0.0, f64::INFINITY, 0, 0.0);
    for (i, (c, size)) in nodes.clone().enumerate() {
        if (c.halo > 0.0) != (first.halo > 0.0) {
            return None;
        }
        sum += DVec3::from_array(c.normal) * size;
        all += size;
        area += c.area;
        energy += c.energy;
        halos += c.area * (c.halo - first.halo);
        least = min(least, c.least_gap);
        status |= c.status;
        if size > largest.1 {
            largest = (i, size);
        }
    }
    let (normal, size) = unit(sum)?;
    let cancel = all.is_nan() || size < 0.5 * all;
    if area.is_nan() || area <= 0.0 || cancel && !on_flat(nodes.clone(), normal, flat) {
        return None;
    }
    let halo = first.halo + halos / area;
    let (mut weights, mut filled, mut gaps, mut centre) = (0.0, 0.0, 0.0, DVec3::ZERO);
    let (mut spread, mut even, mut areas) = (Gathered::default(), DVec3::ZERO, 0.0);
    for (c, size) in nodes.clone() {
        let weight = max(0.0, size * DVec3::from_array(c.normal).dot(normal));
        if weight > 0.0 {
            weights += weight;
            centre += (DVec3::from_array(c.position) - origin) * weight;
            if c.halo > 0.0 {
                filled += weight / (1.0 - c.gap / c.halo);
            }
            if c.spread != [0.0; 6] {
                let at = DVec3::from_array(c.position) - origin;
                let second = c.spread.map(|x| x * weight);
                spread.join(&Gathered { weight, centre: at.to_array(), second });
                even += (at + DVec3::from_array(c.offset)) * share_of_area(c, weight);
                areas += share_of_area(c, weight);
            }
            gaps += weight * c.gap;
        }
    }
    let centre = centre / weights;
    let (gap, area) = if halo > 0.0 {
        let gap = halo * (1.0 - weights / filled);
        // What a law makes of the gap, so that the force has no rounding but its own.
        (gap, size / (1.0 - gap / halo))
    } else {
        (gaps / weights, size)
    };
    let moment = nodes.fold(DVec3::ZERO, |sum, (c, size)| {
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

/// Whether all nodes are on a flat patch that pushes in this direction, or almost.
fn on_flat<'c>(
    nodes: impl Iterator<Item = (&'c Contact, f64)> + Clone,
    direction: DVec3,
    flat: impl Fn(usize, &Contact) -> Option<DVec3>,
) -> bool {
    let names = |c: &Contact| [(c.key[1] >> 32) as u32, c.key[1] as u32];
    let Some((first, _)) = nodes.clone().next() else { return false };
    (0..2).any(|k| {
        flat(k, first).is_some_and(|normal| normal.dot(direction) > ALONG)
            && nodes.clone().all(|(c, _)| names(c)[k] == names(first)[k])
    })
}

/// Cosine of the largest angle between the normal of a flat patch and a sum of forces that cancel.
pub(super) const ALONG: f64 = 0.9;

/// The area of a node as far as it is pushed along its place.
fn share_of_area(c: &Contact, weight: f64) -> f64 {
    if c.halo > 0.0 { weight / (1.0 - c.gap / c.halo) } else { weight }
}
