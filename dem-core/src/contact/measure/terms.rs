//! The faces of one body in the cells of the other, summed: one sum for consecutive faces and cells with the same patches.
//!
//! All faces near a triangle are measured in its cells, cell by cell, several faces at once. Faces with a part in the cell are summed in order of
//! arrival, whenever they were clipped. The filter passes some faces that have no part; which ones depends on the instruction set and on which
//! body comes first. These faces do not change the result, not even the order of additions. A sum ends with a block of triangles, so the
//! assignment of blocks to threads does not change it either.

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes};

use super::clip::COLUMNS;
use super::face::{Cuts, Faces};
use super::posed_faces::{Turn, Turned};
use super::query::Side;
use super::queues::Arrivals;
use super::term::{Address, IN_PRISM, LOOKS_AT, List};
use crate::contact::Law;
use crate::contact::cells::{Cell, PRISM};
use crate::contact::spread::Wants;
use crate::mesh::NONE;
use crate::narrow::{ids, key};
use crate::real::min;
use crate::simd::{Kernel, Simd};
use crate::vector::dot;

/// The faces of one body in the cells of the other.
pub(in crate::contact) struct Half<'h> {
    pub turn: Turn<'h>,
    pub cells: &'h Side<'h>,
    pub a_has_cells: bool,
    /// The least gap that counts, in the units of the cells' mesh.
    pub floor: f64,
    /// Length by which the sum of both halos is enlarged.
    pub margin: f64,
    pub law: Law,
    /// The optional fields of contacts; energies only if the law has one.
    pub wants: Wants,
    pub faces: &'h [Turned],
}

/// The block of a triangle that has cells: a sum never continues in the next block.
pub(in crate::contact) fn block(triangle: u32) -> u32 {
    triangle >> 6
}

/// Consecutive blocks of one half.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Piece<'h> {
    pub half: &'h Half<'h>,
    /// Pairs of a triangle with cells and a face's index in the list, in order.
    pub near: &'h [u64],
}

/// The scratch of one thread, except the list.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Work {
    arrivals: Arrivals,
    cuts: Cuts,
    /// The faces near one triangle.
    faces: [Faces; BLOCKS],
    /// Number of blocks that are initialised.
    clean: u64,
}

/// A face above another one looks at it if the cosine between the normals is below minus this: up to 60 degrees.
pub(in crate::contact) const LOOKS: f64 = 0.5;

/// Prefetch distances of cells and of sides, in pairs: about three consecutive pairs belong to one triangle.
const CELLS_AHEAD: usize = 8;
const SIDES_AHEAD: usize = 2;

/// Number of blocks of faces in use at once.
const BLOCKS: usize = 16;

impl Work {
    /// Resets it for a new list of terms.
    pub fn begin(&mut self, wants: Wants) {
        self.arrivals.begin(wants);
        self.clean = 0;
    }

    #[inline(always)]
    fn clean(&mut self, blocks: usize) {
        while (self.clean as usize) < min(blocks, BLOCKS) {
            self.faces[self.clean as usize].zero();
            self.clean += 1;
        }
    }
}

/// Computes the terms of some pieces.
pub(in crate::contact) struct Terms<'h, 's> {
    pub pieces: &'h [Piece<'h>],
    pub list: &'h mut List<'s>,
    pub work: &'h mut Work,
}

impl Kernel for Terms<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Terms { pieces, list, work } = self;
        for (number, Piece { half, near }) in pieces.iter().enumerate() {
            let mut rest = *near;
            while let Some(first) = rest.first() {
                let (triangle, _) = ids(*first);
                let (pairs, later) = rest.split_at(run_of(rest, triangle));
                rest = later;
                half.prefetch(rest);
                let group = Group { triangle, pairs, faces: half.faces, piece: number as u16 };
                half.triangle(simd, &group, work, list);
            }
        }
        work.arrivals.finish(simd, list);
    }
}

/// All faces near one triangle.
struct Group<'g> {
    triangle: u32,
    pairs: &'g [u64],
    faces: &'g [Turned],
    /// The number of the piece.
    piece: u16,
}

/// A cell, and the destination of its terms.
struct InCell<'c, 's> {
    cell: &'c Cell,
    sides: &'c [[f64; 4]],
    group: &'c Group<'c>,
    /// Patch of the triangle.
    own: u32,
    arrivals: &'c mut Arrivals,
    cuts: &'c mut Cuts,
    list: &'c mut List<'s>,
}

