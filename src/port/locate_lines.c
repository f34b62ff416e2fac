/* locate_lines.c -- files and their lines: where does a line begin? */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/lines.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

/* ---- Files ------------------------------------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_same_path(struct rdl__unit *unit, const char *path, const char *wanted)
{
    char *whole;
    bool is_same;

    if (!rdl__path_ends(wanted, last_part(path)))
        return false;
    whole = rdl__unit_path(unit, path);
    is_same = strcmp(whole, wanted) == 0;
    free(whole);
    return is_same;
}

static void note_path(struct rdl__paths *paths, char *path)
{
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0)
            return;
    paths->items = rdl__reallocate(paths->items, (paths->count + 1) * sizeof *paths->items);
    paths->items[paths->count++] = path;
}

static size_t files_of(struct rdl__unit *unit, Dwarf_Files **out)
{
    size_t count;

    return dw.dwarf_getsrcfiles(&unit->die, out, &count) == 0 ? count : 0;
}

static bool has_file(struct rdl__unit *unit, const char *path)
{
    Dwarf_Files *files;
    size_t count = files_of(unit, &files);

    for (size_t i = 0; i < count; i++) {
        const char *file = dw.dwarf_filesrc(files, i, NULL, NULL);

        if (file && is_same_path(unit, file, path))
            return true;
    }
    return false;
}

bool rdl__file_is(struct rdl__file_match *match, struct rdl__unit *unit, const struct rdl__row *row)
{
    if (row->path != match->last) {
        match->last = row->path;
        match->was = is_same_path(unit, row->path, match->path);
    }
    return match->was;
}

static bool has_code(struct rdl__object *object, const char *path)
{
    for (size_t u = 0; u < object->unit_count; u++) {
        struct rdl__unit *unit = &object->units[u];
        struct rdl__file_match match = {.path = path};
        struct rdl__row row;

        if (unit->is_ours || !has_file(unit, path))
            continue;
        for (size_t i = 0, count = rdl__unit_rows(unit); i < count; i++) {
            row = unit->rows[i];
            if (!row.ends && row.line && rdl__file_is(&match, unit, &row))
                return true;
        }
    }
    return false;
}

void rdl__paths_find(struct rdl__paths *out, struct rdl__object *object, const char *end)
{
    struct rdl__paths all = {0};
    Dwarf_Files *files;
    char *whole;

    while (strncmp(end, "./", 2) == 0)
        end += 2;
    rdl__object_index(object);
    for (size_t u = 0; u < object->unit_count; u++) {
        size_t count = object->units[u].is_ours ? 0 : files_of(&object->units[u], &files);

        for (size_t i = 0; i < count; i++) {
            const char *path = dw.dwarf_filesrc(files, i, NULL, NULL);

            if (path && rdl__path_ends(path, last_part(end)) &&
                rdl__path_ends(whole = rdl__unit_path(&object->units[u], path), end))
                note_path(&all, whole);
        }
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.count == 1 || has_code(object, all.items[i]))
            note_path(out, all.items[i]);
}

void rdl__paths_consider(struct rdl__likes *likes, struct rdl__object *object)
{
    Dwarf_Files *files;

    rdl__object_index(object);
    for (size_t u = 0; u < object->unit_count; u++) {
        size_t count = object->units[u].is_ours ? 0 : files_of(&object->units[u], &files);

        for (size_t i = 0; i < count; i++) {
            const char *path = dw.dwarf_filesrc(files, i, NULL, NULL);

            if (path)
                rdl__likes_consider(likes, last_part(path));
        }
    }
}

/* ---- Where a line begins ------------------------------------------------------------------- */

static bool is_within(const struct rdl__copies *copies, const struct rdl__unit *unit, Dwarf_Addr at)
{
    if (!copies)
        return true;
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].unit == unit && rdl__copy_has(&copies->items[i], at))
            return true;
    return false;
}

/* The first line of a function begins before there are parameters: what is meant is where they
 * can be read. */
static void add_place(struct rdl__answer *answer, struct rdl__object *object,
                      struct rdl__unit *unit, const struct rdl__row *row, const Dwarf_Die *outer)
{
    struct rdl__copy copy = {*outer, unit, false};
    Dwarf_Addr first, entry;

    if (outer->addr && rdl__copy_first(&copy, &first) && first == row->at &&
        rdl__copy_entry(&copy, object, &entry) && entry != row->at)
        rdl__answer_add(answer, &(struct rdl__found){.object = object, .unit = unit, .at = entry});
    else
        rdl__answer_add(answer, &(struct rdl__found){
                                    .object = object, .unit = unit, .row = row, .at = row->at});
}

/* A line begins where it comes after another, or in another copy of the function.  Within it
 * there may be more beginnings, of other statements of the line.  Of a function that is part of
 * another, compilers may put the beginning of a line just before the copy: then it is where the
 * line goes on in it. */
