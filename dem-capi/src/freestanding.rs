//! The library without an operating system: where a panic goes.

use core::fmt::Write;
use core::panic::PanicInfo;

unsafe extern "C" {
    /// Defined by the host.
    fn dem_host_panic(message: *const core::ffi::c_char, length: usize);
}

/// The start of a message.
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

/// For a host whose function returns: there is nothing to go on with.
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

// The prebuilt core library is compiled for unwinding and names this symbol, which nothing calls once panics abort. Weak, so
// that a std library in the same program keeps its own.
#[cfg(not(any(target_vendor = "apple", windows)))]
core::arch::global_asm!(".weak rust_eh_personality", ".hidden rust_eh_personality", "rust_eh_personality:",);
