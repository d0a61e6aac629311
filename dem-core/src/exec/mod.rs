//! `Executor`, `Serial`, and dividing data into chunks.
//!
//! The core starts no threads. A phase gives its work to an [`Executor`] of the caller: a thread pool, a task system, or [`Serial`]. Here, a
//! *thread* is one of the concurrent calls that the executor makes, on whichever thread of the machine. The work is divided into *chunks* that
//! depend on the data alone, and each chunk owns its part of the outputs. A thread gets contiguous chunks, so it reads and writes contiguous
//! memory:
//!
//! ```
//! use dem_core::exec::{Cut, CutMut, Serial, each};
//!
//! let (x, mut y) = ([1.0, 2.0, 3.0, 4.0, 5.0], [0.0; 5]);
//! each(&Serial, (Cut(&x, 2), CutMut(&mut y, 2)), |_chunk, (x, y)| {
//!     x.iter().zip(y).for_each(|(x, y)| *y = 2.0 * x);
//! });
//! assert_eq!(y, [2.0, 4.0, 6.0, 8.0, 10.0]);
//! ```
//!
//! Every chunk is computed exactly once, whatever the executor does: threads take chunks from a shared pool, and the
//! caller's thread computes the remaining chunks. If an executor calls a thread twice or never, only speed is lost.
//! Results do not depend on the number of threads as long as a chunk writes only to its own part. A sum over chunks needs
//! one partial sum per chunk, `CutMut(&mut sums, 1)`, added in order afterwards.
//!
//! Waking threads takes microseconds, so make chunks large: a phase of less than about 20 us should have only one
//! chunk. No call waits for a lock. A call uses up to 16 times the size of its `parts` on the stack.

mod append_buffer;
mod cut;
mod executor;
mod prefix;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
mod work;
#[cfg(not(target_has_atomic = "ptr"))]
#[path = "single_thread.rs"]
mod work_stealing;
#[cfg(target_has_atomic = "ptr")]
mod work_stealing;

pub use append_buffer::Pool;
pub use cut::{Cut, CutMut, Parts, Pieces, pieces};
pub use executor::Executor;
pub use executor::THREADS;
pub use prefix::{Count, ends};
pub(crate) use prefix::{by_number, starts};
pub use work::Work;

use crate::error::{Error, Result, What};
use crate::memory::Layout;

/// Calls `work` exactly once and gives its result. Where `phases` is set, the call goes through [`Executor::enter`].
///
/// `phases` tells whether `work` calls the executor several times; other work stays on this thread.
pub(crate) fn within<T: Send>(exec: &dyn Executor, phases: bool, mut work: impl FnMut() -> T + Send) -> T {
    if !phases || exec.width() < 2 {
        return work();
    }
    let mut done = None;
    exec.enter(&mut || {
        if done.is_none() {
            done = Some(work());
        }
    });
    done.unwrap_or_else(work)
}

/// One thread: the caller's thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Executor for Serial {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        (0..threads).for_each(thread);
    }
}

/// Calls `work(chunk, part)` once for every chunk of `parts`; `chunk` is its number.
///
/// Cost beyond the work: nothing for one chunk or one thread; else one [`Executor::run`] and a few atomic operations for
/// each contiguous group of chunks.
pub fn each<P: Parts>(exec: &dyn Executor, parts: P, work: impl Fn(usize, P::Part) + Sync) {
    let threads = threads(exec, parts.chunks());
    if threads > 1 {
        work_stealing::each(exec, threads, parts, &work);
    } else {
        in_order(parts, work);
    }
}

/// Calls `work(chunk, part, scratch)` once for every chunk of `parts`; each thread uses one piece of `scratch`.
///
/// There are at most as many threads as `scratch` has whole pieces. A piece holds whatever an earlier chunk left there;
/// no result may depend on its first content.
///
/// Errors: [`Kind::Capacity`](crate::error::Kind::Capacity) where `scratch` is shorter than one piece; then `work` is
/// not called.
pub fn each_with<P: Parts, S: Send>(
    exec: &dyn Executor,
    parts: P,
    scratch: CutMut<'_, S>,
    work: impl Fn(usize, P::Part, &mut [S]) + Sync,
) -> Result<()> {
    let CutMut(items, piece) = scratch;
    let items = if piece == 0 { &mut [] } else { items };
    let given = items.len() as u64;
    let whole = items.len().checked_div(piece).unwrap_or(usize::MAX);
    let threads = threads(exec, parts.chunks()).min(whole).min(THREADS);
    if threads > 1 {
        work_stealing::each_with(exec, threads, parts, CutMut(items, piece), &work);
    } else {
        let own = items.get_mut(..piece).ok_or(Error::capacity(What::Scratch, piece as u64, given))?;
        in_order(parts, |i, part| work(i, part, own));
    }
    Ok(())
}

/// The largest number of threads, at most the executor's width, whose `layout` fits `scratch` bytes; 1 where not even one
/// fits.
pub(crate) fn threads_of(exec: &dyn Executor, scratch: usize, layout: impl Fn(usize) -> Result<Layout>) -> usize {
    let fits = |threads: usize| layout(threads).is_ok_and(|layout| layout.size <= scratch);
    let width = exec.width().clamp(1, THREADS);
    if width == 1 || fits(width) {
        return width;
    }
    let (mut enough, mut many) = (1, width);
    while many - enough > 1 {
        let middle = enough.midpoint(many);
        if fits(middle) { enough = middle } else { many = middle }
    }
    enough
}

fn threads(exec: &dyn Executor, chunks: usize) -> usize {
    if cfg!(target_has_atomic = "ptr") && chunks > 1 { exec.width().min(chunks) } else { 1 }
}

fn in_order<P: Parts>(mut parts: P, mut work: impl FnMut(usize, P::Part)) {
    (0..parts.chunks()).for_each(|i| work(i, parts.next()));
}
