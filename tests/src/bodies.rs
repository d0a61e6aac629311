//! Scenes of many spheres, and a slow reference for broad phases.

use crate::random::Random;
use crate::vector::{add, scale, sub};
use dem_core::array::{Array, Words};
use dem_core::broad::{
    Candidate, Counters, Dimensions, Direction, HGrid, HGridRef, HGridSizes, Proxies, Query, Searched, Space,
    hgrid_scratch,
};
use dem_core::error::Result;
use dem_core::exec::{Executor, Serial};
use dem_core::simd::Isa;
use dem_std::Memory;

/// Spheres or discs with all inputs of a broad phase.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the scene in failures.
    pub name: String,
    /// Centres.
    pub centres: Vec<[f64; 3]>,
    /// Radii.
    pub radii: Vec<f64>,
    /// Motions, groups, masks; an empty list means the default value for all.
    pub words: [Vec<u32>; 3],
    /// The space.
    pub space: Space,
    /// The margin of the query.
    pub margin: f64,
}

impl Scene {
    /// Dynamic bodies in open space.
    pub fn new(name: &str, centres: Vec<[f64; 3]>, radii: Vec<f64>) -> Self {
        let words = [const { Vec::new() }; 3];
        Scene { name: name.into(), centres, radii, words, space: Space::OPEN, margin: 0.0 }
    }

    /// This scene in another space.
    pub fn within(mut self, dimensions: Dimensions, periods: [f64; 3]) -> Self {
        self.space = Space::new(dimensions, periods);
        self.name = format!("{}, {dimensions:?}, periods {periods:?}", self.name);
        self
    }

    /// This scene with a margin.
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = margin;
        self
    }

    /// This scene with random motions, groups and masks.
    pub fn filtered(mut self, random: &mut Random) -> Self {
        let n = self.centres.len();
        let mut words = |values: [u32; 4]| (0..n).map(|_| values[random.below(4)]).collect();
        self.words = [words([0, 0, 1, 2]), words([1, 2, 4, 7]), words([1, 3, 7, u32::MAX])];
        self.name += ", filtered";
        self
    }

    /// The query of a broad phase.
    pub fn query(&self) -> Query<'_> {
        let [motions, groups, masks] = self.words.each_ref().map(|w| (!w.is_empty()).then(|| Words::from_slice(w)));
        let (centres, radii) = (Array::from_f64(&self.centres), Array::from_numbers(&self.radii));
        Query { bodies: Proxies { centres, radii, motions, groups, masks }, space: self.space, margin: self.margin }
    }

    /// All candidates by a plain loop over all pairs, with images up to `images` periods away.
    pub fn slow(&self, images: i16) -> Vec<Candidate> {
        let mut found = Vec::new();
        let range = |axis: usize| match self.space.period(axis) {
            Some(_) => -images..=images,
            None => 0..=0,
        };
        for a in 0..self.centres.len() {
            for b in a..self.centres.len() {
                for x in range(0) {
                    for y in range(1) {
                        for z in range(2) {
                            let shift = [x, y, z];
                            if (a != b || shift > [0; 3]) && self.reach(a, b, shift) && self.wanted(a, b) {
                                found.push(Candidate { a: a as u32, b: b as u32, shift, spare: 0 });
                            }
                        }
                    }
                }
            }
        }
        found
    }

    fn reach(&self, a: usize, b: usize, shift: [i16; 3]) -> bool {
        let moved = [0, 1, 2].map(|k| f64::from(shift[k]) * self.space.periods[k]);
        let mut d = add(sub(self.centres[b], self.centres[a]), moved);
        if self.space.dimensions == Dimensions::Two {
            d[2] = 0.0;
        }
        let reach = self.radii[a] + self.radii[b] + self.margin;
        d.iter().map(|x| x * x).sum::<f64>() <= reach * reach
    }

    fn wanted(&self, a: usize, b: usize) -> bool {
        let [motions, groups, masks] = &self.words;
        let moving = motions.is_empty() || motions[a] == 0 || motions[b] == 0;
        moving && (groups.is_empty() || (groups[a] & masks[b] != 0 && groups[b] & masks[a] != 0))
    }
}

/// Centres uniform in a box, radii by the truncated power law of P1 section 4: density proportional to r^alpha between 1 and
/// omega.
pub fn power_law(n: usize, box_size: [f64; 3], alpha: f64, omega: f64, random: &mut Random) -> Scene {
    let radius = |u: f64| match alpha == -1.0 {
        true => omega.powf(u),
        false => (1.0 + u * (omega.powf(alpha + 1.0) - 1.0)).powf(1.0 / (alpha + 1.0)),
    };
    let mut centres = Vec::with_capacity(n);
    let mut radii = Vec::with_capacity(n);
    for _ in 0..n {
        radii.push(radius(random.unit()));
        centres.push([0, 1, 2].map(|k| random.unit() * box_size[k]));
    }
    Scene::new(&format!("{n} by a power law of {alpha} up to {omega}"), centres, radii)
}

