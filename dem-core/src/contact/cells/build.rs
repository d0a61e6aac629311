//! From a mesh to its cells: the same code counts them first, then writes them.

use glam::DVec3;
use heapless::Vec;

use super::cell::{BENT, CLOSED, CONFORMING, CONTAINER, Cell, INWARD, Law, OVERLAP, PRISM, SEVERAL, WALLS, counts};
use super::charts::{Growing as Charting, charts};
use super::containers::{Memory as ContainerMemory, is_container};
use super::edge_sectors::Edge;
use super::faces::{VertexFaces, faces, vertices_of, vertices_where};
use super::fan::Corners;
use super::ground::Ground;
use super::neighbours::{Chains, Neighbours, mark_concave};
use super::one_ring::{Ring, cones, fan};
use super::patch::{CROWD, Growing, patches};
use super::self_crossing::{Faces, Memory as CrossingMemory, mark_crossings};
use super::self_overlap::{Lie, Memory as Boxes, how_parts_lie};
use super::vertex_offset::{FacedMesh, fans, ways};
use super::writer::{Block, Owned, Sink};
use super::{CellSizes, Cells, CellsRef};
use crate::contact::{outranks, unit};
use crate::error::{Error, Kind, Result, What};
use crate::memory::{Layout, Sizes, sections};
use crate::mesh::{LIMIT, MeshRef, MeshSizes, NONE, Record};
use crate::real::{Real, cos};

/// Options of building cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellOptions {
    /// A triangle joins a patch where its corners are no farther than this from the patch's plane, in radii of the mesh.
    pub flat: f64,
    /// A patch joins a [chart](CellsRef::chart) if its normal is within half of this angle from the normal of the chart's first, largest
    /// patch. In radians, from 0 to pi.
    pub angle: f64,
    /// The law of contact.
    pub law: Law,
}

impl Default for CellOptions {
    /// `flat` is 2^-20, about ten f32 rounding errors. `angle` is pi/4. `law` is [`Law::Auto`].
    fn default() -> Self {
        CellOptions { flat: 1.0 / (1 << 20) as f64, angle: core::f64::consts::FRAC_PI_4, law: Law::default() }
    }
}

impl CellOptions {
    /// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] about [`What::Flat`] and [`What::Angle`].
    pub fn check(&self) -> Result<()> {
        for (value, most, what) in
            [(self.flat, f64::INFINITY, What::Flat), (self.angle, core::f64::consts::PI, What::Angle)]
        {
            if !value.is_finite() {
                return Err(Error::new(Kind::NotFinite, what));
            }
            if value < 0.0 || value > most {
                return Err(Error::new(Kind::OutOfRange, what));
            }
        }
        Ok(())
    }
}

/// Scratch for counting and building: about 330 bytes a triangle.
///
/// Errors: [`Kind::TooLarge`].
pub fn build_scratch(mesh: &MeshSizes) -> Result<Layout> {
    Memory::layout(mesh)
}

sections! {
    /// Memory of a build.
    struct Memory<'s>(mesh: &MeshSizes; n = u64::from(mesh.triangles)) {
        normals: [[f64; 3]; n],
        records: [Record; n],
        patch: [u32; n],
        queue: [u32; corners(n)],
        offset: [u32; u64::from(mesh.vertices) + 2],
        around: [u32; 3 * n],
        rays: [[f64; 3]; corners(n)],
        more_rays: [[f64; 3]; corners(n)],
        part: [u32; n],
        near_offset: [u32; u64::from(mesh.vertices) + 2],
        near: [u32; 3 * n],
        chain: [u32; n],
        seen: [u32; n],
        degree: [u32; n],
    }
}

/// Number of items that hold the triangles of one vertex, which may be all triangles, and four corners more.
fn corners(triangles: u64) -> u64 {
    triangles + 4
}

/// The exact sizes of the cells of a mesh. They depend on its shape.
///
/// `scratch` is [`build_scratch`].
///
/// Errors: [`Kind::NotFinite`] and [`Kind::OutOfRange`] for options; [`Kind::Capacity`] and [`Kind::Misaligned`] for the
/// scratch; [`Kind::TooLarge`] where cells, their sides or neighbours of patches cannot be numbered in 32 bits. Cost: as building.
pub fn cell_sizes(mesh: &MeshRef<'_>, options: &CellOptions, scratch: &mut [u8]) -> Result<CellSizes> {
    Ground::new(mesh, options, None, scratch)?.sizes()
}

