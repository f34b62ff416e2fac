/* covered.c -- what the passing cases of a test mean: the one place that says so. */
#include "check/covered.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/sched/calls.h"
#include "port/lines.h"
#include "port/symbols.h"

enum { NAMES_SHOWN = 3 };
#define OF_TEST   "rdl_property_" /* how the body of a test is called, before its name */
#define OF_HEADER "rdl__"         /* a function that Raddle's headers have made part of a spec */

/* ---- What workers bring ----------------------------------------------------------------- */

/* How many schedules were different, each worker knows of its own; of several, the largest number
 * is a lower bound. */
void rdl__covered_take_in(struct rdl__covered *coverage, const struct rdl__explored *explored,
                          bool alone)
{
    struct rdl__tally *tally = &coverage->explored.tally;
    const struct rdl__tally *other = &explored->tally;
    uint32_t threads = tally->threads > other->threads ? tally->threads : other->threads;

    rdl__limits_merge(&coverage->explored.limits, &explored->limits);
    coverage->explored.instrumented |= explored->instrumented;
    coverage->explored.volatile_shared |= explored->volatile_shared;
    coverage->explored.volatile_ordered |= explored->volatile_ordered;
    if (other->done || (!tally->done && other->schedules >= tally->schedules))
        *tally = *other;
    tally->at_least |= !alone && !tally->done;
    tally->threads = threads;
}

/* ---- Names ------------------------------------------------------------------------------- */

/* Code that was met by its address gets the name of its function; two places in a function are
 * one fact. */
static void name_functions(struct rdl__limits *limits)
{
    struct rdl__limits named = {.more = limits->more};

    for (uint32_t i = 0; i < limits->count; i++) {
        struct rdl__limit limit = limits->all[i];
        struct rdl__limits one = {.count = 1};

        if (limit.pc)
            rdl__symbol_find(rdl__place_code(limit.pc), limit.what, sizeof limit.what, limit.where,
                             sizeof limit.where);
        if (strncmp(limit.what, OF_TEST, strlen(OF_TEST)) == 0)
            memmove(limit.what, limit.what + strlen(OF_TEST),
                    strlen(limit.what + strlen(OF_TEST)) + 1);
        else if (strncmp(limit.what, OF_HEADER, strlen(OF_HEADER)) == 0)
            snprintf(limit.what, sizeof limit.what, "a spec");
        if (limit.kind == RDL__LIMIT_UNKNOWN && !limit.where[0] && rdl__call_row(limit.what))
            snprintf(limit.where, sizeof limit.where, "libc.so.6");
        limit.pc = 0;
        one.all[0] = limit;
        rdl__limits_merge(&named, &one);
    }
    *limits = named;
}

static int compare_counts(const void *a, const void *b)
{
    const struct rdl__limit *one = a, *two = b;

    if (one->count != two->count)
        return one->count > two->count ? -1 : 1;
    return strcmp(one->what, two->what);
}

/* The next one of this kind after i; limits->count: there is none. */
static uint32_t next_of(const struct rdl__limits *limits, enum rdl__limit_kind kind, uint32_t i)
{
    while (i < limits->count && limits->all[i].kind != kind)
        i++;
    return i;
}

/* "`get` and `put` of libcache.so, `main` of bank and 2 other functions"; returns how many. */
static uint32_t add_names(struct rdl__text *out, const struct rdl__limits *limits,
                          enum rdl__limit_kind kind, const char *noun)
{
    uint32_t count = 0, shown = 0, i, next;

    for (i = next_of(limits, kind, 0); i < limits->count; i = next_of(limits, kind, i + 1))
        count++;
    for (i = next_of(limits, kind, 0); i < limits->count && shown < NAMES_SHOWN; i = next) {
        const char *module = limits->all[i].where;

        next = next_of(limits, kind, i + 1);
        if (shown++)
            rdl__text_add(out, shown == count ? " and " : ", ");
        if (strcmp(limits->all[i].what, "assembly") == 0) { /* of a function */
            rdl__text_add(out, "assembly in `%s`", module);
            continue;
        }
        rdl__text_add(out, "`");
        if (kind == RDL__LIMIT_PROCESS) /* a file name, which may begin with a dot */
            rdl__text_add(out, "%s", limits->all[i].what);
        else
            rdl__symbol_add_plain(out, limits->all[i].what);
        rdl__text_add(out, "`");
        if (module[0] && (shown == NAMES_SHOWN || next == limits->count ||
                          strcmp(limits->all[next].where, module) != 0))
            rdl__text_add(out, " of %s", module);
    }
    if (count > shown)
        rdl__text_add(out, " and %s%u other %s%s", limits->more ? "at least " : "", count - shown,
                      noun, count - shown == 1 ? "" : "s");
    return count;
}

