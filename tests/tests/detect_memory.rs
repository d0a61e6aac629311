//! Memory of scenes: copies, larger blocks, and errors that tell the exact capacity needed.

use dem_core::array::{Array, Words};
use dem_core::detect::{
    Before, Bodies, Detected, Ended, Scene, SceneRef, SceneSizes, Settings, Shortage, Unfinished, detect_scratch,
};
use dem_core::error::{Kind, What};
use dem_core::exec::Serial;
use dem_core::memory::Layout;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::crowd::{Crowd, Stock, parts, shapes};
use dem_tests::random::Random;

#[test]
fn a_copy_or_a_larger_block_goes_on_where_the_first_was() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let mut crowd = Crowd::new(200, 5.0, 8);
    let settings = Settings {
        room: dem_core::contact::Room { pairs: 40_000, terms: 40_000, segments: 20_000 },
        pair_contacts: 2000,
        ..Settings::default()
    };
    let sizes = SceneSizes {
        bodies: 200,
        candidates: 4000,
        contacts: 8000,
        nodes: 10_000,
        posed: 0,
        levels: 4,
        margin_contacts: 0,
    };
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
    let mut settings = Settings { pair_contacts: 0, ..Settings::default() };
    settings.room = dem_core::contact::Room { pairs: 0, terms: 0, segments: 0 };
    let mut sizes =
        SceneSizes { bodies: 150, candidates: 0, contacts: 0, nodes: 0, posed: 0, levels: 3, margin_contacts: 0 };
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
                        What::Nodes => sizes.nodes = e.needed as u32,
                        What::Pairs => settings.room.pairs = e.needed as usize,
                        What::Terms => settings.room.terms = e.needed as usize,
                        What::Segments => settings.room.segments = e.needed as usize,
                        What::Output => settings.pair_contacts = e.needed as u32,
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
            sizes = SceneSizes {
                candidates: 2 * sizes.candidates,
                contacts: 2 * sizes.contacts,
                nodes: 2 * sizes.nodes,
                ..sizes
            };
            let Settings { room, pair_contacts, .. } = &mut settings;
            (room.pairs, room.terms, room.segments) = (2 * room.pairs, 2 * room.terms, 2 * room.segments);
            *pair_contacts *= 2;
            let mut larger = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
            Scene::grow(&block, &mut larger, &sizes).unwrap();
            block = larger;
            crowd.stir(0.1, &mut Random::new(6));
        } else {
            assert_eq!(found, generous.0);
        }
    }
    assert_eq!(SceneRef::peek(&block).unwrap().links(), &generous.1[..]);
    for what in [What::Candidates, What::Pairs, What::Terms, What::Segments, What::Output, What::Contacts, What::Nodes]
    {
        assert_eq!(met.iter().filter(|met| **met == what).count(), 1, "{what:?} of {met:?}");
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

/// Contacts of both lists.
type Lists = [Vec<dem_core::contact::Contact>; 2];

/// A step in a block of its own, with these bytes of the scratch of the one before, if any; and the scratch that it leaves.
fn go_on(
    (block, sizes): (&mut Memory, &SceneSizes),
    bodies: &Bodies<'_>,
    settings: &Settings,
    before: Option<&(Memory, Unfinished)>,
) -> (Ended<Detected>, Lists, Memory) {
    let exec = Threads::new(2).unwrap();
    let mut scratch = Memory::new(detect_scratch(sizes, bodies, settings, 2).unwrap()).unwrap();
    let mut scene = Scene::open(block).unwrap();
    let before = before.map(|(scratch, unfinished)| Before { scratch, unfinished: *unfinished });
    let ended = scene.find_after(&exec, Isa::best(), bodies, None, settings, before.as_ref(), &mut scratch).unwrap();
    let view = scene.as_ref();
    let lists = [view, view.margin()].map(|view| view.now().contacts().to_vec());
    (ended, lists, scratch)
}

#[test]
fn a_step_tells_all_that_is_short_and_with_more_room_takes_what_was_found() {
    let stock = Stock::new();
    let surfaces = stock.surfaces();
    let parts = parts(&surfaces);
    let shapes = shapes(&surfaces, &parts);
    let crowd = Crowd::new(150, 4.0, 9);
    let bodies = crowd.bodies(&shapes, false);
    for margin in [0.0, 0.02] {
        let wide = dem_core::contact::Room { pairs: 40_000, terms: 40_000, segments: 20_000 };
        let ample = Settings { room: wide, pair_contacts: 2000, margin, ..Settings::default() };
        let many = SceneSizes {
            bodies: 150,
            candidates: 4000,
            contacts: 9000,
            nodes: 9000,
            posed: 0,
            levels: 3,
            margin_contacts: 9000,
        };
        let mut block = Memory::new(Scene::layout(&many).unwrap()).unwrap();
        Scene::init(&mut block, &many).unwrap();
        let (ended, expected, _) = go_on((&mut block, &many), &bodies, &ample, None);
        assert!(matches!(ended, Ended::Done(found) if found.contacts > 100), "{ended:?}");

        let few = dem_core::contact::Room { pairs: 60, terms: 240, segments: 15 };
        let mut settings = Settings { room: few, pair_contacts: 8, ..ample };
        let mut sizes = SceneSizes { contacts: 60, margin_contacts: 60, ..many };
        let mut block = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
        Scene::init(&mut block, &sizes).unwrap();
        let (mut before, mut rounds): (Option<(Memory, Unfinished)>, Vec<Shortage>) = (None, Vec::new());
        let mut changed = 0;
        let lists = loop {
            let (ended, lists, scratch) = go_on((&mut block, &sizes), &bodies, &settings, before.as_ref());
            let Ended::Short(short) = ended else { break lists };
            rounds.push(short.shortage);
            assert!(rounds.len() < 6, "{rounds:?}");
            let alone = Scene::open(&mut block).unwrap().find(
                &Serial,
                Isa::best(),
                &bodies,
                &settings,
                &mut Memory::new(detect_scratch(&sizes, &bodies, &settings, 1).unwrap()).unwrap(),
            );
            assert_eq!(alone, Err(short.error), "the first of it");
            assert!(short.shortage.make_room(&mut settings, &mut sizes).unwrap() || rounds.len() > 1);
            let mut larger = Memory::new(Scene::layout(&sizes).unwrap()).unwrap();
            Scene::grow(&block, &mut larger, &sizes).unwrap();
            block = larger;
            let mut scratch = scratch;
            changed += mark(&mut scratch, &expected);
            before = Some((scratch, short.unfinished.unwrap()));
        };
        let first = rounds[0];
        assert!(first.pairs > 60 && first.contacts > 60 && first.candidates == 0, "{first:?}");
        assert!(margin == 0.0 || first.margin_contacts > first.contacts / 2, "{first:?}");
        // What was found is not computed again: numbers that were changed in the scratch are there.
        let mut differ = 0;
        for (list, expected) in lists.iter().zip(&expected) {
            assert_eq!(list.len(), expected.len());
            for (contact, expected) in list.iter().zip(expected).filter(|(a, b)| a != b) {
                assert_eq!(contact, &dem_core::contact::Contact { area: MARK, ..*expected });
                differ += 1;
            }
        }
        // Where lists were too small, what was changed may not have been in them.
        assert!((1..=changed).contains(&differ), "{differ} of {changed}");
    }
}

const MARK: f64 = 123.456;

/// Changes the areas of contacts that lie in this memory; gives how many.
fn mark(memory: &mut [u8], lists: &Lists) -> usize {
    let areas: std::collections::HashSet<u64> = lists.iter().flatten().map(|c| c.area.to_bits()).collect();
    let words =
        memory.chunks_exact_mut(8).filter(|word| areas.contains(&u64::from_ne_bytes((**word).try_into().unwrap())));
    words.map(|word| word.copy_from_slice(&MARK.to_ne_bytes())).count()
}
