//! `dem paper`: tables of the papers, ours beside theirs.

mod approach;
mod hybrid;
mod product;
mod surrogates;

use crate::arguments::whole;
use crate::failure::Failure;
use lexopt::Arg;

pub const HELP: &str = "\
dem paper: a table of a paper, our numbers beside the printed ones

Usage: dem paper 000 TABLE [OPTIONS]

  000 6.1    the coarsest surrogate of elongated spheres: longest edge, halo, volume
  000 6.2    two spheres approach: comparison-based against hybrid distances, runtimes and fallbacks
  000 6.3    a sphere approaches a plane: the same

  --steps N  poses of the approach that are averaged (default 20), in 6.2 and 6.3
  --seed S   another approach (default 0)

000 is P. Noble, T. Weinzierl: A multiresolution discrete element method for triangulated objects with implicit time
stepping. Runtimes are of one core and of this machine; theirs are as printed. Fallbacks depend on parameters that the
paper does not tell, so several are shown; the proved answers are what this library uses by itself.

Examples:
  dem paper 000 6.2
  dem paper 000 6.3 --steps 100
";

/// What the tables can be asked for.
pub struct Options {
    /// Poses that are averaged.
    pub steps: u32,
    /// Which random turns.
    pub seed: u64,
}

pub fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut names = Vec::new();
    let mut options = Options { steps: 20, seed: 0 };
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return crate::print(HELP),
            Arg::Long("steps") => options.steps = whole("--steps", arguments.value()?)?,
            Arg::Long("seed") => options.seed = whole("--seed", arguments.value()?)?,
            Arg::Value(name) => names.push(name.to_string_lossy().into_owned()),
            other => return Err(Failure::usage(format!("{}; see `dem paper --help`", other.unexpected()))),
        }
    }
    if options.steps == 0 {
        return Err(Failure::usage("--steps: at least one pose is needed"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names[..] {
        ["000", "6.1"] => surrogates::print(),
        ["000", "6.2"] => hybrid::print(&hybrid::PARTICLES, &options),
        ["000", "6.3"] => hybrid::print(&hybrid::PLANE, &options),
        [paper, table] => Err(Failure::usage(format!("there is no table `{paper} {table}`; see `dem paper --help`"))),
        _ => Err(Failure::usage("a paper and one of its tables are needed; see `dem paper --help`")),
    }
}
