/* viable_search.c -- the search for configurations that explain what was seen.
 *
 * See viable.c for what layers are.  Here: configurations, what can happen to them, and how
 * one after the other comes out of a layer. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "judge/viable_inner.h"

enum {
    BYTES_MAX = 80 * 1 << 20, /* what layers may take: then it is undecided */
    FEW_NODES = 8,            /* are found without a table */
    FEW_LAYERS = 32,          /* may pile up, before the past is looked through, */
    NODES_AT_ONCE = 1 << 16,  /* so far, at a time */
    WATCHED_EVERY = 1 << 10,  /* a power of two */
};

uint32_t rdl__viable_eager; /* what nobody asks for is not looked for */
void (*rdl__viable_watch)(const struct rdl__viable *v);

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
    if (v->plain)
        return rdl__hash_bytes(node, v->node_size);
    return rdl__combine(rdl__hash_bytes(node, v->state_at),
                        rdl__hash_state(v->spec, rdl__node_state(v, node)));
}

static bool same_node(const struct rdl__viable *v, const struct rdl__node *a,
                      const struct rdl__node *b)
{
    if (v->plain)
        return memcmp(a, b, v->node_size) == 0;
    return memcmp(a, b, v->state_at) == 0 &&
           rdl__same_state(v->spec, rdl__node_state(v, a), rdl__node_state(v, b));
}

/* Arrays of layers are made larger here, so that it is known what all of them take. */
static void *grow(struct rdl__viable *v, void *array, uint32_t *room, uint32_t first, size_t size)
{
    uint32_t more = *room ? 2 * *room : first;

    v->bytes += (more - *room) * size;
    *room = more;
    return rdl__reallocate(array, more * size);
}

/* Where a node of this hash is in the table, or would be. */
static struct rdl__place *find_place(const struct rdl__viable *v, const struct rdl__layer *layer,
                                     const struct rdl__node *node, uint32_t hash)
{
    uint32_t mask = layer->table_room - 1, at = hash & mask;

    for (; layer->table[at].node; at = (at + 1) & mask)
        if (node && layer->table[at].hash == hash &&
            same_node(v, rdl__node_at(v, layer, layer->table[at].node - 1), node))
            break;
    return &layer->table[at];
}

static void free_table(struct rdl__viable *v, struct rdl__layer *layer)
{
    v->bytes -= layer->table_room * sizeof *layer->table;
    free(layer->table);
    layer->table = NULL;
    layer->table_room = 0;
}

static void grow_table(struct rdl__viable *v, struct rdl__layer *layer)
{
    uint32_t room = layer->table_room ? 2 * layer->table_room : 4 * FEW_NODES;

    free_table(v, layer);
    layer->table = rdl__allocate(room * sizeof *layer->table);
    layer->table_room = room;
    v->bytes += room * sizeof *layer->table;
}

/* All nodes into a table that is empty. */
static void fill_table(struct rdl__viable *v, struct rdl__layer *layer)
{
    for (uint32_t i = 0; i < layer->node_count; i++) {
        uint32_t hash = (uint32_t)hash_node(v, rdl__node_at(v, layer, i));

        *find_place(v, layer, NULL, hash) = (struct rdl__place){i + 1, hash};
    }
}

/* Is there a node like the draft?  If not, it will be the next one. */
static bool is_known(struct rdl__viable *v, struct rdl__layer *layer)
{
    struct rdl__place *place;
    uint32_t hash;

    if (layer->node_count < FEW_NODES) {
        for (uint32_t i = 0; i < layer->node_count; i++)
            if (same_node(v, rdl__node_at(v, layer, i), v->draft))
                return true;
        return false;
    }
    if (2 * (layer->node_count + 1) > layer->table_room) {
        grow_table(v, layer);
        fill_table(v, layer);
    }
    hash = (uint32_t)hash_node(v, v->draft);
    place = find_place(v, layer, v->draft, hash);
    if (place->node)
        return true;
    *place = (struct rdl__place){layer->node_count + 1, hash};
    return false;
}

