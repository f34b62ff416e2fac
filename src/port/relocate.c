/* relocate.c -- one instruction, written so that it does the same at another place.
 *
 * Most are copied as they are.  What depends on its place: operands that are found
 * relative to the instruction, jumps, and calls.  The rules are those that kprobes and
 * uprobes of Linux go by, too. */
#include "port/relocate.h"

#include <string.h>

#include "port/zydis.h"

enum { RED_ZONE = 128, JUMP_SIZE = 5, FAR_JUMP_SIZE = 14 };

struct instruction {
    ZydisDecodedInstruction it;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    const uint8_t *bytes;
    uintptr_t from, behind;
};

/* What is being written, and where it is to lie. */
struct copy {
    struct rdl__moved *out;
    uintptr_t to;
};

bool rdl__is_near(uintptr_t here, uintptr_t there)
{
    enum { MARGIN = 256 }; /* for where in an instruction or a slot it is counted from */
    int64_t distance = (int64_t)(there - here);

    return distance > INT32_MIN + MARGIN && distance < INT32_MAX - MARGIN;
}

/* ---- Writing ------------------------------------------------------------------------------ */

static void put(struct copy *copy, const void *bytes, size_t count)
{
    memcpy(copy->out->bytes + copy->out->size, bytes, count);
    copy->out->size = (uint8_t)(copy->out->size + count);
}

#define PUT(copy, ...)                                                                             \
    put(copy, (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

static void put_32(struct copy *copy, int64_t value)
{
    int32_t low = (int32_t)value;

    put(copy, &low, sizeof low);
}

static uintptr_t here(const struct copy *copy)
{
    return copy->to + copy->out->size;
}

static void put_jump(struct copy *copy, uintptr_t target)
{
    if (rdl__is_near(here(copy), target)) {
        PUT(copy, 0xe9);
        put_32(copy, (int64_t)(target - here(copy) - 4));
    } else {
        PUT(copy, 0xff, 0x25, 0, 0, 0, 0); /* to the address that follows */
        put(copy, &target, sizeof target);
    }
}

static void put_way_back(struct copy *copy, const struct instruction *i)
{
    uint8_t before = copy->out->size;

    put_jump(copy, i->behind);
    copy->out->way_back = (uint8_t)(copy->out->size - before);
}

/* The return address of a call that has not been moved: its lower half, which moves the
 * stack pointer, then its upper one. */
static void put_push(struct copy *copy, uintptr_t value)
{
    PUT(copy, 0x68);
    put_32(copy, (int64_t)value);
    PUT(copy, 0xc7, 0x44, 0x24, 0x04);
    put_32(copy, (int64_t)(value >> 32));
}

/* ---- Questions ---------------------------------------------------------------------------- */

static const ZydisDecodedOperand *relative_memory(const struct instruction *i)
{
    for (int k = 0; k < i->it.operand_count; k++)
        if (i->operands[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (i->operands[k].mem.base == ZYDIS_REGISTER_RIP ||
             i->operands[k].mem.base == ZYDIS_REGISTER_EIP))
            return &i->operands[k];
    return NULL;
}

static bool is_relative_branch(const struct instruction *i)
{
    return i->it.operand_count > 0 && i->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
           i->operands[0].imm.is_relative;
}

static bool is(ZydisRegister one, ZydisRegister whole)
{
    return rdl__zydis.ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, one) == whole;
}

static bool uses(const struct instruction *i, ZydisRegister whole)
{
    for (int k = 0; k < i->it.operand_count; k++) {
        const ZydisDecodedOperand *operand = &i->operands[k];

        if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is(operand->reg.value, whole))
            return true;
        if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            (is(operand->mem.base, whole) || is(operand->mem.index, whole)))
            return true;
    }
    return false;
}

/* ---- What is refused ---------------------------------------------------------------------- */

