/* locate.c -- places in the code, by what a user calls them.
 *
 * They are looked for in a process made for it, all at once.  The answers lie in memory shared
 * with that process. */
#include "port/locate.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/hash.h"
#include "base/memory.h"
#include "port/book.h"
#include "port/dwarf.h"
#include "port/frame.h"
#include "port/helper.h"
#include "port/locate_parts.h"

enum { ROOM = 16 << 20 }; /* for all that is found at once; none is used before it is needed */

#define dw rdl__libdw

struct rdl__block {
    struct rdl__block *next;
    char *bytes;
};

struct own {
    const struct rdl__code_range *ranges;
    size_t count;
};

struct errand {
    struct rdl__location *items; /* shared */
    size_t count;
    const char *program;
    bool with_code;
    struct own *own; /* shared; NULL: nobody wants to know */
    struct rdl__room room;
};

/* ---- In which module ------------------------------------------------------------------------ */

/* The program goes before libraries: what their debugging information has, static functions too,
 * is not what is meant by a name that the program has, if only as a symbol; and it takes long. */
enum tier { IN_PROGRAM, SYMBOL_OF_PROGRAM, IN_LIBRARIES, SYMBOL_OF_LIBRARIES, TIERS };

static bool is_about_symbols(enum tier tier)
{
    return tier == SYMBOL_OF_PROGRAM || tier == SYMBOL_OF_LIBRARIES;
}

/* "libz", "libz.so.1", its whole name, or how it was asked for. */
static bool is_called(const struct rdl__object *object, const char *name)
{
    size_t length = strlen(name);

    return rdl__path_ends(object->path, name) || strcmp(object->alias, name) == 0 ||
           (strncmp(object->name, name, length) == 0 && object->name[length] == '.');
}

static bool may_be_in(const struct rdl__object *object, const struct rdl__query *query)
{
    return query->module ? is_called(object, query->module)
                         : object->is_program || (!object->is_ours && !object->is_linker);
}

/* A function of the C library is known by its symbol, unless more is said of it. */
static bool does_symbol(const struct rdl__object *object, const struct rdl__query *query)
{
    return rdl__is_c_library(object->name) && !query->file && !query->text &&
           (!query->module || query->at_entry);
}

/* Where the library begins that calls of this name lead to, other than by way of Raddle; NULL: the
 * dynamic linker knows no such name. */
static const void *library_called(const char *name)
{
    struct dl_find_object found, own;
    void *function = dlsym(RTLD_DEFAULT, name);

    if (!function || _dl_find_object(function, &found) != 0 ||
        _dl_find_object((void *)(uintptr_t)library_called, &own) != 0)
        return NULL;
    if (found.dlfo_map_start != own.dlfo_map_start)
        return found.dlfo_map_start;
    function = dlsym(RTLD_NEXT, name);
    return function && _dl_find_object(function, &found) == 0 ? found.dlfo_map_start : NULL;
}

/* Who says the name of a function that libraries export means the one that is called: neither one
 * of the C library that a sanitizer's malloc comes before, nor a static one of another library. */
static bool is_passed_over(const struct rdl__object *object, const struct rdl__query *query,
                           const struct rdl__objects *objects)
{
    const void *called;

    if (query->module || query->file || !query->function || object->is_program)
        return false;
    called = library_called(query->function);
    for (size_t i = 0; i < objects->count; i++)
        if (called && objects->items[i].start == called && &objects->items[i] != object)
            return may_be_in(&objects->items[i], query);
    return false;
}

static bool is_in(const struct rdl__object *object, const struct rdl__query *query, enum tier tier,
                  const struct rdl__objects *objects)
{
    bool is_first = tier <= SYMBOL_OF_PROGRAM;

    return may_be_in(object, query) && is_first == (query->module || object->is_program) &&
           (is_about_symbols(tier) || !does_symbol(object, query)) &&
           !is_passed_over(object, query, objects);
}

static bool has(struct rdl__object *object, const struct rdl__query *query, enum tier tier)
{
    struct rdl__paths paths = {0};

    if (query->function && is_about_symbols(tier))
        return !query->file && rdl__object_has_symbol(object, query);
    if (query->function)
        return rdl__object_has_function(object, query);
    if (!is_about_symbols(tier))
        rdl__paths_find(&paths, object, query->file);
    return paths.count > 0;
}

