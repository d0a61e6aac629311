//! The result of the iterative kernel for a pair.

use crate::real::Real;
use crate::triangle::BLOCK;

/// The three-valued answer for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Verdict {
    /// Farther apart than the threshold.
    None = 0,
    /// In contact.
    Contact = 1,
    /// Undecided after all sweeps: needs the exact kernel.
    Unresolved = 2,
}

/// The three-valued answers for a block of pairs.
#[derive(Clone, Copy, Debug)]
pub struct Trial<T> {
    /// Bit c: column c is in contact.
    pub contact: u32,
    /// Bit c: column c is not in contact.
    pub none: u32,
    /// Distance of the two points below; with [`Criterion::Certified`](crate::published::triangle::Criterion::Certified) a guaranteed upper
    /// bound.
    pub distance: [T; BLOCK],
    /// With [`Criterion::Certified`](crate::published::triangle::Criterion::Certified) a guaranteed lower bound of the distance; else 0.
    pub lower: [T; BLOCK],
    /// Points on A (or, with a paper's criterion, slightly outside of it): rows x, y, z.
    pub point_a: [[T; BLOCK]; 3],
    /// Points on B, in the same form.
    pub point_b: [[T; BLOCK]; 3],
}

impl<T: Real> Trial<T> {
    pub(crate) fn new() -> Self {
        let zero = [T::default(); BLOCK];
        Trial { contact: 0, none: 0, distance: zero, lower: zero, point_a: [zero; 3], point_b: [zero; 3] }
    }

    /// The answer for one pair.
    pub fn verdict(&self, column: usize) -> Verdict {
        match (self.contact >> (column % BLOCK) & 1, self.none >> (column % BLOCK) & 1) {
            (1, _) => Verdict::Contact,
            (_, 1) => Verdict::None,
            _ => Verdict::Unresolved,
        }
    }
}

/// Receives three-valued answers.
pub trait TrialSink<T> {
    /// Takes the answers for the pairs `at .. at + count` from the first `count` columns.
    fn put(&mut self, at: usize, count: usize, trial: &Trial<T>);
}
