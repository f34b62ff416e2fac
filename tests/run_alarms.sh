#!/usr/bin/env bash
# run_alarms.sh -- correct programs are not blamed for what Raddle cannot see, or what takes long;
# their wrong twins are.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/alarms
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_alarms.sh: $*" >&2
    exit 1
}

schedules=200
[ -z "${RADDLE_SOAK:-}" ] || schedules=2000

# explore STATUS ARGUMENT...: run it, expect the status; what it prints is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    timeout 120 "$raddle" explore --seed 1 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "explore $*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
is_silent_about() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cat out)"; }
value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }

# ---- Threads that compute for long -----------------------------------------------------------

"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/long.c" -o long
for strategy in portfolio random dpor dfs; do
    explore 0 --strategy $strategy --schedules 4 -- ./long
done
explore 0 --schedules 3 --jobs 2 -- ./long
explore 0 --schedules 3 -- ./long passing
explore 1 --schedules 4 --format json -- ./long wrong
is class race
# Where the first execution does not end, either, it is the same livelock on any machine.
explore 1 --schedules 4 --timeout 2 --format json -- ./long endless
is class livelock
hash=$(value hash)
explore 1 --schedules 4 --timeout 1 --format json -- ./long endless
is hash "$hash"
says 'after 200000 places'

# ---- Order by the kernel ---------------------------------------------------------------------

# is_right PROGRAM...: no strategy finds anything.  is_wrong: all find a race for sure.
is_right() {
    for strategy in portfolio dpor; do
        explore 0 --strategy $strategy --schedules $schedules -- "$@"
    done
}

is_wrong() {
    for strategy in portfolio dpor; do
        explore 1 --strategy $strategy --schedules 2000 --fail-fast --format json -- "$@"
        is class race
    done
}

"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/kernel.c" -o kernel
for way in flock ofd semop mq msg; do
    is_right ./kernel $way
    is_silent_about 'suspected'
    is_wrong ./kernel $way wrong
done

# ---- Order by code that is not seen ----------------------------------------------------------

gcc -g -O1 -Wall -Wextra -Werror -c "$code/plain.c" -o plain.o
"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/users.c" plain.o -o users
for way in lock box callback; do
    is_right ./users $way
    says '1 suspected data race, which only code that Raddle does not see may put in order:'
    says 'suspected data race between thread 1 and thread 2'
    token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
    "$raddle" replay "$token" >out 2>&1 || fail "a suspected race fails in its replay:" "$(cat out)"
    says 'this case passes'
    says 'suspected data race between'
    explore 0 --schedules $schedules --format json --html page.html -- ./users $way
    is class null
    grep -q '"suspected":\[{' page.html || fail "the page does not tell of what is suspected"
    grep -q '"failures":\[\],"suspected":\[{' out || fail "no race is suspected:" "$(cat out)"
    explore 0 --schedules $schedules --format tap -- ./users $way
    says '# 1 suspected data race, '
    says ': suspected data race between thread 1 and thread 2'
    is_silent_about 'not ok'
    explore 0 --schedules $schedules --format junit -- ./users $way
    says '<system-out>1 suspected data race, '
    is_silent_about '<failure'
done
for way in lock-too-late box-too-late callback-too-early logged; do
    is_wrong ./users $way
    [[ $way = *box* || $way = callback* ]] || grep -q '"suspected":\[\]' out ||
        fail "what is known is suspected, too:" "$(cat out)"
done

if pkg-config --exists glib-2.0; then
    "$raddle" cc -g -O1 "$code/glib.c" -o glib $(pkg-config --cflags --libs glib-2.0)
    for way in mutex queue; do
        is_right ./glib $way
        explore 1 --schedules 2000 --fail-fast --format json -- ./glib $way wrong
        is class race
    done
fi

# ---- By number -------------------------------------------------------------------------------

gcc -g -O1 -Wall -Wextra -Werror "$code/numbers.c" -o numbers
for way in pipe socketpair select eventfd epoll poll timer semaphore messages letters; do
    explore 0 --schedules 200 --timeout 5 -- ./numbers $way
    explore 1 --schedules 200 --fail-fast --timeout 5 --format json -- ./numbers $way wrong
    is class deadlock
done

# ---- Threads that timers and queues start ------------------------------------------------------

gcc -g -O1 -Wall -Wextra -Werror "$code/notices.c" -o plain_notices
"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/notices.c" -o notices
for program in ./plain_notices ./notices; do
    for way in once in-order often locks stopped own number news no-news; do
        is_right $program $way
    done
    for way in locks stopped own number news no-news; do
        for strategy in portfolio dpor; do
            explore 1 --strategy $strategy --schedules 2000 --fail-fast --format json -- \
                $program $way wrong
            is class deadlock
            is_silent_about 'service waits'
        done
    done
done
for way in once in-order often; do
    is_wrong ./notices $way wrong
done
explore 1 --schedules 2000 --fail-fast -- ./notices once wrong
says 'data race between thread 2 and timer on total'
token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
status=0
"$raddle" replay "$token" >out 2>&1 || status=$?
[ $status = 1 ] || fail "the replay ends with $status:" "$(cat out)"
says 'data race between thread 2 and timer on total'

# What nobody controls may be what a thread waits for.
gcc -g -O1 -Wall -Wextra -Werror "$code/helper.c" -o helper
explore 1 --schedules 2 -- ./helper
says 'deadlock: all threads wait'
says 'a thread runs too that Raddle does not control'

# ---- A clock, and input from outside ---------------------------------------------------------

"$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/ticking.c" -o ticking
mkfifo input nothing

# Whatever the machine does: the clock has not ticked often when the input comes.
(while sleep 0.1; do printf x; done) 1<>input &
writer=$!
trap 'kill $writer; rm -rf "$scratch"' EXIT
explore 0 --schedules 10 -- ./ticking right input
explore 1 --schedules 10 -- ./ticking wrong input
says 'data race between'
explore 0 --schedules 300 --timeout 5 -- ./ticking nothing nothing

# ---- Spinning in code that is not seen -------------------------------------------------------

for way in spin-lock spin-box; do
    explore 0 --schedules 300 --timeout 1 -- ./users $way
    says 'suspected data race'
    token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
    "$raddle" replay --timeout 1 "$token" >out 2>&1 || fail "a replay:" "$(cat out)"
    is_silent_about 'do not meet as they did'
done
gcc -g -O0 -c "$code/plain.c" -o unoptimised.o
"$raddle" cc -g -O0 "$code/users.c" unoptimised.o -o unoptimised
explore 0 --schedules 300 --timeout 1 -- ./unoptimised spin-box
explore 0 --schedules 300 --timeout 1 -- ./unoptimised spin-lock
explore 1 --schedules 300 --timeout 1 --format json -- ./unoptimised spin-box-never
is class livelock
explore 1 --schedules 300 --timeout 1 --format json -- ./users spin-box-too-late
is class race
explore 1 --schedules 300 --timeout 1 --format json -- ./users spin-box-never
is class livelock
hash=$(value hash)
token=$(value token)
status=0
"$raddle" replay --timeout 2 --format json "$token" >out 2>&1 || status=$?
[ $status = 1 ] || fail "the replay ends with $status:" "$(cat out)"
is class livelock
is hash "$hash"
explore 1 --schedules 300 --timeout 1 -- ./users count
says 'Raddle does not see what is done there: if it waits for another thread'