static bool add_line(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__query *query)
{
    struct rdl__paths paths = {0};
    struct rdl__text text = {0};
    struct rdl__line_wanted wanted;

    rdl__paths_find(&paths, object, query->file);
    if (paths.count > 1) {
        for (size_t i = 0; i < paths.count; i++)
            rdl__text_add(&text, "%s%s", i ? ", " : "", paths.items[i]);
        return rdl__answer_fail(answer,
                                "there are several files of that name: %s; write more of "
                                "the path",
                                text.bytes);
    }
    wanted = (struct rdl__line_wanted){paths.items[0], query->line, NULL, query->call};
    if (rdl__line_add(answer, object, &wanted) > 0)
        return true;
    if (query->call)
        return rdl__answer_fail(answer, "the line has fewer calls than that");
    rdl__line_explain(&text, object, &wanted);
    return rdl__answer_fail(answer, "%s", text.bytes);
}

static bool add(struct rdl__answer *answer, struct rdl__object *object,
                const struct rdl__query *query, enum tier tier)
{
    if (query->line)
        return add_line(answer, object, query);
    return is_about_symbols(tier) ? rdl__symbol_add(answer, object, query)
                                  : rdl__function_add(answer, object, query);
}

/* ---- Nothing of that name ------------------------------------------------------------------- */

static bool explain_module(struct rdl__answer *answer, const struct rdl__objects *objects,
                           const struct rdl__query *query)
{
    struct rdl__likes likes = {.wanted = query->module};
    struct rdl__text text = {0};

    for (size_t i = 0; i < objects->count; i++) {
        rdl__likes_consider(&likes, objects->items[i].name);
        rdl__likes_consider(&likes, objects->items[i].alias);
    }
    rdl__likes_say(&text, &likes);
    return rdl__answer_fail(answer,
                            objects->is_running
                                ? "no program or library called %s is loaded%s"
                                : "the file is not called %s, nor linked with such a "
                                  "library%s",
                            query->module, rdl__text_string(&text));
}

static void consider(struct rdl__likes *likes, struct rdl__object *object,
                     const struct rdl__query *query)
{
    if (query->line) {
        rdl__paths_consider(likes, object);
    } else {
        if (!does_symbol(object, query))
            rdl__functions_consider(likes, object);
        if (object->is_program || query->module)
            rdl__symbols_consider(likes, object);
    }
}

static bool explain(struct rdl__answer *answer, const struct rdl__objects *objects,
                    const struct rdl__query *query)
{
    const char *slash = query->file ? strrchr(query->file, '/') : NULL;
    struct rdl__likes likes = {.wanted = query->line ? (slash ? slash + 1 : query->file)
                                                     : query->function};
    struct rdl__text text = {0};
    bool has_module = false, has_units = false, is_stripped = false, is_split = false;

    for (size_t i = 0; i < objects->count; i++) {
        struct rdl__object *object = &objects->items[i];

        if (!may_be_in(object, query))
            continue;
        has_module = true;
        likes.of_libraries = !object->is_program;
        consider(&likes, object, query);
        has_units |= object->unit_count > 0;
        is_split |= rdl__object_is_split(object);
        is_stripped |= (object->is_program || query->module) && !rdl__object_has_names(object);
    }
    answer->location->may_come = !query->module || !has_module;
    if (!has_module)
        return explain_module(answer, objects, query);
    if (query->module)
        answer->location->may_come = false;
    if (!query->line && !is_split && likes.best[0].name &&
        strcmp(likes.best[0].name, query->function) == 0)
        return rdl__answer_fail(answer,
                                "there is debugging information of %s, but no code: the compiler "
                                "has made it part of others, or left it out",
                                query->function);
    rdl__likes_say(&text, &likes);
    if (query->line || query->file)
        return rdl__answer_fail(
            answer, "no %s%s%s%s%s",
            query->line ? "file of that name has been compiled into"
                        : "function of that name and file is in",
            query->module         ? " "
            : objects->is_running ? " what is loaded"
                                  : " it",
            query->module ? query->module : "",
            is_split    ? ", as debugging information in files beside it is not read: compile "
                          "without -gsplit-dwarf"
            : has_units ? ""
                        : ", as there is no debugging information: compile with -g",
            rdl__text_string(&text));
    return rdl__answer_fail(answer, "there is no function %s%s%s%s%s", query->function,
                            query->module ? " in " : "", query->module ? query->module : "",
                            is_stripped ? ", as all names have been stripped" : "",
                            rdl__text_string(&text));
}

static bool refuse_several(struct rdl__answer *answer, const struct rdl__objects *objects,
                           const struct rdl__query *query, enum tier tier)
{
    const char *behind = query->module ? strchr(answer->location->text, '!') + 1 : NULL;
    int said = (int)(strlen(answer->location->text) - (query->at_entry ? strlen(":entry") : 0));
    struct rdl__text text = {0};

    for (size_t i = 0; i < objects->count; i++)
        if (is_in(&objects->items[i], query, tier, objects) && has(&objects->items[i], query, tier))
            rdl__text_add(&text, "%s%s", text.count ? ", " : "",
                          behind ? objects->items[i].path : objects->items[i].name);
    return behind ? rdl__answer_fail(answer,
                                     "there are several libraries of that name: %s; write more of "
                                     "its path before !%s",
                                     text.bytes, behind)
                  : rdl__answer_fail(answer, "it is in several libraries: %s; write LIBRARY!%.*s",
                                     text.bytes, said, answer->location->text);
}

