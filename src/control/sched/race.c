/* race.c -- data races: two accesses of the same bytes, at least one of them a write
 * and at least one not atomic, of which neither happened before the other.
 *
 * Every byte has, in its cell, the accesses that a later one might race with: of
 * writes and of reads each, the last one or, where several stand side by side, a
 * list of them.  An access that another one happened after, and that would race
 * with nothing which that other one would not race with too, is left out; so there
 * is mostly one.  (FastTrack, extended to atomic accesses.)
 *
 * An access is known by its event: thread, time, place in the code.  Events are
 * numbered through all executions, and what is left of earlier ones in cells is
 * told by its number.  A list is an event as well: its first member and the rest;
 * lists are never changed, since cells share them. */
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/error.h"
#include "base/text.h"
#include "control/sched/allowed.h"
#include "control/sched/callers.h"
#include "control/sched/inner.h"
#include "control/sched/track.h"
#include "port/kernel.h"

enum {
    REGION_SIZE = 1 << RDL__REGION_BITS,
    PAGE_BITS = 12,
    PAGES = REGION_SIZE >> PAGE_BITS,
    CELLS_SIZE = REGION_SIZE * (int)sizeof(struct rdl__cell) / 8,
    EVENTS_MAX = 1 << 24,
    EVENTS_SPARE = 1 << 16, /* no access makes so many */
    EVENTS_KEPT = 1 << 18,  /* memory for more of them is given back */
    NUMBERS_MAX = INT32_MAX - EVENTS_MAX,
    NONE = 0,
    WHOLE_CELL = 8,
    FREED_SIZE = 1024,
    BLOCK = 64,    /* numbers of events that a thread gets at a time */
    LOOK_BACK = 8, /* at most so many of them are compared with a new one */
    RACING_MAX = RDL__RACING_MAX,
    COMINGS = 1 << 18,
};

#define IS_LIST  (UINT64_C(1) << 63)
#define PC_BITS  48
#define HOW_BITS 4

struct event {
    uint64_t what;  /* pc, column, how; or IS_LIST */
    uint32_t clock; /* of its thread; of a list: the first event */
    uint32_t size;  /* in bytes; of a list: the rest of it */
};

char *rdl__regions[RDL__REGIONS];

static uint32_t event_next = 1;
static uint32_t event_base = 1; /* events below this number are of earlier executions */
static struct event *events;    /* from event_base on */
static uint32_t execution;      /* as it stands in regions */

/* ---- Events ------------------------------------------------------------------------------ */

static struct event *event_at(uint32_t number)
{
    return &events[number - event_base];
}

static uint32_t column_of(const struct event *event)
{
    return event->what >> PC_BITS & (RDL__THREADS_MAX - 1);
}

static unsigned how_of(const struct event *event)
{
    return (unsigned)(event->what >> (63 - HOW_BITS)) & ((1u << HOW_BITS) - 1);
}

/* While a race is told, how threads came to their last accesses. */
struct coming {
    uint32_t number;
    struct rdl__callers callers;
};
static struct coming *comings; /* NULL: they are not kept */

static struct coming *coming_of(uint32_t number)
{
    return &comings[number % COMINGS];
}

static bool came_alike(uint32_t number, const struct rdl__callers *callers)
{
    const struct coming *coming = coming_of(number);

    return coming->number == number && coming->callers.count == callers->count &&
           memcmp(coming->callers.pcs, callers->pcs, callers->count * sizeof *callers->pcs) == 0;
}

void rdl__race_callers(uint32_t event, struct rdl__callers *out)
{
    out->count = 0;
    if (comings && coming_of(event)->number == event)
        *out = coming_of(event)->callers;
}

