/* grade_read.c -- what a test program has reported, as a grade.
 *
 * Nothing is believed that an implementation could have spoilt: a report that is not JSON, or
 * lacks what it should have, makes a row that says so. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/grade.h"
#include "report/report.h"

enum { LINES_SHOWN = 8, EXCERPT = 2000 };

void rdl__grade_read(struct rdl__text *out, const struct rdl__grade *grade, const char *name)
{
    struct rdl__text path = {0};
    struct rdl__error error;

    rdl__text_add(&path, "%s/%s", grade->folder.bytes, name);
    if (!rdl__read_file(out, path.bytes, &error))
        rdl__text_clear(out);
    rdl__text_release(&path);
}

char *rdl__grade_excerpt(const struct rdl__grade *grade, const char *name, const char *otherwise)
{
    struct rdl__text text = {0};
    size_t length = 0;

    rdl__grade_read(&text, grade, name);
    for (int line = 0; line < LINES_SHOWN && length < text.count; line++)
        length += strcspn(text.bytes + length, "\n") + 1;
    length = length > text.count ? text.count : length;
    length = length > EXCERPT ? EXCERPT : length;
    while (length > 0 && text.bytes[length - 1] == '\n')
        length--;
    if (length < text.count)
        text.bytes[length] = '\0';
    if (length == 0) {
        rdl__text_clear(&text);
        rdl__text_add(&text, "%s", otherwise);
    }
    return text.bytes;
}

void rdl__grade_command(struct rdl__text *out, const struct rdl__grading *grading,
                        const struct rdl__grade *grade)
{
    rdl__text_add(out, "raddle grade --spec ");
    rdl__add_shell_word(out, grading->spec);
    for (int i = 0; i < grading->flag_count; i++) {
        rdl__text_add(out, " ");
        rdl__add_shell_word(out, grading->flags[i]);
    }
    rdl__text_add(out, " ");
    rdl__add_shell_word(out, grade->file);
}

static char *replaced(const char *text, const char *old, const char *new)
{
    struct rdl__text out = {0};
    const char *found;

    rdl__text_add(&out, "%s", "");
    while ((found = strstr(text, old))) {
        rdl__text_add_bytes(&out, text, (size_t)(found - text));
        rdl__text_add(&out, "%s", new);
        text = found + strlen(old);
    }
    rdl__text_add(&out, "%s", text);
    return out.bytes;
}

char *rdl__grade_for_users(const struct rdl__grading *grading, const struct rdl__grade *grade,
                           const char *text)
{
    struct rdl__text command = {0};
    char *out;

    rdl__grade_command(&command, grading, grade);
    out = replaced(text, grade->program.bytes, command.bytes);
    rdl__text_release(&command);
    return out;
}

/* What is in a string of JSON, without its quotes. */
static char *as_json(const char *text)
{
    struct rdl__text out = {0};

    rdl__add_json_string(&out, text);
    out.bytes[out.count - 1] = '\0';
    return memmove(out.bytes, out.bytes + 1, out.count - 1);
}

/* The lines of a report that are about tests, and in them the command, as it is in a string. */
static char *tests_for_users(const struct rdl__grading *grading, const struct rdl__grade *grade,
                             const struct rdl__text *report)
{
    struct rdl__text command = {0}, lines = {0};
    size_t length;
    char *old, *new, *out;

    for (size_t at = 0; at < report->count; at += length + 1) {
        length = strcspn(report->bytes + at, "\n");
        if (strncmp(report->bytes + at, "{\"test\":", 8) == 0)
            rdl__text_add(&lines, "%s%.*s", lines.count ? "\n" : "", (int)length,
                          report->bytes + at);
    }
    rdl__grade_command(&command, grading, grade);
    old = as_json(grade->program.bytes);
    new = as_json(command.bytes);
    out = replaced(rdl__text_string(&lines), old, new);
    free(old);
    free(new);
    rdl__text_release(&command);
    rdl__text_release(&lines);
    return out;
}

