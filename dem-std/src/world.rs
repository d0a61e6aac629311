//! `OwnedWorld`: a world with memory that grows as needed.

use crate::Memory;
#[cfg(feature = "rayon")]
use crate::Threads;
use crate::scene::grown_corners;
use dem_core::array::{Array, Words};
use dem_core::body::Body;
use dem_core::contact::shape::Shape;
use dem_core::contact::{Corner, CornerLimits};
use dem_core::detect::{Before, Bodies, ScenePair, Settings, Unfinished, Wrench};
use dem_core::error::fields::NOTHING_YET;
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Executor;
use dem_core::memory::{ALIGN, Layout, seal, verify};
use dem_core::rays::{Hit, Ray, cast_bodies, cast_bodies_all, cast_bodies_scratch};
use dem_core::simd::Isa;
use dem_core::world::{
    BodyDef, HandedOn, Handle, HostLaw, Law, Phase, PollResult, Records, Report, Setup, StepInputs, StepOptions,
    WindowStep, World, WorldRef, WorldSizes, surfaces_scratch, world_scratch,
};

/// Bodies that move, on threads, in its own memory, which grows as needed.
///
/// A ball falls on the ground and comes to rest:
///
/// ```
/// use dem_std::dem_core::body::Body;
/// use dem_std::dem_core::contact::shape::Shape;
/// use dem_std::dem_core::detect::laws::{ContactInput, ContactResponse};
/// use dem_std::dem_core::pose::Pose;
/// use dem_std::dem_core::world::{BodyDef, Setup};
/// use dem_std::{OwnedWorld, Threads};
///
/// let shapes = [Shape::HalfSpace { halo: 0.01 }, Shape::Sphere { radius: 0.5, halo: 0.01 }];
/// let mut world = OwnedWorld::new(Threads::global());
/// world.set_up(&Setup { gravity: [0.0, 0.0, -10.0], ..Setup::default() })?;
/// world.add(&BodyDef::new(Body::fixed(Pose::IDENTITY), 0))?;
/// let ball = world.add(&BodyDef::new(Body::ball(0.5, 1000.0, [0.0, 0.0, 0.6])?, 1))?;
///
/// // Pressure within halos, and more of it where surfaces approach.
/// let law = |at: &ContactInput<'_, 5>| {
///     let c = at.contact;
///     let approach = -(0..3).map(|i| at.velocity[i] * c.normal[i]).sum::<f64>();
///     let push = (3e7 * (1.0 - c.gap / c.halo) * c.area * (1.0 + 3.0 * approach)).max(0.0);
///     ContactResponse { force: c.normal.map(|n| push * n), torque: [0.0; 3], springs: [[0.0; 3]; 5] }
/// };
/// world.advance(2.0, 1e-3, &shapes, &law)?;
/// let body = world.view()?.body(ball)?;
/// assert!((body.position[2] - 0.5).abs() < 0.02 && body.velocity[2].abs() < 1e-3);
/// # Ok::<(), dem_std::dem_core::error::Error>(())
/// ```
pub struct OwnedWorld {
    /// Settings of the search for contacts: sliding distance of contacts, and skin of the neighbour list. Capacities grow automatically.
    pub settings: Settings,
    /// Instruction set of the kernels; all give the same bits.
    pub isa: Isa,
    exec: Box<dyn Executor + Send>,
    block: Memory,
    scratch: Memory,
}

/// The initial room of a world.
const FIRST: WorldSizes = WorldSizes {
    bodies: 16,
    candidates: 16,
    contacts: 16,
    nodes: 0,
    levels: 8,
    ball_pairs: 16,
    ball_contacts: 16,
    events: 0,
};

impl OwnedWorld {
    /// An empty world that runs on these threads.
    #[cfg(feature = "rayon")]
    pub fn new(threads: Threads) -> Self {
        OwnedWorld::with_executor(Box::new(threads))
    }

    /// An empty world that runs on this executor.
    pub fn with_executor(exec: Box<dyn Executor + Send>) -> Self {
        let (block, scratch) = (Memory::default(), Memory::default());
        OwnedWorld { settings: Settings::default(), isa: Isa::best(), exec, block, scratch }
    }

