#!/usr/bin/env bash
# Claim: what `raddle export` writes of a failing case is a C program that compiles without
# warnings, and fails like the test it was made of, under the same schedule; for all kinds of tests,
# and for programs that know nothing of Raddle.
# ctest: long
set -eu

[ -z "${SANITIZE:-}" ] || exit 77 # a sanitized library needs sanitized programs

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cd "$SOURCE"
raddle=$BUILD/bin/raddle
warnings="-std=gnu17 -Wall -Wextra -Werror -fmacro-prefix-map=./="

fail() {
    echo "run_reproduce.sh: $*" >&2
    exit 1
}

# What failed where: the first line of a report after those of the verdict.
headline() {
    sed -n '/^\(FAIL\|ok \)/,$p' "$1" | sed '1,/^$/d; s/^ *\(\.\/\)*//; /^Failure 1 of/d' |
        head -n 1
}

# And how the threads got there.
schedule() {
    awk '/preemption/ && !over { on = 1 }
         /^ *Replay:|^[0-9]+ passed|All that happened/ { over = over || on; on = 0 }
         on && NF' "$1" |
        sed 's/  */ /g; s#[^ ]*/##g' # where columns are depends on how files are called
}

# find PROGRAM TEST: a failure, in $scratch/found; its token
find_case() {
    "$BUILD/$1" --filter "=$2" --seed 1 --regressions none --verbose >"$scratch/found" 2>&1 || true
    token=$(grep -o 'rdl1\.[A-Za-z0-9_.-]*' "$scratch/found" | head -1)
    [ -n "$token" ] || fail "$2 does not fail:" "$(cat "$scratch/found")"
}

# compare NAME: has $scratch/NAME failed as $scratch/found says?
compare() {
    status=0
    timeout 60 "$scratch/$1" >"$scratch/again" 2>&1 || status=$?
    [ $status = 1 ] || fail "$1: status $status, not 1:" "$(cat "$scratch/again")"
    [ "$(headline "$scratch/found")" = "$(headline "$scratch/again")" ] ||
        fail "$1 fails in another way:" "$(diff "$scratch/found" "$scratch/again")"
    [ "$(schedule "$scratch/found")" = "$(schedule "$scratch/again")" ] ||
        fail "$1 fails by another way:" "$(diff "$scratch/found" "$scratch/again")"
}

# reproduce PROGRAM TEST [FLAG-OR-FILE...]
reproduce() {
    program=$1 test=$2
    shift 2
    find_case "$program" "$test"
    "$raddle" export "$token" -- "$BUILD/$program" >"$scratch/$test.c" ||
        fail "$test is not exported"
    # shellcheck disable=SC2086
    "${CC:-gcc}" $warnings -g -I. -Iinclude -o "$scratch/$test" "$scratch/$test.c" "$@" \
        "$BUILD/lib/libraddle.a" -rdynamic -lm -ldl -lpthread || fail "$test does not compile"
    compare "$test"
}

has() {
    grep -qF "$2" "$scratch/$1.c" || fail "no '$2' in" "$(cat "$scratch/$1.c")"
}

# ---- Properties ----------------------------------------------------------------------------------

reproduce examples/queue queue_broken_behaves_like_the_model
has queue_broken_behaves_like_the_model "/* x = 1 */"
reproduce examples/reverse reversing_once_changes_nothing

# ---- Models --------------------------------------------------------------------------------------

reproduce specs/model looks_empty_when_full
has looks_empty_when_full "rdl_client_calls(t, 0, ring, put, {.value = 0});"
has looks_empty_when_full "/* answers 0; the model says 3 */"
reproduce specs/model breaks_the_invariant
reproduce specs/model does_not_agree
reproduce specs/model third_write_fails # arguments that are answers of earlier calls
reproduce specs/model fifth_is_the_first_again # any of several answers
reproduce specs/model who_calls_is_told

# ---- Resources -----------------------------------------------------------------------------------

