//! Contacts of all candidates, written in order.
//!
//! Two balls, and a ball and a half-space, have one contact or none, found in a few nanoseconds: they are counted first and written when it is
//! known where. What takes more is found once, into memory that lanes take pieces of, and copied to its place.

use core::ops::Range;

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::balls::{Ground, Grounds, TwoBalls};
use super::bodies::Bodies;
use super::bounds::{Ball, Spot};
use super::ids::Ranks;
use super::images::Images;
use super::order;
use super::overlap::Overlap;
use super::planes::Endless;
use super::scene::{KeptContact, ScenePair, shifted};
use crate::broad::Candidate;
use crate::contact::regions::{Grouping, Mode};
use crate::contact::shape::{
    Balls, Placed, Request, Shape, Surface, most_nodes, part_scratch, shape_contacts, with_nodes,
};
use crate::contact::{self, Contact, Node, Room};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, Pool, Serial, Work, each, each_with, pieces};
use crate::memory::{Carve, Layout, Plan};
use crate::mesh::NONE;
use crate::narrow::{extent, most_waiting};
use crate::pose::Pose;
use crate::real::{max, min};
use crate::simd::Isa;

/// Candidates that a lane looks at at a time.
const CHUNK: usize = 1024;

/// Two meshes are large where both have as many triangles: their contacts may be worth more than one lane.
const LARGE: usize = 4096;

/// Marks the number of contacts of a candidate that takes more.
const FLAG: u32 = 1 << 31;
/// That number, until it is known.
const DEAR: u32 = u32::MAX;

/// What came of two bodies whose contacts take more than those of balls.
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
    /// Where their nodes are in the pool of nodes.
    first_node: u32,
    nodes: u32,
}

impl Outcome {
    const FAILED: u32 = u32::MAX;
}

/// Room for the contacts and nodes of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    pub contacts: u32,
    pub nodes: u32,
    /// Contacts with wider halos, where these are asked for.
    pub margin: Option<u32>,
}

/// Scratch for so many candidates, contacts and nodes, and for so many lanes.
pub(super) fn scratch(candidates: u32, most: Most, lane: Layout, lanes: usize) -> Result<Layout> {
    let mut plan = Plan::new();
    Prepared::plan(candidates, [most.contacts, most.nodes], &mut plan);
    most.margin.into_iter().for_each(|contacts| Prepared::plan(candidates, [contacts, 0], &mut plan));
    plan.part(lane.times(lanes, What::Scratch)?).layout(What::Scratch)
}

/// What has been found of all candidates, and is to be written when it is known that there is room.
struct Prepared<'s> {
    /// How many contacts each candidate has; those of dear ones are marked.
    counts: &'s mut [u32],
    /// Of dear ones.
    outcomes: &'s mut [Outcome],
    ends: Ends<'s>,
    pool: &'s mut [Contact],
    nodes: &'s mut [Node],
    found: Found,
}

impl Prepared<'_> {
    fn plan(candidates: u32, [contacts, nodes]: [u32; 2], plan: &mut Plan) {
        let (candidates, contacts, nodes) = (u64::from(candidates), u64::from(contacts), u64::from(nodes));
        plan.add::<u32>(candidates).add::<u32>(candidates).add::<Outcome>(candidates);
        (0..5).for_each(|_| _ = plan.add::<u32>(candidates.div_ceil(CHUNK as u64)));
        plan.add::<Contact>(contacts).add::<Node>(nodes);
    }
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
    /// Whether there are compounds.
    compounds: bool,
}

impl Lane {
    pub fn add(&mut self, shape: &Shape<'_>, room: Room) -> Result<()> {
        self.compounds |= matches!(shape, Shape::Compound(_));
        for part in shape.samples() {
            let size = match part {
                Shape::Mesh(surface) => {
                    let extent = extent(&surface.tree);
                    self.extent = [0, 1, 2].map(|k| max(self.extent[k], extent[k]));
                    beside_its_like(Shape::Mesh(&Surface { solid: true, ..*surface }), room)?
                }
                // Closed forms need nothing.
                Shape::Sphere { .. } | Shape::HalfSpace { .. } => 0,
                other => beside_its_like(other, room)?,
            };
            self.size = max(self.size, size);
        }
        Ok(())
    }

