/* simplify.c -- the simplest case that fails as a failure does.
 *
 * Shrinking goes step by step.  Where threads take turns, data is shrunk apart from
 * schedules; where cases are short and quick to make, others are made up as well. */
#include "check/simplify.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "check/turns.h"
#include "port/clock.h"

/* ---- Shrinking --------------------------------------------------------------------- */

struct shrinking {
    struct rdl__session *session;
    const struct rdl_test *test;
    struct rdl__failure *failure;
    bool isolated; /* every try in a process of its own */
    uint64_t started_ns;
    uint64_t improvements;            /* that have been seen */
    uint64_t turns;                   /* data alone: executions in search of schedules, */
    char bounded[RDL__STRATEGY_ROOM]; /* by this strategy, among others */
    struct rdl__made data;            /* of the last candidate */
};

static enum rdl__ran run_candidate(void *context, const struct rdl__feed *feed, uint32_t limit,
                                   struct rdl__made *out_made)
{
    struct shrinking *shrinking = context;
    struct rdl__board *board = rdl__first_board(shrinking->session);
    struct rdl__settings settings = shrinking->failure->settings;

    if (feed->count > board->choices_room)
        return RDL__RAN_ELSE;
    settings.choices_max = limit;
    if (shrinking->isolated)
        rdl__worker_retire(&shrinking->session->workers[0]);
    if (!rdl__run_feed(shrinking->session, shrinking->test, &settings, feed, false))
        return RDL__RAN_STOP;
    *out_made = rdl__on_board(board);
    return rdl__fails_alike(&board->outcome, shrinking->failure) ? RDL__RAN_FAIL : RDL__RAN_ELSE;
}

enum { BETTER_MAX = 4096 };

/* It has become simpler just now: reports show how that went.  The case is on the board, with the
 * schedule, which the shrinker may not know. */
static void note_better(const struct shrinking *shrinking, const struct rdl__shrinker *shrinker)
{
    struct rdl__failure *failure = shrinking->failure;
    struct rdl__made made = rdl__on_board(rdl__first_board(shrinking->session));

    if (failure->shrank_count == BETTER_MAX)
        return;
    failure->shrank =
        rdl__reallocate(failure->shrank, (failure->shrank_count + 1) * sizeof *failure->shrank);
    failure->shrank[failure->shrank_count++] = (struct rdl__better){
        failure->attempts + shrinker->attempts, made.count, rdl__count_preemptions(&made)};
}

static void show_shrinking(void *context, const struct rdl__shrinker *shrinker)
{
    struct shrinking *shrinking = context;

    if (shrinker->improvements && shrinker->improved_at == shrinker->attempts)
        note_better(shrinking, shrinker);
    shrinking->session->stage.progress.choices = shrinker->best.count;
}

static struct rdl__shrinker shrinker_for(struct shrinking *shrinking, rdl__runner *run)
{
    const struct rdl__plan *plan = shrinking->session->plan;

    return (struct rdl__shrinker){
        .run = run,
        .context = shrinking,
        .tried = show_shrinking,
        .attempts_max = plan->shrink_runs,
        .deadline_ns = shrinking->started_ns + (uint64_t)(plan->shrink_seconds * 1e9),
        .data_first = shrinking->test->options.phased,
    };
}

static void add_efforts(struct rdl__failure *failure, const struct shrinking *shrinking,
                        const struct rdl__shrinker *shrinker)
{
    failure->attempts += shrinker->attempts;
    failure->shrink_stopped = shrinker->stopped;
    failure->shrink_seconds += (double)(rdl__now_ns() - shrinking->started_ns) * 1e-9;
}

/* One call after the other, without threads. */
static bool is_model(const struct rdl_test *test)
{
    const struct rdl_options *options = &test->options;

    return options->spec && !options->explore && !options->free_threads && !options->alone;
}

/* Shrink failure->made in place. */
static void shrink(struct rdl__session *session, const struct rdl_test *test,
                   struct rdl__failure *failure, bool isolated)
{
    struct shrinking shrinking = {.session = session,
                                  .test = test,
                                  .failure = failure,
                                  .isolated = isolated,
                                  .started_ns = rdl__now_ns()};
    struct rdl__shrinker shrinker = shrinker_for(&shrinking, run_candidate);

    shrinker.thorough = is_model(test) && !isolated;
    rdl__shrink(&shrinker, &failure->made);
    add_efforts(failure, &shrinking, &shrinker);
    rdl__made_release(&failure->made);
    rdl__made_copy(&failure->made, &shrinker.best);
    rdl__shrink_release(&shrinker);
}

/* ---- Data apart from schedules ------------------------------------------------------- */

/* For each candidate, and for all of them. */
enum {
    TURNS_BY_CHANCE = 50,
    TURNS_WITHIN_BOUND = 500,
    TURNS_OF_PHASES = 150, /* instead: there is less to be decided in each */
    TURNS_MAX = 200000,
};
#define TURNS_NS (10 * UINT64_C(1000000000))

