/* hook_enter.c -- from an instruction that has a hook to a function in C, and back.
 *
 * On the stack, from above:
 *     the red zone of whom we interrupt
 *     the return address of the call to us
 *     flags, rbx              as the end pops them
 *     room for what the function may push for whom we interrupt (256 bytes)
 *     struct rdl__registers   rbx points here
 *     vector registers, aligned to 64 bytes
 *
 * To unwinders this is a frame like that of a signal handler: what is above it was
 * interrupted, at an instruction that has not been executed yet.  All is found from rbx. */
#include "port/hook_enter.h"

#include <cpuid.h>

#include "base/error.h"

#define NUMBER(x) #x
#define TEXT(x)   NUMBER(x)

enum { BY_XSAVEC, BY_XSAVE, BY_FXSAVE };
enum { X87 = 1 << 0, SSE = 1 << 1, AVX = 1 << 2, AVX512 = 7 << 5, LEGACY_SIZE = 512 + 64 };

/* Read by the code below. */
__attribute__((visibility("hidden"), used)) uint32_t rdl__hook_vectors_how = BY_FXSAVE;
__attribute__((visibility("hidden"), used)) uint32_t rdl__hook_vectors_which = X87 | SSE;
__attribute__((visibility("hidden"), used)) uint64_t rdl__hook_vectors_size = LEGACY_SIZE;

/* Only what compilers use for themselves: neither tiles (8 KiB) nor protection keys. */
static uint32_t components_in_use(void)
{
    uint32_t low, high;

    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low & (X87 | SSE | AVX | AVX512);
}

/* How much memory they take at most: each component's place, or their sum. */
static uint64_t size_of(uint32_t components, bool compacted)
{
    uint64_t end = LEGACY_SIZE, sum = LEGACY_SIZE;
    uint32_t size, offset, c, d;

    for (uint32_t i = 2; i < 8; i++)
        if (components >> i & 1) {
            __cpuid_count(0xd, i, size, offset, c, d);
            sum = ((sum + 63) & ~UINT64_C(63)) + size;
            end = offset + size > end ? offset + size : end;
        }
    return compacted ? sum : end;
}

void rdl__hook_enter_prepare(void)
{
    enum { OSXSAVE = 1 << 27, XSAVEC = 1 << 1 };
    uint32_t a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return;
    rdl__hook_vectors_which = components_in_use();
    __cpuid_count(0xd, 1, a, b, c, d);
    rdl__hook_vectors_how = a & XSAVEC ? BY_XSAVEC : BY_XSAVE;
    rdl__hook_vectors_size = size_of(rdl__hook_vectors_which, a & XSAVEC);
}

/* Registers that have their first value, 0, need not have been written. */
uint8_t *rdl__registers_xmm(struct rdl__registers *registers, unsigned number)
{
    enum { XMM_AT = 160, XMM_SIZE = 16, XMM_COUNT = 16, IN_USE_AT = 512 };
    uint8_t *in_use = registers->vectors + IN_USE_AT, *first = registers->vectors + XMM_AT;

    rdl__bug_if(number >= XMM_COUNT);
    if (!(*in_use & SSE)) {
        __builtin_memset(first, 0, (size_t)XMM_SIZE * XMM_COUNT);
        *in_use |= SSE;
    }
    return first + (size_t)number * XMM_SIZE;
}

/* Offsets in struct rdl__registers, whose first 17 are 8 bytes each; and from there. */
#define RSP     56
#define RIP     128
#define FLAGS   136
#define VECTORS 144
#define SIZE    160
#define GAP     256
_Static_assert(offsetof(struct rdl__registers, rsp) == RSP, "");
_Static_assert(offsetof(struct rdl__registers, rip) == RIP, "");
_Static_assert(offsetof(struct rdl__registers, flags) == FLAGS, "");
_Static_assert(offsetof(struct rdl__registers, vectors) == VECTORS, "");
_Static_assert(sizeof(struct rdl__registers) <= SIZE, "");

#define EACH_BUT_RBX(what)                                                                         \
    what(rax, 0) what(rdx, 8) what(rcx, 16) what(rsi, 32) what(rdi, 40) what(rbp, 48) what(r8, 64) \
        what(r9, 72) what(r10, 80) what(r11, 88) what(r12, 96) what(r13, 104) what(r14, 112)       \
            what(r15, 120)
#define SAVE(name, offset)    "    movq %" #name ", " #offset "(%rbx)\n"
#define RESTORE(name, offset) "    movq " #offset "(%rbx), %" #name "\n"

/* DW_CFA_expression, a register's number: it lies at rbx + offset (DW_OP_breg3). */
#define LIES(number, offset)                                                                       \
    "    .cfi_escape 0x10, " #number ", 3, 0x73, ((" #offset ") & 0x7f) | 0x80, (" #offset         \
    ") >> 7\n"

