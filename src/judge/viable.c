/* viable.c -- can the spec explain what was seen?
 *
 * What was seen is cut into layers: some calls begin, then some return.  Between two layers
 * nothing else is known, so a configuration there (the state of the resource, what the
 * policy knows, which open calls have been executed) is all that matters of the past.  A
 * layer is a graph search from the configurations of the one before to those in which all
 * calls that return have been executed; equal ones are met once.
 *
 * Actions are done as late as they can be: when a return asks for them.  (Lowe calls that
 * just-in-time linearization.)  With policies that know no more than who waits, checking in
 * is done late, too: at the call's execution, or when all is quiet.
 *
 * Layers are lazy.  One configuration is enough to go on; when it turns out to have been the
 * wrong one, the layer is asked for another, which may ask the layer before.  A layer that
 * has been searched to its end needs the ones before no more, and they are forgotten.
 *
 * Memory: the judge's own, kept over resets. */
#include "judge/viable.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/viable_inner.h"

/* ---- Calls ------------------------------------------------------------------------------ */

static struct rdl__seen_call *open_call(struct rdl__viable *v, uint32_t number)
{
    for (int slot = 0; slot < RDL__SLOTS; slot++)
        if (v->open >> slot & 1 && v->slots[slot]->call.number == number)
            return v->slots[slot];
    rdl__bug_if(true);
}

static void add_event(struct rdl__viable *v, enum rdl__seen_kind kind, struct rdl__seen_call *call)
{
    if (v->seen_count == v->seen_room) {
        v->seen_room = v->seen_room ? 2 * v->seen_room : 64;
        v->seen = rdl__reallocate(v->seen, v->seen_room * sizeof *v->seen);
    }
    v->seen[v->seen_count++] = (struct rdl__seen){kind, call};
}

static void *keep(struct rdl__viable *v, const void *bytes, size_t size)
{
    void *copy = rdl__arena_alloc(&v->arena, size + !size);

    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static uint8_t index_of(const struct rdl_spec *spec, const struct rdl_operation *operation)
{
    uint8_t i = 0;

    while (rdl__operation(spec, i) != operation)
        i++;
    return i;
}

bool rdl__viable_has_room(const struct rdl__viable *v)
{
    return v->open != UINT64_MAX;
}

void rdl__viable_begin(struct rdl__viable *v, const struct rdl_call *call)
{
    struct rdl__seen_call *seen = rdl__arena_alloc(&v->arena, sizeof *seen);

    rdl__bug_if(!rdl__viable_has_room(v));
    *seen = (struct rdl__seen_call){.call = *call,
                                    .returned_at = UINT32_MAX,
                                    .slot = (uint8_t)__builtin_ctzll(~v->open),
                                    .operation = index_of(v->spec, call->operation)};
    seen->call.args = keep(v, call->args, call->operation->args_size);
    v->open |= UINT64_C(1) << seen->slot;
    v->slots[seen->slot] = seen;
    add_event(v, RDL__SEEN_BEGIN, seen);
}

void rdl__viable_return(struct rdl__viable *v, uint32_t number, const void *answer)
{
    struct rdl__seen_call *call = open_call(v, number);

    call->answer = keep(v, answer, call->call.operation->answer_size);
    if (call->call.operation->answer_size)
        call->call.operation->clear_answer(call->answer);
    call->returned = true;
    call->returned_at = (uint32_t)v->seen_count;
    v->open &= ~(UINT64_C(1) << call->slot);
    add_event(v, RDL__SEEN_RETURN, call);
}

/* ---- A new history ---------------------------------------------------------------------- */

static bool has_own_enabled(const struct rdl_spec *spec)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->enabled)
            return true;
    return false;
}

/* A policy that is not told of arrivals can know their order only by asking for it. */
static enum rdl__policy_mode mode_of(const struct rdl__viable *v, unsigned flags)
{
    const struct rdl_policy *policy = v->policy;
    bool keeps = policy->state_size || policy->info_size;

    if (!(flags & RDL__WITH_POLICY))
        return RDL__NO_POLICY;
    if (has_own_enabled(v->spec) || keeps || !policy->unordered)
        return policy->waiting || v->wants_order ? RDL__GENERAL : RDL__WHO_CAME;
    if (policy == RDL_FIFO || policy == RDL_FIFO_PER_OP)
        return RDL__IN_ORDER;
    return policy == RDL_ALWAYS ? RDL__NO_POLICY : RDL__WHO_WAITS;
}

