/* locate_scopes.c -- what is around an address: functions, inlined copies, blocks.
 *
 * Libdw has functions for it, but they go through all of a unit each time, which takes long where
 * a program is one file; and what they have around the code of an inlined copy is what is around
 * its definition. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/locate_parts.h"
#include "port/variables.h"

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

static const struct rdl__function *function_at(struct rdl__object *object, Dwarf_Addr at)
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

const struct rdl__function *rdl__function_at(struct rdl__object *object, Dwarf_Addr at)
{
    const struct rdl__function *function = function_at(object, at);

    return function ? function : function_at(rdl__object_of_ours(object), at);
}

static bool begins_at(Dwarf_Die *inlined, Dwarf_Addr at)
{
    Dwarf_Addr first;

    return rdl__copy_first(&(struct rdl__copy){.die = *inlined, .is_inlined = true}, &first) &&
           first == at;
}

/* The part of a scope that the address is in; or that begins there, though it has no instruction
 * of its own at that place. */
static bool enter(const Dwarf_Die *scope, Dwarf_Addr at, bool may_begin, Dwarf_Die *out)
{
    Dwarf_Die around = *scope;

    if (dw.dwarf_child(&around, out) != 0)
        return false;
    do {
        int tag = dw.dwarf_tag(out);

        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
            (dw.dwarf_haspc(out, at) > 0 ||
             (may_begin && tag == DW_TAG_inlined_subroutine && begins_at(out, at))))
            return true;
    } while (dw.dwarf_siblingof(out, out) == 0);
    return false;
}

static int enter_all(const struct rdl__function *function, Dwarf_Addr at, bool may_begin,
                     Dwarf_Die out[RDL__SCOPES_MAX])
{
    int count = 1;

    out[0] = function->die;
    while (count < RDL__SCOPES_MAX && enter(&out[count - 1], at, may_begin, &out[count]))
        count++;
    return count;
}

/* How many are left if the innermost function of this name is the last; 0: there is none. */
static int cut(Dwarf_Die *scopes, int count, const char *name)
{
    for (int end = count, i = count - 1; i >= 0; i--) {
        const char *is;

        if (dw.dwarf_tag(&scopes[i]) == DW_TAG_lexical_block)
            continue;
        is = dw.dwarf_diename(&scopes[i]);
        if (is && strcmp(is, name) == 0)
            return end;
        end = i;
    }
    return 0;
}

int rdl__scopes_at(struct rdl__object *object, Dwarf_Addr at, const char *name,
                   Dwarf_Die out[RDL__SCOPES_MAX])
{
    const struct rdl__function *function = rdl__function_at(object, at);
    int count;

    if (!function)
        return 0;
    if (name && *name && (count = cut(out, enter_all(function, at, true, out), name)))
        return count;
    return enter_all(function, at, false, out);
}

/* Did the line call this inlined copy, which begins at the address? */
static bool is_call_of(Dwarf_Die *inlined, Dwarf_Addr at, int line)
{
    Dwarf_Word call_line;

    return dw.dwarf_tag(inlined) == DW_TAG_inlined_subroutine && begins_at(inlined, at) &&
           rdl__die_number(inlined, DW_AT_call_line, &call_line) && call_line == (Dwarf_Word)line;
}

bool rdl__functions_at(struct rdl__object *object, Dwarf_Addr at, int line, Dwarf_Die *out_inner,
                       Dwarf_Die *out_outer)
{
    Dwarf_Die scopes[RDL__SCOPES_MAX];
    int count = rdl__scopes_at(object, at, NULL, scopes);

    if (count == 0)
        return false;
    *out_outer = scopes[0];
    while (count > 1 && (dw.dwarf_tag(&scopes[count - 1]) != DW_TAG_inlined_subroutine ||
                         is_call_of(&scopes[count - 1], at, line)))
        count--;
    *out_inner = scopes[count - 1];
    return true;
}
