//! Corners of all contacts of a scene, for solvers of impulses.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::scene::{ScenePair, SceneRef, StepRef};
use crate::contact::shape::{pair_corners, shape_corners_scratch};
use crate::contact::{Corner, CornerLimits, Regions};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, each_with, threads_of};
use crate::memory::{Layout, sections};
use crate::real::max;
use crate::simd::Isa;

/// Pairs of bodies that a thread processes at a time.
const CHUNK: usize = 16;

/// The most corners of a pair of triangles.
const OF_PAIR: usize = 7;

/// Where the corners of a pair of bodies are in the pool, or which error occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Outcome {
    pub(super) first: u32,
    count: u32,
    /// [`Outcome::SHORT`], [`Outcome::FAILED`], or 0.
    wrong: u32,
    spare: u32,
    /// The number of triangle pairs that would be enough.
    pub(super) needed: u64,
}

impl Outcome {
    const SHORT: u32 = 1;
    const FAILED: u32 = 2;
}

/// The contacts of a step, and the limits of a thread.
struct Search<'a> {
    isa: Isa,
    step: StepRef<'a>,
    bodies: &'a Bodies<'a>,
    limits: CornerLimits,
    /// Room of a thread for the corners of one pair of bodies.
    room: usize,
    /// Further scratch of a thread.
    rest: Layout,
}

sections! {
    /// Scratch of a search.
    struct Memory<'s>(search: &Search<'_>, capacity: usize, threads: usize) {
        outcomes: [Outcome; search.step.pairs().len() as u64],
        corners: [Corner; capacity as u64],
        threads: { OfPair::layout(search)?.times(threads, What::Scratch)? },
    }
}

sections! {
    /// Memory of a thread for one pair of bodies.
    struct OfPair<'s>(search: &Search<'_>) {
        out: [Corner; search.room as u64],
        rest: { search.rest },
    }
}

impl<'a> Search<'a> {
    /// Errors: [`Kind::Mismatch`] for [`What::Positions`] and [`What::Ids`]; those of [`Bodies`] about arrays and shapes; [`Kind::TooLarge`].
    fn new(isa: Isa, scene: &SceneRef<'a>, bodies: &'a Bodies<'a>, limits: CornerLimits) -> Result<Self> {
        let step = scene.now();
        bodies.check_arrays()?;
        let (needed, given) = (step.poses().len() as u64, bodies.len() as u64);
        if needed != given {
            return Err(Error::new(Kind::Mismatch, What::Positions).amounts(needed, given));
        }
        let (mut contacts, mut size) = (0, 0);
        for pair in step.pairs() {
            for (place, id) in [pair.a, pair.b].into_iter().zip(pair.ids) {
                if bodies.id(place) != id {
                    return Err(Error::new(Kind::Mismatch, What::Ids).at(u64::from(place), 0));
                }
            }
            contacts = max(contacts, pair.contacts().len());
            let [pose_a, pose_b] = step.poses_of(pair);
            let (a, b) = (bodies.placed(pair.a as usize, &pose_a), bodies.placed(pair.b as usize, &pose_b));
            size = max(size, shape_corners_scratch(&a, &b, limits.pairs)?.size);
        }
        let room = match limits.most_of_contact() {
            CornerLimits::ALL => contacts.saturating_add(limits.pairs.saturating_mul(OF_PAIR)),
            most => contacts.saturating_mul(most),
        };
        Ok(Search { isa, step, bodies, limits, room, rest: Layout { size, ..Layout::EMPTY } })
    }

    fn layout(&self, capacity: usize, threads: usize) -> Result<Layout> {
        Memory::layout(self, capacity, threads)
    }

    /// Computes the corners of a pair of bodies in the memory of a thread.
    fn pair<'l>(&self, pair: &ScenePair, memory: &'l mut [u8]) -> Result<&'l [Corner]> {
        let OfPair { out, rest: scratch } = OfPair::new(memory, self)?;
        let [pose_a, pose_b] = self.step.poses_of(pair);
        let a = self.bodies.placed(pair.a as usize, &pose_a);
        let b = self.bodies.placed(pair.b as usize, &pose_b);
        let contacts = self.step.contacts().get(pair.contacts()).unwrap_or_default();
        let of = Regions { contacts, nodes: self.step.nodes_of(pair) };
        let count = pair_corners(self.isa, [&a, &b], &of, pair.first, self.limits, out, scratch)?;
        Ok(out.get(..count).unwrap_or_default())
    }

    fn outcome(&self, pair: &ScenePair, pool: &Pool<'_, Corner>, memory: &mut [u8]) -> Outcome {
        let none = Outcome::default();
        if pair.contacts().is_empty() {
            return none;
        }
        match self.pair(pair, memory) {
            Ok(found) => Outcome { first: pool.put(found), count: found.len() as u32, ..none },
            Err(Error { kind: Kind::Capacity, what: What::Pairs, needed, .. }) => {
                Outcome { wrong: Outcome::SHORT, needed, ..none }
            }
            // Parts of compounds may together have more corners than this many triangle pairs have.
            Err(Error { kind: Kind::Capacity, what: What::Output, needed, .. }) => {
                Outcome { wrong: Outcome::SHORT, needed: max(needed, self.limits.pairs as u64 + 1), ..none }
            }
            Err(_) => Outcome { wrong: Outcome::FAILED, ..none },
        }
    }
}

