/* model.c -- RDL_TEST_MODEL: one call after the other, each answer compared with the model's.
 *
 * A call is made up and made at once, so that a case ends where it fails.  A tape that asks for a
 * call that cannot be made is no case, unless it fails before: without a pop a buffer gets full
 * earlier, and it is then that the push fails of which one more could not be made.
 *
 * Calls that would have to wait are not made: there is nobody to end the wait. */
#include <stdio.h>
#include <string.h>

#include "case/requirements.h"
#include "control/sched/debug.h"
#include "drive/stage.h"
#include "drive/written.h"
#include "judge/viable.h"

enum { CALLS_DEFAULT = 100, TRIES = 20 };

/* A call that has been made up. */
struct command {
    const struct rdl_operation *op;
    uint32_t index; /* of the operation */
    uint32_t client;
    void *args;
    void *expected; /* the model's answer */
    void *answer;
};

struct model {
    struct rdl_case *t;
    const struct rdl_spec *spec;
    void *object;
    struct rdl_resource *reference;
    void *state;
    void *before; /* the state before the call that is checked; only while somebody looks */
    uint32_t min, max;

    uint32_t clients;
    char *mes; /* their states */

    unsigned weights[RDL__OPERATIONS_MAX];
    unsigned total; /* of them; 0: they depend on the state or the client */
    struct command *commands;
    uint32_t count; /* made up */
    uint32_t made;  /* and made */
    char *room;     /* for arguments and answers of one command each */
    size_t args_room, answer_room;
    void *policy_state, *policy_next, *policy_info;
    struct rdl__viable *viable; /* if answers cannot be predicted */
    struct rdl__stage *stage;   /* where its neighbours are; NULL: it has none */
    struct rdl__component *self;
    bool is_predicted;
    bool is_free;            /* no policy has a say */
    uint32_t drawn;          /* the call that is made, in the picture of the case */
    struct rdl__ids reached; /* by what explains all so far; of those that are not predicted */
    struct rdl__counts counts;
};

static void *me_of(const struct model *m, uint32_t client)
{
    return m->mes + (size_t)client * m->spec->client_size;
}

/* ---- Making up a call ----------------------------------------------------------------------- */

static unsigned weight_of(const struct model *m, uint32_t client, uint32_t op)
{
    return rdl__weight(rdl__operation(m->spec, op), m->state, me_of(m, client));
}

/* By chance.  False: there is nothing to call. */
static bool pick_by_chance(struct model *m, uint32_t client, uint32_t *out_op)
{
    struct rdl__random *random = &m->t->tape->random;
    uint64_t total = m->total, at;

    for (uint32_t i = 0; m->total == 0 && i < m->spec->operation_count; i++)
        total += m->weights[i] = rdl__chance_of(m->t, i, weight_of(m, client, i));
    if (total == 0)
        return false;
    at = rdl__random_upto(random, total - 1);
    for (*out_op = 0; at >= m->weights[*out_op]; ++*out_op)
        at -= m->weights[*out_op];
    return true;
}

/* Does the policy let it go on, alone as it is?  What the policy knows then is in
 * policy_next. */
static bool is_let(struct model *m, const struct rdl_call *call)
{
    const struct rdl_policy *policy = rdl__policy_of(m->spec);
    struct rdl_queue queue = {.calls = &call, .count = 1};

    memcpy(m->policy_next, m->policy_state, policy->state_size);
    memset(m->policy_info, 0, policy->info_size);
    if (policy->waiting)
        policy->waiting(m->policy_next, m->policy_info, call, m->state);
    if (!rdl__enabled(m->spec, m->state, m->policy_next, m->policy_info, &queue))
        return false;
    if (policy->post_waiting)
        policy->post_waiting(m->policy_next, m->policy_info, call, m->state);
    return true;
}

/* Can it be made, without having to wait? */
static bool can_be_made(struct model *m, const struct command *command)
{
    const struct rdl_call call = {command->op, command->args, m->count + 1, command->client};

    return rdl__cpre(command->op, m->state, command->args) && (m->is_free || is_let(m, &call));
}

