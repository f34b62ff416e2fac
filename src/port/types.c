/* types.c -- what a C type is made of, as debugging information has it.
 *
 * What the process made for it finds lies in memory shared with it, at the same address in
 * both, so there may be pointers in it.  It is kept for as long as the process lives. */
#include "port/types.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/dwarf.h"
#include "port/helper.h"
#include "port/types_read.h"
#include "port/variables.h"

enum { ROOM = 4 << 20 }; /* for all that is found at once; none is used before it is needed */

#define dw rdl__libdw

/* What is wanted, and memory for the answers. */
struct search {
    struct rdl__visitor visitor;
    struct rdl__type_wanted *wanted;
    size_t count;
    struct rdl__type_reader reader; /* with memory for the answers */
};

/* ---- Those that are wanted ---------------------------------------------------------------- */

static bool is_called(Dwarf_Die *die, const char *name)
{
    const char *is = dw.dwarf_diename(die);

    return is && strcmp(is, name) == 0;
}

/* What the member of this name of the variable points to. */
static const struct rdl__type *type_by(struct search *search, Dwarf_Die *variable,
                                       const char *member)
{
    Dwarf_Die type, child;

    if (!rdl__die_type(variable, &type))
        return NULL;
    rdl__type_peel(&type);
    if (dw.dwarf_child(&type, &child) != 0)
        return NULL;
    do {
        if (!is_called(&child, member) || !rdl__die_type(&child, &type))
            continue;
        rdl__type_peel(&type);
        return dw.dwarf_tag(&type) == DW_TAG_pointer_type && rdl__die_type(&type, &type)
                   ? rdl__type_read(&search->reader, &type)
                   : NULL;
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return NULL;
}

static bool has_wanted(const struct rdl__visitor *visitor, Dwarf_Addr start)
{
    const struct search *search = (const struct search *)visitor;
    const struct rdl__modules none = {0};

    for (size_t i = 0; i < search->count; i++)
        if (rdl__module_start(&none, (uintptr_t)search->wanted[i].variable) == start)
            return true;
    return false;
}

static void look_at(struct rdl__visitor *visitor, Dwarf_Die *variable, Dwarf_Addr start)
{
    struct search *search = (struct search *)visitor;

    for (size_t i = 0; i < search->count; i++)
        if ((uintptr_t)search->wanted[i].variable == start && !search->wanted[i].type)
            search->wanted[i].type = type_by(search, variable, search->wanted[i].member);
}

static void find(void *it)
{
    struct search *search = it;
    const struct rdl__modules none = {0};
    Dwfl *dwfl = rdl__dwarf_open(&none);

    if (dwfl)
        rdl__variables_visit(&search->visitor, dwfl);
}

void rdl__types_find(struct rdl__type_wanted *wanted, size_t count)
{
    size_t size = count * sizeof *wanted;
    char *shared = count && size < ROOM / 2 ? rdl__map(ROOM, MAP_SHARED) : NULL;
    struct search search = {
        .visitor = {has_wanted, look_at},
        .wanted = (struct rdl__type_wanted *)shared,
        .count = count,
        .reader.room = {shared + ((size + 15) & ~(size_t)15), shared + ROOM},
    };

    if (!shared)
        return;
    memcpy(shared, wanted, size);
    if (rdl__work_apart(find, &search))
        memcpy(wanted, shared, size);
    for (size_t i = 0; i < count; i++)
        if (wanted[i].type)
            return;
    rdl__unmap(shared, ROOM);
}
