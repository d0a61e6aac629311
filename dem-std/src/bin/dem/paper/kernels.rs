//! P4 section 4.3 and Figures 9 to 13: the number of sweeps that triangle pairs take, and the hybrids on pairs and on batches.

use super::Options;
use super::approach::{Other, pose};
use super::product::{Product, Rows};
use super::sheet::Sheet;
use super::times::Times;
use crate::failure::Failure;
use dem_std::dem_core::error::Error;
use dem_std::dem_core::published::triangle::{
    AnswerSink, Answered, Fallback, Hybrid, Iterative, Statistics, Thresholds, contacts_hybrid,
};
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::triangle::{Block, Sink, Source, closest_points};
use dem_std::generate::hull_sphere;
use dem_std::random::SplitMix64;
use std::num::NonZero;
use std::thread;
use std::time::Instant;

/// Number of points of which a particle is the convex hull. (The paper counts some 60 triangles for 50 points; their hull has 96.)
const POINTS: u32 = 32;

/// Halo of a particle of diameter 1; `FARTHEST`: the largest gap.
const EPS: f64 = 1e-2;
const FARTHEST: f64 = 0.1;

/// Sweeps that are shown.
const SWEEPS: u32 = 8;

/// Repetitions of each kernel; the table shows the median, the least and the largest.
const REPEATS: usize = 5;

/// The kernels whose times are compared: brute force, or a hybrid.
const KERNELS: [(&str, Option<Hybrid>); 6] = [
    ("brute force", None),
    ("hybrid on pairs, as published", Some(Hybrid::PAPER)),
    ("hybrid on batches of 8, as published", Some(batches(Hybrid::PAPER, 8))),
    ("hybrid on pairs, proved", Some(Hybrid::CERTIFIED)),
    ("hybrid on batches of 8, proved", Some(batches(Hybrid::CERTIFIED, 8))),
    ("hybrid on batches of 16, proved", Some(batches(Hybrid::CERTIFIED, 16))),
];

const fn batches(hybrid: Hybrid, size: u32) -> Hybrid {
    Hybrid { fallback: Fallback::Batches(size), ..hybrid }
}

/// Measures and prints everything.
pub fn print(options: &Options) -> Result<(), Failure> {
    let particle = hull_sphere(POINTS, options.seed)?.scaled([0.5; 3]);
    let mut random = SplitMix64::new(options.seed);
    let mut poses = Vec::new();
    for step in 0..options.poses() {
        let gap = FARTHEST * f64::from(options.poses() - 1 - step) / f64::from(options.poses());
        poses.push(pose(&particle, Other::Sphere, gap, &mut random)?);
    }
    let pairs: usize = poses.iter().map(|[a, b]| Product(a, b).len()).sum();
    let mut sheet = Sheet::new(options, 40, 10);
    sheet.say(&format!(
        "Krestenitis, Weinzierl and Koziara, section 4.3: two hulls of {POINTS} points, {} triangles each, {} poses, {pairs} pairs, f32, {}\n\n",
        particle.len(),
        options.poses(),
        Isa::best().name()
    ));
    histogram(&poses, pairs, &mut sheet)?;
    times(&poses, pairs, &mut sheet)?;
    sheet.print()
}

/// Figure 9.
fn histogram(poses: &[[Rows; 2]], pairs: usize, sheet: &mut Sheet) -> Result<(), Failure> {
    sheet.section("settled");
    let numbers: [u32; SWEEPS as usize] = std::array::from_fn(|k| k as u32 + 1);
    sheet.row("settled after so many sweeps, %", numbers.map(|k| k.to_string()));
    for (name, iterative) in [("  as published", Iterative::PAPER), ("  proved", Iterative::CERTIFIED)] {
        let mut cells = Vec::new();
        for sweeps in numbers {
            let hybrid = Hybrid { iterative: Iterative { sweeps, ..iterative }, ..Hybrid::PAPER };
            let open = run(poses, &hybrid)?.unresolved;
            cells.push(format!("{:.2}", 100.0 * (1.0 - open as f64 / pairs as f64)));
        }
        sheet.row(name, cells);
    }
    sheet.section("");
    sheet.say("  paper, Figure 9: most of 24 million pairs by the 4th\n\n");
    Ok(())
}

