/* test_undo.c -- what an execution has changed of its process, the next one finds as it was. */
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>

#include "control/sched/undo.h"
#include "explore.h"

static pthread_key_t old_key;
static char found[1 << 12];

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    size_t used = strlen(found);
    va_list args;

    va_start(args, format);
    vsnprintf(found + used, sizeof found - used, format, args);
    va_end(args);
}

static void handle(int signal)
{
    (void)signal;
}

/* All that there is to see, and the next random numbers. */
static void look(void)
{
    struct sigaction action;
    char folder[400];
    stack_t stack;
    mode_t mask = umask(0);

    umask(mask);
    found[0] = '\0';
    note("mask %o ", mask);
    note("folder %s ", getcwd(folder, sizeof folder));
    note("HOME %s X %s ", getenv("HOME"), getenv("RADDLE_TEST_X"));
    note("locale %s of thread %d ", setlocale(LC_ALL, NULL), uselocale(NULL) == LC_GLOBAL_LOCALE);
    note("random %ld %ld ", random(), random());
    note("random %d 48 %ld %g ", rand(), lrand48(), drand48());
    note("rounding %d ", fegetround());
    note("key %p ", pthread_getspecific(old_key));
    sigaltstack(NULL, &stack);
    note("stack %d ", stack.ss_flags & SS_DISABLE);
    for (int number = SIGHUP; number <= SIGUSR2; number++)
        if (number != SIGKILL && sigaction(number, NULL, &action) == 0)
            note("%d:%d ", number, action.sa_handler == handle);
}

static char *stack_memory;

static void set_stack(void)
{
    stack_t stack = {.ss_sp = stack_memory, .ss_size = 1 << 16};

    sigaltstack(&stack, NULL);
}

static void set_key(void)
{
    pthread_setspecific(old_key, &found);
}

static void make_key(void)
{
    pthread_key_t key;

    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &found);
}

static void change_environment(void)
{
    setenv("RADDLE_TEST_X", "1", true);
    setenv("HOME", "/elsewhere", true);
    getenv("PATH")[0] = '!';
}

static void clear_environment(void)
{
    clearenv();
    if (getenv("HOME") || setenv("RADDLE_TEST_X", "2", true) != 0)
        put(0, "not clear");
}

static void set_signals(void)
{
    signal(SIGUSR1, handle);
    signal(SIGHUP, handle);
    signal(SIGHUP, SIG_IGN);
}

static void change_folder(void)
{
    if (chdir("/") != 0 || chdir("/tmp") != 0)
        put(0, "no folder");
}

static void draw(void)
{
    srandom(17);
    srand48(23);
    (void)random();
    (void)drand48();
}

static void draw_without_seed(void)
{
    (void)rand();
    (void)lrand48();
}

static void change_masks(void)
{
    umask(0777);
    umask(077);
}

static void set_locale(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    uselocale(newlocale(LC_ALL_MASK, "C", NULL));
}

static void round_up(void)
{
    fesetround(FE_UPWARD);
}

static void (*const changes[])(void) = {
    change_environment, clear_environment, change_folder, change_masks, draw,
    draw_without_seed,  make_key,          round_up,      set_key,      set_locale,
    set_signals,        set_stack,
};
enum { CHANGES = sizeof changes / sizeof *changes };

static unsigned wanted; /* which of them, as bits */

static void change(void)
{
    look();
    for (int i = 0; i < CHANGES; i++)
        if (wanted >> i & 1)
            changes[i]();
}

static int keys_left(void)
{
    pthread_key_t keys[PTHREAD_KEYS_MAX];
    int count = 0;

    while (count < PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0)
        count++;
    for (int i = 0; i < count; i++)
        pthread_key_delete(keys[i]);
    return count;
}

/* Executions with each change, with none, and with all; what they found is what the first did. */
_Noreturn static void run_them(void)
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    char before[sizeof found];
    struct rdl_case t;
    int keys;

    stack_memory = malloc(1 << 16);
    pthread_key_create(&old_key, NULL);
    pthread_setspecific(old_key, &wanted);
    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 16;
    keys = keys_left();
    rdl__undo_save();
    for (int i = 0; i < 2 * CHANGES + 3; i++) {
        wanted = i % 2 ? 1u << i / 2 : 0;
        if (i == 2 * CHANGES + 1)
            wanted = ~0u;
        memset(summary, 0, offsetof(struct rdl__summary, log));
        run_one(&t, &depth_first, NULL, summary, change);
        rdl__undo_restore();
        if (i == 0)
            memcpy(before, found, sizeof found);
        if (strcmp(before, found) != 0)
            test_fail(__FILE__, __LINE__, "after change %d\n%s\nwas\n%s", i / 2 - 1, found, before);
    }
    EXPECT_EQ(keys_left(), keys);
    EXPECT(getenv("PATH")[0] != '!');
    _exit(0);
}

TEST(what_an_execution_changes_is_put_back)
{
    pid_t child;

    begin_exploration(true, 1000, 0);
    fflush(NULL);
    child = fork();
    if (child == 0)
        run_them();
    EXPECT(!await_child(child));
}
