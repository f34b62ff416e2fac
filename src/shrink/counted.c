/* counted.c -- pass: a number that says how many things follow, and one of those
 * things less.
 *
 * Lists of our own know no such number, but users draw them: n, then n times
 * something.  Which choices are numbers of that kind is seen from earlier runs:
 * one less, and the case made fewer choices. */
#include <stdlib.h>

#include "base/memory.h"
#include "case/case.h"
#include "shrink/shrink.h"

enum { WIDTH_MAX = 4, REGION_MAX = 64 };

/* The draft: the number at `at` is lower by `less`; false if it cannot be. */
static bool draft_less(struct rdl__shrinker *s, uint32_t at, uint64_t less)
{
    const struct rdl__choice *choice = &s->best.choices[at];
    struct rdl__offset offset = rdl__offset_of(choice->index, choice->max, choice->below);

    if (offset.distance < less)
        return false;
    offset.distance -= less;
    offset.negative = offset.negative && offset.distance;
    rdl__draft(s);
    rdl__draft_set(s, at, rdl__index_of(offset, choice->max, choice->below));
    return true;
}

static bool less_without(struct rdl__shrinker *s, uint32_t at, uint64_t less, uint32_t from,
                         uint32_t to)
{
    if (at >= s->best.count || to > s->best.count || s->stopped || !draft_less(s, at, less))
        return false;
    rdl__draft_cut(s, from, to);
    return rdl__consider(s);
}

/* Lower the number as far as that alone will do, in steps that double; not if
 * that makes the tape no shorter: then it counts nothing. */
static void lower(struct rdl__shrinker *s, uint32_t at)
{
    uint64_t step = 1;

    while (at < s->best.count && !s->stopped) {
        uint32_t before = s->best.count;

        if (draft_less(s, at, step) && rdl__consider(s)) {
            if (s->best.count == before)
                return;
            step *= 2;
        } else if (step > 1)
            step = 1;
        else
            return;
    }
}

/* How many choices does one less save?  0: it is no such number. */
static uint32_t unit_of(struct rdl__shrinker *s, uint32_t at)
{
    uint32_t count;

    lower(s, at);
    if (at >= s->best.count || !draft_less(s, at, 1) ||
        !rdl__tree_knows(&s->tree, &s->draft, &count))
        return 0;
    return count < s->best.count ? s->best.count - count : 0;
}

/* One thing less, and the values in all others as large as they can be: what is
 * left may have to do the work of what has gone. */
static bool less_with_the_rest_large(struct rdl__shrinker *s, uint32_t at, uint32_t unit)
{
    if (!draft_less(s, at, 1))
        return false;
    for (uint32_t i = at + 1; i < s->best.count; i++)
        if (s->best.choices[i].kind == RDL__INTEGER)
            rdl__draft_set(s, i, UINT64_MAX);
    rdl__draft_cut(s, s->best.count - unit, s->best.count);
    return rdl__consider(s);
}

/* Things of `width` choices each, from the last one on; runs of them double. */
static void leave_out_units(struct rdl__shrinker *s, uint32_t at, uint32_t width)
{
    uint32_t end = s->best.count, units = 1;

    while (end >= at + 1 + width && at < s->best.count && s->best.choices[at].index > 0 &&
           !s->stopped) {
        if (end - at - 1 < units * width)
            units = 1;
        if (less_without(s, at, units, end - units * width, end)) {
            end -= units * width;
            units *= 2;
            if (end > s->best.count)
                end = s->best.count;
        } else if (units > 1) {
            units = 1;
        } else {
            end--;
        }
    }
}

/* Things that are spans: whatever follows the number at the same depth. */
static void leave_out_spans(struct rdl__shrinker *s, uint32_t at)
{
    for (uint32_t i = s->best.span_count; i-- > 0 && at < s->best.count && !s->stopped;) {
        const struct rdl__span *span;

        if (i >= s->best.span_count || s->best.choices[at].index == 0)
            continue;
        span = &s->best.spans[i];
        if (span->start > at && span->depth == s->best.choices[at].depth + 1)
            less_without(s, at, 1, span->start, span->end);
    }
}

