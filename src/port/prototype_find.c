/* prototype_find.c -- functions whose prototype is wanted, or pointers to such, in debugging
 * information. */
#include <stdlib.h>
#include <string.h>

#include "port/dwarf.h"
#include "port/locate_parts.h"
#include "port/prototype_read.h"
#include "port/variables.h"

#define dw rdl__libdw

enum { DW_LANG_C17_ = 0x2c }; /* elfutils does not know it yet */

/* ---- Functions ------------------------------------------------------------------------------- */

static bool is_by_clang(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    const char *producer;

    if (!dw.dwarf_diecu(die, &unit, NULL, NULL) ||
        !dw.dwarf_attr(&unit, DW_AT_producer, &attribute))
        return false;
    producer = dw.dwarf_formstring(&attribute);
    return producer && strstr(producer, "clang");
}

/* Only C says whether a function has a prototype: in other languages all have. */
static bool is_of_c(Dwarf_Die *die)
{
    Dwarf_Word language;
    Dwarf_Die unit;

    if (!dw.dwarf_diecu(die, &unit, NULL, NULL) ||
        !rdl__die_number(&unit, DW_AT_language, &language))
        return true;
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == DW_LANG_C17_;
}

static Dwarf_Die origin_of(Dwarf_Die die)
{
    Dwarf_Attribute attribute;

    while (dw.dwarf_attr(&die, DW_AT_abstract_origin, &attribute) &&
           dw.dwarf_formref_die(&attribute, &die))
        continue;
    return die;
}

/* Assemblers say where functions are, but not what they take and return. */
static bool is_assembled(Dwarf_Die *function)
{
    Dwarf_Die type;

    return rdl__die_type(function, &type) && dw.dwarf_tag(&type) == DW_TAG_unspecified_type;
}

static void check_variant(struct rdl__sketch *sketch, Dwarf_Die *function, uintptr_t entry)
{
    static const char *const changed[] = {".isra", ".constprop", ".part", ".cold", ".simdclone"};
    const char *symbol = dw.dwfl_module_addrname(sketch->reading->object->module, entry);
    const char *dot = symbol ? strchr(symbol, '.') : NULL;
    Dwarf_Word convention;

    for (size_t i = 0; dot && i < sizeof changed / sizeof *changed; i++)
        if (strstr(dot, changed[i]))
            rdl__sketch_refuse(
                sketch, "it is %s, a variant that the compiler has made, with other parameters",
                symbol);
    if (rdl__die_number(function, DW_AT_calling_convention, &convention) &&
        convention == DW_CC_nocall)
        rdl__sketch_refuse(sketch,
                           "the compiler calls it in a way of its own, since it knows all callers");
}

static void enter_object(struct rdl__prototype_reading *reading, struct rdl__object *object)
{
    if (reading->object == object)
        return;
    rdl__object_index(object);
    reading->object = object;
    reading->structs = (struct rdl__structs){.object = object};
}

static bool enter_object_of(struct rdl__prototype_reading *reading, uintptr_t address)
{
    Dwfl_Module *module = dw.dwfl_addrmodule(reading->dwfl, address);

    for (size_t i = 0; i < reading->objects.count; i++)
        if (reading->objects.items[i].module == module) {
            enter_object(reading, &reading->objects.items[i]);
            return true;
        }
    return false;
}

/* The function that begins here; a landing place may be left out. */
static const struct rdl__function *function_from(struct rdl__prototype_reading *reading,
                                                 uintptr_t entry)
{
    Dwarf_Addr at = entry - reading->object->bias, first;
    const struct rdl__function *function = rdl__function_at(reading->object, at);

    return function && rdl__copy_first(&(struct rdl__copy){.die = function->die}, &first) &&
                   at - first <= rdl__landing_length(reading->object, first)
               ? function
               : NULL;
}

static void read_function(struct rdl__prototype_reading *reading,
                          struct rdl__prototype_wanted *wanted)
{
    struct rdl__sketch sketch = {.reading = reading, .out = &wanted->prototype};
    const struct rdl__function *function =
        enter_object_of(reading, wanted->entry) ? function_from(reading, wanted->entry) : NULL;
    Dwarf_Die concrete, origin;

    if (!function) {
        rdl__sketch_refuse(&sketch, "there is no debugging information of it: compile it with -g");
        return;
    }
    concrete = function->die;
    origin = origin_of(concrete);
    if (is_assembled(&origin)) {
        rdl__sketch_refuse(&sketch, "it is written in assembly language, so that nothing says what "
                                    "it takes and returns");
        return;
    }
    sketch.concrete = &concrete;
    sketch.entry = wanted->entry - reading->object->bias;
    sketch.is_by_clang = is_by_clang(&concrete);
    sketch.is_of_c = is_of_c(&concrete);
    sketch.is_own_file = !rdl__die_flag(&origin, DW_AT_external);
    wanted->prototype.name = rdl__room_keep(&reading->types.room, dw.dwarf_diename(&origin));
    check_variant(&sketch, &concrete, wanted->entry);
    rdl__sketch_fill(&sketch, &origin);
}

/* ---- Pointers to functions ------------------------------------------------------------------- */

/* The type of what a variable points to, if that is a function. */
static bool get_function_type(Dwarf_Die *variable, Dwarf_Die *out)
{
    if (!rdl__die_type(variable, out))
        return false;
    rdl__type_peel(out);
    if (dw.dwarf_tag(out) != DW_TAG_pointer_type || !rdl__die_type(out, out))
        return false;
    rdl__type_peel(out);
    return dw.dwarf_tag(out) == DW_TAG_subroutine_type;
}

