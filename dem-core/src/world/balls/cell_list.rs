//! Pairs of balls by a cell list with cells of one size, found in the order of the neighbour list.
//!
//! The edge of a cell is twice the reach of the largest ball. So all balls near a ball are in 27 cells, which are nine runs of balls in the order
//! of cells. If sizes differ so much, or balls are so unevenly distributed, that these cells hold too many balls, the hierarchical grid does the
//! search.

use core::ops::Range;

use super::list_filter::{Bodied, PLANE, Wanted, is_ball, wide};
use super::pieces::BODIES;
use crate::exec::{self, Cut, CutMut, Executor, each, pieces};
use crate::memory::sections;
use crate::real::{Real, max, min};
use crate::simd::{Isa, Kernel, Lane, Mask, Simd, dispatch};
use crate::vector::dot;
use crate::world::block::WorldSizes;

/// Padding after the last number, which a vector may read.
const PAD: u64 = 8;

/// Largest number of cells for this number of bodies.
fn most_cells(n: &WorldSizes) -> u64 {
    u64::from(n.bodies) + 64
}

sections! {
    /// Balls in the order of cells, and within each in the order of ids.
    pub(super) struct Sorted<'s>(n: &WorldSizes; balls = u64::from(n.bodies) + PAD) {
        x: [f64; balls],
        y: [f64; balls],
        z: [f64; balls],
        /// Reach with half of the skin.
        wide: [f64; balls],
        /// The index of each ball in the order of ids.
        rank: [f64; balls],
    }
}

sections! {
    /// The cells, and bodies in the order of ids.
    pub(super) struct Cells<'s>(n: &WorldSizes; bodies = u64::from(n.bodies)) {
        /// Start of each cell's balls; the end is the next item.
        starts: [u32; most_cells(n) + 2],
        /// The cell of each body, by rank; [`NO_CELL`] if it is no ball.
        cell: [u32; bodies],
        order: [u32; bodies],
        /// Numbers of pairs of the chunks.
        ends: [u64; bodies.div_ceil(BODIES as u64)],
    }
}

const NO_CELL: u32 = u32::MAX - 2;

/// Largest number of pairs of a ball with larger ids.
const MOST: usize = 128;

/// Largest number of half-spaces.
const PLANES: usize = 16;

/// Largest mean number of balls tested against a ball; 8 times as many for balls of compounds, which overlap each other.
const TESTS: u64 = 400;

/// The grid of cells.
#[derive(Clone, Copy)]
struct Frame {
    low: [f64; 3],
    /// One over the edge of a cell.
    inverse: [f64; 3],
    cells: [usize; 3],
    /// 0 along open axes.
    periods: [f64; 3],
}

impl Frame {
    /// Cells of at least this size around all balls; none if periods are too short for them.
    fn new(low: [f64; 3], high: [f64; 3], periods: [f64; 3], mut size: f64, most: usize) -> Option<Frame> {
        loop {
            let mut frame = Frame { low, inverse: [0.0; 3], cells: [1; 3], periods };
            for k in 0..3 {
                let is_periodic = periods[k] > 0.0;
                let long = if is_periodic { periods[k] } else { high[k] - low[k] };
                let count = max(long / size, 1.0);
                frame.cells[k] = if count < 1e6 { count as usize } else { return None };
                frame.inverse[k] = if long > 0.0 { frame.cells[k] as f64 / long } else { 0.0 };
                if is_periodic {
                    frame.low[k] = 0.0;
                    if frame.cells[k] < 3 {
                        return None;
                    }
                }
            }
            if frame.cells.iter().product::<usize>() <= most {
                return Some(frame);
            }
            size *= 1.25;
        }
    }

    /// A position moved into the periods.
    #[inline(always)]
    fn inside(&self, [x, y, z, _]: &[f64; 4]) -> [f64; 3] {
        let mut place = [*x, *y, *z];
        for (x, period) in place.iter_mut().zip(self.periods) {
            if period > 0.0 && !(0.0..period).contains(x) {
                *x -= libm::floor(*x / period) * period;
            }
        }
        place
    }

    /// The cell of a position within the periods, along each axis.
    #[inline(always)]
    fn at(&self, place: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|k| (((place[k] - self.low[k]) * self.inverse[k]) as usize).min(self.cells[k] - 1))
    }

    #[inline(always)]
    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.cells[1] + y) * self.cells[2] + z
    }

    /// The neighbour of a cell along an axis, by -1, 0 or 1, and the shift by a period of the balls there; none beyond an open end.
    #[inline(always)]
    fn neighbour(&self, k: usize, at: usize, step: usize) -> Option<(usize, f64)> {
        match (at + step).checked_sub(1) {
            Some(next) if next < self.cells[k] => Some((next, 0.0)),
            _ if self.periods[k] <= 0.0 => None,
            Some(_) => Some((0, self.periods[k])),
            None => Some((self.cells[k] - 1, -self.periods[k])),
        }
    }
}

