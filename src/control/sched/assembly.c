/* assembly.c -- accesses to memory that inline assembly makes.
 *
 * The filter of the assembler has put a call before each of them (filter/assembly.c).  Locked
 * instructions are atomic operations, with all their order; others of up to eight bytes are what
 * accesses to volatile variables are (volatile.c); anything else is an access like any other. */
#include "control/sched/assembly.h"

#include <string.h>

#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/slow.h"
#include "control/sched/track.h"

RDL__ASKED_FOR(assembly);

/* ---- What it is about to do ------------------------------------------------------------------ */

/* A register by the number that the table has. */
static uint64_t register_of(const struct rdl__kept *kept, int number)
{
    const uintptr_t values[] = {kept->rax, kept->rdx,      kept->rcx, kept->rbx,
                                kept->rsi, kept->stack[0], kept->rbp, 0,
                                kept->r8,  kept->r9,       kept->r10, kept->stack[1],
                                kept->r12, kept->r13,      kept->r14, kept->r15};

    return number >= 0 && number < 16 ? values[number] : 0;
}

static uint64_t cut(uint64_t value, unsigned size)
{
    return size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
}

static uint64_t value_at(uintptr_t address, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size < 8 ? size : 8);
    return value;
}

/* The number of a bit in a register counts from the address on, however far. */
static int64_t bit_number(const struct rdl__kept *kept, const struct rdl__table_access *access)
{
    int64_t number = access->bit;

    if (access->other >= 0)
        number = (int64_t)register_of(kept, access->other);
    else
        return number % (access->size * 8);
    return access->size == 4 ? (int32_t)number : access->size == 2 ? (int16_t)number : number;
}

static bool is_bit(const struct rdl__table_access *access)
{
    return access->kind == RDL__ACCESS_SET_BIT || access->kind == RDL__ACCESS_CLEAR_BIT;
}

static uintptr_t address_of(const struct rdl__kept *kept, const struct rdl__table_access *access)
{
    int64_t bits = access->size * 8;
    int64_t number = is_bit(access) ? bit_number(kept, access) : 0;
    int64_t units = number >= 0 ? number / bits : -((-number + bits - 1) / bits);

    return rdl__canonical(kept->rdi + (uintptr_t)(units * access->size));
}

/* Does an instruction that compares find the value that it is to replace? */
static bool is_expected(const struct rdl__kept *kept, const struct rdl__table_access *access,
                        uintptr_t address)
{
    if (access->size == 16 && value_at(address + 8, 8) != kept->rdx)
        return false;
    return value_at(address, access->size) == cut(kept->rax, access->size);
}

/* Would it put back the same?  Then it does no more than to load: of two words, there is no
 * other way to do that at once. */
static bool is_same(const struct rdl__kept *kept, const struct rdl__table_access *access)
{
    if (access->size == 16)
        return kept->rax == kept->rbx && kept->rdx == kept->rcx;
    return access->other >= 0 &&
           cut(register_of(kept, access->other), access->size) == cut(kept->rax, access->size);
}

/* Will the value be another one?  If it will not, the thread has only looked, and may be waiting
 * for something to change. */
static bool changes(const struct rdl__kept *kept, const struct rdl__table_access *access,
                    uintptr_t address)
{
    uint64_t now = value_at(address, access->size);
    uint64_t bit;

    switch (access->kind) {
    case RDL__ACCESS_EXCHANGE:
        return access->other < 0 || cut(register_of(kept, access->other), access->size) != now;
    case RDL__ACCESS_COMPARE:
        return is_expected(kept, access, address) && !is_same(kept, access);
    case RDL__ACCESS_SET_BIT:
    case RDL__ACCESS_CLEAR_BIT:
        bit = UINT64_C(1) << ((uint64_t)bit_number(kept, access) & (access->size * 8u - 1));
        return !(now & bit) == (access->kind == RDL__ACCESS_SET_BIT);
    default:
        return true;
    }
}

/* ---- Doing it -------------------------------------------------------------------------------- */

