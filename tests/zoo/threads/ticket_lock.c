/* ticket_lock.c -- two threads draw the same ticket: both go in, or one is never called.
   expect: assertion|livelock|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int served;

static unsigned draw_ticket(void)
{
#ifdef FIXED
    return atomic_fetch_add(&next_ticket, 1);
#else
    unsigned ticket = atomic_load(&next_ticket);

    atomic_store(&next_ticket, ticket + 1);
    return ticket;
#endif
}

static void *work(void *unused)
{
    unsigned ticket = draw_ticket();

    (void)unused;
    while (atomic_load(&now_serving) != ticket)
        sched_yield();
    served++;
    atomic_store(&now_serving, ticket + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(served == 3);
    return 0;
}
