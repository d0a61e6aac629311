//! Scenes: all contacts of all bodies, against every pair of bodies one after the other.

use dem_core::array::{Array, Words};
use dem_core::contact::Contact;
use dem_core::contact::history::{END, Event, carry};
use dem_core::detect::{Bodies, Detected, Scene, SceneRef, SceneSizes, Settings, detect_scratch};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::memory::Layout;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes, slow_links};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::{add, cross, scale, sub};

fn assert_equal(found: &[Contact], expected: &[Contact], case: &str) {
    if let Some(i) = found.iter().zip(expected).position(|(x, y)| x != y) {
        panic!("{case}: contact {i} of {} and {}: {:?} {:?}", found.len(), expected.len(), found[i], expected[i]);
    }
    assert_eq!(found.len(), expected.len(), "{case}");
}

/// Steps of a crowd, each held against brute force.
fn follow(mut crowd: Crowd, own_halos: bool, case: &str) -> usize {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    (scene.settings.periods, scene.settings.bound) = (crowd.periods, 0.3);
    let mut random = Random::new(99);
    let mut last = (Vec::new(), Vec::new());
    let mut springs: Vec<[f64; 3]> = Vec::new();
    let mut seen = 0;
    for step in 0..4 {
        let found = scene.detect(&crowd.bodies(&shapes, own_halos)).unwrap();
        let now = crowd.slow(&shapes, own_halos);
        let view = scene.view().unwrap();
        assert_equal(view.now().contacts(), &now.0, &format!("{case}, step {step}"));
        let (links, events) = slow_links(&last, &now, 0.3);
        assert_eq!(view.links(), &links[..], "{case}, step {step}");
        assert_history(&view, &events);
        let (mut carried, mut expected) = (vec![[f64::NAN; 3]; now.0.len()], vec![[0.0; 3]; now.0.len()]);
        view.carry(&Threads::new(3).unwrap(), &springs, &mut carried).unwrap();
        carry(&(&last.0[..], &last.1[..]), &(&now.0[..], &now.1[..]), &links, &springs, &mut expected).unwrap();
        assert_eq!(carried, expected, "{case}, step {step}");
        // Something that is not in the plane of the contact, and is not the same for all.
        springs = carried.iter().enumerate().map(|(i, v)| add(*v, [1.0, 0.1 * i as f64, -0.3])).collect();
        let going = links.iter().filter(|link| link.origin != u32::MAX).count();
        assert_eq!((found.contacts, found.persisting), (now.0.len(), going));
        assert_eq!((found.couples, view.now().couples().len()), (now.1.len(), now.1.len()));
        assert_couples(&view);
        assert!(step == 0 || going > 0, "{case}: nothing goes on");
        seen += found.contacts;
        last = now;
        crowd.stir(0.2, &mut random);
    }
    seen
}

/// Events are those of all contacts in one go, and need just as much room; what is gone has no successor.
fn assert_history(view: &SceneRef<'_>, expected: &[Event]) {
    let mut events = vec![Event::default(); expected.len()];
    assert_eq!(view.events(&mut events), Ok(expected.len()));
    assert_eq!(events, expected);
    if let Some((_, less)) = events.split_last_mut() {
        let short = view.events(less).unwrap_err();
        assert_eq!((short.kind, short.what, short.needed), (Kind::Capacity, What::Events, expected.len() as u64));
    }
    let mut ended: Vec<_> = expected.iter().filter(|e| e.contact == END).map(|e| e.last as usize).collect();
    ended.sort_unstable();
    let gone: Vec<_> = (0..view.last().contacts().len()).filter(|i| view.successors()[*i] == u32::MAX).collect();
    assert_eq!(ended, gone);
}

