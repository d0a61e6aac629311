//! Penetration: loops of the curve in which two surfaces cross, and the parts that they enclose (`docs/contacts.md`, section 10).
//!
//! | file | what is in it |
//! | --- | --- |
//! | `perturbed_mesh` | the frame, the order of the bodies, and vertices moved slightly inwards |
//! | `intersection_curve` | the curve of intersection: what the other files fill and read |
//! | `sign`, `crossing_segment` | exact signs without ties; the segment of two triangles |
//! | `segment_ends` | which segments meet, and which part of an edge is inside |
//! | `holes` | loops within one triangle: rims, and holes in what is inside |
//! | `hole_caps` | whether a body pokes through a hole of the other one, where no curve tells of it |
//! | `flood` | the vertices inside |
//! | `curve_patches` | the patches along the curve around an enclosed part |
//! | `surround` | all steps from crossing triangles to sums |
//! | `enclosed_parts` | which loops belong together, and their results |
//! | `loops` | the sums, and the input of a force law |
//! | `bent` | the depth of a part that is bent around a concave edge |
//! | `sides` | what of such a part is behind the floor, and what behind the wall |
//! | `depth` | the depth of a part: its width across the patch that faces the other body |
//! | `least_translation` | the smallest translation, if no loop closes |
//! | `depth_limits` | upper bounds for all of this |
//! | `winding` | whether a body surrounds a point |
//! | `self_overlap` | parts of one body that may lie in each other |
//! | `whole_parts` | parts of a body that are in the other one as a whole |
//! | `room` | bodies that look inward |
//! | `corner_inside` | whether a corner is inside of the other body, exactly |
//! | `contained` | a body inside of a solid |

mod bent;
mod contained;
mod corner_inside;
mod crossing_segment;
mod curve_patches;
mod depth;
mod depth_limits;
mod enclosed_parts;
mod flood;
mod hole_caps;
mod holes;
mod intersection_curve;
mod least_translation;
mod loops;
mod perturbed_mesh;
mod room;
mod segment_ends;
mod self_overlap;
mod sides;
mod sign;
mod surround;
mod whole_parts;
mod winding;

pub(super) use contained::{contained, contained_scratch};
pub(super) use curve_patches::{Tie, Ties};
pub(super) use perturbed_mesh::{FLOOR, comes_first, floor, reach, reach_at};
pub(super) use room::is_beyond_wall;
pub(super) use surround::{penetration, penetration_scratch};

use super::status;
use crate::real::min;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A part of one body in the other one, in world axes and units about the midpoint of both positions.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Enclosed {
    /// Patch of A, patch of B.
    pub patches: u64,
    /// Bits of [`super::status`].
    pub status: u32,
    /// Its place among parts with the same patches.
    pub order: u32,
    /// From B to A.
    pub normal: [f64; 3],
    pub area: f64,
    /// Mean depth.
    pub depth: f64,
    /// Largest depth.
    pub most: f64,
    pub halo: f64,
    pub centre: [f64; 3],
    /// The torque on A of the force `area (1 + depth / halo) normal`, or `area normal` if there is no halo.
    pub torque: [f64; 3],
    /// Over the stiffness: 0 where nobody asks for it.
    pub energy: f64,
    /// Area of the curve alone, which no inside or outside decides; the shadow of a body that is inside as a whole.
    pub bare: f64,
}

impl Enclosed {
    /// Area times pressure: the weight of the centre.
    pub fn force(&self) -> f64 {
        if self.halo > 0.0 { self.area * (1.0 + self.depth / self.halo) } else { self.area }
    }

    /// The area in which pressure is measured, and this pressure, for mean gaps and positions: those of the surfaces below, whatever part of the force grows with the depth.
    pub fn measured(&self) -> [f64; 2] {
        let area = if self.status & (status::DOUBTFUL | status::CONTAINED) == 0 { self.bare } else { self.area };
        [area, if self.halo > 0.0 { area * (1.0 + self.depth / self.halo) } else { area }]
    }

    /// The same in doubt.
    fn doubted(self) -> Self {
        let mut part = Enclosed { status: self.status | status::UNSURE, ..self };
        part.restrain();
        part
    }

    /// If its depth may be wrong, makes the area so small that the force is that of a depth of one halo at most. Without halos there is no
    /// such length.
    pub fn restrain(&mut self) {
        if self.status & status::DOUBTFUL == 0 || self.halo <= 0.0 {
            return;
        }
        let most = self.bare * (1.0 + min(self.depth / self.halo, 1.0));
        if most < self.force() {
            let part = most / self.force();
            self.area *= part;
            self.torque = self.torque.map(|x| x * part);
        }
        // That of a face as large as this, from where halos meet to there.
        self.energy = min(self.energy, most * (0.5 * (self.halo + min(self.depth, self.halo))));
    }
}
