//! Fits a surrogate triangle to points: an enclosing triangle in the principal plane, then a search for the smallest volume.
//!
//! Computes in single precision on points relative to the middle of the part, scaled by a power of two to a radius in [1, 2). The result is only a
//! proposal; other code computes its halo exactly. Lanes hold candidates, or points if only a maximum is needed, so the proposal is the same for
//! every instruction set.

use glam::DVec3;

use super::lanes::{BATCH, Rows, single};
use super::objective::{FLOOR, FittedTriangle, Goal, Points};
use super::pattern_search::{self, MOVES};
use super::principal_axes::Moments;
use super::{descent_fit, enclose};
use crate::real::Real;
use crate::simd::{Isa, Kernel, Lane, Simd, Vec3, dispatch};

/// The fit of one part. `cloud` has its points, padded by copies of the last one to a multiple of [`BATCH`].
pub(super) struct FitKernel<'a> {
    pub cloud: Points<'a>,
    pub count: usize,
    pub goal: Goal,
}

/// In parts with more points, the search uses only the points that matter.
const ACTIVE: usize = 48;
const CAPACITY: usize = 192;
const ROUNDS: usize = 8;

impl Kernel for FitKernel<'_> {
    type Output = FittedTriangle;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> FittedTriangle {
        let FitKernel { cloud, count, goal } = self;
        let all = Points::new(cloud.x, cloud.y, cloud.z, count);
        let mut moments = Moments::default();
        let mut i = 0;
        while i < all.len() {
            moments.add(DVec3::from_array([all.x[i] as f64, all.y[i] as f64, all.z[i] as f64]));
            i += 1;
        }
        let axes = moments.axes();
        let (starts, support) = enclose::shrunken::<S>(simd, all, axes);
        if goal.steps > 0 && count <= ACTIVE {
            return pattern_search::best::<S>(simd, all, &starts, &goal);
        }
        let segments = if goal.wander > 0 { enclose::segments(all, axes) } else { starts };
        if count <= ACTIVE {
            return settle::<S>(simd, all, &starts, &segments, &goal);
        }
        let mut active = Active::new();
        let mut i = 0;
        while i < support.len() {
            active.add(all.at(support[i]));
            i += 1;
        }
        if goal.steps > 0 {
            return pattern_search::best::<S>(simd, active.points(), &starts, &goal);
        }
        let mut found = settle::<S>(simd, active.points(), &starts, &segments, &goal);
        let mut best = FittedTriangle { objective: f32::MAX, ..found };
        let mut round = 0;
        while round < ROUNDS {
            let far = farthest::<S>(simd, cloud, &found.triangle);
            let whole = pattern_search::rated(&found.triangle, far.largest(), &goal);
            if whole.objective < best.objective {
                best = whole;
            }
            if !active.extend(all, &far, found.halo - goal.halo - FLOOR) {
                break;
            }
            let again = pattern_search::spread(&found.triangle);
            found = settle::<S>(simd, active.points(), &again, &again, &goal);
            round += 1;
        }
        best
    }
}

/// Improves the best of the start triangles.
#[inline(always)]
fn settle<S: Simd>(simd: S, points: Points<'_>, starts: &Rows, others: &Rows, goal: &Goal) -> FittedTriangle {
    let best = pattern_search::best::<S>(simd, points, starts, goal);
    let found = pattern_search::improve::<S>(simd, points, best, &MOVES, goal);
    if goal.wander == 0 {
        return found;
    }
    let other = pattern_search::best::<S>(simd, points, others, goal);
    let other = pattern_search::wander::<S>(simd, points, other, goal);
    let found = pattern_search::wander::<S>(simd, points, found, goal);
    if other.objective < found.objective { other } else { found }
}

/// The points of a large part that have mattered so far.
struct Active {
    x: [f32; CAPACITY],
    y: [f32; CAPACITY],
    z: [f32; CAPACITY],
    count: usize,
}

impl Active {
    #[inline(always)]
    fn new() -> Self {
        Active { x: [0.0; CAPACITY], y: [0.0; CAPACITY], z: [0.0; CAPACITY], count: 0 }
    }

    #[inline(always)]
    fn add(&mut self, p: [f32; 3]) {
        if self.count < CAPACITY {
            (self.x[self.count], self.y[self.count], self.z[self.count]) = (p[0], p[1], p[2]);
            self.count += 1;
        }
    }

    #[inline(always)]
    fn points(&self) -> Points<'_> {
        Points::new(&self.x, &self.y, &self.z, self.count)
    }

    /// Adds the points that are clearly farther than `covered`. Gives whether any were added.
    #[inline(always)]
    fn extend(&mut self, all: Points<'_>, far: &Far, covered: f32) -> bool {
        let limit = covered * 1.002 + 1e-6;
        let before = self.count;
        let mut i = 0;
        while i < BATCH {
            if far.distance2[i] > limit * limit {
                self.add(all.at(far.index[i] as usize));
            }
            i += 1;
        }
        self.count > before
    }
}

