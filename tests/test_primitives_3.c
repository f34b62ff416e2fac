/* test_primitives_3.c -- primitives and what interrupts them: signal handlers, the ends of
 * threads; other processes; locks of the C library. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>

#include <raddle/threads.h>

#include "world.h"

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static pthread_barrier_t barrier;
static sem_t sem, handler_may_end;
static int flag;

static void catch_with(void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(SIGUSR1, &action, NULL);
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    sem_init(&sem, 0, 0);
    sem_init(&handler_may_end, 0, 0);
    flag = 0;
}

static void note(int signal)
{
    (void)signal;
    put(1, "h");
}

/* Other threads run while the handler does. */
static void wait_in_handler(int signal)
{
    (void)signal;
    put(1, "h");
    while (sem_wait(&handler_may_end) != 0)
        continue;
}

static void end_in_handler(int signal)
{
    (void)signal;
    put(1, "h");
    pthread_exit(NULL);
}

/* ---- Semaphores ------------------------------------------------------------------------ */

static void *down_once(void *argument)
{
    put(0, "%s", sem_wait(&sem) == 0 ? "down" : strerrorname_np(errno));
    return argument;
}

static void interrupt_down(int flags)
{
    pthread_t thread;

    catch_with(note, flags);
    pthread_create(&thread, NULL, down_once, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_post(&sem);
    pthread_join(thread, NULL);
}

static void interrupt_for_good(void)
{
    interrupt_down(0);
}

static void interrupt_and_restart(void)
{
    interrupt_down(SA_RESTART);
}

TEST(a_handler_ends_the_wait_for_a_semaphore_unless_it_restarts)
{
    EXPECT_STR(outcomes_of(interrupt_for_good), "EINTR h | down h");
    EXPECT_STR(outcomes_of(interrupt_and_restart), "down h");
}

/* ---- Conditions ------------------------------------------------------------------------ */

static void *wait_for_flag(void *argument)
{
    pthread_mutex_lock(&mutex);
    while (!flag)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    put(0, "got");
    return argument;
}

/* Return with the mutex, when somebody waits at the condition. */
static void until_somebody_waits(void)
{
    pthread_mutex_lock(&mutex);
    while (!rdl__waiters((uintptr_t)&cond, RDL__OP_WAIT, (uint32_t[1]){0}, 1)) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
}

static void signal_while_the_handler_runs(void)
{
    pthread_t thread;

    catch_with(wait_in_handler, 0);
    pthread_create(&thread, NULL, wait_for_flag, NULL);
    until_somebody_waits();
    pthread_kill(thread, SIGUSR1);
    flag = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&handler_may_end);
    pthread_join(thread, NULL);
}

TEST(a_signal_is_not_lost_on_a_waiter_whose_handler_runs)
{
    EXPECT_STR(outcomes_by_chance(signal_while_the_handler_runs, 300, 0), "got h");
}

