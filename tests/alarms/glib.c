/* glib.c -- threads that meet in GLib: glib mutex|queue [wrong]. */
#include <glib.h>
#include <string.h>

static GMutex lock;
static GAsyncQueue *queue;
static gboolean wrong;
static int total;

static gpointer add(gpointer unused)
{
    for (int i = 0; i < 2; i++) {
        if (wrong)
            total++;
        g_mutex_lock(&lock);
        if (!wrong)
            total++;
        g_mutex_unlock(&lock);
    }
    return unused;
}

static gpointer push(gpointer unused)
{
    total = 1;
    g_async_queue_push(queue, &total);
    if (wrong)
        total = 2;
    return unused;
}

static gpointer pop(gpointer unused)
{
    int *value = g_async_queue_pop(queue);

    (*value)++;
    return unused;
}

int main(int argc, char **argv)
{
    gboolean by_queue = argc > 1 && strcmp(argv[1], "queue") == 0;
    GThread *threads[2];

    wrong = argc > 2;
    queue = g_async_queue_new();
    threads[0] = g_thread_new("first", by_queue ? push : add, NULL);
    threads[1] = g_thread_new("second", by_queue ? pop : add, NULL);
    for (int i = 0; i < 2; i++)
        g_thread_join(threads[i]);
    return 0;
}
