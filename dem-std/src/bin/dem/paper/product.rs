//! All pairs of the triangles of two meshes, in single precision, as a stream of blocks.

use dem_std::Triangles;
use dem_std::dem_core::triangle::{BLOCK, Coordinates, Source};

/// Triangles as nine rows.
#[derive(Default)]
pub struct Rows([Vec<f32>; 9]);

impl Rows {
    /// The triangles of a mesh, each vertex moved by `place`.
    pub fn new(mesh: &Triangles, place: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        Rows::of((0..mesh.len()).map(|i| mesh.triangle(i).map(&place)))
    }

    /// Triangles by their corners.
    pub fn of(triangles: impl Iterator<Item = [[f64; 3]; 3]>) -> Self {
        let mut rows: [Vec<f32>; 9] = Default::default();
        for triangle in triangles {
            for (row, x) in rows.iter_mut().zip(triangle.as_flattened()) {
                row.push(*x as f32);
            }
        }
        Rows(rows)
    }

    /// The corners of a triangle.
    pub fn triangle(&self, i: usize) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|v| [0, 1, 2].map(|c| f64::from(self.0[3 * v + c][i])))
    }

    fn len(&self) -> usize {
        self.0[0].len()
    }
}

/// Pairs of each triangle of A with each triangle of B.
pub struct Product<'a>(pub &'a Rows, pub &'a Rows);

impl Source<f32> for Product<'_> {
    fn len(&self) -> usize {
        self.0.len() * self.1.len()
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<f32>) {
        let (rows_a, rows_b) = block.split_at_mut(9);
        let n = self.1.len();
        let (mut i, mut j, mut column) = (at / n, at % n, 0);
        while column < count.min(BLOCK) {
            let some = (count - column).min(n - j);
            for k in 0..9 {
                rows_a[k][column..column + some].fill(self.0.0[k][i]);
                rows_b[k][column..column + some].copy_from_slice(&self.1.0[k][j..j + some]);
            }
            (i, j, column) = (i + 1, 0, column + some);
        }
    }
}

/// Pairs by their indices in A and in B.
pub struct Listed<'a> {
    pub a: &'a Rows,
    pub b: &'a Rows,
    pub pairs: &'a [(u32, u32)],
}

impl Source<f32> for Listed<'_> {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<f32>) {
        let (rows_a, rows_b) = block.split_at_mut(9);
        for (column, (i, j)) in self.pairs[at..at + count].iter().enumerate() {
            for k in 0..9 {
                rows_a[k][column] = self.a.0[k][*i as usize];
                rows_b[k][column] = self.b.0[k][*j as usize];
            }
        }
    }
}
