//! The kernel for two balls, or a ball and a half-space: from their contact to force, torques and springs, in numbers or in lanes.

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

/// Number of pairs computed together.
pub(super) const BLOCK: usize = 8;

/// Data besides the state of a body on which forces depend, stored where a step keeps the new state.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(in crate::world) struct Rate {
    /// Below 0 for a half-space; [`TURNED`] if the host has rotated it since the last step.
    pub radius: f64,
    pub halo: f64,
    /// Its rotation in the last step, a quaternion. For a half-space its normal, or its earlier orientation if the host has rotated it.
    pub turn: [f64; 4],
}

/// The radius of a half-space that the host has rotated.
pub(super) const TURNED: f64 = -2.0;

// A whole number of them fits into a body.
const _: () = assert!(size_of::<Body>().is_multiple_of(size_of::<Rate>()));

/// Number of bodies whose memory holds the rates of this number of bodies.
pub(in crate::world) const fn room_for_rates(bodies: u32) -> u64 {
    (bodies as u64).div_ceil((size_of::<Body>() / size_of::<Rate>()) as u64)
}

/// The rates of bodies, in the memory of their new states.
pub(in crate::world) fn rates_of(moved: &[Body]) -> &[Rate] {
    <[Rate]>::ref_from_bytes(moved.as_bytes()).unwrap_or_default()
}

/// The same, mutable.
pub(in crate::world) fn rates_mut(moved: &mut [Body]) -> &mut [Rate] {
    <[Rate]>::mut_from_bytes(moved.as_mut_bytes()).unwrap_or_default()
}

/// A contact of two round bodies, with its springs before the step.
pub(super) struct Touching<F> {
    /// The present place, with earlier springs.
    pub place: RoundPlace<F>,
    /// The rotation of each body since the springs were stored, as a quaternion.
    pub turns: [[F; 4]; 2],
}

/// The result of a contact.
pub(super) struct Acting<F> {
    pub force: [F; 3],
    /// About the centre of each body.
    pub torques: [[F; 3]; 2],
    pub slide: [F; 3],
    pub twist: F,
    pub rolled: [F; 3],
    /// Energy of its springs, energy dissipated by damping, and work done against friction.
    pub taken: [F; 3],
}

impl Acting<f64> {
    /// Whether its numbers are so small that no sum can be too large.
    pub fn is_small(&self) -> bool {
        let [to, from] = self.torques;
        [self.force, to, from].as_flattened().iter().fold(0.0, |sum, x| sum + Real::abs(*x)) <= SMALL
    }
}

impl<F: Value> Touching<F> {
    /// Applies a law, in a step of this length.
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

    /// A spring rotated with the mean of both bodies, projected into the plane across the normal, with its length kept.
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

/// A vector rotated by a unit quaternion: `v + 2 w (q x v) + 2 q x (q x v)`.
#[inline(always)]
pub(super) fn turned<F: Value>(v: [F; 3], [x, y, z, w]: [F; 4]) -> [F; 3] {
    let q = [x, y, z];
    let t = cross(q, v);
    let t = add(t, t);
    add(v, add(scale(t, w), cross(q, t)))
}

/// Four NaN numbers.
pub(super) const NONE: &[f64; 4] = &[f64::NAN; 4];

/// Four consecutive numbers, from this index.
#[inline(always)]
pub(super) fn four<const FIRST: usize, const N: usize>(numbers: &[f64; N]) -> &[f64; 4] {
    numbers.get(FIRST..).and_then(|rest| rest.first_chunk()).unwrap_or(NONE)
}

/// References to the data of one body of a pair.
#[derive(Clone, Copy)]
pub(super) struct Ball<'s> {
    pub body: &'s Body,
    pub rate: &'s Rate,
}

impl<'s> Ball<'s> {
    /// No body.
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

    /// Radius, halo, and the first two numbers of the rotation.
    #[inline(always)]
    pub fn radius(&self) -> &'s [f64; 4] {
        let numbers: &[f64; size_of::<Rate>() / 8] = transmute_ref!(self.rate);
        four::<{ offset_of!(Rate, radius) / 8 }, _>(numbers)
    }

    #[inline(always)]
    fn turn(&self) -> &'s [f64; 4] {
        &self.rate.turn
    }

    /// Its effective mass: infinite if forces do not move it.
    #[inline(always)]
    pub fn inertia(&self) -> f64 {
        self.body.inertia()
    }
}

