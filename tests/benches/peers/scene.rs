//! Group `scene`: whole steps of a scene, contacts, matching, touches and all, by one worker and by two. There is no peer: ratios are
//! of wall times, one worker's over that of two.
//!
//! What a step costs with the list of candidates of a step before, and with one that is made with a skin, is told beside it.
//!
//! A million balls of sizes 1 to 10 that move by a hundredth of their radius; the same number of contacts as a packing has.
//! A heap of rocks, each a mesh of 1,280 triangles.

use crate::broad::WORKERS;
use crate::clock::{Answer, SAMPLES, Table, median, now, wall};
use dem_core::array::{Array, Words};
use dem_core::contact::shape::Shape;
use dem_core::detect::Bodies;
use dem_core::exec::Serial;
use dem_core::memory::hash_items;
use dem_std::{OwnedScene, Threads, generate};
use dem_tests::contact::{Body, soup};
use dem_tests::random::Random;
use dem_tests::shapes::surface;
use dem_tests::vector::{add, scale};

/// The whole group.
pub fn run(table: &mut Table) {
    let balls = [Shape::Sphere { radius: 1.0, halo: 0.02 }];
    let crowd = crate::broad::scene(1_000_000, 10.0, true);
    steps(table, "balls_1e6", &balls, &crowd.centres, Some(&crowd.radii));
    [0.0, 0.1, 0.2, 0.4].into_iter().for_each(|skin| kept(&balls, &crowd.centres, &crowd.radii, skin));
    let rock = generate::icosphere(3).and_then(|mesh| generate::bumpy(mesh, 1.2, 1)).unwrap_or_else(|e| panic!("{e}"));
    let rock = Body::new(&soup(&rock), 0.02);
    let rock = surface(&rock, true);
    let shapes = [Shape::Mesh(&rock)];
    let mut random = Random::new(5);
    // Rocks of 1,280 triangles in a lattice that is as wide as they are.
    let at = |i: usize| [i % 8, i / 8 % 8, i / 64].map(|k| 2.15 * k as f64);
    let heap: Vec<_> = (0..512).map(|i| add(at(i), random.in_cube(0.1))).collect();
    steps(table, "rocks_512", &shapes, &heap, None);
}

/// Steps in which every ball goes its own way, by a hundredth of the smallest radius, with a list of candidates that is kept; CPU times.
fn kept(shapes: &[Shape<'_>], positions: &[[f64; 3]], radii: &[f64], skin: f64) {
    let kinds = vec![0u32; positions.len()];
    let (mut positions, mut random) = (positions.to_vec(), Random::new(2));
    let ways: Vec<_> = positions.iter().map(|_| scale(0.01, random.direction())).collect();
    let mut scene = OwnedScene::with_executor(Box::new(Serial));
    (scene.settings.skin, scene.settings.bound) = (skin, 0.1);
    let (mut anew, mut again, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    // In the first ones memory grows.
    for step in -2..2 * SAMPLES as i32 {
        let bodies = Bodies {
            scales: Some(Array::from_numbers(radii)),
            ..Bodies::new(shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
        };
        let start = now();
        let found = scene.detect(&bodies).unwrap_or_else(|e| panic!("{e}"));
        let time = now() - start;
        if step >= 0 {
            lists.push((found.list.candidates, found.candidates));
            if found.list.age == 0 { &mut anew } else { &mut again }.push(time * 1e-6);
        }
        positions.iter_mut().zip(&ways).for_each(|(x, way)| *x = add(*x, *way));
    }
    let all: f64 = anew.iter().chain(&again).sum::<f64>() / lists.len() as f64;
    let (listed, found) = lists.last().copied().unwrap_or_default();
    let told = |times: Vec<f64>| match times.len() {
        0 => "none".into(),
        n => format!("{n} of {:.1} ms", median(times)),
    };
    println!(
        "info scene_balls_1e6, skin {skin}: {all:.1} ms a step; lists made in {}, kept in {}; {listed} pairs in one, {found} of which meet",
        told(anew),
        told(again)
    );
}

fn steps(table: &mut Table, name: &str, shapes: &[Shape<'_>], positions: &[[f64; 3]], radii: Option<&[f64]>) {
    let kinds = vec![0u32; positions.len()];
    let (mut positions, mut random) = (positions.to_vec(), Random::new(2));
    let mut scenes = [0, 1].map(|i: usize| OwnedScene::with_executor(Box::new(Lent(&WORKERS[i]))));
    let mut samples = [const { Vec::new() }; 2];
    let mut answers = [Answer::default(); 2];
    let mut persisting = 0;
    for sample in 0..=SAMPLES {
        for (i, scene) in scenes.iter_mut().enumerate() {
            scene.settings.bound = 0.1;
            let bodies = Bodies {
                scales: radii.map(Array::from_numbers),
                ..Bodies::new(shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
            };
            let start = wall();
            let found = scene.detect(&bodies).unwrap_or_else(|e| panic!("{e}"));
            let time = wall() - start;
            // In the first one memory grows.
            if sample > 0 {
                samples[i].push(time / positions.len() as f64);
            }
            let view = scene.view().unwrap_or_else(|e| panic!("{e}"));
            answers[i] = Answer {
                count: found.contacts,
                hash: hash_items(0, view.links()) ^ hash_items(1, view.now().contacts()),
            };
            persisting = found.persisting;
        }
        for (i, x) in positions.iter_mut().enumerate() {
            *x = add(*x, scale(0.01 * radii.map_or(1.0, |r| r[i]), random.direction()));
        }
    }
    let [one, two] = samples.each_ref().map(|all| median(all.clone()));
    table.check(&format!("scene_{name}"), answers[1].count, answers[0].count);
    assert_eq!(answers[0], answers[1], "workers change no bit");
    table.workers(&format!("scene_two_workers_{name}"), samples, answers[0]);
    let all = positions.len() as f64 * 1e-6;
    println!(
        "info scene_{name}: {:.1} ms a step by one worker, {:.1} by two, {persisting} contacts go on",
        one * all,
        two * all
    );
}

/// Threads that are somebody else's.
struct Lent(&'static Threads);

impl dem_core::exec::Executor for Lent {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        self.0.run(threads, thread);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.0.enter(work);
    }
}
