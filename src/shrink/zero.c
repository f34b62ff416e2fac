/* zero.c -- passes: the simplest value for many choices at once, the simplest
 * form of whole spans, the earlier alternative. */
#include <stdlib.h>

#include "base/memory.h"
#include "shrink/shrink.h"

/* Is it a value rather than structure?  Lists and branches have passes of their
 * own. */
static bool is_value(const struct rdl__choice *choice)
{
    return choice->kind != RDL__MORE && choice->kind != RDL__BRANCH &&
           choice->kind != RDL__ANSWER && choice->index > 0;
}

static uint32_t find_values(const struct rdl__made *made, uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        if (is_value(&made->choices[i]))
            out[count++] = i;
    return count;
}

static bool zeroed(struct rdl__shrinker *s, const uint32_t *at, uint32_t count)
{
    rdl__draft(s);
    for (uint32_t i = 0; i < count; i++)
        rdl__draft_set(s, at[i], 0);
    return rdl__consider(s);
}

/* Runs of values, from the last to the first, doubling and halving as in
 * leave_out.c.  Positions found at the start stay good as long as the tape
 * keeps its length; when it changes, the next round goes on. */
static void zero_values(struct rdl__shrinker *s)
{
    uint32_t length = s->best.count, width = 1;
    uint32_t *at = rdl__allocate((length + 1) * sizeof *at);
    uint32_t left = find_values(&s->best, at);

    if (left > 1 && zeroed(s, at, left))
        left = 0;
    while (left > 0 && s->best.count == length && !s->stopped) {
        if (width > left)
            width = left;
        if (zeroed(s, at + left - width, width)) {
            left -= width;
            width *= 2;
        } else if (width > 1) {
            width /= 2;
        } else {
            left--;
        }
    }
    free(at);
}

static bool is_zero(const struct rdl__made *made, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (made->choices[i].index > 0)
            return false;
    return true;
}

/* Of an element that is there, the simplest there is: to leave it out has passes of its own. */
static bool is_simplest(const struct rdl__made *made, const struct rdl__span *span)
{
    bool is_element = made->choices[span->start].kind == RDL__MORE;

    return is_zero(made, span->start + is_element, span->end);
}

static void zero_spans(struct rdl__shrinker *s)
{
    for (uint32_t i = 0; i < s->best.span_count && !s->stopped; i++) {
        const struct rdl__span *span = &s->best.spans[i];

        if (span->end - span->start < 2 || is_simplest(&s->best, span))
            continue;
        rdl__draft(s);
        rdl__draft_fill(s, span->start, span->end, span->depth, true);
        rdl__consider(s);
    }
}

/* Signs, mostly: several numbers may have to change theirs together. */
static void zero_booleans(struct rdl__shrinker *s)
{
    rdl__draft(s);
    for (uint32_t i = 0; i < s->best.count; i++)
        if (s->best.choices[i].kind == RDL__BOOLEAN)
            rdl__draft_set(s, i, 0);
    rdl__consider(s);
}

void rdl__pass_zero(struct rdl__shrinker *s)
{
    zero_values(s);
    zero_booleans(s);
    zero_spans(s);
}

/* Another alternative draws other things.  Try it with what the old one drew,
 * with the simplest, and with the largest: one of them may be what it takes. */
static bool take_branch(struct rdl__shrinker *s, uint32_t at, uint64_t branch)
{
    const struct rdl__span *span = rdl__span_around(s, at);
    uint32_t end = span ? span->end : s->best.count;
    uint16_t depth = span ? span->depth : 0;
    uint32_t values = 0;

    rdl__draft(s);
    rdl__draft_set(s, at, branch);
    if (rdl__consider(s))
        return true;
    rdl__draft(s);
    rdl__draft_set(s, at, branch);
    for (uint32_t i = at + 1; i < end && span; i++)
        if (s->best.choices[i].kind == RDL__INTEGER) {
            rdl__draft_set(s, i, UINT64_MAX);
            values++;
        }
    if (values && rdl__consider(s))
        return true;
    rdl__draft(s);
    rdl__draft_set(s, at, branch);
    rdl__draft_fill(s, at + 1, end, depth, false);
    return rdl__consider(s);
}

/* After a `yes` often stands what is drawn only then: with the one goes the other. */
static void say_no(struct rdl__shrinker *s, uint32_t at)
{
    enum { OPTIONAL_MAX = 4 };
    const struct rdl__span *span = rdl__span_around(s, at);
    uint32_t end = span ? span->end : s->best.count;

    for (uint32_t to = at + 2; to <= end && to <= at + 1 + OPTIONAL_MAX; to++) {
        rdl__draft(s);
        rdl__draft_set(s, at, 0);
        rdl__draft_cut(s, at + 1, to);
        if (rdl__consider(s))
            return;
    }
}

void rdl__pass_branches(struct rdl__shrinker *s)
{
    enum { TRIED_MAX = 16 };

    for (uint32_t at = 0; at < s->best.count && !s->stopped; at++) {
        const struct rdl__choice *choice = &s->best.choices[at];

        if (choice->kind == RDL__BOOLEAN && choice->index > 0) {
            say_no(s, at);
            continue;
        }
        if (choice->kind != RDL__BRANCH && choice->kind != RDL__ANSWER)
            continue;
        for (uint64_t branch = 0; branch < choice->index && branch < TRIED_MAX; branch++)
            if (take_branch(s, at, branch))
                break;
    }
}
