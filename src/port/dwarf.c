/* dwarf.c -- places in the code, as debugging information has them, read by libdw. */
#include "port/dwarf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port/libdw.h"
#include "port/variables.h"
#include "port/wrappers.h"

enum {
    TAILS_MAX = 4, /* calls with a jump, one after the other */
    NOWHERE = -1,
};

#define dw rdl__libdw

static void put(char *out, size_t room, const char *text)
{
    snprintf(out, room, "%s", text ? text : "");
}

/* ---- Units, functions, files ------------------------------------------------------------ */

/* The unit of compilation at this address.  clang writes no index of them, and libdw
 * does without one only in later versions; where another compiler's units are indexed, it
 * takes what lies between them for a part of one. */
Dwarf_Die *rdl__dwarf_unit_at(Dwfl_Module *module, Dwarf_Addr at, Dwarf_Addr *out_bias)
{
    Dwarf_Die *unit = dw.dwfl_module_addrdie(module, at, out_bias);

    if (unit && dw.dwarf_haspc(unit, at - *out_bias) > 0)
        return unit;
    unit = NULL;
    while ((unit = dw.dwfl_module_nextcu(module, unit, out_bias)))
        if (dw.dwarf_haspc(unit, at - *out_bias) > 0)
            return unit;
    return NULL;
}

/* The innermost function around an address, inlined or not, or the one that is not. */
static bool function_at(Dwarf_Die *unit, Dwarf_Addr at, bool inlined, Dwarf_Die *out)
{
    Dwarf_Die *scopes = NULL;
    int count = dw.dwarf_getscopes(unit, at, &scopes);
    bool found = false;

    for (int i = 0; i < count && !found; i++) {
        int tag = dw.dwarf_tag(&scopes[i]);

        found = tag == DW_TAG_subprogram || (inlined && tag == DW_TAG_inlined_subroutine);
        if (found)
            *out = scopes[i];
    }
    free(scopes);
    return found;
}

/* As the compiler was told it, if that was relative to where it ran. */
static void put_file(struct rdl__place *place, Dwarf_Die *unit, const char *path)
{
    Dwarf_Attribute attribute;
    const char *folder =
        dw.dwarf_formstring(dw.dwarf_attr_integrate(unit, DW_AT_comp_dir, &attribute));
    size_t length = folder ? strlen(folder) : 0;

    put(place->path, sizeof place->path, path);
    if (length && strncmp(path, folder, length) == 0 && path[length] == '/')
        path += length + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    put(place->file, sizeof place->file, path);
}

/* What a compiler has added to the code, a sanitizer's checks say, has the line 0.  It
 * belongs to what stands just before it. */
static Dwarf_Line *line_at(Dwarf_Die *unit, Dwarf_Addr at, int *out_number)
{
    enum { NEAR = 96 };

    for (Dwarf_Addr back = 0; back < NEAR && back < at; back++) {
        Dwarf_Line *line = dw.dwarf_getsrc_die(unit, at - back);

        if (!line || dw.dwarf_lineno(line, out_number) != 0)
            return NULL;
        if (*out_number > 0)
            return line;
    }
    return NULL;
}

static bool get_number(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_attr(die, name, &attribute) && dw.dwarf_formudata(&attribute, out) == 0;
}

/* From where was this code, an inlined wrapper, called?  The path, and where it is there; NULL: by
 * nobody else, as far as is known. */
