/* locate_functions.c -- functions that debugging information knows: where they begin, where they
 * return, and lines of theirs by what stands there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/dwarf.h"
#include "port/locate_parts.h"
#include "port/variables.h"

#define dw rdl__libdw

/* ---- Which are meant ---------------------------------------------------------------------- */

/* The one that says where it was declared: itself, or what it was made of. */
static Dwarf_Die declared(const struct rdl__function *function)
{
    Dwarf_Die die = function->die;
    Dwarf_Attribute attribute;

    while (!dw.dwarf_hasattr(&die, DW_AT_decl_file) &&
           (dw.dwarf_attr(&die, DW_AT_abstract_origin, &attribute) ||
            dw.dwarf_attr(&die, DW_AT_specification, &attribute)) &&
           dw.dwarf_formref_die(&attribute, &die))
        continue;
    return die;
}

/* Libdw has a function for it that takes the first file, in which clang has most, for none. */
static char *path_of(const struct rdl__function *function)
{
    Dwarf_Die die = declared(function), unit;
    Dwarf_Files *files;
    Dwarf_Word file;
    size_t count;
    const char *path = NULL;

    if (rdl__die_number(&die, DW_AT_decl_file, &file) && dw.dwarf_diecu(&die, &unit, NULL, NULL) &&
        dw.dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count)
        path = dw.dwarf_filesrc(files, file, NULL, NULL);
    return rdl__unit_path(function->unit, path ? path : "");
}

static int line_of(const struct rdl__function *function)
{
    Dwarf_Die die = function->die;
    int line = 0;

    dw.dwarf_decl_line(&die, &line);
    return line;
}

static bool is_meant(const struct rdl__function *function, const struct rdl__query *query)
{
    char *path;
    bool is_there;

    if (strcmp(function->name, query->function) != 0 || function->unit->is_ours)
        return false;
    if (!query->file)
        return true;
    path = path_of(function);
    is_there = rdl__path_ends(path, query->file);
    free(path);
    return is_there;
}

bool rdl__object_has_function(struct rdl__object *object, const struct rdl__query *query)
{
    struct rdl__copies copies = {0};

    rdl__object_index(object);
    for (size_t i = 0; i < object->function_count; i++) {
        if (!is_meant(&object->functions[i], query))
            continue;
        if (!query->at_entry)
            return true;
        /* With -flto, functions of other libraries are known here, too. */
        rdl__copies_find(&copies, object, &object->functions[i]);
    }
    return copies.count > 0;
}

void rdl__functions_consider(struct rdl__likes *likes, struct rdl__object *object)
{
    rdl__object_index(object);
    for (size_t i = 0; i < object->function_count; i++)
        if (!object->functions[i].unit->is_ours &&
            strncmp(object->functions[i].name, "rdl_", 4) != 0)
            rdl__likes_consider(likes, object->functions[i].name);
}

/* What the linker calls a function of C++; NULL: it has but one name. */
static const char *linkage_of(const struct rdl__function *function)
{
    Dwarf_Die die = function->die;
    Dwarf_Attribute attribute;

    return dw.dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute)
               ? dw.dwarf_formstring(&attribute)
               : NULL;
}

/* One function: all of these were made of the same lines. */
struct one {
    struct rdl__object *object;
    const struct rdl__query *query;
    char *path;
    int line;
    const char *linkage;
    struct rdl__copies copies;
    size_t inlined;
};

/* Two of C++ in one file, which has no other name for them. */
static bool refuse_overloads(struct rdl__answer *answer, const char *a, const char *b)
{
    return rdl__answer_fail(answer,
                            "there are several functions of that name; write the one that the "
                            "linker has, as %s or %s",
                            a, b);
}

/* "append in a.c:10 and b.c:25" */
static bool refuse_several(struct rdl__answer *answer, const struct one *one)
{
    struct rdl__text all = {0};

    for (size_t i = 0; i < one->object->function_count; i++) {
        const struct rdl__function *function = &one->object->functions[i];
        struct rdl__text text = {0};

        if (!is_meant(function, one->query))
            continue;
        rdl__text_add(&text, "%s:%d", path_of(function), line_of(function));
        if (all.count == 0 || !strstr(all.bytes, text.bytes))
            rdl__text_add(&all, "%s%s", all.count ? ", " : "", text.bytes);
        rdl__text_release(&text);
    }
    return rdl__answer_fail(answer, "there are several functions of that name: %s; write %s:%s",
                            all.bytes, one->query->file ? "more of the path" : "FILE",
                            one->query->function);
}

