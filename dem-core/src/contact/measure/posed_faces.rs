//! The faces of one body in the frame of the other one's cells: each face is transformed once, and named by its index in a list.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::{COLUMNS, load3};
use super::face::Faces;
use super::query::Side;
use crate::narrow::{Corners, ids, key};
use crate::pose::Transform;
use crate::real::min;
use crate::simd::{Kernel, Lane, Simd};
use crate::vector::{cross, dot};

/// A face in the frame and the units of the cells.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Turned {
    corners: [f64; 9],
    /// Zero where the face has no area or is a copy: such a face has no term in any cell.
    normal: [f64; 3],
    /// Twice the area.
    twice: f64,
    /// The face's own halo, in the world's units.
    halo: f64,
    /// The triangle.
    pub id: u32,
    patch: u32,
}

/// Lists the upper halves of pairs that are sorted by them, each once, and returns their number. Calls `place` for every pair with the list index
/// of its upper half and with its lower half. The list must be long enough.
pub(in crate::contact) fn list(sorted: &[u64], list: &mut [Turned], mut place: impl FnMut(usize, u64)) -> usize {
    let (mut last, mut count) = (None, 0);
    for (i, pair) in sorted.iter().enumerate() {
        let (face, other) = ids(*pair);
        if last != Some(face) {
            last = Some(face);
            if let Some(to) = list.get_mut(count) {
                to.id = face;
            }
            count += 1;
        }
        place(i, key(other, count as u32 - 1));
    }
    count
}

/// Transforms the faces of a list.
pub(in crate::contact) struct Turning<'h> {
    pub turn: &'h Turn<'h>,
    pub faces: &'h mut [Turned],
}

impl Kernel for Turning<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.turn.all(simd, self.faces);
    }
}

/// The transform from the faces' frame to the cells'.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Turn<'h> {
    pub faces: &'h Side<'h>,
    pub from: &'h Transform,
    pub to: &'h Transform,
    /// One over the scale of the cells' mesh.
    pub per_unit: f64,
}

impl Turn<'_> {
    #[inline(always)]
    fn all<S: Simd>(&self, simd: S, list: &mut [Turned]) {
        let corners = Corners::new(&self.faces.operand.mesh);
        let mut block = Faces::NONE;
        for faces in list.chunks_mut(COLUMNS) {
            for (column, face) in faces.iter_mut().enumerate() {
                let i = face.id as usize;
                corners.gather(i, column, &mut block.corners);
                let prism = self.faces.cells.prism(i);
                face.halo = self.faces.operand.halo(i);
                face.patch = prism.map_or(face.id, |prism| prism.patch);
                let normal = prism.map_or([0.0; 3], |prism| prism.normal);
                for (row, x) in block.normal.iter_mut().zip(normal) {
                    row[column] = x;
                }
            }
            let mut at = 0;
            while at < faces.len() {
                self.lanes::<S::F64>(simd, &mut block, at);
                at += S::F64::LANES;
            }
            for (column, face) in faces.iter_mut().enumerate() {
                for (to, row) in face.corners.iter_mut().zip(&block.corners) {
                    *to = row[column];
                }
                for (to, row) in face.normal.iter_mut().zip(&block.normal) {
                    *to = row[column];
                }
                face.twice = block.twice[column];
            }
        }
    }

    #[inline(always)]
    fn lanes<L: Lane<Scalar = f64>>(&self, simd: L::Simd, faces: &mut Faces, at: usize) {
        let (from, to) = (self.from, self.to);
        let (scale, per_unit) = (L::splat(simd, self.faces.operand.scale), L::splat(simd, self.per_unit));
        let mut x = [[L::splat(simd, 0.0); 3]; 3];
        for (v, x) in x.iter_mut().enumerate() {
            let mut moved = turned::<L>(simd, &from.rows, load3(simd, &faces.corners[3 * v..], at));
            for (k, moved) in moved.iter_mut().enumerate() {
                let apart = L::splat(simd, from.translation[k] - to.translation[k]);
                *moved = (*moved * scale + apart) * per_unit;
            }
            *x = turned_back::<L>(simd, &to.rows, moved);
            for (k, x) in x.iter().enumerate() {
                x.store(&mut faces.corners[3 * v + k], at);
            }
        }
        let normal = turned::<L>(simd, &from.rows, load3(simd, &faces.normal, at));
        let normal = turned_back::<L>(simd, &to.rows, normal);
        let (mut e, mut f) = (x[1], x[2]);
        for k in 0..3 {
            normal[k].store(&mut faces.normal[k], at);
            (e[k], f[k]) = (x[1][k] - x[0][k], x[2][k] - x[0][k]);
        }
        dot(normal, cross(e, f)).store(&mut faces.twice, at);
    }

    /// Collects the faces near a triangle with this halo in blocks of columns. Returns the number of blocks.
    #[inline(always)]
    pub fn gather(&self, list: &[Turned], pairs: &[u64], halo: f64, to: &mut [Faces]) -> usize {
        let mut used = 0;
        for (pairs, faces) in pairs.chunks(COLUMNS).zip(to) {
            faces.count = min(pairs.len(), COLUMNS) as u64;
            for (column, pair) in pairs.iter().enumerate() {
                let (_, place) = ids(*pair);
                let Some(face) = list.get(place as usize) else { continue };
                for (row, x) in faces.corners.iter_mut().zip(&face.corners) {
                    row[column] = *x;
                }
                for (row, x) in faces.normal.iter_mut().zip(&face.normal) {
                    row[column] = *x;
                }
                faces.twice[column] = face.twice;
                faces.halo[column] = (face.halo + halo) * self.per_unit;
                (faces.id[column], faces.patch[column]) = (face.id, face.patch);
            }
            used += 1;
        }
        used
    }
}

/// `R v`.
#[inline(always)]
pub(in crate::contact) fn turned<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[[f64; 3]; 3], v: [L; 3]) -> [L; 3] {
    let mut out = v;
    for (out, r) in out.iter_mut().zip(rows) {
        *out = L::splat(simd, r[0]) * v[0] + L::splat(simd, r[1]) * v[1] + L::splat(simd, r[2]) * v[2];
    }
    out
}

/// `transpose(R) v`.
#[inline(always)]
fn turned_back<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[[f64; 3]; 3], v: [L; 3]) -> [L; 3] {
    let columns = [0, 1, 2].map(|k| [rows[0][k], rows[1][k], rows[2][k]]);
    turned(simd, &columns, v)
}
