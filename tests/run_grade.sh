#!/usr/bin/env bash
# run_grade.sh -- raddle grade: every implementation is a row, whatever it does, and the table,
# JSON, the page and the exit status agree; what is wrong with the set-up is said; a token shows
# the same case again; nothing is left behind.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir spec untagged empty bad impl temporary
export TMPDIR=$scratch/temporary NO_COLOR=1
for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done

fail() {
    echo "run_grade.sh: $*" >&2
    exit 1
}

# grade STATUS ARGUMENT...: that is its exit status; all it prints goes to out.
grade() {
    local wanted=$1 status=0
    shift
    timeout 200 "$raddle" grade --seed 1 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "grade $*: status $status:" "$(cat out)"
    [ -z "$(ls -A temporary)" ] || fail "grade $*: leaves" "$(ls -R temporary)"
}

says() {
    for pattern in "$@"; do
        grep -qE -- "$pattern" out || fail "$pattern is not in" "$(cat out)"
    done
}

# ---- A spec, and who claims to meet it -----------------------------------------------------

cat >spec/counter.h <<'END'
typedef struct counter counter;
counter *counter_create(void);
void counter_add(counter *c, int n);
int counter_get(counter *c);
void counter_destroy(counter *c);
END
cat >spec/helper.c <<'END'
int wanted(void);
int wanted(void) { return 2; }
END
cat >spec/spec.c <<'END'
#include <pthread.h>
#include <raddle.h>

#include "counter.h"

int wanted(void);

static void *add_once(void *c)
{
    counter_add(c, 1);
    return NULL;
}

RDL_EXPLORE(two_threads_count_to_two, .cases = 200, .tags = "quick grade", .timeout_ms = 300)
{
    counter *c = counter_create();
    pthread_t one, two;

    pthread_create(&one, NULL, add_once, c);
    pthread_create(&two, NULL, add_once, c);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    rdl_check(counter_get(c) == wanted());
    counter_destroy(c);
}

RDL_PROPERTY(not_asked_for, .tags = "upgrade") { rdl_check(false); }

RDL_MAIN
END
sed 's/ grade"/"/; /not_asked_for/d; /RDL_MAIN/d' spec/spec.c >untagged/spec.c
cp spec/counter.h spec/helper.c untagged
echo 'int x = ;' >bad/spec.c

cat >impl/good.c <<'END'
#include "counter.h"
#include <pthread.h>
#include <stdlib.h>
struct counter { pthread_mutex_t lock; int n; };
counter *counter_create(void) { return calloc(1, sizeof(counter)); }
void counter_add(counter *c, int n)
{
    pthread_mutex_lock(&c->lock);
    c->n += n;
    pthread_mutex_unlock(&c->lock);
}
int counter_get(counter *c) { return c->n; }
void counter_destroy(counter *c) { free(c); }
END
variant() { # NAME SED-COMMAND
    sed "$2" impl/good.c >"impl/$1.c"
    ! cmp -s impl/good.c "impl/$1.c" || fail "variant $1 is not one"
}
variant racy '/_lock(/d; /_unlock(/d'
variant wrong 's/+= n/+= 2 * n/'
variant stuck '/_unlock(/d'
variant aborts 's/c->n += n/abort()/'
variant exits 's/c->n += n/exit(0)/'
variant loops 's/c->n += n/for (;;)/'
variant unlinked 's/counter_get/counter_got/'
variant untyped 's/int counter_get/oops counter_get/'
variant early '$a __attribute__((constructor)) static void early(void) { abort(); }'
variant gone '$a __attribute__((constructor)) static void gone(void) { _Exit(0); }'

# ---- The table -------------------------------------------------------------------------------

