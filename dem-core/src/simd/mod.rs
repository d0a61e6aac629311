//! Lanes, kernels as types, back ends, dispatch.
//!
//! A kernel is written once, as a type with one generic body over [`Simd`]. [`dispatch`] runs it with the instruction set that an [`Isa`]
//! names, and contains the only functions with enabled target features. All lane operations but [`Lane::fused`] round exactly as scalar
//! arithmetic does. So a kernel without it gives the same bits for every instruction set and number of lanes.
//!
//! Every method of a kernel that uses lanes must be `#[inline(always)]`, and must not contain closures: code that the compiler leaves out
//! of line is compiled without the instruction set, and is ten times slower.

use isa::Name;

mod isa;
mod portable;
mod traits;
mod vec3;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // intrinsics; the file says why they are sound
mod x86;

pub use isa::Isa;
pub use portable::{Portable, PortableLane};
pub use traits::{Kernel, Lane, Mask, Number, Simd};

/// Four numbers in single precision at once, on every machine.
#[cfg(target_arch = "x86_64")]
pub type Four = x86::Sse2;
/// The same, proved.
#[cfg(target_arch = "x86_64")]
pub const FOUR: Four = x86::SSE2;
/// Four numbers in single precision at once, on every machine.
#[cfg(not(target_arch = "x86_64"))]
pub type Four = Portable<4, 2>;
/// The same, proved.
#[cfg(not(target_arch = "x86_64"))]
pub const FOUR: Four = Portable::<4, 2>;

pub use vec3::Vec3;

/// Asks for the line of `from[at]` to be brought near, where the machine knows how: for streams of more rows than its own prefetching follows.
/// No effect where there is no such item.
#[inline(always)]
pub fn prefetch<T>(from: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(from, at);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, at);
}

/// Runs a kernel with an instruction set. Built with `--cfg dem_two_isas`, every kernel is compiled twice in place of four times, scalar and
/// for AVX2, which the others then run as: half the time to build, for work on other things than kernels.
#[inline]
pub fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa.0 {
        Name::Scalar => run(kernel, Portable::<1, 1>),
        #[cfg(all(target_arch = "x86_64", dem_two_isas))]
        Name::Sse2 => run(kernel, Portable::<1, 1>),
        #[cfg(all(target_arch = "x86_64", dem_two_isas))]
        Name::Avx512 => x86::avx2(isa).call(kernel),
        #[cfg(all(target_arch = "x86_64", not(dem_two_isas)))]
        Name::Sse2 => run(kernel, x86::SSE2),
        #[cfg(target_arch = "x86_64")]
        Name::Avx2 => x86::avx2(isa).call(kernel),
        #[cfg(all(target_arch = "x86_64", not(dem_two_isas)))]
        Name::Avx512 => x86::avx512(isa).call(kernel),
        #[cfg(target_arch = "aarch64")]
        Name::Neon => run(kernel, Portable::<4, 2>),
    }
}

/// Out of line, as a kernel has large arrays on the stack, which must not be there beside those of another instruction set.
#[inline(never)]
fn run<K: Kernel, S: Simd>(kernel: K, simd: S) -> K::Output {
    kernel.run(simd)
}

#[cfg(test)]
mod tests;
