/* run.c -- all tests, one after the other: from a plan to results. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "check/aside.h"
#include "check/plan.h"
#include "check/script.h"
#include "check/suppress.h"
#include "check/turns.h"
#include "drive/stage.h"
#include "port/clock.h"
#include "raddle/threads.h"
#include "spec/spec.h"

enum {
    CHOICES_MAX_DEFAULT = 1 << 20,
    TIMEOUT_DEFAULT_MS = 10000,
    TIMEOUT_ALONE_MS = 60000, /* all states of a spec are looked at */
};

void rdl__warn(struct rdl__session *session, const char *format, ...)
{
    const struct rdl__listener *listener = session->listener;
    struct rdl__text text = {0};
    va_list args;

    if (!listener->warning)
        return;
    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    listener->warning(listener->self, text.bytes);
    rdl__text_release(&text);
}

struct rdl__board *rdl__first_board(struct rdl__session *session)
{
    return session->workers[0].board;
}

_Static_assert(RDL__VOLATILE_RELAXED == (int)RDL_VOLATILE_RELAXED &&
                   RDL__VOLATILE_PLAIN == (int)RDL_VOLATILE_PLAIN,
               "tests and tokens have the same numbers");

struct rdl__settings rdl__settings_of(const struct rdl_test *test)
{
    unsigned limit = test->options.choices_max;

    return (struct rdl__settings){
        .size = 100,
        .choices_max = limit ? limit : CHOICES_MAX_DEFAULT,
        .volatiles = test->options.volatile_accesses,
    };
}

unsigned rdl__timeout_of(const struct rdl__session *session, const struct rdl_test *test)
{
    if (session->plan->timeout_ms)
        return session->plan->timeout_ms;
    if (test->options.timeout_ms)
        return test->options.timeout_ms;
    return test->options.alone ? TIMEOUT_ALONE_MS : TIMEOUT_DEFAULT_MS;
}

static void put_settings(struct rdl__task *task, const struct rdl_test *test,
                         const struct rdl__settings *settings, bool traced)
{
    task->test = test;
    task->settings = *settings;
    task->traced = traced;
    task->seed = 0;
}

/* Hand the task to the first worker and wait for the end of it. */
bool rdl__run_task(struct rdl__session *session)
{
    struct rdl__worker *worker = &session->workers[0], *done;
    enum rdl__wait waited;

    if (session->error.text[0] || rdl__interrupted)
        return false;
    worker->board->task.wanted = session->wanted;
    worker->board->task.wanted_cause = session->wanted_cause;
    rdl__worker_forget_captured(worker);
    if (!rdl__worker_submit(worker, &session->error))
        return false;
    do {
        waited = rdl__worker_wait(worker, 1, RDL__TICK_MS, &done);
        rdl__tell_stage(session);
    } while (waited == RDL__WAIT_TICK);
    return waited == RDL__WAIT_DONE;
}

bool rdl__run_feed(struct rdl__session *session, const struct rdl_test *test,
                   const struct rdl__settings *settings, const struct rdl__feed *feed, bool traced)
{
    struct rdl__board *board = rdl__first_board(session);

    put_settings(&board->task, test, settings, traced);
    board->task.kind = RDL__RUN_FEED;
    rdl__board_put_feed(board, feed);
    return rdl__run_task(session);
}

static bool run_bytes(struct rdl__session *session, const struct rdl_test *test,
                      const uint8_t *bytes, size_t count)
{
    struct rdl__board *board = rdl__first_board(session);
    struct rdl__settings settings = rdl__settings_of(test);

    if (count > (size_t)board->choices_room * 8)
        count = (size_t)board->choices_room * 8;
    put_settings(&board->task, test, &settings, false);
    board->task.kind = RDL__RUN_BYTES;
    board->task.byte_count = count;
    memcpy(board->bytes, bytes, count);
    return rdl__run_task(session);
}

/* ---- Sessions ------------------------------------------------------------------ */

static void close_session(struct rdl__session *session)
{
    for (int i = 0; i < session->worker_count; i++)
        rdl__worker_release(&session->workers[i]);
    free(session->workers);
    rdl__exercises_release(session);
    if (session->suppressions)
        rdl__suppressions_release(session->suppressions);
    free(session->suppressions);
    rdl__unwatch_interrupts();
}