/// The farthest point in each of sixteen runs of a cloud.
struct Far {
    distance2: [f32; BATCH],
    index: [f32; BATCH],
}

impl Far {
    #[inline(always)]
    fn largest(&self) -> f32 {
        let mut largest = 0.0;
        let mut i = 0;
        while i < BATCH {
            largest = if self.distance2[i] > largest { self.distance2[i] } else { largest };
            i += 1;
        }
        largest
    }
}

/// Finds the farthest points of a cloud, padded as in [`FitKernel`], from a triangle.
struct Farthest<'a> {
    cloud: Points<'a>,
    triangle: &'a [[f32; 3]; 3],
}

impl Kernel for Farthest<'_> {
    type Output = Far;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Far {
        farthest::<S>(simd, self.cloud, self.triangle)
    }
}

/// Number of points in an even sample of a large part; a multiple of [`BATCH`].
const SAMPLE: usize = 256;
/// Parts with more points may be fitted to a sample.
pub(super) const LARGE: usize = SAMPLE + BATCH;

/// Fits a triangle to a sample of a part with more than [`LARGE`] points. Then fits to the sample and to the points that are far from the first
/// result. That is nearly as good as a fit to all points, because only the farthest matter. `steps` of the descent follow the fit.
pub(super) fn to_sample(isa: Isa, cloud: Points<'_>, count: usize, goal: &Goal, steps: u32) -> [[f32; 3]; 3] {
    let (mut x, mut y, mut z) = ([0.0; LARGE], [0.0; LARGE], [0.0; LARGE]);
    let mut take = |to: usize, from: usize| [x[to], y[to], z[to]] = cloud.at(from);
    (0..SAMPLE).for_each(|i| take(i, (i as u64 * count as u64 / SAMPLE as u64) as usize));
    let some = Points::new(&x, &y, &z, SAMPLE);
    let found = dispatch(isa, FitKernel { cloud: some, count: SAMPLE, goal: *goal });
    let far = dispatch(isa, Farthest { cloud, triangle: &found.triangle });
    for (i, index) in far.index.iter().enumerate() {
        [x[SAMPLE + i], y[SAMPLE + i], z[SAMPLE + i]] = cloud.at(*index as usize);
    }
    let found = FittedTriangle { halo: Real::sqrt(far.largest()) + (goal.halo + FLOOR), ..found };
    descent_fit::one(isa, Points::new(&x, &y, &z, LARGE), LARGE, &found, &Goal { steps, ..*goal })
}

/// Indices are kept as f32, which is exact up to 2^24 points; beyond that, the result may be a neighbour of the farthest point.
#[inline(always)]
fn farthest<S: Simd>(simd: S, cloud: Points<'_>, triangle: &[[f32; 3]; 3]) -> Far {
    let planar = single::<S::F32>(simd, triangle);
    let lanes = <S::F32 as Lane>::LANES;
    let blocks = cloud.len() / BATCH;
    let run = blocks.div_ceil(BATCH) * BATCH;
    let mut counting = [0.0f32; BATCH];
    let mut k = 0;
    while k < BATCH {
        counting[k] = k as f32;
        k += 1;
    }
    let counting = S::F32::load(simd, &counting, 0);
    let mut far = Far { distance2: [0.0; BATCH], index: [0.0; BATCH] };
    let mut k = 0;
    while k < BATCH {
        let (start, end) = (k * run, ((k + 1) * run).min(blocks * BATCH));
        let mut largest = S::F32::splat(simd, -1.0);
        let mut index = S::F32::splat(simd, 0.0);
        let mut i = start;
        while i < end {
            let p =
                Vec3([S::F32::load(simd, cloud.x, i), S::F32::load(simd, cloud.y, i), S::F32::load(simd, cloud.z, i)]);
            let d = planar.distance2(p);
            let more = largest.lt(d);
            index = S::F32::select(more, counting + S::F32::splat(simd, i as f32), index);
            largest = largest.max(d);
            i += lanes;
        }
        let (mut values, mut indices) = ([-1.0f32; BATCH], [0.0f32; BATCH]);
        largest.store(&mut values, 0);
        index.store(&mut indices, 0);
        let mut l = 0;
        let (mut value, mut first) = (-1.0f32, 0.0f32);
        while l < lanes {
            if values[l] > value || (values[l] == value && indices[l] < first) {
                (value, first) = (values[l], indices[l]);
            }
            l += 1;
        }
        (far.distance2[k], far.index[k]) = (value, first);
        k += 1;
    }
    far
}

/// A triangle with one, two or three points as corners.
pub(super) fn of_few(points: Points<'_>) -> [[f32; 3]; 3] {
    let last = points.len().saturating_sub(1);
    [points.at(0), points.at(1.min(last)), points.at(2.min(last))]
}
