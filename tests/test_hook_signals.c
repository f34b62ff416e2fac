/* test_hook_signals.c -- hooks and a program that has its own ideas about SIGTRAP.  Each test
 * is a process of its own: what is asked is often what happens at the first hook. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hook_code.h"
#include "hook_functions.h"
#include "port/relocate.h"
#include "port/trap.h"

CODE(short_one, "nop\n leaq 5(%rdi,%rsi), %rax\n ret")

static int calls;
static volatile sig_atomic_t own_traps, handled;

static void count(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

static void *do_nothing(void *it)
{
    return it;
}

static struct rdl__hook hook = {.address = (uintptr_t)short_one, .call = count};

static void place(void)
{
    struct rdl__error error;

    if (!rdl__hook_place(&hook, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
}

/* The test goes on in a child; its parent waits, and says how it should have ended. */
static bool is_child(int *out_status)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0)
        return true;
    waitpid(child, out_status, 0);
    return false;
}

#define IN_CHILD(...)                                                                              \
    do {                                                                                           \
        int status;                                                                                \
        if (is_child(&status)) {                                                                   \
            __VA_ARGS__;                                                                           \
            fflush(stdout);                                                                        \
            _exit(0);                                                                              \
        }                                                                                          \
        EXPECT_EQ(status, 0);                                                                      \
    } while (0)

/* ---- A thread that blocks it ----------------------------------------------------------------- */

static sem_t is_blocking, go_on, is_done;

static void *block_it(void *it)
{
    sigset_t all, old;

    (void)it;
    pthread_setname_np(pthread_self(), "stubborn");
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    sem_post(&is_blocking);
    sem_wait(&go_on);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sem_post(&is_done);
    sem_wait(&go_on);
    sigfillset(&all); /* after the first hook, it is not really blocked */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    sigprocmask(SIG_SETMASK, &all, NULL);
    short_one(1, 2);
    return NULL;
}

static void be_refused_then_not(void)
{
    struct rdl__error error = {.text = ""};
    pthread_t thread;

    sem_init(&is_blocking, 0, 0);
    sem_init(&go_on, 0, 0);
    sem_init(&is_done, 0, 0);
    pthread_create(&thread, NULL, block_it, NULL);
    sem_wait(&is_blocking);
    EXPECT(!rdl__hook_place(&hook, &error));
    EXPECT_CONTAINS(error.text, "(stubborn) blocks SIGTRAP");
    sem_post(&go_on);
    sem_wait(&is_done);
    place();
    sem_post(&go_on);
    pthread_join(thread, NULL);
    EXPECT_EQ(calls, 1);
}

TEST(a_thread_that_blocks_the_signal_is_named)
{
    IN_CHILD(be_refused_then_not());
}

static void *block_early(void *it)
{
    sigset_t all;

    (void)it;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    sem_post(&is_blocking);
    sem_wait(&go_on);
    EXPECT_EQ(short_one(1, 2), 8);
    return NULL;
}

static void expect_hooks(void)
{
    pthread_t thread;

    sem_init(&is_blocking, 0, 0);
    sem_init(&go_on, 0, 0);
    rdl__trap_expect();
    pthread_create(&thread, NULL, block_early, NULL);
    sem_wait(&is_blocking);
    place();
    sem_post(&go_on);
    pthread_join(thread, NULL);
    EXPECT_EQ(calls, 1);
}

TEST(who_expects_hooks_has_no_thread_block_the_signal)
{
    IN_CHILD(expect_hooks());
}

static void hit_with_it_blocked(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* one's own mask can be mended */
    place();
    EXPECT_EQ(short_one(1, 2), 8);
    sigprocmask(SIG_SETMASK, &all, NULL);
    EXPECT_EQ(short_one(1, 2), 8);
    EXPECT_EQ(calls, 2);
}

TEST(the_thread_that_places_hooks_need_not_care)
{
    IN_CHILD(hit_with_it_blocked());
}

/* ---- A handler of the program's -------------------------------------------------------------- */

static void on_trap(int signal)
{
    (void)signal;
    own_traps++;
}

static void on_trap_too(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    on_trap(signal);
}

static void trap(void)
{
    __asm__ volatile("int3" ::: "memory");
}

static void have_own_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_trap_too, .sa_flags = SA_SIGINFO}, old;

    signal(SIGTRAP, on_trap);
    place();
    trap();
    raise(SIGTRAP);
    EXPECT_EQ(own_traps, 2);
    EXPECT_EQ(short_one(1, 2), 8);
    sigaction(SIGTRAP, &action, &old);
    EXPECT(old.sa_handler == on_trap);
    trap();
    EXPECT_EQ(short_one(1, 2), 8);
    rdl__hook_remove(&hook);
    trap();
    EXPECT_EQ(own_traps, 4);
    EXPECT_EQ(calls, 2);
    EXPECT((void *)signal(SIGTRAP, SIG_IGN) == (void *)on_trap_too);
    raise(SIGTRAP);
    EXPECT_EQ(own_traps, 4);
}

TEST(traps_of_the_program_are_the_programs)
{
    IN_CHILD(have_own_handler());
}

TEST(a_trap_that_nobody_handles_ends_the_process)
{
    int status;

    if (is_child(&status)) {
        signal(SIGTRAP, SIG_DFL);
        place();
        short_one(1, 2);
        trap();
        _exit(0);
    }
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTRAP);
}

