/* spec.c -- what a spec says, asked in one way by all who use it. */
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "case/requirements.h"

static const struct rdl_spec **specs;
static size_t spec_count;

/* Operations that have requirements. */
static struct required {
    const struct rdl_operation *op;
    struct rdl__ids set;
} * required;
static size_t required_count;

static void note_requirements(const struct rdl_operation *op)
{
    required = rdl__reallocate(required, (required_count + 1) * sizeof *required);
    required[required_count++] = (struct required){op, rdl__requirements_named(op->requirements)};
}

void rdl__call_made(const struct rdl_operation *op)
{
    for (size_t i = 0; op->requirements && i < required_count; i++)
        if (required[i].op == op)
            rdl__exercised(&required[i].set);
}

void rdl__register_spec(const struct rdl_spec *spec)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->requirements)
            note_requirements(rdl__operation(spec, i));
    specs = rdl__reallocate(specs, (spec_count + 1) * sizeof(struct rdl_spec *));
    specs[spec_count++] = spec;
}

const struct rdl_spec *const *rdl__specs(size_t *out_count)
{
    *out_count = spec_count;
    return specs;
}

const struct rdl_spec *rdl__spec_named(const char *name)
{
    for (size_t i = 0; i < spec_count; i++)
        if (strcmp(specs[i]->name, name) == 0)
            return specs[i];
    return NULL;
}

const struct rdl_operation *rdl__operation_named(const struct rdl_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (strcmp(rdl__operation(spec, i)->name, name) == 0)
            return rdl__operation(spec, i);
    return NULL;
}

struct rdl__sizes rdl__largest(const struct rdl_spec *spec)
{
    struct rdl__sizes largest = {0};

    for (size_t i = 0; i < spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(spec, i);

        largest.args = op->args_size > largest.args ? op->args_size : largest.args;
        largest.answer = op->answer_size > largest.answer ? op->answer_size : largest.answer;
    }
    return largest;
}

/* ---- Is it well declared? ------------------------------------------------------------ */

static bool check_effect(const struct rdl_operation *op, struct rdl__error *error)
{
    int effects = !!op->post + !!op->judge + !!op->post_any;

    if (effects > 1)
        return rdl__fail(error, "operation %s has more than one of post, judge and post_any",
                         op->name);
    if (effects == 0 && op->answer_size > 0)
        return rdl__fail(error,
                         "operation %s returns something, but has none of post, judge and "
                         "post_any to say what",
                         op->name);
    if (op->alternatives > 0 && !op->post_any)
        return rdl__fail(error, "operation %s has .alternatives, but no post_any to choose by them",
                         op->name);
    if (op->post_any && op->alternatives == 0)
        return rdl__fail(error, "operation %s has post_any, but no .alternatives to choose from",
                         op->name);
    return true;
}

static bool check_operation(const struct rdl_spec *spec, const struct rdl_operation *op, bool alone,
                            struct rdl__error *error)
{
    if (!op->call && !alone)
        return rdl__fail(error, "operation %s has no .call: what is to be done?", op->name);
    if (!check_effect(op, error))
        return false;
    if (op->args_size > RDL__STATE_MAX || op->answer_size > RDL__STATE_MAX)
        return rdl__fail(error, "arguments or answer of operation %s are larger than 1 MiB",
                         op->name);
    if (op->weight > RDL__NUMBER_MAX)
        return rdl__fail(error, "operation %s has a weight of %u: is it negative?", op->name,
                         op->weight);
    if (spec->policy == RDL_PRIORITY && op->group && !op->priority)
        return rdl__fail(error,
                         "operation %s has a .group but no .priority, which the policy goes by",
                         op->name);
    return rdl__preconditions_check(op, error);
}

static bool check_policy(const struct rdl_spec *spec, struct rdl__error *error)
{
    const struct rdl_policy *policy = rdl__policy_of(spec);
    bool keyed = false;

    for (size_t i = 0; i < spec->operation_count; i++)
        keyed |= rdl__operation(spec, i)->priority != NULL;
    if (policy == RDL_PRIORITY && !keyed)
        return rdl__fail(error, "its policy is RDL_PRIORITY, but no operation has a .priority");
    if (policy->first &&
        (!rdl__operation_named(spec, policy->first) || !rdl__operation_named(spec, policy->second)))
        return rdl__fail(error, "its policy, %s, names operations that it does not have",
                         policy->name);
    return true;
}

