//! Memory that grows.
//!
//! A program that has an allocator need not ask how much memory anything takes. It gives the library a `dem_block` for each shape and for each scene, with a
//! function that gets memory; whoever has malloc takes the one of dem_heap.h, and a step is one call:
//!
//!   dem_block rock = dem_heap(), scene = dem_heap();
//!   dem_shape_build(&rock, &desc, &error);
//!   in every step: dem_scene_step(&scene, &found, sizeof found, &query, &error);
//!   dem_free(&scene); dem_free(&rock);
//!
//! `start` of the block is the object's handle: `dem_placed_mesh(rock.start, 1)`, `dem_scene_view(scene.start, ...)`. It changes where the object grows,
//! in these two functions and no others. All functions that take a shape or a scene go with them.

use core::ffi::c_void;

use dem_core::detect::{SceneSizes, make_room};
use dem_core::error::{Error, Kind, Result, What};

use crate::detect::{Query, dem_scene_counts, dem_scene_query, make_step, scratch_of};
use crate::edge;
use crate::errors::dem_error;
use crate::fpenv;
use crate::inputs::{self, Input};
use crate::memory::{self as blocks, DEM_ALIGN, Held, LATCH, apart, dem_block};
use crate::scenes::{self, begin_in, dem_scene, dem_scene_desc, grow_into, sizes_of};
use crate::shapes::{Description, build_in, dem_shape_desc};

/// Builds a shape as `dem_shape_init` does, in memory that the library gets from the program.
///
/// Outputs: `shape`: `start` is the shape, in `size` bytes.
/// Inputs: `shape`: its function, and memory that it got before, if any: that is used again where there is enough. `desc`: as for `dem_shape_init`.
/// Memory: as for `dem_shape_init`. What was in the memory before is gone, also after an error.
/// Errors: those of `dem_shape_init`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do: there is no function that gets memory, or it has none; `DEM_ERROR_MISALIGNED`: what it has returned.
/// Cost: that of `dem_shape_init`.
/// Threads: any; nobody may use the memory during the call.
/// Determinism: as for `dem_shape_init`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_shape_build(
    shape: *mut dem_block,
    desc: *const dem_shape_desc,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let mut place = Place::read(shape)?;
            let description = Description::read(desc)?;
            // Before the memory is given back: what is read might lie there.
            description.is_apart(place.now.start, place.now.size, What::Block)?;
            description.check()?;
            place.hold(description.usual()?)?;
            match build_in(place.now.start, place.now.size, &description) {
                Err(e) if e.kind == Kind::Capacity && e.what == What::Block && place.grows() => {
                    place.hold(bytes(e.needed)?)?;
                    build_in(place.now.start, place.now.size, &description)
                }
                done => done,
            }
        }
    })
}

/// One step of a scene as `dem_scene_detect` makes it, in memory that the library gets from the program: the scene itself, which the first step makes, room for as many bodies, candidates and
/// contacts as there are, and scratch behind it.
///
/// Where there is too little room, the scene is made a quarter larger than it has to be, and bodies are looked at once more. What was learned is kept, so that a scene in which
/// bodies come together looks at them twice in some of its first steps, and then no more.
///
/// Outputs: `scene`: `start` is the scene, in `size` bytes. `counts` (may be null), of which `counts_size` bytes are written, at most `sizeof(dem_scene_counts)`.
/// Inputs: `scene`: its function, and the scene of the step before; or a scene that the program has made (`dem_scene_init`) in `size` bytes, of which those behind it are scratch. `query`: as for
/// `dem_scene_detect`; `pairs` and `pair_contacts` need not be set.
/// Memory: as for `dem_scene_detect`. A copy of the scene is its first bytes, as many as `dem_scene_size` says.
/// Errors: those of `dem_scene_detect`; `DEM_ERROR_CAPACITY` about `block` with the bytes that will do: the function that gets memory has none; `DEM_ERROR_MISALIGNED`: what it has returned. Without
/// such a function `DEM_ERROR_CAPACITY` as for `dem_scene_detect`. After an error the scene is as before, but perhaps somewhere else and with more room.
/// Cost: that of `dem_scene_detect`, about a microsecond and a tenth for each shape.
/// Threads: any; nobody may use the scene during the call.
/// Determinism: as for `dem_scene_find`: what room there is changes no bit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_step(
    scene: *mut dem_block,
    counts: *mut dem_scene_counts,
    counts_size: usize,
    query: *const dem_scene_query,
    error: *mut dem_error,
) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at, for as long as this call lasts.
        unsafe {
            let mut query = Query::read(query)?;
            let found = Growing::new(Place::read(scene)?, &mut query)?.step()?;
            if counts.is_null() { Ok(()) } else { inputs::write_record(counts, counts_size, &found, What::Output) }
        }
    })
}

