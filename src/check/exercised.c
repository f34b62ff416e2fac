/* exercised.c -- which requirements the tests of a run have exercised, and the smallest case for
 * each of them.
 *
 * Workers keep the shortest case that they have met.  That is shrunk like a failing one, with
 * "still exercises it" instead of "still fails", and told in a fresh process: if it does not
 * exercise the requirement there, it is not shown. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"
#include "check/turns.h"
#include "port/clock.h"
#include "spec/spec.h"

enum { RUNS_EACH = 1000, SECONDS_EACH = 2 };

/* ---- What is known of each ------------------------------------------------------------------ */

void rdl__exercises_init(struct rdl__session *session)
{
    rdl__requirements_settle();
    session->exercise_count = rdl__requirement_count();
    session->exercises = rdl__allocate((session->exercise_count + 1) * sizeof *session->exercises);
    for (uint32_t i = 0; i < session->exercise_count; i++)
        session->exercises[i].requirement = rdl__requirement_at(i);
}

void rdl__exercises_release(struct rdl__session *session)
{
    for (uint32_t i = 0; i < session->exercise_count; i++) {
        rdl__made_release(&session->exercises[i].made);
        rdl__story_release(&session->exercises[i].story);
        free(session->exercises[i].token);
        free(session->exercises[i].tests);
    }
    free(session->exercises);
}

static int compare_ids(const void *a, const void *b)
{
    const struct rdl__exercise *one = a, *two = b;

    return strverscmp(one->requirement->id, two->requirement->id);
}

/* They are not needed by number any more. */
uint32_t rdl__exercises_tell(struct rdl__session *session)
{
    const struct rdl__listener *listener = session->listener;
    uint32_t never = 0;

    qsort(session->exercises, session->exercise_count, sizeof *session->exercises, compare_ids);
    for (uint32_t i = 0; i < session->exercise_count; i++)
        never += session->exercises[i].cases == 0;
    if (rdl__requirements_lost())
        rdl__warn(
            session,
            "%u requirements found no room: at most %d are counted; run some of the tests only "
            "(--filter)",
            rdl__requirements_lost(), RDL__REQUIREMENTS_MAX);
    if (listener->exercised && (session->exercise_count > 0 || session->plan->requirements))
        listener->exercised(listener->self, session->exercises, session->exercise_count);
    return never;
}

/* ---- The smallest case ---------------------------------------------------------------------- */

/* The search for one. */
struct smallest {
    struct rdl__session *session;
    const struct rdl_test *test;
    uint32_t number;
    bool passes; /* so that a smaller one should */
    struct rdl__settings settings;
    struct rdl__made made;
};

static bool is_exercised(const struct smallest *s)
{
    const struct rdl__outcome *outcome = &rdl__first_board(s->session)->outcome;

    return (outcome->verdict == RDL__PASSED || (outcome->verdict == RDL__FAILED && !s->passes)) &&
           rdl__ids_have(&outcome->exercised, s->number);
}

static enum rdl__ran run_candidate(void *context, const struct rdl__feed *feed, uint32_t limit,
                                   struct rdl__made *out_made)
{
    const struct smallest *s = context;
    struct rdl__board *board = rdl__first_board(s->session);
    struct rdl__settings settings = s->settings;

    if (feed->count > board->choices_room)
        return RDL__RAN_ELSE;
    settings.choices_max = limit;
    if (!rdl__run_feed(s->session, s->test, &settings, feed, false))
        return RDL__RAN_STOP;
    *out_made = rdl__on_board(board);
    return is_exercised(s) ? RDL__RAN_FAIL : RDL__RAN_ELSE;
}

/* Of all workers' examples, the best; NULL: there is none. */
static const struct rdl__example *best_example(const struct smallest *s, const uint64_t **out)
{
    const struct rdl__example *best = NULL;

    for (int i = 0; i < s->session->worker_count; i++) {
        const struct rdl__board *board = s->session->workers[i].board;
        const struct rdl__example *example = &board->examples[s->number];

        if (example->is_there && (!best || rdl__example_is_better(example, best))) {
            best = example;
            *out = board->example_indexes[s->number];
        }
    }
    return best;
}