impl<'m> Cells<'m> {
    /// Builds the cells of a mesh in `block`, sealed. `sizes` are those of [`cell_sizes`] for the same mesh and options, `block` has the
    /// size of [`Cells::layout`] for them, and `scratch` is [`build_scratch`].
    ///
    /// Errors: those of [`cell_sizes`]; [`Kind::Mismatch`] if the sizes are of another mesh or of other options (the block then has no
    /// meaning); [`Kind::Capacity`] and [`Kind::Misaligned`]. Cost: O(n log n), about 1 us a triangle.
    pub fn from_mesh(
        block: &'m mut [u8],
        sizes: &CellSizes,
        mesh: &MeshRef<'_>,
        options: &CellOptions,
        scratch: &mut [u8],
    ) -> Result<CellsRef<'m>> {
        Cells::layout(sizes)?.check(block, What::Cells)?;
        if sizes.triangles != mesh.sizes.triangles {
            return Err(Error::new(Kind::Mismatch, What::Cells));
        }
        let ground = Ground::new(mesh, options, None, scratch)?;
        Cells::build(block, sizes, |cells| cells.write(ground))
    }

    pub(in crate::contact) fn write(&mut self, mut ground: Ground<'_, '_>) -> Result<()> {
        let mut sink = Sink {
            to: Some(Block { cell: &mut *self.cell, side: &mut *self.side, owner: &mut *self.owner }),
            ..Sink::NONE
        };
        for (i, first) in self.first.iter_mut().enumerate() {
            *first = sink.cells as u32;
            ground.triangle(i, &mut sink);
        }
        let Sink { cells, sides, owners, .. } = sink;
        // Up to here the owners are triangles; the prism is the first cell of its triangle.
        for owner in self.owner.iter_mut() {
            *owner = self.first.get(*owner as usize).copied().unwrap_or(NONE);
        }
        self.patch.copy_from_slice(ground.names);
        link(ground.names, self.next_in_patch);
        self.part.copy_from_slice(ground.part);
        let mut open_sides = 0;
        for side in ground.open_sides() {
            self.open_side.get_mut(open_sides as usize).into_iter().for_each(|to| *to = side);
            open_sides += 1;
        }
        let (closed, overlap) = (u32::from(ground.is_closed()), u32::from(ground.overlap));
        self.surface.fill(ground.surface());
        let fans = fans(&ground.mesh, self.fan);
        let surface = FacedMesh { mesh: ground.mesh, first: self.first, cell: self.cell, patch: self.patch };
        ways(&surface, self.fan, self.away);
        let conforming = if ground.law == Law::Volume { CONFORMING } else { 0 };
        let inward = closed * u32::from(ground.inward);
        let crossings = ground.mark_crossings(self.fan, self.away, self.chart, self.part);
        let bits = (closed * CLOSED) | (overlap * OVERLAP) | (inward * INWARD) | crossings;
        let several = if ground.several { SEVERAL } else { 0 };
        let bent = if ground.bent { BENT } else { 0 };
        let container = if ground.is_container(self.open_side, self.chart) { CONTAINER } else { 0 };
        self.sound.fill(bits | conforming | several | bent | container);
        let CellSizes { triangles: _, cells: all, sides: all_sides, owners: all_owners, .. } = self.sizes;
        let CellSizes { neighbours, fans: all_fans, open_sides: all_open, .. } = self.sizes;
        let wanted = [all, all_sides, all_owners, neighbours, all_fans, all_open].map(u64::from);
        // Compared number by number: a slice comparison would call `memcmp`, which a target without a C library lacks.
        let found = [cells, sides, owners, ground.neighbours.total(), fans, open_sides];
        if found.into_iter().zip(wanted).fold(0, |apart, (x, y)| apart | (x ^ y)) != 0 {
            return Err(Error::new(Kind::Mismatch, What::Cells));
        }
        let Ground { mesh, normals, names, neighbours: mut of_patches, corners, records, cosine, .. } = ground;
        of_patches.write(&mesh, normals, names, self.first_neighbour, self.neighbour);
        let walls = mark_concave(&mesh, normals, names, self.first_neighbour, self.neighbour, self.concave);
        self.sound.iter_mut().for_each(|bits| *bits |= u32::from(walls) * WALLS);
        let (across, queue) = corners.into_memory();
        let memory = Charting { chains: of_patches.chains, across, records, queue };
        charts(&mesh, normals, names, cosine, memory, self.chart);
        Ok(())
    }
}

