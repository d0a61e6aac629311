//! Ranges of patches on many threads, compared with one thread and with a map of patches.

extern crate std;

use std::collections::BTreeMap;
use std::{vec, vec::Vec};

use super::*;
use crate::contact::measure::term::Run;
use crate::contact::measure::term_order::{Place, sorted};
use crate::contact::measure::two_sided::HalfTerms;
use crate::contact::penetration::Enclosed;
use crate::exec::{Executor, Serial};
use crate::pose::Transform;
use crate::simd::Isa;
use crate::triangle::tests::Random;

/// This number of threads, the last one first.
struct Backwards(usize);

impl Executor for Backwards {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        (0..threads).rev().for_each(thread);
    }
}

/// This number of terms of each half, some without area and some without force.
fn terms(random: &mut Random, count: usize) -> Vec<Term> {
    let mut term = |_| {
        let patches = (1000 * (random.next() * 40.0) as u64) << 32 | (random.next() * 30.0) as u64;
        // All terms of a patch pair cancel, or none.
        let force = if patches.is_multiple_of(7) { [0.0; 3] } else { [random.next(), random.next(), 1.0] };
        let area = if random.next() < 0.2 { 0.0 } else { 1.0 + random.next() };
        Term { area, pressure: 0.5 * area, first: [random.next(); 3], force, least_gap: 0.1, ..Term::none(patches) }
    };
    (0..2 * count).map(&mut term).collect()
}

fn contacts(exec: &dyn Executor, found: &HalfTerms<'_>, deep: &[Enclosed], room: usize) -> (usize, Vec<Contact>) {
    let n = found.terms.len();
    let (mut places, mut spare): (Vec<Place>, Vec<Place>) = (vec![[7; 2]; n], vec![[7; 2]; n]);
    let (mut table, mut out) = (vec![0; n], vec![Contact::default(); room]);
    let threads = Threads { exec, isa: Isa::best(), count: exec.width() };
    let halves = sorted(threads, found, [&mut places, &mut spare], &mut table);
    let turn = Transform { rows: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], translation: [0.0; 3] };
    let seen = [Seen { turn, scale: 1.0, half: [0.0; 3], sign: -1.0 }; 2];
    let common = Common { tag: 5, middle: [0.0; 3], halo: Some(0.2), spread: false };
    let number = Reduce { common, seen, terms: found.terms, parts: Parts { halves, deep } }.contacts(threads, &mut out);
    out.truncate(number);
    (number, out)
}

#[test]
fn ranges_of_patches_make_the_same_contacts_whatever_the_room() {
    let mut random = Random(77);
    for count in [0, 1, 100, 400, 3_000] {
        let terms = terms(&mut random, count);
        let runs = [(0, count), (count, count / 2), (count + count / 2, count - count / 2)];
        let runs = runs.map(|(first, count)| Run { first, count });
        let found = HalfTerms { terms: &terms, runs: &runs, of_a: 1 };
        // Some at patches with terms, some at patches without.
        let deep: Vec<Enclosed> = (0..20 * count.min(1) as u64)
            .map(|i| Enclosed {
                patches: (2_000 * i) << 32 | 7,
                normal: [0.0, 0.0, -1.0],
                area: 0.5,
                bare: 0.5,
                depth: 0.01,
                most: 0.02,
                halo: 0.2,
                ..Enclosed::default()
            })
            .collect();
        let mut forces: BTreeMap<u64, [f64; 3]> = BTreeMap::new();
        let of_terms = terms.iter().filter(|t| t.area > 0.0).map(|t| (t.patches, t.force.map(|f| -0.5 * f)));
        for (patches, force) in of_terms.chain(deep.iter().map(|d| (d.patches, d.normal.map(|n| n * d.force())))) {
            let sum = forces.entry(patches).or_default();
            (0..3).for_each(|k| sum[k] += force[k]);
        }
        let all = forces.len();
        forces.retain(|_, force| *force != [0.0; 3]);
        assert!(count < 100 || forces.len() < all);
        let (number, expected) = contacts(&Serial, &found, &deep, 2 * count + 20);
        assert!(expected.iter().map(|c| c.key).eq(forces.keys().map(|patches| [5, *patches])), "{count}");
        for (contact, force) in expected.iter().zip(forces.values()) {
            let length = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            assert!((0..3).all(|k| (contact.normal[k] - force[k] / length).abs() < 1e-12), "{contact:?}, {force:?}");
        }
        for threads in [2, 3, 8, 100] {
            for room in [number, number + 1, all, all + 1, 2 * count + 20] {
                assert_eq!(contacts(&Backwards(threads), &found, &deep, room), (number, expected.clone()), "{count}");
            }
            for room in [0, number / 2, number.saturating_sub(1)] {
                let (needed, some) = contacts(&Backwards(threads), &found, &deep, room);
                assert!(needed == number && some.len() == room.min(number), "{count}, {room}");
            }
        }
    }
}

#[test]
fn contacts_lean_where_little_is_in_prisms_and_nothing_is_enclosed() {
    let term = |patch: u64, prisms: f64| Term {
        area: 1.0,
        pressure: 0.5,
        force: [0.0, 0.0, 0.5],
        prisms,
        ..Term::none(patch)
    };
    // Terms with half of their pressure in prisms, or less; one such term in either half; the last contact has an enclosed part.
    let of_a = (0..12).map(|i| term(i, if i == 1 { 0.5 } else { 0.0 }));
    let of_b = (0..12).map(|i| term(i, if i == 2 || i == 10 { 0.5 } else { 0.1 }));
    let terms: Vec<Term> = of_a.chain(of_b).collect();
    let runs = [Run { first: 0, count: 12 }, Run { first: 12, count: 12 }];
    let found = HalfTerms { terms: &terms, runs: &runs, of_a: 1 };
    let deep =
        Enclosed { patches: 11, normal: [0.0, 0.0, -1.0], area: 0.5, depth: 0.01, halo: 0.2, ..Enclosed::default() };
    let (number, list) = contacts(&Serial, &found, &[deep], 12);
    let leaning: Vec<u64> = list.iter().filter(|c| c.status & status::LEANS != 0).map(|c| c.key[1]).collect();
    assert_eq!((number, leaning), (12, vec![0, 3, 4, 5, 6, 7, 8, 9]));
}
