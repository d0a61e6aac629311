//! Bodies against runs of bodies, a vector at a time; what is near waits in a list and is then written without a branch
//! that could not be foreseen.
//!
//! # What the filter may say
//! Coordinates are kept in single precision, relative to the first cell of their page (x) and to their cell (y, z), in
//! units of a power of two near the cell size s. Those of a page are below 34 s, those of a body of another level as seen
//! from that page below its reach R + 34 s. With u = 2^-24 the errors of a difference of coordinates are at most
//! u (34 s + 2 s + (R + 34 s) + R) along an axis, times sqrt(3) for the distance; three operations on squares and three on
//! sums of radii add less than 10 u R. Multiples of edges, taken off in double precision, and the rounding of the canonical
//! decision are what [`Level`]'s `slack` is for. So with `doubt = u (128 s + 16 R) + slack`, and `reach` the computed sum of
//! radii and margin, a pair is surely out if its computed distance is more than `reach + doubt`, and surely in if its square
//! is less than `(reach + doubt) (reach - 3 doubt)`, which is less than the square of `reach - doubt`. What is between the
//! two, some millionths of all pairs near the threshold, is decided canonically. Numbers that overflow single precision
//! compare as doubtful.

use super::super::candidate::{Candidate, Room};
use super::frame::{Level, level_of};
use super::rows::View;
use crate::real::max;
use crate::simd::{Lane, Mask, Simd};

/// Bodies of a block that are near a body.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    /// The body, in the grid's order.
    p: u32,
    /// The first body of the block.
    at: u32,
    near: u16,
    sure: u16,
    shift: [i16; 3],
}

/// Bodies tested at once, whatever the instruction set, so that the order of the answer is the same.
const BLOCK: usize = 16;

/// Blocks that wait.
const WAITING: usize = 128;

/// A body as seen from where it is looked for.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    /// In the grid's order.
    pub p: usize,
    /// In the coordinates of a page.
    pub at: [f32; 3],
    pub radius: f32,
}

/// Where to look.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub start: usize,
    pub end: usize,
    /// What is added to coordinates there to have those that the bodies are given in.
    pub offset: [f32; 3],
    pub shift: [i64; 3],
    /// Margin and doubt, in units of the level.
    pub wider: f32,
    /// Four times the doubt.
    pub doubt: f32,
}

pub(super) struct Hits<'g, 'r, 'o> {
    view: View<'g>,
    /// Nobody need be asked whether a pair is wanted, and all shifts are 0.
    plain: bool,
    /// Some bodies are not in image 0.
    imaged: bool,
    room: &'r mut Room<'o>,
    waiting: [Near; WAITING + 1],
    count: usize,
}

impl<'g, 'r, 'o> Hits<'g, 'r, 'o> {
    pub(super) fn new(view: View<'g>, room: &'r mut Room<'o>) -> Self {
        let plain = view.query.bodies.all_wanted() && view.query.space.is_open();
        let imaged = view.grid.built[0].imaged != 0;
        Hits { view, plain, imaged, room, waiting: [Near::default(); WAITING + 1], count: 0 }
    }

