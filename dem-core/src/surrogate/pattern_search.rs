//! Pattern search for the triangle of the smallest volume with its halo: tries batches of sixteen moves, and keeps the best.

use super::lanes::{BATCH, Planar, Rows, candidates, single};
use super::objective::{FLOOR, FittedTriangle, Goal, Points};
use crate::real::Real;
use crate::simd::{Lane, Simd, Vec3};
use crate::vector::{cross, length, sub};

const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
const FOUR_THIRDS_PI: f32 = core::f32::consts::PI * 4.0 / 3.0;

/// Sixteen moves. Rows `3 k`, `3 k + 1` and `3 k + 2` are added to corner k: factors of the edges 0-1 and 0-2 (in units of the step), and of the
/// normal (in units of the step times the halo).
pub(super) type Moves = Rows;

/// First step, relative to the triangle.
const STEP: f32 = 0.16;
/// Moves along the normal, relative to the step and the halo.
const LIFT: f32 = 4.0;
/// The factor by which the objective must decrease to count as better.
const BETTER: f32 = 1.0 - 1.0 / 1024.0;

/// The first set: in and out through each corner, up and down at each corner, all up and down, all larger and smaller. The second set: each corner
/// along the opposite edge, each edge in and out, all along two edges.
pub(super) const MOVES: [Moves; 2] = moves();

const fn moves() -> [Moves; 2] {
    // From the centroid to each corner, and along the edge opposite each corner, in terms of the edges 0-1 and 0-2.
    let out = [[-1.0 / 3.0, -1.0 / 3.0], [2.0 / 3.0, -1.0 / 3.0], [-1.0 / 3.0, 2.0 / 3.0]];
    let along = [[-1.0, 1.0], [0.0, 1.0], [1.0, 0.0]];
    let mut sets = [[[0.0; BATCH]; 9]; 2];
    let mut lane = 0;
    while lane < BATCH {
        let sign = if lane % 2 == 0 { 1.0 } else { -1.0 };
        let which = (lane / 2) % 3;
        let mut k = 0;
        while k < 3 {
            let mine = if k == which { sign } else { 0.0 };
            let (a, b): ([f32; 3], [f32; 3]) = if lane < 6 {
                ([mine * out[k][0], mine * out[k][1], 0.0], [mine * along[k][0], mine * along[k][1], 0.0])
            } else if lane < 12 {
                let other = if k == which { 0.0 } else { sign };
                ([0.0, 0.0, mine * LIFT], [other * out[which][0], other * out[which][1], 0.0])
            } else if lane < 14 {
                ([0.0, 0.0, sign * LIFT], [sign, 0.0, 0.0])
            } else {
                ([sign * out[k][0], sign * out[k][1], 0.0], [0.0, sign, 0.0])
            };
            let mut c = 0;
            while c < 3 {
                sets[0][3 * k + c][lane] = a[c];
                sets[1][3 * k + c][lane] = b[c];
                c += 1;
            }
            k += 1;
        }
        lane += 1;
    }
    sets
}

/// The same triangle in every lane.
#[inline(always)]
pub(super) fn spread(t: &[[f32; 3]; 3]) -> Rows {
    let mut rows = [[0.0; BATCH]; 9];
    let mut k = 0;
    while k < 9 {
        rows[k] = [t[k / 3][k % 3]; BATCH];
        k += 1;
    }
    rows
}

/// Steiner volume of triangle and halo, times the halo to the power of half the exponent.
#[inline(always)]
pub(super) fn objective<L: Lane<Scalar = f32>>(simd: L::Simd, planar: &Planar<L>, halo: L, exponent: u32) -> L {
    let area = planar.area + planar.area;
    let rim = planar.perimeter * L::splat(simd, HALF_PI) + halo * L::splat(simd, FOUR_THIRDS_PI);
    let mut value = halo * (area + halo * rim);
    let mut k = 2;
    while k <= exponent {
        value = value * halo;
        k += 2;
    }
    if exponent % 2 == 1 { value * halo.sqrt() } else { value }
}

/// A triangle with its objective, given its largest squared distance.
#[inline(always)]
pub(super) fn rated(triangle: &[[f32; 3]; 3], distance2: f32, goal: &Goal) -> FittedTriangle {
    use crate::simd::Portable;
    let simd = Portable::<1, 1>;
    type One = <Portable<1, 1> as Simd>::F32;
    let planar = single::<One>(simd, triangle);
    let halo = Real::sqrt(distance2) + (goal.halo + FLOOR);
    let mut value = [0.0];
    objective(simd, &planar, One::splat(simd, halo), goal.exponent).store(&mut value, 0);
    FittedTriangle { triangle: *triangle, halo, objective: value[0] }
}

