/* random.h -- random numbers: xoshiro256++ (Blackman and Vigna), seeded by
 * splitmix64.  Inline, because a case may draw thousands. */
#ifndef RDL__RANDOM_H
#define RDL__RANDOM_H

#include <stdint.h>

#include "base/hash.h"

struct rdl__random {
    uint64_t s[4];
};

static inline void rdl__random_seed(struct rdl__random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->s[i] = rdl__mix(seed + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint64_t rdl__rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static inline uint64_t rdl__random_next(struct rdl__random *random)
{
    uint64_t *s = random->s;
    uint64_t result = rdl__rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rdl__rotate(s[3], 45);
    return result;
}

/* Spread word, one random word, evenly over 0..max.  The bias is at most
 * (max + 1) / 2^64, which no test will notice. */
static inline uint64_t rdl__spread(uint64_t word, uint64_t max)
{
    if (max == UINT64_MAX)
        return word;
    return (uint64_t)(((unsigned __int128)word * (max + 1)) >> 64);
}

static inline uint64_t rdl__random_upto(struct rdl__random *random, uint64_t max)
{
    return rdl__spread(rdl__random_next(random), max);
}

#endif
