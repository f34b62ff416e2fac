/* reversals.c -- which operations of an execution could have come in another order?
 *
 * After "Source sets: a foundation for optimal dynamic partial order reduction"
 * (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017).  What happened before what is
 * known from program order, creation, joining and conflicts.
 *
 * An operation that had to wait cannot be exchanged with the one that ended the
 * wait (a lock with the unlock before it), but perhaps with one before that (the
 * lock that belongs to the unlock).  So for these we look further back, until one
 * is found that it can be exchanged with for certain.  Who had to wait, and until
 * when, the log shows, whatever the primitive is. */
#include "control/strategy/reversals.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    CLOCKS_MAX = 1 << 22,
    LONG = 256,       /* entries of a log that make it worth an index */
    EFFORT_MAX = 128, /* per entry; more only where there is more than can ever be tried */
};

struct rdl__happened {
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

void rdl__reversals_release(struct rdl__reversals *known)
{
    free(known->clocks);
    free(known->events);
    free(known->last);
    free(known->latest);
    free(known->first);
    free(known->found);
    rdl__touched_release(&known->touched);
    *known = (struct rdl__reversals){0};
}

static uint32_t *clock_of(const struct rdl__reversals *known, uint32_t entry)
{
    return &known->clocks[(size_t)entry * known->lives_room];
}

/* ---- Room ---- */

/* One more life than there is room for: rows get wider, keeping what is in them. */
static void widen(struct rdl__reversals *known, uint32_t rows)
{
    uint32_t old = known->lives_room, wide = old ? old * 2 : 8;
    uint32_t *clocks = rdl__allocate((size_t)known->clock_room * wide * sizeof *clocks);

    for (uint32_t i = 0; i < rows; i++)
        memcpy(&clocks[(size_t)i * wide], clock_of(known, i), old * sizeof *clocks);
    free(known->clocks);
    known->clocks = clocks;
    known->lives_room = wide;
    known->last = rdl__reallocate(known->last, wide * sizeof *known->last);
    known->latest = rdl__reallocate(known->latest, wide * sizeof *known->latest);
    known->first = rdl__reallocate(known->first, wide * sizeof *known->first);
}

/* Room for the rows of so many entries, and one more for what never came about. */
static void make_room(struct rdl__reversals *known, uint32_t entries)
{
    if (entries + 1 > known->clock_room) {
        known->clock_room = (entries + 1) * 2;
        known->events = rdl__reallocate(known->events, known->clock_room * sizeof *known->events);
        if (known->lives_room)
            known->clocks =
                rdl__reallocate(known->clocks, (size_t)known->clock_room * known->lives_room *
                                                   sizeof *known->clocks);
    }
    if (!known->lives_room)
        widen(known, 0);
}

static uint32_t new_life(struct rdl__reversals *known, uint32_t thread, uint32_t rows)
{
    if (known->lives == known->lives_room)
        widen(known, rows);
    known->last[known->lives] = 0;
    known->life_of[thread] = ++known->lives;
    return known->lives - 1;
}

/* Does it become more than is worth it? */
static bool is_too_much(const struct rdl__reversals *known, const struct rdl__path *path)
{
    uint64_t lives = known->lives + (known->lives == known->lives_room ? known->lives : 0);

    return lives * path->count > CLOCKS_MAX || known->effort / EFFORT_MAX > path->count + LONG;
}

/* ---- Who is to be tried first ---- */

/* Does nothing of what is to be had first come before the one with this clock? */
static bool is_initial(const struct rdl__reversals *known, const uint32_t *clock, uint32_t life)
{
    for (uint32_t other = 0; other < known->lives; other++)
        if (other != life && known->first[other] && clock[other] >= known->first[other])
            return false;
    return true;
}

/* Threads that can go first in an execution from before entry `at` in which what
 * did not happen after it, and then the suspect, come before it. */
static uint64_t initials(struct rdl__reversals *known, const struct rdl__log_entry *log,
                         uint32_t at, const struct suspect *suspect)
{
    uint32_t past = known->events[at].life - 1;
    bool conflicts = false;
    uint64_t found = 0;

    memset(known->first, 0, known->lives * sizeof *known->first);
    known->effort += suspect->entry - at;
    for (uint32_t i = at + 1; i < suspect->entry; i++) {
        uint32_t life = known->events[i].life - 1;
        const uint32_t *clock = clock_of(known, i);

        if (!known->events[i].life || clock[past] > at)
            continue;
        if (!known->first[life]) {
            known->first[life] = i + 1;
            if (is_initial(known, clock, life))
                found |= UINT64_C(1) << log[i].thread;
        }
        conflicts |=
            life != suspect->life && rdl__depends(&log[i].op, suspect->op, known->by_calls);
    }
    if (!known->first[suspect->life] && !conflicts &&
        is_initial(known, suspect->clock, suspect->life))
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
static void reverse(struct rdl__reversals *known, struct rdl__path *path,
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
    found = initials(known, log, at, suspect);
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
           (op->kind == RDL__OP_LOCK || op->kind == RDL__OP_WRITE_LOCK) &&
           rdl__conflict(earlier, op);
}

/* Could the suspect have gone in place of this entry?  If it stood there, the log
 * says so.  Else it is known if it never waits; or if what it waits for was there,
 * since the entry took just that. */
static bool could_have_gone(const struct rdl__log_entry *entry, uint32_t number,
                            const struct suspect *suspect)
{
    uint8_t kind = suspect->op->kind;

    if (number > suspect->since)
        return entry->enabled >> suspect->thread & 1;
    if (!may_wait(suspect->op))
        return true;
    return entry->op.kind == kind && rdl__conflict(&entry->op, suspect->op) &&
           (kind == RDL__OP_LOCK || kind == RDL__OP_WRITE_LOCK || kind == RDL__OP_DOWN);
}

static void add_found(struct rdl__reversals *known, uint32_t entry, bool certain)
{
    if (known->found_count == known->found_room) {
        known->found_room = known->found_room ? known->found_room * 2 : 16;
        known->found = rdl__reallocate(known->found, known->found_room * sizeof *known->found);
    }
    known->found[known->found_count++] = (struct rdl__found){entry, certain};
}

/* An earlier entry, of this life.  True: nothing before it is of interest. */
static bool compare(struct rdl__reversals *known, const struct rdl__log_entry *log,
                    const struct suspect *suspect, uint32_t life, uint32_t entry)
{
    const struct rdl__log_entry *earlier = &log[entry - 1];
    bool certain;

    if (!rdl__depends(&earlier->op, suspect->op, known->by_calls))
        return false;
    if (known->latest[life] < entry)
        known->latest[life] = entry;
    if (entry == suspect->waker || has_to_wait(&earlier->op, suspect->op))
        return false;
    certain = could_have_gone(earlier, entry, suspect);
    add_found(known, entry - 1, certain);
    return certain;
}

/* Collect what may be exchanged with the suspect: per life the last that conflicts. */
static void look_back(struct rdl__reversals *known, const struct rdl__log_entry *log,
                      const struct suspect *suspect, uint32_t life)
{
    uint64_t blocks[RDL__BLOCKS_MAX];
    uint32_t count = known->is_long ? rdl__touched_blocks(suspect->op, blocks) : 0;

    if (count == 0)
        for (uint32_t entry = known->last[life]; entry > suspect->clock[life];
             entry = known->events[entry - 1].previous)
            if (compare(known, log, suspect, life, entry))
                return;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = rdl__touched_last(&known->touched, blocks[i], life); at;) {
            const struct rdl__touch_link *link = &known->touched.links[at];

            if (link->entry <= suspect->clock[life] ||
                compare(known, log, suspect, life, link->entry))
                break;
            at = link->before;
        }
}

/* Does another of those found come between this one and the suspect? */
static bool is_covered(const struct rdl__reversals *known, uint32_t entry)
{
    uint32_t life = known->events[entry].life - 1;

    for (uint32_t i = 0; i < known->found_count; i++)
        if (known->found[i].certain && known->found[i].entry != entry &&
            clock_of(known, known->found[i].entry)[life] > entry)
            return true;
    return false;
}

static void find_races_of(struct rdl__reversals *known, struct rdl__path *path,
                          const struct rdl__log_entry *log, const struct suspect *suspect)
{
    memset(known->latest, 0, known->lives * sizeof *known->latest);
    known->found_count = 0;
    if (!rdl__touches(suspect->op) && !known->breaks)
        return;
    for (uint32_t life = 0; life < known->lives; life++)
        if (life != suspect->life)
            look_back(known, log, suspect, life);
    for (uint32_t i = 0; i < known->found_count; i++)
        if (!is_covered(known, known->found[i].entry))
            reverse(known, path, log, known->found[i].entry, suspect);
}

/* ---- What happened before what ---- */

static void join_clocks(struct rdl__reversals *known, uint32_t *clock, uint32_t number)
{
    const uint32_t *other = clock_of(known, number - 1);

    for (uint32_t i = 0; i < known->lives; i++)
        if (clock[i] < other[i])
            clock[i] = other[i];
}

/* Everybody who has become able to go since the entry before, at `past`. */
static void note_wakers(struct rdl__reversals *known, const struct rdl__log_entry *log,
                        uint32_t past, uint32_t at)
{
    uint64_t woken = log[at].enabled & ~log[past].enabled;

    for (; woken; woken &= woken - 1) {
        uint32_t thread = (uint32_t)__builtin_ctzll(woken);

        if (thread != log[past].thread)
            known->waker[thread] = past + 1;
    }
}

/* What happened before the operation apart from what it conflicts with. */
static void begin_clock(struct rdl__reversals *known, const struct rdl__log_entry *entry,
                        uint32_t life, uint32_t *clock)
{
    uint32_t before = known->last[life];

    memset(clock, 0, known->lives_room * sizeof *clock); /* later lives may ask for theirs */
    if (entry->op.kind == RDL__OP_START)
        before = known->created[entry->thread];
    if (before)
        join_clocks(known, clock, before);
    if (entry->op.kind == RDL__OP_JOIN && entry->other < 64 && known->life_of[entry->other] &&
        known->last[known->life_of[entry->other] - 1])
        join_clocks(known, clock, known->last[known->life_of[entry->other] - 1]);
}

static uint32_t life_at(struct rdl__reversals *known, const struct rdl__log_entry *entry,
                        uint32_t rows)
{
    if (entry->op.kind == RDL__OP_START || !known->life_of[entry->thread])
        return new_life(known, entry->thread, rows);
    return known->life_of[entry->thread] - 1;
}

/* A new operation: its clock, its races. */
static void look_at(struct rdl__reversals *known, struct rdl__path *path,
                    const struct rdl__log_entry *log, uint32_t at, uint32_t life)
{
    uint32_t *clock = clock_of(known, at);
    uint32_t waker = log[at].op.kind == RDL__OP_START ? 0 : known->waker[log[at].thread];

    known->events[at] = (struct rdl__happened){.life = life + 1, .previous = known->last[life]};
    begin_clock(known, &log[at], life, clock);
    find_races_of(known, path, log,
                  &(struct suspect){.op = &log[at].op,
                                    .entry = at,
                                    .thread = log[at].thread,
                                    .life = life,
                                    .since = known->last[life],
                                    .waker = waker,
                                    .clock = clock});
    for (uint32_t i = 0; i < known->lives; i++)
        if (known->latest[i])
            join_clocks(known, clock, known->latest[i]);
    clock[life] = at + 1;
}

/* At the end of the path: somebody cannot do this. */
static void look_at_blocked(struct rdl__reversals *known, struct rdl__path *path,
                            const struct rdl__log_entry *log, const struct rdl__log_entry *entry)
{
    uint32_t life = life_at(known, entry, path->count);
    uint32_t *clock = clock_of(known, path->count);

    begin_clock(known, entry, life, clock);
    find_races_of(known, path, log,
                  &(struct suspect){.op = &entry->op,
                                    .entry = path->count,
                                    .thread = entry->thread,
                                    .life = life,
                                    .since = known->last[life],
                                    .clock = clock});
}

/* Operations that never came about race, too: else a deadlock would hide what lies
 * beyond it.  So would the end of a path that has become a repetition: what comes
 * after it in the log shows what those stood before who could not go.  And so would the
 * end of the process: each thread that it ended could have gone on before. */
static void look_at_all_blocked(struct rdl__reversals *known, struct rdl__path *path,
                                const struct rdl__summary *summary)
{
    const struct rdl__log_entry *log = summary->log;
    uint32_t end = path->count;
    uint64_t able = end < summary->log_count ? log[end].enabled : 0;

    for (uint32_t i = end; i < summary->log_count + summary->pending_count; i++) {
        uint64_t bit = UINT64_C(1) << log[i].thread;
        bool could_go = able & bit || log[i].op.kind == RDL__OP_START ||
                        (end == summary->log_count && log[i].enabled_count > 0);

        if (log[i].chosen)
            continue;
        if (!could_go || known->exits)
            look_at_blocked(known, path, log, &log[i]);
        able |= bit; /* what it does after that is of no interest */
    }
}

/* Are there operations that depend on others by more than the memory they touch?  The index
 * would not find those. */
static bool have_flag(const struct rdl__path *path, const struct rdl__log_entry *log, uint8_t flag)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (log[i].op.flags & flag)
            return true;
    return false;
}

