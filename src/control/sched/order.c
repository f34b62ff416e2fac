/* order.c -- what happened before what: clocks of threads and of what they meet in.
 *
 * A thread's clock says, for each thread, how far into that thread's past it can
 * see: what it has been told, directly or through others.  To tell others is to
 * release, to be told is to acquire; in between the knowledge lies with an object:
 * a mutex, an atomic variable.  After each release a thread's own time moves on.
 *
 * Threads have columns in the clocks.  A column is used again only by a thread
 * that could see all of its former owner, so that nothing is mixed up.
 *
 * Code that is not seen may put accesses in order, too, and nobody knows whether it does.  So each
 * clock has a twin, which knows what would have been told in addition if every entry into such code
 * told all of those that came after it.  There are no twins as long as nothing enters such code: up
 * to then they would say the same.
 *
 * There are no clocks as long as no code tells of its accesses.  They begin anew with
 * every execution.  Objects, and where they are kept, are in clocks.h. */
#include <string.h>

#include "control/sched/clocks.h"
#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/track.h"

enum { COLUMNS = RDL__THREADS_MAX };

bool rdl__races_on;
bool rdl__alone;

/* Rows are clocks; only the first rdl__objects.columns numbers of each mean anything.  A row is
 * longer by a line of the cache, or all of them would begin in the same few lines of it. */
typedef uint32_t rows[COLUMNS][COLUMNS + 16];

static rows clocks;
static rows fences;  /* as it was at the last release fence */
static rows pending; /* what relaxed loads saw: for an acquire fence */
/* The same as far as it is assumed: see above. */
static bool assuming;
static rows assumed, assumed_fences, assumed_pending;
static uint32_t owners[COLUMNS]; /* number of the thread whose column it is, or was last */
static bool retired[COLUMNS];    /* that thread's number is another's by now */
static uint32_t threads_created;

/* ---- Telling and being told ------------------------------------------------------------------ */

/* All clocks have room for at least RDL__CLOCK_FEW numbers. */
static void copy(uint32_t *clock, const uint32_t *other, uint32_t count)
{
    if (__builtin_expect(count <= RDL__CLOCK_FEW, 1))
        memcpy(clock, other, RDL__CLOCK_FEW * sizeof *clock);
    else
        memcpy(clock, other, count * sizeof *clock);
}

/* Has the clock changed? */
static bool join(uint32_t *clock, const uint32_t *other, uint32_t count)
{
    bool changed = false;

    for (uint32_t i = 0; i < count; i++)
        if (clock[i] < other[i]) {
            clock[i] = other[i];
            changed = true;
        }
    return changed;
}

/* The thread has told others: what it does from now on they do not know. */
static void move_on(struct rdl__track *track)
{
    track->clock[track->column]++;
    if (__builtin_expect(assuming, 0))
        assumed[track->column][track->column] = track->clock[track->column];
    rdl__race_new_time(track);
}

static bool sees_all(const uint32_t *clock, const struct rdl__object *object)
{
    return object->whose != RDL__NOBODY && clock[object->whose] >= object->when;
}

/* Was any of it new? */
static bool learn(uint32_t *clock, const struct rdl__object *object)
{
    return !sees_all(clock, object) && join(clock, object->clock, object->count);
}

static void learn_assumed(uint32_t *clock, const struct rdl__object *object)
{
    if (object->assumed)
        join(clock, object->assumed, object->assumed_count);
    else
        join(clock, object->clock, object->count);
}

static void tell_assumed(struct rdl__object *object, const uint32_t *clock, bool instead)
{
    rdl__object_assume(object);
    if (instead)
        copy(object->assumed, clock, rdl__objects.columns);
    else
        join(object->assumed, clock, rdl__objects.columns);
}

/* The twin of a clock of this thread. */
static const uint32_t *twin_of(const struct rdl__track *track, const uint32_t *clock)
{
    return clock == track->clock ? assumed[track->column] : assumed_fences[track->column];
}

/* Put this clock, of this thread, into the object, with what is there or, if
 * `instead`, in its place. */
static void tell(struct rdl__object *object, const struct rdl__track *track, const uint32_t *clock,
                 bool instead)
{
    rdl__object_extend(object);
    if (__builtin_expect(assuming, 0))
        tell_assumed(object, twin_of(track, clock), instead || object->head == RDL__NOBODY);
    if (instead || object->head == RDL__NOBODY || sees_all(clock, object)) {
        copy(object->clock, clock, rdl__objects.columns);
        object->whose = track->column;
        object->when = clock[track->column];
    } else {
        join(object->clock, clock, rdl__objects.columns);
        object->whose = RDL__NOBODY;
    }
    if (instead || object->head == RDL__NOBODY)
        object->head = track->column;
    else if (object->head != track->column)
        object->head = RDL__MANY;
}

