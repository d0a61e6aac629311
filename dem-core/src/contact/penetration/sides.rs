//! Sides of a part: the area behind floor and wall, behind both flanks of a groove, or all around a peg.
//!
//! The part has one force: the sum of the forces on the patches inside, along their normals. So the patches on both sides of a fold determine the
//! share of each side (`docs/contacts.md`, section 10).

use glam::DVec3;

use super::super::{Law, unit};
use super::intersection_curve::{Name, Surround, seen};
use super::loops::Loop;
use super::opposed::small;
use super::perturbed_mesh::{Bend, Body, FLAT};
use crate::contact::cells::ACROSS;
use crate::contact::cells::walk::walk;
use crate::mesh::NONE;
use crate::real::{between, max, min};

/// A part with more sides is not divided.
pub(super) const SIDES: usize = 64;

/// If a part has more patches of the body with the folds, its charts take the place of patches. With more charts it is not divided.
const MOST: usize = 128;

/// Forces cancel if the magnitude of their sum is below this fraction of the area. A part whose forces cancel may be divided all around. A side whose
/// forces cancel is divided by charts; if they cancel even on one of these, the part is not divided.
const CANCELS: f64 = 0.5;

/// If the reaches behind the sides enclose more than this many times the volume of the part, the planes of sides pass behind other sides. From the
/// first number to the second one, the reach of a side then goes over to that of the corners near it.
const CROWDED: [f64; 2] = [4.0, 8.0];

/// The areas of both bodies inside a part count as equal up to this factor.
const EQUAL: f64 = 1.0 + 1.0 / (1u64 << 20) as f64;

/// A side with a smaller part of the area has no contact of its own.
const NOTHING: f64 = 1.0 / (1u64 << 36) as f64;

/// If the inside surface lacks more than this part of the curve's area, the curve also borders another surface.
const MISSING: f64 = 1.0 / (1u64 << 10) as f64;

/// Marks patches that belong to no side.
const REST: u8 = u8::MAX;

/// The kind of an edge between two patches.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Edge {
    /// Across a concave edge, with almost a right angle between the normals, or more: floor and wall, both sides of a groove.
    Wall,
    /// Across a convex edge, with an angle at least as large.
    Bend,
    /// Across a concave edge, with a smaller angle.
    Hollow,
    /// Across a convex edge, with a smaller angle.
    Smooth,
}

impl Edge {
    /// The kind of an edge with this angle.
    pub fn of(bend: &Bend) -> Self {
        match (bend.is_concave(FLAT), bend.cosine < ACROSS) {
            (true, true) => Edge::Wall,
            (false, true) => Edge::Bend,
            (true, false) => Edge::Hollow,
            (false, false) => Edge::Smooth,
        }
    }
}

/// The patches of one body at a part, or its charts if there are too many patches, and their sides.
pub(super) struct Sides {
    /// In order.
    names: [u32; MOST],
    count: usize,
    /// Whether the names are those of charts.
    by_chart: bool,
    /// The number of the side of each name, or [`REST`].
    of: [u8; MOST],
    sides: usize,
    /// The reach of the part behind each side.
    reach: [f64; SIDES],
}

impl Sides {
    /// No sides yet, for patches or for charts.
    fn new(by_chart: bool) -> Self {
        Sides { names: [NONE; MOST], count: 0, by_chart, of: [REST; MOST], sides: 0, reach: [0.0; SIDES] }
    }

    /// The names of the patches of some triangles, or of their charts; none if there are too many.
    fn of_names(body: &Body<'_>, triangles: &[[u32; 2]], by_chart: bool) -> Option<Self> {
        let mut all = Self::new(by_chart);
        for run in triangles.chunk_by(|x, y| body.patch(x[1]) == body.patch(y[1])) {
            let name = all.name(body, body.patch(run.first()?[1]));
            if let Err(at) = all.names.get(..all.count)?.binary_search(&name) {
                let moved = all.names.get_mut(at..=all.count)?;
                moved.rotate_right(1);
                *moved.first_mut()? = name;
                all.count += 1;
            }
        }
        Some(all)
    }

