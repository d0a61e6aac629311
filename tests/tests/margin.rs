//! Two lists of contacts from one step: one within the halos, which knows nothing of the margin, and one within the margin beyond them.

use dem_core::array::{Array, Words};
use dem_core::contact::Contact;
use dem_core::contact::history::{Blend, Link};
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::{Bodies, Scene, ScenePair, SceneRef, SceneSizes, Settings, Wrench, detect_scratch};
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{ContactFinder, Memory, OwnedScene, Threads};
use dem_tests::Triangle;
use dem_tests::cases;
use dem_tests::contact::{Body, at, cuboid, near_bodies, soup};
use dem_tests::crowd::{Crowd, Stock, parts, placed, shapes};
use dem_tests::deep::turn;
use dem_tests::random::Random;
use dem_tests::shapes::{ground, part, placed as place, sphere, surface};
use dem_tests::vector::{add, cross, scale, sub};

/// What a host sees of the list of contacts.
#[derive(Debug, PartialEq)]
struct Seen {
    contacts: Vec<Contact>,
    pairs: Vec<ScenePair>,
    nodes: Vec<dem_core::contact::Node>,
    links: Vec<Link>,
    blends: Vec<Blend>,
    successors: Vec<u32>,
    touch_ends: Vec<u32>,
    wrenches: Vec<Wrench>,
    hash: u64,
}

fn wrenches(view: &SceneRef<'_>) -> Vec<Wrench> {
    let forces: Vec<_> = view.now().contacts().iter().map(|c| scale(c.area, c.normal)).collect();
    let mut out = vec![Wrench::default(); view.now().poses().len()];
    view.wrenches(&Serial, Array::from_f64(&forces), None, None, &mut out).unwrap();
    out
}

fn seen(scene: &OwnedScene) -> Seen {
    let view = scene.view().unwrap();
    let now = view.now();
    Seen {
        contacts: now.contacts().to_vec(),
        pairs: now.pairs().to_vec(),
        nodes: now.nodes().to_vec(),
        links: view.links().to_vec(),
        blends: view.blends().to_vec(),
        successors: view.successors().to_vec(),
        touch_ends: view.touch_ends().to_vec(),
        wrenches: wrenches(&view),
        hash: view.committed_hash(),
    }
}

#[test]
fn the_contacts_do_not_know_of_the_margin() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut more = 0;
    for (seed, n, half, periods, own) in [
        (1, 90, 2.5, [0.0; 3], true),
        (2, 120, 3.5, [7.0, 0.0, 0.0], false),
        (3, 110, 3.5, [7.0, 8.0, 6.5], true),
        (4, 30, 0.9, [1.8; 3], false),
    ] {
        let mut crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let kinds = [(0.0, 1, 0.0), (0.0, 1, 0.3), (0.01, 1, 0.0), (0.3, 1, 0.0), (0.3, 3, 0.3), (0.05, 3, 0.0)];
        let mut scenes = kinds.map(|(margin, threads, skin)| {
            let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
            (scene.settings.periods, scene.settings.margin, scene.settings.skin) = (periods, margin, skin);
            scene.settings.bound = 0.3;
            scene
        });
        let mut random = Random::new(seed);
        for step in 0..cases(2, 4) {
            let bodies = crowd.bodies(&shapes, own);
            let found = scenes.each_mut().map(|scene| scene.detect(&bodies).unwrap());
            let expected = seen(&scenes[0]);
            assert!(!expected.contacts.is_empty() && (step == 0 || found[0].persisting > 0));
            for (k, scene) in scenes.iter().enumerate() {
                assert!(seen(scene) == expected, "seed {seed}, step {step}, {:?}", kinds[k]);
                assert_eq!((found[k].pairs, found[k].contacts), (found[0].pairs, found[0].contacts));
                more += usize::from(found[k].margin_pairs > found[k].pairs);
            }
            crowd.stir(0.05, &mut random);
        }
    }
    assert!(more > 20);
}

