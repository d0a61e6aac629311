//! Two balls, or a ball and a half-space, from their contact to force, torques and springs, in numbers or in lanes of them.

use core::mem::offset_of;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, transmute_ref};

use super::images::Images;
use crate::body::Body;
use crate::broad::Motion;
use crate::detect::Round;
use crate::force::{Interaction, Place, Reply, Shared, Value};
use crate::simd::{Kernel, Lane, Mask, Simd, Vec3};
use crate::vector::{add, cross, dot, scale, sub};

/// Pairs that are worked on together.
pub(super) const BLOCK: usize = 8;

/// What forces depend on beside the state of a body, where a step keeps what becomes of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(in crate::world) struct Rate {
    /// Below 0: half-space; [`TURNED`] where the host has turned it since the last step.
    pub radius: f64,
    pub halo: f64,
    /// How it has turned in the last step: a quaternion. Of a half-space its normal; its orientation before where the host has turned it.
    pub turn: [f64; 4],
}

/// As a radius: of a half-space that the host has turned.
pub(super) const TURNED: f64 = -2.0;

// A whole number of them is where a body is.
const _: () = assert!(size_of::<Body>().is_multiple_of(size_of::<Rate>()));

/// Room for the rates of so many bodies.
pub(in crate::world) const fn room_for_rates(bodies: u32) -> u64 {
    (bodies as u64).div_ceil((size_of::<Body>() / size_of::<Rate>()) as u64)
}

/// Bodies as they are read in steps of balls.
pub(in crate::world) fn rates_of(moved: &[Body]) -> &[Rate] {
    <[Rate]>::ref_from_bytes(moved.as_bytes()).unwrap_or_default()
}

/// The same, to be written.
pub(in crate::world) fn rates_mut(moved: &mut [Body]) -> &mut [Rate] {
    <[Rate]>::mut_from_bytes(moved.as_mut_bytes()).unwrap_or_default()
}

/// A contact of two bodies that are round, and what their springs were.
pub(super) struct Touching<F> {
    pub normal: [F; 3],
    pub gap: F,
    pub least_gap: F,
    pub area: F,
    pub halo: F,
    /// From the centre of each to the position of the contact.
    pub arms: [[F; 3]; 2],
    /// Velocity of A's centre less that of B's.
    pub velocity: [F; 3],
    pub spins: [[F; 3]; 2],
    /// Reduced mass and radius.
    pub mass: F,
    pub radius: F,
    pub slide: [F; 3],
    /// Along the normal.
    pub twist: F,
    pub rolled: [F; 3],
    /// How each has turned since the springs were left, as a quaternion.
    pub turns: [[F; 4]; 2],
}

/// What becomes of it.
pub(super) struct Acting<F> {
    pub force: [F; 3],
    /// About the centre of each.
    pub torques: [[F; 3]; 2],
    pub slide: [F; 3],
    pub twist: F,
    pub rolled: [F; 3],
    /// Energy of its springs, what damping has dissipated, and work done against friction.
    pub taken: [F; 3],
}

impl<F: Value> Touching<F> {
    /// By a law, in a step of this length.
    #[inline(always)]
    pub fn act(&self, proof: F::Proof, law: &Interaction, dt: F) -> Acting<F> {
        let Touching { normal, arms: [to, from], spins: [own, other], .. } = *self;
        let zero = F::constant(proof, 0.0);
        let around = sub(cross(own, to), cross(other, from));
        let rolls = law.rolling > 0.0;
        let contact = [self.gap, self.least_gap, self.area, self.halo];
        let shared = Shared::of_round(proof, law, contact, self.mass, self.radius);
        let [reach, arm] = shared.reach_of_round(proof, law, self.area);
        let place = Place {
            normal,
            moment: [zero; 3],
            gap: self.gap,
            area: self.area,
            halo: self.halo,
            wedging: F::constant(proof, 1.0),
            offset: [zero; 3],
            reach,
            arm,
            tilting: [zero; 3],
            velocity: add(self.velocity, around),
            spin: sub(own, other),
            slide: self.carried(proof, self.slide),
            twist: scale(normal, self.twist),
            rolled: if rolls { self.carried(proof, self.rolled) } else { [zero; 3] },
        };
        let Reply { force, torque, slide, twist, rolled, taken, .. } = shared.reply(proof, law, &place, dt);
        let torques = [add(cross(to, force), torque), sub(sub([zero; 3], cross(from, force)), torque)];
        Acting { force, torques, slide, twist: dot(twist, normal), rolled, taken }
    }

