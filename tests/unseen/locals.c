/* locals.c -- a local variable that another thread uses while main passes it by value.
 *
 * ./locals WAY: ends with status 1 in some schedule, and with 0 in others. */
#include <pthread.h>
#include <string.h>

struct row {
    long count, others[3];
};

struct pair {
    long count, other;
};

#define APART __attribute__((noinline))

static struct row shared = {1, {0}};
static long seen;

APART static void begin(struct row *row)
{
    *row = (struct row){1, {0}};
}

APART static void begin_pair(struct pair *pair)
{
    *pair = (struct pair){1, 0};
}

APART static void redirect(struct row **to)
{
    *to = &shared;
}

APART static long count_of(struct row row)
{
    return row.count;
}

APART static struct pair new_pair(long count)
{
    return (struct pair){count, count};
}

static void *write_count(void *row)
{
    ((struct row *)row)->count = 2;
    return NULL;
}

static void *read_count(void *pair)
{
    seen = ((struct pair *)pair)->count;
    return NULL;
}

/* gcc reports no access to the argument. */
static int argument(void)
{
    struct row row;
    pthread_t thread;
    long count;

    begin(&row);
    pthread_create(&thread, NULL, write_count, &row);
    count = count_of(row);
    pthread_join(thread, NULL);
    return count == 2;
}

static int result(void)
{
    struct pair pair;
    pthread_t thread;

    begin_pair(&pair);
    pthread_create(&thread, NULL, read_count, &pair);
    pair = new_pair(2);
    pthread_join(thread, NULL);
    return seen == 2;
}

/* A pointer to a local variable, until a callee changes it. */
static int pointer(void)
{
    struct row row = {0}, *it = &row;
    pthread_t thread;
    long count;

    redirect(&it);
    pthread_create(&thread, NULL, write_count, &shared);
    count = count_of(*it);
    pthread_join(thread, NULL);
    return (count == 2) + (int)row.count;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    return strcmp(way, "argument") == 0  ? argument()
           : strcmp(way, "result") == 0  ? result()
           : strcmp(way, "pointer") == 0 ? pointer()
                                         : 3;
}
