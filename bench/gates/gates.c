/* gates.c -- gates and the test clock: what they cost those who pass, and whole tests with them. */
#include <sys/mman.h>

#include "../usage.h"

#include "hot.h"

/* ---- What is measured ------------------------------------------------------------------ */

/* In memory that the workers share: what they print is only seen of tests that fail. */
enum { TOLD_MAX = 16 };
static struct {
    int count;
    struct {
        const char *name;
        double value;
    } items[TOLD_MAX];
} * told;

__attribute__((constructor)) static void share(void)
{
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void tell(const char *name, double value)
{
    if (told->count == TOLD_MAX)
        return;
    told->items[told->count].name = name;
    told->items[told->count++].value = value;
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    for (int i = 0; i < told->count; i++)
        fprintf(stderr, "%s=%.6f\n", told->items[i].name, told->items[i].value);
}

/* ---- Passed ---------------------------------------------------------------------------- */

enum { CALLS = 100000 };

/* `place` is called with a place of each kind, before what comes there is measured. */
static void measure_passed(struct rdl_case *t, void (*place)(struct rdl_case *t, const char *at))
{
    place(t, "begin_long");
    tell("long", ns_at_best(begin_long, CALLS, bench_cpu));
    place(t, "begin_short");
    tell("short", ns_at_best(begin_short, CALLS / 10, bench_cpu));
}

static bool is_false(struct rdl_hit *hit, void *it)
{
    (void)hit, (void)it;
    return false;
}

static bool is_minus_one(struct rdl_hit *hit, void *it)
{
    (void)it;
    return rdl_hit_value(hit, "x", int) == -1;
}

static void place_never(struct rdl_case *t, const char *at)
{
    rdl_at(t, at, .when = is_false);
}

static void place_minus_one(struct rdl_case *t, const char *at)
{
    rdl_at(t, at, .when = is_minus_one);
}

static void place_other_thread(struct rdl_case *t, const char *at)
{
    rdl_gate_at(t, at, .thread = "another");
}

static void place_open(struct rdl_case *t, const char *at)
{
    rdl_gate_open_for_all(rdl_gate_at(t, at));
}

#define PASSED(name)                                                                               \
    RDL_SCHEDULE(name, .free_threads = true)                                                       \
    {                                                                                              \
        measure_passed(t, place_##name);                                                           \
    }                                                                                              \
    RDL_SCHEDULE(controlled_##name)                                                                \
    {                                                                                              \
        measure_passed(t, place_##name);                                                           \
    }

PASSED(never)
PASSED(minus_one)
PASSED(other_thread)
PASSED(open)

/* ---- Never reached ----------------------------------------------------------------------- */

RDL_SCHEDULE(never_reached, .free_threads = true)
{
    rdl_gate_at(t, "begin_never");
    tell("ns", ns_at_best(begin_long, 50 * CALLS, bench_cpu));
}

RDL_SCHEDULE(not_there, .free_threads = true)
{
    (void)t;
    tell("ns", ns_at_best(begin_long, 50 * CALLS, bench_cpu));
}

/* ---- Placed ------------------------------------------------------------------------------ */

static void tell_placing(struct rdl_case *t, const char *name, const char *place)
{
    double before = bench_now();

    rdl_at(t, place);
    tell(name, (bench_now() - before) * 1e3);
}

RDL_SCHEDULE(placed, .free_threads = true)
{
    tell_placing(t, "first", "begin_never");
    tell_placing(t, "other", "begin_long");
    tell_placing(t, "again", "begin_long");
    tell_placing(t, "text", "begin_short:/x + 1/");
    tell_placing(t, "symbol", "libc.so.6!getppid");
}

/* ---- Whole tests ------------------------------------------------------------------------- */

static void call_once(void *unused)
{
    (void)unused;
    begin_long(1);
}

static void with_gate(struct rdl_case *t)
{
    struct rdl_gate *gate = rdl_gate_at(t, "begin_long", .thread = "worker");
    struct rdl_thread *worker = rdl_spawn(t, "worker", call_once, NULL);

    rdl_gate_reached(gate);
    rdl_gate_open(gate);
    rdl_join(worker);
}

static void with_order(struct rdl_case *t)
{
    struct rdl_thread *first, *second;

    rdl_order(t, "second:begin_long -> first:begin_long");
    first = rdl_spawn(t, "first", call_once, NULL);
    second = rdl_spawn(t, "second", call_once, NULL);
    rdl_join(first);
    rdl_join(second);
}

static void without_gate(struct rdl_case *t)
{
    rdl_join(rdl_spawn(t, "worker", call_once, NULL));
}

enum { FREE_CASES = 1000 };

/* Cases that draw data are many: the strategy is never through with all of them. */
#define WHOLE(name)                                                                                \
    RDL_SCHEDULE(whole_##name, .free_threads = true, .cases = FREE_CASES)                          \
    {                                                                                              \
        name(t);                                                                                   \
    }                                                                                              \
    RDL_EXPLORE(controlled_##name, .strategy = "random")                                           \
    {                                                                                              \
        rdl_bool(t);                                                                               \
        name(t);                                                                                   \
    }

WHOLE(without_gate)
WHOLE(with_gate)
WHOLE(with_order)

/* ---- The clock --------------------------------------------------------------------------- */

enum { TICKS = 2000 };

struct sleeper {
    struct rdl_case *t;
    int first;
};

static void await_every_other(void *it)
{
    const struct sleeper *sleeper = it;

    for (int time = sleeper->first; time <= TICKS; time += 2)
        rdl_await(sleeper->t, time);
}

static void measure_ticks(struct rdl_case *t)
{
    struct sleeper odd = {t, 1}, even = {t, 2};
    double before = bench_cpu();
    struct rdl_thread *one = rdl_spawn(t, "odd", await_every_other, &odd);
    struct rdl_thread *two = rdl_spawn(t, "even", await_every_other, &even);

    rdl_join(one);
    rdl_join(two);
    tell("ticks", TICKS / (bench_cpu() - before));
}

RDL_SCHEDULE(ticks, .free_threads = true)
{
    measure_ticks(t);
}

RDL_SCHEDULE(controlled_ticks)
{
    measure_ticks(t);
}