/* Is there a schedule under which this data fails?  Then it is on the board. */
static bool fails_somehow(struct shrinking *shrinking, const struct rdl__feed *data)
{
    struct rdl__board *board = rdl__first_board(shrinking->session);
    unsigned round = shrinking->failure->settings.round;
    bool found;

    if (round == 1 || round == 2)
        return rdl__search_turns(shrinking->session, shrinking->test, shrinking->failure, data,
                                 RDL__ONE_AT_A_TIME, 1);
    found = rdl__search_turns(shrinking->session, shrinking->test, shrinking->failure, data, "pos",
                              TURNS_BY_CHANCE);
    shrinking->turns += board->failed_at + 1;
    if (found)
        return true;
    found = rdl__search_turns(
        shrinking->session, shrinking->test, shrinking->failure, data, shrinking->bounded,
        shrinking->test->options.phased ? TURNS_OF_PHASES : TURNS_WITHIN_BOUND);
    shrinking->turns += board->failed_at + 1;
    return found;
}

static enum rdl__ran run_data(void *context, const struct rdl__feed *feed, uint32_t limit,
                              struct rdl__made *out_made)
{
    struct shrinking *shrinking = context;
    struct rdl__board *board = rdl__first_board(shrinking->session);
    struct rdl__made made;
    bool found;

    (void)limit;
    if (shrinking->turns >= TURNS_MAX || rdl__now_ns() - shrinking->started_ns > TURNS_NS ||
        rdl__interrupted || shrinking->session->error.text[0])
        return RDL__RAN_STOP;
    found = fails_somehow(shrinking, feed);
    if (!found && board->exhausted) /* the last case on the board was none: what does it draw? */
        rdl__search_turns(shrinking->session, shrinking->test, shrinking->failure, feed, "in-order",
                          1);
    made = rdl__on_board(board);
    rdl__made_release(&shrinking->data);
    shrinking->data = rdl__data_of(&made);
    *out_made = shrinking->data;
    return found ? RDL__RAN_FAIL : RDL__RAN_ELSE;
}

static bool is_one_at_a_time(const struct rdl__failure *failure)
{
    return failure->settings.round == 1 || failure->settings.round == 2;
}

/* Make the data of failure->made simpler, whatever schedule that takes.  With an operation
 * less every preemption comes at another place: if shrinking kept to the schedule, it
 * would keep to the data. */
static void shrink_data(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure)
{
    struct shrinking shrinking = {
        .session = session, .test = test, .failure = failure, .started_ns = rdl__now_ns()};
    struct rdl__made data = rdl__data_of(&failure->made), made;
    struct rdl__shrinker shrinker = shrinker_for(&shrinking, run_data);
    uint32_t most = rdl__count_preemptions(&failure->made);

    shrinker.thorough = test->options.phased;
    if (data.count > 0 && test->options.explore) {
        snprintf(shrinking.bounded, sizeof shrinking.bounded, "preemptions:%u", most ? most : 1);
        rdl__shrink(&shrinker, &data);
        add_efforts(failure, &shrinking, &shrinker);
        rdl__draft(&shrinker);
        if (shrinker.improvements > 0 && fails_somehow(&shrinking, &shrinker.draft)) {
            made = rdl__on_board(rdl__first_board(session));
            rdl__made_release(&failure->made);
            rdl__made_copy(&failure->made, &made);
        }
        rdl__shrink_release(&shrinker);
        rdl__made_release(&shrinking.data);
    }
    rdl__made_release(&data);
}

/* ---- Made up anew -------------------------------------------------------------------------- */

enum {
    ANEW_RUNS = 5000, /* in search of a case to begin at */
    ANEW_STARTS = 5,  /* that lead nowhere */
    FORK_RUNS = 200,  /* that begin alike */
    FORKS_MAX = 400,
    LONG = 100, /* choices: such cases are hardly ever made by chance */
};
#define ANEW_NS (4 * UINT64_C(1000000000))

/* The search for simpler cases than failure->made. */
struct anew {
    struct rdl__session *session;
    const struct rdl_test *test;
    struct rdl__failure *failure;
    uint64_t deadline_ns;
};

static uint32_t count_data(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        count += !rdl__is_turn(made->choices[i].kind);
    return count;
}

static bool is_over(const struct anew *anew)
{
    return rdl__interrupted || anew->session->error.text[0] || rdl__now_ns() > anew->deadline_ns;
}

/* At most as many choices as there are; with other schedules there may be more of them. */
static struct rdl__anew how(const struct anew *anew)
{
    bool one_at_a_time = is_one_at_a_time(anew->failure);

    return (struct rdl__anew){.begin = {.then = RDL__THEN_RANDOM, .fill_at = RDL__NONE},
                              .limit = anew->failure->made.count * (one_at_a_time ? 1 : 2),
                              .strategy = one_at_a_time ? RDL__ONE_AT_A_TIME : "pos"};
}