# The spec is compiled as it is, the implementation by raddle cc.
graded() {
    implementation=examples/warehouse/implementations/$1.c
    "$raddle" grade --spec examples/warehouse --seed 1 "$implementation" >"$scratch/grade" || true
    token=$(grep -o 'rdl1\.[A-Za-z0-9_.-]*' "$scratch/grade" | head -1)
    [ -n "$token" ] || fail "$1 has passed:" "$(cat "$scratch/grade")"
    "$raddle" grade --spec examples/warehouse --replay "$token" "$implementation" \
        >"$scratch/found" 2>&1 || true
    "$raddle" export "$token" --spec examples/warehouse "$implementation" >"$scratch/$1.c" ||
        fail "$1 is not exported"
    # shellcheck disable=SC2086
    "${CC:-gcc}" $warnings -g -O1 -I. -Iinclude -c -o "$scratch/$1.o" "$scratch/$1.c"
    "$raddle" cc -w -g -O1 -Iexamples/warehouse -o "$scratch/$1" "$scratch/$1.o" "$implementation"
    compare "$1"
}
for name in if_instead_of_while checks_before_it_locks signal_instead_of_broadcast \
    locks_in_two_orders full_is_too_full asserts_too_much; do
    graded "$name"
done
has if_instead_of_while "rdl_client_calls(t, 0, warehouse, enter, {.n = 0, .weight = 1100});"
has if_instead_of_while "/* returns: 1, 0 */"
grep -q "RDL_TURN(.*until before" "$scratch/checks_before_it_locks.c" ||
    fail "nobody is interrupted in" "$(cat "$scratch/checks_before_it_locks.c")"

# What is repaired passes, and says so.
"$raddle" cc -w -g -O1 -Iexamples/warehouse -o "$scratch/repaired" \
    "$scratch/if_instead_of_while.o" examples/warehouse/implementations/monitor.c
"$scratch/repaired" >"$scratch/said" 2>&1 || fail "it still fails:" "$(cat "$scratch/said")"
grep -q "the case passes: the bug is repaired" "$scratch/said" || fail "$(cat "$scratch/said")"

# ---- Linearizability -----------------------------------------------------------------------------

# Of code that `raddle cc` has compiled.
"$raddle" cc -g -O1 -D_GNU_SOURCE -Dfree=__wrap_free -Drealloc=__wrap_realloc \
    -Itests/specs/linear -c -o "$scratch/objects.o" tests/specs/linear/code/objects.c
for test in broken_counter broken_stack broken_registers broken_queue; do
    reproduce specs/linear $test -Itests/specs/linear "$scratch/objects.o"
done
has broken_counter "rdl_client_calls(t, 1, counter, "

# Code that is in the same file as its spec: compiled just as the head of the reproducer says, each
# line of which is a command but for the placeholder.
export PATH=$BUILD/bin:$PATH PKG_CONFIG_PATH=$BUILD/pkgconfig
(
    cd "$scratch"
    cp "$SOURCE/docs/tutorials/linearizability/tickets.c" .
    # shellcheck disable=SC2046
    raddle cc -g -o tickets tickets.c $(pkg-config --cflags --libs raddle)
    ./tickets --seed 1 --regressions none >found || true
    raddle export "$(grep -o 'rdl1\.[A-Za-z0-9_.-]*' found | head -1)" -- ./tickets >repro.c
    sed -n '/^ \* To compile/,/^ \* Threads/s/^ \*     //p' repro.c |
        sed 's/ OTHER-FILES\.\.\.//' >commands
    grep -q '^raddle cc' commands || fail "not by raddle cc:" "$(cat repro.c)"
    sh -e commands >said 2>&1 && fail "it passes:" "$(cat commands said)"
    grep -q 'FAIL   no_ticket_is_given_twice' said || fail "$(cat said)"
)