/* It will be made. */
static void tell_policy(struct model *m)
{
    if (!m->is_free)
        memcpy(m->policy_state, m->policy_next, rdl__policy_of(m->spec)->state_size);
}

static void begin_command(const struct model *m, struct command *out, uint32_t client, uint32_t op)
{
    out->client = client;
    out->index = op;
    out->op = rdl__operation(m->spec, op);
    out->args = m->room + m->count * (m->args_room + 2 * m->answer_room);
    out->expected = (char *)out->args + m->args_room;
    out->answer = (char *)out->expected + m->answer_room;
}

/* Draw what is called, by whom, with what.  False: it cannot be called like that. */
static bool draw_command(struct model *m, struct command *out)
{
    struct rdl__tape *tape = m->t->tape;
    uint32_t client = 0, op = 0;

    if (tape->fresh) {
        if (m->clients > 1)
            client = (uint32_t)rdl__random_upto(&tape->random, m->clients - 1);
        if (!pick_by_chance(m, client, &op))
            return false;
    }
    if (m->clients > 1)
        client = (uint32_t)rdl__choose_or(tape, RDL__INTEGER, client, m->clients - 1);
    op = (uint32_t)rdl__choose_or(tape, RDL__BRANCH, op, m->spec->operation_count - 1);
    if (!tape->fresh && weight_of(m, client, op) == 0)
        return false;
    begin_command(m, out, client, op);
    return rdl__draw_args(m->t, out->op, m->state, me_of(m, client), out->args) &&
           can_be_made(m, out);
}

/* The model does it, and knows the answer. */
static void do_on_model(struct model *m, const struct command *command)
{
    const struct rdl_call call = {command->op, command->args, m->count + 1, command->client};

    rdl__post(m->spec, &call, m->state, 0, command->expected);
}

/* The next call: m->commands[m->count].  False: that was the last. */
static bool make_up(struct model *m, uint32_t target)
{
    struct rdl__tape *tape = m->t->tape;
    struct rdl__mark before = rdl__mark(tape);

    for (int i = 0; i < TRIES; i++) {
        if (!rdl__another(tape, m->count, m->min, m->max, m->count < target))
            return false;
        if (draw_command(m, &m->commands[m->count])) {
            tell_policy(m);
            rdl__span_end(tape);
            rdl__take_down_draws(m->t, before.count);
            return true;
        }
        if (!tape->fresh)
            rdl__reject(m->t);
        rdl__go_back(tape, &before);
    }
    rdl__another(tape, m->count, 0, m->max, false);
    return false;
}

/* ---- Making it ------------------------------------------------------------------------------ */

/* In the lane of who calls, if there are several; else in that of the thing itself. */
static void draw_call(struct model *m, const struct command *command)
{
    struct rdl__trace *trace = m->t->trace;
    struct rdl__text call = {0};
    char name[32];
    uint32_t lane;

    snprintf(name, sizeof name, "client %u", command->client);
    lane = m->clients > 1 && !m->stage ? rdl__trace_lane(trace, "client", name)
                                       : rdl__trace_lane(trace, "component", m->spec->name);
    rdl__show_call(&call, command->op, command->args);
    m->drawn = rdl__trace_since(trace, "call", lane, rdl__text_string(&call));
    rdl__draw_state(m->t, m->drawn, "before", m->spec, m->before);
    rdl__text_release(&call);
}

static void draw_answer(const struct model *m, const struct command *command)
{
    struct rdl__text answer = {0};

    rdl__text_add(&answer, "returns");
    if (command->op->answer_size) {
        rdl__text_add(&answer, " ");
        rdl__show_answer(&answer, command->op, command->answer);
    }
    rdl__trace_until(m->t->trace, m->drawn, answer.bytes);
    rdl__text_release(&answer);
}

