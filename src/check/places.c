/* places.c -- the texts of an outcome, with files and lines instead of addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/plan.h"
#include "port/crash.h"
#include "port/symbols.h"
#include "port/wrappers.h"

enum { DIGITS = 16 };

/* The address in the marked place that begins here; 0: there is none. */
static uintptr_t marked(const char *text)
{
    char *end;
    char digits[DIGITS + 1] = {0};
    uintptr_t pc;

    if ((text[0] != RDL__AT[0] && text[0] != RDL__AT_FUNCTION[0] &&
         text[0] != RDL__IN_FUNCTION[0]) ||
        strnlen(text, DIGITS + 2) < DIGITS + 2 || text[DIGITS + 1] != RDL__AT_END[0])
        return 0;
    memcpy(digits, text + 1, DIGITS);
    pc = strtoull(digits, &end, 16);
    return *end ? 0 : pc;
}

static void want(const char *text, struct rdl__lines *lines)
{
    for (; *text; text++)
        rdl__lines_want(lines, marked(text));
}

/* ---- Stacks -------------------------------------------------------------------------------- */

/* The stack whose number is marked here; NULL: none is. */
static const struct rdl__call_stack *marked_stack(const char *text, const struct rdl__steps *steps)
{
    char digits[DIGITS + 1] = {0};
    uint64_t number;

    if (!steps || text[0] != RDL__AT_STACK[0] || strnlen(text, DIGITS + 2) < DIGITS + 2)
        return NULL;
    memcpy(digits, text + 1, DIGITS);
    number = strtoull(digits, NULL, 16);
    return number < steps->stack_count && number < RDL__STACKS_MAX ? &steps->stacks[number] : NULL;
}

static uint32_t depth_of(const struct rdl__call_stack *stack)
{
    return 1 + (stack->callers.count < RDL__CALLERS_MAX ? stack->callers.count : RDL__CALLERS_MAX);
}

/* From the place itself, 0, outwards. */
static uintptr_t frame_of(const struct rdl__call_stack *stack, uint32_t at)
{
    return at == 0 ? stack->pc : stack->callers.pcs[at - 1];
}

void rdl__stacks_want(const struct rdl__steps *steps, struct rdl__lines *lines)
{
    for (uint32_t i = 0; i < steps->stack_count && i < RDL__STACKS_MAX; i++)
        for (uint32_t at = 0; at < depth_of(&steps->stacks[i]); at++)
            rdl__lines_want(lines, frame_of(&steps->stacks[i], at));
}

/* The first frame that is no wrapper; the place itself, if all are. */
static uint32_t frame_to_show(const struct rdl__call_stack *stack, const struct rdl__lines *lines)
{
    for (uint32_t at = 0; at < depth_of(stack); at++) {
        const struct rdl__place *place = rdl__lines_at(lines, frame_of(stack, at));

        if (!place || !place->line || !rdl__is_wrapper(place->path, place->function))
            return place && place->line ? at : 0;
    }
    return 0;
}

/* "bank.c:45 (my_mutex.c:12)"; the inside of a library is of no interest. */
static void describe_stack(struct rdl__text *out, const struct rdl__call_stack *stack,
                           const struct rdl__lines *lines, bool briefly)
{
    void (*describe)(struct rdl__text * out, const struct rdl__lines *lines, uintptr_t pc) =
        briefly ? rdl__place_describe_briefly : rdl__place_describe;
    uint32_t shown = frame_to_show(stack, lines);

    describe(out, lines, frame_of(stack, shown));
    if (shown > 0 && !rdl__has_only_wrappers(rdl__lines_at(lines, stack->pc)->path)) {
        rdl__text_add(out, " (");
        describe(out, lines, stack->pc);
        rdl__text_add(out, ")");
    }
}

/* The calls that led to a place, outwards from the one that is shown: at most so many. */
static void add_callers(struct rdl__text *out, const struct rdl__call_stack *stack,
                        const struct rdl__lines *lines, uint32_t most, bool with_place)
{
    uint32_t shown = frame_to_show(stack, lines);

    for (uint32_t i = shown + 1; i < depth_of(stack) && i - shown <= most; i++) {
        rdl__text_add(out, "    ");
        if (with_place && i == shown + 1) {
            rdl__place_describe_briefly(out, lines, frame_of(stack, shown));
            rdl__text_add(out, " was ");
        }
        rdl__text_add(out, "called at ");
        rdl__place_describe_briefly(out, lines, frame_of(stack, i));
        rdl__text_add(out, "\n");
    }
}