    /// The name of a patch.
    fn name(&self, body: &Body<'_>, patch: u32) -> u32 {
        if self.by_chart { body.cells.chart(patch) } else { patch }
    }

    fn place(&self, body: &Body<'_>, patch: u32) -> Option<usize> {
        self.names.get(..self.count)?.binary_search(&self.name(body, patch)).ok()
    }

    /// The side that a patch belongs to.
    fn of(&self, body: &Body<'_>, patch: u32) -> Option<usize> {
        let of = self.of.get(self.place(body, patch)?).copied()?;
        (of != REST).then_some(of.into())
    }

    /// Divides sides by charts. A bit of `which` is set for each side to divide.
    fn divide_by_charts(&mut self, which: u64, body: &Body<'_>) {
        let mut known = [(REST, NONE); SIDES];
        self.sides = 0;
        for (of, name) in self.of.iter_mut().zip(&self.names).filter(|(of, _)| **of != REST) {
            // The chart of a chart is that chart.
            let name = (*of, if which >> *of & 1 != 0 { body.cells.chart(*name) } else { NONE });
            let found = known.iter().take(self.sides).position(|known| *known == name).unwrap_or(self.sides);
            let Some(to) = known.get_mut(found) else {
                self.sides = SIDES + 1;
                return;
            };
            (*to, *of, self.sides) = (name, found as u8, self.sides.max(found + 1));
        }
    }

    /// Extends the reach of the part behind a patch's side.
    pub fn reach(&mut self, body: &Body<'_>, patch: u32, depth: f64) {
        let reach = self.of(body, patch).and_then(|side| self.reach.get_mut(side));
        reach.into_iter().for_each(|reach| *reach = max(*reach, depth));
    }
}

/// A forest of patches or charts.
struct Forest([u8; MOST]);

impl Forest {
    fn find(&self, i: usize) -> usize {
        let mut i = i % MOST;
        while usize::from(self.0[i]) != i {
            i = usize::from(self.0[i]) % MOST;
        }
        i
    }

    fn join(&mut self, [i, j]: [usize; 2]) {
        let (i, j) = (self.find(i), self.find(j));
        self.0[i.max(j)] = i.min(j) as u8;
    }
}

/// Minus force and torque on the first body, the first moment of the area, and the area.
#[derive(Clone, Copy, Default)]
struct Sum {
    force: DVec3,
    torque: DVec3,
    moment: DVec3,
    area: f64,
    /// Volume behind the side.
    volume: f64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.force += other.force;
        self.torque += other.torque;
        self.moment += other.moment;
        self.area += other.area;
    }
}

impl Surround<'_, '_> {
    /// Whether parts are divided: under the law of volumes, which has one pressure for the whole inside. Under the law of facing, areas times
    /// depths sum to the volume; those of sides would not.
    pub fn divides(&self) -> bool {
        self.bodies.iter().all(|body| body.cells.law() == Law::Volume)
    }

    /// Whether a body has a wall edge in a part.
    pub fn has_wall(&self, side: usize, part: u32) -> bool {
        self.facings.get(part as usize).is_some_and(|of| of[side].seen & seen::WALL != 0)
    }

    /// Whether some of a wall edge of a triangle is inside a part.
    pub fn has_wall_side(&self, side: usize, part: u32, triangle: u32) -> bool {
        (0..3).any(|k| self.edge(side, part, triangle, k).is_some_and(|(_, edge)| edge == Edge::Wall))
    }

    /// The patch across a side of a triangle, if it is another patch, and the kind of the edge; none if the whole edge is outside the part.
    fn edge(&self, side: usize, root: u32, triangle: u32, k: usize) -> Option<(u32, Edge)> {
        let body = &self.bodies[side];
        let bend = body.bend(triangle, k)?;
        self.has_side(side, root, triangle, k).then(|| (body.patch(bend.next), Edge::of(&bend)))
    }

