/* frame_recipe.c -- how to find something, from what libdw has read.
 *
 * Operations are copied, since libdw will not be there when they are carried out.  Addresses
 * become those of the process; what an operation refers to is put into it. */
#include "port/frame_recipe.h"

#include <dlfcn.h>
#include <string.h>

#include "port/variables.h"

#define dw rdl__libdw

enum { REGISTERS = 17 };

static bool is_entry_value(unsigned code)
{
    return code == DW_OP_entry_value || code == DW_OP_GNU_entry_value;
}

/* ---- Operations that refer to something ----------------------------------------------------- */

static bool put_address(struct rdl__recipes *recipes, Dwarf_Attribute *attribute,
                        const Dwarf_Op *op, struct rdl__recipe_op *out)
{
    bool is_constant = op->atom == DW_OP_constx || op->atom == DW_OP_GNU_const_index;
    Dwarf_Attribute address;
    Dwarf_Addr at;
    Dwarf_Word number;

    if (!attribute || dw.dwarf_getlocation_attr(attribute, op, &address) != 0)
        return false;
    if (dw.dwarf_formaddr(&address, &at) != 0) {
        if (!is_constant || dw.dwarf_formudata(&address, &number) != 0)
            return false;
        at = number;
    }
    out->code = is_constant ? DW_OP_const8u : DW_OP_addr;
    out->a = is_constant ? at : at + recipes->bias;
    return true;
}

static bool put_bytes(struct rdl__recipes *recipes, Dwarf_Attribute *attribute, const Dwarf_Op *op,
                      struct rdl__recipe_op *out)
{
    Dwarf_Block block;
    void *kept;

    if (!attribute || dw.dwarf_getlocation_implicit_value(attribute, op, &block) != 0 ||
        !(kept = rdl__room_get(recipes->room, block.length)))
        return false;
    out->more = memcpy(kept, block.data, block.length);
    out->a = block.length;
    return true;
}

/* What a register held when the function began. */
static bool put_entry(struct rdl__recipes *recipes, Dwarf_Attribute *attribute, const Dwarf_Op *op,
                      struct rdl__recipe_op *out)
{
    Dwarf_Attribute inner;
    Dwarf_Op *ops;
    size_t count;

    if (!attribute || dw.dwarf_getlocation_attr(attribute, op, &inner) != 0 ||
        dw.dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1)
        return false;
    if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
        out->a = ops[0].atom - DW_OP_reg0;
    else if (ops[0].atom == DW_OP_regx)
        out->a = ops[0].number;
    else
        return false;
    out->code = RDL__OP_PASSED;
    recipes->has_entry_values = true;
    return true;
}

/* A conversion, to a number of so many bytes, with a sign or without; of others we know no more
 * than the bytes. */
static bool put_type(Dwarf_Attribute *attribute, const Dwarf_Op *op, struct rdl__recipe_op *out)
{
    Dwarf_Die type;
    Dwarf_Word size, encoding;

    out->a = sizeof(uint64_t);
    out->b = false;
    if (op->number == 0)
        return true;
    if (!attribute || dw.dwarf_getlocation_die(attribute, op, &type) != 0 ||
        !rdl__die_number(&type, DW_AT_byte_size, &size) ||
        !rdl__die_number(&type, DW_AT_encoding, &encoding) || size > sizeof(uint64_t))
        return false;
    if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
        return false;
    out->a = size;
    out->b = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    return true;
}

/* Where a jump goes: which operation that is. */
static bool put_jump(const Dwarf_Op *ops, size_t count, size_t from, struct rdl__recipe_op *out)
{
    Dwarf_Word to = ops[from].offset + 3 + (Dwarf_Word)(int16_t)ops[from].number;

    for (size_t i = 0; i <= count; i++)
        if (i == count || ops[i].offset == to) {
            out->a = i;
            return true;
        }
    return false;
}

static bool put_op(struct rdl__recipes *recipes, Dwarf_Attribute *attribute, const Dwarf_Op *ops,
                   size_t count, size_t i, struct rdl__recipe_op *out)
{
    const Dwarf_Op *op = &ops[i];

    *out = (struct rdl__recipe_op){op->atom, op->number, op->number2, NULL};
    if (is_entry_value(op->atom))
        return put_entry(recipes, attribute, op, out);
    switch (op->atom) {
    case DW_OP_addr:
        out->a += recipes->bias;
        return true;
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return put_address(recipes, attribute, op, out);
    case DW_OP_implicit_value:
        return put_bytes(recipes, attribute, op, out);
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret:
        out->code = DW_OP_convert;
        return put_type(attribute, op, out);
    case DW_OP_GNU_push_tls_address:
    case DW_OP_form_tls_address:
        out->code = DW_OP_form_tls_address;
        out->a = recipes->tls_module;
        out->more = dlsym(RTLD_DEFAULT, "__tls_get_addr"); /* of the dynamic linker */
        return true;
    case DW_OP_bra:
    case DW_OP_skip:
        return put_jump(ops, count, i, out);
    case DW_OP_implicit_pointer: /* to something that is in no memory */
    case DW_OP_GNU_implicit_pointer:
    case DW_OP_GNU_parameter_ref: /* what was passed, but is not any more */
    case DW_OP_GNU_variable_value:
    case DW_OP_call2:
    case DW_OP_call4:
    case DW_OP_call_ref:
        return false;
    default:
        return true;
    }
}

