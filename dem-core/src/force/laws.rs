//! All force laws combined in one law of contact: [`Laws`].
//!
//! Reads: contacts of a body pair, velocities of surfaces there, springs of the last step, materials, masses and shapes of both bodies. Writes:
//! force and torque on A, and springs. The file of each part of the law says which of these it reads.

use core::f64::consts::PI;

use super::curved::Curved;
use super::doubtful::{Doubtful, RATE};
use super::friction::{Grip, Gripped};
use super::interaction::{Cohesion, Damping, Interaction, Normal};
use super::normal::{Elastic, Sums, pushed};
use super::value::Value;
use crate::contact::shape::{Shape, Surface};
use crate::contact::{self, Contact, status, times};
use crate::detect::laws::{ContactInput, ContactResponse, ForceLaw};
use crate::detect::{Carry, JoinedSprings, ScenePair, SplitSprings};
use crate::error::{Error, Kind, Result, What};
use crate::real::{Real, max, min};
use crate::vector::{add, cross, dot, scale, sub};
use crate::world::{LawContext, SPRINGS};

/// Laws between materials: a table with an [interaction](Interaction) for each pair of materials.
///
/// Each contact keeps the springs of a world, in this order:
/// * slide, twist and roll: each is an elongation times the root of the pair's tangential stiffness. The elongation of twist is the angle times
///   the root of the mean square distance from the axis; that of roll is the angle times the radius. Where neither body is round and there is
///   torsion, the third is no spring: it is the arm, a length, from the contact's position to the place where springs act.
/// * energy of the normal force, normal and tangential stiffness of this contact (its share by area).
/// * energy of the springs, energy dissipated by damping, and work done against friction in the step ([`Energies`](super::Energies)). The next
///   step reads the energy of the springs: with it a contact keeps its energy as its share of the stiffness changes. If that energy is 0, springs
///   are used unscaled.
///
/// A contact that may be wrong ([`DOUBTFUL`](crate::contact::status::DOUBTFUL)) gives back no more than the energy that was put in.
#[derive(Clone, Copy, Debug)]
pub struct Laws<'t> {
    pub(super) table: &'t [Interaction],
    materials: usize,
}

impl<'t> Laws<'t> {
    /// From a table. The item for materials i and j, with i at most j, is item `j (j + 1) / 2 + i`.
    ///
    /// Errors: those of [`Interaction::check`]; [`Kind::Mismatch`] for [`What::Interactions`] if no number of materials has that number of items.
    pub fn new(table: &'t [Interaction]) -> Result<Self> {
        let materials = (0..=table.len()).find(|n| n * (n + 1) / 2 >= table.len()).unwrap_or_default();
        let needed = materials * (materials + 1) / 2;
        if needed != table.len() || table.is_empty() {
            return Err(
                Error::new(Kind::Mismatch, What::Interactions).amounts(max(needed, 1) as u64, table.len() as u64)
            );
        }
        table.iter().enumerate().try_for_each(|(i, law)| law.check(i as u64))?;
        Ok(Laws { table, materials })
    }

    /// Number of materials.
    pub fn materials(&self) -> usize {
        self.materials
    }

    /// The interactions of all pairs of materials.
    pub(crate) fn interactions(&self) -> &'t [Interaction] {
        self.table
    }

    /// The interaction of two materials; none for a material that is not in the table.
    pub fn between(&self, a: u32, b: u32) -> Option<&'t Interaction> {
        let (low, high) = (min(a, b) as usize, max(a, b) as usize);
        if high >= self.materials { None } else { self.table.get(high * (high + 1) / 2 + low) }
    }

    /// Whether the forces of some pair of materials depend on the second moments of the pressure.
    pub(crate) fn reads_spread(&self) -> bool {
        self.table.iter().any(|law| {
            let area = law.cohesive == Cohesion::Area as u32;
            (law.friction > 0.0 && law.torsion > 0.0) || law.damped != Damping::None as u32 || area
        })
    }
}

