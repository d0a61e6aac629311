//! Memory.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use dem_core::error::{Error, Kind, Result, What};
use dem_core::memory::Layout;

/// Blocks start at multiples of this.
pub const DEM_ALIGN: usize = 64;

/// What a block holds. The numbers are in the blocks, and are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Held {
    /// Mesh and surrogate tree.
    Shape = 1,
    /// Cells of a mesh.
    Cells = 2,
    /// A scene.
    Scene = 3,
}

/// The line before a block's bytes that keeps threads apart and says whose bytes they are. It is never inside a `&mut`.
#[repr(C, align(64))]
struct Latch {
    magic: [u8; 8],
    held: u32,
    version: u32,
    /// Bytes behind this line.
    length: u64,
    state: AtomicU32,
    reserved: u32,
    /// [`Marks`], halves of each number: they are read while another thread may change the block.
    marks: [AtomicU32; 8],
}

/// What proved the parts of a content right when it was made or opened, so that later calls need not prove it again; zeros
/// where there is no part.
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

/// Bytes of the line.
pub(crate) const LATCH: usize = size_of::<Latch>();
const MAGIC: [u8; 8] = *b"dem\0blk\x1a";
const VERSION: u32 = 1;

const FREE: u32 = 0;
const BUSY: u32 = 1;
const POISONED: u32 = 2;

/// Bytes and alignment of a block whose content has `length` bytes.
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

/// The line of a block of this kind.
///
/// # Safety
/// Where the pointer is not null, 64 bytes can be read there, and behind them what they say; the memory may change by
/// atomic writes of its state only.
unsafe fn latch<'a>(block: *const c_void, held: Held, what: What) -> Result<&'a Latch> {
    aligned(block, what)?;
    // SAFETY: not null, aligned, and the host vouches for the bytes; every bit pattern is a value.
    let latch = unsafe { &*block.cast::<Latch>() };
    let ours = latch.magic == MAGIC && latch.held == held as u32 && latch.version == VERSION;
    if !ours || latch.length > isize::MAX as u64 - LATCH as u64 {
        return Err(Error::new(Kind::Damaged, what));
    }
    Ok(latch)
}

/// Bytes that a caller has to give for scratch of this layout: at any address there is then an aligned start.
pub(crate) fn scratch_size(layout: Layout) -> Result<usize> {
    if layout.size == 0 {
        return Ok(0);
    }
    let size = layout.size.checked_add(DEM_ALIGN - 1).filter(|s| *s <= isize::MAX as usize);
    size.ok_or(Error::new(Kind::TooLarge, What::Scratch).amounts(isize::MAX as u64, layout.size as u64))
}

/// Memory of the host: where it starts, and how many bytes.
pub(crate) type Stretch = (*const c_void, usize);

/// Scratch memory of the host.
#[derive(Clone, Copy)]
pub(crate) struct Scratch {
    start: *mut u8,
    size: usize,
    /// Whether `start` is a multiple of 64: parts of a scratch lie one behind the other without gaps.
    is_aligned: bool,
}

impl Scratch {
    /// Where the host says.
    pub(crate) fn new(start: *mut c_void, size: usize) -> Scratch {
        Scratch { start: start.cast(), size, is_aligned: false }
    }

    /// As many bytes as a layout asks for, aligned.
    ///
    /// Errors: [`Kind::Capacity`], [`Kind::Null`].
    ///
    /// # Safety
    /// Where the pointer is not null, the bytes can be written, and nothing else uses them as long as the slice lives.
    pub(crate) unsafe fn take<'a>(self, layout: Layout) -> Result<&'a mut [u8]> {
        // SAFETY: by this function's contract.
        Ok(unsafe { self.split(layout) }?.0)
    }

