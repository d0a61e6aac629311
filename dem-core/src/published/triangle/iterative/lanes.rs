//! The iterative kernel on a block of pairs, one per lane: local frames, the two searches, and certified bounds.

use super::super::certified::{lower_bound, upper_bound};
use super::super::sweeps::{Criterion, Iterative, Local, Minimiser, feasible};
use super::trial::Trial;
use crate::simd::{Kernel, Lane, Mask, Simd, Vec3};
use crate::triangle::kernel::{Vertices, number};
use crate::triangle::{Accuracy, BLOCK, Coordinates};

pub(super) struct Block<'a, T> {
    pub parameters: &'a Iterative,
    pub input: &'a Coordinates<T>,
    pub thresholds: &'a [T; BLOCK],
    pub count: usize,
    pub trial: &'a mut Trial<T>,
}

impl<T: Accuracy> Kernel for Block<'_, T> {
    /// Bits of the columns that may hold NaN or infinity.
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u32 {
        (self.trial.contact, self.trial.none) = (0, 0);
        let mut suspect = 0;
        let mut at = 0;
        while at < self.count {
            let pair = Pair::<T::Lane<S>>::load(simd, self.input, self.thresholds, at);
            suspect |= pair.suspect << at;
            if let Criterion::Certified = self.parameters.criterion {
                certified(simd, self.parameters, &pair).store(&pair, at, self.trial);
            } else {
                stagnating(simd, self.parameters, &pair).store(&pair, at, self.trial);
            }
            at += T::Lane::<S>::LANES;
        }
        suspect
    }
}

/// One pair per lane, in its own frame.
struct Pair<L> {
    first_a: Vec3<L>,
    first_b: Vec3<L>,
    local: Local<L>,
    scale: L,
    unscale: L,
    threshold: L,
    suspect: u32,
}

impl<L: Lane> Pair<L> {
    #[inline(always)]
    fn load(simd: L::Simd, input: &Coordinates<L::Scalar>, thresholds: &[L::Scalar; BLOCK], at: usize) -> Self {
        let zero = number::<L>(simd, 0.0);
        let mut rows = [zero; 18];
        let (mut largest, mut total) = (zero, zero);
        let mut k = 0;
        while k < 18 {
            rows[k] = L::load(simd, &input[k], at);
            let size = rows[k].abs();
            largest = size.max(largest);
            total = total + size;
            k += 1;
        }
        let infinite = number::<L>(simd, f64::INFINITY);
        let suspect = !total.lt(infinite);
        // Scaled by 1/4 only where a difference could overflow. The underflow of tiny numbers is then below u after
        // scaling, since `inverse_exponent` is clamped.
        let fits = (largest * number(simd, 4.0)).lt(infinite);
        let shrink = L::select(fits, number(simd, 1.0), number(simd, 0.25));
        let mut v = [Vec3([zero; 3]); 6];
        let mut k = 0;
        while k < 6 {
            v[k] = Vec3([rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]]);
            k += 1;
        }
        let (first_a, first_b) = (v[0], v[3]);
        let mut k = 0;
        while k < 6 {
            v[k] = v[k].scale(shrink);
            k += 1;
        }
        let a: Vertices<L> = [v[0], v[1], v[2]];
        let local = Local::new(a, [v[3], v[4], v[5]]);
        let again = largest_component(zero, &local).inverse_exponent();
        let scale = again * shrink;
        let local = Local {
            r: local.r.scale(again),
            e: [local.e[0].scale(again), local.e[1].scale(again)],
            f: [local.f[0].scale(again), local.f[1].scale(again)],
        };
        let threshold = L::load(simd, thresholds, at) * shrink * again;
        let unscale = number::<L>(simd, 1.0) / again / shrink;
        Pair { first_a, first_b, local, scale, unscale, threshold, suspect: suspect.bits() }
    }
}

#[inline(always)]
fn largest_component<L: Lane>(zero: L, local: &Local<L>) -> L {
    let all = [local.r, local.e[0], local.e[1], local.f[0], local.f[1]];
    let mut largest = zero;
    let mut k = 0;
    while k < 5 {
        let [x, y, z] = all[k].0;
        largest = x.abs().max(y.abs()).max(z.abs()).max(largest);
        k += 1;
    }
    largest
}

/// The answer per lane, lengths scaled.
struct Answer<L: Lane> {
    contact: L::Mask,
    none: L::Mask,
    distance: L,
    lower: L,
    x: [L; 4],
}

impl<L: Lane> Answer<L> {
    /// Improves bounds. Lanes that have an answer keep it, so that it does not depend on neighbouring lanes.
    #[inline(always)]
    fn improve(&mut self, threshold: L, lower: L, upper: L, x: [L; 4]) {
        let open = !(self.contact | self.none);
        self.lower = L::select(open, lower.max(self.lower), self.lower);
        let closer = open & upper.lt(self.distance);
        self.distance = L::select(closer, upper, self.distance);
        let mut k = 0;
        while k < 4 {
            self.x[k] = L::select(closer, x[k], self.x[k]);
            k += 1;
        }
        let far = open & threshold.lt(self.lower);
        self.none = self.none | far;
        self.contact = self.contact | (open & !far & self.distance.le(threshold));
    }

