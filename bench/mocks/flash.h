/* flash.h -- a function that is called a lot, and is mocked by Raddle and others. */
#ifndef BENCH_FLASH_H
#define BENCH_FLASH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int flash_write(int block, const char *data, size_t length);
int flash_short(int block, const char *data, size_t length); /* begins by a short instruction */

/* So many calls of such a function, flash_write(3, text, 4), best of 7 rounds: ns a call.  `begin`
 * is called before each round, and `end` after it; NULL: nobody. */
extern const char flash_text[];
double flash_ns(int (*code)(int block, const char *data, size_t length), long calls,
                void (*begin)(long calls), void (*end)(long calls));

#ifdef __cplusplus
}
#endif

#endif
