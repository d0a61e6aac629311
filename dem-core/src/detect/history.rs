//! From the last step to this one: what begins and ends, and vectors that follow their contacts.

use super::scene::{SceneRef, StepRef};
use crate::contact::Contact;
use crate::contact::history::{BodyPair, Event, List, Step, Told, Turns};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, each};

/// Contacts that a lane looks at at a time.
const CHUNK: usize = 1024;

/// The contacts of a step, for whatever takes lists of them; its body pairs are its couples.
impl Step for StepRef<'_> {
    fn len(&self) -> usize {
        self.contacts().len()
    }

    #[inline]
    fn contact(&self, i: usize) -> Contact {
        self.contacts().get(i).copied().unwrap_or_default()
    }

    #[inline]
    fn key(&self, i: usize) -> [u64; 2] {
        self.contacts().get(i).map_or([u64::MAX; 2], |contact| contact.key)
    }

    fn pairs(&self) -> usize {
        self.couples().len()
    }

    #[inline]
    fn tag(&self, i: usize) -> u64 {
        self.couples().get(i).map_or(u64::MAX, |couple| couple.tag)
    }

    #[inline]
    fn pair(&self, i: usize) -> BodyPair {
        let couple = self.couples().get(i).copied().unwrap_or_default();
        let [pose_a, pose_b] = self.poses_of(&couple);
        BodyPair { tag: couple.tag, pose_a, pose_b }
    }
}

impl SceneRef<'_> {
    /// Writes what begins, persists and ends, ordered by key, and tells how many events there are: those of
    /// [`match_contacts`](crate::contact::history::match_contacts). Places are those in [`SceneRef::now`] and [`SceneRef::last`].
    ///
    /// Once a step has failed, nothing is known of the step before the last successful one: what ended then is not told.
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Events`]. Cost: some nanoseconds a contact.
    pub fn events(&self, events: &mut [Event]) -> Result<usize> {
        let (last, now) = (self.last(), self.now());
        let (links, successors) = (self.links(), self.successors());
        let (mut old, mut new) = (last.couples().iter().peekable(), now.couples().iter().peekable());
        let mut list = List::new(Some(events));
        loop {
            let tags = [old.peek(), new.peek()].map(|next| next.map(|couple| couple.tag));
            let Some(tag) = tags.into_iter().flatten().min() else { return list.full() };
            let [before, after] = [old.next_if(|couple| couple.tag == tag), new.next_if(|couple| couple.tag == tag)]
                .map(|couple| couple.map_or(0..0, |couple| couple.first as usize..couple.end as usize));
            let told = Told { before, after, links, successors };
            list.tell(&told, |i| last.key(i)[1], |j| now.key(j)[1]);
        }
    }

    /// Takes a vector of each contact along, the elongation of its tangential spring, say: `vectors[i]` is that of the source of contact `i` among
    /// `of_last`, as [`carry`](crate::contact::history::carry) has it, and zero for contacts without one.
    ///
    /// To be called once after each step that did not fail, with `of_last` what became of `vectors` after the step before.
    ///
    /// Errors: [`Kind::Mismatch`] where there are not as many vectors as contacts in this step ([`What::Vectors`]) and in the last one
    /// ([`What::LastVectors`]); `vectors` is left alone then. Cost: some tens of nanoseconds a contact.
    pub fn carry(&self, exec: &dyn Executor, of_last: &[[f64; 3]], vectors: &mut [[f64; 3]]) -> Result<()> {
        let (last, now) = (self.last(), self.now());
        for (what, given, needed) in
            [(What::Vectors, vectors.len(), now.len()), (What::LastVectors, of_last.len(), last.len())]
        {
            if given != needed {
                return Err(Error::new(Kind::Mismatch, what).amounts(needed as u64, given as u64));
            }
        }
        each(exec, (CutMut(vectors, CHUNK), Cut(self.links(), CHUNK)), |chunk, (vectors, links)| {
            let mut couple = Turning::new(&last, &now);
            for (k, (vector, link)) in vectors.iter_mut().zip(links).enumerate() {
                *vector = match of_last.get(link.source as usize) {
                    Some(from) => couple.carried(chunk * CHUNK + k, *from),
                    None => [0.0; 3],
                };
            }
        });
        Ok(())
    }
}

/// How the couple of one contact after the other has turned.
struct Turning<'s> {
    last: &'s StepRef<'s>,
    now: &'s StepRef<'s>,
    /// Where its contacts end.
    end: usize,
    turns: Option<Turns>,
}

impl<'s> Turning<'s> {
    fn new(last: &'s StepRef<'s>, now: &'s StepRef<'s>) -> Self {
        Turning { last, now, end: 0, turns: None }
    }

    /// A vector of contact `i`; contacts come in order.
    fn carried(&mut self, i: usize, vector: [f64; 3]) -> [f64; 3] {
        if i >= self.end {
            let place = self.now.couples().partition_point(|couple| couple.end as usize <= i);
            let couple = self.now.couples().get(place).copied().unwrap_or_default();
            let before = self.last.couples().binary_search_by_key(&couple.tag, |couple| couple.tag).ok();
            self.end = couple.end as usize;
            // Poses were looked at when they were given.
            self.turns = before.and_then(|before| Turns::new(&self.last.pair(before), &self.now.pair(place)).ok());
        }
        self.turns.as_ref().map_or([0.0; 3], |turns| turns.carried(vector, self.now.contact(i).normal))
    }
}
