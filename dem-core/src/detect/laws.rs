//! Forces at all contacts of a scene by a law of the host, in one call.
//!
//! A law is a closure or a [`ForceLaw`]. Its input is a contact, the motion of both surfaces there, and the springs of the contact; its
//! output is a force, a torque and new springs. [`SceneRef::apply`] calls it for all contacts, one body pair after the other, and sums
//! forces and torques for each body.
//!
//! ```
//! use dem_core::array::{Array, Words};
//! use dem_core::contact::shape::Shape;
//! use dem_core::detect::laws::{ContactResponse, LawInputs, ContactInput, LawOutputs, slip};
//! use dem_core::detect::surfaces::Motions;
//! use dem_core::detect::{Bodies, Scene, SceneSizes, Settings, Wrench, detect_scratch};
//! use dem_core::{exec::Serial, simd::Isa};
//!
//! // A ball slides over the ground.
//! let shapes = [Shape::Sphere { radius: 0.5, halo: 0.01 }, Shape::HalfSpace { halo: 0.01 }];
//! let (kinds, positions) = ([0, 1], [[0.0, 0.0, 0.505], [0.0; 3]]);
//! let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
//! let sizes = SceneSizes { bodies: 2, candidates: 4, contacts: 4, nodes: 0, posed: 0, levels: 2, margin_contacts: 0 };
//! # #[repr(align(64))] struct Memory([u8; 1 << 15]);
//! # let (mut block, mut scratch) = (Memory([0; 1 << 15]), Memory([0; 1 << 15]));
//! # let (block, scratch) = (&mut block.0[..], &mut scratch.0[..]);
//! let mut scene = Scene::init(block, &sizes)?;
//! scene.find(&Serial, Isa::best(), &bodies, &Settings::default(), scratch)?;
//!
//! // A pressure of 1e6 within halos, and friction of half of it at most.
//! let (dt, k, friction) = (1e-4, 1e6, 0.5);
//! let law = |at: &ContactInput<'_, 1>| {
//!     let c = at.contact;
//!     let (push, stiffness) = (k * (1.0 - c.gap / c.halo) * c.area, k * c.area / c.halo);
//!     let (spring, drag) = slip(at.springs[0], at.velocity, c.normal, dt, stiffness, friction * push);
//!     ContactResponse { force: [0, 1, 2].map(|i| push * c.normal[i] + drag[i]), torque: [0.0; 3], springs: [spring] }
//! };
//! let velocities = [[1.0, 0.0, 0.0], [0.0; 3]];
//! let given = LawInputs { motions: Motions { velocities: Some(Array::from_f64(&velocities)), ..Motions::default() }, ..LawInputs::default() };
//! let (mut acts, mut springs, mut wrenches) = ([Wrench::default(); 1], [[[0.0; 3]]; 1], [Wrench::default(); 2]);
//! let out = LawOutputs { acts: &mut acts, springs: &mut springs, wrenches: &mut wrenches };
//! scene.as_ref().apply(&Serial, &law, &given, out)?;
//! assert!(wrenches[0].force[2] > 0.0 && wrenches[0].force[0] < 0.0 && springs[0][0][0] == 1e-4);
//! scene.commit();
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! # Trials
//! The scene and the springs of the committed step are only read. So a host may find contacts ([`Scene::find`](super::Scene::find)), apply
//! its law, move its bodies, and repeat this as often as it likes. When it commits a trial, it commits the springs of that trial.
//!
//! # Order
//! The law is called once for each contact. Sums for a body are formed in the order of [`SceneRef::touches`]. So no bit depends on the executor.
//! Without [`LawInputs::carried`], all bits are those of separate calls: velocities of [`velocities`](super::surfaces::velocities), springs of
//! [`SceneRef::carry`], sums of [`SceneRef::wrenches`].

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::history::{Carry, JoinedSprings, SplitSprings, Turning};
use super::scene::{ScenePair, SceneRef, StepRef};
use super::surfaces::{Motions, Moves, shift};
use super::wrench::{Sums, Wrench};
use crate::contact::history::{Blend, Link, SurfaceMove, blends_of};
use crate::contact::{Contact, SurfaceMotion};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{CutMut, Executor, each, within};
use crate::mesh::NONE;
use crate::real::Real;

