//! Simple rules for cell sizes: linear, exponential, constant ratio of bodies per cell.

use super::model::Cut;
use super::{Model, Radii, check_count};
use crate::error::{Error, Kind, Result, What};
use crate::real::{exp, ln};

/// Sizes in equal steps (P1 (34)), as many as `sizes` has.
///
/// Errors: `OutOfRange` for no size, `TooLarge` for more than [`MOST`](super::MOST).
pub fn linear(radii: &impl Radii, sizes: &mut [f64]) -> Result<()> {
    let (low, high) = (2.0 * radii.smallest(), 2.0 * radii.largest());
    each(sizes, high, |part| low + part * (high - low))
}

/// Sizes in equal ratios (P1 (36)), as many as `sizes` has.
///
/// Errors: as [`linear`].
pub fn exponential(radii: &impl Radii, sizes: &mut [f64]) -> Result<()> {
    let (low, high) = (2.0 * radii.smallest(), 2.0 * radii.largest());
    let width = ln(high / low);
    each(sizes, high, |part| low * exp(part * width))
}

/// Writes sizes `at(part)`, where `part` goes from 0 at the smallest diameter to 1 at the largest. The last size is
/// exactly the largest diameter.
fn each(sizes: &mut [f64], high: f64, at: impl Fn(f64) -> f64) -> Result<()> {
    check_count(sizes.len())?;
    let count = sizes.len() as f64;
    let mut size_below = 0.0;
    for (h, size) in (1u32..).zip(&mut *sizes) {
        let next = at(f64::from(h) / count);
        *size = if next < size_below { size_below } else { next };
        *size = if *size < high { *size } else { high };
        size_below = *size;
    }
    if let Some(last) = sizes.last_mut() {
        *last = high;
    }
    Ok(())
}

/// Sizes for which a cell of each level holds `ratio` times as many bodies as a cell of the level below (P1 (37),
/// (38)), as many as `sizes` has. A ratio of 1 is near the optimum for nearly every distribution of radii, with any
/// number of levels.
///
/// For distributions of given radii, the ratio is met as nearly as their steps allow. Errors: as [`linear`]; those of
/// [`Model::check`]; `OutOfRange` for a ratio that is not positive and finite. Cost: some hundred look-ups of moments
/// for each level.
pub fn constant_ratio(radii: &impl Radii, model: &Model, ratio: f64, sizes: &mut [f64]) -> Result<()> {
    check_count(sizes.len())?;
    model.check()?;
    if !(ratio > 0.0 && ratio.is_finite()) {
        return Err(Error::new(Kind::OutOfRange, What::Options));
    }
    let (low, high) = (2.0 * radii.smallest(), 2.0 * radii.largest());
    let last = sizes.len() - 1;
    if last > 0 {
        // All sizes grow with the first one, so the right first size is the root of the excess of the last level.
        let first = root(high - low, |step| fill(radii, model, ratio, low + step, sizes));
        fill(radii, model, ratio, low + first, sizes);
    }
    if let Some(size) = sizes.last_mut() {
        *size = high;
    }
    Ok(())
}

/// Computes all sizes but the last from the first one. The result increases with the first size: negative where the
/// last level is too full, infinite where an earlier level already holds the largest bodies.
fn fill(radii: &impl Radii, model: &Model, ratio: f64, first: f64, sizes: &mut [f64]) -> f64 {
    let high = 2.0 * radii.largest();
    let mut below = Cut::start();
    let mut at = Cut::new(radii, first);
    let mut full = model.per_cell(at.size, at.share(&below));
    let inner = sizes.len() - 1;
    for (h, to) in sizes.iter_mut().take(inner).enumerate() {
        if h > 0 {
            full *= ratio;
            below = at;
            let want = |step: f64| {
                let next = Cut::new(radii, below.size + step);
                model.per_cell(next.size, next.share(&below)) / full - 1.0
            };
            let room = high - below.size;
            let step = if want(room) < 0.0 { room } else { root(room, want) };
            at = Cut::new(radii, below.size + step);
        }
        *to = at.size;
    }
    if at.size >= high {
        return f64::INFINITY;
    }
    // With smaller first sizes both shares fall to 0, the share of the last level last.
    let top = Cut::new(radii, high);
    full * ratio / model.per_cell(high, top.share(&at)) - 1.0
}

/// The root of a non-decreasing function between 0 and `high`: regula falsi (Illinois), with bisection where it
/// converges slowly. The tolerance is relative, so tiny roots are as exact as large ones.
fn root(high: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let (mut a, mut b) = (0.0, high);
    let (mut fa, mut fb) = (-1.0, f(high));
    if fb <= 0.0 || fb.is_nan() {
        return high;
    }
    let mut side = 0;
    for turn in 0..300 {
        let between = if fb.is_finite() && turn % 3 != 2 { b - fb * (b - a) / (fb - fa) } else { middle(a, b) };
        let x = if between > a && between < b { between } else { middle(a, b) };
        if !(x > a && x < b) {
            break;
        }
        let fx = f(x);
        let near = if x - a < b - x { x - a } else { b - x };
        if fx > 0.0 {
            (b, fb) = (x, fx);
            if side == 1 {
                fa *= 0.5;
            }
            side = 1;
        } else {
            (a, fa) = (x, fx);
            if side == -1 {
                fb *= 0.5;
            }
            side = -1;
        }
        if fx == 0.0 || (near <= 1e-16 * x && fx < 1e-13 && fx > -1e-13) {
            return x;
        }
    }
    b
}

/// A number between two positive ones: their mean, or the mean of their bits where they differ much.
fn middle(a: f64, b: f64) -> f64 {
    if a > 0.25 * b { 0.5 * (a + b) } else { f64::from_bits(a.to_bits() / 2 + b.to_bits() / 2) }
}