/// Puts bodies in a box from 0 to `side` into Morton order.
pub fn morton(scene: &mut Scene, side: f64) {
    const BITS: u32 = 21;
    let spread = |x: f64| {
        let cell = (x / side * f64::from(1 << BITS)) as u64;
        (0..BITS).map(|bit| (cell >> bit & 1) << (3 * bit)).sum::<u64>()
    };
    let key = |c: &[f64; 3]| spread(c[0]) | spread(c[1]) << 1 | spread(c[2]) << 2;
    let mut order: Vec<_> = scene.centres.iter().map(key).zip(0..).collect();
    order.sort_unstable();
    scene.centres = order.iter().map(|&(_, i): &(u64, usize)| scene.centres[i]).collect();
    scene.radii = order.iter().map(|&(_, i)| scene.radii[i]).collect();
}

/// Clusters of bodies around few places far apart.
pub fn clusters(n: usize, places: usize, spread: f64, apart: f64, random: &mut Random) -> Scene {
    let places: Vec<_> = (0..places).map(|_| random.in_cube(apart)).collect();
    let centres = (0..n).map(|i| add(places[i % places.len()], scale(spread, random.in_cube(1.0)))).collect();
    let radii = (0..n).map(|_| random.range(0.5, 1.5)).collect();
    Scene::new(&format!("{n} clustered"), centres, radii)
}

/// A lattice of touching spheres: every distance of neighbours is a tie.
pub fn lattice(side: usize, spacing: f64, origin: f64) -> Scene {
    let at = |i: usize| origin + spacing * i as f64;
    let centres: Vec<_> =
        (0..side * side * side).map(|i| [at(i % side), at(i / side % side), at(i / side / side)]).collect();
    let radii = vec![spacing / 2.0; centres.len()];
    Scene::new(&format!("lattice {side}, {spacing} apart, from {origin}"), centres, radii)
}

/// Candidates sorted by (a, b, shift).
pub fn sorted(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_unstable();
    found
}

/// Calls a broad phase with a list as long as its capacity error asks for.
pub fn answer(mut ask: impl FnMut(&mut [Candidate]) -> Result<usize>) -> Vec<Candidate> {
    let needed = match ask(&mut []) {
        Ok(count) => count,
        Err(e) if e.kind == dem_core::error::Kind::Capacity && e.what == dem_core::error::What::Output => {
            e.needed as usize
        }
        Err(e) => panic!("{e}"),
    };
    let mut list = vec![Candidate::default(); needed];
    assert_eq!(ask(&mut list).unwrap_or_else(|e| panic!("{e}")), needed);
    list
}

/// A grid with its memory.
pub struct Grid {
    block: Memory,
    scratch: Memory,
}

impl Grid {
    /// A grid with this capacity.
    pub fn new(bodies: usize, levels: usize) -> Self {
        let sizes = HGridSizes { bodies: bodies as u32, levels: levels as u32 };
        let block = HGrid::layout(&sizes).and_then(Memory::new);
        let scratch = hgrid_scratch(bodies as u32).and_then(Memory::new);
        let mut grid = block.and_then(|block| Ok(Grid { block, scratch: scratch? })).unwrap_or_else(|e| panic!("{e}"));
        HGrid::init(&mut grid.block, &sizes).map(drop).unwrap_or_else(|e| panic!("{e}"));
        grid
    }

    /// Rebuilds the grid with these cell sizes, or with sizes that the grid chooses.
    pub fn rebuild(&mut self, query: &Query<'_>, cell_sizes: &[f64]) -> Result<()> {
        self.rebuild_by(&Serial, query, cell_sizes)
    }

    /// As above, on the threads of an executor.
    pub fn rebuild_by(&mut self, exec: &dyn Executor, query: &Query<'_>, cell_sizes: &[f64]) -> Result<()> {
        HGrid::open(&mut self.block)?.rebuild(exec, query, cell_sizes, &mut self.scratch)
    }

    /// The grid.
    pub fn view(&self) -> HGridRef<'_> {
        HGridRef::peek(&self.block).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Searches the pairs of the grid, and gives only their number.
    pub fn search_by(&mut self, exec: &dyn Executor, query: &Query<'_>) -> Result<Searched> {
        let mut out = vec![Candidate::default(); 64 * query.bodies.len()];
        let grid = HGridRef::peek(&self.block)?;
        grid.search(exec, Isa::best(), query, Direction::TopDown, &mut out, &mut self.scratch)
    }

    /// The counts of the published algorithm.
    pub fn count(&mut self, query: &Query<'_>, direction: Direction, size: [f64; 3]) -> Result<Counters> {
        HGridRef::peek(&self.block)?.count(query, direction, size, &mut self.scratch)
    }

    /// Searches the pairs of the grid.
    pub fn pairs(&mut self, isa: Isa, query: &Query<'_>, direction: Direction, out: &mut [Candidate]) -> Result<usize> {
        self.pairs_by(&Serial, isa, query, direction, out)
    }

    /// As above, on the threads of an executor.
    pub fn pairs_by(
        &mut self,
        exec: &dyn Executor,
        isa: Isa,
        query: &Query<'_>,
        direction: Direction,
        out: &mut [Candidate],
    ) -> Result<usize> {
        HGridRef::peek(&self.block)?.pairs(exec, isa, query, direction, out, &mut self.scratch)
    }
}
