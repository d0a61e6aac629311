//! Whether two triangles touch or cross, decided exactly (adaptive predicates of the crate `robust`).
//!
//! Any finite triangles, degenerate ones included. Coordinates should be scaled to about 1 and free of tiny parts
//! (`snap`), so that no product in an exact expansion vanishes.
//!
//! Things that lie in one plane are tested in all three projections along the axes: if they meet, every projection
//! meets, and at least one projection is one-to-one on their plane, so if all projections meet, they do.

use robust::{Coord, Coord3D, orient2d, orient3d};

type Point = [f64; 3];
type Triangle = [Point; 3];

/// Whether the triangles have a point in common.
pub(crate) fn touch(a: &Triangle, b: &Triangle) -> bool {
    [0, 1, 2].into_iter().any(|k| segment_triangle(a[k], a[(k + 1) % 3], b))
        || [0, 1, 2].into_iter().any(|k| segment_triangle(b[k], b[(k + 1) % 3], a))
}

fn segment_triangle(p: Point, q: Point, t: &Triangle) -> bool {
    if AXES.iter().all(|axis| orient(*axis, t[0], t[1], t[2]) == 0) {
        // A triangle without area is the union of its edges.
        return [0, 1, 2].into_iter().any(|k| segment_segment(p, q, t[k], t[(k + 1) % 3]));
    }
    let (side_p, side_q) = (volume(t[0], t[1], t[2], p), volume(t[0], t[1], t[2], q));
    if side_p == 0 && side_q == 0 {
        return AXES.iter().all(|axis| segment_triangle_flat(*axis, p, q, t));
    }
    if side_p * side_q > 0 {
        return false;
    }
    // The segment meets the plane in one point, which is in the triangle if the line passes all edges on one side.
    let around = [0, 1, 2].map(|k| volume(p, q, t[k], t[(k + 1) % 3]));
    around.iter().all(|s| *s >= 0) || around.iter().all(|s| *s <= 0)
}

fn segment_segment(p: Point, q: Point, r: Point, s: Point) -> bool {
    volume(p, q, r, s) == 0 && AXES.iter().all(|axis| segment_segment_flat(*axis, p, q, r, s))
}

/// The two coordinates that a projection keeps.
const AXES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

fn sign(x: f64) -> i32 {
    (x > 0.0) as i32 - (x < 0.0) as i32
}

fn volume(a: Point, b: Point, c: Point, d: Point) -> i32 {
    let [a, b, c, d] = [a, b, c, d].map(|[x, y, z]| Coord3D { x, y, z });
    sign(orient3d(a, b, c, d))
}

fn orient(axis: (usize, usize), a: Point, b: Point, c: Point) -> i32 {
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p[axis.0], y: p[axis.1] });
    sign(orient2d(a, b, c))
}

fn segment_triangle_flat(axis: (usize, usize), p: Point, q: Point, t: &Triangle) -> bool {
    let turn = orient(axis, t[0], t[1], t[2]);
    let around = [0, 1, 2].map(|k| turn * orient(axis, t[k], t[(k + 1) % 3], p));
    (turn != 0 && around.iter().all(|s| *s >= 0))
        || [0, 1, 2].into_iter().any(|k| segment_segment_flat(axis, p, q, t[k], t[(k + 1) % 3]))
}

fn segment_segment_flat(axis: (usize, usize), p: Point, q: Point, r: Point, s: Point) -> bool {
    let (p_side, q_side) = (orient(axis, r, s, p), orient(axis, r, s, q));
    let (r_side, s_side) = (orient(axis, p, q, r), orient(axis, p, q, s));
    if p_side * q_side > 0 || r_side * s_side > 0 {
        return false;
    }
    if [p_side, q_side, r_side, s_side] != [0; 4] {
        return true;
    }
    // All on one line: they meet where both coordinate ranges do.
    let overlap = |k: usize| range(p[k], q[k]).0 <= range(r[k], s[k]).1 && range(r[k], s[k]).0 <= range(p[k], q[k]).1;
    overlap(axis.0) && overlap(axis.1)
}

