//! A body in the frame in which intersections are computed: canonical coordinates, with every vertex moved inward by several thousand rounding
//! errors.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::super::cells::walk::walk;
use super::super::cells::{CANCELLED, CONE, COPIED, Cell, CellsRef, SECTOR};
use super::super::{Side, unit};
use crate::mesh::{MeshRef, NONE};
use crate::narrow::Frame;
use crate::pose::Transform;
use crate::real::{max, min};
use crate::surrogate::TreeRef;
use crate::triangle::kernel::snap;

/// Inward displacement of the first body's faces, in canonical units: several thousand rounding errors of coordinates of size 1.
const SHRINK: f64 = 1.0 / (1u64 << 40) as f64;

/// The same as a part of the distance of both positions from the origin, for bodies so far away that this is larger: 512 rounding errors of their
/// positions.
const SHRINK_OF_FAR: f64 = SHRINK / 16.0;

/// Bodies farther away than this, in canonical units, are moved as near bodies are: several hundred rounding errors of their positions would be too
/// large a length.
const FARTHEST: f64 = (1u64 << 20) as f64;

/// Distance of coincident faces after both bodies have shrunk, for a displacement of 1. The second body shrinks by half as much again as the
/// first, so that coincident faces with equal normals are apart, too.
const APART: f64 = 2.5;

/// [`floor`] for bodies near the origin.
pub(in super::super) const FLOOR: f64 = APART * SHRINK;

/// Inward displacement of the first body's faces, in canonical units.
fn shrink(frame: &Frame) -> f64 {
    let far = frame.far * frame.scale;
    if far <= FARTHEST { max(SHRINK, SHRINK_OF_FAR * far) } else { SHRINK }
}

/// Distance of coincident faces after both bodies have shrunk, in canonical units.
pub(in super::super) fn floor(frame: &Frame) -> f64 {
    APART * shrink(frame)
}

/// Triangles farther apart than this do not cross after both bodies have shrunk, in canonical units.
pub(in super::super) fn reach(frame: &Frame) -> f64 {
    REACH * shrink(frame)
}

/// The largest [`reach`] of bodies of this size whose positions are this far from the origin.
pub(in super::super) fn reach_at(far: f64, size: f64) -> f64 {
    REACH * max(SHRINK * size, SHRINK_OF_FAR * far)
}

/// [`reach`] for a displacement of 1.
const REACH: f64 = 32.0;

/// A triangle with shrunken corners.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Facet {
    pub id: u32,
    /// Welded vertices.
    pub vertex: [u32; 3],
    pub corner: [[f64; 3]; 3],
}

/// Two faces with a smaller sine of their angle are no fold: rounding tilts the faces of a flat wall by less.
pub(super) const FLAT: f64 = 1.0 / (1u64 << 18) as f64;

/// The angle between the patches on both sides of an edge.
#[derive(Clone, Copy)]
pub(super) struct Bend {
    /// The triangle at the other side.
    pub next: u32,
    /// Cosine of the angle between both normals.
    pub cosine: f64,
    /// The sine times the length of the edge; negative if the edge is concave.
    turn: f64,
    length_squared: f64,
}

impl Bend {
    /// Whether the edge is concave, with a sine larger than this.
    pub fn is_concave(&self, sine: f64) -> bool {
        self.turn < 0.0 && self.turn * self.turn > sine * sine * self.length_squared
    }
}

/// A body at its pose.
#[derive(Clone, Copy)]
pub(super) struct Body<'b> {
    pub mesh: MeshRef<'b>,
    pub tree: TreeRef<'b>,
    pub cells: CellsRef<'b>,
    turn: Transform,
    /// The same transform times the scale of the mesh.
    rows: Transform,
    shift: [f64; 3],
    size: f64,
    /// The extension of its halo beyond that of the mesh, in the world's units.
    wider: f64,
    /// Factor from the world's units to canonical ones.
    scale: f64,
    shrink: f64,
    reach: f64,
}

/// Both bodies in an order that does not depend on the caller's order, unless all their numbers are equal; and whether that order is B, A.
pub(super) fn in_order<'b>(a: &Side<'b>, b: &Side<'b>, frame: &Frame) -> ([Body<'b>; 2], bool) {
    let swapped = comes_first(b, a, frame);
    let body = |side: &Side<'b>, turn: Transform, sign: f64, shrink: f64| Body {
        mesh: side.operand.mesh,
        tree: side.operand.tree,
        cells: side.cells,
        turn,
        rows: Transform { rows: turn.rows.map(|row| row.map(|x| x * side.operand.scale)), ..turn },
        size: side.operand.scale,
        wider: 0.5 * frame.margin,
        shift: frame.half.map(|x| sign * x),
        scale: frame.scale,
        shrink,
        reach: reach(frame),
    };
    let [first, second] = shifts(frame);
    match swapped {
        false => ([body(a, frame.a, 1.0, first), body(b, frame.b, -1.0, second)], false),
        true => ([body(b, frame.b, -1.0, first), body(a, frame.a, 1.0, second)], true),
    }
}

