/* counted.c -- pass: a number that says how many things follow, and one of those
 * things less.
 *
 * Lists of our own know no such number, but users draw them: n, then n times
 * something.  Which choices are numbers of that kind is seen from earlier runs:
 * one less, and the case made fewer choices. */
#include "shrink/shrink.h"

enum { WIDTH_MAX = 6, REGION_MAX = 96 };

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

/* How many choices does one less save?  0: it is no such number. */
static uint32_t unit_of(struct rdl__shrinker *s, uint32_t at)
{
    uint32_t count;

    if (!draft_less(s, at, 1))
        return 0;
    if (!rdl__tree_knows(&s->tree, &s->draft, &count)) {
        if (rdl__consider(s) || !draft_less(s, at, 1) ||
            !rdl__tree_knows(&s->tree, &s->draft, &count))
            return 0;
    }
    return count < s->best.count ? s->best.count - count : 0;
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

void rdl__pass_counted(struct rdl__shrinker *s)
{
    for (uint32_t at = 0; at < s->best.count && !s->stopped; at++) {
        const struct rdl__choice *choice = &s->best.choices[at];
        uint32_t unit;

        if (choice->kind != RDL__INTEGER || choice->index == 0 || !(unit = unit_of(s, at)))
            continue;
        leave_out_spans(s, at);
        if (unit <= REGION_MAX)
            leave_out_units(s, at, unit);
        if (at < s->best.count && s->best.count - at <= REGION_MAX)
            for (uint32_t width = 1; width <= WIDTH_MAX; width++)
                if (width != unit)
                    leave_out_units(s, at, width);
    }
}
