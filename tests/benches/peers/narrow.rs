//! Group `narrow`: pairs of triangles, and all pairs of two meshes within a threshold.

use crate::clock::{Answer, Table, in_turn, time};
use crate::parry::{double, single};
use dem_core::mesh::Halo;
use dem_core::narrow::{Operand, TrianglePair, Witness, any_pair, distance_scratch, min_distance_with, pairs};
use dem_core::surrogate::{Cluster, Options, Preset};
use dem_core::triangle::{Accuracy, Points, Soup, Zip, closest_points};
use dem_std::{Memory, OwnedShape, Triangles};
use dem_tests::hash::Hash;
use dem_tests::query::Shapes;
use dem_tests::scene::{self, EPS, Scene, THRESHOLD};
use dem_tests::vector::{add, scale, sub};
use dem_tests::{Triangle, boxes, data, pairs as generate};
use std::hint::black_box;

/// Pairs of triangles in a batch.
const PAIRS: usize = 1_000_000;
/// Poses of `pairs_near5`.
const POSES: u64 = 30;

/// The whole group.
pub fn run(table: &mut Table) {
    for (name, pairs) in [("far", generate::far(PAIRS, 1)), ("near", generate::near(PAIRS, 2))] {
        triangle_pairs(table, name, &pairs);
    }
    for count in [1_280, 20_480] {
        for case in ["touch", "near5", "shell5", "far"] {
            mesh_pairs(table, count, case);
        }
    }
    turned_pairs(table);
    for count in [1_280, 20_480] {
        any_witness(table, count);
    }
    trees(table);
}

fn triangle_pairs(table: &mut Table, name: &str, pairs: &[[Triangle; 2]]) {
    let in_f64: Vec<_> = pairs.iter().map(|p| [double::triangle(&p[0]), double::triangle(&p[1])]).collect();
    let in_f32: Vec<_> = pairs.iter().map(|p| [single::triangle(&p[0]), single::triangle(&p[1])]).collect();
    let touching = pairs.iter().filter(|[a, b]| touches(a, b)).count();
    let mut out_f64 = vec![Default::default(); pairs.len()];
    let mut out_f32 = vec![Default::default(); pairs.len()];
    let per_pair = 1.0 / pairs.len() as f64;

    let mut ours = Batch::<f32>::new(pairs);
    let line = |table: &mut Table, against: &str, [t, p]: [f64; 2], answer| {
        table.ratio(&format!("pair_{against}"), t * per_pair, p * per_pair, answer);
    };
    let times = in_turn(|| ours.run(), || double::closest_all::<false>(&in_f64, &mut out_f64));
    line(table, &format!("f32_{name}"), times, ours.answer());
    let times = in_turn(|| ours.run(), || single::closest_all::<false>(&in_f32, &mut out_f32));
    line(table, &format!("f32_{name}_against_f32"), times, ours.answer());
    table.check(&format!("pair_f32_{name}"), ours.answer().count, touching);
    drop(ours);

    let mut ours = Batch::<f64>::new(pairs);
    let times = in_turn(|| ours.run(), || double::closest_all::<true>(&in_f64, &mut out_f64));
    line(table, &format!("f64_{name}_against_hinted"), times, ours.answer());
    let times = in_turn(|| ours.run(), || double::closest_all::<false>(&in_f64, &mut out_f64));
    line(table, &format!("f64_{name}"), times, ours.answer());
    table.check(&format!("pair_f64_{name}"), ours.answer().count, touching);
    peer_error(name, "f64", &ours, out_f64.iter().map(|f| f.0));
    peer_error(name, "f32", &ours, out_f32.iter().map(|f| f64::from(f.0)));
}

/// In f64 where that is clear, in integers where it is not.
fn touches(a: &Triangle, b: &Triangle) -> bool {
    boxes::within(a, b, 0.0).is_some()
}

/// How far the peer's distances are from ours, which the tests hold against exact arithmetic.
fn peer_error(name: &str, number: &str, ours: &Batch<f64>, theirs: impl Iterator<Item = f64>) {
    let (mut worst, mut bad): (f64, usize) = (0.0, 0);
    for (x, y) in ours.distance.iter().zip(theirs) {
        worst = worst.max((x - y).abs());
        bad += usize::from((x - y).abs() > 1e-5 * generate::EDGE);
    }
    println!(
        "info pair_{name}: parry {number} is off by more than 1e-5 edges in {bad} of {PAIRS} pairs, by {worst:.1e} at most"
    );
}

