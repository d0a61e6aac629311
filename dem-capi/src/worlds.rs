//! Worlds.
//!
//! A world holds bodies, finds their contacts, applies a force law and moves the bodies, in one block of the program's memory. To undo any call, copy
//! the block before the call, and copy it back.
//!
//! - At the start: dem_world_layout and dem_world_init, dem_world_set_up (gravity, periods), dem_world_add for each body.
//! - dem_world_advance takes many steps in one call.
//! - Or take a step phase by phase: dem_world_begin, dem_world_poll until `want` is DEM_WANT_DONE, dem_world_accept or
//!   dem_world_abandon. Each poll does one phase: contacts, the law, the motion. Between polls a program can read contacts, set forces, or take the
//!   step back. Until a step is accepted, the state does not change.
//! - dem_world_view gives bodies and forces in place, dem_world_contacts gives the contacts as in scenes. dem_world_measure gives energies, momenta,
//!   and numbers that show whether steps are short enough.
//!
//! The law is a table of dem_interaction, or a law of the program. A step begun with DEM_ASK_LAW stops at DEM_WANT_LAW; there the program reads
//! contacts and velocities and writes forces. This needs no callbacks: the program may compute as long as it likes, use its threads, or copy the
//! world.
//!
//! A snapshot is a copy of the block (as many bytes as dem_world_layout says), made between any two calls, even within a step. The copy is a world,
//! too, at any address that is aligned to DEM_ALIGN, and continues with the same bits. An engine keeps several snapshots and rolls back. A coupled
//! solver goes back to the start of its window. dem_world_hash tells whether two worlds are equal. In a file (dem_world_save, dem_world_load), a
//! world has a version and a checksum.
//!
//! If a world is too small, `short_of` of the error has sizes that are enough for this step. Provide a quarter more, because later steps may need
//! more. With a larger block (dem_world_grow), the same call continues at the point where it stopped.
//!
//! "Those of the world" in lists of errors are errors about `world` that all these calls may give: DEM_ERROR_NULL; DEM_ERROR_MISALIGNED (worlds start at
//! multiples of DEM_ALIGN); DEM_ERROR_DAMAGED: no world of this version, or something has overwritten it; DEM_ERROR_BUSY: another call works on it;
//! DEM_ERROR_POISONED: an earlier call on it was cut short.

mod structs;

use core::ffi::c_void;

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory as core_memory;
use dem_core::world::{Records, Setup, World, WorldRef, WorldSizes};

use crate::edge;
use crate::errors::dem_error;
use crate::inputs::{self, Input};
use crate::memory::{self as blocks, DEM_ALIGN, Held, Marks};
use crate::records::alone;
use crate::scenes::nodes_of;
pub use structs::*;

/// How much memory a world needs.
///
/// Outputs (each may be null): `size`: bytes of the block: some 770 for each body, 920 for each contact, 48 for each node and 24 for each
/// candidate. With DEM_RECORDS_NONE and no contacts it is 340 for each body, 64 for each of `ball_contacts` and 8 for each of `ball_pairs`.
/// `align`: `DEM_ALIGN`.
/// Inputs: `desc`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_OUT_OF_RANGE`: `levels`, `records`; `DEM_ERROR_TOO_LARGE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_layout(
    size: *mut usize,
    align: *mut usize,
    desc: *const dem_world_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let layout = World::layout(&sizes(desc)?)?;
            edge::write_optional(size, blocks::whole(layout.size, What::Block)?);
            edge::write_optional(align, DEM_ALIGN);
        }
        Ok(())
    })
}

/// Makes an empty world: no bodies, no gravity, time 0.
///
/// Outputs: `world`: the world, whose address is `memory`.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, at least as large as `dem_world_layout` says. `desc`.
/// Memory: the block belongs to the caller, who may copy, store and discard it at any time. It holds no shapes and no threads.
/// Errors: those of `dem_world_layout`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`.
/// Cost: the memory is filled with zeros.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_init(
    memory: *mut c_void,
    size: usize,
    world: *mut *mut dem_world,
    desc: *const dem_world_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if world.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            begin_in(memory, size, &sizes(desc)?)?;
            edge::write(world, memory.cast(), What::Handle)
        }
    })
}

