//! Group `contacts`: contacts of two meshes for force laws, against parry's manifolds with what they have kept.

use crate::broad::WORKERS;
use crate::clock::{Answer, SAMPLES, Table, in_turn, side_by_side, time, wall};
use crate::matching;
use crate::narrow::{double_query, single_query};
use dem_core::contact::{Contact, ContactCounts, Room, Side, contacts, contacts_scratch};
use dem_core::exec::{Executor, Serial, Work};
use dem_core::memory::hash_items;
use dem_core::narrow::pairs;
use dem_core::simd::Isa;
use dem_std::Memory;
use dem_tests::contact::Body;
use dem_tests::hash::Hash;
use dem_tests::query::Shapes;
use dem_tests::scene::{self, EPS, Scene};
use std::hint::black_box;

/// The whole group.
pub fn run(table: &mut Table) {
    for count in [1_280, 20_480] {
        compare(table, &format!("contacts_touch_{count}"), &scene::rocks(count, "touch"));
    }
    compare(table, "contacts_flat", &scene::boxes());
    workers(table);
    matching::run();
}

/// What a second worker is good for.
pub fn workers(table: &mut Table) {
    two_workers(table, "touch_20480", &scene::rocks(20_480, "touch"));
    two_workers(table, "flat", &scene::boxes());
}

fn ours(a: &Side<'_>, b: &Side<'_>, room: Room, out: &mut [Contact], scratch: &mut [u8]) -> ContactCounts {
    contacts(Work::new(&Serial, Isa::best(), scratch), a, b, 0, room, out).unwrap_or_else(|e| panic!("{e}"))
}

fn compare(table: &mut Table, name: &str, scene: &Scene) {
    let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
    let (a, b) = (a.side(&scene.pose_a), b.side(&scene.pose_b));
    let room = Room { pairs: 30_000, terms: 60_000, segments: 10_000 };
    let mut scratch = contacts_scratch(&a, &b, room, 1).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let mut out = vec![Contact::default(); 30_000];
    let found = ours(&a, &b, room, &mut out, &mut scratch);
    let hash = Hash::of_numbers(out[..found.contacts].iter().map(|c| c.area));
    let answer = Answer { count: found.contacts, hash };
    let (mut f64s, mut f32s) = (double_query(scene), single_query(scene));
    let mut run = || {
        black_box(ours(&a, &b, room, &mut out, &mut scratch));
    };
    let times = in_turn(&mut run, || f64s.warm());
    table.ratio(name, times[0], times[1], answer);
    let times = in_turn(&mut run, || f32s.warm());
    table.ratio(&format!("{name}_against_f32"), times[0], times[1], answer);
    let shapes = Shapes::new(scene, EPS, &Default::default());
    let [pa, pb] = shapes.operands(&scene.pose_a, &scene.pose_b);
    let (mut list, mut memory) = shapes.room(room.pairs);
    let mut part = || {
        black_box(pairs(Isa::best(), &pa, &pb, 0.0, &mut list, &mut memory)).unwrap_or_else(|e| panic!("{e}"));
    };
    part();
    let alone = (0..9).map(|_| time(&mut part)).fold(f64::INFINITY, f64::min);
    println!("info {name}: {found:?}, of which pairs take {alone:.0} ns; parry f64 finds {} manifolds", f64s.count());
}

/// Wall time of one pair of bodies by one worker over that by two, in turn; medians. Beside it what two get done that share nothing.
fn two_workers(table: &mut Table, name: &str, scene: &Scene) {
    let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
    let (a, b) = (a.side(&scene.pose_a), b.side(&scene.pose_b));
    let room = Room { pairs: 30_000, terms: 60_000, segments: 0 };
    let mut scratch = contacts_scratch(&a, &b, room, 2).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let mut out = vec![Contact::default(); 30_000];
    let room_of_one = || contacts_scratch(&a, &b, room, 1).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
    let mut memories = [0; 2].map(|_| (vec![Contact::default(); 30_000], room_of_one()));
    let mut samples = [const { Vec::new() }; 2];
    let mut apart = Vec::new();
    let mut answers = [Answer::default(); 2];
    for _ in 0..40 * SAMPLES {
        for (i, workers) in WORKERS.iter().enumerate() {
            let mut found = ContactCounts::default();
            // Ten at a time, so that all workers are awake, as they are within a step.
            workers.enter(&mut || {
                let start = wall();
                for _ in 0..10 {
                    let work = Work::new(workers, Isa::best(), &mut scratch);
                    found = contacts(work, &a, &b, 0, room, &mut out).unwrap_or_else(|e| panic!("{e}"));
                }
                samples[i].push((wall() - start) / 10.0);
            });
            answers[i] = Answer { count: found.contacts, hash: hash_items(0, &out[..found.contacts]) };
        }
        let [first, second] = memories.each_mut().map(|(out, scratch)| {
            || {
                for _ in 0..10 {
                    black_box(ours(&a, &b, room, out, scratch));
                }
            }
        });
        let (mut first, mut second) = (first, second);
        let alone = 10.0 * samples[0].last().copied().unwrap_or_default();
        apart.push(side_by_side(&WORKERS[1], alone, [&mut first, &mut second]));
    }
    assert_eq!(answers[0], answers[1], "workers change no bit");
    let name = format!("contacts_two_workers_{name}");
    table.workers(&name, samples, answers[0]);
    table.side_by_side(&name, apart);
}
