/* sequence.c -- RDL_TEST_PLAN and RDL_TEST_TABLE: calls are made one at a time, in the order of
 * a script, and what comes of each is compared with what it says, and judged by the spec. */
#include "drive/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/requirements.h"
#include "control/sched/debug.h"
#include "drive/clients.h"
#include "drive/drive.h"
#include "judge/viable.h"

/* ---- Scripts --------------------------------------------------------------------------------- */

void *rdl__keep(struct rdl__arena *memory, const void *bytes, size_t size)
{
    void *copy = rdl__arena_alloc(memory, size + 1);

    if (bytes)
        memcpy(copy, bytes, size);
    return copy;
}

/* A larger array in place of one that is full. */
static void *grown(struct rdl__arena *memory, const void *old, uint32_t count, uint32_t *room,
                   size_t size)
{
    void *larger;

    *room = 2 * count + 4;
    larger = rdl__arena_alloc(memory, *room * size);
    if (count)
        memcpy(larger, old, count * size);
    return larger;
}

struct rdl__sequence *rdl__script_add(struct rdl__script *script, const void *state,
                                      const void *clients)
{
    const struct rdl_spec *spec = script->spec;
    struct rdl__sequence *sequence;

    if (script->count == script->room)
        script->sequences = grown(script->memory, script->sequences, script->count, &script->room,
                                  sizeof *script->sequences);
    sequence = &script->sequences[script->count++];
    *sequence = (struct rdl__sequence){
        .memory = script->memory,
        .state = rdl__keep(script->memory, state, spec->state_size),
        .clients = rdl__keep(script->memory, clients, script->clients * spec->client_size),
    };
    return sequence;
}

struct rdl__planned *rdl__sequence_add(struct rdl__sequence *sequence)
{
    struct rdl__planned *step;

    if (sequence->count == sequence->room)
        sequence->steps = grown(sequence->memory, sequence->steps, sequence->count, &sequence->room,
                                sizeof *sequence->steps);
    step = &sequence->steps[sequence->count++];
    *step = (struct rdl__planned){.time = (int)sequence->count};
    return step;
}

static void name_clients(struct rdl__script *script)
{
    script->names = rdl__arena_alloc(script->memory, script->clients * sizeof *script->names);
    for (uint32_t i = 0; i < script->clients; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "client %u", i);

        script->names[i] = rdl__keep(script->memory, name, (size_t)length + 1);
    }
}

void rdl__script_release(struct rdl__script *script)
{
    if (script->memory)
        rdl__arena_release(script->memory);
    free(script->memory);
}

/* To make it may take long, and it is asked for again and again. */
const struct rdl__script *rdl__script_of(struct rdl_case *t)
{
    static struct rdl__script *all;
    struct rdl__script *script = all;

    while (script && script->test != t->test)
        script = script->next;
    if (script)
        return script;
    script = rdl__allocate(sizeof *script);
    *script = (struct rdl__script){.test = t->test, .spec = t->test->options.spec};
    if (t->test->options.table)
        rdl__read_table(t, script);
    else
        rdl__plan_script(t, script);
    if (!script->names)
        name_clients(script);
    script->next = all;
    return all = script;
}

/* ---- One run --------------------------------------------------------------------------------- */

struct run {
    struct rdl_case *t;
    const struct rdl__script *script;
    const struct rdl__sequence *sequence;
    struct rdl__clients *clients;
    struct rdl__viable *viable;
    struct rdl__counts *counts;
    uint32_t judged;    /* of the clients' log */
    uint32_t drawn;     /* this step, in the picture of the case */
    uint32_t at, until; /* the steps that are being taken: a call, and those it continues */
    struct rdl__given *made[RDL__CLIENTS_MOST]; /* last, by client */
    bool was_open[RDL__CLIENTS_MOST];           /* before this call */
    struct rdl__ids reached;                    /* by what explains all so far */
};

static bool has_returned(const struct run *r, uint32_t client)
{
    return r->made[client] && r->made[client]->returned;
}

