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
 * every execution.  Objects are found by their address; one
 * of an earlier execution counts as none, so that nothing needs to be cleared. */
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/error.h"
#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/mappings.h"
#include "control/sched/track.h"

enum {
    COLUMNS = RDL__THREADS_MAX,
    NOBODY = UINT32_MAX,
    MANY = UINT32_MAX - 1,
    OBJECTS_FIRST = 1 << 10,
    ROOM_FIRST = 1 << 16,
    FEW = 8,
    WORD = 8, /* bytes */
};

bool rdl__races_on;
bool rdl__alone;

/* Rows are clocks; only the first column_count numbers of each mean anything. */
static uint32_t clocks[COLUMNS][COLUMNS];
static uint32_t fences[COLUMNS][COLUMNS];  /* as it was at the last release fence */
static uint32_t pending[COLUMNS][COLUMNS]; /* what relaxed loads saw: for an acquire fence */
/* The same as far as it is assumed: see above. */
static bool assuming;
static uint32_t assumed[COLUMNS][COLUMNS];
static uint32_t assumed_fences[COLUMNS][COLUMNS];
static uint32_t assumed_pending[COLUMNS][COLUMNS];
static uint32_t column_count;
static uint32_t owners[COLUMNS]; /* number of the thread whose column it is, or was last */
static bool retired[COLUMNS];    /* that thread's number is another's by now */
static uint32_t threads_created;
static uint64_t execution;

/* ---- Memory, which is kept from one execution to the next -------------------------------- */

static void *map(size_t size)
{
    void *memory = rdl__map(size, MAP_PRIVATE | MAP_NORESERVE);

    if (!memory)
        rdl__stop(
            "no memory is left to look for races in: fewer --jobs, or a program that uses less, "
            "need less");
    return memory;
}

/* Room for clocks of objects: chunks, each twice as large as the one before. */
static struct chunk {
    uint32_t *numbers;
    size_t room, used;
} chunks[40];
static uint32_t chunk;

static uint32_t *numbers_new(size_t count)
{
    uint32_t *numbers;

    while (chunks[chunk].numbers && chunks[chunk].room - chunks[chunk].used < count)
        chunk++;
    if (!chunks[chunk].numbers) {
        chunks[chunk].room = (size_t)ROOM_FIRST << chunk;
        chunks[chunk].numbers = map(chunks[chunk].room * sizeof *numbers);
    }
    numbers = chunks[chunk].numbers + chunks[chunk].used;
    chunks[chunk].used += count;
    return numbers;
}

/* ---- Objects -------------------------------------------------------------------------------- */

/* Some of eight bytes.  Operations on the same bytes may have different sizes; so that each of them
 * finds what the others left, no two objects share a byte. */
struct object {
    uintptr_t word;     /* the address of the eight bytes, */
    uint64_t execution; /* in which it was written; another one: the entry is free */
    uint32_t *clock;
    uint32_t count, room; /* numbers in it; the rest are 0 */
    /* If its clock is that of one thread at one time: which (a column), and when.
     * Whoever can see that far need not read on. */
    uint32_t whose, when;
    uint32_t head;     /* who began the release sequence that it is at; NOBODY, MANY */
    uint32_t *assumed; /* its clock's twin; NULL: that says the same */
    uint32_t assumed_count, assumed_room;
    uint8_t bytes; /* which of the eight: bits; 0: none any more */
};

static struct object *objects;
static size_t objects_room, objects_used;

/* The next entry of this word, from a place on; NULL: there is none, and the place is free. */
static struct object *entry_from(uintptr_t word, size_t *in_out_at)
{
    for (;; ++*in_out_at) {
        struct object *object = &objects[*in_out_at & (objects_room - 1)];

        if (object->execution != execution)
            return NULL;
        if (object->word == word)
            return object;
    }
}

static size_t first_place(uintptr_t word)
{
    return rdl__mix(word) & (objects_room - 1);
}

/* The next object with one of these bytes. */
static struct object *object_from(uintptr_t word, uint8_t bytes, size_t *in_out_at)
{
    struct object *object;

    while ((object = entry_from(word, in_out_at)) && !(object->bytes & bytes))
        ++*in_out_at;
    return object;
}

