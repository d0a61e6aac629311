//! From reset to `main`: vectors, floating-point unit, initial memory.

use crate::semihosting::{Console, exit};
use core::arch::global_asm;
use core::fmt::Write;

// In assembly, because no Rust code may run before the floating-point unit is on and memory is as the language expects it.
// CPACR (0xE000ED88) bits 20 to 23 give access to the unit.
global_asm!(
    ".section .vectors, \"a\"",
    ".word reset",
    ".rept 14",
    ".word fault",
    ".endr",
    ".section .text.reset, \"ax\"",
    ".global reset",
    ".thumb_func",
    "reset:",
    "ldr r0, =0xE000ED88",
    "ldr r1, [r0]",
    "orr r1, r1, #(0xF << 20)",
    "str r1, [r0]",
    "dsb",
    "isb",
    "ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_load",
    "1: cmp r0, r1",
    "bhs 2f",
    "ldr r3, [r2], #4",
    "str r3, [r0], #4",
    "b 1b",
    "2: ldr r0, =bss_start",
    "ldr r1, =bss_end",
    "movs r3, #0",
    "3: cmp r0, r1",
    "bhs 4f",
    "str r3, [r0], #4",
    "b 3b",
    "4: bl start",
    ".ltorg",
);

#[unsafe(no_mangle)]
extern "C" fn start() -> ! {
    crate::main()
}

/// Every exception is a defect: nothing here enables an interrupt.
#[unsafe(no_mangle)]
extern "C" fn fault() -> ! {
    let _ = writeln!(Console, "the processor raised an exception");
    exit(102)
}
