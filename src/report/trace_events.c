/* trace_events.c -- failing cases in the trace-event format, which Perfetto and Chrome open.
 *
 * A case is a process, its lanes are the threads of it, and a moment is a microsecond.  What lasts,
 * and whatever an arrow begins or ends at, is a complete event ("X"), since arrows ("s", "f") are
 * bound to such events by the time at which they are; everything else is an instant ("i").  What
 * concerns all lanes has a track of its own, the first.
 *
 * Complete events of a thread have to lie one within the other, or apart.  What happened in a lane
 * does so anyway, but for what a lost end has left open: its end is where that around it ends. */
#include <stdlib.h>

#include "report/json.h"

enum { ALL_LANES = 0 };

struct drawing {
    struct rdl__text *out;
    const struct rdl__timeline *timeline;
    uint64_t process;
    uint32_t *ends;   /* of items: the moment that is not theirs any more */
    bool *has_arrow;  /* of items */
    uint64_t *arrows; /* of the whole file: ids must differ */
};

static uint64_t track_of(const struct rdl__item *item)
{
    return item->lane == RDL__NO_LANE ? ALL_LANES : (uint64_t)item->lane + 1;
}

/* ---- Where things end ------------------------------------------------------------------------ */

static uint32_t end_of(const struct rdl__timeline *timeline, const struct rdl__item *item)
{
    if (item->open)
        return timeline->moments;
    return item->to > item->from ? item->to : item->from + 1;
}

/* One lane after the other, so that it is known what an item lies in. */
static void find_ends(struct drawing *d, uint64_t track, uint32_t *around)
{
    const struct rdl__timeline *timeline = d->timeline;
    uint32_t depth = 0;

    for (uint32_t i = 0; i < timeline->count; i++) {
        const struct rdl__item *item = &timeline->items[i];

        if (track_of(item) != track)
            continue;
        while (depth > 0 && d->ends[around[depth - 1]] <= item->from)
            depth--;
        d->ends[i] = end_of(timeline, item);
        if (depth > 0 && d->ends[i] > d->ends[around[depth - 1]])
            d->ends[i] = d->ends[around[depth - 1]];
        around[depth++] = i;
    }
}

