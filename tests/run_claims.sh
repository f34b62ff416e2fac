#!/usr/bin/env bash
# run_claims.sh -- no claim of coverage is false: random programs, explored in every way.
#
# Each program of a batch is explored by six strategies, compiled plainly and by raddle cc: as a
# program of its own, or as a test whose executions share a process.  If one of these runs reaches
# an outcome that another one, which claims to be complete, did not reach, the claim is false.
# tests/claims/generate.c makes the programs, check.c compares.
#
# PROGRAMS=n explores so many programs, TESTS=n so many tests.  The seed of a failing batch is
# printed.
# ctest: slow long
set -eu
[ -z "${SANITIZE:-}" ] || exit 77 # the programs are compiled by the plain compiler
raddle=$BUILD/bin/raddle
code=$SOURCE/tests/claims
folder=$(mktemp -d)
files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # of the programs: made and removed a lot
trap 'rm -rf "$folder" "$files"' EXIT
cd "$files"

programs=${PROGRAMS:-100} tests=${TESTS:-200}
seed=1 schedules=40 cases=100
if [ -n "${RADDLE_SOAK:-}" ]; then
    programs=${PROGRAMS:-1000} tests=${TESTS:-10000}
    seed=${RADDLE_SOAK_SEED:-1} schedules=300 cases=200
fi
batch=100

"$CC" -O1 -Wall -Wextra "$code/generate.c" -o "$folder/generate"
"$CC" -O1 -Wall -Wextra "$code/check.c" -o "$folder/check"
"$CC" -O1 -c "$code/unseen.c" -o "$folder/unseen.o"

# compile [LIBRARY...]: batch.c, in both ways.
compile() {
    local flags="-O1 -w -I$code -I$SOURCE/include $folder/batch.c $folder/unseen.o"

    "$CC" $flags "$@" -o "$folder/plain" -pthread &
    RADDLE_CC=$CC "$raddle" cc $flags "$@" -o "$folder/seen"
    wait $!
}

# compare WHAT SEED RUNS: the claims of a batch, from so many runs of each program.
compare() {
    local complete

    if ! "$folder/check" "$1" "$folder" $batch "$2" "$3" >"$folder/out"; then
        cat "$folder/out"
        echo "these are the programs of: generate $2 $batch ${1/#$raddle/}" >&2
        exit 1
    fi
    tail -n 1 "$folder/out"
    # Silence is not the way: where all code is seen, small programs are explored to the end.
    complete=$(sed -n 's/.*, of \([0-9]*\) programs;.*/\1/p' "$folder/out")
    if [ "$complete" -lt $((batch / 4)) ]; then
        echo "only $complete programs of $batch were explored to the end" >&2
        exit 1
    fi
}

for ((made = 0; made < programs; made += batch)); do
    "$folder/generate" $((seed + made)) $batch >"$folder/batch.c"
    compile
    compare "$raddle" $((seed + made)) $schedules
done
for ((made = 0; made < tests; made += batch)); do
    "$folder/generate" $((seed + made)) $batch tests >"$folder/batch.c"
    compile -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lraddle
    compare tests $((seed + made)) $cases
done
