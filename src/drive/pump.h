/* pump.h -- the thread that reads from descriptors while a stream runs.
 *
 * There is one for all of a case.  Sources are added by the thread of the test; the pump calls
 * them when there is something to be read.  Whatever undoes a source stops the pump first; it
 * is started again with the next stream. */
#ifndef RDL__PUMP_H
#define RDL__PUMP_H

#include "drive/ports.h"

struct rdl__source {
    int fd; /* -1: nothing to read, now or any more */
    void (*ready)(struct rdl__source *source);
    void (*resume)(struct rdl__source *source); /* the pump begins anew; may be NULL */
    struct rdl__source *after; /* not while there is something to read there; may be NULL */
    struct rdl__source *next;
    bool is_ready;
};

struct rdl__pump *rdl__pump_of(struct rdl_case *t);
void rdl__pump_add(struct rdl__pump *pump, struct rdl__source *source);

/* Both may be told what is so already, and of no pump at all. */
void rdl__pump_start(struct rdl__pump *pump);
void rdl__pump_stop(struct rdl__pump *pump);

/* A descriptor that can be read once the pump is to stop. */
int rdl__pump_stopping(const struct rdl__pump *pump);

#endif
