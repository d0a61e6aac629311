//! Penetration: loops of the intersection curve of two surfaces, and the parts that they enclose (`docs/contacts.md`, section 10).
//!
//! | file | what is in it |
//! | --- | --- |
//! | `perturbed_mesh` | the frame, the order of the bodies, and vertices moved slightly inward |
//! | `intersection_curve` | the data of the intersection curve, which the other files fill and read |
//! | `placed_faces` | corners and normals of the triangles along the curve |
//! | `sign`, `crossing_segment` | exact signs without ties; the segment of two triangles |
//! | `segment_ends` | which segments meet, and which part of an edge is inside |
//! | `holes` | loops within one triangle: rims, and holes in the enclosed surface |
//! | `hole_caps` | whether a body passes through a hole of the other one, where no curve shows it |
//! | `flood` | the vertices inside the other body |
//! | `curve_patches` | the patches along the curve around an enclosed part |
//! | `surround` | all steps from crossing triangles to sums |
//! | `enclosed_parts` | which loops belong to one part, and the results of parts |
//! | `loops` | sums over loops, and the input of a force law |
//! | `bent` | the depth of a part that is bent around a concave edge |
//! | `sides` | how a part is divided among floor and wall, the flanks of a groove, or the walls of a hole |
//! | `face_sums` | sums over the faces of one body inside an enclosed part |
//! | `seat` | the second moments of a part's area, and how the surfaces inside it turn in a round seat |
//! | `opposed` | the distances of corners inside a part from the faces opposed to them |
//! | `shell` | the depth of a part between two surfaces that fit into each other: a ball in its socket |
//! | `depth` | the depth of a part: its width across the patch that faces the other body |
//! | `least_translation` | the smallest separating translation, if no loop closes |
//! | `depth_limits` | upper bounds of areas, depths and volumes |
//! | `winding` | whether a body surrounds a point |
//! | `self_overlap` | parts of one body that may overlap each other |
//! | `whole_parts` | parts of a body that are completely inside the other one |
//! | `parts_near` | parts of a body that may be inside the other one |
//! | `room` | bodies that look inward |
//! | `sheet` | bodies that may have come to a sheet from behind |
//! | `corner_inside` | an exact test whether a corner is inside the other body |
//! | `contained` | a body completely inside a solid |

mod bent;
mod contained;
mod corner_inside;
mod crossing_segment;
mod curve_patches;
mod depth;
mod depth_limits;
mod enclosed_parts;
mod face_sums;
mod flood;
mod hole_caps;
mod holes;
mod intersection_curve;
mod least_translation;
mod loops;
mod opposed;
mod parts_near;
mod perturbed_mesh;
mod placed_faces;
mod room;
mod seat;
mod segment_ends;
mod self_overlap;
mod sheet;
mod shell;
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

use super::lean::Symmetric;
use super::spread::{Plane, Tensor, add_product, of_disc};
use super::status;
use crate::real::min;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A part of one body inside the other one, in world axes and units about the midpoint of both positions.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Enclosed {
    /// Patch of A, patch of B.
    pub patches: u64,
    /// Bits of [`super::status`].
    pub status: u32,
    /// Its index among parts with the same patches.
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
    /// Energy over the stiffness; 0 unless energies are requested.
    pub energy: f64,
    /// Area of the curve alone, which does not depend on what is inside; for a body completely inside, the area of its shadow.
    pub bare: f64,
    /// Second moments of the area about `centre` over the area, across the normal, in the plane of [`Plane::across`]; 0 if they are those of a
    /// disc.
    pub spread: Symmetric,
    /// Variance of the height along the normal.
    pub variance: f64,
    /// Mean of r_t n_t^T ([`NodeLean`](super::lean::NodeLean)): a length. In the same plane.
    pub turns: Symmetric,
    /// Sum of the magnitudes of forces over the magnitude of their vector sum, less 1.
    pub lost: f64,
}

impl Enclosed {
    /// Area times pressure: the weight of the centre.
    pub fn force(&self) -> f64 {
        if self.halo > 0.0 { self.area * (1.0 + self.depth / self.halo) } else { self.area }
    }

    /// Area and pressure for mean gaps and positions. They are those of the surfaces below, without the part of the force that grows with the
    /// depth.
    pub fn measured(&self) -> [f64; 2] {
        let area = if self.status & (status::DOUBTFUL | status::CONTAINED) == 0 { self.bare } else { self.area };
        [area, if self.halo > 0.0 { area * (1.0 + self.depth / self.halo) } else { area }]
    }

    /// Second moments about `centre` over the area.
    pub fn second(&self) -> Tensor {
        if self.spread == [0.0; 3] {
            return of_disc(self.normal, self.measured()[0]);
        }
        let mut second = Plane::across(self.normal).tensor(self.spread);
        add_product(&mut second, self.variance, self.normal, self.normal);
        second
    }

    /// The same part, marked as doubtful.
    fn doubted(self) -> Self {
        let mut part = Enclosed { status: self.status | status::UNSURE, ..self };
        part.restrain();
        part
    }

    /// If the depth may be wrong, reduces the area until the force is at most that of a depth of one halo. Without halos no such length exists,
    /// and nothing changes.
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
        // The energy of a face with that force, from the first contact of halos to this depth.
        self.energy = min(self.energy, most * (0.5 * (self.halo + min(self.depth, self.halo))));
    }
}
