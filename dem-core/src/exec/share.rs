//! Handing out chunks to lanes: contiguous pieces, each behind a lock that nobody waits for.

use super::{CutMut, Executor, LANES, Parts};
use core::array;
use spin::mutex::SpinMutex;

/// Pieces that the chunks are grouped in: enough for every lane of a large machine to have its own, few enough for the
/// stack.
const PIECES: usize = LANES;

/// Neighbouring chunks.
struct Piece<P> {
    first: usize,
    left: usize,
    parts: P,
}

impl<P: Parts> Piece<P> {
    /// Removes the first half, at least one chunk.
    ///
    /// Halving keeps locks few while much is left, and lets lanes share the end of the work.
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

struct Pool<P> {
    pieces: [Option<SpinMutex<Piece<P>>>; PIECES],
    used: usize,
    lanes: usize,
}

impl<P: Parts> Pool<P> {
    fn new(mut parts: P, lanes: usize) -> Self {
        let chunks = parts.chunks();
        let used = chunks.min(PIECES);
        let mut first = 0;
        let pieces = array::from_fn(|k| {
            let left = if k < used { chunks / used + usize::from(k < chunks % used) } else { 0 };
            let piece = Piece { first, left, parts: parts.take(left) };
            first += left;
            (left > 0).then(|| SpinMutex::new(piece))
        });
        Pool { pieces, used, lanes }
    }

    /// Works until no chunk is left that nobody works on: own pieces forwards, then those of the others from their far
    /// ends, so that lanes meet late.
    fn work(&self, lane: usize, mut work: impl FnMut(usize, P::Part)) {
        let lane = lane % self.lanes;
        let (own, end) = (self.start(lane), self.start(lane + 1));
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

    /// First own piece of a lane.
    fn start(&self, lane: usize) -> usize {
        // In u64, since a 32-bit product could overflow; the result is at most `used`.
        (lane as u64 * self.used as u64 / self.lanes as u64) as usize
    }

    /// Chunks of piece `k`. None also where another lane is just taking from it: that lane comes back for the rest.
    fn take(&self, k: usize) -> Option<Piece<P>> {
        self.pieces.get(k)?.as_ref()?.try_lock()?.halve()
    }
}

pub(super) fn each<P: Parts>(exec: &dyn Executor, lanes: usize, parts: P, work: &(impl Fn(usize, P::Part) + Sync)) {
    let pool = Pool::new(parts, lanes);
    exec.run(lanes, &|lane| pool.work(lane, work));
    pool.work(0, work);
}

pub(super) fn each_with<P: Parts, S: Send>(
    exec: &dyn Executor,
    lanes: usize,
    parts: P,
    mut scratch: CutMut<'_, S>,
    work: &(impl Fn(usize, P::Part, &mut [S]) + Sync),
) {
    let pool = Pool::new(parts, lanes);
    let slots: [_; PIECES] = array::from_fn(|k| (k < lanes).then(|| SpinMutex::<&mut [S]>::new(scratch.next())));
    let lane = |lane: usize| {
        let own = lane % lanes;
        // Only a repeated lane ever finds its slot taken. Where all are, enough lanes are at work.
        let free = (own..lanes).chain(0..own).find_map(|k| slots.get(k)?.as_ref()?.try_lock());
        if let Some(mut scratch) = free {
            pool.work(lane, |i, part| work(i, part, &mut scratch));
        }
    };
    exec.run(lanes, &lane);
    lane(0);
}
