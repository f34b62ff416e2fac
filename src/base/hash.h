/* hash.h -- mixing bits: a 64-bit finaliser, hashes of texts, a checksum. */
#ifndef RDL__HASH_H
#define RDL__HASH_H

#include <stddef.h>
#include <stdint.h>

/* A bijection of 64 bits in which every input bit moves every output bit
 * (the finaliser of splitmix64). */
static inline uint64_t rdl__mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline uint64_t rdl__combine(uint64_t hash, uint64_t value)
{
    return rdl__mix(hash ^ (value + UINT64_C(0x9e3779b97f4a7c15)));
}

static inline uint64_t rdl__hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t rdl__hash_bytes(const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t hash = count, word;

    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        __builtin_memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    word = 0;
    __builtin_memcpy(&word, at, count);
    return rdl__mix(hash ^ word);
}

uint32_t rdl__crc32(const void *bytes, size_t count);

#endif
