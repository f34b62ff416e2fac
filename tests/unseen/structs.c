/* structs.c -- two threads that pass structs by value.
 *
 * ./structs WAY: each thread adds one to a counter in a struct that both know of.  The ways that
 * begin with "lost" lose an update in some schedule; the others are right in all. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    long count, changes;
};

struct odd {
    char all[7];
};

struct odder {
    char all[13];
};

struct point {
    double x, y;
};

struct row {
    long count, others[5];
};

struct page {
    long count, others[40];
};

static struct pair pair;
static struct point point;
static struct row row;
static struct page page, *pages = &page;
static struct {
    struct odd one, other;
} odds __attribute__((aligned(8)));
static struct {
    struct odder one, other;
} odders __attribute__((aligned(8)));
static long number;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define APART __attribute__((noinline))

APART static struct pair next_pair(struct pair it, long by)
{
    it.count += by;
    it.changes++;
    return it;
}

APART static struct point next_point(struct point it)
{
    it.x += 1;
    return it;
}

APART static struct row next_row(struct row it)
{
    it.count++;
    return it;
}

APART static struct page next_page(int before, struct page it)
{
    it.count += before;
    return it;
}

APART static long next_of(struct pair it)
{
    return it.count + 1;
}

APART static int last_of(struct odd it)
{
    return it.all[6];
}

APART static int last_of_odder(struct odder it)
{
    return it.all[12];
}

APART static struct row row_of(long count)
{
    return (struct row){.count = count};
}

APART static long next(long count)
{
    return count + 1;
}

static void lost_pair(void)
{
    pair = next_pair(pair, 1);
}

static void lost_point(void)
{
    point = next_point(point);
}

static void lost_row(void)
{
    row = next_row(row);
}

static void lost_page(void)
{
    *pages = next_page(1, *pages);
}

static void lost_argument(void)
{
    __atomic_store_n(&pair.count, next_of(pair), __ATOMIC_RELAXED);
}

static void lost_result(void)
{
    row = row_of(__atomic_load_n(&row.count, __ATOMIC_RELAXED) + 1);
}

static void locked(void)
{
    pthread_mutex_lock(&mutex);
    pair = next_pair(pair, 1);
    row = next_row(row);
    *pages = next_page(1, *pages);
    pthread_mutex_unlock(&mutex);
}

/* Nothing is passed by value; gcc reports everything itself. */
static void lost_number(void)
{
    number = next(number);
}

/* Both threads only read. */
static void reading(void)
{
    if (next_of(pair) != 1 || next_row(row).count != 1 || next_page(1, *pages).count != 1)
        abort();
}

/* One thread passes a struct; the other one writes what lies behind it. */
static void neighbours(void)
{
    if (__atomic_fetch_add(&number, 1, __ATOMIC_RELAXED) == 0) {
        odds.other.all[0] = 1;
        odders.other.all[0] = 1;
    } else if (last_of(odds.one) || last_of_odder(odders.one)) {
        abort();
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"lost_pair", lost_pair},     {"lost_point", lost_point},   {"lost_row", lost_row},
    {"lost_page", lost_page},     {"lost_result", lost_result}, {"lost_argument", lost_argument},
    {"lost_number", lost_number}, {"locked", locked},           {"reading", reading},
    {"neighbours", neighbours},
};

static void *thread(void *run)
{
    ((void (*)(void))run)();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void (*run)(void) = NULL;
    long sum;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(ways[i].name, argv[1]) == 0)
            run = ways[i].run;
    if (!run)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)run);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sum = pair.count + (long)point.x + row.count + page.count + number;
    if (run != reading && sum != (run == locked ? 6 : 2))
        printf("%ld\n", sum);
    return run != reading && sum != (run == locked ? 6 : 2);
}
