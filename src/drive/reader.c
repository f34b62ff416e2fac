/* reader.c -- the thread that reads from descriptors while a stream runs. */
#include "drive/reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "raddle/threads.h"

struct rdl__reader {
    struct rdl__ports *ports;
    struct rdl__source *first;
    struct pollfd *polled; /* the first is stop */
    size_t count;
    int stop;
    struct rdl_thread *thread; /* NULL: it does not run */
    bool is_controlled;
};

/* ---- The thread ----------------------------------------------------------------------------- */

static nfds_t list_polled(struct rdl__reader *reader)
{
    nfds_t count = 0;

    reader->polled[count++] = (struct pollfd){.fd = reader->stop, .events = POLLIN};
    for (struct rdl__source *source = reader->first; source; source = source->next)
        reader->polled[count++] = (struct pollfd){.fd = source->fd, .events = POLLIN};
    return count;
}

/* Whether one is ready is decided for all of them before any of them is read. */
static void serve(struct rdl__reader *reader)
{
    size_t i = 1;

    for (struct rdl__source *source = reader->first; source; source = source->next)
        source->is_ready = reader->polled[i++].revents != 0;
    for (struct rdl__source *source = reader->first; source; source = source->next)
        if (source->is_ready && !(source->after && source->after->is_ready))
            source->ready(source);
}

static void run_reader(void *it)
{
    struct rdl__reader *reader = it;

    for (struct rdl__source *source = reader->first; source; source = source->next)
        if (source->resume)
            source->resume(source);
    for (;;) {
        nfds_t count = list_polled(reader);

        if (poll(reader->polled, count, -1) <= 0)
            continue;
        if (reader->polled[0].revents)
            return;
        serve(reader);
    }
}

/* ---- From outside --------------------------------------------------------------------------- */

void rdl__reader_start(struct rdl__reader *reader)
{
    if (!reader || reader->thread || !reader->first)
        return;
    reader->polled = rdl__reallocate(reader->polled, (reader->count + 1) * sizeof *reader->polled);
    reader->is_controlled = rdl__self();
    reader->thread = rdl_spawn(reader->ports->t, "reader", run_reader, reader);
}

static void join_reader(struct rdl__reader *reader)
{
    uint64_t number = 1;

    rdl__ports_want_no_more(reader->ports, true);
    (void)!write(reader->stop, &number, sizeof number);
    rdl_join(reader->thread);
    (void)!read(reader->stop, &number, sizeof number);
    rdl__ports_want_no_more(reader->ports, false);
}

/* A controlled thread is gone once the execution is over. */
void rdl__reader_stop(struct rdl__reader *reader)
{
    if (!reader || !reader->thread)
        return;
    if (!reader->is_controlled || rdl__self())
        join_reader(reader);
    reader->thread = NULL;
}

int rdl__reader_stopping(const struct rdl__reader *reader)
{
    return reader->stop;
}

void rdl__reader_add(struct rdl__reader *reader, struct rdl__source *source)
{
    bool ran = reader->thread;

    rdl__reader_stop(reader);
    source->next = reader->first;
    reader->first = source;
    reader->count++;
    if (ran)
        rdl__reader_start(reader);
}

static void free_reader(void *it)
{
    struct rdl__reader *reader = it;

    rdl__reader_stop(reader);
    close(reader->stop);
    reader->ports->reader = NULL;
    free(reader->polled);
    free(reader);
}

struct rdl__reader *rdl__reader_of(struct rdl_case *t)
{
    struct rdl__ports *ports = rdl__ports_of(t);
    struct rdl__reader *reader = ports->reader;

    if (reader)
        return reader;
    reader = rdl__allocate(sizeof *reader);
    reader->ports = ports;
    reader->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (reader->stop < 0) {
        free(reader);
        rdl__misuse(t, "cannot make an eventfd to be woken by: %s", strerror(errno));
    }
    ports->reader = reader;
    rdl__defer(t, free_reader, reader);
    return reader;
}
