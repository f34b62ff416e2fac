/* stats.c -- what the cases of a run were like. */
#include "observe/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct rdl__label *find_label(struct rdl__stats *stats, const char *name)
{
    struct rdl__label *label;

    for (uint32_t i = 0; i < stats->label_count; i++)
        if (strncmp(stats->labels[i].name, name, RDL__NAME_ROOM - 1) == 0)
            return &stats->labels[i];
    if (stats->label_count == RDL__LABELS_MAX) {
        stats->lost++;
        return NULL;
    }
    label = &stats->labels[stats->label_count++];
    *label = (struct rdl__label){0};
    snprintf(label->name, sizeof label->name, "%s", name);
    return label;
}

static void require(struct rdl__label *label, double required)
{
    if (required > label->required || label->required == 0)
        label->required = required;
}

void rdl__stats_label(struct rdl__stats *stats, const char *name, bool carried, double required)
{
    struct rdl__label *label = find_label(stats, name);

    if (!label)
        return;
    require(label, required);
    if (carried && label->last_case != stats->current) {
        label->last_case = stats->current;
        label->cases++;
    }
}

static struct rdl__measure *find_measure(struct rdl__stats *stats, const char *name)
{
    struct rdl__measure *measure;

    for (uint32_t i = 0; i < stats->measure_count; i++)
        if (strncmp(stats->measures[i].name, name, RDL__NAME_ROOM - 1) == 0)
            return &stats->measures[i];
    if (stats->measure_count == RDL__MEASURES_MAX) {
        stats->lost++;
        return NULL;
    }
    measure = &stats->measures[stats->measure_count++];
    *measure = (struct rdl__measure){.min = INFINITY, .max = -INFINITY};
    snprintf(measure->name, sizeof measure->name, "%s", name);
    return measure;
}

static int bucket_of(double value)
{
    int exponent;

    if (!(value >= 1))
        return 0;
    frexp(value, &exponent);
    return exponent < RDL__BUCKETS ? exponent : RDL__BUCKETS - 1;
}

static void take_value(struct rdl__measure *measure, double value)
{
    measure->min = measure->count ? fmin(measure->min, value) : value;
    measure->max = measure->count ? fmax(measure->max, value) : value;
    measure->count++;
    measure->sum += value;
    measure->buckets[bucket_of(value)]++;
}

void rdl__stats_measure(struct rdl__stats *stats, const char *name, double value)
{
    struct rdl__measure *measure = find_measure(stats, name);

    if (measure && !isnan(value))
        take_value(measure, value);
}

void rdl__stats_length(struct rdl__stats *stats, uint64_t choices)
{
    take_value(&stats->lengths, (double)choices);
}

uint32_t rdl__stats_calls(struct rdl__stats *stats, const char *name, uint64_t calls,
                          uint64_t waited)
{
    uint32_t i = 0;

    while (i < stats->called_count && strncmp(stats->called[i].name, name, RDL__NAME_ROOM - 1) != 0)
        i++;
    if (i == RDL__CALLED_MAX)
        return i;
    if (i == stats->called_count) {
        memset(stats->followed[i], 0, sizeof stats->followed[i]);
        for (uint32_t k = 0; k < i; k++)
            stats->followed[k][i] = 0;
        stats->called[stats->called_count++] = (struct rdl__called){0};
        snprintf(stats->called[i].name, sizeof stats->called[i].name, "%s", name);
    }
    stats->called[i].calls += calls;
    stats->called[i].waited += waited;
    return i;
}

/* They are those of one spec, or cluster, so their numbers are always the same. */
void rdl__stats_visited(struct rdl__stats *stats, uint32_t number, const struct rdl__visited *more)
{
    struct rdl__visited *visited = &stats->visited[number];

    if (number >= stats->visited_count) {
        stats->visited_count = number + 1;
        *visited = *more;
        return;
    }
    visited->cases += more->cases;
    visited->calls += more->calls;
    for (int i = 0; i <= RDL__STATES_MAX; i++)
        visited->from[i] += more->from[i];
}

static bool is_same_case(const struct rdl__tried *a, const struct rdl__tried *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->operation, b->operation) == 0;
}

void rdl__stats_tried(struct rdl__stats *stats, const struct rdl__tried *more)
{
    uint64_t calls = 0;
    uint32_t i = 0;

    while (i < stats->tried_count && !is_same_case(&stats->tried[i], more))
        i++;
    if (i == RDL__TRIED_MAX)
        return;
    if (i == stats->tried_count)
        stats->tried_count++;
    else
        calls = stats->tried[i].calls;
    stats->tried[i] = *more;
    stats->tried[i].calls += calls;
}

