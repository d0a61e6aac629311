//! The cost model of P1 section 3 for given cell sizes.

use super::{Moments, Radii, check_count};
use crate::broad::{Dimensions, Direction};
use crate::error::{Error, Kind, Result, What};
use crate::real::{exp, exp_m1, ln};

/// How a grid is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Search {
    /// Every body visits one cell after another and tests one pair after another (P1).
    #[default]
    Cells = 1,
    /// All bodies of a cell visit a row of cells together, and each tests the bodies of the row [`LANES`] at a time.
    /// The largest cells may then be larger than the largest diameter, so that cells hold several bodies.
    Rows = 2,
}

/// Bodies per test in [`Search::Rows`].
pub const LANES: f64 = 16.0;

/// Parameters of the cost model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Number of axes.
    pub dimensions: Dimensions,
    /// Direction of the search between levels.
    pub direction: Direction,
    /// How a grid is searched.
    pub search: Search,
    /// Bodies in a unit of volume (of area in two dimensions), above 0: N / A^d in P1 (8).
    pub density: f64,
    /// Time of visiting a cell or a row divided by the time of a test, at least 0: P1's K (whose text defines the
    /// inverse). [`Cost::fit`](super::Cost::fit) computes it from timed runs.
    pub access: f64,
}

impl Model {
    /// P1's K for spheres.
    pub const PUBLISHED_ACCESS: f64 = 0.2;

    /// K of [`Search::Rows`] in [`HGrid`](crate::broad::HGrid). A factor of two in this number changes the time of a
    /// search by about 10 %. `dem paper 001 k` measures K on your machine.
    pub const ROW_ACCESS: f64 = 10.0;

    /// P1's model of bodies with the volume fraction `packing`, where overlaps count twice (P1 (6) to (8)).
    ///
    /// Errors: [`Kind::OutOfRange`] for a packing that is not positive and finite (`What::Density`), and as [`Model::check`].
    pub fn packed(
        radii: &impl Radii,
        dimensions: Dimensions,
        direction: Direction,
        packing: f64,
        access: f64,
    ) -> Result<Model> {
        use core::f64::consts::PI;
        let [_, _, square, cube] = radii.up_to(radii.largest());
        let volume = match dimensions {
            Dimensions::Two => PI * square,
            Dimensions::Three => 4.0 / 3.0 * PI * cube,
        };
        let model = Model { dimensions, direction, search: Search::Cells, density: packing / volume, access };
        model.check()?;
        Ok(model)
    }

    /// Checks the parameters. Errors: [`Kind::OutOfRange`] for an access that is negative, NaN or infinite
    /// (`What::Options`), a density that is not positive and finite (`What::Density`).
    pub fn check(&self) -> Result<()> {
        let wrong = |what| Err(Error::new(Kind::OutOfRange, what));
        if !(self.access >= 0.0 && self.access.is_finite()) {
            return wrong(What::Options);
        }
        if !(self.density > 0.0 && self.density.is_finite()) {
            return wrong(What::Density);
        }
        Ok(())
    }

    fn is_flat(&self) -> bool {
        self.dimensions == Dimensions::Two
    }

    pub(super) fn axes(&self) -> f64 {
        if self.is_flat() { 2.0 } else { 3.0 }
    }

    /// The size of a cell that holds this many bodies on average, counting bodies of all levels.
    pub(super) fn size(&self, bodies: f64) -> f64 {
        exp(ln(bodies / self.density) / self.axes())
    }

    /// n_c: half the number of neighbours of a cell.
    fn neighbours(&self) -> f64 {
        if self.is_flat() { 4.0 } else { 13.0 }
    }

    /// Average number of bodies in a cell of this size, if `share` of all bodies are on its level (P1 (11)).
    pub(super) fn per_cell(&self, size: f64, share: f64) -> f64 {
        let area = size * size;
        self.density * (if self.is_flat() { area } else { area * size }) * share
    }

    /// Numbers of cells of this size that bodies with these moments visit (P1 (16)), and of rows.
    fn visits(&self, size: f64, bodies: &Moments) -> [f64; 2] {
        let [one, r, square, cube] = bodies;
        let line = 2.0 * (one + r / size);
        let area = 4.0 * (one + (2.0 * r + square / size) / size);
        if self.is_flat() {
            return [area, line];
        }
        [8.0 * (one + (3.0 * r + (3.0 * square + cube / size) / size) / size), area]
    }

    /// The cost of one level: of pairs within it, and of visits from other levels. The sum over levels is P1 (23) to
    /// (26). P1 sums by the visiting level, this function by the visited one, so that the term of a level depends only
    /// on its size and the size below.
    pub(in crate::broad) fn part(&self, below: &Cut, at: &Cut) -> Expected {
        let share = at.share(below);
        let per_cell = self.per_cell(at.size, share);
        let others = match self.direction {
            Direction::TopDown => &at.above,
            Direction::BottomUp => &below.below,
        };
        let visits = self.visits(at.size, others);
        let candidates = (0.5 + self.neighbours()) * share * per_cell + per_cell * visits[0];
        let (accesses, tests) = match self.search {
            Search::Cells => ((1.0 + self.neighbours()) * share + visits[0], candidates),
            Search::Rows => self.rows(share, per_cell, visits),
        };
        Expected { time: tests + self.access * accesses, candidates, accesses, tests }
    }

