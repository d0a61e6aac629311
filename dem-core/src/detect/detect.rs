//! One step of a scene, phase by phase, and the scratch for it.

use super::all_bounds::AllBounds;
use super::bodies::Bodies;
use super::bounds_overlap::Overlap;
use super::box_bodies::{Huge, HugeMemory};
use super::broad_phase::{self, Search};
use super::candidates::{Candidates, Named};
use super::ids::{Gathered, RankMemory, Ranks};
use super::images::Images;
use super::matching::{self, Linked, Written};
use super::narrow_phase::Lists;
use super::neighbour_list::head;
use super::partial::{Before, Ended, Short, Unfinished};
use super::prepared::PairCounts;
use super::scene::{Counts, Progress, Scene, SceneSizes};
use super::settings::{Detected, List, Pairs, Settings};
use super::shortage::{Kinds, Most, Prospect, Shortage};
use super::sphere_bounds::{self, BoundMemory, Bounds};
use super::{general_pairs, wrench};
use crate::broad::{Candidate, GridReport};
use crate::contact::shape::Shape;
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each, within};
use crate::memory::{Layout, Plan, sections};
use crate::narrow::{check_bound, check_length};
use crate::real::max;
use crate::simd::Isa;

/// Scratch of [`Scene::detect`], [`Scene::find`] and [`Scene::find_pairs`] for up to this number of threads. With less, fewer threads work
/// on meshes at the same time.
///
/// It depends on the shapes and on whether bodies have ids, not on the positions of bodies. [`growing_scratch`] is less.
///
/// Errors: [`Kind::TooLarge`]. Cost: some nanoseconds for each shape and for each part of a compound.
pub fn detect_scratch(sizes: &SceneSizes, bodies: &Bodies<'_>, settings: &Settings, threads: usize) -> Result<Layout> {
    Needs::of(bodies, settings)?.layout(sizes, threads)
}

/// Initial scratch of [`Scene::find_after`] for a host that gives more room on request ([`Settings::grows`]): enough for nearly all steps. It has
/// no room for unusual pairs of balls and half-spaces, such as a ball whose centre is below the plane. If there is such a pair, the error of
/// [`What::Scratch`] gives a size that is enough for any pairs.
///
/// Errors, cost: those of [`detect_scratch`].
pub fn growing_scratch(sizes: &SceneSizes, bodies: &Bodies<'_>, settings: &Settings, threads: usize) -> Result<Layout> {
    Needs::of(bodies, settings)?.growing_layout(sizes, threads)
}

/// The numbers on which [`detect_scratch`] depends, for callers that add one shape at a time.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    settings: Settings,
    thread: general_pairs::PerThread,
    shapes: usize,
    ids: bool,
    /// Whether some shapes are balls; `flat`: half-spaces; `others`: neither.
    balls: bool,
    flat: bool,
    others: bool,
    /// Whether some of these are compounds of balls.
    clumps: bool,
}

impl Needs {
    /// No shapes yet. `ids`: whether bodies have ids.
    pub fn new(settings: &Settings, ids: bool) -> Self {
        Needs {
            settings: *settings,
            thread: general_pairs::PerThread::default(),
            shapes: 0,
            ids,
            balls: false,
            flat: false,
            others: false,
            clumps: false,
        }
    }

    fn of(bodies: &Bodies<'_>, settings: &Settings) -> Result<Self> {
        let mut needs = Needs::new(settings, bodies.ids.is_some());
        bodies.shapes.iter().try_for_each(|shape| needs.add(shape))?;
        Ok(needs)
    }