/// What is closest of a mesh with a hole may be a border, whose patch has no face that faces the other body, while other patches have some.
#[test]
fn borders_do_not_know_of_the_margin() {
    let whole = cuboid([0.5; 3]);
    let (hole, box_with_a_hole) = (whole[0], &whole[1..]);
    let bodies: [Body; 2] = [Body::facing(box_with_a_hole, 0.03), Body::conservative(box_with_a_hole, 0.03)];
    let rock = Body::conservative(&cuboid([0.4, 0.3, 0.2]), 0.03);
    let rock = surface(&rock, true);
    let (mut random, mut bare) = (Random::new(3), 0);
    for case in 0..cases(600, 2_000) {
        let holed = surface(&bodies[case % 2], case / 2 % 2 == 0);
        let other = [sphere(0.3, 0.03), Shape::Mesh(&rock), ground(0.03)][case % 3];
        let shapes = [Shape::Mesh(&holed), other];
        let part = random.unit();
        let on_border = add(scale(part, hole[case % 2]), scale(1.0 - part, hole[2]));
        let position = match case % 3 {
            0 => add(on_border, scale(random.range(0.25, 0.35), random.direction())),
            1 => add(on_border, scale(0.2, random.direction())),
            _ => scale(0.4, random.direction()),
        };
        let (positions, orientations) = ([[0.0; 3], position], [[0.0, 0.0, 0.0, 1.0], random.rotation()]);
        let seen = [0.0, 0.05].map(|margin| {
            let mut scene = OwnedScene::new(Threads::new(1).unwrap());
            scene.settings.margin = margin;
            let bodies = Bodies {
                orientations: Some(Array::from_quaternions(&orientations)),
                ..Bodies::new(&shapes, Words::from_slice(&[0, 1]), Array::from_f64(&positions))
            };
            for _ in 0..2 {
                scene.detect(&bodies).unwrap();
            }
            seen(&scene)
        });
        assert!(seen[0] == seen[1], "case {case}: {:?} {:?}", seen[0].pairs, seen[1].pairs);
        bare += usize::from(seen[0].contacts.iter().any(|c| c.area == 0.0));
    }
    println!("{bare} pairs have a contact without a force");
    assert!(bare > cases(6, 20));
}

#[test]
fn the_margin_has_all_contacts_with_wider_halos() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    for (seed, n, half, periods, own, margin) in [
        (1, 70, 2.5, [0.0; 3], true, 0.4),
        (2, 60, 3.5, [7.0, 0.0, 0.0], false, 0.1),
        (3, 60, 3.5, [7.0, 8.0, 6.5], true, 0.3),
    ] {
        let crowd = Crowd { periods, ..Crowd::new(n, half, seed) };
        let expected = crowd.slow_within(&shapes, own, margin);
        for (threads, skin) in [(1, 0.0), (3, 0.2)] {
            let mut scene = OwnedScene::new(Threads::new(threads).unwrap());
            (scene.settings.periods, scene.settings.margin, scene.settings.skin) = (periods, margin, skin);
            let found = scene.detect(&crowd.bodies(&shapes, own)).unwrap();
            let view = scene.view().unwrap();
            let (wide, narrow) = (view.margin(), view.now());
            let now = wide.now();
            assert_eq!((found.margin_pairs, found.margin_contacts), (now.pairs().len(), now.contacts().len()));
            assert!(found.margin_pairs > found.pairs);
            assert!(now.contacts() == placed(&expected), "seed {seed}");
            assert_eq!((wide.links(), wide.blends(), now.nodes()), (&[][..], &[][..], &[][..]));
            assert!(wide.successors().is_empty() && wide.last().is_empty());
            // Those of the other list are among its pairs, in the same order.
            let mut names = now.pairs().iter().map(ScenePair::name);
            assert!(narrow.pairs().iter().all(|pair| names.by_ref().any(|name| name == pair.name())));
            for (i, contact) in now.contacts().iter().enumerate() {
                let pair = wide.now().pair_of(i).unwrap();
                assert!(pair.contacts().contains(&i) && pair.least_gap <= contact.least_gap);
            }
            // Sums by body, one after the other.
            let mut sums = vec![Wrench::default(); n];
            for pair in now.pairs() {
                let [_, moved] = now.poses_of(pair);
                let shift = sub(moved.position, crowd.positions[pair.b as usize]);
                for c in &now.contacts()[pair.contacts()] {
                    let f = scale(c.area, c.normal);
                    for (body, sign, moved) in [(pair.a, 1.0, [0.0; 3]), (pair.b, -1.0, shift)] {
                        let sum = &mut sums[body as usize];
                        let arm = sub(c.position, add(crowd.positions[body as usize], moved));
                        sum.force = add(sum.force, scale(sign, f));
                        sum.torque = add(sum.torque, scale(sign, cross(arm, f)));
                    }
                }
            }
            for (sum, other) in sums.iter().zip(wrenches(&wide)) {
                let differ = sub(sum.force, other.force).into_iter().chain(sub(sum.torque, other.torque));
                assert!(differ.into_iter().all(|x| x.abs() < 1e-11), "{sum:?} {other:?}");
            }
            // Without a margin the list is empty again.
            scene.settings.margin = 0.0;
            scene.detect(&crowd.bodies(&shapes, own)).unwrap();
            let view = scene.view().unwrap().margin();
            assert!(view.now().contacts().is_empty() && view.now().pairs().is_empty() && view.all_touches().is_empty());
            assert!(wrenches(&view).iter().all(|sum| *sum == Wrench::default()));
        }
    }
}

