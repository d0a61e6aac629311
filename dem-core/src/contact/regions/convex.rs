//! Whether both bodies are convex where they meet. Nothing wedges there, whatever normals the faces beside an edge or a corner have.
//!
//! Two convex bodies that touch have a separating plane. Their whole contact pushes along the normal of this plane, so friction depends on the
//! force alone. In a groove, one of the bodies is concave.

use glam::DVec3;

use super::inward::Member;
use super::wedging::parts;
use crate::contact::Contact;
use crate::real::{Real, max, min};

/// Surfaces with at least this [`convexity`] count as convex.
pub const CONVEX: f64 = 0.5;

/// The degree, from 0 to 1, to which surfaces of a [`convexity`] count as convex.
pub fn part(convexity: f64) -> f64 {
    max(0.0, min(convexity / CONVEX, 1.0))
}

/// Pressure in the cells of edges and corners within this part of the halo of the mean contributes no information about the shape.
const NEAR: f64 = 0.5;

/// Weight, as convex, of pressure without information about the shape, and of the information about the other body.
const FAINT: f64 = 1.0 / 16.0;

/// Sums of weighted positions and normals, or their means.
#[derive(Clone, Copy, Default)]
struct Mean {
    weight: f64,
    position: DVec3,
    normal: DVec3,
}

impl Mean {
    fn add(&mut self, weight: f64, position: DVec3, normal: DVec3) {
        self.weight += weight;
        self.position += position * weight;
        self.normal += normal * weight;
    }

    /// The means of these sums.
    fn mean(&self) -> Self {
        let Mean { weight, position, normal } = *self;
        Mean { weight, position: position / weight, normal: normal / weight }
    }

    /// From the mean to another position and normal; zero if the mean has no weight.
    fn to(&self, position: DVec3, normal: DVec3) -> (DVec3, DVec3) {
        if self.weight > 0.0 { (position - self.position, normal - self.normal) } else { (DVec3::ZERO, DVec3::ZERO) }
    }
}

/// For one body: means over all pressure, and over pressure on its flat faces.
#[derive(Clone, Copy, Default)]
struct Side {
    all: Mean,
    flat: Mean,
    /// Sum of products, sum of their magnitudes, and sum of the magnitudes that contribute no information.
    sum: f64,
    told: f64,
    faint: f64,
}

impl Side {
    /// Adds the products of a node. `flat` is the part of its pressure on flat faces.
    fn add(&mut self, node: &Member<'_>, flat: f64, position: DVec3, normal: DVec3) {
        let (arm, turn) = self.flat.to(position, normal);
        let product = node.size * flat * arm.dot(turn);
        let (arm, turn) = self.all.to(position, normal);
        let (along, weight) = (arm.dot(turn), node.size * (1.0 - flat));
        let near = min(along.abs(), NEAR * max(node.contact.halo, 0.0) * Real::sqrt(turn.dot(turn)));
        let beyond = weight * if along < 0.0 { along + near } else { along - near };
        self.sum += product + beyond;
        self.told += product.abs() + beyond.abs();
        self.faint += weight * near;
    }

    fn convexity(&self, other: &Side) -> f64 {
        let faint = FAINT * (self.faint + other.faint + other.told);
        (self.sum + faint) / (self.told + faint)
    }
}

/// Whether both bodies are convex where they meet: 1 if both are, -1 if one is concave, between these if a body is both, and 0 if it is not
/// known. `outward` gives the outward unit normals of both patches of a node, of A and of B; `None` for a round or bent patch.
///
/// The outward normals of a convex surface are a monotone map: for two of its points, `(x - y).(n_x - n_y)` is at least 0; for a concave surface
/// it is at most 0. The sum of these products over all pairs of nodes, weighted with their forces, equals a sum over nodes with x and n relative
/// to their means. The result is this sum over the sum of magnitudes, for the body with the smaller quotient. (For faces that lie on each other,
/// the products of both bodies are opposite.)
///
/// In the cells of edges and vertices, which only a convex feature has, the normal of a patch is one of several. So pressure there contributes no
/// information within half of a halo; beyond that it shows several edges, such as both edges of a slot. Pressure without information counts as
/// convex, with a sixteenth of its weight. So does the information about the other body: a body with one patch is convex. Cost: two passes.
pub fn convexity<'c>(
    nodes: impl Iterator<Item = Member<'c>> + Clone,
    outward: impl Fn(u32) -> [Option<DVec3>; 2],
) -> f64 {
    let Some(origin) = nodes.clone().next().map(|node| DVec3::from_array(node.contact.position)) else { return 0.0 };
    let position = |c: &Contact| DVec3::from_array(c.position) - origin;
    // Pressure in prisms of A is on flat faces of A.
    let flats = |c: &Contact| {
        let [in_b, in_a] = parts(c.wedging);
        [in_a, in_b]
    };
    let mut sides = [Side::default(); 2];
    for node in nodes.clone() {
        let [Some(of_a), Some(of_b)] = outward(node.node) else { return 0.0 };
        for ((side, normal), flat) in sides.iter_mut().zip([of_a, of_b]).zip(flats(node.contact)) {
            side.all.add(node.size, position(node.contact), normal);
            side.flat.add(node.size * flat, position(node.contact), normal);
        }
    }
    for side in &mut sides {
        (side.all, side.flat) = (side.all.mean(), side.flat.mean());
    }
    for node in nodes {
        let [Some(of_a), Some(of_b)] = outward(node.node) else { return 0.0 };
        for ((side, normal), flat) in sides.iter_mut().zip([of_a, of_b]).zip(flats(node.contact)) {
            side.add(&node, flat, position(node.contact), normal);
        }
    }
    let [a, b] = &sides;
    let least = min(a.convexity(b), b.convexity(a));
    if Real::is_finite(least) { least } else { 0.0 }
}
