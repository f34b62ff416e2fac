/* pool.c -- glib's pool of threads and its queues: squares are computed by some threads,
 * checked by another, and added up by all of them.
 *
 * With -DBUG the sum is read under the lock, and written under the lock, but not under the
 * same: another thread may run when the checker is woken in between. */
#include <glib.h>
#include <stdio.h>

enum { TASKS = 6, THREADS = 3 };

static GMutex lock;
static GCond all_done;
static int done, sum;
static GAsyncQueue *results;
static GPrivate square_of_thread = G_PRIVATE_INIT(g_free);

/* Where this thread keeps its results until they are added; glib frees it at its end. */
static int *own_square(void)
{
    int *square = g_private_get(&square_of_thread);

    if (!square) {
        square = g_new0(int, 1);
        g_private_set(&square_of_thread, square);
    }
    return square;
}

static void square(gpointer task, gpointer unused)
{
    int *own = own_square();
    int seen;

    (void)unused;
    *own = GPOINTER_TO_INT(task) * GPOINTER_TO_INT(task);
    g_mutex_lock(&lock);
    seen = sum;
#ifdef BUG
    g_mutex_unlock(&lock);
    g_async_queue_push(results, GINT_TO_POINTER(*own));
    g_mutex_lock(&lock);
#else
    g_async_queue_push(results, GINT_TO_POINTER(*own));
#endif
    sum = seen + *own;
    if (++done == TASKS)
        g_cond_signal(&all_done);
    g_mutex_unlock(&lock);
}

/* Take all results, in whatever order they come. */
static gpointer check(gpointer unused)
{
    int total = 0;

    (void)unused;
    for (int i = 0; i < TASKS; i++)
        total += GPOINTER_TO_INT(g_async_queue_pop(results));
    return GINT_TO_POINTER(total);
}

int main(void)
{
    GThreadPool *pool;
    GThread *checker;
    int total;

    results = g_async_queue_new();
    checker = g_thread_new("checker", check, NULL);
    pool = g_thread_pool_new(square, NULL, THREADS, FALSE, NULL);
    for (int i = 1; i <= TASKS; i++)
        g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
    g_mutex_lock(&lock);
    while (done < TASKS)
        g_cond_wait(&all_done, &lock);
    g_mutex_unlock(&lock);
    g_thread_pool_free(pool, FALSE, TRUE);
    total = GPOINTER_TO_INT(g_thread_join(checker));
    g_async_queue_unref(results);
    printf("%d %d\n", sum, total);
    return sum != 91 || total != 91;
}
