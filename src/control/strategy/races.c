/* races.c -- which operations of an execution could have come in another order?
 *
 * After "Source sets: a foundation for optimal dynamic partial order reduction"
 * (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017).  What happened before what is
 * known from program order, creation, joining, conflicts, and from who became able
 * to go by whose operation, which the log shows whatever the primitive is.
 *
 * An operation that had to wait cannot be exchanged with the one that ended the
 * wait (a lock with the unlock before it), but perhaps with one before that (the
 * lock that belongs to the unlock).  So for these we look further back, until one
 * is found that it can be exchanged with for certain. */
#include "control/strategy/races.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CLOCKS_MAX = 1 << 22 };

struct rdl__event {
    uint32_t life;     /* plus one; 0: an answer, which is part of the operation before */
    uint32_t previous; /* the life's entry before this one */
};

struct rdl__found {
    uint32_t entry;
    bool certain; /* it can be exchanged with the one looked at */
};

/* The operation looked at: one of the log, or one that never came about. */
struct suspect {
    const struct rdl__op *op;
    uint32_t entry; /* number in the log, or its end */
    uint32_t thread, life;
    uint32_t since; /* its life's entry before: from then on it stood before this one */
    uint32_t waker;
    const uint32_t *clock; /* without what comes from the operation itself */
};

void rdl__races_release(struct rdl__races *races)
{
    free(races->clocks);
    free(races->events);
    free(races->last);
    free(races->latest);
    free(races->first);
    free(races->found);
    *races = (struct rdl__races){0};
}

static uint32_t *clock_of(const struct rdl__races *races, uint32_t entry)
{
    return &races->clocks[(size_t)entry * races->lives_room];
}

/* ---- Room ---- */

/* One more life than there is room for: rows get wider, keeping what is in them. */
static void widen(struct rdl__races *races, uint32_t rows)
{
    uint32_t old = races->lives_room, wide = old ? old * 2 : 8;
    uint32_t *clocks = rdl__allocate((size_t)races->clock_room * wide * sizeof *clocks);

    for (uint32_t i = 0; i < rows; i++)
        memcpy(&clocks[(size_t)i * wide], clock_of(races, i), old * sizeof *clocks);
    free(races->clocks);
    races->clocks = clocks;
    races->lives_room = wide;
    races->last = rdl__reallocate(races->last, wide * sizeof *races->last);
    races->latest = rdl__reallocate(races->latest, wide * sizeof *races->latest);
    races->first = rdl__reallocate(races->first, wide * sizeof *races->first);
}

/* Room for the rows of so many entries, and one more for what never came about. */
static bool make_room(struct rdl__races *races, uint32_t entries)
{
    if (!races->lives_room)
        widen(races, 0);
    if (entries + 1 > races->clock_room) {
        races->clock_room = (entries + 1) * 2;
        races->clocks = rdl__reallocate(
            races->clocks, (size_t)races->clock_room * races->lives_room * sizeof *races->clocks);
        races->events = rdl__reallocate(races->events, races->clock_room * sizeof *races->events);
    }
    return (uint64_t)entries * races->lives_room <= CLOCKS_MAX;
}

static uint32_t new_life(struct rdl__races *races, uint32_t thread, uint32_t rows)
{
    if (races->lives == races->lives_room)
        widen(races, rows);
    races->last[races->lives] = 0;
    races->life_of[thread] = ++races->lives;
    return races->lives - 1;
}

/* ---- Who is to be tried first ---- */

/* Does nothing of what is to be had first come before the one with this clock? */
static bool is_initial(const struct rdl__races *races, const uint32_t *clock, uint32_t life)
{
    for (uint32_t other = 0; other < races->lives; other++)
        if (other != life && races->first[other] && clock[other] >= races->first[other])
            return false;
    return true;
}

/* Threads that can go first in an execution from before entry `at` in which what
 * did not happen after it, and then the suspect, come before it. */
static uint64_t initials(struct rdl__races *races, const struct rdl__log_entry *log, uint32_t at,
                         const struct suspect *suspect)
{
    uint32_t past = races->events[at].life - 1;
    bool conflicts = false;
    uint64_t found = 0;

    memset(races->first, 0, races->lives * sizeof *races->first);
    for (uint32_t i = at + 1; i < suspect->entry; i++) {
        uint32_t life = races->events[i].life - 1;
        const uint32_t *clock = clock_of(races, i);

        if (!races->events[i].life || clock[past] > at)
            continue;
        if (!races->first[life]) {
            races->first[life] = i + 1;
            if (is_initial(races, clock, life))
                found |= UINT64_C(1) << log[i].thread;
        }
        conflicts |= life != suspect->life && rdl__conflict(&log[i].op, suspect->op);
    }
    if (!races->first[suspect->life] && !conflicts &&
        is_initial(races, suspect->clock, suspect->life))
        found |= UINT64_C(1) << suspect->thread;
    return found;
}

