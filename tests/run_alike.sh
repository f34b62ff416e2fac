#!/usr/bin/env bash
# run_alike.sh -- executions of a test begin alike, in programs of all kinds: with static variables
# in libraries, in C++, with coverage, with sanitizers; whatever the compiler and the linker.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$SOURCE"/tests/alike/* .
export PKG_CONFIG_PATH=$BUILD/pkgconfig RADDLE_SEED=1 RADDLE_REGRESSIONS=none

fail() {
    echo "run_alike.sh: $*" >&2
    exit 1
}

static="-I$SOURCE/include -rdynamic $BUILD/lib/libraddle.a -lm -ldl -pthread"
shared=$(pkg-config --cflags --libs raddle)

passes() { "$@" >out 2>&1 || fail "$* fails ($made):" "$(cat out)"; }
fails() {
    ! "$@" >out 2>&1 || fail "$* passes ($made):" "$(cat out)"
    grep -q "$expected" out || fail "$* does not say $expected ($made):" "$(cat out)"
}

for compiler in gcc clang; do
    $compiler -shared -fPIC -O1 library.c -o liblibrary.so
    for made in '-O1' '-O2 -fdata-sections -Wl,--gc-sections' '-O1 -fno-pie -no-pie' \
        '-O1 -Wl,-z,now' '-O1 -fuse-ld=gold' '-O1 -fsanitize=undefined'; do
        for library in "$static" "$shared"; do
            $compiler -g $made program.c -L. -Wl,-rpath,"$scratch" -llibrary $library -o program
            passes ./program --cases 2000
            passes ./program --cases 2000 --no-fork
            passes ./program --cases 2000 --strategy random --jobs 2
            passes ./program --filter pages --cases 20000 --strategy random
        done
    done
    # With address sanitizers nothing may go wrong, whatever can be put back.
    $compiler -g -fsanitize=address program.c -L. -Wl,-rpath,"$scratch" -llibrary $static \
        -o program
    made=-fsanitize=address
    ./program --cases 500 >out 2>&1 || ! grep -q AddressSanitizer out ||
        fail "$compiler with a sanitizer:" "$(cat out)"
done

for compiler in g++ clang++; do
    for library in "$static" "$shared"; do
        made="$compiler $library"
        $compiler -g -O1 program.cpp $library -o program
        passes ./program --filter a_guard --cases 2000
        expected='rdl_check(published != nullptr)'
        for strategy in dfs dpor random portfolio; do
            for seed in 1 2 3; do
                fails ./program --filter wrong --strategy $strategy --seed $seed
            done
        done
    done
done

# What coverage has counted is not put back.
for compiler in gcc clang; do
    gcov=gcov
    [ $compiler = gcc ] || gcov="llvm-cov gcov"
    for library in "$static" "$shared"; do
        rm -f ./*.gcda ./*.gcov
        made=--coverage
        $compiler -g --coverage -c program.c -I"$SOURCE/include"
        $compiler --coverage program.o -L. -Wl,-rpath,"$scratch" -llibrary $library -o program
        passes ./program --cases 1000
        $gcov program.c >/dev/null 2>&1
        grep -q '^ *1000[*]*:.*in each case' program.c.gcov ||
            fail "$compiler: $(grep 'in each case' program.c.gcov)"
    done
done

# Things lie at the same places in each execution, each worker and each run.
for library in "$static" "$shared"; do
    made=where
    gcc -g -O1 -D_GNU_SOURCE where.c $library -o where
    rm -f log
    passes ./where --cases 300
    passes ./where --cases 300 --strategy random --jobs 2
    passes ./where --cases 100 --seed 7
    # Workers may share the log, and so lines; each has said the same of each thread.
    [ "$(sort -u log | wc -l)" = 2 ] ||
        fail "addresses differ:" "$(sort log | uniq -c | head -20)"
done

# If that is refused, it is said once.
gcc -O1 refuse.c -o refuse
if ./refuse true; then
    rm -f log
    ./refuse ./where --cases 100 >out 2>err ||
        fail "where fails if personality is refused:" "$(cat out err)"
    [ "$(grep -c 'addresses differ from run to run' err)" = 1 ] ||
        fail "it does not say that addresses differ:" "$(cat err)"
    ./refuse "$BUILD/bin/raddle" explore --schedules 5 -- /bin/true >out 2>err ||
        fail "raddle explore fails if personality is refused:" "$(cat out err)"
    [ "$(grep -c 'addresses differ from run to run' err)" = 1 ] ||
        fail "raddle explore does not say that addresses differ:" "$(cat out err)"
fi

# Executions of a program are processes, but share files; with the run that finds out what env
# starts, too.
gcc -g -O1 -pthread files.c -o files
for how in anew removes looks appends; do
    for starter in '' env; do
        rm -f left
        "$BUILD/bin/raddle" explore --schedules 20 --seed 1 -- $starter ./files $how >out 2>&1 ||
            fail "$starter files $how:" "$(cat out)"
        told=no
        ! tr -s ' \n' ' ' <out | grep -q 'do not begin alike: they look at left' || told=yes
        case $how-$told in
        anew-no | removes-no | looks-yes | appends-yes) ;;
        *) fail "$starter files $how: told: $told:" "$(cat out)" ;;
        esac
    done
done
