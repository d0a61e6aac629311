//! Memory.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use dem_core::error::{Error, Kind, Result, What};

use crate::layouts::fixed;
pub(crate) use crate::scratch::{Scratch, Stretch, apart, scratch_size};

/// Blocks start at multiples of this number of bytes.
pub const DEM_ALIGN: usize = 64;

/// A function of the program that gives memory to the library and takes it back. `context` is that of the `dem_block`.
/// If `size` > 0, the function returns `size` bytes at a multiple of `DEM_ALIGN`, with any content, or null if there are none; `old` is
/// then null and `old_size` 0.
/// If `size` = 0, the library no longer needs the memory `old` of `old_size` bytes, which this function has returned, or the program has put
/// into the `dem_block`. The library ignores the returned value.
/// The function must not leave by an exception or `longjmp`.
pub type dem_resize =
    Option<unsafe extern "C" fn(context: *mut c_void, old: *mut c_void, old_size: usize, size: usize) -> *mut c_void>;

/// A block of memory, and a function that gets a larger one. `dem_heap.h` has one that uses malloc. A copy of the struct has the same memory: only one
/// of the two may grow, and give it back.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dem_block {
    /// Address of the object in the block: its handle. Null: there is no object yet.
    pub start: *mut c_void,
    /// Bytes of the memory from `start` on.
    pub size: usize,
    /// Null: `size` bytes are all the memory, and calls that need more return `DEM_ERROR_CAPACITY`.
    pub resize: dem_resize,
    /// Argument of `resize`.
    pub context: *mut c_void,
}

fixed!(dem_block { start: *mut c_void, size: usize, resize: dem_resize, context: *mut c_void });

/// Kind of object in a block. The numbers are in the blocks, and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Held {
    /// Mesh and surrogate tree, and perhaps cells. (2 is never used again.)
    Shape = 1,
    /// A scene.
    Scene = 3,
    /// A grid of spheres.
    Grid = 4,
    /// A world.
    World = 5,
}

/// The first cache line of a block, before its content. It detects calls at the same time, and tells the kind of the block. No `&mut` ever contains
/// it.
#[repr(C, align(64))]
struct Latch {
    magic: [u8; 8],
    held: u32,
    version: u32,
    /// Bytes of the content, which follows this line.
    length: u64,
    state: AtomicU32,
    reserved: u32,
    /// [`Marks`], as halves of each number: a thread may read them while another thread changes the block.
    marks: [AtomicU32; 8],
}

/// Proofs that the parts of a content were checked when it was made or opened, so that later calls need not check them again. Zeros if
/// there is no part.
pub(crate) type Marks = [u64; 4];

impl Latch {
    #[inline(always)]
    fn marks(&self) -> Marks {
        let half = |i: usize| u64::from(self.marks[i].load(Ordering::Relaxed));
        core::array::from_fn(|i| half(2 * i) | half(2 * i + 1) << 32)
    }

    fn set_marks(&self, marks: Marks) {
        for (i, to) in self.marks.iter().enumerate() {
            to.store((marks[i / 2] >> (32 * (i % 2))) as u32, Ordering::Relaxed);
        }
    }
}

const _: () = assert!(size_of::<Latch>() == DEM_ALIGN && align_of::<Latch>() == DEM_ALIGN);

/// Bytes of this line.
pub(crate) const LATCH: usize = size_of::<Latch>();
const MAGIC: [u8; 8] = *b"dem\0blk\x1a";
const VERSION: u32 = 1;

const FREE: u32 = 0;
const BUSY: u32 = 1;
const POISONED: u32 = 2;

/// Bytes of a block whose content has `length` bytes.
pub(crate) fn whole(length: usize, what: What) -> Result<usize> {
    let whole = length.checked_add(LATCH);
    whole.filter(|w| *w <= isize::MAX as usize).ok_or(Error::new(Kind::TooLarge, what))
}

fn aligned(at: *const c_void, what: What) -> Result<()> {
    if at.is_null() {
        return Err(Error::new(Kind::Null, what));
    }
    if !(at as usize).is_multiple_of(DEM_ALIGN) {
        return Err(Error::new(Kind::Misaligned, what).amounts(DEM_ALIGN as u64, at as u64 % DEM_ALIGN as u64));
    }
    Ok(())
}

