//! From where nodes of round bodies push: what of the surface is near may be an edge.
//!
//! By the law of volumes the faces beside an edge push a ball along their own normals, however far around the edge it is. All of that is one
//! place of contact, which pushes from the edge. So nodes of round bodies belong together if their normals are alike, or if they push from
//! one side. In a groove both are the same.

use glam::DVec3;

use super::body::Body;
use crate::contact::Contact;
use crate::real::{Real, max, min};

/// A node pushes along its normal if it pushes from there, but for an angle of this cosine.
const ALIKE: f64 = 1.0 - 1.0 / (1 << 20) as f64;

/// What is deeper than this part of the radius is told by the nearest face alone.
const DEEP: f64 = 0.5;

/// From a node's position to the centre of the body that is round, or to its segment, from B to A: of length 1, or less where the node is all around its position, by the mean cosine. The node's normal,
/// if neither body is round, or both are.
pub fn toward<B: Body>(bodies: [&B; 2], c: &Contact) -> DVec3 {
    let (normal, at) = (DVec3::from_array(c.normal), DVec3::from_array(c.position));
    let core = |k: usize, feature: u64| bodies[k].core(feature as u32, at);
    let (way, radius) = match (core(0, c.key[1] >> 32), core(1, c.key[1])) {
        (Some((way, radius)), None) => (way, radius),
        (None, Some((way, radius))) => (-way, radius),
        _ => return normal,
    };
    let least = radius + min(c.least_gap, 0.0);
    let toward = way / max(Real::sqrt(way.dot(way)), least);
    let from_face = toward.dot(normal) > ALIKE || !toward.is_finite() || least < DEEP * radius;
    if from_face { normal } else { toward }
}
