/* viable_explain.c -- why nothing explains what was seen.
 *
 * Of each state that was possible before, the explanation tells how far one gets from it,
 * and what is in the way there.  Whose fault it is, is found by asking for less. */
#include <string.h>

#include "judge/viable_inner.h"

enum { STATES_SHOWN = 4, ANSWERS_SHOWN = 4 };

/* ---- Asking for less ----------------------------------------------------------------------- */

static struct rdl__viable *judge_again(const struct rdl__viable *v, unsigned flags)
{
    struct rdl__viable *less = rdl__viable_new(v->spec, v->initial, flags);

    if (rdl__viable_tell(less, v->seen, v->seen_count) == RDL__EXPLAINED)
        rdl__viable_end(less);
    return less;
}

/* Is it still unexplained with these flags?  Then that is what will be explained. */
static bool fails_with(struct rdl__viable *v, unsigned flags)
{
    rdl__viable_free(v->less);
    v->less = judge_again(v, flags);
    if (v->less->judgement == RDL__UNEXPLAINED)
        return true;
    rdl__viable_free(v->less);
    v->less = NULL;
    return false;
}

enum rdl__blame rdl__viable_blame(struct rdl__viable *v)
{
    if (v->judgement != RDL__UNEXPLAINED)
        return RDL__BLAME_NONE;
    if (fails_with(v, v->flags & ~(unsigned)(RDL__WITH_POLICY | RDL__WITH_LIVENESS)))
        return RDL__BLAME_RETURNED;
    if (v->flags & RDL__WITH_POLICY && fails_with(v, v->flags & ~(unsigned)RDL__WITH_LIVENESS))
        return RDL__BLAME_POLICY;
    return RDL__BLAME_WAITS;
}

/* ---- How far one gets ----------------------------------------------------------------------- */

static uint32_t source_of(const struct rdl__layer *layer, uint32_t i)
{
    while (layer->origins[i].how != RDL__ENTERED)
        i = layer->origins[i].parent;
    return layer->origins[i].parent;
}

/* Of the configurations that come from this source, the first with most of it done. */
static uint32_t farthest(const struct rdl__viable *v, const struct rdl__layer *layer,
                         uint32_t source)
{
    int best = -1;
    uint32_t found = 0;

    for (uint32_t i = 0; i < layer->node_count; i++) {
        const struct rdl__node *node = rdl__node_at(v, layer, i);
        int done = __builtin_popcountll(node->executed & layer->must);

        if (done > best && source_of(layer, i) == source) {
            best = done;
            found = i;
        }
    }
    return found;
}

/* ---- In words ------------------------------------------------------------------------------ */

static void add_call(struct rdl__text *out, const struct rdl__layer *layer, int slot)
{
    rdl__show_call(out, layer->slots[slot]->call.operation, layer->slots[slot]->call.args);
}

static void add_path(struct rdl__text *out, const struct rdl__layer *layer, uint32_t at)
{
    const struct rdl__origin *origin = &layer->origins[at];

    if (origin->how == RDL__ENTERED)
        return;
    add_path(out, layer, origin->parent);
    if (origin->how != RDL__EXECUTED)
        return;
    rdl__text_add(out, "       then ");
    add_call(out, layer, origin->slot);
    rdl__text_add(out, "\n");
}

/* The answers that the model would give. */
static void add_answers(struct rdl__text *out, struct rdl__viable *v, const struct rdl__node *node,
                        const struct rdl_call *call)
{
    unsigned shown = 0;

    for (unsigned which = 0; which < rdl__alternatives(call->operation) && shown < ANSWERS_SHOWN;
         which++) {
        memcpy(v->draft, node, v->node_size);
        if (!rdl__post(v->spec, call, rdl__node_state(v, v->draft), which, v->answer))
            continue;
        rdl__text_add(out, shown++ ? " or " : "");
        rdl__show_answer(out, call->operation, v->answer);
    }
    rdl__text_add(out, shown ? "" : "nothing: it is not possible");
}

