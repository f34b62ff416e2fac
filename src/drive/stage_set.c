/* stage_set.c -- a stage is set: who is on it, and which functions lead to it. */
#include <string.h>

#include "base/memory.h"
#include "drive/bound.h"
#include "drive/stage_inner.h"

struct rdl__stage *rdl__the_stage;

/* What a thread is in; of this stage. */
static _Thread_local struct rdl__stack *own_stack;
static _Thread_local const struct rdl__stage *own_stage;
static _Thread_local uint64_t own_number;
static uint64_t stage_number;

/* Those of cases before, with the memory that their frames have got: it takes time to get. */
static struct rdl__stack *spare;

struct rdl__stack *rdl__stack_of(struct rdl__stage *stage)
{
    if (own_stage == stage && own_number == stage_number)
        return own_stack;
    own_stack = spare ? spare : rdl__allocate(sizeof *own_stack);
    spare = own_stack->next;
    own_stack->depth = own_stack->client = 0;
    own_stack->next = stage->stacks;
    stage->stacks = own_stack;
    own_stage = stage;
    own_number = stage_number;
    return own_stack;
}

/* ---- Setting up ----------------------------------------------------------------------------- */

static void release(void *it)
{
    struct rdl__stage *stage = it;

    rdl__the_stage = NULL;
    rdl__waits_release(&stage->waits);
    for (struct rdl__stack *stack = stage->stacks, *next; stack; stack = next) {
        next = stack->next;
        stack->next = spare;
        spare = stack;
    }
}

/* Whoever may be called, on the stage or not. */
static void make_room(struct rdl__stage *stage)
{
    size_t count, largest_state = 0;
    const struct rdl_spec *const *specs = rdl__specs(&count);

    for (size_t i = 0; i < count; i++) {
        struct rdl__sizes largest = rdl__largest(specs[i]);

        stage->room.args = largest.args > stage->room.args ? largest.args : stage->room.args;
        stage->room.answer =
            largest.answer > stage->room.answer ? largest.answer : stage->room.answer;
        largest_state = specs[i]->state_size > largest_state ? specs[i]->state_size : largest_state;
        if (rdl__policy_of(specs[i])->info_size > stage->info_room)
            stage->info_room = rdl__policy_of(specs[i])->info_size;
    }
    stage->state = rdl_alloc(stage->t, largest_state + 1);
}

struct rdl__stage *rdl__stage_new(struct rdl_case *t)
{
    struct rdl__stage *stage = rdl_alloc(t, sizeof *stage);

    stage->t = t;
    make_room(stage);
    rdl__stage_lock_reset();
    stage_number++;
    rdl__the_stage = stage;
    rdl__defer(t, release, stage);
    return stage;
}

static bool says_what(const struct rdl_spec *spec)
{
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->callouts)
            return true;
    return false;
}

struct rdl__component *rdl__stage_add(struct rdl__stage *stage, const struct rdl_spec *spec,
                                      void *state)
{
    struct rdl__component *component;

    if (stage->count == RDL__COMPONENTS_MAX)
        rdl__misuse(stage->t, "at most %d components are possible", RDL__COMPONENTS_MAX);
    component = &stage->components[stage->count++];
    *component =
        (struct rdl__component){.spec = spec, .state = state, .says_what = says_what(spec)};
    return component;
}

struct rdl__component *rdl__component_of(struct rdl__stage *stage, const struct rdl_operation *op)
{
    for (uint32_t i = 0; i < stage->count; i++)
        if (strcmp(stage->components[i].spec->name, op->of) == 0)
            return &stage->components[i];
    return NULL;
}

static void *begin_state(struct rdl_case *t, const struct rdl_spec *spec)
{
    void *state = rdl_alloc(t, spec->state_size + 1);

    if (spec->initial)
        spec->initial(t, state);
    spec->clear_state(state);
    return state;
}

struct rdl__component *rdl__stage_add_named(struct rdl__stage *stage, const char *name)
{
    const struct rdl_spec *spec = rdl__spec_named(name);

