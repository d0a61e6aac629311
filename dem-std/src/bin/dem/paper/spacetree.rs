//! P4 appendix C: two bodies meet in a spacetree; vertices and comparisons over time, by variant.

use crate::failure::Failure;
use dem_std::Memory;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::broad::{
    Bodies, Query, Refinement, Space, SpaceTree, SpaceTreeRef, SpaceTreeSizes, spacetree_scratch,
};

/// Triangles of the two bodies: 58 times 68 are the paper's 3,944 comparisons.
const TRIANGLES: u64 = 58 * 68;

/// Iteration of contact, and of the end, as in the paper.
const CONTACT: u32 = 9_541;
const END: u32 = 16_000;

/// Diameter of both bodies, in widths of the root (the paper does not tell).
const DIAMETER: f64 = 0.035;

/// Way of each body in an iteration: they come from the edges of the root and leave towards them.
const SPEED: f64 = 3e-5;

const VARIANTS: [(&str, Refinement); 3] =
    [("regular", Refinement::Regular), ("adaptive", Refinement::Adaptive), ("reluctant", Refinement::Reluctant)];

/// What is there in an iteration.
#[derive(Clone, Copy, Default, PartialEq)]
struct State {
    vertices: u64,
    comparisons: u64,
}

/// Where both bodies are.
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
        let bodies = Bodies::new(Array::from_f64(&centres), Array::from_numbers(&radii));
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
pub fn print() -> Result<(), Failure> {
    let mut out = format!(
        "Krestenitis, Weinzierl, Koziara: two bodies of diameter {DIAMETER} meet in a root of width 1 in iteration {CONTACT} and part again;\n\
         vertices of the tree, and comparisons of triangles ({TRIANGLES} for a pair of bodies) when it is traversed\n\n"
    );
    let mut all = Vec::new();
    for (_, refinement) in VARIANTS {
        all.push(run(refinement)?);
    }
    out.push_str("  iteration");
    VARIANTS.iter().for_each(|(name, _)| out.push_str(&format!("{name:>24}")));
    out.push_str("\n           ");
    VARIANTS.iter().for_each(|_| out.push_str("    vertices comparisons"));
    out.push('\n');
    for iteration in [
        0, 10, 2_000, 4_000, 6_000, 7_000, 8_000, 8_500, 9_000, 9_300, CONTACT, 9_800, 10_100, 11_000, 12_000, 14_000,
        END,
    ] {
        out.push_str(&format!("{iteration:>11}"));
        for states in &all {
            let state = states.get(iteration as usize).copied().unwrap_or_default();
            out.push_str(&format!("{:>12}{:>12}", state.vertices, state.comparisons));
        }
        out.push('\n');
    }
    out.push_str("\nOver all iterations\n");
    for ((name, _), states) in VARIANTS.iter().zip(&all) {
        let compared = |s: &&State| s.comparisons > 0;
        let first = states.iter().position(|s| s.comparisons > 0).unwrap_or(0);
        let last = states.iter().rposition(|s| s.comparisons > 0).unwrap_or(0);
        let mean = states.iter().map(|s| s.vertices).sum::<u64>() / states.len() as u64;
        out.push_str(&format!(
            "  {name:<10} vertices on average {mean}, at most {}; compared in {} iterations, from {first} to {last}\n",
            states.iter().map(|s| s.vertices).max().unwrap_or(0),
            states.iter().filter(compared).count(),
        ));
    }
    out.push_str("\nOurs, reluctant: every change\n  iteration      vertices  comparisons\n");
    let mut last = State::default();
    for (iteration, state) in all.last().into_iter().flatten().enumerate() {
        if *state != last {
            out.push_str(&format!("{iteration:>11}{:>14}{:>13}\n", state.vertices, state.comparisons));
        }
        last = *state;
    }
    out.push_str(PAPER);
    crate::print(&out)
}
