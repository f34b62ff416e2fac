/* deviations.c -- --deviations: run tests under each deviation that can take effect in them.
 *
 * Each test is run as it is, and then, if it passes, once more for each deviation of a spec that
 * plays in it, from the same seed: so cases are the same until a deviation takes effect.  Left out
 * are tests that have a deviation of their own, which are about nothing else, and those that are to
 * fail or not to be run anyway. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"
#include "control/meet.h"
#include "drive/stage.h"
#include "port/clock.h"
#include "raddle/cluster.h"
#include "report/deviations.h"
#include "report/progress.h"

struct survey {
    struct rdl__plan plan; /* with the deviation that is tried */
    struct rdl__report reports[RDL__OUTPUTS_MAX];
    struct rdl__tolerances tables[RDL__OUTPUTS_MAX];
    int count;
    struct rdl__progress_line line;
    uint64_t started_ns;
    size_t runs, done; /* with a deviation */
    bool is_part;      /* of the tests: others may have others */
    bool passes;       /* the test that was run last */
    bool found_error, found_failure;
};

/* What fails under a deviation is no failure of the tests as they are: it is not kept. */
bool rdl__settle_deviations(struct rdl__options *o, struct rdl__error *error)
{
    if (o->plan.deviation && o->order)
        return rdl__fail(error,
                         "--deviation and --order do not go together: leave out one of them");
    if (o->deviations && (o->plan.deviation || o->replay || o->bytes || o->order || o->export))
        return rdl__fail(error, "--deviations goes with none of --deviation, --replay, --bytes, "
                                "--order and --export");
    for (int i = 0; o->deviations && i < o->output_count; i++)
        if (strcmp(o->outputs[i].format, "human") != 0 && strcmp(o->outputs[i].format, "json") != 0)
            return rdl__fail(error, "--deviations are told as human or json, not as %s",
                             o->outputs[i].format);
    if (o->deviations || o->plan.deviation)
        o->plan.no_regressions = true;
    return true;
}

/* ---- What is run --------------------------------------------------------------------------- */

static bool is_left_out(const struct rdl_test *test)
{
    return test->options.deviation || test->options.skip || test->options.expect_failure;
}

/* The deviation after this one (NULL: the first) that can take effect in the test; of several with
 * the same text only the first.  NULL: that was the last. */
static const struct rdl_deviation *next_of(const struct rdl_test *test,
                                           const struct rdl_deviation *it)
{
    if (is_left_out(test))
        return NULL;
    it = it ? it->next : rdl__deviations();
    while (it && (it != rdl__deviation_named(it->text) || !rdl__deviation_plays(it->text, test)))
        it = it->next;
    return it;
}

/* Whose deviation is it, of those that play in the test? */
static void add_components(struct rdl__text *out, const struct rdl_test *test, const char *text)
{
    const char *last = NULL;

    for (const struct rdl_deviation *it = rdl__deviations(); it; it = it->next) {
        const char *spec = rdl__deviation_spec(it);

        if (strcmp(it->text, text) != 0 || !rdl__plays(&test->options, spec) ||
            (last && strcmp(last, spec) == 0))
            continue;
        rdl__text_add(out, "%s%s", last ? ", " : "", spec);
        last = spec;
    }
}

static void widen(int *width, const char *text)
{
    int needed = rdl__text_width(text);

    *width = needed > *width ? needed : *width;
}

/* How many runs will there be, and how wide are the columns? */
static void measure(struct survey *survey, struct rdl_test **tests, size_t count)
{
    const struct rdl_deviation *it;
    int component_width = 0, deviation_width = 0;

    for (size_t i = 0; i < count; i++)
        for (it = NULL; (it = next_of(tests[i], it));) {
            struct rdl__text components = {0};

            add_components(&components, tests[i], it->text);
            widen(&component_width, rdl__text_string(&components));
            widen(&deviation_width, it->text);
            rdl__text_release(&components);
            survey->runs++;
        }
    for (int i = 0; i < survey->count; i++) {
        survey->tables[i].component_width = component_width;
        survey->tables[i].deviation_width = deviation_width;
    }
}