/// How many bytes a scene takes, without the scratch behind it: what to copy or to store. `dem_scene_open` takes them from a file.
///
/// Outputs: `size`: bytes.
/// Inputs: `scene`.
/// Errors: `DEM_ERROR_NULL`; `DEM_ERROR_MISALIGNED`; `DEM_ERROR_DAMAGED`.
/// Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dem_scene_size(size: *mut usize, scene: *const dem_scene, error: *mut dem_error) -> i32 {
    edge::call(error, || {
        // SAFETY: the caller vouches for what pointers that are not null point at.
        unsafe {
            let (_, holds) = blocks::stretch(scene.cast(), Held::Scene, What::Scene)?;
            edge::write(size, holds, What::Output)
        }
    })
}

fn bytes(needed: u64) -> Result<usize> {
    usize::try_from(needed).map_err(|_| Error::new(Kind::TooLarge, What::Block).amounts(isize::MAX as u64, needed))
}

/// A quarter more, so that what grows slowly is not copied in every step.
fn ample(needed: usize) -> usize {
    needed.saturating_add(needed / 4)
}

/// A block of the host.
struct Place {
    block: *mut dem_block,
    now: dem_block,
}

impl Place {
    /// # Safety
    /// Where the pointer is not null, it points at a block, which is what it says.
    unsafe fn read(block: *mut dem_block) -> Result<Place> {
        // SAFETY: by this function's contract.
        let now = unsafe { edge::read(block.cast_const(), What::Block) }?;
        let size = if now.start.is_null() { 0 } else { now.size };
        Ok(Place { block, now: dem_block { size, ..now } })
    }

    fn grows(&self) -> bool {
        self.now.resize.is_some()
    }

    /// Other memory of this size, which is not that of now.
    ///
    /// Errors: [`Kind::Capacity`], [`Kind::Misaligned`], [`Kind::Overlap`].
    ///
    /// # Safety
    /// The host's function is what `dem_resize` says.
    unsafe fn fresh(&self, size: usize) -> Result<*mut c_void> {
        let none = Error::capacity(What::Block, size as u64, self.now.size as u64);
        let Some(resize) = self.now.resize.filter(|_| size <= isize::MAX as usize) else { return Err(none) };
        // SAFETY: by this function's contract.
        let start = unsafe { resize(self.now.context, core::ptr::null_mut(), 0, size) };
        fpenv::reset();
        if start.is_null() {
            return Err(none);
        }
        if !(start as usize).is_multiple_of(DEM_ALIGN) {
            // SAFETY: likewise.
            unsafe { self.give_back(start, size) };
            let given = start as u64 % DEM_ALIGN as u64;
            return Err(Error::new(Kind::Misaligned, What::Block).amounts(DEM_ALIGN as u64, given));
        }
        // Memory that overlaps is not given back: that could take away what is in use.
        apart((start, size), (self.now.start, self.now.size), What::Block)?;
        Ok(start)
    }

    /// # Safety
    /// Memory of the host's function, which nobody uses any more.
    unsafe fn give_back(&self, start: *mut c_void, size: usize) {
        if let Some(resize) = self.now.resize {
            // SAFETY: by this function's contract.
            unsafe { resize(self.now.context, start, size, 0) };
            fpenv::reset();
        }
    }

    /// Memory of at least this size, if there is not yet, whatever is in it.
    ///
    /// # Safety
    /// As for [`Place::fresh`].
    unsafe fn hold(&mut self, size: usize) -> Result<()> {
        if self.now.size >= size || !(self.grows() || self.now.start.is_null()) {
            return Ok(());
        }
        // SAFETY: by this function's contract.
        unsafe { self.move_to(size, |_| Ok(())) }
    }

    /// Goes to other memory, where `fill` has made what there is to be. Where that fails, all is as before.
    ///
    /// # Safety
    /// As for [`Place::fresh`].
    unsafe fn move_to(&mut self, size: usize, fill: impl FnOnce(*mut c_void) -> Result<()>) -> Result<()> {
        // SAFETY: by this function's contract; what is given back is not used any more.
        unsafe {
            let start = self.fresh(size)?;
            if let Err(e) = fill(start) {
                self.give_back(start, size);
                return Err(e);
            }
            if !self.now.start.is_null() {
                self.give_back(self.now.start, self.now.size);
            }
            self.now = dem_block { start, size, ..self.now };
            edge::write(self.block, self.now, What::Block)
        }
    }
}

/// A scene that grows.
struct Growing<'q> {
    place: Place,
    query: &'q mut Query,
    /// `pairs` and `pair_contacts` of the query as the host gave them.
    asked: [usize; 2],
    bodies: u32,
}

impl<'q> Growing<'q> {
    fn new(place: Place, query: &'q mut Query) -> Result<Self> {
        let (most, count) = (u64::from(u32::MAX), query.raw.positions.count as u64);
        let too_large = Error::new(Kind::TooLarge, What::Bodies).amounts(most, count);
        let bodies = u32::try_from(count).map_err(|_| too_large)?;
        Ok(Growing { place, asked: [query.raw.pairs, query.raw.pair_contacts], query, bodies })
    }

