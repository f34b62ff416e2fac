/* options.c -- reading options: one table for parsing, environment and help. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/near.h"
#include "control/strategy/strategy.h"
#include "drive/stage.h"
#include "port/wrappers.h"
#include "raddle/threads.h"

/* Where a value comes from, for messages: "--seed" or "RADDLE_SEED". */
typedef bool read_function(struct rdl__options *o, const char *from, const char *value,
                           struct rdl__error *error);

static bool read_number(const char *from, const char *value, uint64_t most, uint64_t *out,
                        struct rdl__error *error)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(value, &end, 0);
    if (!isdigit((unsigned char)value[0]) || *end)
        return rdl__fail(error, "%s: '%s' is not a whole number", from, value);
    if (errno || number > most)
        return rdl__fail(error, "%s: %s is too large (at most %llu)", from, value,
                         (unsigned long long)most);
    *out = number;
    return true;
}

static bool read_seconds(const char *from, const char *value, double *out, struct rdl__error *error)
{
    char *end;
    double seconds = strtod(value, &end);

    if (end == value || (*end && strcmp(end, "s") != 0) || !(seconds >= 0) || seconds > 1e9)
        return rdl__fail(error, "%s: '%s' is no number of seconds, as 2.5 or 2.5s is", from, value);
    *out = seconds;
    return true;
}

static bool read_filter(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    if (o->filter_count == RDL__FILTERS_MAX)
        return rdl__fail(error, "%s: at most %d filters are possible", from, RDL__FILTERS_MAX);
    o->filters[o->filter_count++] = value;
    return true;
}

static bool read_seed(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error)
{
    o->seed_given = true;
    return read_number(from, value, UINT64_MAX, &o->plan.seed, error);
}

static bool read_cases(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    if (!read_number(from, value, UINT64_MAX - 1, &o->plan.cases, error))
        return false;
    return o->plan.cases > 0 || rdl__fail(error, "%s: at least one case is needed", from);
}

static bool read_time(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error)
{
    if (!read_seconds(from, value, &o->plan.seconds, error))
        return false;
    return o->plan.seconds > 0 || rdl__fail(error, "%s: it is 0, and some time is needed", from);
}

static bool read_jobs(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error)
{
    uint64_t jobs;

    if (!read_number(from, value, 256, &jobs, error))
        return false;
    o->plan.jobs = jobs ? (int)jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return true;
}

static bool read_timeout(struct rdl__options *o, const char *from, const char *value,
                         struct rdl__error *error)
{
    double seconds;

    if (!read_seconds(from, value, &seconds, error))
        return false;
    if (seconds < 0.001 || seconds > 1e6)
        return rdl__fail(error, "%s: '%s' is not between 0.001 and 1,000,000 seconds", from, value);
    o->plan.timeout_ms = (unsigned)ceil(seconds * 1000);
    return true;
}

static bool read_replay(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    (void)from;
    (void)error;
    o->replay = value;
    return true;
}

static bool read_shell(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    (void)from, (void)error;
    o->shell = value;
    return true;
}

static bool read_export(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    (void)from;
    (void)error;
    o->export = value;
    return true;
}

static bool read_order(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    (void)from;
    (void)error;
    o->order = value;
    return true;
}

static bool read_bytes(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    (void)from;
    (void)error;
    o->bytes = value;
    return true;
}

static bool read_deviation(struct rdl__options *o, const char *from, const char *value,
                           struct rdl__error *error)
{
    struct rdl__error why;

    o->plan.deviation = value;
    return rdl__deviation_check(value, &why) || rdl__fail(error, "%s: %s", from, why.text);
}

static bool read_requirements(struct rdl__options *o, const char *from, const char *value,
                              struct rdl__error *error)
{
    (void)from;
    (void)error;
    o->requirements = value;
    o->plan.requirements = true;
    return true;
}

static bool read_shard(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    char *end;
    unsigned long shard = strtoul(value, &end, 10), shards = 0;

    if (isdigit((unsigned char)value[0]) && *end == '/' && isdigit((unsigned char)end[1]))
        shards = strtoul(end + 1, &end, 10);
    if (*end || shard < 1 || shard > shards || shards > 1000000)
        return rdl__fail(error, "%s: '%s' is not of the form K/N with K from 1 to N", from, value);
    o->shard = (unsigned)shard - 1;
    o->shards = (unsigned)shards;
    return true;
}

