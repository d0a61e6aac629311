//! How long a scene keeps its neighbour list, also in copied and larger blocks and with too little room.

use dem_core::array::{Array, Words};
use dem_core::contact::shape::Shape;
use dem_core::detect::{Bodies, Detected, List, Scene, SceneSizes, Settings, detect_scratch};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_core::memory::Layout;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::cases;
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::kept::{Both, said};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, scale};

/// A row of balls and a ground below them.
struct Row {
    positions: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    motions: Vec<u32>,
    kinds: Vec<u32>,
    scales: Vec<f64>,
}

impl Row {
    fn new() -> Self {
        let mut positions: Vec<_> = (0..6).map(|i| [1.5 * f64::from(i), 0.0, 1.0]).collect();
        positions.push([0.0; 3]);
        let (mut kinds, mut motions) = (vec![0; 7], vec![0; 7]);
        (kinds[6], motions[6]) = (1, 2);
        Row { positions, orientations: vec![[0.0, 0.0, 0.0, 1.0]; 7], motions, kinds, scales: vec![1.0; 7] }
    }

    fn step(&self, scene: &mut OwnedScene) -> Detected {
        let shapes = [sphere(0.5, 0.0), Shape::HalfSpace { halo: 0.0 }];
        let bodies = Bodies {
            orientations: Some(Array::from_quaternions(&self.orientations)),
            motions: Some(Words::from_slice(&self.motions)),
            scales: Some(Array::from_numbers(&self.scales)),
            ..Bodies::new(&shapes, Words::from_slice(&self.kinds), Array::from_f64(&self.positions))
        };
        scene.detect(&bodies).unwrap()
    }
}

/// Whether the list of a row is kept after a change.
fn is_kept(skin: f64, change: impl Fn(&mut Row)) -> bool {
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.skin = skin;
    let mut row = Row::new();
    assert_eq!(row.step(&mut scene).list.age, 0);
    assert_eq!(row.step(&mut scene).list.age, u32::from(skin > 0.0));
    change(&mut row);
    let age = row.step(&mut scene).list.age;
    assert!(age == 0 || age == 2);
    age == 2
}

#[test]
fn a_list_lives_as_long_as_each_body_stays_within_half_of_the_skin() {
    let by = |i: usize, way: f64| move |row: &mut Row| row.positions[i][1] += way;
    assert!(is_kept(0.2, by(2, 0.0999)) && !is_kept(0.2, by(2, 0.1001)));
    assert!(is_kept(0.2, |row| (0..6).for_each(|i| row.positions[i][0] -= 0.0999)));
    // Growth counts as motion does.
    assert!(is_kept(0.2, |row| row.scales[3] = 1.199) && !is_kept(0.2, |row| row.scales[3] = 1.201));
    assert!(is_kept(0.2, |row| row.scales[3] = 0.1));
    assert!(!is_kept(0.2, |row| (row.scales[3], row.positions[3][1]) = (1.1, 0.0501)));
    // A ball that turns stays where it is; a ground that turns does not, and one that is static has no skin. It may sink, and slide.
    assert!(is_kept(0.2, |row| row.orientations[1] = [0.5; 4]));
    assert!(!is_kept(0.2, |row| row.orientations[6] = [1e-3, 0.0, 0.0, 1.0]));
    assert!(!is_kept(0.2, |row| row.positions[6][2] = 1e-6));
    assert!(is_kept(0.2, |row| row.positions[6] = [5.0, -3.0, -1.0]));
    // Its kind of motion is another one: nobody knows what was left out.
    assert!(!is_kept(0.2, |row| row.motions[6] = 1));
    assert!(!is_kept(0.2, |row| row.motions[0] = 2) && !is_kept(0.2, |row| row.kinds[0] = 1));
    assert!(!is_kept(0.2, |row| {
        row.positions.pop();
        row.motions.pop();
        row.kinds.pop();
        row.orientations.pop();
        row.scales.pop();
    }));
    assert!(!is_kept(0.0, |_| {}));
}

