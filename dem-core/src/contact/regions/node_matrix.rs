//! Nodes by patch of one body and of the other: a sparse matrix with a row for each patch of the first body.

use core::ops::Range;

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::apart::{Nodes, reaches, spread_out};
use super::body::{Body, Part};
use super::curve_neighbours::LINK;
use super::entry::{Entry, FACES, Spot, TIE};
use super::outward::Outward;
use crate::contact::Contact;
pub(super) use crate::contact::cells::ACROSS;
use crate::contact::penetration::Tie;
use crate::mesh::NONE;
use crate::real::min;

/// The result of the scan of a row for a column.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct Memo {
    /// The row; [`NONE`] if none was scanned.
    row: u32,
    /// The node for which it was scanned.
    by: u32,
    /// The result: [`NONE`] for nothing, [`MANY`] for several results or an unknown one.
    found: u32,
}

/// The result of a scan with several results.
pub const MANY: u32 = NONE - 1;

/// Whether two nodes have to be tested.
pub enum Question {
    /// The relation of both nodes has no effect.
    No,
    /// The relation has no further effect; this is the result that would be stored for it.
    Settled(u32),
    Open,
}

/// The action on pairs of neighbouring nodes.
pub trait Visit {
    /// Whether a node takes part at all.
    fn wanted(&self, s: u32) -> bool;
    /// Which of few nodes take part.
    fn few(&mut self, count: u32) -> Few;
    /// A cheap test before it is known whether the nodes are neighbours.
    fn question(&mut self, s: u32, t: u32) -> Question;
    /// Called for neighbours. Returns the result to store, below [`MANY`].
    fn meet(&mut self, s: u32, t: u32) -> u32;
    /// Both calls, for a node of [`Few::these`] and one of [`Few::others`] that are neighbours.
    fn ask(&mut self, s: u32, t: u32) {
        if let Question::Open = self.question(s, t) {
            self.meet(s, t);
        }
    }
    /// A row was compared with node `by`, which has the same patch of the second body as `s`, with the result `found`. Returns whether `s` needs
    /// no comparison with that row.
    fn again(&mut self, s: u32, by: u32, found: u32) -> bool;
}

/// The participants among at most [`u64::BITS`] nodes, a bit for each.
pub struct Few {
    /// Nodes that are tested against their neighbours.
    pub these: u64,
    /// Neighbours against which they are tested.
    pub others: u64,
    /// Both masks are equal, and connected nodes are united: it is enough that each of them meets the first one.
    pub unite: bool,
}

impl Few {
    /// Bits of nodes.
    pub fn bits(count: u32, of: impl Fn(u32) -> bool) -> u64 {
        (0..count.min(u64::BITS)).fold(0, |all, i| all | u64::from(of(i)) << i)
    }
}

/// Calls `put` for each bit of a number, the lowest first; `put` may change the remaining bits.
fn each_bit(bits: u64, mut put: impl FnMut(u32, &mut u64)) {
    let mut left = bits;
    while left != 0 {
        let bit = left.trailing_zeros();
        left &= left - 1;
        put(bit, &mut left);
    }
}

/// The nodes of two bodies.
pub struct Rows<'r, B> {
    bodies: [&'r B; 2],
    swapped: bool,
    pub entry: &'r [Entry],
    rows: &'r [Spot],
    columns: &'r [Spot],
    ties: &'r [Tie],
    memo: &'r mut [Memo],
    nodes: Nodes<'r>,
    outward: Outward<'r, B>,
}

/// The output of [`Rows::new`]: an item for each node and for each tie that is no link.
pub struct Room<'r> {
    pub entry: &'r mut [Entry],
    pub first: &'r mut [Spot],
    pub second: &'r mut [Spot],
    pub memo: &'r mut [Memo],
    pub across: &'r mut [u32],
    pub reach: &'r mut [f64],
}

/// Up to this number of nodes, the neighbours of each node are the bits of a number. It is computed once for all visits, and stored in place of
/// scan results.
const FEW: usize = u64::BITS as usize;