/* Nobody was asked at this turn: the place to try something else is an earlier one. */
static void try_everybody_before(struct rdl__path *path, uint32_t at)
{
    while (at > 0 && !path->turns[at].asked)
        at--;
    if (path->turns[at].asked)
        path->turns[at].todo |= path->turns[at].enabled;
}

/* See to it that the suspect will be tried before entry `at`. */
static void reverse(struct rdl__races *races, struct rdl__path *path,
                    const struct rdl__log_entry *log, uint32_t at, const struct suspect *suspect)
{
    struct rdl__turn *turn = &path->turns[at];
    uint64_t itself = UINT64_C(1) << suspect->thread;
    uint64_t found, able;

    if (!turn->asked) {
        if (turn->enabled & (turn->enabled - 1))
            try_everybody_before(path, at);
        return;
    }
    found = initials(races, log, at, suspect);
    able = found & turn->enabled;
    if (able & (turn->todo | turn->asleep))
        return;
    if (able & itself)
        turn->todo |= itself;
    else if (able)
        turn->todo |= able & -able;
    else if (found & ~itself) /* something unknown holds them up: leave nothing out */
        turn->todo |= turn->enabled;
}

/* ---- Races ---- */

static bool may_wait(const struct rdl__op *op)
{
    switch (op->kind) {
    case RDL__OP_JOIN:
    case RDL__OP_LOCK:
    case RDL__OP_READ_LOCK:
    case RDL__OP_WRITE_LOCK:
    case RDL__OP_DOWN:
    case RDL__OP_BARRIER:
    case RDL__OP_ONCE:
    case RDL__OP_FUTEX_WAIT:
    case RDL__OP_SLEEP:
    case RDL__OP_IO:
    case RDL__OP_SIGNAL_WAIT:
        return true;
    case RDL__OP_WAIT:
        return !op->also; /* else it only gives up the mutex */
    default:
        return false;
    }
}

/* Can this lock never come right before that unlock, since it has to wait? */
static bool has_to_wait(const struct rdl__op *earlier, const struct rdl__op *op)
{
    return earlier->kind == RDL__OP_UNLOCK &&
           (op->kind == RDL__OP_LOCK || op->kind == RDL__OP_WRITE_LOCK);
}

/* Could the suspect have gone in place of this entry?  It is known in three cases:
 * it never waits; it stood there and could; what it waits for was there, since the
 * entry took just that. */
static bool could_have_gone(const struct rdl__log_entry *entry, uint32_t number,
                            const struct suspect *suspect)
{
    uint8_t kind = suspect->op->kind;

    if (!may_wait(suspect->op) ||
        (number > suspect->since && entry->enabled >> suspect->thread & 1))
        return true;
    return entry->op.kind == kind &&
           (kind == RDL__OP_LOCK || kind == RDL__OP_WRITE_LOCK || kind == RDL__OP_DOWN);
}

static void add_found(struct rdl__races *races, uint32_t entry, bool certain)
{
    if (races->found_count == races->found_room) {
        races->found_room = races->found_room ? races->found_room * 2 : 16;
        races->found = rdl__reallocate(races->found, races->found_room * sizeof *races->found);
    }
    races->found[races->found_count++] = (struct rdl__found){entry, certain};
}

/* Collect what may be exchanged with the suspect: per life the last that conflicts. */
static void look_back(struct rdl__races *races, const struct rdl__log_entry *log,
                      const struct suspect *suspect, uint32_t life)
{
    uint32_t entry = races->last[life];

    for (; entry > suspect->clock[life]; entry = races->events[entry - 1].previous) {
        const struct rdl__log_entry *earlier = &log[entry - 1];
        bool certain;

        if (!rdl__conflict(&earlier->op, suspect->op))
            continue;
        if (!races->latest[life])
            races->latest[life] = entry;
        if (entry == suspect->waker || has_to_wait(&earlier->op, suspect->op))
            continue;
        certain = could_have_gone(earlier, entry, suspect);
        add_found(races, entry - 1, certain);
        if (certain)
            return;
    }
}

/* Does another of those found come between this one and the suspect? */
static bool is_covered(const struct rdl__races *races, uint32_t entry)
{
    uint32_t life = races->events[entry].life - 1;

    for (uint32_t i = 0; i < races->found_count; i++)
        if (races->found[i].certain && races->found[i].entry != entry &&
            clock_of(races, races->found[i].entry)[life] > entry)
            return true;
    return false;
}

static void find_races_of(struct rdl__races *races, struct rdl__path *path,
                          const struct rdl__log_entry *log, const struct suspect *suspect)
{
    memset(races->latest, 0, races->lives * sizeof *races->latest);
    races->found_count = 0;
    if (!suspect->op->touch && !suspect->op->also)
        return;
    for (uint32_t life = 0; life < races->lives; life++)
        if (life != suspect->life)
            look_back(races, log, suspect, life);
    for (uint32_t i = 0; i < races->found_count; i++)
        if (!is_covered(races, races->found[i].entry))
            reverse(races, path, log, races->found[i].entry, suspect);
}

