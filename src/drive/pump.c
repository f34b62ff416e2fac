/* pump.c -- the thread that reads from descriptors while a stream runs. */
#include "drive/pump.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "raddle/threads.h"

struct rdl__pump {
    struct rdl__ports *ports;
    struct rdl__source *first;
    struct pollfd *polled; /* the first is stop */
    size_t count;
    int stop;
    struct rdl_thread *thread; /* NULL: it does not run */
    bool is_controlled;
};

/* ---- The thread ----------------------------------------------------------------------------- */

static nfds_t list_polled(struct rdl__pump *pump)
{
    nfds_t count = 0;

    pump->polled[count++] = (struct pollfd){.fd = pump->stop, .events = POLLIN};
    for (struct rdl__source *source = pump->first; source; source = source->next)
        pump->polled[count++] = (struct pollfd){.fd = source->fd, .events = POLLIN};
    return count;
}

/* Whether one is ready is decided for all of them before any of them is read. */
static void serve(struct rdl__pump *pump)
{
    size_t i = 1;

    for (struct rdl__source *source = pump->first; source; source = source->next)
        source->is_ready = pump->polled[i++].revents != 0;
    for (struct rdl__source *source = pump->first; source; source = source->next)
        if (source->is_ready && !(source->after && source->after->is_ready))
            source->ready(source);
}

static void run_pump(void *it)
{
    struct rdl__pump *pump = it;

    for (struct rdl__source *source = pump->first; source; source = source->next)
        if (source->resume)
            source->resume(source);
    for (;;) {
        nfds_t count = list_polled(pump);

        if (poll(pump->polled, count, -1) <= 0)
            continue;
        if (pump->polled[0].revents)
            return;
        serve(pump);
    }
}

/* ---- From outside --------------------------------------------------------------------------- */

void rdl__pump_start(struct rdl__pump *pump)
{
    if (!pump || pump->thread || !pump->first)
        return;
    pump->polled = rdl__reallocate(pump->polled, (pump->count + 1) * sizeof *pump->polled);
    pump->is_controlled = rdl__self();
    pump->thread = rdl_spawn(pump->ports->t, "pump", run_pump, pump);
}

static void join_pump(struct rdl__pump *pump)
{
    uint64_t number = 1;

    rdl__ports_want_no_more(pump->ports, true);
    (void)!write(pump->stop, &number, sizeof number);
    rdl_join(pump->thread);
    (void)!read(pump->stop, &number, sizeof number);
    rdl__ports_want_no_more(pump->ports, false);
}

/* A controlled thread is gone once the execution is over. */
void rdl__pump_stop(struct rdl__pump *pump)
{
    if (!pump || !pump->thread)
        return;
    if (!pump->is_controlled || rdl__self())
        join_pump(pump);
    pump->thread = NULL;
}

int rdl__pump_stopping(const struct rdl__pump *pump)
{
    return pump->stop;
}

void rdl__pump_add(struct rdl__pump *pump, struct rdl__source *source)
{
    bool ran = pump->thread;

    rdl__pump_stop(pump);
    source->next = pump->first;
    pump->first = source;
    pump->count++;
    if (ran)
        rdl__pump_start(pump);
}

static void free_pump(void *it)
{
    struct rdl__pump *pump = it;

    rdl__pump_stop(pump);
    close(pump->stop);
    pump->ports->pump = NULL;
    free(pump->polled);
    free(pump);
}

struct rdl__pump *rdl__pump_of(struct rdl_case *t)
{
    struct rdl__ports *ports = rdl__ports_of(t);
    struct rdl__pump *pump = ports->pump;

    if (pump)
        return pump;
    pump = rdl__allocate(sizeof *pump);
    pump->ports = ports;
    pump->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pump->stop < 0) {
        free(pump);
        rdl__misuse(t, "cannot make an eventfd: %s", strerror(errno));
    }
    ports->pump = pump;
    rdl_defer(t, free_pump, pump);
    return pump;
}
