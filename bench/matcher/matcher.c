/* matcher.c -- the matcher alone, without ports and without threads.
 *
 * Usage: matcher pings|bound EVENTS             the peak of memory is told after a hundredth of
 *                                               them, and after all
 *        matcher single|twins|pairs ORDER TIMES rdl_unordered of 60 events, that come as given
 *                                               (a), reversed (r) or by chance (b)
 *        matcher anew TIMES                     small specs, each copied and compiled, and its
 *                                               events matched, again and again
 *
 * This one sees what is inside of the library; nobody could use it so. */
#include <stdlib.h>
#include <string.h>

#include "../process.h"
#include "../streams/pings.h"
#include "events/events.h"

static struct rdl__program *compile(const struct rdl_step *spec)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);

    if (!program) {
        fprintf(stderr, "matcher: %s\n", error.text);
        exit(2);
    }
    return program;
}

/* ---- Long streams ---------------------------------------------------------------------- */

RDL_SLOT(int, the_id);

static const struct rdl_step *const pings = THREE_EACH;

static const struct rdl_step *const bound = rdl_sequence(
    RULES, rdl_star(rdl_repeat(3, rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id))),
                               rdl_either(rdl_expect(rdl_in(&net, rdl_bound(pong, id, the_id))),
                                          rdl_expect(rdl_in(&net, rdl_is(pong, .id = -1)))))));

static const struct ping one = {1, 0}, two = {2, 0};

#define EVENT(direction, event, value)                                                             \
    {                                                                                              \
        &net, direction, rdl_type(event), value, sizeof(struct ping)                               \
    }
#define EVENTS(value)                                                                              \
    EVENT(RDL_OUT, ping, value), EVENT(RDL_IN, noise, value), EVENT(RDL_IN, pong, value),          \
        EVENT(RDL_OUT, noise, value)

static void take(struct rdl__matcher *m, long count)
{
    static const struct rdl_event rounds[] = {EVENTS(&one), EVENTS(&two)};
    struct rdl__effect effect;

    for (long i = 0; i < count; i++)
        if (rdl__matcher_event(m, &rounds[i % (2 * ROUND)], &effect) != RDL__TAKEN) {
            fprintf(stderr, "matcher: event %ld is refused\n", i + 1);
            exit(2);
        }
}

static void measure_long(const struct rdl_step *spec, long events)
{
    struct rdl__program *program = compile(spec);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    long few = events / 100 / (2 * ROUND) * (2 * ROUND), few_kib;
    double before, cpu;

    peak_kib(); /* to ask takes memory, too: the first time */
    before = bench_cpu();
    take(m, few);
    few_kib = peak_kib();
    take(m, events - few);
    cpu = bench_cpu() - before;
    printf("events=%ld cpu=%.6f few_kib=%ld kib=%ld live=%u\n", events, cpu, few_kib, peak_kib(),
           rdl__matcher_live(m));
    rdl__matcher_free(m);
    rdl__program_free(program);
}

/* ---- Without an order -------------------------------------------------------------------- */

enum { COUNT = 60 };

#define TEN(of, n)                                                                                 \
    of(10 * n + 0), of(10 * n + 1), of(10 * n + 2), of(10 * n + 3), of(10 * n + 4),                \
        of(10 * n + 5), of(10 * n + 6), of(10 * n + 7), of(10 * n + 8), of(10 * n + 9)
#define THIRTY(of) TEN(of, 0), TEN(of, 1), TEN(of, 2)
#define SIXTY(of)  THIRTY(of), TEN(of, 3), TEN(of, 4), TEN(of, 5)

#define SINGLE(n)  rdl_expect(rdl_out(&net, rdl_field(ping, id, (n))))
#define TWIN(n)    rdl_expect(rdl_out(&net, rdl_any(ping)))
#define OF_KIND(n) rdl_expect(rdl_out(&net, rdl_field(ping, kind, (n))))

/* Each has a place of its own; each has any; each has two, and shares one with the event before
 * it and one with that after it. */
static const struct rdl_step *const single = rdl_unordered(SIXTY(SINGLE));
static const struct rdl_step *const twins = rdl_unordered(SIXTY(TWIN));
static const struct rdl_step *const pairs = rdl_unordered(THIRTY(SINGLE), THIRTY(OF_KIND));

static void put_in_order(struct ping *events, const struct rdl_step *spec, char order)
{
    for (int i = 0; i < COUNT; i++) {
        int place = order == 'r' ? COUNT - 1 - i : i;

        events[place] =
            spec == pairs ? (struct ping){(i + 1) / 2 % (COUNT / 2), i / 2} : (struct ping){i, 0};
    }
    srand(1);
    for (int i = COUNT; i > 1 && order == 'b'; i--) {
        int other = rand() % i;
        struct ping last = events[i - 1];

        events[i - 1] = events[other];
        events[other] = last;
    }
}

