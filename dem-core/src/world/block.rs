//! The block of a world: bodies in slots, springs of contacts, where a step stands, and the scene as a part of it.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::balls::{Head, Listed, Place, Rate, WORDS, room_for_rates};
use super::energy::{Balance, StepWorks};
use super::law_context::Springs;
use super::pair_event::{PairEvent, Watched};
use crate::body::{Body, Order, Rotation, bounded};
use crate::detect::{Scene, SceneRef, SceneSizes, Settings, Shortage, Wrench, raise};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{self, Sizes, hash_items};
use crate::mesh::NONE;
use crate::real::min;

/// The sizes for which a world's block is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct WorldSizes {
    /// Bodies, at most.
    pub bodies: u32,
    /// Pairs of bodies whose bounds meet, at most.
    pub candidates: u32,
    /// The most contacts, and also the most pairs of bodies that have some. With 0 there is no room for steps with records, nor for
    /// wrenches of contacts and mean ones: such a world only has windows without records ([`Records::None`]).
    pub contacts: u32,
    /// [Nodes](crate::contact::Node) of contacts, at most.
    pub nodes: u32,
    /// Levels of the grid, 1 to 64; 8 is good for most size ratios.
    pub levels: u32,
    /// Pairs in the list of steps without records, at most: of balls and half-spaces that may touch while the list lasts.
    pub ball_pairs: u32,
    /// Pairs of balls and half-spaces whose bounds meet, at most, in steps without records, under laws of sliding alone. A pair counts 5/4 where some law has
    /// [torsion](crate::force::Interaction::torsion), and 2 where some has [rolling resistance](crate::force::Interaction::rolling): for the springs of these. Where some bodies are
    /// compounds of balls, each pair of balls counts 4.
    pub ball_contacts: u32,
    /// Events of a window, at most, in a world that [watches](World::watch).
    pub events: u32,
}

/// The component of an error about [`What::Candidates`] or [`What::Contacts`] that is about [`WorldSizes::ball_pairs`] or [`WorldSizes::ball_contacts`].
pub(super) const OF_BALLS: u32 = 1;

impl WorldSizes {
    /// The sizes of the scene in the world.
    pub fn scene(&self) -> SceneSizes {
        let WorldSizes { bodies, candidates, contacts, nodes, levels, .. } = *self;
        SceneSizes { bodies, candidates, contacts, nodes, posed: 0, levels, margin_contacts: 0 }
    }

    /// That of the block.
    fn held_scene(&self) -> SceneSizes {
        let none = SceneSizes { bodies: 0, candidates: 0, nodes: 0, ..self.scene() };
        if self.has_records() { self.scene() } else { none }
    }

    /// Whether steps with records are possible.
    pub(super) fn has_records(&self) -> bool {
        self.contacts > 0
    }

    /// Bodies as far as these have wrenches of contacts.
    fn recorded(&self) -> u64 {
        if self.has_records() { u64::from(self.bodies) } else { 0 }
    }

    /// Bodies that the room for what a step makes of them is for.
    fn moved(&self) -> u64 {
        if self.has_records() { u64::from(self.bodies) } else { room_for_rates(self.bodies) }
    }

    /// Makes the room that a call lacked ([`WorldRef::shortage`]) a quarter larger than needed. Gives whether these sizes have changed:
    /// then call [`World::grow`], and repeat the call. Otherwise, if the settings have changed, more scratch is enough.
    ///
    /// Errors: [`Kind::TooLarge`].
    pub fn make_room(&mut self, short: &Shortage, settings: &mut Settings) -> Result<bool> {
        let (mut scene, mut next) = (self.scene(), *self);
        short.make_room(settings, &mut scene)?;
        raise(&mut next.ball_pairs, short.ball_pairs, What::Candidates)?;
        raise(&mut next.ball_contacts, short.ball_contacts, What::Contacts)?;
        let SceneSizes { bodies, candidates, contacts, nodes, .. } = scene;
        raise(&mut next.events, short.events, What::Events)?;
        next = WorldSizes { bodies, candidates, contacts, nodes, ..next };
        Ok(core::mem::replace(self, next) != next)
    }
}

