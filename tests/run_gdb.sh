#!/usr/bin/env bash
# Claim: in gdb, a replay stops where the case fails, with the frame of the code under test
# selected; `raddle threads` and `raddle who-holds` say who stands where, `raddle bt` and `raddle
# thread` look at any thread and leave all as it was, `raddle next` goes from switch to switch.  So
# for programs that are explored, for tests, and for implementations that are graded.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77 # what is preloaded has to come before the sanitizer's library
command -v gdb >/dev/null || exit 77
gdb -q -batch -ex 'python print(1)' 2>/dev/null | grep -q 1 || exit 77 # a gdb without Python
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
raddle=$BUILD/bin/raddle
cd "$scratch"

fail() {
    echo "run_gdb.sh: $*" >&2
    exit 1
}

# debug COMMAND... -- ARGUMENT...: what gdb prints to these commands, in `out`
debug() {
    : >commands
    while [ "$1" != -- ]; do
        echo "$1" >>commands
        shift
    done
    shift
    timeout 100 "$raddle" replay --gdb "$@" <commands >out 2>&1 || true
}
says() {
    grep -qE -e "$1" out || fail "no '$1' in" "$(cat out)"
}
token_in() {
    grep -o 'rdl1\.[A-Za-z0-9_.+%/-]*' "$1" | head -1
}

# ---- A program that is explored ------------------------------------------------------------------

${CC:-gcc} -g -o bank "$SOURCE/tests/explore/bank.c" -pthread
"$raddle" explore --seed 1 -- ./bank >found 2>&1 || true
token=$(token_in found)
debug 'info frame' 'raddle threads' 'raddle who-holds' 'raddle bt 1' \
    'raddle thread 1 print amount' 'print amount' 'raddle bt 9' 'raddle next' -- "$token"
says 'raddle: .*deadlock: thread 1 -> thread 2 -> thread 1'
says 'in transfer \(.*bank.c:22\)'
says '^(\(gdb\) )?  0   main +waits for the end of thread 1, at bank.c:49 in main'
says '^  1   thread 1 +waits for mutex \(accounts \+ 48\), at bank.c:22 in transfer'
says '^\* 2   thread 2 +waits for mutex: it came last \(accounts\), at bank.c:22 in transfer'
says 'accounts: thread 1 holds it since bank.c:21 in transfer'
says '^    thread 2 waits for it at bank.c:22 in transfer'
says '#[0-9]+ .* in there '
says '\$1 = 10'
says '\$2 = 20'
says 'there is no thread 9'
says 'the case has failed; `raddle start` begins again'

# From switch to switch: main, thread 1, thread 2, and thread 1 again.
debug 'raddle start' 'raddle next' 'raddle next' 'raddle step' 'print amount' 'raddle threads' \
    'raddle next' 'raddle next' -- "$token"
grep -oE '\* [0-9] ' out | tr -d '* \n' | grep -q '^012' || fail "they come otherwise:" "$(cat out)"
says 'is ready'
says 'SIGTRAP'

# ---- A test --------------------------------------------------------------------------------------

"$BUILD/zoo/schedules" --filter =locks_are_taken_in_one_order --seed 1 --regressions none \
    >found || true
debug 'info frame' 'raddle threads' 'raddle who-holds' 'raddle bt 1' -- "$(token_in found)" -- \
    "$BUILD/zoo/schedules"
says 'raddle: .*deadlock: '
says 'schedules.c:[0-9]+\); saved rip'
says ' one +waits for mutex '
says ' two +waits for mutex: it came last'
says 'holds it since schedules.c:'
says 'waits for it at schedules.c:'

# One without threads.
"$BUILD/examples/queue" --filter =queue_broken_behaves_like_the_model --regressions none --verbose \
    >found || true
debug 'info frame' 'print i' 'raddle threads' -- "$(token_in found)" -- "$BUILD/examples/queue"
says 'raddle: .*queue.c:135: rdl_check_eq'
says ' in compare '
says '\$1 = '
says 'no threads are controlled here'

# ---- An implementation that is graded ------------------------------------------------------------

cd "$SOURCE"
broken=examples/warehouse/implementations/locks_in_two_orders.c
"$raddle" grade --spec examples/warehouse --seed 1 $broken >"$scratch/found" || true
token=$(token_in "$scratch/found")
(
    printf 'raddle threads\nraddle who-holds\n' |
        timeout 100 "$raddle" replay --gdb "$token" --spec examples/warehouse $broken
) >"$scratch/out" 2>&1 || true
cd "$scratch"
says ' client 0 +waits for mutex.*locks_in_two_orders.c'
says 'holds it since locks_in_two_orders.c'

# Without --gdb it is replayed as whoever made the token does.
"$raddle" replay "$token" --spec "$SOURCE/examples/warehouse" "$SOURCE/$broken" >out || true
says 'a call waits for a lock for ever'
echo "gdb stops where it fails, and knows who is where"
