/* loop_step.c -- an instruction of a loop that may be one in which a thread waits. */
#include "port/loop_step.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "port/loop.h"
#include "port/region.h"
#include "port/zydis.h"

struct decoded {
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

enum { GENERAL = 0, VECTORS = 16, SLOTS = 32 };

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The function that was asked for last. */
static struct rdl__region region;
static uint8_t *bytes;

void rdl__loop_steps_end(void)
{
    free(bytes);
    bytes = NULL;
    region = (struct rdl__region){0};
}

/* Without unwinding information: so much of the code. */
static bool guess_region(uintptr_t at, struct rdl__region *out)
{
    enum { AROUND = 4096 };
    struct dl_find_object found;
    uintptr_t start, end;

    if (_dl_find_object((void *)at, &found) != 0)
        return false;
    start = (uintptr_t)found.dlfo_map_start;
    end = (uintptr_t)found.dlfo_map_end;
    out->start = at - start > AROUND ? at - AROUND : start;
    out->end = end - at > AROUND ? at + AROUND : end;
    return true;
}

static bool decode(uintptr_t at, struct decoded *out)
{
    if (!bytes || !rdl__region_has(&region, at)) {
        rdl__loop_steps_end();
        if (!rdl__region_find(at, &region) && !guess_region(at, &region))
            return false;
        bytes = rdl__region_read(&region);
    }
    return bytes && ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(
                        &rdl__zydis.decoder, bytes + (at - region.start), region.end - at, &out->it,
                        out->operands));
}

/* ---- Values ---------------------------------------------------------------------------------- */

static rdl__loop_values value_of_register(ZydisRegister name)
{
    ZydisRegister whole =
        rdl__zydis.ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);

    if (whole == ZYDIS_REGISTER_RSP)
        return 0; /* is as it was when a round is over */
    if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
        return UINT64_C(1) << (GENERAL + (whole - ZYDIS_REGISTER_RAX));
    if (name >= ZYDIS_REGISTER_XMM0 && name <= ZYDIS_REGISTER_XMM15)
        return UINT64_C(1) << (VECTORS + (name - ZYDIS_REGISTER_XMM0));
    return 0;
}

static bool is_on_stack(const ZydisDecodedOperand *operand)
{
    int64_t by = operand->mem.disp.value;

    if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.index != ZYDIS_REGISTER_NONE)
        return false;
    return operand->mem.base == ZYDIS_REGISTER_RBP
               ? by < 0 && by > -RDL__FRAME_MAX
               : operand->mem.base == ZYDIS_REGISTER_RSP && by >= -RDL__RED_ZONE &&
                     by + (int)sizeof(uint64_t) * 2 <= RDL__FRAME_LIKELY;
}

static rdl__loop_values value_on_stack(const ZydisDecodedOperand *operand,
                                       struct rdl__loop_slots *slots)
{
    bool is_below_rbp = operand->mem.base == ZYDIS_REGISTER_RBP;
    int64_t by = operand->mem.disp.value;
    int i = 0;

    while (i < slots->count &&
           (slots->all[i].by != by || slots->all[i].is_below_rbp != is_below_rbp))
        i++;
    if (i == (int)(sizeof slots->all / sizeof *slots->all)) {
        slots->are_too_many = true;
        return 0;
    }
    if (i == slots->count)
        slots->all[slots->count++] = (struct rdl__loop_slot){is_below_rbp, by};
    return UINT64_C(1) << (SLOTS + i);
}

static void note_values(const ZydisDecodedOperand *operand, struct rdl__loop_slots *slots,
                        struct rdl__loop_step *out)
{
    rdl__loop_values value = 0;

    if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
        value = value_of_register(operand->reg.value);
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        out->reads |= value_of_register(operand->mem.base) | value_of_register(operand->mem.index);
        value = is_on_stack(operand) ? value_on_stack(operand, slots) : 0;
    }
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        out->reads |= value;
    if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        out->writes |= value;
    if (operand->actions & ZYDIS_OPERAND_ACTION_WRITE)
        out->sets |= value;
}