/// [`Laws`] with the bodies that they act on: a law for [`SceneRef::apply`](crate::detect::SceneRef::apply).
///
/// A body whose material is not in the table gives NaN forces, which `apply` reports as an error with the body's id.
#[derive(Clone, Copy)]
pub struct Pair<'b> {
    pub(crate) laws: Laws<'b>,
    pub(crate) around: LawContext<'b>,
}

/// The data of a body pair that the law needs.
#[derive(Clone, Copy, Debug)]
pub struct Reduced {
    law: Option<Interaction>,
    mass: f64,
    /// If one body is a half-space or a sheet: the largest moment of inertia of both.
    turning: Option<f64>,
    /// Reduced radius; 0 where neither body is round.
    radius: f64,
    form: Form,
    /// A ball on what counts as flat: nothing but friction turns it.
    ball: bool,
}

/// Faces whose overlap is a smaller part of their halos than this overlap by rounding only; the same for other numbers that are 1 at most.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// The kind of a body pair, which selects the formula of the law of Hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Two balls, or a ball and a half-space.
    Balls,
    /// A capsule and a ball or another capsule: the law of Hertz knows the curvature of both.
    Rods,
    /// A capsule and a body that counts as flat.
    RodOnFlat,
    /// Other pairs, of which the law of Hertz knows the footprint.
    Any,
}

/// The data common to all contacts of a pair along one normal, in numbers or in lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<F> {
    elastic: Elastic<F>,
    sums: Sums<F>,
    /// Reduced radius for rolling resistance and cohesion; 0 where neither body is round.
    radius: F,
    /// Coefficient of the pair's dashpot: force over velocity.
    dashpot: F,
}

/// A contact, and the relative velocity of the two surfaces there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<F> {
    pub normal: [F; 3],
    pub moment: [F; 3],
    pub gap: F,
    pub area: F,
    pub halo: F,
    /// Sum of the force magnitudes of the sides of the contact over the magnitude of their sum.
    pub wedging: F,
    /// From the position to the centroid of the area, if cohesion acts there.
    pub offset: [F; 3],
    /// See [`Grip`].
    pub centre: Option<[F; 3]>,
    pub follows: bool,
    pub reach: F,
    pub arm: F,
    /// For damping of tilt; none for balls on meshes, on balls and on half-spaces, and for other round contacts.
    pub tilt: Option<Tilt<F>>,
    /// For friction of contacts with curvature.
    pub curved: Option<Curved<F>>,
    pub velocity: [F; 3],
    pub spin: [F; 3],
    pub slide: [F; 3],
    pub twist: [F; 3],
    pub rolled: [F; 3],
}

/// The force and the torque against tilt, for a coefficient of 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tilt<F> {
    /// Where the contact has curvature.
    force: Option<[F; 3]>,
    torque: [F; 3],
}

/// The response of the law at a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply<F> {
    pub force: [F; 3],
    pub torque: [F; 3],
    pub slide: [F; 3],
    pub twist: [F; 3],
    pub rolled: [F; 3],
    /// Stored energy of the normal force, normal and tangential stiffness. The normal stiffness is negative while a contact that is or was
    /// doubtful has less than its full force.
    pub normal: [F; 3],
    /// Energy stored in springs, energy dissipated by damping, and work done against friction.
    pub taken: [F; 3],
}

impl<F: Value> Shared<F> {
    #[inline(always)]
    fn new(proof: F::Proof, law: &Interaction, sums: Sums<F>, elastic: Elastic<F>, radius: F) -> Self {
        let (zero, one, two) = (F::constant(proof, 0.0), F::constant(proof, 1.0), F::constant(proof, 2.0));
        let p = elastic.exponent;
        let dashpot = if law.damped >= Damping::Dashpot as u32 {
            let dashpot = law.dashpot_of(proof, two * (p + one) / p, sums.mass, elastic.stiffness);
            F::either(zero.below(p), dashpot, zero)
        } else {
            zero
        };
        Shared { elastic, sums, radius, dashpot }
    }

