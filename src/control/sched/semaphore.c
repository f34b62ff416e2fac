/* semaphore.c -- semaphores, named and unnamed.
 *
 * They look as the C library has them: the value is the lower half of the first
 * word.  Named ones are made by the C library, and may be shared with processes
 * that are not controlled: hence the value is changed atomically. */
#include <semaphore.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>

#include "control/sched/left.h"
#include "control/sched/primitive.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

RDL__ASKED_FOR(semaphore);

/* What lies in a sem_t. */
struct semaphore {
    uint32_t value;
    uint32_t waiters;    /* in the C library's own functions */
    uint32_t is_private; /* 0: yes */
};

_Static_assert(sizeof(struct semaphore) <= sizeof(sem_t), "too large");

/* In is_private, which sem_init sets. */
enum { SHARED = 128 };
#define DESTROYED 0xdead5e3au

static struct semaphore *semaphore_of(sem_t *sem)
{
    return (struct semaphore *)sem;
}

static const char *name_of(sem_t *sem)
{
    return rdl__object_name((uintptr_t)sem, "semaphore");
}

static int failed(int why)
{
    errno = why;
    return -1;
}

static void look_at(struct rdl__thread *self, sem_t *sem, const char *verb, uintptr_t pc)
{
    if (semaphore_of(sem)->is_private == DESTROYED)
        rdl__wrong_use(pc, "%s %s %s, which has been destroyed", rdl__thread_name(self), verb,
                       name_of(sem));
}

/* Who waits for a semaphore that is destroyed must not wait any longer. */
static bool can_go_on(void *what)
{
    struct semaphore *semaphore = what;

    return __atomic_load_n(&semaphore->value, __ATOMIC_ACQUIRE) > 0 ||
           semaphore->is_private == DESTROYED;
}

/* Take one, if there is one. */
static bool take(struct rdl__thread *self, sem_t *sem)
{
    struct semaphore *semaphore = semaphore_of(sem);
    uint32_t value = __atomic_load_n(&semaphore->value, __ATOMIC_ACQUIRE);

    do
        if (value == 0)
            return false;
    while (!__atomic_compare_exchange_n(&semaphore->value, &value, value - 1, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    rdl__hb_acquire(self, (uintptr_t)sem);
    rdl__changed((uintptr_t)sem);
    return true;
}

/* Another process may post it. */
bool rdl__semaphore_is_outside(const struct rdl__thread *thread)
{
    return thread->state == RDL__ALIVE && thread->ready == can_go_on &&
           ((const struct semaphore *)thread->what)->is_private == SHARED && rdl__has_children();
}

static int down(struct rdl__thread *self, sem_t *sem, uint64_t deadline, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_DOWN, RDL__ON_SEMAPHORE, sem, pc);

    for (;;) {
        enum rdl__woken woken = rdl__await_interruptibly(self, &op, can_go_on, sem, deadline);

        rdl__test_cancel(self);
        if (woken == RDL__TIMED_OUT)
            return failed(ETIMEDOUT);
        if (woken == RDL__INTERRUPTED) {
            if (rdl__interruption(self) == RDL__RAN)
                return failed(EINTR);
            continue;
        }
        look_at(self, sem, "waits for", pc);
        if (take(self, sem)) /* no: another process was faster */
            return 0;
    }
}

static void nobody_waits(struct rdl__thread *self, sem_t *sem, const char *verb, uintptr_t pc)
{
    uint32_t at = 0;
    struct rdl__thread *thread = rdl__next_waiter(sem, RDL__OP_DOWN, &at);

    if (thread && !can_go_on(sem))
        rdl__wrong_use(pc, "%s %s %s, for which %s waits", rdl__thread_name(self), verb,
                       name_of(sem), rdl__thread_name(thread));
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int sem_init(sem_t *sem, int shared, unsigned value)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        nobody_waits(self, sem, "initialises", RDL__CALLER);
    return RDL__NEXT(sem_init)(sem, shared, value);
}

RDL__INTERPOSE int sem_destroy(sem_t *sem)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(sem_destroy)(sem);
    op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_SEMAPHORE, sem, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, sem, "destroys", op.pc);
    nobody_waits(self, sem, "destroys", op.pc);
    semaphore_of(sem)->is_private = DESTROYED;
    rdl__changed((uintptr_t)sem);
    return 0;
}

