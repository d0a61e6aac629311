//! Sources and sinks for arrays: pairs one to one, one to many, or by an index list; points as arrays or as records.

use super::batch::WINDOW;
use super::block::{BLOCK, Block, ClosestPoints, Coordinates, Sink, Source};
use crate::error::{Error, Kind, Result, What};
use crate::real::Real;
use crate::simd::prefetch;

/// Blocks between the prefetch of coordinates and their use: a few hundred nanoseconds.
const AHEAD: usize = 4;

/// Triangles as a structure of arrays (P4 Fig. 4): nine rows of `stride` numbers, x, y, z of vertices 0, 1, 2, of which
/// the first `len` columns are triangles.
#[derive(Clone, Copy, Debug)]
pub struct Soup<'a, T> {
    rows: [&'a [T]; 9],
    len: usize,
}

impl<'a, T: Copy> Soup<'a, T> {
    /// Nine consecutive rows.
    ///
    /// Errors: [`Kind::Capacity`] if there are fewer than `9 * stride` numbers or if `stride < len`.
    pub fn new(numbers: &'a [T], stride: usize, len: usize, what: What) -> Result<Self> {
        let needed = stride.checked_mul(9).filter(|_| stride >= len);
        let needed = needed.ok_or(Error::capacity(what, len as u64, stride as u64))?;
        if numbers.len() < needed {
            return Err(Error::capacity(what, needed as u64, numbers.len() as u64));
        }
        let mut rows = [&numbers[..0]; 9];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = &numbers[k * stride..k * stride + len];
        }
        Ok(Soup { rows, len })
    }

    /// Nine rows in separate arrays.
    ///
    /// Errors: [`Kind::Capacity`] if a row is shorter than the first one.
    pub fn from_rows(rows: [&'a [T]; 9], what: What) -> Result<Self> {
        let len = rows[0].len();
        match rows.iter().find(|row| row.len() < len) {
            Some(short) => Err(Error::capacity(what, len as u64, short.len() as u64)),
            None => Ok(Soup { rows: rows.map(|row| row.get(..len).unwrap_or_default()), len }),
        }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Triangle i; zeros if there is no such triangle.
    pub fn triangle(&self, i: usize) -> [[T; 3]; 3]
    where
        T: Default,
    {
        [0, 3, 6].map(|v| [0, 1, 2].map(|k| self.rows[v + k].get(i).copied().unwrap_or_default()))
    }

    #[inline(always)]
    fn copy(&self, at: usize, count: usize, rows: &mut [[T; BLOCK]]) {
        for (to, from) in rows.iter_mut().zip(&self.rows) {
            let Some(rest) = from.get(at..) else { continue };
            // Eighteen rows are more streams than hardware prefetchers follow.
            prefetch(rest, AHEAD * BLOCK);
            prefetch(rest, AHEAD * BLOCK + BLOCK / 2);
            // A whole block is a copy of known length: a few vector moves instead of a call.
            match rest.first_chunk() {
                Some(whole) if count == BLOCK => *to = *whole,
                _ => to.iter_mut().zip(rest).take(count).for_each(|(to, from)| *to = *from),
            }
        }
    }

    #[inline(always)]
    fn gather(&self, i: usize, column: usize, rows: &mut [[T; BLOCK]]) {
        for (to, from) in rows.iter_mut().zip(&self.rows) {
            to[column] = from[i];
        }
    }
}

/// Pairs triangle i of A with triangle i of B, up to the shorter of the two.
#[derive(Clone, Copy, Debug)]
pub struct Zip<'a, T>(pub Soup<'a, T>, pub Soup<'a, T>);

impl<T: Real> Source<T> for Zip<'_, T> {
    fn len(&self) -> usize {
        crate::real::min(self.0.len(), self.1.len())
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        let (a, b) = block.split_at_mut(9);
        self.0.copy(at, count, a);
        self.1.copy(at, count, b);
    }
}

/// Pairs one triangle A with each triangle of B.
#[derive(Clone, Copy, Debug)]
pub struct OneToMany<'a, T>(pub [[T; 3]; 3], pub Soup<'a, T>);

impl<T: Real> Source<T> for OneToMany<'_, T> {
    fn len(&self) -> usize {
        self.1.len()
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        let (a, b) = block.split_at_mut(9);
        for (row, x) in a.iter_mut().zip(self.0.as_flattened()) {
            *row = [*x; BLOCK];
        }
        self.1.copy(at, count, b);
    }
}

