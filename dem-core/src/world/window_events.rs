//! Results over all steps of a window: pairs of bodies that began and ended to touch, the smallest gap, the fastest approach, statuses.
//!
//! They are computed only if the host asks ([`World::watch`]). They change no bit of the motion, except in worlds of compounds of balls that
//! would take steps without records: such worlds then take general steps.

use core::cmp::Ordering;
use core::iter::Peekable;

use super::balls::{Named, Touched};
use super::block::{State, World, WorldRef};
use super::checked_slice::put;
use super::free_motion;
use super::id_table::{self, Names};
use super::pair_event::{PairEvent, Watched};
use crate::contact::SurfaceMotion;
use crate::contact::history::{BEGIN, END};
use crate::detect::ScenePair;
use crate::error::{Error, Result, What};

/// Pairs of bodies that touch, in the order of their ids: those of a scene, and those without records.
pub(super) struct Pairs<'p> {
    pub scene: &'p [ScenePair],
    pub touches: Touched<'p>,
}

impl<'p> Pairs<'p> {
    fn names(self) -> impl Iterator<Item = Named> + use<'p> {
        let scene = self.scene.iter().filter(|pair| !pair.contacts().is_empty());
        let scene = scene.map(|pair| Named { ids: pair.ids, slots: [pair.a, pair.b] });
        let (mut one, mut other) = (scene.peekable(), self.touches.peekable());
        let all = core::iter::from_fn(move || if is_first(&mut one, &mut other) { one.next() } else { other.next() });
        // Images of two bodies are one pair.
        let mut last = None;
        all.filter(move |pair| last.replace(pair.ids) != Some(pair.ids))
    }
}

/// Whether the next item of the first list comes first.
fn is_first(
    one: &mut Peekable<impl Iterator<Item = Named>>,
    other: &mut Peekable<impl Iterator<Item = Named>>,
) -> bool {
    match (one.peek(), other.peek()) {
        (Some(one), Some(other)) => one.ids <= other.ids,
        (one, _) => one.is_some(),
    }
}

impl World<'_> {
    /// Sets whether all steps of windows are watched from now on. If so, [`WorldRef::events`] has the pairs of bodies that begin or end to touch
    /// in any of them. [`Report`](super::Report) then has the smallest gap, the fastest approach and all statuses of a window. Otherwise the
    /// report has those of the last step, and there are no events. A step that a host polls by itself counts as a window.
    ///
    /// Watching changes no bit of the motion. Worlds of only compounds of balls, balls and half-spaces are an exception: they then take general
    /// steps, whose results agree within rounding.
    ///
    /// Events need [room](super::WorldSizes::events). If there is too little, a step ends with
    /// [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Events`], and continues with more.
    ///
    /// Errors: [`Kind::Unsupported`](crate::error::Kind::Unsupported) for [`What::Phase`] within a step and [`What::Window`] within a
    /// window. After an error nothing changes. Cost: none here; in each step a pass over contacts.
    pub fn watch(&mut self, on: bool) -> Result<()> {
        self.idle()?;
        self.state[0].watches = u32::from(on);
        Ok(())
    }

    /// Clears all results.
    pub(super) fn watch_anew(&mut self) {
        (self.state[0].watched, self.state[0].watching) = (Watched::NONE, Watched::NONE);
    }

    /// Adds the results of the present step, before it is complete.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Events`]. The call can be repeated.
    #[inline(never)]
    pub(super) fn watch_step(&mut self, beside: bool) -> Result<()> {
        let State { watches, mut watching, dt, .. } = self.state[0];
        if watches == 0 {
            return Ok(());
        }
        let (step, bodies) = (self.scene.as_ref().now(), &*self.bodies);
        for pair in step.pairs() {
            let motion = |i: u32, pose: &crate::pose::Pose| {
                let body = bodies.get(i as usize);
                let [velocity, spin] = body.map_or([[0.0; 3]; 2], free_motion::own);
                SurfaceMotion { centre: pose.position, velocity, spin, ..SurfaceMotion::default() }
            };
            let [a, b] = step.poses_of(pair);
            let (own, other) = (motion(pair.a, &a), motion(pair.b, &b));
            for contact in step.contacts().get(pair.contacts()).unwrap_or_default() {
                let velocity = own.rigid_at(contact.position) - other.rigid_at(contact.position);
                watching.add(contact, velocity.to_array(), dt, [pair.a, pair.b]);
            }
        }
        self.state[0].watching = watching;
        self.tell((true, true), true, if beside { self.ball_head[0].trial } else { 0 })
    }

    /// Writes the pairs that begin and end. Before the step, pairs come from the committed step of the scene (`was_scene`) and from the list
    /// (`was_list`). Now they come from the trial step of the scene (`is_scene`), and from the list's `near` pairs.
    pub(super) fn tell(&mut self, (was_scene, was_list): (bool, bool), is_scene: bool, near: u32) -> Result<()> {
        let n = self.state[0].slots as usize;
        let (ids, head, scene) = (super::checked_slice::prefix(self.ids, n), self.ball_head[0], self.scene.as_ref());
        let pairs = |pairs, wanted: bool| if wanted { pairs } else { &[][..] };
        let [before, now] = super::balls::touched(&head, [self.ball_even, self.ball_odd], ids, was_list, near);
        let mut old = Pairs { scene: pairs(scene.committed().pairs(), was_scene), touches: before }.names().peekable();
        let mut new = Pairs { scene: pairs(scene.now().pairs(), is_scene), touches: now }.names().peekable();
        let State { time, watched, named, .. } = self.state[0];
        let table = if self.id_count[0] == named { id_table::table(self.ball_listed) } else { &[] };
        let mut count = watched.events;
        loop {
            let (what, pair) = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(before), Some(now)) => match before.ids.cmp(&now.ids) {
                    Ordering::Equal => {
                        _ = (old.next(), new.next());
                        continue;
                    }
                    Ordering::Less => (END, old.next()),
                    Ordering::Greater => (BEGIN, new.next()),
                },
                (Some(_), None) => (END, old.next()),
                (None, Some(_)) => (BEGIN, new.next()),
            };
            let Some(Named { ids: own_ids, slots }) = pair else { break };
            // A host that has removed a body gets no event for it.
            let own = [0, 1].map(|k| Names { ids, groups: self.groups, table }.now(own_ids[k], slots[k]));
            if let [Some(a), Some(b)] = own {
                put(self.events, count as usize, PairEvent { ids: own_ids, bodies: [a, b], what, spare: 0, time });
                count = count.saturating_add(1);
            }
        }
        if count as usize > self.events.len() {
            return Err(Error::capacity(What::Events, count.into(), self.events.len() as u64));
        }
        self.state[0].watching.events = count;
        Ok(())
    }
}

impl<'m> WorldRef<'m> {
    /// Whether all steps of windows are watched.
    pub fn watches(&self) -> bool {
        self.state[0].watches != 0
    }

    /// The pairs of bodies that began and ended to touch in the last window (or in the last step that the host polled). They are in the
    /// order of steps, then of ids. Empty unless the world [watches](World::watch). A pair that began and ended has both events. Two bodies
    /// are one pair, through however many periodic images they touch; a body and its own images are a pair, too. Bodies that the host has
    /// removed have no events.
    pub fn events(&self) -> &'m [PairEvent] {
        self.events.get(..self.state[0].watched.events as usize).unwrap_or_default()
    }
}
