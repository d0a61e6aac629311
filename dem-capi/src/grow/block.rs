//! Blocks that grow, for scenes and worlds: get memory from the host, and repeat the call with more room until it is enough.

use core::ffi::c_void;
use core::marker::PhantomData;

use dem_core::detect::{Settings, Shortage};
use dem_core::error::{Error, Kind, Result, What};

use crate::detect::Query;
use crate::edge;
use crate::fpenv;
use crate::memory::{self as blocks, DEM_ALIGN, Held, LATCH, apart, dem_block};
use crate::search::first_room;
use crate::shortage::Told;

pub(crate) fn bytes(needed: u64) -> Result<usize> {
    usize::try_from(needed).map_err(|_| Error::new(Kind::TooLarge, What::Block).amounts(isize::MAX as u64, needed))
}

/// A quarter more than needed, so that a block that grows slowly is not copied in every step.
pub(crate) fn ample(needed: usize) -> usize {
    needed.saturating_add(needed / 4)
}

/// A block of the host.
pub(crate) struct Place {
    block: *mut dem_block,
    pub(crate) now: dem_block,
    /// The memory before the last move, if it is still read.
    kept: Option<(*mut c_void, usize)>,
}

impl Place {
    /// # Safety
    /// A pointer that is not null points at a `dem_block` whose fields are correct.
    pub(crate) unsafe fn read(block: *mut dem_block) -> Result<Place> {
        // SAFETY: by this function's contract.
        let now = unsafe { edge::read(block.cast_const(), What::Block) }?;
        let size = if now.start.is_null() { 0 } else { now.size };
        Ok(Place { block, now: dem_block { size, ..now }, kept: None })
    }

    pub(crate) fn grows(&self) -> bool {
        self.now.resize.is_some()
    }

    /// Gets new memory of this size from the host, besides the present memory.
    ///
    /// Errors: [`Kind::Capacity`], [`Kind::Misaligned`], [`Kind::Overlap`].
    ///
    /// # Safety
    /// The host's function does what `dem_resize` says.
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
        // Memory that overlaps is not given back, because that could free memory in use.
        apart((start, size), (self.now.start, self.now.size), What::Block)?;
        Ok(start)
    }

    /// # Safety
    /// The memory came from the host's function, and nothing uses it any more.
    unsafe fn give_back(&self, start: *mut c_void, size: usize) {
        if let Some(resize) = self.now.resize {
            // SAFETY: by this function's contract.
            unsafe { resize(self.now.context, start, size, 0) };
            fpenv::reset();
        }
    }

    /// Gets memory of at least this size if the present memory is smaller. The content is lost.
    ///
    /// # Safety
    /// As for [`Place::fresh`].
    pub(crate) unsafe fn hold(&mut self, size: usize) -> Result<()> {
        if self.now.size >= size || !(self.grows() || self.now.start.is_null()) {
            return Ok(());
        }
        // SAFETY: by this function's contract.
        unsafe { self.move_to(size, |_| Ok(())) }
    }

    /// Moves to new memory, in which `fill` makes the content. After an error nothing has changed.
    ///
    /// # Safety
    /// As for [`Place::fresh`].
    pub(crate) unsafe fn move_to(&mut self, size: usize, fill: impl FnOnce(*mut c_void) -> Result<()>) -> Result<()> {
        // SAFETY: by this function's contract; nothing uses memory that is given back.
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

    /// As [`Place::move_to`], but the old memory is kept until [`Place::forget`].
    ///
    /// # Safety
    /// As for [`Place::fresh`].
    unsafe fn move_and_keep(&mut self, size: usize, fill: impl FnOnce(*mut c_void) -> Result<()>) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            self.forget();
            let kept = (!self.now.start.is_null()).then_some((self.now.start, self.now.size));
            let start = self.fresh(size)?;
            if let Err(e) = fill(start) {
                self.give_back(start, size);
                return Err(e);
            }
            self.kept = kept;
            self.now = dem_block { start, size, ..self.now };
            edge::write(self.block, self.now, What::Block)
        }
    }

    /// Gives back the memory that was kept.
    ///
    /// # Safety
    /// Nothing uses this memory any more.
    unsafe fn forget(&mut self) {
        if let Some((start, size)) = self.kept.take() {
            // SAFETY: by this function's contract.
            unsafe { self.give_back(start, size) };
        }
    }
}

