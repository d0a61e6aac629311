//! Commits some pairs of a trial, and keeps the committed contacts of all others.

use core::cmp::Ordering;
use core::ops::Range;

use super::matching::SideBySide;
use super::scene::{Counts, Kept, KeptContact, KeptRef, Progress, Scene, ScenePair};
use crate::contact::Node;
use crate::error::{Error, Kind, Result, What};
use crate::mesh::NONE;
use crate::pose::Pose;

/// The origin of a contact: its place in the step before, or the data with which it has joined.
pub(crate) enum Joined<T> {
    Was(usize),
    New(T),
}

/// The sizes of a merged step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    pub pairs: usize,
    pub contacts: usize,
    pub nodes: usize,
    posed: usize,
}

impl Total {
    fn add(&mut self, step: &KeptRef<'_>, pair: &ScenePair, is_posed: bool) {
        self.pairs += 1;
        self.contacts += pair.contacts().len();
        self.nodes += step.nodes_of(pair).len();
        self.posed += usize::from(is_posed);
    }
}

impl Scene<'_> {
    /// Replaces the committed step by one without contacts, with bodies at these poses.
    pub(crate) fn commit_poses(&mut self, periods: [f64; 3], poses: impl Iterator<Item = Pose>) {
        let step = if self.progress[0].committed == 0 { &mut self.even } else { &mut self.odd };
        let bodies = step.poses.iter_mut().zip(poses).map(|(to, pose)| *to = pose).count() as u32;
        step.counts[0] = Counts { periods, bodies, ..Counts::default() };
        self.progress[0].found = Progress::NOTHING;
    }

    /// Fills the committed step with contacts, after `commit_poses`. Contacts come in the order of keys. `tell` gets the place of each contact and
    /// all poses, and gives its pair, its feature and its kept data. There must be room.
    pub(crate) fn commit_contacts<T>(
        &mut self,
        periods: [f64; 3],
        contacts: impl Iterator<Item = T>,
        mut tell: impl FnMut(usize, T, &[Pose]) -> (ScenePair, u64, KeptContact),
    ) {
        let step = if self.progress[0].committed == 0 { &mut self.even } else { &mut self.odd };
        let (mut pairs, mut count) = (0, 0);
        for (k, item) in contacts.enumerate() {
            let (pair, feature, kept) = tell(k, item, step.poses);
            let (Some(to), Some(contact)) = (step.features.get_mut(k), step.contacts.get_mut(k)) else { break };
            (*to, *contact, count) = (feature, kept, k as u32 + 1);
            match step.pairs.get_mut(..pairs).and_then(<[ScenePair]>::last_mut) {
                Some(last) if last.ids == pair.ids => last.end = count,
                _ => {
                    if let Some(to) = step.pairs.get_mut(pairs) {
                        *to = ScenePair { first: k as u32, end: count, ..pair };
                    }
                    pairs += 1;
                }
            }
        }
        let bodies = step.counts[0].bodies;
        step.counts[0] = Counts { periods, bodies, pairs: pairs as u32, contacts: count, ..Counts::default() };
        self.progress[0].found = Progress::NOTHING;
    }

    /// Adds `added` pairs of bodies, ordered by name, to the committed step, each with one contact whose feature is 0. Poses do not change. Calls
    /// `place` for each contact that is new or has moved, with its new place and its origin, from the last contact to the first. There must be
    /// room.
    pub(crate) fn join_round<T>(
        &mut self,
        added: usize,
        pairs: impl DoubleEndedIterator<Item = (ScenePair, T)>,
        mut place: impl FnMut(usize, Joined<T>),
    ) {
        let step = if self.progress[0].committed == 0 { &mut self.even } else { &mut self.odd };
        let Counts { pairs: old, contacts, nodes, .. } = step.counts[0];
        let (mut old, mut nodes) = (old as usize, nodes as usize);
        let (mut to, mut end) = (old + added, contacts as usize + added);
        step.counts[0] = Counts { pairs: to as u32, contacts: end as u32, ..step.counts[0] };
        self.progress[0].found = Progress::NOTHING;
        let mut pairs = pairs.rev().peekable();
        while let Some((next, _)) = pairs.peek() {
            let before = old.checked_sub(1).and_then(|i| step.pairs.get(i)).copied();
            let kept = before.filter(|before| before.name() > next.name());
            let from = kept.map_or(0..1, |pair| pair.contacts());
            let first = end.saturating_sub(from.len());
            let pair = match (kept, to.checked_sub(1)) {
                (_, None) => return,
                (Some(pair), _) => {
                    shift(step, from.clone(), first);
                    from.clone().rev().for_each(|k| place(first + k - from.start, Joined::Was(k)));
                    let own =
                        step.nodes.get(..nodes).unwrap_or_default().partition_point(|node| node.contact < pair.first);
                    renumber(step.nodes, own..nodes, pair.first, first as u32);
                    (old, nodes) = (old - 1, own);
                    pair
                }
                (None, _) => {
                    let Some((pair, with)) = pairs.next() else { return };
                    if let (Some(feature), Some(contact)) = (step.features.get_mut(first), step.contacts.get_mut(first))
                    {
                        (*feature, *contact) = (0, KeptContact::default());
                    }
                    place(first, Joined::New(with));
                    pair
                }
            };
            to -= 1;
            if let Some(to) = step.pairs.get_mut(to) {
                *to = ScenePair { first: first as u32, end: end as u32, ..pair };
            }
            end = first;
        }
    }

    /// Removes the pairs with these ids, which [`Scene::join_round`] has added, in the same order. Calls `moved` with the old and the new place of
    /// each remaining contact, from the first to the last. Gives the number of contacts.
    pub(crate) fn part_round(
        &mut self,
        joined: impl Iterator<Item = [u64; 2]>,
        mut moved: impl FnMut(usize, usize),
    ) -> usize {
        let step = if self.progress[0].committed == 0 { &mut self.even } else { &mut self.odd };
        let counts = step.counts[0];
        let mut joined = joined.peekable();
        let (mut left, mut end, mut node) = (0, 0, 0);
        for i in 0..counts.pairs as usize {
            let Some(pair) = step.pairs.get(i).copied() else { break };
            // Of two pairs with the same name, the second is the one that has joined.
            let next = step.pairs.get(i + 1).filter(|_| i + 1 < counts.pairs as usize);
            let has_twin = next.is_some_and(|next| next.name() == pair.name());
            if !has_twin && joined.next_if(|ids| (*ids, [0; 3]) == pair.name()).is_some() {
                continue;
            }
            let from = pair.contacts();
            shift(step, from.clone(), end);
            from.clone().for_each(|k| moved(k, end + k - from.start));
            let own = node..node + step.nodes.get(node..counts.nodes as usize).map_or(0, |rest| until(rest, pair.end));
            node = own.end;
            renumber(step.nodes, own, pair.first, end as u32);
            let first = end as u32;
            end += from.len();
            if let Some(to) = step.pairs.get_mut(left) {
                *to = ScenePair { first, end: end as u32, ..pair };
            }
            left += 1;
        }
        step.counts[0] = Counts { pairs: left as u32, contacts: end as u32, ..counts };
        self.progress[0].found = Progress::NOTHING;
        end
    }

    /// Commits those pairs of the trial for which `taken` is not 0. All other pairs keep their committed contacts, including pairs that are
    /// not in the trial. Gives the number of contacts of the committed step. The trial can no longer be read.
    ///
    /// `taken` has a number for each pair of [`StepRef::pairs`](super::StepRef::pairs). `origins` tells the origin of each contact of the
    /// committed step, so that a host can merge its data. It is twice the index among the contacts of the trial plus 1, or twice the index
    /// in the last committed step.
    ///
    /// A pair replaces the pair of the last step that was at the same place, even if another image is the nearest now. Kept pairs get the image
    /// numbers that the trial uses for the same two bodies.
    ///
    /// Committed pairs keep the poses of the trial, whether these were their own or those of their bodies. The scene needs room for these
    /// poses ([`SceneSizes::posed`](super::SceneSizes::posed)).
    ///
    /// Errors: [`Kind::Mismatch`] if `taken` does not have as many numbers as the trial has pairs ([`What::BodyPairs`]), and if the periods
    /// of the trial are not those of the committed step ([`What::Periods`]); [`Kind::Capacity`] for [`What::Contacts`], [`What::Nodes`],
    /// [`What::Poses`] and `origins` ([`What::Links`]). After an error nothing changes. Cost: a copy.
    pub fn commit_pairs(&mut self, taken: &[u32], origins: &mut [u32]) -> Result<usize> {
        let Progress { committed, found, .. } = self.progress[0];
        let (trial, kept) =
            if committed == 0 { (&mut self.odd, &mut self.even) } else { (&mut self.even, &mut self.odd) };
        let last = kept.as_ref();
        let pairs = if found == Progress::TRIAL { trial.as_ref().pairs().len() } else { 0 };
        if taken.len() != pairs {
            return Err(Error::new(Kind::Mismatch, What::BodyPairs).amounts(pairs as u64, taken.len() as u64));
        }
        let counts = trial.counts[0];
        if pairs > 0 && !last.pairs().is_empty() && counts.periods != last.counts[0].periods {
            return Err(Error::new(Kind::Mismatch, What::Periods));
        }
        // Without pairs, the memory of the trial may hold any older step.
        let found = if pairs > 0 { trial.as_ref() } else { KeptRef::NONE };
        let total = total(&last, &found, taken);
        for (what, needed, room) in [
            (What::Contacts, total.contacts.max(total.pairs), trial.pairs.len()),
            (What::Nodes, total.nodes, trial.nodes.len()),
            (What::Poses, total.posed, trial.posed.len()),
            (What::Links, total.contacts, origins.len()),
        ] {
            if needed > room {
                return Err(Error::capacity(what, needed as u64, room as u64));
            }
        }
        let periods = if pairs > 0 { counts.periods } else { last.counts[0].periods };
        recount(kept, &found);
        let last = kept.as_ref();
        let left = compact(trial, taken, origins);
        merge(trial, &last, left, total, origins);
        for (to, pose) in trial.poses.iter_mut().zip(last.poses()) {
            *to = *pose;
        }
        trial.counts[0] = Counts {
            periods,
            bodies: last.poses().len() as u32,
            pairs: total.pairs as u32,
            contacts: total.contacts as u32,
            nodes: total.nodes as u32,
            posed: total.posed as u32,
            spare: 0,
        };
        self.progress[0] = Progress { committed: 1 - committed.min(1), found: Progress::NOTHING, blends: 0 };
        Ok(total.contacts)
    }
}

