/* correct: Courtois, Heymans and Parnas, "Concurrent control with readers and writers" (1971).
 *
 * Their second problem, in which writers go first, and their solution of it. */
#include <semaphore.h>
#include <stdlib.h>

#include "readers_writers.h"

struct rw {
    sem_t counting_readers, counting_writers;
    sem_t no_writer;  /* taken by the first writer that comes, for readers to wait at */
    sem_t one_reader; /* so that one reader waits there, and no writer behind many */
    sem_t writing;    /* taken by the writer, or by the first reader for all of them */
    int readers, writers;
};

rw *rw_create(void)
{
    rw *r = calloc(1, sizeof *r);

    sem_init(&r->counting_readers, 0, 1);
    sem_init(&r->counting_writers, 0, 1);
    sem_init(&r->no_writer, 0, 1);
    sem_init(&r->one_reader, 0, 1);
    sem_init(&r->writing, 0, 1);
    return r;
}

void rw_before_read(rw *r)
{
    sem_wait(&r->one_reader);
    sem_wait(&r->no_writer);
    sem_wait(&r->counting_readers);
    if (++r->readers == 1)
        sem_wait(&r->writing);
    sem_post(&r->counting_readers);
    sem_post(&r->no_writer);
    sem_post(&r->one_reader);
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
    sem_wait(&r->counting_writers);
    if (++r->writers == 1)
        sem_wait(&r->no_writer);
    sem_post(&r->counting_writers);
    sem_wait(&r->writing);
}

void rw_after_write(rw *r)
{
    sem_post(&r->writing);
    sem_wait(&r->counting_writers);
    if (--r->writers == 0)
        sem_post(&r->no_writer);
    sem_post(&r->counting_writers);
}

void rw_destroy(rw *r)
{
    sem_destroy(&r->writing);
    sem_destroy(&r->one_reader);
    sem_destroy(&r->no_writer);
    sem_destroy(&r->counting_writers);
    sem_destroy(&r->counting_readers);
    free(r);
}