/// Contacts or bodies that a thread processes at a time.
const CHUNK: usize = 1024;

/// The input of a law: a contact, its bodies and their motion.
#[derive(Clone, Copy, Debug)]
pub struct ContactInput<'a, const N: usize> {
    /// Its record: position, normal, gap, area, moment.
    pub contact: &'a Contact,
    /// The body pair: ids, indices in the host's arrays, the smallest gap of all its contacts.
    pub pair: &'a ScenePair,
    /// All contacts of this pair, including the contact itself.
    pub contacts: &'a [Contact],
    /// Its index in the list of contacts of the scene. Its index in `contacts` is this less the first of [`ScenePair::contacts`].
    pub place: usize,
    /// Velocity of A's surface less that of B's at the contact's position, in world axes.
    pub velocity: [f64; 3],
    /// Angular velocity of A's surface less that of B's at the contact's position, in world axes: radians over time. It is that of the
    /// bodies, with [`LawInputs::spins`].
    pub spin: [f64; 3],
    /// The springs of the contact from the committed step, as from [`SceneRef::carry`], and carried with [`LawInputs::carried`]; zero if the contact
    /// begins without a source.
    pub springs: [[f64; 3]; N],
    /// The first springs of contacts that have joined into this one: their mean by area, and their moment. Empty for all other contacts.
    pub joined: JoinedSprings,
    /// The place of this contact among the parts of a contact of the committed step that has split. Zero for all other contacts. The part that
    /// continues has it only if a spring of torsion or an arm needs it.
    pub split: SplitSprings,
    /// Whether the contact continues no contact of the committed step. Then its springs come from one that has split. Or, if [`SplitSprings::own`]
    /// is 0 and nothing has joined, they come from a neighbour.
    pub begins: bool,
    /// Whether its springs are not simply those of the contact that it continues: they come from several contacts or from a neighbour, or that
    /// contact has split, or others have joined with a part of it.
    pub shares: bool,
}

/// The output of a law for one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactResponse<const N: usize> {
    /// The force on A, at the contact's position, in world axes. The force on B is the opposite.
    pub force: [f64; 3],
    /// An additional torque on A: stiffness times [`moment`](Contact::moment), rolling resistance. The torque on B is the opposite.
    pub torque: [f64; 3],
    /// The springs of the contact for the next step, if this step is committed.
    pub springs: [[f64; 3]; N],
}

/// A law of contact, with `N` springs (or other vectors) that each contact keeps from step to step.
///
/// A closure of a [`ContactInput`] is a law whose springs are all of [`Carry::Tangent`]. The law finds data of bodies by their indices in
/// [`ContactInput::pair`].
pub trait ForceLaw<const N: usize>: Sync {
    /// Data of a body pair that the law computes once for all contacts of the pair, such as a stiffness that depends on all of them.
    type Pair;

    /// How each spring follows its contact.
    fn carry(&self) -> [Carry; N] {
        [Carry::Tangent; N]
    }

    /// The data that all contacts of a pair share; `contacts` are all of them. It may be called several times for a pair.
    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> Self::Pair;

    /// The index of the vector that is the arm, across the normal, from the position of a contact of this pair to the place where its first spring
    /// acts. The place starts at the position, and then moves with both bodies, however the contact moves. The vector is of [`Carry::Tangent`]
    /// otherwise. None if there is no such vector: springs act at the position. A law that wraps another one passes this on.
    #[inline(always)]
    fn arm(&self, _: &Self::Pair) -> Option<usize> {
        None
    }

