//! Figures of P1 as tables: the predicted and the counted cost of cell sizes of a hierarchical grid.

mod access;
mod count;
mod counted;
mod first;
mod packing;
mod place;
mod predicted;
mod published;
mod rule;
mod simulation;
mod timed;

use super::Options;
use super::sheet::Sheet;
use crate::failure::Failure;

const FIRST: &str = "\
Krijgsman, Ogarko, Luding: Optimal parameters for a hierarchical grid data structure for contact detection.
T is the time for one body in units of the test of a pair, by (27) with K = 0.2; radii follow a power law r^alpha from 1 to
omega; TD is top-down, BU bottom-up. The paper has curves; the numbers beside `paper` are those that its text tells.
";

/// Prints one figure, or all.
pub fn print(figure: Option<&str>, options: &Options) -> Result<(), Failure> {
    if figure == Some("k") {
        let mut sheet = Sheet::new(options, 38, 12);
        access::print(&mut sheet, options)?;
        return sheet.print();
    }
    if figure == Some("simulation") {
        let mut sheet = Sheet::new(options, 38, 12);
        simulation::print(&mut sheet, options)?;
        return sheet.print();
    }
    const FIGURES: [&str; 13] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "2d"];
    let figures = match figure {
        None => &FIGURES[..],
        Some(name) => {
            let at = FIGURES.iter().position(|f| *f == name).ok_or_else(|| {
                Failure::usage(format!("paper 001 has no figure `{name}` that is shown here; see `dem paper --help`"))
            })?;
            &FIGURES[at..=at]
        }
    };
    let random = figures.iter().any(|name| matches!(*name, "11" | "12" | "2d"));
    let mut sheet = if random { Sheet::new(options, 38, 10) } else { Sheet::without_seed(options, 38, 10) };
    let all = &mut sheet;
    all.say(FIRST);
    for figure in figures {
        all.say("\n");
        match *figure {
            "1" => first::cells(all)?,
            "2" => first::densities(all)?,
            "3" => predicted::single(all)?,
            "4" => predicted::against_omega(all, "4: linear sizes (34)", rule::Rule::Linear)?,
            "5" => predicted::against_omega(all, "5: exponential sizes (36)", rule::Rule::Exponential)?,
            "6" => predicted::ratios(all)?,
            "7" => {
                let title = "7: equally many bodies in a cell, (37) with q = 1";
                predicted::against_omega(all, title, rule::Rule::Ratio(1.0))?
            }
            "8" => predicted::against_omega(all, "8: optimal sizes", rule::Rule::Optimal)?,
            "9" => predicted::against_levels(all)?,
            "10" => predicted::sizes(all)?,
            "11" => counted::packings(all, options)?,
            "12" => counted::exponents(all, options)?,
            _ => counted::discs(all, options)?,
        }
    }
    sheet.print()
}

/// A number with about five digits.
fn short(x: f64) -> String {
    if x < 1e4 { format!("{x:.3}") } else { format!("{x:.3e}") }
}