static bool open_session(struct rdl__session *session, const struct rdl__plan *plan,
                         const struct rdl__listener *listener, uint32_t choices_room,
                         struct rdl__error *error)
{
    int jobs = plan->no_fork || plan->jobs < 1 ? 1 : plan->jobs;

    *session = (struct rdl__session){.plan = plan, .listener = listener};
    rdl__exercises_init(session);
    rdl__padding_prepare(); /* here, so that all workers have it */
    session->workers = rdl__allocate((size_t)jobs * sizeof *session->workers);
    if (!rdl__watch_interrupts(error)) {
        close_session(session);
        return false;
    }
    for (; session->worker_count < jobs; session->worker_count++)
        if (!rdl__worker_init(&session->workers[session->worker_count], choices_room,
                              !plan->no_fork, !plan->no_capture, error)) {
            rdl__worker_release(&session->workers[session->worker_count]);
            close_session(session);
            return false;
        }
    return true;
}

static uint32_t room_needed(struct rdl_test **tests, size_t count)
{
    uint32_t most = CHOICES_MAX_DEFAULT;

    for (size_t i = 0; i < count; i++)
        if (tests[i]->options.choices_max > most)
            most = tests[i]->options.choices_max;
    return most;
}

/* A test that leaves something behind must not be able to hurt the next. */
static void begin_test(struct rdl__session *session, const struct rdl_test *test)
{
    for (int i = 0; i < session->worker_count; i++) {
        struct rdl__board *board = session->workers[i].board;

        rdl__worker_retire(&session->workers[i]);
        session->workers[i].timeout_ms = rdl__timeout_of(session, test);
        rdl__stats_clear(&board->stats);
        board->target_count = 0;
        board->targeting = false;
        board->task.known_count = 0;
        memset(board->examples, 0, sizeof board->examples);
    }
    if (session->listener->test_started)
        session->listener->test_started(session->listener->self, test);
}

/* ---- Results ------------------------------------------------------------------- */

const char *rdl__failure_kind(const struct rdl__failure *failure)
{
    static const char *const kinds[] = {
        [RDL__BY_CHECK] = "check",       [RDL__BY_CRASH] = "crash",
        [RDL__BY_EXIT] = "exit",         [RDL__BY_HANG] = "hang",
        [RDL__BY_DEADLOCK] = "deadlock", [RDL__BY_LIVELOCK] = "livelock",
        [RDL__BY_RACE] = "race",         [RDL__BY_LEAK] = "leak",
        [RDL__BY_MISUSE] = "misuse",     [RDL__BY_ASSERT] = "assertion",
        [RDL__BY_OUTPUT] = "output",     [RDL__BY_SPEC] = "spec",
        [RDL__BY_MEMORY] = "memory"};

    return failure->unsteady ? "nondeterministic" : kinds[failure->outcome.cause];
}

