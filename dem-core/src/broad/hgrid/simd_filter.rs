//! Tests a body against runs of bodies, a vector at a time. Blocks with hits are buffered in a list and written later,
//! so that the test loop has no unpredictable branch.
//!
//! # Error bound of the filter
//! Coordinates are kept in single precision, relative to the first cell of their page (x) and to their cell (y, z), in
//! units of a power of two near the cell size s. Coordinates within a page are below 34 s; those of a body of another
//! level, relative to that page, are below R + 34 s, where R is its reach. With u = 2^-24 the errors of a difference of
//! coordinates are at most u (34 s + 2 s + (R + 34 s) + R) along an axis, times sqrt(3) for the distance; three
//! operations on squares and three on sums of radii add less than 10 u R. `slack` of [`Level`] bounds the rounding of
//! page origins in double precision and that of the canonical decision. So with `doubt = u (128 s + 16 R) + slack`, and
//! `reach` the computed sum of radii and margin, a pair is surely out if its computed distance is more than
//! `reach + doubt`, and surely in if its square is less than `(reach + doubt) (reach - 3 doubt)`, which is less than
//! the square of `reach - doubt`. Pairs between the two bounds are decided canonically. Numbers that overflow single
//! precision count as doubtful.

use super::super::candidate::{Candidate, Room};
use super::batch::Group;
use super::cell_rows::View;
use super::frame::{Level, level_of};
use super::grid::GONE;
use crate::real::{max, min};
use crate::simd::{Kernel, Lane, Mask, Simd};

/// A block of bodies, some of which are near a body.
#[derive(Clone, Copy, Debug, Default)]
struct BlockHits {
    /// The body, in the grid's order.
    p: u32,
    /// Place of the first body of the block.
    at: u32,
    near: u16,
    sure: u16,
}

/// Bodies of a block, equal for all instruction sets, so that the order of candidates is equal, too.
pub(super) const BLOCK: usize = 16;

/// Capacity of the buffer of blocks with hits.
const BUFFER: usize = 256;

/// A body that is tested against a target.
#[derive(Clone, Copy)]
pub(super) struct Probe {
    /// Place in the grid's order.
    pub p: usize,
    /// Coordinates relative to the target's page.
    pub at: [f32; 3],
    pub radius: f32,
}

/// A run of bodies to test against.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub start: usize,
    pub end: usize,
    /// Added to the coordinates of the target's bodies to give coordinates relative to the probe's page.
    pub offset: [f32; 3],
    pub shift: [i64; 3],
    /// Sum of margin and doubt, in units of the level.
    pub wider: f32,
    /// Four times the doubt.
    pub doubt: f32,
}

pub(super) struct Hits<'g, 'r, 'o> {
    pub(super) view: View<'g>,
    /// All pairs are wanted, and all shifts are 0.
    plain: bool,
    /// Some bodies lie outside the first period.
    imaged: bool,
    room: &'r mut Room<'o>,
    buffered: [BlockHits; BUFFER],
    /// Shifts of the buffered blocks in periodic spaces.
    shifts: [[i16; 3]; BUFFER],
    open: bool,
    /// Working memory of `neighbours`.
    pub(super) group: Group,
    pub(super) count: usize,
    /// Pairs of bodies in neighbouring cells.
    pub(super) tested: u64,
}

impl<'g, 'r, 'o> Hits<'g, 'r, 'o> {
    pub(super) fn new(view: View<'g>, room: &'r mut Room<'o>) -> Self {
        let open = view.query.space.is_open();
        let plain = view.query.bodies.all_wanted() && open;
        let imaged = view.grid.built[0].imaged != 0;
        let (buffered, shifts) = ([BlockHits::default(); BUFFER], [[0; 3]; BUFFER]);
        Hits { view, plain, imaged, room, buffered, shifts, open, group: Group::NONE, count: 0, tested: 0 }
    }

