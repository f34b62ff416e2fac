/* resource.c -- RDL_TEST_RESOURCE: a resource under concurrent calls, phase by phase.
 *
 * Each phase gives calls to clients that are idle, lets all run until each has returned or
 * waits, and asks the judge whether the spec can explain it.  What is given next depends on
 * what has returned, so cases are made up while they run.
 *
 * Rounds, as in the paper by Fredlund, Mariño, Alborodo and Herranz: 1 is safety alone, one
 * call at a time; 2 adds liveness and the policy; 3 adds concurrent calls. */
#include <string.h>

#include "case/requirements.h"
#include "control/sched/debug.h"
#include "drive/clients.h"
#include "drive/drive.h"
#include "drive/stage.h"
#include "drive/written.h"
#include "judge/viable.h"

enum {
    PHASES_DEFAULT = 20,
    CLIENTS_DEFAULT = 4,
    CONCURRENT_DEFAULT = 3,
};

struct resource {
    struct rdl_case *t;
    const struct rdl_spec *spec;
    const struct rdl_options *options;
    void *state; /* at the beginning; later, one that explains what was seen */
    void *args;  /* room for those of any operation */
    struct rdl__clients *clients;
    uint32_t before;                /* calls that were given before this phase */
    struct rdl__stage *stage;       /* where its neighbours are; NULL: it has none */
    struct rdl__component *self;    /* itself, in a state that explains what was seen */
    struct rdl__foreseen *foreseen; /* call-outs of the calls of a phase */
    struct rdl__viable *viable;
    struct rdl__counts counts;
    uint32_t judged; /* of the clients' log */
    uint32_t drawn;  /* this phase, in the picture of the case */
    bool chosen[RDL__CLIENTS_MOST];
    unsigned round;
    bool undecided;          /* there are too many ways to explain it */
    struct rdl__ids reached; /* by what explains all so far */
};

/* ---- Who calls what ------------------------------------------------------------------------- */

static const void *state_now(const struct resource *r)
{
    return rdl__viable_state(r->viable);
}

static bool may_be_chosen(const struct resource *r, uint32_t client)
{
    return !r->chosen[client] && !r->clients->clients[client].job;
}

static unsigned weight_of(const struct resource *r, uint32_t client, size_t op)
{
    if (!may_be_chosen(r, client))
        return 0;
    return rdl__weight(rdl__operation(r->spec, op), state_now(r), r->clients->clients[client].me);
}

/* Clients that are alike are taken in turn: which of them it is makes no difference. */
static uint32_t first_like(const struct resource *r, uint32_t client)
{
    const void *me = r->clients->clients[client].me;
    uint32_t first = 0;

    while (first < client && (!may_be_chosen(r, first) ||
                              memcmp(r->clients->clients[first].me, me, r->spec->client_size) != 0))
        first++;
    return first;
}

struct pick {
    uint32_t client;
    uint32_t op;
};

/* By chance, among all that there are; false: there are none. */
static bool pick_by_chance(const struct resource *r, struct pick *out)
{
    struct rdl__random *random = &r->t->tape->random;
    uint64_t total = 0;

    for (uint32_t client = 0; client < r->clients->count; client++) {
        if (!may_be_chosen(r, client) || first_like(r, client) != client)
            continue;
        for (uint32_t op = 0; op < r->spec->operation_count; op++) {
            unsigned weight = rdl__chance_of(r->t, op, weight_of(r, client, op));

            total += weight;
            if (weight && rdl__random_upto(random, total - 1) < weight)
                *out = (struct pick){client, op};
        }
    }
    return total > 0;
}

/* A number on a tape that names a client which has a call already stands for the next that
 * has none; and one for the first that is like it. */
static uint32_t stands_for(const struct resource *r, uint32_t client)
{
    uint32_t tries = r->clients->count;

    while (!may_be_chosen(r, client) && tries-- > 0)
        client = (client + 1) % r->clients->count;
    return first_like(r, client);
}