/* A register is set to 0. */
static bool is_clearing(const struct decoded *code)
{
    return (code->it.mnemonic == ZYDIS_MNEMONIC_XOR || code->it.mnemonic == ZYDIS_MNEMONIC_PXOR) &&
           code->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           code->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           code->operands[0].reg.value == code->operands[1].reg.value;
}

/* ---- What it does ---------------------------------------------------------------------------- */

/* Are its values among those that are compared when a round is over? */
static bool has_known_registers(const struct decoded *code)
{
    for (int i = 0; i < code->it.operand_count; i++) {
        ZydisRegister name = code->operands[i].reg.value;

        if (code->operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        if ((name >= ZYDIS_REGISTER_XMM16 && name <= ZYDIS_REGISTER_ZMM31) ||
            (name >= ZYDIS_REGISTER_ST0 && name <= ZYDIS_REGISTER_MM7) ||
            (name >= ZYDIS_REGISTER_K0 && name <= ZYDIS_REGISTER_K7))
            return false;
    }
    return true;
}

static bool is_of_lock(const struct decoded *code)
{
    return code->it.attributes & ZYDIS_ATTRIB_HAS_LOCK || code->it.mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static bool is_push(const struct decoded *code)
{
    return code->it.meta.category == ZYDIS_CATEGORY_PUSH ||
           code->it.meta.category == ZYDIS_CATEGORY_CALL;
}

static void note_memory(const struct decoded *code, struct rdl__loop_step *out)
{
    out->only_looks = has_known_registers(code) &&
                      code->it.meta.category != ZYDIS_CATEGORY_SYSCALL &&
                      code->it.meta.category != ZYDIS_CATEGORY_IO &&
                      code->it.meta.category != ZYDIS_CATEGORY_INTERRUPT;
    for (int i = 0; i < code->it.operand_count; i++) {
        const ZydisDecodedOperand *operand = &code->operands[i];

        if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->mem.type != ZYDIS_MEMOP_TYPE_MEM)
            continue;
        out->looks |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
        if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) || is_of_lock(code) ||
            is_push(code))
            continue;
        out->only_looks &= is_on_stack(operand);
        out->moves_to_stack = true;
        out->moves_below_rbp |= operand->mem.base == ZYDIS_REGISTER_RBP;
    }
}

static uint8_t condition_of(const struct decoded *code)
{
    enum { SHORT = 0x70, NEAR = 0x80, KIND = 0xf0, WHICH = 0x0f };
    uint8_t kind = code->it.opcode_map == ZYDIS_OPCODE_MAP_0F ? NEAR : SHORT;

    return code->it.meta.category == ZYDIS_CATEGORY_COND_BR && (code->it.opcode & KIND) == kind
               ? code->it.opcode & WHICH
               : RDL__LOOP_ALWAYS;
}

static void note_way(const struct decoded *code, struct rdl__loop_step *out)
{
    const ZydisDecodedOperand *operand = &code->operands[0];
    bool is_conditional = code->it.meta.category == ZYDIS_CATEGORY_COND_BR;

    out->calls = code->it.meta.category == ZYDIS_CATEGORY_CALL;
    out->returns = code->it.meta.category == ZYDIS_CATEGORY_RET;
    out->jumps = is_conditional || code->it.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
    out->falls = !out->returns && (!out->jumps || is_conditional);
    out->condition = condition_of(code);
    if ((out->calls || out->jumps) && operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        operand->imm.is_relative)
        out->target = out->behind + (uintptr_t)operand->imm.value.s;
    if ((out->calls || out->jumps) && !out->target)
        out->only_looks = false;
    if (is_conditional && out->condition == RDL__LOOP_ALWAYS)
        out->only_looks = false; /* by a register, or by what is no flag */
}

bool rdl__loop_step_read(uintptr_t at, struct rdl__loop_slots *slots, struct rdl__loop_step *out)
{
    struct decoded code;

    if (!decode(at, &code))
        return false;
    *out = (struct rdl__loop_step){.behind = at + code.it.length};
    for (int i = 0; i < code.it.operand_count; i++)
        note_values(&code.operands[i], slots, out);
    if (is_clearing(&code))
        out->reads = 0;
    out->sets &= ~out->reads;
    note_memory(&code, out);
    note_way(&code, out);
    return true;
}
