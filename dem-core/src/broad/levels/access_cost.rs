//! The cost of an access relative to that of a test (P1's K), fitted to measured times of a search on a machine.

use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max};

/// A timed run of a search: its counts, and its time in any unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timed {
    /// Runs with the same number found the same pairs of the same bodies with different cell sizes, so the fit gives
    /// them a common constant time.
    pub scene: u32,
    /// Number of visited cells or rows.
    pub accesses: f64,
    /// Number of tests: of pairs, or of vectors of pairs.
    pub tests: f64,
    /// Time of the run, above 0.
    pub time: f64,
}

/// Costs of accesses and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time of an access divided by that of a test: [`Model::access`](super::Model::access), P1's K.
    pub access: f64,
    /// Standard error of `access` (jackknife: one run after another is left out).
    pub error: f64,
    /// Time of a test.
    pub test: f64,
    /// Root mean square of the relative differences between measured and fitted times.
    pub scatter: f64,
}

/// A determinant below this share of its terms is rounding error.
const SINGULAR: f64 = 1e-12;

impl Cost {
    /// Fits `time = rest + test * (tests + access * accesses)`, with a `rest` for each scene, by least squares of
    /// relative differences.
    ///
    /// The number of runs minus the number of scenes must be at least three, so that any run may be left out. Tests and
    /// accesses must not be proportional. Errors: [`Kind::NotFinite`], [`Kind::OutOfRange`] (`What::Count`) with the
    /// index of a run with a number that is negative or too large to be squared, or a time that is not above 0;
    /// [`Kind::OutOfRange`] (`What::Options`) where the fit is impossible: too few runs, proportional runs, or a fitted
    /// time that is not positive. Cost: proportional to the cube of the number of runs.
    pub fn fit(runs: &[Timed]) -> Result<Cost> {
        for (i, run) in runs.iter().enumerate() {
            check(run).map_err(|kind| Error::new(kind, What::Count).at(i as u64, 0))?;
        }
        let untold = Error::new(Kind::OutOfRange, What::Options);
        let [test, access] = solve(runs, runs.len()).filter(|_| runs.len() >= 4).ok_or(untold)?;
        if !(test > 0.0 && access >= 0.0 && (access / test).is_finite()) {
            return Err(untold);
        }
        let (n, k) = (runs.len() as f64, access / test);
        let (mut sum, mut squares) = (0.0, 0.0);
        for without in 0..runs.len() {
            let [test, access] = solve(runs, without).ok_or(untold)?;
            let off = access / test - k;
            (sum, squares) = (sum + off, squares + off * off);
        }
        let scatter = runs.iter().map(|run| {
            let [t, x, y] = centred(runs, run, runs.len());
            let off = (t - test * x - access * y) / run.time;
            off * off
        });
        let scatter = Real::sqrt(scatter.sum::<f64>() / n);
        let error = Real::sqrt(max((n - 1.0) / n * (squares - sum * sum / n), 0.0));
        Ok(Cost { access: k, error, test, scatter })
    }
}

fn check(run: &Timed) -> core::result::Result<(), Kind> {
    let numbers = [run.accesses, run.tests, run.time];
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(Kind::NotFinite);
    }
    let sound = numbers.iter().all(|x| (0.0..1e60).contains(x)) && run.time > 1e-60;
    if sound { Ok(()) } else { Err(Kind::OutOfRange) }
}

/// Weight of a run in the least squares of relative differences.
fn weight(run: &Timed) -> f64 {
    1.0 / (run.time * run.time)
}

/// Time, tests and accesses of a run minus the means of its scene, computed without run `without`.
fn centred(runs: &[Timed], of: &Timed, without: usize) -> [f64; 3] {
    let (mut all, mut sums) = (0.0, [0.0; 3]);
    for (_, run) in runs.iter().enumerate().filter(|(i, run)| *i != without && run.scene == of.scene) {
        let w = weight(run);
        all += w;
        sums = [sums[0] + w * run.time, sums[1] + w * run.tests, sums[2] + w * run.accesses];
    }
    [of.time - sums[0] / all, of.tests - sums[1] / all, of.accesses - sums[2] / all]
}

