/* schedule.c -- how controlled threads came to fail: who did what when.
 *
 * Of the steps that were kept, those are shown that matter.  If there are few, that
 * is all of them; else those that other threads' steps conflict with, and the first
 * and the last of each stretch; if that is still too much, those in which threads
 * follow each other at one object, and the neighbours of interruptions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"
#include "check/words.h"
#include "control/sched/op.h"

enum {
    LEVELS = 3,
    ROWS_MAX = 60,
    LIVELOCK_STEPS = 8,     /* shown of what goes on for ever */
    INTERRUPTIONS_TOLD = 3, /* by the headline */
};

static const size_t rows_max[LEVELS] = {24, 40, SIZE_MAX};

struct reading {
    const struct rdl__steps *steps;
    const struct rdl__outcome *outcome;
    struct rdl__step_words words;
    struct rdl__step *all;
    size_t count;
    const struct rdl__trace *trace; /* has the notes */
    uint32_t note_position;
    struct rdl__event note; /* the next one; no text: there are no more */
    struct rdl__schedule *out;
};

/* ---- Which steps matter -------------------------------------------------------------- */

static bool conflict(const struct rdl__step *a, const struct rdl__step *b)
{
    struct rdl__op one = rdl__step_op(a), two = rdl__step_op(b);

    return a->thread != b->thread && b->how == RDL__STEP_DONE && rdl__conflict(&one, &two);
}

static bool is_shared(const struct reading *reading, size_t i)
{
    for (size_t k = 0; k < reading->count; k++)
        if (conflict(&reading->all[i], &reading->all[k]))
            return true;
    return false;
}

static bool touches_the_same(const struct rdl__step *a, const struct rdl__step *b)
{
    return a->touch && b->touch && a->how == RDL__STEP_DONE && b->how == RDL__STEP_DONE &&
           rdl__overlap(a->object, a->size, b->object, b->size);
}

/* Is the next (or the last) who touched the same thing another thread? */
static bool is_handed_over(const struct reading *reading, size_t i, int direction)
{
    const struct rdl__step *step = &reading->all[i];

    for (size_t k = i + (size_t)direction; k < reading->count; k += (size_t)direction)
        if (touches_the_same(step, &reading->all[k]))
            return conflict(step, &reading->all[k]);
    return false;
}

static bool is_first_of_stretch(const struct reading *reading, size_t i)
{
    return i == 0 || reading->all[i - 1].thread != reading->all[i].thread ||
           reading->all[i - 1].how != RDL__STEP_DONE;
}

static bool is_last_of_stretch(const struct reading *reading, size_t i)
{
    return i + 1 == reading->count || reading->all[i + 1].thread != reading->all[i].thread ||
           reading->all[i + 1].how != RDL__STEP_DONE;
}

static bool is_by_interruption(const struct reading *reading, size_t i)
{
    return (i + 1 < reading->count && reading->all[i + 1].how == RDL__STEP_INTERRUPTED) ||
           (i > 0 && reading->all[i - 1].how == RDL__STEP_INTERRUPTED);
}

/* Does the thread do anything after this? */
static bool goes_on(const struct reading *reading, size_t i)
{
    for (size_t k = i + 1; k < reading->count; k++)
        if (reading->all[k].thread == reading->all[i].thread)
            return true;
    return false;
}

/* Has the thread run from its start to its end, and nobody else meanwhile, nor was anybody
 * interrupted before it and has not gone on?  Then, to the others, it did it all at once. */
static bool is_lone_run(const struct reading *reading, uint32_t thread)
{
    const struct rdl__step *all = reading->all;
    size_t i = 0, k;

    while (i < reading->count && all[i].thread != thread)
        i++;
    if (i == reading->count || all[i].op != RDL__OP_START)
        return false;
    for (k = 0; k < i; k++) {
        size_t next = k + 1;

        while (next < i && all[next].thread != all[k].thread)
            next++;
        if (all[k].how == RDL__STEP_INTERRUPTED && next == i)
            return false;
    }
    while (k < reading->count && all[k].thread == thread)
        k++;
    return all[k - 1].how == RDL__STEP_ENDS;
}

bool rdl__step_is_harness(const struct rdl__outcome *outcome, const struct rdl__step *step)
{
    return outcome->phases > 0 &&
           (step->thread == 0 || step->op == RDL__OP_CALL || step->op == RDL__OP_START);
}

/* If calls are made one at a time, and nobody is preempted, there is nothing to tell. */
static bool is_one_at_a_time(const struct rdl__outcome *outcome, const struct rdl__steps *steps)
{
    return outcome->phases > 0 && outcome->concurrent <= 1 && steps->preemptions == 0;
}

