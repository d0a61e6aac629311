//! Memory of worlds of balls: how much they take, and what too little of it does.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use dem_core::contact::Room;
use dem_core::contact::shape::Shape;
use dem_core::detect::Settings;
use dem_core::error::{Error, Kind, What};
use dem_core::exec::Serial;
use dem_core::force::Laws;
use dem_core::memory::{self, Layout};
use dem_core::simd::Isa;
use dem_core::world::{Law, StepInputs, World, WorldRef, WorldSizes, world_scratch};
use dem_std::{Memory, OwnedWorld};

use super::{Case, Counted, SHAPES};

/// What a million balls with 1.8 million contacts and 3 million pairs in the list take without records: the block, and scratch of one and of two threads.
#[test]
fn a_million_balls_take_no_more_than() {
    let (bodies, ball_pairs, ball_contacts) = (1_000_000, 3_000_000, 1_800_000);
    let sizes =
        WorldSizes { bodies, candidates: 0, contacts: 0, nodes: 0, levels: 8, ball_pairs, ball_contacts, events: 0 };
    let settings = OwnedWorld::with_executor(Box::new(Serial)).settings;
    let block = World::layout(&sizes).unwrap().size;
    let scratch = [1, 2].map(|threads| world_scratch(&sizes, &SHAPES, &settings, threads).unwrap().size);
    memory::walk(&sizes, &mut |section| {
        if section.bytes > 10_000 {
            println!("{:>12} {}", section.bytes, section.name);
        }
    });
    println!("{scratch:?} bytes of scratch");
    assert!(block <= 480_000_000 && scratch[0] <= 100_000 && block + scratch[1] <= 500_000_000, "{block} {scratch:?}");
}
pub const AMPLE: WorldSizes = WorldSizes {
    bodies: 256,
    candidates: 8000,
    contacts: 4000,
    nodes: 9000,
    levels: 8,
    ball_pairs: 8000,
    ball_contacts: 4000,
    events: 0,
};

/// Which of the sizes an error is about (candidates, contacts, pairs and contacts of balls, nodes), and those that it says will do.
pub fn roomier(error: &Error, sizes: &WorldSizes) -> (usize, WorldSizes) {
    let needed = error.needed as u32;
    match (error.what, error.component) {
        (What::Candidates, 0) => (0, WorldSizes { candidates: needed, ..*sizes }),
        (What::Contacts, 0) => (1, WorldSizes { contacts: needed, ..*sizes }),
        (What::Candidates, 1) => (2, WorldSizes { ball_pairs: needed, ..*sizes }),
        (What::Contacts, 1) => (3, WorldSizes { ball_contacts: needed, ..*sizes }),
        (What::Nodes, _) => (4, WorldSizes { nodes: needed, ..*sizes }),
        what => panic!("{what:?}"),
    }
}

/// A world of the host's own memory.
pub struct Roomy {
    pub block: Memory,
    pub sizes: WorldSizes,
    scratch: Memory,
}

impl Roomy {
    pub fn new(case: &Case, sizes: WorldSizes) -> Roomy {
        let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
        let mut world = World::init(&mut block, &sizes).unwrap();
        world.set_up(&case.setup).unwrap();
        case.members.iter().for_each(|member| _ = world.add(member).unwrap());
        Roomy { block, sizes, scratch: Memory::new(Layout { size: 9 << 20, align: 64 }).unwrap() }
    }

    pub fn advance<L: Law>(&mut self, steps: usize, dt: f64, law: &L) -> dem_core::error::Result<()> {
        self.advance_with(&SHAPES, steps, dt, law)
    }

    pub fn advance_with<L: Law>(
        &mut self,
        shapes: &[Shape<'_>],
        steps: usize,
        dt: f64,
        law: &L,
    ) -> dem_core::error::Result<()> {
        let own = OwnedWorld::with_executor(Box::new(Serial)).settings;
        let drive = StepInputs {
            shapes,
            exec: &Serial,
            isa: Isa::best(),
            settings: Settings { room: Room { pairs: 2048, terms: 8192, segments: 512 }, ..own },
            law,
        };
        World::open(&mut self.block).unwrap().advance(steps as f64 * dt, dt, &drive, &mut self.scratch)
    }

    pub fn hash(&self) -> u64 {
        let world = WorldRef::peek(&self.block).unwrap();
        world.state_hash() ^ world.report(&Serial).unwrap().spurious.to_bits()
    }

    pub fn copied(&self) -> Roomy {
        let layout = Layout { size: self.block.len(), align: 64 };
        let mut block = Memory::new(layout).unwrap();
        block.copy_from_slice(&self.block);
        Roomy { block, sizes: self.sizes, scratch: Memory::new(Layout { size: 9 << 20, align: 64 }).unwrap() }
    }

    pub fn grow(&mut self, sizes: WorldSizes) {
        let mut block = Memory::new(World::layout(&sizes).unwrap()).unwrap();
        World::grow(&self.block, &mut block, &sizes).unwrap();
        (self.block, self.sizes) = (block, sizes);
    }
}

#[test]
fn too_little_room_within_steps_of_balls_changes_no_bit() {
    for case in [Case::packed(), Case::heap()] {
        let laws = Laws::new(&case.table).unwrap();
        let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
        let ample = AMPLE;
        let mut with_room = Roomy::new(&case, ample);
        with_room.advance(120, case.dt, &law).unwrap();
        assert_eq!(law.steps.swap(0, Relaxed), 1);
        let mut short =
            Roomy::new(&case, WorldSizes { candidates: 1, contacts: 1, ball_pairs: 1, ball_contacts: 1, ..ample });
        let mut seen = [0; 4];
        while let Err(error) = short.advance(120, case.dt, &law) {
            assert_eq!(error.kind, Kind::Capacity, "{error:?}");
            assert!(error.needed > error.given);
            // The same once more tells the same, and changes nothing.
            let hash = short.hash();
            assert_eq!(short.advance(120, case.dt, &law), Err(error));
            assert_eq!(short.hash(), hash);
            let (place, sizes) = roomier(&error, &short.sizes);
            seen[place] += 1;
            short.grow(sizes);
        }
        assert!(seen.iter().all(|count| *count >= 1), "{seen:?}");
        assert_eq!(law.steps.swap(0, Relaxed), 1);
        assert_eq!(short.hash(), with_room.hash());
    }
}

#[test]
fn a_window_of_balls_that_found_too_little_room_can_be_ended() {
    let case = Case::packed();
    let laws = Laws::new(&case.table).unwrap();
    let law = Counted { laws, known: true, steps: AtomicUsize::new(0) };
    let sizes = AMPLE;
    let mut world = Roomy::new(&case, sizes);
    world.advance(20, case.dt, &law).unwrap();
    let before = world.hash();
    let mut small = Roomy::new(&case, WorldSizes { contacts: 200, ball_pairs: 500, ball_contacts: 200, ..sizes });
    let start = small.hash();
    let error = small.advance(20, case.dt, &law).unwrap_err();
    assert_eq!(error.kind, Kind::Capacity);
    let mut own = World::open(&mut small.block).unwrap();
    assert_eq!(own.add(&case.members[0]).unwrap_err().what, What::Window);
    own.abandon().unwrap();
    assert_eq!(own.abandon().unwrap_err().kind, Kind::Unsupported);
    assert_eq!(small.hash(), start);
    small.grow(sizes);
    small.advance(20, case.dt, &law).unwrap();
    assert_eq!(small.hash(), before);
}