    /// [`Place::reach`] and [`Place::arm`] of balls, for a pressure that falls with the square of the radius to 0 at the border of the area. By
    /// the law of Hertz, the pressure falls with the root of that, in a circle of squared radius `R D`.
    #[inline(always)]
    pub fn reach_of_round(&self, proof: F::Proof, law: &Interaction, area: F) -> [F; 2] {
        let Sums { radius, depth, .. } = self.sums;
        let (square, [reach, arm]) = match law.normal {
            n if n == Normal::Hertz as u32 => (radius * depth, [0.4, 3.0 * PI / 16.0]),
            _ => (area / F::constant(proof, PI), [1.0 / 3.0, 8.0 / 15.0]),
        };
        [(F::constant(proof, reach) * square).root(), F::constant(proof, arm) * square.root()]
    }

    /// The contact's share of the pair's stiffness, for this area.
    #[inline(always)]
    fn by_area(&self, proof: F::Proof, area: F) -> F {
        F::ratio(proof, area, self.sums.area)
    }

    /// Force, torque and springs of a contact in a step of this length.
    #[inline(always)]
    pub fn reply(&self, proof: F::Proof, law: &Interaction, c: &Place<F>, dt: F) -> Reply<F> {
        let Shared { elastic, sums, radius, dashpot } = *self;
        let zero = F::constant(proof, 0.0);
        let part = pushed(proof, c.gap, c.area, c.halo);
        let share = F::ratio(proof, part, sums.pushed);
        // A contact in a groove counts as its two sides: their summed force magnitude exceeds the contact's own force by the factor `wedging`.
        let (by_force, by_area) = (share * c.wedging, self.by_area(proof, c.area * c.wedging));
        // The speed at which the elastic force and its moment do work. Where normals lean, as on the thread of a bolt, spin contributes to it.
        let approach = -dot(c.velocity, c.normal) - F::ratio(proof, dot(c.moment, c.spin), part);
        // Damping acts against this speed, and against tilt about axes across the normal, as if the whole area damped.
        let push = elastic.k * part;
        let coefficient = match law.damped {
            d if d == Damping::HuntCrossley as u32 => law.hunt_crossley_of(proof, push),
            _ => dashpot * share,
        } / c.wedging;
        let force = law.damped_push(proof, push, coefficient, approach);
        let load = zero.at_least(force);
        // The load on which friction acts: in a groove, `wedging` times the normal load.
        let bears = load * c.wedging;
        let mut power = (force - push) * approach;
        let held = law.pull(proof, c.area, radius, share);
        // Friction.
        let pair_stiffness = F::constant(proof, law.shear) * elastic.stiffness;
        let grip = Grip {
            proof,
            normal: c.normal,
            root: pair_stiffness.root(),
            share: by_area,
            lag: F::constant(proof, law.lag),
            most: F::either(zero.below(load), F::constant(proof, law.friction) * bears, zero),
            reach: c.reach,
            arm: c.arm,
            centre: c.centre,
            follows: c.follows,
            dt,
        };
        let slip = c.curved.as_ref().map_or(c.velocity, |curved| curved.slip(c.velocity, c.spin));
        let mut slid = match law.friction > 0.0 {
            true => grip.slide(c.slide, slip, c.twist, c.spin, law.torsion),
            false => Gripped::none(proof),
        };
        if let Some(curved) = &c.curved {
            let [force, torque] = curved.wrench(slid.force);
            (slid.force, slid.torque) = (force, add(slid.torque, torque));
        }
        let rolls = zero.below(radius);
        let turned = match law.rolling > 0.0 && !F::nowhere(rolls) {
            true => {
                // A body that rolls along a groove turns about an axis that leans to both sides: the torques of the sides add up as the forces
                // do.
                let most = F::either(zero.below(load), F::constant(proof, law.rolling) * load, zero);
                Grip { most, ..grip }.roll(radius, c.rolled, c.spin)
            }
            false => Gripped::none(proof),
        };
        // Damping is distributed over the contact as the elastic force is.
        let spread = elastic.k + F::ratio(proof, force - push, part);
        let (mut along, mut torque) = (scale(c.normal, force - held), scale(c.moment, spread));
        if let Some(tilt) = &c.tilt {
            torque = sub(torque, scale(tilt.torque, coefficient));
            let mut work = dot(tilt.torque, c.spin);
            if let Some(force) = tilt.force {
                along = sub(along, scale(force, coefficient));
                work = work + dot(force, c.velocity);
            }
            power = power + coefficient * work;
        }
        // Cohesion of an area pulls at its centroid.
        let torque = sub(torque, cross(c.offset, scale(c.normal, held)));
        let mut tangential = if law.friction > 0.0 { pair_stiffness * by_area } else { zero };
        if let Some(curved) = &c.curved {
            tangential = tangential * curved.most;
        }
        Reply {
            force: add(along, slid.force),
            torque: add(torque, add(slid.torque, turned.torque)),
            slide: slid.slide,
            twist: slid.twist,
            rolled: if c.follows { slid.arm } else { turned.slide },
            normal: [elastic.stored * by_force, elastic.stiffness * by_area, tangential],
            taken: [slid.stored + turned.stored, dt * power, slid.worked + turned.worked],
        }
    }
}

