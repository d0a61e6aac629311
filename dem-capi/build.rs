//! Sets the name by which programs find the shared library. It changes when the binary interface may change.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let env = |name: &str| std::env::var(name).unwrap_or_default();
    let (major, minor) = (env("CARGO_PKG_VERSION_MAJOR"), env("CARGO_PKG_VERSION_MINOR"));
    // Before 1.0 every minor version may break; from then on only major ones.
    let version = if major == "0" { format!("0.{minor}") } else { major };
    let windows = env("CARGO_CFG_WINDOWS") == "1" || env("CARGO_CFG_TARGET_FAMILY") == "windows";
    if env("CARGO_CFG_TARGET_VENDOR") == "apple" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libdem.{version}.dylib");
    } else if !windows && env("CARGO_CFG_TARGET_FAMILY") == "unix" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libdem.so.{version}");
    }
}