static void comings_begin(void)
{
    const struct rdl_case *t = rdl__sched.t;
    bool wanted = t && (rdl__races_by_callers() ||
                        (t->trace->on && t->wanted && t->wanted_cause == RDL__BY_RACE));

    if (wanted && !comings)
        comings = rdl__map(COMINGS * sizeof *comings, MAP_PRIVATE | MAP_NORESERVE);
    if (!wanted && comings) {
        rdl__unmap(comings, COMINGS * sizeof *comings);
        comings = NULL;
    }
}

/* The number of this access; that of an earlier one, if it is the same again. */
static uint32_t event_of(struct rdl__track *track, uintptr_t size, unsigned how, uintptr_t pc)
{
    unsigned kind = how & RDL__HOW_ATOMIC ? 1 : 0;
    uint64_t what = (pc & ((UINT64_C(1) << PC_BITS) - 1)) | (uint64_t)track->column << PC_BITS |
                    (uint64_t)how << (63 - HOW_BITS);
    struct rdl__callers callers;
    uint32_t number;

    if (__builtin_expect(comings != NULL, 0))
        rdl__callers_of(rdl__running, pc, &callers);
    for (uint32_t i = track->block_used[kind]; i-- > 0 && i + LOOK_BACK >= track->block_used[kind];)
        if (event_at(track->block[kind] + i)->what == what &&
            (!comings || came_alike(track->block[kind] + i, &callers)))
            return track->block[kind] + i;
    if (track->block_used[kind] == track->block_room[kind]) {
        track->block[kind] = event_next;
        track->block_room[kind] = BLOCK;
        track->block_used[kind] = 0;
        event_next += BLOCK;
    }
    number = track->block[kind] + track->block_used[kind]++;
    if (__builtin_expect(comings != NULL, 0))
        *coming_of(number) = (struct coming){number, callers};
    *event_at(number) = (struct event){.what = what,
                                       .clock = track->clock[track->column],
                                       .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX};
    return number;
}

static bool happened_before(const struct event *event, const struct rdl__track *track)
{
    return event->clock <= track->clock[column_of(event)];
}

/* ---- What a byte remembers ------------------------------------------------------------------- */

/* The first of some events; *number becomes the others. */
static inline const struct event *first_of(uint32_t *number, uint32_t *out_first)
{
    const struct event *event = event_at(*number);

    *out_first = *number;
    *number = NONE;
    if (__builtin_expect(event->what & IS_LIST, 0)) {
        *number = event->size;
        *out_first = event->clock;
        event = event_at(*out_first);
    }
    return event;
}

/* The events that the access at hand races with, each once, and the first byte of each. */
static struct {
    uint32_t number;
    uintptr_t address;
} racing[RACING_MAX];
static uint32_t racing_count;

static void note_racing(uint32_t number, uintptr_t address)
{
    for (uint32_t i = 0; i < racing_count; i++)
        if (racing[i].number == number)
            return;
    if (racing_count < RACING_MAX) {
        racing[racing_count].number = number;
        racing[racing_count++].address = address;
    }
}

/* Note those of these events that an access races with.  Is there none?  An atomic access does
 * not race with others of its kind; nor does a volatile one that counts as one. */
static inline bool is_free_of_races(const struct rdl__track *track, uint32_t number, unsigned how,
                                    uintptr_t address)
{
    bool is_free = true;
    uint32_t first;

    while (number >= event_base) {
        const struct event *event = first_of(&number, &first);

        if (happened_before(event, track))
            continue;
        if (how_of(event) & how & RDL__HOW_ATOMIC) {
            if ((how_of(event) | how) & RDL__HOW_VOLATILE)
                rdl__sched.summary->volatile_shared = true;
            continue;
        }
        note_racing(first, address);
        is_free = false;
    }
    return is_free;
}

/* Is there one like it, of the same thread and time, among them?  Then it is as good. */
static inline bool has_like(const struct rdl__track *track, uint32_t number, unsigned how)
{
    uint32_t first;

    while (number >= event_base) {
        const struct event *event = first_of(&number, &first);

        if (column_of(event) == track->column && event->clock == track->clock[track->column] &&
            (how & RDL__HOW_ATOMIC || !(how_of(event) & RDL__HOW_ATOMIC)))
            return true;
    }
    return false;
}

