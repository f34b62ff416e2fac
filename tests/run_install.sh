#!/usr/bin/env bash
# run_install.sh -- what `make install` leaves behind can be used: by pkg-config,
# by CMake, and without names of ours getting in the way of the user's.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
user=$SOURCE/tests/install
unset MAKEFLAGS MAKELEVEL DESTDIR # make's, when it is make that runs the tests

fail() {
    echo "run_install.sh: $*" >&2
    exit 1
}

cd "$scratch"
cmake --install "$BUILD" --prefix "$prefix" >"$scratch/install.log"

for file in include/raddle.h lib/libraddle.a lib/libraddle.so.0 bin/raddle; do
    [ -e "$prefix/$file" ] || fail "$file was not installed"
done
readelf -d "$prefix/lib/libraddle.so" | grep -q 'SONAME.*\[libraddle\.so\.0\]' ||
    fail "the shared library has the wrong SONAME"

# Debugging information in files of its own: small files, of which gdb knows the lines all the same.
# (That the build is configured once more must not be seen by others: so it is done by hand.)
cp -a "$prefix" "$scratch/apart"
cmake -DCMAKE_INSTALL_PREFIX="$scratch/apart" -Dobjcopy="$(command -v objcopy)" \
    -Dfiles="lib/$(basename "$(readlink -f "$prefix/lib/libraddle.so")");bin/raddle" \
    -P "$SOURCE/cmake/debug_files.cmake" >>"$scratch/install.log"
for file in lib/libraddle.so bin/raddle; do
    ! readelf -S "$scratch/apart/$file" | grep -q '\.debug_info' || fail "$file has them still"
    readelf -S "$scratch/apart/$file" | grep -q '\.symtab' || fail "$file has lost its names"
    gdb -batch -ex 'info line rdl_main' "$scratch/apart/$file" 2>&1 |
        grep -q 'src/cli/main.c' || fail "gdb does not find what is beside $file"
done

# Both libraries end up in other people's programs: every global name is ours, or one that
# comes before the C library's on purpose.
names_of() { nm -g --defined-only "$@" | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }'; }
foreign=$( (names_of -D "$prefix/lib/libraddle.so"; names_of "$prefix/lib/libraddle.a") |
    grep -vE '^(rdl_|__tsan_|Annotate|__wrap_|DW\.ref\.|__(start|stop)_rdl__(next|patcher)$)' |
    sort -u |
    while read -r name; do
        grep -qw "$name" "$SOURCE"/src/{control/sched,cli/program}/*.{c,def} 2>/dev/null ||
            echo "$name"
    done)
[ -z "$foreign" ] || fail "names without the prefix rdl_:" $foreign
names_of -D "$prefix/lib/libraddle.so" | grep -q '^rdl_' || fail "no public function is exported"

# pkg-config, shared and static.
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
flags="-Wall -Wextra -Werror"
shared=$(pkg-config --cflags --libs raddle)
$CC $flags -o "$scratch/shared" "$user/user.c" $shared
LD_LIBRARY_PATH=$prefix/lib "$scratch/shared"

static=$(pkg-config --cflags --libs --static raddle | sed 's/-lraddle/-l:libraddle.a/')
$CC $flags -o "$scratch/static" "$user/user.c" $static
! readelf -d "$scratch/static" | grep -q libraddle || fail "the static program needs libraddle.so"
"$scratch/static"

# CMake: each property is a test of its own, and passes.
build=$scratch/build
cmake -S "$user" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS="$flags" >"$scratch/cmake.log"
cmake --build "$build" >>"$scratch/cmake.log" || { cat "$scratch/cmake.log"; exit 1; }
listing=$(ctest --test-dir "$build" -N)
for name in {shared,static}.{a_number_is_in_its_range,doubling_gives_an_even_number}; do
    grep -q ": $name\$" <<<"$listing" || fail "ctest does not know $name:" "$listing"
done
grep -q '^Total Tests: 4$' <<<"$listing" || fail "ctest should know four tests:" "$listing"
ctest --test-dir "$build" -N -L numbers | grep -q '^Total Tests: 2$' ||
    fail "a property of the discovered tests was lost"
ctest --test-dir "$build" --output-on-failure
