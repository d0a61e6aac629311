//! Threads and instruction sets: worlds of balls have the same bits on any, and so many phases.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::exec::Executor;
use dem_core::simd::Isa;
use dem_core::world::Records;
use dem_std::{OwnedWorld, Threads};

use super::{Case, difference};

#[test]
fn neither_lists_nor_instructions_nor_threads_change_a_bit_of_balls() {
    for (case, records) in
        [(Case::packed(), Records::Last), (Case::heap(), Records::Last), (Case::heap(), Records::None)]
    {
        let hash = |change: &dyn Fn(&mut OwnedWorld)| {
            let (world, few) = case.run(&[60, 20], true, |world| {
                change(world);
                world.keep_records(records).unwrap();
            });
            assert_eq!(few, if records == Records::Last { 2 } else { 0 });
            let spurious = world.report().unwrap().spurious;
            assert_eq!(spurious != 0.0, records == Records::Last);
            world.view().unwrap().state_hash() ^ spurious.to_bits()
        };
        let first = hash(&|_| {});
        for skin in [1e-3, 0.03, 0.2] {
            assert_eq!(hash(&|world| world.settings.skin = skin), first, "skin {skin}");
        }
        for isa in Isa::list() {
            assert_eq!(hash(&|world| world.isa = *isa), first, "{}", isa.name());
        }
        for threads in [2, 3] {
            assert_eq!(
                hash(&|world| *world = OwnedWorld::new(Threads::new(threads).unwrap())),
                first,
                "{threads} threads"
            );
        }
    }
}

/// An executor that calls some threads twice, some late and some not at all.
pub struct Faulty(pub usize);

impl Executor for Faulty {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, threads: usize, thread: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for threads in [vec![threads - 1, threads + 7], vec![0, 0], (1..threads).rev().step_by(2).collect()] {
                scope.spawn(move || threads.into_iter().for_each(thread));
            }
        });
    }
}

/// So many that lists, forces and bodies are cut into several chunks, with ids that ascend, descend, and follow no order.
#[test]
fn many_balls_have_the_same_bits_on_any_threads() {
    for stride in [1, 2743, 1235] {
        let mut case = Case::lattice(14);
        for (i, member) in (0u64..).zip(&mut case.members) {
            member.id = Some(i * stride % 2744);
        }
        let (one, few) = case.run(&[25, 5], true, |_| {});
        assert_eq!(few, 2);
        let one = one.view().unwrap().state_hash();
        let others: [&dyn Fn(&mut OwnedWorld); 6] = [
            &|world| *world = OwnedWorld::new(Threads::new(2).unwrap()),
            &|world| *world = OwnedWorld::new(Threads::new(3).unwrap()),
            &|world| *world = OwnedWorld::with_executor(Box::new(Faulty(2))),
            &|world| *world = OwnedWorld::with_executor(Box::new(Faulty(9))),
            &|world| world.settings.skin = 0.3,
            &|world| world.settings.skin = 1e-3,
        ];
        for (i, change) in others.iter().enumerate() {
            assert_eq!(case.run(&[25, 5], true, change).0.view().unwrap().state_hash(), one, "stride {stride}, {i}");
        }
        let (own, general) = (case.run(&[25, 5], true, |_| {}).0, case.run(&[25, 5], false, |_| {}).0);
        let apart = difference(&own, &general, case.setup.periods);
        assert!(apart < 1e-10, "{apart:e}");
        let [x, y] = [&own, &general].map(|world| world.report().unwrap());
        assert!(x.contacts == y.contacts && x.contacts > 5000, "{} {}", x.contacts, y.contacts);
        assert!((x.work - y.work).abs() < 1e-9 * y.work.abs(), "{} {}", x.work, y.work);
        assert!((x.rubbed - y.rubbed).abs() < 1e-9 * y.rubbed, "{} {}", x.rubbed, y.rubbed);
    }
}

/// Threads that count how often they are called.
struct Phases<'c>(Threads, &'c AtomicUsize);

impl Executor for Phases<'_> {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn run(&self, lanes: usize, lane: &(dyn Fn(usize) + Sync)) {
        self.1.fetch_add(1, Relaxed);
        self.0.run(lanes, lane);
    }

    fn enter(&self, work: &mut (dyn FnMut() + Send)) {
        self.0.enter(work);
    }
}

/// Each step but the last one of a window is two phases: copies of bodies move that other threads need, and all move as forces of the next step are found.
#[test]
fn threads_move_balls_and_find_forces_on_one_walk() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let case = Case { dt: 1e-4, ..Case::lattice(20) };
    let run = |threads: Option<usize>, steps: usize| {
        let before = CALLS.load(Relaxed);
        let (world, general) = case.run(&[steps], true, |world| {
            if let Some(threads) = threads {
                *world = OwnedWorld::with_executor(Box::new(Phases(Threads::new(threads).unwrap(), &CALLS)));
            }
            world.keep_records(Records::None).unwrap();
        });
        assert_eq!(general, 0);
        (world.view().unwrap().state_hash(), CALLS.load(Relaxed) - before)
    };
    for steps in [4, 14] {
        let (alone, _) = run(None, steps);
        assert_eq!([run(Some(2), steps).0, run(Some(3), steps).0], [alone; 2]);
    }
    for threads in [2, 3] {
        let [few, many] = [4, 14].map(|steps| run(Some(threads), steps).1);
        assert_eq!(many - few, 10 * 2, "{threads} threads: {few} {many}");
    }
}

/// So many that several threads add up forces of one part of the list after the other.
#[test]
fn very_many_balls_have_the_same_bits_on_any_threads() {
    let case = Case::lattice(36);
    let run = |threads: Option<usize>| {
        let (world, _) = case.run(&[4], true, |world| {
            if let Some(threads) = threads {
                *world = OwnedWorld::new(Threads::new(threads).unwrap());
            }
            world.keep_records(Records::None).unwrap();
        });
        let view = world.view().unwrap();
        assert!(view.sizes.ball_contacts > 2 << 16, "{}", view.sizes.ball_contacts);
        (view.state_hash(), world.report().unwrap().rubbed.to_bits())
    };
    assert_eq!([run(Some(2)), run(Some(3))], [run(None); 2]);
}
