//! The faces of each body in the cells of the other one, on all threads.

use core::array;

use heapless::Vec;

use super::posed_faces::{self, Turn, Turned, Turning};
use super::query::{Room, Side};
use super::term::{List, Run, Term};
use super::terms::{Half, Piece, Terms, Work, block};
use crate::contact::Law;
use crate::contact::penetration::floor;
use crate::contact::spread::Wants;
use crate::error::Result;
use crate::exec::{Cut, CutMut, Serial, THREADS, each, each_with};
use crate::memory::sections;
use crate::mesh::NONE;
use crate::narrow::{Frame, NearPairs, Threads, ids, key, near_pairs_room, sort};
use crate::real::{max, min};
use crate::simd::dispatch;

/// With fewer pairs, one thread works alone.
pub(in crate::contact) const FEW: usize = 512;

/// Faces that a thread transforms at a time.
const FACES: usize = 256;

/// Scratch: work memory for the terms of both halves, and the terms of each thread.
pub(in crate::contact) struct Halves<'s> {
    turned: [&'s mut [Turned]; 2],
    work: &'s mut [Work],
    /// The terms of one thread after those of another.
    terms: &'s mut [Term],
    room: usize,
}

/// Largest number of pieces of both halves.
pub(in crate::contact) const PIECES: usize = 64;

/// The terms of both halves.
pub(in crate::contact) struct HalfTerms<'s> {
    pub terms: &'s [Term],
    /// The range of terms of each piece, in order.
    pub runs: &'s [Run],
    /// Number of runs in the cells of A; the other runs are in the cells of B.
    pub of_a: usize,
}

impl HalfTerms<'_> {
    /// The number of terms, including those without room, and the number of these in the cells of A.
    pub fn count(&self) -> [usize; 2] {
        let sum = |runs: &[Run]| runs.iter().map(|run| run.count).sum();
        [sum(self.runs), sum(self.runs.get(..self.of_a).unwrap_or_default())]
    }
}

/// The private memory of a thread.
struct Own<'s> {
    work: &'s mut Work,
    terms: &'s mut [Term],
    /// Index of its first term among the terms of all threads.
    first: usize,
    count: usize,
    used: bool,
}

sections! {
    /// Memory of [`Halves`] with this room, on this number of threads.
    pub(in crate::contact) struct HalvesMemory<'s>(a: &Side<'_>, b: &Side<'_>, room: Room, threads: usize) {
        of_a: [Turned; turned_size(a, room.pairs)],
        of_b: [Turned; turned_size(b, room.pairs)],
        work: [Work; 1] * threads,
        terms: [Term; room.terms as u64] * threads,
    }
}

impl<'s> Halves<'s> {
    /// With room for this number of terms on each thread.
    pub fn new(memory: HalvesMemory<'s>, room: usize) -> Self {
        let HalvesMemory { of_a, of_b, work, terms } = memory;
        Halves { turned: [of_a, of_b], work, terms, room }
    }

    /// Computes the terms of near pairs.
    // The caller provides the runs: returning this kilobyte would copy it.
    #[inline(never)]
    pub fn terms<'f>(
        &'f mut self,
        threads: Threads<'_>,
        [a, b]: [&Side<'_>; 2],
        frame: &Frame,
        near: &mut NearPairs<'_>,
        wants: Wants,
        runs: &'f mut Vec<Run, PIECES>,
    ) -> Result<HalfTerms<'f>> {
        let Halves { turned: [of_a, of_b], work, terms, room } = self;
        let NearPairs { candidates, by_b, spare, table, .. } = near;
        let mut found = HalfTerms { terms: &[], runs: &[], of_a: 0 };
        // Waking a thread takes longer than this few pairs.
        let threads = if candidates.len() < FEW { Threads { exec: &Serial, ..threads } } else { threads };
        if candidates.is_empty() {
            return Ok(found);
        }
        let [per_a, per_b] = frame.scales.map(|scale| 1.0 / scale);
        let floor = floor(frame) / frame.scale;
        let ([by_a, by_b], [of_a, of_b]) = lists([candidates, by_b, spare], table, [of_a, of_b]);
        let into_a = Turn { faces: b, from: &frame.b, to: &frame.a, per_unit: per_a };
        let into_b = Turn { faces: a, from: &frame.a, to: &frame.b, per_unit: per_b };
        each(threads.exec, (CutMut(&mut *of_a, FACES), CutMut(&mut *of_b, FACES)), |_, (of_a, of_b)| {
            dispatch(threads.isa, Turning { turn: &into_b, faces: of_a });
            dispatch(threads.isa, Turning { turn: &into_a, faces: of_b });
        });
        let law = common_law(a, b);
        let wants = Wants { energy: wants.energy && law == Law::Volume, ..wants };
        let margin = frame.margin;
        let halves = [
            Half { turn: into_a, cells: a, a_has_cells: true, floor: floor * per_a, margin, law, wants, faces: of_b },
            Half { turn: into_b, cells: b, a_has_cells: false, floor: floor * per_b, margin, law, wants, faces: of_a },
        ];
        let mut pieces = Vec::new();
        let alone = min(threads.count, threads.exec.width()) < 2;
        cut(&halves[0], by_a, alone, &mut pieces);
        found.of_a = pieces.len();
        cut(&halves[1], by_b, alone, &mut pieces);
        runs.resize(pieces.len(), Run::default()).ok();
        measure(threads, (&pieces, alone), work, (&mut *terms, *room), runs)?;
        (found.terms, found.runs) = (terms, runs);
        Ok(found)
    }
}