/// Couples name their contacts, and bodies theirs.
fn assert_couples(view: &SceneRef<'_>) {
    let now = view.now();
    let mut of_bodies = vec![Vec::new(); now.poses().len()];
    let mut end = 0;
    for couple in now.couples() {
        assert_eq!(couple.first, end);
        end = couple.end;
        assert!(couple.first < end && couple.a <= couple.b);
        for i in couple.first..end {
            assert_eq!(now.contacts()[i as usize].key[0], couple.tag);
            of_bodies[couple.a as usize].push((0, i));
            of_bodies[couple.b as usize].push((1, i));
        }
    }
    assert_eq!(end as usize, now.contacts().len());
    for (i, expected) in of_bodies.iter_mut().enumerate() {
        expected.sort_unstable();
        let found: Vec<_> = view.touches(i).iter().map(|t| (u32::from(t.is_b()), t.contact() as u32)).collect();
        assert_eq!(&found, expected, "body {i}");
    }
}

#[test]
fn contacts_are_those_of_all_pairs_one_by_one() {
    let mut seen = 0;
    for (seed, n, half) in [(1, 60, 2.0), (2, 150, 4.0), (3, 300, 7.0)] {
        seen += follow(Crowd::new(n, half, seed), false, &format!("open {seed}"));
        seen += follow(Crowd::new(n, half, seed + 10), true, &format!("own halos {seed}"));
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn periodic_images_are_contacts_too_and_survive_being_wrapped() {
    for (seed, periods) in [(4, [9.0, 0.0, 0.0]), (5, [8.0, 9.0, 0.0]), (6, [8.0, 7.0, 9.0])] {
        let crowd = Crowd { periods, ..Crowd::new(120, 4.0, seed) };
        assert!(follow(crowd, seed == 5, &format!("periodic {seed}")) > 100);
    }
}

#[test]
fn a_body_touches_its_own_image() {
    let shapes = [sphere(0.5, 0.05)];
    let (kinds, positions) = ([0], [[0.3, 5.0, 7.0]]);
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.periods = [1.02, 0.0, 0.0];
    let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
    assert_eq!(scene.detect(&bodies).unwrap().contacts, 1);
    let view = scene.view().unwrap();
    let (contact, couple) = (view.now().contacts()[0], view.now().couples()[0]);
    assert_eq!((couple.a, couple.b, couple.shift, contact.normal), (0, 0, [1, 0, 0], [-1.0, 0.0, 0.0]));
    assert!((contact.least_gap - 0.02).abs() < 1e-12 && (contact.position[0] - 0.81).abs() < 1e-12);
    // Neither a force nor a torque comes of it.
    let mut out = [Default::default(); 1];
    view.wrenches(&Serial, Array::from_f64(&[[-2.0, 0.5, 0.0]]), None, None, &mut out).unwrap();
    assert_eq!(out[0].force, [0.0; 3]);
    // Two equal forces on opposite sides do turn it.
    assert!((out[0].torque[2] - 0.51 * 0.5 * 2.0).abs() < 1e-12, "{:?}", out[0]);
}

/// Runs every lane a few times, or none at all.
struct Faulty(usize);

impl Executor for Faulty {
    fn width(&self) -> usize {
        3
    }

    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync)) {
        (0..self.0).for_each(|_| (0..lanes).rev().for_each(lane));
    }
}