__asm__(
    ".pushsection rdl__patcher, \"ax\", @progbits\n"
    ".balign 16\n"
    ".globl rdl__hook_enter\n"
    ".hidden rdl__hook_enter\n"
    ".type rdl__hook_enter, @function\n"
    "rdl__hook_enter:\n"
    "    .cfi_startproc\n"
    "    .cfi_signal_frame\n"
    "    pushfq\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    pushq %rbx\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    leaq -(" TEXT(SIZE) "+" TEXT(
        GAP) ")(%rsp), %rsp\n"
             "    .cfi_adjust_cfa_offset " TEXT(SIZE) "+" TEXT(
                 GAP) "\n"
                      "    movq %rsp, %rbx\n" EACH_BUT_RBX(SAVE) "    movq " TEXT(SIZE) "+" TEXT(
                          GAP) "(%rbx), %rax\n"
                               "    movq %rax, 24(%rbx)\n" /* rbx */
                               "    movq " TEXT(SIZE) "+" TEXT(
                                   GAP) "+8(%rbx), %rax\n"
                                        "    movq %rax, " TEXT(
                                            FLAGS) "(%rbx)\n"
                                                   "    leaq " TEXT(SIZE) "+" TEXT(
                                                       GAP) "+24+128(%rbx), %rax\n"
                                                            "    movq %rax, " TEXT(
                                                                RSP) "(%rbx)\n"
                                                                     /* The stack pointer (the CFA) lies at RSP(%rbx): DW_CFA_def_cfa_expression. */
                                                                     "    .cfi_escape 0x0f, 3, 0x73, " TEXT(
                                                                         RSP) ", 0x06\n" LIES(0, 0)
                                                                         LIES(1, 8) LIES(2, 16) LIES(
                                                                             3,
                                                                             24) LIES(4,
                                                                                      32) LIES(5,
                                                                                               40)
                                                                             LIES(6, 48) LIES(
                                                                                 8,
                                                                                 64) LIES(9,
                                                                                          72) LIES(10,
                                                                                                   80)
                                                                                 LIES(11, 88) LIES(
                                                                                     12,
                                                                                     96) LIES(13,
                                                                                              104)
                                                                                     LIES(14, 112)
                                                                                         LIES(15,
                                                                                              120)
                                                                                             LIES(
                                                                                                 16,
                                                                                                 128)
    /* Vector registers. */
    "    cld\n"
    "    subq rdl__hook_vectors_size(%rip), %rsp\n"
    "    andq $-64, %rsp\n"
    "    movq %rsp, " TEXT(
        VECTORS) "(%rbx)\n"
                 "    xorl %eax, %eax\n"
                 "    movq %rax, 512(%rsp)\n"
                 "    movq %rax, 520(%rsp)\n"
                 "    movq %rax, 528(%rsp)\n"
                 "    movq %rax, 536(%rsp)\n"
                 "    movq %rax, 544(%rsp)\n"
                 "    movq %rax, 552(%rsp)\n"
                 "    movq %rax, 560(%rsp)\n"
                 "    movq %rax, 568(%rsp)\n"
                 "    movl rdl__hook_vectors_which(%rip), %eax\n"
                 "    xorl %edx, %edx\n"
                 "    cmpl $1, rdl__hook_vectors_how(%rip)\n"
                 "    je 1f\n"
                 "    ja 2f\n"
                 "    xsavec64 (%rsp)\n"
                 "    jmp 3f\n"
                 "1:  xsave64 (%rsp)\n"
                 "    jmp 3f\n"
                 "2:  fxsave64 (%rsp)\n"
                 "    movq $3, 512(%rsp)\n"
                 /* C code is entitled to an empty stack of the x87. */
                 "3:  testb $1, 512(%rsp)\n"
                 "    jz 4f\n"
                 "    emms\n"
                 "4:  movq %rbx, %rdi\n"
                 "    movq " TEXT(SIZE) "+" TEXT(
                     GAP) "+16(%rbx), %rsi\n"
                          "    call rdl__hook_dispatch\n"
                          "    movl %eax, %ecx\n"
                          "    movl rdl__hook_vectors_which(%rip), %eax\n"
                          "    xorl %edx, %edx\n"
                          "    cmpl $1, rdl__hook_vectors_how(%rip)\n"
                          "    ja 1f\n"
                          "    xrstor64 (%rsp)\n"
                          "    jmp 2f\n"
                          "1:  fxrstor64 (%rsp)\n"
                          "2:  testb %cl, %cl\n"
                          "    jnz 3f\n"
                          /* Back to whom we were called by. */
                          "    movq 24(%rbx), %rax\n"
                          "    movq %rax, " TEXT(SIZE) "+" TEXT(
                              GAP) "(%rbx)\n"
                                   "    movq " TEXT(
                                       FLAGS) "(%rbx), %rax\n"
                                              "    movq %rax, " TEXT(SIZE) "+" TEXT(GAP) "+8(%rbx)\n" EACH_BUT_RBX(RESTORE) "    leaq " TEXT(SIZE) "+" TEXT(
                                                  GAP) "(%rbx), %rsp\n"
                                                       "    popq %rbx\n"
                                                       "    popfq\n"
                                                       "    ret\n"
                                                       /* Elsewhere.  What is popped last lies below the red zone of whoever goes on there,
         * and is left together with it, by one instruction: no signal comes between. */
                                                       "3:  movq " TEXT(
                                                           RSP) "(%rbx), %rax\n"
                                                                "    movq " TEXT(
                                                                    RIP) "(%rbx), %rdx\n"
                                                                         "    movq %rdx, -128-8(%rax)\n"
                                                                         "    movq " TEXT(
                                                                             FLAGS) "(%rbx), %rdx\n"
                                                                                    "    movq %rdx, -128-16(%rax)\n"
                                                                                    "    movq 24(%rbx), %rdx\n"
                                                                                    "    movq %rdx, -128-24(%rax)\n"
                                                                                    "    subq $128+24, " TEXT(RSP) "(%rbx)\n" EACH_BUT_RBX(RESTORE) "    movq " TEXT(
                                                                                        RSP) "(%rbx), %rsp\n"
                                                                                             "    popq %rbx\n"
                                                                                             "    popfq\n"
                                                                                             "    ret $128\n"
                                                                                             "    .cfi_endproc\n"
                                                                                             ".size rdl__hook_enter, .-rdl__hook_enter\n"
                                                                                             ".popsection\n");
