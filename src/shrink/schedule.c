/* schedule.c -- passes: fewer preemptions, fewer stretches, later ones.
 *
 * How threads take turns is on the tape as stretches: SWITCH says which thread,
 * STRETCH how far it gets before it is preempted, 0 if it is not.  Because threads
 * go by their numbers, a stretch means the same wherever it stands, and two of one
 * thread can be joined into one. */
#include <stdlib.h>

#include "base/memory.h"
#include "shrink/shrink.h"

enum { STEP_MAX = 1 << 20 };

struct stretch {
    uint32_t at;    /* its length */
    uint32_t start; /* of its choices: the thread, or the length if there is none */
    uint64_t thread;
    uint64_t length; /* 0: until it waits or ends */
};

struct stretches {
    struct stretch *items;
    uint32_t count;
};

static struct stretches find_stretches(const struct rdl__made *made)
{
    struct stretches out = {rdl__allocate((made->count + 1) * sizeof *out.items), 0};

    for (uint32_t at = 0; at < made->count; at++) {
        bool named = at > 0 && made->choices[at - 1].kind == RDL__SWITCH;

        if (made->choices[at].kind == RDL__STRETCH)
            out.items[out.count++] = (struct stretch){
                .at = at,
                .start = at - named,
                .thread = named ? made->choices[at - 1].index : 0,
                .length = made->choices[at].index,
            };
    }
    return out;
}

/* ---- Fewer preemptions ------------------------------------------------------------ */

/* Let those of the `count` preemptions from the `first` one on not happen. */
static bool without(struct rdl__shrinker *s, uint32_t first, uint32_t count)
{
    uint32_t number = 0;

    rdl__draft(s);
    for (uint32_t i = 0; i < s->best.count; i++)
        if (s->best.choices[i].kind == RDL__STRETCH && s->best.choices[i].index > 0) {
            if (number >= first && number < first + count)
                rdl__draft_set(s, i, 0);
            number++;
        }
    return first < number && rdl__consider(s);
}

static uint32_t preemptions(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        count += made->choices[i].kind == RDL__STRETCH && made->choices[i].index > 0;
    return count;
}

/* Many at a time first, from the end: what comes after the failure is not needed. */
static void drop_preemptions(struct rdl__shrinker *s)
{
    for (uint32_t chunk = preemptions(&s->best); chunk > 0; chunk /= 2)
        for (uint32_t end = preemptions(&s->best); end > 0 && !s->stopped;) {
            uint32_t first = end > chunk ? end - chunk : 0;
            uint32_t now;

            without(s, first, end - first);
            now = preemptions(&s->best);
            end = first < now ? first : now;
        }
}

/* ---- Fewer stretches --------------------------------------------------------------- */

/* The length of two stretches one after the other. */
static uint64_t sum(const struct stretch *a, const struct stretch *b)
{
    return a->length && b->length ? a->length + b->length : 0;
}

/* Two stretches of one thread become one: where the first was, or the second. */
static bool join(struct rdl__shrinker *s, const struct stretch *early, const struct stretch *late)
{
    rdl__draft(s);
    rdl__draft_set(s, early->at, sum(early, late));
    rdl__draft_cut(s, late->start, late->at + 1);
    if (rdl__consider(s))
        return true;
    if (early->start == early->at)
        return false; /* the very first: its thread is not on the tape */
    rdl__draft(s);
    rdl__draft_set(s, late->at, sum(early, late));
    rdl__draft_cut(s, early->start, early->at + 1);
    return rdl__consider(s);
}

static bool join_some(struct rdl__shrinker *s, uint32_t from)
{
    struct stretches all = find_stretches(&s->best);
    bool joined = false;

    if (from < all.count && all.items[from].length > 0)
        for (uint32_t i = from + 1; i < all.count; i++)
            if (all.items[i].thread == all.items[from].thread) {
                joined = join(s, &all.items[from], &all.items[i]);
                break;
            }
    free(all.items);
    return joined;
}

/* Leave a stretch out altogether. */
static bool leave_out(struct rdl__shrinker *s, uint32_t which)
{
    struct stretches all = find_stretches(&s->best);
    bool left = false;

    if (which < all.count && all.items[which].start < all.items[which].at) {
        rdl__draft(s);
        rdl__draft_cut(s, all.items[which].start, all.items[which].at + 1);
        left = rdl__consider(s);
    }
    free(all.items);
    return left;
}

static uint32_t stretch_count(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        count += made->choices[i].kind == RDL__STRETCH;
    return count;
}

static void drop_stretches(struct rdl__shrinker *s)
{
    uint64_t began = s->attempts;

    for (uint32_t i = 0; i < stretch_count(&s->best) && !s->stopped && !rdl__tired(s, began); i++)
        while (!s->stopped && (join_some(s, i) || leave_out(s, i)))
            continue;
}

/* ---- Later ------------------------------------------------------------------------- */

/* Preempt this much later; what the thread does later still, it does at the same
 * place as before, or not. */
static bool lengthen(struct rdl__shrinker *s, uint32_t which, uint64_t by)
{
    struct stretches all = find_stretches(&s->best);
    const struct stretch *stretch = &all.items[which];
    bool done = false;

    if (which < all.count && stretch->length > 0) {
        rdl__draft(s);
        rdl__draft_set(s, stretch->at, stretch->length + by);
        done = rdl__consider(s);
        for (uint32_t i = which + 1; i < all.count && !done; i++)
            if (all.items[i].thread == stretch->thread) {
                if (all.items[i].length > by) {
                    rdl__draft(s);
                    rdl__draft_set(s, stretch->at, stretch->length + by);
                    rdl__draft_set(s, all.items[i].at, all.items[i].length - by);
                    done = rdl__consider(s);
                }
                break;
            }
    }
    free(all.items);
    return done;
}

/* Steps double while that works, and begin anew when it does not. */
static void move_later(struct rdl__shrinker *s, uint32_t which)
{
    uint64_t by = 1;

    while (!s->stopped) {
        bool moved = lengthen(s, which, by);

        if (!moved && by == 1)
            return;
        by = moved && by < STEP_MAX ? by * 2 : 1;
    }
}

void rdl__pass_schedule(struct rdl__shrinker *s)
{
    if (stretch_count(&s->best) == 0)
        return;
    drop_preemptions(s);
    drop_stretches(s);
    for (uint32_t i = 0; i < stretch_count(&s->best) && !s->stopped; i++)
        move_later(s, i);
}
