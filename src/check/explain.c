/* explain.c -- which of the values in a failing case matter, and how.
 *
 * One value at a time is changed and the case run again.  A small range is tried
 * whole; what is said of a large one rests on a dozen values, the ends and the
 * next one among them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "check/plan.h"

enum { TRIED_WHOLE = 12, RUNS_MAX = 80, SHUFFLES = 4 };

struct explaining {
    struct rdl__session *session;
    const struct rdl_test *test;
    struct rdl__failure *failure;
    struct rdl__random random;
    uint64_t *indexes;
    int runs;
    bool reshaped; /* a change made the test draw other things: it shows nothing */
};

/* How changed values did: those further from the simplest on the same side, and
 * those on the other side or closer. */
struct tally {
    int beyond, beyond_failed;
    int other, other_failed;
    bool whole; /* every value there is was tried */
};

static void restore(struct explaining *e)
{
    for (uint32_t i = 0; i < e->failure->made.count; i++)
        e->indexes[i] = e->failure->made.choices[i].index;
}

/* Did the case draw the same things, but for their values? */
static bool same_shape(const struct rdl__made *made, const struct rdl__tape *tape)
{
    if (made->count != tape->count)
        return false;
    for (uint32_t i = 0; i < made->count; i++)
        if (made->choices[i].kind != tape->choices[i].kind ||
            made->choices[i].max != tape->choices[i].max)
            return false;
    return true;
}

static bool fails(struct explaining *e)
{
    struct rdl__board *board = rdl__first_board(e->session);
    struct rdl__feed feed = {
        .indexes = e->indexes, .count = e->failure->made.count, .fill_at = RDL__NONE};

    e->runs++;
    if (!rdl__run_feed(e->session, e->test, &e->failure->settings, &feed, false) ||
        board->outcome.verdict != RDL__FAILED ||
        board->outcome.origin != e->failure->outcome.origin)
        return false;
    e->reshaped = e->reshaped || !same_shape(&e->failure->made, &board->tape);
    return true;
}

static void try_index(struct explaining *e, uint32_t at, uint64_t index, struct tally *tally)
{
    const struct rdl__choice *choice = &e->failure->made.choices[at];
    struct rdl__offset was = rdl__offset_of(choice->index, choice->max, choice->below);
    struct rdl__offset now = rdl__offset_of(index, choice->max, choice->below);
    bool beyond = now.distance > was.distance && now.negative == (was.distance && was.negative);
    bool failed;

    if (index == choice->index || e->runs >= RUNS_MAX)
        return;
    restore(e);
    e->indexes[at] = index;
    failed = fails(e);
    if (beyond) {
        tally->beyond++;
        tally->beyond_failed += failed;
    } else {
        tally->other++;
        tally->other_failed += failed;
    }
}

static void try_offset(struct explaining *e, uint32_t at, uint64_t distance, bool negative,
                       struct tally *tally)
{
    const struct rdl__choice *choice = &e->failure->made.choices[at];
    uint64_t reach = rdl__reach(negative, choice->max, choice->below);

    if (distance > reach)
        distance = reach;
    try_index(e, at,
              rdl__index_of((struct rdl__offset){distance, negative && distance}, choice->max,
                            choice->below),
              tally);
}

static struct tally try_values(struct explaining *e, uint32_t at)
{
    const struct rdl__choice *choice = &e->failure->made.choices[at];
    struct rdl__offset was = rdl__offset_of(choice->index, choice->max, choice->below);
    uint64_t reach = rdl__reach(was.negative, choice->max, choice->below) - was.distance;
    uint64_t far = rdl__reach(!was.negative, choice->max, choice->below);
    struct tally tally = {.whole = choice->max <= TRIED_WHOLE};

    if (tally.whole) {
        for (uint64_t index = 0; index <= choice->max; index++)
            try_index(e, at, index, &tally);
        return tally;
    }
    if (reach > 0) {
        try_offset(e, at, was.distance + 1, was.negative, &tally);
        try_offset(e, at, was.distance + reach, was.negative, &tally);
        for (int i = 0; i < 4; i++)
            try_offset(e, at, was.distance + 1 + rdl__random_upto(&e->random, reach - 1),
                       was.negative, &tally);
        try_offset(e, at, was.distance + 1 + rdl__random_upto(&e->random, reach < 100 ? reach : 99),
                   was.negative, &tally);
    }
    if (far > 0) {
        try_offset(e, at, 1, !was.negative, &tally);
        try_offset(e, at, far, !was.negative, &tally);
        try_offset(e, at, 1 + rdl__random_upto(&e->random, far - 1), !was.negative, &tally);
    }
    return tally;
}

