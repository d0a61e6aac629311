//! The floating-point environment. Hosts may flush subnormals to zero or change the rounding, and results must not depend on that.

/// The saved environment of the host, restored on drop. Until then the default environment is set: rounding to nearest, no flushing of
/// subnormals, no traps. The exception flags of the host are restored, too.
pub(crate) struct Environment(Saved);

impl Environment {
    /// Saves the host's environment and sets the default one.
    pub(crate) fn enter() -> Environment {
        let saved = save();
        set(DEFAULT);
        Environment(saved)
    }
}

/// Sets the default environment again, after a callback of the host that may have changed it.
pub(crate) fn reset() {
    set(DEFAULT);
}

impl Drop for Environment {
    fn drop(&mut self) {
        set(self.0);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod control {
    /// MXCSR.
    pub type Saved = u32;

    /// All exceptions masked, nothing else set.
    pub const DEFAULT: Saved = 0x1f80;

    pub fn save() -> Saved {
        let mut now = 0;
        // SAFETY: stores four bytes to a local variable.
        unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut now, options(nostack, preserves_flags)) };
        now
    }

    pub fn set(to: Saved) {
        // SAFETY: loads four bytes from a local variable: the default, or what the register held when it was saved.
        unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const to, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod control {
    /// FPCR and FPSR.
    pub type Saved = [u64; 2];

    /// Rounding to nearest, no flushing, no traps.
    pub const DEFAULT: Saved = [0; 2];

    pub fn save() -> Saved {
        let (control, status): (u64, u64);
        // SAFETY: reads two registers that every program may read.
        unsafe {
            core::arch::asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status, options(nomem, nostack));
        }
        [control, status]
    }

    pub fn set([control, status]: Saved) {
        // SAFETY: writes the defaults, or what the registers held when they were saved.
        unsafe { core::arch::asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) control, in(reg) status, options(nostack)) };
    }
}

/// On other machines the host must set the default environment, as the header says. (Miri has the default one, and no assembly.)
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod control {
    pub type Saved = ();
    pub const DEFAULT: Saved = ();
    pub fn save() -> Saved {}
    pub fn set((): Saved) {}
}

use control::{DEFAULT, Saved, save, set};

#[cfg(all(test, target_arch = "x86_64", not(miri)))]
mod tests {
    use super::*;
    use crate::tasks::{ALONE, Host, dem_lane, dem_tasks};
    use core::ffi::c_void;
    use core::hint::black_box;
    use core::sync::atomic::{AtomicUsize, Ordering};
    use dem_core::exec::Executor;

    /// Calls all lanes in a changed environment, and returns with it.
    unsafe extern "C" fn spoil(_: *mut c_void, lanes: usize, lane: dem_lane, arg: *mut c_void) {
        for i in 0..lanes {
            set(DEFAULT | 1 << 15 | 2 << 13);
            // SAFETY: what the library asks for.
            unsafe { lane.unwrap()(i, arg) };
        }
        set(DEFAULT | 1 << 15 | 2 << 13);
    }

    #[test]
    fn a_hosts_callback_changes_neither_lanes_nor_what_comes_after() {
        let entered = Environment::enter();
        // SAFETY: the callback calls every lane.
        let host = unsafe { Host::new(dem_tasks { run: Some(spoil), lanes: 3, ..ALONE }) };
        let right = AtomicUsize::new(0);
        host.run(3, &|_| {
            right.fetch_add(usize::from(save() & DEFAULT == DEFAULT && save() >> 13 == 0), Ordering::Relaxed);
        });
        let after = save();
        drop(entered);
        assert_eq!((right.into_inner(), after >> 13), (3, 0));
    }

    #[test]
    fn the_hosts_environment_is_put_back_and_has_no_effect() {
        let (flush, zero, up) = (1 << 15, 1 << 6, 2 << 13);
        let host = DEFAULT | flush | zero | up;
        let before = save();
        set(host);
        let entered = Environment::enter();
        // Flushing would make this zero, and rounding up would make the sum greater than one.
        let small = black_box(f64::MIN_POSITIVE) * black_box(0.5);
        let sum = black_box(1.0) + black_box(1e-20);
        let inside = save();
        drop(entered);
        let after = save();
        set(before);
        assert_eq!(inside & DEFAULT, DEFAULT);
        assert_eq!(inside & (flush | zero | up), 0);
        assert_eq!((small.to_bits(), sum), (1 << 51, 1.0));
        assert_eq!(after, host);
    }
}
