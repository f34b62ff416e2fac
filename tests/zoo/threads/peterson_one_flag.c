/* peterson_one_flag.c -- Peterson's lock, but the right side never says that it wants to go in.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { LEFT, RIGHT };

static atomic_bool left_wants, right_wants;
static atomic_int gives_way;
static int visits; /* counted by whoever is inside */

static void *go_left(void *unused)
{
    (void)unused;
    atomic_store(&left_wants, true);
    atomic_store(&gives_way, LEFT);
    while (atomic_load(&right_wants) && atomic_load(&gives_way) == LEFT)
        sched_yield();
    visits++;
    atomic_store(&left_wants, false);
    return NULL;
}

static void *go_right(void *unused)
{
    (void)unused;
#ifdef FIXED
    atomic_store(&right_wants, true);
#endif
    atomic_store(&gives_way, RIGHT);
    while (atomic_load(&left_wants) && atomic_load(&gives_way) == RIGHT)
        sched_yield();
    visits++;
    atomic_store(&right_wants, false);
    return NULL;
}

int main(void)
{
    pthread_t left, right;

    pthread_create(&left, NULL, go_left, NULL);
    pthread_create(&right, NULL, go_right, NULL);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    assert(visits == 2);
    return 0;
}
