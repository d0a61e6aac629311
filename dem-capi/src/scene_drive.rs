//! Opens a scene and its query for a call: bodies, settings, threads and scratch.

use dem_core::contact::Room;
use dem_core::contact::shape::{Part, Shape};
use dem_core::detect::{Bodies, Needs, Scene, SceneSizes, Settings, detect_scratch, growing_scratch};
use dem_core::error::{Error, Kind, Result, What};
use dem_core::exec::Executor;
use dem_core::memory::{Layout, Plan};
use dem_core::pose::Pose;
use dem_core::simd::Isa;

use crate::bodies::{Census, Opener, frame, places, samples, two};
use crate::detect::{OF_SCENE, Query};
use crate::memory::{self as blocks, Held, Scratch};
use crate::placed::DEM_KIND_COMPOUND;
use crate::scenes::{self, dem_scene};
use crate::search::first_room;
use crate::tasks::Host;

/// An open scene, and the query in the form of the core.
pub(crate) struct Step<'a, 's> {
    pub scene: &'a mut Scene<'s>,
    pub host: &'a Host,
    pub isa: Isa,
    pub bodies: &'a Bodies<'a>,
    pub settings: &'a Settings,
    pub scratch: &'a mut [u8],
}

/// Runs `work` on an open scene and query. `apart` refuses memory that overlaps scratch and scene. If a shape changes during the call, its results
/// are discarded. With `commit`, results are committed if there is no error.
///
/// # Safety
/// As for [`dem_scene_find`](crate::detect::dem_scene_find).
pub(crate) unsafe fn with_scene<T>(
    scene: *mut dem_scene,
    query: &Query,
    apart: impl FnOnce(&[(blocks::Stretch, What)]) -> Result<()>,
    scratch: (Scratch, usize),
    commit: bool,
    work: impl FnOnce(Step<'_, '_>) -> Result<T>,
) -> Result<T> {
    let needs = |scene: &Scene<'_>, bodies: &Bodies<'_>, settings: &Settings, threads| {
        let scratch = if settings.grows { growing_scratch } else { detect_scratch };
        scratch(&scene.sizes, bodies, settings, threads)
    };
    // SAFETY: by this function's contract.
    unsafe { with_scratch(scene, query, apart, scratch, commit, needs, work) }
}

/// As [`with_scene`], for work with another need of scratch: `needs` gives it for a number of threads. If there is too little for one thread, the
/// error tells how much is enough for all threads of the program.
///
/// # Safety
/// As for [`dem_scene_find`](crate::detect::dem_scene_find).
pub(crate) unsafe fn with_scratch<T>(
    scene: *mut dem_scene,
    query: &Query,
    apart: impl FnOnce(&[(blocks::Stretch, What)]) -> Result<()>,
    (scratch, scratch_size): (Scratch, usize),
    commit: bool,
    needs: impl Fn(&Scene<'_>, &Bodies<'_>, &Settings, usize) -> Result<Layout>,
    work: impl FnOnce(Step<'_, '_>) -> Result<T>,
) -> Result<T> {
    // SAFETY: by this function's contract.
    unsafe {
        let block = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
        scratch.apart_from(block)?;
        let written = [(scratch.bytes(), What::Scratch), (block, What::Scene)];
        query.apart_from(&written)?;
        apart(&written)?;
        let (census, head) = query.census(&written)?;
        let own = own_layout(&census, head)?;
        let (memory, rest) = split(scratch, own, || {
            let sizes = scenes::with(scene, |scene| Ok(scene.sizes))?;
            scratch_behind((query, of_query(query)?), own, |needs, threads| needs.layout(&sizes, threads))
        })?;
        let before = scratch_size - rest.bytes().1;
        let (shapes, memory) = memory.split_at_mut_checked(head.size).unwrap_or_default();
        let mut two = two();
        let mut opener = Opener::new(&census, memory, &mut two)?;
        let shapes = query.open(places(shapes), &mut opener)?;
        let (bodies, settings, isa) = (query.bodies(shapes)?, query.settings()?, Isa::numbered(query.raw.isa)?);
        let host = Host::new(query.raw.tasks);
        blocks::changed(scene.cast(), Held::Scene, What::Scene, |content| {
            let mut scene = Scene::open(content)?;
            let scratch =
                take(rest, (before, query.grows), &host, |threads| needs(&scene, &bodies, &settings, threads))?;
            let given = scratch.len();
            let step = Step { scene: &mut scene, host: &host, isa, bodies: &bodies, settings: &settings, scratch };
            let done = work(step);
            if let Err(e) = opener.unchanged() {
                scene.abandon();
                return Err(e);
            }
            let done = done.map_err(|e| match (e.kind, e.what) {
                (Kind::Capacity, What::Scratch) if query.grows => {
                    behind(Error { needed: e.needed.max(given as u64 + 1), ..e }, before)
                }
                _ => in_query(e, first_room(query.raw.pairs)),
            })?;
            if commit {
                scene.commit();
            }
            Ok(done)
        })
    }
}

/// Errors of the core in terms of the query.
pub(crate) fn in_query(e: Error, pairs: u64) -> Error {
    match Room::pairs_for(&e) {
        Some(needed) => Error::capacity(What::Pairs, needed.max(pairs + 1), pairs),
        None => e,
    }
}

