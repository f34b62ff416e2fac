/* reproduce.c -- a failing case as a C program: what `raddle export` writes.
 *
 * The case is run once more, and looked at.  Calls of a spec's clients are taken down by the
 * driver as they are made (drive/written.h); all else that was decided is on the tape, and becomes
 * a table: a line for each turn of a thread, with a remark who that is and where it is interrupted,
 * and one for each value that was drawn.  So the program decides exactly what the case did, and
 * says what that means. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "check/script.h"
#include "check/turns.h"
#include "choice/regress.h"
#include "control/sched/inner.h"
#include "drive/written.h"
#include "port/exceptions.h"
#include "raddle/reproduce.h"
#include "raddle/spec.h"
#include "raddle/streams.h"

enum { REMARK_MAX = 200, REMARK_COLUMN = 24 };

struct writer {
    struct rdl__text out;
    struct rdl__session *session;
    const struct rdl_test *test;
    const struct rdl__failure *failure;
    const struct rdl__taken_down *taken;
    const struct rdl__made *made;
    struct rdl__story story;
    uint32_t *drawn_from; /* of each line of it: the first choice that it came from */
    struct rdl__lines lines;
    struct rdl__step *steps; /* where threads were interrupted, in order */
    size_t step_count, step_next;
    bool has_calls, has_decisions, has_turns;
};

/* ---- The head -------------------------------------------------------------------------------- */

