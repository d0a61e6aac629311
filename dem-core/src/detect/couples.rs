//! Contacts of all candidates, written in order.
//!
//! Two balls have one contact or none, found in a few nanoseconds: they are counted first and written when it is known where.
//! What takes more is found once, into memory that lanes take pieces of, and copied to its place.

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::bodies::Bodies;
use super::bounds::Spot;
use super::images::Images;
use super::near::Near;
use super::scene::{Couple, shifted};
use crate::broad::Candidate;
use crate::contact::shape::{Balls, Placed, Shape, Surface, shape_contacts, shape_scratch};
use crate::contact::{Contact, Room};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, Serial, each, each_with, pieces};
use crate::memory::{Carve, Layout, Plan};
use crate::narrow::{extent, most_waiting};
use crate::pose::Pose;
use crate::real::max;
use crate::simd::Isa;

/// Candidates that a lane looks at at a time.
const CHUNK: usize = 1024;

/// Two meshes are large where both have as many triangles: their contacts may be worth more than one lane.
const LARGE: usize = 4096;

/// Marks the number of contacts of a candidate that is not of two balls.
const FLAG: u32 = 1 << 31;
/// That number, until it is known.
const DEAR: u32 = u32::MAX;

/// What came of two bodies that are not both balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Outcome {
    /// Where their contacts are in the pool.
    first: u32,
    count: u32,
    crossing: u32,
    /// What was too small (a number of [`What`]), or [`Outcome::FAILED`], or 0.
    short: u32,
    needed: u64,
}

impl Outcome {
    const FAILED: u32 = u32::MAX;
}

/// Scratch for so many candidates and contacts, and for so many lanes.
pub(super) fn scratch(candidates: u32, contacts: u32, lane: Layout, lanes: usize) -> Result<Layout> {
    let (candidates, contacts) = (u64::from(candidates), u64::from(contacts));
    let mut plan = Plan::new();
    plan.add::<u32>(candidates).add::<u32>(candidates).add::<Outcome>(candidates);
    (0..4).for_each(|_| _ = plan.add::<u32>(candidates.div_ceil(CHUNK as u64)));
    plan.add::<Contact>(contacts).part(lane.times(lanes, What::Scratch)?).layout(What::Scratch)
}

/// What a lane needs for any two of some shapes.
///
/// Of two shapes all but the work items of traversals is no more than of two of the one or two of the other, as if both were solid; and
/// the work items are no more than those of two trees that have the largest of everything.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    /// Of the shape that needs most beside another one like it.
    size: usize,
    /// The largest [`extent`] of all trees.
    extent: [u64; 3],
}

impl Lane {
    pub fn add(&mut self, shape: &Shape<'_>, room: Room) -> Result<()> {
        for part in shape.samples() {
            let size = match part {
                Shape::Mesh(surface) => {
                    let extent = extent(&surface.tree);
                    self.extent = [0, 1, 2].map(|k| max(self.extent[k], extent[k]));
                    beside_its_like(Shape::Mesh(&Surface { solid: true, ..*surface }), room)?
                }
                other => beside_its_like(other, room)?,
            };
            self.size = max(self.size, size);
        }
        Ok(())
    }

    pub fn layout(&self, contacts: usize) -> Result<Layout> {
        let items = if self.extent == [0; 3] { 0 } else { most_waiting(self.extent) };
        let mut plan = Plan::new();
        plan.add::<Contact>(contacts as u64).part(Layout { size: self.size, ..Layout::EMPTY }).add::<u8>(items);
        plan.layout(What::Scratch)
    }
}

/// Bytes for a shape and another one like it, or any one that is no mesh.
fn beside_its_like(shape: Shape<'_>, room: Room) -> Result<usize> {
    let at = |shape| Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 };
    let others = [shape, Shape::Sphere { radius: 1.0, halo: 0.0 }, Shape::HalfSpace { halo: 0.0 }];
    others.into_iter().try_fold(0, |most, other| Ok(max(most, shape_scratch(&at(shape), &at(other), room, 1)?.size)))
}

/// Where the contacts, the couples with contacts and the dear candidates of each chunk end.
struct Ends<'s> {
    contacts: &'s mut [u32],
    couples: &'s mut [u32],
    dear: &'s mut [u32],
}

impl<'s> Ends<'s> {
    fn new(chunks: u64, carve: &mut Carve<'s>) -> Result<Self> {
        Ok(Ends { contacts: carve.take(chunks)?, couples: carve.take(chunks)?, dear: carve.take(chunks)? })
    }