    /// Force, torque and springs of a contact. Calls come from all threads, in any order.
    fn act(&self, at: &ContactInput<'_, N>, pair: &Self::Pair) -> ContactResponse<N>;
}

impl<F: Fn(&ContactInput<'_, N>) -> ContactResponse<N> + Sync, const N: usize> ForceLaw<N> for F {
    type Pair = ();

    #[inline(always)]
    fn pair(&self, _: &ScenePair, _: &[Contact]) {}

    #[inline(always)]
    fn act(&self, at: &ContactInput<'_, N>, (): &()) -> ContactResponse<N> {
        self(at)
    }
}

/// The inputs of a law besides the scene.
#[derive(Clone, Copy, Default)]
pub struct LawInputs<'a, const N: usize> {
    /// How bodies move. Torques on them are about `centres`, or about the origins of their frames if there are none.
    pub motions: Motions<'a>,
    /// The velocity at each contact, if more than rigid bodies move: those of [`velocities`](super::surfaces::velocities), plus those that
    /// [`MovingSurface::add_motion`](super::surfaces::MovingSurface::add_motion) adds (without `spins`,
    /// [`MovingSurface::add`](super::surfaces::MovingSurface::add)). If there are none, velocities follow from `motions`.
    pub velocities: Option<&'a [[f64; 3]]>,
    /// How fast surfaces rotate at each contact beside their bodies, A's less that of B's, as
    /// [`MovingSurface::add_motion`](super::surfaces::MovingSurface::add_motion) adds it to zeros. The spins of `motions` are added. If there are
    /// none, surfaces rotate as their bodies.
    pub spins: Option<&'a [[f64; 3]]>,
    /// How far vertices have carried surfaces at each contact since the last step: zeros, to which
    /// [`MovingSurface::add_all`](super::surfaces::MovingSurface::add_all) has added. Springs move with the surfaces. If there are none, springs
    /// move with the bodies.
    pub carried: Option<&'a [SurfaceMove]>,
    /// Springs of [`SceneRef::last`], as the host committed them; empty if springs begin.
    pub springs: &'a [[[f64; 3]; N]],
}

/// The outputs of a law.
pub struct LawOutputs<'o, const N: usize> {
    /// For each contact the force on A at the contact's position, and the additional torque.
    pub acts: &'o mut [Wrench],
    /// The springs of each contact; empty for laws without springs.
    pub springs: &'o mut [[[f64; 3]; N]],
    /// Sums for each body.
    pub wrenches: &'o mut [Wrench],
}

/// A friction spring, which grows as surfaces slide, until it slips (Cundall and Strack, Geotechnique 29, 1979, 47): gives its new
/// elongation, and the force on A.
///
/// The elongation grows by the part of `velocity` across `normal` times `dt`. The force is `-stiffness` times the elongation. If that is
/// more than `most`, the elongation is shortened in its direction until the force is `most`. Units: lengths, time, force over length,
/// force. A `most` below 0 counts as 0.
#[inline]
pub fn slip(
    spring: [f64; 3],
    velocity: [f64; 3],
    normal: [f64; 3],
    dt: f64,
    stiffness: f64,
    most: f64,
) -> ([f64; 3], [f64; 3]) {
    let [spring, v, n] = [spring, velocity, normal].map(DVec3::from_array);
    let wound = spring + (v - n * n.dot(v)) * dt;
    let pull = stiffness * Real::sqrt(wound.dot(wound));
    let held = if pull > most { if most > 0.0 { most / pull } else { 0.0 } } else { 1.0 };
    let spring = wound * held;
    (spring.to_array(), (spring * -stiffness).to_array())
}

