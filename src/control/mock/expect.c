/* expect.c -- calls as a language: which are to be made, in which order, and what they return.
 *
 * An event is a call, its data are the values of its arguments.  Which call a step is about is a
 * predicate of its pattern. */
#include <string.h>

#include "control/mock/mock.h"
#include "events/events.h"

const char rdl__call_to_function;

static struct rdl_port calls = {.name = "calls"};
static struct rdl__program *program; /* these two are used again */
static struct rdl__matcher *matcher;
static bool is_expecting;
static const char *said_in; /* where rdl_expect_calls stands */
static int said_at;

/* ---- Steps that are calls -------- */

/* What a step says, once its function is known. */
struct wanted {
    struct rdl__mock_parts parts;
    const struct rdl__mocked *function;
};

static bool fits(const void *it, const void *data)
{
    const struct wanted *wanted = it;

    return rdl__mock_parts_fit(&wanted->parts, data);
}

static void show(struct rdl__text *out, const void *it)
{
    const struct wanted *wanted = it;

    rdl__text_add(out, "(");
    rdl__mock_show_parts(out, &wanted->parts);
    rdl__text_add(out, ")");
}

static const struct rdl__predicate predicate = {.holds = fits, .show = show};

/* The call, and what is kept of it or compared with what was. */
static const struct rdl_pattern *make_pattern(const struct wanted *wanted)
{
    struct rdl__arena *arena = rdl__mock_arena();
    const struct rdl_event_type *type = &wanted->function->type;
    struct rdl_condition *conditions =
        rdl__arena_alloc(arena, (wanted->parts.count + 2) * sizeof *conditions);
    struct rdl_pattern *pattern = rdl__arena_alloc(arena, sizeof *pattern);
    size_t count = 0;

    conditions[count++] = (struct rdl_condition){
        .kind = RDL__COND_HOLDS, .type = type, .value = wanted, .predicate = &predicate};
    for (uint32_t i = 0; i < wanted->parts.count; i++) {
        const struct rdl__mock_part *part = &wanted->parts.items[i];

        if (!part->slot)
            continue;
        conditions[count++] = (struct rdl_condition){
            .kind = part->kind == RDL__PART_KEEPS ? RDL__COND_BIND : RDL__COND_BOUND,
            .type = type,
            .name = part->parameter->name,
            .offset = part->parameter->at,
            .size = part->parameter->size,
            .slot = part->slot};
    }
    conditions[count] = (struct rdl_condition){.kind = RDL__COND_NONE};
    *pattern = (struct rdl_pattern){&calls, RDL_OUT, conditions};
    return pattern;
}

/* What happens, as bytes: the same for the same.  It may stay open which of two steps a call is if
 * both answer it alike. */
static void note_answer(struct rdl_step *step, const struct rdl__mock_parts *parts)
{
    struct rdl__text all = {0};

    for (uint32_t i = 0; i < parts->count; i++) {
        const struct rdl__mock_part *part = &parts->items[i];
        uint64_t what[] = {part->kind, (uintptr_t)part->parameter, (uintptr_t)part->code,
                           (uint64_t)part->number, part->size};

        if (part->kind < RDL__PART_CALLS || part->kind > RDL__PART_OR_FAILS)
            continue;
        rdl__text_add_bytes(&all, what, sizeof what);
        rdl__text_add_bytes(&all, part->value, part->size);
    }
    step->value_size = all.count;
    step->value = memcpy(rdl__arena_alloc(rdl__mock_arena(), all.count + 1), rdl__text_string(&all),
                         all.count);
    rdl__text_release(&all);
}

static bool says_partly(const struct rdl_part *parts)
{
    while (parts->kind != RDL__PART_END && parts->kind != RDL__PART_PARTLY)
        parts++;
    return parts->kind == RDL__PART_PARTLY;
}

static bool prepare_call(struct rdl_case *t, struct rdl_step *step, struct rdl__error *error)
{
    struct wanted *wanted = rdl__arena_alloc(rdl__mock_arena(), sizeof *wanted);
    struct rdl__mocked *function =
        rdl__mocked_get(t, step->name, NULL, says_partly(step->value), error);

    if (!function || !rdl__mock_parts_read(&wanted->parts, rdl__mock_arena(), function, step->value,
                                           true, error))
        return false;
    wanted->function = function;
    step->pattern = make_pattern(wanted);
    step->object = wanted;
    note_answer(step, &wanted->parts);
    function->is_expected = true;
    return true;
}

