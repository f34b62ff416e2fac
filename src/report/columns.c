/* columns.c -- what threads did as text: a column for each, time going down.
 *
 * There is one thing in each row, so it may go on to the right as far as it likes: what makes a
 * column is where its rows begin.
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
 * With too many threads for that, their names stand in front.  Schedules, of the few steps that
 * matter, and timelines, of everything, are drawn alike. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum {
    COLUMNS_MAX = 4,
    PLACE_MAX = 28,
    STEP_MIN = 32, /* room for a step, at least */
    GAP = 3,
    NAME_MAX = 20,
    ASIDE_MIN = 7, /* with the blanks before it */
};

/* A row: what stands in front, then, in its column, the text, and something beside it. */
struct row {
    uint32_t lane; /* RDL__NO_LANE: it begins where the first column does */
    const char *place, *text, *aside;
    const char *ink, *quote; /* around the text */
    bool hides_place;        /* though there is room for it */
    bool whole;              /* what stands beside it has the room that the text leaves */
};

struct layout {
    const char *const *names; /* of the columns */
    uint32_t lanes;
    const struct row *rows;
    size_t count;
    const struct rdl__paint *paint;
    int width;
    int place;              /* width of the places */
    int name;               /* width of the names in front; 0: there are columns */
    int start[COLUMNS_MAX]; /* where the columns begin, behind the place */
};

static const struct rdl__paint no_paint = {"", "", "", "", ""};

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
    int names[COLUMNS_MAX], last = 0, longest = 0;

    for (size_t i = 0; i < layout->count; i++) {
        int length = rdl__text_width(layout->rows[i].place);

        if (length > layout->place)
            layout->place = clamp(length, PLACE_MAX);
    }
    for (uint32_t i = 0; i < layout->lanes; i++) {
        int length = clamp(rdl__text_width(layout->names[i]), NAME_MAX);

        longest = length > longest ? length : longest;
        if (i < COLUMNS_MAX)
            names[i] = length;
    }
    for (int least = 12; least >= 4 && layout->lanes && layout->lanes <= COLUMNS_MAX; least -= 2) {
        last = 0;
        for (uint32_t i = 0; i < layout->lanes; i++) {
            layout->start[i] = last;
            last += names[i] + 2 > least ? names[i] + 2 : least;
        }
        if (layout->start[layout->lanes - 1] + STEP_MIN + layout->place + GAP <= layout->width)
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
    for (uint32_t i = 0; i < layout->lanes; i++) {
        add_spaces(out, layout->start[i] - at);
        at = layout->start[i] + rdl__text_add_elided(out, layout->names[i], NAME_MAX);
    }
    rdl__text_add(out, "%s\n", layout->paint->plain);
}

/* What stands beside is left out where there is hardly room for the text. */
static void add_text(struct rdl__text *out, const struct layout *layout, const struct row *row,
                     int room)
{
    int least = clamp(rdl__text_width(row->text), STEP_MIN / 3);
    int beside = *row->aside ? rdl__text_width(row->aside) + 2 : 0;
    int quotes = 2 * (int)strlen(row->quote);

    if (row->whole) {
        int left = room - rdl__text_width(row->text) - quotes;

        beside = left < beside ? left : beside;
        least = 0;
    }
    if (room - beside < least || beside < ASIDE_MIN)
        beside = 0;
    rdl__text_add(out, "%s%s", row->ink, row->quote);
    rdl__text_add_clipped(out, row->text, room - beside - quotes);
    rdl__text_add(out, "%s%s", row->quote, *row->ink ? layout->paint->plain : "");
    if (beside) {
        rdl__text_add(out, "  %s", layout->paint->dim);
        rdl__text_add_clipped(out, row->aside, beside - 2);
        rdl__text_add(out, "%s", layout->paint->plain);
    }
}

static void add_row(struct rdl__text *out, const struct layout *layout, const struct row *row)
{
    const struct rdl__paint *paint = layout->paint;
    bool has_lane = row->lane < layout->lanes;
    int indent = layout->name ? layout->name + GAP - 1 : has_lane ? layout->start[row->lane] : 0;
    int room = layout->width - layout->place - GAP - indent, used = 0;

    if (*row->place && !row->hides_place) {
        rdl__text_add(out, "%s", paint->dim);
        used = rdl__text_add_clipped(out, row->place, layout->place);
        rdl__text_add(out, "%s", paint->plain);
    }
    add_spaces(out, layout->place + GAP - used);
    if (layout->name && has_lane)
        indent -= rdl__text_add_elided(out, layout->names[row->lane], NAME_MAX);
    add_spaces(out, indent);
    add_text(out, layout, row, room);
    rdl__text_add(out, "\n");
}

static void add_rows(struct rdl__text *out, struct layout *layout)
{
    arrange(layout);
    add_header(out, layout);
    for (size_t i = 0; i < layout->count; i++)
        add_row(out, layout, &layout->rows[i]);
}

/* ---- Schedules ------------------------------------------------------------------------------- */

/* What there is to say beside the line itself. */
static const char *aside_of(const struct rdl__schedule *schedule, const struct rdl__row *row)
{
    switch (row->mark) {
    case RDL__ROW_WAITS:
        return row->source[0] ? "waits" : "";
    case RDL__ROW_GOES_ON:
        return "goes on";
    case RDL__ROW_FAILS:
        return schedule->failing ? schedule->failing : "";
    case RDL__ROW_INTERRUPTED:
    case RDL__ROW_NOTE:
        return "";
    default:
        return row->partly && row->source[0] ? row->does : "";
    }
}

