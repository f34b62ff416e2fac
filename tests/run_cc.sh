#!/usr/bin/env bash
# run_cc.sh -- raddle cc, with gcc and with clang: all that they call is there; programs
# are linked without the sanitizer's library, run by themselves, and have their races
# found; correct ones have none.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/cc
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_cc.sh: $*" >&2
    exit 1
}

# explore STATUS WORD PROGRAM...: that is its exit status, and the word is in its report.
explore() {
    local wanted=$1 word=$2 status=0 format=human
    shift 2
    [ "$1" != --format ] || { format=$2 && shift 2; }
    timeout 100 "$raddle" explore --seed 1 --schedules 100 --timeout 5 --format $format -- "$@" \
        >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$RADDLE_CC: explore $*: status $status:" "$(cat out)"
    grep -q "$word" out || fail "$RADDLE_CC: explore $*: does not say $word:" "$(cat out)"
}

finds_the_race() {
    "$1" locked || fail "$RADDLE_CC: $1 does not run by itself"
    ! ldd "$1" | grep -q libtsan || fail "$RADDLE_CC: $1 needs libtsan"
    explore 1 'data race' "$1"
    explore 0 ok "$1" locked
}

# ---- All they call is there ------------------------------------------------------------------

nm -D --defined-only "$BUILD/lib/libraddle.so" | awk '{ print $3 }' | sort >exported
compiled=0
all_is_there() { # COMMAND FILE
    $1 -w -c -o kinds.o "$2" || fail "$1 does not compile $2"
    compiled=$((compiled + 1))
    nm -u kinds.o | awk '/__tsan|__wrap|Annotate/ { print $2 }' | sort >called
    [ "$(wc -l <called)" -ge 5 ] || fail "$1 $2 calls only" $(cat called)
    missing=$(comm -23 called exported)
    [ -z "$missing" ] || fail "$1 calls what we do not have:" $missing
}

for level in -O0 -O1 -O2 -O3; do
    for more in "" "--param tsan-distinguish-volatile=1" "-mcx16 -DWITH_128"; do
        all_is_there "gcc -fsanitize=thread $level $more" "$code/kinds.c"
    done
    for more in "" "-mllvm -tsan-distinguish-volatile=1" \
        "-mllvm -tsan-compound-read-before-write=1" \
        "-mllvm -tsan-instrument-read-before-write=1" "-mcx16 -DWITH_128"; do
        all_is_there "clang -fsanitize=thread $level $more" "$code/kinds.c"
    done
    all_is_there "g++ -fsanitize=thread $level" "$code/classes.cpp"
    all_is_there "clang++ -fsanitize=thread $level" "$code/classes.cpp"
done
for name in memcpy memmove memset read_write1 unaligned_read16 volatile_write8; do
    grep -q "^__tsan_$name\$" exported || fail "there is no __tsan_$name"
done

# ---- Every way to compile ------------------------------------------------------------------------

