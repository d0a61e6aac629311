//! Methods from the literature that the rest of this crate does not use: to study them, and to compare the crate's own
//! methods with them.
//!
//! | module | what is in it |
//! | --- | --- |
//! | [`triangle`] | contacts of triangle pairs by a few sweeps of minimisation (P0, P4), and exactly where the sweeps do not converge |
//! | [`spacetree`] | a broad phase: a spacetree with three-way refinement that stores bodies at vertices (P4) |
//!
//! Other modules do not depend on this one. Prefer [`detect`](crate::detect) for contacts of many bodies,
//! [`triangle`](mod@crate::triangle) for distances of triangles and [`broad`](crate::broad) for body pairs: these
//! modules are faster and find the same contacts.

pub mod spacetree;
pub mod triangle;
