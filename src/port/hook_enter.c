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
#include <string.h>

#include "base/error.h"

/* By single moves is twice as fast as any other, but does not do for what is seldom in use: the
 * x87, and AVX-512 if not all of it is there.  The CPU can be asked. */
enum { BY_XSAVEC, BY_XSAVE, BY_FXSAVE, BY_MOVES_IF_POSSIBLE };
enum { X87 = 1 << 0, SSE = 1 << 1, AVX = 1 << 2, AVX512 = 7 << 5, LEGACY_SIZE = 512 + 64 };
enum { MOVES_SIZE = 32 * 64 + 64 + 64 /* of vectors, masks and what controls them */ };

/* Read by the code below. */
__attribute__((visibility("hidden"), used)) uint32_t rdl__hook_vectors_how = BY_FXSAVE;
__attribute__((visibility("hidden"), used)) uint32_t rdl__hook_vectors_which = X87 | SSE;
__attribute__((visibility("hidden"), used)) uint32_t rdl__hook_vectors_seldom = X87 | AVX512;
__attribute__((visibility("hidden"), used)) uint64_t rdl__hook_vectors_size = LEGACY_SIZE;
__attribute__((visibility("hidden"), used)) const _Alignas(64) uint8_t
    rdl__hook_vectors_unused[LEGACY_SIZE]; /* as XSAVE writes what is not in use */

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

/* Masks of 64 bits: AVX-512BW.  String functions of the C library leave some in use, and then all
 * of AVX-512 is kept. */
static bool knows_wide_masks(void)
{
    uint32_t a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 30 & 1;
}

void rdl__hook_enter_prepare(void)
{
    enum { OSXSAVE = 1 << 27, XSAVEC = 1 << 1, XGETBV_1 = 1 << 2 };
    uint32_t a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return;
    rdl__hook_vectors_which = components_in_use();
    __cpuid_count(0xd, 1, a, b, c, d);
    rdl__hook_vectors_how = a & XSAVEC ? BY_XSAVEC : BY_XSAVE;
    rdl__hook_vectors_size = size_of(rdl__hook_vectors_which, a & XSAVEC);
    if (a & XSAVEC && a & XGETBV_1 && rdl__hook_vectors_which & AVX)
        rdl__hook_vectors_how = BY_MOVES_IF_POSSIBLE;
    if (knows_wide_masks() && (rdl__hook_vectors_which & AVX512) == AVX512 &&
        rdl__hook_vectors_size >= MOVES_SIZE)
        rdl__hook_vectors_seldom = X87;
}

/* XSAVE need not have written registers that have their first value, 0. */
static void write_unused(uint8_t *vectors)
{
    enum { XMM_AT = 160, XMM_SIZE = 16, XMM_COUNT = 16, IN_USE_AT = 512 };

    if (vectors[IN_USE_AT] & SSE)
        return;
    memset(vectors + XMM_AT, 0, (size_t)XMM_SIZE * XMM_COUNT);
    vectors[IN_USE_AT] |= SSE;
}

uint8_t *rdl__registers_xmm(struct rdl__registers *registers, unsigned number)
{
    enum { XMM_AT = 160, XMM_SIZE = 16, XMM_COUNT = 16 };

    rdl__bug_if(number >= XMM_COUNT);
    if (registers->vectors_by_moves)
        return registers->vectors + (size_t)number * registers->vectors_by_moves;
    write_unused(registers->vectors);
    return registers->vectors + XMM_AT + (size_t)number * XMM_SIZE;
}

_Static_assert(offsetof(struct rdl__registers, rsp) == 56, "as .Lrsp below");
_Static_assert(offsetof(struct rdl__registers, rip) == 128, "as .Lrip below");
_Static_assert(offsetof(struct rdl__registers, flags) == 136, "as .Lflags below");
_Static_assert(offsetof(struct rdl__registers, vectors) == 144, "as .Lvectors below");
_Static_assert(offsetof(struct rdl__registers, vectors_by_moves) == 152, "as .Lby_moves below");
_Static_assert(offsetof(struct rdl__registers, vectors_in_use) == 156, "as .Lin_use below");
_Static_assert(sizeof(struct rdl__registers) == 160, "as .Lkept below");