/* ---- What happened before what ---- */

static void join_clocks(struct rdl__races *races, uint32_t *clock, uint32_t number)
{
    const uint32_t *other = clock_of(races, number - 1);

    for (uint32_t i = 0; i < races->lives; i++)
        if (clock[i] < other[i])
            clock[i] = other[i];
}

/* Everybody who has become able to go since the entry before, at `past`. */
static void note_wakers(struct rdl__races *races, const struct rdl__log_entry *log, uint32_t past,
                        uint32_t at)
{
    uint64_t woken = log[at].enabled & ~log[past].enabled;

    for (; woken; woken &= woken - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(woken);

        if (thread != log[past].thread)
            races->waker[thread] = past + 1;
    }
}

/* What happened before the operation apart from what it conflicts with. */
static void begin_clock(struct rdl__races *races, const struct rdl__log_entry *entry, uint32_t life,
                        uint32_t *clock)
{
    uint32_t before = races->last[life];

    memset(clock, 0, races->lives_room * sizeof *clock); /* later lives may ask for theirs */
    if (entry->op.kind == RDL__OP_START)
        before = races->created[entry->thread];
    if (before)
        join_clocks(races, clock, before);
    if (entry->op.kind == RDL__OP_JOIN && entry->other < 64 && races->life_of[entry->other] &&
        races->last[races->life_of[entry->other] - 1])
        join_clocks(races, clock, races->last[races->life_of[entry->other] - 1]);
}

static uint32_t life_at(struct rdl__races *races, const struct rdl__log_entry *entry, uint32_t rows)
{
    if (entry->op.kind == RDL__OP_START || !races->life_of[entry->thread])
        return new_life(races, entry->thread, rows);
    return races->life_of[entry->thread] - 1;
}

/* A new operation: its clock, its races. */
static void look_at(struct rdl__races *races, struct rdl__path *path,
                    const struct rdl__log_entry *log, uint32_t at, uint32_t life)
{
    uint32_t *clock = clock_of(races, at);
    uint32_t waker = log[at].op.kind == RDL__OP_START ? 0 : races->waker[log[at].thread];

    races->events[at] = (struct rdl__event){.life = life + 1, .previous = races->last[life]};
    begin_clock(races, &log[at], life, clock);
    find_races_of(races, path, log,
                  &(struct suspect){.op = &log[at].op,
                                    .entry = at,
                                    .thread = log[at].thread,
                                    .life = life,
                                    .since = races->last[life],
                                    .waker = waker,
                                    .clock = clock});
    for (uint32_t i = 0; i < races->lives; i++)
        if (races->latest[i])
            join_clocks(races, clock, races->latest[i]);
    if (waker)
        join_clocks(races, clock, waker);
    clock[life] = at + 1;
}

/* Operations that never came about race, too: else a deadlock would hide what lies
 * beyond it. */
static void look_at_pending(struct rdl__races *races, struct rdl__path *path,
                            const struct rdl__summary *summary)
{
    for (uint32_t i = 0; i < summary->pending_count; i++) {
        const struct rdl__log_entry *entry = &summary->log[summary->log_count + i];
        uint32_t life = life_at(races, entry, summary->log_count);
        uint32_t *clock = clock_of(races, summary->log_count);

        if (entry->enabled_count > 0)
            continue;
        begin_clock(races, entry, life, clock);
        find_races_of(races, path, summary->log,
                      &(struct suspect){.op = &entry->op,
                                        .entry = summary->log_count,
                                        .thread = entry->thread,
                                        .life = life,
                                        .since = races->last[life],
                                        .clock = clock});
    }
}

bool rdl__races_find(struct rdl__races *races, struct rdl__path *path,
                     const struct rdl__summary *summary, uint32_t first)
{
    const struct rdl__log_entry *log = summary->log;
    uint32_t past = UINT32_MAX;

    if (!make_room(races, path->count))
        return false;
    memset(races->life_of, 0, sizeof races->life_of);
    memset(races->created, 0, sizeof races->created);
    memset(races->waker, 0, sizeof races->waker);
    races->lives = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t life;

        if (log[i].chosen) {
            races->events[i] = (struct rdl__event){0};
            continue;
        }
        if (past != UINT32_MAX)
            note_wakers(races, log, past, i);
        past = i;
        life = life_at(races, &log[i], i);
        if (i >= first)
            look_at(races, path, log, i, life);
        races->last[life] = i + 1;
        races->waker[log[i].thread] = 0;
        if (log[i].op.kind == RDL__OP_CREATE && log[i].other < 64)
            races->created[log[i].other] = i + 1;
    }
    if (path->count == summary->log_count)
        look_at_pending(races, path, summary);
    return true;
}
