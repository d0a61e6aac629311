//! Two balls, or a ball and a half-space, from their contact to force, torques and springs, in numbers or in lanes of them.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::body::Body;
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
    /// What damping and friction have dissipated.
    pub damped: F,
    pub rubbed: F,
}

impl<F: Value> Touching<F> {
    /// By a law, in a step of this length.
    #[inline(always)]
    pub fn act(&self, proof: F::Proof, law: &Interaction, dt: F) -> Acting<F> {
        let Touching { normal, arms: [to, from], spins: [own, other], .. } = *self;
        let zero = F::constant(proof, 0.0);
        let around = sub(cross(own, to), cross(other, from));
        let rolls = law.rolling > 0.0;
        let place = Place {
            normal,
            moment: [zero; 3],
            gap: self.gap,
            least_gap: self.least_gap,
            area: self.area,
            halo: self.halo,
            velocity: add(self.velocity, around),
            spin: sub(own, other),
            slide: self.carried(proof, self.slide),
            twist: scale(normal, self.twist),
            rolled: if rolls { self.carried(proof, self.rolled) } else { [zero; 3] },
        };
        let contact = [self.gap, self.least_gap, self.area, self.halo];
        let shared = Shared::of_round(proof, law, contact, self.mass, self.radius);
        let Reply { force, torque, slide, twist, rolled, normal: _, lost: [_, damped, rubbed] } =
            shared.reply(proof, law, &place, dt);
        let torques = [add(cross(to, force), torque), sub(sub([zero; 3], cross(from, force)), torque)];
        Acting { force, torques, slide, twist: dot(twist, normal), rolled, damped, rubbed }
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
fn turned<F: Value>(v: [F; 3], [x, y, z, w]: [F; 4]) -> [F; 3] {
    let q = [x, y, z];
    let t = cross(q, v);
    let t = add(t, t);
    add(v, add(scale(t, w), cross(q, t)))
}

/// Pairs of balls that wait, as rows of numbers.
pub(super) struct Waiting {
    pub rows: [[f64; BLOCK]; IN],
    pub count: usize,
}

impl Waiting {
    /// Puts a pair at a place: the centre of A less that of B, both bodies, and their springs.
    #[inline(always)]
    pub fn put(
        &mut self,
        at: usize,
        apart: [f64; 3],
        ([a_body, b_body], [own, other]): ([&Body; 2], [&Rate; 2]),
        had: &[f64; 7],
    ) {
        let ([x, y, z], [u, v, w]) = (apart, sub(a_body.velocity, b_body.velocity));
        let ([a, b, c], [d, e, f]) = (a_body.angular_velocity, b_body.angular_velocity);
        let [s0, s1, s2, s3, s4, s5, s6] = *had;
        let ([g, h, i, j], [k, l, m, n]) = (own.turn, other.turn);
        let all = [
            [x, y, z, own.radius, other.radius, own.halo, other.halo, u],
            [v, w, a, b, c, d, e, f],
            [inertia(a_body), s0, s1, s2, s3, s4, s5, s6],
            [g, h, i, j, k, l, m, n],
        ];
        for (row, x) in self.rows.iter_mut().zip(all.as_flattened().iter().chain(&[inertia(b_body)])) {
            row[at & (BLOCK - 1)] = *x;
        }
    }
}

/// What a body's mass is to forces: infinite where they do not move it.
#[inline(always)]
fn inertia(body: &Body) -> f64 {
    if body.is_dynamic() { body.mass } else { f64::INFINITY }
}

/// Apart 3, radii 2, halos 2, velocity 3, spins 6, mass of A, springs 7, turns 8, mass of B.
pub(super) const IN: usize = 33;
/// Force 3, torques 6, springs 7, dissipated 2.
pub(super) const OUT: usize = 18;

/// The law for all that wait; gives which of them are ordinary, of which alone there is something in the rows.
pub(super) struct Settle<'k> {
    pub waiting: &'k Waiting,
    pub law: &'k Interaction,
    pub dt: f64,
    pub out: &'k mut [[f64; BLOCK]; OUT],
}

impl Kernel for Settle<'_> {
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

/// Three rows from row `k` on.
#[inline(always)]
fn vector<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[[f64; BLOCK]; IN], k: usize, at: usize) -> [L; 3] {
    [L::load(simd, &rows[k], at), L::load(simd, &rows[k + 1], at), L::load(simd, &rows[k + 2], at)]
}

impl Settle<'_> {
    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> u32 {
        let rows = &self.waiting.rows;
        let radii = [S::F64::load(simd, &rows[3], at), S::F64::load(simd, &rows[4], at)];
        let halos = [S::F64::load(simd, &rows[5], at), S::F64::load(simd, &rows[6], at)];
        let round = Round::of(simd, Vec3(vector(simd, rows, 0, at)), radii, halos);
        let ordinary = round.ordinary.bits();
        let half = S::F64::splat(simd, 0.5);
        let ends = [radii[0] + halos[0], radii[1] + halos[1]];
        let (normal, middle) = (round.normal.0, half * round.distance);
        let [x, y, z] = vector(simd, rows, 24, at);
        let [u, v, w] = vector(simd, rows, 28, at);
        let touching = Touching {
            normal,
            gap: round.gap,
            least_gap: round.least,
            area: round.area,
            halo: round.halo,
            arms: [scale(normal, round.way - middle), scale(normal, round.way + middle)],
            velocity: vector(simd, rows, 7, at),
            spins: [vector(simd, rows, 10, at), vector(simd, rows, 13, at)],
            mass: reduced(
                [S::F64::load(simd, &rows[16], at), S::F64::load(simd, &rows[32], at)],
                S::F64::splat(simd, 0.0),
                S::F64::splat(simd, 1.0),
            ),
            radius: ends[0] * ends[1] / (ends[0] + ends[1]),
            slide: vector(simd, rows, 17, at),
            twist: S::F64::load(simd, &rows[20], at),
            rolled: vector(simd, rows, 21, at),
            turns: [[x, y, z, S::F64::load(simd, &rows[27], at)], [u, v, w, S::F64::load(simd, &rows[31], at)]],
        };
        let Acting {
            force: [a, b, c],
            torques: [[d, e, f], [g, h, i]],
            slide: [j, k, l],
            twist,
            rolled,
            damped,
            rubbed,
        } = touching.act(simd, self.law, S::F64::splat(simd, self.dt));
        let [m, n, o] = rolled;
        let all = [a, b, c, d, e, f, g, h, i, j, k, l, twist, m, n, o, damped, rubbed];
        let mut row = 0;
        while row < OUT {
            all[row].store(&mut self.out[row], at);
            row += 1;
        }
        ordinary
    }
}
