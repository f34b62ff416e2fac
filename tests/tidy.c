/* tidy.c -- the house style, as far as a program can judge it.
 *
 * Each rule is a test that looks at every source file (src, include, tests,
 * examples, bench; markdown for the last rule) and names each offending line as
 * `file:line: what`.  tests/expected is left out: it holds what tests printed. */
#include "harness.h"

#include <ctype.h>
#include <ftw.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COLUMNS_MAX = 100, FILE_LINES_MAX = 700, FUNCTION_LINES_MAX = 70 };

/* The folders of src, in the order data flows through them.  A folder may use
 * itself and those before it. */
static const char *const folder_order[] = {
    "base",  "filter",  "port",  "choice", "observe", "case",  "generate", "spec", "events",
    "judge", "control", "drive", "run",    "shrink",  "check", "report",   "cli"};

struct source {
    char *path; /* from the top of the project */
    char *text;
    struct source *next;
};

static struct source *sources;
static int complaints;

__attribute__((format(printf, 3, 4))) static void complain(const char *path, int line,
                                                           const char *format, ...)
{
    va_list args;

    printf("%s:%d: ", path, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    complaints++;
}

/* ---- Reading the sources ---- */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), tail = strlen(with);

    return length >= tail && strcmp(text + length - tail, with) == 0;
}

static bool is_c(const char *path)
{
    return ends(path, ".c") || ends(path, ".h");
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t size;

    if (!file)
        test_fail(path, 0, "cannot be read");
    size = getdelim(&text, &room, '\0', file);
    fclose(file);
    if (size < 0) { /* an empty file */
        free(text);
        return strdup("");
    }
    return text;
}

static void add_source(const char *path)
{
    struct source *source = malloc(sizeof *source);

    EXPECT(source);
    *source = (struct source){.path = strdup(path), .text = text_of(path), .next = sources};
    sources = source;
}

static int visit(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)place;
    if (kind == FTW_D && strcmp(path, "tests/expected") == 0)
        return FTW_SKIP_SUBTREE;
    if (kind == FTW_F && (is_c(path) || ends(path, ".sh") || ends(path, ".md")))
        add_source(path);
    return FTW_CONTINUE;
}

static void read_matching(const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_source(found.gl_pathv[i]);
    globfree(&found);
}

