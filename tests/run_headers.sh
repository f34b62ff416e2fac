#!/usr/bin/env bash
# run_headers.sh -- the public headers with any compiler and language that they are for, each alone
# and with what people write with them, without a warning.
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# check SOURCE COMMAND...: it compiles, without warnings.
check() {
    local source=$1
    shift
    "$1" -Wall -Wextra -Wconversion -Wundef -Werror "${@:2}" -I"$SOURCE/include" -fsyntax-only \
        "$source" >"$scratch/out" 2>&1 && return
    echo "run_headers.sh: $* ${source#"$SOURCE"/}:" "$(grep -m 3 -E 'error|warning' "$scratch/out")"
    status=1
}

# Which are for C only, as raddle/base.h says, and say so themselves.
is_for_c() { grep -q 'is for C: include it in a C file' "$SOURCE/include/$1"; }

for header in $(cd "$SOURCE/include" && ls raddle.h raddle/*.h); do
    printf '#include <%s>\nint rdl_test_nothing;\n' "$header" >"$scratch/alone.c"
    cp "$scratch/alone.c" "$scratch/alone.cc"
    for compiler in gcc clang; do
        for standard in c11 c17 c2x gnu11 gnu17 gnu2x; do
            check "$scratch/alone.c" $compiler -std=$standard -Wpedantic -Wsign-conversion \
                -Wshadow -Wstrict-prototypes
        done
    done
    for standard in c++17 c++20; do
        for compiler in g++ clang++; do
            is_for_c "$header" || check "$scratch/alone.cc" $compiler -std=$standard -Wpedantic
        done
    done
    if is_for_c "$header" &&
        g++ -I"$SOURCE/include" -fsyntax-only "$scratch/alone.cc" 2>/dev/null; then
        echo "run_headers.sh: $header is for C, but C++ takes it"
        status=1
    fi
done

# What people write: the examples and the tests of specs have each macro.
for source in "$SOURCE"/examples/*.c "$SOURCE"/tests/specs/*.c "$SOURCE"/tests/specs/mock/mock.c; do
    check "$source" gcc -std=c11 -D_GNU_SOURCE -Wno-conversion
    check "$source" gcc -std=gnu2x -D_GNU_SOURCE -Wno-conversion
    check "$source" clang -std=gnu17 -D_GNU_SOURCE -Wno-conversion
done

# And in C++, where it runs as well.
for compiler in g++ clang++; do
    for standard in c++17 c++20; do
        check "$SOURCE/tests/headers/usage.cc" $compiler -std=$standard
    done
done
g++ -std=c++20 -g -I"$SOURCE/include" "$SOURCE/tests/headers/usage.cc" -rdynamic \
    "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o "$scratch/usage"
cd "$scratch"
./usage --seed 1 --regressions none --filter -fails >out || { cat out; exit 1; }
grep -q '^4 passed, 0 failed' out || { cat out; exit 1; }
! ./usage --seed 1 --regressions none --filter fails >out || { cat out; exit 1; }
grep -q 'left:  100' out && grep -q 'right: 99' out || { cat out; exit 1; }
exit $status
