/* shrink_bench.h -- a test on a tape, run for the shrinker, with every run counted. */
#ifndef TESTS_SHRINK_BENCH_H
#define TESTS_SHRINK_BENCH_H

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "harness.h"
#include "shrink/shrink.h"

enum { ROOM = 4096 };

/* A test that draws on a tape; true if it fails. */
typedef bool test_function(struct rdl__tape *tape);

struct bench {
    struct rdl__tape tape;
    struct rdl__choice choices[ROOM];
    struct rdl__span spans[ROOM];
    test_function *test;
    jmp_buf stopped;
    uint64_t runs;
    uint64_t repeats; /* runs that made the very same choices as one before */
    struct rdl__tree seen;
};

static void stop(void *context, enum rdl__tape_stop why)
{
    struct bench *bench = context;

    (void)why;
    longjmp(bench->stopped, 1);
}

static struct bench *new_bench(test_function *test)
{
    struct bench *bench = rdl__allocate(sizeof *bench);

    bench->test = test;
    bench->tape = (struct rdl__tape){.choices = bench->choices,
                                     .limit = ROOM,
                                     .spans = bench->spans,
                                     .span_limit = ROOM,
                                     .stop = stop,
                                     .stop_context = bench};
    return bench;
}

static void free_bench(struct bench *bench)
{
    rdl__tree_release(&bench->seen);
    free(bench);
}

static bool try_test(struct bench *bench)
{
    volatile bool failed = false;

    if (setjmp(bench->stopped) == 0)
        failed = bench->test(&bench->tape);
    rdl__tape_finish(&bench->tape);
    return failed;
}

static enum rdl__ran run_feed(void *context, const struct rdl__feed *feed, uint32_t limit,
                              struct rdl__made *out_made)
{
    struct bench *bench = context;
    struct rdl__feed again = {.fill_at = RDL__NONE};
    uint64_t indexes[ROOM];
    uint32_t count;
    bool failed;

    bench->runs++;
    bench->tape.limit = limit;
    rdl__tape_from_feed(&bench->tape, feed, 0);
    failed = try_test(bench);
    for (uint32_t i = 0; i < bench->tape.count; i++)
        indexes[i] = bench->choices[i].index;
    again.indexes = indexes;
    again.count = bench->tape.count;
    bench->repeats += rdl__tree_knows(&bench->seen, &again, &count);
    rdl__tree_add(&bench->seen, bench->choices, bench->tape.count);
    *out_made =
        (struct rdl__made){bench->choices, bench->tape.count, bench->spans, bench->tape.span_count};
    return failed ? RDL__RAN_FAIL : RDL__RAN_ELSE;
}

/* One pass of a case with these choices, which fails; how many runs it made. */
__attribute__((unused)) static uint64_t run_pass(struct bench *bench, struct rdl__shrinker *s,
                                                 void (*pass)(struct rdl__shrinker *s),
                                                 const uint64_t *indexes, uint32_t count)
{
    struct rdl__feed feed = {.indexes = indexes, .count = count, .fill_at = RDL__NONE};
    struct rdl__made made;

    s->run = run_feed;
    s->context = bench;
    s->attempts_max = 1000000;
    EXPECT_EQ(run_feed(bench, &feed, ROOM, &made), RDL__RAN_FAIL);
    rdl__made_copy(&s->best, &made);
    s->first_count = made.count;
    rdl__tree_add(&s->tree, made.choices, made.count);
    bench->runs = 0;
    pass(s);
    return bench->runs;
}

#endif