/* ---- What comes of it ---------------------------------------------------------------------- */

static enum rdl__tolerance verdict_of(const struct survey *survey, const struct rdl__result *result)
{
    if (result->verdict == RDL__TEST_ERROR)
        return RDL__IN_ERROR;
    if (result->verdict == RDL__TEST_SKIP)
        return RDL__NOT_RUN;
    if (!survey->plan.deviation)
        return result->verdict == RDL__TEST_FAIL ? RDL__FAILS_ANYWAY : RDL__TOLERATED;
    if (result->failure_count > 0)
        return result->failures[0].outcome.deviations ? RDL__NOT_TOLERATED : RDL__FAILS_ANYWAY;
    return result->stats.deviated ? RDL__TOLERATED : RDL__NEVER_MET;
}

/* Labels that are rarer than the test wants say nothing of what a component tolerates. */
static void add_why(struct rdl__text *out, const struct survey *survey,
                    const struct rdl__result *result)
{
    if (result->failure_count == 0 && survey->plan.deviation &&
        result->verdict != RDL__TEST_ERROR && result->verdict != RDL__TEST_SKIP)
        return;
    if (result->failure_count > 0 && result->failures[0].outcome.cause == RDL__BY_SPEC)
        rdl__text_add(out, "%s", result->failures[0].outcome.check);
    else
        rdl__result_message(out, result);
    if (result->failure_count > 0 && result->failures[0].unsteady)
        rdl__text_add(out, " (it does not fail every time)");
}

static void add_row(struct survey *survey, const struct rdl__result *result,
                    enum rdl__tolerance verdict)
{
    const struct rdl__failure *failure = result->failure_count ? &result->failures[0] : NULL;
    struct rdl__text why = {0}, replay = {0}, components = {0};
    struct rdl__tolerance_row row = {
        .test = result->test,
        .deviation = survey->plan.deviation,
        .verdict = verdict,
        .cases = result->stats.cases,
        .deviated = result->stats.deviated,
        .calls = failure ? failure->outcome.phases : 0,
        .story = failure ? &failure->story : NULL,
        .token = failure ? failure->token : NULL,
        .seconds = result->seconds,
    };

    add_why(&why, survey, result);
    if (failure)
        rdl__replay_command(&replay, &survey->plan, failure);
    if (row.deviation)
        add_components(&components, row.test, row.deviation);
    row.why = rdl__text_string(&why);
    row.replay = rdl__text_string(&replay);
    row.components = rdl__text_string(&components);
    for (int i = 0; i < survey->count; i++)
        rdl__tolerances_row(&survey->tables[i], &row);
    rdl__text_release(&why);
    rdl__text_release(&replay);
    rdl__text_release(&components);
}

static void take_result(void *self, const struct rdl__result *result)
{
    struct survey *survey = self;
    enum rdl__tolerance verdict = verdict_of(survey, result);

    survey->passes = verdict == RDL__TOLERATED;
    if (result->interrupted || (survey->passes && !survey->plan.deviation))
        return;
    survey->found_error = survey->found_error || verdict == RDL__IN_ERROR;
    survey->found_failure = survey->found_failure || verdict == RDL__FAILS_ANYWAY;
    rdl__progress_wipe(&survey->line);
    add_row(survey, result, verdict);
}

/* How long the others will take is guessed from those that are through. */
static void show_progress(void *self, const struct rdl__progress *progress)
{
    struct survey *survey = self;
    struct rdl__text who = {0}, more = {0};
    double seconds = (double)(rdl__now_ns() - survey->started_ns) * 1e-9;
    struct rdl__work work;

    if (!rdl__progress_is_due(&survey->line))
        return;
    work = rdl__work_of(progress, &more);
    if (survey->plan.deviation) {
        rdl__text_add(&who, "%zu of %zu, %s under '%s'", survey->done, survey->runs, work.who,
                      survey->plan.deviation);
        work.who = who.bytes;
    }
    if (survey->done > 1 && survey->done < survey->runs) {
        work.left = seconds / (double)survey->done * (double)(survey->runs - survey->done);
        work.guessed = true;
    }
    rdl__progress_show(&survey->line, &work);
    rdl__text_release(&who);
    rdl__text_release(&more);
}

