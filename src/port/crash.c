/* crash.c -- where a process was when a signal ended it.
 *
 * The handler unwinds the stack, which is not promised to work in a handler;
 * but with glibc's lock-free lookup of unwind tables it takes no lock, and the
 * process is lost anyway: a second fault in it ends the process as the first
 * one would have. */
#include "port/crash.h"
#include "port/coverage.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "base/apart.h"
#include "port/hook.h"
#include "port/kernel.h"

enum { HANDLER_STACK = 128 * 1024 };

static struct rdl__crash *watched;
void (*rdl__on_crash)(void);
void (*(*rdl__on_fault)(int signal))(void);
void (*rdl__tell_waits)(char *out, size_t room);

extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
extern void *__asan_get_report_pc(void) __attribute__((weak));

/* The signal frame itself is no place to blame: begin at the interrupted pc. */
static void record_frames(uintptr_t pc)
{
    void *frames[RDL__FRAMES_MAX + 8];
    int count = backtrace(frames, RDL__FRAMES_MAX + 8);
    int from = 0;

    for (int i = 0; i < count; i++)
        if ((uintptr_t)frames[i] == pc)
            from = i;
    /* Return addresses: one back, to lie in the call and not behind it. */
    for (int i = pc ? from + 1 : 0; i < count && watched->frame_count < RDL__FRAMES_MAX; i++)
        watched->frames[watched->frame_count++] = (uintptr_t)frames[i] - 1;
    watched->modules.count = 0;
    for (int i = 0; i < watched->frame_count; i++)
        rdl__modules_note(&watched->modules, watched->frames[i]);
}

int rdl__stack_read(uintptr_t *out, int room)
{
    return backtrace((void **)out, room);
}

/* Was it memory just below the stack, or in its next frame? */
static bool is_out_of_stack(int signal, const siginfo_t *info, const ucontext_t *interrupted)
{
    enum { FRAME_MAX = 1 << 16, ABOVE = 1 << 12 };
    uintptr_t stack = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP];

    return signal == SIGSEGV && (uintptr_t)info->si_addr + FRAME_MAX >= stack &&
           (uintptr_t)info->si_addr < stack + ABOVE;
}

/* Somebody knows how to go on: as if what was interrupted had called it. */
static bool goes_on(int signal, const siginfo_t *info, ucontext_t *interrupted)
{
    enum { RED_ZONE = 128, ALIGN = 16 };
    greg_t *stack = &interrupted->uc_mcontext.gregs[REG_RSP];
    void (*next)(void) = NULL;

    if (rdl__on_fault && !is_out_of_stack(signal, info, interrupted))
        next = rdl__on_fault(signal);
    if (!next)
        return false;
    *stack = ((*stack - RED_ZONE) & -ALIGN) - (greg_t)sizeof(void *);
    interrupted->uc_mcontext.gregs[REG_RIP] = (greg_t)next;
    return true;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    uintptr_t pc = rdl__hook_origin((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP]);

    interrupted->uc_mcontext.gregs[REG_RIP] = (greg_t)pc; /* for who unwinds the stack */
    if (goes_on(signal, info, interrupted))
        return;
    if (rdl__on_crash)
        rdl__on_crash();
    rdl__coverage_end();
    if (watched->signal == 0) {
        watched->out_of_stack = is_out_of_stack(signal, info, interrupted);
        watched->frames[0] = pc;
        watched->frame_count = 1;
        watched->signal = signal;
        watched->note[0] = '\0';
        record_frames(pc);
        if (rdl__tell_waits)
            rdl__tell_waits(watched->note, sizeof watched->note);
    }
    /* Now with its default action, once this handler returns.  Not by raise: that may
     * be ours, and let other threads run. */
    rdl__kernel(SYS_tgkill, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0),
                rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0), signal, 0, 0, 0);
}

/* Who is to blame has called the sanitizer, by a function that has a name.  What that calls
 * may have none: clang links it into the program itself. */
static void forget_sanitizer(void)
{
    static const char handler[] = "__ubsan_handle_";
    Dl_info info;
    int from = 0;

    for (int i = 0; i < watched->frame_count; i++)
        if (dladdr((void *)watched->frames[i], &info) && info.dli_sname &&
            strncmp(info.dli_sname, handler, strlen(handler)) == 0)
            from = i + 1;
    watched->frame_count -= from;
    memmove(watched->frames, watched->frames + from,
            (size_t)watched->frame_count * sizeof *watched->frames);
}

