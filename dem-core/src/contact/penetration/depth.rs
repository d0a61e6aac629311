//! Depth of an enclosed part: its width across the patch that faces the other body (`docs/contacts.md`, section 10).

use glam::DVec3;
use zerocopy::{FromBytes, IntoBytes};

use super::super::unit;
use super::bent::Folds;
use super::intersection_curve::{Facing, PATCHES, Surround, seen};
use crate::contact::cells::walk::walk;
use crate::mesh::NONE;
use crate::real::{max, min};

/// A patch with at least this part of the area counts in full.
const FULL: f64 = 0.3;

/// A patch with at most this part of the area does not count.
const LEAST: f64 = 0.25;

/// A patch does not count if its part is smaller than the largest one of both bodies by this much. So the depth of a corner in a wall follows
/// from the wall, not from the corner's own faces.
const BEHIND: f64 = 0.25;

impl Facing {
    /// Counts an area so that every patch with more than 1 in `PATCHES + 1` of the total area facing the other body is kept (Misra and Gries,
    /// "Finding repeated elements", 1982).
    fn count(&mut self, patch: u32, facing: f64) {
        // The first place has the first patch as long as no other one was seen.
        if self.seen & seen::ANY == 0 {
            (self.seen, self.patch[0]) = (self.seen | seen::ANY, patch);
        } else if self.seen & seen::SEVERAL == 0 && patch != self.patch[0] {
            self.seen |= seen::SEVERAL;
        }
        if facing <= 0.0 {
            self.away -= facing;
            return;
        }
        self.towards += facing;
        if let Some(k) = self.place(patch) {
            self.weight[k] += facing;
            return;
        }
        let least = self.weight.iter().fold(facing, |m, w| min(m, *w));
        self.weight.iter_mut().for_each(|w| *w -= least);
        if facing > least
            && let Some(k) = self.weight.iter().position(|w| *w <= 0.0)
        {
            (self.patch[k], self.weight[k]) = (patch, facing - least);
        }
    }

    fn place(&self, patch: u32) -> Option<usize> {
        (0..PATCHES).find(|k| self.patch[*k] == patch && self.weight[*k] > 0.0)
    }

    /// Starts the sums over the patches that were kept.
    fn begin(&mut self) {
        for k in 0..PATCHES {
            if self.weight[k] <= 0.0 {
                self.patch[k] = NONE;
            }
        }
        self.weight = [0.0; PATCHES];
    }

    fn add(&mut self, patch: u32, area: f64, normal: DVec3, facing: f64) {
        let Some(k) = self.patch.iter().position(|p| *p == patch) else { return };
        self.weight[k] += facing;
        self.normal[k] = (DVec3::from_array(self.normal[k]) + normal * area).to_array();
    }

    /// Ends the sums of areas; points follow.
    fn measure(&mut self) {
        for normal in &mut self.normal {
            *normal = unit(DVec3::from_array(*normal)).map_or([0.0; 3], |(way, _)| way.to_array());
        }
        self.empty();
    }

    fn reach(&mut self, at: DVec3) {
        for k in 0..PATCHES {
            let x = at.dot(DVec3::from_array(self.normal[k]));
            (self.low[k], self.high[k]) = (min(self.low[k], x), max(self.high[k], x));
        }
    }

    /// Records the cosine of the angle between a face's normal and the direction to the other body.
    fn turn(&mut self, cosine: f64) {
        // Turned by 41 degrees or more.
        if cosine <= 0.75 {
            self.seen |= seen::TURNED;
        }
    }

    /// Whether no face is opposed to another one.
    pub fn looks_one_way(&self) -> bool {
        self.seen & seen::TURNED == 0
    }

    /// Empties the box.
    pub fn empty(&mut self) {
        (self.low, self.high) = ([f64::INFINITY; PATCHES], [f64::NEG_INFINITY; PATCHES]);
    }

    /// Extends the box to a point.
    pub fn stretch(&mut self, at: DVec3) {
        for (k, x) in at.to_array().into_iter().enumerate() {
            (self.low[k], self.high[k]) = (min(self.low[k], x), max(self.high[k], x));
        }
    }

    /// The low and high ends of the box.
    pub fn extent(&self) -> ([f64; PATCHES], [f64; PATCHES]) {
        (self.low, self.high)
    }

    /// The part of the area that patch `k` has, less the area that faces away.
    fn part(&self, k: usize) -> f64 {
        (self.weight[k] - self.away) / (self.towards + self.away)
    }

    /// The largest part of a patch.
    fn largest_part(&self) -> f64 {
        (0..PATCHES).filter(|k| self.patch[*k] != NONE).fold(0.0, |most, k| max(most, self.part(k)))
    }

