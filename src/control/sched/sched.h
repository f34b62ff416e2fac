/* sched.h -- controlled threads: one runs at a time, and we say which.
 *
 * Threads of the code under test are fibers on one OS thread, the carrier.  Each
 * has a stack and thread-local variables of its own, lent by a real thread that
 * is parked (donor.h).  Functions that threads meet in (pthread_mutex_lock, ...)
 * are ours: they come before those of the C library, and hand on to them when
 * the caller is not a controlled thread.
 *
 * How a primitive is written.  A thread that is about to do something others can
 * see says so with rdl__point or, if it may have to wait for it, rdl__await; when
 * the call returns it is this thread's turn, and until its next such call nobody
 * else runs.  It then changes the primitive, and tells with rdl__changed which
 * object it has changed: that is when the scheduler asks again whether those who
 * await something of that object are ready.  No primitive has a queue of its own.
 *
 *     int pthread_mutex_lock(pthread_mutex_t *mutex)
 *     {
 *         struct rdl__thread *self = rdl__self();
 *
 *         if (!self)
 *             return RDL__NEXT(pthread_mutex_lock)(mutex);
 *         rdl__await(self, &(struct rdl__op){...}, is_free, mutex, RDL__FOREVER);
 *         ... take it ...
 *         rdl__changed((uintptr_t)mutex);
 *     }
 *
 * The state of a primitive lies in the primitive, as the C library would have it
 * where that matters (mutexes, rwlocks, semaphores), so that one that was used
 * before control began, or is used after, is found as it was left.
 *
 * The code of the scheduler keeps nothing in thread-local variables, allocates
 * nothing on its way from one thread to another, and runs on the stack of the
 * thread that called it. */
#ifndef RDL__SCHED_H
#define RDL__SCHED_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "case/case.h"
#include "control/sched/op.h"
#include "control/strategy/strategy.h"
#include "port/switch.h"

enum rdl__thread_state {
    RDL__UNUSED,
    RDL__ALIVE,
    RDL__ENDED, /* not joined yet */
};

/* Something a thread has got and will give back: a mutex, say. */
struct rdl__hold {
    uintptr_t object;
    uintptr_t pc; /* where it got it */
    uint32_t count;
    struct rdl__callers callers; /* of that place, while steps are recorded */
    bool shared;                 /* others may hold it as well: read locks */
    bool robust;                 /* a mutex that outlives its owner */
    bool stream;                 /* a real lock, of a FILE */
};

enum { RDL__HOLDS_MAX = 64, RDL__TITLE_ROOM = 16 };
#define RDL__FOREVER UINT64_MAX

enum rdl__woken {
    RDL__READY,
    RDL__TIMED_OUT,
    RDL__INTERRUPTED, /* a signal is to be handled, or the thread is cancelled */
};

struct rdl__thread {
    void *stack_pointer; /* while it does not run */
    uintptr_t fs;        /* where its thread-local variables are; also what pthread_self says */
    uint32_t id;
    enum rdl__thread_state state;
    struct rdl__donor *donor; /* NULL: it runs on the stack of the process itself */
    uint32_t number;          /* in order of creation; that of the first is 0 */
    uint32_t namesakes;       /* threads before it that were called the same */
    char name[32];
    char title[RDL__TITLE_ROOM]; /* its name as the program knows it */

    /* What it awaits, if anything.  The operation itself is in the view. */
    bool (*ready)(void *what);
    void *what;
    uint64_t deadline;  /* virtual time; RDL__FOREVER: none */
    bool interruptible; /* signals and cancellation end the wait */
    bool interrupted;
    enum rdl__woken woken;

    void *(*start)(void *argument);
    void *argument;
    void *result;
    jmp_buf *struck; /* where it ends if it is struck by a fault */
    uintptr_t entry; /* the function that it runs, as the user knows it */
    bool detached, being_joined, exiting;
    int asked_fd;          /* of the file that its last operation on one is about */
    bool servant;          /* of ours: nobody waits for its end */
    bool service;          /* the same, in the C library's stead: it is part of no deadlock */
    uintptr_t created_at;  /* pc */
    uint32_t created_last; /* the thread it has created last */

    /* Cancellation and signals: thread.c, signal.c */
    int cancel_state, cancel_type;
    bool cancelled;
    sigset_t mask, pending_signals;
    bool blocks_sigsys;   /* as it thinks: see dispatch.h */
    uint32_t offers;      /* of its turn, or waits that were in vain, since somebody got on */
    uintptr_t refused_at; /* pc where it tried to get a lock last, and did not */
    unsigned no_switch;   /* > 0: it holds the loader's lock; stay if that is possible */
    unsigned aside;       /* > 0: it runs a spec or a driver, whose calls of the C library are not
                             those of the code under test */

