/* cycles.c -- calls that can be overtaken for ever.
 *
 * Take the configurations in which a client's call waits, and the steps that others take
 * between them.  A cycle there can be gone round for ever, and since every call that begins
 * on it has to end on it, calls of others go on meanwhile.  Cycles are found as strongly
 * connected components (R. Tarjan, Depth-first search and linear graph algorithms, 1972).
 *
 * Nobody is so unfair, nor so lazy, that a client could take a step all the time and never
 * does: a cycle counts only if each client takes one on the way, or comes to a place where
 * it cannot.  That goes for the client whose call waits as well.
 *
 * Of each kind, the cycle with the nearest place that makes it one of that kind is taken:
 * its anchor. */
#include "drive/space.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct rdl__space *space;
    unsigned client;
    enum rdl__why_overtaken why;
    uint32_t *order, *low; /* when a node was found, from 1; the first one known on its stack */
    uint32_t *next;        /* the step to look at next */
    uint32_t *component;   /* 0: not yet in one */
    uint32_t *path, *open; /* nodes being visited; nodes without a component */
    uint32_t path_count, open_count, found, components;
    uint32_t best;
};

static const struct rdl__node *node_at(const struct search *s, uint32_t i)
{
    return &s->space->nodes[i];
}

static bool has(uint16_t clients, const struct search *s)
{
    return clients >> s->client & 1;
}

static bool is_member(const struct search *s, uint32_t i)
{
    const struct rdl__node *node = node_at(s, i);

    if (!node->expanded || !has(node->pending, s))
        return false;
    switch (s->why) {
    case RDL__BY_POLICY:
        return !has(node->able, s);
    case RDL__BY_STATE:
        return !has(node->holds, s);
    default:
        return true;
    }
}

static bool is_anchor(const struct search *s, uint32_t i)
{
    switch (s->why) {
    case RDL__BY_POLICY:
        return has(node_at(s, i)->holds, s);
    case RDL__BY_CHANCE:
        return has(node_at(s, i)->able, s);
    default:
        return true;
    }
}

/* Does this step of a member lead to another, with the call still waiting? */
static bool is_inside(const struct search *s, const struct rdl__move *step)
{
    return !(step->executes && step->client == s->client) && is_member(s, step->to);
}

/* And to the same component? */
static bool stays(const struct search *s, uint32_t i, const struct rdl__move *step)
{
    return is_inside(s, step) && s->component[step->to] == s->component[i];
}

/* ---- Components ----------------------------------------------------------------------------- */

static void visit(struct search *s, uint32_t i)
{
    s->order[i] = s->low[i] = ++s->found;
    s->next[i] = node_at(s, i)->first;
    s->path[s->path_count++] = i;
    s->open[s->open_count++] = i;
}

/* The clients that a member satisfies: they cannot take a step there, or take one to another
 * member. */
static uint32_t satisfied_at(const struct search *s, uint32_t i)
{
    const struct rdl__node *node = node_at(s, i);
    uint32_t clients = ~(uint32_t)node->moves;

    for (uint32_t k = node->first; k < node->first + node->count; k++)
        if (stays(s, i, &s->space->steps[k]))
            clients |= 1u << s->space->steps[k].client;
    return clients;
}

/* If it can be gone round for ever: the nearest anchor in it. */
static void judge(struct search *s, const uint32_t *members, uint32_t count)
{
    uint32_t nearest = RDL__NONE, satisfied = 0, all = (1u << s->space->clients) - 1;

    for (uint32_t k = 0; k < count; k++) {
        satisfied |= satisfied_at(s, members[k]);
        if (members[k] < nearest && is_anchor(s, members[k]))
            nearest = members[k];
    }
    if (count > 1 && (satisfied & all) == all && nearest < s->best)
        s->best = nearest;
}

static void close_component(struct search *s, uint32_t i)
{
    uint32_t end = s->open_count;

    s->components++;
    do
        s->component[s->open[--s->open_count]] = s->components;
    while (s->open[s->open_count] != i);
    judge(s, s->open + s->open_count, end - s->open_count);
}

static void leave(struct search *s, uint32_t i)
{
    s->path_count--;
    if (s->low[i] == s->order[i])
        close_component(s, i);
    else if (s->low[i] < s->low[s->path[s->path_count - 1]])
        s->low[s->path[s->path_count - 1]] = s->low[i];
}

static void go_on(struct search *s, uint32_t i)
{
    const struct rdl__node *node = node_at(s, i);
    const struct rdl__move *step;

    if (s->next[i] == node->first + node->count) {
        leave(s, i);
        return;
    }
    step = &s->space->steps[s->next[i]++];
    if (!is_inside(s, step))
        return;
    if (!s->order[step->to])
        visit(s, step->to);
    else if (!s->component[step->to] && s->order[step->to] < s->low[i])
        s->low[i] = s->order[step->to];
}