    /// A spring turned with both bodies in the mean, and laid into the plane across the normal, as long as before.
    #[inline(always)]
    fn carried(&self, proof: F::Proof, spring: [F; 3]) -> [F; 3] {
        let (zero, half) = (F::constant(proof, 0.0), F::constant(proof, 0.5));
        let [own, other] = self.turns;
        let mean = scale(add(turned(spring, own), turned(spring, other)), half);
        let flat = sub(mean, scale(self.normal, dot(self.normal, mean)));
        let (before, after) = (dot(spring, spring), dot(flat, flat));
        scale(flat, F::either(zero.below(after), (before / after).root(), zero))
    }
}

/// A vector turned by a unit quaternion: `v + 2 w (q x v) + 2 q x (q x v)`.
#[inline(always)]
pub(super) fn turned<F: Value>(v: [F; 3], [x, y, z, w]: [F; 4]) -> [F; 3] {
    let q = [x, y, z];
    let t = cross(q, v);
    let t = add(t, t);
    add(v, add(scale(t, w), cross(q, t)))
}

/// Four numbers that are none.
pub(super) const NONE: &[f64; 4] = &[f64::NAN; 4];

/// Four of these numbers, from one on.
#[inline(always)]
pub(super) fn four<const FIRST: usize, const N: usize>(numbers: &[f64; N]) -> &[f64; 4] {
    numbers.get(FIRST..).and_then(|rest| rest.first_chunk()).unwrap_or(NONE)
}

/// A body of a pair, where it is kept.
#[derive(Clone, Copy)]
pub(super) struct Ball<'s> {
    /// Centre, and radius with halo.
    pub place: &'s [f64; 4],
    pub body: &'s Body,
    pub rate: &'s Rate,
}

impl<'s> Ball<'s> {
    /// None.
    const NONE: Ball<'static> = Ball {
        place: NONE,
        body: &Body {
            position: [0.0; 3],
            orientation: [0.0; 4],
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass: 0.0,
            moments: [0.0; 3],
            motion: Motion::Static as u32,
            reserved: 0,
        },
        rate: &Rate { radius: 0.0, halo: 0.0, turn: [0.0; 4] },
    };

    /// Velocity, and the first number of the spin.
    #[inline(always)]
    pub fn velocity(&self) -> &'s [f64; 4] {
        let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(self.body);
        four::<{ offset_of!(Body, velocity) / 8 }, _>(numbers)
    }

    /// The rest of the spin, mass, and one moment.
    #[inline(always)]
    pub fn mass(&self) -> &'s [f64; 4] {
        let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(self.body);
        four::<{ offset_of!(Body, angular_velocity) / 8 + 1 }, _>(numbers)
    }

    /// Spin and mass.
    #[inline(always)]
    fn spin(&self) -> &'s [f64; 4] {
        let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(self.body);
        four::<{ offset_of!(Body, angular_velocity) / 8 }, _>(numbers)
    }

    /// Radius, halo, and the first two numbers of the turn.
    #[inline(always)]
    pub fn radius(&self) -> &'s [f64; 4] {
        let numbers: &[f64; size_of::<Rate>() / 8] = transmute_ref!(self.rate);
        four::<{ offset_of!(Rate, radius) / 8 }, _>(numbers)
    }

    #[inline(always)]
    fn turn(&self) -> &'s [f64; 4] {
        &self.rate.turn
    }

    /// What its mass is to forces: infinite where they do not move it.
    #[inline(always)]
    pub fn inertia(&self) -> f64 {
        self.body.inertia()
    }
}

