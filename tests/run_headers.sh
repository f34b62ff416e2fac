#!/usr/bin/env bash
# run_headers.sh -- the public headers with any compiler and language that they are for, each alone
# and with what people write with them, without a warning.
# ctest: long
set -eu

[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
# The oldest and the newest standard, and the usual one; in a soak, those between them as well.
standards="c11 gnu17 c2x"
[ -z "${RADDLE_SOAK:-}" ] || standards="c11 c17 c2x gnu11 gnu17 gnu2x"

# check SOURCE COMMAND...: it compiles, without warnings.
check() {
    local source=$1
    shift
    "$1" -Wall -Wextra -Wconversion -Wundef -Werror "${@:2}" -I"$SOURCE/include" -fsyntax-only \
        "$source" >"$scratch/out" 2>&1 && return
    echo "run_headers.sh: $* ${source#"$SOURCE"/}:" "$(grep -m 3 -E 'error|warning' "$scratch/out")"
    status=1
}

for header in $(cd "$SOURCE/include" && ls raddle.h raddle/*.h); do
    printf '#include <%s>\nint rdl_test_nothing;\n' "$header" >"$scratch/alone.c"
    cp "$scratch/alone.c" "$scratch/alone.cc"
    for compiler in gcc clang; do
        for standard in $standards; do
            check "$scratch/alone.c" $compiler -std=$standard -Wpedantic -Wsign-conversion \
                -Wshadow -Wstrict-prototypes -DRDL__LOOK_CLOSELY
        done
    done
    for standard in c++17 c++20; do
        for compiler in g++ clang++; do
            check "$scratch/alone.cc" $compiler -std=$standard -Wpedantic -DRDL__LOOK_CLOSELY
        done
    done
done

# What people write: the examples and the tests of specs have each macro.  Many projects are built
# with -Wpedantic, and should be able to have tests.
for source in "$SOURCE"/examples/*.c "$SOURCE"/tests/specs/*.c "$SOURCE"/tests/specs/mock/mock.c; do
    for command in "gcc -std=c11" "gcc -std=gnu2x" "clang -std=gnu17" "clang -std=c2x"; do
        check "$source" $command -Wpedantic -D_GNU_SOURCE -Wno-conversion
    done
done

# What is forgotten is told all the same: a function of a spec that no operation has.
cat >"$scratch/forgotten.c" <<EOF
#include <raddle.h>
struct state {
    int n;
};
RDL_TYPES(spec, struct state, void);
RDL_EXTERN_OP(spec, op, struct rdl_nothing);
RDL_CPRE(spec, op, s->n > 0);
EOF
for compiler in gcc clang; do
    $compiler -std=gnu17 -Wall -Wpedantic -I"$SOURCE/include" -c -o "$scratch/o" \
        "$scratch/forgotten.c" 2>"$scratch/out" || status=1
    grep -q 'spec_op_cpre.*-Wunused-function' "$scratch/out" || {
        echo "run_headers.sh: $compiler does not tell of a function that nobody uses"
        status=1
    }
done

# And in C++, where it runs as well: all tests pass but those that are to fail, which do, and read
# as in C.
for name in usage mocks specs types; do
    for compiler in g++ clang++; do
        for standard in c++17 c++20; do
            check "$SOURCE/tests/headers/$name.cc" $compiler -std=$standard -Wpedantic
        done
    done
done
cd "$scratch"

# What cannot be copied byte by byte is refused, with the reason.
for what in 'RDL_EVENT(e, std::string);' 'RDL_SLOT(std::string, s);' \
    'RDL_TYPES(s, std::string, int);' 'struct state { rdl_vec(std::string, 3) names; };'; do
    printf '#include <raddle.h>\n#include <string>\n%s\n' "$what" >refused.cc
    for compiler in g++ clang++; do
        ! $compiler -std=c++17 -I"$SOURCE/include" -fsyntax-only refused.cc 2>out &&
            grep -q 'it has to be trivially copyable' out && continue
        echo "run_headers.sh: $compiler takes $what"
        status=1
    done
done

# runs NAME TESTS COMMAND...: so many tests pass, and the others fail; how is in out.NAME.
runs() {
    local name=$1 passing=$2
    shift 2
    "$@" -g -I"$SOURCE/include" "$SOURCE/tests/headers/$name.cc" -rdynamic \
        "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o "$name"
    "./$name" --seed 1 --regressions none --filter -fails >"out.$name" 2>&1 &&
        grep -q "^$passing passed, 0 failed" "out.$name" &&
        ! "./$name" --seed 1 --regressions none --filter fails >"out.$name" 2>&1 &&
        grep -q '^0 passed, [12] failed' "out.$name" && return
    echo "run_headers.sh: $name.cc with $*:"
    cat "out.$name"
    status=1
}

for command in "g++ -std=c++17 -O0" "g++ -std=c++20 -O2" "clang++ -std=c++17 -O1" \
    "clang++ -std=c++20 -O0"; do
    runs usage "$([[ $command = *20* ]] && echo 4 || echo 3)" $command
    runs mocks 10 $command
    runs specs 13 $command
    runs types 5 $command
    for words in usage:'left:  100' usage:'right: 99' mocks:'flash_write(block = 2, data = "a"' \
        mocks:'out net pong(4)' specs:'take() -> 1' specs:'items = \[0, 1\]' \
        types:'large = 4, hidden = {first = .*, second = 3}'; do
        grep -q "${words#*:}" "out.${words%%:*}" || {
            echo "run_headers.sh: $command: ${words%%:*}.cc does not say '${words#*:}'"
            cat "out.${words%%:*}"
            status=1
        }
    done
done
exit $status