/* ---- When it goes otherwise ------------------------------------------------------------------ */

static void add_what_happened(const struct run *r, struct rdl__text *out, uint32_t client)
{
    const struct rdl__given *given = r->made[client];

    if (!has_returned(r, client)) {
        rdl__text_add(out, r->was_open[client] ? "still waits" : "blocks");
        return;
    }
    rdl__text_add(out, "returns");
    if (given->call.operation->answer_size) {
        rdl__text_add(out, " ");
        rdl__show_answer(out, given->call.operation, given->answer);
    }
}

static const char *class_of(const struct run *r, bool is_allowed)
{
    const char *stuck = rdl__clients_stuck(r->clients);
    enum rdl__blame blame;

    if (is_allowed) /* it is the table that is wrong, or knows more than the spec */
        return "";
    blame = rdl__viable_blame(r->viable);
    if (blame == RDL__BLAME_WAITS && stuck)
        return stuck;
    return blame == RDL__BLAME_RETURNED ? "bad-spec-impl" : "bad-sched";
}

/* `story` says at which step what was to happen, and what did. */
_Noreturn static void fail(const struct run *r, struct rdl__text *story, bool is_allowed)
{
    const char *class = class_of(r, is_allowed);
    struct rdl__text text = {0};

    rdl__exercised(&r->reached);
    rdl__text_add(&text, "%s: %s\n%s", r->script->spec->name,
                  is_allowed ? "the spec would allow it" : class, rdl__text_string(story));
    if (!is_allowed && (r->t->trace->on || rdl__debugged)) {
        rdl__viable_explain(r->viable, &text);
        rdl__clients_point_at_suspects(r->clients, r->viable, "the spec does not allow it");
    }
    rdl__trace_state(r->t->trace, r->drawn, "fails", "it does not go as it should");
    rdl__text_release(story);
    rdl__differs(r->t, class,
                 r->script->is_table ? "the calls do not go as the table says"
                                     : "the calls do not go as planned",
                 &text);
}

static void tell_step(const struct run *r, uint32_t i)
{
    struct rdl__text line = {0};

    if (!r->t->trace->on)
        return;
    rdl__text_add(&line, "    ");
    rdl__add_assertion(&line, r->script, r->sequence, i);
    if (line.count > 4)
        rdl__tell(r->t, &line);
    rdl__text_clear(&line);
    if (i < r->sequence->count) {
        rdl__add_step(&line, r->script, &r->sequence->steps[i]);
        rdl__tell(r->t, &line);
    }
    rdl__text_release(&line);
}

static void draw_step(struct run *r)
{
    struct rdl__text line = {0};

    if (!r->t->trace->on)
        return;
    rdl__add_step(&line, r->script, &r->sequence->steps[r->at]);
    r->drawn = rdl__trace_since(r->t->trace, "phase", 0, rdl__text_string(&line));
    rdl__draw_state(r->t, r->drawn, "before", r->script->spec, rdl__viable_state(r->viable));
    rdl__draw_possible(r->t, r->drawn, r->viable);
    rdl__text_release(&line);
}

