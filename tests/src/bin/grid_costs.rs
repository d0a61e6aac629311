//! Builds and searches a hierarchical grid once, to count instructions: `grid_costs SCENE BODIES SIZES`. SCENE is one of [`SCENES`]; SIZES is
//! `default`, `chosen` (by [`choose`] in every step) or `kept` (by [`choose`] once before). Prints the levels, and the number of pairs. Only
//! [`measured`] counts: `valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured*'`.

use dem_core::broad::levels::{Model, Search, choose, choose_scratch};
use dem_core::broad::{Candidate, Direction};
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::bodies::{Grid, Scene, power_law};
use dem_tests::random::Random;
use std::f64::consts::PI;
use std::hint::black_box;

/// Names of the scenes.
const SCENES: &str = "mono.001 mono.01 mono.1 mono.3 mono.6 power10 power100 power10000 sparse100 two clusters plane huge boxes heap gas";

/// The most levels of a grid, as scenes and worlds have by default.
const LEVELS: usize = 8;

type Failed = Box<dyn std::error::Error>;

/// Spheres with a power law of -3 from 1 to `omega` that fill this fraction of a cube.
fn law(n: usize, omega: f64, part: f64) -> Scene {
    let mut random = Random::new(1);
    let volume: f64 = power_law(n, [1.0; 3], -3.0, omega, &mut random).radii.iter().map(|r| r * r * r).sum();
    let edge = (volume * 4.0 / 3.0 * PI / part).cbrt();
    power_law(n, [edge; 3], -3.0, omega, &mut Random::new(1))
}

/// Equal spheres in a box of this shape, whose volume they fill to this fraction.
fn equal(n: usize, part: f64, shape: [f64; 3], random: &mut Random) -> Scene {
    let edge = (n as f64 * 4.0 / 3.0 * PI / (part * shape.iter().product::<f64>())).cbrt();
    let centres = (0..n).map(|_| shape.map(|s| random.range(0.0, s * edge))).collect();
    Scene::new("equal", centres, vec![1.0; n])
}

fn scene(name: &str, n: usize) -> Option<Scene> {
    let random = &mut Random::new(7);
    Some(match name {
        "power10" => law(n, 10.0, 0.6),
        "power100" => law(n, 100.0, 0.6),
        "power10000" => law(n, 1e4, 0.6),
        "sparse100" => law(n, 100.0, 0.01),
        // One in a hundred is ten times as large. These fill ten times as much volume as the others.
        "two" => {
            let mut scene = equal(n, 0.05, [1.0; 3], random);
            scene.radii.iter_mut().step_by(100).for_each(|r| *r = 10.0);
            scene
        }
        // A hundred heaps, far from each other.
        "clusters" => {
            let one = equal(n.div_ceil(100), 0.6, [1.0; 3], random);
            let places: Vec<_> = (0..100).map(|_| random.in_cube(3e3)).collect();
            let at = |i: usize| [0, 1, 2].map(|k| one.centres[i / 100][k] + places[i % 100][k]);
            Scene::new("clusters", (0..n).map(at).collect(), vec![1.0; n])
        }
        // On a plane, of which they cover 0.6.
        "plane" => {
            let edge = (n as f64 * PI / 0.6).sqrt();
            let centres = (0..n).map(|_| [random.range(0.0, edge), random.range(0.0, edge), random.range(0.0, 0.2)]);
            Scene::new("plane", centres.collect(), vec![1.0; n])
        }
        "huge" => {
            let mut scene = equal(n, 0.3, [1.0; 3], random);
            scene.radii[n / 2] = 50.0;
            scene
        }
        // Spheres around boxes of 10 x 1 x 1 that fill 0.2 of the volume.
        "boxes" => {
            let mut scene = equal(n, 0.2 / 10.0 * 4.0 / 3.0 * PI, [1.0; 3], random);
            scene.radii.fill(0.5 * 102f64.sqrt());
            scene
        }
        // On a floor, with density decreasing upwards.
        "heap" => {
            let mut scene = equal(n, 0.6, [1.0, 1.0, 0.2], random);
            scene.centres.iter_mut().for_each(|c| c[2] *= -3.0 * (1.0 - random.unit()).ln());
            scene
        }
        // Half of the spheres form a dense drop in a gas of the other half.
        "gas" => {
            let [mut scene, gas] = [equal(n / 2, 0.5, [1.0; 3], random), equal(n - n / 2, 1e-3, [1.0; 3], random)];
            scene.centres.extend(gas.centres);
            scene.radii.extend(gas.radii);
            scene
        }
        _ => equal(n, name.strip_prefix("mono")?.parse().ok()?, [1.0; 3], random),
    })
}

/// A step of a host: cell sizes (if it chooses them in every step), grid, pairs.
#[inline(never)]
fn measured(grid: &mut Grid, scene: &Scene, sizes: &mut Sizes, out: &mut [Candidate]) -> Result<usize, Failed> {
    if sizes.each {
        sizes.choose(scene)?;
    }
    grid.rebuild(&scene.query(), &sizes.list[..sizes.count])?;
    Ok(grid.pairs(Isa::best(), &scene.query(), Direction::TopDown, out)?)
}

struct Sizes {
    list: [f64; LEVELS],
    count: usize,
    each: bool,
    scratch: Memory,
}

impl Sizes {
    #[inline(never)]
    fn choose(&mut self, scene: &Scene) -> Result<(), Failed> {
        let query = scene.query();
        let choice =
            choose(&query, Direction::TopDown, Search::Rows, Model::ROW_ACCESS, &mut self.list, &mut self.scratch)?;
        self.count = choice.levels;
        Ok(())
    }
}

fn main() -> Result<(), Failed> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [name, bodies, way] = &arguments[..] else {
        return Err(format!("grid_costs SCENE BODIES default|chosen|kept, with one of {SCENES}").into());
    };
    let scene = scene(name, bodies.parse()?).ok_or("no such scene")?;
    let mut sizes =
        Sizes { list: [0.0; LEVELS], count: 0, each: way == "chosen", scratch: Memory::new(choose_scratch(LEVELS)?)? };
    if way == "kept" {
        sizes.choose(&scene)?;
    }
    let mut grid = Grid::new(scene.radii.len(), LEVELS);
    let mut out = vec![Candidate::default(); 400 * scene.radii.len()];
    let found = measured(&mut grid, black_box(&scene), &mut sizes, &mut out)?;
    let levels: Vec<_> = grid.view().levels().iter().map(|l| format!("{:.3}:{}", l.size, l.bodies())).collect();
    println!("{} pairs; levels {}", found, levels.join(" "));
    Ok(())
}