/// Makes a larger world that continues another one, between steps or between the polls of a step.
///
/// Outputs: `grown`: the new world, whose address is `memory`. `world` stays as it is. Handles of bodies stay valid.
/// Inputs: `world`. `memory`, `size`, `desc`: as for `dem_world_init`; no number of `desc` may be smaller than in `world` (`dem_world_room`).
/// Memory: both blocks must not overlap.
/// Errors: those of `dem_world_init`; those of the world; `DEM_ERROR_CAPACITY` about `world`: less room than before; `DEM_ERROR_OVERLAP`.
/// Cost: a copy.
/// Threads: any; nobody may change the world or use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_grow(
    memory: *mut c_void,
    size: usize,
    grown: *mut *mut dem_world,
    world: *const dem_world,
    desc: *const dem_world_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if grown.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let sizes = sizes(desc)?;
            grow_into(world, memory, size, &sizes)?;
            edge::write(grown, memory.cast(), What::Handle)
        }
    })
}

/// The room of a world.
///
/// Outputs: `desc`: that of `dem_world_init` or `dem_world_grow`, with numbers in place of 0. But `ball_pairs` and `ball_contacts` are 0 if
/// they equal `candidates` and `contacts`, and `records` is DEM_RECORDS_NONE if there is no room for contacts. To grow a world, raise
/// numbers and pass `desc` to `dem_world_grow`.
/// Inputs: `struct_size`: `sizeof(dem_world_desc)`. `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_room(
    desc: *mut dem_world_desc,
    struct_size: usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let sizes = with(world, |world| Ok(world.sizes))?;
            let WorldSizes { bodies, candidates, contacts, nodes, levels, .. } = sizes;
            let records = if contacts == 0 { DEM_RECORDS_NONE } else { DEM_RECORDS_LAST };
            let ball_pairs = if sizes.ball_pairs == candidates { 0 } else { sizes.ball_pairs };
            let ball_contacts = if sizes.ball_contacts == contacts { 0 } else { sizes.ball_contacts };
            let room = dem_world_desc {
                bodies,
                candidates,
                contacts,
                nodes,
                levels,
                records,
                ball_pairs,
                ball_contacts,
                events: sizes.events,
                ..Input::DEFAULT
            };
            inputs::fill_with(desc, struct_size, room, What::Description)
        }
    })
}

/// Opens a copy of a block as a world, if the copy was made during a call, or by another process on this machine.
///
/// A copy that was made between calls needs no opening. The function checks only the header; for files use `dem_world_load`.
///
/// Outputs: `world`: the world, whose address is `memory`. The mark of a call in progress, in its first 64 bytes, is cleared; nothing else changes.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`; `size` may be larger than the copied bytes.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`: the block is cut short; `DEM_ERROR_DAMAGED`.
/// Cost: some nanoseconds.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_open(
    memory: *mut c_void,
    size: usize,
    world: *mut *mut dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if world.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            blocks::open(memory, size, Held::World, |content| WorldRef::peek(content).map(|_| ((), NO_MARKS)))?;
            edge::write(world, memory.cast(), What::Handle)
        }
    })
}

/// Writes all of a world as bytes for a file, with a version and a checksum, even within a step. `OwnedWorld` in Rust uses the same format.
///
/// Outputs: `bytes` (may be null if `capacity` is 0), at any alignment. `count` (may be null): how many there are, even if they are more than
/// `capacity`: the bytes of the block except its first `DEM_ALIGN`.
/// Inputs: `world`: it does not change.
/// Memory: the bytes must not overlap the world.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_CAPACITY` about `output`; `DEM_ERROR_OVERLAP`.
/// Cost: a copy and a pass over it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_save(
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    world: *const dem_world,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let out = alone(bytes, capacity, What::Output)?;
            blocks::apart((out.as_ptr().cast(), out.len()), stretch(world)?, What::Output)?;
            blocks::shared(world.cast(), Held::World, What::World, |content, _| {
                WorldRef::peek(content)?;
                edge::write_optional(count, content.len());
                core_memory::sealed_copy(content, out).map(|_| ())
            })
        }
    })
}