    /// Whether the forces on a part cancel to less than half of the area: on a peg in its hole from all sides.
    pub fn cancels(&self, part: u32) -> bool {
        self.only_loop(part).is_some_and(|of| of.cancels(CANCELS))
    }

    /// The sides of a part; none if it is not divided. `inside` are the triangles of a body inside that part, ordered by patch.
    ///
    /// Patches are charts here if there are too many of them. A chain is a set of patches connected by edges of a small angle. Chains connected by
    /// steep convex edges are one group. A group with a wall edge beside it is a side. If a wall edge is between two chains of one group, the chains
    /// at wall edges are sides instead. If the other body has wall edges in the part (racks, T-slots), they are opposite to convex edges of this
    /// one, so each chain at a steep edge is a side. Other patches are shared among all sides. If this gives fewer than two sides, and forces
    /// cancel, all chains with a concave edge in them are taken as one side. In the end each side whose forces cancel is divided by charts.
    pub fn sides(&self, side: usize, order: &[u32], inside: &[[u32; 2]]) -> Option<Sides> {
        let (body, root) = (&self.bodies[side], inside.first()?[0]);
        let all = Sides::of_names(body, inside, false);
        let mut all = all.or_else(|| Sides::of_names(body, inside, true))?;
        let each = |kind: Edge, put: &mut dyn FnMut([usize; 2])| {
            for [root, t] in inside {
                let Some(own) = all.place(body, body.patch(*t)) else { continue };
                for (patch, edge) in (0..3).filter_map(|k| self.edge(side, *root, *t, k)) {
                    if edge == kind
                        && let Some(other) = all.place(body, patch)
                    {
                        put([own, other]);
                    }
                }
            }
        };
        let mut own = Forest([0; MOST]);
        (0..).zip(&mut own.0).for_each(|(i, to)| *to = i);
        each(Edge::Smooth, &mut |both| own.join(both));
        each(Edge::Hollow, &mut |both| own.join(both));
        let mut joined = Forest(own.0);
        let other_has_walls = self.has_wall(1 - side, root);
        if !other_has_walls {
            each(Edge::Bend, &mut |both| joined.join(both));
        }
        // `walled`: a bit for each chain with a wall beside it. `broken`: a bit for each joined group with a wall inside it. `hollow`: a
        // bit for each chain with a concave edge inside it.
        let (mut walled, mut broken, mut hollow) = (0_u128, 0_u128, 0_u128);
        each(Edge::Hollow, &mut |[i, _]| hollow |= 1 << own.find(i));
        each(Edge::Wall, &mut |both| {
            let [x, y] = both.map(|i| own.find(i));
            if x != y {
                walled |= 1 << x | 1 << y;
                if joined.find(x) == joined.find(y) {
                    broken |= 1 << joined.find(x);
                }
            }
        });
        if other_has_walls {
            each(Edge::Bend, &mut |both| both.into_iter().for_each(|i| walled |= 1 << own.find(i)));
        }
        let is = |bits: u128, i: usize| bits >> i & 1 != 0;
        let has_side = (0..all.count).filter(|i| is(walled, own.find(*i))).fold(0, |all, i| all | 1 << joined.find(i));
        let mut number = [REST; MOST];
        for i in 0..all.count {
            let whole = joined.find(i);
            let name = match is(broken, whole) {
                false if is(has_side, whole) => whole,
                true if is(walled, own.find(i)) => own.find(i),
                _ => continue,
            };
            if number[name] == REST {
                number[name] = all.sides as u8;
                all.sides += 1;
            }
            all.of[i] = number[name];
        }
        if all.sides < 2 {
            if !self.cancels(root) {
                return None;
            }
            all.of = [REST; MOST];
            (0..all.count).filter(|i| is(hollow, own.find(*i))).for_each(|i| all.of[i] = 0);
            all.sides = 1;
        }
        if all.sides > SIDES {
            return None;
        }
        let mut sums = [Sum::default(); SIDES];
        self.sums(side, order, inside, &all, &mut sums);
        let cancels = |sum: &Sum| unit(sum.force).map_or(0.0, |(_, size)| size) < CANCELS * sum.area;
        let which = (0..).zip(&sums).filter(|(_, sum)| cancels(sum)).fold(0, |which, (i, _)| which | 1 << i);
        if which != 0 {
            all.divide_by_charts(which, body);
        }
        (2..=SIDES).contains(&all.sides).then_some(all)
    }