impl Pair<'_> {
    /// The reduced mass of two bodies. Bodies that forces do not move count as infinitely heavy; 0 where both are such bodies.
    fn reduced_mass(&self, pair: &ScenePair) -> f64 {
        let inverse = |i: u32| self.around.bodies.get(i as usize).map_or(0.0, |body| 1.0 / body.inertia());
        let sum = inverse(pair.a) + inverse(pair.b);
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    }

    /// See [`Reduced::turning`].
    fn turning(&self, pair: &ScenePair) -> Option<f64> {
        let has_no_inside = |i: u32| match self.around.shape(i as usize).map(|(shape, _)| shape.alone().0) {
            Some(Shape::Mesh(Surface { cells, solid, .. })) => {
                !solid && cells.may_be_sheet() && cells.law() == contact::Law::Volume
            }
            shape => matches!(shape, Some(Shape::HalfSpace { .. })),
        };
        let both = [pair.a, pair.b];
        if !both.map(has_no_inside).contains(&true) {
            return None;
        }
        // Fixed bodies have none.
        let moments = both.into_iter().filter_map(|i| self.around.bodies.get(i as usize)).flat_map(|body| body.moments);
        Some(moments.fold(0.0, max))
    }

    /// The reduced radius of two bodies. Balls and capsules are round where their halos end; half-spaces and meshes count as flat. The result is
    /// 0 if neither body is round. It is also 0 for compounds of several parts, unless all parts count as flat. Also returns the kind of the pair, and
    /// whether it is a ball on what counts as flat.
    fn radii(&self, pair: &ScenePair) -> (f64, Form, bool) {
        let seen = |i: u32| {
            let (shape, scale) = self.around.shape(i as usize)?;
            let (shape, own) = shape.alone();
            Some((shape, scale * own))
        };
        let is_flat = |shape: &Shape<'_>| matches!(shape, Shape::HalfSpace { .. } | Shape::Mesh(_));
        let [a, b] = [pair.a, pair.b].map(seen);
        let curvature = |seen: &Option<(Shape<'_>, f64)>| match seen {
            Some((Shape::Sphere { radius, halo } | Shape::Capsule { radius, halo, .. }, scale)) => {
                Some(1.0 / (scale * (radius + halo)))
            }
            Some((Shape::Compound(parts), _)) => parts.iter().all(|part| is_flat(&part.shape)).then_some(0.0),
            Some((shape, _)) => is_flat(shape).then_some(0.0),
            None => None,
        };
        let is =
            |what: fn(&Shape<'_>) -> bool| [&a, &b].map(|seen| seen.as_ref().is_some_and(|(shape, _)| what(shape)));
        let rods = is(|s| matches!(s, Shape::Capsule { .. }));
        let meshes = is(|s| matches!(s, Shape::Mesh(_) | Shape::Compound(_)));
        let curvatures = [curvature(&a), curvature(&b)];
        let ball = is(|s| matches!(s, Shape::Sphere { .. })).contains(&true) && curvatures.contains(&Some(0.0));
        match curvatures.into() {
            (Some(x), Some(y)) if x + y > 0.0 => {
                let form = match (rods.contains(&true), x > 0.0 && y > 0.0, meshes.contains(&true)) {
                    (true, true, _) => Form::Rods,
                    (true, false, _) => Form::RodOnFlat,
                    (false, _, true) => Form::Any,
                    (false, _, false) => Form::Balls,
                };
                (1.0 / (x + y), form, ball)
            }
            _ => (0.0, Form::Any, ball),
        }
    }
}

