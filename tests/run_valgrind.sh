#!/usr/bin/env bash
# run_valgrind.sh -- memcheck has nothing to say of properties and models (without threads of ours),
# and finds what the code under test does wrong.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_valgrind.sh: $*" >&2
    exit 1
}

# check STATUS PROGRAM ARGUMENT...
check() {
    local wanted=$1 status=0
    shift
    valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "$@" \
        --seed 1 --regressions none --cases 20 >out 2>&1 </dev/null || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(tail -n 50 out)"
}

for program in queue text; do
    check 0 "$BUILD/examples/$program" --no-fork
done
check 0 "$BUILD/examples/text" --filter unpacking # with workers
check 0 "$BUILD/specs/model" --no-fork --filter =agrees,=wraps,=nine_to_one

cat >wrong.c <<'END'
#include <raddle.h>
#include <stdlib.h>

RDL_PROPERTY(forgets_to_set_it)
{
    volatile int *cell = malloc(sizeof *cell);

    rdl_label(t, *cell > (int)rdl_int(t, 0, 9) ? "large" : "small");
    free((void *)cell);
}

RDL_PROPERTY(forgets_to_free_it)
{
    volatile char *cell = malloc(100 + (size_t)rdl_int(t, 0, 9));

    *cell = 1;
}

RDL_MAIN
END
${CC:-gcc} -g -I"$SOURCE/include" wrong.c -rdynamic "$BUILD/lib/libraddle.a" -lm -ldl -pthread \
    -o wrong
check 9 ./wrong --no-fork --filter set
grep -q 'rdl_property_forgets_to_set_it (wrong.c:8)' out || fail "$(cat out)"
check 9 ./wrong --no-fork --filter free
grep -q 'rdl_property_forgets_to_free_it (wrong.c:14)' out || fail "$(cat out)"