/// Figures 10 to 13: times, the fraction that goes to brute force, and threads that share the pairs of particles.
fn times(poses: &[[Rows; 2]], pairs: usize, sheet: &mut Sheet) -> Result<(), Failure> {
    let most = thread::available_parallelism().map_or(1, NonZero::get).min(poses.len());
    sheet.say(
        "exact: pairs that go to the exact kernel; then times as fast: as brute force on one thread, and threads as one\n",
    );
    let threads = format!("{most} threads");
    sheet.row("", ["exact, %", "ns a pair", "as fast", &threads, "least ns", "largest"].map(str::to_owned));
    let (mut brute, mut shares) = (0.0, Vec::new());
    for (name, hybrid) in KERNELS {
        let one = time(poses, hybrid.as_ref(), 1)?;
        let all = time(poses, hybrid.as_ref(), most)?;
        let range = one.range().map(|seconds| 1e9 * seconds / pairs as f64);
        let (one, all) = (one.median(), all.median());
        if hybrid.is_none() {
            brute = one;
        }
        let exact = hybrid.map_or(Ok(pairs as u64), |hybrid| run(poses, &hybrid).map(|s| s.exact))?;
        let percent = 100.0 * exact as f64 / pairs as f64;
        shares.push(percent);
        let nanoseconds = 1e9 * one / pairs as f64;
        let cells = [percent, nanoseconds, brute / one, one / all, range[0], range[1]];
        sheet.row(name, cells.map(|x| format!("{x:.2}")));
    }
    let [_, single, batch, proved, ..] = shares[..] else { return Ok(()) };
    sheet.say(&format!(
        "  paper: hybrid on batches is the fastest on many threads, hybrid on pairs the slowest, brute force on few. Here a hybrid on\n  \
         pairs gathers its unresolved pairs until they fill all lanes of the exact kernel, so that it needs no batches to use them; a\n  \
         batch only sends more pairs there, as published {batch:.1} % for {single:.1} %. The proved ones leave {proved:.2} %: there it hardly matters\n"
    ));
    Ok(())
}

/// The seconds for all poses.
fn time(poses: &[[Rows; 2]], hybrid: Option<&Hybrid>, threads: usize) -> Result<Times, Failure> {
    let mut seconds = Times::default();
    for _ in 0..REPEATS {
        let start = Instant::now();
        let outcome: Result<(), Error> = thread::scope(|scope| {
            let parts = poses.chunks(poses.len().div_ceil(threads.max(1)).max(1));
            let lanes: Vec<_> = parts.map(|part| scope.spawn(move || look(part, hybrid))).collect();
            lanes.into_iter().map(|lane| lane.join().unwrap_or(Ok(()))).find(Result::is_err).unwrap_or(Ok(()))
        });
        outcome?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

fn look(poses: &[[Rows; 2]], hybrid: Option<&Hybrid>) -> Result<(), Error> {
    let threshold = Thresholds::Same((2.0 * EPS) as f32);
    poses.iter().try_for_each(|[a, b]| match hybrid {
        Some(hybrid) => contacts_hybrid(Isa::best(), hybrid, &Product(a, b), threshold, &mut Nowhere).map(|_| ()),
        None => closest_points(Isa::best(), &Product(a, b), &mut Nowhere),
    })
}

fn run(poses: &[[Rows; 2]], hybrid: &Hybrid) -> Result<Statistics, Failure> {
    let mut sum = Statistics::default();
    for [a, b] in poses {
        let threshold = Thresholds::Same((2.0 * EPS) as f32);
        let s = contacts_hybrid(Isa::best(), hybrid, &Product(a, b), threshold, &mut Nowhere)?;
        sum.unresolved += s.unresolved;
        sum.exact += s.exact;
    }
    Ok(sum)
}

/// A sink that discards answers.
struct Nowhere;

impl Sink<f32> for Nowhere {
    fn put(&mut self, _: usize, _: usize, _: &Block<f32>) {}
}

impl AnswerSink<f32> for Nowhere {
    fn put(&mut self, _: &Answered<'_, f32>) {}
}
