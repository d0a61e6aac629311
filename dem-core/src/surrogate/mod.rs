//! Trees of triangles with halos that stand for sets of triangles.
