//! From the last step to this one: contacts that begin and end, and vectors that move with their contacts.

use super::matching::SideBySide;
use super::scene::{KeptRef, ScenePair, SceneRef, StepRef, shifted};
use crate::contact::history::{Blend, Event, List, SurfaceMove, Told, Turns, blends_of};
use crate::contact::{Contact, Node};
use crate::error::{Error, Kind, Result, What};
use crate::exec::{Cut, CutMut, Executor, each};
use crate::mesh::NONE;
use crate::pose::{Pose, Transform};
use crate::real::{Real, max, min};
use crate::vector::{add, cross, dot, scale, sub};

/// How a vector follows its contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carry {
    /// It is rotated with the bodies, projected into the plane across the new normal, and scaled to its old length
    /// ([`carried`](crate::contact::history::carried)): springs of friction and rolling.
    #[default]
    Tangent,
    /// Its direction becomes that of the new normal or its opposite, whichever is nearer, and its length stays: springs of torsion.
    Normal,
    /// Three numbers that do not rotate, such as an age or the largest overlap so far.
    Numbers,
}

/// What a contact takes over from contacts that have joined into it, besides the mean of their vectors by force.
///
/// If the stiffness of springs is proportional to area, the mean by area keeps their force. Neither mean keeps their moment about the normal,
/// because each spring is at a different place. A spring of torsion may take that moment.
///
/// In the mean by area, a contact of the last step divides its area among the contacts that continue it, in proportion to the force that it has in
/// common with each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JoinedSprings {
    /// The mean of the vectors of the joined contacts, by area. None if no contacts have joined.
    pub mean: Option<[f64; 3]>,
    /// The moment of these vectors about the mean of their places, along the normal: the sum of weight times arm x vector, by area.
    pub moment: [f64; 3],
    /// The mean square of these arms, each across the normal, in units of length squared.
    pub square: f64,
}

/// What a part of a contact that has split takes over from it, besides its vectors: where the part is among all parts.
///
/// A spring of torsion stands for slip that grows with the distance from the axis. In separate parts, this slip becomes springs of sliding. All
/// numbers are 0 if the contact is no such part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SplitSprings {
    /// The arm, across the normal, from the mean of the places of all parts to the place of this one. The mean is weighted with pressures.
    pub arm: [f64; 3],
    /// The mean square of these arms, in units of length squared.
    pub square: f64,
    /// The mean over all parts of each part's own mean square distance from its place.
    pub own: f64,
}

/// The squared distance of a corner of a square from its centre, over the mean squared distance of its points.
const FARTHEST: f64 = 3.0;

/// Contacts that a thread processes at a time.
const CHUNK: usize = 1024;

