/* search.c -- looking for failures of one test: those known from before, then
 * cases made by chance, or all there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "check/aside.h"
#include "check/found.h"
#include "check/plan.h"
#include "check/turns.h"
#include "choice/regress.h"
#include "port/clock.h"
#include "run/execute.h"

enum {
    CASES_DEFAULT = 1000,
    SCHEDULES_DEFAULT = 10000,
    RAMP_MAX = 100,          /* sizes grow over the first tenth, or so many cases */
    DISCARDS_PER_CASE = 100, /* then we give up */
    BATCH_NS = 30 * 1000 * 1000,
    BATCH_MAX = 1 << 20,
};

/* Cases that are handed out together. */
struct range {
    uint64_t first, count;
    unsigned round;
};

struct search {
    struct rdl__session *session;
    struct rdl__result *result;
    struct rdl__found found;
    bool ended;     /* hand out no more */
    uint64_t goal;  /* cases that count */
    uint64_t next;  /* number of the next case to be handed out */
    uint64_t batch; /* how many are handed out at a time */
    uint64_t started_ns, deadline_ns;
    struct rdl__worker *failing; /* in order: who has the failure */

    struct range *left; /* what workers have left of ranges when they met a bug */
    int left_count;
};

/* Does something from outside end the search? */
static bool must_stop(const struct search *search)
{
    return rdl__interrupted || search->session->error.text[0] ||
           (search->deadline_ns && rdl__now_ns() >= search->deadline_ns);
}

static bool is_over(const struct search *search)
{
    const struct rdl__stats *stats = &search->result->stats;

    return search->ended || search->found.ended || must_stop(search) ||
           stats->cases >= search->goal ||
           stats->discards > (stats->cases + 10) * DISCARDS_PER_CASE;
}

static void stop_with(struct search *search, enum rdl__test_verdict verdict, const char *text)
{
    search->result->verdict = verdict;
    search->result->kind = verdict == RDL__TEST_ERROR ? "usage" : "";
    snprintf(search->result->text, sizeof search->result->text, "%.1000s", text);
    search->ended = true;
}

static void stop_in_error(struct search *search, const struct rdl__board *board)
{
    struct rdl__outcome told = board->outcome;

    rdl__outcome_resolve_alone(&told, board);
    stop_with(search, RDL__TEST_ERROR, told.text);
}

static void show_progress(struct search *search)
{
    uint64_t under_way = 0, now = rdl__now_ns(), deadline = search->deadline_ns;

    for (int i = 0; i < search->session->worker_count; i++)
        if (search->session->workers[i].busy)
            under_way += search->session->workers[i].board->stats.cases;
    rdl__tell_progress(search->session,
                       &(struct rdl__progress){
                           .test = search->result->test,
                           .doing = "searching",
                           .count = search->result->stats.cases + under_way,
                           .goal = search->goal == UINT64_MAX ? 0 : search->goal,
                           .seconds = (double)(now - search->started_ns) * 1e-9,
                           .left = deadline > now ? (double)(deadline - now) * 1e-9 : 0,
                       });
}

/* Take over what a worker has counted. */
static void collect(struct search *search, struct rdl__worker *worker)
{
    struct rdl__board *board = worker->board;

    rdl__stats_merge(&search->result->stats, &board->stats);
    rdl__stats_clear(&board->stats);
    for (uint32_t i = 0; i < search->found.known_count; i++) {
        search->found.again[i] += board->again[i];
        board->again[i] = 0;
    }
}

/* ---- By chance -------------------------------------------------------------------- */

/* How many cases are still to be handed out, if all under way will count. */
static uint64_t wanted(const struct search *search)
{
    uint64_t sure = search->result->stats.cases;

    for (int i = 0; i < search->session->worker_count; i++)
        if (search->session->workers[i].busy)
            sure += search->session->workers[i].board->task.count;
    for (int i = 0; i < search->left_count; i++)
        sure += search->left[i].count;
    return search->goal > sure ? search->goal - sure : 0;
}

