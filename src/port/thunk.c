/* thunk.c -- code that can be called like any function, and calls one that is told all.
 *
 * A thunk is a few bytes of code, which call rdl__thunk_enter and return, and behind them what to
 * call.  rdl__thunk_enter is thus called by the thunk, and finds the caller's return address above
 * its own.  Its frame, as unwinders see it, is that of both: they never see the thunk's. */
#include "port/thunk.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "port/code.h"
#include "port/site.h"

void rdl__thunk_enter(void);
void rdl__thunk_hand_on(uintptr_t function, struct rdl__arguments *arguments, uint32_t stack_bytes);

/* Whose call is handed on. */
static _Thread_local uintptr_t handed_on_for __attribute__((tls_model("initial-exec")));

enum { THUNK = 32, ZONE = 1 << 16 };

struct thunk {
    uint8_t code[8]; /* call *enter; ret */
    void (*enter)(void);
    rdl__called *called;
    void *it;
};

_Static_assert(sizeof(struct thunk) == THUNK, "as many as fit are put next to each other");

uintptr_t rdl__thunk_new(rdl__called *called, void *it)
{
    static uintptr_t next, end;
    struct thunk thunk = {{0xff, 0x15, 2, 0, 0, 0, 0xc3, 0xcc}, rdl__thunk_enter, called, it};
    bool begun = rdl__sites_begin();
    uintptr_t at;

    if (next == end) {
        next = rdl__code_get_memory((uintptr_t)rdl__thunk_enter, ZONE);
        rdl__bug_if(!next);
        end = next + ZONE;
    }
    at = next;
    next += THUNK;
    rdl__bug_if(!rdl__code_write(at, &thunk, sizeof thunk));
    rdl__sites_end(begun);
    return at;
}

void rdl__thunk_call(uintptr_t function, struct rdl__arguments *arguments, uint32_t stack_bytes)
{
    uintptr_t before = handed_on_for;

    handed_on_for = arguments->caller;
    rdl__thunk_hand_on(function, arguments, stack_bytes);
    handed_on_for = before;
}

uintptr_t rdl__thunk_handed_on_for(void)
{
    return handed_on_for;
}

_Static_assert(offsetof(struct rdl__arguments, vectors) == 48, "as .Lvectors below");
_Static_assert(offsetof(struct rdl__arguments, stack) == 176, "as .Lstack below");
_Static_assert(offsetof(struct rdl__arguments, caller) == 184, "as .Lcaller below");
_Static_assert(offsetof(struct rdl__arguments, rax) == 192, "as .Lrax below");
_Static_assert(offsetof(struct rdl__arguments, rdx) == 200, "as .Lrdx below");
_Static_assert(offsetof(struct rdl__arguments, returned) == 208, "as .Lreturned below");
_Static_assert(offsetof(struct rdl__arguments, st0) == 240, "as .Lst0 below");
_Static_assert(offsetof(struct rdl__arguments, st_count) == 256, "as .Lst_count below");
_Static_assert(offsetof(struct rdl__arguments, r10) == 264, "as .Lr10 below");
_Static_assert(sizeof(struct rdl__arguments) == 272, "as .Lkept below");

/* On the stack of rdl__thunk_enter, from above: the caller's return address, the thunk's, rbp;
 * registers that are kept; struct rdl__arguments.
 *
 * On that of rdl__thunk_hand_on: the return address, rbp, rbx; arguments for the function. */
