//! Text and exit status through the debugger's interface of ARM processors, which the emulator answers.

use core::arch::asm;
use core::fmt;

const WRITE_TEXT: u32 = 0x04;
const EXIT_EXTENDED: u32 = 0x20;
/// The program ended by itself, as opposed to a fault.
const APPLICATION_EXIT: u32 = 0x20026;

/// Standard output of the emulator.
pub struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // The call takes text that ends with a zero.
        let mut piece = [0u8; 64];
        for bytes in text.as_bytes().chunks(piece.len() - 1) {
            piece[..bytes.len()].copy_from_slice(bytes);
            piece[bytes.len()] = 0;
            call(WRITE_TEXT, piece.as_ptr() as u32);
        }
        Ok(())
    }
}

/// Ends the emulator with this status.
pub fn exit(status: u32) -> ! {
    let block = [APPLICATION_EXIT, status];
    loop {
        call(EXIT_EXTENDED, block.as_ptr() as u32);
    }
}

fn call(operation: u32, argument: u32) {
    // SAFETY: `argument` is the address of memory that outlives the call, as the operation expects; the answer comes in r0.
    unsafe { asm!("bkpt #0xab", inout("r0") operation => _, in("r1") argument) }
}
