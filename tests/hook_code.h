/* hook_code.h -- functions that consist of what is hard to move, and hooks on all of it.
 *
 * Each takes two numbers and returns one.  None is the compiler's: what it would make of C
 * is not known. */
#ifndef TESTS_HOOK_CODE_H
#define TESTS_HOOK_CODE_H

#include <stdio.h>

#include "harness.h"
#include "port/hook.h"
#include "port/relocate.h"
#include "port/zydis.h"

typedef long code(long a, long b);

#define CODE(name, text)                                                                           \
    code name;                                                                                     \
    extern const char name##_end[];                                                                \
    __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name                          \
            ":\n .cfi_startproc\n" text "\n .cfi_endproc\n.size " #name ", .-" #name               \
            "\n.globl " #name "_end\n" #name "_end:\n");

__asm__(".data\n.balign 16\nhook_numbers: .quad 40, 2, 77, 5\nhook_pointer: .quad hook_callee\n"
        ".balign 16\nhook_vector: .long 1, 2, 3, 4, 5, 6, 7, 8\n"
        ".text\nhook_callee: .cfi_startproc\n leaq 7(%rdi,%rsi,2), %rax\n ret\n .cfi_endproc\n");

CODE(relative_operands, "movq hook_numbers(%rip), %rax\n addq hook_numbers+8(%rip), %rax\n"
                        "leaq hook_numbers(%rip), %rcx\n subq (%rcx), %rax\n"
                        "cmpq $77, hook_numbers+16(%rip)\n sete %dl\n movzbl %dl, %edx\n"
                        "addq %rdx, %rax\n imulq $3, hook_numbers+24(%rip), %r9\n addq %r9, %rax\n"
                        "movl %edi, %r10d\n lock xaddl %r10d, hook_numbers+8(%rip)\n"
                        "subl %edi, hook_numbers+8(%rip)\n pushq hook_numbers(%rip)\n popq %r8\n"
                        "addq %r8, %rax\n movdqu hook_vector(%rip), %xmm1\n movd %xmm1, %ecx\n"
                        "addl %ecx, %eax\n movaps %xmm0, %xmm3\n"
                        "addps hook_vector+16(%rip), %xmm3\n ret")
CODE(jumps, "cmpq %rsi, %rdi\n jl 1f\n jg 2f\n xorl %eax, %eax\n jmp 3f\n"
            "1: movl $1, %eax\n jmp 4f\n .skip 200, 0x90\n"
            "2: movl $2, %eax\n cmpq $100, %rdi\n ja 3f\n jmp 4f\n"
            "3: addl $10, %eax\n 4: jmp *5f(%rip)\n 6: addl $1000, %eax\n ret\n"
            ".pushsection .data\n 5: .quad 6b\n .popsection")
CODE(loops, "xorl %eax, %eax\n movl %edi, %ecx\n andl $15, %ecx\n jrcxz 2f\n"
            "1: addl %esi, %eax\n loop 1b\n 2: movl $3, %ecx\n 3: addl $1, %eax\n cmpl $9, %eax\n"
            "loopne 3b\n jecxz 4f\n addl $500, %eax\n 4: ret")
CODE(ways_to_call,
     "pushq %rbx\n .cfi_adjust_cfa_offset 8\n call hook_callee\n movq %rax, %rbx\n"
     "call *hook_pointer(%rip)\n addq %rax, %rbx\n leaq hook_callee(%rip), %rdx\n"
     "call *%rdx\n addq %rax, %rbx\n pushq %rdx\n .cfi_adjust_cfa_offset 8\n"
     "call *(%rsp)\n addq %rax, %rbx\n pushq %rax\n .cfi_adjust_cfa_offset 8\n"
     "call *8(%rsp)\n addq %rax, %rbx\n leaq -256(%rsp), %r8\n call *264(%r8)\n"
     "addq %rax, %rbx\n leaq hook_pointer(%rip), %r10\n call *(%r10)\n"
     "leaq -256(%rsp), %rsp\n .cfi_adjust_cfa_offset 256\n call *256+8(%rsp)\n"
     "leaq 256+16(%rsp), %rsp\n .cfi_adjust_cfa_offset -272\n leaq (%rax,%rbx), %rax\n"
     "popq %rbx\n .cfi_adjust_cfa_offset -8\n ret")
CODE(who_called, "call 1f\n 1: popq %rax\n leaq 1b(%rip), %rdx\n subq %rdx, %rax\n"
                 "addq $3, %rax\n ret")
CODE(stack, "pushq %rbp\n movq %rsp, %rbp\n pushq %rdi\n pushq %rsi\n pushfq\n popq %rcx\n"
            "movq -8(%rbp), %rax\n subq (%rsp), %rax\n popq %rdx\n xchgq %rdx, (%rsp)\n"
            "leave\n ret")
