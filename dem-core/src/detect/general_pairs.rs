//! Contacts of pairs that have no fast closed form. Each pair is computed once, and its contacts go into a pool that all threads share.

use zerocopy::FromZeros;

use super::candidates::Candidates;
use super::prepared::{Outcome, Partly, Prepared, foreseen_of_all};
use super::scene::shifted;
use super::shortage::Shortage;
use crate::broad::Candidate;
use crate::contact::regions::Mode;
use crate::contact::shape::{Placed, Request, Shape, Surface, known_contacts, most_nodes, part_scratch, with_nodes};
use crate::contact::{self, Contact, Node, Room};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, Serial, Work, each_with};
use crate::memory::{Layout, Plan, sections};
use crate::narrow::{extent, most_waiting};
use crate::pose::Pose;
use crate::real::max;

/// Two meshes are large if each has at least this many triangles. Their contacts may be worth more than one thread.
const LARGE: usize = 4096;

/// One of this many pairs is computed first, to estimate the room that all need.
const SAMPLE: usize = 8;

/// Results that are known before the computation.
pub(super) struct Known<'k> {
    /// The results of an earlier call with too little room.
    pub before: Option<&'k Partly<'k>>,
    /// A margin, and the results with halos enlarged by it.
    pub beyond: Option<(f64, &'k Prepared<'k>)>,
}

/// The scratch of a thread for any two of a set of shapes.
///
/// With the exception of traversal work items, two different shapes need no more than two like the first or two like the second, if all are solid.
/// The work items are bounded by those of two trees that have the largest of every size.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PerThread {
    /// The need of the shape that needs most next to another one like it.
    size: usize,
    /// The largest [`extent`] of all trees.
    extent: [u64; 3],
    /// Whether there are compounds.
    compounds: bool,
}

impl PerThread {
    pub fn add(&mut self, shape: &Shape<'_>, room: Room) -> Result<()> {
        self.compounds |= matches!(shape, Shape::Compound(_));
        for part in shape.samples() {
            let size = match part {
                Shape::Mesh(surface) => {
                    let extent = extent(&surface.tree);
                    self.extent = [0, 1, 2].map(|k| max(self.extent[k], extent[k]));
                    beside_its_like(Shape::Mesh(&Surface { solid: true, ..*surface }), room)?
                }
                // Closed forms need no scratch.
                simple if simple.is_simple() => 0,
                other => beside_its_like(other, room)?,
            };
            self.size = max(self.size, size);
        }
        Ok(())
    }

    /// Whether any two of the shapes have at most one contact, without nodes.
    pub fn is_simple(&self) -> bool {
        self.size == 0 && !self.compounds
    }

    /// The most nodes of two bodies.
    pub fn nodes(&self, room: Room) -> usize {
        if self.is_simple() { 0 } else { most_nodes(room) }
    }

    pub fn layout(&self, contacts: usize, room: Room) -> Result<Layout> {
        let items = if self.extent == [0; 3] { 0 } else { most_waiting(self.extent) };
        let parts =
            Plan::new().part(Layout { size: self.size, ..Layout::EMPTY }).add::<u8>(items).layout(What::Scratch)?;
        let nodes = self.nodes(room);
        let own = if nodes > 0 { with_nodes(nodes, room.segments, parts)? } else { parts };
        Plan::new().part(OfPair::layout(contacts, nodes)?).part(own).layout(What::Scratch)
    }
}

sections! {
    /// The results of a thread for a pair of bodies, at the start of its memory.
    struct OfPair<'s>(contacts: usize, nodes: usize) {
        found: [Contact; contacts as u64],
        nodes: [Node; nodes as u64],
    }
}

/// Bytes for a shape next to another one like it, or next to a shape that is no mesh.
fn beside_its_like(shape: Shape<'_>, room: Room) -> Result<usize> {
    let at = |shape| Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 };
    let others = [shape, Shape::Sphere { radius: 1.0, halo: 0.0 }, Shape::HalfSpace { halo: 0.0 }];
    others.into_iter().try_fold(0, |most, other| Ok(max(most, part_scratch(&at(shape), &at(other), room, 1)?.size)))
}

