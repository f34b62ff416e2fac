/* rwlock.c -- read-write locks.
 *
 * They look as the C library has them: __readers holds the number of readers and
 * whether there is a writer, __cur_writer who that is, __flags who is preferred.
 * __writers counts the writers that wait, as it does there, though here only in
 * locks that prefer writers: in those a reader has to wait for them, too.
 *
 * Readers' operations commute, and could say that they only read the lock; but then
 * partial-order reduction misses outcomes (test_primitives_model.c has a program), so
 * they say that they write it.
 *
 * Readers do not order each other's memory.  So there are two objects for
 * happens-before: at the lock's address what writers leave behind, which everyone
 * gets to know; at the next address what readers do, which only writers do. */
#include <errno.h>

#include "control/sched/primitive.h"

RDL__ASKED_FOR(rwlock);

enum { WRITE_PHASE = 1, WRITE_LOCKED = 2, ONE_READER = 8 };

#define DESTROYED 0xdead10cu /* in __flags */

static const char *name_of(const pthread_rwlock_t *lock)
{
    return rdl__object_name((uintptr_t)lock, "rwlock");
}

static uintptr_t by_readers(const pthread_rwlock_t *lock)
{
    return (uintptr_t)lock + 1;
}

static bool is_destroyed(const pthread_rwlock_t *lock)
{
    return lock->__data.__flags == DESTROYED;
}

static bool has_writer(const pthread_rwlock_t *lock)
{
    return lock->__data.__readers & WRITE_LOCKED;
}

static unsigned reader_count(const pthread_rwlock_t *lock)
{
    return lock->__data.__readers / ONE_READER;
}

static bool prefers_writers(const pthread_rwlock_t *lock)
{
    return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

/* Who waits for a lock that is destroyed must not wait any longer. */
static bool can_read(void *what)
{
    const pthread_rwlock_t *lock = what;

    return is_destroyed(lock) ||
           (!has_writer(lock) && !(prefers_writers(lock) && lock->__data.__writers > 0));
}

static bool can_write(void *what)
{
    const pthread_rwlock_t *lock = what;

    return is_destroyed(lock) || (!has_writer(lock) && reader_count(lock) == 0);
}

/* What the C library would write into __cur_writer.  It does not tell, but writes
 * the same number into a mutex. */
static int own_number(void)
{
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

    RDL__NEXT(pthread_mutex_lock)(&mutex);
    return mutex.__data.__owner;
}

/* Threads that come after one another may have the same number: only one that is
 * known to hold the lock, or may have locked it before control began, or has too
 * many locks to remember them all, has locked it. */
static bool is_writer(struct rdl__thread *self, const pthread_rwlock_t *lock)
{
    return has_writer(lock) && lock->__data.__cur_writer == own_number() &&
           (rdl__held_by(self, (uintptr_t)lock) || !self->donor ||
            self->hold_count == RDL__HOLDS_MAX);
}

static void look_at(struct rdl__thread *self, const pthread_rwlock_t *lock, const char *verb,
                    uintptr_t pc)
{
    if (lock->__data.__flags > PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP)
        rdl__wrong_use(pc, "%s %s %s, which %s", rdl__thread_name(self), verb, name_of(lock),
                       is_destroyed(lock) ? "has been destroyed" : "was never initialised");
}

/* ---- Locking and unlocking ---------------------------------------------------------- */

static int become_reader(struct rdl__thread *self, pthread_rwlock_t *lock, uintptr_t pc)
{
    lock->__data.__readers = (reader_count(lock) + 1) * ONE_READER;
    lock->__data.__wrphase_futex = 0;
    rdl__got(self, (uintptr_t)lock, pc, true);
    rdl__hb_acquire(self, (uintptr_t)lock);
    rdl__changed((uintptr_t)lock);
    return 0;
}

static int become_writer(struct rdl__thread *self, pthread_rwlock_t *lock, uintptr_t pc)
{
    lock->__data.__readers = WRITE_PHASE | WRITE_LOCKED;
    lock->__data.__wrphase_futex = 1;
    lock->__data.__writers_futex = 1;
    lock->__data.__cur_writer = own_number();
    rdl__got(self, (uintptr_t)lock, pc, false);
    rdl__hb_acquire(self, (uintptr_t)lock);
    rdl__hb_acquire(self, by_readers(lock));
    rdl__changed((uintptr_t)lock);
    return 0;
}

static int read_lock(struct rdl__thread *self, pthread_rwlock_t *lock, uint64_t deadline,
                     uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_READ_LOCK, RDL__ON_RWLOCK, lock, pc);

    look_at(self, lock, "locks", pc);
    if (is_writer(self, lock))
        return EDEADLK;
    if (rdl__await(self, &op, can_read, lock, deadline) != RDL__READY)
        return ETIMEDOUT;
    look_at(self, lock, "locks", pc);
    return become_reader(self, lock, pc);
}

/* Where writers are preferred, a writer that waits keeps readers away, but one
 * that has only come to the call does not. */
static enum rdl__woken wait_preferred(struct rdl__thread *self, pthread_rwlock_t *lock,
                                      const struct rdl__op *op, uint64_t deadline)
{
    enum rdl__woken woken;

    rdl__point(self, op);
    if (can_write(lock))
        return RDL__READY;
    lock->__data.__writers++;
    rdl__changed((uintptr_t)lock);
    woken = rdl__await(self, op, can_write, lock, deadline);
    lock->__data.__writers--;
    rdl__changed((uintptr_t)lock);
    return woken;
}

