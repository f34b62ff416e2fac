/* settle.c -- from a case that failed once to a bug that can be reported.
 *
 * Does it fail again?  If not, it is reported as unsteady, with the first thing
 * that differed, and not shrunk in vain.  If so, it is shrunk; what is left is
 * run once more, in a fresh process, to tell its story; then the values in it
 * are explained and its token is kept. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "check/plan.h"
#include "check/raced.h"
#include "check/simplify.h"
#include "check/suppress.h"
#include "check/turns.h"
#include "choice/regress.h"
#include "control/sched/races.h"
#include "port/clock.h"
#include "spec/spec.h"

enum {
    TOKEN_SHORT = 3000,   /* longer ones go to a file */
    TOKEN_KEPT = 1 << 16, /* longer ones are not kept in regression files */
    OUTPUT_SHOWN = 8192,
    HANG_SHRINK_MS = 500, /* while shrinking a hang, a case is given this long, */
    CALLERS_OF_RACE = 4,
    LIVELOCK_POINTS = 2000, /* and a livelock so many places to switch threads */
};

static void release_first(struct rdl__first *first)
{
    if (!first)
        return;
    rdl__story_release(&first->story);
    rdl__schedule_release(&first->schedule);
    rdl__timeline_release(&first->timeline);
    free(first);
}

void rdl__failure_release(struct rdl__failure *failure)
{
    rdl__made_release(&failure->made);
    rdl__story_release(&failure->story);
    rdl__schedule_release(&failure->schedule);
    rdl__timeline_release(&failure->timeline);
    release_first(failure->first);
    free(failure->shrank);
    free(failure->token);
    free(failure->token_file);
    free(failure->kept);
    free(failure->output);
    free(failure->unsteady);
    free(failure->script);
}

/* ---- Does it fail again? --------------------------------------------------------- */

bool rdl__run_made(struct rdl__session *session, const struct rdl_test *test,
                   const struct rdl__settings *settings, const struct rdl__made *made, bool traced)
{
    uint64_t *indexes = rdl__allocate(made->count * sizeof *indexes);
    uint8_t *shapes = rdl__allocate(made->count);
    struct rdl__feed feed = {.indexes = indexes,
                             .shapes = shapes,
                             .count = made->count,
                             .then = RDL__THEN_STOP,
                             .fill_at = RDL__NONE};
    bool ran;

    for (uint32_t i = 0; i < made->count; i++) {
        indexes[i] = made->choices[i].index;
        shapes[i] = rdl__shape(made->choices[i].kind, made->choices[i].max, made->choices[i].below);
    }
    ran = rdl__run_feed(session, test, settings, &feed, traced);
    free(indexes);
    free(shapes);
    return ran;
}

static bool run_again(struct rdl__session *session, const struct rdl_test *test,
                      const struct rdl__failure *failure)
{
    return rdl__run_made(session, test, &failure->settings, &failure->made, true);
}

static void describe_choice(struct rdl__text *out, const struct rdl__choice *choice)
{
    static const char *const kinds[] = {[RDL__INTEGER] = "an integer",
                                        [RDL__BOOLEAN] = "a boolean",
                                        [RDL__MORE] = "a list's next element",
                                        [RDL__DOUBLE] = "a floating-point number",
                                        [RDL__BRANCH] = "an alternative",
                                        [RDL__SWITCH] = "a thread",
                                        [RDL__STRETCH] = "how far a thread gets",
                                        [RDL__ANSWER] = "what happens by chance"};

    rdl__text_add(out, "%s out of %llu", kinds[choice->kind], (unsigned long long)choice->max + 1);
}

static void describe_outcome(struct rdl__text *out, const struct rdl__board *board)
{
    struct rdl__outcome *outcome = rdl__allocate(sizeof *outcome);

    *outcome = board->outcome;
    rdl__outcome_resolve_alone(outcome, board);
    rdl__text_add(out, "%s%s", outcome->check[0] ? outcome->check : outcome->text,
                  outcome->check[0] ? "" : " (a crash)");
    free(outcome);
}

/* How the case on the board differs from the failure; true if it does not. */
static bool is_same(const struct rdl__board *board, const struct rdl__failure *failure,
                    struct rdl__text *out_difference)
{
    const struct rdl__outcome *now = &board->outcome;
    uint32_t at = board->tape.count;

