//! Two meshes under a relative pose: pairs, distances, closest points.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `pairs` | all triangle pairs within a threshold |
//! | `candidate_pairs` | candidates for these pairs, without the exact decision; pairs that touch |
//! | `listed` | whether given pairs are within the threshold |
//! | `undecided` | queue of candidates before the exact decision |
//! | `edge_axes` | candidates that a direction across an edge shows to be too far apart |
//! | `key`, `radix_sort` | a pair as one number; sorting pairs |
//! | `distance` | the smallest distance; whether there is any pair |
//! | `self_intersections` | where a mesh touches or crosses itself |
//! | `duplicates` | triangles with the same corners, and the part of a tree without them |
//! | `high_valence` | vertices of many triangles, and which of these triangles may meet elsewhere |
//! | `traverse` | traversal of two trees down to candidate pairs, with a bounded stack |
//! | `stack` | the stack of cluster pairs, nearest first if that helps |
//! | `facing_caps` | for two bodies that touch in a small part of both, the triangles that may be near the other body |
//! | `filter` | the test of sixteen pairs of surrogates at once, and why it never discards wrongly |
//! | `prisms` | pairs of triangles neither of which has a part above the other |
//! | `decide` | the canonical distance of candidates |
//! | `frame` | the frames of the filter and of the canonical decision |
//! | `triangles_near` | the triangles near a point or below a plane, for contacts |
//! | `point_record` | the result for a point |
//! | `closest_points` | closest points of a mesh to many points, and the side of each point |
//! | `nearest` | the closest point of a tree to one point, and why no triangle is missed |
//! | `point_side` | on which side of the surface a point is, from its closest feature |
//! | `winding` | winding numbers: how often a surface, however bad, goes around a point |

mod candidate_pairs;
mod closest_points;
mod decide;
mod distance;
mod duplicates;
mod edge_axes;
mod facing_caps;
mod filter;
mod frame;
mod high_valence;
mod key;
mod listed;
mod nearest;
mod pairs;
mod point_record;
mod point_side;
mod points_many;
mod prisms;
mod radix_sort;
mod self_intersections;
mod stack;
mod traverse;
mod triangles_near;
mod undecided;
mod winding;

pub(crate) use candidate_pairs::{
    From, NearPairs, Threads, list_clusters, list_clusters_scratch, near_frame, near_pairs, near_pairs_room,
    near_pairs_scratch,
};
pub use closest_points::{check_points, many_points, many_points_scratch, points, points_scratch};
pub(crate) use decide::Corners;
pub use distance::{Witness, any_pair, distance_scratch, min_distance, min_distance_with};
pub(crate) use facing_caps::lie_apart;
pub(crate) use frame::Frame;
pub(crate) use key::{ids, key};
pub(crate) use listed::ListedPairs;
pub(crate) use nearest::Near;
pub use pairs::{TrianglePair, pairs, pairs_scratch};
pub use point_record::PointOnMesh;
pub use point_side::{PointSide, doubt};
pub(crate) use prisms::Plain;
pub(crate) use radix_sort::sort;
pub use self_intersections::{self_intersections, self_intersections_scratch};
pub(crate) use traverse::{extent, most_waiting};
pub(crate) use triangles_near::{around_scratch, below_plane, if_below, near_point, near_segment, with_boxes};
pub(crate) use winding::half_angle;
pub use winding::winding_numbers;

use core::ops::RangeInclusive;

use crate::error::{Error, Kind, Result, What};
use crate::mesh::MeshRef;
use crate::pose::Pose;
use crate::surrogate::TreeRef;

/// One body of a query: a mesh, its tree, and its pose: `world = R(orientation) * scale * local + position`.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    /// The mesh.
    pub mesh: MeshRef<'a>,
    /// Its tree of surrogates.
    pub tree: TreeRef<'a>,
    /// Pose of the mesh's frame in the world.
    pub pose: &'a Pose,
    /// Factor of all lengths of the mesh, including halos: 2^-500 to 2^500; 1 for the mesh as it is.
    pub scale: f64,
}

impl Operand<'_> {
    /// The halo of a triangle in the world's units.
    #[inline(always)]
    pub(crate) fn halo(&self, triangle: usize) -> f64 {
        self.mesh.halo(triangle) * self.scale
    }
}

/// Errors: [`Kind::Mismatch`] if a tree has another number of triangles than its mesh, and those of [`check_scale`].
fn check_operands(a: &Operand<'_>, b: &Operand<'_>) -> Result<()> {
    for (i, (operand, what)) in [(a, What::TreeA), (b, What::TreeB)].into_iter().enumerate() {
        if operand.tree.sizes.triangles as usize != operand.mesh.len() {
            return Err(Error::new(Kind::Mismatch, what));
        }
        check_scale(operand.scale, i)?;
    }
    Ok(())
}

/// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for [`What::Scale`], with the index of the operand.
pub(crate) fn check_scale(scale: f64, place: usize) -> Result<()> {
    let error = |kind| Err(Error::new(kind, What::Scale).at(place as u64, 0));
    match scale {
        x if !x.is_finite() => error(Kind::NotFinite),
        x if !SCALES.contains(&x) => error(Kind::OutOfRange),
        _ => Ok(()),
    }
}

/// The range of scales, 2^-500 to 2^500. The products and inverses of two such scales do not overflow.
pub(crate) const SCALES: RangeInclusive<f64> = 1.0 / 3.273390607896142e150..=3.273390607896142e150;

/// Checks that a largest distance is valid; infinity means no limit.
///
/// Errors: [`Kind::NotFinite`] for NaN, [`Kind::OutOfRange`] below 0, for [`What::Bound`].
pub fn check_bound(bound: f64) -> Result<()> {
    if bound.is_nan() {
        return Err(Error::new(Kind::NotFinite, What::Bound));
    }
    if bound < 0.0 { Err(Error::new(Kind::OutOfRange, What::Bound)) } else { Ok(()) }
}

/// Errors: [`Kind::NotFinite`] for NaN and infinity, [`Kind::OutOfRange`] below 0.
pub(crate) fn check_length(x: f64, what: What) -> Result<()> {
    if !x.is_finite() {
        return Err(Error::new(Kind::NotFinite, what));
    }
    if x < 0.0 { Err(Error::new(Kind::OutOfRange, what)) } else { Ok(()) }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod points_tests;
#[cfg(test)]
#[allow(clippy::expect_used)]
pub(crate) mod tests;