/* ---- Each and all --------------------------------------------------------------------------- */

static bool find(struct rdl__answer *answer, const struct rdl__objects *objects,
                 const struct rdl__query *query)
{
    for (enum tier tier = 0; tier < TIERS; tier++) {
        struct rdl__object *there = NULL;

        for (size_t i = 0; i < objects->count; i++) {
            struct rdl__object *object = &objects->items[i];

            if (!is_in(object, query, tier, objects) || !has(object, query, tier))
                continue;
            if (there)
                return refuse_several(answer, objects, query, tier);
            there = object;
        }
        if (there)
            return add(answer, there, query, tier);
    }
    return explain(answer, objects, query);
}

static void find_one(struct rdl__location *location, struct errand *errand,
                     const struct rdl__objects *objects)
{
    struct rdl__answer answer = {
        .room = &errand->room, .with_code = errand->with_code, .location = location};
    struct rdl__query query;
    const char *wrong = rdl__query_read(&query, location->text);

    location->may_come = false;
    if (wrong)
        rdl__answer_fail(&answer, "%s", wrong);
    else if (find(&answer, objects, &query))
        rdl__answer_end(&answer);
}

static void run_errand(void *it)
{
    struct errand *errand = it;
    struct rdl__objects objects = {0};
    Dwfl *dwfl = rdl__dwarf_open_file(errand->program);

    if (!dwfl)
        return;
    for (size_t i = 0; i < errand->count; i++) /* in case that something happens to us */
        if (errand->items[i].is_sought)
            errand->items[i].error = "debugging information cannot be read, or takes too long";
    rdl__objects_list(&objects, dwfl, !errand->program);
    for (size_t i = 0; i < errand->count; i++)
        if (errand->items[i].is_sought)
            find_one(&errand->items[i], errand, &objects);
    if (errand->own)
        errand->own->ranges = rdl__own_code(&errand->room, &objects, &errand->own->count);
}

/* ---- What others see ------------------------------------------------------------------------ */

void rdl__locations_want(struct rdl__locations *locations, const char *text)
{
    if (locations->count == locations->room) {
        locations->room = locations->room ? 2 * locations->room : 8;
        locations->items =
            rdl__reallocate(locations->items, locations->room * sizeof *locations->items);
    }
    locations->items[locations->count++] =
        (struct rdl__location){.text = rdl__duplicate(text), .error = "", .note = ""};
}

static const char *reason(const char *program)
{
    return program ? "libdw cannot read it, or is missing (the package libdw1)"
                   : "libdw is missing (the package libdw1)";
}

/* What is loaded at this address: where it begins, and the headers there, of which the build ID is
 * part; 0: nothing. */
static uint64_t library_at(uintptr_t address, bool *out_may_go)
{
    struct dl_find_object found;
    uint8_t headers[1024] = {0};

    if (_dl_find_object((void *)address, &found) != 0)
        return 0;
    *out_may_go = found.dlfo_link_map->l_name[0];
    if (!rdl__memory_read((uintptr_t)found.dlfo_map_start, headers, sizeof headers))
        return 0; /* it is just being unloaded */
    return rdl__combine((uintptr_t)found.dlfo_map_start, rdl__hash_bytes(headers, sizeof headers));
}

static void forget(struct rdl__location *location)
{
    location->count = 0;
    location->error = "the library that it is in is not loaded";
    location->may_come = true;
}

/* Libraries are unloaded, and whoever looked needed some for it that are not in this process. */
static void forget_what_is_not_here(struct rdl__locations *locations)
{
    for (size_t i = 0; i < locations->count; i++) {
        struct rdl__location *location = &locations->items[i];
        uint64_t library = 0;

        if (location->count > 0)
            library = library_at(location->spots[0].address, &location->may_go);
        if (location->count > 0 &&
            (!library || (!location->is_sought && library != location->library)))
            forget(location);
        location->library = library;
        location->is_sought = false;
    }
}

/* What was not found before is looked for again only if it may have come. */
static bool choose_what_is_sought(struct rdl__locations *locations, const char *program)
{
    bool any = false;

    for (size_t i = 0; i < locations->count; i++) {
        struct rdl__location *location = &locations->items[i];

        location->is_sought = location->count == 0 && (location->may_come || !location->error[0]);
        if (location->is_sought)
            location->error = reason(program);
        any |= location->is_sought;
    }
    return any;
}

