//! Runs the portable test set on the bare machine, compares with the hashes of the host, and ends with the test's status.
#![no_std]
#![no_main]

mod semihosting;
mod startup;

use core::fmt::Write;
use dem_core::simd::Isa;
use dem_portable::{CASES, MEMORY, is_golden};
use semihosting::{Console, exit};

#[repr(align(64))]
struct Block([u8; MEMORY]);

static mut BLOCK: Block = Block([0; MEMORY]);

/// Called once, by `startup`, when memory is as the language expects it.
fn main() -> ! {
    // SAFETY: this is the only use, `main` runs once, and the machine has one core.
    let memory = unsafe { &mut *(&raw mut BLOCK) };
    let mut failed = 0;
    for (name, run) in CASES {
        let result = run(Isa::best(), &mut memory.0);
        let golden = result.is_ok_and(|hash| is_golden(name, hash));
        failed += u32::from(!golden);
        let verdict = if golden { "same bits" } else { "DIFFERS" };
        let _ = match result {
            Ok(hash) => writeln!(Console, "{verdict} {name} {hash:016x}"),
            Err(error) => writeln!(Console, "{verdict} {name} {error}"),
        };
    }
    let _ = writeln!(Console, "{} passed, {failed} failed", CASES.len() as u32 - failed);
    exit(failed)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Console, "{info}");
    exit(101)
}