    uintptr_t openmp_from; /* pc of the call of OpenMP's that it is in; 0: none */
    uintptr_t by_number;   /* pc of its call of syscall, which we do by a function; 0: none */

    struct rdl__thread_dtor *dtors; /* of C++ thread_local objects */

    uintptr_t stack_low, stack_high;
    struct rdl__track *track; /* of its accesses to memory: track.h */
    uint32_t hold_count;

    /* From here on a new thread has what was there before. */
    struct rdl__hold holds[RDL__HOLDS_MAX];
    struct rdl__callers callers; /* of its operation, while steps are recorded; none at first */
};

/* What may go wrong though nothing is wrong, when asked for. */
enum { RDL__FAULT_SPURIOUS = 1, RDL__FAULT_TIMEOUT = 2, RDL__FAULT_TRYLOCK = 4 };

struct rdl__sched {
    struct rdl__view view;
    struct rdl__thread *threads[RDL__THREADS_MAX];
    uintptr_t awaited[RDL__THREADS_MAX]; /* object of each thread's operation; 0: none */
    uint32_t alive;
    uint32_t unjoined; /* threads that were created, and that nobody has joined */

    struct rdl_case *t;
    const struct rdl__strategy *strategy;
    void *strategy_state;
    struct rdl__summary *summary;

    /* The stretch of the running thread: see "On the tape" in sched.c. */
    uint64_t stretch;      /* points in it so far */
    uint64_t stretch_end;  /* preempt at this one; UINT64_MAX: never */
    uint64_t stretch_fair; /* at this one somebody else has to go, whoever decides */
    uint32_t stretch_at;   /* where its length stands on the tape */
    uint32_t calls;        /* operations in it that are no accesses to memory */
    bool by_strategy;      /* the strategy decides; else the tape */
    bool enabled_changed;  /* since the strategy was asked last */
    uint32_t picked_from;  /* how many there were to pick from; 1: it was not asked */

    /* Points that the running thread may pass without a word: credit.c */
    uint64_t credit, credit_given;
    uint8_t credit_touch; /* what it did last with it */

    bool calm; /* the tape is nearly full: no more preemptions */

    uint64_t now;          /* virtual time, ns since 1970 */
    uint64_t busy;         /* operations since somebody's deadline came */
    uint64_t deadlines;    /* how many threads have one */
    bool eager_sleepers;   /* a sleep may end whenever it likes */
    bool sleeping_decided; /* whether that is so */
    uint32_t early_ends;   /* of sleeps, where they are counted: chance.c */
    unsigned faults;
    bool stacks;                    /* accesses of threads to their own stacks count */
    bool ends;                      /* ends of threads are operations, */
    bool detaches;                  /* and so is detaching them */
    bool ending;                    /* thread 0 is at its end and waits for the others */
    bool failing;                   /* go back to thread 0, and out */
    bool forked;                    /* this execution has a process of its own */
    void (*leave_process)(void);    /* then: what ends it */
    bool masks_differ;              /* threads have different signal masks */
    bool signals_due;               /* there may be signals for threads that they have not seen */
    uint32_t servants;              /* threads that need not come to their end */
    uint32_t quiet_waiters;         /* threads that wait until all is quiet */
    bool settling;                  /* all others seem to wait, by asking again and again */
    bool patient;                   /* who waits for a time is to ask again before it is quiet */
    bool comes_last;                /* it is quiet when rdl__when_quiet has nothing to do either */
    uint64_t vain;                  /* how often the only thread that can go has offered its turn */
    uint64_t points_max;            /* an execution with more points than this is endless */
    struct rdl__donor *left;        /* its thread has ended, and we have just left its stack */
    struct rdl__thread *discarding; /* who has come to the stack of one that is discarded, */
    struct rdl__thread *discarded;  /* namely this */
    struct rdl__thread *leaver;     /* who has left the execution by failing; NULL: thread 0 */
    jmp_buf escape;                 /* of thread 0, out of the execution */
};

extern struct rdl__sched rdl__sched;
extern struct rdl__thread *rdl__running; /* NULL: nothing is controlled now */

/* The controlled thread that calls, or NULL if it is none: no control now, or a
 * thread that is not ours. */
static inline struct rdl__thread *rdl__self(void)
{
    struct rdl__thread *thread = rdl__running;

    return __builtin_expect(thread && thread->fs == rdl__thread_pointer(), 0) ? thread : NULL;
}