static void objects_grow(void)
{
    struct object *old = objects;
    size_t old_room = objects_room;

    objects_room = old_room ? old_room * 2 : OBJECTS_FIRST;
    objects = map(objects_room * sizeof *objects);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].execution == execution) {
            size_t at = first_place(old[i].word);

            while (objects[at].execution == execution)
                at = (at + 1) & (objects_room - 1);
            objects[at] = old[i];
        }
    if (old)
        rdl__unmap(old, old_room * sizeof *old);
}

static void forget(struct object *object)
{
    object->count = 0;
    object->assumed = NULL;
    object->whose = object->head = NOBODY;
}

/* Make room for all the objects that a word can have: none moves from now on. */
static void reserve(void)
{
    if (objects_used + WORD > objects_room / 2)
        objects_grow();
}

/* An object of these bytes, which no other has.  There is room. */
static struct object *object_new(uintptr_t word, uint8_t bytes)
{
    size_t at = first_place(word);
    struct object *object;

    while ((object = entry_from(word, &at)) && object->bytes)
        at++;
    if (!object) {
        object = &objects[at & (objects_room - 1)];
        *object = (struct object){.word = word, .execution = execution};
        objects_used++;
    }
    object->bytes = bytes;
    forget(object);
    return object;
}

static void object_extend(struct object *object)
{
    if (object->room < column_count) {
        uint32_t room = column_count <= FEW ? FEW : (column_count + 31) & ~UINT32_C(31);
        uint32_t *clock = numbers_new(room);

        if (object->count > 0)
            memcpy(clock, object->clock, object->count * sizeof *clock);
        object->clock = clock;
        object->room = room;
    }
    if (object->count < column_count)
        memset(object->clock + object->count, 0,
               (column_count - object->count) * sizeof *object->clock);
    object->count = column_count;
}

/* Its clock has a twin from here on. */
static void object_assume(struct object *object)
{
    const uint32_t *from = object->assumed ? object->assumed : object->clock;
    uint32_t count = object->assumed ? object->assumed_count : object->count;

    if (!object->assumed || object->assumed_room < column_count) {
        uint32_t room = column_count <= FEW ? FEW : (column_count + 31) & ~UINT32_C(31);
        uint32_t *clock = numbers_new(room);

        if (count > 0)
            memcpy(clock, from, count * sizeof *clock);
        object->assumed = clock;
        object->assumed_room = room;
    }
    if (count < column_count)
        memset(object->assumed + count, 0, (column_count - count) * sizeof *object->assumed);
    object->assumed_count = column_count;
}

/* The one object of these bytes; what others knew of them is forgotten. */
static struct object *object_of_all(uintptr_t word, uint8_t bytes)
{
    struct object *object;

    reserve();
    for (size_t at = first_place(word); (object = object_from(word, bytes, &at)); at++) {
        if (object->bytes == bytes)
            return object;
        object->bytes &= (uint8_t)~bytes;
    }
    return object_new(word, bytes);
}

/* Some bytes of an object become one by themselves. */
static void split(struct object *object, uint8_t bytes)
{
    struct object *part;

    object->bytes &= (uint8_t)~bytes;
    part = object_new(object->word, bytes);
    if (object->count > 0) {
        object_extend(object);
        object_extend(part);
        memcpy(part->clock, object->clock, object->count * sizeof *part->clock);
    }
    if (object->assumed) {
        object_assume(object);
        object_assume(part);
        memcpy(part->assumed, object->assumed, object->assumed_count * sizeof *part->assumed);
    }
    part->whose = object->whose;
    part->when = object->when;
    part->head = object->head;
}

/* Now each of these bytes has an object, and no other byte has one of those. */
static void cut(uintptr_t word, uint8_t bytes)
{
    uint8_t missing = bytes;
    struct object *object;

    reserve();
    for (size_t at = first_place(word); (object = object_from(word, bytes, &at)); at++) {
        uint8_t common = object->bytes & bytes;

        missing &= (uint8_t)~common;
        if (common != object->bytes)
            split(object, common);
    }
    if (missing)
        object_new(word, missing);
}

/* A part of some memory that lies in one word. */
struct part {
    uintptr_t word;
    uint8_t bytes;
};

static struct part part_of(uintptr_t address, uintptr_t end)
{
    unsigned from = address & (WORD - 1);
    unsigned to = end - address < WORD - from ? from + (unsigned)(end - address) : (unsigned)WORD;

    return (struct part){.word = address - from, .bytes = (uint8_t)((1u << to) - (1u << from))};
}

/* ---- Telling and being told ------------------------------------------------------------------ */

