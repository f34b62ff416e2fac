/* bell.c -- who is woken, and comes too late: for docs/gates.md. */
#include <pthread.h>
#include <raddle.h>

static pthread_mutex_t lock;
static pthread_cond_t filled;
static int count;

static void take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (count == 0)
        pthread_cond_wait(&filled, &lock);
    rdl_check(count > 0);
    count--;
    pthread_mutex_unlock(&lock);
}

static void put(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
}

RDL_SCHEDULE(an_item_is_there_for_ann)
{
    struct rdl_thread *ann, *bob, *putter;

    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&filled, NULL);
    count = 0;
    rdl_order(
        t, "[ann blocked] -> putter:put, [putter ended] -> bob:take, [bob ended] -> [ann woken]");
    ann = rdl_spawn(t, "ann", take, NULL);
    bob = rdl_spawn(t, "bob", take, NULL);
    putter = rdl_spawn(t, "putter", put, NULL);
    rdl_join(ann);
    rdl_join(bob);
    rdl_join(putter);
}

RDL_MAIN
