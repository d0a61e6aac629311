//! Group `broad`: all overlapping pairs among many moving spheres, against parry's tree of boxes and `rstar`.
//!
//! Every sample moves all bodies by a tenth of their radius in a random direction, and then finds the pairs anew: ours
//! rebuilds its grid, parry's tree takes the new boxes and is refitted, `rstar` (which cannot be refitted) is loaded again.
//! Motion itself is not timed. Peers find boxes that overlap, and test the spheres. `broad_two_workers` is not against a peer:
//! wall time of a million spheres with one worker over that with two, beside what two get done that share nothing.

use crate::clock::{Answer, SAMPLES, Table, median, now, side_by_side, wall};
use dem_core::broad::{Candidate, Direction};
use dem_core::exec::{Executor, Serial};
use dem_std::Threads;
use dem_tests::bodies::{Grid, Scene, morton, power_law};
use dem_tests::hash::Hash;
use dem_tests::random::Random;
use dem_tests::vector::{add, scale};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use std::sync::LazyLock;

/// Packing of the boxes, without excluded volume (P1 section 3).
const PACKING: f64 = 0.6;

/// One worker and two. Threads are where the program is when they begin: these must begin before it pins itself.
pub static WORKERS: LazyLock<[Threads; 2]> =
    LazyLock::new(|| [1, 2].map(|n| Threads::new(n).unwrap_or_else(|e| panic!("{e}"))));

/// The whole group.
pub fn run(table: &mut Table) {
    let mut per_body = Vec::new();
    for (name, omega) in [("mono", 1.001), ("w10", 10.0), ("w100", 100.0)] {
        per_body.push(against_parry(table, name, &scene(100_000, omega, true)));
        against_parry(table, &format!("{name}_unordered"), &scene(100_000, omega, false));
        if omega < 50.0 {
            per_body.push(against_parry(table, &format!("{name}_1e6"), &scene(1_000_000, omega, true)));
        }
    }
    println!("info broad: time a body at omega 100 over mono {:.2}", per_body[4] / per_body[0]);
    println!(
        "info broad: 1e6 over 1e5 bodies {:.2} (mono), {:.2} (w10)",
        per_body[1] / per_body[0],
        per_body[3] / per_body[2]
    );
    against_rstar(table, &scene(100_000, 1.001, true));
    against_one_level(table, &scene(100_000, 10.0, true));
    workers(table);
}

/// What a second worker is good for.
pub fn workers(table: &mut Table) {
    two_workers(table, "mono", &scene(1_000_000, 1.001, true));
    two_workers(table, "w10", &scene(1_000_000, 10.0, true));
}

/// Spheres by the truncated power law of -3 in a box.
pub fn scene(n: usize, omega: f64, ordered: bool) -> Scene {
    let mean_cube = (omega - 1.0) / (0.5 * (1.0 - 1.0 / (omega * omega)));
    let side = (n as f64 * mean_cube * 4.0 / 3.0 * std::f64::consts::PI / PACKING).cbrt();
    let mut scene = power_law(n, [side; 3], -3.0, omega, &mut Random::new(1));
    if ordered {
        morton(&mut scene, side);
    }
    scene
}

/// One step of motion.
fn move_all(scene: &mut Scene, random: &mut Random) {
    for (centre, radius) in scene.centres.iter_mut().zip(&scene.radii) {
        *centre = add(*centre, scale(0.1 * radius, random.direction()));
    }
}

struct Ours {
    grid: Grid,
    out: Vec<Candidate>,
    count: usize,
    sizes: Vec<f64>,
}

impl Ours {
    fn new(scene: &Scene, sizes: &[f64]) -> Self {
        let n = scene.radii.len();
        Ours { grid: Grid::new(n, 16), out: vec![Candidate::default(); 8 * n], count: 0, sizes: sizes.to_vec() }
    }

    fn step(&mut self, scene: &Scene) {
        self.step_by(&Serial, scene);
    }

