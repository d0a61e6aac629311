//! Whether two triangles touch or cross, decided exactly (adaptive predicates of the crate `robust`).
//!
//! Any finite triangles, degenerate ones included. Coordinates should be scaled to about 1 and free of tiny parts
//! (`snap`), so that no product in an exact expansion vanishes.
//!
//! Objects in one plane are tested in all three projections along the axes. If they meet, they meet in every projection. At least one projection is
//! one-to-one on their plane, so if they meet in all projections, they meet.

use robust::{Coord, Coord3D, orient2d, orient3d};

type Point = [f64; 3];
type Triangle = [Point; 3];

/// Whether the triangles have a point in common.
pub(crate) fn touch(a: &Triangle, b: &Triangle) -> bool {
    [0, 1, 2].into_iter().any(|k| segment_triangle(a[k], a[(k + 1) % 3], b))
        || [0, 1, 2].into_iter().any(|k| segment_triangle(b[k], b[(k + 1) % 3], a))
}

/// Whether the triangles have a common point outside their common corner, edge or triangle: outside the convex hull of the positions that are
/// corners of both.
pub(crate) fn touch_beyond_shared(a: &Triangle, b: &Triangle) -> bool {
    let in_b = a.map(|p| b.contains(&p));
    let Some(first) = in_b.iter().position(|shared| *shared) else { return touch(a, b) };
    let s = a[first];
    let second = (0..3).find(|k| in_b[*k] && a[*k] != s);
    match second {
        None => fans_meet(s, others(a, s), others(b, s)),
        Some(second) => wings_overlap(s, a[second], third(a, s, a[second]), third(b, s, a[second])),
    }
}

/// The two corners after the first one at `s`.
fn others(t: &Triangle, s: Point) -> [Point; 2] {
    let k = t.iter().position(|p| *p == s).unwrap_or(0);
    [t[(k + 1) % 3], t[(k + 2) % 3]]
}

/// The corner that is neither `s` nor `t`; `s` if there is none.
fn third(triangle: &Triangle, s: Point, t: Point) -> Point {
    triangle.iter().copied().find(|p| *p != s && *p != t).unwrap_or(s)
}

/// Whether two triangles with a common corner `s` also meet elsewhere. Both are convex, so from a common point, the ray from `s` leads inside both
/// to the far edge of one of them.
fn fans_meet(s: Point, a: [Point; 2], b: [Point; 2]) -> bool {
    // If `s` lies on its far edge, a triangle is two segments from `s`, or one, or none.
    for (fan, other) in [(a, b), (b, a)] {
        if segment_segment(s, s, fan[0], fan[1]) {
            let ends = fan.map(|end| end != s && fans_meet(s, other, [end, end]));
            return ends[0] || ends[1];
        }
    }
    segment_triangle(a[0], a[1], &[s, b[0], b[1]]) || segment_triangle(b[0], b[1], &[s, a[0], a[1]])
}

/// Whether two triangles with a common edge from `s` to `t` meet beyond it: they lie in one plane, on the same side of the edge. Without area, they
/// meet beyond it if both extend beyond the same end. Copies share all their points.
fn wings_overlap(s: Point, t: Point, a: Point, b: Point) -> bool {
    if a == b || volume(s, t, a, b) != 0 {
        return false;
    }
    let sides = AXES.map(|axis| (orient(axis, s, t, a), orient(axis, s, t, b)));
    if sides.iter().any(|(a, b)| a * b > 0) {
        return true;
    }
    let straight = sides.iter().all(|sides| *sides == (0, 0));
    let behind = |from: Point, to: Point, x: Point| {
        (0..3).any(|k| (from[k] < to[k] && to[k] < x[k]) || (from[k] > to[k] && to[k] > x[k]))
    };
    straight && [(s, t), (t, s)].into_iter().any(|(from, to)| behind(from, to, a) && behind(from, to, b))
}

/// The sides of the triangle's plane on which two points lie: 1, 0 or -1.
pub(super) fn sides(p: Point, q: Point, t: &Triangle) -> (i32, i32) {
    (volume(t[0], t[1], t[2], p), volume(t[0], t[1], t[2], q))
}

