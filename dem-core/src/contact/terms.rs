//! The faces of one body in the cells of the other, added up: one sum for faces and cells in a row whose patches are the same.
//!
//! The cells of a triangle are met by all faces near it, cell by cell, several faces at once. Those that have something in the cell
//! are added up in the order in which they came, whenever they were clipped. So what the filter let through without need, which
//! depends on the instruction set and on which body comes first, leaves no trace: not in the order of additions either.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::cells::Cell;
use super::clip::{Batch, COLUMNS, CUTS};
use super::gather::Side;
use super::measure::{Cuts, Faces, Moments, Waiting};
use super::turned::{Turn, Turned};
use crate::mesh::NONE;
use crate::narrow::{ids, key};
use crate::real::min;
use crate::simd::{Kernel, Simd};

/// Faces and cells of one pair of patches, in the frame of the cells.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Term {
    /// Patch of A, patch of B.
    pub patches: u64,
    /// Zero where faces and cells have nothing in common.
    pub area: f64,
    pub pressure: f64,
    /// Sum of areas times halos.
    pub halo: f64,
    pub first: [f64; 3],
    /// Sum of pressures times normals.
    pub force: [f64; 3],
    pub torque: [f64; 3],
    pub least_gap: f64,
}

impl Term {
    fn none(patches: u64) -> Self {
        let zero = [0.0; 3];
        let (first, force, torque) = (zero, zero, zero);
        Term { patches, area: 0.0, pressure: 0.0, halo: 0.0, first, force, torque, least_gap: f64::INFINITY }
    }

    #[inline(always)]
    fn add(&mut self, m: &Moments, u: [f64; 3], halo: f64) {
        let x = m.first;
        let torque = [x[1] * u[2] - x[2] * u[1], x[2] * u[0] - x[0] * u[2], x[0] * u[1] - x[1] * u[0]];
        self.area += m.area;
        self.pressure += m.pressure;
        self.halo += m.area * halo;
        for k in 0..3 {
            self.first[k] += x[k];
            self.force[k] += u[k] * m.pressure;
            self.torque[k] += torque[k];
        }
        self.least_gap = min(self.least_gap, m.least_gap);
    }
}

/// Terms that come one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub first: usize,
    pub count: usize,
}

/// Terms, written as long as there is room and counted always.
pub(super) struct List<'s> {
    pub terms: &'s mut [Term],
    pub count: usize,
    /// Patches of the last one of this half.
    last: Option<u64>,
}

impl<'s> List<'s> {
    /// Goes on behind the first `count`.
    pub fn new(terms: &'s mut [Term], count: usize) -> Self {
        List { terms, count, last: None }
    }

    /// The number of a term of these patches: the last one, or a new one.
    #[inline(always)]
    fn of(&mut self, patches: u64) -> u32 {
        if self.last != Some(patches) {
            self.last = Some(patches);
            if let Some(to) = self.terms.get_mut(self.count) {
                *to = Term::none(patches);
            }
            self.count += 1;
        }
        (self.count - 1) as u32
    }
}

/// The last terms of single pairs of triangles, so that the cells of one patch share one.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Known {
    pairs: [Pair; KNOWN],
}

const KNOWN: usize = 256;

#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Pair {
    pair: u64,
    term: u64,
}

impl Known {
    #[inline(always)]
    fn of(&mut self, pair: u64, patches: u64, list: &mut List<'_>) -> u32 {
        let known = &mut self.pairs[pair as usize & (KNOWN - 1)];
        if known.pair != pair {
            *known = Pair { pair, term: u64::from(list.of(patches)) };
        }
        known.term as u32
    }
}

/// A face in a cell, from when it came until it is added up.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Arrival {
    moments: Moments,
    halo: f64,
    normal: [f64; 3],
    patches: u64,
    /// The triangles of face and cell, where other cells of this patch may have met the same face; else [`NO_PAIR`].
    pair: u64,
    /// The queue that it is in.
    cuts: u32,
    /// [`WAITS`], [`EMPTY`] or [`MEASURED`].
    state: u32,
}

const NO_PAIR: u64 = u64::MAX;
/// It is in a queue.
const WAITS: u32 = 0;
/// Face and cell have nothing in common.
const EMPTY: u32 = 1;
/// Its moments are there.
const MEASURED: u32 = 2;

/// Arrivals that have not been added up, in their order.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Arrivals {
    ring: [Arrival; ARRIVALS],
    /// How many have been added up.
    done: u64,
    /// How many have come.
    all: u64,
}