    /// Divides a part into sides: writes the sums of each side to the loops and names of segments that are not the first ones of a loop. Returns
    /// none, and changes nothing, if that is not possible.
    ///
    /// Area that belongs to no side is shared in proportion to the volumes behind the sides, so the sums are those of the part. The reaches behind
    /// the sides are taken from corners if they are not `known`. `left` is the number of triangles that searches may still visit.
    pub fn divide(
        &mut self,
        side: usize,
        order: &[u32],
        inside: &[[u32; 2]],
        sides: &Sides,
        known: bool,
        left: &mut u32,
    ) -> Option<()> {
        let part = inside.first()?[0];
        let mut own = [Sum::default(); SIDES];
        let all = self.sums(side, order, inside, sides, &mut own);
        let own = own.get_mut(..sides.sides)?;
        let size = |force: DVec3| unit(force).map_or(0.0, |(_, size)| size);
        // A side of negligible area, or without a fold, is no side.
        if known {
            let none = own.iter_mut().zip(sides.reach).filter(|(_, reach)| *reach <= 0.0);
            none.for_each(|(sum, _)| *sum = Sum::default());
        }
        let counts = |sum: &Sum| sum.area > NOTHING * all.area;
        if own.iter().filter(|sum| counts(sum)).count() < 2
            || own.iter().any(|sum| counts(sum) && size(sum.force) < CANCELS * sum.area)
        {
            return None;
        }
        let whole = self.only_loop(part)?;
        // If the other body has walls, too, the sides of the body with less area inside count: the area of the other one includes its ends.
        if side == 1 && self.has_wall(0, part) && self.has_wall(1, part) && all.area > EQUAL * whole.mean_area() {
            return None;
        }
        if size(whole.area() - all.force) > MISSING * all.area || whole.halo() <= 0.0 {
            return None;
        }
        let behind = |sum: &Sum, reach: f64| if counts(sum) { reach * size(sum.force) } else { 0.0 };
        let all_behind = own.iter().zip(sides.reach).fold(0.0, |all, (sum, reach)| all + behind(sum, reach));
        let crowded = if known { between(all_behind / whole.volume(), CROWDED) } else { 1.0 };
        let mut reaches = sides.reach;
        if crowded > 0.0 {
            if known && !all_behind.is_finite() {
                return None;
            }
            let near = self.distances(side, part, sides, whole.thickness(), left)?;
            for (reach, near) in reaches.iter_mut().zip(near) {
                let near = if known { min(*reach, near) } else { near };
                *reach = if crowded < 1.0 { *reach + (near - *reach) * crowded } else { near };
            }
        }
        own.iter_mut().zip(reaches).for_each(|(sum, reach)| sum.volume = behind(sum, reach));
        let volume = own.iter().fold(0.0, |all, sum| all + sum.volume);
        if !(volume > 0.0 && volume < f64::INFINITY) {
            return None;
        }
        let (mut slots, mut rest) = ([NONE; SIDES], [whole.area(), whole.torque()]);
        for (slot, sum) in slots.iter_mut().zip(own.iter()).filter(|(_, sum)| counts(sum)) {
            *slot = 0;
            rest = [rest[0] - sum.force, rest[1] - sum.torque];
        }
        self.find_slots(part, &mut slots)?;
        self.begin_sides();
        let mut most = (NONE, 0.0);
        for ((slot, sum), reach) in slots.iter().zip(own.iter()).zip(reaches).filter(|((slot, _), _)| **slot != NONE) {
            let share = sum.volume / volume;
            if share > most.1 {
                most = (*slot, share);
            }
            let (force, torque) = (sum.force + rest[0] * share, sum.torque + rest[1] * share);
            let normal = unit(force).map_or(DVec3::ZERO, |(way, _)| -way).to_array();
            let name =
                Name { group: *slot, normal, triangle: [NONE; 2], facing: [f64::NEG_INFINITY; 2], ..Name::default() };
            self.names.get_mut(*slot as usize).into_iter().for_each(|to| *to = name);
            let of = Loop::side([force, torque, sum.moment], sum.area, [reach, share]);
            self.loops.get_mut(*slot as usize).into_iter().for_each(|to| *to = of);
        }
        let body = self.bodies[side];
        let slot_of = |patch: u32| sides.of(&body, patch).and_then(|i| slots.get(i).copied()).filter(|i| *i != NONE);
        self.all_of(part, |name, triangles| name.side = slot_of(body.patch(triangles[side])).unwrap_or(most.0));
        for [_, t] in inside {
            slot_of(body.patch(*t)).into_iter().for_each(|slot| self.face(slot, side, *t));
        }
        self.each_triangle(part, 1 - side, |of, triangle| {
            slots.iter().filter(|slot| **slot != NONE).for_each(|slot| of.face(*slot, 1 - side, triangle));
        });
        Some(())
    }

