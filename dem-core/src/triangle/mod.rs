//! Distance kernels of triangle pairs, segments and points.

mod batch;
mod careful;
mod crossing;
mod elementary;
mod exact;
mod feature;
mod sources;
mod touch;

pub use batch::{BLOCK, Block, ClosestPoints, Coordinates, Sink, Source, closest_points};
pub use elementary::{
    PointSegment, PointTriangle, SegmentSegment, distance_point_segment, distance_point_triangle,
    distance_segment_segment,
};
pub use exact::Accuracy;
pub use feature::Feature;
pub use sources::{Collect, Indexed, OneToMany, Points, Soup, Zip, closest_points_one};

/// What other rooms need of the kernel.
pub(crate) mod kernel {
    pub(crate) use super::batch::{Aligned, column, decide};
    pub(crate) use super::elementary::{point_triangle, triangle_feature};
    pub(crate) use super::exact::{Closest, Place, Vertices, closest, number};
    pub(crate) use super::touch::{snap, touch_beyond_shared};
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod elementary_tests;
#[cfg(test)]
#[allow(clippy::expect_used)]
pub(crate) mod tests;
