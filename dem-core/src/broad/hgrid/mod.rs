//! Hierarchical grid (P1): bodies in cells of several sizes, sorted so that neighbours are near in memory.
//!
//! | file | what |
//! | --- | --- |
//! | `frame` | where the cells of every level are: edges, numbering, keys |
//! | `survey` | a pass over all bodies: bounds, and which body is wrong |
//! | `build` | bodies into their cells: keys, sort, coordinates |
//! | `sort` | bodies in the order of their keys, chunk by chunk and bucket by bucket |
//! | `pages` | from the key of a page of cells to the bodies in them |
//! | `ranges` | the cells in ranges, searched side by side, and the answer of one behind that of the other |
//! | `search` | all candidates: bodies of a cell against the rows of cells around it |
//! | `hits` | bodies against a run of bodies, sixteen at a time, and why the filter is never wrong |
//! | `around` | a cell and what its bodies reach of the cells around it, for those that are not wrapped |
//! | `rows` | the runs of bodies in a row of cells, wrapped and cut into pages |
//! | `live` | a grid that takes changes: bodies that join, leave and move between two rebuilds |
//! | `update` | what has changed |
//! | `both` | pairs of a grid that takes changes |
//! | `sizes` | a default choice of cell sizes |
//! | `count` | pairs and cells that the published algorithm looks at |
//!
//! # How it works
//! A body is on the first level whose cells it fits in (P1 (3): its diameter and the margin are at most the cell size), in
//! the cell of its centre. On its own level it meets bodies of its own and of half of the neighbouring cells; on other
//! levels those of the cells around it (P1 (4), (5)), looked for from the larger body (top-down) or from the smaller one
//! (bottom-up). Bodies are kept sorted by level, z, y, x of their cells, so a row of neighbouring cells is one run of
//! bodies, and a vector of them is tested at once, in single precision relative to their cells. That test may only
//! leave open what is closer to the threshold than its rounding; the canonical decision then tells.

mod around;
mod both;
mod build;
mod count;
mod frame;
mod grid;
mod hits;
mod live;
mod pages;
mod ranges;
mod rows;
mod search;
mod sizes;
mod sort;
mod survey;
mod update;

pub use build::hgrid_scratch;
pub use count::Counters;
pub use frame::Level;
pub use grid::{HGrid, HGridRef, HGridSizes, LEVELS};
pub use live::{LiveGrid, LiveGridRef, LiveGridSizes, live_grid_scratch};
pub use search::Direction;
pub use update::Updated;