/// Renumbers the images of kept pairs as the trial numbers them. All pairs of the same two bodies get the same offset. Pairs come in order.
#[derive(Default)]
struct Recount {
    /// An index in the trial's pairs.
    at: usize,
    ids: [u64; 2],
    by: Option<[i32; 3]>,
}

impl Recount {
    /// The pair at index `place` of the last step, with its image number in the trial. Calls come in ascending order.
    fn pair(&mut self, last: &KeptRef<'_>, trial: &KeptRef<'_>, place: usize) -> ScenePair {
        let pair = last.pairs().get(place).copied().unwrap_or_default();
        let by = self.by.filter(|_| self.ids == pair.ids).unwrap_or_else(|| {
            while trial.pairs().get(self.at).is_some_and(|new| new.ids < pair.ids) {
                self.at += 1;
            }
            SideBySide::new([last, trial], [last.pairs(), trial.pairs()]).recounted([place, self.at])
        });
        (self.ids, self.by) = (pair.ids, Some(by));
        ScenePair { image: [0, 1, 2].map(|k| pair.image[k].wrapping_add(by[k])), ..pair }
    }
}

/// Gives the pairs of the last step the image numbers of the trial.
fn recount(last: &mut Kept<'_>, trial: &KeptRef<'_>) {
    let mut recount = Recount::default();
    for i in 0..last.as_ref().pairs().len() {
        let pair = recount.pair(&last.as_ref(), trial, i);
        if let Some(to) = last.pairs.get_mut(i) {
            *to = pair;
        }
    }
}

