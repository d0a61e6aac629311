//! Two balls, or a ball and a half-space, from their contact to force, torques and springs, in numbers or in lanes of them.

use core::f64::consts::PI;
use core::mem::offset_of;
use core::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, transmute_ref};

use super::images::Images;
use crate::body::Body;
use crate::broad::Motion;
use crate::force::{Interaction, RoundPlace, RoundReply, Value};
use crate::real::Real;
use crate::simd::{Kernel, Lane, Mask, Simd};
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
    /// The place as it is, with springs as they were.
    pub place: RoundPlace<F>,
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

impl Acting<f64> {
    /// Whether it is of numbers whose sums are never too large.
    pub fn is_small(&self) -> bool {
        let [to, from] = self.torques;
        [self.force, to, from].as_flattened().iter().fold(0.0, |sum, x| sum + Real::abs(*x)) <= SMALL
    }
}

impl<F: Value> Touching<F> {
    /// By a law, in a step of this length.
    #[inline(always)]
    pub fn act(&self, proof: F::Proof, law: &Interaction, dt: F) -> RoundReply<F> {
        let zero = F::constant(proof, 0.0);
        let RoundPlace { slide, rolled, .. } = self.place;
        let rubs = law.friction > 0.0;
        let place = RoundPlace {
            slide: if rubs { self.carried(proof, slide) } else { [zero; 3] },
            rolled: if law.rolling > 0.0 { self.carried(proof, rolled) } else { [zero; 3] },
            ..self.place
        };
        place.reply(proof, law, dt)
    }

    /// A spring turned with both bodies in the mean, and laid into the plane across the normal, as long as before.
    #[inline(always)]
    fn carried(&self, proof: F::Proof, spring: [F; 3]) -> [F; 3] {
        let (zero, half) = (F::constant(proof, 0.0), F::constant(proof, 0.5));
        let [own, other] = self.turns;
        let normal = self.place.normal;
        let mean = scale(add(turned(spring, own), turned(spring, other)), half);
        let flat = sub(mean, scale(normal, dot(normal, mean)));
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
    pub body: &'s Body,
    pub rate: &'s Rate,
}

impl<'s> Ball<'s> {
    /// None.
    const NONE: Ball<'static> = Ball {
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

    /// Position, and the first number of the orientation.
    #[inline(always)]
    pub fn position(&self) -> &'s [f64; 4] {
        position(self.body)
    }

    /// Whether it is a half-space.
    #[inline(always)]
    pub fn is_flat(&self) -> bool {
        self.rate.radius < 0.0
    }

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

