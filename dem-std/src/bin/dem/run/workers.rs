//! The threads of a run. If the user gives no number, as many as pay off.

use crate::failure::Failure;
#[cfg(feature = "rayon")]
use dem_std::Threads;
use dem_std::dem_core::exec::{Executor, Serial};
#[cfg(feature = "rayon")]
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

/// Dynamic bodies with less work than this use one thread. A ball counts 1, so this is about the microseconds of a step on one thread. (Waking a
/// second thread and keeping it awake takes 60 microseconds of both in each step with records.)
#[cfg(feature = "rayon")]
pub const FEW: f64 = 100.0;

/// With more work than `FEW`, there is one thread for each amount of this size, up to the number of the machine.
#[cfg(feature = "rayon")]
const EACH: f64 = 0.5 * FEW;

/// An executor with a single thread while there is little work. Results do not depend on it.
#[derive(Clone)]
pub struct Workers {
    #[cfg(feature = "rayon")]
    shared: Arc<Shared>,
}

#[cfg(feature = "rayon")]
#[derive(Default)]
struct Shared {
    /// Pools of two, four, eight, ... threads; each is created when it is first used.
    pools: [OnceLock<Threads>; 16],
    /// The number that the user has given; 0 if the program decides.
    told: usize,
    /// Which pool is used, counted from 1; 0 for none.
    used: AtomicUsize,
}

#[cfg(feature = "rayon")]
impl Workers {
    /// An executor with this many threads; 0: as many as pay off. Errors: those of the operating system.
    pub fn new(told: usize) -> Result<Self, Failure> {
        let made = Workers { shared: Arc::new(Shared { told, ..Shared::default() }) };
        if told > 1 {
            made.use_pool(1, told)?;
        }
        Ok(made)
    }

    /// Chooses the threads for the following work (see [`FEW`]). Errors: those of the operating system.
    pub fn suit(&self, count: f64) -> Result<(), Failure> {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        if self.shared.told > 0 {
            return Ok(());
        }
        // With less work than `FEW` this is 1 or 0.
        let threads = ((count / EACH) as usize).min(most);
        // The next power of two, at most the number of the machine.
        let (mut pool, mut size) = (0, 1);
        while size < threads && pool < self.shared.pools.len() {
            (pool, size) = (pool + 1, 2 * size);
        }
        self.use_pool(pool, size.min(most))
    }

    fn use_pool(&self, pool: usize, size: usize) -> Result<(), Failure> {
        if let Some(place) = pool.checked_sub(1).and_then(|place| self.shared.pools.get(place))
            && place.get().is_none()
        {
            let threads = Threads::new(size).map_err(|e| Failure::Data(format!("--threads: {e}")))?;
            _ = place.set(threads);
        }
        self.shared.used.store(pool, Ordering::Relaxed);
        Ok(())
    }

    fn used(&self) -> &dyn Executor {
        let place = self.shared.used.load(Ordering::Relaxed).checked_sub(1);
        match place.and_then(|place| self.shared.pools.get(place)).and_then(OnceLock::get) {
            Some(threads) => threads,
            None => &Serial,
        }
    }
}

/// A build without threads uses one.
#[cfg(not(feature = "rayon"))]
impl Workers {
    pub fn new(_: usize) -> Result<Self, Failure> {
        Ok(Workers {})
    }

    pub fn suit(&self, _: f64) -> Result<(), Failure> {
        Ok(())
    }

    fn used(&self) -> &dyn Executor {
        &Serial
    }
}

impl Executor for Workers {
    fn width(&self) -> usize {
        self.used().width()
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        self.used().run(threads, thread);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.used().enter(work);
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::*;

    #[test]
    fn few_bodies_have_one_thread_and_no_pool() -> Result<(), &'static str> {
        let made = |told| Workers::new(told).map_err(|_| "no threads");
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = made(0)?;
        assert!(workers.suit(FEW - 1.0).is_ok());
        assert!(workers.width() == 1 && workers.shared.pools.iter().all(|pool| pool.get().is_none()));
        for (count, threads) in [(FEW, 2), (4.0 * FEW, 8), (0.0, 1), (1e9, most), (2.0 * FEW, 4), (FEW, 2)] {
            assert!(workers.suit(count).is_ok() && workers.width() == threads.min(most), "{count}");
        }
        // The user's number is kept.
        for told in [1, 3] {
            let workers = made(told)?;
            for count in [0.0, FEW] {
                assert!(workers.suit(count).is_ok() && workers.width() == told);
            }
        }
        Ok(())
    }
}
