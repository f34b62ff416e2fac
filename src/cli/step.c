/* step.c -- --step: a case that is replayed is walked through, by keys on a terminal, or by lines
 * from a pipe. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "port/terminal.h"
#include "report/walk.h"
#include "run/worker.h"

int rdl__step_input = STDIN_FILENO;

/* ---- On a terminal --------------------------------------------------------------------------- */

enum { ENTER = 13, BACKSPACE = 8, DELETE = 127 };

static void draw(const struct rdl__walk *walk, const struct rdl__terminal *terminal)
{
    struct rdl__text screen = {0};
    int rows, columns;

    rdl__terminal_size(terminal, &rows, &columns);
    rdl__walk_add_screen(&screen, walk, rows, columns);
    rdl__terminal_draw(terminal, screen.bytes);
    rdl__text_release(&screen);
}

/* A command of several characters, which begins with this one; "" if it is given up. */
static bool read_line(struct rdl__walk *walk, const struct rdl__terminal *terminal, int first,
                      struct rdl__text *out)
{
    int key = first;

    for (;;) {
        if ((key == BACKSPACE || key == DELETE) && out->count > 0)
            out->bytes[--out->count] = '\0';
        else if (key >= ' ' && key < DELETE)
            rdl__text_add(out, "%c", key);
        else if (key == ENTER || key == '\n')
            return true;
        else if (key == RDL__KEY_END)
            return false;
        else if (key == RDL__KEY_OTHER)
            rdl__text_clear(out);
        if (out->count == 0)
            return true;
        rdl__text_clear(&walk->remark);
        rdl__text_add(&walk->remark, "%s_", out->bytes);
        draw(walk, terminal);
        key = rdl__terminal_key(terminal, &rdl__interrupted);
    }
}

/* False: to end. */
static bool take_key(struct rdl__walk *walk, const struct rdl__terminal *terminal, int key)
{
    struct rdl__text command = {0};
    bool goes_on = key != RDL__KEY_END;

    if (key == RDL__KEY_LEFT || key == BACKSPACE || key == DELETE)
        rdl__text_add(&command, "b");
    else if (key == RDL__KEY_RIGHT || key == ENTER || key == '\n')
        rdl__text_add(&command, "n");
    else if (key == RDL__KEY_HOME || key == RDL__KEY_LAST)
        rdl__text_add(&command, key == RDL__KEY_HOME ? "g" : "G");
    else if (key == '/' || (key >= '0' && key <= '9'))
        goes_on = read_line(walk, terminal, key, &command);
    else if (key >= ' ' && key < DELETE)
        rdl__text_add(&command, "%c", key);
    if (goes_on && command.count > 0)
        goes_on = rdl__walk_command(walk, command.bytes);
    else
        rdl__text_clear(&walk->remark);
    rdl__text_release(&command);
    return goes_on;
}

static void walk_by_keys(struct rdl__walk *walk, struct rdl__terminal *terminal)
{
    do
        draw(walk, terminal);
    while (take_key(walk, terminal, rdl__terminal_key(terminal, &rdl__interrupted)));
    rdl__terminal_close(terminal);
}

/* ---- By lines -------------------------------------------------------------------------------- */

static void show(const struct rdl__walk *walk, int width)
{
    struct rdl__text text = {0};

    if (walk->remark.count)
        rdl__text_add(&text, "%s\n", walk->remark.bytes);
    if (walk->helps)
        rdl__text_add(&text, "%s", rdl__walk_help);
    else
        rdl__walk_add_item(&text, walk, width);
    rdl__text_add(&text, "\n");
    fputs(text.bytes, stdout);
    fflush(stdout);
    rdl__text_release(&text);
}

static void walk_by_lines(struct rdl__walk *walk, int width)
{
    FILE *input = fdopen(dup(rdl__step_input), "r");
    char *line = NULL;
    size_t room = 0;

    show(walk, width);
    while (input && !rdl__interrupted && getline(&line, &room, input) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!rdl__walk_command(walk, line))
            break;
        show(walk, width);
    }
    free(line);
    if (input)
        fclose(input);
}

/* ---- The listener ---------------------------------------------------------------------------- */

static void walk_through(const struct rdl__stepping *stepping, const char *name,
                         const struct rdl__timeline *timeline)
{
    bool colour = stepping->looks.colour;
    struct rdl__walk walk = {.timeline = timeline, .name = name, .paint = {"", "", "", "", ""}};
    struct rdl__terminal terminal;

    if (colour)
        walk.paint = (struct rdl__paint){"\033[0m", "\033[1m", "\033[2m", "\033[31;1m", "\033[33m"};
    if (rdl__terminal_open(&terminal, rdl__step_input, STDOUT_FILENO))
        walk_by_keys(&walk, &terminal);
    else
        walk_by_lines(&walk, stepping->looks.width);
    rdl__walk_release(&walk);
}

/* What has nothing to be walked through is reported as ever. */
static void test_ended(void *self, const struct rdl__result *result)
{
    struct rdl__stepping *stepping = self;
    const struct rdl__timeline *timeline =
        result->failure_count ? &result->failures[0].timeline : &result->timeline;
    struct rdl__text name = {0};

    if (timeline->count == 0) {
        stepping->human.test_ended(stepping->human.self, result);
        if (result->verdict == RDL__TEST_FAIL || result->verdict == RDL__TEST_PASS)
            stepping->human.warning(
                stepping->human.self,
                "there are neither threads nor calls of a spec to step through");
        return;
    }
    rdl__text_add(&name, "%s", result->test->name);
    if (result->failure_count) {
        rdl__text_add(&name, ": ");
        rdl__failure_headline(&name, &result->failures[0]);
    }
    walk_through(stepping, name.bytes, timeline);
    rdl__text_release(&name);
}

static void run_started(void *self, const struct rdl__plan *plan, size_t tests)
{
    struct rdl__stepping *stepping = self;

    rdl__report_begin(stepping->human.self, plan, tests);
}

static void warned(void *self, const char *text)
{
    struct rdl__stepping *stepping = self;

    stepping->human.warning(stepping->human.self, text);
}

struct rdl__listener rdl__step_listener(struct rdl__stepping *stepping)
{
    return (struct rdl__listener){
        .run_started = run_started, .warning = warned, .test_ended = test_ended, .self = stepping};
}
