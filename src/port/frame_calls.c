/* frame_calls.c -- what the callers of a function passed to it.
 *
 * A parameter that is not needed any more is not kept.  But debugging information tells what each
 * call passes, in terms of what the caller still has; and where we will return to tells which call
 * it was. */
#include <string.h>

#include "base/memory.h"
#include "port/frame_recipe.h"

#define dw rdl__libdw

struct search {
    struct rdl__recipes *recipes;
    struct rdl__object *object;
    const char *name;
    struct rdl__call *calls;
    size_t count;
};

static bool get_address(Dwarf_Die *die, unsigned name, unsigned old_name, Dwarf_Addr *out)
{
    Dwarf_Attribute attribute;

    return (dw.dwarf_attr(die, name, &attribute) || dw.dwarf_attr(die, old_name, &attribute)) &&
           dw.dwarf_formaddr(&attribute, out) == 0;
}

static bool get_ops(Dwarf_Die *die, unsigned name, unsigned old_name, Dwarf_Attribute *attribute,
                    Dwarf_Op **out, size_t *out_count)
{
    return (dw.dwarf_attr(die, name, attribute) || dw.dwarf_attr(die, old_name, attribute)) &&
           dw.dwarf_getlocation(attribute, out, out_count) == 0;
}

/* Does the call go to the function?  If it does not say, it goes by a pointer. */
static bool is_meant(Dwarf_Die *site, const char *name)
{
    Dwarf_Attribute attribute;
    Dwarf_Die called;
    const char *is = NULL;

    if ((dw.dwarf_attr(site, DW_AT_call_origin, &attribute) ||
         dw.dwarf_attr(site, DW_AT_abstract_origin, &attribute)) &&
        dw.dwarf_formref_die(&attribute, &called))
        is = dw.dwarf_diename(&called);
    else
        return true;
    return is && strcmp(is, name) == 0;
}

static void add_passed(struct search *search, struct rdl__call *call, Dwarf_Die *parameter)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    struct rdl__recipe value;
    uint32_t number;

    if (!get_ops(parameter, DW_AT_location, DW_AT_location, &attribute, &ops, &count) ||
        count != 1 || call->passed_count == sizeof call->passed / sizeof *call->passed)
        return;
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        number = ops[0].atom - DW_OP_reg0;
    else
        return;
    if (!get_ops(parameter, DW_AT_call_value, DW_AT_GNU_call_site_value, &attribute, &ops, &count))
        return;
    value = rdl__recipe_make(search->recipes, &attribute, ops, count);
    if (!value.count)
        return;
    call->passed[call->passed_count].number = number;
    call->passed[call->passed_count++].value = value;
}

static void add_call(struct search *search, Dwarf_Die *function, Dwarf_Die *site)
{
    struct rdl__call call = {0};
    Dwarf_Addr to;
    Dwarf_Die child;

    if (!is_meant(site, search->name) ||
        !get_address(site, DW_AT_call_return_pc, DW_AT_low_pc, &to) ||
        dw.dwarf_child(site, &child) != 0)
        return;
    do
        if (dw.dwarf_tag(&child) == DW_TAG_call_site_parameter ||
            dw.dwarf_tag(&child) == DW_TAG_GNU_call_site_parameter)
            add_passed(search, &call, &child);
    while (dw.dwarf_siblingof(&child, &child) == 0);
    if (!call.passed_count)
        return;
    call.return_to = to + search->object->bias;
    call.base = rdl__recipe_at(search->recipes, function, DW_AT_frame_base, to - 1);
    rdl__recipe_of_frame(search->recipes, search->object, to - 1, &call.cfa, NULL);
    search->calls = rdl__reallocate(search->calls, (search->count + 1) * sizeof call);
    search->calls[search->count++] = call;
}

/* Calls in the code of a function, or part of one. */
static void look_into(struct search *search, Dwarf_Die *function, Dwarf_Die *part)
{
    Dwarf_Die child;

    if (dw.dwarf_child(part, &child) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&child);

        if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
            add_call(search, function, &child);
        else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
            look_into(search, function, &child);
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

void rdl__calls_find(struct rdl__stack_frame *frame, struct rdl__recipes *recipes,
                     struct rdl__object *object, Dwarf_Die *function)
{
    struct search search = {recipes, object, dw.dwarf_diename(function), NULL, 0};
    void *kept;

    for (size_t i = 0; i < object->function_count && search.name; i++)
        if (object->functions[i].has_code)
            look_into(&search, &object->functions[i].die, &object->functions[i].die);
    kept = rdl__room_get(recipes->room, search.count * sizeof *search.calls);
    if (!kept || !search.count)
        return;
    frame->calls = memcpy(kept, search.calls, search.count * sizeof *search.calls);
    frame->call_count = search.count;
}
