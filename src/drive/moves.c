/* moves.c -- the steps that a spec and its clients can take from a configuration.
 *
 * Functions of the spec are shown `now`, which must then still be what it was. */
#include "drive/space.h"

#include <string.h>

/* ---- Functions that do what they must not --------------------------------------------------- */

_Noreturn static void blame(const struct rdl__space *space, const struct rdl_operation *op,
                            const char *function, const char *deed)
{
    const struct rdl_spec *spec = space->spec;

    rdl__misuse(space->t, "%s:%d: spec %s: %s of operation %s %s", spec->file, spec->line,
                spec->name, function, op->name, deed);
}

static void expect_untouched(const struct rdl__space *space, const struct rdl_operation *op,
                             const char *function)
{
    if (memcmp(space->now + space->state_at, space->clean + space->state_at,
               space->spec->state_size) != 0)
        blame(space, op, function, "changes the state, which it is only to look at");
    if (memcmp(space->now, space->clean, space->state_at) != 0 ||
        memcmp(space->drawn, space->drawn_clean, op->args_size) != 0)
        blame(space, op, function, "changes what it is only to look at");
}

static bool ask(const struct rdl__space *space, const struct rdl_operation *op,
                const char *function, bool (*it)(const void *s, const void *a), const void *args)
{
    bool yes = !it || it(rdl__state_in(space, space->now), args);

    if (it)
        expect_untouched(space, op, function);
    return yes;
}

/* ---- The configuration at hand -------------------------------------------------------------- */

void rdl__moves_load(struct rdl__space *space, uint32_t node)
{
    space->from = node;
    memcpy(space->now, rdl__config(space, node), space->size);
    memcpy(space->clean, space->now, space->size);
    for (uint32_t i = 0; i < rdl__tally_in(space->now)->count; i++) {
        struct rdl__pending *call = rdl__call_in(space, space->now, i);

        space->calls[i] = (struct rdl_call){
            .operation = rdl__operation(space->spec, call->operation),
            .args = rdl__args_of(space, call),
            .number = call->number,
            .client = call->client,
        };
        space->queue[i] = &space->calls[i];
    }
}

uint32_t rdl__place_of_client(const struct rdl__space *space, unsigned client)
{
    uint32_t i = 0;

    while (space->calls[i].client != client)
        i++;
    return i;
}

/* A number that it could as well have had; the same if numbers are told apart. */
static uint32_t other_number(const struct rdl__space *space, uint32_t number)
{
    return space->numbered ? number : number + RDL__CLIENTS_MAX;
}

/* ---- A client calls ------------------------------------------------------------------------- */

struct drawing {
    struct rdl__space *space;
    const struct rdl_operation *op;
    unsigned client;
};

static void draw_args(struct rdl_case *t, void *context)
{
    const struct drawing *it = context;
    struct rdl__space *space = it->space;

    memset(space->drawn, 0, it->op->args_size);
    if (it->op->args)
        it->op->args(t, rdl__state_in(space, space->now), space->drawn);
    if (it->op->client_args)
        it->op->client_args(t, rdl__client_in(space, space->now, it->client), space->drawn);
}

/* Does the policy go by the number of a call? */
static void tell_policy(struct rdl__space *space, struct rdl_call *call, void *info)
{
    const struct rdl_policy *policy = space->policy;
    void *sched = rdl__sched_in(space, space->next);
    void *spare_info = space->spare + space->calls_at + space->info_at;
    void *spare_sched = rdl__sched_in(space, space->spare);

    memcpy(spare_sched, sched, policy->state_size);
    memset(spare_info, 0, policy->info_size);
    policy->waiting(sched, info, call, rdl__state_in(space, space->now));
    call->number = other_number(space, call->number);
    policy->waiting(spare_sched, spare_info, call, rdl__state_in(space, space->now));
    space->wants_numbers |= memcmp(spare_sched, sched, policy->state_size) != 0 ||
                            memcmp(spare_info, info, policy->info_size) != 0;
    expect_untouched(space, call->operation, "what the policy says of a call");
}

