/* access.c -- accesses to memory, as code compiled with -fsanitize=thread tells of
 * them.  These are the functions that gcc and clang call: just before each access,
 * and at the beginning and end of each function.
 *
 * Almost all calls have nothing to tell, and it is they that have to be fast: the
 * address is on the thread's own stack; or no switch is due, and the thread has
 * made the same access before (rdl__race_known).  What is left goes the slow way,
 * by a jump, so that the registers are still those of the code under test. */
#include <string.h>

#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/slow.h"
#include "control/sched/track.h"

bool rdl__instrumented;
uintptr_t rdl__stacks_low;

static struct rdl__track tracks[RDL__THREADS_MAX];

/* ---- Whose memory it is ------------------------------------------------------------------- */

enum { BELOW_BODY = 4096 };

static void track_all_but(struct rdl__track *track)
{
    track->mine_low = track->ignoring ? 0 : track->stack_low;
    track->mine_size = track->ignoring ? UINTPTR_MAX : track->shared_from - track->stack_low;
    track->unwatched = rdl__sched.stacks && !track->ignoring ? 0 : track->mine_size;
}

void rdl__track_begin(struct rdl__thread *thread)
{
    struct rdl__track *track = thread->track = &tracks[thread->id];

    track->stack_low = thread->stack_low;
    track->stack_high = thread->stack_high;
    if (!thread->donor) {
        /* The stack of the process: what lies above the code under test is ours. */
        uintptr_t here = (uintptr_t)__builtin_frame_address(0) + BELOW_BODY;

        if (track->stack_high > here)
            track->stack_high = here;
        rdl__stacks_low = thread->stack_low;
        rdl__spinners = 0;
    }
    if (rdl__stacks_low > thread->stack_low)
        rdl__stacks_low = thread->stack_low;
    track->shared_from = track->stack_high;
    track->ignoring = track->depth = 0;
    track_all_but(track);
    rdl__spin_begin(track);
}

void rdl__track_share(struct rdl__thread *owner, uintptr_t address)
{
    struct rdl__track *track = owner->track;

    if (address >= track->stack_low && address < track->shared_from) {
        track->shared_from = address;
        track_all_but(track);
    }
}

/* The stack of a thread that has ended may be that of another one by now. */
void rdl__track_touched(struct rdl__thread *self, uintptr_t address)
{
    bool of_living = false, of_ended = false;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__thread *owner = rdl__sched.threads[id];
        const struct rdl__track *track = owner->track;

        if (owner->state != RDL__ALIVE) {
            of_ended |= track && address >= track->stack_low && address < track->shared_from;
            continue;
        }
        of_living |= address >= track->stack_low && address < track->stack_high;
        if (owner != self) {
            rdl__sched.summary->stacks |=
                address >= track->stack_low && address < track->shared_from;
            rdl__track_share(owner, address);
        }
    }
    rdl__sched.summary->stacks |= of_ended && !of_living;
}

void rdl__track_ignore(struct rdl__thread *self, bool ignore)
{
    struct rdl__track *track = self->track;

    if (ignore)
        track->ignoring++;
    else if (track->ignoring > 0)
        track->ignoring--;
    track_all_but(track);
}

/* ---- The slow way ------------------------------------------------------------------------- */

/* rdl__access_slowly with the registers as its last argument. */
void rdl__access_registers(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc)
    __attribute__((visibility("hidden")));
__asm__(RDL__WITH_REGISTERS("rdl__access_registers", "rdl__access_slowly", "%r8",
                            ".hidden rdl__access_registers"));

/* rdl__race_known, of any size. */
__attribute__((always_inline)) static inline bool
is_known(const struct rdl__track *track, uintptr_t address, uintptr_t size, unsigned how)
{
    switch (size) {
    case 1:
        return rdl__race_known(track, address, 1, how);
    case 2:
        return rdl__race_known(track, address, 2, how);
    case 4:
        return rdl__race_known(track, address, 4, how);
    case 8:
        return rdl__race_known(track, address, 8, how);
    case 16:
        return rdl__race_known(track, address, 8, how) &&
               rdl__race_known(track, address + 8, 8, how);
    default:
        return false;
    }
}

