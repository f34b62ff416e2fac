#!/usr/bin/env bash
# run_zoo.sh -- the programs of tests/zoo/threads: each bug is found for what it is, and its
# token replays it; nobody blames the correct twins.
#
# Compiled by `raddle cc`, with -O1 as users would.  Where a bug needs no more than switches
# at calls that synchronise, it is found in the ordinary program as well.
# ctest: long
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

zoo=$SOURCE/tests/zoo/threads
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# clang 14 does not tell of accesses to some local variables that others know of: it
# takes a field's address for another thing than the variable's.
export raddle=$BUILD/bin/raddle zoo CC RADDLE_CC=gcc
export seed=1 within=10000 twin_schedules=300
if [ -n "${RADDLE_SOAK:-}" ]; then
    seed=${RADDLE_SOAK_SEED:-1} twin_schedules=20000
fi

fail() {
    echo "run_zoo.sh: $*" >&2
    exit 1
}

# The word after `expect:` or `needs:` in a program's opening comment.
header() { sed -n "s/^ *$2: *\\(.*[a-z]\\).*/\\1/p" "$zoo/$1.c" | head -n 1; }

# A field of the report in a file.
field() { jq -r ".$2" "$1"; }

compile() {
    local flags="-std=gnu17 -g -O1 -pthread"

    "$raddle" cc $flags "$zoo/$1.c" -o "$1"
    "$raddle" cc $flags -DFIXED "$zoo/$1.c" -o "$1.fixed"
    [ "$(header "$1" needs)" != sync ] || $CC $flags "$zoo/$1.c" -o "$1.plain"
}

# explore PROGRAM STATUS OPTION...: run it, expect the status; its report is in PROGRAM.report.
explore() {
    local program=$1 wanted=$2 status=0
    shift 2
    "$raddle" "$@" --format json -- "./$program" >"$program.report" 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] ||
        fail "$program: status $status, not $wanted:" "$(cat "$program.report")"
}

# finds PROGRAM CLASSES: one of these is what it is found to do, and it does again whatever it is
# found to do: races are reported beside their consequences.
finds() {
    local program=$1 class hash kind token

    explore "$program" 1 explore --seed $seed --schedules $within
    class=$(field "$program.report" class)
    hash=$(field "$program.report" hash)
    [[ "|$2|" == *"|$class|"* ]] || fail "$program: $class, but expect $2"
    cp "$program.report" "$program.found"
    while read -r kind token; do
        explore "$program" 1 replay "$token"
        [ "$(field "$program.report" kind)" = "$kind" ] ||
            fail "$program: the replay of $token is no $kind:" "$(cat "$program.report")"
        [ -z "$hash" ] || [ "$(field "$program.report" hash)" = "$hash" ] ||
            fail "$program: the replay of $token is another execution"
        hash= # the report's is that of the first
    done < <(jq -r '.failures[] | .kind + " " + .token' "$program.found")
}

check() {
    local classes

    compile "$1"
    classes=$(header "$1" expect | tr -d ' ')
    [ -n "$classes" ] || fail "$1.c does not say what to expect"
    finds "$1" "$classes"
    [ ! -e "$1.plain" ] || finds "$1.plain" "$classes"
    explore "$1.fixed" 0 explore --seed $seed --schedules $twin_schedules
}

export -f fail header field compile explore finds check
ls "$zoo" | sed -n 's/\.c$//p' | xargs -P 2 -I{} bash -euc 'check {}' ||
    fail "see above"
echo "$(ls "$zoo"/*.c | wc -l) programs"
