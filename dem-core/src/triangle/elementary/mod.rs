//! Distances of points, segments and triangles, one pair at a time: point-segment, segment-segment, point-triangle.
//!
//! Each has one body over lanes; the public functions run it with one lane. Coordinates are first scaled to about 1 by a power of two, so sizes
//! have no effect. Errors are a few units of roundoff of the largest coordinate, even for nearly parallel segments and flat triangles
//! (`comparison.rs` gives the reasons for these formulas).
//!
//! A degenerate input counts as a smaller one: a segment of length 0 as a point, a triangle of area 0 as its longest edge.

mod lanes;

pub(crate) use lanes::point_triangle;

use super::accuracy::Accuracy;
use super::double_double;
use super::feature::Feature;
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max};
use crate::simd::{Lane, Mask, Portable, Vec3};
use lanes::{point_segment, segment_segment};

/// Closest point of a segment to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSegment<T> {
    /// Distance.
    pub distance: T,
    /// The point on the segment.
    pub point: [T; 3],
    /// The parameter of that point: 0 at the start, 1 at the end.
    pub parameter: T,
    /// [`Feature::Vertex0`] the start, [`Feature::Vertex1`] the end, [`Feature::Edge0`] in between.
    pub feature: Feature,
}

/// Closest points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentSegment<T> {
    /// Distance.
    pub distance: T,
    /// The point on A.
    pub point_a: [T; 3],
    /// The point on B.
    pub point_b: [T; 3],
    /// The parameter of the point on A: 0 at its start, 1 at its end.
    pub parameter_a: T,
    /// The same on B.
    pub parameter_b: T,
    /// [`Feature::Vertex0`] the start of A, [`Feature::Vertex1`] its end, [`Feature::Edge0`] in between.
    pub feature_a: Feature,
    /// The same on B.
    pub feature_b: Feature,
}

/// Closest point of a triangle to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle<T> {
    /// Distance.
    pub distance: T,
    /// The point on the triangle.
    pub point: [T; 3],
    /// Its barycentric coordinates: weights of the vertices.
    pub weights: [T; 3],
    /// The feature of the triangle that contains the point.
    pub feature: Feature,
}

/// One lane, on every machine.
type Single = Portable<1, 1>;
const SINGLE: Single = Portable::<1, 1>;

fn splat<T: Accuracy>(v: [T; 3]) -> Vec3<T::Lane<Single>> {
    Vec3::splat(SINGLE, v)
}

fn get<L: Lane>(x: L) -> L::Scalar {
    let mut out = [L::Scalar::default()];
    x.store(&mut out, 0);
    out[0]
}

/// The points times a power of two that scales the largest coordinate to about 1, and the inverse of that power.
fn scaled<T: Real, const N: usize>(points: [[T; 3]; N], what: [What; N]) -> Result<([[T; 3]; N], T)> {
    let mut largest = T::default();
    for (i, point) in points.iter().enumerate() {
        for (k, x) in point.iter().enumerate() {
            if !x.is_finite() {
                let first = what.iter().position(|w| *w == what[i]).unwrap_or(0);
                return Err(Error::new(Kind::NotFinite, what[i]).at((i - first) as u64, k as u32));
            }
            largest = max(largest, x.abs());
        }
    }
    let scale = largest.inverse_exponent();
    Ok((points.map(|p| p.map(|x| x * scale)), T::from_f64(1.0) / scale))
}

fn segment_feature<T: Real>(parameter: T) -> Feature {
    match (parameter == T::default(), parameter == T::from_f64(1.0)) {
        (true, _) => Feature::Vertex0,
        (_, true) => Feature::Vertex1,
        _ => Feature::Edge0,
    }
}

/// The feature on which the closest point lies, and its barycentric coordinates, from a result of [`point_triangle`].
pub(crate) fn triangle_feature<T: Real>(part: usize, turn: usize, s: T, t: T) -> (Feature, [T; 3]) {
    let one = T::from_f64(1.0);
    let mut weights = [T::default(); 3];
    if part >= 3 {
        weights[turn % 3] = (one - s) - t;
        weights[(turn + 1) % 3] = s;
        weights[(turn + 2) % 3] = t;
        return (Feature::Face, weights);
    }
    (weights[part], weights[(part + 1) % 3]) = (one - s, s);
    let vertices = [Feature::Vertex0, Feature::Vertex1, Feature::Vertex2];
    let feature = match segment_feature(s) {
        Feature::Vertex0 => vertices[part],
        Feature::Vertex1 => vertices[(part + 1) % 3],
        _ => [Feature::Edge0, Feature::Edge1, Feature::Edge2][part],
    };
    (feature, weights)
}

