//! Tables that tell at once, and now and then wrongly, that a patch or a place may be one of those that are asked for.

use super::tree::Node;

/// A bit for each number, of which several have the same.
#[derive(Clone, Copy)]
pub struct Marks<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Marks<WORDS> {
    /// No number is marked.
    pub const NONE: Self = Marks([0; WORDS]);

    /// Marks a number.
    pub fn set(&mut self, number: u32) {
        self.0[number as usize / 64 % WORDS] |= 1 << (number % 64);
    }

    /// Whether a number may be marked; true if it is.
    pub fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64 % WORDS] & 1 << (number % 64) != 0
    }
}

/// Cells of a grid in the frame of A that are near given points.
pub struct Cells {
    /// One over the edge of a cell.
    per_edge: f64,
    marks: Marks<256>,
    /// A point has no cell, so everything is near it.
    all: bool,
}

/// Cells beyond this one are not told apart.
const FARTHEST: f64 = (1u64 << 40) as f64;

impl Cells {
    /// The cells in which there may be a point `y` with `apart(x, y) <= 2 distance^2`, for any of the points `x`.
    pub fn around<'n>(points: impl Iterator<Item = &'n Node>, distance: f64) -> Self {
        // Coordinates of such points differ by less than half an edge.
        let mut cells = Cells { per_edge: 1.0 / (3.0 * distance), marks: Marks::NONE, all: false };
        for at in points {
            cells.mark(at);
        }
        cells
    }

    /// Coordinates in edges, if they are small enough to be told apart.
    fn scaled(&self, at: [f64; 3]) -> Option<[f64; 3]> {
        let scaled = at.map(|x| x * self.per_edge);
        scaled.iter().all(|x| x.abs() < FARTHEST).then_some(scaled)
    }

    fn number([x, y, z]: [i64; 3]) -> u32 {
        let mixed = x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
        (mixed ^ (mixed >> 14)) as u32
    }

    fn mark(&mut self, point: &Node) {
        let [x, y, z, ..] = point.at;
        let Some(at) = self.scaled([x, y, z]) else {
            self.all = true;
            return;
        };
        // Cells are one or two edges wide, so these are all within half an edge.
        let [low, high] = [-0.5, 0.5].map(|half| at.map(|x| (x + half) as i64));
        for corner in 0..8 {
            self.marks.set(Cells::number([0, 1, 2].map(|k| if corner >> k & 1 == 0 { low[k] } else { high[k] })));
        }
    }

    /// Whether what is there in the frame of A may be near; true if it is.
    pub fn has(&self, at: [f64; 3]) -> bool {
        self.all || self.scaled(at).is_none_or(|at| self.marks.has(Cells::number(at.map(|x| x as i64))))
    }
}
