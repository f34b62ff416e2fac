/* types.c -- what a C type is made of, as debugging information has it.
 *
 * What the process made for it finds lies in memory shared with it, at the same address in
 * both, so there may be pointers in it.  That is the book of the run, where others find it, or
 * memory of its own, kept for as long as the process lives. */
#include "port/types.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/book.h"
#include "port/dwarf.h"
#include "port/helper.h"
#include "port/types_read.h"
#include "port/variables.h"

enum { ROOM = 4 << 20 }; /* for all that is found at once; none is used before it is needed */

#define dw rdl__libdw

/* What is wanted, and memory for the answers: all of it is shared. */
struct search {
    struct rdl__visitor visitor;
    struct rdl__type_wanted *wanted;
    size_t count;
    struct rdl__type_reader reader;
    bool has_ended; /* what is not found is not there */
};

/* In the book: what has been found, or is not there. */
struct find {
    const struct find *next;
    struct rdl__type_wanted is;
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
        if (!search->wanted[i].type &&
            rdl__module_start(&none, (uintptr_t)search->wanted[i].variable) == start)
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
    search->has_ended = true;
}

/* NULL: there is no room for it. */
static struct search *search_for(const struct rdl__type_wanted *wanted, size_t count,
                                 struct rdl__room *room)
{
    struct search *search = rdl__room_get(room, sizeof *search);
    struct rdl__type_wanted *items = rdl__room_get(room, count * sizeof *items);

    if (!search || !items)
        return NULL;
    memcpy(items, wanted, count * sizeof *items);
    *search = (struct search){
        .visitor = {has_wanted, look_at}, .wanted = items, .count = count, .reader.room = *room};
    rdl__work_apart(find, search);
    *room = search->reader.room;
    return search;
}

/* ---- In the book -------------------------------------------------------------------------- */

static const struct find *find_of(const struct rdl__type_wanted *wanted)
{
    const struct find *find = *rdl__book_chapter(RDL__BOOK_TYPES);

    while (find &&
           (find->is.variable != wanted->variable || strcmp(find->is.member, wanted->member) != 0))
        find = find->next;
    return find;
}

static bool are_known(struct rdl__type_wanted *wanted, size_t count)
{
    const struct find *find;

    for (size_t i = 0; i < count; i++) {
        if (!(find = find_of(&wanted[i])))
            return false;
        wanted[i].type = find->is.type;
    }
    return true;
}

static void write_down(const struct search *search, struct rdl__room *room)
{
    void **first = rdl__book_chapter(RDL__BOOK_TYPES);

    for (size_t i = 0; i < search->count; i++) {
        struct find *find = rdl__room_get(room, sizeof *find);

        if (!find)
            return;
        *find = (struct find){*first, search->wanted[i]};
        *first = find;
    }
}

/* False: it cannot be had. */
static bool find_by_book(struct rdl__type_wanted *wanted, size_t count)
{
    const struct search *search = NULL;
    struct rdl__room room;
    bool is_known;

    for (size_t i = 0; i < count; i++)
        if (!rdl__book_knows((uintptr_t)wanted[i].variable))
            return false;
    if (!rdl__book_lock(&room))
        return false;
    is_known = are_known(wanted, count);
    if (!is_known && rdl__book_has_room(&room) && (search = search_for(wanted, count, &room)))
        memcpy(wanted, search->wanted, count * sizeof *wanted);
    if (search && search->has_ended)
        write_down(search, &room);
    rdl__book_unlock(&room);
    return is_known || search;
}

void rdl__types_find(struct rdl__type_wanted *wanted, size_t count)
{
    const struct search *search;
    struct rdl__room room;

    if (count == 0 || find_by_book(wanted, count))
        return;
    room.next = rdl__map(ROOM, MAP_SHARED);
    if (!room.next)
        return;
    room.end = room.next + ROOM;
    if ((search = search_for(wanted, count, &room)))
        memcpy(wanted, search->wanted, count * sizeof *wanted);
}