/* Every rule starts here: the sources are read once, and counting starts anew. */
static void begin_rule(void)
{
    const char *folders[] = {"src", "include", "tests", "examples", "bench", "docs"};

    complaints = 0;
    if (sources)
        return;
    EXPECT(chdir(getenv("SOURCE")) == 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        nftw(folders[i], visit, 16, FTW_PHYS | FTW_ACTIONRETVAL);
    read_matching("*.md");
    read_matching("docs/man/*.3");
    EXPECT(sources);
}

/* One line of a source, without its newline. */
typedef void line_rule(const struct source *source, int number, const char *line, size_t length);

static void for_each_line(bool (*applies)(const char *path), line_rule *rule)
{
    for (const struct source *source = sources; source; source = source->next) {
        const char *line = source->text;

        if (!applies(source->path))
            continue;
        for (int number = 1; *line; number++) {
            size_t length = strcspn(line, "\n");

            rule(source, number, line, length);
            line += length + (line[length] == '\n');
        }
    }
}

/* ---- Lines ---- */

static bool is_code(const char *path)
{
    return is_c(path) || ends(path, ".sh");
}

static void no_tab(const struct source *source, int number, const char *line, size_t length)
{
    if (memchr(line, '\t', length))
        complain(source->path, number, "tab");
}

TEST(sources_are_indented_with_spaces)
{
    begin_rule();
    for_each_line(is_code, no_tab);
    EXPECT_EQ(complaints, 0);
}

static void not_wide(const struct source *source, int number, const char *line, size_t length)
{
    int columns = 0;

    for (size_t i = 0; i < length; i++)
        columns += (line[i] & 0xc0) != 0x80; /* UTF-8: later bytes of a character do not count */
    if (columns > COLUMNS_MAX)
        complain(source->path, number, "%d columns, at most %d", columns, COLUMNS_MAX);
}

TEST(lines_fit_the_width)
{
    begin_rule();
    for_each_line(is_code, not_wide);
    EXPECT_EQ(complaints, 0);
}

static void no_white_end(const struct source *source, int number, const char *line, size_t length)
{
    if (length > 0 && isspace((unsigned char)line[length - 1]))
        complain(source->path, number, "white space at the end of the line");
}

TEST(lines_end_without_white_space)
{
    begin_rule();
    for_each_line(is_code, no_white_end);
    EXPECT_EQ(complaints, 0);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void nothing_unfinished(const struct source *source, int number, const char *line,
                               size_t length)
{
    /* The underscore makes them other words here: this file obeys its own rule. */
    const char *marks[] = {"_TODO", "_FIXME", "_XXX"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = marks[i] + 1, *end = line + length;
        size_t size = strlen(mark);

        for (const char *at = line; (at = memmem(at, (size_t)(end - at), mark, size)); at += size)
            if ((at == line || !is_word(at[-1])) && !is_word(at[size]))
                complain(source->path, number, "%s: finish it, or leave it out", mark);
    }
}

TEST(nothing_is_marked_as_unfinished)
{
    begin_rule();
    for_each_line(is_code, nothing_unfinished);
    EXPECT_EQ(complaints, 0);
}

/* ---- Files ---- */

TEST(files_can_be_read_in_one_sitting)
{
    begin_rule();
    for (const struct source *source = sources; source; source = source->next) {
        int lines = 0;

        for (const char *at = source->text; (at = strchr(at, '\n')); at++)
            lines++;
        if (is_code(source->path) && lines > FILE_LINES_MAX)
            complain(source->path, lines, "%d lines, at most %d", lines, FILE_LINES_MAX);
    }
    EXPECT_EQ(complaints, 0);
}

/* A header may call itself "raddle/gen.h", a source file just "gen.c": any tail
 * of the path that starts at a folder will do. */
static bool introduces_itself(const struct source *source)
{
    size_t length;

    if (!begins(source->text, "/* "))
        return false;
    length = strcspn(source->text + 3, " \n");
    if (!begins(source->text + 3 + length, " -- "))
        return false;
    for (const char *tail = source->path; tail; tail = strchr(tail, '/')) {
        tail += *tail == '/';
        if (strlen(tail) == length && strncmp(tail, source->text + 3, length) == 0)
            return true;
    }
    return false;
}

TEST(files_open_by_saying_what_they_are_for)
{
    begin_rule();
    for (const struct source *source = sources; source; source = source->next)
        if (is_c(source->path) &&
            (begins(source->path, "src/") || begins(source->path, "include/")))
            if (!introduces_itself(source))
                complain(source->path, 1, "does not open with /* %s -- what it is for",
                         strrchr(source->path, '/') + 1);
    EXPECT_EQ(complaints, 0);
}

/* ---- Includes ---- */

/* Where the first folder of `path` stands in the order, or -1. */
static int rank_of(const char *path)
{
    size_t length = strcspn(path, "/");

    for (size_t i = 0; i < sizeof folder_order / sizeof *folder_order; i++)
        if (strlen(folder_order[i]) == length && strncmp(path, folder_order[i], length) == 0)
            return (int)i;
    return -1;
}

static bool is_library(const char *path)
{
    return is_c(path) && (begins(path, "src/") || begins(path, "include/"));
}

static void include_goes_up(const struct source *source, int number, const char *line,
                            size_t length)
{
    char name[256];
    int from, to;

    (void)length;
    if (sscanf(line, " # include \"%255[^\"\n]\"", name) != 1 || begins(name, "raddle/") ||
        strcmp(name, "raddle.h") == 0)
        return;
    if (begins(source->path, "include/")) {
        complain(source->path, number, "a public header includes \"%s\", which is not one", name);
        return;
    }
    if (!strchr(name, '/')) /* a neighbour in the same folder */
        return;
    from = rank_of(source->path + strlen("src/"));
    to = rank_of(name);
    if (to < 0)
        complain(source->path, number, "\"%s\" is in no folder that tests/tidy.c knows", name);
    else if (from >= 0 && to > from)
        complain(source->path, number, "%s/ must not use %s/, which comes after it",
                 folder_order[from], folder_order[to]);
}

TEST(includes_point_upwards_only)
{
    begin_rule();
    for (const struct source *source = sources; source; source = source->next)
        if (is_c(source->path) && begins(source->path, "src/") && rank_of(source->path + 4) < 0)
            complain(source->path, 1, "is in no folder that tests/tidy.c knows");
    for_each_line(is_library, include_goes_up);
    EXPECT_EQ(complaints, 0);
}

/* ---- Functions ---- */

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

/* Where the comment, literal or directive that starts at `at` ends; `at` itself
 * when none does. */
static char *end_of_noise(char *at, bool line_start)
{
    if (begins(at, "/*")) {
        char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (begins(at, "//"))
        return at + strcspn(at, "\n");
    if (*at == '"' || *at == '\'') {
        char *end = at + 1;
        while (*end && *end != *at)
            end += *end == '\\' && end[1] ? 2 : 1;
        return *end ? end + 1 : end;
    }
    if (line_start && *at == '#') {
        char *end = at + strcspn(at, "\n");
        while (*end && end[-1] == '\\')
            end += 1 + strcspn(end + 1, "\n");
        return end;
    }
    return at;
}

/* The text with nothing left but code, at the same places.  A string keeps its
 * quotes: extern "C" { has to be told from a function. */
static char *bare_code(const char *text)
{
    char *code = strdup(text);
    bool line_start = true;

    EXPECT(code);
    for (char *at = code; *at;) {
        char *end = end_of_noise(at, line_start);

        if (end > at) {
            bool literal = *at == '"';

            blank(at + literal, end - literal);
            at = end;
            continue;
        }
        line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
        at++;
    }
    return code;
}

/* A brace opened at the outermost level after a `)` begins a function; after
 * anything else a type or a table.  What extern "C" opens is no level at all. */
static void functions_are_short(const struct source *source, const char *code)
{
    int line = 1, depth = 0, opened = 0;
    char last = ' ';

    for (const char *at = code; *at; at++) {
        if (*at == '\n')
            line++;
        else if (*at == '{' && !(depth == 0 && last == '"')) {
            if (depth++ == 0)
                opened = last == ')' ? line : 0;
        } else if (*at == '}' && depth > 0) {
            if (--depth == 0 && opened && line - opened > FUNCTION_LINES_MAX)
                complain(source->path, opened, "a function of %d lines, at most %d", line - opened,
                         FUNCTION_LINES_MAX);
        }
        if (!isspace((unsigned char)*at))
            last = *at;
    }
}

TEST(functions_are_short)
{
    begin_rule();
    for (const struct source *source = sources; source; source = source->next) {
        char *code;

        if (!is_c(source->path))
            continue;
        code = bare_code(source->text);
        functions_are_short(source, code);
        free(code);
    }
    EXPECT_EQ(complaints, 0);
}

/* ---- Documentation ---- */

static bool has_man_page(const char *header)
{
    for (const struct source *source = sources; source; source = source->next)
        if (ends(source->path, ".3") && strstr(source->text, header))
            return true;
    return false;
}

/* A page belongs to the headers it tells the reader to include. */
TEST(every_public_header_has_a_man_page)
{
    begin_rule();
    if (access("docs/man", F_OK) != 0)
        return;
    for (const struct source *source = sources; source; source = source->next)
        if (begins(source->path, "include/raddle/"))
            if (!has_man_page(source->path + strlen("include/")))
                complain(source->path, 1, "no page docs/man/*.3 mentions %s",
                         source->path + strlen("include/"));
    EXPECT_EQ(complaints, 0);
}

static bool is_markdown(const char *path)
{
    return ends(path, ".md");
}

/* Paths that are the same on every machine; any other is somebody's own. */
static bool is_system_path(const char *path)
{
    const char *folders[] = {"/bin/",  "/dev/", "/etc/", "/lib/", "/opt/",
                             "/proc/", "/sys/", "/tmp/", "/usr/", "/var/"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (begins(path, folders[i]))
            return true;
    return false;
}

static void no_machine_path(const struct source *source, int number, const char *line,
                            size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t name = strcspn(line + i + 1, "/ \n");

        if (line[i] != '/' || (i > 0 && !strchr(" \t`'\"(=<>", line[i - 1])))
            continue;
        if (is_word(line[i + 1]) && line[i + 1 + name] == '/' && !is_system_path(line + i))
            complain(source->path, number, "%.*s: a path of one machine",
                     (int)strcspn(line + i, " `'\")>\n"), line + i);
    }
}

TEST(documents_name_no_path_of_one_machine)
{
    begin_rule();
    for_each_line(is_markdown, no_machine_path);
    EXPECT_EQ(complaints, 0);
}