for RADDLE_CC in gcc clang; do
    export RADDLE_CC
    "$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/counter.c" "$code/count.c" -o one
    finds_the_race ./one

    # A race that is no failure does not keep others from being found.
    ! "$raddle" explore --seed 1 --fail-on exit -- ./one >out 2>&1 &&
        grep -q 'exited with status 1' out ||
        fail "$RADDLE_CC: a lost count is not found where races are none:" "$(cat out)"

    "$raddle" cc -g -c "$code/counter.c" -o counter.o
    "$raddle" cc -g -O2 -c "$code/count.c" -o count.o
    "$raddle" cc counter.o count.o -o two
    finds_the_race ./two

    "$raddle" cc -g -shared -fPIC "$code/count.c" -o libcount.so
    "$raddle" cc -g "$code/counter.c" -L. -lcount -Wl,-rpath,"$scratch" -o three
    finds_the_race ./three
    $RADDLE_CC -g -pthread "$code/loader.c" -o loader
    finds_the_race ./loader

    # As build systems do: the same flags for all.
    $RADDLE_CC $("$raddle" cc --cflags) -g -c "$code/counter.c" -o counter.o
    $RADDLE_CC $("$raddle" cc --cflags) -g -c "$code/count.c" -o count.o
    $RADDLE_CC $("$raddle" cc --cflags) counter.o count.o -o four $("$raddle" cc --libs)
    finds_the_race ./four
    $RADDLE_CC -g "$code/counter.c" "$code/count.c" $("$raddle" cc --flags) -o five
    finds_the_race ./five
    "$raddle" cc -g -O2 -flto "$code/counter.c" "$code/count.c" -o optimised
    finds_the_race ./optimised
    $RADDLE_CC -flto $("$raddle" cc --flags) -g "$code/counter.c" "$code/count.c" \
        $("$raddle" cc --libs) -o optimised
    finds_the_race ./optimised

    # Counts known by theory: of two threads with n steps each there are (2n)!/n!^2 orders,
    # none of which can be told from another if they have nothing to do with each other.
    "$raddle" cc -g -O1 "$code/steps.c" -o steps
    steps=0
    for orders in 2 6 20 70 252; do
        steps=$((steps + 1))
        for counts in dfs:$orders dpor:1; do
            "$raddle" explore --strategy ${counts%:*} --format json -- ./steps $steps >out 2>&1 ||
                fail "$RADDLE_CC: $steps steps:" "$(cat out)"
            grep -q "\"schedules\":${counts#*:},.*\"exhausted\":true" out ||
                fail "$RADDLE_CC: $counts, but of $steps steps:" "$(cat out)"
        done
    done

    # What the C library does on behalf of its callers.
    "$raddle" cc -g -O1 "$code/calls.c" -o calls
    for way in print zero read; do
        explore 1 'data race' ./calls $way
        explore 0 ok ./calls $way locked
    done

    # What another thread has to do with a stack shows only when it is there.
    "$raddle" cc -g -O1 "$code/stacks.c" -o stacks
    finds_the_race ./stacks
    explore 1 '"race"' --format json ./stacks
    token=$(jq -r '.failures[] | select(.kind == "race").token' out) # it may come second
    ! "$raddle" replay "$token" >out 2>&1 || fail "$RADDLE_CC: the replay passes"
    grep -q 'data race' out || fail "$RADDLE_CC: the replay finds something else:" "$(cat out)"

    ! "$raddle" explore --strategy dpor -- ./stacks ended >out 2>&1 && grep -q 'data race' out ||
        fail "$RADDLE_CC: a race on the stack of a thread that has ended:" "$(cat out)"

    # More of a block is freed than was asked for.
    "$raddle" cc -g -O1 -I"$SOURCE/include" "$code/reused.c" -L"$BUILD/lib" \
        -Wl,-rpath,"$BUILD/lib" -lraddle -o reused
    ./reused --regressions none --seed 1 >out 2>&1 ||
        fail "$RADDLE_CC: a block that is reused is a race:" "$(cat out)"

    [ "$("$raddle" cc -E -P -x c - <<<'__SANITIZE_THREAD__ here')" != "" ] ||
        fail "$RADDLE_CC: it does not preprocess"
    "$raddle" cc --version >/dev/null || fail "$RADDLE_CC: it does not tell its version"
    ! "$raddle" cc -static "$code/counter.c" "$code/count.c" -o six 2>error ||
        fail "$RADDLE_CC: it links statically"
    grep -q 'leave out -static' error || fail "no reason is given:" "$(cat error)"
done

export RADDLE_CC=gcc
"$raddle" cc -g -save-temps -c "$code/count.c" -o count.o
nm -u count.o | grep -q __tsan_write4 || fail "-save-temps: it is not instrumented"

# Where gcc would not instrument, that is said.
gcc -E "$code/count.c" -o count.i
for option in -save-temps -no-integrated-cpp count.i; do
    ! "$raddle" cc "$code/counter.c" "$code/count.c" $option -o seven 2>error ||
        fail "it compiles and links with $option"
    grep -qF -- "with $option, gcc does not instrument" error || fail "$option:" "$(cat error)"
done
! "$raddle" cc -mcmodel=large -c "$code/count.c" -o count.o 2>error || fail "the model is large"
grep -q 'leave out -mcmodel=large' error || fail "no reason is given:" "$(cat error)"

# A plain variable that a loop waits for is read in every round, however it is optimised;
# clang moves it out of the loop, except at -O0.
for level in -O0 -O1 -O2 -O3; do
    "$raddle" cc -g $level "$code/counter.c" "$code/count.c" -o one
    explore 1 'data race' ./one wait
done
RADDLE_CC=clang "$raddle" cc -w -g -O0 "$code/counter.c" "$code/count.c" -o one
explore 1 'data race' ./one wait

for RADDLE_CC in g++ clang++; do
    export RADDLE_CC
    "$raddle" cc -g -O1 "$code/classes.cpp" -o classes
    ./classes || fail "$RADDLE_CC: the program does not run by itself"
    explore 0 ok ./classes
done
echo "$compiled compilations need nothing that is not there"
