/* main.c -- rdl_main: from arguments to an exit status. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "check/script.h"
#include "choice/regress.h"
#include "cli/options.h"
#include "control/meet.h"
#include "drive/stage.h"
#include "port/addresses.h"
#include "port/clock.h"
#include "port/coverage.h"
#include "port/statics.h"
#include "port/trap.h"
#include "raddle.h"
#include "report/progress.h"
#include "report/report.h"

/* The reports that were asked for, open. */
struct reports {
    struct rdl__report reports[RDL__OUTPUTS_MAX];
    struct rdl__listeners listeners;
    int count;
    struct rdl__requirements_file requirements;
    struct rdl__progress_report progress;
    struct rdl__stepping stepping;
};

int rdl__complain(const char *program, const struct rdl__error *error)
{
    const char *slash = strrchr(program, '/');

    fflush(stdout);
    if (error->text[0])
        fprintf(stderr, "%s: %s\n", slash ? slash + 1 : program, error->text);
    return RDL__EXIT_SETUP;
}

/* Has what was printed got out?  The status to end with. */
static int printed(void)
{
    if (fflush(stdout) == 0)
        return RDL__EXIT_PASS;
    if (errno != EPIPE)
        fprintf(stderr, "raddle: cannot write to standard output: %s\n", strerror(errno));
    return RDL__EXIT_SETUP;
}

static bool wants_colour(const struct rdl__options *options)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (options->colour != RDL__COLOUR_AUTO)
        return options->colour == RDL__COLOUR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

struct rdl__looks rdl__looks_of(const struct rdl__options *options)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 &&
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) /* what it is piped to may be a pager */
        size.ws_col = 0;
    return (struct rdl__looks){
        .colour = wants_colour(options),
        .width = size.ws_col > 20 ? size.ws_col : 80,
        .quiet = options->quiet,
        .verbose = options->verbose,
        .requirements = options->requirements && strcmp(options->requirements, "-") == 0,
    };
}

static bool close_reports(struct reports *reports, struct rdl__error *error)
{
    bool ok = true;

    for (int i = 0; i < reports->count; i++)
        if (!rdl__report_close(&reports->reports[i], error))
            ok = false;
    if (reports->requirements.error.text[0]) {
        *error = reports->requirements.error;
        ok = false;
    }
    return ok;
}

static bool open_reports(struct reports *out, const struct rdl__options *options,
                         struct rdl__error *error)
{
    struct rdl__looks looks = rdl__looks_of(options), plain = looks;
    struct rdl__error unused;

    plain.colour = false;
    *out = (struct reports){.progress.line.on = rdl__progress_wanted(options->quiet)};
    out->listeners.items[out->listeners.count++] = rdl__report_progress(&out->progress);
    for (; out->count < options->output_count; out->count++) {
        const struct rdl__output *output = &options->outputs[out->count];
        struct rdl__report *report = &out->reports[out->count];

        if (!rdl__report_open(report, output->format, output->path, error)) {
            close_reports(out, &unused);
            return false;
        }
        out->listeners.items[out->listeners.count++] =
            rdl__report_listener(report, output->path ? &plain : &looks);
        if (options->step && !output->path && strcmp(output->format, "human") == 0) {
            struct rdl__listener *last = &out->listeners.items[out->listeners.count - 1];

            out->stepping = (struct rdl__stepping){*last, looks};
            *last = rdl__step_listener(&out->stepping);
        }
    }
    out->requirements.path = options->requirements;
    if (options->requirements && strcmp(options->requirements, "-") != 0)
        out->listeners.items[out->listeners.count++] = rdl__report_requirements(&out->requirements);
    return true;
}

/* ---- Which tests --------------------------------------------------------------------- */

/* A test must match one of the filters, if there are any, and none of those that
 * begin with a minus.  One option may hold several, separated by commas. */
static bool is_wanted(const struct rdl__options *options, const struct rdl_test *test)
{
    bool refused = false, asked = false, found = false;

    for (int i = 0; i < options->filter_count; i++) {
        char *copy = rdl__duplicate(options->filters[i]), *rest = copy, *part;

        while ((part = strsep(&rest, ","))) {
            if (part[0] == '-') {
                refused = refused || !rdl__filter_matches(test, part);
            } else if (part[0]) {
                asked = true;
                found = found || rdl__filter_matches(test, part);
            }
        }
        free(copy);
    }
    return !refused && (found || !asked);
}