static void find_components(struct search *s)
{
    for (uint32_t i = 0; i < s->space->count; i++) {
        if (!s->order[i] && is_member(s, i))
            visit(s, i);
        while (s->path_count)
            go_on(s, s->path[s->path_count - 1]);
    }
}

/* ---- The shortest way round ----------------------------------------------------------------- */

/* Breadth first from the anchor back to it.  A position is a member of its component, with
 * the clients that have been satisfied on the way: the one that waits first, then the others
 * as far as there is room for them. */
enum { POSITIONS_MAX = 1 << 24 };

struct round {
    unsigned bits;
    uint32_t *slot;               /* of a node: its number within the component */
    uint32_t *queue, *from, *via; /* from: a position plus 1, 0: not reached */
    uint32_t *node;               /* the other way round */
    uint32_t head, tail;
};

static uint32_t bit_of(const struct search *s, unsigned client)
{
    return client == s->client ? 1 : 1u << (client + (client < s->client));
}

static uint32_t satisfied_by(const struct search *s, uint32_t i, const struct rdl__move *step)
{
    uint32_t bits = bit_of(s, step->client);

    for (unsigned client = 0; client < s->space->clients; client++)
        if (!(node_at(s, i)->moves >> client & 1))
            bits |= bit_of(s, client);
    return bits;
}

static void follow(const struct search *s, struct round *r, uint32_t position)
{
    uint32_t mask = (1u << r->bits) - 1, i = r->node[position >> r->bits];
    const struct rdl__node *node = node_at(s, i);

    for (uint32_t k = node->first; k < node->first + node->count; k++) {
        const struct rdl__move *step = &s->space->steps[k];
        uint32_t to;

        if (!stays(s, i, step))
            continue;
        to = r->slot[step->to] << r->bits | ((position | satisfied_by(s, i, step)) & mask);
        if (r->from[to])
            continue;
        r->from[to] = position + 1;
        r->via[to] = k;
        r->queue[r->tail++] = to;
    }
}

static void begin_round(const struct search *s, struct round *r)
{
    uint32_t members = 0;
    size_t positions;

    *r = (struct round){.bits = s->space->clients,
                        .slot = s->low,
                        .node = rdl__allocate(s->space->count * sizeof(uint32_t))};
    for (uint32_t i = 0; i < s->space->count; i++)
        if (s->component[i] == s->component[s->best]) {
            r->slot[i] = members;
            r->node[members++] = i;
        }
    while (r->bits > 1 && (uint64_t)members << r->bits > POSITIONS_MAX)
        r->bits--;
    positions = (size_t)members << r->bits;
    r->queue = rdl__allocate(positions * sizeof(uint32_t));
    r->from = rdl__allocate(positions * sizeof(uint32_t));
    r->via = rdl__allocate(positions * sizeof(uint32_t));
}

static void keep_steps(const struct round *r, uint32_t start, uint32_t end, struct rdl__cycle *out)
{
    uint32_t at = end;

    do {
        out->count++;
        at = r->from[at] - 1;
    } while (at != start);
    out->steps = rdl__allocate(out->count * sizeof *out->steps);
    at = end;
    for (uint32_t i = out->count; i > 0; i--) {
        out->steps[i - 1] = r->via[at];
        at = r->from[at] - 1;
    }
}

static void go_round(const struct search *s, struct rdl__cycle *out)
{
    struct round r;
    uint32_t start, end;

    begin_round(s, &r);
    start = r.slot[s->best] << r.bits;
    end = start | ((1u << r.bits) - 1);
    for (follow(s, &r, start); !r.from[end]; r.head++)
        follow(s, &r, r.queue[r.head]);
    keep_steps(&r, start, end, out);
    free(r.queue);
    free(r.from);
    free(r.via);
    free(r.node);
}

static void search_for(struct search *s)
{
    size_t size = s->space->count * sizeof(uint32_t);
    uint32_t **arrays[] = {&s->order, &s->low, &s->next, &s->component, &s->path, &s->open};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = rdl__allocate(size);
    find_components(s);
}

static void end_search(struct search *s)
{
    uint32_t *arrays[] = {s->order, s->low, s->next, s->component, s->path, s->open};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

bool rdl__find_cycle(const struct rdl__space *space, enum rdl__why_overtaken why,
                     struct rdl__cycle *out)
{
    uint32_t best = RDL__NONE;

    *out = (struct rdl__cycle){.why = why};
    for (unsigned client = 0; client < space->clients; client++) {
        struct search s = {.space = space, .client = client, .why = why, .best = best};

        search_for(&s);
        if (s.best < best) {
            best = s.best;
            free(out->steps);
            *out = (struct rdl__cycle){.why = why, .client = client, .from = best};
            go_round(&s, out);
        }
        end_search(&s);
    }
    return out->count > 0;
}