/* ---- Running ------------------------------------------------------------------------------- */

static bool run(struct survey *survey, struct rdl_test *test, const char *deviation,
                struct rdl__error *error)
{
    struct rdl__listener listener = {
        .progress = show_progress, .test_ended = take_result, .self = survey};
    struct rdl__totals totals = {0};

    survey->plan.deviation = rdl__deviation_in_force = deviation;
    return rdl__check_all(&survey->plan, &listener, &test, 1, &totals, error);
}

static bool try_test(struct survey *survey, struct rdl_test *test, struct rdl__error *error)
{
    const struct rdl_deviation *it = next_of(test, NULL);

    if (!it)
        return true;
    if (!run(survey, test, NULL, error))
        return false;
    for (bool passes = survey->passes; passes && it && !rdl__interrupted; it = next_of(test, it)) {
        survey->done++;
        if (!run(survey, test, it->text, error))
            return false;
    }
    return true;
}

static bool try_all(struct survey *survey, struct rdl_test **tests, size_t count,
                    struct rdl__error *error)
{
    measure(survey, tests, count);
    if (count == 0 && !survey->is_part)
        return rdl__fail(error, "--deviations: no test matches; --list shows all");
    if (survey->runs == 0 && !survey->is_part)
        return rdl__fail(error,
                         "--deviations: in none of these tests a spec plays that has deviations "
                         "(RDL_DEVIATION), and that is not about one already");
    for (size_t i = 0; i < count && !rdl__interrupted; i++)
        if (!try_test(survey, tests[i], error))
            return false;
    rdl__progress_wipe(&survey->line);
    for (int i = 0; i < survey->count; i++)
        rdl__tolerances_end(&survey->tables[i]);
    return true;
}

static bool open_tables(struct survey *survey, const struct rdl__options *options,
                        struct rdl__error *error)
{
    for (; survey->count < options->output_count; survey->count++) {
        const struct rdl__output *output = &options->outputs[survey->count];
        struct rdl__report *report = &survey->reports[survey->count];

        if (!rdl__report_open(report, output->format, output->path, error))
            return false;
        report->looks = rdl__looks_of(options);
        survey->tables[survey->count] =
            (struct rdl__tolerances){.report = report,
                                     .json = strcmp(output->format, "json") == 0,
                                     .seed = options->plan.seed};
        if (output->path)
            report->looks.colour = false;
    }
    return true;
}

static bool close_tables(struct survey *survey, struct rdl__error *error)
{
    bool ok = true;

    for (int i = 0; i < survey->count; i++)
        if (!rdl__report_close(&survey->reports[i], error))
            ok = false;
    return ok;
}

static int status_of(const struct survey *survey)
{
    if (rdl__interrupted)
        return 128 + rdl__interrupted;
    if (survey->found_failure)
        return RDL__EXIT_FAIL;
    return survey->found_error ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
}

int rdl__print_deviations(struct rdl__options *options, struct rdl_test **tests, size_t count)
{
    struct survey *survey = rdl__allocate(sizeof *survey);
    struct rdl__error error, unwritten;
    bool ok, written;
    int status;

    rdl__gates_file = options->plan.gates;
    survey->plan = options->plan;
    survey->plan.more_bugs = survey->plan.requirements = survey->plan.require_all = false;
    survey->is_part = options->shards > 0;
    survey->line.on = rdl__progress_wanted(options->quiet);
    survey->started_ns = rdl__now_ns();
    ok = open_tables(survey, options, &error) && try_all(survey, tests, count, &error);
    rdl__progress_wipe(&survey->line);
    written = close_tables(survey, &unwritten);
    if (!ok)
        rdl__complain(options->plan.command, &error);
    if (!written)
        rdl__complain(options->plan.command, &unwritten);
    status = ok && written ? status_of(survey) : RDL__EXIT_SETUP;
    free(survey);
    return status;
}