/* The case on the board has been found: is it, once shrunk, simpler than the best? */
static bool is_better(const struct anew *anew)
{
    struct rdl__failure *failure = anew->failure;
    struct rdl__made best = failure->made, made = rdl__on_board(rdl__first_board(anew->session));

    rdl__made_copy(&failure->made, &made);
    if (is_one_at_a_time(failure))
        shrink_data(anew->session, anew->test, failure);
    shrink(anew->session, anew->test, failure, false);
    if (rdl__compare_data(&failure->made, &best) < 0) {
        rdl__made_release(&best);
        return true;
    }
    rdl__made_release(&failure->made);
    failure->made = best;
    return false;
}

static bool found_is_longer(const struct anew *anew)
{
    struct rdl__made made = rdl__on_board(rdl__first_board(anew->session));

    return count_data(&made) > count_data(&anew->failure->made);
}

/* Shrinking may end where every step makes things worse, though there is a simpler case
 * elsewhere.  Begin at others that chance finds, and see where that leads. */
static void start_anew(const struct anew *anew)
{
    uint64_t next = 0, until = ANEW_RUNS;
    int starts = 0;

    while (next < until && starts < ANEW_STARTS && !is_over(anew)) {
        struct rdl__anew from_scratch = how(anew);

        if (!rdl__search_anew(anew->session, anew->test, anew->failure, &from_scratch, &next,
                              until - next))
            break;
        if (found_is_longer(anew))
            continue;
        starts++;
        if (is_better(anew)) {
            starts = 0;
            until = next + ANEW_RUNS;
        }
    }
}

/* Is there a simpler case that begins with the first choices of this data, the last of them
 * changed to a smaller one? */
static bool fork_at(const struct anew *anew, const struct rdl__made *data, uint32_t at,
                    uint64_t index)
{
    uint64_t *indexes = rdl__allocate((at + 1) * sizeof *indexes), next = 0;
    struct rdl__anew fork = how(anew);
    bool found = true;

    for (uint32_t i = 0; i < at; i++)
        indexes[i] = data->choices[i].index;
    indexes[at] = index;
    fork.begin.indexes = indexes;
    fork.begin.count = at + 1;
    do
        found = next < FORK_RUNS && rdl__search_anew(anew->session, anew->test, anew->failure,
                                                     &fork, &next, FORK_RUNS - next);
    while (found && found_is_longer(anew));
    free(indexes);
    return found && is_better(anew);
}

/* The earlier a choice, the more it counts. */
static bool find_fork(const struct anew *anew)
{
    struct rdl__made data = rdl__data_of(&anew->failure->made);
    int forks = FORKS_MAX;
    bool found = false;

    for (uint32_t at = 0; at < data.count && !found && forks > 0; at++)
        for (uint64_t index = 0; index < data.choices[at].index && !found && forks > 0; index++) {
            found = fork_at(anew, &data, at, index);
            forks = is_over(anew) ? 0 : forks - 1;
        }
    rdl__made_release(&data);
    return found;
}

static void look_elsewhere(struct rdl__session *session, const struct rdl_test *test,
                           struct rdl__failure *failure)
{
    struct anew anew = {session, test, failure, rdl__now_ns() + ANEW_NS};

    start_anew(&anew);
    shrink_data(session, test, failure);
    shrink(session, test, failure, false);
    while (find_fork(&anew))
        continue;
}

/* Without threads a long case may become a short one, and if it does not, it stays. */
static bool is_long(struct rdl__session *session, const struct rdl_test *test,
                    struct rdl__failure *failure)
{
    if (is_model(test) && failure->made.count > LONG)
        shrink(session, test, failure, false);
    return is_model(test) && failure->made.count > LONG;
}

/* Cases of tests of specs that go phase by phase, or call by call, are short and quick to
 * make. */
void rdl__simplify(struct rdl__session *session, const struct rdl_test *test,
                   struct rdl__failure *failure, bool isolated)
{
    bool phased = test->options.phased && test->options.explore, quick = phased || is_model(test);

    if (test->options.alone) /* it has but one case */
        return;
    rdl__begin_stage(session, test, "shrinking", session->plan->shrink_seconds);
    session->stage.progress.first_choices = failure->first_count;
    if (!isolated && phased && failure->settings.round == 3)
        shrink(session, test, failure, false); /* turns belong to phases: many can go whole */
    else if (!isolated)
        shrink_data(session, test, failure);
    if (!isolated && quick && failure->outcome.cause != RDL__BY_HANG &&
        !is_long(session, test, failure))
        look_elsewhere(session, test, failure);
    shrink(session, test, failure, isolated);
    if (!isolated && rdl__find_shorter(session, test, failure))
        shrink(session, test, failure, false);
}
