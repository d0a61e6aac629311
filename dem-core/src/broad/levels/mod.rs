//! Cell sizes for a hierarchical grid: cost model, simple rules, and the optimum (P1 sections 3 to 5).
//!
//! A hierarchical grid has levels h of cubic cells with edges s_1 < s_2 < ... ; a body lies on the first level with 2 r
//! <= s_h. The numbers of tested pairs and visited cells follow from the distribution of radii and the density of
//! bodies ([`Model`], P1 (6) to (27)). As in P1, all numbers are *for one body*, and the unit of time is the test of
//! one pair.
//!
//! The best sizes depend on the cost of an access, P1's K. `dem paper 001 k` measures K for the grid of this library,
//! and [`Cost::fit`] computes it from times of any other search.
//!
//! ```
//! use dem_core::broad::Dimensions;
//! use dem_core::broad::levels::{Direction, Model, PowerLaw, Radii, constant_ratio, expected, optimal, optimal_scratch};
//!
//! // P1 section 5.3: uniform volumes, a size ratio of 100, packed to 0.7.
//! let radii = PowerLaw::new(1.0, 100.0, -3.0)?;
//! let model = Model::packed(&radii, Dimensions::Three, Direction::TopDown, 0.7, 0.2)?;
//!
//! let mut sizes = [0.0; 12];
//! constant_ratio(&radii, &model, 1.0, &mut sizes)?;
//! assert!((expected(&radii, &model, &sizes)?.time - 11.595).abs() < 1e-3);
//!
//! #[repr(align(64))]
//! struct Scratch([u8; 1 << 20]);
//! let mut scratch = Scratch([0; 1 << 20]);
//! assert!(optimal_scratch(sizes.len())?.size <= scratch.0.len());
//! let best = optimal(&radii, &model, &mut sizes, &mut scratch.0)?;
//! assert!(best.levels < 12 && best.expected.time < 11.575);
//! assert_eq!(sizes[best.levels - 1], 200.0);
//! # Ok::<(), dem_core::error::Error>(())
//! ```
//!
//! | file | what is in it |
//! | --- | --- |
//! | `radii` | distributions of radii and their moments; power laws |
//! | `measured` | distributions of given radii, and histograms |
//! | `model` | the cost of given cell sizes |
//! | `size_rules` | rules: linear, exponential, constant ratio of bodies in a cell |
//! | `optimal`, `shortest_path` | the cheapest sizes, and their number |
//! | `access_cost` | the cost of an access on a machine, fitted to timed runs |
//! | `choose` | a choice for given bodies, with its expected cost |

mod access_cost;
mod choose;
mod measured;
mod model;
mod optimal;
mod radii;
mod shortest_path;
mod size_rules;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;

pub use super::Direction;
pub use access_cost::{Cost, Timed};
pub(super) use choose::density;
pub use choose::{Choice, choose, choose_scratch};
pub use measured::{Entry, Measured};
pub(super) use model::Cut;
pub use model::{Expected, LANES, Level, Model, Search, expected, level};
pub use optimal::{MOST_OPTIMAL, Optimum, optimal, optimal_exactly, optimal_scratch};
pub use radii::{Moments, PowerLaw, Radii};
pub use size_rules::{constant_ratio, exponential, linear};

use crate::error::{Error, Kind, Result, What};

/// Largest number of levels.
pub const MOST: usize = 1024;

/// Errors: [`Kind::OutOfRange`] for no level, [`Kind::TooLarge`] for more than [`MOST`].
fn check_count(levels: usize) -> Result<()> {
    match levels {
        0 => Err(Error::new(Kind::OutOfRange, What::CellSizes)),
        1..=MOST => Ok(()),
        _ => Err(Error::new(Kind::TooLarge, What::CellSizes).amounts(MOST as u64, levels as u64)),
    }
}