/// Times of a test and of an access, fitted without one run. None where the system is singular.
fn solve(runs: &[Timed], without: usize) -> Option<[f64; 2]> {
    let (mut xx, mut xy, mut yy, mut xt, mut yt) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (_, run) in runs.iter().enumerate().filter(|(i, _)| *i != without) {
        let ([t, x, y], w) = (centred(runs, run, without), weight(run));
        (xx, xy, yy) = (xx + w * x * x, xy + w * x * y, yy + w * y * y);
        (xt, yt) = (xt + w * x * t, yt + w * y * t);
    }
    let determinant = xx * yy - xy * xy;
    let told = determinant > SINGULAR * xx * yy;
    told.then(|| [(xt * yy - yt * xy) / determinant, (yt * xx - xt * xy) / determinant])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    extern crate std;
    use super::super::tests::Random;
    use super::*;
    use std::vec::Vec;

    /// Runs of two scenes whose times follow the model, with different amounts of both kinds of work.
    fn timed(test: f64, access: f64) -> Vec<Timed> {
        let mut random = Random(3);
        let run = |i: u32, random: &mut Random| {
            let (tests, accesses) = (1e4 * (1.0 + 9.0 * random.next()), 1e4 * (1.0 + 9.0 * random.next()));
            let rest = if i.is_multiple_of(2) { 2e5 } else { 7e4 };
            Timed { scene: i % 2, accesses, tests, time: rest + test * tests + access * accesses }
        };
        (0..12).map(|i| run(i, &mut random)).collect()
    }

    #[test]
    fn cost_of_an_access_comes_out_of_times_that_are_by_the_model() {
        for (test, k) in [(3.0, 2.5), (40.0, 0.2), (0.7, 30.0)] {
            let cost = Cost::fit(&timed(test, k * test)).unwrap();
            let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-7;
            assert!(close(cost.access, k) && close(cost.test, test), "{cost:?}");
            assert!(cost.error < 1e-7 * k && cost.scatter < 1e-9, "{cost:?}");
        }
    }

    #[test]
    fn cost_of_an_access_tells_how_far_it_may_be_trusted() {
        let (mut random, mut runs) = (Random(9), timed(3.0, 6.0));
        runs.iter_mut().for_each(|run| run.time *= 1.0 + 0.02 * random.normal());
        let cost = Cost::fit(&runs).unwrap();
        assert!((cost.access - 2.0).abs() < 4.0 * cost.error && cost.error > 0.01, "{cost:?}");
        assert!((0.005..0.04).contains(&cost.scatter), "{cost:?}");
        // Order and unit of time do not matter.
        runs.reverse();
        runs.iter_mut().for_each(|run| run.time *= 1e-6);
        let other = Cost::fit(&runs).unwrap();
        assert!((other.access / cost.access - 1.0).abs() < 1e-9 && (other.error / cost.error - 1.0).abs() < 1e-6);
    }

    #[test]
    fn runs_that_do_not_tell_what_an_access_costs_are_refused() {
        let runs = timed(3.0, 6.0);
        let untold = Err(Error::new(Kind::OutOfRange, What::Options));
        assert_eq!(Cost::fit(&[]), untold);
        assert_eq!(Cost::fit(&runs[..3]), untold);
        // One scene for each run; accesses proportional to tests; accesses that save time.
        let changed = |change: &dyn Fn(usize, &mut Timed)| {
            let mut all = runs.clone();
            all.iter_mut().enumerate().for_each(|(i, run)| change(i, run));
            Cost::fit(&all)
        };
        assert_eq!(changed(&|i, run| run.scene = i as u32), untold);
        assert_eq!(changed(&|_, run| run.accesses = 2.0 * run.tests), untold);
        assert_eq!(changed(&|_, run| run.time = 1e6 + 2.0 * run.tests - run.accesses), untold);
        for (wrong, kind) in [(f64::NAN, Kind::NotFinite), (-1.0, Kind::OutOfRange), (1e200, Kind::OutOfRange)] {
            let error = Err(Error::new(kind, What::Count).at(4, 0));
            assert_eq!(changed(&|i, run| run.tests = if i == 4 { wrong } else { run.tests }), error);
            assert_eq!(changed(&|i, run| run.time = if i == 4 { wrong } else { run.time }), error);
        }
        assert_eq!(
            changed(&|i, run| run.time *= f64::from(u8::from(i != 4))),
            Err(Error::new(Kind::OutOfRange, What::Count).at(4, 0))
        );
    }
}
