/* track.h -- what is kept of each thread's accesses to memory.
 *
 * Code compiled with -fsanitize=thread calls us before every access that others
 * might see (access.c, atomic.c).  Each such call is a point where threads may be
 * switched; and it is looked at for races (race.c), which takes knowing what
 * happened before what (order.c), and for loops that only wait (spin.c). */
#ifndef RDL__TRACK_H
#define RDL__TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "control/sched/sched.h"

/* How memory is accessed. */
enum {
    RDL__HOW_WRITE = 1,
    RDL__HOW_ATOMIC = 2,
    RDL__HOW_VOLATILE = 4,
    RDL__HOW_FREE = 8, /* given back to the allocator: a write of all of it */

    RDL__HOW_UPDATE = 16, /* a write that begins with a read: no event says so */
};

/* The registers that a call preserves, as they were in the code under test when it
 * called us, its return address, and above that its stack. */
struct rdl__entry {
    uintptr_t unknown; /* the registers are not known after all */
    uintptr_t registers[6];
    uintptr_t pc;
    uintptr_t stack[];
};

struct rdl__frame {
    uintptr_t pc;     /* where the function was called */
    uintptr_t stack;  /* and where its frame is: further down than its caller's */
    bool from_unseen; /* its caller does not tell of its accesses */
};

/* A value that a thread read while it seemed to do nothing but wait. */
struct rdl__seen {
    uintptr_t address;
    uint64_t value;
    uint32_t size;
    bool own; /* the thread itself has changed it since: a variable on its stack */
};

enum { RDL__SEEN_MAX = 32, RDL__FRAMES_KEPT = 64 };

struct rdl__track {
    /* Its own stack, as far as it is nobody else's business; and not watched, unless others
     * are known to meddle with stacks: then unwatched is 0. */
    uintptr_t mine_low, mine_size, unwatched;

    /* spin.c */
    uint32_t reads;   /* since the anchor was dropped, or met again */
    uint32_t look_at; /* take a closer look when there are so many */
    uintptr_t anchor; /* an address that we wait to see read again; 0: none */
    bool changed;     /* the thread may have changed something since */

    /* race.c: events of this thread since it last told others anything, first those of
     * plain accesses, then those of atomic ones */
    uint32_t block[2];      /* they have numbers from here on, */
    uint32_t block_room[2]; /* at most so many */
    uint32_t block_used[2];

    /* order.c */
    uint32_t column; /* its place in all clocks */
    uint32_t *clock; /* how far into each thread's past it can see */
    bool fence_released, fence_pending;
    uint64_t execution; /* in which all this was written */

    /* spin.c again */
    uintptr_t anchor_pc;
    uint64_t anchor_value;
    uint32_t hits; /* how often the anchor was met with nothing changed */
    uint32_t same; /* and the thread in the same state */
    uint32_t same_wanted, window, pause;
    uint64_t more;      /* registers that a call would not preserve, of inline assembly */
    uint64_t near, far; /* its state when it began to be recorded what the thread sees */
    bool recording;
    bool stuck;  /* it waits for one of the values it saw to change */
    bool doubt;  /* nobody else can run: have another look */
    bool proven; /* it has had one, and found nothing */
    uint32_t seen_count;
    struct rdl__seen seen[RDL__SEEN_MAX];

    /* access.c */
    uintptr_t stack_low, stack_high;
    uintptr_t shared_from; /* of the stack, this and what is above may be known to others */
    uint32_t ignoring;     /* > 0: nothing is watched */
    uint32_t surplus;      /* of the next access: bytes at its end that are in no race */
    uintptr_t unsure;      /* of the next access: bytes at its end that may not be accessed */
    uint32_t depth; /* of calls; the innermost ones are kept, frame n at n % RDL__FRAMES_KEPT */
    struct rdl__frame frames[RDL__FRAMES_KEPT];
};

/* ---- order.c ----------------------------------------------------------------------- */

extern bool rdl__races_on; /* are races looked for? */

/* Only one thread is there, and all that others did happened before what it does:
 * nothing it does can race, and nobody can come between. */
extern bool rdl__alone;

/* An atomic operation on this memory, in terms of what others may conclude from
 * it.  `acquires` and `releases` are what its memory order says.  Has a load that acquires told the
 * thread anything new? */
bool rdl__order_load(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires);
void rdl__order_store(struct rdl__track *track, uintptr_t address, uintptr_t size, bool releases);
void rdl__order_update(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires,
                       bool releases);
