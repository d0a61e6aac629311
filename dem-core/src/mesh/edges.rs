//! Adjacency: which triangles share an edge between welded vertices, by sorting.

use zerocopy::{FromBytes, IntoBytes};

use super::block::{Mesh, MeshRef, NONE};
use super::weld::{Record, begin_buckets, next, sort, sort_bucket};

/// Whether two corners are the same welded vertex.
pub(super) fn repeats([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// One side of a triangle: from corner `side` to corner `side + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub triangle: u32,
    pub side: u32,
    /// The smaller and the larger welded vertex.
    pub ends: [u32; 2],
    /// Whether the triangle has the side from the larger vertex to the smaller one.
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

/// All sides of the triangles with three different corners, sorted by edge, then by triangle. Sides of the same edge have the same first number.
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

/// A copy: a triangle with the same corners as another one, which stands for all triangles with these corners.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copied {
    pub copy: u32,
    /// The first triangle with these corners and the orientation of most of them.
    pub original: u32,
    /// Whether the copy has the opposite orientation.
    pub backward: bool,
    /// Whether both orientations are equally frequent, so that the triangles together enclose nothing.
    pub even: bool,
}

/// Calls `visit` for every copy among the triangles with three different corners.
pub(crate) fn copies(mesh: MeshRef<'_>, records: &mut [Record], mut visit: impl FnMut(Copied)) {
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
        if group.len() < 2 {
            continue;
        }
        let all = || group.iter().map(|record| (record[1] as u32, is_backward(mesh, record[1] as u32)));
        let first = group[0][1] as u32;
        let way = is_backward(mesh, first);
        let along = all().filter(|(_, backward)| *backward == way).count();
        let way = if 2 * along < group.len() { !way } else { way };
        let original = all().find(|(_, backward)| *backward == way).map_or(first, |(i, _)| i);
        for (copy, backward) in all().filter(|(i, _)| *i != original) {
            visit(Copied { copy, original, backward: backward != way, even: 2 * along == group.len() });
        }
    }
}

/// Whether the corners are an odd permutation of ascending order.
fn is_backward(mesh: MeshRef<'_>, triangle: u32) -> bool {
    let [a, b, c] = mesh.welded(triangle as usize);
    [a > b, b > c, a > c].into_iter().filter(|out_of_order| *out_of_order).count() % 2 == 1
}

/// One side of a triangle: the larger welded vertex; the opposite corner; four times the triangle, plus the side.
type Short = [u32; 3];

/// [`neighbours`] for a mesh in which no two triangles have the same three corners. None if there are such triangles, or if the memory is too
/// small; `neighbour` then has no meaning.
pub(super) fn without_copies(mesh: MeshRef<'_>, neighbour: &mut [[u32; 3]], records: &mut [Record]) -> Option<()> {
    let vertices = mesh.weld.len();
    let words = <[u32]>::mut_from_bytes(records.as_mut_bytes()).ok()?;
    let (begins, rest) = words.split_at_mut_checked(vertices)?;
    let sides = rest.as_chunks_mut::<3>().0;
    if sides.len() < 3 * mesh.len() || mesh.len() > (u32::MAX / 4) as usize {
        return None;
    }
    begins.fill(0);
    for triangle in 0..mesh.len() {
        let corners @ [a, b, c] = mesh.welded(triangle);
        if !repeats(corners) {
            for low in [a.min(b), b.min(c), c.min(a)] {
                next(begins, low as usize);
            }
        }
    }
    begin_buckets(begins);
    for triangle in 0..mesh.len() {
        let corners @ [a, b, c] = mesh.welded(triangle);
        if repeats(corners) {
            continue;
        }
        for (side, [from, to, third]) in [[a, b, c], [b, c, a], [c, a, b]].into_iter().enumerate() {
            if let Some(short) = sides.get_mut(next(begins, from.min(to) as usize)) {
                *short = [from.max(to), third, (triangle << 2 | side) as u32];
            }
        }
    }
    let mut begin = 0;
    for end in begins.iter() {
        join(sides.get_mut(begin..*end as usize)?, neighbour)?;
        begin = *end as usize;
    }
    Some(())
}

