/* hook.h -- at an instruction of the running process, call a function first.
 *
 * The function is called as any other would be: on the stack of the thread that comes
 * there, below the red zone, in no signal handler.  So it may block (for ever, too),
 * allocate, take locks, and be left by longjmp() or an exception.  Who unwinds the stack
 * sees the instruction as the place that it was called from.  It may change registers.
 * When it returns, the instruction is executed and the thread goes on behind it; or
 * elsewhere, if the function has changed rip.
 *
 * The instruction is executed from a copy of it (relocate.h).  In its place stands a
 * breakpoint (trap.h), or, where that is safe, a jump:
 *
 * A jump has 5 bytes.  It is used where the instruction has at least as many and no lock
 * prefix.  Then nobody can stand, or come to stand, in the midst of what is overwritten:
 * not a thread that was preempted, since it stands before or behind an instruction; and
 * not a jump of the program, since compilers have programs jump into an instruction only
 * to leave out a lock prefix.  The bytes are changed while their first one is a
 * breakpoint, and all CPUs are told before and after (code.h).
 *
 * A thread that comes to a hook while it is in the function of a hook passes it.
 *
 * Where the C library itself blocks all signals, in the midst of making or ending a thread,
 * it leaves out the one that breakpoints need (unblock.h).  What nobody can help: a child
 * that is about to execute another program has no handlers any more, so a breakpoint ends
 * it.  And copies have no tables for unwinding, so a signal handler that unwinds while one
 * is executed gets no further (rdl__hook_origin knows where it was). */
#ifndef RDL__HOOK_H
#define RDL__HOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* As they were before the instruction, and will be after the function. */
struct rdl__registers {
    union {
        uint64_t dwarf[17]; /* by the numbers that debugging information has for them */
        struct {
            uint64_t rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp;
            uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
            uint64_t rip; /* of the instruction */
        };
    };
    uint64_t flags;
    uint8_t *vectors;                          /* see rdl__registers_xmm */
    uint32_t vectors_by_moves, vectors_in_use; /* so many bytes apart; 0: by XSAVE and its like */
};

/* The 16 bytes of xmm0 to xmm15, to be read or written. */
uint8_t *rdl__registers_xmm(struct rdl__registers *registers, unsigned number);

/* If it changes rip, the thread goes on there, and no other hook of the same place is
 * called.  It may move rsp, downwards by 256 bytes at most. */
typedef void rdl__hook_function(struct rdl__registers *registers, void *it);

struct rdl__hook {
    uintptr_t address; /* an instruction; endbr64: the hook is at the one behind it */
    rdl__hook_function *call;
    void *it;
    bool never_jump; /* a breakpoint is wanted in any case */

    uint64_t passed; /* how often a thread passed it, being in a function of a hook */

    /* Private. */
    struct rdl__site *site; /* where it was placed; NULL: it never was */
    int number;             /* among the hooks of that site */
    bool is_placed;
};

/* When this returns, every thread that comes to the address calls the function.  Refused:
 * the reason.  Several hooks can have the same address; they are called in the order in
 * which there was room for them. */
bool rdl__hook_place(struct rdl__hook *hook, struct rdl__error *error);

/* All of them, or none: then the reason names the address. */
bool rdl__hooks_place(struct rdl__hook *const *hooks, size_t count, struct rdl__error *error);

/* When these return, no thread begins to call the function.  Who is about to, or in it, is
 * not waited for, and goes on as if the hook were there; as long as there may be such
 * threads the hook and all that its function uses must stay (rdl__hook_is_quiet).  A hook
 * that has been removed, or never placed, may be removed; and be placed again. */
void rdl__hook_remove(struct rdl__hook *hook);
void rdl__hooks_remove(struct rdl__hook *const *hooks, size_t count);

/* Is nobody in the function of this hook, which has been removed, nor in one of another at
 * the same address?  Who left it by longjmp(), or was dropped, counts as being in it. */
bool rdl__hook_is_quiet(const struct rdl__hook *hook);

/* This thread is about to leave the function of a hook by longjmp().  (An exception is
 * noticed.  A longjmp() that was not told of is noticed when the thread comes to a hook with
 * its stack less deep, or overwritten; until then hooks may be passed.) */
void rdl__hook_leave(void);

/* From now on this thread passes all hooks, or does not any more; what it did before.  Children
 * that it forks do the same. */
bool rdl__hooks_pass(bool all);
bool rdl__hooks_are_passed(void);

/* Where to go to pass the hook: at the entry of a function, that is what to call to call the
 * function itself.  Once placed, this stays so. */
uintptr_t rdl__hook_bypass(const struct rdl__hook *hook);

/* Is it in the code?  It is not if it has been removed; nor if the library that it was in was
 * unloaded, though it may be loaded again. */
bool rdl__hook_stands(const struct rdl__hook *hook);

/* Does a jump stand at the hook's address, rather than a breakpoint? */
bool rdl__hook_is_jump(const struct rdl__hook *hook);

/* The place of an instruction of which a copy is executed here, such as where a crash
 * happened; what is no copy is its own place. */
uintptr_t rdl__hook_origin(uintptr_t pc);

#endif