impl SceneRef<'_> {
    /// Scratch of [`Self::corners`] for this step, a list with this room, and up to this number of threads.
    ///
    /// Errors: those of [`Self::corners`] about the bodies; [`Kind::TooLarge`]. Cost: some ten nanoseconds for each pair of bodies in
    /// contact.
    pub fn corners_scratch(
        &self,
        bodies: &Bodies<'_>,
        limits: CornerLimits,
        capacity: usize,
        threads: usize,
    ) -> Result<Layout> {
        Search::new(Isa::SCALAR, self, bodies, limits)?.layout(capacity, threads.max(1))
    }

    /// Computes the corners of all contacts of the last step, ordered by contact, and gives their number. Each corner has the index of its
    /// contact in [`StepRef::contacts`]. The corners of a contact are those of [`shape_corners`](crate::contact::shape::shape_corners): at
    /// least one, and at most [`CornerLimits::most`].
    ///
    /// `bodies` are those of the step, at the positions of the step. [`CornerLimits::pairs`] is the room of a thread for any one pair of
    /// bodies. Threads work on different pairs of bodies. `scratch` is [`Self::corners_scratch`]; with less scratch than all threads need,
    /// fewer threads work.
    ///
    /// Errors: [`Kind::Mismatch`] for [`What::Positions`] if the number of bodies differs from the step, and for [`What::Ids`] if an id
    /// does; those of the step about arrays and shapes; those of [`shape_corners`](crate::contact::shape::shape_corners);
    /// [`Kind::Capacity`] for [`What::Scratch`], for [`What::Pairs`] with the number of the pair of bodies that needs most, and for
    /// [`What::Output`] with the exact number. After an error nothing is written. Cost: that of
    /// [`shape_corners`](crate::contact::shape::shape_corners) for each pair of bodies.
    pub fn corners(
        &self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        limits: CornerLimits,
        out: &mut [Corner],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let search = Search::new(isa, self, bodies, limits)?;
        let capacity = out.len();
        let count = threads_of(exec, scratch.len(), |threads| search.layout(capacity, threads));
        let Memory { outcomes, corners, threads } = Memory::new(scratch, &search, capacity, count)?;
        let (thread, pairs) = (OfPair::layout(&search)?, search.step.pairs());
        let pool = Pool::new(&mut *corners);
        let parts = (CutMut(&mut *outcomes, CHUNK), Cut(pairs, CHUNK));
        each_with(exec, parts, CutMut(&mut *threads, thread.size), |_, (outcomes, pairs), memory| {
            outcomes.iter_mut().zip(pairs).for_each(|(to, pair)| *to = search.outcome(pair, &pool, memory));
        })?;
        let needed = u64::from(pool.count());
        if let Some(i) = outcomes.iter().position(|outcome| outcome.wrong == Outcome::FAILED) {
            let again = pairs.get(i).map(|pair| search.pair(pair, threads).map(|_| ()));
            again.unwrap_or(Ok(()))?;
            // The same computation failed before and succeeds now, so the shapes have been changed during the call.
            return Err(Error::new(Kind::Busy, What::Shapes));
        }
        let short = outcomes.iter().fold(0, |most, outcome| max(most, outcome.needed));
        if short > 0 {
            return Err(Error::capacity(What::Pairs, short, limits.pairs as u64));
        }
        if needed > capacity as u64 {
            return Err(Error::capacity(What::Output, needed, capacity as u64));
        }
        let mut rest = out;
        for outcome in &*outcomes {
            let found = corners.get(outcome.first as usize..).and_then(|all| all.get(..outcome.count as usize));
            let found = found.unwrap_or_default();
            let (to, others) = rest.split_at_mut(found.len().min(rest.len()));
            to.copy_from_slice(found.get(..to.len()).unwrap_or_default());
            rest = others;
        }
        Ok(needed as usize)
    }
}