impl SceneRef<'_> {
    /// Writes which contacts begin, persist and end, ordered by key, and gives the number of events: those of
    /// [`match_contacts`](crate::contact::history::match_contacts). Indices are those in [`SceneRef::now`] and [`SceneRef::last`].
    ///
    /// Errors: [`Kind::Capacity`] for [`What::Events`]. Cost: some nanoseconds a contact.
    pub fn events(&self, events: &mut [Event]) -> Result<usize> {
        let (last, now) = (self.last(), self.now());
        let (links, successors) = (self.links(), self.successors());
        let (mut i, mut j) = (0, 0);
        let (was, is) = (last.features(), now.kept.features());
        let feature = |features: &[u64], i: usize| features.get(i).copied().unwrap_or(u64::MAX);
        let mut list = List::new(Some(events));
        let steps = SideBySide::new([&last, &now.kept], [last.pairs(), now.pairs()]);
        loop {
            let Some(order) = steps.order([i, j]) else { return list.full() };
            let contacts = |pair: Option<&ScenePair>| pair.map_or(0..0, ScenePair::contacts);
            let before = contacts(last.pairs().get(i).filter(|_| order.is_le()));
            let after = contacts(now.pairs().get(j).filter(|_| order.is_ge()));
            (i, j) = (i + usize::from(order.is_le()), j + usize::from(order.is_ge()));
            let told = Told { before, after, links, successors };
            list.tell(&told, |i| feature(was, i), |j| feature(is, j));
        }
    }

    /// Carries a vector of each contact from the last step to this one, such as the elongation of a spring. `vectors[i]` becomes the vector
    /// of the source of contact `i` in `of_last`, rotated with its bodies. If the contact has [blends](SceneRef::blends), it is the mean of
    /// their vectors; if it has no source, it is zero. If `of_last` is empty, all vectors become zero: so springs begin.
    ///
    /// `of_last` belongs to the contacts of [`SceneRef::last`], as the host committed them. They are only read, so a host may call this for
    /// each trial.
    ///
    /// Errors: [`Kind::Mismatch`] if there are not as many vectors as contacts in this step ([`What::Vectors`]) and in the last one
    /// ([`What::LastVectors`]); `vectors` then does not change. Cost: some tens of nanoseconds a contact.
    pub fn carry(
        &self,
        exec: &dyn Executor,
        kind: Carry,
        of_last: &[[f64; 3]],
        vectors: &mut [[f64; 3]],
    ) -> Result<()> {
        self.check_carried(of_last.len(), vectors.len())?;
        let contacts = self.now().contacts();
        each(exec, (CutMut(vectors, CHUNK), Cut(self.links(), CHUNK)), |chunk, (vectors, links)| {
            let (mut turning, mut blends) = (Turning::new(self), self.blends_from(chunk * CHUNK));
            let contacts = contacts.get(chunk * CHUNK..).unwrap_or_default();
            for (k, ((vector, link), contact)) in vectors.iter_mut().zip(links).zip(contacts).enumerate() {
                let i = chunk * CHUNK + k;
                let mut taken =
                    |last: u32| of_last.get(last as usize).map(|from| turning.carried(contact, last, kind, *from));
                *vector = match blends_of(&mut blends, i) {
                    [] => taken(link.source).unwrap_or([0.0; 3]),
                    own => own.iter().fold([0.0; 3], |sum, blend| {
                        let part = taken(blend.last).unwrap_or([0.0; 3]);
                        [0, 1, 2].map(|k| sum[k] + blend.weight * part[k])
                    }),
                };
            }
        });
        Ok(())
    }

    /// As [`SceneRef::carry`], for one number of each contact, which does not rotate: an age, or the elongation of a spring along the normal.
    ///
    /// Errors: those of [`SceneRef::carry`]. Cost: some nanoseconds a contact.
    pub fn carry_numbers(&self, of_last: &[f64], numbers: &mut [f64]) -> Result<()> {
        self.check_carried(of_last.len(), numbers.len())?;
        let mut blends = self.blends();
        for (i, (number, link)) in numbers.iter_mut().zip(self.links()).enumerate() {
            let taken = |last: u32| of_last.get(last as usize).copied().unwrap_or(0.0);
            *number = match blends_of(&mut blends, i) {
                [] => taken(link.source),
                own => own.iter().fold(0.0, |sum, blend| sum + blend.weight * taken(blend.last)),
            };
        }
        Ok(())
    }

    pub(super) fn check_carried(&self, of_last: usize, here: usize) -> Result<()> {
        let (last, now) = (self.last().len(), self.now().contacts().len());
        let last = if of_last == 0 { 0 } else { last };
        for (what, given, needed) in [(What::Vectors, here, now), (What::LastVectors, of_last, last)] {
            if given != needed {
                return Err(Error::new(Kind::Mismatch, what).amounts(needed as u64, given as u64));
            }
        }
        Ok(())
    }
}

/// The rotations of the two bodies of a pair from the last step to this one, for one pair after the other.
pub(super) struct Turning<'s> {
    last: KeptRef<'s>,
    now: StepRef<'s>,
    /// Index of the pair to which `turns` belong.
    pair: u64,
    /// Rotations of this pair; computed when a vector is carried.
    turns: Option<Turns>,
    /// What moving vertices add at the current contact.
    pub surfaces: Option<SurfaceMove>,
    /// The translation that moves B to where it meets A, in the last step and now.
    shifts: [[f64; 3]; 2],
    /// The last pair of the last step that was used.
    before: Option<usize>,
    /// Places and rotations of A in both steps. A is mostly the same body as in the previous pair.
    a: Option<([u32; 2], [Transform; 2])>,
}

