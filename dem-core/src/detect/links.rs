//! What contacts were in the committed step, found for many stretches of body pairs side by side.

use core::cmp::Ordering;

use super::scene::{KeptRef, ScenePair};
use crate::contact::history::{Both, Contacts, Group, Link, Room};
use crate::error::{Result, What};
use crate::exec::{CutMut, Executor, each, pieces};
use crate::memory::{ALIGN, Carve, Layout, Plan};
use crate::mesh::NONE;
use crate::pose::Pose;
use crate::real::min;

/// How many stretches the pairs are cut into, for so many contacts.
fn stretches(contacts: u32) -> usize {
    min(contacts as usize / 512 + 1, 256)
}

/// A stretch of body pairs and their contacts, in one step.
#[derive(Clone, Copy)]
struct Stretch<'s> {
    step: KeptRef<'s>,
    pairs: &'s [ScenePair],
    /// Its first contact in the step, and how many there are.
    first: u32,
    len: usize,
}

impl<'s> Stretch<'s> {
    /// Pairs from `from` on, up to `to`; by their names.
    fn new(step: KeptRef<'s>, [from, to]: [Option<&ScenePair>; 2]) -> Self {
        let all = step.pairs();
        let place = |end: Option<&ScenePair>, none| {
            end.map_or(none, |end| all.partition_point(|pair| pair.name() < end.name()))
        };
        let pairs = all.get(place(from, 0)..place(to, all.len())).unwrap_or_default();
        let first = pairs.first().map_or(0, |pair| pair.first);
        let end = pairs.last().map_or(first, |pair| pair.end);
        Stretch { step, pairs, first, len: end.saturating_sub(first) as usize }
    }

    fn features(&self) -> &'s [u64] {
        self.step.features().get(self.first as usize..self.first as usize + self.len).unwrap_or_default()
    }

    /// A pair and its contacts, counted from the first one here.
    fn group(&self, place: usize) -> Group {
        let pair = self.pairs.get(place).copied().unwrap_or_default();
        let inside = |i: u32| (i.saturating_sub(self.first) as usize).min(self.len);
        Group { range: inside(pair.first)..inside(pair.end).max(inside(pair.first)), pair: place }
    }
}

impl Contacts for Stretch<'_> {
    #[inline]
    fn position(&self, i: usize) -> [f64; 3] {
        self.step.contacts().get(self.first as usize + i).map_or([0.0; 3], |contact| contact.position)
    }

    #[inline]
    fn area(&self, i: usize) -> f64 {
        self.step.contacts().get(self.first as usize + i).map_or(0.0, |contact| contact.area)
    }

    fn poses(&self, pair: usize) -> [Pose; 2] {
        self.pairs.get(pair).map_or([Pose::IDENTITY; 2], |pair| self.step.poses_of(pair))
    }
}

/// Scratch for so many contacts in both steps.
pub(super) fn scratch(contacts: u32) -> Result<Layout> {
    let (mut plan, stretches) = (Plan::new(), stretches(contacts) as u64);
    plan.add::<[u32; 4]>(stretches);
    plan.add::<[u8; ALIGN]>(lines(contacts)?).layout(What::Scratch)
}

/// Lines of scratch for all stretches; in each, every region of [`Room`] may be rounded up to a whole one.
fn lines(contacts: u32) -> Result<u64> {
    const REGIONS: u64 = 4;
    let whole = Room::layout(u64::from(contacts), u64::from(contacts))?.size.div_ceil(ALIGN);
    Ok(whole as u64 + stretches(contacts) as u64 * REGIONS)
}

