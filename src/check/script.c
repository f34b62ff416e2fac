/* script.c -- a failing schedule as an order of a few events, which is tried before it is trusted.
 *
 * First all that the schedule says becomes constraints.  Then, who could tell better what an
 * order leaves open than the scheduler?  It makes up schedules that keep to the order: if all of
 * them fail without a constraint, that one says nothing that matters, and is dropped.  What is
 * left is run with free threads. */
#include "check/script.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "check/turns.h"
#include "choice/regress.h"
#include "raddle/gates.h"

enum {
    SCHEDULES = 100, /* that must all fail */
    RUNS = 20,       /* with free threads */
    RUNS_HANGING = 3,
    HANG_MS = 500,
    HITS = 1 << 20,
    LINES_BEYOND = 200, /* the last that is known to have code */
    CALLS = 24,         /* of a line */
};

struct script {
    struct rdl__session *session;
    const struct rdl_test *test;
    const struct rdl__failure *failure;
    struct rdl__made data;
    struct rdl__constraints constraints;
    const char **places;
    size_t place_count, line_count;
};

/* ---- Tests under an order ------------------------------------------------------------------- */

/* Whose processes are made later than this is set. */
static struct {
    struct rdl_test test;
    void (*body)(struct rdl_case *t);
    char *order;
    struct rdl__probe *probe;
} trial;

static void run_in_order(struct rdl_case *t)
{
    if (*trial.order)
        rdl__order(t, trial.order, t->test->file, t->test->line);
    trial.body(t);
}

struct rdl_test *rdl__test_in_order(const struct rdl_test *test, const char *order, bool is_free)
{
    trial.test = *test;
    trial.body = test->body;
    free(trial.order);
    trial.order = rdl__duplicate(order);
    trial.test.body = run_in_order;
    trial.test.options.explore = !is_free;
    trial.test.options.free_threads = is_free;
    return &trial.test;
}

static struct rdl_test *set_order(struct script *s, bool is_free)
{
    struct rdl__text order = {0};
    struct rdl_test *test;

    rdl__constraints_write(&order, &s->constraints, ", ");
    test = rdl__test_in_order(s->test, rdl__text_string(&order), is_free);
    rdl__text_release(&order);
    rdl__worker_retire(&s->session->workers[0]);
    return test;
}

/* Free threads do not know that they are in a deadlock, and assert() ends their process. */
static bool fails_freely(const struct rdl__outcome *now, const struct rdl__failure *failure)
{
    const struct rdl__outcome *then = &failure->outcome;

    if (rdl__fails_alike(now, failure))
        return true;
    if (now->verdict != RDL__FAILED)
        return false;
    switch (then->cause) {
    case RDL__BY_DEADLOCK:
    case RDL__BY_HANG:
        return now->cause == RDL__BY_HANG;
    case RDL__BY_ASSERT:
        return now->cause == RDL__BY_CRASH && now->number == SIGABRT;
    case RDL__BY_CRASH:
        return now->cause == RDL__BY_CRASH && now->number == then->number;
    default:
        return false;
    }
}

static bool is_seen_freely(const struct rdl__failure *failure)
{
    switch (failure->outcome.cause) {
    case RDL__BY_RACE:
    case RDL__BY_LEAK:
    case RDL__BY_MEMORY:
    case RDL__BY_MISUSE:
    case RDL__BY_LIVELOCK:
        return false;
    default:
        return true;
    }
}

static bool ends_by_hanging(const struct rdl__failure *failure)
{
    return failure->outcome.cause == RDL__BY_DEADLOCK || failure->outcome.cause == RDL__BY_HANG;
}

/* This data, controlled, under schedule number n. */
static bool run_data(struct rdl__session *session, const struct rdl_test *test,
                     const struct rdl__settings *settings, const struct rdl__made *data, uint64_t n)
{
    struct rdl__shrinker drafts = {.best = *data};
    bool ran;

    rdl__draft(&drafts);
    rdl__board_put_feed(rdl__first_board(session), &drafts.draft);
    ran = rdl__run_turns(session, test, settings, RDL__ANYHOW, n);
    drafts.best = (struct rdl__made){0}; /* it was lent */
    rdl__shrink_release(&drafts);
    return ran;
}

