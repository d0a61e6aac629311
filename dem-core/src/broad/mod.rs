//! Broad phase: which pairs of many bodies may be in contact.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `bodies` | bounding spheres in a host's arrays; the filter of pairs by motion, group and mask |
//! | `space` | two or three dimensions, open or periodic |
//! | `query` | the input: bodies, space and margin, and their checks |
//! | `canonical` | the canonical decision whether two spheres touch |
//! | `candidate` | the output: body pairs |
//! | `brute` | all pairs by brute force: the reference for other broad phases |
//! | [`levels`] | cell sizes for a hierarchical grid: cost model and optimum |
//! | `hgrid` | hierarchical grid (P1) for bodies of any sizes, rebuilt in every step or updated |
//! | `verlet_check` | neighbour lists with a Verlet skin: whether a list is still complete, and its pairs within the margin |
//! | `swept` | moving spheres over a time span (P3): bounds, and which pairs may touch |
//! | `huge` | huge bodies (ground, walls, vessels) as AABBs in a bounding volume hierarchy |
//!
//! # What every broad phase finds
//! All triples (a, b, shift) with
//!
//! `|x_b + shift * period - x_a|^2 <= (r_a + r_b + margin)^2`
//!
//! each once, where a < b, or a == b and the shift is lexicographically positive (a body and its own image). One fixed
//! sequence of f64 operations computes both sides ([`Query::reaches`]). It is symmetric in (a, b, shift) and
//! (b, a, -shift); ties count. Along an open axis the shift is 0. A broad phase never stores pairs that the host excludes ([`Proxies`]).
//! So all broad phases find equal sets. Each has its own order of pairs, which depends only on the query
//! and, for a [`LiveGrid`], on its updates.

mod bodies;
mod brute;
mod candidate;
mod canonical;
mod hgrid;
mod huge;
pub mod levels;
mod query;
mod space;
mod swept;
mod verlet_check;

pub use bodies::{Motion, Proxies};
pub use brute::brute;
pub(crate) use brute::images;
pub use candidate::Candidate;
pub(crate) use candidate::Room;
pub(crate) use canonical::{Limits, Sphere};
pub use hgrid::{
    Counters, Direction, GridLevel, GridReport, HGrid, HGridRef, HGridSizes, LEVELS, Level, LiveGrid, LiveGridRef,
    LiveGridSizes, Searched, Updated, hgrid_scratch, live_grid_scratch,
};
pub use huge::{BoxCandidate, BoxTree, BoxTreeRef, BoxTreeSizes, Boxes, box_tree_scratch, boxes_brute};
pub(crate) use huge::{LEVELS as BOX_LEVELS, WIDE, halve, levels as box_levels};
pub use query::{FARTHEST, IMAGES, Query, WIDEST};
pub use space::{Dimensions, Space};
pub use swept::{Approach, Sweep, bulge, enclose, swept_pairs, swept_scratch};
pub(crate) use verlet_check::wraps;
pub use verlet_check::{Moved, moved, refresh, skin_scratch};