#[test]
fn a_margin_is_as_good_as_wider_halos() {
    // Lengths of which no sum is rounded.
    let (halo, margin) = (0.0625, 0.125);
    let wider = halo + 0.5 * margin;
    let mut finders = [0.0, margin].map(finder);
    let mut random = Random::new(5);
    let (mut met, mut beyond, mut deep) = (0, 0, 0);
    for seed in 0..24 {
        let (soup_a, mut pose_a, soup_b, pose_b) = near_bodies(seed);
        // Apart, and deep in each other.
        let way = [0.0, 0.08, -0.15, 0.14][seed as usize % 4];
        pose_a.position = add(pose_a.position, scale(way, random.direction()));
        // The law is told, since a mesh would choose by its halo, which here is another one.
        let build: fn(&[Triangle], f64) -> Body = if seed % 8 < 4 { Body::facing } else { Body::conservative };
        let bodies = [halo, wider].map(|halo| [&soup_a, &soup_b].map(|soup| build(soup, halo)));
        let surfaces = bodies.each_ref().map(|both| both.each_ref().map(|body| surface(body, seed % 3 != 0)));
        let of = |k: usize, halo: f64| {
            let [x, y] = &surfaces[k];
            let parts =
                [part(sphere(0.4, halo), [0.3, 0.0, 0.1]), Part { scale: 0.5, ..part(Shape::Mesh(x), [0.0; 3]) }];
            (Shape::Mesh(x), Shape::Mesh(y), sphere(0.5, halo), ground(halo), parts)
        };
        let ((a, b, ball, flat, parts), (c, d, ball_2, flat_2, parts_2)) = (of(0, halo), of(1, wider));
        let near = at(add(pose_b.position, random.in_cube(0.8)), random.rotation());
        let halos_differ = [Shape::Compound(&parts), Shape::Compound(&parts_2)];
        for [(x, y), (u, v)] in [
            [(a, b), (c, d)],
            [(ball, b), (ball_2, d)],
            [(b, flat), (d, flat_2)],
            [(ball, ball), (ball_2, ball_2)],
            [(ball, flat), (ball_2, flat_2)],
        ] {
            let lists = [(0, u, v), (1, x, y), (0, x, y)].map(|(k, first, second)| {
                let mut list = Vec::new();
                finders[k]
                    .find(&place(first, &pose_a), &place(second, &near_or(&second, &pose_b, &near)), 3, &mut list)
                    .unwrap();
                list
            });
            let [wide, same, narrow] = lists;
            assert!(wide == same, "seed {seed}: {wide:?} {same:?}");
            met += wide.len();
            beyond += usize::from(!wide.is_empty() && narrow.is_empty());
            deep += usize::from(wide.iter().any(|c| c.least_gap < 0.0));
        }
        // The scale of a part is that of its halo, too, but not that of a margin.
        let mut lists = [const { Vec::new() }; 2];
        finders[1].find(&place(halos_differ[0], &pose_a), &place(b, &near), 3, &mut lists[0]).unwrap();
        let own = Part { shape: sphere(0.4, wider), ..parts[0] };
        let scaled = build(&soup_a, halo + margin);
        let scaled = surface(&scaled, seed % 3 != 0);
        let own = [own, Part { shape: Shape::Mesh(&scaled), ..parts[1] }];
        finders[0].find(&place(Shape::Compound(&own), &pose_a), &place(d, &near), 3, &mut lists[1]).unwrap();
        assert!(lists[0] == lists[1], "seed {seed}");
        met += lists[0].len();
    }
    println!("{met} contacts, {beyond} pairs beyond the halos, {deep} deep");
    assert!(met > 100 && beyond > 5 && deep > 10);
}

fn finder(margin: f64) -> ContactFinder {
    let mut finder = ContactFinder::default();
    finder.margin = margin;
    finder
}

/// Meshes near each other are at their own pose.
fn near_or(shape: &Shape<'_>, pose: &Pose, near: &Pose) -> Pose {
    if matches!(shape, Shape::Mesh(_)) { *pose } else { *near }
}