    fn scene(&self) -> *mut dem_scene {
        self.place.now.start.cast()
    }

    /// # Safety
    /// As for [`dem_scene_step`].
    unsafe fn step(mut self) -> Result<dem_scene_counts> {
        // SAFETY: by this function's contract.
        unsafe {
            if self.place.now.start.is_null() {
                let sizes = sizes_of(&dem_scene_desc { bodies: self.bodies, ..Input::DEFAULT })?;
                // A bad query gets no memory.
                let size = self.bytes(&sizes)?;
                self.place.move_to(size, |start| begin_in(start, size, &sizes))?;
            }
            // Before the block moves: what is read might lie there.
            self.query.apart_from(&[((self.place.now.start.cast_const(), self.place.now.size), What::Block)])?;
            let mut last = None;
            loop {
                let sizes = scenes::with(self.scene(), |scene| Ok(scene.sizes))?;
                let mut hints = blocks::marks(self.scene().cast(), Held::Scene, What::Scene)?;
                [self.query.raw.pairs, self.query.raw.pair_contacts] =
                    [0, 1].map(|i| self.asked[i].max(usize::try_from(hints[i]).unwrap_or(usize::MAX)));
                if sizes.bodies < self.bodies && self.place.grows() {
                    let bodies = self.bodies.saturating_add(self.bodies / 4);
                    self.grow(&SceneSizes { bodies, ..sizes })?;
                    continue;
                }
                self.make_scratch(scratch_of(self.query, &sizes)?)?;
                let error = match make_step(self.scene(), self.query, self.scratch()?) {
                    Err(e) if e.kind == Kind::Capacity && e.needed > e.given && self.place.grows() => e,
                    done => return done,
                };
                // What was made and is asked for again would be asked for for ever.
                if last.is_some_and(|(what, needed)| what == error.what && error.needed <= needed) {
                    return Err(error);
                }
                last = Some((error.what, error.needed));
                match error.what {
                    What::Pairs | What::Output => {
                        hints[usize::from(error.what == What::Output)] = ample(bytes(error.needed)?) as u64;
                        blocks::exclusive(self.scene().cast(), Held::Scene, What::Scene, |_| Ok(((), hints)))?;
                    }
                    What::Scratch => self.make_scratch(bytes(error.needed)?)?,
                    _ => {
                        let (mut settings, mut sizes) = (self.query.settings()?, sizes);
                        make_room(error, &mut settings, &mut sizes)?;
                        self.grow(&sizes)?;
                    }
                }
            }
        }
    }

    /// Bytes of a block with its scratch.
    ///
    /// # Safety
    /// As for [`dem_scene_step`].
    unsafe fn bytes(&self, sizes: &SceneSizes) -> Result<usize> {
        // SAFETY: by this function's contract.
        let scratch = ample(unsafe { scratch_of(self.query, sizes) }?);
        Ok(blocks::whole(scenes::length(sizes)?, What::Block)?.saturating_add(scratch))
    }

    /// # Safety
    /// As for [`dem_scene_step`].
    unsafe fn grow(&mut self, sizes: &SceneSizes) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            let (size, scene) = (self.bytes(sizes)?, self.scene());
            self.place.move_to(size, |start| grow_into(scene, start, size, sizes))
        }
    }

    /// What lies behind the scene.
    ///
    /// # Safety
    /// As for [`dem_scene_step`].
    unsafe fn scratch(&self) -> Result<(*mut c_void, usize)> {
        // SAFETY: by this function's contract.
        let (_, holds) = unsafe { blocks::stretch(self.scene().cast(), Held::Scene, What::Scene) }?;
        let short = Error::capacity(What::Block, holds as u64, self.place.now.size as u64);
        Ok((self.place.now.start.wrapping_byte_add(holds), self.place.now.size.checked_sub(holds).ok_or(short)?))
    }

    /// As much scratch as is needed, if the host lets the block grow.
    ///
    /// # Safety
    /// As for [`dem_scene_step`].
    unsafe fn make_scratch(&mut self, needed: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            let (_, there) = self.scratch()?;
            if there >= needed || !self.place.grows() {
                return Ok(());
            }
            let (from, holds) = (self.scene().cast::<u8>(), self.place.now.size - there);
            // Nobody is changing it.
            scenes::with(self.scene(), |_| Ok(()))?;
            self.place.move_to(holds.saturating_add(ample(needed)), |to| {
                debug_assert!(holds >= LATCH);
                core::ptr::copy_nonoverlapping(from, to.cast::<u8>(), holds);
                Ok(())
            })
        }
    }
}

#[cfg(test)]
mod tests;
