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
 * Operations that touch nothing count as independent of all others.  If the program
 * does not only depend on what we decide, the strategy becomes a random walk. */
#include "control/strategy/all.h"
#include "control/strategy/path.h"
#include "control/strategy/reversals.h"

enum {
    HOPE_AT_FIRST = 256, /* executions in which nothing is held against it */
    HOPE_EVERY = 64,     /* executions: look again */
    HOPE_MAX = 100000,   /* executions that it may take all in all */
};

struct dpor {
    struct rdl__path path;
    struct rdl__reversals reversals;
    uint64_t executions;
    uint64_t repetitions; /* of these, those that were cut short by sleep */
    bool done, hopeless;

    /* Of one execution. */
    const struct rdl__summary *summary;
    uint64_t asleep;
    uint32_t seen; /* log entries that have woken whom they wake */
    bool repeats;
};

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
            if (rdl__conflict(&view->ops[__builtin_ctzll(rest)], &summary->log[i].op))
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
static bool sleeps_at(const struct rdl__path *path, const struct rdl__log_entry *log, uint32_t at,
                      uint32_t asked)
{
    if (!(asleep_during(&path->turns[asked]) >> log[at].thread & 1))
        return false;
    for (uint32_t i = asked; i < at; i++)
        if (log[i].thread == log[at].thread || rdl__conflict(&log[i].op, &log[at].op))
            return false;
    return true;
}

/* Tell the new turns who slept.  Where all did the path ends: what came after is a
 * repetition. */
static bool mark_sleepers(struct rdl__path *path, const struct rdl__log_entry *log, uint32_t from)
{
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
            repeats = sleeps_at(path, log, i, asked);
        }
        if (repeats) {
            rdl__path_truncate(path, i);
            return false;
        }
    }
    return true;
}

/* How many executions will it take?  As many as so far for each part of the tree as
 * large as what was visited of it. */
static bool is_hopeless(const struct dpor *dpor)
{
    double part = 1, visited = 0;

    if (dpor->executions < HOPE_AT_FIRST || dpor->executions % HOPE_EVERY)
        return dpor->hopeless;
    for (uint32_t i = 0; i < dpor->path.count; i++) {
        const struct rdl__turn *turn = &dpor->path.turns[i];
        int all = __builtin_popcountll((turn->todo | turn->done) & ~turn->asleep);
        int before = __builtin_popcountll(turn->done & ~turn->asleep) - 1;

        if (turn->largest) {
            all = (int)turn->largest + 1;
            before = (int)turn->answer;
        }
        part /= all;
        visited += part * before;
    }
    return (double)dpor->executions > visited * HOPE_MAX;
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
    dpor->path.incomplete |= summary->timed;
    dpor->executions++;
    dpor->repetitions += !mark_sleepers(&dpor->path, summary->log, followed);
    if (!rdl__reversals_find(&dpor->reversals, &dpor->path, summary, first)) {
        lose(dpor);
        return;
    }
    if (rdl__path_next(&dpor->path))
        dpor->hopeless = is_hopeless(dpor);
    else if (dpor->path.incomplete)
        lose(dpor);
    else
        dpor->done = true;
}

bool rdl__dpor_is_done(const void *state)
{
    return ((const struct dpor *)state)->done;
}

bool rdl__dpor_hopes(const void *state)
{
    const struct dpor *dpor = state;

    return !dpor->path.lost && !dpor->path.incomplete && !dpor->hopeless;
}

static int covered(const void *state, char *out, size_t room)
{
    const struct dpor *dpor = state;

    if (!dpor->done)
        return 0;
    return rdl__path_sentence(&dpor->path, out, room, dpor->executions - dpor->repetitions,
                              "distinguishable schedule", "");
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
    .covered = covered,
};
