/* locate_copies.c -- all code that was made of one function: its own, variants, inlined copies. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

/* ---- Which there are ---------------------------------------------------------------------- */

static bool get_address(Dwarf_Die *die, unsigned name, Dwarf_Addr *out)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_attr(die, name, &attribute) && dw.dwarf_formaddr(&attribute, out) == 0;
}

/* The first instruction.  Where it is said as a number, that is how far from the beginning. */
static bool get_first(Dwarf_Die *die, Dwarf_Addr *out)
{
    Dwarf_Addr base, end;
    Dwarf_Attribute attribute;
    Dwarf_Word distance;

    if (get_address(die, DW_AT_entry_pc, out))
        return true;
    if (!get_address(die, DW_AT_low_pc, out) && dw.dwarf_ranges(die, 0, &base, out, &end) <= 0)
        return false;
    if (dw.dwarf_attr(die, DW_AT_entry_pc, &attribute) &&
        dw.dwarf_formudata(&attribute, &distance) == 0)
        *out += distance;
    return true;
}

static void add_copy(struct rdl__copies *copies, struct rdl__unit *unit, const Dwarf_Die *die,
                     bool is_inlined)
{
    if (copies->count == copies->room) {
        copies->room = copies->room ? 2 * copies->room : 16;
        copies->items = rdl__reallocate(copies->items, copies->room * sizeof *copies->items);
    }
    copies->items[copies->count++] = (struct rdl__copy){*die, unit, is_inlined};
}

static bool has_code(Dwarf_Die *die)
{
    return dw.dwarf_hasattr(die, DW_AT_low_pc) || dw.dwarf_hasattr(die, DW_AT_ranges);
}

/* What it is a copy of in the end: units that were compiled together copy copies. */
static const void *origin_of(const Dwarf_Die *copy)
{
    Dwarf_Die die = *copy;
    Dwarf_Attribute attribute;

    while (dw.dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
           dw.dwarf_formref_die(&attribute, &die))
        continue;
    return die.addr;
}

static void note_inlined(struct rdl__unit *unit, Dwarf_Die *die)
{
    struct rdl__inlined_list *list = &unit->inlined;

    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->items = rdl__reallocate(list->items, list->room * sizeof *list->items);
    }
    list->items[list->count++] = (struct rdl__inlined){origin_of(die), *die};
}

/* All inlined copies in a unit, or part of one: whichever function they are of, so that this is
 * looked for once. */
static void list_inlined(struct rdl__unit *unit, Dwarf_Die *part)
{
    Dwarf_Die child;

    if (dw.dwarf_child(part, &child) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&child);

        if (tag == DW_TAG_inlined_subroutine && has_code(&child))
            note_inlined(unit, &child);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
            (tag == DW_TAG_subprogram && has_code(&child)))
            list_inlined(unit, &child);
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

static void add_inlined(struct rdl__copies *copies, struct rdl__unit *unit,
                        const Dwarf_Die *function)
{
    const void *origin = origin_of(function);

    if (!unit->has_inlined)
        list_inlined(unit, &unit->die);
    unit->has_inlined = true;
    for (size_t i = 0; i < unit->inlined.count; i++)
        if (unit->inlined.items[i].origin == origin)
            add_copy(copies, unit, &unit->inlined.items[i].die, true);
}

/* A function that was compiled together with other units may have been inlined into these, and
 * has no copy in its own then. */
void rdl__copies_find(struct rdl__copies *out, struct rdl__object *object,
                      const struct rdl__function *function)
{
    size_t before = out->count;
    Dwarf_Die die = function->die;
    Dwarf_Addr first;

    if (function->has_code && (!get_first(&die, &first) || !rdl__object_has_code(object, first)))
        return;
    if (function->has_code)
        add_copy(out, function->unit, &function->die, false);
    else if (has_code(&function->unit->die))
        add_inlined(out, function->unit, &function->die);
    for (size_t i = 0; i < object->unit_count && out->count == before; i++)
        add_inlined(out, &object->units[i], &function->die);
}

bool rdl__copy_has(const struct rdl__copy *copy, Dwarf_Addr at)
{
    Dwarf_Die die = copy->die;

    return dw.dwarf_haspc(&die, at) > 0;
}

/* ---- Where it begins ---------------------------------------------------------------------- */

/* gcc tells how it was called. */
static bool is_optimised(const char *producer)
{
    const char *option = NULL;

    for (const char *at = producer; (at = strstr(at, " -O")); at += 3)
        option = at + 3;
    return option && *option != '0';
}

static bool begins_with(Dwarf_Die *die, unsigned name, unsigned from, unsigned to)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    return dw.dwarf_attr(die, name, &attribute) &&
           dw.dwarf_getlocation(&attribute, &ops, &count) == 0 && count > 0 &&
           ops[0].atom >= from && ops[0].atom <= to;
}

/* Is some parameter said to be in one place on the stack from beginning to end, which it cannot
 * be before it was put there? */
static bool has_stored_parameters(Dwarf_Die *function)
{
    Dwarf_Die child;

    if (dw.dwarf_child(function, &child) != 0)
        return false;
    do
        if (dw.dwarf_tag(&child) == DW_TAG_formal_parameter &&
            (begins_with(&child, DW_AT_location, DW_OP_fbreg, DW_OP_fbreg) ||
             begins_with(&child, DW_AT_location, DW_OP_breg0, DW_OP_breg31)))
            return true;
    while (dw.dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Optimised code says of each variable where it is from the first instruction on, so there the
 * first is best: the next line may be one that is not always reached.  Other code puts parameters
 * in their places first. */
static bool needs_prologue(const struct rdl__copy *copy)
{
    Dwarf_Die unit = copy->unit->die, die = copy->die;
    Dwarf_Attribute attribute;
    const char *producer =
        dw.dwarf_formstring(dw.dwarf_attr_integrate(&unit, DW_AT_producer, &attribute));

    if (producer && strncmp(producer, "GNU AS ", 7) == 0)
        return false; /* nobody knows what an assembler's author does first */
    if (producer && strncmp(producer, "GNU ", 4) == 0)
        return !is_optimised(producer);
    return begins_with(&die, DW_AT_frame_base, DW_OP_reg6, DW_OP_reg6) ||
           has_stored_parameters(&die);
}

/* clang marks where the prologue ends; gcc lets a line begin there. */
static Dwarf_Addr skip_prologue(const struct rdl__copy *copy, Dwarf_Addr first)
{
    size_t count = rdl__unit_rows(copy->unit);
    Dwarf_Addr second = 0;
    struct rdl__row row;

    for (size_t i = rdl__unit_row_from(copy->unit, first); i < count; i++) {
        row = copy->unit->rows[i];
        if (row.ends)
            continue;
        if (!rdl__copy_has(copy, row.at))
            break;
        if (row.prologue_ends)
            return row.at;
        if (!second && row.at > first && row.line)
            second = row.at;
    }
    return second ? second : first;
}

bool rdl__copy_first(const struct rdl__copy *copy, Dwarf_Addr *out)
{
    Dwarf_Die die = copy->die;

    return get_first(&die, out);
}

bool rdl__copy_entry(const struct rdl__copy *copy, struct rdl__object *object, Dwarf_Addr *out)
{
    if (!rdl__copy_first(copy, out))
        return false;
    if (copy->is_inlined)
        return true;
    if (needs_prologue(copy))
        *out = skip_prologue(copy, *out);
    *out += rdl__landing_length(object, *out);
    return true;
}