/// The parameters of a search for pairs.
pub(super) struct Looking<'l> {
    pub of: &'l Bodied<'l>,
    /// Which pairs are wanted, if not all are.
    pub wanted: Option<Wanted<'l>>,
    pub periods: [f64; 3],
    pub skin: f64,
}

impl Looking<'_> {
    /// Writes all pairs in the order of ids, as far as there is room, and returns their number. None if the hierarchical grid should do the
    /// search.
    pub fn pairs(
        &self,
        (exec, isa): (&dyn Executor, Isa),
        (mut sorted, mut cells): (Sorted<'_>, Cells<'_>),
        slabs: &mut [[u32; 2]],
        to: &mut [[u32; 2]],
    ) -> Option<u64> {
        let n = self.of.balls.len();
        let order = cells.order.get_mut(..n)?;
        order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
        if !self.of.ids.is_sorted() {
            order.sort_unstable_by_key(|i| (self.of.ids.get(self.of.points.owner(*i as usize)), *i));
        }
        let frame = self.sort(&mut sorted, &mut cells)?;
        let planes = self.planes(cells.order.get(..n)?)?;
        let ends = cells.ends.get_mut(..n.div_ceil(BODIES))?;
        let (starts, cell, order) = (&*cells.starts, cells.cell.get(..n)?, cells.order.get(..n)?);
        let search = |ranks: Range<usize>, to: &mut [[u32; 2]]| {
            let found = NearBalls { to, count: 0, near: [0; MOST] };
            dispatch(
                isa,
                Search { of: self, frame, sorted: &sorted, starts, cell, order, planes: &planes, ranks, found },
            )
        };
        if exec.width() < 2 || ends.len() < 2 {
            return search(0..n, to);
        }
        let slab = slabs.len() / ends.len();
        let slabs = slabs.get_mut(..slab * ends.len())?;
        let ranks = |chunk: usize| chunk * BODIES..min((chunk + 1) * BODIES, n);
        if slab == 0 {
            return search(0..n, to);
        }
        each(exec, (CutMut(&mut *slabs, slab), CutMut(&mut *ends, 1)), |chunk, (slab, end)| {
            end.fill(search(ranks(chunk), slab).unwrap_or(u64::MAX));
        });
        if ends.contains(&u64::MAX) {
            return None;
        }
        let all = exec::ends(ends);
        if all <= to.len() as u64 {
            each(exec, (pieces(to, ends), Cut(slabs, slab)), |chunk, (to, slab)| match slab.get(..to.len()) {
                Some(found) => to.copy_from_slice(found),
                None => _ = search(ranks(chunk), to),
            });
        }
        Some(all)
    }

    /// Sorts balls by cell.
    fn sort(&self, sorted: &mut Sorted<'_>, cells: &mut Cells<'_>) -> Option<Frame> {
        let balls = || self.of.balls.iter().filter(is_ball);
        let (mut low, mut high, mut widest) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0);
        let slack = 1e-15 * self.periods.iter().fold(0.0, |most, period| max(most, *period));
        for place in balls() {
            widest = max(widest, wide(&place, self.skin) + slack);
            for k in 0..3 {
                (low[k], high[k]) = (min(low[k], place[k]), max(high[k], place[k]));
            }
        }
        let far = [low, high].as_flattened().iter().fold(0.0, |most, x| max(most, Real::abs(*x)));
        let most = cells.starts.len().checked_sub(2)?;
        let size = 2.0 * widest * (1.0 + 1e-6) + 1e-13 * far;
        let is_some = size > 0.0 && size < f64::INFINITY;
        let frame = if is_some { Frame::new(low, high, self.periods, size, most)? } else { return None };
        let count = frame.cells.iter().product::<usize>();
        let starts = cells.starts.get_mut(..count + 2)?;
        starts.fill(0);
        // Counts are stored two items later, so that they become starts, then ends.
        for (slot, cell) in cells.order.iter().zip(&mut *cells.cell).take(self.of.balls.len()) {
            let place = self.of.balls.get(*slot as usize)?;
            *cell = NO_CELL;
            if is_ball(&place)
                && self.of.groups.get(self.of.points.owner(*slot as usize)).is_some_and(|groups| *groups != 0)
            {
                *cell = frame.number(frame.at(frame.inside(&place))) as u32;
                *starts.get_mut(*cell as usize + 2)? += 1;
            }
        }
        let all = starts.iter().map(|count| u64::from(*count)).sum::<u64>();
        let tests = starts.iter().map(|count| 27 * u64::from(*count) * u64::from(*count)).sum::<u64>();
        let most = if self.of.points.is_none() { TESTS } else { 8 * TESTS };
        if tests > most * all {
            return None;
        }
        exec::ends(starts);
        for (rank, (slot, cell)) in cells.order.iter().zip(&*cells.cell).take(self.of.balls.len()).enumerate() {
            let (Some(place), Some(next)) = (self.of.balls.get(*slot as usize), starts.get_mut(*cell as usize + 1))
            else {
                continue;
            };
            let (at, [x, y, z]) = (*next as usize, frame.inside(&place));
            *next += 1;
            let rows = (sorted.x.get_mut(at)?, sorted.y.get_mut(at)?, sorted.z.get_mut(at)?);
            (*rows.0, *rows.1, *rows.2) = (x, y, z);
            (*sorted.wide.get_mut(at)?, *sorted.rank.get_mut(at)?) = (wide(&place, self.skin) + slack, rank as f64);
        }
        Some(frame)
    }

    /// Half-spaces, with their ranks and planes.
    fn planes(&self, order: &[u32]) -> Option<Planes> {
        let mut planes = Planes { all: [(0, [0.0; 4]); PLANES], count: 0 };
        for (rank, slot) in order.iter().enumerate() {
            let i = *slot as usize;
            if self.of.balls.get(i).is_some_and(|place| place[3] == f64::INFINITY) {
                *planes.all.get_mut(planes.count)? = (rank, self.of.plane(i));
                planes.count += 1;
            }
        }
        Some(planes)
    }

    /// Whether a ball may touch a half-space.
    fn is_near_plane(&self, [u, v, w, high]: [f64; 4], [e, i]: [u32; 2]) -> bool {
        let Some(place) = self.of.balls.get(i as usize).filter(is_ball) else { return false };
        let [x, y, z, _] = place;
        let slack = PLANE * (Real::abs(high) + Real::abs(x) + Real::abs(y) + Real::abs(z));
        let is_near = dot([u, v, w], [x, y, z]) - high <= wide(&place, 2.0 * self.skin) + slack;
        is_near && self.of.wanted().both(e as usize, i as usize)
    }
}