    /// The smallest width across a patch, where `most` is the largest part of a patch of either body. A patch that counts in part has a larger
    /// width, which is infinite at the part where the patch begins to count. So the width is continuous.
    fn width(&self, most: f64) -> f64 {
        let mut width = f64::INFINITY;
        for k in 0..PATCHES {
            let part = self.part(k);
            let counts = min(min((part - LEAST) / (FULL - LEAST), 1.0), 1.0 - (most - part) / BEHIND);
            if self.patch[k] != NONE && counts > 0.0 {
                width = min(width, max(self.high[k] - self.low[k], 0.0) / counts);
            }
        }
        width
    }
}

/// The triangles of both bodies that are cut, and their inside areas.
pub(super) struct Cut<'m> {
    /// The segments, sorted by the triangles of each body, and by parts.
    pub order: [&'m mut [u32]; 2],
    /// Twice the area of each triangle inside each part, at the first of the segments of both.
    pub areas: [&'m mut [f64]; 2],
    /// For sorting.
    keys: &'m mut [[u64; 2]],
}

impl<'m> Cut<'m> {
    /// `memory` has five numbers for each item of `order`, of which there is one for each segment.
    pub fn new(order: &'m mut [u32], mut memory: &'m mut [f64]) -> Self {
        let count = order.len();
        let mut take = |count: usize| memory.split_off_mut(..count).unwrap_or_default();
        let areas = [take(count), take(count)];
        let second = <[u32]>::mut_from_bytes(take(count.div_ceil(2)).as_mut_bytes()).unwrap_or_default();
        let keys = <[[u64; 2]]>::mut_from_bytes(take(2 * count).as_mut_bytes()).unwrap_or_default();
        Cut { order: [order, second.get_mut(..count).unwrap_or_default()], areas, keys }
    }
}

impl Surround<'_, '_> {
    /// Measures the depth of all parts.
    pub fn measure_depths(&mut self, cut: &mut Cut<'_>) {
        self.each_part(|of| *of = [Facing::default(); 2]);
        let mut folds = self.floods.each_mut().map(|flood| Folds::new(flood.take_rest()));
        for side in 0..2 {
            self.sort_by_triangle(side, cut);
            let (order, areas) = (&*cut.order[side], &mut *cut.areas[side]);
            self.find_areas(side, order, areas);
            self.each_face(side, order, areas, |_, to, face| {
                to[side].count(face.patch, face.towards());
                to[side].turn(face.normal.dot(face.across));
            });
            self.each_part(|of| of[side].begin());
            let body = self.bodies[side];
            self.each_face(side, order, areas, |this, to, face| {
                to[side].add(face.patch, face.area, face.normal, face.towards());
                let is_fold = folds[side].see(&body, face.part, face.triangle);
                let may_be = is_fold || (0..3).any(|k| body.is_open_side(face.triangle, k));
                if may_be && this.has_concave_side(side, face.part, face.triangle) {
                    to[side].seen |= seen::CONCAVE;
                }
                if is_fold && this.has_wall_side(side, face.part, face.triangle) {
                    to[side].seen |= seen::WALL;
                }
            });
        }
        self.measure_widths();
        for side in [1, 0] {
            if self.choose_folds(side, &mut folds[side]) {
                self.measure_folds(side, cut.order[side], cut.areas[side], &mut folds[side]);
            }
        }
    }

    /// Measures the width of each part across the patches that face the other body.
    fn measure_widths(&mut self) {
        self.each_part(|of| of.iter_mut().for_each(Facing::measure));
        for i in 0..self.segments.len() {
            let Some(s) = self.segments.get(i) else { break };
            let ends = s.ends();
            ends.into_iter().for_each(|at| self.reach(i as u32, at));
        }
        for side in 0..2 {
            for k in 0.. {
                let Some((triangle, corner, at)) = self.floods[side].inside(k) else { break };
                self.reach(at, self.bodies[side].corners(triangle)[corner]);
            }
        }
        for i in 0..self.segments.len() {
            if !self.is_part(i) {
                continue;
            }
            let (Some(of), Some([x, y])) = (self.loops.get_mut(i), self.facings.get(i)) else { continue };
            let most = max(x.largest_part(), y.largest_part());
            of.across_patches = min(x.width(most), y.width(most));
        }
    }

    /// Calls `of` for each part; its data are at its first segment.
    pub fn each_part(&mut self, of: impl Fn(&mut [Facing; 2])) {
        for i in 0..self.segments.len() {
            let part = self.is_part(i);
            self.facings.get_mut(i).filter(|_| part).into_iter().for_each(&of);
        }
    }

    /// Adds a point to the part of a segment.
    fn reach(&mut self, segment: u32, at: DVec3) {
        let (root, at) = (self.root(segment) as usize, at - self.origin);
        let (Some(of), Some(facing)) = (self.loops.get_mut(root), self.facings.get_mut(root)) else { return };
        of.reach(at);
        facing.iter_mut().for_each(|facing| facing.reach(at));
    }

    /// Sorts segments by their triangles of one body, and the segments of one triangle by their parts.
    fn sort_by_triangle(&self, side: usize, cut: &mut Cut<'_>) {
        for (i, to) in (0..).zip(cut.keys.iter_mut()) {
            *to = [u64::from(self.triangle(side, i)) << 32 | u64::from(self.root(i)), u64::from(i)];
        }
        cut.keys.sort_unstable_by_key(|[of, i]| (*of, *i));
        cut.order[side].iter_mut().zip(&*cut.keys).for_each(|(to, [_, i])| *to = *i as u32);
    }

    /// The triangle of one body in which a segment lies.
    pub fn triangle(&self, side: usize, segment: u32) -> u32 {
        self.segments.get(segment as usize).map_or(NONE, |s| if side == 0 { s.x } else { s.y })
    }

    /// Whether a segment is the first one of a part.
    pub fn is_part(&self, segment: usize) -> bool {
        self.root(segment as u32) as usize == segment
    }

    /// The part of a segment.
    pub fn root(&self, segment: u32) -> u32 {
        self.whole.find(segment)
    }

    /// Whether two segments have the same triangle and the same part; such segments are consecutive in `order`.
    fn are_one(&self, side: usize, i: u32, j: u32) -> bool {
        (self.triangle(side, i), self.root(i)) == (self.triangle(side, j), self.root(j))
    }

    /// Writes twice the inside area of each triangle that is cut, at the first of its segments in `order`.
    fn find_areas(&self, side: usize, order: &[u32], areas: &mut [f64]) {
        let mut rest = areas;
        for run in order.chunk_by(|i, j| self.are_one(side, *i, *j)) {
            let (triangle, part) = run.first().map_or((NONE, NONE), |i| (self.triangle(side, *i), self.root(*i)));
            let normal = self.placed.normal(&self.bodies, side, triangle);
            // Several parts may cut a triangle. Its corner is in one of them.
            let around = self.floods[side].loop_around(triangle, 2).filter(|of| self.root(*of) == part);
            let mut twice = around.map_or(0.0, |_| self.twice(side, triangle));
            let closes = |i: &&u32| self.loops.get(self.curve.find(**i) as usize).is_some_and(|of| of.opens == 0);
            for i in run.iter().filter(closes) {
                self.pieces_of(*i as usize, side, |a, b, c| twice += (b - a).cross(c - a).dot(normal));
            }
            let Some(own) = rest.split_off_mut(..run.len()) else { break };
            own.first_mut().into_iter().for_each(|to| *to = twice);
        }
    }

    /// Visits the inside areas of the triangles of one body, in order.
    pub fn each_face(
        &mut self,
        side: usize,
        order: &[u32],
        areas: &[f64],
        mut visit: impl FnMut(&Self, &mut [Facing; 2], &Inside),
    ) {
        let told = core::mem::take(&mut self.facings);
        let this = &*self;
        let mut tell = |root: u32, triangle: u32, twice: f64| {
            let (Some(of), Some(to)) = (self.loops.get(root as usize), told.get_mut(root as usize)) else { return };
            if twice > 0.0 {
                let across = DVec3::from_array(of.across);
                let across = if side == 0 { -across } else { across };
                let normal = self.placed.normal(&self.bodies, side, triangle);
                let patch = self.bodies[side].patch(triangle);
                visit(this, to, &Inside { part: root, triangle, patch, area: 0.5 * twice, normal, across });
            }
        };
        let mut rest = areas;
        for run in order.chunk_by(|i, j| self.are_one(side, *i, *j)) {
            let own = rest.split_off(..run.len()).and_then(<[f64]>::first);
            if let (Some(i), Some(twice)) = (run.first(), own) {
                tell(self.root(*i), self.triangle(side, *i), *twice);
            }
        }
        for k in 0.. {
            let Some((triangle, corner, at)) = self.floods[side].inside(k) else { break };
            walk(&self.bodies[side].mesh, triangle, corner, |t, c, _| {
                let is_cut = || order.binary_search_by_key(&t, |i| self.triangle(side, *i)).is_ok();
                if c == 2 && !self.bodies[side].is_copy(t) && !is_cut() {
                    tell(self.root(at), t, self.twice(side, t));
                }
                true
            });
        }
        self.facings = told;
    }

    /// Twice the area of a triangle.
    fn twice(&self, side: usize, triangle: u32) -> f64 {
        let [a, b, c] = self.placed.corners(&self.bodies, side, triangle);
        (b - a).cross(c - a).dot(self.placed.normal(&self.bodies, side, triangle))
    }
}

/// The inside area of a triangle.
pub(super) struct Inside {
    pub part: u32,
    pub triangle: u32,
    patch: u32,
    area: f64,
    pub normal: DVec3,
    /// Direction to the other body.
    across: DVec3,
}

impl Inside {
    fn towards(&self) -> f64 {
        self.area * self.normal.dot(self.across)
    }
}