/* Who calls what next.  False: nobody can call anything, or not that. */
static bool pick(const struct resource *r, struct pick *out)
{
    struct rdl__tape *tape = r->t->tape;
    uint32_t last = r->clients->count - 1;

    *out = (struct pick){0};
    if (tape->fresh && !pick_by_chance(r, out))
        return false;
    if (!tape->fresh)
        out->client = stands_for(r, (uint32_t)rdl__tape_given(tape, RDL__INTEGER, last, 0));
    rdl__record(tape, RDL__INTEGER, out->client, last, 0);
    out->op = (uint32_t)rdl__choose_or(tape, RDL__BRANCH, out->op, r->spec->operation_count - 1);
    return weight_of(r, out->client, out->op) > 0;
}

/* Can this one be made, too, in this phase: will it be known how to answer what they all call? */
static bool foresee(struct resource *r, const struct rdl_operation *op)
{
    struct rdl__foreseen *f = r->foreseen;
    const struct rdl_call *waiting[RDL__CLIENTS_MOST];
    uint32_t waiting_count = rdl__clients_waiting(r->clients, r->before + 1, waiting);

    f->count = r->clients->calls - r->before;
    for (uint32_t i = 0; i < f->count; i++)
        f->calls[i] = r->clients->given[r->before + 1 + i]->call;
    f->calls[f->count++] = (struct rdl_call){.operation = op, .args = r->args};
    f->all_count = f->count;
    for (uint32_t i = 0; i < waiting_count && f->all_count < RDL__FORESEEN_MAX; i++)
        f->calls[f->all_count++] = *waiting[i];
    return rdl__foresee(f);
}

/* This call, with the arguments in r->args. */
static bool give(struct resource *r, const struct pick *picked)
{
    const struct rdl_operation *op = rdl__operation(r->spec, picked->op);

    if (r->stage && !foresee(r, op))
        return false;
    r->chosen[picked->client] = true;
    rdl__clients_give(r->clients, picked->client, op, r->args);
    for (uint32_t i = r->before; r->stage && i < r->clients->calls; i++)
        r->clients->given[i + 1]->unsure = r->foreseen->unsure[i - r->before];
    rdl__counts_called(&r->counts, r->t, picked->op);
    return true;
}

static bool give_call(void *context)
{
    struct resource *r = context;
    struct pick picked;

    return pick(r, &picked) &&
           rdl__draw_args(r->t, rdl__operation(r->spec, picked.op), state_now(r),
                          r->clients->clients[picked.client].me, r->args) &&
           give(r, &picked);
}

/* Under which preconditions are the calls of this phase made?  All of them are asked before any
 * of them is. */
static void count_tried(struct resource *r, uint32_t first)
{
    const struct rdl_call *waiting[RDL__CLIENTS_MOST];
    uint32_t count = rdl__clients_waiting(r->clients, first, waiting);

    for (uint32_t i = first; i <= r->clients->calls; i++) {
        const struct rdl_call *call = &r->clients->given[i]->call;

        if (call->operation->preconditions[0].holds)
            rdl__counts_tried(&r->counts,
                              rdl__preconditions_met(r->spec, call->operation, state_now(r),
                                                     call->args, waiting, count));
    }
}

/* ---- How it is told ------------------------------------------------------------------------- */

static void add_given(struct rdl__text *out, const struct rdl__given *given)
{
    rdl__text_add(out, "%u: ", given->call.client);
    rdl__show_call(out, given->call.operation, given->args);
}

static void tell_phase(struct resource *r, uint32_t first)
{
    struct rdl__text line = {0};

    if (!r->t->trace->on)
        return;
    rdl__text_add(&line, "<< ");
    for (uint32_t i = first; i <= r->clients->calls; i++) {
        rdl__text_add(&line, i > first ? ", " : "");
        add_given(&line, r->clients->given[i]);
    }
    rdl__text_add(&line, " >>");
    rdl__tell(r->t, &line);
    r->drawn = rdl__trace_since(r->t->trace, "phase", 0, line.bytes);
    rdl__draw_state(r->t, r->drawn, "before", r->spec, state_now(r));
    rdl__draw_possible(r->t, r->drawn, r->viable);
    rdl__text_release(&line);
}