/// Links the triangles of each patch in ascending order.
fn link(patch: &[u32], next: &mut [u32]) {
    next.fill(NONE);
    for (i, first) in patch.iter().enumerate().rev() {
        // The patch's first triangle comes last in this loop. Until then its item is the triangle that was linked last.
        let first = *first as usize;
        if first != i
            && let Some(later) = next.get(first).copied()
        {
            for (at, to) in [(i, later), (first, i as u32)] {
                next.get_mut(at).into_iter().for_each(|next| *next = to);
            }
        }
    }
}

impl<'t, 's> Ground<'t, 's> {
    /// `names` gives the patch of each triangle, if patches are not to follow from the edges that are flat now.
    pub fn new(
        mesh: &MeshRef<'t>,
        options: &CellOptions,
        names: Option<&'s [u32]>,
        scratch: &'s mut [u8],
    ) -> Result<Self> {
        options.check()?;
        // All corners must have a 32-bit number.
        if mesh.sizes.triangles > LIMIT / 3 {
            let given = u64::from(mesh.sizes.triangles);
            return Err(Error::new(Kind::TooLarge, What::Triangles).amounts(u64::from(LIMIT / 3), given));
        }
        let memory = Memory::new(scratch, &mesh.sizes)?;
        let Memory { normals, records, patch, queue, offset, around, rays, more_rays, part, .. } = memory;
        let Memory { near_offset, near, chain, seen, degree, .. } = memory;
        faces(mesh, normals, records, patch, part);
        let fans = fans(mesh, around.as_chunks_mut().0);
        vertices_of(mesh, patch, offset, around);
        let sets = queue.get_mut(..mesh.len()).unwrap_or_default();
        let boxes = Boxes { sets, low: &mut *rays, high: &mut *more_rays, volume: &mut *records };
        let Lie { overlap, inward, outward, several } = how_parts_lie(mesh, part, boxes);
        let around = VertexFaces { offset, triangle: around };
        let tolerance = options.flat * mesh.radius();
        patches(*mesh, normals, tolerance, Growing { around, records: &mut *records, queue: &mut *queue }, patch);
        let corners = Corners::new(rays, more_rays, queue);
        let names = names.unwrap_or(patch);
        let of = |i: usize| patch.get(i);
        let bent = names.iter().enumerate().any(|(i, name)| *name < NONE && of(i) != of(*name as usize));
        vertices_where(mesh, |i| normals.get(i).is_some_and(|n| *n != [0.0; 3]), near_offset, near);
        let near = VertexFaces { offset: near_offset, triangle: near };
        let mut neighbours = Neighbours { around: near, chains: Chains::new(names, chain), seen, degree };
        neighbours.count(mesh, normals, names);
        let (cosine, law) = (cos(0.5 * options.angle), options.law);
        let mut ground = Ground {
            mesh: *mesh,
            normals,
            patch,
            part,
            overlap,
            inward,
            outward,
            bent,
            several,
            law,
            names,
            neighbours,
            cosine,
            around,
            corners,
            records,
            fans,
        };
        if law == Law::Auto {
            ground.law = ground.suited();
        }
        Ok(ground)
    }

