//! The block of a world: bodies in slots, springs of contacts, the phase of a step, and the scene as a part of it.

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
    /// Largest number of bodies.
    pub bodies: u32,
    /// Largest number of body pairs whose bounds overlap.
    pub candidates: u32,
    /// Largest number of contacts, and of body pairs in contact. With 0 there is no room for steps with records, nor for wrenches of contacts and
    /// mean wrenches: such a world only has windows without records ([`Records::None`]).
    pub contacts: u32,
    /// Largest number of [nodes](crate::contact::Node) of contacts.
    pub nodes: u32,
    /// Levels of the grid, 1 to 64; 8 is good for most size ratios.
    pub levels: u32,
    /// Largest number of pairs in the list for steps without records: pairs of balls and half-spaces that may touch while the list is valid.
    pub ball_pairs: u32,
    /// Largest number of pairs of balls and half-spaces whose bounds overlap, in steps without records, under laws of sliding only. A pair counts
    /// 5/4 if some law has [torsion](crate::force::Interaction::torsion), and 2 if some law has [rolling
    /// resistance](crate::force::Interaction::rolling), for the springs of these. If some bodies are compounds of balls, each pair of balls
    /// counts 4.
    pub ball_contacts: u32,
    /// Largest number of events of a window, in a world that [watches](World::watch).
    pub events: u32,
}

/// The component of an error for [`What::Candidates`] or [`What::Contacts`] that means [`WorldSizes::ball_pairs`] or
/// [`WorldSizes::ball_contacts`].
pub(super) const OF_BALLS: u32 = 1;

impl WorldSizes {
    /// The sizes of the scene in the world.
    pub fn scene(&self) -> SceneSizes {
        let WorldSizes { bodies, candidates, contacts, nodes, levels, .. } = *self;
        SceneSizes { bodies, candidates, contacts, nodes, posed: 0, levels, margin_contacts: 0 }
    }

    /// The sizes of the scene in the block.
    fn held_scene(&self) -> SceneSizes {
        let none = SceneSizes { bodies: 0, candidates: 0, nodes: 0, ..self.scene() };
        if self.has_records() { self.scene() } else { none }
    }

    /// Whether steps with records are possible.
    pub(super) fn has_records(&self) -> bool {
        self.contacts > 0
    }

    /// Number of bodies with wrenches of contacts.
    fn recorded(&self) -> u64 {
        if self.has_records() { u64::from(self.bodies) } else { 0 }
    }

    /// Number of items for the new states of bodies.
    fn moved(&self) -> u64 {
        if self.has_records() { u64::from(self.bodies) } else { room_for_rates(self.bodies) }
    }

    /// Makes the room that a call lacked ([`WorldRef::shortage`]) a quarter larger than needed. Returns whether these sizes have changed: then
    /// call [`World::grow`], and repeat the call. Otherwise, if the settings have changed, more scratch is enough.
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
    const VERSION: u32 = 14;
    const WHAT: What = What::World;

    fn check(&self) -> Result<()> {
        let own =
            [(self.ball_pairs, What::BallPairs), (self.ball_contacts, What::BallContacts), (self.events, What::Events)];
        // The scene checks all other sizes.
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
    /// The period along each axis, in units of length; 0 for an open axis. Bodies that leave the period re-enter at the other side: their
    /// coordinates stay between 0 and the period.
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
    /// Checks the settings.
    ///
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for gravity, periods, [`What::Order`] and [`What::Rotation`].
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

    /// The shortest period; infinite if no axis is periodic.
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

/// The steps of a window that find records of all contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Records {
    /// The last step of a window has records of all contacts.
    #[default]
    Last = 0,
    /// No step of a window has records of pairs of balls and half-spaces that do not need them.
    None = 1,
}

/// The phase of a step.
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

/// Two bodies that approach each other too fast for a step, and a step length that is short enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TooFast {
    /// Slot of one body.
    pub a: u32,
    /// Slot of the other one; the same slot for a body and its periodic image, and for a body that moves by more than a period.
    pub b: u32,
    /// The approach in the step over the allowed approach, which is half of the sum of both halos. If half of the sum of the approach and its
    /// increase along an arc is larger, that counts as the approach. If a body moves by more than a period, the number of periods. 0 if no pair
    /// approaches.
    pub ratio: f64,
    /// A time step that is short enough for all pairs. If a body moves by more than a period, a time step that is short enough for the
    /// check of pairs.
    pub dt: f64,
}

/// Global data of the world.
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
    /// Number of slots in use or free: slots from 0 on.
    pub slots: u32,
    /// The first free slot plus 1, which starts a chain of free slots; 0 if there is none.
    pub free: u32,
    /// A [`Phase`].
    pub phase: u32,
    /// The requests of the host in `begin`: bits `LOADS`, `LAW` and `BALLS` of `step`.
    pub asked: u32,
    /// The half of the springs that belongs to the accepted state.
    pub half: u32,
    /// Number of contacts with springs in the accepted state.
    pub springs: u32,
    /// [`Records`].
    pub records: u32,
    /// 1 if the window began without room for momenta.
    pub no_means: u32,
    /// 1 if all steps are watched.
    pub watches: u32,
    /// [`fingerprint`](super::same_shapes::fingerprint) of the shapes with which the step's contacts were found; 0 before that.
    pub seen_shapes: u32,
    /// Works in the step.
    pub works: StepWorks,
    /// Energy dissipated by damping and friction in the step, as far as the law reports it.
    pub lost: [f64; 2],
    /// For pairs of balls without records: energy of springs, energy dissipated by damping, and work done against friction.
    pub taken_by_balls: [f64; 3],
    /// Work of moving vertices at contacts in the step.
    pub by_vertices: f64,
    /// Energies of accepted steps.
    pub balance: Balance,
    /// The spurious energy that became known when the last step was accepted.
    pub spurious: f64,
    pub fast: TooFast,
    pub window: Window,
    /// For the accepted steps of a window, and including the present step.
    pub watched: Watched,
    pub watching: Watched,
}

