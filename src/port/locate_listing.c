/* locate_listing.c -- the instructions around a place, for those who want to see them. */
#include <string.h>

#include "port/locate_parts.h"
#include "port/zydis.h"

#if __has_include("port/relocate.h")
#include "port/relocate.h"
#define HAS_RELOCATION
#endif

#define zydis rdl__zydis
#define dw    rdl__libdw

enum { BEFORE = 2, AFTER = 3, ALL = BEFORE + 1 + AFTER, TEXT_ROOM = 256 };

/* Where instructions can be counted from: the beginning of the function, by its symbol. */
static Dwarf_Addr start_of(struct rdl__object *object, Dwarf_Addr at)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;

    return dw.dwfl_module_addrinfo(object->module, at + object->bias, &offset, &symbol, NULL, NULL,
                                   NULL)
               ? at - offset
               : at;
}

static bool decode(struct rdl__object *object, Dwarf_Addr at, ZydisDecodedInstruction *out,
                   ZydisDecodedOperand *operands)
{
    size_t left;
    const unsigned char *code = rdl__object_code(object, at, &left);

    return code &&
           ZYAN_SUCCESS(zydis.ZydisDecoderDecodeFull(&zydis.decoder, code, left, out, operands));
}

/* Addresses are written with all their zeros. */
static void shorten(char *text)
{
    for (char *at = text; (at = strstr(at, "0x")); at++) {
        size_t zeros = strspn(at + 2, "0");
        bool is_zero = !strchr("123456789abcdefABCDEF", at[2 + zeros]) || !at[2 + zeros];

        zeros -= is_zero && zeros > 0;
        memmove(at + 2, at + 2 + zeros, strlen(at + 2 + zeros) + 1);
    }
}

/* "call 0x1139 <append>" */
static const char *text_of(struct rdl__room *room, struct rdl__object *object, Dwarf_Addr at,
                           const ZydisDecodedInstruction *is, const ZydisDecodedOperand *operands)
{
    static ZydisFormatter formatter;
    char text[TEXT_ROOM] = "";
    const char *symbol = NULL;

    if (!ZYAN_SUCCESS(zydis.ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT)) ||
        !ZYAN_SUCCESS(zydis.ZydisFormatterFormatInstruction(&formatter, is, operands,
                                                            is->operand_count_visible, text,
                                                            sizeof text, at + object->bias, NULL)))
        return "";
    shorten(text);
    if (operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative)
        symbol = dw.dwfl_module_addrname(object->module,
                                         at + object->bias + is->length + operands[0].imm.value.u);
    return symbol ? rdl__room_print(room, "%s <%s>", text, symbol) : rdl__room_keep(room, text);
}

/* Why the patcher cannot put a hook there. */
static const char *refusal_of(struct rdl__room *room, struct rdl__object *object, Dwarf_Addr at)
{
#ifdef HAS_RELOCATION
    struct rdl__moved moved = {0};
    size_t left;
    const unsigned char *code = rdl__object_code(object, at, &left);
    uintptr_t from = at + object->bias;

    if (code && !rdl__relocate(code, left, from, from + (1 << 20), &moved))
        return rdl__room_keep(room, moved.refused);
#endif
    (void)room, (void)object, (void)at;
    return "";
}

/* Some instructions before a place, or the place itself if they cannot be counted. */
static Dwarf_Addr begin_before(struct rdl__object *object, Dwarf_Addr at)
{
    ZydisDecodedInstruction is;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    Dwarf_Addr next = start_of(object, at), last[BEFORE];

    for (int i = 0; i < BEFORE; i++)
        last[i] = next;
    while (next < at && decode(object, next, &is, operands)) {
        memmove(last, last + 1, (BEFORE - 1) * sizeof *last);
        last[BEFORE - 1] = next;
        next += is.length;
    }
    return next == at ? last[0] : at;
}

void rdl__listing_add(struct rdl__spot *spot, struct rdl__room *room, struct rdl__object *object,
                      Dwarf_Addr at)
{
    struct rdl__instruction *kept = rdl__room_get(room, ALL * sizeof *kept);
    ZydisDecodedInstruction is;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct rdl__error error;
    Dwarf_Addr next;

    if (!kept || !rdl__zydis_load(&error))
        return;
    next = begin_before(object, at);
    for (size_t after = 0; after <= AFTER && spot->code_count<ALL; after += next> at) {
        if (!decode(object, next, &is, operands))
            break;
        if (next == at)
            spot->code_at = spot->code_count;
        kept[spot->code_count++] = (struct rdl__instruction){
            next + object->bias, text_of(room, object, next, &is, operands)};
        next += is.length;
    }
    spot->code = kept;
    spot->refusal = refusal_of(room, object, at);
}