    if (now->verdict == RDL__UNFIT) {
        rdl__text_add(out_difference, "choice %u, which was ", at + 1);
        if (at < failure->made.count)
            describe_choice(out_difference, &failure->made.choices[at]);
        else
            rdl__text_add(out_difference, "not made");
        rdl__text_add(out_difference, ", is another one the second time");
        return false;
    }
    if (rdl__fails_alike(now, failure))
        return true;
    if (now->verdict == RDL__FAILED) {
        rdl__text_add(out_difference, "the same choices fail in another way: ");
        describe_outcome(out_difference, board);
    } else {
        rdl__text_add(out_difference,
                      "the same choices, made again in a fresh process, do not fail: something "
                      "outlives a case, or it depends on time, addresses or threads");
    }
    return false;
}

static bool begins_address(const char *at, const char *end)
{
    return end - at > 2 && at[0] == '0' && at[1] == 'x';
}

static const char *past_address(const char *at, const char *end)
{
    for (at += 2; at < end && isxdigit((unsigned char)*at); at++)
        continue;
    return at;
}

/* Where that ends which has to be the same: before what the world has returned. */
static const char *end_of(const struct rdl__event *event)
{
    const char *end = event->text + event->text_length;

    if (event->kind != RDL__EVENT_NOTE || strcmp(event->what, RDL__LET_RUN) != 0)
        return end;
    for (const char *at = end; at - event->text >= 4; at--)
        if (memcmp(at - 4, " -> ", 4) == 0)
            return at - 4;
    return end;
}

/* Do they say the same?  An address (0x...) may be another one in another process. */
static bool same_text(const struct rdl__event *a, const struct rdl__event *b)
{
    const char *x = a->text, *x_end = end_of(a), *y = b->text, *y_end = end_of(b);

    while (x < x_end && y < y_end && *x == *y) {
        bool address = begins_address(x, x_end) && begins_address(y, y_end);

        x = address ? past_address(x, x_end) : x + 1;
        y = address ? past_address(y, y_end) : y + 1;
    }
    return x == x_end && y == y_end;
}

/* The next event of the story.  What can be drawn of it comes in any order if threads are free. */
static bool next_told(const struct rdl__trace *trace, uint32_t *position, struct rdl__event *out)
{
    while (rdl__trace_next(trace, position, out))
        if (out->kind < RDL__EVENT_LANE)
            return true;
    return false;
}

/* The first event in which two runs differ; true if there is none. */
static bool same_events(const struct rdl__trace *a, const struct rdl__trace *b,
                        struct rdl__text *out_difference)
{
    uint32_t at = 0, bt = 0;
    struct rdl__event x, y;

    for (int number = 1;; number++) {
        bool more_a = next_told(a, &at, &x), more_b = next_told(b, &bt, &y);

        if (!more_a && !more_b)
            return true;
        if (more_a && more_b && x.kind == y.kind && same_text(&x, &y))
            continue;
        rdl__text_add(out_difference, "event %d was `%.200s` and then `%.200s`", number,
                      more_a ? x.text : "(none)", more_b ? y.text : "(none)");
        return false;
    }
}

/* Try the failure again twice, in fresh processes.  False: it is not steady, or
 * could not be run. */
static bool is_steady(struct rdl__session *session, const struct rdl_test *test,
                      struct rdl__failure *failure)
{
    struct rdl__board *board = rdl__first_board(session);
    struct rdl__trace *first = rdl__allocate(sizeof *first);
    struct rdl__text difference = {0};
    bool steady = true, ran = true;

    rdl__begin_stage(session, test, "trying it again", 0);
    for (int i = 0; i < 2 && steady; i++) {
        rdl__worker_retire(&session->workers[0]);
        ran = run_again(session, test, failure);
        steady = ran && is_same(board, failure, &difference) &&
                 (i == 0 || same_events(first, &board->trace, &difference));
        rdl__trace_copy(first, &board->trace);
        if (failure->outcome.cause == RDL__BY_HANG)
            break; /* each takes its whole time */
    }
    if (ran && !steady)
        failure->unsteady = rdl__duplicate(rdl__text_string(&difference));
    rdl__text_release(&difference);
    free(first);
    return steady;
}

/* Run the shrunk case once more, in a fresh process and with its full time.
 * That one run is worth having even when we are asked to stop: without it there
 * would be nothing to show.  (A second signal ends us at once.) */