static bool has_frames(const struct rdl__outcome *outcome)
{
    return outcome->verdict == RDL__FAILED &&
           (outcome->cause == RDL__BY_CRASH || outcome->cause == RDL__BY_HANG);
}

static int frame_count(const struct rdl__crash *crash)
{
    return crash->frame_count < RDL__FRAMES_MAX ? crash->frame_count : RDL__FRAMES_MAX;
}

/* Code of ours: to know what else is. */
static uintptr_t own_pc(void)
{
    return (uintptr_t)rdl__outcome_want + 1;
}

static bool is_ours(const struct rdl__lines *lines, uintptr_t pc)
{
    static const char this_file[] = "check/places.c";
    const struct rdl__place *own = rdl__lines_at(lines, own_pc()),
                            *place = rdl__lines_at(lines, pc);
    size_t length = own ? strlen(own->path) : 0;

    return place && place->line && length > strlen(this_file) &&
           strncmp(place->path, own->path, length - strlen(this_file)) == 0;
}

/* In a function of ours that the user called, such as pthread_mutex_lock, it is the user
 * who is to blame. */
static void blame_the_user(struct rdl__outcome *outcome, const struct rdl__crash *crash,
                           const struct rdl__lines *lines)
{
    static const char in[] = "in ";
    char *text = outcome->text + strlen(in), digits[DIGITS + 1];
    int i = 0;

    while (i < frame_count(crash) && crash->frames[i] + 1 != marked(text))
        i++;
    if (i == frame_count(crash) || !is_ours(lines, crash->frames[i] + 1))
        return;
    while (i < frame_count(crash) &&
           (is_ours(lines, crash->frames[i] + 1) || rdl__crash_is_messenger(crash->frames[i])))
        i++;
    if (i == frame_count(crash))
        return;
    snprintf(digits, sizeof digits, "%016lx", (unsigned long)crash->frames[i] + 1);
    memcpy(text + 1, digits, DIGITS);
    if (outcome->pc)
        outcome->pc = crash->frames[i] + 1;
}

void rdl__outcome_want(const struct rdl__outcome *outcome, const struct rdl__crash *crash,
                       struct rdl__lines *lines)
{
    if (has_frames(outcome)) {
        for (int i = 0; i < frame_count(crash); i++)
            rdl__lines_want(lines, crash->frames[i] + 1);
        rdl__lines_want(lines, own_pc());
        rdl__lines_add_modules(lines, &crash->modules);
    }
    want(outcome->check, lines);
    want(outcome->text, lines);
    if (!outcome->file[0])
        rdl__lines_want(lines, outcome->pc);
}

/* How texts are put. */
struct wording {
    const struct rdl__lines *lines;
    struct rdl__objects *objects; /* NULL: variables have numbers instead of names */
    bool briefly;                 /* files without their folders */
    uint32_t callers;             /* below a line, of each place that it speaks of */
};

static void add_place(struct rdl__text *out, const struct wording *wording, char mark, uintptr_t pc)
{
    if (mark == RDL__IN_FUNCTION[0])
        rdl__symbol_describe(out, rdl__place_code(pc));
    else if (mark == RDL__AT_FUNCTION[0])
        rdl__place_describe_function(out, wording->lines, pc);
    else if (wording->briefly)
        rdl__place_describe_briefly(out, wording->lines, pc);
    else
        rdl__place_describe(out, wording->lines, pc);
}

static int count_stacks(const char *line, size_t length, const struct rdl__steps *steps)
{
    int count = 0;

    for (const char *at = line; at < line + length; at++)
        count += marked_stack(at, steps) != NULL;
    return count;
}

