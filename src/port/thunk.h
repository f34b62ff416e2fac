/* thunk.h -- code that can be called like any function, and calls one that is told all.
 *
 *     uintptr_t entry = rdl__thunk_new(answer, it);
 *
 * Whoever calls the entry, with whatever arguments, has answer(&arguments, it) called: as a
 * function of its own, on the same stack, in no hook and no signal handler.  It may call what it
 * likes, block, throw, and be left by longjmp(); unwinders and debuggers see the caller above it.
 * When it returns, the caller gets what it wrote into rax, rdx, returned and st0.
 *
 * All other registers are as they were, even those that a function may change: a compiler that
 * sees both a function and its callers knows which of them it leaves alone.  For the same reason
 * rax, rdx and the vectors that are returned are at first what they were at the call.  (What lies
 * beyond the 16 bytes of xmm0 to xmm15 may change.) */
#ifndef RDL__THUNK_H
#define RDL__THUNK_H

#include <stdint.h>

struct rdl__arguments {
    uint64_t integers[6];    /* rdi rsi rdx rcx r8 r9 */
    uint8_t vectors[8][16];  /* xmm0 to xmm7 */
    uint64_t *stack;         /* the first argument on the stack */
    uintptr_t caller;        /* where the call returns to */
    uint64_t rax, rdx;       /* what is returned; at first, as they were at the call */
    uint8_t returned[2][16]; /* xmm0, xmm1 */
    long double st0;
    uint32_t st_count; /* 1: st0 is returned, too */
    uint64_t r10;      /* of functions within functions: whose variables they see */
};

typedef void rdl__called(struct rdl__arguments *arguments, void *it);

/* Code that stays for ever.  Any thread may call it, several at once. */
uintptr_t rdl__thunk_new(rdl__called *called, void *it);

/* So much of the stack is handed on where nobody knows how much of it is arguments: 64 of them. */
enum { RDL__OPEN_STACK_BYTES = 512 };

/* Call a function with these arguments, so many bytes on the stack; and put what it returns where
 * a thunk would return it from.  st_count is to be 1 before if it returns st0 (rdl__prototype_call
 * knows). */
void rdl__thunk_call(uintptr_t function, struct rdl__arguments *arguments, uint32_t stack_bytes);

/* Where a function returns to that is called so; and whose call it is, in place of that. */
extern const char rdl__thunk_called[] __attribute__((visibility("hidden")));
uintptr_t rdl__thunk_handed_on_for(void);
static inline uintptr_t rdl__thunk_caller(uintptr_t pc)
{
    return __builtin_expect(pc == (uintptr_t)rdl__thunk_called, 0) ? rdl__thunk_handed_on_for()
                                                                   : pc;
}

#endif
