//! Faces: which triangles count, their normals, and which triangles meet at each vertex.

use glam::DVec3;

use super::cell::{CANCELLED, COPIED, COUNTS};
use crate::contact::unit;
use crate::mesh::{Copied, MeshRef, NONE, Record, copies};
use crate::real::{Real, max};

/// A triangle whose height is less than this, relative to its longest side, has no area and no normal.
const NEEDLE: f64 = 1e-11;
/// Marks copies in `patch` until the triangles of each vertex are listed; no triangle has this number.
const COPY: u32 = NONE - 1;

/// The triangles of each welded vertex, in ascending order, without copies.
#[derive(Clone, Copy)]
pub(in crate::contact) struct VertexFaces<'s> {
    /// Index of the first triangle of each vertex.
    pub offset: &'s [u32],
    /// The triangles of all vertices.
    pub triangle: &'s [u32],
}

impl<'s> VertexFaces<'s> {
    /// The triangles of one vertex.
    pub fn of(&self, vertex: u32) -> &'s [u32] {
        let vertex = vertex as usize;
        match (self.offset.get(vertex), self.offset.get(vertex + 1)) {
            (Some(from), Some(to)) => self.triangle.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// Writes unit normals (zero for copies and triangles without area), marks copies in `patch`, and writes to `part` what triangles enclose.
pub(in crate::contact) fn faces(
    mesh: &MeshRef<'_>,
    normals: &mut [[f64; 3]],
    records: &mut [Record],
    patch: &mut [u32],
    part: &mut [u32],
) {
    for (i, to) in normals.iter_mut().enumerate() {
        *to = normal(mesh.triangle(i)).to_array();
    }
    patch.fill(NONE);
    let mut turned = NONE;
    part.fill(COUNTS);
    copies(*mesh, records, |Copied { copy, original: first, backward, even }| {
        if let Some(to) = patch.get_mut(copy as usize) {
            *to = COPY;
        }
        // Among copies with reversed orientation, the first one is the other side of a sheet and keeps its normal.
        let again = !backward || turned == first;
        if backward {
            turned = first;
        }
        if again && let Some(to) = normals.get_mut(copy as usize) {
            *to = [0.0; 3];
        }
        for (i, is) in
            [(copy, if even && !again { CANCELLED } else { COPIED }), (first, if even { CANCELLED } else { COUNTS })]
        {
            if let Some(to) = part.get_mut(i as usize) {
                *to = is;
            }
        }
    });
}

/// The unit normal of a triangle, zero where its area is negligible. It is computed at the corner between the two shorter sides, where rounding
/// errors are smallest.
fn normal(corners: [[f64; 3]; 3]) -> DVec3 {
    let [a, b, c] = corners.map(DVec3::from_array);
    let sides = [b - a, c - b, a - c];
    let largest = sides.iter().flat_map(|s| s.to_array()).fold(0.0, |m, x| max(m, x.abs()));
    let sides = sides.map(|s| s * largest.inverse_exponent());
    let longest = (1..3).fold(0, |m, k| if sides[k].length_squared() > sides[m].length_squared() { k } else { m });
    let cross = sides[(longest + 1) % 3].cross(sides[(longest + 2) % 3]);
    match unit(cross) {
        Some((normal, length)) if length > NEEDLE * sides[longest].length_squared() => normal,
        _ => DVec3::ZERO,
    }
}

/// The triangles of each welded vertex, in ascending order; copies are left out.
pub(in crate::contact) fn vertices_of(mesh: &MeshRef<'_>, patch: &[u32], offset: &mut [u32], around: &mut [u32]) {
    vertices_where(mesh, |i| patch.get(i) != Some(&COPY), offset, around);
}

/// The triangles of each welded vertex for which `counted` is true, in ascending order.
pub(in crate::contact) fn vertices_where(
    mesh: &MeshRef<'_>,
    counted: impl Fn(usize) -> bool,
    offset: &mut [u32],
    around: &mut [u32],
) {
    offset.fill(0);
    let corners = |i: usize| {
        let [a, b, c] = mesh.welded(i);
        // A triangle with two equal corners is listed once for that vertex.
        [Some(a), Some(b).filter(|b| *b != a), Some(c).filter(|c| *c != a && *c != b)]
    };
    // Counts are stored two items later, so that after filling each list's start is one item later.
    for vertex in (0..mesh.len()).filter(|i| counted(*i)).flat_map(corners).flatten() {
        if let Some(to) = offset.get_mut(vertex as usize + 2) {
            *to += 1;
        }
    }
    let mut sum = 0;
    for to in offset.iter_mut() {
        sum += *to;
        *to = sum;
    }
    for i in (0..mesh.len()).filter(|i| counted(*i)) {
        for vertex in corners(i).into_iter().flatten() {
            if let Some(to) = offset.get_mut(vertex as usize + 1) {
                if let Some(entry) = around.get_mut(*to as usize) {
                    *entry = i as u32;
                }
                *to += 1;
            }
        }
    }
}
