/* ids.h -- sets of requirements, by number: small enough to be copied about. */
#ifndef RDL__IDS_H
#define RDL__IDS_H

#include <stdbool.h>
#include <stdint.h>

enum { RDL__REQUIREMENTS_MAX = 512, RDL__IDS_WORDS = RDL__REQUIREMENTS_MAX / 64 };

struct rdl__ids {
    uint64_t words[RDL__IDS_WORDS];
};

static inline void rdl__ids_add(struct rdl__ids *set, uint32_t number)
{
    set->words[number / 64] |= UINT64_C(1) << number % 64;
}

static inline bool rdl__ids_have(const struct rdl__ids *set, uint32_t number)
{
    return set->words[number / 64] >> number % 64 & 1;
}

static inline void rdl__ids_join(struct rdl__ids *into, const struct rdl__ids *from)
{
    for (int i = 0; i < RDL__IDS_WORDS; i++)
        into->words[i] |= from->words[i];
}

static inline bool rdl__ids_are_none(const struct rdl__ids *set)
{
    uint64_t any = 0;

    for (int i = 0; i < RDL__IDS_WORDS; i++)
        any |= set->words[i];
    return any == 0;
}

#endif