/// Half-spaces: the index of each in the order of ids, and its plane.
struct Planes {
    all: [(usize, [f64; 4]); PLANES],
    count: usize,
}

impl Planes {
    fn iter(&self) -> impl Iterator<Item = &(usize, [f64; 4])> {
        self.all.iter().take(self.count)
    }
}

/// The output of pairs.
struct NearBalls<'f> {
    to: &'f mut [[u32; 2]],
    count: usize,
    /// Ranks of the balls near the present ball.
    near: [u32; MOST],
}

impl NearBalls<'_> {
    #[inline(always)]
    fn put(&mut self, pair: [u32; 2]) {
        if let Some(to) = self.to.get_mut(self.count) {
            *to = pair;
        }
        self.count += 1;
    }
}

/// Searches for the pairs of some bodies with later ones in the order of ids. None if a ball has too many.
struct Search<'k, 'l, 's> {
    of: &'k Looking<'l>,
    frame: Frame,
    sorted: &'k Sorted<'s>,
    starts: &'k [u32],
    cell: &'k [u32],
    order: &'k [u32],
    planes: &'k Planes,
    ranks: Range<usize>,
    found: NearBalls<'k>,
}

impl Kernel for Search<'_, '_, '_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> Option<u64> {
        let mut rank = self.ranks.start;
        while rank < self.ranks.end {
            match self.cell.get(rank) {
                Some(&NO_CELL) | None => self.of_plane(rank),
                Some(_) => self.of_ball(simd, rank)?,
            }
            rank += 1;
        }
        Some(self.found.count as u64)
    }
}

