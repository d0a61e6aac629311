//! Holes of meshes that are not closed, and whether the other body passes through one: it crosses no surface there, so no curve shows it.
//!
//! The border of the enclosing surface consists of sides that triangles run more often one way than the other. It is cut into closed walks that
//! visit no vertex twice. Caps are fans of triangles from the centre of each walk to its sides. With caps, a mesh is closed whatever its defects:
//! the cap over a reversed triangle cancels that triangle. If no cap crosses the other body, the intersection curve is that of closed bodies. If
//! a cap crosses it, a part of the curve is missing. A cap inside the other body is missing from the enclosed surface.
//!
//! A part that looks inward, such as a tray, may be open. Of its borders, only those at edges with other triangles have caps: a reversed
//! triangle, or a third triangle at an edge.

use glam::DVec3;

use super::super::{Side, unit};
use super::crossing_segment::segment;
use super::depth_limits::{border_area, extremes};
use super::perturbed_mesh::{Body, Facet};
use crate::error::Result;
use crate::memory::{Layout, sections};
use crate::mesh::{MeshRef, NONE, Sets};
use crate::real::max;
use crate::triangle::kernel::snap;

/// A thinner cap, in canonical units, closes no relevant hole; such caps are at T-junctions.
const THIN: f64 = 1.0 / (1u64 << 20) as f64;

/// A part of a mesh that leaves a larger fraction of its area open is a sheet, and has no cap: the inside is behind it.
const SHEET: f64 = 0.75;

/// A walk goes around a fault if this fraction of its length is at edges with other triangles. A walk around a fin has a third or more; the rim
/// beside a fin has little.
const FAULT: f64 = 1.0 / 3.0;

/// The search ends after this number of comparisons of boxes of triangles and caps, plus [`LOOK`] for each triangle. A body is then taken to pass
/// through a hole.
const LOOK_ALWAYS: u64 = 1 << 18;
const LOOK: u64 = 64;

/// The place where a body passes through a hole of the other one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Poke {
    /// The body that has the hole.
    pub side: usize,
    /// A triangle of the first body and one of the second body there.
    pub triangles: [u32; 2],
    pub at: DVec3,
    /// Normal of the cap, out of the body that has the hole.
    pub normal: DVec3,
}

/// Scratch for [`poke`]: none if both bodies are closed.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(super) fn poke_scratch(a: &Side<'_>, b: &Side<'_>) -> Result<Layout> {
    let of = |side: &Side<'_>| match side.cells.is_closed() {
        true => Ok(Layout::EMPTY),
        false => Memory::layout(&side.operand.mesh, side.cells.open_side.len()),
    };
    Ok(of(a)?.or(of(b)?))
}

sections! {
    /// Memory for the holes of a mesh.
    struct Memory<'s>(mesh: &MeshRef<'_>, open: usize; n = open as u64, v = u64::from(mesh.sizes.vertices)) {
        /// For each part, at its first vertex: area vector, area, six times the volume.
        sums: [[f64; 5]; v],
        /// Sides of triangles on borders, sorted by their first vertices.
        sides: [u32; n],
        /// Those of them at edges with other triangles, in ascending order.
        faults: [u32; n],
        /// The sides in the order of walks.
        walks: [u32; n],
        /// For each vertex the first side there that is in no walk.
        next: [u32; v],
        /// For each vertex on the present path its index in the path, counted from 1.
        place: [u32; v],
        /// The parts: triangles that share a vertex are in one part.
        part: [u32; v],
    }
}

