/* thread.c -- threads: created, joined, detached, ended, cancelled; keys. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <raddle/check.h>

#include "base/memory.h"
#include "control/meet.h"
#include "control/sched/donor.h"
#include "control/sched/follow.h"
#include "control/sched/inner.h"
#include "control/sched/left.h"
#include "control/sched/mutex.h"
#include "control/sched/next.h"
#include "control/sched/primitive.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/undo.h"
#include "port/blocked.h"
#include "port/dirty.h"

#define sched (&rdl__sched)

struct rdl__thread *rdl__thread_of(pthread_t thread)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state != RDL__UNUSED && sched->threads[id]->fs == thread)
            return sched->threads[id];
    return NULL;
}

void rdl__own_stack(uintptr_t *out_low, uintptr_t *out_high)
{
    static uintptr_t low, high; /* finding out takes a look at all mappings */
    pthread_attr_t attributes;
    void *start;
    size_t size;

    if (!high && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &start, &size);
        pthread_attr_destroy(&attributes);
        low = (uintptr_t)start;
        high = low + size;
    }
    *out_low = low;
    *out_high = high;
}

/* ---- Keys ------------------------------------------------------------------------- */

/* The values are where the C library keeps them; but as a controlled thread ends
 * without the real one, it is for us to call the destructors. */
static void (*key_destructors[PTHREAD_KEYS_MAX])(void *value);
static bool key_used[PTHREAD_KEYS_MAX];
static unsigned keys_end; /* no key is as large as this */

/* Which numbers are keys: a thread that ends looks at them, too. */
static void come_to_keys(enum rdl__touch touch, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (self && !rdl__is_alone())
        rdl__come_to_state(self, RDL__STATE_THREADS, touch, pc);
}

RDL__INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *value))
{
    int why;

    come_to_keys(RDL__WRITES, RDL__CALLER);
    why = RDL__NEXT(pthread_key_create)(key, destructor);
    if (why == 0 && *key < PTHREAD_KEYS_MAX) {
        key_destructors[*key] = destructor;
        key_used[*key] = true;
        if (keys_end <= *key)
            keys_end = *key + 1;
    }
    return why;
}

RDL__INTERPOSE int pthread_key_delete(pthread_key_t key)
{
    come_to_keys(RDL__WRITES, RDL__CALLER);
    if (!rdl__is_alone()) /* to read and set values are no operations */
        rdl__limit(RDL__LIMIT_BOUND, "keys were not deleted at every moment", "");
    if (key < PTHREAD_KEYS_MAX)
        key_used[key] = false;
    return RDL__NEXT(pthread_key_delete)(key);
}

/* True: a destructor was called, which may have set other values. */
static bool call_key_destructors(void)
{
    bool called = false;

    for (unsigned key = 0; key < keys_end; key++) {
        void *value = key_used[key] ? pthread_getspecific(key) : NULL;

        if (!value)
            continue;
        if (key_destructors[key] && !rdl__is_of_sanitizer((uintptr_t)key_destructors[key] + 1))
            come_to_keys(RDL__READS, 0);
        if (!key_used[key])
            continue; /* another thread has deleted it meanwhile */
        pthread_setspecific(key, NULL);
        if (key_destructors[key]) {
            rdl__entering(rdl__running, (uintptr_t)key_destructors[key]);
            key_destructors[key](value);
            called = true;
        }
    }
    return called;
}

/* ---- C++ objects with thread storage duration ---------------------------------------- */

struct rdl__thread_dtor {
    void (*function)(void *object);
    void *object;
    struct rdl__thread_dtor *next;
};

int __cxa_thread_atexit_impl(void (*function)(void *object), void *object, void *dso);

RDL__INTERPOSE int __cxa_thread_atexit_impl(void (*function)(void *object), void *object, void *dso)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__thread_dtor *dtor;

    /* Thread 0 does not end with its execution.  Its variables are put back before the next one. */
    if (!self || (!self->donor && sched->forked))
        return RDL__NEXT(__cxa_thread_atexit_impl)(function, object, dso);
    dtor = rdl__allocate(sizeof *dtor);
    *dtor = (struct rdl__thread_dtor){function, object, self->dtors};
    self->dtors = dtor;
    return 0;
}