/* Make it again, to know all of its choices.  False: that did not work. */
static bool begin_at_example(struct smallest *s)
{
    struct rdl__feed feed = {.fill_at = RDL__NONE};
    const struct rdl__example *example = best_example(s, &feed.indexes);
    struct rdl__made made;

    if (!example)
        return false;
    s->settings = example->settings;
    s->passes = example->passed;
    feed.count = example->count;
    if (run_candidate(s, &feed, rdl__settings_of(s->test).choices_max, &made) != RDL__RAN_FAIL)
        return false;
    rdl__made_copy(&s->made, &made);
    return true;
}

static void shrink(struct smallest *s)
{
    const struct rdl__plan *plan = s->session->plan;
    struct rdl__shrinker shrinker = {
        .run = run_candidate,
        .context = s,
        .attempts_max = plan->shrink_runs < RUNS_EACH ? plan->shrink_runs : RUNS_EACH,
        .deadline_ns = rdl__now_ns() + SECONDS_EACH * UINT64_C(1000000000),
        .data_first = s->test->options.phased,
    };

    if (plan->shrink_seconds == 0)
        return;
    rdl__shrink(&shrinker, &s->made);
    rdl__made_release(&s->made);
    rdl__made_copy(&s->made, &shrinker.best);
    rdl__shrink_release(&shrinker);
}

/* Once more, for its story. */
static bool is_exercised_again(struct smallest *s)
{
    rdl__worker_retire(&s->session->workers[0]);
    s->settings.size = 100; /* what chance was told does not matter any more */
    return rdl__run_made(s->session, s->test, &s->settings, &s->made, true) && is_exercised(s);
}

static bool is_smaller(const struct rdl__made *a, const struct rdl__exercise *than)
{
    return !than->token ||
           rdl__compare(a->choices, a->count, than->made.choices, than->made.count) < 0;
}

/* The case has just been run, traced. */
static void take_over(struct smallest *s, struct rdl__exercise *exercise)
{
    const struct rdl__board *board = rdl__first_board(s->session);
    struct rdl__text token = {0};

    if (s->test->options.explore)
        s->settings.trace = (uint32_t)board->outcome.hash;
    rdl__token_write(&token, s->test->name, &s->settings, s->made.choices, s->made.count);
    rdl__made_release(&exercise->made);
    rdl__story_release(&exercise->story);
    free(exercise->token);
    exercise->token = token.bytes;
    rdl__story_read(&exercise->story, &board->trace);
    rdl__made_copy(&exercise->made, &s->made);
}

static void find_smallest(struct rdl__session *session, const struct rdl_test *test,
                          uint32_t number)
{
    struct smallest s = {.session = session, .test = test, .number = number};
    struct rdl__exercise *exercise = &session->exercises[number];

    rdl__begin_stage(session, test, "looking for the smallest case of a requirement", SECONDS_EACH);
    if (begin_at_example(&s)) {
        shrink(&s);
        if (is_smaller(&s.made, exercise) && is_exercised_again(&s))
            take_over(&s, exercise);
    }
    rdl__made_release(&s.made);
}

/* ---- After a test --------------------------------------------------------------------------- */

static void add_test(struct rdl__exercise *exercise, const struct rdl_test *test)
{
    exercise->tests =
        rdl__reallocate(exercise->tests, (exercise->test_count + 1) * sizeof *exercise->tests);
    exercise->tests[exercise->test_count++] = test;
}

void rdl__exercises_take_in(struct rdl__session *session, const struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;
    bool is_prepared = !result->test->options.spec;

    for (uint32_t i = 0; i < session->exercise_count; i++) {
        if (stats->exercised[i] == 0)
            continue;
        session->exercises[i].cases += stats->exercised[i];
        add_test(&session->exercises[i], result->test);
        if (!session->plan->requirements)
            continue;
        if (!is_prepared) {
            rdl__show_prepare(); /* here, so that all workers to come have it */
            rdl__worker_retire(&session->workers[0]);
        }
        is_prepared = true;
        find_smallest(session, result->test, i);
    }
}