grade 1 --spec spec --html page.html --jobs 3 impl/*.c
says '^impl/aborts.c +fail +crash +1 ' '^impl/early.c +fail +crash +1 ' \
    '^impl/exits.c +fail +crash +1 ' '^impl/gone.c +error +- +- +- ' \
    '^impl/good.c +pass +- +- +- ' '^impl/loops.c +fail +livelock +1 ' \
    '^impl/racy.c +fail +bad-spec-impl +1 ' '^impl/stuck.c +fail +deadlock +1 ' \
    '^impl/unlinked.c +error ' 'undefined reference to `counter_get' \
    '^impl/untyped.c +error ' "impl/untyped.c:[0-9:]* error: unknown type name .oops" \
    '^impl/wrong.c +fail +bad-spec-impl +1 ' \
    '^ +1 +7$' '^ +✓ +– +1$' '^ +– +✓ +0$' '^ +✓ +✓ +6$' '^ +– +– +✓ +0$' \
    '^3 could not be judged' '^seed 1$' \
    '^  raddle grade --spec spec impl/aborts.c --replay rdl1'
rows=$(grep -o "^impl/[a-z]*" out)
[ "$rows" = "$(ls impl/*.c | sed "s/\.c\$//")" ] || fail "order:" "$(cat out)"
grep -q 'not_asked_for' out && fail "a test was run that was not asked for"
for part in '<!DOCTYPE html>' 'impl/racy.c:' 'data race between' '</html>'; do
    grep -q -- "$part" page.html || fail "no $part in the page"
done

# The same in JSON, whatever the number of jobs.
timeout 200 "$raddle" grade --seed 1 --format json --jobs 1 --spec spec impl/*.c >json || true
python3 - <<'END' || fail "$(cat json)"
import json, re
rows = json.load(open("json"))
table = {line.split()[0]: line.split() for line in open("out") if re.match(r"impl/\w+\.c ", line)}
assert len(rows) == len(table) == 11
for row in rows:
    want = table[row["file"]]
    assert [row["verdict"], row["class"] or "-", str(row["round"] or "-")] == want[1:4], row
    assert set(row["rounds"]) == {"1", "2", "3"} and row["seconds"] >= 0 and row["seed"] == 1
    assert (row["class"] is not None) == (row["verdict"] == "fail"), row
    assert (row["message"] is None) == (row["verdict"] == "pass"), row
    if row["verdict"] == "fail" and row["file"] != "impl/early.c":
        assert row["token"].startswith("rdl1.") and row["token"] in row["replay"], row
        assert "FAIL" in row["report"] and "temporary" not in row["report"], row
        failing = [f for t in row["tests"] for f in t["failures"]]
        assert row["replay"] in [f["replay"] for f in failing], row
        assert "temporary" not in json.dumps(row["tests"]), row
        assert row["rounds"] == {"1": "fail", "2": "fail", "3": None}, row
    if row["verdict"] == "pass":
        assert row["rounds"] == {"1": "pass", "2": "pass", "3": "pass"}, row
        assert row["tests"] and all(t["verdict"] == "pass" for t in row["tests"]), row
END

# ---- One implementation, and one case of it --------------------------------------------------

grade 0 --spec spec/ impl/good.c
grade 1 --spec=spec -- impl/wrong.c
says 'wrong.c' 'rdl_check\(counter_get\(c\) == wanted\(\)\)' '^To see it again:$'
command=$(sed -n 's/^  raddle grade //p' out)
eval "grade 1 $command"
says 'rdl_check\(counter_get\(c\) == wanted\(\)\)' replayed
grade 0 --spec spec impl/good.c --replay "${command##* }"
grade 1 --spec spec --output report.json --format json impl/wrong.c
says '^impl/wrong.c +fail'
python3 -c 'import json; assert json.load(open("report.json"))[0]["class"] == "bad-spec-impl"'
grade 0 --spec spec --quiet impl/good.c
[ ! -s out ] || fail "--quiet prints" "$(cat out)"
grade 1 --spec spec --verbose --quiet impl/good.c impl/wrong.c
[ "$(sed -E 's/ .*//' out)" = impl/wrong.c ] || fail "--quiet prints" "$(cat out)"
grade 0 --spec spec --time 0.5 impl/good.c
grade 0 --spec spec --keep kept impl/good.c
[ -x kept/1-good/good ] && kept/1-good/good --list >/dev/null || fail "nothing is kept"