static bool names_are_unique(struct rdl_test **tests, size_t count, struct rdl__error *error)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(tests[i]->name, tests[k]->name) == 0)
                return rdl__fail(
                    error, "%s:%d and %s:%d are both called %s: give one of the tests another name",
                    tests[k]->file, tests[k]->line, tests[i]->file, tests[i]->line, tests[i]->name);
    return true;
}

static size_t select_tests(const struct rdl__options *options, struct rdl_test **tests,
                           size_t count)
{
    size_t wanted = 0, kept = 0;

    for (size_t i = 0; i < count; i++)
        if (is_wanted(options, tests[i]) &&
            (!options->shards || wanted++ % options->shards == options->shard))
            tests[kept++] = tests[i];
    return kept;
}

static struct rdl_test *test_named(struct rdl_test **tests, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tests[i]->name, name) == 0)
            return tests[i];
    return NULL;
}

static int list_tests(struct rdl_test **tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s%s%s\n", tests[i]->name, tests[i]->options.tags ? "  #" : "",
               tests[i]->options.tags ? tests[i]->options.tags : "");
    return printed();
}

/* ---- Running --------------------------------------------------------------------------- */

bool rdl__read_token(struct rdl__token *out, const char *given, struct rdl__error *error)
{
    struct rdl__text text = {0};
    struct rdl__error why;
    bool ok;

    if (given[0] != '@')
        return rdl__token_read(out, given, error);
    ok = rdl__read_file(&text, given + 1, error) &&
         (rdl__token_read(out, rdl__text_string(&text), &why) ||
          rdl__fail(error, "%s: %s", given + 1, why.text));
    rdl__text_release(&text);
    return ok;
}

static void *copy(const void *bytes, size_t size)
{
    return bytes ? memcpy(rdl__allocate(size + 1), bytes, size) : NULL;
}

bool rdl__options_token(struct rdl__token *out, const struct rdl__options *options,
                        struct rdl__error *error)
{
    const struct rdl__token *decided = options->decided;

    if (options->replay)
        return rdl__read_token(out, options->replay, error);
    *out = *decided;
    out->name = rdl__duplicate(decided->name);
    out->indexes = copy(decided->indexes, decided->count * sizeof *decided->indexes);
    out->shapes = copy(decided->shapes, decided->count);
    return true;
}

void rdl__options_set_export(struct rdl__options *options)
{
    const char *dot = options->export ? strrchr(options->export, '.') : NULL;

    if (dot && strcmp(dot, ".c") == 0)
        options->plan.export_program = options->export;
    else
        options->plan.export_order = options->export;
}

void rdl__options_set_volatiles(const struct rdl__options *options, struct rdl_test **tests,
                                size_t count)
{
    for (size_t i = 0; i < count && options->volatiles; i++)
        tests[i]->options.volatile_accesses = options->volatiles - 1;
}

static bool replay(struct rdl__options *options, const struct rdl__listener *listener,
                   struct rdl_test **tests, size_t count, struct rdl__totals *totals,
                   struct rdl__error *error)
{
    struct rdl__token token;
    struct rdl_test *test;
    bool ok;

    if (!rdl__options_token(&token, options, error))
        return false;
    test = test_named(tests, count, token.name);
    if (options->volatiles_by_hand)
        token.settings.volatiles = options->volatiles - 1;
    if (!options->shrink)
        options->plan.shrink_seconds = 0;
    rdl__options_set_export(options);
    ok = test ? rdl__check_token(&options->plan, listener, test, &token, totals, error)
              : rdl__fail(
                    error,
                    "the token is for a test called %s, which is not here; --list shows those that "
                    "are",
                    token.name);
    rdl__token_release(&token);
    return ok;
}

static bool run_bytes(const struct rdl__options *options, const struct rdl__listener *listener,
                      struct rdl_test **tests, size_t count, struct rdl__totals *totals,
                      struct rdl__error *error)
{
    const char *name = getenv("RADDLE_FUZZ");
    struct rdl__text text = {0};
    bool ok;

