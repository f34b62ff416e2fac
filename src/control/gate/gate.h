/* gate.h -- gates, and what happens at places in the code; between the files of this folder.
 *
 * gate.c   gates themselves: who waits at them, and who is let through
 * place.c  hooks at places in the code, for the length of a case
 * hit.c    a thread has come there: who it is, and the variables
 * at.c     what it is to do there
 * order.c  what is to come before what, as text; order_file.c: as a file
 * alone.c  one thread at a time, from one place to another
 * bound.c  gates that stand in a file of gdb's breakpoints, which breakpoints.h reads
 * probe.c  which lines threads come to
 *
 * All that threads wait for here is looked at, and changed, under the lock of control/meet.h. */
#ifndef RDL__GATE_H
#define RDL__GATE_H

#include "control/meet.h"
#include "control/sched/inner.h"
#include "raddle/gates.h"

/* A thread that waits here, for who explains why it does. */
struct rdl__waiter {
    char thread[RDL__MEET_NAME];
    uintptr_t pc;                                               /* where it stands */
    void (*describe)(const void *what, char *out, size_t room); /* "gate done to be opened" */
    const void *what;
    const void *takes;       /* what it will have, which others come for, too; or NULL */
    bool (*ready)(void *it); /* may it go on?  Set by rdl__gate_await */
    void *it;
    struct rdl__waiter *next;
};

/* Wait, under the lock, as one of these; whatever it is for has changed. */
void rdl__gate_await(struct rdl_case *t, struct rdl__waiter *waiter, bool (*ready)(void *what),
                     void *what);
void rdl__gates_changed(void);

/* Does a thread of this name wait here? */
const struct rdl__waiter *rdl__gate_waiter(const char *thread);

/* A gate of its own, whatever others are called. */
struct rdl_gate *rdl__gate_new(struct rdl_case *t, const char *name);

/* The thread that calls comes to the gate, at this pc.  Has anybody, in this case? */
void rdl__gate_pass(struct rdl_gate *gate, uintptr_t pc);
bool rdl__gate_was_reached(const struct rdl_gate *gate);

/* If it happens in no case of a run, the test fails: it is not about what it says. */
void rdl__happens_in_one(struct rdl_case *t, const char *what, bool happens);

/* ---- Places: place.c ------------------------------------------------------------------------ */

struct rdl_hit {
    struct rdl_case *t;
    char thread[RDL__MEET_NAME];
    uintptr_t pc;
    const struct rdl__spot *spot;
    const struct rdl__stack_frame *frame; /* NULL: nobody wants to know of variables */
    struct rdl__registers *registers;
};

/* Call something, not yet under the lock, whenever a thread comes to the place.  One that is not
 * found, or where there can be no hook, ends the case in error. */
void rdl__at_each_hit(struct rdl_case *t, const char *place,
                      void (*come)(struct rdl_hit *hit, void *it), void *it, bool with_variables,
                      const char *file, int line);

/* The places of the lines of a function: as texts, and how many. */
enum { RDL__LINES_MAX = 300 };
uint32_t rdl__lines_of(struct rdl_case *t, const char *function, const char *lines[RDL__LINES_MAX],
                       const char *file, int line);

/* The same, but it says why not. */
bool rdl__at_each_hit_if(struct rdl_case *t, const char *place,
                         void (*come)(struct rdl_hit *hit, void *it), void *it, bool with_variables,
                         struct rdl__error *error);

/* Places are taken out of the code, until the next case. */
void rdl__places_end(void);

/* ---- Orders: order.c; one at a time: alone.c ------------------------------------------------ */

void rdl__orders_end(void);
void rdl__alone_end(void);

#endif
