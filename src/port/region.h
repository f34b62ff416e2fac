/* region.h -- where functions begin and end, as unwinding information says, and their code. */
#ifndef RDL__REGION_H
#define RDL__REGION_H

#include <stdbool.h>
#include <stdint.h>

/* A function, or the part of one that lies elsewhere (.cold). */
struct rdl__region {
    uintptr_t start, end;
};

static inline bool rdl__region_has(const struct rdl__region *region, uintptr_t address)
{
    return address >= region->start && address < region->end;
}

/* The one that the address lies in.  False: none is known. */
bool rdl__region_find(uintptr_t address, struct rdl__region *out);

/* All of the module that the address lies in, in the order of their addresses. */
void rdl__regions_of(uintptr_t address, void (*each)(const struct rdl__region *region, void *it),
                     void *it);

/* Its bytes as they are without hooks and detours; behind them are RDL__WIDE_MAX zeroes.  To be
 * freed.  NULL: they cannot be read.  Between rdl__sites_begin and rdl__sites_end. */
uint8_t *rdl__region_read(const struct rdl__region *region);

#endif
