#!/usr/bin/env bash
# run_volatile.sh -- what volatile accesses mean: by option, environment, test and token; and
# structures of volatile variables, by built-in functions and by inline assembly, right and wrong.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/volatile
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PKG_CONFIG_PATH=$BUILD/pkgconfig RADDLE_SEED=1 RADDLE_REGRESSIONS=none
unset RADDLE_VOLATILE

fail() {
    echo "run_volatile.sh: $*" >&2
    exit 1
}

# run STATUS COMMAND...: that is its exit status; its report is in `out`.
run() {
    local wanted=$1 status=0
    shift
    timeout 300 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qe "$1" out || fail "does not say '$1':" "$(cat out)"; }
says_not() { ! grep -qe "$1" out || fail "says '$1':" "$(cat out)"; }
token_of() { sed -n 's/.*\(rdl1\.[^ ]*\).*/\1/p' out | head -1; }

# ---- Options, the environment, tokens ----------------------------------------------------------

"$raddle" cc -g "$code/flag.c" -o flag
run 0 "$raddle" explore --strategy dpor -- ./flag
says 'all 2 distinguishable schedules'
says 'put accesses in order'
[ "$(grep -c 'which C' out)" = 1 ] || fail "more than one note:" "$(cat out)"
run 1 "$raddle" explore --volatile relaxed -- ./flag
says 'data race .* on payload'
relaxed=$(token_of)
RADDLE_VOLATILE=plain run 1 "$raddle" explore -- ./flag
says '(volatile)'
plain=$(token_of)
RADDLE_VOLATILE=plain run 0 "$raddle" explore --volatile acq-rel -- ./flag
run 2 "$raddle" explore --volatile strong -- ./flag
says "'strong' is none of acq-rel, relaxed and plain"

# A token has the setting that it was found by, and the command line another one.
for token in "$relaxed" "$plain"; do
    run 1 "$raddle" replay "$token"
    RADDLE_VOLATILE=acq-rel run 1 "$raddle" replay "$token"
    run 0 "$raddle" replay "$token" --volatile acq-rel
done
run 0 "$raddle" token "$relaxed"
says '^volatile relaxed$'

# Nothing is noted where nothing relies on it.
"$raddle" cc -g -DJOINED "$code/flag.c" -o joined
run 0 "$raddle" explore -- ./joined
says_not 'which C'
"$raddle" cc -g -DFLAG_ONLY "$code/flag.c" -o flag_only
run 0 "$raddle" explore --volatile relaxed -- ./flag_only
says 'Threads share volatile variables'
run 0 "$raddle" explore --volatile relaxed --format json -- ./flag_only
says '"note": *"Threads share'

# ---- Tests -------------------------------------------------------------------------------------

"$raddle" cc -g "$code/tests.c" $(pkg-config --cflags --libs --static raddle) -o tests
run 1 ./tests
says '^ok  *by_default'
says '^FAIL  *relaxed'
says '^FAIL  *plain'
run 0 ./tests --volatile acq-rel
run 1 ./tests --volatile plain --filter by_default
token=$(token_of)
run 1 ./tests --replay "$token"
run 0 ./tests --replay "$token" --volatile acq-rel

# ---- Structures ----------------------------------------------------------------------------------

explore() { # STATUS PROGRAM NAME
    run "$1" "$raddle" explore --schedules 150 --timeout 20 --shrink-time 2 -- "./$2" "$3"
}

for kind in BUILTINS ASSEMBLY; do
    "$raddle" cc -g -O1 -mcx16 -D$kind "$code/structures.c" -o "$kind"
    right=$("./$kind" right)
    [ "$(echo "$right" | wc -l)" -ge 16 ] || fail "too few structures"
    for name in $right; do
        explore 0 $kind "$name"
        says_not 'data race'
    done
    for name in $("./$kind" wrong); do
        explore 1 $kind "$name"
    done
done
