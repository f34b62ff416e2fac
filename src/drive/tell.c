/* tell.c -- runs of a spec in words, one step a line. */
#include "drive/space.h"

#include <stdlib.h>

enum { SHOWN_FIRST = 10, SHOWN_LAST = 20 };

static void add_states(struct rdl__space *space, struct rdl__text *out, unsigned char *config)
{
    rdl__show_state(out, space->spec, rdl__state_in(space, config));
    if (space->policy->state_size) {
        rdl__text_add(out, ", policy ");
        rdl__show_sched(out, space->policy, rdl__sched_in(space, config));
    }
}

static void add_call(const struct rdl__space *space, struct rdl__text *out, uint32_t i)
{
    rdl__show_call(out, space->calls[i].operation, space->calls[i].args);
}

static void add_beginning(struct rdl__space *space, struct rdl__text *out,
                          const struct rdl__move *step)
{
    rdl__moves_load(space, step->to);
    rdl__text_add(out, "client %u calls ", step->client);
    add_call(space, out, rdl__tally_in(space->now)->count - 1);
}

static void add_execution(struct rdl__space *space, struct rdl__text *out, uint32_t from,
                          const struct rdl__move *step)
{
    uint32_t i;

    rdl__moves_load(space, from);
    i = rdl__place_of_client(space, step->client);
    rdl__moves_execute(space, i, step->which);
    rdl__text_add(out, "client %u goes on in ", step->client);
    add_call(space, out, i);
    if (space->calls[i].operation->answer_size) {
        rdl__text_add(out, " -> ");
        rdl__show_answer(out, space->calls[i].operation, space->answer);
    }
    rdl__text_add(out, ": ");
    add_states(space, out, space->next);
}

/* The steps of one run, from a node on.  Of many, those in the middle are left out. */
static void add_steps(struct rdl__space *space, struct rdl__text *out, uint32_t from,
                      const uint32_t *steps, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rdl__move step = space->steps[steps[i]];
        bool is_shown = i < SHOWN_FIRST || count - i <= SHOWN_LAST;

        if (is_shown) {
            rdl__text_add(out, "%4u  ", number + i);
            if (step.executes)
                add_execution(space, out, from, &step);
            else
                add_beginning(space, out, &step);
            rdl__text_add(out, "\n");
        } else if (i == SHOWN_FIRST) {
            rdl__text_add(out, "      ... ");
            rdl__text_add_many(out, count - SHOWN_FIRST - SHOWN_LAST, "more step");
            rdl__text_add(out, " ...\n");
        }
        from = step.to;
    }
}

static uint32_t depth_of(const struct rdl__space *space, uint32_t node)
{
    uint32_t depth = 0;

    for (; space->nodes[node].parent != RDL__NONE; node = space->nodes[node].parent)
        depth++;
    return depth;
}

void rdl__tell_run(struct rdl__space *space, struct rdl__text *out, uint32_t node)
{
    uint32_t depth = depth_of(space, node);
    uint32_t *steps = rdl_new_array(space->t, uint32_t, depth);
    uint32_t root = node;

    for (uint32_t i = depth; i > 0; i--) {
        steps[i - 1] = space->nodes[root].via;
        root = space->nodes[root].parent;
    }
    rdl__text_add(out, "   0  at the beginning: ");
    add_states(space, out, rdl__config(space, root));
    rdl__text_add(out, "\n");
    add_steps(space, out, root, steps, depth, 1);
}

void rdl__tell_cycle(struct rdl__space *space, struct rdl__text *out,
                     const struct rdl__cycle *cycle)
{
    rdl__tell_run(space, out, cycle->from);
    rdl__text_add(out, "      and from here on, again and again:\n");
    add_steps(space, out, cycle->from, cycle->steps, cycle->count,
              depth_of(space, cycle->from) + 1);
}

const char *rdl__who_decides(const struct rdl__space *space, const struct rdl_operation *op)
{
    return op->enabled && space->policy == RDL_ALWAYS ? "its .enabled" : space->policy->name;
}

void rdl__tell_waiting(struct rdl__space *space, struct rdl__text *out, uint32_t node)
{
    const struct rdl__node *at = &space->nodes[node];

    rdl__moves_load(space, node);
    for (uint32_t i = 0; i < rdl__tally_in(space->now)->count; i++) {
        rdl__text_add(out, "client %u waits in ", space->calls[i].client);
        add_call(space, out, i);
        if (at->holds >> space->calls[i].client & 1)
            rdl__text_add(out, ": its cpre holds, but the policy (%s) does not let it go on\n",
                          rdl__who_decides(space, space->calls[i].operation));
        else
            rdl__text_add(out, ": its cpre does not hold\n");
    }
}