/* clang-format off */
__asm__(
    ".text\n"
    ".set .Lvectors, 48\n"
    ".set .Lstack, 176\n"
    ".set .Lcaller, 184\n"
    ".set .Lrax, 192\n"
    ".set .Lrdx, 200\n"
    ".set .Lreturned, 208\n"
    ".set .Lst0, 240\n"
    ".set .Lst_count, 256\n"
    ".set .Lr10, 264\n"
    ".set .Lkept, 272\n"
    ".set .Lkept_vectors, .Lkept + 64\n"
    ".set .Lframe, .Lkept_vectors + 256\n"
    ".macro each_argument do, from, base\n"
    "    \\do rdi, \\from, \\base\n"
    "    \\do rsi, \\from+8, \\base\n"
    "    \\do rdx, \\from+16, \\base\n"
    "    \\do rcx, \\from+24, \\base\n"
    "    \\do r8, \\from+32, \\base\n"
    "    \\do r9, \\from+40, \\base\n"
    ".endm\n"
    ".macro put name, to, base\n"
    "    movq %\\name, \\to(%\\base)\n"
    ".endm\n"
    ".macro get name, from, base\n"
    "    movq \\from(%\\base), %\\name\n"
    ".endm\n"
    "\n"
    ".balign 16\n"
    ".globl rdl__thunk_enter\n"
    ".hidden rdl__thunk_enter\n"
    ".type rdl__thunk_enter, @function\n"
    "rdl__thunk_enter:\n"
    "    .cfi_startproc\n"
    "    .cfi_def_cfa_offset 16\n"
    "    pushq %rbp\n"
    "    .cfi_def_cfa_offset 24\n"
    "    .cfi_offset %rbp, -24\n"
    "    movq %rsp, %rbp\n"
    "    .cfi_def_cfa_register %rbp\n"
    "    subq $.Lframe, %rsp\n"
    "    andq $-16, %rsp\n"
    "    each_argument put, 0, rsp\n"
    "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    movaps %xmm\\n, .Lvectors+16*\\n(%rsp)\n"
    "    .endr\n"
    "    movaps %xmm0, .Lreturned(%rsp)\n"
    "    movaps %xmm1, .Lreturned+16(%rsp)\n"
    "    movq %rax, .Lrax(%rsp)\n"
    "    movq %rdx, .Lrdx(%rsp)\n"
    "    movq %r10, .Lr10(%rsp)\n"
    "    leaq 24(%rbp), %rax\n"
    "    movq %rax, .Lstack(%rsp)\n"
    "    movq 16(%rbp), %rax\n"
    "    movq %rax, .Lcaller(%rsp)\n"
    "    movl $0, .Lst_count(%rsp)\n"
    "    each_argument put, .Lkept, rsp\n"
    "    movq %r10, .Lkept+48(%rsp)\n"
    "    movq %r11, .Lkept+56(%rsp)\n"
    "    .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "    movaps %xmm\\n, .Lkept_vectors+16*\\n(%rsp)\n"
    "    .endr\n"
    "    cld\n"
    "    movq 8(%rbp), %rax\n" /* behind the call, in the thunk */
    "    movq %rsp, %rdi\n"
    "    movq 18(%rax), %rsi\n"
    "    call *10(%rax)\n"
    "    cmpl $0, .Lst_count(%rsp)\n"
    "    je 1f\n"
    "    fldt .Lst0(%rsp)\n"
    "1:  .irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "    movaps .Lkept_vectors+16*\\n(%rsp), %xmm\\n\n"
    "    .endr\n"
    "    each_argument get, .Lkept, rsp\n"
    "    movq .Lkept+48(%rsp), %r10\n"
    "    movq .Lkept+56(%rsp), %r11\n"
    "    movaps .Lreturned(%rsp), %xmm0\n"
    "    movaps .Lreturned+16(%rsp), %xmm1\n"
    "    movq .Lrax(%rsp), %rax\n"
    "    movq .Lrdx(%rsp), %rdx\n"
    "    leave\n"
    "    .cfi_def_cfa %rsp, 16\n"
    "    ret\n"
    "    .cfi_endproc\n"
    ".size rdl__thunk_enter, .-rdl__thunk_enter\n"
    "\n"
    ".balign 16\n"
    ".globl rdl__thunk_hand_on\n"
    ".hidden rdl__thunk_hand_on\n"
    ".type rdl__thunk_hand_on, @function\n"
    "rdl__thunk_hand_on:\n"
    "    .cfi_startproc\n"
    "    pushq %rbp\n"
    "    .cfi_def_cfa_offset 16\n"
    "    .cfi_offset %rbp, -16\n"
    "    movq %rsp, %rbp\n"
    "    .cfi_def_cfa_register %rbp\n"
    "    pushq %rbx\n"
    "    .cfi_offset %rbx, -24\n"
    "    pushq %rbx\n"
    "    movq %rsi, %rbx\n"
    "    movq %rdi, %r11\n"
    "    movl %edx, %ecx\n"
    "    addl $15, %edx\n"
    "    andl $-16, %edx\n"
    "    subq %rdx, %rsp\n"
    "    movq .Lstack(%rbx), %rsi\n"
    "    movq %rsp, %rdi\n"
    "    shrl $3, %ecx\n"
    "    jz 1f\n"
    "    rep movsq\n"
    "1:  .irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    movups .Lvectors+16*\\n(%rbx), %xmm\\n\n"
    "    .endr\n"
    "    each_argument get, 0, rbx\n"
    "    movq .Lr10(%rbx), %r10\n"
    "    movq .Lrax(%rbx), %rax\n"
    "    call *%r11\n"
    ".globl rdl__thunk_called\n"
    ".hidden rdl__thunk_called\n"
    "rdl__thunk_called:\n"
    "    movq %rax, .Lrax(%rbx)\n"
    "    movq %rdx, .Lrdx(%rbx)\n"
    "    movups %xmm0, .Lreturned(%rbx)\n"
    "    movups %xmm1, .Lreturned+16(%rbx)\n"
    "    cmpl $0, .Lst_count(%rbx)\n"
    "    je 2f\n"
    "    fstpt .Lst0(%rbx)\n"
    "2:  movq -8(%rbp), %rbx\n"
    "    .cfi_restore %rbx\n"
    "    leave\n"
    "    .cfi_def_cfa %rsp, 8\n"
    "    ret\n"
    "    .cfi_endproc\n"
    ".size rdl__thunk_hand_on, .-rdl__thunk_hand_on\n"
    ".purgem each_argument\n"
    ".purgem put\n"
    ".purgem get\n");
/* clang-format on */
