#!/usr/bin/env bash
# run_addresses.sh -- a program that is explored sees the same addresses each time.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
$CC -g -O1 -pthread -o addresses "$SOURCE/tests/explore/addresses.c"

fail() {
    echo "run_addresses.sh: $*" >&2
    exit 1
}

# run STATUS COMMAND...: run it, expect the status; what it prints is in `out`.
run() {
    local wanted=$1 status=0
    shift
    "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
token() { grep -o 'rdl1\.[^ ]*' out | head -n 1; }

# What an execution says: one line for each of these, and nine for each who speaks.
lines=$((1 + 4 * 9))

# All executions, however many, have said the same.
are_same() {
    local executions
    executions=$(grep -c 'main: function' log)
    [ "$executions" -ge "$1" ] || fail "there were only $executions executions"
    [ "$(sort -u log | wc -l)" = $lines ] ||
        fail "addresses differ:" "$(sort log | uniq -c | grep -v "^ *$executions ")"
}

# ---- In one run ----------------------------------------------------------------------------

# Search, confirmation, shrinking, and the execution that is told.
run 1 "$raddle" explore --seed 1 --strategy random -- ./addresses log
says 'exited with status 1'
says 'a thread says' # it was told
found=$(token)
are_same 10

# ---- In others -------------------------------------------------------------------------------

# Where the system does not let us choose, they are the same within each run.
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
    next() { :; }
else
    next() { rm log; }
fi
next
run 1 "$raddle" replay "$found"
are_same 1
next
run 1 env RADDLE_TEST_LONG="$(printf '%3000d' 1)" "$raddle" explore --seed 1 -- ./addresses log
are_same 5
next
run 0 "$raddle" explore --seed 2 --fail-on deadlock --schedules 200 --jobs 2 -- ./addresses log
are_same 200
next
run 0 "$raddle" explore --fail-on output --same-output --schedules 50 -- ./addresses log
are_same 50
if command -v gdb >/dev/null; then
    next
    SHELL=/bin/sh "$raddle" replay --gdb "$found" </dev/null >out 2>&1 || true
    are_same 1
fi

# ---- A program that depends on them ------------------------------------------------------------

python=/usr/bin/python3
[ -x $python ] || exit 0
mkdir alone # it looks at what else is in the folder
cp "$SOURCE/tests/explore/locks.py" alone
export PYTHONHASHSEED=0 # or it is a random number
unset PYTHONPATH
run 0 "$raddle" explore --seed 1 --schedules 30 -- $python alone/locks.py ordered
says '30 schedules'
for _ in 1 2; do
    run 1 "$raddle" explore --seed 1 --format json -- $python alone/locks.py
    says '"class":"deadlock"'
    says '"warnings":[]'
    grep -o '"hash":"[^"]*"' out >>hashes
done
[ "$(sort -u hashes | wc -l)" = 1 ] || fail "two runs found different schedules:" "$(cat hashes)"
run 1 "$raddle" replay "$(grep -o 'rdl1\.[^" ]*' out | head -n 1)"
says 'deadlock: '