/* clang-format off */
__asm__(
    ".pushsection rdl__patcher, \"ax\", @progbits\n"
    "# Offsets from rbx: in struct rdl__registers, and of what lies above it.\n"
    ".set .Lrbx, 24\n"
    ".set .Lrsp, 56\n"
    ".set .Lrip, 128\n"
    ".set .Lflags, 136\n"
    ".set .Lvectors, 144\n"
    ".set .Lby_moves, 152\n"
    ".set .Lin_use, 156\n"
    ".set .Lkept, 160 + 256\n"
    ".set .Lbehind, .Lkept + 16\n"
    ".set .Lred_zone, 128\n"
    "# Components of the state of the CPU.\n"
    ".set .Lseldom, 0xe1\n"
    ".set .Lx87, 1\n"
    ".set .Lavx, 4\n"
    ".set .Lavx512, 0xe0\n"
    ".set .Lupper_halves, 0x40\n"
    ".macro each_but_rbx do\n"
    "    \\do rax, 0\n"
    "    \\do rdx, 8\n"
    "    \\do rcx, 16\n"
    "    \\do rsi, 32\n"
    "    \\do rdi, 40\n"
    "    \\do rbp, 48\n"
    "    \\do r8, 64\n"
    "    \\do r9, 72\n"
    "    \\do r10, 80\n"
    "    \\do r11, 88\n"
    "    \\do r12, 96\n"
    "    \\do r13, 104\n"
    "    \\do r14, 112\n"
    "    \\do r15, 120\n"
    ".endm\n"
    ".macro keep name, offset\n"
    "    movq %\\name, \\offset(%rbx)\n"
    ".endm\n"
    ".macro bring_back name, offset\n"
    "    movq \\offset(%rbx), %\\name\n"
    ".endm\n"
    ".macro each_vector do, kind\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "    \\do \\kind\\n, (\\n*32)\n"
    ".endr\n"
    ".endm\n"
    ".macro each_wide do, kind\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "    \\do \\kind\\n, (\\n*64)\n"
    ".endr\n"
    ".endm\n"
    ".macro each_high do\n"
    ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "    \\do zmm\\n, (\\n*64)\n"
    ".endr\n"
    ".endm\n"
    ".macro keep_wide name, offset\n"
    "    vmovups %\\name, \\offset(%rsp)\n"
    ".endm\n"
    ".macro bring_back_wide name, offset\n"
    "    vmovups \\offset(%rsp), %\\name\n"
    ".endm\n"
    ".macro keep_vector name, offset\n"
    "    vmovdqa %\\name, \\offset(%rsp)\n"
    ".endm\n"
    ".macro bring_back_vector name, offset\n"
    "    vmovdqa \\offset(%rsp), %\\name\n"
    ".endm\n"
    "# DW_CFA_expression: the register of this number lies at an offset from rbx (DW_OP_breg3).\n"
    ".macro lies number, offset\n"
    "    .cfi_escape 0x10, \\number, 3, 0x73, (\\offset & 0x7f) | 0x80, \\offset >> 7\n"
    ".endm\n"
    "\n"
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
    "    leaq -.Lkept(%rsp), %rsp\n"
    "    .cfi_adjust_cfa_offset 160 + 256\n"
    "    movq %rsp, %rbx\n"
    "    each_but_rbx keep\n"
    "    movq .Lkept(%rbx), %rax\n"
    "    movq %rax, .Lrbx(%rbx)\n"
    "    movq .Lkept+8(%rbx), %rax\n"
    "    movq %rax, .Lflags(%rbx)\n"
    "    leaq .Lbehind+8+.Lred_zone(%rbx), %rax\n"
    "    movq %rax, .Lrsp(%rbx)\n"
    "    # The stack pointer (the CFA) is what lies at .Lrsp(%rbx): DW_CFA_def_cfa_expression.\n"
    "    .cfi_escape 0x0f, 3, 0x73, 56, 0x06\n"
    "    .irp n, 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16\n"
    "    lies \\n, (\\n*8)\n"
    "    .endr\n"
    "    cld\n"
    "    subq rdl__hook_vectors_size(%rip), %rsp\n"
    "    andq $-64, %rsp\n"
    "    movq %rsp, .Lvectors(%rbx)\n"
    "    movl $0, .Lby_moves(%rbx)\n"
    "    cmpl $3, rdl__hook_vectors_how(%rip)\n"
    "    jne 1f\n"
    "    movl $1, %ecx\n"
    "    xgetbv\n"
    "    testl rdl__hook_vectors_seldom(%rip), %eax\n"
    "    jnz 1f\n"
    "    movl %eax, .Lin_use(%rbx)\n"
    "    testl $.Lavx512, %eax\n"
    "    jnz 7f\n"
    "    movl $32, .Lby_moves(%rbx)\n"
    "    each_vector keep_vector, ymm\n"
    "    stmxcsr 512(%rsp)\n"
    "    vzeroupper\n"
    "    jmp 5f\n"
    "7:  movl $64, .Lby_moves(%rbx)\n"
    "    each_wide keep_wide, zmm\n"
    "    each_high keep_wide\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    kmovq %k\\n, (2048+8*\\n)(%rsp)\n"
    ".endr\n"
    "    stmxcsr 2112(%rsp)\n"
    "    vzeroupper\n"
    "    jmp 5f\n"
    "1:  xorl %eax, %eax\n"
    "    .irp n, 512, 520, 528, 536, 544, 552, 560, 568\n"
    "    movq %rax, \\n(%rsp)\n"
    "    .endr\n"
    "    movl rdl__hook_vectors_which(%rip), %eax\n"
    "    xorl %edx, %edx\n"
    "    cmpl $1, rdl__hook_vectors_how(%rip)\n"
    "    je 2f\n"
    "    cmpl $2, rdl__hook_vectors_how(%rip)\n"
    "    je 3f\n"
    "    xsavec64 (%rsp)\n"
    "    jmp 4f\n"
    "2:  xsave64 (%rsp)\n"
    "    jmp 4f\n"
    "3:  fxsave64 (%rsp)\n"
    "    movq $3, 512(%rsp)\n"
    "    # C code is entitled to an empty stack of the x87.\n"
    "4:  testb $1, 512(%rsp)\n"
    "    jz 5f\n"
    "    emms\n"
    "5:  movq %rbx, %rdi\n"
    "    movq .Lbehind(%rbx), %rsi\n"
    "    call rdl__hook_dispatch\n"
    ".globl rdl__hook_enter_behind\n"
    ".hidden rdl__hook_enter_behind\n"
    "rdl__hook_enter_behind:\n"
    "    movl %eax, %r12d\n"
    "    cmpl $0, .Lby_moves(%rbx)\n"
    "    je 3f\n"
    "    cmpl $64, .Lby_moves(%rbx)\n"
    "    je 7f\n"
    "    # What was not in use, and is now, gets its first value again.\n"
    "    movl $1, %ecx\n"
    "    xgetbv\n"
    "    andl $.Lseldom, %eax\n"
    "    jz 1f\n"
    "    xorl %edx, %edx\n"
    "    xrstor64 rdl__hook_vectors_unused(%rip)\n"
    "1:  ldmxcsr 512(%rsp)\n"
    "    testb $.Lavx, .Lin_use(%rbx)\n"
    "    jz 2f\n"
    "    each_vector bring_back_vector, ymm\n"
    "    jmp 5f\n"
    "2:  vzeroupper\n"
    "    each_vector bring_back_vector, xmm\n"
    "    jmp 5f\n"
    "7:  movl $1, %ecx\n"
    "    xgetbv\n"
    "    andl $.Lx87, %eax\n"
    "    jz 1f\n"
    "    xorl %edx, %edx\n"
    "    xrstor64 rdl__hook_vectors_unused(%rip)\n"
    "1:  ldmxcsr 2112(%rsp)\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    kmovq (2048+8*\\n)(%rsp), %k\\n\n"
    ".endr\n"
    "    each_high bring_back_wide\n"
    "    testb $.Lupper_halves, .Lin_use(%rbx)\n"
    "    jz 1f\n"
    "    each_wide bring_back_wide, zmm\n"
    "    jmp 5f\n"
    "    # So that what was not in use is not afterwards.\n"
    "1:  vzeroupper\n"
    "    testb $.Lavx, .Lin_use(%rbx)\n"
    "    jz 2f\n"
    "    each_wide bring_back_wide, ymm\n"
    "    jmp 5f\n"
    "2:  each_wide bring_back_wide, xmm\n"
    "    jmp 5f\n"
    "3:  movl rdl__hook_vectors_which(%rip), %eax\n"
    "    xorl %edx, %edx\n"
    "    cmpl $2, rdl__hook_vectors_how(%rip)\n"
    "    je 4f\n"
    "    xrstor64 (%rsp)\n"
    "    jmp 5f\n"
    "4:  fxrstor64 (%rsp)\n"
    "5:  testb %r12b, %r12b\n"
    "    jnz 6f\n"
    "    # Back to whom we were called by.\n"
    "    movq .Lrbx(%rbx), %rax\n"
    "    movq %rax, .Lkept(%rbx)\n"
    "    movq .Lflags(%rbx), %rax\n"
    "    movq %rax, .Lkept+8(%rbx)\n"
    "    each_but_rbx bring_back\n"
    "    leaq .Lkept(%rbx), %rsp\n"
    "    popq %rbx\n"
    "    popfq\n"
    "    ret\n"
    "    # Elsewhere.  What is popped last lies below the red zone of whoever goes on there, and\n"
    "    # is left together with it, by one instruction: no signal can come in between.\n"
    "6:  movq .Lrsp(%rbx), %rax\n"
    "    movq .Lrip(%rbx), %rdx\n"
    "    movq %rdx, -.Lred_zone-8(%rax)\n"
    "    movq .Lflags(%rbx), %rdx\n"
    "    movq %rdx, -.Lred_zone-16(%rax)\n"
    "    movq .Lrbx(%rbx), %rdx\n"
    "    movq %rdx, -.Lred_zone-24(%rax)\n"
    "    subq $.Lred_zone+24, .Lrsp(%rbx)\n"
    "    each_but_rbx bring_back\n"
    "    movq .Lrsp(%rbx), %rsp\n"
    "    popq %rbx\n"
    "    popfq\n"
    "    ret $.Lred_zone\n"
    "    .cfi_endproc\n"
    ".size rdl__hook_enter, .-rdl__hook_enter\n"
    ".purgem each_but_rbx\n"
    ".purgem keep\n"
    ".purgem bring_back\n"
    ".purgem each_vector\n"
    ".purgem each_wide\n"
    ".purgem each_high\n"
    ".purgem keep_wide\n"
    ".purgem bring_back_wide\n"
    ".purgem keep_vector\n"
    ".purgem bring_back_vector\n"
    ".purgem lies\n"
    ".popsection\n");
/* clang-format on */
