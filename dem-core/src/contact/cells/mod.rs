//! The sections of a mesh's cells, and access to them.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `cell` | one cell; kinds of cells; the two laws of contact |
//! | `ground` | the data of a mesh while its cells are built |
//! | `build`, `writer` | from a mesh to its cells: counted first, then written |
//! | `refit` | new cells after vertices have moved, under the old names |
//! | `law` | which law suits a mesh |
//! | `faces` | which triangles are faces, their normals, the triangles of each vertex |
//! | `patch` | which triangles lie in one plane |
//! | `self_crossing` | which triangles pass through others of their part |
//! | `containers` | whether a mesh that is not closed is a container, such as a tray |
//! | `self_overlap` | whether parts of a mesh may overlap, and whether one looks inward |
//! | `neighbours` | which patches touch |
//! | `charts` | which patches face about the same direction |
//! | `edge_sectors`, `fan` | the sectors of a convex edge; the cones of a convex vertex |
//! | `one_ring` | the cones of any vertex, with signs, between the sectors of its edges |
//! | `half_planes` | a convex polygon cut by many half-planes, for vertices of many edges |
//! | `vertex_offset` | the motion of a vertex when its faces move inward |
//! | `walk` | the triangles of a vertex |

pub(in crate::contact) mod build;
mod cell;
pub(in crate::contact) mod charts;
mod containers;
pub(in crate::contact) mod edge_sectors;
pub(in crate::contact) mod faces;
pub(in crate::contact) mod fan;
mod ground;
pub(in crate::contact) mod half_planes;
pub(in crate::contact) mod law;
pub(in crate::contact) mod neighbours;
pub(in crate::contact) mod one_ring;
pub(in crate::contact) mod patch;
pub(in crate::contact) mod refit;
mod self_crossing;
pub(in crate::contact) mod self_overlap;
pub(in crate::contact) mod vertex_offset;
pub(in crate::contact) mod walk;
mod writer;

pub(in crate::contact) use cell::{
    ACROSS, BENT, CANCELLED, CLOSED, CONFORMING, CONTAINER, COPIED, COUNTS, CROSSED, CROSSING, FIRST, INWARD, MEETING,
    NEXT, OVERLAP, SEVERAL, SIDES, UNTOLD, WALLS, WHAT,
};
pub use cell::{CONE, Cell, Law, PRISM, SECTOR};
pub(in crate::contact) use law::ONE_WAY;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::error::{Error, Kind, Result, What};
use crate::memory::{Sizes, sections};
use crate::mesh::LIMIT;
use crate::simd::prefetch;
use crate::vector::{cross, dot};

use super::ROUNDING;
use neighbours::any_bit;

/// The numbers on which the layout of cells depends: see [`cell_sizes`](crate::contact::cell_sizes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub struct CellSizes {
    /// Triangles of the mesh.
    pub triangles: u32,
    /// Cells of all kinds.
    pub cells: u32,
    /// Sides of all cells.
    pub sides: u32,
    /// Neighbours of all patches.
    pub neighbours: u32,
    /// Owners of all edges and vertices.
    pub owners: u32,
    /// Fans: triangles around a vertex that are connected by edges. Each vertex has one or more.
    pub fans: u32,
    /// Sides of triangles without a neighbour that agrees on the outside.
    pub open_sides: u32,
}

impl Sizes for CellSizes {
    const KIND: [u8; 4] = *b"cell";
    const VERSION: u32 = 11;
    const WHAT: What = What::Cells;

    fn check(&self) -> Result<()> {
        for (what, n) in [
            (What::Triangles, self.triangles),
            (What::Cells, self.cells),
            (What::Cells, self.sides),
            (What::Cells, self.neighbours),
            (What::Cells, self.owners),
            (What::Cells, self.fans),
            (What::Cells, self.open_sides),
        ] {
            if n > LIMIT {
                return Err(Error::new(Kind::TooLarge, what).amounts(u64::from(LIMIT), u64::from(n)));
            }
        }
        match self.triangles == 0 {
            true => Err(Error::new(Kind::OutOfRange, What::Cells)),
            false => Ok(()),
        }
    }
}

