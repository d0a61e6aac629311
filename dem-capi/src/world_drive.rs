//! Opens a world and its query for a call: shapes, a law, threads and scratch.

use core::ffi::c_void;

use dem_core::contact::shape::Shape;
use dem_core::detect::{Needs, Settings, Shortage};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::force::{Interaction, Laws};
use dem_core::memory::Layout;
use dem_core::simd::Isa;
use dem_core::world::{
    HandedOn, Phase, PollResult, StepInputs, WindowStep, WithSurfaces, World, WorldSizes, surfaces_scratch,
    world_scratch_for,
};

use crate::bodies::{Opener, places, two};
use crate::detect::{Query, dem_scene_query};
use crate::edge;
use crate::errors::dem_shortage;
use crate::inputs::{self, Input};
use crate::memory::{self as blocks, Held, Scratch};
use crate::moving::SurfaceList;
use crate::records::shared;
use crate::scene_drive::{all_scratch, in_query, own_layout, scratch_behind, split, take};
use crate::scene_room::{beyond, estimate_of};
use crate::search::first_room;
use crate::shortage::{self, Left, Told, raise};
use crate::tasks::Host;
use crate::world_steps::dem_world_query;
use crate::worlds::{dem_world, stretch, with};

/// A query of the program: the part that scenes have, too, and the law.
pub(crate) struct Asked<'t> {
    pub(crate) query: Query,
    pub(crate) table: &'t [Interaction],
}

impl<'t> Asked<'t> {
    /// # Safety
    /// A pointer that is not null points at a query, whose tables can be read while the result is used.
    pub(crate) unsafe fn read(query: *const dem_world_query) -> Result<Self> {
        if query.is_null() {
            return Err(Error::new(Kind::Null, What::Query));
        }
        // SAFETY: by this function's contract.
        unsafe {
            let raw = inputs::read(query, What::Query)?;
            inputs::zero(raw.reserved as u64, What::Query)?;
            let scene = dem_scene_query {
                isa: raw.isa,
                shapes: raw.shapes,
                shape_count: raw.shape_count,
                shape_stride: raw.shape_stride,
                pairs: raw.pairs,
                pair_contacts: raw.pair_contacts,
                grouping: raw.grouping,
                tasks: raw.tasks,
                bound: raw.bound,
                skin: raw.skin,
                angle: raw.angle,
                energies: raw.energies,
                ..Input::DEFAULT
            };
            let table = shared(raw.interactions.cast::<Interaction>(), raw.interaction_count, What::Interactions)?;
            let surfaces = SurfaceList::new(raw.surfaces, raw.surface_count, raw.surface_stride)?.0;
            Ok(Asked { query: Query { surfaces, ..Query::read(&scene)? }, table })
        }
    }
}

/// The law of a query, and the surfaces that it acts on.
pub(crate) type Acting<'a> = WithSurfaces<'a, Laws<'a>>;

/// A placeholder for a query without a law, which is then not used.
const NO_LAW: [Interaction; 1] = [Interaction {
    normal: 0,
    damped: 0,
    cohesive: 0,
    reserved: 0,
    stiffness: 0.0,
    damping: 0.0,
    friction: 0.0,
    shear: 0.0,
    lag: 0.0,
    torsion: 0.0,
    rolling: 0.0,
    cohesion: 0.0,
}];

/// Does a poll with this scratch.
///
/// # Safety
/// As for [`dem_world_poll`](crate::world_steps::dem_world_poll).
pub(crate) unsafe fn poll(
    world: *mut dem_world,
    query: &Query,
    table: &[Interaction],
    scratch: (*mut c_void, usize),
    told: &mut Told,
) -> Result<PollResult> {
    let before = told.left.take();
    // SAFETY: by this function's contract.
    unsafe {
        driven(
            world,
            query,
            table,
            |_| Ok(()),
            scratch,
            |world, drive, has_law, scratch| {
                if world.as_ref().phase() == Phase::Law && !has_law {
                    return Err(Error::new(Kind::Null, What::Interactions));
                }
                going_on(before, told, scratch, |handed, scratch| world.poll_after(drive, handed, scratch))
            },
        )
    }
}