    /// The same, and what is left behind them.
    ///
    /// # Safety
    /// As for `take`.
    pub(crate) unsafe fn split<'a>(self, layout: Layout) -> Result<(&'a mut [u8], Scratch)> {
        if layout.size == 0 {
            return Ok((&mut [], self));
        }
        let needed = if self.is_aligned { layout.size } else { scratch_size(layout)? };
        if self.size < needed {
            return Err(Error::capacity(What::Scratch, needed as u64, self.size as u64));
        }
        if self.start.is_null() {
            return Err(Error::new(Kind::Null, What::Scratch));
        }
        let start = self.start.wrapping_add((self.start as usize).wrapping_neg() % DEM_ALIGN);
        // What an aligned start did not need is left alone, so that no size that is enough depends on the address.
        let is_aligned = layout.size.is_multiple_of(DEM_ALIGN);
        let rest = Scratch { start: start.wrapping_add(layout.size), size: self.size - needed, is_aligned };
        // SAFETY: `needed` covers the widest skip and the layout, and the host vouches for them. Their content, whatever it
        // is, means nothing.
        Ok((unsafe { core::slice::from_raw_parts_mut(start, layout.size) }, rest))
    }

    /// Whether it has room for a layout.
    pub(crate) fn holds(self, layout: Layout) -> bool {
        let needed = if self.is_aligned { Ok(layout.size) } else { scratch_size(layout) };
        needed.is_ok_and(|needed| needed <= self.size)
    }

    /// Where it lies.
    pub(crate) fn bytes(self) -> Stretch {
        (self.start.cast(), self.size)
    }

    /// Where it starts.
    pub(crate) fn start(self) -> *const c_void {
        self.start.cast()
    }

    /// The same of a stretch.
    pub(crate) fn apart_from(self, other: Stretch) -> Result<()> {
        self.apart(other.0, other.1)
    }

    /// Errors: [`Kind::Overlap`] where the scratch shares a byte with other memory.
    pub(crate) fn apart(self, other: *const c_void, size: usize) -> Result<()> {
        apart((self.start.cast(), self.size), (other, size), What::Scratch)
    }
}

/// Errors: [`Kind::Overlap`] where two stretches of memory share a byte.
pub(crate) fn apart(a: Stretch, b: Stretch, what: What) -> Result<()> {
    let (from_a, from_b) = (a.0 as usize, b.0 as usize);
    let before = |start: usize, size, other| size == 0 || start.saturating_add(size) <= other;
    if before(from_a, a.1, from_b) || before(from_b, b.1, from_a) {
        return Ok(());
    }
    Err(Error::new(Kind::Overlap, what))
}

fn refusal(state: u32, what: What) -> Error {
    match state {
        BUSY => Error::new(Kind::Busy, what),
        POISONED => Error::new(Kind::Poisoned, what),
        _ => Error::new(Kind::Damaged, what),
    }
}

/// Frees the block when it is left; a panic leaves it poisoned.
struct Exclusive<'a> {
    state: &'a AtomicU32,
    left: u32,
}