/* As lines of the comment at the top. */
static void add_lines(struct rdl__text *out, const char *text, const char *indent)
{
    struct rdl__text safe = {0};
    char *rest, *line;

    rdl__add_comment_text(&safe, text);
    rest = safe.bytes;
    while (rest && (line = strsep(&rest, "\n")))
        if (*line)
            rdl__text_add(out, " *%s%s\n", indent, line);
        else if (rest)
            rdl__text_add(out, " *\n");
    rdl__text_release(&safe);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void add_why(struct writer *w)
{
    const struct rdl__outcome *outcome = &w->failure->outcome;
    struct rdl__text text = {0};

    if (outcome->line > 0)
        rdl__text_add(&text, "%s:%d: ", outcome->file, outcome->line);
    rdl__text_add(&text, "%s", outcome->check[0] ? outcome->check : rdl__failure_kind(w->failure));
    add_lines(&w->out, text.bytes, " ");
    add_lines(&w->out, outcome->text, "     ");
    rdl__text_release(&text);
}

/* What is included: the file that has what is used here. */
static const char *source_of(const struct writer *w)
{
    return w->has_calls ? w->test->options.spec->file : w->test->file;
}

/* The test may be in another file than the spec, and be needed as well. */
static void add_files(struct writer *w)
{
    if (w->session->plan->program)
        rdl__text_add(&w->out, " FILES-OF-THE-PROGRAM...");
    else if (strcmp(source_of(w), w->test->file) != 0)
        rdl__text_add(&w->out, " %s OTHER-FILES...", w->test->file);
    else
        rdl__text_add(&w->out, " OTHER-FILES...");
}

/* Whether by `raddle cc`: a file that is included is compiled as it was, a program's are. */
static bool is_seen(const struct writer *w)
{
    if (w->session->plan->program)
        return rdl__instrumented;
    return w->has_calls ? w->test->options.spec->seen : w->test->seen;
}

/* Is it C++, since what is included is? */
static bool is_cxx(const struct writer *w)
{
    const char *dot = strrchr(source_of(w), '.');

    return !w->session->plan->program && dot && strcmp(dot, ".c") != 0 && strcmp(dot, ".h") != 0;
}

/* Which may be part of a program that is. */
static const char *compiler_for(const struct writer *w)
{
    bool needs_cxx = is_cxx(w) || rdl__has_exceptions();

    if (rdl__instrumented)
        return needs_cxx ? "RADDLE_CC=c++ raddle cc" : "raddle cc";
    return needs_cxx ? "c++" : "cc";
}

/* As a compiler of C++ takes it for what it is. */
static void add_file(struct writer *w, const char *name)
{
    const char *ending = strrchr(name, '.');
    bool is_named_c = ending && strcmp(ending, ".c") == 0;

    if (is_cxx(w))
        rdl__text_add(&w->out, is_named_c ? " -std=c++20 -x c++ %s -x none" : " -std=c++20 %s",
                      name);
    else
        rdl__text_add(&w->out, rdl__has_exceptions() ? " -x c %s -x none" : " %s", name);
}

/* pkg-config knows where Raddle is, installed or not. */
static void add_compiling(struct writer *w, const char *name)
{
    int stem = (int)strcspn(name, ".");
    bool apart = rdl__instrumented && !is_seen(w); /* the others are compiled in another way */

    if (apart) {
        rdl__text_add(&w->out, " *     %s -g -O1 -I. $(pkg-config --cflags raddle) -c",
                      is_cxx(w) ? "c++" : "cc");
        add_file(w, name);
        rdl__text_add(&w->out, "\n");
    }
    rdl__text_add(&w->out, " *     %s -g%s%s -o %.*s", compiler_for(w), apart ? " -O1" : "",
                  apart || w->session->plan->program ? "" : " -I.", stem, name);
    if (apart)
        rdl__text_add(&w->out, " %.*s.o", stem, name);
    else
        add_file(w, name);
    add_files(w);
    rdl__text_add(&w->out, "%s\n", apart ? "" : " $(pkg-config --cflags --libs raddle)");
    rdl__text_add(&w->out, " *     ./%.*s\n", stem, name);
    if (rdl__instrumented)
        rdl__text_add(&w->out,
                      " *\n * Threads are switched at accesses to memory, too, so all has to be "
                      "compiled as\n * it was: by the same compiler, with the same options.\n");
}

static void add_head(struct writer *w, const char *path)
{
    const char *name = base_name(path);

    if (strcmp(name, "-") == 0)
        name = is_cxx(w) ? "repro.cc" : "repro.c";
    rdl__text_add(&w->out, "/* %s -- %s%s fails:\n *\n", name,
                  w->session->plan->program ? "a schedule under which " : "a case in which ",
                  w->session->plan->program ? base_name(w->session->plan->program) : w->test->name);
    add_why(w);
    rdl__text_add(&w->out, " *\n * To compile and run it:\n *\n");
    add_compiling(w, name);
    rdl__text_add(&w->out, " *\n * Written by raddle export, of the token\n * %s */\n",
                  w->failure->token ? w->failure->token : "(none)");
}

/* Its own main is of no interest here. */
static void add_includes(struct writer *w)
{
    rdl__text_add(&w->out, "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n");
    rdl__text_add(&w->out, "#include <raddle.h>\n\n");
    if (w->session->plan->program)
        return;
    rdl__text_add(&w->out, "#define main main_of_the_tests\n#include \"%s\"\n#undef main\n\n",
                  source_of(w));
}

/* ---- Remarks --------------------------------------------------------------------------------- */

static void add_remark(struct rdl__text *out, const struct rdl__text *remark, size_t line)
{
    struct rdl__text safe = {0}, cut = {0};

    if (remark->count == 0)
        return;
    rdl__add_comment_text(&safe, remark->bytes);
    for (size_t i = 0; i < safe.count; i++)
        safe.bytes[i] = safe.bytes[i] == '\n' ? ' ' : safe.bytes[i];
    rdl__text_add(&cut, "%.*s%s", REMARK_MAX, safe.bytes, safe.count > REMARK_MAX ? "..." : "");
    rdl__text_add(out, "%*s/* %s */",
                  out->count - line < REMARK_COLUMN ? (int)(REMARK_COLUMN - (out->count - line))
                                                    : 1,
                  "", cut.bytes);
    rdl__text_release(&safe);
    rdl__text_release(&cut);
}

static uint32_t most_threads(const struct rdl__made *made)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < made->count; i++)
        if (made->choices[i].kind == RDL__SWITCH && made->choices[i].max > most)
            most = made->choices[i].max;
    return (uint32_t)most + 1;
}