static size_t aligned(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static void free_layer(struct rdl__layer *layer)
{
    if (!layer)
        return;
    free(layer->nodes);
    free(layer->origins);
    free(layer->table);
    free(layer->stack);
    free(layer->emitted);
    free(layer);
}

static void free_layers(struct rdl__viable *v)
{
    for (size_t i = 0; i < v->layer_room; i++)
        free_layer(v->layers[i]);
    free(v->layers);
    v->layers = NULL;
    v->layer_room = v->layer_count = v->bytes = 0;
}

/* What a configuration is made of depends on what there is to know of the policy. */
static void lay_out(struct rdl__viable *v, enum rdl__policy_mode mode)
{
    bool keeps = mode == RDL__GENERAL || mode == RDL__WHO_CAME;
    bool ordered = mode == RDL__GENERAL || mode == RDL__IN_ORDER;

    free_layers(v);
    v->mode = mode;
    v->sched_at = aligned(ordered ? sizeof(struct rdl__node) : offsetof(struct rdl__node, ranked));
    v->info_at = v->sched_at + (keeps ? aligned(v->policy->state_size) : 0);
    v->state_at = v->info_at + (keeps ? aligned(RDL__SLOTS * v->policy->info_size) : 0);
    v->node_size = v->state_at + aligned(v->spec->state_size);
    free(v->draft);
    v->draft = rdl__allocate(v->node_size);
}

void rdl__viable_reset(struct rdl__viable *v, const void *initial, unsigned flags)
{
    struct rdl__layer *first;

    if (mode_of(v, flags) != v->mode || !v->draft)
        lay_out(v, mode_of(v, flags));
    memmove(v->initial, initial, v->spec->state_size); /* it may be the same */
    v->flags = flags;
    v->judgement = RDL__EXPLAINED;
    rdl__arena_reset(&v->arena);
    v->seen_count = v->judged = v->layer_count = v->layers_most = 0;
    v->open = v->now_open = v->now_old = 0;
    memset(v->draft, 0, v->node_size);
    memcpy(rdl__node_state(v, v->draft), initial, v->spec->state_size);
    v->spec->clear_state(rdl__node_state(v, v->draft));
    if ((v->mode == RDL__GENERAL || v->mode == RDL__WHO_CAME) && v->policy->initial)
        v->policy->initial(rdl__node_sched(v, v->draft));
    first = rdl__layer_add(v);
    rdl__layer_add_draft(v, first, (struct rdl__origin){.how = RDL__ENTERED});
    first->stack_count = 0;
    first->exhausted = true;
    rdl__layer_emit(v, first, 0);
    rdl__viable_free(v->less);
    v->less = NULL;
}

struct rdl__viable *rdl__viable_new(const struct rdl_spec *spec, const void *initial,
                                    unsigned flags)
{
    struct rdl__viable *v = rdl__allocate(sizeof *v);

    v->spec = spec;
    v->policy = rdl__policy_of(spec);
    v->plain = !spec->same && !spec->hash;
    for (size_t i = 0; i < RDL__OPERATIONS_MAX; i++)
        v->asked[i].spec = spec;
    v->answer = rdl__allocate(rdl__largest(spec).answer + 1);
    v->initial = rdl__allocate(spec->state_size + 1);
    rdl__viable_reset(v, initial, flags);
    return v;
}

void rdl__viable_free(struct rdl__viable *v)
{
    if (!v)
        return;
    rdl__viable_free(v->less);
    free_layers(v);
    free(v->seen);
    free(v->draft);
    free(v->answer);
    free(v->initial);
    free(v->sets);
    rdl__arena_release(&v->arena);
    free(v);
}

/* ---- From events to layers --------------------------------------------------------------- */

/* Calls begin; the next event does not. */
static void take_begins(struct rdl__viable *v, struct rdl__layer *layer)
{
    for (; v->judged < v->seen_count && v->seen[v->judged].kind == RDL__SEEN_BEGIN; v->judged++) {
        struct rdl__seen_call *call = v->seen[v->judged].call;
        uint64_t bit = UINT64_C(1) << call->slot;

        v->now_open |= bit;
        layer->fresh |= bit;
        v->now_slots[call->slot] = call;
    }
}

static void take_returns(struct rdl__viable *v, struct rdl__layer *layer)
{
    for (; v->judged < v->seen_count && v->seen[v->judged].kind == RDL__SEEN_RETURN; v->judged++)
        layer->must |= UINT64_C(1) << v->seen[v->judged].call->slot;
}

/* Which calls can be executed: those that will have returned when it is quiet; at the end of
 * a history perhaps others. */
static uint64_t executable(const struct rdl__viable *v, const struct rdl__layer *layer, bool ending)
{
    uint64_t may = 0;

    for (uint64_t left = layer->open; left; left &= left - 1) {
        int slot = __builtin_ctzll(left);

        if (layer->slots[slot]->returned || (ending && v->flags & RDL__PENDING_FREE))
            may |= UINT64_C(1) << slot;
    }
    return may;
}

static size_t slots_in_use(uint64_t open)
{
    return open ? 64 - (size_t)__builtin_clzll(open) : 0;
}

/* The order of returns is a good guess at what has happened; it is tried first.  Where calls
 * also check in one by one it is none: who comes first may be served last. */
static void sort_by_return(const struct rdl__viable *v, struct rdl__layer *layer)
{
    layer->open_count = 0;
    for (uint64_t left = layer->open; left; left &= left - 1) {
        uint8_t slot = (uint8_t)__builtin_ctzll(left);
        uint32_t at = layer->open_count++;

        for (; at > 0 && v->mode != RDL__GENERAL; at--) {
            uint8_t other = layer->by_return[at - 1];

            if (layer->slots[other]->returned_at <= layer->slots[slot]->returned_at)
                break;
            layer->by_return[at] = other;
        }
        layer->by_return[at] = slot;
    }
}

static enum rdl__judgement judge_events(struct rdl__viable *v, bool quiet)
{
    enum rdl__judgement judgement = RDL__EXPLAINED;

    while (judgement == RDL__EXPLAINED && (v->judged < v->seen_count || quiet)) {
        struct rdl__layer *layer = rdl__layer_add(v);

        layer->fresh = layer->must = 0;
        layer->old = v->now_old;
        take_begins(v, layer);
        take_returns(v, layer);
        layer->open = v->now_open;
        layer->quiet = quiet && v->judged == v->seen_count;
        memcpy(layer->slots, v->now_slots, slots_in_use(v->now_open) * sizeof *layer->slots);
        layer->may = executable(v, layer, !quiet);
        v->now_open &= ~layer->must;
        v->now_old &= ~layer->must;
        sort_by_return(v, layer);
        rdl__layer_find_alike(v, layer);
        judgement = rdl__layer_judge(v);
        if (layer->quiet) {
            v->now_old = v->now_open;
            break;
        }
    }
    return judgement;
}

static void judge_so_far(struct rdl__viable *v, bool quiet)
{
    if (quiet)
        add_event(v, RDL__SEEN_QUIET, NULL);
    v->seen_count -= quiet; /* only for those who look at the whole of it */
    v->judgement = judge_events(v, quiet);
    v->seen_count += quiet;
    v->judged += quiet;
}

static enum rdl__judgement judge(struct rdl__viable *v, bool quiet);

bool rdl__viable_wants_more(const struct rdl__viable *v)
{
    return (v->wants_order && v->mode == RDL__WHO_CAME) || (rdl__this_asked && !v->wants_numbers);
}

/* Somebody asks who came first, or which call it is: all over again with that in mind, for
 * this history and those to come. */
static void judge_again(struct rdl__viable *v, bool quiet)
{
    struct rdl__arena arena = v->arena;
    struct rdl__seen *seen = v->seen;
    size_t count = v->seen_count;

    v->arena = (struct rdl__arena){0};
    v->seen = NULL;
    v->seen_room = 0;
    v->wants_numbers |= rdl__this_asked;
    rdl__viable_reset(v, v->initial, v->flags);
    rdl__viable_tell(v, seen, count);
    if (!quiet)
        judge(v, false);
    free(seen);
    rdl__arena_release(&arena);
}

enum rdl__judgement rdl__viable_tell(struct rdl__viable *v, const struct rdl__seen *seen,
                                     size_t count)
{
    for (size_t i = 0; i < count && v->judgement == RDL__EXPLAINED; i++)
        if (seen[i].kind == RDL__SEEN_BEGIN)
            rdl__viable_begin(v, &seen[i].call->call);
        else if (seen[i].kind == RDL__SEEN_RETURN)
            rdl__viable_return(v, seen[i].call->call.number, seen[i].call->answer);
        else
            rdl__viable_quiet(v);
    return v->judgement;
}

static enum rdl__judgement judge(struct rdl__viable *v, bool quiet)
{
    if (v->judgement != RDL__EXPLAINED)
        return v->judgement;
    rdl__this_asked = false;
    judge_so_far(v, quiet);
    if (rdl__viable_wants_more(v))
        judge_again(v, quiet);
    return v->judgement;
}

enum rdl__judgement rdl__viable_quiet(struct rdl__viable *v)
{
    return judge(v, true);
}

enum rdl__judgement rdl__viable_end(struct rdl__viable *v)
{
    return judge(v, false);
}

size_t rdl__viable_judged(const struct rdl__viable *v)
{
    return v->judged;
}

uint64_t rdl__viable_looked(const struct rdl__viable *v)
{
    return v->looked;
}

const void *rdl__viable_state(const struct rdl__viable *v)
{
    const struct rdl__layer *last = v->layers[v->layer_count - 1];

    return rdl__node_state(v, rdl__node_at(v, last, last->emitted[last->emitted_count - 1]));
}
