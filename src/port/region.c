/* region.c -- where functions begin and end, as unwinding information says, and their code. */
#include "port/region.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/code.h"
#include "port/site.h"

/* The table that linkers make, in the only form that they do: version 1; the address is relative
 * to here, the count absolute, entries relative to the table, each of 4 bytes. */
struct table {
    uint8_t form[4];
    int32_t frames;
    uint32_t count;
    struct row {
        int32_t start, frame;
    } rows[];
};

/* How one begins: its start is relative to where that is said, in all code that is not of a
 * special kind. */
struct frame {
    uint32_t length, kind;
    int32_t start;
    uint32_t size;
};

static const struct table *find_table(uintptr_t address)
{
    static const uint8_t form[] = {1, 0x1b, 0x03, 0x3b};
    struct dl_find_object found;
    const struct table *table;

    if (_dl_find_object((void *)address, &found) != 0 || !found.dlfo_eh_frame)
        return NULL;
    table = found.dlfo_eh_frame;
    return memcmp(table->form, form, sizeof form) == 0 ? table : NULL;
}

static const struct row *find_row(const struct table *table, uintptr_t pc)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if ((uintptr_t)table + (uintptr_t)table->rows[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &table->rows[low - 1] : NULL;
}

static bool region_of(const struct table *table, const struct row *row, struct rdl__region *out)
{
    const struct frame *frame = (const struct frame *)((uintptr_t)table + (uintptr_t)row->frame);

    out->start = (uintptr_t)table + (uintptr_t)row->start;
    out->end = out->start + frame->size;
    return out->start == (uintptr_t)&frame->start + (uintptr_t)frame->start;
}

bool rdl__region_find(uintptr_t address, struct rdl__region *out)
{
    const struct table *table = find_table(address);
    const struct row *row = table ? find_row(table, address) : NULL;

    return row && region_of(table, row, out) && address < out->end;
}

void rdl__regions_of(uintptr_t address, void (*each)(const struct rdl__region *region, void *it),
                     void *it)
{
    const struct table *table = find_table(address);
    struct rdl__region region;

    for (uint32_t i = 0; table && i < table->count; i++)
        if (region_of(table, &table->rows[i], &region))
            each(&region, it);
}

uint8_t *rdl__region_read(const struct rdl__region *region)
{
    size_t size = region->end - region->start;
    uint8_t *bytes = rdl__allocate(size + RDL__WIDE_MAX);

    if (rdl__code_read(region->start, bytes, size) != size) {
        free(bytes);
        return NULL;
    }
    for (const struct rdl__site *site = rdl__site_first(); site; site = site->next)
        if (site->is_armed && rdl__region_has(region, site->address))
            memcpy(bytes + (site->address - region->start), site->original,
                   site->is_wide ? site->wide_length : site->length);
    return bytes;
}