static const struct rdl__steps *steps_of(const struct writer *w)
{
    return &rdl__first_board(w->session)->trace.steps;
}

/* Who has this number?  Where one thread has had it after another, that is not for us to say. */
static void add_thread(const struct writer *w, struct rdl__text *out, uint64_t number)
{
    char room[40];

    if (steps_of(w)->threads <= most_threads(w->made))
        rdl__text_add(out, "%s", rdl__steps_thread(steps_of(w), (uint32_t)number, room));
}

static void add_interruption(struct writer *w, struct rdl__text *out)
{
    const struct rdl__step *step = w->step_next < w->step_count ? &w->steps[w->step_next++] : NULL;

    if (!step || !step->pc)
        return;
    rdl__text_add(out, out->count ? ", until before " : "until before ");
    rdl__place_describe_briefly(out, &w->lines, step->pc);
}

/* What was drawn by the choices from this one on? */
static void add_drawn(const struct writer *w, struct rdl__text *out, uint32_t at)
{
    for (size_t i = 0; i < w->story.count; i++) {
        const struct rdl__line *line = &w->story.lines[i];

        if (line->kind == RDL__EVENT_DRAW && w->drawn_from[i] == at)
            rdl__text_add(out, "%s%s = %s", out->count ? ", " : "", line->name, line->value);
    }
}

/* ---- What was decided ------------------------------------------------------------------------ */

static bool is_taken_down(const struct writer *w, uint32_t at)
{
    for (uint32_t i = 0; w->has_calls && i < w->taken->draw_count; i++)
        if (at >= w->taken->draws[i].from && at < w->taken->draws[i].to)
            return true;
    return false;
}

static void add_turn(struct writer *w, uint64_t thread, uint64_t steps)
{
    size_t line = w->out.count;
    struct rdl__text remark = {0};

    add_thread(w, &remark, thread);
    if (steps)
        add_interruption(w, &remark);
    rdl__text_add(&w->out, "    RDL_TURN(%llu, %llu),", (unsigned long long)thread,
                  (unsigned long long)steps);
    add_remark(&w->out, &remark, line);
    rdl__text_add(&w->out, "\n");
    rdl__text_release(&remark);
}

static void add_choice(struct writer *w, uint32_t at)
{
    const struct rdl__choice *choice = &w->made->choices[at];
    size_t line = w->out.count;
    struct rdl__text remark = {0};

    if (choice->kind == RDL__ANSWER)
        rdl__text_add(&remark, "who of those that wait is woken, or what goes wrong");
    else
        add_drawn(w, &remark, at);
    if (choice->kind == RDL__MORE && remark.count == 0 && choice->max > 0)
        rdl__text_add(&remark, choice->index ? "one more" : "no more");
    rdl__text_add(&w->out, "    RDL_CHOICE(%llu%s),", (unsigned long long)choice->index,
                  choice->index > INT64_MAX ? "u" : "");
    add_remark(&w->out, &remark, line);
    rdl__text_add(&w->out, "\n");
    rdl__text_release(&remark);
}

