#!/usr/bin/env bash
# run_state.sh -- state of the C library and the kernel: of two programs each, the wrong one
# fails by every strategy, and the right one passes, as a plain program and by raddle cc.
# The right one is explored by two strategies, and by all of them in a soak.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch # for the folders of executions that fail, which stay
failures=0

complain() {
    echo "run_state.sh: $*" >&2
    failures=$((failures + 1))
}

cc -w -g -O1 -D_GNU_SOURCE -pthread "$SOURCE"/tests/state/*.c -o "$scratch/plain"
"$raddle" cc -w -g -O1 -D_GNU_SOURCE "$SOURCE"/tests/state/*.c -o "$scratch/instrumented"
cd "$scratch"

# explore BUILD STRATEGY CASE KIND SCHEDULES: its exit status, report in out.
explore() {
    local output=
    [ "$3" != stdout ] || output=--same-output
    status=0
    timeout 100 "$raddle" explore --seed 1 --schedules "$5" --fail-fast --shrink-time 0 \
        --timeout 5 --strategy "$2" $output -- "./$1" "$3" "$4" >out 2>&1 </dev/null || status=$?
}

strategies=${STRATEGIES:-dfs dpor random pos portfolio}
passing=${STRATEGIES:-dpor portfolio}
[ -z "${RADDLE_SOAK:-}" ] || passing=$strategies
for build in plain instrumented; do
    while read -r name kind; do
        [ "$build" = instrumented ] || [ "$kind" = plain ] || continue
        [ -z "${ONLY:-}" ] || [ "$name" = "$ONLY" ] || continue
        for strategy in $strategies; do
            case $build-$strategy-$name in # it begins with the last accesses, and these have many
            instrumented-dfs-flock | instrumented-dfs-flock-* | instrumented-dfs-ofd) continue ;;
            esac
            explore "$build" "$strategy" "$name" wrong 3000
            [ "$status" = 1 ] ||
                complain "$build $name, wrong, by $strategy: $status:" "$(head -3 out)"
        done
        for strategy in $passing; do
            explore "$build" "$strategy" "$name" right 60
            [ "$status" = 0 ] ||
                complain "$build $name, right, by $strategy: $status:" "$(head -20 out)"
        done
        [ -z "${VERBOSE:-}" ] || echo "$build $name: $(head -1 out)"
    done < <(./plain)
done

# ---- Random numbers ---------------------------------------------------------------------------

explore instrumented dpor getrandom right 60
tr -s ' \n' ' ' <out | grep -q "do not begin alike: they draw random numbers with .getrandom" ||
    complain "getrandom:" "$(head -20 out)"

# ---- When others have ended, and are not joined ------------------------------------------------

"$raddle" cc -w -g -O1 "$SOURCE/tests/state/late/late.c" -o late
explore late dpor - - 3000
[ "$status" = 1 ] || complain "late: $status:" "$(head -3 out)"

# ---- Objects of C++'s library ----------------------------------------------------------------

export RADDLE_CC=g++
for level in -O0 -O2; do
    "$raddle" cc -w -g $level "$SOURCE/tests/state/cxx/objects.cpp" -o objects
    for name in string letters map list node set stream buffer; do
        [ -z "${ONLY:-}" ] || [ "$name" = "$ONLY" ] || continue
        explore objects dpor "$name" shared 300
        [ "$status" = 1 ] || complain "objects $level $name, shared: $status:" "$(head -3 out)"
        for how in locked own; do
            explore objects dpor "$name" $how 300
            [ "$status" = 0 ] || complain "objects $level $name, $how: $status:" "$(head -20 out)"
            [ -z "${VERBOSE:-}" ] || echo "objects $level $name $how: $(head -4 out)"
        done
    done
    explore objects dpor cout shared 300
    [ "$status" = 0 ] || complain "objects $level cout: $status:" "$(head -20 out)"
done
[ "$failures" = 0 ]