void rdl__order_fence(struct rdl__track *track, bool acquires, bool releases);

/* The thread enters code that is not seen: what threads did before they did so last may have
 * happened before what it does from here on, and so it is assumed.  Is that all that would put this
 * moment of a thread before what another one does now? */
void rdl__order_assume(struct rdl__track *track);
bool rdl__order_is_assumed(const struct rdl__track *track, uint32_t column, uint32_t clock);

/* Which thread a column of the clocks belongs to now, or did last. */
struct rdl__thread *rdl__column_thread(uint32_t column);

/* ---- volatile.c ------------------------------------------------------------------------ */

/* RDL__HOW_ATOMIC, if accesses to volatile variables race with no other such access; else 0. */
extern unsigned rdl__volatile_as;

/* An execution begins, in which they mean this: RDL__VOLATILE_ACQ_REL and the like. */
void rdl__volatile_begin(uint32_t volatiles);

/* How a volatile access of this memory is meant; to be added to how it is made.  The CPU does
 * aligned ones of up to eight bytes at once. */
static inline unsigned rdl__volatile_how(uintptr_t address, uintptr_t size)
{
    return size > 8 || address & (size - 1) ? RDL__HOW_VOLATILE
                                            : RDL__HOW_VOLATILE | rdl__volatile_as;
}

/* The thread makes one that rdl__volatile_how has called atomic: what may others conclude? */
void rdl__volatile_order(struct rdl__track *track, uintptr_t address, uintptr_t size, unsigned how);

/* ---- race.c -------------------------------------------------------------------------- */

/* Every eight bytes of memory have one of these.  An entry is the number of an
 * event, an access that was made of that byte; 0, or any number below
 * rdl__event_base: none in this execution. */
struct rdl__cell {
    uint32_t written[8], read[8];
};

enum { RDL__REGION_BITS = 24, RDL__REGIONS = 1 << (47 - RDL__REGION_BITS) };
extern char *rdl__regions[RDL__REGIONS]; /* cells of 16 MiB each; NULL: none yet */

struct rdl__access {
    uintptr_t pc;
    uintptr_t address; /* of the first byte that is raced for */
    uint32_t event;    /* its number */
    uint32_t column, clock, size;
    unsigned how;
};

enum { RDL__RACING_MAX = 16 }; /* earlier accesses that one access races with */

/* A function of ours has filled this memory for code that tells of its accesses: for those that may
 * wait, since others may use the memory until they return. */
void rdl__wrote(const void *at, uintptr_t size, uintptr_t pc);
void rdl__wrote_some(const void *at, uintptr_t size, uintptr_t sure, uintptr_t pc);

/* The thread makes this access.  With how many earlier ones does it race?  Nothing is forgotten of
 * these, so that each access that races with any is found to race with one at least. */
uint32_t rdl__race_find(struct rdl__track *track, uintptr_t address, uintptr_t size, unsigned how,
                        uintptr_t pc, struct rdl__access out_earlier[RDL__RACING_MAX]);

/* The same; the races are met. */
void rdl__race_access(struct rdl__thread *self, uintptr_t address, uintptr_t size, unsigned how,
                      uintptr_t pc);

/* Nobody knows anything of this memory: it has just been allocated. */
void rdl__race_fresh(uintptr_t address, uintptr_t size);

/* How large a block of the heap is, as its allocator says; 1: it cannot be asked. */
size_t rdl__block_size(void *block);

/* races.c: two accesses race.  The execution goes on, unless this is the race it is made for. */
void rdl__race_met(struct rdl__thread *self, const struct rdl__access *now,
                   const struct rdl__access *earlier);

/* The calls that led to an access, by the number of its event; none unless steps are recorded. */
void rdl__race_callers(uint32_t event, struct rdl__callers *out);

void rdl__race_begin(void);                      /* an execution */
void rdl__race_thread(struct rdl__track *track); /* a thread in it */

/* Is this event one of the thread's, of this time and kind? */
__attribute__((always_inline)) static inline bool rdl__race_is_own(const struct rdl__track *track,
                                                                   uint32_t event, unsigned how)
{
    int kind = how & RDL__HOW_ATOMIC ? 1 : 0;

    return event - track->block[kind] < track->block_room[kind];
}