/// The sizes of the merged step.
fn total(last: &KeptRef<'_>, trial: &KeptRef<'_>, taken: &[u32]) -> Total {
    let (mut total, mut recount) = (Total::default(), Recount::default());
    let mut new = trial.pairs().iter().zip(taken).filter(|(_, taken)| **taken != 0).map(|(pair, _)| pair).peekable();
    for i in 0..last.pairs().len() {
        let old = &recount.pair(last, trial, i);
        while let Some(pair) = new.next_if(|pair| pair.name() < old.name()) {
            total.add(trial, pair, true);
        }
        match new.next_if(|pair| pair.name() == old.name()) {
            Some(pair) => total.add(trial, pair, true),
            None => total.add(last, old, old.posed != NONE),
        }
    }
    new.for_each(|pair| total.add(trial, pair, true));
    total
}

/// The numbers of pairs and nodes that are left of a trial.
struct Left {
    pairs: usize,
    nodes: usize,
}

/// Moves the taken pairs to the front, each with poses of its own. `origins` gets the origins of their contacts.
fn compact(trial: &mut Kept<'_>, taken: &[u32], origins: &mut [u32]) -> Left {
    let (mut left, mut end, mut next) = (Left { pairs: 0, nodes: 0 }, 0, 0);
    let nodes = trial.counts[0].nodes as usize;
    for (i, taken) in taken.iter().enumerate() {
        let pair = trial.pairs[i];
        // Nodes move to the front, into places that no later pair still needs.
        let from = next..next + trial.nodes.get(next..nodes).map_or(0, |rest| until(rest, pair.end));
        next = from.end;
        if *taken == 0 {
            continue;
        }
        let poses = trial.as_ref().unmoved(&pair);
        let (contacts, first) = (pair.contacts(), end as u32);
        shift(trial, contacts.clone(), end);
        let many = from.len();
        move_within(trial.nodes, from, left.nodes);
        renumber(trial.nodes, left.nodes..left.nodes + many, pair.first, first);
        left.nodes += many;
        for (to, contact) in origins.iter_mut().skip(end).zip(contacts.clone()) {
            *to = 2 * contact as u32 + 1;
        }
        end += contacts.len();
        trial.pairs[left.pairs] = ScenePair { first, end: end as u32, posed: left.pairs as u32, ..pair };
        if let Some(to) = trial.posed.get_mut(left.pairs) {
            *to = poses;
        }
        left.pairs += 1;
    }
    left
}

