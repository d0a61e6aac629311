//! The force that limits friction: the sum of the magnitudes of the forces on the sides of a contact. In a groove it is larger than the magnitude
//! of their vector sum.
//!
//! For each body, the vector sum of the nodes' forces is compared with the sum of their magnitudes. Each node's force is taken along the normal
//! of this body's patch. Where an edge or a vertex of this body meets the other body's patch, the normal of that patch is used. The body whose
//! normals agree better decides. On a flat wall that is the wall, however the facets of the other body lean.
//!
//! A round body is pushed from the near part of a surface: if both sides push it from one edge, they are no groove. Two convex bodies form no
//! groove, either.

use glam::DVec3;

use super::inward::Member;
use crate::contact::Contact;
use crate::contact::lean::{MOST_ENCLOSED, MOST_WEDGING, NodeLean};
use crate::real::{Real, max, min};

/// Packs two numbers into one: the part of a node's pressure on faces in prisms, in the cells of B and in those of A. [`Contact::wedging`] holds
/// them until nodes are joined.
pub(in crate::contact) fn flats([of_b, of_a]: [f64; 2]) -> f64 {
    let bits = |x: f64| u64::from((x as f32).to_bits());
    if of_b == 1.0 && of_a == 1.0 { 1.0 } else { f64::from_bits(bits(of_b) << 32 | bits(of_a)) }
}

/// Unpacks both numbers.
pub(super) fn parts(flats: f64) -> [f64; 2] {
    let bits = flats.to_bits();
    let part = |bits: u64| min(f64::from(f32::from_bits(bits as u32)), 1.0);
    if flats == 1.0 { [1.0; 2] } else { [part(bits >> 32), part(bits)] }
}

/// Nodes whose cosine with the total direction is below this have less weight, down to 0 at a right angle: forces on the sides of a box on a
/// plane cancel.
const STEEP: f64 = 0.25;

/// The sum of force magnitudes of a contact's sides over the magnitude of their vector sum. Nodes have the magnitudes of their forces. `outward`
/// gives the outward normals of the patches of a node, of A and of B; `None` for a round patch. `is_round`: inward directions of nodes differ
/// from their normals. `convex` is the degree, from 0 to 1, to which both bodies are convex there.
pub fn wedging<'c>(
    nodes: impl Iterator<Item = Member<'c>> + Clone,
    direction: DVec3,
    outward: impl Fn(u32) -> [Option<DVec3>; 2],
    is_round: bool,
    convex: impl FnOnce() -> f64,
) -> f64 {
    let names = |c: &Contact| [(c.key[1] >> 32) as u32, c.key[1] as u32];
    let Some(Member { node, contact: first, .. }) = nodes.clone().next() else { return 1.0 };
    let flat = outward(node).map(|normal| normal.is_some());
    // Usually one patch of one body has the whole force.
    let is_flat = |k: usize| {
        let is_even = |c: &Contact| NodeLean::of(c).lost == 0.0;
        let same = |c: &Contact| names(c)[k] == names(first)[k] && parts(c.wedging)[1 - k] == 1.0 && is_even(c);
        flat[k] && nodes.clone().all(|node| same(node.contact))
    };
    if is_flat(0) || is_flat(1) {
        return 1.0;
    }
    let (mut sums, mut inwards, mut all, mut seats) = ([DVec3::ZERO; 2], DVec3::ZERO, 0.0, 0.0);
    for Member { node, contact: c, size, inward } in nodes {
        let along = DVec3::from_array(c.normal).dot(direction);
        let along = if is_round { max(along, inward.dot(direction)) } else { along };
        let weight = size * min(max(along, 0.0) / STEEP, 1.0);
        if weight.is_nan() || weight <= 0.0 {
            continue;
        }
        let lost = NodeLean::of(c).lost;
        if lost > 0.0 {
            // An enclosed part with several patches of both bodies: its own sums know more than the patches that name it.
            sums = sums.map(|sum| sum + DVec3::from_array(c.normal) * weight);
            inwards += inward * weight;
            (all, seats) = (all + weight * (1.0 + lost), seats + weight * (1.0 + lost));
            continue;
        }
        let [of_a, of_b] = outward(node);
        let (of_a, of_b) = match (of_a.map(|n| -n), of_b) {
            (Some(of_a), Some(of_b)) => (of_a, of_b),
            // A round body is pushed along the normal of the other body's patch.
            (None, Some(of_b)) => (of_b, of_b),
            (Some(of_a), None) => (of_a, of_a),
            (None, None) => return 1.0,
        };
        let [in_b, in_a] = parts(c.wedging);
        sums[0] += (of_b * in_b + of_a * (1.0 - in_b)) * weight;
        sums[1] += (of_a * in_a + of_b * (1.0 - in_a)) * weight;
        inwards += inward * weight;
        all += weight;
    }
    let [x, y] = sums.map(|sum| Real::sqrt(sum.dot(sum)));
    let by_inward = if is_round { Real::sqrt(inwards.dot(inwards)) } else { 0.0 };
    let ratio = all / max(max(x, y), by_inward);
    // The bound grows with the share that enclosed parts bear, so it does not jump as a part sinks in.
    let most = MOST_WEDGING + (MOST_ENCLOSED - MOST_WEDGING) * (seats / all);
    // Without a direction, or with overflow, the ratio is 1.
    let ratio = if Real::is_finite(ratio) { max(1.0, min(ratio, most)) } else { 1.0 };
    // Where an enclosed part turns as its seat does, one of the bodies is concave, whatever the patches that name the part say.
    let unknown = 1.0 - seats / all;
    if ratio > 1.0 && unknown > 0.0 && !is_round { 1.0 + (ratio - 1.0) * (1.0 - unknown * convex()) } else { ratio }
}
