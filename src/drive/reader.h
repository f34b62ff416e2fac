/* reader.h -- the thread that reads from descriptors while a stream runs.
 *
 * There is one for all of a case.  Sources are added by the thread of the test; the reader calls
 * them when there is something to be read.  Whatever undoes a source stops the reader first; it
 * is started again with the next stream. */
#ifndef RDL__READER_H
#define RDL__READER_H

#include "drive/ports.h"

struct rdl__source {
    int fd; /* -1: nothing to read, now or any more */
    void (*ready)(struct rdl__source *source);
    void (*resume)(struct rdl__source *source); /* the reader begins anew; may be NULL */
    struct rdl__source *after; /* not while there is something to read there; may be NULL */
    struct rdl__source *next;
    bool is_ready;
};

struct rdl__reader *rdl__reader_of(struct rdl_case *t);
void rdl__reader_add(struct rdl__reader *reader, struct rdl__source *source);

/* Both may be told what is so already, and of no reader at all. */
void rdl__reader_start(struct rdl__reader *reader);
void rdl__reader_stop(struct rdl__reader *reader);

/* A descriptor that can be read once the reader is to stop. */
int rdl__reader_stopping(const struct rdl__reader *reader);

#endif