/* Whoever has no key has to do with all of them, and then nothing can be judged apart. */
static bool check_keys(const struct rdl_spec *spec, struct rdl__error *error)
{
    size_t with = 0;

    for (size_t i = 0; i < spec->operation_count; i++)
        with += rdl__operation(spec, i)->key != NULL;
    if (with > 0 && with < spec->operation_count)
        return rdl__fail(error, "some of its operations have a .key and some have not: keys are "
                                "for all or none");
    return true;
}

static bool is_second_of_its_name(const struct rdl_spec *spec, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(rdl__operation(spec, k)->name, rdl__operation(spec, i)->name) == 0)
            return true;
    return false;
}

static bool check_all(const struct rdl_spec *spec, bool alone, struct rdl__error *error)
{
    if (!spec->create && !alone)
        return rdl__fail(error, "it has no .create: what is to be tested?");
    if (spec->state_size > RDL__STATE_MAX)
        return rdl__fail(error,
                         "its state has %zu bytes, which is too large to be copied again and "
                         "again (1 MiB): smaller containers may do",
                         spec->state_size);
    if (!spec->same != !spec->hash)
        return rdl__fail(error, "it has %s, but no %s: equal states must have equal hashes",
                         spec->same ? ".same" : ".hash", spec->same ? ".hash" : ".same");
    for (size_t i = 0; i < spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(spec, i);

        if (is_second_of_its_name(spec, i))
            return rdl__fail(error, "it has two operations called %s", op->name);
        if (!check_operation(spec, op, alone, error))
            return false;
    }
    if (rdl__precondition_count(spec) > RDL__PRECONDITIONS_MOST)
        return rdl__fail(error, "its operations have %u preconditions together: at most %d",
                         rdl__precondition_count(spec), RDL__PRECONDITIONS_MOST);
    return check_policy(spec, error) && check_keys(spec, error);
}

bool rdl__spec_check(const struct rdl_spec *spec, bool alone, struct rdl__error *error)
{
    struct rdl__error why = {0};

    if (check_all(spec, alone, &why))
        return true;
    return rdl__fail(error, "%s:%d: spec %s: %s", spec->file, spec->line, spec->name, why.text);
}

/* ---- States --------------------------------------------------------------------------- */

bool rdl__same_state(const struct rdl_spec *spec, const void *a, const void *b)
{
    return spec->same ? spec->same(a, b) : memcmp(a, b, spec->state_size) == 0;
}

uint64_t rdl__hash_state(const struct rdl_spec *spec, const void *s)
{
    return spec->hash ? spec->hash(s) : rdl__hash_bytes(s, spec->state_size);
}

/* ---- What a call may and does ----------------------------------------------------------- */

static _Thread_local rdl_ref this_call; /* specs that run are called by any thread */
bool rdl__this_asked;

rdl_ref rdl_this(void)
{
    rdl__this_asked = true;
    return this_call;
}

bool rdl__post(const struct rdl_spec *spec, const struct rdl_call *call, void *s, unsigned which,
               void *out_answer)
{
    const struct rdl_operation *op = call->operation;
    bool possible = true;

    this_call = call->number;
    if (op->answer_size)
        memset(out_answer, 0, op->answer_size);
    rdl__reached_begin();
    if (op->post)
        op->post(s, call->args, out_answer);
    else if (op->post_any)
        possible = op->post_any(s, call->args, which, out_answer);
    rdl__reached_end();
    if (op->answer_size)
        op->clear_answer(out_answer);
    spec->clear_state(s);
    return possible;
}

bool rdl__same_answer(const struct rdl_operation *op, const void *model, const void *real)
{
    if (op->answer_size == 0)
        return true;
    if (op->same)
        return op->same(model, real);
    return memcmp(model, real, op->answer_size) == 0 || rdl__answers_look_the_same(op, model, real);
}

bool rdl__explains(const struct rdl_spec *spec, const struct rdl_call *call, void *s,
                   unsigned which, const void *answer, void *scratch)
{
    const struct rdl_operation *op = call->operation;
    bool possible;

    if (!op->judge)
        return rdl__post(spec, call, s, which, scratch) &&
               (!answer || rdl__same_answer(op, scratch, answer));
    this_call = call->number;
    rdl__reached_begin();
    possible = op->judge(s, call->args, answer);
    rdl__reached_end();
    spec->clear_state(s);
    return possible;
}