static void add_wrong_answer(struct rdl__text *out, struct rdl__viable *v,
                             const struct rdl__node *node, const struct rdl__seen_call *seen)
{
    const struct rdl_operation *op = seen->call.operation;

    if (op->answer_size == 0) {
        rdl__text_add(out, "is not possible there");
        return;
    }
    rdl__text_add(out, "answered ");
    rdl__show_answer(out, op, seen->answer);
    if (op->judge) {
        rdl__text_add(out, ", which judge does not allow");
        return;
    }
    rdl__text_add(out, "; the model says ");
    add_answers(out, v, node, &seen->call);
}

/* What keeps this call from being executed there? */
static void add_obstacle(struct rdl__text *out, struct rdl__viable *v,
                         const struct rdl__layer *layer, const struct rdl__node *node, int slot)
{
    bool cpre;

    rdl__text_add(out, "       but ");
    add_call(out, layer, slot);
    rdl__text_add(out, " ");
    if (rdl__node_lets(v, layer, node, slot, &cpre))
        add_wrong_answer(out, v, node, layer->slots[slot]);
    else if (cpre)
        rdl__text_add(out, "has to wait: %s prefers others", v->policy->name);
    else
        rdl__text_add(out, "has to wait: its cpre does not hold");
    rdl__text_add(out, "\n");
}

static void add_obstacles(struct rdl__text *out, struct rdl__viable *v,
                          const struct rdl__layer *layer, const struct rdl__node *node)
{
    uint64_t missing = layer->must & ~node->executed;
    int idler = missing || !layer->quiet ? -1 : rdl__node_idler(v, layer, node);

    for (; missing; missing &= missing - 1) {
        int slot = __builtin_ctzll(missing);

        if (v->mode == RDL__GENERAL && !(node->checked >> slot & 1))
            continue;
        add_obstacle(out, v, layer, node, slot);
    }
    if (idler >= 0) {
        rdl__text_add(out, "       but ");
        add_call(out, layer, idler);
        rdl__text_add(out, " waits, though it could go on\n");
    }
}

static void add_state(struct rdl__text *out, const struct rdl__viable *v,
                      const struct rdl__node *node)
{
    rdl__show_state(out, v->spec, rdl__node_state(v, node));
    if (v->mode == RDL__GENERAL && v->policy->state_size) {
        rdl__text_add(out, ", scheduling state ");
        rdl__show_sched(out, v->policy, rdl__node_sched(v, node));
    }
    rdl__text_add(out, "\n");
}

static void add_candidate(struct rdl__text *out, struct rdl__viable *v, uint32_t source)
{
    const struct rdl__layer *layer = v->layers[v->layer_count - 1],
                            *before = v->layers[v->layer_count - 2];
    const struct rdl__node *root = rdl__node_at(v, before, before->emitted[source]);
    uint32_t at = farthest(v, layer, source);
    const struct rdl__node *node = rdl__node_at(v, layer, at);

    rdl__text_add(out, "  %3u. ", source + 1);
    add_state(out, v, root);
    add_path(out, layer, at);
    if (layer->origins[at].how != RDL__ENTERED) {
        rdl__text_add(out, "       gives ");
        add_state(out, v, node);
    }
    add_obstacles(out, v, layer, node);
}

void rdl__viable_explain(struct rdl__viable *v, struct rdl__text *out)
{
    const struct rdl__layer *before;
    uint32_t shown;

    if (v->less)
        v = v->less;
    if (v->judgement != RDL__UNEXPLAINED || v->layer_count < 2)
        return;
    before = v->layers[v->layer_count - 2];
    shown = before->emitted_count < STATES_SHOWN ? before->emitted_count : STATES_SHOWN;
    rdl__text_add(out, before->emitted_count == 1 ? "before it, the model was in this state:\n"
                                                  : "before it, the model was in one of these:\n");
    for (uint32_t source = 0; source < shown; source++)
        add_candidate(out, v, source);
    if (before->emitted_count > shown)
        rdl__text_add(out, "  and %u more\n", before->emitted_count - shown);
}