static void push(struct rdl__viable *v, struct rdl__layer *layer, uint32_t i)
{
    if (layer->stack_count == layer->stack_room)
        layer->stack = grow(v, layer->stack, &layer->stack_room, FEW_NODES, sizeof *layer->stack);
    layer->stack[layer->stack_count++] = i;
}

/* `how`: of its parent. */
void rdl__layer_add_draft(struct rdl__viable *v, struct rdl__layer *layer, struct rdl__origin how)
{
    uint32_t room = layer->node_room;

    rdl__node_settle(v, layer, v->draft);
    if (is_known(v, layer))
        return;
    if (layer->node_count == room) {
        layer->nodes = grow(v, layer->nodes, &layer->node_room, FEW_NODES, v->node_size);
        layer->origins = grow(v, layer->origins, &room, FEW_NODES, sizeof *layer->origins);
    }
    memcpy(rdl__node_at(v, layer, layer->node_count), v->draft, v->node_size);
    if (how.how == RDL__EXECUTED)
        how.reached = rdl__viable_reaches(v, layer->origins[how.parent].reached);
    else if (how.how != RDL__ENTERED)
        how.reached = layer->origins[how.parent].reached;
    layer->origins[layer->node_count] = how;
    push(v, layer, layer->node_count++);
    if (layer->node_count == FEW_NODES && layer->table_room) /* left by another */
        fill_table(v, layer);
}

/* ---- What a call may do -------------------------------------------------------------------- */

/* Whether calls check in when they are executed, or it is quiet, and no earlier; or each at
 * its own time. */
static bool is_late(const struct rdl__viable *v)
{
    return v->mode != RDL__GENERAL;
}

static struct rdl_queue queue_by_arrival(const struct rdl__layer *layer,
                                         const struct rdl__node *node, int slot,
                                         const struct rdl_call *room[RDL__SLOTS])
{
    struct rdl_queue queue = {.calls = room};

    for (uint32_t i = 0; i < node->waiting; i++) {
        if (node->order[i] == slot)
            queue.self = queue.count;
        room[queue.count++] = &layer->slots[node->order[i]]->call;
    }
    return queue;
}

/* Where their order is of no account, any will do. */
static struct rdl_queue queue_of(const struct rdl__layer *layer, uint64_t waiting, int slot,
                                 const struct rdl_call *room[RDL__SLOTS])
{
    struct rdl_queue queue = {.calls = room};

    for (uint64_t left = waiting; left; left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (other == slot)
            queue.self = queue.count;
        room[queue.count++] = &layer->slots[other]->call;
    }
    return queue;
}

static bool compete(const struct rdl__viable *v, const struct rdl_call *a, const struct rdl_call *b)
{
    return v->policy == RDL_FIFO || rdl__compete(a, b);
}

static bool cpre_of(const struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node, int slot)
{
    const struct rdl_call *call = &layer->slots[slot]->call;

    return rdl__cpre(call->operation, rdl__node_state(v, node), call->args);
}

/* First come, first served: does anybody wait who is known to have come earlier? */
static bool is_behind(const struct rdl__viable *v, const struct rdl__layer *layer,
                      const struct rdl__node *node, int slot, uint64_t there)
{
    bool is_old = there >> slot & 1;

    for (uint64_t left = there & ~node->executed; left; left &= left - 1) {
        int other = __builtin_ctzll(left);

        if (other != slot && (!is_old || node->order[other] < node->order[slot]) &&
            compete(v, &layer->slots[other]->call, &layer->slots[slot]->call) &&
            (v->policy != RDL_FIFO || cpre_of(v, layer, node, other)))
            return true;
    }
    return false;
}

