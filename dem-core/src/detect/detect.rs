//! One step of a scene, phase by phase, and the scratch for it.

use super::bodies::Bodies;
use super::bounds::{self, Bounds};
use super::candidates::{self, Search};
use super::couples::{self, Couples, Found};
use super::huge::{self, Huge};
use super::images::Images;
use super::listed::head;
use super::near::Near;
use super::planes::Plane;
use super::present::Present;
use super::scene::{Counts, Scene, SceneSizes};
use super::{links, wrench};
use crate::contact::Room;
use crate::contact::shape::Shape;
use crate::error::{Error, Result, What};
use crate::exec::{CutMut, Executor, each, within};
use crate::memory::{Carve, Layout, Plan};
use crate::narrow::{check_bound, check_length};
use crate::real::max;
use crate::simd::Isa;

/// What a step is told beside the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The period along each axis, in units of length; 0 where an axis is open.
    pub periods: [f64; 3],
    /// How far a contact may slide in a step and still be the same, in units of length: see
    /// [`match_contacts`](crate::contact::history::match_contacts). Contacts with equal keys are the same however far.
    pub bound: f64,
    /// Pairs of bodies whose bounds are up to this far apart are kept in a list, which serves for as many steps as no body's bound
    /// moves or grows by more than half of it; 0: there is a new list in every step. It changes no result, only the time and the room that
    /// candidates take.
    ///
    /// It need not be tuned: for balls of radii 1 to 10, a skin of 0.2 took at most 7 % more time than the best one, where they
    /// moved up to 0.001, 0.01, 0.03 or 0.1 in a step: the best took 0.70, 0.75, 0.80 and 0.91 of the time without one. One too small for
    /// the speed took up to 5 % more than none.
    pub skin: f64,
    /// What each lane has room for, in any one pair of bodies.
    pub room: Room,
    /// The most contacts of a pair of bodies.
    pub couple_contacts: u32,
}

impl Default for Settings {
    /// Open, without a bound for sliding; room for small meshes that do not penetrate.
    fn default() -> Self {
        let room = Room { pairs: 256, terms: 1024, segments: 0 };
        Settings { periods: [0.0; 3], bound: f64::INFINITY, skin: 0.0, room, couple_contacts: 64 }
    }
}

/// What a step found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    /// Pairs of bodies whose bounds meet: spheres, and boxes of those that are much larger than most.
    pub candidates: usize,
    /// Those that have contacts.
    pub couples: usize,
    /// Contacts.
    pub contacts: usize,
    /// Contacts that were there in the last step.
    pub persisting: usize,
    /// Triangle pairs that touch or cross each other.
    pub crossing: usize,
    /// How the candidates were found, which changes nothing else.
    pub list: List,
}

/// The list of candidates of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Pairs in it: those whose bounds meet, and with a [skin](Settings::skin) those that are near.
    pub candidates: usize,
    /// Steps since it was made; 0 where it was made in this one.
    pub age: u32,
}

/// Scratch of [`Scene::detect`] for up to so many lanes; with less, fewer lanes work on meshes at a time.
///
/// It depends on the shapes, not on where bodies are.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge). Cost: some nanoseconds for each shape and for each part of a compound.
pub fn detect_scratch(sizes: &SceneSizes, bodies: &Bodies<'_>, settings: &Settings, lanes: usize) -> Result<Layout> {
    Needs::of(bodies.shapes, settings)?.layout(sizes, lanes)
}

/// What [`detect_scratch`] depends on, for those who have one shape at a time.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    settings: Settings,
    lane: couples::Lane,
    shapes: usize,
}

impl Needs {
    /// No shape yet.
    pub fn new(settings: &Settings) -> Self {
        Needs { settings: *settings, lane: couples::Lane::default(), shapes: 0 }
    }

