/* test_hook_threads.c -- hooks that come and go while threads run through them.
 *
 * One thread places and removes; seven call what has the hooks.  Each notes, around each
 * call, whether hooks were there before it and after it: then the call was counted, or they
 * were not, and it was not.  RADDLE_HOOK_SECONDS=600 in the environment has it go on for so
 * long; otherwise the number of rounds is what ends it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness.h"
#include "hook_code.h"

enum { THREADS = 7, SITES = 4, ROUNDS = 150, CALLS = 64, AWAITED = 2 };

/* The instruction with the hook has 5 bytes and lies across the end of a cache line; has 7;
 * has 1; is a call. */
__asm__(".text\n .balign 64\n .skip 61, 0x90\n");
CODE(across, "movl $1000, %eax\n addq %rdi, %rax\n ret")
CODE(long_one, "leaq 0x12345678(%rdi), %rax\n subq $0x12345678, %rax\n addq $2000, %rax\n ret")
CODE(short_one, "nop\n leaq 3000(%rdi), %rax\n ret")
CODE(calling, "call hook_callee\n addq $3993, %rax\n ret")

static const struct {
    code *call;
    long adds;
} sites[SITES] = {{across, 1000}, {long_one, 2000}, {short_one, 3000}, {calling, 4000}};

static _Thread_local unsigned long counted;
static unsigned long epoch; /* odd: hooks are there */
static bool is_over;
static sem_t progress;

static void count(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
    counted++;
}

struct worker {
    pthread_t thread;
    unsigned long calls, armed, disarmed, wrong;
    unsigned long posted; /* the epoch that it posted in last */
};

static void call_once(struct worker *worker, unsigned which)
{
    unsigned long before = __atomic_load_n(&epoch, __ATOMIC_SEQ_CST), counted_before = counted;
    long result = sites[which].call((long)which, 0);
    bool same = before == __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);

    worker->wrong += result != (long)which + sites[which].adds;
    worker->calls++;
    if (same && before % 4 == 1) {
        worker->armed++;
        worker->wrong += counted != counted_before + 1;
    } else if (same && before % 4 == 3) {
        worker->disarmed++;
        worker->wrong += counted != counted_before;
    }
}

static void *work(void *it)
{
    struct worker *worker = it;

    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        unsigned long now = __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);

        for (unsigned i = 0; i < CALLS; i++)
            call_once(worker, i % SITES);
        if (now % 2 == 1 && now != worker->posted) {
            worker->posted = now;
            sem_post(&progress);
        }
    }
    return NULL;
}

/* Until some have made their calls, since it became so. */
static void begin_epoch(void)
{
    while (sem_trywait(&progress) == 0)
        ;
    __atomic_add_fetch(&epoch, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < AWAITED; i++)
        sem_wait(&progress);
    __atomic_add_fetch(&epoch, 1, __ATOMIC_SEQ_CST);
}

/* Epochs: 1 armed, 2 being disarmed, 3 disarmed, 0 being armed. */
static void toggle(struct rdl__hook *const *list, bool one_by_one)
{
    struct rdl__error error;

    for (int i = 0; i < (one_by_one ? SITES : 1); i++)
        if (!rdl__hooks_place(list + i, one_by_one ? 1 : SITES, &error))
            test_fail(__FILE__, __LINE__, "%s", error.text);
    begin_epoch();
    for (int i = 0; i < (one_by_one ? SITES : 1); i++)
        rdl__hooks_remove(list + i, one_by_one ? 1 : SITES);
    begin_epoch();
}

static unsigned long toggle_for_long(struct rdl__hook *const *list)
{
    const char *seconds = getenv("RADDLE_HOOK_SECONDS");
    time_t end = seconds ? time(NULL) + atoi(seconds) : 0;
    unsigned long rounds = 0;

    while (seconds ? time(NULL) < end : rounds < ROUNDS)
        toggle(list, rounds++ % 2);
    return rounds;
}

TEST(hooks_come_and_go_while_threads_run_through_them)
{
    struct worker workers[THREADS] = {0}, all = {0};
    struct rdl__hook hooks[SITES], *list[SITES];
    unsigned long rounds;

    sem_init(&progress, 0, 0);
    for (int i = 0; i < SITES; i++) {
        hooks[i] = (struct rdl__hook){.address = (uintptr_t)sites[i].call, .call = count};
        list[i] = &hooks[i];
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    rounds = toggle_for_long(list);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        all.calls += workers[i].calls;
        all.armed += workers[i].armed;
        all.disarmed += workers[i].disarmed;
        all.wrong += workers[i].wrong;
    }
    printf("%lu rounds, %lu calls, %lu of them with hooks, %lu without\n", rounds, all.calls,
           all.armed, all.disarmed);
    EXPECT_EQ(all.wrong, 0);
    EXPECT(all.armed > rounds && all.disarmed > rounds);
    for (int i = 0; i < SITES; i++)
        EXPECT(rdl__hook_is_quiet(&hooks[i]));
}