bool rdl__reversals_find(struct rdl__reversals *known, struct rdl__path *path,
                         const struct rdl__summary *summary, uint32_t first, bool by_calls)
{
    const struct rdl__log_entry *log = summary->log;
    uint32_t past = UINT32_MAX;

    make_room(known, path->count);
    memset(known->life_of, 0, sizeof known->life_of);
    memset(known->created, 0, sizeof known->created);
    memset(known->waker, 0, sizeof known->waker);
    known->lives = 0;
    known->effort = 0;
    known->by_calls = by_calls;
    known->exits = path->count > 0 && log[path->count - 1].op.kind == RDL__OP_EXIT;
    known->breaks = have_flag(path, log, RDL__OP_BREAKS);
    known->is_long =
        path->count > LONG && !known->breaks && (by_calls || !have_flag(path, log, RDL__OP_WORLD));
    if (known->is_long)
        rdl__touched_clear(&known->touched, path->count);
    for (uint32_t i = 0; i < path->count; i++) {
        uint32_t life;

        if (log[i].chosen) {
            known->events[i] = (struct rdl__happened){0};
            continue;
        }
        if (past != UINT32_MAX)
            note_wakers(known, log, past, i);
        past = i;
        if (is_too_much(known, path))
            return false;
        life = life_at(known, &log[i], i);
        if (i >= first)
            look_at(known, path, log, i, life);
        if (known->is_long)
            rdl__touched_add(&known->touched, &log[i].op, life, i + 1);
        known->last[life] = i + 1;
        known->waker[log[i].thread] = 0;
        if (log[i].op.kind == RDL__OP_CREATE && log[i].other < 64)
            known->created[log[i].other] = i + 1;
    }
    look_at_all_blocked(known, path, summary);
    return true;
}
