#!/usr/bin/env bash
# run_integrating.sh -- the projects of docs/integrating.md are built with what `make install`
# leaves behind, and each build system runs the tests and takes notice when one fails.
# ctest: long
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
projects=$SOURCE/docs/integrating
prefix=$scratch/prefix
unset MAKEFLAGS MAKELEVEL MFLAGS DESTDIR # make's, when it is make that runs the tests
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
export CC LD_LIBRARY_PATH=$prefix/lib PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export RADDLE_REGRESSIONS=none

fail() {
    echo "run_integrating.sh: $*" >&2
    exit 1
}

# try STATUS COMMAND...: 0, or anything else for 1; what it prints is in `out`.
try() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>&1 </dev/null || status=1
    [ $status = "$wanted" ] || fail "$PWD: $*: status $status:" "$(tail -n 60 out)"
}
says() { grep -qE -- "$1" out || fail "it does not say '$1':" "$(tail -n 60 out)"; }

# begin PROJECT: a fresh copy of it, with the code, is where we are.
begin() {
    mkdir "$scratch/$1"
    cp "$projects"/code/* "$projects/$1"/* "$scratch/$1"
    cd "$scratch/$1"
}

# The bug: what is pushed after the fourth is not kept.
break_it() { sed -i 's/count++\] = item/count++ % 4] = item/' stack.c; }

try 0 cmake --install "$BUILD" --prefix "$prefix"

begin cmake
try 0 cmake -B build -DCMAKE_PREFIX_PATH="$prefix"
try 0 cmake --build build
try 0 ctest --test-dir build --output-junit junit.xml
says '2/2 Test +#2: a_stack_counts_what_is_in_it .*Passed'
xmllint --noout build/junit.xml
break_it
try 0 cmake --build build
try 1 ctest --test-dir build --output-on-failure
says 'what_is_pushed_last_is_popped_first'
says '1 tests failed out of 2'

# Without Raddle, where no tests are wanted.
try 0 cmake -B untested -DBUILD_TESTING=OFF
try 0 cmake --build untested

# With the sources of Raddle in the project; -O0, as this takes long enough.
begin subdirectory
mkdir third_party
ln -s "$SOURCE" third_party/raddle
try 0 cmake -B build -DCMAKE_BUILD_TYPE=None
try 0 cmake --build build --parallel 2 --target test_stack
try 0 ctest --test-dir build
says '100% tests passed, 0 tests failed out of 2'

begin meson
try 0 meson setup build
try 0 meson test -C build --verbose
says 'what_is_pushed_last_is_popped_first'
says 'Ok: +1'
[ -s build/meson-logs/testlog.junit.xml ] || fail "meson has left no report for servers"
break_it
try 1 meson test -C build
says 'Fail: +1'

begin autotools
try 0 autoreconf --install
try 0 ./configure
try 0 make check
says '^PASS: test_stack 1 - what_is_pushed_last_is_popped_first'
says '^# PASS:  2'
break_it
try 1 make check
says '^FAIL: test_stack 1 - what_is_pushed_last_is_popped_first'
says '^# PASS:  1'

begin make
try 0 make check
says '2 passed, 0 failed'
try 0 make check-junit
xmllint --noout junit.xml
[ "$(xmllint --xpath 'count(//testcase)' junit.xml)" = 2 ] || fail "$(cat junit.xml)"
break_it
try 1 make check-junit
[ "$(xmllint --xpath 'count(//failure)' junit.xml)" = 1 ] || fail "$(cat junit.xml)"
