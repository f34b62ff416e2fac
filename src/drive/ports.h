/* ports.h -- the ports of a case, and the events that wait at them to be taken.
 *
 * Events come from any thread, and are kept in the order in which they came.  Controlled threads
 * run one at a time, so nothing needs a lock there; where threads run freely, there is one. */
#ifndef RDL__PORTS_H
#define RDL__PORTS_H

#include <pthread.h>

#include "case/case.h"
#include "control/sched/sched.h"
#include "raddle/streams.h"

struct rdl__queued {
    struct rdl__queued *next;
    const struct rdl_frame *frame; /* as which it has come, if it has */
    struct rdl__asker *asker;      /* of a request, or an answer: whose; NULL: nobody's */
    uint32_t drawn; /* in the picture, when it was emitted; 0: that is when it is judged */
    struct rdl_event event;
    _Alignas(16) char bytes[];
};

/* Somebody who waits for an answer. */
struct rdl__asker {
    struct rdl__asker *next;
    const struct rdl_event_type *type;
    void *out;
    bool answered;
};

struct rdl__port {
    struct rdl__ports *ports;
    struct rdl_port *port;
    struct rdl_ends ends;
    struct rdl__asker *askers; /* whose requests have gone out, in that order */
    struct rdl__port *next;
};

struct rdl__stream;

struct rdl__ports {
    struct rdl_case *t;
    struct rdl__port *first;
    struct rdl__queued *head, *tail;
    size_t queued, queued_bytes; /* how much that is */
    bool no_more;                /* nobody is to wait until there is room */
    pthread_mutex_t lock;
    pthread_cond_t came;
    struct rdl__stream *stream; /* that takes events at present, */
    uintptr_t pc;               /* for who called here, */
    jmp_buf recover;            /* and goes on here if the component fails in its thread */
    struct rdl__reader *reader; /* NULL: there are no descriptors */
};

/* Those of the case; made when they are first needed. */
struct rdl__ports *rdl__ports_of(struct rdl_case *t);

struct rdl__queued *rdl__queued_new(const struct rdl_event *event);
struct rdl__queued *rdl__queued_framed(const struct rdl_event *event,
                                       const struct rdl_frame *frame);

/* As rdl_post, which was called here. */
void rdl__ports_post(struct rdl__ports *ports, struct rdl__queued *queued, uintptr_t pc);

/* The next event, to be freed; NULL: there is none.  And back to the beginning, or to after
 * another. */
struct rdl__queued *rdl__ports_take(struct rdl__ports *ports);
void rdl__ports_put_back(struct rdl__ports *ports, struct rdl__queued *queued);
void rdl__ports_put_after(struct rdl__ports *ports, struct rdl__queued *other,
                          struct rdl__queued *queued);

/* Is there one? */
bool rdl__ports_have(void *ports);

/* Wait until not so many events wait to be taken; false: it is not worth waiting any more,
 * which the other function says. */
bool rdl__ports_await_room(struct rdl__ports *ports);
void rdl__ports_want_no_more(struct rdl__ports *ports, bool no_more);

/* Wait for one until a time; or, if that is asked for, until it is quiet. */
enum rdl__came { RDL__CAME, RDL__QUIET, RDL__LATE };
enum rdl__came rdl__ports_wait(struct rdl__ports *ports, bool or_quiet, uint64_t until);

/* What time it is, virtual or real. */
uint64_t rdl__ports_now(void);

/* Can anything still come, now that it is quiet? */
bool rdl__ports_are_hopeful(void);

/* Give it to whom it is for. */
void rdl__ports_deliver(struct rdl__ports *ports, const struct rdl__queued *queued);

/* Faults of controlled threads are to be events from now on; NULL: no more. */
void rdl__faults_ask(struct rdl__ports *ports);

/* Take one event, or do something, or wait: until that is possible no more, in which case the
 * case has failed.  For who asks in the thread that should answer. */
void rdl__stream_go_on(struct rdl__stream *stream);
bool rdl__stream_is_mine(const struct rdl__stream *stream);
bool rdl__stream_is_over(const struct rdl__stream *stream);

/* Nobody will answer any more. */
_Noreturn void rdl__stream_unanswered(struct rdl__stream *stream);

/* When it has to have gone on.  If it has not by then, since an event cannot be given to whom
 * it is for, the second fails; unless there is another time until which it may. */
uint64_t rdl__stream_until(const struct rdl__stream *stream);
void rdl__stream_stuck(struct rdl__stream *stream, const struct rdl_event *event, const char *why);

#endif