    if (!spec)
        rdl__misuse(stage->t, "%s:%d: there is no spec called %s in this program",
                    stage->t->test->file, stage->t->test->line, name);
    return rdl__stage_add(stage, spec, begin_state(stage->t, spec));
}

struct rdl__stage *rdl__stage_of_model(struct rdl_case *t, void *state,
                                       struct rdl__component **out_self)
{
    const struct rdl_options *options = &t->test->options;
    struct rdl__stage *stage;

    if (!says_what(options->spec) && !options->stand_ins && !options->mocked)
        return NULL;
    stage = rdl__stage_new(t);
    *out_self = rdl__stage_add(stage, options->spec, state);
    (*out_self)->is_tested = true;
    for (const char *const *name = options->stand_ins; name && *name; name++)
        rdl__stage_add_named(stage, *name);
    rdl__stage_mock(stage, options->mocked, false);
    return stage;
}

static bool is_named(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool is_mocked(const struct rdl__stage *stage, const struct rdl_spec *spec,
                      const char *const *names, bool spies)
{
    return (!names || is_named(names, spec->name)) &&
           (spies || !rdl__is_real(&stage->t->test->options, spec));
}

/* The operations that are functions which lead here. */
static size_t list_mocked(const struct rdl__stage *stage, const char *const *names, bool spies,
                          const struct rdl_operation **out)
{
    size_t spec_count, count = 0;
    const struct rdl_spec *const *specs = rdl__specs(&spec_count);

    for (size_t i = 0; i < spec_count; i++)
        for (size_t k = 0; k < specs[i]->operation_count; k++) {
            const struct rdl_operation *op = rdl__operation(specs[i], k);

            if (op->mocks && is_mocked(stage, specs[i], names, spies)) {
                if (out)
                    out[count] = op;
                count++;
            }
        }
    return count;
}

void rdl__stage_mock(struct rdl__stage *stage, const char *const *names, bool spies)
{
    size_t count = list_mocked(stage, names, spies, NULL);
    const struct rdl_operation **ops = rdl_alloc(stage->t, (count + 1) * sizeof *ops);
    struct rdl__error error;

    list_mocked(stage, names, spies, ops);
    rdl__bind_ahead(ops, count);
    for (size_t i = 0; i < count; i++) {
        const struct rdl_spec *spec = rdl__spec_named(ops[i]->of);

        if (!rdl__bind_function(stage->t, ops[i], &error))
            rdl__misuse(stage->t, "%s:%d: spec %s: %s", spec->file, spec->line, spec->name,
                        error.text);
    }
}

/* One of these calls that nobody would see if it were made; NULL: there is none. */
static const struct rdl_step *find_unseen(const struct rdl_step *step)
{
    const struct rdl_step *found = NULL;

    if (step->kind == RDL__STEP_CALL && !rdl__is_bound(step->type->operation))
        return step;
    for (const struct rdl_step *const *part = step->parts; part && *part && !found; part++)
        found = find_unseen(*part);
    return found;
}

void rdl__stage_check_seen(struct rdl__stage *stage, const struct rdl__frame *caller)
{
    const struct rdl_step *unseen =
        caller->callouts.step ? find_unseen(caller->callouts.step) : NULL;
    const struct rdl_operation *op = unseen ? unseen->type->operation : NULL;

    if (op && !op->mocks)
        rdl__misuse(stage->t,
                    "%s:%d: %s calls %s.%s, of which no call can be seen: it does not say which "
                    "function it is (.mocks)",
                    unseen->file, unseen->line, caller->op->of, op->of, op->name);
    if (op)
        rdl__misuse(stage->t,
                    "%s:%d: %s calls %s.%s, which is not mocked in this test: name %s in %s",
                    unseen->file, unseen->line, caller->op->of, op->of, op->name, op->of,
                    stage->t->test->options.cluster ? "the cluster, or in .mocked" : ".mocked");
}
