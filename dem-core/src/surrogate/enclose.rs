//! The smallest of a family of triangles around points, in their principal plane, and copies of it with edges moved inwards.

use glam::DVec3;

use super::lanes::{BATCH, Rows};
use super::objective::Points;
use crate::simd::{Lane, Simd};
use crate::vector::{length, sub};

/// Cosines and sines of sixteen directions in steps of a sixteenth of a full turn.
const A: f32 = 0.923_879_5;
const B: f32 = core::f32::consts::FRAC_1_SQRT_2;
const C: f32 = 0.382_683_43;
const COS: [f32; 16] = [1.0, A, B, C, 0.0, -C, -B, -A, -1.0, -A, -B, -C, 0.0, C, B, A];
const SIN: [f32; 16] = [0.0, C, B, A, 1.0, A, B, C, 0.0, -C, -B, -A, -1.0, -A, -B, -C];

/// Steps between the edge normals of a triangle, up to rotation: each is less than half a turn, and they sum to a full turn.
const TURNS: [[usize; 3]; 7] = [[2, 7, 7], [3, 6, 7], [3, 7, 6], [4, 5, 7], [4, 6, 6], [4, 7, 5], [5, 5, 6]];

/// Copies of a triangle around the points, with edges moved inwards by lane / 20 of the inradius; and the points that support it in the sixteen
/// directions.
#[inline(always)]
pub(super) fn shrunken<S: Simd>(simd: S, points: Points<'_>, axes: [DVec3; 3]) -> (Rows, [usize; BATCH]) {
    let (u, v, n) = (single(axes[0]), single(axes[1]), single(axes[2]));
    let (reach, support) = supports::<S>(simd, points, u, v);
    let (turn, first) = smallest::<S>(simd, &reach);
    let [a, b, _] = TURNS[turn];
    let (i, j, k) = (first, (first + a) & 15, (first + a + b) & 15);
    let height = middle(points, n);
    let corners = [corner(&reach, i, j), corner(&reach, j, k), corner(&reach, k, i)];
    let place = |c: [f32; 2]| [0, 1, 2].map(|d| u[d] * c[0] + v[d] * c[1] + n[d] * height);
    (inwards(corners.map(place)), support)
}

