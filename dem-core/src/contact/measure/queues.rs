//! Faces in cells between their arrival and their summation: queues of faces that are clipped together, and the order of arrival, in which
//! integrals are added.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::{Batch, COLUMNS, CUTS, Clip, Corners};
use super::energy::Field;
use super::face::{Cuts, Faces, Moments, Waiting};
use super::second_moments::{Spread, Wide};
use super::term::{Address, Known, List, Term};
use crate::contact::spread::Wants;
use crate::real::min;
use crate::simd::Simd;

/// A face in a cell.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Arrival {
    moments: Moments,
    halo: f64,
    /// Direction of the force: the cell's normal, or a normal of the face.
    normal: [f64; 3],
    /// Weight of area and pressure.
    facing: f64,
    /// 0 unless energies are requested.
    energy: f64,
    /// Second moments, if they are requested.
    wide: Wide,
    to: Address,
    /// The index of its queue.
    cuts: u32,
    /// [`WAITS`], [`EMPTY`] or [`MEASURED`].
    state: u32,
}

impl Arrival {
    #[inline(never)]
    fn widen(&self, term: &mut Term) {
        let (own, even) = self.wide.of(&self.moments, self.facing);
        term.widen(&own, even);
    }
}

/// Bits of [`Arrivals::wants`].
const ENERGIES: u64 = 1;
const SPREADS: u64 = 2;

/// The face is in a queue.
const WAITS: u32 = 0;
/// The face has no part in the cell.
const EMPTY: u32 = 1;
/// The moments are computed.
const MEASURED: u32 = 2;

/// Largest number of arrivals that are not added up.
const ARRIVALS: usize = 128;

/// Arrivals that are not added up.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Arrivals {
    /// One queue for each number of cuts.
    queues: [Queue; CUTS + 1],
    /// Arrivals in order of arrival.
    ring: [Arrival; ARRIVALS],
    /// Number of arrivals added up.
    done: u64,
    /// Number of all arrivals.
    all: u64,
    /// [`ENERGIES`] and [`SPREADS`].
    wants: u64,
    /// Corners of the queue that is being clipped, if energies or second moments are requested.
    corners: Corners,
    known: Known,
}

impl Arrivals {
    /// Resets it for a new list of terms.
    pub fn begin(&mut self, wants: Wants) {
        self.wants = if wants.energy { ENERGIES } else { 0 } | if wants.spread { SPREADS } else { 0 };
        self.queues.iter_mut().for_each(|queue| queue.count = NEW);
        (self.done, self.all) = (0, 0);
    }

    /// Adds a face with these cuts.
    #[inline(always)]
    pub fn put<S: Simd>(
        &mut self,
        simd: S,
        (cuts, faces, face): (&Cuts, &Faces, usize),
        field: Option<Field>,
        normal: [f64; 3],
        to: Address,
        list: &mut List<'_>,
    ) {
        let number = min(cuts.number(face), CUTS);
        // The only place where queues are clipped. A full queue is clipped when the next face needs room, because its last stores have reached
        // the cache by then. If the ring is full and its oldest arrival still waits, the queue of that arrival is clipped although it is not
        // full.
        let mut clip = self.queues[number].count >= COLUMNS as u64;
        if clip && self.queues[number].is_new() {
            self.queues[number].open(number);
            clip = false;
        }
        while clip || self.is_full() {
            let first = self.ring[self.done as usize & (ARRIVALS - 1)].cuts as usize;
            let which = if clip { number } else { min(first, CUTS) };
            self.flush(simd, which);
            self.settle(list);
            clip = false;
        }
        let at = self.all as usize & (ARRIVALS - 1);
        self.all += 1;
        let arrival = &mut self.ring[at];
        (arrival.normal, arrival.facing, arrival.to) = (normal, cuts.facing(face), to);
        (arrival.cuts, arrival.state) = (number as u32, WAITS);
        let queue = &mut self.queues[number];
        let column = queue.count as usize & (COLUMNS - 1);
        queue.waiting[column] = cuts.put(faces, face, &mut queue.batch, column);
        queue.arrival[column] = at as u32;
        if let Some(field) = field {
            queue.field[column] = field;
        }
        queue.count = column as u64 + 1;
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.all - self.done == ARRIVALS as u64
    }