    /// Adds a shape of the table, or a part of a compound.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn add(&mut self, shape: &Shape<'_>) -> Result<()> {
        self.shapes += 1;
        match shape {
            // Closed forms need no scratch.
            Shape::Sphere { .. } => self.balls = true,
            Shape::HalfSpace { .. } => self.flat = true,
            other => {
                self.others = true;
                self.clumps |= matches!(other, Shape::Compound([_, _, ..])) && other.is_of_balls();
                self.thread.add(other, self.settings.room)?;
            }
        }
        Ok(())
    }

    /// Whether some shapes are balls, half-spaces or compounds of balls.
    pub(crate) fn has_round(&self) -> bool {
        self.balls || self.flat || self.clumps
    }

    /// Whether some shapes are compounds of balls.
    pub(crate) fn has_clumps(&self) -> bool {
        self.clumps
    }

    /// Scratch for a scene with these shapes.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn layout(&self, sizes: &SceneSizes, threads: usize) -> Result<Layout> {
        self.layout_with((self.own_layout(sizes)?, self.thread()?), sizes, threads, self.kinds(false))
    }

    /// Scratch as from [`growing_scratch`].
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn growing_layout(&self, sizes: &SceneSizes, threads: usize) -> Result<Layout> {
        self.layout_with((self.own_layout(sizes)?, self.thread()?), sizes, threads, self.kinds(true))
    }

    /// The kinds of pairs that may occur; with `usual`, those that occur in nearly all steps.
    fn kinds(&self, usual: bool) -> Kinds {
        let energy = self.settings.energy;
        Kinds { costly: self.others || energy || self.flat && !usual, balls: self.balls && !energy }
    }

    /// As [`Self::layout`], given the memory that all phases share, and that of a thread.
    fn layout_with(
        &self,
        (own, thread): (Layout, Layout),
        sizes: &SceneSizes,
        threads: usize,
        kinds: Kinds,
    ) -> Result<Layout> {
        let phases = [
            broad_phase::scratch(sizes.bodies, sizes.candidates)?,
            super::prepared::scratch(sizes.candidates, self.most(sizes, kinds), thread, threads.max(1))?,
            matching::scratch(sizes.contacts, sizes.nodes)?,
            wrench::scratch(sizes.bodies, max(sizes.contacts, sizes.margin_contacts))?,
        ];
        let phases = phases.into_iter().fold(Layout::EMPTY, Layout::or);
        Plan::new().part(own).part(phases).layout(What::Scratch)
    }

    fn most(&self, sizes: &SceneSizes, kinds: Kinds) -> Most {
        let margin = (self.settings.margin > 0.0).then_some(sizes.margin_contacts);
        Most { kinds, contacts: sizes.contacts, nodes: sizes.nodes, margin }
    }

    fn thread(&self) -> Result<Layout> {
        self.thread.layout(self.settings.pair_contacts as usize, self.settings.room)
    }

    /// The memory that all phases of a step share.
    fn own_layout(&self, sizes: &SceneSizes) -> Result<Layout> {
        Memory::layout(sizes.bodies.into(), self.shapes, sizes.candidates, self.ids)
    }
}

sections! {
    /// The memory that all phases of a step share.
    struct Memory<'s>(bodies: u64, shapes: usize, candidates: u32, ids: bool) {
        ranks: RankMemory(bodies) if ids,
        gathered: Gathered(bodies) if ids,
        first: FirstMemory(bodies, shapes as u64, candidates),
    }
}

sections! {
    /// Memory for the results of the first phases.
    struct FirstMemory<'s>(bodies: u64, shapes: u64, candidates: u32) {
        bounds: BoundMemory(bodies, shapes),
        huge: HugeMemory(bodies, shapes),
        moved: [[i16; 4]; bodies],
        origins: [u32; candidates.into()],
    }
}

/// The request for a step.
#[derive(Clone, Copy)]
struct Ask<'a> {
    exec: &'a dyn Executor,
    isa: Isa,
    settings: &'a Settings,
    pairs: Option<&'a Pairs<'a>>,
    /// Whether pairs of balls and half-spaces are left out.
    without_balls: bool,
    before: Option<&'a Before<'a>>,
    /// Whether the host gives more room on request. The error then asks for little beyond the known needs.
    sparing: bool,
    /// Whether contacts are estimated before any pair of bodies has been computed.
    estimates: bool,
}

/// The bodies of a step by rank.
#[derive(Clone, Copy)]
struct Ranked<'s> {
    bodies: &'s Bodies<'s>,
    ranks: Ranks<'s>,
    thread: Layout,
    /// Room of a thread for nodes.
    nodes: usize,
    /// The kinds of pairs for which scratch has room.
    kinds: Kinds,
}

/// The results of the first phases of a step.
struct Located<'s> {
    bounds: Bounds<'s>,
    huge: Huge<'s>,
    /// The periods by which bodies have been wrapped since the list was made.
    moved: &'s [[i16; 4]],
    /// Origins of the pairs that a host names.
    origins: &'s [u32],
    list: broad_phase::CandidateList,
}