static void conclude(struct rdl__result *result, enum rdl__test_verdict verdict, const char *kind,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

static void conclude(struct rdl__result *result, enum rdl__test_verdict verdict, const char *kind,
                     const char *format, ...)
{
    va_list args;

    result->verdict = verdict;
    result->kind = kind;
    va_start(args, format);
    vsnprintf(result->text, sizeof result->text, format, args);
    va_end(args);
}

/* A run in which no case failed may still lack what it had to have. */
static void judge_coverage(struct rdl__session *session, struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;

    for (uint32_t i = 0; i < stats->label_count; i++) {
        const struct rdl__label *label = &stats->labels[i];
        double share = stats->cases ? 100.0 * (double)label->cases / (double)stats->cases : 0;

        switch (rdl__stats_coverage(label, stats->cases)) {
        case RDL__NOT_COVERED:
            if (label->required <= RDL__ONCE) {
                conclude(result, RDL__TEST_FAIL, "coverage", "in no %s: \"%s\"",
                         result->test->options.explore ? "schedule" : "case", label->name);
                return;
            }
            conclude(result, RDL__TEST_FAIL, "coverage",
                     "only %.3g%% of the cases were \"%s\", where %g%% are required", share,
                     label->name, label->required);
            return;
        case RDL__BARELY_COVERED:
            rdl__warn(session, "%s: %.3g%% of the cases were \"%s\", a little less than %g%%",
                      result->test->name, share, label->name, label->required);
            break;
        case RDL__COVERED:
            break;
        }
    }
}

static void judge_discards(struct rdl__session *session, struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;

    if (stats->discards > 0 && stats->cases == 0)
        conclude(result, RDL__TEST_ERROR, "discards",
                 "all cases were discarded%s, so nothing was tested: %s",
                 stats->too_long == stats->discards ? " for making too many choices" : "",
                 stats->too_long == stats->discards
                     ? "draw less, or let cases make more of them (.choices_max)"
                     : "draw what the property is about, instead of discarding the rest");
    else if (stats->discards > 4 * stats->cases && stats->discards > 50)
        rdl__warn(session,
                  "%s: %llu cases were discarded for %llu that counted: draw what the property "
                  "is about, instead of discarding the rest",
                  result->test->name, (unsigned long long)stats->discards,
                  (unsigned long long)stats->cases);
}

/* What a plan leaves out. */
static void judge_plan(struct rdl__session *session, const struct rdl__result *result)
{
    for (uint32_t i = 0; i < result->stats.tried_count; i++) {
        const struct rdl__tried *tried = &result->stats.tried[i];
        struct rdl__text why = {0};

        if (!tried->untried)
            continue;
        rdl__add_why_untried(&why, tried->untried, tried->clients);
        rdl__warn(session, "%s: %s of %s is not tried: %s", result->test->name, tried->name,
                  tried->operation, why.bytes);
        rdl__text_release(&why);
    }
}

/* A test of a spec in which nothing is ever called says nothing. */
static void judge_calls(struct rdl__session *session, struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;
    uint64_t total = 0;

    for (uint32_t i = 0; i < stats->called_count; i++)
        total += stats->called[i].calls;
    if (stats->called_count > 0 && total == 0)
        conclude(result, RDL__TEST_ERROR, "calls",
                 "in %llu cases no operation could be called: look at may, weigh, pre and cpre",
                 (unsigned long long)stats->cases);
    for (uint32_t i = 0; total > 0 && !result->test->options.alone && i < stats->called_count; i++)
        if (stats->called[i].calls == 0)
            rdl__warn(
                session,
                "%s: %s was never called, while others were %llu times: look at its may, weigh, "
                "pre and cpre",
                result->test->name, stats->called[i].name, (unsigned long long)total);
}

/* A deviation that never takes effect is not tolerated, either: it is not tried. */
static void judge_deviation(struct rdl__session *session, const struct rdl__result *result)
{
    if (result->deviation && result->stats.deviated == 0 && !result->replayed)
        rdl__warn(session, "%s: the deviation '%s' took effect in none of %llu cases: %s",
                  result->test->name, result->deviation, (unsigned long long)result->stats.cases,
                  rdl__deviation_advice);
}

enum { SELDOM_PERCENT = 1 };

/* Interesting states that are hardly reached are hardly tested.  Under a deviation it may be that
 * which is in the way. */
static void judge_states(struct rdl__session *session, const struct rdl__result *result)
{
    const struct rdl__stats *stats = &result->stats;
    struct rdl__text seldom = {0};

    for (uint32_t i = 0; !result->deviation && i < stats->visited_count; i++) {
        const struct rdl__visited *visited = &stats->visited[i];

        if (100 * visited->cases >= SELDOM_PERCENT * stats->cases)
            continue;
        rdl__text_add(&seldom, "%s\"%s\" (%llu)", seldom.count ? ", " : "", visited->name,
                      (unsigned long long)visited->cases);
    }
    if (seldom.count)
        rdl__warn(session,
                  "%s: of %llu cases, hardly any reach %s: give operations that lead there more "
                  "weight in states on the way (.weigh), let cases be longer (.calls), or draw "
                  "data that fits (.args)",
                  result->test->name, (unsigned long long)stats->cases, seldom.bytes);
    rdl__text_release(&seldom);
}

/* Each line that does not begin with a blank is something else. */
static void pass_advice_on(struct rdl__session *session, const struct rdl__result *result)
{
    const char *from = result->stats.advice, *to;

    for (; *from; from = to) {
        to = from + strcspn(from, "\n");
        while (to[0] && to[1] == ' ')
            to += 1 + strcspn(to + 1, "\n");
        rdl__warn(session, "%.*s", (int)(to - from), from);
        to += *to == '\n';
    }
}

static void judge_run(struct rdl__session *session, struct rdl__result *result)
{
    bool expects_failure = result->test->options.expect_failure;

    pass_advice_on(session, result);
    if (result->verdict == RDL__TEST_SKIP || result->verdict == RDL__TEST_ERROR)
        return;
    if (result->failure_count > 0)
        conclude(result, expects_failure ? RDL__TEST_PASS : RDL__TEST_FAIL,
                 rdl__failure_kind(&result->failures[0]), "%s", "");
    else if (result->interrupted)
        conclude(result, RDL__TEST_SKIP, "interrupted", "interrupted after %llu %ss",
                 (unsigned long long)result->stats.cases,
                 result->test->options.explore ? "schedule" : "case");
    else {
        judge_discards(session, result);
        if (result->verdict == RDL__TEST_PASS)
            judge_calls(session, result);
        judge_plan(session, result);
        judge_deviation(session, result);
        judge_states(session, result);
        if (result->verdict == RDL__TEST_PASS)
            judge_coverage(session, result);
        if (result->verdict == RDL__TEST_PASS && expects_failure)
            conclude(result, RDL__TEST_FAIL, "unexpected-pass",
                     "a failure was expected, and none was found: leave out .expect_failure if the "
                     "bug is mended");
    }
}

static void end_test(struct rdl__session *session, struct rdl__result *result,
                     struct rdl__totals *totals)
{
    size_t *const counters[] = {[RDL__TEST_PASS] = &totals->passed,
                                [RDL__TEST_FAIL] = &totals->failed,
                                [RDL__TEST_SKIP] = &totals->skipped,
                                [RDL__TEST_ERROR] = &totals->errors};

    result->interrupted = rdl__interrupted != 0;
    judge_run(session, result);
    rdl__covered_settle(&result->covered, result->test, result->stats.cases, result->exhausted,
                        result->failure_count == 0);
    rdl__suppressions_tell(session, session->is_last);
    totals->interrupted = totals->interrupted || result->interrupted;
    ++*counters[result->verdict];
    if (session->listener->test_ended)
        session->listener->test_ended(session->listener->self, result);
    for (size_t i = 0; i < result->failure_count; i++)
        rdl__failure_release(&result->failures[i]);
    for (size_t i = 0; i < result->suspected_count; i++)
        rdl__failure_release(&result->suspected[i]);
    free(result->failures);
    free(result->suspected);
    rdl__story_release(&result->story);
    rdl__timeline_release(&result->timeline);
}

static void check_test(struct rdl__session *session, struct rdl_test *test,
                       struct rdl__totals *totals)
{
    struct rdl__result *result = rdl__allocate(sizeof *result);
    uint64_t started = rdl__now_ns();

    result->test = test;
    result->kind = "";
    result->seed = session->plan->seed;
    result->deviation = rdl__deviation_of(test);
    begin_test(session, test);
    if (test->options.skip)
        conclude(result, RDL__TEST_SKIP, "", "%s", test->options.skip);
    else
        rdl__search(session, result);
    rdl__exercises_take_in(session, result);
    result->seconds = (double)(rdl__now_ns() - started) * 1e-9;
    if (!session->error.text[0])
        end_test(session, result, totals);
    free(result);
}

/* Everything around the tests themselves. */
static bool in_session(const struct rdl__plan *plan, const struct rdl__listener *listener,
                       struct rdl_test **tests, size_t count, struct rdl__error *error,
                       struct rdl__session *session)
{
    if (!open_session(session, plan, listener, room_needed(tests, count), error))
        return false;
    if (!rdl__suppressions_find(session, tests, count, error)) {
        close_session(session);
        return false;
    }
    if (listener->run_started)
        listener->run_started(listener->self, plan, count);
    return true;
}

static bool leave_session(struct rdl__session *session, uint64_t started, struct rdl__error *error)
{
    const struct rdl__listener *listener = session->listener;

    close_session(session);
    if (session->error.text[0]) {
        *error = session->error;
        return false;
    }
    if (listener->run_ended)
        listener->run_ended(listener->self, (double)(rdl__now_ns() - started) * 1e-9);
    return true;
}

static bool specs_are_well_declared(struct rdl_test **tests, size_t count, struct rdl__error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct rdl_options *options = &tests[i]->options;

        if (!rdl__cast_check(tests[i], error))
            return false;
        if (!options->spec)
            continue;
        if (options->clients > RDL__CLIENTS_MOST)
            return rdl__fail(error, "%s:%d: %s: %u clients are too many: at most %d can be judged",
                             tests[i]->file, tests[i]->line, tests[i]->name, options->clients,
                             RDL__CLIENTS_MOST);
        if (options->calls.max && options->calls.min > options->calls.max)
            return rdl__fail(error, "%s:%d: %s: .calls cannot be at least %u and at most %u",
                             tests[i]->file, tests[i]->line, tests[i]->name, options->calls.min,
                             options->calls.max);
        if (options->phases > RDL__NUMBER_MAX || options->concurrent > RDL__NUMBER_MAX ||
            options->calls.max > RDL__NUMBER_MAX || options->calls.min > RDL__NUMBER_MAX)
            return rdl__fail(error,
                             "%s:%d: %s: .phases, .concurrent or .calls is above %d, or negative",
                             tests[i]->file, tests[i]->line, tests[i]->name, RDL__NUMBER_MAX);
        if (options->rounds > 3)
            return rdl__fail(error, "%s:%d: %s: .rounds is %u, and there are only 1, 2 and 3",
                             tests[i]->file, tests[i]->line, tests[i]->name, options->rounds);
        if (!rdl__spec_check(options->spec, tests[i]->body == rdl__test_spec || options->reference,
                             error))
            return false;
    }
    return true;
}

