/* broken: bad-sched: solves another problem than the one that was set.
 *
 * Courtois, Heymans and Parnas (1971) have two: in the first, which this is, readers
 * never wait for a writer that waits itself. */
#include <semaphore.h>
#include <stdlib.h>

#include "readers_writers.h"

struct rw {
    sem_t counting_readers;
    sem_t writing; /* taken by the writer, or by the first reader for all of them */
    int readers;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    sem_init(&r->counting_readers, 0, 1);
    sem_init(&r->writing, 0, 1);
    return r;
}

void rw_before_read(rw *r)
{
    sem_wait(&r->counting_readers);
    if (++r->readers == 1)
        sem_wait(&r->writing);
    sem_post(&r->counting_readers);
}

void rw_after_read(rw *r)
{
    sem_wait(&r->counting_readers);
    if (--r->readers == 0)
        sem_post(&r->writing);
    sem_post(&r->counting_readers);
}

void rw_before_write(rw *r)
{
    sem_wait(&r->writing);
}

void rw_after_write(rw *r)
{
    sem_post(&r->writing);
}

void rw_destroy(rw *r)
{
    sem_destroy(&r->writing);
    sem_destroy(&r->counting_readers);
    free(r);
}
