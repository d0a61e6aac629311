//! Sums over faces and cells of one pair of patches, and lists of such sums.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::face::Moments;
use crate::contact::spread::{Gathered, Tensor};
use crate::real::min;
use crate::vector::cross;

/// Faces and cells of one pair of patches, in the frame of the cells.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Term {
    /// Patch of A, patch of B.
    pub patches: u64,
    /// Zero where no face has a part in a cell.
    pub area: f64,
    pub pressure: f64,
    /// Sum of areas times halos.
    pub halo: f64,
    pub first: [f64; 3],
    /// Sum of pressures times normals.
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub least_gap: f64,
    /// The part of the pressure on faces that look at a prism ([`LOOKS_AT`]).
    pub prisms: f64,
    /// Energy over the stiffness; 0 unless energies are requested.
    pub energy: f64,
    /// The part of the pressure on faces in prisms ([`IN_PRISM`]).
    pub flat: f64,
    /// `int x dA`, weighted as the area, and the second moment of the pressure about its centre; 0 unless second moments are requested.
    pub even: [f64; 3],
    pub second: Tensor,
}

/// [`Address::prism`] of a face that looks at a prism.
pub(in crate::contact) const LOOKS_AT: u8 = 1;
/// [`Address::prism`] of any face in a prism.
pub(in crate::contact) const IN_PRISM: u8 = 2;

impl Term {
    pub const fn none(patches: u64) -> Self {
        let zero = [0.0; 3];
        let (first, force, torque) = (zero, zero, zero);
        Term {
            patches,
            area: 0.0,
            pressure: 0.0,
            halo: 0.0,
            first,
            force,
            torque,
            least_gap: f64::INFINITY,
            prisms: 0.0,
            energy: 0.0,
            flat: 0.0,
            even: zero,
            second: [0.0; 6],
        }
    }

    /// The pressure with its centre and second moment.
    #[inline(always)]
    pub fn gathered(&self) -> Gathered {
        let centre = if self.pressure > 0.0 { self.first.map(|x| x / self.pressure) } else { [0.0; 3] };
        Gathered { weight: self.pressure, centre, second: self.second }
    }

    /// Adds to the second moments; must be called before the rest is added.
    pub fn widen(&mut self, other: &Gathered, even: [f64; 3]) {
        let mut all = self.gathered();
        all.join(other);
        self.second = all.second;
        for (to, x) in self.even.iter_mut().zip(even) {
            *to += x;
        }
    }

    /// Adds a face in a cell, with a force along u. Area and centre have the weight `facing`; `prism` is [`Address::prism`].
    #[inline(always)]
    pub fn add(&mut self, m: &Moments, u: [f64; 3], facing: f64, halo: f64, prism: u8) {
        let x = m.first;
        let torque = cross(x, u);
        let area = m.area * facing;
        self.area += area;
        self.pressure += m.pressure * facing;
        self.halo += area * halo;
        for k in 0..3 {
            self.first[k] += x[k] * facing;
            self.force[k] += u[k] * m.pressure;
            self.torque[k] += torque[k];
        }
        self.least_gap = min(self.least_gap, m.least_gap);
        self.prisms += f64::from(prism & LOOKS_AT) * (facing * m.pressure);
        self.flat += f64::from(prism / IN_PRISM) * (m.pressure * facing);
    }
}

/// The sum of terms of the same patches, without their second moments.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Sum {
    pub area: f64,
    pub pressure: f64,
    pub halo: f64,
    pub first: [f64; 3],
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub least_gap: f64,
    pub prisms: f64,
    pub energy: f64,
    pub flat: f64,
}

impl Sum {
    /// All zeros.
    pub const ZERO: Sum = Sum {
        area: 0.0,
        pressure: 0.0,
        halo: 0.0,
        first: [0.0; 3],
        force: [0.0; 3],
        torque: [0.0; 3],
        least_gap: 0.0,
        prisms: 0.0,
        energy: 0.0,
        flat: 0.0,
    };
    /// The sum of no terms.
    pub const NONE: Sum = Sum { least_gap: f64::INFINITY, ..Sum::ZERO };