/* Does the access race, and what does it tell others?  An update that is not made at once races
 * with any write, since one of the two may get lost. */
static void judge(struct rdl__thread *self, uintptr_t address, uintptr_t size, unsigned how,
                  bool updates, uintptr_t pc)
{
    struct rdl__track *track = self->track;

    if (updates && !is_known(track, address, size, 0))
        rdl__race_access(self, address, size, 0, pc);
    if (!is_known(track, address, size, how))
        rdl__race_access(self, address, size, how, pc);
    if (how & RDL__HOW_ATOMIC)
        rdl__volatile_order(track, address, size, how);
}

void rdl__access_slowly(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc,
                        const struct rdl__entry *entry)
{
    struct rdl__thread *self = rdl__running;
    struct rdl__track *track = self->track;
    bool writes = how & RDL__HOW_WRITE;
    struct rdl__op op = {.kind = writes ? RDL__OP_WRITE : RDL__OP_READ,
                         .touch = writes ? RDL__WRITES : RDL__READS,
                         .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                         .object = address,
                         .pc = pc};
    uintptr_t checked = size - track->surplus, sure = checked - track->unsure;
    bool waited = false, updates = how & RDL__HOW_UPDATE;

    track->surplus = 0;
    track->unsure = 0;
    how &= ~(unsigned)RDL__HOW_UPDATE;
    if (!writes && (track->reads >= track->look_at || address == track->anchor))
        waited = rdl__spin_look(self, entry, &op);
    if (address - track->mine_low < track->unwatched) {
        /* Only a loop makes it matter to others. */
        if (!waited && op.flags & RDL__OP_POLITE)
            rdl__point(self, &op);
    } else {
        if (!waited && !rdl__alone)
            rdl__point(self, &op);
        if (!(how & RDL__HOW_FREE))
            rdl__memory_look(self, address, sure, how, pc);
        if (!rdl__alone && rdl__races_on)
            judge(self, address, checked, how, updates, pc);
    }
    if (!writes && track->recording)
        rdl__spin_read(track, address, size);
}

__attribute__((always_inline)) static inline void look_for_races(struct rdl__thread *self,
                                                                 uintptr_t address, uintptr_t size,
                                                                 unsigned how, uintptr_t pc)
{
    if (rdl__alone || !rdl__races_on)
        return;
    if (!is_known(self->track, address, size, how))
        rdl__race_access(self, address, size, how, pc);
    if (how & RDL__HOW_ATOMIC)
        rdl__volatile_order(self->track, address, size, how);
}

/* Next to memory that may not be accessed; apart from the others, so that those need no stack. */
__attribute__((noinline)) static void touch_edge(struct rdl__thread *self, uintptr_t address,
                                                 uintptr_t size, unsigned how, uintptr_t pc)
{
    rdl__memory_look(self, address, size, how, pc);
    look_for_races(self, address, size, how, pc);
}

__attribute__((always_inline)) static inline void touch(uintptr_t address, uintptr_t size,
                                                        unsigned how, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__track *track;

    if (!self)
        return;
    address = rdl__canonical(address);
    track = self->track;
    if (address - track->mine_low < track->unwatched) {
        if (!(how & RDL__HOW_WRITE) && __builtin_expect(rdl__spin_suspects(track, address), 0))
            rdl__access_registers(address, size, how, pc);
        return;
    }
    if (how & RDL__HOW_WRITE)
        track->changed |= address - track->mine_low >= track->mine_size;
    if ((!(how & RDL__HOW_WRITE) && __builtin_expect(rdl__spin_suspects(track, address), 0)) ||
        (!rdl__alone && !rdl__point_fast(self, how & RDL__HOW_WRITE ? RDL__WRITES : RDL__READS))) {
        rdl__access_registers(address, size, how, pc);
        return;
    }
    if (__builtin_expect(!rdl__shadow_is_clear(address, size), 0))
        touch_edge(self, address, size, how, pc);
    else
        look_for_races(self, address, size, how, pc);
}

