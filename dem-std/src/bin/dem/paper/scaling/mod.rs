//! P4 sections 3, 5 and 7: the comparisons that grids save, threads on three levels, and instruction sets.

mod system;

use super::Options;
use super::meeting::{Each, meeting};
use super::sheet::Sheet;
use super::times::Times;
use crate::failure::Failure;
use dem_std::Threads;
use dem_std::dem_core::broad::Candidate;
use dem_std::dem_core::error::Result as CoreResult;
use dem_std::dem_core::exec::{Cut, CutMut, Executor, each};
use dem_std::dem_core::published::triangle::{Fallback, Hybrid};
use dem_std::dem_core::simd::Isa;
use dem_std::dem_core::triangle::{Coordinates, Source};
use std::num::NonZero;
use std::ops::Range;
use std::thread;
use std::time::Instant;
use system::{EPS, GRIDS, System};

/// Smallest diameters of particles; the largest one is 1.
const SMALLEST: [f64; 2] = [1.0, 0.1];

/// Repetitions of each measurement; the table shows the median, the least and the largest.
const REPEATS: usize = 5;

const KERNELS: [(&str, Option<Hybrid>); 3] = [
    ("brute force", None),
    ("hybrid on pairs", Some(Hybrid::PAPER)),
    ("hybrid on batches", Some(Hybrid { fallback: Fallback::Batches(8), ..Hybrid::PAPER })),
];

/// The level at which threads share the work.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    /// The particles: all pairs of one particle are one task.
    Cells,
    /// The pairs of particles.
    Pairs,
    /// The triangles of a pair of particles, one pair after another.
    Triangles,
}

const LEVELS: [(&str, Level); 3] =
    [("particles", Level::Cells), ("pairs of particles", Level::Pairs), ("triangles", Level::Triangles)];

/// Measures and prints everything.
pub fn print(options: &Options) -> Result<(), Failure> {
    let (count, steps) = (options.bodies.unwrap_or(500), options.poses());
    let mut sheet = Sheet::new(options, 40, 13);
    let mut last = None;
    for smallest in SMALLEST {
        let mut system = System::new(count, smallest, options.seed)?;
        if last.is_none() {
            sheet.say(&format!(
                "Krestenitis, Weinzierl and Koziara, Algorithm 1: explicit steps of {count} hulls of {} triangles, halo {EPS} of the largest diameter,\n\
                 {steps} steps, f32, {}\n",
                system.triangles(),
                Isa::best().name()
            ));
        }
        for _ in 0..steps {
            system.step()?;
        }
        grids(&mut sheet, &system, smallest, count, steps);
        last.get_or_insert(system);
    }
    if let Some(system) = last {
        threads(&mut sheet, &system)?;
        instruction_sets(&mut sheet, &system)?;
    }
    sheet.print()
}

/// Section 7.1: comparisons without a grid and with the three grids, and with an additional test of spheres.
fn grids(sheet: &mut Sheet, system: &System, smallest: f64, count: u32, steps: u32) {
    sheet.section("");
    sheet.say(&format!("\nDiameters {smallest} to 1: means of a step\n"));
    sheet.section(&format!("diameters from {smallest}"));
    let mean = |n: u64| n as f64 / f64::from(steps);
    let triangles = (system.triangles() as f64).powi(2);
    let all = f64::from(count) * (f64::from(count) - 1.0) / 2.0;
    sheet.row("", ["vertices", "pairs", "triangles", "saved"].map(str::to_owned));
    let scientific = |x: f64| format!("{x:.2e}");
    let mut row = |name: &str, vertices: String, pairs: f64| {
        let saved = if pairs > 0.0 { format!("{:.1}", all / pairs) } else { "all".to_owned() };
        sheet.row(name, [vertices, format!("{pairs:.1}"), scientific(pairs * triangles), saved]);
    };
    row("no grid", "0".to_owned(), all);
    for (i, (name, _)) in GRIDS.iter().enumerate() {
        let counts = system.counts(i);
        row(name, format!("{:.0}", mean(counts.vertices)), mean(counts.compared));
    }
    row("spheres, after any grid", String::new(), mean(system.counts(0).spheres));
    sheet.row("", ["grids", "contacts", "forces", "particles"].map(str::to_owned));
    let loops = &system.times;
    let milliseconds = |seconds: f64| format!("{:.3}", 1e3 * seconds);
    sheet.row("milliseconds, one thread, median", loops.each_ref().map(|times| milliseconds(times.median())));
    for (quartile, name) in ["1st", "3rd"].into_iter().enumerate() {
        let cells = loops.each_ref().map(|times| milliseconds(times.quartiles()[quartile]));
        sheet.row(&format!("  {name} quartile"), cells);
    }
    sheet.row("triangles in contact", [format!("{:.1}", mean(system.contacts))]);
    sheet.say(
        "  paper, 7.1: a grid reduces comparisons dramatically; of many sizes only adaptive ones reduce them further\n",
    );
}