/// The law by which both bodies push: that of volumes if both have it.
pub(in crate::contact) fn common_law(a: &Side<'_>, b: &Side<'_>) -> Law {
    if [a, b].iter().all(|side| side.cells.law() == Law::Volume) { Law::Volume } else { Law::Facing }
}

/// Upper bound of the number of a body's faces near another one: each face has a pair.
fn turned_size(side: &Side<'_>, pairs: usize) -> u64 {
    min(near_pairs_room(pairs), side.operand.mesh.len() as u64)
}

/// Converts unordered pairs to pairs of a triangle with cells and a face's index in a list, sorted by both. Also returns the lists of A's faces
/// and of B's.
fn lists<'n, 't>(
    [all, other, spare]: [&'n mut [u64]; 3],
    table: &mut [u32],
    [of_a, of_b]: [&'t mut [Turned]; 2],
) -> ([&'n mut [u64]; 2], [&'t mut [Turned]; 2]) {
    let mut sort_upper = |pairs, spare| sort(pairs, spare, table, u64::MAX << 32);
    let put = |to: &mut [u64], i: usize, pair| to.get_mut(i).into_iter().for_each(|to| *to = pair);
    other.iter_mut().zip(all.iter()).for_each(|(to, pair)| *to = pair.rotate_left(32));
    let [by_b, spare] = sort_upper(other, spare);
    let count_b = posed_faces::list(by_b, of_b, |i, pair| put(all, i, pair));
    // Stable: pairs sorted by their lower half stay in that order.
    let [by_a, spare] = sort_upper(all, spare);
    let count_a = posed_faces::list(by_a, of_a, |i, pair| put(by_b, i, pair));
    // List indices have fewer digits than triangle indices, so this sort takes fewer passes.
    let [by_b, _] = sort_upper(by_b, spare);
    let [of_a, of_b] = [of_a.get_mut(..count_a).unwrap_or_default(), of_b.get_mut(..count_b).unwrap_or_default()];
    for pair in by_b.iter_mut() {
        let (place, face) = ids(*pair);
        *pair = key(of_b.get(place as usize).map_or(NONE, |turned| turned.id), face);
    }
    ([by_a, by_b], [of_a, of_b])
}

/// Cuts a half into some pieces for each thread, in order; into one piece for one thread.
fn cut<'h>(half: &'h Half<'h>, near: &'h [u64], alone: bool, pieces: &mut Vec<Piece<'h>, PIECES>) {
    let aim = if alone { near.len() } else { max(FEW, near.len().div_ceil(PIECES / 2)) };
    let block_at = |i: usize| near.get(i).map(|pair| block(ids(*pair).0));
    let mut rest = near;
    while !rest.is_empty() {
        let first = near.len() - rest.len();
        let mut end = min(first + aim, near.len());
        while end < near.len() && block_at(end) == block_at(end - 1) {
            end += 1;
        }
        let (now, later) = rest.split_at(end - first);
        rest = later;
        // The push cannot fail: each piece except the last of a half has at least that length.
        pieces.push(Piece { half, near: now }).ok();
    }
}

/// Computes the terms of pieces, each in a run.
fn measure(
    threads: Threads<'_>,
    (pieces, alone): (&[Piece<'_>], bool),
    work: &mut [Work],
    (terms, room): (&mut [Term], usize),
    runs: &mut [Run],
) -> Result<()> {
    let (mut works, mut rest) = (work.iter_mut(), terms);
    let mut own: [Option<Own<'_>>; THREADS] = array::from_fn(|thread| {
        let (work, terms) = (works.next()?, rest.split_off_mut(..room)?);
        Some(Own { work, terms, first: thread * room, count: 0, used: false })
    });
    let own = own.get_mut(..threads.count).unwrap_or_default();
    let many = if alone { PIECES } else { 1 };
    each_with(threads.exec, (Cut(pieces, many), CutMut(runs, many)), CutMut(own, 1), |_, (pieces, runs), own| {
        if let [Some(own)] = own {
            own.pieces(threads, pieces, runs);
        }
    })
}

impl Own<'_> {
    fn pieces(&mut self, threads: Threads<'_>, pieces: &[Piece<'_>], runs: &mut [Run]) {
        if !self.used {
            self.work.begin(pieces.first().map_or(Wants::default(), |piece| piece.half.wants));
            self.used = true;
        }
        let mut list = List::new(self.terms, self.first, self.count, runs);
        dispatch(threads.isa, Terms { pieces, list: &mut list, work: self.work });
        self.count = list.finish();
    }
}
