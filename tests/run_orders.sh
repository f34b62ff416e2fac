#!/usr/bin/env bash
# run_orders.sh -- schedules that fail become orders of a few events, under which free threads fail
# each time, whatever else the machine does.
# ctest: long
set -eu

[ -z "${SANITIZE:-}" ] || exit 77 # it does not like what hooks do to stacks

scratch=$(mktemp -d)
busy=
trap 'for one in $busy; do kill "$one" 2>/dev/null || true; done; rm -rf "$scratch"' EXIT
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cd "$scratch"
runs=200
[ -z "${RADDLE_SOAK:-}" ] || runs=10000

fail() {
    echo "run_orders.sh: $*" >&2
    exit 1
}

# run WANTED PROGRAM OPTION...: its report is in `report`.
run() {
    local wanted=$1 program=$2 status=0
    shift 2
    timeout 120 "$BUILD/$program" --regressions none "$@" >report 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$program $*: status $status, not $wanted:" "$(cat report)"
}

says() { grep -qF -- "$1" report || fail "no '$1' in:" "$(cat report)"; }

# export_order PROGRAM TEST: what exploration finds, as TEST.order.
export_order() {
    run 1 "$1" --seed 1 --filter "=$2"
    token=$(sed -n 's/^ *Replay:.* --replay \([^ ]*\)$/\1/p' report)
    run 1 "$1" --replay "$token" --export "$2.order"
    says "Order in $2.order"
}

# The number of the line of a source that has this text.
line() { grep -nF -- "$2" "$SOURCE/tests/$1" | sed 's/:.*//'; }

# ---- What is written -----------------------------------------------------------------------

export_order zoo/schedules deposits_add_up
says "fails like that under 100 of 100 schedules that keep to it"
says "fails like that in 20 of 20 runs with free threads"
grep -q "^\[one at schedules.c:39\] -> two:schedules.c:[0-9]*$" deposits_add_up.order ||
    fail "$(cat deposits_add_up.order)"
grep -q "^\[two ended\] -> one:schedules.c:39$" deposits_add_up.order ||
    fail "$(cat deposits_add_up.order)"
[ "$(grep -c '^[^#].* -> ' deposits_add_up.order)" = 2 ] || fail "$(cat deposits_add_up.order)"

export_order zoo/schedules many_add_up # six threads of one name, of which two matter
[ "$(grep -c '^[^#].* -> ' many_add_up.order)" = 2 ] || fail "$(cat many_add_up.order)"

export_order zoo/schedules locks_are_taken_in_one_order # a deadlock: free threads hang
says "fails like that in 3 of 3 runs with free threads"
grep -q "^\[two blocked\] -> one:" locks_are_taken_in_one_order.order ||
    fail "$(cat locks_are_taken_in_one_order.order)"

# Threads without names.  The latest preemption that fails is the simplest: the third time round.
export_order specs/orders seats_are_sold_once
says "fails like that in 20 of 20 runs with free threads"
grep -q "#3\] -> thread 2:" seats_are_sold_once.order || fail "$(cat seats_are_sold_once.order)"

export_order specs/orders any_seats_are_sold_once # with data
says "fails like that in 20 of 20 runs with free threads"

export_order specs/orders word_is_heard
says "fails like that in 3 of 3 runs with free threads"

export_order specs/orders first_come # the other one never gets to run
says "fails like that in 20 of 20 runs with free threads"

# Who waits for a condition is kept there while another takes the mutex, and the wrong one is woken.
export_order specs/orders waiters_are_told_in_turn
says "fails like that in 20 of 20 runs with free threads"
grep -q "^\[.* ended\] -> \[.* woken\]$" waiters_are_told_in_turn.order ||
    fail "$(cat waiters_are_told_in_turn.order)"
export_order specs/orders wake_ups_reach_whom_they_are_for
says "fails like that in 3 of 3 runs with free threads"
grep -q "^\[one blocked after .*\] -> " wake_ups_reach_whom_they_are_for.order ||
    fail "$(cat wake_ups_reach_whom_they_are_for.order)"
export_order specs/orders first_come_first_served # while the test waits until it is quiet
says "fails like that in 20 of 20 runs with free threads"
grep -q "^\[second ended\] -> \[first woken\]$" first_come_first_served.order ||
    fail "$(cat first_come_first_served.order)"

# Between two accesses, in two lines and in one.
code=specs/orders/code/counter.c
export_order specs/orders counted_in_two_lines
says "fails like that in 20 of 20 runs with free threads"
grep -qF "[one at counter.c:$(line $code 'seen + 1')]" counted_in_two_lines.order ||
    fail "$(cat counted_in_two_lines.order)"
export_order specs/orders counted_in_one_line
says "fails like that in 20 of 20 runs with free threads"
grep -qF "[one at counter.c:$(line $code 'counter + 1'):call 2]" counted_in_one_line.order ||
    fail "$(cat counted_in_one_line.order)"

# ---- What cannot be written is said -----------------------------------------------------------

export_order zoo/schedules strangers_unlock_nothing
says "free threads do not notice that they fail like that: use --controlled"
run 1 zoo/schedules --order strangers_unlock_nothing.order --controlled
says "1 failed"

# Without debugging information there are no lines to name.
folder=$SOURCE/tests/specs/orders
"$CC" -std=gnu17 -O1 -I"$SOURCE/include" -I"$folder" -o plain "$folder/orders.c" \
    "$folder/code/counter.c" "$BUILD/lib/libraddle.a" -rdynamic -lm -ldl -lpthread