static void forget_object_destructors(struct rdl__thread *self)
{
    while (self->dtors) {
        struct rdl__thread_dtor *dtor = self->dtors;

        self->dtors = dtor->next;
        free(dtor);
    }
}

static void call_object_destructors(struct rdl__thread *self)
{
    while (self->dtors) {
        struct rdl__thread_dtor *dtor = self->dtors;

        self->dtors = dtor->next;
        rdl__entering(self, (uintptr_t)dtor->function);
        dtor->function(dtor->object);
        free(dtor);
    }
}

/* ---- What executions leave behind of both ------------------------------------------------ */

static bool key_was_used[PTHREAD_KEYS_MAX];
static void *key_values[PTHREAD_KEYS_MAX]; /* of thread 0 */

void rdl__keys_save(void)
{
    memcpy(key_was_used, key_used, sizeof key_used);
    for (unsigned key = 0; key < keys_end; key++)
        key_values[key] = key_used[key] ? pthread_getspecific(key) : NULL;
}

void rdl__keys_restore(void)
{
    if (sched->threads[0])
        forget_object_destructors(sched->threads[0]);
    for (unsigned key = 0; key < keys_end; key++) {
        if (key_used[key] && !key_was_used[key])
            pthread_key_delete(key);
        else if (key_used[key] && pthread_getspecific(key) != key_values[key])
            pthread_setspecific(key, key_values[key]);
    }
}

/* ---- The life of a thread --------------------------------------------------------------- */

/* pthread_exit, of the C library, unwinds the stack up to the innermost handler
 * that pthread_cleanup_push has registered, and from each to the next.  This is
 * the outermost one: from here it goes no further, least of all to the end of the
 * real thread.  True: the function was left that way. */
RDL__ENTRY static bool run_until_exit(void (*function)(void *context), void *context)
{
    __pthread_unwind_buf_t outermost;
    volatile bool left = false;

    if (__sigsetjmp_cancel(outermost.__cancel_jmp_buf, 0) == 0) {
        __pthread_register_cancel(&outermost);
        function(context);
    } else {
        left = true;
    }
    __pthread_unregister_cancel(&outermost);
    return left;
}

void rdl__with_exit(void (*function)(void *context), void *context)
{
    run_until_exit(function, context);
}

RDL__ENTRY static void call_start(void *context)
{
    struct rdl__thread *self = context;
    jmp_buf struck;

    self->struck = &struck;
    if (_setjmp(struck) == 0)
        self->result = self->start(self->argument);
    self->struck = NULL;
    rdl__handle_signals(self); /* while there is a thread to handle them */
}

void rdl__thread_live(struct rdl__thread *self)
{
    struct rdl__donor *donor = self->donor;
    static int wrapped = -1;

    if (wrapped < 0)
        wrapped = rdl__pthread_create_is_wrapped();
    if (donor->fresh)
        donor->fresh = false;
    else
        rdl__tls_reset(&donor->tls, wrapped);
    errno = 0;
    if (run_until_exit(call_start, self))
        donor->special = true; /* the C library thinks that it is ending: let it */
    if (sched->signals_due)
        rdl__handle_signals(self);
    self->exiting = true;
    call_object_destructors(self);
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && call_key_destructors(); i++)
        continue;
    for (uint32_t i = 0; i < self->hold_count; i++)
        if (self->holds[i].robust) {
            uintptr_t mutex = self->holds[i].object;
            struct rdl__op op = rdl__op_on(RDL__OP_UNLOCK, RDL__ON_MUTEX, (void *)mutex,
                                           self->entry | RDL__TAIL_OF);

            rdl__point(self, &op);
            rdl__mutex_orphaned(self, mutex);
        }
    if (sched->ends)
        rdl__point(self, &(struct rdl__op){.kind = RDL__OP_END,
                                           .touch = RDL__WRITES,
                                           .size = 1,
                                           .object = (uintptr_t)self,
                                           .pc = self->entry | RDL__TAIL_OF});
}

_Noreturn void rdl__thread_vanish(void)
{
    struct rdl__thread *self = sched->discarded;

    for (unsigned key = 0; key < keys_end; key++)
        if (key_used[key] && pthread_getspecific(key))
            pthread_setspecific(key, NULL);
    forget_object_destructors(self);
    rdl__donor_rewind(self->donor, &sched->discarding->stack_pointer, sched->discarding->fs);
}

