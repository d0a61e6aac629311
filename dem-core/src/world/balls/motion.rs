//! The motion of balls under forces and torques.

use zerocopy::transmute_ref;

use super::list_state::{Leash, Place};
use super::pair_kernel::{Ball, NONE, Rate, four};
use super::pieces::{BAD, BODIES, FAST, HALO, LEFT, Part};
use super::rotation_since::STILL;
use super::view::Walk;
use crate::body::{self, Body, LARGEST};
use crate::broad::Motion;
use crate::detect::Wrench;
use crate::exec::{Cut, CutMut, Executor, each};
use crate::force::Value;
use crate::real::min;
use crate::simd::{Kernel, Lane, Mask, Simd, dispatch};
use crate::vector::{add, dot, scale};
use crate::world::checked_slice::wrapped;

/// Rows of all bodies, and their wrenches.
pub(super) struct Moving<'r> {
    /// Positions of balls, if some bodies are compounds.
    pub places: &'r mut [[f64; 4]],
    pub rates: &'r mut [Rate],
    pub bodies: &'r mut [Body],
    pub sums: &'r [Wrench],
    /// Empty if all are 0.
    pub loads: &'r [Wrench],
    /// Impulses of contacts in the window, for bodies whose momentum does not give them; empty if they are not kept.
    pub means: &'r mut [Wrench],
    /// Listed positions of bodies.
    pub listed: &'r [Place],
}

impl Walk<'_> {
    /// Moves all bodies by their wrenches. Returns works, and bits of the moved bodies, which compare them with their listed positions and the
    /// leash.
    pub(super) fn advance(&self, exec: &dyn Executor, rows: Moving<'_>, leash: Leash, parts: &mut [Part]) -> Part {
        let Moving { rates, bodies, sums, loads, means, listed, .. } = rows;
        let all = (
            CutMut(rates, BODIES),
            CutMut(bodies, BODIES),
            Cut(sums, BODIES),
            Cut(loads, BODIES),
            CutMut(means, BODIES),
            Cut(listed, BODIES),
            CutMut(&mut *parts, 1),
        );
        each(exec, all, |_, (rates, bodies, sums, loads, means, listed, part)| {
            let rows = Moving { places: &mut [], rates, bodies, sums, loads, means, listed };
            part.fill(self.advance_some(rows, leash, Part::default()));
        });
        // In the order of chunks, which have a fixed number of bodies.
        Part::of_all(parts)
    }

    /// The same for some bodies of a chunk, added to `part`. Returns the sum.
    pub(super) fn advance_some(&self, rows: Moving<'_>, leash: Leash, part: Part) -> Part {
        dispatch(self.isa, Advance { walk: self, rows, leash, part })
    }

    #[inline(always)]
    pub(super) fn advance_body(
        &self,
        (rate, body): (&mut Rate, &mut Body),
        (sum, load): (&Wrench, &Wrench),
        works: &mut [f64; 2],
    ) {
        if body.motion > Motion::Kinematic as u32 {
            // A rotation by the host since the last step rotates springs only once.
            if rate.radius >= 0.0 {
                rate.turn = STILL;
            }
            return;
        }
        let dt = self.dt;
        let (before, spun) = (body.velocity, body.angular_velocity);
        let (mut velocity, mut spin) = (before, spun);
        if body.is_dynamic() {
            let (force, torque) = (scale(add(sum.force, load.force), dt), scale(add(sum.torque, load.torque), dt));
            velocity = add(add(before, scale(force, 1.0 / body.mass)), scale(self.gravity, dt));
            spin = add(spun, scale(torque, 1.0 / body.moments[0]));
            let (ways, turned) = (scale(add(before, velocity), 0.5), scale(add(spun, spin), 0.5));
            works[0] += dot(force, ways) + dot(torque, turned);
            works[1] += body.mass * dt * dot(self.gravity, ways);
        }
        let moved = add(body.position, scale(velocity, dt));
        let [x, y, z] = wrapped(moved, self.images.periods);
        rate.turn = turn_of(spin, dt);
        let orientation = turned_by(rate.turn, body.orientation);
        *body = Body { position: [x, y, z], orientation, velocity, angular_velocity: spin, ..*body };
    }
}

/// Largest number of bodies in lanes.
const BLOCK: usize = 8;

/// Moves a chunk of bodies: ordinary dynamic bodies in lanes, others one by one.
struct Advance<'r, 'w> {
    walk: &'r Walk<'w>,
    rows: Moving<'r>,
    leash: Leash,
    part: Part,
}

