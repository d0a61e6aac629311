//! The number types of the distance kernels.

use super::block::Compiled;
use crate::real::Real;
use crate::simd::{Lane, Number, Vec3};

/// The constants of a number type that the distance kernels need.
pub trait Accuracy: Number + Compiled {
    /// A triangle counts as its edges if sin^2 of its widest angle is below this.
    const FLAT: f64;
    /// A lane is hard if `distance * sin^2 < HARD * L`: 16 u^2 over twice the error that is allowed there.
    const HARD: f64;
    /// A direction certainly separates triangles if the gap is at least this, relative to lengths.
    const APART: f64;
    /// If sin^2 of the widest angle is below this, the computed point at which an edge passes through the face would lie beside the face.
    const THIN: f64;
    /// Whether lanes of f64 can decide pairs that lanes of this type leave open.
    const NARROW: bool;
}

impl Accuracy for f32 {
    const THIN: f64 = 3e-2;
    const NARROW: bool = true;
    const FLAT: f64 = 1e-12;
    const HARD: f64 = 1.2e-7;
    const APART: f64 = 16.0 * 5.960_464_5e-8;
}

impl Accuracy for f64 {
    const THIN: f64 = 1e-5;
    const NARROW: bool = false;
    const FLAT: f64 = 1e-26;
    const HARD: f64 = 4e-19;
    const APART: f64 = 16.0 * 1.110_223_024_625_156_5e-16;
}

/// The vertices of a triangle in each lane.
pub(crate) type Vertices<L> = [Vec3<L>; 3];

#[inline(always)]
pub(crate) fn number<L: Lane>(simd: L::Simd, x: f64) -> L {
    L::splat(simd, L::Scalar::from_f64(x))
}
