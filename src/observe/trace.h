/* trace.h -- what happened in a case, in order.
 *
 * Written only while a case is being looked at (to report it, or to see whether
 * it does the same twice): an off trace costs one test.  It lies in memory that
 * the parent process shares, so what a crashed case did is known up to the
 * crash; a reader therefore trusts nothing in it.
 *
 * Any thread may add to it.  Controlled threads have their steps besides. */
#ifndef RDL__TRACE_H
#define RDL__TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/steps.h"

enum rdl__event_kind {
    RDL__EVENT_DRAW,  /* a value was drawn: what is the generator, text the value */
    RDL__EVENT_NOTE,  /* text */
    RDL__EVENT_BEGIN, /* a span of the user's: text is its label */
    RDL__EVENT_END,
    RDL__EVENT_CALL, /* of a spec: text is a line of its own, */
    RDL__EVENT_MORE, /* and this goes on with it */
};

/* One event, as written and as read. */
struct rdl__event {
    enum rdl__event_kind kind;
    const char *file; /* "" if not known */
    int line;
    const char *what; /* "" if there is nothing to say */
    const char *text;
    size_t text_length; /* text may hold any bytes; longer ones are cut */
    uint32_t from, to;  /* which choices it came from */
    uint64_t step;      /* after which step of controlled threads; 0: there was none yet */
    uint32_t thread;    /* and by which of them */
};

enum { RDL__TRACE_ROOM = 1 << 18 };

struct rdl__trace {
    bool on;
    int lock;
    uint32_t used;
    uint32_t lost; /* events that found no room */
    struct rdl__steps steps;
    char bytes[RDL__TRACE_ROOM];
};

void rdl__trace_start(struct rdl__trace *trace, bool on);
void rdl__trace_add(struct rdl__trace *trace, const struct rdl__event *event);

/* What there is, without what there is room for. */
void rdl__trace_copy(struct rdl__trace *to, const struct rdl__trace *from);

/* The event at *position, which moves on; false at the end. */
bool rdl__trace_next(const struct rdl__trace *trace, uint32_t *position, struct rdl__event *out);

#endif
