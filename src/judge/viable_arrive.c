/* viable_arrive.c -- who has to have checked in, for a call to be served.
 *
 * For policies that do not ask who came first.  A check-in may as well come later, up to its
 * own call's execution or until all is quiet, unless somebody is served meanwhile whom the
 * policy would not have let go without it.  So calls check in as late as they can: with an
 * execution come just those that it cannot do without, any of them.  (Moving others behind
 * it, one by one, makes such a history of any.)
 *
 * Which sets those are is found by asking.  All that an `enabled` function sees of others is
 * what it asks for: how many there are of an operation, maybe their arguments.  Calls that
 * it cannot tell apart are of one kind, and only their number matters. */
#include <string.h>

#include "judge/viable_inner.h"

enum { KINDS_MAX = 16, MIXTURES_MAX = 4096 };

struct kind {
    uint64_t members;
    int count; /* of those, in the mixture that is looked at */
};

/* A call that is to be served, and those that might check in before. */
struct service {
    struct rdl__viable *v;
    struct rdl__layer *layer;
    uint32_t from;
    int slot;
    struct kind kinds[KINDS_MAX];
    int kind_count;
};

static const struct rdl__node *node_of(const struct service *s)
{
    return rdl__node_at(s->v, s->layer, s->from);
}

static struct rdl__asked *asked_by(const struct service *s)
{
    return &s->v->asked[s->layer->slots[s->slot]->operation];
}

/* ---- Kinds -------------------------------------------------------------------------- */

static bool are_of_one_kind(const struct service *s, int a, int b)
{
    const struct rdl__seen_call *first = s->layer->slots[a], *second = s->layer->slots[b];

    return first->operation == second->operation &&
           (!(asked_by(s)->args >> first->operation & 1) ||
            memcmp(first->call.args, second->call.args, first->call.operation->args_size) == 0);
}

/* False: there are too many. */
static bool add_to_its_kind(struct service *s, int slot)
{
    int i = 0;

    while (i < s->kind_count && !are_of_one_kind(s, slot, __builtin_ctzll(s->kinds[i].members)))
        i++;
    if (i == KINDS_MAX)
        return false;
    if (i == s->kind_count)
        s->kinds[s->kind_count++] = (struct kind){0};
    s->kinds[i].members |= UINT64_C(1) << slot;
    return true;
}

/* All that have not checked in and are asked about.  False: there are too many mixtures. */
static bool sort_others(struct service *s)
{
    const struct rdl__node *node = node_of(s);
    uint64_t left = s->layer->open & ~node->executed & ~node->checked & ~(UINT64_C(1) << s->slot);
    int mixtures = 1;

    s->kind_count = 0;
    for (; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);

        if (asked_by(s)->counts >> s->layer->slots[slot]->operation & 1 &&
            !add_to_its_kind(s, slot))
            return false;
    }
    for (int i = 0; i < s->kind_count && mixtures <= MIXTURES_MAX; i++)
        mixtures *= 1 + __builtin_popcountll(s->kinds[i].members);
    return mixtures <= MIXTURES_MAX;
}

/* ---- Mixtures ----------------------------------------------------------------------- */

/* Some calls of this mixture; which, does not matter. */
static uint64_t some_of(const struct service *s)
{
    uint64_t some = 0;

    for (int i = 0; i < s->kind_count; i++) {
        uint64_t left = s->kinds[i].members;

        for (int n = 0; n < s->kinds[i].count; n++, left &= left - 1)
            some |= left & -left;
    }
    return some;
}

static bool lets_with(const struct service *s, uint64_t others)
{
    const struct rdl__node *node = node_of(s);

    return rdl__node_lets_among(s->v, s->layer, node, s->slot, node->checked | others);
}

/* Does it go on with this mixture, and not without any one of them? */
static bool needs_mixture(struct service *s)
{
    if (!lets_with(s, some_of(s)))
        return false;
    for (int i = 0; i < s->kind_count; i++) {
        bool goes = false;

        if (s->kinds[i].count > 0) {
            s->kinds[i].count--;
            goes = lets_with(s, some_of(s));
            s->kinds[i].count++;
        }
        if (goes)
            return false;
    }
    return true;
}

/* The next mixture: counting, with a digit for each kind.  False: that was the last. */
static bool count_on(struct service *s)
{
    for (int i = 0; i < s->kind_count; i++) {
        if (s->kinds[i].count < __builtin_popcountll(s->kinds[i].members)) {
            s->kinds[i].count++;
            return true;
        }
        s->kinds[i].count = 0;
    }
    return false;
}

/* ---- Serving ------------------------------------------------------------------------ */

/* All ways to choose the calls of the mixture: so many more out of `left`, and then those of
 * the kinds from `next` on. */
static void choose(struct service *s, int next, uint64_t left, int more, uint64_t chosen)
{
    if (rdl__viable_gives_up(s->v) || __builtin_popcountll(left) < more)
        return;
    if (more > 0) {
        choose(s, next, left & (left - 1), more - 1, chosen | (left & -left));
        choose(s, next, left & (left - 1), more, chosen);
    } else if (next < s->kind_count) {
        choose(s, next + 1, s->kinds[next].members, s->kinds[next].count, chosen);
    } else {
        rdl__node_serve(s->v, s->layer, s->from, s->slot, chosen);
    }
}

/* False: it has asked for something new meanwhile, so kinds were not what they seemed. */
static bool serve(struct service *s)
{
    const struct rdl__asked before = *asked_by(s), *asked = asked_by(s);

    do {
        if (needs_mixture(s))
            choose(s, 0, 0, 0, 0);
        if (s->v->wants_order)
            return true;
        if (asked->counts != before.counts || asked->args != before.args)
            return false;
    } while (count_on(s));
    return true;
}

void rdl__node_serve_after_arrivals(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from,
                                    int slot)
{
    struct service s = {.v = v, .layer = layer, .from = from, .slot = slot};

    do
        if (!sort_others(&s)) {
            v->wants_order = true; /* to look at all orders cannot be worse */
            return;
        }
    while (!serve(&s));
}