impl Memo {
    /// Stores the neighbours of a node.
    fn keep(&mut self, beside: u64) {
        (self.row, self.by) = (beside as u32, (beside >> 32) as u32);
    }

    /// The stored neighbours.
    fn beside(&self) -> u64 {
        u64::from(self.by) << 32 | u64::from(self.row)
    }
}

impl<'r, B: Body> Rows<'r, B> {
    /// `bodies`: the first one in space, then the other one, which is A if `swapped`. `ties` are settled. Everything has an item for each item of
    /// `list` and for each tie that is no link.
    pub fn new(
        (list, ties): (&[Contact], &'r [Tie]),
        bodies: [&'r B; 2],
        swapped: bool,
        room: Room<'r>,
        order: &mut [u64],
        marks: &mut [u32],
    ) -> Self {
        let Room { entry, first: rows, second: columns, memo, across, reach } = room;
        for (i, (to, contact)) in entry.iter_mut().zip(list).enumerate() {
            let features = if swapped { contact.key[1].rotate_left(32) } else { contact.key[1] };
            *to = Entry { features, place: i as u32, column: NONE };
        }
        let faces = |tie: &Tie| if tie.faces != 0 { FACES } else { 0 };
        let own = (0..).zip(ties).filter(|(_, tie)| tie.faces != LINK);
        for (to, (i, tie)) in entry.iter_mut().skip(list.len()).zip(own) {
            *to = Entry { features: tie.at, place: TIE | faces(tie) | i, column: NONE };
        }
        if swapped || !ties.is_empty() {
            entry.sort_unstable_by_key(|entry| (entry.features, entry.place));
        }
        for i in 0..entry.len() {
            let Some((_, of)) = entry.get(i).and_then(Entry::tie) else { continue };
            let node = ties.get(of as usize).map_or(0, |tie| node_of(entry, tie.node));
            entry.get_mut(i).into_iter().for_each(|entry| entry.place = entry.place & (TIE | FACES) | node);
        }
        let count = spots(bodies[0], entry.iter().map(|e| (e.features >> 32) as u32), |_, _| (), rows);
        let rows = rows.get_mut(..count).unwrap_or_default();
        for (i, (to, entry)) in order.iter_mut().zip(&*entry).enumerate() {
            *to = entry.features << 32 | i as u64;
        }
        order.sort_unstable();
        let column = |at: usize, column: u32| {
            let place = order.get(at).map_or(0, |key| *key as u32 as usize);
            entry.get_mut(place).into_iter().for_each(|entry| entry.column = column);
        };
        let count = spots(bodies[1], order.iter().map(|key| (key >> 32) as u32), column, columns);
        let columns = columns.get_mut(..count).unwrap_or_default();
        let mut nodes = Nodes { entry, across: &[], reach: &[] };
        if spread_out(list) {
            for (to, key) in across.iter_mut().zip(&*order) {
                *to = *key as u32;
            }
            reaches(list, entry, reach);
            nodes = Nodes { entry, across, reach };
            if entry.len() > FEW {
                let later = |body: &B, spots: &[Spot], i: usize, put: &mut dyn FnMut(usize)| {
                    around(body, spots, (i, i + 1), put);
                };
                nodes.mark(bodies, 0, rows, |spots, i, put| later(bodies[0], spots, i, put), marks);
                nodes.mark(bodies, 1, columns, |spots, i, put| later(bodies[1], spots, i, put), marks);
            }
        }
        let (rows, columns) = (&*rows, &*columns);
        if entry.len() <= FEW {
            find_beside(bodies, &nodes, [rows, columns], memo);
        }
        let outward = Outward::new(bodies, entry);
        Rows { bodies, swapped, entry, rows, columns, ties, memo, nodes, outward }
    }

    /// The charts of both patches of a node.
    pub fn charts(&self, i: u32) -> [u32; 2] {
        let Some(entry) = self.entry.get(i as usize) else { return [NONE; 2] };
        let row = self.rows.partition_point(|row| row.feature < (entry.features >> 32) as u32);
        let chart = |body: &B, spot: Option<&Spot>| spot.map_or(NONE, |s| body.chart(s.part, s.feature - s.base));
        [chart(self.bodies[0], self.rows.get(row)), chart(self.bodies[1], self.columns.get(entry.column as usize))]
    }

    /// Finds outward normals once for all later queries, if no patch is round or bent. Both arrays have an item for each node.
    pub fn find_outward(&mut self, by_node: &'r mut [[f64; 3]], by_column: &'r mut [[f64; 3]]) {
        self.outward.find(self.columns, by_node, by_column);
    }

    /// The outward unit normals of both patches of a node, of A and of B; `None` for a round patch.
    pub fn outward(&self, i: u32) -> [Option<DVec3>; 2] {
        let [first, second] = self.outward.all(i);
        if self.swapped { [second, first] } else { [first, second] }
    }

    /// The same; `None` for a round or bent patch.
    pub fn outward_of_flats(&self, i: u32) -> [Option<DVec3>; 2] {
        let [first, second] = self.outward.flats(i);
        if self.swapped { [second, first] } else { [first, second] }
    }

    /// The data from which walls are found.
    pub fn walls(&self) -> Walls<'r, B> {
        let Rows { bodies, swapped, entry, rows, columns, outward, .. } = *self;
        let any = bodies.iter().any(|body| body.has_walls());
        Walls { bodies, swapped, entry, spots: [rows, columns], outward, any }
    }

    /// Whether a feature of a body is a flat patch: of the first body in space, or of the other one.
    pub fn is_flat(&self, side: usize, feature: u32) -> bool {
        self.bodies[side % 2].is_flat(feature)
    }

    /// Calls `visit` for all pairs of neighbouring nodes, at least once each.
    ///
    /// Two rows whose patches meet are compared once: the nodes of the shorter row search for neighbours in the longer one. The cost is the sum
    /// of the lengths of the shorter rows. On any surface this is a small multiple of the number of nodes, even if one patch is a neighbour of
    /// all others.
    pub fn neighbours(&mut self, visit: &mut impl Visit) {
        if self.entry.len() <= FEW {
            self.few(visit);
        } else {
            self.memo.fill(Memo { row: NONE, by: NONE, found: NONE });
            let (body, rows) = (self.bodies[0], self.rows);
            for i in 0..rows.len() {
                self.compare(i, i, visit);
                around(body, rows, (i, 0), |j| {
                    if !self.apart(0, i, j) {
                        self.compare(j, i, visit);
                    }
                });
            }
        }
        self.links(visit);
    }

    /// Whether two patches that meet still belong to different places.
    fn apart(&self, side: usize, i: usize, j: usize) -> bool {
        let spots = if side == 0 { self.rows } else { self.columns };
        let marked = |i: usize| spots.get(i).is_some_and(|spot| spot.apart != 0);
        marked(i) && marked(j) && self.nodes.apart(self.bodies, side, spots, [i, j])
    }

    /// The same for few nodes, without links: each pair at most once.
    fn few(&self, visit: &mut impl Visit) {
        let Few { these, others, unite } = visit.few(self.entry.len() as u32);
        let beside = |s: u32| self.memo.get(s as usize).map_or(0, Memo::beside);
        if unite {
            return each_bit(these, |first, rest| {
                let mut all = 1 << first;
                // Adds neighbours of neighbours until no new node is found.
                each_bit(all, |s, next| {
                    let new = beside(s) & these & !all;
                    each_bit(new, |t, _| _ = visit.meet(first, t));
                    all |= new;
                    *next |= new;
                });
                *rest &= !all;
            });
        }
        each_bit(these, |s, _| {
            // If both nodes are tested, only the first one tests.
            let later = if others >> s & 1 != 0 { u64::MAX << s } else { u64::MAX };
            each_bit(beside(s) & others & later, |t, _| visit.ask(s, t));
        });
    }

    /// Nodes that are beside each other because patches cross around both.
    fn links(&self, visit: &mut impl Visit) {
        for link in self.ties.iter().filter(|tie| tie.faces == LINK) {
            let [s, t] = [link.node, link.at].map(|features| node_of(self.entry, features));
            if visit.wanted(s)
                && let Question::Open = visit.question(s, t)
            {
                visit.meet(s, t);
            }
        }
    }

    /// The entries of a row.
    fn row(&self, i: usize) -> Range<usize> {
        let start = |i: usize| self.rows.get(i).map_or(self.entry.len(), |row| row.from as usize);
        start(i)..start(i + 1)
    }

    /// The nodes of a row search for neighbours in another row that is at least as long.
    fn compare(&mut self, short: usize, long: usize, visit: &mut impl Visit) {
        let (of, all) = (self.row(short), self.row(long));
        if (of.len(), short) > (all.len(), long) {
            return;
        }
        let other = self.entry.get(all.clone()).unwrap_or_default();
        for s in of {
            let column = self.entry.get(s).map_or(NONE, |entry| entry.column);
            let (Some(spot), true) = (self.columns.get(column as usize).copied(), visit.wanted(s as u32)) else {
                continue;
            };
            let Some(memo) = self.memo.get(column as usize).copied() else { continue };
            if memo.row == long as u32 && visit.again(s as u32, memo.by, memo.found) {
                continue;
            }
            let (mut found, mut settled) = (NONE, NONE);
            let both = |x: u32, y: u32| if x == NONE || x == y { y } else { MANY };
            let mut check = |t: usize, known: bool| {
                let at = (all.start + t) as u32;
                let Some(column_t) = other.get(t).map(|entry| entry.column as usize) else { return };
                let Some(spot_t) = self.columns.get(column_t) else { return };
                if at == s as u32 {
                    return;
                }
                match visit.question(s as u32, at) {
                    Question::No => {}
                    Question::Settled(what) => settled = both(settled, what),
                    Question::Open
                        if (known || meet(self.bodies[1], &spot, spot_t))
                            && !self.apart(1, column as usize, column_t) =>
                    {
                        found = both(found, visit.meet(s as u32, at));
                    }
                    Question::Open => {}
                }
            };
            let around = self.bodies[1].neighbours(spot.part, spot.feature - spot.base);
            if around.len() < other.len() {
                let mut from = 0;
                let mut seek = |feature: u32, from: &mut usize| {
                    *from += other.get(*from..).unwrap_or_default().partition_point(|e| (e.features as u32) < feature);
                    let same =
                        other.get(*from..).unwrap_or_default().iter().take_while(|e| e.features as u32 == feature);
                    (*from..).zip(same).for_each(|(t, _)| check(t, true));
                };
                for next in around {
                    seek(spot.base.wrapping_add(*next), &mut from);
                }
                seek(spot.feature, &mut 0);
            } else {
                (0..other.len()).for_each(|t| check(t, false));
            }
            if settled != NONE && settled != found {
                found = MANY;
            }
            // In its own row a node skips itself, so the result says nothing about other nodes in its column.
            if short != long
                && let Some(memo) = self.memo.get_mut(column as usize)
            {
                *memo = Memo { row: long as u32, by: s as u32, found };
            }
        }
    }
}

/// Writes the neighbours of each node, a bit for each: the nodes of patches that meet on both bodies.
///
/// Out of line, so that its arrays take no stack in later calls.
#[inline(never)]
fn find_beside<B: Body>(bodies: [&B; 2], all_nodes: &Nodes<'_>, [rows, columns]: [&[Spot]; 2], to: &mut [Memo]) {
    let entry = all_nodes.entry;
    let (mut nodes, mut all) = ([0_u64; FEW], [0_u64; FEW]);
    let bit = |i: usize| 1_u64 << (i % FEW);
    for (i, entry) in entry.iter().enumerate().take(to.len()) {
        nodes.get_mut(entry.column as usize).into_iter().for_each(|nodes| *nodes |= bit(i));
    }
    // Most patches are apart from none, and their neighbours are not tested.
    let apart_ones = |side: usize, spots: &[Spot]| {
        if all_nodes.reach.is_empty() {
            return 0;
        }
        let may = |i: &usize| all_nodes.may_be_apart(bodies[side], side, spots, *i);
        (0..spots.len().min(FEW)).filter(may).fold(0, |all, i| all | bit(i))
    };
    let both = |some: u64, i: usize, j: usize| some & bit(i) != 0 && some & bit(j) != 0;
    let some = apart_ones(1, columns);
    let apart = |i: usize, j: usize| both(some, i, j) && all_nodes.apart(bodies, 1, columns, [i, j]);
    meet_all(bodies[1], columns, apart, &nodes, &mut all);
    for (own, all) in nodes.iter().zip(&all).take(columns.len()) {
        each_bit(*own, |i, _| to.get_mut(i as usize).into_iter().for_each(|to| to.keep(*all)));
    }
    let start = |i: usize| rows.get(i).map_or(entry.len(), |row| row.from as usize);
    for (row, nodes) in nodes.iter_mut().enumerate().take(rows.len()) {
        *nodes = (start(row)..start(row + 1)).fold(0, |all, i| all | bit(i));
    }
    // Patches whose nodes do not meet on the other body are not tested, either.
    let met = |i: usize, j: usize| {
        let mut met = false;
        each_bit(nodes[i % FEW], |node, _| {
            met |= to.get(node as usize).is_some_and(|memo| memo.beside() & nodes[j % FEW] != 0);
        });
        met
    };
    let some = apart_ones(0, rows);
    let apart = |i: usize, j: usize| both(some, i, j) && met(i, j) && all_nodes.apart(bodies, 0, rows, [i, j]);
    meet_all(bodies[0], rows, apart, &nodes, &mut all);
    for (own, all) in nodes.iter().zip(&all).take(rows.len()) {
        each_bit(*own, |i, _| {
            to.get_mut(i as usize).into_iter().for_each(|to| to.keep(to.beside() & all & !bit(i as usize)));
        });
    }
}

/// For each of few patches of a body: its own nodes and those of all patches that share a vertex with it.
fn meet_all<B: Body>(
    body: &B,
    spots: &[Spot],
    apart: impl Fn(usize, usize) -> bool,
    nodes: &[u64; FEW],
    all: &mut [u64; FEW],
) {
    *all = *nodes;
    for i in 0..spots.len().min(FEW) {
        // Each pair once.
        around(body, spots, (i, i + 1), |j| {
            let j = j % FEW;
            if apart(i, j) {
                return;
            }
            (all[i], all[j]) = (all[i] | nodes[j], all[j] | nodes[i]);
        });
    }
}

/// Calls `put` for the patches of a list, from index `first` on, that share a vertex with patch `i`.
fn around<B: Body>(body: &B, spots: &[Spot], (i, first): (usize, usize), mut put: impl FnMut(usize)) {
    let (Some(spot), Some(next)) = (spots.get(i), spots.get(first)) else { return };
    let list = body.neighbours(spot.part, spot.feature - spot.base);
    let before = if first == 0 { 0 } else { list.partition_point(|own| spot.base.wrapping_add(*own) < next.feature) };
    let list = list.get(before..).unwrap_or_default();
    // A search costs about as much as a few steps along the list.
    if list.len() / 4 < spots.len() {
        // If both lists are short, walking both in parallel is faster.
        let walk = spots.len() <= FEW;
        let mut from = first;
        for next in list {
            let feature = spot.base.wrapping_add(*next);
            let before = |other: &Spot| other.feature < feature;
            let rest = spots.get(from..).unwrap_or_default();
            from +=
                if walk { rest.iter().take_while(|other| before(other)).count() } else { rest.partition_point(before) };
            match spots.get(from) {
                Some(other) if other.feature == feature => put(from),
                Some(_) => {}
                None => break,
            }
        }
    } else {
        let others = spots.iter().enumerate().skip(first);
        let others = others.filter(|(j, other)| *j != i && meet(body, spot, other));
        others.for_each(|(j, _)| put(j));
    }
}

/// The index of a node. Nodes come before ties with the same features.
fn node_of(entry: &[Entry], features: u64) -> u32 {
    entry.partition_point(|entry| entry.features < features) as u32
}

/// Lists the distinct features, which come in ascending order, and passes the list index of each feature to `put`.
fn spots<B: Body>(
    body: &B,
    features: impl Iterator<Item = u32>,
    mut put: impl FnMut(usize, u32),
    to: &mut [Spot],
) -> usize {
    let (mut count, mut part) = (0, Part::default());
    let mut last = None;
    for (at, feature) in features.enumerate() {
        if last != Some(feature) {
            last = Some(feature);
            part = body.part(feature, part);
            if let Some(to) = to.get_mut(count) {
                *to = Spot { feature, part: part.index, base: min(part.first, feature), from: at as u32, apart: 0 };
            }
            count += 1;
        }
        put(at, count as u32 - 1);
    }
    count
}

/// Whether two patches of a body are the same or share a vertex.
fn meet<B: Body>(body: &B, x: &Spot, y: &Spot) -> bool {
    if x.feature == y.feature || x.part != y.part {
        return x.feature == y.feature;
    }
    let [of_x, of_y] = [x, y].map(|s| body.neighbours(s.part, s.feature - s.base));
    if of_x.len() <= of_y.len() {
        of_x.binary_search(&(y.feature - y.base)).is_ok()
    } else {
        of_y.binary_search(&(x.feature - x.base)).is_ok()
    }
}

/// Finds whether patches of both bodies are a wall and a floor.
pub struct Walls<'r, B> {
    bodies: [&'r B; 2],
    swapped: bool,
    entry: &'r [Entry],
    spots: [&'r [Spot]; 2],
    outward: Outward<'r, B>,
    /// Whether some body has walls.
    pub any: bool,
}

/// A set that a node may join.
#[derive(Clone, Copy)]
pub struct Pushes {
    /// The direction of its force.
    pub direction: DVec3,
    /// The cosine of the largest angle between a force and the direction of its place.
    pub cosine: f64,
    /// The flat patches that contain the whole set, of the first body and of the second one; [`NONE`] if there is none.
    pub flats: [u32; 2],
}

impl<B: Body> Walls<'_, B> {
    /// The unit normals of both patches of a node, both directed from the second body of the contact to the first one; `None` for a round patch.
    pub fn normals(&self, i: u32) -> [Option<DVec3>; 2] {
        let [first, second] = self.outward.all(i);
        if self.swapped { [first, second.map(|n| -n)] } else { [first.map(|n| -n), second] }
    }

    /// The index of a node's patch of a body among the patches with nodes.
    fn place(&self, side: usize, i: u32) -> usize {
        let Some(entry) = self.entry.get(i as usize) else { return usize::MAX };
        match side {
            0 => self.spots[0].partition_point(|row| row.feature < (entry.features >> 32) as u32),
            _ => entry.column as usize,
        }
    }

    /// Whether one of two nodes is on a wall, and the other one on the floor: two patches of a body at right angles across a concave edge.
    ///
    /// If the second node is the chief of a set, both may still be in one region. This holds if not the whole set is on the floor, and the angle
    /// between the first node's patch normal and the set's direction is at most the angle of `cosine`.
    pub fn are_between(&self, [i, j]: [u32; 2], set: Option<Pushes>) -> bool {
        if !self.any {
            return false;
        }
        let [of_i, of_j] = [i, j].map(|i| self.entry.get(i as usize).map_or(0, |entry| entry.features));
        // The second body comes first, because its patches need no search.
        [1, 0].into_iter().any(|side| {
            let shift = [32, 0][side];
            if (of_i >> shift) as u32 == (of_j >> shift) as u32 {
                return false;
            }
            let [Some(x), Some(y)] = [i, j].map(|i| self.spots[side].get(self.place(side, i))) else { return false };
            let body = self.bodies[side];
            x.part == y.part
                && x.feature != y.feature
                && body.has_concave_edge(x.part, x.feature - x.base)
                && body.is_concave(x.part, [x.feature - x.base, y.feature - y.base])
                && self.normals(i)[side].zip(self.normals(j)[side]).is_some_and(|(of_x, of_y)| {
                    let is_apart = |set: Pushes| set.flats[side] == y.feature || of_x.dot(set.direction) < set.cosine;
                    of_x.dot(of_y).abs() < ACROSS && set.is_none_or(is_apart)
                })
        })
    }
}
