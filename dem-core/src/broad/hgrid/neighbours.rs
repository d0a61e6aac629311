//! A cell that is neither the first nor the last of its page: pairs of its bodies with each other and with the bodies
//! in the forward half of the neighbouring cells.
//!
//! Neighbouring cells form five rows of three cells. A body is small beside a row: it reaches one or two cells of most
//! rows, and none of many. So the distances of a body from all these cells are computed first, and the body is then
//! tested against the cells within reach. The rounding error of a distance from a cell is at most that of a distance
//! from a body in the cell, which three times the doubt covers (see `simd_filter`).

use super::batch::{GROUP, STRIDE};
use super::frame::Level;
use super::grid::HGridRef;
use super::page_table::{Pages, Slot};
use super::simd_filter::{BLOCK, Hits, live, test};
use crate::real::min;
use crate::simd::{Lane, Mask, Simd};

/// Rows of the forward half, beginning with the row of the cell itself: steps along y and z.
pub(super) const FORWARD: [[i64; 2]; 5] = [[0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/// The bit of the first body of a group in each of the five rows.
const FIRST: u64 = 1 | 1 << GROUP | 1 << (2 * GROUP) | 1 << (3 * GROUP) | 1 << (4 * GROUP);

/// Lengths in the scaled unit of a level.
#[derive(Clone, Copy, Default)]
pub(super) struct Lengths {
    /// Edges of cells.
    edges: [f32; 3],
    /// Steps to each row along y and z.
    offsets: [[f32; 2]; 5],
    /// Sum of the largest radius, the margin and three times the doubt.
    largest: f32,
    /// Sum of margin and doubt.
    wider: f32,
    /// Four times the doubt.
    doubt: f32,
}

impl Lengths {
    pub(super) fn new(level: &Level, margin: f64, doubt: f32) -> Lengths {
        let wider = (margin * level.scale) as f32 + doubt;
        // `widest` is a diameter with the margin included.
        let largest = (0.5 * level.widest * level.scale) as f32 + wider + 2.0 * doubt;
        let edges = level.edges.map(|edge| (edge * level.scale) as f32);
        let offsets = FORWARD.map(|[dy, dz]| [dy as f32 * edges[1], dz as f32 * edges[2]]);
        Lengths { edges, offsets, largest, wider, doubt: 4.0 * doubt }
    }
}

/// A cell and the five rows of neighbouring cells.
pub(super) struct Neighbourhood<'l> {
    start: usize,
    end: usize,
    /// First body of each of the three cells of a row, and the end of the third cell.
    rows: [[u32; 4]; 5],
    /// Coordinate of the cell's low side in its page.
    x: f32,
    lengths: &'l Lengths,
}

impl<'l> Neighbourhood<'l> {
    /// Rows around the cell with bodies `start..end` at `place` in its page, neither the first nor the last place.
    /// `slots` are the pages of the rows.
    #[inline(always)]
    pub(super) fn new(
        lengths: &'l Lengths,
        pages: &Pages<'_>,
        slots: &[Slot; 5],
        place: u32,
        start: usize,
        end: usize,
    ) -> Self {
        let mut rows = [[0; 4]; 5];
        let mut row = 0;
        while row < 5 {
            rows[row] = pages.three(&slots[row], place);
            row += 1;
        }
        Neighbourhood { start, end, rows, x: place as f32 * lengths.edges[0], lengths }
    }

    /// Number of pairs of a body of the cell with a later body of the cell or a body of the neighbouring cells.
    #[inline(always)]
    pub(super) fn pairs(&self) -> u64 {
        let bodies = (self.end - self.start) as u64;
        let [own, others @ ..] = &self.rows;
        let beside = others.iter().fold(u64::from(own[3]), |sum, row| sum + u64::from(row[3] - row[0]));
        bodies * (beside - self.end as u64) + bodies * (bodies - 1) / 2
    }
}

impl Hits<'_, '_, '_> {
    /// Tests the bodies of a cell against each other and against the bodies of neighbouring cells.
    #[inline(always)]
    pub(super) fn around<S: Simd>(&mut self, simd: S, to: &Neighbourhood<'_>) {
        for first in (to.start..to.end).step_by(GROUP) {
            let mut left = self.reached(simd, first, to) & (((1 << min(to.end - first, GROUP)) - 1) * FIRST);
            self.reserve(simd, 5 * GROUP);
            // In a register, because through memory each block would wait for the previous one.
            let mut count = self.count;
            // Ranges longer than a block are finished below, which saves an unpredictable branch here.
            let mut more = 0;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                let (place, start, end) = self.group.run(bit);
                more |= u64::from(start + BLOCK < end) << bit;
                self.meet(simd, to, first, place, start, end, &mut count);
            }
            self.count = count;
            while more != 0 {
                let bit = more.trailing_zeros() as usize;
                more &= more - 1;
                let (place, start, end) = self.group.run(bit);
                for at in (start + BLOCK..end).step_by(BLOCK) {
                    self.reserve(simd, 1);
                    let mut count = self.count;
                    self.meet(simd, to, first, place, at, end, &mut count);
                    self.count = count;
                }
            }
        }
    }

    /// Tests a body against the block of a row that begins at `start`, up to `end`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        to: &Neighbourhood<'_>,
        first: usize,
        place: usize,
        start: usize,
        end: usize,
        count: &mut usize,
    ) {
        let HGridRef { x, y, z, r, .. } = self.view.grid;
        // Slices of equal length need one bounds check.
        let n = x.len();
        let (y, z, r) = (&y[..n], &z[..n], &r[..n]);
        let (group, body) = (&self.group, place % STRIDE);
        let probe = [group.x[body], group.y[place], group.z[place], group.reach[body]];
        let (mut near, mut sure, mut lane) = (0, 0, 0);
        while lane < BLOCK {
            let at = start + lane;
            let dx = S::F32::load(simd, x, at) - S::F32::splat(simd, probe[0]);
            let dy = S::F32::load(simd, y, at) - S::F32::splat(simd, probe[1]);
            let dz = S::F32::load(simd, z, at) - S::F32::splat(simd, probe[2]);
            let reach = S::F32::load(simd, r, at) + S::F32::splat(simd, probe[3]);
            let bits = test(simd, [dx, dy, dz], reach, to.lengths.doubt);
            (near, sure) = (near | bits.0 << lane, sure | bits.1 << lane);
            lane += S::F32::LANES;
        }
        self.buffer([first + body, start], near & live(end.wrapping_sub(start)), sure, [0; 3], count);
    }

    /// Which bodies of the group that begins at `first` come within reach of the middle column of which row (a bit
    /// each). Fills `self.group` with the ranges to test.
    #[inline(always)]
    fn reached<S: Simd>(&mut self, simd: S, first: usize, to: &Neighbourhood<'_>) -> u64 {
        let grid = self.view.grid;
        let [edge_x, edge_y, edge_z] = to.lengths.edges;
        let zero = S::F32::splat(simd, 0.0);
        let group = &mut self.group;
        let mut reached = 0;
        let most = min(to.end - first, GROUP);
        let mut lane = 0;
        while lane < most {
            let at = first + lane;
            let whole = S::F32::load(simd, grid.x, at);
            let x = whole - S::F32::splat(simd, to.x);
            let (y, z, r) =
                (S::F32::load(simd, grid.y, at), S::F32::load(simd, grid.z, at), S::F32::load(simd, grid.r, at));
            whole.store(&mut group.x, lane);
            (r + S::F32::splat(simd, to.lengths.wider)).store(&mut group.reach, lane);
            let reach = r + S::F32::splat(simd, to.lengths.largest);
            let to_x = S::F32::splat(simd, edge_x) - x;
            let to_y = S::F32::splat(simd, edge_y) - y;
            let to_z = S::F32::splat(simd, edge_z) - z;
            let (reach, below, above, next) = (reach * reach, y * y, to_y * to_y, to_z * to_z);
            let (before, behind) = (x * x, to_x * to_x);
            let rows = [zero, above, below + next, next, above + next];
            let mut row = 0;
            while row < 5 {
                let (place, cells) = (STRIDE * row + lane, &to.rows[row]);
                let square = rows[row];
                let (not_before, not_behind) = (reach.lt(square + before), reach.lt(square + behind));
                let [a, b, c, d] = cells.map(f32::from_bits);
                let start = S::F32::select(not_before, S::F32::splat(simd, b), S::F32::splat(simd, a));
                let end = S::F32::select(not_behind, S::F32::splat(simd, c), S::F32::splat(simd, d));
                start.store(&mut group.start, place);
                end.store(&mut group.end, place);
                (y - S::F32::splat(simd, to.lengths.offsets[row][0])).store(&mut group.y, place);
                (z - S::F32::splat(simd, to.lengths.offsets[row][1])).store(&mut group.z, place);
                // Negated `lt`, so that NaN counts as near.
                let near = (!reach.lt(square)).bits() << lane & ((1 << GROUP) - 1);
                let near = if row > 0 && cells[0] == cells[3] { 0 } else { near };
                reached |= u64::from(near) << (GROUP * row);
                row += 1;
            }
            lane += S::F32::LANES;
        }
        // In its own cell, a body is tested against the bodies after it.
        let mut body = 0;
        while body < STRIDE {
            group.start[body] = f32::from_bits((first + 1 + body) as u32);
            body += 1;
        }
        reached
    }
}