/// Makes a world from the bytes that `dem_world_save` wrote; it continues with the same bits.
///
/// Outputs: `world`: the world, whose address is `memory`.
/// Inputs: `memory`, `size`: the block, aligned to `DEM_ALIGN`, `DEM_ALIGN` bytes larger than `count`. `bytes`, `count`: the saved bytes, at any
/// alignment.
/// Memory: `bytes` and the block must not overlap.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_CAPACITY`; `DEM_ERROR_OVERLAP`; `DEM_ERROR_DAMAGED` about `world`: bytes have
/// changed, are missing, or are too many, or the format has another version or another order of bytes. After an error the memory is no world.
/// Cost: a copy and a pass over it.
/// Threads: any; nobody may use the memory during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_load(
    memory: *mut c_void,
    size: usize,
    world: *mut *mut dem_world,
    bytes: *const u8,
    count: usize,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        if world.is_null() {
            return Err(Error::new(Kind::Null, What::Handle));
        }
        // SAFETY: the caller guarantees the memory behind pointers that are not null, for the whole call.
        unsafe {
            let saved = crate::records::shared(bytes, count, What::World)?;
            blocks::apart((memory, size), (bytes.cast(), count), What::Block)?;
            blocks::create(memory, size, count, Held::World, |content| {
                content.copy_from_slice(saved);
                // An error about missing bytes means damage, not too little room.
                let damaged = |e: Error| Error::new(Kind::Damaged, What::World).at(e.index, 0);
                let header = core_memory::verify(content).map_err(damaged)?;
                if header.total != count as u64 {
                    return Err(Error::new(Kind::Damaged, What::World).amounts(header.total, count as u64));
                }
                WorldRef::open(content)?;
                Ok(((), NO_MARKS))
            })?;
            edge::write(world, memory.cast(), What::Handle)
        }
    })
}

/// Changes the settings for all steps from now on.
///
/// Outputs: `world`.
/// Inputs: `setup`.
/// Errors: those of the world; `DEM_ERROR_NULL`; `DEM_ERROR_BAD_SIZE`; `DEM_ERROR_NOT_FINITE` and `DEM_ERROR_OUT_OF_RANGE` about `gravity`,
/// `periods`, `order`, `rotation` and `setup` (`records`, `watch`); `DEM_ERROR_UNSUPPORTED` within a step. After an error nothing changes.
/// Cost: none.
/// Threads: any; nobody may use the world during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_set_up(
    world: *mut dem_world,
    setup: *const dem_world_setup,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe {
            let setup = read_setup(setup)?;
            change(world, |world| setup.hold(world))
        }
    })
}

/// A hash of the accepted state: of the time, and of all that later steps depend on. If the same steps are divided into other windows, bodies have
/// the same bits, but the time is rounded otherwise, so hashes differ. Abandoned steps do not change the hash, nor do the block's size and address.
/// While a step is under way, the hash may be another.
///
/// Outputs: `hash`.
/// Inputs: `world`.
/// Errors: those of the world; `DEM_ERROR_NULL`.
/// Cost: a pass over bodies and springs.
/// Threads: any number at a time.
/// Determinism: the same on every machine for the same steps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_world_hash(hash: *mut u64, world: *const dem_world, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller guarantees the memory behind pointers that are not null.
        unsafe { edge::write(hash, with(world, |world| Ok(world.state_hash()))?, What::Output) }
    })
}

const NO_MARKS: Marks = [0; 4];

/// Makes an empty world.
///
/// # Safety
/// As for [`dem_world_init`].
pub(crate) unsafe fn begin_in(memory: *mut c_void, size: usize, sizes: &WorldSizes) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        blocks::create(memory, size, World::layout(sizes)?.size, Held::World, |content| {
            World::init(content, sizes)?;
            Ok(((), NO_MARKS))
        })
    }
}

/// Makes a copy of a world with more room, in other memory.
///
/// # Safety
/// As for [`dem_world_grow`].
pub(crate) unsafe fn grow_into(
    world: *const dem_world,
    memory: *mut c_void,
    size: usize,
    sizes: &WorldSizes,
) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        blocks::apart((memory, size), stretch(world)?, What::Block)?;
        blocks::shared(world.cast(), Held::World, What::World, |old, marks| {
            blocks::create(memory, size, World::layout(sizes)?.size, Held::World, |content| {
                World::grow(old, content, sizes)?;
                Ok(((), marks))
            })
        })
    }
}

