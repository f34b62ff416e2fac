/* variables.c -- the variable that an address lies in, as a C programmer would write it:
 * "accounts[1].balance".
 *
 * Variables of files and whole programs are known; those in functions are left to the
 * symbol table, which knows the static ones. */
#include "port/variables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/locate_parts.h"

#define dw rdl__libdw

enum { DEPTH_MAX = 16, DIMENSIONS_MAX = 4 };

/* What we are looking for, in one module. */
struct search {
    struct rdl__visitor visitor;
    struct rdl__datum *data;
    size_t count;
    const struct rdl__modules *modules;
};

static bool get_type(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_formref_die(dw.dwarf_attr_integrate(die, DW_AT_type, &attribute), out) &&
           dw.dwarf_peel_type(out, out) == 0;
}

bool rdl__die_number(Dwarf_Die *die, unsigned name, Dwarf_Word *out)
{
    Dwarf_Attribute attribute;

    return dw.dwarf_formudata(dw.dwarf_attr_integrate(die, name, &attribute), out) == 0;
}

static bool get_size(Dwarf_Die *type, Dwarf_Word *out)
{
    return dw.dwarf_aggregate_size(type, out) == 0 && *out > 0;
}

/* ---- Parts of a variable ---------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void add(struct rdl__datum *datum, const char *format,
                                                      ...)
{
    size_t used = strlen(datum->name);
    va_list args;

    va_start(args, format);
    vsnprintf(datum->name + used, sizeof datum->name - used, format, args);
    va_end(args);
}

/* The member at this offset, which becomes one in the member. */
static bool enter_member(struct rdl__datum *datum, Dwarf_Die *type, Dwarf_Word *offset)
{
    Dwarf_Die member, of;
    Dwarf_Word start, size;

    if (dw.dwarf_child(type, &member) != 0)
        return false;
    do {
        int tag = dw.dwarf_tag(&member);
        const char *name = dw.dwarf_diename(&member);

        if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !get_type(&member, &of) ||
            !get_size(&of, &size))
            continue;
        if (!rdl__die_number(&member, DW_AT_data_member_location, &start))
            start = 0; /* of a union; or it is static, or some bits */
        if (*offset < start || *offset - start >= size)
            continue;
        if (tag == DW_TAG_member && name)
            add(datum, ".%s", name);
        *offset -= start;
        *type = of;
        return true;
    } while (dw.dwarf_siblingof(&member, &member) == 0);
    return false;
}

static int dimensions_of(Dwarf_Die *array, Dwarf_Word counts[DIMENSIONS_MAX])
{
    Dwarf_Die range;
    int count = 0;

    if (dw.dwarf_child(array, &range) != 0)
        return 0;
    do {
        Dwarf_Word upper;

        if (dw.dwarf_tag(&range) != DW_TAG_subrange_type || count == DIMENSIONS_MAX)
            continue;
        if (rdl__die_number(&range, DW_AT_upper_bound, &upper))
            counts[count++] = upper + 1;
        else if (rdl__die_number(&range, DW_AT_count, &upper))
            counts[count++] = upper;
        else
            return 0;
    } while (dw.dwarf_siblingof(&range, &range) == 0);
    return count;
}

static bool enter_element(struct rdl__datum *datum, Dwarf_Die *type, Dwarf_Word *offset)
{
    Dwarf_Word counts[DIMENSIONS_MAX], size, left = 1;
    int dimensions = dimensions_of(type, counts);
    Dwarf_Die of;

    if (dimensions == 0 || !get_type(type, &of) || !get_size(&of, &size))
        return false;
    for (int i = 1; i < dimensions; i++)
        left *= counts[i];
    for (int i = 0; i < dimensions && left > 0; i++) {
        add(datum, "[%llu]", (unsigned long long)(*offset / (left * size)));
        *offset %= left * size;
        left /= i + 1 < dimensions ? counts[i + 1] : 1;
    }
    *type = of;
    return true;
}

/* What lies at this offset of something of this type.  A union is taken as a whole: what
 * is in it, who knows; and so are the primitives of the C library, most of which are one. */