/* Does the policy let it go, if these and itself have checked in? */
bool rdl__node_lets_among(struct rdl__viable *v, const struct rdl__layer *layer,
                          const struct rdl__node *node, int slot, uint64_t there)
{
    const struct rdl_call *room[RDL__SLOTS];
    struct rdl_queue queue;
    bool lets;

    if (v->mode == RDL__NO_POLICY)
        return true;
    if (v->mode == RDL__IN_ORDER)
        return !is_behind(v, layer, node, slot, there);
    if (v->mode == RDL__GENERAL)
        queue = queue_by_arrival(layer, node, slot, room);
    else
        queue = queue_of(layer, (there | UINT64_C(1) << slot) & ~node->executed, slot, room);
    if (v->mode == RDL__WHO_CAME)
        queue.asked = &v->asked[layer->slots[slot]->operation];
    lets = rdl__enabled(v->spec, rdl__node_state(v, node), rdl__node_sched(v, node),
                        info_of(v, node, slot), &queue);
    if (queue.asked && queue.asked->order)
        v->wants_order = true;
    return lets;
}

/* cpre and the policy, for a call that waits, or would if it had checked in. */
bool rdl__node_lets(struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node, int slot, bool *out_cpre)
{
    uint64_t there = v->mode == RDL__WHO_CAME ? node->checked : layer->old;

    *out_cpre = cpre_of(v, layer, node, slot);
    return *out_cpre && rdl__node_lets_among(v, layer, node, slot, there);
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

    node->checked &= ~(UINT64_C(1) << slot);
    if (v->mode == RDL__IN_ORDER)
        node->order[slot] = 0;
    if (v->mode != RDL__GENERAL)
        return;
    for (uint32_t i = 0; i < node->waiting; i++)
        if (node->order[i] != slot)
            node->order[kept++] = node->order[i];
    node->order[kept] = 0;
    node->waiting = kept;
    memset(info_of(v, node, slot), 0, v->policy->info_size);
}

/* What becomes of the configuration if the call is executed; false: not possible. */
bool rdl__node_execute(struct rdl__viable *v, const struct rdl__layer *layer,
                       const struct rdl__node *from, int slot, unsigned which)
{
    const struct rdl__seen_call *call = layer->slots[slot];
    struct rdl__node *node = v->draft;

    memcpy(node, from, v->node_size);
    if ((v->mode == RDL__GENERAL || v->mode == RDL__WHO_CAME) && v->policy->post_waiting)
        v->policy->post_waiting(rdl__node_sched(v, node), info_of(v, node, slot), &call->call,
                                rdl__node_state(v, from));
    node->executed |= UINT64_C(1) << slot;
    forget_waiting(v, node, slot);
    return rdl__explains(v->spec, &call->call, rdl__node_state(v, node), which,
                         call->returned ? call->answer : NULL, v->answer);
}

void rdl__node_serve(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from, int slot,
                     uint64_t arrivals)
{
    const struct rdl_operation *op = layer->slots[slot]->call.operation;

    for (unsigned which = rdl__alternatives(op); which-- > 0;)
        if (rdl__node_execute(v, layer, rdl__node_at(v, layer, from), slot, which)) {
            v->draft->checked |= arrivals;
            rdl__layer_add_draft(v, layer,
                                 (struct rdl__origin){from, (uint8_t)slot, RDL__EXECUTED, 0});
        }
}

static void try_to_execute(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from, int slot)
{
    const struct rdl__node *node = rdl__node_at(v, layer, from);

    if (!cpre_of(v, layer, node, slot))
        return;
    if (v->mode == RDL__WHO_CAME)
        rdl__node_serve_after_arrivals(v, layer, from, slot);
    else if (rdl__node_lets_among(v, layer, node, slot, layer->old))
        rdl__node_serve(v, layer, from, slot, 0);
}

/* What can happen next to the call in this slot. */
static void expand_call(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from, int slot)
{
    const struct rdl__node *node = rdl__node_at(v, layer, from);
    uint64_t bit = UINT64_C(1) << slot;
    bool is_there = is_late(v) || node->checked & bit;

    if (node->executed & bit || rdl__node_has_twin(v, layer, node, slot))
        return;
    if (is_there && layer->may & bit) {
        try_to_execute(v, layer, from, slot);
    } else if (!is_there) {
        check_in(v, layer, from, slot);
        rdl__layer_add_draft(v, layer,
                             (struct rdl__origin){from, (uint8_t)slot, RDL__CHECKED_IN, 0});
    }
}