    pub(super) fn room(&mut self) -> &mut Room<'o> {
        self.room
    }

    /// Tests the bodies `first..end` of a cell against a target on their level. With `OWN` the target begins with these
    /// bodies, and each is tested only against bodies after it.
    #[inline(always)]
    pub(super) fn cell<S: Simd, const OWN: bool>(&mut self, simd: S, first: usize, end: usize, to: &Target) {
        let grid = self.view.grid;
        // A local variable stays in a register; through memory each block would wait for the store of the previous one.
        let mut count = self.count;
        let rows = (&grid.x[first..end], &grid.y[first..end], &grid.z[first..end], &grid.r[first..end]);
        let mut at = to.start;
        while at < to.end {
            // The first vector of the block, loaded once for all bodies of the cell.
            let vector = self.load(simd, at, to);
            let live = live(to.end - at);
            for i in 0..end - first {
                let p = first + i;
                let probe = Probe { p, at: [rows.0[i], rows.1[i], rows.2[i]], radius: rows.3[i] };
                let mut live = live;
                if OWN {
                    // Masks out the body itself and the bodies before it.
                    let gone = (p + 1).saturating_sub(at);
                    live &= if gone < BLOCK { u32::MAX << gone } else { 0 };
                }
                self.block(simd, &probe, vector, at, live, to, &mut count);
            }
            at += BLOCK;
        }
        self.count = count;
    }

    /// Tests one body against a target.
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

    /// Coordinates and radii of one vector of bodies from `at` on.
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

    /// Tests a body against a block, whose first vector has been loaded.
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
        let (mut near, mut sure) = test_one(simd, probe, vector, to);
        let mut lane = S::F32::LANES;
        while lane < BLOCK {
            let more = test_one(simd, probe, self.load(simd, at + lane, to), to);
            (near, sure) = (near | more.0 << lane, sure | more.1 << lane);
            lane += S::F32::LANES;
        }
        self.buffer([probe.p, at], near & live, sure, to.shift, count);
        if *count == BUFFER {
            simd.call(WriteBuffered { hits: self, count: BUFFER });
            *count = 0;
        }
    }

    /// Buffers a block if `near` is not 0. The buffer must not be full.
    #[inline(always)]
    pub(super) fn buffer(&mut self, [p, at]: [usize; 2], near: u32, sure: u32, shift: [i64; 3], count: &mut usize) {
        let i = *count & (BUFFER - 1);
        // Written without a branch; kept only if `near` is not 0.
        self.buffered[i] = BlockHits { p: p as u32, at: at as u32, near: near as u16, sure: sure as u16 };
        if !self.open {
            self.shifts[i] = shift.map(|shift| shift as i16);
        }
        *count += usize::from(near != 0);
    }

    /// Flushes the buffer unless it has room for this many blocks and one more, because the next caller must not find it full.
    #[inline(always)]
    pub(super) fn reserve<S: Simd>(&mut self, simd: S, blocks: usize) {
        if self.count + blocks >= BUFFER {
            self.flush(simd);
        }
    }

    /// Writes the candidates of all buffered blocks.
    pub(super) fn flush<S: Simd>(&mut self, simd: S) {
        let count = self.count;
        simd.call(WriteBuffered { hits: self, count });
        self.count = 0;
    }

    /// Writes the candidates of the first `count` buffered blocks.
    #[inline(always)]
    fn write(&mut self, count: usize) {
        let (ids, probes) = (self.view.grid.ids, self.view.probes);
        for e in 0..count {
            let entry = self.buffered[e];
            let (p, block) = (probes[entry.p as usize], &ids[entry.at as usize..]);
            if !self.plain || entry.near & !entry.sure != 0 {
                self.write_decided(e, p, block);
                continue;
            }
            // Writes four records at once, because a branch on their number is unpredictable. Few blocks have more.
            let mut bits = u32::from(entry.near);
            if let Some(to) = self.room.places::<4>() {
                let some = min(bits.count_ones() as usize, 4);
                for record in to {
                    // Records beyond `some` are garbage that the next write replaces.
                    *record = Candidate::apart(p, block[bits.trailing_zeros() as usize & (BLOCK - 1)]);
                    bits &= bits.wrapping_sub(1);
                }
                self.room.add(some);
            }
            while bits != 0 {
                self.room.put(Candidate::apart(p, block[bits.trailing_zeros() as usize]));
                bits &= bits - 1;
            }
        }
    }

    /// Writes the candidates of a block that pass the canonical decision and the filter of wanted pairs.
    fn write_decided(&mut self, e: usize, p: u32, block: &[u32]) {
        let (entry, query) = (self.buffered[e], self.view.query);
        let mut bits = entry.near;
        while bits != 0 {
            let lane = bits.trailing_zeros();
            bits &= bits - 1;
            let q = block[lane as usize];
            // Removed bodies (`GONE`) are placed far away, but they are near each other, and near bodies whose radii overflow single precision.
            if p == GONE || q == GONE {
                continue;
            }
            let mut shift = if self.open { [0; 3] } else { self.shifts[e] };
            if self.imaged {
                let (from, to) = (self.image(p), self.image(q));
                shift = [0, 1, 2].map(|k| shift[k] + from[k] - to[k]);
            }
            let c = Candidate::new(p, q, shift);
            let (a, b) = (c.a as usize, c.b as usize);
            let sure = entry.sure >> lane & 1 != 0;
            if (sure || query.reaches(a, b, c.shift)) && query.bodies.wanted(a, b) {
                self.room.put(c);
            }
        }
    }

    /// The periodic image that a body is in.
    pub(super) fn image(&self, id: u32) -> [i16; 3] {
        let query = self.view.query;
        let sphere = query.sphere(id as usize);
        let number = level_of(self.view.levels, query.diameter(sphere.radius));
        self.view.levels[number].cell(number, &sphere.centre, self.view.axes).image.map(|k| k as i16)
    }

    /// Whether some bodies lie outside the first period.
    #[inline(always)]
    pub(super) fn imaged(&self) -> bool {
        self.imaged
    }
}

