//! Ids of bodies: no result depends on the order of bodies in a host's arrays.

use dem_core::array::{Array, Words};
use dem_core::contact::Contact;
use dem_core::contact::history::{Event, Link};
use dem_core::contact::shape::Shape;
use dem_core::detect::{Bodies, Carry, Detected, List, ScenePair, Wrench};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_std::{OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;
use dem_tests::shapes::{ground, sphere};

/// A random order of `n` places.
fn shuffled(n: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).for_each(|i| order.swap(i, random.below(i + 1)));
    order
}

/// The bodies of a crowd somewhere else in its arrays.
fn permuted(crowd: &Crowd, order: &[usize]) -> Crowd {
    let mut other = crowd.clone();
    macro_rules! permute {
        ($($field:ident),*) => { $( other.$field = order.iter().map(|i| crowd.$field[*i]).collect(); )* };
    }
    permute!(kinds, positions, orientations, scales, motions, groups, masks, ids, halos);
    other
}

/// All that a step says and all that is made of it, with places as they are in the order of ids.
#[derive(Debug, PartialEq)]
struct Said {
    found: Detected,
    contacts: Vec<Contact>,
    pairs: Vec<ScenePair>,
    links: Vec<Link>,
    events: Vec<Event>,
    springs: Vec<[f64; 3]>,
    wrenches: Vec<(u64, Wrench)>,
}

/// One step and what a host makes of it.
fn step(scene: &mut OwnedScene, crowd: &Crowd, shapes: &[Shape<'_>], springs: &mut Vec<[f64; 3]>) -> Said {
    let found = scene.detect(&crowd.bodies(shapes, true)).unwrap();
    let view = scene.view().unwrap();
    let now = view.now();
    let mut carried = vec![[0.0; 3]; found.contacts];
    view.carry(&Serial, Carry::Tangent, springs, &mut carried).unwrap();
    for (i, (spring, contact)) in carried.iter_mut().zip(now.contacts()).enumerate() {
        *spring = [0, 1, 2].map(|k| spring[k] + 0.01 * contact.position[k] + 1e-4 * i as f64);
    }
    let mut wrenches = vec![Wrench::default(); crowd.kinds.len()];
    view.wrenches(&Serial, Array::from_f64(&carried), None, None, &mut wrenches).unwrap();
    let mut wrenches: Vec<_> = crowd.ids.iter().copied().zip(wrenches).collect();
    wrenches.sort_by_key(|(id, _)| *id);
    let mut events = vec![Event::default(); found.contacts + view.last().len()];
    let count = view.events(&mut events).unwrap();
    events.truncate(count);
    let mut sorted = crowd.ids.clone();
    sorted.sort_unstable();
    let rank = |id: u64| sorted.binary_search(&id).unwrap() as u32;
    let pairs = now.pairs().iter().map(|pair| {
        assert_eq!([pair.a, pair.b].map(|place| crowd.ids[place as usize]), pair.ids);
        assert!(pair.ids[0] < pair.ids[1] || pair.image.iter().find(|i| **i != 0).is_some_and(|i| *i > 0));
        ScenePair { a: rank(pair.ids[0]), b: rank(pair.ids[1]), ..*pair }
    });
    let said = Said {
        found: Detected { list: List::default(), ..found },
        contacts: now.contacts().to_vec(),
        pairs: pairs.collect(),
        links: view.links().to_vec(),
        events,
        springs: carried.clone(),
        wrenches,
    };
    *springs = carried;
    said
}

fn scene(threads: usize, skin: f64, periods: [f64; 3]) -> OwnedScene {
    let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
    (scene.settings.periods, scene.settings.bound, scene.settings.skin) = (periods, 0.3, skin);
    scene
}

#[test]
fn results_are_the_same_wherever_bodies_are_kept() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut random = Random::new(7);
    let (mut kept, mut images) = (0, 0);
    for (seed, n, half, periods) in
        [(1, 90, 2.5, [0.0; 3]), (2, 120, 3.5, [7.0, 0.0, 0.0]), (3, 110, 3.5, [7.0, 8.0, 6.5]), (4, 14, 0.7, [1.4; 3])]
    {
        let mut crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        // A body of the smallest box meets images beyond the next.
        if seed == 4 {
            crowd.kinds.iter_mut().for_each(|kind| *kind %= 3);
        }
        let mut scenes = [(1, 0.0), (3, 0.0), (1, 0.3), (3, 0.3)].map(|(threads, skin)| scene(threads, skin, periods));
        let mut springs = [const { Vec::new() }; 4];
        for step_number in 0..5 {
            let mut expected = None;
            for (k, (scene, springs)) in scenes.iter_mut().zip(&mut springs).enumerate() {
                // The first one keeps its bodies in the order of ids, another one where they are, the others anywhere.
                let mut order: Vec<usize> = (0..n).collect();
                match k {
                    0 => order.sort_by_key(|i| crowd.ids[*i]),
                    1 => {}
                    _ => order = shuffled(n, &mut random),
                }
                let said = step(scene, &permuted(&crowd, &order), &shapes, springs);
                let expected = expected.get_or_insert_with(|| said_again(&said));
                assert_eq!(said, *expected, "seed {seed}, step {step_number}, scene {k}");
                kept += if step_number > 0 { said.found.persisting } else { 0 };
                images += said.pairs.iter().filter(|pair| pair.image.iter().any(|i| i.abs() > 1)).count();
            }
            crowd.stir(0.02, &mut random);
        }
    }
    assert!(kept > 5000 && images > 10, "{kept} {images}");
}