impl Search<'_, '_, '_> {
    fn slot(&self, rank: usize) -> u32 {
        self.order.get(rank).copied().unwrap_or_default()
    }

    /// If the body is a half-space: writes its pairs with later balls.
    #[inline(never)]
    fn of_plane(&mut self, rank: usize) {
        let Some((_, plane)) = self.planes.iter().find(|(own, _)| *own == rank).copied() else { return };
        for other in rank + 1..self.order.len() {
            let pair = [self.slot(rank), self.slot(other)];
            if self.of.is_near_plane(plane, pair) {
                self.found.put(pair);
            }
        }
    }

    #[inline(always)]
    fn of_ball<S: Simd>(&mut self, simd: S, rank: usize) -> Option<()> {
        let slot = self.slot(rank);
        let place = self.of.of.balls.get(slot as usize)?;
        let centre = self.frame.inside(&place);
        let reach = wide(&place, self.of.skin);
        let [x, y, z] = self.frame.at(centre);
        let mut count = 0;
        let mut k = 0;
        while k < 9 {
            let (along, across) = (self.frame.neighbour(0, x, k / 3), self.frame.neighbour(1, y, k % 3));
            if let (Some((i, dx)), Some((j, dy))) = (along, across) {
                let row = self.frame.number([i, j, 0]);
                // Cells inside are one run; beyond the ends, the period gives one more cell.
                let (low, high) = (z.max(1) - 1, min(z + 1, self.frame.cells[2] - 1));
                count = self.run(simd, (row + low, row + high), [dx, dy, 0.0], (centre, reach, rank), count)?;
                if z == 0 || z + 1 == self.frame.cells[2] {
                    let outside = self.frame.neighbour(2, z, if z == 0 { 0 } else { 2 });
                    if let Some((beyond, dz)) = outside {
                        let cells = (row + beyond, row + beyond);
                        count = self.run(simd, cells, [dx, dy, dz], (centre, reach, rank), count)?;
                    }
                }
            }
            k += 1;
        }
        self.write(slot, rank, count);
        Some(())
    }

    /// Tests the balls of a run of cells. Returns the number of near balls so far.
    #[inline(always)]
    fn run<S: Simd>(
        &mut self,
        simd: S,
        (first, last): (usize, usize),
        shift: [f64; 3],
        (centre, reach, rank): ([f64; 3], f64, usize),
        mut count: usize,
    ) -> Option<usize> {
        let (mut at, end) = (*self.starts.get(first)? as usize, *self.starts.get(last + 1)? as usize);
        let Sorted { x, y, z, wide, rank: ranks } = self.sorted;
        if end + 8 > ranks.len() {
            return None;
        }
        while at < end {
            let d = S::F64::load(simd, x, at) - S::F64::splat(simd, centre[0] - shift[0]);
            let e = S::F64::load(simd, y, at) - S::F64::splat(simd, centre[1] - shift[1]);
            let f = S::F64::load(simd, z, at) - S::F64::splat(simd, centre[2] - shift[2]);
            let both = S::F64::load(simd, wide, at) + S::F64::splat(simd, reach);
            let is_near = (d * d + e * e + f * f).le(both * both)
                & S::F64::splat(simd, rank as f64).lt(S::F64::load(simd, ranks, at));
            let live = ((1u64 << min(end - at, 8)) - 1) as u32;
            let mut bits = is_near.bits() & live;
            // Two without a branch, because a branch on their number could not be predicted; more than two are rare.
            let some = bits.count_ones() as usize;
            if count + 8 + PLANES > MOST {
                return None;
            }
            let mut k = 0;
            while k < 2 {
                let lane = bits.trailing_zeros() as usize & 7;
                self.found.near[(count + k) & (MOST - 1)] = ranks[at + lane] as u32;
                bits &= bits.wrapping_sub(1);
                k += 1;
            }
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize & 7;
                self.found.near[(count + k) & (MOST - 1)] = ranks[at + lane] as u32;
                bits &= bits - 1;
                k += 1;
            }
            count += some;
            at += S::F64::LANES;
        }
        Some(count)
    }

    /// Writes the pairs of a ball in order.
    #[inline(always)]
    fn write(&mut self, slot: u32, rank: usize, mut count: usize) {
        for (other, plane) in self.planes.iter() {
            if *other > rank && self.of.is_near_plane(*plane, [self.slot(*other), slot]) {
                self.found.near[count & (MOST - 1)] = *other as u32;
                count += 1;
            }
        }
        let mut i = 1;
        while i < count {
            let (own, mut at) = (self.found.near[i & (MOST - 1)], i);
            while at > 0 && self.found.near[(at - 1) & (MOST - 1)] > own {
                self.found.near[at & (MOST - 1)] = self.found.near[(at - 1) & (MOST - 1)];
                at -= 1;
            }
            self.found.near[at & (MOST - 1)] = own;
            i += 1;
        }
        let mut i = 0;
        while i < count {
            let other = self.slot(self.found.near[i & (MOST - 1)] as usize);
            let is_wanted = match &self.of.wanted {
                Some(wanted) => wanted.both(slot as usize, other as usize),
                None => true,
            };
            if is_wanted {
                self.found.put([slot, other]);
            }
            i += 1;
        }
    }
}
