//! Grouping of nodes: a union-find (disjoint sets) over neighbours and directions of forces.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::body::Body;
use super::convex::{CONVEX, convexity};
use super::entry::Entry;
use super::inward::Member;
use super::node_matrix::{ACROSS, Few, MANY, Pushes, Question, Rows, Visit};
use crate::contact::{Contact, status, unit};
use crate::mesh::NONE;

/// The data of a node, and of the set whose root it is.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Set {
    /// Direction of the force of the set.
    pub(super) normal: [f64; 3],
    /// While places are split: charts of both patches of the node. Before and after that, at a root: the flat patches that contain all nodes of
    /// the set; [`NONE`] if there are several.
    pub(super) charts: [u32; 2],
    /// The node of the set with the largest force.
    pub(super) chief: u32,
    /// [`FIRM`], [`SPLIT`], [`LEANS`], [`ALONE`], [`SHADE`] or [`DEAD`].
    pub(super) state: u32,
    /// Sum of the magnitudes of forces of the set.
    pub(super) total: f64,
    /// The part of these that leans too far.
    pub(super) steep: f64,
    /// Magnitude of the force of the set.
    pub(super) size: f64,
}

impl Set {
    /// Whether more than a little of its force leans too far.
    fn leans(&self) -> bool {
        self.state < LEANS && self.steep > LITTLE * self.total
    }
}

/// A node that connects its neighbours.
const FIRM: u32 = 0;
/// A node whose place is split by charts.
pub(super) const SPLIT: u32 = 1;
/// A leaning node, which joins the set of one of its neighbours.
const LEANS: u32 = 2;
/// A leaning node that has only leaning neighbours.
const ALONE: u32 = 3;
/// A tie of patches that do not face each other: it connects leaning nodes with its node. Other ties have the state of their node, and are united
/// with it.
const SHADE: u32 = 4;
/// A tie that connects nothing.
const DEAD: u32 = 5;

/// A place is split if the part of its forces that leans too far is larger than this.
pub const LITTLE: f64 = 0.01;

/// In a split place, a node with a smaller part of the place's force makes no set: nodes almost at right angles to a face have such forces by
/// rounding.
pub const NOISE: f64 = 1.0 / (1 << 20) as f64;

/// Charts of a node with negligible force.
const NOWHERE: [u32; 2] = [NONE; 2];

/// Marks a set that a tie of patches not facing each other offers to a leaning node. No memory holds that many nodes.
const SHADED: u32 = 1 << 30;

/// A forest: nodes of a set have the same root, which is the first of them in order.
pub struct Sets<'s> {
    pub list: &'s [Contact],
    pub entry: &'s [Entry],
    /// Magnitudes of forces.
    pub size: &'s [f64],
    /// Inward directions of nodes; empty if all nodes push along their normals.
    pub inwards: &'s [[f64; 3]],
    /// For roots, the sums of inward directions times the magnitudes of forces.
    pub inward_sums: &'s mut [[f64; 3]],
    pub root: &'s mut [u32],
    pub set: &'s mut [Set],
    /// For leaning nodes, the root of the set that suits best, with [`SHADED`].
    pub best: &'s mut [u32],
    /// The largest angle between a force and the direction of its place.
    pub limit: Limit,
}

