#!/usr/bin/env bash
# run_races.sh -- a run reports every race and what comes of it, each with a token of its own;
# findings can be suppressed; reports show the code that called a wrapper around a lock.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_races.sh: $*" >&2
    exit 1
}

# build NAME OPTION... <PROGRAM
build() {
    local name=$1
    shift
    cat >"$name.c"
    "$raddle" cc -g -O1 -I"$SOURCE/include" "$name.c" -o "$name" "$@"
}

# explore STATUS PROGRAM OPTION...: its report is in `out`, and in JSON in `report`.
explore() {
    local wanted=$1 program=$2 status=0
    shift 2
    timeout 100 "$raddle" explore --seed 1 --schedules 200 "$@" --format human --format json \
        --output report -- "./$program" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$program $*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qE -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
silent() { ! grep -qE -- "$1" out || fail "it says '$1':" "$(cat out)"; }

# found KIND:MESSAGE...: these, in this order, are what the run has found; and each token of it
# brings the same back.
found() {
    local i=0 wanted replayed
    [ "$(jq '.failures | length' report)" = $# ] || fail "not $# findings:" "$(cat out)"
    cp report all
    for wanted in "$@"; do
        jq -r ".failures[$i] | .kind + \":\" + .message" all | grep -qE -- "$wanted" ||
            fail "finding $i is not '$wanted':" "$(cat out)"
        "$raddle" replay "$(jq -r ".failures[$i].token" all)" --format json >replayed 2>/dev/null ||
            [ $? = 1 ] || fail "finding $i: its token does not replay:" "$(cat replayed)"
        [ "$(jq -r '.failures[0] | .kind + ":" + .message' replayed)" = \
            "$(jq -r ".failures[$i] | .kind + \":\" + .message" all)" ] ||
            fail "the token of finding $i brings back:" "$(cat replayed)"
        i=$((i + 1))
    done
}

# ---- Races, and what comes of them ---------------------------------------------------------------

# One race is benign, one loses an update.
build counters <<'END'
#include <assert.h>
#include <pthread.h>

struct account { long number; int balance; };
static struct account account = {42, 0};
static long served;

static void *deposit(void *it)
{
    served++; /* BENIGN */
    account.balance += 5; /* HARMFUL */
    return it;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, deposit, NULL);
    pthread_create(&two, NULL, deposit, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(account.balance == 10);
    return 0;
}
END
for options in "" "--jobs 2" "--more-bugs" "--strategy dpor" "--strategy pos"; do
    explore 1 counters $options
    found 'assertion:.*assert\(account.balance == 10\)' 'race:.*data race .* on served$' \
        'race:.*data race .* on account\.balance$'
done
says '^found .*data race'
explore 1 counters --fail-fast --strategy dfs # all races of one schedule
found 'race:' 'race:'
says '^FAIL .* 1 schedule,'
explore 1 counters --fail-on race
found 'race:.* on served$' 'race:.* on account\.balance$'
explore 1 counters --fail-on assertion
found 'assertion:'

# Nothing but the race: that is a failure.
sed '/HARMFUL/d; s/assert(.*);//' counters.c | build served
explore 1 served
found 'race:.* on served$'
[ "$(jq .covered.complete report)" = false ] || fail "a run that fails is complete"

# A crash and a deadlock after a race are what the case fails by.
build crash <<'END'
#include <pthread.h>

static int value, *where = &value;

static void *withdraw(void *it) { where = NULL; return it; }

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, withdraw, NULL);
    *where = 1;
    return pthread_join(thread, NULL);
}
END
explore 1 crash
found 'crash:' 'race:.* on where$'
build stuck <<'END'
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void *take(void *it)
{
    if (taken++ == 0)
        pthread_mutex_lock(&lock);
    return it;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, take, NULL);
    pthread_create(&two, NULL, take, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
explore 1 stuck --fail-on deadlock,race
found 'deadlock:' 'race:.* on taken$'

# ---- Suppressions --------------------------------------------------------------------------------

# suppress STATUS PROGRAM LINE...: explore with these.
suppress() {
    local wanted=$1 program=$2
    shift 2
    printf '%s\n' "# What we put up with" "" "$@" >lines
    explore "$wanted" "$program" --suppressions lines
}

for line in race:deposit race:served race:served.c '  race:^ser*ed$  ' race_top:deposit \
    'race:*erve'; do
    suppress 0 served "$line"
    says "lines:3 suppressed [0-9]+ findings?: "
    silent 'suppressed nothing'
    silent 'data race'
    [ "$(jq .covered.complete report)" = false ] || fail "what is suppressed is complete"
done
for line in race:nobody race_top:main 'race:^erved' deadlock:deposit called_from_lib:libm.so; do
    suppress 1 served "$line" # comment lines count, too
    says "lines:3 suppressed nothing: "
    found 'race:'
done
suppress 1 counters race:^served$ race:nobody
says 'lines:3 suppressed [0-9]+ finding'
says 'lines:4 suppressed nothing'
found 'assertion:' 'race:.*account'
suppress 0 stuck deadlock:take race:taken
says 'lines:3 suppressed [0-9]+ finding'
says 'lines:4 suppressed [0-9]+ finding'
RADDLE_SUPPRESSIONS=lines explore 0 stuck

# One function, two variables: to put up with one race is not to put up with the other, whether
# the line names the caller or the variable.
build bump <<'END'
#include <pthread.h>

static int hits, balance;

static void __attribute__((noinline)) bump(int *at) { ++*at; }
static void __attribute__((noinline)) count_hit(void) { bump(&hits); }
static void __attribute__((noinline)) pay(void) { bump(&balance); }

static void *run(void *it)
{
    count_hit();
    pay();
    return it;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, run, NULL);
    pthread_create(&two, NULL, run, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
for line in race:count_hit race:^hits$; do
    suppress 1 bump $line
    found 'race:.* on balance$'
    says 'lines:3 suppressed [0-9]+ finding'
done
suppress 0 bump race:count_hit race:pay

# Races of executions that fail in a way that is known, or suppressed.
build always <<'END'
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turn;
int x;

static void stuck(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

static void *one(void *it)
{
    turn = 1;
    x = 1;
    return it;
}

static void *two(void *it)
{
    if (turn == 0)
        x = 2;
    return it;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&b, NULL, one, NULL);
    pthread_create(&a, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    stuck();
    return 0;
}
END
suppress 1 always deadlock:stuck
found 'race:.* on x$'
explore 1 always --more-bugs
found 'deadlock:' 'race:.* on x$'

# More races than are kept apart: that is no pass.
python3 - >many.c <<'END'
print("#include <pthread.h>\nstatic int at[40];")
for i in range(40):
    print(f"static void __attribute__((noinline)) f{i}(void) {{ ++at[{i}]; }}")
print("static void *run(void *it) {")
print(" ".join(f"f{i}();" for i in range(40)))
print("""return it; }
int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}""")
END
"$raddle" cc -g -O1 many.c -o many
explore 1 many --schedules 20
[ "$(jq '.failures | length' report)" = 40 ] || fail "not 40 races:" "$(head -50 out)"
suppress 0 many race:run

# A mistake stops the run before it starts.
# refused MESSAGE LINE...
refused() {
    local message=$1
    shift
    suppress 2 served "$@"
    says "$message"
    silent 'schedule'
}
refused "lines:4: .*'oops' is no suppression" race:served oops
refused "lines:3: there is no type 'rase'" rase:served
refused "lines:3: " race:
explore 2 served --suppressions nowhere
says 'nowhere: No such file'

# Beside a test.
sed 's/int main(void)/#include <raddle.h>\nRDL_EXPLORE(it_serves)/; s/return 0;//' served.c >test.c
echo RDL_MAIN >>test.c
"$raddle" cc -g -O1 -I"$SOURCE/include" test.c -o test -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" \
    -lraddle
status=0
./test --regressions none --cases 200 >out 2>&1 || status=$?
[ $status = 1 ] || fail "the test passes:" "$(cat out)"
echo race:served >test.supp
./test --regressions none --cases 200 >out 2>&1 || fail "test.supp is not read:" "$(cat out)"
says 'test.supp:1 suppressed [0-9]+ finding'
status=0
./test --regressions none --cases 200 --suppressions none >out 2>&1 || status=$?
[ $status = 1 ] || fail "--suppressions none reads test.supp:" "$(cat out)"

# ---- What a race is on, if it is no variable -----------------------------------------------------

build places <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct stats { long served, failed; };

static void *__attribute__((noinline)) add(void *it) { ++*(long *)it; return it; }

static void __attribute__((noinline)) add_twice(long *number)
{
    pthread_t one, two;

    pthread_create(&one, NULL, add, number);
    pthread_create(&two, NULL, add, number);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

static struct stats *__attribute__((noinline)) new_stats(void)
{
    return calloc(2, sizeof(struct stats)); /* ALLOCATED */
}

static int __attribute__((noinline)) on_heap(void)
{
    struct stats *stats = new_stats();

    add_twice(&stats[1].failed);
    free(stats);
    return 0;
}

static int __attribute__((noinline)) on_pages(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(pages, 4096); /* what is left begins behind it */
    add_twice((long *)(pages + 4096 + 64));
    munmap(pages + 4096, 4096);
    return 0;
}

static int __attribute__((noinline)) on_stack(void)
{
    struct stats table[3];
    long best = 0;

    memset(table, 0, sizeof table);
    add_twice(&best);
    return best + table[1].failed < 0;
}

int main(int count, char **arguments)
{
    char which = count > 1 ? arguments[1][0] : 'h';

    return which == 'h' ? on_heap() : which == 'p' ? on_pages() : on_stack();
}
END
for compile in "gcc -O0" "gcc -O2" "clang -O0" "clang -O1"; do
    RADDLE_CC=${compile% *} "$raddle" cc -g "${compile#* }" places.c -o places
    explore 1 places
    found 'race:places.c:[0-9]*: data race between .* at offset 24 of a block of 32 bytes$'
    says "^      main allocated it at places.c:$(grep -n ALLOCATED places.c | cut -d: -f1)$"
    jq -r '.failures[0].detail' report | grep -q 'main allocated it at places.c:' ||
        fail "JSON does not say where the block is from:" "$(cat report)"
done

# ThreadSanitizer does not look at the allocation, either: each block would have main in it.
for line in race:new_stats race_top:new_stats called_from_lib:libraddle; do
    suppress 1 places "$line"
    says "lines:3 suppressed nothing"
done

# with WAY: explore what the program does if that is its argument.
with() {
    timeout 100 "$raddle" explore --seed 1 --schedules 200 -- ./places "$1" >out 2>&1 &&
        fail "places $1 passes:" "$(cat out)"
    return 0
}
with pages
says 'data race .* at offset 64 of a mapping of 4096 bytes$'
for compile in "gcc -O0" "gcc -O2" "clang -O0" "clang -O1"; do
    RADDLE_CC=${compile% *} "$raddle" cc -g "${compile#* }" places.c -o places
    with stack
    says 'data race .* on best, a local of main$'
done
"$raddle" cc -O1 places.c -o places # no debugging information
with stack
says 'data race .* on a local of main$'

# ---- Annotations ---------------------------------------------------------------------------------

sed -e '1i #include <raddle/annotate.h>' \
    -e 's/served++;/RDL_BENIGN_RACE(served, "an estimate will do"); served++;/' served.c |
    build annotated
explore 0 annotated
says 'Data races were met that do not count as'
./annotated || fail "an annotated program does not run by itself"

# The annotation of a block ends with the block, and with the execution.
build block <<'END'
#include <raddle/annotate.h>
#include <pthread.h>
#include <stdlib.h>

static void *add(void *it) { ++*(int *)it; return it; }

static void add_twice(int *number)
{
    pthread_t one, two;

    pthread_create(&one, NULL, add, number);
    pthread_create(&two, NULL, add, number);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
}

int main(int count, char **arguments)
{
    int *first = calloc(1, sizeof *first), *second;

    RDL_BENIGN_RACE(*first, "nobody reads it");
    add_twice(first);
    free(first);
    second = calloc(1, sizeof *second);
    (void)arguments;
    if (count > 1)
        add_twice(second);
    free(second);
    return 0;
}
END
explore 0 block
timeout 100 "$raddle" explore --schedules 100 -- ./block again >out 2>&1 &&
    fail "a race for a new block is allowed:" "$(cat out)"
says 'data race'

# ---- The code that calls a wrapper ---------------------------------------------------------------

cat >os_mutex.c <<'END'
#include <pthread.h>

void os_mutex_lock(pthread_mutex_t *m) { pthread_mutex_lock(m); }
END
cat >port.c <<'END'
#include <pthread.h>

void grab(pthread_mutex_t *m) { pthread_mutex_lock(m); }
END
cat >twice.c <<'END'
#include <pthread.h>

void LOCK(pthread_mutex_t *m);
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *it)
{
    LOCK(&a); /* ONE A */
    LOCK(&b); /* ONE B */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return it;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, one, NULL);
    LOCK(&b); /* MAIN B */
    LOCK(&a); /* MAIN A */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return pthread_join(thread, NULL);
}
END
line_of() { grep -n "$1" twice.c | cut -d: -f1; }
tells_callers() {
    says "thread 1 waits for mutex .* at twice.c:$(line_of 'ONE B')[ ,]"
    says "which main holds since twice.c:$(line_of 'MAIN B')"
}
for compile in "$raddle cc" "gcc -pthread"; do
    $compile -g -O0 -DLOCK=os_mutex_lock twice.c os_mutex.c -o wrapped
    explore 1 wrapped
    tells_callers
    silent '(waits for|holds since) .* at os_mutex'
    explore 1 wrapped --stacks
    says 'os_mutex.c:3'
    says "twice.c:$(line_of 'ONE B')"

    $compile -g -O0 -DLOCK=grab twice.c port.c -o wrapped
    explore 1 wrapped
    says 'thread 1 waits for mutex .* at port.c:3'
    explore 1 wrapped --wrappers 'x*.c,port.c'
    tells_callers
done
