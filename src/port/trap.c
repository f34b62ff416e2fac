/* trap.c -- a signal by which a breakpoint sends a thread elsewhere.
 *
 * The handler is left without the kernel's help, which saves a quarter of the time: the
 * signals that are blocked are the same as before, so there is nothing that only the kernel
 * can bring back.
 *
 * Invariant: an entry of the table, once there, stays; so a handler can read it at any
 * time.  A table that is full is replaced by a larger one, and kept. */
#include "port/trap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "port/proc.h"
#include "port/unblock.h"

enum { FIRST_ROOM = 1024 };
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31) /* as linux/signal.h has it */
#endif
enum { INT3 = 0xcc, HLT = 0xf4, INT3_EXCEPTION = 3, HLT_EXCEPTION = 13 };

struct entry {
    uintptr_t address, go_on_at; /* address is written last; 0: free */
};

struct table {
    size_t room, count;   /* room: a power of two */
    struct table *before; /* which somebody may still be reading */
    struct entry entries[];
};

/* As the kernel has it. */
struct disposition {
    void *handler;
    unsigned long flags;
    void *restorer;
    rdl__signals mask;
};

bool rdl__trap_begins;
int rdl__trap_signal, rdl__trap_wanted;
uint8_t rdl__trap_byte = INT3;
static struct table *table;
static struct sigaction program_action;
static uintptr_t way_back; /* the code that leaves a handler */

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