sections! {
    /// The cells of a mesh.
    pub struct Cells / CellsRef (n: &CellSizes) {
        /// Index of the first cell of each triangle, and one more item. The prism comes first.
        pub first: State [u32; n.triangles as u64 + 1],
        /// For each triangle the first triangle of its patch.
        pub patch: State [u32; n.triangles as u64],
        /// For each triangle the next triangle of its patch; [`NONE`](crate::mesh::NONE) for the last one.
        pub(in crate::contact) next_in_patch: State [u32; n.triangles as u64],
        /// For each triangle the first triangle of its patch's chart: of the connected patches that face about the same direction.
        pub chart: State [u32; n.triangles as u64],
        /// Index of the first neighbour of each patch, at the patch's first triangle, and one more item. Other triangles have no neighbours.
        pub first_neighbour: State [u32; n.triangles as u64 + 1],
        /// The neighbours of each patch, in ascending order: other patches that share a welded vertex with it, by their first triangles. Where
        /// more than 64 triangles meet at a vertex, only patches that share an edge there are neighbours.
        pub neighbour: State [u32; n.neighbours as u64],
        /// A bit for each item of `neighbour`: whether the two patches share an edge at which the surface is concave.
        pub(in crate::contact) concave: State [u32; u64::from(n.neighbours).div_ceil(32)],
        /// What each triangle encloses ([`COUNTS`], [`COPIED`] or [`CANCELLED`]); [`CROSSING`] if it passes through another triangle of its part,
        /// [`MEETING`] if through one of another closed part, and [`FIRST`] for the first triangle of each of several parts.
        pub(in crate::contact) part: State [u32; n.triangles as u64],
        /// [`CLOSED`]: all triangles count, have an area, and agree with one neighbour across each side. [`OVERLAP`]: parts of the mesh may
        /// overlap. [`CONFORMING`]: the cells are built for [`Law::Volume`]. [`INWARD`]: a closed mesh has a part that looks inward and is no
        /// hollow of another part. [`CROSSED`]: a part passes through itself. [`UNTOLD`]: too many triangles are near each other to test this.
        /// [`SEVERAL`]: the mesh has several parts. [`BENT`]: a patch is no longer flat since vertices moved. [`CONTAINER`]: the mesh is not
        /// closed, and is a container. [`WALLS`]: some two patches are at right angles, or almost, across a concave edge.
        pub(in crate::contact) sound: State [u32; 1],
        /// The area of all triangles that count, and the volume that they enclose.
        pub(in crate::contact) surface: State [[f64; 2]; 1],
        /// The cells, by triangle.
        pub cell: State [Cell; n.cells as u64],
        /// The prisms beside an edge or a vertex, by their index in `cell`, the largest first. See [`owner`](Self::owner).
        pub owner: State [u32; n.owners as u64],
        /// Sides `[nu, offset]`, by cell: inside is `dot(nu, x - anchor) + offset >= 0`.
        pub side: State [[f64; 4]; n.sides as u64],
        /// For each corner of each triangle, the fan around its vertex that contains the triangle.
        pub(in crate::contact) fan: State [[u32; 3]; n.triangles as u64],
        /// Displacement of the vertex of each fan when its faces move outward by 1; its length is at most 8.
        pub(in crate::contact) away: State [[f64; 3]; n.fans as u64],
        /// Sides of triangles that count, without a neighbour that agrees on the outside: three times the triangle, plus the side. All other
        /// sides cancel in pairs in the boundary of the surface.
        pub(in crate::contact) open_side: State [u32; n.open_sides as u64],
    }
}