static void tell_call(const struct model *m, const struct command *command)
{
    struct rdl__text line = {0};

    if (m->clients > 1)
        rdl__text_add(&line, "%u: ", command->client);
    if (command->op->answer_size)
        rdl__text_add(&line, "#%u = ", m->made + 1);
    rdl__show_call(&line, command->op, command->args);
    rdl__tell(m->t, &line);
    rdl__text_release(&line);
}

static void tell_answer(const struct model *m, const struct command *command)
{
    struct rdl__text line = {0};

    if (!command->op->answer_size)
        return;
    rdl__text_add(&line, " -> ");
    rdl__show_answer(&line, command->op, command->answer);
    if (m->stage && rdl__stage_told(m->stage))
        rdl__tell(m->t, &line);
    else
        rdl__tell_more(m->t, &line);
    rdl__text_release(&line);
}

static void take_down_answer(const struct model *m, const struct command *command)
{
    struct rdl__text line = {0};

    if (!rdl__taking_down || !command->op->answer_size)
        return;
    rdl__text_add(&line, "answers ");
    rdl__show_answer(&line, command->op, command->answer);
    if (m->is_predicted && !rdl__same_answer(command->op, command->expected, command->answer)) {
        rdl__text_add(&line, "; the model says ");
        rdl__show_answer(&line, command->op, command->expected);
    }
    rdl__take_down_remark(line.bytes);
    rdl__text_release(&line);
}

static void add_state(const struct model *m, struct rdl__text *out, const char *what,
                      const void *state)
{
    rdl__text_add(out, "%s", what);
    rdl__show_state(out, m->spec, state);
    rdl__text_add(out, "\n");
}

static void add_answers(const struct command *command, struct rdl__text *out)
{
    rdl__text_add(out, " answered ");
    rdl__show_answer(out, command->op, command->answer);
    if (command->op->post) {
        rdl__text_add(out, "; the model says ");
        rdl__show_answer(out, command->op, command->expected);
    }
}

/* `states`: it is they that are wrong, not the answer. */
_Noreturn static void fail(const struct model *m, const struct command *command, const char *check,
                           bool states)
{
    struct rdl__text text = {0};

    rdl__exercised(&m->reached);
    if (states)
        rdl__text_add(&text, "after ");
    rdl__show_call(&text, command->op, command->args);
    if (command->op->answer_size && !states)
        add_answers(command, &text);
    rdl__text_add(&text, "\n");
    if (m->before)
        add_state(m, &text, "state before it: ", m->before);
    if (m->is_predicted)
        add_state(m, &text, "state after it:  ", m->state);
    if (m->is_predicted)
        rdl__draw_state(m->t, m->drawn, "after", m->spec, m->state);
    rdl__trace_state(m->t->trace, m->drawn, "fails", check);
    if (!m->reference)
        rdl__debug_blame_call(m->made, (uintptr_t)command->op->call);
    rdl__differs_in(m->t, command->op, "bad-spec-impl", check, &text);
}

/* Where one of several things may have happened, the judge keeps all that explain what was
 * seen; m->state is one of them. */
static void judge(struct model *m, const struct command *command)
{
    const struct rdl_call call = {command->op, command->args, m->made, command->client};

    rdl__viable_begin(m->viable, &call);
    rdl__viable_return(m->viable, m->made, command->answer);
    if (rdl__viable_quiet(m->viable) == RDL__UNEXPLAINED) {
        rdl__post(m->spec, &call, rdl_copy(m->t, m->state, m->spec->state_size + 1), 0,
                  command->expected);
        fail(m, command, "an answer is not one that the model allows", false);
    }
    rdl__viable_reached(m->viable, &m->reached);
    memcpy(m->state, rdl__viable_state(m->viable), m->spec->state_size);
}

static void check_states(const struct model *m, const struct command *command)
{
    rdl__draw_state(m->t, m->drawn, "after", m->spec, m->state);
    if (m->spec->invariant && !m->spec->invariant(m->state))
        fail(m, command, "the invariant of the spec does not hold", true);
    if (m->spec->agrees && !m->reference && !m->spec->agrees(m->object, m->state))
        fail(m, command, "it does not agree with the model (agrees)", true);
}

