/* report.c -- raddle report: a page for browsers of reports that were stored as JSON.
 *
 * A file has a line of JSON a test, as test programs write them, or is a list of grades, as
 * `raddle grade` writes it.  Whoever wrote it is not trusted: what is not JSON to the letter
 * does not come into the page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "report/page.h"
#include "report/report.h"

static const char usage[] =
    "Usage: raddle report [--html FILE] REPORT...\n\n"
    "Makes one page for browsers of reports in JSON: of test programs, explore and replay\n"
    "(--format json --output REPORT), and of raddle grade (--format json).  A REPORT is a\n"
    "file, or - for standard input.\n\n"
    "  --html FILE   where the page goes; without it, to standard output\n"
    "  --help        show this\n\n"
    "Exit status 0 if the page was written, 2 if not.\n";

struct request {
    const char *html;
    const char **reports;
    size_t count;
    bool help;
};

/* ---- The command line --------------------------------------------------------------------- */

static bool read_request(struct request *r, int argc, char **argv, struct rdl__error *error)
{
    const char *value;

    r->reports = rdl__allocate((size_t)argc * sizeof *r->reports);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0)
            r->help = true;
        else if ((value = rdl__option_value("--html", argc, argv, &i, error)))
            r->html = value;
        else if (argv[i][0] == '-' && argv[i][1])
            return rdl__option_unknown(argv[i], usage, error);
        else
            r->reports[r->count++] = argv[i];
        if (r->html && !*r->html)
            return false;
    }
    return r->help || r->count > 0 ||
           rdl__fail(error, "of which reports?  raddle report REPORT...");
}

/* ---- What is in a report ------------------------------------------------------------------ */

/* In a line or two: for where there are no scripts. */
static void add_words(struct rdl__text *words, const struct rdl__json *of, const char *name)
{
    const char *verdict = rdl__json_string(of, "verdict");
    const char *message = rdl__json_string(of, "message");
    const char *replay = rdl__json_string(of, "replay");

    rdl__text_add(words, "%-5s  %s\n", verdict, name);
    if (message)
        rdl__text_add(words, "       %s\n", message);
    if (replay)
        rdl__text_add(words, "       %s\n", replay);
}

static bool has_array(const struct rdl__json *of, const char *key)
{
    const struct rdl__json *array = rdl__json_get(of, key);

    return array && array->kind == RDL__JSON_ARRAY;
}

/* A test, or the requirements of a program. */
static bool take_line(struct rdl__text *words, const struct rdl__json *line)
{
    const char *test = rdl__json_string(line, "test");

    if (!test)
        return has_array(line, "requirements");
    if (!rdl__json_string(line, "verdict") || !has_array(line, "failures"))
        return false;
    add_words(words, line, test);
    return true;
}

static bool take_grade(struct rdl__text *words, const struct rdl__json *grade)
{
    const char *file = rdl__json_string(grade, "file");
    const struct rdl__json *rounds = rdl__json_get(grade, "rounds");

    if (!file || !rdl__json_string(grade, "verdict") || !rounds ||
        rounds->kind != RDL__JSON_OBJECT || !has_array(grade, "tests"))
        return false;
    add_words(words, grade, file);
    return true;
}

static bool take_grades(struct rdl__page *page, const char *name, const struct rdl__text *text,
                        struct rdl__error *error)
{
    struct rdl__arena arena = {0};
    const struct rdl__json *list = rdl__json_read(&arena, text->bytes, text->count, error);
    bool ok = list && list->kind == RDL__JSON_ARRAY;

    if (list && !ok)
        rdl__fail(error, "there is no list of grades in it");
    for (const struct rdl__json *grade = ok ? list->first : NULL; ok && grade; grade = grade->next)
        ok = take_grade(&page->words, grade) ||
             rdl__fail(error, "something in its list is no grade");
    rdl__arena_release(&arena);
    if (ok)
        rdl__page_add_value(page, name, text);
    return ok;
}

static bool take_lines(struct rdl__page *page, const char *name, const struct rdl__text *text,
                       struct rdl__error *error)
{
    struct rdl__arena arena = {0};
    size_t length, number = 1;
    bool ok = true;

    for (size_t at = 0; ok && at < text->count; at += length + 1, number++) {
        struct rdl__error why;
        const struct rdl__json *line;

        length = strcspn(text->bytes + at, "\n");
        if (length == 0)
            continue;
        line = rdl__json_read(&arena, text->bytes + at, length, &why);
        if (!line)
            ok = rdl__fail(error, "line %zu is no JSON, as --format json writes it%s", number,
                           strchr(why.text, ':')); /* of a line, which is all that it was given */
        else
            ok = take_line(&page->words, line) ||
                 rdl__fail(error, "line %zu tells of no test", number);
        rdl__arena_reset(&arena);
    }
    rdl__arena_release(&arena);
    if (ok)
        rdl__page_add_lines(page, name, text);
    return ok;
}

static const char *name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static bool take_report(struct rdl__page *page, const char *path, struct rdl__error *error)
{
    const char *name = name_of(path);
    struct rdl__text text = {0};
    struct rdl__error why;
    bool ok = rdl__read_file(&text, strcmp(path, "-") == 0 ? "/dev/stdin" : path, error);

    if (ok && memchr(text.bytes ? text.bytes : "", '\0', text.count))
        ok = rdl__fail(error, "%s: this is no JSON", name);
    else if (ok && strspn(rdl__text_string(&text), " \t\r\n") == text.count)
        ok = rdl__fail(error, "%s: there is nothing in it", name);
    else if (ok && text.bytes[strspn(text.bytes, " \t\r\n")] == '[')
        ok = take_grades(page, name, &text, &why) || rdl__fail(error, "%s: %s", name, why.text);
    else if (ok)
        ok = take_lines(page, name, &text, &why) || rdl__fail(error, "%s: %s", name, why.text);
    rdl__text_release(&text);
    return ok;
}

/* ---- The page ----------------------------------------------------------------------------- */

static bool write_page(const struct rdl__page *page, const char *path, struct rdl__error *error)
{
    struct rdl__text out = {0};
    bool ok = true;

    rdl__add_page(&out, page);
    if (path)
        ok = rdl__write_file(path, out.bytes, out.count, error);
    else
        fwrite(out.bytes, 1, out.count, stdout); /* raddle.c says if it cannot be written */
    rdl__text_release(&out);
    return ok;
}

static bool make_page(const struct request *r, struct rdl__error *error)
{
    struct rdl__text title = {0};
    struct rdl__page page = {.seconds = -1};
    bool ok = true;

    if (r->count == 1)
        rdl__text_add(&title, "%s", name_of(r->reports[0]));
    else
        rdl__text_add_many(&title, r->count, "report");
    page.title = title.bytes;
    for (size_t i = 0; ok && i < r->count; i++)
        ok = take_report(&page, r->reports[i], error);
    ok = ok && write_page(&page, r->html, error);
    rdl__page_release(&page);
    rdl__text_release(&title);
    return ok;
}

int rdl__command_report(int argc, char **argv)
{
    struct request r = {0};
    struct rdl__error error;
    int status = RDL__EXIT_PASS;

    if (!read_request(&r, argc, argv, &error) || (!r.help && !make_page(&r, &error))) {
        fprintf(stderr, "raddle report: %s\n", error.text);
        status = RDL__EXIT_SETUP;
    } else if (r.help) {
        status =
            fputs(usage, stdout) >= 0 && fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
    }
    free(r.reports);
    return status;
}
