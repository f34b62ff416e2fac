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

    /* What can be drawn (check/timeline.h), besides the steps of threads.  It is no part of the
     * story, which tells the same in words. */
    RDL__EVENT_LANE,  /* there is a lane `id`: what is its kind, text its name */
    RDL__EVENT_SINCE, /* in a lane, something begins that lasts: number `id`, of the kind `what` */
    RDL__EVENT_UNTIL, /* it ends; text: how */
    RDL__EVENT_POINT, /* in a lane, something happens at once */
    RDL__EVENT_STATE, /* of the model, at what has number `id`; what: "before", "after", ... */
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
    uint32_t id;        /* of what can be drawn: see above */
    uint32_t lane;      /* where; 0: in that of the thread */
    uint32_t other;     /* the lane that it leads to; 0: none */
};

enum { RDL__TRACE_ROOM = 1 << 22, RDL__TRACE_LANES = 256 };

struct rdl__trace {
    bool on;
    int lock;
    uint32_t used;
    uint32_t lost;    /* events that found no room */
    uint32_t last_id; /* of what can be drawn */
    uint32_t lanes[RDL__TRACE_LANES];
    uint32_t lane_count; /* that have been told of */
    struct rdl__steps steps;
    char bytes[RDL__TRACE_ROOM];
};

void rdl__trace_start(struct rdl__trace *trace, bool on);
void rdl__trace_add(struct rdl__trace *trace, const struct rdl__event *event);

/* A note among the steps of a thread that is drawn as well, as something else: as `what`. */
void rdl__trace_note(struct rdl__trace *trace, const char *what, const char *text);

/* What such a note is of: a call that was let run, "getpid() -> 7".  What the world returns may be
 * something else the next time. */
#define RDL__LET_RUN "let run"

/* ---- What can be drawn; nothing happens unless the trace is on. ----------------------
 *
 * A lane is where it is drawn: for a "client" (which is the thread that says so, if it is a
 * controlled one), a "component", a "port" or whoever decides, the "test".  0 is the lane of the
 * thread. */
uint32_t rdl__trace_lane(struct rdl__trace *trace, const char *kind, const char *name);

/* Something of this kind ("call", "phase", "wait") begins in a lane.  Its number; 0: the trace is
 * off. */
uint32_t rdl__trace_since(struct rdl__trace *trace, const char *kind, uint32_t lane,
                          const char *title);

/* A call that somebody in the lane `from` makes, to the lane `to`. */
uint32_t rdl__trace_call_between(struct rdl__trace *trace, uint32_t from, uint32_t to,
                                 const char *title);
void rdl__trace_until(struct rdl__trace *trace, uint32_t id, const char *how);

/* Of a kind such as "gate", "tick" or "message"; the latter leads from lane to lane. */
uint32_t rdl__trace_point(struct rdl__trace *trace, const char *kind, uint32_t lane, uint32_t other,
                          const char *title, const char *detail);
void rdl__trace_state(struct rdl__trace *trace, uint32_t id, const char *which, const char *state);

/* What there is, without what there is room for. */
void rdl__trace_copy(struct rdl__trace *to, const struct rdl__trace *from);

/* The event at *position, which moves on; false at the end. */
bool rdl__trace_next(const struct rdl__trace *trace, uint32_t *position, struct rdl__event *out);

#endif
