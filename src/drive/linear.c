/* linear.c -- RDL_TEST_LINEAR: clients that call as they like, all at once.
 *
 * Each client makes its calls one after the other, and nobody waits for anybody.  In the
 * end the judge looks for an order that explains all answers, and in which whoever was done
 * before another began comes first.  Where operations wait, what still waits in the end must
 * have to.  Calls with different keys are judged apart.
 *
 * What a client calls, and with what, is drawn before anything runs: so arguments come from
 * the state at the beginning, and from clients as if each call had returned. */
#include <string.h>

#include "case/requirements.h"
#include "control/sched/debug.h"
#include "drive/clients.h"
#include "drive/drive.h"
#include "drive/written.h"
#include "judge/viable.h"

enum { CLIENTS_DEFAULT = 3, CALLS_DEFAULT = 5 };

/* A call that a client is to make. */
struct planned {
    const struct rdl_operation *op;
    void *args;
};

struct plan {
    struct planned *calls;
    uint32_t count, next;
};

struct linear {
    struct rdl_case *t;
    const struct rdl_spec *spec;
    const struct rdl_options *options;
    void *state;
    struct rdl__clients *clients;
    struct plan plans[RDL__CLIENTS_MOST];
    uint32_t planning; /* whose */
    struct rdl__counts counts;
    uint32_t min, max;
    bool at_rest; /* it is as it was at the beginning */
};

/* ---- Making it up --------------------------------------------------------------------------- */

static bool pick_by_chance(const struct linear *l, const void *me, uint32_t *out_op)
{
    uint64_t total = 0;

    for (uint32_t op = 0; op < l->spec->operation_count; op++) {
        unsigned weight =
            rdl__chance_of(l->t, op, rdl__weight(rdl__operation(l->spec, op), l->state, me));

        total += weight;
        if (weight && rdl__random_upto(&l->t->tape->random, total - 1) < weight)
            *out_op = op;
    }
    return total > 0;
}

/* The next call of the client that is being planned. */
static bool draw_call(void *context)
{
    struct linear *l = context;
    struct rdl__tape *tape = l->t->tape;
    void *me = l->clients->clients[l->planning].me;
    struct plan *plan = &l->plans[l->planning];
    struct planned *out = &plan->calls[plan->count];
    uint32_t op = 0;

    if (tape->fresh && !pick_by_chance(l, me, &op))
        return false;
    op = (uint32_t)rdl__choose_or(tape, RDL__BRANCH, op, l->spec->operation_count - 1);
    out->op = rdl__operation(l->spec, op);
    if (rdl__weight(out->op, l->state, me) == 0)
        return false;
    out->args = rdl_alloc(l->t, out->op->args_size + 1);
    if (!rdl__draw_args(l->t, out->op, l->state, me, out->args))
        return false;
    if (out->op->returned)
        out->op->returned(me, out->args, rdl_alloc(l->t, out->op->answer_size + 1));
    l->counts.calls[op]++;
    plan->count++;
    return true;
}

static void plan_calls(struct linear *l, uint32_t client)
{
    struct plan *plan = &l->plans[client];
    uint32_t before = l->t->tape->count;

    l->planning = client;
    plan->calls = rdl_alloc(l->t, (l->max + 1) * sizeof *plan->calls);
    if (rdl__written_calls)
        return;
    if (rdl__draw_several(l->t, l->min, l->max, draw_call, l) < l->min)
        rdl__reject(l->t);
    rdl__take_down_draws(l->t, before);
    for (uint32_t i = 0; i < plan->count; i++)
        rdl__take_down_call(client, plan->calls[i].op, plan->calls[i].args);
}

/* The same of a call that is written. */
static void plan_written(void *driver, uint32_t client, const struct rdl_operation *op,
                         const void *args)
{
    struct linear *l = driver;
    struct plan *plan = &l->plans[client];

    if (plan->count == l->max)
        rdl__misuse(l->t, "client %u has more than %u calls (.calls)", client, l->max);
    plan->calls[plan->count] = (struct planned){op, rdl_alloc(l->t, op->args_size + 1)};
    if (op->args_size) {
        memcpy(plan->calls[plan->count].args, args, op->args_size);
        op->clear_args(plan->calls[plan->count].args);
    }
    plan->count++;
}

/* ---- Running it ----------------------------------------------------------------------------- */

/* The next call of the client's; NULL: that was all.  Called by whoever runs the client. */
static struct rdl__given *next_call(struct rdl__client *client)
{
    struct linear *l = client->all->context;
    struct plan *plan = &l->plans[client->number];

    if (plan->next == plan->count)
        return NULL;
    plan->next++;
    return rdl__clients_make(client->all, client->number, plan->calls[plan->next - 1].op,
                             plan->calls[plan->next - 1].args);
}

/* ---- Judging -------------------------------------------------------------------------------- */

static int64_t key_of(const struct rdl__given *given)
{
    return given->call.operation->key ? given->call.operation->key(given->args) : 0;
}