/* Has everything that other threads did come before?  Not if one has merely ended: what the
 * running thread does now could have come before that. */
static inline bool rdl__is_alone(void)
{
    return rdl__sched.alive == 1 && rdl__sched.unjoined == 0;
}

/* ---- For primitives ------------------------------------------------------------- */

/* The thread is about to do this operation.  Others may run first. */
void rdl__point(struct rdl__thread *self, const struct rdl__op *op);

/* The same, for an access to memory, if nothing depends on this one: nobody would be
 * switched to, and nobody looks.  False: it has to be done in the ordinary way. */
static inline bool rdl__point_fast(struct rdl__thread *self, enum rdl__touch touch)
{
    if (rdl__sched.credit == 0 || self->no_switch > 0)
        return false;
    rdl__sched.credit--;
    rdl__sched.credit_touch = touch;
    return true;
}

/* Catch up with what has been passed that way; the next point is an ordinary one.  For
 * who needs to know, or changes what others could do next, other than by rdl__changed. */
void rdl__credit_account(void);
static inline void rdl__catch_up(void)
{
    if (rdl__sched.credit_given > 0)
        rdl__credit_account();
}

/* The same for an operation that can be done only when ready(what) is true and,
 * until then, has to wait; at most until the deadline, a virtual time.  `ready`
 * must not change anything, and may be asked at any time while the thread waits. */
enum rdl__woken rdl__await(struct rdl__thread *self, const struct rdl__op *op,
                           bool (*ready)(void *what), void *what, uint64_t deadline);

/* As rdl__await; but signals and cancellation end the wait. */
enum rdl__woken rdl__await_interruptibly(struct rdl__thread *self, const struct rdl__op *op,
                                         bool (*ready)(void *what), void *what, uint64_t deadline);

/* Wait until all other threads have ended or wait for something, be it a time; or ask for it
 * again and again, and have long done so in vain.  `patient`: who waits for a time is to have
 * asked several times, too. */
void rdl__await_quiet(struct rdl__thread *self, bool patient, uintptr_t pc);

/* Wait for something, or until it is quiet and nothing happens then (rdl__when_quiet); true: it is
 * there. */
bool rdl__await_or_quiet(struct rdl__thread *self, uintptr_t object, bool (*ready)(void *what),
                         void *what, uintptr_t pc);

/* If set: nobody can run, or only such as ask again and again in vain; is there something that
 * happens now, so that somebody can?  It has then said so by rdl__changed. */
extern bool (*rdl__when_quiet)(void);

/* Does any other thread wait for a time, or is there a timer? */
bool rdl__time_will_tell(void);

/* A thread of ours that lives as long as the case, whatever it waits for; as rdl_spawn. */
void rdl__serve(struct rdl_case *t, const char *name, void (*run)(void *it), void *it);

/* Called when a controlled thread calls exit or fails an assertion, as an event would say it
 * (struct rdl_fault); need not return. */
extern void (*rdl__on_sudden_end)(int kind, int number);

/* Somebody has got on with what all this is about: who asks again may get another answer. */
void rdl__got_on(void);

/* This object is not what it was: whoever awaits something of it may be ready
 * now, or not any more. */
void rdl__changed(uintptr_t object);

/* After something was given up (unlock, post, signal, create): code that is not
 * instrumented may touch shared memory before its next operation, so another
 * thread may run here as well. */
void rdl__after(struct rdl__thread *self, uintptr_t pc);

/* Threads other than self that await something of this object, in the order of
 * their numbers: fills out[], returns how many. */
uint32_t rdl__waiters(uintptr_t object, enum rdl__op_kind kind, uint32_t *out, uint32_t room);

/* A choice from 0 to max that is none of threads; 0 is the simplest. */
uint32_t rdl__pick_one(uint32_t max);

/* Is this fault to happen here?  Only when asked for, and then rarely. */
bool rdl__fault(unsigned which);

/* What the thread holds: for reports, and to see who waits for whom. */
void rdl__got(struct rdl__thread *self, uintptr_t object, uintptr_t pc, bool shared);
void rdl__gave(struct rdl__thread *self, uintptr_t object);
struct rdl__hold *rdl__held_by(struct rdl__thread *thread, uintptr_t object);
struct rdl__thread *rdl__holder(uintptr_t object); /* one of them; NULL: nobody */

/* The execution has failed: this is its end.  The text is complete sentences,
 * names threads by rdl__thread_name, and holds no addresses (they differ between
 * runs); `pc` is the place to blame. */