/* ---- Bounds ------------------------------------------------------------------------------- */

static bool is_explored(const struct rdl__covered *coverage)
{
    return coverage->explored.tally.schedules > 0;
}

/* "at most 2 preemptions", "no preemptions" */
static void add_bound(struct rdl__text *out, const struct rdl__tally *tally)
{
    if (strncmp(tally->bound, "0 ", 2) == 0)
        rdl__text_add(out, "no %s", tally->bound + 2);
    else
        rdl__text_add(out, "at most %s", tally->bound);
}

bool rdl__covered_bound(const struct rdl__covered *coverage, uint32_t n, struct rdl__text *out)
{
    const struct rdl__tally *tally = &coverage->explored.tally;
    const struct rdl__limits *limits = &coverage->explored.limits;

    if (is_explored(coverage) && !tally->done && n-- == 0) {
        rdl__text_add(out, "the search stopped before every schedule was tried");
        return true;
    }
    if (tally->bound[0] && n-- == 0) {
        rdl__text_add(out, "schedules with ");
        add_bound(out, tally);
        return true;
    }
    if (tally->fair && n-- == 0) {
        rdl__text_add(out, "fair schedules: a thread that asks again and again lets others go");
        return true;
    }
    if (tally->by_design && n-- == 0) {
        rdl__text_add(out, "schedules that the strategy is made for");
        return true;
    }
    if (tally->of == RDL__ORDERS && n-- == 0) {
        rdl__text_add(out, "orders of calls, not of accesses to memory");
        return true;
    }
    for (uint32_t i = 0; i < limits->count; i++)
        if (limits->all[i].kind == RDL__LIMIT_BOUND && n-- == 0) {
            rdl__text_add(out, "%s", limits->all[i].what);
            return true;
        }
    return false;
}

/* ---- The sentence --------------------------------------------------------------------------- */

static bool is_complete(const struct rdl__explored *explored)
{
    const struct rdl__tally *tally = &explored->tally;

    return tally->done && !tally->fair && !tally->by_design && !tally->bound[0] &&
           (tally->of == RDL__SCHEDULES || tally->of == RDL__DISTINGUISHABLE) &&
           explored->limits.count == 0 && !explored->limits.more;
}

static const char *noun_of(const struct rdl__tally *tally)
{
    return tally->of == RDL__DISTINGUISHABLE ? "distinguishable schedule" : "schedule";
}

/* "all 7 distinguishable schedules": every word of it is true. */
static void add_all(struct rdl__text *out, uint64_t count, const char *noun)
{
    assert(count > 0);
    rdl__text_add(out, count == 1 ? "the only %s" : "all ", noun);
    if (count > 1)
        rdl__text_add_many(out, count, noun);
}

/* "every schedule with at most 2 preemptions (31)": nothing is left within the bounds. */
static void add_every(struct rdl__text *out, const struct rdl__tally *tally)
{
    if (tally->by_design && tally->schedules == 1) {
        rdl__text_add(out, "the one schedule of this strategy");
        return;
    }
    rdl__text_add(out, "every %s%s", tally->fair ? "fair " : "",
                  tally->by_design           ? "order that is left open"
                  : tally->of == RDL__ORDERS ? "order of calls"
                                             : noun_of(tally));
    if (tally->bound[0]) {
        rdl__text_add(out, " with ");
        add_bound(out, tally);
    }
    rdl__text_add(out, " (");
    rdl__text_add_count(out, tally->schedules);
    rdl__text_add(out, ")");
}

static bool is_unseen(const struct rdl__limits *limits)
{
    return rdl__limits_has(limits, RDL__LIMIT_UNSEEN) ||
           rdl__limits_has(limits, RDL__LIMIT_UNKNOWN);
}

/* "100 different orders of the calls that Raddle sees passed." */
static void add_different(struct rdl__text *out, const struct rdl__explored *explored,
                          const char *verb)
{
    const struct rdl__tally *tally = &explored->tally;
    bool orders = is_unseen(&explored->limits) || tally->of == RDL__ORDERS;

    rdl__text_add(out, tally->at_least ? "At least " : "");
    rdl__text_add_count(out, tally->schedules);
    rdl__text_add(out, "%s %s%s", tally->schedules == 1 ? "" : " different",
                  orders ? "order" : "schedule", tally->schedules == 1 ? "" : "s");
    rdl__text_add(out, "%s %s.", orders ? " of the calls that Raddle sees" : "", verb);
    if (tally->bound[0]) {
        rdl__text_add(out, " They have ");
        add_bound(out, tally);
        rdl__text_add(out, ".");
    }
}