static const char *strategy_of(const struct search *search, unsigned round)
{
    const struct rdl__plan *plan = search->session->plan;
    const struct rdl_options *options = &search->result->test->options;

    if (plan->strategy)
        return plan->strategy;
    if (round == 1 || round == 2 || options->alone)
        return RDL__ONE_AT_A_TIME;
    if (plan->exhaustive || options->exhaustive)
        return "dpor";
    return options->strategy ? options->strategy : "";
}

/* Which round the next cases of a test of a resource are for, and up to which of them: a
 * fifth is for each of the first two. */
static unsigned round_of(const struct search *search, uint64_t *out_until)
{
    const struct rdl__plan *plan = search->session->plan;
    const struct rdl_options *options = &search->result->test->options;
    uint64_t fifth = search->goal / 5, now = rdl__now_ns();

    *out_until = UINT64_MAX;
    if (!options->phased)
        return 0;
    if (plan->round || options->rounds)
        return plan->round ? plan->round : options->rounds;
    if (search->goal == UINT64_MAX) {
        fifth = (search->deadline_ns - search->started_ns) / 5;
        return now < search->started_ns + fifth ? 1 : now < search->started_ns + 2 * fifth ? 2 : 3;
    }
    if (search->next >= 2 * fifth)
        return 3;
    *out_until = search->next < fifth ? fifth : 2 * fifth;
    return search->next < fifth ? 1 : 2;
}

/* Is there nothing to be gained from another round? */
static bool is_finished(const struct search *search)
{
    return must_stop(search) || search->result->exhausted ||
           search->result->stats.cases >= search->goal || search->result->verdict != RDL__TEST_PASS;
}

/* Of what workers have left, a range that begins before the case by whose failure the search has
 * ended; NULL: there is none. */
static struct range *left_before_end(const struct search *search)
{
    for (int i = 0; i < search->left_count; i++)
        if (search->left[i].first < search->found.last)
            return &search->left[i];
    return NULL;
}

static struct range take_left(struct search *search)
{
    struct range *left = left_before_end(search), range = *left;

    *left = search->left[--search->left_count];
    if (range.count > search->found.last - range.first)
        range.count = search->found.last - range.first;
    return range;
}

static struct range next_range(struct search *search)
{
    uint64_t most = wanted(search), until;
    struct range range = {.first = search->next};

    if (left_before_end(search))
        return take_left(search);
    range.count = search->batch < most ? search->batch : most;
    range.round = round_of(search, &until);
    if (range.count > until - search->next)
        range.count = until - search->next;
    search->next += range.count;
    return range;
}

static bool hand_out(struct search *search, struct rdl__worker *worker)
{
    struct rdl__task *task = &worker->board->task;
    uint64_t tenth = search->goal / 10;
    struct range range = next_range(search);

    task->kind = RDL__RUN_RANDOM;
    task->test = search->result->test;
    task->settings = rdl__settings_of(task->test);
    task->traced = false;
    task->keeps_examples = search->session->plan->requirements;
    task->seed = rdl__combine(search->session->plan->seed, rdl__hash_text(task->test->name));
    task->ramp = tenth < RAMP_MAX ? tenth : RAMP_MAX;
    task->first = range.first;
    task->count = range.count;
    task->settings.round = range.round;
    task->leaves_out = search->found.wants_more;
    task->wanted = 0;
    if (rdl__tells_races_apart(search->session))
        task->settings.race = RDL__RACES_BY_CALLERS;
    rdl__found_put(&search->found, task);
    snprintf(task->strategy, sizeof task->strategy, "%s",
             strategy_of(search, task->settings.round));
    return rdl__worker_submit(worker, &search->session->error);
}