static const char *why_not(const struct instruction *i)
{
    switch (i->it.mnemonic) {
    case ZYDIS_MNEMONIC_INT3:
        return "it is a breakpoint, of the program or of a debugger";
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
        return "it is there to crash, and the crash is to happen in its place";
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_XTEST:
        return "it belongs to a memory transaction, which a hook would abort";
    case ZYDIS_MNEMONIC_CLI:
    case ZYDIS_MNEMONIC_STI:
        return "programs may not execute it";
    default:
        break;
    }
    switch (i->it.meta.category) {
    case ZYDIS_CATEGORY_INTERRUPT:
        return "it is an interrupt, which the kernel wants from its place";
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
        return "it is a system call, and who looks at where it was made must find its place";
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
        return "programs may not execute it";
    default:
        break;
    }
    if (i->it.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
        return "programs may not execute it";
    if (i->it.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return "it is a jump to another segment";
    if (is_relative_branch(i) && i->it.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE &&
        !i->it.raw.rex.W)
        return "it is a branch with a prefix that CPUs disagree about";
    return NULL;
}

static bool refuse(struct copy *copy, const char *why)
{
    copy->out->refused = why;
    copy->out->size = 0;
    return false;
}

/* ---- Classes of instructions --------------------------------------------------------------- */

static uintptr_t target_of(const struct instruction *i)
{
    return i->behind + (uintptr_t)i->operands[0].imm.value.s;
}

/* loop and jrcxz reach 127 bytes at most: they jump over the jump that is for otherwise. */
static void move_loop(struct copy *copy, const struct instruction *i)
{
    bool near = rdl__is_near(here(copy), i->behind);

    put(copy, i->bytes, i->it.length - 1u);
    PUT(copy, (uint8_t)(near ? JUMP_SIZE : FAR_JUMP_SIZE));
    put_jump(copy, i->behind);
    put_jump(copy, target_of(i));
}

static void move_condition(struct copy *copy, const struct instruction *i)
{
    uint8_t condition = i->it.opcode & 0xf, otherwise = condition ^ 1;

    if (rdl__is_near(here(copy), target_of(i))) {
        PUT(copy, 0x0f, 0x80 | condition);
        put_32(copy, (int64_t)(target_of(i) - here(copy) - 4));
    } else {
        PUT(copy, 0x70 | otherwise, FAR_JUMP_SIZE);
        put_jump(copy, target_of(i));
    }
    put_way_back(copy, i);
}

static void move_relative_branch(struct copy *copy, const struct instruction *i)
{
    enum { LOOPS = 0xe0, JRCXZ = 0xe3 };

    if (i->it.meta.category == ZYDIS_CATEGORY_CALL) {
        put_push(copy, i->behind);
        put_jump(copy, target_of(i));
    } else if (i->it.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
        put_jump(copy, target_of(i));
    } else if (i->it.opcode >= LOOPS && i->it.opcode <= JRCXZ) {
        move_loop(copy, i);
    } else {
        move_condition(copy, i);
    }
}

/* The instruction with its operand found from where it is now. */
static bool put_rebased(struct copy *copy, const struct instruction *i)
{
    uintptr_t wanted = i->behind + (uintptr_t)i->it.raw.disp.value;
    uintptr_t behind = here(copy) + i->it.length;
    int32_t displacement = (int32_t)(wanted - behind);
    uint8_t *bytes = copy->out->bytes + copy->out->size;

    if (!rdl__is_near(behind, wanted))
        return false;
    put(copy, i->bytes, i->it.length);
    memcpy(bytes + i->it.raw.disp.offset, &displacement, sizeof displacement);
    return true;
}

/* Registers that can hold an address with no further ado, and their numbers. */
static const struct scratch {
    ZydisRegister name;
    uint8_t number;
} scratches[] = {{ZYDIS_REGISTER_RAX, 0}, {ZYDIS_REGISTER_RCX, 1}, {ZYDIS_REGISTER_RDX, 2},
                 {ZYDIS_REGISTER_RBX, 3}, {ZYDIS_REGISTER_RSI, 6}, {ZYDIS_REGISTER_RDI, 7}};

static const struct scratch *free_register(const struct instruction *i)
{
    for (size_t k = 0; k < sizeof scratches / sizeof *scratches; k++)
        if (!uses(i, scratches[k].name))
            return &scratches[k];
    return NULL;
}

static bool decode(const uint8_t *bytes, size_t readable, struct instruction *out)
{
    return ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(&rdl__zydis.decoder, bytes, readable,
                                                          &out->it, out->operands));
}

/* The instruction with its operand found by a register.  Prefixes may have a say in which
 * register that is; whoever wants to know decodes it. */
static bool put_by_register(struct copy *copy, const struct instruction *i,
                            const struct scratch *scratch)
{
    size_t modrm = i->it.raw.modrm.offset, rest = i->it.raw.disp.offset + 4u;
    const uint8_t *start = copy->out->bytes + copy->out->size;
    struct instruction written;

    put(copy, i->bytes, modrm);
    PUT(copy, (uint8_t)((i->bytes[modrm] & 0x38) | scratch->number));
    put(copy, i->bytes + rest, i->it.length - rest);
    return decode(start, RDL__INSTRUCTION_MAX, &written) && uses(&written, scratch->name);
}

/* The operand is too far away: a register that the instruction does not use holds its
 * address meanwhile, and is kept below the red zone. */
static bool put_with_register(struct copy *copy, const struct instruction *i)
{
    uintptr_t wanted = i->behind + (uintptr_t)i->it.raw.disp.value;
    const struct scratch *scratch = free_register(i);

    if (!scratch || uses(i, ZYDIS_REGISTER_RSP) || i->it.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
        return false;
    PUT(copy, 0x48, 0x8d, 0x64, 0x24, (uint8_t)-RED_ZONE); /* lea -128(%rsp), %rsp */
    PUT(copy, 0x50 | scratch->number);                     /* push */
    PUT(copy, 0x48, 0xb8 | scratch->number);               /* mov $wanted */
    put(copy, &wanted, sizeof wanted);
    if (!put_by_register(copy, i, scratch))
        return false;
    PUT(copy, 0x58 | scratch->number);                             /* pop */
    PUT(copy, 0x48, 0x8d, 0xa4, 0x24, (uint8_t)RED_ZONE, 0, 0, 0); /* lea 128(%rsp), %rsp */
    return true;
}

/* Push what lies far away, by way of rax, which stays as it is. */
static void put_far_push(struct copy *copy, const struct instruction *i)
{
    uintptr_t wanted = i->behind + (uintptr_t)i->it.raw.disp.value;

    PUT(copy, 0x50);       /* push %rax */
    PUT(copy, 0x48, 0xa1); /* movabs wanted, %rax */
    put(copy, &wanted, sizeof wanted);
    PUT(copy, 0x48, 0x87, 0x04, 0x24); /* xchg %rax, (%rsp) */
}

/* What uses the stack anyway, and has an operand that is too far away. */
static bool put_by_stack(struct copy *copy, const struct instruction *i)
{
    if (i->it.operand_width != 64)
        return false;
    if (i->it.mnemonic == ZYDIS_MNEMONIC_PUSH) {
        put_far_push(copy, i);
        return true;
    }
    if (i->it.meta.category != ZYDIS_CATEGORY_UNCOND_BR)
        return false;
    PUT(copy, 0x48, 0x8d, 0x64, 0x24, (uint8_t)-RED_ZONE); /* lea -128(%rsp), %rsp */
    put_far_push(copy, i);
    PUT(copy, 0xc2, RED_ZONE, 0); /* ret $128 */
    return true;
}

static bool move_relative_memory(struct copy *copy, const struct instruction *i)
{
    if (i->it.raw.disp.size != 32 || i->it.address_width != 64)
        return refuse(copy, "its operand is found in a way that no compiler uses");
    if (!put_rebased(copy, i) && !put_by_stack(copy, i) && !put_with_register(copy, i))
        return refuse(copy, "its operand is too far from any place for a copy of it");
    return true;
}

/* call becomes push and jmp, which differ in one field of the instruction. */
static void put_as_jump(struct copy *copy, const struct instruction *i)
{
    enum { FIELD = 0x38, JUMP = 4 << 3 };
    uint8_t *modrm = copy->out->bytes + copy->out->size + i->it.raw.modrm.offset;

    put(copy, i->bytes, i->it.length);
    *modrm = (uint8_t)((*modrm & ~FIELD) | JUMP);
}

/* Where the operand is found by the stack pointer, that has moved by what was pushed. */
static bool put_jump_by_stack(struct copy *copy, const struct instruction *i)
{
    enum { BY_SIB_AND_32_BITS = 0xa4 };
    int64_t displacement = i->operands[0].mem.disp.value;

    if (displacement < 0)
        return refuse(copy, "it calls what lies in the red zone, and overwrites it");
    put(copy, i->bytes, i->it.raw.modrm.offset);
    PUT(copy, BY_SIB_AND_32_BITS, i->bytes[i->it.raw.modrm.offset + 1]);
    put_32(copy, displacement + 8);
    return true;
}

static bool move_indirect_call(struct copy *copy, const struct instruction *i)
{
    struct instruction jump = *i;
    uint8_t bytes[RDL__INSTRUCTION_MAX];

    if (i->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
        i->operands[0].reg.value == ZYDIS_REGISTER_RSP)
        return refuse(copy, "it calls the stack");
    put_push(copy, i->behind);
    if (i->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
        i->operands[0].mem.base == ZYDIS_REGISTER_RSP)
        return put_jump_by_stack(copy, i);
    if (!relative_memory(i)) {
        put_as_jump(copy, i);
        return true;
    }
    memcpy(bytes, i->bytes, i->it.length);
    bytes[i->it.raw.modrm.offset] = 0x25; /* jmp *displacement(%rip) */
    jump.bytes = bytes;
    if (!put_rebased(copy, &jump)) {
        put_far_push(copy, i);
        PUT(copy, 0xc3); /* ret */
    }
    return true;
}

static bool goes_elsewhere(const struct instruction *i)
{
    return i->it.meta.category == ZYDIS_CATEGORY_RET ||
           i->it.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
}

static bool move(struct copy *copy, const struct instruction *i)
{
    const char *why = why_not(i);

    if (why)
        return refuse(copy, why);
    if (is_relative_branch(i)) {
        move_relative_branch(copy, i);
        return true;
    }
    if (i->it.meta.category == ZYDIS_CATEGORY_CALL)
        return move_indirect_call(copy, i);
    if (!relative_memory(i))
        put(copy, i->bytes, i->it.length);
    else if (!move_relative_memory(copy, i))
        return false;
    if (!goes_elsewhere(i))
        put_way_back(copy, i);
    return true;
}

bool rdl__relocate(const uint8_t *bytes, size_t readable, uintptr_t from, uintptr_t to,
                   struct rdl__moved *out)
{
    struct instruction i = {.bytes = bytes, .from = from};
    struct copy copy = {.out = out, .to = to};

    *out = (struct rdl__moved){0};
    if (!decode(bytes, readable, &i))
        return refuse(&copy, "these bytes are no instruction");
    i.behind = from + i.it.length;
    out->length = i.it.length;
    out->has_lock = i.it.attributes & ZYDIS_ATTRIB_HAS_LOCK;
    out->is_landing = i.it.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
    out->is_call = i.it.meta.category == ZYDIS_CATEGORY_CALL;
    out->goes_elsewhere = goes_elsewhere(&i);
    return move(&copy, &i);
}
