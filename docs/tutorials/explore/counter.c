/* counter.c -- two doors, each of which counts its visitors. */
#include <assert.h>
#include <pthread.h>

static int visitors;

static void *count(void *unused)
{
    visitors = visitors + 1;
    return unused;
}

int main(void)
{
    pthread_t front, back;

    pthread_create(&front, NULL, count, NULL);
    pthread_create(&back, NULL, count, NULL);
    pthread_join(front, NULL);
    pthread_join(back, NULL);
    assert(visitors == 2);
    return 0;
}
