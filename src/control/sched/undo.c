/* undo.c -- state of the C library and the kernel that an execution changes, put back before the
 * next one. */
#include "control/sched/undo.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "port/floating.h"
#include "port/kernel.h"

RDL__ASKED_FOR(undo);

static bool is_saved;

/* Only executions that share this process with others leave anything behind. */
static bool is_ours(void)
{
    return is_saved && rdl__self() && !rdl__sched.forked;
}

/* ---- The environment ------------------------------------------------------------------------- */

static char **old_environ, **old_words;
static size_t word_count; /* with the NULL at the end */

/* The texts that the process was started with, its name and its environment, stand one behind the
 * other. */
enum { ARGUMENTS_MAX = 1 << 20 };
static char *first_text, *texts, *old_texts;
static size_t texts_size;

__attribute__((constructor(102))) static void find_first_text(void)
{
    first_text = environ ? *environ : NULL;
}

static void find_texts(void)
{
    char *end = first_text, *start = first_text;

    for (char **at = environ; end && at && *at; at++)
        if (*at == end)
            end += strlen(end) + 1;
    if (end && program_invocation_name < start &&
        program_invocation_name + strlen(program_invocation_name) + ARGUMENTS_MAX > start)
        start = program_invocation_name;
    texts = start;
    texts_size = (size_t)(end - start);
}

static void save_texts(void)
{
    find_texts();
    free(old_texts);
    old_texts = texts_size ? rdl__allocate(texts_size) : NULL;
    if (texts_size)
        memcpy(old_texts, texts, texts_size);
}

static void restore_texts(void)
{
    if (texts_size && memcmp(texts, old_texts, texts_size) != 0)
        memcpy(texts, old_texts, texts_size);
}

static void save_environment(void)
{
    save_texts();
    old_environ = environ;
    for (word_count = 0; environ && environ[word_count]; word_count++)
        continue;
    word_count += environ != NULL;
    free(old_words);
    old_words = rdl__allocate(word_count * sizeof *old_words);
    if (word_count)
        memcpy(old_words, environ, word_count * sizeof *old_words);
}

static void restore_environment(void)
{
    restore_texts();
    if (environ != old_environ)
        environ = old_environ;
    if (word_count && memcmp(environ, old_words, word_count * sizeof *old_words) != 0)
        memcpy(environ, old_words, word_count * sizeof *old_words);
}

/* ---- The locale ----------------------------------------------------------------------------- */

static char *old_locale;
static locale_t old_own_locale; /* of the thread that runs executions */

static void save_locale(void)
{
    old_own_locale = uselocale((locale_t)0);
    free(old_locale);
    old_locale = rdl__duplicate(setlocale(LC_ALL, NULL));
}

static bool is_written(enum rdl__state state)
{
    return rdl__states_written >> state & 1;
}

static void restore_locale(void)
{
    uselocale(old_own_locale);
    if (is_written(RDL__STATE_LOCALE) && strcmp(setlocale(LC_ALL, NULL), old_locale) != 0)
        setlocale(LC_ALL, old_locale);
}

/* ---- Random numbers ------------------------------------------------------------------------- */

enum { STATE_MAX = 64 * 4 }; /* bytes of the largest state that random() has */

static char spare[32], *old_state, old_numbers[STATE_MAX];
static unsigned short old_seed[3];

/* The kind of a state is in its first word, and says how many words follow. */
static size_t size_of_state(const char *state)
{
    static const size_t words[] = {1, 8, 16, 32, 64};
    int first;

    memcpy(&first, state, sizeof first);
    return words[(unsigned)first % 5] * 4;
}

/* The state in use, with its position noted in it, which is what switching does. */
static char *leave_state(void)
{
    static bool is_made;
    char *state = is_made ? setstate(spare) : initstate(1, spare, sizeof spare);

    is_made = true;
    return state;
}

static void save_random(void)
{
    old_state = leave_state();
    memcpy(old_numbers, old_state, size_of_state(old_state));
    setstate(old_state);
    memcpy(old_seed, seed48((unsigned short[3]){0}), sizeof old_seed);
    seed48(old_seed);
}

static void restore_random(void)
{
    if (is_written(RDL__STATE_RANDOM)) {
        leave_state();
        memcpy(old_state, old_numbers, size_of_state(old_numbers));
        setstate(old_state);
    }
    if (is_written(RDL__STATE_RANDOM_48))
        seed48(old_seed);
}

/* ---- Exit handlers -------------------------------------------------------------------------- */

struct handler {
    enum { AT_EXIT, ON_EXIT, AT_QUICK_EXIT } kind;
    void (*function)(void *argument);
    void (*with_status)(int status, void *argument);
    void *argument;
};

static struct handler *handlers;
static size_t handler_count, handler_room;

int __cxa_atexit(void (*function)(void *argument), void *argument, void *dso);
int __cxa_at_quick_exit(void (*function)(void *argument), void *dso);

/* The last one first; each may register more. */
static void run_handlers(int status, bool quick)
{
    while (handler_count > 0) {
        struct handler last = handlers[--handler_count];

        if ((last.kind == AT_QUICK_EXIT) != quick)
            continue;
        if (last.kind == ON_EXIT)
            last.with_status(status, last.argument);
        else
            last.function(last.argument);
    }
}

