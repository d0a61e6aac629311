//! The executor of a host.

/// Largest number of lanes of a call that have scratch of their own.
pub(crate) const LANES: usize = 64;

/// Runs lanes of work on threads of the caller.
pub trait Executor: Sync {
    /// How many lanes may run at the same time. Results do not depend on it; it may change from call to call.
    fn width(&self) -> usize;

    /// Calls `lane(i)` once for every i below `lanes`, on any threads and in any order, and returns when all calls have
    /// returned. Other numbers i, and lanes that are called twice or never, cost only speed.
    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync));

    /// Calls `work` once, on any thread, and returns when `work` has returned. `work` has several phases and calls
    /// [`run`](Self::run) for each of them, which may be cheaper from one of the executor's own threads.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}
