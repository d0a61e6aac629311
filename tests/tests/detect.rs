//! Scenes: all contacts of all bodies, against every pair of bodies one after the other.

use dem_core::array::{Array, Words};
use dem_core::body::Body;
use dem_core::contact::Contact;
use dem_core::contact::history::{BEGIN, END, Event, carry};
use dem_core::detect::{Bodies, Carry, Detected, SceneRef};
use dem_core::error::{Kind, What};
use dem_core::exec::{Executor, Serial};
use dem_core::force::{Interaction, Laws, Normal};
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_core::world::{BodyDef, Setup};
use dem_std::{OwnedScene, OwnedWorld, Threads};
use dem_tests::cases;
use dem_tests::crowd::{Crowd, Stock, parts, placed, shapes, slow_links};
use dem_tests::random::Random;
use dem_tests::shapes::sphere;
use dem_tests::vector::add;

fn assert_equal(found: &[Contact], expected: &[Contact], case: &str) {
    if let Some(i) = found.iter().zip(expected).position(|(x, y)| x != y) {
        panic!("{case}: contact {i} of {} and {}: {:?} {:?}", found.len(), expected.len(), found[i], expected[i]);
    }
    assert_eq!(found.len(), expected.len(), "{case}");
}

/// Runs steps of a crowd, and compares each with brute force.
fn follow(mut crowd: Crowd, own_halos: bool, case: &str) -> usize {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut scene = OwnedScene::new(Threads::new(2).unwrap());
    (scene.settings.periods, scene.settings.bound) = (crowd.periods, 0.3);
    let mut random = Random::new(99);
    let mut last = (Vec::new(), Vec::new());
    let mut nodes = [Vec::new(), Vec::new()];
    let mut springs: Vec<[f64; 3]> = Vec::new();
    let mut seen = 0;
    for step in 0..4 {
        let found = scene.detect(&crowd.bodies(&shapes, own_halos)).unwrap();
        let now = crowd.slow(&shapes, own_halos);
        let view = scene.view().unwrap();
        assert_equal(view.now().contacts(), &placed(&now), &format!("{case}, step {step}"));
        nodes = [std::mem::take(&mut nodes[1]), view.now().nodes().to_vec()];
        let (links, blends, events) = slow_links(&last, &now, [&nodes[0], &nodes[1]], 0.3);
        assert_eq!((view.links(), view.blends()), (&links[..], &blends[..]), "{case}, step {step}");
        assert_eq!(view.last().nodes(), nodes[0]);
        assert_history(&view, &events);
        let (mut carried, mut expected) = (vec![[f64::NAN; 3]; now.0.len()], vec![[0.0; 3]; now.0.len()]);
        view.carry(&Threads::new(3).unwrap(), Carry::Tangent, &springs, &mut carried).unwrap();
        carry(&(&last.0[..], &last.1[..]), &(&now.0[..], &now.1[..]), &links, &blends, &springs, &mut expected)
            .unwrap();
        assert_eq!(carried, expected, "{case}, step {step}");
        // Something that is not in the plane of the contact, and is not the same for all.
        springs = carried.iter().enumerate().map(|(i, v)| add(*v, [1.0, 0.1 * i as f64, -0.3])).collect();
        let going = links.iter().filter(|link| link.origin != u32::MAX).count();
        assert_eq!((found.contacts, found.persisting), (now.0.len(), going));
        assert_eq!((found.pairs, view.now().pairs().len()), (now.1.len(), now.1.len()));
        assert_pairs(&view);
        assert!(step == 0 || going > 0, "{case}: nothing goes on");
        seen += found.contacts;
        last = now;
        crowd.stir(0.2, &mut random);
    }
    seen
}

/// Events equal those of matching all contacts at once, and need the same room; ended contacts have no successor.
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
    let gone: Vec<_> = (0..view.last().len()).filter(|i| view.successors()[*i] == u32::MAX).collect();
    assert_eq!(ended, gone);
}