static bool read_format(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    static const char *const formats[] = {"human", "tap", "junit", "json"};

    if (o->output_count == RDL__OUTPUTS_MAX)
        return rdl__fail(error, "%s: at most %d reports are possible", from, RDL__OUTPUTS_MAX);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(value, formats[i]) == 0) {
            o->outputs[o->output_count++] = (struct rdl__output){.format = formats[i]};
            return true;
        }
    return rdl__fail(error, "%s: '%s' is none of human, tap, junit, json", from, value);
}

static bool read_output(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    if (o->output_count == 0 || o->outputs[o->output_count - 1].path)
        return rdl__fail(error, "%s %s: it belongs after the --format it is for", from, value);
    o->outputs[o->output_count - 1].path = value;
    return true;
}

static bool add_output(struct rdl__options *o, const char *from, const char *format,
                       const char *path, struct rdl__error *error)
{
    if (o->output_count == RDL__OUTPUTS_MAX)
        return rdl__fail(error, "%s: at most %d reports are possible", from, RDL__OUTPUTS_MAX);
    o->outputs[o->output_count++] = (struct rdl__output){.format = format, .path = path};
    return true;
}

static bool read_html(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error)
{
    return add_output(o, from, "html", value, error);
}

static bool read_trace(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    return add_output(o, from, "trace", value, error);
}

static bool read_shrink_time(struct rdl__options *o, const char *from, const char *value,
                             struct rdl__error *error)
{
    return read_seconds(from, value, &o->plan.shrink_seconds, error);
}

static bool read_shrink_runs(struct rdl__options *o, const char *from, const char *value,
                             struct rdl__error *error)
{
    return read_number(from, value, UINT64_MAX, &o->plan.shrink_runs, error);
}

static bool read_regressions(struct rdl__options *o, const char *from, const char *value,
                             struct rdl__error *error)
{
    struct stat folder;

    if (strcmp(value, "none") != 0 && strcmp(value, "beside") != 0 &&
        (stat(value, &folder) != 0 || !S_ISDIR(folder.st_mode)))
        return rdl__fail(error, "%s: there is no directory %s", from, value);
    o->plan.no_regressions = strcmp(value, "none") == 0;
    o->plan.regressions = o->plan.no_regressions || strcmp(value, "beside") == 0 ? NULL : value;
    return true;
}

static bool read_gates(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    if (strcmp(value, "none") != 0 && access(value, R_OK) != 0)
        return rdl__fail(error, "%s: cannot read %s: %s", from, value, strerror(errno));
    o->plan.gates = value;
    return true;
}

static bool read_colour(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    if (strcmp(value, "auto") == 0)
        o->colour = RDL__COLOUR_AUTO;
    else if (strcmp(value, "always") == 0)
        o->colour = RDL__COLOUR_ALWAYS;
    else if (strcmp(value, "never") == 0)
        o->colour = RDL__COLOUR_NEVER;
    else
        return rdl__fail(error, "%s: '%s' is none of auto, always, never", from, value);
    return true;
}

static bool read_strategy(struct rdl__options *o, const char *from, const char *value,
                          struct rdl__error *error)
{
    struct rdl__text names = {0};
    unsigned parameter;

    o->plan.strategy = value;
    if (strlen(value) < RDL__STRATEGY_ROOM && rdl__strategy_named(value, &parameter))
        return true;
    for (int i = 0; rdl__strategies[i]; i++)
        rdl__text_add(&names, "%s%s", i ? ", " : "", rdl__strategies[i]->name);
    rdl__fail(error, "%s: there is no strategy '%s', but: %s", from, value, names.bytes);
    rdl__text_release(&names);
    return false;
}

static bool read_round(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    if (strlen(value) != 1 || *value < '1' || *value > '3')
        return rdl__fail(error, "%s: '%s' is none of 1, 2 and 3", from, value);
    o->plan.round = (unsigned)(*value - '0');
    return true;
}

