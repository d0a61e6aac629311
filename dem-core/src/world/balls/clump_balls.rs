//! Balls as rows of their own if some bodies are compounds of balls: the body of each ball, and its position.
//!
//! Without compounds, each body is one row, and this module is not used.

use super::ball_rows;
use super::ball_rows::{PART, Points, plane_of};
use super::list_state::{Leash, OWN, Place};
use super::motion::Moving;
use super::pair_kernel::{Rate, rates_mut};
use super::pieces::{BAD, BODIES, FAST, HALO, LEFT, Part};
use super::rotation_since::{STILL, since, warm_body};
use super::scratch::Hot;
use super::view::Walk;
use crate::body::{self, Body, is_bounded, power};
use crate::broad::Motion;
use crate::contact::regions::Mode;
use crate::contact::shape::{self, Shape};
use crate::detect::Wrench;
use crate::error::What;
use crate::exec::{Cut, CutMut, Executor, each, pieces};
use crate::real::{Real, max, min};
use crate::vector::{add, dot, scale};
use crate::world::block::World;
use crate::world::checked_slice::{prefix, wrapped};
use crate::world::free_motion::pushed;
use crate::world::step_inputs::StepInputs;

/// Whether these parts are balls as steps of balls take them. A single part is not: laws treat it as a ball with a spring of rolling, which these
/// steps do not have.
pub(super) fn are_balls(parts: &[shape::Part<'_>], factor: f64) -> bool {
    let is_ball = |part: &shape::Part<'_>| {
        let (Shape::Sphere { radius, halo }, factor) = (part.shape, factor * part.scale) else { return false };
        let reach = factor * (radius + halo);
        let is_some = part.scale > 0.0 && radius >= 0.0 && halo >= 0.0 && reach > 0.0 && reach.is_finite();
        is_some && part.pose.check(What::Pose).is_ok()
    };
    parts.len() > 1 && parts.iter().all(is_ball)
}

/// Computes the positions of a body's balls.
fn put_balls(body: &Body, arms: &[[f64; 3]], places: &mut [[f64; 4]]) {
    let Ok(turn) = body.pose().transform(What::Pose) else { return };
    for (place, arm) in places.iter_mut().zip(arms) {
        let [x, y, z] = turn.apply(*arm);
        *place = [x, y, z, place[3]];
    }
}

/// Largest reach of bodies and of balls.
pub(super) struct Reach {
    /// From the centre of a body.
    pub body: f64,
    pub ball: f64,
}

