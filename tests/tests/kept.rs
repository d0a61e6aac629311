//! Scenes whose lists of candidates live for several steps find what those find that make them anew, whatever happens between.

use dem_core::array::{Array, Words};
use dem_core::contact::shape::Shape;
use dem_core::detect::{Bodies, Detected, List, Scene, SceneRef, SceneSizes, Settings, detect_scratch};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_core::memory::{Layout, hash_items};
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, scale};

/// All that a step says, but for how candidates were found.
#[derive(Debug, PartialEq)]
struct Said {
    found: Detected,
    hashes: [u64; 4],
}

fn said(view: &SceneRef<'_>, found: Detected) -> Said {
    let now = view.now();
    let hashes = [
        hash_items(0, now.contacts()),
        hash_items(0, now.couples()),
        hash_items(0, view.links()),
        hash_items(0, view.all_touches()),
    ];
    Said { found: Detected { list: List::default(), ..found }, hashes }
}

/// Scenes that make lists anew and scenes that keep them, side by side.
struct Both {
    anew: OwnedScene,
    kept: Vec<OwnedScene>,
    lists: Vec<List>,
    errors: usize,
}

impl Both {
    fn new(skins: &[f64]) -> Self {
        let scene = |k: usize, skin| {
            let mut scene = OwnedScene::new(Threads::new([1, 2, 3, 8][k % 4]).unwrap());
            (scene.settings.skin, scene.settings.bound) = (skin, 0.3);
            scene.isa = Isa::list()[k % Isa::list().len()];
            scene
        };
        let kept = skins.iter().enumerate().map(|(k, skin)| scene(k, *skin)).collect();
        Both { anew: scene(1, 0.0), kept, lists: Vec::new(), errors: 0 }
    }

    fn step(&mut self, bodies: &Bodies<'_>, periods: [f64; 3], case: &str) {
        self.anew.settings.periods = periods;
        let expected = self.anew.detect(bodies);
        self.errors += usize::from(expected.is_err());
        if let Ok(found) = expected {
            assert_eq!(found.list, List { candidates: found.candidates, age: 0 });
        }
        for scene in &mut self.kept {
            scene.settings.periods = periods;
            let found = scene.detect(bodies);
            let case = format!("{case}, skin {}", scene.settings.skin);
            match (found, expected) {
                (Ok(found), Ok(expected)) => {
                    let expected = said(&self.anew.view().unwrap(), expected);
                    assert_eq!(said(&scene.view().unwrap(), found), expected, "{case}: {found:?}");
                    assert!(found.list.candidates >= found.candidates, "{case}");
                    self.lists.push(found.list);
                }
                (found, expected) => assert_eq!(found, expected, "{case}"),
            }
        }
    }

    fn kept(&self) -> usize {
        self.lists.iter().filter(|list| list.age > 0).count()
    }
}

fn turn(q: [f64; 4], by: f64, random: &mut Random) -> [f64; 4] {
    let mut q = q;
    q.iter_mut().for_each(|x| *x += by * (random.unit() - 0.5));
    q
}

/// One of the things that may happen to a crowd between two steps, by its number.
fn happen(crowd: &mut Crowd, what: usize, random: &mut Random) {
    let n = crowd.kinds.len();
    let i = random.below(n);
    match what {
        0 => crowd.positions[i] = random.in_cube(4.0),
        1 => crowd.scales[i] = crowd.scales[i].min(1.0) * random.range(0.5, 1.5),
        // Huge, or no longer.
        2 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] == 4) {
                crowd.scales[i] = if crowd.scales[i] > 1.0 { 0.3 } else { 1.7 };
            }
        }
        3 => crowd.kinds[i] = random.below(5) as u32,
        4 => crowd.groups[i] = [0, 1, 2, 3, u32::MAX][random.below(5)],
        5 => crowd.masks[i] = [0, 1, 2, 3, u32::MAX][random.below(5)],
        6 => crowd.motions[i] = random.below(3) as u32,
        7 => crowd.halos[i] = random.range(0.0, 0.5),
        8 => crowd.generations[i] += 1,
        9 => crowd.orientations[i] = random.rotation(),
        // The last one goes, or another one comes.
        10 => {
            let one = Crowd::new(60, 4.0, random.below(1000) as u64);
            let k = random.below(60);
            let more = random.below(2) == 0;
            macro_rules! change {
                ($($field:ident),*) => { $( if more { crowd.$field.push(one.$field[k]) } else { _ = crowd.$field.pop() } )* };
            }
            change!(kinds, positions, orientations, scales, motions, groups, masks, generations, halos);
        }
        // All that have no end, or are huge, move and turn a little.
        11 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] >= 3) {
                crowd.positions[i] = add(crowd.positions[i], scale(0.02, random.direction()));
                crowd.orientations[i] = turn(crowd.orientations[i], 1e-3, random);
            }
        }
        12 => {
            for i in (0..n).filter(|i| i % 3 == 0 && crowd.kinds[*i] != 3) {
                crowd.positions[i] =
                    [0, 1, 2].map(|k| crowd.positions[i][k] + crowd.periods[k] * (random.below(5) as f64 - 2.0));
            }
        }
        13 => {
            for i in (0..n).filter(|i| crowd.kinds[*i] == 3) {
                crowd.orientations[i] = turn(crowd.orientations[i], 1e-16, random);
            }
        }
        _ => {}
    }
}