/* Levels show less and less. */
static bool is_shown(const struct reading *reading, size_t i, int level)
{
    const struct rdl__step *step = &reading->all[i];

    if (rdl__step_is_harness(reading->outcome, step))
        return false;
    switch (step->how) {
    case RDL__STEP_INTERRUPTED:
        return true;
    case RDL__STEP_WAITS:
        return level < 2 || !goes_on(reading, i);
    case RDL__STEP_DONE:
        break;
    default:
        return false;
    }
    if (step->op == RDL__OP_JOIN)
        return false; /* that it waited for it has been told */
    if (level > 0 && is_lone_run(reading, step->thread))
        return step->op == RDL__OP_START;
    if (step->op == RDL__OP_START)
        return is_last_of_stretch(reading, i); /* else, that it did something tells enough */
    if (level == 0 ||
        (reading->outcome->cause == RDL__BY_LIVELOCK && i + LIVELOCK_STEPS >= reading->count))
        return true;
    if (level == 1)
        return step->op == RDL__OP_CREATE || is_first_of_stretch(reading, i) ||
               is_last_of_stretch(reading, i) || is_shared(reading, i);
    return is_by_interruption(reading, i) || is_handed_over(reading, i, 1) ||
           is_handed_over(reading, i, -1);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static struct rdl__row *add_row(struct reading *reading, uint32_t thread, enum rdl__row_mark mark)
{
    struct rdl__schedule *out = reading->out;

    out->rows = rdl__reallocate(out->rows, (out->count + 1) * sizeof *out->rows);
    out->rows[out->count] = (struct rdl__row){.thread = thread, .mark = mark};
    return &out->rows[out->count++];
}

static void release_row(struct rdl__row *row)
{
    free(row->file);
    free(row->place);
    free(row->source);
    free(row->does);
}

static void release_rows(struct rdl__schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++)
        release_row(&schedule->rows[i]);
    schedule->count = 0;
    schedule->shown_count = 0;
}

/* The row before, if the step belongs to it: the same line of the same stretch.  A wait
 * is the end of what the line has begun. */
static struct rdl__row *row_to_join(const struct reading *reading, const struct rdl__step *step,
                                    const struct rdl__place *place)
{
    struct rdl__schedule *out = reading->out;
    struct rdl__row *last = out->count ? &out->rows[out->count - 1] : NULL;

    return last && last->thread == step->thread && step->how != RDL__STEP_INTERRUPTED &&
                   (last->mark == RDL__ROW_STEP || last->mark == RDL__ROW_GOES_ON) && place &&
                   place->line && place->line == last->line && strcmp(place->file, last->file) == 0
               ? last
               : NULL;
}

/* Has the thread waited, until now, to do just this? */
static bool has_waited(const struct reading *reading, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (reading->all[k].thread == reading->all[i].thread)
            return reading->all[k].how == RDL__STEP_WAITS &&
                   reading->all[k].pc == reading->all[i].pc;
    return false;
}

static void put_words(struct rdl__row *row, struct rdl__text *words)
{
    if (row->mark == RDL__ROW_WAITS) { /* that is what counts */
        free(row->does);
        row->does = NULL;
    }
    if (row->does && strstr(row->does, words->bytes)) {
        rdl__text_release(words);
        return;
    }
    if (row->does) {
        struct rdl__text both = {0};

        rdl__text_add(&both, "%s, %s", row->does, words->bytes);
        free(row->does);
        rdl__text_release(words);
        *words = both;
    }
    row->does = words->bytes;
}

static void remember_shown(struct rdl__schedule *out, uint64_t number)
{
    out->shown = rdl__reallocate(out->shown, (out->shown_count + 1) * sizeof *out->shown);
    out->shown[out->shown_count++] = number;
}

static void add_step(struct reading *reading, size_t i)
{
    static const enum rdl__row_mark marks[] = {[RDL__STEP_DONE] = RDL__ROW_STEP,
                                               [RDL__STEP_INTERRUPTED] = RDL__ROW_INTERRUPTED,
                                               [RDL__STEP_WAITS] = RDL__ROW_WAITS};
    const struct rdl__step *step = &reading->all[i];
    uintptr_t shown = rdl__step_shown(step, reading->words.lines);
    const struct rdl__place *place = rdl__lines_at(reading->words.lines, shown);
    bool is_known = place && place->line && step->op != RDL__OP_START;
    struct rdl__text where = {0}, words = {0};
    struct rdl__row *row;

    if (step->op != RDL__OP_START) /* where it was created is the creator's business */
        rdl__add_place(&where, reading->words.lines, shown);
    if (step->op == RDL__OP_START && step->how == RDL__STEP_DONE && !is_last_of_stretch(reading, i))
        rdl__text_add(&words, "runs from start to end");
    else
        rdl__step_add_words(&words, &reading->words, step);
    row = row_to_join(reading, step, is_known ? place : NULL);
    if (row) {
        rdl__text_release(&where);
        if (step->how == RDL__STEP_WAITS)
            row->mark = RDL__ROW_WAITS;
    } else {
        row = add_row(reading, step->thread, marks[step->how]);
        if (step->how == RDL__STEP_DONE && has_waited(reading, i))
            row->mark = RDL__ROW_GOES_ON;
        row->place = where.bytes ? where.bytes : rdl__duplicate("");
        row->file = rdl__duplicate(is_known ? place->file : "");
        row->line = is_known ? place->line : 0;
        row->source = is_known ? rdl__words_source(reading->words.lines, place->file, place->line)
                               : rdl__duplicate("");
    }
    put_words(row, &words);
}