/// Advances a window with this scratch.
///
/// # Safety
/// As for [`dem_world_advance`](crate::world_steps::dem_world_advance).
pub(crate) unsafe fn advance(
    world: *mut dem_world,
    (length, most_dt): (f64, f64),
    query: &Query,
    table: &[Interaction],
    scratch: (*mut c_void, usize),
    told: &mut Told,
) -> Result<()> {
    let before = told.left.take();
    let steps = |world: &mut World<'_>, drive: &StepInputs<'_, Acting<'_>>, room: &mut [u8]| {
        let steps =
            |handed: &mut HandedOn<'_>, room: &mut [u8]| world.advance_after(length, most_dt, drive, handed, room);
        // SAFETY: by this function's contract.
        unsafe { going_on(before, told, room, steps) }
    };
    // SAFETY: by this function's contract.
    unsafe { with_law(world, query, table, scratch, steps) }.map_err(of_window)
}

/// Takes the next step of a window with this scratch.
///
/// # Safety
/// As for [`dem_world_advance_step`](crate::world_steps::dem_world_advance_step).
pub(crate) unsafe fn advance_step(
    world: *mut dem_world,
    (length, most_dt): (f64, f64),
    query: &Query,
    table: &[Interaction],
    scratch: (*mut c_void, usize),
    told: &mut Told,
) -> Result<WindowStep> {
    let before = told.left.take();
    let step = |world: &mut World<'_>, drive: &StepInputs<'_, Acting<'_>>, room: &mut [u8]| {
        let step =
            |handed: &mut HandedOn<'_>, room: &mut [u8]| world.advance_step_after(length, most_dt, drive, handed, room);
        // SAFETY: by this function's contract.
        unsafe { going_on(before, told, room, step) }
    };
    // SAFETY: by this function's contract.
    unsafe { with_law(world, query, table, scratch, step) }.map_err(of_window)
}

/// Calls `work` with the results that the previous call has left. If `work` has too little room, `told` remembers the results that it leaves in its
/// scratch.
///
/// # Safety
/// The results of the previous call still exist, and nothing changes them.
pub(crate) unsafe fn going_on<T>(
    before: Option<Left>,
    told: &mut Told,
    scratch: &mut [u8],
    work: impl FnOnce(&mut HandedOn<'_>, &mut [u8]) -> Result<T>,
) -> Result<T> {
    let (start, size) = (scratch.as_ptr(), scratch.len());
    // SAFETY: by this function's contract.
    let before = before.map(|left| unsafe { left.before() });
    let mut handed = HandedOn { before, left: None };
    let done = work(&mut handed, scratch);
    told.left = handed.left.map(|unfinished| Left { start, size, unfinished });
    done
}

/// Renames errors of the core about the numbers of a window to arguments of the call.
fn of_window(e: Error) -> Error {
    match (e.kind, e.what) {
        (Kind::NotFinite | Kind::OutOfRange, What::Window) => Error { what: What::Length, ..e },
        (Kind::NotFinite | Kind::OutOfRange, What::TimeStep) => Error { what: What::MostDt, ..e },
        _ => e,
    }
}

/// As [`driven`], for whole steps, which need a law.
///
/// # Safety
/// As for [`dem_world_advance`](crate::world_steps::dem_world_advance).
unsafe fn with_law<T>(
    world: *mut dem_world,
    query: &Query,
    table: &[Interaction],
    scratch: (*mut c_void, usize),
    work: impl FnOnce(&mut World<'_>, &StepInputs<'_, Acting<'_>>, &mut [u8]) -> Result<T>,
) -> Result<T> {
    let work = |world: &mut World<'_>, drive: &StepInputs<'_, Acting<'_>>, has_law: bool, room: &mut [u8]| match has_law
    {
        true => work(world, drive, room),
        false => Err(Error::new(Kind::Null, What::Interactions)),
    };
    // SAFETY: by this function's contract.
    unsafe { driven(world, query, table, |_| Ok(()), scratch, work) }
}

/// Writes length and end of a step to the program's memory.
///
/// # Safety
/// Pointers that are not null can be written to.
pub(crate) unsafe fn write_step(done: &WindowStep, dt: *mut f64, complete: *mut u32) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        edge::write(dt, done.dt, What::Output)?;
        edge::write(complete, done.complete.into(), What::Output)
    }
}

