/* merge.c -- pass: two lists in a row become one, or the first gives elements to
 * the second.
 *
 * Between the last element of a list and the first of the next stand the first
 * one's `no more` and whatever leads to the second.  Leaving that border out
 * joins the lists; putting it further to the front moves elements. */
#include "case/case.h"
#include "shrink/shrink.h"

/* The first list span that begins after this one has ended. */
static uint32_t next_list(const struct rdl__made *made, uint32_t list)
{
    for (uint32_t i = list + 1; i < made->span_count; i++)
        if (made->spans[i].label == RDL__LABEL_LIST &&
            made->spans[i].start >= made->spans[list].end)
            return i;
    return RDL__NONE;
}

/* Where the n-th element of a list begins; its end if there are fewer. */
static uint32_t element_start(const struct rdl__made *made, uint32_t list, uint32_t n)
{
    for (uint32_t i = list + 1; i < made->span_count; i++) {
        if (made->spans[i].start >= made->spans[list].end)
            break;
        if (made->spans[i].parent == list && n-- == 0)
            return made->spans[i].start;
    }
    return made->spans[list].end - 1;
}

/* What was the first element of a list, and maybe one that it has to have, now comes after
 * others: whether there is another has more than one answer. */
static void draft_with_another(struct rdl__shrinker *s, uint32_t list)
{
    const struct rdl__span *span = &s->best.spans[list];

    rdl__draft(s);
    if (rdl__children(&s->best, list, NULL, 0) > 0 && s->best.choices[span->start].max == 0)
        rdl__draft_set(s, span->start, 1);
}

static bool join(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    draft_with_another(s, second);
    rdl__draft_cut(s, s->best.spans[first].end - 1, s->best.spans[second].start);
    return rdl__consider(s);
}

/* The first list keeps only `kept` elements; the border goes behind them. */
static bool give(struct rdl__shrinker *s, uint32_t first, uint32_t second, uint32_t kept)
{
    uint32_t from = s->best.spans[first].end - 1, to = s->best.spans[second].start;

    draft_with_another(s, second);
    rdl__draft_cut(s, from, to);
    rdl__draft_insert(s, element_start(&s->best, first, kept), s->best.choices + from, to - from);
    return rdl__consider(s);
}

/* As many as possible: bisect on how many it keeps. */
static void give_all_it_can(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    uint32_t low = 0, high = rdl__children(&s->best, first, NULL, 0);

    while (low < high && !s->stopped) {
        uint32_t kept = low + (high - low) / 2;

        if (give(s, first, second, low))
            return;
        if (kept > low && give(s, first, second, kept))
            high = kept;
        else
            low = kept > low ? kept : high;
        if (second >= s->best.span_count || next_list(&s->best, first) != second)
            return; /* the spans are others now; the next round goes on */
    }
}

void rdl__pass_merge(struct rdl__shrinker *s)
{
    for (uint32_t first = 0; first < s->best.span_count && !s->stopped; first++) {
        uint32_t second;

        if (s->best.spans[first].label != RDL__LABEL_LIST ||
            (second = next_list(&s->best, first)) == RDL__NONE ||
            s->best.spans[first].end - s->best.spans[first].start < 2)
            continue;
        if (!join(s, first, second))
            give_all_it_can(s, first, second);
    }
}
