//! Positions of vertices, rounded to the number type that a mesh stores.

use super::block::LARGEST;
use super::bounds::positive_zero;
use crate::array::{Array, Scalar};
use crate::error::{Error, Kind, Result, What};
use crate::real::Real;

/// Vertex positions as a mesh stores them: rounded to its number type, without negative zeros.
#[derive(Clone, Copy)]
pub(super) struct Positions<'a> {
    vertices: Array<'a>,
    /// The same positions if they are consecutive in f64, as they mostly are: faster to read.
    packed: Option<&'a [[f64; 3]]>,
    scalar: Scalar,
}

impl<'a> Positions<'a> {
    pub(super) fn new(vertices: Array<'a>, scalar: Scalar) -> Self {
        Positions { vertices, packed: vertices.as_f64(), scalar }
    }

    /// A position as in the host's array.
    #[inline(always)]
    fn raw(&self, i: usize) -> [f64; 3] {
        match self.packed {
            Some(packed) => packed.get(i).copied().unwrap_or_default(),
            None => self.vertices.get(i),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> [f64; 3] {
        let [x, y, z] = self.raw(i);
        match self.scalar {
            Scalar::F32 => [x, y, z].map(|x| f64::from(positive_zero32(x as f32))),
            Scalar::F64 => [x, y, z].map(positive_zero),
        }
    }

    /// Two positions have equal bits if and only if they are equal.
    #[inline(always)]
    pub(super) fn bits(&self, i: usize) -> [u64; 3] {
        self.get(i).map(f64::to_bits)
    }

    pub(super) fn check(&self) -> Result<()> {
        let largest = LARGEST[(self.scalar == Scalar::F64) as usize];
        // False for NaN, too. Most arrays are valid, and then this pass is all.
        let good = |[x, y, z]: [f64; 3]| [x, y, z].iter().fold(true, |good, x| good & (Real::abs(*x) <= largest));
        if (0..self.vertices.len()).fold(true, |all, i| all & good(self.raw(i))) {
            return Ok(());
        }
        self.vertices.check_finite(What::Vertices)?;
        for i in 0..self.vertices.len() {
            // The check comes before rounding: numbers between the largest of a type and infinity are errors.
            if let Some(c) = self.vertices.get(i).into_iter().position(|x| Real::abs(x) > largest) {
                return Err(Error::new(Kind::OutOfRange, What::Vertices).at(i as u64, c as u32));
            }
        }
        Ok(())
    }
}

pub(super) fn positive_zero32(x: f32) -> f32 {
    if x == 0.0 { 0.0 } else { x }
}