#[test]
fn workers_instruction_sets_copies_and_room_change_no_bit() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut crowd = Crowd { periods: [0.0, 0.0, 20.0], ..Crowd::new(400, 8.0, 7) };
    let threads = |n| -> Box<dyn Executor + Send> { Box::new(Threads::new(n).unwrap()) };
    let mut scenes: Vec<(String, OwnedScene)> = Vec::new();
    scenes.push(("serial".into(), OwnedScene::with_executor(Box::new(Serial))));
    for n in [2, 3, 8] {
        scenes.push((format!("{n} threads"), OwnedScene::with_executor(threads(n))));
    }
    for n in [0, 2] {
        scenes.push((format!("every lane {n} times"), OwnedScene::with_executor(Box::new(Faulty(n)))));
    }
    for isa in Isa::list() {
        let mut scene = OwnedScene::with_executor(Box::new(Serial));
        scene.isa = *isa;
        scenes.push((format!("{isa:?}"), scene));
    }
    let mut random = Random::new(3);
    for step in 0..3 {
        let mut first: Option<(Detected, Vec<Contact>, u64)> = None;
        for (name, scene) in &mut scenes {
            scene.settings.periods = crowd.periods;
            let found = scene.detect(&crowd.bodies(&shapes, false)).unwrap();
            let view = scene.view().unwrap();
            let hash =
                dem_core::memory::hash_items(0, view.links()) ^ dem_core::memory::hash_items(1, view.all_touches());
            let all = (found, view.now().contacts().to_vec(), hash);
            match &first {
                None => first = Some(all),
                Some(first) => assert!(*first == all, "{name}, step {step}"),
            }
        }
        crowd.stir(0.3, &mut random);
    }
}

#[test]
fn touches_of_many_bodies_are_those_of_the_list() {
    let mut random = Random::new(31);
    let shapes = [sphere(0.5, 0.01)];
    // The last ones touch nothing.
    let mut positions: Vec<_> = (0..5000).map(|_| random.in_cube(6.0)).collect();
    positions.extend((0..3000).map(|i| [100.0 + 2.0 * f64::from(i), 0.0, 0.0]));
    let kinds = vec![0; positions.len()];
    for threads in [1, 3] {
        let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
        let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
        assert!(scene.detect(&bodies).unwrap().contacts > 5000);
        let view = scene.view().unwrap();
        let mut expected = vec![Vec::new(); positions.len()];
        for is_b in [false, true] {
            for couple in view.now().couples() {
                let body = if is_b { couple.b } else { couple.a };
                expected[body as usize].extend((couple.first..couple.end).map(|contact| (contact as usize, is_b)));
            }
        }
        for (i, expected) in expected.iter().enumerate() {
            let found: Vec<_> = view.touches(i).iter().map(|t| (t.contact(), t.is_b())).collect();
            assert_eq!(found, *expected, "body {i}, {threads} threads");
        }
    }
}

#[test]
fn a_copy_or_a_larger_block_goes_on_where_the_first_was() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut crowd = Crowd::new(200, 5.0, 8);
    let settings = Settings {
        room: dem_core::contact::Room { pairs: 40_000, terms: 40_000, segments: 20_000 },
        couple_contacts: 2000,
        ..Settings::default()
    };
    let sizes = SceneSizes { bodies: 200, candidates: 4000, contacts: 8000, levels: 4 };
    let mut scratch =
        Memory::new(detect_scratch(&sizes, &crowd.bodies(&shapes, false), &settings, 2).unwrap()).unwrap();
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    let mut step = |block: &mut [u8], crowd: &Crowd| {
        let mut scene = Scene::open(block).unwrap();
        let found = scene.detect(&Serial, Isa::best(), &crowd.bodies(&shapes, false), &settings, &mut scratch).unwrap();
        (found, scene.as_ref().now().contacts().to_vec(), scene.as_ref().links().to_vec())
    };
    Scene::init(&mut block, &sizes).unwrap();
    step(&mut block, &crowd);
    crowd.stir(0.2, &mut Random::new(5));
    let mut copy = Memory::new(Layout { size: block.len(), align: 64 }).unwrap();
    copy.copy_from_slice(&block);
    let larger = SceneSizes { bodies: 300, contacts: 9000, ..sizes };
    let mut grown = Memory::new(Scene::layout(&larger).unwrap()).unwrap();
    Scene::grow(&block, &mut grown, &larger).unwrap();
    let expected = step(&mut block, &crowd);
    assert!(expected.0.persisting > 50, "{:?}", expected.0);
    assert!(step(&mut copy, &crowd) == expected, "the copy");
    // Scratch for larger sizes: of its own.
    let mut scratch =
        Memory::new(detect_scratch(&larger, &crowd.bodies(&shapes, false), &settings, 1).unwrap()).unwrap();
    let mut scene = Scene::open(&mut grown).unwrap();
    let found = scene.detect(&Serial, Isa::best(), &crowd.bodies(&shapes, false), &settings, &mut scratch).unwrap();
    assert!(
        (found, scene.as_ref().now().contacts().to_vec(), scene.as_ref().links().to_vec()) == expected,
        "the larger one"
    );
}