static bool still_fails(struct rdl__session *session, const struct rdl_test *test,
                        const struct rdl__failure *failure)
{
    struct rdl__text unused = {0};
    int interrupted = 0;
    bool ran = false, same;

    for (int i = 0; i < 2 && !ran; i++) { /* the signal may come just now */
        int signal = rdl__forget_interrupt();

        interrupted = signal ? signal : interrupted;
        rdl__worker_retire(&session->workers[0]);
        ran = run_again(session, test, failure);
    }
    same = ran && is_same(rdl__first_board(session), failure, &unused);
    if (interrupted)
        rdl__interrupted = interrupted;
    rdl__text_release(&unused);
    return same;
}

/* What chance was told about sizes does not matter any more, so that the same
 * case has the same token whoever found it. */
static bool still_fails_at_any_size(struct rdl__session *session, const struct rdl_test *test,
                                    struct rdl__failure *failure)
{
    uint32_t size = failure->settings.size;

    failure->settings.size = 100;
    if (still_fails(session, test, failure))
        return true;
    failure->settings.size = size;
    return still_fails(session, test, failure);
}

/* What never ends need not be watched for long, once that is known.  (What is left is tried
 * again with all the time there is.) */
static void shorten_livelock(struct rdl__session *session, const struct rdl_test *test,
                             struct rdl__failure *failure)
{
    uint32_t points_max = failure->settings.points_max;

    if (failure->outcome.cause != RDL__BY_LIVELOCK || points_max <= LIVELOCK_POINTS)
        return;
    failure->settings.points_max = LIVELOCK_POINTS;
    if (!still_fails(session, test, failure))
        failure->settings.points_max = points_max;
}

/* Tries share processes, which is fast; if one has left something behind that
 * the next needed, the result does not stand on its own.  Then each try gets a
 * process of its own. */
static void shrink_soundly(struct rdl__session *session, const struct rdl_test *test,
                           struct rdl__failure *failure)
{
    struct rdl__worker *worker = &session->workers[0];
    unsigned timeout_ms = worker->timeout_ms;
    uint32_t points_max = failure->settings.points_max;
    struct rdl__made original;
    bool sound;

    rdl__made_copy(&original, &failure->made);
    shorten_livelock(session, test, failure);
    for (int isolated = 0; isolated <= 1; isolated++) {
        if (failure->outcome.cause == RDL__BY_HANG && timeout_ms > HANG_SHRINK_MS)
            worker->timeout_ms = HANG_SHRINK_MS;
        rdl__simplify(session, test, failure, isolated);
        worker->timeout_ms = timeout_ms;
        failure->settings.points_max = points_max;
        sound = still_fails_at_any_size(session, test, failure);
        if (sound || rdl__interrupted || session->error.text[0])
            break;
        rdl__made_release(&failure->made);
        rdl__made_copy(&failure->made, &original);
    }
    if (!sound)
        still_fails(session, test, failure); /* the story is to be of what is reported */
    rdl__made_release(&original);
}

/* ---- Fewer preemptions --------------------------------------------------------------- */

enum { FEWER_RUNS = 2000 };

/* Is the same failure to be had with fewer preemptions, by another way?  Shrinking goes
 * step by step, and does not find that.  True: the case on the board is one. */
static bool search_fewer(struct rdl__session *session, const struct rdl_test *test,
                         const struct rdl__failure *failure, uint32_t most)
{
    const uint64_t allowed = session->plan->shrink_runs;
    struct rdl__made data = rdl__data_of(&failure->made);
    struct rdl__shrinker drafts = {.best = data};
    char strategy[RDL__STRATEGY_ROOM];
    bool found;

    rdl__worker_retire(&session->workers[0]);
    snprintf(strategy, sizeof strategy, "preemptions:%u", most);
    rdl__draft(&drafts);
    found = rdl__search_turns(session, test, failure, &drafts.draft, strategy,
                              allowed < FEWER_RUNS ? allowed : FEWER_RUNS);
    rdl__shrink_release(&drafts);
    return found;
}

static void find_fewer(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    struct rdl__board *board = rdl__first_board(session);
    uint32_t now = rdl__count_preemptions(&failure->made);
    struct rdl__made made;

    if (now == 0)
        return;
    rdl__begin_stage(session, test, "looking for fewer preemptions", 0);
    session->stage.progress.goal = FEWER_RUNS;
    if (search_fewer(session, test, failure, now - 1)) {
        made = rdl__on_board(board);
        if (rdl__count_preemptions(&made) < now) {
            rdl__made_release(&failure->made);
            rdl__made_copy(&failure->made, &made);
            shrink_soundly(session, test, failure);
            return;
        }
    }
    still_fails(session, test, failure); /* for its story */
}