bool rdl__check_all(const struct rdl__plan *plan, const struct rdl__listener *listener,
                    struct rdl_test **tests, size_t count, struct rdl__totals *out_totals,
                    struct rdl__error *error)
{
    uint64_t started = rdl__now_ns();
    struct rdl__session session;
    uint32_t never;

    if (!specs_are_well_declared(tests, count, error) ||
        !in_session(plan, listener, tests, count, error, &session))
        return false;
    for (size_t i = 0; i < count && !rdl__interrupted && !session.error.text[0]; i++) {
        session.is_last = i + 1 == count;
        check_test(&session, tests[i], out_totals);
        if (plan->fail_fast && out_totals->failed + out_totals->errors > 0)
            break;
    }
    never = rdl__exercises_tell(&session);
    if (plan->require_all)
        out_totals->unexercised = never;
    return leave_session(&session, started, error);
}

/* ---- One case -------------------------------------------------------------------- */

/* A token fits if the case made exactly the choices it holds. */
static bool token_fits(struct rdl__session *session, const struct rdl__token *token,
                       struct rdl__result *result)
{
    const struct rdl__board *board = rdl__first_board(session);

    if (board->outcome.verdict == RDL__UNFIT)
        conclude(
            result, RDL__TEST_ERROR, "stale",
            "the token does not fit the test any more: choice %u of %u is another one now; run "
            "the test for a new one",
            board->strict_next + 1, token->count);
    else if (board->outcome.verdict == RDL__DISCARDED)
        conclude(
            result, RDL__TEST_ERROR, "stale",
            "the token does not fit the test any more: its case is discarded now; run the test "
            "for a new one");
    else if (board->tape.count != token->count && !result->test->options.explore)
        conclude(result, RDL__TEST_ERROR, "stale",
                 "the token does not fit the test any more: it holds %u choices, the test made %u; "
                 "run the test for a new one",
                 token->count, board->tape.count);
    else
        return true;
    return false;
}