/* ---- Notes ---------------------------------------------------------------------------------- */

static void next_note(struct reading *reading)
{
    bool found;

    do
        found = rdl__trace_next(reading->trace, &reading->note_position, &reading->note);
    while (found && reading->note.kind != RDL__EVENT_NOTE);
    if (!found)
        reading->note.text = NULL;
}

static void first_note(struct reading *reading)
{
    reading->note_position = 0;
    next_note(reading);
}

/* Those that were left before this step. */
static void add_notes(struct reading *reading, uint64_t before)
{
    for (; reading->note.text && reading->note.step < before; next_note(reading)) {
        struct rdl__row *row = add_row(reading, reading->note.thread, RDL__ROW_NOTE);

        row->file = rdl__duplicate("");
        row->place = rdl__duplicate("");
        row->source = rdl__duplicate("");
        row->does = rdl__duplicate_part(reading->note.text, strcspn(reading->note.text, "\n"));
    }
}

/* The end: what failed, and where. */
static void add_failure(struct reading *reading)
{
    static const char *const failing[] = {
        [RDL__BY_CHECK] = "fails",   [RDL__BY_ASSERT] = "fails", [RDL__BY_MISUSE] = "fails",
        [RDL__BY_CRASH] = "crashes", [RDL__BY_EXIT] = "exits",   [RDL__BY_HANG] = "hangs",
        [RDL__BY_RACE] = "races",    [RDL__BY_MEMORY] = "fails",
    };
    const struct rdl__outcome *outcome = reading->outcome;
    uint32_t thread = reading->steps->running;
    struct rdl__schedule *out = reading->out;
    struct rdl__row *last = out->count ? &out->rows[out->count - 1] : NULL;
    struct rdl__text place = {0};

    if (outcome->cause >= sizeof failing / sizeof *failing || !failing[outcome->cause])
        return; /* they all did */
    out->failed = out->failed_thread = thread + 1;
    out->failing = failing[outcome->cause];
    if (!outcome->line)
        return;
    rdl__text_add(&place, "%s:%d", rdl__file_briefly(reading->words.lines, outcome->file),
                  outcome->line);
    if (last && last->thread == thread && last->mark != RDL__ROW_INTERRUPTED &&
        strcmp(last->place, place.bytes) == 0) {
        last->mark = RDL__ROW_FAILS;
        rdl__text_release(&place);
        return;
    }
    last = add_row(reading, thread, RDL__ROW_FAILS);
    last->file = rdl__duplicate(outcome->file);
    last->line = outcome->line;
    last->place = place.bytes;
    last->source = rdl__words_source(reading->words.lines, outcome->file, outcome->line);
    last->does = rdl__duplicate(outcome->check);
}

/* Of too many rows, the last ones, and before them only interruptions. */
static void cut_rows(struct rdl__schedule *schedule)
{
    size_t from = schedule->count > ROWS_MAX ? schedule->count - ROWS_MAX : 0, kept = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        if (i >= from || schedule->rows[i].mark == RDL__ROW_INTERRUPTED)
            schedule->rows[kept++] = schedule->rows[i];
        else
            release_row(&schedule->rows[i]);
    }
    schedule->count = kept;
}

/* The other rows of the thread around this one: is one of them about the same line? */
static bool is_partly(const struct rdl__schedule *schedule, size_t i)
{
    const struct rdl__row *row = &schedule->rows[i];

    for (int direction = -1; direction <= 1; direction += 2)
        for (size_t k = i + (size_t)direction; k < schedule->count; k += (size_t)direction) {
            const struct rdl__row *other = &schedule->rows[k];

            if (other->thread != row->thread || other->mark == RDL__ROW_INTERRUPTED ||
                other->mark == RDL__ROW_NOTE)
                continue;
            if (other->mark != RDL__ROW_WAITS && strcmp(other->place, row->place) == 0)
                return true;
            break;
        }
    return false;
}