/// Whether there is a block of this kind.
///
/// # Safety
/// As for `latch`.
pub(crate) unsafe fn is(block: *const c_void, held: Held) -> bool {
    // SAFETY: by this function's contract.
    unsafe { latch(block, held, What::Block) }.is_ok()
}

/// The line of a block of this kind.
///
/// # Safety
/// At a pointer that is not null, 64 bytes can be read, and after them the bytes that the line tells. Only the line's state may change, by
/// atomic writes.
unsafe fn latch<'a>(block: *const c_void, held: Held, what: What) -> Result<&'a Latch> {
    aligned(block, what)?;
    // SAFETY: not null, aligned, and the host guarantees the bytes; every bit pattern is a value.
    let latch = unsafe { &*block.cast::<Latch>() };
    let known = latch.magic == MAGIC && latch.version == VERSION;
    if known && held == Held::Scene && latch.held == Held::World as u32 {
        return Err(Error::new(Kind::Unsupported, What::Scene));
    }
    if !known || latch.held != held as u32 || latch.length > isize::MAX as u64 - LATCH as u64 {
        return Err(Error::new(Kind::Damaged, what));
    }
    Ok(latch)
}

fn refusal(state: u32, what: What) -> Error {
    match state {
        BUSY => Error::new(Kind::Busy, what),
        POISONED => Error::new(Kind::Poisoned, what),
        _ => Error::new(Kind::Damaged, what),
    }
}

/// Frees the block when it is dropped; a panic leaves the block poisoned.
struct Exclusive<'a> {
    state: &'a AtomicU32,
    left: u32,
}

impl<'a> Exclusive<'a> {
    fn enter(state: &'a AtomicU32, what: What) -> Result<Exclusive<'a>> {
        #[cfg(target_has_atomic = "32")]
        state.compare_exchange(FREE, BUSY, Ordering::Acquire, Ordering::Relaxed).map_err(|s| refusal(s, what))?;
        // A machine without this instruction has one core, so the only call to detect is one from inside a callback.
        #[cfg(not(target_has_atomic = "32"))]
        match state.load(Ordering::Acquire) {
            FREE => state.store(BUSY, Ordering::Relaxed),
            s => return Err(refusal(s, what)),
        }
        Ok(Exclusive { state, left: POISONED })
    }
}

impl Drop for Exclusive<'_> {
    fn drop(&mut self) {
        self.state.store(self.left, Ordering::Release);
    }
}

/// Makes a block of `length` bytes of content in `memory`: zeroes it, then calls `fill`, which gives its marks. If `fill` fails, the memory
/// contains no block.
///
/// # Safety
/// At a pointer that is not null, `size` bytes can be written, and nobody else uses them during the call.
pub(crate) unsafe fn create<R>(
    memory: *mut c_void,
    size: usize,
    length: usize,
    held: Held,
    fill: impl FnOnce(&mut [u8]) -> Result<(R, Marks)>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe {
        create_in(memory, size, length, held, |room| {
            let short = Error::capacity(What::Block, length as u64, room.len() as u64);
            let content = room.get_mut(..length).ok_or(short)?;
            content.fill(0);
            let (made, marks) = fill(content)?;
            Ok((made, marks, length))
        })
    }
}