/* Could it count anything?  Not if it is all there is in an element of a list,
 * or part of one of our own generators. */
static bool may_count(struct rdl__shrinker *s, uint32_t at)
{
    const struct rdl__choice *choice = &s->best.choices[at];
    const struct rdl__span *around = rdl__span_around(s, at);

    if (choice->kind != RDL__INTEGER || choice->index == 0)
        return false;
    return !around || around->label >= RDL__LABELS ||
           (around->label == RDL__LABEL_ELEMENT && around->end - around->start > 2);
}

/* A number among the elements of a list may say how many of those after it
 * belong to it: try it with as many less of both, in steps that double. */
static void leave_out_elements(struct rdl__shrinker *s, uint32_t at)
{
    uint32_t less = 1;

    while (at + 2 * less + 1 < s->best.count && !s->stopped) {
        const struct rdl__span *first = rdl__span_around(s, at + 2);
        const struct rdl__span *last = rdl__span_around(s, at + 2 * less);

        if (!first || !last || first->label != RDL__LABEL_ELEMENT ||
            last->label != RDL__LABEL_ELEMENT || first->parent != last->parent ||
            !less_without(s, at, less, first->start, last->end)) {
            if (less == 1)
                return;
            less = 1;
        } else {
            less *= 2;
        }
    }
}

/* Without `less` of a list's elements from the first on, and everything that was
 * drawn later as a place in that list as many places further to the front. */
static bool without_first(struct rdl__shrinker *s, uint32_t list, const uint32_t *elements,
                          uint32_t count, uint32_t less)
{
    const struct rdl__span *span = &s->best.spans[list];
    bool any = false;

    rdl__draft(s);
    for (uint32_t i = span->end; i < s->best.count; i++) {
        const struct rdl__choice *choice = &s->best.choices[i];

        if (choice->kind != RDL__MORE && choice->max == count - 1 && choice->index >= less &&
            choice->below == 0) {
            rdl__draft_set(s, i, choice->index - less);
            any = true;
        }
    }
    if (!any)
        return false;
    rdl__draft_cut(s, span->start, s->best.spans[elements[less - 1]].end);
    return rdl__consider(s);
}

/* Lists that others point into, by number. */
void rdl__pass_indexed(struct rdl__shrinker *s)
{
    uint32_t *elements = NULL;

    for (uint32_t list = 0; list < s->best.span_count && !s->stopped; list++) {
        uint32_t less = 1;

        while (less > 0 && list < s->best.span_count && !s->stopped &&
               s->best.spans[list].label == RDL__LABEL_LIST) {
            uint32_t count;

            elements = rdl__reallocate(elements, (s->best.span_count + 1) * sizeof *elements);
            count = rdl__children(&s->best, list, elements, s->best.span_count);
            if (less < count && without_first(s, list, elements, count, less))
                less *= 2;
            else
                less = less > 1 ? 1 : 0;
        }
    }
    free(elements);
}

void rdl__pass_counted_elements(struct rdl__shrinker *s)
{
    for (uint32_t at = 0; at < s->best.count && !s->stopped; at++) {
        const struct rdl__span *around = rdl__span_around(s, at);

        if (s->best.choices[at].kind == RDL__INTEGER && s->best.choices[at].index > 0 && around &&
            around->label == RDL__LABEL_ELEMENT && around->end - around->start == 2)
            leave_out_elements(s, at);
    }
}

void rdl__pass_counted(struct rdl__shrinker *s)
{
    for (uint32_t at = 0; at < s->best.count && !s->stopped; at++) {
        uint32_t unit;

        if (!may_count(s, at) || !(unit = unit_of(s, at)))
            continue;
        leave_out_spans(s, at);
        if (unit <= REGION_MAX)
            leave_out_units(s, at, unit);
        if (at < s->best.count && s->best.count - at <= REGION_MAX)
            for (uint32_t width = 1; width <= WIDTH_MAX; width++)
                if (width != unit)
                    leave_out_units(s, at, width);
        if (at < s->best.count && s->best.choices[at].index > 0 && (unit = unit_of(s, at)))
            less_with_the_rest_large(s, at, unit);
    }
}