impl World<'_> {
    /// The number of balls of all bodies; 0 if each body is one ball. None if compounds need general steps.
    pub(super) fn count_points<L>(&self, drive: &StepInputs<'_, L>, n: usize) -> Option<usize> {
        let (mut all, mut some) = (0, false);
        for (shape, groups) in prefix(self.shapes, n).iter().zip(prefix(self.groups, n)) {
            match drive.shapes.get(*shape as usize) {
                Some(Shape::Compound(parts)) if *groups != 0 => (all, some) = (all + parts.len(), true),
                _ => all += 1,
            }
        }
        let settings = &drive.settings;
        // Watching needs contacts of records.
        let is_usual = self.state[0].watches == 0 && settings.grouping.mode != Mode::Bodies && settings.bound >= 0.0;
        if some { is_usual.then_some(all) } else { Some(0) }
    }

    /// Copies bodies and their balls to the memory that the walk reads.
    pub(super) fn warm_points<L>(&mut self, drive: &StepInputs<'_, L>, hot: &mut Hot<'_>, n: usize) -> Reach {
        let goes_on = self.ball_head[0].holds == OWN;
        let poses = self.scene.as_ref().committed().poses();
        let rates = rates_mut(self.moved);
        let mut largest = Reach { body: 0.0, ball: 0.0 };
        let mut at = 0;
        for (i, (body, rate)) in prefix(self.bodies, n).iter().zip(rates.iter_mut()).enumerate() {
            let shape = self.shapes.get(i).and_then(|shape| drive.shapes.get(*shape as usize));
            let there = self.groups.get(i).is_some_and(|groups| *groups != 0);
            let shape = shape.filter(|_| there).zip(self.scales.get(i).copied());
            let turn = match poses.get(i) {
                _ if goes_on => rate.turn,
                Some(before) => since(before.orientation, body.orientation),
                None => STILL,
            };
            hot.firsts.get_mut(i).into_iter().for_each(|first| *first = at as u32);
            let rows = hot.places.iter_mut().zip(&mut *hot.owners).zip(hot.radii.iter_mut().zip(&mut *hot.arms));
            if let Some((Shape::Compound(parts), factor)) = shape {
                let (mut reach, mut least) = (0.0, f64::INFINITY);
                for (((place, owner), (radii, arm)), part) in rows.skip(at).zip(*parts) {
                    let Shape::Sphere { radius, halo } = part.shape else { continue };
                    let all = factor * part.scale;
                    (*owner, *radii) = (i as u32 | PART, [radius * all, halo * all]);
                    *arm = part.pose.position.map(|x| x * factor);
                    let own = radii[0] + radii[1];
                    *place = [0.0, 0.0, 0.0, own];
                    largest.ball = max(largest.ball, own);
                    (reach, least) = (max(reach, Real::sqrt(dot(*arm, *arm)) + own), min(least, radii[1]));
                }
                let all = at..at + parts.len();
                let places = hot.places.get_mut(all.clone()).unwrap_or_default();
                put_balls(body, hot.arms.get(all).unwrap_or_default(), places);
                *rate = Rate { radius: reach, halo: least, turn };
                (largest.body, at) = (max(largest.body, reach), at + parts.len());
                continue;
            }
            for ((place, owner), (radii, arm)) in rows.skip(at).take(1) {
                *rate = warm_body(shape, body, turn);
                *place = ball_rows::place(body, rate);
                (*owner, *radii, *arm) = (i as u32, [rate.radius, rate.halo], [0.0; 3]);
                let reach = if place[3] < f64::INFINITY { place[3] } else { 0.0 };
                largest = Reach { body: max(largest.body, reach), ball: max(largest.ball, reach) };
            }
            at += 1;
        }
        hot.firsts.get_mut(n).into_iter().for_each(|first| *first = at as u32);
        for (chunk, end) in hot.point_ends.iter_mut().enumerate() {
            *end = hot.firsts.get(((chunk + 1) * BODIES).min(n)).copied().unwrap_or_default();
        }
        largest
    }
}

/// A body with its balls.
struct Owned<'o> {
    places: &'o mut [[f64; 4]],
    arms: &'o [[f64; 3]],
    is_compound: bool,
    rate: &'o mut Rate,
    body: &'o mut Body,
}