/// Finds whether a body passes through a hole of a body that is not closed, among the bodies of `asked`. If none does, returns the area of the
/// caps that close the surface inside the other body. `inside` tells whether a side of a triangle of a body is inside the other one. `scratch` is
/// [`poke_scratch`].
///
/// Errors: those of [`poke_scratch`].
/// Cost: none if both bodies are closed. Otherwise a sort of the sides at holes of the open body, and a descent in the other body's tree. If a
/// hole is in the other body's box, also a pass over the first body if it has several parts, and one over the other body for each such hole.
#[inline(never)]
pub(super) fn poke(
    bodies: &[Body<'_>; 2],
    asked: [bool; 2],
    scratch: &mut [u8],
    inside: impl Fn(usize, u32) -> bool,
) -> Result<(Option<Poke>, f64)> {
    let mut missing = 0.0;
    let has_holes = |body: &Body<'_>| !body.cells.is_closed() && !is_sheet(body);
    for side in (0..2).filter(|side| asked[*side] && has_holes(&bodies[*side])) {
        let open = bodies[side].cells.open_side.len();
        let Memory { sums, sides, faults, walks, next, place, part, .. } =
            Memory::new(scratch, &bodies[side].mesh, open)?;
        let (all, faults) = gather(&bodies[side], sides, faults, |_| true);
        if all.is_empty() {
            continue;
        }
        let traced = trace(&bodies[side].mesh, all, walks, next, place);
        let number = bodies.iter().fold(0, |sum, body| sum + body.mesh.len() as u64);
        let left = LOOK_ALWAYS.saturating_add(LOOK.saturating_mul(number));
        let found =
            Holes { bodies, side, walks: traced, faults, whole: None, sums, part: Sets::new(part), left }.search();
        if found.is_some() {
            return Ok((found, missing));
        }
        // The border of the inside surface: a fin that the flood does not reach does not belong to it.
        let (own, _) = gather(&bodies[side], sides, &mut [], |at| inside(side, at));
        let mut rest = &*trace(&bodies[side].mesh, own, walks, next, place);
        while let Some(walk) = rest.split_off(..first_walk(&bodies[side].mesh, rest)).filter(|walk| !walk.is_empty()) {
            missing += cap_area(&bodies[side], walk);
        }
    }
    Ok((None, missing))
}

/// Whether a body of one part is a sheet, such as terrain. This test comes first, because the border of terrain is long.
fn is_sheet(body: &Body<'_>) -> bool {
    let (length, [area, _]) = (body.unit_length(), body.cells.surface.first().copied().unwrap_or_default());
    let open = unit(border_area(body)).map_or(0.0, |(_, open)| open);
    body.cells.parts().next().is_none() && open > SHEET * (area * length * length)
}

/// The start and end vertices of a side of a triangle, by the number of the side.
fn ends(mesh: &MeshRef<'_>, side: u32) -> [u32; 2] {
    let corners = mesh.welded((side / 3) as usize);
    [corners[side as usize % 3], corners[(side as usize + 1) % 3]]
}

/// The unpaired sides of triangles that count, ordered by their first vertices: sides without another side that runs the other way. Also those of
/// them at edges with other triangles, in ascending order. Only sides for which `wanted` is true are used.
fn gather<'s, 'f>(
    body: &Body<'_>,
    to: &'s mut [u32],
    faults: &'f mut [u32],
    wanted: impl Fn(u32) -> bool,
) -> (&'s mut [u32], &'f [u32]) {
    let mesh = &body.mesh;
    let (mut count, mut wrong) = (0, 0);
    for side in body.cells.open_side.iter().filter(|side| body.encloses(*side / 3) && wanted(**side)) {
        let [p, q] = ends(mesh, *side);
        if p != q
            && let Some(to) = to.get_mut(count)
        {
            *to = *side;
            count += 1;
        }
    }
    let sides = to.get_mut(..count).unwrap_or_default();
    // Groups the sides of one edge, first those that run to the larger vertex.
    sides.sort_unstable_by_key(|side| {
        let [p, q] = ends(mesh, *side);
        (p.min(q), p.max(q), p > q, *side)
    });
    let (mut read, mut written) = (0, 0);
    while let Some(first) = sides.get(read).copied() {
        let [p, q] = ends(mesh, first);
        let run = sides.get(read..).unwrap_or_default();
        let all = run.iter().take_while(|side| [[p, q], [q, p]].contains(&ends(mesh, **side))).count();
        let same = run.iter().take(all).take_while(|side| ends(mesh, **side) == [p, q]).count();
        let back = all - same;
        // The excess of one direction over the other.
        let from = if same > back { read } else { read + same };
        for k in 0..same.abs_diff(back) {
            if let Some(side) = sides.get(from + k).copied() {
                sides.get_mut(written).into_iter().for_each(|to| *to = side);
                written += 1;
                if all > 1 {
                    faults.get_mut(wrong).into_iter().for_each(|to| *to = side);
                    wrong += 1;
                }
            }
        }
        read += all;
    }
    let sides = sides.get_mut(..written).unwrap_or_default();
    sides.sort_unstable_by_key(|side| (ends(mesh, *side)[0], *side));
    let faults = faults.get_mut(..wrong).unwrap_or_default();
    faults.sort_unstable();
    (sides, faults)
}

/// Cuts borders into closed walks that visit no vertex twice. In a whole border, as many sides end at a vertex as begin there; in a part of a
/// border, sides that form no closed walk are left out.
fn trace<'s>(
    mesh: &MeshRef<'_>,
    sides: &mut [u32],
    walks: &'s mut [u32],
    next: &mut [u32],
    place: &mut [u32],
) -> &'s mut [u32] {
    for vertex in sides.iter().flat_map(|side| ends(mesh, *side)) {
        next.get_mut(vertex as usize).into_iter().for_each(|to| *to = NONE);
        place.get_mut(vertex as usize).into_iter().for_each(|to| *to = 0);
    }
    for (k, side) in sides.iter().enumerate().rev() {
        next.get_mut(ends(mesh, *side)[0] as usize).into_iter().for_each(|to| *to = k as u32);
    }
    // The open path is at the front of `walks`, finished walks are at the end.
    let (mut waiting, mut known) = (0, sides.len());
    for k in 0..sides.len() {
        // A path that did not close is no walk.
        for side in walks.get(..waiting).unwrap_or_default() {
            place.get_mut(ends(mesh, *side)[0] as usize).into_iter().for_each(|to| *to = 0);
        }
        waiting = 0;
        let Some(mut at) = sides.get(k).map(|side| ends(mesh, *side)[0]) else { break };
        while let Some(next) = next.get_mut(at as usize)
            && let Some(side) = choose(mesh, sides.get_mut(*next as usize..).unwrap_or_default(), at, place)
        {
            *next += 1;
            walks.get_mut(waiting).into_iter().for_each(|to| *to = side);
            waiting += 1;
            place.get_mut(at as usize).into_iter().for_each(|to| *to = waiting as u32);
            at = ends(mesh, side)[1];
            // The path has returned to one of its vertices.
            let Some(back) = place.get(at as usize).copied().filter(|place| *place > 0) else { continue };
            while waiting >= back as usize {
                (waiting, known) = (waiting - 1, known - 1);
                let Some(side) = walks.get(waiting).copied() else { break };
                place.get_mut(ends(mesh, side)[0] as usize).into_iter().for_each(|to| *to = 0);
                walks.get_mut(known).into_iter().for_each(|to| *to = side);
            }
        }
    }
    walks.get_mut(known..sides.len()).unwrap_or_default()
}