#[test]
fn without_a_skin_a_list_lasts_where_bodies_are_slow() {
    let shapes = [sphere(0.5, 0.0)];
    let (kinds, mut random) = (vec![0; 125], Random::new(71));
    let mut positions: Vec<_> = (0..125).map(|i| [i % 5, i / 5 % 5, i / 25].map(|k| 0.95 * f64::from(k))).collect();
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let mut ages = |steps: usize, way: f64, forget: bool| {
        (0..steps)
            .map(|_| {
                positions.iter_mut().for_each(|x| *x = add(*x, scale(way, random.direction())));
                if forget {
                    scene.forget_list().unwrap();
                }
                let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
                let list = scene.detect(&bodies).unwrap().list;
                (list.age, list.candidates)
            })
            .collect::<Vec<_>>()
    };
    // Nothing is known in the first step; then by how much bodies moved.
    let slow = ages(8, 1e-4, false);
    assert!(slow.iter().map(|(age, _)| *age).eq([0, 0, 1, 2, 3, 4, 5, 6]), "{slow:?}");
    assert!(slow[1].1 >= slow[0].1);
    // One that is forgotten is not made at once, and none where it would not last, for a while.
    assert!(ages(3, 1e-4, true).iter().all(|(age, _)| *age == 0));
    assert!(ages(6, 1e-4, false).iter().map(|(age, _)| *age).eq([0, 1, 2, 3, 4, 5]));
    assert!(ages(3, 0.1, false).iter().all(|(age, _)| *age == 0));
    assert!(ages(10, 1e-4, false).iter().all(|(age, _)| *age == 0));
    assert!(ages(10, 1e-4, false).iter().any(|(age, _)| *age > 0));
}

#[test]
fn pairs_that_come_from_afar_are_in_the_list_at_every_scale_and_place() {
    // Pairs that are up to the skin apart, each of which then moves by half of it to where they touch, just about.
    for (size, origin) in [(1.0, 0.0), (1e-3, 1.0), (1.0, 1e5), (1e4, 1e-3), (1e-150, 0.0), (1e-200, 0.0)] {
        let mut random = Random::new(70);
        let shapes = [sphere(1.0, 0.0)];
        let (kinds, scales) = (vec![0; 200], vec![size; 200]);
        let mut both = Both::new(&[0.5 * size]);
        let ways: Vec<_> = (0..100).map(|_| random.direction()).collect();
        let mut touching = 0;
        for part in [0.0, 0.5, 0.9999, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.1] {
            let mut positions = Vec::new();
            for (k, way) in ways.iter().enumerate() {
                let from = [origin + 10.0 * size * k as f64, origin, -origin];
                let apart = size * (2.0 + 0.5 * (1.0 - part));
                positions.extend([0.5, -0.5].map(|side| add(from, scale(side * apart, *way))));
            }
            let bodies = Bodies {
                scales: Some(Array::from_numbers(&scales)),
                ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
            };
            both.step(&bodies, [0.0; 3], &format!("{size} at {origin}, {part}"));
            touching += both.anew.view().unwrap().now().contacts().len();
        }
        assert!(touching > 100, "{touching}");
        assert!(both.kept() >= 2, "{size} at {origin}: {:?}", both.lists);
    }
}

#[test]
fn blocks_that_are_copied_grown_or_damaged_go_on() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut crowd = Crowd { periods: [12.0, 0.0, 0.0], ..Crowd::new(150, 5.0, 8) };
    let settings = Settings {
        room: dem_core::contact::Room { pairs: 40_000, terms: 40_000, segments: 20_000 },
        pair_contacts: 2000,
        periods: crowd.periods,
        skin: 0.5,
        ..Settings::default()
    };
    let sizes = SceneSizes {
        bodies: 150,
        candidates: 4000,
        contacts: 8000,
        nodes: 8000,
        posed: 0,
        levels: 4,
        margin_contacts: 0,
    };
    let larger = SceneSizes { bodies: 180, candidates: 5000, ..sizes };
    let mut scratch =
        Memory::new(detect_scratch(&larger, &crowd.bodies(&shapes, false), &settings, 1).unwrap()).unwrap();
    let mut step = |block: &mut [u8], crowd: &Crowd, skin: f64| {
        let mut scene = Scene::open(block).unwrap();
        if skin == 0.0 {
            scene.forget_list();
        }
        let settings = Settings { skin, ..settings };
        let bodies = crowd.bodies(&shapes, false);
        let found = scene.detect(&Serial, Isa::best(), &bodies, &settings, &mut scratch)?;
        Ok::<_, Error>((said(&scene.as_ref(), found), found.list))
    };
    let mut random = Random::new(5);
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    Scene::init(&mut block, &sizes).unwrap();
    for age in 0..3 {
        assert_eq!(step(&mut block, &crowd, 0.5).unwrap().1.age, age);
        crowd.stir(0.01, &mut random);
    }
    let copy = |block: &[u8]| {
        let mut copy = Memory::new(Layout { size: block.len(), align: 64 }).unwrap();
        copy.copy_from_slice(block);
        copy
    };
    let mut grown = Memory::new(Scene::layout(&larger).unwrap()).unwrap();
    Scene::grow(&block, &mut grown, &larger).unwrap();
    let (mut other, mut plain, before) = (copy(&block), copy(&block), copy(&block));
    let expected = step(&mut plain, &crowd, 0.0).unwrap();
    assert!(expected.0.found.persisting > 50 && expected.1.age == 0, "{:?}", expected.1);
    for (block, age) in [(&mut block, 3), (&mut other, 3), (&mut grown, 0)] {
        let found = step(block, &crowd, 0.5).unwrap();
        assert_eq!((&found.0, found.1.age), (&expected.0, age));
    }
    // Bytes that are none of a list's: an error, or an answer of some sort.
    for seed in 0..cases(50, 200) {
        let (mut random, mut damaged) = (Random::new(seed), copy(&before));
        for _ in 0..1 + seed % 50 {
            let at = 4096 + random.below(damaged.len() - 4096);
            damaged[at] = random.below(256) as u8;
        }
        _ = step(&mut damaged, &crowd, 0.5);
    }
}

