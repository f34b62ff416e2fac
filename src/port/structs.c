/* structs.c -- structs that a file sees no more of than their names: where they are defined. */
#include "port/structs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define dw rdl__libdw

struct rdl__struct_named {
    const char *name;
    Dwarf_Die die;
};

static bool is_struct(Dwarf_Die *die)
{
    int tag = dw.dwarf_tag(die);

    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct rdl__struct_named *)a)->name,
                  ((const struct rdl__struct_named *)b)->name);
}

static void add_structs(struct rdl__structs *structs, struct rdl__unit *unit)
{
    Dwarf_Die child;
    const char *name;

    if (dw.dwarf_child(&unit->die, &child) != 0)
        return;
    do {
        if (!is_struct(&child) || dw.dwarf_hasattr(&child, DW_AT_declaration) ||
            !(name = dw.dwarf_diename(&child)))
            continue;
        if (structs->count == structs->room) {
            structs->room = structs->room ? 2 * structs->room : 256;
            structs->items =
                rdl__reallocate(structs->items, structs->room * sizeof *structs->items);
        }
        structs->items[structs->count++] = (struct rdl__struct_named){name, child};
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

static void list_structs(struct rdl__structs *structs)
{
    if (structs->is_listed)
        return;
    structs->is_listed = true;
    for (size_t i = 0; i < structs->object->unit_count; i++)
        if (!structs->object->units[i].is_ours)
            add_structs(structs, &structs->object->units[i]);
    if (structs->count)
        qsort(structs->items, structs->count, sizeof *structs->items, compare);
}

bool rdl__structs_complete(void *it, Dwarf_Die *type)
{
    struct rdl__structs *structs = it;
    struct rdl__struct_named key = {.name = dw.dwarf_diename(type)}, *found = NULL;

    list_structs(structs);
    if (key.name && structs->count)
        found = bsearch(&key, structs->items, structs->count, sizeof key, compare);
    if (found)
        *type = found->die;
    return found;
}