impl<'m> CellsRef<'m> {
    /// The range of the cells of triangle `i`; empty beyond the last triangle.
    #[inline]
    pub fn of(&self, i: usize) -> core::ops::Range<usize> {
        match (self.first.get(i), self.first.get(i + 1)) {
            // Bounded here, because the bytes of a block are not trusted.
            (Some(from), Some(to)) => *from as usize..(*to as usize).min(self.cell.len()),
            _ => 0..0,
        }
    }

    /// The [neighbours](Self::neighbour) of a patch that is named by its first triangle; empty for other numbers.
    ///
    /// Cost: none.
    #[inline]
    pub fn patch_neighbours(&self, patch: u32) -> &'m [u32] {
        let patch = patch as usize;
        match (self.first_neighbour.get(patch), self.first_neighbour.get(patch.saturating_add(1))) {
            (Some(from), Some(to)) => self.neighbour.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The triangles of a patch that is named by its first triangle, in ascending order.
    ///
    /// Cost: none.
    #[inline]
    pub(in crate::contact) fn triangles_of(&self, patch: u32) -> impl Iterator<Item = u32> + use<'m> {
        let next = self.next_in_patch;
        // The filter keeps the order and the range of the mesh, because the bytes of a block are not trusted.
        let within = |i: &u32| (*i as usize) < next.len();
        let later = move |i: &u32| next.get(*i as usize).copied().filter(|to| *to > *i && within(to));
        core::iter::successors(Some(patch).filter(within), later)
    }

    /// Whether two patches, named by their first triangles, are the same one or [neighbours](Self::neighbour).
    ///
    /// Cost: a search in the shorter list of neighbours.
    #[inline]
    pub fn patches_meet(&self, p: u32, q: u32) -> bool {
        let [of_p, of_q] = [p, q].map(|patch| self.patch_neighbours(patch));
        let (list, wanted) = if of_p.len() <= of_q.len() { (of_p, q) } else { (of_q, p) };
        p == q || list.binary_search(&wanted).is_ok()
    }

    /// Whether a patch, named by its first triangle, shares a concave edge with any other patch.
    ///
    /// Cost: a test of a bit for each neighbour.
    pub(in crate::contact) fn has_concave_edge(&self, patch: u32) -> bool {
        let from = self.first_neighbour.get(patch as usize).map_or(0, |from| *from as usize);
        any_bit(self.concave, from..from.saturating_add(self.patch_neighbours(patch).len()))
    }