/// [`Place::reach`], [`Place::arm`] and [`Place::tilt`] of a contact with these relative velocities. Without second moments, those of a square are
/// used.
fn spread_of(c: &Contact, velocity: [f64; 3], spin: [f64; 3]) -> (f64, f64, Option<Tilt<f64>>) {
    // 1 for a flat contact, 0 for a round one (`filled` is 1/2): rolling balls do not tilt the surface that they lie on.
    let filled = <f64 as Value>::ratio((), c.halo - c.gap, c.halo - c.least_gap);
    let flat = max(0.0, 2.0 * filled - 1.0);
    let reach = c.reach();
    let [square, arm] = match &reach {
        Some(reach) => [reach.square, reach.arm],
        None => [max(c.area, 0.0) / 6.0, 2.0 / 3.0 * Real::sqrt(max(c.area, 0.0) / PI)],
    };
    // What is left of `flat` for a round contact is rounding.
    if flat < ROUNDING {
        return (Real::sqrt(square), arm, None);
    }
    // How fast the surfaces separate, for each unit of length across the normal. A body that slides along a curved seat turns with it.
    let turns = c.curvature != [0.0; 6];
    let spinning = cross(c.normal, spin);
    let separating = if turns { add(spinning, times(&c.curvature, velocity)) } else { spinning };
    // The force at a distance r across the normal is in proportion to `r.damped`.
    let damped = match &reach {
        None => scale(separating, flat * c.area / 12.0),
        Some(reach) => {
            // A slender contact may be curved across its longer axis only: a cylinder on its side has `filled` 2/3. Rotation about its line of
            // contact is then no tilt.
            let most = reach.square - reach.least;
            let slender = 1.0 - reach.least / most;
            let short = max(0.0, flat - (1.0 - filled) * slender);
            let long = min(1.0, 3.0 * flat);
            let own = scale(times(&c.spread, separating), long);
            add(own, scale(separating, (short - long) * reach.least))
        }
    };
    let tilt = Tilt { force: turns.then(|| times(&c.curvature, damped)), torque: cross(damped, c.normal) };
    (Real::sqrt(square), arm, Some(tilt))
}

/// The springs of sliding and of torsion with which [`Laws`] begin a step, from the springs that are carried to a contact
/// ([`ContactInput::springs`]). If contacts have joined into this contact, or it is a part of a contact that has split, the springs keep the
/// force and the moment of the earlier springs. They then have no more energy than these. Besides, [`Laws`] take no springs of a mere neighbour
/// ([`ContactInput::begins`]), and keep the energy of springs as shares change.
///
/// The spring of torsion is a length along the normal: the angle times `reach` times the root of `torsion`. `reach` is the root of the mean
/// square distance of the pressure from the axis of the contact. For a square, it is the root of a sixth of the area. `torsion` is
/// [`Interaction::torsion`]. Cost: about a tenth of a microsecond.
#[inline(always)]
pub fn take_over(
    [slide, twist]: [[f64; 3]; 2],
    normal: [f64; 3],
    (others, part): (&JoinedSprings, &SplitSprings),
    reach: f64,
    torsion: f64,
) -> [[f64; 3]; 2] {
    let slide = others.mean.unwrap_or(slide);
    let twist = if others.square > 0.0 { joined(twist, others, reach, torsion) } else { twist };
    if part.square > 0.0 && twist != [0.0; 3] {
        parted([slide, twist], normal, part, reach, torsion)
    } else {
        [slide, twist]
    }
}

