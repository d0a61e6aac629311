//! Corners and normals of the triangles along the curve. Several sums need them for each segment, so they are computed once.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::crossing_segment::Segment;
use super::perturbed_mesh::Body;
use crate::real::min;

/// A triangle at its pose.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Placed {
    /// The triangle's number plus 1; 0 if there is none.
    number: u64,
    normal: [f64; 3],
    corners: [[f64; 3]; 3],
}

/// The triangles of the segments: for each body a table in which a triangle has one place. A triangle whose place another one has taken is
/// computed again.
pub(super) struct PlacedFaces<'s> {
    of: [&'s [Placed]; 2],
}

/// The place of a triangle in a table, whose length is a power of two or zero.
fn place(triangle: u32, table: &[Placed]) -> usize {
    triangle as usize & table.len().wrapping_sub(1)
}

impl<'s> PlacedFaces<'s> {
    /// Computes the triangles of all segments, in this memory.
    pub fn new(bodies: &[Body<'_>; 2], segments: &[Segment], memory: &'s mut [u8]) -> Self {
        let room = memory.len() / (2 * size_of::<Placed>());
        // Each segment has a triangle of each body. Larger tables would only take longer to clear.
        let most = (4 * segments.len()).next_power_of_two();
        let length = room.checked_ilog2().map_or(0, |bits| min(1 << bits, most));
        let used = memory.get_mut(..2 * length * size_of::<Placed>()).unwrap_or_default();
        let all = <[Placed]>::mut_from_bytes(used).unwrap_or_default();
        let (first, second) = all.split_at_mut(all.len() / 2);
        for (side, table) in [&mut *first, &mut *second].into_iter().enumerate() {
            table.iter_mut().for_each(|placed| placed.number = 0);
            for segment in segments {
                let triangle = if side == 0 { segment.x } else { segment.y };
                let (at, number) = (place(triangle, table), 1 + u64::from(triangle));
                if let Some(to) = table.get_mut(at).filter(|placed| placed.number != number) {
                    let body = &bodies[side];
                    let corners = body.corners(triangle).map(|corner| corner.to_array());
                    *to = Placed { number, normal: body.normal(triangle).to_array(), corners };
                }
            }
        }
        PlacedFaces { of: [first, second] }
    }

    fn get(&self, side: usize, triangle: u32) -> Option<&Placed> {
        let table = self.of[side & 1];
        table.get(place(triangle, table)).filter(|placed| placed.number == 1 + u64::from(triangle))
    }

    /// [`Body::corners`] of a triangle of the first body or of the second one.
    pub fn corners(&self, bodies: &[Body<'_>; 2], side: usize, triangle: u32) -> [DVec3; 3] {
        match self.get(side, triangle) {
            Some(placed) => placed.corners.map(DVec3::from_array),
            None => bodies[side & 1].corners(triangle),
        }
    }

    /// [`Body::normal`] of such a triangle.
    pub fn normal(&self, bodies: &[Body<'_>; 2], side: usize, triangle: u32) -> DVec3 {
        match self.get(side, triangle) {
            Some(placed) => DVec3::from_array(placed.normal),
            None => bodies[side & 1].normal(triangle),
        }
    }
}