#[test]
fn a_kept_list_changes_nothing_whatever_happens() {
    let (stock, other) = (Stock::new(), Stock::bumpier());
    let (surfaces, others) = (stock.surfaces(), other.surfaces());
    let (own, own_others) = (parts(&surfaces), parts(&others));
    // Where surfaces are refitted between two steps.
    let tables = [shapes(&surfaces, &own), shapes(&others, &own_others)];
    let spaces = [[0.0; 3], [9.0, 0.0, 0.0], [8.0, 0.0, 9.5], [8.0, 7.0, 9.0]];
    for (round, periods) in spaces.into_iter().enumerate() {
        let mut random = Random::new(50 + round as u64);
        let mut crowd = Crowd { periods, ..Crowd::new(80, 3.5, 40 + round as u64) };
        let mut both = Both::new(&[0.02, 0.3, 3.0, 1e300]);
        let mut table = 0;
        let mut away = None;
        for step in 0..70 {
            let case = format!("periods {periods:?}, step {step}");
            if step % 3 == 2 {
                happen(&mut crowd, random.below(14), &mut random);
            }
            match step % 40 {
                // Somewhere else, and back.
                10 => {
                    away = Some(crowd.positions.clone());
                    crowd.positions.iter_mut().for_each(|x| *x = random.in_cube(4.0));
                }
                11 => {
                    crowd.positions = away
                        .take()
                        .unwrap_or_default()
                        .into_iter()
                        .chain(crowd.positions.clone())
                        .take(crowd.kinds.len())
                        .collect()
                }
                20 => {
                    let mut bad = crowd.clone();
                    bad.positions[step % 40][1] = f64::NAN;
                    both.step(&bad.bodies(&tables[table], round % 2 == 1), periods, &case);
                    bad.positions[step % 40][1] = 1e300;
                    both.step(&bad.bodies(&tables[table], round % 2 == 1), periods, &case);
                }
                25 => table = 1 - table,
                30 => both.kept.iter_mut().for_each(|scene| scene.settings.skin *= 0.75),
                // Another box for a step.
                35 => both.step(&crowd.bodies(&tables[table], false), periods.map(|p| 1.25 * p), &case),
                _ => {}
            }
            both.step(&crowd.bodies(&tables[table], round % 2 == 1), periods, &case);
            crowd.stir([1e-3, 1e-9, 0.01][step / 10 % 3], &mut random);
        }
        let (kept, all) = (both.kept(), both.lists.len());
        assert!(kept > all / 4 && kept < all * 4 / 5, "{periods:?}: {kept} of {all}");
        assert_eq!(both.errors, 4, "{periods:?}");
    }
}

/// Grains among walls of all sorts: half-spaces, one of them across a periodic axis, a compound with one, and plates, which are huge.
struct Walls {
    kinds: Vec<u32>,
    positions: Vec<[f64; 3]>,
    orientations: Vec<[f64; 4]>,
    motions: Vec<u32>,
}

impl Walls {
    const GRAINS: usize = 250;

    fn new(random: &mut Random) -> Self {
        let mut walls = Walls {
            kinds: vec![0; Walls::GRAINS],
            positions: (0..Walls::GRAINS).map(|_| random.in_cube(2.0)).collect(),
            orientations: vec![[0.0, 0.0, 0.0, 1.0]; Walls::GRAINS],
            motions: vec![0; Walls::GRAINS],
        };
        let root = 0.5f64.sqrt();
        for (kind, position, orientation, motion) in [
            (1, [0.0, 0.0, -1.9], [0.0, 0.0, 0.0, 1.0], 1),
            (1, [-1.0, 0.0, 0.0], [0.0, root, 0.0, root], 1),
            (2, [0.0, 0.0, -3.0], [0.0, 0.0, 0.0, 1.0], 1),
            (3, [0.3, -0.2, 0.0], [0.0, 0.0, 0.0, 1.0], 0),
            (3, [0.0, 0.5, 0.5], [0.3, 0.0, 0.0, 1.0], 1),
        ] {
            walls.kinds.push(kind);
            walls.positions.push(position);
            walls.orientations.push(orientation);
            walls.motions.push(motion);
        }
        walls
    }

