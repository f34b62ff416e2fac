/* atomic.c -- atomic operations, as code compiled with -fsanitize=thread asks us to
 * do them.
 *
 * They are done in sequence, one thread at a time, whatever memory order is given:
 * that only decides what may be concluded from them (order.c), so that a program
 * which needs more than it asked for has a race.  Callers that are not controlled
 * get the strongest order. */
#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/slow.h"
#include "control/sched/track.h"

static bool acquires(int order)
{
    order &= 0x7fff; /* above are hints for the CPU */
    return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    order &= 0x7fff;
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* The thread's turn has come to do this.  NULL: the caller is not controlled.  What
 * is atomic is meant to be shared, wherever it is. */
static inline struct rdl__track *come_to(const volatile void *object, uint32_t size, unsigned how,
                                         const struct rdl__entry *entry)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t address = rdl__canonical((uintptr_t)object);
    struct rdl__track *track;
    bool waited = false;

    if (!self)
        return NULL;
    track = self->track;
    if (address - track->mine_low < track->mine_size)
        rdl__track_share(self, address);
    if (__builtin_expect(rdl__spin_suspects(track, address), 0) ||
        (!rdl__alone && !rdl__point_fast(self, how & RDL__HOW_WRITE ? RDL__WRITES : RDL__READS))) {
        struct rdl__op op = {.kind = RDL__OP_ATOMIC,
                             .touch = how & RDL__HOW_WRITE ? RDL__WRITES : RDL__READS,
                             .size = size,
                             .object = address,
                             .pc = entry->pc};

        if (track->reads >= track->look_at || address == track->anchor)
            waited = rdl__spin_look(self, entry, &op);
        if (!waited && !rdl__alone)
            rdl__point(self, &op);
        if (track->recording)
            rdl__spin_read(track, address, size);
    }
    return track;
}

/* It does so now, or has just done so. */
static inline void note_access(struct rdl__track *track, const volatile void *object, uint32_t size,
                               unsigned how, const struct rdl__entry *entry)
{
    uintptr_t address = rdl__canonical((uintptr_t)object);

    how |= RDL__HOW_ATOMIC;
    if (track)
        rdl__memory_check(rdl__running, address, size, how, entry->pc);
    if (track && rdl__races_on && !rdl__alone &&
        (size > 8 || !rdl__race_known(track, address, size, how)))
        rdl__race_access(rdl__running, address, size, how, entry->pc);
}

static inline struct rdl__track *enter(const volatile void *object, uint32_t size, unsigned how,
                                       const struct rdl__entry *entry)
{
    struct rdl__track *track = come_to(object, size, how, entry);

    note_access(track, object, size, how, entry);
    return track;
}

static inline bool in_order(const struct rdl__track *track)
{
    return track && rdl__races_on && !rdl__alone;
}

/* What an operation did to the value, if anything; if nothing then, as far as loops
 * are concerned, it was only read.  So to exchange 1 for the 1 of a lock that is
 * taken is to wait. */
static inline void updated(struct rdl__track *track, const volatile void *object, uint32_t size,
                           int order, bool is_changed)
{
    if (!track)
        return;
    track->changed |= is_changed;
    if (in_order(track))
        rdl__order_update(track, rdl__canonical((uintptr_t)object), size, acquires(order),
                          releases(order));
}

static inline void loaded(struct rdl__track *track, const volatile void *object, uint32_t size,
                          int order)
{
    if (in_order(track))
        rdl__order_load(track, rdl__canonical((uintptr_t)object), size, acquires(order));
}

static inline void stored(struct rdl__track *track, const volatile void *object, uint32_t size,
                          int order, bool is_changed)
{
    if (!track)
        return;
    track->changed |= is_changed;
    if (in_order(track))
        rdl__order_store(track, rdl__canonical((uintptr_t)object), size, releases(order));
}

/* ---- Operations ----------------------------------------------------------------------------- */

#define HIDDEN         __attribute__((visibility("hidden")))
#define JOIN3(a, b, c) a##b##c
#define JOIN(a, b, c)  JOIN3(a, b, c)
#define TEXT2(x)       #x
#define TEXT(x)        TEXT2(x)

/* Our function for an operation on BITS bits, and the one that compilers call. */
#define OURS(what)   JOIN(rdl__atomic, BITS, _##what)
#define THEIRS(what) JOIN(__tsan_atomic, BITS, _##what)
#define EXPORT(what, argument)                                                                     \
    __asm__(RDL__WITH_REGISTERS("__tsan_atomic" TEXT(BITS) "_" #what,                              \
                                "rdl__atomic" TEXT(BITS) "_" #what, argument, ""))

#define BITS 8
#define TYPE uint8_t
#include "control/sched/atomic_each.h"

#define BITS 16
#define TYPE uint16_t
#include "control/sched/atomic_each.h"

#define BITS 32
#define TYPE uint32_t
#include "control/sched/atomic_each.h"

#define BITS 64
#define TYPE uint64_t
#include "control/sched/atomic_each.h"

#define BITS 128
#define TYPE unsigned __int128
#include "control/sched/atomic_each.h"

/* ---- Inline assembly ------------------------------------------------------------------------- */

void rdl__atomic_await(uintptr_t address, uint32_t size, const struct rdl__entry *entry)
{
    come_to((const volatile void *)address, size, RDL__HOW_WRITE, entry);
}

void rdl__atomic_access(uintptr_t address, uint32_t size, bool writes, bool changes,
                        const struct rdl__entry *entry)
{
    const volatile void *object = (const volatile void *)address;
    struct rdl__track *track = rdl__running->track;

    note_access(track, object, size, writes ? RDL__HOW_WRITE : 0, entry);
    if (!writes)
        loaded(track, object, size, __ATOMIC_SEQ_CST);
    else
        updated(track, object, size, __ATOMIC_SEQ_CST, changes);
}

/* ---- Fences ---------------------------------------------------------------------------------- */

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

RDL__INTERPOSE void __tsan_atomic_thread_fence(int order)
{
    struct rdl__thread *self = rdl__self();

    if (self && in_order(self->track))
        rdl__order_fence(self->track, acquires(order), releases(order));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

RDL__INTERPOSE void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