/* A turn is two choices, but for the first, which is thread 0's: its length. */
static void add_decisions(struct writer *w)
{
    const struct rdl__choice *choices = w->made->choices;

    rdl__text_add(&w->out, "/* %s, one after the other.",
                  w->has_calls ? "What else was decided" : "What was decided");
    if (w->has_turns)
        rdl__text_add(&w->out, "  RDL_TURN(thread, steps): this thread runs,\n * until it has to "
                               "wait or ends (0), or is interrupted after so many steps.");
    rdl__text_add(&w->out, " */\n");
    rdl__text_add(&w->out, "static const struct rdl_decision decisions[] = {\n");
    for (uint32_t i = 0; i < w->made->count; i++) {
        if (is_taken_down(w, i))
            continue;
        if (choices[i].kind == RDL__STRETCH) {
            add_turn(w, 0, choices[i].index);
        } else if (choices[i].kind == RDL__SWITCH && i + 1 < w->made->count) {
            add_turn(w, choices[i].index, choices[i + 1].index);
            i++;
        } else {
            add_choice(w, i);
        }
    }
    rdl__text_add(&w->out, "};\n\n");
}

/* ---- The rest -------------------------------------------------------------------------------- */

static void add_calls(struct writer *w)
{
    uint32_t end = w->taken->count;

    rdl__text_add(&w->out, "static void calls(struct rdl_case *t)\n{\n");
    for (size_t i = 0; i < w->story.count; i++)
        if (strncmp(w->story.lines[i].value, "at the beginning: ", 18) == 0) {
            rdl__text_add(&w->out, "    /* ");
            rdl__add_comment_text(&w->out, w->story.lines[i].value);
            rdl__text_add(&w->out, " */\n");
        }
    while (end > 0 && w->taken->bytes[end - 1] == '\n')
        end--;
    rdl__text_add(&w->out, "%.*s\n}\n\n", (int)end, w->taken->bytes);
}

static void add_number(struct rdl__text *out, const char *name, uint32_t value)
{
    if (value)
        rdl__text_add(out, "    .%s = %u,\n", name, value);
}

static void add_string(struct rdl__text *out, const char *name, const char *value)
{
    if (!value)
        return;
    rdl__text_add(out, "    .%s = ", name);
    rdl__text_add_quoted(out, value, strlen(value));
    rdl__text_add(out, ",\n");
}

static void add_strings(struct rdl__text *out, const char *name, char *const *words)
{
    rdl__text_add(out, "    .%s = (const char *const[]){", name);
    for (; *words; words++) {
        rdl__text_add_quoted(out, *words, strlen(*words));
        rdl__text_add(out, ", ");
    }
    rdl__text_add(out, "NULL},\n");
}

static void add_reproduction(struct writer *w)
{
    const struct rdl__settings *settings = &w->failure->settings;
    const struct rdl__plan *plan = w->session->plan;

    rdl__text_add(&w->out, "static const struct rdl_reproduction reproduction = {\n");
    if (plan->program) {
        add_strings(&w->out, "arguments", plan->program_arguments);
        add_strings(&w->out, "options", plan->program_options);
    } else {
        rdl__text_add(&w->out, "    .test = \"%s\",\n", w->test->name);
    }
    if (w->has_calls)
        rdl__text_add(&w->out, "    .calls = calls,\n");
    if (w->has_decisions)
        rdl__text_add(&w->out, "    .decisions = decisions,\n    .count = sizeof decisions / "
                               "sizeof *decisions,\n");
    add_number(&w->out, "size", settings->size);
    add_number(&w->out, "round", settings->round);
    add_number(&w->out, "points_max", settings->points_max);
    add_number(&w->out, "watched", settings->watched);
    add_number(&w->out, "volatiles", settings->volatiles);
    add_string(&w->out, "deviation", plan->deviation);
    add_string(&w->out, "gates", plan->gates);
    rdl__text_add(&w->out, "};\n\n");
}

static void add_main(struct writer *w)
{
    if (w->session->plan->program)
        rdl__text_add(&w->out, "/* The program's own main follows, under this schedule. */\n"
                               "__attribute__((constructor)) static void reproduce(void)\n{\n"
                               "    rdl_reproduce_program(&reproduction);\n}\n");
    else
        rdl__text_add(&w->out, "int main(int argc, char **argv)\n{\n"
                               "    return rdl_reproduce(argc, argv, &reproduction);\n}\n");
}