#[test]
fn room_for_both_lists_is_told_at_once() {
    let shapes = [sphere(0.5, 0.01)];
    // A row of balls in touch, and a row of balls that are only near.
    let positions: Vec<_> =
        (0..10).map(|i| [f64::from(i), 0.0, 0.0]).chain((0..7).map(|i| [1.2 * f64::from(i), 5.0, 0.0])).collect();
    let kinds = vec![0; positions.len()];
    let words = dem_core::array::Words::from_slice(&kinds);
    let bodies = Bodies::new(&shapes, words, Array::from_f64(&positions));
    let settings = Settings { margin: 0.25, ..Settings::default() };
    let sizes = |contacts, margin_contacts| SceneSizes {
        bodies: 17,
        candidates: 64,
        contacts,
        nodes: 0,
        posed: 0,
        levels: 2,
        margin_contacts,
    };
    let attempt = |sizes: SceneSizes, settings: &Settings| {
        let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
        let mut scene = Scene::init(&mut block, &sizes).unwrap();
        let layout = detect_scratch(&sizes, &bodies, settings, 1).unwrap();
        let mut scratch = Memory::new(layout).unwrap();
        let found = scene.detect(&Serial, Isa::best(), &bodies, settings, &mut scratch);
        if found.is_err() {
            let view = scene.as_ref();
            assert!(view.now().contacts().is_empty() && view.margin().now().contacts().is_empty());
        }
        found
    };
    let short = |what, needed, given, other| Err(Error::capacity(what, needed, given).at(other, 0));
    assert_eq!(attempt(sizes(8, 14), &settings), short(What::Contacts, 9, 8, 15));
    assert_eq!(attempt(sizes(9, 14), &settings), short(What::MarginContacts, 15, 14, 9));
    assert_eq!(attempt(sizes(9, 0), &settings), short(What::MarginContacts, 15, 0, 9));
    let found = attempt(sizes(9, 15), &settings).unwrap();
    assert_eq!((found.contacts, found.margin_contacts, found.pairs, found.margin_pairs), (9, 15, 9, 15));
    assert_eq!(attempt(sizes(8, 0), &Settings::default()), short(What::Contacts, 9, 8, 0));
    for (margin, kind) in [(-0.1, Kind::OutOfRange), (f64::NAN, Kind::NotFinite), (f64::INFINITY, Kind::NotFinite)] {
        let error = attempt(sizes(9, 15), &Settings { margin, ..settings }).unwrap_err();
        assert_eq!((error.kind, error.what), (kind, What::Margin));
        let mut finder = finder(margin);
        let ball = place(shapes[0], &Pose::IDENTITY);
        let error = finder.find(&ball, &ball, 0, &mut Vec::new()).unwrap_err();
        assert_eq!((error.kind, error.what), (kind, What::Margin));
    }
}

#[test]
fn huge_bodies_and_planes_are_found_from_the_margin() {
    // A plate of a hundred balls' width, turned, a ground, and balls at heights about the margin.
    let plate = Body::new(&soup(&dem_std::generate::plate([8, 8], [90.0, 90.0]).unwrap()), 0.01);
    let plate = surface(&plate, false);
    let shapes = [sphere(0.5, 0.01), Shape::Mesh(&plate), ground(0.01)];
    let margin = 0.375;
    let mut random = Random::new(9);
    let (mut positions, mut kinds, mut turns) = (vec![], vec![], vec![]);
    let tilt = turn([0.0, 1.0, 0.0], 0.4);
    for i in 0..300 {
        let height = 0.5 + 0.02 + margin + [-1e-9, 1e-9, -0.2][i % 3];
        let flat = [random.range(-40.0, 40.0), random.range(-40.0, 40.0)];
        positions.push(match i % 2 {
            0 => dem_tests::vector::rotate(tilt, [flat[0], flat[1], height]),
            _ => [flat[0], flat[1], height - 60.0],
        });
        kinds.push(0);
        turns.push([0.0, 0.0, 0.0, 1.0]);
    }
    positions.extend([[0.0; 3], [0.0, 0.0, -60.0]]);
    kinds.extend([1, 2]);
    turns.extend([tilt, [0.0, 0.0, 0.0, 1.0]]);
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&turns)),
        ..Bodies::new(&shapes, dem_core::array::Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    for skin in [0.0, 0.3] {
        let mut scene = OwnedScene::new(Threads::new(2).unwrap());
        (scene.settings.margin, scene.settings.skin) = (margin, skin);
        for _ in 0..2 {
            scene.detect(&bodies).unwrap();
            let view = scene.view().unwrap().margin();
            let met: Vec<_> = (0..300)
                .map(|i| {
                    view.touches(i).iter().any(|t| {
                        let pair = view.now().pair_of(t.contact()).unwrap();
                        pair.b >= 300
                    })
                })
                .collect();
            for (i, met) in met.iter().enumerate() {
                assert_eq!(*met, i % 3 != 1, "ball {i} at {:?}", positions[i]);
            }
        }
    }
}