/* How many events it took; less than all if there were too many ways to understand them. */
static int take_unordered(const struct rdl__program *program, const struct ping *events,
                          uint32_t *most)
{
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    struct rdl__effect effect;
    int taken = 0;

    while (taken < COUNT) {
        struct rdl_event event = EVENT(RDL_OUT, ping, &events[taken]);

        if (rdl__matcher_event(m, &event, &effect) != RDL__TAKEN)
            break;
        taken++;
        *most = rdl__matcher_live(m) > *most ? rdl__matcher_live(m) : *most;
    }
    if (taken == COUNT && !rdl__matcher_is_complete(m))
        taken = -1;
    rdl__matcher_free(m);
    return taken;
}

static void measure_unordered(const struct rdl_step *spec, char order, int times)
{
    double before = bench_cpu(), compiled;
    struct rdl__program *program = compile(spec);
    struct ping events[COUNT];
    uint32_t most = 0;
    int taken = 0;

    compiled = bench_cpu();
    put_in_order(events, spec, order);
    for (int i = 0; i < times; i++)
        taken = take_unordered(program, events, &most);
    printf("compiled=%.9f cpu=%.9f taken=%d most=%u\n", compiled - before,
           (bench_cpu() - compiled) / times, taken, most);
    rdl__program_free(program);
}

/* ---- Specs that live for a few events ------------------------------------------------------- */

#define NUMBER(n) rdl_expect(rdl_out(&net, rdl_is(ping, (n), 0)))

static const struct {
    const char *name;
    const struct rdl_step *spec;
    int events[4]; /* 0 ends them */
} small[] = {
    {"one", NUMBER(1), {1}},
    {"three", rdl_sequence(NUMBER(1), NUMBER(2), NUMBER(3)), {1, 2, 3}},
    {"optional", rdl_sequence(NUMBER(1), rdl_optional(NUMBER(2)), NUMBER(3)), {1, 3}},
    {"either", rdl_either(rdl_sequence(NUMBER(1), NUMBER(2)), NUMBER(3)), {1, 2}},
    {"star", rdl_sequence(rdl_star(NUMBER(1), NUMBER(2)), NUMBER(3)), {1, 2, 3}},
    {"interleaved",
     rdl_interleaved(rdl_sequence(NUMBER(1), NUMBER(2)), rdl_optional(NUMBER(3))),
     {1, 3, 2}},
};

static bool take_small(struct rdl__matcher *m, const int *numbers)
{
    struct rdl__effect effect;

    for (; *numbers; numbers++) {
        struct ping ping = {*numbers, 0};
        struct rdl_event event = EVENT(RDL_OUT, ping, &ping);

        if (rdl__matcher_event(m, &event, &effect) != RDL__TAKEN)
            return false;
    }
    return rdl__matcher_is_complete(m);
}

static bool is_good_anew(size_t i, struct rdl__arena *arena, struct rdl__program *program,
                         struct rdl__matcher *m)
{
    struct rdl__error error;

    rdl__arena_reset(arena);
    if (!rdl__program_reset(program, rdl__step_copy(arena, small[i].spec), &error))
        return false;
    rdl__matcher_reset(m, program, 0);
    return take_small(m, small[i].events);
}

static void measure_anew(int times)
{
    struct rdl__program *program = compile(small[0].spec);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    struct rdl__arena arena = {0};

    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        double before = bench_cpu();
        int good = 0;

        while (good < times && is_good_anew(i, &arena, program, m))
            good++;
        printf("spec=%s times=%d ns=%.0f\n", small[i].name, good,
               (bench_cpu() - before) / times * 1e9);
    }
    rdl__arena_release(&arena);
    rdl__matcher_free(m);
    rdl__program_free(program);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        const struct rdl_step *spec;
    } specs[] = {
        {"pings", pings}, {"bound", bound}, {"single", single}, {"twins", twins}, {"pairs", pairs}};

    if (argc == 3 && strcmp(argv[1], "anew") == 0) {
        measure_anew(atoi(argv[2]));
        return 0;
    }
    for (size_t i = 0; argc > 2 && i < sizeof specs / sizeof *specs; i++) {
        if (strcmp(argv[1], specs[i].name) != 0)
            continue;
        if (argc == 3)
            measure_long(specs[i].spec, atol(argv[2]));
        else
            measure_unordered(specs[i].spec, argv[2][0], atoi(argv[3]));
        return 0;
    }
    return 2;
}