/* One worker that is through with all schedules is so by itself. */
static void take_in_coverage(struct search *search, const struct rdl__board *board)
{
    struct rdl__result *result = search->result;

    rdl__covered_take_in(&result->covered, &board->explored, search->session->worker_count == 1);
    if (!result->test->options.spec)
        result->exhausted = result->exhausted || board->exhausted;
    search->ended = search->ended || board->exhausted;
}

/* What a worker has not come to is handed out again. */
static void put_back(struct search *search, const struct rdl__board *board)
{
    const struct rdl__task *task = &board->task;
    uint64_t next = board->failed_at + 1, end = task->first + task->count;

    if (next < end)
        search->left[search->left_count++] = (struct range){next, end - next, task->settings.round};
}

/* ---- What workers bring ------------------------------------------------------------- */

static void take_in_failure(struct search *search, struct rdl__worker *worker)
{
    const struct rdl__board *board = worker->board;

    if (board->task.kind == RDL__RUN_RANDOM) {
        rdl__found_note(&search->found, board);
    } else if (!rdl__found_knows(&search->found,
                                 board->outcome.origin)) { /* else it has ended its worker */
        search->ended = true;
        search->failing = worker;
    }
}

/* Look at what a worker brings. */
static void take_in(struct search *search, struct rdl__worker *worker)
{
    const struct rdl__outcome *outcome = &worker->board->outcome;
    bool failed = outcome->verdict == RDL__FAILED && !worker->board->is_counted;
    bool by_chance = worker->board->task.kind == RDL__RUN_RANDOM;

    collect(search, worker);
    if (search->result->test->options.explore)
        take_in_coverage(search, worker->board);
    if (by_chance && (failed || search->found.wants_more))
        put_back(search, worker->board);
    else if (by_chance && search->session->worker_count == 1)
        search->next = worker->board->failed_at + 1; /* it may have stopped early */
    if (outcome->verdict == RDL__SKIPPED)
        stop_with(search, RDL__TEST_SKIP, outcome->text);
    else if (outcome->verdict == RDL__MISUSED)
        stop_in_error(search, worker->board);
    if (failed)
        take_in_failure(search, worker);
}

/* Batches that take a moment, so that talking costs nothing next to working,
 * and that are soon over, so that we can stop. */
static void adapt_batch(struct search *search, uint64_t took_ns)
{
    if (took_ns < BATCH_NS && search->batch < BATCH_MAX)
        search->batch *= 2;
    else if (took_ns > 4 * (uint64_t)BATCH_NS && search->batch > 1)
        search->batch /= 2;
}

static int workers_for(const struct search *search)
{
    /* Targets are hill climbing: what one worker learns the others would not
     * know, and the run would depend on who was faster. */
    return rdl__first_board(search->session)->targeting ? 1 : search->session->worker_count;
}

/* Is there anything left to be handed out?  When the search has ended at a failure, cases before
 * that one may be. */
static bool has_work(const struct search *search)
{
    if (is_over(search))
        return search->found.last < UINT64_MAX && left_before_end(search) && !must_stop(search);
    return search->left_count > 0 || wanted(search) > 0;
}

static void search_by_chance(struct search *search)
{
    struct rdl__session *session = search->session;
    bool first = true;

    search->ended = false;
    for (;;) {
        struct rdl__worker *worker;
        int busy = 0;

        for (int i = 0; i < workers_for(search) && !(first && i > 0); i++)
            if (!session->workers[i].busy && has_work(search) &&
                !hand_out(search, &session->workers[i]))
                return;
        for (int i = 0; i < session->worker_count; i++)
            busy += session->workers[i].busy;
        if (busy == 0)
            return;
        switch (rdl__worker_wait(session->workers, session->worker_count, RDL__TICK_MS, &worker)) {
        case RDL__WAIT_DONE:
            adapt_batch(search, rdl__now_ns() - worker->since_ns);
            take_in(search, worker);
            first = false;
            break;
        case RDL__WAIT_INTERRUPTED:
            return;
        case RDL__WAIT_TICK:
            break;
        }
        show_progress(search);
    }
}

