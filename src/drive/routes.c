/* routes.c -- from one quiet moment of a spec to the next: a call, and all that it lets go on. */
#include "drive/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static bool is_quiet(const struct rdl__space *space, uint32_t node)
{
    return !space->nodes[node].able;
}

/* ---- Where a node leads to ------------------------------------------------------------------- */

static void make_room(struct rdl__routes *routes)
{
    uint32_t count = routes->space->count;

    if (count <= routes->settled_count)
        return;
    routes->settled = rdl__reallocate(routes->settled, count * sizeof *routes->settled);
    memset(routes->settled + routes->settled_count, 0,
           (count - routes->settled_count) * sizeof *routes->settled);
    routes->settled_count = count;
}

uint64_t rdl__routes_answer(struct rdl__space *space, uint32_t from, const struct rdl__move *move)
{
    uint32_t i;

    rdl__moves_load(space, from);
    i = rdl__place_of_client(space, move->client);
    rdl__moves_execute(space, i, move->which);
    return rdl__combine(move->client + 1u,
                        rdl__hash_bytes(space->answer, space->calls[i].operation->answer_size));
}

/* Numbers are added up, so that it does not matter who comes first.  There are as many levels
 * as calls that wait. */
static struct rdl__settled settle(struct rdl__routes *routes, uint32_t node)
{
    struct rdl__space *space = routes->space;
    struct rdl__settled all = {.is = RDL__CERTAIN, .node = node}, known;

    make_room(routes);
    if (routes->settled[node].is != RDL__NOT_ASKED)
        return routes->settled[node];
    if (space->manner == RDL__WHEN_TOLD)
        rdl__space_expand(space, node);
    if (!space->nodes[node].expanded)
        all.is = RDL__UNKNOWN;
    for (uint32_t k = 0; !is_quiet(space, node) && k < space->nodes[node].count; k++) {
        struct rdl__move step = space->steps[space->nodes[node].first + k];
        struct rdl__settled one = settle(routes, step.to);

        one.answers += rdl__routes_answer(space, node, &step);
        if (one.is != RDL__CERTAIN)
            all.is = one.is;
        else if (k > 0 && (one.node != all.node || one.answers != all.answers))
            all.is = RDL__UNCERTAIN;
        if (all.is != RDL__CERTAIN)
            break;
        all = one;
    }
    known = all;
    make_room(routes); /* there may be more nodes now */
    routes->settled[node] = known;
    return known;
}

const struct rdl__settled *rdl__routes_settle(struct rdl__routes *routes, uint32_t node)
{
    settle(routes, node);
    return &routes->settled[node];
}

/* ---- All routes ------------------------------------------------------------------------------ */

uint64_t rdl__routes_met(struct rdl__routes *routes, uint32_t from, uint32_t called)
{
    struct rdl__space *space = routes->space;
    unsigned char *config;
    const struct rdl_operation *op;
    struct rdl__pending *call;
    uint64_t met;

    rdl__moves_load(space, from);
    config = rdl__config(space, called);
    call = rdl__call_in(space, config, rdl__tally_in(config)->count - 1);
    op = rdl__operation(space->spec, call->operation);
    met = rdl__preconditions_met(space->spec, op, rdl__state_in(space, space->now),
                                 rdl__args_of(space, call), space->queue,
                                 rdl__tally_in(space->now)->count);
    if (memcmp(space->now, space->clean, space->size) != 0)
        rdl__misuse(space->t,
                    "%s:%d: spec %s: a precondition of operation %s changes what it is only to "
                    "look at",
                    space->spec->file, space->spec->line, space->spec->name, op->name);
    return met;
}

static void add_route(struct rdl__routes *routes, uint32_t from, uint32_t step)
{
    uint32_t called = routes->space->steps[step].to;
    const struct rdl__settled *end = rdl__routes_settle(routes, called);

    routes->by_luck |= end->is == RDL__UNCERTAIN;
    routes->open[from] |= end->is == RDL__UNKNOWN;
    if (end->is == RDL__UNKNOWN)
        return;
    if (routes->count == routes->room) {
        routes->room = routes->room ? 2 * routes->room : 256;
        routes->items = rdl__reallocate(routes->items, routes->room * sizeof *routes->items);
    }
    routes->items[routes->count++] = (struct rdl__route){
        .from = from,
        .to = end->is == RDL__CERTAIN ? end->node : routes->space->count,
        .step = step,
        .met = rdl__routes_met(routes, from, called),
    };
}