/// The memory of the block.
///
/// # Safety
/// A pointer that is not null points at a world.
pub(crate) unsafe fn stretch(world: *const dem_world) -> Result<blocks::Stretch> {
    // SAFETY: by this function's contract.
    unsafe { blocks::stretch(world.cast(), Held::World, What::World) }
}

/// Runs `body` with a world that it may change.
///
/// # Safety
/// A pointer that is not null points at a world that nothing else uses.
pub(crate) unsafe fn change<R>(world: *mut dem_world, body: impl FnOnce(&mut World<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::changed(world.cast(), Held::World, What::World, |content| body(&mut World::open(content)?)) }
}

/// Runs `body` with a world that it only reads.
///
/// # Safety
/// A pointer that is not null points at a world.
pub(crate) unsafe fn with<R>(world: *const dem_world, body: impl FnOnce(WorldRef<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe { blocks::shared(world.cast(), Held::World, What::World, |content, _| body(WorldRef::peek(content)?)) }
}

/// # Safety
/// A pointer that is not null points at a setup.
pub(crate) unsafe fn read_setup(setup: *const dem_world_setup) -> Result<Whole> {
    if setup.is_null() {
        return Err(Error::new(Kind::Null, What::Setup));
    }
    // SAFETY: by this function's contract.
    let raw = unsafe { inputs::read(setup, What::Setup) }?;
    let dem_world_setup { order, rotation, records, gravity, periods, watch, reserved, .. } = raw;
    inputs::zero(reserved, What::Setup)?;
    let setup = Setup { gravity, periods, order, rotation };
    setup.check()?;
    Ok(Whole {
        setup,
        records: records_of(records, What::Setup)?,
        watch: inputs::yes(watch.into(), What::Setup, inputs::WATCH)?,
    })
}

/// The settings for all steps of a world.
#[derive(Default)]
pub(crate) struct Whole {
    pub(crate) setup: Setup,
    pub(crate) records: Records,
    pub(crate) watch: bool,
}

impl Whole {
    /// Changes the settings of a world.
    ///
    /// Errors: those of the world, which then does not change.
    pub(crate) fn hold(&self, world: &mut World<'_>) -> Result<()> {
        world.set_up(&self.setup)?;
        world.keep_records(self.records)?;
        world.watch(self.watch)
    }
}

fn records_of(records: u32, what: What) -> Result<Records> {
    Ok(if inputs::yes(records.into(), what, inputs::RECORDS)? { Records::None } else { Records::Last })
}

/// # Safety
/// A pointer that is not null points at a description.
unsafe fn sizes(desc: *const dem_world_desc) -> Result<WorldSizes> {
    if desc.is_null() {
        return Err(Error::new(Kind::Null, What::Description));
    }
    // SAFETY: by this function's contract.
    let desc = unsafe { inputs::read(desc, What::Description) }?;
    let none = records_of(desc.records, What::Description)? == Records::None;
    let ample = |n: u32, each: u32| if n > 0 { n } else { desc.bodies.saturating_mul(each).saturating_add(1024) };
    let recorded = |n: u32, each| if none { n } else { ample(n, each) };
    let (candidates, contacts) = (recorded(desc.candidates, 8), recorded(desc.contacts, 4));
    let nodes = if desc.nodes > 0 || none { desc.nodes } else { nodes_of(contacts) };
    let of_balls = |n: u32, recorded: u32| if n > 0 { n } else { ample(recorded, 4) };
    let (ball_pairs, ball_contacts) = (of_balls(desc.ball_pairs, candidates), of_balls(desc.ball_contacts, contacts));
    let dem_world_desc { bodies, levels, events, .. } = desc;
    let sizes = WorldSizes { bodies, candidates, contacts, nodes, levels, ball_pairs, ball_contacts, events };
    core_memory::Sizes::check(&sizes)?;
    Ok(sizes)
}

#[cfg(test)]
pub(crate) mod tests;
