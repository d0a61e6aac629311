//! A body that moves on a wall, with pressure springs, dashpots and Coulomb friction whose springs follow their contacts. The integrator is
//! explicit: velocities first, then positions (semi-implicit Euler).
//!
//! The law of a contact of area A, mean gap g, halo T, with w = (1 - g/T) A, slip velocity v and normal velocity u
//! (closing): normal force `F = max(0, w (k + c u))`, friction `-w (k_t s + c_t v)`, at most `mu F`, with s the
//! elongation, which grows with v and is limited by Coulomb's law. Normal force and friction are spread over the area,
//! so they also resist rotation, as on a square: a moment `c w A/12` against the spin, and `w k_t A/6` times the twist
//! about the normal, up to `mu F 0.38 sqrt(A)`.

use crate::vector::{add, cross, dot, length, rotate, scale, sub};
use dem_core::contact::history::{BodyPair, Link, carry, match_contacts, match_scratch};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Request, Shape, shape_contacts, shape_scratch};
use dem_core::contact::{Contact, Room};
use dem_core::error::{Kind, What};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::Memory;

/// Coefficients of the law.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Stiffness: force per area.
    pub k: f64,
    /// Stiffness of the tangential spring: force per area and length.
    pub k_t: f64,
    /// Coefficient of the normal dashpot: force per area and velocity.
    pub c: f64,
    /// Coefficient of the tangential dashpot.
    pub c_t: f64,
    /// Coefficient of friction.
    pub mu: f64,
}

/// A body and the wall that it moves on.
pub struct Motion<'m> {
    /// The body, in its principal axes.
    pub body: Shape<'m>,
    /// Pose of the body.
    pub pose: Pose,
    /// Velocity of its origin, which is its centre of mass.
    pub velocity: [f64; 3],
    /// Angular velocity, in world axes.
    pub spin: [f64; 3],
    /// Mass.
    pub mass: f64,
    /// Principal moments of inertia.
    pub inertia: [f64; 3],
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// The wall.
    pub wall: Shape<'m>,
    /// Pose of the wall.
    pub wall_pose: Pose,
    /// Coefficients of the contact law.
    pub law: Law,
    /// Whether a new contact takes the spring of its neighbour.
    pub beside: bool,
    /// Which nodes form one contact.
    pub grouping: Grouping,
    /// Contacts of the last step.
    pub contacts: Vec<Contact>,
    /// Their springs.
    pub springs: Vec<[f64; 3]>,
    /// Their twists about the normal.
    pub twists: Vec<f64>,
    pair: BodyPair,
    room: Room,
    scratch: Option<Memory>,
    spare: Vec<Contact>,
}

/// Forces on the body in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// Sum of all contact forces.
    pub force: [f64; 3],
    /// Their moment about the centre of mass.
    pub torque: [f64; 3],
    /// Sum of the magnitudes of friction, divided by the sum of their limits; 1 if all contacts slide.
    pub mobilised: f64,
    /// Number of contacts without origin.
    pub begun: usize,
}

impl<'m> Motion<'m> {
    /// A body at rest.
    pub fn new(body: Shape<'m>, pose: Pose, wall: Shape<'m>, wall_pose: Pose, law: Law) -> Self {
        Motion {
            body,
            pose,
            velocity: [0.0; 3],
            spin: [0.0; 3],
            mass: 1.0,
            inertia: [1.0; 3],
            gravity: [0.0; 3],
            wall,
            wall_pose,
            law,
            beside: true,
            contacts: Vec::new(),
            springs: Vec::new(),
            twists: Vec::new(),
            pair: BodyPair::default(),
            grouping: Grouping::default(),
            room: Room { pairs: 64, terms: 256, segments: 0 },
            scratch: None,
            spare: Vec::new(),
        }
    }

    /// Advances time by one step. Panics on errors, like all functions here.
    pub fn step(&mut self, dt: f64) -> Step {
        let pair = BodyPair { tag: 1, pose_a: self.pose, pose_b: self.wall_pose };
        let found = self.find();
        let begun = self.follow(&found, &pair);
        let mut sum = Step { begun, ..Step::default() };
        let mut possible = 0.0;
        let rigid = (self.pose, self.velocity, self.spin);
        for ((contact, spring), twist) in found.iter().zip(&mut self.springs).zip(&mut self.twists) {
            let (force, torque, friction, most) = act(&self.law, contact, spring, twist, rigid, dt);
            sum.force = add(sum.force, force);
            sum.torque = add(sum.torque, torque);
            sum.mobilised += friction;
            possible += most;
        }
        sum.mobilised /= if possible > 0.0 { possible } else { 1.0 };
        self.spare = std::mem::replace(&mut self.contacts, found);
        self.pair = pair;
        self.advance(&sum, dt);
        sum
    }

