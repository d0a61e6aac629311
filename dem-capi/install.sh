#!/bin/sh
# Installs what C, C++ and Fortran programs need, or takes it away again.
#
#   dem-capi/install.sh PREFIX             builds, and installs under PREFIX
#   dem-capi/install.sh PREFIX --program   builds the program dem, and installs it under PREFIX/bin
#   dem-capi/install.sh PREFIX --remove    removes what both of these install
#
# DESTDIR (environment): a folder to put before PREFIX, for packages. What is installed may be moved as a whole: pkg-config and CMake find
# everything beside their own files.
set -eu
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -n "$1" ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
to=${DESTDIR-}$1
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# What may break a program that was built: minor versions before 1.0, major ones from then on. dem-capi/build.rs has the same rule.
case $version in
0.*) abi=${version%.*} ;;
*) abi=${version%%.*} ;;
esac
case $(uname) in
Darwin) built=libdem.dylib shared=libdem.$version.dylib named=libdem.$abi.dylib plain=libdem.dylib unused=-Wl,-dead_strip ;;
*) built=libdem.so shared=libdem.so.$version named=libdem.so.$abi plain=libdem.so unused=-Wl,--gc-sections ;;
esac

if [ "${2-}" = --remove ]; then
    for file in "$shared" "$named" "$plain" libdem.a libdem_core.a pkgconfig/dem.pc pkgconfig/dem-static.pc \
        cmake/dem/dem-config.cmake cmake/dem/dem-config-version.cmake; do
        rm -f "$to/lib/$file"
    done
    for header in include/*.h include/dem.f90; do
        rm -f "$to/$header"
    done
    rm -f "$to/bin/dem"
    # Folders that are empty now go, too; those of the system stay.
    rmdir "$to/lib/cmake/dem" "$to/lib/cmake" "$to/lib/pkgconfig" 2>/dev/null || true
    case $to in
    /usr | /usr/local) ;;
    *) rmdir "$to/include" "$to/lib" "$to/bin" "$to" 2>/dev/null || true ;;
    esac
    exit
fi

release=${CARGO_TARGET_DIR:-target}/release
if [ "${2-}" = --program ]; then
    echo "Compiling the program dem. The first time this takes about two minutes on two processors."
    "${CARGO:-cargo}" build --release --package dem-std --bin dem
    mkdir -p "$to/bin"
    install -m 755 "$release/dem" "$to/bin/dem"
    echo "$to/bin/dem is there"
    exit
fi

echo "Compiling libdem and libdem_core. The first time this takes about four minutes on two processors, seven on one."
# Both at once; cargo shows how far the first one is.
./dem-capi/core.sh >/dev/null &
core=$!
trap 'kill "$core" 2>/dev/null || true' INT TERM
"${CARGO:-cargo}" build --release --package dem-capi --lib || { wait "$core" || true && exit 1; }
if kill -0 "$core" 2>/dev/null; then
    echo "libdem is there; libdem_core is still being compiled."
fi
wait "$core"
mkdir -p "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/dem"
install -m 644 include/*.h include/dem.f90 "$to/include/"
install -m 755 "$release/$built" "$to/lib/$shared"
ln -sf "$shared" "$to/lib/$named"
ln -sf "$named" "$to/lib/$plain"
install -m 644 "$release/libdem.a" "$to/lib/libdem.a"
install -m 644 target/core/libdem_core.a "$to/lib/libdem_core.a"
# The symbols for debuggers are most of an archive, and those of the standard library.
strip --strip-debug "$to/lib/libdem.a" 2>/dev/null || true
for file in dem.pc dem-static.pc dem-config.cmake dem-config-version.cmake; do
    case $file in
    *.pc) folder=pkgconfig ;;
    *) folder=cmake/dem ;;
    esac
    sed -e "s/@VERSION@/$version/g" -e "s/@ABI@/$abi/g" -e "s/@SHARED@/$named/g" \
        -e "s/@UNUSED@/$unused/g" "dem-capi/install/$file.in" >"$to/lib/$folder/$file"
    chmod 644 "$to/lib/$folder/$file"
done
echo "dem $version is in $to"
