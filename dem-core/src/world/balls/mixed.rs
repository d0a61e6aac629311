//! Balls beside other bodies: pairs of balls without records, within a step that finds all other contacts.
//!
//! The scene leaves out pairs of balls and half-spaces, and the law is applied to the contacts of the scene. Then a walk over these pairs
//! follows, as in steps of balls only, and adds their forces to the wrench of each body. The rest of the step is the same. The last step of a
//! window finds all contacts.

use super::images::Images;
use super::list_state::{BESIDE, TAKEN};
use super::pair_kernel::rates_of;
use super::pieces::{BAD, LEFT};
use super::scratch::Hot;
use super::view::Walk;
use super::{Between, Forces, is_long, thin};
use crate::body::Body;
use crate::contact::shape::Shape;
use crate::error::Result;
use crate::exec::within;
use crate::real::max;
use crate::vector::add;
use crate::world::block::World;
use crate::world::checked_slice::prefix;
use crate::world::law::Law;
use crate::world::step_inputs::StepInputs;

/// With fewer balls, all contacts have records.
const FEW: usize = 32;

impl World<'_> {
    /// Whether pairs of balls of the next step need no records, in a world with other bodies.
    #[inline(never)]
    pub(in crate::world) fn has_balls_beside<L: Law>(&self, drive: &StepInputs<'_, L>) -> bool {
        let (Some(laws), n) = (drive.law.known(), self.state[0].slots as usize) else { return false };
        let (mut balls, mut others, mut reach) = (0, 0, 0.0);
        for (i, (shape, scale)) in self.shapes.iter().zip(&*self.scales).enumerate().take(n) {
            let there = self.groups.get(i).is_some_and(|groups| *groups != 0);
            match drive.shapes.get(*shape as usize) {
                Some(Shape::Sphere { radius, halo }) if there => {
                    (balls, reach) = (balls + 1, max(reach, scale * (radius + halo)));
                }
                Some(Shape::HalfSpace { .. }) => {}
                _ => {
                    others += usize::from(there);
                    continue;
                }
            }
            if !self.is_round(i, drive, &laws) {
                return false;
            }
        }
        let shortest = self.state[0].setup.shortest_period();
        balls >= FEW && others > 0 && is_long(shortest, reach) && !self.has_turned_planes(drive, n)
    }

    /// Adds the forces of pairs of balls, and of balls and half-spaces, to the wrenches of the step. Returns whether it did: numbers that are NaN
    /// or too large are left to a step with records.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) and others of the search. The call can be repeated.
    // Out of line, so that phases of a step that need much stack are not called on top of this frame.
    #[inline(never)]
    pub(in crate::world) fn add_balls<L: Law>(
        &mut self,
        drive: &StepInputs<'_, L>,
        scratch: &mut [u8],
    ) -> Result<bool> {
        let setup = self.state[0].setup;
        let (Some(laws), n) = (drive.law.known(), self.state[0].slots as usize) else { return Ok(false) };
        let (mut hot, threads) = Hot::take(drive.exec, scratch, &self.sizes, 0)?;
        let [least, reach] = self.warm(drive, n);
        let shortest = setup.shortest_period();
        let walk = Walk {
            isa: drive.isa,
            laws,
            images: Images::new(setup.periods, shortest),
            gravity: setup.gravity,
            bodies: n,
            points: 0,
            reach: (least == reach).then_some(reach),
            threads,
            bound: 0.0,
            spread: false,
            all_move: prefix(self.bodies, n).iter().all(Body::is_dynamic),
            trusts_loads: false,
            has_loads: true,
            thinnest: 1e-3 * reach,
            dt: self.state[0].dt,
        };
        let mut skin = thin(drive.settings.skin, reach, shortest);
        let what = {
            let (listed, leash) = (prefix(self.ball_listed, n), self.ball_list[0].leash());
            // The check for bodies that are too fast was made before.
            walk.look_at_bodies((prefix(self.bodies, n), rates_of(self.moved), &[]), listed, leash)
        };
        if what & BAD != 0 {
            return Ok(false);
        }
        let asked = (what & LEFT == 0, TAKEN);
        let mut between = Between::new(&mut skin, self.ball_head[0].touching);
        let forces = within(drive.exec, true, || self.forces(drive, &mut hot, &walk, &mut between, asked));
        let Some(Forces { near, taken, .. }) = forces? else { return Ok(false) };
        for (wrench, sum) in self.wrenches.iter_mut().zip(&*self.totals).take(n) {
            (wrench.force, wrench.torque) = (add(wrench.force, sum.force), add(wrench.torque, sum.torque));
        }
        self.watch_balls(drive, &hot, &walk, near);
        self.state[0].taken_by_balls = taken;
        self.ball_head[0].trial = near;
        Ok(true)
    }

    /// Makes the springs of balls those of the accepted step. Returns the energies dissipated by damping and friction.
    pub(in crate::world) fn keep_balls(&mut self) -> [f64; 2] {
        let head = &mut self.ball_head[0];
        // If springs were taken in this step, they were the scene's before.
        head.stored = if head.holds == BESIDE { head.stored } else { 0.0 };
        head.holds = BESIDE;
        head.goes_on(head.trial, self.state[0].taken_by_balls)
    }
}