static void find_interruptions(struct writer *w)
{
    size_t count, kept = 0;

    w->lines = rdl__lines_of_test(w->test);
    w->steps = rdl__steps_read(steps_of(w), &count);
    for (size_t i = 0; i < count; i++)
        if (w->steps[i].how == RDL__STEP_INTERRUPTED)
            w->steps[kept++] = w->steps[i];
    w->step_count = kept == rdl__count_preemptions(w->made) ? kept : 0;
    rdl__schedule_want(steps_of(w), &w->lines);
    rdl__lines_find(&w->lines);
}

/* Lines of a story are its events, but for those that only end something or go on. */
static void read_story(struct writer *w)
{
    const struct rdl__trace *trace = &rdl__first_board(w->session)->trace;
    struct rdl__event event;
    uint32_t position = 0;
    size_t i = 0;

    rdl__story_read(&w->story, trace);
    w->drawn_from = rdl__allocate((w->story.count + 1) * sizeof *w->drawn_from);
    while (rdl__trace_next(trace, &position, &event) && i < w->story.count)
        if (event.kind != RDL__EVENT_END && event.kind != RDL__EVENT_MORE)
            w->drawn_from[i++] = event.from;
}

static void write_program(struct writer *w, const char *path)
{
    read_story(w);
    find_interruptions(w);
    add_head(w, path);
    add_includes(w);
    if (w->has_calls)
        add_calls(w);
    for (uint32_t i = 0; i < w->made->count; i++) {
        w->has_decisions |= !is_taken_down(w, i);
        w->has_turns |= w->made->choices[i].kind == RDL__STRETCH;
    }
    if (w->has_decisions)
        add_decisions(w);
    add_reproduction(w);
    add_main(w);
    rdl__lines_release(&w->lines);
    rdl__story_release(&w->story);
    free(w->drawn_from);
    free(w->steps);
}

/* ---- Looking at the case --------------------------------------------------------------------- */

static bool takes_calls(const struct rdl_test *test)
{
    return test->body == rdl__test_model || test->body == rdl__test_resource ||
           test->body == rdl__test_linear;
}

/* Once more, in a process that takes down what it calls. */
static bool run_case(struct writer *w)
{
    rdl__worker_retire(&w->session->workers[0]);
    return rdl__run_made(w->session, w->test, &w->failure->settings, &w->failure->made, true) &&
           rdl__fails_alike(&rdl__first_board(w->session)->outcome, w->failure);
}

static bool reproduce(struct writer *w, struct rdl__taken_down *room, const char *path,
                      struct rdl__error *error)
{
    struct rdl__made made;

    w->taken = rdl__taking_down = room;
    if (!run_case(w))
        return rdl__fail(error, "the case does not fail again, so something other than its "
                                "choices and turns decides");
    w->has_calls = takes_calls(w->test) && room->count > 0 && !room->is_short;
    made = rdl__on_board(rdl__first_board(w->session));
    w->made = &made;
    write_program(w, path);
    return rdl__write_file(path, w->out.bytes, w->out.count, error);
}

void rdl__reproducer_export(struct rdl__session *session, const struct rdl_test *test,
                            const struct rdl__failure *failure, const char *path)
{
    struct writer w = {.session = session, .test = test, .failure = failure};
    struct rdl__taken_down *room = rdl__map(sizeof *room, MAP_SHARED | MAP_NORESERVE);
    struct rdl__error error;
    bool ok =
        room ? reproduce(&w, room, path, &error)
             : rdl__fail(&error, "cannot get memory for what its threads do: %s", strerror(errno));

    if (!ok)
        rdl__warn(session, "%s: no program is written to %s: %s", test->name, path, error.text);
    rdl__taking_down = NULL;
    if (room)
        rdl__unmap(room, sizeof *room);
    rdl__worker_retire(&session->workers[0]);
    rdl__text_release(&w.out);
}
