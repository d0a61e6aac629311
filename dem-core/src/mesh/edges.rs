//! Which triangles share which edge: edges between welded vertices, sorted.

use super::block::{Mesh, MeshRef, NONE};
use super::weld::{Record, sort};

/// Whether two corners are the same welded vertex.
pub(super) fn repeats([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// One side of one triangle: corner `side` to corner `side + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub triangle: u32,
    pub side: u32,
    /// The smaller and the larger welded vertex.
    pub ends: [u32; 2],
    /// Whether the triangle runs from the larger to the smaller.
    pub backward: bool,
}

impl Side {
    fn new(corners: [u32; 3], triangle: u32, side: u32) -> Side {
        let (from, to) = (corners[side as usize % 3], corners[(side as usize + 1) % 3]);
        let backward = from > to;
        let ends = if backward { [to, from] } else { [from, to] };
        Side { triangle, side, ends, backward }
    }

    fn pack(self) -> Record {
        let [low, high] = self.ends.map(u64::from);
        let place = u64::from(self.triangle) << 3 | u64::from(self.side) << 1 | u64::from(self.backward);
        [low << 32 | high, place]
    }

    pub(super) fn unpack([ends, place]: Record) -> Side {
        let ends = [(ends >> 32) as u32, ends as u32];
        Side { triangle: (place >> 3) as u32, side: (place >> 1 & 3) as u32, ends, backward: place & 1 != 0 }
    }
}

/// All sides of the triangles that have three different corners, sorted by edge, then triangle. Sides of the same edge
/// have the same first number.
pub(super) fn sorted_sides<'r>(mesh: MeshRef<'_>, records: &'r mut [Record]) -> &'r mut [Record] {
    let mut count = 0;
    for triangle in 0..mesh.len() {
        let corners = mesh.welded(triangle);
        if repeats(corners) {
            continue;
        }
        for side in 0..3 {
            if let Some(to) = records.get_mut(count) {
                *to = Side::new(corners, triangle as u32, side).pack();
                count += 1;
            }
        }
    }
    let sides = records.get_mut(..count).unwrap_or_default();
    sort(sides);
    sides
}

/// Tells `visit` of every triangle with three different corners that has the corners of an earlier one: its number, the
/// number of the first one like it, and whether it runs the other way round.
pub(crate) fn copies(mesh: MeshRef<'_>, records: &mut [Record], mut visit: impl FnMut(u32, u32, bool)) {
    let mut count = 0;
    for triangle in 0..mesh.len() {
        let mut corners = mesh.welded(triangle);
        if repeats(corners) {
            continue;
        }
        corners.sort_unstable();
        let [a, b, c] = corners.map(u64::from);
        if let Some(to) = records.get_mut(count) {
            *to = [a << 32 | b, c << 32 | triangle as u64];
            count += 1;
        }
    }
    let triangles = records.get_mut(..count).unwrap_or_default();
    sort(triangles);
    for group in triangles.chunk_by(|a, b| a[0] == b[0] && a[1] >> 32 == b[1] >> 32) {
        let first = group[0][1] as u32;
        for record in group.iter().skip(1) {
            let copy = record[1] as u32;
            visit(copy, first, is_backward(mesh, first) != is_backward(mesh, copy));
        }
    }
}

/// Whether the corners are an odd permutation of ascending order.
fn is_backward(mesh: MeshRef<'_>, triangle: u32) -> bool {
    let [a, b, c] = mesh.welded(triangle as usize);
    [a > b, b > c, a > c].into_iter().filter(|out_of_order| *out_of_order).count() % 2 == 1
}

/// Fills in who neighbours whom. `records` has three items a triangle.
///
/// Cost: two sorts, O(n log n).
pub(super) fn neighbours(mesh: &mut Mesh<'_>, records: &mut [Record]) {
    /// Marks a copy until its edges have been left out; no triangle has this number.
    const COPY: u32 = NONE - 1;
    mesh.neighbour.fill([NONE; 3]);
    let Mesh { sizes, bounds, coordinates32, coordinates64, vertex, weld, neighbour, halos } = mesh;
    let rest = MeshRef { sizes: *sizes, bounds, coordinates32, coordinates64, vertex, weld, neighbour: &[], halos };
    copies(rest, records, |copy, _, _| {
        if let Some(to) = neighbour.get_mut(copy as usize) {
            *to = [COPY; 3];
        }
    });
    let is_copy = |neighbour: &[[u32; 3]], record: &Record| {
        neighbour.get(Side::unpack(*record).triangle as usize).is_none_or(|n| n[0] == COPY)
    };
    let sides = sorted_sides(rest, records);
    for group in sides.chunk_by(|a, b| a[0] == b[0]) {
        let mut regular = group.iter().filter(|record| !is_copy(neighbour, record));
        if let (Some(a), Some(b), None) = (regular.next(), regular.next(), regular.next()) {
            let (a, b) = (Side::unpack(*a), Side::unpack(*b));
            for (to, from) in [(a, b), (b, a)] {
                if let Some(n) = neighbour.get_mut(to.triangle as usize).and_then(|n| n.get_mut(to.side as usize)) {
                    *n = from.triangle;
                }
            }
        }
    }
    neighbour.iter_mut().filter(|n| n[0] == COPY).for_each(|n| *n = [NONE; 3]);
}