static void draw_failure(struct resource *r, enum rdl__blame blame)
{
    const char *why = blame == RDL__BLAME_RETURNED ? NULL
                      : blame == RDL__BLAME_POLICY ? "was not served in its turn"
                                                   : "waits, though it could go on";

    rdl__clients_point_at_suspects(r->clients, r->viable, why);
    rdl__trace_state(r->t->trace, r->drawn, "fails", "the spec does not explain what happened");
}

static void add_returns(const struct resource *r, struct rdl__text *line, const char *before)
{
    bool any = false;

    for (uint32_t i = r->judged; i < r->clients->log_count; i++) {
        const struct rdl__given *given = r->clients->log[i].given;

        if (!r->clients->log[i].returns)
            continue;
        rdl__text_add(line, "%s%u", any ? ", " : before, given->call.client);
        any = true;
        if (given->call.operation->answer_size) {
            rdl__text_add(line, " with ");
            rdl__show_answer(line, given->call.operation, given->answer);
        }
    }
}

/* At the end of the line that says what was called, unless there have been others. */
static void tell_returns(const struct resource *r)
{
    bool alone = r->stage && rdl__stage_told(r->stage);
    struct rdl__text line = {0};

    if (!r->t->trace->on)
        return;
    add_returns(r, &line, "  -- returns: ");
    if (!alone)
        rdl__tell_more(r->t, &line);
    else if (line.count)
        rdl__tell(r->t, &line);
    rdl__text_release(&line);
}

static void take_down_returns(const struct resource *r)
{
    struct rdl__text line = {0};
    bool any = false;

    if (!rdl__taking_down)
        return;
    add_returns(r, &line, "returns: ");
    for (uint32_t i = 0; i < r->clients->count; i++)
        if (r->clients->clients[i].job) {
            rdl__text_add(&line, any ? ", %u" : line.count ? "; waits: %u" : "waits: %u", i);
            any = true;
        }
    rdl__take_down_remark(rdl__text_string(&line));
    rdl__text_release(&line);
}

/* ---- Judging -------------------------------------------------------------------------------- */

static bool is_concurrent(const struct resource *r)
{
    return r->t->outcome->concurrent > 1;
}

static void add_clients(const struct resource *r, struct rdl__text *out)
{
    bool any = false;

    for (uint32_t i = 0; i < r->clients->count; i++) {
        const struct rdl__client *client = &r->clients->clients[i];

        if (client->job) {
            rdl__text_add(out, any ? ", " : "waiting: ");
            add_given(out, client->job);
            any = true;
        }
    }
    rdl__text_add(out, any ? "\n" : "");
    if (r->stage)
        rdl__stage_add_waiting(r->stage, out);
    for (uint32_t i = 0; i < r->clients->count && r->spec->client_size; i++) {
        if (!r->clients->clients[i].started)
            continue;
        rdl__text_add(out, "client %u: ", i);
        rdl__show_client(out, r->spec, r->clients->clients[i].me);
        rdl__text_add(out, "\n");
    }
}

static const char *class_of(const struct resource *r, enum rdl__blame blame)
{
    const char *stuck = blame == RDL__BLAME_WAITS ? rdl__clients_stuck(r->clients) : NULL;

    if (stuck)
        return stuck;
    if (is_concurrent(r))
        return "non-atomic";
    return blame == RDL__BLAME_RETURNED ? "bad-spec-impl" : "bad-sched";
}

static const char *headline_of(const char *class, enum rdl__blame blame)
{
    if (strcmp(class, "deadlock") == 0)
        return "a call waits for a lock for ever";
    if (strcmp(class, "livelock") == 0)
        return "a call waits for a lock whose holder spins for ever";
    if (blame == RDL__BLAME_RETURNED)
        return "a call has returned that the spec does not allow to";
    if (blame == RDL__BLAME_POLICY)
        return "calls were served in an order that the policy does not allow";
    return "a call waits that could go on";
}

_Noreturn static void fail(struct resource *r)
{
    enum rdl__blame blame = rdl__viable_blame(r->viable);
    const char *class = class_of(r, blame);
    struct rdl__text text = {0};

    rdl__exercised(&r->reached);
    rdl__text_add(&text, "%s: %s, in round %u\n", r->spec->name, class, r->round);
    if (r->t->trace->on || rdl__debugged) { /* somebody will read it */
        rdl__viable_explain(r->viable, &text);
        add_clients(r, &text);
        draw_failure(r, blame);
    }
    rdl__differs_in(r->t, rdl__viable_culprit(r->viable), class, headline_of(class, blame), &text);
}