impl<'a> Exclusive<'a> {
    fn enter(state: &'a AtomicU32, what: What) -> Result<Exclusive<'a>> {
        #[cfg(target_has_atomic = "32")]
        state.compare_exchange(FREE, BUSY, Ordering::Acquire, Ordering::Relaxed).map_err(|s| refusal(s, what))?;
        // A machine without that instruction has one core; what is left to notice is a call from inside a callback.
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

/// Makes a block of `length` bytes of content in `memory`, zeroed and then filled by `fill`, which gives its marks. Where that
/// fails, what is left in the memory is no block.
///
/// # Safety
/// Where the pointer is not null, `size` bytes can be written there, and nobody else uses them during the call.
pub(crate) unsafe fn create<R>(
    memory: *mut c_void,
    size: usize,
    length: usize,
    held: Held,
    fill: impl FnOnce(&mut [u8]) -> Result<(R, Marks)>,
) -> Result<R> {
    aligned(memory, What::Block)?;
    let needed = whole(length, What::Block)?;
    if size < needed {
        return Err(Error::capacity(What::Block, needed as u64, size as u64));
    }
    let line = Latch {
        magic: MAGIC,
        held: held as u32,
        version: VERSION,
        length: length as u64,
        state: AtomicU32::new(BUSY),
        reserved: 0,
        marks: [const { AtomicU32::new(0) }; 8],
    };
    // SAFETY: aligned memory of at least `needed` bytes, of which nobody else knows; all bytes behind the line are written
    // before they are lent.
    unsafe {
        memory.cast::<Latch>().write(line);
        let content = memory.cast::<u8>().add(LATCH);
        content.write_bytes(0, length);
        let mut entered = Exclusive { state: &(*memory.cast::<Latch>()).state, left: POISONED };
        let made = fill(core::slice::from_raw_parts_mut(content, length));
        entered.left = FREE;
        drop(entered);
        match made {
            Ok((made, marks)) => {
                (*memory.cast::<Latch>()).set_marks(marks);
                Ok(made)
            }
            Err(e) => {
                (&raw mut (*memory.cast::<Latch>()).magic).write([0; 8]);
                Err(e)
            }
        }
    }
}

/// Lends a block's content to change it; `body` gives its marks. Refused while another thread does the same.
///
/// # Safety
/// Where the pointer is not null, 64 bytes are there, and behind them what they say; they belong to nothing but calls of
/// this library.
pub(crate) unsafe fn exclusive<R>(
    block: *mut c_void,
    held: Held,
    what: What,
    body: impl FnOnce(&mut [u8]) -> Result<(R, Marks)>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let latch = unsafe { latch(block, held, what) }?;
    let mut entered = Exclusive::enter(&latch.state, what)?;
    // SAFETY: the content lies behind the line, which it does not contain; the latch keeps other calls away.
    let content = unsafe { core::slice::from_raw_parts_mut(block.cast::<u8>().add(LATCH), latch.length as usize) };
    let outcome = body(content).map(|(outcome, marks)| {
        latch.set_marks(marks);
        outcome
    });
    entered.left = FREE;
    outcome
}

/// Lends a block's content to change it, with all the room that the host has for it: what is behind the content is zeros. `body` gives
/// marks and the new length. Refused while another thread does the same.
///
/// # Safety
/// As for `exclusive`; and `size` bytes can be written at the block, which belong to nothing else.
pub(crate) unsafe fn resized<R>(
    block: *mut c_void,
    size: usize,
    held: Held,
    what: What,
    body: impl FnOnce(&mut [u8]) -> Result<(R, Marks, usize)>,
) -> Result<R> {
    // SAFETY: by this function's contract.
    let length = unsafe { latch(block, held, what) }?.length as usize;
    let room = size.checked_sub(LATCH).filter(|room| *room >= length && *room <= isize::MAX as usize);
    let Some(room) = room else {
        return Err(Error::capacity(What::Block, whole(length, what)? as u64, size as u64));
    };
    let line = block.cast::<Latch>();
    // SAFETY: the line is a latch, as was seen; of it only the state is borrowed while the length is written. The content lies
    // behind it, inside of what the host vouches for, and the latch keeps other calls away.
    unsafe {
        let mut entered = Exclusive::enter(&(*line).state, what)?;
        let content = block.cast::<u8>().add(LATCH);
        content.add(length).write_bytes(0, room - length);
        let outcome = body(core::slice::from_raw_parts_mut(content, room)).map(|(outcome, marks, length)| {
            (&raw mut (*line).length).write(length as u64);
            (*line).set_marks(marks);
            outcome
        });
        entered.left = FREE;
        outcome
    }
}

/// A block's content, lent to be read by any number of threads; the block may be in read-only memory, as nothing is written to it. A call
/// that changes the block meanwhile is noticed by [`Loan::unchanged`]: what was made of it is then not to be used.
#[derive(Clone, Copy)]
pub(crate) struct Loan<'a> {
    pub(crate) content: &'a [u8],
    pub(crate) marks: Marks,
    latch: &'a Latch,
    what: What,
}

impl Loan<'_> {
    /// Errors: [`Kind::Busy`] and [`Kind::Poisoned`] where a call changes the block.
    pub(crate) fn unchanged(&self) -> Result<()> {
        match self.latch.state.load(Ordering::Acquire) {
            FREE => Ok(()),
            state => Err(refusal(state, self.what)),
        }
    }
}

/// Lends a block's content and its marks.
///
/// # Safety
/// As for `exclusive`, during `'a`; and that no call changes the block meanwhile is the host's duty. Here it is noticed, not
/// prevented: a reader that leaves no trace costs nothing however many there are.
#[inline(always)]
pub(crate) unsafe fn lend<'a>(block: *const c_void, held: Held, what: What) -> Result<Loan<'a>> {
    // SAFETY: by this function's contract.
    let latch = unsafe { latch(block, held, what) }?;
    // SAFETY: the content lies behind the line, and the host vouches that nobody changes it.
    let content = unsafe { core::slice::from_raw_parts(block.cast::<u8>().add(LATCH), latch.length as usize) };
    let loan = Loan { content, marks: latch.marks(), latch, what };
    loan.unchanged()?;
    Ok(loan)
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

/// Where a block lies, its line included.
///
/// # Safety
/// As for `exclusive`.
pub(crate) unsafe fn stretch(block: *const c_void, held: Held, what: What) -> Result<Stretch> {
    // SAFETY: by this function's contract.
    let length = unsafe { latch(block, held, what) }?.length as usize;
    Ok((block, length + LATCH))
}

/// Takes bytes that come from outside (a file, another process, a snapshot) as a block: checks them, renews the marks and frees
/// the latch.
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
    // SAFETY: the content lies behind the line, inside `size` bytes that nobody else uses.
    let content = unsafe { core::slice::from_raw_parts_mut(memory.cast::<u8>().add(LATCH), needed - LATCH) };
    let (verified, marks) = verify(content)?;
    latch.set_marks(marks);
    latch.state.store(FREE, Ordering::Release);
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_MARKS: Marks = [0; 4];

    #[repr(C, align(64))]
    struct Memory([u8; 256]);

    impl Memory {
        fn block(&mut self) -> *mut c_void {
            self.0.as_mut_ptr().cast()
        }

        /// A block of 100 bytes, the first of which is 7.
        fn filled() -> Memory {
            let mut memory = Memory([0xab; 256]);
            // SAFETY: there are 256 bytes.
            unsafe {
                create(memory.block(), 256, 100, Held::Shape, |b| {
                    b[0] = 7;
                    Ok(((), NO_MARKS))
                })
            }
            .unwrap();
            memory
        }
    }

    fn first(block: *mut c_void) -> Result<u8> {
        // SAFETY: the tests give blocks or aligned memory, or null.
        unsafe { shared(block, Held::Shape, What::Mesh, |b, _| Ok(b[0])) }
    }

    fn kind<R>(outcome: Result<R>) -> Option<Kind> {
        outcome.err().map(|e| e.kind)
    }

    #[test]
    fn a_block_is_made_where_it_fits_exactly() {
        let needed = whole(100, What::Block).unwrap();
        let mut memory = Memory([0xab; 256]);
        // SAFETY: there are 256 bytes.
        unsafe {
            let short = create(memory.block(), needed - 1, 100, Held::Shape, |_| Ok(((), NO_MARKS)));
            assert_eq!(short, Err(Error::capacity(What::Block, needed as u64, needed as u64 - 1)));
            assert_eq!(memory.0, [0xab; 256]);
            assert_eq!(create(memory.block(), needed, 100, Held::Shape, |b| Ok((b == [0; 100], NO_MARKS))), Ok(true));
        }
        assert_eq!(memory.0[needed..], [0xab; 256][needed..]);
        assert_eq!(first(memory.block()), Ok(0));
    }

    #[test]
    fn what_is_no_block_is_refused() {
        let mut memory = Memory([0xab; 256]);
        assert_eq!(kind(first(core::ptr::null_mut())), Some(Kind::Null));
        assert_eq!(kind(first(memory.block().wrapping_byte_add(8))), Some(Kind::Misaligned));
        assert_eq!(kind(first(memory.block())), Some(Kind::Damaged));
        let error = Error::new(Kind::NotFinite, What::Vertices);
        let refuse = |_: &mut [u8]| Err::<((), Marks), _>(error);
        // SAFETY: there are 256 bytes.
        assert_eq!(unsafe { create(memory.block(), 256, 100, Held::Shape, refuse) }, Err(error));
        assert_eq!(kind(first(memory.block())), Some(Kind::Damaged), "a block that was not finished is none");
        for byte in (0..16).chain([23]) {
            let mut memory = Memory::filled();
            memory.0[byte] ^= 0x80;
            assert_eq!(kind(first(memory.block())), Some(Kind::Damaged), "byte {byte}");
        }
    }

    #[test]
    fn a_block_is_busy_while_it_is_changed() {
        let mut memory = Memory::filled();
        let block = memory.block();
        // SAFETY: a block; the calls inside are refused before they touch it.
        unsafe {
            let inside = exclusive(block, Held::Shape, What::Mesh, |_| {
                let again = exclusive(block, Held::Shape, What::Mesh, |_| Ok(((), NO_MARKS)));
                Ok(((kind(again), kind(first(block))), NO_MARKS))
            });
            assert_eq!(inside, Ok((Some(Kind::Busy), Some(Kind::Busy))));
        }
        assert_eq!(first(block), Ok(7));
    }

    #[test]
    fn a_reader_notices_that_a_writer_came() {
        let mut memory = Memory::filled();
        let block = memory.block();
        // SAFETY: a block; nothing is read after the state changed.
        let outcome = unsafe {
            let state = &(*block.cast::<Latch>()).state;
            shared(block, Held::Shape, What::Mesh, |_, _| {
                state.store(BUSY, Ordering::Relaxed);
                Ok(())
            })
        };
        assert_eq!(kind(outcome), Some(Kind::Busy));
    }

    #[test]
    fn a_failure_frees_the_block_and_a_panic_poisons_it() {
        let mut memory = Memory::filled();
        let (block, error) = (memory.block(), Error::new(Kind::BadIndex, What::Indices));
        // SAFETY: a block.
        unsafe {
            assert_eq!(exclusive(block, Held::Shape, What::Mesh, |_| Err::<((), Marks), _>(error)), Err(error));
            assert_eq!(first(block), Ok(7));
            let panicked = std::panic::catch_unwind(|| {
                exclusive(block, Held::Shape, What::Mesh, |_| -> Result<((), Marks)> {
                    std::panic::resume_unwind(Box::new(0))
                })
            });
            assert!(panicked.is_err());
            assert_eq!(kind(first(block)), Some(Kind::Poisoned));
            assert_eq!(kind(exclusive(block, Held::Shape, What::Mesh, |_| Ok(((), NO_MARKS)))), Some(Kind::Poisoned));
            assert_eq!(open(block, 256, Held::Shape, |b| Ok((b[0], NO_MARKS))), Ok(7));
        }
        assert_eq!(first(block), Ok(7));
    }

    #[test]
    fn bytes_from_outside_are_measured_before_they_are_read() {
        let mut memory = Memory::filled();
        let needed = whole(100, What::Block).unwrap();
        // SAFETY: there are 256 bytes.
        unsafe {
            for size in [0, LATCH - 1, LATCH, needed - 1] {
                let outcome = open(memory.block(), size, Held::Shape, |_| Ok(((), NO_MARKS)));
                assert_eq!(kind(outcome), Some(Kind::Capacity), "{size}");
            }
            assert_eq!(open(memory.block(), needed, Held::Shape, |b| Ok((b.len(), NO_MARKS))), Ok(100));
        }
    }

    #[test]
    fn a_copy_is_a_block() {
        let mut memory = Memory::filled();
        let mut copy = Memory(memory.0);
        memory.0[LATCH] = 8;
        assert_eq!((first(memory.block()), first(copy.block())), (Ok(8), Ok(7)));
    }
}
