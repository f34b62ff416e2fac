/* test_viable_large.c -- a dozen concurrent calls, and many phases of eight, can be judged.
 *
 * Times are printed, not tested; that nothing is left undecided, and memory, is tested. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/random.h"
#include "judge/viable.h"
#include "port/clock.h"

enum { MEMORY_MAX_KIB = 100 * 1024, CALLS_MAX = 64 };

/* ---- Warehouses ---- */

struct weights {
    int of[4];
};
struct move {
    int n, weight;
};
RDL_TYPES(warehouse, struct weights, int);

static bool enter_cpre(const struct weights *s, const struct move *a)
{
    return s->of[a->n] + a->weight <= 1000;
}
static void enter_post(struct weights *s, const struct move *a)
{
    s->of[a->n] += a->weight;
}
static bool leave_cpre(const struct weights *s, const struct move *a)
{
    return s->of[a->n] >= a->weight;
}
static void leave_post(struct weights *s, const struct move *a)
{
    s->of[a->n] -= a->weight;
}
static int64_t house_of(const struct move *a)
{
    return a->n;
}
static int64_t weight_of(const struct move *a)
{
    return a->weight;
}
RDL_OP(warehouse, enter, struct move, .cpre = enter_cpre, .post = enter_post, .group = house_of,
       .priority = weight_of);
RDL_OP(warehouse, leave, struct move, .cpre = leave_cpre, .post = leave_post);
RDL_SPEC(warehouse, RDL_OPS(warehouse, enter, leave));

/* ---- A counter whose answers tell the order ---- */

struct number {
    int value;
};
RDL_TYPES(counter, struct number, int);

static void add_post(struct number *s, const struct move *a, int *r)
{
    *r = s->value;
    s->value += 1 + a->n;
}
static bool await_cpre(const struct number *s, const struct move *a)
{
    return s->value >= a->weight;
}
RDL_OP_RETURNS(counter, add, struct move, int, .post = add_post);
RDL_OP(counter, await, struct move, .cpre = await_cpre);
RDL_SPEC(counter, RDL_OPS(counter, add, await));

/* ---- A queue ---- */

struct items {
    int count, value[12];
};
RDL_TYPES(queue, struct items, int);

static bool put_cpre(const struct items *s, const struct move *a)
{
    (void)a;
    return s->count < 12;
}
static void put_post(struct items *s, const struct move *a)
{
    s->value[s->count++] = a->weight;
}
static bool take_cpre(const struct items *s, const struct move *a)
{
    (void)a;
    return s->count > 0;
}
static void take_post(struct items *s, const struct move *a, int *r)
{
    (void)a;
    *r = s->value[0];
    memmove(s->value, s->value + 1, sizeof s->value - sizeof *s->value);
    s->value[11] = 0;
    s->count--;
}
RDL_OP(queue, put, struct move, .cpre = put_cpre, .post = put_post);
RDL_OP_RETURNS(queue, take, struct move, int, .cpre = take_cpre, .post = take_post);
RDL_SPEC(queue, RDL_OPS(queue, put, take));

/* ---- Readers and writers, with `enabled` of their own ---- */

struct inside {
    int readers, writers;
};
RDL_TYPES(rw, struct inside, int);

static bool read_cpre(const struct inside *s, const struct move *a)
{
    (void)a;
    return s->writers == 0;
}
static bool read_enabled(const struct inside *s, const struct move *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "before_write") == 0;
}
static void read_begins(struct inside *s, const struct move *a)
{
    (void)a;
    s->readers++;
}
static bool after_read_cpre(const struct inside *s, const struct move *a)
{
    (void)a;
    return s->readers > 0;
}
static void read_ends(struct inside *s, const struct move *a)
{
    (void)a;
    s->readers--;
}
static bool write_cpre(const struct inside *s, const struct move *a)
{
    (void)a;
    return s->writers == 0 && s->readers == 0;
}
static void write_begins(struct inside *s, const struct move *a)
{
    (void)a;
    s->writers = 1;
}
static bool after_write_cpre(const struct inside *s, const struct move *a)
{
    (void)a;
    return s->writers > 0;
}
static void write_ends(struct inside *s, const struct move *a)
{
    (void)a;
    s->writers = 0;
}
RDL_OP(rw, before_read, struct move, .cpre = read_cpre, .enabled = read_enabled,
       .post = read_begins);
