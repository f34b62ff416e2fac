/* bakery.c -- Lamport's bakery, no "choosing": one goes in while the other draws the same number.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int numbers[2]; /* 0: wants nothing */
#ifdef FIXED
static atomic_bool is_choosing[2];
#endif
static int served;

static bool goes_first(int other, int me)
{
    int theirs = atomic_load(&numbers[other]), mine = atomic_load(&numbers[me]);

    return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
}

static void enter(int me)
{
    int other = 1 - me;

#ifdef FIXED
    atomic_store(&is_choosing[me], true);
#endif
    atomic_store(&numbers[me], atomic_load(&numbers[other]) + 1);
#ifdef FIXED
    atomic_store(&is_choosing[me], false);
    while (atomic_load(&is_choosing[other]))
        sched_yield();
#endif
    while (goes_first(other, me))
        sched_yield();
}

static void *buy(void *argument)
{
    int me = *(const int *)argument;

    enter(me);
    served++;
    atomic_store(&numbers[me], 0);
    return NULL;
}

int main(void)
{
    int names[2] = {0, 1};
    pthread_t customers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&customers[i], NULL, buy, &names[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(customers[i], NULL);
    assert(served == 2);
    return 0;
}