/* ---- What is kept of it ------------------------------------------------------------- */

/* Which of the races that the case has just met is the failure?  From 1 on; 0: none. */
static uint32_t number_of_race(struct rdl__session *session, const struct rdl__failure *failure)
{
    const struct rdl__races *races = &rdl__first_board(session)->races;

    for (uint32_t i = 0; i < races->count && failure->outcome.cause == RDL__BY_RACE; i++)
        if (failure->any_alike || races->met[i].origin == failure->outcome.origin)
            return (i + 1) | (failure->settings.race & RDL__RACES_BY_CALLERS);
    return 0;
}

static void make_token(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    struct rdl__text token = {0}, path = {0};
    struct rdl__error error;

    if (test->options.explore)
        failure->settings.trace = (uint32_t)failure->outcome.hash;
    failure->settings.race = number_of_race(session, failure);
    rdl__token_write(&token, test->name, &failure->settings, failure->made.choices,
                     failure->made.count);
    failure->token = token.bytes;
    if (token.count <= TOKEN_SHORT || session->plan->no_regressions)
        return;
    rdl__regress_path(&path, test->file, session->plan->regressions);
    rdl__text_add(&path, "-%s-%08x", test->name, rdl__crc32(token.bytes, token.count));
    rdl__text_add_bytes(&token, "\n", 1);
    failure->token = token.bytes;
    if (rdl__write_file(path.bytes, token.bytes, token.count, &error))
        failure->token_file = path.bytes;
    else {
        rdl__warn(session, "%s: %s", test->name, error.text);
        rdl__text_release(&path);
    }
    failure->token[token.count - 1] = '\0';
}

static void keep(struct rdl__session *session, const struct rdl_test *test,
                 struct rdl__failure *failure)
{
    const struct rdl__outcome *outcome = &failure->outcome;
    struct rdl__text path = {0}, comment = {0};
    struct rdl__error error;

    if (session->plan->no_regressions || strlen(failure->token) > TOKEN_KEPT ||
        test->options.alone) /* it has but one case */
        return;
    rdl__regress_path(&path, test->file, session->plan->regressions);
    if (outcome->check[0])
        rdl__text_add(&comment, "%s", outcome->check);
    else if (outcome->cause == RDL__BY_CRASH)
        rdl__text_add(&comment, "%s %s", rdl__signal_name(outcome->number), outcome->text);
    else if (outcome->cause == RDL__BY_EXIT)
        rdl__text_add(&comment, "exit with status %d", outcome->number);
    else
        rdl__text_add(&comment, "hang %.*s", (int)strcspn(outcome->text, "\n"), outcome->text);
    if (rdl__regress_add(path.bytes, failure->token, comment.bytes, &error)) {
        failure->kept = path.bytes;
    } else {
        rdl__warn(session, "%s: the failing case is not kept: %s", test->name, error.text);
        rdl__text_release(&path);
    }
    rdl__text_release(&comment);
}

/* The race on the board that the case failed by; NULL: it did not fail by any. */
static const struct rdl__race *race_of(const struct rdl__board *board)
{
    const struct rdl__outcome *outcome = &board->outcome;

    for (uint32_t i = 0; i < board->races.count && i < RDL__RACES_MAX; i++)
        if (outcome->verdict == RDL__FAILED && outcome->cause == RDL__BY_RACE &&
            board->races.met[i].origin == outcome->origin)
            return &board->races.met[i];
    return NULL;
}

/* An access is often in a function that many call, and it is a call of it that is wrong. */
static uint32_t callers_told(const struct rdl__plan *plan, const struct rdl__outcome *outcome)
{
    if (plan->stacks)
        return RDL__CALLERS_MAX;
    return outcome->cause == RDL__BY_RACE ? CALLERS_OF_RACE : 0;
}

