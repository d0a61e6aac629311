//! The instruction sets of this machine.

#[cfg(target_arch = "x86_64")]
use super::x86::detection::{has_avx2, has_avx512};

use crate::error::{Error, Kind, Result, What};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Name {
    Scalar = 1,
    #[cfg(target_arch = "x86_64")]
    Sse2 = 2,
    #[cfg(target_arch = "x86_64")]
    Avx2 = 3,
    #[cfg(target_arch = "x86_64")]
    Avx512 = 4,
    #[cfg(target_arch = "aarch64")]
    Neon = 5,
}

/// An instruction set that this machine has. Results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(pub(super) Name);

impl Isa {
    /// One lane at a time; every machine has it.
    pub const SCALAR: Isa = Isa(Name::Scalar);

    #[cfg(target_arch = "x86_64")]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar), Isa(Name::Sse2), Isa(Name::Avx2), Isa(Name::Avx512)];
    #[cfg(target_arch = "aarch64")]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar), Isa(Name::Neon)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    const KNOWN: &'static [Isa] = &[Isa(Name::Scalar)];

    /// The instruction sets of this machine, slowest first. Detected once.
    pub fn list() -> &'static [Isa] {
        let known = Self::KNOWN;
        known.get(..detected()).unwrap_or(known)
    }

    /// The fastest instruction set.
    pub fn best() -> Isa {
        Self::list().last().copied().unwrap_or(Isa::SCALAR)
    }

    /// The instruction set with this name: `scalar`, `sse2`, `avx2`, `avx512`, `neon`.
    ///
    /// Errors: [`Kind::Unsupported`] if this machine or build does not have it.
    pub fn named(name: &str) -> Result<Isa> {
        let found = Self::list().iter().find(|isa| isa.name() == name);
        found.copied().ok_or(Error::new(Kind::Unsupported, What::Isa))
    }

    /// The instruction set with this number, as [`Isa::number`] gives it; 0 is the best.
    ///
    /// Errors: [`Kind::Unsupported`] if this machine or build does not have it.
    pub fn numbered(number: u32) -> Result<Isa> {
        if number == 0 {
            return Ok(Isa::best());
        }
        let found = Self::list().iter().find(|isa| isa.number() == number);
        found.copied().ok_or(Error::new(Kind::Unsupported, What::Isa))
    }

    /// The number of the instruction set, which never changes: 1 scalar, 2 sse2, 3 avx2, 4 avx512, 5 neon.
    pub fn number(self) -> u32 {
        self.0 as u32
    }

    /// The name of the instruction set, in lower case.
    pub fn name(self) -> &'static str {
        match self.0 {
            Name::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Name::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Name::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Name::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Name::Neon => "neon",
        }
    }
}

impl Default for Isa {
    fn default() -> Self {
        Isa::best()
    }
}

/// The number of instruction sets in `Isa::KNOWN` that this machine has. Their order is such that each implies all earlier ones.
#[cfg(target_arch = "x86_64")]
pub(super) fn detected() -> usize {
    static DETECTED: spin::Once<usize> = spin::Once::new();
    *DETECTED.call_once(|| match (has_avx2(), has_avx512()) {
        (true, true) => 4,
        (true, false) => 3,
        _ => 2,
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn detected() -> usize {
    Isa::KNOWN.len()
}