RDL_OP(rw, after_read, struct move, .cpre = after_read_cpre, .post = read_ends);
RDL_OP(rw, before_write, struct move, .cpre = write_cpre, .post = write_begins);
RDL_OP(rw, after_write, struct move, .cpre = after_write_cpre, .post = write_ends);
RDL_SPEC(rw, RDL_OPS(rw, before_read, after_read, before_write, after_write));

/* ---- A policy of one's own: nobody goes alone, and the last to come is served first ---- */

static bool late_enabled(const void *p, const void *info, const struct rdl_call *call,
                         const void *s, const struct rdl_queue *q)
{
    (void)p, (void)info, (void)call, (void)s;
    return rdl_waiting(q, NULL) > 0 && rdl_older(q, NULL) == rdl_waiting(q, NULL);
}
static const struct rdl_policy late_policy = {.name = "late", .enabled = late_enabled};

/* ---- A resource that does what the spec says ---- */

struct made {
    struct rdl_call call;
    struct move args;
    int answer;
};

struct resource {
    const struct rdl_spec *spec;
    struct rdl__viable *v;
    struct rdl__random random;
    _Alignas(8) unsigned char state[64];
    struct made *waiting[CALLS_MAX]; /* in the order of arrival */
    uint32_t count, number;
    double seconds;
};

static int upto(struct resource *r, int max)
{
    return (int)rdl__random_upto(&r->random, (uint64_t)max);
}

static void start(struct resource *r, const struct rdl_spec *spec, uint64_t seed)
{
    *r = (struct resource){.spec = spec};
    rdl__random_seed(&r->random, seed);
    r->v = rdl__viable_new(spec, r->state, RDL__WITH_POLICY | RDL__WITH_LIVENESS);
}

static void stop(struct resource *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        free(r->waiting[i]);
    rdl__viable_free(r->v);
}

/* It arrives somewhere behind those that waited before the phase. */
static void begin(struct resource *r, const char *operation, struct move args, uint32_t old)
{
    struct made *made = rdl__allocate(sizeof *made);
    uint32_t at = old + (uint32_t)upto(r, (int)(r->count - old));

    rdl__bug_if(r->count == CALLS_MAX);
    made->args = args;
    made->call = (struct rdl_call){.operation = rdl__operation_named(r->spec, operation),
                                   .args = &made->args,
                                   .number = ++r->number,
                                   .client = r->number};
    memmove(&r->waiting[at + 1], &r->waiting[at], (r->count++ - at) * sizeof(struct made *));
    r->waiting[at] = made;
    rdl__viable_begin(r->v, &made->call);
}

static bool may_go(const struct resource *r, uint32_t i)
{
    const struct rdl_call *calls[CALLS_MAX];
    struct rdl_queue queue = {.calls = calls, .count = r->count, .self = i};
    const struct rdl_call *call = &r->waiting[i]->call;

    for (uint32_t k = 0; k < r->count; k++)
        calls[k] = &r->waiting[k]->call;
    return rdl__cpre(call->operation, r->state, call->args) &&
           rdl__enabled(r->spec, r->state, NULL, NULL, &queue);
}

/* Serve one of those that may go, and take it out of the queue.  NULL: there is none. */
static struct made *serve_one(struct resource *r)
{
    uint32_t first = r->count ? (uint32_t)upto(r, (int)r->count - 1) : 0;

    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t i = (first + k) % r->count;
        struct made *made = r->waiting[i];

