/* inner.h -- between the files of the scheduler. */
#ifndef RDL__INNER_H
#define RDL__INNER_H

#include <stdatomic.h>

#include "control/sched/callers.h"
#include "control/sched/openmp.h"
#include "control/sched/sched.h"
#include "port/lines.h"
#include "port/thunk.h"

/* seen.c: is it code of Raddle's, by a return address into it? */
bool rdl__is_own(uintptr_t pc);

/* Where OpenMP's library comes to something, the program has called that, or made it start the
 * thread; where we let a mocked function run, who has called it; and where a function of ours does
 * a system call, who has made that. */
static inline uintptr_t rdl__blamed(const struct rdl__thread *thread, uintptr_t pc)
{
    pc = rdl__thunk_caller(pc);
    if (__builtin_expect(thread->by_number != 0, 0) && rdl__is_own(pc))
        return thread->by_number;
    if (rdl__is_openmp(pc))
        return thread->openmp_from  ? thread->openmp_from
               : thread->created_at ? thread->created_at
                                    : pc;
    if (__builtin_expect(!rdl__is_entry(pc), 1))
        return pc;
    return thread->entry ? thread->entry | RDL__TAIL_OF : pc;
}

/* sched.c */
void rdl__look_again(struct rdl__thread *thread);      /* it may be ready now, or not any more */
void rdl__interrupt(struct rdl__thread *thread);       /* end its wait, if it can be */
void rdl__wake_for_signal(struct rdl__thread *thread); /* whatever it waits for */
void rdl__time_passed(void);                           /* rdl__sched.now has moved */
void rdl__clocks_prepare(void);                        /* time.c: once, before executions */
struct rdl__thread *rdl__slot_new(uint32_t creator);   /* NULL: too many threads */
void rdl__thread_begin(struct rdl__thread *thread, struct rdl__donor *donor, uintptr_t pc);
void rdl__created(struct rdl__thread *self, uintptr_t pc); /* self has created another */
void rdl__thread_gone(struct rdl__thread *self);           /* ended: give way for ever */
_Noreturn void rdl__execution_leave(struct rdl_case *t);

/* thread.c */
void rdl__thread_live(struct rdl__thread *self); /* from start routine to destructors */
_Noreturn void rdl__thread_vanish(void);         /* it is discarded: called on its own stack */
void rdl__with_exit(void (*function)(void *context), void *context); /* pthread_exit ends it */
void rdl__test_async_cancel(struct rdl__thread *self);
/* Threads that the program has started without being controlled, and not joined. */
extern atomic_int rdl__free_threads;

void rdl__look_for_end(struct rdl__thread *self, const struct rdl__thread *thread, uintptr_t pc);
void rdl__own_stack(uintptr_t *out_low, uintptr_t *out_high); /* of the process itself */

/* chance.c */
bool rdl__sleeps_eagerly(uint64_t until); /* a sleep that may end at any time */

/* log.c */
void rdl__hash_operation(const struct rdl__thread *self, unsigned kind); /* UINT8_MAX: a switch */
void rdl__log(const struct rdl__thread *self, const struct rdl__op *op);
void rdl__log_answer(const struct rdl__thread *self, const struct rdl__op *op, uint32_t answer,
                     uint32_t max);
void rdl__log_pending(void); /* what those stand before who will not come to their end */

/* record.c: while the case is traced */
void rdl__trace_operation(const struct rdl__thread *self, const struct rdl__op *op);
void rdl__trace_standstill(void); /* the running thread waits, and nobody can run */
void rdl__trace_quiet(void);      /* all others wait */
/* 1 + the number of the thread on whose stack this lies; 0: on none. */
uint16_t rdl__stack_owner(uintptr_t object);

/* exit.c: the process ends now, if it is one execution and a controlled thread calls */
void rdl__process_ends(uintptr_t pc);
void rdl__handler_registered(const struct rdl__thread *self); /* to be run by exit() */
void rdl__streams_end(void);                                  /* before that, by exit() */

/* bound.c: an execution of more points than these is endless; unless the first one is given time
 * to come to its end. */
void rdl__bound_begin(uint64_t points, uint64_t patience_ns);
uint64_t rdl__bound_least(void); /* points after which it was to end */
void rdl__bound_met(void);       /* it has more than sched->points_max now */
/* A stretch begins.  Is the tape to be spared? */
bool rdl__bound_look(const struct rdl__tape *tape);

/* verdict.c */
_Noreturn void rdl__nobody_can_run(void);
_Noreturn void rdl__endless(void);
void rdl__names_reset(void);

/* title.c: it has been started by this thread, or is main (NULL). */
void rdl__title_begin(struct rdl__thread *thread, const struct rdl__thread *creator);
void rdl__thread_born(struct rdl__thread *thread, const char *name); /* NULL: it has none */
void rdl__thread_rename(struct rdl__thread *thread, const char *name);

/* wait.c: is something ready that comes from outside?  If so its waiters have been
 * looked at again. */
bool rdl__outside_is_ready(void);
/* What the thread awaits that comes from outside: "input from pipe 1", say. */
void rdl__describe_wait(const struct rdl__thread *thread, char *out, size_t room);

/* Are there threads of this process that are not controlled?  They may do anything. */
bool rdl__has_strangers(void);

/* timer.c: things that happen at a time.  When the next one is due, and do it. */
extern uint64_t rdl__timer_next;
void rdl__timers_run(void);

/* cond.c: has the condition been signalled while nobody waited, and not since?  NULL: no. */
struct rdl__vain_signal {
    uintptr_t condition;
    uintptr_t pc;
    char by[48];
};
const struct rdl__vain_signal *rdl__signalled_in_vain(uintptr_t condition);
void rdl__conds_begin(void);

/* signal.c */
void rdl__signals_begin(struct rdl__thread *first);
void rdl__signals_end(void);
void rdl__signals_switch(struct rdl__thread *from, struct rdl__thread *to);
void rdl__handle_signals(struct rdl__thread *self);         /* those pending for it */
bool rdl__has_signal(const struct rdl__thread *self);       /* whose handler is to run */
bool rdl__has_interruption(const struct rdl__thread *self); /* a signal, or cancellation */

/* credit.c */
enum { RDL__STRETCH_MAX = INT32_MAX };
void rdl__credit_give(const struct rdl__thread *self);

/* sched.c */
void rdl__first_turn(void); /* the first thread can go, and does */

/* libc_locks.c */
void rdl__streams_abandon(const struct rdl__thread *thread);

/* loader.c: a constructor has come to this, and others could not run before it */
void rdl__not_interrupted(const struct rdl__op *op);

/* order.c */
void rdl__hb_begin(struct rdl__thread *first);
void rdl__hb_begin_late(void); /* there is code now that tells of its accesses */

/* spin.c */
extern uint32_t rdl__spinners; /* threads that go round until they see a value change */
void rdl__spin_recheck(void);  /* has one changed? */
bool rdl__spin_doubt(void);    /* nobody can run: let those go round again that have not yet */
bool rdl__spinning(const struct rdl__thread *thread);
void rdl__spin_operation(struct rdl__thread *self, const struct rdl__op *op);

/* access.c: some code of this process is instrumented */
extern bool rdl__instrumented;

#endif
