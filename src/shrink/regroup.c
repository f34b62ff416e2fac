/* regroup.c -- passes for lists in a list: elements go over to the list before or after.
 *
 * Calls in phases are such lists.  A phase may be made up of calls that could as well have
 * come sooner or later; and the sooner a phase ends, the simpler it is. */
#include <stdlib.h>

#include "base/memory.h"
#include "case/case.h"
#include "shrink/shrink.h"

enum { DISSOLVE_MAX = 4 }; /* elements, each of which can go two ways */

/* An element of an inner list, without the question before it. */
struct item {
    uint32_t start, end;
    uint32_t group;
};

/* An inner list, in its element of the outer one. */
struct group {
    uint32_t start, end; /* the element */
    uint32_t list, list_end;
};

struct groups {
    struct group *groups;
    uint32_t group_count;
    struct item *items;
    uint32_t item_count;
    uint32_t *where; /* for each item, the group it is to be in */
};

static void release(struct groups *g)
{
    free(g->groups);
    free(g->items);
    free(g->where);
}

/* The list that lies in a span; RDL__NONE: there is none. */
static uint32_t list_in(const struct rdl__made *made, uint32_t span)
{
    for (uint32_t i = span + 1;
         i < made->span_count && made->spans[i].start < made->spans[span].end; i++)
        if (made->spans[i].label == RDL__LABEL_LIST)
            return i;
    return RDL__NONE;
}

static void add_group(struct groups *g, const struct rdl__made *made, uint32_t element,
                      uint32_t list)
{
    const struct rdl__span *spans = made->spans;

    for (uint32_t i = list + 1; i < made->span_count && spans[i].start < spans[list].end; i++)
        if (spans[i].parent == list)
            g->items[g->item_count++] =
                (struct item){spans[i].start + 1, spans[i].end, g->group_count};
    g->groups[g->group_count++] = (struct group){spans[element].start, spans[element].end,
                                                 spans[list].start, spans[list].end};
}

/* The lists in the elements of this list.  False: it is no list of lists. */
static bool find_groups(struct groups *out, const struct rdl__made *made, uint32_t outer)
{
    *out = (struct groups){
        .groups = rdl__allocate(made->span_count * sizeof *out->groups),
        .items = rdl__allocate(made->span_count * sizeof *out->items),
        .where = rdl__allocate(made->span_count * sizeof *out->where),
    };
    for (uint32_t i = outer + 1; i < made->span_count; i++) {
        uint32_t list;

        if (made->spans[i].parent != outer)
            continue;
        list = list_in(made, i);
        if (list == RDL__NONE)
            break;
        add_group(out, made, i, list);
    }
    if (out->group_count > 1)
        return true;
    release(out);
    return false;
}

static void stay(struct groups *g)
{
    for (uint32_t i = 0; i < g->item_count; i++)
        g->where[i] = g->items[i].group;
}

/* ---- The draft -------------------------------------------------------------------------- */

struct writer {
    struct rdl__choice *choices;
    uint32_t count;
};

static void copy(struct writer *w, const struct rdl__made *made, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        w->choices[w->count++] = made->choices[i];
}

/* Whether there is another element: where a list has to have one, any answer will do. */
static void answer(struct writer *w, bool more)
{
    w->choices[w->count++] = (struct rdl__choice){.kind = RDL__MORE, .max = 1, .index = more};
}

/* A group that loses all its items goes, too. */
static void write_group(struct writer *w, const struct rdl__made *made, const struct groups *g,
                        uint32_t number)
{
    const struct group *group = &g->groups[number];
    uint32_t had = 0, has = 0;

    for (uint32_t i = 0; i < g->item_count; i++) {
        had += g->items[i].group == number;
        has += g->where[i] == number;
    }
    if (had > 0 && has == 0)
        return;
    copy(w, made, group->start, group->list);
    for (uint32_t i = 0; i < g->item_count; i++)
        if (g->where[i] == number) {
            answer(w, true);
            copy(w, made, g->items[i].start, g->items[i].end);
        }
    answer(w, false);
    copy(w, made, group->list_end, group->end);
}

