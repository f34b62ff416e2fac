/* dfs.c -- every schedule once, depth first, nothing left out. */
#include "control/strategy/all.h"
#include "control/strategy/path.h"

struct dfs {
    struct rdl__path path;
    uint64_t schedules;
    bool done;
};

static void release(void *state)
{
    rdl__path_release(&((struct dfs *)state)->path);
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct dfs *dfs = state;

    if (dfs->done)
        return false;
    rdl__path_begin(&dfs->path, view);
    summary->wants_log = !dfs->path.lost;
    return true;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct dfs *dfs = state;
    uint32_t thread;

    if (!rdl__path_follow(&dfs->path, view, &thread))
        thread = rdl__path_runs_on(view, rdl__path_able(&dfs->path, view));
    rdl__path_goes(&dfs->path, view, thread);
    return thread;
}

static uint32_t choose(void *state, struct rdl__view *view, uint32_t max)
{
    return rdl__path_answer(&((struct dfs *)state)->path, view, max);
}

static void ended(void *state, const struct rdl__summary *summary)
{
    struct dfs *dfs = state;
    uint32_t first;

    if (dfs->path.lost || !rdl__path_extend(&dfs->path, summary, &first))
        return;
    dfs->schedules++;
    for (uint32_t i = first; i < dfs->path.count; i++)
        if (dfs->path.turns[i].asked)
            dfs->path.turns[i].todo = dfs->path.turns[i].enabled;
    dfs->done = !rdl__path_next(&dfs->path);
}

static void count_all(const void *state, struct rdl__tally *out)
{
    const struct dfs *dfs = state;

    if (dfs->done)
        *out = rdl__path_tally(&dfs->path, dfs->schedules, RDL__SCHEDULES);
}

const struct rdl__strategy rdl__strategy_dfs = {
    .name = "dfs",
    .help = "every schedule, one after the other",
    .state_size = sizeof(struct dfs),
    .release = release,
    .begin = begin,
    .pick = pick,
    .choose = choose,
    .ended = ended,
    .count = count_all,
};
