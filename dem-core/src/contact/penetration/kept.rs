//! The ways of vertices of many triangles: each is found once, and not for every triangle of the vertex anew.

use glam::DVec3;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::away::Away;
use super::fan::walk;
use crate::mesh::MeshRef;

/// The way of a vertex of fewer triangles is found each time.
pub(super) const MANY: usize = 16;

/// The triangles around a vertex.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Fan {
    /// Where its corners begin.
    first: u32,
    spare: u32,
    away: [f64; 3],
}

/// What is known of one mesh. Its memory may hold anything at the beginning.
pub(super) struct Kept<'s> {
    /// For each corner of each triangle its place among `corners`: true where that place holds this corner.
    pub place: &'s mut [[u32; 3]],
    /// Corners, numbered through, fan by fan.
    pub corners: &'s mut [u32],
    pub fans: &'s mut [Fan],
    pub known: usize,
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
        let place = *self.place.get(triangle as usize)?.get(corner)?;
        let known = self.corners.get(..self.known)?;
        if *known.get(place as usize)? != 3 * triangle + corner as u32 {
            return None;
        }
        let behind = self.fans.get(..self.count)?.partition_point(|fan| fan.first <= place);
        Some(DVec3::from_array(self.fans.get(behind.checked_sub(1)?)?.away))
    }

    /// Takes note of all corners at a vertex. No corner belongs to two of them, so there is room for all, or for none at all.
    fn keep(&mut self, mesh: &MeshRef<'_>, triangle: u32, corner: usize, way: DVec3) {
        let Some(fan) = self.fans.get_mut(self.count) else { return };
        *fan = Fan { first: self.known as u32, spare: 0, away: way.to_array() };
        self.count += 1;
        walk(mesh, triangle, corner, |t, c, _| {
            let place = self.place.get_mut(t as usize).and_then(|place| place.get_mut(c));
            let (Some(place), Some(to)) = (place, self.corners.get_mut(self.known)) else { return false };
            (*place, *to) = (self.known as u32, 3 * t + c as u32);
            self.known += 1;
            true
        });
    }
}
