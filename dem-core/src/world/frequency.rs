//! An upper bound for the angular frequencies of bodies on the springs of their contacts.
//!
//! Small motions x of bodies on their contacts obey `M x'' = -K x`. K is a sum over contacts, each of which depends on the relative motion of
//! both bodies. For any t > 0 `(a - b)^2 <= (1 + t) a^2 + (1 + 1/t) b^2`, so K is at most a sum of parts for single bodies. No frequency is
//! larger than the largest frequency of a single body with these parts. The t of a contact is the ratio of the effective inverse masses of both
//! bodies there. Then the bound is exact for two equal balls, and a light body on a heavy one has its own frequency, not a larger one.
//!
//! A single body has six degrees of freedom. If its velocity is multiplied by the root of the mass, and its spin along each principal axis by the
//! root of the moment, M is the identity. A spring along d at the arm r then adds its stiffness times the square of `(d / sqrt m, (r x d)_j /
//! sqrt I_j)`. So the moment that matters is that about the axis across arm and force. Each contact has
//!
//! * K_n along its normal and K_t across it, at the centroid of its area. If the normals of a contact lean to several sides, each direction also
//!   has a part of the other stiffness: 1 less the square of the mean cosine, which is 1 / wedging.
//! * K_n times the second moment of its area, against tilt. The second moment of the pressure about the centroid equals that of the area if the
//!   pressure is as below a tilted block.
//! * K_t times the same against rotation about the normal, as in [`Laws`](crate::force::Laws) with torsion 1.
//! * K_t times the square of the radius against rolling, if its spring of rolling is not 0.
//!
//! If second moments were not requested, the contact of a rod is a strip with its area along the rod. Second moments of other contacts are 5/3 of
//! the mean square distance of the body's mass from the axis. That is the value of a flat pyramid on its base, the largest value of solids of
//! uniform density.

use super::block::WorldRef;
use crate::body::Body;
use crate::contact::{Contact, times};
use crate::error::What;
use crate::pose::{Pose, Transform};
use crate::real::{Real, max, min};
use crate::vector::{add, cross, dot, scale, sub};

/// A matrix over all degrees of freedom.
type Matrix = [[f64; 6]; 6];

/// Number of squarings for the bound of the largest eigenvalue: the bound uses the 128th power, and is at most 1.4 % too large.
const SQUARINGS: usize = 7;

/// Upper bound of the second moment of an area, in mean square distances of mass from an axis.
const WIDEST: f64 = 5.0 / 3.0;

/// A dynamic body in its principal axes.
struct Seat {
    /// Principal axes, in world axes.
    axes: [[f64; 3]; 3],
    centre: [f64; 3],
    inverse_mass: f64,
    inverse_moments: [f64; 3],
}

impl Seat {
    fn new(body: &Body, pose: &Pose) -> Self {
        // Bodies of an accepted state are valid.
        let turn = pose
            .transform(What::Pose)
            .unwrap_or(Transform { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] });
        Seat {
            axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| turn.rotate(axis)),
            centre: pose.position,
            inverse_mass: 1.0 / body.mass,
            inverse_moments: body.moments.map(|moment| 1.0 / moment),
        }
    }

    /// A vector in the principal axes.
    fn own(&self, v: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| dot(axis, v))
    }

    /// The trace of the effective inverse mass at a point.
    fn mobility(&self, point: [f64; 3]) -> f64 {
        let arm = self.own(sub(point, self.centre)).map(|x| x * x);
        let square = arm[0] + arm[1] + arm[2];
        (0..3).fold(3.0 * self.inverse_mass, |sum, k| sum + (square - arm[k]) * self.inverse_moments[k])
    }

    /// The generalised velocity that a unit impulse along `way` at this arm gives.
    fn moved(&self, way: [f64; 3], arm: [f64; 3]) -> [f64; 6] {
        let (by_mass, torque) = (Real::sqrt(self.inverse_mass), self.own(cross(arm, way)));
        let [a, b, c] = [0, 1, 2].map(|k| torque[k] * Real::sqrt(self.inverse_moments[k]));
        let [x, y, z] = way.map(|x| x * by_mass);
        [x, y, z, a, b, c]
    }

    /// Adds the springs of a contact, times a factor.
    fn add(&self, to: &mut Matrix, at: &Springs<'_>, factor: f64) {
        let Contact { normal, position, wedging, .. } = *at.contact;
        let across = across(at.contact);
        let arm = sub(add(position, across), self.centre);
        let lean = 1.0 - 1.0 / max(wedging * wedging, 1.0);
        let along = factor * (at.normal + at.tangential * lean);
        let beside = factor * (at.tangential + at.normal * lean);
        // The same stiffness along all axes, plus the rest along the normal.
        let world = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let ways = world.map(|axis| (axis, beside)).into_iter().chain([(normal, along - beside)]);
        for (way, stiffness) in ways {
            let moved = self.moved(way, arm);
            for (row, x) in to.iter_mut().zip(moved) {
                row.iter_mut().zip(moved).for_each(|(sum, y)| *sum += stiffness * x * y);
            }
        }
        self.add_turning(to, at, (across, factor, beside));
    }

    /// Adds the stiffness against rotation: about axes across the normal, and about the normal with the stiffness `beside`.
    fn add_turning(&self, to: &mut Matrix, at: &Springs<'_>, (across, factor, beside): ([f64; 3], f64, f64)) {
        let Contact { normal, spread, area, radius, halo, gap, least_gap, .. } = *at.contact;
        let known = spread != [0.0; 6];
        let depth = radius * max(halo - least_gap, 0.0);
        // For a strip as wide as a rod within the halos.
        let strip = if known || depth <= 0.0 { 0.0 } else { area * area / (96.0 * depth) };
        let square = |u: [f64; 3], v: [f64; 3]| dot(u, times(&spread, v)) + dot(u, across) * dot(v, across);
        let twist = if known || depth > 0.0 {
            spread[0] + spread[1] + spread[2] - square(normal, normal) + strip + dot(across, across)
        } else {
            area / 6.0
        };
        // About any axis, with the inertia of a rod across its own axis.
        let [a, b, c] = self.inverse_moments;
        let middle = max(min(a, b), min(max(a, b), c));
        let unknown = match (known, depth > 0.0) {
            (true, _) => 0.0,
            (false, true) => strip * middle,
            (false, false) => WIDEST * self.inverse_mass,
        };
        let rolling = if at.rolls {
            let round = if radius > 0.0 { radius } else { self.reach(at.contact) + halo - gap };
            factor * at.tangential * round * round
        } else {
            0.0
        };
        let tilted = self.axes.map(|axis| cross(normal, axis));
        let about = self.own(normal);
        let roots = self.inverse_moments.map(Real::sqrt);
        for i in 0..3 {
            for j in 0..3 {
                let tilt = factor * at.normal * square(tilted[i], tilted[j]);
                let turn = (beside * max(twist, 0.0) - rolling) * about[i] * about[j];
                let same = if i == j { rolling } else { 0.0 };
                to[3 + i][3 + j] += (tilt + turn + same) * roots[i] * roots[j];
            }
            to[3 + i][3 + i] += factor * at.normal * unknown;
        }
    }

    /// Distance of the contact from the centre.
    fn reach(&self, contact: &Contact) -> f64 {
        let arm = sub(contact.position, self.centre);
        Real::sqrt(dot(arm, arm))
    }
}

