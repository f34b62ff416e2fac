/* lent.c -- a reader looks at an item that a writer takes away and frees.
 *
 * The reader should keep the lock while it looks; with -DBUG it does not, and uses freed
 * memory under the schedules in which the writer comes just then.  With -DTEST it is a
 * test, else a program. */
#include <pthread.h>
#include <stdlib.h>
#ifdef TEST
#include <raddle.h>
#endif

struct item {
    int value;
    char more[60];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *shared;

static int look_at(const struct item *item)
{
    return item ? item->value : 7;
}

static void *read_item(void *out)
{
    const struct item *item;

    pthread_mutex_lock(&lock);
    item = shared;
#ifdef BUG
    pthread_mutex_unlock(&lock);
    *(int *)out = look_at(item);
#else
    *(int *)out = look_at(item);
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *take_away(void *unused)
{
    struct item *item;

    pthread_mutex_lock(&lock);
    item = shared;
    shared = NULL;
    pthread_mutex_unlock(&lock);
    free(item);
    return unused;
}

/* What the reader has seen, in either case. */
static int lend(void)
{
    pthread_t reader, writer;
    int seen = 0;

    shared = malloc(sizeof *shared);
    shared->value = 7;
    pthread_create(&reader, NULL, read_item, &seen);
    pthread_create(&writer, NULL, take_away, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    return seen;
}

#ifdef TEST
RDL_EXPLORE(what_is_lent_is_there, .cases = 2000)
{
    rdl_check_eq(lend(), 7);
}

RDL_MAIN
#else
int main(void)
{
    return lend() != 7;
}
#endif