static int write_lock(struct rdl__thread *self, pthread_rwlock_t *lock, uint64_t deadline,
                      uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_WRITE_LOCK, RDL__ON_RWLOCK, lock, pc);
    enum rdl__woken woken;

    look_at(self, lock, "locks", pc);
    if (is_writer(self, lock))
        return EDEADLK;
    woken = prefers_writers(lock) ? wait_preferred(self, lock, &op, deadline)
                                  : rdl__await(self, &op, can_write, lock, deadline);
    if (woken != RDL__READY)
        return ETIMEDOUT;
    look_at(self, lock, "locks", pc);
    return become_writer(self, lock, pc);
}

static void end_writing(struct rdl__thread *self, pthread_rwlock_t *lock)
{
    rdl__hb_release(self, (uintptr_t)lock);
    lock->__data.__cur_writer = 0;
    lock->__data.__writers_futex = 0;
    lock->__data.__wrphase_futex = 0;
    lock->__data.__readers = 0;
}

static void end_reading(struct rdl__thread *self, pthread_rwlock_t *lock)
{
    rdl__hb_release(self, by_readers(lock));
    lock->__data.__readers -= ONE_READER;
}

/* How often threads of ours have locked it; more than that was before control began. */
static unsigned holds_known(const pthread_rwlock_t *lock)
{
    unsigned count = 0;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__hold *hold = NULL;

        if (rdl__sched.threads[id]->state == RDL__ALIVE)
            hold = rdl__held_by(rdl__sched.threads[id], (uintptr_t)lock);
        count += hold ? hold->count : 0;
    }
    return count;
}

/* The thread unlocks it; may it? */
static void look_at_holder(struct rdl__thread *self, pthread_rwlock_t *lock, uintptr_t pc)
{
    struct rdl__thread *holder;

    look_at(self, lock, "unlocks", pc);
    if (!has_writer(lock) && reader_count(lock) == 0)
        rdl__wrong_use(pc, "%s unlocks %s, which is not locked", rdl__thread_name(self),
                       name_of(lock));
    if (rdl__held_by(self, (uintptr_t)lock) ||
        (has_writer(lock) ? is_writer(self, lock) : reader_count(lock) > holds_known(lock)))
        return;
    holder = rdl__holder((uintptr_t)lock);
    rdl__wrong_use(pc, "%s unlocks %s, which %s holds for %s", rdl__thread_name(self),
                   name_of(lock), holder ? rdl__thread_name(holder) : "somebody else",
                   has_writer(lock) ? "writing" : "reading");
}

static void unlock(struct rdl__thread *self, pthread_rwlock_t *lock, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_UNLOCK, RDL__ON_RWLOCK, lock, pc);

    rdl__point(self, &op);
    look_at_holder(self, lock, pc);
    if (has_writer(lock))
        end_writing(self, lock);
    else
        end_reading(self, lock);
    if (rdl__held_by(self, (uintptr_t)lock))
        rdl__gave(self, (uintptr_t)lock);
    rdl__changed((uintptr_t)lock);
    rdl__after(self, pc);
}

/* ---- Interposed ------------------------------------------------------------------- */

RDL__INTERPOSE int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_rdlock)(lock);
    return read_lock(self, lock, RDL__FOREVER, RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_wrlock)(lock);
    return write_lock(self, lock, RDL__FOREVER, RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_rwlock_tryrdlock)(lock);
    op = rdl__op_try(self, RDL__ON_RWLOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "tries to lock", op.pc);
    if (rdl__is_refused(self, &op, !can_read(lock) || rdl__fault(RDL__FAULT_TRYLOCK)))
        return EBUSY;
    return become_reader(self, lock, op.pc);
}

RDL__INTERPOSE int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_rwlock_trywrlock)(lock);
    op = rdl__op_try(self, RDL__ON_RWLOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "tries to lock", op.pc);
    if (rdl__is_refused(self, &op, !can_write(lock) || rdl__fault(RDL__FAULT_TRYLOCK)))
        return EBUSY;
    return become_writer(self, lock, op.pc);
}

RDL__INTERPOSE int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
                                              const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_timedrdlock)(lock, when);
    if (!rdl__is_time(CLOCK_REALTIME, when))
        return EINVAL;
    return read_lock(self, lock, rdl__deadline_at(CLOCK_REALTIME, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
                                              const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_timedwrlock)(lock, when);
    if (!rdl__is_time(CLOCK_REALTIME, when))
        return EINVAL;
    return write_lock(self, lock, rdl__deadline_at(CLOCK_REALTIME, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                              const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_clockrdlock)(lock, clock, when);
    if (!rdl__is_time(clock, when))
        return EINVAL;
    return read_lock(self, lock, rdl__deadline_at(clock, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                              const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_clockwrlock)(lock, clock, when);
    if (!rdl__is_time(clock, when))
        return EINVAL;
    return write_lock(self, lock, rdl__deadline_at(clock, when), RDL__CALLER);
}

RDL__INTERPOSE int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(pthread_rwlock_unlock)(lock);
    unlock(self, lock, RDL__CALLER);
    return 0;
}

RDL__INTERPOSE int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct rdl__thread *self = rdl__self(), *holder;
    struct rdl__op op;

    if (!self)
        return RDL__NEXT(pthread_rwlock_destroy)(lock);
    op = rdl__op_on(RDL__OP_DESTROY, RDL__ON_RWLOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    look_at(self, lock, "destroys", op.pc);
    holder = rdl__holder((uintptr_t)lock);
    if (has_writer(lock) || reader_count(lock) > 0)
        rdl__wrong_use(op.pc, "%s destroys %s, which %s holds", rdl__thread_name(self),
                       name_of(lock), holder ? rdl__thread_name(holder) : "somebody");
    lock->__data.__flags = DESTROYED;
    rdl__changed((uintptr_t)lock);
    return 0;
}