#[test]
fn too_little_room_names_exactly_what_would_do_and_loses_nothing() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut crowd = Crowd::new(150, 4.0, 9);
    let generous = {
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        scene.detect(&crowd.bodies(&shapes, false)).unwrap();
        crowd.stir(0.1, &mut Random::new(6));
        let found = scene.detect(&crowd.bodies(&shapes, false)).unwrap();
        (found, scene.view().unwrap().links().to_vec())
    };
    let mut crowd = Crowd::new(150, 4.0, 9);
    let mut settings = Settings { couple_contacts: 0, ..Settings::default() };
    settings.room = dem_core::contact::Room { pairs: 0, terms: 0, segments: 0 };
    let mut sizes = SceneSizes { bodies: 150, candidates: 0, contacts: 0, levels: 3 };
    let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
    Scene::init(&mut block, &sizes).unwrap();
    let mut met = Vec::new();
    for step in 0..2 {
        let found = loop {
            let bodies = crowd.bodies(&shapes, false);
            let mut scratch = Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap();
            let mut scene = Scene::open(&mut block).unwrap();
            let before = scene.as_ref().now().contacts().to_vec();
            match scene.detect(&Serial, Isa::best(), &bodies, &settings, &mut scratch) {
                Ok(found) => break found,
                Err(e) => {
                    assert_eq!((e.kind, step), (Kind::Capacity, 0), "{e}");
                    assert!(e.needed > e.given, "{e:?}");
                    assert!(before == scene.as_ref().now().contacts());
                    match e.what {
                        What::Candidates => sizes.candidates = e.needed as u32,
                        What::Contacts => sizes.contacts = e.needed as u32,
                        What::Pairs => settings.room.pairs = e.needed as usize,
                        What::Terms => settings.room.terms = e.needed as usize,
                        What::Segments => settings.room.segments = e.needed as usize,
                        What::Output => settings.couple_contacts = e.needed as u32,
                        other => panic!("{other:?}"),
                    }
                    met.push(e.what);
                    let mut larger = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
                    Scene::grow(&block, &mut larger, &sizes).unwrap();
                    block = larger;
                }
            }
        };
        if step == 0 {
            assert_eq!(sizes.candidates as usize, found.candidates);
            assert_eq!(sizes.contacts as usize, found.contacts);
            // As much again for the next step, which may need a little more.
            sizes = SceneSizes { candidates: 2 * sizes.candidates, contacts: 2 * sizes.contacts, ..sizes };
            let Settings { room, couple_contacts, .. } = &mut settings;
            (room.pairs, room.terms, room.segments) = (2 * room.pairs, 2 * room.terms, 2 * room.segments);
            *couple_contacts *= 2;
            let mut larger = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
            Scene::grow(&block, &mut larger, &sizes).unwrap();
            block = larger;
            crowd.stir(0.1, &mut Random::new(6));
        } else {
            assert_eq!(found, generous.0);
        }
    }
    assert_eq!(SceneRef::peek(&block).unwrap().links(), &generous.1[..]);
    for what in [What::Candidates, What::Pairs, What::Terms, What::Segments, What::Output, What::Contacts] {
        assert_eq!(met.iter().filter(|met| **met == what).count(), 1, "{what:?} of {met:?}");
    }
}