/* A failure that ends the search, and is suppressed, does not end it after all. */
static void search_past_suppressed(struct search *search)
{
    do {
        search->ended = search->found.ended = false;
        search->found.last = UINT64_MAX;
        search_by_chance(search);
    } while (!rdl__found_sift(&search->found) && !is_finished(search));
}

/* ---- All there are ------------------------------------------------------------------ */

/* Go on from board->next_feed; the worker if a case fails. */
static struct rdl__worker *search_in_order(struct search *search)
{
    struct rdl__session *session = search->session;
    struct rdl__worker *worker = &session->workers[0], *done;
    struct rdl__board *board = worker->board;

    search->ended = false;
    while (!is_over(search)) {
        struct rdl__settings settings = rdl__settings_of(search->result->test);
        enum rdl__wait waited;

        board->task = (struct rdl__task){
            .kind = RDL__RUN_ALL,
            .test = search->result->test,
            .settings = settings,
            .keeps_examples = session->plan->requirements,
            .first = search->next,
            .count = search->batch < wanted(search) ? search->batch : wanted(search),
        };
        rdl__found_put(&search->found, &board->task);
        rdl__board_put_feed(board, &(struct rdl__feed){.indexes = board->next_feed,
                                                       .count = board->next_feed_count,
                                                       .fill_at = RDL__NONE});
        if (!rdl__worker_submit(worker, &session->error))
            return NULL;
        while ((waited = rdl__worker_wait(worker, 1, RDL__TICK_MS, &done)) == RDL__WAIT_TICK)
            show_progress(search);
        if (waited == RDL__WAIT_INTERRUPTED)
            return NULL;
        adapt_batch(search, rdl__now_ns() - worker->since_ns);
        search->next += board->task.count;
        search->result->exhausted = board->exhausted;
        search->failing = NULL;
        take_in(search, worker);
        if (board->outcome.verdict == RDL__FAILED) /* it may have ended the worker first */
            search->result->exhausted = !rdl__next_in_order(board);
        if (search->failing)
            return worker;
        search->ended = search->ended || search->result->exhausted;
    }
    return NULL;
}

/* ---- Known from before ---------------------------------------------------------------- */

/* Try one entry; a failure is settled like any other. */
static void try_entry(struct search *search, const struct rdl__regress_entry *entry,
                      const char *path)
{
    struct rdl__session *session = search->session;
    struct rdl__board *board = rdl__first_board(session);
    const struct rdl__token *token = &entry->token;
    struct rdl__feed feed = {.indexes = token->indexes,
                             .shapes = token->shapes,
                             .count = token->count,
                             .then = RDL__THEN_STOP,
                             .fill_at = RDL__NONE};

    session->wanted = 0;
    if (token->count > board->choices_room ||
        !rdl__run_feed(session, search->result->test, &token->settings, &feed, false))
        return;
    if (board->outcome.verdict == RDL__UNFIT || board->outcome.verdict == RDL__DISCARDED ||
        (board->tape.count != token->count && !search->result->test->options.explore)) {
        rdl__warn(session,
                  "%s:%d: this case of %s does not fit the test any more, so it says "
                  "nothing; delete the line when the test has changed for good",
                  path, entry->line, token->name);
    } else if (board->outcome.verdict == RDL__FAILED &&
               !rdl__found_knows(&search->found, board->outcome.origin)) {
        struct rdl__failure failure =
            rdl__failure_on(session, search->result->test, board, 0, "a regression file");

        rdl__found_know(&search->found, board->outcome.origin);
        if (rdl__is_suppressed(session, search->result, &failure)) {
            rdl__failure_release(&failure);
            return;
        }
        rdl__settle_failure(session, search->result, &failure);
        search->found.settled_as[search->found.known_count - 1] = search->result->failure_count;
    }
}