/// Among the leading sides that begin at a vertex, chooses the side that closes the shortest walk, else the first one, and moves it to the front.
/// This separates holes that meet at vertices.
fn choose(mesh: &MeshRef<'_>, sides: &mut [u32], at: u32, place: &[u32]) -> Option<u32> {
    let here = sides.iter().take_while(|side| ends(mesh, **side)[0] == at);
    let back = |side: &u32| place.get(ends(mesh, *side)[1] as usize).copied().unwrap_or(0);
    let (best, _) = here.enumerate().max_by_key(|(k, side)| (back(side), core::cmp::Reverse(*k)))?;
    sides.swap(0, best);
    sides.first().copied()
}

/// The number of sides of the first walk.
fn first_walk(mesh: &MeshRef<'_>, walks: &[u32]) -> usize {
    let begin = walks.first().map(|side| ends(mesh, *side)[0]);
    let last = walks.iter().position(|side| Some(ends(mesh, *side)[1]) == begin);
    last.map_or(walks.len(), |last| last + 1)
}

struct Holes<'f, 'b, 's> {
    bodies: &'f [Body<'b>; 2],
    side: usize,
    walks: &'s mut [u32],
    faults: &'s [u32],
    /// The sums of a body with one part.
    whole: Option<[f64; 5]>,
    sums: &'s mut [[f64; 5]],
    part: Sets<'s>,
    left: u64,
}

/// A cap: its apex, and the box around it.
struct Cap {
    apex: DVec3,
    low: DVec3,
    high: DVec3,
}