    count = select_tests(options, tests, count);
    if (name && count > 1 && (tests[0] = test_named(tests, count, name)))
        count = 1;
    if (count != 1)
        return rdl__fail(error, "--bytes: %zu tests match; name one with --filter =NAME", count);
    ok = rdl__read_file(&text, options->bytes, error) &&
         rdl__check_bytes(&options->plan, listener, tests[0],
                          (const uint8_t *)rdl__text_string(&text), text.count, totals, error);
    rdl__text_release(&text);
    return ok;
}

static bool can_deviate(const struct rdl__options *options, struct rdl_test **tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rdl__deviation_plays(options->plan.deviation, tests[i]))
            return true;
    return false;
}

static bool run_all(const struct rdl__options *options, const struct rdl__listener *listener,
                    struct rdl_test **tests, size_t count, struct rdl__totals *totals,
                    struct rdl__error *error)
{
    size_t all = count;

    count = select_tests(options, tests, count);
    if (count == 0 && !options->shards)
        return all ? rdl__fail(error, "no test matches %s%s; --list shows all",
                               options->filter_count > 1 ? "these filters, the first being " : "",
                               options->filters[0])
                   : rdl__fail(error, "there are no tests in this program: RDL_PROPERTY makes one");
    if (options->plan.deviation && !options->shards && !can_deviate(options, tests, count))
        return rdl__fail(
            error,
            "--deviation: '%s' is of no spec that plays in any of these tests; --deviations "
            "shows what there is",
            options->plan.deviation);
    return rdl__check_all(&options->plan, listener, tests, count, totals, error);
}

static int status_of(const struct rdl__totals *totals)
{
    if (totals->failed || totals->unexercised)
        return RDL__EXIT_FAIL;
    if (totals->errors)
        return RDL__EXIT_SETUP;
    if (totals->interrupted)
        return 128 + rdl__interrupted;
    if (totals->skipped && !totals->passed)
        return RDL__EXIT_SKIPPED;
    return RDL__EXIT_PASS;
}

int rdl__run_tests(struct rdl__options *options, struct rdl_test **tests, size_t count)
{
    struct reports *reports = rdl__allocate(sizeof *reports);
    struct rdl__totals totals = {0};
    struct rdl__listener listener;
    struct rdl__error error;
    bool ok = open_reports(reports, options, &error), written;

    if (options->explore.gdb)
        rdl__debug_tests(&options->plan);
    rdl__gates_file = options->plan.gates;
    rdl__deviation_in_force = options->plan.deviation;
    if (ok) {
        listener = rdl__report_many(&reports->listeners);
        if (options->replay || options->decided)
            ok = replay(options, &listener, tests, count, &totals, &error);
        else if (options->bytes)
            ok = run_bytes(options, &listener, tests, count, &totals, &error);
        else
            ok = run_all(options, &listener, tests, count, &totals, &error);
        rdl__progress_wipe(&reports->progress.line);
        rdl__coverage_collect();
        if (!ok)
            rdl__complain(options->plan.command, &error);
        written = close_reports(reports, &error);
        if (!written)
            rdl__complain(options->plan.command, &error);
        ok = ok && written;
    } else {
        rdl__complain(options->plan.command, &error);
    }
    free(reports);
    return ok ? status_of(&totals) : RDL__EXIT_SETUP;
}

bool rdl__read_order(struct rdl__order_file *out, struct rdl__token *out_token, const char *path,
                     struct rdl__error *error)
{
    if (!rdl__order_file_read(out, path, error))
        return false;
    if (!out->token)
        return rdl__fail(
            error,
            "%s has no line 'case TOKEN' to say which case it is of; --replay TOKEN --export "
            "FILE writes one",
            path);
    return rdl__token_read(out_token, out->token, error);
}

/* The test that the order is of is run under it, and nothing else. */
bool rdl__put_in_order(struct rdl__options *options, struct rdl_test **tests, size_t count,
                       struct rdl__error *error)
{
    static struct rdl__text command; /* both live as long as we do */
    static struct rdl__order_file file;
    struct rdl__token token;
    size_t i = 0;