_Noreturn void rdl__execution_fails(enum rdl__cause cause, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A primitive is used in a way that POSIX leaves undefined. */
#define rdl__wrong_use(pc, ...) rdl__execution_fails(RDL__BY_MISUSE, (pc), __VA_ARGS__)

/* A fact that limits what a pass may claim (observe/limits.h), by name or by
 * the address of its code.  Nothing happens if no thread is controlled. */
void rdl__limit(enum rdl__limit_kind kind, const char *what, const char *where);
void rdl__limit_at(enum rdl__limit_kind kind, uintptr_t pc);

/* "main", "worker" as named, or "thread 2". */
const char *rdl__thread_name(const struct rdl__thread *thread);

/* A place in the code, for texts: the reader of the outcome puts file and line in
 * its stead.  Good until the fourth next call. */
const char *rdl__at(uintptr_t pc);

/* A name for an object that is the same in every run: "mutex 2", numbered in the
 * order in which the execution met them. */
const char *rdl__object_name(uintptr_t object, const char *kind);

/* ---- Happens-before: race.c.  All are cheap when races are not looked for. -------- */

void rdl__hb_acquire(struct rdl__thread *self, uintptr_t object);
void rdl__hb_release(struct rdl__thread *self, uintptr_t object);
void rdl__hb_created(struct rdl__thread *creator, struct rdl__thread *created);
void rdl__hb_joined(struct rdl__thread *self, struct rdl__thread *ended);

/* ---- Threads: thread.c --------------------------------------------------------------- */

struct rdl__thread *rdl__thread_of(pthread_t thread); /* NULL: none of ours */

/* Is a free thread about to be created whose case has to know of it (rdl__blocked_create)? */
bool rdl__create_is_watched(void);

/* Whoever calls this says by rdl__starts_with (seen.h) which function the thread starts with. */
int rdl__thread_new(struct rdl__thread *self, const pthread_attr_t *attributes,
                    void *(*start)(void *), void *argument, const char *name, uintptr_t pc,
                    struct rdl__thread **out_thread);
int rdl__thread_join(struct rdl__thread *self, struct rdl__thread *thread, void **out_result,
                     uint64_t deadline, uintptr_t pc);
/* It has ended, and nobody will ask for it again: what it was lent is given back. */
void rdl__thread_bury(struct rdl__thread *thread);
/* The same of one that is still on its stack. */
void rdl__thread_rewind(struct rdl__thread *self, struct rdl__thread *thread);
/* A thread that waits will never be let go on: forget it, and what it has on its stack. */
void rdl__thread_discard(struct rdl__thread *self, struct rdl__thread *thread);
/* A cancellation point: if the thread is cancelled, and lets itself be, it ends here. */
void rdl__test_cancel(struct rdl__thread *self);

/* The C library may cancel the thread here, and may not; Raddle does not. */
void rdl__miss_cancel(const struct rdl__thread *self);

/* ---- Time: time.c ------------------------------------------------------------------------ */

/* Virtual deadline of an absolute time on this clock / of a span from now on. */
uint64_t rdl__deadline_at(clockid_t clock, const struct timespec *when);
uint64_t rdl__deadline_in(const struct timespec *span);

/* ---- Outside: wait.c -------------------------------------------------------------------- */

/* Nobody can run, and nobody will by time alone.  Wait for what comes from outside
 * (files, children) if anybody awaits that.  False: nobody does. */
bool rdl__await_outside(void);

/* Threads that can run only ask again and again, in vain.  Wait until a process that the program
 * has started lets another one go on.  False: no thread waits for such a process. */
bool rdl__await_children(void);

/* ---- Executions: sched.c ------------------------------------------------------------------ */

/* Run body as thread 0, and with it all threads it starts, to their end.  The
 * outcome is in t->outcome.  Strategy NULL: the tape decides, then the simplest.
 * False: threads were left over, and what they hold with them. */
struct rdl__execution {
    struct rdl_case *t;
    const struct rdl__strategy *strategy;
    void *strategy_state;
    struct rdl__summary *summary;
    bool forked;
    unsigned faults;
    unsigned watched; /* RDL__WATCH_STACKS and the like: see struct rdl__settings */
    uint64_t points_max;
    uint64_t patience_ns; /* how long it may take to come to its end beyond that; 0: it may not */
    uint32_t volatiles;   /* RDL__VOLATILE_ACQ_REL and the like */
};

/* What is found out once; before a process of an execution is forked, for it to know. */
void rdl__execution_prepare(void);

bool rdl__execution_run(const struct rdl__execution *execution, void (*body)(void *context),
                        void *context);

#endif