static bool read_status(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    uint64_t status = 0;

    if (!read_number(from, value, 255, &status, error))
        return false;
    o->explore.status = (int)status;
    return true;
}

static bool read_expected(struct rdl__options *o, const char *from, const char *value,
                          struct rdl__error *error)
{
    if (access(value, R_OK) != 0)
        return rdl__fail(error, "%s: cannot read %s: %s", from, value, strerror(errno));
    o->explore.output = value;
    return true;
}

static bool read_suppressions(struct rdl__options *o, const char *from, const char *value,
                              struct rdl__error *error)
{
    if (strcmp(value, "none") != 0 && access(value, R_OK) != 0)
        return rdl__fail(error, "%s: cannot read %s: %s", from, value, strerror(errno));
    o->plan.suppressions = value;
    return true;
}

static bool read_wrappers(struct rdl__options *o, const char *from, const char *value,
                          struct rdl__error *error)
{
    (void)o, (void)from, (void)error;
    rdl__wrappers_set(value);
    return true;
}

static bool read_points(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    return read_number(from, value, UINT64_MAX, &o->explore.points_max, error);
}

struct option {
    const char *name;
    const char *value;   /* what it takes, for help; NULL: nothing; "[": it may be left out */
    read_function *read; /* if it takes something */
    size_t flag;         /* else: which bool it sets */
    const char *help;
    enum { FOR_BOTH, FOR_TESTS, FOR_PROGRAMS } whom; /* test programs, or raddle explore */
};

#define FLAG(field)           NULL, NULL, offsetof(struct rdl__options, field)
#define VALUE(what, function) what, function, 0

