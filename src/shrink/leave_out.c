/* leave_out.c -- pass: leave out siblings, and runs of siblings.
 *
 * From the last sibling to the first, since what comes later depends on what
 * came before.  The run that is left out doubles while that works and halves
 * when it does not, so that long stretches of ballast cost their logarithm and
 * an element that must stay costs one try.
 *
 * Spans are numbered in the order of their beginnings: leaving out children
 * does not change their parent's number. */
#include <stdlib.h>

#include "base/memory.h"
#include "shrink/shrink.h"

enum { KEPT_MANY = 160 };

/* Children of one parent in the best tape, as it is now. */
struct family {
    uint32_t *children;
    uint32_t count, room;
};

static void look_at(struct family *family, const struct rdl__made *made, uint32_t parent)
{
    if (family->room < made->span_count) {
        family->room = made->span_count;
        family->children =
            rdl__reallocate(family->children, family->room * sizeof *family->children);
    }
    family->count = rdl__children(made, parent, family->children, family->room);
}

static bool without(struct rdl__shrinker *s, const struct family *family, uint32_t from,
                    uint32_t to)
{
    const struct rdl__span *first = &s->best.spans[family->children[from]];
    const struct rdl__span *last = &s->best.spans[family->children[to - 1]];

    rdl__draft(s);
    rdl__draft_cut(s, first->start, last->end);
    return rdl__consider(s);
}

static void thin_out(struct rdl__shrinker *s, struct family *family, uint32_t parent)
{
    uint32_t at, width = 1, kept = 0;

    look_at(family, &s->best, parent);
    if (family->count > 1 && without(s, family, 0, family->count))
        look_at(family, &s->best, parent);
    for (at = family->count; at > 0 && !s->stopped;) {
        if (width > at)
            width = at;
        if (without(s, family, at - width, at)) {
            look_at(family, &s->best, parent);
            at -= width;
            kept = 0;
            width *= 2;
            if (at > family->count)
                at = family->count;
        } else if (width > 1) {
            width = (width + 1) / 2 < width ? (width + 1) / 2 : 1;
        } else {
            /* One that must stay; when very many must, look only at some. */
            uint32_t step = 1 + kept++ / KEPT_MANY;

            at = at > step ? at - step : 0;
        }
    }
}

/* Runs of two to eight that can only go together. */
static void thin_out_runs(struct rdl__shrinker *s, struct family *family, uint32_t parent)
{
    enum { SIBLINGS_MAX = 64, WIDTH_MAX = 8 };
    uint64_t began = s->attempts;

    look_at(family, &s->best, parent);
    if (family->count > SIBLINGS_MAX)
        return;
    for (uint32_t width = 2; width <= WIDTH_MAX; width++)
        for (uint32_t at = family->count; at >= width && !s->stopped && !rdl__tired(s, began); at--)
            if (at <= family->count && without(s, family, at - width, at))
                look_at(family, &s->best, parent);
}

typedef void thin_function(struct rdl__shrinker *s, struct family *family, uint32_t parent);

/* The children of the whole tape, then those of each span. */
static void thin_all(struct rdl__shrinker *s, thin_function *thin)
{
    struct family family = {0};

    thin(s, &family, RDL__NONE);
    for (uint32_t parent = 0; parent < s->best.span_count && !s->stopped; parent++)
        thin(s, &family, parent);
    free(family.children);
}

void rdl__pass_leave_out_runs(struct rdl__shrinker *s)
{
    thin_all(s, thin_out_runs);
}

void rdl__pass_leave_out(struct rdl__shrinker *s)
{
    thin_all(s, thin_out);
}