const ARRIVALS: usize = 128;

impl Arrivals {
    #[inline(always)]
    fn is_full(&self) -> bool {
        self.all - self.done == ARRIVALS as u64
    }

    /// The queue of the first one.
    #[inline(always)]
    fn first_cuts(&self) -> usize {
        self.ring[self.done as usize & (ARRIVALS - 1)].cuts as usize
    }

    /// The place of one more; there is room.
    #[inline(always)]
    fn next(&mut self) -> (usize, &mut Arrival) {
        let at = self.all as usize & (ARRIVALS - 1);
        self.all += 1;
        (at, &mut self.ring[at])
    }

    /// Adds up those that nobody before them is waited for.
    #[inline(always)]
    fn settle(&mut self, known: &mut Known, list: &mut List<'_>) {
        while self.done != self.all {
            let arrival = &self.ring[self.done as usize & (ARRIVALS - 1)];
            if arrival.state == WAITS {
                return;
            }
            self.done += 1;
            if arrival.state == MEASURED {
                let term = match arrival.pair {
                    NO_PAIR => list.of(arrival.patches),
                    pair => known.of(pair, arrival.patches, list),
                };
                if let Some(term) = list.terms.get_mut(term as usize) {
                    term.add(&arrival.moments, arrival.normal, arrival.halo);
                }
            }
        }
    }
}

/// Faces in cells that are cut equally often and wait to be clipped together.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Queue {
    batch: Batch,
    waiting: [Waiting; COLUMNS],
    /// Places among the arrivals.
    arrival: [u32; COLUMNS],
    count: u64,
}

impl Queue {
    #[inline(always)]
    fn flush<S: Simd>(&mut self, simd: S, cuts: usize, arrivals: &mut Arrivals) {
        let count = min(self.count as usize, COLUMNS);
        self.batch.clip::<S::F64>(simd, cuts, count);
        for column in 0..count {
            let waiting = &self.waiting[column];
            let arrival = &mut arrivals.ring[self.arrival[column] as usize & (ARRIVALS - 1)];
            (arrival.halo, arrival.state) = (waiting.halo, EMPTY);
            if let Some(moments) = waiting.moments(&self.batch.integrals(column)) {
                (arrival.moments, arrival.state) = (moments, MEASURED);
            }
        }
        self.count = 0;
    }

    /// Moves all to a queue of one cut more, which changes nothing, if there is room.
    #[inline(always)]
    fn join(&mut self, cuts: usize, next: &mut Queue) {
        let (count, before) = (self.count as usize, next.count as usize);
        if count + before > COLUMNS || cuts >= CUTS {
            return;
        }
        for from in 0..count {
            let (from, to) = (from & (COLUMNS - 1), (before + from) & (COLUMNS - 1));
            self.batch.copy_column(cuts, from, &mut next.batch, to);
            next.waiting[to] = self.waiting[from];
            next.arrival[to] = self.arrival[from];
        }
        next.count += self.count;
        self.count = 0;
    }
}

/// The faces of one body in the cells of the other.
pub(super) struct Half<'h> {
    pub turn: Turn<'h>,
    pub cells: &'h Side<'h>,
    pub a_has_cells: bool,
    /// Gaps count from here on, in the units of the cells' mesh.
    pub floor: f64,
    /// Pairs of a triangle that cells belong to and a face's place in the list, in order.
    pub near: &'h [u64],
    pub faces: &'h [Turned],
}

/// All that it takes beside the list; zero to begin with.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Work {
    queues: [Queue; CUTS + 1],
    arrivals: Arrivals,
    known: Known,
    cuts: Cuts,
    /// The faces near one triangle.
    faces: [Faces; BLOCKS],
}

/// Blocks of faces that are side by side at once.
const BLOCKS: usize = 16;

/// The terms of one half.
pub(super) struct Terms<'h, 's> {
    pub half: &'h Half<'h>,
    pub list: &'h mut List<'s>,
    pub work: &'h mut Work,
}

impl Kernel for Terms<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Terms { half, list, work } = self;
        work.known.pairs.fill(Pair { pair: u64::MAX, term: 0 });
        let mut rest = half.near;
        while let Some(first) = rest.first() {
            let (triangle, _) = ids(*first);
            let (group, later) = rest.split_at(run_of(rest, triangle));
            rest = later;
            half.triangle(simd, &Group { triangle, pairs: group, faces: half.faces }, work, list);
        }
        // Few are left of each, so they are put together.
        for cuts in 0..=CUTS {
            let (queue, next) = work.queues[cuts..].split_at_mut(1);
            if let (Some(queue), Some(next)) = (queue.first_mut(), next.first_mut()) {
                queue.join(cuts, next);
            }
            work.queues[cuts].flush(simd, cuts, &mut work.arrivals);
        }
        work.arrivals.settle(&mut work.known, list);
    }
}