        if (!may_go(r, i))
            continue;
        rdl__post(r->spec, &made->call, r->state, 0, &made->answer);
        memmove(&r->waiting[i], &r->waiting[i + 1], (--r->count - i) * sizeof(struct made *));
        return made;
    }
    return NULL;
}

/* Serve all that can be.  `lie` is added to the last answer; `refuse` of them never hear
 * that they were served.  Then: is it explained? */
static enum rdl__judgement finish_phase(struct resource *r, int lie, int refuse)
{
    struct made *served[CALLS_MAX], *made;
    int count = 0;
    double before;
    enum rdl__judgement judgement;

    while ((made = serve_one(r)))
        served[count++] = made;
    for (int i = 0; i < count; i++) {
        if (i == count - 1)
            served[i]->answer += lie;
        if (i < count - refuse)
            rdl__viable_return(r->v, served[i]->call.number,
                               served[i]->call.operation->answer_size ? &served[i]->answer : NULL);
        free(served[i]);
    }
    before = (double)rdl__now_ns();
    judgement = rdl__viable_quiet(r->v);
    r->seconds += ((double)rdl__now_ns() - before) / 1e9;
    return judgement;
}

static long memory_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void report(const struct resource *r, const char *what, long memory_before)
{
    long grown = memory_kib() - memory_before;

    printf("  %-60s %8.3f s, %ld KiB\n", what, r->seconds, grown);
    EXPECT(grown < MEMORY_MAX_KIB);
}

static void begin_moves(struct resource *r, int calls, int houses, int heaviest, int leaving)
{
    uint32_t old = r->count;

    for (int i = 0; i < calls; i++) {
        struct move a = {.n = upto(r, houses - 1),
                         .weight = 100 * (1 + upto(r, heaviest / 100 - 1))};

        begin(r, upto(r, 99) < leaving ? "leave" : "enter", a, old);
    }
}

static void try_warehouse(const struct rdl_policy *policy)
{
    struct rdl_spec spec = *rdl_spec_warehouse;
    static const char *const what[] = {"as it should be", "one waits that could go on",
                                       "two wait that could go on"};

    spec.policy = policy;
    for (int houses = 1; houses <= 4; houses += 3)
        for (int refuse = 0; refuse <= 2; refuse++) {
            struct resource r;
            long before = memory_kib();
            struct rdl__text title = {0};
            enum rdl__judgement judgement;

            start(&r, &spec, 7 + (uint64_t)houses);
            begin_moves(&r, 12, houses, 1100, 0);
            EXPECT_EQ(finish_phase(&r, 0, 0), RDL__EXPLAINED);
            begin_moves(&r, 12, houses, 1100, 33);
            judgement = finish_phase(&r, 0, refuse);
            EXPECT(judgement != RDL__UNDECIDED);
            EXPECT(refuse > 0 || judgement == RDL__EXPLAINED);
            rdl__text_add(&title, "%s, %d houses, %s", policy->name, houses, what[refuse]);
            report(&r, title.bytes, before);
            rdl__text_release(&title);
            stop(&r);
        }
}

TEST(twelve_moves_are_judged_under_any_policy)
{
    try_warehouse(RDL_ALWAYS);
    try_warehouse(RDL_FIFO);
    try_warehouse(RDL_FIFO_PER_OP);
    try_warehouse(RDL_PRIORITY);
}

static void try_counter(int lie, int awaiting, const char *what)
{
    struct resource r;
    long before = memory_kib();

    start(&r, rdl_spec_counter, 3);
    for (int i = 0; i < 12; i++)
        begin(&r, i < awaiting ? "await" : "add",
              (struct move){.n = i % 3, .weight = 1000 * (i % 2)}, 0);
    EXPECT_EQ(finish_phase(&r, lie, 0), lie ? RDL__UNEXPLAINED : RDL__EXPLAINED);
    report(&r, what, before);
    stop(&r);
}