/// Makes a block in `memory`, with at least `least` bytes for the content. `fill` gets all bytes, with any content. It writes the content
/// at their start and gives its marks and its length, and may use the rest as scratch. If it fails, the memory contains no block.
///
/// # Safety
/// As for [`create`].
pub(crate) unsafe fn create_in<R>(
    memory: *mut c_void,
    size: usize,
    least: usize,
    held: Held,
    fill: impl FnOnce(&mut [u8]) -> Result<(R, Marks, usize)>,
) -> Result<R> {
    aligned(memory, What::Block)?;
    let needed = whole(least, What::Block)?;
    if size < needed {
        return Err(Error::capacity(What::Block, needed as u64, size as u64));
    }
    if size > isize::MAX as usize {
        return Err(Error::new(Kind::TooLarge, What::Block).amounts(isize::MAX as u64, size as u64));
    }
    let line = Latch {
        magic: MAGIC,
        held: held as u32,
        version: VERSION,
        length: 0,
        state: AtomicU32::new(BUSY),
        reserved: 0,
        marks: [const { AtomicU32::new(0) }; 8],
    };
    let latch = memory.cast::<Latch>();
    // SAFETY: aligned memory of at least `needed` bytes, which nothing else uses. As in scratch, nothing reads the bytes after the
    // line before they are written. Of the line, only the state is borrowed while the rest is written.
    unsafe {
        latch.write(line);
        let room = memory.cast::<u8>().add(LATCH);
        let mut entered = Exclusive { state: &(*latch).state, left: POISONED };
        let made = fill(core::slice::from_raw_parts_mut(room, size - LATCH));
        entered.left = FREE;
        drop(entered);
        match made {
            Ok((made, marks, length)) => {
                (&raw mut (*latch).length).write(length as u64);
                (*latch).set_marks(marks);
                Ok(made)
            }
            Err(e) => {
                (&raw mut (*latch).magic).write([0; 8]);
                Err(e)
            }
        }
    }
}

/// Lends a block's content to change it; `body` gives its marks. Refused while another thread does the same.
///
/// # Safety
/// At a pointer that is not null, 64 bytes exist, and after them the bytes that they tell. Only calls of this library use them.
pub(crate) unsafe fn exclusive<R>(
    block: *mut c_void,
    held: Held,
    what: What,
    body: impl FnOnce(&mut [u8]) -> Result<(R, Marks)>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let latch = unsafe { latch(block, held, what) }?;
    let mut entered = Exclusive::enter(&latch.state, what)?;
    // SAFETY: the content lies after the line and does not contain it; the latch refuses other calls.
    let content = unsafe { core::slice::from_raw_parts_mut(block.cast::<u8>().add(LATCH), latch.length as usize) };
    let outcome = body(content).map(|(outcome, marks)| {
        latch.set_marks(marks);
        outcome
    });
    entered.left = FREE;
    outcome
}

/// As [`exclusive`], without a change of the marks.
///
/// # Safety
/// As for `exclusive`.
pub(crate) unsafe fn changed<R>(
    block: *mut c_void,
    held: Held,
    what: What,
    body: impl FnOnce(&mut [u8]) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    unsafe {
        let marks = latch(block, held, what)?.marks();
        exclusive(block, held, what, |content| Ok((body(content)?, marks)))
    }
}

/// Lends a block's content to change it, with all the host's room for it. `body` gets the length of the content; the bytes after it are
/// zeros. `body` gives marks and the new length. Refused while another thread does the same.
///
/// # Safety
/// As for `exclusive`; and `size` bytes can be written at the block, which nothing else uses.
pub(crate) unsafe fn resized<R>(
    block: *mut c_void,
    size: usize,
    held: Held,
    what: What,
    body: impl FnOnce(&mut [u8], usize) -> Result<(R, Marks, usize)>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let length = unsafe { latch(block, held, what) }?.length as usize;
    let room = size.checked_sub(LATCH).filter(|room| *room >= length && *room <= isize::MAX as usize);
    let Some(room) = room else {
        return Err(Error::capacity(What::Block, whole(length, what)? as u64, size as u64));
    };
    let line = block.cast::<Latch>();
    // SAFETY: the line was checked to be a latch; of it, only the state is borrowed while the length is written. The content lies
    // after it, inside of the bytes that the host guarantees, and the latch refuses other calls.
    unsafe {
        let mut entered = Exclusive::enter(&(*line).state, what)?;
        let content = block.cast::<u8>().add(LATCH);
        content.add(length).write_bytes(0, room - length);
        let outcome = body(core::slice::from_raw_parts_mut(content, room), length).map(|(outcome, marks, length)| {
            (&raw mut (*line).length).write(length as u64);
            (*line).set_marks(marks);
            outcome
        });
        entered.left = FREE;
        outcome
    }
}

