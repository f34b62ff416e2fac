/* test_detour_threads.c -- detours that come and go while threads run through them, and what they
 * cost.
 *
 * Four threads call four functions; another places and removes detours.  Around each call it is
 * noted whether they were there: then the call went to the thunk, or they were not, and it went to
 * the function.  In a soak there are many more rounds. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#include "harness.h"
#include "hook_code.h"
#include "port/blocked.h"
#include "port/detour.h"
#include "port/thunk.h"

enum { THREADS = 4, SITES = 4, ROUNDS = 60, SOAK_ROUNDS = 5000, CALLS = 64 };

CODE(usual, "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n subq $16, %rsp\n"
            "leaq 1000(%rdi), %rax\n leave\n .cfi_adjust_cfa_offset -8\n ret")
CODE(long_one, "leaq 0x12345678(%rdi), %rax\n subq $0x12345678, %rax\n addq $1000, %rax\n ret")
__asm__(".text\n .balign 64\n .skip 61, 0x90\n");
CODE(across, "pushq %rbx\n .cfi_adjust_cfa_offset 8\n movq %rdi, %rbx\n leaq 1000(%rbx), %rax\n"
             "popq %rbx\n .cfi_adjust_cfa_offset -8\n ret")
CODE(looping, "xorl %eax, %eax\n 1: addl $500, %eax\n cmpl $1000, %eax\n jne 1b\n addq %rdi, %rax\n"
              "ret")

static code *const functions[SITES] = {usual, long_one, across, looping};
static unsigned long epoch; /* 1 of 4: they are there; 3 of 4: they are not */
static bool is_over;
static sem_t progress;

static void answer(struct rdl__arguments *arguments, void *it)
{
    arguments->rax = arguments->integers[0] + (uintptr_t)it;
}

struct worker {
    pthread_t thread;
    unsigned long with, without, wrong, posted;
};

static void call_once(struct worker *worker, unsigned which)
{
    unsigned long before = __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);
    long result = functions[which]((long)which, 0) - (long)which;
    bool same = before == __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);

    worker->wrong += result != 1000 && result != 2000;
    worker->with += same && before % 4 == 1;
    worker->without += same && before % 4 == 3;
    worker->wrong += same && before % 4 == 1 && result != 2000;
    worker->wrong += same && before % 4 == 3 && result != 1000;
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

/* Until one has made its calls, since it became so. */
static void spend_epoch(void)
{
    while (sem_trywait(&progress) == 0)
        ;
    __atomic_add_fetch(&epoch, 1, __ATOMIC_SEQ_CST);
    sem_wait(&progress);
    __atomic_add_fetch(&epoch, 1, __ATOMIC_SEQ_CST);
}

static unsigned long toggle(struct rdl__detour *const *list, int rounds)
{
    struct rdl__error error;
    unsigned long jumps = 0;

    for (int i = 0; i < rounds; i++) {
        if (!rdl__detours_place(list, SITES, &error))
            test_fail(__FILE__, __LINE__, "%s", error.text);
        for (int k = 0; k < SITES; k++)
            jumps += rdl__detour_is_jump(list[k]);
        spend_epoch();
        rdl__detours_remove(list, SITES);
        spend_epoch();
    }
    return jumps;
}

static void make_detours(struct rdl__detour *detours, struct rdl__detour **list)
{
    for (int i = 0; i < SITES; i++) {
        detours[i] = (struct rdl__detour){.address = (uintptr_t)functions[i],
                                          .target = rdl__thunk_new(answer, (void *)2000)};
        list[i] = &detours[i];
    }
}

TEST(detours_come_and_go_while_threads_run_through_them)
{
    int rounds = soak() ? SOAK_ROUNDS : ROUNDS;
    struct worker workers[THREADS] = {0}, all = {0};
    struct rdl__detour detours[SITES], *list[SITES];
    unsigned long jumps;

    sem_init(&progress, 0, 0);
    make_detours(detours, list);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    jumps = toggle(list, rounds);
    __atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        all.with += workers[i].with;
        all.without += workers[i].without;
        all.wrong += workers[i].wrong;
    }
    printf("%d rounds, %lu calls with detours (%lu of %d by jump), %lu without\n", rounds, all.with,
           jumps, rounds * SITES, all.without);
    EXPECT_EQ(all.wrong, 0);
    EXPECT(all.with > 0 && all.without > 0);
}

/* ---- With threads that sleep ----------------------------------------------------------------- */

static struct rdl__real_thread sleeper;
static sem_t told;

static void *sleep_until_told(void *it)
{
    (void)it;
    rdl__blocked_begin(&sleeper);
    sem_wait(&told);
    rdl__blocked_end(&sleeper);
    return NULL;
}

TEST(where_all_other_threads_sleep_several_instructions_can_be_replaced)
{
    struct rdl__detour detours[SITES], *list[SITES];
    struct rdl__error error;
    pthread_t thread;

    sem_init(&told, 0, 0);
    make_detours(detours, list);
    EXPECT_EQ(rdl__blocked_start(&thread, &sleeper, &told, sleep_until_told, NULL), 0);
    EXPECT_EQ(rdl__blocked_until_quiet(&told), 1);
    EXPECT(rdl__detours_place(list, 1, &error));
    EXPECT(rdl__detour_is_jump(list[0]));
    EXPECT_EQ(usual(1, 0), 2001);
    rdl__detours_remove(list, 1);
    EXPECT_EQ(usual(1, 0), 1001);
    sem_post(&told);
    pthread_join(thread, NULL);
    rdl__blocked_forget(&sleeper);
}

/* ---- What it costs --------------------------------------------------------------------------- */

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of several, in ns: others use this machine, too. */
static double measure(void (*do_it)(int count, struct rdl__detour *const *list, size_t placed),
                      int count, struct rdl__detour *const *list, size_t placed)
{
    double best = 1e18;

    for (int i = 0; i < 20; i++) {
        double start = now_ns(), took;

        do_it(count, list, placed);
        took = (now_ns() - start) / count;
        best = took < best ? took : best;
    }
    return best;
}

static code *volatile function = usual;

static void call_it(int count, struct rdl__detour *const *list, size_t placed)
{
    (void)list, (void)placed;
    for (int i = 0; i < count; i++)
        function(i, 0);
}

static void place_and_remove(int count, struct rdl__detour *const *list, size_t placed)
{
    struct rdl__error error;

    for (int i = 0; i < count; i++) {
        EXPECT(rdl__detours_place(list, placed, &error));
        rdl__detours_remove(list, placed);
    }
}

TEST(a_detour_costs_little)
{
    struct rdl__detour detours[SITES], *list[SITES];
    struct rdl__error error;
    double alone, with;

    make_detours(detours, list);
    alone = measure(call_it, 10000, list, 0);
    EXPECT(rdl__detours_place(list, 1, &error));
    EXPECT(rdl__detour_is_jump(list[0]));
    with = measure(call_it, 10000, list, 0);
    rdl__detours_remove(list, 1);
    printf("a call: %.1f ns, through detour and thunk: %.1f ns; to place and remove one: %.1f us, "
           "%d at once: %.1f us\n",
           alone, with, measure(place_and_remove, 50, list, 1) / 1000, SITES,
           measure(place_and_remove, 50, list, SITES) / 1000);
    EXPECT(with < 1000); /* a breakpoint costs more */
}
