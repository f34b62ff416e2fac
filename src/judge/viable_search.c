/* viable_search.c -- the search for configurations that explain what was seen.
 *
 * See viable.c for what layers are.  Here: configurations, what can happen to them, and how
 * one after the other comes out of a layer. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "judge/viable_inner.h"

enum {
    EAGER_NODES = 500,        /* how far a layer is searched although one is enough */
    NODES_MAX = 1 << 21,      /* configurations of a history, */
    BYTES_MAX = 80 * 1 << 20, /* and what they take: then it is undecided */
};

/* ---- Nodes -------------------------------------------------------------------------------- */

struct rdl__node *rdl__node_at(const struct rdl__viable *v, const struct rdl__layer *layer,
                               uint32_t i)
{
    return (struct rdl__node *)(layer->nodes + (size_t)i * v->node_size);
}

void *rdl__node_state(const struct rdl__viable *v, const struct rdl__node *node)
{
    return (char *)node + v->state_at;
}

void *rdl__node_sched(const struct rdl__viable *v, const struct rdl__node *node)
{
    return (char *)node + v->sched_at;
}

static void *info_of(const struct rdl__viable *v, const struct rdl__node *node, int slot)
{
    return (char *)node + v->info_at + (size_t)slot * v->policy->info_size;
}

static uint64_t hash_node(const struct rdl__viable *v, const struct rdl__node *node)
{
    uint64_t hash = rdl__hash_bytes(node, v->state_at);

    return rdl__combine(hash, rdl__hash_state(v->spec, rdl__node_state(v, node)));
}

static bool same_node(const struct rdl__viable *v, const struct rdl__node *a,
                      const struct rdl__node *b)
{
    return memcmp(a, b, v->state_at) == 0 &&
           rdl__same_state(v->spec, rdl__node_state(v, a), rdl__node_state(v, b));
}

static void grow_table(const struct rdl__viable *v, struct rdl__layer *layer)
{
    uint32_t room = layer->table_room ? 2 * layer->table_room : 32;

    free(layer->table);
    layer->table = rdl__allocate(room * sizeof *layer->table);
    layer->table_room = room;
    for (uint32_t i = 0; i < layer->node_count; i++) {
        uint64_t at = hash_node(v, rdl__node_at(v, layer, i));

        while (layer->table[at & (room - 1)])
            at++;
        layer->table[at & (room - 1)] = i + 1;
    }
}

/* Where this node is in the table, or would be. */
static uint32_t *find_node(const struct rdl__viable *v, const struct rdl__layer *layer,
                           const struct rdl__node *node)
{
    uint64_t at = hash_node(v, node);
    uint32_t mask = layer->table_room - 1;

    while (layer->table[at & mask] &&
           !same_node(v, rdl__node_at(v, layer, layer->table[at & mask] - 1), node))
        at++;
    return &layer->table[at & mask];
}

static void push(struct rdl__layer *layer, uint32_t i)
{
    if (layer->stack_count == layer->stack_room) {
        layer->stack_room = layer->stack_room ? 2 * layer->stack_room : 16;
        layer->stack = rdl__reallocate(layer->stack, layer->stack_room * sizeof *layer->stack);
    }
    layer->stack[layer->stack_count++] = i;
}

/* The node that lies in v->draft, if it is new: to be looked at.  `how`: of its parent. */
void rdl__layer_add_draft(struct rdl__viable *v, struct rdl__layer *layer, struct rdl__origin how)
{
    uint32_t *place;

    if (2 * (layer->node_count + 1) > layer->table_room)
        grow_table(v, layer);
    place = find_node(v, layer, v->draft);
    if (*place)
        return;
    if (layer->node_count == layer->node_room) {
        layer->node_room = layer->node_room ? 2 * layer->node_room : 8;
        layer->nodes = rdl__reallocate(layer->nodes, layer->node_room * v->node_size);
        layer->origins = rdl__reallocate(layer->origins, layer->node_room * sizeof *layer->origins);
    }
    memcpy(rdl__node_at(v, layer, layer->node_count), v->draft, v->node_size);
    layer->origins[layer->node_count] = how;
    push(layer, layer->node_count);
    *place = ++layer->node_count;
    v->node_total++;
}