/* A stack of another kind than donors have: a larger one, or the caller's own. */
static bool needs_own_stack(const pthread_attr_t *attributes)
{
    static size_t usual;
    pthread_attr_t defaults;
    size_t size;
    void *low;

    if (!usual && pthread_getattr_default_np(&defaults) == 0) {
        pthread_attr_getstacksize(&defaults, &usual);
        pthread_attr_destroy(&defaults);
    }
    pthread_attr_getstack(attributes, &low, &size);
    return size > usual || (uintptr_t)low + size != 0;
}

static struct rdl__donor *donor_for(const pthread_attr_t *attributes)
{
    struct rdl__donor *donor;
    pthread_attr_t joinable;

    if (!attributes || !needs_own_stack(attributes))
        return rdl__donor_get(NULL);
    joinable = *attributes;
    pthread_attr_setdetachstate(&joinable, PTHREAD_CREATE_JOINABLE);
    donor = rdl__donor_get(&joinable);
    return donor;
}

/* Either there is no room for one more thread, or the system did not make the donor's. */
static void refuse_thread(struct rdl__donor *donor)
{
    if (donor) {
        rdl__donor_put(donor);
        rdl_note("a thread is refused: there is room for %d at a time", RDL__THREADS_MAX);
        rdl__limit(RDL__LIMIT_BOUND, "some threads could not be started: there was no room", "");
    } else {
        rdl_note("a thread is refused: the system did not make one");
        rdl__limit(RDL__LIMIT_BOUND, "the system refused to start some threads", "");
    }
}

int rdl__thread_new(struct rdl__thread *self, const pthread_attr_t *attributes,
                    void *(*start)(void *), void *argument, const char *name, uintptr_t pc,
                    struct rdl__thread **out_thread)
{
    struct rdl__donor *donor;
    struct rdl__thread *thread;
    int detached = PTHREAD_CREATE_JOINABLE;

    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    self->no_switch++; /* whatever locks making a real thread takes */
    donor = donor_for(attributes);
    self->no_switch--;
    thread = donor ? rdl__slot_new(self->id) : NULL;
    if (!thread) {
        refuse_thread(donor);
        return EAGAIN;
    }
    thread->start = start;
    thread->argument = argument;
    thread->detached = detached == PTHREAD_CREATE_DETACHED;
    thread->created_at = rdl__blamed(self, pc);
    thread->mask = self->mask;
    thread->blocks_sigsys = self->blocks_sigsys;
    rdl__thread_born(thread, name);
    rdl__title_begin(thread, self);
    rdl__thread_begin(thread, donor, pc);
    sched->unjoined++;
    rdl__hb_created(self, thread);
    self->created_last = thread->id;
    rdl__created(self, pc);
    *out_thread = thread;
    return 0;
}

atomic_int rdl__free_threads;

bool rdl__create_is_watched(void)
{
    if (!rdl__blocked_watches_new && rdl__current && !rdl__current->test->options.explore)
        rdl__meet_spawn(rdl__current);
    return rdl__blocked_watches_new;
}

RDL__INTERPOSE int pthread_create(pthread_t *out, const pthread_attr_t *attributes,
                                  void *(*start)(void *), void *argument)
{
    struct rdl__thread *self = rdl__self(), *thread;
    uintptr_t pc = RDL__CALLER;
    int why;

    rdl__follow_thread();
    if (!self && rdl__create_is_watched())
        return rdl__blocked_create(out, attributes, start, argument);
    if (!self) {
        rdl__dirty_by_others = true;
        rdl__free_threads += !rdl__is_own(pc);
        return RDL__NEXT(pthread_create)(out, attributes, start, argument);
    }
    why = rdl__thread_new(self, attributes, start, argument, NULL, pc, &thread);
    if (why)
        return why;
    *out = thread->fs;
    rdl__starts_with(thread, (uintptr_t)start);
    rdl__after(self, pc);
    return 0;
}

extern __typeof__(pthread_create) rdl__own_pthread_create
    __attribute__((nothrow, alias("pthread_create")));

/* ---- Joining ------------------------------------------------------------------------------ */

static bool has_ended(void *what)
{
    const struct rdl__thread *thread = what;

    if (thread->id == 0) /* it has left by pthread_exit, and its real one waits for the others */
        return thread->exiting && sched->ending;
    return thread->state == RDL__ENDED;
}

