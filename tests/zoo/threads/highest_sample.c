/* highest_sample.c -- a lower sample, compared before the higher came in, is stored over it.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int highest;

static void *report(void *argument)
{
    int sample = *(const int *)argument;
    int so_far = atomic_load(&highest);

#ifdef FIXED
    while (sample > so_far && !atomic_compare_exchange_strong(&highest, &so_far, sample))
        continue;
#else
    if (sample > so_far)
        atomic_store(&highest, sample);
#endif
    return NULL;
}

int main(void)
{
    int samples[3] = {5, 9, 7};
    pthread_t sensors[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&sensors[i], NULL, report, &samples[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(sensors[i], NULL);
    assert(atomic_load(&highest) == 9);
    return 0;
}