/* The steps are a copy of ours. */
static bool prepare(struct rdl_case *t, const struct rdl_step *step, struct rdl__error *error)
{
    struct rdl__error why;

    if (step->kind == RDL__STEP_CALL && step->operation == &rdl__call_to_function)
        return prepare_call(t, (struct rdl_step *)step, &why) ||
               rdl__fail(error, "%s:%d: %s", step->file, step->line, why.text);
    if (step->pattern || step->port || step->act || step->holds)
        return rdl__fail(error,
                         "%s:%d: this step is no call: rdl_expect_calls takes rdl_call_to only",
                         step->file, step->line);
    for (const struct rdl_step *const *part = step->parts; part && *part; part++)
        if (!prepare(t, *part, error))
            return false;
    return true;
}

/* ---- From here to there -------- */

static bool compile(const struct rdl_step *step, struct rdl__error *error)
{
    if (program && !rdl__program_reset(program, step, error))
        return false;
    if (!program)
        program = rdl__program_new_unchecked(step, error);
    if (!program)
        return false;
    if (matcher)
        rdl__matcher_reset(matcher, program, 0);
    else
        matcher = rdl__matcher_new(program, 0, 0);
    return true;
}

void rdl__expect_calls(struct rdl_case *t, const struct rdl_step *step, const char *file, int line)
{
    struct rdl__error error;
    const struct rdl_step *copy;

    if (is_expecting)
        rdl__misuse(t, "%s:%d: rdl_calls_done comes before another rdl_expect_calls", file, line);
    if (!step)
        rdl__misuse(t, "%s:%d: rdl_expect_calls of NULL", file, line);
    rdl__mock_begin(t);
    copy = rdl__step_copy(rdl__mock_arena(), step);
    if (!prepare(t, copy, &error) || !compile(copy, &error))
        rdl__misuse(t, "%s", error.text);
    said_in = file;
    said_at = line;
    is_expecting = true;
}

static void stop_expecting(void)
{
    is_expecting = false;
    for (struct rdl__mocked *function = rdl__mocked_first(); function; function = function->next)
        function->is_expected = false;
}

static void add_expected(struct rdl__text *out)
{
    static const char port[] = "out calls ";
    struct rdl__text lines = {0};
    const char *at, *next;

    rdl__matcher_expected(matcher, &lines);
    at = rdl__text_string(&lines);
    while ((next = strstr(at, port))) { /* there is no other one */
        rdl__text_add_bytes(out, at, (size_t)(next - at));
        at = next + strlen(port);
    }
    rdl__text_add(out, "%s", at);
    rdl__text_release(&lines);
}

static void check_complete(const char *file, int line)
{
    struct rdl__text text = {0};

    if (rdl__matcher_is_complete(matcher)) {
        stop_expecting();
        return;
    }
    rdl__text_add(&text, "expected, as %s:%d says:\n", said_in, said_at);
    add_expected(&text);
    stop_expecting();
    rdl__failed_by(RDL__BY_SPEC, file, line, "a call is missing", &text);
}

void rdl__calls_done(struct rdl_case *t, const char *file, int line)
{
    if (!is_expecting)
        rdl__misuse(t, "%s:%d: rdl_calls_done without rdl_expect_calls", file, line);
    check_complete(file, line);
}

void rdl__mock_expect_end(struct rdl_case *t)
{
    if (is_expecting && t->outcome->verdict == RDL__PASSED)
        check_complete(said_in, said_at);
    stop_expecting();
}

/* ---- A call -------- */

static const char *word_for(enum rdl__why_kind why)
{
    switch (why) {
    case RDL__WHY_EARLY:
        return "a call in another order";
    case RDL__WHY_OTHER_DATA:
        return "a call with other arguments";
    case RDL__WHY_AGAIN:
        return "a call too many";
    default:
        return "an unexpected call";
    }
}

static void refuse(const struct rdl__mock_call *call, const struct rdl_event *event,
                   enum rdl__taken taken)
{
    struct rdl__text text = {0};
    struct rdl__why why = {.kind = RDL__WHY_UNKNOWN};

    if (taken == RDL__REFUSED)
        why = rdl__matcher_why(matcher, event);
    rdl__text_add(&text, "expected, as %s:%d says:\n", said_in, said_at);
    add_expected(&text);
    rdl__mock_fail(call,
                   taken == RDL__REFUSED    ? word_for(why.kind)
                   : taken == RDL__CONFUSED ? "a call that two steps answer in different ways"
                                            : "a call that can be understood in too many ways",
                   &text);
}

void rdl__mock_expected(struct rdl__mock_call *call)
{
    struct rdl_event event = {.port = &calls,
                              .direction = RDL_OUT,
                              .type = &call->function->type,
                              .data = call->values,
                              .size = call->function->values_size};
    struct rdl__effect effect = {0};
    enum rdl__taken taken;
    const struct wanted *wanted;

    taken = rdl__matcher_event(matcher, &event, &effect);
    if (taken != RDL__TAKEN)
        refuse(call, &event, taken);
    wanted = effect.step && effect.step->kind == RDL__STEP_CALL ? effect.step->object : NULL;
    if (wanted)
        call->answer = &wanted->parts;
}
