//! All laws of contact as one: [`Laws`].

use super::friction::{Grip, Gripped};
use super::interaction::{Cohesion, Damping, Interaction};
use super::normal::{Elastic, Sums, pushed};
use crate::body::Body;
use crate::contact::Contact;
use crate::contact::shape::Shape;
use crate::detect::laws::{Act, ForceLaw, Meeting};
use crate::detect::{Carry, ScenePair};
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max, min};
use crate::vector::{add, dot, scale, sub};
use crate::world::{Around, Law, SPRINGS};

/// Laws between materials: a table of [interactions](Interaction) of each pair of them.
///
/// What a contact remembers, in the order of a world's springs: slide, twist and roll, each an elongation (of twist the angle times the root of a sixth of the area, of roll the angle times the
/// radius) times the root of the pair's tangential stiffness; then energy of the normal force, normal and tangential stiffness of this contact (its share by area); then energy of
/// the springs, and what damping and friction have dissipated in the step ([`Energies`](super::Energies)).
#[derive(Clone, Copy, Debug)]
pub struct Laws<'t> {
    table: &'t [Interaction],
    materials: usize,
}

impl<'t> Laws<'t> {
    /// Of as many materials as there are rows in the table: that of materials i and j, where i is at most j, is item `j (j + 1) / 2 + i`.
    ///
    /// Errors: those of [`Interaction::check`]; [`Kind::Mismatch`] for [`What::Materials`] where the table has no such number of items.
    pub fn new(table: &'t [Interaction]) -> Result<Self> {
        table.iter().enumerate().try_for_each(|(i, law)| law.check(i as u64))?;
        let materials = (0..=table.len()).find(|n| n * (n + 1) / 2 >= table.len()).unwrap_or_default();
        let needed = materials * (materials + 1) / 2;
        if needed != table.len() || table.is_empty() {
            return Err(Error::new(Kind::Mismatch, What::Materials).amounts(max(needed, 1) as u64, table.len() as u64));
        }
        Ok(Laws { table, materials })
    }

    /// How many materials there are.
    pub fn materials(&self) -> usize {
        self.materials
    }

    /// What two materials do to each other; none for a material that is not in the table.
    pub fn between(&self, a: u32, b: u32) -> Option<&'t Interaction> {
        let (low, high) = (min(a, b) as usize, max(a, b) as usize);
        if high >= self.materials { None } else { self.table.get(high * (high + 1) / 2 + low) }
    }
}

impl<'t> Law for Laws<'t> {
    type Of<'b>
        = Pair<'b>
    where
        't: 'b;

    fn of<'b>(&'b self, around: Around<'b>) -> Pair<'b> {
        Pair { laws: *self, around }
    }
}

/// [`Laws`] with the bodies that they act on: a law for [`SceneRef::apply`](crate::detect::SceneRef::apply).
///
/// A body whose material is not in the table gives forces that are no numbers, which `apply` tells as an error with its id.
#[derive(Clone, Copy)]
pub struct Pair<'b> {
    laws: Laws<'b>,
    around: Around<'b>,
}

/// What is the same for all contacts of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Stiffness {
    law: Option<Interaction>,
    elastic: Elastic,
    sums: Sums,
    /// Coefficient of the pair's dashpot: force over velocity.
    dashpot: f64,
}

impl Pair<'_> {
    /// The reduced mass of two bodies, of which those that are not moved by forces are infinitely heavy; 0 where both are.
    fn reduced_mass(&self, pair: &ScenePair) -> f64 {
        let inverse = |i: u32| match self.around.bodies.get(i as usize) {
            Some(body) if Body::is_dynamic(body) => 1.0 / body.mass,
            _ => 0.0,
        };
        let sum = inverse(pair.a) + inverse(pair.b);
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }

    /// The reduced radius of two balls where their halos end, a half-space being infinitely large, and those without halos; 0 for other bodies.
    fn radii(&self, pair: &ScenePair) -> f64 {
        let curvature = |i: u32| match self.around.shape(i as usize) {
            Some((Shape::Sphere { radius, halo }, scale)) => Some(1.0 / (scale * (radius + halo))),
            Some((Shape::HalfSpace { .. }, _)) => Some(0.0),
            _ => None,
        };
        match (curvature(pair.a), curvature(pair.b)) {
            (Some(a), Some(b)) if a + b > 0.0 => 1.0 / (a + b),
            _ => 0.0,
        }
    }
}