/* Is it simpler with all items where they are to be? */
static bool is_simpler(struct rdl__shrinker *s, const struct groups *g)
{
    const struct rdl__made *best = &s->best;
    struct writer w = {rdl__allocate((best->count + 2 * g->group_count) * sizeof *w.choices), 0};

    copy(&w, best, 0, g->groups[0].start);
    for (uint32_t i = 0; i < g->group_count; i++)
        write_group(&w, best, g, i);
    copy(&w, best, g->groups[g->group_count - 1].end, best->count);
    rdl__draft(s);
    rdl__draft_cut(s, 0, best->count);
    rdl__draft_insert(s, 0, w.choices, w.count);
    free(w.choices);
    return rdl__consider(s);
}

/* ---- The passes -------------------------------------------------------------------------- */

/* Its items go to the group before or after it, in all ways that there are. */
static bool dissolve(struct rdl__shrinker *s, struct groups *g, uint32_t number)
{
    uint32_t first = 0, count = 0;

    while (first < g->item_count && g->items[first].group != number)
        first++;
    while (first + count < g->item_count && g->items[first + count].group == number)
        count++;
    for (uint32_t later = 0; count > 0 && count <= DISSOLVE_MAX && later < UINT32_C(1) << count;
         later++) {
        if ((later != 0 && number == g->group_count - 1) ||
            (later != (UINT32_C(1) << count) - 1 && number == 0))
            continue;
        stay(g);
        for (uint32_t i = 0; i < count; i++)
            g->where[first + i] = later >> i & 1 ? number + 1 : number - 1;
        if (is_simpler(s, g))
            return true;
    }
    return false;
}

/* Who or what it is about: the first number that was drawn for it. */
static const struct rdl__choice *name_of(const struct rdl__made *made, const struct item *item)
{
    for (uint32_t i = item->start; i < item->end; i++)
        if (made->choices[i].kind == RDL__INTEGER)
            return &made->choices[i];
    return NULL;
}

/* The item goes to the next group; what bears its name there, to the one after that, and so
 * on.  True: that is possible. */
static bool push(const struct rdl__shrinker *s, struct groups *g, uint32_t number)
{
    const struct rdl__choice *name = name_of(&s->best, &g->items[number]);
    uint32_t reached = g->items[number].group + 1;

    stay(g);
    g->where[number] = reached;
    for (uint32_t i = number + 1; i < g->item_count && name; i++) {
        const struct rdl__choice *other = name_of(&s->best, &g->items[i]);

        if (other && other->index == name->index && g->items[i].group == reached)
            g->where[i] = ++reached;
    }
    return reached < g->group_count;
}

static bool hand_on(struct rdl__shrinker *s, struct groups *g, uint32_t number)
{
    uint32_t next = g->items[number].group + 1;

    if (push(s, g, number) && is_simpler(s, g))
        return true;
    stay(g);
    g->where[number] = next;
    return next < g->group_count && is_simpler(s, g);
}

static bool regroup(struct rdl__shrinker *s, struct groups *g)
{
    for (uint32_t i = 0; i < g->group_count && !s->stopped; i++)
        if (dissolve(s, g, i))
            return true;
    for (uint32_t i = 0; i < g->item_count && !s->stopped; i++)
        if (hand_on(s, g, i))
            return true;
    return false;
}

void rdl__pass_regroup(struct rdl__shrinker *s)
{
    for (uint32_t i = 0;
         i < s->best.span_count && s->best.count <= RDL__THOROUGH_MAX && !s->stopped; i++) {
        struct groups groups;

        if (s->best.spans[i].label != RDL__LABEL_LIST || !find_groups(&groups, &s->best, i))
            continue;
        i -= regroup(s, &groups); /* once more, as it is now */
        release(&groups);
    }
}
