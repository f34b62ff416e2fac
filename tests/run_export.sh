#!/usr/bin/env bash
# run_export.sh -- what --export writes compiles without warnings, passes and fails as the plan
# does, and is the same each time.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77              # a sanitized library needs sanitized programs
[ -f "$SOURCE/include/raddle/clock.h" ] || exit 77 # what is written goes by the clock

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cd "$SOURCE"

fail() {
    echo "run_export.sh: $*" >&2
    exit 1
}

# export PROGRAM TEST: to $scratch/TEST.c
write() {
    "$BUILD/$1" --filter "=$2" --export "$scratch/$2.c" || fail "$1: $2 is not exported"
    cp "$scratch/$2.c" "$scratch/again"
    "$BUILD/$1" --filter "=$2" --export "$scratch/$2.c"
    cmp "$scratch/$2.c" "$scratch/again" || fail "$2: exported twice, it differs"
}

# compile TEST [FILE...]: to $scratch/TEST
compile() {
    test=$1
    shift
    for compiler in "${CC:-gcc}" clang; do
        command -v "$compiler" >/dev/null || continue
        "$compiler" -std=gnu17 -g -Wall -Wextra -Werror -I. -Iinclude -Iexamples/asymmetric_buffer \
            -o "$scratch/$test" "$scratch/$test.c" "$@" "$BUILD/lib/libraddle.a" -rdynamic -lm \
            -ldl -lpthread || fail "$test does not compile"
    done
}

# run WANTED TEST PART
run() {
    status=0
    timeout 60 "$scratch/$2" --regressions none >"$scratch/report" 2>&1 || status=$?
    [ $status = "$1" ] || fail "$2: status $status, not $1:" "$(cat "$scratch/report")"
    grep -qF "$3" "$scratch/report" || fail "$2: no '$3' in:" "$(cat "$scratch/report")"
}

for test in every_precondition_is_tried the_sequence_of_the_paper; do
    write examples/asymmetric_buffer $test
    for broken in from_the_right tells_the_sender_too_early; do
        compile $test examples/asymmetric_buffer/implementations/$broken.c
        run 1 $test "${test}_exported"
    done
    compile $test examples/asymmetric_buffer/implementations/monitor.c
    run 0 $test "1 passed"
done

for test in plan_right table_right plan_begun plan_pairs plan_fork; do
    write specs/plan $test
    compile $test
    run 0 $test " passed, 0 failed"
done
grep -q "plan_fork_exported_2" "$scratch/report" || fail "plan_fork has two sequences"
# Rows say who goes on; and names that are none of C's, and calls that are continued without a row.
for test in says_who_is_first leaves_out_what_follows; do
    write specs/plan $test
    compile $test
    run 0 $test "1 passed"
done
for test in plan_answers_wrong plan_never_blocks plan_tells_nobody table_answers_wrong; do
    write specs/plan $test
    compile $test
    run 1 $test "FAIL"
done

write specs/exported things_of_all_kinds
compile things_of_all_kinds
run 0 things_of_all_kinds "1 passed"

# Who is left waiting in the end is left so, and is told if it returns after all, as this one does.
write specs/exported waits_for_ever
compile waits_for_ever
run 1 waits_for_ever "wait of time 1 was to block, but has returned"
grep -q "rdl_leave(threads\[0\])" "$scratch/waits_for_ever.c" || fail "nobody is left waiting"

"$BUILD/specs/plan" --export "$scratch/x.c" 2>"$scratch/said" && fail "all are exported"
grep -q "name one with --filter" "$scratch/said" || fail "$(cat "$scratch/said")"
echo "exported tests pass and fail as the plans do"
