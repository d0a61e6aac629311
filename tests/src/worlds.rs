//! A world with its memory, without the conveniences of `dem-std`.

use dem_core::contact::shape::Shape;
use dem_core::detect::Settings;
use dem_core::exec::Executor;
use dem_core::memory::Layout;
use dem_core::simd::Isa;
use dem_core::world::{Law, PollResult, StepInputs, StepOptions, World, WorldRef, WorldSizes};
use dem_std::Memory;

/// Settings with room for boxes that penetrate each other.
pub fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.room.segments = 256;
    settings
}

/// A world with its memory.
pub struct Own {
    /// The world.
    pub block: Memory,
    /// Scratch of each poll.
    pub scratch: Memory,
}

impl Own {
    /// An empty world.
    pub fn new(sizes: &WorldSizes) -> Own {
        let mut block = Memory::new(World::layout(sizes).unwrap()).unwrap();
        World::init(&mut block, sizes).unwrap();
        Own { block, scratch: Memory::new(Layout { size: 1 << 22, align: 64 }).unwrap() }
    }

    /// Opens the world for calls.
    pub fn world(&mut self) -> World<'_> {
        World::open(&mut self.block).unwrap()
    }

    /// Opens the world for reading.
    pub fn view(&self) -> WorldRef<'_> {
        WorldRef::peek(&self.block).unwrap()
    }

    /// One poll with [`settings`].
    pub fn poll<L: Law>(
        &mut self,
        shapes: &[Shape<'_>],
        law: &L,
        exec: &dyn Executor,
    ) -> dem_core::error::Result<PollResult> {
        let drive = StepInputs { shapes, exec, isa: Isa::best(), settings: settings(), law };
        World::open(&mut self.block).unwrap().poll(&drive, &mut self.scratch)
    }

    /// A step, with the result of its last poll.
    pub fn step<L: Law>(&mut self, dt: f64, shapes: &[Shape<'_>], law: &L, exec: &dyn Executor) -> PollResult {
        self.world().begin(&StepOptions::new(dt)).unwrap();
        loop {
            match self.poll(shapes, law, exec).unwrap() {
                PollResult::More => {}
                want => return want,
            }
        }
    }
}

/// Room for some dozens of bodies.
pub const SIZES: WorldSizes = WorldSizes {
    bodies: 64,
    candidates: 2000,
    contacts: 1000,
    nodes: 2000,
    levels: 4,
    ball_pairs: 2000,
    ball_contacts: 1000,
    events: 0,
};