impl SceneRef<'_> {
    /// Applies a law to all contacts of [`SceneRef::now`], and sums forces and torques for each body. One call does the work of
    /// [`velocities`](super::surfaces::velocities), [`SceneRef::carry`] for each spring, the law, and [`SceneRef::wrenches`], with the same
    /// bits.
    ///
    /// It writes only `out`, so a host may call it for each trial, and before or after the commit. For [`SceneRef::margin`], it uses the
    /// contacts within the margin, which have no springs from an earlier step.
    ///
    /// Errors: [`Kind::Mismatch`] and [`Kind::NotFinite`] for an array of motions; [`Kind::Mismatch`] for [`What::Velocities`], [`What::Spins`],
    /// [`What::Surfaces`] (`carried`), [`What::LastVectors`] (springs of the last step, unless there are none) and [`What::Vectors`] (those of
    /// `out`) if there is not one for each contact; [`Kind::Capacity`] for [`What::Acts`] and [`What::Output`] (sums). After these errors nothing
    /// is written. [`Kind::NotFinite`] for [`What::Acts`] if the law gave a number that is NaN or infinite: `index` is the first such contact,
    /// `component` 0 to 2 in its force, 3 to 5 in its torque, from 6 on in its springs; `needed` and `given` are the ids of A and B. `out` then has
    /// no meaning. Given velocities, spins and `carried` are not checked. Cost: some tens of nanoseconds a contact besides the law, and some a
    /// body.
    pub fn apply<const N: usize>(
        &self,
        exec: &dyn Executor,
        law: &(impl ForceLaw<N> + ?Sized),
        given: &LawInputs<'_, N>,
        out: LawOutputs<'_, N>,
    ) -> Result<()> {
        let step = self.now();
        let (bodies, contacts) = (step.poses().len(), step.contacts().len());
        given.motions.check(bodies)?;
        for (given, what) in [(given.velocities, What::Velocities), (given.spins, What::Spins)] {
            if let Some(given) = given.filter(|given| given.len() != contacts) {
                return Err(Error::new(Kind::Mismatch, what).amounts(contacts as u64, given.len() as u64));
            }
        }
        if let Some(given) = given.carried.filter(|given| given.len() != contacts) {
            return Err(Error::new(Kind::Mismatch, What::Surfaces).amounts(contacts as u64, given.len() as u64));
        }
        if N > 0 {
            self.check_carried(given.springs.len(), out.springs.len())?;
        }
        let short = |what, needed: usize, given: usize| Error::capacity(what, needed as u64, given as u64);
        let room = [out.acts.len(), out.wrenches.len()];
        let acts = out.acts.get_mut(..contacts).ok_or(short(What::Acts, contacts, room[0]))?;
        let wrenches = out.wrenches.get_mut(..bodies).ok_or(short(What::Output, bodies, room[1]))?;
        let moves = Moves::new(&given.motions);
        let passing = Passing { scene: self, step, law, kinds: law.carry(), given, moves };
        let failed = AtomicU32::new(0);
        let springs = out.springs;
        within(exec, true, || {
            each(exec, (CutMut(&mut *acts, CHUNK), CutMut(&mut *springs, CHUNK)), |chunk, (acts, springs)| {
                if !passing.pass(chunk * CHUNK, acts, springs) {
                    failed.store(1, Relaxed);
                }
            });
            let (sums, acts) = (Sums::new(self), &*acts);
            each(exec, CutMut(&mut *wrenches, CHUNK), |chunk, wrenches| {
                let poses = passing.step.poses().get(chunk * CHUNK..).unwrap_or_default();
                for (k, (wrench, pose)) in wrenches.iter_mut().zip(poses).enumerate() {
                    let i = chunk * CHUNK + k;
                    let act = |at: usize| acts.get(at).copied().unwrap_or_default();
                    *wrench = sums.of(i, passing.moves.centre(i, pose), act);
                }
            });
        });
        if failed.load(Relaxed) == 0 { Ok(()) } else { Err(defect(&step, acts, springs)) }
    }
}

/// The error about the first contact for which the law gave a number that is NaN or infinite.
#[cold]
fn defect<const N: usize>(step: &StepRef<'_>, acts: &[Wrench], springs: &[[[f64; 3]; N]]) -> Error {
    let all = acts.iter().enumerate().find_map(|(i, act)| {
        let own = springs.get(i).map_or(&[][..], |own| own.as_flattened());
        let component = act.force.iter().chain(&act.torque).chain(own).position(|x| !x.is_finite())?;
        Some((i, component))
    });
    let (i, component) = all.unwrap_or_default();
    let [a, b] = step.pair_of(i).map_or([0; 2], |pair| pair.ids);
    Error::new(Kind::NotFinite, What::Acts).at(i as u64, component as u32).amounts(a, b)
}

/// A set of contacts with one bit for several of them, so that it may contain too many.
type Sources = [u64; SOURCES];

const SOURCES: usize = 64;

#[inline(always)]
fn has(set: &Option<Sources>, source: u32) -> bool {
    set.as_ref().is_some_and(|set| set[source as usize / 64 % SOURCES] >> (source % 64) & 1 != 0)
}