/// Queued pairs of balls, as references to numbers.
pub(super) struct Waiting<'s> {
    /// A and B of each pair.
    pub balls: [[Ball<'s>; BLOCK]; 2],
    /// Whether some body may be one that forces do not move.
    pub held: bool,
    /// Springs before the step: a word for slots, and the spring of sliding; then the others, as far as pairs have words for them.
    pub springs: [[&'s [f64; 4]; BLOCK]; 2],
    pub count: usize,
}

impl<'s> Waiting<'s> {
    pub const EMPTY: Self =
        Waiting { balls: [[Ball::NONE; BLOCK]; 2], held: false, springs: [[NONE; BLOCK]; 2], count: 0 };

    /// Appends a pair. A full block must be computed next.
    #[inline(always)]
    pub fn put(&mut self, [own, other]: [Ball<'s>; 2], [first, rest]: [&'s [f64; 4]; 2]) {
        let at = self.count & (BLOCK - 1);
        (self.balls[0][at], self.balls[1][at]) = (own, other);
        (self.springs[0][at], self.springs[1][at]) = (first, rest);
        self.count = at + 1;
    }
}

/// Results of queued pairs, one in each row.
pub(super) struct Settled {
    /// Force, and torque on A along x; minus the force, and torque on B along x; other torques on A and on B; 0, and the spring of sliding; twist
    /// and the spring of rolling.
    pub rows: [[[f64; 4]; BLOCK]; 5],
    /// Energies of springs, energy dissipated by damping, and work done against friction.
    pub taken: [[f64; BLOCK]; 3],
}

impl Settled {
    pub const NONE: Self = Settled { rows: [[[0.0; 4]; BLOCK]; 5], taken: [[0.0; BLOCK]; 3] };

    /// Stores the result of a single pair.
    pub fn put(&mut self, at: usize, all: &Acting<f64>) {
        let Acting { force: [x, y, z], torques: [[a, b, c], [d, e, f]], slide: [s, t, u], rolled: [p, q, r], .. } =
            *all;
        let rows = [[x, y, z, a], [-x, -y, -z, d], [b, c, e, f], [0.0, s, t, u], [all.twist, p, q, r]];
        self.rows.iter_mut().zip(rows).for_each(|(to, row)| to[at & (BLOCK - 1)] = row);
        self.taken.iter_mut().zip(all.taken).for_each(|(to, x)| to[at & (BLOCK - 1)] = x);
    }
}

/// Applies the law to all queued pairs. Returns the ordinary pairs, whose rows are valid, and those with forces that are NaN or larger than
/// [`SMALL`].
pub(super) struct Settle<'k, 's> {
    pub waiting: &'k Waiting<'s>,
    pub images: &'k Images,
    pub law: &'k Interaction,
    /// Words of a pair before the step.
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

/// The reduced mass of two bodies. If some are `held`, bodies that forces do not move are infinitely heavy; 0 if both are. Masses are in a range
/// in which nothing here overflows or underflows.
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

/// The contact of two balls, in lanes.
struct Met<L: Lane> {
    /// From B to A.
    normal: [L; 3],
    /// From the centre of each ball to the position of the contact, along the normal.
    arms: [L; 2],
    /// Overlap depth of the halos, and their sum.
    depth: L,
    halo: L,
    /// Mean gap and area; 0 if they are not needed.
    gap: L,
    area: L,
    /// Lanes with a contact and without anything out of the ordinary.
    ordinary: L::Mask,
}

/// Squared lengths in this range make nothing here overflow or underflow.
const COMMON: Range<f64> = 1e-60..1e60;

impl<L: Lane<Scalar = f64>> Met<L> {
    /// The contact of [`Balls::contact`](crate::contact::shape::Balls::contact) up to rounding, with as few divisions as possible. `apart`: the
    /// centre of A less that of B.
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
        // Equal halos divide the gap equally.
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

/// One body of some pairs, in lanes.
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
    /// Body A (0) or B (1) of pairs from index `at` on.
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
        // Arms are along the normal.
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

/// If the magnitudes of a pair's forces sum to at most this, the pair never makes the sum of a body too large. This holds for any number of
/// pairs, and for loads of at most half the limit.
pub(super) const SMALL: f64 = (1u64 << 60) as f64;

/// Position of a body, and the number after it.
#[inline(always)]
pub(super) fn position(body: &Body) -> &[f64; 4] {
    let numbers: &[f64; size_of::<Body>() / 8] = transmute_ref!(body);
    four::<0, _>(numbers)
}
