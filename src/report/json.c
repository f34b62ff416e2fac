/* json.c -- one line of JSON a test.
 *
 * All keys are always there, in the same order: what does not apply is null, or
 * an empty array. */
#include "report/json.h"

/* ---- Parts of a result ------------------------------------------------------------ */

static void add_labels(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "labels");
    for (uint32_t i = 0; i < stats->label_count; i++) {
        const struct rdl__label *label = &stats->labels[i];

        open_element(out);
        add_string(out, "name", label->name);
        add_count(out, "cases", label->cases);
        add_number(out, "percent", rdl__label_percent(label, stats), 3);
        add_number(out, "required", label->required, -1);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

/* How many values fell between which powers of two, without those that none fell between. */
static void add_buckets(struct rdl__text *out, const struct rdl__measure *measure)
{
    open_array(out, "buckets");
    for (int i = 0; i < RDL__BUCKETS; i++) {
        if (measure->buckets[i] == 0)
            continue;
        open_element(out);
        add_count(out, "from", i ? UINT64_C(1) << (i - 1) : 0);
        add_key(out, "below");
        rdl__text_add(out, i < RDL__BUCKETS - 1 ? "%" PRIu64 : "null", UINT64_C(1) << i);
        add_count(out, "count", measure->buckets[i]);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_values(struct rdl__text *out, const struct rdl__measure *measure)
{
    add_count(out, "count", measure->count);
    add_number(out, "min", measure->min, -1);
    add_number(out, "mean", measure->count ? measure->sum / (double)measure->count : 0, -1);
    add_number(out, "max", measure->max, -1);
    add_buckets(out, measure);
}

static void add_measures(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "measures");
    for (uint32_t i = 0; i < stats->measure_count; i++) {
        open_element(out);
        add_string(out, "name", stats->measures[i].name);
        add_values(out, &stats->measures[i]);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
    add_key(out, "lengths");
    rdl__text_add(out, "{");
    add_values(out, &stats->lengths);
    rdl__text_add(out, "}");
}

static void add_calls(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "calls");
    for (uint32_t i = 0; i < stats->called_count; i++) {
        open_element(out);
        add_string(out, "operation", stats->called[i].name);
        add_count(out, "calls", stats->called[i].calls);
        add_count(out, "waited", stats->called[i].waited);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_followed(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "followed");
    for (uint32_t i = 0; i < stats->called_count; i++)
        for (uint32_t k = 0; k < stats->called_count; k++) {
            if (stats->followed[i][k] == 0)
                continue;
            open_element(out);
            add_string(out, "operation", stats->called[i].name);
            add_string(out, "by", stats->called[k].name);
            add_count(out, "calls", stats->followed[i][k]);
            rdl__text_add(out, "}");
        }
    rdl__text_add(out, "]");
}

static void add_states(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "states");
    for (uint32_t i = 0; i < stats->visited_count; i++) {
        const struct rdl__visited *visited = &stats->visited[i];

        open_element(out);
        add_string(out, "name", visited->name);
        add_count(out, "cases", visited->cases);
        add_count(out, "calls", visited->calls);
        open_array(out, "entered");
        for (uint32_t k = 0; k <= RDL__STATES_MAX; k++) {
            if (visited->from[k] == 0)
                continue;
            open_element(out);
            add_optional(out, "from", k < RDL__STATES_MAX ? stats->visited[k].name : NULL);
            add_count(out, "calls", visited->from[k]);
            rdl__text_add(out, "}");
        }
        rdl__text_add(out, "]}");
    }
    rdl__text_add(out, "]");
}

static void add_preconditions(struct rdl__text *out, const struct rdl__stats *stats)
{
    static const char *const why[] = {[RDL__IMPOSSIBLE] = "impossible",
                                      [RDL__LEFT_TO_CHANCE] = "left-to-chance",
                                      [RDL__NOT_FOUND] = "not-found"};

    open_array(out, "preconditions");
    for (uint32_t i = 0; i < stats->tried_count; i++) {
        const struct rdl__tried *tried = &stats->tried[i];

        open_element(out);
        add_string(out, "operation", tried->operation);
        add_string(out, "name", tried->name);
        add_string(out, "text", tried->text);
        add_count(out, "calls", tried->calls);
        if (tried->untried)
            add_string(out, "untried", why[tried->untried]);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_warnings(struct rdl__text *out, const struct rdl__text *warnings)
{
    open_array(out, "warnings");
    for (size_t i = 0; i < warnings->count; i += strlen(warnings->bytes + i) + 1) {
        add_comma(out);
        rdl__add_json_string(out, warnings->bytes + i);
    }
    rdl__text_add(out, "]");
}

static void add_story(struct rdl__text *out, const struct rdl__story *story)
{
    open_array(out, "story");
    for (size_t i = 0; i < story->count; i++) {
        const struct rdl__line *line = &story->lines[i];

        open_element(out);
        add_string(out, "name", line->name);
        add_string(out, "value", line->value);
        add_string(out, "remark", line->remark);
        add_count(out, "depth", (uint64_t)line->depth);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
    add_count(out, "story_lost", story->lost);
}

/* The steps of a schedule that are worth knowing, and why. */
static void add_schedule(struct rdl__text *out, const struct rdl__schedule *schedule)
{
    static const char *const marks[] = {
        [RDL__ROW_STEP] = "",       [RDL__ROW_INTERRUPTED] = "interrupted",
        [RDL__ROW_WAITS] = "waits", [RDL__ROW_GOES_ON] = "goes on",
        [RDL__ROW_FAILS] = "fails", [RDL__ROW_NOTE] = "note"};

    add_key(out, "schedule");
    if (!schedule->headline) {
        rdl__text_add(out, "null");
        return;
    }
    rdl__text_add(out, "{");
    add_string(out, "headline", schedule->headline);
    add_count(out, "preemptions", schedule->preemptions);
    add_count(out, "steps", schedule->steps);
    open_array(out, "threads");
    for (uint32_t i = 0; i < schedule->thread_count; i++) {
        add_comma(out);
        rdl__add_json_string(out, schedule->threads[i]);
    }
    rdl__text_add(out, "]");
    open_array(out, "rows");
    for (size_t i = 0; i < schedule->count; i++) {
        const struct rdl__row *row = &schedule->rows[i];

        open_element(out);
        add_string(out, "thread", schedule->threads[row->thread]);
        add_optional(out, "mark", marks[row->mark]);
        add_optional(out, "does", row->does);
        add_optional(out, "place", row->place);
        add_optional(out, "file", row->file);
        add_line_number(out, row->line);
        add_optional(out, "source", row->source);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]}");
}

static void add_replay(struct rdl__text *out, const struct rdl__plan *plan,
                       const struct rdl__failure *failure)
{
    struct rdl__text command = {0};

    if (failure)
        rdl__replay_command(&command, plan, failure);
    add_optional(out, "token", failure ? failure->token : NULL);
    add_optional(out, "replay", command.bytes);
    rdl__text_release(&command);
}

/* The case as it was found, before it was made simpler. */
static void add_first(struct rdl__text *out, const struct rdl__first *first)
{
    struct rdl__text headline = {0};

    add_key(out, "first");
    if (!first) {
        rdl__text_add(out, "null");
        return;
    }
    rdl__failure_headline(&headline, &(struct rdl__failure){.outcome = first->outcome});
    rdl__text_add(out, "{");
    add_string(out, "message", headline.bytes);
    add_optional(out, "detail", first->outcome.text);
    add_count(out, "choices", first->choices);
    add_story(out, &first->story);
    add_schedule(out, &first->schedule);
    rdl__json_timeline(out, &first->timeline);
    rdl__text_add(out, "}");
    rdl__text_release(&headline);
}

/* How it became simpler, one after the other. */
static void add_shrank(struct rdl__text *out, const struct rdl__failure *failure)
{
    open_array(out, "shrank");
    for (size_t i = 0; i < failure->shrank_count; i++) {
        open_element(out);
        add_count(out, "run", failure->shrank[i].run);
        add_count(out, "choices", failure->shrank[i].choices);
        add_count(out, "preemptions", failure->shrank[i].preemptions);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_failure(struct rdl__text *out, const struct rdl__plan *plan,
                        const struct rdl__failure *failure)
{
    const struct rdl__outcome *outcome = &failure->outcome;
    struct rdl__text headline = {0};

    rdl__failure_headline(&headline, failure);
    open_element(out);
    add_string(out, "kind", rdl__failure_kind(failure));
    add_string(out, "message", headline.bytes);
    add_optional(out, "detail", outcome->text);
    add_optional(out, "file", outcome->file);
    add_line_number(out, outcome->line);
    add_replay(out, plan, failure);
    add_count(out, "found_at", failure->found_at);
    add_optional(out, "source", failure->source);
    add_optional(out, "unsteady", failure->unsteady);
    add_count(out, "again", failure->again);
    add_count(out, "choices_before", failure->first_count);
    add_count(out, "choices", failure->made.count);
    add_count(out, "attempts", failure->attempts);
    add_number(out, "seconds", failure->shrink_seconds, 6);
    add_bool(out, "shrink_stopped", failure->shrink_stopped);
    add_story(out, &failure->story);
    add_schedule(out, &failure->schedule);
    rdl__json_timeline(out, &failure->timeline);
    add_first(out, failure->first);
    add_shrank(out, failure);
    add_optional(out, "output", failure->output);
    rdl__text_add(out, "}");
    rdl__text_release(&headline);
}

static void add_failures(struct rdl__text *out, const struct rdl__plan *plan, const char *name,
                         const struct rdl__failure *failures, size_t count)
{
    open_array(out, name);
    for (size_t i = 0; i < count; i++)
        add_failure(out, plan, &failures[i]);
    rdl__text_add(out, "]");
}

static void add_shrink(struct rdl__text *out, const struct rdl__result *result)
{
    uint64_t attempts = 0;
    double seconds = 0;

    for (size_t i = 0; i < result->failure_count; i++) {
        attempts += result->failures[i].attempts;
        seconds += result->failures[i].shrink_seconds;
    }
    add_key(out, "shrink");
    rdl__text_add(out, "{");
    add_count(out, "attempts", attempts);
    add_number(out, "seconds", seconds, 6);
    rdl__text_add(out, "}");
}

/* What a failing schedule is, in one word that does not change. */
static const char *class_of(const struct rdl__failure *failure)
{
    switch (failure->outcome.cause) {
    case RDL__BY_CHECK:
        return "assertion";
    case RDL__BY_HANG:
        return "livelock";
    case RDL__BY_SPEC:
        return failure->outcome.class;
    default:
        return rdl__failure_kind(failure);
    }
}

static bool is_of_spec(const struct rdl_test *test)
{
    return test->options.spec || test->options.cluster;
}

static void add_exploration(struct rdl__text *out, const struct rdl__result *result)
{
    const struct rdl__failure *failure = result->failure_count ? &result->failures[0] : NULL;
    bool explored = result->test->options.explore, of_spec = is_of_spec(result->test);

    add_optional(out, "class", (explored || of_spec) && failure ? class_of(failure) : NULL);
    add_key(out, "round");
    rdl__text_add(out, of_spec && failure && failure->settings.round ? "%" PRIu32 : "null",
                  failure ? failure->settings.round : 0);
    add_key(out, "phases");
    rdl__text_add(out, of_spec && failure ? "%" PRIu32 : "null",
                  failure ? failure->outcome.phases : 0);
    add_key(out, "schedules");
    rdl__text_add(out, explored ? "%" PRIu64 : "null", result->stats.cases);
    add_key(out, "preemptions");
    rdl__text_add(out, explored && failure ? "%" PRIu32 : "null",
                  failure ? failure->outcome.preemptions : 0);
    add_key(out, "hash");
    rdl__text_add(out, explored && failure ? "\"%016" PRIx64 "\"" : "null",
                  failure ? failure->outcome.hash : 0);
}

/* ---- Requirements ----------------------------------------------------------------- */

/* Those that the test has exercised. */
static void add_exercised(struct rdl__text *out, const struct rdl__stats *stats)
{
    open_array(out, "requirements");
    for (uint32_t i = 0; i < rdl__requirement_count(); i++) {
        if (stats->exercised[i] == 0)
            continue;
        open_element(out);
        add_string(out, "id", rdl__requirement_at(i)->id);
        add_count(out, "cases", stats->exercised[i]);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_exercise(struct rdl__text *out, const struct rdl__plan *plan,
                         const struct rdl__exercise *exercise)
{
    const struct rdl__failure failure = {.token = exercise->token};

    open_element(out);
    add_string(out, "id", exercise->requirement->id);
    add_optional(out, "text", exercise->requirement->text);
    add_count(out, "cases", exercise->cases);
    open_array(out, "tests");
    for (size_t i = 0; i < exercise->test_count; i++) {
        add_comma(out);
        rdl__add_json_string(out, exercise->tests[i]->name);
    }
    rdl__text_add(out, "]");
    add_replay(out, plan, &failure);
    add_count(out, "choices", exercise->made.count);
    add_story(out, &exercise->story);
    rdl__text_add(out, "}");
}

/* All that the program has, on a line after those of the tests. */
static void add_exercises(void *self, const struct rdl__exercise *exercises, size_t count)
{
    struct rdl__report *report = self;
    struct rdl__text *out = &report->text;

    rdl__text_add(out, "{");
    open_array(out, "requirements");
    for (size_t i = 0; i < count; i++)
        add_exercise(out, report->plan, &exercises[i]);
    rdl__text_add(out, "]}\n");
    rdl__report_flush(report);
}

/* ---- Coverage ------------------------------------------------------------------------ */

static void add_limits(struct rdl__text *out, const char *key, const struct rdl__limits *limits,
                       enum rdl__limit_kind kind)
{
    open_array(out, key);
    for (uint32_t i = 0; i < limits->count; i++) {
        const struct rdl__limit *limit = &limits->all[i];

        if (limit->kind != kind)
            continue;
        open_element(out);
        add_string(out, "name", limit->what);
        add_optional(out, "module", limit->where);
        if (!limits->more) /* else which were counted depends on what came first */
            add_count(out, "times", limit->count);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_bounds(struct rdl__text *out, const struct rdl__covered *coverage)
{
    struct rdl__text bound = {0};

    open_array(out, "bounds");
    for (uint32_t i = 0; rdl__covered_bound(coverage, i, &bound); i++) {
        add_comma(out);
        rdl__add_json_string(out, bound.bytes);
        rdl__text_clear(&bound);
    }
    rdl__text_add(out, "]");
    rdl__text_release(&bound);
}

static void add_coverage(struct rdl__text *out, const struct rdl__covered *coverage)
{
    const struct rdl__limits *limits = &coverage->explored.limits;

    add_key(out, "covered");
    rdl__text_add(out, "{");
    add_bool(out, "complete", coverage->complete);
    add_count(out, "schedules", coverage->explored.tally.schedules);
    add_limits(out, "unseen", limits, RDL__LIMIT_UNSEEN);
    add_limits(out, "unknown", limits, RDL__LIMIT_UNKNOWN);
    add_limits(out, "unlike", limits, RDL__LIMIT_UNLIKE);
    add_limits(out, "processes", limits, RDL__LIMIT_PROCESS);
    add_bounds(out, coverage);
    add_string(out, "count", coverage->count);
    add_string(out, "sentence", coverage->sentence[0] ? coverage->sentence : coverage->count);
    add_string(out, "note", coverage->note);
    rdl__text_add(out, "}");
}

/* ---- Listening -------------------------------------------------------------------- */

static void add_test(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;
    struct rdl__text message = {0}, *out = &report->text;

    rdl__result_message(&message, result);
    rdl__text_add(out, "{");
    add_string(out, "test", result->test->name);
    add_string(out, "file", result->test->file);
    add_line_number(out, result->test->line);
    add_string(out, "verdict", rdl__verdict_name(result->verdict));
    add_optional(out, "kind", result->kind);
    add_optional(out, "message", message.bytes);
    add_count(out, "cases", result->stats.cases);
    add_exploration(out, result);
    add_count(out, "discards", result->stats.discards);
    add_optional(out, "deviation", result->deviation);
    add_key(out, "deviated");
    rdl__text_add(out, result->deviation ? "%" PRIu64 : "null", result->stats.deviated);
    add_number(out, "seconds", result->seconds, 6);
    add_count(out, "seed", result->seed);
    add_bool(out, "exhausted", result->covered.complete);
    add_bool(out, "interrupted", result->interrupted);
    add_bool(out, "replayed", result->replayed);
    add_replay(out, report->plan, result->failure_count ? &result->failures[0] : NULL);
    add_shrink(out, result);
    add_labels(out, &result->stats);
    add_measures(out, &result->stats);
    add_calls(out, &result->stats);
    add_followed(out, &result->stats);
    add_states(out, &result->stats);
    add_preconditions(out, &result->stats);
    add_exercised(out, &result->stats);
    add_warnings(out, &report->warnings);
    add_coverage(out, &result->covered);
    add_count(out, "threads", result->covered.explored.tally.threads);
    add_optional(out, "explored", report->plan->followed ? report->plan->followed->program : NULL);
    add_optional(out, "started_by",
                 report->plan->followed ? report->plan->followed->started_by : NULL);
    add_failures(out, report->plan, "failures", result->failures, result->failure_count);
    add_failures(out, report->plan, "suspected", result->suspected, result->suspected_count);
    rdl__text_add(out, "}\n");
    rdl__text_release(&message);
    rdl__report_flush(report);
    rdl__report_count(report, result);
}

struct rdl__listener rdl__report_json(struct rdl__report *report)
{
    return (struct rdl__listener){.run_started = rdl__report_begin,
                                  .warning = rdl__report_warned,
                                  .test_ended = add_test,
                                  .exercised = add_exercises,
                                  .self = report};
}
