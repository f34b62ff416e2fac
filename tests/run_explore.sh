#!/usr/bin/env bash
# run_explore.sh -- raddle explore and raddle replay, on programs that know nothing of Raddle.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
for name in bank policy ways; do
    $CC -g -O1 -pthread -o $name "$SOURCE/tests/explore/$name.c"
done

fail() {
    echo "run_explore.sh: $*" >&2
    exit 1
}

# explore STATUS ARGUMENT...: run it, expect the status; what it prints is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    "$raddle" explore --seed 1 --schedules 2000 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "explore $*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }

# ---- Executions do not change the process that they are copies of ------------------------------

explore 0 --strategy random --schedules 20 -- ./policy

# ---- Found, and replayed -----------------------------------------------------------------

explore 1 -- ./bank
says 'deadlock: thread 1 -> thread 2 -> thread 1'
says '1 preemption'
says 'bank.c:22' # where the second lock of each is taken
token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
explore 1 --format json -- ./bank
is verdict fail
is class deadlock
is preemptions 1
is exhausted false
is token "$token"
hash=$(value hash)
for _ in $(seq 20); do
    status=0
    "$raddle" replay "$token" --format json >out 2>&1 || status=$?
    [ $status = 1 ] || fail "the replay ended with status $status:" "$(cat out)"
    is class deadlock
    is hash "$hash"
done
# Once it is mended: threads go on where they failed, and it is told that they differ.
"$raddle" replay "$token" -- ./bank ordered >out 2>&1 || fail "a mended program:" "$(cat out)"
says 'this case passes'
says 'the threads do not meet as they did when the token was made'
explore 0 -- ./bank ordered
explore 0 --format json -- ./bank ordered
is verdict pass
[ "$(value schedules)" -ge 1 ] || fail "no schedules were counted:" "$(cat out)"
explore 1 --jobs 2 -- ./bank
# What a strategy learns from one execution, it must know in the next.
for strategy in random pct pos surw random-delays dfs dpor; do
    explore 1 --strategy $strategy -- ./bank
    says 'deadlock'
done

# ---- Each way to fail ----------------------------------------------------------------------

for pair in assert:assertion crash:crash abort:crash exit:exit spin:livelock try:livelock; do
    explore 1 --timeout 1 --format json -- ./ways ${pair%:*}
    is class ${pair#*:}
done
explore 1 --same-output --format json -- ./ways print
is class output
explore 1 --same-output -- ./ways print
says 'raddle replay --same-output rdl1.' # without which it would not fail
status=0
"$raddle" replay --same-output "$(grep -o 'rdl1\.[^ ]*' out | head -n 1)" >out 2>&1 || status=$?
[ $status = 1 ] || fail "the replay of an output ended with status $status:" "$(cat out)"
explore 0 -- ./ways print
echo 'nothing of the sort' >expected
explore 1 --expect expected --format json -- ./ways print
is class output
explore 0 --fail-on crash,deadlock -- ./ways exit
explore 1 -- ./ways three
explore 0 --status 3 -- ./ways three

# Whoever asks again and again lets others answer, whatever the strategy.
for strategy in portfolio in-order answers reverse round-robin random pct pos surw random-delays \
    dfs dpor preemptions delays; do
    explore 0 --schedules 50 --strategy $strategy -- ./ways poll
done

# ---- As if we were not there ----------------------------------------------------------------

printf 'one\ntwo\n' >input
printf 'read one\nread two\npreload none\n' >expected
"$raddle" explore --schedules 50 --expect expected -- ./ways tell <input >out 2>&1 ||
    fail "a file as input:" "$(cat out)"
cat input | "$raddle" explore --schedules 50 --expect expected -- ./ways tell >out 2>&1 ||
    fail "a pipe as input:" "$(cat out)"

# ---- Bad input --------------------------------------------------------------------------------

explore 2
says 'which program?'
explore 2 -- ./nowhere
says 'there is no program ./nowhere'
explore 2 -- nowhere-in-the-path
says 'there is no program nowhere-in-the-path'
explore 2 -- .
says 'is a directory'
cp bank plain && chmod -x plain
explore 2 -- ./plain
says 'is not executable'
cp bank setuid && chmod u+s setuid
explore 2 -- ./setuid
says 'set-user-ID'
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
explore 0 -- ./script
says 'no second thread was ever started'
echo nonsense >text && chmod +x text
explore 2 -- ./text
says 'is not a program'
$CC -static -pthread -o static "$SOURCE/tests/explore/bank.c"
explore 2 -- ./static
says 'is linked statically'
explore 2 -- "$BUILD/examples/queue"
says 'has tests of Raddle'
explore 2 --timeout 0.3 -- ./ways forever
says 'does not end'
says 'ways.c:'
explore 2 --strategy clever -- ./bank
says 'there is no strategy'
explore 2 --shcedules 3 -- ./bank
says 'did you mean --schedules?'
status=0
"$raddle" replay rdl1.nonsense >out 2>&1 || status=$?
[ $status = 2 ] || fail "a damaged token: status $status"
says 'damaged'

# ---- Nothing is left behind --------------------------------------------------------------------

# A program that ignores signals and has left our group, while its execution goes on for ever;
# raddle itself is killed.
mkfifo deaf.fifo
"$raddle" explore --timeout 1000 -- ./ways deaf >out 2>&1 </dev/null &
running=$!
exec 3<deaf.fifo
read -r line <&3
[ "$line" = deaf ] || fail "it says '$line'"
kill -KILL $running
wait $running || true
cat <&3 # until nobody is left who could write to it
exec 3<&-

# ---- In the debugger ---------------------------------------------------------------------------

if command -v gdb >/dev/null; then
    printf 'backtrace\nkill\nquit\n' >commands
    "$raddle" replay --gdb "$token" <commands >out 2>&1 || true
    says 'SIGTRAP'
    says 'transfer'
fi

# ---- A reader that has gone ----------------------------------------------------------------------

mkfifo pipe
exec 3<>pipe 4>pipe 3<&-
status=0
"$raddle" explore --seed 1 -- true >&4 2>errors || status=$?
exec 4>&-
[ $status = 2 ] || fail "nobody reads the report: status $status"
[ ! -s errors ] || fail "nobody reads the report, and it minds:" "$(cat errors)"
