//! The result for a point, and the state of a search for many points.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::nearest::{Rim, Search};
use super::point_side::PointSide;
use crate::array::Array;
use crate::mesh::NONE;
use crate::pose::Transform;
use crate::real::Real;
use crate::vector::{dot, safe_length, sub};

/// The closest point of a mesh to a query point, and the side on which the query point is.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct PointOnMesh {
    /// The closest triangle; the one with the smallest number if several have the same computed distance; [`NONE`] if all are farther than the
    /// bound. If triangles meet in the closest point, their distances differ by rounding, so it is any of these.
    pub triangle: u32,
    /// Part of it that `point` lies on: a [`Feature`](crate::triangle::Feature) as a number.
    pub feature: u32,
    /// A [`PointSide`] as a number.
    pub side: u32,
    /// 0 if the side is certain; else bits of [`doubt`](super::doubt): why it is a guess.
    pub doubt: u32,
    /// Distance from the surface, without halos; exactly 0 on the surface and only there. Infinite beyond the bound.
    pub distance: f64,
    /// The same, negative inside. Infinite beyond the bound.
    pub signed_distance: f64,
    /// The closest point, in world coordinates. Zeros beyond the bound.
    pub point: [f64; 3],
    /// The unit direction, in world axes, in which the signed distance grows. On the surface, the normal of the feature: that of the face,
    /// the sum of both faces' normals for an edge, the sum weighted by angles for a vertex. Zeros if there is none (beyond the bound; on
    /// the surface of a degenerate triangle).
    pub normal: [f64; 3],
}

impl PointOnMesh {
    pub(super) const BEYOND: PointOnMesh = PointOnMesh {
        triangle: NONE,
        feature: 0,
        side: PointSide::Beyond as u32,
        doubt: 0,
        distance: f64::INFINITY,
        signed_distance: f64::INFINITY,
        point: [0.0; 3],
        normal: [0.0; 3],
    };
}

/// The result for the previous point. It shortens the search but does not change the result.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub point: [f64; 3],
    pub distance: f64,
    /// The winding number, for a closed surface.
    pub winding: Option<f64>,
}

impl Last {
    /// A factor that covers rounding.
    const MORE: f64 = 1.0 + 1e-9;

    /// An upper bound for the distance of the surface from another point.
    #[inline(always)]
    pub fn limit(&self, point: [f64; 3]) -> f64 {
        (self.distance + safe_length(sub(point, self.point))) * Self::MORE + 1e-12 * (sum(point) + sum(self.point))
    }

    /// The winding number at another point with this distance from the surface, if it is certainly the same.
    pub(super) fn winding(&self, point: [f64; 3], distance: f64) -> Option<f64> {
        self.winding.filter(|_| self.meets(point, distance))
    }

    /// Whether the open balls around both points certainly meet. These balls contain nothing of the surface, so then both points have the same
    /// winding number.
    #[inline(always)]
    pub fn meets(&self, point: [f64; 3], distance: f64) -> bool {
        let way = sub(point, self.point);
        let reach = self.distance + distance - 1e-12 * (sum(point) + sum(self.point));
        // If squares overflow, the comparison is false. If they vanish, it is right.
        reach > 0.0 && dot(way, way) * Self::MORE < reach * reach
    }
}

/// The sum of the absolute values of the components: an upper bound for the length.
#[inline(always)]
pub(super) fn sum(v: [f64; 3]) -> f64 {
    Real::abs(v[0]) + Real::abs(v[1]) + Real::abs(v[2])
}

pub(super) struct Each<'t, 's> {
    pub search: Search<'t, 's>,
    pub rim: Rim<'s>,
    pub transform: Transform,
    pub scale: f64,
    pub points: Array<'t>,
    /// The bound in the mesh's units, in which the whole search works.
    pub bound: f64,
    pub out: &'s mut [PointOnMesh],
}
