/* cluster.c -- RDL_TEST_CLUSTER: calls of several components that belong together.
 *
 * A case is a list of calls that the test makes, each of any component that lets it; all else
 * happens on the stage. */
#include <string.h>

#include "drive/cluster_counts.h"
#include "raddle/cluster.h"

enum { CALLS_DEFAULT = 100, TRIES = 20 };

/* An operation that the test may call. */
struct choice {
    struct rdl__component *component;
    const struct rdl_operation *op;
};

struct cluster {
    struct rdl_case *t;
    struct rdl__stage *stage;
    struct rdl__component *components[RDL__COMPONENTS_MAX];
    uint32_t count;
    struct choice *choices;
    uint32_t choice_count;
    unsigned *weights; /* of each, now */
    void *args;
    uint32_t made;
    struct rdl__cluster_counts counts;
};

/* ---- Setting up ----------------------------------------------------------------------------- */

static void add_components(struct cluster *c)
{
    const struct rdl_options *options = &c->t->test->options;

    for (const char *const *name = options->cluster->specs; *name; name++)
        c->components[c->count++] = rdl__stage_add_named(c->stage, *name);
}

/* When all functions lead to the stage: real things may call each other from the beginning. */
static void create_real_ones(struct cluster *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        struct rdl__component *component = c->components[i];

        if (rdl__is_real(&c->t->test->options, component->spec))
            component->object = component->spec->create(c->t, component->state);
    }
}

static void destroy_real_ones(void *context)
{
    const struct cluster *c = context;

    for (uint32_t i = c->count; i-- > 0;)
        if (c->components[i]->object && c->components[i]->spec->destroy)
            c->components[i]->spec->destroy(c->components[i]->object);
}

/* What the test may call, of whom. */
static void list_choices(struct cluster *c)
{
    size_t most = 0, room = 0;

    for (uint32_t i = 0; i < c->count; i++) {
        struct rdl__sizes largest = rdl__largest(c->components[i]->spec);

        most += c->components[i]->spec->operation_count;
        room = largest.args > room ? largest.args : room;
    }
    c->args = rdl_alloc(c->t, room + 1);
    c->choices = rdl_alloc(c->t, (most + 1) * sizeof *c->choices);
    for (uint32_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->components[i]->spec->operation_count; k++) {
            const struct rdl_operation *op = rdl__operation(c->components[i]->spec, k);

            if (rdl__may_call("test", op))
                c->choices[c->choice_count++] = (struct choice){c->components[i], op};
        }
    c->weights = rdl_new_array(c->t, unsigned, c->choice_count);
    if (c->choice_count == 0)
        rdl__misuse(c->t,
                    "cluster %s has no operation that the test may call: all have .callers, "
                    "and \"test\" is none of them",
                    c->t->test->options.cluster->name);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

static unsigned weight_of(const struct choice *choice)
{
    return rdl__weight(choice->op, choice->component->state, NULL);
}

static bool pick_by_chance(struct cluster *c, uint32_t *out)
{
    uint64_t total = 0, at;

    for (uint32_t i = 0; i < c->choice_count; i++)
        total += c->weights[i] = rdl__chance_of(c->t, i % 64, weight_of(&c->choices[i]));
    if (total == 0)
        return false;
    at = rdl__random_upto(&c->t->tape->random, total - 1);
    for (*out = 0; at >= c->weights[*out]; ++*out)
        at -= c->weights[*out];
    return true;
}

/* What is called, with what; NULL: it cannot be called like that. */
static struct choice *draw(struct cluster *c)
{
    struct rdl__tape *tape = c->t->tape;
    struct choice *choice;
    uint32_t which = 0;

    if (tape->fresh && !pick_by_chance(c, &which))
        return NULL;
    which = (uint32_t)rdl__choose_or(tape, RDL__BRANCH, which, c->choice_count - 1);
    choice = &c->choices[which];
    if (!tape->fresh && weight_of(choice) == 0)
        return NULL;
    if (!rdl__draw_args(c->t, choice->op, choice->component->state, NULL, c->args) ||
        !rdl__cpre(choice->op, choice->component->state, c->args))
        return NULL;
    return choice;
}

/* The next call is drawn and made, with all that follows from it.  False: that was the last. */
static bool make_another(struct cluster *c, uint32_t min, uint32_t max, uint32_t target)
{
    struct rdl__tape *tape = c->t->tape;
    struct rdl__mark before = rdl__mark(tape);
    struct choice *choice;

    for (int i = 0; i < TRIES; i++) {
        if (!rdl__another(tape, c->made, min, max, c->made < target))
            return false;
        choice = draw(c);
        if (choice) {
            c->made++;
            c->t->outcome->phases++;
            rdl__stage_call(c->stage, choice->component, choice->op, c->args);
            rdl__cluster_counts_called(&c->counts, (uint32_t)(choice - c->choices));
            rdl__span_end(tape);
            return true;
        }
        if (!tape->fresh)
            rdl__reject(c->t);
        rdl__go_back(tape, &before);
    }
    rdl__another(tape, c->made, 0, max, false);
    return false;
}

/* For who looks for a shorter way to a state. */
static uint64_t hash_states(const struct cluster *c)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < c->count; i++)
        hash = 31 * hash + rdl__hash_state(c->components[i]->spec, c->components[i]->state);
    return hash;
}

static void tell_counts(const struct cluster *c)
{
    const struct rdl_operation **ops =
        rdl_new_array(c->t, const struct rdl_operation *, c->choice_count);

    for (uint32_t i = 0; i < c->choice_count; i++)
        ops[i] = c->choices[i].op;
    rdl__cluster_counts_tell(&c->counts, ops);
}

void rdl__test_cluster(struct rdl_case *t)
{
    struct cluster *c = rdl_alloc(t, sizeof *c);
    const struct rdl_options *options = &t->test->options;
    uint32_t min = options->calls.min, max = min > CALLS_DEFAULT ? min : CALLS_DEFAULT, target;

    if (options->calls.max)
        max = options->calls.max;
    c->t = t;
    t->hidden++;
    c->stage = rdl__stage_new(t);
    add_components(c);
    list_choices(c);
    if (options->real)
        rdl__stage_mock(c->stage, options->cluster->specs, strcmp(options->real, "all") == 0);
    if (options->real && options->mocked)
        rdl__stage_mock(c->stage, options->mocked, false);
    create_real_ones(c);
    rdl__defer(t, destroy_real_ones, c);
    rdl__cluster_counts_begin(&c->counts, t, c->components, c->count, c->choice_count);
    target = rdl__chosen_length(t, min, max);
    rdl__span_begin(t->tape, RDL__LABEL_LIST);
    while (make_another(c, min, max, target))
        ;
    rdl__span_end(t->tape);
    t->outcome->states = options->real ? 0 : hash_states(c);
    tell_counts(c);
    t->hidden--;
}
