/* dispatch.c -- system calls that code makes itself, without the C library.
 *
 * The kernel sends SIGSYS instead of doing such a call.  The handler runs on the stack of
 * the thread that made it, does what syscall() would, and puts the result where the
 * kernel would have put it.  Other threads may run meanwhile, on their stacks, and be
 * handed calls of theirs: so the signal is never blocked, not even in its handler.
 *
 * What is not handed to us: calls of the C library, whose code the kernel is told to let
 * pass, and our own, which are made from there (rdl__kernel_door); so there is nothing to
 * switch on and off around them.  The kernel keeps all this for each of its threads, so
 * donors, processes that the program makes, and those that wait for them, are free.
 *
 * The loader, the kernel's own code and sanitizers are handed to us, too, and get from
 * the kernel just what they asked for. */
#include "control/sched/dispatch.h"

#include <errno.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "control/sched/seen.h"
#include "control/sched/world.h"
#include "port/calls.h"
#include "port/trap.h"

/* As linux/prctl.h and asm-generic/siginfo.h have them, since 5.11. */
enum {
    SET_DISPATCH = 59,
    DISPATCH_OFF = 0,
    DISPATCH_ON = 1,
    LET_PASS = 0,    /* the other one is RDL__HAND_OVER */
    HANDED_OVER = 2, /* si_code of the signal */
    INSTRUCTION_SIZE = 2,
};

volatile char rdl__dispatch_selector;
rdl__signals rdl__never_blocked;

static struct rdl__calls calls;
static bool is_known, is_possible, is_on;
static struct sigaction program_action; /* for SIGSYS */

/* ---- What the program is not to see --------------------------------------------------- */

int rdl__dispatch_sigaction(const struct sigaction *action, struct sigaction *old)
{
    struct sigaction was = program_action;

    if (action)
        program_action = *action;
    if (old)
        *old = was;
    return 0;
}

/* The signal is one for the program. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
    struct sigaction action = program_action, none = {.sa_handler = SIG_DFL};

    if (action.sa_handler == SIG_IGN)
        return;
    if (action.sa_handler == SIG_DFL || action.sa_flags & SA_RESETHAND)
        RDL__NEXT(sigaction)(signal, &none, NULL);
    if (action.sa_handler == SIG_DFL)
        rdl__kernel(SYS_tgkill, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0),
                    rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
    else if (action.sa_flags & SA_SIGINFO)
        action.sa_sigaction(signal, info, context);
    else
        action.sa_handler(signal);
}

/* ---- Calls that are about the very thing we interrupted ---------------------------------- */

/* When the handler returns, the mask becomes what it was when it was called; so what the
 * call is to change lies in the context. */
static long change_mask(struct rdl__thread *self, const long *a, sigset_t *mask)
{
    rdl__signals old = rdl__as_bits(mask), new = old, set;

    if (a[3] != sizeof set)
        return -EINVAL;
    if (a[1]) {
        set = *(const rdl__signals *)a[1];
        if (a[0] != SIG_BLOCK && a[0] != SIG_UNBLOCK && a[0] != SIG_SETMASK)
            return -EINVAL;
        new = a[0] == SIG_BLOCK ? old | set : a[0] == SIG_UNBLOCK ? old & ~set : set;
        new = rdl__trap_kept(new & ~rdl__never_blocked);
    }
    if (a[2])
        *(rdl__signals *)a[2] = old;
    if (self && new != old)
        rdl__mask_set(self, new);
    memcpy(mask, &new, sizeof new);
    return 0;
}

/* Does it make something that begins to run behind the call, on a stack of its own? */
static bool begins_elsewhere(long number, const long *a)
{
    const struct clone_args *arguments = (const struct clone_args *)a[0];

    return (number == SYS_clone && a[1]) || (number == SYS_clone3 && arguments->stack);
}

/* It is made by the code itself, and so may others be until a thread comes to its next
 * operation. */
static void let_it_pass(greg_t *registers)
{
    rdl__dispatch_selector = LET_PASS;
    registers[REG_RIP] -= INSTRUCTION_SIZE;
}