/// The contacts of the last step from which new contacts of this pair take springs; none if there are no such contacts.
#[inline(always)]
fn splits(scene: &SceneRef<'_>, pair: &ScenePair) -> Option<Sources> {
    let links = scene.links().get(pair.contacts()).filter(|links| links.len() > 1)?;
    let mut all = None;
    for link in links.iter().filter(|link| link.origin == NONE && link.source != NONE) {
        all.get_or_insert([0; SOURCES])[link.source as usize / 64 % SOURCES] |= 1 << (link.source % 64);
    }
    all
}

/// In pairs with more contacts, all count as sharing springs, because the test takes a walk over all others for each contact.
const MOST_ALONE: usize = 64;

/// [`ContactInput::shares`] for a contact without joined contacts.
#[inline(always)]
fn shares(turning: &Turning<'_>, scene: &SceneRef<'_>, pair: &ScenePair, (place, link): (usize, &Link)) -> bool {
    let links = scene.links().get(pair.contacts()).unwrap_or_default();
    link.origin != link.source || links.len() > 1 && shares_with_others(turning, scene, pair, (place, link, links))
}

fn shares_with_others(
    turning: &Turning<'_>,
    scene: &SceneRef<'_>,
    pair: &ScenePair,
    (place, own, links): (usize, &Link, &[Link]),
) -> bool {
    let first = pair.contacts().start;
    // A new contact that takes springs of its source without a node in common is only a neighbour, and takes nothing away.
    let is_neighbour = |i: usize, link: &Link| link.origin == NONE && !turning.is_part(scene, pair, i, link.source);
    let mut blends = scene.blends_from(first);
    links.len() > MOST_ALONE
        || links.iter().zip(first..).any(|(link, i)| {
            let taken = blends_of(&mut blends, i);
            let takes = match taken {
                [] => link.source == own.source && !is_neighbour(i, link),
                _ => taken.iter().any(|blend| blend.last == own.source),
            };
            i != place && takes
        })
}

/// What a contact takes over from contacts that have joined into it, or from a contact of which it is a part: the data of [`ContactInput`] that
/// [`SceneRef::carry`] does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct TakenOver {
    /// [`JoinedSprings::mean`]; zeros if no contacts have joined.
    pub joined_mean: [f64; 3],
    /// [`JoinedSprings::moment`].
    pub joined_moment: [f64; 3],
    /// [`JoinedSprings::square`].
    pub joined_square: f64,
    /// [`SplitSprings::arm`].
    pub split_arm: [f64; 3],
    /// [`SplitSprings::square`].
    pub split_square: f64,
    /// [`SplitSprings::own`].
    pub split_own: f64,
    /// 1 if several contacts have joined into it; else 0.
    pub has_joined: u32,
    /// 1 if it continues no contact of the committed step; else 0.
    pub begins: u32,
}

impl TakenOver {
    /// The data of joined contacts.
    pub fn joined(&self) -> JoinedSprings {
        let mean = (self.has_joined != 0).then_some(self.joined_mean);
        JoinedSprings { mean, moment: self.joined_moment, square: self.joined_square }
    }

    /// The data of a part of a split contact.
    pub fn split(&self) -> SplitSprings {
        SplitSprings { arm: self.split_arm, square: self.split_square, own: self.split_own }
    }
}

