//! `Threads`: an executor on a thread pool of rayon.

use dem_core::exec::{Executor, THREADS};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Runs threads on rayon's global pool or on a separate pool. Results have the same bits as with
/// [`Serial`](dem_core::exec::Serial).
///
/// ```
/// use dem_core::exec::{CutMut, each};
/// use dem_std::Threads;
///
/// let mut squares = vec![0; 1000];
/// each(&Threads::global(), CutMut(&mut squares, 100), |chunk, part| {
///     part.iter_mut().enumerate().for_each(|(i, x)| *x = (100 * chunk + i).pow(2));
/// });
/// assert_eq!(squares[999], 999 * 999);
/// ```
#[derive(Debug, Default)]
pub struct Threads {
    own: Option<ThreadPool>,
}

impl Threads {
    /// Rayon's global pool: as many threads as the machine has, or as the program has set up.
    pub fn global() -> Self {
        Threads::default()
    }

    /// A separate pool; 0 threads means as many as the machine has. Errors: those of the operating system.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        Ok(Threads { own: Some(ThreadPoolBuilder::new().num_threads(threads).build()?) })
    }

    /// Whether the calling thread belongs to this pool.
    fn is_here(&self) -> bool {
        self.own.as_ref().map_or_else(rayon::current_thread_index, ThreadPool::current_thread_index).is_some()
    }
}

impl Executor for Threads {
    fn width(&self) -> usize {
        self.own.as_ref().map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads)
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        let all = || {
            rayon::scope(|scope| {
                (1..threads).for_each(|i| scope.spawn(move |_| thread(i)));
                if threads > 0 {
                    thread(0);
                }
            });
        };
        match &self.own {
            Some(pool) => pool.install(all),
            None => all(),
        }
    }

    /// Runs `work` on a thread of the pool: the calling thread, if it belongs to the pool. The other threads stay awake meanwhile, because waking
    /// one takes as long as some phases. A thread that finds no work for about a millisecond goes to sleep.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        if BUSY.get() && self.is_here() {
            return work();
        }
        let mut all = || {
            let end = Arc::new(AtomicBool::new(false));
            for _ in 1..rayon::current_num_threads().min(most_awake()) {
                let end = Arc::clone(&end);
                // Not joined: at the end of the work this thread may be busy with other tasks of the pool.
                rayon::spawn(move || stay_awake(&end));
            }
            let _entered = Entered { end: &end, outer: BUSY.replace(true) };
            work();
        };
        match &self.own {
            Some(pool) => pool.install(all),
            None => rayon::scope(|_| all()),
        }
    }
}

/// Number of failed searches for work before a thread goes to sleep: about a millisecond.
const PATIENCE: u32 = 10_000;

thread_local! {
    /// Whether this thread is inside `enter`; such a thread does not stay awake for others.
    static BUSY: Cell<bool> = const { Cell::new(false) };
}

/// The number of threads that may be awake: beyond the processors or the threads of a call, they would only take time from others.
fn most_awake() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors = *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    processors.min(THREADS)
}

/// Takes work of the pool until `end` is set, or until there was none for a while.
fn stay_awake(end: &AtomicBool) {
    let mut left = PATIENCE;
    while left > 0 && !BUSY.get() && !end.load(Ordering::Relaxed) {
        left = if rayon::yield_now() == Some(rayon::Yield::Executed) { PATIENCE } else { left - 1 };
        if left.is_multiple_of(64) {
            // With more threads than cores, a spinning thread would slow down the threads that work.
            std::thread::yield_now();
        }
    }
}

/// Sets `end` when dropped, also after a panic.
struct Entered<'e> {
    end: &'e AtomicBool,
    /// Whether this thread was already inside `enter`.
    outer: bool,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        BUSY.set(self.outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dem_core::exec::{Cut, CutMut, each};
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn calls_every_thread_once() {
        for threads in [Threads::global(), Threads::new(1).unwrap(), Threads::new(3).unwrap()] {
            for count in [0, 1, 2, 17] {
                let calls: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                threads.run(count, &|i| {
                    calls[i].fetch_add(1, Ordering::Relaxed);
                });
                assert!(calls.iter().all(|c| c.load(Ordering::Relaxed) == 1));
            }
        }
        assert_eq!(Threads::new(3).unwrap().width(), 3);
    }

    #[test]
    fn enters_a_thread_of_the_pool_once() {
        for threads in [Threads::global(), Threads::new(1).unwrap()] {
            let mut calls = 0;
            threads.enter(&mut || {
                assert!(rayon::current_thread_index().is_some());
                calls += 1;
            });
            assert_eq!(calls, 1);
        }
    }

    #[test]
    fn a_thread_that_has_entered_enters_no_other() {
        let (threads, others) = (Threads::new(2).unwrap(), Threads::new(1).unwrap());
        let here = || std::thread::current().id();
        threads.enter(&mut || {
            let (outer, mut inner) = (here(), None);
            for _ in 0..100 {
                threads.enter(&mut || inner = Some(here()));
                assert_eq!(inner, Some(outer));
            }
            // Threads of another pool are different threads.
            others.enter(&mut || inner = Some(here()));
            assert_ne!(inner, Some(outer));
            assert!(BUSY.get());
        });
        threads.enter(&mut || assert!(BUSY.get()));
    }

    #[test]
    fn threads_that_enter_wait_for_nobody_who_waits() {
        // More calls of `enter` than threads; a thread may find another call's wake-keeping task within its phases.
        let threads = Threads::new(2).unwrap();
        for _ in 0..50 {
            let mut sums = [0; 5];
            each(&threads, CutMut(&mut sums, 1), |i, sum| {
                threads.enter(&mut || {
                    let mut parts = [0; 4];
                    for _ in 0..3 {
                        each(&threads, CutMut(&mut parts, 1), |k, part| part[0] += i + k);
                    }
                    sum[0] = parts.iter().sum();
                });
            });
            assert_eq!(sums, [0, 1, 2, 3, 4].map(|i| 3 * (4 * i + 6)));
        }
    }

    #[test]
    fn works_within_a_lane_of_its_own() {
        let threads = Threads::new(2).unwrap();
        let input: Vec<u64> = (0..1000).collect();
        let mut sums = [0; 10];
        each(&threads, (Cut(&input, 100), CutMut(&mut sums, 1)), |_, (part, sum)| {
            let mut inner = [0; 4];
            each(&threads, (Cut(part, 25), CutMut(&mut inner, 1)), |_, (p, s)| s[0] = p.iter().sum());
            sum[0] = inner.iter().sum();
        });
        assert_eq!(sums.iter().sum::<u64>(), 999 * 500);
    }
}