/* A hash of the registers that an entry does not have. */
static uint64_t other_registers(const struct rdl__kept *kept)
{
    const uintptr_t values[] = {kept->rbx, kept->r8,  kept->r9,  kept->r10,
                                kept->r12, kept->r13, kept->r14, kept->r15};
    uint64_t hash = 1;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hash = (hash ^ values[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static void access_plainly(const struct rdl__table_access *access, uintptr_t address,
                           const struct rdl__entry *entry)
{
    unsigned how = rdl__access_writes(access) ? RDL__HOW_WRITE : 0;

    if (access->kind == RDL__ACCESS_LOAD) /* it may wait there for what others write */
        rdl__track_share(rdl__running, address);
    if (rdl__access_is_volatile(access))
        how |= rdl__volatile_how(address, access->size);
    if (access->kind == RDL__ACCESS_UPDATE && how & RDL__HOW_ATOMIC)
        how |= RDL__HOW_UPDATE;
    rdl__running->track->changed |= rdl__access_writes(access);
    rdl__running->track->surplus = (address + access->size) % 4 == 0 ? access->surplus : 0;
    rdl__access_slowly(address, access->size, how, entry->pc, entry);
}

static void access_atomically(const struct rdl__kept *kept, const struct rdl__table_access *access,
                              uintptr_t address, const struct rdl__entry *entry)
{
    bool changing, writes;

    rdl__atomic_await(address, access->size, entry);
    changing = changes(kept, access, address); /* others may have been here meanwhile */
    writes = access->kind != RDL__ACCESS_COMPARE ||
             (is_expected(kept, access, address) && !is_same(kept, access));
    rdl__atomic_access(address, access->size, writes, changing, entry);
}

/* The operation may be anything; the report says where. */
static void do_anything(struct rdl__thread *self, const struct rdl__table_access *access,
                        uintptr_t pc)
{
    rdl__limit(RDL__LIMIT_UNKNOWN, "assembly", (const char *)&access->where + access->where);
    rdl__sched.summary->unseen = true;
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_UNSEEN, .flags = RDL__OP_WORLD, .pc = pc});
}

_Static_assert(offsetof(struct rdl__kept, stack) - offsetof(struct rdl__kept, zero) ==
                   offsetof(struct rdl__entry, stack),
               "a part of it can be used as an entry");

void rdl__access_of_assembly(const struct rdl__kept *kept)
{
    const struct rdl__table_access *access = (const struct rdl__table_access *)kept->r11;
    const struct rdl__entry *entry = (const struct rdl__entry *)&kept->zero;
    struct rdl__thread *self = rdl__self();

    if (!self)
        return;
    self->track->more = other_registers(kept);
    if (access->kind == RDL__ACCESS_ANYTHING)
        do_anything(self, access, kept->pc);
    else if (access->kind == RDL__ACCESS_FENCE)
        rdl__order_fence(self->track, true, true);
    else if (rdl__access_is_atomic(access))
        access_atomically(kept, access, address_of(kept, access), entry);
    else
        access_plainly(access, address_of(kept, access), entry);
    self->track->more = 0;
}

/* ---- The way there ------------------------------------------------------------------------ */

/* Keep what C may change, ask whether there is anything to do, and if so keep everything.  On
 * the stack of the caller lie rdi and r11, and in a leaf another 128 bytes: to unwinders they
 * are part of this frame. */
#define ENTRY(name, above)                                                                         \
    ".balign 16\n"                                                                                 \
    ".globl " name "\n"                                                                            \
    ".type " name ", @function\n" name ":\n"                                                       \
    "    .cfi_startproc\n"                                                                         \
    "    .cfi_def_cfa_offset 24+" above "\n"                                                       \
    "    .cfi_offset 16, -24-" above "\n"                                                          \
    "    endbr64\n"                                                                                \
    "    pushq %rax\n"                                                                             \
    "    .cfi_adjust_cfa_offset 8\n"                                                               \
    "    lahf\n"                                                                                   \
    "    seto %al\n"                                                                               \
    "    cmpq $0, rdl__running(%rip)\n"                                                            \
    "    je 60f\n"                                                                                 \
    "    pushq %rax\n"                                                                             \
    "    .cfi_adjust_cfa_offset 8\n"                                                               \
    "    .irp register, rcx, rdx, rsi, rdi, r8, r9, r10, r11\n"                                    \
    "    pushq %\\register\n"                                                                      \
    "    .cfi_adjust_cfa_offset 8\n"                                                               \
    "    .endr\n"                                                                                  \
    "    movq %r11, %rsi\n"                                                                        \
    "    call rdl__access_quickly\n"                                                               \
    "    testb %al, %al\n"                                                                         \
    "    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx\n"                                    \
    "    popq %\\register\n"                                                                       \
    "    .cfi_adjust_cfa_offset -8\n"                                                              \
    "    .endr\n"                                                                                  \
    "    popq %rax\n"                                                                              \
    "    .cfi_adjust_cfa_offset -8\n"                                                              \
    "    je 61f\n"                                                                                 \
    "60: addb $127, %al\n"                                                                         \
    "    sahf\n"                                                                                   \
    "    popq %rax\n"                                                                              \
    "    .cfi_remember_state\n"                                                                    \
    "    .cfi_adjust_cfa_offset -8\n"                                                              \
    "    ret\n"                                                                                    \
    "    .cfi_restore_state\n"                                                                     \
    "61: addb $127, %al\n"                                                                         \
    "    sahf\n"                                                                                   \
    "    popq %rax\n"                                                                              \
    "    .cfi_adjust_cfa_offset -8\n" RDL__PRESERVING(                                             \
        "rdl__access_of_assembly") "    .cfi_endproc\n"                                            \
                                   ".size " name ", .-" name "\n"

__asm__(".text\n" ENTRY("rdl__before_access", "0") ENTRY("rdl__before_access_in_leaf", "128"));
