/* libc_locks.c -- locks within the C library that are held while other code runs:
 * of streams, between flockfile and funlockfile, and of the loader, while it calls
 * constructors.
 *
 * The locks are real ones: a controlled thread that had to wait for one would stop
 * all of them.  So a stream's is taken only when no other controlled thread has it,
 * and as long as a thread has any it stays the running one if that is possible.
 *
 * A library that is loaded by a controlled thread is looked for as if this library
 * had asked for it: the search path that the caller's own file may have is not
 * used. */
#include <dlfcn.h>
#include <stdio.h>

#include "control/sched/inner.h"
#include "control/sched/primitive.h"

struct claim {
    struct rdl__thread *self;
    FILE *file;
};

static bool nobody_else_has_it(void *what)
{
    const struct claim *claim = what;
    struct rdl__thread *holder = rdl__holder((uintptr_t)claim->file);

    return !holder || holder == claim->self;
}

static void hold(struct rdl__thread *self, FILE *file, uintptr_t pc)
{
    self->no_switch++;
    rdl__got(self, (uintptr_t)file, pc, true); /* that is: it counts */
    rdl__hb_acquire(self, (uintptr_t)file);
    rdl__changed((uintptr_t)file);
}

/* ---- Interposed: streams ------------------------------------------------------------ */

RDL__INTERPOSE void flockfile(FILE *file)
{
    struct rdl__thread *self = rdl__self();

    if (self) {
        struct claim claim = {self, file};
        struct rdl__op op = rdl__op_on(RDL__OP_LOCK, file, RDL__CALLER);

        rdl__await(self, &op, nobody_else_has_it, &claim, RDL__FOREVER);
        hold(self, file, op.pc);
    }
    RDL__NEXT(flockfile)(file);
}

RDL__INTERPOSE int ftrylockfile(FILE *file)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;
    int busy;

    if (!self)
        return RDL__NEXT(ftrylockfile)(file);
    op = rdl__op_on(RDL__OP_TRYLOCK, file, RDL__CALLER);
    rdl__point(self, &op);
    busy = rdl__fault(RDL__FAULT_TRYLOCK) ? 1 : RDL__NEXT(ftrylockfile)(file);
    if (!busy)
        hold(self, file, op.pc);
    return busy;
}

RDL__INTERPOSE void funlockfile(FILE *file)
{
    struct rdl__thread *self = rdl__self(), *holder;
    uintptr_t pc = RDL__CALLER;

    if (!self || !(holder = rdl__holder((uintptr_t)file))) {
        RDL__NEXT(funlockfile)(file);
        return;
    }
    if (holder != self)
        rdl__wrong_use(pc, "%s unlocks %s, which %s holds", rdl__thread_name(self),
                       rdl__object_name((uintptr_t)file, "stream"), rdl__thread_name(holder));
    rdl__hb_release(self, (uintptr_t)file);
    RDL__NEXT(funlockfile)(file);
    rdl__gave(self, (uintptr_t)file);
    self->no_switch--;
    rdl__changed((uintptr_t)file);
    rdl__after(self, pc);
}

/* ---- Interposed: the loader --------------------------------------------------------- */

RDL__INTERPOSE void *dlopen(const char *file, int mode)
{
    struct rdl__thread *self = rdl__self();
    void *library;

    if (!self)
        return RDL__NEXT(dlopen)(file, mode);
    rdl__fast_count();
    self->no_switch++;
    library = RDL__NEXT(dlopen)(file, mode);
    self->no_switch--;
    return library;
}

RDL__INTERPOSE int dlclose(void *library)
{
    struct rdl__thread *self = rdl__self();
    int result;

    if (!self)
        return RDL__NEXT(dlclose)(library);
    rdl__fast_count();
    self->no_switch++;
    result = RDL__NEXT(dlclose)(library);
    self->no_switch--;
    return result;
}