/// A block's content, lent to any number of threads for reading. Nothing is written, so the block may be in read-only memory.
/// [`Loan::unchanged`] detects a call that changes the block meanwhile; results of this reading must then not be used.
#[derive(Clone, Copy)]
pub(crate) struct Loan<'a> {
    pub(crate) content: &'a [u8],
    pub(crate) marks: Marks,
    latch: &'a Latch,
    what: What,
}

impl Loan<'_> {
    /// Errors: [`Kind::Busy`] and [`Kind::Poisoned`] if a call changes the block.
    pub(crate) fn unchanged(&self) -> Result<()> {
        free(self.latch, self.what)
    }
}

/// Errors: [`Kind::Busy`] and [`Kind::Poisoned`] if a call changes the block, or was interrupted.
#[inline(always)]
fn free(latch: &Latch, what: What) -> Result<()> {
    match latch.state.load(Ordering::Acquire) {
        FREE => Ok(()),
        state => Err(refusal(state, what)),
    }
}

/// Lends a block's content and its marks.
///
/// # Safety
/// As for `exclusive`, during `'a`. The host must not change the block meanwhile. The library detects such a change and does not prevent it, so that
/// readers need not write to the block, and any number of them cost nothing.
#[inline(always)]
pub(crate) unsafe fn lend<'a>(block: *const c_void, held: Held, what: What) -> Result<Loan<'a>> {
    // SAFETY: by this function's contract.
    let latch = unsafe { latch(block, held, what) }?;
    // Before the content is borrowed, since another call may be changing it.
    free(latch, what)?;
    // SAFETY: the content lies after the line, and the host guarantees that no other call changes it.
    let content = unsafe { core::slice::from_raw_parts(block.cast::<u8>().add(LATCH), latch.length as usize) };
    Ok(Loan { content, marks: latch.marks(), latch, what })
}

/// Runs `body` with a block's content and its marks.
///
/// # Safety
/// As for `lend`, as long as the call lasts.
pub(crate) unsafe fn shared<R>(
    block: *const c_void,
    held: Held,
    what: What,
    body: impl FnOnce(&[u8], Marks) -> Result<R>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let loan = unsafe { lend(block, held, what) }?;
    let outcome = body(loan.content, loan.marks);
    loan.unchanged()?;
    outcome
}

/// The bytes of a block, including its line.
///
/// # Safety
/// As for `exclusive`.
pub(crate) unsafe fn stretch(block: *const c_void, held: Held, what: What) -> Result<Stretch> {
    // SAFETY: by this function's contract.
    let length = unsafe { latch(block, held, what) }?.length as usize;
    Ok((block, length + LATCH))
}

/// The marks of a block.
///
/// # Safety
/// As for `lend`.
pub(crate) unsafe fn marks(block: *const c_void, held: Held, what: What) -> Result<Marks> {
    // SAFETY: by this function's contract.
    Ok(unsafe { latch(block, held, what) }?.marks())
}

/// Accepts bytes from outside (a file, another process, a snapshot) as a block: checks them, renews the marks and frees the latch.
///
/// # Safety
/// As for `create`.
pub(crate) unsafe fn open<R>(
    memory: *mut c_void,
    size: usize,
    held: Held,
    verify: impl FnOnce(&mut [u8]) -> Result<(R, Marks)>,
) -> Result<R> {
    aligned(memory, What::Block)?;
    if size < LATCH {
        return Err(Error::capacity(What::Block, LATCH as u64, size as u64));
    }
    // SAFETY: by this function's contract there are `size` bytes, at least a line.
    let latch = unsafe { latch(memory, held, What::Block) }?;
    let needed = latch.length as usize + LATCH;
    if size < needed {
        return Err(Error::capacity(What::Block, needed as u64, size as u64));
    }
    // SAFETY: the content lies after the line, inside `size` bytes that nothing else uses.
    let content = unsafe { core::slice::from_raw_parts_mut(memory.cast::<u8>().add(LATCH), needed - LATCH) };
    let (verified, marks) = verify(content)?;
    latch.set_marks(marks);
    latch.state.store(FREE, Ordering::Release);
    Ok(verified)
}

#[cfg(test)]
mod tests;