    fn step_by(&mut self, exec: &dyn Executor, scene: &Scene) {
        let (query, direction) = (scene.query(), Direction::TopDown);
        let built = self.grid.rebuild_by(exec, &query, &self.sizes);
        let found = built.and_then(|()| self.grid.pairs_by(exec, crate::isa(), &query, direction, &mut self.out));
        self.count = found.unwrap_or_else(|e| panic!("{e}"));
    }

    fn answer(&mut self) -> Answer {
        self.out[..self.count].sort_unstable();
        Answer { count: self.count, hash: Hash::of_pairs(self.out[..self.count].iter().map(|c| (c.a, c.b))) }
    }
}

fn touch(scene: &Scene, a: usize, b: usize) -> bool {
    let d = add(scene.centres[b], scale(-1.0, scene.centres[a]));
    let reach = scene.radii[a] + scene.radii[b];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach
}

/// Corners of the box around a sphere, a little outwards in single precision.
fn corners(scene: &Scene, i: usize) -> [[f32; 3]; 2] {
    let r = scene.radii[i];
    [scene.centres[i].map(|x| ((x - r) as f32).next_down()), scene.centres[i].map(|x| ((x + r) as f32).next_up())]
}

struct Parry {
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
}

impl Parry {
    fn aabb(scene: &Scene, i: usize) -> Aabb {
        let [low, high] = corners(scene, i);
        Aabb::new(Vector::from_array(low), Vector::from_array(high))
    }

    fn new(scene: &Scene) -> Self {
        let leaves = (0..scene.radii.len()).map(|i| (i, Parry::aabb(scene, i)));
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        Parry { tree, workspace: BvhWorkspace::default(), pairs: Vec::new() }
    }

    fn step(&mut self, scene: &Scene) {
        for i in 0..scene.radii.len() {
            self.tree.insert_or_update_partially(Parry::aabb(scene, i), i as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.pairs.clear();
        let pairs = &mut self.pairs;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            if touch(scene, a as usize, b as usize) {
                pairs.push((a, b));
            }
        });
    }
}

/// Medians of steps in turn; `first` says which list of answers is compared.
fn in_turn(scene: &Scene, mut ours: impl FnMut(&Scene), mut peer: impl FnMut(&Scene)) -> [f64; 2] {
    let (mut scene, mut random) = (scene.clone(), Random::new(2));
    let mut samples = [const { Vec::new() }; 2];
    for _ in 0..SAMPLES {
        move_all(&mut scene, &mut random);
        let start = now();
        ours(&scene);
        let middle = now();
        peer(&scene);
        samples[0].push((middle - start) / scene.radii.len() as f64);
        samples[1].push((now() - middle) / scene.radii.len() as f64);
    }
    samples.map(median)
}

/// Gives our time a body.
fn against_parry(table: &mut Table, name: &str, scene: &Scene) -> f64 {
    let (mut ours, mut parry) = (Ours::new(scene, &[]), Parry::new(scene));
    let times = in_turn(scene, |s| ours.step(s), |s| parry.step(s));
    let name = format!("broad_{name}");
    let answer = ours.answer();
    let pairs = parry.pairs.iter().map(|&(a, b)| if a < b { (a, b) } else { (b, a) });
    compare(table, &name, &answer, pairs.collect());
    table.ratio(&name, times[0], times[1], answer);
    times[0]
}

/// That a peer has found the same pairs.
fn compare(table: &mut Table, name: &str, answer: &Answer, mut pairs: Vec<(u32, u32)>) {
    pairs.sort_unstable();
    table.check(name, answer.count, pairs.len());
    table.check(&format!("{name}, right ids"), usize::from(Hash::of_pairs(pairs) == answer.hash), 1);
}