    /// For each side, how far the other body's corners in a part are behind the planes of its faces that are near and opposed to them; at least
    /// `thickness`, the mean one of the part. The nearest face of all counts in full, others less, down to nothing at twice its distance. None if
    /// searches ended early.
    fn distances(&self, side: usize, part: u32, sides: &Sides, thickness: f64, left: &mut u32) -> Option<[f64; SIDES]> {
        let (body, other) = (&self.bodies[side], 1 - side);
        let (mut reach, most) = ([thickness; SIDES], self.loops.get(part as usize)?.extent());
        *left = left.saturating_sub(small(self.floods[other].corners()));
        for k in 0.. {
            let Some((triangle, corner, at)) = self.floods[other].inside(k) else { break };
            if self.root(at) != part || !self.bodies[other].is_corner(triangle, corner) {
                continue;
            }
            let of = [triangle, corner as u32];
            let nearest = self.nearest_opposed(other, of, [0.0, 2.0 * thickness, most], left);
            let at = self.bodies[other].corners(triangle)[corner];
            self.visit_opposed(other, of, 2.0 * nearest, left, |t, distance| {
                let depth = (body.corners(t)[0] - at).dot(body.normal(t)) * min(2.0 - distance / nearest, 1.0);
                let to = sides.of(body, body.patch(t)).and_then(|i| reach.get_mut(i));
                to.into_iter().for_each(|to| *to = max(depth, *to));
                2.0 * nearest
            });
        }
        (*left > 0).then_some(reach)
    }

    /// Computes the sums over the faces of each side, and returns the sums over all faces.
    fn sums(&self, side: usize, order: &[u32], inside: &[[u32; 2]], sides: &Sides, own: &mut [Sum; SIDES]) -> Sum {
        let (body, origin, sign) = (&self.bodies[side], self.origin, [1.0, -1.0][side]);
        let mut all = Sum::default();
        for [root, t] in inside {
            let (mut sum, normal) = (Sum::default(), body.normal(*t) * sign);
            self.inside_of(side, order, *root, *t, |a, b, c| {
                let twice = (b - a).cross(c - a).dot(body.normal(*t));
                let moment = ((a - origin) + (b - origin) + (c - origin)) * (twice * (1.0 / 6.0));
                sum.area += 0.5 * twice;
                sum.force += normal * (0.5 * twice);
                sum.torque -= moment.cross(normal);
                sum.moment += moment;
            });
            all.add(&sum);
            let to = sides.of(body, body.patch(*t)).and_then(|i| own.get_mut(i));
            to.into_iter().for_each(|to| to.add(&sum));
        }
        all
    }