/// The layout of a call's own part of the scratch: open shapes, and parts of compounds.
pub(crate) fn own_layout(census: &Census<'_>, head: Layout) -> Result<Layout> {
    Plan::new().part(head).part(census.layout()?).layout(What::Scratch)
}

/// Splits the scratch into the call's own part and the rest. If there is too little, the error tells the size of all of it.
///
/// # Safety
/// As for [`Scratch::take`].
pub(crate) unsafe fn split<'s>(
    scratch: Scratch,
    own: Layout,
    all: impl FnOnce() -> Result<usize>,
) -> Result<(&'s mut [u8], Scratch)> {
    // SAFETY: by this function's contract.
    match unsafe { scratch.split(own) } {
        Err(e) if e.kind == Kind::Capacity => Err(e.amounts(all()? as u64, e.given)),
        split => split,
    }
}

/// Takes scratch for as many threads as it is enough for. `before` is the number of bytes already taken; with `whole`, all of the rest is taken.
///
/// # Safety
/// As for [`Scratch::take`].
pub(crate) unsafe fn take<'s>(
    rest: Scratch,
    (before, whole): (usize, bool),
    host: &Host,
    needs: impl Fn(usize) -> Result<Layout>,
) -> Result<&'s mut [u8]> {
    let fits = |n: &usize| needs(*n).is_ok_and(|layout| rest.holds(layout));
    let threads = (1..=host.width()).rev().find(fits).unwrap_or(host.width());
    let mut layout = needs(threads)?;
    if whole && rest.holds(layout) {
        layout.size = layout.size.max(rest.whole());
    }
    // SAFETY: by this function's contract.
    unsafe { rest.take(layout) }.map_err(|e| match (e.kind, e.what) {
        (Kind::Capacity, What::Scratch) => behind(e, before),
        _ => e,
    })
}

/// Adds to an error about scratch the bytes before it, including those for alignment.
fn behind(e: Error, before: usize) -> Error {
    e.amounts(e.needed + before as u64, e.given + before as u64)
}

/// Bytes of scratch for a step on all threads of a program.
///
/// # Safety
/// The shapes of the query can be read.
pub(crate) unsafe fn scratch_of(query: &Query, sizes: &SceneSizes) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe {
        all_scratch((query, of_query(query)?), |needs, threads| {
            if query.grows { needs.growing_layout(sizes, threads) } else { needs.layout(sizes, threads) }
        })
    }
}

/// The needs of a call before its shapes are counted.
fn of_query(query: &Query) -> Result<Needs> {
    Ok(Needs::new(&query.settings()?, query.has_ids()))
}

/// Bytes of scratch for a call on all threads. `needs` are those before shapes are counted; `layout` gives the part of the core, which follows the
/// call's own part.
///
/// # Safety
/// The shapes of the query can be read.
pub(crate) unsafe fn all_scratch(
    (query, needs): (&Query, Needs),
    layout: impl FnOnce(&Needs, usize) -> Result<Layout>,
) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe {
        let (census, head) = query.census(&[])?;
        scratch_behind((query, needs), own_layout(&census, head)?, layout)
    }
}

/// As [`all_scratch`], if the layout of the call's own part is known.
///
/// # Safety
/// The shapes of the query can be read.
#[inline(never)] // Otherwise its variables would be on the stack of callers that call deep functions.
pub(crate) unsafe fn scratch_behind(
    (query, mut needs): (&Query, Needs),
    own: Layout,
    layout: impl FnOnce(&Needs, usize) -> Result<Layout>,
) -> Result<usize> {
    // SAFETY: by this function's contract.
    unsafe { count_shapes(query, &mut needs) }?;
    let layout = layout(&needs, query.threads())?;
    blocks::scratch_size(Plan::new().part(own).part(layout).layout(What::Scratch)?)
}

/// Counts the needs of the shapes of a query. Shapes are opened one at a time, so this needs no memory. Of a compound, only the parts that may need
/// most are counted.
///
/// # Safety
/// The shapes of the query can be read.
pub(crate) unsafe fn count_shapes(query: &Query, needs: &mut Needs) -> Result<()> {
    for i in 0..query.raw.shape_count {
        let shape = query.shape(i);
        let mut are_balls = true;
        // SAFETY: by this function's contract.
        for part in unsafe { samples(&shape, &OF_SCENE) }? {
            let mut two = two();
            // SAFETY: likewise.
            let part = unsafe { Opener::small(&mut two).open(&part, &OF_SCENE) }?;
            are_balls &= matches!(part, Shape::Sphere { .. });
            needs.add(&part)?;
        }
        if shape.kind == DEM_KIND_COMPOUND || frame(&shape.pose).is_some() {
            // Contacts of compounds have nodes, whatever their parts. Steps of worlds have rows for compounds of balls.
            let ball = Shape::Sphere { radius: 1.0, halo: 0.0 };
            let balls = [Part { shape: ball, pose: Pose::IDENTITY, scale: 1.0 }];
            needs.add(&Shape::Compound(if are_balls { &balls } else { &[] }))?;
        }
    }
    Ok(())
}
