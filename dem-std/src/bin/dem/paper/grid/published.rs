//! The search of P1 section 2 as published: lists of bodies in cells, and one test at a time. Discs between walls, top-down.

use dem_std::dem_core::broad::Candidate;

/// Stands for no body.
const END: u32 = u32::MAX;

/// The cells of one level, with a list of bodies in each.
struct Level {
    size: f64,
    along: usize,
    /// The first body of each cell.
    first: Vec<u32>,
}

impl Level {
    /// The cell of a coordinate; the nearest cell for points outside the box.
    fn cell(&self, x: f64) -> usize {
        ((x / self.size).max(0.0) as usize).min(self.along - 1)
    }
}

/// A hierarchical grid of a square box.
pub struct Published {
    levels: Vec<Level>,
    /// For each body, the next body in the same cell.
    next: Vec<u32>,
    level_of: Vec<u32>,
}

impl Published {
    /// A grid with these cell sizes, ascending, for a box of this edge.
    pub fn new(sizes: &[f64], edge: f64) -> Published {
        let level = |size: &f64| {
            let along = (edge / size) as usize + 1;
            Level { size: *size, along, first: vec![END; along * along] }
        };
        Published { levels: sizes.iter().map(level).collect(), next: Vec::new(), level_of: Vec::new() }
    }

    /// Puts all bodies into cells, and lists the pairs that touch.
    pub fn search(&mut self, centres: &[[f64; 3]], radii: &[f64], out: &mut Vec<Candidate>) {
        self.levels.iter_mut().for_each(|level| level.first.fill(END));
        self.next.resize(radii.len(), END);
        self.level_of.resize(radii.len(), 0);
        let last = self.levels.len() - 1;
        for (i, (centre, r)) in centres.iter().zip(radii).enumerate() {
            let h = self.levels.iter().position(|level| 2.0 * r <= level.size).unwrap_or(last);
            let level = &mut self.levels[h];
            let at = level.cell(centre[1]) * level.along + level.cell(centre[0]);
            self.level_of[i] = h as u32;
            self.next[i] = std::mem::replace(&mut level.first[at], i as u32);
        }
        out.clear();
        for (i, (centre, r)) in centres.iter().zip(radii).enumerate() {
            let mut test = |mut j: u32| {
                while j != END {
                    let (other, s) = (&centres[j as usize], radii[j as usize]);
                    let [x, y] = [0, 1].map(|k| centre[k] - other[k]);
                    if x * x + y * y <= (r + s) * (r + s) {
                        out.push(Candidate { a: i as u32, b: j, ..Candidate::default() });
                    }
                    j = self.next[j as usize];
                }
            };
            // The rest of the own cell, and half of the neighbouring cells.
            test(self.next[i]);
            let h = self.level_of[i] as usize;
            let own = &self.levels[h];
            let [x, y] = [0, 1].map(|k| own.cell(centre[k]) as isize);
            for [dx, dy] in [[1, 0], [-1, 1], [0, 1], [1, 1]] {
                let inside = |c: isize| (0..own.along as isize).contains(&c);
                if inside(x + dx) && inside(y + dy) {
                    test(own.first[(y + dy) as usize * own.along + (x + dx) as usize]);
                }
            }
            // Cells of lower levels whose bodies may touch it (4).
            for level in &self.levels[..h] {
                let reach = r + 0.5 * level.size;
                let [from, to] = [-reach, reach].map(|by| [0, 1].map(|k| level.cell(centre[k] + by)));
                for y in from[1]..=to[1] {
                    (from[0]..=to[0]).for_each(|x| test(level.first[y * level.along + x]));
                }
            }
        }
    }
}