static void check_in(struct rdl__space *space, uint16_t operation, unsigned client)
{
    const struct rdl_operation *op = rdl__operation(space->spec, operation);
    struct rdl__tally *tally = rdl__tally_in(space->next);
    struct rdl__pending *call;
    struct rdl_call shown;

    memcpy(space->next, space->now, space->size);
    call = rdl__call_in(space, space->next, tally->count++);
    tally->begun += space->numbered;
    call->number = space->numbered ? tally->begun : client + 1;
    call->operation = operation;
    call->client = (uint16_t)client;
    memcpy(rdl__args_of(space, call), space->drawn, op->args_size);
    shown = (struct rdl_call){op, space->drawn, call->number, client};
    if (space->policy->waiting)
        tell_policy(space, &shown, rdl__info_of(space, call));
    space->called[operation] = true;
    rdl__space_link(space, (struct rdl__move){.client = (uint8_t)client});
}

/* Has a call of this kind been made from here?  If not, it has now. */
static bool is_known_kind(struct rdl__space *space, const struct rdl_operation *op)
{
    const void *state = rdl__state_in(space, space->now);
    uint64_t met = rdl__preconditions_met(space->spec, op, state, space->drawn, space->queue,
                                          rdl__tally_in(space->now)->count);
    bool waits = !rdl__cpre(op, state, space->drawn);

    for (uint32_t i = 0; i < space->kind_count; i++)
        if (space->kinds[i].met == met && space->kinds[i].waits == waits)
            return true;
    if (space->kind_count < RDL__KINDS_MAX) {
        space->kinds[space->kind_count].met = met;
        space->kinds[space->kind_count++].waits = waits;
    }
    return false;
}

static void begin_if_allowed(struct rdl__space *space, uint16_t operation, unsigned client)
{
    const struct rdl_operation *op = rdl__operation(space->spec, operation);

    if (op->args_size)
        op->clear_args(space->drawn);
    memcpy(space->drawn_clean, space->drawn, op->args_size);
    expect_untouched(space, op, "args");
    if (!ask(space, op, "pre", op->pre, space->drawn))
        return;
    if (space->by_kind && is_known_kind(space, op))
        space->nodes[space->from].partial = space->partial = true;
    else
        check_in(space, operation, client);
}

/* If there are too many values, take fewer of each choice rather than all of the last. */
static uint64_t lower(uint64_t cap)
{
    static const uint64_t caps[] = {255, 15, 5, 3, 2};

    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++)
        if (caps[i] < cap)
            return caps[i];
    return 1;
}

/* False: there are more than we try, and fewer of each choice may do. */
static bool begin_with_all(struct rdl__space *space, uint16_t operation, unsigned client)
{
    struct drawing it = {space, rdl__operation(space->spec, operation), client};
    uint64_t *cap = &space->caps[operation];
    uint32_t tried = 0, most = space->by_kind ? RDL__ARGUMENTS_BY_KIND : RDL__ARGUMENTS_MAX;

    rdl__every_start(&space->every, *cap);
    while (!space->cut && rdl__every_next(&space->every, draw_args, &it)) {
        begin_if_allowed(space, operation, client);
        space->cut |= ++space->draws >= RDL__DRAWS_MAX;
        if (++tried == most && !space->every.over) {
            space->every.all = false;
            if (*cap == 1)
                break;
            *cap = lower(*cap);
            return false;
        }
    }
    space->nodes[space->from].partial |= !space->every.all;
    space->partial |= !space->every.all;
    return true;
}

static bool may_call(const struct rdl__space *space, const struct rdl_operation *op,
                     unsigned client)
{
    bool may = !op->may || op->may(rdl__client_in(space, space->now, client));

    if (may && op->weigh)
        may = op->weigh(rdl__state_in(space, space->now)) != 0;
    return may;
}

