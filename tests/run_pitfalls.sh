#!/usr/bin/env bash
# run_pitfalls.sh -- what goes wrong easily when a whole program is run by another thread than
# its own: tests/pitfalls/ways.c has one way for each.  See test_pitfalls.c, too.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export RADDLE_SEED=1

fail() {
    echo "run_pitfalls.sh: $*" >&2
    exit 1
}

# explore STATUS OPTION... -- PROGRAM...: expect the status; what it prints is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    timeout 100 "$raddle" explore --schedules 200 "$@" >out 2>&1 </dev/null || status=$?
    [ $status = "$wanted" ] || fail "explore $*: status $status, not $wanted:" "$(cat out)"
}
says() { grep -qE -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }

code=$SOURCE/tests/pitfalls/ways.c
echo 'three handlers' >expected
for compile in "gcc -pthread" "clang -pthread" "$raddle cc"; do
    $compile -g -O1 "$code" -o ways
    explore 0 --expect expected -- ./ways atexit
    explore 0 -- ./ways robust
    explore 0 -- ./ways fork
    explore 1 -- ./ways stack
    says 'SIGSEGV in endless.*, for want of stack \(in thread 1\)'
done

# Nobody ever comes to a place where threads could be switched: only time can tell, and
# where it was.  Compiled by `raddle cc` the loop reads the variable, which is a race.
line=$(grep -n WAITS "$code" | cut -d : -f 1)
gcc -g -O1 -pthread "$code" -o ways
explore 2 --timeout 0.3 -- ./ways hoisted
says "does not end: .*ways.c:($line|$((line - 1)))"
RADDLE_CC=gcc "$raddle" cc -g -O1 "$code" -o ways
explore 1 -- ./ways hoisted
says 'data race between main and thread 1'
