/* columns.c -- a schedule as text: a column for each thread, time going down.
 *
 * There is one step in each row, so a step may go on to the right as far as it
 * likes: what makes a column is where its steps begin.
 *
 *                     main    one     two
 *         bank.c:40   one = rdl_spawn(t, "one", deposit, NULL);
 *         bank.c:41   two = rdl_spawn(t, "two", deposit, NULL);
 *         bank.c:17           seen = balance;
 *                             -- interrupted --
 *         bank.c:17                   seen = balance;
 *         bank.c:18                   balance = seen + 1;
 *         bank.c:18           balance = seen + 1;
 *
 * With too many threads for that, their names stand in front. */
#include <string.h>

#include "report/report.h"

enum {
    COLUMNS_MAX = 4,
    PLACE_MAX = 28,
    STEP_MIN = 32, /* room for a step, at least */
    GAP = 3,
    NAME_MAX = 20,
};

struct layout {
    const struct rdl__schedule *schedule;
    const struct rdl__paint *paint;
    int width;
    int place;              /* width of the places */
    int name;               /* width of the names in front; 0: there are columns */
    int start[COLUMNS_MAX]; /* where the columns begin, behind the place */
};

static void add_spaces(struct rdl__text *out, int count)
{
    rdl__text_add(out, "%*s", count > 0 ? count : 0, "");
}

static int clamp(int value, int most)
{
    return value < most ? value : most;
}

/* Columns as far from each other as there is room for, or names in front. */
static void arrange(struct layout *layout)
{
    const struct rdl__schedule *schedule = layout->schedule;
    int names[COLUMNS_MAX], last = 0, longest = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        int length = rdl__text_width(schedule->rows[i].place);

        if (length > layout->place)
            layout->place = clamp(length, PLACE_MAX);
    }
    for (uint32_t i = 0; i < schedule->thread_count; i++) {
        int length = clamp(rdl__text_width(schedule->threads[i]), NAME_MAX);

        longest = length > longest ? length : longest;
        if (i < COLUMNS_MAX)
            names[i] = length;
    }
    for (int least = 12; least >= 4 && schedule->thread_count <= COLUMNS_MAX; least -= 2) {
        last = 0;
        for (uint32_t i = 0; i < schedule->thread_count; i++) {
            layout->start[i] = last;
            last += names[i] + 2 > least ? names[i] + 2 : least;
        }
        if (layout->start[schedule->thread_count - 1] + STEP_MIN + layout->place + GAP <=
            layout->width)
            return;
    }
    layout->name = longest;
}

static void add_header(struct rdl__text *out, const struct layout *layout)
{
    int at = 0;

    if (layout->name)
        return;
    add_spaces(out, layout->place + GAP);
    rdl__text_add(out, "%s", layout->paint->bold);
    for (uint32_t i = 0; i < layout->schedule->thread_count; i++) {
        add_spaces(out, layout->start[i] - at);
        at = layout->start[i] + rdl__text_add_clipped(out, layout->schedule->threads[i], NAME_MAX);
    }
    rdl__text_add(out, "%s\n", layout->paint->plain);
}

/* What there is to say beside the line itself. */
static void add_aside(struct rdl__text *out, const struct rdl__schedule *schedule,
                      const struct rdl__row *row)
{
    switch (row->mark) {
    case RDL__ROW_WAITS:
        rdl__text_add(out, "%s", row->source[0] ? "waits" : "");
        break;
    case RDL__ROW_GOES_ON:
        rdl__text_add(out, "goes on");
        break;
    case RDL__ROW_FAILS:
        rdl__text_add(out, "%s", schedule->failing);
        break;
    default:
        if (row->partly && row->source[0])
            rdl__text_add(out, "%s", row->does);
    }
}

static void add_row(struct rdl__text *out, const struct layout *layout, const struct rdl__row *row)
{
    const struct rdl__paint *paint = layout->paint;
    int indent = layout->name ? layout->name + GAP - 1 : layout->start[row->thread];
    int room = layout->width - layout->place - GAP - indent, used;
    const char *step = row->source[0] ? row->source : row->does;
    struct rdl__text aside = {0};

    if (row->mark == RDL__ROW_INTERRUPTED || !row->place[0]) {
        add_spaces(out, layout->place + GAP);
    } else {
        rdl__text_add(out, "%s", paint->dim);
        used = rdl__text_add_clipped(out, row->place, layout->place);
        rdl__text_add(out, "%s", paint->plain);
        add_spaces(out, layout->place + GAP - used);
    }
    if (layout->name)
        indent -= rdl__text_add_clipped(out, layout->schedule->threads[row->thread], NAME_MAX);
    add_spaces(out, indent);
    add_aside(&aside, layout->schedule, row);
    if (row->mark == RDL__ROW_INTERRUPTED) {
        rdl__text_add(out, "%s-- interrupted --%s", paint->yellow, paint->plain);
    } else if (row->mark == RDL__ROW_NOTE) {
        rdl__text_add(out, "\"");
        rdl__text_add_clipped(out, row->does, room - 2);
        rdl__text_add(out, "\"");
    } else {
        int least = clamp(rdl__text_width(step), STEP_MIN / 3);

        if (aside.count && room - (int)aside.count - 2 < least)
            rdl__text_clear(&aside);
        rdl__text_add(out, "%s", row->mark == RDL__ROW_FAILS ? paint->red : "");
        rdl__text_add_clipped(out, step, aside.count ? room - (int)aside.count - 2 : room);
        rdl__text_add(out, "%s", row->mark == RDL__ROW_FAILS ? paint->plain : "");
        if (aside.count)
            rdl__text_add(out, "  %s%s%s", paint->dim, aside.bytes, paint->plain);
    }
    rdl__text_add(out, "\n");
    rdl__text_release(&aside);
}

void rdl__add_schedule(struct rdl__text *out, const struct rdl__schedule *schedule, int width,
                       const struct rdl__paint *paint)
{
    static const struct rdl__paint none = {"", "", "", "", ""};
    struct layout layout = {.schedule = schedule, .paint = paint ? paint : &none, .width = width};

    if (schedule->count == 0)
        return;
    arrange(&layout);
    add_header(out, &layout);
    for (size_t i = 0; i < schedule->count; i++)
        add_row(out, &layout, &schedule->rows[i]);
}
