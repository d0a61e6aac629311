//! Distances of points, segments and triangles, one pair at a time: point-segment, segment-segment, point-triangle.
//!
//! Each is one body over lanes; the public functions run it with one lane. Coordinates are scaled to about 1 by a power
//! of two first, so sizes do not matter. Errors are a few units of roundoff of the largest coordinate, for near-parallel
//! segments and flat triangles too (`exact.rs` says why these formulas).
//!
//! Degenerate input is what it is: a segment of length 0 is a point, a triangle of area 0 its longest edge.

use super::batch::Feature;
use super::careful;
use super::exact::{Accuracy, Vertices, number};
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max};
use crate::simd::{Lane, Mask, Portable, Vec3};

/// Closest point of a segment to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSegment<T> {
    /// Distance.
    pub distance: T,
    /// The point on the segment.
    pub point: [T; 3],
    /// Where that is: 0 at the start, 1 at the end.
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
    /// Where the point on A is: 0 at its start, 1 at its end.
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
    /// What part of the triangle it lies on.
    pub feature: Feature,
}

/// Closest point of a segment, per lane.
#[derive(Clone, Copy)]
pub(crate) struct NearestOnSegment<L> {
    pub distance2: L,
    pub parameter: L,
    /// From the segment's start.
    pub offset: Vec3<L>,
}

/// Closest point of the segment from `start` along `edge`, in each lane.
#[inline(always)]
pub(crate) fn point_segment<L: Lane>(simd: L::Simd, p: Vec3<L>, start: Vec3<L>, edge: Vec3<L>) -> NearestOnSegment<L> {
    let r = p - start;
    let parameter = clamp01(simd, divided(simd, r.dot(edge), edge.dot(edge)));
    let offset = edge.scale(parameter);
    let d = r - offset;
    NearestOnSegment { distance2: d.dot(d), parameter, offset }
}

/// Closest points of two segments, per lane.
#[derive(Clone, Copy)]
pub(crate) struct NearestOnSegments<L> {
    pub distance2: L,
    pub parameter_a: L,
    pub parameter_b: L,
    /// From the starts.
    pub offset_a: Vec3<L>,
    pub offset_b: Vec3<L>,
}

/// Closest points of the segments from `a` along `e` and from `b` along `f`, in each lane. Of the many closest points of
/// parallel segments, the middle of where they overlap.
#[inline(always)]
pub(crate) fn segment_segment<L: Lane>(
    simd: L::Simd,
    (a, e): (Vec3<L>, Vec3<L>),
    (b, f): (Vec3<L>, Vec3<L>),
) -> NearestOnSegments<L> {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let r = a - b;
    let (ee, ff) = (e.dot(e), f.dot(f));
    let n = e.cross(f);
    let n2 = n.dot(n);
    let crossing = divided(simd, -(r.cross(f).dot(n)), n2);
    // The ends of B along A, cut to A.
    let (first, second) = (divided(simd, -r.dot(e), ee), divided(simd, (f - r).dot(e), ee));
    let low = first.min(second).max(zero);
    let high = first.max(second).min(one);
    let middle = (low + high) * number(simd, 0.5);
    // Below twice the roundoff an angle is noise, and moving along the segments changes the distance by no more than that.
    let noise = number::<L>(simd, 4.0) * roundoff2::<L>(simd);
    let parallel = n2.le(noise * ee * ff);
    let s = clamp01(simd, L::select(parallel, middle, crossing));
    let t = clamp01(simd, divided(simd, (r + e.scale(s)).dot(f), ff));
    // Where t was cut off, the best s for it; elsewhere this only repeats s.
    let w = f.scale(t) - r;
    let s = clamp01(simd, divided(simd, w.dot(e), ee));
    let (offset_a, offset_b) = (e.scale(s), f.scale(t));
    let d = r + (offset_a - offset_b);
    NearestOnSegments { distance2: d.dot(d), parameter_a: s, parameter_b: t, offset_a, offset_b }
}

/// Closest point of a triangle, per lane: on edge `part` (0, 1, 2) at `s`, or (`part` 3) at `s`, `t` along the edges from
/// vertex `turn` to the next and to the previous one.
#[derive(Clone, Copy)]
pub(crate) struct NearestOnTriangle<L: Lane> {
    pub distance2: L,
    pub point: Vec3<L>,
    pub part: L,
    pub s: L,
    pub t: L,
    pub turn: L,
    /// Lanes in which the flatness of the triangle may have cost too many digits.
    pub hard: L::Mask,
}