TEST(twelve_additions_are_judged)
{
    try_counter(0, 0, "counter, as it should be");
    try_counter(1000, 0, "counter, a wrong answer");
    try_counter(0, 6, "counter, some wait, as it should be");
}

/* Answers that no order gives, found only after all orders: 0, 0, 1, 2, ... */
TEST(twelve_additions_with_the_same_answer_twice_are_judged)
{
    struct rdl__viable *v = rdl__viable_new(rdl_spec_counter, &(struct number){0}, 0);
    struct move args = {.n = 0};

    for (uint32_t i = 1; i <= 12; i++)
        rdl__viable_begin(
            v, &(struct rdl_call){.operation = rdl__operation_named(rdl_spec_counter, "add"),
                                  .args = &args,
                                  .number = i,
                                  .client = i});
    for (uint32_t i = 1; i <= 12; i++)
        rdl__viable_return(v, i, &(int){i == 1 ? 0 : (int)i - 2});
    EXPECT_EQ(rdl__viable_quiet(v), RDL__UNEXPLAINED);
    EXPECT_EQ(rdl__viable_blame(v), RDL__BLAME_RETURNED);
    rdl__viable_free(v);
}

static void try_queue(int puts, int lie, const char *what)
{
    struct resource r;
    long before = memory_kib();

    start(&r, rdl_spec_queue, 5);
    for (int i = 0; i < 12; i++)
        begin(&r, i < puts ? "put" : "take", (struct move){.weight = i}, 0);
    EXPECT_EQ(finish_phase(&r, lie, 0), lie ? RDL__UNEXPLAINED : RDL__EXPLAINED);
    report(&r, what, before);
    stop(&r);
}

TEST(six_puts_and_six_takes_are_judged)
{
    try_queue(6, 0, "queue, as it should be");
    try_queue(6, 1000, "queue, something that nobody has put");
    try_queue(4, 0, "queue, half of those who take wait");
}

/* In which order they were put is not known until they are taken. */
TEST(puts_are_ordered_by_what_is_taken_later)
{
    for (int puts = 4; puts <= 8; puts++)
        for (int lie = 0; lie <= 1000; lie += 1000) {
            struct resource r;
            long before = memory_kib();
            struct rdl__text title = {0};

            start(&r, rdl_spec_queue, 9);
            for (int i = 0; i < puts; i++)
                begin(&r, "put", (struct move){.weight = i}, 0);
            EXPECT_EQ(finish_phase(&r, 0, 0), RDL__EXPLAINED);
            for (int i = 0; i < puts; i++) {
                begin(&r, "take", (struct move){0}, 0);
                EXPECT_EQ(finish_phase(&r, i == puts - 1 ? lie : 0, 0),
                          i == puts - 1 && lie ? RDL__UNEXPLAINED : RDL__EXPLAINED);
            }
            rdl__text_add(&title, "%d puts, taken one by one%s", puts, lie ? ", a wrong one" : "");
            report(&r, title.bytes, before);
            rdl__text_release(&title);
            stop(&r);
        }
}

/* Those that still wait go into the next phase, next to eight new ones. */
static void try_phases(const struct rdl_policy *policy, int refuse)
{
    struct rdl_spec spec = *rdl_spec_warehouse;
    struct resource r;
    long before = memory_kib();
    struct rdl__text title = {0};
    enum rdl__judgement judgement = RDL__EXPLAINED;
    uint32_t waited = 0;
    int phase = 0;

    spec.policy = policy;
    start(&r, &spec, 11);
    for (; phase < 20 && judgement == RDL__EXPLAINED; phase++) {
        begin_moves(&r, r.count < 24 ? 8 : 1, 2, 300, 50);
        waited += r.count;
        judgement = finish_phase(&r, 0, phase == 19 ? refuse : 0);
        EXPECT(judgement != RDL__UNDECIDED);
        EXPECT(judgement == RDL__EXPLAINED || (refuse && phase == 19));
    }
    rdl__text_add(&title, "%s, 20 phases of %u%s", policy->name, waited / 20,
                  refuse ? ", one waits that could go" : "");
    report(&r, title.bytes, before);
    rdl__text_release(&title);
    stop(&r);
}

