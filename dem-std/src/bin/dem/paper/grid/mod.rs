//! Figures of P1 as tables: what cell sizes of a hierarchical grid cost, predicted and counted.

mod count;
mod counted;
mod predicted;
mod rule;

use super::Options;
use crate::failure::Failure;

const FIRST: &str = "\
Krijgsman, Ogarko, Luding: Optimal parameters for a hierarchical grid data structure for contact detection.
T is the time for one body in units of the test of a pair, by (27) with K = 0.2; radii follow a power law r^alpha from 1 to
omega; TD is top-down, BU bottom-up. The paper has curves; the numbers beside `paper` are those that its text tells.
";

/// Prints one figure, or all.
pub fn print(figure: Option<&str>, options: &Options) -> Result<(), Failure> {
    const FIGURES: [&str; 11] = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "2d"];
    let figures = match figure {
        None => &FIGURES[..],
        Some(name) => {
            let at = FIGURES.iter().position(|f| *f == name).ok_or_else(|| {
                Failure::usage(format!("paper 001 has no figure `{name}` that is shown here; see `dem paper --help`"))
            })?;
            &FIGURES[at..=at]
        }
    };
    crate::print(FIRST)?;
    for figure in figures {
        let text = match *figure {
            "3" => predicted::single()?,
            "4" => predicted::against_omega("4: linear sizes (34)", rule::Rule::Linear)?,
            "5" => predicted::against_omega("5: exponential sizes (36)", rule::Rule::Exponential)?,
            "6" => predicted::ratios()?,
            "7" => {
                predicted::against_omega("7: equally many bodies in a cell, (37) with q = 1", rule::Rule::Ratio(1.0))?
            }
            "8" => predicted::against_omega("8: optimal sizes", rule::Rule::Optimal)?,
            "9" => predicted::against_levels()?,
            "10" => predicted::sizes()?,
            "11" => counted::packings(options)?,
            "12" => counted::exponents(options)?,
            _ => counted::discs(options)?,
        };
        crate::print(&format!("\n{text}"))?;
    }
    Ok(())
}

/// A line of a table: a name and cells.
fn line(out: &mut String, name: &str, cells: impl IntoIterator<Item = String>) {
    let mut text = format!("{name:<38}");
    cells.into_iter().for_each(|cell| text.push_str(&format!("{cell:>10}")));
    out.push_str(text.trim_end());
    out.push('\n');
}

/// A number in about five places.
fn short(x: f64) -> String {
    if x < 1e4 { format!("{x:.3}") } else { format!("{x:.3e}") }
}
