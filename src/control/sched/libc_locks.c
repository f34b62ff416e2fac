/* libc_locks.c -- locks of streams, between flockfile and funlockfile.
 *
 * The locks are real ones: a controlled thread that had to wait for one would stop
 * all of them.  So a stream's lock is taken only when no other controlled thread has it. */
#include <stdio.h>

#include "control/sched/inner.h"
#include "control/sched/primitive.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

/* What a stream's lock looks like. */
struct stream_lock {
    int lock;
    int count;   /* how often more than once */
    void *owner; /* NULL: nobody */
};

RDL__ASKED_FOR(libc_locks);

struct claim {
    struct rdl__thread *self;
    FILE *file;
};

static uintptr_t owner_of(FILE *file)
{
    const struct stream_lock *lock = (const struct stream_lock *)file->_lock;

    return lock ? (uintptr_t)lock->owner : 0;
}

static bool nobody_else_has_it(void *what)
{
    const struct claim *claim = what;
    uintptr_t owner = owner_of(claim->file);

    return !owner || owner == claim->self->fs;
}

bool rdl__stream_is_free(struct rdl__thread *self, FILE *stream)
{
    return nobody_else_has_it(&(struct claim){self, stream});
}

static bool nobody_else_has_any(void *what)
{
    const struct claim *claim = what;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        const struct rdl__thread *thread = rdl__sched.threads[id];

        for (uint32_t i = 0; thread->state == RDL__ALIVE && i < thread->hold_count; i++)
            if (thread != claim->self && thread->holds[i].stream)
                return false;
    }
    return true;
}

void rdl__stream_await(struct rdl__thread *self, FILE *stream, const struct rdl__op *op)
{
    struct claim claim = {self, stream};

    rdl__await(self, op, stream ? nobody_else_has_it : nobody_else_has_any, &claim, RDL__FOREVER);
}

static void hold(struct rdl__thread *self, FILE *file, uintptr_t pc)
{
    struct rdl__hold *held;

    rdl__got(self, (uintptr_t)file, pc, true); /* that is: it counts */
    held = rdl__held_by(self, (uintptr_t)file);
    if (held)
        held->stream = true;
    rdl__hb_acquire(self, (uintptr_t)file);
    rdl__changed((uintptr_t)file);
}

static void look_at_owner(struct rdl__thread *self, FILE *file, uintptr_t pc)
{
    uintptr_t owner = owner_of(file);
    struct rdl__thread *other = rdl__thread_of(owner);
    const char *name = rdl__object_name((uintptr_t)file, "stream");

    if (owner && owner != self->fs)
        rdl__wrong_use(pc, "%s unlocks %s, which %s holds", rdl__thread_name(self), name,
                       other ? rdl__thread_name(other) : "somebody else");
    if (!owner)
        rdl__wrong_use(pc, "%s unlocks %s, which is not locked", rdl__thread_name(self), name);
}

/* Nobody will come back to unlock them, and whoever flushes all streams needs them. */
void rdl__streams_abandon(const struct rdl__thread *thread)
{
    for (uint32_t i = 0; i < thread->hold_count; i++)
        if (thread->holds[i].stream) {
            FILE *file = (FILE *)thread->holds[i].object;

            *(struct stream_lock *)file->_lock = (struct stream_lock){.owner = NULL};
        }
}

void rdl__stream_gone(struct rdl__thread *self, FILE *file)
{
    while (rdl__held_by(self, (uintptr_t)file))
        rdl__gave(self, (uintptr_t)file);
}

/* ---- Interposed: streams ------------------------------------------------------------ */

RDL__INTERPOSE void flockfile(FILE *file)
{
    struct claim claim = {rdl__self(), file};
    struct rdl__op op;

    if (!claim.self) {
        RDL__NEXT(flockfile)(file);
        return;
    }
    op = rdl__op_on(RDL__OP_LOCK, RDL__ON_STREAM, file, RDL__CALLER);
    rdl__await(claim.self, &op, nobody_else_has_it, &claim, RDL__FOREVER);
    RDL__NEXT(flockfile)(file);
    hold(claim.self, file, op.pc);
}

RDL__INTERPOSE int ftrylockfile(FILE *file)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;
    int busy;

    if (!self)
        return RDL__NEXT(ftrylockfile)(file);
    op = rdl__op_try(self, RDL__ON_STREAM, file, RDL__CALLER);
    rdl__point(self, &op);
    busy = rdl__fault(RDL__FAULT_TRYLOCK) ? 1 : RDL__NEXT(ftrylockfile)(file);
    if (!rdl__is_refused(self, &op, busy))
        hold(self, file, op.pc);
    return busy;
}

RDL__INTERPOSE void funlockfile(FILE *file)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t pc = RDL__CALLER;

    if (!self) {
        RDL__NEXT(funlockfile)(file);
        return;
    }
    if (owner_of(file) != self->fs)
        look_at_owner(self, file, pc);
    rdl__hb_release(self, (uintptr_t)file);
    RDL__NEXT(funlockfile)(file);
    if (rdl__held_by(self, (uintptr_t)file))
        rdl__gave(self, (uintptr_t)file);
    rdl__changed((uintptr_t)file);
    rdl__after(self, pc);
}