/* ---- The report of a round ---------------------------------------------------------------- */

/* Failures of tests of a spec have one of the first.  Others have kinds that say what has
 * happened, and not what that means for a spec. */
static const char *class_of(const char *word)
{
    static const char *const classes[][2] = {
        {"bad-spec-impl", "bad-spec-impl"},
        {"bad-call", "bad-call"},
        {"bad-sched", "bad-sched"},
        {"non-atomic", "non-atomic"},
        {"deadlock", "deadlock"},
        {"crash", "crash"},
        {"race", "race"},
        {"livelock", "livelock"},
        {"check", "bad-spec-impl"}, /* a property of the user's does not hold */
        {"leak", "bad-spec-impl"},
        {"output", "bad-spec-impl"},
        {"hang", "livelock"},
        {"assertion", "crash"}, /* the implementation gives up */
        {"exit", "crash"},
        {"misuse", "crash"},
        {"memory", "crash"},
        {"nondeterministic", "crash"}, /* it uses what it should not: memory, time, chance */
    };

    for (size_t i = 0; word && i < sizeof classes / sizeof *classes; i++)
        if (strcmp(word, classes[i][0]) == 0)
            return classes[i][1];
    return NULL;
}

/* What it says of itself, or if it is the first, what the test says of it. */
static const struct rdl__json *of_failure(const struct rdl__json *test,
                                          const struct rdl__json *failure, const char *key)
{
    const struct rdl__json *own = rdl__json_get(failure, key);

    if (own || rdl__json_get(test, "failures")->first != failure)
        return own;
    return rdl__json_get(test, key);
}

/* A failed check is called an assertion, as is assert; its kind tells which. */
static const char *class_of_failure(const struct rdl__json *test, const struct rdl__json *failure)
{
    const struct rdl__json *said = of_failure(test, failure, "class");
    const char *class = NULL;

    if (said && said->kind == RDL__JSON_STRING && strcmp(said->string, "assertion") != 0)
        class = class_of(said->string);
    if (!class)
        class = class_of(rdl__json_string(failure, "kind"));
    return class ? class : "crash";
}

static void set_text(char **text, const char *to)
{
    free(*text);
    *text = to ? rdl__duplicate(to) : NULL;
}

/* 0: it does not say. */
static int phases_of(const struct rdl__json *test, const struct rdl__json *failure)
{
    const struct rdl__json *said = of_failure(test, failure, "phases");
    double phases = said && said->kind == RDL__JSON_NUMBER ? said->number : 0;

    return phases >= 1 && phases <= 1e6 ? (int)phases : 0;
}

static void add_failures(struct rdl__found *out, const struct rdl__json *test)
{
    const struct rdl__json *failures = rdl__json_get(test, "failures");
    const struct rdl__json *failure = failures ? failures->first : NULL;

    for (; failure; failure = failure->next) {
        int phases = phases_of(test, failure);

        if (out->verdict == RDL__GRADE_FAIL && (phases == 0 || phases >= out->phases))
            continue; /* there is a smaller one */
        out->verdict = RDL__GRADE_FAIL;
        out->class = class_of_failure(test, failure);
        out->phases = phases;
        set_text(&out->token, rdl__json_string(failure, "token"));
        set_text(&out->message, rdl__json_string(failure, "message"));
    }
}

static bool has_schedules(const struct rdl__json *test)
{
    const struct rdl__json *schedules = rdl__json_get(test, "schedules");

    return schedules && schedules->kind == RDL__JSON_NUMBER;
}

/* A test that fails without a failing case lacks something in its cases, which is no fault of
 * the implementation: it could not be judged. */
static void add_test(struct rdl__found *out, const struct rdl__json *test)
{
    const char *verdict = rdl__json_string(test, "verdict");
    const char *message = rdl__json_string(test, "message");

    if (!verdict || strcmp(verdict, "skip") == 0)
        return;
    out->has_threads |= has_schedules(test);
    if (strcmp(verdict, "fail") == 0)
        add_failures(out, test);
    if (out->verdict == RDL__GRADE_FAIL)
        return;
    if (strcmp(verdict, "pass") != 0) {
        out->verdict = RDL__GRADE_ERROR;
        set_text(&out->message, message ? message : "it could not be judged");
    } else if (out->verdict == RDL__GRADE_NONE) {
        out->verdict = RDL__GRADE_PASS;
    }
}

