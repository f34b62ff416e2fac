#!/usr/bin/env bash
# run_loops.sh -- threads of plain code that wait in loops let others run; those that wait for ever,
# or do something else, are reported as what they are.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/alarms
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_loops.sh: $*" >&2
    exit 1
}

# explore STATUS ARGUMENT...: run it, expect the status; what it prints is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    timeout 120 "$raddle" explore --seed 1 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "explore $*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }

# Loops within others, which store; functions that only read.  Threads that come to such loops
# and need not wait there are not held up.
for with in gcc:-O0 gcc:-O1 gcc:-O2 gcc:-O3 clang:-O0 clang:-O2; do
    ${with%:*} -g ${with#*:} -Wall -Wextra -Werror "$code/spinning.c" -o spinning
    for way in turns pause function locals back-off two lock; do
        explore 0 --schedules 30 --timeout 1 -- ./spinning $way
    done
done
gcc -g -O2 -Wall -Wextra -Werror -DROUNDS=60 "$code/spinning.c" -o spinning
explore 0 --schedules 30 --timeout 1 -- ./spinning turns
for level in -O0 -O2; do
    gcc -g $level -Wall -Wextra -Werror "$code/spinning.c" -o spinning
    hash=
    for timeout in 1 2; do
        explore 1 --schedules 10 --timeout $timeout --format json -- ./spinning never
        is class livelock
        [ -z "$hash" ] || is hash "$hash"
        hash=$(value hash)
    done
    says 'waits in a loop, and so do all others that can run'
    explore 2 --schedules 10 --timeout 1 -- ./spinning storing
    says 'Raddle does not see what is done there: if it waits for another thread'
done