/// Inward displacements of the first body's faces, and of the second one's, in canonical units.
fn shifts(frame: &Frame) -> [f64; 2] {
    let first = shrink(frame);
    [first, floor(frame) - first]
}

/// Whether `b` comes before `a`: compares positions, orientations, scales, then meshes.
pub(in super::super) fn comes_first(b: &Side<'_>, a: &Side<'_>, frame: &Frame) -> bool {
    let placed = frame.half.map(|h| [-h, h]).into_iter();
    let (rows_a, rows_b) = (frame.a.rows.into_iter().flatten(), frame.b.rows.into_iter().flatten());
    let (mesh_a, mesh_b) = (a.operand.mesh, b.operand.mesh);
    let numbers = |mesh: MeshRef<'_>, i: usize| mesh.triangle(i).into_iter().flatten();
    let (m, n) = (mesh_a.len(), mesh_b.len());
    let coordinates = (0..m.min(n)).flat_map(move |i| numbers(mesh_b, i).zip(numbers(mesh_a, i)));
    let sizes = [(b.operand.scale, a.operand.scale), (n as f64, m as f64)];
    let pairs = placed.map(|[q, p]| (q, p)).chain(rows_b.zip(rows_a)).chain(sizes);
    pairs.chain(coordinates).find(|(q, p)| q != p).is_some_and(|(q, p)| q < p)
}

impl<'b> Body<'b> {
    /// Canonical coordinates of a point of the mesh.
    pub fn place(&self, v: [f64; 3]) -> DVec3 {
        let turned = self.rows.rotate(v);
        DVec3::from_array([0, 1, 2].map(|k| (turned[k] + self.shift[k]) * self.scale))
    }

    /// The point of the mesh with these canonical coordinates, up to rounding.
    pub fn place_back(&self, at: DVec3) -> [f64; 3] {
        let at = at.to_array();
        self.turn.rotate_back([0, 1, 2].map(|k| at[k] / self.scale - self.shift[k])).map(|x| x / self.size)
    }

    /// Triangles of both bodies that are farther apart than this do not cross, in canonical units.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Two bodies, of which the first moves inward by more than the second one, in either order of the bodies.
    pub fn inner_and_outer([inner, outer]: [Self; 2]) -> [Self; 2] {
        let [less, more] = [min(inner.shrink, outer.shrink), max(inner.shrink, outer.shrink)];
        [Body { shrink: more, ..inner }, Body { shrink: less, ..outer }]
    }

    /// The mesh's unit of length in canonical units.
    pub fn unit_length(&self) -> f64 {
        self.size * self.scale
    }

    /// A direction of the mesh in the axes of the world.
    pub fn world_axes(&self, v: [f64; 3]) -> DVec3 {
        DVec3::from_array(self.turn.rotate(v))
    }

    /// Sides of triangles without a neighbour that agrees on the outside, from corner to corner. Their sum is the border of the surface.
    pub fn border(&self) -> impl Iterator<Item = [DVec3; 2]> {
        self.cells.open_side.iter().map(|side| {
            let (corners, k) = (self.corners(side / 3), (side % 3) as usize);
            [corners[k], corners[(k + 1) % 3]]
        })
    }

    /// Whether a point is in the ball around the mesh; points outside that ball are not enclosed.
    pub fn may_enclose(&self, at: DVec3) -> bool {
        const ROUNDING: f64 = 1.0 + 1e-9;
        let apart = at - self.place(self.mesh.centre());
        let radius = self.mesh.radius() * self.unit_length() * ROUNDING + self.reach;
        apart.dot(apart) <= radius * radius
    }

