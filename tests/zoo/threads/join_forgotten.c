/* join_forgotten.c -- the sums are added up though the first thread was not waited for.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <pthread.h>

enum { PARTS = 3 };

static int sums[PARTS];

static void *add_up(void *part)
{
    int *sum = part;

    for (int i = 1; i <= 4; i++)
        *sum += i;
    return NULL;
}

int main(void)
{
    pthread_t threads[PARTS];
    int total = 0;

    for (int i = 0; i < PARTS; i++)
        pthread_create(&threads[i], NULL, add_up, &sums[i]);
#ifdef FIXED
    for (int i = 0; i < PARTS; i++)
#else
    for (int i = 1; i < PARTS; i++)
#endif
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PARTS; i++)
        total += sums[i];
    assert(total == 10 * PARTS);
    return 0;
}
