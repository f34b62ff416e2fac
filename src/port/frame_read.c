/* frame_read.c -- the variables that there are at an address, read by libdw. */
#include "port/frame_read.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/frame_recipe.h"
#include "port/structs.h"
#include "port/variables.h"

#define dw rdl__libdw

/* A list that grows, before it is kept. */
struct list {
    struct rdl__variable *items;
    size_t count, room;
};

/* The variables of a unit and of the rest of its module, which frames share. */
struct globals {
    const struct rdl__unit *unit;
    struct rdl__variables variables;
};

struct reading {
    struct rdl__type_reader types;
    struct rdl__recipes recipes;
    struct rdl__object *object;
    struct globals *globals;
    size_t globals_count;
    struct rdl__structs structs;
};

static void add_variable(struct list *list, struct rdl__variable variable)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->items = rdl__reallocate(list->items, list->room * sizeof *list->items);
    }
    list->items[list->count++] = variable;
}

static struct rdl__variables keep(struct list *list, struct rdl__room *room)
{
    struct rdl__variables kept = {0};
    void *to = list->count ? rdl__room_get(room, list->count * sizeof *list->items) : NULL;

    if (to)
        kept = (struct rdl__variables){memcpy(to, list->items, list->count * sizeof *list->items),
                                       list->count};
    free(list->items);
    *list = (struct list){0};
    return kept;
}

/* ---- One variable --------------------------------------------------------------------------- */

static bool is_declared_only(Dwarf_Die *die)
{
    return dw.dwarf_hasattr(die, DW_AT_declaration);
}

/* Some bytes, if nothing else is known of it. */
static const struct rdl__type *some_bytes(struct rdl__room *room, uint32_t size)
{
    struct rdl__type *type = size ? rdl__room_get(room, sizeof *type) : NULL;

    if (type)
        *type = (struct rdl__type){.kind = RDL__TYPE_BYTES, .size = size};
    return type;
}

static void tell_type(struct reading *reading, struct rdl__variable *variable, Dwarf_Die *die)
{
    struct rdl__text name = {0};
    Dwarf_Die type;
    Dwarf_Word size;
    bool is_void = !rdl__die_type(die, &type);

    rdl__type_spell(&name, &type, is_void);
    variable->type_name = rdl__room_keep(&reading->types.room, name.bytes);
    rdl__text_release(&name);
    if (is_void)
        return;
    if (dw.dwarf_aggregate_size(&type, &size) == 0 && size <= UINT32_MAX)
        variable->size = (uint32_t)size;
    variable->type = rdl__type_read(&reading->types, &type);
    if (!variable->type)
        variable->type = some_bytes(&reading->types.room, variable->size);
    else if (!variable->size)
        variable->size = variable->type->size;
}

static void read_variable(struct reading *reading, struct list *list, Dwarf_Die *die,
                          enum rdl__variable_kind kind, Dwarf_Addr at)
{
    const char *name = dw.dwarf_diename(die);
    struct rdl__variable variable = {.kind = kind};
    Dwarf_Attribute value;

    if (!name || is_declared_only(die))
        return;
    variable.name = rdl__room_keep(&reading->types.room, name);
    tell_type(reading, &variable, die);
    variable.where = rdl__recipe_at(&reading->recipes, die, DW_AT_location, at);
    if (!variable.where.count && dw.dwarf_attr_integrate(die, DW_AT_const_value, &value))
        variable.where = rdl__recipe_of_value(&reading->recipes, &value, variable.size);
    add_variable(list, variable);
}

/* ---- Those of a function -------------------------------------------------------------------- */

