//! Contacts of two large meshes on several threads: the same bits as on one, whatever the executor does.

use dem_core::array::{Array, Words};
use dem_core::contact::regions::Grouping;
use dem_core::contact::shape::{Placed, Shape};
use dem_core::contact::{Contact, ContactCounts, Room, Side, contacts, contacts_scratch};
use dem_core::detect::Bodies;
use dem_core::error::{Error, Kind, What};
use dem_core::exec::{Executor, Serial, Work};
use dem_core::memory::hash_items;
use dem_core::pose::Pose;
use dem_core::simd::Isa;
use dem_std::{Memory, OwnedScene, Threads};
use dem_tests::cases;
use dem_tests::contact::Body;
use dem_tests::random::Random;
use dem_tests::scene::{self, EPS, Scene};
use dem_tests::shapes::{grouped, surface};
use dem_tests::vector::add;

const ROOM: Room = Room { pairs: 30_000, terms: 60_000, segments: 10_000 };

/// An executor that runs its threads in reverse order, some of them several times or never.
struct Faulty {
    width: usize,
    times: usize,
}

impl Executor for Faulty {
    fn width(&self) -> usize {
        self.width
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        (0..self.times).for_each(|_| (0..threads + self.times).rev().for_each(thread));
    }
}

fn executors() -> Vec<(String, Box<dyn Executor + Send>)> {
    let threads = cases(&[2, 8][..], &[1, 2, 3, 8]).iter().map(|&n| -> (String, Box<dyn Executor + Send>) {
        (format!("{n} threads"), Box::new(Threads::new(n).unwrap()))
    });
    let faulty = [(2, 1), (3, 0), (5, 2), (200, 1)].map(|(width, times)| -> (String, Box<dyn Executor + Send>) {
        (format!("{width} threads {times} times"), Box::new(Faulty { width, times }))
    });
    threads.chain(faulty).collect()
}

/// The same triangles in another order.
fn shuffled(scene: &Scene) -> Scene {
    let mut random = Random::new(11);
    let mut all = [scene.a.clone(), scene.b.clone()];
    for mesh in &mut all {
        for i in (1..mesh.len()).rev() {
            mesh.swap(i, random.below(i + 1));
        }
    }
    let [a, b] = all;
    Scene { a, b, name: format!("{} shuffled", scene.name), ..scene.clone() }
}

/// Scenes: touching, penetrating, near but apart; flat; a small body on a large one.
fn scenes() -> Vec<Scene> {
    let touch = scene::rocks(20_480, "touch");
    let moved = |name: &str, by: [f64; 3]| {
        let pose_b = Pose { position: add(touch.pose_b.position, by), ..touch.pose_b };
        Scene { name: name.into(), pose_b, ..touch.clone() }
    };
    let flat = scene::boxes();
    let small = Scene { name: "small".into(), b: scene::rocks(1_280, "touch").b, ..touch.clone() };
    let middle = |mesh: &[[[f64; 3]; 3]]| {
        let sum = mesh.iter().flatten().fold([0.0; 3], |sum, v| add(sum, *v));
        sum.map(|x| x / (3 * mesh.len()) as f64)
    };
    let world = touch.world();
    let [a, b] = [middle(&world[0]), middle(&world[1])];
    let along = |t: f64| [0, 1, 2].map(|k| t * (a[k] - b[k]));
    let deep = moved("deep", along(0.1));
    let apart = moved("apart", along(-0.02));
    vec![shuffled(&touch), shuffled(&flat), touch, deep, apart, flat, small]
}

