/* dpor.c -- every distinguishable schedule: source-DPOR with sleep sets.
 *
 * Two schedules that differ only in the order of operations which do not conflict
 * cannot be told apart, and one of them is enough.  A turn's alternatives are tried
 * only if a race was seen that they would reverse (reversals.h).  A thread that has been
 * tried at a turn sleeps from then on, in what is tried there after it, until an
 * operation conflicts with the one it stands before: to let it go any earlier would
 * be to repeat what was tried.  If all who can go are asleep, the rest of the
 * execution is a repetition; it goes on by chance and is not counted.
 *
 * Code that is not instrumented may do anything between two operations: these depend
 * on all others (RDL__OP_WORLD), so that all of their orders are tried.  The strategy
 * "calls" assumes that threads share memory only where calls (of locks, say) see to it,
 * and tries the schedules that differ in what calls do.
 *
 * If the program does not only depend on what we decide, it is a random walk. */
#include <math.h>

#include "control/strategy/all.h"
#include "control/strategy/path.h"
#include "control/strategy/reversals.h"

enum {
    LIKELY = 4, /* one execution in so many, while it is likely to come to its end */
    UNLIKELY = 16,
    TRIAL = 256,           /* executions before that is judged */
    JUDGED_EVERY = 64,     /* executions */
    TOO_MANY = 100 * 1000, /* executions, all in all */
};

struct dpor {
    struct rdl__path path;
    struct rdl__reversals reversals;
    uint64_t executions;
    uint64_t repetitions; /* of these, those that were cut short by sleep */
    uint32_t shallowest;  /* decision that was changed, plus one; and the most there were */
    uint32_t deepest;
    bool done, unlikely;
    bool by_calls; /* code that is not seen is taken not to matter */

    /* Of one execution. */
    const struct rdl__summary *summary;
    uint64_t asleep;
    uint32_t seen; /* log entries that have woken whom they wake */
    bool repeats;
};

static void init_by_calls(void *state, uint64_t seed, unsigned parameter)
{
    (void)seed;
    (void)parameter;
    ((struct dpor *)state)->by_calls = true;
}

static void release(void *state)
{
    struct dpor *dpor = state;

    rdl__path_release(&dpor->path);
    rdl__reversals_release(&dpor->reversals);
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct dpor *dpor = state;

    if (dpor->done)
        return false;
    rdl__path_begin(&dpor->path, view);
    summary->wants_log = !dpor->path.lost;
    dpor->summary = summary;
    dpor->asleep = 0;
    dpor->seen = 0;
    dpor->repeats = false;
    return true;
}

/* Who sleeps while the one goes that goes at this turn. */
static uint64_t asleep_during(const struct rdl__turn *turn)
{
    return turn->asleep | (turn->done & ~(UINT64_C(1) << turn->thread));
}

/* Operations done since we were asked last wake those who conflict with them.  Who
 * went itself, when there was no choice, is not asleep any more. */
static void wake(struct dpor *dpor, const struct rdl__view *view)
{
    const struct rdl__summary *summary = dpor->summary;
    for (uint32_t i = dpor->seen; i < summary->log_count; i++)
        dpor->asleep &= ~(UINT64_C(1) << summary->log[i].thread % 64);
    for (uint32_t i = dpor->seen; i < summary->log_count && dpor->asleep; i++)
        for (uint64_t rest = dpor->asleep; rest; rest &= rest - 1)
            if (rdl__depends(&view->ops[__builtin_ctzll(rest)], &summary->log[i].op,
                             dpor->by_calls))
                dpor->asleep &= ~(rest & -rest);
}

/* Beyond what is given: anybody who is awake. */
static uint32_t pick_awake(struct dpor *dpor, struct rdl__view *view)
{
    uint64_t able = rdl__path_able(&dpor->path, view);
    uint32_t thread;

    if (dpor->asleep)
        wake(dpor, view);
    view->note = dpor->asleep;
    dpor->repeats |= !(able & ~dpor->asleep);
    if (dpor->repeats)
        return rdl__path_any(view);
    thread = rdl__path_runs_on(view, able & ~dpor->asleep);
    if (!dpor->asleep && thread == view->running && !(view->ops[thread].flags & RDL__OP_POLITE))
        view->quiet = UINT64_MAX;
    return thread;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct dpor *dpor = state;
    uint32_t thread;

    if (!rdl__path_follow(&dpor->path, view, &thread))
        thread = pick_awake(dpor, view);
    else if (!dpor->path.lost)
        dpor->asleep = asleep_during(rdl__path_here(&dpor->path));
    dpor->seen = dpor->summary->log_count;
    rdl__path_goes(&dpor->path, view, thread);
    return thread;
}

