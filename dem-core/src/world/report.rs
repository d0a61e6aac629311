//! The results of a step in numbers.

use super::block::{State, TooFast, WorldRef};
use super::free_motion;
use super::pair_event::{Watched, approach};
use crate::body::{Body, Totals, totals};
use crate::contact::SurfaceMotion;
use crate::detect::ScenePair;
use crate::error::Result;
use crate::exec::Executor;
use crate::real::Real;
use crate::vector::sub;

/// Numbers of a step or window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Time of the accepted state.
    pub time: f64,
    /// Length of the step that was begun last.
    pub dt: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Contacts of the last step.
    pub contacts: usize,
    /// Body pairs in contact. Each periodic image is a pair of its own.
    pub pairs: usize,
    /// Energies and momenta of the accepted state, about the origin.
    pub totals: Totals,
    /// Potential energy in gravity, relative to the origin.
    pub potential: f64,
    /// Work of contacts and loads on dynamic bodies in the last step, or in the last window.
    pub work: f64,
    /// Work of gravity.
    pub gravity_work: f64,
    /// Energy stored by normal forces at the start of the last step, as far as the law reports it (its [springs](super::Law)).
    pub stored_normal: f64,
    /// Energy stored by springs of friction, torsion and rolling.
    pub stored_tangential: f64,
    /// Energy dissipated by damping in the last step, or in the last window, as far as the law reports it.
    pub damped: f64,
    /// The same for friction: the work done against it, less the growth of the energy of the springs of all contacts. So it includes the
    /// energy of springs of contacts that have ended. A contact may take over area of a contact whose spring is shorter. Its spring then
    /// holds more energy than was put in, which counts as less dissipation.
    pub rubbed: f64,
    /// The smallest gap of all contacts; infinite if there are none.
    pub least_gap: f64,
    /// The fastest approach at a contact of the last step in its `dt`, over the halo, by the velocities at the end of that step. Up to 0.1 is
    /// accurate.
    pub approach: f64,
    /// Slots of the two bodies with this approach.
    pub approaching: [u32; 2],
    /// An upper bound for the largest angular frequency of all bodies. It uses the stiffness of their contacts in the last step and their inertia
    /// about the arms of these contacts. The law must write this stiffness (the fourth of its [springs](super::Law)); otherwise the
    /// frequency is 0. A step is stable if `frequency dt` is below 2, and accurate at 0.2. It does not include damping: a strong dashpot needs
    /// shorter steps ([`stable_step`](crate::force::stable_step)).
    pub frequency: f64,
    /// The slot of the body with this frequency, and of the body whose contact has the largest part in it.
    pub stiffest: [u32; 2],
    /// Sum over the contacts of dynamic bodies in the last step: the vector from the body's centre of mass to the contact times the force
    /// on the body. Rows belong to components of the vector, columns to those of the force. Divided by the volume of a packing, this is its
    /// mean stress (Love and Weber), negative under compression. The host may add the part of momenta, `- sum m v v`.
    pub virial: [[f64; 3]; 3],
    /// Coordination number: the mean number of other bodies with which a dynamic body exchanges forces. Each counts once, through however many
    /// contacts and periodic images; a body's own images do not count.
    pub coordination: f64,
    /// The result of the check for bodies that are too fast.
    pub too_fast: TooFast,
    /// The smallest gap of all steps of the last window, in a world that [watches](super::World::watch); else of the last step. Infinite if
    /// there is no contact. If it is far below 0, bodies may have passed through each other.
    pub window_gap: f64,
    /// The fastest approach of all these steps, by the velocities at the start of each step; without watching, it is `approach`.
    pub window_approach: f64,
    /// Slots of the two bodies with this approach.
    pub window_approaching: [u32; 2],
    /// All bits of [`status`](crate::contact::Contact::status) of contacts in these steps.
    pub window_status: u32,
    /// Ids of the two bodies with [`least_gap`](Report::least_gap); zeros if there are no contacts.
    pub deepest: [u64; 2],
    /// The part of `work` done by loads, in the last step or window.
    pub load_work: f64,
    /// Work at contacts by the velocities of bodies that no force moves: kinematic bodies, belts and ghosts. It includes the work of [moving
    /// vertices](super::WithSurfaces) of any body.
    pub driven_work: f64,
    /// Spurious energy: the growth of kinetic energy and of stored energy, plus the energy dissipated by damping and friction, less the works of
    /// gravity, loads and driven bodies. The reasons are the length of the step, and laws whose forces have no energy. It is as complete as the
    /// energies that the law reports: without these, all work of contacts counts here. Energies of cohesion count here, too.
    ///
    /// The energy that normal forces have stored at the end of a step is known only when the next step has found contacts. So the number covers
    /// the time from the start of the last step with records before this window to the start of the last such step in it. It is 0 after the first
    /// step, after the first step since the host has added, removed or moved bodies or changed periods or materials, and after a window without
    /// records. Kinematic bodies and ghosts are expected where their velocities lead. Any other displacement of them, another table of
    /// interactions, and meshes of another form count as spurious.
    pub spurious: f64,
}