static const char *caller_of_inlined(Dwarf_Die *unit, Dwarf_Addr at, struct rdl__place *place)
{
    Dwarf_Die *scopes = NULL, innermost;
    int count =
        function_at(unit, at, true, &innermost) ? dw.dwarf_getscopes_die(&innermost, &scopes) : 0;
    char function[sizeof place->function] = "";
    const char *path = NULL;
    Dwarf_Files *files;
    Dwarf_Word file, line;
    size_t file_count;

    for (int i = 0; i < count && !path; i++) {
        if (dw.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
            !get_number(&scopes[i], DW_AT_call_file, &file) ||
            !get_number(&scopes[i], DW_AT_call_line, &line) ||
            dw.dwarf_getsrcfiles(unit, &files, &file_count) != 0 || file >= file_count)
            continue;
        path = dw.dwarf_filesrc(files, file, NULL, NULL);
        for (int k = i + 1; path && k < count; k++) /* the next function around it */
            if (dw.dwarf_tag(&scopes[k]) == DW_TAG_subprogram ||
                dw.dwarf_tag(&scopes[k]) == DW_TAG_inlined_subroutine) {
                put(function, sizeof function, dw.dwarf_diename(&scopes[k]));
                break;
            }
        if (path && rdl__is_wrapper(path, function))
            path = NULL;
        if (path)
            put(place->function, sizeof place->function, function);
        if (path)
            place->line = (int)line;
    }
    free(scopes);
    return path;
}

static void put_place(struct rdl__place *place, Dwarf_Die *unit, Dwarf_Addr at)
{
    Dwarf_Line *line = line_at(unit, at, &place->line);
    const char *path = line ? dw.dwarf_linesrc(line, NULL, NULL) : NULL;
    Dwarf_Die function;

    if (function_at(unit, at, true, &function))
        put(place->function, sizeof place->function, dw.dwarf_diename(&function));
    if (path && rdl__is_wrapper(path, place->function)) {
        const char *caller = caller_of_inlined(unit, at, place);

        path = caller ? caller : path;
    }
    if (path)
        put_file(place, unit, path);
    else
        place->line = 0;
}

/* ---- Calls with a jump --------------------------------------------------------------------
 *
 * The last thing a function does may be a call, and then compilers make it a jump: the
 * one who is called returns to the caller's caller, and that is all we get to know.  But
 * debugging information tells whom each place calls.  If that is not us, but a function
 * that ends with jumps, then it was one of those; if all are in one line, it was that. */

struct tail {
    Dwarf_Die *unit;
    Dwarf_Addr at;
    int line;         /* NOWHERE: they are in several */
    Dwarf_Die called; /* if it is known */
    bool is_known;
};

static bool get_address(Dwarf_Die *die, unsigned name, unsigned old_name, Dwarf_Addr *out)
{
    Dwarf_Attribute attribute;

    return (dw.dwarf_attr(die, name, &attribute) || dw.dwarf_attr(die, old_name, &attribute)) &&
           dw.dwarf_formaddr(&attribute, out) == 0;
}

