/* grade_options.c -- the command line of raddle grade. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near.h"
#include "cli/raddle/grade.h"
#include "port/clock.h"

/* ---- Values ------------------------------------------------------------------------------- */

typedef bool read_function(struct rdl__grading *g, const char *value, struct rdl__error *error);

static bool read_number(const char *value, unsigned long long most, unsigned long long *out)
{
    char *end;

    errno = 0;
    *out = strtoull(value, &end, 0);
    return isdigit((unsigned char)value[0]) && !*end && !errno && *out <= most;
}

static bool read_spec(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    struct stat it;

    g->spec = value;
    if (stat(value, &it) != 0)
        return rdl__fail(error, "--spec: cannot look at %s: %s", value, strerror(errno));
    return S_ISDIR(it.st_mode) ||
           rdl__fail(error, "--spec: %s is no directory: give the one that the spec is in", value);
}

static bool read_seed(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    unsigned long long seed;

    if (!read_number(value, UINT64_MAX, &seed))
        return rdl__fail(error, "--seed: '%s' is not a whole number", value);
    g->seed = seed;
    return true;
}

static bool read_time(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    char *end;

    g->seconds = strtod(value, &end);
    if (end == value || (*end && strcmp(end, "s") != 0) || !(g->seconds > 0) || g->seconds > 1e9)
        return rdl__fail(error, "--time: '%s' is no number of seconds, as 2.5 is", value);
    return true;
}

static bool read_jobs(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    unsigned long long jobs;

    if (!read_number(value, RDL__GRADE_JOBS, &jobs))
        return rdl__fail(error, "--jobs: '%s' is not a number up to %d", value, RDL__GRADE_JOBS);
    g->jobs = (int)jobs;
    return true;
}

static bool read_format(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    g->json = strcmp(value, "json") == 0;
    return g->json || strcmp(value, "human") == 0 ||
           rdl__fail(error, "--format: '%s' is none of human, json", value);
}

static bool read_colour(struct rdl__grading *g, const char *value, struct rdl__error *error)
{
    if (strcmp(value, "auto") == 0)
        return true;
    g->colour = strcmp(value, "always") == 0;
    return g->colour || strcmp(value, "never") == 0 ||
           rdl__fail(error, "--color: '%s' is none of auto, always, never", value);
}

/* ---- Options ------------------------------------------------------------------------------ */

struct option {
    const char *name;
    const char *value;   /* what it takes, for help; NULL: nothing, and it sets a bool */
    read_function *read; /* NULL: it is kept as it is */
    size_t field;
    const char *help;
};

#define FIELD(name)    NULL, offsetof(struct rdl__grading, name)
#define READ(function) function, 0

static const struct option options[] = {
    {"spec", "DIRECTORY", READ(read_spec), "the spec: all C files in it, and the interface"},
    {"seed", "N", READ(read_seed), "start chance here; the seed of a run is in its report"},
    {"time", "S", READ(read_time), "search S seconds a file (default: cases as tests say)"},
    {"jobs", "N", READ(read_jobs), "N files at a time (default: a core each, but at most 4)"},
    {"format", "F", READ(read_format), "report as human or json"},
    {"output", "FILE", FIELD(output), "where that report goes"},
    {"html", "FILE", FIELD(html), "write a page for browsers, too"},
    {"replay", "TOKEN", FIELD(replay), "show the case of a token, or of a file by @FILE"},
    {"export", "FILE", FIELD(export), "with --replay: write the case as a C program (.c)"},
    {"gdb", NULL, FIELD(gdb), "with --replay: in the debugger"},
    {"step", NULL, FIELD(step), "with --replay: walk through it, forwards and backwards"},
    {"trace", "FILE", FIELD(trace), "with --replay: write it for Perfetto and Chrome, too"},
    {"keep", "FOLDER", FIELD(keep), "leave the test programs and their reports there"},
    {"quiet", NULL, FIELD(quiet), "show files that fail, and nothing else"},
    {"verbose", NULL, FIELD(verbose), "show the failing case of each file"},
    {"color", "WHEN", READ(read_colour), "auto, always or never"},
    {"help", NULL, FIELD(help), "show this"},
};

enum { OPTIONS = sizeof options / sizeof *options };