static uint32_t choose(void *state, struct rdl__view *view, uint32_t max)
{
    return rdl__path_answer(&((struct dpor *)state)->path, view, max);
}

/* Nobody was asked who goes here.  Was it one who had been asleep when somebody was
 * asked last, and nothing has woken it since? */
static bool sleeps_at(const struct dpor *dpor, const struct rdl__log_entry *log, uint32_t at,
                      uint32_t asked)
{
    if (!(asleep_during(&dpor->path.turns[asked]) >> log[at].thread & 1))
        return false;
    for (uint32_t i = asked; i < at; i++)
        if (log[i].thread == log[at].thread ||
            rdl__depends(&log[i].op, &log[at].op, dpor->by_calls))
            return false;
    return true;
}

/* Tell the new turns who slept.  Where all did the path ends: what came after is a
 * repetition. */
static bool mark_sleepers(struct dpor *dpor, const struct rdl__log_entry *log, uint32_t from)
{
    struct rdl__path *path = &dpor->path;
    uint32_t asked = from;

    while (asked > 0 && !path->turns[asked - 1].asked)
        asked--;
    asked--; /* UINT32_MAX: nobody was asked yet */
    for (uint32_t i = from; i < path->count; i++) {
        struct rdl__turn *turn = &path->turns[i];
        bool repeats = false;

        if (turn->asked) {
            turn->asleep = log[i].note;
            repeats = !(turn->enabled & ~turn->asleep);
            asked = i;
        } else if (!turn->largest && asked != UINT32_MAX) {
            repeats = sleeps_at(dpor, log, i, asked);
        }
        if (repeats) {
            rdl__path_truncate(path, i);
            return false;
        }
    }
    return true;
}

/* Will it take too many executions?  So many were needed to change all decisions but
 * the first few; for each of these it will be as many times more as it was, on
 * average, for one of the others. */
static bool is_unlikely(struct dpor *dpor)
{
    const struct rdl__path *path = &dpor->path;
    double changed;

    if (dpor->deepest < path->script_count)
        dpor->deepest = path->script_count;
    if (!dpor->shallowest || path->script_count < dpor->shallowest)
        dpor->shallowest = path->script_count;
    if (dpor->executions < TRIAL || dpor->executions % JUDGED_EVERY)
        return dpor->unlikely;
    changed = dpor->deepest - dpor->shallowest + 1;
    return log((double)dpor->executions) * dpor->deepest / changed > log(TOO_MANY);
}

static void lose(struct dpor *dpor)
{
    dpor->path.lost = true;
    release(dpor);
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct dpor *dpor = state;
    uint32_t followed = dpor->path.followed, first;

    if (dpor->path.lost || !rdl__path_extend(&dpor->path, summary, &first))
        return;
    dpor->executions++;
    dpor->repetitions += !mark_sleepers(dpor, summary->log, followed);
    if (!rdl__reversals_find(&dpor->reversals, &dpor->path, summary, first, dpor->by_calls)) {
        lose(dpor);
        return;
    }
    if (rdl__path_next(&dpor->path))
        dpor->unlikely = is_unlikely(dpor);
    else if (dpor->path.incomplete)
        lose(dpor);
    else
        dpor->done = true;
}

bool rdl__dpor_is_done(const void *state)
{
    return ((const struct dpor *)state)->done;
}

unsigned rdl__dpor_share(const void *state)
{
    const struct dpor *dpor = state;

    if (dpor->path.lost || dpor->path.incomplete || dpor->executions > TOO_MANY)
        return 0;
    return dpor->unlikely ? UNLIKELY : LIKELY;
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct dpor *dpor = state;

    if (dpor->done)
        *out = rdl__path_tally(&dpor->path, dpor->executions - dpor->repetitions,
                               dpor->by_calls ? RDL__ORDERS : RDL__DISTINGUISHABLE);
}

const struct rdl__strategy rdl__strategy_dpor = {
    .name = "dpor",
    .help = "every schedule that makes a difference (dynamic partial order reduction)",
    .state_size = sizeof(struct dpor),
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};

const struct rdl__strategy rdl__strategy_calls = {
    .name = "calls",
    .help = "every order of calls, if memory is only shared where calls see to it",
    .state_size = sizeof(struct dpor),
    .init = init_by_calls,
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};