/* Those that were made in this phase, and have not returned. */
static void count_waiting(struct resource *r, uint32_t first)
{
    for (uint32_t i = first; i <= r->clients->calls; i++) {
        const struct rdl__given *given = r->clients->given[i];

        for (size_t op = 0; !given->returned && op < r->spec->operation_count; op++)
            r->counts.waited[op] += rdl__operation(r->spec, op) == given->call.operation;
    }
}

static void judge_phase(struct resource *r)
{
    enum rdl__judgement judgement;

    tell_returns(r);
    take_down_returns(r);
    rdl__clients_take_in(r->clients, r->viable, &r->judged);
    judgement = rdl__viable_quiet(r->viable);
    if (judgement == RDL__UNEXPLAINED)
        fail(r);
    rdl__trace_until(r->t->trace, r->drawn, "");
    rdl__draw_state(r->t, r->drawn, "after", r->spec, state_now(r));
    r->undecided = judgement == RDL__UNDECIDED;
    if (r->undecided) /* the case ends here */
        rdl_label(r->t, "not judged to the end: too many orders");
    else
        rdl__viable_reached(r->viable, &r->reached);
    rdl__counts_visited(&r->counts, r->t, state_now(r));
}

/* ---- Phases --------------------------------------------------------------------------------- */

static unsigned at_once(const struct resource *r)
{
    unsigned most = r->options->concurrent ? r->options->concurrent : CONCURRENT_DEFAULT;

    if (r->round < 3)
        return 1;
    return most < r->clients->count ? most : r->clients->count;
}

/* Calls of this phase begin in this state, or in one that makes no difference to what they call. */
static void set_the_stage(struct resource *r)
{
    memcpy(r->self->state, state_now(r), r->spec->state_size);
    rdl__stage_tell_anew(r->stage);
}

static void run_phase(struct resource *r, uint32_t given)
{
    struct rdl__outcome *outcome = r->t->outcome;

    outcome->phases++;
    if (given > outcome->concurrent)
        outcome->concurrent = given;
    for (uint32_t i = r->clients->calls - given + 1; i <= r->clients->calls; i++)
        rdl__take_down_call(r->clients->given[i]->call.client, r->clients->given[i]->call.operation,
                            r->clients->given[i]->args);
    rdl__take_down_run();
    tell_phase(r, r->clients->calls - given + 1);
    if (r->stage)
        set_the_stage(r);
    count_tried(r, r->clients->calls - given + 1);
    rdl__clients_run(r->clients);
    count_waiting(r, r->clients->calls - given + 1);
    judge_phase(r);
}

static void begin_phase(struct resource *r)
{
    memset(r->chosen, 0, sizeof r->chosen);
    r->before = r->clients->calls;
}

static void run_phases(struct resource *r)
{
    struct rdl__tape *tape = r->t->tape;
    uint32_t most = r->options->phases ? r->options->phases : PHASES_DEFAULT;
    uint32_t wanted = rdl__chosen_length(r->t, 0, most);

    rdl__span_begin(tape, RDL__LABEL_LIST);
    for (uint32_t count = 0; !r->undecided; count++) {
        struct rdl__mark before = rdl__mark(tape);
        uint32_t given;

        if (!rdl__another(tape, count, 0, most, count < wanted))
            break;
        begin_phase(r);
        given = rdl__draw_several(r->t, 1, at_once(r), give_call, r);
        if (given == 0) { /* nobody can call anything any more */
            rdl__go_back(tape, &before);
            rdl__another(tape, count, 0, most, false);
            break;
        }
        rdl__take_down_draws(r->t, before.count);
        run_phase(r, given);
        rdl__span_end(tape);
    }
    rdl__span_end(tape);
}

/* ---- Phases that are written ---------------------------------------------------------------- */