/// As [`with_scratch`], for work that needs at most the scratch of a poll.
///
/// # Safety
/// As for [`dem_world_poll`](crate::world_steps::dem_world_poll).
pub(crate) unsafe fn driven<T>(
    world: *mut dem_world,
    query: &Query,
    table: &[Interaction],
    apart: impl FnOnce(&[(blocks::Stretch, What)]) -> Result<()>,
    scratch: (*mut c_void, usize),
    work: impl FnOnce(&mut World<'_>, &StepInputs<'_, Acting<'_>>, bool, &mut [u8]) -> Result<T>,
) -> Result<T> {
    let needs = |world: &World<'_>, shapes: &[Shape<'_>], settings: &Settings, threads| {
        poll_scratch(query, world, shapes, settings, threads)
    };
    // SAFETY: by this function's contract.
    unsafe { with_scratch(world, query, table, apart, scratch, needs, work) }
}

/// The layout of scratch of a poll with these shapes.
pub(crate) fn poll_scratch(
    query: &Query,
    world: &World<'_>,
    shapes: &[Shape<'_>],
    settings: &Settings,
    threads: usize,
) -> Result<Layout> {
    let mut needs = of_settings(settings);
    shapes.iter().try_for_each(|shape| needs.add(shape))?;
    scratch_for(query, &world.sizes, &needs, threads)
}

/// Runs `work` on an open world, with the inputs of polls, and whether there is a law. `apart` refuses memory that overlaps scratch and world. If a
/// shape changes during the call, the step begins again. `needs` gives the scratch for a number of threads. If there is too little for one thread,
/// the error tells how much is enough for all threads of the program.
///
/// # Safety
/// As for [`dem_world_poll`](crate::world_steps::dem_world_poll).
pub(crate) unsafe fn with_scratch<T>(
    world: *mut dem_world,
    query: &Query,
    table: &[Interaction],
    apart: impl FnOnce(&[(blocks::Stretch, What)]) -> Result<()>,
    (start, scratch_size): (*mut c_void, usize),
    needs: impl Fn(&World<'_>, &[Shape<'_>], &Settings, usize) -> Result<Layout>,
    work: impl FnOnce(&mut World<'_>, &StepInputs<'_, Acting<'_>>, bool, &mut [u8]) -> Result<T>,
) -> Result<T> {
    // SAFETY: by this function's contract.
    unsafe {
        let scratch = Scratch::new(start, scratch_size);
        let block = stretch(world)?;
        scratch.apart_from(block)?;
        let written = [(scratch.bytes(), What::Scratch), (block, What::World)];
        query.apart_from(&written)?;
        let surfaces = SurfaceList(query.surfaces);
        surfaces.apart_from(&written)?;
        apart(&written)?;
        for (memory, what) in &written {
            blocks::apart(*memory, (table.as_ptr().cast(), size_of_val(table)), *what)?;
        }
        let laws = Laws::new(if table.is_empty() { &NO_LAW } else { table })?;
        let (census, head) = query.census(&written)?;
        let own = own_layout(&census, head)?;
        let (memory, rest) = split(scratch, own, || {
            let sizes = with(world, |world| Ok(world.sizes))?;
            let needs = of_settings(&query.settings()?);
            scratch_behind((query, needs), own, |needs, threads| scratch_for(query, &sizes, needs, threads))
        })?;
        let before = scratch_size - rest.bytes().1;
        let (shapes, memory) = memory.split_at_mut_checked(head.size).unwrap_or_default();
        let mut two = two();
        let mut opener = Opener::new(&census, memory, &mut two)?;
        let shapes = query.open(places(shapes), &mut opener)?;
        let (settings, isa) = (query.settings()?, Isa::numbered(query.raw.isa)?);
        let host = Host::new(query.raw.tasks);
        let law = Acting { law: &laws, surfaces: &surfaces };
        let drive = StepInputs { shapes, exec: &host, isa, settings, law: &law };
        blocks::changed(world.cast(), Held::World, What::World, |content| {
            let mut world = World::open(content)?;
            let scratch =
                take(rest, (before, false), &host, |threads| needs(&world, drive.shapes, &settings, threads))?;
            let done = work(&mut world, &drive, !table.is_empty(), scratch);
            if let Err(e) = opener.unchanged() {
                world.restart();
                return Err(e);
            }
            done.map_err(|e| of_members(in_query(e, first_room(query.raw.pairs))))
        })
    }
}

/// Renames an error about arrays of shapes or materials to fields of `dem_member`, since the program has no such arrays.
fn of_members(e: Error) -> Error {
    match (e.kind, e.what) {
        (Kind::BadIndex, What::ShapeNumbers) => Error { what: What::Shape, ..e },
        (Kind::BadIndex, What::Materials) => Error { what: What::Material, ..e },
        _ => e,
    }
}

/// The needs of a call before its shapes are counted.
fn of_settings(settings: &Settings) -> Needs {
    Needs::new(&Settings { margin: 0.0, ..*settings }, true)
}

/// The layout of the scratch of polls, which follows that of shapes.
fn scratch_for(query: &Query, sizes: &WorldSizes, needs: &Needs, threads: usize) -> Result<Layout> {
    Ok(world_scratch_for(sizes, needs, threads)?.or(surfaces_scratch(sizes, &SurfaceList(query.surfaces), threads)?))
}

/// Bytes of scratch for polls on all threads of a program.
///
/// # Safety
/// The shapes of the query can be read.
pub(crate) unsafe fn scratch_of(query: &Query, sizes: &WorldSizes) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe {
        let needs = of_settings(&query.settings()?);
        all_scratch((query, needs), |needs, threads| scratch_for(query, sizes, needs, threads))
    }
}