/// The spring of torsion of a contact that others have joined into, from the mean of their springs.
///
/// The squared reach of the joined contact is the mean of the squared reaches of the parts plus that of their squared arms. The springs of
/// torsion of the parts give the first part of the moment, their springs of sliding the second. The result is one spring that has turned by the
/// same angle, with no more energy than all parts had.
fn joined(twist: [f64; 3], others: &JoinedSprings, reach: f64, torsion: f64) -> [f64; 3] {
    if !(torsion > 0.0 && reach > 0.0) {
        return twist;
    }
    let whole = max(reach * reach, others.square);
    let own = Real::sqrt(1.0 - others.square / whole);
    add(scale(twist, own), scale(others.moment, Real::sqrt(torsion / whole)))
}

/// The springs of sliding and of torsion of one part of a contact that has split, from the springs of the whole: the inverse of [`joined`].
///
/// All parts turn by the same angle about the mean of their places. The angle gives the parts together the torque of the whole, or its energy
/// where that torque would need more energy.
fn parted(
    [slide, twist]: [[f64; 3]; 2],
    normal: [f64; 3],
    part: &SplitSprings,
    reach: f64,
    torsion: f64,
) -> [[f64; 3]; 2] {
    let whole = part.square + part.own;
    if !(torsion > 0.0 && whole > 0.0) {
        return [slide, twist];
    }
    // Torsional stiffness of the parts over that of the whole.
    let stiffer = (part.square + torsion * part.own) / (torsion * whole);
    let less = if stiffer > 1.0 { stiffer } else { Real::sqrt(stiffer) };
    let angle = dot(twist, normal) / (Real::sqrt(torsion * whole) * less);
    let slid = add(slide, scale(cross(normal, part.arm), angle));
    [slid, scale(normal, angle * Real::sqrt(torsion) * reach)]
}

impl ForceLaw<SPRINGS> for Pair<'_> {
    type Pair = Reduced;

    fn carry(&self) -> [Carry; SPRINGS] {
        [Carry::Tangent, Carry::Normal, Carry::Tangent, Carry::Numbers, Carry::Numbers]
    }

    fn pair(&self, pair: &ScenePair, _: &[Contact]) -> Reduced {
        let material = |i: u32| self.around.materials.get(i as usize).copied();
        let law = material(pair.a).zip(material(pair.b)).and_then(|(a, b)| self.laws.between(a, b)).copied();
        let (radius, form, ball) = self.radii(pair);
        let turning = if form == Form::Any { self.turning(pair) } else { None };
        Reduced { law, mass: self.reduced_mass(pair), turning, radius, form, ball }
    }

    #[inline(always)]
    fn arm(&self, pair: &Reduced) -> Option<usize> {
        pair.holds().then_some(2)
    }

    fn act(&self, at: &ContactInput<'_, SPRINGS>, pair: &Reduced) -> ContactResponse<SPRINGS> {
        let own = at.place.wrapping_sub(at.pair.first as usize);
        let ContactInput { contact, contacts, velocity, spin, joined, split, begins, shares, .. } = *at;
        let met = Met { contact, contacts, own, velocity, spin, joined, split, begins, shares };
        pair.act(&met, &at.springs, self.around.dt)
    }
}

