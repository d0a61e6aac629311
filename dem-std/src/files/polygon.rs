//! Polygons with more than three corners, cut into fans.

/// Triangles `(0, k, k + 1)` of a polygon's corners: n corners give n - 2 triangles.
pub(super) fn fan(corners: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    let first = corners.first().copied().unwrap_or(0);
    corners.windows(2).skip(1).filter_map(move |w| Some([first, *w.first()?, *w.last()?]))
}

/// Whether the fan about the first corner covers the polygon: no triangle of the fan may face backwards.
///
/// Sides are compared with the fan's largest triangle, so corners may lie on a line and need not lie in a plane. Rounding of
/// almost straight corners is allowed for by 1e-9 of its area.
pub(super) fn fan_is_faithful(corners: &[[f64; 3]]) -> bool {
    let Some(&o) = corners.first() else { return true };
    let size = corners.iter().flat_map(|p| (0..3).map(|c| (p[c] - o[c]).abs())).fold(0.0, dem_core::real::max);
    if size == 0.0 {
        return true;
    }
    let sub = |p: [f64; 3]| [0, 1, 2].map(|c| (p[c] - o[c]) / size);
    let normals: Vec<[f64; 3]> = corners.windows(2).map(|w| cross(sub(w[0]), sub(w[1]))).collect();
    let square = |n: &[f64; 3]| dot(*n, *n);
    let largest = normals.iter().fold([0.0; 3], |best, n| if square(n) > square(&best) { *n } else { best });
    let floor = -1e-9 * square(&largest);
    normals.iter().all(|&n| dot(n, largest) >= floor)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Message of both readers about a polygon that its fan does not cover.
pub(super) const NOT_CONVEX: &str =
    "is a polygon that cannot be cut into a fan about its first corner (not convex); triangulate it when exporting";
