/* kernel.c -- system calls, without the C library in between. */
#include "port/kernel.h"

__attribute__((visibility("hidden"))) const void *rdl__kernel_door = rdl__own_door;

/* From where a function finds its arguments to where the kernel does. */
__asm__(".text\n"
        ".balign 16\n"
        ".globl rdl__kernel\n"
        ".hidden rdl__kernel\n"
        ".type rdl__kernel, @function\n"
        "rdl__kernel:\n"
        "    .cfi_startproc\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    jmp *rdl__kernel_door(%rip)\n"
        "    .cfi_endproc\n"
        ".size rdl__kernel, .-rdl__kernel\n"
        ".globl rdl__own_door\n"
        ".hidden rdl__own_door\n"
        "rdl__own_door:\n"
        "    .cfi_startproc\n"
        "    syscall\n"
        "    ret\n"
        "    .cfi_endproc\n");

void rdl__kernel_sigreturn(uintptr_t stack_pointer)
{
    __asm__ volatile("movq %0, %%rsp\n"
                     "jmp *%1"
                     :
                     : "r"(stack_pointer), "r"(rdl__kernel_door), "a"((long)SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
}