    if (!rdl__read_order(&file, &token, options->order, error))
        return false;
    while (i < count && strcmp(tests[i]->name, token.name) != 0)
        i++;
    if (i == count)
        return rdl__fail(
            error, "%s is for a test called %s, which is not here; --list shows those that are",
            options->order, token.name);
    tests[i] = rdl__test_in_order(tests[i], file.order, !options->controlled);
    options->plan.turns_anew = options->controlled && !options->replay;
    if (!options->replay)
        options->replay = file.token;
    if (options->plan.replay_command)
        rdl__text_add(&command, "%s", options->plan.replay_command);
    else
        rdl__add_shell_word(&command, options->plan.command);
    rdl__text_add(&command, " --order ");
    rdl__add_shell_word(&command, options->order);
    rdl__text_add(&command, "%s%s", options->controlled ? " --controlled" : "",
                  options->plan.replay_command ? "" : " --replay");
    options->plan.replay_command = command.bytes;
    options->plan.in_order = true;
    rdl__token_release(&token);
    return true;
}

/* The same tests, but threads are as the operating system has them.  What fails then is no case of
 * a test as it stands, so it is not kept. */
static void set_free(struct rdl__options *options, struct rdl_test **tests, size_t count)
{
    static struct rdl__text command; /* it lives as long as we do */

    for (size_t i = 0; i < count; i++)
        if (tests[i]->options.explore)
            rdl__set_free(tests[i]);
    rdl__add_shell_word(&command, options->plan.command);
    rdl__text_add(&command, " --free --replay");
    options->plan.replay_command = command.bytes;
    options->plan.no_regressions = true;
}

static void warn_of_addresses(struct rdl_test *const *tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tests[i]->options.explore)
            rdl__warn_of_addresses();
}

/* Threads that block signals before the first gate is placed would not come to it. */
static void expect_gates(struct rdl_test *const *tests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tests[i]->options.explore || tests[i]->options.scheduled) {
            rdl__trap_expect();
            return;
        }
}

int rdl_main(int argc, char **argv)
{
    enum { LINK = 2 * sizeof(void *) }; /* where our frame ends: the caller's frame and address */
    char *no_arguments[] = {(char *)"tests", NULL};
    struct rdl__options *options = rdl__allocate(sizeof *options);
    struct rdl__text help = {0};
    struct rdl__error error;
    struct rdl_test **tests;
    size_t count;
    int status;

    if (argc < 1) {
        argc = 1;
        argv = no_arguments;
    }
    rdl__statics_frames((char *)__builtin_frame_address(0) + LINK);
    tests = rdl__tests(&count);
    expect_gates(tests, count);
    if (!rdl__options_read(options, argc, argv, &error) ||
        !names_are_unique(tests, count, &error)) {
        status = rdl__complain(argv[0], &error);
    } else if (options->help) {
        rdl__options_help(&help, argv[0]);
        fputs(help.bytes, stdout);
        status = printed();
    } else if (options->version) {
        printf("raddle %s\n", RDL_VERSION);
        status = printed();
    } else if (options->list) {
        status = list_tests(tests, select_tests(options, tests, count));
    } else if (options->shell) {
        count = select_tests(options, tests, count);
        if (count == 0 && options->filter_count > 0) {
            rdl__fail(&error, "no test matches %s: name an RDL_TEST_RESOURCE of the spec",
                      options->filters[0]);
            status = rdl__complain(argv[0], &error);
        } else if (!rdl__shell(tests, count, options->shell, &status, &error))
            status = rdl__complain(argv[0], &error);
    } else if (options->plan_only || (options->export && !options->replay)) {
        count = select_tests(options, tests, count);
        status =
            (!options->plan_only || rdl__print_plans(tests, count, &error)) &&
                    (!options->export || rdl__export_plan(tests, count, options->export, &error))
                ? printed()
                : rdl__complain(argv[0], &error);
    } else {
        if (!options->seed_given)
            options->plan.seed = rdl__entropy() >> 32; /* short enough to type */
        if (options->free)
            set_free(options, tests, count);
        rdl__options_set_volatiles(options, tests, count);
        warn_of_addresses(tests, count);
        if (options->deviations)
            status = rdl__print_deviations(options, tests, select_tests(options, tests, count));
        else
            status = !options->order || rdl__put_in_order(options, tests, count, &error)
                         ? rdl__run_tests(options, tests, count)
                         : rdl__complain(argv[0], &error);
    }
    rdl__text_release(&help);
    free(options);
    free(tests);
    return status;
}