#[test]
fn bodies_come_and_go_and_a_place_that_is_given_away_inherits_nothing() {
    let shapes = [sphere(0.5, 0.05)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let mut detect = |positions: &[[f64; 3]], generations: &[u32]| {
        let kinds = vec![0; positions.len()];
        let bodies = Bodies {
            generations: Some(Words::from_slice(generations)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions))
        };
        let found = scene.detect(&bodies).unwrap();
        (found.contacts, found.persisting)
    };
    let row = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    assert_eq!(detect(&[], &[]), (0, 0));
    assert_eq!(detect(&row, &[0; 4]), (3, 0));
    assert_eq!(detect(&row[..3], &[0; 3]), (2, 2));
    assert_eq!(detect(&row, &[0; 4]), (3, 2));
    assert_eq!(detect(&row, &[0, 1, 0, 0]), (3, 1));
    assert_eq!(detect(&row[..1], &[0]), (0, 0));
    assert_eq!(detect(&[], &[]), (0, 0));
}

#[test]
fn wrenches_are_sums_over_contacts() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let crowd = Crowd { periods: [9.0, 0.0, 0.0], ..Crowd::new(200, 4.5, 11) };
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    scene.settings.periods = crowd.periods;
    scene.detect(&crowd.bodies(&shapes, false)).unwrap();
    let view = scene.view().unwrap();
    let contacts = view.now().contacts();
    let forces: Vec<_> = contacts.iter().map(|c| scale((1.0 - c.gap / c.halo) * c.area, c.normal)).collect();
    let torques: Vec<_> = contacts.iter().map(|c| c.couple).collect();
    let mut out = vec![Default::default(); crowd.kinds.len()];
    let (f, t) = (Array::from_f64(&forces), Array::from_f64(&torques));
    view.wrenches(&Threads::new(3).unwrap(), f, Some(t), None, &mut out).unwrap();
    let mut expected = vec![([0.0; 3], [0.0; 3]); out.len()];
    for couple in view.now().couples() {
        for i in couple.first as usize..couple.end as usize {
            let (p, shift) = (contacts[i].position, couple.shift.map(f64::from));
            let b = crowd.positions[couple.b as usize];
            let b = [0, 1, 2].map(|k| b[k] + shift[k] * crowd.periods[k]);
            for (body, own, side) in [(couple.a, crowd.positions[couple.a as usize], 1.0), (couple.b, b, -1.0)] {
                let (force, torque) = &mut expected[body as usize];
                let f = scale(side, forces[i]);
                *force = add(*force, f);
                *torque = add(*torque, add(cross(sub(p, own), f), scale(side, torques[i])));
            }
        }
    }
    let size = forces.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    for (found, (force, torque)) in out.iter().zip(&expected) {
        for k in 0..3 {
            assert!(
                (found.force[k] - force[k]).abs() < 1e-12 * size && (found.torque[k] - torque[k]).abs() < 1e-11 * size
            );
        }
    }
    let short = view.wrenches(&Serial, f, None, None, &mut out[1..]).unwrap_err();
    assert_eq!((short.kind, short.what, short.needed), (Kind::Capacity, What::Output, 200));
    let short = view.wrenches(&Serial, Array::from_f64(&forces[1..]), None, None, &mut out).unwrap_err();
    assert_eq!((short.kind, short.what), (Kind::Mismatch, What::Forces));
}

