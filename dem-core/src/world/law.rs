//! Force laws of worlds.

use super::law_context::{LawContext, MovingSurfaces, SPRINGS, Springs};
use crate::body::{Body, LARGEST};
use crate::contact::Contact;
use crate::detect::laws::{ContactInput, ContactResponse, ForceLaw};
use crate::detect::surfaces::MovingSurface;
use crate::detect::{Carry, ScenePair, SceneRef, Wrench};
use crate::error::{Error, Kind, Result, What};
use crate::force::Laws;
use crate::force::laws::Pair;
use crate::mesh::NONE;
use crate::real::{Real, max, min};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A law of contact for a world. It makes a [`ForceLaw`] from the data of a step ([`LawContext`]), with the springs `[slide, twist, roll,
/// numbers, numbers]`.
///
/// `slide` belongs to the sliding of the surfaces across the normal since they touched. `twist` belongs to the angle of rotation about the
/// normal, and points along it. `roll` belongs to the angle of rotation about axes across it; [`ForceLaw::arm`] may declare it to be a place
/// where springs act. Each of them is carried along with its contact. Two times three numbers follow, which do not rotate:
///
/// | | |
/// | --- | --- |
/// | fourth | stored energy of the normal force, normal stiffness, tangential stiffness of the contact |
/// | fifth | stored energy of springs, energy dissipated by damping in the step, work done against friction in the step |
///
/// [`Report`](super::Report) computes its frequency and its energies from these, if a law writes them. A law sets springs and numbers that it
/// does not use to zero. [`Laws`] read the energy of springs in the next step.
///
/// A closure of a [`ContactInput`] is a law that needs only the contact.
pub trait Law: Sync {
    /// The law for one step.
    type Of<'b>: ForceLaw<SPRINGS>
    where
        Self: 'b;

    /// The law for one step, with the data of this step.
    fn of<'b>(&'b self, around: LawContext<'b>) -> Self::Of<'b>;

    /// The same law as a law with known formulas, if it is one. Balls are then computed several at a time, without records.
    fn known(&self) -> Option<Laws<'_>> {
        None
    }

    /// Whether it uses [`Contact::spread`] and [`Contact::offset`], which are computed only on request.
    fn spread(&self) -> bool {
        false
    }

    /// Bodies with moving vertices: see [`WithSurfaces`](super::WithSurfaces).
    fn surfaces(&self) -> &dyn MovingSurfaces {
        &NO_SURFACES
    }
}

const NO_SURFACES: [MovingSurface<'static>; 0] = [];

impl<F: Fn(&ContactInput<'_, SPRINGS>) -> ContactResponse<SPRINGS> + Sync> Law for F {
    type Of<'b>
        = &'b F
    where
        F: 'b;

    fn of<'b>(&'b self, _: LawContext<'b>) -> &'b F {
        self
    }
}

const CARRY: [Carry; SPRINGS] = [Carry::Tangent, Carry::Normal, Carry::Tangent, Carry::Numbers, Carry::Numbers];

/// A law with the springs of a world.
pub(super) struct Springy<L>(pub L);

impl<L: ForceLaw<SPRINGS>> ForceLaw<SPRINGS> for Springy<L> {
    type Pair = L::Pair;

    fn carry(&self) -> [Carry; SPRINGS] {
        CARRY
    }

    #[inline(always)]
    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> L::Pair {
        self.0.pair(pair, contacts)
    }

    #[inline(always)]
    fn arm(&self, pair: &L::Pair) -> Option<usize> {
        self.0.arm(pair)
    }

    #[inline(always)]
    fn act(&self, at: &ContactInput<'_, SPRINGS>, pair: &L::Pair) -> ContactResponse<SPRINGS> {
        self.0.act(at, pair)
    }
}

/// Records relative velocities at contacts and springs, for a law of the host.
pub(super) struct Recorder;

impl ForceLaw<SPRINGS> for Recorder {
    type Pair = ();

    fn carry(&self) -> [Carry; SPRINGS] {
        CARRY
    }

    fn pair(&self, _: &ScenePair, _: &[Contact]) {}

    fn act(&self, at: &ContactInput<'_, SPRINGS>, (): &()) -> ContactResponse<SPRINGS> {
        ContactResponse { force: at.velocity, torque: at.spin, springs: at.springs }
    }
}

/// The forces and springs that a host has written.
pub(super) struct Recorded<'a>(pub &'a [Wrench], pub &'a [Springs]);

impl Recorded<'_> {
    /// Renames an error of the law's response: if the force and torque are finite, the springs are wrong.
    pub fn named(&self, error: Error) -> Error {
        if (error.kind, error.what) != (Kind::NotFinite, What::Acts) {
            return error;
        }
        let at = error.index as usize;
        let act = self.0.get(at).copied().unwrap_or_default();
        if !act.force.iter().chain(&act.torque).all(|x| x.is_finite()) {
            return error;
        }
        let wrong = self.1.get(at).and_then(|own| own.as_flattened().iter().position(|x| !x.is_finite()));
        wrong.map_or(error, |k| Error { component: 6 + k as u32, ..error })
    }
}

