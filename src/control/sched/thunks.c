/* thunks.c -- functions of ours made from the table of calls: one for each row that says
 * POINT or VAGUE.
 *
 * Such a function is four instructions.  Where nothing is controlled, which is almost always,
 * it jumps to the function that would have been called without us.  In a controlled thread it
 * first comes to an operation on what the row says (state.c), with all registers kept that may
 * hold arguments, and then jumps there too; so whatever arguments there are, they need not be
 * known, and the function returns to its caller.
 *
 * Rows that describe memory of the caller's have a second one, __wrap_NAME, to which `raddle
 * cc` leads calls: it tells of that memory (call_memory.c), and jumps to the first, if there
 * is one.
 *
 * They are weak: a program that has a function of its own by one of these names keeps it. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/error.h"

#include "control/sched/calls.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"

RDL__ASKED_FOR(thunks);

/* What belongs to one of them. */
struct thunk {
    const void *jump;                /* where it leads: first to rdl__thunk_find */
    const char *name;                /* of the function, or of that which tells of memory */
    const struct rdl__call_row *row; /* NULL: not looked for yet */
    bool is_of_program;
};

__attribute__((visibility("hidden"), used)) const void *rdl__thunk_found(struct thunk *it);
__attribute__((visibility("hidden"), used)) const void *rdl__wrap_found(struct thunk *it);
__attribute__((visibility("hidden"), used)) const void *
rdl__wrap_comes(struct thunk *it, const uint64_t *arguments, uintptr_t pc);
__attribute__((visibility("hidden"), used)) const void *
rdl__thunk_comes(struct thunk *it, const uint64_t *arguments, uintptr_t pc);

/* Registers are kept in the order of struct rdl__call_row's arguments; xmm0 to xmm7 and al
 * matter to functions like printf.  %r11 is the thunk, and nobody's otherwise. */
#define KEEP_REGISTERS                                                                             \
    "subq $216, %rsp\n"                                                                            \
    ".cfi_adjust_cfa_offset 216\n"                                                                 \
    "movq %rdi, (%rsp)\n"                                                                          \
    "movq %rsi, 8(%rsp)\n"                                                                         \
    "movq %rdx, 16(%rsp)\n"                                                                        \
    "movq %rcx, 24(%rsp)\n"                                                                        \
    "movq %r8, 32(%rsp)\n"                                                                         \
    "movq %r9, 40(%rsp)\n"                                                                         \
    "movq %rax, 48(%rsp)\n"                                                                        \
    "movq %r10, 56(%rsp)\n"                                                                        \
    "movups %xmm0, 64(%rsp)\n"                                                                     \
    "movups %xmm1, 80(%rsp)\n"                                                                     \
    "movups %xmm2, 96(%rsp)\n"                                                                     \
    "movups %xmm3, 112(%rsp)\n"                                                                    \
    "movups %xmm4, 128(%rsp)\n"                                                                    \
    "movups %xmm5, 144(%rsp)\n"                                                                    \
    "movups %xmm6, 160(%rsp)\n"                                                                    \
    "movups %xmm7, 176(%rsp)\n"

#define RESTORE_REGISTERS                                                                          \
    "movq (%rsp), %rdi\n"                                                                          \
    "movq 8(%rsp), %rsi\n"                                                                         \
    "movq 16(%rsp), %rdx\n"                                                                        \
    "movq 24(%rsp), %rcx\n"                                                                        \
    "movq 32(%rsp), %r8\n"                                                                         \
    "movq 40(%rsp), %r9\n"                                                                         \
    "movq 48(%rsp), %rax\n"                                                                        \
    "movq 56(%rsp), %r10\n"                                                                        \
    "movups 64(%rsp), %xmm0\n"                                                                     \
    "movups 80(%rsp), %xmm1\n"                                                                     \
    "movups 96(%rsp), %xmm2\n"                                                                     \
    "movups 112(%rsp), %xmm3\n"                                                                    \
    "movups 128(%rsp), %xmm4\n"                                                                    \
    "movups 144(%rsp), %xmm5\n"                                                                    \
    "movups 160(%rsp), %xmm6\n"                                                                    \
    "movups 176(%rsp), %xmm7\n"                                                                    \
    "addq $216, %rsp\n"                                                                            \
    ".cfi_adjust_cfa_offset -216\n"

/* Ask `function` where to jump to, and do. */
#define ASK_AND_JUMP(name, function)                                                               \
    ".text\n.balign 16\n.hidden " name "\n.globl " name "\n.type " name ", @function\n" name       \
    ":\n.cfi_startproc\n" KEEP_REGISTERS "movq %r11, %rdi\n"                                       \
    "movq %rsp, %rsi\n"                                                                            \
    "movq 216(%rsp), %rdx\n"                                                                       \
    "call " function "\n"                                                                          \
    "movq %rax, %r11\n" RESTORE_REGISTERS "jmp *%r11\n"                                            \
    ".cfi_endproc\n.size " name ", .-" name "\n"

