//! The hybrid kernel: the iterative kernel first, then the exact kernel for unresolved pairs (P0 Algorithm 3.1, P4
//! section 4.3).

use super::iterative::{OneBlock, Sweep, Thresholds, Trial, try_block};
use super::sweeps::Iterative;
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, min};
use crate::simd::Isa;
use crate::triangle::{BLOCK, Block, Coordinates, Sink, Source, closest_points};

/// Which pairs go to the exact kernel (P4 section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Each unresolved pair. Pairs are collected into full blocks first, so that no lane of the exact kernel is idle.
    Pairs,
    /// All pairs of each batch that has an unresolved pair. The number is the size of a batch: 1, 2, 4, 8 or 16; P0
    /// uses 8.
    Batches(u32),
}

/// Parameters of the hybrid kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hybrid {
    /// Parameters of the iterative kernel.
    pub iterative: Iterative,
    /// Which pairs go to the exact kernel.
    pub fallback: Fallback,
    /// Whether contacts found by the iterative kernel go to the exact kernel, too. With certified answers the contacts,
    /// points and distances then equal those of the exact kernel. The papers' criteria need this option, since about
    /// half of their contacts are wrong.
    pub exact_contacts: bool,
}

impl Hybrid {
    /// P0 Algorithm 3.1 as printed: decisions of the iterative kernel are used without a check.
    pub const PAPER: Hybrid = Hybrid { iterative: Iterative::PAPER, fallback: Fallback::Pairs, exact_contacts: false };
    /// Certified answers; contacts have the points of the exact kernel.
    pub const CERTIFIED: Hybrid =
        Hybrid { iterative: Iterative::CERTIFIED, fallback: Fallback::Pairs, exact_contacts: true };
}

impl Default for Hybrid {
    fn default() -> Self {
        Hybrid::CERTIFIED
    }
}

/// Counts of the work of both kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Number of pairs.
    pub pairs: u64,
    /// Pairs found in contact.
    pub contacts: u64,
    /// Pairs that the iterative kernel did not resolve: the papers' fallbacks.
    pub unresolved: u64,
    /// Pairs that the exact kernel computed: unresolved ones, the others of their batches, and contacts with
    /// `exact_contacts`.
    pub exact: u64,
    /// Number of batches; 0 with [`Fallback::Pairs`].
    pub batches: u64,
    /// Batches with an unresolved pair.
    pub exact_batches: u64,
}

/// The kernel that computed an answer, and its results.
#[derive(Clone, Copy, Debug)]
pub enum HybridResult<'a, T> {
    /// The iterative kernel.
    Iterative(&'a Trial<T>),
    /// The exact kernel.
    Exact(&'a Block<T>),
}

/// Answers for some pairs, one in each column.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a, T> {
    /// The pair in each column.
    pub pairs: &'a [usize; BLOCK],
    /// Bit c: column c has an answer.
    pub answered: u32,
    /// Bit c: column c has an answer and is in contact.
    pub contact: u32,
    /// Distances and points.
    pub found: HybridResult<'a, T>,
}

impl<T: Real> Answered<'_, T> {
    /// The answer in one column.
    pub fn get(&self, column: usize) -> HybridAnswer<T> {
        let c = column % BLOCK;
        let (distance, a, b) = match self.found {
            HybridResult::Iterative(trial) => (trial.distance[c], &trial.point_a, &trial.point_b),
            HybridResult::Exact(block) => (block.distance[c], &block.point_a, &block.point_b),
        };
        HybridAnswer {
            contact: self.contact >> c & 1 != 0,
            exact: matches!(self.found, HybridResult::Exact(_)),
            distance,
            point_a: a.map(|row| row[c]),
            point_b: b.map(|row| row[c]),
        }
    }
}

/// Answer for one pair.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct HybridAnswer<T> {
    /// Whether the triangles are within the threshold.
    pub contact: bool,
    /// Whether the exact kernel computed the answer; else distance and points are those of the last iterate.
    pub exact: bool,
    /// Distance of the points.
    pub distance: T,
    /// The point on A.
    pub point_a: [T; 3],
    /// The point on B.
    pub point_b: [T; 3],
}

/// Receives answers. Each pair comes once; pairs of the exact kernel come later than their neighbours.
pub trait AnswerSink<T> {
    /// Takes some answers.
    fn put(&mut self, answered: &Answered<'_, T>);
}

/// Stores each answer at the index of its pair; drops pairs beyond the end of the slice.
#[derive(Debug)]
pub struct Answers<'a, T>(pub &'a mut [HybridAnswer<T>]);

impl<T: Real> AnswerSink<T> for Answers<'_, T> {
    fn put(&mut self, answered: &Answered<'_, T>) {
        for (column, pair) in answered.pairs.iter().enumerate() {
            if answered.answered >> column & 1 != 0
                && let Some(to) = self.0.get_mut(*pair)
            {
                *to = answered.get(column);
            }
        }
    }
}