/* Constructors have two names, and are one. */
static bool is_overload(const struct one *one, const struct rdl__function *function)
{
    const char *linkage = linkage_of(function);

    return one->query->at_entry && linkage && one->linkage && strcmp(linkage, one->linkage) != 0;
}

/* What the compiler split off a function: its beginning is elsewhere, inlined. */
static bool is_part(struct rdl__object *object, const struct rdl__copy *copy)
{
    Dwarf_Addr first;
    const char *symbol;

    if (copy->is_inlined || !rdl__copy_first(copy, &first))
        return false;
    symbol = dw.dwfl_module_addrname(object->module, first + object->bias);
    return symbol && strstr(symbol, ".part.");
}

static bool gather(struct rdl__answer *answer, struct one *one)
{
    for (size_t i = 0; i < one->object->function_count; i++) {
        const struct rdl__function *function = &one->object->functions[i];
        char *path;

        if (!is_meant(function, one->query))
            continue;
        path = path_of(function);
        if (!one->path) {
            one->path = path;
            one->line = line_of(function);
            one->linkage = linkage_of(function);
        } else if (strcmp(path, one->path) == 0 && is_overload(one, function)) {
            return refuse_overloads(answer, one->linkage, linkage_of(function));
        } else if (strcmp(path, one->path) != 0 || line_of(function) != one->line) {
            return refuse_several(answer, one);
        }
        rdl__copies_find(&one->copies, one->object, function);
    }
    for (size_t i = 0; i < one->copies.count; i++)
        one->inlined += one->copies.items[i].is_inlined;
    if (one->copies.count == 0)
        return rdl__answer_fail(answer, "%s:%d is that function, but there is no code of it",
                                one->path, one->line);
    return true;
}

/* Was it inlined?  What is left of a copy may be no code of its own, a comparison say, that
 * debugging information knows of. */
static bool was_inlined(const struct rdl__function *function)
{
    Dwarf_Die die = function->die;
    Dwarf_Word how;

    return rdl__die_number(&die, DW_AT_inline, &how) &&
           (how == DW_INL_inlined || how == DW_INL_declared_inlined);
}

static bool is_lost(const struct one *one)
{
    for (size_t i = 0; i < one->object->function_count && one->inlined == 0; i++)
        if (is_meant(&one->object->functions[i], one->query) &&
            was_inlined(&one->object->functions[i]))
            return true;
    return false;
}

/* ---- Where it begins, where it returns ------------------------------------------------------ */

static bool find_entry(const struct one *one, const struct rdl__copy *copy, Dwarf_Addr *out)
{
    return one->query->at_entry ? rdl__copy_first(copy, out)
                                : rdl__copy_entry(copy, one->object, out);
}

static bool add_entries(struct rdl__answer *answer, const struct one *one)
{
    for (size_t i = 0; i < one->copies.count; i++) {
        const struct rdl__copy *copy = &one->copies.items[i];
        Dwarf_Addr at;

        if (!is_part(one->object, copy) && find_entry(one, copy, &at))
            rdl__answer_add(answer, &(struct rdl__found){.object = one->object,
                                                         .unit = copy->unit,
                                                         .function = one->query->function,
                                                         .at = at,
                                                         .is_inlined = copy->is_inlined});
    }
    return answer->count > 0 || rdl__answer_fail(answer, "it is not known where it begins");
}

static bool add_returns_of(struct rdl__answer *answer, const struct one *one,
                           const struct rdl__copy *copy)
{
    struct rdl__extent extent = {.copy = copy, .name = one->query->function};
    Dwarf_Die die = copy->die;
    Dwarf_Addr base;
    ptrdiff_t next = 0;
    bool has_end = false;

    while ((next = dw.dwarf_ranges(&die, next, &base, &extent.start, &extent.end)) > 0) {
        if (rdl__returns_add(answer, one->object, &extent) < 0)
            return rdl__answer_fail(answer, "returns are found by libZydis.so.4.0, which is "
                                            "missing, or the code is");
        has_end |= extent.end > extent.start;
    }
    return has_end || rdl__answer_fail(answer, "where the function ends is not known");
}

