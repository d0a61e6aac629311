//! The ways of vertices: each is found once, and not for every triangle of the vertex anew.

use glam::DVec3;

use super::away::Away;
use super::fan::walk;
use crate::mesh::MeshRef;

/// The way of a vertex of fewer triangles is found each time.
pub(super) const MANY: usize = 6;

/// A way: the upper and the lower half of the bits of each coordinate. It takes as many numbers as its vertex has corners, so that there is room
/// for all.
type Way = [u32; MANY];

/// The ways of the vertices of [`MANY`] triangles or more of one mesh. Its memory may hold anything at the beginning.
pub(super) struct Kept<'s> {
    /// A bit for each corner of each triangle whose way is known; written when the first one is.
    pub known: &'s mut [u16],
    /// For each of these corners its way among `ways`.
    pub place: &'s mut [[u32; 3]],
    pub ways: &'s mut [Way],
    /// How many ways there are.
    pub count: usize,
}

impl Kept<'_> {
    /// Where the vertex at a corner of a triangle goes; `find` tells, and is asked once for all corners of a vertex of many triangles.
    pub fn away(
        &mut self,
        mesh: &MeshRef<'_>,
        triangle: u32,
        corner: usize,
        find: impl FnOnce(u32, usize) -> Away,
    ) -> DVec3 {
        if let Some(away) = self.look_up(triangle, corner) {
            return away;
        }
        let Away { way, triangles } = find(triangle, corner);
        if triangles >= MANY {
            self.keep(mesh, triangle, corner, way);
        }
        way
    }

    fn look_up(&self, triangle: u32, corner: usize) -> Option<DVec3> {
        if self.count == 0 || self.known.get(triangle as usize)? & 1 << corner == 0 {
            return None;
        }
        let place = *self.place.get(triangle as usize)?.get(corner)?;
        let [a, b, c, d, e, f] = *self.ways.get(place as usize)?;
        let number = |high, low| f64::from_bits(u64::from(high) << 32 | u64::from(low));
        Some(DVec3::new(number(a, b), number(c, d), number(e, f)))
    }

    /// Takes note of all corners at a vertex. No corner belongs to two of them, so there is room for all, or for none at all.
    fn keep(&mut self, mesh: &MeshRef<'_>, triangle: u32, corner: usize, way: DVec3) {
        let Some(to) = self.ways.get_mut(self.count) else { return };
        let [x, y, z] = way.to_array().map(f64::to_bits).map(|bits| [(bits >> 32) as u32, bits as u32]);
        *to = [x[0], x[1], y[0], y[1], z[0], z[1]];
        if self.count == 0 {
            self.known.fill(0);
        }
        let number = self.count as u32;
        self.count += 1;
        walk(mesh, triangle, corner, |t, c, _| {
            let place = self.place.get_mut(t as usize).and_then(|place| place.get_mut(c));
            let (Some(place), Some(known)) = (place, self.known.get_mut(t as usize)) else { return false };
            *place = number;
            *known |= 1 << c;
            true
        });
    }
}
