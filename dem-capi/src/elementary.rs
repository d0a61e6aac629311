//! Distances of points and segments.
//!
//! The distances from which the distance of triangles is computed, for programs that need only these. Arrays and pairs are those of
//! `dem_triangle_distance`, with the same struct of results. The closest point of side A is `point_a`, and so on. There are as many weights
//! as an item has corners: one for a point, which is 1, two for a segment, three for a triangle. A point's feature is
//! `DEM_FEATURE_VERTEX_0`; a segment's are `DEM_FEATURE_VERTEX_0`, its start, `DEM_FEATURE_VERTEX_1`, its end, and `DEM_FEATURE_EDGE_0`.

mod structs;

use dem_core::array::Scalar;
use dem_core::error::{Result, What};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{
    Accuracy, Feature, distance_point_segment, distance_point_triangle, distance_segment_segment,
};

use crate::arrays::{dem_array, dem_indices};
use crate::edge;
use crate::errors::dem_error;
use crate::inputs;
use crate::pairing::{Pairing, Results};
use crate::strided::Items;
use crate::triangles::{dem_closest_points, dem_triangle_options, dem_triangles, is_single};
pub use structs::*;

/// Computes distances and closest points of points, side A, and triangles, side B.
///
/// Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A degenerate triangle is its longest edge, or a
/// point.
///
/// Outputs: `results`: in each array that is not null, as many items as there are pairs; numbers as `float` or `double`, whatever the
/// precision of the computation. The arrays may lie between the inputs (in the same structs) but must not overlap them.
/// Inputs: `points`: three numbers an item. `triangles`, in the same frame. `pairs` (may be null): two indices an item: point, triangle.
/// `options` (may be null: the defaults): `precision`; the instruction set has no effect.
/// Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the triangle.
/// Cost: about 100 ns a pair.
/// Determinism: the same bits on every machine, and for a pair alone or among others. The error is a few units of roundoff of the pair's
/// largest coordinate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_point_triangle_distance(
    results: *const dem_closest_points,
    points: *const dem_array,
    triangles: *const dem_triangles,
    pairs: *const dem_indices,
    options: *const dem_triangle_options,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let (a, b) = unsafe { (Items::points(points, What::Points)?, Items::triangles(triangles, What::Triangles)?) };
        let sides = [What::Points, What::Triangles];
        // SAFETY: as above.
        unsafe { Call::new(a, b, sides, pairs, results, options) }?.run(point_triangle::<f32>, point_triangle::<f64>)
    })
}

/// Computes distances and closest points of points, side A, and segments, side B.
///
/// Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point.
///
/// Outputs: `results`, as for `dem_point_triangle_distance`.
/// Inputs: `points`: three numbers an item. `segments`, in the same frame. `pairs` (may be null): two indices an item: point, segment.
/// `options` (may be null: the defaults): `precision`; the instruction set has no effect.
/// Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the point or the segment.
/// Cost: about 40 ns a pair.
/// Determinism: as for `dem_point_triangle_distance`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_point_segment_distance(
    results: *const dem_closest_points,
    points: *const dem_array,
    segments: *const dem_segments,
    pairs: *const dem_indices,
    options: *const dem_triangle_options,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let (a, b) = unsafe { (Items::points(points, What::Points)?, Items::segments(segments, What::SegmentsB)?) };
        let sides = [What::Points, What::SegmentsB];
        // SAFETY: as above.
        unsafe { Call::new(a, b, sides, pairs, results, options) }?.run(point_segment::<f32>, point_segment::<f64>)
    })
}

/// Computes distances and closest points of two segments.
///
/// Pairs are formed as by `dem_triangle_distance`: one to one, one with all, or by `pairs`. A segment of length 0 is a point. If parallel
/// segments overlap, the closest points are the middle of the overlap.
///
/// Outputs: `results`, as for `dem_point_triangle_distance`.
/// Inputs: `a`, `b`: segments, in the same frame. `pairs` (may be null): two indices an item. `options` (may be null: the defaults):
/// `precision`; the instruction set has no effect.
/// Errors: those of `dem_triangle_distance`; `DEM_ERROR_NOT_FINITE` names the segment.
/// Cost: about 70 ns a pair.
/// Determinism: as for `dem_point_triangle_distance`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_segment_distance(
    results: *const dem_closest_points,
    a: *const dem_segments,
    b: *const dem_segments,
    pairs: *const dem_indices,
    options: *const dem_triangle_options,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        let (a, b) = unsafe { (Items::segments(a, What::SegmentsA)?, Items::segments(b, What::SegmentsB)?) };
        let sides = [What::SegmentsA, What::SegmentsB];
        // SAFETY: as above.
        unsafe { Call::new(a, b, sides, pairs, results, options) }?.run(segment_segment::<f32>, segment_segment::<f64>)
    })
}