    /// Whether some two patches are at right angles, or almost, across a concave edge.
    pub(in crate::contact) fn has_walls(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & WALLS != 0)
    }

    /// Whether two patches, named by their first triangles, share a concave edge.
    ///
    /// Cost: a search in the first one's list of neighbours.
    #[inline]
    pub(in crate::contact) fn is_concave(&self, p: u32, q: u32) -> bool {
        let Ok(at) = self.patch_neighbours(p).binary_search(&q) else { return false };
        let from = self.first_neighbour.get(p as usize).map_or(0, |from| *from as usize);
        any_bit(self.concave, from + at..from + at + 1)
    }

    /// The first triangle of the chart of a patch or a triangle; the number itself if there is no such triangle.
    #[inline]
    pub fn chart(&self, patch: u32) -> u32 {
        self.chart.get(patch as usize).copied().unwrap_or(patch)
    }

    /// Whether no defect shows in the triangles, in their neighbours and in the boxes of the parts, and no part passes through itself.
    pub(in crate::contact) fn is_sound(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & (CLOSED | OVERLAP | CROSSED | UNTOLD) == CLOSED)
    }

    /// Whether no defect shows in the triangles and their neighbours.
    pub(in crate::contact) fn is_closed(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & CLOSED != 0)
    }

    /// Whether the mesh is closed, and a part of it looks inward without being a hollow of another part: a room, or a body turned inside out.
    pub(in crate::contact) fn looks_inward(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & INWARD != 0)
    }

    /// Whether the mesh is closed, looks inward (all of it, with `Law::Auto`), and has the law of volumes: a room. It may also be a body turned
    /// inside out. Under that law such a body would attract what is around it.
    pub(in crate::contact) fn is_room_by_volume(&self) -> bool {
        let negative = || self.surface.first().is_some_and(|[_, volume]| *volume < 0.0);
        self.sound.first().is_some_and(|bits| bits & (INWARD | CONFORMING) == INWARD | CONFORMING) && negative()
    }

    /// Whether it may have one side and no inside: it is not closed, and no room by the law of volumes. A body with a hole is neither.
    pub(crate) fn may_be_sheet(&self) -> bool {
        !self.is_closed() && !self.is_room_by_volume()
    }

    /// The bits of the mesh without those of its law, for [`by_facing`](Self::by_facing).
    pub(in crate::contact) fn facing_bits(&self) -> [u32; 1] {
        self.sound.first().map_or([0], |bits| [bits & !CONFORMING])
    }

    /// The same cells under the law of facing, with bits of [`facing_bits`](Self::facing_bits).
    pub(in crate::contact) fn by_facing<'s>(&self, bits: &'s [u32; 1]) -> CellsRef<'s>
    where
        'm: 's,
    {
        let mut cells = *self;
        cells.sound = bits;
        cells
    }

    /// Whether the mesh is closed and looks outward.
    pub(in crate::contact) fn is_outward(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & (CLOSED | INWARD) == CLOSED)
    }

    /// Whether the mesh is not closed and is a container, such as a tray: its borders show no defect, and winding numbers behind its walls are
    /// between 0 and 1.
    pub(in crate::contact) fn is_container(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & CONTAINER != 0)
    }

    /// Whether the boxes of two parts that enclose something overlap.
    pub(in crate::contact) fn may_overlap(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & OVERLAP != 0)
    }

    /// Whether a part passes through itself. False if the search ended early.
    pub(in crate::contact) fn passes_through_itself(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & CROSSED != 0)
    }

    /// Whether each patch is flat. Patches of a mesh whose vertices have moved may be bent.
    pub(in crate::contact) fn has_flat_patches(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & BENT == 0)
    }

    /// The first triangles of all parts, in ascending order; empty for a mesh that has one part only.
    pub(in crate::contact) fn parts(&self) -> impl Iterator<Item = u32> + use<'m> {
        let several = self.sound.first().is_some_and(|bits| bits & SEVERAL != 0);
        let part = if several { self.part } else { &[] };
        let first = (0..).zip(part).find(|(_, part)| *part & FIRST != 0).map(|(i, _)| i);
        core::iter::successors(first, |i: &u32| {
            // The filter ends a damaged chain.
            part.get(*i as usize).and_then(|part| (part >> NEXT).checked_sub(1)).filter(|next| next > i)
        })
    }

    /// Whether a part passes through itself, or the search for this ended early.
    pub(in crate::contact) fn may_pass_through_itself(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & (CROSSED | UNTOLD) != 0)
    }

    /// Whether the search for triangles that pass through others ended early.
    pub(in crate::contact) fn is_untold(&self) -> bool {
        self.sound.first().is_some_and(|bits| bits & UNTOLD != 0)
    }

    /// Whether a triangle passes through another triangle of its part.
    #[inline]
    pub(in crate::contact) fn is_crossing(&self, i: u32) -> bool {
        self.part.get(i as usize).is_some_and(|part| part & CROSSING != 0)
    }

    /// Whether a triangle passes through a triangle of another closed part.
    #[inline]
    pub(in crate::contact) fn meets_other_part(&self, i: u32) -> bool {
        self.part.get(i as usize).is_some_and(|part| part & MEETING != 0)
    }

    /// What a triangle encloses: [`COUNTS`], [`COPIED`] or [`CANCELLED`].
    #[inline]
    pub(in crate::contact) fn part_of(&self, i: u32) -> Option<u32> {
        self.part.get(i as usize).map(|part| part & WHAT)
    }

    /// The law for which the cells are built; for [`Law::Auto`] the law that was chosen.
    pub fn law(&self) -> Law {
        if self.sound.first().is_some_and(|bits| bits & CONFORMING != 0) { Law::Volume } else { Law::Facing }
    }

    /// Prefetches the first cells of triangle `i`; the hardware prefetches the others.
    #[inline(always)]
    pub(in crate::contact) fn prefetch(&self, i: usize) {
        let from = self.of(i).start;
        (0..4).for_each(|k| prefetch(self.cell, from.saturating_add(k)));
    }

    /// Prefetches the sides of these cells, once the cells are in the cache.
    #[inline(always)]
    pub(in crate::contact) fn prefetch_sides(&self, i: usize) {
        let from = self.cell.get(self.of(i).start).map_or(0, |cell| cell.first_side as usize);
        (0..4).for_each(|k| prefetch(self.side, from.saturating_add(2 * k)));
    }

    /// The sides of a cell.
    #[inline]
    pub fn sides(&self, cell: &Cell) -> &'m [[f64; 4]] {
        let from = cell.first_side as usize;
        self.side.get(from..from.saturating_add((cell.sides as usize).min(SIDES))).unwrap_or_default()
    }

    /// The volume of a cone below the gap 1.
    pub(in crate::contact) fn cone(&self, cell: &Cell) -> f64 {
        let sides = self.sides(cell);
        let normal = |k: usize| sides.get(k % sides.len().max(1)).map_or([0.0; 3], |[x, y, z, _]| [*x, *y, *z]);
        // The point on the line of two neighbouring sides where the gap is 1.
        let corner = |k: usize| {
            let way = cross(normal(k), normal(k + 1));
            let gap = cell.slope * dot(way, cell.normal);
            if gap == 0.0 { [0.0; 3] } else { way.map(|x| x / gap) }
        };
        (2..sides.len()).fold(0.0, |sum, k| sum + dot(corner(0), cross(corner(k - 1), corner(k))).abs() / 6.0)
    }

    /// The prisms of the owners of a cell: none where the cell has a single patch.
    #[inline(always)]
    pub fn owners(&self, cell: &Cell) -> impl Iterator<Item = &'m Cell> {
        let (from, all) = (cell.first_owner as usize, self.cell);
        let owners = self.owner.get(from..from.saturating_add(cell.owners as usize)).unwrap_or_default();
        owners.iter().filter_map(move |prism| all.get(*prism as usize))
    }

    /// The patch whose contact takes a face with this unit normal (in the frame of the mesh) in a cell. It is the patch of the owner most opposed
    /// to the face; among owners equally opposed within rounding, of the first one.
    #[inline(always)]
    pub fn owner(&self, cell: &Cell, normal: [f64; 3]) -> u32 {
        let (mut patch, mut least) = (cell.patch, f64::INFINITY);
        for prism in self.owners(cell) {
            let facing = dot(prism.normal, normal);
            if facing < least - ROUNDING {
                (patch, least) = (prism.patch, facing);
            }
        }
        patch
    }

    /// Displacement of the vertex at a corner of a triangle when its faces move outward by 1.
    #[inline]
    pub(in crate::contact) fn away(&self, i: usize, corner: usize) -> [f64; 3] {
        let fan = self.fan.get(i).and_then(|fan| fan.get(corner));
        fan.and_then(|fan| self.away.get(*fan as usize)).copied().unwrap_or_default()
    }

    /// The prism of triangle `i`; `None` where it has no area or is a copy.
    #[inline]
    pub fn prism(&self, i: usize) -> Option<&'m Cell> {
        self.cell.get(self.of(i)).and_then(<[Cell]>::first).filter(|cell| cell.kind == PRISM)
    }
}