/* ---- What a call may do -------------------------------------------------------------------- */

/* The calls that wait in this configuration, in the order of their arrival, for the policy
 * to look at; with `slot` among them.  Where that order is of no account, any will do. */
static struct rdl_queue queue_for(const struct rdl__viable *v, const struct rdl__layer *layer,
                                  const struct rdl__node *node, int slot,
                                  const struct rdl_call *room[RDL__SLOTS])
{
    struct rdl_queue queue = {.calls = room};

    if (v->mode == RDL__GENERAL) {
        for (uint32_t i = 0; i < node->waiting; i++) {
            if (node->order[i] == slot)
                queue.self = queue.count;
            room[queue.count++] = &layer->slots[node->order[i]]->call;
        }
        return queue;
    }
    for (uint64_t left = (layer->old | UINT64_C(1) << slot) & ~node->executed; left;
         left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (other == slot)
            queue.self = queue.count;
        room[queue.count++] = &layer->slots[other]->call;
    }
    return queue;
}

static bool compete(const struct rdl__viable *v, const struct rdl_call *a, const struct rdl_call *b)
{
    int64_t (*group)(const void *args) = a->operation->group;

    return v->policy == RDL_FIFO ||
           (a->operation == b->operation && (!group || group(a->args) == group(b->args)));
}

/* First come, first served: does anybody wait who is known to have come earlier? */
static bool is_behind(const struct rdl__viable *v, const struct rdl__layer *layer,
                      const struct rdl__node *node, int slot)
{
    bool is_old = layer->old >> slot & 1;

    for (uint64_t left = layer->old & ~node->executed; left; left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (other != slot && (!is_old || node->order[other] < node->order[slot]) &&
            compete(v, &layer->slots[other]->call, &layer->slots[slot]->call))
            return true;
    }
    return false;
}

/* cpre and the policy, for a call that waits, or would if it had checked in. */
bool rdl__node_lets(const struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node, int slot, bool *out_cpre)
{
    const struct rdl_call *call = &layer->slots[slot]->call, *room[RDL__SLOTS];
    const void *s = rdl__node_state(v, node);
    struct rdl_queue queue;

    *out_cpre = rdl__cpre(call->operation, s, call->args);
    if (!*out_cpre || v->mode == RDL__NO_POLICY)
        return *out_cpre;
    if (v->mode == RDL__IN_ORDER)
        return !is_behind(v, layer, node, slot);
    queue = queue_for(v, layer, node, slot, room);
    return rdl__enabled(v->spec, s, rdl__node_sched(v, node), info_of(v, node, slot), &queue);
}

/* ---- Actions -------------------------------------------------------------------------------- */

static void check_in(struct rdl__viable *v, const struct rdl__layer *layer, uint32_t from, int slot)
{
    struct rdl__node *node = v->draft;

    memcpy(node, rdl__node_at(v, layer, from), v->node_size);
    node->checked |= UINT64_C(1) << slot;
    node->order[node->waiting++] = (uint8_t)slot;
    if (v->policy->waiting)
        v->policy->waiting(rdl__node_sched(v, node), info_of(v, node, slot),
                           &layer->slots[slot]->call, rdl__node_state(v, node));
}

static void forget_waiting(struct rdl__viable *v, struct rdl__node *node, int slot)
{
    uint32_t kept = 0;

    if (v->mode == RDL__IN_ORDER)
        node->order[slot] = 0;
    if (v->mode != RDL__GENERAL)
        return;
    for (uint32_t i = 0; i < node->waiting; i++)
        if (node->order[i] != slot)
            node->order[kept++] = node->order[i];
    node->order[kept] = 0;
    node->waiting = kept;
    node->checked &= ~(UINT64_C(1) << slot);
    memset(info_of(v, node, slot), 0, v->policy->info_size);
}

