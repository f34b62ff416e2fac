/* constraints.c -- from the steps of a schedule to what must come before what.
 *
 * A schedule is a row of stretches: one thread runs until it is interrupted, has to wait, or ends.
 * In free mode all threads run at once; so the thread of each stretch is held, at a line, until the
 * stretch before has ended.  That line is
 *
 *     where it was interrupted: the last line that it came to, if it has done nothing there that
 *     others could notice; else the next one that it comes to, if it does nothing until then;
 *     else the call in the midst of the line;
 *
 *     or, if it was not, the first that it comes to in this stretch.
 *
 * A thread that had to wait for a lock is taken for one that was interrupted before: to ask in vain
 * is to do nothing.  One that waits for a condition really does; when it is woken, it is held
 * before it takes the mutex back, which is an event of its own.
 *
 * Lines are counted as gates count them: they were looked at by hooks in the same places. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/script.h"
#include "control/sched/op.h"

enum { NO_HIT = UINT32_MAX };

struct stretch {
    uint32_t thread;
    uint64_t from, to;           /* numbers of the steps that end the one before, and this one */
    const struct rdl__step *end; /* NULL: the schedule ends in it */
};

struct reading {
    const struct rdl__steps *steps;
    const struct rdl__probe *probe;
    struct rdl__step *all;
    size_t step_count;
    struct stretch *stretches;
    size_t count;
    struct rdl__constraints *out;
};

/* ---- Stretches ------------------------------------------------------------------------------ */

static bool is_lock(uint8_t op)
{
    return op == RDL__OP_LOCK || op == RDL__OP_READ_LOCK || op == RDL__OP_WRITE_LOCK ||
           op == RDL__OP_DOWN;
}

static void read_stretches(struct reading *r)
{
    uint64_t from = 0;

    r->stretches = rdl__allocate((r->step_count + 1) * sizeof *r->stretches);
    for (size_t i = 0; i < r->step_count; i++) {
        const struct rdl__step *step = &r->all[i];

        if (step->how == RDL__STEP_DONE)
            continue;
        r->stretches[r->count++] = (struct stretch){step->thread, from, step->number, step};
        from = step->number;
    }
    r->stretches[r->count++] = (struct stretch){r->steps->running, from, UINT64_MAX, NULL};
}

/* Has the thread done anything in between that others could notice? */
static bool does_something(const struct reading *r, uint32_t thread, uint64_t after,
                           uint64_t before)
{
    for (size_t i = 0; i < r->step_count; i++)
        if (r->all[i].thread == thread && r->all[i].how == RDL__STEP_DONE &&
            r->all[i].number > after && r->all[i].number < before)
            return true;
    return false;
}

/* Does the thread of this stretch do anything after it? */
static bool goes_on(const struct reading *r, const struct stretch *stretch)
{
    return does_something(r, stretch->thread, stretch->to, UINT64_MAX);
}

/* The stretch of the same thread before this one, or after it; r->count: there is none. */
static size_t neighbour(const struct reading *r, size_t k, int direction)
{
    for (size_t i = k + (size_t)direction; i < r->count; i += (size_t)direction)
        if (r->stretches[i].thread == r->stretches[k].thread)
            return i;
    return r->count;
}

/* ---- Lines that threads come to ------------------------------------------------------------- */

static uint32_t hits(const struct reading *r)
{
    return r->probe->count < r->probe->room ? r->probe->count : r->probe->room;
}

static bool is_wake(const struct reading *r, uint32_t hit)
{
    return r->probe->hits[hit].place == RDL__PROBE_WOKEN;
}

static bool is_call(const struct reading *r, uint32_t hit)
{
    return !is_wake(r, hit) && r->probe->hits[hit].place >= r->probe->line_count;
}

static uint32_t last_hit(const struct reading *r, uint32_t thread, uint64_t before, bool of_call)
{
    for (uint32_t i = hits(r); i-- > 0;)
        if (r->probe->hits[i].thread == thread && r->probe->hits[i].step < before &&
            is_call(r, i) == of_call)
            return i;
    return NO_HIT;
}

static uint32_t first_hit(const struct reading *r, const struct stretch *stretch)
{
    for (uint32_t i = 0; i < hits(r); i++)
        if (r->probe->hits[i].thread == stretch->thread && !is_call(r, i) &&
            r->probe->hits[i].step >= stretch->from && r->probe->hits[i].step < stretch->to)
            return i;
    return NO_HIT;
}

