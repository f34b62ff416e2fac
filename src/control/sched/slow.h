/* slow.h -- into a function of ours with the registers of the code under test at hand.
 *
 * Those that a call preserves are all that is left of a thread's state when it has
 * called us, apart from its stack and other memory: see spin.c. */
#ifndef RDL__SLOW_H
#define RDL__SLOW_H

/* A function `name` that calls `function` with its own arguments and one more, in
 * the register given: a struct rdl__entry. */
#define RDL__WITH_REGISTERS(name, function, argument, visibility)                                  \
    ".text\n"                                                                                      \
    ".balign 16\n"                                                                                 \
    ".globl " name "\n" visibility "\n"                                                            \
    ".type " name ", @function\n" name ":\n"                                                       \
    ".cfi_startproc\n"                                                                             \
    "pushq %r15\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq %r14\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq %r13\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq %r12\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq %rbp\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq %rbx\n"                                                                                 \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "pushq $0\n"                                                                                   \
    ".cfi_adjust_cfa_offset 8\n"                                                                   \
    "movq %rsp, " argument "\n"                                                                    \
    "call " function "\n"                                                                          \
    "addq $56, %rsp\n"                                                                             \
    ".cfi_adjust_cfa_offset -56\n"                                                                 \
    "ret\n"                                                                                        \
    ".cfi_endproc\n"                                                                               \
    ".size " name ", .-" name "\n"

#endif