    /// Moves grains, half-spaces or plates, or nobody, and bodies by whole periods where that is what happens.
    fn stir(&mut self, mode: usize, periods: [f64; 3], random: &mut Random) {
        let (grains, endless, plates) =
            (0..Walls::GRAINS, Walls::GRAINS..Walls::GRAINS + 3, Walls::GRAINS + 3..self.kinds.len());
        let mut shift = |i: usize, way: f64, random: &mut Random| {
            self.positions[i] = add(self.positions[i], scale(way * random.unit(), random.direction()));
        };
        match mode {
            5 => grains.for_each(|i| shift(i, 0.02, random)),
            1 => endless.for_each(|i| shift(i, 0.15, random)),
            2 => endless.for_each(|i| self.orientations[i] = turn(self.orientations[i], 0.02, random)),
            3 => plates.for_each(|i| shift(i, 0.1, random)),
            4 => plates.for_each(|i| self.orientations[i] = turn(self.orientations[i], 0.04, random)),
            _ => {
                for i in grains.chain(plates).filter(|i| i % 4 == 0) {
                    self.positions[i] =
                        [0, 1, 2].map(|k| self.positions[i][k] + periods[k] * (random.below(7) as f64 - 3.0));
                }
            }
        }
    }

    fn bodies<'a>(&'a self, shapes: &'a [Shape<'a>]) -> Bodies<'a> {
        Bodies {
            orientations: Some(Array::from_quaternions(&self.orientations)),
            motions: Some(Words::from_slice(&self.motions)),
            ..Bodies::new(shapes, Words::from_slice(&self.kinds), Array::from_f64(&self.positions))
        }
    }
}

#[test]
fn walls_that_sink_tilt_and_turn_and_bodies_that_are_wrapped_lose_no_pair() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([2, 2], [3.0, 3.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.01);
    let surface = dem_tests::shapes::surface(&plate, false);
    let parts = [dem_tests::shapes::part(dem_tests::shapes::ground(0.01), [0.0; 3])];
    let grain = sphere(0.1, 0.01);
    let shapes = [grain, dem_tests::shapes::ground(0.01), Shape::Compound(&parts), Shape::Mesh(&surface)];
    for (round, periods) in [[0.0; 3], [0.0, 6.0, 0.0], [5.0, 6.0, 0.0]].into_iter().enumerate() {
        let mut random = Random::new(60 + round as u64);
        let mut walls = Walls::new(&mut random);
        let mut both = Both::new(&[0.1, 0.4]);
        for step in 0..120 {
            let case = format!("periods {periods:?}, step {step}");
            if step % 60 == 8 && periods[1] > 0.0 {
                // Beyond what there is room for, by so many periods that nothing else has changed; a plate with its edge only.
                for (i, way) in [(5, 5000.0 * 6.0), (Walls::GRAINS + 3, 4096.0 * 6.0)] {
                    both.step(&walls.bodies(&shapes), periods, &case);
                    let before = walls.positions[i];
                    walls.positions[i][1] += way;
                    both.step(&walls.bodies(&shapes), periods, &case);
                    walls.positions[i] = before;
                }
            }
            both.step(&walls.bodies(&shapes), periods, &case);
            walls.stir(step / 10 % 6, periods, &mut random);
        }
        let (kept, all) = (both.kept(), both.lists.len());
        assert!(kept > all / 4, "{periods:?}: {kept} of {all}");
        assert_eq!(both.errors, if periods[1] > 0.0 { 4 } else { 0 });
    }
}

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
        couple_contacts: 2000,
        periods: crowd.periods,
        skin: 0.5,
        ..Settings::default()
    };
    let sizes = SceneSizes { bodies: 150, candidates: 4000, contacts: 8000, levels: 4 };
    let larger = SceneSizes { bodies: 180, candidates: 5000, ..sizes };
    let mut scratch =
        Memory::new(detect_scratch(&larger, &crowd.bodies(&shapes, false), &settings, 1).unwrap()).unwrap();
    let mut step = |block: &mut [u8], crowd: &Crowd, skin: f64| {
        let mut scene = Scene::open(block).unwrap();
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
    for seed in 0..200 {
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
    let mut sizes = SceneSizes { bodies: 500, candidates: 0, contacts: 0, levels: 3 };
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