static void describe(struct rdl__datum *datum, Dwarf_Die type, Dwarf_Word offset)
{
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        int tag = dw.dwarf_tag(&type);
        bool entered = false;

        if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type)
            entered = enter_member(datum, &type, &offset);
        else if (tag == DW_TAG_array_type)
            entered = enter_element(datum, &type, &offset);
        if (!entered)
            break;
    }
    if (offset)
        add(datum, "+%llu", (unsigned long long)offset);
}

/* ---- Variables ------------------------------------------------------------------------------ */

bool rdl__variable_address(Dwarf_Die *variable, Dwarf_Addr *out)
{
    Dwarf_Attribute location, address;
    Dwarf_Op *ops;
    size_t count;

    if (!dw.dwarf_attr_integrate(variable, DW_AT_location, &location) ||
        dw.dwarf_getlocation(&location, &ops, &count) != 0 || count != 1)
        return false;
    *out = ops[0].number;
    if (ops[0].atom == DW_OP_addr)
        return true;
    return ops[0].atom == DW_OP_addrx &&
           dw.dwarf_getlocation_attr(&location, &ops[0], &address) == 0 &&
           dw.dwarf_formaddr(&address, out) == 0;
}

static void look_into(struct rdl__visitor *visitor, Dwarf_Die *variable, Dwarf_Addr start)
{
    struct search *search = (struct search *)visitor;
    const char *name = dw.dwarf_diename(variable);
    Dwarf_Die type;
    Dwarf_Word size;

    if (!name || !get_type(variable, &type) || !get_size(&type, &size))
        return;
    for (size_t i = 0; i < search->count; i++) {
        struct rdl__datum *datum = &search->data[i];

        if (datum->name[0] || datum->address < start || datum->address - start >= size)
            continue;
        add(datum, "%s", name);
        describe(datum, type, datum->address - start);
    }
}

/* Libdw does not count variables without a value in the file as part of the module. */
static bool has_data(const struct rdl__visitor *visitor, Dwarf_Addr start)
{
    const struct search *search = (const struct search *)visitor;

    for (size_t i = 0; i < search->count; i++)
        if (!search->data[i].name[0] &&
            rdl__module_start(search->modules, search->data[i].address) == start)
            return true;
    return false;
}

/* C++ has variables in namespaces. */
static void visit_unit(struct rdl__visitor *visitor, Dwarf_Die *around, Dwarf_Addr bias)
{
    Dwarf_Die die;
    Dwarf_Addr address;

    if (dw.dwarf_child(around, &die) != 0)
        return;
    do {
        int tag = dw.dwarf_tag(&die);

        if (tag == DW_TAG_namespace)
            visit_unit(visitor, &die, bias);
        else if (tag == DW_TAG_variable && rdl__variable_address(&die, &address))
            visitor->visit(visitor, &die, address + bias);
    } while (dw.dwarf_siblingof(&die, &die) == 0);
}

/* Units of ours are many, and hardly ever what is wanted: they come last. */
static int visit_module(Dwfl_Module *module, void **unused, const char *name, Dwarf_Addr start,
                        void *context)
{
    struct rdl__visitor *visitor = context;
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    char *own_sources;

    (void)unused, (void)name;
    if (!visitor->wants(visitor, start))
        return DWARF_CB_OK;
    own_sources = rdl__own_sources(module);
    while ((unit = dw.dwfl_module_nextcu(module, unit, &bias)))
        if (!rdl__unit_is_own(unit, own_sources))
            visit_unit(visitor, unit, bias);
    if (own_sources && visitor->wants(visitor, start))
        while ((unit = dw.dwfl_module_nextcu(module, unit, &bias)))
            if (rdl__unit_is_own(unit, own_sources))
                visit_unit(visitor, unit, bias);
    free(own_sources);
    return DWARF_CB_OK;
}

void rdl__variables_visit(struct rdl__visitor *visitor, Dwfl *dwfl)
{
    dw.dwfl_getmodules(dwfl, visit_module, visitor, 0);
}

void rdl__variables_find(struct rdl__datum *data, size_t count, Dwfl *dwfl,
                         const struct rdl__modules *modules)
{
    struct search search = {{has_data, look_into}, data, count, modules};

    if (count)
        rdl__variables_visit(&search.visitor, dwfl);
}