/* Of any size: there is no fast way. */
static void access_range(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc)
{
    struct rdl__thread *self = size ? rdl__self() : NULL;

    address = rdl__canonical(address);
    if (!self || address - self->track->mine_low < self->track->unwatched)
        return;
    if (how & RDL__HOW_WRITE)
        self->track->changed = true;
    else
        self->track->reads++;
    rdl__access_registers(address, size, how, pc);
}

void rdl__access(uintptr_t address, uintptr_t size, unsigned how, uintptr_t pc)
{
    access_range(address, size, how, pc);
}

void rdl__access_some(uintptr_t address, uintptr_t size, uintptr_t sure, unsigned how, uintptr_t pc)
{
    struct rdl__thread *self = size ? rdl__self() : NULL;

    if (!self)
        return;
    self->track->unsure = size - sure;
    access_range(address, size, how, pc);
    self->track->unsure = 0;
}

void rdl__wrote_some(const void *at, uintptr_t size, uintptr_t sure, uintptr_t pc)
{
    if (at && rdl__is_instrumented(pc))
        rdl__access_some((uintptr_t)at, size, sure, RDL__HOW_WRITE, pc);
}

void rdl__wrote(const void *at, uintptr_t size, uintptr_t pc)
{
    rdl__wrote_some(at, size, size, pc);
}

/* ---- What compilers call: accesses ---------------------------------------------------------- */

#define HOOK(name, size, how)                                                                      \
    void name(void *address);                                                                      \
    RDL__INTERPOSE void name(void *address)                                                        \
    {                                                                                              \
        touch((uintptr_t)address, size, how, RDL__CALLER);                                         \
    }

#define VOLATILE_HOOK(name, size, how)                                                             \
    void name(void *address);                                                                      \
    RDL__INTERPOSE void name(void *address)                                                        \
    {                                                                                              \
        touch((uintptr_t)address, size, (how) | rdl__volatile_how((uintptr_t)address, size),       \
              RDL__CALLER);                                                                        \
    }