static void make_error(struct rdl__found *out, char *message)
{
    free(out->message);
    out->message = message;
    out->verdict = RDL__GRADE_ERROR;
}

/* A line a test. */
static bool read_report(struct rdl__found *out, const struct rdl__text *report,
                        struct rdl__error *error)
{
    struct rdl__arena arena = {0};
    const struct rdl__json *test = NULL;
    size_t length;

    for (size_t at = 0; at < report->count; at += length + 1) {
        length = strcspn(report->bytes + at, "\n");
        if (length == 0)
            continue;
        test = rdl__json_read(&arena, report->bytes + at, length, error);
        if (!test)
            break;
        add_test(out, test);
        rdl__arena_reset(&arena);
    }
    rdl__arena_release(&arena);
    if (report->count && !test)
        return false;
    out->is_sequential = out->verdict && !out->has_threads;
    return out->verdict || rdl__fail(error, "its tests ended without a report");
}

/* It was ended, before it could report a failure. */
static void read_signal(struct rdl__found *out, int signal)
{
    struct rdl__text message = {0};

    rdl__text_add(&message, "the test program was ended by SIG%s", sigabbrev_np(signal));
    out->verdict = RDL__GRADE_FAIL;
    out->class = "crash";
    free(out->message);
    out->message = message.bytes;
}

/* What it says about the run as a whole, and how to replay the case, we say ourselves. */
static bool is_said_by_us(const char *line, size_t length)
{
    return strncmp(line, "found  ", 7) == 0 || strncmp(line, "  Replay: ", 10) == 0 ||
           memmem(line, length, " passed, ", 9);
}

static char *human_report(const struct rdl__grading *grading, const struct rdl__grade *grade)
{
    struct rdl__text text = {0}, kept = {0};
    size_t length;
    char *report;

    rdl__grade_read(&text, grade, "report.txt");
    for (size_t at = 0; at < text.count; at += length) {
        length = strcspn(text.bytes + at, "\n") + 1;
        length = length > text.count - at ? text.count - at : length;
        if (!is_said_by_us(text.bytes + at, length))
            rdl__text_add_bytes(&kept, text.bytes + at, length);
    }
    while (kept.count && kept.bytes[kept.count - 1] == '\n')
        kept.bytes[--kept.count] = '\0';
    report = rdl__grade_for_users(grading, grade, rdl__text_string(&kept));
    rdl__text_release(&text);
    rdl__text_release(&kept);
    return report;
}

void rdl__grade_read_round(const struct rdl__grading *grading, struct rdl__grade *grade, int status)
{
    struct rdl__found *found = &grade->rounds[grade->round];
    struct rdl__text report = {0}, why = {0};
    struct rdl__error error = {{0}};
    bool readable;

    rdl__grade_read(&report, grade, "report.json");
    readable = read_report(found, &report, &error);
    if (found->verdict != RDL__GRADE_FAIL && WIFSIGNALED(status)) {
        read_signal(found, WTERMSIG(status));
    } else if (found->verdict != RDL__GRADE_FAIL && found->verdict != RDL__GRADE_ERROR &&
               (!readable || WEXITSTATUS(status) != RDL__EXIT_PASS)) {
        rdl__text_add(&why, "the test program has no proper report (exit status %d): %s",
                      WEXITSTATUS(status), error.text);
        make_error(found, rdl__grade_excerpt(grade, "errors.txt", why.bytes));
    }
    if (found->verdict == RDL__GRADE_FAIL)
        found->report = human_report(grading, grade);
    if (readable)
        found->tests = tests_for_users(grading, grade, &report);
    rdl__text_release(&report);
    rdl__text_release(&why);
}
