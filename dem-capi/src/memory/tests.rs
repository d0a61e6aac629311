//! Tests of blocks: they are made if they fit, other memory is refused, and the latch refuses calls at the same time.

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
    // SAFETY: the tests pass blocks, aligned memory or null.
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
    // SAFETY: the memory is a block, and the calls inside are refused before they touch it.
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
    // SAFETY: the memory is a block, and nothing is read after its state has changed.
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
    // SAFETY: the memory is a block.
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