/* Everything that can happen next.  The last that is added is looked at first. */
static void expand(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from)
{
    for (uint32_t i = layer->open_count; i-- > 0;)
        expand_call(v, layer, from, layer->by_return[i]);
}

/* ---- When all is quiet --------------------------------------------------------------------- */

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
        rdl__layer_add_draft(v, layer,
                             (struct rdl__origin){from, (uint8_t)other, RDL__CAME_FIRST, 0});
    }
}

/* All have checked in by now. */
int rdl__node_idler(struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node)
{
    for (uint64_t left = layer->open & ~node->executed; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);

        if (cpre_of(v, layer, node, slot) &&
            rdl__node_lets_among(v, layer, node, slot, layer->open))
            return slot;
    }
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
        rdl__layer_add_draft(v, layer, (struct rdl__origin){at, 0, RDL__RANKED, 0});
        return false;
    }
    if (!(v->flags & RDL__WITH_LIVENESS))
        return true;
    idler = rdl__node_idler(v, layer, node);
    if (idler >= 0 && v->mode == RDL__IN_ORDER && v->policy != RDL_FIFO)
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

/* ---- Layers ---------------------------------------------------------------------------------- */

static struct rdl__layer *layer_at(const struct rdl__viable *v, size_t i)
{
    return v->layers[i];
}

void rdl__layer_emit(struct rdl__viable *v, struct rdl__layer *layer, uint32_t i)
{
    if (layer->emitted_count == layer->emitted_room)
        layer->emitted =
            grow(v, layer->emitted, &layer->emitted_room, FEW_NODES, sizeof *layer->emitted);
    layer->emitted[layer->emitted_count++] = i;
}

/* Go on from a configuration of the layer before. */
static void enter(struct rdl__viable *v, struct rdl__layer *layer, const struct rdl__node *source,
                  uint32_t which, uint16_t reached)
{
    struct rdl__node *node = v->draft;

    memcpy(node, source, v->node_size);
    node->executed &= layer->open & ~layer->fresh;
    if (v->mode == RDL__IN_ORDER)
        node->ranked = false;
    if (v->mode == RDL__WHO_CAME)
        node->checked |= layer->old & ~node->executed;
    rdl__layer_add_draft(v, layer, (struct rdl__origin){which, 0, RDL__ENTERED, reached});
}