static void begin_all(struct rdl__space *space, unsigned client)
{
    for (uint16_t i = 0; i < space->spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(space->spec, i);
        bool may = may_call(space, op, client);

        memset(space->drawn, 0, op->args_size);
        memset(space->drawn_clean, 0, op->args_size);
        space->kind_count = 0;
        expect_untouched(space, op, "may or weigh");
        if (may && (op->args || op->client_args))
            while (!begin_with_all(space, i, client))
                ;
        else if (may)
            begin_if_allowed(space, i, client);
    }
}

/* ---- A call goes on ------------------------------------------------------------------------- */

/* Once more, on a copy: is it the same? */
static bool happens_again(struct rdl__space *space, const struct rdl_call *call, unsigned which,
                          bool possible)
{
    void *spare = rdl__state_in(space, space->spare);

    memcpy(spare, rdl__state_in(space, space->now), space->spec->state_size);
    if (rdl__post(space->spec, call, spare, which, space->spare_answer) != possible)
        return false;
    return !possible ||
           (rdl__same_state(space->spec, spare, rdl__state_in(space, space->next)) &&
            memcmp(space->answer, space->spare_answer, call->operation->answer_size) == 0);
}

/* The state of `next`, which is that of `now` to begin with, and the answer. */
static bool happen(struct rdl__space *space, const struct rdl_call *call, unsigned which)
{
    const struct rdl_operation *op = call->operation;
    const char *function = op->post_any ? "post_any" : "post";
    struct rdl_call other = *call;
    bool possible =
        rdl__post(space->spec, call, rdl__state_in(space, space->next), which, space->answer);

    expect_untouched(space, op, function);
    other.number = other_number(space, call->number);
    if (!happens_again(space, &other, which, possible)) {
        if (!happens_again(space, call, which, possible))
            blame(space, op, function,
                  "is not always the same: with equal states and arguments it once did one "
                  "thing and then another");
        space->wants_numbers = true;
    }
    return possible;
}

static void leave_queue(struct rdl__space *space, uint32_t i)
{
    struct rdl__tally *tally = rdl__tally_in(space->next);
    unsigned char *at = (unsigned char *)rdl__call_in(space, space->next, i);

    tally->count--;
    memmove(at, at + space->call_size, (tally->count - i) * space->call_size);
    memset(rdl__call_in(space, space->next, tally->count), 0, space->call_size);
}

bool rdl__moves_execute(struct rdl__space *space, uint32_t i, unsigned which)
{
    const struct rdl_call *call = &space->calls[i];
    const struct rdl_operation *op = call->operation;
    void *me;

    memcpy(space->next, space->now, space->size);
    if (!happen(space, call, which))
        return false;
    leave_queue(space, i);
    if (space->policy->post_waiting) {
        space->policy->post_waiting(rdl__sched_in(space, space->next),
                                    rdl__info_of(space, rdl__call_in(space, space->now, i)), call,
                                    rdl__state_in(space, space->now));
        expect_untouched(space, op, "what the policy says of a call");
    }
    me = rdl__client_in(space, space->next, call->client);
    if (op->returned)
        op->returned(me, call->args, space->answer);
    space->spec->clear_client(me);
    return true;
}

static void execute_all(struct rdl__space *space, uint32_t i)
{
    const struct rdl_call *call = &space->calls[i];
    const struct rdl_operation *op = call->operation;
    struct rdl_queue queue = {
        .calls = space->queue, .count = rdl__tally_in(space->now)->count, .self = i};
    uint16_t bit = (uint16_t)(1u << call->client), operation;
    bool enabled;

    operation = rdl__call_in(space, space->now, i)->operation;
    memcpy(space->drawn_clean, space->drawn, op->args_size);
    space->nodes[space->from].pending |= bit;
    if (!ask(space, op, "cpre", op->cpre, call->args))
        return;
    space->nodes[space->from].holds |= bit;
    enabled = rdl__enabled(space->spec, rdl__state_in(space, space->now),
                           rdl__sched_in(space, space->now),
                           rdl__info_of(space, rdl__call_in(space, space->now, i)), &queue);
    expect_untouched(space, op, "enabled");
    for (unsigned which = 0; enabled && which < rdl__alternatives(op); which++)
        if (rdl__moves_execute(space, i, which)) {
            space->nodes[space->from].able |= bit;
            space->executed[operation] = true;
            rdl__space_link(space, (struct rdl__move){.client = (uint8_t)call->client,
                                                      .executes = true,
                                                      .which = (uint16_t)which});
        }
}

