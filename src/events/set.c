/* set.c -- sets of configurations, each of which is in it once. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "events/match.h"

enum { TABLE_LEAST = 64 };

static bool are_equal(const struct rdl__config *a, const struct rdl__config *b, uint32_t words)
{
    if (a->place != b->place)
        return false;
    for (uint32_t i = 0; i < words; i++)
        if (a->words[i] != b->words[i])
            return false;
    return true;
}

static uint64_t hash_of(const struct rdl__config *config, uint32_t words)
{
    return rdl__hash_bytes(config->words, words * sizeof *config->words) ^
           config->place * UINT64_C(0x9e3779b97f4a7c15);
}

/* Where a configuration is in the table, or the free place where it would be. */
static uint32_t *find(const struct rdl__set *set, const struct rdl__config *config, uint32_t words)
{
    uint64_t i = hash_of(config, words);

    while (set->table[i & set->mask] &&
           !are_equal(rdl__set_at(set, set->table[i & set->mask] - 1), config, words))
        i++;
    return &set->table[i & set->mask];
}

/* Few are compared one by one; many, by a table. */
static void make_table(struct rdl__set *set, uint32_t words)
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
        *find(set, rdl__set_at(set, i), words) = i + 1;
    set->has_table = true;
}

struct rdl__config *rdl__set_find(struct rdl__set *set, const struct rdl__config *config,
                                  uint32_t words)
{
    enum { FEW = 8 };
    uint32_t found;

    if (set->count <= FEW) {
        for (uint32_t i = 0; i < set->count; i++)
            if (are_equal(rdl__set_at(set, i), config, words))
                return rdl__set_at(set, i);
        return NULL;
    }
    if (!set->has_table || 2 * set->count > set->mask)
        make_table(set, words);
    found = *find(set, config, words);
    return found ? rdl__set_at(set, found - 1) : NULL;
}

/* The last one has been added. */
void rdl__set_index(struct rdl__set *set, uint32_t words)
{
    if (set->has_table)
        *find(set, rdl__set_at(set, set->count - 1), words) = set->count;
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

static void make_room(struct rdl__set *set)
{
    if (set->count < set->room)
        return;
    set->room = set->room ? 2 * set->room : 16;
    set->configs = rdl__reallocate(set->configs, set->room * set->stride);
}

struct rdl__config *rdl__set_add(struct rdl__set *set, const struct rdl__config *config)
{
    make_room(set);
    memcpy(rdl__set_at(set, set->count), config, set->stride);
    return rdl__set_at(set, set->count++);
}

struct rdl__config *rdl__set_double(struct rdl__set *set)
{
    make_room(set);
    memcpy(rdl__set_at(set, set->count), rdl__set_at(set, set->count - 1), set->stride);
    return rdl__set_at(set, set->count++);
}
