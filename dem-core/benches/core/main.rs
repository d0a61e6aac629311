//! How long the parts of the core take, on one thread with the best instruction set: `cargo bench -p dem-core`, or of one group
//! `cargo bench -p dem-core -- queries`. Each line of times has the throughput under it.
#![allow(clippy::unwrap_used)]

mod grid;
mod kernels;
mod queries;
mod rocks;
mod scenes;
mod trees;

use criterion::Criterion;
use std::time::Duration;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    for run in [kernels::run, trees::run, queries::run, grid::run, scenes::run] {
        run(&mut criterion);
    }
    criterion.final_summary();
}