impl Located<'_> {
    /// The candidates with all inputs of their contacts.
    // Inlined, because the result is large and would be copied otherwise.
    #[inline(always)]
    fn candidates<'a>(
        &'a self,
        ask: &Ask<'a>,
        Ranked { bodies, ranks, thread, nodes, kinds }: Ranked<'a>,
        list: &'a [Candidate],
    ) -> Result<Candidates<'a>> {
        let Ask { exec, isa, settings, pairs, sparing, .. } = *ask;
        let periods = settings.periods;
        let all_bounds = AllBounds::new(bodies, &self.bounds, self.huge, periods);
        let moved = if self.list.kept && periods != [0.0; 3] { self.moved } else { &[] };
        Ok(Candidates {
            exec,
            isa,
            bodies,
            ranks,
            images: Images::new(&all_bounds, moved),
            spots: self.bounds.spots,
            endless: all_bounds.endless,
            balls: self.bounds.balls,
            periods,
            room: settings.room,
            grouping: settings.grouping,
            energy: settings.energy,
            spread: settings.spread,
            margin: 0.0,
            most: settings.pair_contacts as usize,
            nodes,
            thread,
            candidates: list,
            kinds,
            sparing,
            overlap: if self.list.wide { Some(Overlap::new(all_bounds)?) } else { None },
            named: pairs.map(|pairs| Named { origins: self.origins, poses: pairs.poses }),
        })
    }
}

