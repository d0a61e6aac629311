//! Contacts of a half-space and a mesh: the integrals over the mesh's faces within the halo, over the half-space's infinite face, and over faces
//! below it.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::defects::{deepest_of_flat, defects_below, is_on_edge, tell};
use super::task::Task;
use super::triangle_in_slab::{Piece, slab};
use super::writer::{Local, PartPair, Sink};
use super::{Shape, Surface};
use crate::contact::measure::single::{Measured, measure_all, measure_facing};
use crate::contact::measure::terms::LOOKS;
use crate::contact::spread::{Gathered, Tensor, Wants};
use crate::contact::{Cell, ContactCounts, Face, PRISM, status, unit};
use crate::error::{Error, Result, What};
use crate::memory::{Layout, sections};
use crate::narrow::{Near, around_scratch, below_plane};
use crate::real::{Real, max, min};
use crate::simd::Isa;

/// Scratch for a half-space and a mesh.
pub(super) fn scratch(surface: &Surface<'_>, pairs: usize, terms: usize) -> Result<Layout> {
    Memory::layout(surface, pairs, terms)
}

sections! {
    /// Scratch for this number of triangles and terms.
    struct Memory<'s>(surface: &Surface<'_>, pairs: usize, terms: usize) {
        near: [Near; pairs as u64],
        terms: [Term; terms as u64],
        rest: { around_scratch(&surface.operand())? },
    }
}

/// Terms of cells of edges and vertices have this number or a larger one as the second word of their keys.
const OF_CELLS: u64 = 3;

/// One integral: over a face within the half-space's halo, or over the half-space's face in one cell.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Term {
    /// Sort key: patch and triangle, then the kind of term (face above, prism, face below, or cell).
    pub key: [u64; 2],
    /// `s int dA`
    pub area: f64,
    /// `s int (1 - g/T) dA`; `s int -g dA` without halos.
    pub pressure: f64,
    /// As `pressure`, with the factor `x`, in the mesh's frame.
    pub first: [f64; 3],
    /// Direction of the force on the half-space.
    pub normal: [f64; 3],
    /// The force along it, and its first moment. Under the law of facing these are `pressure` and `first`.
    pub load: f64,
    pub at: [f64; 3],
    pub least_gap: f64,
    /// The halo T.
    pub halo: f64,
    /// Energy over the stiffness; 0 unless energies are requested.
    pub energy: f64,
    /// `s int x dA`, and the second moment of the pressure about its centre, over the pressure; 0 unless second moments are requested.
    pub even: [f64; 3],
    pub second: Tensor,
}

/// The additional term of a mesh that has sunk in.
pub(super) struct Sunk {
    pub term: Term,
    pub status: u32,
}

/// The second word of the key of a face below.
pub(super) const BELOW: u64 = 2;

/// Output of terms. Terms without room are counted.
pub(super) struct List<'s> {
    terms: &'s mut [Term],
    count: usize,
}

impl List<'_> {
    pub fn push(&mut self, term: Term) {
        if let Some(to) = self.terms.get_mut(self.count) {
            *to = term;
        }
        self.count += 1;
    }
}

/// The half-space in the frame and the units of the mesh.
pub(super) struct Ground<'a> {
    pub surface: &'a Surface<'a>,
    /// Outward normal.
    pub up: DVec3,
    /// The height of x above the half-space is `up.x - offset`.
    pub offset: f64,
    /// Halo of the half-space, plus the extension of both halos.
    halo: f64,
    /// The optional fields of contacts.
    pub wants: Wants,
    /// Few numbers of a vector are used, but a vector is cut without branches.
    isa: Isa,
}

