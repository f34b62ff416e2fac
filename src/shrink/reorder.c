/* reorder.c -- passes: siblings of a kind in order, or at an earlier place; what is true last. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case/case.h"
#include "shrink/shrink.h"

/* What of a sibling can be moved: all of it, but for the question that a list
 * asks before each element, which belongs to the place. */
struct piece {
    const struct rdl__choice *choices;
    uint32_t start, count;
};

struct pieces {
    struct piece *items;
    uint32_t count;
};

static struct piece piece_of(const struct rdl__made *made, const struct rdl__span *span)
{
    uint32_t start = span->start;

    if (span->label == RDL__LABEL_ELEMENT && start < span->end)
        start++;
    return (struct piece){made->choices + start, start, span->end - start};
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *one = a, *two = b;
    int order = rdl__compare(one->choices, one->count, two->choices, two->count);

    return order ? order : (one->start > two->start) - (one->start < two->start);
}

/* The children of parent that bear the label of the child at `like`. */
static struct pieces find_pieces(const struct rdl__made *made, const uint32_t *children,
                                 uint32_t count, uint32_t like)
{
    struct pieces pieces = {rdl__allocate(count * sizeof *pieces.items), 0};

    for (uint32_t i = like; i < count; i++)
        if (made->spans[children[i]].label == made->spans[children[like]].label)
            pieces.items[pieces.count++] = piece_of(made, &made->spans[children[i]]);
    return pieces;
}

/* The draft: the contents of `from` in the places of `places`. */
static bool rearranged(struct rdl__shrinker *s, const struct pieces *places,
                       const struct piece *from)
{
    rdl__draft(s);
    for (uint32_t i = places->count; i-- > 0;) {
        const struct piece *place = &places->items[i];

        if (from[i].start == place->start)
            continue;
        rdl__draft_cut(s, place->start, place->start + place->count);
        rdl__draft_insert(s, place->start, from[i].choices, from[i].count);
    }
    return rdl__consider(s);
}

static bool swap_neighbours(struct rdl__shrinker *s, const struct pieces *pieces,
                            struct piece *order)
{
    for (uint32_t i = 0; i + 1 < pieces->count && !s->stopped; i++) {
        struct piece old = order[i];

        if (rdl__compare(order[i].choices, order[i].count, order[i + 1].choices,
                         order[i + 1].count) <= 0)
            continue;
        order[i] = order[i + 1];
        order[i + 1] = old;
        if (rearranged(s, pieces, order))
            return true; /* the pieces point into the old best tape */
        order[i + 1] = order[i];
        order[i] = old;
    }
    return false;
}

/* All in order at once; if that does not do, two neighbours at a time. */
static bool sort_pieces(struct rdl__shrinker *s, const struct pieces *pieces)
{
    struct piece *order = rdl__allocate(pieces->count * sizeof *order);
    bool sorted = true, changed = false;

    for (uint32_t i = 0; i < pieces->count; i++)
        order[i] = pieces->items[i];
    qsort(order, pieces->count, sizeof *order, compare_pieces);
    for (uint32_t i = 0; i < pieces->count; i++)
        sorted = sorted && order[i].start == pieces->items[i].start;
    if (!sorted) {
        changed = rearranged(s, pieces, order);
        if (!changed) {
            for (uint32_t i = 0; i < pieces->count; i++)
                order[i] = pieces->items[i];
            changed = swap_neighbours(s, pieces, order);
        }
    }
    free(order);
    return changed;
}

/* Sort what can be sorted among the children of parent; true if that changed
 * the best tape, whose children are then others. */
static bool sort_children(struct rdl__shrinker *s, uint32_t parent)
{
    uint32_t *children = rdl__allocate((s->best.span_count + 1) * sizeof *children);
    uint32_t count = rdl__children(&s->best, parent, children, s->best.span_count);
    bool changed = false;

    for (uint32_t like = 0; like + 1 < count && !changed && !s->stopped; like++) {
        struct pieces pieces = find_pieces(&s->best, children, count, like);
        bool seen = false;

        for (uint32_t i = 0; i < like; i++)
            seen = seen || s->best.spans[children[i]].label == s->best.spans[children[like]].label;
        if (pieces.count > 1 && !seen)
            changed = sort_pieces(s, &pieces);
        free(pieces.items);
    }
    free(children);
    return changed;
}

