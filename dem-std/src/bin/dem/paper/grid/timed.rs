//! Timed searches with given cell sizes.

use super::count::Bodies;
use super::rule::{Rule, Scene};
use crate::failure::Failure;
use dem_std::Memory;
use dem_std::dem_core::broad::levels::{Expected, Model, Radii, Timed, expected};
use dem_std::dem_core::broad::{Candidate, Counters, HGrid, HGridRef, HGridSizes, hgrid_scratch};
use dem_std::dem_core::exec::Serial;
use dem_std::dem_core::simd::Isa;
use std::time::Instant;

/// Repetitions of each search, interleaved with the others; the fastest run counts, and the slowest is shown beside it.
const REPEATS: usize = 5;

/// Cell sizes whose expected time exceeds that of the best by more than this factor are left out.
const SLOW: f64 = 4.0;

/// Cell sizes, with their counts and times.
pub struct Run {
    pub sizes: Vec<f64>,
    pub expected: Expected,
    pub counted: Counters,
    pub timed: Timed,
    /// Nanoseconds of the slowest run, as `timed.time` is of the fastest.
    pub slowest: f64,
}

/// Times searches with several cell sizes; `number` is the number of the scene.
pub fn measure(scene: &Scene, bodies: &Bodies, number: u32, sizes: Vec<Vec<f64>>) -> Result<Vec<Run>, Failure> {
    let query = bodies.query(scene, false);
    let count = bodies.len();
    let mut scratch = Memory::new(hgrid_scratch(count)?)?;
    let mut out = vec![Candidate::default(); 16 * count as usize];
    let mut runs = Vec::new();
    for sizes in sizes {
        let expected = expected(&scene.radii, &scene.model, &sizes)?;
        let Expected { accesses, tests, .. } = expected;
        let timed = Timed { scene: number, accesses, tests, time: f64::INFINITY };
        runs.push(Run { sizes, expected, counted: Counters::default(), timed, slowest: 0.0 });
    }
    for repeat in 0..REPEATS {
        for run in &mut runs {
            let grid_sizes = HGridSizes { bodies: count, levels: run.sizes.len() as u32 };
            let mut block = Memory::new(HGrid::layout(&grid_sizes)?)?;
            HGrid::init(&mut block, &grid_sizes)?.rebuild(&Serial, &query, &run.sizes, &mut scratch)?;
            let grid = HGridRef::peek(&block)?;
            if repeat == 0 {
                run.counted = grid.count(&query, scene.model.direction, bodies.edges(), &mut scratch)?;
            }
            let start = Instant::now();
            grid.pairs(&Serial, Isa::best(), &query, scene.model.direction, &mut out, &mut scratch)?;
            let time = start.elapsed().as_secs_f64() * 1e9 / f64::from(count);
            run.timed.time = run.timed.time.min(time);
            run.slowest = run.slowest.max(time);
        }
    }
    Ok(runs)
}

/// Sizes to be timed: from few bodies in a cell to many, from few levels to many.
pub fn variety(scene: &Scene) -> Result<Vec<Vec<f64>>, Failure> {
    let mut all = Vec::new();
    let most = if scene.radii.largest() > scene.radii.smallest() { 6 } else { 1 };
    for levels in 1..=most {
        let equal = scene.sizes(Rule::Exponential, levels)?;
        all.extend(
            [1.0, 1.25, 1.6, 2.0, 2.5].map(|factor| equal.iter().map(|size| size * factor).collect::<Vec<f64>>()),
        );
    }
    let mut times = Vec::new();
    for sizes in &all {
        times.push(scene.time(sizes)?);
    }
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(all.into_iter().zip(times).filter(|(_, time)| *time < SLOW * least).map(|(sizes, _)| sizes).collect())
}

/// The best sizes for a given cost of an access.
pub fn best(scene: &Scene, access: f64) -> Result<Vec<f64>, Failure> {
    Scene { radii: scene.radii, model: Model { access, ..scene.model } }.best(Rule::Optimal)
}