static const char *place_of(const struct reading *r, uint32_t hit)
{
    return is_wake(r, hit) ? "a condition" : r->probe->places[r->probe->hits[hit].place];
}

/* "bank.c:20#3", or "woken#3" */
static void add_place(struct rdl__text *out, const struct reading *r, uint32_t hit)
{
    const struct rdl__probe_hit *all = r->probe->hits;
    unsigned times = 0;

    for (uint32_t i = 0; i <= hit; i++)
        times += all[i].thread == all[hit].thread && all[i].place == all[hit].place;
    rdl__text_add(out, "%s", is_wake(r, hit) ? "woken" : place_of(r, hit));
    if (times > 1)
        rdl__text_add(out, "#%u", times);
}

/* Has the thread done nothing that others could notice, from there to the end of the stretch? */
static bool stands_there(const struct reading *r, uint32_t hit, const struct stretch *stretch)
{
    return hit != NO_HIT && stretch->end->op != RDL__OP_STEP &&
           !does_something(r, stretch->thread, r->probe->hits[hit].step, stretch->to);
}

/* Where the thread stands that is interrupted at the end of this stretch, and goes on in stretch
 * `next`, if it does. */
static uint32_t hit_at_interruption(const struct reading *r, size_t k, size_t next)
{
    const struct stretch *stretch = &r->stretches[k];
    uint32_t before = last_hit(r, stretch->thread, stretch->to, false);
    uint32_t call = last_hit(r, stretch->thread, stretch->to, true);
    uint32_t after = next < r->count ? first_hit(r, &r->stretches[next]) : NO_HIT;
    char name[40];

    if (stands_there(r, before, stretch))
        return before;
    if (after != NO_HIT && !does_something(r, stretch->thread, r->stretches[next].from,
                                           r->probe->hits[after].step + 1))
        return after;
    if (stands_there(r, call, stretch))
        return call;
    if (before != NO_HIT)
        rdl__text_add(&r->out->remarks,
                      "%s is interrupted in the midst of %s, where there can be no gate: make "
                      "two lines of this one, or compile what it calls with -g\n",
                      rdl__steps_thread(r->steps, stretch->thread, name), place_of(r, before));
    else
        rdl__text_add(&r->out->remarks,
                      "%s is interrupted in code whose lines are not known (compile it with -g)\n",
                      rdl__steps_thread(r->steps, stretch->thread, name));
    return before;
}

/* Where the thread stands that waits for a lock at the end of this stretch, if it gets it later. */
static uint32_t hit_at_lock(const struct reading *r, size_t k)
{
    const struct stretch *stretch = &r->stretches[k];
    uint32_t before, call;

    if (!stretch->end || stretch->end->how != RDL__STEP_WAITS || !is_lock(stretch->end->op) ||
        !goes_on(r, stretch))
        return NO_HIT;
    before = last_hit(r, stretch->thread, stretch->to, false);
    call = last_hit(r, stretch->thread, stretch->to, true);
    if (stands_there(r, before, stretch) && !is_wake(r, before))
        return before;
    return stands_there(r, call, stretch) ? call : NO_HIT;
}

static bool is_interrupted(const struct reading *r, size_t k)
{
    return k < r->count && r->stretches[k].end &&
           (r->stretches[k].end->how == RDL__STEP_INTERRUPTED || hit_at_lock(r, k) != NO_HIT);
}

/* A thread that is woken and gets no further than to the mutex has done nothing yet. */
static bool is_in_vain(const struct reading *r, size_t k)
{
    const struct stretch *stretch = &r->stretches[k];
    uint32_t hit = last_hit(r, stretch->thread, stretch->to, false);

    return stretch->end && is_lock(stretch->end->op) && stands_there(r, hit, stretch) &&
           is_wake(r, hit) && r->probe->hits[hit].step >= stretch->from && goes_on(r, stretch);
}

/* Such a stretch becomes part of the thread's next one. */
static void drop_vain_stretches(struct reading *r)
{
    for (size_t k = 0; k < r->count;)
        if (is_in_vain(r, k)) {
            r->stretches[neighbour(r, k, 1)].from = r->stretches[k].from;
            memmove(&r->stretches[k], &r->stretches[k + 1],
                    (--r->count - k) * sizeof *r->stretches);
        } else {
            k++;
        }
}

/* ---- Constraints ---------------------------------------------------------------------------- */

