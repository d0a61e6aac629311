//! Laws, as worlds apply them.

use super::law_context::{LawContext, MovingSurfaces, SPRINGS, Springs};
use crate::contact::Contact;
use crate::detect::laws::{ContactInput, ContactResponse, ForceLaw};
use crate::detect::surfaces::MovingSurface;
use crate::detect::{Carry, ScenePair, Wrench};
use crate::force::Laws;
use crate::force::laws::Pair;

/// A law of contact for a world. It makes a [`ForceLaw`] from the data of a step ([`LawContext`]), with the springs `[slide, twist, roll,
/// numbers, numbers]`.
///
/// `slide` belongs to the sliding of the surfaces across the normal since they touched. `twist` belongs to the angle of rotation about the
/// normal, and points along it. `roll` belongs to the angle of rotation about axes across it. Each of them follows its contact. Then there
/// are two times three numbers that do not rotate:
///
/// | | |
/// | --- | --- |
/// | fourth | stored energy of the normal force, normal stiffness, tangential stiffness of the contact |
/// | fifth | stored energy of springs, energy that damping has dissipated in the step, work done against friction in the step |
///
/// [`Report`](super::Report) computes its frequency and its energies from these, if a law writes them. A law sets springs and numbers that
/// it does not use to zero.
///
/// A closure of a [`ContactInput`] is a law that needs only the contact.
pub trait Law: Sync {
    /// The law for one step.
    type Of<'b>: ForceLaw<SPRINGS>
    where
        Self: 'b;

    /// The law for one step, with the data of this step.
    fn of<'b>(&'b self, around: LawContext<'b>) -> Self::Of<'b>;

    /// The same law as one with formulas that worlds know, if it is one. Balls are then computed several at a time, without records.
    fn known(&self) -> Option<Laws<'_>> {
        None
    }

    /// Whether it uses [`Contact::spread`] and [`Contact::offset`], which are computed only on request.
    fn spread(&self) -> bool {
        false
    }

    /// Bodies whose vertices move by themselves: see [`WithSurfaces`](super::WithSurfaces).
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

/// A law with the springs of worlds.
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

/// Takes down how surfaces move and what springs contacts have, for a law of the host.
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

/// What a host has written down.
pub(super) struct Recorded<'a>(pub &'a [Wrench], pub &'a [Springs]);

impl ForceLaw<0> for Recorded<'_> {
    type Pair = ();

    fn pair(&self, _: &ScenePair, _: &[Contact]) {}

    fn act(&self, at: &ContactInput<'_, 0>, (): &()) -> ContactResponse<0> {
        let Wrench { force, torque } = self.0.get(at.place).copied().unwrap_or_default();
        // Springs that are no numbers show as a torque that is none.
        let wrong = self.1.get(at.place).is_some_and(|springs| !springs.as_flattened().iter().all(|x| x.is_finite()));
        ContactResponse { force, torque: if wrong { [f64::NAN; 3] } else { torque }, springs: [] }
    }
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
