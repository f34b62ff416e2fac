/* drive.c -- what drivers of specs share: who calls what next, and how it is told. */
#include "drive/drive.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "judge/viable.h"

void rdl__counts_tried(struct rdl__counts *counts, uint64_t met)
{
    for (; met; met &= met - 1)
        counts->tried[__builtin_ctzll(met)]++;
}

void rdl__counts_called(struct rdl__counts *counts, struct rdl_case *t, uint32_t op)
{
    size_t operations = t->test->options.spec->operation_count;

    counts->calls[op]++;
    if (!t->counted)
        return;
    if (!counts->followed)
        counts->followed = rdl_new_array(t, uint32_t, operations * operations);
    if (counts->last)
        counts->followed[(counts->last - 1) * operations + op]++;
    counts->last = op + 1;
}

/* ---- Interesting states -------------------------------------------------------------------- */

static uint32_t interesting_in(const struct rdl_spec *spec, const void *state)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < RDL_INTERESTING_MAX && spec->interesting[i].is; i++)
        if (spec->interesting[i].is(state))
            set |= 1u << i;
    return set;
}

void rdl__counts_begin(struct rdl__counts *counts, const struct rdl_case *t, const void *state)
{
    counts->looks_at_states = true;
    if (t->counted)
        counts->now = interesting_in(t->test->options.spec, state);
}

void rdl__counts_visited(struct rdl__counts *counts, const struct rdl_case *t, const void *state)
{
    uint32_t before = counts->now ? counts->now : 1u << RDL_INTERESTING_MAX, now;

    counts->looks_at_states = true;
    if (!t->counted || !t->test->options.spec->interesting[0].is)
        return;
    now = interesting_in(t->test->options.spec, state);
    for (uint32_t i = 0; i < RDL_INTERESTING_MAX; i++) {
        if (!(now >> i & 1))
            continue;
        counts->visited[i]++;
        for (uint32_t k = 0; !(counts->now >> i & 1) && k <= RDL_INTERESTING_MAX; k++)
            counts->from[i][k] += before >> k & 1;
    }
    counts->now = now;
}

static void tell_visited(const struct rdl__counts *counts, const struct rdl_case *t)
{
    const struct rdl_spec *spec = t->test->options.spec;

    for (uint32_t i = 0; i < RDL_INTERESTING_MAX && spec->interesting[i].is; i++) {
        struct rdl__visited visited = {.cases = counts->visited[i] > 0,
                                       .calls = counts->visited[i]};

        snprintf(visited.name, sizeof visited.name, "%s", spec->interesting[i].name);
        for (uint32_t k = 0; k < RDL_INTERESTING_MAX; k++)
            visited.from[k] = counts->from[i][k];
        visited.from[RDL__STATES_MAX] = counts->from[i][RDL_INTERESTING_MAX];
        rdl__stats_visited(t->stats, i, &visited);
    }
}

/* ---- What is counted is told --------------------------------------------------------------- */

void rdl__counts_tell_tried(const struct rdl__counts *counts, struct rdl_case *t)
{
    const struct rdl_spec *spec = t->test->options.spec;

    for (uint32_t i = 0; t->counted && i < rdl__precondition_count(spec); i++) {
        struct rdl__precondition it = rdl__precondition(spec, i);
        struct rdl__tried tried = {.calls = counts->tried[i]};

        snprintf(tried.operation, sizeof tried.operation, "%s", it.operation->name);
        snprintf(tried.name, sizeof tried.name, "%s", it.name);
        snprintf(tried.text, sizeof tried.text, "%s", it.text);
        rdl__stats_tried(t->stats, &tried);
    }
}

void rdl__counts_tell(const struct rdl__counts *counts, struct rdl_case *t)
{
    const struct rdl_spec *spec = t->test->options.spec;

    uint32_t at[RDL__OPERATIONS_MAX];
    size_t operations = spec->operation_count;

    if (!t->counted)
        return;
    for (size_t i = 0; i < operations; i++)
        at[i] = rdl__stats_calls(t->stats, rdl__operation(spec, i)->name, counts->calls[i],
                                 counts->waited[i]);
    for (size_t i = 0; counts->followed && i < operations * operations; i++)
        if (at[i / operations] < RDL__CALLED_MAX && at[i % operations] < RDL__CALLED_MAX)
            t->stats->followed[at[i / operations]][at[i % operations]] += counts->followed[i];
    if (counts->looks_at_states)
        tell_visited(counts, t);
}

bool rdl__draw_args(struct rdl_case *t, const struct rdl_operation *op, const void *s,
                    const void *me, void *out)
{
    if (op->args_size)
        memset(out, 0, op->args_size);
    if (op->args)
        op->args(t, s, out);
    if (op->client_args)
        op->client_args(t, me, out);
    if (op->args_size)
        op->clear_args(out);
    return rdl__pre(op, s, out);
}

uint32_t rdl__chosen_length(struct rdl_case *t, uint32_t min, uint32_t max)
{
    uint64_t spread = ((uint64_t)(max - min) * t->settings.size + 99) / 100;

    return t->tape->fresh ? min + (uint32_t)rdl__random_upto(&t->tape->random, spread) : UINT32_MAX;
}

enum { TRIES = 20 }; /* to draw something that can be */

uint32_t rdl__draw_several(struct rdl_case *t, uint32_t min, uint32_t max,
                           bool (*draw)(void *context), void *context)
{
    struct rdl__tape *tape = t->tape;
    uint32_t wanted = rdl__chosen_length(t, min, max), count = 0;
    int tries = TRIES;

    rdl__span_begin(tape, RDL__LABEL_LIST);
    while (tries > 0 || count >= min) {
        struct rdl__mark before = rdl__mark(tape);

        if (!rdl__another(tape, count, min, max, count < wanted && tries > 0))
            break;
        if (draw(context)) {
            rdl__span_end(tape);
            count++;
        } else if (tape->fresh) {
            rdl__go_back(tape, &before);
            tries--;
        } else {
            rdl__reject(t);
        }
    }
    rdl__span_end(tape);
    return count;
}

