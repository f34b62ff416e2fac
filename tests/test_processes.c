/* test_processes.c -- controlled threads and other processes. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "port/helper.h"
#include "world.h"

static pthread_mutex_t mutex;
static int ends[2];

/* ---- Forking ---- */

static void *fork_and_wait(void *argument)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(42);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    put((int)(intptr_t)argument, "%d", WEXITSTATUS(status));
    return NULL;
}

static void two_forks(void)
{
    together(2, fork_and_wait, fork_and_wait);
}

TEST(threads_wait_for_their_children)
{
    EXPECT_STR(outcomes_by_chance(two_forks, 20, 0), "42 42");
}

static void *count_with_lock(void *argument)
{
    pthread_mutex_lock(&mutex);
    ++*(int *)argument;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Threads, locks and clocks of the child are real: two clocks that differ by the
 * time from 2025 on, and threads that run by themselves. */
static int live_in_child(void)
{
    pthread_t threads[3];
    struct timespec now;
    int count = 0;

    if (rdl__running)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, count_with_lock, &count) != 0)
            return 2;
    for (int i = 0; i < 3; i++)
        if (pthread_join(threads[i], NULL) != 0)
            return 3;
    usleep(1000);
    return count == 3 ? 0 : 4;
}

static void *fork_in_thread(void *argument)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(live_in_child());
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    return argument;
}

static void *disturb(void *argument)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return argument;
}

static void fork_alone(void)
{
    pthread_mutex_init(&mutex, NULL);
    together(1, fork_in_thread);
    fork_in_thread(NULL);
}

TEST(in_a_forked_process_nothing_is_controlled)
{
    EXPECT_STR(outcomes_by_chance(fork_alone, 10, 0), "done");
}

static int prepared, parent;
static bool uncontrolled;

static void prepare(void)
{
    pthread_mutex_lock(&mutex);
    prepared += rdl__self() != NULL;
}

static void resume_parent(void)
{
    parent += rdl__self() != NULL;
    pthread_mutex_unlock(&mutex);
}

static void resume_child(void)
{
    uncontrolled = rdl__self() == NULL;
    pthread_mutex_unlock(&mutex);
}

static void *fork_and_look(void *argument)
{
    pid_t child = fork();
    int status = -1;

    if (child == 0)
        _exit(uncontrolled ? 0 : 1);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    return argument;
}

static void fork_with_handlers(void)
{
    static bool registered;

    pthread_mutex_init(&mutex, NULL);
    prepared = parent = 0;
    if (!registered)
        pthread_atfork(prepare, resume_parent, resume_child);
    registered = true;
    together(2, fork_and_look, disturb);
    CHECK(prepared && parent);
}

TEST(handlers_of_forks_are_controlled_but_for_the_childs)
{
    EXPECT_STR(outcomes_by_chance(fork_with_handlers, 10, 0), "done");
}