    /// The sums over the curve around a part; none if the curve is not closed, divides the inside surfaces into several pieces, or is that of
    /// sheets.
    fn only_loop(&self, part: u32) -> Option<Loop> {
        let mut sum = Loop::default();
        for i in (0..self.segments.len() as u32).filter(|i| self.curve.find(*i) == *i && self.root(*i) == part) {
            let of = self.loops.get(i as usize)?;
            if of.opens > 0 || self.pieces.iter().any(|pieces| pieces.find(i) != pieces.find(part)) {
                return None;
            }
            sum.join_curve(of);
            sum.join_surface(of);
        }
        (!sum.is_sheet()).then_some(sum)
    }

    /// Finds segments of a part that are not the first ones of a loop, for each slot that is not [`NONE`].
    fn find_slots(&self, part: u32, slots: &mut [u32; SIDES]) -> Option<()> {
        let mut free = (0..self.segments.len() as u32).filter(|i| self.curve.find(*i) != *i && self.root(*i) == part);
        for slot in slots.iter_mut().filter(|slot| **slot != NONE) {
            *slot = free.next()?;
        }
        Some(())
    }

    /// Before the first part is divided: marks all segments as having no side.
    fn begin_sides(&mut self) {
        if !self.divided {
            for (i, name) in (0..).zip(self.names.iter_mut()) {
                name.side = NONE;
                if self.curve.find(i) != i {
                    name.group = NONE;
                }
            }
        }
        self.divided = true;
    }

    /// Calls `tell` for the names of all segments of a part, with their triangles.
    fn all_of(&mut self, part: u32, mut tell: impl FnMut(&mut Name, [u32; 2])) {
        for i in (0..self.segments.len() as u32).filter(|i| self.whole.find(*i) == part) {
            let triangles = self.segments.get(i as usize).map_or([NONE; 2], |s| [s.x, s.y]);
            self.names.get_mut(i as usize).into_iter().for_each(|name| tell(name, triangles));
        }
    }

    /// Calls `tell` for the triangles of a body that are inside a part or cross its border.
    fn each_triangle(&mut self, part: u32, side: usize, mut tell: impl FnMut(&mut Self, u32)) {
        for i in 0..self.segments.len() as u32 {
            if self.root(i) == part {
                tell(self, self.triangle(side, i));
            }
        }
        let body = self.bodies[side];
        for k in 0.. {
            let Some((triangle, corner, root)) = self.floods[side].reached(k) else { break };
            if self.root(root) == part {
                // Visits each triangle once, as the flood does.
                walk(&body.mesh, triangle, corner, |t, c, _| {
                    if c == 2 {
                        tell(self, t);
                    }
                    true
                });
            }
        }
    }

    /// The side at a segment; the segment's loop if its part is not divided.
    pub fn side_of(&self, segment: u32) -> u32 {
        let side = self.names.get(segment as usize).map(|name| name.side).filter(|_| self.is_divided(segment));
        side.unwrap_or_else(|| self.curve.find(segment))
    }

    /// Whether a part is divided.
    pub fn is_divided(&self, part: u32) -> bool {
        self.divided && self.names.get(part as usize).is_some_and(|name| name.side != NONE)
    }

    /// The sides of a part, as the segments that hold their loops and names.
    pub fn sides_of(&self, part: u32) -> impl Iterator<Item = u32> + '_ {
        let own = move |i: &u32| {
            let name = self.names.get(*i as usize);
            self.root(*i) == part
                && self.curve.find(*i) != *i
                && name.is_some_and(|name| name.group == *i && name.side != NONE)
        };
        let count = if self.divided { self.segments.len() as u32 } else { 0 };
        (0..count).filter(own)
    }
}
