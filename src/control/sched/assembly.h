/* assembly.h -- between the two files that inline assembly calls. */
#ifndef RDL__ASSEMBLY_H
#define RDL__ASSEMBLY_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/tables.h"
#include "port/preserve.h"

/* Is there nothing to be done about this access?  Uses no vector registers. */
bool rdl__access_quickly(uintptr_t address, const struct rdl__table_access *access)
    __attribute__((visibility("hidden")));

/* The thread is about to make it. */
void rdl__access_of_assembly(const struct rdl__kept *kept) __attribute__((visibility("hidden")));

static inline bool rdl__access_writes(const struct rdl__table_access *access)
{
    return access->kind != RDL__ACCESS_READ && access->kind != RDL__ACCESS_LOAD;
}

static inline bool rdl__access_is_atomic(const struct rdl__table_access *access)
{
    return access->kind >= RDL__ACCESS_ATOMIC && access->kind <= RDL__ACCESS_CLEAR_BIT;
}

static inline bool rdl__access_is_volatile(const struct rdl__table_access *access)
{
    return access->kind >= RDL__ACCESS_LOAD && access->kind <= RDL__ACCESS_UPDATE;
}

#endif