void rdl__routes_init(struct rdl__routes *routes, struct rdl__space *space)
{
    *routes = (struct rdl__routes){.space = space};
    routes->first = rdl__allocate((space->count + 2) * sizeof *routes->first);
    routes->open = rdl__allocate(space->count + 1);
    for (uint32_t i = 0; i < space->count; i++) {
        const struct rdl__node node = space->nodes[i];

        routes->first[i] = routes->count;
        routes->open[i] = !node.expanded || node.partial;
        for (uint32_t k = 0; node.expanded && is_quiet(space, i) && k < node.count; k++)
            add_route(routes, i, node.first + k);
    }
    routes->first[space->count] = routes->first[space->count + 1] = routes->count;
}

void rdl__routes_release(struct rdl__routes *routes)
{
    free(routes->items);
    free(routes->first);
    free(routes->open);
    free(routes->settled);
}

/* ---- Step by step ---------------------------------------------------------------------------- */

static void *keep_state(const struct rdl__space *space, const struct rdl__sequence *sequence)
{
    return rdl__keep(sequence->memory, rdl__state_in(space, space->now), space->spec->state_size);
}

static struct rdl__planned *add_call(struct rdl__routes *routes, uint32_t from, uint32_t called,
                                     struct rdl__sequence *sequence)
{
    struct rdl__space *space = routes->space;
    struct rdl__planned *step = rdl__sequence_add(sequence);
    struct rdl__pending *call;

    step->met = rdl__routes_met(routes, from, called);
    step->before = keep_state(space, sequence);
    rdl__moves_load(space, called);
    call = rdl__call_in(space, space->now, rdl__tally_in(space->now)->count - 1);
    step->client = call->client;
    step->op = rdl__operation(space->spec, call->operation);
    step->args = rdl__keep(sequence->memory, rdl__args_of(space, call), step->op->args_size);
    step->expected = RDL__BLOCKS;
    return step;
}

/* A call goes on: the one of this route, or one that has waited. */
static void add_execution(struct rdl__space *space, uint32_t from, const struct rdl__move *move,
                          struct rdl__sequence *sequence, uint32_t first)
{
    struct rdl__planned *step = &sequence->steps[first];
    const struct rdl_call *call;
    uint32_t i;

    rdl__moves_load(space, from);
    i = rdl__place_of_client(space, move->client);
    rdl__moves_execute(space, i, move->which);
    call = &space->calls[i];
    if (step->client != move->client) {
        step = rdl__sequence_add(sequence);
        step->continued = true;
        step->client = move->client;
        step->op = call->operation;
        step->args = rdl__keep(sequence->memory, call->args, step->op->args_size);
        step->before = keep_state(space, sequence);
    }
    step->expected = RDL__RETURNS;
    if (step->op->answer_size)
        step->answer = rdl__keep(sequence->memory, space->answer, step->op->answer_size);
}

uint32_t rdl__routes_follow(struct rdl__routes *routes, uint32_t from, uint32_t called,
                            const uint32_t *moves, struct rdl__sequence *sequence)
{
    struct rdl__space *space = routes->space;
    uint32_t first = sequence->count, node = called;

    add_call(routes, from, called, sequence);
    if (!moves && routes->settled[called].is != RDL__CERTAIN) {
        sequence->steps[first].expected = RDL__WHATEVER;
        sequence->after = NULL;
        return RDL__NONE;
    }
    while (!is_quiet(space, node)) {
        struct rdl__move move = space->steps[space->nodes[node].first + (moves ? *moves++ : 0)];

        add_execution(space, node, &move, sequence, first);
        node = move.to;
    }
    rdl__moves_load(space, node);
    sequence->after = keep_state(space, sequence);
    return node;
}