/// A kind of object that can live and grow in a block: a scene or a world.
pub(crate) trait Object {
    /// The numbers for which an object has room.
    type Sizes: Copy;
    const HELD: Held;
    const WHAT: What;

    /// # Safety
    /// `start` is the block of such an object.
    unsafe fn sizes(start: *const c_void) -> Result<Self::Sizes>;

    /// Bytes of its content.
    fn length(sizes: &Self::Sizes) -> Result<usize>;

    /// Bytes of scratch for calls with this query.
    ///
    /// # Safety
    /// The shapes of the query can be read.
    unsafe fn scratch(query: &Query, sizes: &Self::Sizes) -> Result<usize>;

    /// All room that was too small in a call with this error.
    ///
    /// # Safety
    /// `start` is the block of such an object.
    unsafe fn shortage(start: *const c_void, error: &Error, told: &Told) -> Shortage;

    /// Sizes with enough room for the shortage, and some more.
    fn roomier(short: &Shortage, settings: &mut Settings, sizes: &Self::Sizes) -> Result<Self::Sizes>;

    /// Makes a copy of the object with more room in other memory.
    ///
    /// # Safety
    /// `start` is the block of such an object, and `memory` is other memory of `size` bytes.
    unsafe fn grow_into(start: *const c_void, memory: *mut c_void, size: usize, sizes: &Self::Sizes) -> Result<()>;
}

/// An object in a block of the host, with scratch after it.
pub(crate) struct Growing<O> {
    pub(crate) place: Place,
    kind: PhantomData<O>,
}

impl<O: Object> Growing<O> {
    /// # Safety
    /// As for [`Place::read`].
    pub(crate) unsafe fn read(block: *mut dem_block) -> Result<Self> {
        // SAFETY: by this function's contract.
        Ok(Growing { place: unsafe { Place::read(block) }?, kind: PhantomData })
    }

    pub(crate) fn start(&self) -> *mut c_void {
        self.place.now.start
    }

    /// Runs `call` with the query and scratch, and repeats it with more room until there is enough.
    ///
    /// # Safety
    /// The block contains an object, and the memory to which the object and the query refer can be read.
    pub(crate) unsafe fn until_enough<R>(
        &mut self,
        query: &mut Query,
        mut call: impl FnMut(*mut c_void, &Query, (*mut c_void, usize)) -> Result<R>,
    ) -> Result<R> {
        let mut told = Told::default();
        // SAFETY: by this function's contract.
        unsafe { self.going_on(query, &mut told, |start, query, scratch, _| call(start, query, scratch)) }
    }

    /// As [`Growing::until_enough`], for a call that reports all room that was too small, and leaves its results in its scratch. The scratch still
    /// exists when the call is repeated.
    ///
    /// # Safety
    /// As for [`Growing::until_enough`].
    pub(crate) unsafe fn going_on<R>(
        &mut self,
        query: &mut Query,
        told: &mut Told,
        call: impl FnMut(*mut c_void, &Query, (*mut c_void, usize), &mut Told) -> Result<R>,
    ) -> Result<R> {
        // SAFETY: by this function's contract; only calls read the memory that was kept.
        unsafe {
            let done = self.repeated(query, told, call);
            self.place.forget();
            done
        }
    }

