/* viable_alike.c -- calls that nobody can tell apart.
 *
 * Two calls of the same operation with the same arguments, which return in the same layer
 * with the same answer: whatever one does, the other could have done.  So nodes that differ
 * in nothing but which of them have checked in or been executed are one; the first slots
 * have got farthest.  Afterwards both have returned, so that it remains true.
 *
 * It is not, where somebody sees the number of a call, or its client. */
#include <string.h>

#include "judge/viable_inner.h"

/* Policies of one's own are given the call with its client. */
static bool may_be_alike(const struct rdl__viable *v)
{
    bool has_functions = v->policy->enabled || v->policy->waiting || v->policy->post_waiting;

    return v->mode != RDL__GENERAL && !v->wants_numbers &&
           (v->mode == RDL__NO_POLICY || !has_functions);
}

/* Has one been there, as far as the policy knows, and the other not?  (Who has come is part
 * of a node otherwise.) */
static bool are_of_different_age(const struct rdl__viable *v, const struct rdl__layer *layer, int a,
                                 int b)
{
    return (v->mode == RDL__WHO_WAITS || v->mode == RDL__IN_ORDER) &&
           (layer->old >> a & 1) != (layer->old >> b & 1);
}

static bool are_alike(const struct rdl__viable *v, const struct rdl__layer *layer, int first,
                      int second)
{
    const struct rdl__seen_call *a = layer->slots[first], *b = layer->slots[second];
    const struct rdl_operation *op = a->call.operation;

    return !are_of_different_age(v, layer, first, second) && a->operation == b->operation &&
           memcmp(a->call.args, b->call.args, op->args_size) == 0 &&
           memcmp(a->answer, b->answer, op->answer_size) == 0;
}

void rdl__layer_find_alike(const struct rdl__viable *v, struct rdl__layer *layer)
{
    layer->alike = 0;
    if (!may_be_alike(v))
        return;
    for (uint64_t left = layer->must; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);
        uint64_t group = UINT64_C(1) << slot;

        if (layer->alike >> slot & 1)
            continue;
        for (uint64_t rest = left & (left - 1); rest; rest &= rest - 1)
            if (are_alike(v, layer, slot, __builtin_ctzll(rest)))
                group |= rest & -rest;
        if (!(group & (group - 1)))
            continue;
        layer->alike |= group;
        for (uint64_t rest = group; rest; rest &= rest - 1)
            layer->alike_to[__builtin_ctzll(rest)] = group;
    }
}

/* The first `count` of them. */
static uint64_t first_of(uint64_t set, int count)
{
    uint64_t first = 0;

    for (; count > 0; count--, set &= set - 1)
        first |= set & -set;
    return first;
}

/* Those that wait get their ranks in ascending order. */
static void sort_ranks(struct rdl__node *node, uint64_t group)
{
    for (uint64_t left = group; left; left &= left - 1)
        for (uint64_t rest = left & (left - 1); rest; rest &= rest - 1) {
            uint8_t *a = &node->order[__builtin_ctzll(left)];
            uint8_t *b = &node->order[__builtin_ctzll(rest)], larger = *a;

            if (*b < *a) {
                *a = *b;
                *b = larger;
            }
        }
}

static void settle_group(const struct rdl__viable *v, struct rdl__node *node, uint64_t group)
{
    uint64_t executed = first_of(group, __builtin_popcountll(node->executed & group));
    int checked = __builtin_popcountll(node->checked & group);

    node->executed = (node->executed & ~group) | executed;
    node->checked = (node->checked & ~group) | first_of(group & ~executed, checked);
    if (v->mode == RDL__IN_ORDER)
        sort_ranks(node, group);
}

void rdl__node_settle(const struct rdl__viable *v, const struct rdl__layer *layer,
                      struct rdl__node *node)
{
    for (uint64_t left = layer->alike; left;) {
        uint64_t group = layer->alike_to[__builtin_ctzll(left)];

        settle_group(v, node, group);
        left &= ~group;
    }
}

bool rdl__node_has_twin(const struct rdl__viable *v, const struct rdl__layer *layer,
                        const struct rdl__node *node, int slot)
{
    uint64_t earlier = layer->alike >> slot & 1 ? layer->alike_to[slot] & ~node->executed : 0;
    int other;

    earlier &= (UINT64_C(1) << slot) - 1;
    if (!earlier)
        return false;
    other = 63 - __builtin_clzll(earlier);
    return (node->checked >> slot & 1) == (node->checked >> other & 1) &&
           (v->mode != RDL__IN_ORDER || node->order[slot] == node->order[other]);
}
