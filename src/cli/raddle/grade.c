/* grade.c -- raddle grade: many implementations, one spec.  Who is graded when, and where
 * the grades go. */
#include "cli/raddle/grade.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "port/clock.h"
#include "report/progress.h"

/* ---- The folder where all is built --------------------------------------------------------- */

static bool make_folder(struct rdl__grading *grading, struct rdl__error *error)
{
    const char *temporary = getenv("TMPDIR");

    if (grading->keep) {
        rdl__text_add(&grading->folder, "%s", grading->keep);
        if (mkdir(grading->keep, 0777) != 0 && errno != EEXIST)
            return rdl__fail(error, "--keep: cannot make the folder %s: %s", grading->keep,
                             strerror(errno));
    } else {
        rdl__text_add(&grading->folder, "%s/raddle-grade-XXXXXX",
                      temporary && *temporary ? temporary : "/tmp");
        if (!mkdtemp(grading->folder.bytes))
            return rdl__fail(error, "cannot make a folder like %s: %s (TMPDIR names another place)",
                             grading->folder.bytes, strerror(errno));
    }
    setenv("TMPDIR", grading->folder.bytes, 1); /* what compilers leave goes with it */
    return true;
}

static int remove_entry(const char *path, const struct stat *it, int kind, struct FTW *at)
{
    (void)it, (void)kind, (void)at;
    remove(path);
    return 0;
}