static const struct option options[] = {
    {"list", FLAG(list), "show the names of the tests, and run none", FOR_TESTS},
    {"plan", FLAG(plan_only), "show the calls that tests have planned, and run none", FOR_TESTS},
    {"export", VALUE("FILE", read_export),
     "write the planned calls of a test as a C file; with --replay: the case as a program (.c), or "
     "its schedule as an order",
     FOR_BOTH},
    {"shell", VALUE("WHAT", read_shell), "call operations by hand, of the code or the spec",
     FOR_TESTS},
    {"order", VALUE("FILE", read_order), "run the case of an order, with free threads", FOR_BOTH},
    {"controlled", FLAG(controlled), "with --order: with controlled threads", FOR_BOTH},
    {"free", FLAG(free), "with free threads, where tests would control them", FOR_TESTS},
    {"filter", VALUE("F", read_filter),
     "run tests whose name has F in it; =F: whose name is F; #F: tagged F; -F: not those",
     FOR_TESTS},
    {"seed", VALUE("N", read_seed), "start chance here; the seed of a run is in its report",
     FOR_BOTH},
    {"cases", VALUE("N", read_cases), "try N cases a test (default: as the test says, or 1000)",
     FOR_TESTS},
    {"schedules", VALUE("N", read_cases), "try N schedules (default 10,000)", FOR_PROGRAMS},
    {"time", VALUE("S", read_time), "search S seconds", FOR_BOTH},
    {"strategy", VALUE("NAME", read_strategy),
     "how schedules of threads are made: portfolio (default), random, pct, pos, dpor, ...",
     FOR_BOTH},
    {"round", VALUE("N", read_round), "of tests of resources, only round N: 1, 2 or 3", FOR_TESTS},
    {"deviation", VALUE("TEXT", read_deviation),
     "let components that specs play deviate from these like that", FOR_TESTS},
    {"deviations", FLAG(deviations), "run the tests under each deviation; which do they tolerate?",
     FOR_TESTS},
    {"jobs", VALUE("N", read_jobs), "use N processes (0: as many as there are cores; default 1)",
     FOR_BOTH},
    {"replay", VALUE("TOKEN", read_replay), "run the one case of a token, or of a file by @FILE",
     FOR_BOTH},
    {"shrink", FLAG(shrink), "with --replay: shrink it as well", FOR_BOTH},
    {"step", FLAG(step), "with --replay: walk through it, forwards and backwards", FOR_BOTH},
    {"bytes", VALUE("FILE", read_bytes), "make a case of bytes that a fuzzer has found; shrink it",
     FOR_TESTS},
    {"exhaustive", FLAG(plan.exhaustive), "try all cases in order instead of random ones",
     FOR_TESTS},
    {"requirements", VALUE("[=FILE]", read_requirements),
     "tell the smallest case for each requirement, in the report or a file", FOR_TESTS},
    {"require-all", FLAG(plan.require_all), "fail if a requirement is not exercised", FOR_TESTS},
    {"more-bugs", FLAG(plan.more_bugs), "go on after a failure, to look for different ones",
     FOR_BOTH},
    {"fail-fast", FLAG(plan.fail_fast),
     "stop after the first test that fails, and at the first data race", FOR_BOTH},
    {"fail-on", VALUE("LIST", rdl__read_fail_on),
     "what counts as failure: assertion,crash,exit,deadlock,livelock,race,memory,misuse,output",
     FOR_PROGRAMS},
    {"status", VALUE("N", read_status), "the exit status it should have (default 0)", FOR_PROGRAMS},
    {"same-output", FLAG(explore.same_output), "it should print the same under every schedule",
     FOR_PROGRAMS},
    {"expect", VALUE("FILE", read_expected), "it should print what is in FILE", FOR_PROGRAMS},
    {"faults", VALUE("LIST", rdl__read_faults),
     "what may go wrong by itself: wakeups,timeouts,trylocks", FOR_PROGRAMS},
    {"points", VALUE("N", read_points),
     "a schedule with more places to switch at is a livelock (default 200,000)", FOR_PROGRAMS},
    {"volatile", VALUE("HOW", rdl__read_volatile),
     "what volatile accesses are where data races are looked for: acq-rel (default), relaxed or "
     "plain",
     FOR_BOTH},
    {"gdb", FLAG(explore.gdb), "in a debugger, stop where a case fails: see raddle replay --gdb",
     FOR_BOTH},
    {"stacks", FLAG(plan.stacks), "tell all calls that led to the places that reports speak of",
     FOR_BOTH},
    {"suppressions", VALUE("FILE", read_suppressions),
     "findings to put up with, as ThreadSanitizer has them; none: not even those beside tests",
     FOR_BOTH},
    {"wrappers", VALUE("FILES", read_wrappers),
     "show who called functions of these files, such as os_*.c,port/*: they are around locks",
     FOR_BOTH},
    {"timeout", VALUE("S", read_timeout), "the longest a single case may take (default 10)",
     FOR_BOTH},
    {"shrink-time", VALUE("S", read_shrink_time), "shrink for S seconds at most (default 60)",
     FOR_BOTH},
    {"shrink-runs", VALUE("N", read_shrink_runs), "and with N runs at most (default 20000)",
     FOR_BOTH},
    {"shard", VALUE("K/N", read_shard), "run the K-th of N parts of the tests", FOR_TESTS},
    {"format", VALUE("F", read_format), "report as human, tap, junit or json; may be repeated",
     FOR_BOTH},
    {"output", VALUE("FILE", read_output), "where the report of the --format before it goes",
     FOR_BOTH},
    {"html", VALUE("FILE", read_html), "write a page for browsers, too", FOR_BOTH},
    {"trace", VALUE("FILE", read_trace), "write failing cases for Perfetto and Chrome, too",
     FOR_BOTH},
    {"regressions", VALUE("DIR", read_regressions),
     "keep failing cases in DIR; beside: beside the tests (default); none: nowhere", FOR_TESTS},
    {"gates", VALUE("PATH", read_gates),
     "place gates as a file of gdb's breakpoints says, or NAME.gdb in a folder; none: nowhere",
     FOR_TESTS},
    {"no-fork", FLAG(plan.no_fork), "run cases in this process, for debuggers", FOR_TESTS},
    {"no-capture", FLAG(plan.no_capture), "let cases print", FOR_TESTS},
    {"color", VALUE("WHEN", read_colour), "auto, always or never", FOR_BOTH},
    {"quiet", FLAG(quiet), "print failures, and nothing else", FOR_BOTH},
    {"verbose", FLAG(verbose), "show statistics, all that was covered, and how cases shrank",
     FOR_BOTH},
    {"help", FLAG(help), "show this", FOR_BOTH},
    {"version", FLAG(version), "show the version", FOR_TESTS},
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Of --quiet and --verbose, the last one counts. */
static void set_flag(struct rdl__options *o, const struct option *option)
{
    *(bool *)((char *)o + option->flag) = true;
    if (option->flag == offsetof(struct rdl__options, quiet))
        o->verbose = false;
    if (option->flag == offsetof(struct rdl__options, verbose))
        o->quiet = false;
}

/* Options of raddle explore are no options of test programs, and the other way
 * round. */
static bool for_programs;

static bool applies(const struct option *option)
{
    return option->whom == FOR_BOTH || (option->whom == FOR_PROGRAMS) == for_programs;
}

static const struct option *find(const char *name, size_t length)
{
    for (int i = 0; i < OPTIONS; i++)
        if (applies(&options[i]) && strlen(options[i].name) == length &&
            strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static bool unknown(const char *argument, const char *name, size_t length, struct rdl__error *error)
{
    struct rdl__nearest nearest = {.given = name, .length = length};

    for (int i = 0; i < OPTIONS; i++)
        if (applies(&options[i]))
            rdl__nearest_try(&nearest, options[i].name);
    if (nearest.word)
        return rdl__fail(error, "unknown option %s; did you mean --%s?", argument, nearest.word);
    return rdl__fail(error, "unknown option %s; --help shows all", argument);
}

/* One argument, and the next if it is its value; *at moves on. */
static bool read_argument(struct rdl__options *o, int argc, char **argv, int *at,
                          struct rdl__error *error)
{
    const char *argument = argv[*at], *name = argument + 2;
    size_t length = strcspn(name, "=");
    const struct option *option;

    if (strncmp(argument, "--", 2) != 0 || length == 0)
        return rdl__fail(error, "what is '%s'? Options begin with --%s; --help shows all", argument,
                         for_programs ? ", and the program stands after a -- of its own" : "");
    if (strcmp(name, "colour") == 0 || strncmp(name, "colour=", 7) == 0)
        option = find("color", 5);
    else
        option = find(name, length);
    if (!option)
        return unknown(argument, name, length, error);
    ++*at;
    if (!option->read) {
        if (name[length])
            return rdl__fail(error, "--%s takes no value", option->name);
        set_flag(o, option);
        return true;
    }
    if (name[length])
        return option->read(o, argument, name + length + 1, error);
    if (option->value[0] == '[')
        return option->read(o, argument, "-", error);
    if (*at >= argc)
        return rdl__fail(error, "%s needs a value: %s", argument, option->value);
    return option->read(o, argument, argv[(*at)++], error);
}

static bool read_environment(struct rdl__options *o, struct rdl__error *error)
{
    for (int i = 0; i < OPTIONS; i++) {
        char name[64] = "RADDLE_";
        const char *value;
        size_t length = strlen(name);

        for (const char *c = options[i].name; *c; c++)
            name[length++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
        value = getenv(name);
        if (!value || !*value || !applies(&options[i]))
            continue;
        if (options[i].read ? !options[i].read(o, name, value, error) : false)
            return false;
        if (!options[i].read && strcmp(value, "0") != 0)
            set_flag(o, &options[i]);
    }
    return true;
}

/* GoogleTest's variables, which test runners know how to set. */
static bool read_shard_environment(struct rdl__options *o, struct rdl__error *error)
{
    const char *total = getenv("GTEST_TOTAL_SHARDS"), *index = getenv("GTEST_SHARD_INDEX");
    uint64_t shards, shard;

    if (!total || !index || o->shards)
        return true;
    if (!read_number("GTEST_TOTAL_SHARDS", total, 1000000, &shards, error) ||
        !read_number("GTEST_SHARD_INDEX", index, 1000000, &shard, error))
        return false;
    if (shard >= shards)
        return rdl__fail(
            error, "GTEST_SHARD_INDEX is %s, but there are %s shards, the first of which is 0",
            index, total);
    o->shard = (unsigned)shard;
    o->shards = (unsigned)shards;
    return true;
}

static bool check_outputs(struct rdl__options *o, struct rdl__error *error)
{
    int on_stdout = 0;

    for (int i = 0; i < o->output_count; i++) {
        on_stdout += o->outputs[i].path == NULL;
        o->plan.firsts |=
            strcmp(o->outputs[i].format, "json") == 0 || strcmp(o->outputs[i].format, "html") == 0;
    }
    if (on_stdout > 1)
        return rdl__fail(error,
                         "%d reports cannot share standard output: give all but one of "
                         "them an --output",
                         on_stdout);
    if (on_stdout == 0) {
        if (o->output_count == RDL__OUTPUTS_MAX)
            return rdl__fail(error, "at most %d reports are possible", RDL__OUTPUTS_MAX);
        o->outputs[o->output_count++] = (struct rdl__output){.format = "human"};
    }
    return true;
}

bool rdl__options_read_for_program(struct rdl__options *out, int argc, char **argv,
                                   struct rdl__error *error)
{
    for_programs = true;
    return rdl__options_read(out, argc, argv, error);
}

bool rdl__options_read(struct rdl__options *out, int argc, char **argv, struct rdl__error *error)
{
    struct rdl__options o = {
        .plan = {.jobs = 1, .shrink_runs = 20000, .shrink_seconds = 60, .command = argv[0]},
        .explore = {.fail_on = RDL__FAIL_ALL},
    };

    if (!read_environment(&o, error))
        return false;
    for (int at = 1; at < argc;)
        if (!read_argument(&o, argc, argv, &at, error))
            return false;
    if (!read_shard_environment(&o, error) || !check_outputs(&o, error))
        return false;
    if (o.replay && o.bytes)
        return rdl__fail(error, "--replay and --bytes do not go together: leave out one of them");
    if (o.step && !o.replay)
        return rdl__fail(error, "--step goes with --replay");
    if (o.shrink && !o.replay)
        return rdl__fail(error,
                         "--shrink goes with --replay TOKEN: what a search finds is shrunk anyway");
    if (o.controlled && !o.order)
        return rdl__fail(
            error, "--controlled goes with --order FILE: without it, tests say which threads they "
                   "control");
    if (o.free && (o.order || o.export))
        return rdl__fail(error, "--free goes neither with --order nor with --export");
    if (o.order && (o.export || o.bytes))
        return rdl__fail(error, "--order goes neither with --export nor with --bytes");
    if (!rdl__settle_deviations(&o, error))
        return false;
    *out = o;
    return true;
}

/* What an option does, beside it, in lines that fit a terminal. */
static void add_help(struct rdl__text *out, const char *left, const char *help)
{
    enum { MARGIN = 20, COLUMNS = 80 };
    int at = (int)strlen(left) + 2;

    rdl__text_add(out, "  %s%*s", left, at < MARGIN ? MARGIN - at : 1, "");
    at = at < MARGIN ? MARGIN : at + 1;
    while (*help) {
        int length = (int)strcspn(help, " ");

        if (at + length > COLUMNS && at > MARGIN) {
            out->count--; /* the blank before it */
            rdl__text_add(out, "\n%*s", MARGIN, "");
            at = MARGIN;
        }
        rdl__text_add(out, "%.*s%s", length, help, help[length] ? " " : "");
        at += length + 1;
        help += length + (help[length] == ' ');
    }
    rdl__text_add(out, "\n");
}

void rdl__options_list(struct rdl__text *out)
{
    for (int i = 0; i < OPTIONS; i++) {
        char left[40];

        snprintf(left, sizeof left, "--%s%s%s", options[i].name,
                 options[i].value && options[i].value[0] != '[' ? " " : "",
                 options[i].value ? options[i].value : "");
        if (applies(&options[i]))
            add_help(out, left, options[i].help);
    }
    rdl__text_add(out, "\nEach option has a twin in the environment: RADDLE_SEED is --seed.\n");
}

void rdl__options_help(struct rdl__text *out, const char *program)
{
    rdl__text_add(out,
                  "Usage: %s [OPTION]...\n\n"
                  "Runs the tests of this program.  A failing case is shown in its smallest\n"
                  "form, with a token that replays it.\n\n",
                  program);
    rdl__options_list(out);
    rdl__text_add(out, "Exit status: 0 all passed, 1 a failure was found, 2 wrong usage or "
                       "set-up,\n77 all skipped.\n");
}
