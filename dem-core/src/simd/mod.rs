//! SIMD: lanes, kernels as types, back ends, dispatch.
//!
//! A kernel is written once, as a type with one generic body over [`Simd`]. [`dispatch`] runs it with the instruction set of an [`Isa`], and
//! contains the only functions with enabled target features. All lane operations except [`Lane::fused`] round exactly as scalar arithmetic does. So
//! a kernel without [`Lane::fused`] gives the same bits for every instruction set and number of lanes.
//!
//! Every method of a kernel that uses lanes must be `#[inline(always)]`, and must not contain closures. Code that the compiler does not inline is
//! compiled without the instruction set, and is ten times slower.

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
/// The token of [`Four`].
#[cfg(target_arch = "x86_64")]
pub const FOUR: Four = x86::SSE2;
/// Four numbers in single precision at once, on every machine.
#[cfg(not(target_arch = "x86_64"))]
pub type Four = Portable<4, 2>;
/// The token of [`Four`].
#[cfg(not(target_arch = "x86_64"))]
pub const FOUR: Four = Portable::<4, 2>;

pub use vec3::Vec3;

/// Prefetches the cache line of `from[at]`, if the machine supports that: for streams of more rows than the hardware prefetcher follows. It has no
/// effect if there is no such item.
#[inline(always)]
pub fn prefetch<T>(from: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(from, at);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, at);
}

/// Runs a kernel with an instruction set. With `--cfg dem_two_isas`, every kernel is compiled twice instead of four times, scalar and for AVX2, and
/// all other instruction sets run as AVX2. That halves the build time for work on other code than kernels.
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

/// Not inlined: a kernel has large arrays on the stack, and the stack frame must not hold those of several instruction sets.
#[inline(never)]
fn run<K: Kernel, S: Simd>(kernel: K, simd: S) -> K::Output {
    kernel.run(simd)
}

#[cfg(test)]
mod tests;