static void add(struct reading *r, struct rdl__text *before, struct rdl__text *after)
{
    struct rdl__constraints *out = r->out;

    if (before->count && after->count) {
        out->items = rdl__reallocate(out->items, (out->count + 1) * sizeof *out->items);
        out->items[out->count++] =
            (struct rdl__constraint){.before = before->bytes, .after = after->bytes};
        return;
    }
    rdl__text_release(before);
    rdl__text_release(after);
}

/* What waits for others by the test's own gates and clock does so in free mode as well. */
static bool is_held_by_test(const struct stretch *stretch)
{
    return stretch->end && stretch->end->how == RDL__STEP_WAITS &&
           (stretch->end->op == RDL__OP_GATE || stretch->end->op == RDL__OP_TICK ||
            stretch->end->op == RDL__OP_QUIET);
}

/* Did the thread have to wait before this stretch? */
static bool has_waited(const struct reading *r, size_t k)
{
    for (size_t i = neighbour(r, k, -1); i < r->count; i = neighbour(r, i, -1))
        if (r->stretches[i].end->how == RDL__STEP_WAITS)
            return true;
    return false;
}

/* "[one blocked]"; if it was blocked before, where it has come to since then. */
static void add_blocked(struct rdl__text *out, const struct reading *r, size_t k, const char *name)
{
    const struct stretch *stretch = &r->stretches[k];
    uint32_t hit = has_waited(r, k) ? last_hit(r, stretch->thread, stretch->to, false) : NO_HIT;

    rdl__text_add(out, "[%s blocked", name);
    if (hit != NO_HIT) {
        rdl__text_add(out, " after ");
        add_place(out, r, hit);
    }
    rdl__text_add(out, "]");
}

/* That the stretch has ended. */
static struct rdl__text end_of(const struct reading *r, size_t k)
{
    const struct stretch *stretch = &r->stretches[k];
    struct rdl__text out = {0};
    char room[40];
    const char *name = rdl__steps_thread(r->steps, stretch->thread, room);
    uint32_t hit;

    if (is_interrupted(r, k)) {
        hit = hit_at_interruption(r, k, neighbour(r, k, 1));
        if (hit != NO_HIT && !is_wake(r, hit)) {
            rdl__text_add(&out, "[%s at ", name);
            add_place(&out, r, hit);
            rdl__text_add(&out, "]");
        }
    } else if (stretch->end && stretch->end->how == RDL__STEP_WAITS) {
        add_blocked(&out, r, k, name);
    } else {
        rdl__text_add(&out, "[%s ended]", name);
    }
    return out;
}

static struct rdl__text event_of(const struct reading *r, uint32_t hit)
{
    struct rdl__text out = {0};
    char room[40];

    if (hit == NO_HIT)
        return out;
    rdl__text_add(&out, is_wake(r, hit) ? "[%s " : "%s:",
                  rdl__steps_thread(r->steps, r->probe->hits[hit].thread, room));
    add_place(&out, r, hit);
    rdl__text_add(&out, is_wake(r, hit) ? "]" : "");
    return out;
}

/* Who waits in a call goes on from there when it can. */
static void remark_wait(struct reading *r, const struct stretch *stretch)
{
    uint32_t hit = last_hit(r, stretch->thread, stretch->to, false);
    char name[40];

    if (stretch->end->op != RDL__OP_JOIN && !is_held_by_test(stretch) && hit != NO_HIT &&
        !is_wake(r, hit))
        rdl__text_add(
            &r->out->waits,
            "%s waits in %s, and goes on in that line as soon as it can: no gate can keep "
            "it there\n",
            rdl__steps_thread(r->steps, stretch->thread, name), place_of(r, hit));
}

/* That the stretch begins.  (What there is to remark has been said when the thread was
 * interrupted.) */
static struct rdl__text beginning_of(struct reading *r, size_t k)
{
    size_t before = neighbour(r, k, -1), said = r->out->remarks.count;
    struct rdl__text out;

    if (!is_interrupted(r, before)) {
        uint32_t first = first_hit(r, &r->stretches[k]);

        if (before < r->count && r->stretches[before].end->how == RDL__STEP_WAITS &&
            !(first != NO_HIT && is_wake(r, first)))
            remark_wait(r, &r->stretches[before]);
        return event_of(r, first);
    }
    out = event_of(r, hit_at_interruption(r, before, k));
    if (r->out->remarks.bytes) {
        r->out->remarks.count = said;
        r->out->remarks.bytes[said] = '\0';
    }
    return out;
}