impl SceneRef<'_> {
    /// What each contact of [`SceneRef::now`] takes over from the springs of the committed step if contacts have joined or split. The first spring
    /// is that of sliding.
    ///
    /// Errors: [`Kind::Mismatch`] if there are not as many as contacts in this step ([`What::Vectors`]) or springs as contacts in the last one
    /// ([`What::LastVectors`]).
    /// Cost: some tens of nanoseconds a contact, and some walks over the nodes of the pair for each that has joined or split.
    pub fn taken_over<const N: usize>(
        &self,
        exec: &dyn Executor,
        of_last: &[[[f64; 3]; N]],
        taken: &mut [TakenOver],
    ) -> Result<()> {
        self.check_carried(of_last.len(), taken.len())?;
        let contacts = self.now().contacts();
        each(exec, CutMut(taken, CHUNK), |chunk, taken| {
            let first = chunk * CHUNK;
            let (mut turning, mut blends) = (Turning::new(self), self.blends_from(first));
            let mut last = None;
            for (k, to) in taken.iter_mut().enumerate() {
                let place = first + k;
                let (Some(contact), Some(link)) = (contacts.get(place), self.links().get(place)) else { break };
                let Some(pair) = self.now().pairs().get(contact.key[0] as usize) else { break };
                let own = blends_of(&mut blends, place);
                let slide = |last: u32| of_last.get(last as usize).and_then(|own| own.first()).copied();
                let joined = match own {
                    [] => JoinedSprings::default(),
                    _ => turning.joined(pair, contact, own, |last| [slide(last).unwrap_or_default(), [0.0; 3]]).0,
                };
                let sources = match last {
                    Some((key, sources)) if key == contact.key[0] => sources,
                    _ => splits(self, pair),
                };
                last = Some((contact.key[0], sources));
                let split = match has(&sources, link.source) {
                    true => turning.split(self, pair, place),
                    false => SplitSprings::default(),
                };
                *to = TakenOver {
                    joined_mean: joined.mean.unwrap_or_default(),
                    joined_moment: joined.moment,
                    joined_square: joined.square,
                    split_arm: split.arm,
                    split_square: split.square,
                    split_own: split.own,
                    has_joined: joined.mean.is_some().into(),
                    begins: (link.origin == NONE).into(),
                };
            }
        });
        Ok(())
    }
}

/// The inputs that all threads share.
struct Passing<'p, L: ?Sized, const N: usize> {
    scene: &'p SceneRef<'p>,
    step: StepRef<'p>,
    law: &'p L,
    kinds: [Carry; N],
    given: &'p LawInputs<'p, N>,
    moves: Moves<'p>,
}