impl<'s> Turning<'s> {
    pub fn new(scene: &SceneRef<'s>) -> Self {
        Turning {
            last: scene.last(),
            now: scene.now(),
            pair: u64::MAX,
            turns: None,
            surfaces: None,
            shifts: [[0.0; 3]; 2],
            before: None,
            a: None,
        }
    }

    /// The vector that contact `contact` gets from the vector of contact `source` of the last step. Calls must be in the order of contacts.
    #[inline(always)]
    pub fn carried(&mut self, contact: &Contact, source: u32, kind: Carry, vector: [f64; 3]) -> [f64; 3] {
        if kind == Carry::Numbers {
            return vector;
        }
        if vector == [0.0; 3] {
            return [0.0; 3];
        }
        self.look_at(contact, source);
        self.turns.as_ref().map_or([0.0; 3], |turns| match kind {
            Carry::Normal => turns.along(vector, contact.normal),
            _ => turns.carried(vector, contact.normal),
        })
    }

    /// The arm, across the normal, from a contact to the place where its springs act. `arm` is that of contact `source` of the last step, already
    /// rotated. The place moves with the mean of both bodies, however the contact moves.
    ///
    /// A rolling contact leaves the place behind. An arm beyond the size of the contact area ([`FARTHEST`]) grows no further: the contact then
    /// draws the place along as it moves, so the place never jumps. The springs of a part of a split contact act as far from the middle of all
    /// parts as the part's own area. So together they have the moment of the whole.
    #[inline(never)]
    pub fn held(&mut self, contact: &Contact, source: u32, arm: [f64; 3], part: &SplitSprings) -> [f64; 3] {
        self.look_at(contact, source);
        let (Some(turns), Some(last)) = (&self.turns, self.last.contacts().get(source as usize)) else {
            return [0.0; 3];
        };
        let moved = sub(contact.position, turns.carried_point(last.position, self.shifts));
        let moved = sub(sub(moved, scale(contact.normal, dot(contact.normal, moved))), part.arm);
        let arm = sub(arm, moved);
        let (long, way) = (Real::sqrt(dot(arm, arm)), Real::sqrt(dot(moved, moved)));
        let reach = contact.reach().map_or(0.0, |reach| Real::sqrt(FARTHEST * reach.square));
        if long > reach { scale(arm, max(reach, long - 2.0 * way) / long) } else { arm }
    }

    /// What a contact of this pair takes over from several contacts of the last step besides the mean of their vectors. Also the arm from the
    /// contact to the mean of the places where their springs act. `of_last` gives the vector of one of them, and the arm from it to its place.
    /// Calls must be in the order of contacts. Cost: for each of its blends, some walks over the nodes of the pair.
    #[cold]
    pub fn joined(
        &mut self,
        pair: &ScenePair,
        contact: &Contact,
        blends: &[Blend],
        of_last: impl Fn(u32) -> [[f64; 3]; 2],
    ) -> (JoinedSprings, [f64; 3]) {
        let Some(first) = blends.first() else { return Default::default() };
        self.look_at(contact, first.last);
        let Some(turns) = &self.turns else { return Default::default() };
        let blends = by_area(self.last, self.now.nodes_of(pair), blends);
        let place =
            |blend: &Blend| self.last.contacts().get(blend.last as usize).map_or([0.0; 3], |last| last.position);
        let arm = |blend: &Blend| turns.carried(of_last(blend.last)[1], contact.normal);
        let mean = |of: &dyn Fn(&Blend) -> [f64; 3]| {
            blends.clone().fold([0.0; 3], |sum, blend| add(sum, scale(of(&blend), blend.weight)))
        };
        let (middle, held) = (mean(&place), mean(&arm));
        let moved = sub(turns.carried_point(middle, self.shifts), contact.position);
        let moved = sub(moved, scale(contact.normal, dot(contact.normal, moved)));
        let all = blends.clone().fold(JoinedSprings::default(), |sum, blend| {
            let apart = turns.mean(sub(place(&blend), middle)).to_array();
            let apart = sub(apart, scale(contact.normal, dot(contact.normal, apart)));
            let arm = add(apart, sub(arm(&blend), held));
            let vector = turns.carried(of_last(blend.last)[0], contact.normal);
            JoinedSprings {
                mean: Some(add(sum.mean.unwrap_or_default(), scale(vector, blend.weight))),
                moment: add(sum.moment, scale(cross(arm, vector), blend.weight)),
                square: sum.square + blend.weight * dot(arm, arm),
            }
        });
        (all, add(moved, held))
    }