    #[inline(always)]
    fn store(&self, pair: &Pair<L>, at: usize, trial: &mut Trial<L::Scalar>) {
        trial.contact |= self.contact.bits() << at;
        trial.none |= self.none.bits() << at;
        (self.distance * pair.unscale).store(&mut trial.distance, at);
        (self.lower * pair.unscale).store(&mut trial.lower, at);
        let (e, f, x) = (pair.local.e, pair.local.f, self.x);
        let a = pair.first_a + (e[0].scale(x[0]) + e[1].scale(x[1])).scale(pair.unscale);
        let b = pair.first_b + (f[0].scale(x[2]) + f[1].scale(x[3])).scale(pair.unscale);
        let mut k = 0;
        while k < 3 {
            a.0[k].store(&mut trial.point_a[k], at);
            b.0[k].store(&mut trial.point_b[k], at);
            k += 1;
        }
    }
}

/// The papers' search from the first vertices, until it stagnates.
#[inline(always)]
fn stagnating<L: Lane>(simd: L::Simd, parameters: &Iterative, pair: &Pair<L>) -> Answer<L> {
    let zero = number::<L>(simd, 0.0);
    let search = Minimiser::new(simd, pair.local, parameters.kappa, parameters.rho);
    let mut x = [zero; 4];
    let mut before = x;
    let mut sweep = 0;
    while sweep < parameters.sweeps {
        before = x;
        x = search.sweep(parameters.scheme, x);
        sweep += 1;
    }
    let tolerance = pair.threshold * number(simd, 0.5 * parameters.c);
    let still = if let Criterion::Functional = parameters.criterion {
        let change = search.functional(simd, x) - search.functional(simd, before);
        change.abs().le(tolerance * (pair.scale * number(simd, parameters.unit)))
    } else {
        let (now, old) = (pair.local.on_a(x) + pair.local.on_b(x), pair.local.on_a(before) + pair.local.on_b(before));
        let moved = (now - old).scale(number(simd, 0.5));
        moved.dot(moved).le(tolerance * tolerance)
    };
    let d = pair.local.gap(x);
    let d2 = d.dot(d);
    let near = d2.le(pair.threshold * pair.threshold);
    // Without a sweep no lane is resolved, and NaN counts as unresolved.
    let still = if parameters.sweeps == 0 { d2.lt(zero) } else { still & d2.lt(number(simd, f32::MAX as f64)) };
    let mut k = 0;
    while k < 4 {
        x[k] = L::select(still, x[k], zero);
        k += 1;
    }
    Answer { contact: still & near, none: still & !near, distance: L::select(still, d2.sqrt(), zero), lower: zero, x }
}

/// The search from the centres of the triangles, which ends where certified bounds decide. Cheap bounds come first; the
/// rest is skipped where no lane needs it.
#[inline(always)]
fn certified<L: Lane>(simd: L::Simd, parameters: &Iterative, pair: &Pair<L>) -> Answer<L> {
    let (zero, one) = (number::<L>(simd, 0.0), number::<L>(simd, 1.0));
    let local = &pair.local;
    let middle = [number::<L>(simd, 1.0 / 3.0); 4];
    let never = zero.lt(zero);
    let largest = number::<L>(simd, f32::MAX as f64);
    let mut answer = Answer { contact: never, none: never, distance: largest, lower: zero, x: middle };
    // Most pairs are far apart and are separated along the line of centres; face normals are tried next.
    let start = local.gap(middle);
    let upper = upper_bound(simd, start);
    answer.improve(pair.threshold, lower_bound(simd, local, start), upper, middle);
    if (answer.contact | answer.none).all() {
        return answer;
    }
    let lower = lower_bound(simd, local, local.e[0].cross(local.e[1]));
    let lower = lower.max(lower_bound(simd, local, local.f[0].cross(local.f[1])));
    answer.improve(pair.threshold, lower, upper, middle);
    if (answer.contact | answer.none).all() {
        return answer;
    }
    let search = Minimiser::new(simd, pair.local, parameters.kappa, parameters.rho);
    let mut x = middle;
    let mut sweep = 0;
    while sweep < parameters.sweeps {
        x = search.sweep(parameters.scheme, x);
        sweep += 1;
    }
    // The iterate may lie outside of the triangles: it gives the better direction, and the clamped iterate gives the
    // upper bound.
    let direction = local.gap(x);
    let (a, b) = feasible(zero, one, x[0], x[1]);
    let (c, d) = feasible(zero, one, x[2], x[3]);
    let between = local.gap([a, b, c, d]);
    let lower = lower_bound(simd, local, direction).max(lower_bound(simd, local, between));
    answer.improve(pair.threshold, lower, upper_bound(simd, between), [a, b, c, d]);
    answer
}