    fn find(&mut self) -> Vec<Contact> {
        let mut out = std::mem::take(&mut self.spare);
        out.resize(out.capacity().max(8), Contact::default());
        let a = Placed { shape: self.body, pose: &self.pose, scale: 1.0 };
        let b = Placed { shape: self.wall, pose: &self.wall_pose, scale: 1.0 };
        loop {
            let layout = shape_scratch(&a, &b, self.room, 1).unwrap();
            let scratch = self.scratch.get_or_insert_with(|| Memory::new(layout).unwrap());
            match shape_contacts(
                Work::new(&Serial, Isa::best(), scratch),
                &a,
                &b,
                &Request { grouping: self.grouping, ..Request::new(1, self.room) },
                &mut out,
                None,
            ) {
                Ok(found) => {
                    out.truncate(found.contacts);
                    return out;
                }
                Err(e) if e.kind == Kind::Capacity => {
                    match e.what {
                        What::Pairs => self.room.pairs = 2 * e.needed as usize,
                        What::Terms => self.room.terms = 2 * e.needed as usize,
                        What::Segments => self.room.segments = 2 * e.needed as usize,
                        What::Output => out.resize(e.needed as usize, Contact::default()),
                        _ => panic!("{e}"),
                    }
                    self.scratch = None;
                }
                Err(e) => panic!("{e}"),
            }
        }
    }

    /// Carries springs and twists to this step's contacts. Gives the number of new contacts.
    fn follow(&mut self, found: &[Contact], pair: &BodyPair) -> usize {
        let (before, after) = ([self.pair], [*pair]);
        let (last, now) = ((&self.contacts[..], &before[..]), (found, &after[..]));
        let mut links = vec![Link::NEW; found.len()];
        let mut scratch = Memory::new(match_scratch(last.0.len(), found.len(), 0).unwrap()).unwrap();
        let bound = found.iter().map(|c| c.halo).fold(0.0, f64::max);
        match_contacts(&last, &now, bound, &mut links, None, None, &mut scratch).unwrap();
        if !self.beside {
            links.iter_mut().for_each(|link| link.source = link.origin);
        }
        let mut springs = vec![[0.0; 3]; found.len()];
        carry(&last, &now, &links, &[], &self.springs, &mut springs).unwrap();
        self.springs = springs;
        self.twists = links.iter().map(|link| self.twists.get(link.source as usize).copied().unwrap_or(0.0)).collect();
        links.iter().filter(|link| link.origin == Link::NEW.origin).count()
    }

    fn advance(&mut self, sum: &Step, dt: f64) {
        let acceleration = add(scale(1.0 / self.mass, sum.force), self.gravity);
        self.velocity = add(self.velocity, scale(dt, acceleration));
        let q = self.pose.orientation;
        let back = [-q[0], -q[1], -q[2], q[3]];
        // Euler's equations in the principal axes.
        let (w, torque) = (rotate(back, self.spin), rotate(back, sum.torque));
        let momentum = [0, 1, 2].map(|k| self.inertia[k] * w[k]);
        let change = sub(torque, cross(w, momentum));
        let w = [0, 1, 2].map(|k| w[k] + dt * change[k] / self.inertia[k]);
        self.spin = rotate(q, w);
        self.pose.position = add(self.pose.position, scale(dt, self.velocity));
        self.pose.orientation = turned(q, scale(dt, self.spin));
    }
}

/// Force and torque of one contact on the body; the magnitude of friction, and its limit. Updates spring and twist.
fn act(
    law: &Law,
    contact: &Contact,
    spring: &mut [f64; 3],
    twist: &mut f64,
    (pose, velocity, spin): (Pose, [f64; 3], [f64; 3]),
    dt: f64,
) -> ([f64; 3], [f64; 3], f64, f64) {
    let (n, area) = (contact.normal, contact.area);
    let arm = sub(contact.position, pose.position);
    let v = add(velocity, cross(spin, arm));
    let closing = -dot(v, n);
    let slip = add(v, scale(closing, n));
    let w = (1.0 - contact.gap / contact.halo) * area;
    let normal = (w * (law.k + law.c * closing)).max(0.0);
    *spring = add(*spring, scale(dt, slip));
    let trial = add(scale(-w * law.k_t, *spring), scale(-w * law.c_t, slip));
    let (size, most) = (length(trial), law.mu * normal);
    let friction = if size > most { scale(most / size, trial) } else { trial };
    if size > most {
        // The elongation follows from the share of the spring in the force, without that of the dashpot.
        *spring = scale(-1.0 / (w * law.k_t), add(friction, scale(w * law.c_t, slip)));
        let (longest, is) = (law.mu * law.k / law.k_t, length(*spring));
        *spring = scale((longest / is).min(1.0), *spring);
    }
    *twist += dt * dot(spin, n);
    let (stiffness, holds) = (w * law.k_t * area / 6.0, 0.38 * most * area.sqrt());
    *twist = twist.clamp(-holds / stiffness, holds / stiffness);
    let force = add(scale(normal, n), friction);
    let turning = sub(scale(-law.c * w * area / 12.0, spin), scale(stiffness * *twist, n));
    let torque = add(add(cross(arm, force), scale(law.k, contact.moment)), turning);
    (force, torque, size.min(most), most)
}

/// A unit quaternion, rotated by a small rotation vector.
fn turned(q: [f64; 4], by: [f64; 3]) -> [f64; 4] {
    let half = scale(0.5, by);
    let turned = crate::contact::after([half[0], half[1], half[2], 1.0], q);
    let size = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
    turned.map(|x| x / size)
}