impl Sizes for WorldSizes {
    const KIND: [u8; 4] = *b"wrld";
    const VERSION: u32 = 13;
    const WHAT: What = What::World;

    fn check(&self) -> Result<()> {
        let own =
            [(self.ball_pairs, What::BallPairs), (self.ball_contacts, What::BallContacts), (self.events, What::Events)];
        // The others are as large as what they come from, where they are not told.
        self.scene().check()?;
        match own.into_iter().find(|(size, _)| *size >= NONE / 2) {
            Some((size, what)) => Err(Error::new(Kind::TooLarge, what).amounts(u64::from(NONE / 2), u64::from(size))),
            None => Ok(()),
        }
    }
}

/// Settings for all steps of a world, until they are changed.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Setup {
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// The period along each axis, in units of length; 0 where an axis is open. Bodies that leave are put in again at the other side: their coordinates are
    /// kept between 0 and the period.
    pub periods: [f64; 3],
    /// An [`Order`].
    pub order: u32,
    /// A [`Rotation`].
    pub rotation: u32,
}

impl Default for Setup {
    /// No gravity, open space, semi-implicit steps, rotation by splitting.
    fn default() -> Self {
        let (order, rotation) = (Order::SemiImplicit as u32, Rotation::Splitting as u32);
        Setup { gravity: [0.0; 3], periods: [0.0; 3], order, rotation }
    }
}

impl Setup {
    /// Whether a world takes it.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] about gravity, periods, [`What::Order`] and [`What::Rotation`].
    pub fn check(&self) -> Result<()> {
        bounded(&self.gravity, What::Gravity, 0)?;
        bounded(&self.periods, What::Periods, 0)?;
        if let Some(k) = self.periods.iter().position(|period| *period < 0.0) {
            return Err(Error::new(Kind::OutOfRange, What::Periods).at(0, k as u32));
        }
        match (self.order, self.rotation) {
            (0..=1, 0..=1) => Ok(()),
            (0..=1, given) => Err(Error::new(Kind::OutOfRange, What::Rotation).amounts(0, u64::from(given))),
            (given, _) => Err(Error::new(Kind::OutOfRange, What::Order).amounts(0, u64::from(given))),
        }
    }

    /// Infinite where no axis is periodic.
    pub(super) fn shortest_period(&self) -> f64 {
        self.periods.iter().filter(|x| **x > 0.0).fold(f64::INFINITY, |least, x| min(least, *x))
    }

    pub(super) fn order(&self) -> Order {
        if self.order == Order::Explicit as u32 { Order::Explicit } else { Order::SemiImplicit }
    }

    pub(super) fn rotation(&self) -> Rotation {
        if self.rotation == Rotation::Gyroscopic as u32 { Rotation::Gyroscopic } else { Rotation::Splitting }
    }
}

/// Which steps of a window find records of all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Records {
    /// The last step of a window has records of all contacts.
    #[default]
    Last = 0,
    /// No step of a window has records of pairs of balls and half-spaces that do not need them.
    None = 1,
}

/// Where a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Phase {
    /// Between steps.
    Idle = 0,
    /// The next poll finds contacts.
    Find = 1,
    /// The next poll applies the law.
    Law = 2,
    /// The host applies its law ([`PollResult::Law`](super::PollResult::Law)).
    HostLaw = 3,
    /// The host reads and sets its loads ([`PollResult::Loads`](super::PollResult::Loads)).
    Loads = 4,
    /// The next poll moves the bodies.
    Move = 5,
    /// Complete, not yet accepted.
    Done = 6,
    /// The step is too long for the speed at which bodies approach.
    Stuck = 7,
}

