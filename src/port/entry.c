/* entry.c -- may a jump take the place of the first instructions of a function?
 *
 * Who could come into the midst of them?
 *
 *     - a branch of 32 bits, from anywhere: functions of the C library that are written in
 *       assembly language share code like that.  All bytes of the module that may be such a
 *       branch are taken for one; that is done once for a module.
 *     - a short branch, from this function or one next to it: they are decoded.
 *     - an indirect jump: a function that has one is not touched.  Nor is one of which a part lies
 *       elsewhere (.cold) that has one: it is known by branches to there and back.
 *
 * Where functions begin and end is said by unwinding information. */
#include "port/entry.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/code.h"
#include "port/region.h"
#include "port/zydis.h"

enum { SHORT_BRANCH = 128 };

/* ---- Branches of 32 bits --------------------------------------------------------------------- */

/* Code, and a bit for each of its bytes that may be what a branch leads to.  Kept for ever. */
static struct targets {
    struct rdl__region code;
    const void *module;
    uint64_t *bits;
    struct targets *next;
} * all_targets;

static void note_targets(struct targets *targets, uintptr_t at, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 5 <= count; i++) {
        bool is_condition = bytes[i] == 0x0f && (bytes[i + 1] & 0xf0) == 0x80;
        size_t operand = i + (is_condition ? 2 : 1);
        uintptr_t to;
        int32_t by;

        if ((!is_condition && (bytes[i] | 1) != 0xe9) || operand + sizeof by > count)
            continue;
        memcpy(&by, bytes + operand, sizeof by);
        to = at + operand + sizeof by + (uintptr_t)by - targets->code.start;
        if (to < targets->code.end - targets->code.start)
            targets->bits[to / 64] |= UINT64_C(1) << to % 64;
    }
}

static uint8_t length_of(const struct rdl__site *site)
{
    return site->is_wide ? site->wide_length : site->length;
}

/* What stands where we have changed the code is known. */
static struct targets *new_targets(struct rdl__region code, const void *module)
{
    struct targets *new = rdl__allocate(sizeof *new);

    new->code = code;
    new->module = module;
    new->bits = rdl__allocate((code.end - code.start) / 8 + sizeof *new->bits);
    note_targets(new, code.start, (const uint8_t *)code.start, code.end - code.start);
    for (const struct rdl__site *site = rdl__site_first(); site; site = site->next)
        if (site->is_armed && rdl__region_has(&code, site->address))
            note_targets(new, site->address, site->original, length_of(site));
    new->next = all_targets;
    all_targets = new;
    return new;
}

static const struct targets *get_targets(uintptr_t address)
{
    struct dl_find_object found;
    struct rdl__region code;

    if (_dl_find_object((void *)address, &found) != 0)
        return NULL;
    for (const struct targets *targets = all_targets; targets; targets = targets->next)
        if (rdl__region_has(&targets->code, address) && targets->module == found.dlfo_eh_frame)
            return targets;
    return rdl__code_find(address, &code.start, &code.end) ? new_targets(code, found.dlfo_eh_frame)
                                                           : NULL;
}

/* Into the midst: the first byte may be led to. */
static bool is_led_to(const struct rdl__region *bytes)
{
    const struct targets *targets = get_targets(bytes->start);

    for (uintptr_t at = bytes->start + 1; targets && at < bytes->end; at++)
        if (targets->bits[(at - targets->code.start) / 64] >> ((at - targets->code.start) % 64) & 1)
            return true;
    return targets == NULL;
}

/* ---- Short branches, and indirect ones ------------------------------------------------------- */

struct survey {
    struct rdl__region bytes;    /* those in question */
    struct rdl__region function; /* that they are the first of */
    bool is_entered;             /* their midst is led to */
    bool has_indirect;           /* jump, in the part at hand */
    bool comes_back;             /* a branch of the part at hand goes into the function */
    uintptr_t *elsewhere;        /* where the function jumps to */
    size_t count;
};

static void note_branch(struct survey *survey, uintptr_t to, bool is_own)
{
    survey->is_entered |= to > survey->bytes.start && to < survey->bytes.end;
    survey->comes_back |= rdl__region_has(&survey->function, to) && to > survey->bytes.start;
    if (!is_own || rdl__region_has(&survey->function, to))
        return;
    survey->elsewhere =
        rdl__reallocate(survey->elsewhere, (survey->count + 1) * sizeof *survey->elsewhere);
    survey->elsewhere[survey->count++] = to;
}

/* By a pointer at a fixed place: to another function, unless somebody put a label there. */
static bool is_tail_call(const struct survey *survey, const ZydisDecodedInstruction *it,
                         const ZydisDecodedOperand *operand, uintptr_t at)
{
    uintptr_t pointer = at + it->length + (uintptr_t)it->raw.disp.value, to = 0;

    return operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.base == ZYDIS_REGISTER_RIP &&
           rdl__code_read(pointer, &to, sizeof to) == sizeof to &&
           (!rdl__region_has(&survey->function, to) || to <= survey->bytes.start);
}

static void note_instruction(struct survey *survey, const ZydisDecodedInstruction *it,
                             const ZydisDecodedOperand *first, uintptr_t at, bool is_own)
{
    bool is_jump = it->meta.category == ZYDIS_CATEGORY_UNCOND_BR;

    if (!is_jump && it->meta.category != ZYDIS_CATEGORY_COND_BR)
        return;
    if (first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && first->imm.is_relative)
        note_branch(survey, at + it->length + (uintptr_t)first->imm.value.s, is_own);
    else
        survey->has_indirect |= is_jump && !is_tail_call(survey, it, first, at);
}