fn single(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Segments along the longest axis, from a single point up to the full extent: good for round and for long bodies.
#[inline(always)]
pub(super) fn segments(points: Points<'_>, axes: [DVec3; 3]) -> Rows {
    let [u, v, n] = [single(axes[0]), single(axes[1]), single(axes[2])];
    let (low, high) = extent(points, u);
    let (along, across, height) = (0.5 * (low + high), middle(points, v), middle(points, n));
    let mut rows = [[0.0; BATCH]; 9];
    let mut c = 0;
    while c < 3 {
        let centre = u[c] * along + v[c] * across + n[c] * height;
        let mut lane = 0;
        while lane < BATCH {
            let half = u[c] * (0.5 * (high - low) * lane as f32 / 15.0);
            (rows[c][lane], rows[3 + c][lane], rows[6 + c][lane]) = (centre - half, centre + half, centre);
            lane += 1;
        }
        c += 1;
    }
    rows
}

/// The middle between the lowest and the highest point along `n`.
#[inline(always)]
fn middle(points: Points<'_>, n: [f32; 3]) -> f32 {
    let (low, high) = extent(points, n);
    0.5 * (low + high)
}

#[inline(always)]
fn extent(points: Points<'_>, n: [f32; 3]) -> (f32, f32) {
    let (mut low, mut high) = (f32::MAX, f32::MIN);
    let mut i = 0;
    while i < points.len() {
        let h = n[0] * points.x[i] + n[1] * points.y[i] + n[2] * points.z[i];
        low = if h < low { h } else { low };
        high = if h > high { h } else { high };
        i += 1;
    }
    (low, high)
}

/// The largest extent in each direction, and the point with it. Extents are repeated, so that rows may be read from any of the sixteen on.
#[inline(always)]
fn supports<S: Simd>(simd: S, points: Points<'_>, u: [f32; 3], v: [f32; 3]) -> ([f32; 2 * BATCH], [usize; BATCH]) {
    let lanes = <S::F32 as Lane>::LANES;
    let mut reach = [0.0; 2 * BATCH];
    let mut index = [0.0f32; BATCH];
    let mut at = 0;
    while at < BATCH {
        let (cos, sin) = (S::F32::load(simd, &COS, at), S::F32::load(simd, &SIN, at));
        let x = cos * S::F32::splat(simd, u[0]) + sin * S::F32::splat(simd, v[0]);
        let y = cos * S::F32::splat(simd, u[1]) + sin * S::F32::splat(simd, v[1]);
        let z = cos * S::F32::splat(simd, u[2]) + sin * S::F32::splat(simd, v[2]);
        let mut most = S::F32::splat(simd, f32::MIN);
        let mut who = S::F32::splat(simd, 0.0);
        let mut i = 0;
        while i < points.len() {
            let h = x * S::F32::splat(simd, points.x[i])
                + y * S::F32::splat(simd, points.y[i])
                + z * S::F32::splat(simd, points.z[i]);
            let more = most.lt(h);
            who = S::F32::select(more, S::F32::splat(simd, i as f32), who);
            most = most.max(h);
            i += 1;
        }
        most.store(&mut reach, at);
        most.store(&mut reach, at + BATCH);
        who.store(&mut index, at);
        at += lanes;
    }
    let mut support = [0; BATCH];
    let mut k = 0;
    while k < BATCH {
        support[k] = (index[k] as usize).min(points.len().saturating_sub(1));
        k += 1;
    }
    (reach, support)
}

/// The three directions whose lines bound the smallest triangle: the index in [`TURNS`], and the first direction.
///
/// Three lines n_i . x = h_i with angles a, b, c between their normals bound the area
/// (h_i sin b + h_j sin c + h_k sin a)^2 / (2 sin a sin b sin c).
#[inline(always)]
fn smallest<S: Simd>(simd: S, reach: &[f32; 2 * BATCH]) -> (usize, usize) {
    let lanes = <S::F32 as Lane>::LANES;
    let (mut areas, mut turns) = ([f32::MAX; BATCH], [0.0f32; BATCH]);
    let mut at = 0;
    while at < BATCH {
        let mut least = S::F32::splat(simd, f32::MAX);
        let mut which = S::F32::splat(simd, 0.0);
        let hi = S::F32::load(simd, reach, at);
        let mut t = 0;
        while t < TURNS.len() {
            let [a, b, c] = TURNS[t];
            // The repeated row has 32 numbers: a + b is at most 14, and at + 14 + lanes at most 30.
            let hj = S::F32::load(simd, reach, at + a);
            let hk = S::F32::load(simd, reach, at + a + b);
            let sum =
                hi * S::F32::splat(simd, SIN[b]) + hj * S::F32::splat(simd, SIN[c]) + hk * S::F32::splat(simd, SIN[a]);
            let area = sum * sum * S::F32::splat(simd, 1.0 / (SIN[a] * SIN[b] * SIN[c]));
            let less = area.lt(least);
            which = S::F32::select(less, S::F32::splat(simd, t as f32), which);
            least = least.min(area);
            t += 1;
        }
        least.store(&mut areas, at);
        which.store(&mut turns, at);
        at += lanes;
    }
    let (mut best, mut first) = (f32::MAX, 0);
    let mut k = 0;
    while k < BATCH {
        if areas[k] < best {
            (best, first) = (areas[k], k);
        }
        k += 1;
    }
    ((turns[first] as usize).min(TURNS.len() - 1), first)
}

/// The intersection of the lines of two directions.
#[inline(always)]
fn corner(reach: &[f32; 2 * BATCH], i: usize, j: usize) -> [f32; 2] {
    let inverse = 1.0 / SIN[(j + BATCH - i) & 15];
    [(reach[i] * SIN[j] - reach[j] * SIN[i]) * inverse, (reach[j] * COS[i] - reach[i] * COS[j]) * inverse]
}

/// Copies of a triangle, scaled about the centre of its inscribed circle, smaller from lane to lane.
#[inline(always)]
fn inwards(t: [[f32; 3]; 3]) -> Rows {
    let weight = [length(sub(t[1], t[2])), length(sub(t[2], t[0])), length(sub(t[0], t[1]))];
    let sum = weight[0] + weight[1] + weight[2];
    let inverse = if sum > 0.0 { 1.0 / sum } else { 0.0 };
    let mut rows = [[0.0; BATCH]; 9];
    let mut c = 0;
    while c < 3 {
        let centre = (t[0][c] * weight[0] + t[1][c] * weight[1] + t[2][c] * weight[2]) * inverse;
        let mut k = 0;
        while k < 3 {
            let mut lane = 0;
            while lane < BATCH {
                rows[3 * k + c][lane] = t[k][c] + (centre - t[k][c]) * (lane as f32 * 0.05);
                lane += 1;
            }
            k += 1;
        }
        c += 1;
    }
    rows
}
