//! Features of a triangle: face, edges, vertices.

/// The part of a triangle on which a closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Feature {
    /// Vertex 0.
    Vertex0 = 0,
    /// Vertex 1.
    Vertex1 = 1,
    /// Vertex 2.
    Vertex2 = 2,
    /// The edge from vertex 0 to vertex 1.
    Edge0 = 3,
    /// The edge from vertex 1 to vertex 2.
    Edge1 = 4,
    /// The edge from vertex 2 to vertex 0.
    Edge2 = 5,
    /// The inside.
    Face = 6,
}
