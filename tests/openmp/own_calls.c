/* own_calls.c -- a program that makes system calls by an instruction of its own: those that
 * wait are controlled, the others do what they always do. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            printf("own_calls.c:%d: %s\n", __LINE__, #holds);                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static int word, handled, asked;

static long call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

static void on_sigsys(int signal)
{
    handled = signal;
}

static void on_sigusr1(int signal)
{
    (void)signal;
    asked += call(SYS_getpid, 0, 0, 0, 0) == getpid();
}

/* With all signals blocked, the one included by which such calls are noticed. */
static void *wait_for_word(void *unused)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &all);
    CHECK(sigismember(&all, SIGSYS));
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
        call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 0, 0);
    return unused;
}

static void handle_signals(void)
{
    struct sigaction on_sys = {.sa_handler = on_sigsys}, on_usr1 = {.sa_handler = on_sigusr1}, old;
    unsigned long usr2 = 1ul << (SIGUSR2 - 1), before = 0;
    sigset_t now;

    sigfillset(&on_usr1.sa_mask);
    CHECK(sigaction(SIGUSR1, &on_usr1, NULL) == 0);
    CHECK(sigaction(SIGSYS, &on_sys, NULL) == 0);
    CHECK(sigaction(SIGSYS, NULL, &old) == 0 && old.sa_handler == on_sigsys);
    raise(SIGUSR1);
    CHECK(asked == 1);
    raise(SIGSYS);
    CHECK(handled == SIGSYS);
    CHECK(call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&usr2, (long)&before, sizeof usr2) == 0);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    CHECK(sigismember(&now, SIGUSR2));
    CHECK(call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before) == 0);
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    CHECK(!sigismember(&now, SIGUSR2));
}

static void make_processes(void)
{
    pid_t child = (pid_t)call(SYS_fork, 0, 0, 0, 0);
    int status;

    if (child == 0)
        call(SYS_exit_group, call(SYS_getpid, 0, 0, 0, 0) == getpid() ? 3 : 4, 0, 0, 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    child = fork();
    if (child == 0) {
        call(SYS_futex, (long)&word, FUTEX_WAKE, 1, 0);
        execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL);
    }
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
}

int main(void)
{
    struct timespec hour = {.tv_sec = 3600};
    char *memory = malloc(65536);
    stack_t stack = {.ss_sp = memory, .ss_size = 65536}, seen;
    pthread_t thread;

    pthread_create(&thread, NULL, wait_for_word, NULL);
    CHECK(call(SYS_nanosleep, (long)&hour, 0, 0, 0) == 0);
    errno = 77;
    CHECK(call(SYS_close, 999, 0, 0, 0) == -EBADF && errno == 77);
    CHECK(call(SYS_sigaltstack, (long)&stack, 0, 0, 0) == 0);
    CHECK(sigaltstack(NULL, &seen) == 0 && seen.ss_sp == memory);
    handle_signals();
    make_processes();
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    call(SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE, 1, 0);
    pthread_join(thread, NULL);
    return 0;
}
