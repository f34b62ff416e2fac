#!/usr/bin/env bash
# run_claims.sh -- no claim of coverage is false: random programs, explored in every way.
#
# Each program of a batch is explored by six strategies, compiled plainly and by raddle cc: as a
# program of its own, or as a test whose executions share a process.  And its statements are called
# in every order, without threads and without Raddle.  If any of these reaches an outcome that a
# run which claims to be complete did not reach, the claim is false.
# tests/claims/generate.c makes the programs, check.c compares.
#
# PROGRAMS=n explores so many programs, TESTS=n so many tests; PAIRS=pairs makes every two
# statements of a kind meet, one after the other, and FROM=n begins with number n.  The seed of a
# failing batch is printed.
# ctest: slow long
set -eu
[ -z "${SANITIZE:-}" ] || exit 77 # the programs are compiled by the plain compiler
raddle=$BUILD/bin/raddle
code=$SOURCE/tests/claims
folder=$(mktemp -d)
files=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # of the programs: made and removed a lot
trap 'rm -rf "$folder" "$files"' EXIT
cd "$files"

programs=${PROGRAMS:-60} tests=${TESTS:-240}
seed=${FROM:-1} schedules=40 cases=100 pairs=${PAIRS:-}
if [ -n "${RADDLE_SOAK:-}" ]; then
    programs=${PROGRAMS:-1000} tests=${TESTS:-10000}
    seed=${RADDLE_SOAK_SEED:-1} schedules=300 cases=200
fi

"$CC" -O1 -Wall -Wextra "$code/generate.c" -o "$folder/generate"
"$CC" -O1 -Wall -Wextra "$code/check.c" -o "$folder/check"
"$CC" -O1 -c "$code/unseen.c" -o "$folder/unseen.o"
g++ -std=c++17 -O1 -c "$code/objects.cc" -o "$folder/plain.o"
for level in -O0 -O2; do
    RADDLE_CC=g++ "$raddle" cc -std=c++17 $level -c "$code/objects.cc" -o "$folder/seen$level.o"
done

# compile KIND SEED [LIBRARY...]: a batch, in all ways.  Every second one has checks of the C
# library, and names of functions for large files.
compile() {
    local kind=$1 seed=$2 options='-O1' objects="$folder/seen-O0.o"
    shift 2
    if [ $((seed / batch % 2)) = 1 ]; then
        options='-O2 -D_FORTIFY_SOURCE=2 -D_FILE_OFFSET_BITS=64' objects="$folder/seen-O2.o"
    fi
    options="$options -w -I$code -I$SOURCE/include"
    "$folder/generate" $seed $batch $kind threads $pairs >"$folder/batch.c"
    "$folder/generate" $seed $batch $kind orders $pairs >"$folder/orders.c"
    "$CC" $options "$folder/batch.c" "$folder/unseen.o" "$folder/plain.o" "$@" \
        -o "$folder/plain" -pthread -lstdc++ -lm &
    "$CC" -O1 -w -I"$code" -I"$SOURCE/include" "$folder/orders.c" "$folder/unseen.o" \
        "$folder/plain.o" -o "$folder/orders" -pthread -lstdc++ -lm &
    RADDLE_CC=$CC "$raddle" cc $options "$folder/batch.c" "$folder/unseen.o" "$objects" \
        "$@" -o "$folder/seen" -lstdc++ -lm
    wait
    [ -x "$folder/plain" ] && [ -x "$folder/orders" ]
}

# compare WHAT SEED RUNS KIND: the claims of a batch, from so many runs of each program.
compare() {
    local complete

    if ! "$folder/check" "$1" "$folder" $batch "$2" "$3" >"$folder/out"; then
        cat "$folder/out"
        echo "these are the programs of: generate $2 $batch $4 threads $pairs" >&2
        exit 1
    fi
    tail -n 1 "$folder/out"
    # Silence is not the way: where all code is seen, small programs are explored to the end.
    complete=$(tail -n 1 "$folder/out" | sed -n 's/.*, of \([0-9]*\) programs;.*/\1/p')
    if [ "$complete" -lt $((batch / 4)) ]; then
        echo "only $complete programs of $batch were explored to the end" >&2
        exit 1
    fi
}

batch=60 # an exploration is a process, or some
for ((made = 0; made < programs; made += batch)); do
    compile programs $((seed + made))
    compare "$raddle" $((seed + made)) $schedules programs
done
batch=120
for ((made = 0; made < tests; made += batch)); do
    compile tests $((seed + made)) -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lraddle
    compare tests $((seed + made)) $cases tests
done