    pub(super) fn room(&mut self) -> &mut Room<'o> {
        self.room
    }

    /// The bodies from `first` to `end` of a cell against a target on their level. `OWN`: the target begins with the bodies
    /// themselves, and each meets only those behind it.
    #[inline(always)]
    pub(super) fn cell<S: Simd, const OWN: bool>(&mut self, simd: S, first: usize, end: usize, to: &Target) {
        let grid = self.view.grid;
        // In a register: through memory each block would wait for the one before.
        let mut count = self.count;
        let rows = (&grid.x[first..end], &grid.y[first..end], &grid.z[first..end], &grid.r[first..end]);
        let mut at = to.start;
        while at < to.end {
            // Loaded once for all bodies of the cell; where a block takes several vectors, this is the first.
            let vector = self.load(simd, at, to);
            let live = live(to.end - at);
            for i in 0..end - first {
                let p = first + i;
                let probe = Probe { p, at: [rows.0[i], rows.1[i], rows.2[i]], radius: rows.3[i] };
                let mut live = live;
                if OWN {
                    // Those from the body itself down are gone.
                    let gone = (p + 1).saturating_sub(at);
                    live &= if gone < BLOCK { u32::MAX << gone } else { 0 };
                }
                self.block(simd, &probe, vector, at, live, to, &mut count);
            }
            at += BLOCK;
        }
        self.count = count;
    }

    /// One body, given in the coordinates of the target's page, against a target.
    #[inline(always)]
    pub(super) fn one<S: Simd>(&mut self, simd: S, probe: &Probe, to: &Target) {
        let (mut at, mut count) = (to.start, self.count);
        while at < to.end {
            let vector = self.load(simd, at, to);
            self.block(simd, probe, vector, at, live(to.end - at), to, &mut count);
            at += BLOCK;
        }
        self.count = count;
    }

    /// Coordinates and radii from `at` on.
    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, at: usize, to: &Target) -> [S::F32; 4] {
        let grid = &self.view.grid;
        [
            S::F32::load(simd, grid.x, at) + S::F32::splat(simd, to.offset[0]),
            S::F32::load(simd, grid.y, at) + S::F32::splat(simd, to.offset[1]),
            S::F32::load(simd, grid.z, at) + S::F32::splat(simd, to.offset[2]),
            S::F32::load(simd, grid.r, at) + S::F32::splat(simd, to.wider),
        ]
    }

    /// A body against a block, whose first vector has been loaded.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn block<S: Simd>(
        &mut self,
        simd: S,
        probe: &Probe,
        vector: [S::F32; 4],
        at: usize,
        live: u32,
        to: &Target,
        count: &mut usize,
    ) {
        let (mut near, mut sure) = test(simd, probe, vector, to);
        let mut lane = S::F32::LANES;
        while lane < BLOCK {
            let more = test(simd, probe, self.load(simd, at + lane, to), to);
            (near, sure) = (near | more.0 << lane, sure | more.1 << lane);
            lane += S::F32::LANES;
        }
        near &= live;
        let [i, j, k] = to.shift;
        // Written in any case, and kept if there is something in it.
        self.waiting[*count & (WAITING - 1)] = Near {
            p: probe.p as u32,
            at: at as u32,
            near: near as u16,
            sure: sure as u16,
            shift: [i as i16, j as i16, k as i16],
        };
        *count += usize::from(near != 0);
        if *count == WAITING {
            self.write(WAITING);
            *count = 0;
        }
    }

    /// Writes what waits.
    pub(super) fn flush(&mut self) {
        self.write(self.count);
        self.count = 0;
    }

    /// Writes the first so many blocks.
    #[inline(never)]
    fn write(&mut self, count: usize) {
        let ids = self.view.grid.ids;
        let mut e = 0;
        let mut bits = self.waiting[0].near;
        let plain = self.plain;
        while e < count {
            let entry = self.waiting[e];
            let lane = bits.trailing_zeros();
            let (p, q) = (ids[entry.p as usize], ids[entry.at as usize + lane as usize]);
            let sure = entry.sure >> lane & 1 != 0;
            if plain && sure {
                self.room.put(Candidate::new(p, q, [0; 3]));
            } else {
                self.put(&entry, p, q, sure);
            }
            bits &= bits - 1;
            // The next block, without a jump: how many bodies are near could not be foreseen.
            let done = usize::from(bits == 0);
            e += done;
            bits |= self.waiting[e].near * done as u16;
        }
    }

    fn put(&mut self, entry: &Near, p: u32, q: u32, sure: bool) {
        let query = self.view.query;
        let mut shift = entry.shift;
        if self.imaged {
            let (from, to) = (self.image(p), self.image(q));
            shift = [0, 1, 2].map(|k| shift[k] + from[k] - to[k]);
        }
        let c = Candidate::new(p, q, shift);
        let (a, b) = (c.a as usize, c.b as usize);
        if (sure || query.reaches(a, b, c.shift)) && query.bodies.wanted(a, b) {
            self.room.put(c);
        }
    }

    /// Image that a body is in.
    pub(super) fn image(&self, id: u32) -> [i16; 3] {
        let query = self.view.query;
        let sphere = query.sphere(id as usize);
        let number = level_of(self.view.levels, query.diameter(sphere.radius));
        self.view.levels[number].cell(number, &sphere.centre, self.view.axes).image.map(|k| k as i16)
    }

    /// Whether images have to be asked for.
    #[inline(always)]
    pub(super) fn imaged(&self) -> bool {
        self.imaged
    }
}

/// Which lanes are near, and which of these surely.
#[inline(always)]
fn test<S: Simd>(simd: S, probe: &Probe, [x, y, z, r]: [S::F32; 4], to: &Target) -> (u32, u32) {
    let dx = x - S::F32::splat(simd, probe.at[0]);
    let dy = y - S::F32::splat(simd, probe.at[1]);
    let dz = z - S::F32::splat(simd, probe.at[2]);
    let square = dx.fused(dx, dy.fused(dy, dz * dz));
    let reach = r + S::F32::splat(simd, probe.radius);
    // Not less: what is not a number is not out.
    let near = !(reach * reach).lt(square);
    let sure = square.lt(reach * (reach - S::F32::splat(simd, to.doubt)));
    (near.bits(), sure.bits())
}

/// Bits of the lanes of a block that are in the run.
#[inline(always)]
fn live(left: usize) -> u32 {
    (1u32 << crate::real::min(left, BLOCK)) - 1
}

/// What the filter may be off by for sums of radii up to `reach`, in the units of the level, rounded up.
#[inline(always)]
pub(super) fn doubt(level: &Level, reach: f64) -> f32 {
    const U: f64 = 1.0 / (1u32 << 24) as f64;
    let [x, y, z] = level.edges;
    let edge = max(max(x, y), max(z, level.size));
    ((U * (128.0 * edge + 16.0 * reach) + level.slack) * level.scale * (1.0 + 4.0 * U)) as f32
}
