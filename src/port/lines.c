/* lines.c -- file and line of places in the code. */
#include "port/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/dwarf.h"
#include "port/helper.h"
#include "port/symbols.h"

/* What a process apart is to find, in memory that it shares with us. */
struct errand {
    struct rdl__lines *lines;
    struct rdl__place *places;
    struct rdl__datum *data;
};

static void run_errand(void *it)
{
    struct errand *errand = it;

    rdl__dwarf_find(errand->places, errand->lines->count, errand->data, errand->lines->datum_count,
                    &errand->lines->modules);
}

static void find_apart(struct rdl__lines *lines)
{
    size_t places = lines->count * sizeof *lines->places;
    size_t data = lines->datum_count * sizeof *lines->data;
    char *shared = rdl__map(places + data, MAP_SHARED);
    struct errand errand = {lines, (struct rdl__place *)shared,
                            (struct rdl__datum *)(shared + places)};

    if (!shared)
        return;
    if (places)
        memcpy(shared, lines->places, places);
    if (data)
        memcpy(shared + places, lines->data, data);
    if (rdl__work_apart(run_errand, &errand)) {
        if (places)
            memcpy(lines->places, shared, places);
        if (data)
            memcpy(lines->data, shared + places, data);
    }
    rdl__unmap(shared, places + data);
}

