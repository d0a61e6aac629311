//! Versions.

/// Version of this header.
pub const DEM_VERSION_MAJOR: u32 = 0;
/// Before 1.0, a new minor version may change the binary interface; the shared library's name then changes with it.
pub const DEM_VERSION_MINOR: u32 = 1;
/// A new patch version only corrects defects.
pub const DEM_VERSION_PATCH: u32 = 0;
/// The three as one number: 10000 * major + 100 * minor + patch.
pub const DEM_VERSION: u32 = 100;
/// Grows when a program that was compiled before would no longer run correctly.
pub const DEM_ABI_VERSION: u32 = 1;

/// The version of the library that runs, as `DEM_VERSION`.
///
/// Compare it with `DEM_VERSION` to see whether header and library belong together.
///
/// Errors: none.
/// Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn dem_version() -> u32 {
    DEM_VERSION
}

/// The version of the binary interface of the library that runs; a program runs with it if it equals `DEM_ABI_VERSION`.
///
/// Errors: none.
/// Cost: none.
#[unsafe(no_mangle)]
pub extern "C" fn dem_abi_version() -> u32 {
    DEM_ABI_VERSION
}

/// Whether a string of digits has this value.
const fn says(text: &str, number: u32) -> bool {
    let (bytes, mut at, mut value) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        value = 10 * value + (bytes[at] - b'0') as u32;
        at += 1;
    }
    value == number
}

// cbindgen needs literals. If the version of the package changes, these checks fail until the constants follow.
const _: () = assert!(says(env!("CARGO_PKG_VERSION_MAJOR"), DEM_VERSION_MAJOR));
const _: () = assert!(says(env!("CARGO_PKG_VERSION_MINOR"), DEM_VERSION_MINOR));
const _: () = assert!(says(env!("CARGO_PKG_VERSION_PATCH"), DEM_VERSION_PATCH));
const _: () = assert!(DEM_VERSION == 10_000 * DEM_VERSION_MAJOR + 100 * DEM_VERSION_MINOR + DEM_VERSION_PATCH);
