//! Slices cut into chunks of a fixed or a given length; several slices are cut side by side.

use core::mem;

/// Data cut into chunks, each handed to one call of the work.
pub trait Parts: Send + Sized {
    /// One chunk.
    type Part;
    /// Number of chunks left.
    fn chunks(&self) -> usize;
    /// Removes and gives the first `chunks` chunks, or all if fewer are left.
    fn take(&mut self, chunks: usize) -> Self;
    /// Removes and gives the first chunk; an empty one if none is left.
    fn next(&mut self) -> Self::Part;
}

/// A shared slice, and the items of a chunk; the last chunk may be shorter. 0 items count as 1.
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a, T>(pub &'a [T], pub usize);

impl<'a, T: Sync> Parts for Cut<'a, T> {
    type Part = &'a [T];

    fn chunks(&self) -> usize {
        self.0.len().div_ceil(self.1.max(1))
    }

    fn take(&mut self, chunks: usize) -> Self {
        let at = chunks.saturating_mul(self.1.max(1)).min(self.0.len());
        let (first, rest) = self.0.split_at(at);
        self.0 = rest;
        Cut(first, self.1)
    }

    fn next(&mut self) -> &'a [T] {
        self.take(1).0
    }
}

/// An exclusive slice, and the items of a chunk; the last chunk may be shorter. 0 items count as 1.
#[derive(Debug)]
pub struct CutMut<'a, T>(pub &'a mut [T], pub usize);

impl<'a, T: Send> Parts for CutMut<'a, T> {
    type Part = &'a mut [T];

    fn chunks(&self) -> usize {
        self.0.len().div_ceil(self.1.max(1))
    }

    fn take(&mut self, chunks: usize) -> Self {
        let at = chunks.saturating_mul(self.1.max(1)).min(self.0.len());
        CutMut(cut_off(&mut self.0, at), self.1)
    }

    fn next(&mut self) -> &'a mut [T] {
        self.take(1).0
    }
}

/// An exclusive slice in chunks of given lengths: see [`pieces`].
#[derive(Debug)]
pub struct Pieces<'a, T, E> {
    items: &'a mut [T],
    ends: &'a [E],
    start: u64,
    each: usize,
}

/// Cuts `items` so that chunk i begins at `ends[i - 1]` and ends before `ends[i]`; [`ends`](super::ends) computes the ends from
/// counts. Ends that decrease or lie beyond the slice give shorter chunks.
pub fn pieces<'a, T, E: Copy + Into<u64>>(items: &'a mut [T], ends: &'a [E]) -> Pieces<'a, T, E> {
    Pieces { items, ends, start: 0, each: 1 }
}

impl<T, E> Pieces<'_, T, E> {
    /// The same pieces of a slice before which the ends count `start` items.
    pub fn from(self, start: u64) -> Self {
        Pieces { start, ..self }
    }

    /// The same pieces if ends count groups of `each` items.
    pub fn of(self, each: usize) -> Self {
        Pieces { each, ..self }
    }
}

impl<'a, T: Send, E: Copy + Into<u64> + Sync> Parts for Pieces<'a, T, E> {
    type Part = &'a mut [T];

    fn chunks(&self) -> usize {
        self.ends.len()
    }

    fn take(&mut self, chunks: usize) -> Self {
        let (ends, rest) = self.ends.split_at(chunks.min(self.ends.len()));
        self.ends = rest;
        let start = self.start;
        // If ends decrease, the largest one counts, as if chunks were taken one by one.
        let end = ends.iter().fold(start, |largest, &end| largest.max(end.into()));
        self.start = end;
        let groups = usize::try_from(end - start).unwrap_or(usize::MAX);
        let at = groups.saturating_mul(self.each).min(self.items.len());
        Pieces { items: cut_off(&mut self.items, at), ends, start, each: self.each }
    }

    fn next(&mut self) -> &'a mut [T] {
        self.take(1).items
    }
}

fn cut_off<'a, T>(items: &mut &'a mut [T], at: usize) -> &'a mut [T] {
    let (first, rest) = mem::take(items).split_at_mut(at);
    *items = rest;
    first
}

/// Arrays of equal type are cut side by side, as the rows of a structure of arrays.
impl<P: Parts, const N: usize> Parts for [P; N] {
    type Part = [P::Part; N];

    fn chunks(&self) -> usize {
        self.iter().map(P::chunks).max().unwrap_or(0)
    }

    fn take(&mut self, chunks: usize) -> Self {
        self.each_mut().map(|part| part.take(chunks))
    }

    fn next(&mut self) -> Self::Part {
        self.each_mut().map(P::next)
    }
}

/// Tuples are cut side by side. The longest part gives the number of chunks; shorter parts give empty chunks at the
/// end.
macro_rules! tuples {
    ($(($($P:ident $i:tt),+))+) => { $(
        impl<$($P: Parts),+> Parts for ($($P,)+) {
            type Part = ($($P::Part,)+);

            fn chunks(&self) -> usize {
                0 $( .max(self.$i.chunks()) )+
            }

            fn take(&mut self, chunks: usize) -> Self {
                ($(self.$i.take(chunks),)+)
            }

            fn next(&mut self) -> Self::Part {
                ($(self.$i.next(),)+)
            }
        }
    )+ };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
