//! Commits a part of the pairs of a trial, and keeps what was committed of all others.

use core::cmp::Ordering;
use core::ops::Range;

use super::scene::{Counts, Kept, KeptRef, Progress, Scene, ScenePair};
use crate::error::{Error, Kind, Result, What};
use crate::mesh::NONE;

/// What a merged step comes to.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    pairs: usize,
    contacts: usize,
    posed: usize,
}

impl Total {
    fn add(&mut self, pair: &ScenePair, is_posed: bool) {
        self.pairs += 1;
        self.contacts += pair.contacts().len();
        self.posed += usize::from(is_posed);
    }
}

impl Scene<'_> {
    /// Commits those pairs of the trial for which `taken` is not 0, and keeps what was committed of all others: of pairs that are not taken, and of those that
    /// the trial has not. Gives the number of contacts of the committed step. What was found is to be seen no more.
    ///
    /// `taken` has a number for each pair of [`StepRef::pairs`](super::StepRef::pairs). `origins` tells for each contact of the committed step where it
    /// comes from, so that a host can merge what it keeps: twice its place among the contacts of the trial and 1, or twice its place in the committed
    /// step before.
    ///
    /// Taken pairs keep the poses at which they were found, whether they were their own or those of their bodies; there has to be room for these
    /// ([`SceneSizes::posed`](super::SceneSizes::posed)).
    ///
    /// Errors: [`Kind::Mismatch`] where `taken` has not as many numbers as the trial has pairs ([`What::BodyPairs`]), and where the periods of the trial
    /// are others than before ([`What::Periods`]); [`Kind::Capacity`] for [`What::Contacts`], [`What::Poses`] and `origins` ([`What::Links`]). Nothing is
    /// changed then. Cost: a copy.
    pub fn commit_pairs(&mut self, taken: &[u32], origins: &mut [u32]) -> Result<usize> {
        let Progress { committed, found } = self.progress[0];
        let (trial, last) =
            if committed == 0 { (&mut self.odd, self.even.as_ref()) } else { (&mut self.even, self.odd.as_ref()) };
        let pairs = if found == Progress::TRIAL { trial.as_ref().pairs().len() } else { 0 };
        if taken.len() != pairs {
            return Err(Error::new(Kind::Mismatch, What::BodyPairs).amounts(pairs as u64, taken.len() as u64));
        }
        let counts = trial.counts[0];
        if pairs > 0 && !last.pairs().is_empty() && counts.periods != last.counts[0].periods {
            return Err(Error::new(Kind::Mismatch, What::Periods));
        }
        let total = total(&last, trial.as_ref().pairs(), taken);
        for (what, needed, room) in [
            (What::Contacts, total.contacts.max(total.pairs), trial.pairs.len()),
            (What::Poses, total.posed, trial.posed.len()),
            (What::Links, total.contacts, origins.len()),
        ] {
            if needed > room {
                return Err(Error::capacity(what, needed as u64, room as u64));
            }
        }
        let periods = if pairs > 0 { counts.periods } else { last.counts[0].periods };
        let count = compact(trial, taken, origins);
        merge(trial, &last, count, total, origins);
        for (to, pose) in trial.poses.iter_mut().zip(last.poses()) {
            *to = *pose;
        }
        trial.counts[0] = Counts {
            periods,
            bodies: last.poses().len() as u32,
            pairs: total.pairs as u32,
            contacts: total.contacts as u32,
            posed: total.posed as u32,
        };
        self.progress[0] = Progress { committed: 1 - committed.min(1), found: Progress::NOTHING };
        Ok(total.contacts)
    }
}

/// How much there will be.
fn total(last: &KeptRef<'_>, pairs: &[ScenePair], taken: &[u32]) -> Total {
    let mut total = Total::default();
    let mut new = pairs.iter().zip(taken).filter(|(_, taken)| **taken != 0).map(|(pair, _)| pair).peekable();
    for old in last.pairs() {
        while let Some(pair) = new.next_if(|pair| pair.name() < old.name()) {
            total.add(pair, true);
        }
        match new.next_if(|pair| pair.name() == old.name()) {
            Some(pair) => total.add(pair, true),
            None => total.add(old, old.posed != NONE),
        }
    }
    new.for_each(|pair| total.add(pair, true));
    total
}

/// Moves what is taken to the front, each pair with poses of its own; gives the number of pairs. `origins` are those of their contacts.
fn compact(trial: &mut Kept<'_>, taken: &[u32], origins: &mut [u32]) -> usize {
    let (mut count, mut end) = (0, 0);
    for (i, _) in taken.iter().enumerate().filter(|(_, taken)| **taken != 0) {
        let pair = trial.pairs[i];
        let poses = trial.as_ref().unmoved(&pair);
        let from = pair.contacts();
        shift(trial, from.clone(), end);
        for (to, contact) in origins.iter_mut().skip(end).zip(from.clone()) {
            *to = 2 * contact as u32 + 1;
        }
        let first = end as u32;
        end += from.len();
        trial.pairs[count] = ScenePair { first, end: end as u32, posed: count as u32, ..pair };
        if let Some(to) = trial.posed.get_mut(count) {
            *to = poses;
        }
        count += 1;
    }
    count
}

/// Merges the first pairs of the trial with those of the last step that they do not replace, from the end on.
fn merge(trial: &mut Kept<'_>, last: &KeptRef<'_>, count: usize, total: Total, origins: &mut [u32]) {
    let (mut old, mut new) = (last.pairs(), count);
    let Total { mut pairs, mut contacts, mut posed } = total;
    while pairs > 0 {
        let next = new.checked_sub(1).and_then(|i| trial.pairs.get(i)).copied();
        let order = match (old.last(), &next) {
            (Some(old), Some(new)) => old.name().cmp(&new.name()),
            (Some(_), None) => Ordering::Greater,
            _ => Ordering::Less,
        };
        if order == Ordering::Equal {
            // Replaced.
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
        if from_old {
            copy(trial.features, contacts, last.features(), from.clone());
            copy(trial.contacts, contacts, last.contacts(), from.clone());
            for (to, contact) in origins.iter_mut().skip(contacts).zip(from.clone()) {
                *to = 2 * contact as u32;
            }
        } else {
            shift(trial, from.clone(), contacts);
            move_within(origins, from, contacts);
        }
        pairs -= 1;
        trial.pairs[pairs] = ScenePair { first: contacts as u32, end, posed: place, ..pair };
    }
}

/// Moves contacts to another place of the same step.
fn shift(step: &mut Kept<'_>, from: Range<usize>, to: usize) {
    move_within(step.features, from.clone(), to);
    move_within(step.contacts, from, to);
}

/// As `copy_within`; nothing is done where there is no room, as in a block that is damaged.
fn move_within<T: Copy>(items: &mut [T], from: Range<usize>, to: usize) {
    if from.start <= from.end && from.end <= items.len() && to <= items.len() - from.len() {
        items.copy_within(from, to);
    }
}

fn copy<T: Copy>(to: &mut [T], at: usize, from: &[T], range: Range<usize>) {
    let (to, from) = (to.get_mut(at..).unwrap_or_default(), from.get(range).unwrap_or_default());
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}
