/* prototype_read.c -- what a function takes and returns: from what libdw says of one. */
#include "port/prototype_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/frame_recipe.h"
#include "port/variables.h"

#define dw rdl__libdw

/* The first reason counts. */
void rdl__sketch_refuse(struct rdl__sketch *sketch, const char *format, ...)
{
    char text[512];
    va_list args;

    if (*sketch->out->refusal)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sketch->out->refusal = rdl__room_keep(&sketch->reading->types.room, text);
}

static const char *spell(struct rdl__prototype_reading *reading, Dwarf_Die *type, bool is_void)
{
    struct rdl__text name = {0};
    const char *kept;

    rdl__type_spell(&name, type, is_void);
    kept = rdl__room_keep(&reading->types.room, name.bytes);
    rdl__text_release(&name);
    return kept;
}

static const struct rdl__type *read_type(struct rdl__prototype_reading *reading, Dwarf_Die *die,
                                         uint32_t size)
{
    const struct rdl__type *type = rdl__type_read(&reading->types, die);
    struct rdl__type *bytes;

    if (type)
        return type;
    bytes = rdl__room_get(&reading->types.room, sizeof *bytes);
    if (bytes)
        *bytes = (struct rdl__type){.kind = RDL__TYPE_BYTES, .size = size};
    return bytes;
}

/* ---- The result ------------------------------------------------------------------------------ */

static void read_result(struct rdl__sketch *sketch, Dwarf_Die *function)
{
    struct rdl__prototype *out = sketch->out;
    struct rdl__classes classes;
    Dwarf_Die type;

    out->returns_name = "void";
    if (!rdl__die_type(function, &type))
        return;
    classes = rdl__type_classes(&type, sketch->is_by_clang);
    out->returns_name = spell(sketch->reading, &type, false);
    out->returns_size = classes.size;
    out->returns = read_type(sketch->reading, &type, classes.size);
    out->returning = rdl__pass_result(&classes, &sketch->taken);
    if (classes.refusal)
        rdl__sketch_refuse(sketch, "its result (%s) is %s", out->returns_name, classes.refusal);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static struct rdl__parameter *new_parameter(struct rdl__sketch *sketch)
{
    if (sketch->out->count == sketch->room) {
        sketch->room = sketch->room ? 2 * sketch->room : 8;
        sketch->parameters =
            rdl__reallocate(sketch->parameters, sketch->room * sizeof *sketch->parameters);
    }
    sketch->parameters[sketch->out->count] = (struct rdl__parameter){.name = ""};
    return &sketch->parameters[sketch->out->count++];
}

static void keep_parameters(struct rdl__sketch *sketch)
{
    size_t size = sketch->out->count * sizeof *sketch->parameters;
    void *to = size ? rdl__room_get(&sketch->reading->types.room, size) : NULL;

    if (to)
        sketch->out->parameters = memcpy(to, sketch->parameters, size);
    else
        sketch->out->count = 0;
    if (size && !to)
        rdl__sketch_refuse(sketch, "it needs more memory than there is");
    free(sketch->parameters);
}

/* What the code of the function says of the parameter: there, parameters refer to those of its
 * original, in any order. */
static bool find_concrete(const struct rdl__sketch *sketch, const Dwarf_Die *parameter,
                          Dwarf_Die *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Die origin;

    if (!sketch->concrete || dw.dwarf_child(sketch->concrete, out) != 0)
        return false;
    do {
        if (dw.dwarf_tag(out) != DW_TAG_formal_parameter)
            continue;
        origin = *out;
        while (dw.dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) &&
               dw.dwarf_formref_die(&attribute, &origin))
            continue;
        if (origin.addr == parameter->addr)
            return true;
    } while (dw.dwarf_siblingof(out, out) == 0);
    return false;
}

/* The number that debugging information has for the register which holds the first bytes. */
static int register_of(const struct rdl__passing *passing)
{
    static const int integers[] = {5, 4, 1, 2, 8, 9};
    enum { XMM0 = 17 };

    if (passing->how[0] == RDL__CARRIED_BY_INTEGER)
        return integers[passing->number[0]];
    return passing->how[0] == RDL__CARRIED_BY_VECTOR ? XMM0 + passing->number[0] : -1;
}

/* Which register, by its number; -1: none, but somewhere else; -2: nowhere. */
static int register_at_entry(const struct rdl__sketch *sketch, Dwarf_Die *parameter)
{
    Dwarf_Attribute location;
    Dwarf_Op *ops;
    size_t count;

    if (!dw.dwarf_attr_integrate(parameter, DW_AT_location, &location) ||
        dw.dwarf_getlocation_addr(&location, sketch->entry, &ops, &count, 1) != 1)
        return -2;
    if (count != 1)
        return -1;
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        return ops[0].atom - DW_OP_reg0;
    return ops[0].atom == DW_OP_regx ? (int)ops[0].number : -1;
}

/* Compilers that know all callers leave out parameters, and clang does not say so.  One that is
 * nowhere may be such a one; unless a later one of its kind is where it should be. */
