//! Passes options and pairs of the host to the kernels of the core, and writes their results.

use dem_core::error::{Error, Kind, Result, What};
use dem_core::published::triangle::{
    AnswerSink, Answered, Criterion, Fallback, Hybrid, HybridResult, Iterative, Scheme, Statistics, Sweep, Thresholds,
    Trial, TrialSink, contacts_hybrid, contacts_iterative,
};
use dem_core::real::Real;
use dem_core::simd::Isa;
use dem_core::triangle::{Coordinates, Source};

use super::*;
use crate::arrays::{DEM_F32, DEM_F64, DEM_I32, DEM_U32};
use crate::inputs;
use crate::outputs::Output;
use crate::strided::Numbers;

impl dem_contact_statistics {
    fn add(&mut self, s: Statistics) {
        self.pairs += s.pairs;
        self.contacts += s.contacts;
        self.unresolved += s.unresolved;
        self.exact += s.exact;
        self.batches += s.batches;
        self.exact_batches += s.exact_batches;
    }
}

/// Pairs in one call of the core, whose thresholds are gathered on the stack. A multiple of every size of a batch.
pub(super) const PART: usize = 512;

pub(super) fn run<T: Sweep>(options: &Parameters, from: &Pairs, to: &Results) -> Result<dem_contact_statistics> {
    // All checks come before the first write.
    from.check_finite::<T>()?;
    options.check_thresholds::<T>(from.len())?;
    let mut total = dem_contact_statistics::default();
    let mut thresholds = [T::default(); PART];
    let mut first = 0;
    while first < from.len() {
        let part = Part { from, first, len: PART.min(from.len() - first) };
        for (i, to) in thresholds.iter_mut().take(part.len).enumerate() {
            *to = T::from_f64(options.threshold(first + i));
        }
        let thresholds = Thresholds::Each(&thresholds[..part.len]);
        let mut sink = Answers { to, first, contacts: 0, open: 0 };
        let statistics = match &options.hybrid {
            Some(hybrid) => contacts_hybrid(options.isa, hybrid, &part, thresholds, &mut sink)?,
            None => {
                contacts_iterative(options.isa, &options.iterative, &part, thresholds, &mut sink)?;
                let (pairs, contacts, unresolved) = (part.len as u64, sink.contacts, sink.open);
                Statistics { pairs, contacts, unresolved, ..Statistics::default() }
            }
        };
        total.add(statistics);
        first += PART;
    }
    Ok(total)
}

/// Options, checked.
pub(super) struct Parameters {
    isa: Isa,
    pub(super) precision: u32,
    iterative: Iterative,
    /// `None` without a fallback.
    hybrid: Option<Hybrid>,
    threshold: f64,
    thresholds: Option<Numbers>,
}

impl Parameters {
    /// # Safety
    /// The array of thresholds can be read while the result is used.
    pub(super) unsafe fn new(o: dem_contact_options, pairs: usize) -> Result<Parameters> {
        let wrong = |field| Error::new(Kind::OutOfRange, field);
        inputs::zero(o.reserved, What::Options)?;
        let scheme = match o.scheme {
            DEM_SCHEME_SPLITTING => Scheme::Splitting,
            DEM_SCHEME_NEWTON => Scheme::Newton,
            DEM_SCHEME_PROJECTED => Scheme::Projected,
            _ => return Err(wrong(What::Scheme)),
        };
        let criterion = match o.criterion {
            DEM_CRITERION_FUNCTIONAL => Criterion::Functional,
            DEM_CRITERION_CONTACT_POINT => Criterion::ContactPoint,
            DEM_CRITERION_CERTIFIED => Criterion::Certified,
            _ => return Err(wrong(What::Criterion)),
        };
        let numbers = [(What::Kappa, o.kappa), (What::Rho, o.rho), (What::C, o.c), (What::Unit, o.unit)];
        let bad = [(What::SweepLimit, o.sweeps > 1000), (What::ExactContacts, o.exact_contacts > 1)];
        let bad_numbers = numbers.map(|(field, x)| (field, !x.is_finite() || x < 0.0));
        if let Some((field, _)) = bad.into_iter().chain(bad_numbers).find(|(_, bad)| *bad) {
            return Err(wrong(field));
        }
        let fallback = match (o.fallback, o.batch) {
            (DEM_FALLBACK_NONE, _) => None,
            (DEM_FALLBACK_PAIRS, _) => Some(Fallback::Pairs),
            (DEM_FALLBACK_BATCHES, 1 | 2 | 4 | 8 | 16) => Some(Fallback::Batches(o.batch)),
            (DEM_FALLBACK_BATCHES, _) => return Err(wrong(What::Batch)),
            _ => return Err(wrong(What::Fallback)),
        };
        let iterative =
            Iterative { scheme, criterion, sweeps: o.sweeps, kappa: o.kappa, rho: o.rho, c: o.c, unit: o.unit };
        let exact_contacts = o.exact_contacts != 0;
        let hybrid = fallback.map(|fallback| Hybrid { iterative, fallback, exact_contacts });
        let none = o.thresholds.data.is_null() && o.thresholds.count == 0;
        // SAFETY: by this function's contract.
        let thresholds = if none { None } else { Some(unsafe { Numbers::new(&o.thresholds, What::Thresholds) }?) };
        if let Some(all) = thresholds.as_ref().filter(|all| all.len() < pairs) {
            return Err(Error::capacity(What::Thresholds, pairs as u64, all.len() as u64));
        }
        let isa = Isa::numbered(o.isa)?;
        Ok(Parameters { isa, precision: o.precision, iterative, hybrid, threshold: o.threshold, thresholds })
    }

