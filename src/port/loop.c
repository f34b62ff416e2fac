/* loop.c -- loops in which code does nothing but look at memory, again and again.
 *
 * All instructions are decoded to which those around the place can lead, without calls, returns and
 * jumps to what a register says.  Those of them that lead back to the place are the loop. */
#include "port/loop.h"

#include <dlfcn.h>
#include <stdbool.h>

#include "port/zydis.h"

enum { STEPS_MAX = 64, NOWHERE = -1 };

struct step {
    uintptr_t at;
    int next[2]; /* numbers of steps; NOWHERE */
    bool jumps;  /* the second of these is where it leads if it does */
    bool only_looks, looks, moves_to_stack;
    bool comes_back;
};

struct path {
    struct step steps[STEPS_MAX];
    int count;
};

/* The number of the step there, which is added if it is new; NOWHERE: there is no room. */
static int step_at(struct path *path, uintptr_t at)
{
    for (int i = 0; i < path->count; i++)
        if (path->steps[i].at == at)
            return i;
    if (path->count == STEPS_MAX)
        return NOWHERE;
    path->steps[path->count] = (struct step){.at = at, .next = {NOWHERE, NOWHERE}};
    return path->count++;
}

static bool decode(uintptr_t at, ZydisDecodedInstruction *out,
                   ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
    struct dl_find_object found;

    return _dl_find_object((void *)at, &found) == 0 &&
           ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(&rdl__zydis.decoder, (const void *)at,
                                                          (uintptr_t)found.dlfo_map_end - at, out,
                                                          operands));
}

/* Does it change no memory, unless it is such as locks are made of? */
static bool only_looks(const ZydisDecodedInstruction *it, const ZydisDecodedOperand *operands)
{
    if (it->meta.category == ZYDIS_CATEGORY_SYSCALL || it->meta.category == ZYDIS_CATEGORY_IO ||
        it->meta.category == ZYDIS_CATEGORY_INTERRUPT)
        return false;
    for (int i = 0; i < it->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
            !(it->attributes & ZYDIS_ATTRIB_HAS_LOCK) && it->mnemonic != ZYDIS_MNEMONIC_XCHG)
            return false;
    return true;
}

static bool looks(const ZydisDecodedInstruction *it, const ZydisDecodedOperand *operands)
{
    for (int i = 0; i < it->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            return true;
    return false;
}

static bool moves_to_stack(const ZydisDecodedInstruction *it, const ZydisDecodedOperand *operands)
{
    ZydisRegister base =
        operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ? operands[0].mem.base : ZYDIS_REGISTER_NONE;

    return it->mnemonic == ZYDIS_MNEMONIC_MOV &&
           (base == ZYDIS_REGISTER_RBP || base == ZYDIS_REGISTER_RSP) &&
           operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_direct(const ZydisDecodedOperand *operands)
{
    return operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operands[0].imm.is_relative;
}

/* Decode it, and add the steps that it leads to. */
static void follow(struct path *path, int number)
{
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct step *step = &path->steps[number];
    uintptr_t behind;

    if (!decode(step->at, &it, operands))
        return;
    behind = step->at + it.length;
    switch (it.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
        return;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        if (it.meta.category == ZYDIS_CATEGORY_COND_BR)
            step->next[0] = step_at(path, behind);
        if (!is_direct(operands))
            return;
        step->jumps = true;
        step->next[1] = step_at(path, behind + (uintptr_t)operands[0].imm.value.s);
        break;
    default:
        step->next[0] = step_at(path, behind);
    }
    step->moves_to_stack = moves_to_stack(&it, operands);
    step->looks = looks(&it, operands);
    step->only_looks = step->moves_to_stack || only_looks(&it, operands);
}

static bool leads_back(const struct path *path, int number)
{
    const struct step *step = &path->steps[number];

    for (int i = 0; i < 2; i++)
        if (step->next[i] == 0 || (step->next[i] > 0 && path->steps[step->next[i]].comes_back))
            return true;
    return false;
}

static void find_loop(struct path *path)
{
    bool found_more = true;

    while (found_more) {
        found_more = false;
        for (int i = 0; i < path->count; i++)
            if (!path->steps[i].comes_back && leads_back(path, i))
                path->steps[i].comes_back = found_more = true;
    }
}

/* False: it is none that is looked for. */
static bool describe(const struct path *path, struct rdl__loop *out)
{
    bool has_looked = false;

    *out = (struct rdl__loop){.count = 0};
    for (int i = 0; i < path->count; i++) {
        const struct step *step = &path->steps[i];
        const struct step *to = step->next[1] >= 0 ? &path->steps[step->next[1]] : NULL;

        if (!step->comes_back)
            continue;
        if (!step->only_looks)
            return false;
        out->has_locals |= step->moves_to_stack;
        has_looked |= step->looks;
        if (!step->jumps || !to || !to->comes_back || to->at > step->at)
            continue;
        if (out->count == RDL__LOOP_JUMPS)
            return false;
        out->jumps[out->count++] = step->at;
    }
    return has_looked && out->count > 0;
}

bool rdl__loop_find(uintptr_t pc, struct rdl__loop *out)
{
    struct path path = {.count = 0};
    struct rdl__error error;

    if (!rdl__zydis_load(&error))
        return false;
    step_at(&path, pc);
    for (int i = 0; i < path.count; i++)
        follow(&path, i);
    find_loop(&path);
    return describe(&path, out);
}
