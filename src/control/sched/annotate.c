/* annotate.c -- what code tells a race detector of itself, beyond what compilers see.
 *
 * The functions of <sanitizer/tsan_interface.h> and of the older "dynamic
 * annotations".  Those that have no meaning here do nothing, and are there so that
 * code which calls them links. */
#include <stdio.h>
#include <string.h>

#include "control/sched/allowed.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/track.h"
#include "port/maps.h"

/* What we export, declared and defined at once. */
#define EXPORT(type, name, parameters)                                                             \
    type name parameters;                                                                          \
    RDL__INTERPOSE type name parameters

static void acquire(const volatile void *object)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__hb_acquire(self, (uintptr_t)object);
}

static void release(const volatile void *object)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__hb_release(self, (uintptr_t)object);
}

static void ignore(bool on)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__track_ignore(self, on);
}

/* ---- <sanitizer/tsan_interface.h> ----------------------------------------------------------- */

EXPORT(void, __tsan_acquire, (void *object))
{
    acquire(object);
}

EXPORT(void, __tsan_release, (void *object))
{
    release(object);
}

EXPORT(void, __tsan_ignore_thread_begin, (void))
{
    ignore(true);
}

EXPORT(void, __tsan_ignore_thread_end, (void))
{
    ignore(false);
}