static void tell_what_happened(const struct run *r, uint32_t client)
{
    struct rdl__text line = {0};

    if (!r->t->trace->on)
        return;
    rdl__text_add(&line, " -- ");
    add_what_happened(r, &line, client);
    rdl__tell_more(r->t, &line);
    rdl__text_release(&line);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

static bool is_as_expected(const struct run *r, const struct rdl__planned *step)
{
    bool returned = has_returned(r, step->client);

    if (step->continued && !(returned && r->was_open[step->client]))
        return false;
    if (step->expected != RDL__WHATEVER && returned != (step->expected == RDL__RETURNS))
        return false;
    return !returned || !step->answer ||
           rdl__same_answer(step->op, step->answer, r->made[step->client]->answer);
}

static void add_difference(const struct run *r, struct rdl__text *out,
                           const struct rdl__planned *step)
{
    rdl__text_add(out, "step ");
    rdl__add_step(out, r->script, step);
    rdl__text_add(out, r->script->is_table ? "\n    the table says: " : "\n    planned:  ");
    rdl__add_expected(out, step);
    rdl__text_add(out, r->script->is_table ? "\n    it happened:    " : "\n    happened: ");
    add_what_happened(r, out, step->client);
    rdl__text_add(out, "\n");
}

/* When is this client's call to be continued, after all?  NULL: nothing is said of it. */
static const struct rdl__planned *to_be_continued(const struct run *r, uint32_t client)
{
    for (uint32_t i = r->until; i < r->sequence->count; i++) {
        const struct rdl__planned *step = &r->sequence->steps[i];

        if (step->client == client)
            return step->continued ? step : NULL;
    }
    return NULL;
}

static bool is_among_the_steps(const struct run *r, uint32_t client)
{
    for (uint32_t i = r->at; i < r->until; i++)
        if (r->sequence->steps[i].client == client)
            return true;
    return false;
}

/* Somebody has been continued of whom the steps at hand say nothing.  Where it is certain what
 * happens, a plan leaves nothing out; a table may, but not tell it to happen later. */
static bool is_too_early(const struct run *r, uint32_t client, struct rdl__text *out)
{
    const struct rdl__planned *later = to_be_continued(r, client);

    if (!r->was_open[client] || !has_returned(r, client) || is_among_the_steps(r, client) ||
        (!later && (r->script->is_table || r->sequence->steps[r->at].expected == RDL__WHATEVER)))
        return false;
    rdl__text_add(out, "step ");
    rdl__add_step(out, r->script, &r->sequence->steps[r->at]);
    rdl__text_add(out, "\n    %s %s, in ", r->script->names[client],
                  later ? "is continued too early" : "is continued, and should not be");
    rdl__show_call(out, r->made[client]->call.operation, r->made[client]->args);
    if (later)
        rdl__text_add(out, ": not before t%d", later->time);
    rdl__text_add(out, "\n");
    return true;
}

static void compare(struct run *r)
{
    enum rdl__judgement judgement;
    struct rdl__text story = {0};

    rdl__clients_take_in(r->clients, r->viable, &r->judged);
    judgement = rdl__viable_quiet(r->viable);
    for (uint32_t i = r->at; i < r->until && !story.count; i++) {
        const struct rdl__planned *step = &r->sequence->steps[i];

        if (i > r->at)
            tell_step(r, i);
        tell_what_happened(r, step->client);
        if (!is_as_expected(r, step))
            add_difference(r, &story, step);
    }
    for (uint32_t client = 0; client < r->script->clients && !story.count; client++)
        is_too_early(r, client, &story);
    if (!story.count && judgement == RDL__UNEXPLAINED) {
        rdl__text_add(&story, "step ");
        rdl__add_step(&story, r->script, &r->sequence->steps[r->at]);
        rdl__text_add(&story, "\n    the spec does not allow what happened\n");
    }
    if (judgement == RDL__EXPLAINED)
        rdl__viable_reached(r->viable, &r->reached);
    if (story.count)
        fail(r, &story, judgement == RDL__EXPLAINED);
    rdl__trace_until(r->t->trace, r->drawn, "");
    rdl__draw_state(r->t, r->drawn, "after", r->script->spec, rdl__viable_state(r->viable));
}

/* ---- Making the calls ------------------------------------------------------------------------ */

static void count_call(struct run *r, const struct rdl__planned *step)
{
    const struct rdl_spec *spec = r->script->spec;
    const struct rdl_call *waiting[RDL__CLIENTS_MOST];
    uint32_t count = rdl__clients_waiting(r->clients, r->clients->calls + 1, waiting);
    size_t op = 0;

    while (rdl__operation(spec, op) != step->op)
        op++;
    r->counts->calls[op]++;
    r->counts->waited[op] += step->expected == RDL__BLOCKS;
    rdl__counts_tried(r->counts,
                      rdl__preconditions_met(spec, step->op, rdl__viable_state(r->viable),
                                             step->args, waiting, count));
}

static void expect_idle(const struct run *r, const struct rdl__planned *step)
{
    struct rdl__text story = {0};

    if (!r->was_open[step->client])
        return;
    rdl__text_add(&story, "step ");
    rdl__add_step(&story, r->script, step);
    rdl__text_add(&story, "\n    it cannot call: it still waits in ");
    rdl__show_call(&story, r->made[step->client]->call.operation, r->made[step->client]->args);
    rdl__text_add(&story, "\n");
    fail(r, &story, true);
}

static void make_call(struct run *r)
{
    const struct rdl__planned *step = &r->sequence->steps[r->at];

    for (uint32_t i = 0; i < r->script->clients; i++)
        r->was_open[i] = r->made[i] && !r->made[i]->returned;
    tell_step(r, r->at);
    draw_step(r);
    expect_idle(r, step);
    count_call(r, step);
    r->t->outcome->phases++;
    r->t->outcome->concurrent = 1;
    r->made[step->client] = rdl__clients_give(r->clients, step->client, step->op, step->args);
    rdl__clients_run(r->clients);
}

static void release_judge(void *viable)
{
    rdl__viable_free(viable);
}

static void run_sequence(struct run *r)
{
    rdl__clients_create(r->clients, r->sequence->state);
    r->viable =
        rdl__viable_new(r->script->spec, r->sequence->state, RDL__WITH_POLICY | RDL__WITH_LIVENESS);
    rdl_defer(r->t, release_judge, r->viable);
    for (r->at = 0; r->at < r->sequence->count; r->at = r->until) {
        r->until = r->at + 1;
        while (r->until < r->sequence->count && r->sequence->steps[r->until].continued)
            r->until++;
        make_call(r);
        compare(r);
    }
    rdl__exercised(&r->reached);
    tell_step(r, r->sequence->count);
}

static bool does_anybody_wait(const struct rdl__clients *clients)
{
    for (uint32_t i = 0; i < clients->count; i++)
        if (clients->clients[i].job)
            return true;
    return false;
}

/* Who waits is forgotten when nothing else is to be run: the code under test may look at them. */
static void run_all(struct rdl_case *t, const struct rdl__script *script,
                    struct rdl__counts *counts)
{
    struct rdl__clients **left = rdl_new_array(t, struct rdl__clients *, script->count + 1);
    uint32_t left_count = 0;

    for (uint32_t i = 0; i < script->count; i++) {
        struct run r = {
            .t = t, .script = script, .sequence = &script->sequences[i], .counts = counts};

        r.clients = rdl__clients_new(t, script->clients, r.sequence->clients);
        run_sequence(&r);
        if (does_anybody_wait(r.clients))
            left[left_count++] = r.clients;
        else
            rdl__clients_finish(r.clients, true);
    }
    rdl__clients_abandon(left, left_count);
}

/* What the planner has found out of those that are never tried. */
static void tell_missing(const struct rdl__script *script, struct rdl_case *t)
{
    for (uint32_t i = 0; i < t->stats->tried_count; i++) {
        t->stats->tried[i].untried = rdl__why_untried(script, i);
        t->stats->tried[i].clients = script->clients;
    }
}

static void tell_extent(const struct rdl__script *script, struct rdl_case *t)
{
    struct rdl__text text = {0};

    rdl__add_extent(&text, script);
    rdl_label(t, "%s", rdl__text_string(&text));
    rdl__text_release(&text);
}

void rdl__test_sequence(struct rdl_case *t)
{
    const struct rdl__script *script = rdl__script_of(t);
    struct rdl__counts *counts = rdl_new(t, struct rdl__counts);

    t->hidden++;
    run_all(t, script, counts);
    rdl__counts_tell(counts, t);
    rdl__counts_tell_tried(counts, t);
    if (t->counted && !script->is_table) {
        tell_missing(script, t);
        tell_extent(script, t);
    }
    t->hidden--;
}
