/* test.c -- tests of Raddle's, with a block that is used after it was freed, and without. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *shared;
static char *kept;

static void user(void *unused)
{
    char *seen;

    (void)unused;
    pthread_mutex_lock(&lock);
    seen = shared;
    pthread_mutex_unlock(&lock);
    if (seen)
        seen[1] = 1; /* here */
}

static void run(struct rdl_case *t, bool frees)
{
    struct rdl_thread *thread;

    if (!kept)
        kept = malloc(10);
    shared = malloc(30);
    thread = rdl_spawn(t, "user", user, NULL);
    if (frees) {
        pthread_mutex_lock(&lock);
        free(shared);
        shared = NULL;
        pthread_mutex_unlock(&lock);
    }
    rdl_join(thread);
    if (!frees)
        free(shared);
    free(kept);
    kept = NULL;
}

RDL_EXPLORE(freed_while_it_is_used)
{
    run(t, true);
}

RDL_EXPLORE(freed_when_it_is_not_used)
{
    run(t, false);
}

RDL_MAIN