/// Writes the candidates of the first `count` buffered blocks.
struct WriteBuffered<'h, 'g, 'r, 'o> {
    hits: &'h mut Hits<'g, 'r, 'o>,
    count: usize,
}

impl Kernel for WriteBuffered<'_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        self.hits.write(self.count);
    }
}

/// Bits of the lanes that may be near, and of those that surely are.
#[inline(always)]
pub(super) fn test<S: Simd>(simd: S, [dx, dy, dz]: [S::F32; 3], reach: S::F32, doubt: f32) -> (u32, u32) {
    let square = dx.fused(dx, dy.fused(dy, dz * dz));
    // Negated `lt`, so that NaN counts as near.
    let near = !(reach * reach).lt(square);
    let sure = square.lt(reach * (reach - S::F32::splat(simd, doubt)));
    (near.bits(), sure.bits())
}

/// Tests a body against a vector of others.
#[inline(always)]
fn test_one<S: Simd>(simd: S, probe: &Probe, [x, y, z, r]: [S::F32; 4], to: &Target) -> (u32, u32) {
    let [px, py, pz] = probe.at;
    let d = [x - S::F32::splat(simd, px), y - S::F32::splat(simd, py), z - S::F32::splat(simd, pz)];
    test(simd, d, r + S::F32::splat(simd, probe.radius), to.doubt)
}

/// Bits of the lanes of a block that belong to the run.
#[inline(always)]
pub(super) fn live(left: usize) -> u32 {
    (1u32 << min(left, BLOCK)) - 1
}

/// Error bound of the filter for sums of radii up to `reach`, in units of the level, rounded up.
#[inline(always)]
pub(super) fn doubt(level: &Level, reach: f64) -> f32 {
    const U: f64 = 1.0 / (1u32 << 24) as f64;
    let [x, y, z] = level.edges;
    let edge = max(max(x, y), max(z, level.size));
    let [x, y, z] = level.slack;
    let slack = max(max(x, y), z);
    ((U * (128.0 * edge + 16.0 * reach) + slack) * level.scale * (1.0 + 4.0 * U)) as f32
}