impl Sets<'_> {
    pub fn root(&mut self, i: u32) -> u32 {
        let mut i = i;
        loop {
            let up = self.root.get(i as usize).copied().unwrap_or(i);
            if up == i {
                return i;
            }
            let above = self.root.get(up as usize).copied().unwrap_or(up);
            self.root.get_mut(i as usize).into_iter().for_each(|to| *to = above);
            i = above;
        }
    }

    pub(super) fn unite(&mut self, i: u32, j: u32) {
        let (i, j) = (self.root(i), self.root(j));
        let (first, second) = if i < j { (i, j) } else { (j, i) };
        self.root.get_mut(second as usize).into_iter().for_each(|to| *to = first);
    }

    pub(super) fn state(&self, i: u32) -> u32 {
        self.set.get(i as usize).map_or(ALONE, |set| set.state)
    }

    fn normal(&self, i: u32) -> DVec3 {
        let contact = self.entry.get(i as usize).and_then(|entry| self.list.get(entry.place as usize));
        contact.map_or(DVec3::ZERO, |contact| DVec3::from_array(contact.normal))
    }

    /// The inward direction of a node, if nodes do not all push along their normals.
    fn inward(&self, i: u32) -> Option<DVec3> {
        self.inwards.get(i as usize).map(|inward| DVec3::from_array(*inward))
    }

    fn size(&self, i: u32) -> f64 {
        self.size.get(i as usize).copied().unwrap_or(0.0)
    }

    pub(super) fn nodes(&self) -> core::ops::Range<u32> {
        0..self.entry.len() as u32
    }

    /// Finds the sets. `order` is scratch, a number for each node.
    pub fn group<B: Body>(&mut self, rows: &mut Rows<'_, B>, bodies: bool, order: &mut [u64]) {
        let mut leaning = false;
        for i in self.nodes() {
            let contact = self.entry.get(i as usize).and_then(|entry| self.list.get(entry.place as usize));
            let pushes = self.size(i) > 0.0;
            let leans = contact.is_none_or(|c| c.status & status::LEANS != 0) || !pushes;
            leaning |= leans;
            let state = if leans { LEANS } else { FIRM };
            if let (Some(set), Some(root)) = (self.set.get_mut(i as usize), self.root.get_mut(i as usize)) {
                *set = Set { normal: [0.0; 3], charts: [0; 2], chief: NONE, state, ..Set::default() };
                *root = if bodies { 0 } else { i };
            }
        }
        if bodies {
            let all = self.nodes().fold(0.0, |all, i| all + self.size(i));
            let sum = |of: &dyn Fn(u32) -> DVec3| self.nodes().fold(DVec3::ZERO, |sum, i| sum + of(i) * self.size(i));
            let is_large = |sum: DVec3| unit(sum).is_some_and(|(_, size)| size >= 0.5 * all);
            let by_inward = || !self.inwards.is_empty() && is_large(sum(&|i| self.inward(i).unwrap_or_default()));
            if is_large(sum(&|i| self.normal(i))) || by_inward() {
                return;
            }
            self.nodes().for_each(|i| self.root.get_mut(i as usize).into_iter().for_each(|root| *root = i));
        }
        self.tie();
        rows.neighbours(&mut Connect { sets: self, state: FIRM, apart: None });
        self.directions();
        if self.split(rows, order) {
            rows.neighbours(&mut Connect { sets: self, state: SPLIT, apart: None });
            self.directions();
            self.join_up(rows, order);
            leaning = true;
        }
        if leaning {
            self.lean(rows);
        }
    }

    /// Unites ties with their nodes.
    fn tie(&mut self) {
        for i in self.nodes() {
            let Some((faces, node)) = self.entry.get(i as usize).and_then(Entry::tie) else { continue };
            let state = if self.state(node) != FIRM {
                DEAD
            } else if faces {
                self.unite(i, node);
                FIRM
            } else {
                SHADE
            };
            self.set.get_mut(i as usize).into_iter().for_each(|set| set.state = state);
        }
    }

    fn is_tie(&self, i: u32) -> bool {
        self.entry.get(i as usize).is_some_and(Entry::is_tie)
    }

    /// Whether leaning nodes may join the set of this node.
    fn gives(&self, i: u32) -> bool {
        match self.state(i) {
            SHADE => self.entry.get(i as usize).and_then(Entry::tie).is_some_and(|(_, node)| self.state(node) < LEANS),
            state => state < LEANS,
        }
    }

    /// The root of that set, with [`SHADED`].
    fn offer(&mut self, i: u32) -> u32 {
        match self.entry.get(i as usize).and_then(Entry::tie).filter(|_| self.state(i) == SHADE) {
            Some((_, node)) => self.root(node) | SHADED,
            None => self.root(i),
        }
    }

    /// Computes the direction and the chief of each set of nodes that do not lean.
    pub(super) fn directions(&mut self) {
        for i in self.nodes() {
            if let Some(set) = self.set.get_mut(i as usize) {
                (set.normal, set.chief, set.total) = ([0.0; 3], NONE, 0.0);
            }
        }
        for i in self.nodes() {
            if self.state(i) >= LEANS || self.is_tie(i) {
                continue;
            }
            let (root, size, force) = (self.root(i), self.size(i), self.normal(i) * self.size(i));
            let Some(set) = self.set.get(root as usize) else { continue };
            let (sum, chief) = (DVec3::from_array(set.normal) + force, set.chief);
            let larger = chief == NONE || rank(size) > rank(self.size(chief));
            if let Some(set) = self.set.get_mut(root as usize) {
                set.normal = sum.to_array();
                set.total += size;
                set.chief = if larger { i } else { chief };
            }
        }
        for set in self.set.iter_mut().filter(|set| set.chief != NONE) {
            let sum = unit(DVec3::from_array(set.normal));
            (set.normal, set.size) = sum.map_or(([0.0; 3], 0.0), |(normal, size)| (normal.to_array(), size));
        }
        if !self.inwards.is_empty() {
            self.sum_inward();
        }
    }

    fn sum_inward(&mut self) {
        self.inward_sums.fill([0.0; 3]);
        for i in self.nodes() {
            if self.state(i) < LEANS && !self.is_tie(i) {
                let (root, own) = (self.root(i), self.inward(i).unwrap_or_default() * self.size(i));
                self.inward_sums
                    .get_mut(root as usize)
                    .into_iter()
                    .for_each(|sum| *sum = (DVec3::from_array(*sum) + own).to_array());
            }
        }
    }

    /// Finds the flat patches that contain all nodes of a set.
    pub(super) fn find_flat_patches<B: Body>(&mut self, rows: &Rows<'_, B>) {
        for i in self.nodes() {
            if self.state(i) >= LEANS {
                continue;
            }
            let (root, size) = (self.root(i), self.size(i));
            let chief = self.set.get(root as usize).map_or(NONE, |set| set.chief);
            let [features, first] = [i, chief].map(|i| {
                let features = self.entry.get(i as usize).map_or(0, |entry| entry.features);
                [(features >> 32) as u32, features as u32]
            });
            let counts = !self.is_tie(i);
            let Some(set) = self.set.get_mut(root as usize) else { continue };
            if i == root {
                // Starts with the patches of the node with the largest force; nodes on other patches remove them.
                set.charts = [0, 1].map(|side| if rows.is_flat(side, first[side]) { first[side] } else { NONE });
            }
            if counts && size > NOISE * set.total {
                set.charts = common(set.charts, features);
            }
        }
    }

    /// Adds up the forces that lean too far from the directions of sets, by the normals or by the inward directions of nodes.
    fn add_up_steep<B: Body>(&mut self, rows: &Rows<'_, B>, by_inward: bool) {
        let walls = rows.walls();
        for i in self.nodes() {
            if self.state(i) >= LEANS {
                continue;
            }
            let (root, size) = (self.root(i), self.size(i));
            let along = if by_inward { self.inward(i).unwrap_or_default() } else { self.normal(i) };
            let Some(set) = self.set.get_mut(root as usize) else { continue };
            let direction = DVec3::from_array(set.normal);
            // If forces sum to zero, the set has no direction.
            let cosine = direction.dot(along);
            let across = cosine < ACROSS || self.limit.is_at(cosine) && walls.are_between([i, set.chief], None);
            if across && size > NOISE * set.total {
                set.steep += set.total;
            } else if cosine < self.limit.cosine || direction == DVec3::ZERO {
                set.steep += size;
            }
        }
    }

    /// Splits places with forces that lean too far, and returns whether there are any. A place on one flat patch stays whole: a body that stands
    /// on it, on an edge or a corner, is pushed along its normal. A place where both bodies are convex stays whole, too.
    fn split<B: Body>(&mut self, rows: &Rows<'_, B>, order: &mut [u64]) -> bool {
        let mut any = false;
        self.add_up_steep(rows, false);
        if !self.set.iter().any(Set::leans) {
            return false;
        }
        if !self.inwards.is_empty() {
            // A set that does not lean by its normals does not lean.
            self.set.iter_mut().for_each(|set| set.steep = if set.leans() { 0.0 } else { f64::NEG_INFINITY });
            self.add_up_steep(rows, true);
            if !self.set.iter().any(Set::leans) {
                return false;
            }
        }
        self.keep_convex(rows, order);
        self.find_flat_patches(rows);
        let breaks = |set: &&mut Set| set.leans() && set.charts == [NONE; 2];
        for set in self.set.iter_mut().filter(breaks) {
            set.state = SPLIT;
            any = true;
        }
        if !any {
            return false;
        }
        for i in self.nodes() {
            let root = self.root(i);
            let of_place = self.set.get(root as usize).map_or(0.0, |set| set.total);
            if self.state(i) < LEANS && self.state(root) == SPLIT && !self.is_tie(i) {
                let charts = if self.size(i) > NOISE * of_place { rows.charts(i) } else { NOWHERE };
                self.set.get_mut(i as usize).into_iter().for_each(|set| (set.state, set.charts) = (SPLIT, charts));
            }
        }
        for i in self.nodes() {
            if self.state(i) == SPLIT
                && !self.is_tie(i)
                && let (Some(root), Some(set)) = (self.root.get_mut(i as usize), self.set.get_mut(i as usize))
            {
                *root = i;
                if set.charts == NOWHERE {
                    set.state = LEANS;
                }
            }
        }
        self.split_ties();
        true
    }

    /// Clears the leaning force of places where both bodies are convex.
    fn keep_convex<B: Body>(&mut self, rows: &Rows<'_, B>, order: &mut [u64]) {
        let mut count = 0;
        for i in self.nodes().filter(|_| self.inwards.is_empty()) {
            let root = self.root(i);
            if self.state(i) < LEANS
                && !self.is_tie(i)
                && self.set.get(root as usize).is_some_and(Set::leans)
                && let Some(to) = order.get_mut(count)
            {
                *to = u64::from(root) << 32 | u64::from(i);
                count += 1;
            }
        }
        let order = order.get_mut(..count).unwrap_or_default();
        order.sort_unstable();
        for nodes in order.chunk_by(|x, y| x >> 32 == y >> 32) {
            let member = |key: &u64| {
                let entry = self.entry.get(*key as u32 as usize)?;
                let contact = self.list.get(entry.place as usize)?;
                Some(Member { node: *key as u32, contact, size: self.size(*key as u32), inward: DVec3::ZERO })
            };
            let outward = |i| rows.outward_of_flats(i);
            let is_convex = convexity(nodes.iter().filter_map(member), outward) >= CONVEX;
            let root = nodes.first().map_or(NONE, |key| (key >> 32) as u32);
            self.set.get_mut(root as usize).filter(|_| is_convex).into_iter().for_each(|set| set.steep = 0.0);
        }
    }

    /// Gives ties the state of their nodes.
    fn split_ties(&mut self) {
        for again in [false, true] {
            for i in self.nodes() {
                let Some((_, of)) = self.entry.get(i as usize).and_then(Entry::tie) else { continue };
                let node = self.set.get(of as usize).map(|set| (set.state, set.charts));
                let (Some((state, charts)), FIRM | SPLIT) = (node, self.state(i)) else { continue };
                match state {
                    FIRM => {}
                    SPLIT if again => self.unite(i, of),
                    _ => {
                        let state = if state == SPLIT { SPLIT } else { DEAD };
                        self.set
                            .get_mut(i as usize)
                            .into_iter()
                            .for_each(|set| (set.state, set.charts) = (state, charts));
                        self.root.get_mut(i as usize).into_iter().for_each(|root| *root = i);
                    }
                }
            }
        }
    }

    /// Adds leaning nodes to the sets beside them.
    fn lean<B: Body>(&mut self, rows: &mut Rows<'_, B>) {
        self.best.fill(NONE);
        let walls = rows.walls();
        if walls.any {
            self.find_flat_patches(rows);
        }
        let normals = |i: u32| walls.normals(i);
        let cosine = self.limit.cosine;
        let apart = |nodes: [u32; 2], set: Option<&Set>| {
            let pushes = |set: &Set| Pushes { direction: DVec3::from_array(set.normal), cosine, flats: set.charts };
            walls.are_between(nodes, set.map(pushes))
        };
        rows.neighbours(&mut Lean { sets: self, apart: &apart, normals: &normals, offers: [NONE; u64::BITS as usize] });
        let mut alone = 0;
        for i in self.nodes() {
            if self.state(i) != LEANS {
                continue;
            }
            match self.best.get(i as usize).map(|best| *best & !SHADED).filter(|best| *best != NONE & !SHADED) {
                Some(best) => self.root.get_mut(i as usize).into_iter().for_each(|root| *root = best),
                None => {
                    self.set.get_mut(i as usize).into_iter().for_each(|set| set.state = ALONE);
                    alone += 1;
                }
            }
        }
        if alone > 1 {
            rows.neighbours(&mut Connect { sets: self, state: ALONE, apart: Some(&apart) });
        }
    }

    /// Offers a set to a leaning node, which keeps the better one. Sets of neighbours have priority over sets from ties, because a patch along
    /// the curve may reach as far as another foot. Then sets on the same side of a wall have priority: the forces of a flat wall add up to a
    /// force along its normal.
    fn suits(&mut self, i: u32, offer: u32, apart: &Apart<'_>, normals: &Normals<'_>) {
        let Some(best) = self.best.get(i as usize).copied() else { return };
        if best == offer {
            return;
        }
        let of = |offer: u32| self.set.get((offer & !SHADED) as usize).filter(|_| offer != NONE);
        let better = match (of(best), of(offer)) {
            (Some(x), Some(y)) => {
                // Most leaning nodes have one set beside them; only the others compare sets.
                let looks = base(self.normal(i), normals(i));
                let rank = |offer: u32, set: &Set| {
                    let suit = suit(DVec3::from_array(set.normal), set.size, looks);
                    (offer & SHADED == 0, !apart([i, set.chief], None), suit)
                };
                let (rank_x, rank_y) = (rank(best, x), rank(offer, y));
                rank_y > rank_x || (rank_y == rank_x && y.chief < x.chief)
            }
            (None, _) => true,
            _ => false,
        };
        let is_apart = |set: &Set| apart([i, set.chief], Some(set));
        if better && !of(offer).is_some_and(is_apart) {
            self.best.get_mut(i as usize).into_iter().for_each(|best| *best = offer);
        }
    }
}

