//! Triangles clipped by half-planes and integrated, several at once: the kernel of the measure.
//!
//! A column is a triangle with coordinates (alpha, beta) that are (0, 0), (1, 0) and (0, 1) at its corners. Linear functions are given by their
//! values at the corners: the gap over the halo, and the heights above sides. After every cut, the polygon has one more corner; where a cut
//! removes nothing, a corner is repeated. So all lanes do the same operations. Repeated corners add triangles of area exactly zero, so the bits
//! do not depend on other lanes.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::contact::cells::SIDES;
use crate::simd::{Kernel, Lane, Simd};

/// Columns in a batch: the lanes of the widest vector.
pub(in crate::contact) const COLUMNS: usize = 8;

/// The largest number of cuts of a triangle: the surface, the end of the halo, and the sides of a cell.
pub(in crate::contact) const CUTS: usize = 2 + SIDES;

/// Corners of the triangle, and one for each cut.
const MOST: usize = 3 + CUTS;

/// Heights above a side that are smaller than this, relative to the triangle's own heights, count as 0. The tolerance is several times the
/// rounding error, so the corners outside a side are one run.
const ON: f64 = 1.0 / (1u64 << 44) as f64;

/// The integrals of one column.
#[derive(Clone, Copy)]
pub(in crate::contact) struct Integrals {
    /// `int d(alpha) d(beta)`.
    pub area: f64,
    /// `int (1 - g/T)`, with the same differentials.
    pub pressure: f64,
    /// `int (1 - g/T) alpha`, and with beta.
    pub first: [f64; 2],
    /// The smallest g/T.
    pub least: f64,
}

/// Triangles to be clipped, all by the same number of half-planes.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Batch {
    /// The gap over the halo at the three corners.
    pub gap: [[f64; COLUMNS]; 3],
    /// Heights above the boundary of each half-plane at the three corners.
    pub height: [[[f64; COLUMNS]; 3]; CUTS],
    /// Area, pressure, both first moments, least gap.
    out: [[f64; COLUMNS]; 5],
}

impl Batch {
    pub const fn new() -> Self {
        Batch { gap: [[0.0; COLUMNS]; 3], height: [[[0.0; COLUMNS]; 3]; CUTS], out: [[0.0; COLUMNS]; 5] }
    }

    #[inline(always)]
    fn lanes<L: Lane<Scalar = f64>>(&mut self, simd: L::Simd, cuts: usize, at: usize, corners: Option<&mut Corners>) {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let mut polygon = Polygon { alpha: [zero; MOST], beta: [zero; MOST], count: 3, some: zero.le(zero) };
        polygon.alpha[1] = one;
        polygon.beta[2] = one;
        for height in self.height.iter().take(cuts) {
            polygon.cut(simd, load3(simd, height, at));
        }
        polygon.integrate(simd, load3(simd, &self.gap, at), &mut self.out, at);
        if let Some(corners) = corners {
            for k in 0..polygon.count {
                polygon.alpha[k].store(&mut corners.alpha[k], at);
                polygon.beta[k].store(&mut corners.beta[k], at);
            }
        }
    }

    /// Writes zeros to all values that `cuts` half-planes read.
    pub fn clear(&mut self, cuts: usize) {
        let zero = [[0.0; COLUMNS]; 3];
        self.gap = zero;
        self.height.iter_mut().take(cuts).for_each(|height| *height = zero);
    }

    /// Copies a column with `cuts` half-planes to a column with one more, which cuts nothing off.
    #[inline(always)]
    pub fn copy_column(&self, cuts: usize, from: usize, to: &mut Batch, at: usize) {
        let (from, at) = (from & (COLUMNS - 1), at & (COLUMNS - 1));
        for k in 0..3 {
            to.gap[k][at] = self.gap[k][from];
        }
        for (cut, (height, to)) in self.height.iter().zip(&mut to.height).enumerate().take(cuts + 1) {
            for k in 0..3 {
                to[k][at] = if cut < cuts { height[k][from] } else { 1.0 };
            }
        }
    }

    /// The centre of pressure of each of some columns.
    #[inline(always)]
    pub fn centre<L: Lane<Scalar = f64>>(&self, simd: L::Simd, at: usize) -> [L; 2] {
        let [_, pressure, alpha, beta, _] = &self.out;
        let pressure = L::load(simd, pressure, at);
        [L::load(simd, alpha, at) / pressure, L::load(simd, beta, at) / pressure]
    }

    /// The integrals of a column.
    #[inline(always)]
    pub fn integrals(&self, column: usize) -> Integrals {
        let [area, pressure, alpha, beta, least] = [0, 1, 2, 3, 4].map(|row| self.out[row][column & (COLUMNS - 1)]);
        Integrals { area, pressure, first: [alpha, beta], least }
    }
}

/// The corners of the rest of each column: three, and one for each cut.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
pub(in crate::contact) struct Corners {
    alpha: [[f64; COLUMNS]; MOST],
    beta: [[f64; COLUMNS]; MOST],
}