static void remark(struct rdl__line *line, const struct tally *tally,
                   const struct rdl__choice *choice, bool negative)
{
    bool at_simplest = choice->index == 0, ordered = choice->kind == RDL__INTEGER;
    struct rdl__text text = {0};
    bool all_beyond = tally->beyond > 0 && tally->beyond_failed == tally->beyond;
    bool none_beyond = tally->beyond_failed == 0;

    if (tally->beyond + tally->other == 0)
        return;
    if (at_simplest && tally->beyond_failed == tally->beyond && tally->other_failed == tally->other)
        rdl__text_add(&text, "any value fails");
    else if (all_beyond && tally->other_failed == 0 && ordered)
        rdl__text_add(&text, "fails for any %s %s %s", line->name,
                      negative ? "<=" : ">=", line->value);
    else if (none_beyond && tally->other_failed == 0)
        rdl__text_add(&text, tally->whole ? "no other value fails" : "no other value tried fails");
    if (text.count) {
        free(line->remark);
        line->remark = text.bytes;
    }
}

static bool is_value(const struct rdl__choice *choice)
{
    return choice->max > 0 && choice->kind != RDL__MORE && choice->kind != RDL__BRANCH &&
           choice->kind != RDL__ANSWER;
}

/* Something made of several choices: give all its values others at once, and
 * leave its structure alone. */
static void try_shuffles(struct explaining *e, uint32_t from, uint32_t to, struct rdl__line *line)
{
    const struct rdl__choice *choices = e->failure->made.choices;
    bool is_double = to - from == 2 && choices[from].kind == RDL__DOUBLE;
    bool any = false;

    for (int i = 0; i < SHUFFLES; i++) {
        restore(e);
        for (uint32_t at = from; at < to; at++)
            if (is_value(&choices[at])) {
                uint64_t most = choices[at].max;

                any = true;
                e->indexes[at] = rdl__random_upto(&e->random, i % 2 || most < 99 ? most : 99);
            }
        if (!any || e->runs >= RUNS_MAX || !fails(e) || e->reshaped)
            return;
    }
    free(line->remark);
    line->remark =
        rdl__duplicate(is_double ? "any value fails" : "other values in its place fail as well");
}

static void explain_value(struct explaining *e, const struct rdl__event *event,
                          struct rdl__line *line)
{
    const struct rdl__made *made = &e->failure->made;
    const struct rdl__choice *choice;

    if (event->from >= event->to || event->to > made->count)
        return;
    choice = &made->choices[event->from];
    e->reshaped = false;
    if (event->to - event->from == 1 && choice->max > 0) {
        struct tally tally = try_values(e, event->from);
        struct rdl__offset offset = rdl__offset_of(choice->index, choice->max, choice->below);

        if (!e->reshaped)
            remark(line, &tally, choice, offset.negative);
    } else if (event->to - event->from > 1) {
        try_shuffles(e, event->from, event->to, line);
    }
}

void rdl__explain(struct rdl__session *session, const struct rdl_test *test,
                  struct rdl__failure *failure, const struct rdl__trace *trace)
{
    struct explaining e = {.session = session, .test = test, .failure = failure};
    struct rdl__event event;
    uint32_t position = 0;
    size_t line = 0;

    e.indexes = rdl__allocate(failure->made.count * sizeof *e.indexes);
    rdl__random_seed(&e.random, 1); /* the same case is explained alike every time */
    while (line < failure->story.count && e.runs < RUNS_MAX &&
           rdl__trace_next(trace, &position, &event)) {
        if (event.kind == RDL__EVENT_END || event.kind >= RDL__EVENT_MORE)
            continue; /* no line of its own */
        if (event.kind == RDL__EVENT_DRAW)
            explain_value(&e, &event, &failure->story.lines[line]);
        line++;
    }
    free(e.indexes);
}
