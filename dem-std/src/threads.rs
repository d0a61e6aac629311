//! The rayon executor: `dem_core`'s lanes on a thread pool.

use dem_core::exec::Executor;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Runs lanes on rayon's threads: its global pool, or one of its own. Results are the same bits as with
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

    /// A pool of its own; 0 threads means as many as the machine has. Errors: what the operating system says.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        Ok(Threads { own: Some(ThreadPoolBuilder::new().num_threads(threads).build()?) })
    }
}

impl Executor for Threads {
    fn width(&self) -> usize {
        self.own.as_ref().map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads)
    }

    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync)) {
        let all = || {
            rayon::scope(|scope| {
                (1..lanes).for_each(|i| scope.spawn(move |_| lane(i)));
                if lanes > 0 {
                    lane(0);
                }
            });
        };
        match &self.own {
            Some(pool) => pool.install(all),
            None => all(),
        }
    }

    /// On a thread of the pool, from which the others are woken ten times as fast.
    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        match &self.own {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dem_core::exec::{Cut, CutMut, each};
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn calls_every_lane_once() {
        for threads in [Threads::global(), Threads::new(1).unwrap(), Threads::new(3).unwrap()] {
            for lanes in [0, 1, 2, 17] {
                let calls: Vec<AtomicUsize> = (0..lanes).map(|_| AtomicUsize::new(0)).collect();
                threads.run(lanes, &|i| {
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