static bool add_returns(struct rdl__answer *answer, const struct one *one)
{
    for (size_t i = 0; i < one->copies.count; i++)
        if (!one->copies.items[i].is_inlined && !is_part(one->object, &one->copies.items[i]) &&
            !add_returns_of(answer, one, &one->copies.items[i]))
            return false;
    if (answer->count == 0 && one->inlined)
        return rdl__answer_fail(answer, "the function is always inlined, and then does not return; "
                                        "name a line instead");
    if (answer->count == 0)
        return rdl__answer_fail(answer, "the function never returns");
    if (one->inlined)
        rdl__answer_note(answer, "%zu inlined cop%s do%s not return and %s left out", one->inlined,
                         one->inlined == 1 ? "y" : "ies", one->inlined == 1 ? "es" : "",
                         one->inlined == 1 ? "is" : "are");
    return true;
}

/* ---- What stands in a line ------------------------------------------------------------------ */

/* The first line of the next function in the file. */
static int line_behind(const struct one *one)
{
    int behind = 0;

    for (size_t i = 0; i < one->object->function_count; i++) {
        const struct rdl__function *other = &one->object->functions[i];
        int line = line_of(other);
        char *path;

        if (line <= one->line || (behind && line >= behind))
            continue;
        path = path_of(other);
        if (strcmp(path, one->path) == 0)
            behind = line;
        free(path);
    }
    return behind;
}

/* The last line that has code of it. */
static int last_line(const struct one *one)
{
    int last = one->line, behind = line_behind(one);
    struct rdl__row row;

    for (size_t c = 0; c < one->copies.count; c++) {
        struct rdl__unit *unit = one->copies.items[c].unit;
        struct rdl__file_match match = {.path = one->path};

        for (size_t i = 0, count = rdl__unit_rows(unit); i < count; i++) {
            row = unit->rows[i];
            if (row.line > last && (!behind || row.line < behind) && !row.ends &&
                rdl__copy_has(&one->copies.items[c], row.at) && rdl__file_is(&match, unit, &row))
                last = row.line;
        }
    }
    return last;
}

struct found {
    int line, others; /* the first with code; how many more with code */
    int without;      /* the first without */
    struct rdl__text all;
};

static void look_at_line(struct rdl__answer *answer, const struct one *one, int line,
                         const char *source, struct found *found)
{
    struct rdl__line_wanted wanted = {one->path, line, &one->copies, 0};

    while (*source == ' ' || *source == '\t')
        source++;
    if (rdl__line_add(answer, one->object, &wanted) == 0) {
        if (!found->without)
            found->without = line;
        return;
    }
    if (found->line)
        found->others++;
    else
        found->line = line;
    rdl__text_add(&found->all, "\n  %d: %.*s", line, (int)strcspn(source, "\n"), source);
}

static bool search_source(struct rdl__answer *answer, const struct one *one, struct found *found)
{
    FILE *file = fopen(one->path, "re");
    int last = last_line(one), number = 0;
    char *line = NULL;
    size_t room = 0;

    if (!file)
        return rdl__answer_fail(answer, "%s cannot be read: what stands in its lines is not known",
                                one->path);
    while (++number <= last && getline(&line, &room, file) > 0)
        if (number >= one->line && strstr(line, one->query->text))
            look_at_line(answer, one, number, line, found);
    fclose(file);
    free(line);
    return true;
}

static bool add_by_text(struct rdl__answer *answer, const struct one *one)
{
    struct found found = {0};
    struct rdl__text why = {0};

    if (rdl__source_is_stale(one->path, one->object->path))
        return rdl__answer_fail(answer,
                                "%s has changed since %s was made of it, so what stood in "
                                "its lines is not known; compile it again",
                                one->path, one->object->name);
    if (!search_source(answer, one, &found))
        return false;
    if (found.others) {
        answer->count = 0;
        return rdl__answer_fail(answer, "the text is in several lines of %s:%s",
                                one->query->function, found.all.bytes);
    }
    if (found.line)
        return true;
    if (!found.without)
        return rdl__answer_fail(answer, "the text is in no line of %s (%s:%d to %d)",
                                one->query->function, one->path, one->line, last_line(one));
    rdl__line_explain(&why, one->object,
                      &(struct rdl__line_wanted){one->path, found.without, &one->copies, 0});
    return rdl__answer_fail(answer, "the text is in line %d, but %s", found.without, why.bytes);
}

bool rdl__function_add(struct rdl__answer *answer, struct rdl__object *object,
                       const struct rdl__query *query)
{
    struct one one = {.object = object, .query = query};

    if (!gather(answer, &one))
        return false;
    if (query->text)
        return add_by_text(answer, &one);
    if (query->at_entry)
        answer->location->is_lost = is_lost(&one);
    return query->at_return ? add_returns(answer, &one) : add_entries(answer, &one);
}