/* How many of these runs fail like that?  Controlled threads have another schedule each time. */
static uint64_t count_failures(struct rdl__session *session, const struct rdl_test *test,
                               const struct rdl__failure *failure, const struct rdl__made *data,
                               uint64_t runs, bool until_one_does_not)
{
    struct rdl__board *board = rdl__first_board(session);
    const struct rdl__settings *settings = &failure->settings;
    uint64_t failed = 0;

    board->exploring = false;
    for (uint64_t n = 0; n < runs && !(until_one_does_not && failed < n); n++) {
        if (test->options.explore ? !run_data(session, test, settings, data, n)
                                  : !rdl__run_made(session, test, settings, data, false))
            break;
        failed += test->options.explore ? rdl__fails_alike(&board->outcome, failure)
                                        : fails_freely(&board->outcome, failure);
    }
    board->exploring = false;
    return failed;
}

static uint64_t count_free_failures(struct script *s, uint64_t runs)
{
    struct rdl__worker *worker = &s->session->workers[0];
    unsigned timeout_ms = worker->timeout_ms;
    const struct rdl_test *test = set_order(s, true);
    uint64_t failed;

    if (ends_by_hanging(s->failure) && timeout_ms > HANG_MS)
        worker->timeout_ms = HANG_MS;
    failed = count_failures(s->session, test, s->failure, &s->data, runs, false);
    worker->timeout_ms = timeout_ms;
    return failed;
}

/* The same for the very case that failed, schedule and all. */
static uint64_t count_replays(struct rdl__session *session, const struct rdl_test *test,
                              const struct rdl__failure *failure, uint64_t runs)
{
    uint64_t failed = 0;

    for (uint64_t n = 0; n < runs; n++) {
        if (!rdl__run_made(session, test, &failure->settings, &failure->made, false))
            break;
        failed += rdl__fails_alike(&rdl__first_board(session)->outcome, failure);
    }
    return failed;
}

void rdl__script_repeat(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure, uint64_t runs)
{
    struct rdl__made data = rdl__data_of(&failure->made);
    struct rdl__text said = {0};
    uint64_t failed;

    rdl__begin_stage(session, test, "running it again", 0);
    session->stage.progress.goal = runs;
    failed = session->plan->in_order ? count_failures(session, test, failure, &data, runs, false)
                                     : count_replays(session, test, failure, runs);
    rdl__text_add(&said, "fails like that in %llu of %llu runs", (unsigned long long)failed,
                  (unsigned long long)runs);
    failure->script = said.bytes;
    rdl__made_release(&data);
}

/* ---- Which lines threads come to ------------------------------------------------------------ */

static void run_probed(struct rdl_case *t)
{
    rdl__probe_place(t, trial.probe);
    trial.body(t);
}

static void add_place(struct script *s, struct rdl__text *text)
{
    s->places = rdl__reallocate(s->places, (s->place_count + 1) * sizeof *s->places);
    s->places[s->place_count++] = text->bytes;
}

static void add_lines(struct script *s, const char *file, int last)
{
    for (int line = 1; line <= last; line++) {
        struct rdl__text text = {0};

        rdl__text_add(&text, "%s:%d", file, line);
        add_place(s, &text);
    }
}

/* By which name gates know the file of this place; NULL: by none, as it is ours, say. */
static const char *name_for_gates(const struct rdl__lines *lines, const struct rdl__place *place)
{
    const char *names[] = {rdl__file_briefly(lines, place->file), place->file};

    for (int i = 0; i < 2; i++) {
        struct rdl__text text = {0};
        size_t found;

        rdl__text_add(&text, "%s:%d", names[i], place->line);
        found = rdl__places_find((const char *const[]){text.bytes}, 1);
        rdl__text_release(&text);
        if (found)
            return names[i];
    }
    return NULL;
}

static bool has_place(const struct script *s, const char *place)
{
    for (size_t i = s->line_count; i < s->place_count; i++)
        if (strcmp(s->places[i], place) == 0)
            return true;
    return false;
}

/* A thread may have been interrupted between two calls of a line. */
static void add_calls(struct script *s, const struct rdl__lines *lines,
                      const struct rdl__step *step)
{
    const struct rdl__place *place = rdl__lines_at(lines, step->pc);

    for (int call = 1; place && place->line && call <= CALLS; call++) {
        struct rdl__text text = {0};

        rdl__text_add(&text, "%s:%d:call %d", rdl__file_briefly(lines, place->file), place->line,
                      call);
        if (has_place(s, text.bytes))
            rdl__text_release(&text);
        else
            add_place(s, &text);
    }
}

/* The last line of this file that the schedule knows of, if the file is first met here; else 0. */
static int last_line(const struct rdl__lines *lines, size_t at)
{
    int last = 0;

    for (size_t i = 0; i < lines->count; i++) {
        if (lines->places[i].line == 0 ||
            strcmp(lines->places[i].file, lines->places[at].file) != 0)
            continue;
        if (i < at)
            return 0;
        last = lines->places[i].line > last ? lines->places[i].line : last;
    }
    return last;
}