static void add_from(struct rdl__answer *answer, struct rdl__object *object, struct rdl__unit *unit,
                     const struct rdl__line_wanted *wanted)
{
    struct rdl__file_match match = {.path = wanted->path};
    const void *begun = NULL; /* in which copy */
    bool goes_on = false;     /* it has begun just before a copy */
    struct rdl__row row;

    for (size_t i = 0, count = rdl__unit_rows(unit); i < count; i++) {
        Dwarf_Die inner = {0}, outer = {0};

        row = unit->rows[i];
        if (row.ends || row.line != wanted->line || !rdl__file_is(&match, unit, &row)) {
            begun = NULL;
            goes_on &= !row.ends && !row.begins;
            continue;
        }
        if (!is_within(wanted->within, unit, row.at)) {
            goes_on |= row.begins;
            continue;
        }
        if ((!row.begins && !goes_on) || !rdl__object_has_code(object, row.at))
            continue;
        goes_on = false;
        rdl__functions_at(object, row.at, row.line, &inner, &outer);
        if (!begun || begun != inner.addr)
            add_place(answer, object, unit, &row, &outer);
        begun = inner.addr ? inner.addr : unit;
    }
}

/* ---- Calls of a line ----------------------------------------------------------------------- */

/* How many there are before, in each copy of the function. */
struct calls {
    const void *copy;
    int count;
};

enum { CALLS_COPIES = 64 };

static struct calls *calls_of(struct calls *all, const void *copy)
{
    size_t i = 0;

    while (i < CALLS_COPIES - 1 && all[i].copy && all[i].copy != copy)
        i++;
    all[i].copy = copy;
    return &all[i];
}

static void add_call_from(struct rdl__answer *answer, struct rdl__object *object,
                          struct rdl__unit *unit, const struct rdl__line_wanted *wanted)
{
    struct rdl__file_match match = {.path = wanted->path};
    struct calls all[CALLS_COPIES] = {0}, *here;

    for (size_t i = 0, count = rdl__unit_rows(unit); i + 1 < count; i++) {
        const struct rdl__row *row = &unit->rows[i];
        Dwarf_Die inner = {0}, outer = {0};
        Dwarf_Addr at;
        int calls;

        if (row->ends || row->line != wanted->line || !rdl__file_is(&match, unit, row) ||
            !rdl__object_has_code(object, row->at))
            continue;
        rdl__functions_at(object, row->at, 0, &inner, &outer);
        here = calls_of(all, inner.addr ? inner.addr : unit);
        calls = rdl__calls_in(object, row->at, row[1].at, wanted->call - here->count, &at);
        if (here->count < wanted->call && here->count + calls >= wanted->call)
            rdl__answer_add(
                answer, &(struct rdl__found){.object = object, .unit = unit, .row = row, .at = at});
        here->count += calls;
    }
}

size_t rdl__line_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__line_wanted *wanted)
{
    size_t before = answer->count;

    for (size_t u = 0; u < object->unit_count; u++)
        if (!object->units[u].is_ours && has_file(&object->units[u], wanted->path))
            (wanted->call ? add_call_from : add_from)(answer, object, &object->units[u], wanted);
    return answer->count - before;
}

/* ---- Lines that have no code --------------------------------------------------------------- */

/* The nearest line before or after one. */
struct near {
    int line; /* 0: none */
    struct rdl__object *object;
    Dwarf_Addr at;
};

static void find_near(struct rdl__object *object, const struct rdl__line_wanted *wanted,
                      struct near *before, struct near *after)
{
    for (size_t u = 0; u < object->unit_count; u++) {
        struct rdl__unit *unit = &object->units[u];
        struct rdl__file_match match = {.path = wanted->path};
        struct rdl__row row;
        size_t count = unit->is_ours || !has_file(unit, wanted->path) ? 0 : rdl__unit_rows(unit);

        for (size_t i = 0; i < count; i++) {
            row = unit->rows[i];
            if (row.ends || !row.begins || !row.line || !rdl__file_is(&match, unit, &row) ||
                !is_within(wanted->within, unit, row.at) || !rdl__object_has_code(object, row.at))
                continue;
            if (row.line < wanted->line && row.line > before->line)
                *before = (struct near){row.line, object, row.at};
            if (row.line > wanted->line && (!after->line || row.line < after->line))
                *after = (struct near){row.line, object, row.at};
        }
    }
}

static const char *function_of(const struct near *near, int *out_line)
{
    Dwarf_Die inner, outer;
    const char *name = "";

    *out_line = 0;
    if (near->line && rdl__functions_at(near->object, near->at, near->line, &inner, &outer)) {
        name = dw.dwarf_diename(&inner);
        dw.dwarf_decl_line(&inner, out_line);
    }
    return name ? name : "";
}

static void say_near(struct rdl__text *out, const struct near *near)
{
    int line;
    const char *function = function_of(near, &line);

    rdl__text_add(out, "%d", near->line);
    if (*function)
        rdl__text_add(out, " (%s)", function);
}

void rdl__line_explain(struct rdl__text *out, struct rdl__object *object,
                       const struct rdl__line_wanted *wanted)
{
    struct near before = {0}, after = {0};
    const char *function;
    int first;

    find_near(object, wanted, &before, &after);
    function = function_of(&after, &first);
    if (!before.line && !after.line) {
        rdl__text_add(out, "the file has no code");
        return;
    }
    rdl__text_add(out, "no code begins at this line");
    if (*function && first <= wanted->line) {
        rdl__text_add(out, "; the next line of %s that has some is %d", function, after.line);
        return;
    }
    rdl__text_add(out, before.line && after.line ? "; the nearest that have some are "
                                                 : "; the nearest that has some is ");
    if (before.line)
        say_near(out, &before);
    rdl__text_add(out, before.line && after.line ? " and " : "");
    if (after.line)
        say_near(out, &after);
}