static void try_regressions(struct search *search)
{
    struct rdl__session *session = search->session;
    const struct rdl_test *test = search->result->test;
    struct rdl__regress regress;
    struct rdl__text path = {0};
    struct rdl__error error;

    if (session->plan->no_regressions)
        return;
    rdl__regress_path(&path, test->file, session->plan->regressions);
    if (!rdl__regress_load(&regress, path.bytes, &error))
        rdl__warn(session, "%s: earlier failures are not tried: %s", test->name, error.text);
    rdl__begin_stage(session, test, "trying earlier failures", 0);
    for (size_t i = 0; i < regress.count; i++) {
        const struct rdl__regress_entry *entry = &regress.entries[i];

        if (entry->damaged)
            rdl__warn(session, "%s:%d: skipped: %s", path.bytes, entry->line, entry->why);
        else if (strcmp(entry->token.name, test->name) == 0 && rdl__found_may_go_on(&search->found))
            try_entry(search, entry, path.bytes);
    }
    rdl__regress_release(&regress);
    rdl__text_release(&path);
}

/* ---- The search ------------------------------------------------------------------------- */

static uint64_t goal_of(const struct rdl__plan *plan, const struct rdl_test *test)
{
    if (plan->cases)
        return plan->cases;
    if (plan->seconds > 0)
        return UINT64_MAX;
    if (test->options.cases)
        return test->options.cases;
    if (test->options.explore && !plan->exhaustive && !test->options.exhaustive)
        return SCHEDULES_DEFAULT;
    return plan->exhaustive || test->options.exhaustive ? UINT64_MAX : CASES_DEFAULT;
}

/* One after the other, as they are found. */
static void search_and_settle_in_order(struct search *search)
{
    struct rdl__result *result = search->result;
    struct rdl__worker *worker;

    while (rdl__found_may_go_on(&search->found) && !is_over(search) && !result->exhausted &&
           search->found.known_count < RDL__KNOWN_MAX && (worker = search_in_order(search))) {
        rdl__found_know(&search->found, worker->board->outcome.origin);
        rdl__settle(search->session, result, worker->board, result->stats.cases, "");
        search->found.settled_as[search->found.known_count - 1] = result->failure_count;
        search->ended = false;
    }
}

/* A schedule of free threads is run once for each of its orders, unless it is to be run more
 * often. */
static bool tries_all(const struct rdl__plan *plan, const struct rdl_options *options)
{
    bool once = options->exhaustive && !(options->scheduled && plan->cases);

    return !options->explore && (plan->exhaustive || once);
}

void rdl__search(struct rdl__session *session, struct rdl__result *result)
{
    const struct rdl__plan *plan = session->plan;
    bool in_order = tries_all(plan, &result->test->options);
    struct search *search = rdl__allocate(sizeof *search);

    *search = (struct search){
        .session = session,
        .result = result,
        .goal = goal_of(plan, result->test),
        .batch = 8,
        .found = {.session = session,
                  .result = result,
                  .wants_more = rdl__wants_more(plan, result->test),
                  .last = UINT64_MAX},
        .started_ns = rdl__now_ns(),
        .left = rdl__allocate((size_t)session->worker_count * sizeof(struct range)),
    };
    if (plan->seconds > 0)
        search->deadline_ns = search->started_ns + (uint64_t)(plan->seconds * 1e9);
    rdl__first_board(session)->next_feed_count = 0;
    try_regressions(search);
    if (in_order)
        search_and_settle_in_order(search);
    else if (rdl__found_may_go_on(&search->found) && !result->exhausted)
        search_past_suppressed(search);
    rdl__found_settle(&search->found);
    if (search->found.is_full && result->failure_count == 0)
        stop_with(search, RDL__TEST_ERROR,
                  "there are more different findings than Raddle keeps apart, and all of those are "
                  "suppressed: mend some, or leave races out by --fail-on");
    rdl__found_count_again(&search->found);
    free(search->found.bugs);
    free(search->left);
    free(search);
}
