//! Holes: connected sets of unbalanced edges, which have more triangles in one direction than in the other; and the fans that close holes.

use super::block::MeshRef;
use super::edges::{Side, sorted_sides};
use super::moments::Frame;
use super::union_find::Sets;
use super::weld::{Record, sort};
use crate::real::{Real, max};
use glam::DVec3;

/// A side on an unbalanced edge.
struct Rim {
    triangle: u32,
    side: u32,
    /// The number of triangles with the direction of this side, less the number with the opposite direction.
    surplus: i64,
}

impl Rim {
    /// The root of the set comes first, so that sorting gathers sets. Within a set, the order is that of triangles.
    fn pack(&self, root: u32) -> Record {
        [u64::from(root) << 32 | u64::from(self.triangle), (self.surplus << 2) as u64 | u64::from(self.side)]
    }

    fn unpack([first, second]: Record) -> Rim {
        Rim { triangle: first as u32, side: (second & 3) as u32, surplus: second as i64 >> 2 }
    }

    fn welded(&self, mesh: MeshRef<'_>) -> [u32; 2] {
        let corners = mesh.welded(self.triangle as usize);
        [corners[self.side as usize % 3], corners[(self.side as usize + 1) % 3]]
    }

    fn ends(&self, mesh: MeshRef<'_>, frame: Frame) -> [DVec3; 2] {
        let corners = frame.triangle(mesh, self.triangle as usize);
        [corners[self.side as usize % 3], corners[(self.side as usize + 1) % 3]]
    }
}

/// A hole and the fan that closes it: all triangles from `apex` to an edge. With the fans of all holes, any surface is closed: the fan of a
/// duplicate or of a reversed triangle cancels its effect.
pub(super) struct Hole {
    /// The centre of its edges.
    pub apex: DVec3,
    /// The largest distance of an edge from it.
    pub reach: f64,
    /// The area vector of the fan, which does not depend on the apex.
    pub area: DVec3,
}

impl Hole {
    /// The largest change of the volume if the apex moves by the reach of the hole, in any direction.
    pub(super) fn volume_error(&self) -> f64 {
        Real::sqrt(self.area.dot(self.area)) * self.reach / 3.0
    }
}

/// The edges of all holes, those of each hole consecutively. `parent` has an item for each vertex.
pub(super) fn rims<'r>(mesh: MeshRef<'_>, records: &'r mut [Record], parent: &mut [u32]) -> &'r [Record] {
    let sides = sorted_sides(mesh, records);
    let mut sets = Sets::new(parent);
    // Written to the part that has been read: each edge becomes at most one item.
    let (mut read, mut written) = (0, 0);
    while let Some(first) = sides.get(read).copied() {
        let group = sides.get(read..).unwrap_or_default().iter().take_while(|record| record[0] == first[0]);
        let first = Side::unpack(first);
        let (count, surplus) = group.fold((0, 0i64), |(count, surplus), record| {
            let same = Side::unpack(*record).backward == first.backward;
            (count + 1, surplus + if same { 1 } else { -1 })
        });
        read += count;
        if surplus != 0
            && let Some(to) = sides.get_mut(written)
        {
            let rim = Rim { triangle: first.triangle, side: first.side, surplus };
            sets.join(rim.welded(mesh));
            *to = rim.pack(0);
            written += 1;
        }
    }
    let rims = sides.get_mut(..written).unwrap_or_default();
    for record in rims.iter_mut() {
        let rim = Rim::unpack(*record);
        *record = rim.pack(sets.root(rim.welded(mesh)[0]));
    }
    sort(rims);
    rims
}

/// The edges of each hole.
pub(super) fn holes(rims: &[Record]) -> impl Iterator<Item = &[Record]> {
    rims.chunk_by(|a, b| a[0] >> 32 == b[0] >> 32)
}

/// The hole, with a call of `visit` for each triangle of the fan and its weight.
pub(super) fn close(mesh: MeshRef<'_>, frame: Frame, rims: &[Record], mut visit: impl FnMut(f64, [DVec3; 3])) -> Hole {
    let edges =
        || rims.iter().map(|record| Rim::unpack(*record)).map(|rim| (rim.surplus as f64, rim.ends(mesh, frame)));
    let (mut centre, mut length) = (DVec3::ZERO, 0.0);
    for (surplus, [p, q]) in edges() {
        let weight = surplus.abs() * Real::sqrt((q - p).dot(q - p));
        centre += (p + q) * weight;
        length += 2.0 * weight;
    }
    let first = edges().next().map_or(DVec3::ZERO, |(_, [p, _])| p);
    let apex = if length > 0.0 { centre / length } else { first };
    let (mut reach, mut area) = (0.0, DVec3::ZERO);
    for (surplus, [p, q]) in edges() {
        visit(surplus, [apex, q, p]);
        area += (q - apex).cross(p - apex) * (surplus * 0.5);
        reach = max(reach, max((p - apex).dot(p - apex), (q - apex).dot(q - apex)));
    }
    Hole { apex, reach: Real::sqrt(reach), area }
}