static void find_lines(struct script *s, const struct rdl__steps *steps)
{
    struct rdl__lines lines = rdl__lines_of_test(s->test);
    size_t count;
    struct rdl__step *all = rdl__steps_read(steps, &count);

    rdl__schedule_want(steps, &lines);
    rdl__lines_find(&lines);
    for (size_t i = 0; i < lines.count; i++) {
        int last = lines.places[i].line ? last_line(&lines, i) : 0;
        const char *name = last ? name_for_gates(&lines, &lines.places[i]) : NULL;

        if (name)
            add_lines(s, name, last + LINES_BEYOND);
    }
    s->line_count = s->place_count;
    for (size_t i = 0; i < count; i++)
        if (all[i].how == RDL__STEP_INTERRUPTED || all[i].how == RDL__STEP_WAITS)
            add_calls(s, &lines, &all[i]);
    rdl__places_find(s->places, s->place_count);
    free(all);
    rdl__lines_release(&lines);
}

/* Run the failing case again; it must still fail. */
static bool run_case(struct script *s, const struct rdl_test *test)
{
    rdl__worker_retire(&s->session->workers[0]);
    return rdl__run_made(s->session, test, &s->failure->settings, &s->failure->made, true) &&
           rdl__fails_alike(&rdl__first_board(s->session)->outcome, s->failure);
}

/* The lines in which threads begin. */
static void find_starts(const struct script *s, const struct rdl__probe *probe,
                        const struct rdl__steps *steps, char *out[RDL__PROBE_THREADS])
{
    struct rdl__lines lines = rdl__lines_of_test(s->test);

    rdl__schedule_want(steps, &lines); /* so that files are called as they were */
    for (int i = 0; i < RDL__PROBE_THREADS; i++)
        if (probe->threads[i].entry)
            rdl__lines_want(&lines, probe->threads[i].entry + 1);
    rdl__lines_find(&lines);
    for (int i = 0; i < RDL__PROBE_THREADS; i++) {
        const struct rdl__place *place = rdl__lines_at(&lines, probe->threads[i].entry + 1);
        struct rdl__text text = {0};

        if (probe->threads[i].entry && place && place->line)
            rdl__text_add(&text, "%s:%d", rdl__file_briefly(&lines, place->file), place->line);
        out[i] = text.bytes;
    }
    rdl__lines_release(&lines);
}

static bool run_with_probes(struct script *s, struct rdl__probe *probe)
{
    const struct rdl__steps *steps = &rdl__first_board(s->session)->trace.steps;
    char *starts[RDL__PROBE_THREADS] = {0};

    *probe = (struct rdl__probe){.places = s->places,
                                 .place_count = s->place_count,
                                 .line_count = s->line_count,
                                 .hits = (struct rdl__probe_hit *)(probe + 1),
                                 .room = HITS};
    rdl__test_in_order(s->test, "", false);
    trial.probe = probe;
    trial.test.body = run_probed;
    if (!run_case(s, &trial.test))
        return false;
    find_starts(s, probe, steps, starts);
    rdl__constraints_make(&s->constraints, steps, probe, starts);
    for (int i = 0; i < RDL__PROBE_THREADS; i++)
        free(starts[i]);
    return true;
}

static bool make_constraints(struct script *s, struct rdl__error *error)
{
    size_t size = sizeof(struct rdl__probe) + HITS * sizeof(struct rdl__probe_hit);
    struct rdl__probe *probe;
    bool ran;

    if (!run_case(s, s->test))
        return rdl__fail(
            error,
            "the case does not fail again, so something other than its choices and turns decides");
    find_lines(s, &rdl__first_board(s->session)->trace.steps);
    if (s->place_count == 0)
        return rdl__fail(error, "no lines of its code are known: compile it with -g");
    probe = rdl__map(size, MAP_SHARED | MAP_NORESERVE);
    if (!probe)
        return rdl__fail(error, "cannot get memory for what its threads do: %s", strerror(errno));
    ran = run_with_probes(s, probe);
    rdl__unmap(probe, size);
    return ran || rdl__fail(error, "with hooks in its lines, the case does not fail again");
}

/* ---- Which constraints are needed ----------------------------------------------------------- */

/* Whatever else the scheduler does. */
static bool always_fails(struct script *s)
{
    const struct rdl_test *test = set_order(s, false);

    return count_failures(s->session, test, s->failure, &s->data, SCHEDULES, true) == SCHEDULES;
}

/* That a thread is blocked is harder to see than that it stands at a line, so who reads the order
 * is spared these first. */
