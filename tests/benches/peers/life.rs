//! Group `life`: what lives for several steps, a grid that takes changes and a list with a skin, against doing all
//! anew. Not compared with a peer.

use crate::broad::scene;
use crate::clock::{SAMPLES, median, now};
use dem_core::broad::{Candidate, Direction, moved, refresh, skin_scratch};
use dem_core::exec::Serial;
use dem_std::Memory;
use dem_tests::bodies::{Grid, Scene};
use dem_tests::live::Live;
use dem_tests::random::Random;
use dem_tests::vector::{add, scale};

/// The whole group.
pub fn run(_: &mut crate::clock::Table) {
    for n in [100_000, 1_000_000] {
        let scene = scene(n, 10.0, true);
        one_percent(&scene);
        skin(&scene);
    }
}

/// CPU time of a call in nanoseconds for each of so many, and what it gives.
fn timed<T, E: std::fmt::Display>(times: &mut Vec<f64>, n: usize, call: impl FnOnce() -> Result<T, E>) -> T {
    let start = now();
    let answer = call().unwrap_or_else(|e| panic!("{e}"));
    times.push((now() - start) / n as f64);
    answer
}

/// In every step another hundredth of the bodies moves by a tenth of a radius.
fn one_percent(scene: &Scene) {
    let (mut scene, mut random, n) = (scene.clone(), Random::new(4), scene.radii.len());
    let (mut grid, mut live) = (Grid::new(n, 16), Live::new(n, 16, n / 10));
    let mut out = vec![Candidate::default(); 8 * n];
    live.rebuild(&Serial, &scene.query(), &[]).unwrap_or_else(|e| panic!("{e}"));
    let (mut times, mut loose) = ([const { Vec::new() }; 4], 0);
    let [anew, asked, update, asked_live] = &mut times;
    for _ in 0..SAMPLES {
        let changed: Vec<u32> = (0..n / 100).map(|_| random.below(n) as u32).collect();
        for id in &changed {
            let centre = &mut scene.centres[*id as usize];
            *centre = add(*centre, scale(0.1 * scene.radii[*id as usize], random.direction()));
        }
        let query = scene.query();
        timed(anew, n, || grid.rebuild(&query, &[]));
        let right = timed(asked, n, || grid.pairs(crate::isa(), &query, Direction::TopDown, &mut out));
        let report = timed(update, changed.len(), || live.update(&query, &changed));
        assert!(!report.full, "more room");
        loose = report.loose;
        let found = timed(asked_live, n, || live.pairs(&Serial, crate::isa(), &query, Direction::TopDown, &mut out));
        assert_eq!(found, right);
    }
    let [anew, asked, update, asked_live] = times.map(median);
    println!(
        "info life, {n} bodies, 1 % moved a step: rebuilt {anew:.1} + asked {asked:.1} ns a body; told {:.2} + asked {asked_live:.1} ns a body; \
         {update:.0} ns a change; {loose} loose after {SAMPLES} steps",
        update / 100.0
    );
}

/// A list with a skin of a fifth of the smallest radius.
fn skin(then: &Scene) {
    let (now, n) = (then.clone(), then.radii.len());
    let then = then.clone().margin(0.2);
    let mut grid = Grid::new(n, 16);
    let mut list = vec![Candidate::default(); 8 * n];
    let mut random = Random::new(5);
    let built = grid.rebuild(&then.query(), &[]);
    let found = built.and_then(|()| grid.pairs(crate::isa(), &then.query(), Direction::TopDown, &mut list));
    list.truncate(found.unwrap_or_else(|e| panic!("{e}")));
    let mut now = now;
    now.centres.iter_mut().for_each(|c| *c = add(*c, scale(0.09, random.direction())));
    let mut scratch = skin_scratch(n as u32, list.len()).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let mut out = list.clone();
    let mut times = [const { Vec::new() }; 2];
    let mut left = 0;
    for _ in 0..SAMPLES {
        let (old, new) = (then.query(), now.query());
        assert!(timed(&mut times[0], n, || moved(&Serial, &old, &new, &mut scratch)).lasts());
        left = timed(&mut times[1], list.len(), || refresh(&Serial, &list, &old, &new, &mut out, &mut scratch));
    }
    let [moved, refreshed] = times.map(median);
    println!(
        "info life, {n} bodies, a list with a skin: {moved:.1} ns a body to see how far all have moved, {refreshed:.1} ns a record to \
         refresh {} records, {left} are left",
        list.len()
    );
}
