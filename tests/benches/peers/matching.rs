//! What matching of contacts from step to step costs, beside the query that finds them: part of the group `contacts`.

use crate::clock::{median, time};
use dem_core::contact::history::{BodyPair, Event, Link, match_contacts, match_scratch};
use dem_core::contact::{Contact, Room, contacts, contacts_scratch};
use dem_core::exec::{Serial, Work};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, generate};
use dem_tests::Triangle;
use dem_tests::contact::{Body, all_contacts, soup};
use dem_tests::vector::scale;
use std::hint::black_box;

/// A line for each scene: how much of a step's query matching takes.
pub fn run() {
    let ball = soup(&generate::icosphere(4).unwrap_or_else(|e| panic!("{e}")));
    let around = |t: &Triangle| {
        let [a, b, c] = t.map(|v| scale(1.003, v));
        [a, c, b]
    };
    let shell: Vec<_> = ball.iter().map(around).collect();
    for (name, turn) in [("turns_little", 2e-5), ("turns", 1.5e-4), ("turns_much", 1e-3)] {
        let [aside, turned] = [0.3, 0.3 + turn].map(|x| Pose { orientation: [x, 0.5 * x, -x, 1.0], ..Pose::IDENTITY });
        scene(&format!("contacts_match_{name}"), [&ball, &shell], 0.002, [&aside, &turned]);
    }
    // Facets on one flat face: all contacts have its patch in common.
    let bowl: Vec<_> = soup(&generate::plate([120, 120], [1.0, 1.0]).unwrap_or_else(|e| panic!("{e}")))
        .into_iter()
        .map(|[a, b, c]| [a, c, b].map(|[x, y, _]| [x, y, 1e-4 + 0.02 * (x * x + y * y)]))
        .collect();
    let flat = soup(&generate::plate([1, 1], [2.0, 2.0]).unwrap_or_else(|e| panic!("{e}")));
    let [rests, rolls] = [0.0, 1.2e-3].map(|roll| Pose { orientation: [0.0, roll, 0.0, 1.0], ..Pose::IDENTITY });
    scene("contacts_match_rolls", [&bowl, &flat], 0.002, [&rests, &rolls]);
}

/// The contacts of two steps, between which A turns.
fn scene(name: &str, [a, b]: [&[Triangle]; 2], halo: f64, poses: [&Pose; 2]) {
    let (a, b) = (Body::new(a, halo), Body::new(b, halo));
    let b = b.side(&Pose::IDENTITY);
    let mut lists = [0; 2].map(|_| Vec::<Contact>::new());
    let mut query = 0.0;
    for (list, pose) in lists.iter_mut().zip(poses) {
        let a = a.side(pose);
        (*list, _) = all_contacts(Isa::best(), &a, &b);
        let room = Room { pairs: 100_000, terms: 200_000, segments: 100_000 };
        let mut scratch = contacts_scratch(&a, &b, room, 1).and_then(Memory::new).unwrap_or_else(|e| panic!("{e}"));
        let mut find = || {
            contacts(Work::new(&Serial, Isa::best(), &mut scratch), &a, &b, 0, room, list)
                .unwrap_or_else(|e| panic!("{e}"))
        };
        find();
        query = median((0..5).map(|_| time(|| _ = black_box(find()))).collect());
    }
    let pairs = poses.map(|pose| [BodyPair { tag: 0, pose_a: *pose, pose_b: Pose::IDENTITY }]);
    let [last, now] = [0, 1].map(|k| (&lists[k][..], &pairs[k][..]));
    let layout = match_scratch(last.0.len(), now.0.len(), 0).unwrap_or_else(|e| panic!("{e}"));
    let mut scratch = Memory::new(layout).unwrap_or_else(|e| panic!("{e}"));
    let (mut links, mut events) = (vec![Link::NEW; now.0.len()], vec![Event::default(); last.0.len() + now.0.len()]);
    let mut go = || {
        match_contacts(&last, &now, halo, &mut links, None, Some(&mut events), &mut scratch)
            .unwrap_or_else(|e| panic!("{e}"))
    };
    go();
    let matching = median((0..9).map(|_| time(|| _ = black_box(go()))).collect());
    let other = now.0.iter().filter(|c| last.0.binary_search_by_key(&c.key, |old| old.key).is_err()).count();
    let sourced = links.iter().filter(|link| link.source != link.origin).count();
    println!(
        "info {name} {:.4} of the query: {} contacts, {other} with another key, {sourced} begin beside; {matching:.0} of {query:.0} ns",
        matching / query,
        now.0.len(),
    );
}