impl Kernel for Advance<'_, '_> {
    type Output = Part;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Part {
        let (mut at, all) = (0, self.rows.bodies.len());
        while at < all {
            if !self.lanes(simd, at) {
                self.some(at, min(at + S::F64::LANES, all));
            }
            at += S::F64::LANES;
        }
        if !self.rows.loads.is_empty() {
            self.part.add_loads(self.rows.bodies, self.rows.loads);
        }
        self.part
    }
}

/// Bodies in lanes, with their wrenches.
struct Loaded<L> {
    position: [L; 3],
    /// Radius with halo.
    reach: L,
    orientation: [L; 4],
    velocity: [L; 3],
    spin: [L; 3],
    mass: L,
    /// One of three equal moments.
    moment: L,
    halo: L,
    force: [L; 3],
    torque: [L; 3],
    /// The part of the force due to loads.
    load: [L; 3],
    listed: [L; 4],
}

/// The load of a body if all loads are 0.
const NO_LOAD: Wrench = Wrench { force: [0.0; 3], torque: [0.0; 3] };

/// The first and the last four numbers of a wrench.
#[inline(always)]
fn ends_of(wrench: &Wrench) -> [&[f64; 4]; 2] {
    let numbers: &[f64; 6] = transmute_ref!(wrench);
    [four::<0, 6>(numbers), four::<2, 6>(numbers)]
}

impl Advance<'_, '_> {
    /// Moves the bodies of a range one by one.
    #[inline(never)]
    fn some(&mut self, at: usize, end: usize) {
        let Moving { rates, bodies, sums, loads, means, listed, .. } = &mut self.rows;
        for i in at..end {
            let (Some(rate), Some(body)) = (rates.get_mut(i), bodies.get_mut(i)) else { return };
            let Some(sum) = sums.get(i) else { return };
            let load = loads.get(i).unwrap_or(&NO_LOAD);
            if !body.is_dynamic() {
                self.part.add_driven(body, sum, self.walk.dt);
                if let Some(mean) = means.get_mut(i) {
                    mean.force = add(mean.force, scale(sum.force, self.walk.dt));
                    mean.torque = add(mean.torque, scale(sum.torque, self.walk.dt));
                }
            }
            self.walk.advance_body((rate, body), (sum, load), &mut self.part.works);
        }
        let (bodies, rates) = (bodies.get(at..end).unwrap_or_default(), rates.get(at..end).unwrap_or_default());
        let rows = (bodies, rates, loads.get(at..end).unwrap_or_default());
        let listed = listed.get(at..end).unwrap_or_default();
        self.part.what |= self.walk.look_at_bodies(rows, listed, self.leash);
    }

