#!/usr/bin/env bash
# run_coverage.sh -- gcov counts what cases execute, in whatever process, and however that ends;
# with gcc and clang, the static library and the shared one.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$SOURCE/tests/coverage/counted.c" .
export PKG_CONFIG_PATH=$BUILD/pkgconfig
export RADDLE_SEED=1 RADDLE_REGRESSIONS=none

fail() {
    echo "run_coverage.sh: $*" >&2
    exit 1
}

# count LINE: how often the line with this remark was executed, by the last run.
count() { sed -n "s/^ *\([0-9#]*\)[*]\{0,1\}: *[0-9]*:.*\/\* $1 \*\/.*/\1/p" counted.c.gcov; }

# run ARGUMENT...: whatever comes of it; its counts are in counted.c.gcov.
run() {
    rm -f ./*.gcda counted.c.gcov
    ./counted "$@" >out 2>&1 </dev/null || true
    $gcov counted >/dev/null 2>&1 || fail "there are no counts of $*:" "$(ls; cat out)"
    [ -f counted.c.gcov ] || fail "there are no counts of $*:" "$(ls; cat out)"
}

static="-I$SOURCE/include -rdynamic $BUILD/lib/libraddle.a -lm -ldl -pthread"
for compiler in gcc clang; do
    gcov=gcov
    [ $compiler = gcc ] || gcov="llvm-cov gcov"
    for library in "$static" "$(pkg-config --cflags --libs raddle)"; do
        $compiler -g --coverage -c counted.c -I"$SOURCE/include"
        $compiler --coverage counted.o $library -o counted
        for how in '' --no-fork '--jobs 2'; do
            run --filter halves --cases 1000 $how
            [ "$(count 'in each case')" = 1000 ] ||
                fail "$compiler $how: $(count 'in each case') of 1000"
            [ "$(count never)" = '#####' ] || fail "$compiler $how: never: $(count never)"
        done
        for way in exit _exit 'a signal'; do
            case $way in
            exit) run --filter =exits ;;
            _exit) run --filter =exits_at_once ;;
            *) run --filter =crashes ;;
            esac
            [ "$(count "by $way")" != '#####' ] || fail "$compiler: nothing by $way:" "$(cat out)"
            [ "$(count 'in each case')" = '#####' ] || fail "$compiler: others count, too"
        done
    done
done