static void other_ways(void)
{
    char *const command[] = {(char *)"true", NULL};
    pid_t child = vfork();
    int status = -1;

    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    child = _Fork();
    if (child == 0)
        _exit(rdl__running ? 1 : 0);
    CHECK_EQ(wait(&status), child);
    CHECK_EQ(status, 0);
    child = (pid_t)syscall(SYS_fork);
    if (child == 0)
        _exit(rdl__running ? 1 : 0);
    CHECK_EQ(waitpid(-1, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(posix_spawnp(&child, "true", NULL, NULL, command, environ), 0);
    CHECK_EQ(waitpid(0, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(system("exit 3"), 3 << 8);
}

TEST(there_are_many_ways_to_make_a_process)
{
    EXPECT_STR(outcomes_by_chance(other_ways, 5, 0), "done");
}

static void from_a_command(void)
{
    FILE *file = popen("echo hello; echo world", "r");
    char line[64];

    while (fgets(line, sizeof line, file))
        put(0, "%.5s ", line);
    CHECK_EQ(pclose(file), 0);
}

TEST(the_output_of_a_command_can_be_read)
{
    EXPECT_STR(outcomes_by_chance(from_a_command, 5, 0), "hello world ");
}

/* ---- Waiting ---- */

static void wait_in_all_ways(void)
{
    pid_t child;
    siginfo_t info;
    int status, polls = 0;
    char byte;

    CHECK_EQ(waitpid(-1, &status, 0), -1);
    CHECK_EQ(errno, ECHILD);
    CHECK_EQ(pipe(ends), 0);
    child = fork();
    if (child == 0)
        _exit(read(ends[0], &byte, 1) == 1 ? 9 : 1);
    CHECK_EQ(waitpid(child, &status, WNOHANG), 0);
    CHECK_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), 0);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    CHECK_EQ(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    CHECK_EQ(info.si_pid, child);
    CHECK_EQ(info.si_status, 9);
    CHECK_EQ(waitpid(-1, &status, WNOHANG), child);
    child = fork();
    if (child == 0)
        _exit(read(ends[0], &byte, 1) == 1 ? 8 : 1);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    while (waitpid(child, &status, WNOHANG) == 0)
        polls++;
    CHECK_EQ(WEXITSTATUS(status), 8);
    close(ends[0]);
    close(ends[1]);
}

TEST(there_are_many_ways_to_wait_for_a_process)
{
    EXPECT_STR(outcomes_by_chance(wait_in_all_ways, 5, 0), "done");
}

static void *wait_for_it(void *argument)
{
    int status;

    CHECK_EQ(waitpid(*(pid_t *)argument, &status, 0), *(pid_t *)argument);
    return NULL;
}

static void wait_for_two_things(void)
{
    pid_t child;
    pthread_t waiter;
    char byte;

    CHECK_EQ(pipe(ends), 0);
    child = fork();
    if (child == 0)
        _exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
    waiter = start(wait_for_it, &child);
    let_others_wait();
    CHECK_EQ(write(ends[1], "x", 1), 1);
    join(waiter);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_thread_that_waits_for_a_child_does_not_stop_the_others)
{
    EXPECT_STR(outcomes_by_chance(wait_for_two_things, 20, 0), "done");
}

/* A test that asks again and again, with pauses that are virtual. */
static void poll_with_pauses(void)
{
    pid_t child = fork();
    int status, tries = 0;
    struct timespec really = {.tv_nsec = 30 * 1000 * 1000};

    if (child == 0) {
        nanosleep(&really, NULL);
        _exit(5);
    }
    while (waitpid(child, &status, WNOHANG) == 0 && tries < 500) {
        usleep(10000);
        tries++;
    }
    CHECK(tries < 500);
    CHECK_EQ(WEXITSTATUS(status), 5);
}

TEST(pauses_are_real_while_there_are_children)
{
    EXPECT_STR(outcomes_by_chance(poll_with_pauses, 3, 0), "done");
}

static volatile int children_gone;

static void on_child(int number)
{
    CHECK_EQ(number, SIGCHLD);
    children_gone++;
}

static void interrupted_by_child(void)
{
    struct sigaction action = {.sa_handler = on_child}, old;
    sigset_t set, before;
    pid_t child;

    children_gone = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    CHECK_EQ(sigprocmask(SIG_BLOCK, &set, &before), 0);
    CHECK_EQ(sigaction(SIGCHLD, &action, &old), 0);
    CHECK_EQ(pipe(ends), 0);
    child = fork();
    if (child == 0)
        _exit(0);
    CHECK_EQ(ppoll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, NULL, &before), -1);
    CHECK_EQ(errno, EINTR);
    CHECK_EQ(children_gone, 1);
    CHECK_EQ(waitpid(child, NULL, 0), child);
    CHECK_EQ(sigaction(SIGCHLD, &old, NULL), 0);
    close(ends[0]);
    close(ends[1]);
}

TEST(the_end_of_a_child_interrupts_a_wait)
{
    EXPECT_STR(outcomes_by_chance(interrupted_by_child, 20, 0), "done");
}

/* ---- Work of ours -------- */

static void note_count(void *it)
{
    int *shared = it;

    shared[1] = shared[0];
}

/* Reading debugging information is no time of a case: who watches that sees it. */
TEST(work_that_is_done_apart_is_counted_meanwhile)
{
    int *shared =
        mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int *before = rdl__works_apart;

    CHECK(shared != MAP_FAILED);
    rdl__works_apart = shared;
    CHECK(rdl__work_apart(note_count, shared));
    rdl__works_apart = before;
    CHECK_EQ(shared[1], 1);
    CHECK_EQ(shared[0], 0);
}