/// One call: the items of both sides, their pairs, and the memory for results.
struct Call<const A: usize, const B: usize> {
    a: Items<A>,
    b: Items<B>,
    sides: [What; 2],
    pairing: Pairing,
    to: Results,
    single: bool,
}

/// The result of a kernel for one pair.
struct Found<const A: usize, const B: usize> {
    distance: f64,
    points: [[f64; 3]; 2],
    weights: ([f64; A], [f64; B]),
    features: [Feature; 2],
}

impl<const A: usize, const B: usize> Call<A, B> {
    /// # Safety
    /// Memory behind pointers that are not null can be read and written while the result is used.
    unsafe fn new(
        a: Items<A>,
        b: Items<B>,
        sides: [What; 2],
        pairs: *const dem_indices,
        results: *const dem_closest_points,
        options: *const dem_triangle_options,
    ) -> Result<Self> {
        // SAFETY: by this function's contract.
        let options = unsafe { inputs::read(options, What::Options) }?;
        inputs::zero(options.reserved, What::Options)?;
        // The instruction set does not matter here, but an unknown one is still an error.
        Isa::numbered(options.isa)?;
        let stored: [Scalar; 2] = [a.scalar, b.scalar];
        let single = is_single(options.precision, stored)?;
        // SAFETY: by this function's contract.
        unsafe {
            let pairing = Pairing::new([a.len(), b.len()], pairs, sides[1])?;
            let to = Results::new(results, pairing.len(), [A, B])?;
            Ok(Call { a, b, sides, pairing, to, single })
        }
    }

    fn run(
        &self,
        single: impl Fn([[f32; 3]; A], [[f32; 3]; B]) -> Result<Found<A, B>>,
        double: impl Fn([[f64; 3]; A], [[f64; 3]; B]) -> Result<Found<A, B>>,
    ) -> Result<()> {
        if self.single { self.each(single) } else { self.each(double) }
    }

    fn each<T: Real>(&self, kernel: impl Fn([[T; 3]; A], [[T; 3]; B]) -> Result<Found<A, B>>) -> Result<()> {
        // All checks come before the first write.
        self.pairing.check_finite::<T, A, B>((&self.a, self.sides[0]), (&self.b, self.sides[1]))?;
        for pair in 0..self.pairing.len() {
            let [i, j] = [0, 1].map(|side| self.pairing.index(pair, side));
            let found = kernel(self.a.get(i), self.b.get(j))?;
            self.to.put_distance(pair, found.distance);
            self.to.put_point(pair, 0, || found.points[0]);
            self.to.put_point(pair, 1, || found.points[1]);
            self.to.put_weights(pair, 0, &found.weights.0);
            self.to.put_weights(pair, 1, &found.weights.1);
            self.to.put_features(pair, found.features);
        }
        Ok(())
    }
}

fn wide<T: Real, const N: usize>(x: [T; N]) -> [f64; N] {
    x.map(Real::to_f64)
}

/// The weights of both ends of a segment, at a parameter from 0 to 1.
fn ends<T: Real>(parameter: T) -> [f64; 2] {
    wide([T::from_f64(1.0) - parameter, parameter])
}

fn point_triangle<T: Accuracy>([point]: [[T; 3]; 1], triangle: [[T; 3]; 3]) -> Result<Found<1, 3>> {
    let found = distance_point_triangle(point, triangle)?;
    Ok(Found {
        distance: found.distance.to_f64(),
        points: [wide(point), wide(found.point)],
        weights: ([1.0], wide(found.weights)),
        features: [Feature::Vertex0, found.feature],
    })
}

fn point_segment<T: Accuracy>([point]: [[T; 3]; 1], segment: [[T; 3]; 2]) -> Result<Found<1, 2>> {
    let found = distance_point_segment(point, segment)?;
    Ok(Found {
        distance: found.distance.to_f64(),
        points: [wide(point), wide(found.point)],
        weights: ([1.0], ends(found.parameter)),
        features: [Feature::Vertex0, found.feature],
    })
}

fn segment_segment<T: Accuracy>(a: [[T; 3]; 2], b: [[T; 3]; 2]) -> Result<Found<2, 2>> {
    let found = distance_segment_segment(a, b)?;
    Ok(Found {
        distance: found.distance.to_f64(),
        points: [wide(found.point_a), wide(found.point_b)],
        weights: (ends(found.parameter_a), ends(found.parameter_b)),
        features: [found.feature_a, found.feature_b],
    })
}

#[cfg(test)]
mod tests;