impl Phase {
    fn of(number: u32) -> Phase {
        match number {
            1 => Phase::Find,
            2 => Phase::Law,
            3 => Phase::HostLaw,
            4 => Phase::Loads,
            5 => Phase::Move,
            6 => Phase::Done,
            7 => Phase::Stuck,
            _ => Phase::Idle,
        }
    }
}

/// Two bodies that approach each other too fast for a step, and a length of it that is short enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TooFast {
    /// Slot of one body.
    pub a: u32,
    /// Slot of the other one; the same for a body and its periodic image, and for a body that moves by more than a period.
    pub b: u32,
    /// The approach in the step over the allowed approach, which is half of the sum of both halos. Where it is larger, half of the sum of the
    /// approach and of what an arc adds to it counts as the approach. If a body moves by more than a period, the number of periods. 0 if no pair approaches.
    pub ratio: f64,
    /// A time step that is short enough for all pairs. If a body moves by more than a period, a time step that is short enough for the
    /// check of pairs.
    pub dt: f64,
}

/// Numbers of the world as a whole.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct State {
    pub setup: Setup,
    /// Time of the accepted state.
    pub time: f64,
    /// Length of the step.
    pub dt: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Number of bodies with ids of the host.
    pub named: u64,
    /// Slots that have been used: those from 0 on.
    pub slots: u32,
    /// The first free one among them, and 1 more than each names the next; 0 where there is none.
    pub free: u32,
    /// A [`Phase`].
    pub phase: u32,
    /// The requests of the host in `begin`: 1 for loads, 2 for a law of its own.
    pub asked: u32,
    /// Which half of the springs is that of the accepted state.
    pub half: u32,
    /// Contacts whose springs it has.
    pub springs: u32,
    /// [`Records`].
    pub records: u32,
    /// 1 where the window began without room for momenta.
    pub no_means: u32,
    /// 1 where all steps are watched.
    pub watches: u32,
    /// Which shapes contacts of the step were found with ([`fingerprint`](super::same_shapes::fingerprint)); 0 before they are found.
    pub seen_shapes: u32,
    /// Works in the step.
    pub works: StepWorks,
    /// Energy that damping and friction have dissipated in the step, as far as the law tells.
    pub lost: [f64; 2],
    /// For pairs of balls without records: energy of springs, the energy that damping has dissipated, and work done against friction.
    pub taken_by_balls: [f64; 3],
    /// Work in the step of vertices that move, at contacts.
    pub by_vertices: f64,
    /// Energies of accepted steps.
    pub balance: Balance,
    /// What accepting the last step has told of the energy that came from nowhere.
    pub spurious: f64,
    pub fast: TooFast,
    pub window: Window,
    /// Of the accepted steps of a window, and with the step that is under way.
    pub watched: Watched,
    pub watching: Watched,
}

/// A window of time that [`World::advance`] is within.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Window {
    pub start: f64,
    pub length: f64,
    pub most: f64,
    /// Parts that it is divided into, and the one that is next; 0 of them outside of windows.
    pub parts: u64,
    pub next: u64,
    /// Parts that this part is divided into, and the one that is next.
    pub inner: u64,
    pub inner_next: u64,
    /// Sums over its steps of [`State::works`].
    pub works: StepWorks,
    /// And of [`State::lost`].
    pub lost: [f64; 2],
    /// And of [`State::spurious`].
    pub spurious: f64,
}

impl Window {
    /// Whether none of its steps is done.
    pub fn is_new(&self) -> bool {
        (self.next, self.inner_next) == (0, 0)
    }
}