# Strings whose bytes are written as numbers, with letters after them that are digits, too.
(
    cd "$scratch"
    cat >bytes.c <<'END'
#include <raddle.h>
#include <string.h>

struct said {
    char text[16];
};
RDL_TYPES(ear, struct rdl_nothing, void);
RDL_EXTERN_OP_RETURNS(ear, hear, struct said, int);
RDL_ARGS(ear, hear, (void)t, strcpy(a->text, "\x01" "beef\xe2\x80\xae" "c\\\"?"));
RDL_POST_RETURNS(ear, hear, *r = 0);
RDL_DO_RETURNS(ear, hear, *r = a->text[0] == 1 && a->text[4] == 'f' && strlen(a->text) == 12);
RDL_OP_RETURNS(ear, hear, struct said, int, .args = ear_hear_args, .post = ear_hear_post,
               .call = ear_hear_call);

static void *create(struct rdl_case *t, const struct rdl_nothing *s)
{
    (void)s;
    return t;
}

RDL_SPEC(ear, RDL_OPS(ear, hear), .create = create);
RDL_TEST_MODEL(it_hears, ear);

RDL_MAIN
END
    flags=$(pkg-config --cflags --libs raddle)
    # shellcheck disable=SC2086
    "${CC:-gcc}" -g -Wall -Wextra -Wno-unused-value -o bytes bytes.c $flags
    ./bytes --seed 1 --regressions none >found || true
    raddle export "$(grep -o 'rdl1\.[A-Za-z0-9_.-]*' found | head -1)" -- ./bytes >repro.c
    # shellcheck disable=SC2086
    "${CC:-gcc}" -g -Wall -Wextra -Wno-unused-value -Werror -I. -o repro repro.c $flags ||
        fail "it does not compile:" "$(cat repro.c)"
    ./repro >said 2>&1 && fail "it passes:" "$(cat repro.c said)"
    grep -q 'FAIL   it_hears' said || fail "$(cat said)"
)

# ---- Schedules, streams, mocks and components ----------------------------------------------------

for test in deposits_add_up locks_are_taken_in_one_order waiters_are_woken nobody_crashes \
    asserts_hold payments_add_up; do
    reproduce zoo/schedules $test
done
grep -q "RDL_TURN(1, [1-9].*until before schedules.c:" "$scratch/locks_are_taken_in_one_order.c" ||
    fail "nobody is interrupted in" "$(cat "$scratch/locks_are_taken_in_one_order.c")"
reproduce specs/streams wrong_inspection
reproduce specs/streams wrong_two_producers_in_order
reproduce specs/mock wrong_lost_update -Itests/specs/mock tests/specs/mock/{device,store,stubs}.c
reproduce specs/components the_specs_disagree
reproduce specs/blocking nobody_ends_the_wait
reproduce specs/plan plan_answers_wrong

# ---- Programs that know nothing of Raddle --------------------------------------------------------

library=$("$raddle" cc --libs | tr ' ' '\n' | sed -n 's/^-L//p')

# explored NAME COMPILER [ARGUMENT...]: a program of the zoo
explored() {
    name=$1 compiler=$2
    shift 2
    # shellcheck disable=SC2086
    $compiler -g -o "$scratch/program" "$name" -pthread
    "$raddle" explore --seed 1 "${options[@]}" -- "$scratch/program" "$@" >"$scratch/found" 2>&1 ||
        true
    token=$(grep -o 'rdl1\.[A-Za-z0-9_.+%/-]*' "$scratch/found" | head -1)
    [ -n "$token" ] || fail "$name does not fail:" "$(cat "$scratch/found")"
    "$raddle" export "$token" "${options[@]}" >"$scratch/repro.c" || fail "$name is not exported"
    # shellcheck disable=SC2086
    $compiler $warnings -Wno-error -g -Iinclude -o "$scratch/repro" "$scratch/repro.c" "$name" \
        "-L$library" "-Wl,-rpath,$library" -lraddle -pthread || fail "$name does not compile"
    compare repro
}
options=()
explored tests/explore/bank.c "${CC:-gcc}"
grep -q "RDL_TURN(.*until before bank.c:" "$scratch/repro.c" || fail "$(cat "$scratch/repro.c")"
explored tests/zoo/threads/lost_update.c "$raddle cc"
explored tests/zoo/threads/philosophers.c "${CC:-gcc}"

# ---- What cannot be ------------------------------------------------------------------------------

refused() {
    said=$1
    shift
    "$raddle" export "$@" >"$scratch/out" 2>"$scratch/said" && fail "$* is exported"
    grep -qF -e "$said" "$scratch/said" || fail "no '$said' in:" "$(cat "$scratch/said")"
    [ ! -s "$scratch/out" ] || fail "something is written:" "$(cat "$scratch/out")"
}
refused "which token?" -- "$BUILD/examples/queue"
find_case zoo/schedules deposits_add_up
refused "name its program" "$token"
refused "damaged" "${token}x" -- "$BUILD/zoo/schedules"
refused "which is not here" "$token" -- "$BUILD/examples/queue"
refused "--spec goes with an implementation" "$token" --spec examples/warehouse -- x

echo "reproducers fail like the tests they were made of"