    /// How many nodes two bodies may have.
    pub fn nodes(&self, room: Room) -> usize {
        if self.size > 0 || self.compounds { most_nodes(room) } else { 0 }
    }

    pub fn layout(&self, contacts: usize, room: Room) -> Result<Layout> {
        let items = if self.extent == [0; 3] { 0 } else { most_waiting(self.extent) };
        let parts =
            Plan::new().part(Layout { size: self.size, ..Layout::EMPTY }).add::<u8>(items).layout(What::Scratch)?;
        let nodes = self.nodes(room);
        let own = if nodes > 0 { with_nodes(nodes, room.segments, parts)? } else { parts };
        Plan::new().add::<Contact>(contacts as u64).add::<Node>(nodes as u64).part(own).layout(What::Scratch)
    }
}

/// Bytes for a shape and another one like it, or any one that is no mesh.
fn beside_its_like(shape: Shape<'_>, room: Room) -> Result<usize> {
    let at = |shape| Placed { shape, pose: &Pose::IDENTITY, scale: 1.0 };
    let others = [shape, Shape::Sphere { radius: 1.0, halo: 0.0 }, Shape::HalfSpace { halo: 0.0 }];
    others.into_iter().try_fold(0, |most, other| Ok(max(most, part_scratch(&at(shape), &at(other), room, 1)?.size)))
}

/// Where the contacts, the pairs that are written, the dear candidates and the nodes of each chunk end.
struct Ends<'s> {
    contacts: &'s mut [u32],
    pairs: &'s mut [u32],
    dear: &'s mut [u32],
    nodes: &'s mut [u32],
}

impl<'s> Ends<'s> {
    fn new(chunks: u64, carve: &mut Carve<'s>) -> Result<Self> {
        Ok(Ends {
            contacts: carve.take(chunks)?,
            pairs: carve.take(chunks)?,
            dear: carve.take(chunks)?,
            nodes: carve.take(chunks)?,
        })
    }

    /// Counts, then adds up; gives the number of contacts, of pairs and of nodes. `all`: pairs without contacts are written, too.
    fn fill(&mut self, exec: &dyn Executor, counts: &[u32], outcomes: &[Outcome], all: bool) -> [u64; 3] {
        let Ends { contacts, pairs, dear, nodes } = self;
        let parts = (Cut(counts, CHUNK), CutMut(contacts, 1), CutMut(pairs, 1), CutMut(dear, 1));
        each(exec, parts, |_, (counts, contacts, pairs, dear)| {
            // Contacts of a chunk are fewer than 2^32, or there is no memory for them.
            contacts[0] = counts.iter().fold(0, |sum: u32, n| sum.saturating_add(n & !FLAG));
            pairs[0] = counts.iter().filter(|n| all || **n & !FLAG > 0).count() as u32;
            dear[0] = counts.iter().filter(|n| **n & FLAG != 0).count() as u32;
        });
        order::ends(dear);
        let mut before = 0;
        for (to, end) in nodes.iter_mut().zip(&**dear) {
            let own = outcomes.get(before..*end as usize).unwrap_or_default();
            *to = own.iter().fold(0, |sum: u32, outcome| sum.saturating_add(outcome.nodes));
            before = *end as usize;
        }
        [order::ends(contacts), order::ends(pairs), order::ends(nodes)]
    }
}

/// Where they go.
pub(super) struct Lists<'o> {
    pub contacts: &'o mut [Contact],
    pub pairs: &'o mut [ScenePair],
    /// These are as many as contacts where they are wanted, else none; and so are kept contacts and nodes.
    pub features: &'o mut [u64],
    pub kept: &'o mut [KeptContact],
    pub nodes: &'o mut [Node],
}

/// What a chunk of candidates writes to.
struct Writing<'o> {
    lists: Lists<'o>,
    /// The place of its first pair among all.
    first_pair: u32,
}