    /// Adds up all waiting arrivals.
    #[inline(always)]
    pub fn finish<S: Simd>(&mut self, simd: S, list: &mut List<'_>) {
        // Few faces are left in each queue, so queues are merged.
        for cuts in 0..=CUTS {
            if self.queues[cuts].count == 0 || self.queues[cuts].is_new() {
                continue;
            }
            let (queue, next) = self.queues[cuts..].split_at_mut(1);
            if let (Some(queue), Some(next)) = (queue.first_mut(), next.first_mut()) {
                queue.join(cuts, next);
            }
            self.flush(simd, cuts);
        }
        self.settle(list);
    }

    #[inline(always)]
    fn flush<S: Simd>(&mut self, simd: S, which: usize) {
        let Arrivals { queues, ring, corners, wants, .. } = self;
        queues[which].flush(simd, which, ring, (*wants != 0).then_some((corners, *wants)));
    }

    /// Adds up measured arrivals in their order, up to the first one that still waits for its result.
    #[inline(always)]
    fn settle(&mut self, list: &mut List<'_>) {
        while self.done != self.all {
            let arrival = &self.ring[self.done as usize & (ARRIVALS - 1)];
            if arrival.state == WAITS {
                return;
            }
            self.done += 1;
            if arrival.state == MEASURED
                && let Some(term) = list.at(&mut self.known, &arrival.to)
            {
                if self.wants & SPREADS != 0 {
                    arrival.widen(term);
                }
                term.add(&arrival.moments, arrival.normal, arrival.facing, arrival.halo, arrival.to.prism);
                term.energy += arrival.energy;
            }
        }
    }
}

/// Faces with the same number of cuts, which wait to be clipped together.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Queue {
    batch: Batch,
    waiting: [Waiting; COLUMNS],
    /// Fields of energies, if energies are requested.
    field: [Field; COLUMNS],
    /// Indices in the ring.
    arrival: [u32; COLUMNS],
    count: u64,
}

/// [`Queue::count`] of a queue that was never used.
const NEW: u64 = u64::MAX;

impl Queue {
    #[inline(always)]
    fn is_new(&self) -> bool {
        self.count == NEW
    }

    /// Clears the batch: unused lanes are computed, too, and must not read uninitialised bytes.
    #[inline(always)]
    fn open(&mut self, cuts: usize) {
        self.batch.clear(cuts);
        self.count = 0;
    }

    #[inline(always)]
    fn flush<S: Simd>(
        &mut self,
        simd: S,
        cuts: usize,
        ring: &mut [Arrival; ARRIVALS],
        mut corners: Option<(&mut Corners, u64)>,
    ) {
        let count = min(self.count as usize, COLUMNS);
        simd.call(Clip {
            batch: &mut self.batch,
            cuts,
            count,
            corners: corners.as_mut().map(|(corners, _)| &mut **corners),
        });
        let sums = match &corners {
            Some((corners, wants)) if wants & SPREADS != 0 => {
                Some(simd.call(Spread { batch: &self.batch, corners, cuts, count }))
            }
            _ => None,
        };
        for column in 0..count {
            let waiting = &self.waiting[column];
            let arrival = &mut ring[self.arrival[column] as usize & (ARRIVALS - 1)];
            (arrival.halo, arrival.energy, arrival.state) = (waiting.halo, 0.0, EMPTY);
            if let Some(moments) = waiting.moments(&self.batch.integrals(column)) {
                (arrival.moments, arrival.state) = (moments, MEASURED);
                if let Some((corners, wants)) = &corners
                    && wants & ENERGIES != 0
                {
                    arrival.energy = self.field[column].energy(corners, column, 3 + cuts);
                }
                if let Some(sums) = &sums {
                    arrival.wide = waiting.wide(&self.batch.integrals(column), sums, column);
                }
            }
        }
        self.count = 0;
    }

    /// Moves all faces to the queue for one more cut, which cuts nothing off, if there is room.
    #[inline(always)]
    fn join(&mut self, cuts: usize, next: &mut Queue) {
        if next.is_new() {
            next.open(cuts + 1);
        }
        let (count, before) = (self.count as usize, next.count as usize);
        if count + before > COLUMNS || cuts >= CUTS {
            return;
        }
        for from in 0..count {
            let (from, to) = (from & (COLUMNS - 1), (before + from) & (COLUMNS - 1));
            self.batch.copy_column(cuts, from, &mut next.batch, to);
            (next.waiting[to], next.field[to]) = (self.waiting[from], self.field[from]);
            next.arrival[to] = self.arrival[from];
        }
        next.count += self.count;
        self.count = 0;
    }
}