/* Where all of it is that is not known yet.  The errand lies in the room as well, so that it is
 * known how much of that has been used. */
static bool search(struct rdl__locations *locations, const char *program, struct rdl__room *room)
{
    size_t size = locations->count * sizeof *locations->items;
    struct errand *errand = rdl__room_get(room, sizeof *errand);
    struct rdl__location *items = rdl__room_get(room, size);

    if (!errand || !items)
        return false;
    memcpy(items, locations->items, size);
    *errand = (struct errand){.items = items,
                              .count = locations->count,
                              .program = program,
                              .with_code = locations->with_code};
    if (locations->with_own && !locations->own)
        errand->own = rdl__room_get(room, sizeof *errand->own);
    errand->room = *room;
    if (rdl__work_apart(run_errand, errand))
        memcpy(locations->items, items, size);
    if (errand->own) {
        locations->own = errand->own->ranges;
        locations->own_count = errand->own->count;
    }
    *room = errand->room;
    return true;
}

/* ---- In the book ---------------------------------------------------------------------------- */

struct find {
    const struct find *next;
    bool with_code;
    const char *text;
    struct rdl__location is;
};

static const struct find *find_of(const struct rdl__location *location, bool with_code)
{
    const struct find *find = *rdl__book_chapter(RDL__BOOK_LOCATIONS);

    while (find && (find->with_code != with_code || strcmp(find->text, location->text) != 0))
        find = find->next;
    return find;
}

static bool are_known(struct rdl__locations *locations)
{
    if (locations->with_own && !locations->own)
        return false;
    for (size_t i = 0; i < locations->count; i++)
        if (locations->items[i].is_sought && !find_of(&locations->items[i], locations->with_code))
            return false;
    for (size_t i = 0; i < locations->count; i++) {
        struct rdl__location *location = &locations->items[i];
        struct rdl__location known = *location;

        if (!location->is_sought)
            continue;
        *location = find_of(location, locations->with_code)->is;
        location->text = known.text;
    }
    return true;
}

static bool is_where_it_was(const struct rdl__location *location)
{
    for (size_t i = 0; i < location->count; i++)
        if (!rdl__book_knows(location->spots[i].address))
            return false;
    return location->count > 0;
}

static void write_down(const struct rdl__locations *locations, struct rdl__room *room)
{
    void **first = rdl__book_chapter(RDL__BOOK_LOCATIONS);

    for (size_t i = 0; i < locations->count; i++) {
        const struct rdl__location *location = &locations->items[i];
        struct find *find;

        if (!location->is_sought || !is_where_it_was(location) ||
            !(find = rdl__room_get(room, sizeof *find)))
            continue;
        *find = (struct find){*first, locations->with_code, rdl__room_keep(room, location->text),
                              *location};
        *first = find;
    }
}

/* False: it cannot be had, or nothing could be found. */
static bool find_by_book(struct rdl__locations *locations)
{
    struct rdl__room room;
    bool is_done;

    if (!rdl__book_lock(&room))
        return false;
    is_done = are_known(locations);
    if (!is_done && rdl__book_has_room(&room) && (is_done = search(locations, NULL, &room)))
        write_down(locations, &room);
    rdl__book_unlock(&room);
    return is_done;
}

static void find_by_itself(struct rdl__locations *locations, const char *program)
{
    struct rdl__block *block = rdl__allocate(sizeof *block);
    struct rdl__room room;

    block->bytes = rdl__map(ROOM, MAP_SHARED);
    if (!block->bytes) {
        free(block);
        return;
    }
    block->next = locations->blocks;
    locations->blocks = block;
    room = (struct rdl__room){block->bytes, block->bytes + ROOM};
    search(locations, program, &room);
}

void rdl__locations_find(struct rdl__locations *locations, const char *program)
{
    if (!program)
        forget_what_is_not_here(locations);
    if (!choose_what_is_sought(locations, program))
        return;
    if (program || !find_by_book(locations))
        find_by_itself(locations, program);
    if (!program)
        forget_what_is_not_here(locations);
}

void rdl__locations_release(struct rdl__locations *locations)
{
    struct rdl__block *block;

    while ((block = locations->blocks)) {
        locations->blocks = block->next;
        rdl__unmap(block->bytes, ROOM);
        free(block);
    }
    for (size_t i = 0; i < locations->count; i++)
        free(locations->items[i].text);
    free(locations->items);
    *locations = (struct rdl__locations){0};
}

static int note_changes(struct dl_phdr_info *info, size_t size, void *it)
{
    (void)size;
    *(uint64_t *)it = info->dlpi_adds + info->dlpi_subs;
    return 1; /* all say the same */
}

uint64_t rdl__libraries_changed(void)
{
    uint64_t changes = 0;

    dl_iterate_phdr(note_changes, &changes);
    return changes;
}