/// The pairs of an index list: `[index in A, index in B]`.
#[derive(Clone, Copy, Debug)]
pub struct Indexed<'a, T> {
    a: Soup<'a, T>,
    b: Soup<'a, T>,
    pairs: &'a [[u32; 2]],
}

impl<'a, T: Copy> Indexed<'a, T> {
    /// Checks the list.
    ///
    /// Errors: [`Kind::BadIndex`] with the first pair that has an index out of range, and which of its two indices it is.
    pub fn new(a: Soup<'a, T>, b: Soup<'a, T>, pairs: &'a [[u32; 2]]) -> Result<Self> {
        for (i, pair) in pairs.iter().enumerate() {
            for (side, (index, len)) in pair.iter().zip([a.len(), b.len()]).enumerate() {
                if *index as usize >= len {
                    let error = Error::new(Kind::BadIndex, What::Pairs).at(i as u64, side as u32);
                    return Err(error.amounts(len as u64, *index as u64));
                }
            }
        }
        Ok(Indexed { a, b, pairs })
    }
}

impl<T: Real> Source<T> for Indexed<'_, T> {
    fn len(&self) -> usize {
        self.pairs.len()
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<T>) {
        let (a, b) = block.split_at_mut(9);
        for (column, [i, j]) in self.pairs.iter().skip(at).take(count).enumerate().take(BLOCK) {
            self.a.gather(*i as usize, column, a);
            self.b.gather(*j as usize, column, b);
        }
    }
}

/// Distances and points in separate arrays (structure of arrays), for streaming solvers.
#[derive(Debug)]
pub struct Points<'a, T> {
    /// One distance a pair.
    pub distance: &'a mut [T],
    /// x, y, z of the points on A.
    pub point_a: [&'a mut [T]; 3],
    /// x, y, z of the points on B.
    pub point_b: [&'a mut [T]; 3],
}

impl<T: Real> Sink<T> for Points<'_, T> {
    fn put(&mut self, at: usize, count: usize, block: &Block<T>) {
        put_row(self.distance, at, count, &block.distance);
        for k in 0..3 {
            put_row(self.point_a[k], at, count, &block.point_a[k]);
            put_row(self.point_b[k], at, count, &block.point_b[k]);
        }
    }
}

/// Writes as much of a row as there is room for.
#[inline(always)]
fn put_row<T: Copy>(to: &mut [T], at: usize, count: usize, row: &[T; BLOCK]) {
    // Results come a window at a time, so this prefetches the lines of the next window: a store that waits for its line stalls all later stores.
    prefetch(to, at + WINDOW * BLOCK);
    prefetch(to, at + WINDOW * BLOCK + BLOCK / 2);
    let Some(to) = to.get_mut(at..at + count) else { return };
    match to.first_chunk_mut() {
        Some(whole) if count == BLOCK => *whole = *row,
        _ => to.copy_from_slice(&row[..count]),
    }
}

/// Whole records.
#[derive(Debug)]
pub struct Collect<'a, T>(pub &'a mut [ClosestPoints<T>]);

impl<T: Real> Sink<T> for Collect<'_, T> {
    fn put(&mut self, at: usize, count: usize, block: &Block<T>) {
        for (column, to) in self.0.iter_mut().skip(at).take(count).enumerate() {
            *to = block.get(column);
        }
    }
}

/// Distances only.
impl<T: Real> Sink<T> for &mut [T] {
    fn put(&mut self, at: usize, count: usize, block: &Block<T>) {
        put_row(self, at, count, &block.distance);
    }
}

/// Closest points of two triangles: [`super::closest_points`] for a single pair.
///
/// Errors: [`Kind::NotFinite`].
pub fn closest_points_one<T: super::Accuracy>(a: [[T; 3]; 3], b: [[T; 3]; 3]) -> Result<ClosestPoints<T>> {
    struct One<T>([[[T; 3]; 3]; 2]);
    impl<T: Real> Source<T> for One<T> {
        fn len(&self) -> usize {
            1
        }
        fn fill(&self, _: usize, _: usize, block: &mut Coordinates<T>) {
            for (row, x) in block.iter_mut().zip(self.0.as_flattened().as_flattened()) {
                row[0] = *x;
            }
        }
    }
    struct Keep<T>(Option<ClosestPoints<T>>);
    impl<T: Real> Sink<T> for Keep<T> {
        fn put(&mut self, _: usize, _: usize, block: &Block<T>) {
            self.0 = Some(block.get(0));
        }
    }
    let mut kept = Keep(None);
    super::closest_points(crate::simd::Isa::SCALAR, &One([a, b]), &mut kept)?;
    kept.0.ok_or(Error::new(Kind::Panic, What::None))
}
