//! `Triangles`: an owned mesh, the output of readers and generators.

use dem_core::array::{Array, Scalar};

/// Vertices, and triangles that index them. The corners of a triangle run counter-clockwise, seen from the side on which
/// it acts: outside of a body. Ids are indices into these lists, and readers keep the order of the file.
///
/// The type checks nothing. The readers of [`crate::files`] and the generators give finite vertices and indices in
/// range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Positions.
    pub vertices: Vec<[f64; 3]>,
    /// Vertex ids of each triangle's three corners.
    pub indices: Vec<[u32; 3]>,
}

impl Triangles {
    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The corners of triangle `i`. Panics where `i` or one of its indices is out of range, as slices do.
    pub fn triangle(&self, i: usize) -> [[f64; 3]; 3] {
        self.indices[i].map(|v| self.vertices[v as usize])
    }

    /// The vertices, in the form that `dem_core` reads.
    pub fn vertex_array(&self) -> Array<'_> {
        Array::from_f64(&self.vertices)
    }

    /// The smaller number type that keeps every coordinate: f32 for meshes from STL files, usually f64 for others.
    pub fn scalar(&self) -> Scalar {
        let exact = self.vertices.as_flattened().iter().all(|&x| f64::from(x as f32) == x);
        if exact { Scalar::F32 } else { Scalar::F64 }
    }

    /// The mesh with each vertex multiplied by `factor`, component by component (P0 section 6.2 elongates spheres so).
    /// An odd number of negative factors would turn the triangles inside out, so two corners of each are swapped.
    pub fn scaled(mut self, factor: [f64; 3]) -> Self {
        for v in &mut self.vertices {
            *v = [v[0] * factor[0], v[1] * factor[1], v[2] * factor[2]];
        }
        if factor[0] * factor[1] * factor[2] < 0.0 {
            self.indices.iter_mut().for_each(|t| t.swap(1, 2));
        }
        self
    }

    /// The mesh with each triangle seen from its other side: a closed body becomes a room.
    pub fn reversed(mut self) -> Self {
        self.indices.iter_mut().for_each(|t| t.swap(1, 2));
        self
    }

    /// The mesh translated by `offset`.
    pub fn moved(mut self, offset: [f64; 3]) -> Self {
        for v in &mut self.vertices {
            *v = [v[0] + offset[0], v[1] + offset[1], v[2] + offset[2]];
        }
        self
    }
}