static void prepare(struct drawing *d)
{
    const struct rdl__timeline *timeline = d->timeline;
    uint32_t *around = rdl__allocate((timeline->count + 1) * sizeof *around);

    d->ends = rdl__allocate((timeline->count + 1) * sizeof *d->ends);
    d->has_arrow = rdl__allocate((timeline->count + 1) * sizeof *d->has_arrow);
    for (uint64_t track = ALL_LANES; track <= timeline->lane_count; track++)
        find_ends(d, track, around);
    for (uint32_t i = 0; i < timeline->arrow_count; i++)
        d->has_arrow[timeline->arrows[i].from] = d->has_arrow[timeline->arrows[i].to] = true;
    free(around);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void open_event(const struct drawing *d, const char *phase, const char *name, uint64_t track)
{
    add_comma(d->out);
    rdl__text_add(d->out, "\n{");
    add_string(d->out, "ph", phase);
    add_string(d->out, "name", name);
    add_count(d->out, "pid", d->process);
    add_count(d->out, "tid", track);
}

static void add_metadata(const struct drawing *d, const char *what, uint64_t track,
                         const char *name)
{
    open_event(d, "M", what, track);
    rdl__text_add(d->out, ",\"args\":{");
    add_string(d->out, "name", name);
    rdl__text_add(d->out, "}}");
}

static void add_order(const struct drawing *d, const char *what, uint64_t track, uint64_t place)
{
    open_event(d, "M", what, track);
    rdl__text_add(d->out, ",\"args\":{\"sort_index\":%" PRIu64 "}}", place);
}

static void add_names(const struct drawing *d, const char *name)
{
    add_metadata(d, "process_name", ALL_LANES, name);
    add_order(d, "process_sort_index", ALL_LANES, d->process);
    add_metadata(d, "thread_name", ALL_LANES, "all");
    add_order(d, "thread_sort_index", ALL_LANES, ALL_LANES);
    for (uint32_t i = 0; i < d->timeline->lane_count; i++) {
        add_metadata(d, "thread_name", i + 1, d->timeline->lanes[i].name);
        add_order(d, "thread_sort_index", i + 1, i + 1);
    }
}

static void add_argument(struct rdl__text *out, const char *key, const char *value)
{
    if (*value)
        add_string(out, key, value);
}

static void add_arguments(struct rdl__text *out, const struct rdl__item *item)
{
    rdl__text_add(out, ",\"args\":{");
    if (item->kind == RDL__ITEM_SWITCH)
        add_argument(out, "before it", item->title);
    add_argument(out, "detail", item->detail);
    add_argument(out, "place", item->place);
    add_argument(out, "source", item->source);
    add_argument(out, "state before", item->before);
    add_argument(out, "state after", item->after);
    add_argument(out, "possible states", item->possible);
    if (item->fails)
        add_bool(out, "fails", true);
    if (item->open)
        add_bool(out, "has not ended", true);
    rdl__text_add(out, "}");
}

static bool lasts(const struct drawing *d, uint32_t i)
{
    const struct rdl__item *item = &d->timeline->items[i];

    return item->to > item->from || item->open || d->has_arrow[i] || item->kind == RDL__ITEM_STEP;
}

/* Titles of preemptions are what is not done yet. */
static const char *name_of(const struct rdl__item *item)
{
    return item->kind == RDL__ITEM_SWITCH ? "interrupted" : item->title;
}

static void add_item(const struct drawing *d, uint32_t i)
{
    const struct rdl__item *item = &d->timeline->items[i];
    bool all = item->lane == RDL__NO_LANE;

    open_event(d, lasts(d, i) ? "X" : "i", name_of(item), track_of(item));
    add_string(d->out, "cat", rdl__item_kind_name(item->kind));
    add_count(d->out, "ts", item->from);
    if (lasts(d, i))
        add_count(d->out, "dur", d->ends[i] - item->from);
    else
        add_string(d->out, "s", all ? "p" : "t");
    if (item->fails)
        add_string(d->out, "cname", "terrible");
    else if (item->kind == RDL__ITEM_WAIT)
        add_string(d->out, "cname", "thread_state_sleeping");
    add_arguments(d->out, item);
    rdl__text_add(d->out, "}");
}

/* A call-out leaves its caller when the callee begins; a wait is woken at its end, in its last
 * moment. */
static void add_arrow(const struct drawing *d, const struct rdl__arrow *arrow)
{
    const struct rdl__item *items = d->timeline->items;
    const char *name = *arrow->text ? arrow->text : rdl__arrow_kind_name(arrow->kind);
    uint64_t from = items[arrow->from].from, to = items[arrow->to].from;

    if (arrow->kind == RDL__ARROW_WAKES)
        to = d->ends[arrow->to] - 1;
    if (arrow->kind == RDL__ARROW_CALLS)
        from = to < d->ends[arrow->from] ? to : d->ends[arrow->from] - 1;
    if (to < from)
        return;
    ++*d->arrows;
    open_event(d, "s", name, track_of(&items[arrow->from]));
    rdl__text_add(d->out, ",\"cat\":\"arrow\",\"id\":%" PRIu64 ",\"ts\":%" PRIu64 "}", *d->arrows,
                  from);
    open_event(d, "f", name, track_of(&items[arrow->to]));
    rdl__text_add(d->out, ",\"cat\":\"arrow\",\"id\":%" PRIu64 ",\"ts\":%" PRIu64 ",\"bp\":\"e\"}",
                  *d->arrows, to);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void add_case(struct rdl__report *report, const char *name,
                     const struct rdl__timeline *timeline)
{
    struct drawing d = {.out = &report->body, .timeline = timeline, .arrows = &report->arrows};

    if (timeline->count == 0)
        return;
    d.process = ++report->cases;
    prepare(&d);
    add_names(&d, name);
    for (uint32_t i = 0; i < timeline->count; i++)
        add_item(&d, i);
    for (uint32_t i = 0; i < timeline->arrow_count; i++)
        add_arrow(&d, &timeline->arrows[i]);
    free(d.ends);
    free(d.has_arrow);
}

static void test_ended(void *self, const struct rdl__result *result)
{
    struct rdl__report *report = self;
    struct rdl__text name = {0};

    if (!report->body.count)
        rdl__text_add(&report->body, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    for (size_t i = 0; i < result->failure_count; i++) {
        rdl__text_clear(&name);
        rdl__text_add(&name, "%s: ", result->test->name);
        rdl__failure_headline(&name, &result->failures[i]);
        add_case(report, name.bytes, &result->failures[i].timeline);
    }
    add_case(report, result->test->name, &result->timeline);
    rdl__text_release(&name);
}

static void run_ended(void *self, double seconds)
{
    struct rdl__report *report = self;

    (void)seconds;
    if (!report->body.count)
        rdl__text_add(&report->body, "{\"traceEvents\":[");
    rdl__report_end(report, "\n]}\n");
}

struct rdl__listener rdl__report_trace(struct rdl__report *report)
{
    return (struct rdl__listener){.run_started = rdl__report_begin,
                                  .test_ended = test_ended,
                                  .run_ended = run_ended,
                                  .self = report};
}