memory::sections! {
    /// A world.
    pub struct World / WorldRef (n: &WorldSizes) {
        pub(super) state: State [State; 1],
        /// The accepted state of each slot.
        pub(super) bodies: State [Body; u64::from(n.bodies)],
        /// What the step makes of it; in steps of balls what forces depend on beside the state (`balls::Rate`), which takes less room.
        pub(super) moved: State [Body; n.moved()],
        pub(super) ids: State [u64; u64::from(n.bodies)],
        /// How many ids the table of these has (`id_table`): not all in a block that has grown.
        pub(super) id_count: Cache [u64; 1],
        pub(super) generations: State [u32; u64::from(n.bodies)],
        pub(super) shapes: State [u32; u64::from(n.bodies)],
        /// For a free slot one more than the next free one.
        pub(super) materials: State [u32; u64::from(n.bodies)],
        pub(super) scales: State [f64; u64::from(n.bodies)],
        pub(super) groups: State [u32; u64::from(n.bodies)],
        pub(super) masks: State [u32; u64::from(n.bodies)],
        /// Wrenches of the host.
        pub(super) loads: State [Wrench; u64::from(n.bodies)],
        /// What contacts exert on bodies in the step.
        pub(super) wrenches: State [Wrench; n.recorded()],
        /// The sum of both; in steps of balls what these exert on each other.
        pub(super) totals: Cache [Wrench; u64::from(n.bodies)],
        /// Momenta at the begin of a window, and mean wrenches of the last one.
        pub(super) means: State [Wrench; n.recorded()],
        /// Force and torque at each contact of the step.
        pub(super) acts: State [Wrench; u64::from(n.contacts)],
        /// Velocity and spin at each contact, for a law of the host.
        pub(super) meets: State [Wrench; u64::from(n.contacts)],
        pub(super) even: State [Springs; u64::from(n.contacts)],
        pub(super) odd: State [Springs; u64::from(n.contacts)],
        /// Pairs of balls that touch, with their springs, where steps go without records.
        pub(super) ball_head: State [Head; 1],
        pub(super) ball_even: State [u64; WORDS * u64::from(n.ball_contacts)],
        pub(super) ball_odd: State [u64; WORDS * u64::from(n.ball_contacts)],
        /// What `moved` had of balls before their springs were copied to the scene, for a step that is abandoned.
        pub(super) kept_rates: State [Rate; n.recorded()],
        /// Pairs that are near, and where bodies were when the list of these was made.
        pub(super) ball_pairs: Cache [[u32; 2]; u64::from(n.ball_pairs)],
        pub(super) ball_list: Cache [Listed; 1],
        /// Or slots by ids (`id_table`).
        pub(super) ball_listed: Cache [Place; u64::from(n.bodies)],
        /// Pairs that began and ended to touch in a window.
        pub(super) events: State [PairEvent; u64::from(n.events)],
        /// What the last call was short of.
        pub(super) shortage: Cache [Shortage; 1],
        ; parts {
            pub(super) scene: Scene / SceneRef = &n.held_scene(),
        }
    }
}

impl State {
    pub(super) fn phase(&self) -> Phase {
        Phase::of(self.phase)
    }
}

impl<'m> WorldRef<'m> {
    /// Time of the accepted state.
    pub fn time(&self) -> f64 {
        self.state[0].time
    }

    /// Number of accepted steps.
    pub fn steps(&self) -> u64 {
        self.state[0].steps
    }

    /// The settings for all steps.
    pub fn setup(&self) -> Setup {
        self.state[0].setup
    }

    /// How many neighbour lists of balls steps without records have made since the world was made. A list lasts for many steps, unless balls
    /// move by much of its skin in each. Results do not depend on it.
    pub fn ball_lists(&self) -> u64 {
        self.ball_list[0].made
    }

    /// Which steps of a window find records of all contacts.
    pub fn records(&self) -> Records {
        if self.state[0].records == 0 { Records::Last } else { Records::None }
    }

    /// Where a step stands.
    pub fn phase(&self) -> Phase {
        self.state[0].phase()
    }

    /// All that the last [`World::poll`] or [`World::advance`] was short of, where it ended with [`Kind::Capacity`]; nothing where it was scratch.
    pub fn shortage(&self) -> Shortage {
        self.shortage[0]
    }

    /// Slots that have been used, free ones among them.
    pub fn len(&self) -> usize {
        (self.state[0].slots as usize).min(self.bodies.len())
    }