static void on_sanitizer_death(void)
{
    if (rdl__on_crash)
        rdl__on_crash();
    if (watched->signal)
        return;
    watched->signal = -1;
    watched->out_of_stack = false;
    watched->frame_count = 0;
    if (__asan_get_report_pc && __asan_get_report_pc()) /* a return address */
        watched->frames[watched->frame_count++] = (uintptr_t)__asan_get_report_pc() - 1;
    else {
        record_frames(0);
        forget_sanitizer();
    }
}

/* UBSan of gcc that goes with another sanitizer is a library with callbacks of its own. */
static void watch_sanitizers(void)
{
    void *ubsan = dlopen("libubsan.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void (*set)(void (*)(void)) = NULL;

    if (ubsan)
        *(void **)&set = dlsym(ubsan, "__sanitizer_set_death_callback");
    if (set)
        set(on_sanitizer_death);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(on_sanitizer_death);
}

/* A stack of its own, since the crash may be that the stack is used up. */
static bool give_handlers_a_stack(void)
{
    stack_t stack = {.ss_size = HANDLER_STACK};

    stack.ss_sp = rdl__map(HANDLER_STACK, MAP_PRIVATE | MAP_STACK);
    return stack.ss_sp && sigaltstack(&stack, NULL) == 0;
}

void rdl__crash_prepare(void)
{
    void *frames[2];

    backtrace(frames, 2);
}

static bool has_stack;

void rdl__crash_watch_for(int signal)
{
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags =
                                   SA_SIGINFO | SA_RESETHAND | (has_stack ? SA_ONSTACK : 0)};
    struct sigaction old;

    sigemptyset(&action.sa_mask);
    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(signal, &action, NULL);
}

void rdl__crash_watch(struct rdl__crash *record)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

    watched = record;
    has_stack = give_handlers_a_stack();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        rdl__crash_watch_for(signals[i]);
    watch_sanitizers();
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_in(uintptr_t address, const char *library)
{
    Dl_info info;

    return dladdr((void *)address, &info) && info.dli_fname &&
           strncmp(base_name(info.dli_fname), library, strlen(library)) == 0;
}

bool rdl__crash_is_messenger(uintptr_t address)
{
    static const char *const names[] = {"libc.so",    "libc-",      "ld-linux", "libgcc_s",
                                        "libasan",    "libubsan",   "libtsan",  "libstdc++",
                                        "linux-vdso", "libpthread", "libm.so",  "libraddle"};
    Dl_info info;

    if (!dladdr((void *)address, &info) || !info.dli_fname)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(base_name(info.dli_fname), names[i], strlen(names[i])) == 0)
            return true;
    /* clang links the sanitizers' code into the program itself; ours may be there, too */
    return info.dli_sname && (strncmp(info.dli_sname, "__asan", 6) == 0 ||
                              strncmp(info.dli_sname, "__tsan", 6) == 0 ||
                              strncmp(info.dli_sname, "__ubsan", 7) == 0 ||
                              strncmp(info.dli_sname, "__sanitizer", 11) == 0 ||
                              strncmp(info.dli_sname, "__interceptor", 13) == 0);
}

const uintptr_t *rdl__crash_culprit(const struct rdl__crash *record)
{
    int count = record->frame_count < RDL__FRAMES_MAX ? record->frame_count : RDL__FRAMES_MAX;

    for (int i = 0; i < count; i++)
        if (!rdl__crash_is_messenger(record->frames[i]))
            return &record->frames[i];
    return count > 0 && !is_in(record->frames[0], "libraddle") ? &record->frames[0] : NULL;
}

const char *rdl__signal_name(int signal)
{
    static char name[32];
    const char *short_name = signal ? sigabbrev_np(signal) : NULL;

    if (signal == 0)
        return "the report of a sanitizer";
    if (short_name)
        snprintf(name, sizeof name, "SIG%s", short_name);
    else
        snprintf(name, sizeof name, "signal %d", signal);
    return name;
}
