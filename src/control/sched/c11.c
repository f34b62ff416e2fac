/* c11.c -- the threads of C11: the POSIX ones by other names.
 *
 * A mtx_t is a pthread_mutex_t, a cnd_t a pthread_cond_t, a thrd_t a pthread_t and
 * a tss_t a pthread_key_t, as they are in the C library; so what only initialises,
 * or looks at thread-local variables, is left to it. */
#include <errno.h>
#include <stdlib.h>
#include <threads.h>

#include "base/memory.h"
#include "control/sched/cond.h"
#include "control/sched/cond_free.h"
#include "control/sched/follow.h"
#include "control/sched/inner.h"
#include "control/sched/mutex.h"
#include "control/sched/primitive.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "control/sched/world.h"
#include "port/blocked.h"

RDL__ASKED_FOR(c11);

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mtx_t is something else");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a cnd_t is something else");

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
    return (pthread_mutex_t *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
    return (pthread_cond_t *)cond;
}

/* What C11 calls this error number. */
static int result_of(int why)
{
    switch (why) {
    case 0:
        return thrd_success;
    case ENOMEM:
        return thrd_nomem;
    case ETIMEDOUT:
        return thrd_timedout;
    case EBUSY:
        return thrd_busy;
    default:
        return thrd_error;
    }
}

/* ---- Threads ------------------------------------------------------------------------ */

struct start {
    thrd_start_t function;
    void *argument;
};

RDL__ENTRY static void *start_thread(void *argument)
{
    struct start start = *(struct start *)argument;

    free(argument);
    return (void *)(intptr_t)start.function(start.argument);
}

RDL__INTERPOSE int thrd_create(thrd_t *out, thrd_start_t function, void *argument)
{
    struct rdl__thread *self = rdl__self(), *thread;
    struct start *start;
    int why;

    rdl__follow_thread();
    if (!self && !rdl__create_is_watched())
        return RDL__NEXT(thrd_create)(out, function, argument);
    start = rdl__allocate(sizeof *start);
    *start = (struct start){function, argument};
    if (self)
        why = rdl__thread_new(self, NULL, start_thread, start, NULL, RDL__CALLER, &thread);
    else
        why = rdl__blocked_create(out, NULL, start_thread, start);
    if (why)
        free(start);
    if (why || !self)
        return result_of(why);
    rdl__starts_with(thread, (uintptr_t)function);
    *out = thread->fs;
    rdl__after(self, RDL__CALLER);
    return thrd_success;
}

RDL__INTERPOSE int thrd_join(thrd_t thread, int *out_result)
{
    struct rdl__thread *self = rdl__self();
    void *result;
    int why;

    if (!self)
        return RDL__NEXT(thrd_join)(thread, out_result);
    why = rdl__thread_join(self, rdl__thread_of(thread), &result, RDL__FOREVER, RDL__CALLER);
    if (!why && out_result) {
        rdl__wrote(out_result, sizeof *out_result, RDL__CALLER);
        *out_result = (int)(intptr_t)result;
    }
    return result_of(why);
}

RDL__INTERPOSE int thrd_detach(thrd_t thread)
{
    return result_of(pthread_detach(thread));
}

RDL__INTERPOSE void thrd_exit(int result)
{
    pthread_exit((void *)(intptr_t)result);
}

RDL__INTERPOSE void thrd_yield(void)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__yield(self, RDL__CALLER);
    else
        RDL__NEXT(thrd_yield)();
}

RDL__INTERPOSE int thrd_sleep(const struct timespec *span, struct timespec *out_rest)
{
    struct rdl__thread *self = rdl__self();
    int why;

    if (!self)
        return RDL__NEXT(thrd_sleep)(span, out_rest);
    why = rdl__clock_nanosleep(self, CLOCK_REALTIME, 0, span, out_rest, RDL__CALLER);
    return why == 0 ? 0 : why == EINTR ? -1 : -2;
}

/* ---- Mutexes ------------------------------------------------------------------------ */

RDL__INTERPOSE int mtx_lock(mtx_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(mtx_lock)(mutex);
    return result_of(rdl__mutex_take(self, mutex_of(mutex), RDL__CALLER, RDL__FOREVER));
}

RDL__INTERPOSE int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(mtx_timedlock)(mutex, when);
    if (!rdl__is_time(CLOCK_REALTIME, when))
        return thrd_error;
    return result_of(rdl__mutex_take(self, mutex_of(mutex), RDL__CALLER,
                                     rdl__deadline_at(CLOCK_REALTIME, when)));
}

RDL__INTERPOSE int mtx_trylock(mtx_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(mtx_trylock)(mutex);
    return result_of(rdl__mutex_try(self, mutex_of(mutex), RDL__CALLER));
}

RDL__INTERPOSE int mtx_unlock(mtx_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(mtx_unlock)(mutex);
    return result_of(rdl__mutex_unlock(self, mutex_of(mutex), RDL__CALLER));
}

RDL__INTERPOSE void mtx_destroy(mtx_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__mutex_destroy(self, mutex_of(mutex), RDL__CALLER);
    else
        RDL__NEXT(mtx_destroy)(mutex);
}

/* ---- Conditions --------------------------------------------------------------------- */

RDL__INTERPOSE int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    struct rdl__thread *self = rdl__self();

    if (!self && rdl__waits_in_order())
        return result_of(
            rdl__cond_wait_freely(cond_of(cond), mutex_of(mutex), 0, NULL, RDL__CALLER));
    if (!self)
        return RDL__NEXT(cnd_wait)(cond, mutex);
    return result_of(
        rdl__cond_wait(self, cond_of(cond), mutex_of(mutex), RDL__FOREVER, RDL__CALLER));
}

RDL__INTERPOSE int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                                 const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self && rdl__waits_in_order())
        return result_of(rdl__cond_wait_freely(cond_of(cond), mutex_of(mutex), CLOCK_REALTIME, when,
                                               RDL__CALLER));
    if (!self)
        return RDL__NEXT(cnd_timedwait)(cond, mutex, when);
    if (!rdl__is_time(CLOCK_REALTIME, when))
        return thrd_error;
    return result_of(rdl__cond_wait(self, cond_of(cond), mutex_of(mutex),
                                    rdl__deadline_at(CLOCK_REALTIME, when), RDL__CALLER));
}

RDL__INTERPOSE int cnd_signal(cnd_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return rdl__cond_signal_freely(cond_of(cond)) ? thrd_success : RDL__NEXT(cnd_signal)(cond);
    rdl__cond_signal(self, cond_of(cond), RDL__CALLER);
    return thrd_success;
}

RDL__INTERPOSE int cnd_broadcast(cnd_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (!self) {
        rdl__cond_broadcast_freely(cond_of(cond));
        return RDL__NEXT(cnd_broadcast)(cond);
    }
    rdl__cond_broadcast(self, cond_of(cond), RDL__CALLER);
    return thrd_success;
}

RDL__INTERPOSE void cnd_destroy(cnd_t *cond)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__cond_destroy(self, cond_of(cond), RDL__CALLER);
    else
        RDL__NEXT(cnd_destroy)(cond);
}

/* ---- Thread-specific storage: our keys know their destructors ------------------------ */

RDL__INTERPOSE int tss_create(tss_t *out, tss_dtor_t destructor)
{
    return result_of(pthread_key_create(out, destructor));
}

RDL__INTERPOSE void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}
