//! The records of the answer, and where they go.

use crate::error::{Error, Result, What};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Two bodies whose spheres, margin included, touch or overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Candidate {
    /// The body with the smaller index.
    pub a: u32,
    /// The other one; `a` itself where a body meets its own image.
    pub b: u32,
    /// How many periods B is moved along each axis to where it meets A; 0 along open axes.
    pub shift: [i16; 3],
    /// 0.
    pub spare: u16,
}

impl Candidate {
    /// The record of `q`, moved by `shift` periods, meeting `p`, whichever is the smaller one.
    #[inline(always)]
    pub(crate) fn new(p: u32, q: u32, shift: [i16; 3]) -> Self {
        if p < q || (p == q && shift > [0; 3]) {
            Candidate { a: p, b: q, shift, spare: 0 }
        } else {
            Candidate { a: q, b: p, shift: shift.map(|s| -s), spare: 0 }
        }
    }
}

/// Records in the caller's array; what does not fit is only counted.
pub(crate) struct Room<'o> {
    out: &'o mut [Candidate],
    count: usize,
}

impl<'o> Room<'o> {
    pub(crate) fn new(out: &'o mut [Candidate]) -> Self {
        Room { out, count: 0 }
    }

    #[inline(always)]
    pub(crate) fn put(&mut self, candidate: Candidate) {
        if let Some(to) = self.out.get_mut(self.count) {
            *to = candidate;
        }
        self.count += 1;
    }

    /// How many there are, whether or not there was room for them.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the number that there are.
    pub(crate) fn finish(self) -> Result<usize> {
        if self.count > self.out.len() {
            return Err(Error::capacity(What::Output, self.count as u64, self.out.len() as u64));
        }
        Ok(self.count)
    }
}