impl Corners {
    pub const fn new() -> Self {
        Corners { alpha: [[0.0; COLUMNS]; MOST], beta: [[0.0; COLUMNS]; MOST] }
    }

    /// Alpha and beta of a corner of each of some columns.
    #[inline(always)]
    pub fn load<L: Lane<Scalar = f64>>(&self, simd: L::Simd, corner: usize, at: usize) -> [L; 2] {
        let corner = if corner < MOST { corner } else { 0 };
        [L::load(simd, &self.alpha[corner], at), L::load(simd, &self.beta[corner], at)]
    }

    /// Alpha and beta of a corner.
    #[inline(always)]
    pub fn at(&self, corner: usize, column: usize) -> [f64; 2] {
        let (corner, column) = (if corner < MOST { corner } else { 0 }, column & (COLUMNS - 1));
        [self.alpha[corner][column], self.beta[corner][column]]
    }
}

/// Clips and integrates columns `0..count`, each by the first `cuts` heights.
pub(in crate::contact) struct Clip<'b> {
    pub batch: &'b mut Batch,
    pub cuts: usize,
    pub count: usize,
    /// Output of the corners, if they are needed.
    pub corners: Option<&'b mut Corners>,
}

impl Kernel for Clip<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Clip { batch, cuts, count, mut corners } = self;
        let mut at = 0;
        while at < count && at < COLUMNS {
            if S::Few::LANES < S::F64::LANES && count - at <= S::Few::LANES {
                return batch.lanes::<S::Few>(simd.few(), cuts, at, corners);
            }
            batch.lanes::<S::F64>(simd, cuts, at, corners.as_deref_mut());
            at += S::F64::LANES;
        }
    }
}

/// A convex polygon per lane.
struct Polygon<L: Lane> {
    alpha: [L; MOST],
    beta: [L; MOST],
    count: usize,
    /// Lanes in which the polygon is not empty.
    some: L::Mask,
}

/// The edge of the polygon that a side crosses: between a corner inside and one outside. Heights are not selected with the corners but computed
/// again: all edges are tried in turn, and what is selected has to stay in registers meanwhile. In lanes without a crossing the point has no
/// meaning, and may be NaN.
struct Crossing<L> {
    inside: [L; 2],
    outside: [L; 2],
}

impl<L: Lane<Scalar = f64>> Crossing<L> {
    #[inline(always)]
    fn new(simd: L::Simd) -> Self {
        let zero = L::splat(simd, 0.0);
        Crossing { inside: [zero; 2], outside: [zero; 2] }
    }

    #[inline(always)]
    fn take(&mut self, here: L::Mask, inside: [L; 2], outside: [L; 2]) {
        for c in 0..2 {
            self.inside[c] = L::select(here, inside[c], self.inside[c]);
            self.outside[c] = L::select(here, outside[c], self.outside[c]);
        }
    }

    #[inline(always)]
    fn point(&self, simd: L::Simd, side: &Linear<L>) -> [L; 2] {
        let ([pa, pb], [qa, qb]) = (self.inside, self.outside);
        let height = side.at(self.inside).max(L::splat(simd, 0.0));
        let by = height / (height - side.at(self.outside));
        [pa + (qa - pa) * by, pb + (qb - pb) * by]
    }
}

/// A linear function of alpha and beta.
struct Linear<L> {
    first: L,
    along: [L; 2],
}

impl<L: Lane<Scalar = f64>> Linear<L> {
    /// The function with these values at the triangle's corners.
    #[inline(always)]
    fn new(h: [L; 3]) -> Self {
        Linear { first: h[0], along: [h[1] - h[0], h[2] - h[0]] }
    }

    #[inline(always)]
    fn at(&self, [alpha, beta]: [L; 2]) -> L {
        self.first + alpha * self.along[0] + beta * self.along[1]
    }
}

impl<L: Lane<Scalar = f64>> Polygon<L> {
    /// Keeps the part where the linear function with these values at the triangle's corners is not negative.
    #[inline(always)]
    fn cut(&mut self, simd: L::Simd, h: [L; 3]) {
        // One instance for each number of corners, so that the corners stay in registers.
        match self.count {
            3 => self.cut_off::<3>(simd, h),
            4 => self.cut_off::<4>(simd, h),
            5 => self.cut_off::<5>(simd, h),
            6 => self.cut_off::<6>(simd, h),
            7 => self.cut_off::<7>(simd, h),
            8 => self.cut_off::<8>(simd, h),
            9 => self.cut_off::<9>(simd, h),
            _ => self.cut_off::<{ MOST - 1 }>(simd, h),
        }
        self.count += 1;
    }