/* These events with a new one, without those that it makes superfluous. */
static inline uint32_t add(const struct rdl__track *track, uint32_t number, uint32_t new,
                           unsigned how)
{
    uint32_t result = new, first;

    if (has_like(track, number, how))
        return number;
    while (number >= event_base) {
        const struct event *event = first_of(&number, &first);

        if (!happened_before(event, track) ||
            (how & RDL__HOW_ATOMIC && !(how_of(event) & RDL__HOW_ATOMIC))) {
            *event_at(event_next) = (struct event){.what = IS_LIST, .clock = first, .size = result};
            result = event_next++;
        }
    }
    return result;
}

/* The same events, in a form that no access takes for its own (rdl__race_known). */
static uint32_t as_list(uint32_t number)
{
    if (number < event_base || event_at(number)->what & IS_LIST)
        return number;
    *event_at(event_next) = (struct event){.what = IS_LIST, .clock = number, .size = NONE};
    return event_next++;
}

/* The new event happens to some bytes that remember the same.  Of bytes that are raced for nothing
 * is forgotten, and every access of them is looked at: it may race with the others at a place of
 * its own. */
static inline void happen(const struct rdl__track *track, uint32_t *written, uint32_t *read,
                          uint32_t new, unsigned how, uintptr_t address)
{
    bool writes = how & RDL__HOW_WRITE, is_free = is_free_of_races(track, *written, how, address);

    if (writes)
        is_free &= is_free_of_races(track, *read, how, address);
    if (!writes) {
        *read = add(track, *read, new, how);
    } else if (how & RDL__HOW_ATOMIC || !is_free) {
        *written = add(track, *written, new, how);
    } else {
        *written = new; /* all that was happened before */
        *read = NONE;
    }
    if (__builtin_expect(!is_free, 0)) {
        *written = as_list(*written);
        *read = as_list(*read);
    }
}

/* ---- Regions of memory ----------------------------------------------------------------------- */

struct region {
    char cells[CELLS_SIZE];
    uint32_t touched[PAGES]; /* the last execution in which the page was accessed */
};

/* NULL: there is no memory for it. */
static struct region *region_new(uintptr_t address)
{
    struct region *region = rdl__map(sizeof *region, MAP_PRIVATE | MAP_NORESERVE);

    if (!region) {
        rdl__limit(RDL__LIMIT_BOUND, "too little memory was left to look for all data races", "");
        return NULL;
    }
    rdl__kernel(SYS_madvise, (long)region, (long)(sizeof *region), MADV_NOHUGEPAGE, 0, 0, 0);
    rdl__kernel(SYS_madvise, (long)region, (long)(sizeof *region), MADV_DONTDUMP, 0, 0, 0);
    rdl__regions[address >> RDL__REGION_BITS & (RDL__REGIONS - 1)] = (char *)region;
    return region;
}

static struct region *region_of(uintptr_t address)
{
    return (struct region *)rdl__regions[address >> RDL__REGION_BITS & (RDL__REGIONS - 1)];
}

static uint32_t *page_of(struct region *region, uintptr_t address)
{
    return &region->touched[(address & (REGION_SIZE - 1)) >> PAGE_BITS];
}

static struct rdl__cell *cell_of(struct region *region, uintptr_t address)
{
    return (struct rdl__cell *)region->cells + ((address & (REGION_SIZE - 1)) >> 3);
}

static uintptr_t page_end(uintptr_t address, uintptr_t end)
{
    uintptr_t page = (address | ((1 << PAGE_BITS) - 1)) + 1;

    return page < end && page != 0 ? page : end;
}