#[test]
fn vectors_need_one_for_each_contact_of_both_steps() {
    let shapes = [sphere(0.5, 0.05)];
    let positions = [[0.0; 3], [1.02, 0.0, 0.0], [2.04, 0.0, 0.0]];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    for n in [3, 2] {
        scene.detect(&Bodies::new(&shapes, Words::from_slice(&[0; 3][..n]), Array::from_f64(&positions[..n]))).unwrap();
    }
    let view = scene.view().unwrap();
    let mut vectors = [[7.0; 3]; 2];
    for (of_last, now, what) in [(1, 1, What::LastVectors), (2, 2, What::Vectors)] {
        let e = view.carry(&Serial, &[[1.0; 3]; 2][..of_last], &mut vectors[..now]).unwrap_err();
        assert_eq!((e.kind, e.what, vectors), (Kind::Mismatch, what, [[7.0; 3]; 2]));
    }
    view.carry(&Serial, &[[1.0, 2.0, 0.0]; 2], &mut vectors[..1]).unwrap();
    let length = 5.0f64.sqrt();
    assert!((vectors[0][1] - length).abs() < 1e-15 && vectors[0][0] == 0.0, "{:?}", vectors[0]);
    // A step that fails takes the one before the last with it.
    let nowhere = [[f64::NAN; 3]; 2];
    scene.detect(&Bodies::new(&shapes, Words::from_slice(&[0; 2]), Array::from_f64(&nowhere))).unwrap_err();
    let (view, mut events) = (scene.view().unwrap(), [Event::default(); 2]);
    assert_eq!((view.now().contacts().len(), view.last().contacts().len(), view.successors().len()), (1, 0, 0));
    assert_eq!(view.events(&mut events), Ok(1));
    view.carry(&Serial, &[], &mut vectors[..1]).unwrap();
    assert_eq!(vectors[0], [0.0; 3]);
}

#[test]
fn senseless_bodies_are_an_error_that_says_which() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let good = Crowd::new(9000, 30.0, 12);
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    let nan = f64::NAN;
    type Spoil<'s> = &'s dyn Fn(&mut Crowd);
    let cases: [(Spoil<'_>, Kind, What, u64, u32); 10] = [
        (&|c| c.positions[8000][1] = nan, Kind::NotFinite, What::Positions, 8000, 1),
        (&|c| c.orientations[5000] = [0.0; 4], Kind::OutOfRange, What::Orientations, 5000, 3),
        (&|c| c.orientations[5][2] = f64::INFINITY, Kind::NotFinite, What::Orientations, 5, 2),
        (&|c| c.scales[4096] = 0.0, Kind::OutOfRange, What::Scales, 4096, 0),
        (&|c| c.scales[7] = nan, Kind::NotFinite, What::Scales, 7, 0),
        (&|c| c.halos[8999] = -1.0, Kind::OutOfRange, What::Halos, 8999, 0),
        (&|c| c.kinds[0] = 5, Kind::BadIndex, What::ShapeNumbers, 0, 0),
        (&|c| c.motions[8] = 3, Kind::OutOfRange, What::Motions, 8, 0),
        (&|c| (c.scales[8], c.positions[9][0]) = (-1.0, nan), Kind::OutOfRange, What::Scales, 8, 0),
        (&|c| _ = c.masks.pop(), Kind::Mismatch, What::Masks, 0, 0),
    ];
    for (spoil, kind, what, index, component) in cases {
        let mut crowd = good.clone();
        spoil(&mut crowd);
        let e = scene.detect(&crowd.bodies(&shapes, true)).unwrap_err();
        assert_eq!((e.kind, e.what, e.index, e.component), (kind, what, index, component), "{e}");
    }
    let nested = [dem_core::contact::shape::Shape::Compound(&parts)];
    let outer = [dem_tests::shapes::part(nested[0], [0.0; 3])];
    let bad = [sphere(1.0, 0.0), dem_core::contact::shape::Shape::Compound(&outer), sphere(-1.0, 0.0)];
    let at = |n: usize| Bodies::new(&bad[n..], Words::from_slice(&[0]), Array::from_f64(&[[0.0; 3]]));
    for (n, kind, index) in [(0, Kind::Unsupported, 1), (2, Kind::OutOfRange, 0)] {
        let e = scene.detect(&at(n)).unwrap_err();
        assert_eq!((e.kind, e.what, e.index), (kind, What::Shapes, index), "{e}");
    }
}