/// Pairs the sides with the same smaller vertex. None if two of them belong to triangles with the same corners.
#[inline(always)]
fn join(sides: &mut [Short], neighbour: &mut [[u32; 3]]) -> Option<()> {
    let key = |[high, third, _]: &Short| u64::from(*high) << 32 | u64::from(*third);
    sort_bucket(sides, key);
    let mut at = 0;
    while let Some([high, ..]) = sides.get(at) {
        let mut end = at + 1;
        while let (Some(before), Some(side)) = (sides.get(end - 1), sides.get(end)) {
            if side[0] != *high {
                break;
            }
            if key(before) == key(side) {
                return None;
            }
            end += 1;
        }
        if let Some([[_, _, a], [_, _, b]]) = sides.get(at..end) {
            for (to, from) in [(*a, *b), (*b, *a)] {
                if let Some(n) = neighbour.get_mut(to as usize >> 2).and_then(|n| n.get_mut(to as usize & 3)) {
                    *n = from >> 2;
                }
            }
        }
        at = end;
    }
    Some(())
}

/// Fills in the neighbours of all triangles. `records` has three items a triangle.
///
/// Two triangles at an edge are neighbours. If there are more, those that a copy cancels (a fin, the face between two parts) are left out first.
///
/// Cost: linear if few sides leave each vertex and no triangle is a copy; else two sorts, O(n log n).
pub(super) fn neighbours(mesh: &mut Mesh<'_>, records: &mut [Record]) {
    mesh.neighbour.fill([NONE; 3]);
    let Mesh { sizes, bounds, coordinates32, coordinates64, vertex, weld, neighbour, halos } = mesh;
    let rest = MeshRef { sizes: *sizes, bounds, coordinates32, coordinates64, vertex, weld, neighbour: &[], halos };
    if without_copies(rest, neighbour, records).is_none() {
        neighbour.fill([NONE; 3]);
        with_copies(rest, neighbour, records);
    }
}

/// [`neighbours`] for any mesh.
pub(super) fn with_copies(mesh: MeshRef<'_>, neighbour: &mut [[u32; 3]], records: &mut [Record]) {
    /// Marks a copy until its edges have been processed; no triangle has this number.
    const COPY: u32 = NONE - 1;
    /// Marks the sides of a triangle that a copy cancels, until their edges have been processed.
    const EVEN: u32 = NONE - 2;
    copies(mesh, records, |of| {
        for (i, mark) in [(of.copy, COPY), (of.original, if of.even { EVEN } else { NONE })] {
            if let Some(to) = neighbour.get_mut(i as usize) {
                *to = [mark; 3];
            }
        }
    });
    // A side keeps its mark until its edge is processed.
    let mark = |neighbour: &[[u32; 3]], record: &Record| {
        let Side { triangle, side, .. } = Side::unpack(*record);
        neighbour.get(triangle as usize).and_then(|n| n.get(side as usize)).copied().unwrap_or(COPY)
    };
    let sides = sorted_sides(mesh, records);
    for group in sides.chunk_by(|a, b| a[0] == b[0]) {
        let two = |left_out: [u32; 2]| {
            let mut regular = group.iter().filter(|record| !left_out.contains(&mark(neighbour, record)));
            match (regular.next(), regular.next(), regular.next()) {
                (Some(a), Some(b), None) => Some((Side::unpack(*a), Side::unpack(*b))),
                _ => None,
            }
        };
        if let Some((a, b)) = two([COPY; 2]).or_else(|| two([COPY, EVEN])) {
            for (to, from) in [(a, b), (b, a)] {
                if let Some(n) = neighbour.get_mut(to.triangle as usize).and_then(|n| n.get_mut(to.side as usize)) {
                    *n = from.triangle;
                }
            }
        }
    }
    neighbour.iter_mut().flatten().filter(|n| **n == COPY || **n == EVEN).for_each(|n| *n = NONE);
}