impl ForceLaw<SPRINGS> for Pair<'_> {
    type Pair = Stiffness;

    fn carry(&self) -> [Carry; SPRINGS] {
        [Carry::Tangent, Carry::Normal, Carry::Tangent, Carry::Numbers, Carry::Numbers]
    }

    fn pair(&self, pair: &ScenePair, contacts: &[Contact]) -> Stiffness {
        let material = |i: u32| self.around.materials.get(i as usize).copied();
        let law = material(pair.a).zip(material(pair.b)).and_then(|(a, b)| self.laws.between(a, b)).copied();
        let sums = Sums::of(contacts, self.reduced_mass(pair), self.radii(pair));
        let elastic = law.map_or(Elastic::default(), |law| sums.elastic(&law));
        let is_dashpot = law.is_some_and(|law| law.damped >= Damping::Dashpot as u32);
        let dashpot = match law {
            Some(law) if is_dashpot && elastic.exponent > 0.0 => {
                let p = elastic.exponent;
                law.damping * Real::sqrt(2.0 * (p + 1.0) / p * sums.mass * elastic.stiffness)
            }
            _ => 0.0,
        };
        Stiffness { law, elastic, sums, dashpot }
    }

    fn act(&self, at: &Meeting<'_, SPRINGS>, pair: &Stiffness) -> Act<SPRINGS> {
        let Stiffness { law, elastic, sums, dashpot } = pair;
        let Some(law) = law else {
            return Act { force: [f64::NAN; 3], torque: [0.0; 3], springs: [[0.0; 3]; SPRINGS] };
        };
        let c = at.contact;
        let part = pushed(c);
        let (share, by_area) = (ratio(part, sums.pushed), ratio(c.area, sums.area));
        let approach = -dot(at.velocity, c.normal);
        // Damping of the approach, and of tilt about axes across the normal, as of an area that damps everywhere.
        let push = elastic.k * part;
        let coefficient = match law.damped {
            d if d == Damping::HuntCrossley as u32 => push * law.damping,
            _ => dashpot * share,
        };
        let pulls = law.damped == Damping::DashpotWithTension as u32;
        let force = push + coefficient * approach;
        let force = if pulls { force } else { max(0.0, force) };
        let load = max(0.0, force);
        // The more a contact is flat (1), not round (1/2): balls roll without tilting what they lie on.
        let flat = max(0.0, 2.0 * ratio(c.halo - c.gap, c.halo - c.least_gap) - 1.0);
        let tilting = sub(at.spin, scale(c.normal, dot(at.spin, c.normal)));
        let tilt = coefficient * flat * c.area / 12.0;
        let damped = self.around.dt * ((force - push) * approach + tilt * dot(tilting, tilting));
        let held = match law.cohesive {
            k if k == Cohesion::Area as u32 => law.cohesion * c.area,
            k if k == Cohesion::Dmt as u32 => 2.0 * core::f64::consts::PI * law.cohesion * sums.radius * share,
            _ => 0.0,
        };
        // Friction.
        let pair_stiffness = law.shear * elastic.stiffness;
        let [slide, twist, rolled, ..] = at.springs;
        let most = |coefficient: f64| if load > 0.0 { coefficient * load } else { 0.0 };
        let grip = Grip {
            normal: c.normal,
            stiffness: pair_stiffness,
            share: by_area,
            lag: law.lag,
            most: most(law.friction),
            area: c.area,
            dt: self.around.dt,
        };
        let slid = match law.friction > 0.0 {
            true => grip.slide(slide, at.velocity, twist, at.spin, law.torsion),
            false => Gripped::default(),
        };
        let turned = match law.rolling > 0.0 && sums.radius > 0.0 {
            true => Grip { most: most(law.rolling), ..grip }.roll(sums.radius, rolled, at.spin),
            false => Gripped::default(),
        };
        let torque = sub(scale(c.moment, elastic.k), scale(tilting, tilt));
        let tangential = if law.friction > 0.0 { pair_stiffness * by_area } else { 0.0 };
        Act {
            force: add(scale(c.normal, force - held), slid.force),
            torque: add(torque, add(slid.torque, turned.torque)),
            springs: [
                slid.slide,
                slid.twist,
                turned.slide,
                [elastic.stored * share, elastic.stiffness * by_area, tangential],
                [slid.stored + turned.stored, damped, slid.lost + turned.lost],
            ],
        }
    }
}

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}