/// Closest point of the triangle `v` to `p`, in each lane.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // several arrays by one index
pub(crate) fn point_triangle<L: Lane>(simd: L::Simd, p: Vec3<L>, v: Vertices<L>) -> NearestOnTriangle<L>
where
    L::Scalar: Accuracy,
{
    let (zero, one, two) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0), number::<L>(simd, 2.0));
    let edge = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let length2 = [edge[0].dot(edge[0]), edge[1].dot(edge[1]), edge[2].dot(edge[2])];
    let parts = [zero, one, two];
    let mut part = zero;
    let mut on = point_segment(simd, p, v[0], edge[0]);
    let mut point = v[0] + on.offset;
    for k in 1..3 {
        let other = point_segment(simd, p, v[k], edge[k]);
        let nearer = other.distance2.lt(on.distance2);
        on.distance2 = L::select(nearer, other.distance2, on.distance2);
        on.parameter = L::select(nearer, other.parameter, on.parameter);
        point = Vec3::select(nearer, v[k] + other.offset, point);
        part = L::select(nearer, parts[k], part);
    }
    // Normal and coordinates at the vertex with the widest angle, opposite to the longest edge: needles lose nothing.
    let second = length2[1].lt(length2[2]);
    let longest = length2[1].max(length2[2]);
    let third = longest.lt(length2[0]);
    let longest = longest.max(length2[0]);
    let base = choose::<L>(second, third, v);
    let next = choose::<L>(second, third, edge);
    let previous = -choose::<L>(second, third, [edge[2], edge[0], edge[1]]);
    let turn = L::select(third, two, L::select(second, one, zero));
    let normal = next.cross(previous);
    let n2 = normal.dot(normal);
    let sin2 = divided(simd, n2, next.dot(next) * previous.dot(previous));
    let flat = number::<L>(simd, <L::Scalar as Accuracy>::FLAT);
    let proper = flat.lt(sin2);
    let r = p - base;
    let x = r.dot(previous.cross(normal));
    let y = r.dot(normal.cross(next));
    let h = r.dot(normal);
    let n2 = L::select(proper, n2, one);
    let distance2 = h * h / n2;
    let inside = zero.le(x) & zero.le(y) & (x + y).le(n2) & proper & distance2.lt(on.distance2);
    let (s, t) = (x / n2, y / n2);
    let distance2 = L::select(inside, distance2, on.distance2);
    let limit = number::<L>(simd, <L::Scalar as Accuracy>::HARD);
    let hard = proper & (distance2 * sin2 * sin2).lt(limit * limit * longest);
    NearestOnTriangle {
        distance2,
        point: Vec3::select(inside, base + (next.scale(s) + previous.scale(t)), point),
        part: L::select(inside, number(simd, 3.0), part),
        s: L::select(inside, s, on.parameter),
        t: L::select(inside, t, zero),
        turn,
        hard,
    }
}

#[inline(always)]
fn choose<L: Lane>(second: L::Mask, third: L::Mask, x: [Vec3<L>; 3]) -> Vec3<L> {
    Vec3::select(third, x[2], Vec3::select(second, x[1], x[0]))
}

#[inline(always)]
fn clamp01<L: Lane>(simd: L::Simd, x: L) -> L {
    x.max(number(simd, 0.0)).min(number(simd, 1.0))
}

/// `x / y` where `y > 0`, else 0.
#[inline(always)]
fn divided<L: Lane>(simd: L::Simd, x: L, y: L) -> L {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let some = zero.lt(y);
    L::select(some, x / L::select(some, y, one), zero)
}

#[inline(always)]
fn roundoff2<L: Lane>(simd: L::Simd) -> L {
    let u = L::splat(simd, L::Scalar::UNIT_ROUNDOFF);
    u * u
}

/// One lane on every machine.
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

/// The points times a power of two that takes the largest coordinate to about 1, and that power's inverse.
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

/// The feature that the closest point lies on, and its barycentric coordinates, from what [`point_triangle`] gives.
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

/// Distance of two segments (P4 section 4.1 and Algorithm 5). Of the many closest points of parallel segments, the
/// middle of where they overlap.
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
        if let Some(found) = careful::vertex_face(wide(p), &corners) {
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