    /// Counts, then adds up; gives the number of contacts and of couples.
    fn fill(&mut self, exec: &dyn Executor, counts: &[u32]) -> [u64; 2] {
        let Ends { contacts, couples, dear } = self;
        let parts = (Cut(counts, CHUNK), CutMut(contacts, 1), CutMut(couples, 1), CutMut(dear, 1));
        each(exec, parts, |_, (counts, contacts, couples, dear)| {
            // Contacts of a chunk are fewer than 2^32, or there is no memory for them.
            contacts[0] = counts.iter().fold(0, |sum: u32, n| sum.saturating_add(n & !FLAG));
            couples[0] = counts.iter().filter(|n| **n & !FLAG > 0).count() as u32;
            dear[0] = counts.iter().filter(|n| **n & FLAG != 0).count() as u32;
        });
        let running = |list: &mut [u32]| {
            list.iter_mut().fold(0u64, |sum, n| {
                let sum = sum + u64::from(*n);
                *n = sum.min(u64::from(u32::MAX)) as u32;
                sum
            })
        };
        running(dear);
        [running(contacts), running(couples)]
    }
}

/// Where they go.
struct Lists<'o> {
    contacts: &'o mut [Contact],
    couples: &'o mut [Couple],
}

/// What all candidates came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Candidates whose bounds meet.
    pub near: usize,
    pub contacts: usize,
    pub couples: usize,
    pub crossing: usize,
}

/// The candidates of a step.
pub(super) struct Couples<'a> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    pub bodies: &'a Bodies<'a>,
    pub images: Images<'a>,
    pub spots: &'a [Spot],
    pub periods: [f64; 3],
    pub room: Room,
    pub most: usize,
    /// Scratch of a lane.
    pub lane: Layout,
    pub candidates: &'a [Candidate],
    /// Where some may have bounds that do not meet.
    pub near: Option<Near<'a>>,
}

