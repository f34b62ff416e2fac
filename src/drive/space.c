/* space.c -- configurations and steps, as they are found.
 *
 * Invariant:  the steps of a node lie next to each other, those of a smaller node before. */
#include "drive/space.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { ALIGNMENT = 16, NODES_FIRST = 1024 };

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t largest(const struct rdl_spec *spec, bool of_answers)
{
    size_t size = 0;

    for (size_t i = 0; i < spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(spec, i);
        size_t its = of_answers ? op->answer_size : op->args_size;

        size = its > size ? its : size;
    }
    return size;
}

static void lay_out(struct rdl__space *space)
{
    const struct rdl_spec *spec = space->spec;

    space->client_size = aligned(spec->client_size);
    space->args_at = aligned(sizeof(struct rdl__pending));
    space->info_at = space->args_at + aligned(largest(spec, false));
    space->call_size = space->info_at + aligned(space->policy->info_size);
    space->sched_at = aligned(sizeof(struct rdl__tally));
    space->clients_at = space->sched_at + aligned(space->policy->state_size);
    space->calls_at = space->clients_at + space->clients * space->client_size;
    space->state_at = space->calls_at + space->clients * space->call_size;
    space->size = space->state_at + aligned(spec->state_size);
}

static void release(void *it)
{
    struct rdl__space *space = it;

    space->t->trace->on = space->traced;
    free(space->bytes);
    free(space->nodes);
    free(space->steps);
    free(space->table);
    rdl__every_release(&space->every);
    rdl__text_release(&space->text);
}

struct rdl__space *rdl__space_new(struct rdl_case *t, const struct rdl_spec *spec, unsigned clients)
{
    struct rdl__space *space = rdl_new(t, struct rdl__space);