    /// Whether there has never been a body.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The accepted state of all slots; free ones are static.
    pub fn bodies(&self) -> &'m [Body] {
        self.bodies.get(..self.len()).unwrap_or_default()
    }

    /// The new states of bodies after the step, at [`Phase::Done`].
    pub fn moved(&self) -> &'m [Body] {
        self.moved.get(..if self.phase() == Phase::Done { self.len() } else { 0 }).unwrap_or_default()
    }

    /// The shape of each slot: its place in the table that the host hands to each poll.
    pub fn shapes(&self) -> &'m [u32] {
        self.shapes.get(..self.len()).unwrap_or_default()
    }

    /// The material of each slot.
    pub fn materials(&self) -> &'m [u32] {
        self.materials.get(..self.len()).unwrap_or_default()
    }

    /// Factors of lengths of each slot.
    pub fn scales(&self) -> &'m [f64] {
        self.scales.get(..self.len()).unwrap_or_default()
    }

    /// The id of each slot.
    pub fn ids(&self) -> &'m [u64] {
        self.ids.get(..self.len()).unwrap_or_default()
    }

    /// Wrenches of the host.
    pub fn loads(&self) -> &'m [Wrench] {
        self.loads.get(..self.len()).unwrap_or_default()
    }

    /// The sum of contact forces and torques on each slot, from the step that computed them last, even if it was abandoned. Empty in a
    /// world without room for [contacts](WorldSizes::contacts).
    pub fn wrenches(&self) -> &'m [Wrench] {
        self.wrenches.get(..self.len()).unwrap_or_default()
    }

    /// After [`World::advance`]: the mean wrench of contacts on each slot. Empty in a world without room for [contacts](WorldSizes::contacts),
    /// and behind a window that began so, even if the world has got room since.
    pub fn mean_wrenches(&self) -> &'m [Wrench] {
        let has_means = self.state[0].no_means == 0;
        self.means.get(..self.len()).filter(|_| has_means).unwrap_or_default()
    }

    /// The contacts of the step or the last accepted one (none after [`World::abandon`]): at the positions that the step began with.
    pub fn scene(&self) -> SceneRef<'m> {
        self.scene
    }

    /// Force and torque on A at each contact of [`WorldRef::scene`].
    pub fn acts(&self) -> &'m [Wrench] {
        self.acts.get(..self.scene.now().contacts().len()).unwrap_or_default()
    }

    /// The springs of the accepted state, one for each contact of the scene's committed step.
    pub fn springs(&self) -> &'m [Springs] {
        let State { half, springs, .. } = self.state[0];
        (if half == 0 { self.even } else { self.odd }).get(..springs as usize).unwrap_or_default()
    }

    /// A hash of the accepted state: of all that later steps depend on. A step that was tried and abandoned does not change it, nor does the address or the
    /// size of the block. While a step is under way, the hash may be another.
    ///
    /// Cost: a pass over bodies and springs.
    pub fn state_hash(&self) -> u64 {
        let State { setup, time, steps, slots, free, records, .. } = self.state[0];
        let seed = u64::from(slots) << 32 ^ u64::from(free) ^ u64::from(records) << 63;
        let seed = hash_items(steps ^ seed, &[setup]);
        let seed = hash_items(hash_items(seed, &[time]), self.bodies());
        let words = [self.shapes(), self.materials(), self.generations.get(..self.len()).unwrap_or_default()];
        let words = words.into_iter().chain([self.groups, self.masks].map(|w| w.get(..self.len()).unwrap_or_default()));
        let seed = words.fold(hash_items(seed, self.ids()), hash_items);
        let seed = hash_items(hash_items(seed, self.scales()), self.loads());
        if self.ball_head[0].has_springs() {
            return self.hash_of_balls(seed);
        }
        hash_items(seed ^ self.scene.committed_hash(), self.springs())
    }
}
