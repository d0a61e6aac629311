//! Descent to a triangle of small volume with its halo, for sixteen parts at once, or for one part with its points in sixteen lanes.
//!
//! The halo is a maximum of distances, so its gradient is discontinuous. Instead, the descent uses the gradient of a power mean of the distances
//! with a high power, which depends on all points that are nearly the farthest. The power grows from step to step. A distance d from a point p to
//! the foot w0 x0 + w1 x1 + w2 x2 changes by -w_k (p - foot) / d if corner k moves. The length of a step depends only on its number, and each step
//! includes a part of the previous one (momentum). So no step needs a line search. The result is the best triangle of all steps.

use super::initial_triangle::around;
use super::lanes::{BATCH, Planar, Rows, candidates};
use super::objective::{FLOOR, FittedTriangle, Goal, Points};
use super::pattern_search::{objective, spread};
use crate::simd::{Isa, Kernel, Lane, Simd, Vec3, dispatch};

/// The first step, relative to the triangle; and the last step times the number of steps.
const STEPS: [f32; 2] = [0.3, 0.24];
/// Steps of corners along the normal, relative to the halo, over steps in the plane, relative to the triangle.
const LIFT: f32 = 4.0;
/// The part of the previous step that is added to a step.
const CARRY: f32 = 0.5;
/// The first and the last power of squared distances, as exponents of two, and the end of the range.
const POWERS: [u32; 2] = [2, 5];
/// For each power, squared distances below this, relative to the largest, have no weight. The weight would be below 1e-24, and processors take a
/// hundred times as long for subnormal numbers.
const LEAST: [f32; POWERS[1] as usize] = [1e-24, 1e-12, 1e-6, 1e-3, 0.031_622_78];
/// For weights, a distance counts as at most twice the largest distance of the previous step.
const MOST: f32 = 4.0;
/// A shorter gradient has no direction.
const TINY: f32 = 1e-18;

/// Triangles to be improved.
#[derive(Clone, Copy)]
pub(super) struct Descent<'a> {
    /// A triangle for all lanes, and the rough distance of points from it; if none, a triangle around the points of each part.
    pub start: Option<(&'a [[f32; 3]; 3], f32)>,
    /// Sixteen numbers in a row: the next point of each lane's part, or the next sixteen points of one part.
    pub points: Points<'a>,
    /// Number of rows with a point in each lane; later rows repeat a point.
    pub counts: &'a [f32; BATCH],
    /// Added to the largest distance.
    pub halos: &'a [f32; BATCH],
    /// As in [`Goal`].
    pub exponent: u32,
    pub steps: u32,
    /// Whether all lanes hold the points of the same part.
    pub one: bool,
}

/// Fits the triangle of one part. `cloud` has its points, padded by copies to a multiple of [`BATCH`].
pub(super) fn one(isa: Isa, cloud: Points<'_>, count: usize, start: &FittedTriangle, goal: &Goal) -> [[f32; 3]; 3] {
    let mut counts = [0.0; BATCH];
    for (lane, rows) in counts.iter_mut().enumerate() {
        *rows = ((count + BATCH - 1 - lane) / BATCH) as f32;
    }
    let Goal { exponent, steps, halo, .. } = *goal;
    let start = Some((&start.triangle, start.halo - halo - FLOOR));
    let (counts, halos) = (&counts, &[halo; BATCH]);
    let rows = dispatch(isa, Descent { start, points: cloud, counts, halos, exponent, steps, one: true });
    [0, 1, 2].map(|k| [0, 1, 2].map(|c| rows[3 * k + c][0]))
}

/// The state of sixteen triangles.
struct State {
    rows: Rows,
    /// The previous step, along the axes of the triangle.
    carried: Rows,
    /// The largest squared distance of the previous step.
    largest: [f32; BATCH],
    best: Rows,
    objective: [f32; BATCH],
}