__asm__(ASK_AND_JUMP("rdl__thunk_find", "rdl__thunk_found"));
__asm__(ASK_AND_JUMP("rdl__thunk_point", "rdl__thunk_comes"));
__asm__(ASK_AND_JUMP("rdl__wrap_find", "rdl__wrap_found"));
__asm__(ASK_AND_JUMP("rdl__wrap_point", "rdl__wrap_comes"));

/* ---- The functions --------------------------------------------------------------------------- */

#define THUNK(symbol, name, point, find)                                                           \
    __asm__(".text\n.balign 16\n.weak " symbol "\n.type " symbol ", @function\n" symbol            \
            ":\n.cfi_startproc\n"                                                                  \
            "movq rdl__running(%rip), %r11\n"                                                      \
            "testq %r11, %r11\n"                                                                   \
            "leaq .Lthunk_" symbol "(%rip), %r11\n"                                                \
            "jne " point "\n"                                                                      \
            "jmp *(%r11)\n"                                                                        \
            ".cfi_endproc\n.size " symbol ", .-" symbol "\n"                                       \
            ".section .rodata.str1.1,\"aMS\",@progbits,1\n"                                        \
            ".Lname_" symbol ": .string \"" name "\"\n"                                            \
            ".section rdl__thunks,\"aw\",@progbits\n.balign 8\n"                                   \
            ".Lthunk_" symbol ": .quad " find ", .Lname_" symbol ", 0, 0\n.text\n");

/* clang-format off */
#define OWN_SILENT(name)
#define OWN_OURS(name)
#define OWN_POINT(name)       THUNK(#name, #name, "rdl__thunk_point", "rdl__thunk_find")
#define OWN_VAGUE(name)       OWN_POINT(name)
#define OWN_VAGUE_POINT(name) OWN_POINT(name)
#define WRAPPED(name)         THUNK("__wrap_" #name, #name, "rdl__wrap_point", "rdl__wrap_find")

#define CALL(name, way, ...) OWN_##way(name)
#define WRAP(name, way, ...) OWN_##way(name)
#define MEMO(name, way, ...) OWN_##way(name) WRAPPED(name)
/* clang-format on */
#include "control/sched/calls.def"
#include "control/sched/calls_cxx.def"

/* ---- Where they lead ------------------------------------------------------------------------- */

extern const char rdl__thunk_find[] __attribute__((visibility("hidden")));
extern const char rdl__wrap_find[] __attribute__((visibility("hidden")));

const void *rdl__thunk_found(struct thunk *it)
{
    int errno_before = errno;

    it->row = rdl__call_row(it->name);
    it->jump = rdl__find_next(it->name);
    errno = errno_before;
    return it->jump;
}

const void *rdl__thunk_comes(struct thunk *it, const uint64_t *arguments, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (it->jump == rdl__thunk_find)
        rdl__thunk_found(it);
    if (self) {
        rdl__come_to_call(self, it->row, arguments, pc);
        rdl__test_cancel_at(self, it->row, arguments, pc);
    }
    return it->jump;
}

/* Is it the program's own function, or one of a library that is not the C library's? */
static bool is_of_program(const void *function)
{
    struct dl_find_object found;

    return !rdl__is_own((uintptr_t)function + 1) &&
           _dl_find_object((void *)function, &found) == 0 &&
           !rdl__is_known_library(found.dlfo_link_map->l_name);
}

/* The program's own function, if it has one by that name; else ours, or the C library's. */
const void *rdl__wrap_found(struct thunk *it)
{
    int errno_before = errno;

    it->row = rdl__call_row(it->name);
    it->jump = dlsym(RTLD_DEFAULT, it->name);
    if (!it->jump)
        rdl__stop("there is no %s in the libraries that the program is linked with", it->name);
    it->is_of_program = is_of_program(it->jump);
    errno = errno_before;
    return it->jump;
}

const void *rdl__wrap_comes(struct thunk *it, const uint64_t *arguments, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    int errno_before = errno;

    if (it->jump == rdl__wrap_find)
        rdl__wrap_found(it);
    if (it->is_of_program) /* it only has the name of that which the row is about */
        self = NULL;
    if (self)
        rdl__call_memory(it->row, arguments, pc);
    if (self && it->row->way == RDL__CALL_SILENT && it->row->reads | it->row->writes)
        rdl__come_to_call(self, it->row, arguments, pc);
    errno = errno_before;
    return it->jump;
}

/* ---- In advance ---------------------------------------------------------------------------- */

extern struct thunk thunks_begin[] __asm__("__start_rdl__thunks")
    __attribute__((visibility("hidden")));
extern struct thunk thunks_end[] __asm__("__stop_rdl__thunks")
    __attribute__((visibility("hidden")));

/* Functions of C++'s library are looked for when they are called: most programs have none. */
void rdl__thunks_find(void)
{
    for (struct thunk *it = thunks_begin; it < thunks_end; it++) {
        bool is_wrap = it->jump == rdl__wrap_find;

        if (strncmp(it->name, "_Z", 2) == 0)
            continue;
        if (it->jump == rdl__thunk_find && dlsym(RTLD_NEXT, it->name))
            rdl__thunk_found(it);
        else if (is_wrap && rdl__instrumented && dlsym(RTLD_DEFAULT, it->name))
            rdl__wrap_found(it);
    }
}
