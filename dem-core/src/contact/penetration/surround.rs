//! From crossing triangles to enclosed parts: segments, loops, the vertices inside, and sums.

use glam::DVec3;
use zerocopy::{FromBytes, IntoBytes};

use super::super::{Side, status, unit};
use super::Enclosed;
use super::crossing_segment::{Segment, flag, segment};
use super::curve_patches::Ties;
use super::depth::Cut;
use super::depth_limits::{Bounds, is_small};
use super::flood::{Flood, FloodMemory};
use super::hole_caps::{poke, poke_scratch};
use super::intersection_curve::{Facing, Name, Surround};
use super::loops::Loop;
use super::perturbed_mesh::{Body, Facet, in_order};
use super::placed_faces::PlacedFaces;
use super::segment_ends::{Knot, Told, along, stitch, tie};
use crate::contact::spread::Wants;
use crate::error::{Error, Result, What};
use crate::memory::{Layout, sections};
use crate::mesh::{NONE, Sets};
use crate::narrow::Frame;
use crate::real::min;

/// Scratch for [`penetration`] with this number of segments; none for 0.
///
/// Errors: [`Kind::TooLarge`](crate::error::Kind::TooLarge).
pub(in super::super) fn penetration_scratch(a: &Side<'_>, b: &Side<'_>, segments: usize) -> Result<Layout> {
    Memory::layout(a, b, segments)
}

sections! {
    /// Memory for this number of segments.
    struct Memory<'s>(a: &Side<'_>, b: &Side<'_>, segments: usize; n = segments as u64) {
        segments: [Segment; n],
        facets: [Facet; kept(a, b, segments)],
        knots: [Knot; 2 * n],
        order: [u32; 2 * n],
        loops: [Loop; n],
        names: [Name; n],
        facings: [[Facing; 2]; n],
        out: [Enclosed; n],
        curve: [u32; n],
        first: [u32; n],
        second: [u32; n],
        whole: [u32; n],
        of_a: FloodMemory(&a.operand.mesh, segments),
        of_b: FloodMemory(&b.operand.mesh, segments),
        holes: { if segments == 0 { Layout::EMPTY } else { poke_scratch(a, b)? } },
    }
}

/// The enclosed parts of two bodies, ordered by their patches. `near` are pairs of triangles of A and B that include all pairs that cross.
/// `scratch` is [`penetration_scratch`] for as many segments. `ties`: the patches along the curve, no more than segments.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) with the exact number for [`What::Segments`].
pub(in super::super) fn penetration<'b, 's>(
    a: &Side<'b>,
    b: &Side<'b>,
    frame: &Frame,
    near: impl Iterator<Item = (u32, u32)> + Clone,
    (room, wants): (usize, Wants),
    ties: &mut Ties<'_>,
    scratch: &'s mut [u8],
) -> Result<&'s [Enclosed]> {
    let mut near = near.peekable();
    if near.peek().is_none() {
        return Ok(&[]);
    }
    let (bodies, swapped) = in_order(a, b, frame);
    let memory = Memory::new(scratch, a, b, room)?;
    let Memory { segments, facets, knots, order, loops, names, facings, out, .. } = memory;
    let Memory { curve, first, second, whole, of_a, of_b, holes, .. } = memory;
    let near = near.map(|(i, j)| if swapped { (j, i) } else { (i, j) });
    let (first_flood, second_flood) = if swapped { (of_b, of_a) } else { (of_a, of_b) };
    // Two-sided sheets enclose nothing: they are used only if nothing else crosses.
    let mut count = cross(&bodies, near.clone().filter(|(i, j)| !sheets(&bodies, *i, *j)), facets, segments);
    let encloses = count > 0;
    if !encloses {
        count = cross(&bodies, near.filter(|(i, j)| sheets(&bodies, *i, *j)), facets, segments);
    }
    let Some(segments) = segments.get_mut(..count) else {
        return Err(Error::capacity(What::Segments, count as u64, room as u64));
    };
    if segments.is_empty() {
        return Ok(&[]);
    }
    segments.sort_unstable_by_key(|s| u64::from(s.x) << 32 | u64::from(s.y));
    // All arrays are cut to the number of segments, so that the rest is never touched.
    let [curve, first, second, whole] =
        [curve, first, second, whole].map(|sets| Sets::new(sets.get_mut(..count).unwrap_or_default()));
    let pieces = [first, second];
    let floods = [Flood::new(bodies[0].mesh, first_flood), Flood::new(bodies[1].mesh, second_flood)];
    let knots = knots.get_mut(..2 * count).unwrap_or_default();
    let (loops, names) = (loops.get_mut(..count).unwrap_or_default(), names.get_mut(..count).unwrap_or_default());
    let facings = facings.get_mut(..count).unwrap_or_default();
    // The shrunken triangles are no longer needed: their memory is reused.
    let placed = PlacedFaces::new(&bodies, segments, facets.as_mut_bytes());
    let mut work = Surround {
        bodies,
        segments,
        placed,
        loops,
        names,
        facings,
        curve,
        pieces,
        whole,
        floods,
        origin: DVec3::ZERO,
        wants,
        divided: false,
    };
    work.tie(knots, order, !encloses);
    work.follow(knots);
    work.flood(knots, order);
    if encloses {
        work.take_whole_parts();
    }
    let (order, by_triangle) = order.split_at_mut(order.len() / 2);
    let loops = work.gather(order);
    let list = order.get(..loops).unwrap_or_default();
    work.name(list);
    let by_triangle = by_triangle.get_mut(..count).unwrap_or_default();
    // The ends of segments are no longer needed: their memory is reused.
    let memory = <[f64]>::mut_from_bytes(knots.as_mut_bytes()).unwrap_or_default();
    let mut cut = Cut::new(by_triangle, memory);
    work.measure_depths(&mut cut);
    work.measure_seats(list, &cut);
    if encloses && !work.is_sound() {
        work.verify(list);
        work.doubt_overlaps(by_triangle);
        let (found, missing) = poke(&work.bodies, [true; 2], holes, |side, at| work.is_border_inside(side, at))?;
        // Areas of holes may cancel in the sum that tests whether the enclosed surface closes.
        let skin = list.iter().filter_map(|i| work.loops.get(*i as usize)).fold(0.0, |sum, of| sum + of.skin());
        if found.is_some() || !is_small(missing, skin) {
            work.loops.iter_mut().for_each(|of| of.unsure = 1);
        }
    }
    if encloses {
        work.doubt_rooms(list);
        let sheets = [a, b].map(Side::may_be_sheet);
        work.doubt_behind(list, if swapped { [sheets[1], sheets[0]] } else { sheets });
    }
    let out = work.write(list, swapped, out);
    let names = memory.as_mut_bytes().get_mut(..count * size_of::<[u64; 3]>()).unwrap_or_default();
    work.tell(swapped, <[[u64; 3]]>::mut_from_bytes(names).unwrap_or_default(), ties);
    if !work.is_sound() || out.iter().any(|part| part.status & status::UNSURE != 0) {
        Bounds::new(&work.bodies).hold(out);
    }
    out.iter_mut().for_each(Enclosed::restrain);
    Ok(out)
}

