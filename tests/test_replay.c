/* test_replay.c -- one tape is one execution, however often it is run. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "control/sched/sched.h"
#include "harness.h"
#include "run/execute.h"

enum { CHOICES = 1 << 16, REPLAYS = 1000, TAPES = 4 };

static struct rdl__board *board;
static struct rdl_case the_case;
static struct rdl__summary *summary;
static void *strategy_state;

/* ---- A bit of everything -------------------------------------------------------------- */

static char story[4096]; /* what the threads saw, in the order in which they did */
static pthread_mutex_t lock;
static pthread_cond_t changed;
static pthread_rwlock_t door;
static sem_t tokens;
static int ends[2], turns;
static __thread int handled;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    size_t used = strlen(story);
    va_list args;

    va_start(args, format);
    vsnprintf(story + used, sizeof story - used, format, args);
    va_end(args);
}

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *wait_for_turns(void *name)
{
    struct timespec end;
    int why;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 2;
    pthread_mutex_lock(&lock);
    do
        why = pthread_cond_timedwait(&changed, &lock, &end);
    while (turns < 3 && why == 0);
    tell("%s %d %d; ", (char *)name, turns, why);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *take_turns(void *name)
{
    char *memory = malloc(100);

    for (int i = 0; i < 2; i++) {
        pthread_rwlock_rdlock(&door);
        pthread_mutex_lock(&lock);
        tell("%s at %ld; ", (char *)name, milliseconds());
        turns++;
        pthread_mutex_unlock(&lock);
        pthread_rwlock_unlock(&door);
        pthread_cond_signal(&changed);
        sem_post(&tokens);
        usleep(700000);
    }
    write(ends[1], name, 1);
    free(memory);
    return NULL;
}

static void *read_and_write(void *name)
{
    char byte = '?';

    while (sem_wait(&tokens) < 0)
        continue;
    pthread_rwlock_wrlock(&door);
    tell("%s %ld; ", (char *)name, syscall(SYS_gettid));
    pthread_rwlock_unlock(&door);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    tell("%s %c %d; ", (char *)name, byte, handled);
    return NULL;
}

static void everything(void *unused)
{
    static void *(*const bodies[])(void *) = {wait_for_turns, wait_for_turns, take_turns,
                                              take_turns, read_and_write};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    pthread_t threads[5];

    (void)unused;
    story[0] = '\0';
    turns = 0;
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&changed, NULL);
    pthread_rwlock_init(&door, NULL);
    sem_init(&tokens, 0, 0);
    EXPECT_EQ(pipe(ends), 0);
    for (int i = 0; i < 5; i++)
        pthread_create(&threads[i], NULL, bodies[i], (void *)names[i]);
    pthread_kill(threads[4], SIGUSR1);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    close(ends[0]);
    close(ends[1]);
}

/* ---- Again and again ---------------------------------------------------------------------- */

static void prepare(void)
{
    struct rdl__error error;

    if (board)
        return;
    signal(SIGUSR1, on_signal);
    board = rdl__board_new(CHOICES, &error);
    summary = rdl__allocate(sizeof *summary);
    rdl__case_init(&the_case, board, NULL);
    board->tape.limit = CHOICES;
}

static void run_once(const struct rdl__strategy *strategy)
{
    the_case.outcome->verdict = RDL__PASSED;
    the_case.outcome->claimed = 0;
    rdl__execution_run(&(struct rdl__execution){.t = &the_case,
                                                .strategy = strategy,
                                                .strategy_state = strategy_state,
                                                .summary = summary,
                                                .faults = RDL__FAULT_SPURIOUS,
                                                .points_max = 1000000},
                       everything, NULL);
    EXPECT_EQ(the_case.outcome->verdict, RDL__PASSED);
}

static void run_by_chance(uint64_t seed)
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named("random", &parameter);

    strategy_state = rdl__allocate(strategy->state_size + 1);
    if (strategy->init)
        strategy->init(strategy_state, seed, parameter);
    rdl__tape_from_random(&board->tape, seed);
    rdl__random_seed(&rdl__sched.view.random, seed);
    memset(summary, 0, offsetof(struct rdl__summary, log));
    strategy->begin(strategy_state, &rdl__sched.view, summary);
    run_once(strategy);
    free(strategy_state);
}

static void run_tape(const uint64_t *indexes, uint32_t count)
{
    struct rdl__feed feed = {.indexes = indexes, .count = count, .fill_at = RDL__NONE};

    rdl__tape_from_feed(&board->tape, &feed, 0);
    memset(summary, 0, offsetof(struct rdl__summary, log));
    run_once(NULL);
}

TEST(a_tape_is_the_same_execution_a_thousand_times)
{
    static uint64_t indexes[CHOICES];
    char told[TAPES][sizeof story];

    prepare();
    for (int tape = 0; tape < TAPES; tape++) {
        uint64_t hash, now;
        uint32_t count;

        run_by_chance(test_seed() + (uint64_t)tape);
        hash = summary->hash;
        now = rdl__sched.now;
        count = board->tape.count;
        EXPECT(summary->preemptions > 0);
        strcpy(told[tape], story);
        for (int i = 0; i < tape; i++)
            EXPECT(strcmp(told[i], told[tape]) != 0);
        for (uint32_t i = 0; i < count; i++)
            indexes[i] = board->tape.choices[i].index;
        for (int i = 0; i < REPLAYS; i++) {
            run_tape(indexes, count);
            EXPECT(summary->hash == hash);
            EXPECT(rdl__sched.now == now);
            EXPECT_EQ(board->tape.count, count);
            EXPECT_STR(story, told[tape]);
        }
    }
}
