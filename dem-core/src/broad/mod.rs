//! Many bodies: which pairs may be in contact.
//!
//! | file | what |
//! | --- | --- |
//! | `bodies` | spheres around bodies in a host's arrays, and which pairs a host does not want |
//! | `space` | two or three dimensions, open or periodic |
//! | `query` | bodies, space and margin together, and what is wrong with them |
//! | `decide` | the canonical decision |
//! | `candidate` | the records of the answer |
//! | `brute` | all pairs by brute force: the reference of all others |
//! | [`levels`] | cell sizes for a hierarchical grid: what they cost, and the best ones |
//! | `hgrid` | hierarchical grid (P1): bodies of any sizes, every step anew, or as they change |
//! | `skin` | how long a list of pairs with a larger margin lives, and what is left of it |
//! | `swept` | bounds over a time span (P3): spheres on two linear segments, and which of them may meet |
//! | `huge` | huge bodies (ground, walls, vessels) as boxes in a tree of their own, queried by bodies |
//!
//! # What every broad phase answers
//! All triples (a, b, shift) with
//!
//! `|x_b + shift * period - x_a|^2 <= (r_a + r_b + margin)^2`
//!
//! each once, where a < b, or a == b and the shift is lexicographically positive (a body and its own image). Both sides are
//! computed by one fixed sequence of f64 operations ([`Query::reaches`]), which gives the same for (a, b, shift) and
//! (b, a, -shift); ties count. Along an open axis the shift is 0. Pairs that the host does not want ([`Bodies`]) are
//! never stored. So any two broad phases give equal sets, however they get there; only the order of the answer is their
//! own, and it depends on nothing but the query; of a grid that takes changes ([`LiveGrid`]), also on these.

mod bodies;
mod brute;
mod candidate;
mod decide;
mod hgrid;
mod huge;
pub mod levels;
mod query;
mod skin;
mod space;
mod swept;

pub use bodies::{Bodies, Motion};
pub use brute::brute;
pub(crate) use brute::images;
pub use candidate::Candidate;
pub(crate) use candidate::Room;
pub(crate) use decide::{Limits, Sphere};
pub use hgrid::{
    Counters, Direction, HGrid, HGridRef, HGridSizes, LEVELS, Level, LiveGrid, LiveGridRef, LiveGridSizes, Updated,
    hgrid_scratch, live_grid_scratch,
};
pub use huge::{BoxCandidate, BoxTree, BoxTreeRef, BoxTreeSizes, Boxes, box_tree_scratch, boxes_brute};
pub use query::{FARTHEST, IMAGES, Query, WIDEST};
pub(crate) use skin::wraps;
pub use skin::{Moved, moved, refresh, skin_scratch};
pub use space::{Dimensions, Space};
pub use swept::{Approach, Sweep, bulge, enclose, swept_pairs, swept_scratch};
