#!/usr/bin/env bash
# run_mock.sh -- mocks in code of both compilers, however it is compiled and linked; and stubs for
# whole headers.
set -eu

# The code under test would be instrumented, too, and the C library's functions the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
sources=$SOURCE/tests/specs/mock
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_mock.sh: $*" >&2
    exit 1
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cut -c 1-2000 out)"; }

static="-rdynamic $BUILD/lib/libraddle.a -lm -ldl"
shared="-L$BUILD/lib -lraddle -Wl,-rpath,$BUILD/lib"

# mocks LIBRARY COMPILER OPTION...: each test ends as its name says.
mocks() {
    local library=$1
    shift
    # shellcheck disable=SC2086
    "$@" -g -D_GNU_SOURCE -I "$SOURCE/include" -o mocks "$sources"/*.c -pthread $library
    timeout 300 ./mocks --regressions none --seed 1 --cases 30 >out 2>&1 || true
    grep -E '^(ok|FAIL|ERROR) ' out |
        awk '{ wanted = $2 ~ /^wrong_/ ? "FAIL" : $2 ~ /^misuse_/ ? "ERROR" : "ok"
               if ($1 != wanted) print }' >wrong
    [ ! -s wrong ] || fail "$*:" "$(cat wrong)" "$(cut -c 1-200 out)"
    tests=$(cat "$sources"/*.c | grep -cE '^RDL_(PROPERTY|EXPLORE)')
    [ "$(grep -cE '^(ok|FAIL|ERROR) ' out)" = "$tests" ] ||
        fail "$*: not all tests were run" "$(tail -5 out)"
}

mocks "$static" gcc -O0
mocks "$shared" gcc -O2
mocks "$static" gcc -O1 -fno-pie -no-pie
if command -v clang >/dev/null; then
    mocks "$shared" clang -O0
    mocks "$static" clang -O2
fi

# A program that is linked with -flto finds its stubs.
cat >lto.c <<'END'
#include <raddle.h>
int missing(int number);
RDL_STUB(missing, number);
RDL_PROPERTY(it_is_mocked)
{
    rdl_mock(t, missing, rdl_where("number", 3), rdl_returns(4));
    rdl_check_eq(missing(3), 4);
}
RDL_MAIN
END
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    # shellcheck disable=SC2086
    $compiler -O2 -flto -g -I "$SOURCE/include" -o lto lto.c -pthread $static
    timeout 100 ./lto --regressions none >out 2>&1 || fail "-flto with $compiler: $(cat out)"
done

# A function that somebody has goes before its stub.
printf 'int missing(int number);\nint missing(int number)\n{\n    return number + 1;\n}\n' >has.c
sed -i 's/^    rdl_mock.*//' lto.c
# shellcheck disable=SC2086
gcc -g -I "$SOURCE/include" -o has lto.c has.c -pthread $static
timeout 100 ./has --regressions none >out 2>&1 || fail "a stub goes before its function: $(cat out)"

# Stubs of a header: what is left out, what parameters are called.
mkdir inc
cat >inc/device.h <<'END'
#include <stdio.h>
#define renamed renamed64
int renamed64(int a);
int (*picker(int which))(int);
void visit(void (*each)(int, void *), void *it, const char names[4][8], FILE *);
static inline int small(int a) { return a; }
int labelled(int a) __asm__("other");
int hidden(int level);
#define hidden 3
#define twice(a) ((a) * 2)
int (twice)(int a);
_Noreturn void stop(const char *text, ...);
double mean(const double *values, unsigned count) __attribute__((pure, nonnull(1), deprecated));
int old();
END
"$raddle" stubs -I inc device.h -o stubs.c
cp stubs.c out
says 'RDL_STUB(renamed64, a);'
says 'RDL_STUB(picker, which);'
says 'RDL_STUB(visit, each, it, names, 4);'
says 'small: the header itself has its code'
says 'labelled: it has another name for the linker'
says '#undef hidden'
says 'RDL_STUB(stop, text); /* and whatever follows */'
says 'RDL_STUB(mean, values, count);'
says 'RDL_STUB(old);'
! grep -q fopen stubs.c || fail "functions of other headers are there"
cat >use.c <<'END'
#include <raddle.h>
#include "device.h"
RDL_PROPERTY(means_are_mocked)
{
    double one = 1;
    rdl_mock(t, "mean", rdl_where("count", 1), rdl_returns(2.5));
    rdl_check(((double (*)(const double *, unsigned))mean)(&one, 1) == 2.5);
}
RDL_MAIN
END
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    $compiler -Wall -Wextra -Werror -g -I inc -I "$SOURCE/include" -c stubs.c
    # shellcheck disable=SC2086
    $compiler -w -g -I inc -I "$SOURCE/include" -o use use.c stubs.o -pthread $static
    timeout 100 ./use --regressions none >out 2>&1 || fail "stubs with $compiler: $(cat out)"
done

# Headers of real libraries, if they are there.
for header in zlib.h sqlite3.h expat.h curl/curl.h openssl/evp.h; do
    echo "#include <$header>" | gcc -E - >/dev/null 2>&1 || continue
    "$raddle" stubs "$header" -o stubs.c
    gcc -Wall -Wextra -Werror -g -I "$SOURCE/include" -c stubs.c
    count=$(grep -c '^RDL_STUB' stubs.c)
    [ "$count" -ge 30 ] || fail "$header: only $count stubs"
done

# What is wrong is said.
status=0
"$raddle" stubs nothing.h >out 2>&1 || status=$?
[ $status = 2 ] || fail "nothing.h: status $status"
says 'nothing.h: No such file'
status=0
"$raddle" stubs limits.h >out 2>&1 || status=$?
[ $status = 1 ] || fail "limits.h: status $status"
says 'no function is declared in limits.h'
"$raddle" stubs --help >out
says 'Usage: raddle stubs'
