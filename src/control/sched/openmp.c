/* openmp.c -- OpenMP: the functions of libgomp that compilers and programs call.
 *
 * Critical sections and simple locks are ours: they lie where libgomp has them, and look
 * as it has them, 0 for free and 1 for taken.  All else is done by libgomp.  Threads that
 * have to wait do so in system calls, which dispatch.c sees to. */
#include "control/sched/openmp.h"

#include <dlfcn.h>
#include <string.h>

#include "control/sched/primitive.h"
#include "control/sched/track.h"

RDL__ASKED_FOR(openmp);

uintptr_t rdl__openmp_start, rdl__openmp_size;

/* All that threads tell each other through libgomp: as if there were only one team. */
static char team;
#define TEAM ((uintptr_t)&team)

static int critical; /* the section that has no name */

void rdl__openmp_look(void)
{
    void *library =
        rdl__openmp_size == 0 ? RDL__NEXT(dlopen)("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *function = library ? dlsym(library, "GOMP_barrier") : NULL;
    struct dl_find_object found;

    if (function && _dl_find_object(function, &found) == 0) {
        rdl__openmp_start = (uintptr_t)found.dlfo_map_start;
        rdl__openmp_size = (uintptr_t)found.dlfo_map_end - rdl__openmp_start;
    }
    if (library)
        dlclose(library);
}

void rdl__openmp_calls(struct rdl__thread *self)
{
    rdl__hb_acquire(self, TEAM);
}

void rdl__openmp_is_back(struct rdl__thread *self)
{
    rdl__hb_release(self, TEAM);
}

/* ---- Calls that libgomp does ---------------------------------------------------------- */

struct visit {
    struct rdl__thread *self; /* NULL: not a controlled thread's */
    uintptr_t from;           /* where the visit was made from in which this one is */
};

static struct visit enter(uintptr_t pc)
{
    struct visit visit = {.self = rdl__self()};
    struct rdl__op op = rdl__op_on(RDL__OP_TEAM, RDL__ON_MEMORY, &team, pc);

    if (visit.self) {
        rdl__point(visit.self, &op);
        rdl__hb_release(visit.self, TEAM);
        rdl__hb_acquire(visit.self, TEAM);
        visit.from = visit.self->openmp_from;
        visit.self->openmp_from = pc;
    }
    return visit;
}

/* The function runs in other threads, and what it is given may lie on this one's stack. */
static struct visit enter_with(uintptr_t pc, void *data)
{
    struct visit visit = enter(pc);

    if (visit.self && rdl__races_on)
        rdl__track_share(visit.self, (uintptr_t)data);
    return visit;
}

static void leave(struct visit visit)
{
    if (visit.self) {
        rdl__hb_acquire(visit.self, TEAM);
        visit.self->openmp_from = visit.from;
    }
}

/* A program that is linked with this library is to need libgomp all the same.  So these
 * names have the versions that libgomp gives them, and are no default: linkers pass over
 * them, and loaders do not. */
#define DEFINE(type, name, version, parameters)                                                    \
    type name parameters;                                                                          \
    type rdl__##name parameters;                                                                   \
    __asm__(".symver rdl__" #name ", " #name "@" version);                                         \
    RDL__INTERPOSE type rdl__##name parameters

#define VISIT(how, name, version, parameters, arguments)                                           \
    DEFINE(void, name, version, parameters)                                                        \
    {                                                                                              \
        struct visit visit = how;                                                                  \
                                                                                                   \
        RDL__NEXT(name) arguments;                                                                 \
        leave(visit);                                                                              \
    }

#define VISIT_FOR(type, name, version, parameters, arguments)                                      \
    DEFINE(type, name, version, parameters)                                                        \
    {                                                                                              \
        struct visit visit = enter(RDL__CALLER);                                                   \
        type result = RDL__NEXT(name) arguments;                                                   \
                                                                                                   \
        leave(visit);                                                                              \
        return result;                                                                             \
    }

#define PLAIN    enter(RDL__CALLER)
#define PARALLEL enter_with(RDL__CALLER, data)

typedef void body_function(void *data);
typedef void copy_function(void *to, void *from);

VISIT(PARALLEL, GOMP_parallel, "GOMP_4.0",
      (body_function * body, void *data, unsigned threads, unsigned flags),
      (body, data, threads, flags))
VISIT(PARALLEL, GOMP_parallel_sections, "GOMP_4.0",
      (body_function * body, void *data, unsigned threads, unsigned count, unsigned flags),
      (body, data, threads, count, flags))
VISIT_FOR(unsigned, GOMP_parallel_reductions, "GOMP_5.0",
          (body_function * body, void *data, unsigned threads, unsigned flags),
          (body, data, threads, flags))

#define PARALLEL_LOOP(name, version)                                                               \
    VISIT(PARALLEL, name, version,                                                                 \
          (body_function * body, void *data, unsigned threads, long from, long to, long step,      \
           long chunk, unsigned flags),                                                            \
          (body, data, threads, from, to, step, chunk, flags))
PARALLEL_LOOP(GOMP_parallel_loop_static, "GOMP_4.0")
PARALLEL_LOOP(GOMP_parallel_loop_dynamic, "GOMP_4.0")
PARALLEL_LOOP(GOMP_parallel_loop_guided, "GOMP_4.0")
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic, "GOMP_4.5")
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided, "GOMP_4.5")

