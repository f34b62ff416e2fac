/* locate_answer.c -- what is known of each address that was found, and errors. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "port/dwarf.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

/* ---- The line ----------------------------------------------------------------------------- */

static const char *after_folder(const char *path, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;

    return length > 1 && strncmp(path, folder, length) == 0 && path[length] == '/'
               ? path + length + 1
               : path;
}

/* Relative to where the compiler ran, or else to where we are. */
static const char *shorten(struct rdl__unit *unit, const char *path)
{
    Dwarf_Attribute attribute;
    char folder[4096];
    const char *shown = after_folder(
        path, dw.dwarf_formstring(dw.dwarf_attr_integrate(&unit->die, DW_AT_comp_dir, &attribute)));

    return *shown == '/' && getcwd(folder, sizeof folder) ? after_folder(shown, folder) : shown;
}

/* The row that an address belongs to: of several that begin there, the last that begins a
 * statement. */
static bool find_row(struct rdl__unit *unit, Dwarf_Addr at, struct rdl__row *out)
{
    size_t next = rdl__unit_row_from(unit, at + 1);
    struct rdl__row row;

    if (next == 0)
        return false;
    *out = unit->rows[next - 1];
    for (size_t i = next; i-- > 0;) {
        row = unit->rows[i];
        if (row.at != out->at || row.ends)
            break;
        if (row.begins && row.line) {
            *out = row;
            break;
        }
    }
    return !out->ends;
}

static void tell_line(struct rdl__spot *spot, struct rdl__room *room, struct rdl__object *object,
                      struct rdl__unit *unit, const struct rdl__row *row)
{
    char *path = rdl__unit_path(unit, row->path);

    spot->line = row->line;
    spot->path = rdl__room_keep(room, path);
    spot->file = rdl__room_keep(room, shorten(unit, path));
    spot->is_stale = rdl__source_is_stale(path, object->path);
}

/* ---- The function ------------------------------------------------------------------------- */

/* Its name is that of the function, and what the compiler has added to it. */
static void tell_symbol(struct rdl__spot *spot, struct rdl__room *room, const char *symbol)
{
    size_t length = strcspn(symbol, "@"); /* a version follows, with dots in it */
    const char *dot = memchr(symbol, '.', length);

    if (dot && dot > symbol)
        spot->clone = rdl__room_print(room, "%.*s", (int)(length - (size_t)(dot - symbol)), dot);
    spot->function = rdl__room_print(
        room, "%.*s", (int)(dot && dot > symbol ? (size_t)(dot - symbol) : length), symbol);
}

static void tell_function(struct rdl__spot *spot, struct rdl__room *room,
                          const struct rdl__found *found)
{
    const char *symbol =
        dw.dwfl_module_addrname(found->object->module, found->at + found->object->bias);
    const char *name, *outer_name;
    Dwarf_Die inner, outer;

    spot->function = spot->around = spot->clone = "";
    if (symbol)
        tell_symbol(spot, room, symbol);
    if (found->unit && rdl__functions_at(found->object, found->at, spot->line, &inner, &outer)) {
        outer_name = dw.dwarf_diename(&outer);
        name = found->function ? found->function : dw.dwarf_diename(&inner);
        spot->function = rdl__room_keep(room, name);
        if (inner.addr != outer.addr || (name && outer_name && strcmp(name, outer_name) != 0))
            spot->around = rdl__room_keep(room, outer_name);
    } else if (found->function) {
        spot->function = rdl__room_keep(room, found->function);
    }
}

/* ---- Answers ------------------------------------------------------------------------------ */

static bool is_known(const struct rdl__answer *answer, uintptr_t address)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->spots[i].address == address)
            return true;
    return false;
}

void rdl__answer_add(struct rdl__answer *answer, const struct rdl__found *found)
{
    struct rdl__object *object = found->object;
    struct rdl__spot spot = {.address = found->at + object->bias,
                             .file = "",
                             .path = "",
                             .refusal = "",
                             .module = rdl__room_keep(answer->room, object->name),
                             .is_tail_call = found->is_tail_call,
                             .is_inlined = found->is_inlined};
    struct rdl__row row;

    if (is_known(answer, spot.address))
        return;
    if (found->row)
        tell_line(&spot, answer->room, object, found->unit, found->row);
    else if (found->unit && find_row(found->unit, found->at, &row))
        tell_line(&spot, answer->room, object, found->unit, &row);
    tell_function(&spot, answer->room, found);
    if (answer->with_code)
        rdl__listing_add(&spot, answer->room, object, found->at);
    if (answer->count == answer->room_count) {
        answer->room_count = answer->room_count ? 2 * answer->room_count : 16;
        answer->spots = rdl__reallocate(answer->spots, answer->room_count * sizeof *answer->spots);
    }
    answer->spots[answer->count++] = spot;
}

bool rdl__answer_fail(struct rdl__answer *answer, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    answer->location->error = rdl__room_keep(answer->room, text.bytes);
    rdl__text_release(&text);
    return false;
}

void rdl__answer_note(struct rdl__answer *answer, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    if (answer->location->note[0])
        rdl__text_add(&text, "%s; ", answer->location->note);
    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    answer->location->note = rdl__room_keep(answer->room, text.bytes);
    rdl__text_release(&text);
}

static int compare(const void *a, const void *b)
{
    const struct rdl__spot *one = a, *two = b;

    return (one->address > two->address) - (one->address < two->address);
}

void rdl__answer_end(struct rdl__answer *answer)
{
    struct rdl__spot *kept = rdl__room_get(answer->room, answer->count * sizeof *kept);

    if (answer->count == 0)
        return;
    if (!kept) {
        rdl__answer_fail(answer, "it is in too many places: name one more exactly");
        return;
    }
    qsort(answer->spots, answer->count, sizeof *kept, compare);
    memcpy(kept, answer->spots, answer->count * sizeof *kept);
    answer->location->spots = kept;
    answer->location->count = answer->count;
    answer->location->error = "";
}