    /// # Safety
    /// As for [`Growing::until_enough`].
    unsafe fn repeated<R>(
        &mut self,
        query: &mut Query,
        told: &mut Told,
        mut call: impl FnMut(*mut c_void, &Query, (*mut c_void, usize), &mut Told) -> Result<R>,
    ) -> Result<R> {
        // SAFETY: by this function's contract.
        unsafe {
            // Before the block moves, since inputs might lie in it.
            query.apart_from(&[((self.start().cast_const(), self.place.now.size), What::Block)])?;
            let asked = [query.raw.pairs, query.raw.pair_contacts];
            let mut last = None;
            loop {
                let sizes = O::sizes(self.start())?;
                let mut hints = blocks::marks(self.start(), O::HELD, O::WHAT)?;
                let known =
                    |hints: [u64; 4]| [0, 1].map(|i| asked[i].max(usize::try_from(hints[i]).unwrap_or(usize::MAX)));
                [query.raw.pairs, query.raw.pair_contacts] = known(hints);
                self.make_scratch(O::scratch(query, &sizes)?)?;
                let done = call(self.start(), query, self.scratch()?, told);
                self.place.forget();
                let error = match done {
                    Err(e) if e.kind == Kind::Capacity && e.needed > e.given && self.place.grows() => e,
                    done => return done,
                };
                // If a call asks again for room that it has just got, repeating it would never end.
                if last.is_some_and(|(about, needed)| about == (error.what, error.component) && error.needed <= needed)
                {
                    return Err(error);
                }
                last = Some(((error.what, error.component), error.needed));
                if error.what == What::Scratch {
                    self.make_scratch(bytes(error.needed)?)?;
                    continue;
                }
                let short = O::shortage(self.start(), &error, told);
                if short.is_nothing() {
                    return Err(error);
                }
                let needed = [short.room_pairs(first_room(query.raw.pairs)), short.pair_contacts];
                for (hint, needed) in hints.iter_mut().zip(needed).filter(|(_, needed)| *needed > 0) {
                    *hint = ample(bytes(needed)?) as u64;
                }
                blocks::exclusive(self.start(), O::HELD, O::WHAT, |_| Ok(((), hints)))?;
                [query.raw.pairs, query.raw.pair_contacts] = known(hints);
                let sizes = O::roomier(&short, &mut query.settings()?, &sizes)?;
                self.grow_and_keep(&sizes, O::scratch(query, &sizes)?)?;
            }
        }
    }

    /// Bytes of a block for an object of these sizes, with this much scratch.
    pub(crate) fn bytes(sizes: &O::Sizes, scratch: usize) -> Result<usize> {
        Ok(blocks::whole(O::length(sizes)?, What::Block)?.saturating_add(scratch))
    }

    /// Grows the object to these sizes, with at least this much scratch.
    ///
    /// # Safety
    /// The block contains an object.
    pub(crate) unsafe fn grow(&mut self, sizes: &O::Sizes, scratch: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            let (size, from) = (Self::bytes(sizes, scratch)?, self.start());
            self.place.move_to(size, |start| O::grow_into(from, start, size, sizes))
        }
    }

    /// As [`Growing::grow`], but the old memory is kept until the next call has ended.
    ///
    /// # Safety
    /// The block contains an object.
    unsafe fn grow_and_keep(&mut self, sizes: &O::Sizes, scratch: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            // Larger than the old memory, since both exist for a while: so an error names more bytes than were given.
            let (least, from) = (self.place.now.size.saturating_add(DEM_ALIGN), self.start());
            let size = Self::bytes(sizes, scratch)?.max(least);
            self.place.move_and_keep(size, |start| O::grow_into(from, start, size, sizes))
        }
    }

    /// The scratch after the object: its start and size.
    ///
    /// # Safety
    /// The block contains an object.
    pub(crate) unsafe fn scratch(&self) -> Result<(*mut c_void, usize)> {
        // SAFETY: by this function's contract.
        let (_, holds) = unsafe { blocks::stretch(self.start(), O::HELD, O::WHAT) }?;
        let short = Error::capacity(What::Block, holds as u64, self.place.now.size as u64);
        Ok((self.start().wrapping_byte_add(holds), self.place.now.size.checked_sub(holds).ok_or(short)?))
    }

    /// Gets as much scratch as is needed, if the block can grow.
    ///
    /// # Safety
    /// The block contains an object.
    unsafe fn make_scratch(&mut self, needed: usize) -> Result<()> {
        // SAFETY: by this function's contract.
        unsafe {
            let (_, there) = self.scratch()?;
            if there >= needed || !self.place.grows() {
                return Ok(());
            }
            let (from, holds) = (self.start().cast::<u8>(), self.place.now.size - there);
            // Checks that no other call is changing the object.
            O::sizes(self.start())?;
            self.place.move_to(holds.saturating_add(ample(needed)), |to| {
                debug_assert!(holds >= LATCH);
                core::ptr::copy_nonoverlapping(from, to.cast::<u8>(), holds);
                Ok(())
            })
        }
    }
}