#define PARALLEL_LOOP_AS_SET(name, version)                                                        \
    VISIT(PARALLEL, name, version,                                                                 \
          (body_function * body, void *data, unsigned threads, long from, long to, long step,      \
           unsigned flags),                                                                        \
          (body, data, threads, from, to, step, flags))
PARALLEL_LOOP_AS_SET(GOMP_parallel_loop_runtime, "GOMP_4.0")
PARALLEL_LOOP_AS_SET(GOMP_parallel_loop_nonmonotonic_runtime, "GOMP_5.0")
PARALLEL_LOOP_AS_SET(GOMP_parallel_loop_maybe_nonmonotonic_runtime, "GOMP_5.0")

/* Who gets the next piece of a loop? */
#define NEXT_PIECE(name, version) VISIT_FOR(bool, name, version, (long *from, long *to), (from, to))
NEXT_PIECE(GOMP_loop_dynamic_next, "GOMP_1.0")
NEXT_PIECE(GOMP_loop_guided_next, "GOMP_1.0")
NEXT_PIECE(GOMP_loop_runtime_next, "GOMP_1.0")
NEXT_PIECE(GOMP_loop_nonmonotonic_dynamic_next, "GOMP_4.5")
NEXT_PIECE(GOMP_loop_nonmonotonic_guided_next, "GOMP_4.5")
NEXT_PIECE(GOMP_loop_nonmonotonic_runtime_next, "GOMP_5.0")
NEXT_PIECE(GOMP_loop_maybe_nonmonotonic_runtime_next, "GOMP_5.0")
NEXT_PIECE(GOMP_loop_ull_dynamic_next, "GOMP_2.0")
NEXT_PIECE(GOMP_loop_ull_guided_next, "GOMP_2.0")
NEXT_PIECE(GOMP_loop_ull_runtime_next, "GOMP_2.0")
NEXT_PIECE(GOMP_loop_ull_nonmonotonic_dynamic_next, "GOMP_4.5")
NEXT_PIECE(GOMP_loop_ull_nonmonotonic_guided_next, "GOMP_4.5")
NEXT_PIECE(GOMP_loop_ull_nonmonotonic_runtime_next, "GOMP_5.0")
NEXT_PIECE(GOMP_loop_ull_maybe_nonmonotonic_runtime_next, "GOMP_5.0")
VISIT_FOR(unsigned, GOMP_sections_next, "GOMP_1.0", (void), ())

VISIT(PLAIN, GOMP_loop_end, "GOMP_1.0", (void), ())
VISIT_FOR(bool, GOMP_loop_end_cancel, "GOMP_4.0", (void), ())
VISIT(PLAIN, GOMP_sections_end, "GOMP_1.0", (void), ())
VISIT_FOR(bool, GOMP_sections_end_cancel, "GOMP_4.0", (void), ())
VISIT_FOR(bool, GOMP_single_start, "GOMP_1.0", (void), ())
VISIT_FOR(void *, GOMP_single_copy_start, "GOMP_1.0", (void), ())
VISIT(PLAIN, GOMP_single_copy_end, "GOMP_1.0", (void *data), (data))
VISIT(PLAIN, GOMP_barrier, "GOMP_1.0", (void), ())
VISIT_FOR(bool, GOMP_barrier_cancel, "GOMP_4.0", (void), ())
VISIT(PLAIN, GOMP_ordered_start, "GOMP_1.0", (void), ())
VISIT(PLAIN, GOMP_ordered_end, "GOMP_1.0", (void), ())

/* Later versions have more arguments; there is no harm in handing on too many. */
VISIT(PARALLEL, GOMP_task, "GOMP_2.0",
      (body_function * body, void *data, copy_function *copy, long size, long align, bool at_all,
       unsigned flags, void **depend, int priority, void *detach),
      (body, data, copy, size, align, at_all, flags, depend, priority, detach))
#define TASKLOOP(name, version)                                                                    \
    VISIT(PARALLEL, name, version,                                                                 \
          (body_function * body, void *data, copy_function *copy, long size, long align,           \
           unsigned flags, unsigned long tasks, int priority, long from, long to, long step),      \
          (body, data, copy, size, align, flags, tasks, priority, from, to, step))
TASKLOOP(GOMP_taskloop, "GOMP_4.5")
TASKLOOP(GOMP_taskloop_ull, "GOMP_4.5")
VISIT(PLAIN, GOMP_taskwait, "GOMP_2.0", (void), ())
VISIT(PLAIN, GOMP_taskwait_depend, "GOMP_5.0", (void **depend), (depend))
VISIT(PLAIN, GOMP_taskyield, "GOMP_3.0", (void), ())
VISIT(PLAIN, GOMP_taskgroup_end, "GOMP_4.0", (void), ())

