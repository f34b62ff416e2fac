#!/usr/bin/env bash
# run_unseen.sh -- code that is not instrumented, in programs of which the rest is: its lost
# updates are found, by every strategy and from every seed; correct programs are not blamed.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/unseen
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_unseen.sh: $*" >&2
    exit 1
}

# explore STATUS STRATEGY SEED PROGRAM..., with $options.  The verdict counts, not how short the
# schedule of a failure is.
options=
explore() {
    local wanted=$1 strategy=$2 seed=$3 status=0
    shift 3
    timeout 100 "$raddle" explore --strategy "$strategy" --seed "$seed" --schedules 3000 \
        --shrink-time 0 --timeout 5 $options -- "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] ||
        fail "$RADDLE_CC: --strategy $strategy --seed $seed -- $*: status $status:" "$(cat out)"
}

# Is found by all strategies, from all seeds.
loses_an_update() {
    for strategy in dpor dfs portfolio; do
        explore 1 $strategy 1 "$@"
    done
    [ "$RADDLE_CC" = gcc ] || return 0
    for seed in 2 3 4 5; do
        explore 1 portfolio $seed "$@"
        explore 1 dpor $seed "$@"
    done
}

is_right() {
    for strategy in dpor portfolio; do
        explore 0 $strategy 1 "$@"
    done
}

gcc -g -O1 -c "$code/counter.c" -o counter.o
gcc -g -O1 -shared -fPIC "$code/counter.c" -o libcounter.so
mkdir own && cp libcounter.so own/libm.so.6
ar rcs libcounter.a counter.o

for RADDLE_CC in gcc clang; do
    export RADDLE_CC
    levels=(-O0 -O1 -O2 -O3 -Os '-O2 -fPIC') # gcc leaves the most to the filter
    [ "$RADDLE_CC" = gcc ] || [ -n "${RADDLE_SOAK:-}" ] || levels=(-O0 -O2)
    "$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/threads.c" counter.o -o threads
    "$raddle" cc -g -O2 "$code/threads.c" libcounter.a -o archived
    "$raddle" cc -g -O0 "$code/threads.c" ./libcounter.so -o shared
    "$raddle" cc -g -O0 "$code/threads.c" own/libm.so.6 -o called_like_another
    for way in direct pointer kept_out generated called_back applied loaded destructor start; do
        ./threads $way >out || [ $? = 1 ] ||
            fail "$RADDLE_CC: threads $way does not run by itself"
        loses_an_update ./threads $way
    done
    for way in direct pointer start; do
        explore 1 portfolio 1 ./archived $way
        explore 1 dpor 1 ./shared $way
    done
    explore 1 dpor 1 ./called_like_another direct
    is_right ./threads locked
    is_right ./threads apart
    is_right ./shared apart

    # Inline assembly: what is lost in it, and locks that are made of it.
    for level in -O0 -O2; do
        "$raddle" cc -g $level -Wall -Wextra -Werror "$code/assembly.c" -o assembly
        for way in lost_unlocked lost_in_two lost_in_one lost_by_looking_first lost_by_copying \
            lost_by_vectors; do
            loses_an_update ./assembly $way
        done
        for way in locked by_adding by_exchanging by_comparing by_a_bit by_a_loop by_turns; do
            ./assembly $way || fail "$RADDLE_CC: assembly $way does not run by itself"
            is_right ./assembly $way
        done
    done

    # Structs that are passed by value: gcc reports neither reading nor writing them.
    for level in "${levels[@]}"; do
        "$raddle" cc -g $level -Wall -Wextra -Werror "$code/structs.c" -o structs
        for way in pair point row page argument result number; do
            ./structs lost_$way >out || [ $? = 1 ] ||
                fail "$RADDLE_CC $level: structs lost_$way does not run by itself"
            explore 1 dpor 1 ./structs lost_$way
            options='--fail-on exit' explore 1 dpor 1 ./structs lost_$way
        done
        for counts in locked:2 reading:1; do
            options='--format json' explore 0 dpor 1 ./structs ${counts%:*}
            grep -q "\"complete\":true,\"schedules\":${counts#*:}," out ||
                fail "$RADDLE_CC $level: $counts distinguishable schedules, but:" "$(cat out)"
        done
        is_right ./structs neighbours
        "$raddle" cc -g $level -Wall -Wextra -Werror "$code/locals.c" -o locals
        for way in argument result pointer; do
            options='--fail-on exit' explore 1 dpor 1 ./locals $way
        done
    done

    # Builtin functions: compilers do not report what they do to memory.
    for level in -O0 -O2 -Os; do
        "$raddle" cc -g $level -Wall -Wextra -Werror "$code/builtins.c" -o builtins
        for way in $(./builtins); do
            [ $way = locked ] || explore 1 dpor 1 ./builtins $way
        done
        options='--format json' explore 0 dpor 1 ./builtins locked
        grep -q '"complete":true,"schedules":2,' out ||
            fail "$RADDLE_CC $level: two distinguishable schedules, but:" "$(cat out)"
    done

    # Functions with atomic operations only are seen as well.
    "$raddle" cc -g -O1 -Wall -Wextra -Werror "$code/atomics.c" -o atomics
    options='--format json' explore 0 dpor 1 ./atomics
    grep -q '"complete":true,' out || fail "$RADDLE_CC: atomics are not seen:" "$(cat out)"

    for flags in -O0 -O2 '-O2 -fPIC' '-O2 -fno-pie -no-pie' '-O2 -fno-omit-frame-pointer'; do
        "$raddle" cc -g $flags -Wall -Wextra -Werror "$code/registers.c" -o registers
        ./registers || fail "$RADDLE_CC $flags: registers change when nothing is explored"
        "$raddle" explore --strategy random --schedules 100 --seed 1 -- ./registers >out 2>&1 ||
            fail "$RADDLE_CC $flags: registers change:" "$(cat out)"
        grep -q '100 different schedules' out ||
            fail "$RADDLE_CC $flags: assembly is not hooked:" "$(cat out)"
    done

    "$raddle" cc -g -O1 -I"$SOURCE/include" "$code/explored.c" counter.o -o explored
    for strategy in dpor dfs portfolio; do
        ! ./explored --regressions none --seed 1 --strategy $strategy >out 2>&1 ||
            fail "$RADDLE_CC: $strategy does not find what is lost:" "$(cat out)"
    done

    # A function that nobody compared ends the claim, also if Raddle is a part of the program.
    "$raddle" cc -g -O1 -I"$SOURCE/include" -c "$code/by_pointer.c" -o by_pointer.o
    for library in "$BUILD/lib/libraddle.a" "-L$BUILD/lib -Wl,-rpath,$BUILD/lib -lraddle"; do
        gcc by_pointer.o $library -lm -ldl -pthread -o by_pointer
        ./by_pointer --seed 1 --strategy dpor >out 2>&1 || fail "by_pointer:" "$(cat out)"
        tr -s ' \n' ' ' <out | grep -q 'not know all that `sched_getscheduler`' ||
            fail "$RADDLE_CC: a call through a pointer is complete with $library:" "$(cat out)"
    done
