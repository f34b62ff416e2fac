#!/usr/bin/env bash
# Claim: in gdb, a replay stops where the case fails, with the frame of the code under test
# selected; `raddle threads` and `raddle who-holds` say who stands where, `raddle bt` and `raddle
# thread` look at any thread and leave all as it was, `raddle next` goes from switch to switch.  So
# for programs that are explored, for tests, and for implementations that are graded.  What a judge
# sees afterwards is shown while it happens, in the thread that does it.
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

# In the body of a test: a check, a crash, an exit.
cat >body.c <<'EOF'
#include <raddle.h>
#include <stdlib.h>

RDL_PROPERTY(checks)
{
    int number = (int)rdl_int(t, 7, 7);

    rdl_check(number < 7);
}

RDL_PROPERTY(crashes)
{
    int number = (int)rdl_int(t, 7, 7);

    *(volatile int *)(uintptr_t)(number - 7) = 0;
}

RDL_PROPERTY(exits)
{
    int number = (int)rdl_int(t, 7, 7);

    exit(number);
}

RDL_MAIN
EOF
export PKG_CONFIG_PATH=$BUILD/pkgconfig
built() { # -o PROGRAM FILE...
    ${CC:-gcc} -g "$@" $(pkg-config --cflags --libs raddle)
}
built -o body body.c
for test in checks crashes exits; do
    ./body --filter "=$test" --seed 1 --regressions none >found || true
    debug 'print number' -- "$(token_in found)" -- ./body
    says "#[0-9]+ .*rdl_property_$test"
    says '\$1 = 7'
done
says 'It exits with status 7'

# ---- What a judge has seen afterwards ------------------------------------------------------------

# A client that waits is looked at where it waits, and the program goes on from there.
cp "$SOURCE"/docs/tutorials/queue/*.[ch] .
built -o test_queue test_queue.c queue.c
./test_queue --seed 1 --regressions none >found || true
debug 'print item' 'raddle threads' 'raddle bt 0' 'continue' -- "$(token_in found)" -- \
    ./test_queue
says 'but put\(1\) waits, though it could go on'
says ' in queue_put \(.*item=1\)'
says '\$1 = 1'
says '^\* 3   client 2 +waits for a signal of condition, and should not, at queue.c:35 '
says '#[0-9]+ .* in main '
! grep -q 'rdl__clients_run' out || fail "the stack has what is Raddle's own:" "$(cat out)"
says '0 passed, 1 failed'

# One that has returned, in the last step of that call; without threads, where the call begins.
"$raddle" cc -g $(pkg-config --cflags raddle) -o tickets \
    "$SOURCE/docs/tutorials/linearizability/tickets.c"
./tickets --seed 1 --regressions none >found || true
debug 'raddle threads' 'continue' 'raddle threads' -- "$(token_in found)" -- ./tickets
says 'This is the last that client [01] does in the call that is wrong'
says '#[0-9]+ .* in draw_ticket '
says '^\* [12]   client [01] +runs, at tickets.c:1[0-9] in draw_ticket'
says '^\* [12]   client [01] +has returned, and should not have'
built -o ring "$SOURCE/docs/tutorials/model/ring.c"
./ring --seed 1 --regressions none >found || true
debug 'finish' -- "$(token_in found)" -- ./ring
says 'Here begins the call that is wrong'
says '#0 +ring_get_call '

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

cd "$SOURCE"
once=examples/warehouse/implementations/if_instead_of_while.c
"$raddle" grade --spec examples/warehouse --seed 1 $once >"$scratch/found" || true
(
    token=$(token_in "$scratch/found")
    printf 'raddle threads\n' |
        timeout 100 "$raddle" replay --gdb "$token" --spec examples/warehouse $once
) >"$scratch/out" 2>&1 || true
cd "$scratch"
says 'This is the last that client 0 does in the call that is wrong'
says ' in warehouse_enter \('
says '^\* 1   client 0 +runs, at if_instead_of_while.c:39 in warehouse_enter'

# Without --gdb it is replayed as whoever made the token does.
"$raddle" replay "$token" --spec "$SOURCE/examples/warehouse" "$SOURCE/$broken" >out || true
says 'a call waits for a lock for ever'
echo "gdb stops where it fails, and knows who is where"