/// A doubtful contact, as [`Reduced::act`] passes it on.
fn doubtful(
    at: &Met<'_>,
    springs: &[[f64; 3]; SPRINGS],
    (sums, elastic): (&Sums<f64>, &Elastic<f64>),
    (turning, dt): (Option<f64>, f64),
) -> Doubtful {
    let (c, [_, _, _, [stored, ..], _]) = (at.contact, *springs);
    let ratio = |a, b| <f64 as Value>::ratio((), a, b);
    let part = pushed((), c.gap, c.area, c.halo);
    let by_force = ratio(part, sums.pushed) * c.wedging;
    let approach = -dot(at.velocity, c.normal) - ratio(dot(c.moment, at.spin), part);
    // A contact that is no longer doubtful may slide at any speed: only its approach counts.
    let kinetic = turning.map_or(0.0, |inertia| match c.status & status::DOUBTFUL {
        0 => sums.mass * approach * approach,
        _ => sums.mass * dot(at.velocity, at.velocity) + inertia * dot(at.spin, at.spin),
    });
    Doubtful {
        told: [elastic.k * part, elastic.stored * by_force],
        // The stored energy of a contact that begins may be a copy of its neighbour's.
        last: if at.begins { 0.0 } else { stored },
        approach: approach * dt,
        turn: if sums.mass > 0.0 { Real::sqrt(elastic.stiffness / sums.mass) * dt } else { 1.0 / RATE },
        kinetic: 0.5 * kinetic,
    }
}

/// A contact of two bodies, and the relative velocity of the two surfaces there.
pub(crate) struct Met<'a> {
    pub contact: &'a Contact,
    /// All contacts of both bodies, and the index of this one.
    pub contacts: &'a [Contact],
    pub own: usize,
    pub velocity: [f64; 3],
    pub spin: [f64; 3],
    /// [`ContactInput::joined`].
    pub joined: JoinedSprings,
    /// [`ContactInput::split`].
    pub split: SplitSprings,
    /// Whether the contact continues no contact of the last step.
    pub begins: bool,
    /// [`ContactInput::shares`].
    pub shares: bool,
}

impl Reduced {
    /// The data of a pair with a compound of balls, with this reduced mass.
    pub(crate) fn of_parts(law: &Interaction, mass: f64) -> Self {
        Reduced { law: Some(*law), mass, turning: None, radius: 0.0, form: Form::Any, ball: false }
    }

    /// Whether springs act at a place of both bodies ([`Grip::centre`]).
    #[inline(always)]
    fn holds(&self) -> bool {
        self.form == Form::Any
            && self.radius == 0.0
            && self.law.is_some_and(|law| law.friction > 0.0 && law.torsion > 0.0)
    }

    /// The springs of friction of a contact that now has this share of the pair's stiffness. The springs keep their energy, so another contact of
    /// the pair that gains or loses stiffness changes neither their force nor their energy. (A flat face gains all its stiffness as halos meet,
    /// where it has no load yet.) Springs taken over at joins and splits keep their elongation.
    ///
    /// A contact that begins beside other contacts has no springs. Springs of its neighbour would create energy, or take it from the neighbour.
    #[inline(always)]
    fn with_share(&self, at: &Met<'_>, springs: &[[f64; 3]; SPRINGS], share: f64) -> [[f64; 3]; 3] {
        let [slide, twist, rolled, _, [stored, ..]] = *springs;
        if at.begins && at.joined.mean.is_none() && at.split.own <= 0.0 {
            return [[0.0; 3]; 3];
        }
        // Two balls have one contact, with all of the pair's stiffness.
        if self.form == Form::Balls || at.shares || stored.is_nan() || stored <= 0.0 {
            return [slide, twist, rolled];
        }
        let rolls = self.radius > 0.0;
        let square = dot(slide, slide) + dot(twist, twist) + if rolls { dot(rolled, rolled) } else { 0.0 };
        // The energy of springs is half of their square, times the share.
        let part = 2.0 * stored / (square * share);
        if !(Real::is_finite(part) && part > 0.0 && Real::abs(part - 1.0) > ROUNDING) {
            return [slide, twist, rolled];
        }
        let more = Real::sqrt(part);
        [scale(slide, more), scale(twist, more), if rolls { scale(rolled, more) } else { rolled }]
    }

