/* type_name.c -- a type as C writes it: "const char *", "int [4]", "void (*)(int)". */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/frame_recipe.h"
#include "port/types_read.h"
#include "port/variables.h"

#define dw rdl__libdw

enum { DEPTH_MAX = 20 };

static void spell(struct rdl__text *out, Dwarf_Die *type, bool is_void, const char *inner,
                  int depth);

/* What the type is of; false: void. */
static bool get_of(Dwarf_Die *type, Dwarf_Die *out)
{
    return rdl__die_type(type, out);
}

static void spell_array(struct rdl__text *out, Dwarf_Die *type, const char *inner, int depth)
{
    struct rdl__text text = {0};
    Dwarf_Die of, range;
    bool is_void = !get_of(type, &of);

    rdl__text_add(&text, "%s", inner);
    if (dw.dwarf_child(type, &range) == 0)
        do {
            Dwarf_Word count;

            if (dw.dwarf_tag(&range) != DW_TAG_subrange_type)
                continue;
            if (rdl__die_number(&range, DW_AT_count, &count))
                rdl__text_add(&text, "[%llu]", (unsigned long long)count);
            else if (rdl__die_number(&range, DW_AT_upper_bound, &count))
                rdl__text_add(&text, "[%llu]", (unsigned long long)count + 1);
            else
                rdl__text_add(&text, "[]");
        } while (dw.dwarf_siblingof(&range, &range) == 0);
    spell(out, &of, is_void, text.bytes, depth + 1);
    rdl__text_release(&text);
}

static void spell_function(struct rdl__text *out, Dwarf_Die *type, const char *inner, int depth)
{
    struct rdl__text text = {0};
    Dwarf_Die of, parameter;
    int count = 0;

    rdl__text_add(&text, "%s(", inner);
    if (dw.dwarf_child(type, &parameter) == 0)
        do {
            int tag = dw.dwarf_tag(&parameter);
            Dwarf_Die its;

            if (tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters)
                continue;
            rdl__text_add(&text, count++ ? ", " : "");
            if (tag == DW_TAG_unspecified_parameters)
                rdl__text_add(&text, "...");
            else
                spell(&text, &its, !get_of(&parameter, &its), "", depth + 1);
        } while (dw.dwarf_siblingof(&parameter, &parameter) == 0);
    rdl__text_add(&text, count ? ")" : "void)");
    spell(out, &of, !get_of(type, &of), text.bytes, depth + 1);
    rdl__text_release(&text);
}

static void spell_pointer(struct rdl__text *out, Dwarf_Die *type, const char *inner, int depth)
{
    struct rdl__text text = {0};
    Dwarf_Die of;
    bool is_void = !get_of(type, &of);
    int tag = is_void ? 0 : dw.dwarf_tag(&of);

    const char *sign = dw.dwarf_tag(type) == DW_TAG_pointer_type ? "*" : "&";
    bool is_around = tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type;

    rdl__text_add(&text, is_around ? "(%s%s)" : "%s%s", sign, inner);
    spell(out, &of, is_void, text.bytes, depth + 1);
    rdl__text_release(&text);
}

/* A qualifier of a pointer stands behind the star, all others before the name. */
static void spell_qualified(struct rdl__text *out, Dwarf_Die *type, const char *word,
                            const char *inner, int depth)
{
    struct rdl__text text = {0};
    Dwarf_Die of;
    bool is_void = !get_of(type, &of);

    if (!is_void && dw.dwarf_tag(&of) == DW_TAG_pointer_type) {
        rdl__text_add(&text, "%s%s%s", word, *inner ? " " : "", inner);
        spell(out, &of, is_void, text.bytes, depth + 1);
    } else {
        rdl__text_add(out, "%s ", word);
        spell(out, &of, is_void, inner, depth + 1);
    }
    rdl__text_release(&text);
}

static void spell_name(struct rdl__text *out, Dwarf_Die *type, const char *word, const char *inner)
{
    const char *name = dw.dwarf_diename(type);

    rdl__text_add(out, "%s%s%s%s", word, name ? name : "{...}", *inner ? " " : "", inner);
}

static void spell(struct rdl__text *out, Dwarf_Die *type, bool is_void, const char *inner,
                  int depth)
{
    int tag = is_void || depth > DEPTH_MAX ? 0 : dw.dwarf_tag(type);

    switch (tag) {
    case 0:
        rdl__text_add(out, "void%s%s", *inner ? " " : "", inner);
        break;
    case DW_TAG_pointer_type:
        spell_pointer(out, type, inner, depth);
        break;
    case DW_TAG_array_type:
        spell_array(out, type, inner, depth);
        break;
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        spell_pointer(out, type, inner, depth);
        break;
    case DW_TAG_subroutine_type:
        spell_function(out, type, inner, depth);
        break;
    case DW_TAG_const_type:
        spell_qualified(out, type, "const", inner, depth);
        break;
    case DW_TAG_volatile_type:
        spell_qualified(out, type, "volatile", inner, depth);
        break;
    case DW_TAG_restrict_type:
        spell_qualified(out, type, "restrict", inner, depth);
        break;
    case DW_TAG_atomic_type:
        spell_qualified(out, type, "_Atomic", inner, depth);
        break;
    default:
        spell_name(out, type,
                   tag == DW_TAG_structure_type     ? "struct "
                   : tag == DW_TAG_class_type       ? "class "
                   : tag == DW_TAG_union_type       ? "union "
                   : tag == DW_TAG_enumeration_type ? "enum "
                                                    : "",
                   inner);
    }
}

void rdl__type_spell(struct rdl__text *out, Dwarf_Die *type, bool is_void)
{
    spell(out, type, is_void, "", 0);
}
