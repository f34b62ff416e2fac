#!/usr/bin/env bash
# run_tools.sh -- explored programs and tests in the company of others: AddressSanitizer and UBSan
# of gcc and of clang, valgrind, C++, and libraries that are loaded and unloaded on the way.
# ctest: long
set -eu

# These are sanitized, and preloaded, already.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/real
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PKG_CONFIG_PATH=$BUILD/pkgconfig # the library just built
shared=$(pkg-config --cflags --libs raddle)
static="-I$SOURCE/include -rdynamic $BUILD/lib/libraddle.a -lm -ldl"

fail() {
    echo "run_tools.sh: $*" >&2
    exit 1
}

value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }
says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }

# Shrinking is not what this is about.
export RADDLE_SEED=1 RADDLE_FORMAT=json RADDLE_REGRESSIONS=none RADDLE_SHRINK_RUNS=3

# run STATUS COMMAND...: expect this of it; what it prints is in `out`.
run() {
    local wanted=$1 status=0
    shift
    timeout 100 "$@" >out 2>&1 </dev/null || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cut -c 1-6000 out)"
}

# passes SCHEDULES COMMAND...: so many schedules.
passes() {
    local schedules=$1
    shift
    run 0 "$@"
    is verdict pass
    is schedules "$schedules"
}

# crashes COMMAND...: with a report of AddressSanitizer, and once more when it is replayed.
crashes() {
    local hash token
    run 1 "$@"
    hash=$(value hash) token=$(value token)
    is class crash
    says 'heap-use-after-free'
    says 'lent.c:22'
    if [ "$1" = "$raddle" ]; then
        run 1 "$raddle" replay "$token"
    else
        run 1 "$1" --replay "$token"
    fi
    is class crash
    is hash "$hash"
    says 'heap-use-after-free'
}

# ---- AddressSanitizer ------------------------------------------------------------------------

for compiler in gcc clang; do
    compile="$compiler -g -O1 -fsanitize=address -pthread"

    $compile "$code/again.c" -o again
    passes 50 "$raddle" explore --schedules 50 -- ./again
    $compile "$code/lent.c" -o lent
    passes 200 "$raddle" explore --schedules 200 -- ./lent
    $compile -DBUG "$code/lent.c" -o lent_bug
    crashes "$raddle" explore -- ./lent_bug

    # As tests: with a library of ours that comes after the sanitizer's, and before.
    for library in "$shared" "$static"; do
        $compile -DTEST "$code/again.c" $library -o again
        passes 300 ./again
        $compile -DTEST "$code/lent.c" $library -o lent
        passes 2000 ./lent
        $compile -DTEST -DBUG "$code/lent.c" $library -o lent_bug
        crashes ./lent_bug
        $compile "$code/short_of_memory.c" $library -o short_of_memory
        run 0 ./short_of_memory
    done
done

# ---- UBSan, alone and with the other ------------------------------------------------------------

# undefined COMMAND...: what it finds is a failure, and told as one of the line that it is about.
undefined() {
    run 1 "$@"
    is class crash
    says 'next_after at '
    says 'overflow.c:16'
    says 'signed integer overflow'
}

for compiler in gcc clang; do
    for sanitizers in undefined address,undefined; do
        compile="$compiler -g -O1 -fsanitize=$sanitizers -pthread"
        $compile "$code/overflow.c" -o overflow
        undefined "$raddle" explore -- ./overflow
        # The second schedule overflows.
        UBSAN_OPTIONS=halt_on_error=0 run 0 "$raddle" explore --schedules 300 -- ./overflow
        for library in "$shared" "$static"; do
            $compile -DTEST "$code/overflow.c" $library -o overflow
            undefined ./overflow
            UBSAN_OPTIONS=halt_on_error=0 run 0 ./overflow
        done
    done
done

# ThreadSanitizer's runtime cannot follow controlled threads, and the tests say so.
for compiler in gcc clang; do
    $compiler -g -fsanitize=thread -pthread -DTEST "$code/again.c" $shared -o again
    run 2 ./again
    says 'compile and link it with raddle cc instead'
done

# ---- valgrind ----------------------------------------------------------------------------------

# What it says is in files; its status is that of the command, unless there are errors.
memcheck="valgrind -q --error-exitcode=99 --log-file=errors.%p"
errors() { cat errors.* | grep '^==' || true; }

$CC -g -O1 -pthread -DTEST "$code/again.c" $shared -o again
passes 30 $memcheck ./again --cases 30
[ -z "$(errors)" ] || fail "memcheck has objections to again:" "$(errors)"
passes 30 $memcheck ./again --cases 30 --no-fork
[ -z "$(errors)" ] || fail "memcheck has objections to again --no-fork:" "$(errors)"

# A failure is the same one.
$CC -g -O1 -pthread "$SOURCE/tests/zoo/schedules.c" $shared -o schedules
run 1 ./schedules --filter =deposits_add_up
hash=$(value hash) token=$(value token)
run 1 $memcheck ./schedules --filter =deposits_add_up
is hash "$hash"
is token "$token"
[ -z "$(errors)" ] || fail "memcheck has objections to schedules:" "$(errors)"

# And it sees what it would see in an ordinary program.
$CC -g -O1 -pthread -DTEST -DBUG "$code/lent.c" $shared -o lent_bug
run 99 $memcheck ./lent_bug --no-fork --cases 200
errors | grep -q 'Invalid read of size 4' || fail "memcheck has not seen it:" "$(errors)"
errors | grep -q 'look_at (lent.c:22)' || fail "memcheck does not know where:" "$(errors)"

# ---- C++ ---------------------------------------------------------------------------------------

echo '4 caught, 6 unwound, 1 made, 2 of 2 ended, sum 23, 3 tries, 1' >expected
for compile in "g++ -pthread" "$raddle cc" "clang++ -pthread -fsanitize=address"; do
    RADDLE_CC=g++ $compile -g -O1 -std=c++17 "$code/modern.cpp" -o modern
    passes 300 "$raddle" explore --schedules 300 --expect expected -- ./modern
    grep -q '"complete":false,"schedules":2[0-9][0-9],' out ||
        fail "too much of the same:" "$(cat out)"
done

# Places are the program's, though the code at them came with the compiler.
for compiler in g++ clang++; do
    $compiler -g -O2 -std=c++17 -pthread "$code/guards.cpp" -o guards
    run 1 "$raddle" explore -- ./guards
    is class deadlock
    says 'guards.cpp:11'
done

# ---- Libraries that come and go ------------------------------------------------------------------

for compile in "$CC -pthread" "$raddle cc"; do
    $compile -g -O1 -shared -fPIC "$code/guest.c" -o guest.so
    $compile -g -O1 "$code/host.c" -o host
    passes 300 "$raddle" explore --schedules 300 -- ./host
    $compile -g -O1 -DTEST "$code/host.c" $shared -o host
    passes 500 ./host
done
$CC -g -O1 -pthread -DTEST "$code/host.c" $static -o host
passes 500 ./host