    /// The [`SplitSprings`] of a contact of this pair that is one of several parts of a contact of the last step. Cost: for each of these parts,
    /// some walks over the nodes of the pair.
    #[cold]
    pub fn split(&self, scene: &SceneRef<'_>, pair: &ScenePair, place: usize) -> SplitSprings {
        let all = self.now.contacts();
        let source = scene.links().get(place).map_or(NONE, |link| link.source);
        let parts = || pair.contacts().filter(|i| self.is_part(scene, pair, *i, source));
        if source == NONE || !parts().any(|i| i == place) {
            return SplitSprings::default();
        }
        let parts = || parts().filter_map(|i| Some((i, all.get(i)?)));
        // The weights with which springs share force and energy.
        let weight = |c: &Contact| max(0.0, c.area * c.wedging);
        let total = parts().fold(0.0, |sum, (_, c)| sum + weight(c));
        if total.is_nan() || total <= 0.0 {
            return SplitSprings::default();
        }
        // Springs hold at the centroid of the area.
        let centroid = |c: &Contact| add(c.position, c.offset);
        let from = all.get(place).map_or([0.0; 3], centroid);
        let middle = parts().fold([0.0; 3], |sum, (_, c)| add(sum, scale(sub(centroid(c), from), weight(c) / total)));
        parts().fold(SplitSprings::default(), |sum, (i, c)| {
            let arm = sub(sub(centroid(c), from), middle);
            let arm = sub(arm, scale(c.normal, dot(c.normal, arm)));
            let reach = c.reach().map_or(max(c.area, 0.0) / 6.0, |reach| reach.square);
            let part = weight(c) / total;
            SplitSprings {
                arm: if i == place { arm } else { sum.arm },
                square: sum.square + part * dot(arm, arm),
                own: sum.own + part * reach,
            }
        })
    }

    /// Whether a contact takes springs from `source` alone, and continues it or has a node in common with it.
    pub fn is_part(&self, scene: &SceneRef<'_>, pair: &ScenePair, place: usize, source: u32) -> bool {
        let Some(link) = scene.links().get(place).filter(|link| link.source == source) else { return false };
        if !scene.blends_of(place).is_empty() {
            return false;
        }
        let before = self.last.pairs();
        let before = before.get(before.partition_point(|pair| pair.end <= source));
        let last = before.map_or(&[][..], |before| self.last.nodes_of(before));
        let has = |features: u64| {
            let from = last.partition_point(|node| node.features < features);
            let same = last.get(from..).unwrap_or_default().iter().take_while(|node| node.features == features);
            same.into_iter().any(|node| node.contact == source)
        };
        let is = self.now.nodes_of(pair);
        let mut own = is.iter().filter(|node| node.contact as usize == place);
        // A contact without nodes counts as one node.
        let name = |features: &[u64], i: usize| features.get(i).copied();
        let has = |features: u64| match last {
            [] => name(self.last.features(), source as usize) == Some(features),
            _ => has(features),
        };
        let has_name = || is.is_empty() && name(self.now.kept.features(), place).is_some_and(has);
        link.origin == source || own.any(|node| has(node.features)) || has_name()
    }