static void give_written(void *driver, uint32_t client, const struct rdl_operation *op,
                         const void *args)
{
    struct resource *r = driver;
    struct pick picked = {.client = client};

    if (!may_be_chosen(r, client))
        rdl__misuse(r->t, "client %u cannot call %s: its call before that has not returned", client,
                    op->name);
    while (rdl__operation(r->spec, picked.op) != op)
        picked.op++;
    if (op->args_size) {
        memcpy(r->args, args, op->args_size);
        op->clear_args(r->args);
    }
    if (!rdl__pre(op, state_now(r), r->args))
        rdl__misuse(r->t, "client %u must not call %s: its pre does not hold", client, op->name);
    if (!give(r, &picked))
        rdl__misuse(r->t,
                    "client %u cannot call %s now: it is not known what its neighbours are "
                    "to answer",
                    client, op->name);
}

static void run_written(void *driver)
{
    struct resource *r = driver;

    run_phase(r, r->clients->calls - r->before);
    begin_phase(r);
}

static void run_written_phases(struct resource *r)
{
    const struct rdl__performer performer = {.driver = r,
                                             .call = give_written,
                                             .run = run_written,
                                             .clients = r->clients->count,
                                             .all = r->clients,
                                             .viable = r->viable};

    begin_phase(r);
    rdl__perform_written(r->t, &performer);
}

/* ---- The case ------------------------------------------------------------------------------- */

static unsigned clients_of(const struct rdl_options *options)
{
    return options->clients ? options->clients : CLIENTS_DEFAULT;
}

/* The judge is kept from case to case: its memory is what takes time to get. */
static struct rdl__viable *judge_for(const struct resource *r)
{
    static struct rdl__viable *kept;
    static const struct rdl_spec *kept_for;
    unsigned flags = r->round > 1 ? RDL__WITH_POLICY | RDL__WITH_LIVENESS : 0;

    if (kept && kept_for == r->spec) {
        rdl__viable_reset(kept, r->state, flags);
        return kept;
    }
    rdl__viable_free(kept);
    kept_for = r->spec;
    return kept = rdl__viable_new(r->spec, r->state, flags);
}

static void set_up_stage(struct resource *r)
{
    void *state = rdl_copy(r->t, r->state, r->spec->state_size + !r->spec->state_size);

    r->stage = r->options->reference ? NULL : rdl__stage_of_model(r->t, state, &r->self);
    if (!r->stage)
        return;
    rdl__stage_share(r->stage);
    r->clients->stage = r->stage;
    r->clients->self = r->self;
    r->foreseen = rdl_alloc(r->t, sizeof *r->foreseen);
    r->foreseen->t = r->t;
    r->foreseen->stage = r->stage;
    r->foreseen->spec = r->spec;
}

static void set_up(struct resource *r)
{
    r->state = rdl__begin_state(r->t);
    r->args = rdl_alloc(r->t, rdl__largest(r->spec).args + 1);
    r->clients = rdl__clients_new(r->t, clients_of(r->options), NULL);
    set_up_stage(r);
    rdl__clients_create(r->clients, r->state);
    r->viable = judge_for(r);
    if (r->stage)
        r->foreseen->viable = r->viable;
    rdl__counts_begin(&r->counts, r->t, r->state);
}

/* May it be destroyed?  Not while somebody has it in use, and who has is the client's affair;
 * but if it is as it was at the beginning, nobody has.  (In the other rounds, what a call has
 * left behind is to show in the next call.) */
static bool is_at_rest(const struct resource *r)
{
    return r->round == 3 && rdl__same_state(r->spec, state_now(r), r->state);
}

void rdl__test_resource(struct rdl_case *t)
{
    struct resource r = {.t = t,
                         .options = &t->test->options,
                         .spec = t->test->options.spec,
                         .round = t->settings.round ? t->settings.round : 3};

    t->hidden++;
    set_up(&r);
    if (rdl__written_calls)
        run_written_phases(&r);
    else
        run_phases(&r);
    rdl__exercised(&r.reached);
    rdl__counts_tell(&r.counts, t);
    rdl__counts_tell_tried(&r.counts, t);
    rdl__clients_finish(r.clients, is_at_rest(&r));
    t->hidden--;
}
