//! The iterative kernel: three-valued answers for blocks of pairs (contact, none, unresolved) after a few sweeps (P0
//! Algorithm 3.1).
//!
//! Coordinates of a pair are relative to vertex 0 of B and scaled by a power of two, so that the largest one is in [1,
//! 2). So results do not depend on the unit of length or on the position of the pair.

mod lanes;
mod trial;

pub use trial::{Trial, TrialSink, Verdict};

use super::sweeps::Iterative;
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, min};
use crate::simd::{Isa, dispatch};
use crate::triangle::{self, Accuracy, BLOCK, Coordinates, Sink, Source};
use lanes::Block;

/// A number type of the iterative kernel.
pub trait Sweep: Accuracy {
    /// Runs the kernel on a block, and gives the columns that may hold NaN or infinity. A method of the number type, so
    /// that it is compiled once here instead of in every calling package.
    #[doc(hidden)]
    fn sweep(
        isa: Isa,
        parameters: &Iterative,
        input: &Coordinates<Self>,
        up_to: &[Self; BLOCK],
        count: usize,
        trial: &mut Trial<Self>,
    ) -> u32;
}

macro_rules! compiled_here {
    ($($number:ty),*) => {
        $(impl Sweep for $number {
            #[inline(never)]
            fn sweep(
                isa: Isa,
                parameters: &Iterative,
                input: &Coordinates<Self>,
                thresholds: &[Self; BLOCK],
                count: usize,
                trial: &mut Trial<Self>,
            ) -> u32 {
                dispatch(isa, Block { parameters, input, thresholds, count, trial })
            }
        })*
    };
}

compiled_here!(f32, f64);

/// Distances up to which pairs are in contact: the sum of both halos, 2 eps in the papers.
#[derive(Clone, Copy, Debug)]
pub enum Thresholds<'a, T> {
    /// The same threshold for all pairs.
    Same(T),
    /// A threshold for each pair.
    Each(&'a [T]),
}

impl<T: Real> Thresholds<'_, T> {
    /// Checks thresholds. Errors: [`Kind::NotFinite`], [`Kind::OutOfRange`] for a negative threshold,
    /// [`Kind::Capacity`] for too few.
    pub(crate) fn check(&self, pairs: usize) -> Result<()> {
        let one = |i: usize, x: T| match (x.is_finite(), x >= T::default()) {
            (false, _) => Err(Error::new(Kind::NotFinite, What::Halos).at(i as u64, 0)),
            (_, false) => Err(Error::new(Kind::OutOfRange, What::Halos).at(i as u64, 0)),
            _ => Ok(()),
        };
        match self {
            Thresholds::Same(x) => one(0, *x),
            Thresholds::Each(all) if all.len() < pairs => {
                Err(Error::capacity(What::Halos, pairs as u64, all.len() as u64))
            }
            Thresholds::Each(all) => all.iter().enumerate().try_for_each(|(i, x)| one(i, *x)),
        }
    }

    pub(crate) fn fill(&self, at: usize, count: usize, row: &mut [T; BLOCK]) {
        match self {
            Thresholds::Same(x) => *row = [*x; BLOCK],
            Thresholds::Each(all) => {
                for (to, from) in row.iter_mut().zip(all.iter().skip(at).take(count)) {
                    *to = *from;
                }
            }
        }
    }
}

/// A single block as a source of pairs.
pub(crate) struct OneBlock<'a, T>(pub &'a Coordinates<T>, pub usize);

impl<T: Real> Source<T> for OneBlock<'_, T> {
    fn len(&self) -> usize {
        self.1
    }
    fn fill(&self, _: usize, _: usize, block: &mut Coordinates<T>) {
        *block = *self.0;
    }
}

/// Three-valued answers for all pairs of a source (P0 Algorithm 3.1, lines 1 to 12).
///
/// With [`Criterion::Certified`](super::Criterion::Certified) answers are guaranteed: no contact is missed and none is
/// invented, whatever the triangles. With the papers' criteria both errors occur. Results have the same bits on every
/// instruction set.
///
/// Errors: as [`triangle::closest_points`]; [`Kind::NotFinite`], [`Kind::OutOfRange`] (negative) or [`Kind::Capacity`] about
/// the thresholds.
///
/// Cost: 100 to 150 lane operations for each sweep, 150 more for a proof.
pub fn contacts_iterative<T: Sweep>(
    isa: Isa,
    parameters: &Iterative,
    source: &dyn Source<T>,
    thresholds: Thresholds<'_, T>,
    sink: &mut dyn TrialSink<T>,
) -> Result<()> {
    let n = source.len();
    thresholds.check(n)?;
    let mut input: Coordinates<T> = [[T::default(); BLOCK]; 18];
    let mut row = [T::default(); BLOCK];
    let mut trial = Trial::new();
    let mut at = 0;
    while at < n {
        let count = min(n - at, BLOCK);
        source.fill(at, count, &mut input);
        thresholds.fill(at, count, &mut row);
        try_block(isa, parameters, &input, &row, at, count, &mut trial)?;
        sink.put(at, count, &trial);
        at += BLOCK;
    }
    Ok(())
}

/// One block: the pairs `at .. at + count`.
pub(crate) fn try_block<T: Sweep>(
    isa: Isa,
    parameters: &Iterative,
    input: &Coordinates<T>,
    thresholds: &[T; BLOCK],
    at: usize,
    count: usize,
    trial: &mut Trial<T>,
) -> Result<()> {
    let used = u32::MAX >> (32 - min(count, BLOCK));
    let suspect = T::sweep(isa, parameters, input, thresholds, count, trial);
    if suspect & used != 0 {
        not_finite(isa, input, at, count)?;
    }
    trial.contact &= used;
    trial.none &= used;
    Ok(())
}

/// The error for a number that is not finite, which the exact kernel's check finds.
#[cold]
fn not_finite<T: Accuracy>(isa: Isa, input: &Coordinates<T>, at: usize, count: usize) -> Result<()> {
    struct Nothing;
    impl<T> Sink<T> for Nothing {
        fn put(&mut self, _: usize, _: usize, _: &triangle::Block<T>) {}
    }
    let found = triangle::closest_points(isa, &OneBlock(input, count), &mut Nothing);
    found.map_err(|error| error.at(at as u64 + error.index, error.component))
}