/// The best of sixteen candidates.
#[inline(always)]
pub(super) fn best<S: Simd>(simd: S, points: Points<'_>, rows: &Rows, goal: &Goal) -> FittedTriangle {
    let lanes = <S::F32 as Lane>::LANES;
    let (mut values, mut halos) = ([0.0f32; BATCH], [0.0f32; BATCH]);
    let mut at = 0;
    while at < BATCH {
        let planar = candidates::<S::F32>(simd, rows, at);
        let mut largest = S::F32::splat(simd, 0.0);
        let mut i = 0;
        while i < points.len() {
            let p = Vec3::splat(simd, [points.x[i], points.y[i], points.z[i]]);
            largest = largest.max(planar.distance2(p));
            i += 1;
        }
        let halo = largest.sqrt() + S::F32::splat(simd, goal.halo + FLOOR);
        objective(simd, &planar, halo, goal.exponent).store(&mut values, at);
        halo.store(&mut halos, at);
        at += lanes;
    }
    let mut first = 0;
    let mut k = 1;
    while k < BATCH {
        if values[k] < values[first] {
            first = k;
        }
        k += 1;
    }
    let mut triangle = [[0.0; 3]; 3];
    let mut k = 0;
    while k < 9 {
        triangle[k / 3][k % 3] = rows[k][first];
        k += 1;
    }
    FittedTriangle { triangle, halo: halos[first], objective: values[first] }
}

/// Repeats moves as long as they help, then halves the step.
#[inline(always)]
pub(super) fn improve<S: Simd>(
    simd: S,
    points: Points<'_>,
    start: FittedTriangle,
    sets: &[Moves; 2],
    goal: &Goal,
) -> FittedTriangle {
    let mut found = start;
    let mut step = STEP;
    let (mut halvings, mut batches) = (0, 0);
    while halvings < goal.halvings && batches < goal.batches {
        let mut gained = false;
        let mut set = 0;
        while set < 2 {
            let rows = moved::<S>(simd, &found, &sets[set], step, goal);
            let next = best::<S>(simd, points, &rows, goal);
            if next.objective < found.objective * BETTER {
                found = next;
                gained = true;
            }
            set += 1;
        }
        batches += 2;
        if !gained {
            step *= 0.5;
            halvings += 1;
        }
    }
    found
}

/// The candidates of a set of moves.
#[inline(always)]
fn moved<S: Simd>(simd: S, found: &FittedTriangle, moves: &Moves, step: f32, goal: &Goal) -> Rows {
    let lanes = <S::F32 as Lane>::LANES;
    let t = &found.triangle;
    let (e0, e1) = (sub(t[1], t[0]), sub(t[2], t[0]));
    let n = cross(e0, e1);
    let length = length(n);
    let lift = if length > 0.0 { step * (found.halo - goal.halo) / length } else { 0.0 };
    let mut rows = [[0.0; BATCH]; 9];
    let mut at = 0;
    while at < BATCH {
        let mut k = 0;
        while k < 3 {
            let a = S::F32::load(simd, &moves[3 * k], at);
            let b = S::F32::load(simd, &moves[3 * k + 1], at);
            let up = S::F32::load(simd, &moves[3 * k + 2], at);
            let mut c = 0;
            while c < 3 {
                let shift = a * S::F32::splat(simd, e0[c] * step) + b * S::F32::splat(simd, e1[c] * step);
                let row = S::F32::splat(simd, t[k][c]) + (shift + up * S::F32::splat(simd, n[c] * lift));
                row.store(&mut rows[3 * k + c], at);
                c += 1;
            }
            k += 1;
        }
        at += lanes;
    }
    rows
}

/// Random moves of a triangle: the whole, one corner, or all three independently. The step grows with success, and starts again when it has
/// vanished. This makes progress where no single move helps, because the halo has kinks.
#[inline(always)]
pub(super) fn wander<S: Simd>(simd: S, points: Points<'_>, start: FittedTriangle, goal: &Goal) -> FittedTriangle {
    let mut found = start;
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut step = 0.1f32;
    let mut batches = 0;
    while batches < goal.wander {
        let mut rows = spread(&found.triangle);
        let mut lane = 0;
        while lane < BATCH {
            let size = step * if lane < BATCH / 2 { 1.0 } else { 0.25 };
            let mut shift = [0.0; 3];
            let mut k = 0;
            while k < 9 {
                if k < 3 || lane % 4 != 0 {
                    shift[k % 3] = size * signed(&mut random);
                }
                if lane % 4 != 1 || k / 3 == lane / 4 % 3 {
                    rows[k][lane] += shift[k % 3];
                }
                k += 1;
            }
            lane += 1;
        }
        let next = best::<S>(simd, points, &rows, goal);
        if next.objective < found.objective {
            found = next;
            step *= 1.3;
        } else {
            step *= 0.85;
        }
        if step < 2e-5 {
            step = 0.05;
        }
        batches += 1;
    }
    found
}

/// Uniform in [-1, 1) (splitmix64).
#[inline(always)]
fn signed(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 * (1.0 / 8_388_608.0) - 1.0
}