/* ---- Calls --------------------------------------------------------------------------- */

static long call(struct rdl__thread *self, long number, long *a, ucontext_t *interrupted)
{
    uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    int errno_before = errno;
    long result;

    if (number == SYS_rt_sigprocmask)
        return change_mask(self, a, &interrupted->uc_sigmask);
    if (number == SYS_rt_sigaction && a[0] == SIGSYS)
        return 0;
    if (!self || rdl__calls_is_system(pc))
        return rdl__kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (rdl__is_openmp(pc))
        rdl__openmp_is_back(self);
    result = rdl__call_by_number(self, number, a, pc);
    if (rdl__is_openmp(pc))
        rdl__openmp_calls(self);
    if (result == -1)
        result = -errno;
    errno = errno_before;
    return result;
}

static void on_call(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    greg_t *registers = interrupted->uc_mcontext.gregs;
    long a[] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                registers[REG_R10], registers[REG_R8],  registers[REG_R9]};

    if (info->si_code != HANDED_OVER) {
        hand_on(signal, info, context);
        return;
    }
    if (registers[REG_RAX] == SYS_rt_sigreturn)
        rdl__kernel_sigreturn((uintptr_t)registers[REG_RSP]);
    if (begins_elsewhere(registers[REG_RAX], a)) {
        let_it_pass(registers);
        return;
    }
    registers[REG_RAX] = call(rdl__self(), registers[REG_RAX], a, interrupted);
    /* Another stack for handlers may have been set up, in this call or while we waited:
     * that is not to be undone. */
    rdl__kernel(SYS_sigaltstack, 0, (long)&interrupted->uc_stack, 0, 0, 0, 0);
}

/* ---- On and off ---------------------------------------------------------------------- */

static long set_dispatch(int mode)
{
    return mode == DISPATCH_OFF
               ? rdl__kernel(SYS_prctl, SET_DISPATCH, DISPATCH_OFF, 0, 0, 0, 0)
               : rdl__kernel(SYS_prctl, SET_DISPATCH, mode, (long)calls.libc_start,
                             (long)calls.libc_size, (long)&rdl__dispatch_selector, 0);
}

static void look(void)
{
    rdl__openmp_look();
    rdl__calls_is_own = rdl__is_own;
    rdl__calls_look(&calls);
    is_possible =
        calls.maker[0] && calls.door && rdl__calls_can_be_told() && set_dispatch(DISPATCH_OFF) == 0;
    if (is_possible)
        rdl__kernel_door = calls.door;
}

void rdl__dispatch_prepare(void)
{
    if (!is_known)
        look();
    is_known = true;
}

bool rdl__dispatch_is_needed(void)
{
    rdl__dispatch_prepare();
    return calls.maker[0] != '\0';
}

const char *rdl__dispatch_lacking(void)
{
    return calls.maker[0] && calls.waits && !is_possible ? calls.maker : NULL;
}

static void switch_on(void)
{
    struct sigaction action = {.sa_sigaction = on_call,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};

    is_on = true;
    sigemptyset(&action.sa_mask);
    RDL__NEXT(sigaction)(SIGSYS, &action, &program_action);
    rdl__dispatch_selector = RDL__HAND_OVER;
    rdl__never_blocked = UINT64_C(1) << (SIGSYS - 1);
    rdl__kernel_mask(SIG_UNBLOCK, &rdl__never_blocked, NULL);
    set_dispatch(DISPATCH_ON);
}

void rdl__dispatch_begin(void)
{
    if (is_possible && !is_on)
        switch_on();
}

void rdl__dispatch_end(void)
{
    if (!is_on)
        return;
    set_dispatch(DISPATCH_OFF);
    rdl__never_blocked = 0;
    RDL__NEXT(sigaction)(SIGSYS, &program_action, NULL);
    is_on = false;
}

void rdl__dispatch_loaded(void)
{
    if (is_known)
        look();
    if (is_known && rdl__running)
        rdl__dispatch_begin();
}