void rdl__thread_bury(struct rdl__thread *thread)
{
    if (thread->donor)
        rdl__donor_put(thread->donor);
    thread->donor = NULL;
    thread->state = RDL__UNUSED;
}

/* Whether a thread is detached when another begins to join it depends on who comes first.  As few
 * programs do both, that is an operation once it was met. */
static void come_to_detached(struct rdl__thread *self, const struct rdl__thread *thread,
                             enum rdl__touch touch, uintptr_t pc)
{
    if (sched->detaches)
        rdl__point(self, &(struct rdl__op){.kind = RDL__OP_IO,
                                           .touch = (uint8_t)touch,
                                           .size = 1,
                                           .object = (uintptr_t)&thread->detached,
                                           .pc = pc});
}

int rdl__thread_join(struct rdl__thread *self, struct rdl__thread *thread, void **out_result,
                     uint64_t deadline, uintptr_t pc)
{
    struct rdl__op op = {.kind = RDL__OP_JOIN,
                         .touch = RDL__READS,
                         .size = 1,
                         .object = (uintptr_t)thread,
                         .pc = pc};
    enum rdl__woken woken;

    rdl__sched.summary->ends |= deadline != RDL__FOREVER;
    rdl__sched.summary->detaches |= !thread;
    if (!thread)
        return ESRCH;
    come_to_detached(self, thread, RDL__READS, pc);
    rdl__sched.summary->detaches |= thread->detached;
    if (thread->detached || thread->being_joined)
        return EINVAL;
    if (thread == self)
        return EDEADLK;
    rdl__test_cancel(self);
    thread->being_joined = true;
    do {
        woken = rdl__await_interruptibly(self, &op, has_ended, thread, deadline);
        if (woken == RDL__INTERRUPTED) {
            thread->being_joined = false;
            rdl__test_cancel(self);
            rdl__handle_signals(self);
            thread->being_joined = true;
        }
    } while (woken == RDL__INTERRUPTED);
    thread->being_joined = false;
    if (woken != RDL__READY)
        return ETIMEDOUT;
    rdl__hb_joined(self, thread);
    if (out_result) {
        rdl__wrote(out_result, sizeof *out_result, pc);
        *out_result = thread->result;
    }
    if (thread->id != 0) {
        sched->unjoined--;
        rdl__thread_bury(thread);
    }
    return 0;
}

RDL__INTERPOSE int pthread_join(pthread_t thread, void **out_result)
{
    struct rdl__thread *self = rdl__self();

    if (!self && !rdl__running && rdl__donor_lent(thread))
        return 0; /* the execution is over, and so is whatever was left of it */
    if (!self) {
        rdl__free_threads -= rdl__free_threads > 0 && !rdl__is_own(RDL__CALLER);
        return RDL__NEXT(pthread_join)(thread, out_result);
    }
    return rdl__thread_join(self, rdl__thread_of(thread), out_result, RDL__FOREVER, RDL__CALLER);
}

/* From now on ends are operations: a thread may have done all it does, and not have ended. */
void rdl__look_for_end(struct rdl__thread *self, const struct rdl__thread *thread, uintptr_t pc)
{
    rdl__sched.summary->ends = true;
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_LOOK,
                                       .touch = RDL__READS,
                                       .size = 1,
                                       .object = (uintptr_t)thread,
                                       .pc = pc});
}

RDL__INTERPOSE int pthread_tryjoin_np(pthread_t thread, void **out_result)
{
    struct rdl__thread *self = rdl__self(), *other;
    uintptr_t pc = RDL__CALLER;

    if (!self)
        return RDL__NEXT(pthread_tryjoin_np)(thread, out_result);
    other = rdl__thread_of(thread);
    rdl__look_for_end(self, other, pc);
    if (other && other->state == RDL__ALIVE)
        return EBUSY;
    return rdl__thread_join(self, other, out_result, RDL__FOREVER, pc);
}

static int join_until(struct rdl__thread *self, pthread_t thread, void **out_result,
                      clockid_t clock, const struct timespec *when, uintptr_t pc)
{
    if (when && !rdl__is_time(clock, when))
        return EINVAL;
    return rdl__thread_join(self, rdl__thread_of(thread), out_result,
                            when ? rdl__deadline_at(clock, when) : RDL__FOREVER, pc);
}

