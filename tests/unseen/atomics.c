/* atomics.c -- two threads that touch nothing but an atomic variable, of which clang leaves loads
 * that it does not need behind its calls. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number;

static void *thread(void *unused)
{
    number = number + 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return number > 2;
}
