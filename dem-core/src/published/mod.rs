//! Published methods that nothing else in this crate uses: for their study, and to hold our own against them.
//!
//! | room | what |
//! | --- | --- |
//! | [`triangle`] | contacts of triangle pairs by a few sweeps of minimisation (P0, P4), and exactly where these do not terminate |
//! | [`spacetree`] | a broad phase: a tree of cells that are cut in three, bodies held by vertices (P4) |
//!
//! They know of the main path, which knows nothing of them. For contacts of many bodies take [`detect`](crate::detect), for distances of triangles
//! [`triangle`](mod@crate::triangle), for pairs of bodies [`broad`](crate::broad): they are faster, and find the same contacts.

pub mod spacetree;
pub mod triangle;