fn run(
    exec: &dyn Executor,
    isa: Isa,
    [a, b]: [&Side<'_>; 2],
    room: Room,
    threads: usize,
) -> Result<(ContactCounts, u64), Error> {
    let mut scratch = contacts_scratch(a, b, room, threads).and_then(Memory::new).unwrap();
    // The initial content of memory must not matter.
    scratch.fill(0xa5);
    let mut out = vec![Contact::default(); 20_000];
    let found = contacts(Work::new(exec, isa, &mut scratch), a, b, 9, room, &mut out)?;
    out.truncate(found.contacts);
    Ok((found, hash_items(0, &out)))
}

#[test]
fn threads_instruction_sets_and_orders_change_no_bit() {
    let executors = executors();
    for scene in scenes() {
        let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
        let sides = [&a.solid(&scene.pose_a), &b.solid(&scene.pose_b)];
        let expected = run(&Serial, Isa::SCALAR, sides, ROOM, 1).unwrap();
        let name = &scene.name;
        assert_eq!(expected.0.contacts > 0, name != "apart", "{name}");
        assert_eq!(expected.0.crossing > 0, name == "deep", "{name}: {:?}", expected.0);
        for isa in Isa::list() {
            let [one, two] =
                [1, 2].map(|threads| run(&Faulty { width: 2, times: 1 }, *isa, sides, ROOM, threads).unwrap());
            assert_eq!((one.1, two.1), (expected.1, expected.1), "{name}, {isa:?}");
        }
        for (case, exec) in &executors {
            for threads in [1, 2, exec.width()] {
                let found = run(&**exec, Isa::best(), sides, ROOM, threads).unwrap();
                assert_eq!((found.0, found.1), (expected.0, expected.1), "{name}, {case}, scratch for {threads}");
            }
        }
    }
}

#[test]
fn too_little_room_is_the_same_error_on_all_threads() {
    for scene in [scene::rocks(20_480, "touch"), scene::boxes()] {
        let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
        let sides = [&a.side(&scene.pose_a), &b.side(&scene.pose_b)];
        let mut room = Room { pairs: 10, terms: 10, segments: 0 };
        for (what, grow) in [(What::Pairs, 0), (What::Terms, 1)] {
            let [one, many] =
                [1, 5].map(|threads| run(&Faulty { width: 5, times: 1 }, Isa::best(), sides, room, threads));
            let error = one.unwrap_err();
            assert_eq!((error.kind, error.what), (Kind::Capacity, what), "{}", scene.name);
            assert_eq!(many.unwrap_err(), error, "{}", scene.name);
            // One less than what is needed is not enough; what is needed is.
            for needed in [error.needed as usize - 1, error.needed as usize] {
                *[&mut room.pairs, &mut room.terms][grow] = needed;
                let found = run(&Faulty { width: 5, times: 1 }, Isa::best(), sides, room, 5);
                let serial = run(&Serial, Isa::best(), sides, room, 1);
                assert_eq!(found, serial, "{}", scene.name);
                let short = found.is_err_and(|e| e.what == what);
                // Room for pairs is half as much again as was asked for.
                assert!(short == (grow == 1 && needed + 1 == error.needed as usize) || grow == 0 && !short, "{what:?}");
            }
        }
    }
}

#[test]
fn scratch_for_few_threads_is_enough_and_a_byte_less_than_for_one_is_not() {
    let scene = scene::rocks(1_280, "touch");
    let (a, b) = (Body::new(&scene.a, EPS), Body::new(&scene.b, EPS));
    let (a, b) = (a.side(&scene.pose_a), b.side(&scene.pose_b));
    let size = |threads: usize| contacts_scratch(&a, &b, ROOM, threads).unwrap().size;
    assert!(size(0) == size(1) && size(1) < size(2) && size(64) == size(1000));
    let mut scratch = contacts_scratch(&a, &b, ROOM, 3).and_then(Memory::new).unwrap();
    let mut out = vec![Contact::default(); 1000];
    let exec = Faulty { width: 8, times: 1 };
    let mut find =
        |bytes: usize| contacts(Work::new(&exec, Isa::best(), &mut scratch[..bytes]), &a, &b, 0, ROOM, &mut out);
    let found = find(size(1)).unwrap();
    for bytes in [size(1) + 64, size(2) - 1, size(2), size(3) - 64, size(3)] {
        assert_eq!(find(bytes), Ok(found));
    }
    let e = find(size(1) - 1).unwrap_err();
    assert_eq!((e.kind, e.what, e.needed), (Kind::Capacity, What::Scratch, size(1) as u64));
}

#[test]
fn a_scene_of_few_large_bodies_is_the_same_on_any_threads() {
    let touch = scene::rocks(20_480, "touch");
    let (a, b) = (Body::new(&touch.a, EPS), Body::new(&touch.b, EPS));
    let (rock, other) = (surface(&a, true), surface(&b, true));
    let shapes = [Shape::Mesh(&rock), Shape::Mesh(&other), Shape::Sphere { radius: 0.3, halo: EPS }];
    let (p, q) = (touch.pose_a, touch.pose_b);
    let beside = |x: f64| add(p.position, [x, 0.0, 1.1]);
    let positions = [p.position, q.position, beside(0.0), beside(0.4)];
    let orientations = [p.orientation, q.orientation, [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]];
    let kinds = [0, 1, 2, 2];
    let bodies = Bodies {
        orientations: Some(Array::from_quaternions(&orientations)),
        ..Bodies::new(&shapes, Words::from_slice(&kinds), Array::from_f64(&positions))
    };
    let mut expected = None;
    let serial: (String, Box<dyn Executor + Send>) = ("serial".into(), Box::new(Serial));
    for (case, exec) in [serial].into_iter().chain(executors()) {
        let mut scene = OwnedScene::with_executor(exec);
        let found = scene.detect(&bodies).unwrap();
        let view = scene.view().unwrap();
        let seen = (found, view.now().contacts().to_vec());
        match &expected {
            None => {
                let at = |i: usize, pose| Placed { shape: shapes[i], pose, scale: 1.0 };
                let alone = grouped(&at(0, &p), &at(1, &q), &Grouping::default());
                assert!(alone.len() == 1 && found.contacts > alone.len(), "{found:?}");
                let own = seen.1.iter().take(alone.len());
                assert!(own.zip(&alone).all(|(x, y)| Contact { key: y.key, ..*x } == *y && x.key[1] == y.key[1]));
                expected = Some(seen);
            }
            Some(expected) => assert!(*expected == seen, "{case}"),
        }
    }
}