/* ---- Hooks in handlers ----------------------------------------------------------------------- */

static void on_signal(int signal)
{
    (void)signal;
    handled += short_one(1, 2) == 8;
}

static void handle(int signal, int flags)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

    sigfillset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

static void hit_in_handlers(void)
{
    stack_t stack = {.ss_size = 1 << 16};
    sigset_t all_but_one;

    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, 0);
    place();
    handle(SIGUSR2, SA_ONSTACK);
    raise(SIGUSR1);
    raise(SIGUSR2);
    EXPECT_EQ(handled, 2);
    sigfillset(&all_but_one);
    sigprocmask(SIG_SETMASK, &all_but_one, NULL);
    raise(SIGUSR1);
    sigdelset(&all_but_one, SIGUSR1);
    sigsuspend(&all_but_one);
    raise(SIGUSR1);
    ppoll(NULL, 0, NULL, &all_but_one);
    EXPECT_EQ(handled, 4);
    EXPECT_EQ(calls, 4);
    stack.ss_flags = (int)(1u << 31); /* SS_AUTODISARM: put away in handlers */
    EXPECT_EQ(sigaltstack(&stack, NULL), 0);
    short_one(1, 2);
    stack.ss_sp = NULL;
    sigaltstack(NULL, &stack);
    EXPECT(stack.ss_sp);
}

TEST(hooks_are_hit_in_handlers_that_block_everything)
{
    IN_CHILD(hit_in_handlers());
}

/* ---- Other processes ------------------------------------------------------------------------- */

static void hit_in_children(void)
{
    place();
    IN_CHILD(short_one(1, 2); EXPECT_EQ(calls, 1); rdl__hook_remove(&hook); short_one(1, 2);
             EXPECT_EQ(calls, 1));
    short_one(1, 2);
    EXPECT_EQ(calls, 1);
    rdl__hook_remove(&hook);
    IN_CHILD(place(); short_one(1, 2); EXPECT_EQ(calls, 2));
    short_one(1, 2);
    EXPECT_EQ(calls, 1);
}

TEST(a_child_has_the_hooks_of_its_parent_and_its_own)
{
    IN_CHILD(hit_in_children());
}

/* ---- The C library blocks all signals -------------------------------------------------------- */

static struct function function_with(void *symbol)
{
    struct functions all = functions_of(symbol);
    struct function found = {0};

    for (size_t i = 0; i < all.count; i++)
        if ((uintptr_t)symbol >= all.items[i].start && (uintptr_t)symbol < all.items[i].end)
            found = all.items[i];
    free(all.items);
    EXPECT(found.start);
    return found;
}

/* Breakpoints at all its instructions but those that cannot have one; how many. */
static int place_everywhere(struct function in)
{
    enum { MANY = 4096 };
    static struct rdl__hook hooks[MANY];
    struct rdl__moved one;
    struct rdl__error error;
    int found = 0, placed = 0;

    for (uintptr_t at = in.start; at < in.end && found < MANY; at += one.length ? one.length : 1) {
        rdl__relocate((const uint8_t *)at, in.end - at, at, at, &one);
        hooks[found++] = (struct rdl__hook){.address = at, .call = count, .never_jump = true};
    }
    for (int i = 0; i < found; i++)
        placed += rdl__hook_place(&hooks[i], &error);
    return placed;
}

/* While it makes a thread, and while that one begins and ends; and a thread that has all signals
 * blocked makes one that has, too. */
static void make_threads_with_hooks(void)
{
    void *library = dlopen("libc.so.6", RTLD_NOW);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            library, "pthread_create");
    int (*signal_itself)(int) = (int (*)(int))dlsym(library, "raise");
    pthread_t thread;

    place(); /* loads what decodes instructions */
    EXPECT(place_everywhere(function_with((void *)create)) > 100);
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(create(&thread, NULL, do_nothing, NULL), 0);
        EXPECT_EQ(pthread_join(thread, NULL), 0);
    }
    signal(SIGUSR1, SIG_IGN);
    EXPECT_EQ(signal_itself(SIGUSR1), 0);
    EXPECT(calls > 1000);
}

TEST(hooks_are_hit_where_the_c_library_blocks_all_signals)
{
    IN_CHILD(make_threads_with_hooks());
}

/* ---- Code that goes away --------------------------------------------------------------------- */

static void lose_code(void)
{
    static const uint8_t code_1[] = {0xb8, 1, 0, 0, 0, 0xc3}, code_2[] = {0x90, 0xb0, 2, 0xc3};
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(page, code_1, sizeof code_1);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    hook.address = (uintptr_t)page;
    place();
    EXPECT_EQ(((code *)(void *)page)(0, 0), 1);
    munmap(page, 4096);
    rdl__hook_remove(&hook);
    EXPECT(mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                0) == page);
    memcpy(page, code_2, sizeof code_2);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
    place();
    EXPECT_EQ((uint8_t)((code *)(void *)page)(0, 0), 2);
    EXPECT_EQ(calls, 2);
    munmap(page, 4096);
}

TEST(code_may_be_unloaded_and_other_code_loaded_in_its_place)
{
    IN_CHILD(lose_code());
}
