//! One core, CPU time, medians; the lines of the table.

use dem_core::exec::Executor;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Instant;

/// Stays on the core it is on, unless it was pinned already.
#[cfg(target_os = "linux")]
pub fn pin() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    if sched_getaffinity(None).is_ok_and(|set| set.count() == 1) {
        return;
    }
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    if let Err(error) = sched_setaffinity(None, &one) {
        println!("info not pinned: {error}");
    }
}

/// Wall time in nanoseconds: for more than one thread.
pub fn wall() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as f64
}

/// CPU time of this thread in nanoseconds.
#[cfg(target_os = "linux")]
pub fn now() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// Elsewhere the program cannot pin itself.
#[cfg(not(target_os = "linux"))]
pub fn pin() {
    println!("info not pinned: run it pinned");
}

/// Wall time in nanoseconds where CPU time is not to be had.
#[cfg(not(target_os = "linux"))]
pub fn now() -> f64 {
    wall()
}

/// Samples of every comparison.
pub const SAMPLES: usize = 9;
/// CPU time of one sample at least, in nanoseconds, where a call takes less.
const SAMPLE: f64 = 10e6;

/// Mean time of a call over as many calls as make a sample.
pub fn time(mut call: impl FnMut()) -> f64 {
    let start = now();
    call();
    let once = (now() - start).max(1.0);
    if once > SAMPLE {
        return once;
    }
    let calls = (SAMPLE / once).ceil();
    let start = now();
    for _ in 0..calls as usize {
        call();
    }
    (now() - start) / calls
}

/// The middle one.
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

/// What was answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many were found.
    pub count: usize,
    /// Of what was found, in order.
    pub hash: u64,
}

/// The lines printed, and how many answers were wrong.
#[derive(Default)]
pub struct Table {
    /// Answers that differ from brute force.
    pub wrong: usize,
}

impl Table {
    /// A comparison, in nanoseconds.
    pub fn ratio(&self, name: &str, ours: f64, peer: f64, answer: Answer) {
        let Answer { count, hash } = answer;
        println!("ratio {name} {:.2} {ours:.1} {peer:.1} {count} {hash:016x}", peer / ours);
    }

    /// Wall times of the same work by one worker and by two, in turn.
    pub fn workers(&self, name: &str, samples: [Vec<f64>; 2], answer: Answer) {
        let [least_one, least_two] = samples.each_ref().map(|all| all.iter().copied().fold(f64::INFINITY, f64::min));
        let [one, two] = samples.map(median);
        self.ratio(name, two, one, answer);
        println!("info {name}: the fastest of each {least_one:.1} and {least_two:.1} ns: {:.2}", least_one / least_two);
    }

    /// Beside [`Table::workers`]: what [`side_by_side`] gave, each time.
    pub fn side_by_side(&self, name: &str, samples: Vec<f64>) {
        let done = median(samples);
        println!(
            "info {name}: two copies of the work of one side by side, which share nothing, get {done:.2} times as much done"
        );
    }

    /// Complains where an answer is wrong.
    pub fn check(&mut self, name: &str, found: usize, right: usize) {
        if found != right {
            println!("info WRONG {name}: found {found}, there are {right}");
            self.wrong += 1;
        }
    }
}

/// Medians of calls in turn: ours, then the peer's, [`SAMPLES`] times.
pub fn in_turn(mut ours: impl FnMut(), mut peer: impl FnMut()) -> [f64; 2] {
    let mut samples = [const { Vec::new() }; 2];
    for _ in 0..SAMPLES {
        samples[0].push(time(&mut ours));
        samples[1].push(time(&mut peer));
    }
    samples.map(median)
}

/// How many times the work of one, which takes a worker so long alone, gets done while two threads have each a copy of its
/// own: no sharing could then reach more, whatever else the machine is busy with.
pub fn side_by_side(exec: &dyn Executor, alone: f64, copies: [&mut (dyn FnMut() + Send); 2]) -> f64 {
    let copies = copies.map(|copy| Mutex::new((copy, f64::INFINITY)));
    exec.run(2, &|thread| {
        let mut copy = copies[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let start = wall();
        copy.0();
        copy.1 = wall() - start;
    });
    copies.map(|copy| alone / copy.into_inner().unwrap_or_else(PoisonError::into_inner).1).iter().sum()
}