static bool acquire(struct rdl__track *track, const struct rdl__object *object, bool acquires)
{
    uint32_t *clock = pending[track->column], *twin = assumed_pending[track->column];

    if (__builtin_expect(assuming, 0) && acquires)
        learn_assumed(assumed[track->column], object);
    if (acquires)
        return learn(track->clock, object);
    if (!assuming && sees_all(track->clock, object))
        return false;
    if (!track->fence_pending) {
        memset(clock, 0, rdl__objects.columns * sizeof *clock);
        memset(twin, 0, rdl__objects.columns * sizeof *twin);
    }
    track->fence_pending = true;
    learn(clock, object);
    if (__builtin_expect(assuming, 0))
        learn_assumed(twin, object);
    return false;
}

static bool load_part(struct rdl__track *track, struct rdl__part part, bool acquires)
{
    bool none, is_new = false;
    struct rdl__object *object = rdl__object_at_once(part, &none);

    if (none)
        return false;
    if (__builtin_expect(object != NULL, 1))
        return acquire(track, object, acquires);
    for (size_t at = rdl__object_place(part.word);
         part.bytes && (object = rdl__object_from(part.word, part.bytes, &at)); at++) {
        is_new |= acquire(track, object, acquires);
        part.bytes &= (uint8_t)~object->bytes; /* no other object has these */
    }
    return is_new;
}

bool rdl__order_load(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires)
{
    uintptr_t end = address + size;
    bool is_new = false;

    while (address < end) {
        struct rdl__part part = rdl__part_of(address, end);

        is_new |= load_part(track, part, acquires);
        address = part.word + RDL__WORD;
    }
    return is_new;
}

/* A store that does not release ends the release sequence it comes after, unless
 * that was begun by the same thread.  Where several threads have begun one, we let
 * all of them go on: to be too generous hides a race, the opposite invents one. */
static void store_part(struct rdl__track *track, struct rdl__part part, bool releases)
{
    struct rdl__object *object;

    if (releases) {
        tell(rdl__object_of_all(part.word, part.bytes), track, track->clock, true);
        return;
    }
    if (track->fence_released)
        rdl__object_cut(part.word, part.bytes);
    for (size_t at = rdl__object_place(part.word);
         (object = rdl__object_from(part.word, part.bytes, &at)); at++) {
        bool goes_on = object->head == track->column || object->head == RDL__MANY;

        if (track->fence_released && !goes_on)
            rdl__object_forget(object);
        if (track->fence_released)
            tell(object, track, fences[track->column], false);
        else if (!goes_on)
            object->bytes &= (uint8_t)~part.bytes;
    }
}

void rdl__order_store(struct rdl__track *track, uintptr_t address, uintptr_t size, bool releases)
{
    uintptr_t end = address + size;

    while (address < end) {
        struct rdl__part part = rdl__part_of(address, end);

        store_part(track, part, releases);
        address = part.word + RDL__WORD;
    }
    if (releases)
        move_on(track);
}

static void update_part(struct rdl__track *track, struct rdl__part part, bool releases)
{
    const uint32_t *clock = releases ? track->clock : fences[track->column];
    struct rdl__object *object;
    bool none;

    if (!releases && !track->fence_released)
        return;
    rdl__objects_reserve();
    object = rdl__object_at_once(part, &none);
    if (none)
        object = rdl__object_new(part.word, part.bytes);
    if (__builtin_expect(object != NULL, 1)) {
        tell(object, track, clock, false);
        return;
    }
    rdl__object_cut(part.word, part.bytes);
    for (size_t at = rdl__object_place(part.word);
         (object = rdl__object_from(part.word, part.bytes, &at)); at++)
        tell(object, track, clock, false);
}

void rdl__order_update(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires,
                       bool releases)
{
    uintptr_t end = address + size;

    rdl__order_load(track, address, size, acquires);
    while (address < end) {
        struct rdl__part part = rdl__part_of(address, end);

        update_part(track, part, releases);
        address = part.word + RDL__WORD;
    }
    if (releases)
        move_on(track);
}

void rdl__order_fence(struct rdl__track *track, bool acquires, bool releases)
{
    if (acquires && track->fence_pending) {
        join(track->clock, pending[track->column], rdl__objects.columns);
        if (assuming)
            join(assumed[track->column], assumed_pending[track->column], rdl__objects.columns);
        track->fence_pending = false;
    }
    if (releases) {
        copy(fences[track->column], track->clock, rdl__objects.columns);
        if (assuming)
            copy(assumed_fences[track->column], assumed[track->column], rdl__objects.columns);
        track->fence_released = true;
        move_on(track);
    }
}

/* ---- Code that is not seen ------------------------------------------------------------------- */

static void begin_assuming(void)
{
    for (uint32_t row = 0; row < rdl__objects.columns; row++) {
        copy(assumed[row], clocks[row], rdl__objects.columns);
        copy(assumed_fences[row], fences[row], rdl__objects.columns);
        copy(assumed_pending[row], pending[row], rdl__objects.columns);
    }
    assuming = true;
}

void rdl__order_assume(struct rdl__track *track)
{
    static const char unseen; /* stands for all that is not seen */
    struct rdl__part part = rdl__part_of((uintptr_t)&unseen, (uintptr_t)&unseen + 1);
    size_t at = rdl__object_place(part.word);
    struct rdl__object *object;

    if (!assuming)
        begin_assuming();
    rdl__object_cut(part.word, part.bytes);
    object = rdl__object_from(part.word, part.bytes, &at);
    learn_assumed(assumed[track->column], object);
    tell_assumed(object, assumed[track->column], false);
    move_on(track);
}

