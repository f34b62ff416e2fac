/* grade_run.c -- one implementation, from its source to its grade. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/grade.h"
#include "port/clock.h"

/* A failure need not be of the smallest kind there is if it takes minutes to get there: of
 * calls that never return, say. */
enum { SHRINK_SECONDS = 10 };

/* To list tests takes no time, unless something does not even let main begin. */
enum { LIST_SECONDS = 60 };

/* "12-stem": files may have the same name. */
static void make_folder(const struct rdl__grading *grading, struct rdl__grade *grade, int number)
{
    const char *slash = strrchr(grade->file, '/'), *name = slash ? slash + 1 : grade->file;
    int stem = (int)(strrchr(name, '.') - name);

    rdl__text_add(&grade->folder, "%s/%d-%.*s", grading->folder.bytes, number, stem, name);
    rdl__text_add(&grade->program, "%s/%.*s", grade->folder.bytes, stem, name);
    if (mkdir(grade->folder.bytes, 0777) != 0 && errno != EEXIST)
        rdl__stop("raddle grade: cannot make %s: %s", grade->folder.bytes, strerror(errno));
}

/* ---- The steps ---------------------------------------------------------------------------- */

static void start_listing(struct rdl__grade *grade)
{
    char *argv[] = {grade->program.bytes, (char *)"--list", NULL};

    grade->step = RDL__GRADE_LISTS;
    grade->pid =
        rdl__grade_spawn(argv, grade->folder.bytes, "tests.txt", "errors.txt", LIST_SECONDS);
}

/* The share of a round in the time that there is: most is for the third, which has most to
 * try; or for the first, where there are no others. */
static double seconds_of(const struct rdl__grading *grading, const struct rdl__grade *grade)
{
    double fifths = grade->again ? 4 : grade->round < RDL__ROUNDS ? 1 : 3;

    return grading->seconds * fifths / 5 / (grade->tests ? grade->tests : 1);
}

static void start_round(const struct rdl__grading *grading, struct rdl__grade *grade, int round)
{
    struct rdl__words words = {0};
    struct rdl__text json = {0};

    grade->step = RDL__GRADE_RUNS;
    grade->round = round;
    rdl__text_add(&json, "%s/report.json", grade->folder.bytes);
    unlink(json.bytes);
    rdl__words_add(&words, "%s", grade->program.bytes);
    if (grade->tagged)
        rdl__words_add(&words, "--filter=#grade");
    rdl__words_add(&words, "--round=%d", round);
    rdl__words_add(&words, "--seed=%" PRIu64, grading->seed + grade->again);
    if (grading->seconds > 0)
        rdl__words_add(&words, "--time=%.3f", seconds_of(grading, grade));
    rdl__words_add(&words, "--shrink-time=%d", SHRINK_SECONDS);
    rdl__words_add(&words, "--regressions=none");
    rdl__words_add(&words, "--quiet");
    rdl__words_add(&words, "--format=json");
    rdl__words_add(&words, "--output=%s", json.bytes);
    grade->started_ns = rdl__now_ns();
    grade->pid = rdl__grade_spawn(words.words, grade->folder.bytes, "report.txt", "errors.txt", 0);
    rdl__words_release(&words);
    rdl__text_release(&json);
}

/* The first round that has found something says what it is. */
static void finish(struct rdl__grade *grade)
{
    grade->step = RDL__GRADE_IS_DONE;
    grade->grade = grade->rounds[grade->round];
    grade->found_in = 0;
    for (int i = RDL__ROUNDS; i > 0; i--)
        if (grade->rounds[i].verdict == RDL__GRADE_FAIL) {
            grade->grade = grade->rounds[i];
            grade->found_in = i;
        }
}

/* No round can tell anything.  Who fails before any has failed in the first. */
static void finish_early(struct rdl__grade *grade, struct rdl__found found)
{
    grade->round = found.verdict == RDL__GRADE_FAIL;
    grade->rounds[grade->round] = found;
    finish(grade);
}

static void finish_with_error(struct rdl__grade *grade, const char *log, const char *otherwise)
{
    finish_early(grade, (struct rdl__found){.verdict = RDL__GRADE_ERROR,
                                            .message = rdl__grade_excerpt(grade, log, otherwise)});
}

/* ---- From one to the next ----------------------------------------------------------------- */

