/* locate_scopes.c -- what is around an address: functions, inlined copies, blocks.
 *
 * Libdw has functions for it, but they go through all of a unit each time, which takes long where
 * a program is one file; and what they have around the code of an inlined copy is what is around
 * its definition. */
#include <stdlib.h>

#include "base/memory.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

static int compare(const void *a, const void *b)
{
    const struct rdl__range *one = a, *two = b;

    return (one->start > two->start) - (one->start < two->start);
}

static void add_ranges(struct rdl__object *object, const struct rdl__function *function,
                       size_t *room)
{
    Dwarf_Die die = function->die;
    struct rdl__range range = {.function = function};
    Dwarf_Addr base;
    ptrdiff_t next = 0;

    while ((next = dw.dwarf_ranges(&die, next, &base, &range.start, &range.end)) > 0) {
        if (object->range_count == *room) {
            *room = *room ? 2 * *room : 256;
            object->ranges = rdl__reallocate(object->ranges, *room * sizeof *object->ranges);
        }
        object->ranges[object->range_count++] = range;
    }
}

static void read_ranges(struct rdl__object *object)
{
    size_t room = 0;

    if (object->has_ranges)
        return;
    object->has_ranges = true;
    rdl__object_index(object);
    for (size_t i = 0; i < object->function_count; i++)
        if (object->functions[i].has_code)
            add_ranges(object, &object->functions[i], &room);
    if (object->range_count)
        qsort(object->ranges, object->range_count, sizeof *object->ranges, compare);
}

const struct rdl__function *rdl__function_at(struct rdl__object *object, Dwarf_Addr at)
{
    size_t from = 0, to;

    read_ranges(object);
    to = object->range_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (object->ranges[middle].start <= at)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 && at < object->ranges[from - 1].end ? object->ranges[from - 1].function : NULL;
}

/* The part of a scope that the address is in. */
static bool enter(const Dwarf_Die *scope, Dwarf_Addr at, Dwarf_Die *out)
{
    Dwarf_Die around = *scope;

    if (dw.dwarf_child(&around, out) != 0)
        return false;
    do {
        int tag = dw.dwarf_tag(out);

        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
            dw.dwarf_haspc(out, at) > 0)
            return true;
    } while (dw.dwarf_siblingof(out, out) == 0);
    return false;
}

int rdl__scopes_at(struct rdl__object *object, Dwarf_Addr at, Dwarf_Die out[RDL__SCOPES_MAX])
{
    const struct rdl__function *function = rdl__function_at(object, at);
    int count = 1;

    if (!function)
        return 0;
    out[0] = function->die;
    while (count < RDL__SCOPES_MAX && enter(&out[count - 1], at, &out[count]))
        count++;
    return count;
}

bool rdl__functions_at(struct rdl__object *object, Dwarf_Addr at, Dwarf_Die *out_inner,
                       Dwarf_Die *out_outer)
{
    Dwarf_Die scopes[RDL__SCOPES_MAX];
    int count = rdl__scopes_at(object, at, scopes);

    if (count == 0)
        return false;
    *out_outer = scopes[0];
    while (count > 1 && dw.dwarf_tag(&scopes[count - 1]) != DW_TAG_inlined_subroutine)
        count--;
    *out_inner = scopes[count - 1];
    return true;
}
