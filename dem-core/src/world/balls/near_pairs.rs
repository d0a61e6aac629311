//! The near pairs of the list, several at a time.

use super::images::Images;
use super::pair_kernel::{BLOCK, NONE};
use super::view::Seen;
use crate::simd::{Kernel, Lane, Mask, Simd};

/// Number of pairs tested together.
pub(super) const CHUNK: usize = 64;

/// Tests as many pairs as a word has bits. Returns the pairs that may touch, which include all pairs with a half-space, and the pairs with a
/// half-space.
pub(super) struct Near<'k> {
    pub images: &'k Images,
    pub seen: &'k Seen<'k>,
    /// Sum of radius and halo of all bodies, if it is the same for all.
    pub reach: Option<f64>,
    pub pairs: &'k [[u32; 2]],
}

impl Kernel for Near<'_> {
    type Output = [u64; 2];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [u64; 2] {
        match (self.seen.points.is_none(), self.reach) {
            (false, _) => self.all::<S, POINTS>(simd, 0.0),
            (true, Some(reach)) => self.all::<S, ONE_SIZE>(simd, reach),
            (true, None) => self.all::<S, BALLS>(simd, 0.0),
        }
    }
}

/// The kind of pairs: balls if some bodies are compounds, balls of one size, and others.
const POINTS: u32 = 0;
const ONE_SIZE: u32 = 1;
const BALLS: u32 = 2;

/// The position of each ball of some pairs, and a row with its reach.
type Rows<'r> = [[&'r [f64; 4]; BLOCK]; 2];

impl Near<'_> {
    #[inline(always)]
    fn all<S: Simd, const OF: u32>(&self, simd: S, reach: f64) -> [u64; 2] {
        let (mut near, mut flat, mut at) = (0, 0, 0);
        while at < self.pairs.len().min(CHUNK) {
            let [some, planes] = match OF {
                POINTS => self.of_points(simd, at),
                ONE_SIZE => self.of_one_size(simd, at, reach),
                _ => self.of_balls(simd, at),
            };
            (near, flat) = (near | u64::from(some) << at, flat | u64::from(planes) << at);
            at += S::F64::LANES;
        }
        [near, flat]
    }

    #[inline(always)]
    fn of_points<S: Simd>(&self, simd: S, at: usize) -> [u32; 2] {
        let mut rows: Rows = [[NONE; BLOCK]; 2];
        let mut lane = 0;
        while lane < S::F64::LANES {
            if let Some([a, b]) = self.pairs.get(at + lane)
                && let (Some(p), Some(q)) = (self.seen.places.get(*a as usize), self.seen.places.get(*b as usize))
            {
                (rows[0][lane], rows[1][lane]) = (p, q);
            }
            lane += 1;
        }
        let (p, q) = (S::F64::columns(simd, &rows[0], 0), S::F64::columns(simd, &rows[1], 0));
        let reach = p[3] + q[3];
        [self.within(simd, p, q, reach), S::F64::splat(simd, f64::INFINITY).eq(reach).bits()]
    }

    #[inline(always)]
    fn of_one_size<S: Simd>(&self, simd: S, at: usize, reach: f64) -> [u32; 2] {
        let mut rows: Rows = [[NONE; BLOCK]; 2];
        let mut lane = 0;
        while lane < S::F64::LANES {
            if let Some([a, b]) = self.pairs.get(at + lane)
                && let (Some(p), Some(q)) = (self.seen.position(*a as usize), self.seen.position(*b as usize))
            {
                (rows[0][lane], rows[1][lane]) = (p, q);
            }
            lane += 1;
        }
        let (p, q) = (S::F64::columns(simd, &rows[0], 0), S::F64::columns(simd, &rows[1], 0));
        [self.within(simd, p, q, S::F64::splat(simd, reach + reach)), 0]
    }

    #[inline(always)]
    fn of_balls<S: Simd>(&self, simd: S, at: usize) -> [u32; 2] {
        let (mut rows, mut radii): (Rows, Rows) = ([[NONE; BLOCK]; 2], [[NONE; BLOCK]; 2]);
        let mut lane = 0;
        while lane < S::F64::LANES {
            if let Some([a, b]) = self.pairs.get(at + lane)
                && let (Some(p), Some(q)) = (self.seen.ball(*a as usize), self.seen.ball(*b as usize))
            {
                (rows[0][lane], rows[1][lane]) = (p.position(), q.position());
                (radii[0][lane], radii[1][lane]) = (p.radius(), q.radius());
            }
            lane += 1;
        }
        let (p, q) = (S::F64::columns(simd, &rows[0], 0), S::F64::columns(simd, &rows[1], 0));
        let [r, h, _, _] = S::F64::columns(simd, &radii[0], 0);
        let [s, k, _, _] = S::F64::columns(simd, &radii[1], 0);
        let zero = S::F64::splat(simd, 0.0);
        let flat = r.lt(zero).bits() | s.lt(zero).bits();
        [self.within(simd, p, q, (r + h) + (s + k)) | flat, flat]
    }

    /// The pairs, among these, within this distance.
    #[inline(always)]
    fn within<S: Simd>(&self, simd: S, p: [S::F64; 4], q: [S::F64; 4], reach: S::F64) -> u32 {
        let [x, y, z] = self.images.apart_lanes(simd, p, q);
        (x * x + y * y + z * z).le(reach * reach * S::F64::splat(simd, 1.0 + 1e-9)).bits()
    }
}