    /// Puts a pair behind the others. A full block is to be settled.
    #[inline(always)]
    pub fn put(&mut self, [own, other]: [Ball<'s>; 2], [first, rest]: [&'s [f64; 4]; 2]) {
        let at = self.count & (BLOCK - 1);
        (self.balls[0][at], self.balls[1][at]) = (own, other);
        (self.springs[0][at], self.springs[1][at]) = (first, rest);
        self.count = at + 1;
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

/// The law for all that wait; gives which of them are ordinary, of which alone there is something in the rows, and which have forces that are none or larger than [`SMALL`].
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
    type Output = [u32; 2];

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> [u32; 2] {
        let (mut ordinary, mut large, mut at) = (0, 0, 0);
        while at < self.waiting.count {
            let [some, wide] = self.lanes(simd, at);
            (ordinary, large) = (ordinary | some << at, large | wide << at);
            at += S::F64::LANES;
        }
        [ordinary, large]
    }
}

/// The reduced mass of two bodies, of which those that forces do not move are infinitely heavy where some are `held`; 0 where both are. Masses are of a size at which nothing here is too large
/// or too small.
#[inline(always)]
fn reduced<L: Lane<Scalar = f64>>(simd: L::Simd, [own, other]: [L; 2], held: bool) -> L {
    let mass = own * other / (own + other);
    if !held {
        return mass;
    }
    let fixed = L::splat(simd, f64::INFINITY);
    let mass = L::select(other.eq(fixed), own, mass);
    let alone = L::select(other.eq(fixed), L::splat(simd, 0.0), other);
    L::select(own.eq(fixed), alone, mass)
}

/// How two balls touch, in lanes.
struct Met<L: Lane> {
    /// From B to A.
    normal: [L; 3],
    /// From the centre of each to the position of the contact, along the normal.
    arms: [L; 2],
    /// How deep halos are in each other, and their sum.
    depth: L,
    halo: L,
    /// Mean gap and area; nothing where they are not asked for.
    gap: L,
    area: L,
    /// Where there is a contact, and nothing is out of the ordinary.
    ordinary: L::Mask,
}

/// Squares of lengths with which nothing that is computed here overflows or vanishes.
const COMMON: Range<f64> = 1e-60..1e60;

impl<L: Lane<Scalar = f64>> Met<L> {
    /// The contact of [`Balls::contact`](crate::contact::shape::Balls::contact) but for rounding, with as few divisions as there can be. `apart`: the centre of A less that of B.
    #[inline(always)]
    fn of(simd: L::Simd, apart: [L; 3], [ra, rb]: [L; 2], [ha, hb]: [L; 2], needs_area: bool) -> Self {
        let (zero, half, one) = (L::splat(simd, 0.0), L::splat(simd, 0.5), L::splat(simd, 1.0));
        let (low, high) = (L::splat(simd, COMMON.start), L::splat(simd, COMMON.end));
        let square = dot(apart, apart);
        let distance = square.sqrt();
        let inverse = one / distance;
        let normal = scale(apart, inverse);
        let (small, large) = (ra.min(rb), ra.max(rb));
        let halo = ha + hb;
        let (least, height, reach) = (distance - (ra + rb), distance - large, small + halo);
        // How the gap is divided between equal halos is known.
        let parts = if ha.eq(hb).all() { zero } else { L::select(zero.lt(halo), (hb - ha) / halo, zero) };
        let (way, middle) = (half * (rb - ra) + least * (half * parts), half * distance);
        let (mut gap, mut area) = (zero, zero);
        if needs_area {
            let square = (reach - height) * (reach + height);
            let wide = reach + small;
            let left = halo * wide - half * square;
            let far = (small * small + left).max(zero).sqrt();
            let end = far + small;
            let part = one / (wide * end);
            gap = left * (wide * part);
            area = L::splat(simd, PI) * square * (large * inverse) * ((reach + far) * (end * part));
        }
        let ordinary = low.le(square) & square.lt(high) & low.le(reach * reach) & (reach * reach).lt(high);
        let ordinary = ordinary & zero.le(height) & least.lt(halo);
        Met { normal, arms: [way - middle, way + middle], depth: halo - least, halo, gap, area, ordinary }
    }
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
            rows[0][lane] = ball.position();
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
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> [u32; 2] {
        let zero = S::F64::splat(simd, 0.0);
        let (own, other) = (self.own(simd, 0, at), self.own(simd, 1, at));
        let apart = self.images.apart_lanes(simd, own.place, other.place);
        let met = Met::of(simd, apart, [own.radius, other.radius], [own.halo, other.halo], self.law.needs_area());
        let ordinary = met.ordinary.bits();
        let ends = [own.radius + own.halo, other.radius + other.halo];
        let radius = if self.law.needs_radius() { ends[0] * ends[1] / (ends[0] + ends[1]) } else { zero };
        let [_, x, y, z] = S::F64::columns(simd, &self.waiting.springs[0], at);
        let (mut twist, mut rolled) = (zero, [zero; 3]);
        if self.words > 4 {
            let [a, b, c, d] = S::F64::columns(simd, &self.waiting.springs[1], at);
            (twist, rolled) = if self.words == 5 { (d, rolled) } else { (a, [b, c, d]) };
        }
        let (normal, [to, from]) = (met.normal, met.arms);
        // Arms lie along the normal.
        let around = cross(sub(scale(own.spin, to), scale(other.spin, from)), normal);
        let place = RoundPlace {
            normal,
            depth: met.depth,
            halo: met.halo,
            gap: met.gap,
            area: met.area,
            mass: reduced(simd, [own.mass, other.mass], self.waiting.held),
            radius,
            velocity: add(sub(own.velocity, other.velocity), around),
            spin: sub(own.spin, other.spin),
            slide: [x, y, z],
            twist,
            rolled,
        };
        let touching = Touching { place, turns: [own.turn, other.turn] };
        let RoundReply {
            along,
            across,
            torque,
            slide: [j, k, l],
            twist,
            rolled: [m, n, o],
            taken: [stored, damped, worked],
        } = touching.act(simd, self.law, S::F64::splat(simd, self.dt));
        let bent = cross(normal, across);
        let [a, b, c] = add(scale(normal, along), across);
        let [d, e, f] = add(scale(bent, to), torque);
        let [g, h, i] = sub(scale(bent, -from), torque);
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
        let forces = [b, c, d, e, f, g, h, i];
        let (mut sum, mut k) = (a.abs(), 0);
        while k < forces.len() {
            sum = sum + forces[k].abs();
            k += 1;
        }
        [ordinary, (!sum.le(S::F64::splat(simd, SMALL))).bits()]
    }
}

/// Numbers of a pair's forces whose sum of magnitudes is no larger are never too large in the sum of a body, of however many pairs and with loads that are no larger than half of what it may be.
pub(super) const SMALL: f64 = (1u64 << 60) as f64;

/// Where a body is, with the number behind.
#[inline(always)]
pub(super) fn position(body: &Body) -> &[f64; 4] {
    let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(body);
    four::<0, _>(numbers)
}
