/* viable_explain.c -- why nothing explains what was seen.
 *
 * Of each state that was possible before, the explanation tells how far one gets from it,
 * and what is in the way there.  Whose fault it is, is found by asking for less. */
#include <string.h>

#include "judge/viable_inner.h"

enum { STATES_SHOWN = 4, STATES_COMPARED = 100, ANSWERS_SHOWN = 4 };

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
    if ((v->mode == RDL__GENERAL || v->mode == RDL__WHO_CAME) && v->policy->state_size) {
        rdl__text_add(out, ", scheduling state ");
        rdl__show_sched(out, v->policy, rdl__node_sched(v, node));
    }
}

/* Of the calls that were in progress then, which had had their effect? */
static void add_done(struct rdl__text *out, const struct rdl__layer *layer,
                     const struct rdl__node *root)
{
    bool some = false;

    for (uint64_t left = root->executed & layer->open & ~layer->fresh; left; left &= left - 1) {
        rdl__text_add(out, some ? ", " : ", with ");
        add_call(out, layer, __builtin_ctzll(left));
        some = true;
    }
    rdl__text_add(out, some ? " done\n" : "\n");
}

/* How far one gets from this source; *blocked loses all calls but those that are missing. */
static void add_candidate(struct rdl__text *out, struct rdl__viable *v, uint32_t source,
                          uint64_t *blocked)
{
    const struct rdl__layer *layer = v->layers[v->layer_count - 1],
                            *before = v->layers[v->layer_count - 2];
    const struct rdl__node *root = rdl__node_at(v, before, before->emitted[source]);
    uint32_t at = farthest(v, layer, source);
    const struct rdl__node *node = rdl__node_at(v, layer, at);

    add_state(out, v, root);
    add_done(out, layer, root);
    add_path(out, layer, at);
    if (layer->origins[at].how != RDL__ENTERED) {
        rdl__text_add(out, "       gives ");
        add_state(out, v, node);
        rdl__text_add(out, "\n");
    }
    add_obstacles(out, v, layer, node);
    *blocked &= layer->must & ~node->executed;
}

/* The candidates, each told once. */
struct telling {
    struct rdl__text told[STATES_SHOWN];
    uint32_t count, looked_at;
    uint64_t blocked; /* in all of them */
};

static bool is_told(const struct telling *t, const struct rdl__text *text)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (strcmp(t->told[i].bytes, text->bytes) == 0)
            return true;
    return false;
}

static void look_at_candidates(struct telling *t, struct rdl__viable *v, uint32_t count)
{
    uint32_t most = count < STATES_COMPARED ? count : STATES_COMPARED;

    for (; t->looked_at < most && t->count < STATES_SHOWN; t->looked_at++) {
        struct rdl__text text = {0};

        add_candidate(&text, v, t->looked_at, &t->blocked);
        if (is_told(t, &text))
            rdl__text_release(&text);
        else
            t->told[t->count++] = text;
    }
}

/* If it is the same call wherever one starts. */
static void add_culprit(struct rdl__text *out, const struct rdl__layer *layer, uint64_t blocked)
{
    const struct rdl__seen_call *seen;

    if (!blocked || blocked & (blocked - 1))
        return;
    seen = layer->slots[__builtin_ctzll(blocked)];
    add_call(out, layer, __builtin_ctzll(blocked));
    if (seen->call.operation->answer_size) {
        rdl__text_add(out, " = ");
        rdl__show_answer(out, seen->call.operation, seen->answer);
    }
    rdl__text_add(out, " cannot be explained\n");
}

/* The calls that stand in the way, from this source: a bit for each slot. */
static uint64_t in_the_way(struct rdl__viable *v, const struct rdl__layer *layer, uint32_t source)
{
    const struct rdl__node *node = rdl__node_at(v, layer, farthest(v, layer, source));
    uint64_t missing = layer->must & ~node->executed;
    int idler = missing || !layer->quiet ? -1 : rdl__node_idler(v, layer, node);

    return idler >= 0 ? UINT64_C(1) << idler : missing;
}

