//! A cell in the middle of a page: its bodies against each other and those of the forward half of the cells around it.
//!
//! Bodies are small beside three cells in a row: most reach one or two of them, and many reach none. So the distances of the
//! bodies from all these cells are looked at first, and each body then meets what is left of each row. That is no more than
//! a filter: the distance from a cell is off by no more than that from a body in it, which three times the doubt covers
//! (see `hits`).

use super::frame::Level;
use super::grid::HGridRef;
use super::hits::{BLOCK, Hits, live, test};
use super::pages::{Pages, Slot};
use crate::real::min;
use crate::simd::{Lane, Mask, Simd};

/// Rows of the forward half, that of the cell itself included: steps along y and z.
pub(super) const FORWARD: [[i64; 2]; 5] = [[0, 0], [1, 0], [-1, 1], [0, 1], [1, 1]];

/// Bodies looked at together: as many bits for each row fit into a word.
pub(super) const GROUP: usize = 12;

/// The first body of a group in each row.
const FIRST: u64 = 1 | 1 << GROUP | 1 << (2 * GROUP) | 1 << (3 * GROUP) | 1 << (4 * GROUP);

/// Lengths in units of a level.
#[derive(Clone, Copy, Default)]
pub(super) struct Lengths {
    /// Edges of cells.
    edges: [f32; 3],
    /// Steps to each row along y and z.
    offsets: [[f32; 2]; 5],
    /// The largest radius, the margin and three times the doubt.
    largest: f32,
    /// Margin and doubt.
    wider: f32,
    /// Four times the doubt.
    doubt: f32,
}

impl Lengths {
    pub(super) fn new(level: &Level, margin: f64, doubt: f32) -> Lengths {
        let wider = (margin * level.scale) as f32 + doubt;
        // The width is a diameter, and the margin is part of it.
        let largest = (0.5 * level.widest * level.scale) as f32 + wider + 2.0 * doubt;
        let edges = level.edges.map(|edge| (edge * level.scale) as f32);
        let offsets = FORWARD.map(|[dy, dz]| [dy as f32 * edges[1], dz as f32 * edges[2]]);
        Lengths { edges, offsets, largest, wider, doubt: 4.0 * doubt }
    }
}

/// Places of a row, as many as the widest vector has lanes.
const STRIDE: usize = 16;

/// Places: five rows take 80 of them, and a power of two needs no look at the bounds.
const ALL: usize = 128;

/// The place of each bit of a group. Looked up, since a division by [`GROUP`] takes longer.
const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut bit = 0;
    while bit < 64 {
        places[bit] = (bit / GROUP * STRIDE + bit % GROUP) as u8;
        bit += 1;
    }
    places
};

/// What each body of a group meets of each row, at place `STRIDE * row + body`.
#[repr(C, align(64))]
pub(super) struct Group {
    /// The first body of the row that it meets, and that behind the last one: whole numbers as the bits of what lanes can choose from.
    /// Nothing is computed with these.
    start: [f32; ALL],
    end: [f32; ALL],
    /// Its coordinates as seen from the row.
    y: [f32; ALL],
    z: [f32; ALL],
    /// The same for all rows.
    x: [f32; STRIDE],
    /// Radius, margin and doubt.
    reach: [f32; STRIDE],
}

impl Group {
    pub(super) const NONE: Group = Group {
        start: [0.0; ALL],
        end: [0.0; ALL],
        y: [0.0; ALL],
        z: [0.0; ALL],
        x: [0.0; STRIDE],
        reach: [0.0; STRIDE],
    };

    /// Place of a bit, and the bodies from the first to behind the last that are met.
    #[inline(always)]
    fn run(&self, bit: usize) -> (usize, usize, usize) {
        let place = PLACES[bit & 63] as usize & (ALL - 1);
        (place, self.start[place].to_bits() as usize, self.end[place].to_bits() as usize)
    }
}

/// A cell and the rows of cells around it.
pub(super) struct Around<'l> {
    start: usize,
    end: usize,
    /// Where the cells of each row begin, and where the last one ends.
    rows: [[u32; 4]; 5],
    /// Where the cell begins in its page.
    x: f32,
    lengths: &'l Lengths,
}

impl<'l> Around<'l> {
    /// Around the cell with bodies `start` to `end` and this place in its page, neither the first nor the last one; the
    /// pages of the rows.
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
        Around { start, end, rows, x: place as f32 * lengths.edges[0], lengths }
    }
}

impl Hits<'_, '_, '_> {
    /// The bodies of a cell against each other and those around it.
    #[inline(always)]
    pub(super) fn around<S: Simd>(&mut self, simd: S, to: &Around<'_>) {
        for first in (to.start..to.end).step_by(GROUP) {
            let mut left = self.reached(simd, first, to) & (((1 << min(to.end - first, GROUP)) - 1) * FIRST);
            self.reserve(simd, 5 * GROUP);
            // In a register: through memory each block would wait for the one before.
            let mut count = self.count;
            // What does not fit into a block waits, so that no branch depends on it.
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

    /// A body against a block of a row, as far as that goes before `end`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn meet<S: Simd>(
        &mut self,
        simd: S,
        to: &Around<'_>,
        first: usize,
        place: usize,
        start: usize,
        end: usize,
        count: &mut usize,
    ) {
        let HGridRef { x, y, z, r, .. } = self.view.grid;
        // Of one length, so that one look at it is enough.
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
        self.wait([first + body, start], near & live(end.wrapping_sub(start)), sure, [0; 3], count);
    }

    /// Which bodies from `first` on reach the middle cell of which row, and what they meet of it.
    #[inline(always)]
    fn reached<S: Simd>(&mut self, simd: S, first: usize, to: &Around<'_>) -> u64 {
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
                // Not less: what is not a number is not out.
                let near = (!reach.lt(square)).bits() << lane & ((1 << GROUP) - 1);
                let near = if row > 0 && cells[0] == cells[3] { 0 } else { near };
                reached |= u64::from(near) << (GROUP * row);
                row += 1;
            }
            lane += S::F32::LANES;
        }
        // Of its own cell, a body meets those behind it.
        let mut body = 0;
        while body < STRIDE {
            group.start[body] = f32::from_bits((first + 1 + body) as u32);
            body += 1;
        }
        reached
    }
}
