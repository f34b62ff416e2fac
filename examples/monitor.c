/* monitor.c -- many may read at a time, or one may write; under every schedule.
 *
 * A monitor is a mutex, two conditions, and counters of who is in and who waits.
 * A writer that waits goes before readers that come after it, so that there may
 * always be readers and still be writers.
 *
 * Threads are controlled: Raddle decides who runs next.  What they share they share
 * under the lock, so the orders of their calls are all that matters, and all are
 * tried.  That a thread waits is known, not guessed from its being late: see
 * rdl_until_quiet.
 *
 * monitor_broken_end_write wakes a single reader where several may wait. */
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>

/* Compile with -DPLANTED=false to be told of the bug as if nobody knew of it. */
#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ----------------------------------------------------- */

struct monitor {
    pthread_mutex_t lock;
    pthread_cond_t may_read, may_write;
    int reading, writing; /* threads that do */
    int writers_waiting;
};

static void monitor_init(struct monitor *m)
{
    *m = (struct monitor){.reading = 0};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->may_read, NULL);
    pthread_cond_init(&m->may_write, NULL);
}

static void monitor_begin_read(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    while (m->writing || m->writers_waiting)
        pthread_cond_wait(&m->may_read, &m->lock);
    m->reading++;
    pthread_mutex_unlock(&m->lock);
}

static void monitor_end_read(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    if (--m->reading == 0)
        pthread_cond_signal(&m->may_write);
    pthread_mutex_unlock(&m->lock);
}

static void monitor_begin_write(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    m->writers_waiting++;
    while (m->reading || m->writing)
        pthread_cond_wait(&m->may_write, &m->lock);
    m->writers_waiting--;
    m->writing++;
    pthread_mutex_unlock(&m->lock);
}

typedef void end_write_function(struct monitor *m);

static void monitor_end_write(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    m->writing--;
    if (m->writers_waiting)
        pthread_cond_signal(&m->may_write);
    else
        pthread_cond_broadcast(&m->may_read);
    pthread_mutex_unlock(&m->lock);
}

static void monitor_broken_end_write(struct monitor *m)
{
    pthread_mutex_lock(&m->lock);
    m->writing--;
    if (m->writers_waiting)
        pthread_cond_signal(&m->may_write);
    else
        pthread_cond_signal(&m->may_read);
    pthread_mutex_unlock(&m->lock);
}

/* ---- Who is in together --------------------------------------------------------- */

struct library {
    struct monitor monitor;
    end_write_function *end_write;
    atomic_int readers, writers; /* as they see it themselves */
    atomic_bool shared;          /* two readers were in */
};

static void read_once(void *it)
{
    struct library *library = it;

    monitor_begin_read(&library->monitor);
    if (++library->readers == 2)
        library->shared = true;
    rdl_yield(); /* whoever may come in now, does so in some schedule */
    rdl_check_eq(library->writers, 0);
    library->readers--;
    monitor_end_read(&library->monitor);
}

static void write_once(void *it)
{
    struct library *library = it;

    monitor_begin_write(&library->monitor);
    library->writers++;
    rdl_yield();
    rdl_check_eq(library->writers, 1);
    rdl_check_eq(library->readers, 0);
    library->writers--;
    library->end_write(&library->monitor);
}

static struct library *new_library(struct rdl_case *t, end_write_function *end_write)
{
    struct library *library = rdl_new(t, struct library);

    monitor_init(&library->monitor);
    library->end_write = end_write;
    return library;
}

static void keeps_apart(struct rdl_case *t, end_write_function *end_write)
{
    struct library *library = new_library(t, end_write);
    struct rdl_thread *ann = rdl_spawn(t, "ann", read_once, library);
    struct rdl_thread *ben = rdl_spawn(t, "ben", read_once, library);

    write_once(library);
    rdl_join(ann);
    rdl_join(ben);
    rdl_reachable(library->shared);
}

RDL_EXPLORE(a_writer_is_alone_and_readers_need_not_be, .strategy = "calls")
{
    keeps_apart(t, monitor_end_write);
}

RDL_EXPLORE(broken_a_reader_waits_for_ever, .strategy = "calls", .expect_failure = PLANTED)
{
    keeps_apart(t, monitor_broken_end_write);
}

/* ---- Who goes first -------------------------------------------------------------- */

RDL_EXPLORE(a_waiting_writer_goes_before_new_readers, .strategy = "calls")
{
    struct library *library = new_library(t, monitor_end_write);
    struct rdl_thread *writer, *reader;

    monitor_begin_read(&library->monitor);
    writer = rdl_spawn(t, "writer", write_once, library);
    rdl_check_eq(rdl_until_quiet(t), 1);
    rdl_check(rdl_is_blocked(writer));
    reader = rdl_spawn(t, "reader", read_once, library);
    rdl_check_eq(rdl_until_quiet(t), 2);
    rdl_check(rdl_is_blocked(reader));
    monitor_end_read(&library->monitor);
    rdl_join(writer);
    rdl_join(reader);
}

RDL_MAIN