/// The patches common to both.
pub(super) fn common(these: [u32; 2], others: [u32; 2]) -> [u32; 2] {
    [0, 1].map(|side| if these[side] == others[side] { these[side] } else { NONE })
}

/// The direction that the set of a leaning node should have. `normals` are those of its patches, as from `Walls::normals`.
///
/// The side of a box on a floor is pressed along the floor. The forces on all sides cancel, so all side nodes belong to the set on the floor, and
/// none to a wall in front of one side. So if the node's force is farther from the normal of one patch than from that of the other, the direction
/// is the normal of the first patch. If both are almost equally far, the direction is that of the force.
pub(super) fn base(normal: DVec3, normals: [Option<DVec3>; 2]) -> DVec3 {
    const FARTHER: f64 = 0.25;
    let [Some(x), Some(y)] = normals else { return normal };
    let farther = x.dot(normal).abs() - y.dot(normal).abs();
    if farther.abs() <= FARTHER {
        normal
    } else if farther > 0.0 {
        y
    } else {
        x
    }
}

/// Rank of a set for a leaning node with the direction `looks`; the set has a force of this direction and size. The cosine comes first, in steps
/// of a quarter, then the size, in steps of 2^-10 of it.
///
/// The sides of a body with two feet are pushed along the floor. Their forces cancel where they are summed together, so all should join one foot,
/// the stronger one. The steps keep rounding of sizes from moving some of them to the other foot.
pub(super) fn suit(direction: DVec3, size: f64, looks: DVec3) -> (u32, u64) {
    const STEPS: f64 = 4.0;
    const DROPPED: u32 = f64::MANTISSA_DIGITS - 1 - 10;
    let along = ((direction.dot(looks) + 1.0) * STEPS + 0.5) as u32;
    (along, (size.to_bits() + (1 << (DROPPED - 1))) >> DROPPED)
}