impl Holes<'_, '_, '_> {
    fn search(&mut self) -> Option<Poke> {
        let (body, other) = (&self.bodies[self.side], &self.bodies[1 - self.side]);
        let around = extremes(other);
        let is_near = |cap: &Cap| meet([cap.low, cap.high], around);
        let mut rest = &*self.walks;
        let mut near = false;
        while let Some(walk) = rest.split_off(..first_walk(&body.mesh, rest)).filter(|walk| !walk.is_empty()) {
            near = near || is_near(&cap_over(body, walk));
        }
        if !near {
            return None;
        }
        match body.cells.parts().next() {
            None => self.whole = Some(self.measure_whole()),
            Some(_) => self.measure(),
        }
        let mut rest = core::mem::take(&mut self.walks);
        while let Some(walk) = rest.split_off_mut(..first_walk(&body.mesh, rest)).filter(|walk| !walk.is_empty()) {
            let cap = cap_over(body, walk);
            if !is_near(&cap) || !self.is_hole(walk) {
                continue;
            }
            let found = self.poke(self.near(walk, &cap, around), &cap);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The sums of a body with one part, including the caps of its holes.
    fn measure_whole(&self) -> [f64; 5] {
        let body = &self.bodies[self.side];
        let [area, volume] = body.cells.surface.first().copied().unwrap_or_default();
        let (length, open) = (body.unit_length(), border_area(body));
        let middle = body.place(body.mesh.centre());
        let mut six = 6.0 * volume * length * length * length + 2.0 * open.dot(middle);
        let mut rest = &*self.walks;
        while let Some(walk) = rest.split_off(..first_walk(&body.mesh, rest)).filter(|walk| !walk.is_empty()) {
            let apex = cap_over(body, walk).apex;
            let caps = walk.iter().map(|side| cap_triangle(body, apex, *side));
            six = caps.fold(six, |sum, [a, b, c]| sum + a.dot(b.cross(c)));
        }
        [open.x, open.y, open.z, area * length * length, six]
    }

    /// Computes the sums of all parts, each including the caps of its holes.
    fn measure(&mut self) {
        let bodies = self.bodies;
        let body = &bodies[self.side];
        self.sums.fill([0.0; 5]);
        let all = || (0..body.mesh.len() as u32).filter(|i| body.encloses(*i));
        for i in all() {
            let [u, v, w] = body.mesh.welded(i as usize);
            self.part.join([u, v]);
            self.part.join([v, w]);
        }
        for i in all() {
            self.add(i, body.corners(i), true);
        }
        let walks = core::mem::take(&mut self.walks);
        let mut rest = &*walks;
        while !rest.is_empty() {
            let Some(walk) = rest.split_off(..first_walk(&body.mesh, rest)) else { break };
            let apex = cap_over(body, walk).apex;
            walk.iter().for_each(|side| self.add(side / 3, cap_triangle(body, apex, *side), false));
        }
        self.walks = walks;
    }

    /// Adds a triangle, or a triangle of a cap, to the part of triangle `of` of the mesh.
    fn add(&mut self, of: u32, [a, b, c]: [DVec3; 3], own: bool) {
        let root = self.part.root(self.bodies[self.side].mesh.welded(of as usize)[0]);
        let Some(sums) = self.sums.get_mut(root as usize) else { return };
        let area = (b - a).cross(c - a) * 0.5;
        if own {
            let size = unit(area).map_or(0.0, |(_, size)| size);
            sums.iter_mut().zip([area.x, area.y, area.z, size]).for_each(|(to, x)| *to += x);
        }
        sums[4] += a.dot(b.cross(c));
    }

    /// Whether a walk goes around a fault: it has three sides, one of them a fault, or faults have at least [`FAULT`] of its length. On the rim
    /// of a tray, faults are shorter.
    fn is_fault(&self, walk: &[u32]) -> bool {
        let (mut wrong, mut length) = (0.0, 0.0);
        for side in walk {
            let [p, q] = side_of(&self.bodies[self.side], *side);
            let own = unit(q - p).map_or(0.0, |(_, length)| length);
            length += own;
            wrong += if self.faults.binary_search(side).is_ok() { own } else { 0.0 };
        }
        wrong > 0.0 && (walk.len() <= 3 || wrong >= FAULT * length)
    }

    /// Whether a walk goes around a hole of a body that looks outward, or around a fault, but not around a sheet.
    fn is_hole(&mut self, walk: &[u32]) -> bool {
        let first = walk.first().map_or(NONE, |side| ends(&self.bodies[self.side].mesh, *side)[0]);
        let root = if self.whole.is_some() { NONE } else { self.part.root(first) };
        self.whole.as_ref().or(self.sums.get(root as usize)).is_some_and(|[x, y, z, area, volume]| {
            let open = unit(DVec3::new(*x, *y, *z)).map_or(0.0, |(_, open)| open);
            open <= SHEET * area && (*volume > 0.0 || self.is_fault(walk))
        })
    }

    /// Moves the sides of a walk whose cap triangles reach into a box to the front, and returns them.
    fn near<'w>(&self, walk: &'w mut [u32], cap: &Cap, around: [DVec3; 2]) -> &'w [u32] {
        let mut count = 0;
        for k in 0..walk.len() {
            let Some(side) = walk.get(k) else { break };
            if meet(box_of(cap_triangle(&self.bodies[self.side], cap.apex, *side)), around) {
                walk.swap(k, count);
                count += 1;
            }
        }
        walk.get(..count).unwrap_or_default()
    }

    /// Finds where the other body crosses a cap at one of these sides.
    fn poke(&mut self, walk: &[u32], cap: &Cap) -> Option<Poke> {
        let (body, other) = (&self.bodies[self.side], &self.bodies[1 - self.side]);
        let around = [cap.low, cap.high];
        let first = walk.first()?;
        let found = |side: u32, j: u32, at: DVec3, normal: DVec3| Poke {
            side: self.side,
            triangles: if self.side == 0 { [side / 3, j] } else { [j, side / 3] },
            at,
            normal: unit(normal).map_or(DVec3::X, |(normal, _)| normal),
        };
        for j in (0..other.mesh.len() as u32).filter(|j| other.encloses(*j)) {
            let corners = other.corners(j);
            let is_near = meet(box_of(corners), around);
            let looks = if is_near { 1 + walk.len() as u64 } else { 1 };
            let Some(left) = self.left.checked_sub(looks) else { return Some(found(*first, j, cap.apex, DVec3::X)) };
            self.left = left;
            if !is_near {
                continue;
            }
            let facet = other.facet(j);
            for side in walk {
                let corner = cap_triangle(body, cap.apex, *side);
                let normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
                if !meet(box_of(corner), box_of(corners)) || is_thin(corner, normal) {
                    continue;
                }
                let [p, q] = ends(&body.mesh, *side);
                let part = Facet { id: side / 3, vertex: [NONE, q, p], corner: corner.map(|x| x.to_array()) };
                let crossing = if self.side == 0 { segment(&part, &facet) } else { segment(&facet, &part) };
                if let Some(crossing) = crossing {
                    let [p, q] = crossing.ends();
                    return Some(found(*side, j, (p + q) * 0.5, normal));
                }
            }
        }
        None
    }
}

