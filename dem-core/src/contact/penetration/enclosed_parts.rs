//! The parts that loops enclose: which loops belong to one part, the patches that name the part, and the input of a force law.

use glam::DVec3;

use super::super::{Law, status, unit};
use super::Enclosed;
use super::intersection_curve::{Name, Surround};
use super::loops::{BEHIND, Load, Loop, closed, gradient, of_side, open};
use super::winding::{winding, winding_on_surface};
use crate::contact::cells::walk::walk;
use crate::mesh::{NONE, Sets};
use crate::real::{Real, max};

/// A point counts as inside if its winding number differs from 1 by less than 1 minus this. The winding number on a face is a half.
const AROUND: f64 = 0.4;

/// Rounding of winding numbers.
const ROUNDING: f64 = 1e-6;

impl Surround<'_, '_> {
    /// Writes the first segments of all loops, grouped by part, and within a part by normal. Returns their number.
    pub fn gather(&mut self, order: &mut [u32]) -> usize {
        let mut count = 0;
        self.pieces.iter_mut().for_each(Sets::flatten);
        for i in (0..self.segments.len() as u32).filter(|i| self.curve.find(*i) == *i) {
            if let Some(to) = order.get_mut(count) {
                *to = i;
                count += 1;
            }
            self.pieces.iter().for_each(|pieces| self.whole.join([i, pieces.find(i)]));
        }
        self.whole.flatten();
        self.whole.extend(&self.curve);
        let Surround { whole, pieces, .. } = self;
        let list = order.get_mut(..count).unwrap_or_default();
        list.sort_unstable_by_key(|i| (whole.find(*i), pieces[0].find(*i), pieces[1].find(*i), *i));
        count
    }

