/* hash.c -- the checksum of tokens: CRC-32 as in zlib and Ethernet. */
#include "base/hash.h"

uint32_t rdl__crc32(const void *bytes, size_t count)
{
    const unsigned char *s = bytes;
    uint32_t crc = ~UINT32_C(0);

    for (size_t i = 0; i < count; i++) {
        crc ^= s[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}
