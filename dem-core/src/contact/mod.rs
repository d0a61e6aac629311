//! Contacts that forces can act on: cells of a mesh, the measure of a face in a cell, and its reduction to a short list.
//!
//! `docs/contacts.md` has the argument: why local minima of the distance are not contacts, what is continuous instead, proofs
//! and limits.
//!
//! Two meshes: [`Cells`] of each beside its tree, once; then in every step [`contacts`]. Bodies of all sorts: [`shape`], whose
//! [`shape_contacts`](shape::shape_contacts) takes meshes, too. From one step to the next: [`history`]. What is too small is
//! [`Kind::Capacity`](crate::error::Kind::Capacity) and says what would do: give that much, and call again. (`dem_std::ContactFinder`
//! does, in memory that grows; `dem_std::OwnedCells` is cells with their memory.)
//!
//! The force on A is `k (1 - gap / halo) area normal`, at `position`; see [`Contact`].
//!
//! | file | what is in it |
//! | --- | --- |
//! | `cells` | the sections of a mesh's cells, and what can be read from them |
//! | `build` | from a mesh to its cells: counted first, then written |
//! | `refit` | the same after vertices have moved, under the old names |
//! | `faces` | which triangles are faces, their normals, the triangles of each vertex |
//! | `patch` | which triangles lie in one plane |
//! | `overlap` | whether parts of a mesh may lie in each other |
//! | `wedge`, `fan` | the sectors of a convex edge; the cones of a convex vertex |
//! | `half_planes` | a convex polygon cut by many half-planes: where many edges meet |
//! | `measure` | one face in one cell: what has to be cut off, and its integrals |
//! | `clip` | many triangles clipped and integrated at once |
//! | `turned` | the faces of one mesh in the frame of the other's cells |
//! | `terms` | all faces of one mesh in the cells of the other |
//! | `arrivals`, `term` | queues of what is to be clipped, in order; what it adds up to |
//! | `halves` | either body's faces in the cells of the other one, on all lanes |
//! | `gather` | contacts of two meshes, from near triangle pairs on |
//! | `penetration` | where surfaces go through each other: loops, and what they enclose |
//! | `places` | terms in the order of patches |
//! | `reduce`, `totals` | terms to contacts: which belong together; what they come to |
//! | `points` | contact points of triangle pairs, one for each or merged, as P0 has them |
//! | `history` | what a contact was one step ago; events; springs that follow |
//! | `corners` | corners of contacts, each with its gap, for solvers that work with impulses |
//! | `clamp` | normals turned into the cone of their patch, for engines on what is badly welded |
//! | `velocity` | how fast surfaces move where they are in contact, and what their vertices bear there |
//! | [`shape`] | spheres, half-spaces, compounds, scales |

mod arrivals;
mod build;
mod cells;
mod clamp;
mod clip;
mod corners;
mod faces;
mod fan;
mod gather;
mod half_planes;
mod halves;
pub mod history;
mod measure;
mod overlap;
mod patch;
mod penetration;
mod places;
mod points;
mod reduce;
mod refit;
pub mod shape;
mod term;
mod terms;
mod totals;
mod turned;
mod velocity;
mod wedge;

pub use build::{CellOptions, build_scratch, cell_sizes};
pub use cells::{CONE, Cell, CellSizes, Cells, CellsRef, PRISM, SECTOR};
pub use clamp::{Clamped, PatchCone, clamp_normals, patch_cones};
pub use corners::{Corner, CornerLimits, corners, corners_scratch};
pub use gather::{Found, Room, Side, contacts, contacts_scratch};
pub use measure::{Face, Moments, measure};
pub use points::{pair_contacts, pair_contacts_scratch};
pub use reduce::{Contact, POINT, SURFACE, least_gap, status};
pub use refit::{refit_cells, refit_cells_scratch};
pub(crate) use velocity::add_loads;
pub use velocity::{Motion, Vertices, positions, relative_velocities, velocities_scratch, vertex_loads};

use crate::real::Real;
use glam::DVec3;

/// Whether `x` is larger than `y` in the first number in which they differ by more than rounding, which is of numbers that
/// are about 1: for choices that do not depend on the order in which triangles come.
fn outranks<const N: usize>(x: &[f64; N], y: &[f64; N]) -> bool {
    x.iter().zip(y).find(|(x, y)| (**x - **y).abs() > 1e-9).is_some_and(|(x, y)| x > y)
}

/// A vector of length 1 and how long it was; `None` where it is zero or not finite.
fn unit(v: DVec3) -> Option<(DVec3, f64)> {
    let largest = v.to_array().into_iter().fold(0.0, |m, x| crate::real::max(m, x.abs()));
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return None;
    }
    // Scaled by a power of two, so that the squares neither overflow nor vanish.
    let scale = largest.inverse_exponent();
    let scaled = v * scale;
    let length = Real::sqrt(scaled.dot(scaled));
    // What is not a number has passed the comparisons above.
    (length > 0.0).then(|| (scaled / length, length / scale))
}