/// The force in steps of 2^-30 of it. Forces in one step count as equal, and then the order of nodes decides. So rounding seldom changes how equal
/// walls around a peg are joined.
pub(super) fn rank(force: f64) -> u64 {
    force.to_bits() >> 22
}

/// Whether a wall is between two nodes; the second one may be the chief of a set.
pub(super) type Apart<'a> = dyn Fn([u32; 2], Option<&Set>) -> bool + 'a;

/// The normals of both patches of a node, as from `Walls::normals`.
type Normals<'a> = dyn Fn(u32) -> [Option<DVec3>; 2] + 'a;

/// Unites neighbours of one state; in split places only those of the same charts.
struct Connect<'v, 's> {
    sets: &'v mut Sets<'s>,
    state: u32,
    /// Whether two neighbours are apart nevertheless.
    apart: Option<&'v Apart<'v>>,
}

impl Connect<'_, '_> {
    fn alike(&self, s: u32, t: u32) -> bool {
        let charts = |i: u32| self.sets.set.get(i as usize).map(|set| set.charts);
        self.state != SPLIT || charts(s) == charts(t)
    }
}

impl Visit for Connect<'_, '_> {
    fn wanted(&self, s: u32) -> bool {
        self.sets.state(s) == self.state
    }

    fn few(&mut self, count: u32) -> Few {
        let these = Few::bits(count, |i| self.wanted(i));
        // In split places, charts decide for each pair, and so do walls.
        Few { these, others: these, unite: self.state != SPLIT && self.apart.is_none() }
    }