done

g++ -g -O1 -c "$code/plain.cpp" -o plain.o
for RADDLE_CC in g++ clang++; do
    export RADDLE_CC
    for flags in -O0 '-O2 -ffunction-sections -Wl,--gc-sections'; do
        "$raddle" cc -g $flags "$code/objects.cpp" plain.o -o objects
        for way in virtual thrown; do
            ./objects $way >out || [ $? = 1 ] ||
                fail "$RADDLE_CC $flags: objects $way does not run by itself"
            loses_an_update ./objects $way
        done
    done
done

# Where no struct is passed by value, gcc reports everything, and nothing is reported twice.
for program in "$SOURCE"/tests/zoo/*.c; do
    [ "${program##*/}" != servers.c ] || continue # which passes endpoints
    RADDLE_CC=gcc "$raddle" cc -O2 -I"$SOURCE/include" -c "$program" -o program.o
    ! nm program.o | grep -q rdl__before_access ||
        fail "$program: an access that gcc reports is reported again"
done

# Where all is seen, coverage is complete.
RADDLE_CC=gcc "$raddle" cc -g -O2 "$code/assembly.c" -o assembly
for counts in locked:2 by_exchanging:8 by_comparing:8 by_a_bit:8; do
    "$raddle" explore --strategy dpor --format json -- ./assembly ${counts%:*} >out 2>&1
    grep -q "\"complete\":true,\"schedules\":${counts#*:}," out ||
        fail "$counts distinguishable schedules, but:" "$(cat out)"
done

# Constructors and destructors of libraries that threads load: those that are not seen, and those
# that touch what others may touch, end the claim.
export RADDLE_CC=gcc
"$raddle" cc -g -O1 -rdynamic "$code/loads.c" -o loads
for with in gcc:1:false gcc:3:false clang:3:false gcc:4:false 'raddle cc':1:false \
    'raddle cc':2:true gcc:0:true clang:0:true; do
    IFS=: read -r compiler what complete <<<"$with"
    [ "$compiler" != 'raddle cc' ] || compiler="$raddle cc"
    $compiler -g -O2 -shared -fPIC -DWITH=$what "$code/loads.c" -o libloaded.so
    for way in open close; do
        [ $what != 2 ] || [ $way = open ] || continue # others may still use the library
        options='--format json' explore 0 dpor 1 ./loads $way
        # That dlopen is not known in all it does ends the claim anyway.
        nothing_else='"unseen":\[\],"unknown":\[{"name":"dl[a-z]*",[^]]*\],.*"bounds":\[\]'
        found=true
        grep -q "$nothing_else" out || found=false
        [ $found = $complete ] || fail "$with, $way: not $complete:" "$(cat out)"
    done
done