/* Who did what, each client in a column of its own. */
static void tell_history(const struct linear *l, struct rdl__text *out)
{
    for (uint32_t i = 0; i < l->clients->log_count; i++) {
        const struct rdl__logged *logged = &l->clients->log[i];
        const struct rdl__given *given = logged->given;

        rdl__text_clear(out);
        rdl__text_add(out, "%*s%u %s ", (int)given->call.client * 4, "", given->call.client,
                      logged->returns ? "returns from" : "calls");
        rdl__show_call(out, given->call.operation, given->args);
        if (logged->returns && given->call.operation->answer_size) {
            rdl__text_add(out, ": ");
            rdl__show_answer(out, given->call.operation, given->answer);
        }
        rdl__tell(l->t, out);
    }
    rdl__text_clear(out);
}

_Noreturn static void fail(struct linear *l, struct rdl__viable *viable)
{
    enum rdl__blame blame = rdl__viable_blame(viable);
    struct rdl__text text = {0};

    if (l->t->trace->on || rdl__debugged) {
        tell_history(l, &text);
        rdl__viable_explain(viable, &text);
        rdl__clients_point_at_suspects(l->clients, viable,
                                       blame == RDL__BLAME_WAITS    ? "waits, though it could go on"
                                       : blame == RDL__BLAME_POLICY ? "no order explains it"
                                                                    : NULL);
    }
    rdl__differs_in(l->t, rdl__viable_culprit(viable), "non-atomic",
                    blame == RDL__BLAME_WAITS    ? "a call waits that could go on"
                    : blame == RDL__BLAME_POLICY ? "no order of the calls is one the policy allows"
                                                 : "no order of the calls explains their answers",
                    &text);
}

static void judge_key(struct linear *l, int64_t key)
{
    struct rdl__viable *viable =
        rdl__viable_new(l->spec, l->state, RDL__WITH_POLICY | RDL__WITH_LIVENESS);
    enum rdl__judgement judgement;
    struct rdl__ids reached;

    for (uint32_t i = 0; i < l->clients->log_count; i++) {
        const struct rdl__logged *logged = &l->clients->log[i];

        if (key_of(logged->given) != key)
            continue;
        if (logged->returns)
            rdl__viable_return(viable, logged->given->call.number, logged->given->answer);
        else
            rdl__viable_begin(viable, &logged->given->call);
    }
    judgement = rdl__viable_quiet(viable);
    if (judgement == RDL__UNEXPLAINED)
        fail(l, viable);
    if (judgement == RDL__UNDECIDED) {
        rdl_label(l->t, "not judged to the end: too many orders");
    } else {
        l->at_rest &= rdl__same_state(l->spec, rdl__viable_state(viable), l->state);
        rdl__viable_reached(viable, &reached);
        rdl__exercised(&reached);
    }
    rdl__viable_free(viable);
}

/* Is this the first call with its key? */
static bool is_first_of_key(const struct linear *l, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (key_of(l->clients->log[k].given) == key_of(l->clients->log[i].given))
            return false;
    return true;
}

static void judge(struct linear *l)
{
    for (uint32_t i = 0; i < l->clients->log_count; i++)
        if (is_first_of_key(l, i))
            judge_key(l, key_of(l->clients->log[i].given));
}

/* ---- The case ------------------------------------------------------------------------------- */

static void set_up(struct linear *l)
{
    l->min = l->options->calls.max ? l->options->calls.min : 1;
    l->max = l->options->calls.max ? l->options->calls.max : CALLS_DEFAULT;
    l->state = rdl__begin_state(l->t);
    l->clients =
        rdl__clients_new(l->t, l->options->clients ? l->options->clients : CLIENTS_DEFAULT, NULL);
    l->clients->context = l;
    for (uint32_t i = 0; i < l->clients->count; i++)
        plan_calls(l, i);
    rdl__clients_create(l->clients, l->state);
}

/* All calls, to their end. */
static void run(struct linear *l)
{
    rdl__take_down_run();
    l->clients->next_call = next_call;
    rdl__clients_start_all(l->clients);
    rdl__clients_run(l->clients);
    l->at_rest = true;
    judge(l);
}

static void run_written(void *driver)
{
    struct linear *l = driver;

    if (l->clients->next_call)
        rdl__misuse(l->t, "%s lets clients run once, with all their calls", l->t->test->name);
    run(l);
}

void rdl__test_linear(struct rdl_case *t)
{
    struct linear *l = rdl_alloc(t, sizeof *l);
    struct rdl__performer performer = {.driver = l, .call = plan_written, .run = run_written};

    l->t = t;
    l->spec = t->test->options.spec;
    l->options = &t->test->options;
    t->hidden++;
    set_up(l);
    t->outcome->phases = 1;
    t->outcome->concurrent = l->clients->count;
    performer.clients = l->clients->count;
    if (rdl__written_calls)
        rdl__perform_written(t, &performer);
    else
        run(l);
    rdl__counts_tell(&l->counts, t);
    rdl__clients_finish(l->clients, l->at_rest);
    t->hidden--;
}
