/* locate_symbols.c -- functions of which only the symbol is known. */
#include <string.h>

#include "port/locate_parts.h"

#define dw rdl__libdw

struct symbol {
    const char *name;
    GElf_Sym is;
    Dwarf_Addr at; /* without the bias */
};

static bool get_symbol(struct rdl__object *object, int i, struct symbol *out)
{
    GElf_Word section;
    GElf_Addr address;

    out->name =
        dw.dwfl_module_getsym_info(object->module, i, &out->is, &address, &section, NULL, NULL);
    out->at = address - object->bias;
    return out->name && section != SHN_UNDEF &&
           (GELF_ST_TYPE(out->is.st_info) == STT_FUNC ||
            GELF_ST_TYPE(out->is.st_info) == STT_GNU_IFUNC);
}

/* "crc32", "crc32@@ZLIB_1", "crc32.constprop.0"; parts that were split off are not the function. */
static bool is_called(const struct symbol *symbol, const char *name)
{
    size_t length = strlen(name);
    const char *rest = symbol->name + length;

    return strncmp(symbol->name, name, length) == 0 &&
           (*rest == '\0' || *rest == '@' ||
            (*rest == '.' && !strstr(rest, ".part") && !strstr(rest, ".cold")));
}

/* Raddle's own stand-ins for functions are not what anybody means. */
static bool is_ours(struct rdl__object *object, const struct symbol *symbol)
{
    rdl__object_index(object);
    for (size_t i = 0; i < object->unit_count; i++)
        if (object->units[i].is_ours && dw.dwarf_haspc(&object->units[i].die, symbol->at) > 0)
            return true;
    return false;
}

static bool is_meant(struct rdl__object *object, const struct rdl__query *query, int i,
                     struct symbol *out)
{
    return get_symbol(object, i, out) && is_called(out, query->function) && !is_ours(object, out);
}

bool rdl__object_has_names(struct rdl__object *object)
{
    int count = dw.dwfl_module_getsymtab(object->module);
    struct symbol symbol;

    for (int i = 0; i < count; i++)
        if (get_symbol(object, i, &symbol))
            return true;
    return object->unit_count > 0;
}

bool rdl__object_has_symbol(struct rdl__object *object, const struct rdl__query *query)
{
    int count = dw.dwfl_module_getsymtab(object->module);
    struct symbol symbol;

    for (int i = 0; i < count; i++)
        if (is_meant(object, query, i, &symbol))
            return true;
    return false;
}

void rdl__symbols_consider(struct rdl__likes *likes, struct rdl__object *object)
{
    int count = dw.dwfl_module_getsymtab(object->module);
    struct symbol symbol;

    for (int i = 0; i < count; i++)
        if (get_symbol(object, i, &symbol) && strncmp(symbol.name, "rdl_", 4) != 0 &&
            (object->unit_count == 0 || GELF_ST_BIND(symbol.is.st_info) != STB_LOCAL))
            rdl__likes_consider(likes, symbol.name);
}

/* It chooses one of several functions when it is loaded, as it does again here.  For more than
 * where calls lead to, nobody could tell what that one is. */
static bool add_chosen(struct rdl__answer *answer, struct rdl__object *object,
                       const struct rdl__query *query, const struct symbol *symbol)
{
    uintptr_t (*choose)(void) = (uintptr_t(*)(void))(symbol->at + object->bias);

    if (!query->at_entry || !object->is_running)
        return rdl__answer_fail(answer,
                                "%s chooses one of several functions when it is loaded; "
                                "name that one, or a line after the call",
                                query->function);
    rdl__answer_add(answer, &(struct rdl__found){.object = object,
                                                 .function = query->function,
                                                 .at = choose() - object->bias});
    return true;
}