    /// The sizes of the cells.
    pub fn sizes(&mut self) -> Result<CellSizes> {
        let mut count = Sink::NONE;
        for i in 0..self.mesh.len() {
            self.triangle(i, &mut count);
        }
        let fits = |n: u64| {
            let limit = u64::from(LIMIT);
            if n <= limit { Ok(n as u32) } else { Err(Error::new(Kind::TooLarge, What::Cells).amounts(limit, n)) }
        };
        let (cells, sides, owners) = (fits(count.cells)?, fits(count.sides)?, fits(count.owners)?);
        let (neighbours, fans) = (fits(self.neighbours.total())?, fits(self.fans)?);
        let (triangles, open_sides) = (self.mesh.sizes.triangles, fits(self.open_sides().count() as u64)?);
        let sizes = CellSizes { triangles, cells, sides, neighbours, owners, fans, open_sides };
        sizes.check()?;
        Ok(sizes)
    }

    pub(super) fn normal(&self, i: usize) -> DVec3 {
        self.normals.get(i).map_or(DVec3::ZERO, |n| DVec3::from_array(*n))
    }

    /// Marks the triangles that pass through others, and returns the bits of `sound` for it. `sets` is memory for all triangles.
    fn mark_crossings(&mut self, fan: &[[u32; 3]], away: &[[f64; 3]], sets: &mut [u32], part: &mut [u32]) -> u32 {
        let (low, high, flat) = self.corners.memory();
        let faces = Faces { mesh: self.mesh, normals: self.normals, patch: self.patch, fan, away };
        mark_crossings(&faces, CrossingMemory { low, high, flat, records: self.records, sets }, part)
    }

    /// Whether a mesh with these open sides is a container. `sets` is memory for all triangles.
    fn is_container(&mut self, open: &[u32], sets: &mut [u32]) -> bool {
        let (ways, middle, _) = self.corners.memory();
        let memory = ContainerMemory { sets, ways, middle, records: self.records };
        is_container(&self.mesh, open, self.part, &self.around, memory)
    }

    /// Whether all triangles count and agree with one neighbour across each side.
    fn is_closed(&self) -> bool {
        (0..self.mesh.len()).all(|i| counts(self.part.get(i)) && (0..3).all(|k| self.across(i, k).is_some()))
    }

    /// The area of all triangles that count, and the volume that they enclose.
    fn surface(&self) -> [f64; 2] {
        let middle = DVec3::from_array(self.mesh.centre());
        let (mut area, mut volume) = (0.0, 0.0);
        for i in (0..self.mesh.len()).filter(|i| counts(self.part.get(*i))) {
            let [a, b, c] = self.mesh.triangle(i).map(DVec3::from_array);
            let across = (b - a).cross(c - a);
            area += 0.5 * across.dot(self.normal(i));
            volume += across.dot(a - middle) * (1.0 / 6.0);
        }
        [area, volume]
    }

    fn patch_of(&self, i: usize) -> u32 {
        self.patch.get(i).copied().unwrap_or(NONE)
    }

    fn name_of(&self, i: usize) -> u32 {
        self.names.get(i).copied().unwrap_or(NONE)
    }

    /// Adds the cells that belong to triangle `i`.
    fn triangle(&mut self, i: usize, sink: &mut Sink<'_>) {
        if i >= self.mesh.len() || self.normal(i) == DVec3::ZERO {
            return;
        }
        self.prism(i, sink);
        for k in 0..3 {
            self.edge(i, k, sink);
            self.vertex(i, k, sink);
        }
    }

    fn prism(&self, i: usize, sink: &mut Sink<'_>) {
        let corner = self.mesh.triangle(i).map(DVec3::from_array);
        let normal = self.normal(i);
        let side = |k: usize| {
            let (along, _) = unit(corner[(k + 1) % 3] - corner[k])?;
            let (nu, _) = unit(normal.cross(along))?;
            // Two of the sides pass through the anchor.
            let offset = if k == 1 { -nu.dot(corner[1] - corner[0]) } else { 0.0 };
            Some([nu.x, nu.y, nu.z, offset])
        };
        let (Some(a), Some(b), Some(c)) = (side(0), side(1), side(2)) else { return };
        let (anchor, normal) = (corner[0].to_array(), normal.to_array());
        let patch = self.name_of(i);
        let (first_side, sides, first_owner, owners) = (0, 3, 0, 0);
        let (slope, dead, sign, kind) = (1.0, 0.0, 1.0, PRISM);
        let cell = Cell { anchor, normal, slope, dead, sign, first_side, sides, patch, kind, first_owner, owners };
        sink.put(cell, &[a, b, c]);
    }

