//! P1 section 5.4.2: full simulations of discs that cool between walls, with several choices of cell sizes.

use super::published::Published;
use super::rule::{Rule, Scene};
use crate::failure::Failure;
use crate::paper::Options;
use crate::paper::sheet::Sheet;
use crate::paper::times::Times;
use dem_std::Memory;
use dem_std::dem_core::array::Array;
use dem_std::dem_core::broad::levels::{Direction, Model};
use dem_std::dem_core::broad::{self, Candidate, Dimensions, HGrid, HGridSizes, Query, Space, hgrid_scratch};
use dem_std::dem_core::exec::Serial;
use dem_std::dem_core::simd::Isa;
use dem_std::random::SplitMix64;
use std::f64::consts::PI;
use std::time::{Duration, Instant};

const BODIES: usize = 10_000;
/// Largest radius over the smallest, exponent of the distribution, share of the area.
const SYSTEM: [f64; 3] = [20.0, -3.0, 0.4];
/// Coefficient of restitution of a central impact.
const RESTITUTION: f64 = 0.9;
/// Duration of a contact of two of the smallest discs, in time steps.
const CONTACT: f64 = 25.0;
/// Root mean square of the initial velocities along each axis, in smallest radii per step.
const SPEED: f64 = 0.005;

/// Discs of radius 1 and more, in a square, with mass 1 for the smallest. The unit of time is a step.
#[derive(Clone)]
struct Discs {
    centres: Vec<[f64; 3]>,
    velocities: Vec<[f64; 2]>,
    radii: Vec<f64>,
    masses: Vec<f64>,
    edge: f64,
}

impl Discs {
    /// Discs at random places that do not overlap: the largest first, each where there is room.
    fn new(scene: &Scene, seed: u64) -> Discs {
        let mut random = SplitMix64::new(seed);
        let edge = (BODIES as f64 / scene.model.density).sqrt();
        let [ratio, alpha, _] = SYSTEM;
        let z = alpha + 1.0;
        let mut radii: Vec<f64> =
            (0..BODIES).map(|_| (1.0 + random.unit() * (ratio.powf(z) - 1.0)).powf(1.0 / z)).collect();
        radii.sort_by(|x, y| y.total_cmp(x));
        let mut centres: Vec<[f64; 3]> = Vec::new();
        for r in &radii {
            centres.push(loop {
                let [x, y] = [0; 2].map(|_| r + random.unit() * (edge - 2.0 * r));
                let free = |(other, own): (&[f64; 3], &f64)| {
                    let [dx, dy] = [x - other[0], y - other[1]];
                    dx * dx + dy * dy >= (r + own) * (r + own)
                };
                if centres.iter().zip(&radii).all(free) {
                    break [x, y, 0.0];
                }
            });
        }
        // Shuffled: neighbours in the list are anywhere, as after a long simulation.
        for i in (1..BODIES).rev() {
            let j = (random.unit() * (i as f64 + 1.0)) as usize;
            centres.swap(i, j);
            radii.swap(i, j);
        }
        let velocities = (0..BODIES).map(|_| [0; 2].map(|_| SPEED * 3f64.sqrt() * random.signed())).collect();
        let masses = radii.iter().map(|r| r * r).collect();
        Discs { centres, velocities, radii, masses, edge }
    }

    fn kinetic(&self) -> f64 {
        self.velocities.iter().zip(&self.masses).map(|([x, y], m)| 0.5 * m * (x * x + y * y)).sum()
    }