    fn question(&mut self, s: u32, t: u32) -> Question {
        if self.sets.state(t) != self.state || !self.alike(s, t) {
            Question::No
        } else if self.sets.root(s) == self.sets.root(t) {
            Question::Settled(s)
        } else {
            Question::Open
        }
    }

    fn meet(&mut self, s: u32, t: u32) -> u32 {
        if self.apart.is_some_and(|apart| apart([s, t], None)) {
            return MANY;
        }
        self.sets.unite(s, t);
        s
    }

    fn again(&mut self, s: u32, by: u32, found: u32) -> bool {
        if !self.alike(s, by) || (self.apart.is_some() && found != NONE) {
            return false;
        }
        match found {
            NONE => true,
            // All existing neighbours belong to the set of `by`.
            MANY => self.sets.root(s) == self.sets.root(by),
            _ => {
                self.sets.unite(s, by);
                true
            }
        }
    }
}

/// Lets leaning nodes choose among the sets of their neighbours.
struct Lean<'v, 's> {
    sets: &'v mut Sets<'s>,
    /// Whether a wall is between two nodes: a set with the second one does not suit the first one.
    apart: &'v Apart<'v>,
    normals: &'v Normals<'v>,
    /// The offer of each of few nodes.
    offers: [u32; u64::BITS as usize],
}