void rdl__stats_exercised(struct rdl__stats *stats, const struct rdl__ids *requirements)
{
    for (uint32_t word = 0; word < RDL__IDS_WORDS; word++)
        for (uint64_t left = requirements->words[word]; left; left &= left - 1)
            stats->exercised[64 * word + (uint32_t)__builtin_ctzll(left)]++;
}

void rdl__add_why_untried(struct rdl__text *out, enum rdl__untried why, unsigned clients)
{
    if (why == RDL__IMPOSSIBLE)
        rdl__text_add(out, "there is no state that ");
    else if (why == RDL__LEFT_TO_CHANCE)
        rdl__text_add(out, "by calls of which it is certain what happens, there is no state that ");
    else
        rdl__text_add(out, "no state was found that ");
    rdl__text_add_many(out, clients, "client");
    rdl__text_add(out, " can reach in which it holds");
}

void rdl__stats_clear(struct rdl__stats *stats)
{
    stats->cases = stats->discards = stats->too_long = 0;
    stats->lengths = (struct rdl__measure){0};
    stats->current = stats->deviated = 0;
    stats->advice[0] = '\0';
    stats->label_count = stats->measure_count = stats->called_count = stats->lost = 0;
    stats->tried_count = stats->visited_count = 0;
    memset(stats->exercised, 0, sizeof stats->exercised);
}

static void merge_calls(struct rdl__stats *into, const struct rdl__stats *from)
{
    uint32_t count = from->called_count < RDL__CALLED_MAX ? from->called_count : RDL__CALLED_MAX;
    uint32_t at[RDL__CALLED_MAX];

    for (uint32_t i = 0; i < count; i++)
        at[i] = rdl__stats_calls(into, from->called[i].name, from->called[i].calls,
                                 from->called[i].waited);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (at[i] < RDL__CALLED_MAX && at[k] < RDL__CALLED_MAX)
                into->followed[at[i]][at[k]] += from->followed[i][k];
}

static void merge_measure(struct rdl__measure *into, const struct rdl__measure *from)
{
    if (from->count == 0)
        return;
    into->min = into->count ? fmin(into->min, from->min) : from->min;
    into->max = into->count ? fmax(into->max, from->max) : from->max;
    into->count += from->count;
    into->sum += from->sum;
    for (int i = 0; i < RDL__BUCKETS; i++)
        into->buckets[i] += from->buckets[i];
}

void rdl__stats_merge(struct rdl__stats *into, const struct rdl__stats *from)
{
    into->cases += from->cases;
    into->discards += from->discards;
    into->too_long += from->too_long;
    into->deviated += from->deviated;
    into->lost += from->lost;
    if (!into->advice[0])
        memcpy(into->advice, from->advice, sizeof into->advice);
    for (uint32_t i = 0; i < from->label_count && i < RDL__LABELS_MAX; i++) {
        struct rdl__label *label = find_label(into, from->labels[i].name);

        if (label) {
            label->cases += from->labels[i].cases;
            require(label, from->labels[i].required);
        }
    }
    for (uint32_t i = 0; i < from->measure_count && i < RDL__MEASURES_MAX; i++) {
        struct rdl__measure *measure = find_measure(into, from->measures[i].name);

        if (measure)
            merge_measure(measure, &from->measures[i]);
    }
    merge_measure(&into->lengths, &from->lengths);
    merge_calls(into, from);
    for (uint32_t i = 0; i < from->visited_count && i < RDL__STATES_MAX; i++)
        rdl__stats_visited(into, i, &from->visited[i]);
    for (uint32_t i = 0; i < from->tried_count && i < RDL__TRIED_MAX; i++)
        rdl__stats_tried(into, &from->tried[i]);
    for (uint32_t i = 0; i < RDL__REQUIREMENTS_MAX; i++)
        into->exercised[i] += from->exercised[i];
}

enum rdl__coverage rdl__stats_coverage(const struct rdl__label *label, uint64_t cases)
{
    double n = (double)cases, z = 3.29;
    double share = cases ? (double)label->cases / n : 0;
    double middle = share + z * z / (2 * n);
    double reach = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    double upper = (middle + reach) / (1 + z * z / n);

    if (label->required <= 0 || share * 100 >= label->required)
        return RDL__COVERED;
    if (label->cases == 0 || upper * 100 < label->required)
        return RDL__NOT_COVERED;
    return RDL__BARELY_COVERED;
}