    /// One step under forces of springs and dashpots at contacts and walls.
    fn advance(&mut self, contacts: &[Candidate], law: &Spring, forces: &mut [[f64; 2]]) {
        forces.fill([0.0; 2]);
        for &Candidate { a, b, .. } in contacts {
            let (a, b) = (a as usize, b as usize);
            let apart = [0, 1].map(|k| self.centres[a][k] - self.centres[b][k]);
            let distance = apart[0].hypot(apart[1]);
            if distance == 0.0 {
                continue;
            }
            let normal = apart.map(|x| x / distance);
            let approach = [0, 1].map(|k| self.velocities[a][k] - self.velocities[b][k]);
            let rate = normal[0] * approach[0] + normal[1] * approach[1];
            let mass = self.masses[a] * self.masses[b] / (self.masses[a] + self.masses[b]);
            let push = law.force(self.radii[a] + self.radii[b] - distance, rate, mass);
            for k in 0..2 {
                forces[a][k] += push * normal[k];
                forces[b][k] -= push * normal[k];
            }
        }
        for (i, force) in forces.iter().enumerate() {
            let (r, mass) = (self.radii[i], self.masses[i]);
            for ((x, v), f) in self.centres[i].iter_mut().zip(&mut self.velocities[i]).zip(force) {
                let walls = law.force(r - *x, *v, mass) - law.force(*x + r - self.edge, -*v, mass);
                *v += (*f + walls) / mass;
                *x += *v;
            }
        }
    }
}

/// A spring with a dashpot that gives every impact the same restitution.
struct Spring {
    stiffness: f64,
    /// Damping ratio: the dashpot is 2 zeta sqrt(k m).
    zeta: f64,
}

impl Spring {
    fn new() -> Self {
        let log = RESTITUTION.ln();
        let omega = PI / CONTACT;
        Spring { stiffness: 0.5 * omega * omega, zeta: -log / (PI * PI + log * log).sqrt() }
    }

    /// The force at this depth and separation velocity, for a reduced mass.
    fn force(&self, depth: f64, rate: f64, mass: f64) -> f64 {
        if depth <= 0.0 {
            return 0.0;
        }
        (self.stiffness * depth - 2.0 * self.zeta * (self.stiffness * mass).sqrt() * rate).max(0.0)
    }
}

/// The times of a simulation, and its final state.
struct Outcome {
    /// Microseconds of each step, and of the search in it.
    all: Times,
    search: Times,
    contacts: u64,
    kinetic: f64,
}

/// Runs a simulation with a new grid in each step; without sizes, the grid chooses them.
fn simulate(mut discs: Discs, sizes: &[f64], steps: u32) -> Result<Outcome, Failure> {
    let law = Spring::new();
    let grid_sizes =
        HGridSizes { bodies: BODIES as u32, levels: if sizes.is_empty() { 8 } else { sizes.len() as u32 } };
    let mut scratch = Memory::new(hgrid_scratch(BODIES as u32)?)?;
    let mut block = Memory::new(HGrid::layout(&grid_sizes)?)?;
    let mut grid = HGrid::init(&mut block, &grid_sizes)?;
    let mut near = vec![Candidate::default(); 4 * BODIES];
    let mut forces = vec![[0.0; 2]; BODIES];
    let (mut all, mut search, mut contacts) = (Vec::new(), Vec::new(), 0);
    let microseconds = |time: Duration| 1e6 * time.as_secs_f64();
    for _ in 0..steps {
        let from = Instant::now();
        let query = Query {
            bodies: broad::Proxies::new(Array::from_f64(&discs.centres), Array::from_numbers(&discs.radii)),
            space: Space::new(Dimensions::Two, [0.0; 3]),
            margin: 0.0,
        };
        grid.rebuild(&Serial, &query, sizes, &mut scratch)?;
        let count =
            grid.as_ref().pairs(&Serial, Isa::best(), &query, Direction::TopDown, &mut near, &mut scratch)? as usize;
        search.push(microseconds(from.elapsed()));
        contacts += count as u64;
        discs.advance(&near[..count], &law, &mut forces);
        all.push(microseconds(from.elapsed()));
    }
    let [all, search] = [all, search].map(|times| times.into_iter().collect());
    Ok(Outcome { all, search, contacts, kinetic: discs.kinetic() })
}

