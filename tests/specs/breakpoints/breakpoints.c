/* breakpoints.c -- tests whose gates stand in files of gdb's breakpoints, for test_breakpoints.
 * Those whose names begin with wrong_ are to fail. */
#include <pthread.h>
#include <raddle.h>
#include <string.h>

/* ---- A buffer that is cut while it is appended to another ----------------------------------- */

enum mode { EMPTY, SHORT, FULL };

struct buffer {
    pthread_mutex_t lock;
    char bytes[32];
    int length;
    enum mode mode;
    const char *name;
};

static struct buffer source, target;
static bool appended;

static int buffer_length(struct buffer *buffer)
{
    int length;

    pthread_mutex_lock(&buffer->lock);
    length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

static int __attribute__((noinline)) buffer_copy(struct buffer *buffer, char *out, int count)
{
    int copied;

    pthread_mutex_lock(&buffer->lock);
    copied = count <= buffer->length ? count : -1;
    for (int i = 0; i < copied; i++)
        out[i] = buffer->bytes[i];
    pthread_mutex_unlock(&buffer->lock);
    return copied;
}

static void __attribute__((noinline)) buffer_truncate(struct buffer *buffer, int length)
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

/* Nothing here says in which order: the file does. */
static void append_and_cut(struct rdl_case *t)
{
    struct rdl_thread *appender, *cutter;

    source = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER,
                             .bytes = "abcdef",
                             .length = 6,
                             .mode = SHORT,
                             .name = "source"};
    target = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER, .name = "target"};
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    appender = rdl_spawn(t, "appender", append_all, NULL);
    rdl_join(appender);
    rdl_join(cutter);
    rdl_check(appended);
}

RDL_SCHEDULE(wrong_stale_length)
{
    append_and_cut(t);
}

RDL_SCHEDULE(wrong_stale_length_free, .free_threads = true)
{
    rdl_gates_from(t, "wrong_stale_length.gdb");
    append_and_cut(t);
}

/* As gdb's `save breakpoints` wrote it. */
RDL_SCHEDULE(wrong_saved_by_gdb)
{
    append_and_cut(t);
}

/* Without a file of its own; which one it gets is said with --gates. */
RDL_SCHEDULE(plain)
{
    append_and_cut(t);
}

RDL_SCHEDULE(plain_free, .free_threads = true)
{
    append_and_cut(t);
}

RDL_SCHEDULE(wrong_no_file)
{
    rdl_gates_from(t, "nowhere.gdb");
    append_and_cut(t);
}

/* The test itself opens the gate that a breakpoint without commands is. */
RDL_SCHEDULE(a_breakpoint_is_a_gate)
{
    struct rdl_gate *gate = rdl_gate(t, "breakpoints.c:buffer_truncate");
    struct rdl_thread *cutter;

    source = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER, .length = 6};
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    rdl_gate_reached(gate);
    rdl_check_eq(source.length, 6);
    rdl_gate_open(gate);
    rdl_join(cutter);
    rdl_check_eq(source.length, 3);
}

/* ---- What else a file can do --------------------------------------------------------------- */

static int counted;

static void __attribute__((noinline)) step(int i)
{
    __asm__ volatile("" : : "r"(i));
    counted += i;
}

/* Its file sets what is counted: by a condition, once, and from the second time on. */
RDL_PROPERTY(conditions_are_counted, .cases = 50)
{
    counted = 0;
    for (int i = 0; i < 10; i++)
        step(i);
    rdl_check_eq(counted, 45 + 100 + 1 + 5 * 1000);
}

RDL_SCHEDULE(the_clock_is_awaited)
{
    step(1);
    rdl_check_eq(rdl_clock(t), 4); /* 3 is awaited, and there is a tick */
}

RDL_MAIN
