//! What contacts were a step ago, found for many stretches of bodies side by side.

use core::ops::Range;

use super::scene::{Couple, StepRef};
use crate::contact::Contact;
use crate::contact::history::{BodyPair, Link, Step, match_contacts, match_scratch};
use crate::error::{Result, What};
use crate::exec::{CutMut, Executor, each, pieces};
use crate::memory::{ALIGN, Carve, Layout, Plan};
use crate::mesh::NONE;
use crate::real::min;

/// How many stretches the bodies are cut into, for so many contacts.
fn stretches(contacts: u32) -> usize {
    min(contacts as usize / 64 + 1, 256)
}

/// Contacts of a stretch of bodies A, in one step.
#[derive(Clone, Copy)]
struct Stretch<'s> {
    step: StepRef<'s>,
    couples: &'s [Couple],
    contacts: &'s [Contact],
    /// Place of its first contact in the list.
    first: u32,
}

impl<'s> Stretch<'s> {
    fn new(step: StepRef<'s>, bodies: &Range<u32>) -> Self {
        let all = step.couples();
        let from = all.partition_point(|couple| couple.a < bodies.start);
        let to = all.partition_point(|couple| couple.a < bodies.end);
        let couples = all.get(from..to).unwrap_or_default();
        let first = couples.first().map_or(0, |couple| couple.first);
        let end = couples.last().map_or(0, |couple| couple.end);
        let contacts = step.contacts().get(first as usize..end as usize).unwrap_or_default();
        Stretch { step, couples, contacts, first }
    }
}

impl Step for Stretch<'_> {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    #[inline]
    fn contact(&self, i: usize) -> Contact {
        self.contacts.get(i).copied().unwrap_or_default()
    }

    #[inline]
    fn key(&self, i: usize) -> [u64; 2] {
        self.contacts.get(i).map_or([u64::MAX; 2], |contact| contact.key)
    }

    fn pairs(&self) -> usize {
        self.couples.len()
    }

    #[inline]
    fn tag(&self, i: usize) -> u64 {
        self.couples.get(i).map_or(u64::MAX, |couple| couple.tag)
    }

    #[inline]
    fn pair(&self, i: usize) -> BodyPair {
        let couple = self.couples.get(i).copied().unwrap_or_default();
        let [pose_a, pose_b] = self.step.poses_of(&couple);
        BodyPair { tag: couple.tag, pose_a, pose_b }
    }
}

/// Scratch for so many contacts in both steps.
pub(super) fn scratch(contacts: u32) -> Result<Layout> {
    let (mut plan, stretches) = (Plan::new(), stretches(contacts) as u64);
    plan.add::<[u32; 4]>(stretches);
    plan.add::<[u8; ALIGN]>(lines(contacts)?).layout(What::Scratch)
}

/// Lines of scratch for all stretches; in each, every region of [`match_scratch`] may be rounded up to a whole one.
fn lines(contacts: u32) -> Result<u64> {
    const REGIONS: u64 = 8;
    let whole = match_scratch(contacts as usize, contacts as usize)?.size.div_ceil(ALIGN);
    Ok(whole as u64 + stretches(contacts) as u64 * REGIONS)
}

/// Tells for every contact of `now` what it was in `last`, and for every one of `last` which goes on with it; gives the number of
/// those that go on.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for scratch.
pub(super) fn link(
    exec: &dyn Executor,
    last: StepRef<'_>,
    now: StepRef<'_>,
    bound: f64,
    (links, successors): (&mut [Link], &mut [u32]),
    scratch: &mut [u8],
) -> Result<usize> {
    let most = (last.contacts().len().max(now.contacts().len())) as u32;
    let mut carve = Carve::new(scratch, self::scratch(most)?, What::Scratch)?;
    let stretches = stretches(most);
    let numbers = carve.take::<[u32; 4]>(stretches as u64)?.as_flattened_mut();
    let (ends, going) = numbers.split_at_mut(3 * stretches);
    let (link_ends, ends) = ends.split_at_mut(stretches);
    let (successor_ends, line_ends) = ends.split_at_mut(stretches);
    let lines = carve.take::<[u8; ALIGN]>(lines(most)?)?;
    let bodies = now.poses().len().max(last.poses().len()) as u32;
    let length = bodies.div_ceil(stretches as u32).max(1);
    let range = |k: usize| {
        let from = min(length * k as u32, bodies);
        from..min(from + length, bodies)
    };
    let (mut link_end, mut successor_end, mut line_end) = (0, 0, 0);
    let all = link_ends.iter_mut().zip(successor_ends.iter_mut()).zip(line_ends.iter_mut());
    for (k, ((links, successors), lines)) in all.enumerate() {
        let (before, after) = (Stretch::new(last, &range(k)), Stretch::new(now, &range(k)));
        link_end += after.len() as u32;
        successor_end += before.len() as u32;
        line_end += match_scratch(before.len(), after.len())?.size.div_ceil(ALIGN) as u32;
        (*links, *successors, *lines) = (link_end, successor_end, line_end);
    }
    let both = (pieces(links, link_ends), pieces(successors, successor_ends));
    each(exec, (both, pieces(lines, line_ends), CutMut(&mut *going, 1)), |k, ((links, successors), lines, going)| {
        let (before, after) = (Stretch::new(last, &range(k)), Stretch::new(now, &range(k)));
        // Lists that are in order, with poses that were looked at: nothing is refused, but for bytes that were damaged.
        if match_contacts(&before, &after, bound, links, None, lines.as_flattened_mut()).is_err() {
            links.fill(Link::NEW);
        }
        going[0] = 0;
        successors.fill(NONE);
        for (j, link) in links.iter_mut().enumerate() {
            if let Some(successor) = successors.get_mut(link.origin as usize) {
                *successor = after.first + j as u32;
            }
            for place in [&mut link.origin, &mut link.source] {
                *place = if *place == NONE { NONE } else { *place + before.first };
            }
            going[0] += u32::from(link.origin != NONE);
        }
    });
    Ok(going.iter().map(|n| *n as usize).sum())
}
