/* trap.c -- SIGTRAP, by which a breakpoint sends a thread elsewhere.
 *
 * Invariant: an entry of the table, once there, stays and stays the same; so a handler
 * can read it at any time.  A table that is full is replaced by a larger one, and kept. */
#include "port/trap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "port/proc.h"

enum { FIRST_ROOM = 1024, BREAKPOINT = 3 /* number of the exception */ };

struct entry {
    uintptr_t address, go_on_at; /* address is written last; 0: free */
};

struct table {
    size_t room, count; /* room: a power of two */
    struct entry entries[];
};

bool rdl__trap_is_on;
static struct table *table;
static struct sigaction program_action;
static uintptr_t way_back; /* the code that leaves a handler */
static volatile sig_atomic_t probe_was_seen;

extern const char rdl__trap_probe_behind[] __attribute__((visibility("hidden")));
extern const char __start_rdl__patcher[] __attribute__((visibility("hidden")));
extern const char __stop_rdl__patcher[] __attribute__((visibility("hidden")));

/* ---- The table ---------------------------------------------------------------------------- */

RDL__PATCHER static size_t first_place(const struct table *in, uintptr_t address)
{
    return (size_t)rdl__mix(address) & (in->room - 1);
}

RDL__PATCHER uintptr_t rdl__trap_find(uintptr_t address)
{
    const struct table *in = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

    for (size_t i = in ? first_place(in, address) : 0; in; i = (i + 1) & (in->room - 1)) {
        uintptr_t found = __atomic_load_n(&in->entries[i].address, __ATOMIC_ACQUIRE);

        if (found == address)
            return __atomic_load_n(&in->entries[i].go_on_at, __ATOMIC_ACQUIRE);
        if (found == 0)
            return 0;
    }
    return 0;
}

static void enter(struct table *in, uintptr_t address, uintptr_t go_on_at)
{
    size_t i = first_place(in, address);

    while (in->entries[i].address && in->entries[i].address != address)
        i = (i + 1) & (in->room - 1);
    in->count += in->entries[i].address == 0;
    __atomic_store_n(&in->entries[i].go_on_at, go_on_at, __ATOMIC_RELEASE);
    __atomic_store_n(&in->entries[i].address, address, __ATOMIC_RELEASE);
}

static struct table *new_table(size_t room)
{
    struct table *new = rdl__allocate(sizeof *new + room * sizeof *new->entries);

    new->room = room;
    return new;
}

/* Somebody may still be reading the old one. */
static void grow(void)
{
    struct table *old = table, *new = new_table(old ? 2 * old->room : FIRST_ROOM);

    for (size_t i = 0; old && i < old->room; i++)
        if (old->entries[i].address)
            enter(new, old->entries[i].address, old->entries[i].go_on_at);
    __atomic_store_n(&table, new, __ATOMIC_RELEASE);
}

void rdl__trap_add(uintptr_t address, uintptr_t go_on_at)
{
    if (!table || 2 * (table->count + 1) > table->room)
        grow();
    enter(table, address, go_on_at);
}

/* ---- The handler --------------------------------------------------------------------------- */

/* The trap is the program's own. */
static void hand_on(int signal, siginfo_t *info, void *context)
{
    static const struct { /* as the kernel has it */
        void *handler;
        unsigned long flags;
        void *restorer;
        rdl__signals mask;
    } by_default;
    struct sigaction action = program_action;

    if (action.sa_flags & SA_RESETHAND)
        program_action = (struct sigaction){.sa_handler = SIG_DFL};
    if (action.sa_flags & SA_SIGINFO) {
        action.sa_sigaction(signal, info, context);
    } else if (action.sa_handler == SIG_DFL ||
               (action.sa_handler == SIG_IGN && info->si_code == SI_KERNEL)) {
        rdl__kernel(SYS_rt_sigaction, signal, (long)&by_default, 0, sizeof by_default.mask, 0, 0);
        rdl__kernel(SYS_tgkill, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0),
                    rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
    } else if (action.sa_handler != SIG_IGN) {
        action.sa_handler(signal);
    }
}

RDL__PATCHER static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t behind = (uintptr_t)registers[REG_RIP], go_on_at;

    if (info->si_code == SI_KERNEL && registers[REG_TRAPNO] == BREAKPOINT) {
        if ((go_on_at = rdl__trap_find(behind - 1))) {
            registers[REG_RIP] = (greg_t)go_on_at;
            return;
        }
        if (behind == (uintptr_t)rdl__trap_probe_behind) {
            probe_was_seen = 1;
            return;
        }
    }
    hand_on(signal, info, context);
}

