//! `Triangles`: an owned mesh, the output of readers and generators.

use dem_core::array::{Array, Scalar};
use std::collections::HashMap;

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

    /// The mesh with near vertices as one, for files in which the triangles on both sides of an edge have slightly different corners. Each vertex, in
    /// the order of the list, joins the first one before it that is no farther than `apart`. Triangles of which two corners become one are left
    /// out. Cost: a pass over the vertices, with a search in a table.
    pub fn welded(self, apart: f64) -> Self {
        let largest = self.vertices.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // Not so small that cells have no numbers.
        let side = apart.max(largest / (1_u64 << 50) as f64).max(f64::MIN_POSITIVE);
        let cell = |v: [f64; 3]| v.map(|x| (x / side).floor() as i64);
        let near = |v: [f64; 3], w: [f64; 3]| (0..3).map(|k| (v[k] - w[k]).powi(2)).sum::<f64>() <= apart * apart;
        let (mut cells, mut vertices) = (HashMap::<[i64; 3], Vec<u32>>::new(), Vec::<[f64; 3]>::new());
        let mut names = Vec::with_capacity(self.vertices.len());
        for v in self.vertices {
            let own = cell(v);
            let found = (0..27).filter_map(|k| {
                let step = [k % 3, k / 3 % 3, k / 9].map(|step| i64::from(step) - 1);
                let there = cells.get(&[0, 1, 2].map(|axis| own[axis] + step[axis]))?;
                there.iter().copied().find(|w| near(v, vertices[*w as usize]))
            });
            names.push(found.min().unwrap_or_else(|| {
                let new = vertices.len() as u32;
                vertices.push(v);
                cells.entry(own).or_default().push(new);
                new
            }));
        }
        let mut indices: Vec<_> = self.indices.iter().map(|corners| corners.map(|i| names[i as usize])).collect();
        indices.retain(|[a, b, c]| a != b && b != c && c != a);
        Triangles { vertices, indices }
    }

    /// The mesh translated by `offset`.
    pub fn moved(mut self, offset: [f64; 3]) -> Self {
        for v in &mut self.vertices {
            *v = [v[0] + offset[0], v[1] + offset[1], v[2] + offset[2]];
        }
        self
    }
}
