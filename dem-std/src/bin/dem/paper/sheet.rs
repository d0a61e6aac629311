//! Output of a table: aligned columns, or comma-separated values (`--csv`).

use super::Options;
use super::times::processor;
use crate::failure::Failure;

/// The text so far. In comma-separated values, text becomes comments after `# `, and each row has a unique name.
pub struct Sheet {
    csv: bool,
    name: usize,
    cell: usize,
    section: String,
    text: String,
}

impl Sheet {
    /// A sheet with these column widths for names of rows and for cells. It begins with the inputs on which its numbers depend: version, seed,
    /// processor.
    pub fn new(options: &Options, name: usize, cell: usize) -> Self {
        Sheet::begin(options, name, cell, &format!("seed {}", options.seed))
    }

    /// The same for a table that does not use the seed of the options.
    pub fn without_seed(options: &Options, name: usize, cell: usize) -> Self {
        Sheet::begin(options, name, cell, "a seed is not used")
    }

    fn begin(options: &Options, name: usize, cell: usize, seed: &str) -> Self {
        let mut sheet = Sheet { csv: options.csv, name, cell, section: String::new(), text: String::new() };
        sheet.say(&format!("dem {}, {seed}; {}\n", env!("CARGO_PKG_VERSION"), processor()));
        sheet
    }

    /// Whether values are separated by commas.
    pub fn is_csv(&self) -> bool {
        self.csv
    }

    /// Appends lines of text.
    pub fn say(&mut self, lines: &str) {
        if !self.csv {
            return self.text.push_str(lines);
        }
        for line in lines.lines().map(str::trim) {
            self.text.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("# {line}\n") });
        }
    }

    /// Sets the section of the following rows; in comma-separated values it is a prefix of their names.
    pub fn section(&mut self, section: &str) {
        self.section = section.to_owned();
    }

    /// Appends a row. Cells may be wider than their columns; empty cells at the end are left out.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        let line = if self.csv {
            let name = name.trim();
            let inside = self.section.is_empty() || name.starts_with(&self.section);
            let name = if inside { name.to_owned() } else { format!("{}, {name}", self.section) };
            std::iter::once(&name).chain(&cells).map(|cell| quoted(cell)).collect::<Vec<_>>().join(",")
        } else {
            let (width, place) = (self.name, self.cell);
            let cells: String = cells.iter().map(|cell| format!("{cell:>place$}")).collect();
            format!("{name:<width$}{cells}")
        };
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Prints the sheet.
    pub fn print(&self) -> Result<(), Failure> {
        crate::print(&self.text)
    }
}

/// A cell between commas.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