void rdl__trap_sigaction(const struct sigaction *action, struct sigaction *old)
{
    struct sigaction was = program_action;

    if (action)
        program_action = *action;
    if (old)
        *old = was;
}

bool rdl__trap_needs(uintptr_t address)
{
    enum { WAY_BACK_SIZE = 9 }; /* mov $15, %rax; syscall */

    return (address >= (uintptr_t)__start_rdl__patcher &&
            address < (uintptr_t)__stop_rdl__patcher) ||
           (address >= way_back && address < way_back + WAY_BACK_SIZE);
}

/* ---- Who would be in the way ----------------------------------------------------------------- */

/* A breakpoint of our own, to see what comes of it. */
__asm__(".pushsection rdl__patcher, \"ax\", @progbits\n"
        ".type rdl__trap_probe, @function\n"
        "rdl__trap_probe:\n"
        "    .cfi_startproc\n"
        "    int3\n"
        ".globl rdl__trap_probe_behind\n"
        ".hidden rdl__trap_probe_behind\n"
        "rdl__trap_probe_behind:\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size rdl__trap_probe, .-rdl__trap_probe\n"
        ".popsection\n");

static bool is_traced(void)
{
    struct rdl__text status = {0};
    const char *line;
    bool yes;

    rdl__proc_read("/proc/self/status", &status);
    line = strstr(rdl__text_string(&status), "\nTracerPid:");
    yes = line && atoi(line + strlen("\nTracerPid:")) != 0;
    rdl__text_release(&status);
    return yes;
}

static bool traps_reach_us(struct rdl__error *error)
{
    if (!is_traced())
        return true;
    probe_was_seen = 0;
    __asm__ volatile("lea -128(%%rsp), %%rsp\n"
                     "call rdl__trap_probe\n"
                     "lea 128(%%rsp), %%rsp"
                     :
                     :
                     : "memory");
    if (probe_was_seen)
        return true;
    return rdl__fail(error, "a debugger is attached, and keeps the traps that hooks need to itself "
                            "(in gdb: handle SIGTRAP nostop noprint pass)");
}

struct question {
    bool ok;
    struct rdl__error *error;
};

static bool lets_it_through(int thread, void *it)
{
    struct question *question = it;
    struct rdl__text status = {0};
    const char *name, *blocked;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    rdl__proc_read(path, &status);
    name = strstr(rdl__text_string(&status), "Name:\t");
    blocked = strstr(rdl__text_string(&status), "\nSigBlk:");
    if (name && blocked && strtoull(blocked + strlen("\nSigBlk:"), NULL, 16) >> (SIGTRAP - 1) & 1) {
        name += strlen("Name:\t");
        question->ok = rdl__fail(question->error,
                                 "thread %d (%.*s) blocks SIGTRAP, and would end the process at "
                                 "the first hook that it comes to",
                                 thread, (int)strcspn(name, "\n"), name);
    }
    rdl__text_release(&status);
    return question->ok;
}

static bool nobody_blocks_it(struct rdl__error *error)
{
    struct question question = {.ok = true, .error = error};

    rdl__proc_each_thread(lets_it_through, &question);
    return question.ok;
}

/* Handlers that the program has set up must not run with it blocked, either. */
static void spare_handlers(void)
{
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action;

        if (signal != SIGTRAP && sigaction(signal, NULL, &action) == 0 &&
            action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
            sigismember(&action.sa_mask, SIGTRAP) == 1) {
            sigdelset(&action.sa_mask, SIGTRAP);
            sigaction(signal, &action, NULL);
        }
    }
}

/* ---- Beginning ---------------------------------------------------------------------------- */

/* Not on a stack of its own (SA_ONSTACK): a controlled thread may stand in a handler on
 * that one while another comes to a breakpoint; and what comes after the trap needs more
 * of the thread's stack than the trap. */
static void set_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        rdl__signals mask;
    } as_kernel = {0};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, &program_action);
    rdl__kernel(SYS_rt_sigaction, SIGTRAP, 0, (long)&as_kernel, sizeof as_kernel.mask, 0, 0);
    way_back = (uintptr_t)as_kernel.restorer;
}

bool rdl__trap_begin(struct rdl__error *error)
{
    rdl__signals trap = UINT64_C(1) << (SIGTRAP - 1);

    if (rdl__trap_is_on)
        return true;
    rdl__kernel_mask(SIG_UNBLOCK, &trap, NULL);
    set_handler();
    rdl__trap_is_on = true; /* from here on threads do not begin to block it */
    if (nobody_blocks_it(error) && traps_reach_us(error)) {
        spare_handlers();
        return true;
    }
    rdl__trap_is_on = false;
    sigaction(SIGTRAP, &program_action, NULL);
    return false;
}
