//! Contacts that forces can act on: cells of a mesh, the measure of a face in a cell, and its reduction to a short list of contacts.
//!
//! `docs/contacts.md` gives the reasons, proofs and limits. It explains why local minima of the distance are not used as contacts, and which
//! measure is continuous instead.
//!
//! For two meshes, build the [`Cells`] of each mesh once, beside its tree; then call [`contacts`] in every step. For bodies of all kinds, see
//! [`shape`]: [`shape_contacts`](shape::shape_contacts) also takes meshes. [`history`] matches contacts from one step to the next. If memory is
//! too small, the error is [`Kind::Capacity`](crate::error::Kind::Capacity) with the size needed: provide that size, and call again.
//! (`dem_std::ContactFinder` does so, in memory that grows. `dem_std::OwnedCells` owns the memory of cells.)
//!
//! The force on A is `k (1 - gap / halo) area normal`, at `position`; see [`Contact`].
//!
//! | file | what is in it |
//! | --- | --- |
//! | `record` | the record of a contact, and the bits of its status |
//! | `cells` | the cells of a mesh: built once, and refitted when vertices move |
//! | `measure` | the measure: integrals over faces of one mesh in the cells of the other, and their sums to contacts |
//! | `node` | nodes: the patch pairs of a contact |
//! | `penetration` | surfaces that cross: loops, and the parts that they enclose |
//! | [`regions`] | one contact for each place where bodies touch, joined from nodes |
//! | `points` | contact points of triangle pairs as in P0 (Noble and Weinzierl): one for each pair, or merged |
//! | `history` | matching with the contacts of the last step; events; springs that are carried to the contacts of the next step |
//! | `corners` | corners of contacts, each with its gap, for solvers that work with impulses |
//! | `clamp` | normals turned into the cone of their patch, for engines whose meshes are badly welded |
//! | `velocity` | velocities of surfaces at contacts, and loads on vertices |
//! | `load_weights` | how the vertices below a contact bear its force |
//! | `spread` | second moments of the pressure in a contact |
//! | `lean` | how normals turn across an area: a fit, and what a node keeps of it |
//! | [`shape`] | spheres, half-spaces, compounds, scales |

mod cells;
mod clamp;
mod corners;
pub mod history;
mod lean;
mod load_weights;
mod measure;
mod node;
mod penetration;
mod points;
mod record;
pub mod regions;
pub mod shape;
mod spread;
mod velocity;

pub use cells::build::{CellOptions, build_scratch, cell_sizes};
pub use cells::refit::{refit_cells, refit_cells_scratch};
pub use cells::{CONE, Cell, CellSizes, Cells, CellsRef, Law, PRISM, SECTOR};
pub use clamp::{Clamped, PatchCone, clamp_normals, patch_cones};
pub use corners::{Corner, CornerLimits, FACE, Regions, corners, corners_scratch};
pub(crate) use load_weights::Bearing;
pub use measure::face::{Face, Moments};
pub use measure::mesh_contacts::{contacts, contacts_scratch};
pub use measure::query::{ContactCounts, Room, Side};
pub use measure::single::measure;
pub use node::Node;
pub use points::{pair_contacts, pair_contacts_scratch};
pub use record::{Contact, POINT, SURFACE, least_gap, status};
pub(crate) use spread::{Plane, of_ball, times};
pub(crate) use velocity::relative_motions;
pub use velocity::{SurfaceMotion, Vertices, positions, relative_velocities, velocities_scratch, vertex_loads};
pub(crate) use velocity::{add_loads, closest};

use crate::real::Real;
use glam::DVec3;

/// Numbers of magnitude about 1 that differ by less count as equal.
const ROUNDING: f64 = 1e-9;

/// Whether `x` is larger than `y` in the first number in which they differ by more than [`ROUNDING`], for numbers of magnitude about 1. Choices
/// made this way do not depend on the order of triangles.
fn outranks<const N: usize>(x: &[f64; N], y: &[f64; N]) -> bool {
    x.iter().zip(y).find(|(x, y)| (**x - **y).abs() > ROUNDING).is_some_and(|(x, y)| x > y)
}

/// The unit vector along `v`, and the length of `v`; `None` where `v` is zero or not finite.
fn unit(v: DVec3) -> Option<(DVec3, f64)> {
    let largest = v.to_array().into_iter().fold(0.0, |m, x| crate::real::max(m, x.abs()));
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return None;
    }
    // Scaled by a power of two, so that the squares neither overflow nor vanish.
    let scale = largest.inverse_exponent();
    let scaled = v * scale;
    let length = Real::sqrt(scaled.dot(scaled));
    // A NaN component passes the comparisons above; the length is then NaN.
    (length > 0.0).then(|| (scaled / length, length / scale))
}

/// A unit vector at right angles to both vectors; any vector across the first one where they are parallel. Where they are almost parallel, the
/// cross product may consist of rounding errors, so its component along the first vector is removed.
fn across_both(v: DVec3, other: DVec3) -> DVec3 {
    let upright = |(across, _): (DVec3, f64)| unit(across - v * v.dot(across));
    unit(v.cross(other)).and_then(upright).map_or_else(|| any_across(v), |(across, _)| across)
}

/// A unit vector at a right angle to this one.
fn any_across(v: DVec3) -> DVec3 {
    let [x, y, z] = v.abs().to_array();
    let axis = if x <= y && x <= z {
        DVec3::X
    } else if y <= z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    unit(v.cross(axis)).map_or(DVec3::X, |(across, _)| across)
}