impl Writing<'_> {
    /// Writes a contact, with its key, to these places of contact and pair.
    #[inline(always)]
    fn put(&mut self, [at, pair]: [u32; 2], contact: &Contact) {
        let Lists { contacts, pairs, features, kept, .. } = &mut self.lists;
        let (at, own) = (at as usize, pairs.get_mut(pair as usize));
        if let (Some(to), Some(own)) = (contacts.get_mut(at), own) {
            *to = Contact { key: [u64::from(self.first_pair + pair), contact.key[1]], ..*contact };
            own.least_gap = min(own.least_gap, contact.least_gap);
        }
        if let (Some(feature), Some(kept)) = (features.get_mut(at), kept.get_mut(at)) {
            *feature = contact.key[1];
            *kept = KeptContact { position: contact.position, area: contact.area };
        }
    }
}

/// What all candidates came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// Candidates whose bounds meet.
    pub near: usize,
    pub contacts: usize,
    pub nodes: usize,
    /// Pairs that are written.
    pub pairs: usize,
    /// Pairs that have contacts.
    pub touching: usize,
    pub crossing: usize,
}

/// Pairs that a host names.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// Twice the place of each candidate among the host's pairs, and 1 where the host's A is B.
    pub origins: &'a [u32],
    /// Poses of A and B of each of the host's pairs, unless they are those of the bodies.
    pub poses: Option<&'a [[Pose; 2]]>,
}

/// The candidates of a step.
pub(super) struct Candidates<'a> {
    pub exec: &'a dyn Executor,
    pub isa: Isa,
    /// By rank.
    pub bodies: &'a Bodies<'a>,
    pub ranks: Ranks<'a>,
    pub images: Images<'a>,
    pub spots: &'a [Spot],
    pub endless: Endless<'a>,
    /// Of shapes.
    pub balls: &'a [Ball],
    pub periods: [f64; 3],
    pub room: Room,
    pub grouping: Grouping,
    /// What halos are wider in the list of contacts that is found, both together.
    pub margin: f64,
    pub most: usize,
    /// Room for the nodes of a pair.
    pub nodes: usize,
    /// Scratch of a lane.
    pub lane: Layout,
    pub candidates: &'a [Candidate],
    /// Where some may have bounds that do not meet.
    pub overlap: Option<Overlap<'a>>,
    /// Where a host says which pairs: all of them are written, contacts or not.
    pub named: Option<Named<'a>>,
}