static bool add_one(struct rdl__answer *answer, struct rdl__object *object,
                    const struct rdl__query *query, const struct symbol *symbol)
{
    struct rdl__extent extent = {symbol->at, symbol->at + symbol->is.st_size, NULL,
                                 query->function};

    if (GELF_ST_TYPE(symbol->is.st_info) == STT_GNU_IFUNC)
        return add_chosen(answer, object, query, symbol);
    if (!query->at_return) {
        Dwarf_Addr landing = query->at_entry ? 0 : rdl__landing_length(object, symbol->at);

        rdl__answer_add(answer, &(struct rdl__found){.object = object,
                                                     .function = query->function,
                                                     .at = symbol->at + landing});
        return true;
    }
    if (extent.end == extent.start)
        return rdl__answer_fail(answer, "where the function ends is not known");
    return rdl__returns_add(answer, object, &extent) >= 0 ||
           rdl__answer_fail(answer, "returns are found by libZydis.so.4.0, which is missing");
}

/* Functions of two files may have the same name, if they are static. */
static bool are_two(const struct symbol *a, const struct symbol *b)
{
    return GELF_ST_BIND(a->is.st_info) == STB_LOCAL && GELF_ST_BIND(b->is.st_info) == STB_LOCAL &&
           a->at != b->at && strcmp(a->name, b->name) == 0;
}

static bool is_one_function(struct rdl__object *object, const struct rdl__query *query)
{
    int count = dw.dwfl_module_getsymtab(object->module);
    struct symbol symbol, first = {0};

    for (int i = 0; i < count; i++) {
        if (!is_meant(object, query, i, &symbol))
            continue;
        if (first.name && are_two(&first, &symbol))
            return false;
        if (!first.name)
            first = symbol;
    }
    return true;
}

bool rdl__object_is_split(struct rdl__object *object)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;

    while ((unit = dw.dwfl_module_nextcu(object->module, unit, &bias)))
        if (dw.dwarf_hasattr(unit, DW_AT_dwo_name) || dw.dwarf_hasattr(unit, DW_AT_GNU_dwo_name))
            return true;
    return false;
}

static bool has_no_code(const struct rdl__object *object, const char *name)
{
    for (size_t i = 0; i < object->function_count; i++)
        if (!object->functions[i].has_code && !object->functions[i].unit->is_ours &&
            strcmp(object->functions[i].name, name) == 0)
            return true;
    return false;
}

/* Debugging information has it, but no code: the compiler has found that another function does the
 * same, and calls lead to that (-fipa-icf).  All that is left is a jump, or another name. */
static bool is_lost(struct rdl__object *object, const char *name, const struct symbol *symbol)
{
    enum { JUMP = 0xe9, SHORT_JUMP = 0xeb };
    const struct rdl__function *there;
    const unsigned char *code =
        (const unsigned char *)(uintptr_t)(symbol->at + object->bias +
                                           rdl__landing_length(object, symbol->at));

    if (!object->is_running || !has_no_code(object, name))
        return false;
    there = rdl__function_at(object, symbol->at);
    return there ? strcmp(there->name, name) != 0 : *code == JUMP || *code == SHORT_JUMP;
}

bool rdl__symbol_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__query *query)
{
    int count = dw.dwfl_module_getsymtab(object->module);
    struct symbol symbol;

    if (query->text)
        return rdl__answer_fail(answer,
                                "%s has no debugging information for %s, so its lines are "
                                "not known; compile it with -g%s",
                                object->name, query->function,
                                rdl__object_is_split(object) ? ", and without -gsplit-dwarf" : "");
    if (!is_one_function(object, query))
        return rdl__answer_fail(answer,
                                "there are several functions of that name, and no debugging "
                                "information that tells them apart; compile it with -g");
    for (int i = 0; i < count; i++) {
        if (!is_meant(object, query, i, &symbol))
            continue;
        if (!add_one(answer, object, query, &symbol))
            return false;
        answer->location->is_lost |= query->at_entry && is_lost(object, query->function, &symbol);
    }
    return answer->count > 0 || rdl__answer_fail(answer, "the function never returns");
}
