//! Hierarchical grid (P1): bodies in cells of several sizes, sorted so that neighbours are near in memory.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `direction` | the order in which levels are searched |
//! | `batch` | bodies whose neighbours are searched for together |
//! | `frame` | geometry of the cells of every level: edges, indices, sort keys |
//! | `validate` | a pass over all bodies that checks them and finds their bounds |
//! | `build` | building a grid: sort keys of cells, radix sort, relative coordinates |
//! | `sort` | radix sort of bodies by key, on all threads |
//! | `page_table` | hash table from pages (rows of 32 cells) to bodies |
//! | `ranges` | parallel search of ranges of cells, whose candidates are joined in order |
//! | `search` | the search: bodies of a cell against rows of neighbouring cells |
//! | `simd_filter` | the filter: a body against a run of bodies, sixteen at a time, with its error bound |
//! | `neighbours` | the fast search around cells that need no periodic wrapping |
//! | `cell_rows` | runs of bodies in a row of cells, wrapped and cut into pages |
//! | `incremental` | a grid that accepts changes between two rebuilds: bodies that join, leave and move |
//! | `update` | applying changes to a live grid |
//! | `live_pairs` | pairs of a live grid |
//! | `default_cell_sizes` | a default choice of cell sizes |
//! | `report` | the choice and the expectation of a grid, and what its search found |
//! | `count` | counts of pairs and cells for the published cost model |
//!
//! # How it works
//! A body is on the first level whose cell size is at least its diameter plus the margin (P1 (3)), in the cell of its
//! centre. On its own level a body is tested against the bodies of its cell and of half of the neighbouring cells.
//! Pairs across levels (P1 (4), (5)) are searched from the larger body (top-down) or from the smaller body (bottom-up).
//! Bodies are sorted by level and by z, y, x of their cells, so a row of neighbouring cells is one run of bodies. A
//! vector of bodies is tested at once, in single precision relative to their cells. Where the result of this test lies
//! within its rounding error, the canonical decision in double precision follows.

mod batch;
mod build;
mod cell_rows;
mod count;
mod default_cell_sizes;
pub(in crate::broad) mod direction;
mod frame;
mod grid;
mod incremental;
mod live_pairs;
mod neighbours;
mod page_table;
mod ranges;
mod report;
mod search;
mod simd_filter;
mod sort;
mod update;
mod validate;

pub use build::hgrid_scratch;
pub use count::Counters;
pub use direction::Direction;
pub use frame::Level;
pub use grid::{HGrid, HGridRef, HGridSizes, LEVELS};
pub use incremental::{LiveGrid, LiveGridRef, LiveGridSizes};
pub use live_pairs::live_grid_scratch;
pub use report::{GridLevel, GridReport, Searched};
pub use update::Updated;