impl WorldRef<'_> {
    /// Numbers of the last step, or of the window of [`World::advance`](super::World::advance).
    ///
    /// Bodies that were removed or replaced since the last step have no part in `virial`, `coordination`, `frequency` and `approach`.
    ///
    /// Errors: none that an accepted state can have. Cost: a pass over bodies and contacts.
    pub fn report(&self, exec: &dyn Executor) -> Result<Report> {
        let State { time, dt, steps, setup, works, lost, spurious, fast, window, .. } = self.state[0];
        let (works, [damped, rubbed], spurious) = match window.length > 0.0 {
            true => (window.works, window.lost, window.spurious),
            false => (works, lost, spurious),
        };
        let all = totals(exec, self.bodies(), [0.0; 3])?;
        let step = self.scene.now();
        let mut report = Report {
            time,
            dt,
            steps,
            contacts: step.contacts().len(),
            pairs: step.pairs().iter().filter(|pair| !pair.contacts().is_empty()).count(),
            potential: all.potential(setup.gravity),
            totals: all,
            work: works.wrenches,
            gravity_work: works.gravity,
            stored_normal: self.springs().iter().fold(0.0, |sum, springs| sum + springs[3][0]),
            stored_tangential: self.springs().iter().fold(0.0, |sum, springs| sum + springs[4][0]),
            damped,
            rubbed,
            least_gap: f64::INFINITY,
            approach: 0.0,
            approaching: [0; 2],
            frequency: 0.0,
            stiffest: [0; 2],
            virial: [[0.0; 3]; 3],
            coordination: self.coordination(),
            too_fast: fast,
            window_gap: f64::INFINITY,
            window_approach: 0.0,
            window_approaching: [0; 2],
            window_status: 0,
            deepest: [0; 2],
            load_work: works.loads,
            driven_work: works.driven,
            spurious,
        };
        // Bodies of an accepted state have moved since: their velocities are those at the end of the step.
        let bodies = self.bodies();
        for pair in step.pairs() {
            if pair.least_gap < report.least_gap {
                (report.least_gap, report.deepest) = (pair.least_gap, pair.ids);
            }
            let both = self.still_here(pair);
            let poses = step.poses_of(pair);
            let motion = |body: &Body, pose: &crate::pose::Pose| {
                let [velocity, spin] = free_motion::own(body);
                SurfaceMotion { centre: pose.position, velocity, spin, ..SurfaceMotion::default() }
            };
            let motions = both[0].zip(both[1]).map(|(a, b)| (motion(a, &poses[0]), motion(b, &poses[1])));
            let sides = [(both[0], &poses[0], 1.0), (both[1], &poses[1], -1.0)];
            let acts = self.acts().get(pair.contacts()).unwrap_or_default();
            for (contact, act) in step.contacts().get(pair.contacts()).unwrap_or_default().iter().zip(acts) {
                report.window_status |= contact.status;
                for (_, pose, sign) in sides.iter().filter(|(body, ..)| body.is_some_and(Body::is_dynamic)) {
                    let arm = sub(contact.position, pose.position);
                    for (row, way) in report.virial.iter_mut().zip(arm) {
                        row.iter_mut().zip(act.force).for_each(|(sum, force)| *sum += sign * way * force);
                    }
                }
                let Some((own, other)) = &motions else { continue };
                let velocity = own.rigid_at(contact.position) - other.rigid_at(contact.position);
                let approach = approach(contact, velocity.to_array(), dt);
                if approach > report.approach {
                    (report.approach, report.approaching) = (approach, [pair.a, pair.b]);
                }
            }
        }
        for (i, body) in bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            let (square, partner) = self.square_of_frequency(i, body);
            if square > report.frequency {
                (report.frequency, report.stiffest) = (square, [i as u32, partner]);
            }
        }
        report.frequency = Real::sqrt(report.frequency);
        let Watched { least_gap, approach, approaching, status, .. } = self.state[0].watched;
        Ok(match self.watches() {
            true => Report {
                window_gap: least_gap,
                window_approach: approach,
                window_approaching: approaching,
                window_status: status,
                ..report
            },
            false => Report {
                window_gap: report.least_gap,
                window_approach: report.approach,
                window_approaching: report.approaching,
                ..report
            },
        })
    }

    /// Both bodies of a pair of the last step; none in place of one that was removed or replaced.
    pub(super) fn still_here(&self, pair: &ScenePair) -> [Option<&Body>; 2] {
        [(pair.a, pair.ids[0]), (pair.b, pair.ids[1])].map(|(slot, id)| {
            let is_same = self.ids.get(slot as usize) == Some(&id);
            self.bodies().get(slot as usize).filter(|_| is_same)
        })
    }

    /// [`Report::coordination`].
    fn coordination(&self) -> f64 {
        let acts = self.acts();
        let pushes =
            |pair: &ScenePair| acts.get(pair.contacts()).unwrap_or_default().iter().any(|act| act.force != [0.0; 3]);
        // Images of a pair are consecutive in the list.
        let pairs = self.scene.now().pairs().chunk_by(|x, y| x.ids == y.ids);
        let others = pairs.filter(|images| images.iter().any(pushes)).filter_map(<[ScenePair]>::first);
        let ends = others.filter(|pair| pair.ids[0] != pair.ids[1]).flat_map(|pair| self.still_here(pair));
        let count = ends.flatten().filter(|body| body.is_dynamic()).count();
        let dynamic = self.bodies().iter().filter(|body| body.is_dynamic()).count();
        count as f64 / dynamic.max(1) as f64
    }
}