/// Pairs as a structure of arrays, and where their closest points go.
struct Batch<T> {
    input: [Vec<T>; 2],
    distance: Vec<T>,
    points: [Vec<T>; 6],
}

impl<T: Accuracy> Batch<T> {
    fn new(pairs: &[[Triangle; 2]]) -> Self {
        let rows = |side: usize| {
            let rows = generate::rows(pairs.iter().map(|p| p[side]), pairs.len());
            rows.into_iter().map(T::from_f64).collect()
        };
        let zeros = || vec![T::default(); pairs.len()];
        Batch { input: [rows(0), rows(1)], distance: zeros(), points: [(); 6].map(|_| zeros()) }
    }

    fn run(&mut self) {
        let n = self.distance.len();
        let soup = |side: usize| Soup::new(&self.input[side], n, n, dem_core::error::What::Pairs);
        let (a, b) = (soup(0), soup(1));
        let [ax, ay, az, bx, by, bz] = self.points.each_mut().map(|p| p.as_mut_slice());
        let mut out = Points { distance: &mut self.distance, point_a: [ax, ay, az], point_b: [bx, by, bz] };
        a.and_then(|a| closest_points(crate::isa(), &Zip(a, b?), &mut out)).unwrap_or_else(|e| panic!("{e}"));
    }

    fn answer(&self) -> Answer {
        let distances = self.distance.iter().map(|d| d.to_f64());
        Answer { count: distances.clone().filter(|&d| d == 0.0).count(), hash: Hash::of_numbers(distances) }
    }
}

/// A scene for parry.
pub(crate) fn double_query(scene: &Scene) -> double::Query {
    let mut query = double::Query::new(double::mesh(&scene.a), double::mesh(&scene.b), THRESHOLD);
    query.pose(&scene.pose_a, &scene.pose_b);
    query
}

/// The same in single precision.
pub(crate) fn single_query(scene: &Scene) -> single::Query {
    let mut query = single::Query::new(single::mesh(&scene.a), single::mesh(&scene.b), THRESHOLD);
    query.pose(&scene.pose_a, &scene.pose_b);
    query
}

/// All pairs, by the opened views, into a list that is there already.
fn our_pairs(a: &Operand<'_>, b: &Operand<'_>, out: &mut [TrianglePair], scratch: &mut [u8]) -> usize {
    pairs(crate::isa(), a, b, 0.0, out, scratch).unwrap_or_else(|e| panic!("{e}"))
}

fn answer(found: &[TrianglePair]) -> Answer {
    Answer { count: found.len(), hash: Hash::of_pairs(found.iter().map(|p| (p.a, p.b))) }
}

fn mesh_pairs(table: &mut Table, count: usize, case: &str) {
    let scene = scene::rocks(count, case);
    let [a, b] = scene.world();
    let right = boxes::pairs(&a, &b, THRESHOLD);
    let name = format!("pairs_{case}_{count}");
    table.check(&format!("brute force {name}"), right.len(), scene::rock_count(count, case));

    let shapes = Shapes::new(&scene, EPS, &Options::default());
    let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
    let (mut out, mut scratch) = shapes.room(4 * right.len() + 64);
    let (mut f64s, mut f32s) = (double_query(&scene), single_query(&scene));
    // The bars mean cold, the first query of two bodies that come close, but for `touch`, where contacts last.
    let kept = case == "touch";
    let (first, second) = if kept { ("", "_against_cold") } else { ("_against_warm", "") };
    let times = in_turn(
        || {
            black_box(our_pairs(&a, &b, &mut out, &mut scratch));
        },
        || f64s.warm(),
    );
    let number = our_pairs(&a, &b, &mut out, &mut scratch);
    let answer = answer(&out[..number]);
    table.check(&name, number, right.len());
    let ids = out[..number].iter().map(|p| (p.a, p.b));
    table.check(&format!("{name}, right ids"), ids.zip(&right).filter(|(x, y)| *x == (y.a, y.b)).count(), right.len());
    table.ratio(&format!("{name}{first}"), times[0], times[1], answer);
    let times = in_turn(
        || {
            black_box(our_pairs(&a, &b, &mut out, &mut scratch));
        },
        || f64s.cold(),
    );
    table.ratio(&format!("{name}{second}"), times[0], times[1], answer);
    let times = in_turn(
        || {
            black_box(our_pairs(&a, &b, &mut out, &mut scratch));
        },
        || f32s.cold(),
    );
    table.ratio(&format!("{name}_against_cold_f32"), times[0], times[1], answer);
    println!("info {name}: parry f64 finds {} pairs, f32 {}", f64s.count(), f32s.count());
}

