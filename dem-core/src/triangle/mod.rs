//! Distance kernels of triangle pairs, segments and points.

mod batch;
mod careful;
mod elementary;
mod exact;
mod sources;
mod touch;

pub use batch::{BLOCK, Block, ClosestPoints, Coordinates, Feature, Sink, Source, closest_points};
pub use elementary::{
    PointSegment, PointTriangle, SegmentSegment, distance_point_segment, distance_point_triangle,
    distance_segment_segment,
};
pub use exact::Accuracy;

/// What the narrow phase needs of the kernel.
pub(crate) mod kernel {
    pub(crate) use super::batch::{column, decide};
    pub(crate) use super::exact::{Closest, Place, Vertices, closest, number};
}
pub use sources::{Collect, Indexed, OneToMany, Points, Soup, Zip, closest_points_one};

#[cfg(test)]
#[allow(clippy::expect_used)]
mod elementary_tests;
#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests;