/* ---- Recipes -------------------------------------------------------------------------------- */

struct rdl__recipe rdl__recipe_make(struct rdl__recipes *recipes, Dwarf_Attribute *attribute,
                                    const Dwarf_Op *ops, size_t count)
{
    struct rdl__recipe_op *kept = rdl__room_get(recipes->room, count * sizeof *kept);

    for (size_t i = 0; i < count && kept; i++)
        if (!put_op(recipes, attribute, ops, count, i, &kept[i]))
            kept = NULL;
    return kept ? (struct rdl__recipe){kept, (uint32_t)count} : (struct rdl__recipe){0};
}

/* gcc says where a parameter is when a function begins, if it is kept for no instruction, by a
 * range that begins where it ends. */
static bool get_empty_range(Dwarf_Attribute *attribute, Dwarf_Addr at, Dwarf_Op **out,
                            size_t *out_count)
{
    Dwarf_Addr base, start, end;
    Dwarf_Op *ops;
    size_t count;
    bool found = false;

    for (ptrdiff_t next = 0;
         (next = dw.dwarf_getlocations(attribute, next, &base, &start, &end, &ops, &count)) > 0;)
        if (start == at && end == at) {
            *out = ops;
            *out_count = count;
            found = true;
        }
    return found;
}

struct rdl__recipe rdl__recipe_at(struct rdl__recipes *recipes, Dwarf_Die *die, unsigned name,
                                  Dwarf_Addr at)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (!dw.dwarf_attr_integrate(die, name, &attribute) ||
        (dw.dwarf_getlocation_addr(&attribute, at, &ops, &count, 1) <= 0 &&
         !(recipes->is_entry && get_empty_range(&attribute, at, &ops, &count))))
        return (struct rdl__recipe){0};
    return rdl__recipe_make(recipes, &attribute, ops, count);
}

struct rdl__recipe rdl__recipe_of_value(struct rdl__recipes *recipes, Dwarf_Attribute *attribute,
                                        size_t size)
{
    struct rdl__recipe_op *op = rdl__room_get(recipes->room, sizeof *op);
    Dwarf_Sword number;
    Dwarf_Block block = {.length = sizeof number};
    const char *text;
    void *kept;

    if (dw.dwarf_formblock(attribute, &block) != 0) {
        if (dw.dwarf_formsdata(attribute, &number) == 0) {
            block.data = (unsigned char *)&number;
        } else if ((text = dw.dwarf_formstring(attribute))) {
            block.data = (unsigned char *)text;
            block.length = strlen(text) + 1;
        } else {
            return (struct rdl__recipe){0};
        }
    }
    kept = op ? rdl__room_get(recipes->room, block.length > size ? block.length : size) : NULL;
    if (!kept)
        return (struct rdl__recipe){0};
    *op = (struct rdl__recipe_op){DW_OP_implicit_value, size, 0,
                                  memcpy(kept, block.data, block.length)};
    return (struct rdl__recipe){op, 1};
}

/* ---- Unwinding ------------------------------------------------------------------------------ */

static bool get_frame(Dwarf_CFI *cfi, const Dwarf_Addr *bias, Dwarf_Addr at, Dwarf_Frame **out)
{
    return cfi && dw.dwarf_cfi_addrframe(cfi, at - *bias, out) == 0;
}

void rdl__recipe_of_frame(struct rdl__recipes *recipes, struct rdl__object *object, Dwarf_Addr at,
                          struct rdl__recipe *out_cfa, struct rdl__recipe *out_saved)
{
    Dwarf_Addr bias = 0;
    Dwarf_Frame *frame = NULL;
    Dwarf_Op *ops, room[3];
    size_t count;

    at += object->bias;
    if (!get_frame(dw.dwfl_module_eh_cfi(object->module, &bias), &bias, at, &frame) &&
        !get_frame(dw.dwfl_module_dwarf_cfi(object->module, &bias), &bias, at, &frame))
        return;
    if (dw.dwarf_frame_cfa(frame, &ops, &count) == 0)
        *out_cfa = rdl__recipe_make(recipes, NULL, ops, count);
    for (int i = 0; i < REGISTERS && out_saved; i++)
        if (dw.dwarf_frame_register(frame, i, room, &ops, &count) == 0 && count > 0)
            out_saved[i] = rdl__recipe_make(recipes, NULL, ops, count);
}
