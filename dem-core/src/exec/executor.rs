//! The executor of a host.

/// The largest number of threads that work in a call, however many an executor has.
pub const THREADS: usize = 64;

/// Runs the threads of a call on threads of the caller.
pub trait Executor: Sync {
    /// The number of threads that may run at the same time. Results do not depend on it; it may change from call to call.
    fn width(&self) -> usize;

    /// Calls `thread(i)` once for every i below `threads`, on any threads of the machine and in any order, and returns when all calls have
    /// returned. Other numbers i, and numbers that are called twice or never, cost only speed.
    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync));

    /// Calls `work` once, on any thread, and returns when `work` has returned. `work` has several phases and calls
    /// [`run`](Self::run) for each of them, which may be cheaper from one of the executor's own threads.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }
}