/* A line a test: its name, and its tags behind a '#'. */
static void count_tests(struct rdl__grade *grade)
{
    struct rdl__text list = {0};
    int all = 0, tagged = 0;
    char *rest, *line;

    rdl__grade_read(&list, grade, "tests.txt");
    rest = list.bytes;
    while ((line = strsep(&rest, "\n"))) {
        char *tags = strchr(line, '#'), *tag;

        all += *line != '\0';
        tags = tags ? tags + 1 : NULL;
        while ((tag = strsep(&tags, " ")))
            if (strcmp(tag, "grade") == 0) {
                tagged++;
                break;
            }
    }
    grade->tagged = tagged > 0;
    grade->tests = tagged ? tagged : all;
    rdl__text_release(&list);
}

static void go_on_after_list(const struct rdl__grading *grading, struct rdl__grade *grade,
                             int status)
{
    struct rdl__text message = {0};
    bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;

    if (WIFSIGNALED(status)) {
        rdl__text_add(&message,
                      late ? "what runs before main takes more than a minute"
                           : "before main it is ended by SIG%s",
                      sigabbrev_np(WTERMSIG(status)));
        finish_early(grade, (struct rdl__found){.verdict = RDL__GRADE_FAIL,
                                                .class = late ? "livelock" : "crash",
                                                .message = message.bytes});
        return;
    }
    count_tests(grade);
    if (WEXITSTATUS(status) != 0)
        finish_with_error(grade, "errors.txt", "the test program does not list its tests");
    else if (grade->tests == 0)
        finish_with_error(grade, "errors.txt",
                          "the test program lists no test: does the implementation end it, or "
                          "have a main of its own?");
    else
        start_round(grading, grade, 1);
}

/* There is nothing more to it than the first round.  If there is time left, that is for it. */
static void go_on_without_rounds(const struct rdl__grading *grading, struct rdl__grade *grade)
{
    bool done = grade->again || grading->seconds <= 0;

    grade->again = true;
    if (done || grade->rounds[1].verdict == RDL__GRADE_FAIL)
        finish(grade);
    else
        start_round(grading, grade, 1);
}

/* The second round is run in any case, for the table; the third only if there is hope. */
static void go_on_after_round(const struct rdl__grading *grading, struct rdl__grade *grade,
                              int status)
{
    grade->seconds += (double)(rdl__now_ns() - grade->started_ns) * 1e-9;
    rdl__grade_read_round(grading, grade, status);
    if (grade->rounds[grade->round].verdict == RDL__GRADE_ERROR || grade->round == RDL__ROUNDS)
        finish(grade);
    else if (grade->rounds[1].is_sequential)
        go_on_without_rounds(grading, grade);
    else if (grade->round == 1)
        start_round(grading, grade, 2);
    else if (grade->rounds[1].verdict == RDL__GRADE_PASS &&
             grade->rounds[2].verdict == RDL__GRADE_PASS)
        start_round(grading, grade, 3);
    else
        finish(grade);
}

void rdl__grade_start(const struct rdl__grading *grading, struct rdl__grade *grade, int number)
{
    grade->file = grading->files[number];
    make_folder(grading, grade, number + 1);
    grade->step = RDL__GRADE_BUILDS;
    grade->pid = rdl__grade_build(grading, grade);
}

void rdl__grade_go_on(const struct rdl__grading *grading, struct rdl__grade *grade, int status)
{
    grade->pid = 0;
    switch (grade->step) {
    case RDL__GRADE_BUILDS:
        if (status == 0)
            start_listing(grade);
        else
            finish_with_error(grade, "build.log", "it does not compile");
        break;
    case RDL__GRADE_LISTS:
        go_on_after_list(grading, grade, status);
        break;
    case RDL__GRADE_RUNS:
        go_on_after_round(grading, grade, status);
        break;
    case RDL__GRADE_IS_DONE:
        break;
    }
}

void rdl__grade_release(struct rdl__grade *grade)
{
    for (int i = 0; i <= RDL__ROUNDS; i++) {
        free(grade->rounds[i].token);
        free(grade->rounds[i].message);
        free(grade->rounds[i].report);
        free(grade->rounds[i].tests);
    }
    rdl__text_release(&grade->folder);
    rdl__text_release(&grade->program);
}

/* ---- One case of one implementation ------------------------------------------------------- */