    /// Loads one body for each lane; none if some are not dynamic.
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, at: usize) -> Option<Loaded<S::F64>> {
        let Moving { rates, bodies, sums, loads, listed, .. } = &self.rows;
        let (mut rows, mut places) = ([[NONE; BLOCK]; 9], [[0.0; 4]; BLOCK]);
        let (mut lane, mut dynamic) = (0, true);
        while lane < S::F64::LANES {
            let i = at + lane;
            let ball = Ball { body: bodies.get(i)?, rate: rates.get(i)? };
            let [sum, sum_end] = ends_of(sums.get(i)?);
            rows[0][lane] = ball.position();
            rows[1][lane] = &ball.body.orientation;
            rows[2][lane] = ball.velocity();
            rows[3][lane] = ball.mass();
            rows[4][lane] = ball.radius();
            (rows[5][lane], rows[6][lane]) = (sum, sum_end);
            places[lane] = listed.get(i)?.map(f64::from);
            if !loads.is_empty() {
                [rows[7][lane], rows[8][lane]] = ends_of(loads.get(i)?);
            }
            dynamic &= ball.body.is_dynamic();
            lane += 1;
        }
        if !dynamic {
            return None;
        }
        let [u, v, w, a] = S::F64::columns(simd, &rows[2], 0);
        let [b, c, mass, moment] = S::F64::columns(simd, &rows[3], 0);
        let [radius, halo, _, _] = S::F64::columns(simd, &rows[4], 0);
        let [p0, p1, p2, _] = S::F64::columns(simd, &rows[0], 0);
        let ([x, y, z, _], [_, p, q, r]) = (S::F64::columns(simd, &rows[5], 0), S::F64::columns(simd, &rows[6], 0));
        let zero = S::F64::splat(simd, 0.0);
        // A sum with 0 is never -0.
        let (mut load, mut turning) = ([zero; 3], [zero; 3]);
        if !loads.is_empty() {
            let ([d, e, f, _], [_, g, h, i]) = (S::F64::columns(simd, &rows[7], 0), S::F64::columns(simd, &rows[8], 0));
            (load, turning) = ([d, e, f], [g, h, i]);
        }
        Some(Loaded {
            position: [p0, p1, p2],
            reach: radius + halo,
            orientation: S::F64::columns(simd, &rows[1], 0),
            velocity: [u, v, w],
            spin: [a, b, c],
            mass,
            moment,
            halo,
            force: add([x, y, z], load),
            torque: add([p, q, r], turning),
            load,
            listed: S::F64::columns(
                simd,
                &[&places[0], &places[1], &places[2], &places[3], &places[4], &places[5], &places[6], &places[7]],
                0,
            ),
        })
    }

    /// Whether balls are near their listed positions, if positions are stored by cells: balls far from most others are not relative to the middle
    /// cell.
    #[cold]
    #[inline(always)]
    fn stay_in_cells<S: Simd>(&self, _: S, at: usize, place: [S::F64; 4]) -> bool {
        let mut rows = [[0.0; 4]; BLOCK];
        S::F64::to_rows(place, &mut rows, 0);
        let listed = self.rows.listed.iter().skip(at).take(S::F64::LANES);
        rows.iter().zip(listed).all(|(place, before)| self.leash.holds(&self.walk.images, *place, false, *before))
    }

    /// Moves one body for each lane. Returns whether it did: if something is out of the ordinary, the bodies stay unchanged.
    #[inline(always)]
    fn lanes<S: Simd>(&mut self, simd: S, at: usize) -> bool {
        let Some(own) = self.load(simd, at) else { return false };
        let walk = self.walk;
        let (zero, one, half, dt): (S::F64, S::F64, S::F64, S::F64) =
            (number(simd, 0.0), number(simd, 1.0), number(simd, 0.5), number(simd, walk.dt));
        let gravity = [number(simd, walk.gravity[0]), number(simd, walk.gravity[1]), number(simd, walk.gravity[2])];
        let fallen = scale(walk.gravity, walk.dt);
        let fallen = [number(simd, fallen[0]), number(simd, fallen[1]), number(simd, fallen[2])];
        let (force, torque) = (scale(own.force, dt), scale(own.torque, dt));
        let velocity = add(add(own.velocity, scale(force, one / own.mass)), fallen);
        let spin = add(own.spin, scale(torque, one / own.moment));
        let (ways, turned) = (scale(add(own.velocity, velocity), half), scale(add(own.spin, spin), half));
        let works = [dot(force, ways) + dot(torque, turned), own.mass * dt * dot(gravity, ways)];
        let moved = add(own.position, scale(velocity, dt));
        let half_step = 0.5 * walk.dt;
        let square = number::<S::F64>(simd, half_step * half_step) * dot(spin, spin);
        let size = size_of_turn(own.orientation);
        let mut common =
            square.le(number(simd, SMALL)) & number::<S::F64>(simd, 0.5).le(size) & size.lt(number(simd, 2.0));
        let mut k = 0;
        while k < 3 {
            let period = walk.images.periods[k];
            if period != 0.0 {
                common = common & zero.le(moved[k]) & moved[k].lt(number(simd, period));
            }
            k += 1;
        }
        if !common.all() {
            return false;
        }
        let turn = small_turn(simd, spin, number(simd, half_step), square);
        let orientation = turned_unit(simd, turn, own.orientation);
        // The same test as in `look_at_bodies`.
        let place = [moved[0], moved[1], moved[2], own.reach];
        let bounded = is_bounded(simd, moved) & is_bounded(simd, velocity) & is_bounded(simd, spin);
        let mut v = add(velocity, fallen);
        if !self.rows.loads.is_empty() {
            v = add(v, scale(own.load, dt / own.mass));
        }
        let fast = (number::<S::F64>(simd, 0.25) * own.halo * own.halo).lt(dot(v, v) * number(simd, walk.dt * walk.dt));
        let d = walk.images.apart_lanes(simd, self.leash.seen(simd, place), own.listed);
        // Reaches do not change within a call.
        let near = dot(d, d).le(number(simd, self.leash.length * self.leash.length)).all();
        let near = near || (self.leash.has_cells() && self.stay_in_cells(simd, at, place));
        let bits = [(fast.any(), FAST), (zero.lt(own.halo).any(), HALO), (!near, LEFT), (!bounded.all(), BAD)];
        let mut k = 0;
        while k < bits.len() {
            self.part.what |= if bits[k].0 { bits[k].1 } else { 0 };
            k += 1;
        }
        let mut rows = [[[0.0; 4]; BLOCK]; 5];
        S::F64::to_rows(place, &mut rows[0], 0);
        S::F64::to_rows(turn, &mut rows[1], 0);
        S::F64::to_rows(orientation, &mut rows[2], 0);
        S::F64::to_rows([velocity[0], velocity[1], velocity[2], spin[0]], &mut rows[3], 0);
        S::F64::to_rows([spin[1], spin[2], works[0], works[1]], &mut rows[4], 0);
        let mut lane = 0;
        while lane < S::F64::LANES {
            let i = at + lane;
            let ([u, v, w, a], [b, c, contacts, gravity]) = (rows[3][lane], rows[4][lane]);
            self.part.works = [self.part.works[0] + contacts, self.part.works[1] + gravity];
            let (rates, bodies) = (&mut *self.rows.rates, &mut *self.rows.bodies);
            if let (Some(rate), Some(body)) = (rates.get_mut(i), bodies.get_mut(i)) {
                let [x, y, z, _] = rows[0][lane];
                (rate.turn, body.orientation) = (rows[1][lane], rows[2][lane]);
                (body.position, body.velocity, body.angular_velocity) = ([x, y, z], [u, v, w], [a, b, c]);
            }
            lane += 1;
        }
        true
    }
}