static void remove_folder(const struct rdl__grading *grading)
{
    if (!grading->keep)
        nftw(grading->folder.bytes, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- Where the grades go ------------------------------------------------------------------ */

/* Standard output, and a file. */
struct outputs {
    struct {
        FILE *file;
        bool json, colour;
    } items[2];
    int count;
    struct rdl__progress_line line;
    uint64_t started_ns;
};

static bool open_outputs(struct outputs *out, const struct rdl__grading *grading,
                         struct rdl__error *error)
{
    FILE *file;

    *out = (struct outputs){.line.on = rdl__progress_wanted(grading->quiet),
                            .started_ns = rdl__now_ns()};
    out->items[out->count].file = stdout;
    out->items[out->count].json = grading->json && !grading->output;
    out->items[out->count++].colour = grading->colour;
    if (grading->html && !rdl__can_write_file(grading->html, error))
        return false;
    if (!grading->output)
        return true;
    file = fopen(grading->output, "we");
    if (!file)
        return rdl__fail(error, "--output: cannot write %s: %s", grading->output, strerror(errno));
    out->items[out->count].file = file;
    out->items[out->count++].json = grading->json;
    return true;
}

static bool close_outputs(struct outputs *outputs, struct rdl__error *error)
{
    bool ok = true;

    for (int i = 0; i < outputs->count; i++) {
        FILE *file = outputs->items[i].file;

        if (file != stdout && (fflush(file) != 0 || ferror(file))) /* of stdout raddle.c tells */
            ok = rdl__fail(error, "cannot write the report: %s", strerror(errno));
        if (file != stdout)
            fclose(file);
    }
    return ok;
}

/* "pool.c builds, ring.c in round 2" */
static void add_at_work(struct rdl__text *out, const struct rdl__grade *grades, int started)
{
    for (int i = 0; i < started; i++) {
        const char *slash = strrchr(grades[i].file, '/');

        if (grades[i].step == RDL__GRADE_IS_DONE)
            continue;
        rdl__text_add(out, "%s%s", out->count ? ", " : "", slash ? slash + 1 : grades[i].file);
        if (grades[i].step == RDL__GRADE_RUNS)
            rdl__text_add(out, " in round %d", grades[i].round);
        else
            rdl__text_add(out, " is built");
    }
}

static void show_progress(struct outputs *outputs, const struct rdl__grading *grading,
                          const struct rdl__grade *grades, int started, int running)
{
    double seconds = (double)(rdl__now_ns() - outputs->started_ns) * 1e-9;
    int ended = started - running;
    struct rdl__text more = {0};
    struct rdl__work work = {.doing = "grading",
                             .noun = "file",
                             .count = (uint64_t)ended,
                             .goal = (uint64_t)grading->file_count,
                             .seconds = seconds};

    add_at_work(&more, grades, started);
    work.more = rdl__text_string(&more);
    rdl__progress_show(&outputs->line, &work);
    rdl__text_release(&more);
}

static void write_head(const struct outputs *outputs, const struct rdl__grading *grading)
{
    struct rdl__text text = {0};

    for (int i = 0; i < outputs->count; i++) {
        rdl__text_clear(&text);
        if (outputs->items[i].json)
            rdl__text_add(&text, "[");
        else if (!grading->quiet)
            rdl__grade_table_head(&text, grading, outputs->items[i].colour);
        fputs(rdl__text_string(&text), outputs->items[i].file);
    }
    rdl__text_release(&text);
}

static void write_row(struct outputs *outputs, const struct rdl__grading *grading,
                      const struct rdl__grade *grade, bool first)
{
    struct rdl__text text = {0};

    rdl__progress_wipe(&outputs->line);
    for (int i = 0; i < outputs->count; i++) {
        rdl__text_clear(&text);
        if (outputs->items[i].json) {
            rdl__text_add(&text, first ? "\n" : ",\n");
            rdl__grade_json(&text, grading, grade);
        } else if (grade->grade.verdict != RDL__GRADE_PASS || !grading->quiet) {
            rdl__grade_table_row(&text, grading, grade, outputs->items[i].colour);
        }
        fputs(rdl__text_string(&text), outputs->items[i].file);
        fflush(outputs->items[i].file);
    }
    rdl__text_release(&text);
}

/* Interrupted or not, what is JSON comes to its end. */
static void write_foot(const struct outputs *outputs, const struct rdl__grading *grading,
                       const struct rdl__grade *grades, bool whole)
{
    struct rdl__text text = {0};

    for (int i = 0; i < outputs->count; i++) {
        rdl__text_clear(&text);
        if (outputs->items[i].json)
            rdl__text_add(&text, "\n]\n");
        else if (whole && !grading->quiet)
            rdl__grade_table_foot(&text, grading, grades, outputs->items[i].colour);
        fputs(rdl__text_string(&text), outputs->items[i].file);
    }
    rdl__text_release(&text);
}

static bool write_page(const struct rdl__grading *grading, const struct rdl__grade *grades,
                       struct rdl__error *error)
{
    struct rdl__text page = {0};
    bool ok = true;

    if (grading->html) {
        rdl__grade_page(&page, grading, grades);
        ok = rdl__write_file(grading->html, page.bytes, page.count, error);
        rdl__text_release(&page);
    }
    return ok;
}

/* ---- All of them -------------------------------------------------------------------------- */

static struct rdl__grade *whose(struct rdl__grade *grades, int count, pid_t pid)
{
    for (int i = 0; i < count; i++)
        if (grades[i].pid == pid)
            return &grades[i];
    return NULL;
}

/* So many at a time; rows in the order of the command line.  False: interrupted. */
static bool grade_all(const struct rdl__grading *grading, struct rdl__grade *grades,
                      struct outputs *outputs)
{
    int started = 0, running = 0, written = 0, status;
    pid_t pid;

    while (written < grading->file_count) {
        struct rdl__grade *grade;

        for (; started < grading->file_count && running < grading->jobs; started++, running++)
            rdl__grade_start(grading, &grades[started], started);
        show_progress(outputs, grading, grades, started, running);
        if (!rdl__grade_await(&pid, &status, outputs->line.on))
            return false;
        grade = pid ? whose(grades, started, pid) : NULL;
        if (!grade)
            continue;
        rdl__grade_go_on(grading, grade, status);
        running -= grade->step == RDL__GRADE_IS_DONE;
        while (written < started && grades[written].step == RDL__GRADE_IS_DONE) {
            write_row(outputs, grading, &grades[written], written == 0);
            written++;
        }
    }
    return true;
}

static int status_of(const struct rdl__grading *grading, const struct rdl__grade *grades)
{
    struct rdl__grade_totals totals = rdl__grade_count(grades, grading->file_count);

    return totals.passed == grading->file_count ? RDL__EXIT_PASS : RDL__EXIT_FAIL;
}

static int complain(const struct rdl__error *error)
{
    fflush(stdout);
    fprintf(stderr, "raddle grade: %s\n", error->text);
    return RDL__EXIT_SETUP;
}

static int grade_files(const struct rdl__grading *grading)
{
    struct rdl__grade *grades = rdl__allocate((size_t)grading->file_count * sizeof *grades);
    struct outputs outputs;
    struct rdl__error error;
    int status = RDL__EXIT_SETUP;
    bool whole;

    if (!open_outputs(&outputs, grading, &error)) {
        free(grades);
        return complain(&error);
    }
    write_head(&outputs, grading);
    whole = grade_all(grading, grades, &outputs);
    rdl__progress_wipe(&outputs.line);
    write_foot(&outputs, grading, grades, whole);
    if (whole) {
        status = status_of(grading, grades);
        if (!write_page(grading, grades, &error))
            status = complain(&error);
    }
    if (!close_outputs(&outputs, &error))
        status = complain(&error);
    for (int i = 0; i < grading->file_count; i++)
        rdl__grade_release(&grades[i]);
    free(grades);
    return status;
}

static int build_and_grade(struct rdl__grading *grading)
{
    struct rdl__error error;
    int status;

    rdl__grade_watch();
    if (!make_folder(grading, &error))
        return complain(&error);
    if (!rdl__grade_build_spec(grading, &error))
        status = complain(&error);
    else
        status = grading->replay ? rdl__grade_replay(grading) : grade_files(grading);
    remove_folder(grading);
    return rdl__grade_interrupted ? 128 + rdl__grade_interrupted : status;
}

static void release(struct rdl__grading *grading)
{
    for (int i = 0; i < grading->object_count; i++)
        free(grading->objects[i]);
    free(grading->objects);
    for (int i = 0; i < grading->flag_count; i++)
        free(grading->flags[i]);
    free(grading->flags);
    free(grading->files);
    rdl__text_release(&grading->folder);
    rdl__text_release(&grading->headers);
}

int rdl__command_grade(int argc, char **argv)
{
    struct rdl__grading grading;
    struct rdl__text help = {0};
    struct rdl__error error;
    int status;

    if (!rdl__grade_options(&grading, argc, argv, &error)) {
        status = complain(&error);
    } else if (grading.help) {
        rdl__grade_help(&help);
        fputs(help.bytes, stdout);
        status = fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
        rdl__text_release(&help);
    } else {
        status = build_and_grade(&grading);
    }
    release(&grading);
    return status;
}

/* For what is called of the interface, in the place of an implementation. */
static bool write_stubs(const struct rdl__grading *grading, struct rdl__error *error)
{
    struct rdl__text stubs = {0};
    bool ok = true;

    for (int i = 0; i < grading->object_count && ok; i++)
        ok = rdl__add_stubs(&stubs, grading->objects[i], error);
    ok = ok && rdl__write_file(grading->files[0], rdl__text_string(&stubs), stubs.count, error);
    rdl__text_release(&stubs);
    return ok;
}

int rdl__grade_shell(int argc, char **argv, const char *test, bool is_spec)
{
    struct rdl__grading grading;
    struct rdl__error error;
    int status = RDL__EXIT_SETUP;

    rdl__grade_watch();
    if (!rdl__grade_options(&grading, argc, argv, &error) || !make_folder(&grading, &error)) {
        fprintf(stderr, "raddle shell: %s\n", error.text);
        release(&grading);
        return status;
    }
    if (rdl__grade_build_spec(&grading, &error) && (!is_spec || write_stubs(&grading, &error)))
        status = rdl__grade_converse(&grading, test, is_spec);
    else
        fprintf(stderr, "raddle shell: %s\n", error.text);
    remove_folder(&grading);
    release(&grading);
    return status;
}
