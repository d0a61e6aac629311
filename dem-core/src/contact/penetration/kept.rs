//! The ways of vertices: each is found once, and not for every triangle of the vertex anew.

use glam::DVec3;

use super::away::Away;
use super::fan::walk;
use crate::mesh::MeshRef;

/// The way of a vertex of fewer triangles is found each time, in a mesh of so many triangles. Most vertices have six; where a mesh is
/// large, room for all of these would be large, too.
pub(super) const fn fewest(triangles: u64) -> u64 {
    if triangles <= 4096 { 4 } else { 16 }
}

/// The ways of vertices of one mesh. Its memory may hold anything at the beginning.
pub(super) struct Kept<'s> {
    /// A bit for each corner of each triangle whose way is known; written when the first one is.
    pub known: &'s mut [u16],
    /// For each of these corners its way among `ways`.
    pub place: &'s mut [[u32; 3]],
    pub ways: &'s mut [[f64; 3]],
    /// How many ways there are.
    pub count: usize,
}

impl Kept<'_> {
    /// Where the vertex at a corner of a triangle goes; `find` tells, and is asked once for all corners of a vertex that is kept.
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
        if triangles as u64 >= fewest(u64::from(mesh.sizes.triangles)) {
            self.keep(mesh, triangle, corner, way);
        }
        way
    }

    fn look_up(&self, triangle: u32, corner: usize) -> Option<DVec3> {
        if self.count == 0 || self.known.get(triangle as usize)? & 1 << corner == 0 {
            return None;
        }
        let place = *self.place.get(triangle as usize)?.get(corner)?;
        self.ways.get(place as usize).map(|way| DVec3::from_array(*way))
    }

    /// Takes note of all corners at a vertex. No corner belongs to two of them, so there is room for all, or for none at all.
    fn keep(&mut self, mesh: &MeshRef<'_>, triangle: u32, corner: usize, way: DVec3) {
        let Some(to) = self.ways.get_mut(self.count) else { return };
        *to = way.to_array();
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