impl<L: ForceLaw<N> + ?Sized, const N: usize> Passing<'_, L, N> {
    /// Applies the law to the contacts from number `first` on, one for each of `acts`. Gives whether all results are finite.
    fn pass(&self, first: usize, acts: &mut [Wrench], springs: &mut [[[f64; 3]; N]]) -> bool {
        let contacts = self.step.contacts().get(first..).unwrap_or_default();
        let links = self.scene.links().get(first..).unwrap_or_default();
        let (mut blends, mut turning) = (self.scene.blends_from(first), Turning::new(self.scene));
        let pairs = self.step.pairs();
        let begin = pairs.partition_point(|pair| pair.end as usize <= first);
        let mut a: Option<(u32, SurfaceMotion<'_>)> = None;
        let (mut k, mut fine) = (0, true);
        for pair in pairs.get(begin..).unwrap_or_default() {
            let end = (pair.end as usize).saturating_sub(first).min(acts.len()).min(contacts.len());
            if k >= end {
                if k >= acts.len() {
                    break;
                }
                continue;
            }
            let [pose_a, pose_b] = self.step.kept.unmoved(pair);
            // A is mostly the same body as in the previous pair.
            let own = match a {
                Some((place, motion)) if place == pair.a && pair.posed == NONE => motion,
                _ => self.moves.of(pair.a as usize, &pose_a, [0.0; 3]),
            };
            a = (pair.posed == NONE).then_some((pair.a, own));
            let other = self.moves.of(pair.b as usize, &pose_b, shift(&self.step, pair));
            let spin = DVec3::from_array(own.spin) - DVec3::from_array(other.spin);
            let all = self.step.contacts().get(pair.contacts()).unwrap_or_default();
            let shared = self.law.pair(pair, all);
            let splits = splits(self.scene, pair);
            while k < end {
                let (Some(contact), Some(act)) = (contacts.get(k), acts.get_mut(k)) else { break };
                let place = first + k;
                let velocity = match self.given.velocities {
                    Some(velocities) => velocities.get(place).copied().unwrap_or_default(),
                    None => {
                        let v = own.rigid_at(contact.position) - other.rigid_at(contact.position);
                        (v + DVec3::ZERO).to_array()
                    }
                };
                if let Some(carried) = self.given.carried {
                    turning.surfaces = carried.get(place).copied();
                }
                let held_by = self.law.arm(&shared).filter(|_| contact.radius == 0.0);
                let (mut carried, joined) = match links.get(k) {
                    Some(link) if !self.given.springs.is_empty() => {
                        self.carried(pair, contact, (link, held_by), blends_of(&mut blends, place), &mut turning)
                    }
                    _ => ([[0.0; 3]; N], JoinedSprings::default()),
                };
                let begins = links.get(k).is_none_or(|link| link.origin == NONE);
                let split = match links.get(k) {
                    Some(link) if has(&splits, link.source) && (begins || self.turns(&carried, held_by)) => {
                        turning.split(self.scene, pair, place)
                    }
                    _ => SplitSprings::default(),
                };
                if let (Some(arm), Some(link)) = (held_by.and_then(|k| carried.get_mut(k)), links.get(k)) {
                    let goes_on = link.source != NONE && (!begins || split.square > 0.0);
                    *arm = match joined.mean {
                        Some(_) => *arm,
                        // With even pressure, springs act at the centre of the contact.
                        None if contact.offset == [0.0; 3] && *arm == [0.0; 3] => [0.0; 3],
                        None if goes_on => turning.held(contact, link.source, *arm, &split),
                        // The contact only takes springs of a neighbour.
                        None => [0.0; 3],
                    };
                }
                let spin = match self.given.spins {
                    Some(spins) => (spin + DVec3::from_array(spins.get(place).copied().unwrap_or_default())).to_array(),
                    None => spin.to_array(),
                };
                let at = ContactInput {
                    contact,
                    pair,
                    contacts: all,
                    place,
                    velocity,
                    spin,
                    springs: carried,
                    joined,
                    split,
                    begins,
                    shares: joined.mean.is_some()
                        || links.get(k).is_none_or(|link| shares(&turning, self.scene, pair, (place, link))),
                };
                let ContactResponse { force, torque, springs: wound } = self.law.act(&at, &shared);
                let sizes = force.iter().chain(&torque).chain(wound.as_flattened()).fold(0.0, |sum, x| sum + x * 0.0);
                fine &= sizes == 0.0;
                *act = Wrench { force, torque };
                if let Some(to) = springs.get_mut(k) {
                    *to = wound;
                }
                k += 1;
            }
        }
        fine
    }

    /// Whether a spring of the contact says that it has turned about its normal, or the contact has an arm to the place where its springs act.
    #[inline(always)]
    fn turns(&self, springs: &[[f64; 3]; N], held_by: Option<usize>) -> bool {
        let has = |kind: Carry, spring: &[f64; 3]| kind == Carry::Normal && *spring != [0.0; 3];
        held_by.is_some() || self.kinds.iter().zip(springs).any(|(kind, spring)| has(*kind, spring))
    }

    /// The springs of a contact as [`SceneRef::carry`] gives them, and [`ContactInput::joined`].
    #[inline(always)]
    fn carried(
        &self,
        pair: &ScenePair,
        contact: &Contact,
        (link, held_by): (&Link, Option<usize>),
        blends: &[Blend],
        turning: &mut Turning<'_>,
    ) -> ([[f64; 3]; N], JoinedSprings) {
        let mut springs = [[0.0; 3]; N];
        let mut taken = |last: u32, k: usize, kind: Carry| {
            let from = self.given.springs.get(last as usize)?.get(k)?;
            Some(turning.carried(contact, last, kind, *from))
        };
        for (k, (spring, kind)) in springs.iter_mut().zip(self.kinds).enumerate() {
            *spring = match blends {
                [] => taken(link.source, k, kind).unwrap_or([0.0; 3]),
                own => own.iter().fold([0.0; 3], |sum, blend| {
                    let part = taken(blend.last, k, kind).unwrap_or([0.0; 3]);
                    [0, 1, 2].map(|c| sum[c] + blend.weight * part[c])
                }),
            };
        }
        let of = |last: u32, k: usize| self.given.springs.get(last as usize).and_then(|own| own.get(k)).copied();
        let both = |last: u32| [Some(0), held_by].map(|k| k.and_then(|k| of(last, k)).unwrap_or_default());
        let (joined, arm) = match self.kinds.first() {
            Some(Carry::Tangent) if !blends.is_empty() => turning.joined(pair, contact, blends, both),
            _ => Default::default(),
        };
        if let Some(to) = held_by.and_then(|k| springs.get_mut(k)).filter(|_| joined.mean.is_some()) {
            *to = arm;
        }
        (springs, joined)
    }
}
