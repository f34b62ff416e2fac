#!/usr/bin/env bash
# run_openmp.sh -- OpenMP with gcc's library, whose threads wait in system calls that it makes
# itself; and a program that does so without OpenMP.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77
command -v gcc >/dev/null || exit 77

raddle=$BUILD/bin/raddle
here=$SOURCE/tests/openmp
schedules=200 seed=1
if [ -n "${RADDLE_SOAK:-}" ]; then
    schedules=5000 seed=${RADDLE_SOAK_SEED:-1}
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
unset RADDLE_CC OMP_NUM_THREADS OMP_WAIT_POLICY GOMP_SPINCOUNT

fail() {
    echo "run_openmp.sh: $*" >&2
    exit 1
}

echo 'int main(void) { return 0; }' >probe.c
gcc -fopenmp probe.c -o probe 2>/dev/null || exit 77

value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }
has() { grep -qF -- "$1" out || fail "expected '$1':" "$(cat out)"; }

# explore STATUS OPTION... -- PROGRAM...: what is said is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    timeout 200 "$raddle" explore --seed "$seed" "$@" >out 2>&1 </dev/null || status=$?
    if grep -q 'makes system calls of its own' out; then
        echo "this kernel does not hand system calls back to processes"
        exit 77
    fi
    [ $status = "$wanted" ] || fail "status $status, not $wanted: $*:" "$(cut -c 1-4000 out)"
}

# ---- What is right is right under all schedules -------------------------------------------

gcc -g -O1 -fopenmp "$here/constructs.c" -o constructs
"$raddle" cc -g -O2 -fopenmp "$here/constructs.c" -o constructs_watched
./constructs >expected
./constructs_watched | cmp - expected
for program in constructs constructs_watched; do
    explore 0 --schedules $schedules --expect expected --format json -- ./$program
    is verdict pass
    is schedules $schedules
    different=$(sed -n 's/.*"covered":{"complete":[a-z]*,"schedules":\([0-9]*\),.*/\1/p' out)
    [ "${different:-0}" -ge $((schedules * 3 / 4)) ] ||
        fail "$program: only '$different' different schedules:" "$(cat out)"
done

# Spinning first, as it would for hours if asked to.
OMP_WAIT_POLICY=active GOMP_SPINCOUNT=infinite explore 0 --schedules 10 -- ./constructs

# ---- What is wrong is found ----------------------------------------------------------------

gcc -g -fopenmp "$here/lost.c" -o lost
explore 1 --format json -- ./lost
is class assertion
is preemptions 1
hash=$(value hash)
explore 1 --format json -- ./lost
is hash "$hash"
explore 1 -- ./lost
has 'lost.c:17: assert(total == 2)'
has '1 preemption: thread 1 interrupted at lost.c:14'
token=$(sed -n 's/.*raddle replay \(rdl1[^ ]*\).*/\1/p' out)
"$raddle" replay "$token" >out 2>&1 && fail "the replay passes:" "$(cat out)"
has 'lost.c:17: assert(total == 2)'

gcc -g -fopenmp "$here/deadlock.c" -o deadlock
explore 1 -- ./deadlock
has 'deadlock: main -> thread 1 -> main'

"$raddle" cc -g -fopenmp "$here/race.c" -o race
explore 1 -- ./race
has 'race.c:7: data race between'

# ---- In tests, which have many executions in one process ----------------------------------

export PKG_CONFIG_PATH=$BUILD/pkgconfig # the library just built
# shellcheck disable=SC2046
gcc -g -fopenmp "$here/tests.c" $(pkg-config --cflags --libs raddle) -o tests
timeout 100 ./tests --seed "$seed" --regressions none >out 2>&1 || fail "tests:" "$(cat out)"
gcc -g -fopenmp "-I$SOURCE/include" "$here/tests.c" "$BUILD/lib/libraddle.a" -rdynamic -lm \
    -o tests_static
timeout 100 ./tests_static --seed "$seed" --regressions none >out 2>&1 ||
    fail "tests, with the static library:" "$(cat out)"

# ---- Without OpenMP --------------------------------------------------------------------------

gcc -g -O1 -pthread "$here/own_calls.c" -o own_calls
explore 0 --schedules 100 -- ./own_calls

# ---- Where the kernel does not help ------------------------------------------------------------

gcc "$here/old_kernel.c" -o old_kernel
status=0
./old_kernel "$raddle" explore -- ./lost >out 2>&1 || status=$?
if [ $status != 77 ]; then
    [ $status = 2 ] || fail "status $status of an old kernel:" "$(cat out)"
    has 'libgomp.so.1 makes system calls of its own'
fi
