//! Threads.
//!
//! The library starts no threads. A program with threads may lend them: it tells how many there are, and calls parts of the work, the *lanes* of
//! dem_tasks, on any threads and in any order. Results do not depend on threads or order.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use dem_core::error::{self, What};
use dem_core::exec::Executor;

use crate::edge;
use crate::fpenv::{self, Environment};
use crate::inputs;
use crate::layouts::fixed;

/// A part of the work: call it with each number below `lanes` of `dem_tasks_run`, and with its `arg`.
pub type dem_lane = Option<unsafe extern "C" fn(lane: usize, arg: *mut c_void)>;

/// Calls `lane(i, arg)` for every i below `lanes`, each once, on any threads and in any order, and returns when all have
/// returned. `user` is that of `dem_tasks`.
///
/// If the function omits a lane, calls a lane twice or calls a lane that does not exist, only speed is lost. It must not return while a lane still
/// runs, or leave by an exception or `longjmp`: the library cannot detect this mistake.
pub type dem_tasks_run =
    Option<unsafe extern "C" fn(user: *mut c_void, lanes: usize, lane: dem_lane, arg: *mut c_void)>;

/// Threads of the program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_tasks {
    /// The function that calls lanes. Null: the calling thread does all the work.
    pub run: dem_tasks_run,
    /// The first argument of `run`.
    pub user: *mut c_void,
    /// How many lanes may run at the same time, usually the number of threads: 1 to 64; more count as 64. Only speed depends on this number, and the
    /// scratch of calls in which each lane has its own.
    pub lanes: usize,
    /// 0.
    pub reserved: usize,
}

fixed!(dem_tasks { run: dem_tasks_run, user: *mut c_void, lanes: usize, reserved: usize });

/// No threads but that of the caller.
pub(crate) const ALONE: dem_tasks = dem_tasks { run: None, user: core::ptr::null_mut(), lanes: 1, reserved: 0 };

/// Threads of the program, if it lends any.
///
/// # Safety
/// A pointer that is not null points at tasks.
pub(crate) unsafe fn read_tasks(tasks: *const dem_tasks) -> error::Result<dem_tasks> {
    // SAFETY: by this function's contract.
    let tasks = if tasks.is_null() { ALONE } else { unsafe { edge::read(tasks, What::Executor) }? };
    inputs::zero(tasks.reserved as u64, What::Executor)?;
    Ok(tasks)
}

/// The program's threads as an executor.
pub(crate) struct Host {
    tasks: dem_tasks,
    /// A lane has panicked.
    failed: AtomicBool,
}

// SAFETY: the host guarantees that `run` may be called with `user` from where the library was called; lanes do not touch either.
unsafe impl Sync for Host {}

impl Host {
    /// # Safety
    /// `run` is null, or does what `dem_tasks_run` says, while the result is used.
    pub(crate) unsafe fn new(tasks: dem_tasks) -> Host {
        Host { tasks, failed: AtomicBool::new(false) }
    }
}

/// The data behind the argument `arg` of a lane.
struct Work<'w> {
    lane: &'w (dyn Fn(usize) + Sync),
    failed: &'w AtomicBool,
}

impl Executor for Host {
    fn width(&self) -> usize {
        if self.tasks.run.is_some() { self.tasks.lanes.clamp(1, 64) } else { 1 }
    }

    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync)) {
        let Some(run) = self.tasks.run else { return (0..lanes).for_each(lane) };
        let work = Work { lane, failed: &self.failed };
        // SAFETY: by `new`'s contract; `work` outlives the call, and so do all lanes.
        unsafe { run(self.tasks.user, lanes, Some(enter), (&raw const work).cast_mut().cast()) };
        // The host's callback may have changed the environment of the calling thread. The environment of before the call is restored later.
        fpenv::reset();
        if self.failed.load(Ordering::Relaxed) {
            failed();
        }
    }
}

/// Runs a lane on a thread of the host.
///
/// # Safety
/// `arg` is that of `run`, which has not returned.
unsafe extern "C" fn enter(lane: usize, arg: *mut c_void) {
    // SAFETY: by this function's contract.
    let work = unsafe { &*arg.cast_const().cast::<Work<'_>>() };
    let _restored_when_left = Environment::enter();
    if guarded(|| (work.lane)(lane)).is_err() {
        work.failed.store(true, Ordering::Relaxed);
    }
}

/// Catches a panic, which must not unwind frames of the host.
#[cfg(not(feature = "freestanding"))]
fn guarded(work: impl FnOnce()) -> Result<(), ()> {
    // The lane can only leave a block of the caller half-changed, and this block is then marked as poisoned.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(core::mem::forget)
}

#[cfg(feature = "freestanding")]
fn guarded(work: impl FnOnce()) -> Result<(), ()> {
    work();
    Ok(())
}

/// Continues the panic of a lane on the caller's thread.
#[cfg(not(feature = "freestanding"))]
fn failed() -> ! {
    std::panic::resume_unwind(Box::new("a lane"))
}

#[cfg(feature = "freestanding")]
fn failed() {}
