/* spinning.c -- threads that wait by looking at memory again and again; plain code. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef ROUNDS
#define ROUNDS 3
#endif
#define barrier() __asm__ __volatile__("" ::: "memory")

static volatile int turn, count, locked;
static volatile bool ready, also_ready;
static int total;

static void hand_over(int me)
{
    barrier();
    total++;
    barrier();
    turn = 1 - me;
}

/* The loop that waits lies in one that does not. */
static void by_turns(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn != me)
            continue;
        hand_over(me);
    }
}

static void by_pausing(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (turn != me)
            __builtin_ia32_pause();
        hand_over(me);
    }
}

static __attribute__((noinline)) int whose(void)
{
    return turn;
}

static void by_asking(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (whose() != me)
            continue;
        hand_over(me);
    }
}

static void by_copying(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        int seen, other;

        do {
            seen = turn;
            other = seen + 1;
        } while (other != me + 1);
        hand_over(me);
    }
}

static void by_backing_off(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        int patience = 1;

        while (turn != me) {
            for (int j = 0; j < patience; j++)
                __builtin_ia32_pause();
            patience = patience < 8 ? patience * 2 : 8;
        }
        hand_over(me);
    }
}

/* Several ways back, and several out. */
static void by_two(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (;;) {
            if (turn != me)
                continue;
            if (count > 2 * ROUNDS)
                break;
            if (turn == me)
                break;
        }
        hand_over(me);
    }
}

static void lock(void)
{
    while (__sync_lock_test_and_set(&locked, 1))
        while (locked)
            continue;
}

static void unlock(void)
{
    __sync_lock_release(&locked);
}

static void by_lock(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock();
        total++;
        unlock();
    }
    by_turns(me);
    total -= ROUNDS;
}

/* Each is the last to know of the other. */
static void never(int me)
{
    while (!(me ? ready : also_ready))
        continue;
    also_ready = true;
}

/* Does more than to look. */
static void by_storing(int me)
{
    while (me == 0 || !ready)
        count++;
}

static void (*way)(int me);

static void *run(void *me)
{
    way((int)(long)me);
    return NULL;
}

/* Goes round in the same loops as others did before, alone, and has work to do there. */
static void go_on(void)
{
    int before = total;

    for (count = 0; count < 1000; count++) {
        lock();
        unlock();
        turn = 0;
        while (turn != 0)
            continue;
        for (ready = true; ready; ready = false)
            while (also_ready)
                also_ready = false;
    }
    total = before;
}

static const struct {
    const char *name;
    void (*run)(int me);
} ways[] = {
    {"turns", by_turns},
    {"pause", by_pausing},
    {"function", by_asking},
    {"locals", by_copying},
    {"back-off", by_backing_off},
    {"two", by_two},
    {"lock", by_lock},
    {"never", never},
    {"storing", by_storing},
};

int main(int argc, char **argv)
{
    pthread_t threads[2];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            way = ways[i].run;
    if (!way)
        return 2;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    go_on();
    return total != 2 * ROUNDS;
}