/// The number of these nodes whose contacts are before `end`.
fn until(nodes: &[Node], end: u32) -> usize {
    nodes.iter().take_while(|node| node.contact < end).count()
}

/// Renumbers the contacts of nodes: the first contact was at `was` and is now at `is`.
fn renumber(nodes: &mut [Node], range: Range<usize>, was: u32, is: u32) {
    for node in nodes.get_mut(range).unwrap_or_default() {
        node.contact = node.contact.wrapping_sub(was).wrapping_add(is);
    }
}

/// Merges the first pairs of the trial with the pairs of the last step that they do not replace. It works from the end to the front, so that
/// nothing is overwritten.
fn merge(trial: &mut Kept<'_>, last: &KeptRef<'_>, left: Left, total: Total, origins: &mut [u32]) {
    let (mut old, mut new) = (last.pairs(), left.pairs);
    // Nodes of the trial that are not in their final places yet.
    let mut rest = left.nodes;
    let Total { mut pairs, mut contacts, mut nodes, mut posed } = total;
    while pairs > 0 {
        let next = new.checked_sub(1).and_then(|i| trial.pairs.get(i)).copied();
        let order = match (old.last(), &next) {
            (Some(old), Some(new)) => old.name().cmp(&new.name()),
            (Some(_), None) => Ordering::Greater,
            _ => Ordering::Less,
        };
        if order == Ordering::Equal {
            // The pair of the trial replaces this one.
            old = old.split_last().map_or(&[], |(_, rest)| rest);
            continue;
        }
        let (from_old, pair) = match (order, old.split_last(), next) {
            (Ordering::Greater, Some((pair, rest)), _) => {
                old = rest;
                (true, *pair)
            }
            (_, _, Some(pair)) => {
                new -= 1;
                (false, pair)
            }
            _ => return,
        };
        let from = pair.contacts();
        let end = contacts as u32;
        contacts = contacts.saturating_sub(from.len());
        let place = if pair.posed == NONE { NONE } else { posed.saturating_sub(1) as u32 };
        if place != NONE {
            posed = place as usize;
            let poses = if from_old { last.unmoved(&pair) } else { trial.as_ref().unmoved(&pair) };
            if let Some(to) = trial.posed.get_mut(posed) {
                *to = poses;
            }
        }
        let own = match from_old {
            true => last.nodes_of(&pair).len(),
            false => {
                trial.nodes.get(..rest).map_or(0, |rest| rest.len() - rest.partition_point(|n| n.contact < pair.first))
            }
        };
        nodes = nodes.saturating_sub(own);
        if from_old {
            copy(trial.nodes, nodes, last.nodes_of(&pair), 0..own);
            copy(trial.features, contacts, last.features(), from.clone());
            copy(trial.contacts, contacts, last.contacts(), from.clone());
            for (to, contact) in origins.iter_mut().skip(contacts).zip(from.clone()) {
                *to = 2 * contact as u32;
            }
        } else {
            shift(trial, from.clone(), contacts);
            move_within(origins, from, contacts);
            move_within(trial.nodes, rest - own..rest, nodes);
            rest -= own;
        }
        renumber(trial.nodes, nodes..nodes + own, pair.first, contacts as u32);
        pairs -= 1;
        trial.pairs[pairs] = ScenePair { first: contacts as u32, end, posed: place, ..pair };
    }
}

/// Moves contacts to another place of the same step.
fn shift(step: &mut Kept<'_>, from: Range<usize>, to: usize) {
    move_within(step.features, from.clone(), to);
    move_within(step.contacts, from, to);
}

/// As `copy_within`, but does nothing if there is no room, as may be in a damaged block.
fn move_within<T: Copy>(items: &mut [T], from: Range<usize>, to: usize) {
    if from.start <= from.end && from.end <= items.len() && to <= items.len() - from.len() {
        items.copy_within(from, to);
    }
}

fn copy<T: Copy>(to: &mut [T], at: usize, from: &[T], range: Range<usize>) {
    let (to, from) = (to.get_mut(at..).unwrap_or_default(), from.get(range).unwrap_or_default());
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