static void run_at_exit(int status, void *unused)
{
    (void)unused;
    run_handlers(status, false);
}

static void run_at_quick_exit(void *unused)
{
    (void)unused;
    run_handlers(0, true);
}

static int keep(struct handler handler)
{
    static bool is_known;

    if (!is_known) {
        is_known = true;
        RDL__NEXT(on_exit)(run_at_exit, NULL);
        RDL__NEXT(__cxa_at_quick_exit)(run_at_quick_exit, NULL);
    }
    if (handler_count == handler_room) {
        handler_room = 2 * handler_room + 8;
        handlers = rdl__reallocate(handlers, handler_room * sizeof *handlers);
    }
    handlers[handler_count++] = handler;
    return 0;
}

RDL__INTERPOSE int __cxa_atexit(void (*function)(void *argument), void *argument, void *dso)
{
    rdl__come_as_row("__cxa_atexit", NULL, RDL__CALLER);
    if (is_ours())
        return keep((struct handler){.kind = AT_EXIT, .function = function, .argument = argument});
    return RDL__NEXT(__cxa_atexit)(function, argument, dso);
}

RDL__INTERPOSE int on_exit(void (*function)(int status, void *argument), void *argument)
{
    rdl__come_as_row("on_exit", NULL, RDL__CALLER);
    if (is_ours())
        return keep(
            (struct handler){.kind = ON_EXIT, .with_status = function, .argument = argument});
    return RDL__NEXT(on_exit)(function, argument);
}

RDL__INTERPOSE int __cxa_at_quick_exit(void (*function)(void *argument), void *dso)
{
    rdl__come_as_row("__cxa_at_quick_exit", NULL, RDL__CALLER);
    if (is_ours())
        return keep((struct handler){.kind = AT_QUICK_EXIT, .function = function});
    return RDL__NEXT(__cxa_at_quick_exit)(function, dso);
}

/* ---- The kernel's --------------------------------------------------------------------------- */

static bool has_mask;
static mode_t old_mask;
static int old_folder = -1; /* open, if it was left */
static bool has_stack;
static stack_t old_stack; /* of signals, of the thread that runs executions */

/* A sanitizer sets one for each thread, and would unmap it twice. */
RDL__INTERPOSE int sigaltstack(const stack_t *restrict stack, stack_t *restrict out)
{
    const uint64_t arguments[6] = {(uintptr_t)stack, (uintptr_t)out};

    rdl__come_as_row("sigaltstack", arguments, RDL__CALLER);
    if (stack && is_ours() && !has_stack && !rdl__is_of_sanitizer(RDL__CALLER))
        has_stack = rdl__kernel(SYS_sigaltstack, 0, (long)&old_stack, 0, 0, 0, 0) == 0;
    return RDL__NEXT(sigaltstack)(stack, out);
}

RDL__INTERPOSE mode_t umask(mode_t mask)
{
    mode_t old;

    rdl__come_as_row("umask", NULL, RDL__CALLER);
    old = RDL__NEXT(umask)(mask);
    if (is_ours() && !has_mask) {
        has_mask = true;
        old_mask = old;
    }
    return old;
}

static void note_folder(void)
{
    if (is_ours() && old_folder < 0)
        old_folder = rdl__kernel_out_of_the_way(
            (int)rdl__kernel(SYS_openat, AT_FDCWD, (long)".", O_PATH | O_CLOEXEC, 0, 0, 0));
}

RDL__INTERPOSE int chdir(const char *path)
{
    rdl__come_as_row("chdir", (const uint64_t[6]){(uintptr_t)path}, RDL__CALLER);
    note_folder();
    return RDL__NEXT(chdir)(path);
}

RDL__INTERPOSE int fchdir(int fd)
{
    rdl__come_as_row("fchdir", (const uint64_t[6]){(uint64_t)fd}, RDL__CALLER);
    note_folder();
    return RDL__NEXT(fchdir)(fd);
}

static void restore_kernel(void)
{
    if (has_stack)
        rdl__kernel(SYS_sigaltstack, (long)&old_stack, 0, 0, 0, 0, 0);
    has_stack = false;
    if (has_mask)
        rdl__kernel(SYS_umask, old_mask, 0, 0, 0, 0, 0);
    has_mask = false;
    if (old_folder >= 0) {
        rdl__kernel(SYS_fchdir, old_folder, 0, 0, 0, 0, 0);
        rdl__kernel(SYS_close, old_folder, 0, 0, 0, 0, 0);
        old_folder = -1;
    }
}

/* ---- The processor's ------------------------------------------------------------------------- */

static struct rdl__floating old_floating;

/* ---- All of it ------------------------------------------------------------------------------ */

void rdl__undo_save(void)
{
    old_floating = rdl__floating_get();
    save_environment();
    save_locale();
    save_random();
    rdl__keys_save();
    is_saved = true;
}

void rdl__undo_restore(void)
{
    if (!is_saved)
        return;
    rdl__floating_set(old_floating);
    restore_environment();
    restore_locale();
    restore_random();
    restore_kernel();
    rdl__keys_restore();
    rdl__strtok_begin();
    rdl__signals_put_back();
    handler_count = 0;
    rdl__states_written = 0;
}
