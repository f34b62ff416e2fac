#!/usr/bin/env bash
# run_claims.sh -- no claim of coverage is false: random programs, explored in every way.
#
# Each program of a batch is explored by six strategies, compiled plainly and by raddle cc.  If
# one of these runs reaches an outcome that another one, which claims to be complete, did not
# reach, the claim is false.  tests/claims/generate.c makes the programs, check.c compares.
#
# PROGRAMS=n makes so many; BATCH=n that many a file; the seed of a failing batch is printed.
# ctest: slow
set -eu
[ -z "${SANITIZE:-}" ] || exit 77 # the programs are compiled by the plain compiler
raddle=$BUILD/bin/raddle
code=$SOURCE/tests/claims
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

programs=${PROGRAMS:-300}
seed=1
schedules=40
if [ -n "${RADDLE_SOAK:-}" ]; then
    programs=${PROGRAMS:-3000}
    seed=${RADDLE_SOAK_SEED:-1}
    schedules=300
fi
batch=${BATCH:-100}

"$CC" -O1 -Wall -Wextra "$code/generate.c" -o generate
"$CC" -O1 -Wall -Wextra "$code/check.c" -o check
"$CC" -O1 -c "$code/unseen.c" -o unseen.o

status=0
for ((made = 0; made < programs; made += batch)); do
    mkdir batch
    ./generate $((seed + made)) "$batch" >batch/batch.c
    "$CC" -O1 -w -I"$code" batch/batch.c unseen.o -o batch/plain -pthread &
    RADDLE_CC=$CC "$raddle" cc -O1 -w -I"$code" batch/batch.c unseen.o -o batch/seen
    wait $!
    ./check "$raddle" batch "$batch" $((seed + made)) $schedules >out || status=1
    tail -n 1 out
    if [ $status != 0 ]; then
        cat out
        echo "these are the programs of: generate $((seed + made)) $batch" >&2
        exit 1
    fi
    # Silence is not the way: where all code is seen, small programs are explored to the end.
    complete=$(sed -n 's/.*, of \([0-9]*\) programs;.*/\1/p' out)
    if [ "$complete" -lt $((batch / 4)) ]; then
        echo "only $complete programs of $batch were explored to the end" >&2
        exit 1
    fi
    rm -rf batch
done