fn range(a: f64, b: f64) -> (f64, f64) {
    if a < b { (a, b) } else { (b, a) }
}

/// `x` rounded to a multiple of 2^-152, and +0 for -0. Products of three such numbers of size 1 are multiples of 2^-456,
/// so exact expansions never meet an underflow. Larger numbers than 2^-100 are such multiples already.
#[inline(always)]
pub(crate) fn snap(x: f64) -> f64 {
    const ROUNDER: f64 = 1.5 / (1u128 << 100) as f64;
    if libm::fabs(x) < 1.0 / (1u128 << 100) as f64 { (x + ROUNDER) - ROUNDER } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn both(a: &Triangle, b: &Triangle, want: bool) {
        for i in 0..3 {
            for j in 0..3 {
                let (a, b) = ([a[i], a[(i + 1) % 3], a[(i + 2) % 3]], [b[j], b[(j + 2) % 3], b[(j + 1) % 3]]);
                assert_eq!(touch(&a, &b), want, "{a:?} {b:?}");
                assert_eq!(touch(&b, &a), want, "{b:?} {a:?}");
            }
        }
    }

    #[test]
    fn crossing_touching_and_missing_triangles_are_told_apart() {
        both(&T, &[[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [0.3, 0.9, 1.0]], true);
        both(&T, &[[0.2, 0.2, 1e-300], [0.2, 0.2, 1.0], [0.3, 0.9, 1.0]], false);
        both(&T, &[[0.25, 0.25, 0.0], [0.2, 0.2, 1.0], [0.3, 0.9, 1.0]], true);
        both(&T, &[[0.5, 0.5, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], true);
        let outside = 0.5f64.next_up();
        both(&T, &[[outside, 0.5, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], false);
    }

    #[test]
    fn triangles_in_one_plane() {
        both(&T, &[[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]], true);
        both(&T, &[[-1.0, -1.0, 0.0], [5.0, -1.0, 0.0], [-1.0, 5.0, 0.0]], true);
        both(&T, &[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]], true);
        both(&T, &[[1.0f64.next_up(), 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]], false);
        both(&T, &[[0.6, 0.6, 0.0], [2.0, 0.6, 0.0], [0.6, 2.0, 0.0]], false);
    }

    #[test]
    fn degenerate_triangles_are_segments_and_points() {
        let point = |p: Point| [p, p, p];
        let segment = |p: Point, q: Point| [p, q, q];
        both(&T, &point([0.25, 0.25, 0.0]), true);
        both(&T, &point([0.25, 0.25, 1e-30]), false);
        both(&point([1.0, 2.0, 3.0]), &point([1.0, 2.0, 3.0]), true);
        both(&point([1.0, 2.0, 3.0]), &point([1.0, 2.0, 3.0f64.next_up()]), false);
        both(&T, &segment([0.25, 0.25, -1.0], [0.25, 0.25, 1.0]), true);
        both(&segment([0.0; 3], [1.0; 3]), &segment([1.0, 0.0, 0.0], [0.0, 1.0, 1.0]), true);
        both(&segment([0.0; 3], [1.0; 3]), &segment([1.0, 0.0, 0.0], [0.0, 1.0, 1.25]), false);
        both(&segment([0.0; 3], [1.0; 3]), &segment([2.0; 3], [3.0; 3]), false);
        both(&segment([0.0; 3], [1.0; 3]), &segment([0.5; 3], [3.0; 3]), true);
        both(&segment([0.0; 3], [1.0; 3]), &point([0.5; 3]), true);
        // Skew lines whose projections all cross.
        both(&[[0.0; 3], [1.0; 3], [2.0; 3]], &segment([0.5, 0.5, 0.75], [0.75, 0.25, 0.5]), false);
    }
}