impl Walk<'_> {
    /// As [`Walk::advance`], if some bodies are compounds. `ends`: ends of the balls of chunks of bodies.
    pub(super) fn advance_points(
        &self,
        exec: &dyn Executor,
        rows: Moving<'_>,
        (points, ends): (&Points<'_>, &[u32]),
        leash: Leash,
        parts: &mut [Part],
    ) -> Part {
        let Moving { places, rates, bodies, sums, loads, means, listed } = rows;
        let ends = ends.get(..bodies.len().div_ceil(BODIES)).unwrap_or_default();
        let all = (
            pieces(places, ends),
            CutMut(rates, BODIES),
            CutMut(bodies, BODIES),
            Cut(sums, BODIES),
            Cut(loads, BODIES),
            CutMut(means, BODIES),
            CutMut(&mut *parts, 1),
        );
        each(exec, all, |chunk, (mut places, rates, bodies, sums, loads, means, part)| {
            let (mut own, mut means) = (Part::default(), means.iter_mut());
            let rows = rates.iter_mut().zip(bodies).zip(sums.iter().zip(loads));
            for (i, ((rate, body), (sum, load))) in (chunk * BODIES..).zip(rows) {
                let range = points.of(i);
                let count = range.len().min(places.len());
                let (here, rest) = core::mem::take(&mut places).split_at_mut(count);
                places = rest;
                let mean = means.next();
                if !body.is_dynamic() {
                    own.add_driven(body, sum, self.dt);
                    if let Some(mean) = mean {
                        mean.force = add(mean.force, scale(sum.force, self.dt));
                        mean.torque = add(mean.torque, scale(sum.torque, self.dt));
                    }
                }
                let arms = points.arms.get(range.clone()).unwrap_or_default();
                let is_compound = points.is_part(range.start);
                self.advance_owned(Owned { places: here, arms, is_compound, rate, body }, (sum, load), &mut own);
                if self.has_loads && body.is_dynamic() {
                    own.power += power(load, body);
                }
                let listed = listed.get(range).unwrap_or_default();
                own.what |= self.look_at_points((here, body, rate, load), is_compound, listed, leash);
            }
            part.fill(own);
        });
        Part::of_all(parts)
    }

    fn advance_owned(&self, own: Owned<'_>, (sum, load): (&Wrench, &Wrench), part: &mut Part) {
        let Owned { places, arms, is_compound, rate, body } = own;
        if !is_compound {
            let [place] = places else { return };
            self.advance_body((rate, body), (sum, load), &mut part.works);
            *place = ball_rows::place(body, rate);
            return;
        }
        if body.motion > Motion::Kinematic as u32 {
            // A rotation by the host since the last step rotates springs only once.
            rate.turn = STILL;
            return;
        }
        let all = Wrench { force: add(sum.force, load.force), torque: add(sum.torque, load.torque) };
        let before = body.orientation;
        let works = body::advance_one(body, &all, &body::Step { gravity: self.gravity, ..body::Step::new(self.dt) });
        part.works = [part.works[0] + works.wrenches, part.works[1] + works.gravity];
        part.rotation += works.rotation;
        body.position = wrapped(body.position, self.images.periods);
        rate.turn = since(before, body.orientation);
        put_balls(body, arms, places);
    }

    /// As [`Walk::look_at_bodies`], for one body with its balls.
    fn look_at_points(
        &self,
        (places, body, rate, load): (&[[f64; 4]], &Body, &Rate, &Wrench),
        is_compound: bool,
        listed: &[Place],
        leash: Leash,
    ) -> u64 {
        let Body { velocity, angular_velocity: spin, .. } = body;
        let mut what = if rate.halo > 0.0 { HALO } else { 0 };
        let [v, w] = pushed(body, Some(load), self.gravity, self.dt);
        // Rotation moves a point by at most its angle times the reach.
        let arm = if is_compound { rate.radius } else { 0.0 };
        let way = self.dt * (Real::sqrt(dot(v, v)) + arm * Real::sqrt(dot(w, w)));
        what |= if way > 0.5 * rate.halo { FAST } else { 0 };
        if !(is_bounded(&body.position) && is_bounded(velocity) && is_bounded(spin)) {
            what |= BAD;
        }
        for (place, before) in places.iter().zip(listed) {
            let stays = leash.holds(&self.images, plane_of(place, rate), place[3] == f64::INFINITY, *before);
            what |= if stays { 0 } else { LEFT };
        }
        what
    }

    /// The same for all bodies.
    pub(super) fn look_at_all_points(
        &self,
        places: &[[f64; 4]],
        (bodies, rates, loads): (&[Body], &[Rate], &[Wrench]),
        points: &Points<'_>,
    ) -> u64 {
        bodies.iter().zip(rates).zip(loads).enumerate().fold(LEFT, |what, (i, ((body, rate), load))| {
            let own = points.of(i);
            let (is_compound, places) = (points.is_part(own.start), places.get(own).unwrap_or_default());
            what | self.look_at_points((places, body, rate, load), is_compound, &[], Leash::default())
        })
    }
}
