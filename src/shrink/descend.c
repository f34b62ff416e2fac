/* descend.c -- pass: a span becomes one of the same label inside it.  A tree
 * becomes one of its subtrees, an expression one of its operands. */
#include "shrink/shrink.h"

static bool becomes(struct rdl__shrinker *s, uint32_t outer, uint32_t inner)
{
    struct rdl__span from = s->best.spans[outer], to = s->best.spans[inner];

    rdl__draft(s);
    rdl__draft_cut(s, to.end, from.end);
    rdl__draft_cut(s, from.start, to.start);
    return rdl__consider(s);
}

/* Replace the span by the first one inside it that will do. */
static bool descend(struct rdl__shrinker *s, uint32_t outer)
{
    enum { TRIED_MAX = 12 };
    const struct rdl__span *spans = s->best.spans;
    int tried = 0;

    for (uint32_t inner = outer + 1; inner < s->best.span_count && tried < TRIED_MAX; inner++) {
        if (spans[inner].start >= spans[outer].end)
            break;
        if (spans[inner].label != spans[outer].label ||
            spans[inner].end - spans[inner].start == spans[outer].end - spans[outer].start)
            continue;
        if (becomes(s, outer, inner))
            return true;
        tried++;
    }
    return false;
}

void rdl__pass_descend(struct rdl__shrinker *s)
{
    for (uint32_t i = 0; i < s->best.span_count && !s->stopped; i++)
        while (i < s->best.span_count && descend(s, i))
            continue;
}