/// `pairs_near5` over thirty poses, each its own sample: the mean counts.
fn turned_pairs(table: &mut Table) {
    let base = scene::rocks(20_480, "near5");
    let shapes = Shapes::new(&base, EPS, &Options::default());
    let (mut out, mut scratch) = shapes.room(64);
    let (mut f64s, mut f32s) = (double_query(&base), single_query(&base));
    let mut sums = [0.0; 3];
    let mut found = 0;
    for seed in 0..POSES {
        let scene = scene::turned(&base, seed, 5.0 * EPS);
        let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
        f64s.pose(&scene.pose_a, &scene.pose_b);
        f32s.pose(&scene.pose_a, &scene.pose_b);
        let ours = time(|| {
            black_box(our_pairs(&a, &b, &mut out, &mut scratch));
        });
        found += our_pairs(&a, &b, &mut out, &mut scratch) + f64s.count();
        for (sum, x) in sums.iter_mut().zip([ours, time(|| f64s.cold()), time(|| f32s.cold())]) {
            *sum += x / POSES as f64;
        }
    }
    let nothing = answer(&[]);
    table.check("pairs_near5_20480, 30 poses", found, 0);
    table.ratio("pairs_near5_20480_30_poses", sums[0], sums[1], nothing);
    table.ratio("pairs_near5_20480_30_poses_against_f32", sums[0], sums[2], nothing);
}

/// The smallest distance of rocks that cross, with any pair that shows it: yes or no is all that its peer says. How long the definite pair
/// takes is beside it.
fn any_witness(table: &mut Table, count: usize) {
    let mut scene = scene::rocks(count, "touch");
    let [a, b] = scene.world();
    let apart = sub(scene::middle(&a), scene::middle(&b));
    scene.pose_b.position = add(scene.pose_b.position, scale(0.1, apart));
    let shapes = Shapes::new(&scene, EPS, &Options::default());
    let [a, b] = shapes.operands(&scene.pose_a, &scene.pose_b);
    let scratch = || distance_scratch(&a, &b).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let (mut ours, mut theirs) = (scratch(), scratch());
    let mut nearest = |witness| min_distance_with(crate::isa(), &a, &b, f64::INFINITY, witness, &mut ours);
    let mut any = || any_pair(crate::isa(), &a, &b, 0.0, &mut theirs);
    let name = format!("any_witness_{count}_against_any_pair");
    let times = in_turn(|| _ = black_box(nearest(Witness::Any)), || _ = black_box(any()));
    let found = [nearest(Witness::Any), nearest(Witness::Definite)].map(|pair| pair.ok().flatten());
    let touching = found.iter().flatten().filter(|pair| pair.distance == 0.0).count();
    table.check(&name, touching, 2);
    let pairs: Vec<TrianglePair> = found.into_iter().flatten().take(1).collect();
    table.ratio(&name, times[0], times[1], answer(&pairs));
    let definite = time(|| _ = black_box(nearest(Witness::Definite)));
    println!("info {name}: the definite pair takes {definite:.1} ns");
}

/// Building from vertices and indices: a surrogate tree does more than parry's boxes, so this ratio is below 1.
fn trees(table: &mut Table) {
    let (vertices, indices) = data::indexed(&data::mesh("scenes/rock_a_20480.stl"));
    let triangles = Triangles { vertices: vertices.clone(), indices: indices.clone() };
    for (name, preset) in [("default", Preset::Default), ("fast", Preset::Fast), ("best", Preset::Best)] {
        let options = Options::preset(preset);
        let build = || OwnedShape::new(&triangles, triangles.scalar(), Halo::Uniform(EPS), &options);
        let times = in_turn(|| drop(black_box(build())), || drop(black_box(double::mesh_of(&vertices, &indices))));
        let shape = build().unwrap_or_else(|e| panic!("{e}"));
        let tree = shape.tree().unwrap_or_else(|e| panic!("{e}"));
        let hash = Hash::of_numbers(tree.clusters.iter().flat_map(|c| c.rows[Cluster::HALO]).map(f64::from));
        let answer = Answer { count: tree.clusters.len(), hash };
        table.ratio(&format!("tree_20480_{name}"), times[0], times[1], answer);
    }
}