/* Bytes from..end-1 of a cell, which is that of the address. */
static void access_cell(struct rdl__track *track, struct rdl__cell *cell, unsigned from,
                        unsigned end, uint32_t new, unsigned how, uintptr_t address)
{
    while (from < end) {
        uint32_t was_written = cell->written[from], was_read = cell->read[from];
        uint32_t written = was_written, read = was_read;

        happen(track, &written, &read, new, how, (address & ~(uintptr_t)7) + from);
        do {
            cell->written[from] = written;
            cell->read[from] = read;
            from++;
        } while (from < end && cell->written[from] == was_written && cell->read[from] == was_read);
    }
}

static void access_page(struct rdl__track *track, struct region *region, uintptr_t address,
                        uintptr_t end, uint32_t new, unsigned how)
{
    struct rdl__cell *cell = cell_of(region, address);

    while (address < end) {
        unsigned from = address & 7;
        unsigned to = end - address < WHOLE_CELL - from ? from + (unsigned)(end - address)
                                                        : (unsigned)WHOLE_CELL;

        access_cell(track, cell++, from, to, new, how, address);
        address += to - from;
    }
}

/* ---- Accesses -------------------------------------------------------------------------------- */

void rdl__race_thread(struct rdl__track *track)
{
    for (int kind = 0; kind < 2; kind++)
        track->block[kind] = track->block_room[kind] = track->block_used[kind] = 0;
}

/* There is no room for more events: what was is forgotten, as if all of it had
 * happened long ago.  That may hide a race, and never makes one. */
static void forget_all(void)
{
    event_base = event_next;
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++)
        if (rdl__sched.threads[id]->track)
            rdl__race_thread(rdl__sched.threads[id]->track);
}

/* Did all that was written to these bytes of a cell happen before? */
static bool is_after_all_written(const struct rdl__track *track, struct region *region,
                                 uintptr_t address, uintptr_t size)
{
    const uint32_t *entries = cell_of(region, address)->written + (address & 7);

    for (uintptr_t i = 0; i < size; i++)
        for (uint32_t number = entries[i], first; number >= event_base;)
            if (!happened_before(first_of(&number, &first), track))
                return false;
    return true;
}

/* As rdl__race_known, where several threads have read the same. */
static bool is_among_known(const struct rdl__track *track, uintptr_t address, uintptr_t size,
                           unsigned how)
{
    struct region *region = region_of(address);
    const uint32_t *entries;
    uint32_t number, first;

    if (!region || (address & 7) + size > WHOLE_CELL || how & RDL__HOW_WRITE)
        return false;
    entries = cell_of(region, address)->read + (address & 7);
    for (uintptr_t i = 1; i < size; i++)
        if (entries[i] != entries[0])
            return false;
    for (number = entries[0]; number >= event_base;) {
        first_of(&number, &first);
        if (rdl__race_is_own(track, first, how))
            return is_after_all_written(track, region, address, size);
    }
    return false;
}

/* Should this page remember the access?  What is freed may be large, and mostly
 * nobody has ever been there: then it is enough that its beginning does. */
static bool is_noted(const uint32_t *page, uintptr_t address, uintptr_t begin, unsigned how)
{
    return !(how & RDL__HOW_FREE) || *page == execution || address - begin < FREED_SIZE;
}

static struct rdl__access access_of(uint32_t number, uintptr_t address)
{
    const struct event *event = event_at(number);

    return (struct rdl__access){.pc = event->what & ((UINT64_C(1) << PC_BITS) - 1),
                                .address = address,
                                .event = number,
                                .column = column_of(event),
                                .clock = event->clock,
                                .size = event->size,
                                .how = how_of(event)};
}