static struct row row_of(const struct rdl__schedule *schedule, const struct rdl__row *row,
                         const struct rdl__paint *paint)
{
    struct row shown = {.lane = row->thread,
                        .place = row->place,
                        .text = row->source[0] ? row->source : row->does,
                        .aside = aside_of(schedule, row),
                        .ink = "",
                        .quote = ""};

    if (row->mark == RDL__ROW_INTERRUPTED) {
        shown.hides_place = true;
        shown.text = "-- interrupted --";
        shown.ink = paint->yellow;
    } else if (row->mark == RDL__ROW_NOTE) {
        shown.text = row->does;
        shown.quote = "\"";
    } else if (row->mark == RDL__ROW_FAILS) {
        shown.ink = paint->red;
    }
    return shown;
}

void rdl__add_schedule(struct rdl__text *out, const struct rdl__schedule *schedule, int width,
                       const struct rdl__paint *paint)
{
    struct row *rows = rdl__allocate((schedule->count + 1) * sizeof *rows);
    struct layout layout = {.names = (const char *const *)schedule->threads,
                            .lanes = schedule->thread_count,
                            .rows = rows,
                            .count = schedule->count,
                            .paint = paint ? paint : &no_paint,
                            .width = width};

    for (size_t i = 0; i < schedule->count; i++)
        rows[i] = row_of(schedule, &schedule->rows[i], layout.paint);
    if (schedule->count > 0)
        add_rows(out, &layout);
    free(rows);
}

/* ---- Timelines ------------------------------------------------------------------------------- */

/* "12", and beside it the place, if it is to be shown. */
static char *front_of(const struct rdl__item *item, const struct rdl__excerpt *excerpt,
                      uint32_t number)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "%s%*u", number == excerpt->marked ? "> " : "  ", excerpt->digits,
                  item->from);
    if (excerpt->with_places && *item->place)
        rdl__text_add(&text, "  %s", item->place);
    return text.bytes;
}

static char *text_of(const struct rdl__item *item)
{
    struct rdl__text text = {0};

    if (item->kind == RDL__ITEM_SWITCH)
        rdl__text_add(&text, "-- interrupted --");
    else
        rdl__text_add(&text, "%.*s", (int)strcspn(item->title, "\n"), item->title);
    return text.bytes;
}

/* The line itself of steps, and of what lasts how it ends. */
static char *beside(const struct rdl__item *item)
{
    struct rdl__text text = {0};
    bool lasts = item->to > item->from;

    if (item->kind == RDL__ITEM_STEP)
        rdl__text_add(&text, "%s", item->source);
    else if (item->kind == RDL__ITEM_CALL && item->open)
        rdl__text_add(&text, "does not return");
    else if (item->kind != RDL__ITEM_FAILURE && item->kind != RDL__ITEM_SWITCH)
        rdl__text_add(&text, "%.*s", (int)strcspn(item->detail, "\n"), item->detail);
    if (item->kind == RDL__ITEM_CALL && !item->open && lasts)
        rdl__text_add(&text, "%sat %u", text.count ? " " : "returns ", item->to);
    if (item->kind == RDL__ITEM_WAIT && lasts)
        rdl__text_add(&text, item->open ? "%sfor ever" : "%suntil %u", text.count ? ", " : "",
                      item->to);
    return text.bytes;
}

/* A message is there twice, where it comes from and where it goes; a line says both. */
static bool is_arrival(const struct rdl__timeline *timeline, uint32_t i)
{
    const struct rdl__item *item = &timeline->items[i], *before = item - 1;

    return i > 0 && item->kind == RDL__ITEM_MESSAGE && before->kind == RDL__ITEM_MESSAGE &&
           before->from == item->from && strcmp(before->title, item->title) == 0;
}

void rdl__add_timeline(struct rdl__text *out, const struct rdl__timeline *timeline,
                       const struct rdl__excerpt *excerpt, int width,
                       const struct rdl__paint *paint)
{
    size_t count = 0;
    struct row *rows = rdl__allocate((excerpt->end - excerpt->first + 1) * sizeof *rows);
    const char **names = rdl__allocate((timeline->lane_count + 1) * sizeof *names);
    struct layout layout = {.names = names,
                            .lanes = timeline->lane_count,
                            .rows = rows,
                            .paint = paint ? paint : &no_paint,
                            .width = width};

    for (uint32_t i = 0; i < timeline->lane_count; i++)
        names[i] = timeline->lanes[i].name;
    for (uint32_t i = excerpt->first; i < excerpt->end; i++) {
        const struct rdl__item *item = &timeline->items[i];
        char *aside;

        if (is_arrival(timeline, i) && i != excerpt->marked)
            continue;
        aside = beside(item);
        rows[count++] =
            (struct row){.lane = item->lane,
                         .place = front_of(item, excerpt, i),
                         .text = text_of(item),
                         .aside = aside ? aside : rdl__duplicate(""),
                         .ink = item->fails                          ? layout.paint->red
                                : item->kind == RDL__ITEM_SWITCH     ? layout.paint->yellow
                                : item->lane >= timeline->lane_count ? layout.paint->bold
                                                                     : "",
                         .quote = item->kind == RDL__ITEM_NOTE ? "\"" : "",
                         .whole = true};
    }
    layout.count = count;
    add_rows(out, &layout);
    for (size_t i = 0; i < count; i++) {
        free((char *)rows[i].place);
        free((char *)rows[i].text);
        free((char *)rows[i].aside);
    }
    free(rows);
    free(names);
}
