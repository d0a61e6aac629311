//! Penetration: loops of the curve in which two surfaces cross, and what they enclose (`docs/contacts.md`, section 10).
//!
//! | file | what is in it |
//! | --- | --- |
//! | `body` | the frame, the order of the bodies, and vertices a rounding's worth inside |
//! | `sign`, `cross` | exact signs without ties; the segment of two triangles |
//! | `knots` | which segments meet, and what of an edge is inside |
//! | `flood` | the vertices inside |
//! | `tie` | which patches the curve around an enclosed part passes |
//! | `surround` | all steps from crossing triangles to sums |
//! | `parts` | which loops belong together, and what is told of them |
//! | `loops` | the sums, and what a force law needs of them |
//! | `depth` | how deep a part is: its width across the patch that faces the other body |
//! | `least` | the smallest translation, where no loop closes |
//! | `bounds` | what none of this can exceed, and winding numbers |
//! | `overlap` | parts of one body that may lie in each other |
//! | `contained` | a body inside of a solid |

mod body;
mod bounds;
mod contained;
mod cross;
mod depth;
mod flood;
mod knots;
mod least;
mod loops;
mod overlap;
mod parts;
mod sign;
mod surround;
mod tie;

pub(super) use body::{FLOOR, REACH, comes_first};
pub(super) use contained::{contained, contained_scratch};
pub(super) use surround::{penetration, penetration_scratch};
pub(super) use tie::{Tie, Ties};

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A part of one body in the other one, in world axes and units about the midpoint of both positions.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(super) struct Enclosed {
    /// Patch of A, patch of B.
    pub patches: u64,
    /// Bits of [`super::status`].
    pub status: u32,
    /// Of parts with the same patches.
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
    /// On A, of `area (1 + depth / halo) normal`, or of `area normal` where there is no halo.
    pub torque: [f64; 3],
    /// Over the stiffness: 0 where nobody asks for it.
    pub energy: f64,
}

impl Enclosed {
    /// Area times pressure: what the centre is weighted with.
    pub fn force(&self) -> f64 {
        if self.halo > 0.0 { self.area * (1.0 + self.depth / self.halo) } else { self.area }
    }
}
