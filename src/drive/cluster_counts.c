/* cluster_counts.c -- what the test calls of a cluster, and which interesting states its components
 * come to, for statistics. */
#include "drive/cluster_counts.h"

#include <stdio.h>

/* ---- Interesting states --------------------------------------------------------------------- */

static void add_states(struct rdl__cluster_counts *counts, const struct rdl__component *component)
{
    for (uint32_t i = 0; i < RDL_INTERESTING_MAX && component->spec->interesting[i].is; i++)
        if (counts->state_count < RDL__STATES_MAX) {
            counts->states[counts->state_count].component = component;
            counts->states[counts->state_count++].number = i;
        }
}

static uint32_t look(const struct rdl__cluster_counts *counts)
{
    uint32_t set = 0;

    for (uint32_t i = 0; i < counts->state_count; i++) {
        const struct rdl__component *component = counts->states[i].component;

        if (component->spec->interesting[counts->states[i].number].is(component->state))
            set |= UINT32_C(1) << i;
    }
    return set;
}

static bool is_in(uint32_t set, uint32_t state)
{
    return set >> state & 1;
}

static void visit(struct rdl__cluster_counts *counts)
{
    uint32_t before = counts->now, count = counts->state_count;

    counts->now = look(counts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *from = &counts->from[(size_t)i * (count + 1)];

        if (!is_in(counts->now, i))
            continue;
        counts->visited[i]++;
        for (uint32_t k = 0; !is_in(before, i) && k < count; k++)
            from[k] += is_in(before, k);
        from[count] += before == 0;
    }
}

static void tell_states(const struct rdl__cluster_counts *counts)
{
    uint32_t count = counts->state_count;

    for (uint32_t i = 0; i < count; i++) {
        const struct rdl_spec *spec = counts->states[i].component->spec;
        const uint32_t *from = &counts->from[(size_t)i * (count + 1)];
        struct rdl__visited visited = {.cases = counts->visited[i] > 0,
                                       .calls = counts->visited[i]};

        snprintf(visited.name, sizeof visited.name, "%s: %s", spec->name,
                 spec->interesting[counts->states[i].number].name);
        for (uint32_t k = 0; k < count; k++)
            visited.from[k] = from[k];
        visited.from[RDL__STATES_MAX] = from[count];
        rdl__stats_visited(counts->t->stats, i, &visited);
    }
}

/* ---- Calls ---------------------------------------------------------------------------------- */

void rdl__cluster_counts_begin(struct rdl__cluster_counts *counts, struct rdl_case *t,
                               struct rdl__component *const *components, uint32_t component_count,
                               uint32_t choice_count)
{
    *counts = (struct rdl__cluster_counts){.t = t, .choice_count = choice_count};
    if (!t->counted)
        return;
    for (uint32_t i = 0; i < component_count; i++)
        add_states(counts, components[i]);
    counts->calls = rdl_new_array(t, uint64_t, choice_count);
    counts->followed = rdl_new_array(t, uint32_t, (size_t)choice_count * choice_count);
    counts->visited = rdl_new_array(t, uint32_t, counts->state_count + 1);
    counts->from =
        rdl_new_array(t, uint32_t, (size_t)counts->state_count * (counts->state_count + 1) + 1);
    counts->now = look(counts);
}

void rdl__cluster_counts_called(struct rdl__cluster_counts *counts, uint32_t choice)
{
    if (!counts->t->counted)
        return;
    counts->calls[choice]++;
    if (counts->last)
        counts->followed[(size_t)(counts->last - 1) * counts->choice_count + choice]++;
    counts->last = choice + 1;
    visit(counts);
}

void rdl__cluster_counts_tell(const struct rdl__cluster_counts *counts,
                              const struct rdl_operation *const *ops)
{
    struct rdl__stats *stats = counts->t->stats;
    uint32_t count = counts->choice_count;
    uint32_t *at;

    if (!counts->t->counted)
        return;
    at = rdl_new_array(counts->t, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct rdl__text name = {0};

        rdl__text_add(&name, "%s.%s", ops[i]->of, ops[i]->name);
        at[i] = rdl__stats_calls(stats, rdl__text_string(&name), counts->calls[i], 0);
        rdl__text_release(&name);
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (at[i] < RDL__CALLED_MAX && at[k] < RDL__CALLED_MAX)
                stats->followed[at[i]][at[k]] += counts->followed[(size_t)i * count + k];
    tell_states(counts);
}
