//! The panic handler of the library without an operating system.

use core::fmt::Write;
use core::panic::PanicInfo;

unsafe extern "C" {
    /// Defined by the host.
    fn dem_host_panic(message: *const core::ffi::c_char, length: usize);
}

/// A message, cut off after 256 bytes.
struct Message {
    bytes: [u8; 256],
    length: usize,
}

impl Write for Message {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        for &byte in s.as_bytes() {
            if let Some(to) = self.bytes.get_mut(self.length) {
                *to = byte;
                self.length += 1;
            }
        }
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let mut message = Message { bytes: [0; 256], length: 0 };
    let _ = write!(message, "{info}");
    // SAFETY: the header tells the host to define it with these arguments.
    unsafe { dem_host_panic(message.bytes.as_ptr().cast(), message.length) };
    stop()
}

/// Ends the program, if `dem_host_panic` of the host returns.
fn stop() -> ! {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    // SAFETY: ends the program.
    unsafe {
        core::arch::asm!("ud2", options(noreturn))
    }
    #[cfg(any(target_arch = "aarch64", target_arch = "arm"))]
    // SAFETY: ends the program.
    unsafe {
        core::arch::asm!("udf #0", options(noreturn))
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64", target_arch = "arm")))]
    loop {
        core::hint::spin_loop();
    }
}

// The prebuilt `core` crate is compiled for unwinding and refers to this symbol, which nothing calls since panics abort. It is weak, so
// that a std library in the same program keeps its own.
#[cfg(not(any(target_vendor = "apple", windows)))]
core::arch::global_asm!(".weak rust_eh_personality", ".hidden rust_eh_personality", "rust_eh_personality:",);
