//! Distance kernels of triangle pairs, segments and points.

mod accuracy;
mod batch;
mod block;
mod comparison;
mod crossing;
mod double_double;
mod elementary;
mod feature;
mod predicates;
mod prepared;
mod sources;

pub use accuracy::Accuracy;
pub use batch::closest_points;
pub use block::{BLOCK, Block, ClosestPoints, Compiled, Coordinates, Sink, Source};
pub use elementary::{
    PointSegment, PointTriangle, SegmentSegment, distance_point_segment, distance_point_triangle,
    distance_segment_segment,
};
pub use feature::Feature;
pub use sources::{Collect, Indexed, OneToMany, Points, Soup, Zip, closest_points_one};

/// The parts of the kernel that other modules need.
pub(crate) mod kernel {
    pub(crate) use super::accuracy::{Vertices, number};
    pub(crate) use super::batch::{Aligned, column, decide};
    pub(crate) use super::comparison::closest;
    pub(crate) use super::elementary::{point_triangle, triangle_feature};
    pub(crate) use super::predicates::{snap, touch_beyond_shared};
    pub(crate) use super::prepared::{Closest, Place};
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod elementary_tests;
#[cfg(test)]
#[allow(clippy::expect_used)]
pub(crate) mod tests;