static void call(const struct model *m, const struct command *command)
{
    if (rdl__debugged)
        rdl__debug_call(m->made + 1);
    command->op->call(m->object, command->args, command->answer);
}

static void make(struct model *m, struct command *command)
{
    const struct rdl_operation *op = command->op;

    m->t->outcome->phases++; /* even if it does not return */
    rdl__call_made(op);
    rdl__take_down_call(command->client, op, command->args);
    if (m->t->trace->on) {
        tell_call(m, command);
        draw_call(m, command);
    }
    if (op->answer_size)
        memset(command->answer, 0, op->answer_size);
    if (m->reference)
        rdl_resource_call(m->reference, op->name, command->args, command->answer);
    else
        call(m, command);
    if (op->answer_size)
        op->clear_answer(command->answer);
    if (m->t->trace->on)
        tell_answer(m, command);
    take_down_answer(m, command);
    if (m->stage)
        rdl__stage_leave(m->stage);
    if (m->t->trace->on)
        draw_answer(m, command);
    m->made++;
}

static void compare(struct model *m, const struct command *command)
{
    if (!rdl__same_answer(command->op, command->expected, command->answer))
        fail(m, command, "an answer is not the model's", false);
}

static void client_returns(struct model *m, const struct command *command)
{
    if (command->op->returned)
        command->op->returned(me_of(m, command->client), command->args,
                              m->is_predicted ? command->expected : command->answer);
}

/* While the state is still that before the call. */
static void prepare_neighbours(struct model *m, const struct command *command)
{
    if (m->stage)
        rdl__stage_enter(m->stage, m->self, command->op, command->args);
}

/* ---- Whole cases ---------------------------------------------------------------------------- */

static void remember_state(struct model *m)
{
    if (m->before)
        memcpy(m->before, m->state, m->spec->state_size);
}

/* It has just been made up. */
static void run_command(struct model *m, struct command *command)
{
    remember_state(m);
    rdl__counts_called(&m->counts, m->t, command->index);
    if (command->op->preconditions[0].holds)
        rdl__counts_tried(&m->counts, rdl__preconditions_met(m->spec, command->op, m->state,
                                                             command->args, NULL, 0));
    prepare_neighbours(m, command);
    if (m->is_predicted) {
        do_on_model(m, command);
        rdl__reached_happened();
    }
    make(m, command);
    if (m->is_predicted)
        compare(m, command);
    else
        judge(m, command);
    m->count++;
    client_returns(m, command);
    check_states(m, command);
    rdl__counts_visited(&m->counts, m->t, m->state);
}

/* One call after the other, each made as soon as it is made up. */
static void run_drawn(struct model *m, uint32_t target)
{
    while (make_up(m, target))
        run_command(m, &m->commands[m->count]);
}

/* The same of a call that is written. */
static void make_written(void *driver, uint32_t client, const struct rdl_operation *op,
                         const void *args)
{
    struct model *m = driver;
    struct command *command = &m->commands[m->count];
    uint32_t index = 0;

    if (m->count == m->max)
        rdl__misuse(m->t, "there are more than %u calls (.calls)", m->max);
    while (rdl__operation(m->spec, index) != op)
        index++;
    begin_command(m, command, client, index);
    if (op->args_size) {
        memcpy(command->args, args, op->args_size);
        op->clear_args(command->args);
    }
    if (!rdl__pre(op, m->state, command->args) || !can_be_made(m, command))
        rdl__misuse(m->t, "%s cannot be called as it is written: %s", op->name,
                    rdl__pre(op, m->state, command->args) ? "it would have to wait"
                                                          : "its pre does not hold");
    tell_policy(m);
    run_command(m, command);
}