RDL__INTERPOSE int pthread_timedjoin_np(pthread_t thread, void **out_result,
                                        const struct timespec *when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_timedjoin_np)(thread, out_result, when);
    return join_until(self, thread, out_result, CLOCK_REALTIME, when, RDL__CALLER);
}

RDL__INTERPOSE int pthread_clockjoin_np(pthread_t thread, void **out_result, clockid_t clock,
                                        const struct timespec *when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_clockjoin_np)(thread, out_result, clock, when);
    return join_until(self, thread, out_result, clock, when, RDL__CALLER);
}

RDL__INTERPOSE int pthread_detach(pthread_t thread)
{
    struct rdl__thread *self = rdl__self(), *other;

    if (!self)
        return RDL__NEXT(pthread_detach)(thread);
    other = rdl__thread_of(thread);
    if (!other)
        return ESRCH;
    come_to_detached(self, other, RDL__WRITES, RDL__CALLER);
    rdl__sched.summary->detaches |= other->being_joined;
    if (other->detached || other->being_joined)
        return EINVAL;
    other->detached = true;
    if (other->state == RDL__ENDED)
        rdl__thread_bury(other);
    return 0;
}

/* ---- Cancellation ---------------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_cancel(pthread_t thread)
{
    struct rdl__thread *self = rdl__self(), *other;

    if (!self)
        return RDL__NEXT(pthread_cancel)(thread);
    other = rdl__thread_of(thread);
    if (!other)
        return ESRCH;
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_SIGNAL,
                                       .touch = RDL__WRITES,
                                       .flags = RDL__OP_BREAKS,
                                       .size = 1,
                                       .object = (uintptr_t)other,
                                       .pc = RDL__CALLER});
    if (other->state != RDL__ALIVE || other->exiting)
        return 0;
    other->cancelled = true;
    rdl__catch_up();
    if (other->cancel_state == PTHREAD_CANCEL_ENABLE)
        rdl__interrupt(other);
    if (other == self)
        rdl__test_async_cancel(self);
    return 0;
}

void rdl__test_cancel(struct rdl__thread *self)
{
    if (__builtin_expect(!self->cancelled, 1) || self->exiting ||
        self->cancel_state != PTHREAD_CANCEL_ENABLE)
        return;
    self->exiting = true;
    pthread_exit(PTHREAD_CANCELED);
}

void rdl__miss_cancel(const struct rdl__thread *self)
{
    if (__builtin_expect(self->cancelled, 0) && !self->exiting &&
        self->cancel_state == PTHREAD_CANCEL_ENABLE)
        rdl__limit(RDL__LIMIT_BOUND, "threads were not cancelled at every moment", "");
}

void rdl__test_async_cancel(struct rdl__thread *self)
{
    if (self->cancel_type == PTHREAD_CANCEL_ASYNCHRONOUS)
        rdl__test_cancel(self);
}

RDL__INTERPOSE void pthread_testcancel(void)
{
    struct rdl__thread *self = rdl__self();

    if (!self) {
        RDL__NEXT(pthread_testcancel)();
        return;
    }
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_STEP,
                                       .touch = RDL__READS,
                                       .size = 1,
                                       .object = (uintptr_t)self,
                                       .pc = RDL__CALLER});
    rdl__test_cancel(self);
}

RDL__INTERPOSE int pthread_setcancelstate(int state, int *old)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_setcancelstate)(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old)
        *old = self->cancel_state;
    self->cancel_state = state;
    rdl__test_async_cancel(self);
    return 0;
}

RDL__INTERPOSE int pthread_setcanceltype(int type, int *old)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_setcanceltype)(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old)
        *old = self->cancel_type;
    self->cancel_type = type;
    rdl__test_async_cancel(self);
    return 0;
}

/* The result is the thread's, not the real one's: it is told from here. */
RDL__INTERPOSE void pthread_exit(void *result)
{
    struct rdl__thread *self = rdl__self();

    if (self && self->id == 0 && !rdl__is_alone()) /* its keys are destroyed too late */
        rdl__limit(RDL__LIMIT_BOUND, "main was not left by pthread_exit at every moment", "");
    if (self) {
        self->result = result;
        self->exiting = true;
        self->cancelled = false;
    }
    RDL__NEXT(pthread_exit)(result);
    __builtin_unreachable();
}