void rdl__path_simplify(char *path)
{
    char *to = path;

    for (const char *at = path; *at;) {
        size_t length = strcspn(at + 1, "/") + 1; /* with the slash before it */

        if (strncmp(at, "/../", 4) == 0 && to > path)
            while (to > path && *--to != '/')
                continue;
        else if (strncmp(at, "/./", 3) != 0) {
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    *to = '\0';
}

static bool begins(const char *text, const char *start, size_t length)
{
    return length && strncmp(text, start, length) == 0;
}

/* Leave out the beginning of an absolute path: that of the project, if the program
 * leaves it out, too; or that of the current folder. */
static void shorten(struct rdl__place *place, const char *root, const char *folder)
{
    size_t root_length = strlen(root), folder_length = strlen(folder);
    const char *path = place->file;

    if (path[0] != '/')
        return;
    if (begins(path, root, root_length))
        path += root_length;
    else if (begins(path, folder, folder_length) && path[folder_length] == '/')
        path += folder_length + 1;
    memmove(place->file, path, strlen(path) + 1);
}

/* What stands before the name that the program has for the file, if that is how it is
 * called. */
static void find_root(struct rdl__lines *lines)
{
    const struct rdl__place *known = rdl__lines_at(lines, lines->known_pc);
    size_t path = known ? strlen(known->path) : 0, name = 0;

    if (!known || !lines->known_file)
        return;
    name = strlen(lines->known_file);
    if (name < path && known->path[path - name - 1] == '/' &&
        strcmp(known->path + path - name, lines->known_file) == 0)
        snprintf(lines->root, sizeof lines->root, "%.*s", (int)(path - name), known->path);
}

static int compare(const void *a, const void *b)
{
    const struct rdl__place *one = a, *two = b;

    return (one->pc > two->pc) - (one->pc < two->pc);
}

static int compare_data(const void *a, const void *b)
{
    const struct rdl__datum *one = a, *two = b;

    return (one->address > two->address) - (one->address < two->address);
}

uintptr_t rdl__place_code(uintptr_t pc)
{
    return pc & RDL__TAIL_OF ? pc & ~RDL__TAIL_OF : pc - 1;
}

void rdl__lines_add_modules(struct rdl__lines *lines, const struct rdl__modules *modules)
{
    for (uint32_t i = 0; i < modules->count && i < RDL__MODULES_MAX; i++)
        if (lines->modules.count < RDL__MODULES_MAX && !rdl__module_is_here(&modules->items[i]))
            lines->modules.items[lines->modules.count++] = modules->items[i];
}

void rdl__lines_want(struct rdl__lines *lines, uintptr_t pc)
{
    if (pc == 0)
        return;
    for (size_t i = 0; i < lines->count; i++)
        if (lines->places[i].pc == pc)
            return;
    if (lines->count == lines->room) {
        lines->room = lines->room ? 2 * lines->room : 16;
        lines->places = rdl__reallocate(lines->places, lines->room * sizeof *lines->places);
    }
    lines->places[lines->count++] = (struct rdl__place){.pc = pc};
}

void rdl__lines_want_name(struct rdl__lines *lines, uintptr_t address)
{
    for (size_t i = 0; i < lines->datum_count; i++)
        if (lines->data[i].address == address)
            return;
    if (lines->datum_count == lines->datum_room) {
        lines->datum_room = lines->datum_room ? 2 * lines->datum_room : 16;
        lines->data = rdl__reallocate(lines->data, lines->datum_room * sizeof *lines->data);
    }
    lines->data[lines->datum_count++] = (struct rdl__datum){.address = address};
}

void rdl__lines_find(struct rdl__lines *lines)
{
    char folder[512];

    if (lines->count + lines->datum_count == 0)
        return;
    rdl__lines_want(lines, lines->known_pc);
    if (lines->count)
        qsort(lines->places, lines->count, sizeof *lines->places, compare);
    if (lines->datum_count)
        qsort(lines->data, lines->datum_count, sizeof *lines->data, compare_data);
    find_apart(lines);
    if (!getcwd(folder, sizeof folder) || strcmp(folder, "/") == 0)
        folder[0] = '\0';
    for (size_t i = 0; i < lines->count; i++) {
        struct rdl__place *place = &lines->places[i];

        rdl__path_simplify(place->path);
        if (place->file[0] == '/')
            rdl__path_simplify(place->file);
    }
    find_root(lines);
    for (size_t i = 0; i < lines->count; i++)
        shorten(&lines->places[i], lines->root, folder);
}

const struct rdl__place *rdl__lines_at(const struct rdl__lines *lines, uintptr_t pc)
{
    struct rdl__place key = {.pc = pc};

    return lines->count ? bsearch(&key, lines->places, lines->count, sizeof key, compare) : NULL;
}

bool rdl__lines_add_name(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t address)
{
    struct rdl__datum key = {.address = address}, *found = NULL;

    if (lines->datum_count)
        found = bsearch(&key, lines->data, lines->datum_count, sizeof key, compare_data);
    if (!found || !found->name[0])
        return rdl__symbol_describe_data(out, address);
    rdl__text_add(out, "%s", found->name);
    return true;
}

void rdl__lines_release(struct rdl__lines *lines)
{
    free(lines->places);
    free(lines->data);
    *lines = (struct rdl__lines){0};
}

void rdl__place_describe(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(lines, pc);

    if (place && place->line)
        rdl__text_add(out, "%s:%d", place->file, place->line);
    else if (place && place->function[0])
        rdl__text_add(out, "%.*s (%s)", (int)strcspn(place->function, "."), place->function,
                      place->module);
    else
        rdl__symbol_describe(out, rdl__place_code(pc));
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *rdl__file_briefly(const struct rdl__lines *lines, const char *file)
{
    for (size_t i = 0; i < lines->count; i++) {
        const struct rdl__place *place = &lines->places[i];

        if (place->line && strcmp(place->file, file) != 0 &&
            strcmp(base_name(place->file), base_name(file)) == 0)
            return file;
    }
    return base_name(file);
}

void rdl__place_describe_briefly(struct rdl__text *out, const struct rdl__lines *lines,
                                 uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(lines, pc);

    if (place && place->line)
        rdl__text_add(out, "%s:%d", rdl__file_briefly(lines, place->file), place->line);
    else
        rdl__place_describe(out, lines, pc);
}

void rdl__place_describe_function(struct rdl__text *out, const struct rdl__lines *lines,
                                  uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(lines, pc);

    if (place && place->line && place->function[0])
        rdl__text_add(out, "%s at ", place->function);
    rdl__place_describe(out, lines, pc);
}