/// The same with the published search.
fn simulate_published(mut discs: Discs, sizes: &[f64], steps: u32) -> Outcome {
    let law = Spring::new();
    let mut grid = Published::new(sizes, discs.edge);
    let (mut near, mut forces) = (Vec::new(), vec![[0.0; 2]; BODIES]);
    let (mut all, mut search, mut contacts) = (Vec::new(), Vec::new(), 0);
    let microseconds = |time: Duration| 1e6 * time.as_secs_f64();
    for _ in 0..steps {
        let from = Instant::now();
        grid.search(&discs.centres, &discs.radii, &mut near);
        search.push(microseconds(from.elapsed()));
        contacts += near.len() as u64;
        discs.advance(&near, &law, &mut forces);
        all.push(microseconds(from.elapsed()));
    }
    let [all, search] = [all, search].map(|times| times.into_iter().collect());
    Outcome { all, search, contacts, kinetic: discs.kinetic() }
}

/// Measures and prints the table.
pub fn print(sheet: &mut Sheet, options: &Options) -> Result<(), Failure> {
    let steps = options.steps.unwrap_or(2_000);
    let scene = Scene::new(Dimensions::Two, SYSTEM, Direction::TopDown)?;
    let optimal = scene.sizes(Rule::Optimal, 5)?;
    let discs = Discs::new(&scene, options.seed);
    let first = discs.kinetic();
    sheet.say(&format!(
        "Section 5.4.2: {BODIES} discs cool between walls, omega 20, alpha -3, nu 0.4, restitution {RESTITUTION}, {steps} steps,\n\
         a new grid in each, one core, {}\n",
        Isa::best().name()
    ));
    let heads = ["search, us", "all, us", "as fast", "1st quart.", "3rd quart.", "contacts", "energy"];
    sheet.row("", heads.map(str::to_owned));
    // 266 and 27 minutes for 2.5e5 steps.
    for (name, minutes) in [("paper, one level", 266.0), ("paper, five levels", 27.0)] {
        let cells = [String::new(), format!("{:.0}", minutes * 60e6 / 2.5e5), format!("{:.2}", 266.0 / minutes)];
        sheet.row(name, cells);
    }
    let mut show = |name: &str, one: &mut Option<f64>, outcome: Outcome| {
        let Outcome { all, search, contacts, kinetic } = outcome;
        let factor = *one.get_or_insert(all.median()) / all.median();
        let [low, high] = all.quartiles();
        let [search, all, low, high] = [search.median(), all.median(), low, high].map(|time| format!("{time:.1}"));
        let contacts = format!("{:.1}", contacts as f64 / f64::from(steps));
        sheet.row(name, [search, all, format!("{factor:.2}"), low, high, contacts, format!("{:.6}", kinetic / first)]);
    };
    let published = [4.0, 7.9, 15.1, 27.2, 40.0];
    let mut one = None;
    for (name, sizes) in [("published search, one level", &[40.0][..]), ("published search, five levels", &published)] {
        show(name, &mut one, simulate_published(discs.clone(), sizes, steps));
    }
    let mut one = None;
    for (name, sizes) in [
        ("ours, one level", &[40.0][..]),
        ("ours, five levels as published", &published),
        ("ours, five levels of least cost", &optimal),
        ("ours, chosen by the grid", &[]),
    ] {
        show(name, &mut one, simulate(discs.clone(), sizes, steps)?);
    }
    sheet.say(&format!(
        "Times are medians of a step, and quartiles of all of it. as fast: all of a step, against one level; contacts: mean of a step;\n\
         energy: at the end, over the first\n  \
         published search: the paper's algorithm, lists of bodies in cells and one test after another, written here for comparison. With\n  \
         the search of this library five levels gain nothing: they are the best where an access to a cell costs {} tests, as in the paper. It\n  \
         tests rows of cells in the lanes of vectors, so an access costs about {}, by which the grid chooses its sizes\n",
        Model::PUBLISHED_ACCESS,
        Model::ROW_ACCESS
    ));
    Ok(())
}