/// The same number in all lanes.
#[inline(always)]
fn number<L: Lane<Scalar = f64>>(simd: L::Simd, x: f64) -> L {
    L::splat(simd, x)
}

/// Whether numbers are finite and within the limits.
#[inline(always)]
fn is_bounded<L: Lane<Scalar = f64>>(simd: L::Simd, [x, y, z]: [L; 3]) -> L::Mask {
    let most = L::splat(simd, LARGEST);
    x.abs().le(most) & y.abs().le(most) & z.abs().le(most)
}

/// A rotation is computed by its series if the square of half of its angle is at most this.
const SMALL: f64 = 0.01;

/// [`body::turn`], by its series for a small angle.
#[inline(always)]
fn turn_of(spin: [f64; 3], dt: f64) -> [f64; 4] {
    let half = 0.5 * dt;
    let x = half * half * dot(spin, spin);
    if x > SMALL { body::turn(spin, dt) } else { small_turn((), spin, half, x) }
}

/// A rotation during the time 2 `half`; x: the square of half of its angle.
#[inline(always)]
fn small_turn<F: Value>(proof: F::Proof, spin: [F; 3], half: F, x: F) -> [F; 4] {
    let one = F::constant(proof, 1.0);
    // Remainders are below 1e-17.
    let sine = one
        - x * parts(proof, 6.0)
            * (one - x * parts(proof, 20.0) * (one - x * parts(proof, 42.0) * (one - x * parts(proof, 72.0))));
    let cosine = one
        - x * parts(proof, 2.0)
            * (one
                - x * parts(proof, 12.0)
                    * (one - x * parts(proof, 30.0) * (one - x * parts(proof, 56.0) * (one - x * parts(proof, 90.0)))));
    let [a, b, c] = scale(spin, half * sine);
    [a, b, c, cosine]
}

/// 1 over this number.
#[inline(always)]
fn parts<F: Value>(proof: F::Proof, count: f64) -> F {
    F::constant(proof, 1.0 / count)
}

/// The sum of the squares of a quaternion.
#[inline(always)]
fn size_of_turn<F: Value>([a, b, c, d]: [F; 4]) -> F {
    a * a + b * b + c * c + d * d
}

/// [`body::turned`]; for a unit quaternion, in common cases, without scaling.
#[inline(always)]
fn turned_by(turn: [f64; 4], orientation: [f64; 4]) -> [f64; 4] {
    if (0.5..2.0).contains(&size_of_turn(orientation)) {
        return turned_unit((), turn, orientation);
    }
    body::turned(turn, orientation)
}

/// The same for a quaternion of almost unit length.
#[inline(always)]
fn turned_unit<F: Value>(proof: F::Proof, [x, y, z, w]: [F; 4], [a, b, c, d]: [F; 4]) -> [F; 4] {
    let [a, b, c, d] = [
        w * a + d * x + (y * c - z * b),
        w * b + d * y + (z * a - x * c),
        w * c + d * z + (x * b - y * a),
        w * d - (x * a + y * b + z * c),
    ];
    let unit = F::constant(proof, 1.0) / size_of_turn([a, b, c, d]).root();
    [a * unit, b * unit, c * unit, d * unit]
}