CODE(red_zone, "movq %rdi, -8(%rsp)\n movq %rsi, -128(%rsp)\n movq $11, -64(%rsp)\n"
               "movq -8(%rsp), %rax\n addq -128(%rsp), %rax\n addq -64(%rsp), %rax\n ret")
CODE(flags, "xorl %eax, %eax\n cmpq %rsi, %rdi\n setl %al\n adcl $0, %eax\n nop\n rcll $1, %eax\n"
            "stc\n leaq 1(%rdi), %rdx\n adcl $3, %eax\n std\n nop\n pushfq\n cld\n popq %rdx\n"
            "andl $0x400, %edx\n addl %edx, %eax\n ret")
CODE(strings, "leaq -64(%rsp), %rdi\n movl $32, %ecx\n movb %sil, %al\n rep stosb\n"
              "leaq -64(%rsp), %rsi\n leaq -40(%rsp), %rdi\n movl $8, %ecx\n rep movsb\n"
              "movsbq -40(%rsp), %rax\n rep ret")
CODE(floats, "fld1\n movq %rdi, -8(%rsp)\n fildq -8(%rsp)\n faddp\n movq %rsi, -8(%rsp)\n"
             "fildq -8(%rsp)\n fmulp\n nop\n fistpq -8(%rsp)\n movq -8(%rsp), %rax\n"
             "cvtsi2sd %rdi, %xmm7\n cvtsi2sd %rsi, %xmm15\n mulsd %xmm15, %xmm7\n"
             "cvttsd2si %xmm7, %rdx\n addq %rdx, %rax\n ret")

static struct {
    const char *name;
    code *start;
    const char *end;
} const codes[] = {
#define ROW(name)                                                                                  \
    {                                                                                              \
#name, name, name##_end                                                                    \
    }
    ROW(relative_operands), ROW(jumps), ROW(loops),    ROW(ways_to_call),
    ROW(who_called),        ROW(stack), ROW(red_zone), ROW(flags),
    ROW(strings),           ROW(floats)};
enum { CODES = sizeof codes / sizeof *codes };

/* Hooks on every instruction from here to there, as far as they can be moved; how many, and
 * how many jumps. */
struct hooked {
    struct rdl__hook hooks[400], *list[400];
    size_t count, refused, jumps;
};

static inline void hook_range(struct hooked *out, const void *start, const void *end,
                              rdl__hook_function *call, bool never_jump)
{
    struct rdl__error error;
    struct rdl__moved copy;

    EXPECT(rdl__zydis_load(&error));
    memset(out, 0, sizeof *out);
    for (const uint8_t *at = start; at < (const uint8_t *)end; at += copy.length) {
        struct rdl__hook *hook = &out->hooks[out->count];

        rdl__relocate(at, RDL__INSTRUCTION_MAX, (uintptr_t)at, (uintptr_t)at, &copy);
        *hook =
            (struct rdl__hook){.address = (uintptr_t)at, .call = call, .never_jump = never_jump};
        if (rdl__hook_place(hook, &error)) {
            out->list[out->count++] = hook;
            out->jumps += rdl__hook_is_jump(hook);
        } else {
            EXPECT_CONTAINS(error.text, "too far");
            out->refused++;
        }
    }
}

static uint64_t code_hits;

static void hit(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
    code_hits++;
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n movaps %%xmm0, %%xmm7\n movaps %%xmm0, %%xmm15\n"
                     "fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fld1\n fninit"
                     :
                     :
                     : "xmm0", "xmm7", "xmm15");
}

static inline void expect_the_same(bool never_jump, size_t *out_jumps, size_t *out_refused)
{
    static struct hooked hooked;
    static const long numbers[] = {0, 1, -1, 5, 77, 1000};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    long before[NUMBERS][NUMBERS];

    for (int c = 0; c < CODES; c++) {
        for (int i = 0; i < NUMBERS * NUMBERS; i++)
            before[i / NUMBERS][i % NUMBERS] =
                codes[c].start(numbers[i / NUMBERS], numbers[i % NUMBERS]);
        hook_range(&hooked, (const void *)codes[c].start, codes[c].end, hit, never_jump);
        *out_jumps += hooked.jumps;
        *out_refused += hooked.refused;
        code_hits = 0;
        for (int i = 0; i < NUMBERS * NUMBERS; i++) {
            long now = codes[c].start(numbers[i / NUMBERS], numbers[i % NUMBERS]);

            if (now != before[i / NUMBERS][i % NUMBERS])
                test_fail(__FILE__, __LINE__, "%s(%ld, %ld) is %ld, and was %ld", codes[c].name,
                          numbers[i / NUMBERS], numbers[i % NUMBERS], now,
                          before[i / NUMBERS][i % NUMBERS]);
        }
        EXPECT(code_hits >= 2 * NUMBERS * NUMBERS);
        rdl__hooks_remove(hooked.list, hooked.count);
    }
}

#endif
