/* aba_stack.c -- a slow pop finds the same node on top, though its next has been taken meanwhile.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { NODES = 3, NONE = NODES };

#ifdef FIXED
#define COUNTED(top) (((top) / 256 + 1) * 256) /* how often the top has changed */
#else
#define COUNTED(top) 0
#endif
#define NODE(top) ((top) % 256)

static atomic_uint top = 0; /* a node's number in the low byte */
static atomic_uint next[NODES] = {1, 2, NONE};
static atomic_int owners[NODES];

static unsigned pop(void)
{
    unsigned seen = atomic_load(&top), after;
    int owners_before;

    do {
        if (NODE(seen) == NONE)
            return NONE;
        after = atomic_load(&next[NODE(seen)]);
    } while (!atomic_compare_exchange_strong(&top, &seen, COUNTED(seen) + after));
    owners_before = atomic_fetch_add(&owners[NODE(seen)], 1);
    assert(owners_before == 0);
    return NODE(seen);
}

static void push(unsigned node)
{
    unsigned seen = atomic_load(&top);

    atomic_fetch_sub(&owners[node], 1);
    do {
        atomic_store(&next[node], NODE(seen));
    } while (!atomic_compare_exchange_strong(&top, &seen, COUNTED(seen) + node));
}

static void *take_two_return_one(void *unused)
{
    unsigned first = pop();

    (void)unused;
    pop();
    if (first != NONE)
        push(first);
    return NULL;
}

static void *take_two(void *unused)
{
    (void)unused;
    pop();
    pop();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, take_two, NULL);
    pthread_create(&threads[1], NULL, take_two_return_one, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