static const struct option *find(const char *name, size_t length)
{
    if (length == 6 && strncmp(name, "colour", 6) == 0)
        return find("color", 5);
    for (int i = 0; i < OPTIONS; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static bool read_value(struct rdl__grading *g, const struct option *option, const char *value,
                       struct rdl__error *error)
{
    if (option->read)
        return option->read(g, value, error);
    *(const char **)((char *)g + option->field) = value;
    return true;
}

/* -I DIR or -D NAME, as compilers have it: the value may be an argument of its own. */
static bool read_flag(struct rdl__grading *g, int argc, char **argv, int *at,
                      struct rdl__error *error)
{
    const char *argument = argv[(*at)++], *value = argument + 2;
    struct rdl__text flag = {0};

    if (!*value && *at >= argc)
        return rdl__fail(error, "%s needs a value after it", argument);
    rdl__text_add(&flag, "%.2s%s", argument, *value ? value : argv[(*at)++]);
    g->flags[g->flag_count++] = flag.bytes;
    return true;
}

static bool is_unknown(const char *argument, const char *name, size_t length,
                       struct rdl__error *error)
{
    struct rdl__nearest nearest = {.given = name, .length = length};

    for (int i = 0; i < OPTIONS; i++)
        rdl__nearest_try(&nearest, options[i].name);
    if (nearest.word)
        return rdl__fail(error, "unknown option %s; did you mean --%s?", argument, nearest.word);
    return rdl__fail(error, "unknown option %s; --help shows all", argument);
}

/* One option, and the next argument if it is its value; *at moves on. */
static bool read_option(struct rdl__grading *g, int argc, char **argv, int *at,
                        struct rdl__error *error)
{
    const char *argument = argv[*at], *name = argument + 2;
    size_t length = strcspn(name, "=");
    const struct option *option = argument[1] == '-' ? find(name, length) : NULL;

    if (!option)
        return is_unknown(argument, name, length, error);
    ++*at;
    if (!option->value) {
        *(bool *)((char *)g + option->field) = true;
        if (option->field == offsetof(struct rdl__grading, quiet))
            g->verbose = false; /* of the two, the last one counts */
        if (option->field == offsetof(struct rdl__grading, verbose))
            g->quiet = false;
        return !name[length] || rdl__fail(error, "--%s takes no value", option->name);
    }
    if (name[length])
        return read_value(g, option, name + length + 1, error);
    if (*at >= argc)
        return rdl__fail(error, "--%s needs a value: %s", option->name, option->value);
    return read_value(g, option, argv[(*at)++], error);
}

/* ---- Files -------------------------------------------------------------------------------- */

static bool check_file(const char *file, struct rdl__error *error)
{
    static const char *const endings[] = {".c", ".so", ".o", ".a"};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    struct stat it;

    if (stat(file, &it) != 0)
        return rdl__fail(error, "cannot look at %s: %s", file, strerror(errno));
    if (!S_ISREG(it.st_mode))
        return rdl__fail(error, "%s is a directory or a device: name the files in it", file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (dot && strcmp(dot, endings[i]) == 0)
            return access(file, R_OK) == 0 ||
                   rdl__fail(error, "cannot read %s: %s", file, strerror(errno));
    return rdl__fail(error, "what is %s? An implementation is a .c, .so, .o or .a file", file);
}

static bool ends_in_c(const char *path)
{
    size_t length = strlen(path);

    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

static bool check(struct rdl__grading *g, struct rdl__error *error)
{
    if (!g->spec)
        return rdl__fail(error, "which spec?  It is the folder given by --spec DIRECTORY");
    if (g->file_count == 0)
        return rdl__fail(error, "which implementations?  raddle grade --spec DIRECTORY FILE...");
    for (int i = 0; i < g->file_count; i++)
        if (!check_file(g->files[i], error))
            return false;
    if ((g->step || g->trace) && !g->replay)
        return rdl__fail(error, "--%s goes with --replay", g->step ? "step" : "trace");
    if (g->replay && g->file_count != 1)
        return rdl__fail(
            error,
            "--replay goes with one implementation, not %d: name the one that the token is of",
            g->file_count);
    if (g->export && !g->replay)
        return rdl__fail(error, "--export goes with --replay");
    if (g->gdb && !g->replay)
        return rdl__fail(error, "--gdb goes with --replay");
    if (g->export && !ends_in_c(g->export))
        return rdl__fail(error, "--export %s: the name of a C program ends in .c", g->export);
    return true;
}

/* ---- What is asked for -------------------------------------------------------------------- */

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

bool rdl__grade_options(struct rdl__grading *out, int argc, char **argv, struct rdl__error *error)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool only_files = false;

    *out = (struct rdl__grading){.colour = wants_colour(), .seed = rdl__entropy() >> 32};
    out->files = rdl__allocate((size_t)argc * sizeof *out->files);
    out->flags = rdl__allocate((size_t)argc * sizeof *out->flags);
    for (int at = 1; at < argc;) {
        if (!only_files && strcmp(argv[at], "--") == 0) {
            only_files = true;
            at++;
        } else if (only_files || argv[at][0] != '-') {
            out->files[out->file_count++] = argv[at++];
        } else if (argv[at][1] == 'I' || argv[at][1] == 'D') {
            if (!read_flag(out, argc, argv, &at, error))
                return false;
        } else if (!read_option(out, argc, argv, &at, error)) {
            return false;
        }
    }
    if (out->jobs == 0)
        out->jobs = cores < 1 ? 1 : cores > 4 ? 4 : (int)cores;
    return out->help || check(out, error);
}

void rdl__grade_help(struct rdl__text *out)
{
    rdl__text_add(out,
                  "Usage: raddle grade [OPTION]... --spec DIRECTORY FILE...\n\n"
                  "Tests implementations of an interface (.c, .so, .o or .a) against its spec, in\n"
                  "three rounds, each stricter: what returns must be allowed to; what is allowed\n"
                  "to return must; both, with concurrent calls.  The third is for those that the\n"
                  "others find nothing in.  Without concurrent tests there is but the first.\n\n");
    for (int i = 0; i < OPTIONS; i++) {
        const char *value = options[i].value;
        int width = (int)strlen(options[i].name) + (value ? (int)strlen(value) + 1 : 0);

        rdl__text_add(out, "  --%s%s%s%*s%s\n", options[i].name, value ? " " : "",
                      value ? value : "", 18 - width, "", options[i].help);
    }
    rdl__text_add(out,
                  "  -I DIR, -D NAME     for the compiler, of the spec and of implementations\n");
    rdl__text_add(out, "\nExit status: 0 all passed, 1 one did not, 2 wrong usage or set-up.\n");
}
