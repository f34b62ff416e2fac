/* surw.c -- selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury,
 * ASPLOS 2025).
 *
 * For each execution one shared object is the target: its accesses shall come in
 * any order of threads as likely as in any other.  So who accesses it next is drawn
 * by how many accesses each thread has left, counting those of the threads it will
 * create; the others are held back when they come to it.  All else goes by random
 * priorities of operations.
 *
 * How many accesses there are is learnt from the logs of a few executions.  Objects
 * are at other addresses the next time, so a target is known by the places in the
 * code from which it was touched.  If all are held back, or those who are not just
 * ask again and again, one of those held back may go. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "control/strategy/all.h"
#include "control/strategy/spawn.h"

enum {
    TARGETS_MAX = 32,
    OBJECTS_MAX = 1024, /* a power of two */
    PCS_MAX = 12,
    LIVES_MAX = 64, /* threads with higher numbers are not counted */
    PROFILES_AT_FIRST = 3,
    NOBODY = UINT32_MAX,
};

/* An object of one log; or several, touched from the same places. */
struct object {
    uintptr_t address; /* 0: none */
    uint64_t threads;
    uint64_t accesses;
    uint64_t key;   /* of its places */
    uint32_t order; /* in which it was first touched: addresses differ from run to run */
    uint32_t pc_count;
    bool written;
    uintptr_t pcs[PCS_MAX];
};

struct target {
    struct object object;
    uint32_t accesses[LIVES_MAX]; /* per thread */
};

struct surw {
    /* What stays. */
    uint64_t executions;
    uint64_t accesses; /* of all targets */
    uint32_t target_count;
    struct target targets[TARGETS_MAX];
    uint32_t threads;
    uint8_t creator[LIVES_MAX];

    /* Of one execution. */
    struct rdl__spawn spawn;
    const struct target *target; /* NULL: none is known */
    uint32_t intended;           /* who accesses it next */
    uint32_t left[LIVES_MAX];    /* accesses of the thread and those it will create */
    uint32_t total[LIVES_MAX];   /* what left is when the thread begins */
    uint64_t epoch;
    struct pending {
        uint64_t priority;
        uint64_t stamp; /* epoch + steps: which operation it is */
        bool at_target;
    } pending[RDL__THREADS_MAX];
};

/* ---- Profiles ---- */

static bool is_profile(const struct surw *surw)
{
    uint64_t n = surw->executions;

    return n < PROFILES_AT_FIRST || (n & (n - 1)) == 0;
}

static bool has_pc(const struct object *object, uintptr_t pc)
{
    for (uint32_t i = 0; i < object->pc_count; i++)
        if (object->pcs[i] == pc)
            return true;
    return false;
}

static void touch(struct object *objects, uintptr_t address, const struct rdl__log_entry *entry,
                  bool writes, uint32_t order)
{
    uint64_t at = rdl__mix(address);
    struct object *object = NULL;

    for (int tries = 0; tries < 16 && !object; tries++, at++)
        if (objects[at % OBJECTS_MAX].address == address || !objects[at % OBJECTS_MAX].address)
            object = &objects[at % OBJECTS_MAX];
    if (!object)
        return; /* too many: this one is not to be a target */
    if (!object->address)
        object->order = order;
    object->address = address;
    object->accesses++;
    object->written |= writes;
    if (entry->thread < LIVES_MAX)
        object->threads |= UINT64_C(1) << entry->thread;
    if (object->pc_count < PCS_MAX && !has_pc(object, entry->op.pc)) {
        object->pcs[object->pc_count++] = entry->op.pc;
        object->key += rdl__mix(entry->op.pc);
    }
}

/* Where an object touched from just these places belongs; a light target makes room
 * for a heavier one. */
static struct target *place_for(struct surw *surw, const struct object *object)
{
    struct target *lightest = surw->targets;

    for (uint32_t i = 0; i < surw->target_count; i++) {
        struct target *target = &surw->targets[i];

        if (target->object.key == object->key)
            return target;
        if (target->object.accesses < lightest->object.accesses)
            lightest = target;
    }
    if (surw->target_count < TARGETS_MAX)
        lightest = &surw->targets[surw->target_count++];
    else if (lightest->object.accesses >= object->accesses)
        return NULL;
    *lightest = (struct target){0};
    return lightest;
}

