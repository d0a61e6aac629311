//! `dem paper`: tables of the papers, with measured numbers beside the printed ones.

mod approach;
mod explicit;
mod grid;
mod hybrid;
mod kernels;
mod meeting;
mod product;
mod push;
mod scaling;
mod sheet;
mod spacetree;
mod surrogates;
mod times;
mod tree_pairs;

use crate::arguments::whole;
use crate::failure::Failure;
use lexopt::Arg;

pub const HELP: &str = "\
dem paper: a table of a paper, our numbers beside the printed ones

Usage: dem paper 000 [TABLE] [OPTIONS]
       dem paper 001 [FIGURE] [OPTIONS]
       dem paper 004 grids|kernels|scaling [OPTIONS]

  000 6.1    the coarsest surrogate of elongated spheres: longest edge, halo, volume
  000 6.2    two spheres approach: comparison-based against hybrid distances, runtimes and fallbacks
  000 6.3    a sphere approaches a plane: the same
  000 6.4    both setups in explicit time steps: how many comparisons surrogate trees save
  000        all of these

  001 1          the cells that a body of a two-level grid searches, top-down and bottom-up
  001 2          the densities of radii for several exponents
  001 3 to 10    what a hierarchical grid costs by its model, against size ratio, levels, and ratio of bodies in a cell
  001 11, 12     the same beside what is counted, in periodic boxes and between walls, of random places and of packings without overlaps
  001 2d         the two-dimensional system: the factor between one level and the best sizes
  001            all of these
  001 simulation    that system as a whole simulation, with one level and with several, by the search of the paper and by ours
  001 k          K of this machine, what a look into a row of cells costs, fitted to searches: for the choice of cell sizes
  004 grids      two bodies meet in a spacetree: vertices and comparisons over time, regular, adaptive, reluctant
  004 kernels    how many sweeps pairs of triangles take; hybrids on pairs and on batches against brute force, on threads
  004 scaling    many particles in explicit steps: what grids save, threads on three levels, instruction sets

  --steps N   poses of the approach that are averaged (default 20), in 000 6.2, 6.3 and 004 kernels; time steps of 000 6.4 (default 100),
              of 001 simulation (default 2000) and of 004 scaling (default 20)
  --bodies N  bodies that are counted with (default 100000), in 001 11, 12 and k; particles of 004 scaling (default 500)
  --seed S    another approach, other bodies (default 0)
  --csv       comma-separated values: a name and numbers in each row; what else is said comes behind #

000 is P. Noble, T. Weinzierl: A multiresolution discrete element method for triangulated objects with implicit time
stepping; 001 is D. Krijgsman, V. Ogarko, S. Luding: Optimal parameters for a hierarchical grid data structure for contact
detection in arbitrarily polydisperse particle systems; 004 is K. Krestenitis, T. Weinzierl, T. Koziara: A fast triangle-based discrete
element code. Each table begins with the version of dem, its seed and the processor. Runtimes are of one core and of this machine, medians with quartiles or
with the least and the largest; theirs are as printed. Fallbacks depend on parameters that the paper does not tell, so several are
shown; the proved answers are what this library uses by itself. A figure that is not the paper's has the reason beside it, or what was tried.

Examples:
  dem paper 000 6.2
  dem paper 000 6.3 --steps 100
  dem paper 001 9
  dem paper 001 k
  dem paper 004 grids --csv > grids.csv
";

/// Options of the tables.
pub struct Options {
    /// Number of poses or time steps to average over, if it was given.
    pub steps: Option<u32>,
    /// Number of bodies, if it was given.
    pub bodies: Option<u32>,
    /// Seed of random rotations.
    pub seed: u64,
    /// Comma-separated values.
    pub csv: bool,
}

impl Options {
    /// Number of poses to average over.
    pub fn poses(&self) -> u32 {
        self.steps.unwrap_or(20)
    }

    /// Number of bodies for counts.
    pub fn counted(&self) -> u32 {
        self.bodies.unwrap_or(100_000)
    }
}

pub fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut names = Vec::new();
    let mut options = Options { steps: None, bodies: None, seed: 0, csv: false };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP),
            Arg::Long("steps") => options.steps = Some(whole("--steps", arguments.value()?)?),
            Arg::Long("bodies") => options.bodies = Some(whole("--bodies", arguments.value()?)?),
            Arg::Long("seed") => options.seed = whole("--seed", arguments.value()?)?,
            Arg::Long("csv") => options.csv = true,
            Arg::Value(name) => names.push(name.to_string_lossy().into_owned()),
            other => return Err(Failure::usage(format!("{}; see `dem paper --help`", other.unexpected()))),
        }
    }
    if options.steps == Some(0) {
        return Err(Failure::usage("--steps: at least one pose is needed"));
    }
    if options.bodies == Some(0) {
        return Err(Failure::usage("--bodies: at least one body is needed"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        ["000"] => ["6.1", "6.2", "6.3", "6.4"].iter().enumerate().try_for_each(|(i, name)| {
            crate::print(if i == 0 { "" } else { "\n" })?;
            surrogate_table(name, &options)
        }),
        ["000", name] => surrogate_table(name, &options),
        ["004", "grids"] => spacetree::print(&options),
        ["004", "kernels"] => kernels::print(&options),
        ["004", "scaling"] => scaling::print(&options),
        ["001"] => grid::print(None, &options),
        ["001", figure] => grid::print(Some(figure), &options),
        ["004"] | [] => Err(Failure::usage(
            "a paper, and of 004 one of its tables, are needed: 000, 001, 004 grids, kernels or scaling",
        )),
        ["004", table] => Err(no_table(table)),
        ["000" | "001" | "004", ..] => Err(Failure::usage("one table at a time; see `dem paper --help`")),
        [paper, ..] => Err(Failure::usage(format!("there is no paper `{paper}` here; there are 000, 001 and 004"))),
    }
}

/// A table of paper 000.
fn surrogate_table(name: &str, options: &Options) -> Result<(), Failure> {
    match name {
        "6.1" => surrogates::print(options),
        "6.2" => hybrid::print(&hybrid::PARTICLES, options),
        "6.3" => hybrid::print(&hybrid::PLANE, options),
        "6.4" => explicit::print(options),
        _ => Err(no_table(name)),
    }
}

fn no_table(name: &str) -> Failure {
    Failure::usage(format!("there is no table `{name}` here; see `dem paper --help`"))
}
