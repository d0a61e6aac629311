//! What begins, persists and ends, in the order of keys.

use core::mem::take;

use super::pair::Both;
use super::{BEGIN, END, Event, PERSIST, Step, places};
use crate::error::{Error, Result, What};
use crate::mesh::NONE;

/// Events, written as long as there is room and counted always.
pub struct List<'e> {
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

    /// The events of a body pair, ordered by key.
    pub fn tell<L: Step, N: Step>(&mut self, both: &Both<'_, L, N>) {
        let mut of_pair = match (both.before.range.is_empty(), both.after.range.is_empty()) {
            (true, _) => BEGIN,
            (_, true) => END,
            _ => PERSIST,
        };
        let mut push = |contact, now, last| self.push(Event { contact, pair: take(&mut of_pair), now, last });
        let mut ended = places(both.successors, &both.before.range, |next| *next == NONE);
        let mut end = ended.next();
        for j in both.after.range.clone() {
            while let Some(i) = end.filter(|i| both.key(0, *i) < both.key(1, j)) {
                push(END, NONE, i as u32);
                end = ended.next();
            }
            let last = both.links.get(j).map_or(NONE, |link| link.origin);
            push(if last == NONE { BEGIN } else { PERSIST }, j as u32, last);
        }
        end.into_iter().chain(ended).for_each(|i| push(END, NONE, i as u32));
    }

    /// How many there are.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) where events are wanted and had no room.
    pub fn full(self) -> Result<usize> {
        match self.to {
            Some(to) if to.len() < self.count => Err(Error::capacity(What::Events, self.count as u64, to.len() as u64)),
            _ => Ok(self.count),
        }
    }
}
