/* unblock.c -- where the C library blocks all signals for itself, one is left out.
 *
 * Invariant: a call, once in the table, stays; so a handler can read it at any time. */
#include "port/unblock.h"

#include <dlfcn.h>
#include <string.h>

#include "port/code.h"
#include "port/kernel.h"
#include "port/relocate.h"
#include "port/trap.h"

enum { CALLS_MAX = 32, SYSCALL_SIZE = 2 };
static uintptr_t calls[CALLS_MAX];
static unsigned call_count;

/* ---- Finding them ---------------------------------------------------------------------------- */

/* mov $14, %eax: the number of rt_sigprocmask.  A prefix makes it another register. */
static const uint8_t load_number[] = {0xb8, SYS_rt_sigprocmask, 0, 0, 0};
static const uint8_t syscall_code[SYSCALL_SIZE] = {0x0f, 0x05};

static bool loads_number(const uint8_t *at)
{
    return memcmp(at, load_number, sizeof load_number) == 0 && (at[-1] < 0x40 || at[-1] > 0x4f);
}

/* The system call that follows; NULL: other things do. */
static const uint8_t *find_syscall(const uint8_t *at, const uint8_t *end)
{
    enum { INSTRUCTIONS_MAX = 6 };
    struct rdl__moved one = {.length = sizeof load_number};

    for (int i = 0; i < INSTRUCTIONS_MAX; i++) {
        at += one.length;
        if (end - at >= SYSCALL_SIZE && memcmp(at, syscall_code, SYSCALL_SIZE) == 0)
            return at;
        rdl__relocate(at, (size_t)(end - at), (uintptr_t)at, (uintptr_t)at, &one);
        if (one.length == 0 || one.goes_elsewhere || one.is_call)
            return NULL;
    }
    return NULL;
}

/* mov $1, %edi or mov $2, %edi: signals are unblocked, or it is as it was before; and not
 * xor %edi, %edi, to block some, after that. */
static bool is_way_back(const uint8_t *call)
{
    enum { LOOK_BACK = 64, LOAD_SIZE = 5 };

    for (const uint8_t *at = call - LOAD_SIZE; at >= call - LOOK_BACK; at--) {
        if (at[0] == 0x31 && at[1] == 0xff)
            return false;
        if (at[0] == 0xbf && (at[1] == SIG_UNBLOCK || at[1] == SIG_SETMASK) && at[2] == 0 &&
            at[3] == 0 && at[4] == 0)
            return true;
    }
    return false;
}

/* What programs call has been seen to already; and a child that is about to execute another
 * program calls it when it has no handlers any more. */
static bool is_for_programs(const uint8_t *call)
{
    Dl_info here, there;

    return dladdr(call, &here) && dladdr(dlsym(RTLD_NEXT, "pthread_sigmask"), &there) &&
           here.dli_saddr && here.dli_saddr == there.dli_saddr;
}

static void find_calls(const uint8_t *start, const uint8_t *end)
{
    for (const uint8_t *at = start + 1; end - at >= (long)sizeof load_number; at++) {
        const uint8_t *call;

        at = memchr(at, load_number[0], (size_t)(end - at) - sizeof load_number + 1);
        if (!at)
            return;
        if (!loads_number(at))
            continue;
        call = find_syscall(at, end);
        if (call && !is_way_back(call) && !is_for_programs(call) && call_count < CALLS_MAX)
            calls[call_count++] = (uintptr_t)call;
    }
}

bool rdl__unblock_for(uintptr_t address, struct rdl__error *error)
{
    static uintptr_t start, end; /* of the C library's code */
    bool ok = true;

    if (start == 0) {
        void *of_library = dlsym(RTLD_NEXT, "gnu_get_libc_version");

        if (!of_library || !rdl__code_find((uintptr_t)of_library, &start, &end))
            start = end = 1;
    }
    if (address < start || address >= end || call_count > 0)
        return true;
    find_calls((const uint8_t *)start, (const uint8_t *)end);
    for (unsigned i = 0; i < call_count && ok; i++)
        ok = rdl__code_write(calls[i], &rdl__trap_byte, 1);
    return ok ? rdl__code_sync(error)
              : rdl__fail(error, "cannot write to the code of the C library");
}

/* ---- Making them ----------------------------------------------------------------------------- */

RDL__PATCHER bool rdl__unblock_is_call(uintptr_t address)
{
    unsigned i = 0;

    while (i < call_count && calls[i] != address)
        i++;
    return i < call_count;
}

/* The handler runs with the signals blocked that the thread had, and is mostly left without the
 * kernel's help: what the call does stays done.  If the kernel helps, it has to know. */
RDL__PATCHER bool rdl__unblock_call(uintptr_t address, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    const rdl__signals *set = (const rdl__signals *)registers[REG_RSI];
    rdl__signals kept, now;

    if (!rdl__unblock_is_call(address))
        return false;
    if (set)
        kept = rdl__trap_kept(*set);
    registers[REG_RAX] = rdl__kernel(registers[REG_RAX], registers[REG_RDI], set ? (long)&kept : 0,
                                     registers[REG_RDX], registers[REG_R10], 0, 0);
    rdl__kernel(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&now, sizeof now, 0, 0);
    memcpy(&context->uc_sigmask, &now, sizeof now);
    registers[REG_RIP] = (greg_t)(address + SYSCALL_SIZE);
    return true;
}