/// Pairs name their contacts, and bodies theirs.
fn assert_pairs(view: &SceneRef<'_>) {
    let now = view.now();
    let mut of_bodies = vec![Vec::new(); now.poses().len()];
    let mut end = 0;
    for (place, pair) in now.pairs().iter().enumerate() {
        assert_eq!(pair.first, end);
        end = pair.end;
        assert!(pair.first < end && pair.ids[0] <= pair.ids[1]);
        for i in pair.first..end {
            assert_eq!(now.contacts()[i as usize].key[0], place as u64);
            of_bodies[pair.a as usize].push((0, i));
            of_bodies[pair.b as usize].push((1, i));
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
fn few_bodies_have_the_contacts_of_all_pairs_too() {
    let mut seen = [0; 2];
    for n in [10, 15, 16, 17, 18, 25, 40] {
        let half = 0.45 * (n as f64).cbrt();
        seen[0] += follow(Crowd::new(n, half, 20 + n as u64), false, &format!("{n} open"));
        let crowd = Crowd { periods: [6.0, 0.0, 7.0], ..Crowd::new(n, half, 20 + n as u64) };
        seen[1] += follow(crowd, false, &format!("{n} periodic"));
    }
    assert!(seen.iter().all(|seen| *seen > 100), "{seen:?}");
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
    let (contact, pair) = (view.now().contacts()[0], view.now().pairs()[0]);
    assert_eq!((pair.a, pair.b, pair.shift, contact.normal), (0, 0, [1, 0, 0], [-1.0, 0.0, 0.0]));
    assert!((contact.least_gap - 0.02).abs() < 1e-12 && (contact.position[0] - 0.81).abs() < 1e-12);
    // Force and torque are zero.
    let mut out = [Default::default(); 1];
    view.wrenches(&Serial, Array::from_f64(&[[-2.0, 0.5, 0.0]]), None, None, &mut out).unwrap();
    assert_eq!(out[0].force, [0.0; 3]);
    // Two equal forces on opposite sides do turn it.
    assert!((out[0].torque[2] - 0.51 * 0.5 * 2.0).abs() < 1e-12, "{:?}", out[0]);
}

/// A body between another one and its image, which both touch it: as it passes the middle, each contact goes on where it is.
#[test]
fn contacts_on_both_sides_go_on_as_a_body_passes_half_a_period() {
    let shapes = [sphere(0.25, 0.01), sphere(0.24, 0.01)];
    let (kinds, period) = ([0, 1], 0.99);
    // Where A is, and where B was and is: by chance B is put in again at the other side in the same step. Both ways.
    for (a, from, to) in [
        (0.2, 0.694, 0.696),
        (0.2, 0.696, 0.694),
        (0.8, 0.304, 0.306),
        (0.495, 0.989, 0.001),
        (0.495, 0.001, 0.989),
        (0.3, 0.2 + 0.595, 0.2 + 0.594),
    ] {
        for axis in 0..3 {
            for ids in [[5_u64, 7], [7, 5]] {
                let mut scene = OwnedScene::new(Threads::new(1).unwrap());
                scene.settings.periods = [0, 1, 2].map(|k| if k == axis { period } else { 0.0 });
                let mut step = |b: f64| {
                    let positions = [a, b].map(|x| [0, 1, 2].map(|k| if k == axis { x } else { 0.1 }));
                    let bodies = Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions));
                    scene.detect(&Bodies { ids: Some(Words::from_slice(&ids)), ..bodies }).unwrap();
                    let view = scene.view().unwrap();
                    let places: Vec<f64> = view.now().contacts().iter().map(|c| c.position[axis]).collect();
                    (places, view.links().to_vec())
                };
                let (before, _) = step(from);
                let (after, links) = step(to);
                assert_eq!((before.len(), after.len()), (2, 2));
                for (place, link) in after.iter().zip(&links) {
                    let was = before.get(link.origin as usize).copied().unwrap_or(f64::NAN);
                    let apart = (place - was) / period;
                    assert!((apart - apart.round()).abs() < 0.02, "{a} {from} {to} {ids:?}: {place} was at {was}");
                }
            }
        }
    }
}

/// Neither of the two contacts of such a body ends or begins. Both bodies are one pair.
#[test]
fn contacts_on_both_sides_have_no_events_as_a_body_passes_half_a_period() {
    let shapes = [sphere(0.25, 0.01), sphere(0.24, 0.01)];
    let table = [Interaction::new(Normal::Linear, 1.0)];
    let laws = Laws::new(&table).unwrap();
    for ids in [[5, 7], [7, 5]] {
        for (from, way) in [(0.69, 1.0), (0.7, -1.0)] {
            let mut world = OwnedWorld::with_executor(Box::new(Serial));
            world.watch(true).unwrap();
            world.set_up(&Setup { periods: [0.99, 0.0, 0.0], ..Setup::default() }).unwrap();
            let mut body = Body::ball(0.24, 1000.0, [from, 0.1, 0.1]).unwrap();
            body.velocity = [way, 0.0, 0.0];
            let fixed = Body::fixed(Pose { position: [0.2, 0.1, 0.1], ..Pose::IDENTITY });
            world.add(&BodyDef { id: Some(ids[0]), ..BodyDef::new(fixed, 0) }).unwrap();
            world.add(&BodyDef { id: Some(ids[1]), ..BodyDef::new(body, 1) }).unwrap();
            let mut told = Vec::new();
            for _ in 0..10 {
                world.advance(1e-3, 1e-3, &shapes, &laws).unwrap();
                told.extend(world.view().unwrap().events().iter().map(|event| event.what));
            }
            let view = world.view().unwrap();
            assert!((view.bodies()[1].position[0] - from - way * 0.01).abs() < 1e-4);
            assert_eq!(view.scene().now().contacts().len(), 2);
            assert_eq!(told, [BEGIN], "{ids:?} from {from}");
        }
    }
}

/// An executor that runs each thread several times, or none at all.
struct Faulty(usize);

impl Executor for Faulty {
    fn width(&self) -> usize {
        3
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        (0..self.0).for_each(|_| (0..threads).rev().for_each(thread));
    }
}

#[test]
fn workers_instruction_sets_copies_and_room_change_no_bit() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let (count, half) = cases((200, 6.35), (400, 8.0));
    let mut crowd = Crowd { periods: [0.0, 0.0, 20.0], ..Crowd::new(count, half, 7) };
    let threads = |n| -> Box<dyn Executor + Send> { Box::new(Threads::new(n).unwrap()) };
    let mut scenes: Vec<(String, OwnedScene)> = Vec::new();
    scenes.push(("serial".into(), OwnedScene::with_executor(Box::new(Serial))));
    for n in [2, 3, 8] {
        scenes.push((format!("{n} threads"), OwnedScene::with_executor(threads(n))));
    }
    for n in [0, 2] {
        scenes.push((format!("every thread {n} times"), OwnedScene::with_executor(Box::new(Faulty(n)))));
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