/// Renames the error of a call with too little room to terms of the program, and writes all room that was too small.
///
/// # Safety
/// A pointer that is not null points at a world, and the memory of the query can be read.
#[cold]
#[inline(never)]
pub(crate) unsafe fn told(error: Error, (world, query): (*const dem_world, &Query), short: &mut dem_shortage) -> Error {
    // SAFETY: by this function's contract.
    unsafe {
        let seen = with(world, |world| Ok((world.sizes, world.shortage())));
        // Without a world, the error is about the world.
        if let (Ok((sizes, all)), Kind::Capacity, true) = (seen, error.kind, error.what != What::Block) {
            // A step without scratch has not begun, so its needs are estimated.
            let known = match error.what {
                What::Scratch if !query.grows => lacking(world, query).unwrap_or_default(),
                What::Scratch => Shortage::default(),
                _ => all,
            };
            let raised = |short: &Shortage| {
                let mut sizes = sizes;
                raise(&mut sizes.candidates, short.candidates);
                raise(&mut sizes.contacts, short.contacts);
                raise(&mut sizes.nodes, short.nodes);
                raise(&mut sizes.ball_pairs, short.ball_pairs);
                raise(&mut sizes.ball_contacts, short.ball_contacts);
                sizes
            };
            *short = shortage::all(&error, &known, query, raised, |query, sizes| scratch_of(query, sizes));
        }
    }
    shortage::named(error)
}

/// Estimates the room that a world lacks for a step whose contacts are not found yet, from the shapes of its bodies.
///
/// # Safety
/// As for [`told`].
unsafe fn lacking(world: *const dem_world, query: &Query) -> Result<Shortage> {
    // SAFETY: by this function's contract.
    unsafe {
        with(world, |world| {
            if !matches!(world.phase(), Phase::Idle | Phase::Find) {
                return Ok(Shortage::default());
            }
            let body = |slot: usize| {
                let (shape, scale) = (world.shapes().get(slot), world.scales().get(slot));
                let there = world.handle(slot).and(shape.zip(scale)).map(|(shape, scale)| (*shape, *scale));
                // The step itself reports a shape that is not in the table.
                Ok(there.filter(|(shape, _)| (*shape as usize) < query.raw.shape_count))
            };
            let needed = estimate_of(query, &query.settings()?, world.len(), body)?;
            Ok(beyond(query, &world.sizes.scene(), &needed))
        })
    }
}