static void make_rows(struct reading *reading)
{
    struct rdl__schedule *out = reading->out;

    for (int level = 0; level < LEVELS; level++) {
        release_rows(out);
        first_note(reading);
        for (size_t i = 0; i < reading->count; i++) {
            add_notes(reading, reading->all[i].number);
            if (is_shown(reading, i, level)) {
                add_step(reading, i);
                remember_shown(out, reading->all[i].number);
            }
        }
        add_notes(reading, UINT64_MAX);
        if (out->count <= rows_max[level])
            break;
    }
    add_failure(reading);
    cut_rows(out);
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].mark == RDL__ROW_STEP || out->rows[i].mark == RDL__ROW_FAILS)
            out->rows[i].partly = is_partly(out, i);
}

/* ---- Columns and the headline ------------------------------------------------------------- */

/* Threads that have rows get columns, in order of their creation. */
static void make_columns(struct reading *reading)
{
    struct rdl__schedule *out = reading->out;
    uint32_t lowest = 0;
    char name[40];

    for (;;) {
        uint32_t next = UINT32_MAX;

        for (size_t i = 0; i < out->count; i++)
            if (out->rows[i].thread >= lowest && out->rows[i].thread < next)
                next = out->rows[i].thread;
        if (out->failed > lowest && out->failed - 1 < next)
            next = out->failed - 1;
        if (next == UINT32_MAX)
            return;
        out->threads =
            rdl__reallocate(out->threads, (out->thread_count + 1) * sizeof *out->threads);
        out->threads[out->thread_count] =
            rdl__duplicate(rdl__steps_thread(reading->steps, next, name));
        for (size_t i = 0; i < out->count; i++)
            if (out->rows[i].thread == next)
                out->rows[i].thread = out->thread_count;
        if (out->failed == next + 1)
            out->failed = out->thread_count + 1;
        out->thread_count++;
        lowest = next + 1;
    }
}

static char *headline_of(const struct reading *reading)
{
    uint32_t told = 0, preemptions = reading->steps->preemptions;
    struct rdl__text out = {0};
    char name[40];

    if (preemptions == 0)
        rdl__text_add(&out, "no preemption: fails when threads just run until they wait");
    else
        rdl__text_add_many(&out, preemptions, "preemption");
    for (size_t i = 0; i < reading->count && told < INTERRUPTIONS_TOLD; i++) {
        const struct rdl__step *step = &reading->all[i];

        if (step->how != RDL__STEP_INTERRUPTED)
            continue;
        rdl__text_add(&out, "%s %s%s %s", told ? "," : ":",
                      rdl__steps_thread(reading->steps, step->thread, name),
                      told ? "" : " interrupted",
                      step->op == RDL__OP_CALL ? "before its call" : "at ");
        rdl__add_place(&out, reading->words.lines, rdl__step_shown(step, reading->words.lines));
        told++;
    }
    if (told && told < preemptions)
        rdl__text_add(&out, ", ...");
    return out.bytes;
}

void rdl__schedule_want(const struct rdl__steps *steps, struct rdl__lines *lines)
{
    size_t count;
    struct rdl__step *all = rdl__steps_read_all(steps, &count);

    for (size_t i = 0; i < count; i++) {
        rdl__lines_want(lines, all[i].pc);
        for (int k = 0; k < RDL__STEP_CALLERS && all[i].callers[k]; k++)
            rdl__lines_want(lines, all[i].callers[k]);
        if (all[i].object && all[i].op != RDL__OP_JOIN)
            rdl__lines_want_name(lines, all[i].object);
    }
    for (uint32_t i = 0; i < steps->object_count && i < RDL__STEP_NAMES; i++)
        rdl__lines_want_name(lines, steps->objects[i].object);
    rdl__lines_add_modules(lines, &steps->modules);
    free(all);
}

void rdl__schedule_read(struct rdl__schedule *out, const struct rdl__trace *trace,
                        const struct rdl__outcome *outcome, const struct rdl__lines *lines,
                        struct rdl__objects *objects)
{
    const struct rdl__steps *steps = &trace->steps;
    struct reading reading = {.steps = steps,
                              .outcome = outcome,
                              .words = {steps, lines, objects},
                              .trace = trace,
                              .out = out};
    bool several = false;

    *out = (struct rdl__schedule){.preemptions = steps->preemptions, .steps = steps->count};
    reading.all = rdl__steps_read(steps, &reading.count);
    for (size_t i = 0; i < reading.count; i++)
        several = several || reading.all[i].thread != 0;
    if (several && !is_one_at_a_time(outcome, steps)) {
        out->headline = headline_of(&reading);
        make_rows(&reading);
        make_columns(&reading);
    }
    free(reading.all);
}

void rdl__schedule_release(struct rdl__schedule *schedule)
{
    release_rows(schedule);
    for (uint32_t i = 0; i < schedule->thread_count; i++)
        free(schedule->threads[i]);
    free(schedule->threads);
    free(schedule->shown);
    free(schedule->rows);
    free(schedule->headline);
    *schedule = (struct rdl__schedule){0};
}