static bool is_call_site(Dwarf_Die *die)
{
    int tag = dw.dwarf_tag(die);

    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

static bool is_tail_call(Dwarf_Die *site)
{
    Dwarf_Attribute attribute;
    bool is_tail = false;

    return (dw.dwarf_attr(site, DW_AT_call_tail_call, &attribute) ||
            dw.dwarf_attr(site, DW_AT_GNU_tail_call, &attribute)) &&
           dw.dwarf_formflag(&attribute, &is_tail) == 0 && is_tail;
}

static bool get_called(Dwarf_Die *site, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;

    return (dw.dwarf_attr(site, DW_AT_call_origin, &attribute) ||
            dw.dwarf_attr(site, DW_AT_abstract_origin, &attribute)) &&
           dw.dwarf_formref_die(&attribute, out);
}

/* Call of `function` what lies in it, but not in functions within it. */
static bool visit(Dwarf_Die *function, bool (*look)(Dwarf_Die *site, void *context), void *context)
{
    Dwarf_Die child;

    if (dw.dwarf_child(function, &child) != 0)
        return false;
    do {
        if (is_call_site(&child) ? look(&child, context) : visit(&child, look, context))
            return true;
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool note_tail(Dwarf_Die *site, void *context)
{
    struct tail *tail = context;
    Dwarf_Line *line;
    int number = NOWHERE;

    if (!is_tail_call(site))
        return false;
    if (get_address(site, DW_AT_call_return_pc, DW_AT_low_pc, &tail->at))
        tail->at--;
    else if (!get_address(site, DW_AT_call_pc, DW_AT_call_pc, &tail->at))
        tail->at = 0;
    if (tail->at && (line = dw.dwarf_getsrc_die(tail->unit, tail->at)))
        dw.dwarf_lineno(line, &number);
    tail->line = tail->line && tail->line != number ? NOWHERE : number;
    tail->is_known = get_called(site, &tail->called);
    return false;
}

struct returning {
    Dwarf_Addr to;
    Dwarf_Die called;
};

static bool returns_there(Dwarf_Die *site, void *context)
{
    struct returning *returning = context;
    Dwarf_Addr at;

    return get_address(site, DW_AT_call_return_pc, DW_AT_low_pc, &at) && at == returning->to &&
           !is_tail_call(site) && get_called(site, &returning->called);
}

struct jump {
    Dwarf_Addr at, behind;
};

static bool is_that_jump(Dwarf_Die *site, void *context)
{
    const struct jump *jump = context;
    Dwarf_Addr at;

    if (!is_tail_call(site))
        return false;
    if (get_address(site, DW_AT_call_return_pc, DW_AT_low_pc, &at))
        return at == jump->behind;
    return get_address(site, DW_AT_call_pc, DW_AT_call_pc, &at) && at == jump->at;
}

bool rdl__is_tail_call(Dwarf_Die *function, Dwarf_Addr jump, Dwarf_Addr behind)
{
    return visit(function, is_that_jump, &(struct jump){jump, behind});
}

/* The code of a function that may be known only by what it is like in general. */
static bool get_code(Dwarf_Die *unit, Dwarf_Die *function, Dwarf_Die *out)
{
    Dwarf_Die child, origin;
    Dwarf_Attribute attribute;
    Dwarf_Addr at;

    *out = *function;
    if (dw.dwarf_lowpc(function, &at) == 0)
        return true;
    if (dw.dwarf_child(unit, &child) != 0)
        return false;
    do {
        if (dw.dwarf_tag(&child) == DW_TAG_subprogram &&
            dw.dwarf_attr(&child, DW_AT_abstract_origin, &attribute) &&
            dw.dwarf_formref_die(&attribute, &origin) &&
            dw.dwarf_dieoffset(&origin) == dw.dwarf_dieoffset(function) &&
            dw.dwarf_lowpc(&child, &at) == 0) {
            *out = child;
            return true;
        }
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Where `function` called with a jump somebody whose code is not here; false: nowhere, or
 * nobody knows. */
static bool find_tail(Dwarf_Die *unit, Dwarf_Die function, Dwarf_Addr *out)
{
    for (int i = 0; i < TAILS_MAX; i++) {
        struct tail tail = {.unit = unit};
        Dwarf_Die code;

        if (!get_code(unit, &function, &code))
            return false;
        visit(&code, note_tail, &tail);
        if (tail.line <= 0)
            return false;
        *out = tail.at;
        if (!tail.is_known || !get_code(unit, &tail.called, &code))
            return true;
        function = tail.called;
    }
    return false;
}

/* ---- Places ------------------------------------------------------------------------------- */

/* What was called with a jump by the function that begins here. */
static void find_end_of(struct rdl__place *place, Dwarf_Die *unit, Dwarf_Addr at)
{
    Dwarf_Die function;

    if (!function_at(unit, at, false, &function))
        return;
    put(place->function, sizeof place->function, dw.dwarf_diename(&function));
    if (find_tail(unit, function, &at))
        put_place(place, unit, at);
}

static void find_return_to(struct rdl__place *place, Dwarf_Die *unit, Dwarf_Addr to)
{
    struct returning returning = {.to = to};
    Dwarf_Addr at = to - 1;
    Dwarf_Die function;

    if (function_at(unit, at, false, &function) && visit(&function, returns_there, &returning))
        find_tail(unit, returning.called, &at);
    put_place(place, unit, at);
}

bool rdl__source_is_stale(const char *source, const char *made)
{
    struct stat old, new;

    return stat(source, &new) == 0 && stat(made, &old) == 0 &&
           (new.st_mtim.tv_sec != old.st_mtim.tv_sec ? new.st_mtim.tv_sec > old.st_mtim.tv_sec
                                                     : new.st_mtim.tv_nsec > old.st_mtim.tv_nsec);
}

bool rdl__is_c_library(const char *name)
{
    static const char *const names[] = {"libc.so", "libc-", "libm.so", "ld-linux", "libpthread"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static void find_one(struct rdl__place *place, Dwfl *dwfl)
{
    bool is_tail = place->pc & RDL__TAIL_OF;
    Dwarf_Addr at = rdl__place_code(place->pc), bias = 0;
    Dwfl_Module *module = dw.dwfl_addrmodule(dwfl, at);
    Dwarf_Die *unit = NULL;
    const char *path = NULL;

    if (!module)
        return;
    dw.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &path, NULL);
    if (!path)
        path = dw.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    put(place->module, sizeof place->module, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (!rdl__is_c_library(place->module))
        unit = rdl__dwarf_unit_at(module, at, &bias);
    if (unit && is_tail)
        find_end_of(place, unit, at - bias);
    else if (unit)
        find_return_to(place, unit, at + 1 - bias);
    if (!place->function[0])
        put(place->function, sizeof place->function, dw.dwfl_module_addrname(module, at));
    place->is_stale = place->line && rdl__source_is_stale(place->path, path);
}

static Dwfl *begin(void)
{
    static char *no_path;
    static Dwfl_Callbacks callbacks = {.debuginfo_path = &no_path};

    if (!rdl__libdw_load())
        return NULL;
    callbacks.find_elf = dw.dwfl_linux_proc_find_elf;
    /* The standard way asks servers, too, if there are any: a report cannot wait. */
    callbacks.find_debuginfo = getenv("DEBUGINFOD_URLS") ? dw.dwfl_build_id_find_debuginfo
                                                         : dw.dwfl_standard_find_debuginfo;
    return dw.dwfl_begin(&callbacks);
}

Dwfl *rdl__dwarf_open_file(const char *path)
{
    const struct rdl__modules no_others = {0};
    Dwfl *dwfl;

    if (!path)
        return rdl__dwarf_open(&no_others);
    dwfl = begin();
    if (!dwfl || !dw.dwfl_report_elf(dwfl, path, path, -1, 0, true))
        return NULL;
    return dw.dwfl_report_end(dwfl, NULL, NULL) == 0 ? dwfl : NULL;
}

Dwfl *rdl__dwarf_open(const struct rdl__modules *modules)
{
    Dwfl *dwfl = begin();

    if (!dwfl || dw.dwfl_linux_proc_report(dwfl, getpid()) != 0)
        return NULL;
    for (uint32_t i = 0; i < modules->count && i < RDL__MODULES_MAX; i++) {
        const struct rdl__module *module = &modules->items[i];

        if (!rdl__module_is_here(module))
            dw.dwfl_report_elf(dwfl, module->path, module->path, -1, module->bias, true);
    }
    return dw.dwfl_report_end(dwfl, NULL, NULL) == 0 ? dwfl : NULL;
}

void rdl__dwarf_find(struct rdl__place *places, size_t place_count, struct rdl__datum *data,
                     size_t datum_count, const struct rdl__modules *modules)
{
    Dwfl *dwfl = rdl__dwarf_open(modules);

    if (!dwfl)
        return;
    for (size_t i = 0; i < place_count; i++)
        find_one(&places[i], dwfl);
    rdl__variables_find(data, datum_count, dwfl, modules);
}