/// Figures 12, 14, 22 and 23: each kernel on each level, by numbers of threads.
fn threads(sheet: &mut Sheet, system: &System) -> Result<(), Failure> {
    let most = thread::available_parallelism().map_or(1, NonZero::get);
    let counts: Vec<_> =
        std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n < most).chain([most]).collect();
    let pairs = system.pairs.len();
    sheet.section("");
    sheet.say(&format!(
        "\nContacts of the last step, {pairs} pairs of particles, shared by threads: milliseconds of one, and how many times as fast several are\n"
    ));
    sheet.section("threads");
    let names = counts.iter().map(|n| if *n == 1 { "ms".to_owned() } else { format!("{n} threads") });
    sheet.row("", names.chain(["least ms", "largest", "exact, %", "contacts"].map(str::to_owned)));
    let pools: Vec<_> = counts
        .iter()
        .map(|n| Threads::new(*n))
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::Data(format!("threads cannot be started: {error}")))?;
    for (level_name, level) in LEVELS {
        for (kernel, hybrid) in &KERNELS {
            let mut cells = Vec::new();
            let mut one = Times::default();
            let mut found = Found::default();
            for pool in &pools {
                let (seconds, of_pool) = time(|| find(pool, system, level, hybrid.as_ref()))?;
                if cells.is_empty() {
                    (one, found) = (seconds, of_pool);
                    cells.push(format!("{:.3}", 1e3 * one.median()));
                } else {
                    cells.push(format!("{:.2}", one.median() / seconds.median()));
                }
                if of_pool != found {
                    return Err(Failure::Data("contacts depend on the number of threads".to_owned()));
                }
            }
            let all = system.pairs.iter().map(|pair| system.product(pair).len()).sum::<usize>();
            cells.extend(one.range().map(|seconds| format!("{:.3}", 1e3 * seconds)));
            cells
                .extend([format!("{:.2}", 100.0 * found.exact as f64 / all.max(1) as f64), found.contacts.to_string()]);
            sheet.row(&format!("{kernel}, {level_name}"), cells);
        }
    }
    sheet.say(
        "exact: pairs that go to the exact kernel; contacts: pairs of triangles, of which the hybrids as published invent some\n  \
         paper: brute force is the fastest on few threads, hybrid on batches scales best; threads within pairs cost more than they bring.\n  \
         Here the hybrids are the fastest on one thread, too, and the one on pairs before the one on batches: 004 kernels says why\n",
    );
    Ok(())
}

/// Figures 15 to 19: each kernel with each instruction set, on one thread.
fn instruction_sets(sheet: &mut Sheet, system: &System) -> Result<(), Failure> {
    let pairs: usize = system.pairs.iter().map(|pair| system.product(pair).len()).sum();
    sheet.section("");
    sheet.say("\nThe same by instruction sets, one thread: nanoseconds of a pair of triangles, and how many times as fast as the first\n");
    sheet.section("instruction sets");
    let names = Isa::list().iter().flat_map(|isa| [isa.name().to_owned(), "as fast".to_owned()]);
    sheet.row("", names);
    for (kernel, hybrid) in &KERNELS {
        let (mut cells, mut spread, mut first) = (Vec::new(), [Vec::new(), Vec::new()], None);
        for isa in Isa::list() {
            let look = || {
                let threshold = Each::Same((2.0 * EPS) as f32);
                let found = system.pairs.iter().map(|pair| {
                    let met = meeting(*isa, hybrid.as_ref(), &system.product(pair), threshold)?;
                    Ok(Found { contacts: met.pairs.len() as u64, exact: met.exact })
                });
                found.sum::<CoreResult<Found>>()
            };
            let (seconds, _) = time(look)?;
            let nanoseconds = |seconds: f64| format!("{:.2}", 1e9 * seconds / pairs.max(1) as f64);
            for (cells, end) in spread.iter_mut().zip(seconds.range()) {
                cells.extend([nanoseconds(end), String::new()]);
            }
            let seconds = seconds.median();
            let first = *first.get_or_insert(seconds);
            cells.extend([nanoseconds(seconds), format!("{:.2}", first / seconds)]);
        }
        sheet.row(kernel, cells);
        for (cells, end) in spread.into_iter().zip(["least", "largest"]) {
            sheet.row(&format!("  {kernel}, {end}"), cells);
        }
    }
    sheet.say("  paper: figures without numbers; brute force and penalty gain from vector instructions\n");
    Ok(())
}