/* Of one size: read, write; as such, unaligned, volatile. */
#define HOOKS(size)                                                                                \
    HOOK(__tsan_read##size, size, 0)                                                               \
    HOOK(__tsan_write##size, size, RDL__HOW_WRITE)                                                 \
    HOOK(__tsan_read_write##size, size, RDL__HOW_WRITE)                                            \
    HOOK(__tsan_unaligned_read##size, size, 0)                                                     \
    HOOK(__tsan_unaligned_write##size, size, RDL__HOW_WRITE)                                       \
    HOOK(__tsan_unaligned_read_write##size, size, RDL__HOW_WRITE)                                  \
    VOLATILE_HOOK(__tsan_volatile_read##size, size, 0)                                             \
    VOLATILE_HOOK(__tsan_volatile_write##size, size, RDL__HOW_WRITE)                               \
    VOLATILE_HOOK(__tsan_unaligned_volatile_read##size, size, 0)                                   \
    VOLATILE_HOOK(__tsan_unaligned_volatile_write##size, size, RDL__HOW_WRITE)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK(__tsan_vptr_read, 8, 0)

void __tsan_vptr_update(void **vptr, void *value);
void __tsan_read_range(void *address, uintptr_t size);
void __tsan_write_range(void *address, uintptr_t size);
void *__tsan_memcpy(void *to, const void *from, uintptr_t size);
void *__tsan_memmove(void *to, const void *from, uintptr_t size);
void *__tsan_memset(void *to, int byte, uintptr_t size);

/* Every constructor of a class hierarchy sets it; only what changes it counts. */
RDL__INTERPOSE void __tsan_vptr_update(void **vptr, void *value)
{
    if (*vptr != value)
        touch((uintptr_t)vptr, sizeof *vptr, RDL__HOW_WRITE, RDL__CALLER);
}

RDL__INTERPOSE void __tsan_read_range(void *address, uintptr_t size)
{
    access_range((uintptr_t)address, size, 0, RDL__CALLER);
}

RDL__INTERPOSE void __tsan_write_range(void *address, uintptr_t size)
{
    access_range((uintptr_t)address, size, RDL__HOW_WRITE, RDL__CALLER);
}

RDL__INTERPOSE void *__tsan_memcpy(void *to, const void *from, uintptr_t size)
{
    access_range((uintptr_t)from, size, 0, RDL__CALLER);
    access_range((uintptr_t)to, size, RDL__HOW_WRITE, RDL__CALLER);
    return memcpy(to, from, size);
}

RDL__INTERPOSE void *__tsan_memmove(void *to, const void *from, uintptr_t size)
{
    access_range((uintptr_t)from, size, 0, RDL__CALLER);
    access_range((uintptr_t)to, size, RDL__HOW_WRITE, RDL__CALLER);
    return memmove(to, from, size);
}

RDL__INTERPOSE void *__tsan_memset(void *to, int byte, uintptr_t size)
{
    access_range((uintptr_t)to, size, RDL__HOW_WRITE, RDL__CALLER);
    return memset(to, byte, size);
}

/* ---- What compilers call: functions ---------------------------------------------------------- */

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

/* Modules name it weakly. */
extern RDL__ASKED_FOR(assembly);
__attribute__((used)) static const char *const asked_for = &rdl__file_assembly;

/* At the start of each module. */
RDL__INTERPOSE void __tsan_init(void)
{
    rdl__instrumented = true;
    rdl__memory_begin();
    rdl__hb_begin_late();
}

/* A function that was left by longjmp does not say so; its frame, then, is further
 * down than that of a function which begins or ends later. */
static void drop_frames_below(struct rdl__track *track, uintptr_t stack)
{
    while (track->depth > 0 &&
           __builtin_expect(track->frames[(track->depth - 1) % RDL__FRAMES_KEPT].stack < stack, 0))
        track->depth--;
}

/* The function that ends; it may have jumped to where it says so ("tail call"), so that it
 * looks as if the one that called it did. */
static struct rdl__frame last_frame(struct rdl__track *track, uintptr_t stack, uintptr_t pc)
{
    struct rdl__frame frame = {0};

    while (track->depth > 0) {
        frame = track->frames[--track->depth % RDL__FRAMES_KEPT];
        if (frame.stack >= stack || frame.pc == pc)
            break;
    }
    return frame;
}

RDL__INTERPOSE void __tsan_func_entry(void *pc)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    struct rdl__frame *frame;

    if (!self)
        return;
    if (rdl__is_openmp((uintptr_t)pc))
        rdl__openmp_calls(self);
    drop_frames_below(self->track, stack + 1);
    frame = &self->track->frames[self->track->depth++ % RDL__FRAMES_KEPT];
    *frame = (struct rdl__frame){
        .pc = (uintptr_t)pc, .stack = stack, .from_unseen = !rdl__is_seen((uintptr_t)pc)};
    if (__builtin_expect(frame->from_unseen, 0))
        rdl__world_meet(self);
}

RDL__INTERPOSE void __tsan_func_exit(void)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__frame frame;

    if (!self)
        return;
    frame = last_frame(self->track, (uintptr_t)__builtin_frame_address(0), RDL__CALLER);
    if (rdl__is_openmp(frame.pc))
        rdl__openmp_is_back(self);
    if (__builtin_expect(frame.from_unseen, 0)) {
        rdl__after(self, frame.pc);
        rdl__world_meet(self);
    }
}
