/* pct.c -- probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and
 * Nagarakatte, ASPLOS 2010).
 *
 * Threads have random priorities, and the highest that can runs.  At depth - 1
 * points, drawn before, the thread that would run gets a priority below all
 * others.  A bug that shows whenever d pairs of operations come in a certain order
 * has depth d; one execution of n threads with k points meets it with a
 * probability of at least 1 / (n k^(d-1)).
 *
 * A polite thread goes below all others, or one that waits for another by asking
 * again and again would never let it run.  How many points there will be is
 * learnt from earlier executions; the first has no change of priorities. */
#include "control/strategy/all.h"
#include "control/strategy/places.h"
#include "control/strategy/spawn.h"

enum { DEPTH = 3 };

/* Priorities, from the lowest: polite threads; these, at changes; as drawn at first.  The
 * thread is in the lowest bits, as in rdl__priority. */
#define OF_CHANGES (UINT64_C(1) << 40)

struct pct {
    /* What stays. */
    unsigned depth;
    uint64_t longest; /* points of an execution */

    /* Of one execution. */
    struct rdl__spawn spawn;
    struct rdl__places changes;
    uint8_t ranks[RDL__PLACES_MAX]; /* which priority each change gives */
    uint64_t polite;                /* the lowest priority given so far */
    uint64_t epoch;
    struct {
        uint64_t priority;
        uint64_t stamp; /* epoch, and steps when it was seen last: else it is another thread */
    } threads[RDL__THREADS_MAX];
};

static void init(void *state, uint64_t seed, unsigned parameter)
{
    struct pct *pct = state;

    (void)seed;
    pct->depth = parameter;
    if (pct->depth > RDL__PLACES_MAX + 1)
        pct->depth = RDL__PLACES_MAX + 1;
}

/* Changes do not all lower to the same: among themselves their order is random. */
static void draw_ranks(struct pct *pct, struct rdl__random *random)
{
    for (uint32_t i = 0; i < pct->changes.count; i++) {
        uint32_t at = (uint32_t)rdl__random_upto(random, i);

        pct->ranks[i] = pct->ranks[at];
        pct->ranks[at] = (uint8_t)i;
    }
}

static bool begin(void *state, struct rdl__view *view, struct rdl__summary *summary)
{
    struct pct *pct = state;

    (void)summary;
    rdl__spawn_begin(&pct->spawn, view);
    rdl__places_draw(&pct->changes, &view->random, pct->depth - 1, rdl__places_range(pct->longest));
    draw_ranks(pct, &view->random);
    pct->polite = OF_CHANGES;
    pct->epoch += UINT64_C(1) << 32;
    return true;
}

static uint64_t priority_of(struct pct *pct, struct rdl__view *view, uint32_t thread)
{
    uint64_t stamp = pct->epoch + view->steps[thread];

    /* Not seen in this execution, or fewer steps than before: it is a new one. */
    if (pct->threads[thread].stamp > stamp || pct->threads[thread].stamp < pct->epoch)
        pct->threads[thread].priority = rdl__priority(&view->random, thread);
    pct->threads[thread].stamp = stamp;
    return pct->threads[thread].priority;
}

static uint32_t highest(struct pct *pct, struct rdl__view *view, const struct rdl__set *set)
{
    uint64_t best = 0;

    for (struct rdl__walk w = rdl__walk(set); rdl__walk_next(&w);) {
        uint64_t priority = priority_of(pct, view, w.thread);

        best = priority > best ? priority : best;
    }
    return rdl__priority_of(best);
}

static void lower(struct pct *pct, uint32_t thread, uint64_t to)
{
    pct->threads[thread].priority = to * RDL__THREADS_MAX | thread;
}

static uint32_t pick(void *state, struct rdl__view *view)
{
    struct pct *pct = state;
    struct rdl__set set = rdl__eligible(&pct->spawn, view);
    uint32_t running = view->running, best;

    if (rdl__is_polite(view, running) && rdl__set_has(&set, running) &&
        rdl__random_upto(&view->random, 1)) {
        (void)priority_of(pct, view, running);
        lower(pct, running, --pct->polite);
    }
    best = highest(pct, view, &set);
    while (rdl__places_reached(&pct->changes, view->points)) {
        lower(pct, best, OF_CHANGES + pct->ranks[pct->changes.next - 1]);
        best = highest(pct, view, &set);
    }
    if (best == running)
        view->quiet = rdl__places_quiet(&pct->changes, view->points);
    return best;
}

void rdl__pct_learn(void *state, uint64_t points)
{
    struct pct *pct = state;

    if (pct->longest < points)
        pct->longest = points;
}

static void ended(void *state, const struct rdl__summary *summary)
{
    rdl__pct_learn(state, summary->points);
}

const struct rdl__strategy rdl__strategy_pct = {
    .name = "pct",
    .help = "random priorities that change DEPTH - 1 times (probabilistic concurrency testing)",
    .has_parameter = true,
    .parameter = DEPTH,
    .least = 1,
    .state_size = sizeof(struct pct),
    .init = init,
    .begin = begin,
    .pick = pick,
    .ended = ended,
};
