//! Group `small`: whole steps of scenes of few bodies, which should cost next to nothing. There is no peer: lines are `info`.
//!
//! `.ci/run check_small_steps` counts instructions of the same steps, which no other program on the machine can make more.

use crate::clock::{SAMPLES, Table, median, now};
use dem_tests::shapes::surface;
use dem_tests::small::{NAMES, Small, Terrain, stones};
use std::path::Path;

/// Steps of a sample.
const STEPS: usize = 1000;
/// The same of scenes with thousands of contacts.
const FEW: usize = 2;

/// The whole group.
pub fn run(_table: &mut Table) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../target/small"));
    let terrain = Terrain::kept(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let (ground, stones) = (terrain.surface(), stones());
    let stones: Vec<_> = stones.iter().map(|stone| surface(stone, true)).collect();
    for name in NAMES {
        let scene = Small::named(name, Some(&ground), &stones).unwrap_or_else(|| panic!("no scene {name}"));
        let number = if matches!(name, "heap" | "game") { FEW } else { STEPS };
        let (mut times, mut start, mut last) = (Vec::new(), now(), None);
        let each = |step: usize, found| {
            last = Some(found);
            if (step + 1).is_multiple_of(number) {
                times.push((now() - start) / number as f64);
                start = now();
            }
        };
        scene.steps(SAMPLES * number, each).unwrap_or_else(|e| panic!("{name}: {e}"));
        let contacts = last.map_or(0, |found| found.contacts);
        println!("info small_{name}: {:.0} ns a step, {contacts} contacts", median(times));
    }
}
