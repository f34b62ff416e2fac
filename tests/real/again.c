/* again.c -- threads that come and go, so that one's memory becomes the next one's: each
 * finds its thread-local variables as they should be, and its destructors are called.
 * With -DTEST it is a test, else a program. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef TEST
#include <raddle.h>
#endif

enum { ROUNDS = 20, SIZE = 50 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int dropped;
static __thread char *own;
static __thread int begun = 5;

static void drop(void *bytes)
{
    dropped += begun == 6;
    free(bytes);
}

static void make_key(void)
{
    pthread_key_create(&key, drop);
}

static void *come_and_go(void *number)
{
    char local[SIZE];

    if (own || begun++ != 5)
        return NULL;
    memset(local, (int)(intptr_t)number, sizeof local);
    own = malloc(SIZE);
    memcpy(own, local, SIZE);
    pthread_setspecific(key, own);
    return own;
}

/* How many threads had a life as it should be. */
static int all_come_and_go(void)
{
    pthread_once(&once, make_key);
    dropped = 0;
    for (intptr_t i = 0; i < ROUNDS; i++) {
        pthread_t one, two;

        pthread_create(&one, NULL, come_and_go, (void *)i);
        pthread_create(&two, NULL, come_and_go, (void *)i);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    return dropped;
}

#ifdef TEST
RDL_EXPLORE(threads_come_and_go, .cases = 300)
{
    rdl_check_eq(all_come_and_go(), 2 * ROUNDS);
}

RDL_MAIN
#else
int main(void)
{
    return all_come_and_go() != 2 * ROUNDS;
}
#endif