    /// The triangle across side `k`, if both triangles agree on the outside and both have an area.
    pub(super) fn across(&self, i: usize, k: usize) -> Option<usize> {
        let j = *self.mesh.neighbour.get(i)?.get(k)? as usize;
        let (ours, theirs) = (self.mesh.welded(i), self.mesh.welded(j));
        let turned = |m: usize| theirs[m] == ours[(k + 1) % 3] && theirs[(m + 1) % 3] == ours[k];
        let regular = j < self.mesh.len() && self.normal(j) != DVec3::ZERO && self.normal(i) != DVec3::ZERO;
        (regular && (0..3).any(turned)).then_some(j)
    }

    /// Open sides, as three times the triangle plus the side. Only triangles that count have them: sides without a neighbour across that agrees,
    /// counts, and is paired with this side only.
    fn open_sides(&self) -> impl Iterator<Item = u32> {
        let across = |i: usize, k: usize| self.across(i, k).filter(|j| counts(self.part.get(*j)));
        let agrees = move |i: usize, k: usize| {
            let [from, to] = [k, k + 1].map(|c| self.mesh.welded(i)[c % 3]);
            let back = |j: usize, m: usize| {
                let theirs = self.mesh.welded(j);
                theirs[m] == to && theirs[(m + 1) % 3] == from && across(j, m) == Some(i)
            };
            across(i, k).is_some_and(|j| (0..3).any(|m| back(j, m)))
        };
        let of = move |i: usize| (0..3).filter(move |k| !agrees(i, *k)).map(move |k| 3 * i as u32 + k as u32);
        (0..self.mesh.len()).filter(|i| counts(self.part.get(*i))).flat_map(of)
    }

    /// Adds the sectors of side `k`, if they belong to this triangle.
    fn edge(&self, i: usize, k: usize, sink: &mut Sink<'_>) {
        let Some(j) = self.across(i, k).filter(|j| i < *j) else { return };
        let patches = [self.patch_of(i), self.patch_of(j)];
        if patches[0] == patches[1] {
            return;
        }
        let corner = self.mesh.triangle(i).map(DVec3::from_array);
        let normals = [self.normal(i), self.normal(j)];
        let Some(edge) = Edge::new(corner[k], corner[(k + 1) % 3], normals) else { return };
        let (edge, sign) = match (edge.is_convex(), self.law) {
            (true, _) => (edge, 1.0),
            (false, Law::Facing | Law::Auto) => return,
            // The wedge in which both prisms overlap.
            (false, Law::Volume) => (edge.turned(), -1.0),
        };
        let mut owned = None;
        edge.sectors(|cell, sides| {
            let owned = *owned.get_or_insert_with(|| self.owners(&[i as u32, j as u32], sink));
            sink.put(owned.cell(Cell { sign, ..cell }), sides);
        });
    }

