/* preserve.h -- into a function of ours where the caller expects that no register changes.
 *
 * Everything is kept: registers of integers, vectors, the x87, the flags of both.  Unwinders find
 * their way by rbp, and see the caller as it is. */
#ifndef RDL__PRESERVE_H
#define RDL__PRESERVE_H

#include <stdint.h>

/* As they lie on the stack, from below. */
struct rdl__kept {
    uintptr_t rbx, r15, r14, r13, r12, flags, r11, r10, r9, r8;
    uintptr_t zero;
    uintptr_t rdi, rsi, rdx, rcx, rax, rbp;
    uintptr_t pc;      /* where the caller goes on */
    uintptr_t stack[]; /* of the caller */
};

/* Vectors are kept by single moves, which is fastest, if neither the x87 nor AVX-512 is in use
 * (hook_enter.c has the reasons); 8 + what is in use lies below rbx then.
 *
 * The rest of a function that has pushed nothing yet: it calls `function` with a struct
 * rdl__kept, and returns.  Local labels have numbers from 70 on. */
#define RDL__PRESERVING(function)                                                                  \
    "    pushq %rbp\n"                                                                             \
    "    .cfi_adjust_cfa_offset 8\n"                                                               \
    "    .cfi_rel_offset %rbp, 0\n"                                                                \
    "    movq %rsp, %rbp\n"                                                                        \
    "    .cfi_def_cfa_register %rbp\n"                                                             \
    "    pushq %rax\n"                                                                             \
    "    pushq %rcx\n"                                                                             \
    "    pushq %rdx\n"                                                                             \
    "    pushq %rsi\n"                                                                             \
    "    pushq %rdi\n"                                                                             \
    "    pushq $0\n"                                                                               \
    "    pushq %r8\n"                                                                              \
    "    pushq %r9\n"                                                                              \
    "    pushq %r10\n"                                                                             \
    "    pushq %r11\n"                                                                             \
    "    pushfq\n"                                                                                 \
    "    pushq %r12\n"                                                                             \
    "    pushq %r13\n"                                                                             \
    "    pushq %r14\n"                                                                             \
    "    pushq %r15\n"                                                                             \
    "    pushq %rbx\n"                                                                             \
    "    .cfi_rel_offset %rbx, -128\n"                                                             \
    "    movq %rsp, %rbx\n"                                                                        \
    "    cld\n"                                                                                    \
    "    subq rdl__hook_vectors_size(%rip), %rsp\n"                                                \
    "    subq $64, %rsp\n"                                                                         \
    "    andq $-64, %rsp\n"                                                                        \
    "    movq $0, -8(%rbx)\n"                                                                      \
    "    cmpl $3, rdl__hook_vectors_how(%rip)\n"                                                   \
    "    jne 70f\n"                                                                                \
    "    movl $1, %ecx\n"                                                                          \
    "    xgetbv\n"                                                                                 \
    "    testl $0xe1, %eax\n"                                                                      \
    "    jnz 70f\n"                                                                                \
    "    orl $8, %eax\n"                                                                           \
    "    movq %rax, -8(%rbx)\n"                                                                    \
    "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"                           \
    "    vmovdqa %ymm\\n, 32*\\n(%rsp)\n"                                                          \
    "    .endr\n"                                                                                  \
    "    stmxcsr 512(%rsp)\n"                                                                      \
    "    vzeroupper\n"                                                                             \
    "    jmp 74f\n"                                                                                \
    "70: xorl %eax, %eax\n"                                                                        \
    "    .irp n, 512, 520, 528, 536, 544, 552, 560, 568\n"                                         \
    "    movq %rax, \\n(%rsp)\n"                                                                   \
    "    .endr\n"                                                                                  \
    "    movl rdl__hook_vectors_which(%rip), %eax\n"                                               \
    "    xorl %edx, %edx\n"                                                                        \
    "    cmpl $1, rdl__hook_vectors_how(%rip)\n"                                                   \
    "    je 71f\n"                                                                                 \
    "    cmpl $2, rdl__hook_vectors_how(%rip)\n"                                                   \
    "    je 72f\n"                                                                                 \
    "    xsavec64 (%rsp)\n"                                                                        \
    "    jmp 73f\n"                                                                                \
    "71: xsave64 (%rsp)\n"                                                                         \
    "    jmp 73f\n"                                                                                \
    "72: fxsave64 (%rsp)\n"                                                                        \
    "    movq $3, 512(%rsp)\n"                                                                     \
    "73: testb $1, 512(%rsp)\n"                                                                    \
    "    jz 74f\n"                                                                                 \
    "    emms\n"                                                                                   \
    "74: movq %rbx, %rdi\n"                                                                        \
    "    call " function "\n"                                                                      \
    "    movq -8(%rbx), %rax\n"                                                                    \
    "    testl %eax, %eax\n"                                                                       \
    "    jz 77f\n"                                                                                 \
    "    ldmxcsr 512(%rsp)\n"                                                                      \
    "    testb $4, %al\n"                                                                          \
    "    jz 78f\n"                                                                                 \
    "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"                           \
    "    vmovdqa 32*\\n(%rsp), %ymm\\n\n"                                                          \
    "    .endr\n"                                                                                  \
    "    jmp 76f\n"                                                                                \
    "78: vzeroupper\n"                                                                             \
    "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"                           \
    "    vmovdqa 32*\\n(%rsp), %xmm\\n\n"                                                          \
    "    .endr\n"                                                                                  \
    "    jmp 76f\n"                                                                                \
    "77: movl rdl__hook_vectors_which(%rip), %eax\n"                                               \
    "    xorl %edx, %edx\n"                                                                        \
    "    cmpl $2, rdl__hook_vectors_how(%rip)\n"                                                   \
    "    je 75f\n"                                                                                 \
    "    xrstor64 (%rsp)\n"                                                                        \
    "    jmp 76f\n"                                                                                \
    "75: fxrstor64 (%rsp)\n"                                                                       \
    "76: leaq -128(%rbp), %rsp\n"                                                                  \
    "    popq %rbx\n"                                                                              \
    "    addq $32, %rsp\n"                                                                         \
    "    popfq\n"                                                                                  \
    "    popq %r11\n"                                                                              \
    "    popq %r10\n"                                                                              \
    "    popq %r9\n"                                                                               \
    "    popq %r8\n"                                                                               \
    "    leaq 8(%rsp), %rsp\n"                                                                     \
    "    popq %rdi\n"                                                                              \
    "    popq %rsi\n"                                                                              \
    "    popq %rdx\n"                                                                              \
    "    popq %rcx\n"                                                                              \
    "    popq %rax\n"                                                                              \
    "    popq %rbp\n"                                                                              \
    "    .cfi_def_cfa_register %rsp\n"                                                             \
    "    .cfi_adjust_cfa_offset -8\n"                                                              \
    "    .cfi_restore %rbp\n"                                                                      \
    "    .cfi_restore %rbx\n"                                                                      \
    "    ret\n"

#endif
