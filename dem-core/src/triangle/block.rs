//! Blocks of triangle pairs, their sources, and the sinks of results.

use super::feature::Feature;
use crate::error::Result;
use crate::simd::Isa;

/// Pairs in a block.
pub const BLOCK: usize = 16;

/// Coordinates of a block of pairs: rows 0 to 8 are x, y, z of the vertices of A, rows 9 to 17 those of B.
pub type Coordinates<T> = [[T; BLOCK]; 18];

/// A source of triangle pairs.
pub trait Source<T> {
    /// Number of pairs.
    fn len(&self) -> usize;
    /// Whether there are no pairs.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Writes the pairs `at .. at + count` into the first `count` columns; the other columns stay as they are.
    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>);
}

/// A sink for closest points.
pub trait Sink<T> {
    /// Takes the results of the pairs `at .. at + count` from the first `count` columns.
    fn put(&mut self, at: usize, count: usize, block: &Block<T>);
}

/// The number types for which [`closest_points`](super::closest_points) and similar functions are compiled.
pub trait Compiled: Sized {
    /// A method of the number type, so that it is compiled once here instead of in every calling package.
    #[doc(hidden)]
    fn closest_points(isa: Isa, source: &dyn Source<Self>, sink: &mut dyn Sink<Self>) -> Result<()>;
}

/// Closest points of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints<T> {
    /// Distance; exactly 0 if and only if the triangles touch or cross.
    pub distance: T,
    /// The point on A.
    pub point_a: [T; 3],
    /// The point on B; equal to `point_a` if the distance is 0.
    pub point_b: [T; 3],
    /// Barycentric coordinates of the point on A: weights of its vertices.
    pub weights_a: [T; 3],
    /// The same on B.
    pub weights_b: [T; 3],
    /// The feature of A that contains the point.
    pub feature_a: Feature,
    /// The same on B.
    pub feature_b: Feature,
}

/// Where points lie on their triangles, as the kernels store it: `part` 0, 1, 2 is an edge at `s`; `part` 3 is the face at `s, t` along the edges
/// from vertex `turn` to the next and to the previous vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places<T> {
    pub part: [T; BLOCK],
    pub s: [T; BLOCK],
    pub t: [T; BLOCK],
    pub turn: [T; BLOCK],
}

/// Results of a block of pairs.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Block<T> {
    /// Distances.
    pub distance: [T; BLOCK],
    /// Points on A: rows x, y, z.
    pub point_a: [[T; BLOCK]; 3],
    /// Points on B: rows x, y, z.
    pub point_b: [[T; BLOCK]; 3],
    pub(super) place_a: Places<T>,
    pub(super) place_b: Places<T>,
}