BUILD=. run 1 plain --seed 1 --filter =seats_are_sold_once
token=$(sed -n 's/^ *Replay:.* --replay \([^ ]*\)$/\1/p' report)
BUILD=. run 1 plain --replay "$token" --export plain.order
says "no order is written to plain.order: no lines of its code are known: compile it with -g"

# ---- What is read -----------------------------------------------------------------------------

run 1 zoo/schedules --order deposits_add_up.order
says "rdl_check_eq(balance, 20)"
run 1 zoo/schedules --order deposits_add_up.order --controlled --cases 50
says "fails like that in 50 of 50 runs"
run 1 specs/orders --order any_seats_are_sold_once.order
export ORDER=$scratch/seats_are_sold_once.order
run 1 specs/orders --filter =order_of_a_file
says "rdl_check(!oversold)"

echo "[one at nowhere.c:1] -> two:nowhere.c:2" >>deposits_add_up.order
run 2 zoo/schedules --order deposits_add_up.order
says "no file of that name"
grep -v ^case deposits_add_up.order >nothing.order
run 2 zoo/schedules --order nothing.order
says "nothing.order has no line 'case TOKEN'"
run 2 specs/orders --order deposits_add_up.order
says "a test called deposits_add_up, which is not here"
run 2 specs/orders --controlled
says "--controlled goes with --order"

# What is held comes before nothing; and a call of a line is a place like any other.
order() {
    grep '^case ' many_add_up.order >wrong.order
    echo "$1" >>wrong.order
    run 2 zoo/schedules --order wrong.order
    says "$2"
}
order "[worker ended] -> [worker 2 at schedules.c:225]" "nothing comes before [thread at place]"
order "[worker stands] -> worker 2:schedules.c:225" "[thread at place], and nothing else"
order "[worker woken#0] -> worker 2:schedules.c:225" "after # there is a number from 1 on"
order "[worker woken twice] -> worker 2:schedules.c:225" "[thread at place], and nothing else"
order "[worker wokens] -> worker 2:schedules.c:225" "[thread woken#2], and nothing else"
order "worker:schedules.c:232:call 99 -> worker 2:schedules.c:225" "has fewer calls than that"
order "worker:schedules.c:232:return -> worker 2:schedules.c:225" "there can be :call 2"
"$BUILD/bin/raddle" where "$BUILD/specs/orders" \
    "counter.c:$(line $code 'counter + 1'):call 2" >report
says "counter = counter + 1;"
says "call"

# ---- Programs that know nothing of Raddle ------------------------------------------------------

# raddle_replay STATUS ARGUMENT...: its report is in `report`.
raddle_replay() {
    local wanted=$1 status=0
    shift
    timeout 120 "$BUILD/bin/raddle" replay "$@" >report 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "raddle replay $*: status $status, not $wanted:" "$(cat report)"
}

# export_program NAME OPTION...: what exploration finds, as NAME.order.
export_program() {
    local name=$1
    shift
    "$BUILD/bin/raddle" explore --seed 1 "$@" -- ./tickets $name >report || true
    raddle_replay 1 "$@" "$(grep -o 'rdl1\.[^ ]*' report | tail -n 1)" --export $name.order
    says "fails like that in 20 of 20 runs with free threads"
}

"$CC" -g -pthread -o tickets "$SOURCE/tests/explore/tickets.c"
export_program assert
grep -q "^# run by raddle replay --order assert.order$" assert.order || fail "$(cat assert.order)"
raddle_replay 1 --order assert.order
says "crashed with SIGABRT in main at"
raddle_replay 1 --order assert.order --controlled --schedules 20
says "fails like that in 20 of 20 runs"
export_program exit # by its status
raddle_replay 1 --order exit.order
says "exited with status 3"
export_program print --same-output
raddle_replay 1 --same-output --order print.order
says "it printed something else than it should"
raddle_replay 0 --order print.order
raddle_replay 1 --order exit.order -- ./tickets locked
says "infeasible: all threads wait"
raddle_replay 2 --order "$SOURCE/tests/explore/tickets.c"
says "has no line 'case TOKEN'"
raddle_replay 2 --controlled
says "--controlled goes with --order"

# ---- Under load -------------------------------------------------------------------------------

for _ in 1 2 3 4; do
    (while :; do :; done) &
    busy="$busy $!"
done

# loaded NAME COMMAND...: its report, in a folder of its own, says that all runs fail.  All of these
# run at once, and so are a load for each other, too.
loaded() {
    mkdir "$1"
    (
        cp *.order tickets "$1" && cd "$1" && shift && "$@" &&
            says "fails like that in $runs of $runs runs"
    ) &
    loads="$loads $!"
}
loads=
for test in seats_are_sold_once any_seats_are_sold_once counted_in_one_line \
    waiters_are_told_in_turn first_come_first_served; do
    loaded $test run 1 specs/orders --order $test.order --cases $runs
done
loaded many_add_up run 1 zoo/schedules --order many_add_up.order --cases $runs
loaded exit raddle_replay 1 --order exit.order --schedules $runs
status=0
for one in $loads; do
    wait "$one" || status=1 # it has said why
done
[ $status = 0 ] || exit 1
echo "orders: $runs of $runs runs fail, under load"
