//! The second moments of the pressure of a face in a cell, and the first moment of its area, if they are requested.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::clip::{Batch, COLUMNS, Corners, Integrals, Row, load3};
use super::face::{Moments, Waiting};
use crate::contact::spread::{Gathered, Tensor, add_product};
use crate::simd::{Kernel, Lane, Simd};

/// The second moments of the pressure of a face in a cell.
#[derive(Clone, Copy, Debug, Default, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Wide {
    /// About the centre of pressure, over the pressure.
    second: Tensor,
    /// `int x dA`, with the same factor as the area.
    even: [f64; 3],
}

impl Wide {
    /// The moments of a face with these integrals, times this weight.
    pub fn of(&self, moments: &Moments, facing: f64) -> (Gathered, [f64; 3]) {
        let (weight, per) = (moments.pressure * facing, 1.0 / moments.pressure);
        let gathered =
            Gathered { weight, centre: moments.first.map(|x| x * per), second: self.second.map(|x| x * weight) };
        (gathered, self.even.map(|x| x * facing))
    }
}

/// Sums over the rest of several faces, each about its centre of pressure: `int (1 - g/T)` times the products of both coordinates, and both
/// coordinates.
pub(super) struct Sums {
    second: [Row; 3],
    even: [Row; 2],
}

/// Computes [`Sums`] of columns `0..count` that were cut `cuts` times.
pub(super) struct Spread<'b> {
    pub batch: &'b Batch,
    pub corners: &'b Corners,
    pub cuts: usize,
    pub count: usize,
}

impl Kernel for Spread<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> Sums {
        let zero = [0.0; COLUMNS];
        let mut sums = Sums { second: [zero; 3], even: [zero; 2] };
        let mut at = 0;
        while at < self.count && at < COLUMNS {
            if S::Few::LANES < S::F64::LANES && self.count - at <= S::Few::LANES {
                self.lanes::<S::Few>(simd.few(), at, &mut sums);
                break;
            }
            self.lanes::<S::F64>(simd, at, &mut sums);
            at += S::F64::LANES;
        }
        sums
    }
}

/// A corner of the rest of each face.
#[derive(Clone, Copy)]
struct Corner<L> {
    at: [L; 2],
    /// Relative to the centre of pressure.
    own: [L; 2],
    pressure: L,
}

impl Spread<'_> {
    /// Sums over the triangles of the fan about the first corner. Repeated corners add nothing.
    #[inline(always)]
    fn lanes<L: Lane<Scalar = f64>>(&self, simd: L::Simd, at: usize, sums: &mut Sums) {
        let zero = L::splat(simd, 0.0);
        let (gap, mean) = (load3(simd, &self.batch.gap, at), self.batch.centre::<L>(simd, at));
        let (mut second, mut even) = ([zero; 3], [zero; 2]);
        let first = self.corner::<L>(simd, (gap, mean), 0, at);
        let mut before = self.corner::<L>(simd, (gap, mean), 1, at);
        for k in 2..3 + self.cuts {
            let next = self.corner::<L>(simd, (gap, mean), k, at);
            let ([p, q], [r, s], [t, u]) = (first.at, before.at, next.at);
            let area = L::splat(simd, 0.5) * ((r - p) * (u - q) - (t - p) * (s - q));
            let pressure = [first.pressure, before.pressure, next.pressure];
            let x = [first.own[0], before.own[0], next.own[0]];
            let y = [first.own[1], before.own[1], next.own[1]];
            let part = area / L::splat(simd, 60.0);
            second[0] = second[0] + part * product_of_three(simd, &pressure, &x, &x);
            second[1] = second[1] + part * product_of_three(simd, &pressure, &x, &y);
            second[2] = second[2] + part * product_of_three(simd, &pressure, &y, &y);
            let part = area / L::splat(simd, 3.0);
            even[0] = even[0] + part * (((zero + p) + r) + t);
            even[1] = even[1] + part * (((zero + q) + s) + u);
            before = next;
        }
        for (to, sum) in sums.second.iter_mut().zip(second) {
            sum.store(to, at);
        }
        for (to, sum) in sums.even.iter_mut().zip(even) {
            sum.store(to, at);
        }
    }

    #[inline(always)]
    fn corner<L: Lane<Scalar = f64>>(
        &self,
        simd: L::Simd,
        ([a, b, c], mean): ([L; 3], [L; 2]),
        k: usize,
        at: usize,
    ) -> Corner<L> {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let [alpha, beta] = self.corners.load::<L>(simd, k, at);
        let gap = a + (b - a) * alpha + (c - a) * beta;
        let pressure = (one - gap.max(zero)).max(zero);
        Corner { at: [alpha, beta], own: [alpha - mean[0], beta - mean[1]], pressure }
    }
}

/// 60 times the mean of the product of three linear functions over a triangle.
#[inline(always)]
fn product_of_three<L: Lane<Scalar = f64>>(simd: L::Simd, f: &[L; 3], g: &[L; 3], h: &[L; 3]) -> L {
    let (of_f, of_g, of_h) = (f[0] + f[1] + f[2], g[0] + g[1] + g[2], h[0] + h[1] + h[2]);
    let mut sum = of_f * of_g * of_h;
    for k in 0..3 {
        sum = sum + of_f * g[k] * h[k] + of_g * f[k] * h[k] + of_h * f[k] * g[k];
        sum = sum + L::splat(simd, 2.0) * f[k] * g[k] * h[k];
    }
    sum
}

impl Waiting {
    /// Second moments of the rest of the face in this column.
    #[inline(always)]
    pub(super) fn wide(&self, of: &Integrals, sums: &Sums, column: usize) -> Wide {
        let column = column & (COLUMNS - 1);
        let (second, even) = (sums.second.map(|row| row[column]), sums.even.map(|row| row[column]));
        let [e, f] = self.sides;
        let [aa, ab, bb] = second.map(|x| x / of.pressure);
        let mut second = [0.0; 6];
        add_product(&mut second, aa, e, e);
        add_product(&mut second, 2.0 * ab, e, f);
        add_product(&mut second, bb, f, f);
        let at = |k: usize| self.corner[k] * of.area + (e[k] * even[0] + f[k] * even[1]);
        Wide { second, even: [0, 1, 2].map(|k| self.weight * at(k)) }
    }
}