impl Scene<'_> {
    /// One step: finds all contacts of the bodies, links them to those of the last step ([`Scene::find`]), and commits them
    /// ([`Scene::commit`]).
    ///
    /// Errors, cost: those of [`Scene::find`]. After an error the scene is as before, and the same call with enough room has the same
    /// result.
    pub fn detect(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        scratch: &mut [u8],
    ) -> Result<Detected> {
        let found = self.find(exec, isa, bodies, settings, scratch)?;
        self.commit();
        Ok(found)
    }

    /// Finds all contacts of the bodies, and links them to those of the committed step, as a trial. It reads the committed step, and writes
    /// the results of [`SceneRef::now`](super::SceneRef::now) and [`SceneRef::links`](super::SceneRef::links).
    ///
    /// A host may repeat trials with bodies at other positions before it commits one of them ([`Scene::commit`]) or none
    /// ([`Scene::abandon`]). The committed step does not change, so each trial has the same result as if it were alone.
    ///
    /// Contacts are those of [`shape_contacts`](crate::contact::shape::shape_contacts) for every pair of bodies that the host allows, and
    /// for every periodic image of B. A is the body with the smaller id. Pairs are ordered by ids and image, contacts by pair and features.
    /// The first half of a contact's key is the index of its pair in [`StepRef::pairs`](super::StepRef::pairs).
    /// The image is counted from the nearest one, by the centres of the spheres around both bodies. Unbounded bodies (half-spaces,
    /// compounds with such parts) have no images.
    ///
    /// The result depends only on the bodies, their ids, the settings and the committed step, not on the indices of bodies in the arrays.
    /// `scratch` is [`detect_scratch`].
    ///
    /// Errors: those of the bodies and of their shapes, with array, index and component; [`Kind::Duplicate`] for [`What::Ids`], with both
    /// places; [`Kind::OutOfRange`] and [`Kind::NotFinite`] for [`What::Periods`], [`What::Centres`], [`What::Radii`] (of bounding spheres)
    /// and [`What::Bound`], [`What::Skin`] and [`What::Margin`].
    /// [`Kind::Capacity`] with the exact number, in this order: [`What::Bodies`], [`What::Scratch`], [`What::Candidates`], [`What::Pairs`],
    /// [`What::Terms`], [`What::Segments`] or [`What::Output`] (contacts) of the pair of bodies that needs most, [`What::Contacts`] or
    /// [`What::MarginContacts`], either with the number of the other list as [`index`](Error::index), and [`What::Nodes`]. After an error
    /// all results are as before the call.
    ///
    /// Threads work on different pairs of bodies. If there are fewer pairs of large meshes than half the threads, all threads work on each
    /// of these pairs in turn.
    ///
    /// Cost: some hundred nanoseconds a sphere; for meshes see [`contacts`](crate::contact::contacts). Ids that are not ascending cost a
    /// copy of all arrays, and a sort if their order differs from that of the last call. A [margin](Settings::margin) adds the search and
    /// the contacts of the second list.
    pub fn find(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        scratch: &mut [u8],
    ) -> Result<Detected> {
        done(self.look(
            &Ask {
                exec,
                isa,
                settings,
                pairs: None,
                before: None,
                without_balls: false,
                sparing: false,
                estimates: true,
            },
            bodies,
            scratch,
        )?)
    }

    /// As [`Scene::find_after`], and without pairs of balls and half-spaces if `without_balls`. Scratch is [`detect_scratch`]. Contacts are
    /// estimated before any pair of bodies has been computed, as in [`Scene::find`].
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn find_for_world(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        without_balls: bool,
        before: Option<&Before<'_>>,
        scratch: &mut [u8],
    ) -> Result<Ended<Detected>> {
        let sparing = settings.grows;
        let ask = Ask { exec, isa, settings, pairs: None, before, without_balls, sparing, estimates: true };
        self.told(&ask, bodies, scratch)
    }

    /// As [`Scene::find`], or as [`Scene::find_pairs`] if `pairs` is given. If there is too little room, the error lists all sizes that are too
    /// small, not only the first. The next call with more room then reuses the results in the scratch of this one: `before`. The scene may have
    /// grown in between ([`Scene::grow`]). Everything else must be the same, except the room in the settings. The result does not depend on
    /// `before`.
    ///
    /// [`Settings::grows`]: scratch may be [`growing_scratch`], and the error asks for little beyond the known needs. It estimates contacts only
    /// after bounds were tested, and those of meshes only if most of them would have no room. Some pairs of bodies are then computed first, to
    /// estimate what all pairs need; if there is no room for that, the others wait. So a step of new bodies asks several times, and for little more
    /// than it uses.
    ///
    /// Errors: those of [`Scene::find`] and [`Scene::find_pairs`] that are not [`Kind::Capacity`], and that for [`What::Scratch`].
    #[allow(clippy::too_many_arguments)]
    pub fn find_after(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        pairs: Option<&Pairs<'_>>,
        settings: &Settings,
        before: Option<&Before<'_>>,
        scratch: &mut [u8],
    ) -> Result<Ended<Detected>> {
        let sparing = settings.grows;
        let ask = Ask { exec, isa, settings, pairs, before, without_balls: false, sparing, estimates: !sparing };
        self.told(&ask, bodies, scratch)
    }

    /// Runs a step; its error lists all sizes that are too small.
    fn told(&mut self, ask: &Ask<'_>, bodies: &Bodies<'_>, scratch: &mut [u8]) -> Result<Ended<Detected>> {
        let mut ended = self.look(ask, bodies, scratch);
        self.tell(ask, bodies, &mut ended);
        ended
    }

    /// Completes the result of a step that had too little room.
    #[cold]
    #[inline(never)] // Not inlined: the search for contacts is deeply nested, and locals that are only needed after it must not enlarge its stack frames.
    fn tell(&self, ask: &Ask<'_>, bodies: &Bodies<'_>, ended: &mut Result<Ended<Detected>>) {
        match ended {
            Err(error)
                if error.kind == Kind::Capacity
                    && matches!(error.what, What::Bodies | What::Candidates | What::Poses) =>
            {
                let (error, known) = (*error, Shortage::of(error));
                *ended = self
                    .unlooked(bodies, ask.pairs, (ask.settings, !ask.estimates), known)
                    .map(|shortage| Ended::Short(Short { error, shortage, unfinished: None }));
            }
            Ok(Ended::Short(Short { shortage, unfinished, .. })) => {
                shortage.foresee_pairs(ask.settings);
                let own = Needs::of(bodies, ask.settings).and_then(|needs| needs.own_layout(&self.sizes));
                // This layout was computed successfully before.
                *unfinished = unfinished.zip(own.ok()).map(|(step, own)| Unfinished { at: own.size, ..step });
            }
            _ => {}
        }
    }

    /// The shortage of a step that has computed no contacts, with estimates of their number.
    #[cold]
    #[inline(never)]
    pub(crate) fn unlooked(
        &self,
        bodies: &Bodies<'_>,
        pairs: Option<&Pairs<'_>>,
        (settings, sparing): (&Settings, bool),
        known: Shortage,
    ) -> Result<Shortage> {
        let (mut short, needs) = (known, Needs::of(bodies, settings)?);
        let mut look = |what, needed: usize, given: u32| {
            if needed as u64 > u64::from(given) {
                short.add(what, needed as u64);
            }
        };
        look(What::Bodies, bodies.len(), self.sizes.bodies);
        if let Some(Pairs { list, poses }) = pairs {
            look(What::Candidates, list.len(), self.sizes.candidates);
            look(What::Poses, poses.map_or(0, <[_]>::len), self.sizes.posed);
        }
        let (margin, mode) = (settings.margin > 0.0, settings.grouping.mode);
        let (bodies, simple) = (bodies.len() as u64, needs.thread.is_simple());
        let prospect = Prospect { bodies, sparing, simple, margin, mode };
        short.foresee(&prospect, settings, &self.sizes);
        Ok(short)
    }

    /// As [`Scene::find`], but for pairs that the host names, even if their bounds do not meet, and regardless of groups, masks and motions. All of
    /// them are in [`StepRef::pairs`](super::StepRef::pairs), including those without contacts.
    ///
    /// [`Scene::commit`] then commits all of these pairs and forgets all others. [`Scene::commit_pairs`] commits some of them and keeps the
    /// others.
    ///
    /// Errors: those of [`Scene::find`]; for [`What::Candidates`] with the index of the pair: [`Kind::BadIndex`] with component 0 or 1 for
    /// a body that does not exist, [`Kind::OutOfRange`] for a zero shift of a body and itself, or a shift along an open axis, or of an
    /// unbounded body, [`Kind::Duplicate`] with both places; for [`What::Poses`] [`Kind::Mismatch`] if there are not as many as pairs,
    /// those of a pose, and [`Kind::Capacity`] if the scene has room for fewer.
    pub fn find_pairs(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        pairs: &Pairs<'_>,
        settings: &Settings,
        scratch: &mut [u8],
    ) -> Result<Detected> {
        done(self.look(
            &Ask {
                exec,
                isa,
                settings,
                pairs: Some(pairs),
                before: None,
                without_balls: false,
                sparing: false,
                estimates: true,
            },
            bodies,
            scratch,
        )?)
    }

    /// The pairs of bodies for which [`Scene::find`] computes contacts: pairs that the host allows and whose bounds meet. The bounds are
    /// [`bounding_spheres`](super::bounding_spheres), and boxes of bodies that are much larger than most. Gives their number.
    ///
    /// `a` and `b` are indices in the host's arrays, with the smaller id first. B is moved by `shift` periods to meet A. The pairs are
    /// ordered by ids, then by `shift`. [`Scene::find_pairs`] takes such a list, whole or in part: so a host may leave out pairs, or add
    /// its own.
    ///
    /// The committed step and the last trial do not change. `scratch` is [`detect_scratch`].
    ///
    /// Errors: those of [`Scene::find`] that are not about contacts; [`Kind::Capacity`] for [`What::Output`], with the exact number. Cost:
    /// that of the search; with a [skin](Settings::skin) a pass over bodies and list.
    pub fn candidates(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        out: &mut [Candidate],
        scratch: &mut [u8],
    ) -> Result<usize> {
        let room = out.len();
        let mut put = |k: usize, c| {
            if let Some(to) = out.get_mut(k) {
                *to = c;
            }
        };
        let ask = Ask {
            exec,
            isa,
            settings,
            pairs: None,
            before: None,
            without_balls: false,
            sparing: false,
            estimates: true,
        };
        let count = self.ranked(&ask, bodies, scratch, |scene, ask, ranked, memory, rest| {
            let located = scene.locate(ask, ranked, memory, rest)?;
            let candidates = located.candidates(ask, ranked, head(scene.neighbours.candidates, located.list.count))?;
            Ok(candidates.near().enumerate().map(|(k, c)| put(k, c)).count())
        })?;
        if count > room { Err(Error::capacity(What::Output, count as u64, room as u64)) } else { Ok(count) }
    }

    fn look(&mut self, ask: &Ask<'_>, bodies: &Bodies<'_>, scratch: &mut [u8]) -> Result<Ended<Detected>> {
        self.ranked(ask, bodies, scratch, |scene, ask, ranked, memory, rest| {
            scene.search(ask, bodies, ranked, memory, rest)
        })
    }

    /// Checks the request, orders the bodies by id, and calls `then`.
    fn ranked<T: Send>(
        &mut self,
        ask: &Ask<'_>,
        bodies: &Bodies<'_>,
        scratch: &mut [u8],
        mut then: impl FnMut(&mut Self, &Ask<'_>, Ranked<'_>, FirstMemory<'_>, &mut [u8]) -> Result<T> + Send,
    ) -> Result<T> {
        within(ask.exec, true, || {
            let places = core::mem::take(&mut self.places);
            let done = self.ordered(ask, bodies, &mut *places, &mut *scratch, &mut then);
            self.places = places;
            done
        })
    }

    fn ordered<T>(
        &mut self,
        ask: &Ask<'_>,
        bodies: &Bodies<'_>,
        places: &mut [u32],
        scratch: &mut [u8],
        then: &mut impl FnMut(&mut Self, &Ask<'_>, Ranked<'_>, FirstMemory<'_>, &mut [u8]) -> Result<T>,
    ) -> Result<T> {
        let sizes = self.sizes;
        check_bound(ask.settings.bound)?;
        check_length(ask.settings.skin, What::Skin)?;
        check_length(ask.settings.margin, What::Margin)?;
        ask.settings.grouping.check()?;
        bodies.check_arrays()?;
        if bodies.len() > sizes.bodies as usize {
            return Err(Error::capacity(What::Bodies, bodies.len() as u64, u64::from(sizes.bodies)));
        }
        if let Some(pairs) = ask.pairs {
            pairs.check(sizes.posed)?;
        }
        let needs = Needs::of(bodies, ask.settings)?;
        let (own, thread) = (needs.own_layout(&sizes)?, needs.thread()?);
        let layout = |threads, kinds| needs.layout_with((own, thread), &sizes, threads, kinds);
        let (mut kinds, mut least) = (needs.kinds(false), layout(1, needs.kinds(false))?);
        if ask.sparing && scratch.len() < least.size {
            kinds = needs.kinds(true);
            least = layout(1, kinds)?;
        }
        least.check(scratch, What::Scratch)?;
        let given = scratch.len() as u64;
        let (memory, rest) = scratch.split_at_mut(own.size);
        let memory = Memory::new(memory, bodies.len() as u64, needs.shapes, sizes.candidates, needs.ids)?;
        let ranks = Ranks::new(bodies, places, memory.ranks)?;
        let by_rank = ranks.gathered(ask.exec, bodies, memory.gathered);
        let nodes = needs.thread.nodes(ask.settings.room);
        let ranked = Ranked { bodies: &by_rank, ranks, thread, nodes, kinds };
        then(self, ask, ranked, memory.first, rest).map_err(|e| match (e.kind, e.what) {
            // The scratch for usual pairs was not enough.
            (Kind::Capacity, What::Scratch) if ask.sparing => {
                let all = layout(ask.exec.width(), needs.kinds(false));
                all.map_or_else(|e| e, |all| e.amounts(all.size as u64, given))
            }
            _ => ranks.in_places(e),
        })
    }

    /// The first phases: bounds, and the list of candidates.
    #[inline(always)]
    fn locate<'s>(
        &mut self,
        ask: &Ask<'_>,
        Ranked { bodies, ranks, .. }: Ranked<'_>,
        FirstMemory { bounds, huge, moved, origins }: FirstMemory<'s>,
        rest: &mut [u8],
    ) -> Result<Located<'s>> {
        let Ask { exec, isa, settings, without_balls, .. } = *ask;
        let mut bounds = Bounds::new(exec, bodies, 0.5 * settings.margin, bounds)?;
        let huge = Huge::new(bodies, &mut bounds, huge);
        let list = match ask.pairs {
            None => {
                let last = if self.progress[0].committed == 0 { self.even.as_ref() } else { self.odd.as_ref() };
                let (grid, boxes) = (&mut self.grid, &mut self.boxes);
                let mut search = Search { exec, isa, without_balls, grid, boxes, last, ranks };
                search.list(&mut self.neighbours, &mut bounds, (bodies, huge, settings), moved, rest)?
            }
            Some(pairs) => {
                let all_bounds = AllBounds::new(bodies, &bounds, huge, settings.periods);
                all_bounds.query().check()?;
                self.neighbours.forget();
                self.neighbours.grid[0] = GridReport::default();
                let all = &mut *self.neighbours.candidates;
                let count = broad_phase::named(pairs.list, (ranks, &all_bounds), all, origins, rest)?;
                broad_phase::CandidateList { count, wide: false, kept: false, age: 0 }
            }
        };
        Ok(Located { bounds, huge, moved, origins, list })
    }

    /// All phases of a step.
    fn search(
        &mut self,
        ask: &Ask<'_>,
        host: &Bodies<'_>,
        ranked: Ranked<'_>,
        memory: FirstMemory<'_>,
        rest: &mut [u8],
    ) -> Result<Ended<Detected>> {
        let Ask { exec, settings, .. } = *ask;
        let (periods, ranks, n) = (settings.periods, ranked.ranks, ranked.bodies.len());
        let located = self.locate(ask, ranked, memory, rest)?;
        let list = located.list;
        let candidates = located.candidates(ask, ranked, head(self.neighbours.candidates, list.count))?;
        let (trial, last) =
            if self.progress[0].committed == 0 { (&mut self.odd, &self.even) } else { (&mut self.even, &self.odd) };
        let lists = Lists {
            contacts: &mut *self.contacts,
            pairs: &mut *trial.pairs,
            features: &mut *trial.features,
            kept: &mut *trial.contacts,
            nodes: &mut *trial.nodes,
        };
        let wide = (settings.margin > 0.0).then(|| {
            let (contacts, pairs) = (&mut *self.margin_contacts, &mut *self.margin_pairs);
            let lists = Lists { contacts, pairs, features: &mut [], kept: &mut [], nodes: &mut [] };
            (settings.margin, lists)
        });
        let run = match candidates.run(lists, wide, ask.before, rest) {
            Ok(Ended::Done(found)) => Ok(found),
            Ok(Ended::Short(short)) => Err(Ok(Ended::Short(short))),
            Err(e) => Err(Err(e)),
        };
        let [found, wide] = match run {
            Ok(found) => found,
            Err(ended) => {
                if ask.pairs.is_none() {
                    self.neighbours.do_not_count();
                }
                return ended;
            }
        };
        // The trial overwrites the earlier results; until it is complete, there is none to read.
        self.progress[0].found = Progress::NOTHING;
        each(exec, CutMut(head(trial.poses, n), sphere_bounds::CHUNK), |chunk, poses| {
            host.poses(chunk * sphere_bounds::CHUNK, poses);
        });
        for (which, to) in head(trial.posed, list.count).iter_mut().enumerate() {
            *to = candidates.posed(which).unwrap_or_default();
        }
        let PairCounts { near, contacts, pairs, touching, crossing, .. } = found;
        let nodes = found.nodes as u32;
        let posed = ask.pairs.and_then(|pairs| pairs.poses).map_or(0, <[_]>::len) as u32;
        let [pairs, contacts] = [pairs as u32, contacts as u32];
        trial.counts[0] = Counts { periods, bodies: n as u32, pairs, contacts, nodes, posed, spare: 0 };
        let [margin_pairs, margin_contacts] = [wide.pairs, wide.contacts];
        let (pairs, contacts) = (margin_pairs as u32, margin_contacts as u32);
        self.margin_counts[0] = Counts { pairs, contacts, nodes: 0, ..trial.counts[0] };
        let (now, last) = (trial.as_ref(), last.as_ref());
        wrench::touches(exec, now.pairs(), ranks, head(self.touch_ends, n), self.touches, rest)?;
        let pairs = head(self.margin_pairs, margin_pairs);
        wrench::touches(exec, pairs, ranks, head(self.margin_touch_ends, n), self.margin_touches, rest)?;
        let to = Written {
            links: head(self.links, found.contacts),
            successors: head(self.successors, last.len()),
            blends: head(self.blends, nodes as usize),
        };
        let Linked { persisting, blends } = matching::link(exec, last, now, settings.bound, to, rest)?;
        (self.progress[0].found, self.progress[0].blends) = (Progress::TRIAL, blends as u32);
        let list = List { candidates: list.count, age: list.age };
        let margin_pairs = wide.touching;
        Ok(Ended::Done(Detected {
            candidates: near,
            pairs: touching,
            contacts: found.contacts,
            persisting,
            crossing,
            margin_pairs,
            margin_contacts,
            list,
        }))
    }
}

/// The result, or the error about too little room.
fn done<T>(ended: Ended<T>) -> Result<T> {
    match ended {
        Ended::Done(found) => Ok(found),
        Ended::Short(short) => Err(short.error),
    }
}