fn said_again(said: &Said) -> Said {
    let Said { found, contacts, pairs, links, events, springs, wrenches } = said;
    Said {
        found: *found,
        contacts: contacts.clone(),
        pairs: pairs.clone(),
        links: links.clone(),
        events: events.clone(),
        springs: springs.clone(),
        wrenches: wrenches.clone(),
    }
}

#[test]
fn springs_follow_bodies_that_change_places() {
    // Two pairs of balls: a host sorts its arrays, and they change places.
    let shapes = [sphere(1.0, 0.01)];
    let positions = [[0.0; 3], [1.99, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 1.99, 0.0]];
    let other = [positions[2], positions[3], positions[0], positions[1]];
    let mut scene = scene(1, 0.0, [0.0; 3]);
    let mut detect = |positions: &[[f64; 3]], ids: &[u64]| {
        let ids = Some(Words::from_slice(ids));
        let bodies = Bodies { ids, ..Bodies::new(&shapes, Words::from_slice(&[0; 4]), Array::from_f64(positions)) };
        scene.detect(&bodies).unwrap();
        let (mut springs, view) = ([[0.0; 3]; 2], scene.view().unwrap());
        view.carry(&Serial, Carry::Tangent, &[[0.0, 7.0, 0.0], [0.0, 0.0, 3.0]][..view.last().len()], &mut springs)
            .unwrap();
        let contacts = view.now().contacts();
        [0, 1].map(|i| (contacts[i].position, springs[i]))
    };
    let before = detect(&positions, &[5, 6, 7, 8]);
    assert_eq!(before.map(|(_, spring)| spring), [[0.0; 3]; 2]);
    let after = detect(&other, &[7, 8, 5, 6]);
    assert_eq!(after.map(|(_, spring)| spring), [[0.0, 7.0, 0.0], [0.0, 0.0, 3.0]]);
    assert_eq!(after.map(|(position, _)| position), before.map(|(position, _)| position));
    // Removed by swapping the last one in: the pair that is left goes on.
    let ids = [8, 9, 5, 6];
    let moved = [other[1], [50.0; 3], other[2], other[3]];
    assert_eq!(detect_two(&mut scene, &shapes, &moved, &ids), (1, 1));
}