static void add_line(struct rdl__text *out, const struct wording *wording, const char *line,
                     size_t length)
{
    const struct rdl__steps *steps = wording->objects ? wording->objects->steps : NULL;
    bool has_several = count_stacks(line, length, steps) > 1;
    struct rdl__text callers = {0};

    for (const char *at = line; at < line + length;) {
        const struct rdl__call_stack *stack = marked_stack(at, steps);
        uintptr_t pc = marked(at);

        if (stack) {
            describe_stack(out, stack, wording->lines, wording->briefly);
            add_callers(&callers, stack, wording->lines, wording->callers, has_several);
        } else if (pc) {
            add_place(out, wording, at[0], pc);
        } else {
            rdl__text_add_bytes(out, at, 1);
        }
        at += stack || pc ? DIGITS + 2 : 1;
    }
    rdl__text_add(out, "\n%s", rdl__text_string(&callers));
    rdl__text_release(&callers);
}

static void resolve(char *text, size_t room, const struct wording *wording)
{
    struct rdl__text named = {0}, out = {0};

    if (wording->objects)
        rdl__objects_rename(wording->objects, &named, text);
    else
        rdl__text_add(&named, "%s", text);
    for (const char *line = rdl__text_string(&named); *line;) {
        size_t length = strcspn(line, "\n");

        add_line(&out, wording, line, length);
        line += length + (line[length] == '\n');
    }
    while (out.count && out.bytes[out.count - 1] == '\n')
        out.bytes[--out.count] = '\0';
    snprintf(text, room, "%s", rdl__text_string(&out));
    rdl__text_release(&named);
    rdl__text_release(&out);
}

/* Without a line, the function is all there is to say. */
static void add_function(char *text, size_t room, const struct rdl__lines *lines, uintptr_t pc)
{
    struct rdl__text out = {0};

    rdl__text_add(&out, "%s, in ", text);
    rdl__place_describe(&out, lines, pc);
    snprintf(text, room, "%s", out.bytes);
    rdl__text_release(&out);
}

void rdl__outcome_resolve(struct rdl__outcome *outcome, const struct rdl__crash *crash,
                          const struct rdl__lines *lines, struct rdl__objects *objects,
                          uint32_t callers)
{
    struct wording wording = {.lines = lines, .objects = objects};
    const struct rdl__place *place;

    if (outcome->verdict == RDL__FAILED &&
        (outcome->cause == RDL__BY_CHECK || outcome->cause == RDL__BY_OUTPUT))
        return; /* the user's own words */
    if (has_frames(outcome))
        blame_the_user(outcome, crash, lines);
    if (objects && objects->steps && outcome->stack > 0 && outcome->stack <= RDL__STACKS_MAX) {
        const struct rdl__call_stack *stack = &objects->steps->stacks[outcome->stack - 1];

        outcome->pc = frame_of(stack, frame_to_show(stack, lines));
    }
    place = rdl__lines_at(lines, outcome->pc);
    wording.briefly = outcome->cause == RDL__BY_MEMORY; /* the place stands before it */
    resolve(outcome->check, sizeof outcome->check, &wording);
    wording.briefly = true;
    wording.callers = callers;
    resolve(outcome->text, sizeof outcome->text, &wording);
    if (!outcome->file[0] && place && place->line) {
        snprintf(outcome->file, sizeof outcome->file, "%s", place->file);
        outcome->line = place->line;
    } else if (!outcome->file[0] && outcome->cause == RDL__BY_MISUSE) {
        add_function(outcome->check, sizeof outcome->check, lines, outcome->pc);
    }
}

struct rdl__lines rdl__lines_of_test(const struct rdl_test *test)
{
    return (struct rdl__lines){.known_pc = (uintptr_t)test->body + 1, .known_file = test->file};
}

void rdl__outcome_add_ending(struct rdl__text *out, const struct rdl__outcome *outcome)
{
    if (outcome->cause == RDL__BY_CRASH)
        rdl__text_add(out, "crashed with %s", rdl__signal_name(outcome->number));
    if (outcome->cause == RDL__BY_EXIT)
        rdl__text_add(out, "exited with status %d%s", outcome->number,
                      outcome->threads ? "" : " in the middle of a case");
    if (outcome->cause == RDL__BY_HANG)
        rdl__text_add(out, "did not end within %d ms", outcome->number);
}

void rdl__outcome_resolve_alone(struct rdl__outcome *outcome, const struct rdl__board *board)
{
    struct rdl__lines lines = rdl__lines_of_test(board->task.test);

    rdl__outcome_want(outcome, &board->crash, &lines);
    rdl__lines_find(&lines);
    rdl__outcome_resolve(outcome, &board->crash, &lines, NULL, 0);
    rdl__lines_release(&lines);
}