/* Whatever else has come out of the layer before. */
static void enter_others(struct rdl__viable *v, size_t i)
{
    struct rdl__layer *layer = layer_at(v, i), *before = layer_at(v, i - 1);
    uint32_t known = layer->sources;

    layer->sources = before->emitted_count;
    for (uint32_t k = before->emitted_count; k-- > known;)
        enter(v, layer, rdl__node_at(v, before, before->emitted[k]), k,
              before->origins[before->emitted[k]].reached);
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

bool rdl__viable_gives_up(const struct rdl__viable *v)
{
    return v->bytes > BYTES_MAX || rdl__viable_wants_more(v);
}

/* Search this layer until another configuration comes out of it. */
static bool search(struct rdl__viable *v, struct rdl__layer *layer)
{
    while (layer->stack_count > 0 && !rdl__viable_gives_up(v)) {
        uint32_t at = layer->stack[--layer->stack_count];

        if ((++v->looked & (WATCHED_EVERY - 1)) == 0 && rdl__viable_watch)
            rdl__viable_watch(v);
        if (!is_complete(v, layer, rdl__node_at(v, layer, at))) {
            expand(v, layer, at);
        } else if (!layer->quiet || is_quiet(v, layer, at)) {
            rdl__layer_emit(v, layer, at);
            return true;
        }
    }
    return false;
}

/* Another configuration of the last layer, by way of those before if need be.  A loop, since
 * there may be many of them. */
bool rdl__viable_find_another(struct rdl__viable *v)
{
    size_t i = v->layer_count - 1;

    while (!rdl__viable_gives_up(v)) {
        if (search(v, layer_at(v, i))) {
            if (++i == v->layer_count)
                return true;
            enter_others(v, i);
        } else if (i-- == 0) {
            return false;
        }
    }
    return false;
}

/* ---- The past -------------------------------------------------------------------------------- */

static void free_nodes(struct rdl__viable *v, struct rdl__layer *layer)
{
    v->bytes -= layer->node_room * (v->node_size + sizeof *layer->origins) +
                layer->stack_room * sizeof *layer->stack +
                layer->emitted_room * sizeof *layer->emitted;
    free(layer->nodes);
    free(layer->origins);
    free(layer->stack);
    free(layer->emitted);
    layer->nodes = NULL;
    layer->origins = NULL;
    layer->stack = layer->emitted = NULL;
    layer->node_room = layer->stack_room = layer->emitted_room = 0;
}

/* Small ones are kept for others to come; large ones are not worth being wiped. */
static void clear_layer(struct rdl__viable *v, struct rdl__layer *layer)
{
    if (layer->table_room > 32 * FEW_NODES)
        free_table(v, layer);
    else if (layer->node_count >= FEW_NODES && layer->table_room)
        memset(layer->table, 0, layer->table_room * sizeof *layer->table);
    if (layer->node_room > 256 * FEW_NODES)
        free_nodes(v, layer);
    layer->node_count = layer->stack_count = layer->emitted_count = layer->sources = 0;
    layer->exhausted = false;
    layer->alike = 0;
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
    if (!layer) {
        layer = v->layers[v->layer_count] = rdl__allocate(sizeof *layer);
        v->bytes += sizeof *layer;
    }
    v->layer_count++;
    clear_layer(v, layer);
    return layer;
}

/* This layer and those after it are all that is needed. */
static void forget_before(struct rdl__viable *v, size_t first)
{
    for (size_t i = 0; i < first; i++)
        clear_layer(v, layer_at(v, i));
    for (size_t i = first; i < v->layer_count; i++) {
        struct rdl__layer *layer = v->layers[i];

        v->layers[i] = v->layers[i - first];
        v->layers[i - first] = layer;
    }
    v->layer_count -= first;
}

/* Search the layers to their ends, from the oldest on, as far as that is not too much at a
 * time.  Returns the last one of which all is known. */
static size_t exhaust_layers(struct rdl__viable *v)
{
    size_t i = 0, most = v->bytes + NODES_AT_ONCE * (v->node_size + sizeof(struct rdl__origin));

    while (is_exhausted(v, i) && i + 1 < v->layer_count) {
        enter_others(v, ++i);
        while (v->bytes < most && search(v, layer_at(v, i)))
            continue;
    }
    return is_exhausted(v, i) ? i : i - 1;
}

/* Where many layers have piled up, it is time to see what becomes of the oldest.  If they
 * are too many still, another time. */
static void look_back(struct rdl__viable *v)
{
    if (v->layers_most < FEW_LAYERS)
        v->layers_most = FEW_LAYERS;
    if (v->layer_count <= v->layers_most && v->bytes < BYTES_MAX / 2)
        return;
    forget_before(v, exhaust_layers(v));
    v->layers_most = 2 * v->layer_count;
}

/* Look a little further than is needed.  Most layers come to their end that way, and with
 * them the past. */
static void look_ahead(struct rdl__viable *v)
{
    struct rdl__layer *last = layer_at(v, v->layer_count - 1);

    if (!is_exhausted(v, v->layer_count - 2)) {
        look_back(v);
        return;
    }
    while (last->node_count < rdl__viable_eager && rdl__viable_find_another(v))
        continue;
    if (is_exhausted(v, v->layer_count - 1))
        forget_before(v, v->layer_count - 1);
}

enum rdl__judgement rdl__layer_judge(struct rdl__viable *v)
{
    enter_others(v, v->layer_count - 1);
    if (rdl__viable_find_another(v)) {
        look_ahead(v);
        return RDL__EXPLAINED;
    }
    return rdl__viable_gives_up(v) ? RDL__UNDECIDED : RDL__UNEXPLAINED;
}