impl Kernel for Descent<'_> {
    type Output = Rows;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Rows {
        let lanes = <S::F32 as Lane>::LANES;
        let mut state = State {
            rows: [[0.0; BATCH]; 9],
            carried: [[0.0; BATCH]; 9],
            largest: [0.0; BATCH],
            best: [[0.0; BATCH]; 9],
            objective: [f32::MAX; BATCH],
        };
        if let Some((triangle, distance)) = self.start {
            (state.rows, state.largest) = (spread(triangle), [distance * distance; BATCH]);
        } else {
            let mut at = 0;
            while at < BATCH {
                let (triangle, distance) = around::<S>(simd, self.points, self.counts, at);
                let mut k = 0;
                while k < 9 {
                    triangle[k / 3].0[k % 3].store(&mut state.rows[k], at);
                    k += 1;
                }
                (distance * distance).store(&mut state.largest, at);
                at += lanes;
            }
        }
        state.best = state.rows;
        let mut step = STEPS[0];
        let shrink = SHRINK[(self.steps as usize).min(MOST_STEPS)];
        let mut number = 0;
        while number < self.steps {
            let power = POWERS[0] + (POWERS[1] - POWERS[0]) * number / self.steps;
            let mut sums = Sums { rows: [[0.0; BATCH]; 11] };
            let mut at = 0;
            while at < BATCH {
                let planar = candidates::<S::F32>(simd, &state.rows, at);
                let found = self.pulls::<S>(simd, &planar, &state, power, at);
                match self.one {
                    true => sums.store(&found, at),
                    false => self.go::<S>(simd, &planar, &mut state, &found, step, at),
                }
                at += lanes;
            }
            if self.one {
                sums.unite();
                let mut at = 0;
                while at < BATCH {
                    let planar = candidates::<S::F32>(simd, &state.rows, at);
                    let found = sums.load::<S>(simd, at);
                    self.go::<S>(simd, &planar, &mut state, &found, step, at);
                    at += lanes;
                }
            }
            step *= shrink;
            number += 1;
        }
        state.best
    }
}

/// The most steps of a descent.
pub(super) const MOST_STEPS: usize = 64;

/// The factor by which the step shrinks each time, for every number of steps.
const SHRINK: [f32; MOST_STEPS + 1] = {
    let mut all = [0.0; MOST_STEPS + 1];
    let mut steps = 0;
    while steps <= MOST_STEPS {
        all[steps] = shrink(steps as u32);
        steps += 1;
    }
    all
};

/// The factor for one number of steps, by bisection, because there is no power function in a constant.
const fn shrink(steps: u32) -> f32 {
    let (mut low, mut high) = (0.0f32, 1.0f32);
    let mut k = 0;
    while k < 24 {
        let middle = 0.5 * (low + high);
        let mut power = 1.0;
        let mut i = 1;
        while i < steps {
            power *= middle;
            i += 1;
        }
        if power * STEPS[0] * (steps as f32) < STEPS[1] {
            low = middle
        } else {
            high = middle
        }
        k += 1;
    }
    low
}

/// Sums over the points of a triangle: weight times the pull on each corner along each axis; weights; weights times distances relative to the
/// largest one of the previous step. Also the largest squared distance.
#[derive(Clone, Copy)]
struct Pulls<L> {
    corner: [Vec3<L>; 3],
    weight: L,
    largest: L,
}

/// The same for sixteen lanes.
struct Sums {
    rows: [[f32; BATCH]; 11],
}

impl Sums {
    #[inline(always)]
    fn store<L: Lane<Scalar = f32>>(&mut self, pulls: &Pulls<L>, at: usize) {
        let mut k = 0;
        while k < 9 {
            pulls.corner[k / 3].0[k % 3].store(&mut self.rows[k], at);
            k += 1;
        }
        pulls.weight.store(&mut self.rows[9], at);
        pulls.largest.store(&mut self.rows[10], at);
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, at: usize) -> Pulls<S::F32> {
        let mut corner = [Vec3::splat(simd, [0.0; 3]); 3];
        let mut k = 0;
        while k < 9 {
            corner[k / 3].0[k % 3] = S::F32::load(simd, &self.rows[k], at);
            k += 1;
        }
        Pulls { corner, weight: S::F32::load(simd, &self.rows[9], at), largest: S::F32::load(simd, &self.rows[10], at) }
    }

    /// Puts the sum of all lanes into each lane, always in the same order.
    #[inline(always)]
    fn unite(&mut self) {
        let mut k = 0;
        while k < 11 {
            let row = &mut self.rows[k];
            let mut half = BATCH / 2;
            while half > 0 {
                let mut l = 0;
                while l < half {
                    let (a, b) = (row[l], row[l + half]);
                    let more = if a > b { a } else { b };
                    row[l] = if k == 10 { more } else { a + b };
                    l += 1;
                }
                half /= 2;
            }
            *row = [row[0]; BATCH];
            k += 1;
        }
    }
}