    /// Numbers of visited rows and tested vectors. Positions are random, so the number of bodies in a cell has a
    /// Poisson distribution: the share 1 - e^-m of cells is occupied.
    fn rows(&self, share: f64, per_cell: f64, [cells, rows]: [f64; 2]) -> (f64, f64) {
        let occupied = if per_cell > 0.0 { -exp_m1(-per_cell) / per_cell } else { 1.0 };
        // The rest of the cell's own row, and half of the neighbouring rows.
        let around = if self.is_flat() { 1.0 } else { 4.0 };
        let own = vectors(1.5 * per_cell) + around * vectors(3.0 * per_cell);
        let other = if rows > 0.0 { rows * vectors(per_cell * cells / rows) } else { 0.0 };
        (share * occupied * (1.0 + around) + rows, share * own + other)
    }
}

/// Average number of vectors in a row that holds this many bodies on average; an occupied row has at least one.
fn vectors(bodies: f64) -> f64 {
    -exp_m1(-bodies) + bodies / LANES
}

/// A cell size, and the moments of bodies that fit into it and of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable)]
#[repr(C)]
pub(in crate::broad) struct Cut {
    /// Edge of the cells.
    pub size: f64,
    /// Moments of bodies with 2 r <= size.
    pub below: Moments,
    /// Moments of all other bodies.
    pub above: Moments,
}

impl Cut {
    pub fn new(radii: &impl Radii, size: f64) -> Self {
        Cut { size, below: radii.up_to(0.5 * size), above: radii.above(0.5 * size) }
    }

    /// The cut below the first level: no body fits.
    pub fn start() -> Self {
        Cut { above: [1.0; 4], ..Cut::default() }
    }

    /// The share of bodies that fit here but not below, as the difference of the smaller moments: few bodies of a wide
    /// distribution are large, and a difference of two numbers near 1 would be rounding noise.
    pub fn share(&self, below: &Cut) -> f64 {
        if below.above[0] < 0.5 { below.above[0] - self.above[0] } else { self.below[0] - below.below[0] }
    }
}

/// Expected cost of cell sizes, for one body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// T of P1 (27): tests, and accesses times their cost, in units of a test.
    pub time: f64,
    /// Candidate pairs.
    pub candidates: f64,
    /// Visited cells or rows.
    pub accesses: f64,
    /// Tests: of pairs, or of vectors of pairs.
    pub tests: f64,
}

/// Expected numbers of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Edge of the level's cells.
    pub size: f64,
    /// Share of all bodies on the level: N_h / N in P1 (9).
    pub share: f64,
    /// Bodies in a cell, m_h in P1 (11).
    pub per_cell: f64,
}

/// The expected cost of ascending cell sizes (P1 (23) to (27)). Levels may be empty, and sizes equal.
///
/// Errors: those of [`Model::check`]; [`Kind::OutOfRange`] for no size, one that is not positive and finite or less than the one
/// before (with its index), or a last one that the largest body does not fit into; [`Kind::TooLarge`] for more than
/// [`MOST`](super::MOST) sizes, and where numbers overflow. Cost: a look-up of moments for each level.
pub fn expected(radii: &impl Radii, model: &Model, sizes: &[f64]) -> Result<Expected> {
    check_sizes(radii, model, sizes)?;
    let (mut below, mut sum) = (Cut::start(), Expected::default());
    for size in sizes {
        let at = Cut::new(radii, *size);
        let part = model.part(&below, &at);
        sum.candidates += part.candidates;
        sum.accesses += part.accesses;
        sum.tests += part.tests;
        below = at;
    }
    sum.time = sum.tests + model.access * sum.accesses;
    if sum.time.is_finite() { Ok(sum) } else { Err(Error::new(Kind::TooLarge, What::CellSizes)) }
}

/// The expected numbers of level `h` of these sizes, counted from 0; zeros where there is no such level.
///
/// Errors: as [`expected`]. Cost: two look-ups of moments.
pub fn level(radii: &impl Radii, model: &Model, sizes: &[f64], h: usize) -> Result<Level> {
    check_sizes(radii, model, sizes)?;
    let Some(size) = sizes.get(h).copied() else {
        return Ok(Level::default());
    };
    let below = h.checked_sub(1).and_then(|h| sizes.get(h)).map_or(Cut::start(), |s| Cut::new(radii, *s));
    let share = Cut::new(radii, size).share(&below);
    Ok(Level { size, share, per_cell: model.per_cell(size, share) })
}

fn check_sizes(radii: &impl Radii, model: &Model, sizes: &[f64]) -> Result<()> {
    model.check()?;
    check_count(sizes.len())?;
    let mut below = 0.0;
    for (i, size) in sizes.iter().enumerate() {
        let fits = i + 1 < sizes.len() || *size >= 2.0 * radii.largest();
        if !(*size > 0.0 && *size >= below && size.is_finite() && fits) {
            return Err(Error::new(Kind::OutOfRange, What::CellSizes).at(i as u64, 0));
        }
        below = *size;
    }
    Ok(())
}