TEST(twenty_phases_of_eight_are_judged)
{
    for (int refuse = 0; refuse <= 1; refuse++) {
        try_phases(RDL_ALWAYS, refuse);
        try_phases(RDL_FIFO, refuse);
        try_phases(RDL_FIFO_PER_OP, refuse);
        try_phases(RDL_PRIORITY, refuse);
    }
}

/* Policies that go by the order in which all have come are harder: with a dozen calls it
 * may remain undecided, but not at any price, and it is never decided wrongly. */
TEST(policies_of_any_kind_take_bounded_memory)
{
    struct rdl_spec spec = *rdl_spec_warehouse;

    spec.policy = &late_policy;
    for (int calls = 6; calls <= 12; calls += 2)
        for (int refuse = 0; refuse <= 1; refuse++) {
            struct resource r;
            long before = memory_kib();
            struct rdl__text title = {0};
            enum rdl__judgement judgement;

            start(&r, &spec, 13);
            begin_moves(&r, calls, 2, 1100, 0);
            judgement = finish_phase(&r, 0, refuse);
            EXPECT(calls > 6 || judgement != RDL__UNDECIDED);
            EXPECT(refuse || judgement != RDL__UNEXPLAINED);
            rdl__text_add(&title, "last come, first served: %d calls, %s", calls,
                          judgement == RDL__UNDECIDED ? "undecided" : "decided");
            report(&r, title.bytes, before);
            rdl__text_release(&title);
            stop(&r);
        }
}

/* Phases of readers and writers; how many of them remain undecided. */
static int try_readers(int calls, int phases, int refuse, bool alike, uint64_t seed,
                       double *slowest)
{
    static const char *const operations[] = {"before_read", "after_read", "before_write",
                                             "after_write"};
    struct resource r;
    enum rdl__judgement judgement = RDL__EXPLAINED;

    start(&r, rdl_spec_rw, seed);
    for (int phase = 0; phase < phases && judgement == RDL__EXPLAINED; phase++) {
        uint32_t old = r.count;

        for (int i = 0; i < calls && r.count < 24; i++)
            begin(&r, operations[upto(&r, 3)], (struct move){.n = alike ? 0 : i}, old);
        judgement = finish_phase(&r, 0, phase == phases - 1 ? refuse : 0);
        EXPECT(refuse || judgement != RDL__UNEXPLAINED);
    }
    if (r.seconds > *slowest)
        *slowest = r.seconds;
    stop(&r);
    return judgement == RDL__UNDECIDED;
}

static void sweep_readers(int calls, int phases, int refuse, bool alike)
{
    long before = memory_kib();
    double slowest = 0;
    int undecided = 0, seeds = soak() ? 20 : 3;

    for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++)
        undecided += try_readers(calls, phases, refuse, alike, seed, &slowest);
    printf("  readers and writers: %2d phases of %2d%s%s: %d of %d undecided, slowest %.3f s\n",
           phases, calls, alike ? "" : ", no two alike", refuse ? ", one waits that could go" : "",
           undecided, seeds, slowest);
    EXPECT(memory_kib() - before < MEMORY_MAX_KIB);
}

TEST(readers_and_writers_are_judged)
{
    for (int alike = 0; alike <= 1; alike++)
        for (int refuse = 0; refuse <= 1; refuse++) {
            sweep_readers(4, 20, refuse, alike);
            sweep_readers(8, 20, refuse, alike);
            sweep_readers(12, 3, refuse, alike);
            sweep_readers(12, 1, refuse, alike);
        }
}