static void grow(void)
{
    struct table *old = table, *new = new_table(old ? 2 * old->room : FIRST_ROOM);

    for (size_t i = 0; old && i < old->room; i++)
        if (old->entries[i].address)
            enter(new, old->entries[i].address, old->entries[i].go_on_at);
    new->before = old;
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
    static const struct disposition by_default;
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

/* Where the breakpoint was, if one it was; int3 has been executed, hlt never is.  (It is
 * valgrind that says TRAP_BRKPT.) */
RDL__PATCHER static uintptr_t breakpoint_of(const siginfo_t *info, const greg_t *registers)
{
    uintptr_t rip = (uintptr_t)registers[REG_RIP];

    if (info->si_code != SI_KERNEL && info->si_code != TRAP_BRKPT)
        return 0;
    if (rdl__trap_byte == HLT)
        return registers[REG_TRAPNO] == HLT_EXCEPTION ? rip : 0;
    return registers[REG_TRAPNO] == INT3_EXCEPTION ? rip - 1 : 0;
}

/* True: leave the handler, for the context as it is now; false: as handlers are left. */
__attribute__((visibility("hidden"))) bool rdl__trap_handle(int signal, siginfo_t *info,
                                                            void *context);
RDL__PATCHER bool rdl__trap_handle(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    greg_t *registers = interrupted->uc_mcontext.gregs;
    uintptr_t address = breakpoint_of(info, registers);
    uintptr_t go_on_at = address ? rdl__trap_find(address) : 0;

    if (!go_on_at && (!address || !rdl__unblock_call(address, interrupted))) {
        hand_on(signal, info, context);
        return false;
    }
    if (go_on_at)
        registers[REG_RIP] = (greg_t)go_on_at;
    /* A stack for handlers that is put away in each of them is for the kernel to bring back. */
    return !(interrupted->uc_stack.ss_flags & SS_AUTODISARM);
}

void rdl__trap_enter(int signal, siginfo_t *info, void *context);

/* clang-format off */
__asm__(
    ".pushsection rdl__patcher, \"ax\", @progbits\n"
    ".balign 16\n"
    ".globl rdl__trap_enter\n"
    ".hidden rdl__trap_enter\n"
    ".type rdl__trap_enter, @function\n"
    "rdl__trap_enter:\n"
    "    .cfi_startproc\n"
    "    pushq %rbx\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    .cfi_rel_offset %rbx, 0\n"
    "    movq %rdx, %rbx\n"
    "    call rdl__trap_handle\n"
    "    testb %al, %al\n"
    "    jnz 1f\n"
    "    popq %rbx\n"
    "    ret\n"
    /* Vector registers: as XSAVE wrote them, if a mark says so, or else FXSAVE. */
    "1:  addq $40, %rbx\n" /* the general ones, from r8 on */
    "    movq 184(%rbx), %rcx\n"
    "    cmpl $0x46505853, 464(%rcx)\n"
    "    jne 2f\n"
    "    movl 472(%rcx), %eax\n"
    "    movl 476(%rcx), %edx\n"
    "    xrstor64 (%rcx)\n"
    "    jmp 3f\n"
    "2:  fxrstor64 (%rcx)\n"
    /* See the end of hook_enter.c. */
    "3:  movq 120(%rbx), %rax\n" /* rsp */
    "    movq 128(%rbx), %rdx\n" /* rip */
    "    movq %rdx, -128-8(%rax)\n"
    "    movq 136(%rbx), %rdx\n" /* flags */
    "    movq %rdx, -128-16(%rax)\n"
    "    movq 88(%rbx), %rdx\n" /* rbx */
    "    movq %rdx, -128-24(%rax)\n"
    "    subq $128+24, 120(%rbx)\n"
    "    movq 0(%rbx), %r8\n"
    "    movq 8(%rbx), %r9\n"
    "    movq 16(%rbx), %r10\n"
    "    movq 24(%rbx), %r11\n"
    "    movq 32(%rbx), %r12\n"
    "    movq 40(%rbx), %r13\n"
    "    movq 48(%rbx), %r14\n"
    "    movq 56(%rbx), %r15\n"
    "    movq 64(%rbx), %rdi\n"
    "    movq 72(%rbx), %rsi\n"
    "    movq 80(%rbx), %rbp\n"
    "    movq 96(%rbx), %rdx\n"
    "    movq 104(%rbx), %rax\n"
    "    movq 112(%rbx), %rcx\n"
    "    movq 120(%rbx), %rsp\n"
    "    popq %rbx\n"
    "    popfq\n"
    "    ret $128\n"
    "    .cfi_endproc\n"
    ".size rdl__trap_enter, .-rdl__trap_enter\n"
    ".popsection\n");
/* clang-format on */

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

struct question {
    bool ok;
    int threads; /* that were asked */
    struct rdl__error *error;
};

/* While the C library begins or ends a thread it blocks all signals, even one of its own that
 * programs cannot block; nothing of the program's is executed then. */
static bool is_blocked_in(const char *status)
{
    enum { OF_C_LIBRARY = 32 };
    const char *line = strstr(status, "\nSigBlk:");
    rdl__signals set = line ? strtoull(line + strlen("\nSigBlk:"), NULL, 16) : 0;

    return set >> (rdl__trap_signal - 1) & 1 && !(set >> (OF_C_LIBRARY - 1) & 1);
}

/* ThreadSanitizer has a thread of its own, which is the first to be made, and blocks what it
 * can. */
extern void *__tsan_get_current_report(void) __attribute__((weak));

static bool is_of_sanitizer(int number)
{
    return __tsan_get_current_report && number == 1;
}

static bool lets_it_through(int thread, void *it)
{
    struct question *question = it;
    struct rdl__text status = {0};
    const char *name;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    rdl__proc_read(path, &status);
    name = strstr(rdl__text_string(&status), "Name:\t");
    if (!is_of_sanitizer(question->threads++) && name && is_blocked_in(name)) {
        name += strlen("Name:\t");
        question->ok =
            rdl__fail(question->error,
                      "thread %d (%.*s) blocks SIG%s, and would end the process at "
                      "the first hook that it comes to",
                      thread, (int)strcspn(name, "\n"), name, sigabbrev_np(rdl__trap_signal));
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

        if (signal != rdl__trap_signal && sigaction(signal, NULL, &action) == 0 &&
            action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
            sigismember(&action.sa_mask, rdl__trap_signal) == 1) {
            sigdelset(&action.sa_mask, rdl__trap_signal);
            sigaction(signal, &action, NULL);
        }
    }
}

/* ---- Beginning ---------------------------------------------------------------------------- */

/* By the C library, which knows how handlers are left; then without it, since a sanitizer
 * may have put a function of its own before the handler.  Not on a stack of its own
 * (SA_ONSTACK): a controlled thread may stand in a handler on that one while another comes
 * to a breakpoint; and what comes after the trap needs more of the thread's stack than the
 * trap. */
static void set_handler(int signal)
{
    struct sigaction action = {.sa_sigaction = rdl__trap_enter,
                               .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct disposition it = {0};

    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, &program_action);
    rdl__kernel(SYS_rt_sigaction, signal, 0, (long)&it, sizeof it.mask, 0, 0);
    way_back = (uintptr_t)it.restorer;
    it.handler = (void *)rdl__trap_enter;
    it.mask = 0;
    rdl__kernel(SYS_rt_sigaction, signal, (long)&it, 0, sizeof it.mask, 0, 0);
}

void rdl__trap_expect(void)
{
    if (!rdl__trap_wanted)
        rdl__trap_wanted = is_traced() ? SIGSEGV : SIGTRAP;
}

static bool begin_with(int signal, struct rdl__error *error)
{
    rdl__signals it = UINT64_C(1) << (signal - 1);
    int wanted_before = rdl__trap_wanted;

    rdl__kernel_mask(SIG_UNBLOCK, &it, NULL);
    set_handler(signal);
    rdl__trap_byte = signal == SIGSEGV ? HLT : INT3;
    rdl__trap_signal = signal;
    rdl__trap_wanted = signal; /* from here on threads do not begin to block it */
    if (nobody_blocks_it(error)) {
        spare_handlers();
        return true;
    }
    rdl__trap_signal = 0;
    rdl__trap_wanted = wanted_before;
    sigaction(signal, &program_action, NULL);
    return false;
}

static bool begin(int signal, struct rdl__error *error)
{
    bool ok;

    rdl__trap_begins = true;
    ok = begin_with(signal, error);
    rdl__trap_begins = false;
    return ok;
}

bool rdl__trap_begin(struct rdl__error *error)
{
    return rdl__trap_signal || begin(is_traced() ? SIGSEGV : SIGTRAP, error);
}