# ---- Each round finds what it is there for -----------------------------------------------------

mkdir tickets tickets/impl
cat >tickets/tickets.h <<'END'
typedef struct tickets tickets;
tickets *tickets_create(void);
void tickets_give(tickets *t);
void tickets_take(tickets *t); /* waits while there is none */
void tickets_destroy(tickets *t);
END
cat >tickets/spec.c <<'END'
#include <raddle.h>

#include "tickets.h"

struct state { int count; };

static bool give_pre(const struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count < 8;
}
static void give_post(struct state *s, const struct rdl_nothing *a) { (void)a, s->count++; }
static void give_call(tickets *t, const struct rdl_nothing *a) { (void)a, tickets_give(t); }
static bool take_cpre(const struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}
static void take_post(struct state *s, const struct rdl_nothing *a) { (void)a, s->count--; }
static void take_call(tickets *t, const struct rdl_nothing *a) { (void)a, tickets_take(t); }
static tickets *create(struct rdl_case *t, const struct state *s)
{
    (void)t, (void)s;
    return tickets_create();
}

RDL_TYPES(tickets, struct state, tickets);
RDL_OP(tickets, give, struct rdl_nothing, .pre = give_pre, .post = give_post, .call = give_call);
RDL_OP(tickets, take, struct rdl_nothing, .cpre = take_cpre, .post = take_post, .call = take_call);
RDL_SPEC(tickets, RDL_OPS(tickets, give, take), .create = create, .destroy = tickets_destroy);
RDL_TEST_RESOURCE(tickets_are_taken_once, tickets, .cases = 300, .phases = 8, .tags = "grade");
END
cat >tickets/impl/good.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include "tickets.h"
struct tickets { pthread_mutex_t lock; pthread_cond_t more; int count; };
tickets *tickets_create(void) { return calloc(1, sizeof(tickets)); }
void tickets_destroy(tickets *t) { free(t); }
void tickets_give(tickets *t)
{
    pthread_mutex_lock(&t->lock);
    t->count++;
    pthread_cond_signal(&t->more);
    pthread_mutex_unlock(&t->lock);
}
void tickets_take(tickets *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->count == 0)
        pthread_cond_wait(&t->more, &t->lock);
    t->count--;
    pthread_mutex_unlock(&t->lock);
}
END
sed 's/t->count == 0/t->count < -1/' tickets/impl/good.c >tickets/impl/one.c
sed '/cond_signal/d' tickets/impl/good.c >tickets/impl/two.c
sed 's/while/if/' tickets/impl/good.c >tickets/impl/three.c
grade 1 --spec tickets tickets/impl/*.c
says '/good.c +pass +- +- +- ' '/one.c +fail +bad-spec-impl +1 +1 ' \
    '/two.c +fail +bad-sched +2 +2 ' '/three.c +fail +non-atomic +3 +1 ' \
    '^ +1 +3$' '^ +– +– +✓ +1$'
sed -n 's/^  raddle grade //p' out >commands
while read -r command; do
    eval "grade 1 $command"
    says replayed '<< '
done <commands

# ---- A spec without threads has one round ----------------------------------------------------

mkdir sum sum/include sum/impl
echo 'int sum_up(int by);' >sum/include/sum.h
cat >sum/spec.c <<'END'
#include <raddle.h>
#include <sum.h>

struct state { int sum; };
struct by { int by; };

static void up_args(struct rdl_case *t, const struct state *s, struct by *a)
{
    (void)s;
    a->by = (int)rdl_int(t, 0, 9);
}
static void up_post(struct state *s, const struct by *a, int *r) { *r = s->sum += a->by; }
static void up_call(int *o, const struct by *a, int *r) { *r = *o = *o + sum_up(a->by); }
static int *create(struct rdl_case *t, const struct state *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(int));
}

RDL_TYPES(sum, struct state, int);
RDL_OP_RETURNS(sum, up, struct by, int, .args = up_args, .post = up_post, .call = up_call);
RDL_SPEC(sum, RDL_OPS(sum, up), .create = create);
RDL_TEST_MODEL(it_sums_up, sum);
END
echo '#include <sum.h>
int sum_up(int by) { return by == LIMIT ? 0 : by; }' >sum/impl/it.c
grade 2 --spec sum sum/impl/it.c
says 'sum.h'
refused_flag() { grade 2 --spec sum sum/impl/it.c -I; says '.I needs a value'; }
refused_flag
grade 0 --spec sum -Isum/include -D LIMIT=10 sum/impl/it.c
! grep -q round1 out || fail 'there are no rounds to tell of in' "$(cat out)"
grade 1 --spec sum -I sum/include -DLIMIT=9 --format json sum/impl/it.c
says '"rounds":\{"1":"fail","2":null,"3":null\}' '"class":"bad-spec-impl"' '"phases":1,'
grade 1 --spec sum -I sum/include -DLIMIT=9 sum/impl/it.c
command=$(sed -n 's/^  raddle grade //p' out)
eval "grade 1 $command"
says replayed
grade 0 --spec sum -I sum/include -DLIMIT=10 --time 0.5 --format json sum/impl/it.c
says '"rounds":\{"1":"pass","2":null,"3":null\}'

# ---- Other kinds of files, and of specs -------------------------------------------------------

gcc -shared -fPIC -Ispec -o impl/wrong.so impl/wrong.c
gcc -shared -fPIC -Ispec -Wl,-soname,wrong.so -o impl/good.so impl/good.c # not the other
gcc -c -Ispec -o impl/good.o impl/good.c
ar rc impl/good.a impl/good.o
grade 1 --spec spec impl/wrong.so impl/good.so impl/good.o impl/good.a
says '^impl/wrong.so +fail +bad-spec-impl' '^impl/good.so +pass' '^impl/good.o +pass' \
    '^impl/good.a +pass'
grade 1 --spec untagged impl/good.c impl/wrong.c
says '^impl/good.c +pass' '^impl/wrong.c +fail +bad-spec-impl'

# ---- What is wrong with the set-up is said ----------------------------------------------------

refused() { # PATTERN ARGUMENT...
    local pattern=$1
    shift
    grade 2 "$@"
    says "$pattern"
}
refused 'which implementations' --spec spec
refused 'which spec' impl/good.c
refused 'nosuch: No such file' --spec nosuch impl/good.c
refused 'no directory' --spec impl/good.c impl/good.c
refused 'no C files in empty' --spec empty impl/good.c
refused 'bad/spec.c does not compile' --spec bad impl/good.c
refused 'error: expected' --spec bad impl/good.c
refused 'nosuch.c: No such file' --spec spec impl/good.c nosuch.c
refused 'counter.h\?' --spec spec spec/counter.h
refused 'unknown option --sped' --sped spec impl/good.c
refused '--time' --spec spec --time soon impl/good.c
refused '--format' --spec spec --format tap impl/good.c
refused 'one implementation, not 2' --spec spec --replay rdl1.x.y impl/good.c impl/racy.c
refused 'token' --spec spec --replay nonsense impl/good.c
refused 'cannot write' --spec spec --html nosuch/page.html impl/good.c
if grep -q good.c out; then fail "it graded first, and then could not write"; fi

# ---- Ended by a signal, it leaves nothing behind ------------------------------------------------

# The loop says, by opening it, that it has begun.
mkfifo begun
variant signals 's|c->n += n|{ fclose(fopen("begun", "w")); for (;;); }|; 1i #include <stdio.h>'
sed 's/timeout_ms = 300/timeout_ms = 1000000/' untagged/spec.c >untagged/patient.c
rm untagged/spec.c
"$raddle" grade --spec untagged impl/signals.c impl/good.c >out 2>&1 &
pid=$!
: <begun
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 143 ] || fail "SIGTERM: status $status:" "$(cat out)"
[ -z "$(ls -A temporary)" ] || fail "SIGTERM: leaves" "$(ls -R temporary)"
