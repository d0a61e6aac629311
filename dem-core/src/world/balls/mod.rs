//! Steps without records, for worlds with only balls, compounds of balls and half-spaces.
//!
//! If the law is one with known formulas ([`Law::known`]), this module computes all steps of a window except the last. A neighbour list with a
//! skin holds the pairs, with the springs beside each pair. A walk over the list computes forces, several pairs at a time. There are no records,
//! no matching, and no springs of records. The results are those of the general step, up to rounding. The law is that of `force::ball_law`, with
//! the formulas of [`Laws`] for a pair with one contact. The springs rotate by the same rotations. Pairs of balls beside other bodies are
//! computed in the same way, within steps that find all other contacts (`mixed`).
//!
//! # Threads
//! A step is one walk over the list, in which forces are added to both bodies. Bodies move a little ahead of their pairs, so the same walk finds
//! the forces of the next step (`fused_pass`). With several threads, each has a part of the bodies and of the list, and computes forces of pairs
//! across two parts a second time (`thread_split`). So no thread writes to another thread's bodies, and all variants add up in the same order.
//!
//! # Memory
//! Besides the state of bodies, forces depend on data that is kept in the memory of a general step's results ([`Rate`]). Sums are kept where
//! general steps keep theirs. General steps do not use either memory meanwhile. The search for pairs uses the memory of later outputs of the
//! step: sums, positions at which bodies were listed, and springs that are not those of the accepted state (`neighbour_list`). With
//! [`Records::None`], no step of a world of balls only has records, and springs stay here from window to window.
//!
//! # Order
//! Pairs are in the order of the ids of A and B, and a body adds forces in the order of its partners' ids. Only the nearest image of a pair
//! counts, so no other image may be near; for shorter periods general steps are used. So no bit depends on the age of the list, its skin, the
//! number of threads or the instruction set.
//!
//! # Springs
//! During such steps, springs are kept with the slots of pairs that touch, in the order of the list. When general steps continue, the springs
//! become those of contacts of the scene's committed step, as if that step had found them. Until such a step is accepted they also stay here, so
//! that it can be taken back.
//!
//! # Compounds
//! If some bodies are compounds of balls, each ball is a row of its own, with the slot of its body (`points`). The list has pairs of such rows.
//! Pairs of the same two bodies are consecutive and in one chunk. If one of both bodies is a compound, their pairs are computed together
//! (`clump_pairs`). If there is no compound, rows are bodies.
//!
//! # Errors
//! A step reads bodies, marks and springs, and writes to scratch, so an error changes nothing. If there is too little room, the error says so,
//! and the same step is repeated with more room. For all other errors (loads that are not finite, bodies too far away), the general step is used,
//! which reports them.

mod ball_rows;
mod cell_list;
mod clump_balls;
mod clump_matching;
mod clump_pairs;
mod clump_spring_exchange;
mod clump_springs;
mod exchange;
mod force_limits;
mod force_pass;
mod fused_pass;
mod images;
mod list_filter;
pub(in crate::world) mod list_state;
mod mixed;
mod motion;
mod near_pairs;
mod neighbour_list;
mod pair_forces;
mod pair_kernel;
mod pieces;
mod rotation_since;
mod scalar_pairs;
mod scratch;
mod search_scratch;
mod springs;
mod steps;
mod thread_pass;
mod thread_split;
mod touching_pairs;
mod view;
mod watch;

use self::ball_rows::reach;
use self::clump_balls::Reach;
pub(super) use self::exchange::{OwnTouch, join, turn};
use self::images::Images;
pub(super) use self::neighbour_list::short_of_list;
pub(super) use self::pair_kernel::{Rate, room_for_rates};
use self::pair_kernel::{TURNED, rates_mut, rates_of};
use self::steps::{Between, Forces};
use self::touching_pairs::OF_PARTS;
pub(super) use self::watch::{Named, Touched, touched};
use super::block::{OF_BALLS, Phase, Records, State, World};
use super::checked_slice::prefix;
use super::law::Law;
use super::step_inputs::StepInputs;
use crate::body::Body;
use crate::broad::Motion;
use crate::contact::shape::Shape;
use crate::detect::Wrench;
use crate::error::{Error, Result, What};
use crate::exec::{Cut, CutMut, each, within};
use crate::force::Laws;
use crate::real::{max, min};
use list_state::OWN;
pub(super) use list_state::{Head, Listed, Place, WORDS};
use pieces::{ACTING, BODIES, PAIRS};
use rotation_since::{STILL, since, warm_body};
pub(super) use scratch::scratch;
use scratch::{Hot, most_points};
use touching_pairs::enough;
use view::Walk;