impl Ground<'_> {
    pub fn halo(&self, triangle: u32) -> f64 {
        self.halo + self.surface.mesh.halo(triangle as usize)
    }

    /// The largest sum of halos over all triangles.
    pub fn largest_halo(&self) -> f64 {
        self.halo + self.surface.mesh.largest_halo()
    }

    /// Writes all terms of a triangle and its cells.
    fn terms(&self, triangle: u32, list: &mut List<'_>) {
        let Some(prism) = self.surface.cells.prism(triangle as usize) else { return };
        let corners = self.surface.mesh.triangle(triangle as usize).map(DVec3::from_array);
        let heights = corners.map(|c| self.up.dot(c) - self.offset);
        let halo = self.halo(triangle);
        if self.is_conservative(halo) {
            self.volume_face(triangle, prism, &corners, heights, list);
        } else {
            self.face(triangle, prism, &corners, heights, list);
        }
        if halo > 0.0 && heights.iter().any(|h| *h <= halo) && heights.iter().any(|h| *h >= -halo) {
            self.cells(triangle, &corners, halo, list);
        }
    }

    /// Writes three terms. The first is the face within the half-space's halo, with weight 1/2. The second is the half-space's face in the
    /// triangle's prism, with weight 1/2, computed as the same face with gaps `h / t`. The third is the part of the face below the plane, with
    /// weight 1. All use the same heights, so where a face lies in the plane within rounding, nothing is lost or counted twice.
    fn face(&self, triangle: u32, prism: &Cell, corners: &[DVec3; 3], heights: [f64; 3], list: &mut List<'_>) {
        let normal = DVec3::from_array(prism.normal);
        let facing = -normal.dot(self.up);
        if facing <= 0.0 {
            return;
        }
        let halo = self.halo(triangle);
        let patch = prism.patch;
        let term = |of: u64, s: f64, piece: &Piece, moved: DVec3, normal: DVec3| {
            let (pressure, first) = (s * piece.pressure, ((piece.first + moved * piece.lift) * s).to_array());
            Term {
                key: [u64::from(patch) << 32 | u64::from(triangle), of],
                area: s * piece.area,
                pressure,
                first,
                normal: normal.to_array(),
                load: pressure,
                at: first,
                least_gap: piece.least,
                halo,
                energy: 0.0,
                even: (piece.shifted * s).to_array(),
                second: piece.second,
            }
        };
        let spread = self.wants.spread;
        let part = |range: [f64; 2], unit: f64, halo: f64, moved: DVec3| {
            slab(corners, heights, normal, range, [unit, halo], spread.then_some(moved))
        };
        if halo > 0.0
            && let Some(piece) = part([0.0, halo], halo, halo, DVec3::ZERO)
        {
            list.push(term(0, 0.5 * facing, &piece, DVec3::ZERO, -self.up));
        }
        let narrow = facing * halo;
        if narrow > 0.0
            && let Some(piece) = part([0.0, narrow], narrow, narrow, normal / facing)
        {
            let piece = Piece { least: piece.least / facing, ..piece };
            list.push(term(1, 0.5, &piece, normal / facing, normal));
        }
        // The point halfway between both surfaces, as for positive gaps.
        if let Some(piece) =
            part([f64::NEG_INFINITY, 0.0], unit_of(halo), halo, self.up * -0.5).filter(|piece| piece.least < 0.0)
        {
            list.push(term(BELOW, facing, &piece, self.up * -0.5, -self.up));
        }
    }

    /// Writes the terms of the half-space's face in the cells of edges and vertices (sectors and cones), integrated
    /// over a triangle that covers all of them.
    fn cells(&self, triangle: u32, corners: &[DVec3; 3], halo: f64, list: &mut List<'_>) {
        let cells = &self.surface.cells;
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let radius = corners.iter().fold(0.0, |m, c| max(m, (*c - middle).length_squared()));
        // A cell extends at most the halo beyond its triangle.
        let reach = 1.5 * (Real::sqrt(radius) + halo);
        let foot = middle - self.up * (self.up.dot(middle) - self.offset);
        let Some((along, _)) = unit(self.up.cross(least_axis(self.up))) else { return };
        let (along, across) = (along * (2.0 * reach), self.up.cross(along) * reach);
        let wall = [foot - along - across, foot + along - across, foot + across * 2.0].map(|c| c.to_array());
        let face = Face { corners: wall, normal: self.up.to_array() };
        for c in cells.of(triangle as usize) {
            let Some(cell) = cells.cell.get(c).filter(|cell| cell.kind != PRISM) else { continue };
            let sides = cells.sides(cell);
            let wants = self.wants;
            let (measured, normal) = if self.is_conservative(halo) {
                let measured = measure_all(self.isa, &face, cell, sides, [halo, self.rounding()], wants);
                (measured, (self.up * -cell.sign).to_array())
            } else {
                let wants = Wants { energy: false, ..wants };
                let looks =
                    (cell.sign > 0.0).then(|| measure_facing(self.isa, &face, cell, sides, halo, wants)).flatten();
                (looks, cell.normal)
            };
            let Some(Measured { moments: m, facing, energy, wide }) = measured else { continue };
            let (own, even) = wide.of(&m, 0.5 * facing);
            let second = own.second.map(|x| if own.weight > 0.0 { x / own.weight } else { 0.0 });
            let (load, at) = (0.5 * m.pressure, m.first.map(|x| 0.5 * x));
            list.push(Term {
                key: [u64::from(cells.owner(cell, face.normal)) << 32 | u64::from(triangle), OF_CELLS + c as u64],
                area: facing * (0.5 * m.area),
                pressure: facing * load,
                first: at.map(|x| facing * x),
                normal,
                load,
                at,
                least_gap: m.least_gap,
                halo,
                energy: 0.5 * energy,
                even,
                second,
            });
        }
    }

    /// The contact of a patch, from its terms.
    fn contact(&self, terms: &[Term], sunk: Option<&Sunk>) -> Option<Local> {
        // Moments about the centre of the mesh, so that its position in its frame costs no precision.
        let middle = DVec3::from_array(self.surface.mesh.centre());
        let (mut area, mut measured, mut pressure) = (0.0, 0.0, 0.0);
        let (mut halos, mut least) = (0.0, f64::INFINITY);
        let (mut first, mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let (mut all, mut even) = (Gathered::default(), DVec3::ZERO);
        for term in terms.iter().chain(sunk.map(|sunk| &sunk.term)) {
            let normal = DVec3::from_array(term.normal);
            // A term that subtracts from others also has a mean of its own.
            let sign = if term.area < 0.0 { -1.0 } else { 1.0 };
            let (own, weight) = (sign * term.area, sign * term.pressure);
            let first_moment = DVec3::from_array(term.first) * sign - middle * weight;
            let arm = DVec3::from_array(term.at) - middle * term.load;
            area += own;
            measured += term.area;
            pressure += weight;
            halos += own * term.halo;
            least = min(least, term.least_gap);
            first += first_moment;
            force += normal * term.load;
            torque += arm.cross(normal);
            if self.wants.spread && weight > 0.0 {
                let centre = (first_moment / weight).to_array();
                all.join(&Gathered { weight, centre, second: term.second.map(|x| x * weight) });
                even += DVec3::from_array(term.even) * sign - middle * own;
            }
        }
        let (normal, size) = unit(force)?;
        if !(pressure > 0.0 && area > 0.0) {
            return None;
        }
        let uniform = self.surface.mesh.halos.is_empty();
        let halo = if uniform { self.halo(0) } else { halos / area };
        let (centre, mean) = (first / pressure, pressure / area);
        let patch = terms.first().map_or(0, |term| (term.key[0] >> 32) as u32);
        let looks = |term: &&Term| {
            let normal = self.surface.cells.prism(term.key[0] as u32 as usize).map_or([0.0; 3], |prism| prism.normal);
            term.key[1] < OF_CELLS && self.up.dot(DVec3::from_array(normal)) < -LOOKS
        };
        // A sunk mesh rests on this patch, because the patch faces down most.
        let own = sunk.map_or(0.0, |sunk| sunk.term.pressure);
        let faces = terms.iter().filter(looks).fold(own, |sum, term| sum + term.pressure);
        let leans = if faces < 0.5 * pressure { status::LEANS } else { 0 };
        let doubt = if is_on_edge(self.surface, self.up, normal) { status::OPEN } else { 0 };
        Some(Local {
            features: [0, patch],
            position: centre + middle,
            normal,
            moment: torque - centre.cross(force),
            gap: halo - unit_of(halo) * mean,
            least_gap: least,
            area: size / mean,
            measured,
            halo,
            status: leans | doubt | sunk.map_or(0, |sunk| sunk.status),
            energy: terms.iter().fold(sunk.map_or(0.0, |sunk| sunk.term.energy), |sum, term| sum + term.energy),
            radius: 0.0,
            offset: if self.wants.spread { even / area - centre } else { DVec3::ZERO },
            spread: all.about(centre.to_array()),
        })
    }

    /// The contact at the lowest vertex, if no face looks down: a sheet on edge.
    fn lowest(&self, near: &[Near]) -> Option<Local> {
        let within = near.iter().filter(|near| near.distance < self.halo(near.triangle));
        let Near { distance: gap, triangle, group, .. } =
            *within.reduce(|best, next| if next.distance < best.distance { next } else { best })?;
        let corners = self.surface.mesh.triangle(triangle as usize).map(DVec3::from_array);
        let lower = |p: DVec3, q: DVec3| if self.up.dot(q) < self.up.dot(p) { q } else { p };
        let corner = corners.into_iter().reduce(lower)?;
        let halo = self.halo(triangle);
        let position = corner - self.up * (0.5 * gap);
        let features = [0, group];
        Some(Local { features, position, normal: -self.up, gap, least_gap: gap, halo, ..Local::default() })
    }
}