/// The result of a pass over all pairs.
#[derive(Clone, Copy, Default, PartialEq)]
struct Found {
    contacts: u64,
    exact: u64,
}

impl std::iter::Sum for Found {
    fn sum<I: Iterator<Item = Found>>(all: I) -> Found {
        all.fold(Found::default(), |x, y| Found { contacts: x.contacts + y.contacts, exact: x.exact + y.exact })
    }
}

/// The seconds of a pass, and its result.
fn time(look: impl Fn() -> CoreResult<Found>) -> Result<(Times, Found), Failure> {
    let mut seconds = Times::default();
    let mut found = Found::default();
    for _ in 0..REPEATS {
        let start = Instant::now();
        found = look()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok((seconds, found))
}

/// Finds the triangles in contact; the executor's threads share the tasks of a level.
fn find(exec: &dyn Executor, system: &System, level: Level, hybrid: Option<&Hybrid>) -> CoreResult<Found> {
    let look = |source: &dyn Source<f32>| {
        let met = meeting(Isa::best(), hybrid, source, Each::Same((2.0 * EPS) as f32))?;
        Ok(Found { contacts: met.pairs.len() as u64, exact: met.exact })
    };
    match level {
        Level::Cells => {
            let tasks: Vec<_> = system.pairs.chunk_by(|x, y| x.a == y.a).collect();
            shared(exec, &tasks, |pairs| pairs.iter().map(|pair| look(&system.product(pair))).sum())
        }
        Level::Pairs => shared(exec, &system.pairs, |pair| look(&system.product(pair))),
        Level::Triangles => system.pairs.iter().map(|pair| of_triangles(exec, system, pair, &look)).sum(),
    }
}

/// Finds the triangles in contact of a pair of particles, in as many parts as there are threads. Parts are whole batches, so that batches have the
/// same pairs.
fn of_triangles(
    exec: &dyn Executor,
    system: &System,
    pair: &Candidate,
    look: &(impl Fn(&dyn Source<f32>) -> CoreResult<Found> + Sync),
) -> CoreResult<Found> {
    let product = system.product(pair);
    let part = product.len().div_ceil(exec.width()).next_multiple_of(16);
    let parts: Vec<_> = (0..product.len()).step_by(part).map(|from| from..product.len().min(from + part)).collect();
    shared(exec, &parts, |range| look(&Part { of: &product, range: range.clone() }))
}

/// Runs tasks on all threads, and sums their results.
fn shared<T: Sync>(
    exec: &dyn Executor,
    tasks: &[T],
    task: impl Fn(&T) -> CoreResult<Found> + Sync,
) -> CoreResult<Found> {
    let mut found: Vec<CoreResult<Found>> = (0..tasks.len()).map(|_| Ok(Found::default())).collect();
    each(exec, (Cut(tasks, 1), CutMut(&mut found, 1)), |_, (tasks, found)| {
        found.iter_mut().zip(tasks).for_each(|(found, one)| *found = task(one));
    });
    found.into_iter().sum()
}

/// A part of a source.
struct Part<'a> {
    of: &'a dyn Source<f32>,
    range: Range<usize>,
}

impl Source<f32> for Part<'_> {
    fn len(&self) -> usize {
        self.range.len()
    }

    fn fill(&self, at: usize, count: usize, block: &mut Coordinates<f32>) {
        self.of.fill(self.range.start + at, count, block);
    }
}