#[test]
fn a_list_that_is_too_long_says_exactly_how_long_and_comes_with_that_room() {
    let shapes = [sphere(0.5, 0.0)];
    let mut random = Random::new(71);
    let positions: Vec<_> = (0..500).map(|_| random.in_cube(4.0)).collect();
    let kinds = vec![0; 500];
    let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
    let mut sizes =
        SceneSizes { bodies: 500, candidates: 0, contacts: 0, nodes: 0, posed: 0, levels: 3, margin_contacts: 0 };
    let settings = Settings { skin: 0.3, ..Settings::default() };
    let step = |block: &mut Memory, sizes: &SceneSizes, settings: &Settings| {
        let mut scratch = Memory::new(detect_scratch(sizes, &bodies, settings, 1).unwrap()).unwrap();
        Scene::open(block).unwrap().detect(&Serial, Isa::best(), &bodies, settings, &mut scratch)
    };
    let fresh = |sizes: &SceneSizes| {
        let mut block = Memory::new(Scene::layout(sizes).unwrap()).unwrap();
        Scene::init(&mut block, sizes).unwrap();
        block
    };
    let e = step(&mut fresh(&sizes), &sizes, &settings).unwrap_err();
    assert_eq!((e.kind, e.what, e.given), (Kind::Capacity, What::Candidates, 0));
    sizes.candidates = e.needed as u32;
    let e = step(&mut fresh(&sizes), &sizes, &settings).unwrap_err();
    assert_eq!((e.kind, e.what, e.given), (Kind::Capacity, What::Contacts, 0));
    sizes.contacts = e.needed as u32;
    let mut block = fresh(&sizes);
    let found = step(&mut block, &sizes, &settings).unwrap();
    assert_eq!(
        (found.list, found.contacts),
        (List { candidates: sizes.candidates as usize, age: 0 }, sizes.contacts as usize)
    );
    assert!(found.list.candidates > found.candidates + 100, "{found:?}");
    assert_eq!(step(&mut block, &sizes, &settings).unwrap().list.age, 1);
    // One less is one too few; without a skin there is room.
    let short = SceneSizes { candidates: sizes.candidates - 1, ..sizes };
    let mut block = fresh(&short);
    let e = step(&mut block, &short, &settings).unwrap_err();
    assert_eq!((e.needed, e.given), (u64::from(sizes.candidates), u64::from(short.candidates)));
    let plain = step(&mut block, &short, &Settings { skin: 0.0, ..settings }).unwrap();
    assert_eq!((plain.contacts, plain.candidates), (found.contacts, found.candidates));
    for (skin, kind) in [(-1.0, Kind::OutOfRange), (f64::NAN, Kind::NotFinite), (f64::INFINITY, Kind::NotFinite)] {
        let e = step(&mut block, &short, &Settings { skin, ..settings }).unwrap_err();
        assert_eq!((e.kind, e.what), (kind, What::Skin));
    }
}