static void *wait_once(void *argument)
{
    pthread_mutex_lock(&mutex);
    put(0, "%d", pthread_cond_wait(&cond, &mutex));
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void interrupt_a_wait(void)
{
    pthread_t thread;

    catch_with(note, 0);
    pthread_create(&thread, NULL, wait_once, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
}

TEST(a_wait_goes_on_after_a_handler)
{
    EXPECT_STR(outcomes_of(interrupt_a_wait), "deadlock h");
}

static void is_the_mutex_held(void *unused)
{
    (void)unused;
    put(0, "%s", pthread_mutex_trylock(&mutex) == EBUSY ? "held" : "free");
    pthread_mutex_unlock(&mutex);
}

static void *wait_and_clean_up(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(is_the_mutex_held, NULL);
    pthread_cond_wait(&cond, &mutex);
    pthread_cleanup_pop(0);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void end_within_a_wait(void)
{
    pthread_t thread;

    catch_with(end_in_handler, 0);
    pthread_create(&thread, NULL, wait_and_clean_up, NULL);
    until_somebody_waits();
    pthread_kill(thread, SIGUSR1);
    pthread_cond_signal(&cond); /* for one that ends, or for nobody */
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_cond_signal(&cond);
    pthread_cond_destroy(&cond);
}

TEST(a_waiter_that_ends_in_a_handler_has_the_mutex_and_waits_no_more)
{
    EXPECT_STR(outcomes_by_chance(end_within_a_wait, 300, 0), "held h");
}

/* ---- Barriers ---------------------------------------------------------------------------- */

static void *meet(void *argument)
{
    pthread_barrier_wait(&barrier);
    put(0, "met");
    return argument;
}

static void come_while_the_handler_runs(void)
{
    pthread_t thread;

    catch_with(wait_in_handler, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, meet, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_barrier_wait(&barrier);
    sem_post(&handler_may_end);
    pthread_join(thread, NULL);
}

/* If the handler runs before its thread has come to the barrier, both wait for ever: the handler
 * for the semaphore, and main for the thread. */
TEST(a_round_is_not_lost_on_a_thread_whose_handler_runs)
{
    EXPECT_STR(outcomes_of(come_while_the_handler_runs), "deadlock h | met h");
}

/* ---- Other processes ------------------------------------------------------------------- */

static sem_t *shared;

static void *wait_for_child(void *argument)
{
    put(0, "%s", sem_wait(shared) == 0 ? "down" : strerrorname_np(errno));
    return argument;
}

/* It posts when somebody is known to wait. */
static void child_posts(void)
{
    pthread_t waiter;
    int ends[2];
    pid_t child;
    char go;

    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    CHECK_EQ(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        if (read(ends[0], &go, 1) == 1)
            sem_post(shared);
        pause();
    }
    pthread_create(&waiter, NULL, wait_for_child, NULL);
    CHECK_EQ(rdl_until_quiet(rdl__sched.t), 1);
    CHECK_EQ(write(ends[1], "x", 1), 1);
    pthread_join(waiter, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ends[0]);
    close(ends[1]);
    munmap(shared, 4096);
}

static void child_waits(void)
{
    pid_t child;
    int status;

    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(shared, 1, 0);
    child = fork();
    if (child == 0) {
        sem_wait(shared);
        _exit(7);
    }
    sem_post(shared);
    waitpid(child, &status, 0);
    put(0, "%d", WEXITSTATUS(status));
    munmap(shared, 4096);
}

TEST(semaphores_are_shared_with_other_processes)
{
    EXPECT_STR(outcomes_of(child_posts), "down");
    EXPECT_STR(outcomes_of(child_waits), "7");
}

/* ---- Time, in C11's words ---------------------------------------------------------------- */

static void sleep_long(void)
{
    struct timespec hour = {.tv_sec = 3600};

    put(0, "%d", thrd_sleep(&hour, NULL));
}

TEST(c11_threads_sleep_in_virtual_time)
{
    EXPECT_STR(outcomes_of(sleep_long), "0");
    EXPECT(exploration->now >= UINT64_C(3600000000000));
}

/* ---- Mutexes that somebody holds ------------------------------------------------------- */

static void *lock_and_end(void *argument)
{
    pthread_mutex_lock(&mutex);
    return argument;
}

static void want_what_was_taken_along(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    together(1, lock_and_end);
    pthread_mutex_lock(&mutex);
}

static void destroy_what_is_held(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    together(1, lock_and_end);
    pthread_mutex_destroy(&mutex);
}

TEST(who_ends_with_a_mutex_is_named)
{
    EXPECT_STR(outcomes_of(want_what_was_taken_along), "deadlock");
    EXPECT_CONTAINS(exploration->details, ", which thread 1 held since ");
    EXPECT_CONTAINS(exploration->details, " and never gave back: it has ended");
    EXPECT_STR(outcomes_of(destroy_what_is_held), "misuse");
    EXPECT_STR(exploration->failure, "main destroys mutex 1, which somebody else holds");
}

/* ---- Asking again and again ----------------------------------------------------------- */

static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock;

static void *set_flag(void *argument)
{
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *poll_flag(void *argument)
{
    int seen;

    do {
        pthread_mutex_lock(&mutex);
        seen = flag;
        pthread_mutex_unlock(&mutex);
    } while (!seen);
    return argument;
}

static void *try_all(void *argument)
{
    while (pthread_mutex_trylock(&mutex))
        continue;
    while (pthread_spin_trylock(&spin))
        continue;
    while (pthread_rwlock_trywrlock(&rwlock))
        continue;
    while (sem_trywait(&sem))
        continue;
    flag++;
    sem_post(&sem);
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_unlock(&spin);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void begin_to_ask(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
    pthread_spin_init(&spin, 0);
    sem_init(&sem, 0, 1);
    flag = 0;
}

static void ask_for_a_flag(void)
{
    begin_to_ask();
    together(4, poll_flag, poll_flag, poll_flag, set_flag);
    put(0, "%d", flag);
}

static void ask_for_locks(void)
{
    begin_to_ask();
    together(3, try_all, try_all, try_all);
    put(0, "%d", flag);
}

TEST(who_asks_again_and_again_lets_others_go)
{
    EXPECT_STR(outcomes_by_chance(ask_for_a_flag, 500, 0), "1");
    EXPECT_STR(outcomes_by_chance(ask_for_locks, 500, 0), "3");
}

/* ---- Locks of the C library ---------------------------------------------------------- */

static FILE *file;
static int inside;

static void *write_two(void *argument)
{
    flockfile(file);
    if (inside++)
        put(7, "!");
    flockfile(file);
    fputc('a', file);
    pthread_mutex_lock(&mutex); /* held by main: the other may run, and must wait */
    pthread_mutex_unlock(&mutex);
    fputc('b', file);
    funlockfile(file);
    inside--;
    funlockfile(file);
    return argument;
}

static void *try_file(void *argument)
{
    put(1, "%d", ftrylockfile(file) == 0);
    if (slots[1][0] == '1')
        funlockfile(file);
    return argument;
}

static void streams(void)
{
    char text[8] = "";
    pthread_t one, two, three;

    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    inside = 0;
    file = fmemopen(text, sizeof text, "w");
    pthread_mutex_lock(&mutex);
    pthread_create(&one, NULL, write_two, NULL);
    pthread_create(&two, NULL, write_two, NULL);
    pthread_create(&three, NULL, try_file, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    fclose(file);
    put(0, "%s", text);
}

/* Each has what the other wants: one the stream, the other the mutex. */
static void *stream_first(void *argument)
{
    flockfile(file);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    funlockfile(file);
    return argument;
}

static void *mutex_first(void *argument)
{
    pthread_mutex_lock(&mutex);
    flockfile(file);
    funlockfile(file);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void cross_with_a_stream(void)
{
    mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    file = stderr;
    together(2, stream_first, mutex_first);
}

static void *unlock_file(void *argument)
{
    funlockfile(file);
    return argument;
}

static void unlock_anothers_stream(void)
{
    file = tmpfile();
    flockfile(file);
    together(1, unlock_file);
}

TEST(streams_are_locked_by_one_thread_at_a_time)
{
    EXPECT_STR(outcomes_of(streams), "abab 0 | abab 1");
    EXPECT_STR(outcomes_of(cross_with_a_stream), "deadlock | done");
    EXPECT_CONTAINS(exploration->failure, "deadlock: thread 1 -> thread 2 -> thread 1");
    fflush(NULL); /* nothing is locked any more */
    EXPECT_STR(outcomes_of(unlock_anothers_stream), "misuse");
    EXPECT_STR(exploration->failure, "thread 1 unlocks stream 1, which main holds");
}

static void *load_and_unload(void *argument)
{
    void *library = dlopen("libm.so.6", RTLD_NOW);

    put((int)(intptr_t)argument, "%d", library && dlclose(library) == 0);
    return NULL;
}

static void loaders(void)
{
    together(2, load_and_unload, load_and_unload);
}

TEST(libraries_can_be_loaded)
{
    EXPECT_STR(outcomes_of(loaders), "1 1");
}