/// Whether one of these triangles is a side of a two-sided sheet.
fn sheets(bodies: &[Body<'_>; 2], i: u32, j: u32) -> bool {
    bodies[0].is_cancelled(i) || bodies[1].is_cancelled(j)
}

/// The number of triangles of both bodies in the cache of shrunken triangles.
fn kept(a: &Side<'_>, b: &Side<'_>, segments: usize) -> u64 {
    let triangles = a.operand.mesh.len().max(b.operand.mesh.len()) as u64;
    if segments == 0 { 0 } else { 2 * triangles.clamp(1, KEPT).next_power_of_two() }
}

/// Largest number for each body.
const KEPT: u64 = 1024;

/// Writes the segments of all pairs that cross, as long as there is room, and counts them. Each body uses half of `facets` as its cache.
fn cross(
    bodies: &[Body<'_>; 2],
    pairs: impl Iterator<Item = (u32, u32)>,
    facets: &mut [Facet],
    to: &mut [Segment],
) -> usize {
    // Bodies that touch in a few pairs use few entries: clearing the others would only cost time.
    let (pairs, half) = (pairs.into_iter(), facets.len() / 2);
    let half = min(half, 2 * pairs.size_hint().1.unwrap_or(half).clamp(1, half.max(1)).next_power_of_two());
    let (first, rest) = facets.split_at_mut(half);
    let second = rest.get_mut(..half).unwrap_or_default();
    for facet in first.iter_mut().chain(second.iter_mut()) {
        facet.id = NONE;
    }
    let mut count = 0;
    for (i, j) in pairs.filter(|(i, j)| !bodies[0].is_copy(*i) && !bodies[1].is_copy(*j)) {
        let (x, y) = (facet(&bodies[0], i, first), facet(&bodies[1], j, second));
        if let Some(segment) = segment(&x, &y) {
            if let Some(to) = to.get_mut(count) {
                *to = segment;
            }
            count += 1;
        }
    }
    count
}

/// A shrunken triangle, cached if there is an entry for it; the number of entries is a power of two or zero.
fn facet(body: &Body<'_>, i: u32, facets: &mut [Facet]) -> Facet {
    let place = i as usize & facets.len().wrapping_sub(1);
    if let Some(facet) = facets.get(place).filter(|facet| facet.id == i && i != NONE) {
        return *facet;
    }
    let facet = body.facet(i);
    if let Some(place) = facets.get_mut(place) {
        *place = facet;
    }
    facet
}

impl Surround<'_, '_> {
    /// Whether both meshes are sound, and no parts of one mesh can overlap.
    pub fn is_sound(&self) -> bool {
        self.bodies.iter().all(|body| body.cells.is_sound())
    }

    /// Whether a side of a triangle is on the border of the inside surface. It is not if the surface continues across the side, even by a
    /// triangle that a copy cancels.
    fn is_border_inside(&self, side: usize, at: u32) -> bool {
        let (mesh, triangle, k) = (&self.bodies[side].mesh, at / 3, at as usize % 3);
        let inside = |corner: usize| self.floods[side].is_inside(triangle, corner % 3);
        let [own, across] = [triangle, mesh.neighbour.get(triangle as usize).map_or(NONE, |across| across[k])]
            .map(|i| mesh.welded(i as usize));
        let goes_on = (0..3).any(|m| across[m] == own[(k + 1) % 3] && across[(m + 1) % 3] == own[k]);
        !goes_on && inside(k) && inside(k + 1) && !self.floods[side].is_crossed(triangle, k)
    }

    /// Joins segments to loops.
    fn tie(&mut self, knots: &mut [Knot], order: &mut [u32], sheets: bool) {
        let count = self.segments.len();
        let sum = self.segments.iter().fold(DVec3::ZERO, |sum, s| sum + s.ends()[0]);
        self.origin = sum / count.max(1) as f64;
        tie(self.segments, knots, &mut self.curve);
        // Several times the displacement of vertices.
        let near = 8.0 * self.bodies[0].reach();
        stitch(self.segments, knots, order, near, &mut self.curve);
        self.curve.flatten();
        // The data of a loop are at its first segment.
        let (loops, names) = (self.loops.iter_mut(), self.names.iter_mut());
        for (_, (of, name)) in (0..).zip(loops.zip(names)).filter(|(i, _)| self.curve.find(*i) == *i) {
            (*of, *name) = (Loop::new(sheets), Name::default());
        }
    }

    /// Computes the sums along every loop.
    fn follow(&mut self, knots: &[Knot]) {
        let origin = self.origin;
        for (i, s) in self.segments.iter().enumerate() {
            let [p, q] = s.ends().map(|x| x - origin);
            let halo = self.bodies[0].halo(s.x) + self.bodies[1].halo(s.y);
            if let Some(of) = self.loops.get_mut(self.curve.find(i as u32) as usize) {
                of.curve(p, q);
                of.weigh(p, q, halo);
                of.segments += 1;
                of.unsure |= u32::from(self.bodies[0].cells.is_crossing(s.x) || self.bodies[1].cells.is_crossing(s.y));
            }
        }
        let at = |k: &Knot| self.segments.get(k.segment() as usize).map_or(origin, |s| s.ends()[k.end()]) - origin;
        for k in knots.iter().filter(|k| k.is_open()) {
            if let Some(of) = self.loops.get_mut(self.curve.find(k.segment()) as usize) {
                of.open(at(k));
            }
        }
        for k in knots.iter().filter(|k| k.is_open()) {
            if let Some(of) = self.loops.get_mut(self.curve.find(k.segment()) as usize) {
                let middle = of.middle_of_ends();
                let [p, q] = if k.begins() { [middle, at(k)] } else { [at(k), middle] };
                of.curve(p, q);
            }
        }
        self.ways();
    }

    /// Computes the separating translations of loops that do not close.
    fn ways(&mut self) {
        for normals in [true, false] {
            for (i, s) in self.segments.iter().enumerate() {
                let Some(of) = self.loops.get_mut(self.curve.find(i as u32) as usize) else { continue };
                if of.opens == 0 && !of.is_nothing() {
                    continue;
                }
                if normals {
                    let [p, q] = s.ends();
                    let length = unit(q - p).map_or(0.0, |(_, length)| length);
                    of.ways.lean([self.bodies[0].normal(s.x), self.bodies[1].normal(s.y)], length);
                    continue;
                }

                of.ways.separate(&self.bodies[0].corners(s.x), &self.bodies[1].corners(s.y));
            }
        }
    }

    /// Floods the inside, with its sums, and joins loops that border one surface piece.
    fn flood(&mut self, knots: &[Knot], order: &mut [u32]) {
        let Surround { segments, loops, curve, pieces, floods, .. } = self;
        along(segments, knots, |told| match told {
            Told::Inside(seed) => {
                let (root, side) = (curve.find(seed.segment), usize::from(seed.second));
                if loops.get(root as usize).is_some_and(|of| of.opens == 0) {
                    floods[side].seed(seed.vertex, seed.triangle, root, &mut pieces[side]);
                }
            }
            Told::Outside(seed) => floods[usize::from(seed.second)].exclude(seed.vertex, seed.triangle),
            Told::Twice(segment) => {
                if let Some(of) = loops.get_mut(curve.find(segment) as usize) {
                    of.unsure = 1;
                }
            }
            Told::Along(second, ends) => pieces[usize::from(second)].join(ends.map(|end| curve.find(end))),
            Told::Crossed(second, triangle, edge) => floods[usize::from(second)].cross(triangle, edge),
        });
        for side in 0..2 {
            self.holes(side, order);
            self.spread(side, false);
        }
        for i in 0..self.segments.len() {
            self.border(i);
        }
    }

    /// Adds the surface that a flood reaches from newly marked vertices of a body. For `whole` parts, the intersection with other parts of their
    /// body is doubtful: it would count twice.
    pub fn spread(&mut self, side: usize, whole: bool) {
        let Surround { loops, pieces, floods, bodies, origin, wants, .. } = self;
        let (body, sound) = (bodies[side], bodies.iter().all(|body| body.cells.is_sound()));
        floods[side].spread(&mut pieces[side], |triangle, corner, root, outside| {
            // The border of the inside is summed from corner 0. So sides 0 and 2 of a triangle contribute nothing, and side 1 contributes up to
            // its end: the triangle counts when its corner 2 is reached.
            let Some(of) = loops.get_mut(root as usize) else { return };
            let twice = whole && body.cells.meets_other_part(triangle);
            of.unsure |= u32::from(outside || twice || body.cells.is_crossing(triangle));
            if wants.energy {
                // Adds the whole edge, unless it crosses the other surface.
                let before = (corner + 2) % 3;
                of.edges += body.edge_layer(triangle, before) * body.length(triangle, before);
                of.vertices += body.vertex_layer(triangle, corner);
            }
            if corner == 2 && !body.is_copy(triangle) {
                let corners = body.corners(triangle).map(|v| v - *origin);
                of.surface(body.normal(triangle), corners);
                if !sound {
                    of.cover(corners);
                }
            }
        });
    }

    /// Adds a segment's part of the border of the inside: the segment itself, and side 1 of its triangles from where the segment begins or ends.
    fn border(&mut self, i: usize) {
        let (loops, sound) = (core::mem::take(&mut self.loops), self.is_sound());
        if let Some(of) = loops.get_mut(self.curve.find(i as u32) as usize).filter(|of| of.opens == 0) {
            for side in 0..2 {
                let outward = self.normal_of(i, side);
                self.pieces_of(i, side, |a, b, c| {
                    of.surface(outward, [a, b, c]);
                    if !sound {
                        of.cover([a, b, c]);
                    }
                });
                if self.wants.energy {
                    of.edges += self.edges_of(i, side);
                }
            }
        }
        self.loops = loops;
    }

    /// The contribution of a segment's ends to the inside length of its triangle's edges. An edge that leaves the other body is inside from its
    /// start to that end; an edge that enters is inside from there on.
    fn edges_of(&self, i: usize, side: usize) -> f64 {
        let Some(s) = self.segments.get(i) else { return 0.0 };
        let (body, triangle) = (&self.bodies[side], if side == 0 { s.x } else { s.y });
        s.tips.iter().filter(|tip| tip.of_second() == (side == 1)).fold(0.0, |sum, tip| {
            let part = if tip.is(flag::BACKWARD) { 1.0 - tip.t } else { tip.t };
            let layer = part * body.length(triangle, tip.side()) * body.edge_layer(triangle, tip.side());
            if tip.leaves() { sum + layer } else { sum - layer }
        })
    }

    /// The normal of a segment's triangle of one body.
    fn normal_of(&self, i: usize, side: usize) -> DVec3 {
        let normal = |s: &Segment| self.placed.normal(&self.bodies, side, if side == 0 { s.x } else { s.y });
        self.segments.get(i).map_or(DVec3::ZERO, normal)
    }

    /// Passes to `add` the triangles, about the origin, that a segment adds to the inside area of its triangle of one body.
    pub fn pieces_of(&self, i: usize, side: usize, mut add: impl FnMut(DVec3, DVec3, DVec3)) {
        let Some(s) = self.segments.get(i) else { return };
        let [p, q] = s.ends().map(|v| v - self.origin);
        let corners = self.placed.corners(&self.bodies, side, if side == 0 { s.x } else { s.y });
        let [a, b, _] = corners.map(|v| v - self.origin);
        if side == 0 {
            add(a, p, q)
        } else {
            add(a, q, p)
        }
        for (tip, at) in s.tips.iter().zip([p, q]) {
            if tip.of_second() == (side == 1) && tip.side() == 1 {
                if tip.leaves() { add(a, b, at) } else { add(a, at, b) }
            }
        }
    }
}
