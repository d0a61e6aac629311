//! Work stealing: chunks are grouped into contiguous pieces, and threads take halves of pieces by `try_lock`.

use super::executor::{Executor, THREADS};
use super::{CutMut, Parts};
use core::array;
use spin::mutex::SpinMutex;

/// Largest number of pieces. The pieces lie on the stack, twice if a call runs inside another one, so there are few. If there are more threads than
/// pieces, several threads begin with one piece, and each takes half of the rest of it.
const PIECES: usize = 16;

/// Consecutive chunks that no thread has taken yet.
struct Piece<P> {
    first: usize,
    left: usize,
    parts: P,
}

impl<P: Parts> Piece<P> {
    /// Removes the first half, at least one chunk.
    ///
    /// Halving needs few locks while many chunks are left, and balances the load at the end.
    fn halve(&mut self) -> Option<Self> {
        let count = self.left.div_ceil(2);
        if count == 0 {
            return None;
        }
        let half = Piece { first: self.first, left: count, parts: self.parts.take(count) };
        self.first += count;
        self.left -= count;
        Some(half)
    }

    fn run(mut self, work: &mut impl FnMut(usize, P::Part)) {
        (self.first..self.first + self.left).for_each(|i| work(i, self.parts.next()));
    }
}

struct ChunkPool<P> {
    pieces: [Option<SpinMutex<Piece<P>>>; PIECES],
    used: usize,
    threads: usize,
}

impl<P: Parts> ChunkPool<P> {
    fn new(mut parts: P, threads: usize) -> Self {
        let chunks = parts.chunks();
        let used = chunks.min(PIECES);
        let mut first = 0;
        let pieces = array::from_fn(|k| {
            let left = if k < used { chunks / used + usize::from(k < chunks % used) } else { 0 };
            let piece = Piece { first, left, parts: parts.take(left) };
            first += left;
            (left > 0).then(|| SpinMutex::new(piece))
        });
        ChunkPool { pieces, used, threads }
    }

    /// Works until all chunks are taken: first the thread's own pieces, forwards; then pieces of other threads, backwards,
    /// since their owners take the last pieces last.
    fn work(&self, thread: usize, mut work: impl FnMut(usize, P::Part)) {
        let thread = thread % self.threads;
        let (own, end) = (self.start(thread), self.start(thread + 1));
        loop {
            let mut idle = true;
            for k in (own..end).chain((0..own).rev()).chain((end..self.used).rev()) {
                while let Some(half) = self.take(k) {
                    idle = false;
                    half.run(&mut work);
                }
            }
            if idle {
                return;
            }
        }
    }

    /// First piece that a thread owns.
    fn start(&self, thread: usize) -> usize {
        // u64, since a product of `usize` could overflow on 32-bit machines.
        (thread as u64 * self.used as u64 / self.threads as u64) as usize
    }

    /// Half of the chunks left in piece `k`. None where another thread holds the lock; that thread comes back for the rest.
    fn take(&self, k: usize) -> Option<Piece<P>> {
        self.pieces.get(k)?.as_ref()?.try_lock()?.halve()
    }
}

#[inline(never)] // Not inlined: the pool takes kilobytes of the stack, which callers with a deep stack behind this call cannot spare.
pub(super) fn each<P: Parts>(exec: &dyn Executor, threads: usize, parts: P, work: &(impl Fn(usize, P::Part) + Sync)) {
    let pool = ChunkPool::new(parts, threads);
    exec.run(threads, &|thread| pool.work(thread, work));
    pool.work(0, work);
}

#[inline(never)] // Not inlined: the pool takes kilobytes of the stack, which callers with a deep stack behind this call cannot spare.
pub(super) fn each_with<P: Parts, S: Send>(
    exec: &dyn Executor,
    threads: usize,
    parts: P,
    mut scratch: CutMut<'_, S>,
    work: &(impl Fn(usize, P::Part, &mut [S]) + Sync),
) {
    let pool = ChunkPool::new(parts, threads);
    let slots: [_; THREADS] = array::from_fn(|k| (k < threads).then(|| SpinMutex::<&mut [S]>::new(scratch.next())));
    let thread = |thread: usize| {
        let own = thread % threads;
        // A thread's own slot is only taken if the executor runs the thread twice. If all slots are taken, enough threads are at work.
        let free = (own..threads).chain(0..own).find_map(|k| slots.get(k)?.as_ref()?.try_lock());
        if let Some(mut scratch) = free {
            pool.work(thread, |i, part| work(i, part, &mut scratch));
        }
    };
    exec.run(threads, &thread);
    thread(0);
}
