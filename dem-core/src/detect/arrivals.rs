//! Joins pairs of bodies to the committed step, with contacts that another scene has found.

use super::commit::{Joined, Total};
use super::scene::{Counts, KeptContact, KeptRef, Progress, Scene, ScenePair};
use crate::contact::Node;
use crate::error::{Error, Result, What};
use crate::pose::Pose;

/// A pair that joins the committed step, with the data to which the contacts of the next step are linked.
pub(crate) trait Arrival: Copy {
    /// The name of the pair, and by how many periods B was moved.
    fn pair(&self) -> ScenePair;
    /// The poses of both bodies, not moved by periods.
    fn poses(&self) -> [Pose; 2];
    /// The numbers of contacts and nodes of the pair.
    fn counts(&self) -> [usize; 2];
    /// The features, position and area of contact `k`.
    fn contact(&self, k: usize) -> (u64, KeptContact);
    /// Node `k`. Its contact is counted from the first contact of the pair.
    fn node(&self, k: usize) -> Node;
}

/// The bodies as they are now.
pub(crate) struct Places<S, P> {
    /// Number of bodies.
    pub count: usize,
    /// Gives the place of the body with this id. The second argument is the place where the body was.
    pub place: S,
    /// The pose of the body at a place.
    pub pose: P,
}

impl Scene<'_> {
    /// Adds these pairs to the committed step. They are ordered by name, each once, and replace pairs with the same names. Pairs whose bodies no
    /// longer exist are left out, and all places of bodies are renewed. The last trial can no longer be read.
    ///
    /// Calls `from` for each contact with its place now and its origin: its place before, or its arrival and its number there. Gives the number of
    /// contacts.
    ///
    /// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) for [`What::Contacts`] and [`What::Nodes`]; then nothing changes. Cost: a copy.
    pub(crate) fn join_pairs<A: Arrival>(
        &mut self,
        periods: [f64; 3],
        bodies: &Places<impl Fn(u64, u32) -> Option<u32>, impl Fn(usize) -> Pose>,
        arrivals: impl Iterator<Item = A> + Clone,
        mut from: impl FnMut(usize, Joined<(A, usize)>),
    ) -> Result<usize> {
        let committed = self.progress[0].committed;
        let (last, next) =
            if committed == 0 { (self.even.as_ref(), &mut self.odd) } else { (self.odd.as_ref(), &mut self.even) };
        let places =
            |pair: &ScenePair| Some([(bodies.place)(pair.ids[0], pair.a)?, (bodies.place)(pair.ids[1], pair.b)?]);
        let mut total = Total::default();
        each(&last, arrivals.clone(), |pair, arrival| {
            if places(pair).is_some() {
                let [contacts, nodes] = arrival
                    .map_or_else(|| [pair.contacts().len(), last.nodes_of(pair).len()], |arrival| arrival.counts());
                (total.pairs, total.contacts, total.nodes) =
                    (total.pairs + 1, total.contacts + contacts, total.nodes + nodes);
            }
        });
        for (what, needed, room) in [
            (What::Contacts, total.contacts.max(total.pairs), next.contacts.len()),
            (What::Nodes, total.nodes, next.nodes.len()),
        ] {
            if needed > room {
                return Err(Error::capacity(what, needed as u64, room as u64));
            }
        }
        // Pairs give the poses of their bodies below. Here all other bodies get poses, which nothing depends on, because they touch nothing.
        for (i, to) in next.poses.iter_mut().enumerate().take(bodies.count) {
            *to = last.poses().get(i).copied().unwrap_or_else(|| (bodies.pose)(i));
        }
        let mut at = Total::default();
        each(&last, arrivals, |pair, arrival| {
            let Some([a, b]) = places(pair) else { return };
            let poses = arrival.map_or_else(|| last.unmoved(pair), |arrival| arrival.poses());
            for (place, pose) in [a, b].into_iter().zip(poses) {
                if let Some(to) = next.poses.get_mut(place as usize) {
                    *to = pose;
                }
            }
            let first = at.contacts;
            let mut put = |feature: u64, contact: KeptContact, origin: Joined<(A, usize)>| {
                if let (Some(f), Some(c)) = (next.features.get_mut(at.contacts), next.contacts.get_mut(at.contacts)) {
                    (*f, *c) = (feature, contact);
                }
                from(at.contacts, origin);
                at.contacts += 1;
            };
            match arrival {
                Some(arrival) => (0..arrival.counts()[0]).for_each(|k| {
                    let (feature, contact) = arrival.contact(k);
                    put(feature, contact, Joined::New((arrival, k)));
                }),
                None => pair.contacts().for_each(|k| {
                    let feature = last.features().get(k).copied().unwrap_or_default();
                    put(feature, last.contacts().get(k).copied().unwrap_or_default(), Joined::Was(k));
                }),
            }
            let mut put = |node: Node, before: u32| {
                if let Some(to) = next.nodes.get_mut(at.nodes) {
                    *to = Node { contact: node.contact.wrapping_sub(before).wrapping_add(first as u32), ..node };
                }
                at.nodes += 1;
            };
            match arrival {
                Some(arrival) => (0..arrival.counts()[1]).for_each(|k| put(arrival.node(k), 0)),
                None => last.nodes_of(pair).iter().for_each(|node| put(*node, pair.first)),
            }
            if let Some(to) = next.pairs.get_mut(at.pairs) {
                *to = ScenePair { a, b, first: first as u32, end: at.contacts as u32, ..*pair };
            }
            at.pairs += 1;
        });
        next.counts[0] = Counts {
            periods,
            bodies: bodies.count as u32,
            pairs: at.pairs as u32,
            contacts: at.contacts as u32,
            nodes: at.nodes as u32,
            ..Counts::default()
        };
        self.progress[0] = Progress { committed: 1 - committed.min(1), found: Progress::NOTHING, blends: 0 };
        Ok(at.contacts)
    }
}

/// Calls `work` with each pair in the order of names, and with its arrival if it has one.
fn each<A: Arrival>(
    last: &KeptRef<'_>,
    arrivals: impl Iterator<Item = A>,
    mut work: impl FnMut(&ScenePair, Option<A>),
) {
    let mut arrivals = arrivals.peekable();
    for pair in last.pairs() {
        while let Some(next) = arrivals.next_if(|next| next.pair().name() < pair.name()) {
            work(&next.pair(), Some(next));
        }
        match arrivals.next_if(|next| next.pair().name() == pair.name()) {
            Some(next) => work(&next.pair(), Some(next)),
            None => work(pair, None),
        }
    }
    arrivals.for_each(|next| work(&next.pair(), Some(next)));
}
