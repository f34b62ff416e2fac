/* hand_made_once.c -- the second caller sees that somebody initialises, and does not wait for it.
   expect: assertion|race
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { UNTOUCHED, BEGUN, DONE };

static atomic_int progress = UNTOUCHED;
static int squares[3];

static void fill_once(void)
{
    int expected = UNTOUCHED;

    if (atomic_compare_exchange_strong(&progress, &expected, BEGUN)) {
        for (int i = 0; i < 3; i++)
            squares[i] = i * i;
        atomic_store(&progress, DONE);
    }
#ifdef FIXED
    while (atomic_load(&progress) != DONE)
        sched_yield();
#endif
}

static void *use(void *unused)
{
    (void)unused;
    fill_once();
    assert(squares[2] == 4);
    return NULL;
}

int main(void)
{
    pthread_t users[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&users[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    return 0;
}