/// The cap over a walk.
fn cap_over(body: &Body<'_>, walk: &[u32]) -> Cap {
    let mut cap = Cap { apex: DVec3::ZERO, low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    let mut length = 0.0;
    for side in walk {
        let [p, q] = side_of(body, *side);
        let weight = unit(q - p).map_or(0.0, |(_, length)| length);
        cap.apex += (p + q) * (0.5 * weight);
        length += weight;
        (cap.low, cap.high) = (cap.low.min(p), cap.high.max(p));
    }
    cap.apex = DVec3::from_array((cap.apex / max(length, f64::MIN_POSITIVE)).to_array().map(snap));
    cap
}

/// The area of the cap over a walk, without its thin triangles.
fn cap_area(body: &Body<'_>, walk: &[u32]) -> f64 {
    let cap = cap_over(body, walk);
    walk.iter().fold(0.0, |sum, side| {
        let [a, b, c] = cap_triangle(body, cap.apex, *side);
        let normal = (b - a).cross(c - a);
        if is_thin([a, b, c], normal) { sum } else { sum + 0.5 * unit(normal).map_or(0.0, |(_, size)| size) }
    })
}

/// A side, moved inward as its triangle.
fn side_of(body: &Body<'_>, side: u32) -> [DVec3; 2] {
    let corners = body.facet(side / 3).corner;
    [corners[side as usize % 3], corners[(side as usize + 1) % 3]].map(DVec3::from_array)
}

/// The triangle of a cap at a side, which runs along the side in reverse.
fn cap_triangle(body: &Body<'_>, apex: DVec3, side: u32) -> [DVec3; 3] {
    let [p, q] = side_of(body, side);
    [apex, q, p]
}

fn is_thin([a, b, c]: [DVec3; 3], normal: DVec3) -> bool {
    let length = |v: DVec3| unit(v).map_or(0.0, |(_, length)| length);
    length(normal) <= THIN * max(length(b - a), max(length(c - b), length(a - c)))
}

fn box_of([a, b, c]: [DVec3; 3]) -> [DVec3; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Whether boxes overlap, with a margin for the displacement of triangles.
fn meet([low, high]: [DVec3; 2], [floor, top]: [DVec3; 2]) -> bool {
    const MARGIN: f64 = 1.0 / (1u64 << 30) as f64;
    (high + MARGIN).cmpge(floor).all() && (top + MARGIN).cmpge(low).all()
}
