//! Begin, persist and end events, in the order of keys.

use core::mem::take;
use core::ops::Range;

use super::records::{BEGIN, END, Event, Link, PERSIST, places};
use crate::error::{Error, Result, What};
use crate::mesh::NONE;

/// The matched contacts of a body pair in both steps.
pub(crate) struct Told<'t> {
    /// The pair's contacts in the last step.
    pub before: Range<usize>,
    /// The pair's contacts in this step.
    pub after: Range<usize>,
    /// The link of each contact of this step.
    pub links: &'t [Link],
    /// For each contact of the last step, the contact of this step that continues it.
    pub successors: &'t [u32],
}

/// Output of events. Events without room are counted.
pub(crate) struct List<'e> {
    to: Option<&'e mut [Event]>,
    count: usize,
}

impl<'e> List<'e> {
    pub fn new(to: Option<&'e mut [Event]>) -> Self {
        List { to, count: 0 }
    }

    fn push(&mut self, event: Event) {
        if let Some(to) = self.to.as_mut().and_then(|all| all.get_mut(self.count)) {
            *to = event;
        }
        self.count += 1;
    }

    /// Writes the events of a body pair, ordered by the second halves of keys.
    pub fn tell(&mut self, pair: &Told<'_>, old: impl Fn(usize) -> u64, new: impl Fn(usize) -> u64) {
        let mut of_pair = match (pair.before.is_empty(), pair.after.is_empty()) {
            (true, _) => BEGIN,
            (_, true) => END,
            _ => PERSIST,
        };
        let mut push = |contact, now, last| self.push(Event { contact, pair: take(&mut of_pair), now, last });
        let mut ended = places(pair.successors, &pair.before, |next| *next == NONE);
        let mut end = ended.next();
        for j in pair.after.clone() {
            while let Some(i) = end.filter(|i| old(*i) < new(j)) {
                push(END, NONE, i as u32);
                end = ended.next();
            }
            let last = pair.links.get(j).map_or(NONE, |link| link.origin);
            push(if last == NONE { BEGIN } else { PERSIST }, j as u32, last);
        }
        end.into_iter().chain(ended).for_each(|i| push(END, NONE, i as u32));
    }

    /// Number of events.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) if events are wanted and did not fit.
    pub fn full(self) -> Result<usize> {
        match self.to {
            Some(to) if to.len() < self.count => Err(Error::capacity(What::Events, self.count as u64, to.len() as u64)),
            _ => Ok(self.count),
        }
    }
}