/// Tells for every contact of `now` what it was in `last`, and for every one of `last` which goes on with it; gives the number of
/// those that go on.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for scratch.
pub(super) fn link(
    exec: &dyn Executor,
    last: KeptRef<'_>,
    now: KeptRef<'_>,
    bound: f64,
    (links, successors): (&mut [Link], &mut [u32]),
    scratch: &mut [u8],
) -> Result<usize> {
    let most = (last.len().max(now.len())) as u32;
    let mut carve = Carve::new(scratch, self::scratch(most)?, What::Scratch)?;
    let stretches = stretches(most);
    let numbers = carve.take::<[u32; 4]>(stretches as u64)?.as_flattened_mut();
    let (ends, going) = numbers.split_at_mut(3 * stretches);
    let (link_ends, ends) = ends.split_at_mut(stretches);
    let (successor_ends, line_ends) = ends.split_at_mut(stretches);
    let lines = carve.take::<[u8; ALIGN]>(lines(most)?)?;
    // Both steps are cut where one of them has as many pairs on either side.
    let many = if now.pairs().len() < last.pairs().len() { last.pairs() } else { now.pairs() };
    let cut = |k: usize| if k == 0 { None } else { many.get(many.len() * k / stretches) };
    let end = |k: usize| if k + 1 == stretches { None } else { cut(k + 1) };
    let both = |k: usize| [last, now].map(|step| Stretch::new(step, [cut(k), end(k)]));
    let (mut link_end, mut successor_end, mut line_end) = (0, 0, 0);
    let all = link_ends.iter_mut().zip(successor_ends.iter_mut()).zip(line_ends.iter_mut());
    for (k, ((links, successors), lines)) in all.enumerate() {
        let [before, after] = both(k);
        link_end += after.len as u32;
        successor_end += before.len as u32;
        line_end += Room::layout(before.len as u64, after.len as u64)?.size.div_ceil(ALIGN) as u32;
        (*links, *successors, *lines) = (link_end, successor_end, line_end);
    }
    let parts = (pieces(links, link_ends), pieces(successors, successor_ends));
    each(exec, (parts, pieces(lines, line_ends), CutMut(&mut *going, 1)), |k, ((links, successors), lines, going)| {
        let [before, after] = both(k);
        links.fill(Link::NEW);
        successors.fill(NONE);
        // Poses were looked at when they were given: nothing is refused, but for bytes that were damaged.
        if settle([&before, &after], bound, (links, successors), lines.as_flattened_mut()).is_err() {
            links.fill(Link::NEW);
            successors.fill(NONE);
        }
        going[0] = 0;
        for link in links.iter_mut() {
            for place in [&mut link.origin, &mut link.source] {
                *place = if *place == NONE { NONE } else { *place + before.first };
            }
            going[0] += u32::from(link.origin != NONE);
        }
        successors.iter_mut().filter(|next| **next != NONE).for_each(|next| *next += after.first);
    });
    Ok(going.iter().map(|n| *n as usize).sum())
}

/// Links the contacts of all pairs that are in both steps.
fn settle(
    [last, now]: [&Stretch<'_>; 2],
    bound: f64,
    (links, successors): (&mut [Link], &mut [u32]),
    scratch: &mut [u8],
) -> Result<()> {
    let mut room = Room::new(scratch, last.len as u64, now.len as u64)?;
    let keys = [last.features(), now.features()];
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (last.pairs.get(i), now.pairs.get(j)) {
        // Mostly it is the same pair as before.
        let same = x.ids == y.ids && x.image == y.image;
        let order = if same { Ordering::Equal } else { x.name().cmp(&y.name()) };
        if same && !link_one([last, now], [x, y], keys, links, successors) {
            let (before, after) = (&last.group(i), &now.group(j));
            let (links, successors) = (&mut *links, &mut *successors);
            Both { last, now, keys, before, after, links, successors }.settle(bound, &mut room)?;
        }
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
    Ok(())
}

/// Links the contacts of a pair where it has one in both steps, with the same features; gives whether that is so.
#[inline(always)]
fn link_one(
    [last, now]: [&Stretch<'_>; 2],
    [x, y]: [&ScenePair; 2],
    keys: [&[u64]; 2],
    links: &mut [Link],
    successors: &mut [u32],
) -> bool {
    let [i, j] = [x.first.wrapping_sub(last.first), y.first.wrapping_sub(now.first)];
    let one = x.end.wrapping_sub(x.first) == 1 && y.end.wrapping_sub(y.first) == 1;
    match (keys[0].get(i as usize), keys[1].get(j as usize), links.get_mut(j as usize), successors.get_mut(i as usize))
    {
        (Some(old), Some(new), Some(link), Some(successor)) if one && old == new => {
            (*link, *successor) = (Link { origin: i, source: i }, j);
            true
        }
        _ => false,
    }
}