    #[inline(always)]
    pub fn join(&mut self, other: &Term) {
        self.area += other.area;
        self.pressure += other.pressure;
        self.halo += other.halo;
        for k in 0..3 {
            self.first[k] += other.first[k];
            self.force[k] += other.force[k];
            self.torque[k] += other.torque[k];
        }
        self.least_gap = min(self.least_gap, other.least_gap);
        self.prisms += other.prisms;
        self.energy += other.energy;
        self.flat += other.flat;
    }

    /// The pressure with its centre and this second moment.
    pub fn gathered(&self, second: Tensor) -> Gathered {
        let centre = if self.pressure > 0.0 { self.first.map(|x| x / self.pressure) } else { [0.0; 3] };
        Gathered { weight: self.pressure, centre, second }
    }
}

/// A range of consecutive terms.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::contact) struct Run {
    pub first: usize,
    pub count: usize,
}

/// The term to which a face in a cell is added.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Address {
    /// A's patch, B's patch.
    pub patches: u64,
    /// The triangles of cell and face.
    pub pair: u64,
    /// The block of triangles; a term does not continue in the next block.
    pub block: u32,
    /// The number of the piece.
    pub piece: u16,
    /// Whether other cells of this patch may contain the same face.
    pub shared: u8,
    /// [`LOOKS_AT`] and [`IN_PRISM`].
    pub prism: u8,
}

/// A cache of the last terms of single triangle pairs, so that the cells of one patch share one term.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Known {
    pairs: [u64; KNOWN],
    terms: [u32; KNOWN],
    /// A bit for each valid entry.
    is: [u64; KNOWN / 64],
}

const KNOWN: usize = 256;

impl Known {
    pub fn clear(&mut self) {
        self.is.fill(0);
    }
}

/// Terms, written as long as there is room and always counted: the terms of a piece are a run.
pub(in crate::contact) struct List<'s> {
    terms: &'s mut [Term],
    /// One run for each piece.
    runs: &'s mut [Run],
    /// Index of the first of these terms among the terms of all threads.
    first: usize,
    count: usize,
    /// The piece, and the number of terms before it.
    piece: Option<(u16, usize)>,
    /// Patches and block of the last term of this piece.
    last: Option<(u64, u32)>,
}

impl<'s> List<'s> {
    /// Continues after the first `count` of terms that begin at `first`.
    pub fn new(terms: &'s mut [Term], first: usize, count: usize, runs: &'s mut [Run]) -> Self {
        List { terms, runs, first, count, piece: None, last: None }
    }

    /// Ends the last run, and returns the number of terms.
    pub fn finish(mut self) -> usize {
        self.end();
        self.count
    }

    /// The term to add to; `None` if there was no room for it. Terms of one piece are consecutive.
    #[inline(always)]
    pub fn at(&mut self, known: &mut Known, to: &Address) -> Option<&mut Term> {
        if self.piece.is_none_or(|(piece, _)| piece != to.piece) {
            self.end();
            self.piece = Some((to.piece, self.count));
            // Another piece may use the same indices for other triangles.
            known.clear();
        }
        let term = if to.shared != 0 {
            let place = to.pair as usize & (KNOWN - 1);
            let (is, bit) = (&mut known.is[place / 64], 1 << (place % 64));
            if *is & bit == 0 || known.pairs[place] != to.pair {
                *is |= bit;
                known.pairs[place] = to.pair;
                // Indices beyond 32 bits are beyond the room as well.
                known.terms[place] = u32::try_from(self.of(to)).unwrap_or(u32::MAX);
            }
            known.terms[place] as usize
        } else {
            self.of(to)
        };
        self.terms.get_mut(term)
    }

    /// The only write to a run: neighbouring runs belong to other threads.
    fn end(&mut self) {
        self.last = None;
        if let Some((piece, before)) = self.piece.take()
            && let Some(run) = self.runs.get_mut(usize::from(piece))
        {
            *run = Run { first: self.first + before, count: self.count - before };
        }
    }

    /// The index of a term: the last one, or a new one.
    #[inline(always)]
    fn of(&mut self, to: &Address) -> usize {
        let name = (to.patches, to.block);
        if self.last != Some(name) {
            self.last = Some(name);
            if let Some(new) = self.terms.get_mut(self.count) {
                *new = Term::none(to.patches);
            }
            self.count += 1;
        }
        self.count - 1
    }
}
