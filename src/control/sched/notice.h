/* notice.h -- threads that the C library would start to tell of something: SIGEV_THREAD.
 *
 * The C library has a thread of its own that waits for timers or messages, and starts
 * another one for each notice.  So do we: the first is a service, a controlled thread
 * that nobody waits for and that is part of no deadlock; the second is a detached
 * thread like any of the program's. */
#ifndef RDL__NOTICE_H
#define RDL__NOTICE_H

#include <signal.h>

#include "control/sched/sched.h"

struct rdl__notice {
    void (*function)(union sigval value);
    union sigval value;
    size_t stack;     /* bytes that it needs at least; 0: as usual */
    uintptr_t source; /* who gives it, as an object: what was released to it comes before */
    uintptr_t also;   /* a second one; 0: none */
    uintptr_t pc;     /* where the program asked for it */
    const char *name; /* of the thread */
};

/* What the program asked for, by this call. */
struct rdl__notice rdl__notice_of(const struct sigevent *event, const char *name, uintptr_t pc);

/* An error number. */
int rdl__notice_give(struct rdl__thread *self, const struct rdl__notice *notice);

/* How many threads of this source have not ended. */
uint32_t rdl__notices_under_way(uintptr_t source);

/* A service; NULL: there is no room for one more thread.  It begins with rdl__service_begin. */
struct rdl__thread *rdl__service_new(struct rdl__thread *self, const char *name,
                                     void *(*run)(void *unused), uintptr_t pc);
struct rdl__thread *rdl__service_begin(void);

#endif
