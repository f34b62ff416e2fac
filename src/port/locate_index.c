/* locate_index.c -- which modules there are, and which units, functions and lines they have. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/dwarf.h"
#include "port/lines.h"
#include "port/locate_parts.h"

#define dw rdl__libdw

/* ---- Modules ------------------------------------------------------------------------------ */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

struct listing {
    struct rdl__objects *objects;
    bool is_running; /* the modules are those of this process */
};

/* What the dynamic linker knows of it. */
static void ask_linker(struct rdl__object *object, Dwarf_Addr start)
{
    struct dl_find_object found, own;

    if (_dl_find_object((void *)(uintptr_t)start, &found) != 0)
        return;
    object->start = found.dlfo_map_start;
    object->is_program = found.dlfo_link_map->l_name[0] == '\0';
    object->alias = last_part(found.dlfo_link_map->l_name);
    object->is_ours = !object->is_program &&
                      _dl_find_object((void *)(uintptr_t)ask_linker, &own) == 0 &&
                      own.dlfo_map_start == found.dlfo_map_start;
}

static bool is_for_libdw(Dwarf_Addr start)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)start, &found) == 0 &&
           rdl__libdw_brought(found.dlfo_link_map);
}

static int list_module(Dwfl_Module *module, void **unused, const char *name, Dwarf_Addr start,
                       void *context)
{
    struct listing *listing = context;
    struct rdl__objects *objects = listing->objects;
    struct rdl__object *object;

    (void)unused;
    if (name[0] == '[' || (listing->is_running && is_for_libdw(start))) /* '[': the kernel's */
        return DWARF_CB_OK;
    objects->items = rdl__reallocate(objects->items, (objects->count + 1) * sizeof *objects->items);
    object = &objects->items[objects->count++];
    *object = (struct rdl__object){
        .module = module, .path = rdl__duplicate(name), .name = last_part(name), .alias = ""};
    object->is_linker =
        strncmp(object->name, "ld-", 3) == 0 || strncmp(object->name, "ld.", 3) == 0;
    object->is_running = listing->is_running;
    if (listing->is_running)
        ask_linker(object, start);
    else
        object->is_program = true;
    return DWARF_CB_OK;
}

void rdl__objects_list(struct rdl__objects *out, Dwfl *dwfl, bool is_running)
{
    struct listing listing = {out, is_running};

    out->is_running = is_running;
    dw.dwfl_getmodules(dwfl, list_module, &listing, 0);
}

/* ---- Units and functions ------------------------------------------------------------------ */

static bool has_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool is_set = false;

    return dw.dwarf_attr_integrate(die, name, &attribute) &&
           dw.dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

/* Functions that our headers have for C++ become part of the program. */
static bool is_of_cxx(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute);
}

static void add_function(struct rdl__object *object, struct rdl__unit *unit, Dwarf_Die *die,
                         size_t *room)
{
    bool has_code = dw.dwarf_hasattr(die, DW_AT_low_pc) || dw.dwarf_hasattr(die, DW_AT_ranges);
    bool is_defined = has_code || !dw.dwarf_hasattr(die, DW_AT_declaration);
    const char *name = is_defined ? dw.dwarf_diename(die) : NULL;

    if (!name)
        return;
    if (has_code && strncmp(name, "rdl_", 4) == 0 && has_flag(die, DW_AT_external) &&
        !is_of_cxx(die))
        unit->is_ours = true;
    if (object->function_count == *room) {
        *room = *room ? 2 * *room : 256;
        object->functions = rdl__reallocate(object->functions, *room * sizeof *object->functions);
    }
    object->functions[object->function_count++] =
        (struct rdl__function){name, *die, unit, has_code};
}

/* C++ has functions in namespaces. */
static void add_functions(struct rdl__object *object, struct rdl__unit *unit, Dwarf_Die *around,
                          size_t *room)
{
    Dwarf_Die child;

    if (dw.dwarf_child(around, &child) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&child);

        if (tag == DW_TAG_subprogram)
            add_function(object, unit, &child, room);
        else if (tag == DW_TAG_namespace)
            add_functions(object, unit, &child, room);
    } while (dw.dwarf_siblingof(&child, &child) == 0);
}

/* The path of a unit up to the folder of sources that it is in, or NULL. */
static char *sources_of(struct rdl__unit *unit)
{
    const char *name = dw.dwarf_diename(&unit->die);
    char *path = name ? rdl__unit_path(unit, name) : NULL, *found = NULL;

    for (char *at = path; at && (at = strstr(at, "/src/")); at++)
        found = at;
    if (!found) {
        free(path);
        return NULL;
    }
    found[strlen("/src/")] = '\0';
    return path;
}

static bool is_of(struct rdl__unit *unit, const char *folder)
{
    char *sources = sources_of(unit);
    bool is_there = sources && strcmp(sources, folder) == 0;

    free(sources);
    return is_there;
}

