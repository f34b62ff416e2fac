/* gates.c -- gates in code that does not know of them, for test_gates.  Tests whose names begin with
 * wrong_ are to fail. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

/* ---- A buffer that is cut while it is appended to another --------------------------------------- */

struct buffer {
    pthread_mutex_t lock;
    char bytes[32];
    int length;
};

static struct buffer source, target;

static void begin(void)
{
    source = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER, .bytes = "abcdef", .length = 6};
    target = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER};
}

static int buffer_length(struct buffer *buffer)
{
    int length;

    pthread_mutex_lock(&buffer->lock);
    length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static int buffer_copy(struct buffer *buffer, char *out, int count)
{
    int copied;

    pthread_mutex_lock(&buffer->lock);
    copied = count <= buffer->length ? count : -1;
    for (int i = 0; i < copied; i++)
        out[i] = buffer->bytes[i];
    pthread_mutex_unlock(&buffer->lock);
    return copied;
}

static void buffer_truncate(struct buffer *buffer, int length)
{
    pthread_mutex_lock(&buffer->lock);
    buffer->length = length;
    pthread_mutex_unlock(&buffer->lock);
}

static bool buffer_append(struct buffer *to, struct buffer *from)
{
    int count = buffer_length(from);
    int copied = buffer_copy(from, to->bytes + to->length, count);

    if (copied != count)
        return false;
    to->length += copied;
    return true;
}

static bool appended;

static void append_all(void *unused)
{
    (void)unused;
    appended = buffer_append(&target, &source);
}

static void cut(void *unused)
{
    (void)unused;
    buffer_truncate(&source, 3);
}

static void stale_length(struct rdl_case *t)
{
    struct rdl_gate *measured;
    struct rdl_thread *appender;

    begin();
    measured = rdl_gate_at(t, "buffer_append:/int copied =/", .thread = "appender");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    rdl_gate_reached(measured);
    buffer_truncate(&source, 3);
    rdl_gate_open(measured);
    rdl_join(appender);
    rdl_check(appended);
}

RDL_SCHEDULE(wrong_stale_length)
{
    stale_length(t);
}

RDL_SCHEDULE(wrong_stale_length_free, .free_threads = true)
{
    stale_length(t);
}

static void stale_length_by_order(struct rdl_case *t)
{
    struct rdl_thread *appender, *cutter;

    begin();
    rdl_order(t, "appender:buffer_length:return -> cutter:buffer_truncate,"
                 "[cutter ended] -> appender:buffer_copy");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    rdl_join(appender);
    rdl_join(cutter);
    rdl_check(appended);
}

RDL_SCHEDULE(wrong_stale_length_by_order)
{
    stale_length_by_order(t);
}

RDL_SCHEDULE(wrong_stale_length_by_order_free, .free_threads = true)
{
    stale_length_by_order(t);
}

static void all_orders(struct rdl_case *t)
{
    struct rdl_thread *appender, *cutter;

    begin();
    rdl_any_order(t, "appender:buffer_length", "appender:buffer_copy", "cutter:buffer_truncate");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    rdl_join(appender);
    rdl_join(cutter);
    rdl_label(t, "%s", appended ? target.length == 6 ? "all" : "part" : "nothing");
}

RDL_SCHEDULE(all_orders_of_three)
{
    all_orders(t);
}

RDL_SCHEDULE(all_orders_of_three_free, .free_threads = true)
{
    all_orders(t);
}

RDL_MAIN
