/* steal_last.c -- the owner takes the last item; a thief that saw more wins the contest for it.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { ITEMS = 2 };

/* A work-stealing deque that starts full: the items from `top` to below `bottom`.
 * The owner takes at the bottom, thieves at the top. */
static atomic_int top, bottom = ITEMS;
static atomic_bool is_taken[ITEMS];

static void take_item(int item)
{
    bool was_taken = atomic_exchange(&is_taken[item], true);

    assert(!was_taken);
}

static void *own(void *unused)
{
    (void)unused;
    for (int i = 0; i < ITEMS; i++) {
        int last = atomic_fetch_sub(&bottom, 1) - 1;
        int first = atomic_load(&top);
        bool mine = first < last; /* no thief can get as far as this one */

        if (first >= last) {
#ifdef FIXED
            int expected = last;

            mine = first == last && atomic_compare_exchange_strong(&top, &expected, last + 1);
#else
            mine = first == last;
            if (mine)
                atomic_store(&top, last + 1);
#endif
            atomic_store(&bottom, last + 1);
        }
        if (mine)
            take_item(last);
    }
    return NULL;
}

static void *steal(void *unused)
{
    int first = atomic_load(&top);

    (void)unused;
    if (first < atomic_load(&bottom) && atomic_compare_exchange_strong(&top, &first, first + 1))
        take_item(first);
    return NULL;
}

int main(void)
{
    pthread_t owner, thief;

    pthread_create(&owner, NULL, own, NULL);
    pthread_create(&thief, NULL, steal, NULL);
    pthread_join(owner, NULL);
    pthread_join(thief, NULL);
    assert(atomic_load(&is_taken[0]) && atomic_load(&is_taken[1]));
    return 0;
}