impl Candidates<'_> {
    /// Writes contacts and the pairs that have some; then the same with halos that are wider by `margin`, if they are wanted. Gives what was found of
    /// either.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Contacts`] and [`What::MarginContacts`] (each with the number of the other as index) and [`What::Nodes`], or
    /// what a pair has too little of. Nothing is written then.
    pub fn run(&self, to: Lists<'_>, wide: Option<(f64, Lists<'_>)>, scratch: &mut [u8]) -> Result<[Found; 2]> {
        let n = self.candidates.len() as u32;
        let most = Most {
            contacts: to.contacts.len() as u32,
            nodes: to.nodes.len() as u32,
            margin: wide.as_ref().map(|(_, to)| to.contacts.len() as u32),
        };
        let own = self::scratch(n, most, self.lane, 0)?;
        self::scratch(n, most, self.lane, 1)?.check(scratch, What::Scratch)?;
        let (own_memory, lanes) = scratch.split_at_mut(own.size);
        let mut carve = Carve::new(own_memory, own, What::Scratch)?;
        // The wider halos first: what is too small for these mostly is what is needed most of.
        let more = match wide {
            Some((margin, to)) => {
                let wide = Candidates { margin, ..*self };
                Some((wide.prepare([to.contacts.len(), 0], &mut carve, lanes)?, wide, to))
            }
            None => None,
        };
        let own = self.prepare([to.contacts.len(), to.nodes.len()], &mut carve, lanes)?;
        let needs = |found: &Found| found.contacts.max(found.pairs) as u64;
        let both = [needs(&own.found), more.as_ref().map_or(0, |(more, ..)| needs(&more.found))];
        let given = [most.contacts, most.margin.unwrap_or(0)].map(u64::from);
        for (k, what) in [What::Contacts, What::MarginContacts].into_iter().enumerate() {
            if both[k] > given[k] {
                return Err(Error::capacity(what, both[k], given[k]).at(both[1 - k], 0));
            }
        }
        if own.found.nodes > to.nodes.len() {
            return Err(Error::capacity(What::Nodes, own.found.nodes as u64, to.nodes.len() as u64));
        }
        self.write(&own, to);
        Ok([
            own.found,
            more.map_or(Found::default(), |(more, wide, to)| {
                wide.write(&more, to);
                more.found
            }),
        ])
    }

    /// Finds all contacts, of which so many have room, and nodes.
    ///
    /// Errors: what a pair has too little of.
    fn prepare<'s>(
        &self,
        [most, most_nodes]: [usize; 2],
        carve: &mut Carve<'s>,
        lanes: &mut [u8],
    ) -> Result<Prepared<'s>> {
        let (candidates, n) = (self.candidates, self.candidates.len());
        let (counts, dear) = (carve.take::<u32>(n as u64)?, carve.take::<u32>(n as u64)?);
        let outcomes = carve.take::<Outcome>(n as u64)?;
        let mut ends = Ends::new(n.div_ceil(CHUNK) as u64, carve)?;
        let near = carve.take::<u32>(n.div_ceil(CHUNK) as u64)?;
        let pool = carve.take::<Contact>(most as u64)?;
        let nodes = carve.take::<Node>(most_nodes as u64)?;
        let parts = (Cut(candidates, CHUNK), CutMut(&mut *counts, CHUNK), CutMut(&mut *near, 1));
        each(self.exec, parts, |chunk, (candidates, counts, near)| {
            near[0] = 0;
            for (k, (candidate, count)) in candidates.iter().zip(counts).enumerate() {
                if self.overlap.as_ref().is_some_and(|overlap| !self.meet(overlap, candidate)) {
                    *count = 0;
                    continue;
                }
                near[0] += 1;
                *count = self.touch(chunk * CHUNK + k, candidate).map_or(DEAR, u32::from);
            }
        });
        let places = counts.iter().enumerate().filter(|(_, count)| **count == DEAR);
        let rest = places.zip(&mut *dear).map(|((i, _), to)| *to = i as u32).count();
        let (dear, outcomes) = (dear.get(..rest).unwrap_or_default(), outcomes.get_mut(..rest).unwrap_or_default());
        self.find_dear(dear, outcomes, (&mut *pool, &mut *nodes), lanes)?;
        for (which, outcome) in dear.iter().zip(&*outcomes) {
            if let Some(count) = counts.get_mut(*which as usize) {
                *count = outcome.count | FLAG;
            }
        }
        let totals = ends.fill(self.exec, counts, outcomes, self.named.is_some());
        let crossing = outcomes.iter().map(|outcome| outcome.crossing as usize).sum();
        let near = near.iter().map(|n| *n as usize).sum();
        let touching = counts.iter().filter(|n| **n & !FLAG > 0).count();
        let [contacts, pairs, all_nodes] = totals.map(|n| n as usize);
        let found = Found { near, contacts, nodes: all_nodes, pairs, touching, crossing };
        Ok(Prepared { counts, outcomes, ends, pool, nodes, found })
    }

    /// The candidates whose bounds meet, by places in the host's arrays.
    pub fn near(&self) -> impl Iterator<Item = Candidate> {
        let meet = |c: &&Candidate| self.overlap.as_ref().is_none_or(|overlap| self.meet(overlap, c));
        self.candidates.iter().filter(meet).map(|c| {
            let [a, b] = [c.a, c.b].map(|rank| self.ranks.place(rank));
            Candidate { a, b, shift: self.images.shift(c), spare: 0 }
        })
    }

    /// The contacts of all candidates that are not two balls.
    ///
    /// Errors: those of [`Candidates::run`] about a pair.
    fn find_dear(
        &self,
        dear: &[u32],
        outcomes: &mut [Outcome],
        (pool, nodes): (&mut [Contact], &mut [Node]),
        lanes: &mut [u8],
    ) -> Result<()> {
        let shared = (Pool::new(pool), Pool::new(nodes));
        // So few that many lanes would have nothing to do.
        let large = dear.iter().filter(|which| self.is_large(**which)).count();
        let in_turn = large > 0 && 2 * large <= self.exec.width();
        if in_turn {
            for (outcome, which) in outcomes.iter_mut().zip(dear).filter(|(_, which)| self.is_large(**which)) {
                *outcome = self.find(self.exec, *which as usize, &shared, lanes);
            }
        }
        let parts = (CutMut(&mut *outcomes, 1), Cut(dear, 1));
        each_with(self.exec, parts, CutMut(&mut *lanes, self.lane.size), |_, (outcome, which), lane| {
            if let ([outcome], [which]) = (outcome, which)
                && !(in_turn && self.is_large(*which))
            {
                *outcome = self.find(&Serial, *which as usize, &shared, lane);
            }
        })?;
        self.check(dear, outcomes, lanes)
    }

    /// The poses of a candidate, if it has its own.
    #[inline(always)]
    pub fn posed(&self, which: usize) -> Option<[Pose; 2]> {
        let Named { origins, poses } = self.named?;
        let origin = *origins.get(which)?;
        let [a, b] = *poses?.get((origin >> 1) as usize)?;
        Some(if origin & 1 == 0 { [a, b] } else { [b, a] })
    }

    /// Where both bodies are.
    fn poses(&self, which: usize, c: &Candidate) -> [Pose; 2] {
        self.posed(which).unwrap_or_else(|| [c.a, c.b].map(|i| self.bodies.pose(i as usize)))
    }

    /// What the halo of each body is wider.
    #[inline(always)]
    fn wider(&self) -> f64 {
        0.5 * self.margin
    }

    /// Both bodies.
    #[inline(always)]
    fn spots(&self, c: &Candidate) -> Option<[&Spot; 2]> {
        Some([self.spots.get(c.a as usize)?, self.spots.get(c.b as usize)?])
    }

    /// Whether there is a contact, where that is quickly told.
    #[inline(always)]
    fn touch(&self, which: usize, c: &Candidate) -> Option<bool> {
        let [a, b] = self.spots(c)?;
        if a.is_ball() && b.is_ball() {
            let halos = [a, b].map(|spot| spot.halo + self.wider());
            return Some(Balls::new(self.centres(which, c, [a, b]), [a.radius, b.radius], halos).touch());
        }
        self.ground(c, [a, b])?.touch()
    }

    /// Where the centres of two balls are, B moved to where it meets A.
    #[inline(always)]
    fn centres(&self, which: usize, c: &Candidate, [a, b]: [&Spot; 2]) -> [[f64; 3]; 2] {
        let [from, to] = match self.posed(which) {
            Some(poses) => poses.map(|pose| pose.position),
            None => [a.centre, b.centre],
        };
        [from, if self.images.is_open() { to } else { shifted(to, self.images.shift(c), &self.periods) }]
    }

    /// A ball and a half-space, where the bodies are.
    #[inline(always)]
    fn ground<'s>(&self, c: &Candidate, [a, b]: [&'s Spot; 2]) -> Option<Ground<'s>> {
        let (ball, flat, body) = if a.is_ball() { (a, b, c.b) } else { (b, a, c.a) };
        if !ball.is_ball() || !flat.is_half_space() || self.named.is_some() {
            return None;
        }
        Some(Ground { ball, flat, normal: self.endless.normal(body)?, wider: self.wider() })
    }

    /// Whether the bounds of two bodies meet.
    #[inline(always)]
    fn meet(&self, overlap: &Overlap<'_>, c: &Candidate) -> bool {
        let shift = self.images.shift(c);
        match self.spots(c) {
            Some([a, b]) if a.is_ball() && b.is_ball() => overlap.balls_meet([a, b], shift),
            _ => overlap.meet(c, shift),
        }
    }

    /// The image of a candidate, by the centres of the spheres around both bodies.
    fn image(&self, which: usize, c: &Candidate) -> [i32; 3] {
        let centre = |i: u32, pose: &Pose| {
            let scale = self.bodies.scales.map_or(1.0, |s| s.number(i as usize));
            let ball = self.balls.get(self.bodies.shape.get(i as usize) as usize).copied().unwrap_or_default();
            ball.placed(pose, scale).centre
        };
        let own = if self.images.is_open() { None } else { self.posed(which) };
        self.images.number(c, own.map(|[a, b]| [centre(c.a, &a), centre(c.b, &b)]))
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
    fn contacts(&self, exec: &dyn Executor, which: usize, memory: &mut [u8]) -> Result<contact::Found> {
        let c = &self.candidates[which];
        let (found, nodes, scratch) = self.split(memory)?;
        let [pose, mut moved] = self.poses(which, c);
        moved.position = shifted(moved.position, self.images.shift(c), &self.periods);
        let (a, b) = (self.bodies.placed(c.a as usize, &pose), self.bodies.placed(c.b as usize, &moved));
        // The place of the pair is known when all are.
        let request = Request { tag: 0, room: self.room, grouping: self.grouping, margin: self.margin };
        // Where each patch pair is a contact, and without patches, nodes tell nothing; what is matched with no step needs none.
        let round = |shape: &Shape<'_>| matches!(shape, Shape::Sphere { .. } | Shape::HalfSpace { .. });
        let none = self.grouping.mode == Mode::Patches || self.margin > 0.0 || round(&a.shape) && round(&b.shape);
        let nodes = if none { None } else { Some(nodes) };
        let found = shape_contacts(Work::new(exec, self.isa, scratch), &a, &b, &request, found, nodes)?;
        Ok(if none { contact::Found { nodes: 0, ..found } } else { found })
    }

    /// Memory for the contacts of two bodies and their nodes, and scratch.
    fn split<'l>(&self, memory: &'l mut [u8]) -> Result<(&'l mut [Contact], &'l mut [Node], &'l mut [u8])> {
        let own = Plan::new().add::<Contact>(self.most as u64).add::<Node>(self.nodes as u64).layout(What::Scratch)?;
        let (found, scratch) = memory.split_at_mut(own.size.min(memory.len()));
        let mut carve = Carve::new(found, own, What::Scratch)?;
        Ok((carve.take(self.most as u64)?, carve.take(self.nodes as u64)?, scratch))
    }

    fn find(
        &self,
        exec: &dyn Executor,
        which: usize,
        (pool, node_pool): &(Pool<'_, Contact>, Pool<'_, Node>),
        memory: &mut [u8],
    ) -> Outcome {
        match self.contacts(exec, which, memory) {
            Ok(contact::Found { contacts, nodes, crossing }) => {
                let own = self.split(memory).ok();
                let own = own.and_then(|(found, list, _)| Some((found.get(..contacts)?, list.get(..nodes)?)));
                let (found, list) = own.unwrap_or_default();
                let [count, crossing, nodes] = [contacts, crossing, nodes].map(|n| n as u32);
                let (first, first_node) = (pool.put(found), node_pool.put(list));
                Outcome { first, count, crossing, first_node, nodes, ..Outcome::new_zeroed() }
            }
            Err(e) if e.kind == Kind::Capacity && e.what != What::Scratch => {
                Outcome { short: e.what as u32, needed: e.needed, ..Outcome::new_zeroed() }
            }
            Err(_) => Outcome { short: Outcome::FAILED, ..Outcome::new_zeroed() },
        }
    }

    /// Errors: that of the first pair that failed; else, of what was too small, how much the largest one needs.
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

    /// Everything in its place.
    fn write(&self, Prepared { counts, outcomes, ends, pool, nodes, .. }: &Prepared<'_>, to: Lists<'_>) {
        let parts = (
            Cut(self.candidates, CHUNK),
            Cut(counts, CHUNK),
            pieces(to.contacts, &*ends.contacts),
            pieces(to.features, &*ends.contacts),
            pieces(to.kept, &*ends.contacts),
            (pieces(to.pairs, &*ends.pairs), pieces(to.nodes, &*ends.nodes)),
        );
        let node_pool = nodes;
        let all = self.named.is_some();
        each(self.exec, parts, |chunk, (candidates, counts, contacts, features, kept, (pairs, nodes))| {
            let before = |ends: &[u32]| chunk.checked_sub(1).and_then(|k| ends.get(k)).copied().unwrap_or(0);
            let [first_contact, first_pair, mut dear] = [&*ends.contacts, ends.pairs, ends.dear].map(before);
            let mut writing = Writing { lists: Lists { contacts, pairs, features, kept, nodes }, first_pair };
            let (mut balls, mut grounds) = (TwoBalls::EMPTY, Grounds::EMPTY);
            let (mut contact, mut pair, mut node) = (0, 0, 0);
            for (k, (candidate, count)) in candidates.iter().zip(counts).enumerate() {
                let (is_dear, count) = (*count & FLAG != 0, *count & !FLAG);
                let outcome = outcomes.get(dear as usize).filter(|_| is_dear);
                dear += u32::from(is_dear);
                if count == 0 && !all {
                    continue;
                }
                let (which, first) = (chunk * CHUNK + k, first_contact + contact);
                if let Some(to) = writing.lists.pairs.get_mut(pair as usize) {
                    *to = self.pair(which, candidate, first..first + count);
                }
                if let Some(outcome) = outcome {
                    let found = pool.get(outcome.first as usize..).unwrap_or_default();
                    (contact..contact + count).zip(found).for_each(|(to, found)| writing.put([to, pair], found));
                    let found = node_pool.get(outcome.first_node as usize..).unwrap_or_default();
                    let to = writing.lists.nodes.get_mut(node..).unwrap_or_default();
                    node += outcome.nodes as usize;
                    for (to, found) in to.iter_mut().zip(found).take(outcome.nodes as usize) {
                        *to = Node { contact: found.contact + first, ..*found };
                    }
                } else if count > 0 {
                    self.wait(which, candidate, [contact, pair], (&mut balls, &mut grounds), &mut writing);
                }
                (contact, pair) = (contact + count, pair + 1);
            }
            self.settle((&mut balls, &mut grounds), &mut writing);
        });
    }

    /// Has two balls or a ball and a half-space wait for others like them.
    #[inline(always)]
    fn wait(
        &self,
        which: usize,
        c: &Candidate,
        places: [u32; 2],
        (balls, grounds): (&mut TwoBalls, &mut Grounds),
        writing: &mut Writing<'_>,
    ) {
        let Some([a, b]) = self.spots(c) else { return };
        let full = if a.is_ball() && b.is_ball() {
            let [[x, y, z], [u, v, w]] = self.centres(which, c, [a, b]);
            let [ha, hb] = [a, b].map(|spot| spot.halo + self.wider());
            balls.push([x, y, z, u, v, w, a.radius, b.radius, ha, hb], places)
        } else if let Some(Ground { ball, flat, normal: [l, m, n], wider }) = self.ground(c, [a, b]) {
            let ([x, y, z], [u, v, w]) = (ball.centre, flat.centre);
            let side = if a.is_ball() { 1.0 } else { -1.0 };
            grounds.push([x, y, z, u, v, w, l, m, n, ball.radius, ball.halo + wider, flat.halo + wider, side], places)
        } else {
            false
        };
        if full {
            self.settle((balls, grounds), writing);
        }
    }

    /// Writes the contacts of all that wait.
    #[inline(never)]
    fn settle(&self, (balls, grounds): (&mut TwoBalls, &mut Grounds), writing: &mut Writing<'_>) {
        let unusual = |centres, radii, halos| Balls::new(centres, radii, halos).contact(0);
        balls.settle(self.isa, unusual, |places, contact| writing.put(places, contact));
        grounds.settle(self.isa, |places, contact| writing.put(places, contact));
    }

    /// The record of a candidate.
    #[inline(always)]
    fn pair(&self, which: usize, c: &Candidate, contacts: Range<u32>) -> ScenePair {
        let [a, b] = [self.ranks.place(c.a), self.ranks.place(c.b)];
        ScenePair {
            ids: [self.ranks.id(a), self.ranks.id(b)],
            a,
            b,
            first: contacts.start,
            end: contacts.end,
            image: if self.images.is_open() { c.shift.map(i32::from) } else { self.image(which, c) },
            shift: if self.images.is_open() { c.shift } else { self.images.shift(c) },
            spare: 0,
            posed: if self.named.is_some() && self.posed(which).is_some() { which as u32 } else { NONE },
            least_gap: f64::INFINITY,
        }
    }
}