RDL__INTERPOSE int sem_wait(sem_t *sem)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sem_wait)(sem);
    return down(self, sem, RDL__FOREVER, RDL__CALLER);
}

RDL__INTERPOSE int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sem_timedwait)(sem, when);
    if (!rdl__is_time(CLOCK_REALTIME, when))
        return failed(EINVAL);
    return down(self, sem, rdl__deadline_at(CLOCK_REALTIME, when), RDL__CALLER);
}

RDL__INTERPOSE int sem_clockwait(sem_t *restrict sem, clockid_t clock,
                                 const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sem_clockwait)(sem, clock, when);
    if (!rdl__is_time(clock, when))
        return failed(EINVAL);
    return down(self, sem, rdl__deadline_at(clock, when), RDL__CALLER);
}

RDL__INTERPOSE int sem_trywait(sem_t *sem)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(sem_trywait)(sem);
    op = rdl__op_try(self, RDL__ON_SEMAPHORE, sem, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, sem, "tries to wait for", op.pc);
    if (rdl__is_refused(self, &op,
                        !can_go_on(sem) || rdl__fault(RDL__FAULT_TRYLOCK) || !take(self, sem)))
        return failed(EAGAIN);
    return 0;
}

RDL__INTERPOSE int sem_post(sem_t *sem)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(sem_post)(sem);
    op = rdl__op_on(RDL__OP_UP, RDL__ON_SEMAPHORE, sem, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, sem, "posts", op.pc);
    if (semaphore_of(sem)->value == SEM_VALUE_MAX)
        return failed(EOVERFLOW);
    rdl__hb_release(self, (uintptr_t)sem);
    /* Also wakes those who wait in another process; nobody does in this one. */
    RDL__NEXT(sem_post)(sem);
    rdl__changed((uintptr_t)sem);
    rdl__after(self, op.pc);
    return 0;
}

RDL__INTERPOSE int sem_getvalue(sem_t *restrict sem, int *restrict out_value)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(sem_getvalue)(sem, out_value);
    op = rdl__op_on(RDL__OP_READ, RDL__ON_SEMAPHORE, sem, RDL__CALLER);
    op.touch = RDL__READS;
    rdl__point(self, &op);
    look_at(self, sem, "looks at", op.pc);
    *out_value = (int)__atomic_load_n(&semaphore_of(sem)->value, __ATOMIC_ACQUIRE);
    return 0;
}

/* ---- Names: the C library knows them ------------------------------------------------ */

/* They are names of files, which depend on the umask, too. */
static void point_at_names(struct rdl__thread *self, uintptr_t pc)
{
    struct rdl__op op = rdl__names_op(RDL__WRITES, pc);

    rdl__point(self, &op);
}

RDL__INTERPOSE sem_t *sem_open(const char *name, int flags, ...)
{
    struct rdl__thread *self = rdl__self();
    va_list rest;
    mode_t mode;
    unsigned value;

    if (self) {
        point_at_names(self, RDL__CALLER);
        rdl__left_shared("sem.", name);
    }
    if (!(flags & O_CREAT))
        return RDL__NEXT(sem_open)(name, flags);
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    value = va_arg(rest, unsigned);
    va_end(rest);
    return RDL__NEXT(sem_open)(name, flags, mode, value);
}

RDL__INTERPOSE int sem_unlink(const char *name)
{
    struct rdl__thread *self = rdl__self();

    if (self) {
        point_at_names(self, RDL__CALLER);
        rdl__left_shared("sem.", name);
    }
    return RDL__NEXT(sem_unlink)(name);
}

RDL__INTERPOSE int sem_close(sem_t *sem)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        point_at_names(self, RDL__CALLER);
    return RDL__NEXT(sem_close)(sem);
}
