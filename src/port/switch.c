/* switch.c -- from one stack, and one set of thread-local variables, to another.
 *
 * What a function must preserve is pushed on the old stack, and the floating-point
 * control words with it; the rest is the caller's business, since to it this is a
 * call like any other.  The FS base is set by an instruction where there is one
 * (2 ns), else by a system call (200 ns); valgrind knows only the latter. */
#include "port/switch.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

/* Read by the assembly below. */
__attribute__((used, visibility("hidden"))) bool rdl__has_wrfsbase;

void rdl__switch_prepare(void)
{
    enum { KERNEL_ALLOWS = 1 << 1, CPU_HAS = 1 << 0 };
    static bool known; /* asking takes a virtual machine tens of microseconds */
    unsigned a, b = 0, c, d;

    if (known)
        return;
    known = true;
    rdl__has_wrfsbase = (getauxval(AT_HWCAP2) & KERNEL_ALLOWS) &&
                        __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & CPU_HAS);
}

#define TEXT2(x) #x
#define TEXT(x)  TEXT2(x)

__asm__(".text\n"
        ".balign 16\n"
        ".globl rdl__switch\n"
        ".hidden rdl__switch\n"
        ".type rdl__switch, @function\n"
        "rdl__switch:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbp, 0\n"
        "    pushq %rbx\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbx, 0\n"
        "    pushq %r12\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r12, 0\n"
        "    pushq %r13\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r13, 0\n"
        "    pushq %r14\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r14, 0\n"
        "    pushq %r15\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %r15, 0\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movl (%rsp), %ecx\n"
        "    movzwl 4(%rsp), %r8d\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    cmpb $0, rdl__has_wrfsbase(%rip)\n"
        "    je 1f\n"
        "    wrfsbase %rdx\n"
        "    cmpl %ecx, (%rsp)\n" /* to load what is there already takes as long as the rest */
        "    jne 2f\n"
        "    cmpw %r8w, 4(%rsp)\n"
        "    je 3f\n"
        "    jmp 2f\n"
        "1:  movl $" TEXT(__NR_arch_prctl) ", %eax\n"
                                           "    movl $" TEXT(
                                               ARCH_SET_FS) ", %edi\n"
                                                            "    movq %rdx, %rsi\n"
                                                            "    call *rdl__kernel_door(%rip)\n"
                                                            "2:  ldmxcsr (%rsp)\n"
                                                            "    fldcw 4(%rsp)\n"
                                                            "3:\n"
                                                            "    addq $8, %rsp\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    popq %r15\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %r15\n"
                                                            "    popq %r14\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %r14\n"
                                                            "    popq %r13\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %r13\n"
                                                            "    popq %r12\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %r12\n"
                                                            "    popq %rbx\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %rbx\n"
                                                            "    popq %rbp\n"
                                                            "    .cfi_adjust_cfa_offset -8\n"
                                                            "    .cfi_restore %rbp\n"
                                                            "    ret\n"
                                                            "    .cfi_endproc\n"
                                                            ".size rdl__switch, .-rdl__switch\n");

/* rdl__call_on: as rdl__switch, to a stack nobody has been on yet. */
__asm__(".text\n"
        ".balign 16\n"
        ".globl rdl__call_on\n"
        ".hidden rdl__call_on\n"
        ".type rdl__call_on, @function\n"
        "rdl__call_on:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    .cfi_undefined %rip\n"
        "    movq %rcx, %rdi\n"
        "    call *%rdx\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size rdl__call_on, .-rdl__call_on\n");