impl Descent<'_> {
    #[inline(always)]
    fn pulls<S: Simd>(self, simd: S, planar: &Planar<S::F32>, state: &State, power: u32, at: usize) -> Pulls<S::F32> {
        let (zero, one) = (S::F32::splat(simd, 0.0), S::F32::splat(simd, 1.0));
        let (half, most) = (S::F32::splat(simd, 0.5), S::F32::splat(simd, MOST));
        let least = S::F32::splat(simd, LEAST[(power as usize).min(LEAST.len() - 1)]);
        let inverse = one / S::F32::load(simd, &state.largest, at).max(S::F32::splat(simd, TINY));
        let counts = S::F32::load(simd, self.counts, at);
        let feet = planar.feet(simd);
        let mut pulls = Pulls { corner: [Vec3([zero; 3]); 3], weight: zero, largest: zero };
        let (mut row, mut i) = (zero, at);
        while i < self.points.len() {
            let p = Vec3([
                S::F32::load(simd, self.points.x, i),
                S::F32::load(simd, self.points.y, i),
                S::F32::load(simd, self.points.z, i),
            ]);
            let (weights, away) = planar.foot(&feet, simd, p);
            let squared = away.dot(away);
            pulls.largest = pulls.largest.max(squared);
            let relative = (squared * inverse).min(most);
            let counts = row.lt(counts) & least.lt(relative);
            let mut weight = S::F32::select(counts, relative, zero);
            let mut k = 0;
            while k < power {
                weight = weight * weight;
                k += 1;
            }
            // The square root of a number near 1.
            pulls.weight = pulls.weight + weight * (half + half * relative);
            let mut k = 0;
            while k < 3 {
                pulls.corner[k] = pulls.corner[k] - away.scale(weight * weights[k]);
                k += 1;
            }
            row = row + one;
            i += BATCH;
        }
        pulls
    }

    /// Rates a triangle, keeps it if it is the best so far, and makes the next step.
    #[inline(always)]
    fn go<S: Simd>(
        self,
        simd: S,
        planar: &Planar<S::F32>,
        state: &mut State,
        pulls: &Pulls<S::F32>,
        step: f32,
        at: usize,
    ) {
        let tiny = S::F32::splat(simd, TINY);
        let own = S::F32::load(simd, self.halos, at);
        let halo = pulls.largest.sqrt() + (own + S::F32::splat(simd, FLOOR));
        let value = objective(simd, planar, halo, self.exponent);
        let before = S::F32::load(simd, &state.objective, at);
        let better = value.lt(before);
        S::F32::select(better, value, before).store(&mut state.objective, at);

        let slopes = planar.slopes(simd, halo, self.exponent);
        let distances = pulls.weight * S::F32::load(simd, &state.largest, at).sqrt();
        let by_halo = slopes.halo / distances.max(tiny);
        let flat = planar.perimeter * S::F32::splat(simd, 1.0 / 3.0);
        let up = ((halo - own) * S::F32::splat(simd, LIFT)).min(flat);
        let sizes = Vec3([flat, flat, up]);
        let mut gradient = [Vec3::splat(simd, [0.0; 3]); 3];
        let mut squared = S::F32::splat(simd, 0.0);
        let mut k = 0;
        while k < 3 {
            let of = slopes.corner[k] + pulls.corner[k].scale(by_halo);
            gradient[k] = Vec3([of.0[0] * sizes.0[0], of.0[1] * sizes.0[1], of.0[2] * sizes.0[2]]);
            squared = squared + gradient[k].dot(gradient[k]);
            k += 1;
        }
        let factor = S::F32::splat(simd, 1.0 - CARRY) / squared.sqrt().max(tiny);
        let mut k = 0;
        while k < 3 {
            let mut moves = Vec3::splat(simd, [0.0; 3]);
            let mut c = 0;
            while c < 3 {
                let carried = S::F32::load(simd, &state.carried[3 * k + c], at) * S::F32::splat(simd, CARRY);
                let carried = carried - gradient[k].0[c] * factor;
                carried.store(&mut state.carried[3 * k + c], at);
                moves = moves + planar.axes[c].scale(carried * sizes.0[c] * S::F32::splat(simd, step));
                c += 1;
            }
            let mut c = 0;
            while c < 3 {
                let from = S::F32::load(simd, &state.rows[3 * k + c], at);
                let best = S::F32::load(simd, &state.best[3 * k + c], at);
                S::F32::select(better, from, best).store(&mut state.best[3 * k + c], at);
                (from + moves.0[c]).store(&mut state.rows[3 * k + c], at);
                c += 1;
            }
            k += 1;
        }
        pulls.largest.store(&mut state.largest, at);
    }
}