VISIT(PLAIN, omp_set_nest_lock, "OMP_3.0", (void *lock), (lock))
VISIT(PLAIN, omp_unset_nest_lock, "OMP_3.0", (void *lock), (lock))
VISIT_FOR(int, omp_test_nest_lock, "OMP_3.0", (void *lock), (lock))
VISIT_FOR(int, omp_pause_resource_all, "OMP_5.0", (int kind), (kind))

/* ---- Locks ---------------------------------------------------------------------------- */

static bool is_free(void *what)
{
    return __atomic_load_n((int *)what, __ATOMIC_ACQUIRE) == 0;
}

static void take(struct rdl__thread *self, int *lock, uintptr_t pc)
{
    __atomic_store_n(lock, 1, __ATOMIC_RELEASE);
    rdl__got(self, (uintptr_t)lock, pc, false);
    rdl__hb_acquire(self, (uintptr_t)lock);
    rdl__changed((uintptr_t)lock);
}

static void lock_it(struct rdl__thread *self, enum rdl__thing thing, int *lock, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_LOCK, thing, lock, pc);

    rdl__await(self, &op, is_free, lock, RDL__FOREVER);
    take(self, lock, pc);
}

static void unlock_it(struct rdl__thread *self, enum rdl__thing thing, int *lock, uintptr_t pc)
{
    struct rdl__op op = rdl__op_on(RDL__OP_UNLOCK, thing, lock, pc);
    struct rdl__thread *holder;

    rdl__point(self, &op);
    holder = rdl__holder((uintptr_t)lock); /* a lock may be given back by another thread */
    if (holder)
        rdl__gave(holder, (uintptr_t)lock);
    rdl__hb_release(self, (uintptr_t)lock);
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    rdl__changed((uintptr_t)lock);
    rdl__after(self, pc);
}

#define SECTION(name, version, change, parameters, arguments, lock)                                \
    DEFINE(void, name, version, parameters)                                                        \
    {                                                                                              \
        struct rdl__thread *self = rdl__self();                                                    \
                                                                                                   \
        if (self)                                                                                  \
            change(self, RDL__ON_CRITICAL, lock, RDL__CALLER);                                     \
        else                                                                                       \
            RDL__NEXT(name) arguments;                                                             \
    }

SECTION(GOMP_critical_start, "GOMP_1.0", lock_it, (void), (), &critical)
SECTION(GOMP_critical_end, "GOMP_1.0", unlock_it, (void), (), &critical)
SECTION(GOMP_critical_name_start, "GOMP_1.0", lock_it, (void **section), (section), (int *)section)
SECTION(GOMP_critical_name_end, "GOMP_1.0", unlock_it, (void **section), (section), (int *)section)

/* Operations that processors do not have. */
static int atomic;
SECTION(GOMP_atomic_start, "GOMP_1.0", lock_it, (void), (), &atomic)
SECTION(GOMP_atomic_end, "GOMP_1.0", unlock_it, (void), (), &atomic)

/* Other libraries of OpenMP, which may be there instead, have other locks. */
#define IS_OURS(name) rdl__is_openmp((uintptr_t)RDL__NEXT(name))

DEFINE(void, omp_set_lock, "OMP_3.0", (int *lock))
{
    struct rdl__thread *self = rdl__self();
    struct visit visit;

    if (self && IS_OURS(omp_set_lock)) {
        lock_it(self, RDL__ON_LOCK, lock, RDL__CALLER);
        return;
    }
    visit = enter(RDL__CALLER);
    RDL__NEXT(omp_set_lock)(lock);
    leave(visit);
}

DEFINE(void, omp_unset_lock, "OMP_3.0", (int *lock))
{
    struct rdl__thread *self = rdl__self();
    struct visit visit;

    if (self && IS_OURS(omp_unset_lock)) {
        unlock_it(self, RDL__ON_LOCK, lock, RDL__CALLER);
        return;
    }
    visit = enter(RDL__CALLER);
    RDL__NEXT(omp_unset_lock)(lock);
    leave(visit);
}

DEFINE(int, omp_test_lock, "OMP_3.0", (int *lock))
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op;

    if (!self || !IS_OURS(omp_test_lock)) {
        struct visit visit = enter(RDL__CALLER);
        int result = RDL__NEXT(omp_test_lock)(lock);

        leave(visit);
        return result;
    }
    op = rdl__op_try(self, RDL__ON_LOCK, lock, RDL__CALLER);
    rdl__point(self, &op);
    if (rdl__is_refused(self, &op, !is_free(lock) || rdl__fault(RDL__FAULT_TRYLOCK)))
        return 0;
    take(self, lock, op.pc);
    return 1;
}
