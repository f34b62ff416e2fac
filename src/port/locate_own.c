/* locate_own.c -- where the code of Raddle itself is: in a library of its own, or in the
 * program. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/memory.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

/* Less than that between two ranges is what the linker fills them up with. */
enum { GAP = 64 };

struct ranges {
    struct rdl__code_range *items;
    size_t count, room;
};

static void add(struct ranges *ranges, Dwarf_Addr start, Dwarf_Addr end)
{
    if (start == end)
        return;
    if (ranges->count == ranges->room) {
        ranges->room = ranges->room ? 2 * ranges->room : 64;
        ranges->items = rdl__reallocate(ranges->items, ranges->room * sizeof *ranges->items);
    }
    ranges->items[ranges->count++] = (struct rdl__code_range){start, end};
}

static void add_units(struct ranges *ranges, struct rdl__object *object)
{
    rdl__object_index(object);
    for (size_t i = 0; i < object->unit_count; i++) {
        Dwarf_Addr base, start, end;
        ptrdiff_t next = 0;

        if (!object->units[i].is_ours)
            continue;
        while ((next = dw.dwarf_ranges(&object->units[i].die, next, &base, &start, &end)) > 0)
            if (rdl__object_has_code(object, start))
                add(ranges, start + object->bias, end + object->bias);
    }
}

static void add_module(struct ranges *ranges)
{
    struct dl_find_object own;

    if (_dl_find_object((void *)(uintptr_t)add_module, &own) == 0)
        add(ranges, (uintptr_t)own.dlfo_map_start, (uintptr_t)own.dlfo_map_end);
}

static int by_start(const void *a, const void *b)
{
    const struct rdl__code_range *one = a, *two = b;

    return (one->start > two->start) - (one->start < two->start);
}

static void merge(struct ranges *ranges)
{
    size_t count = 0;

    qsort(ranges->items, ranges->count, sizeof *ranges->items, by_start);
    for (size_t i = 0; i < ranges->count; i++) {
        struct rdl__code_range *last = count ? &ranges->items[count - 1] : NULL;

        if (last && ranges->items[i].start <= last->end + GAP) {
            if (ranges->items[i].end > last->end)
                last->end = ranges->items[i].end;
        } else {
            ranges->items[count++] = ranges->items[i];
        }
    }
    ranges->count = count;
}

const struct rdl__code_range *rdl__own_code(struct rdl__room *room, struct rdl__objects *objects,
                                            size_t *out_count)
{
    struct ranges ranges = {0};
    struct rdl__code_range *kept;
    bool is_library = false;

    for (size_t i = 0; i < objects->count; i++)
        is_library |= objects->items[i].is_ours;
    if (is_library)
        add_module(&ranges);
    for (size_t i = 0; i < objects->count && !is_library; i++)
        if (objects->items[i].is_program)
            add_units(&ranges, &objects->items[i]);
    if (ranges.count)
        merge(&ranges);
    kept = rdl__room_get(room, ranges.count * sizeof *kept);
    for (size_t i = 0; kept && i < ranges.count; i++)
        kept[i] = ranges.items[i];
    *out_count = kept ? ranges.count : 0;
    return kept;
}
