#!/bin/sh
# Builds libdem_core.a, the library without an operating system, and checks what it leaves to the host.
#
#   dem-capi/core.sh [TARGET [PREFIX]]
#
# TARGET: a Rust target; the machine's own by default. PREFIX: of its ld, objcopy, ar and nm, such as arm-none-eabi-.
# DEM_CORE_FLAGS (environment): flags for the compiler, of this library alone. `--cfg dem_two_isas` builds kernels for two instruction sets in place
# of four on x86-64, which halves the time.
# On ELF all of it becomes one object that shows nothing but the functions of the headers, so that it also links beside other Rust
# libraries.
set -eu
cd "$(dirname "$0")/.."
target=${1-} prefix=${2-}
out=target/core${target:+/$target}
mkdir -p "$out"

if [ -n "${DEM_CORE_FLAGS-}" ]; then
    export RUSTFLAGS="${RUSTFLAGS-} $DEM_CORE_FLAGS"
fi
# A cargo call of its own: features of other packages would otherwise be mixed in.
"${CARGO:-cargo}" rustc --quiet --package dem-capi --lib --crate-type staticlib --features freestanding --profile freestanding \
    --target-dir target/core/cargo ${target:+--target "$target"}
raw=target/core/cargo/${target:+$target/}freestanding/libdem.a

case $target in
*windows* | *apple*)
    cp "$raw" "$out/libdem_core.a"
    echo "$out/libdem_core.a (as the compiler made it)"
    exit
    ;;
esac

# No plugin below: where LLVM is installed, ar and nm load its plugin, and an old one aborts on objects of a newer compiler.
# What is up to date stays as it is: programs that are linked with it need not be linked again.
if ! [ "$out/libdem_core.a" -nt "$raw" ] || ! [ "$out/libdem_core.a" -nt dem-capi/exports.txt ]; then
    # shellcheck disable=SC2046 # one word for each function
    "${prefix}ld" -r -S --gc-sections $(sed 's/^/-u /' dem-capi/exports.txt) -o "$out/dem.o" "$raw"
    "${prefix}objcopy" --keep-global-symbols=dem-capi/exports.txt "$out/dem.o"
    rm -f "$out/libdem_core.a"
    "${prefix}ar" --plugin '' rcs "$out/libdem_core.a" "$out/dem.o"
fi

undefined=$("${prefix}nm" --plugin '' -u "$out/libdem_core.a" | awk 'NF == 2 { print $2 }' | sort -u)
allowed=$(printf '%s\n' memcpy memmove memset memcmp dem_host_panic)
left=$(printf '%s\n' "$undefined" | grep -vxF "$allowed" || true)
if [ -n "$left" ]; then
    echo "libdem_core.a needs what it must not need:" >&2
    echo "$left" >&2
    exit 1
fi
defined=$("${prefix}nm" --plugin '' -g --defined-only "$out/libdem_core.a" | awk 'NF == 3 { print $3 }' | sort)
if [ "$defined" != "$(sort dem-capi/exports.txt)" ]; then
    echo "libdem_core.a does not define what dem-capi/exports.txt lists:" >&2
    echo "$defined" >&2
    exit 1
fi
echo "$out/libdem_core.a: needs" $undefined