fn against_rstar(table: &mut Table, scene: &Scene) {
    type Leaf = GeomWithData<Rectangle<[f32; 3]>, u32>;
    let mut ours = Ours::new(scene, &[]);
    let mut pairs = Vec::new();
    let peer = |scene: &Scene| {
        pairs.clear();
        let boxes = (0..scene.radii.len()).map(|i| corners(scene, i));
        let leaves = boxes.enumerate().map(|(i, [low, high])| Leaf::new(Rectangle::from_corners(low, high), i as u32));
        let tree = RTree::bulk_load(leaves.collect());
        for a in 0..scene.radii.len() {
            let [low, high] = corners(scene, a);
            for leaf in tree.locate_in_envelope_intersecting(AABB::from_corners(low, high)) {
                if leaf.data as usize > a && touch(scene, a, leaf.data as usize) {
                    pairs.push((a as u32, leaf.data));
                }
            }
        }
    };
    let times = in_turn(scene, |s| ours.step(s), peer);
    let answer = ours.answer();
    compare(table, "broad_rstar", &answer, pairs);
    table.ratio("broad_rstar", times[0], times[1], answer);
}

/// Linked cells: one level, large enough for the largest body. What counts are candidates, as the published algorithm
/// counts them; the times beside them are ours with one level.
fn against_one_level(table: &mut Table, scene: &Scene) {
    let largest = 2.0 * scene.radii.iter().fold(0.0, |a: f64, b| a.max(*b));
    // By the published count, levels of P1's kind (two bodies a cell and fewer) are what saves candidates.
    let fine: Vec<f64> = (1..=5).map(|h| largest * 0.1f64.powf(1.0 - f64::from(h) / 5.0) * 1.0001).collect();
    let mut all = Vec::new();
    for sizes in [&fine[..], &[], &[largest]] {
        let mut ours = Ours::new(scene, sizes);
        ours.step(scene);
        let counted = ours.grid.count(&scene.query(), Direction::TopDown, [0.0; 3]);
        let counted = counted.unwrap_or_else(|e| panic!("{e}"));
        all.push((counted.same + counted.cross, counted.accesses, ours));
    }
    let [fine, chosen, one] = &mut all[..] else { return };
    let per_body = |x: u64| x as f64 / scene.radii.len() as f64;
    for (name, counted) in [("five levels", &*fine), ("chosen", &*chosen), ("one", &*one)] {
        println!(
            "info linked_w10, levels {name}: {:.1} candidates and {:.1} accesses a body, counted as published",
            per_body(counted.0),
            per_body(counted.1)
        );
    }
    let answer = chosen.2.answer();
    table.ratio("linked_w10", per_body(fine.0), per_body(one.0), answer);
    let times = in_turn(scene, |s| chosen.2.step(s), |s| one.2.step(s));
    table.ratio("linked_w10_time", times[0], times[1], chosen.2.answer());
}

/// Wall time with one worker over that with two.
fn two_workers(table: &mut Table, name: &str, scene: &Scene) {
    let (mut scene, mut random) = (scene.clone(), Random::new(2));
    let (mut ours, mut other) = (Ours::new(&scene, &[]), Ours::new(&scene, &[]));
    let mut samples = [const { Vec::new() }; 2];
    let mut apart = Vec::new();
    let mut counts = [0; 2];
    for _ in 0..SAMPLES {
        move_all(&mut scene, &mut random);
        for (i, workers) in WORKERS.iter().enumerate() {
            let start = wall();
            ours.step_by(workers, &scene);
            samples[i].push((wall() - start) / scene.radii.len() as f64);
            counts[i] = ours.count;
        }
        let alone = samples[0].last().map_or(0.0, |time| time * scene.radii.len() as f64);
        let copies: [&mut (dyn FnMut() + Send); 2] = [&mut || ours.step(&scene), &mut || other.step(&scene)];
        apart.push(side_by_side(&WORKERS[1], alone, copies));
    }
    let name = format!("broad_two_workers_{name}");
    table.check(&name, counts[1], counts[0]);
    table.workers(&name, samples, ours.answer());
    table.side_by_side(&name, apart);
}