static bool has_name(const struct list *list, size_t from, const char *name)
{
    for (size_t i = from; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return true;
    return false;
}

static void read_children(struct reading *reading, struct list *list, size_t from, Dwarf_Die *scope,
                          Dwarf_Addr at)
{
    Dwarf_Die child;

    if (dw.dwarf_child(scope, &child) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&child);
        const char *name = dw.dwarf_diename(&child);

        if ((tag == DW_TAG_formal_parameter || tag == DW_TAG_variable) && name &&
            !has_name(list, from, name))
            read_variable(reading, list, &child,
                          tag == DW_TAG_variable ? RDL__LOCAL : RDL__PARAMETER, at);
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

/* Put those behind `from` in the order in which the original has them. */
static void sort_like(struct list *list, size_t from, Dwarf_Die *origin)
{
    Dwarf_Die child;

    if (dw.dwarf_child(origin, &child) != 0)
        return;
    do {
        const char *name = dw.dwarf_diename(&child);

        for (size_t i = from; name && i < list->count; i++)
            if (strcmp(list->items[i].name, name) == 0) {
                struct rdl__variable next = list->items[i];

                memmove(&list->items[from + 1], &list->items[from],
                        (i - from) * sizeof *list->items);
                list->items[from++] = next;
                break;
            }
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

/* What an inlined copy does not mention is optimised out; the original knows its name. */
static void read_scope(struct reading *reading, struct list *list, Dwarf_Die *scope, Dwarf_Addr at)
{
    size_t from = list->count;
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    read_children(reading, list, from, scope, at);
    if (dw.dwarf_attr(scope, DW_AT_abstract_origin, &attribute) &&
        dw.dwarf_formref_die(&attribute, &origin)) {
        read_children(reading, list, from, &origin, at);
        sort_like(list, from, &origin);
    }
}

/* Of an inlined copy, what is around it is not in scope. */
static void read_scopes(struct reading *reading, struct rdl__stack_frame *frame, Dwarf_Die *scopes,
                        int count, Dwarf_Addr at)
{
    struct list list = {0};

    while (count-- > 0) {
        read_scope(reading, &list, &scopes[count], at);
        if (dw.dwarf_tag(&scopes[count]) == DW_TAG_inlined_subroutine)
            break;
    }
    frame->own = keep(&list, &reading->types.room);
}

/* ---- Those of the file, and of others ------------------------------------------------------- */

static bool is_external(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    bool is_set = false;

    return dw.dwarf_attr_integrate(die, DW_AT_external, &attribute) &&
           dw.dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

static void read_globals(struct reading *reading, struct list *list, struct rdl__unit *unit,
                         bool external_only)
{
    Dwarf_Die child;

    if (unit->is_ours || dw.dwarf_child(&unit->die, &child) != 0)
        return;
    do
        if (dw.dwarf_tag(&child) == DW_TAG_variable && (!external_only || is_external(&child)) &&
            (dw.dwarf_hasattr(&child, DW_AT_location) ||
             dw.dwarf_hasattr(&child, DW_AT_const_value)))
            read_variable(reading, list, &child, RDL__GLOBAL, 0);
    while (dw.dwarf_siblingof(&child, &child) == 0);
}

static struct rdl__variables globals_of(struct reading *reading, struct rdl__unit *unit)
{
    struct globals *globals;
    struct list list = {0};

    for (size_t i = 0; i < reading->globals_count; i++)
        if (reading->globals[i].unit == unit)
            return reading->globals[i].variables;
    read_globals(reading, &list, unit, false);
    for (size_t i = 0; i < reading->object->unit_count; i++)
        if (&reading->object->units[i] != unit)
            read_globals(reading, &list, &reading->object->units[i], true);
    reading->globals =
        rdl__reallocate(reading->globals, (reading->globals_count + 1) * sizeof *reading->globals);
    globals = &reading->globals[reading->globals_count++];
    *globals = (struct globals){unit, keep(&list, &reading->types.room)};
    return globals->variables;
}

/* ---- Frames --------------------------------------------------------------------------------- */

struct tls_search {
    uint64_t bias, number;
};

static int look_for_tls(struct dl_phdr_info *info, size_t size, void *context)
{
    struct tls_search *search = context;

    (void)size;
    if (info->dlpi_addr == search->bias)
        search->number = info->dlpi_tls_modid;
    return 0;
}

static void enter_object(struct reading *reading, struct rdl__object *object)
{
    struct tls_search search;

    if (reading->object == object)
        return;
    rdl__object_index(object);
    search = (struct tls_search){object->bias, 0};
    dl_iterate_phdr(look_for_tls, &search);
    reading->object = object;
    reading->recipes.bias = object->bias;
    reading->recipes.tls_module = search.number;
    reading->globals_count = 0;
    reading->structs = (struct rdl__structs){.object = object};
}

static bool begins_at(const Dwarf_Die *function, Dwarf_Addr at, struct rdl__object *object)
{
    Dwarf_Addr first;

    return rdl__copy_first(&(struct rdl__copy){.die = *function}, &first) &&
           at - first <= rdl__landing_length(object, first);
}

/* The innermost function. */
static const Dwarf_Die *last_function(Dwarf_Die *scopes, int count)
{
    while (count > 1 && dw.dwarf_tag(&scopes[count - 1]) == DW_TAG_lexical_block)
        count--;
    return &scopes[count - 1];
}

static void read_frame(struct reading *reading, struct rdl__stack_frame *frame,
                       struct rdl__object *object)
{
    Dwarf_Die scopes[RDL__SCOPES_MAX];
    Dwarf_Addr at;
    int count;

    enter_object(reading, object);
    at = frame->address - object->bias;
    reading->recipes.has_entry_values = false;
    count = rdl__scopes_at(object, at, frame->function, scopes);
    if (count == 0)
        return;
    frame->is_first = begins_at(&scopes[0], at, object);
    reading->recipes.is_entry = begins_at(last_function(scopes, count), at, object);
    read_scopes(reading, frame, scopes, count, at);
    frame->other = globals_of(reading, rdl__function_at(object, at)->unit);
    frame->base = rdl__recipe_at(&reading->recipes, &scopes[0], DW_AT_frame_base, at);
    rdl__recipe_of_frame(&reading->recipes, object, at, &frame->cfa, frame->saved);
    if (reading->recipes.has_entry_values && !frame->is_first)
        rdl__calls_find(frame, &reading->recipes, object, &scopes[0]);
    frame->is_known = true;
}

void rdl__stack_frames_read(struct rdl__stack_frame *frames, size_t count, struct rdl__room *room,
                            struct rdl__objects *objects, Dwfl *dwfl)
{
    struct reading reading = {.types = {.room = *room, .follows_pointers = true}};

    reading.recipes.room = &reading.types.room;
    reading.types.complete = rdl__structs_complete;
    reading.types.it = &reading.structs;
    for (size_t i = 0; i < count; i++) {
        Dwfl_Module *module = dw.dwfl_addrmodule(dwfl, frames[i].address);

        for (size_t k = 0; k < objects->count; k++)
            if (objects->items[k].module == module)
                read_frame(&reading, &frames[i], &objects->items[k]);
    }
    *room = reading.types.room;
}
