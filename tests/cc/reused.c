/* reused.c -- blocks that the heap gives to one thread after another: nothing orders their
 * accesses, and they are no races. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <raddle.h>

static size_t size;

static void *use(void *block)
{
    memset(block, 1, size);
    free(block);
    return NULL;
}

static pthread_t start(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, use, malloc(size));
    return thread;
}

RDL_EXPLORE(blocks_are_reused, .cases = 200, .strategy = "random")
{
    static const size_t sizes[] = {1, 8, 16, 20, 24, 25, 40, 100, 2000};
    pthread_t one, two, three;

    size = rdl_sample(t, sizes);
    one = start();
    two = start();
    pthread_join(one, NULL);
    three = start();
    pthread_join(two, NULL);
    pthread_join(three, NULL);
}

RDL_MAIN
