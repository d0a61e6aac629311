//! The faces of either body in the cells of the other one, on all lanes.

use core::array;

use zerocopy::FromZeros;

use super::gather::{Frames, Side};
use super::penetration::FLOOR;
use super::terms::{Half, List, Run, Term, Terms, Work};
use super::turned::{self, Turn, Turned, Turning, with_place};
use crate::error::Result;
use crate::exec::{Cut, CutMut, LANES, Serial, each, each_with};
use crate::memory::{Carve, Plan};
use crate::narrow::{Frame, Lanes, NearPairs, ids, near_pairs_room, sort};
use crate::real::min;
use crate::simd::dispatch;

/// Pairs that one lane works on alone.
const FEW: usize = 512;

/// Faces that a lane turns at a time.
const FACES: usize = 1024;

/// Scratch: what the terms of both halves are made in, and the terms of each lane.
pub(super) struct Halves<'s> {
    turned: [&'s mut [Turned]; 2],
    work: &'s mut [Work],
    /// Of one lane after the other.
    terms: &'s mut [Term],
    room: usize,
}

/// The terms of both halves.
pub(super) struct Found<'s> {
    pub terms: &'s [Term],
    /// Where those in the cells of A are, and those in the cells of B.
    pub runs: [Run; 2],
}

/// What a lane has to itself.
struct Own<'s> {
    work: &'s mut Work,
    terms: &'s mut [Term],
    /// Where its terms begin among those of all.
    first: usize,
    count: usize,
    used: bool,
}

impl<'s> Halves<'s> {
    pub fn plan([a, b]: [&Side<'_>; 2], pairs: usize, terms: usize, lanes: usize, plan: &mut Plan) {
        let terms = (terms as u64).saturating_mul(lanes as u64);
        plan.add::<Turned>(turned_size(a, pairs)).add::<Turned>(turned_size(b, pairs));
        plan.add::<Work>(lanes as u64).add::<Term>(terms);
    }

    /// What was planned.
    pub fn new(
        [a, b]: [&Side<'_>; 2],
        pairs: usize,
        terms: usize,
        lanes: usize,
        carve: &mut Carve<'s>,
    ) -> Result<Self> {
        Ok(Halves {
            turned: [carve.take(turned_size(a, pairs))?, carve.take(turned_size(b, pairs))?],
            work: carve.take(lanes as u64)?,
            terms: carve.take((terms as u64).saturating_mul(lanes as u64))?,
            room: terms,
        })
    }

    /// The terms of near pairs.
    pub fn terms(
        self,
        lanes: Lanes<'_>,
        [a, b]: [&Side<'_>; 2],
        frames: &Frames,
        near: &mut NearPairs<'_>,
    ) -> Result<Found<'s>> {
        let Halves { turned: [of_a, of_b], work, terms, room } = self;
        let NearPairs { candidates: by_a, by_b, spare, table, .. } = near;
        let mut runs = [Run::default(); 2];
        // Waking a lane takes longer than so few pairs.
        let lanes = if by_a.len() < FEW { Lanes { exec: &Serial, ..lanes } } else { lanes };
        if by_a.is_empty() {
            return Ok(Found { terms, runs });
        }
        let frame = Frame::new(&a.operand, &b.operand)?;
        let [per_a, per_b] = frame.scales.map(|scale| 1.0 / scale);
        let floor = FLOOR / frame.scale;
        let [of_a, of_b] = lists([by_a, by_b], (spare, table), [of_a, of_b]);
        let into_a = Turn { faces: b, from: &frames.b, to: &frames.a, per_unit: per_a };
        let into_b = Turn { faces: a, from: &frames.a, to: &frames.b, per_unit: per_b };
        each(lanes.exec, (CutMut(&mut *of_a, FACES), CutMut(&mut *of_b, FACES)), |_, (of_a, of_b)| {
            dispatch(lanes.isa, Turning { turn: &into_b, faces: of_a });
            dispatch(lanes.isa, Turning { turn: &into_a, faces: of_b });
        });
        let halves = [
            Half { turn: into_a, cells: a, a_has_cells: true, floor: floor * per_a, near: by_a, faces: of_b },
            Half { turn: into_b, cells: b, a_has_cells: false, floor: floor * per_b, near: by_b, faces: of_a },
        ];
        measure(lanes, &halves, work, (&mut *terms, room), &mut runs)?;
        Ok(Found { terms, runs })
    }
}

/// Of a body's faces near another one, at most: there is a pair for each.
fn turned_size(side: &Side<'_>, pairs: usize) -> u64 {
    min(near_pairs_room(pairs), side.operand.mesh.len() as u64)
}

/// From ordered pairs to those of a triangle that has cells and a face's place in a list of such; the lists of A's faces and of B's.
fn lists<'t>(
    [by_a, by_b]: [&mut [u64]; 2],
    (spare, table): (&mut [u64], &mut [u32]),
    [of_a, of_b]: [&'t mut [Turned]; 2],
) -> [&'t mut [Turned]; 2] {
    // B's triangles in order, each with the place of its pair.
    for (place, (to, pair)) in by_b.iter_mut().zip(by_a.iter()).enumerate() {
        *to = with_place(pair << 32, place as u32);
    }
    sort(by_b, spare, table, u64::MAX << 32);
    let count_b = turned::list(by_b, of_b, |i, face| {
        let pair = by_b.get(i).and_then(|pair| by_a.get_mut(ids(*pair).1 as usize));
        pair.into_iter().for_each(|pair| *pair = with_place(*pair, face));
    });
    let count_a = turned::list(by_a, of_a, |i, face| {
        spare.get_mut(i).into_iter().for_each(|to| *to = u64::from(face));
    });
    for pair in by_b.iter_mut() {
        let face = spare.get(ids(*pair).1 as usize).copied().unwrap_or_default();
        *pair = with_place(*pair, face as u32);
    }
    [of_a.get_mut(..count_a).unwrap_or_default(), of_b.get_mut(..count_b).unwrap_or_default()]
}

/// Terms of both halves.
fn measure(
    lanes: Lanes<'_>,
    halves: &[Half<'_>; 2],
    work: &mut [Work],
    (terms, room): (&mut [Term], usize),
    runs: &mut [Run; 2],
) -> Result<()> {
    let (mut works, mut rest) = (work.iter_mut(), terms);
    let mut own: [Option<Own<'_>>; LANES] = array::from_fn(|lane| {
        let (work, terms) = (works.next()?, rest.split_off_mut(..room)?);
        Some(Own { work, terms, first: lane * room, count: 0, used: false })
    });
    let own = own.get_mut(..lanes.count).unwrap_or_default();
    each_with(lanes.exec, (Cut(halves, 1), CutMut(runs, 1)), CutMut(own, 1), |_, (half, run), own| {
        if let ([half], [run], [Some(own)]) = (half, run, own) {
            *run = own.half(lanes, half);
        }
    })
}

impl Own<'_> {
    fn half(&mut self, lanes: Lanes<'_>, half: &Half<'_>) -> Run {
        if !self.used {
            // Lanes that nobody waits in are computed, too, and should not be with what happens to be in memory.
            self.work.zero();
            self.used = true;
        }
        let before = self.count;
        let mut list = List::new(self.terms, before);
        dispatch(lanes.isa, Terms { half, list: &mut list, work: self.work });
        self.count = list.count;
        Run { first: self.first + before, count: self.count - before }
    }
}