bool rdl__order_is_assumed(const struct rdl__track *track, uint32_t column, uint32_t clock)
{
    return assuming && clock <= assumed[track->column][column];
}

/* ---- For primitives -------------------------------------------------------------------------- */

void rdl__hb_acquire(struct rdl__thread *self, uintptr_t object)
{
    if (!rdl__races_on || rdl__alone)
        return;
    object = rdl__canonical(object);
    load_part(self->track, rdl__part_of(object, object + 1), true);
}

void rdl__hb_release(struct rdl__thread *self, uintptr_t object)
{
    if (!rdl__races_on || rdl__alone)
        return;
    object = rdl__canonical(object);
    update_part(self->track, rdl__part_of(object, object + 1), true);
    move_on(self->track);
}

/* ---- Threads --------------------------------------------------------------------------------- */

struct rdl__thread *rdl__column_thread(uint32_t column)
{
    return retired[column] ? NULL : rdl__sched.threads[owners[column]];
}

/* A column for a thread that begins with all that its creator knows. */
static uint32_t column_for(const uint32_t *creator)
{
    uint32_t any = RDL__NOBODY, column;

    for (column = 0; column < rdl__objects.columns; column++) {
        if (!retired[column])
            continue;
        if (creator[column] >= clocks[column][column])
            return column;
        any = column;
    }
    if (rdl__objects.columns == COLUMNS)
        return any; /* some number was used again, or there would be no room for a thread */
    rdl__objects.columns++;
    for (uint32_t row = 0; row < rdl__objects.columns; row++)
        clocks[row][column] = fences[row][column] = pending[row][column] = 0;
    for (uint32_t row = 0; assuming && row < rdl__objects.columns; row++)
        assumed[row][column] = assumed_fences[row][column] = assumed_pending[row][column] = 0;
    return column;
}

static void begin(struct rdl__thread *thread, uint32_t column)
{
    struct rdl__track *track = thread->track;

    owners[column] = thread->id;
    retired[column] = false;
    track->column = column;
    track->clock = clocks[column];
    track->fence_released = track->fence_pending = false;
    track->execution = rdl__objects.execution;
    rdl__race_thread(track);
}

static void forget_all(void)
{
    rdl__objects_begin();
    assuming = false;
    rdl__race_begin();
}

/* Clocks for all threads there are, none of which knows anything of the others. */
static void begin_all(void)
{
    forget_all();
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++)
        if (rdl__sched.threads[id]->state == RDL__ALIVE) {
            uint32_t column = column_for(NULL);

            memset(clocks[column], 0, rdl__objects.columns * sizeof **clocks);
            clocks[column][column] = 1;
            begin(rdl__sched.threads[id], column);
        }
    threads_created = rdl__sched.alive;
    rdl__alone = rdl__sched.alive == 1;
}

void rdl__hb_begin(struct rdl__thread *first)
{
    rdl__track_begin(first);
    rdl__races_on = rdl__instrumented;
    if (rdl__races_on)
        begin_all();
}

/* What happened until now is not known; but then, neither is who accessed what. */
void rdl__hb_begin_late(void)
{
    if (rdl__running && !rdl__races_on) {
        rdl__races_on = true;
        begin_all();
    }
}

void rdl__hb_created(struct rdl__thread *creator, struct rdl__thread *created)
{
    const uint32_t *known = creator->track->clock;
    uint32_t column, now;

    rdl__track_begin(created);
    if (!rdl__races_on)
        return;
    if (created->track->execution == rdl__objects.execution)
        retired[created->track->column] = true;
    if (++threads_created > rdl__sched.alive) /* some have ended: this may be a stack of theirs */
        rdl__race_fresh(created->stack_low, created->stack_high - created->stack_low);
    rdl__track_share(creator, (uintptr_t)created->argument);
    column = column_for(known);
    now = clocks[column][column]; /* where its former owner ended; 0: it had none */
    copy(clocks[column], known, rdl__objects.columns);
    begin(created, column);
    clocks[column][column] = now + 1;
    if (assuming) {
        copy(assumed[column], assumed[creator->track->column], rdl__objects.columns);
        assumed[column][column] = now + 1;
    }
    rdl__alone = false;
    move_on(creator->track);
}

void rdl__hb_joined(struct rdl__thread *self, struct rdl__thread *ended)
{
    uint32_t *clock = self->track->clock;

    if (!rdl__races_on || ended->track->execution != rdl__objects.execution)
        return; /* it has never had a clock */
    join(clock, ended->track->clock, rdl__objects.columns);
    if (assuming)
        join(assumed[self->track->column], assumed[ended->track->column], rdl__objects.columns);
    if (rdl__sched.alive > 1)
        return;
    for (uint32_t column = 0; column < rdl__objects.columns; column++)
        if (clock[column] < clocks[column][column])
            return;
    rdl__alone = true;
}