/* The variable at this address, among those of a unit, or within its functions. */
static bool find_variable(Dwarf_Die *scope, Dwarf_Addr at, Dwarf_Die *out)
{
    Dwarf_Die child;
    Dwarf_Addr start;

    if (dw.dwarf_child(scope, &child) != 0)
        return false;
    do {
        int tag = dw.dwarf_tag(&child);

        if (tag == DW_TAG_variable && rdl__variable_address(&child, &start) && start == at) {
            *out = child;
            return true;
        }
        if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) &&
            find_variable(&child, at, out))
            return true;
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Libdw does not count variables without a value in the file as part of the module. */
static bool find_variable_in(struct rdl__prototype_reading *reading, uintptr_t address,
                             Dwarf_Die *out)
{
    const struct rdl__modules none = {0};
    uintptr_t start = rdl__module_start(&none, address);

    if (!start || !enter_object_of(reading, start))
        return false;
    for (size_t i = 0; i < reading->object->unit_count; i++)
        if (!reading->object->units[i].is_ours &&
            find_variable(&reading->object->units[i].die, address - reading->object->bias, out))
            return true;
    return false;
}

/* How many parameters of a function have names; they are written to `out` if that is not NULL. */
static uint32_t name_parameters(struct rdl__prototype_reading *reading, Dwarf_Die *function,
                                struct rdl__parameter *out, uint32_t count)
{
    uint32_t i = 0, named = 0;
    Dwarf_Die child;

    if (dw.dwarf_child(function, &child) != 0)
        return 0;
    do {
        const char *name = dw.dwarf_diename(&child);

        if (dw.dwarf_tag(&child) != DW_TAG_formal_parameter || i++ >= count)
            continue;
        named += name != NULL;
        if (out)
            out[i - 1].name = rdl__room_keep(&reading->types.room, name);
    } while (dw.dwarf_siblingof(&child, &child) == 0);
    return i == count ? named : 0;
}

/* Among the declarations and definitions of that name, one that names its parameters. */
static bool find_names(struct rdl__prototype_reading *reading, const char *name,
                       struct rdl__parameter *out, uint32_t count)
{
    Dwarf_Die child;

    for (size_t i = 0; i < reading->object->unit_count; i++)
        if (!reading->object->units[i].is_ours &&
            dw.dwarf_child(&reading->object->units[i].die, &child) == 0)
            do {
                const char *its =
                    dw.dwarf_tag(&child) == DW_TAG_subprogram ? dw.dwarf_diename(&child) : NULL;

                if (its && strcmp(its, name) == 0 &&
                    name_parameters(reading, &child, NULL, count)) {
                    name_parameters(reading, &child, out, count);
                    return true;
                }
            } while (dw.dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* What the variable points to, unless we were told; NULL: nobody knows. */
static const char *name_of(struct rdl__prototype_reading *reading,
                           const struct rdl__prototype_wanted *wanted)
{
    uintptr_t value = *(const uintptr_t *)wanted->variable;
    Dwfl_Module *module = value ? dw.dwfl_addrmodule(reading->dwfl, value) : NULL;

    if (wanted->name)
        return wanted->name;
    return module ? dw.dwfl_module_addrname(module, value) : NULL;
}

static void take_names(struct rdl__prototype_reading *reading, struct rdl__prototype_wanted *wanted)
{
    struct rdl__prototype *p = &wanted->prototype;
    const char *name = name_of(reading, wanted);
    uintptr_t value = *(const uintptr_t *)wanted->variable;
    struct rdl__parameter *parameters = (struct rdl__parameter *)p->parameters;

    if (!name)
        return;
    p->name = rdl__room_keep(&reading->types.room, name);
    if (p->count && !find_names(reading, name, parameters, p->count) && value &&
        enter_object_of(reading, value))
        find_names(reading, name, parameters, p->count);
}

static void read_pointed_to(struct rdl__prototype_reading *reading,
                            struct rdl__prototype_wanted *wanted)
{
    struct rdl__sketch sketch = {
        .reading = reading, .out = &wanted->prototype, .is_pointed_to = true};
    Dwarf_Die variable, type;

    if (!find_variable_in(reading, (uintptr_t)wanted->variable, &variable)) {
        rdl__sketch_refuse(
            &sketch, "there is no debugging information of its declaration: compile that with -g");
        return;
    }
    if (!get_function_type(&variable, &type)) {
        rdl__sketch_refuse(&sketch, "what is said to declare it is no pointer to a function");
        return;
    }
    sketch.is_by_clang = is_by_clang(&variable);
    sketch.is_of_c = is_of_c(&variable);
    rdl__sketch_fill(&sketch, &type);
    take_names(reading, wanted);
}

void rdl__prototypes_read(void *it)
{
    struct rdl__prototype_errand *errand = it;
    struct rdl__prototype_reading reading = {
        .types = {.room = errand->room, .follows_pointers = true}};

    reading.types.complete = rdl__structs_complete;
    reading.types.it = &reading.structs;
    reading.dwfl = rdl__dwarf_open_file(NULL);
    if (!reading.dwfl)
        return;
    rdl__objects_list(&reading.objects, reading.dwfl, true);
    for (size_t i = 0; i < errand->count; i++) {
        struct rdl__prototype_wanted one = errand->wanted[i];

        one.prototype = (struct rdl__prototype){.name = "", .returns_name = "", .refusal = ""};
        if (one.entry)
            read_function(&reading, &one);
        else
            read_pointed_to(&reading, &one);
        errand->wanted[i] = one; /* none that is half read is seen, whatever happens here */
    }
}