/// Pairs of balls that wait, as places of numbers.
pub(super) struct Waiting<'s> {
    /// A and B of each.
    pub balls: [[Ball<'s>; BLOCK]; 2],
    /// Whether some A or B may not be moved by forces.
    pub held: bool,
    /// What springs were: a word for slots, and that of sliding; others as far as pairs have words for them.
    pub springs: [[&'s [f64; 4]; BLOCK]; 2],
    pub count: usize,
}

impl<'s> Waiting<'s> {
    pub const EMPTY: Self =
        Waiting { balls: [[Ball::NONE; BLOCK]; 2], held: false, springs: [[NONE; BLOCK]; 2], count: 0 };

    /// Puts a pair behind the others. Gives how many there are; a full block is to be settled.
    #[inline(always)]
    pub fn put(&mut self, [own, other]: [Ball<'s>; 2], [first, rest]: [&'s [f64; 4]; 2]) -> usize {
        let at = self.count & (BLOCK - 1);
        (self.balls[0][at], self.balls[1][at]) = (own, other);
        (self.springs[0][at], self.springs[1][at]) = (first, rest);
        self.count = at + 1;
        self.count
    }
}

/// What becomes of pairs that wait, each in a row.
pub(super) struct Settled {
    /// Force, and torque on A along x; the opposite, and torque on B along x; other torques on A and on B; 0, and the spring of sliding; twist and the spring of rolling.
    pub rows: [[[f64; 4]; BLOCK]; 5],
    /// Energies of springs, what damping has dissipated, and work done against friction.
    pub taken: [[f64; BLOCK]; 3],
}

impl Settled {
    pub const NONE: Self = Settled { rows: [[[0.0; 4]; BLOCK]; 5], taken: [[0.0; BLOCK]; 3] };

    /// Of a single pair.
    pub fn put(&mut self, at: usize, all: &Acting<f64>) {
        let Acting { force: [x, y, z], torques: [[a, b, c], [d, e, f]], slide: [s, t, u], rolled: [p, q, r], .. } =
            *all;
        let rows = [[x, y, z, a], [-x, -y, -z, d], [b, c, e, f], [0.0, s, t, u], [all.twist, p, q, r]];
        self.rows.iter_mut().zip(rows).for_each(|(to, row)| to[at & (BLOCK - 1)] = row);
        self.taken.iter_mut().zip(all.taken).for_each(|(to, x)| to[at & (BLOCK - 1)] = x);
    }
}

/// The law for all that wait; gives which of them are ordinary, of which alone there is something in the rows.
pub(super) struct Settle<'k, 's> {
    pub waiting: &'k Waiting<'s>,
    pub images: &'k Images,
    pub law: &'k Interaction,
    /// How many words pairs have before the step.
    pub words: usize,
    pub dt: f64,
    pub out: &'k mut Settled,
}

impl Kernel for Settle<'_, '_> {
    type Output = u32;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> u32 {
        let (mut ordinary, mut at) = (0, 0);
        while at < self.waiting.count {
            ordinary |= self.lanes(simd, at) << at;
            at += S::F64::LANES;
        }
        ordinary
    }
}

/// The reduced mass of two bodies; 0 where no force moves either.
#[inline(always)]
fn reduced<L: Lane<Scalar = f64>>([own, other]: [L; 2], zero: L, one: L) -> L {
    let light = one / own + one / other;
    L::select(zero.lt(light), one / light, zero)
}

/// A body of some pairs, in lanes.
struct Own<L> {
    place: [L; 4],
    /// Radius with halo.
    radius: L,
    halo: L,
    velocity: [L; 3],
    spin: [L; 3],
    mass: L,
    turn: [L; 4],
}

impl Settle<'_, '_> {
    /// Body A (0) or B (1) of pairs from one on.
    #[inline(always)]
    fn own<S: Simd>(&self, simd: S, k: usize, at: usize) -> Own<S::F64> {
        let balls = &self.waiting.balls[k];
        let mut rows = [[NONE; BLOCK]; 5];
        let mut lane = 0;
        while lane < S::F64::LANES {
            let ball = &balls[(at + lane) & (BLOCK - 1)];
            rows[0][lane] = ball.place;
            rows[1][lane] = ball.velocity();
            rows[2][lane] = ball.spin();
            rows[3][lane] = ball.radius();
            rows[4][lane] = ball.turn();
            lane += 1;
        }
        let place = S::F64::columns(simd, &rows[0], 0);
        let [u, v, w, _] = S::F64::columns(simd, &rows[1], 0);
        let [a, b, c, mut mass] = S::F64::columns(simd, &rows[2], 0);
        let [radius, halo, _, _] = S::F64::columns(simd, &rows[3], 0);
        let turn = S::F64::columns(simd, &rows[4], 0);
        if self.waiting.held {
            let mut masses = [0.0; BLOCK];
            let mut lane = 0;
            while lane < S::F64::LANES {
                masses[lane] = balls[(at + lane) & (BLOCK - 1)].inertia();
                lane += 1;
            }
            mass = S::F64::load(simd, &masses, 0);
        }
        Own { place, radius, halo, velocity: [u, v, w], spin: [a, b, c], mass, turn }
    }

    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> u32 {
        let (zero, half) = (S::F64::splat(simd, 0.0), S::F64::splat(simd, 0.5));
        let (own, other) = (self.own(simd, 0, at), self.own(simd, 1, at));
        let apart = self.images.apart_lanes(simd, own.place, other.place);
        let (radii, halos) = ([own.radius, other.radius], [own.halo, other.halo]);
        let round = Round::of(simd, Vec3(apart), radii, halos);
        let ordinary = round.ordinary.bits();
        let ends = [radii[0] + halos[0], radii[1] + halos[1]];
        let (normal, middle) = (round.normal.0, half * round.distance);
        let [_, x, y, z] = S::F64::columns(simd, &self.waiting.springs[0], at);
        let (mut twist, mut rolled) = (zero, [zero; 3]);
        if self.words > 4 {
            let [a, b, c, d] = S::F64::columns(simd, &self.waiting.springs[1], at);
            (twist, rolled) = if self.words == 5 { (d, rolled) } else { (a, [b, c, d]) };
        }
        let touching = Touching {
            normal,
            gap: round.gap,
            least_gap: round.least,
            area: round.area,
            halo: round.halo,
            arms: [scale(normal, round.way - middle), scale(normal, round.way + middle)],
            velocity: sub(own.velocity, other.velocity),
            spins: [own.spin, other.spin],
            mass: reduced([own.mass, other.mass], zero, S::F64::splat(simd, 1.0)),
            radius: ends[0] * ends[1] / (ends[0] + ends[1]),
            slide: [x, y, z],
            twist,
            rolled,
            turns: [own.turn, other.turn],
        };
        let Acting {
            force: [a, b, c],
            torques: [[d, e, f], [g, h, i]],
            slide: [j, k, l],
            twist,
            rolled: [m, n, o],
            taken: [stored, damped, worked],
        } = touching.act(simd, self.law, S::F64::splat(simd, self.dt));
        let rows = &mut self.out.rows;
        S::F64::to_rows([a, b, c, d], &mut rows[0], at);
        S::F64::to_rows([-a, -b, -c, g], &mut rows[1], at);
        S::F64::to_rows([e, f, h, i], &mut rows[2], at);
        S::F64::to_rows([zero, j, k, l], &mut rows[3], at);
        S::F64::to_rows([twist, m, n, o], &mut rows[4], at);
        let taken = &mut self.out.taken;
        stored.store(&mut taken[0], at);
        damped.store(&mut taken[1], at);
        worked.store(&mut taken[2], at);
        ordinary
    }
}