/* And their operations. */
static uint64_t to_blame(struct rdl__viable *v, const struct rdl__layer *layer, uint32_t source)
{
    uint64_t operations = 0;

    for (uint64_t left = in_the_way(v, layer, source); left; left &= left - 1)
        operations |= UINT64_C(1) << layer->slots[__builtin_ctzll(left)]->operation;
    return operations;
}

const struct rdl_operation *rdl__viable_culprit(struct rdl__viable *v)
{
    uint64_t operations = UINT64_MAX;
    uint32_t count;

    if (v->less)
        v = v->less;
    if (v->judgement != RDL__UNEXPLAINED || v->layer_count < 2)
        return NULL;
    count = v->layers[v->layer_count - 2]->emitted_count;
    for (uint32_t i = 0; i < count && i < STATES_COMPARED; i++)
        operations &= to_blame(v, v->layers[v->layer_count - 1], i);
    if (!operations || operations & (operations - 1))
        return NULL;
    return rdl__operation(v->spec, (size_t)__builtin_ctzll(operations));
}

/* Where one gets from the first state that was possible before. */
static void add_why(struct rdl__text *out, struct rdl__viable *v, const struct rdl__layer *layer,
                    int slot)
{
    const struct rdl__node *node = rdl__node_at(v, layer, farthest(v, layer, 0));
    const struct rdl_call *call = &layer->slots[slot]->call;
    bool cpre, let = rdl__node_lets(v, layer, node, slot, &cpre);

    if (!let)
        rdl__text_add(out, "but has to wait: %s%s",
                      cpre ? v->policy->name : "its cpre does not hold",
                      cpre ? " prefers others" : "");
    else if (call->operation->answer_size == 0)
        rdl__text_add(out, "but that is not possible there");
    else if (call->operation->judge)
        rdl__text_add(out, "which judge does not allow");
    else {
        rdl__text_add(out, "but the model says ");
        add_answers(out, v, node, call);
    }
}

void rdl__viable_why(struct rdl__viable *v, uint32_t number, struct rdl__text *out)
{
    const struct rdl__layer *layer;

    if (v->less)
        v = v->less;
    layer = v->layers[v->layer_count - 1];
    for (uint64_t left = layer->must; left; left &= left - 1)
        if (layer->slots[__builtin_ctzll(left)]->call.number == number)
            add_why(out, v, layer, __builtin_ctzll(left));
}

bool rdl__viable_is_suspect(struct rdl__viable *v, uint32_t number)
{
    const struct rdl__layer *layer;
    uint64_t always = UINT64_MAX, ever = 0;

    if (v->less)
        v = v->less;
    if (v->judgement != RDL__UNEXPLAINED || v->layer_count < 2)
        return false;
    layer = v->layers[v->layer_count - 1];
    for (uint32_t i = 0; i < v->layers[v->layer_count - 2]->emitted_count && i < STATES_COMPARED;
         i++) {
        always &= in_the_way(v, layer, i);
        ever |= in_the_way(v, layer, i);
    }
    for (uint64_t left = always & ever ? always : ever; left; left &= left - 1)
        if (layer->slots[__builtin_ctzll(left)]->call.number == number)
            return true;
    return false;
}

void rdl__viable_explain(struct rdl__viable *v, struct rdl__text *out)
{
    struct telling t = {.blocked = UINT64_MAX};
    uint32_t count;

    if (v->less)
        v = v->less;
    if (v->judgement != RDL__UNEXPLAINED || v->layer_count < 2)
        return;
    count = v->layers[v->layer_count - 2]->emitted_count;
    look_at_candidates(&t, v, count);
    add_culprit(out, v->layers[v->layer_count - 1], t.blocked);
    rdl__text_add(out, t.count == 1 && t.looked_at == count
                           ? "before it, the model was in this state:\n"
                           : "before it, the model was in one of these:\n");
    for (uint32_t i = 0; i < t.count; i++) {
        rdl__text_add(out, "  %3u. %s", i + 1, t.told[i].bytes);
        rdl__text_release(&t.told[i]);
    }
    if (count > t.looked_at)
        rdl__text_add(out, "  and %u more\n", count - t.looked_at);
}