/// The springs of a contact.
struct Springs<'a> {
    contact: &'a Contact,
    normal: f64,
    tangential: f64,
    rolls: bool,
}

/// From the position of a contact to the centroid of its area, across the normal.
fn across(contact: &Contact) -> [f64; 3] {
    sub(contact.offset, scale(contact.normal, dot(contact.offset, contact.normal)))
}

/// An upper bound for the largest eigenvalue of a positive semidefinite matrix: the root of the trace of a high power.
fn largest(mut matrix: Matrix) -> f64 {
    let mut traces = [0.0; SQUARINGS + 1];
    for trace in &mut traces {
        *trace = (0..6).fold(0.0, |sum, k| sum + matrix[k][k]);
        if !trace.is_finite() {
            // Numbers overflow: the matrix has no bound.
            return f64::INFINITY;
        }
        if *trace <= 0.0 {
            break;
        }
        let own = matrix.map(|row| row.map(|x| x / *trace));
        matrix = own.map(|row| {
            let mut to = [0.0; 6];
            for (x, other) in row.iter().zip(&own) {
                to.iter_mut().zip(other).for_each(|(sum, y)| *sum += x * y);
            }
            to
        });
    }
    // Each is the trace of the square of the matrix before, over the square of that matrix's trace.
    traces.iter().rev().fold(1.0, |bound, trace| trace * Real::sqrt(bound))
}

impl WorldRef<'_> {
    /// An upper bound for the squared angular frequency of a dynamic body, and the slot of the body whose contact has the largest part in it.
    pub(super) fn square_of_frequency(&self, i: usize, body: &Body) -> (f64, u32) {
        let step = self.scene().now();
        let springs = self.springs();
        let (mut matrix, mut most, mut stiffest): (Matrix, _, _) = ([[0.0; 6]; 6], 0.0, 0);
        for touch in self.scene().touches(i) {
            let place = touch.contact();
            let (Some(contact), Some(pair)) = (step.contacts().get(place), step.pair_of(place)) else { continue };
            let (poses, bodies) = (step.poses_of(pair), self.still_here(pair));
            let [own, other] = if touch.is_b() { [1, 0] } else { [0, 1] };
            if bodies[own].is_none() {
                continue;
            }
            let [_, _, rolled, [_, normal, tangential], _] = springs.get(place).copied().unwrap_or_default();
            let at = Springs { contact, normal: Real::abs(normal), tangential, rolls: rolled != [0.0; 3] };
            let seat = Seat::new(body, &poses[own]);
            let partner = [pair.a, pair.b][other] as usize;
            let point = add(contact.position, across(contact));
            let factor = match bodies[other].filter(|body| body.is_dynamic()) {
                Some(body) => 1.0 + Seat::new(body, &poses[other]).mobility(point) / seat.mobility(point),
                None => 1.0,
            };
            let trace = |matrix: &Matrix| (0..6).fold(0.0, |sum, k| sum + matrix[k][k]);
            let before = trace(&matrix);
            seat.add(&mut matrix, &at, factor);
            let part = trace(&matrix) - before;
            if part > most {
                (most, stiffest) = (part, partner as u32);
            }
        }
        (largest(matrix), stiffest)
    }
}