/// All faces near one triangle.
struct Group<'g> {
    triangle: u32,
    pairs: &'g [u64],
    faces: &'g [Turned],
}

/// A cell, and where its terms go.
struct InCell<'c, 's> {
    cell: &'c Cell,
    sides: &'c [[f64; 4]],
    group: &'c Group<'c>,
    /// Patch of the triangle.
    own: u32,
    queues: &'c mut [Queue; CUTS + 1],
    arrivals: &'c mut Arrivals,
    known: &'c mut Known,
    cuts: &'c mut Cuts,
    list: &'c mut List<'s>,
}

/// How many pairs in a row begin with the same triangle.
#[inline(always)]
fn run_of(pairs: &[u64], triangle: u32) -> usize {
    let mut end = 0;
    while end < pairs.len() && ids(pairs[end]).0 == triangle {
        end += 1;
    }
    end
}

impl Half<'_> {
    #[inline(always)]
    fn triangle<S: Simd>(&self, simd: S, group: &Group<'_>, work: &mut Work, list: &mut List<'_>) {
        let cells = &self.cells.cells;
        let Work { queues, arrivals, known, cuts, faces } = work;
        let at_once = faces.len() * COLUMNS;
        let halo = self.cells.operand.halo(group.triangle as usize);
        // Where not all fit, they are gathered again for each cell, so that the order is the same.
        let fit = group.pairs.len() <= at_once;
        let mut blocks = if fit { self.turn.gather(group.faces, group.pairs, halo, faces) } else { 0 };
        let own = cells.patch.get(group.triangle as usize).copied().unwrap_or(NONE);
        for c in cells.of(group.triangle as usize) {
            let Some(cell) = cells.cell.get(c) else { continue };
            let sides = cells.sides(cell);
            let mut in_cell = InCell { cell, sides, group, own, queues, arrivals, known, cuts, list };
            let mut rest = group.pairs;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(min(rest.len(), at_once));
                rest = later;
                if !fit {
                    blocks = self.turn.gather(group.faces, now, halo, faces);
                }
                for faces in faces.iter().take(blocks) {
                    self.faces(simd, faces, &mut in_cell);
                }
            }
        }
    }

    /// Several faces in one cell.
    #[inline(always)]
    fn faces<S: Simd>(&self, simd: S, faces: &Faces, to: &mut InCell<'_, '_>) {
        let mut bits = to.cuts.prepare::<S::F64>(simd, faces, to.cell, to.sides, self.floor);
        while bits != 0 {
            let face = bits.trailing_zeros() as usize & (COLUMNS - 1);
            bits &= bits - 1;
            let number = min(to.cuts.number(face), CUTS);
            let (at, arrival) = to.arrivals.next();
            arrival.normal = to.cell.normal;
            arrival.patches = self.patches(faces.patch[face], to.cell.patch);
            arrival.pair = if to.cell.patch == to.own { key(to.group.triangle, faces.id[face]) } else { NO_PAIR };
            (arrival.cuts, arrival.state) = (number as u32, WAITS);
            let queue = &mut to.queues[number];
            let column = queue.count as usize & (COLUMNS - 1);
            queue.waiting[column] = to.cuts.put(faces, face, &mut queue.batch, column);
            queue.arrival[column] = at as u32;
            queue.count = column as u64 + 1;
            // All that is clipped is so here, in one place. Where the first arrival still waits and there is no room for more, few are cut
            // so often.
            let (mut clip, mut cuts) = (column + 1 == COLUMNS, number);
            while clip || to.arrivals.is_full() {
                if !clip {
                    cuts = min(to.arrivals.first_cuts(), CUTS);
                }
                to.queues[cuts].flush(simd, cuts, to.arrivals);
                to.arrivals.settle(to.known, to.list);
                clip = false;
            }
        }
    }

    /// The patches of a face and a cell, A's in the upper half.
    #[inline(always)]
    fn patches(&self, of_face: u32, of_cell: u32) -> u64 {
        if self.a_has_cells { key(of_cell, of_face) } else { key(of_face, of_cell) }
    }
}