    /// Adds the cones at corner `k`, if they belong to this triangle.
    fn vertex(&mut self, i: usize, k: usize, sink: &mut Sink<'_>) {
        let vertex = self.mesh.welded(i)[k];
        let around = self.around.of(vertex);
        if around.first() != Some(&(i as u32)) || !self.has_edges_of_many(around) {
            return;
        }
        let corner_of = |j: u32| self.mesh.welded(j as usize).iter().position(|v| *v == vertex).unwrap_or(0);
        let closed = |j: &u32| {
            let c = corner_of(*j);
            self.across(*j as usize, c).is_some() && self.across(*j as usize, (c + 2) % 3).is_some()
        };
        if !around.iter().all(closed) {
            return;
        }
        if self.law == Law::Volume {
            return self.rings(vertex, around, sink);
        }
        let mesh = self.mesh;
        let ways = |j: u32| {
            let (corner, c) = (mesh.triangle(j as usize).map(DVec3::from_array), corner_of(j));
            [1, 2].map(|s| unit(corner[(c + s) % 3] - corner[c]).map_or(DVec3::ZERO, |(d, _)| d))
        };
        // In a closed ring each edge is the first side of exactly one triangle.
        let outline = around.iter().fold(DVec3::ZERO, |sum, j| sum + ways(*j)[0].cross(ways(*j)[1]));
        let at = DVec3::from_array(mesh.triangle(i)[k]);
        match self.records.get_mut(..around.len()).filter(|edges| edges.len() > CROWD) {
            Some(edges) => self.corners.polar_of_many(|e| around.get(e).map_or(DVec3::ZERO, |j| ways(*j)[0]), edges),
            None => self.corners.polar(around.iter().map(|j| ways(*j)[0])),
        }
        if self.corners.centre().is_none_or(|(c, _)| c.dot(outline) <= 0.0) {
            return;
        }
        let mut owned = None;
        self.corners.cones(at, |cell, sides, edge| {
            if around.len() <= CROWD {
                let owned = *owned.get_or_insert_with(|| self.owners(around, sink));
                return sink.put(owned.cell(cell), sides);
            }
            let patch = sink.named(|| match around.get(edge as usize) {
                Some(j) => self.nearest(
                    &cell,
                    [Some(*j), self.across(*j as usize, corner_of(*j)).map(|j| j as u32)].into_iter().flatten(),
                ),
                None => self.nearest(&cell, around.iter().copied()),
            });
            sink.put(Cell { patch, ..cell }, sides);
        });
    }

    /// Adds the cones of all rings of triangles around a vertex. There is one ring, unless the mesh touches itself there.
    fn rings(&mut self, vertex: u32, around: &[u32], sink: &mut Sink<'_>) {
        self.records.iter_mut().take(around.len()).for_each(|seen| *seen = [0; 2]);
        for (place, first) in around.iter().enumerate() {
            if self.records.get(place).is_none_or(|seen| seen[0] != 0) {
                continue;
            }
            let mut ring = Ring::default();
            self.walk(vertex, around, *first, |_, _, from, to| ring.add(from, to));
            let at = self.corner_at(*first, vertex);
            let mut owned = None;
            let few = ring.short().filter(|_| around.len() <= CROWD);
            let done = few.is_some_and(|directions| {
                fan(at, directions, |cell, sides| {
                    let owned = *owned.get_or_insert_with(|| self.owners(around, sink));
                    sink.put(owned.cell(cell), sides);
                })
            });
            if let Some(centre) = ring.centre().filter(|_| !done) {
                self.walk(vertex, around, *first, |this: &Self, [i, j], from, to| {
                    cones(at, centre, [from, to], |cell, sides| {
                        if around.len() <= CROWD {
                            let owned = *owned.get_or_insert_with(|| this.owners(around, sink));
                            return sink.put(owned.cell(cell), sides);
                        }
                        let patch = sink.named(|| this.nearest(&cell, [i, j].into_iter()));
                        sink.put(Cell { patch, ..cell }, sides);
                    });
                });
            }
            let mut next = Some(*first);
            while let Some(j) = next {
                let Some(seen) = around.binary_search(&j).ok().and_then(|place| self.records.get_mut(place)) else {
                    break;
                };
                *seen = [1; 2];
                next = self.next_around(vertex, j).filter(|j| j != first);
            }
        }
    }

    fn corner_at(&self, triangle: u32, vertex: u32) -> DVec3 {
        let corner = self.place_of(triangle, vertex);
        DVec3::from_array(self.mesh.triangle(triangle as usize)[corner])
    }

    /// The corner of a triangle that is this vertex.
    fn place_of(&self, triangle: u32, vertex: u32) -> usize {
        self.mesh.welded(triangle as usize).iter().position(|v| *v == vertex).unwrap_or(0)
    }

    /// The next triangle around a vertex, counter-clockwise from outside.
    fn next_around(&self, vertex: u32, triangle: u32) -> Option<u32> {
        self.across(triangle as usize, (self.place_of(triangle, vertex) + 2) % 3).map(|j| j as u32)
    }