static int by_order(const void *a, const void *b)
{
    const struct object *one = a, *two = b;

    return (one->order > two->order) - (one->order < two->order);
}

/* `objects` are sorted for it. */
static void take_targets(struct surw *surw, struct object *objects)
{
    surw->target_count = 0;
    qsort(objects, OBJECTS_MAX, sizeof *objects, by_order);
    for (uint32_t i = 0; i < OBJECTS_MAX; i++) {
        const struct object *object = &objects[i];
        struct target *target;
        uint64_t accesses;

        if (!object->written || !(object->threads & (object->threads - 1)))
            continue;
        target = place_for(surw, object);
        if (!target)
            continue;
        accesses = target->object.accesses;
        target->object = *object;
        target->object.accesses += accesses;
    }
}

/* What thread 0 does alone, before it creates others, has no order to be chosen. */
static void count_accesses(struct surw *surw, const struct rdl__summary *summary)
{
    bool alone = true;

    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *entry = &summary->log[i];

        if (entry->thread >= LIVES_MAX || entry->chosen)
            continue;
        if (entry->op.kind == RDL__OP_START)
            surw->creator[entry->thread] = entry->other < LIVES_MAX ? (uint8_t)entry->other : 0;
        alone &= entry->op.kind != RDL__OP_CREATE;
        if (alone)
            continue;
        for (uint32_t t = 0; t < surw->target_count; t++)
            surw->targets[t].accesses[entry->thread] +=
                has_pc(&surw->targets[t].object, entry->op.pc);
    }
    surw->threads = summary->threads < LIVES_MAX ? summary->threads : LIVES_MAX;
    surw->accesses = 0;
    for (uint32_t t = 0; t < surw->target_count; t++)
        surw->accesses += surw->targets[t].object.accesses;
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct surw *surw = state;
    struct object *objects;

    surw->executions++;
    if (summary->log_count == 0)
        return;
    objects = rdl__allocate(OBJECTS_MAX * sizeof *objects);
    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *entry = &summary->log[i];

        if (!entry->chosen && entry->op.touch && entry->op.object)
            touch(objects, entry->op.object, entry, entry->op.touch == RDL__WRITES, 2 * i);
        if (!entry->chosen && entry->op.also)
            touch(objects, entry->op.also, entry, true, 2 * i + 1);
    }
    take_targets(surw, objects);
    count_accesses(surw, summary);
    free(objects);
}

/* ---- Executions ---- */

static const struct target *draw_target(const struct surw *surw, struct rdl__random *random)
{
    uint64_t at;

    if (surw->accesses == 0)
        return NULL;
    at = rdl__random_upto(random, surw->accesses - 1);
    for (uint32_t i = 0; i < surw->target_count; i++) {
        if (at < surw->targets[i].object.accesses)
            return &surw->targets[i];
        at -= surw->targets[i].object.accesses;
    }
    return NULL;
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct surw *surw = state;

    summary->wants_log = is_profile(surw);
    rdl__spawn_begin(&surw->spawn, view);
    surw->epoch += UINT64_C(1) << 32;
    surw->intended = NOBODY;
    surw->target = draw_target(surw, &view->random);
    if (!surw->target)
        return true;
    for (uint32_t t = 0; t < surw->threads; t++) {
        surw->total[t] = surw->target->accesses[t];
        surw->left[t] = 0;
    }
    for (uint32_t t = surw->threads; t-- > 1;)
        if (surw->creator[t] < t)
            surw->total[surw->creator[t]] += surw->total[t];
    surw->left[0] = surw->total[0];
    return true;
}

/* A thread is there now: its accesses are no longer its creator's.  If one of them was
 * meant to come next, it may have been one of the new thread's. */
static void meet(struct surw *surw, struct rdl__view *view, uint32_t thread)
{
    uint32_t creator = view->creator[thread], total;

    surw->pending[thread].stamp = surw->epoch;
    if (thread == 0 || thread >= surw->threads || creator >= surw->threads)
        return;
    if (surw->pending[creator].stamp < surw->epoch)
        meet(surw, view, creator);
    total = surw->total[thread];
    if (total > surw->left[creator])
        total = surw->left[creator];
    if (surw->intended == creator && total > 0 &&
        rdl__random_upto(&view->random, surw->left[creator] - 1) < total)
        surw->intended = thread;
    surw->left[thread] = surw->total[thread];
    surw->left[creator] -= total;
}