    fn of(shapes: &[Shape<'_>], settings: &Settings) -> Result<Self> {
        let mut needs = Needs::new(settings);
        shapes.iter().try_for_each(|shape| needs.add(shape))?;
        Ok(needs)
    }

    /// One shape of the table more, or another part of a compound.
    ///
    /// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
    pub fn add(&mut self, shape: &Shape<'_>) -> Result<()> {
        self.shapes += 1;
        self.lane.add(shape, self.settings.room)
    }

    /// Scratch for a scene with these shapes.
    ///
    /// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
    pub fn layout(&self, sizes: &SceneSizes, lanes: usize) -> Result<Layout> {
        let lane = self.lane()?;
        let phases = [
            candidates::scratch(sizes.bodies, sizes.candidates)?,
            couples::scratch(sizes.candidates, sizes.contacts, lane, lanes.max(1))?,
            links::scratch(sizes.contacts)?,
            wrench::scratch(sizes.bodies, sizes.contacts)?,
        ];
        let most = phases.into_iter().fold(0, |m, layout| max(m, layout.size));
        let own = own_layout(sizes, self.shapes)?;
        Plan::new().part(own).part(Layout { size: most, ..Layout::EMPTY }).layout(What::Scratch)
    }

    fn lane(&self) -> Result<Layout> {
        self.lane.layout(self.settings.couple_contacts as usize)
    }
}

/// What the bounds of a step take, which all its phases look at.
fn own_layout(sizes: &SceneSizes, shapes: usize) -> Result<Layout> {
    let (n, mut plan) = (sizes.bodies, Plan::new());
    bounds::plan(u64::from(n), shapes as u64, &mut plan);
    huge::plan(n, shapes as u64, &mut plan);
    plan.add::<[i16; 4]>(u64::from(n)).add::<Plane>(u64::from(huge::most(n))).layout(What::Scratch)
}

impl Scene<'_> {
    /// Finds all contacts of the bodies, and which of them were there in the last step.
    ///
    /// Contacts are those of [`shape_contacts`](crate::contact::shape::shape_contacts) of every pair of bodies that the host wants, for
    /// every periodic image of B; A is the body with the smaller number, and the list is ordered by key. The tag of a key is
    /// [`history::tag`](crate::contact::history::tag) of both bodies, with the image counted from the one that is nearest by
    /// the centres of the spheres around both. Bodies without end (half-spaces, compounds with such parts) have no images.
    ///
    /// The answer depends on the bodies, the settings and the contacts of the last step alone. `scratch` is
    /// [`detect_scratch`].
    ///
    /// Errors: those of the bodies and of their shapes, with array, index and component; [`Kind::OutOfRange`](crate::error::Kind::OutOfRange) and
    /// [`Kind::NotFinite`](crate::error::Kind::NotFinite) for [`What::Periods`], [`What::Centres`], [`What::Radii`] (of bounding spheres) and
    /// [`What::Bound`]; [`Kind::OutOfRange`](crate::error::Kind::OutOfRange) for [`What::Periods`] with body B as index, where a body is so wide that it
    /// meets another one's image beyond the next; [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number, in the order in which they are met: [`What::Bodies`],
    /// [`What::Scratch`], [`What::Candidates`], [`What::Pairs`], [`What::Terms`], [`What::Segments`] or [`What::Output`] (contacts)
    /// of the pair of bodies that needs most, [`What::Contacts`]. After an error [`SceneRef::now`](super::SceneRef::now) still has
    /// what was found before, and the same call with enough room finds what it would have found.
    ///
    /// Pairs of bodies are worked on side by side; where there are fewer pairs of large meshes than half the lanes, all lanes work on
    /// each of these in turn.
    ///
    /// Cost: some hundred nanoseconds a sphere; for meshes see [`contacts`](crate::contact::contacts).
    pub fn detect(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        scratch: &mut [u8],
    ) -> Result<Detected> {
        within(exec, true, || self.step(exec, isa, bodies, settings, &mut *scratch))
    }

    fn step(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        bodies: &Bodies<'_>,
        settings: &Settings,
        scratch: &mut [u8],
    ) -> Result<Detected> {
        let (sizes, n) = (self.sizes, bodies.len());
        check_bound(settings.bound)?;
        check_length(settings.skin, What::Skin)?;
        bodies.check_arrays()?;
        if n > sizes.bodies as usize {
            return Err(Error::capacity(What::Bodies, n as u64, u64::from(sizes.bodies)));
        }
        let needs = Needs::of(bodies.shapes, settings)?;
        needs.layout(&sizes, 1)?.check(scratch, What::Scratch)?;
        // What is written over from here on is the step before the last one.
        let older = if self.newest[0] == 0 { &mut self.odd } else { &mut self.even };
        older.counts[0] = Counts::default();
        let own = own_layout(&sizes, bodies.shapes.len())?;
        let (memory, rest) = scratch.split_at_mut(own.size);
        let mut carve = Carve::new(memory, own, What::Scratch)?;
        let mut bounds = Bounds::new(exec, bodies, &mut carve)?;
        let huge = Huge::new(bodies, &mut bounds, sizes.bodies, &mut carve)?;
        let moved = carve.take::<[i16; 4]>(n as u64)?;
        let planes = carve.take::<Plane>(u64::from(huge::most(sizes.bodies)))?;

        let mut search = Search { exec, isa, grid: &mut self.grid, boxes: &mut self.boxes };
        let list = search.list(&mut self.listed, &mut bounds, (bodies, huge, settings), moved, rest)?;
        let periods = settings.periods;
        let present = Present::new(bodies, &bounds, huge, periods);
        let moved = if list.age > 0 && periods != [0.0; 3] { &*moved } else { &[] };

        let (now, last) =
            if self.newest[0] == 0 { (&mut self.odd, &mut self.even) } else { (&mut self.even, &mut self.odd) };
        let couples = Couples {
            exec,
            isa,
            bodies,
            images: Images::new(&present, moved),
            spots: bounds.spots,
            periods,
            room: settings.room,
            most: settings.couple_contacts as usize,
            lane: needs.lane()?,
            candidates: head(self.listed.candidates, list.count),
            near: if list.wide { Some(Near::new(present, planes)?) } else { None },
        };
        let found = couples.run(now.contacts, now.couples, rest)?;

        each(exec, CutMut(head(now.poses, n), bounds::CHUNK), |chunk, poses| {
            poses.iter_mut().enumerate().for_each(|(k, pose)| *pose = bodies.pose(chunk * bounds::CHUNK + k));
        });
        let Found { near: candidates, contacts, couples, crossing } = found;
        now.counts[0] =
            Counts { periods, bodies: n as u32, couples: couples as u32, contacts: contacts as u32, spare: 0 };
        let (now, last) = (now.as_ref(), last.as_ref());
        wrench::touches(exec, &now, head(self.touch_ends, n), self.touches, rest)?;
        let both = (head(self.links, contacts), head(self.successors, last.contacts().len()));
        let persisting = links::link(exec, last, now, settings.bound, both, rest)?;
        self.newest[0] = u32::from(self.newest[0] == 0);
        let list = List { candidates: list.count, age: list.age };
        Ok(Detected { candidates, couples, contacts, persisting, crossing, list })
    }
}

impl Scene<'_> {
    /// Forgets all that was found: as if there had been no step.
    pub fn clear(&mut self) {
        self.even.counts[0] = Counts::default();
        self.odd.counts[0] = Counts::default();
        self.listed.forget();
    }
}