char *rdl__own_sources(Dwfl_Module *module)
{
    Dwarf_Addr here = (uintptr_t)rdl__own_sources, start, end, bias;
    Dwarf_Die *die;

    dw.dwfl_module_info(module, NULL, &start, &end, NULL, NULL, NULL, NULL);
    die = here >= start && here < end ? rdl__dwarf_unit_at(module, here, &bias) : NULL;
    return die ? sources_of(&(struct rdl__unit){.die = *die}) : NULL;
}

bool rdl__unit_is_own(Dwarf_Die *unit, const char *own_sources)
{
    return own_sources && is_of(&(struct rdl__unit){.die = *unit}, own_sources);
}

/* Functions of ours are known by their names, if not by where this one is from.  Some units have
 * none, but stand-ins for functions of the C library; they lie where the others do. */
static void find_ours(struct rdl__object *object)
{
    char *ours = NULL;

    for (size_t i = 0; i < object->unit_count && !ours; i++)
        if (object->units[i].is_ours)
            ours = sources_of(&object->units[i]);
    for (size_t i = 0; i < object->unit_count && ours; i++)
        object->units[i].is_ours |= is_of(&object->units[i], ours);
    free(ours);
}

static size_t count_units(struct rdl__object *object)
{
    size_t count = 0;

    for (Dwarf_Die *unit = NULL;
         (unit = dw.dwfl_module_nextcu(object->module, unit, &object->bias));)
        count++;
    return count;
}

/* Of ours, which are many and not what is looked for, it is enough to know which they are. */
void rdl__object_index(struct rdl__object *object)
{
    Dwarf_Die *die = NULL;
    size_t room = 0;
    char *own_sources;

    if (object->is_indexed)
        return;
    object->is_indexed = true;
    own_sources = rdl__own_sources(object->module);
    object->units = rdl__allocate(count_units(object) * sizeof *object->units + 1);
    while ((die = dw.dwfl_module_nextcu(object->module, die, &object->bias))) {
        struct rdl__unit *unit = &object->units[object->unit_count++];

        unit->die = *die;
        unit->is_ours = rdl__unit_is_own(die, own_sources);
        if (!unit->is_ours)
            add_functions(object, unit, die, &room);
    }
    if (!own_sources)
        find_ours(object);
    free(own_sources);
}

struct rdl__object *rdl__object_of_ours(struct rdl__object *object)
{
    struct rdl__object *ours = object->ours;
    size_t room = 0;

    if (ours)
        return ours;
    ours = object->ours = rdl__allocate(sizeof *ours);
    *ours = *object;
    ours->functions = NULL;
    ours->ranges = NULL;
    ours->function_count = ours->range_count = 0;
    ours->has_ranges = false;
    for (size_t i = 0; i < ours->unit_count; i++)
        if (ours->units[i].is_ours)
            add_functions(ours, &ours->units[i], &ours->units[i].die, &room);
    return ours;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static void read_row(Dwarf_Line *line, struct rdl__row *out)
{
    const char *path = dw.dwarf_linesrc(line, NULL, NULL);

    out->path = path ? path : "";
    dw.dwarf_lineaddr(line, &out->at);
    dw.dwarf_lineno(line, &out->line);
    dw.dwarf_linebeginstatement(line, &out->begins);
    dw.dwarf_lineendsequence(line, &out->ends);
    dw.dwarf_lineprologueend(line, &out->prologue_ends);
}

/* They are asked for often, and libdw has a function for each of their parts. */
size_t rdl__unit_rows(struct rdl__unit *unit)
{
    Dwarf_Lines *lines;
    size_t count;

    if (unit->has_rows)
        return unit->row_count;
    unit->has_rows = true;
    if (dw.dwarf_getsrclines(&unit->die, &lines, &count) != 0)
        return 0;
    unit->rows = rdl__allocate(count * sizeof *unit->rows + 1);
    unit->row_count = count;
    for (size_t i = 0; i < count; i++)
        read_row(dw.dwarf_onesrcline(lines, i), &unit->rows[i]);
    return count;
}

size_t rdl__unit_row_from(struct rdl__unit *unit, Dwarf_Addr at)
{
    size_t from = 0, to = rdl__unit_rows(unit);

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (unit->rows[middle].at < at)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

char *rdl__unit_path(struct rdl__unit *unit, const char *path)
{
    Dwarf_Attribute attribute;
    const char *folder =
        dw.dwarf_formstring(dw.dwarf_attr_integrate(&unit->die, DW_AT_comp_dir, &attribute));
    struct rdl__text all = {0};

    rdl__text_add(&all, "%s%s%s", path[0] == '/' || !folder ? "" : folder,
                  path[0] == '/' ? "" : "/", path);
    rdl__path_simplify(all.bytes);
    return all.bytes;
}

bool rdl__path_ends(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);

    return length >= tail && strcmp(path + length - tail, end) == 0 &&
           (length == tail || path[length - tail - 1] == '/' || end[0] == '/');
}
