//! Which law of contact suits a mesh.

use glam::DVec3;

use super::cell::{Law, counts};
use super::ground::Ground;
use crate::mesh::NONE;
use crate::real::Real;

/// A closed body has the law of volumes if its mean thickness is at least so many of its halos: two of the sums of halos of two such bodies. A plate of
/// half the thickness is still held by three quarters of the force.
const THICK: f64 = 4.0;
/// An open surface has it if the sum of its area vectors is at least such a part of its area. Half a sphere has exactly that.
const ONE_WAY: f64 = 0.5;

impl Ground<'_, '_> {
    /// What [`Law::Auto`] is for this mesh.
    ///
    /// 1. Each triangle has an area and counts once, and each edge has two triangles that agree on what is outside, or only one.
    ///    Otherwise it is [`Law::Facing`], since inside and outside say too little.
    /// 2. Closed surfaces: no two parts may lie in each other, and the mean thickness is [`THICK`] halos. It is the mean that counts, since a body that
    ///    is thin in a part only is held by the rest. Of a room it is that of the space in it, and all parts have to look inward: what is beside a room is
    ///    beyond its wall.
    /// 3. Open surfaces: they look about one way ([`ONE_WAY`]), as terrain does, so that nothing comes to their backs.
    ///
    /// Halos of other bodies are not known here.
    pub(super) fn suited(&self) -> Law {
        let (mesh, middle) = (&self.mesh, DVec3::from_array(self.mesh.centre()));
        let (mut area, mut ways, mut volume, mut open) = (0.0, DVec3::ZERO, 0.0, false);
        // In units of the mesh's radius, so that nothing overflows.
        let scale = mesh.radius().inverse_exponent();
        for i in 0..mesh.len() {
            let [a, b, c] = mesh.triangle(i).map(|v| (DVec3::from_array(v) - middle) * scale);
            let across = (b - a).cross(c - a) * 0.5;
            (area, ways, volume) = (area + across.dot(self.normal(i)), ways + across, volume + a.dot(across) / 3.0);
            if !counts(self.part.get(i)) || self.normal(i) == DVec3::ZERO {
                return Law::Facing;
            }
            for k in 0..3 {
                let alone = mesh.neighbour.get(i).and_then(|all| all.get(k)) == Some(&NONE);
                open |= alone;
                // Edges of three triangles, and those of two that do not agree.
                if !alone && self.across(i, k).is_none() {
                    return Law::Facing;
                }
            }
        }
        let room = volume < 0.0 && !self.outward;
        let thick = 2.0 * volume.abs() >= THICK * mesh.largest_halo() * scale * area;
        let suited = match open {
            false => !self.overlap && thick && (volume > 0.0 || room),
            true => ways.length_squared() >= ONE_WAY * ONE_WAY * area * area,
        };
        if suited { Law::Volume } else { Law::Facing }
    }
}