fn detect_two(scene: &mut OwnedScene, shapes: &[Shape<'_>], positions: &[[f64; 3]], ids: &[u64]) -> (usize, usize) {
    let ids = Some(Words::from_slice(ids));
    let bodies = Bodies { ids, ..Bodies::new(shapes, Words::from_slice(&[0; 4]), Array::from_f64(positions)) };
    let found = scene.detect(&bodies).unwrap();
    (found.contacts, found.persisting)
}

#[test]
fn two_bodies_with_one_id_are_named_both() {
    let shapes = [sphere(1.0, 0.01)];
    let positions = [[0.0; 3], [5.0; 3], [9.0; 3], [14.0; 3]];
    let mut scene = scene(2, 0.0, [0.0; 3]);
    for (ids, places) in [([3, 1, 4, 1], (3, 1)), ([1, 1, 2, 3], (1, 0)), ([u64::MAX, 2, 9, u64::MAX], (3, 0))] {
        let ids = Some(Words::from_slice(&ids));
        let bodies = Bodies { ids, ..Bodies::new(&shapes, Words::from_slice(&[0; 4]), Array::from_f64(&positions)) };
        let e = scene.detect(&bodies).unwrap_err();
        assert_eq!(e, Error::new(Kind::Duplicate, What::Ids).at(places.0, 0).amounts(0, places.1));
    }
}

#[test]
fn processes_that_share_a_space_find_the_same_bits() {
    // Balls on a ground, cut in two at x = 0; each process has ghosts of the other's bodies near the cut.
    let shapes = [sphere(0.5, 0.02), ground(0.02)];
    let mut random = Random::new(19);
    let n = 400;
    let mut all = Crowd::new(n, 4.0, 3);
    for i in 0..n {
        (all.kinds[i], all.motions[i], all.scales[i]) = (0, 0, random.range(0.5, 1.0));
        (all.groups[i], all.masks[i]) = (u32::MAX, u32::MAX);
        all.positions[i] = [random.range(-6.0, 6.0), random.range(-2.0, 2.0), random.range(-3.6, -2.0)];
    }
    (all.kinds[7], all.motions[7], all.positions[7], all.scales[7]) = (1, 2, [0.0, 0.0, -4.0], 1.0);
    all.orientations[7] = [0.0, 0.0, 0.0, 1.0];
    // A drum that a program turns is owned by one of them.
    (all.motions[9], all.positions[9], all.scales[9]) = (1, [0.3, 0.0, -3.0], 2.0);
    let whole = sums(&all, &shapes);
    let (mut shared, mut of_drum) = (0, 0);
    for side in [-1.0, 1.0] {
        let owns = |i: usize| side * all.positions[i][0] >= 0.0;
        let here: Vec<usize> = (0..n).filter(|i| *i == 7 || side * all.positions[*i][0] > -1.6).collect();
        let order: Vec<usize> = shuffled(here.len(), &mut random).into_iter().map(|k| here[k]).collect();
        let mut part = permuted(&all, &order);
        for (k, i) in order.iter().enumerate() {
            part.motions[k] = if *i == 7 || owns(*i) { all.motions[*i] } else { 3 };
        }
        for ((id, wrench, touches), i) in sums(&part, &shapes).into_iter().zip(&order) {
            if *i != 7 && owns(*i) {
                assert_eq!((id, wrench, touches), whole[*i], "body {i}");
                shared += touches;
                of_drum += if *i == 9 { touches } else { 0 };
            }
        }
    }
    assert!(shared > 1000 && of_drum > 3, "{shared} {of_drum}");
}

/// For each body its id, what acts on it, and how many contacts it has.
fn sums(crowd: &Crowd, shapes: &[Shape<'_>]) -> Vec<(u64, Wrench, usize)> {
    let mut scene = scene(2, 0.0, [0.0; 3]);
    scene.detect(&crowd.bodies(shapes, true)).unwrap();
    let view = scene.view().unwrap();
    let forces: Vec<_> = view.now().contacts().iter().map(|c| c.normal.map(|x| x * c.area)).collect();
    let mut out = vec![Wrench::default(); crowd.kinds.len()];
    view.wrenches(&Serial, Array::from_f64(&forces), None, None, &mut out).unwrap();
    (0..out.len()).map(|i| (crowd.ids[i], out[i], view.touches(i).len())).collect()
}

#[test]
fn ghosts_do_not_meet_each_other() {
    let shapes = [sphere(1.0, 0.1)];
    let positions = [[0.0; 3], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.5, 0.0, 0.0], [0.0, 0.5, 0.0]];
    let motions = [0, 1, 2, 3, 3];
    let mut scene = scene(1, 0.0, [0.0; 3]);
    let motions = Some(Words::from_slice(&motions));
    let bodies = Bodies { motions, ..Bodies::new(&shapes, Words::from_slice(&[0; 5]), Array::from_f64(&positions)) };
    scene.detect(&bodies).unwrap();
    let view = scene.view().unwrap();
    let met: Vec<_> = view.now().pairs().iter().map(|pair| [pair.a, pair.b]).collect();
    assert_eq!(met, [[0, 1], [0, 2], [0, 3], [0, 4], [1, 3], [1, 4]]);
}