/* False: it cannot be read as instructions. */
static bool walk(struct survey *survey, const struct rdl__region *region, bool is_own)
{
    uint8_t *bytes = rdl__region_read(region);
    size_t size = region->end - region->start, at = 0;
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    survey->has_indirect = survey->comes_back = false;
    while (bytes && at < size &&
           ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(&rdl__zydis.decoder, bytes + at,
                                                          size - at, &it, operands))) {
        note_instruction(survey, &it, operands, region->start + at, is_own);
        at += it.length;
    }
    free(bytes);
    return bytes && at == size;
}

/* Functions from which a short branch could reach. */
static void walk_neighbours(struct survey *survey)
{
    struct rdl__region next;

    for (uintptr_t at = survey->function.start - SHORT_BRANCH;
         at < survey->bytes.end + SHORT_BRANCH;) {
        if (rdl__region_has(&survey->function, at)) {
            at = survey->function.end;
        } else if (rdl__region_find(at, &next) && next.start != survey->function.start) {
            walk(survey, &next, false);
            at = next.end;
        } else {
            at++;
        }
    }
}

/* Has a part of the function that lies elsewhere an indirect jump? */
static bool has_indirect_elsewhere(struct survey *survey)
{
    struct rdl__region part = {0};

    for (size_t i = 0; i < survey->count; i++) {
        if (rdl__region_has(&part, survey->elsewhere[i]))
            continue;
        if (!rdl__region_find(survey->elsewhere[i], &part) || !walk(survey, &part, false) ||
            (survey->comes_back && survey->has_indirect))
            return true;
    }
    return false;
}

static bool is_entered_within(const struct rdl__region *bytes, const struct rdl__region *function)
{
    struct survey survey = {.bytes = *bytes, .function = *function};
    bool yes = is_led_to(bytes) || !walk(&survey, function, true) || survey.has_indirect;

    if (!yes)
        walk_neighbours(&survey);
    yes = yes || survey.is_entered || has_indirect_elsewhere(&survey) || survey.is_entered;
    free(survey.elsewhere);
    return yes;
}

/* ---- The instructions ------------------------------------------------------------------------ */

static bool find_function(const struct rdl__site *site, size_t extent, struct rdl__region *out)
{
    enum { LANDING_SIZE = 4 };

    if (rdl__region_find(site->address, out) &&
        (out->start == site->address || out->start == site->address - LANDING_SIZE))
        return true;
    *out = (struct rdl__region){site->address, site->address + extent};
    return extent > 0;
}

/* Nothing but what fills up the space between functions. */
static bool is_padding(uintptr_t at, const uint8_t *bytes, size_t count)
{
    enum { NOP = 0x90, INT3 = 0xcc };
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction it;
    struct rdl__region function;

    for (size_t i = 0; i < count; i += it.length) {
        if (rdl__region_find(at + i, &function) ||
            !ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(&rdl__zydis.decoder, bytes + i,
                                                            RDL__INSTRUCTION_MAX, &it, operands)) ||
            (it.mnemonic != ZYDIS_MNEMONIC_NOP && it.mnemonic != ZYDIS_MNEMONIC_INT3))
            return false;
    }
    return true;
}

/* How many bytes there are in the instructions that a jump would overwrite; 0: it must not. */
static uint8_t measure(const struct rdl__site *site, const struct rdl__region *function,
                       const uint8_t *bytes, size_t readable)
{
    struct rdl__moved copy;
    uint8_t length = 0;

    for (; length < RDL__JUMP_SIZE; length = (uint8_t)(length + copy.length)) {
        uintptr_t at = site->address + length;
        uint8_t behind;

        if (at >= function->end ||
            !rdl__relocate(bytes + length, readable - length, at, site->slot, &copy) ||
            copy.has_lock)
            return 0;
        behind = (uint8_t)(length + copy.length);
        if (behind >= RDL__JUMP_SIZE)
            continue;
        if (copy.goes_elsewhere)
            return site->address + behind >= function->end &&
                           is_padding(site->address + behind, bytes + behind,
                                      (size_t)(RDL__JUMP_SIZE - behind))
                       ? RDL__JUMP_SIZE
                       : 0;
        if (copy.is_call || !copy.way_back)
            return 0;
    }
    return length;
}

uint8_t rdl__entry_measure(const struct rdl__site *site, size_t extent, uint8_t out[RDL__WIDE_MAX])
{
    uint8_t bytes[RDL__WIDE_MAX + RDL__INSTRUCTION_MAX], length;
    size_t readable = rdl__code_read(site->address, bytes, sizeof bytes);
    struct rdl__region function, first;

    if (readable < RDL__WIDE_MAX || !find_function(site, extent, &function))
        return 0;
    length = measure(site, &function, bytes, readable);
    first = (struct rdl__region){site->address, site->address + length};
    if (length == 0 || is_entered_within(&first, &function))
        return 0;
    memcpy(out, bytes, length);
    return length;
}

bool rdl__entry_copy(const struct rdl__site *site, uintptr_t at, uint8_t *out, size_t room)
{
    struct rdl__moved copy;
    size_t size = 0;

    for (uint8_t done = 0; done < site->wide_length; done = (uint8_t)(done + copy.length)) {
        size_t count;

        if (!rdl__relocate(site->original + done, site->wide_length - done, site->address + done,
                           at + size, &copy))
            return false;
        count = copy.size;
        if (!copy.goes_elsewhere && done + copy.length < site->wide_length)
            count -= copy.way_back;
        if (size + count > room)
            return false;
        memcpy(out + size, copy.bytes, count);
        size += count;
        if (copy.goes_elsewhere)
            break;
    }
    return true;
}