    /// A world from the bytes of [`OwnedWorld::save`]; it continues with the same bits.
    ///
    /// Errors: [`Kind::Damaged`] if a byte has changed or the format has another version; [`Kind::TooLarge`].
    pub fn load(saved: &[u8], exec: Box<dyn Executor + Send>) -> Result<Self> {
        let mut block = Memory::new(Layout { size: saved.len(), align: ALIGN })?;
        block.copy_from_slice(saved);
        verify(&block)?;
        WorldRef::open(&block)?;
        Ok(OwnedWorld { block, ..OwnedWorld::with_executor(exec) })
    }

    /// The whole world as bytes for a file, with a version and a checksum.
    ///
    /// Errors: none, unless there is no memory for a first body.
    pub fn save(&mut self) -> Result<&[u8]> {
        self.open()?;
        seal(&mut self.block)?;
        Ok(&self.block)
    }

    /// A view of the world.
    ///
    /// Errors: [`Kind::Null`] before the first call that adds a body, sets the world up or takes a step.
    pub fn view(&self) -> Result<WorldRef<'_>> {
        // Without a block, nothing has been added yet.
        if self.block.is_empty() {
            return Err(Error::new(Kind::Null, What::World).at(0, NOTHING_YET));
        }
        WorldRef::peek(&self.block)
    }

    /// The executor on which the world runs.
    pub fn executor(&self) -> &dyn Executor {
        &*self.exec
    }

    /// Gravity and periods: see [`World::set_up`]. Errors: those.
    pub fn set_up(&mut self, setup: &Setup) -> Result<()> {
        self.open()?.set_up(setup)
    }

    /// Which steps of a window have records of all contacts: see [`World::keep_records`]. A world without records from the start allocates no
    /// memory for them until a step needs them. Errors: those.
    pub fn keep_records(&mut self, records: Records) -> Result<()> {
        if self.block.is_empty() && records == Records::None {
            self.grow(WorldSizes { candidates: 0, contacts: 0, ..FIRST })?;
        }
        self.open()?.keep_records(records)
    }

    /// Adds a body: see [`World::add`]. Errors: those, except for too little room.
    pub fn add(&mut self, member: &BodyDef) -> Result<Handle> {
        match self.open()?.add(member) {
            Err(e) if e.kind == Kind::Capacity => {
                let bodies = u32::try_from(e.needed + e.needed / 2).map_err(|_| Error { kind: Kind::TooLarge, ..e })?;
                let sizes = self.open()?.sizes;
                self.grow(WorldSizes { bodies: bodies.max(16), ..sizes })?;
                self.open()?.add(member)
            }
            done => done,
        }
    }

    /// Removes a body: see [`World::remove`]. Errors: those.
    pub fn remove(&mut self, handle: Handle) -> Result<()> {
        self.open()?.remove(handle)
    }

    /// Moves a body to another place: see [`World::set_body`]. Errors: those.
    pub fn set_body(&mut self, handle: Handle, body: &Body) -> Result<()> {
        self.open()?.set_body(handle, body)
    }

    /// The data that contacts of these bodies keep for the next step, for [`OwnedWorld::unpack_springs`] of another world, when a body moves to
    /// another process: see [`World::pack_springs`]. Errors: those, except for too little room.
    pub fn pack_springs(&mut self, handles: &[Handle]) -> Result<Vec<u8>> {
        let mut records = Vec::new();
        match self.open()?.pack_springs(handles.iter().copied(), &mut records) {
            Err(e) if e.kind == Kind::Capacity => {
                records = vec![0; e.needed as usize];
                self.open()?.pack_springs(handles.iter().copied(), &mut records)?;
                Ok(records)
            }
            done => done.map(|_| records),
        }
    }

    /// Takes in data from [`OwnedWorld::pack_springs`] of other worlds, concatenated: see [`World::unpack_springs`]. Errors: those, except for too
    /// little room.
    pub fn unpack_springs(&mut self, records: &[u8]) -> Result<usize> {
        loop {
            match self.open()?.unpack_springs(records) {
                Err(e) if e.kind == Kind::Capacity => {
                    let mut sizes = self.open()?.sizes;
                    let short = self.view()?.shortage();
                    if !sizes.make_room(&short, &mut self.settings)? {
                        return Err(e);
                    }
                    self.grow(sizes)?;
                }
                done => return done,
            }
        }
    }

    /// Changes all properties of a body: see [`World::set_member`]. Errors: those.
    pub fn set_member(&mut self, handle: Handle, member: &BodyDef) -> Result<()> {
        self.open()?.set_member(handle, member)
    }

    /// Sets whether all steps of windows are watched: see [`World::watch`]. Errors: those.
    pub fn watch(&mut self, on: bool) -> Result<()> {
        self.open()?.watch(on)
    }

    /// Changes the host's wrenches: see [`World::loads_mut`]. Errors: those.
    pub fn with_loads<R>(&mut self, change: impl FnOnce(&mut [Wrench]) -> R) -> Result<R> {
        Ok(change(self.open()?.loads_mut()?))
    }

    /// Fills in the host's law: see [`World::law_mut`]. Errors: those.
    pub fn with_law<R>(&mut self, fill: impl FnOnce(HostLaw<'_>) -> R) -> Result<R> {
        Ok(fill(self.open()?.law_mut()?))
    }

    /// Begins a step: see [`World::begin`]. Errors: those.
    pub fn begin(&mut self, step: &StepOptions) -> Result<()> {
        self.open()?.begin(step)
    }

    /// Runs one phase of a step: see [`World::poll`].
    ///
    /// Errors: those, but for too little room; [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn poll<L: Law>(&mut self, shapes: &[Shape<'_>], law: &L) -> Result<PollResult> {
        self.roomy(shapes, law, |world, drive, handed, scratch| world.poll_after(drive, handed, scratch))
    }

    /// Accepts a complete step: see [`World::accept`]. Errors: those.
    pub fn accept(&mut self) -> Result<()> {
        self.open()?.accept()
    }

    /// Undoes a step: see [`World::abandon`]. Errors: those.
    pub fn abandon(&mut self) -> Result<()> {
        self.open()?.abandon()
    }

    /// Advances the world over a window of time: see [`World::advance`].
    ///
    /// Errors: those, except for too little room; [`Kind::TooLarge`] where the machine has not enough memory. After an error the world is at the
    /// last accepted step.
    pub fn advance<L: Law>(&mut self, length: f64, most_dt: f64, shapes: &[Shape<'_>], law: &L) -> Result<()> {
        // A step that the host has begun is left to the host.
        let idle = self.open()?.as_ref().phase() == Phase::Idle;
        let done = self.roomy(shapes, law, |world, drive, handed, scratch| {
            world.advance_after(length, most_dt, drive, handed, scratch)
        });
        self.after(done, idle)
    }

    /// Makes the next step of a window, for instance to refit walls whose vertices move after each step: see [`World::advance_step`].
    ///
    /// Errors: as for [`OwnedWorld::advance`].
    pub fn advance_step<L: Law>(
        &mut self,
        length: f64,
        most_dt: f64,
        shapes: &[Shape<'_>],
        law: &L,
    ) -> Result<WindowStep> {
        // A step that the host has begun is left to the host.
        let idle = self.open()?.as_ref().phase() == Phase::Idle;
        let done = self.roomy(shapes, law, |world, drive, handed, scratch| {
            world.advance_step_after(length, most_dt, drive, handed, scratch)
        });
        self.after(done, idle)
    }

    /// Undoes the step of a call of `advance` or `advance_step` that failed. A window of another length, which the call was not allowed to
    /// continue, stays.
    fn after<T>(&mut self, done: Result<T>, idle: bool) -> Result<T> {
        if let Err(error) = &done
            && idle
            && (error.kind, error.what) != (Kind::Mismatch, What::Window)
        {
            // An error of `abandon` only means that there is nothing to undo.
            _ = self.open()?.abandon();
        }
        done
    }

    /// A copy of the current world, also in the middle of a step: for [`OwnedWorld::go_back`], as engines with rollback need it. Settings and
    /// threads are not included.
    pub fn copy(&self) -> Memory {
        self.block.clone()
    }

    /// Restores a copy of this or another world. All later results have the bits that they had there. Cost: that of copying the bytes.
    ///
    /// Errors: [`Kind::Damaged`] and others if the copy is no world. Nothing changes then.
    pub fn go_back(&mut self, copy: &Memory) -> Result<()> {
        if !copy.is_empty() {
            WorldRef::peek(copy)?;
        }
        take(&mut self.block, copy);
        Ok(())
    }

    /// Energies, works and momenta: see [`WorldRef::report`]. Errors: those of [`OwnedWorld::view`].
    pub fn report(&self) -> Result<Report> {
        self.view()?.report(&*self.exec)
    }

    /// The pairs of bodies that overlap in the accepted state, the deepest first: see [`World::overlaps`]. Use it to check a world before its first
    /// step. The law is not called.
    ///
    /// Errors: those of [`World::overlaps`], except for too little room; [`Kind::TooLarge`] where the machine has not enough memory. Cost: that of
    /// contacts of one step; twice that if more than 16 pairs overlap.
    pub fn overlaps<L: Law>(&mut self, shapes: &[Shape<'_>], law: &L) -> Result<Vec<ScenePair>> {
        let mut pairs = vec![ScenePair::default(); 16];
        loop {
            let found = self.roomy(shapes, law, |world, drive, handed, scratch| {
                world.overlaps_after(drive, handed, &mut pairs, scratch)
            });
            match found {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Output => {
                    pairs = vec![ScenePair::default(); e.needed as usize];
                }
                found => {
                    pairs.truncate(found?);
                    return Ok(pairs);
                }
            }
        }
    }

    /// For each ray, the first body that it meets in the accepted state; bodies are given by their slots. See [`cast_bodies`], also for its cost.
    ///
    /// Errors: those of [`cast_bodies`]; [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn cast(&self, rays: &[Ray], shapes: &[Shape<'_>]) -> Result<Vec<Hit>> {
        let mut hits = vec![Hit::NOTHING; rays.len()];
        self.seen(shapes, |bodies, scratch| cast_bodies(&*self.exec, bodies, rays, &mut hits, scratch))?;
        Ok(hits)
    }

    /// All points where rays meet bodies, ray by ray, and where the hits of each ray end: see [`cast_bodies_all`].
    ///
    /// Errors: those of [`cast_bodies_all`]; [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn cast_all(&self, rays: &[Ray], shapes: &[Shape<'_>]) -> Result<(Vec<Hit>, Vec<u64>)> {
        let (mut hits, mut ends) = (Vec::new(), vec![0; rays.len()]);
        self.seen(shapes, |bodies, scratch| {
            let mut cast = |hits: &mut Vec<Hit>| cast_bodies_all(&*self.exec, bodies, rays, hits, &mut ends, scratch);
            match cast(&mut hits) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Output => {
                    hits = vec![Hit::NOTHING; e.needed as usize];
                    cast(&mut hits)
                }
                done => done,
            }
        })?;
        Ok((hits, ends))
    }

    /// The corners of all contacts of the current or the last accepted step, up to `most` for each contact (0 means [`CornerLimits::MANIFOLD`],
    /// four; [`CornerLimits::ALL`] means all): see [`WorldRef::corners`]. Empty if no body has been added yet.
    ///
    /// Errors: those of [`WorldRef::corners`], except for memory that is too small; [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn corners(&self, most: usize, shapes: &[Shape<'_>]) -> Result<Vec<Corner>> {
        if self.block.is_empty() {
            return Ok(Vec::new());
        }
        let (world, exec) = (self.view()?, &*self.exec);
        grown_corners(CornerLimits { pairs: self.settings.room.pairs, most }, |limits, corners| {
            let layout = world.corners_scratch(shapes, limits, corners.len(), exec.width())?;
            world.corners(exec, self.isa, shapes, limits, corners, &mut Memory::new(layout)?)
        })
    }

    /// Calls `work` with the bodies of the accepted state, and with scratch for rays.
    fn seen<R>(&self, shapes: &[Shape<'_>], work: impl FnOnce(&Bodies<'_>, &mut [u8]) -> Result<R>) -> Result<R> {
        let work = |bodies: &Bodies<'_>| work(bodies, &mut Memory::new(cast_bodies_scratch(bodies)?)?);
        if self.block.is_empty() {
            // Nothing has been added yet.
            return work(&Bodies::new(shapes, Words::from_slice(&[]), Array::from_f64(&[])));
        }
        self.view()?.with_bodies(shapes, work)
    }

    /// The world itself, for functions that have no method here: materials, room for later bodies, numbers of loads. A step that is polled there
    /// gets no more room automatically.
    ///
    /// Errors: [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn open(&mut self) -> Result<World<'_>> {
        if self.block.is_empty() {
            self.grow(FIRST)?;
        }
        World::open(&mut self.block)
    }

    /// Repeats a call with more room until there is enough.
    fn roomy<L: Law, R>(
        &mut self,
        shapes: &[Shape<'_>],
        law: &L,
        mut call: impl FnMut(&mut World<'_>, &StepInputs<'_, L>, &mut HandedOn<'_>, &mut [u8]) -> Result<R>,
    ) -> Result<R> {
        // A call reuses what an earlier attempt with too little room has left in its scratch.
        let mut kept: Option<(Memory, Unfinished)> = None;
        loop {
            let mut sizes = self.open()?.sizes;
            let threads = self.exec.width();
            let layout = world_scratch(&sizes, shapes, &self.settings, threads)?;
            let layout = layout.or(surfaces_scratch(&sizes, law.surfaces(), threads)?);
            if self.scratch.len() < layout.size {
                self.scratch = Memory::default();
                self.scratch = Memory::new(layout)?;
            }
            let settings = Settings { grows: true, ..self.settings };
            let drive = StepInputs { shapes, exec: &*self.exec, isa: self.isa, settings, law };
            let before = kept.as_ref().map(|(scratch, unfinished)| Before { scratch, unfinished: *unfinished });
            let mut handed = HandedOn { before, left: None };
            match call(&mut World::open(&mut self.block)?, &drive, &mut handed, &mut self.scratch) {
                Err(e) if e.kind == Kind::Capacity => {
                    kept = handed.left.map(|unfinished| (core::mem::take(&mut self.scratch), unfinished));
                    let (short, before) = (WorldRef::peek(&self.block)?.shortage(), self.settings);
                    if sizes.make_room(&short, &mut self.settings)? {
                        self.grow(sizes)?;
                    } else if before == self.settings {
                        // More room does not help.
                        return Err(e);
                    }
                }
                done => return done,
            }
        }
    }

    /// Reserves room for at least these sizes. A host that knows the final size of its world saves the copies of growing. Larger existing room
    /// stays.
    ///
    /// Errors: [`Kind::TooLarge`] where the machine has not enough memory.
    pub fn reserve(&mut self, sizes: &WorldSizes) -> Result<()> {
        let room = if self.block.is_empty() { FIRST } else { self.open()?.sizes };
        let sizes = WorldSizes {
            bodies: room.bodies.max(sizes.bodies),
            candidates: room.candidates.max(sizes.candidates),
            contacts: room.contacts.max(sizes.contacts),
            nodes: room.nodes.max(sizes.nodes),
            levels: if self.block.is_empty() { sizes.levels } else { room.levels },
            ball_pairs: room.ball_pairs.max(sizes.ball_pairs),
            ball_contacts: room.ball_contacts.max(sizes.ball_contacts),
            events: room.events.max(sizes.events),
        };
        if self.block.is_empty() || sizes != room { self.grow(sizes) } else { Ok(()) }
    }

    fn grow(&mut self, sizes: WorldSizes) -> Result<()> {
        let mut block = Memory::new(World::layout(&sizes)?)?;
        if self.block.is_empty() {
            World::init(&mut block, &sizes)?;
        } else {
            World::grow(&self.block, &mut block, &sizes)?;
        }
        self.block = block;
        Ok(())
    }
}

/// Takes over a copy, in the existing memory if it fits.
pub(crate) fn take(block: &mut Memory, copy: &Memory) {
    if block.len() == copy.len() {
        block.copy_from_slice(copy);
    } else {
        block.clone_from(copy);
    }
}

impl std::fmt::Debug for OwnedWorld {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnedWorld({} bytes)", self.block.len())
    }
}