impl Lean<'_, '_> {
    /// Offers a set to a node that leans.
    fn suits(&mut self, i: u32, offer: u32) {
        self.sets.suits(i, offer, self.apart, self.normals);
    }
}

impl Visit for Lean<'_, '_> {
    fn wanted(&self, s: u32) -> bool {
        self.sets.gives(s) || self.sets.state(s) == LEANS
    }

    fn few(&mut self, count: u32) -> Few {
        let these = Few::bits(count, |i| self.sets.state(i) == LEANS);
        let others = Few::bits(count, |i| self.sets.gives(i));
        for (i, offer) in (0..count).zip(&mut self.offers).filter(|(i, _)| others >> i & 1 != 0) {
            *offer = self.sets.offer(i);
        }
        Few { these, others, unite: false }
    }

    fn question(&mut self, s: u32, t: u32) -> Question {
        let (s, t) = match [s, t].map(|i| self.sets.gives(i)) {
            [false, true] => (s, t),
            [true, false] => (t, s),
            _ => return Question::No,
        };
        let offer = self.sets.offer(t);
        if self.sets.best.get(s as usize) == Some(&offer) { Question::Settled(offer) } else { Question::Open }
    }

    fn meet(&mut self, s: u32, t: u32) -> u32 {
        let (s, t) = if self.sets.gives(s) { (t, s) } else { (s, t) };
        let offer = self.sets.offer(t);
        self.suits(s, offer);
        offer
    }

    /// The first node leans, the other one offers its set: see `few`.
    fn ask(&mut self, s: u32, t: u32) {
        let offer = self.offers.get(t as usize).copied().unwrap_or(NONE);
        self.suits(s, offer);
    }

    fn again(&mut self, s: u32, by: u32, found: u32) -> bool {
        match [s, by].map(|i| self.sets.gives(i)) {
            // All leaning nodes there have been offered this set.
            [true, true] => found == NONE || self.sets.offer(s) == self.sets.offer(by),
            [false, false] if found == NONE => true,
            [false, false] if found != MANY => {
                self.suits(s, found);
                true
            }
            _ => false,
        }
    }
}

/// The largest angle between a force and the direction of its region.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    /// Its cosine, less the rounding of a product of normals.
    pub cosine: f64,
    pub sine: f64,
}

impl Limit {
    /// Whether a force is at the limiting angle from a direction, within rounding: floor and wall that push with the same force.
    pub fn is_at(&self, cosine: f64) -> bool {
        const ROUNDING: f64 = 1.0 / (1u64 << 38) as f64;
        cosine < self.cosine + ROUNDING
    }
}