/// Whether a segment and a triangle have a point in common.
pub(super) fn segment_triangle(p: Point, q: Point, t: &Triangle) -> bool {
    if AXES.iter().all(|axis| orient(*axis, t[0], t[1], t[2]) == 0) {
        // A triangle without area is the union of its edges.
        return [0, 1, 2].into_iter().any(|k| segment_segment(p, q, t[k], t[(k + 1) % 3]));
    }
    let (side_p, side_q) = sides(p, q, t);
    if side_p == 0 && side_q == 0 {
        return AXES.iter().all(|axis| segment_triangle_flat(*axis, p, q, t));
    }
    if side_p * side_q > 0 {
        return false;
    }
    // The segment meets the plane in one point. It is in the triangle if the line passes all edges on the same side.
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
    // All on one line: they meet if both coordinate ranges do.
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
        // Skew lines that cross in all projections.
        both(&[[0.0; 3], [1.0; 3], [2.0; 3]], &segment([0.5, 0.5, 0.75], [0.75, 0.25, 0.5]), false);
    }

    /// Tests every order of corners and arguments.
    fn beyond(a: &Triangle, b: &Triangle, want: bool) {
        for i in 0..3 {
            for j in 0..3 {
                let (a, b) = ([a[i], a[(i + 1) % 3], a[(i + 2) % 3]], [b[j], b[(j + 2) % 3], b[(j + 1) % 3]]);
                assert_eq!(touch_beyond_shared(&a, &b), want, "{a:?} {b:?}");
                assert_eq!(touch_beyond_shared(&b, &a), want, "{b:?} {a:?}");
            }
        }
    }

    #[test]
    fn neighbours_count_only_where_they_meet_beyond_what_they_share() {
        let up = [0.0, 0.0, 1.0];
        // A common corner.
        beyond(&T, &[[0.0; 3], up, [0.0, -1.0, 1.0]], false);
        beyond(&T, &[[0.0; 3], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], true);
        beyond(&T, &[[0.0; 3], [0.25, 0.25, 1.0], [0.25, 0.25, -1.0]], true);
        beyond(&T, &[[0.0; 3], [1.0, 1.0, 1e-300], [1.0, 1.0, 1.0]], false);
        beyond(&T, &[[0.0; 3], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]], false);
        beyond(&T, &[[0.0; 3], [-1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], true);
        // In one plane, with a side of one on a side of the other.
        beyond(&T, &[[0.0; 3], [0.5, 0.0, 0.0], [0.0, -1.0, 0.0]], true);
        // A common edge.
        beyond(&T, &[[0.0; 3], [1.0, 0.0, 0.0], up], false);
        beyond(&T, &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]], false);
        beyond(&T, &[[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.2, 0.0]], true);
        beyond(&T, &[[0.0; 3], [1.0, 0.0, 0.0], [9.0, 0.2, 0.0]], true);
        beyond(&T, &[[0.0; 3], [1.0, 0.0, 0.0], [0.3, 0.2, 1e-300]], false);
        // Copies.
        beyond(&T, &T, false);
    }

    #[test]
    fn degenerate_neighbours_are_segments_and_points() {
        let on = |x: f64| [x, 0.0, 0.0];
        beyond(&T, &[on(0.0); 3], false);
        beyond(&T, &[on(0.0), on(-1.0), on(-1.0)], false);
        beyond(&T, &[on(0.0), on(0.0), on(0.5)], true);
        beyond(&T, &[on(0.0), on(-1.0), on(0.5)], true);
        beyond(&T, &[on(0.0), on(-1.0), on(-0.5)], false);
        // The edge itself, longer and shorter.
        beyond(&T, &[on(0.0), on(1.0), on(1.0)], false);
        beyond(&T, &[on(0.0), on(1.0), on(0.5)], false);
        beyond(&T, &[on(0.0), on(1.0), on(5.0)], false);
        let line = [on(0.0), on(1.0), on(2.0)];
        beyond(&line, &[on(0.0), on(1.0), on(3.0)], true);
        beyond(&line, &[on(0.0), on(1.0), on(-3.0)], false);
        beyond(&line, &[on(0.0), on(1.0), on(0.5)], false);
        beyond(&line, &[on(0.0), on(-1.0), on(-1.0)], false);
        beyond(&line, &[on(0.0), on(-1.0), on(0.5)], true);
        beyond(&line, &[on(1.0), [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]], false);
        beyond(&line, &[on(1.0), [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]], false);
        beyond(&[on(1.0); 3], &[on(1.0), on(1.0), on(2.0)], false);
    }

    #[test]
    fn what_is_shared_can_be_cut_off() {
        // On a small grid, the common points of two triangles beyond a common corner or edge extend farther than 2^-20 of their size. So if a strip
        // of that width is cut off one of them, the rest still meets the other.
        const STRIP: f64 = 1.0 / (1 << 20) as f64;
        let mut state = 7u64;
        let mut grid = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 % 4.0
        };
        let mut found = [0; 4];
        for k in 0..60_000 {
            let mut point = || [grid(), grid(), if k % 3 == 0 { 0.0 } else { grid() }];
            let (s, t) = (point(), point());
            let (a, mut b) = ([s, t, point()], [s, point(), point()]);
            let edge = k % 2 == 0;
            if edge {
                b[1] = t;
            }
            let flat = |t: &Triangle| AXES.iter().all(|axis| orient(*axis, t[0], t[1], t[2]) == 0);
            let shared = a.iter().filter(|p| b.contains(p)).count();
            if flat(&a) || flat(&b) || shared != 1 + edge as usize {
                continue;
            }
            let cut = |from: Point, to: Point| [0, 1, 2].map(|c| from[c] + STRIP * (to[c] - from[c]));
            let want = if edge {
                touch(&[cut(s, a[2]), cut(t, a[2]), a[2]], &b)
            } else {
                let (p, q) = (cut(s, a[1]), cut(s, a[2]));
                touch(&[p, a[1], a[2]], &b) || touch(&[p, q, a[2]], &b)
            };
            assert_eq!(touch_beyond_shared(&a, &b), want, "{a:?} {b:?}");
            found[2 * edge as usize + want as usize] += 1;
        }
        assert!(found.iter().all(|n| *n > 1000), "{found:?}");
    }
}
