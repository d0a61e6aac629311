//! Puts bodies at random places where they overlap no earlier body, the largest first.
//!
//! So small bodies are distributed evenly in the space between large ones. If bodies were pushed out of large ones, they would crowd in front of
//! the surfaces, and random motion would spread them only slowly, over steps of many radii.

use super::count::Bodies;
use dem_std::random::SplitMix64;

/// Places that are tried for each body.
const TRIES: u32 = 200;
/// If this many bodies in a row, and this fraction of all, find no place, the rest stay where they are.
const FAILURES: u32 = 20;
const FAILED: u32 = 50;
/// Stands for no body.
const END: u32 = u32::MAX;

/// Cells for bodies of similar size.
struct Level {
    /// The largest radius of its bodies.
    radius: f64,
    along: i64,
    size: f64,
    /// The last body of each cell.
    last: Vec<u32>,
}

struct Grid<'b> {
    bodies: &'b mut Bodies,
    axes: usize,
    periodic: bool,
    /// Levels, with the largest bodies first.
    levels: Vec<Level>,
    /// For each body, the previous body in the same cell.
    before: Vec<u32>,
}

/// Puts bodies at random places in their box, where they overlap no other body. Bodies that find no such place do not move.
pub fn place(bodies: &mut Bodies, axes: usize, periodic: bool, random: &mut SplitMix64) {
    let mut order: Vec<usize> = (0..bodies.radii.len()).collect();
    order.sort_by(|i, j| bodies.radii[*j].total_cmp(&bodies.radii[*i]));
    let before = vec![END; order.len()];
    let mut grid = Grid { bodies, axes, periodic, levels: Vec::new(), before };
    let (mut failures, most) = (0, FAILURES + grid.bodies.len() / FAILED);
    for i in order {
        let (r, edge) = (grid.bodies.radii[i], grid.bodies.edge);
        if grid.levels.last().is_none_or(|level| 2.0 * r < level.radius) {
            grid.add_level(r);
        }
        let inset = if periodic { 0.0 } else { r };
        let mut anywhere = || {
            let mut centre = [0.0; 3];
            centre.iter_mut().take(axes).for_each(|x| *x = inset + random.unit() * (edge - 2.0 * inset));
            centre
        };
        match (0..TRIES).map(|_| anywhere()).find(|centre| grid.free(r, centre)) {
            Some(centre) => {
                grid.put(i, centre);
                failures = 0;
            }
            None => failures += 1,
        }
        if failures == most {
            return;
        }
    }
}

impl Grid<'_> {
    /// Adds a level. Its cells are as wide as its largest body, or wider if there would be many more cells than bodies.
    fn add_level(&mut self, radius: f64) {
        let most = (2.0 * f64::from(self.bodies.len())).powf(1.0 / self.axes as f64).ceil();
        let along = (self.bodies.edge / (2.0 * radius)).floor().clamp(1.0, most);
        let last = vec![END; (along as usize).pow(self.axes as u32)];
        self.levels.push(Level { radius, along: along as i64, size: self.bodies.edge / along, last });
    }

    fn put(&mut self, i: usize, centre: [f64; 3]) {
        self.bodies.centres[i] = centre;
        let axes = self.axes;
        let Some(level) = self.levels.last_mut() else { return };
        let cell = |x: f64| ((x / level.size) as i64).min(level.along - 1);
        let at = centre.iter().take(axes).rev().fold(0, |at, x| at * level.along + cell(*x)) as usize;
        self.before[i] = std::mem::replace(&mut level.last[at], i as u32);
    }

    /// Whether a body at this place overlaps no other body.
    fn free(&self, r: f64, centre: &[f64; 3]) -> bool {
        self.levels.iter().all(|level| self.free_on(level, r, centre))
    }

    fn free_on(&self, level: &Level, r: f64, centre: &[f64; 3]) -> bool {
        let (edge, reach) = (self.bodies.edge, r + level.radius);
        let mut cells = [0..=0, 0..=0, 0..=0];
        for (range, x) in cells.iter_mut().zip(centre).take(self.axes) {
            let [from, to] = [-reach, reach].map(|by| ((x + by) / level.size).floor() as i64);
            *range = match self.periodic {
                // Each cell only once.
                true if to - from >= level.along => 0..=level.along - 1,
                true => from..=to,
                false => from.max(0)..=to.min(level.along - 1),
            };
        }
        let [xs, ys, zs] = cells;
        zs.into_iter().all(|z| {
            ys.clone().all(|y| {
                xs.clone().all(|x| {
                    let [x, y, z] = [x, y, z].map(|c| c.rem_euclid(level.along) as usize);
                    let along = level.along as usize;
                    let mut other = level.last[(z * along + y) * along + x];
                    while other != END {
                        if self.overlaps(r, centre, other as usize, edge) {
                            return false;
                        }
                        other = self.before[other as usize];
                    }
                    true
                })
            })
        })
    }

    fn overlaps(&self, r: f64, centre: &[f64; 3], other: usize, edge: f64) -> bool {
        let square = |(x, y): (&f64, &f64)| {
            let apart = (x - y).abs();
            let apart = if self.periodic { apart.min(edge - apart) } else { apart };
            apart * apart
        };
        let touching = (r + self.bodies.radii[other]) * (1.0 + 1e-9);
        centre.iter().zip(&self.bodies.centres[other]).map(square).sum::<f64>() <= touching * touching
    }
}