static void check_place(struct rdl__sketch *sketch, const Dwarf_Die *die,
                        const struct rdl__parameter *parameter)
{
    int expected = register_of(&parameter->passing), seen = -2;
    bool is_vector = parameter->passing.how[0] == RDL__CARRIED_BY_VECTOR;
    Dwarf_Die concrete;

    if (!sketch->concrete || expected < 0)
        return;
    if (find_concrete(sketch, die, &concrete))
        seen = register_at_entry(sketch, &concrete);
    if (seen >= 0 && seen != expected)
        rdl__sketch_refuse(sketch,
                           "the compiler passes its parameter %s in another register than "
                           "functions of this type have it in",
                           parameter->name);
    if (seen == expected)
        sketch->left_out[is_vector] = NULL;
    else if (seen == -2 && !sketch->left_out[is_vector])
        sketch->left_out[is_vector] = parameter->name;
}

static void check_left_out(struct rdl__sketch *sketch)
{
    for (int i = 0; i < 2; i++)
        if (sketch->left_out[i] && sketch->is_by_clang && sketch->is_own_file)
            rdl__sketch_refuse(sketch,
                               "the compiler may have left out its parameter %s, since all callers "
                               "are in the same file (were it not static, it could not)",
                               sketch->left_out[i]);
}

static void read_parameter(struct rdl__sketch *sketch, Dwarf_Die *die)
{
    struct rdl__parameter *parameter = new_parameter(sketch);
    struct rdl__classes classes;
    bool fits_before, is_doubtful = false;
    Dwarf_Die type;

    parameter->name = rdl__room_keep(&sketch->reading->types.room, dw.dwarf_diename(die));
    if (!rdl__die_type(die, &type)) {
        rdl__sketch_refuse(sketch, "the type of its parameter %u is not known", sketch->out->count);
        return;
    }
    classes = rdl__type_classes(&type, sketch->is_by_clang);
    fits_before = sketch->taken.integers + 2 <= 6;
    parameter->type_name = spell(sketch->reading, &type, false);
    parameter->size = classes.size;
    parameter->type = read_type(sketch->reading, &type, classes.size);
    parameter->passing = rdl__pass_argument(&classes, &sketch->taken, &is_doubtful);
    if (classes.refusal)
        rdl__sketch_refuse(sketch, "its parameter %u (%s %s) is %s", sketch->out->count,
                           parameter->type_name, parameter->name, classes.refusal);
    if (classes.is_wide_integer && !fits_before && sketch->is_by_clang)
        rdl__sketch_refuse(
            sketch,
            "its parameter %u (%s %s) finds no room in registers, and then compilers "
            "disagree",
            sketch->out->count, parameter->type_name, parameter->name);
    if (is_doubtful)
        rdl__sketch_refuse(sketch,
                           "where its parameter %u (%s %s) lies depends on whether that is packed, "
                           "which debugging information does not say",
                           sketch->out->count, parameter->type_name, parameter->name);
    check_place(sketch, die, parameter);
}

bool rdl__die_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool yes = false;

    return dw.dwarf_attr_integrate(die, name, &attribute) &&
           dw.dwarf_formflag(&attribute, &yes) == 0 && yes;
}

/* "..." is said alike of functions that take any number, and of those that do not say what. */
static void read_parameters(struct rdl__sketch *sketch, Dwarf_Die *function)
{
    bool is_prototyped = !sketch->is_of_c || rdl__die_flag(function, DW_AT_prototyped);
    bool is_open = false;
    Dwarf_Die child;

    if (dw.dwarf_child(function, &child) == 0)
        do {
            is_open |= dw.dwarf_tag(&child) == DW_TAG_unspecified_parameters;
            if (dw.dwarf_tag(&child) == DW_TAG_formal_parameter)
                read_parameter(sketch, &child);
        } while (dw.dwarf_siblingof(&child, &child) == 0);
    sketch->out->is_variadic = is_open && is_prototyped;
    if (!is_prototyped && sketch->out->count)
        rdl__sketch_refuse(sketch,
                           "it is defined in the old style, without types between the parentheses");
    else if (!is_prototyped && sketch->is_pointed_to)
        rdl__sketch_refuse(
            sketch, "it is declared with (), which does not say what it takes; (void) would");
    else if (!is_prototyped && !sketch->out->returns_size)
        rdl__sketch_refuse(sketch, "nothing says what it takes and returns: it was compiled with "
                                   "-g1, where -g is needed, or is defined with (), and not with "
                                   "(void)");
    check_left_out(sketch);
    sketch->out->stack_bytes = (sketch->taken.stack + 7) & ~7u;
    if (sketch->out->is_variadic)
        sketch->out->stack_bytes += RDL__OPEN_STACK_BYTES;
    keep_parameters(sketch);
}

void rdl__sketch_fill(struct rdl__sketch *sketch, Dwarf_Die *function)
{
    sketch->out->never_returns = rdl__die_flag(function, DW_AT_noreturn);
    read_result(sketch, function);
    read_parameters(sketch, function);
}