    space->t = t;
    space->spec = spec;
    space->policy = rdl__policy_of(spec);
    space->clients = clients;
    space->traced = t->trace->on;
    lay_out(space);
    space->now = rdl_alloc(t, space->size);
    space->clean = rdl_alloc(t, space->size);
    space->next = rdl_alloc(t, space->size);
    space->spare = rdl_alloc(t, space->size);
    space->drawn = rdl_alloc(t, largest(spec, false));
    space->drawn_clean = rdl_alloc(t, largest(spec, false));
    space->answer = rdl_alloc(t, largest(spec, true));
    space->spare_answer = rdl_alloc(t, largest(spec, true));
    for (size_t i = 0; i <= RDL__OPERATIONS_MAX; i++)
        space->caps[i] = UINT64_MAX;
    rdl__every_init(&space->every, t);
    rdl__defer(t, release, space);
    t->trace->on = false; /* what is drawn here is not what the case is about */
    return space;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static uint32_t hash_of(const struct rdl__space *space, unsigned char *config)
{
    uint64_t rest = rdl__hash_bytes(config, space->state_at);

    return (uint32_t)rdl__combine(rest, rdl__hash_state(space->spec, rdl__state_in(space, config)));
}

static bool are_same(const struct rdl__space *space, unsigned char *a, unsigned char *b)
{
    return memcmp(a, b, space->state_at) == 0 &&
           rdl__same_state(space->spec, rdl__state_in(space, a), rdl__state_in(space, b));
}

static uint32_t slot_of(const struct rdl__space *space, uint32_t hash, unsigned char *config)
{
    uint32_t slot = hash & (space->table_size - 1);

    for (uint32_t node; (node = space->table[slot]); slot = (slot + 1) & (space->table_size - 1))
        if (config && space->nodes[node - 1].hash == hash &&
            are_same(space, rdl__config(space, node - 1), config))
            break;
    return slot;
}

static void make_room(struct rdl__space *space)
{
    if (space->count < space->room)
        return;
    space->room = space->room ? 2 * space->room : NODES_FIRST;
    space->nodes = rdl__reallocate(space->nodes, space->room * sizeof *space->nodes);
    space->bytes = rdl__reallocate(space->bytes, space->room * space->size);
    free(space->table);
    space->table_size = 2 * space->room;
    space->table = rdl__allocate(space->table_size * sizeof *space->table);
    for (uint32_t i = 0; i < space->count; i++)
        space->table[slot_of(space, space->nodes[i].hash, NULL)] = i + 1;
}

static void ask_invariant(struct rdl__space *space, uint32_t node)
{
    const struct rdl_spec *spec = space->spec;

    if (!spec->invariant)
        return;
    space->nodes[node].broken = !spec->invariant(rdl__state_in(space, space->next));
    if (space->nodes[node].broken && space->broken == RDL__NONE)
        space->broken = node;
    if (memcmp(space->next, rdl__config(space, node), space->size) != 0)
        rdl__misuse(space->t, "%s:%d: the invariant of spec %s changes the state", spec->file,
                    spec->line, spec->name);
}

static uint32_t add_node(struct rdl__space *space, uint32_t hash, uint32_t slot)
{
    uint32_t node = space->count++;

    space->table[slot] = node + 1;
    memcpy(rdl__config(space, node), space->next, space->size);
    space->nodes[node] = (struct rdl__node){.hash = hash, .parent = RDL__NONE};
    ask_invariant(space, node);
    return node;
}

static bool is_full(const struct rdl__space *space)
{
    return space->count >= RDL__NODES_MAX || (space->count + 1) * space->size > RDL__NODE_BYTES_MAX;
}

/* The node of `next`; RDL__NONE if there is no room for another. */
static uint32_t find_or_add(struct rdl__space *space, bool *out_is_new)
{
    uint32_t hash, slot;

    make_room(space);
    hash = hash_of(space, space->next);
    slot = slot_of(space, hash, space->next);
    *out_is_new = space->table[slot] == 0;
    if (!*out_is_new)
        return space->table[slot] - 1;
    if (is_full(space)) {
        space->cut = true;
        return RDL__NONE;
    }
    return add_node(space, hash, slot);
}

void rdl__space_root(struct rdl__space *space)
{
    bool is_new;

    find_or_add(space, &is_new);
}

void rdl__space_link(struct rdl__space *space, struct rdl__move step)
{
    bool is_new;

    if (space->step_count >= RDL__STEPS_MAX)
        space->cut = true;
    if (space->cut || (step.to = find_or_add(space, &is_new)) == RDL__NONE)
        return;
    if (is_new) {
        space->nodes[step.to].parent = space->from;
        space->nodes[step.to].via = space->step_count;
    }
    if (space->step_count == space->step_room) {
        space->step_room = space->step_room ? 2 * space->step_room : NODES_FIRST;
        space->steps = rdl__reallocate(space->steps, space->step_room * sizeof *space->steps);
    }
    space->steps[space->step_count++] = step;
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void expand(struct rdl__space *space, uint32_t i)
{
    uint32_t first = space->step_count;

    rdl__doing(space->t, "looking at states", "state", space->count);
    rdl__moves_expand(space, i);
    for (uint32_t k = first; k < space->step_count; k++)
        space->nodes[i].moves |= (uint16_t)(1u << space->steps[k].client);
    space->nodes[i].first = first;
    space->nodes[i].count = space->step_count - first;
    space->nodes[i].expanded = !space->cut;
}

static void start_anew(struct rdl__space *space)
{
    space->count = space->step_count = space->draws = 0;
    if (space->table)
        memset(space->table, 0, space->table_size * sizeof *space->table);
    space->cut = space->partial = false;
    space->broken = RDL__NONE;
    memset(space->called, 0, sizeof space->called);
    memset(space->executed, 0, sizeof space->executed);
    rdl__moves_begin(space);
}

static void explore_once(struct rdl__space *space)
{
    start_anew(space);
    for (uint32_t i = 0; i < space->count && !space->cut; i++) {
        if (space->wants_numbers && !space->numbered)
            return;
        if (!space->nodes[i].broken)
            expand(space, i);
    }
}

void rdl__space_begin(struct rdl__space *space)
{
    space->numbered = true;
    start_anew(space);
}

void rdl__space_expand(struct rdl__space *space, uint32_t node)
{
    if (!space->nodes[node].expanded)
        expand(space, node);
}

/* Numbers of calls would make every run lead to states of its own; so calls have none until
 * the spec turns out to use them. */
void rdl__space_explore(struct rdl__space *space)
{
    explore_once(space);
    if (space->wants_numbers) {
        space->numbered = true;
        explore_once(space);
    }
    rdl__doing(space->t, NULL, NULL, 0);
}