    #[inline(always)]
    fn cut_off<const CORNERS: usize>(&mut self, simd: L::Simd, h: [L; 3]) {
        let zero = L::splat(simd, 0.0);
        let side = Linear::new(h);
        let on = -(h[0].abs().max(h[1].abs()).max(h[2].abs()) * L::splat(simd, ON));
        let (mut alpha, mut beta) = ([zero; CORNERS], [zero; CORNERS]);
        let mut inside = [zero.le(zero); CORNERS];
        for k in 0..CORNERS {
            (alpha[k], beta[k]) = (self.alpha[k], self.beta[k]);
            inside[k] = on.le(side.at([alpha[k], beta[k]]));
        }
        // The crossing where the boundary leaves the inside, then the one where it comes back.
        let (mut out, mut back) = (Crossing::new(simd), Crossing::new(simd));
        for k in 0..CORNERS {
            let j = if k + 1 < CORNERS { k + 1 } else { 0 };
            out.take(inside[k] & !inside[j], [alpha[k], beta[k]], [alpha[j], beta[j]]);
        }
        let out = out.point(simd, &side);
        for k in 0..CORNERS {
            let j = if k + 1 < CORNERS { k + 1 } else { 0 };
            back.take(inside[j] & !inside[k], [alpha[j], beta[j]], [alpha[k], beta[k]]);
        }
        self.replace(simd, (&alpha, &beta), &inside, out, back.point(simd, &side));
    }

    /// Replaces the corners outside by both crossings. Where corner 0 is inside, the crossings replace the first run of corners outside, and the
    /// corners behind that run move up by one place. Where corner 0 is outside, places before the first corner inside hold the second crossing,
    /// and places behind the last one hold the first crossing.
    ///
    /// Later selections override earlier ones, so most masks need no explicit exclusion.
    #[inline(always)]
    fn replace<const CORNERS: usize>(
        &mut self,
        simd: L::Simd,
        (alpha, beta): (&[L; CORNERS], &[L; CORNERS]),
        inside: &[L::Mask; CORNERS],
        out: [L; 2],
        back: [L; 2],
    ) {
        let zero = L::splat(simd, 0.0);
        let first = inside[0];
        // `run`: the corners in a row from corner 0 on that are inside. `seen`: whether a corner was inside, where corner 0 is not.
        let (mut run, mut seen) = (first, zero.lt(zero));
        for k in 0..CORNERS + 1 {
            let here = if k == CORNERS { 0 } else { k };
            let before = if k > 0 { k - 1 } else { 0 };
            let later = inside[here] & !first;
            seen = seen | later;
            let leaves = run | seen;
            run = run & inside[here];
            let keep = run | later;
            let (mut a, mut b) = back.into();
            if k > 0 {
                let moved = inside[before] & first;
                (a, b) = (L::select(moved, alpha[before], a), L::select(moved, beta[before], b));
            }
            (a, b) = (L::select(leaves, out[0], a), L::select(leaves, out[1], b));
            self.alpha[k] = L::select(keep, alpha[here], a);
            self.beta[k] = L::select(keep, beta[here], b);
        }
        self.some = self.some & (first | seen);
    }

    /// Sums over the triangles of the fan about corner 0. For linear f and h over a triangle, with their values at its corners, `int f h = area /
    /// 12 (sum f sum h + sum f h)`.
    #[inline(always)]
    fn integrate(&self, simd: L::Simd, gap: [L; 3], to: &mut [[f64; COLUMNS]; 5], at: usize) {
        let (zero, one) = (L::splat(simd, 0.0), L::splat(simd, 1.0));
        let (along_a, along_b) = (gap[1] - gap[0], gap[2] - gap[0]);
        let mut pressure = [zero; MOST];
        let mut least = one;
        for (k, to) in pressure.iter_mut().enumerate().take(self.count) {
            let g = (gap[0] + self.alpha[k] * along_a + self.beta[k] * along_b).max(zero);
            least = least.min(g);
            *to = (one - g).max(zero);
        }
        let mut sums = [zero; 4];
        let (a0, b0, p0) = (self.alpha[0], self.beta[0], pressure[0]);
        for k in 2..self.count {
            let (a1, b1, p1) = (self.alpha[k - 1], self.beta[k - 1], pressure[k - 1]);
            let (a2, b2, p2) = (self.alpha[k], self.beta[k], pressure[k]);
            let twice = (a1 - a0) * (b2 - b0) - (a2 - a0) * (b1 - b0);
            let sum = p0 + p1 + p2;
            sums[0] = sums[0] + twice;
            sums[1] = sums[1] + twice * sum;
            sums[2] = sums[2] + twice * (sum * (a0 + a1 + a2) + (p0 * a0 + p1 * a1 + p2 * a2));
            sums[3] = sums[3] + twice * (sum * (b0 + b1 + b2) + (p0 * b0 + p1 * b1 + p2 * b2));
        }
        let per = [1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 24.0];
        for row in 0..4 {
            L::select(self.some, sums[row] * L::splat(simd, per[row]), zero).store(&mut to[row], at);
        }
        least.store(&mut to[4], at);
    }
}

/// One number for each face of a batch.
pub(in crate::contact) type Row = [f64; COLUMNS];

/// Three rows.
#[inline(always)]
pub(in crate::contact) fn load3<L: Lane<Scalar = f64>>(simd: L::Simd, rows: &[Row], at: usize) -> [L; 3] {
    [L::load(simd, &rows[0], at), L::load(simd, &rows[1], at), L::load(simd, &rows[2], at)]
}
