#!/usr/bin/env bash
# run_memory.sh -- memory errors of programs that raddle cc compiled: each is reported with its
# places, in one run with a race that nobody minds; its token replays it; correct programs, with
# blocks of all makes, are not blamed; a program with an allocator of its own keeps that.
# ctest: long
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/memory
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$code"/* .

fail() {
    echo "run_memory.sh: $*" >&2
    exit 1
}

# explore STATUS WORDS COMMAND...: that is its exit status, and the words are in its report.
explore() {
    local wanted=$1 words=$2 status=0
    shift 2
    timeout 100 "$raddle" explore --seed 1 --schedules 300 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$RADDLE_CC: explore $*: status $status:" "$(cat out)"
    grep -q "$words" out || fail "$RADDLE_CC: explore $*: does not say $words:" "$(cat out)"
}

# line FILE WORDS: the number of the line that says so.
line() {
    grep -n -- "$2" "$1" | head -1 | cut -d: -f1
}

# finds NUMBER WORDS: that program fails by this, in one line with the block that main allocated.
finds() {
    explore 1 "$2" --fail-on memory -- ./wrong "$1"
    grep -q "main allocated it at wrong.c:$(line wrong.c "${3:-malloc(24)}")" out ||
        fail "$RADDLE_CC: wrong $1: says not where the block is from:" "$(cat out)"
}

token_in() {
    grep -o 'rdl1[^ ]*' "$1" | head -1
}

for compiler in gcc clang; do
    export RADDLE_CC=$compiler
    "$raddle" cc -w -g -O1 -o wrong wrong.c
    "$raddle" cc -w -g -O1 -o right right.c
    ./right >/dev/null || fail "$compiler: right does not run by itself"

    # ---- One thread ------------------------------------------------------------------------
    finds 1 'heap overflow: main writes 1 byte at wrong.c:[0-9]*, 1 byte after the end of a block'
    finds 2 'heap underflow: main writes 1 byte at wrong.c:[0-9]*, 1 byte before a block of 24'
    finds 3 'overflow: main writes 25 bytes at wrong.c:[0-9]*, the last of them after the end'
    finds 4 'double free: main frees at wrong.c:[0-9]* a block of 24 bytes'
    finds 5 'invalid free: main frees at wrong.c:[0-9]* what is 8 bytes behind the start of a block'
    explore 1 'invalid free: main frees at wrong.c:[0-9]* a variable on a stack' -- ./wrong 6
    explore 1 'invalid free: main frees at wrong.c:[0-9]* a static variable' -- ./wrong 7
    finds 8 'overflow: main writes 31 bytes at wrong.c:[0-9]*, the last 7 of them after the end'
    finds 9 'overflow: main writes 25 bytes at wrong.c:[0-9]*, the last of them after the end'
    finds 10 'use after free: main writes 1 byte at wrong.c:[0-9]* of a block of 24 bytes'
    finds 11 'overflow: main reads 1 byte at wrong.c:[0-9]*, 1 byte after .* of 6 bytes' strdup
    finds 12 'overflow: main writes 1 byte at wrong.c:[0-9]*, 1 byte after .* 100 bytes' '_alloc(64'
    finds 13 'underflow: main writes 1 byte at wrong.c:[0-9]*, 1 byte before .* of 100' '_alloc(64'
    finds 14 '1 byte after the end of a block of 0 bytes' 'malloc(0)'
    finds 15 'use after free: main reads 1 byte at wrong.c'
    explore 0 "Memory errors were met that do not count" --fail-on race,crash -- ./wrong 15

    # ---- Two threads, with a lock in between; and a race besides ------------------------------
    explore 1 "use after free: thread 1 reads 1 byte at wrong.c:$(line wrong.c here) of a block" \
        --schedules 1000 -- ./wrong
    allocated=$(line wrong.c 'shared = calloc') freed=$(line wrong.c 'free(shared)')
    grep -q "main allocated it at wrong.c:$allocated, main freed it at wrong.c:$freed" out ||
        fail "$compiler: says not who freed it:" "$(cat out)"
    grep -q 'Failure 2 of 2' out || fail "$compiler: hides the race:" "$(cat out)"
    grep -q 'data race between main and thread 1 on counter' out || fail "$compiler:" "$(cat out)"
    token=$(token_in out)
    grep 'use after free' out | tail -1 >seen
    for again in 1 2; do
        ! "$raddle" replay "$token" >replayed 2>&1 || fail "$compiler: does not replay"
        grep -qF "$(cat seen)" replayed || fail "$compiler: replays:" "$(cat replayed)"
    done

    # ---- Nothing is wrong ----------------------------------------------------------------------
    explore 0 ok -- ./right
    explore 0 ok --jobs 2 --schedules 50 --strategy random -- ./right
done

# ---- C++ ----------------------------------------------------------------------------------------
for compiler in g++ clang++; do
    export RADDLE_CC=$compiler
    "$raddle" cc -w -g -O1 -std=c++17 -o objects objects.cpp
    explore 0 ok --schedules 50 -- ./objects
    explore 1 'overflow: main writes 4 bytes at objects.cpp:[0-9]*, 1 byte after .* of 12 bytes' \
        -- ./objects 1
    grep -q "main allocated it at objects.cpp:$(line objects.cpp 'new int')" out ||
        fail "$compiler:" "$(cat out)"
    explore 1 'use after free: main writes 4 bytes at objects.cpp' -- ./objects 2
    explore 1 'double free: main frees at objects.cpp' -- ./objects 3
    explore 1 'use after free: main writes 4 bytes at objects.cpp:[0-9]* of .* 12 b' -- ./objects 4
    explore 1 '1 byte after the end of a block of 128 bytes' -- ./objects 5
    explore 1 'use after free: main writes 4 bytes at objects.cpp' -- ./objects 6
done
RADDLE_CC=g++ "$raddle" cc -w -g -O1 -std=c++17 -o pool pool.cpp
export RADDLE_CC=gcc
explore 0 ok --schedules 50 -- ./pool

# ---- Tests --------------------------------------------------------------------------------------
export PKG_CONFIG_PATH=$BUILD/pkgconfig
# shellcheck disable=SC2046
"$raddle" cc -g -O1 -o test test.c $(pkg-config --cflags --libs raddle)
status=0
./test --seed 1 >out 2>&1 || status=$?
[ $status = 1 ] || fail "the test passes:" "$(cat out)"
grep -q "use after free: user writes 1 byte at test.c:$(line test.c here) of a block of 30" out ||
    fail "$(cat out)"
grep -q 'main allocated it at test.c:[0-9]*, main freed it at test.c' out || fail "$(cat out)"
grep -q '1 passed, 1 failed' out || fail "$(cat out)"
./test --seed 1 --filter freed_when --strategy dfs >out 2>&1 || fail "$(cat out)"
grep -q 'the only schedule' out || fail "$(cat out)"

# ---- An allocator of the program's own: nothing is known of its blocks ---------------------------
cat >own.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <string.h>
static _Alignas(16) char arena[1 << 28];
static size_t used;
void *malloc(size_t size) { void *block = arena + used; used += (size + 31) & ~15ul; return block; }
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
void *realloc(void *block, size_t size)
{
    void *other = malloc(size);
    return block ? memmove(other, block, size) : other;
}
int main(void)
{
    char *volatile block = malloc(10);
    free(block);
    block[3] = 1;
    block[12] = 1;
    free(block);
    free(block + 1);
    return 0;
}
END
"$raddle" cc -w -g -O1 -fno-builtin -o own own.c
explore 0 alone -- ./own