/* What becomes of the configuration if the call is executed; false: not possible. */
bool rdl__node_execute(struct rdl__viable *v, const struct rdl__layer *layer,
                       const struct rdl__node *from, int slot, unsigned which)
{
    const struct rdl__seen_call *call = layer->slots[slot];
    struct rdl__node *node = v->draft;

    memcpy(node, from, v->node_size);
    if (v->mode == RDL__GENERAL && v->policy->post_waiting)
        v->policy->post_waiting(rdl__node_sched(v, node), info_of(v, node, slot), &call->call,
                                rdl__node_state(v, from));
    node->executed |= UINT64_C(1) << slot;
    forget_waiting(v, node, slot);
    return rdl__explains(v->spec, &call->call, rdl__node_state(v, node), which,
                         call->returned ? call->answer : NULL, v->answer);
}

static void try_to_execute(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from, int slot)
{
    const struct rdl_operation *op = layer->slots[slot]->call.operation;
    bool cpre;

    if (!rdl__node_lets(v, layer, rdl__node_at(v, layer, from), slot, &cpre))
        return;
    for (unsigned which = rdl__alternatives(op); which-- > 0;)
        if (rdl__node_execute(v, layer, rdl__node_at(v, layer, from), slot, which))
            rdl__layer_add_draft(v, layer,
                                 (struct rdl__origin){from, (uint8_t)slot, RDL__EXECUTED});
}

/* Everything that can happen next.  The last that is added is looked at first. */
static void expand(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from)
{
    bool is_late = v->mode != RDL__GENERAL;

    for (int slot = RDL__SLOTS - __builtin_clzll(layer->open | 1); slot-- > 0;) {
        const struct rdl__node *node = rdl__node_at(v, layer, from);
        uint64_t bit = UINT64_C(1) << slot;

        if (!(layer->open & bit) || node->executed & bit)
            continue;
        if ((is_late || node->checked & bit) && layer->may & bit) {
            try_to_execute(v, layer, from, slot);
        } else if (!is_late && !(node->checked & bit)) {
            check_in(v, layer, from, slot);
            rdl__layer_add_draft(v, layer,
                                 (struct rdl__origin){from, (uint8_t)slot, RDL__CHECKED_IN});
        }
    }
}

/* ---- When all is quiet ------------------------------------------------------------------------ */

/* Ranks without gaps, in the same order. */
static void close_gaps(struct rdl__node *node, uint64_t waiting)
{
    uint8_t renamed[256] = {0};
    unsigned next = 0;

    for (uint64_t left = waiting; left; left &= left - 1)
        renamed[node->order[__builtin_ctzll(left)]] = 1;
    for (unsigned rank = 0; rank < 256; rank++)
        if (renamed[rank])
            renamed[rank] = (uint8_t)++next;
    for (uint64_t left = waiting; left; left &= left - 1)
        node->order[__builtin_ctzll(left)] = renamed[node->order[__builtin_ctzll(left)]];
}

/* Those that have begun since it was quiet last have come after all others, in an order of
 * their own that is not known yet: they get the same rank. */
static void rank_new_ones(const struct rdl__layer *layer, struct rdl__node *node)
{
    uint64_t waiting = layer->open & ~node->executed;

    for (uint64_t left = waiting & ~layer->old; left; left &= left - 1)
        node->order[__builtin_ctzll(left)] = UINT8_MAX;
    close_gaps(node, waiting);
}

/* The call in this slot was the first of its rank. */
static void put_first(struct rdl__node *node, uint64_t waiting, int slot)
{
    for (uint64_t left = waiting; left; left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (other != slot && node->order[other] >= node->order[slot])
            node->order[other]++;
    }
    close_gaps(node, waiting);
}

/* All that have come as early as this one, as far as is known, and compete with it. */
static uint64_t its_equals(const struct rdl__viable *v, const struct rdl__layer *layer,
                           const struct rdl__node *node, uint64_t waiting, int slot)
{
    uint64_t equals = 0;

    for (uint64_t left = waiting; left; left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (node->order[other] == node->order[slot] &&
            compete(v, &layer->slots[other]->call, &layer->slots[slot]->call))
            equals |= UINT64_C(1) << other;
    }
    return equals;
}