/// The unit of length of gaps.
fn unit_of(halo: f64) -> f64 {
    if halo > 0.0 { halo } else { 1.0 }
}

/// The coordinate axis that is most nearly perpendicular to a vector.
fn least_axis(v: DVec3) -> DVec3 {
    let [x, y, z] = v.abs().to_array();
    if x <= y && x <= z {
        DVec3::X
    } else if y <= z {
        DVec3::Y
    } else {
        DVec3::Z
    }
}

/// Writes the contacts of a half-space and a mesh.
pub(super) fn half_space_mesh(
    parts: &PartPair<'_, '_>,
    task: &mut Task<'_>,
    sink: &mut Sink<'_, '_>,
) -> Result<ContactCounts> {
    let (plane, body) = (parts.first, parts.second);
    let (Shape::HalfSpace { halo }, Shape::Mesh(surface)) = (plane.shape, body.shape) else {
        return Ok(ContactCounts::default());
    };
    let apart = [0, 1, 2].map(|k| plane.turn.translation[k] - body.turn.translation[k]);
    let origin = DVec3::from_array(body.turn.rotate_back(apart)) / body.scale;
    let up = DVec3::from_array(body.turn.rotate_back(plane.turn.rotate([0.0, 0.0, 1.0])));
    let halo = halo * plane.scale / body.scale + task.margin / body.scale;
    let ground = Ground { surface, up, offset: up.dot(origin), halo, wants: task.wants, isa: task.work.isa };
    let memory = Memory::new(task.work.scratch, surface, task.room.pairs, task.room.terms)?;
    let Memory { near, terms, rest } = memory;
    let reach = ground.halo + surface.mesh.largest_halo();
    let near = below_plane(&surface.operand(), up.to_array(), ground.offset, reach, near, rest)?;
    let mut list = List { terms, count: 0 };
    for near in near.iter_mut().filter(|near| near.distance < ground.halo(near.triangle)) {
        near.group = surface.patch(near.triangle);
        ground.terms(near.triangle, &mut list);
    }
    let given = list.terms.len() as u64;
    let terms = list.terms.get_mut(..list.count).ok_or(Error::capacity(What::Terms, list.count as u64, given))?;
    let volume = ground.deepen(terms);
    terms.sort_unstable_by_key(|term| term.key);
    let sunk = ground.sunk(volume);
    let lowest = sunk.as_ref().map(|_| ground.patch_below(terms));
    let from = sink.count;
    for group in terms.chunk_by(|x, y| x.key[0] >> 32 == y.key[0] >> 32) {
        let sunk = sunk.as_ref().filter(|_| group.first().map(|term| term.key[0] >> 32) == lowest);
        if let Some(local) = ground.contact(group, sunk) {
            sink.push(parts, &local.out_of(body));
        }
    }
    if sink.count == from
        && let Some(local) = ground.lowest(near)
    {
        sink.push(parts, &local.out_of(body));
    }
    let below = near.iter().filter(|near| near.distance < ground.halo(near.triangle)).map(|near| near.triangle);
    let all = sink.since(from);
    tell(all, defects_below(surface, up, [ground.offset, reach], below), deepest_of_flat(surface));
    let crossing = near.iter().filter(|near| near.distance <= 0.0).count();
    Ok(ContactCounts { contacts: sink.count - from, nodes: sink.count - from, crossing })
}
