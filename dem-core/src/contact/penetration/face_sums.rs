//! Sums over the faces of one body inside an enclosed part: how their normals turn.

use crate::contact::lean::{Rows, Symmetric, fit};

/// Sums over the inside faces of one body, about the middle of the part, along its normal (N) and across it (t). The unit normal n of a face is
/// that of the surface from the second body to the first one, r is a place on the face.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FaceSums {
    pub area: f64,
    /// Integrals of r_N and of its square over the area seen along the normal.
    pub height: f64,
    pub square: f64,
    /// Integral of r_t n_t^T.
    pub turns: [[f64; 2]; 2],
    /// Integral of r_N r_t n_t^T.
    pub aside: [[f64; 2]; 2],
}

impl FaceSums {
    /// Adds a triangle with this normal, or takes it away, if it is clockwise. Places and normal: across the part's normal, and along it.
    pub fn add(&mut self, corners: [[f64; 3]; 3], area: f64, n: [f64; 3]) {
        // The mean of r_i r_k is 1/12 of their sum over the corners and over the sum of all corners.
        let [a, b, c] = corners;
        let sum = [0, 1, 2].map(|k| a[k] + b[k] + c[k]);
        let part = area * (1.0 / 12.0);
        let second = |i: usize, k: usize| part * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + sum[i] * sum[k]);
        let third = area * (1.0 / 3.0);
        self.area += area;
        self.height += third * sum[2] * n[2];
        self.square += second(2, 2) * n[2];
        for (i, (turns, aside)) in self.turns.iter_mut().zip(&mut self.aside).enumerate() {
            let along = second(i, 2);
            for (k, (turns, aside)) in turns.iter_mut().zip(aside).enumerate() {
                *turns += third * (sum[i] * n[k]);
                *aside += along * n[k];
            }
        }
    }

    /// How normals turn for the surface of one body, about a place at this height; `own` is the integral of r_t r_t^T over the area seen along
    /// the normal.
    pub fn fit(&self, own: &Rows, height: f64) -> Option<Symmetric> {
        let mut squares = *own;
        for (i, row) in squares.iter_mut().enumerate() {
            for (k, to) in row.iter_mut().enumerate() {
                *to += height * self.turns[i][k] - self.aside[i][k];
            }
        }
        fit(&self.turns, &squares, own)
    }
}