    /// The threshold of a pair; `pair` must be below the number of pairs.
    fn threshold(&self, pair: usize) -> f64 {
        self.thresholds.as_ref().map_or(self.threshold, |all| all.get(pair))
    }

    fn check_thresholds<T: Real>(&self, pairs: usize) -> Result<()> {
        let checks = if self.thresholds.is_some() { pairs } else { 1 };
        let what = if self.thresholds.is_some() { What::Thresholds } else { What::Threshold };
        (0..checks).try_for_each(|pair| match T::from_f64(self.threshold(pair)) {
            x if !x.is_finite() => Err(Error::new(Kind::NotFinite, what).at(pair as u64, 0)),
            x if x < T::default() => Err(Error::new(Kind::OutOfRange, what).at(pair as u64, 0)),
            _ => Ok(()),
        })
    }
}

/// Consecutive pairs of a call, as input of the core.
struct Part<'a> {
    from: &'a Pairs,
    first: usize,
    len: usize,
}

impl<T: Real> Source<T> for Part<'_> {
    fn len(&self) -> usize {
        self.len
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        self.from.fill_block(self.first + at, count, block);
    }
}

/// The host's memory for answers.
pub(super) struct Results {
    verdict: Option<Output>,
    exact: Option<Output>,
    distance: Option<Output>,
    lower: Option<Output>,
    points: [Option<Output>; 2],
}

impl Results {
    /// # Safety
    /// The memory behind all pointers can be written while the result is used.
    pub(super) unsafe fn new(from: *const dem_contact_results, count: usize) -> Result<Results> {
        if from.is_null() {
            return Err(Error::new(Kind::Null, What::Results));
        }
        // SAFETY: by this function's contract.
        let wanted = unsafe { inputs::read(from, What::Results) }?;
        inputs::zero(wanted.reserved, What::Results)?;
        let numbers = &[DEM_F32, DEM_F64];
        let integers = &[DEM_I32, DEM_U32];
        // SAFETY: by this function's contract.
        unsafe {
            Ok(Results {
                verdict: Output::new(wanted.verdict, 1, count, integers, What::Verdicts)?,
                exact: Output::new(wanted.exact, 1, count, integers, What::Exact)?,
                distance: Output::new(wanted.distance, 1, count, numbers, What::Distances)?,
                lower: Output::new(wanted.lower, 1, count, numbers, What::LowerBounds)?,
                points: [
                    Output::new(wanted.point_a, 3, count, numbers, What::PointsA)?,
                    Output::new(wanted.point_b, 3, count, numbers, What::PointsB)?,
                ],
            })
        }
    }

    fn put(&self, pair: usize, verdict: u32, exact: bool, [distance, lower]: [f64; 2], points: [[f64; 3]; 2]) {
        for (to, value) in [(&self.verdict, verdict), (&self.exact, exact.into())] {
            if let Some(to) = to {
                to.integer(pair, 0, value);
            }
        }
        if let Some(to) = &self.distance {
            to.not_zero(pair, 0, distance);
        }
        if let Some(to) = &self.lower {
            to.real(pair, 0, lower);
        }
        for (to, point) in self.points.iter().zip(&points) {
            if let Some(to) = to {
                to.reals(pair, point);
            }
        }
    }
}

/// Receives the answers of the core about the pairs from `first` on.
struct Answers<'a> {
    to: &'a Results,
    first: usize,
    contacts: u64,
    open: u64,
}

impl<T: Real> TrialSink<T> for Answers<'_> {
    fn put(&mut self, at: usize, count: usize, trial: &Trial<T>) {
        for column in 0..count {
            let verdict = trial.verdict(column) as u32;
            self.contacts += u64::from(verdict == DEM_VERDICT_CONTACT);
            self.open += u64::from(verdict == DEM_VERDICT_UNRESOLVED);
            let lengths = [trial.distance[column], trial.lower[column]].map(Real::to_f64);
            let points = [&trial.point_a, &trial.point_b].map(|p| [0, 1, 2].map(|c| p[c][column].to_f64()));
            self.to.put(self.first + at + column, verdict, false, lengths, points);
        }
    }
}

impl<T: Real> AnswerSink<T> for Answers<'_> {
    fn put(&mut self, answered: &Answered<'_, T>) {
        for (column, pair) in answered.pairs.iter().enumerate().filter(|(c, _)| answered.answered >> c & 1 != 0) {
            let answer = answered.get(column);
            let distance = answer.distance.to_f64();
            let lower = match answered.found {
                HybridResult::Iterative(trial) => trial.lower[column].to_f64(),
                HybridResult::Exact(_) => distance,
            };
            let points = [answer.point_a, answer.point_b].map(|p| p.map(Real::to_f64));
            self.to.put(self.first + pair, answer.contact.into(), answer.exact, [distance, lower], points);
        }
    }
}