/// Decides which pairs of a source are within their thresholds: by the iterative kernel, and by the exact kernel for
/// unresolved pairs (P0 Algorithm 3.1, P4 section 4.3). Results have the same bits on every instruction set.
///
/// Errors: as [`super::contacts_iterative`]; [`Kind::OutOfRange`] for another size of batch.
///
/// Cost: that of the iterative kernel for all pairs, and of the exact kernel for [`Statistics::exact`] of them.
pub fn contacts_hybrid<T: Sweep>(
    isa: Isa,
    parameters: &Hybrid,
    source: &dyn Source<T>,
    thresholds: Thresholds<'_, T>,
    sink: &mut dyn AnswerSink<T>,
) -> Result<Statistics> {
    let n = source.len();
    thresholds.check(n)?;
    if let Fallback::Batches(size) = parameters.fallback
        && !matches!(size, 1 | 2 | 4 | 8 | 16)
    {
        return Err(Error::new(Kind::OutOfRange, What::Options));
    }
    let mut run = Run { isa, parameters, sink, open: Open::new(), statistics: Statistics::default() };
    let mut input: Coordinates<T> = [[T::default(); BLOCK]; 18];
    let mut row = [T::default(); BLOCK];
    let mut trial = Trial::new();
    let mut at = 0;
    while at < n {
        let count = min(n - at, BLOCK);
        source.fill(at, count, &mut input);
        thresholds.fill(at, count, &mut row);
        try_block(isa, &parameters.iterative, &input, &row, at, count, &mut trial)?;
        run.take(&input, &row, at, count, &trial)?;
        at += BLOCK;
    }
    run.flush()?;
    Ok(run.statistics)
}

/// A buffer of pairs for the exact kernel, one per column.
struct Open<T> {
    coordinates: Coordinates<T>,
    thresholds: [T; BLOCK],
    pairs: [usize; BLOCK],
    count: usize,
}

impl<T: Real> Open<T> {
    fn new() -> Self {
        let zero = [T::default(); BLOCK];
        Open { coordinates: [zero; 18], thresholds: zero, pairs: [0; BLOCK], count: 0 }
    }

    fn push(&mut self, from: &Coordinates<T>, column: usize, threshold: T, pair: usize) {
        let c = self.count % BLOCK;
        for (to, from) in self.coordinates.iter_mut().zip(from) {
            to[c] = from[column];
        }
        self.thresholds[c] = threshold;
        self.pairs[c] = pair;
        self.count = c + 1;
    }
}

struct Run<'a, 'b, T> {
    isa: Isa,
    parameters: &'a Hybrid,
    sink: &'b mut dyn AnswerSink<T>,
    open: Open<T>,
    statistics: Statistics,
}

impl<T: Sweep> Run<'_, '_, T> {
    /// Passes on resolved pairs of a trial, and buffers the others for the exact kernel.
    fn take(
        &mut self,
        input: &Coordinates<T>,
        thresholds: &[T; BLOCK],
        at: usize,
        count: usize,
        trial: &Trial<T>,
    ) -> Result<()> {
        let used = u32::MAX >> (32 - count);
        let unresolved = used & !(trial.contact | trial.none);
        let again = if self.parameters.exact_contacts { trial.contact } else { 0 };
        let mut exact = (self.whole_batches(unresolved, count) | again) & used;
        let answered = used & !exact;
        self.statistics.pairs += count as u64;
        self.statistics.unresolved += u64::from(unresolved.count_ones());
        if answered != 0 {
            let pairs = core::array::from_fn(|c| at + c);
            let contact = trial.contact & answered;
            self.statistics.contacts += u64::from(contact.count_ones());
            self.sink.put(&Answered { pairs: &pairs, answered, contact, found: HybridResult::Iterative(trial) });
        }
        while exact != 0 {
            let c = exact.trailing_zeros() as usize;
            exact &= exact - 1;
            self.open.push(input, c, thresholds[c], at + c);
            if self.open.count == BLOCK {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// The unresolved columns, with the others of their batches.
    fn whole_batches(&mut self, unresolved: u32, count: usize) -> u32 {
        let Fallback::Batches(size) = self.parameters.fallback else { return unresolved };
        let mut all = 0;
        let mut first = 0;
        while first < count as u32 {
            let batch = (u32::MAX >> (32 - size)) << first;
            let exact = unresolved & batch != 0;
            all |= if exact { batch } else { 0 };
            self.statistics.batches += 1;
            self.statistics.exact_batches += u64::from(exact);
            first += size;
        }
        all
    }

    /// Runs the exact kernel on the buffered pairs.
    fn flush(&mut self) -> Result<()> {
        let count = self.open.count;
        if count == 0 {
            return Ok(());
        }
        self.open.count = 0;
        self.statistics.exact += count as u64;
        let mut sink = Compare { open: &self.open, sink: &mut *self.sink, contacts: 0 };
        closest_points(self.isa, &OneBlock(&self.open.coordinates, count), &mut sink)?;
        self.statistics.contacts += sink.contacts;
        Ok(())
    }
}

/// Compares exact distances with the thresholds.
struct Compare<'a, 'b, T> {
    open: &'a Open<T>,
    sink: &'b mut dyn AnswerSink<T>,
    contacts: u64,
}

impl<T: Real> Sink<T> for Compare<'_, '_, T> {
    fn put(&mut self, _: usize, count: usize, block: &Block<T>) {
        let answered = u32::MAX >> (32 - count);
        let mut contact = 0;
        for (c, (distance, threshold)) in block.distance.iter().zip(&self.open.thresholds).enumerate() {
            contact |= u32::from(distance <= threshold) << c;
        }
        contact &= answered;
        self.contacts += u64::from(contact.count_ones());
        self.sink.put(&Answered { pairs: &self.open.pairs, answered, contact, found: HybridResult::Exact(block) });
    }
}