#[test]
fn a_body_that_is_too_wide_or_has_no_size_is_named_whatever_it_is_found_by() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([2, 2], [50.0, 50.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.01);
    let surface = dem_tests::shapes::surface(&plate, false);
    let shapes = [sphere(0.01, 0.0), dem_core::contact::shape::Shape::Mesh(&surface), sphere(1e200, 0.0)];
    let mut random = Random::new(31);
    let mut positions: Vec<_> = (0..100).map(|_| random.in_cube(0.5)).collect();
    positions.push([0.0; 3]);
    let mut kinds = vec![0u32; 101];
    let mut scales = vec![1.0; 101];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    scene.settings.periods = [1.0; 3];
    let mut refused = |kinds: &[u32], scales: &[f64]| {
        let bodies = Bodies {
            scales: Some(Array::from_numbers(scales)),
            ..Bodies::new(&shapes, Words::from_slice(kinds), Array::from_f64(&positions))
        };
        let e = scene.detect(&bodies).unwrap_err();
        (e.kind, e.what, e.index)
    };
    // Huge: its box has room in 64 periods, its sphere has not.
    kinds[100] = 1;
    assert_eq!(refused(&kinds, &scales), (Kind::OutOfRange, What::Radii, 100));
    // Not even its box has.
    scales[100] = 2.0;
    assert_eq!(refused(&kinds, &scales), (Kind::OutOfRange, What::Centres, 100));
    (kinds[100], scales[100]) = (2, 1e200);
    assert_eq!(refused(&kinds, &scales), (Kind::NotFinite, What::Scales, 100));
}

#[test]
fn extreme_places_and_sizes_are_no_matter() {
    let shapes = [sphere(1.0, 0.0), sphere(1.0, 0.1)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let mut count = |positions: &[[f64; 3]], scales: &[f64]| {
        let kinds: Vec<u32> = (0..positions.len()).map(|i| (i % 2) as u32).collect();
        let bodies = Bodies {
            scales: Some(Array::from_numbers(scales)),
            ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(positions))
        };
        scene.detect(&bodies).map(|found| found.contacts)
    };
    // A pebble on a sphere as large as the earth, far from the origin; all in one place; a size ratio of 1e12.
    assert_eq!(count(&[[1e7, 0.0, 0.0], [1e7 - 6.4e6, 0.0, 0.0]], &[6.4e6, 0.01]), Ok(1));
    assert_eq!(count(&[[5.0; 3]; 40], &[1.0; 40]), Ok(40 * 39 / 2));
    assert_eq!(count(&[[0.0; 3], [1e12, 0.0, 0.0], [1e12 + 0.5, 0.0, 0.0]], &[1e12, 1.0, 1.0]), Ok(3));
    assert_eq!(count(&[[1e300; 3], [0.0; 3]], &[1.0; 2]).unwrap_err().kind, Kind::OutOfRange);
}

#[test]
fn a_plate_in_a_heap_meets_what_is_near_it_and_not_all_that_its_sphere_holds() {
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([8, 8], [20.0, 20.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i)).collect()
    };
    let plate = dem_tests::contact::Body::new(&soup, 0.02);
    let surface = dem_tests::shapes::surface(&plate, false);
    let shapes = [sphere(0.1, 0.01), dem_core::contact::shape::Shape::Mesh(&surface)];
    let mut random = Random::new(21);
    let mut positions = vec![[0.0; 3]; 3];
    // Grains all around two crossed plates, and one that lies in a third one's plane.
    positions.extend((0..4000).map(|_| random.in_cube(9.0)));
    let mut orientations = vec![[0.0, 0.0, 0.0, 1.0]; positions.len()];
    orientations[1] = [0.6, 0.0, 0.0, 0.8];
    positions[2] = [0.3, 0.2, 0.0];
    let kinds: Vec<u32> = (0..positions.len()).map(|i| u32::from(i < 3)).collect();
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&orientations)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    let found = scene.detect(&bodies).unwrap();
    // By spheres each plate would meet nearly all grains. A plate that is turned has a box that is not thin.
    assert!(found.candidates < 7000, "{found:?}");
    let touching = |i: usize, plate: usize| {
        let p = dem_tests::vector::sub(positions[i], positions[plate]);
        let turn = orientations[plate];
        let back = [-turn[0], -turn[1], -turn[2], turn[3]];
        let local = dem_tests::vector::rotate(back, p);
        local[2].abs() < 0.13 && local[0].abs() < 9.8 && local[1].abs() < 9.8
    };
    let expected = (3..positions.len()).map(|i| (0..3).filter(|plate| touching(i, *plate)).count()).sum::<usize>();
    let view = scene.view().unwrap();
    let with_grains = view.now().couples().iter().filter(|c| c.a < 3 && c.b >= 3 && c.end > c.first).count();
    assert!(expected > 50 && with_grains >= expected, "{with_grains} of {expected}");
}