static void drop_needless(struct script *s)
{
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < s->constraints.count; i++) {
            struct rdl__constraint *one = &s->constraints.items[i];

            if (one->is_dropped || (round == 0 && !strstr(one->before, " blocked")))
                continue;
            one->is_dropped = true;
            one->is_dropped = always_fails(s);
        }
}

static bool is_empty(const struct script *s)
{
    for (size_t i = 0; i < s->constraints.count; i++)
        if (!s->constraints.items[i].is_dropped)
            return false;
    return true;
}

static void keep_all(struct script *s)
{
    for (size_t i = 0; i < s->constraints.count; i++)
        s->constraints.items[i].is_dropped = false;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void add_comment(struct rdl__text *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        rdl__text_add(out, "# %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static bool write_script(const struct script *s, const char *said, const char *path,
                         struct rdl__error *error)
{
    const struct rdl__failure *failure = s->failure;
    const struct rdl__plan *plan = s->session->plan;
    const char *command = plan->replay_command ? plan->replay_command : plan->command;
    struct rdl__settings settings = failure->settings;
    struct rdl__text out = {0};
    bool ok;

    rdl__text_add(&out, "# %s: %s\n", s->test->name,
                  failure->outcome.check[0] ? failure->outcome.check : rdl__failure_kind(failure));
    rdl__text_add(&out, plan->replay_command ? "# found by %s %s\n" : "# found by %s --replay %s\n",
                  command, failure->token);
    rdl__text_add(&out, "# run by %s --order %s\n", command, path);
    add_comment(&out, said);
    settings.trace = 0;
    rdl__text_add(&out, "case ");
    rdl__token_write(&out, s->test->name, &settings, s->data.choices, s->data.count);
    rdl__text_add(&out, "\n");
    rdl__constraints_write(&out, &s->constraints, "\n");
    rdl__text_add(&out, "\n");
    ok = rdl__write_file(path, out.bytes, out.count, error);
    rdl__text_release(&out);
    return ok;
}

/* Try it, and say how that went.  If something was dropped that free threads need, all of it is
 * written. */
static void try_freely(struct script *s, bool always, struct rdl__text *said)
{
    uint64_t runs = ends_by_hanging(s->failure) ? RUNS_HANGING : RUNS, failed;

    if (always && is_empty(s))
        rdl__text_add(said, "nothing needs to be in order for it to fail\n");
    if (!always)
        rdl__text_add(said, "does not fail like that under all schedules that keep to it\n");
    else
        rdl__text_add(said, "fails like that under %d of %d schedules that keep to it\n", SCHEDULES,
                      SCHEDULES);
    if (!is_seen_freely(s->failure)) {
        rdl__text_add(said, "free threads do not notice that they fail like that: use "
                            "--controlled\n");
        return;
    }
    failed = count_free_failures(s, runs);
    if (failed < runs && always) {
        keep_all(s);
        failed = count_free_failures(s, runs);
    }
    rdl__text_add(said, "fails like that in %llu of %llu runs with free threads\n",
                  (unsigned long long)failed, (unsigned long long)runs);
    if (failed < runs)
        rdl__text_add(said, "%s", rdl__text_string(&s->constraints.waits));
}

static bool make_script(struct script *s, const char *path, struct rdl__text *said,
                        struct rdl__error *error)
{
    bool always;

    if (s->test->options.spec)
        return rdl__fail(
            error, "it is a test of a spec, whose calls are no order of lines: --replay runs it");
    if (!s->failure->token || !s->failure->schedule.headline)
        return rdl__fail(
            error, "its threads are not controlled, so there is no schedule (RDL_EXPLORE has one)");
    if (!make_constraints(s, error))
        return false;
    always = always_fails(s);
    if (always)
        drop_needless(s);
    try_freely(s, always, said);
    rdl__text_add(said, "%s", rdl__text_string(&s->constraints.remarks));
    said->bytes[--said->count] = '\0'; /* the last newline */
    return write_script(s, said->bytes, path, error);
}

void rdl__script_export(struct rdl__session *session, const struct rdl_test *test,
                        struct rdl__failure *failure, const char *path)
{
    struct script s = {.session = session, .test = test, .failure = failure};
    struct rdl__text said = {0};
    struct rdl__error error;

    rdl__begin_stage(session, test, "making an order of it", 0);
    s.data = rdl__data_of(&failure->made);
    if (make_script(&s, path, &said, &error)) {
        failure->script = said.bytes;
    } else {
        rdl__warn(session, "%s: no order is written to %s: %s", test->name, path, error.text);
        rdl__text_release(&said);
    }
    rdl__made_release(&s.data);
    rdl__constraints_release(&s.constraints);
    for (size_t i = 0; i < s.place_count; i++)
        free((char *)s.places[i]);
    free(s.places);
}