/* The one that has to end before stretch k begins.  Of those that wait for others by the test's own
 * gates and clock nothing is to be said. */
static size_t stretch_before(const struct reading *r, size_t k)
{
    size_t before = k - 1;

    while (before > 0 && is_held_by_test(&r->stretches[before]))
        before--;
    return before;
}

static bool has_stretch(const struct reading *r, uint32_t thread)
{
    for (size_t k = 0; k < r->count; k++)
        if (r->stretches[k].thread == thread)
            return true;
    return false;
}

/* Who did not begin, or was interrupted and did not go on, must not do so in free mode either. */
static void hold_the_rest(struct reading *r, char *const starts[RDL__PROBE_THREADS])
{
    for (uint32_t thread = 0; thread < RDL__PROBE_THREADS; thread++) {
        struct rdl__text before = {0}, after = {0};

        if (has_stretch(r, thread))
            continue;
        if (starts[thread]) {
            before = end_of(r, r->count - 1);
            rdl__text_add(&after, "%s:%s", r->probe->threads[thread].name, starts[thread]);
            add(r, &before, &after);
        } else if (r->probe->threads[thread].entry) {
            rdl__text_add(&r->out->remarks,
                          "%s never gets to run, and no gate can keep it from doing so: nobody "
                          "knows the line that it begins with\n",
                          r->probe->threads[thread].name);
        }
    }
    for (size_t k = 0; k + 1 < r->count; k++)
        if (is_interrupted(r, k) && neighbour(r, k, 1) == r->count) {
            struct rdl__text before = end_of(r, r->count - 1),
                             after = event_of(r, hit_at_interruption(r, k, r->count));

            add(r, &before, &after);
        }
}

void rdl__constraints_make(struct rdl__constraints *out, const struct rdl__steps *steps,
                           const struct rdl__probe *probe, char *const starts[RDL__PROBE_THREADS])
{
    struct reading r = {.steps = steps, .probe = probe, .out = out};

    *out = (struct rdl__constraints){0};
    r.all = rdl__steps_read(steps, &r.step_count);
    read_stretches(&r);
    drop_vain_stretches(&r);
    for (size_t k = 1; k < r.count; k++) {
        size_t last = stretch_before(&r, k);

        if (r.stretches[k].thread != r.stretches[last].thread &&
            !is_held_by_test(&r.stretches[last])) {
            struct rdl__text before = end_of(&r, last), after = beginning_of(&r, k);

            add(&r, &before, &after);
        }
    }
    hold_the_rest(&r, starts);
    free(r.stretches);
    free(r.all);
}

void rdl__constraints_release(struct rdl__constraints *constraints)
{
    for (size_t i = 0; i < constraints->count; i++) {
        free(constraints->items[i].before);
        free(constraints->items[i].after);
    }
    free(constraints->items);
    rdl__text_release(&constraints->remarks);
    rdl__text_release(&constraints->waits);
    *constraints = (struct rdl__constraints){0};
}

/* ---- As text -------------------------------------------------------------------------------- */

/* "[one at bank.c:20]" is "one:bank.c:20", unless one has to wait there. */
static void add_before(struct rdl__text *out, const struct rdl__constraints *constraints,
                       const char *before)
{
    const char *at = strstr(before, " at ");
    struct rdl__text passing = {0};
    bool waits = false;

    if (at)
        rdl__text_add(&passing, "%.*s:%.*s", (int)(at - before - 1), before + 1,
                      (int)(strlen(at + 4) - 1), at + 4);
    for (size_t i = 0; at && i < constraints->count; i++)
        waits = waits || (!constraints->items[i].is_dropped &&
                          strcmp(constraints->items[i].after, passing.bytes) == 0);
    rdl__text_add(out, "%s", at && !waits ? passing.bytes : before);
    rdl__text_release(&passing);
}

void rdl__constraints_write(struct rdl__text *out, const struct rdl__constraints *constraints,
                            const char *between)
{
    bool is_first = true;

    for (size_t i = 0; i < constraints->count; i++) {
        if (constraints->items[i].is_dropped)
            continue;
        rdl__text_add(out, "%s", is_first ? "" : between);
        add_before(out, constraints, constraints->items[i].before);
        rdl__text_add(out, " -> %s", constraints->items[i].after);
        is_first = false;
    }
}