/// The number of leading pairs with this triangle.
#[inline(always)]
fn run_of(pairs: &[u64], triangle: u32) -> usize {
    let mut end = 0;
    while end < pairs.len() && ids(pairs[end]).0 == triangle {
        end += 1;
    }
    end
}

/// [`Address::prism`] of a face with this normal.
#[inline(always)]
fn in_prism(cell: &Cell, normal: [f64; 3]) -> u8 {
    match cell.kind {
        PRISM if dot(normal, cell.normal) < -LOOKS => IN_PRISM | LOOKS_AT,
        PRISM => IN_PRISM,
        _ => 0,
    }
}

impl Half<'_> {
    /// Prefetches the data of the next triangles: first cells, then their sides.
    #[inline(always)]
    fn prefetch(&self, next: &[u64]) {
        let cells = &self.cells.cells;
        if let Some(pair) = next.get(CELLS_AHEAD) {
            cells.prefetch(ids(*pair).0 as usize);
        }
        if let Some(pair) = next.get(SIDES_AHEAD) {
            cells.prefetch_sides(ids(*pair).0 as usize);
        }
    }

    #[inline(always)]
    fn triangle<S: Simd>(&self, simd: S, group: &Group<'_>, work: &mut Work, list: &mut List<'_>) {
        let cells = &self.cells.cells;
        work.clean(group.pairs.len().div_ceil(COLUMNS));
        let Work { arrivals, cuts, faces, .. } = work;
        let at_once = faces.len() * COLUMNS;
        let halo = self.cells.operand.halo(group.triangle as usize) + self.margin;
        // If not all faces fit, they are gathered again for each cell, so that the order stays the same.
        let fit = group.pairs.len() <= at_once;
        let mut blocks = if fit { self.turn.gather(group.faces, group.pairs, halo, faces) } else { 0 };
        let own = cells.patch.get(group.triangle as usize).copied().unwrap_or(NONE);
        for c in cells.of(group.triangle as usize) {
            // Cells with a negative sign exist only for the law of volumes, in which they cancel double counts.
            let wanted = |cell: &&Cell| cell.sign > 0.0 || self.law == Law::Volume;
            let Some(cell) = cells.cell.get(c).filter(wanted) else { continue };
            let sides = cells.sides(cell);
            let mut in_cell = InCell { cell, sides, group, own, arrivals, cuts, list };
            let mut rest = group.pairs;
            while !rest.is_empty() {
                let (now, later) = rest.split_at(min(rest.len(), at_once));
                rest = later;
                if !fit {
                    blocks = self.turn.gather(group.faces, now, halo, faces);
                }
                for faces in faces.iter().take(blocks) {
                    self.faces(simd, faces, &mut in_cell);
                }
            }
        }
    }

    /// Measures several faces in one cell.
    #[inline(always)]
    fn faces<S: Simd>(&self, simd: S, faces: &Faces, to: &mut InCell<'_, '_>) {
        let mut bits = to.cuts.prepare(simd, faces, to.cell, to.sides, self.floor, self.law);
        while bits != 0 {
            let face = bits.trailing_zeros() as usize & (COLUMNS - 1);
            bits &= bits - 1;
            let normal = [faces.normal[0][face], faces.normal[1][face], faces.normal[2][face]];
            let patch = self.cells.cells.owner(to.cell, normal);
            let address = Address {
                patches: self.patches(faces.patch[face], patch),
                pair: key(to.group.triangle, faces.id[face]),
                block: block(to.group.triangle),
                piece: to.group.piece,
                shared: u8::from(patch == to.own),
                prism: in_prism(to.cell, faces.normal_of(face)),
            };
            let way = match self.law {
                Law::Facing | Law::Auto => to.cell.normal,
                Law::Volume => faces.normal_of(face).map(|x| -to.cell.sign * x),
            };
            let field = self.wants.energy.then(|| to.cuts.field(faces, face, to.cell, to.sides));
            to.arrivals.put(simd, (to.cuts, faces, face), field, way, address, to.list);
        }
    }

    /// The patches of a face and a cell, A's in the upper half.
    #[inline(always)]
    fn patches(&self, of_face: u32, of_cell: u32) -> u64 {
        if self.a_has_cells { key(of_cell, of_face) } else { key(of_face, of_cell) }
    }
}
