/* test_quiet.c -- who is blocked: threads that run freely, seen through the kernel's eyes. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "harness.h"
#include "port/blocked.h"

enum { MANY = 8 };

struct worker {
    struct rdl__real_thread watched;
    pthread_t thread;
    void (*work)(struct worker *self);
    volatile int progress;
};

static struct worker workers[MANY];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static bool go;
static int pipe_ends[2];

static void *run_worker(void *argument)
{
    struct worker *self = argument;

    rdl__blocked_begin(&self->watched);
    self->work(self);
    rdl__blocked_end(&self->watched);
    return NULL;
}

static void start(int i, void (*work)(struct worker *self))
{
    workers[i] = (struct worker){.work = work};
    EXPECT_EQ(rdl__blocked_start(&workers[i].thread, &workers[i].watched, workers, run_worker,
                                 &workers[i]),
              0);
}

static void finish(int i)
{
    pthread_join(workers[i].thread, NULL);
    rdl__blocked_forget(&workers[i].watched);
}

static void compute_then_wait(struct worker *self)
{
    for (int i = 0; i < 3000000; i++)
        self->progress = i;
    self->progress = -1;
    pthread_mutex_lock(&mutex);
    while (!go)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void take_semaphore(struct worker *self)
{
    sem_wait(&semaphore);
    self->progress = 1;
}

static void read_pipe(struct worker *self)
{
    char byte;

    self->progress = (int)read(pipe_ends[0], &byte, 1);
}

static void end_at_once(struct worker *self)
{
    self->progress = 1;
}

TEST(a_thread_that_computes_is_not_taken_for_blocked)
{
    for (int round = 0; round < 20; round++) {
        go = false;
        for (int i = 0; i < 4; i++)
            start(i, compute_then_wait);
        EXPECT_EQ(rdl__blocked_until_quiet(workers), 4);
        for (int i = 0; i < 4; i++) {
            EXPECT_EQ(workers[i].progress, -1);
            EXPECT(rdl__blocked_now(&workers[i].watched));
        }
        pthread_mutex_lock(&mutex);
        go = true;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&mutex);
        EXPECT_EQ(rdl__blocked_until_quiet(workers), 0);
        for (int i = 0; i < 4; i++)
            finish(i);
    }
}

TEST(each_wake_up_is_followed_to_its_end)
{
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < MANY; i++)
        start(i, take_semaphore);
    for (int left = MANY; left > 0; left--) {
        EXPECT_EQ(rdl__blocked_until_quiet(workers), left);
        sem_post(&semaphore);
    }
    EXPECT_EQ(rdl__blocked_until_quiet(workers), 0);
    for (int i = 0; i < MANY; i++) {
        finish(i);
        EXPECT_EQ(workers[i].progress, 1);
    }
}

TEST(files_block_and_ends_do_not)
{
    EXPECT_EQ(pipe(pipe_ends), 0);
    start(0, read_pipe);
    start(1, end_at_once);
    EXPECT_EQ(rdl__blocked_until_quiet(workers), 1);
    EXPECT(rdl__blocked_now(&workers[0].watched));
    EXPECT(!rdl__blocked_now(&workers[1].watched));
    EXPECT_EQ(write(pipe_ends[1], "x", 1), 1);
    EXPECT_EQ(rdl__blocked_until_quiet(workers), 0);
    finish(0);
    finish(1);
    EXPECT_EQ(workers[0].progress, 1);
}