/// The window of time of [`World::advance`] that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Window {
    pub start: f64,
    pub length: f64,
    pub most: f64,
    /// Number of equal steps, and the index of the next one; 0 steps outside of windows.
    pub parts: u64,
    pub next: u64,
    /// Number of parts into which the present step is divided, and the index of the next one.
    pub inner: u64,
    pub inner_next: u64,
    /// Sums over the steps of the window: [`State::works`].
    pub works: StepWorks,
    /// [`State::lost`].
    pub lost: [f64; 2],
    /// [`State::spurious`].
    pub spurious: f64,
}

impl Window {
    /// Whether no step of the window is done.
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
        /// The new states of the present step. In steps of balls, the data beside the state on which forces depend (`balls::Rate`), which take
        /// less room.
        pub(super) moved: State [Body; n.moved()],
        pub(super) ids: State [u64; u64::from(n.bodies)],
        /// Number of ids in the hash table (`id_table`); fewer than all in a block that has grown.
        pub(super) id_count: Cache [u64; 1],
        pub(super) generations: State [u32; u64::from(n.bodies)],
        pub(super) shapes: State [u32; u64::from(n.bodies)],
        /// For a free slot, the next free slot plus 1.
        pub(super) materials: State [u32; u64::from(n.bodies)],
        pub(super) scales: State [f64; u64::from(n.bodies)],
        pub(super) groups: State [u32; u64::from(n.bodies)],
        pub(super) masks: State [u32; u64::from(n.bodies)],
        /// Wrenches of the host.
        pub(super) loads: State [Wrench; u64::from(n.bodies)],
        /// Sums of contact forces and torques on bodies in the step.
        pub(super) wrenches: State [Wrench; n.recorded()],
        /// The sum of loads and wrenches; in steps of balls, the wrenches of pairs of balls.
        pub(super) totals: Cache [Wrench; u64::from(n.bodies)],
        /// Momenta at the start of a window, and mean wrenches of the last window.
        pub(super) means: State [Wrench; n.recorded()],
        /// Force and torque at each contact of the step.
        pub(super) acts: State [Wrench; u64::from(n.contacts)],
        /// Velocity and spin at each contact, for a law of the host.
        pub(super) meets: State [Wrench; u64::from(n.contacts)],
        pub(super) even: State [Springs; u64::from(n.contacts)],
        pub(super) odd: State [Springs; u64::from(n.contacts)],
        /// Pairs of balls that touch, with their springs, for steps without records.
        pub(super) ball_head: State [Head; 1],
        pub(super) ball_even: State [u64; WORDS * u64::from(n.ball_contacts)],
        pub(super) ball_odd: State [u64; WORDS * u64::from(n.ball_contacts)],
        /// The data of balls in `moved` before their springs were copied to the scene, for a step that is abandoned.
        pub(super) kept_rates: State [Rate; n.recorded()],
        /// Near pairs, and positions of bodies when this list was made.
        pub(super) ball_pairs: Cache [[u32; 2]; u64::from(n.ball_pairs)],
        pub(super) ball_list: Cache [Listed; 1],
        /// Or slots by ids (`id_table`).
        pub(super) ball_listed: Cache [Place; u64::from(n.bodies)],
        /// Pairs that began or ended to touch in a window.
        pub(super) events: State [PairEvent; u64::from(n.events)],
        /// The rooms that the last call lacked.
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

    /// Number of neighbour lists of balls made in steps without records since the world was made. A list lasts for many steps, unless balls move
    /// by a large part of its skin in each step. Results do not depend on it.
    pub fn ball_lists(&self) -> u64 {
        self.ball_list[0].made
    }

    /// The steps of a window that find records of all contacts.
    pub fn records(&self) -> Records {
        if self.state[0].records == 0 { Records::Last } else { Records::None }
    }

    /// The phase of the step.
    pub fn phase(&self) -> Phase {
        self.state[0].phase()
    }

    /// All rooms that the last [`World::poll`] or [`World::advance`] lacked, if it ended with [`Kind::Capacity`]; nothing if only scratch was too
    /// small.
    pub fn shortage(&self) -> Shortage {
        self.shortage[0]
    }

    /// Number of slots in use or free.
    pub fn len(&self) -> usize {
        (self.state[0].slots as usize).min(self.bodies.len())
    }

    /// Whether no body was ever added.
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

    /// The shape of each slot: its index in the table that the host passes to each poll.
    pub fn shapes(&self) -> &'m [u32] {
        self.shapes.get(..self.len()).unwrap_or_default()
    }

    /// The material of each slot.
    pub fn materials(&self) -> &'m [u32] {
        self.materials.get(..self.len()).unwrap_or_default()
    }

    /// The scale of each slot.
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
    /// and after a window that began without such room.
    pub fn mean_wrenches(&self) -> &'m [Wrench] {
        let has_means = self.state[0].no_means == 0;
        self.means.get(..self.len()).filter(|_| has_means).unwrap_or_default()
    }

    /// The contacts of the present step or the last accepted one (none after [`World::abandon`]): at the positions that the step began with.
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

    /// A hash of the accepted state: of all data on which later steps depend. A step that was tried and abandoned does not change it, nor does
    /// the address or the size of the block. While a step is under way, the hash may differ.
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