/* Mutexes that are not the C library's. */
EXPORT(void, __tsan_mutex_create, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_destroy, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_pre_lock, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

enum { TRY_LOCK_FAILED = 1 << 5 };

EXPORT(void, __tsan_mutex_post_lock, (void *mutex, unsigned flags, int recursion))
{
    (void)recursion;
    if (!(flags & TRY_LOCK_FAILED))
        acquire(mutex);
}

EXPORT(int, __tsan_mutex_pre_unlock, (void *mutex, unsigned flags))
{
    (void)flags;
    release(mutex);
    return 0;
}

EXPORT(void, __tsan_mutex_post_unlock, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_pre_signal, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_post_signal, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_pre_divert, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

EXPORT(void, __tsan_mutex_post_divert, (void *mutex, unsigned flags))
{
    (void)mutex, (void)flags;
}

/* Fibers of the code under test: to us, they are all the thread that runs them. */
EXPORT(void *, __tsan_get_current_fiber, (void))
{
    return rdl__self();
}

EXPORT(void *, __tsan_create_fiber, (unsigned flags))
{
    static char fiber;

    (void)flags;
    return &fiber;
}

EXPORT(void, __tsan_destroy_fiber, (void *fiber))
{
    (void)fiber;
}

EXPORT(void, __tsan_switch_to_fiber, (void *fiber, unsigned flags))
{
    (void)fiber, (void)flags;
}

EXPORT(void, __tsan_set_fiber_name, (void *fiber, const char *name))
{
    (void)fiber, (void)name;
}

EXPORT(void *, __tsan_external_register_tag, (const char *type))
{
    return (void *)type;
}

EXPORT(void, __tsan_external_register_header, (void *tag, const char *header))
{
    (void)tag, (void)header;
}

EXPORT(void, __tsan_external_assign_tag, (void *object, void *tag))
{
    (void)object, (void)tag;
}

EXPORT(void, __tsan_external_read, (void *object, void *pc, void *tag))
{
    (void)tag;
    rdl__access((uintptr_t)object, 1, 0, (uintptr_t)pc);
}

EXPORT(void, __tsan_external_write, (void *object, void *pc, void *tag))
{
    (void)tag;
    rdl__access((uintptr_t)object, 1, RDL__HOW_WRITE, (uintptr_t)pc);
}

EXPORT(void, __tsan_flush_memory, (void)) {}

/* ---- Dynamic annotations --------------------------------------------------------------------- */

typedef const char *file_t; /* where the annotation stands: file and line */

EXPORT(void, AnnotateHappensBefore, (file_t file, int line, const volatile void *object))
{
    (void)file, (void)line;
    release(object);
}

EXPORT(void, AnnotateHappensAfter, (file_t file, int line, const volatile void *object))
{
    (void)file, (void)line;
    acquire(object);
}

EXPORT(void, AnnotateCondVarSignal, (file_t file, int line, const volatile void *object))
{
    (void)file, (void)line;
    release(object);
}

EXPORT(void, AnnotateCondVarSignalAll, (file_t file, int line, const volatile void *object))
{
    (void)file, (void)line;
    release(object);
}

EXPORT(void, AnnotateCondVarWait,
       (file_t file, int line, const volatile void *object, const volatile void *mutex))
{
    (void)file, (void)line, (void)mutex;
    acquire(object);
}

EXPORT(void, AnnotateRWLockAcquired,
       (file_t file, int line, const volatile void *lock, uintptr_t writes))
{
    (void)file, (void)line, (void)writes;
    acquire(lock);
}

EXPORT(void, AnnotateRWLockReleased,
       (file_t file, int line, const volatile void *lock, uintptr_t writes))
{
    (void)file, (void)line, (void)writes;
    release(lock);
}

EXPORT(void, AnnotatePCQPut, (file_t file, int line, const volatile void *queue))
{
    (void)file, (void)line;
    release(queue);
}

EXPORT(void, AnnotatePCQGet, (file_t file, int line, const volatile void *queue))
{
    (void)file, (void)line;
    acquire(queue);
}

EXPORT(void, AnnotateNewMemory,
       (file_t file, int line, const volatile void *memory, uintptr_t size))
{
    (void)file, (void)line;
    if (rdl__self())
        rdl__race_fresh((uintptr_t)memory, size);
}

EXPORT(void, AnnotateBenignRaceSized,
       (file_t file, int line, const volatile void *memory, uintptr_t size, const char *why))
{
    (void)file, (void)line, (void)why;
    rdl__race_allow((uintptr_t)memory, size, rdl__self() == NULL);
}

EXPORT(void, rdl_keep_memory, (const volatile void *memory, uintptr_t size))
{
    rdl__maps_keep((const char *)memory, size);
}

EXPORT(void, AnnotateBenignRace,
       (file_t file, int line, const volatile void *memory, const char *why))
{
    AnnotateBenignRaceSized(file, line, memory, 1, why);
}

EXPORT(void, AnnotateIgnoreReadsBegin, (file_t file, int line))
{
    (void)file, (void)line;
    ignore(true);
}

EXPORT(void, AnnotateIgnoreReadsEnd, (file_t file, int line))
{
    (void)file, (void)line;
    ignore(false);
}

EXPORT(void, AnnotateIgnoreWritesBegin, (file_t file, int line))
{
    (void)file, (void)line;
    ignore(true);
}

EXPORT(void, AnnotateIgnoreWritesEnd, (file_t file, int line))
{
    (void)file, (void)line;
    ignore(false);
}

/* Of all threads; while it is off, points and loops are watched all the same. */
EXPORT(void, AnnotateEnableRaceDetection, (file_t file, int line, int on))
{
    (void)file, (void)line;
    if (rdl__self())
        rdl__race_enable(on);
}

EXPORT(void, AnnotateThreadName, (file_t file, int line, const char *name))
{
    struct rdl__thread *self = rdl__self();

    (void)file, (void)line;
    if (self)
        rdl__thread_rename(self, name);
}

/* Nothing to us. */
#define NOTHING(name, parameters, ...)                                                             \
    EXPORT(void, name, parameters)                                                                 \
    {                                                                                              \
        (void)file, (void)line, ##__VA_ARGS__;                                                     \
    }

NOTHING(AnnotateMutexIsNotPHB, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateMutexIsUsedAsCondVar, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateRWLockCreate, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateRWLockCreateStatic, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateRWLockDestroy, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotatePCQCreate, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotatePCQDestroy, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateTraceMemory, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateNoOp, (file_t file, int line, const volatile void *x), (void)x)
NOTHING(AnnotateExpectRace, (file_t file, int line, const volatile void *x, const char *why),
        (void)x, (void)why)
NOTHING(AnnotatePublishMemoryRange, (file_t file, int line, const volatile void *x, uintptr_t size),
        (void)x, (void)size)
NOTHING(AnnotateUnpublishMemoryRange,
        (file_t file, int line, const volatile void *x, uintptr_t size), (void)x, (void)size)
NOTHING(AnnotateFlushState, (file_t file, int line))
NOTHING(AnnotateFlushExpectedRaces, (file_t file, int line))
NOTHING(AnnotateIgnoreSyncBegin, (file_t file, int line))
NOTHING(AnnotateIgnoreSyncEnd, (file_t file, int line))