uint32_t rdl__race_find(struct rdl__track *track, uintptr_t address, uintptr_t size, unsigned how,
                        uintptr_t pc, struct rdl__access out_earlier[RDL__RACING_MAX])
{
    uintptr_t begin = address, end = address + size;
    uint32_t new;

    if (__builtin_expect(event_next - event_base > EVENTS_MAX - EVENTS_SPARE, 0))
        forget_all();
    new = event_of(track, size, how, pc);
    racing_count = 0;
    while (address < end) {
        uintptr_t stop = page_end(address, end);
        struct region *region = region_of(address);
        uint32_t *page;

        if (__builtin_expect(!region, 0))
            region = region_new(address);
        if (__builtin_expect(!region, 0)) {
            address = stop;
            continue;
        }
        page = page_of(region, address);
        if (is_noted(page, address, begin, how)) {
            *page = execution;
            access_page(track, region, address, stop, new, how);
        }
        address = stop;
    }
    for (uint32_t i = 0; i < racing_count; i++)
        out_earlier[i] = access_of(racing[i].number, racing[i].address);
    return racing_count;
}

/* Cells of bytes of one page. */
static void clear(struct region *region, uintptr_t address, uintptr_t end)
{
    struct rdl__cell *cell = cell_of(region, address);

    for (; address < end && address & 7; address++)
        cell->written[address & 7] = cell->read[address & 7] = NONE;
    cell = cell_of(region, address);
    if (end - address >= WHOLE_CELL)
        memset(cell, 0, (end - address) / WHOLE_CELL * sizeof *cell);
    cell += (end - address) / WHOLE_CELL;
    for (address += (end - address) / WHOLE_CELL * WHOLE_CELL; address < end; address++)
        cell->written[address & 7] = cell->read[address & 7] = NONE;
}

void rdl__race_fresh(uintptr_t address, uintptr_t size)
{
    uintptr_t end = address + size;

    while (address < end) {
        uintptr_t stop = page_end(address, end);
        struct region *region = region_of(address);

        if (!region)
            stop = (address | (REGION_SIZE - 1)) + 1;
        else if (*page_of(region, address) == execution)
            clear(region, address, stop);
        address = stop;
    }
}

/* ---- Executions --------------------------------------------------------------------------- */

/* All numbers have been used: begin anew, with cells that remember nothing. */
static void renumber(void)
{
    for (size_t i = 0; i < RDL__REGIONS; i++)
        if (rdl__regions[i])
            rdl__kernel(SYS_madvise, (long)rdl__regions[i], (long)(sizeof(struct region)),
                        MADV_DONTNEED, 0, 0, 0);
    event_next = event_base = 1;
    execution = 0;
}

void rdl__race_begin(void)
{
    uint32_t used = event_next - event_base;

    if (!events) {
        events = rdl__map(EVENTS_MAX * sizeof *events, MAP_PRIVATE | MAP_NORESERVE);
        if (!events)
            rdl__stop(
                "no memory is left to look for races in: fewer --jobs, or a program that uses "
                "less, need less");
    }
    if (used > EVENTS_KEPT)
        rdl__kernel(SYS_madvise, (long)events, (long)(EVENTS_MAX * sizeof *events), MADV_DONTNEED,
                    0, 0, 0);
    event_base = event_next;
    comings_begin();
    rdl__allowed_begin();
    execution++;
    if (event_next > NUMBERS_MAX || execution == UINT32_MAX)
        renumber();
    execution += execution == 0;
}

/* ---- Accesses of the code under test --------------------------------------------------------- */

void rdl__race_access(struct rdl__thread *self, uintptr_t address, uintptr_t size, unsigned how,
                      uintptr_t pc)
{
    struct rdl__access earlier[RDL__RACING_MAX];
    const struct rdl__access now = {
        .pc = pc, .size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, .how = how};
    uint32_t count;

    if (is_among_known(self->track, address, size, how))
        return;
    if (__builtin_expect(address >= rdl__stacks_low, 0))
        rdl__track_touched(self, address);
    count = rdl__race_find(self->track, address, size, how, pc, earlier);
    if (__builtin_expect(count == 0, 1))
        return;
    if (rdl__race_is_allowed(address, size)) {
        rdl__limit(RDL__LIMIT_BOUND, "data races were met that do not count as failures", "");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        rdl__race_met(self, &now, &earlier[i]);
}