impl Candidates<'_> {
    /// Computes the contacts of all candidates that are not two balls, and gives the room that pairs lacked. If the host gives more room on
    /// request, a sample is computed first. If the sample shows that the room is too small, the other pairs wait, because they would be computed
    /// twice.
    ///
    /// Errors: those of [`Candidates::run`].
    pub fn find_costly(
        &self,
        costly: &[u32],
        outcomes: &mut [Outcome],
        (pool, nodes): (&mut [Contact], &mut [Node]),
        known: &Known<'_>,
        threads: &mut [u8],
    ) -> Result<Shortage> {
        let room = [pool.len(), nodes.len()].map(|n| n as u64);
        let shared = (Pool::new(pool), Pool::new(nodes));
        outcomes.fill(Outcome { short: Outcome::WAITS, ..Outcome::default() });
        // If there are so few large pairs that many threads would be idle, all threads work on each of them in turn.
        let large = costly.iter().filter(|which| self.is_large(**which)).count();
        let in_turn = large > 0 && 2 * large <= self.exec.width();
        if in_turn {
            let large = |(_, (_, which)): &(usize, (&mut Outcome, &u32))| self.is_large(**which);
            for (k, (outcome, which)) in outcomes.iter_mut().zip(costly).enumerate().filter(large) {
                let found = self.known(known, (k, *which), &shared);
                *outcome = found.unwrap_or_else(|| self.find(self.exec, *which as usize, &shared, threads));
            }
        }
        let mut these = |outcomes: &mut [Outcome], asked: &(dyn Fn(usize) -> bool + Sync)| {
            let parts = (CutMut(outcomes, 1), Cut(costly, 1));
            each_with(self.exec, parts, CutMut(&mut *threads, self.thread.size), |k, (outcome, which), thread| {
                if let ([outcome], [which]) = (outcome, which)
                    && !(in_turn && self.is_large(*which))
                    && (asked(k) || known.before.is_some_and(|before| before.get(k).is_some()))
                    && outcome.short == Outcome::WAITS
                {
                    let found = self.known(known, (k, *which), &shared);
                    *outcome = found.unwrap_or_else(|| self.find(&Serial, *which as usize, &shared, thread));
                }
            })
        };
        let some = self.sparing && !in_turn && costly.len() >= 4 * SAMPLE;
        if some {
            these(outcomes, &|k| k % SAMPLE == 0)?;
        }
        let fits = |outcomes: &[Outcome]| {
            let all = foreseen_of_all(outcomes, self.bodies.len(), self.grouping.mode);
            all.iter().zip(&room).all(|(needed, room)| needed <= room)
        };
        if !some || fits(outcomes) || !outcomes.iter().any(Outcome::is_found) {
            these(outcomes, &|_| true)?;
        }
        self.check(costly, outcomes, threads)
    }

    /// The known result of candidate `which`, whose number among the costly candidates is `number`.
    fn known(
        &self,
        known: &Known<'_>,
        (number, which): (usize, u32),
        shared: &(Pool<'_, Contact>, Pool<'_, Node>),
    ) -> Option<Outcome> {
        let found = known.before.and_then(|before| taken(before, number, shared));
        found.or_else(|| {
            let (margin, (wide, contacts)) =
                known.beyond.and_then(|(margin, list)| Some((margin, list.get(which)?)))?;
            let none = Outcome { crossing: wide.crossing, ..Outcome::new_zeroed() };
            self.are_beyond(which, margin, contacts).then_some(none)
        })
    }

    /// Whether two bodies have contacts only because the margin widens their halos. `contacts` are those with the wide halos. The least gap of a
    /// contact is the same with wide and narrow halos.
    fn are_beyond(&self, which: u32, margin: f64, contacts: &[Contact]) -> bool {
        /// Gaps must exceed halos by these fractions of halos and of sizes, so that rounding cannot matter.
        const BEYOND: [f64; 2] = [1.0 / (1 << 20) as f64, 1.0 / (1u64 << 36) as f64];
        /// Larger bodies may lack contacts, because products of their lengths overflow.
        const LARGEST: f64 = 1e90;
        let Some(Candidate { a, b, .. }) = self.candidates.get(which as usize) else { return false };
        let size = |i: &u32| match self.bodies.shape_of(*i as usize) {
            (Shape::Mesh(Surface { mesh, .. }), scale) if mesh.sizes.halos == 0 => {
                let [x, y, z] = mesh.centre().map(f64::abs);
                (x + y + z + mesh.radius()) * scale
            }
            (Shape::Sphere { radius, .. }, scale) => radius * scale,
            (Shape::HalfSpace { .. }, _) => 0.0,
            // Triangles or parts of these shapes have different halos.
            _ => f64::INFINITY,
        };
        let size = size(a) + size(b);
        let least = |c: &Contact| (c.halo - margin) * (1.0 + BEYOND[0]) + size * BEYOND[1];
        !contacts.is_empty() && size < LARGEST && contacts.iter().all(|c| c.least_gap > least(c))
    }

    /// Whether a candidate is of two large meshes.
    fn is_large(&self, which: u32) -> bool {
        let large = |i: u32| {
            let (shape, _) = self.bodies.shape_of(i as usize);
            matches!(shape, Shape::Mesh(surface) if surface.mesh.len() >= LARGE)
        };
        self.candidates.get(which as usize).is_some_and(|c| large(c.a) && large(c.b))
    }

    /// Computes the contacts of two bodies that are not both balls. They are at the start of `memory`, which belongs to one thread or to several.
    fn contacts(&self, exec: &dyn Executor, which: usize, memory: &mut [u8]) -> Result<contact::ContactCounts> {
        let c = &self.candidates[which];
        let (found, nodes, scratch) = self.split(memory)?;
        let [pose, mut moved] = self.poses(which, c);
        moved.position = shifted(moved.position, self.images.shift(c), &self.periods);
        let (a, b) = (self.bodies.placed(c.a as usize, &pose), self.bodies.placed(c.b as usize, &moved));
        // The index of the pair is only known when all pairs are done, so the tag is 0.
        let Candidates { room, grouping, margin, energy, spread, .. } = *self;
        let request = Request { tag: 0, room, grouping, margin, energy, spread };
        // Nodes are not needed if each patch pair is a contact, if there are no patches, or for the margin list, which is not matched with the
        // committed step.
        let simple = a.shape.is_simple() && b.shape.is_simple();
        let none = self.grouping.mode == Mode::Patches || self.margin > 0.0 || simple;
        let nodes = if none { None } else { Some(nodes) };
        let found = known_contacts(Work::new(exec, self.isa, scratch), &a, &b, &request, found, nodes)?;
        Ok(if none { contact::ContactCounts { nodes: 0, ..found } } else { found })
    }

    /// The parts of `memory`: contacts of two bodies, their nodes, and scratch.
    fn split<'l>(&self, memory: &'l mut [u8]) -> Result<(&'l mut [Contact], &'l mut [Node], &'l mut [u8])> {
        let (OfPair { found, nodes }, scratch) = OfPair::at_front(memory, self.most, self.nodes)?;
        Ok((found, nodes, scratch))
    }

    fn find(
        &self,
        exec: &dyn Executor,
        which: usize,
        (pool, node_pool): &(Pool<'_, Contact>, Pool<'_, Node>),
        memory: &mut [u8],
    ) -> Outcome {
        match self.contacts(exec, which, memory) {
            Ok(contact::ContactCounts { contacts, nodes, crossing }) => {
                let own = self.split(memory).ok();
                let own = own.and_then(|(found, list, _)| Some((found.get(..contacts)?, list.get(..nodes)?)));
                let (found, list) = own.unwrap_or_default();
                let [count, crossing, nodes] = [contacts, crossing, nodes].map(|n| n as u32);
                let first = [pool.put(found), node_pool.put(list)];
                Outcome { first, count, crossing, nodes, short: 0 }
            }
            Err(e) if e.kind == Kind::Capacity && e.what != What::Scratch => Outcome::lacks(e.what, e.needed),
            Err(_) => Outcome { short: Outcome::FAILED, ..Outcome::new_zeroed() },
        }
    }

    /// The shortage: for each size that was too small, the need of the pair that needs most.
    ///
    /// Errors: that of the first pair that failed.
    fn check(&self, costly: &[u32], outcomes: &[Outcome], memory: &mut [u8]) -> Result<Shortage> {
        if let Some((which, _)) = costly.iter().zip(outcomes).find(|(_, outcome)| outcome.short == Outcome::FAILED) {
            let Candidate { a, b, .. } = self.candidates.get(*which as usize).copied().unwrap_or_default();
            let named = |e: Error| match e.what {
                What::ShapeA => Error { what: What::Scales, index: a.into(), component: 0, ..e },
                What::ShapeB => Error { what: What::Scales, index: b.into(), component: 0, ..e },
                _ => e,
            };
            self.contacts(&Serial, *which as usize, memory).map_err(named)?;
            // The same computation failed before and succeeds now, so the shapes have been changed during the call.
            return Err(Error::new(Kind::Busy, What::Shapes));
        }
        let mut short = Shortage::default();
        for what in [What::Pairs, What::Terms, What::Segments, What::Output] {
            outcomes.iter().for_each(|outcome| short.add(what, outcome.short_of(what)));
        }
        Ok(short)
    }
}

/// The earlier result for costly pair number `which`.
fn taken(before: &Partly<'_>, which: usize, (pool, nodes): &(Pool<'_, Contact>, Pool<'_, Node>)) -> Option<Outcome> {
    let (own, contacts, list) = before.get(which)?;
    Some(Outcome { first: [pool.put(contacts), nodes.put(list)], ..*own })
}
