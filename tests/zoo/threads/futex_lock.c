/* futex_lock.c -- of two sleepers one is woken and forgets the other, whom then nobody wakes.
   expect: deadlock
   needs: access */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, HELD, CONTENDED }; /* contended: held, and somebody may be asleep */

static atomic_int state = FREE;
static int passed;

static void lock(void)
{
    int seen = FREE;

    if (atomic_compare_exchange_strong(&state, &seen, HELD))
        return;
    do {
        seen = HELD;
        if (atomic_compare_exchange_strong(&state, &seen, CONTENDED) || seen == CONTENDED)
            syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, CONTENDED, NULL);
        seen = FREE;
#ifdef FIXED
    } while (!atomic_compare_exchange_strong(&state, &seen, CONTENDED));
#else
    } while (!atomic_compare_exchange_strong(&state, &seen, HELD));
#endif
}

static void unlock(void)
{
    if (atomic_exchange(&state, FREE) == CONTENDED)
        syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1);
}

static void *work(void *unused)
{
    (void)unused;
    lock();
    passed++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(passed == 3);
    return 0;
}