/// Distance of a point and a segment (P4 section 4.1).
///
/// Errors: [`Kind::NotFinite`] names the vertex and the component.
pub fn distance_point_segment<T: Accuracy>(point: [T; 3], segment: [[T; 3]; 2]) -> Result<PointSegment<T>> {
    let what = [What::Points, What::SegmentsA, What::SegmentsA];
    let ([p, start, end], unscale) = scaled([point, segment[0], segment[1]], what)?;
    let (p, start, end) = (splat(p), splat(start), splat(end));
    let near = point_segment(SINGLE, p, start, end - start);
    let parameter = get(near.parameter);
    let feature = segment_feature(parameter);
    let on = match feature {
        Feature::Vertex1 => segment[1],
        _ => (start + near.offset).0.map(|x| get(x) * unscale),
    };
    Ok(PointSegment { distance: get(near.distance2.sqrt()) * unscale, point: on, parameter, feature })
}

/// Distance of two segments (P4 section 4.1 and Algorithm 5). If parallel segments overlap, the closest points are the middle of the
/// overlap.
///
/// Errors: [`Kind::NotFinite`] names the segment, the vertex and the component.
pub fn distance_segment_segment<T: Accuracy>(a: [[T; 3]; 2], b: [[T; 3]; 2]) -> Result<SegmentSegment<T>> {
    let what = [What::SegmentsA, What::SegmentsA, What::SegmentsB, What::SegmentsB];
    let ([a0, a1, b0, b1], unscale) = scaled([a[0], a[1], b[0], b[1]], what)?;
    let (a0, b0) = (splat(a0), splat(b0));
    let near = segment_segment(SINGLE, (a0, splat(a1) - a0), (b0, splat(b1) - b0));
    let (parameter_a, parameter_b) = (get(near.parameter_a), get(near.parameter_b));
    let (feature_a, feature_b) = (segment_feature(parameter_a), segment_feature(parameter_b));
    let at = |feature, segment: [[T; 3]; 2], point: Vec3<T::Lane<Single>>| match feature {
        Feature::Vertex1 => segment[1],
        _ => point.0.map(|x| get(x) * unscale),
    };
    Ok(SegmentSegment {
        distance: get(near.distance2.sqrt()) * unscale,
        point_a: at(feature_a, a, a0 + near.offset_a),
        point_b: at(feature_b, b, b0 + near.offset_b),
        parameter_a,
        parameter_b,
        feature_a,
        feature_b,
    })
}

/// Distance of a point and a triangle (P4 section 4.1, its seven regions).
///
/// Errors: [`Kind::NotFinite`] names the vertex and the component.
pub fn distance_point_triangle<T: Accuracy>(point: [T; 3], triangle: [[T; 3]; 3]) -> Result<PointTriangle<T>> {
    let what = [What::Points, What::Triangles, What::Triangles, What::Triangles];
    let ([p, v0, v1, v2], unscale) = scaled([point, triangle[0], triangle[1], triangle[2]], what)?;
    let near = point_triangle(SINGLE, splat(p), [splat(v0), splat(v1), splat(v2)]);
    if near.hard.any() {
        let wide = |v: [T; 3]| v.map(T::to_f64);
        let corners = [wide(v0), wide(v1), wide(v2)];
        if let Some(found) = double_double::vertex_face(wide(p), &corners) {
            let narrow = T::from_f64;
            return Ok(PointTriangle {
                distance: narrow(Real::sqrt(found.distance2)) * unscale,
                point: found.point.map(|x| narrow(x) * unscale),
                weights: [narrow((1.0 - found.s) - found.t), narrow(found.s), narrow(found.t)],
                feature: Feature::Face,
            });
        }
    }
    let (part, s, t) = (get(near.part).to_f64() as usize, get(near.s), get(near.t));
    let (feature, weights) = triangle_feature(part, get(near.turn).to_f64() as usize, s, t);
    let on = match feature {
        Feature::Vertex0 => triangle[0],
        Feature::Vertex1 => triangle[1],
        Feature::Vertex2 => triangle[2],
        _ => near.point.0.map(|x| get(x) * unscale),
    };
    Ok(PointTriangle { distance: get(near.distance2.sqrt()) * unscale, point: on, weights, feature })
}
