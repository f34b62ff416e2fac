/* code.h -- to change the code of the running process, while threads execute it.
 *
 * It is written through /proc/self/mem, so that it never becomes writable for anybody
 * else; where that is forbidden, it becomes so for a moment.  None of this calls the C
 * library: what is being changed may be the C library. */
#ifndef RDL__CODE_H
#define RDL__CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Around reading and writing, in one thread at a time. */
void rdl__code_open(void);
void rdl__code_close(void);

/* How many bytes there are to be read, of those asked for. */
size_t rdl__code_read(uintptr_t at, void *out, size_t count);
bool rdl__code_write(uintptr_t at, const void *bytes, size_t count);

/* When this returns, all CPUs have noticed what was written before, and no thread goes on
 * executing what was there. */
bool rdl__code_sync(struct rdl__error *error);

/* The mapped memory with code in it that this address lies in; false: none. */
bool rdl__code_find(uintptr_t at, uintptr_t *out_start, uintptr_t *out_end);

/* Memory that holds code and is not writable, as near to this address as one can
 * jump to if possible; filled with zeroes, there for ever.  0: there is none. */
uintptr_t rdl__code_get_memory(uintptr_t near, size_t size);

/* For tests: as if /proc/self/mem could not be written to; as if there were no room near to
 * any code. */
extern bool rdl__code_without_proc, rdl__code_only_far;

#endif
