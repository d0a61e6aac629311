//! The direction from which nodes of round bodies push: the near part of the surface may be an edge.
//!
//! Under the law of volumes, the faces beside an edge push a ball along their own normals, however far the ball has moved around the edge. All
//! this is one place of contact, which pushes from the edge. So nodes of round bodies belong together if their normals are alike, or if they push
//! from one side. In a groove both criteria give the same result.

use glam::DVec3;

use super::body::Body;
use super::entry::Entry;
use crate::contact::Contact;
use crate::real::{Real, max, min};

/// Least cosine at which the inward direction counts as equal to the normal: positions are rounded.
const ALIKE: f64 = 1.0 - 1.0 / (1 << 20) as f64;

/// Beyond this part of the radius in depth, the nearest face alone decides.
const DEEP: f64 = 0.5;

/// A node of a contact.
pub struct Member<'c> {
    /// Its index in the list of entries.
    pub node: u32,
    pub contact: &'c Contact,
    /// Magnitude of its force.
    pub size: f64,
    /// Its inward direction, as in [`inward_of`]; otherwise its normal.
    pub inward: DVec3,
}

/// Writes the inward directions of nodes in a list of entries, if one of both bodies is round. The direction goes from a node's position to the
/// centre of the round body, or to the nearest point of its segment, with the sign of a normal from B to A. Its length is 1, or less if the node
/// is spread around its position: the mean cosine. For other nodes it is the normal, and 0 for ties. Returns whether some node has a round patch.
pub fn inward_of<B: Body>(list: &[Contact], bodies: [&B; 2], entry: &[Entry], inwards: &mut [[f64; 3]]) -> bool {
    let [a, b] = bodies.map(|body| body.kinds());
    if !(a.round && b.flat || a.flat && b.round) {
        return false;
    }
    let mut any = false;
    for (to, entry) in inwards.iter_mut().zip(entry) {
        let node = list.get(entry.place as usize);
        let inward = node.and_then(|c| inward(bodies, c));
        any |= inward.is_some();
        *to = inward.map_or(node.map_or([0.0; 3], |c| c.normal), |inward| inward.to_array());
    }
    any
}

/// The inward direction of a node; `None` if neither part is round, or both are.
pub(super) fn inward<B: Body>(bodies: [&B; 2], c: &Contact) -> Option<DVec3> {
    let (normal, at) = (DVec3::from_array(c.normal), DVec3::from_array(c.position));
    let core = |k: usize, feature: u64| bodies[k].core(feature as u32, at);
    let (inward, radius) = match (core(0, c.key[1] >> 32), core(1, c.key[1])) {
        (Some((inward, radius)), None) => (inward, radius),
        (None, Some((inward, radius))) => (-inward, radius),
        _ => return None,
    };
    let least = radius + min(c.least_gap, 0.0);
    let toward = inward / max(Real::sqrt(inward.dot(inward)), least);
    let from_face = toward.dot(normal) > ALIKE || !toward.is_finite() || least < DEEP * radius;
    Some(if from_face { normal } else { toward })
}
