//! Bit sets with false positives (Bloom filters with one hash) of patches and of cells.

use super::kd_tree::Node;

/// A set of numbers with false positives: several numbers share a bit.
#[derive(Clone, Copy)]
pub struct Marks<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Marks<WORDS> {
    /// The empty set.
    pub const NONE: Self = Marks([0; WORDS]);

    /// Inserts a number.
    pub fn set(&mut self, number: u32) {
        self.0[number as usize / 64 % WORDS] |= 1 << (number % 64);
    }

    /// Whether the set may contain a number; always true if it does.
    pub fn has(&self, number: u32) -> bool {
        self.0[number as usize / 64 % WORDS] & 1 << (number % 64) != 0
    }
}

/// The cells of a grid in the frame of A that are near given points, as a set with false positives.
pub struct Cells {
    /// Inverse edge of a cell.
    per_edge: f64,
    marks: Marks<256>,
    /// Whether some point has no cell, so that all cells count as near.
    all: bool,
}

/// Points beyond this many cells have no cell.
const FARTHEST: f64 = (1u64 << 40) as f64;

impl Cells {
    /// The cells that may contain a point `y` with `apart(x, y) <= 2 distance^2`, for some of the points `x`.
    pub fn around<'n>(points: impl Iterator<Item = &'n Node>, distance: f64) -> Self {
        // Coordinates of such points differ by less than half an edge.
        let mut cells = Cells { per_edge: 1.0 / (3.0 * distance), marks: Marks::NONE, all: false };
        for at in points {
            cells.mark(at);
        }
        cells
    }

    /// Coordinates in units of edges; None beyond [`FARTHEST`].
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
        // The cells within half an edge; the cell at 0 is two edges wide, others one.
        let [low, high] = [-0.5, 0.5].map(|half| at.map(|x| (x + half) as i64));
        for corner in 0..8 {
            self.marks.set(Cells::number([0, 1, 2].map(|k| if corner >> k & 1 == 0 { low[k] } else { high[k] })));
        }
    }

    /// Whether a point in the frame of A may be near; always true if it is.
    pub fn has(&self, at: [f64; 3]) -> bool {
        self.all || self.scaled(at).is_none_or(|at| self.marks.has(Cells::number(at.map(|x| x as i64))))
    }
}