    /// The loops of each part; within a part, loops with one normal are consecutive.
    pub fn parts<'p>(&'p self, list: &'p [u32]) -> impl Iterator<Item = &'p [u32]> {
        list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j))
    }

    pub fn groups<'p>(&'p self, part: &'p [u32]) -> impl Iterator<Item = &'p [u32]> {
        part.chunk_by(|i, j| self.pieces.iter().all(|pieces| pieces.find(*i) == pieces.find(*j)))
    }

    /// Sum over the closed loops of a group.
    pub fn sum(&self, group: &[u32]) -> Loop {
        let mut sum = Loop::default();
        for of in group.iter().filter_map(|i| self.loops.get(*i as usize)).filter(|of| of.opens == 0) {
            sum.join_curve(of);
            sum.join_surface(of);
        }
        sum
    }

    /// Sum over the closed loops of a part.
    pub fn part(&self, part: &[u32]) -> Loop {
        let mut sum = self.sum(part);
        let mut most = 0.0;
        for group in self.groups(part) {
            let Some((way, area)) = unit(self.sum(group).area()) else { continue };
            sum.faces += area;
            if area > most {
                (most, sum.across) = (area, (-way).to_array());
            }
        }
        let whole = part.first().and_then(|i| self.loops.get(self.whole.find(*i) as usize));
        (sum.low, sum.high) = whole.map_or((0.0, 0.0), |whole| (whole.low, whole.high));
        sum.across_patches = whole.map_or(f64::INFINITY, |whole| whole.across_patches);
        sum.unsure |= whole.map_or(0, |whole| whole.unsure);
        sum
    }

    /// The factor by which the volumes of parts are reduced. Where only hollows of both bodies cross each other, the part there has the negative
    /// volume of the common hollow. The other parts count that volume too much, and lose it in proportion to their volumes. (Which of them
    /// surrounds the hollow is not known here.)
    fn left(&self, list: &[u32]) -> f64 {
        if self.bodies.iter().any(|body| !body.cells.is_closed() || body.cells.looks_inward()) {
            return 1.0;
        }
        let (mut around, mut hollow) = (0.0, 0.0);
        for part in self.parts(list) {
            let part = self.part(part);
            match part.hollow() {
                Some(volume) => hollow += volume,
                None => around += part.volume(),
            }
        }
        if hollow > 0.0 && around > 0.0 { max(1.0 - hollow / around, 0.0) } else { 1.0 }
    }

    /// For meshes that are not sound: checks that enclosed surfaces close, and that the corners farthest inside have the winding numbers of
    /// inside points.
    pub fn verify(&mut self, list: &[u32]) {
        for side in 0..2 {
            for k in 0.. {
                let Some((triangle, corner, root)) = self.floods[side].inside(k) else { break };
                let at = self.bodies[side].corners(triangle)[corner] - self.origin;
                let Some(whole) = self.loops.get_mut(self.whole.find(root) as usize) else { continue };
                let apart = at - whole.middle();
                if apart.dot(apart) >= whole.far[side] {
                    (whole.far[side], whole.corner[side]) =
                        (apart.dot(apart), 1 + 3 * u64::from(triangle) + corner as u64);
                }
            }
        }
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            let Some(root) = part.first().map(|i| self.whole.find(*i) as usize) else { continue };
            let Some(corner) = self.loops.get(root).map(|whole| whole.corner) else { continue };
            let doubtful = |side: usize| {
                corner[side].checked_sub(1).is_some_and(|at| {
                    let corners = self.bodies[side].corners((at / 3) as u32);
                    self.is_doubtful(side, corners[at as usize % 3])
                })
            };
            // If a mesh passes through itself, a part without inside corners cannot be checked.
            let hidden = corner == [0; 2] && self.bodies.iter().any(|body| body.cells.passes_through_itself());
            if hidden || !self.part(part).closes() || doubtful(0) || doubtful(1) {
                self.loops.get_mut(root).into_iter().for_each(|whole| whole.unsure = 1);
            }
        }
    }

    /// Whether winding numbers contradict that a corner of a body is inside the other body exactly once, and inside no other part of its own
    /// body.
    fn is_doubtful(&self, side: usize, corner: DVec3) -> bool {
        let (body, other) = (&self.bodies[side], &self.bodies[1 - side]);
        // At a vertex of a closed surface the winding number is the fraction of all directions that lead inside.
        let crossed = body.cells.may_pass_through_itself();
        let twice = || {
            (crossed || body.cells.may_overlap()) && {
                let around = winding_on_surface(body, corner);
                around > 1.0 + ROUNDING || crossed && around < -ROUNDING
            }
        };
        // Behind the wall of a container the winding number is the fraction of directions in which the container is open; in front of the wall it
        // is negative.
        let least = if other.cells.is_container() { -AROUND } else { AROUND };
        let outside = || match (other.cells.is_closed(), other.cells.may_overlap()) {
            _ if other.cells.may_pass_through_itself() => !(AROUND..=2.0 - AROUND).contains(&winding(other, corner)),
            (true, false) => false,
            (true, true) => winding(other, corner) > 2.0 - AROUND,
            _ => !(least..=2.0 - AROUND).contains(&winding(other, corner)),
        };
        outside() || twice()
    }

    /// Finds the normals of all groups, and the triangles that face the other body most.
    pub fn name(&mut self, list: &[u32]) {
        for part in list.chunk_by(|i, j| self.whole.find(*i) == self.whole.find(*j)) {
            let sum = self.part(part);
            if let Some(whole) = part.first().and_then(|i| self.loops.get_mut(self.whole.find(*i) as usize)) {
                (whole.across, whole.low, whole.high) = (sum.across, f64::INFINITY, f64::NEG_INFINITY);
            }
            for group in part.chunk_by(|i, j| self.pieces.iter().all(|pieces| pieces.find(*i) == pieces.find(*j))) {
                let all = unit(self.sum(group).area()).map_or(DVec3::ZERO, |(way, _)| -way);
                let mut first = None;
                for i in group.iter().copied() {
                    let Some(of) = self.loops.get(i as usize) else { continue };
                    let alone = of.opens > 0;
                    let normal = if alone { open(of).map_or(DVec3::ZERO, |load| load.normal) } else { all };
                    let group = if alone { i } else { *first.get_or_insert(i) };
                    let none = f64::NEG_INFINITY;
                    if let Some(to) = self.names.get_mut(i as usize) {
                        let normal = normal.to_array();
                        *to =
                            Name { group, side: NONE, normal, triangle: [NONE; 2], facing: [none; 2], size: [0.0; 2] };
                    }
                }
            }
        }
        for s in self.segments.iter().enumerate() {
            let root = self.curve.find(s.0 as u32);
            self.face(root, 0, s.1.x);
            self.face(root, 1, s.1.y);
        }
        for side in 0..2 {
            let body = self.bodies[side];
            for k in 0.. {
                let Some((triangle, corner, root)) = self.floods[side].reached(k) else { break };
                // Visits each triangle once, as the flood does.
                walk(&body.mesh, triangle, corner, |t, c, _| {
                    if c == 2 {
                        self.face(root, side, t);
                    }
                    true
                });
            }
        }
    }

    /// Considers a triangle of a loop as the name of the loop's group: the triangle that faces the other body most wins.
    pub fn face(&mut self, root: u32, side: usize, triangle: u32) {
        let group = self.names.get(root as usize).map_or(root, |name| name.group);
        let Some(name) = self.names.get_mut(group as usize) else { return };
        let normal = DVec3::from_array(name.normal);
        let own = self.placed.normal(&self.bodies, side, triangle);
        let facing = own.dot(if side == 0 { -normal } else { normal });
        const EQUAL: f64 = 1e-9;
        if facing < name.facing[side] - EQUAL {
            return;
        }
        let [a, b, c] = self.placed.corners(&self.bodies, side, triangle);
        let size = (b - a).cross(c - a).length_squared();
        if facing > name.facing[side] + EQUAL || size > name.size[side] {
            (name.facing[side], name.size[side], name.triangle[side]) = (facing, size, triangle);
        }
    }

    /// Writes all parts, ordered by their patches.
    pub fn write<'o>(&self, list: &[u32], swapped: bool, out: &'o mut [Enclosed]) -> &'o mut [Enclosed] {
        let mut count = 0;
        let mut put = |part: Option<Enclosed>| {
            if let (Some(part), Some(to)) = (part, out.get_mut(count)) {
                *to = Enclosed { order: count as u32, ..part };
                count += 1;
            }
        };
        let conservative = self.bodies.iter().all(|body| body.cells.law() == Law::Volume);
        let left = self.left(list);
        let volume = self.parts(list).fold(0.0, |sum, part| sum + left * self.part(part).volume());
        let [x, y] = [0, 1].map(|side| self.bodies[side].shadow());
        // Nothing is inside a body without area.
        let depth = if x < y { volume / x } else { volume / y };
        for loops in self.parts(list) {
            let whole = self.part(loops).shrunk(left);
            let unsure = if whole.unsure & !BEHIND != 0 { status::UNSURE } else { 0 };
            let more = unsure | if whole.unsure & BEHIND != 0 { status::OPEN } else { 0 };
            let thin = if whole.is_thin(whole.halo()) { status::THIN } else { 0 };
            for group in self.groups(loops) {
                let sum = self.sum(group);
                let lone = |i: &&u32| self.loops.get(**i as usize).is_some_and(|of| of.opens > 0);
                if let Some(first) = self.first_closed(group) {
                    let all = group.len() == loops.len();
                    let height = self.height((first, all, &sum));
                    let load = match conservative {
                        true => gradient(&sum, &whole, depth, height),
                        false => closed(&sum, &whole, height),
                    };
                    // The only group has all of it. Its area vector may be 0: a peg in the middle of its hole.
                    let part = if all { 1.0 } else { unit(sum.area()).map_or(0.0, |(_, area)| area / whole.faces) };
                    let energy = if conservative && self.wants.energy { part * whole.energy(depth) } else { 0.0 };
                    let unit = self.bodies[0].unscale();
                    let energy = if Real::is_finite(energy) { energy * unit * unit * unit } else { 0.0 };
                    let root = self.root(first);
                    let each = |sum: f64, i: u32| sum + self.loops.get(i as usize).map_or(0.0, Loop::behind);
                    let sides = self.sides_of(root).fold(0.0, each);
                    if sides > 0.0 {
                        for (i, side) in self.sides_of(root).filter_map(|i| Some((i, self.loops.get(i as usize)?))) {
                            let [_, share] = side.reach_and_share();
                            let energy = energy * share;
                            let load = of_side(side, &whole, depth, sides);
                            put(load.map(|load| Enclosed { energy, ..self.enclosed(i, &load, more, swapped) }));
                        }
                    } else {
                        put(load.map(|load| {
                            let part = Enclosed { energy, ..self.enclosed(first, &load, more | thin, swapped) };
                            self.seated(part, (first, all, &sum), load.centre, swapped)
                        }));
                    }
                }
                for i in group.iter().filter(lone) {
                    let load = self.loops.get(*i as usize).and_then(open);
                    put(load.map(|load| self.enclosed(*i, &load, status::OPEN, swapped)));
                }
            }
        }
        let out = out.get_mut(..count).unwrap_or_default();
        out.sort_unstable_by_key(|part| (part.patches, part.order));
        out
    }

    /// The patches of A and B that name the part bordered by a loop.
    pub fn patches(&self, root: u32, swapped: bool) -> u64 {
        let group = self.names.get(root as usize).map_or(root, |name| name.group);
        let triangle = self.names.get(group as usize).map_or([NONE; 2], |name| name.triangle);
        let [x, y] = [0, 1].map(|side| u64::from(self.bodies[side].patch(triangle[side])));
        if swapped { y << 32 | x } else { x << 32 | y }
    }

    /// Converts to the units of the world, about the midpoint, for A and B.
    fn enclosed(&self, root: u32, load: &Load, more: u32, swapped: bool) -> Enclosed {
        let force = if load.halo > 0.0 { load.area * (1.0 + load.depth / load.halo) } else { load.area };
        let torque = load.torque + self.origin.cross(load.normal * force);
        let centre = load.centre + self.origin;
        let unit = self.bodies[0].unscale();
        let sign = if swapped { -1.0 } else { 1.0 };
        let least = if load.least { status::LEAST_TRANSLATION } else { 0 };
        Enclosed {
            patches: self.patches(root, swapped),
            status: more | least | status::PENETRATING,
            order: 0,
            normal: (load.normal * sign).to_array(),
            area: load.area * unit * unit,
            depth: load.depth * unit,
            most: load.most * unit,
            halo: load.halo * unit,
            centre: (centre * unit).to_array(),
            torque: (torque * (sign * unit * unit * unit)).to_array(),
            energy: 0.0,
            bare: load.bare * unit * unit,
            ..Enclosed::default()
        }
    }
}