_Noreturn void rdl__reject(struct rdl_case *t)
{
    rdl_discard(t);
}

static void tell(struct rdl_case *t, enum rdl__event_kind kind, const struct rdl__text *line)
{
    if (t->trace->on)
        rdl__trace_add(t->trace, &(struct rdl__event){.kind = kind,
                                                      .file = "",
                                                      .what = "",
                                                      .text = rdl__text_string(line),
                                                      .text_length = line->count});
}

void rdl__tell(struct rdl_case *t, const struct rdl__text *line)
{
    tell(t, RDL__EVENT_CALL, line);
}

void rdl__tell_more(struct rdl_case *t, const struct rdl__text *line)
{
    tell(t, RDL__EVENT_MORE, line);
}

enum { STATE_SHOWN = 4000 };

void rdl__draw_state(struct rdl_case *t, uint32_t drawn, const char *which,
                     const struct rdl_spec *spec, const void *state)
{
    struct rdl__text text = {0};

    if (!drawn || !state || spec->state_size == 0)
        return;
    rdl__show_state(&text, spec, state);
    if (text.count > STATE_SHOWN + 3) /* one picture may have thousands of them */
        strcpy(text.bytes + STATE_SHOWN, "...");
    rdl__trace_state(t->trace, drawn, which, text.bytes);
    rdl__text_release(&text);
}

enum { POSSIBLE_SHOWN = 20, POSSIBLE_LOOKED_AT = 200 };

struct possible {
    struct rdl_case *t;
    uint32_t drawn, looked_at, count;
    uint64_t shown[POSSIBLE_SHOWN]; /* hashes of their texts */
};

/* Each state once. */
static bool draw_one(void *it, const void *state)
{
    struct possible *p = it;
    struct rdl__text text = {0};
    uint64_t hash;
    bool is_new = true;

    rdl__show_state(&text, p->t->test->options.spec, state);
    hash = rdl__hash_text(rdl__text_string(&text));
    for (uint32_t i = 0; i < p->count; i++)
        is_new &= p->shown[i] != hash;
    if (is_new) {
        p->shown[p->count++] = hash;
        rdl__trace_state(p->t->trace, p->drawn, "possible", text.bytes);
    }
    rdl__text_release(&text);
    return p->count < POSSIBLE_SHOWN && ++p->looked_at < POSSIBLE_LOOKED_AT;
}

void rdl__draw_possible(struct rdl_case *t, uint32_t drawn, struct rdl__viable *viable)
{
    struct possible possible = {.t = t, .drawn = drawn};

    if (!drawn || t->test->options.spec->state_size == 0)
        return;
    if (!rdl__viable_each(viable, draw_one, &possible))
        rdl__trace_state(t->trace, drawn, "possible", "and perhaps others");
}

void *rdl__begin_state(struct rdl_case *t)
{
    const struct rdl_spec *spec = t->test->options.spec;
    void *state = rdl_alloc(t, spec->state_size + 1);
    struct rdl__text line = {0};

    if (spec->initial)
        spec->initial(t, state);
    spec->clear_state(state);
    if (t->trace->on && spec->initial) {
        rdl__text_add(&line, "at the beginning: ");
        rdl__show_state(&line, spec, state);
        rdl__tell(t, &line);
        rdl__text_release(&line);
    }
    return state;
}

_Noreturn void rdl__differs(struct rdl_case *t, const char *class, const char *check,
                            const struct rdl__text *text)
{
    rdl__differs_in(t, NULL, class, check, text);
}

_Noreturn void rdl__differs_in(struct rdl_case *t, const struct rdl_operation *op,
                               const char *class, const char *check, const struct rdl__text *text)
{
    struct rdl__outcome *outcome = t->outcome;
    const struct rdl_spec *spec = t->test->options.spec;
    const char *whose = spec ? spec->name : t->test->name;

    outcome->verdict = RDL__FAILED;
    outcome->cause = RDL__BY_SPEC;
    outcome->claimed = 1;
    outcome->number = 0;
    outcome->line = t->test->line;
    outcome->pc = 0;
    snprintf(outcome->file, sizeof outcome->file, "%s", t->test->file);
    snprintf(outcome->class, sizeof outcome->class, "%s", class);
    snprintf(outcome->check, sizeof outcome->check, "%s", check);
    snprintf(outcome->text, sizeof outcome->text, "%s", rdl__text_string(text));
    outcome->kin = rdl__combine(rdl__hash_text(whose), rdl__hash_text(check));
    outcome->origin = rdl__combine(outcome->kin, op ? rdl__hash_text(op->name) : 0);
    rdl__case_leave(t);
}

struct rdl__answers rdl__answers;

const void *rdl__result(rdl_ref ref, size_t size, const char *file, int line)
{
    const void *answer = NULL;
    const struct rdl_operation *op =
        rdl__answers.find ? rdl__answers.find(rdl__answers.context, ref, &answer) : NULL;

    if (!op)
        rdl__misuse(rdl__current, "%s:%d: rdl_result: there is no call #%u", file, line, ref);
    if (!answer)
        rdl__misuse(rdl__current,
                    "%s:%d: rdl_result: call #%u has not returned yet, so there is no answer", file,
                    line, ref);
    if (op->answer_size != size)
        rdl__misuse(rdl__current,
                    "%s:%d: rdl_result: call #%u, of %s, answers something of %zu bytes, not %zu",
                    file, line, ref, op->name, op->answer_size, size);
    return answer;
}