/* Do policies of this kind not care who a client is? */
static bool takes_clients_alike(const struct rdl_policy *policy)
{
    return policy == RDL_ALWAYS || policy == RDL_FIFO || policy == RDL_FIFO_PER_OP ||
           policy == RDL_PRIORITY || policy->first;
}

/* Is another one, who comes before it, as idle and as good? */
static bool is_spare(const struct rdl__space *space, uint32_t busy, unsigned client)
{
    if (space->manner == RDL__ANY_TIME || !takes_clients_alike(space->policy))
        return false;
    for (unsigned other = 0; other < client; other++)
        if (!(busy >> other & 1) &&
            memcmp(rdl__client_in(space, space->now, other),
                   rdl__client_in(space, space->now, client), space->spec->client_size) == 0)
            return true;
    return false;
}

static bool may_begin(const struct rdl__space *space, uint32_t node)
{
    return space->manner == RDL__ANY_TIME ||
           (space->manner == RDL__WHEN_QUIET && !space->nodes[node].able);
}

void rdl__moves_expand(struct rdl__space *space, uint32_t node)
{
    uint32_t busy = 0;

    rdl__moves_load(space, node);
    for (uint32_t i = 0; i < rdl__tally_in(space->now)->count; i++) {
        busy |= 1u << space->calls[i].client;
        execute_all(space, i);
    }
    for (unsigned client = 0; client < space->clients && may_begin(space, node); client++)
        if (!(busy >> client & 1) && !is_spare(space, busy, client))
            begin_all(space, client);
}

uint32_t rdl__moves_call(struct rdl__space *space, uint32_t node, unsigned client,
                         uint16_t operation, const void *args)
{
    const struct rdl_operation *op = rdl__operation(space->spec, operation);
    uint32_t before = space->step_count;

    rdl__moves_load(space, node);
    if (op->args_size)
        memcpy(space->drawn, args, op->args_size);
    begin_if_allowed(space, operation, client);
    return space->step_count > before ? space->steps[before].to : RDL__NONE;
}

/* ---- Beginnings ----------------------------------------------------------------------------- */

static void draw_beginning(struct rdl_case *t, void *context)
{
    struct rdl__space *space = context;
    const struct rdl_spec *spec = space->spec;
    void *state = rdl__state_in(space, space->next);

    memset(space->next, 0, space->size);
    if (spec->initial)
        spec->initial(t, state);
    spec->clear_state(state);
    for (unsigned i = 0; i < space->clients; i++) {
        void *me = rdl__client_in(space, space->next, i);

        if (spec->client)
            spec->client(t, (int)i, me);
        spec->clear_client(me);
    }
    if (space->policy->initial)
        space->policy->initial(rdl__sched_in(space, space->next));
}

void rdl__moves_begin(struct rdl__space *space)
{
    uint64_t *cap = &space->caps[RDL__OPERATIONS_MAX];
    uint32_t tried = 0;

    rdl__every_start(&space->every, *cap);
    while (rdl__every_next(&space->every, draw_beginning, space)) {
        rdl__space_root(space);
        if (++tried < RDL__ARGUMENTS_MAX || space->every.over)
            continue;
        space->every.all = false;
        if (*cap == 1)
            break;
        *cap = lower(*cap);
        rdl__every_start(&space->every, *cap);
        tried = 0;
    }
    space->partial |= !space->every.all;
}