    /// Calls `put` for each arc of the ring of normals, with both triangles and the directions at both ends of a sector or of a part of one.
    fn walk(&self, vertex: u32, around: &[u32], first: u32, mut put: impl FnMut(&Self, [u32; 2], DVec3, DVec3)) {
        let mut at = first;
        for _ in 0..around.len() {
            let Some(next) = self.next_around(vertex, at) else { return };
            if self.patch_of(at as usize) != self.patch_of(next as usize) {
                let place = self.place_of(at, vertex);
                let corner = self.mesh.triangle(at as usize).map(DVec3::from_array);
                let normals = [self.normal(at as usize), self.normal(next as usize)];
                if let Some(edge) = Edge::new(corner[(place + 2) % 3], corner[place], normals) {
                    let turned = !edge.is_convex();
                    let edge = if turned { edge.turned() } else { edge };
                    edge.arcs(turned, |from, to| put(self, [at, next], from, to));
                }
            }
            at = next;
            if at == first {
                return;
            }
        }
    }

    /// One triangle of each patch among these, at most [`CROWD`]: the largest triangle first, then the others by [`rank`](Self::rank).
    fn owners(&self, triangles: &[u32], sink: &mut Sink<'_>) -> Owned {
        let mut all: Vec<(u32, [f64; 4]), CROWD> = Vec::new();
        for i in triangles {
            // Counting needs no order.
            let rank = if sink.to.is_some() { self.rank(*i) } else { [0.0; 4] };
            let patch = self.patch_of(*i as usize);
            let same = all.iter().position(|(j, _)| self.patch_of(*j as usize) == patch);
            let mut at = match same.and_then(|at| all.get_mut(at).map(|to| (at, to))) {
                Some((_, to)) if !outranks(&rank, &to.1) => continue,
                Some((at, to)) => {
                    *to = (*i, rank);
                    at
                }
                None => {
                    all.push((*i, rank)).ok();
                    all.len().saturating_sub(1)
                }
            };
            while at > 0
                && let (Some(this), Some(before)) = (all.get(at), all.get(at - 1))
                && outranks(&this.1, &before.1)
            {
                all.swap(at, at - 1);
                at -= 1;
            }
        }
        let patch = all.first().map_or(NONE, |(i, _)| self.name_of(*i as usize));
        let triangles: Vec<u32, CROWD> = all.iter().map(|(i, _)| *i).collect();
        Owned { patch, ..sink.own(&triangles) }
    }

    /// A sort key for triangles that does not depend on their indices: area, then the centroid's x, y and z.
    fn rank(&self, i: u32) -> [f64; 4] {
        let corner = self.mesh.triangle(i as usize).map(DVec3::from_array);
        let (size, middle) = ((corner[1] - corner[0]).cross(corner[2] - corner[0]), corner[0] + corner[1] + corner[2]);
        let radius = 3.0 * self.mesh.radius();
        let [x, y, z] = middle.to_array().map(|x| x / radius);
        [Real::sqrt(size.length_squared()) / (radius * radius), x, y, z]
    }

    /// The patch of the triangle whose normal is nearest to the cell's. Among normals that are equally near within rounding, the largest triangle
    /// wins, then the one farthest along x, y and z, so that indices have no effect.
    fn nearest(&self, cell: &Cell, triangles: impl Iterator<Item = u32>) -> u32 {
        let u = DVec3::from_array(cell.normal);
        let facing = |i: u32| u.dot(self.normal(i as usize));
        // Usually the cosine decides, so the rank is computed only where it does not.
        let best = triangles.map(|i| (facing(i), i)).reduce(|best, next| {
            let equal = !outranks(&[next.0], &[best.0]) && !outranks(&[best.0], &[next.0]);
            let better = if equal { outranks(&self.rank(next.1), &self.rank(best.1)) } else { next.0 > best.0 };
            if better { next } else { best }
        });
        best.map_or(NONE, |(_, i)| self.name_of(i as usize))
    }

    /// Whether these triangles are of at least three patches: two patches meet in a straight line.
    fn has_edges_of_many(&self, around: &[u32]) -> bool {
        let patch = |j: &u32| self.patch_of(*j as usize);
        let Some(first) = around.first().map(patch) else { return false };
        let second = around.iter().map(patch).find(|p| *p != first);
        second.is_some_and(|second| around.iter().map(patch).any(|p| p != first && p != second))
    }
}