static void add_limits(struct rdl__text *out, const struct rdl__explored *explored)
{
    const struct rdl__limits *limits = &explored->limits;
    struct rdl__text names = {0};
    uint32_t count = add_names(&names, limits, RDL__LIMIT_UNSEEN, "function");

    if (count && !explored->instrumented)
        rdl__text_add(out, " It did not see what the program does between them: compile it with "
                           "`raddle cc`.");
    else if (count)
        rdl__text_add(out,
                      " It did not see what %s do%s between them: compile %s with `raddle cc`.",
                      names.bytes, count == 1 ? "es" : "", count == 1 ? "it" : "them");
    rdl__text_clear(&names);
    if (add_names(&names, limits, RDL__LIMIT_UNKNOWN, "call"))
        rdl__text_add(out, " It does not know all that %s can touch.", names.bytes);
    rdl__text_clear(&names);
    if (add_names(&names, limits, RDL__LIMIT_PROCESS, "program"))
        rdl__text_add(out, " It did not control %s, which the program started.", names.bytes);
    for (uint32_t i = 0; i < limits->count; i++)
        if (limits->all[i].kind == RDL__LIMIT_BOUND)
            rdl__text_add(out, " %c%s.", limits->all[i].what[0] & ~0x20, limits->all[i].what + 1);
        else if (limits->all[i].kind == RDL__LIMIT_UNLIKE)
            rdl__text_add(out, " Executions do not begin alike: %s.", limits->all[i].what);
    rdl__text_release(&names);
}

/* Threads are controlled, and schedules are all that cases differ in.  A test that failed has no
 * more than a number of them: the search ended there, and "every" would be about nothing. */
static void settle_explored(struct rdl__covered *covered, uint64_t cases, bool passed,
                            struct rdl__text *count, struct rdl__text *sentence)
{
    const struct rdl__explored *explored = &covered->explored;
    const struct rdl__tally *tally = &explored->tally;

    covered->complete = is_complete(explored) && passed;
    if (passed && tally->done && tally->by_design) {
        add_every(count, tally);
        if (explored->limits.count)
            add_different(sentence, explored, "passed");
    } else if (tally->threads <= 1) {
        rdl__text_add(count, rdl__limits_has(&explored->limits, RDL__LIMIT_PROCESS)
                                 ? "no second thread was seen, but not all processes were"
                             : rdl__limits_has(&explored->limits, RDL__LIMIT_BOUND)
                                 ? "no second thread was seen"
                                 : "no second thread was ever started: there was nothing to "
                                   "schedule");
    } else if (covered->complete) {
        add_all(count, tally->schedules, noun_of(tally));
    } else if (passed && tally->done && explored->limits.count == 0) {
        add_every(count, tally);
    } else {
        rdl__text_add_many(count, cases, "schedule");
        add_different(sentence, explored,
                      passed                  ? "passed"
                      : tally->schedules == 1 ? "was tried"
                                              : "were tried");
    }
}

/* That accesses of one thread come before those of another, since a volatile store was seen by a
 * volatile load; or at least that such accesses met, as C has data races. */
static void add_note(struct rdl__text *out, const struct rdl__explored *explored)
{
    if (explored->volatile_ordered)
        rdl__text_add(out, "Volatile variables, or inline assembly, put accesses in order, which C "
                           "does not promise; --volatile plain reports where.");
    else if (explored->volatile_shared)
        rdl__text_add(out, "Threads share volatile variables, or memory of inline assembly, which "
                           "is a data race in C; --volatile plain reports where.");
}

void rdl__covered_settle(struct rdl__covered *covered, const struct rdl_test *test, uint64_t cases,
                         bool exhausted, bool passed)
{
    struct rdl__limits *limits = &covered->explored.limits;
    struct rdl__text count = {0}, sentence = {0}, note = {0};

    name_functions(limits);
    qsort(limits->all, limits->count, sizeof *limits->all, compare_counts);
    if (test->options.explore && !test->options.spec && is_explored(covered)) {
        settle_explored(covered, cases, passed, &count, &sentence);
    } else {
        covered->complete = exhausted && !test->options.explore && passed;
        rdl__text_add(&count, covered->complete ? "all " : "");
        rdl__text_add_many(&count, cases, test->options.explore ? "schedule" : "case");
        if (is_explored(covered))
            add_different(&sentence, &covered->explored, passed ? "passed" : "were tried");
    }
    add_limits(&sentence, &covered->explored);
    add_note(&note, &covered->explored);
    snprintf(covered->note, sizeof covered->note, "%s", rdl__text_string(&note));
    snprintf(covered->count, sizeof covered->count, "%s", count.bytes);
    snprintf(covered->sentence, sizeof covered->sentence, "%s",
             sentence.count ? sentence.bytes + (sentence.bytes[0] == ' ') : "");
    rdl__text_release(&note);
    rdl__text_release(&count);
    rdl__text_release(&sentence);
}