static bool cpre_of(const struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node, int slot)
{
    const struct rdl_call *call = &layer->slots[slot]->call;

    return rdl__cpre(call->operation, rdl__node_state(v, node), call->args);
}

/* A call could go on, if it came first.  It did not, if one came first that cannot: each of
 * those is a configuration to be looked at instead. */
static void split_equals(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from,
                         uint64_t waiting, int slot)
{
    for (uint64_t left = its_equals(v, layer, rdl__node_at(v, layer, from), waiting, slot); left;
         left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (cpre_of(v, layer, rdl__node_at(v, layer, from), other))
            continue;
        memcpy(v->draft, rdl__node_at(v, layer, from), v->node_size);
        put_first(v->draft, waiting, other);
        rdl__layer_add_draft(v, layer, (struct rdl__origin){from, (uint8_t)other, RDL__CAME_FIRST});
    }
}

/* A call that waits though it could go on; -1: none does. */
int rdl__node_idler(const struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node)
{
    struct rdl__layer quiet = *layer;
    bool cpre;

    quiet.old = layer->open; /* all have checked in by now */
    for (uint64_t left = layer->open & ~node->executed; left; left &= left - 1)
        if (rdl__node_lets(v, &quiet, node, __builtin_ctzll(left), &cpre))
            return __builtin_ctzll(left);
    return -1;
}

/* All that return have been executed; is it quiet now, as was seen? */
static bool is_quiet(struct rdl__viable *v, struct rdl__layer *layer, uint32_t at)
{
    struct rdl__node *node = rdl__node_at(v, layer, at);
    uint64_t waiting = layer->open & ~node->executed;
    int idler;

    if (v->mode == RDL__IN_ORDER && !node->ranked) {
        memcpy(v->draft, node, v->node_size);
        rank_new_ones(layer, v->draft);
        v->draft->ranked = true;
        rdl__layer_add_draft(v, layer, (struct rdl__origin){at, 0, RDL__RANKED});
        return false;
    }
    if (!(v->flags & RDL__WITH_LIVENESS))
        return true;
    idler = rdl__node_idler(v, layer, node);
    if (idler >= 0 && v->mode == RDL__IN_ORDER)
        split_equals(v, layer, at, waiting, idler);
    return idler < 0;
}

static bool is_complete(const struct rdl__viable *v, const struct rdl__layer *layer,
                        const struct rdl__node *node)
{
    uint64_t waiting = layer->open & ~node->executed;

    return (node->executed & layer->must) == layer->must &&
           (!layer->quiet || v->mode != RDL__GENERAL || (node->checked & waiting) == waiting);
}

/* ---- Layers ------------------------------------------------------------------------------------- */

static struct rdl__layer *layer_at(const struct rdl__viable *v, size_t i)
{
    return v->layers[i];
}

void rdl__layer_emit(struct rdl__layer *layer, uint32_t i)
{
    if (layer->emitted_count == layer->emitted_room) {
        layer->emitted_room = layer->emitted_room ? 2 * layer->emitted_room : 8;
        layer->emitted =
            rdl__reallocate(layer->emitted, layer->emitted_room * sizeof *layer->emitted);
    }
    layer->emitted[layer->emitted_count++] = i;
}

/* Go on from a configuration of the layer before. */
static void enter(struct rdl__viable *v, struct rdl__layer *layer, const struct rdl__node *source,
                  uint32_t which)
{
    struct rdl__node *node = v->draft;

    memcpy(node, source, v->node_size);
    node->executed &= layer->open & ~layer->fresh;
    node->ranked = false;
    rdl__layer_add_draft(v, layer, (struct rdl__origin){which, 0, RDL__ENTERED});
}

/* Will no other configuration come out of it?  `exhausted` is known of the layer before. */
static bool is_exhausted(const struct rdl__viable *v, size_t i)
{
    struct rdl__layer *layer = layer_at(v, i);
    const struct rdl__layer *before = i > 0 ? layer_at(v, i - 1) : NULL;

    if (layer->stack_count == 0 &&
        (!before || (before->exhausted && layer->sources == before->emitted_count)))
        layer->exhausted = true;
    return layer->exhausted;
}

