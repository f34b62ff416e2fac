#!/usr/bin/env bash
# run_alarms.sh -- correct programs are not blamed for what Raddle cannot see, or what takes long;
# their wrong twins are.
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
    echo "run_alarms.sh: $*" >&2
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
is_silent_about() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cat out)"; }
value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }

# ---- Threads that compute for long -----------------------------------------------------------

"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/long.c" -o long
for strategy in portfolio random dpor dfs; do
    explore 0 --strategy $strategy --schedules 4 -- ./long
done
explore 0 --schedules 3 --jobs 2 -- ./long
explore 0 --schedules 3 -- ./long passing
explore 1 --schedules 4 --format json -- ./long wrong
is class race
# Where the first execution does not end, either, it is the same livelock on any machine.
explore 1 --schedules 4 --timeout 2 --format json -- ./long endless
is class livelock
hash=$(value hash)
explore 1 --schedules 4 --timeout 1 --format json -- ./long endless
is hash "$hash"
says 'after 200000 places'