void rdl__pass_sort(struct rdl__shrinker *s)
{
    while (sort_children(s, RDL__NONE))
        continue;
    for (uint32_t parent = 0; parent < s->best.span_count && !s->stopped; parent++)
        while (parent < s->best.span_count && sort_children(s, parent))
            continue;
}

/* ---- To an earlier place ----------------------------------------------------------------- */

/* Which comes first where two tapes differ; they may have different lengths. */
static bool is_lower(const struct piece *a, const struct piece *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++)
        if (a->choices[i].index != b->choices[i].index)
            return a->choices[i].index < b->choices[i].index;
    return false;
}

/* The piece at `from` in front of that at `to`. */
static bool move(struct rdl__shrinker *s, const struct pieces *pieces, struct piece *order,
                 uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < pieces->count; i++)
        order[i] = pieces->items[i < to || i > from ? i : i == to ? from : i - 1];
    return rearranged(s, pieces, order);
}

/* It would be lower but for one choice: with that lowered, too, in front of its neighbour. */
static bool move_lowered(struct rdl__shrinker *s, const struct pieces *pieces, struct piece *order,
                         uint32_t from)
{
    struct piece *piece = &pieces->items[from], old = *piece;
    const struct piece *before = piece - 1;
    struct rdl__choice *choices;
    uint32_t at = 0;
    bool moved;

    while (at < piece->count && at < before->count &&
           piece->choices[at].index <= before->choices[at].index)
        at++;
    if (at == piece->count || at == before->count)
        return false;
    choices = rdl__allocate(piece->count * sizeof *choices);
    memcpy(choices, piece->choices, piece->count * sizeof *choices);
    choices[at].index = before->choices[at].index;
    piece->choices = choices;
    moved = is_lower(piece, before) && move(s, pieces, order, from, from - 1);
    *piece = old;
    free(choices);
    return moved;
}

static bool move_some(struct rdl__shrinker *s, const struct pieces *pieces)
{
    struct piece *order = rdl__allocate(pieces->count * sizeof *order);
    bool moved = false;

    for (uint32_t to = 0; to < pieces->count && !moved; to++)
        for (uint32_t from = to + 1; from < pieces->count && !moved && !s->stopped; from++)
            moved = is_lower(&pieces->items[from], &pieces->items[to])
                        ? move(s, pieces, order, from, to)
                        : from == to + 1 && move_lowered(s, pieces, order, from);
    free(order);
    return moved;
}

void rdl__pass_move(struct rdl__shrinker *s)
{
    enum { SIBLINGS_MAX = 40 };
    uint32_t *children = NULL;

    for (uint32_t parent = 0; parent < s->best.span_count && !s->stopped;) {
        uint32_t count;
        struct pieces pieces = {0};
        bool moved = false;

        children = rdl__reallocate(children, (s->best.span_count + 1) * sizeof *children);
        count = rdl__children(&s->best, parent, children, s->best.span_count);
        if (count > 1 && count <= SIBLINGS_MAX) {
            pieces = find_pieces(&s->best, children, count, 0);
            moved = move_some(s, &pieces);
            free(pieces.items);
        }
        parent += !moved;
    }
    free(children);
}

/* The last `no` that belongs with this `yes`: of the same span. */
static uint32_t last_no(struct rdl__shrinker *s, uint32_t yes)
{
    const struct rdl__span *span = rdl__span_around(s, yes);
    uint32_t end = span ? span->end : s->best.count;

    for (uint32_t i = end; i-- > yes + 1;)
        if (s->best.choices[i].kind == RDL__BOOLEAN && s->best.choices[i].index == 0 &&
            s->best.choices[i].max == 1 && rdl__span_around(s, i) == span)
            return i;
    return RDL__NONE;
}

/* Of many booleans, those that are true are to be the last ones. */
void rdl__pass_booleans(struct rdl__shrinker *s)
{
    uint64_t began = s->attempts;

    for (uint32_t yes = 0; yes < s->best.count && !s->stopped && !rdl__tired(s, began); yes++) {
        uint32_t no;

        if (s->best.choices[yes].kind != RDL__BOOLEAN || s->best.choices[yes].index == 0 ||
            (no = last_no(s, yes)) == RDL__NONE)
            continue;
        rdl__draft(s);
        rdl__draft_set(s, yes, 0);
        rdl__draft_set(s, no, 1);
        rdl__consider(s);
    }
}