// Chunks of pairs, each with its own sum, contain a whole number of acting groups; each group has a whole number of words of marks.
const _: () = assert!(PAIRS.is_multiple_of(ACTING) && ACTING.is_multiple_of(pieces::MARKS));

/// Whether periods are so long that at most one image of a ball is near another ball.
fn is_long(shortest: f64, reach: f64) -> bool {
    shortest >= 2.1 * (2.0 * reach)
}

/// The skin of the list: that of the settings, reduced if periods are too short for it.
fn thin(skin: f64, reach: f64, shortest: f64) -> f64 {
    min(if skin > 0.0 { skin } else { 0.1 * reach }, shortest / 2.001 - 2.0 * reach)
}

impl World<'_> {
    /// Takes as many steps of the window as possible in this form, except the last step if that needs records. Returns whether it took any.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for candidates, scratch and contacts.
    #[inline(never)]
    pub(super) fn ball_steps<L: Law>(&mut self, drive: &StepInputs<'_, L>, scratch: &mut [u8]) -> Result<bool> {
        let State { setup, slots, window, .. } = self.state[0];
        let left = window.parts.saturating_sub(window.next + u64::from(self.as_ref().records() == Records::Last));
        let (Some(laws), true) = (drive.law.known(), left >= 1 && window.inner == 1) else { return Ok(false) };
        if self.state[0].phase() != Phase::Idle || setup.order != 0 || setup.rotation != 0 {
            return Ok(false);
        }
        let n = slots as usize;
        if !(0..n).all(|i| self.is_round(i, drive, &laws)) || self.has_turned_planes(drive, n) {
            return Ok(false);
        }
        let Some(points) = self.count_points(drive, n) else { return Ok(false) };
        if self.ball_head[0].holds != OWN || (self.ball_head[0].words == OF_PARTS) != (points > 0) {
            self.give_springs()?;
            if self.has_copied_springs() {
                // A general step comes first.
                return Ok(false);
            }
        }
        let most = most_points(&self.sizes);
        if points as u64 > most {
            let bodies = u64::from(self.sizes.bodies);
            return Err(Error::capacity(What::Candidates, points as u64 - bodies, most - bodies).at(0, OF_BALLS));
        }
        let (held, springs) = (self.ball_head[0].holds == OWN, self.state[0].springs);
        let (mut hot, threads) = Hot::take(drive.exec, scratch, &self.sizes, points)?;
        let reaches = if points == 0 { self.warm(drive, n) } else { [0.0; 2] };
        let Reach { body, ball: reach } = match points {
            0 => {
                let [_, reach] = reaches;
                Reach { body: reach, ball: reach }
            }
            _ => self.warm_points(drive, &mut hot, n),
        };
        // The same steps are taken here for any skin.
        let shortest = setup.shortest_period();
        if !is_long(shortest, body) {
            return Ok(false);
        }
        let mut skin = thin(drive.settings.skin, reach, shortest);
        let walk = Walk {
            isa: drive.isa,
            laws,
            images: Images::new(setup.periods, shortest),
            gravity: setup.gravity,
            bodies: n,
            points,
            reach: (reaches[0] == reaches[1] && points == 0).then_some(reach),
            threads,
            bound: drive.settings.bound,
            spread: drive.settings.spread || drive.law.spread(),
            all_move: prefix(self.bodies, n).iter().all(Body::is_dynamic),
            trusts_loads: self.has_small_loads(n),
            has_loads: self.has_loads(n),
            thinnest: 1e-3 * reach,
            dt: window.length / window.parts as f64,
        };
        if points > 0 {
            // Positions of listed balls are known only within a call.
            self.ball_list[0].whole = 0;
        }
        let (taken, done) =
            within(drive.exec, true, || self.take_steps(drive, &mut hot, &walk, &mut skin, (left, held)));
        if points > 0 {
            self.ball_list[0].whole = 0;
        }
        if taken > 0 {
            self.leave_springs();
        } else if !held {
            // Springs are still with the contacts of the committed step.
            (self.ball_head[0].holds, self.state[0].springs) = (0, springs);
        }
        self.cool(n, taken > 0, taken == left);
        done?;
        if self.as_ref().records() == Records::Last {
            self.give_springs()?;
            self.leave_springs();
        }
        self.give_springs_of_parts()?;
        Ok(taken > 0)
    }

    /// Whether a body is suited for these steps, or a free slot.
    fn is_round<L>(&self, i: usize, drive: &StepInputs<'_, L>, laws: &Laws<'_>) -> bool {
        let (Some(body), Some(shape)) = (self.bodies.get(i), self.shapes.get(i)) else { return false };
        let fixed = body.motion == Motion::Static as u32;
        if body.check(0).is_err() {
            return false;
        }
        if self.groups.get(i).is_none_or(|groups| *groups == 0) {
            return fixed;
        }
        if self.materials.get(i).is_none_or(|material| *material as usize >= laws.materials()) {
            return false;
        }
        let [a, b, c] = body.moments;
        match drive.shapes.get(*shape as usize) {
            Some(Shape::Sphere { radius, halo }) => *radius + *halo > 0.0 && (!body.is_dynamic() || a == b && b == c),
            Some(Shape::HalfSpace { .. }) => fixed,
            Some(Shape::Compound(parts)) => clump_balls::are_balls(parts, self.scales.get(i).copied().unwrap_or(1.0)),
            _ => false,
        }
    }

    /// Whether the host has rotated a half-space since the last step: only a general step rotates springs with it.
    fn has_turned_planes<L>(&self, drive: &StepInputs<'_, L>, n: usize) -> bool {
        let bodies = prefix(self.bodies, n).iter().zip(&*self.shapes);
        if self.ball_head[0].holds == OWN {
            return bodies.zip(rates_of(self.moved)).any(|((body, shape), rate)| {
                let flat = matches!(drive.shapes.get(*shape as usize), Some(Shape::HalfSpace { .. }));
                flat && rate.radius == TURNED && rate.turn != body.orientation
            });
        }
        let poses = self.scene.as_ref().committed().poses();
        bodies
            .zip(poses)
            .filter(|((_, shape), _)| matches!(drive.shapes.get(**shape as usize), Some(Shape::HalfSpace { .. })))
            .any(|((body, _), pose)| body.orientation != pose.orientation)
    }

    /// Writes the data that the walk reads beside bodies. Returns the smallest and the largest radius with halo, where half-spaces have 0.
    fn warm<L: Law>(&mut self, drive: &StepInputs<'_, L>, n: usize) -> [f64; 2] {
        let (shapes, scales, groups) = (prefix(self.shapes, n), prefix(self.scales, n), prefix(self.groups, n));
        // A window that continues after an error continues with the same bits.
        let goes_on = self.ball_head[0].holds == OWN;
        let poses = self.scene.as_ref().committed().poses();
        let rows = (
            CutMut(rates_mut(self.moved).get_mut(..n).unwrap_or_default(), BODIES),
            Cut(prefix(self.bodies, n), BODIES),
        );
        each(drive.exec, rows, |chunk, (rates, bodies)| {
            for (i, (rate, body)) in (chunk * BODIES..).zip(rates.iter_mut().zip(bodies)) {
                let shape = shapes.get(i).and_then(|shape| drive.shapes.get(*shape as usize));
                let there = groups.get(i).is_some_and(|groups| *groups != 0);
                let shape = shape.filter(|_| there).zip(scales.get(i).copied());
                let turn = match poses.get(i) {
                    _ if goes_on => rate.turn,
                    Some(before) => since(before.orientation, body.orientation),
                    None => STILL,
                };
                *rate = warm_body(shape, body, turn);
            }
        });
        let reaches = prefix(rates_of(self.moved), n).iter().zip(groups).filter(|(_, groups)| **groups != 0);
        let reaches = reaches.map(|(rate, _)| if rate.radius < 0.0 { 0.0 } else { reach(rate) });
        let [least, most] = reaches.fold([f64::INFINITY, 0.0], |all, reach| [min(all[0], reach), max(all[1], reach)]);
        [least, most]
    }

    /// Copies the wrenches of bodies, if steps were taken. If a planned step was not taken, sums may belong to that step, and wrenches are 0.
    fn cool(&mut self, n: usize, moved: bool, all: bool) {
        if !moved {
            return;
        }
        for (wrench, sum) in self.wrenches.iter_mut().zip(&*self.totals).take(n) {
            *wrench = if all { *sum } else { Wrench::default() };
        }
        // The scene knows no contacts any more.
        self.scene.commit_poses(self.state[0].setup.periods, core::iter::empty());
        self.state[0].springs = 0;
    }
}
