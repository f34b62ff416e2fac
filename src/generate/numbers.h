/* numbers.h -- drawing integers, for our other generators. */
#ifndef RDL__NUMBERS_H
#define RDL__NUMBERS_H

#include "case/case.h"

/* Chance's index for an integer: the ends, numbers near the simplest, any. */
uint64_t rdl__edge_index(struct rdl__random *random, uint64_t max, uint64_t below);

static inline int rdl__bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* An index of at most so many bits, every length as likely as any other. */
static inline uint64_t rdl__short_index(struct rdl__random *random, uint64_t max, int bits_max)
{
    uint64_t word = rdl__random_next(random);
    int bits = (int)(((word & 0xff) * (unsigned)(bits_max + 1)) >> 8);
    uint64_t index = bits ? word >> (64 - bits) : 0;

    return index < max ? index : max;
}

static inline uint64_t rdl__biased_index(struct rdl__random *random, uint64_t max, uint64_t below,
                                         uint32_t size)
{
    uint64_t word = rdl__random_next(random), even = rdl__spread(word, max), few, is_short;
    unsigned mode = (unsigned)word & 15, bits;

    if (max <= 64)
        return even;
    if (__builtin_expect(mode == 0, 0))
        return rdl__edge_index(random, max, below);
    /* Both are made, of one word: a branch on chance is guessed wrong too often. */
    bits = ((unsigned)rdl__bit_length(max) * size + 99) / 100;
    bits = ((unsigned)(word >> 4 & 0xff) * (bits + 1)) >> 8;
    few = bits ? word >> (64 - bits) : 0;
    few = few < max ? few : max;
    is_short = -(uint64_t)((mode <= 5) | (size < 100));
    return (few & is_short) | (even & ~is_short);
}

/* An integer choice: returns the value, as simplest plus an offset modulo 2^64. */
static inline uint64_t rdl__draw_integer(struct rdl_case *t, uint64_t simplest, uint64_t max,
                                         uint64_t below)
{
    struct rdl__tape *tape = t->tape;
    uint64_t index = tape->fresh ? rdl__biased_index(&tape->random, max, below, t->settings.size)
                                 : rdl__tape_given(tape, RDL__INTEGER, max, below);
    struct rdl__offset offset = rdl__offset_of(index, max, below);

    rdl__record(tape, RDL__INTEGER, index, max, below);
    return simplest + (offset.negative ? -offset.distance : offset.distance);
}

/* Make true with this probability, by chance. */
static inline bool rdl__happens(struct rdl__random *random, double probability)
{
    return (double)(rdl__random_next(random) >> 11) * 0x1p-53 < probability;
}

/* A yes-or-no choice; when it is not possible, the answer is no. */
static inline bool rdl__draw_boolean(struct rdl_case *t, double probability, bool possible)
{
    struct rdl__tape *tape = t->tape;
    uint64_t max = possible;
    uint64_t index = tape->fresh ? possible && rdl__happens(&tape->random, probability)
                                 : rdl__tape_given(tape, RDL__BOOLEAN, max, 0);

    rdl__record(tape, RDL__BOOLEAN, index, max, 0);
    return index;
}

#endif