static void settle_token(struct rdl__session *session, struct rdl__result *result)
{
    const struct rdl__plan *plan = session->plan;
    struct rdl__failure *failure;

    rdl__settle(session, result, rdl__first_board(session), 0, "the token");
    failure = result->failure_count ? &result->failures[result->failure_count - 1]
                                    : &result->suspected[result->suspected_count - 1];
    if (plan->export_program)
        rdl__reproducer_export(session, result->test, failure, plan->export_program);
    else if (plan->export_order)
        rdl__script_export(session, result->test, failure, plan->export_order);
    else if (plan->cases)
        rdl__script_repeat(session, result->test, failure, plan->cases);
}

static bool run_token(struct rdl__session *session, const struct rdl_test *test,
                      const struct rdl__token *token, const struct rdl__feed *feed)
{
    if (!session->plan->turns_anew)
        return rdl__run_feed(session, test, &token->settings, feed, false);
    rdl__board_put_feed(rdl__first_board(session), feed);
    return rdl__run_turns(session, test, &token->settings, RDL__ANYHOW, 0);
}

/* The case passes: what does it do? */
static void tell_passing(struct rdl__session *session, struct rdl__result *result,
                         const struct rdl__token *token, const struct rdl__feed *feed)
{
    const struct rdl__board *board = rdl__first_board(session);

    if (session->plan->turns_anew)
        return;
    if (result->test->options.spec) {
        rdl__show_prepare();
        rdl__worker_retire(&session->workers[0]);
    }
    if (!rdl__run_feed(session, result->test, &token->settings, feed, true) ||
        board->outcome.verdict != RDL__PASSED)
        return;
    rdl__story_read(&result->story, &board->trace);
    rdl__draw_passing(session, result->test, &result->timeline);
    result->exercised = board->outcome.exercised;
}