/* Where in the code all that was, and what it was about. */
static void find_places(const struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure, const struct rdl__board *board,
                        const struct rdl__trace *trace)
{
    const struct rdl__crash *crash = &board->crash;
    const struct rdl__race *race = race_of(board);
    const struct rdl__steps *steps = &trace->steps;
    struct rdl__lines lines = rdl__lines_of_test(test);
    struct rdl__objects objects = {.steps = steps, .lines = &lines};
    const struct rdl__step_words words = {steps, &lines, &objects};

    rdl__outcome_want(&failure->outcome, crash, &lines);
    rdl__schedule_want(steps, &lines);
    rdl__stacks_want(steps, &lines);
    if (race)
        rdl__lines_want_name(&lines, race->address);
    rdl__lines_find(&lines);
    rdl__outcome_resolve(&failure->outcome, crash, &lines, &objects,
                         callers_told(session->plan, &failure->outcome));
    rdl__schedule_read(&failure->schedule, trace, &failure->outcome, &lines, &objects);
    if (race && failure->outcome.cause == RDL__BY_RACE)
        rdl__raced_name(&failure->outcome, race, &objects);
    rdl__timeline_read(&failure->timeline, trace, &failure->outcome, &words, &failure->schedule);
    rdl__objects_release(&objects);
    rdl__lines_release(&lines);
}

/* The case has just been run, traced, on the first board. */
static void tell_story(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    const struct rdl__board *board = rdl__first_board(session);
    struct rdl__trace *trace = rdl__allocate(sizeof *trace);
    struct rdl__text output = {0};

    rdl__trace_copy(trace, &board->trace);
    if (board->outcome.verdict == RDL__FAILED)
        failure->outcome = board->outcome; /* the values it speaks of are the shrunk ones */
    rdl__story_read(&failure->story, trace);
    find_places(session, test, failure, board, trace);
    rdl__worker_captured(&session->workers[0], &output, OUTPUT_SHOWN);
    failure->output = output.bytes;
    if (session->plan->shrink_seconds > 0 && !failure->unsteady && !rdl__interrupted &&
        failure->outcome.cause != RDL__BY_HANG) {
        rdl__begin_stage(session, test, "explaining it", 0);
        rdl__explain(session, test, failure, trace);
    }
    if (failure->schedule.headline || failure->outcome.concurrent > 0)
        rdl__story_forget_notes(&failure->story); /* they are among the steps */
    free(trace);
}

void rdl__draw_passing(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__timeline *out)
{
    const struct rdl__board *board = rdl__first_board(session);
    struct rdl__trace *trace = rdl__allocate(sizeof *trace);
    struct rdl__failure passing = {.outcome = board->outcome};

    rdl__trace_copy(trace, &board->trace);
    passing.outcome.cause = RDL__BY_CHECK; /* what stands there is of an earlier case */
    find_places(session, test, &passing, board, trace);
    *out = passing.timeline;
    rdl__schedule_release(&passing.schedule);
    free(trace);
}

/* The case as it was found, which has just been run, traced, on the first board. */
static void keep_first(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    const struct rdl__board *board = rdl__first_board(session);
    struct rdl__trace *trace = rdl__allocate(sizeof *trace);
    struct rdl__failure found = {.outcome = board->outcome};
    struct rdl__first *first = rdl__allocate(sizeof *first);

    rdl__trace_copy(trace, &board->trace);
    rdl__story_read(&first->story, trace);
    find_places(session, test, &found, board, trace);
    first->outcome = found.outcome;
    first->schedule = found.schedule;
    first->timeline = found.timeline;
    first->choices = failure->made.count;
    if (first->schedule.headline || first->outcome.concurrent > 0)
        rdl__story_forget_notes(&first->story);
    failure->first = first;
    free(trace);
}

/* What is as simple as it was found need not be shown twice. */
static void forget_first(struct rdl__failure *failure)
{
    release_first(failure->first);
    failure->first = NULL;
}

