#!/usr/bin/env bash
# run_mock.sh -- mocks in code of both compilers, however it is compiled and linked; and stubs for
# whole headers.
# ctest: long
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

# Which function is meant, where several have the name; and what became of those that nobody calls.
cat >own.c <<'END'
static __attribute__((noinline)) int remove(int slot)
{
    __asm__ volatile("");
    return slot + 1;
}
int own_remove(int x) { return remove(x); }
int is_large(int x) { return x > 3; }
int is_in_use(int x) { return is_large(x) ? own_remove(x) : 0; }
END
cat >plugin.c <<'END'
static __attribute__((noinline)) int proc(int x)
{
    __asm__ volatile("");
    return x + 1;
}
int call_proc(void) { return proc(1); }
END
cat >named.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <raddle.h>
int own_remove(int x);
int is_large(int x);
int is_in_use(int x);
RDL_PROPERTY(the_function_that_is_declared_is_meant, .cases = 3)
{
    struct rdl_mock *mock = rdl_mock(t, remove, rdl_returns(5));
    rdl_check_eq(remove("/there/is/no/such/file"), 5);
    rdl_check_eq(own_remove(1), 2);
    rdl_check_eq(rdl_mock_calls(mock), 1);
}
RDL_PROPERTY(a_library_that_comes_back_is_mocked_again, .cases = 3)
{
    void *library = dlopen("./plugin.so", RTLD_NOW);
    int (*call)(void) = (int (*)(void))dlsym(library, "call_proc");
    rdl_mock(t, "proc", rdl_returns(1000));
    rdl_check_eq(call(), 1000);
    dlclose(library);
}
RDL_PROPERTY(misuse_inlined_without_a_trace)
{
    rdl_mock(t, is_large, rdl_returns(0));
    is_in_use(5);
}
RDL_MAIN
END
gcc -g -shared -fPIC -o plugin.so plugin.c
# shellcheck disable=SC2086
gcc -g -O2 -fno-builtin -Wno-builtin-declaration-mismatch -I "$SOURCE/include" -o named named.c \
    own.c -pthread $shared
./named --regressions none --seed 1 >out 2>&1 || true
grep -cE '^ok     (the_function|a_library)' out | grep -q '^2$' || fail "named:" "$(cat out)"
says 'is_large has copies that calls do not reach: in others, though nothing tells in which'

# A program may have functions that are called like those which Raddle calls itself.
for name in send read write poll; do
    printf '#include <raddle.h>\nint %s(int x) { return x + 9; }\n' "$name" >alike.c
    printf 'RDL_PROPERTY(it_ends, .cases = 3) { rdl_check(true); }\nRDL_MAIN\n' >>alike.c
    # shellcheck disable=SC2086
    gcc -g -w -fno-builtin -I "$SOURCE/include" -o alike alike.c -pthread $shared
    ./alike --regressions none >out 2>&1 || fail "a program with a function $name:" "$(cat out)"
done

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

# Functions of C++ that C could have, by their names; others are refused.
cat >parts.cc <<'END'
struct plain { int a, b; };
struct derived : plain { int c; };
struct copied { int a; copied(const copied &from) : a(from.a) {} };
extern "C" int sum(plain p, double c) { return p.a + p.b + static_cast<int>(c); }
extern "C" int more(derived d) { return d.c; }
extern "C" int copy(copied c) { return c.a; }
namespace inner { int within(int a) { return a + 1; } }
extern "C" int uses(int a) { return inner::within(a); }
END
cat >uses.c <<'END'
#include <raddle.h>
struct plain { int a, b; };
int sum(struct plain p, double c);
int uses(int a);
RDL_PROPERTY(a_function_of_cc)
{
    rdl_mock(t, "sum", rdl_arg(((struct plain){1, 2})), rdl_arg(2.5), rdl_returns(7));
    rdl_mock(t, "within", rdl_where("a", 3), rdl_returns(8));
    rdl_check_eq(sum((struct plain){1, 2}, 2.5), 7);
    rdl_check_eq(uses(3), 8);
}
RDL_PROPERTY(more) { rdl_mock(t, "more"); }
RDL_PROPERTY(copy) { rdl_mock(t, "copy"); }
RDL_MAIN
END
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    $compiler -g -O1 -fno-inline -c parts.cc
    gcc -g -I "$SOURCE/include" -c uses.c
    # shellcheck disable=SC2086
    $compiler -o uses uses.o parts.o -pthread $static
    timeout 100 ./uses --regressions none >out 2>&1 || true
    says 'ok     a_function_of_cc'
    says 'more cannot be mocked: its parameter 1 (struct derived d) is of a kind that C does not '
    says 'copy cannot be mocked: its parameter 1 (struct copied c) is of a '
done

# With -g1 nothing says what a function takes.
printf 'int counts(int a);\nint counts(int a)\n{\n    return a;\n}\n' >counts.c
cat >few.c <<'END'
#include <raddle.h>
int counts(int a);
RDL_PROPERTY(by_name) { rdl_mock(t, "counts", rdl_returns(counts(3))); }
RDL_MAIN
END
gcc -g1 -c counts.c
# shellcheck disable=SC2086
gcc -g -I "$SOURCE/include" -o few few.c counts.o -pthread $static
timeout 100 ./few --regressions none >out 2>&1 || true
says 'counts cannot be mocked: nothing says what it takes and returns: it was compiled with -g1'
gcc -g -gsplit-dwarf -c counts.c
sed -i 's/"counts"/"counts.c:counts"/' few.c
# shellcheck disable=SC2086
gcc -g -I "$SOURCE/include" -o few few.c counts.o -pthread $static
timeout 100 ./few --regressions none >out 2>&1 || true
says 'compile without -gsplit-dwarf'

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
"$raddle" stubs math.h >out 2>&1 && fail 'math.h declares functions itself'
says "no function is declared in math.h; but in a header that it includes: --from '/"
"$raddle" stubs --help >out
says 'Usage: raddle stubs'