/* The thread accesses the target. */
static void note_access(struct surw *surw, uint32_t thread)
{
    surw->pending[thread].at_target = false;
    if (surw->intended == thread)
        surw->intended = NOBODY;
    if (thread < surw->threads && surw->left[thread])
        surw->left[thread]--;
}

/* Look at operations that threads have come to.  What they stood before they have
 * done, perhaps without a choice.  True: somebody is at the target. */
static bool look(struct surw *surw, struct rdl__view *view, const struct rdl__set *set)
{
    bool any = false;

    for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);) {
        struct pending *pending = &surw->pending[w.thread];
        uint64_t stamp = surw->epoch + view->steps[w.thread];

        if (pending->stamp != stamp) {
            if (surw->target && pending->stamp < surw->epoch)
                meet(surw, view, w.thread);
            else if (pending->at_target)
                note_access(surw, w.thread);
            pending->stamp = stamp;
            pending->priority = rdl__priority(&view->random, w.thread);
            pending->at_target =
                surw->target && has_pc(&surw->target->object, view->ops[w.thread].pc);
        }
        any |= pending->at_target;
    }
    return any;
}

static uint32_t left_of(const struct surw *surw, uint32_t thread)
{
    return thread < surw->threads ? surw->left[thread] : 0;
}

/* Anybody may be it, also who cannot go just now. */
static void draw_intended(struct surw *surw, struct rdl__view *view)
{
    uint64_t sum = 0, at;

    for (uint32_t t = 0; t < surw->threads; t++)
        sum += surw->left[t];
    if (sum == 0)
        return;
    at = rdl__random_upto(&view->random, sum - 1);
    for (uint32_t t = 0; t < surw->threads && surw->intended == NOBODY; t++) {
        if (at < surw->left[t])
            surw->intended = t;
        at -= surw->left[t];
    }
}

static bool is_held(const struct surw *surw, uint32_t thread)
{
    return surw->pending[thread].at_target && surw->intended != NOBODY && surw->intended != thread;
}

static uint32_t highest_free(const struct surw *surw, const struct rdl__set *set)
{
    uint64_t best = 0;

    for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);) {
        uint64_t priority = is_held(surw, w.thread) ? 0 : surw->pending[w.thread].priority;

        best = priority > best ? priority : best;
    }
    return best ? rdl__priority_of(best) : NOBODY;
}

/* One of those held back, likelier if it has more left; `otherwise` if there is none. */
static uint32_t draw_held(const struct surw *surw, struct rdl__view *view,
                          const struct rdl__set *set, uint32_t otherwise)
{
    uint64_t sum = 0;

    for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);)
        if (is_held(surw, w.thread)) {
            uint64_t weight = left_of(surw, w.thread) + UINT64_C(1);

            sum += weight;
            if (rdl__random_upto(&view->random, sum - 1) < weight)
                otherwise = w.thread;
        }
    return otherwise;
}

/* The thread goes. */
static void settle(struct surw *surw, struct rdl__view *view, const struct rdl__set *set,
                   uint32_t thread)
{
    if (surw->pending[thread].at_target) {
        note_access(surw, thread);
        surw->intended = NOBODY;
    }
    if (rdl__is_polite(view, thread)) /* let all others draw anew, as in pos.c */
        for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);)
            surw->pending[w.thread].priority = rdl__priority(&view->random, w.thread);
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct surw *surw = state;
    struct rdl__set set = rdl__eligible(&surw->spawn, view);
    bool any_at_target = look(surw, view, &set);
    uint32_t best;

    if (any_at_target && surw->intended == NOBODY)
        draw_intended(surw, view);
    best = highest_free(surw, &set);
    if (any_at_target && (best == NOBODY || rdl__is_polite(view, best)))
        best = draw_held(surw, view, &set, best);
    settle(surw, view, &set, best);
    return best;
}

const struct rdl__strategy rdl__strategy_surw = {
    .name = "surw",
    .help = "accesses of one object in any order of threads (selectively uniform random walk)",
    .state_size = sizeof(struct surw),
    .begin = begin,
    .pick = pick,
    .ended = ended,
};
