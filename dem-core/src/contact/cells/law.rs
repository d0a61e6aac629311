//! Which law of contact suits a mesh.

use glam::DVec3;

use super::cell::{Law, counts};
use super::ground::Ground;
use crate::mesh::NONE;
use crate::real::Real;

/// A closed body gets the law of volumes if its mean thickness is at least this number of its halos: twice the sum of the halos of two such
/// bodies. A plate of half that thickness still gets three quarters of the force.
const THICK: f64 = 4.0;
/// An open surface gets it if the sum of its area vectors has at least this part of its area. A hemisphere has exactly this part.
pub(in crate::contact) const ONE_WAY: f64 = 0.5;

impl Ground<'_, '_> {
    /// What [`Law::Auto`] means for this mesh.
    ///
    /// 1. Each triangle has an area and counts once, and each edge has two triangles that agree on the outside, or only one.
    ///    Otherwise the law is [`Law::Facing`], since inside and outside are not well defined.
    /// 2. Closed surfaces: no two parts may overlap, and the mean thickness is at least [`THICK`] halos. The mean counts, because the rest
    ///    supports a body that is thin in a part only. For a room it is the mean thickness of the space in it, and all parts have to look inward:
    ///    anything beside a room is beyond its wall.
    /// 3. Open surfaces: they look about one way ([`ONE_WAY`]), as terrain does, so that no body reaches their backs.
    ///
    /// The halos of other bodies are not known here.
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
                // Edges of three triangles, and edges whose two triangles disagree.
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