static void add_failure(struct rdl__result *result, const struct rdl__failure *failure)
{
    bool suspected = failure->race.suspected;
    struct rdl__failure **list = suspected ? &result->suspected : &result->failures;
    size_t *count = suspected ? &result->suspected_count : &result->failure_count;

    *list = rdl__reallocate(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = *failure;
}

/* A race may be suppressed, or is at the same lines as the last one: then it is no news. */
static bool is_worth_telling(struct rdl__session *session, const struct rdl__outcome *outcome)
{
    uint64_t what = rdl__combine(rdl__hash_text(outcome->check), rdl__hash_text(outcome->file));
    bool is_new = session->told_last != rdl__combine(what, (uint64_t)outcome->line);

    session->told_last = rdl__combine(what, (uint64_t)outcome->line);
    return outcome->cause != RDL__BY_RACE || (is_new && session->suppressions->count == 0);
}

/* The case on the board, which fails like that. */
static struct rdl__failure failure_by(struct rdl__session *session, const struct rdl_test *test,
                                      const struct rdl__board *board,
                                      const struct rdl__outcome *outcome, uint64_t found_at,
                                      const char *source)
{
    const struct rdl__listener *listener = session->listener;
    struct rdl__failure failure = {
        .outcome = *outcome,
        .settings = board->task.settings,
        .found_at = found_at,
        .source = source,
        .first_count = board->tape.count,
    };
    struct rdl__made made = rdl__on_board(board);

    rdl__made_copy(&failure.made, &made);
    for (uint32_t i = 0; i < board->races.count && i < RDL__RACES_MAX; i++)
        if (outcome->cause == RDL__BY_RACE && board->races.met[i].origin == outcome->origin)
            failure.race = board->races.met[i];
    if (listener->failure_found) {
        rdl__outcome_resolve_alone(&failure.outcome, board);
        if (!failure.race.suspected && is_worth_telling(session, &failure.outcome))
            listener->failure_found(listener->self, test, &failure);
        failure.outcome = *outcome;
    }
    return failure;
}

struct rdl__failure rdl__failure_on(struct rdl__session *session, const struct rdl_test *test,
                                    const struct rdl__board *board, uint64_t found_at,
                                    const char *source)
{
    return failure_by(session, test, board, &board->outcome, found_at, source);
}

struct rdl__failure rdl__failure_by_race(struct rdl__session *session, const struct rdl_test *test,
                                         const struct rdl__board *board,
                                         const struct rdl__race *race, uint64_t found_at,
                                         const char *source)
{
    struct rdl__outcome *outcome = rdl__allocate(sizeof *outcome);
    struct rdl__failure failure;

    *outcome = board->outcome;
    rdl__race_fail(outcome, race);
    failure = failure_by(session, test, board, outcome, found_at, source);
    free(outcome);
    return failure;
}

void rdl__want_failure(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    failure->any_alike =
        test->options.spec && !failure->race.suspected && !rdl__wants_more(session->plan, test);
    failure->settings.race &= RDL__RACES_BY_CALLERS;
    session->wanted_cause = failure->outcome.cause;
    session->wanted = failure->any_alike && failure->outcome.cause == RDL__BY_RACE
                          ? RDL__ANY_RACE
                          : failure->outcome.origin;
}

/* The case has just been run for its race, and ended there: whatever came after is no part of
 * it any more. */
static void cut_at_race(struct rdl__session *session, struct rdl__failure *failure)
{
    struct rdl__made made = rdl__on_board(rdl__first_board(session));

    rdl__made_release(&failure->made);
    rdl__made_copy(&failure->made, &made);
}

void rdl__settle_failure(struct rdl__session *session, struct rdl__result *result,
                         struct rdl__failure *failure)
{
    bool is_new = failure->found_at > 0 || strcmp(failure->source, "the bytes") == 0;
    const struct rdl_test *test = result->test;

    if (test->options.spec)
        rdl__show_prepare(); /* here, so that all workers to come have it */
    rdl__want_failure(session, test, failure);
    if (rdl__interrupted) {
        still_fails(session, test, failure); /* for its story */
    } else if (is_steady(session, test, failure) && session->plan->shrink_seconds > 0) {
        if (failure->outcome.cause == RDL__BY_RACE)
            cut_at_race(session, failure);
        if (session->plan->firsts)
            keep_first(session, test, failure);
        shrink_soundly(session, test, failure);
        if (test->options.explore && !failure->brief && failure->outcome.cause != RDL__BY_HANG)
            find_fewer(session, test, failure);
        if (failure->shrank_count == 0)
            forget_first(failure);
    }
    make_token(session, test, failure);
    tell_story(session, test, failure);
    if (!failure->unsteady && !test->options.expect_failure && is_new && !failure->race.suspected)
        keep(session, test, failure);
    add_failure(result, failure);
}

void rdl__settle(struct rdl__session *session, struct rdl__result *result,
                 const struct rdl__board *board, uint64_t found_at, const char *source)
{
    struct rdl__failure failure = rdl__failure_on(session, result->test, board, found_at, source);

    rdl__settle_failure(session, result, &failure);
}