    /// The smallest and largest coordinates in the axes of the mesh.
    pub fn span(&self) -> [DVec3; 2] {
        let all = (0..self.mesh.len() as u32).flat_map(|i| self.corners(i)).map(|at| self.own_axes(at));
        all.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], at| [low.min(at), high.max(at)])
    }

    /// The unit normal of a triangle in world axes; zero where it has none.
    pub fn normal(&self, i: u32) -> DVec3 {
        self.cells.prism(i as usize).map_or(DVec3::ZERO, |prism| DVec3::from_array(self.turn.rotate(prism.normal)))
    }

    /// The patch of a triangle.
    pub fn patch(&self, i: u32) -> u32 {
        self.cells.patch.get(i as usize).copied().unwrap_or(i)
    }

    /// The angle to the triangle across side `k` of a triangle, if that triangle is of another patch. Computed in the mesh's frame, so the pose
    /// has no effect.
    pub fn bend(&self, i: u32, k: usize) -> Option<Bend> {
        let next = self.mesh.neighbour.get(i as usize)?.get(k).copied().filter(|next| *next != NONE)?;
        if self.patch(next) == self.patch(i) {
            return None;
        }
        let normal = |i: u32| self.cells.prism(i as usize).map(|prism| DVec3::from_array(prism.normal));
        let (x, y, corners) = (normal(i)?, normal(next)?, self.mesh.triangle(i as usize).map(DVec3::from_array));
        let along = corners[(k + 1) % 3] - corners[k];
        Some(Bend { next, cosine: x.dot(y), turn: x.cross(y).dot(along), length_squared: along.dot(along) })
    }

    /// Whether at least three patches meet at a corner of a triangle.
    pub fn is_corner(&self, i: u32, corner: usize) -> bool {
        let (own, mut other, mut more) = (self.patch(i), None, false);
        walk(&self.mesh, i, corner, |t, _, _| {
            let patch = self.patch(t);
            more = patch != own && *other.get_or_insert(patch) != patch;
            !more
        });
        more
    }

    /// Whether no triangle is across side `k` of a triangle.
    pub fn is_open_side(&self, i: u32, k: usize) -> bool {
        self.mesh.neighbour.get(i as usize).and_then(|across| across.get(k)).is_none_or(|next| *next == NONE)
    }

    /// Whether a triangle does not count: a further copy of another one, or a triangle without area and neighbours.
    pub fn is_copy(&self, i: u32) -> bool {
        let [u, v, w] = self.mesh.welded(i as usize);
        let alone = self.mesh.neighbour.get(i as usize) == Some(&[NONE; 3]) && u != v && v != w && w != u;
        self.cells.part_of(i) == Some(COPIED) || alone && self.cells.prism(i as usize).is_none()
    }

    /// Whether a triangle is a part of the enclosing surface.
    pub fn encloses(&self, i: u32) -> bool {
        !self.is_copy(i) && !self.is_cancelled(i)
    }

    /// Whether a copy of this triangle has the opposite orientation: both enclose nothing.
    pub fn is_cancelled(&self, i: u32) -> bool {
        self.cells.part_of(i) == Some(CANCELLED)
    }

    /// A triangle with its corners moved inward.
    pub fn facet(&self, i: u32) -> Facet {
        let corners = self.mesh.triangle(i as usize);
        let corner = [0, 1, 2].map(|c| {
            let moved = self.place(corners[c]) - self.outwards(i, c) * self.shrink;
            moved.to_array().map(snap)
        });
        Facet { id: i, vertex: self.mesh.welded(i as usize), corner }
    }

    /// A direction in the axes of the mesh.
    pub fn own_axes(&self, v: DVec3) -> DVec3 {
        DVec3::from_array(self.turn.rotate_back(v.to_array()))
    }

    /// Displacement of a corner when its faces move outward by 1.
    pub fn outwards(&self, i: u32, corner: usize) -> DVec3 {
        // Computed in the mesh's frame, so that decisions by rounding turn with the body.
        DVec3::from_array(self.turn.rotate(self.cells.away(i as usize, corner)))
    }

    /// Factor from canonical lengths to the world's.
    pub fn unscale(&self) -> f64 {
        1.0 / self.scale
    }

    /// The area of the body's shadow in canonical units: a quarter of its surface. For a convex body, this is the mean over all directions
    /// (Cauchy).
    pub fn shadow(&self) -> f64 {
        let length = self.size * self.scale;
        self.cells.surface.first().map_or(0.0, |[area, _]| 0.25 * area * (length * length))
    }

    /// The halo of a triangle in canonical units.
    pub fn halo(&self, i: u32) -> f64 {
        self.mesh.halo(i as usize) * self.size * self.scale + self.wider * self.scale
    }

    /// The flux out of the halo of the edge at side `k` of a triangle, for each unit of length inside the other body, over the square of the
    /// halo. It is a third of the area of the edge's sectors; 0 if another triangle has these sectors.
    pub fn edge_layer(&self, i: u32, k: usize) -> f64 {
        let anchor = self.mesh.triangle(i as usize)[k % 3];
        let own = |cell: &&Cell| cell.kind == SECTOR && cell.anchor == anchor;
        self.cells_of(i).filter(own).fold(0.0, |sum, cell| sum + cell.sign * cell.dead / (3.0 * cell.slope))
    }

    /// The same for the vertex at corner `k`, over the third power of the halo: a quarter of its cones' volume.
    pub fn vertex_layer(&self, i: u32, k: usize) -> f64 {
        let anchor = self.mesh.triangle(i as usize)[k % 3];
        let own = |cell: &&Cell| cell.kind == CONE && cell.anchor == anchor;
        self.cells_of(i).filter(own).fold(0.0, |sum, cell| sum + cell.sign * self.cells.cone(cell) / 4.0)
    }

    /// The length of a side of a triangle.
    pub fn length(&self, i: u32, k: usize) -> f64 {
        let corners = self.corners(i);
        unit(corners[(k + 1) % 3] - corners[k % 3]).map_or(0.0, |(_, length)| length)
    }

    fn cells_of(&self, i: u32) -> impl Iterator<Item = &'b Cell> {
        self.cells.cell.get(self.cells.of(i as usize)).unwrap_or_default().iter()
    }

    /// The corners of a triangle without inward displacement.
    pub fn corners(&self, i: u32) -> [DVec3; 3] {
        self.mesh.triangle(i as usize).map(|v| self.place(v))
    }
}