    /// Makes sure that the rotations are those of the pair of this contact. `source` is the contact of the last step whose springs it takes.
    #[inline(always)]
    fn look_at(&mut self, contact: &Contact, source: u32) {
        if self.pair != contact.key[0] {
            self.pair = contact.key[0];
            self.turns = self.turns_of(contact.key[0] as usize, source);
        }
        if let Some(turns) = &mut self.turns {
            turns.surfaces = self.surfaces;
        }
    }

    /// The rotations of pair `pair` of this step. `source` is a contact of the last step from which one of its contacts takes springs.
    fn turns_of(&mut self, pair: usize, source: u32) -> Option<Turns> {
        let pair = self.now.pairs().get(pair)?;
        let pairs = self.last.pairs();
        // Both lists have the same order, so the pair is at or behind the previous one.
        let mut place = self.before.unwrap_or_else(|| pairs.partition_point(|before| before.end <= source));
        while pairs.get(place)?.end <= source {
            place += 1;
        }
        self.before = Some(place);
        let before = pairs.get(place)?;
        // Poses were checked when they were passed in.
        let turn = |pose: Pose| pose.transform(What::Pose).ok();
        let ([from_a, from_b], [to_a, to_b]) = (self.last.unmoved(before), self.now.kept.unmoved(pair));
        let own = (before.posed, pair.posed) != (NONE, NONE);
        let a = match self.a {
            Some((places, turns)) if places == [before.a, pair.a] && !own => turns,
            _ => [turn(from_a)?, turn(to_a)?],
        };
        self.a = if own { None } else { Some(([before.a, pair.a], a)) };
        let periods = [self.last.periods(), self.now.kept.periods()];
        self.shifts = [shifted([0.0; 3], before.shift, &periods[0]), shifted([0.0; 3], pair.shift, &periods[1])];
        Some(Turns::between([a[0], turn(from_b)?], [a[1], turn(to_b)?]))
    }
}

/// With more blends, the weights stay those by force, because weights by area take a walk over all nodes for each blend.
const MOST_BY_AREA: usize = 64;

/// Blends with weights by area in place of force. A contact of the last step divides its area among the contacts that continue it, in proportion to
/// the force that it has in common with each. `nodes` are the current nodes of the pair. The weights sum up to 1.
fn by_area<'s>(last: KeptRef<'s>, nodes: &'s [Node], blends: &'s [Blend]) -> impl Iterator<Item = Blend> + Clone + 's {
    let weight = move |blend: &Blend| {
        let area = last.contacts().get(blend.last as usize).map_or(0.0, |last| last.area);
        blend.weight / continued(last, nodes, blend.last) * area
    };
    let all = if blends.len() > MOST_BY_AREA { 0.0 } else { blends.iter().fold(0.0, |sum, blend| sum + weight(blend)) };
    let by_area = all > 0.0 && all < f64::INFINITY;
    blends.iter().map(move |blend| if by_area { Blend { weight: weight(blend) / all, ..*blend } } else { *blend })
}

/// The force that a contact of the last step has in common with these nodes, which are ordered by features.
fn continued(last: KeptRef<'_>, nodes: &[Node], contact: u32) -> f64 {
    let common = |features: u64, before: f64| {
        let node = nodes.get(nodes.partition_point(|node| node.features < features));
        let now = node.filter(|node| node.features == features).map_or(0.0, |node| f64::from(node.force));
        max(0.0, min(before, now))
    };
    let pairs = last.pairs();
    let pair = pairs.get(pairs.partition_point(|pair| pair.end <= contact));
    let own = pair.map_or(&[][..], |pair| last.nodes_of(pair)).iter().filter(|node| node.contact == contact);
    let place = contact as usize;
    match (own.clone().next(), last.features().get(place), last.contacts().get(place)) {
        // A contact without nodes counts as one node, whose force is its area.
        (None, Some(features), Some(contact)) => common(*features, contact.area),
        _ => own.fold(0.0, |sum, node| sum + common(node.features, f64::from(node.force))),
    }
}