/* Are these entries of a cell, of so many bytes, all the same event, and such a one? */
__attribute__((always_inline)) static inline bool rdl__race_are_own(const struct rdl__track *track,
                                                                    const uint32_t *entries,
                                                                    uint32_t size, unsigned how)
{
    uint64_t pair = (uint64_t)*entries << 32 | *entries, found[4];

    if (!rdl__race_is_own(track, *entries, how))
        return false;
    if (size == 1)
        return true;
    __builtin_memcpy(found, entries, size * sizeof *entries);
    if (size == 2)
        return found[0] == pair;
    if (size == 4)
        return ((found[0] ^ pair) | (found[1] ^ pair)) == 0;
    return ((found[0] ^ pair) | (found[1] ^ pair) | (found[2] ^ pair) | (found[3] ^ pair)) == 0;
}

/* Has the thread accessed this in the same way before, since it last told others
 * anything?  Then nothing new can come of it.  (FastTrack's "same epoch", Flanagan
 * and Freund 2009.)  What races with a read races with a write of that time, too.
 * Sizes 1, 2, 4, 8; a constant, for the sake of speed. */
__attribute__((always_inline)) static inline bool
rdl__race_known(const struct rdl__track *track, uintptr_t address, uint32_t size, unsigned how)
{
    const char *region = rdl__regions[address >> RDL__REGION_BITS & (RDL__REGIONS - 1)];
    const struct rdl__cell *cell;

    if (!region || (address & 7) + size > 8)
        return false;
    cell = (const struct rdl__cell *)(region + ((address & 0xfffff8) << 3));
    return rdl__race_are_own(track, cell->written + (address & 7), size, how) ||
           (!(how & RDL__HOW_WRITE) &&
            rdl__race_are_own(track, cell->read + (address & 7), size, how));
}

/* The thread has told others something: a new time begins for it. */
static inline void rdl__race_new_time(struct rdl__track *track)
{
    for (int kind = 0; kind < 2; kind++) {
        track->block[kind] += track->block_used[kind];
        track->block_room[kind] -= track->block_used[kind];
        track->block_used[kind] = 0;
    }
}

/* ---- spin.c ----------------------------------------------------------------------------- */

/* A closer look is due: the thread may be in a loop that only waits. */
static inline bool rdl__spin_suspects(struct rdl__track *track, uintptr_t address)
{
    return ++track->reads >= track->look_at || address == track->anchor;
}

/* The closer look, when the thread is about to read, or to do something that may turn
 * out to change nothing.  True: it has waited for its turn, and for something to
 * change; this was its point.  Else it may have become polite. */
bool rdl__spin_look(struct rdl__thread *self, const struct rdl__entry *entry, struct rdl__op *op);

/* It is about to read this, now that it is its turn.  Only while recording. */
void rdl__spin_read(struct rdl__track *track, uintptr_t address, uintptr_t size);

void rdl__spin_begin(struct rdl__track *track);

/* ---- atomic.c ----------------------------------------------------------------------------- */

/* Inline assembly is to do an atomic operation on this: wait for the thread's turn. */
void rdl__atomic_await(uintptr_t address, uint32_t size, const struct rdl__entry *entry);

/* It is its turn: what the assembly is about to do, as one atomic operation with all its order: it
 * reads, and perhaps writes.  `changes`: the value will be another one. */
void rdl__atomic_access(uintptr_t address, uint32_t size, bool writes, bool changes,
                        const struct rdl__entry *entry);

/* ---- access.c ----------------------------------------------------------------------------- */

void rdl__track_begin(struct rdl__thread *thread);

/* An access of any size, by the running code: as if a compiler had told us. */
void rdl__access(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc);

/* The same of at most so many bytes: only the first ones are accessed for certain. */
void rdl__access_some(uintptr_t address, uintptr_t size, uintptr_t sure, unsigned how,
                      uintptr_t pc);

/* The slow way; slow.h has the last argument. */
void rdl__access_slowly(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc,
                        const struct rdl__entry *entry);

void rdl__track_ignore(struct rdl__thread *self, bool ignore); /* may be nested */

/* Somebody else knows this address.  If it is on the thread's stack: from there
 * upwards that is watched like any memory. */
void rdl__track_share(struct rdl__thread *owner, uintptr_t address);

/* The thread touches something that may be on another one's stack. */
extern uintptr_t rdl__stacks_low; /* no thread has a stack below this */
void rdl__track_touched(struct rdl__thread *self, uintptr_t address);

#endif
