/* ticking.c -- a clock ticks while another thread waits for what another process writes to a FIFO:
 * ticking WAY FIFO.
 *
 * right    ticks are counted under a lock, and the input comes before there are many of them
 * wrong    they are counted without one
 * nothing  as right, but the clock stops by itself, and nobody writes anything */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MINUTE = 60, TICKS = 50 };

static const char *way;
static atomic_int is_over;
static int ticks, bytes, input;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void *tick(void *unused)
{
    for (int i = 0; !is_over && !(is("nothing") && i == TICKS); i++) {
        sleep(1);
        if (!is("wrong"))
            pthread_mutex_lock(&lock);
        ticks++;
        if (!is("wrong"))
            pthread_mutex_unlock(&lock);
    }
    if (is("nothing"))
        _exit(0);
    return unused;
}

static void *wait_for_input(void *unused)
{
    char byte;
    time_t before = time(NULL);

    bytes = (int)read(input, &byte, 1);
    assert(time(NULL) - before < MINUTE);
    pthread_mutex_lock(&lock);
    ticks++;
    pthread_mutex_unlock(&lock);
    is_over = 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    way = argc > 1 ? argv[1] : "";
    input = open(argc > 2 ? argv[2] : "", O_RDWR);
    assert(input >= 0);
    pthread_create(&threads[0], NULL, tick, NULL);
    pthread_create(&threads[1], NULL, wait_for_input, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(bytes == 1);
    return 0;
}
