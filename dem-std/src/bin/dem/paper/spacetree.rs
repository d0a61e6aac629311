//! P4 appendix C: two bodies meet in a spacetree; vertices and comparisons over time, by variant.

use super::Options;
use super::sheet::Sheet;
use crate::failure::Failure;
use dem_std::Memory;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::broad::{Proxies, Query, Space};
use dem_std::dem_core::published::spacetree::{Refinement, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch};

/// Triangles of the two bodies: 58 times 68 are the paper's 3,944 comparisons.
const TRIANGLES: u64 = 58 * 68;

/// Iteration of contact; `END`: the last one; both as in the paper.
const CONTACT: u32 = 9_541;
const END: u32 = 16_000;

/// Diameter of both bodies, in widths of the root (the paper does not give it).
const DIAMETER: f64 = 0.035;

/// Displacement of each body in an iteration. Bodies come from the edges of the root and leave towards them.
const SPEED: f64 = 3e-5;

const VARIANTS: [(&str, Refinement); 3] =
    [("regular", Refinement::Regular), ("adaptive", Refinement::Adaptive), ("reluctant", Refinement::Reluctant)];

/// Counts of one iteration.
#[derive(Clone, Copy, Default, PartialEq)]
struct State {
    vertices: u64,
    comparisons: u64,
}

/// Centres of both bodies.
fn centres(iteration: u32) -> [[f64; 3]; 2] {
    let from_contact = f64::from(iteration.abs_diff(CONTACT));
    let away = 0.5 * DIAMETER + SPEED * from_contact;
    let along = [0.9, 0.36, 0.248];
    let middle = [0.52, 0.47, 0.55];
    [1.0, -1.0].map(|side| [0, 1, 2].map(|k| middle[k] + side * away * along[k]))
}

/// One variant from the first iteration to the last.
fn run(refinement: Refinement) -> Result<Vec<State>, Failure> {
    let sizes = SpaceTreeSizes { bodies: 2, cells: 4096 };
    let mut block = Memory::new(SpaceTree::layout(&sizes)?)?;
    let mut scratch = Memory::new(spacetree_scratch(sizes.bodies, sizes.cells)?)?;
    SpaceTree::init(&mut block, &sizes)?.begin([0.0; 3], 1.0)?;
    let radii = [0.5 * DIAMETER; 2];
    let mut states = Vec::new();
    for iteration in 0..=END {
        let centres = centres(iteration);
        let bodies = Proxies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
        let query = Query { bodies, space: Space::OPEN, margin: 0.0 };
        let report = SpaceTree::open(&mut block)?.update(&query, refinement, &mut scratch)?;
        let comparisons = TRIANGLES * SpaceTreeRef::peek(&block)?.comparisons(&query)?;
        states.push(State { vertices: report.vertices, comparisons });
    }
    Ok(states)
}

const PAPER: &str = "
The paper, reluctant (its start, its sizes and its way of counting are not told):
  iteration      vertices  comparisons
          0           498            0
      6,334           498        3,944   both in the same coarse cell
      6,338           980            0   refined
      8,557           980        3,944   near on the finest level
      9,536           747        3,944   within a single cube that is refined
      9,541           747        3,944   contact
     10,452           747            0   apart
     14,556           498            0   coarsened
";

/// Prints the study.
pub fn print(options: &Options) -> Result<(), Failure> {
    let mut sheet = Sheet::without_seed(options, 11, 12);
    sheet.say(&format!(
        "Krestenitis, Weinzierl, Koziara: two bodies of diameter {DIAMETER} meet in a root of width 1 in iteration {CONTACT} and part again;\n\
         vertices of the tree, and comparisons of triangles ({TRIANGLES} for a pair of bodies) when it is traversed\n\n"
    ));
    let mut all = Vec::new();
    for (_, refinement) in VARIANTS {
        all.push(run(refinement)?);
    }
    if sheet.is_csv() {
        changes(&mut sheet, &all);
    } else {
        samples(&mut sheet, &all);
    }
    sheet.say("\nOver all iterations\n");
    for ((name, _), states) in VARIANTS.iter().zip(&all) {
        let compared = |s: &&State| s.comparisons > 0;
        let first = states.iter().position(|s| s.comparisons > 0).unwrap_or(0);
        let last = states.iter().rposition(|s| s.comparisons > 0).unwrap_or(0);
        let mean = states.iter().map(|s| s.vertices).sum::<u64>() / states.len() as u64;
        sheet.say(&format!(
            "  {name:<10} vertices on average {mean}, at most {}; compared in {} iterations, from {first} to {last}\n",
            states.iter().map(|s| s.vertices).max().unwrap_or(0),
            states.iter().filter(compared).count(),
        ));
    }
    if !sheet.is_csv() {
        sheet.say("\nOurs, reluctant: every change\n  iteration    vertices comparisons\n");
        changes(&mut sheet, all.last().map(std::slice::from_ref).unwrap_or_default());
    }
    sheet.say(PAPER);
    sheet.print()
}

/// The row of an iteration.
fn row(sheet: &mut Sheet, all: &[Vec<State>], iteration: usize) {
    let states = all.iter().map(|states| states.get(iteration).copied().unwrap_or_default());
    let cells = states.flat_map(|s| [s.vertices, s.comparisons]).map(|n| n.to_string());
    sheet.row(&format!("{iteration:>11}"), cells);
}

/// Selected iterations.
fn samples(sheet: &mut Sheet, all: &[Vec<State>]) {
    let names: String = VARIANTS.iter().map(|(name, _)| format!("{name:>24}")).collect();
    sheet.say(&format!("  iteration{names}\n           {}\n", "    vertices comparisons".repeat(VARIANTS.len())));
    let contact = CONTACT as usize;
    for iteration in [
        0, 10, 2_000, 4_000, 6_000, 7_000, 8_000, 8_500, 9_000, 9_300, contact, 9_800, 10_100, 11_000, 12_000, 14_000,
        16_000,
    ] {
        row(sheet, all, iteration);
    }
}

/// All iterations that differ from the previous one.
fn changes(sheet: &mut Sheet, all: &[Vec<State>]) {
    if sheet.is_csv() {
        let names = VARIANTS.iter().flat_map(|(name, _)| ["vertices", "comparisons"].map(|n| format!("{name} {n}")));
        sheet.row("iteration", names);
    }
    let same = |states: &Vec<State>, i: usize| i > 0 && states.get(i) == states.get(i - 1);
    for iteration in 0..=END as usize {
        if !all.iter().all(|states| same(states, iteration)) {
            row(sheet, all, iteration);
        }
    }
}