impl Couples<'_> {
    /// Writes contacts and the couples that have some.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Contacts`], or what a couple has too little of; [`Kind::OutOfRange`] for
    /// [`What::Periods`].
    pub fn run(&self, contacts: &mut [Contact], couples: &mut [Couple], scratch: &mut [u8]) -> Result<Found> {
        let (candidates, n, most) = (self.candidates, self.candidates.len(), contacts.len());
        let layout = self.lane;
        let own = self::scratch(n as u32, most as u32, layout, 0)?;
        self::scratch(n as u32, most as u32, layout, 1)?.check(scratch, What::Scratch)?;
        let (own_memory, lanes) = scratch.split_at_mut(own.size);
        let mut carve = Carve::new(own_memory, own, What::Scratch)?;
        let (counts, dear) = (carve.take::<u32>(n as u64)?, carve.take::<u32>(n as u64)?);
        let outcomes = carve.take::<Outcome>(n as u64)?;
        let mut ends = Ends::new(n.div_ceil(CHUNK) as u64, &mut carve)?;
        let near = carve.take::<u32>(n.div_ceil(CHUNK) as u64)?;
        let pool = carve.take::<Contact>(most as u64)?;
        let parts = (Cut(candidates, CHUNK), CutMut(&mut *counts, CHUNK), CutMut(&mut *near, 1));
        each(self.exec, parts, |_, (candidates, counts, near)| {
            near[0] = 0;
            for (candidate, count) in candidates.iter().zip(counts) {
                if self.near.as_ref().is_some_and(|near| !self.meet(near, candidate)) {
                    *count = 0;
                    continue;
                }
                near[0] += 1;
                *count = self.balls(candidate).map_or(DEAR, |balls| u32::from(balls.touch()));
            }
        });
        let places = counts.iter().enumerate().filter(|(_, count)| **count == DEAR);
        let rest = places.zip(&mut *dear).map(|((i, _), to)| *to = i as u32).count();
        let (dear, outcomes) = (dear.get(..rest).unwrap_or_default(), outcomes.get_mut(..rest).unwrap_or_default());
        let shared = Pool::new(&mut *pool);
        // So few that many lanes would have nothing to do.
        let large = dear.iter().filter(|which| self.is_large(**which)).count();
        let in_turn = large > 0 && 2 * large <= self.exec.width();
        if in_turn {
            for (outcome, which) in outcomes.iter_mut().zip(dear).filter(|(_, which)| self.is_large(**which)) {
                *outcome = self.find(self.exec, *which as usize, &shared, lanes);
            }
        }
        let parts = (CutMut(&mut *outcomes, 1), Cut(dear, 1));
        each_with(self.exec, parts, CutMut(&mut *lanes, layout.size), |_, (outcome, which), lane| {
            if let ([outcome], [which]) = (outcome, which)
                && !(in_turn && self.is_large(*which))
            {
                *outcome = self.find(&Serial, *which as usize, &shared, lane);
            }
        })?;
        self.check(dear, outcomes, lanes)?;
        for (which, outcome) in dear.iter().zip(&*outcomes) {
            if let Some(count) = counts.get_mut(*which as usize) {
                *count = outcome.count | FLAG;
            }
        }
        let [total, touching] = ends.fill(self.exec, counts);
        if total > most as u64 {
            return Err(Error::capacity(What::Contacts, total, most as u64));
        }
        self.tags(counts)?;
        self.write(counts, outcomes, &ends, pool, Lists { contacts, couples });
        let crossing = outcomes.iter().map(|outcome| outcome.crossing as usize).sum();
        let near = near.iter().map(|n| *n as usize).sum();
        Ok(Found { near, contacts: total as usize, couples: touching as usize, crossing })
    }

    /// Both bodies, where they are balls.
    #[inline(always)]
    fn balls(&self, c: &Candidate) -> Option<Balls> {
        let (a, b) = (c.a as usize, c.b as usize);
        let (x, y) = (self.spots.get(a)?, self.spots.get(b)?);
        if x.radius < 0.0 || y.radius < 0.0 {
            return None;
        }
        let at = if self.images.is_open() { y.centre } else { shifted(y.centre, self.images.shift(c), &self.periods) };
        Some(Balls::new([x.centre, at], [x.radius, y.radius], [x.halo, y.halo]))
    }

    /// Whether the bounds of two bodies meet.
    #[inline(always)]
    fn meet(&self, near: &Near<'_>, c: &Candidate) -> bool {
        let shift = self.images.shift(c);
        match (self.spots.get(c.a as usize), self.spots.get(c.b as usize)) {
            (Some(a), Some(b)) if a.radius >= 0.0 && b.radius >= 0.0 => near.balls_meet([a, b], shift),
            _ => near.meet(c, shift),
        }
    }

    fn tag(&self, c: &Candidate) -> Result<u64> {
        self.bodies.tag(c.a as usize, c.b as usize, self.images.number(c))
    }

    /// Whether a candidate is of two large meshes.
    fn is_large(&self, which: u32) -> bool {
        let large = |i: u32| {
            let (shape, _) = self.bodies.shape_of(i as usize);
            matches!(shape, Shape::Mesh(surface) if surface.mesh.len() >= LARGE)
        };
        self.candidates.get(which as usize).is_some_and(|c| large(c.a) && large(c.b))
    }

    /// The contacts of two bodies that are not both balls: they are the first thing in this memory, which is that of one lane or of more.
    fn contacts(&self, exec: &dyn Executor, which: usize, memory: &mut [u8]) -> Result<(usize, usize)> {
        let c = &self.candidates[which];
        let (found, scratch) = self.split(memory)?;
        let (pose, mut moved) = (self.bodies.pose(c.a as usize), self.bodies.pose(c.b as usize));
        moved.position = shifted(moved.position, self.images.shift(c), &self.periods);
        let (a, b) = (self.bodies.placed(c.a as usize, &pose), self.bodies.placed(c.b as usize, &moved));
        // An image beyond what keys have room for only matters where there is a contact.
        let tag = self.tag(c).unwrap_or(u64::MAX);
        let found = shape_contacts(exec, self.isa, &a, &b, tag, self.room, found, scratch)?;
        Ok((found.contacts, found.crossing))
    }

    /// Memory for the contacts of two bodies, and scratch.
    fn split<'l>(&self, memory: &'l mut [u8]) -> Result<(&'l mut [Contact], &'l mut [u8])> {
        let own = Plan::new().add::<Contact>(self.most as u64).layout(What::Scratch)?;
        let (found, scratch) = memory.split_at_mut(own.size.min(memory.len()));
        Ok((Carve::new(found, own, What::Scratch)?.take(self.most as u64)?, scratch))
    }

    fn find(&self, exec: &dyn Executor, which: usize, pool: &Pool<'_, Contact>, memory: &mut [u8]) -> Outcome {
        match self.contacts(exec, which, memory) {
            Ok((count, crossing)) => {
                let own = self.split(memory).ok().and_then(|(found, _)| found.get(..count));
                let first = pool.put(own.unwrap_or_default());
                Outcome { first, count: count as u32, crossing: crossing as u32, ..Outcome::new_zeroed() }
            }
            Err(e) if e.kind == Kind::Capacity && e.what != What::Scratch => {
                Outcome { short: e.what as u32, needed: e.needed, ..Outcome::new_zeroed() }
            }
            Err(_) => Outcome { short: Outcome::FAILED, ..Outcome::new_zeroed() },
        }
    }

    /// Errors: that of the first couple that failed; else, of what was too small, how much the largest couple needs.
    fn check(&self, dear: &[u32], outcomes: &[Outcome], memory: &mut [u8]) -> Result<()> {
        if let Some((which, _)) = dear.iter().zip(outcomes).find(|(_, outcome)| outcome.short == Outcome::FAILED) {
            let Candidate { a, b, .. } = self.candidates.get(*which as usize).copied().unwrap_or_default();
            let named = |e: Error| match e.what {
                What::ShapeA => Error { what: What::Scales, index: a.into(), component: 0, ..e },
                What::ShapeB => Error { what: What::Scales, index: b.into(), component: 0, ..e },
                _ => e,
            };
            self.contacts(&Serial, *which as usize, memory).map_err(named)?;
            // It failed, and now it does not: somebody has changed the shapes meanwhile.
            return Err(Error::new(Kind::Busy, What::Shapes));
        }
        let given = [self.room.pairs, self.room.terms, self.room.segments, self.most];
        for (what, given) in [What::Pairs, What::Terms, What::Segments, What::Output].into_iter().zip(given) {
            let needed = outcomes.iter().filter(|o| o.short == what as u32).fold(0, |m, o| max(m, o.needed));
            if needed > 0 {
                return Err(Error::capacity(what, needed, given as u64));
            }
        }
        Ok(())
    }

    /// Errors: [`Kind::OutOfRange`] where contacts have no key.
    fn tags(&self, counts: &[u32]) -> Result<()> {
        if self.images.is_open() {
            return Ok(());
        }
        let some = self.candidates.iter().zip(counts).filter(|(_, count)| **count & !FLAG > 0);
        some.map(|(c, _)| self.tag(c).map(|_| ())).find(Result::is_err).unwrap_or(Ok(()))
    }

    /// Everything in its place.
    fn write(&self, counts: &[u32], outcomes: &[Outcome], ends: &Ends<'_>, pool: &[Contact], to: Lists<'_>) {
        let Lists { contacts, couples } = to;
        let parts = (
            Cut(self.candidates, CHUNK),
            Cut(counts, CHUNK),
            pieces(contacts, &*ends.contacts),
            pieces(couples, &*ends.couples),
        );
        each(self.exec, parts, |chunk, (candidates, counts, mut contacts, couples)| {
            let before = |ends: &[u32]| chunk.checked_sub(1).and_then(|k| ends.get(k)).copied().unwrap_or(0);
            let (mut first, mut dear) = (before(ends.contacts), before(ends.dear) as usize);
            let mut couples = couples.iter_mut();
            for (candidate, count) in candidates.iter().zip(counts) {
                let (is_dear, count) = (*count & FLAG != 0, *count & !FLAG);
                let outcome = outcomes.get(dear).filter(|_| is_dear);
                dear += usize::from(is_dear);
                if count == 0 {
                    continue;
                }
                let tag = self.tag(candidate).unwrap_or(u64::MAX);
                let own = contacts.split_off_mut(..count as usize).unwrap_or_default();
                if let Some(outcome) = outcome {
                    let found = pool.get(outcome.first as usize..).unwrap_or_default();
                    own.iter_mut().zip(found).for_each(|(to, contact)| *to = *contact);
                } else if let Some(contact) = self.balls(candidate).and_then(|balls| balls.contact(tag)) {
                    own.fill(contact);
                }
                let (a, b, shift) = (candidate.a, candidate.b, self.images.shift(candidate));
                if let Some(couple) = couples.next() {
                    *couple = Couple { tag, a, b, first, end: first + count, shift, spare: 0 };
                }
                first += count;
            }
        });
    }
}