static void add_replay(struct rdl__words *words, const struct rdl__grading *grading,
                       const struct rdl__grade *grade)
{
    rdl__words_add(words, "%s", grade->program.bytes);
    rdl__words_add(words, "--regressions=none");
    rdl__words_add(words, grading->colour ? "--color=always" : "--color=never");
    if (grading->quiet || grading->verbose)
        rdl__words_add(words, grading->quiet ? "--quiet" : "--verbose");
    if (grading->trace)
        rdl__words_add(words, "--trace=%s", grading->trace);
    if (grading->step)
        rdl__words_add(words, "--step");
    rdl__words_add(words, "--replay=%s", grading->replay);
    if (grading->export)
        rdl__words_add(words, "--export=%s", grading->export);
}

static void print_replay(const struct rdl__grading *grading, const struct rdl__grade *grade)
{
    struct rdl__text said = {0};
    char *text;

    rdl__grade_read(&said, grade, "replay.txt");
    text = rdl__grade_for_users(grading, grade, rdl__text_string(&said));
    fputs(text, stdout);
    free(text);
    rdl__text_release(&said);
}

static int show_replay(const struct rdl__grading *grading, struct rdl__grade *grade)
{
    struct rdl__words words = {0};
    int status;

    add_replay(&words, grading, grade);
    if (grading->step) { /* who does needs the terminal */
        fflush(NULL);
        status = rdl__grade_run_here(words.words);
        rdl__words_release(&words);
        return status;
    }
    rdl__grade_spawn(words.words, grade->folder.bytes, "replay.txt", "replay.txt", 0);
    rdl__words_release(&words);
    if (!rdl__grade_await(&grade->pid, &status, false))
        return RDL__EXIT_SETUP;
    print_replay(grading, grade);
    return WIFEXITED(status) ? WEXITSTATUS(status) : RDL__EXIT_FAIL;
}

/* gdb talks to the user itself; its program is there until it has ended. */
static int debug(const struct rdl__grading *grading, struct rdl__grade *grade)
{
    struct rdl__words words = {0};
    int status;

    rdl__words_add_gdb(&words);
    rdl__words_add_run(&words);
    rdl__words_add(&words, "%s", grade->program.bytes);
    rdl__words_add(&words, "--gdb");
    rdl__words_add(&words, "--regressions=none");
    rdl__words_add(&words, "--replay");
    rdl__words_add(&words, "%s", grading->replay);
    fflush(NULL);
    status = rdl__grade_run_here(words.words);
    rdl__words_release(&words);
    return status;
}

/* Build the first file, and do this with it. */
static int build_and(const struct rdl__grading *grading, const char *command,
                     int (*then)(const struct rdl__grading *grading, struct rdl__grade *grade))
{
    struct rdl__grade grade = {0};
    int status, result = RDL__EXIT_SETUP;
    char *why;

    rdl__grade_start(grading, &grade, 0);
    if (rdl__grade_await(&grade.pid, &status, false) && status == 0) {
        result = then(grading, &grade);
    } else if (!rdl__grade_interrupted) {
        why = rdl__grade_excerpt(&grade, "build.log", "it does not compile");
        fprintf(stderr, "%s\nraddle %s: %s does not compile\n", why, command, grade.file);
        free(why);
    }
    rdl__grade_release(&grade);
    return fflush(stdout) == 0 ? result : RDL__EXIT_SETUP;
}

int rdl__grade_replay(const struct rdl__grading *grading)
{
    return build_and(grading, "grade", grading->gdb ? debug : show_replay);
}

static const char *test_talked_to;
static bool is_spec_talked_to;

static int converse(const struct rdl__grading *grading, struct rdl__grade *grade)
{
    struct rdl__words words = {0};
    int status;

    (void)grading;
    rdl__words_add(&words, "%s", grade->program.bytes);
    rdl__words_add(&words, "--shell=%s", is_spec_talked_to ? "spec" : "code");
    if (test_talked_to)
        rdl__words_add(&words, "--filter==%s", test_talked_to);
    fflush(NULL);
    status = rdl__grade_run_here(words.words);
    rdl__words_release(&words);
    return status;
}

int rdl__grade_converse(const struct rdl__grading *grading, const char *test, bool is_spec)
{
    test_talked_to = test;
    is_spec_talked_to = is_spec;
    return build_and(grading, "shell", converse);
}