/* All clocks have room for at least FEW numbers. */
static void copy(uint32_t *clock, const uint32_t *other, uint32_t count)
{
    if (__builtin_expect(count <= FEW, 1))
        memcpy(clock, other, FEW * sizeof *clock);
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

static bool sees_all(const uint32_t *clock, const struct object *object)
{
    return object->whose != NOBODY && clock[object->whose] >= object->when;
}

/* Was any of it new? */
static bool learn(uint32_t *clock, const struct object *object)
{
    return !sees_all(clock, object) && join(clock, object->clock, object->count);
}

static void learn_assumed(uint32_t *clock, const struct object *object)
{
    if (object->assumed)
        join(clock, object->assumed, object->assumed_count);
    else
        join(clock, object->clock, object->count);
}

static void tell_assumed(struct object *object, const uint32_t *clock, bool instead)
{
    object_assume(object);
    if (instead)
        copy(object->assumed, clock, column_count);
    else
        join(object->assumed, clock, column_count);
}

/* The twin of a clock of this thread. */
static const uint32_t *twin_of(const struct rdl__track *track, const uint32_t *clock)
{
    return clock == track->clock ? assumed[track->column] : assumed_fences[track->column];
}

/* Put this clock, of this thread, into the object, with what is there or, if
 * `instead`, in its place. */
static void tell(struct object *object, const struct rdl__track *track, const uint32_t *clock,
                 bool instead)
{
    object_extend(object);
    if (__builtin_expect(assuming, 0))
        tell_assumed(object, twin_of(track, clock), instead || object->head == NOBODY);
    if (instead || object->head == NOBODY || sees_all(clock, object)) {
        copy(object->clock, clock, column_count);
        object->whose = track->column;
        object->when = clock[track->column];
    } else {
        join(object->clock, clock, column_count);
        object->whose = NOBODY;
    }
    if (instead || object->head == NOBODY)
        object->head = track->column;
    else if (object->head != track->column)
        object->head = MANY;
}

static bool acquire(struct rdl__track *track, const struct object *object, bool acquires)
{
    uint32_t *clock = pending[track->column], *twin = assumed_pending[track->column];

    if (__builtin_expect(assuming, 0) && acquires)
        learn_assumed(assumed[track->column], object);
    if (acquires)
        return learn(track->clock, object);
    if (!assuming && sees_all(track->clock, object))
        return false;
    if (!track->fence_pending) {
        memset(clock, 0, column_count * sizeof *clock);
        memset(twin, 0, column_count * sizeof *twin);
    }
    track->fence_pending = true;
    learn(clock, object);
    if (__builtin_expect(assuming, 0))
        learn_assumed(twin, object);
    return false;
}

bool rdl__order_load(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires)
{
    uintptr_t end = address + size;
    bool is_new = false;

    while (address < end) {
        struct part part = part_of(address, end);
        struct object *object;

        for (size_t at = first_place(part.word);
             part.bytes && (object = object_from(part.word, part.bytes, &at)); at++) {
            is_new |= acquire(track, object, acquires);
            part.bytes &= (uint8_t)~object->bytes; /* no other object has these */
        }
        address = part.word + WORD;
    }
    return is_new;
}

/* A store that does not release ends the release sequence it comes after, unless
 * that was begun by the same thread.  Where several threads have begun one, we let
 * all of them go on: to be too generous hides a race, the opposite invents one. */
static void store_part(struct rdl__track *track, struct part part, bool releases)
{
    struct object *object;

    if (releases) {
        tell(object_of_all(part.word, part.bytes), track, track->clock, true);
        return;
    }
    if (track->fence_released)
        cut(part.word, part.bytes);
    for (size_t at = first_place(part.word); (object = object_from(part.word, part.bytes, &at));
         at++) {
        bool goes_on = object->head == track->column || object->head == MANY;

        if (track->fence_released && !goes_on)
            forget(object);
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
        struct part part = part_of(address, end);

        store_part(track, part, releases);
        address = part.word + WORD;
    }
    if (releases)
        move_on(track);
}

static void update_part(struct rdl__track *track, struct part part, bool releases)
{
    const uint32_t *clock = releases ? track->clock : fences[track->column];
    size_t at = first_place(part.word);
    struct object *object;

    if (!releases && !track->fence_released)
        return;
    object = object_from(part.word, part.bytes, &at);
    if (object && object->bytes == part.bytes) { /* no other one has any of them */
        tell(object, track, clock, false);
        return;
    }
    cut(part.word, part.bytes);
    for (at = first_place(part.word); (object = object_from(part.word, part.bytes, &at)); at++)
        tell(object, track, clock, false);
}

void rdl__order_update(struct rdl__track *track, uintptr_t address, uintptr_t size, bool acquires,
                       bool releases)
{
    uintptr_t end = address + size;

    rdl__order_load(track, address, size, acquires);
    while (address < end) {
        struct part part = part_of(address, end);

        update_part(track, part, releases);
        address = part.word + WORD;
    }
    if (releases)
        move_on(track);
}

void rdl__order_fence(struct rdl__track *track, bool acquires, bool releases)
{
    if (acquires && track->fence_pending) {
        join(track->clock, pending[track->column], column_count);
        if (assuming)
            join(assumed[track->column], assumed_pending[track->column], column_count);
        track->fence_pending = false;
    }
    if (releases) {
        copy(fences[track->column], track->clock, column_count);
        if (assuming)
            copy(assumed_fences[track->column], assumed[track->column], column_count);
        track->fence_released = true;
        move_on(track);
    }
}

/* ---- Code that is not seen ------------------------------------------------------------------- */

static void begin_assuming(void)
{
    for (uint32_t row = 0; row < column_count; row++) {
        copy(assumed[row], clocks[row], column_count);
        copy(assumed_fences[row], fences[row], column_count);
        copy(assumed_pending[row], pending[row], column_count);
    }
    assuming = true;
}

void rdl__order_assume(struct rdl__track *track)
{
    static const char unseen; /* stands for all that is not seen */
    struct part part = part_of((uintptr_t)&unseen, (uintptr_t)&unseen + 1);
    size_t at = first_place(part.word);
    struct object *object;

    if (!assuming)
        begin_assuming();
    cut(part.word, part.bytes);
    object = object_from(part.word, part.bytes, &at);
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
    if (rdl__races_on && !rdl__alone)
        rdl__order_load(self->track, rdl__canonical(object), 1, true);
}

void rdl__hb_release(struct rdl__thread *self, uintptr_t object)
{
    if (!rdl__races_on || rdl__alone)
        return;
    object = rdl__canonical(object);
    update_part(self->track, part_of(object, object + 1), true);
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
    uint32_t any = NOBODY, column;

    for (column = 0; column < column_count; column++) {
        if (!retired[column])
            continue;
        if (creator[column] >= clocks[column][column])
            return column;
        any = column;
    }
    if (column_count == COLUMNS)
        return any; /* some number was used again, or there would be no room for a thread */
    column_count++;
    for (uint32_t row = 0; row < column_count; row++) {
        clocks[row][column] = fences[row][column] = pending[row][column] = 0;
        assumed[row][column] = assumed_fences[row][column] = assumed_pending[row][column] = 0;
    }
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
    track->execution = execution;
    rdl__race_thread(track);
}

static void forget_all(void)
{
    if (!objects)
        objects_grow();
    execution++;
    objects_used = 0;
    for (chunk = sizeof chunks / sizeof *chunks; chunk-- > 1;)
        chunks[chunk].used = 0;
    chunk = 0;
    chunks[0].used = 0;
    column_count = 0;
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

            memset(clocks[column], 0, column_count * sizeof **clocks);
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
    if (created->track->execution == execution)
        retired[created->track->column] = true;
    if (++threads_created > rdl__sched.alive) /* some have ended: this may be a stack of theirs */
        rdl__race_fresh(created->stack_low, created->stack_high - created->stack_low);
    rdl__track_share(creator, (uintptr_t)created->argument);
    column = column_for(known);
    now = clocks[column][column]; /* where its former owner ended; 0: it had none */
    copy(clocks[column], known, column_count);
    copy(assumed[column], assumed[creator->track->column], column_count);
    begin(created, column);
    assumed[column][column] = clocks[column][column] = now + 1;
    rdl__alone = false;
    move_on(creator->track);
}

void rdl__hb_joined(struct rdl__thread *self, struct rdl__thread *ended)
{
    uint32_t *clock = self->track->clock;

    if (!rdl__races_on || ended->track->execution != execution)
        return; /* it has never had a clock */
    join(clock, ended->track->clock, column_count);
    if (assuming)
        join(assumed[self->track->column], assumed[ended->track->column], column_count);
    if (rdl__sched.alive > 1)
        return;
    for (uint32_t column = 0; column < column_count; column++)
        if (clock[column] < clocks[column][column])
            return;
    rdl__alone = true;
}
