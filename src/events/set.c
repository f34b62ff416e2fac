/* set.c -- sets of configurations, each of which is in it once. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "events/match.h"

enum { TABLE_LEAST = 64 };

void rdl__set_reset(struct rdl__set *set, const struct rdl__program *program)
{
    set->stride = sizeof(struct rdl__config) + program->words * sizeof(uint64_t);
    set->words = program->words;
    set->deadlines = program->deadlines;
    rdl__set_clear(set);
}

/* How many of the words two have to share for one of them to be enough. */
static uint32_t shared_words(const struct rdl__set *set)
{
    return set->words - set->deadlines;
}

/* Can one of them do all that the other can?  It is the one with the later deadlines. */
static bool is_one_enough(const struct rdl__set *set, const struct rdl__config *a,
                          const struct rdl__config *b)
{
    bool earlier = false, later = false;

    if (a->place != b->place)
        return false;
    for (uint32_t i = 0; i < shared_words(set); i++)
        if (a->words[i] != b->words[i])
            return false;
    for (uint32_t i = shared_words(set); i < set->words; i++) {
        earlier |= a->words[i] < b->words[i];
        later |= a->words[i] > b->words[i];
    }
    return !(earlier && later);
}

static uint64_t hash_of(const struct rdl__set *set, const struct rdl__config *config)
{
    return rdl__hash_bytes(config->words, shared_words(set) * sizeof *config->words) ^
           config->place * UINT64_C(0x9e3779b97f4a7c15);
}

/* Where a configuration is in the table, or the free place where it would be. */
static uint32_t *find(const struct rdl__set *set, const struct rdl__config *config)
{
    uint64_t i = hash_of(set, config);

    while (set->table[i & set->mask] &&
           !is_one_enough(set, rdl__set_at(set, set->table[i & set->mask] - 1), config))
        i++;
    return &set->table[i & set->mask];
}

/* The same for one that is not in the table.  Since deadlines of others may have become later,
 * another can be enough by now; what is added next finds the first of them. */
static uint32_t *free_place(const struct rdl__set *set, const struct rdl__config *config)
{
    uint64_t i = hash_of(set, config);

    while (set->table[i & set->mask])
        i++;
    return &set->table[i & set->mask];
}

/* Few are compared one by one; many, by a table. */
static void make_table(struct rdl__set *set)
{
    uint32_t size = TABLE_LEAST;

    while (size < 4 * set->count)
        size *= 2;
    if (size - 1 > set->mask || !set->table) {
        free(set->table);
        set->table = rdl__allocate(size * sizeof *set->table);
        set->mask = size - 1;
    } else {
        memset(set->table, 0, ((size_t)set->mask + 1) * sizeof *set->table);
    }
    for (uint32_t i = 0; i < set->count; i++)
        *free_place(set, rdl__set_at(set, i)) = i + 1;
    set->has_table = true;
}

static struct rdl__config *find_equal(struct rdl__set *set, const struct rdl__config *config)
{
    enum { FEW = 8 };
    uint32_t found;

    if (set->count <= FEW) {
        for (uint32_t i = 0; i < set->count; i++)
            if (is_one_enough(set, rdl__set_at(set, i), config))
                return rdl__set_at(set, i);
        return NULL;
    }
    if (!set->has_table || 2 * set->count > set->mask)
        make_table(set);
    found = *find(set, config);
    return found ? rdl__set_at(set, found - 1) : NULL;
}

static void keep_later(const struct rdl__set *set, struct rdl__config *kept,
                       const struct rdl__config *other)
{
    for (uint32_t i = shared_words(set); i < set->words; i++)
        if (kept->words[i] < other->words[i])
            kept->words[i] = other->words[i];
}

/* How far two that are equal have come may differ: the further counts. */
bool rdl__set_merge(struct rdl__set *set, const struct rdl__config *config, uint32_t most)
{
    struct rdl__config *equal = find_equal(set, config);

    if (equal) {
        if (equal->taken < config->taken)
            equal->taken = config->taken;
        keep_later(set, equal, config);
        return true;
    }
    if (set->count >= most)
        return false;
    rdl__set_add(set, config);
    if (set->has_table)
        *free_place(set, config) = set->count;
    return true;
}

void rdl__set_clear(struct rdl__set *set)
{
    set->count = 0;
    set->has_table = false;
}

void rdl__set_release(struct rdl__set *set)
{
    free(set->configs);
    free(set->table);
}

void rdl__set_make_room(struct rdl__set *set, uint32_t count)
{
    if (count * set->stride <= set->size)
        return;
    set->size = 2 * count * set->stride;
    set->configs = rdl__reallocate(set->configs, set->size);
}

struct rdl__config *rdl__set_add(struct rdl__set *set, const struct rdl__config *config)
{
    rdl__set_make_room(set, set->count + 1);
    memcpy(rdl__set_at(set, set->count), config, set->stride);
    return rdl__set_at(set, set->count++);
}

struct rdl__config *rdl__set_double(struct rdl__set *set)
{
    rdl__set_make_room(set, set->count + 1);
    memcpy(rdl__set_at(set, set->count), rdl__set_at(set, set->count - 1), set->stride);
    return rdl__set_at(set, set->count++);
}