static bool is_too_much(const struct rdl__viable *v)
{
    return v->node_total > NODES_MAX || v->node_total * (v->node_size + 32) > BYTES_MAX;
}

/* Search this layer until another configuration comes out of it. */
static bool search(struct rdl__viable *v, struct rdl__layer *layer)
{
    while (layer->stack_count > 0 && !is_too_much(v)) {
        uint32_t at = layer->stack[--layer->stack_count];

        if (!is_complete(v, layer, rdl__node_at(v, layer, at))) {
            expand(v, layer, at);
        } else if (!layer->quiet || is_quiet(v, layer, at)) {
            rdl__layer_emit(layer, at);
            return true;
        }
    }
    return false;
}

/* Another configuration of the last layer, by way of those before if need be.  A loop, since
 * there may be many of them. */
static bool find_another(struct rdl__viable *v)
{
    size_t i = v->layer_count - 1;

    while (!is_too_much(v)) {
        struct rdl__layer *layer = layer_at(v, i);

        if (search(v, layer)) {
            if (++i == v->layer_count)
                return true;
            enter(v, layer_at(v, i),
                  rdl__node_at(v, layer, layer->emitted[layer->emitted_count - 1]),
                  layer->emitted_count - 1);
            layer_at(v, i)->sources = layer->emitted_count;
        } else if (i-- == 0) {
            return false;
        }
    }
    return false;
}

static void clear_layer(struct rdl__layer *layer)
{
    layer->node_count = layer->stack_count = layer->emitted_count = layer->sources = 0;
    layer->exhausted = false;
    if (layer->table_room > 256) { /* not worth being wiped for every small one to come */
        free(layer->table);
        layer->table = NULL;
        layer->table_room = 0;
    } else if (layer->table_room) {
        memset(layer->table, 0, layer->table_room * sizeof *layer->table);
    }
}

struct rdl__layer *rdl__layer_add(struct rdl__viable *v)
{
    struct rdl__layer *layer;

    if (v->layer_count == v->layer_room) {
        v->layer_room = v->layer_room ? 2 * v->layer_room : 8;
        v->layers = rdl__reallocate(v->layers, v->layer_room * sizeof(struct rdl__layer *));
        memset(v->layers + v->layer_count, 0,
               (v->layer_room - v->layer_count) * sizeof(struct rdl__layer *));
    }
    layer = v->layers[v->layer_count];
    if (!layer)
        layer = v->layers[v->layer_count] = rdl__allocate(sizeof *layer);
    v->layer_count++;
    clear_layer(layer);
    return layer;
}

/* The last layer is all that is needed of the past. */
static void forget_the_past(struct rdl__viable *v)
{
    size_t last = v->layer_count - 1;
    struct rdl__layer *layer = v->layers[last];

    for (size_t i = 0; i < v->layer_count; i++)
        v->node_total -= v->layers[i]->node_count;
    v->node_total += layer->node_count;
    v->layers[last] = v->layers[0];
    v->layers[0] = layer;
    v->layer_count = 1;
}

/* Look a little further than is needed.  Most layers come to their end that way, and with
 * them the past. */
static void look_ahead(struct rdl__viable *v)
{
    struct rdl__layer *last = layer_at(v, v->layer_count - 1);

    if (v->layer_count > 1 && !is_exhausted(v, v->layer_count - 2))
        return;
    while (last->node_count < EAGER_NODES && find_another(v))
        continue;
    if (is_exhausted(v, v->layer_count - 1))
        forget_the_past(v);
}

enum rdl__judgement rdl__layer_judge(struct rdl__viable *v)
{
    struct rdl__layer *layer = layer_at(v, v->layer_count - 1),
                      *before = layer_at(v, v->layer_count - 2);

    for (uint32_t i = before->emitted_count; i-- > 0;)
        enter(v, layer, rdl__node_at(v, before, before->emitted[i]), i);
    layer->sources = before->emitted_count;
    if (find_another(v)) {
        look_ahead(v);
        return RDL__EXPLAINED;
    }
    return is_too_much(v) ? RDL__UNDECIDED : RDL__UNEXPLAINED;
}