#[test]
fn a_wide_floor_keeps_its_springs_across_half_the_period() {
    // A floor as wide as the period, whose origin is at its edge, and a ball that slides over its middle.
    let soup: Vec<_> = {
        let plate = dem_std::generate::plate([5, 2], [10.0, 4.0]).unwrap();
        (0..plate.len()).map(|i| plate.triangle(i).map(|v| add(v, [5.0, 0.0, 0.0]))).collect()
    };
    let floor = dem_tests::contact::Body::new(&soup, 0.02);
    let surface = dem_tests::shapes::surface(&floor, false);
    let shapes = [dem_core::contact::shape::Shape::Mesh(&surface), sphere(0.3, 0.02)];
    let mut scene = OwnedScene::new(Threads::new(1).unwrap());
    (scene.settings.periods, scene.settings.bound) = ([10.0, 0.0, 0.0], 0.1);
    let middle = (soup.iter().flatten().map(|v| v[0]).fold(f64::INFINITY, f64::min)
        + soup.iter().flatten().map(|v| v[0]).fold(f64::NEG_INFINITY, f64::max))
        / 2.0;
    for step in 0..40 {
        let x = middle - 0.1 + 0.005 * f64::from(step);
        let positions = [[0.0; 3], [x + if step % 2 == 0 { 10.0 } else { 0.0 }, 0.1, 0.31]];
        let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
        let found = scene.detect(&bodies).unwrap();
        assert!(found.contacts == 1 && (step == 0 || found.persisting == 1), "step {step}: {found:?}");
    }
}

#[test]
fn trees_of_any_shape_have_room_beside_each_other() {
    use dem_core::surrogate::Options;
    let soup = |level| -> Vec<_> {
        let mesh = dem_std::generate::icosphere(level).unwrap();
        (0..mesh.len()).map(|i| mesh.triangle(i)).collect()
    };
    let wide = dem_std::OwnedShape::new(
        &dem_std::generate::icosphere(0).unwrap(),
        dem_core::array::Scalar::F64,
        dem_core::mesh::Halo::Uniform(0.05),
        &Options::published(),
    )
    .unwrap();
    let cells = dem_std::OwnedCells::new(&wide.mesh().unwrap(), &Default::default()).unwrap();
    for level in [2, 3] {
        let fine = dem_tests::contact::Body::new(&soup(level), 0.05);
        let wide = dem_core::contact::shape::Surface {
            mesh: wide.mesh().unwrap(),
            tree: wide.tree().unwrap(),
            cells: cells.open().unwrap(),
            solid: false,
        };
        let fine = dem_tests::shapes::surface(&fine, true);
        let shapes = [wide, fine];
        let shapes = [0, 1].map(|i| dem_core::contact::shape::Shape::Mesh(&shapes[i]));
        let positions = [[0.0; 3], [1.9, 0.1, 0.0]];
        let bodies = Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions));
        let mut scene = OwnedScene::new(Threads::new(1).unwrap());
        assert!(scene.detect(&bodies).unwrap().contacts > 0);
    }
}