    /// Force, torque and springs of a contact that has these springs, in a step of this length.
    #[inline(always)]
    pub(crate) fn act(&self, at: &Met<'_>, springs: &[[f64; 3]; SPRINGS], dt: f64) -> ContactResponse<SPRINGS> {
        let Reduced { law, mass, turning, radius, form, .. } = self;
        let Some(law) = law else {
            return ContactResponse { force: [f64::NAN; 3], torque: [0.0; 3], springs: [[0.0; 3]; SPRINGS] };
        };
        let sums = Sums::along(at.contacts, at.own, *mass, if *form == Form::Any { 0.0 } else { *radius });
        let elastic = if *form == Form::RodOnFlat { sums.elastic_of_rod(law) } else { sums.elastic_of_any(law) };
        let c = at.contact;
        // A contact that is no longer doubtful remains a spring, until the spring has grown to the reported force.
        let in_doubt = c.status & status::DOUBTFUL != 0 || !at.begins && springs[3][1] < 0.0;
        let held = in_doubt.then(|| doubtful(at, springs, (&sums, &elastic), (*turning, dt)).held());
        let k = held.as_ref().map_or(elastic.k, |held| elastic.k * held.part);
        let mut shared = Shared::new((), law, sums, Elastic { k, ..elastic }, *radius);
        let flat = matches!(form, Form::Any | Form::RodOnFlat);
        // Where a flat face meets another exactly where halos begin, rounding decides which part of the face is in contact: no dashpot acts
        // there.
        if flat && c.halo - c.gap < ROUNDING * c.halo {
            shared.dashpot = 0.0;
        }
        let [slide, twist, rolled] = self.with_share(at, springs, shared.by_area((), c.area * c.wedging));
        let (reach, arm, tilt) = match *form {
            Form::Balls => {
                let [reach, arm] = shared.reach_of_round((), law, c.area);
                (reach, arm, None)
            }
            _ => {
                let (reach, arm, tilt) = spread_of(c, at.velocity, at.spin);
                (reach, arm, tilt.filter(|_| !self.ball))
            }
        };
        let [slide, twist] = take_over([slide, twist], c.normal, (&at.joined, &at.split), reach, law.torsion);
        let follows = self.holds() && c.radius == 0.0 && (c.offset != [0.0; 3] || rolled != [0.0; 3]);
        let holds_at_centroid = flat && law.torsion > 0.0 && c.offset != [0.0; 3];
        let centroid = || sub(c.offset, scale(c.normal, dot(c.normal, c.offset)));
        let place = Place {
            normal: c.normal,
            moment: c.moment,
            gap: c.gap,
            area: c.area,
            halo: c.halo,
            wedging: c.wedging,
            offset: if law.cohesive == Cohesion::Area as u32 { c.offset } else { [0.0; 3] },
            centre: if follows { Some(rolled) } else { holds_at_centroid.then(centroid) },
            follows,
            reach,
            arm,
            tilt,
            curved: Curved::of(c),
            velocity: at.velocity,
            spin: at.spin,
            slide,
            twist,
            rolled,
        };
        let Reply { force, torque, slide, twist, rolled, mut normal, mut taken } = shared.reply((), law, &place, dt);
        match held {
            Some(held) => {
                normal[0] = held.stored;
                taken[1] += held.lost;
                if held.part < 1.0 {
                    normal[1] = -normal[1];
                }
            }
            // The energy of one region may be below 0: only the sum of all regions is meaningful. It is 0 where it was not computed.
            None if law.normal == Normal::Pressure as u32 && c.energy != 0.0 => normal[0] = law.stiffness * c.energy,
            None => {}
        }
        ContactResponse { force, torque, springs: [slide, twist, rolled, normal, taken] }
    }
}