impl ForceLaw<0> for Recorded<'_> {
    type Pair = ();

    fn pair(&self, _: &ScenePair, _: &[Contact]) {}

    fn act(&self, at: &ContactInput<'_, 0>, (): &()) -> ContactResponse<0> {
        let Wrench { force, torque } = self.0.get(at.place).copied().unwrap_or_default();
        // Non-finite springs stop the step by a NaN torque; `named` tells which of both it was.
        let wrong = self.1.get(at.place).is_some_and(|springs| !springs.as_flattened().iter().all(|x| x.is_finite()));
        ContactResponse { force, torque: if wrong { [f64::NAN; 3] } else { torque }, springs: [] }
    }
}

/// Largest displacement of a body by one contact in one step, in halos or depths, and largest rotation in radians. In a stable step it is less
/// than 4 times the larger one of halo and depth.
const FARTHEST: f64 = (1u32 << 20) as f64;

/// A law that records the first contact with a force that is too large for any step.
pub(super) struct Bounded<'b, L> {
    pub law: L,
    pub bodies: &'b [Body],
    pub dt: f64,
    /// The first such contact; [`NONE`] at first.
    pub first: &'b AtomicU32,
}

impl<L> Bounded<'_, L> {
    /// The largest force and torque at contacts of this pair.
    fn most(&self, pair: &ScenePair, contacts: &[Contact]) -> [f64; 2] {
        let halo = contacts.iter().map(|contact| contact.halo).fold(0.0, max);
        let far = contacts.iter().map(|contact| -contact.least_gap).fold(halo, max);
        let bodies = [pair.a, pair.b].map(|slot| self.bodies.get(slot as usize).filter(|body| body.is_dynamic()));
        let mut most = [LARGEST; 2];
        for body in bodies.into_iter().flatten() {
            let lightest = body.moments.into_iter().fold(f64::INFINITY, min);
            let here = [far * body.mass, lightest].map(|x| x * FARTHEST / (self.dt * self.dt));
            most = [min(most[0], here[0]), min(most[1], here[1])];
        }
        // Without a halo only the absolute limits apply.
        if halo > 0.0 { most } else { [LARGEST, most[1]] }
    }
}

impl<L> Bounded<'_, L> {
    /// Called after the law was applied. Errors: the first contact whose force or torque is too large.
    pub fn check(&self, scene: &SceneRef<'_>, acts: &[Wrench]) -> Result<()> {
        let at = self.first.load(Relaxed);
        if at == NONE {
            return Ok(());
        }
        let step = scene.now();
        let Wrench { force, torque } = acts.get(at as usize).copied().unwrap_or_default();
        let (mut ids, mut most) = ([0; 2], [LARGEST; 2]);
        if let Some(pair) = step.pair_of(at as usize) {
            ids = pair.ids;
            most = self.most(pair, step.contacts().get(pair.contacts()).unwrap_or_default());
        }
        let of_torque = is_within(force, most[0]);
        let (v, most) = if of_torque { (torque, most[1]) } else { (force, most[0]) };
        let k = v.iter().position(|x| Real::abs(*x) > most).unwrap_or_default() as u32;
        let component = k + 3 * u32::from(of_torque);
        Err(Error::new(Kind::OutOfRange, What::Acts).at(at.into(), component).amounts(ids[0], ids[1]))
    }
}

impl<L: ForceLaw<N>, const N: usize> ForceLaw<N> for Bounded<'_, L> {
    type Pair = (L::Pair, [f64; 2]);

    fn carry(&self) -> [Carry; N] {
        self.law.carry()
    }

    #[inline(always)]
    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> Self::Pair {
        (self.law.pair(pair, contacts), self.most(pair, contacts))
    }

    #[inline(always)]
    fn arm(&self, (pair, _): &Self::Pair) -> Option<usize> {
        self.law.arm(pair)
    }

    #[inline(always)]
    fn act(&self, at: &ContactInput<'_, N>, (pair, most): &Self::Pair) -> ContactResponse<N> {
        let response = self.law.act(at, pair);
        if !(is_within(response.force, most[0]) & is_within(response.torque, most[1])) {
            self.first.fetch_min(at.place as u32, Relaxed);
        }
        response
    }
}

#[inline(always)]
fn is_within(v: [f64; 3], most: f64) -> bool {
    v.iter().fold(true, |all, x| all & (Real::abs(*x) <= most))
}

impl<'t> Law for Laws<'t> {
    type Of<'b>
        = Pair<'b>
    where
        't: 'b;

    fn of<'b>(&'b self, around: LawContext<'b>) -> Pair<'b> {
        Pair { laws: *self, around }
    }

    fn known(&self) -> Option<Laws<'_>> {
        Some(*self)
    }

    fn spread(&self) -> bool {
        self.reads_spread()
    }
}