/* Run one case, by `run`, and report what became of it. */
static void try_token(struct rdl__session *session, struct rdl__result *result,
                      const struct rdl__token *token)
{
    struct rdl__feed feed = {.indexes = token->indexes,
                             .shapes = token->shapes,
                             .count = token->count,
                             .then = RDL__THEN_STOP,
                             .fill_at = RDL__NONE};
    struct rdl__board *board = rdl__first_board(session);

    session->wanted = 0;
    if (token->count > board->choices_room) {
        conclude(result, RDL__TEST_ERROR, "stale",
                 "the token does not fit the test any more: it holds %u choices, and the test may "
                 "make %u; "
                 "run the test for a new one",
                 token->count, board->choices_room);
        return;
    }
    if (!run_token(session, result->test, token, &feed) || !token_fits(session, token, result))
        return;
    switch (board->outcome.verdict) {
    case RDL__FAILED:
        settle_token(session, result);
        break;
    case RDL__SKIPPED:
    case RDL__MISUSED:
        conclude(result, board->outcome.verdict == RDL__SKIPPED ? RDL__TEST_SKIP : RDL__TEST_ERROR,
                 "usage", "%.1000s", board->outcome.text);
        break;
    default:
        result->stats.cases = 1;
        if (session->plan->export_order || session->plan->export_program)
            rdl__warn(session, "%s: the case passes, so no %s is written", result->test->name,
                      session->plan->export_order ? "order" : "program");
        if (token->settings.trace && token->settings.trace != (uint32_t)board->outcome.hash)
            rdl__warn(session,
                      "%s: the threads do not meet as they did when the token was made, so it says "
                      "little that the case passes: explore anew",
                      result->test->name);
        tell_passing(session, result, token, &feed);
    }
}

static void try_bytes(struct rdl__session *session, struct rdl__result *result,
                      const uint8_t *bytes, size_t count)
{
    struct rdl__board *board = rdl__first_board(session);

    if (!run_bytes(session, result->test, bytes, count))
        return;
    result->stats.cases = 1;
    if (board->outcome.verdict == RDL__FAILED)
        rdl__settle(session, result, board, 0, "the bytes");
    else if (board->outcome.verdict == RDL__MISUSED)
        conclude(result, RDL__TEST_ERROR, "usage", "%.1000s", board->outcome.text);
}

/* Set up for a single case of one test, let `token` or else the bytes be tried,
 * and report. */
static bool check_one(const struct rdl__plan *plan, const struct rdl__listener *listener,
                      struct rdl_test *test, const struct rdl__token *token, const uint8_t *bytes,
                      size_t count, struct rdl__totals *totals, struct rdl__error *error)
{
    struct rdl__result *result = rdl__allocate(sizeof *result);
    uint64_t started = rdl__now_ns();
    struct rdl__session session;
    bool ok = in_session(plan, listener, &test, 1, error, &session);

    if (ok) {
        result->test = test;
        result->kind = "";
        result->seed = plan->seed;
        result->replayed = true;
        result->deviation = rdl__deviation_of(test);
        begin_test(&session, test);
        if (token)
            try_token(&session, result, token);
        else
            try_bytes(&session, result, bytes, count);
        result->seconds = (double)(rdl__now_ns() - started) * 1e-9;
        if (!session.error.text[0])
            end_test(&session, result, totals);
        ok = leave_session(&session, started, error);
    }
    free(result);
    return ok;
}

bool rdl__check_token(const struct rdl__plan *plan, const struct rdl__listener *listener,
                      struct rdl_test *test, const struct rdl__token *token,
                      struct rdl__totals *out_totals, struct rdl__error *error)
{
    return check_one(plan, listener, test, token, NULL, 0, out_totals, error);
}

bool rdl__check_bytes(const struct rdl__plan *plan, const struct rdl__listener *listener,
                      struct rdl_test *test, const uint8_t *bytes, size_t count,
                      struct rdl__totals *out_totals, struct rdl__error *error)
{
    return check_one(plan, listener, test, NULL, bytes, count, out_totals, error);
}