static const struct rdl_operation *find_answer(void *context, rdl_ref ref, const void **out_answer)
{
    const struct model *m = context;

    if (ref == 0 || ref > m->made)
        return NULL;
    *out_answer = m->commands[ref - 1].answer;
    return m->commands[ref - 1].op;
}

/* What does not change from case to case could be kept; it is not much. */
static void look_at_operations(struct model *m)
{
    struct rdl__sizes largest = rdl__largest(m->spec);
    bool depends = false;
    unsigned total = 0;

    m->is_predicted = true;
    m->is_free = rdl__policy_of(m->spec) == RDL_ALWAYS;
    for (size_t i = 0; i < m->spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(m->spec, i);

        depends |= op->may || op->weigh;
        total += m->weights[i] = rdl__chance_of(m->t, (uint32_t)i, op->weight ? op->weight : 1);
        m->is_predicted &= !op->judge && !op->post_any && !op->asks_answers;
        m->is_free &= !op->enabled;
    }
    m->total = depends ? 0 : total;
    m->args_room = (largest.args + 15) & ~(size_t)15;
    m->answer_room = (largest.answer + 15) & ~(size_t)15;
}

static void set_up(struct model *m)
{
    const struct rdl_spec *spec = m->spec;
    const struct rdl_options *options = &m->t->test->options;
    const struct rdl_policy *policy = rdl__policy_of(spec);

    look_at_operations(m);
    m->min = options->calls.min;
    m->max = m->min > CALLS_DEFAULT ? m->min : CALLS_DEFAULT;
    if (options->calls.max)
        m->max = options->calls.max;
    m->clients = options->clients ? options->clients : 1;
    m->state = rdl__begin_state(m->t);
    m->mes = rdl_alloc(m->t, m->clients * spec->client_size + 1);
    m->policy_state = rdl_alloc(m->t, policy->state_size + 1);
    m->policy_next = rdl_alloc(m->t, policy->state_size + 1);
    m->policy_info = rdl_alloc(m->t, policy->info_size + 1);
    if (policy->initial)
        policy->initial(m->policy_state);
    m->commands = rdl__arena_alloc(&m->t->arena, (m->max + 1) * sizeof *m->commands);
    m->room =
        rdl__arena_alloc(&m->t->arena, (m->max + 1) * (m->args_room + 2 * m->answer_room) + 1);
    for (uint32_t i = 0; i < m->clients && spec->client; i++)
        spec->client(m->t, (int)i, me_of(m, i));
    if (m->t->trace->on)
        m->before = rdl_alloc(m->t, spec->state_size + 1);
    m->stage = options->reference ? NULL : rdl__stage_of_model(m->t, m->state, &m->self);
    if (options->reference)
        m->reference = rdl_resource_new(spec, m->state);
    else
        m->object = spec->create(m->t, m->state);
    if (!m->is_predicted)
        m->viable = rdl__viable_new(spec, m->state, 0);
    rdl__counts_begin(&m->counts, m->t, m->state);
    rdl__answers = (struct rdl__answers){find_answer, m};
}

static void destroy(void *context)
{
    const struct model *m = context;

    rdl__viable_free(m->viable);
    if (m->reference)
        rdl_resource_free(m->reference);
    else if (m->spec->destroy)
        m->spec->destroy(m->object);
}

void rdl__test_model(struct rdl_case *t)
{
    struct model *m = rdl_alloc(t, sizeof *m);

    m->t = t;
    m->spec = t->test->options.spec;
    t->hidden++;
    set_up(m);
    rdl__defer(t, destroy, m);
    rdl__span_begin(t->tape, RDL__LABEL_LIST);
    if (rdl__written_calls)
        rdl__perform_written(
            t, &(struct rdl__performer){.driver = m, .call = make_written, .clients = m->clients});
    else
        run_drawn(m, rdl__chosen_length(t, m->min, m->max));
    rdl__span_end(t->tape);
    rdl__exercised(&m->reached);
    rdl__counts_tell(&m->counts, t);
    rdl__counts_tell_tried(&m->counts, t);
    t->hidden--;
}
