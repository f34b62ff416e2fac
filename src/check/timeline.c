/* timeline.c -- a case as it can be drawn.
 *
 * Steps of controlled threads and what drivers have told are gone through in the order in which
 * they happened; each becomes an item, or the end of one. */
#include "check/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"

enum { THREADS_MAX = RDL__STEP_THREADS };

enum { NONE = UINT32_MAX };

/* What is known of a thread while the items are made. */
struct thread {
    uint32_t lane; /* NONE: it has none yet */
    uint32_t wait; /* the item that it waits in; NONE: it does not */
};

/* A lane, as drivers number them. */
struct numbered {
    uint32_t id, lane;
    uint32_t call; /* the innermost item of a call that has not ended; NONE: there is none */
};

struct drawing {
    struct rdl__timeline *out;
    const struct rdl__trace *trace;
    const struct rdl__outcome *outcome;
    const struct rdl__step_words *words;
    const struct rdl__schedule *schedule;
    struct rdl__step *steps;
    size_t step_count;
    struct thread threads[THREADS_MAX];
    uint32_t *ranks; /* of lanes: in which order they are shown */
    struct numbered *numbered;
    uint32_t numbered_count;
    uint32_t *by_id; /* items, by the number of the driver's; NONE: there is none */
    uint32_t id_count;
    uint32_t *callers; /* of items: the item of the call that was going on in the lane; NONE */
    uint32_t item_room, arrow_room;
    uint32_t interrupted; /* the item of the last preemption, until somebody goes on; NONE */
    uint32_t created, creators[THREADS_MAX]; /* threads, and by which items */
    uint32_t *of_step;                       /* items of steps, by their place in `steps`; NONE */
    size_t shown;                            /* how many of schedule->shown have been passed */
};

/* ---- Pieces ---------------------------------------------------------------------------------- */

static const char *keep(struct drawing *d, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    char *copy;

    if (length == 0)
        return "";
    copy = rdl__arena_alloc(&d->out->memory, length + 1);
    memcpy(copy, text, length + 1);
    return copy;
}

static const char *keep_text(struct drawing *d, struct rdl__text *text)
{
    const char *kept = keep(d, rdl__text_string(text));

    rdl__text_release(text);
    return kept;
}

/* The rank is where it stands among those of its kind. */
static uint32_t add_lane(struct drawing *d, const char *name, enum rdl__lane_kind kind,
                         uint32_t rank)
{
    struct rdl__timeline *out = d->out;

    out->lanes = rdl__reallocate(out->lanes, (out->lane_count + 1) * sizeof *out->lanes);
    d->ranks = rdl__reallocate(d->ranks, (out->lane_count + 1) * sizeof *d->ranks);
    out->lanes[out->lane_count] = (struct rdl__lane){keep(d, name), kind};
    d->ranks[out->lane_count] = rank;
    return out->lane_count++;
}

/* The lane of a thread, which is made when something happens in it. */
static uint32_t lane_of_thread(struct drawing *d, uint32_t thread)
{
    bool is_alone = !d->words->steps->begun; /* no threads are controlled: it is the test's */
    char name[40];

    if (thread >= THREADS_MAX)
        return RDL__NO_LANE;
    if (d->threads[thread].lane == NONE)
        d->threads[thread].lane =
            is_alone ? add_lane(d, "test", RDL__LANE_TEST, 0)
                     : add_lane(d, rdl__steps_thread(d->words->steps, thread, name),
                                RDL__LANE_THREAD, thread);
    return d->threads[thread].lane;
}

static struct numbered *numbered_at(struct drawing *d, uint32_t id)
{
    for (uint32_t i = 0; i < d->numbered_count; i++)
        if (d->numbered[i].id == id)
            return &d->numbered[i];
    return NULL;
}

static uint32_t lane_of_event(struct drawing *d, const struct rdl__event *event)
{
    const struct numbered *numbered = event->lane ? numbered_at(d, event->lane) : NULL;

    return numbered ? numbered->lane : lane_of_thread(d, event->thread);
}

/* An item at this moment; a moment is over when the next one is asked for. */
static uint32_t add_item(struct drawing *d, enum rdl__item_kind kind, uint32_t lane)
{
    struct rdl__timeline *out = d->out;

    if (out->count == d->item_room) {
        d->item_room = 2 * d->item_room + 64;
        out->items = rdl__reallocate(out->items, d->item_room * sizeof *out->items);
        d->callers = rdl__reallocate(d->callers, d->item_room * sizeof *d->callers);
    }
    d->callers[out->count] = NONE;
    out->items[out->count] = (struct rdl__item){.kind = kind,
                                                .lane = lane,
                                                .from = out->moments,
                                                .to = out->moments,
                                                .title = "",
                                                .detail = "",
                                                .place = "",
                                                .file = "",
                                                .source = "",
                                                .before = "",
                                                .after = "",
                                                .possible = ""};
    return out->count++;
}

static void add_arrow(struct drawing *d, enum rdl__arrow_kind kind, uint32_t from, uint32_t to)
{
    struct rdl__timeline *out = d->out;

    if (from == NONE || to == NONE)
        return;
    if (out->arrow_count == d->arrow_room) {
        d->arrow_room = 2 * d->arrow_room + 16;
        out->arrows = rdl__reallocate(out->arrows, d->arrow_room * sizeof *out->arrows);
    }
    out->arrows[out->arrow_count++] = (struct rdl__arrow){kind, from, to, ""};
}

static struct rdl__item *item(struct drawing *d, uint32_t number)
{
    return &d->out->items[number];
}

/* ---- Steps of controlled threads ------------------------------------------------------------- */

static void put_place(struct drawing *d, struct rdl__item *it, uintptr_t pc)
{
    const struct rdl__place *place = rdl__lines_at(d->words->lines, pc);
    struct rdl__text where = {0};

    rdl__add_place(&where, d->words->lines, pc);
    it->place = keep_text(d, &where);
    if (place && place->line) {
        it->file = keep(d, place->file);
        it->line = place->line;
    }
}

static bool touches(const struct rdl__step *step, const struct rdl__step *other)
{
    return step->object && (other->object == step->object || other->also == step->object);
}

/* Is this what ends a wait for that?  Of a thread that is joined, its end does; of a condition,
 * a signal. */
static bool ends_wait(const struct rdl__step *step, const struct rdl__step *other)
{
    if (step->op == RDL__OP_JOIN)
        return other->how == RDL__STEP_ENDS && other->thread + 1 == step->other;
    if (other->how != RDL__STEP_DONE || other->thread == step->thread || !touches(step, other))
        return false;
    return step->op != RDL__OP_WAIT || other->op == RDL__OP_SIGNAL ||
           other->op == RDL__OP_BROADCAST;
}

/* The last step before this one that ends a wait for what this one is about. */
static size_t done_by_another(const struct drawing *d, size_t i)
{
    for (size_t k = i; k-- > 0;)
        if (ends_wait(&d->steps[i], &d->steps[k]))
            return k;
    return SIZE_MAX;
}

static bool takes_lock(const struct rdl__step *step)
{
    return step->op == RDL__OP_LOCK || step->op == RDL__OP_TRYLOCK ||
           step->op == RDL__OP_READ_LOCK || step->op == RDL__OP_WRITE_LOCK;
}

/* Who has what this step waits for, as far as steps tell. */
static void put_holder(struct drawing *d, struct rdl__item *it, size_t i)
{
    size_t k = takes_lock(&d->steps[i]) ? done_by_another(d, i) : SIZE_MAX;
    struct rdl__text text = {0};
    char name[40];

    if (k == SIZE_MAX || !takes_lock(&d->steps[k]))
        return;
    rdl__text_add(&text, "which %s has since ",
                  rdl__steps_thread(d->words->steps, d->steps[k].thread, name));
    rdl__add_place(&text, d->words->lines, d->steps[k].pc);
    it->detail = keep_text(d, &text);
}

/* It goes on: with whose help? */
static void end_wait(struct drawing *d, size_t i)
{
    struct thread *thread = &d->threads[d->steps[i].thread];
    size_t k;

    if (thread->wait == NONE)
        return;
    item(d, thread->wait)->to = d->out->moments;
    item(d, thread->wait)->open = false;
    k = done_by_another(d, i);
    if (k != SIZE_MAX && d->of_step[k] != NONE &&
        item(d, d->of_step[k])->from > item(d, thread->wait)->from)
        add_arrow(d, RDL__ARROW_WAKES, d->of_step[k], thread->wait);
    thread->wait = NONE;
}

/* Threads are numbered in the order of their creation. */
static void link_creator(struct drawing *d, const struct rdl__step *step, uint32_t number)
{
    if (step->how != RDL__STEP_DONE)
        return;
    if (step->op == RDL__OP_CREATE && ++d->created < THREADS_MAX)
        d->creators[d->created] = number;
    if (step->op == RDL__OP_START && step->thread <= d->created)
        add_arrow(d, RDL__ARROW_CREATES, d->creators[step->thread], number);
}

static bool matters(struct drawing *d, uint64_t number)
{
    const struct rdl__schedule *schedule = d->schedule;

    while (d->shown < schedule->shown_count && schedule->shown[d->shown] < number)
        d->shown++;
    return d->shown < schedule->shown_count && schedule->shown[d->shown] == number;
}

static void draw_step(struct drawing *d, size_t i)
{
    static const enum rdl__item_kind kinds[] = {[RDL__STEP_DONE] = RDL__ITEM_STEP,
                                                [RDL__STEP_INTERRUPTED] = RDL__ITEM_SWITCH,
                                                [RDL__STEP_WAITS] = RDL__ITEM_WAIT,
                                                [RDL__STEP_ENDS] = RDL__ITEM_STEP};
    const struct rdl__step *step = &d->steps[i];
    struct rdl__text words = {0};
    uint32_t number;

    if (rdl__step_is_harness(d->outcome, step) || step->thread >= THREADS_MAX)
        return;
    number = add_item(d, kinds[step->how], lane_of_thread(d, step->thread));
    d->of_step[i] = number;
    if (step->how == RDL__STEP_ENDS)
        rdl__text_add(&words, "ends");
    else if (step->op == RDL__OP_WAIT && step->how == RDL__STEP_DONE &&
             d->threads[step->thread].wait != NONE)
        rdl__text_add(&words, "goes on"); /* its words would be those of the wait */
    else
        rdl__step_add_words(&words, d->words, step);
    item(d, number)->title = keep_text(d, &words);
    item(d, number)->matters = matters(d, step->number);
    if (step->op != RDL__OP_START && step->how != RDL__STEP_ENDS)
        put_place(d, item(d, number), rdl__step_shown(step, d->words->lines));
    if (step->how != RDL__STEP_INTERRUPTED)
        end_wait(d, i);
    if (d->interrupted != NONE && item(d, d->interrupted)->lane != item(d, number)->lane) {
        add_arrow(d, RDL__ARROW_SWITCHES, d->interrupted, number);
        d->interrupted = NONE;
    }
    if (step->how == RDL__STEP_INTERRUPTED)
        d->interrupted = number;
    if (step->how == RDL__STEP_WAITS) {
        put_holder(d, item(d, number), i);
        item(d, number)->open = true;
        d->threads[step->thread].wait = number;
    }
    link_creator(d, step, number);
    d->out->moments++;
}

/* ---- What drivers tell ----------------------------------------------------------------------- */

static enum rdl__lane_kind lane_kind(const char *name)
{
    for (int kind = 0; kind <= RDL__LANE_TEST; kind++)
        if (strcmp(rdl__lane_kind_name(kind), name) == 0)
            return kind;
    return RDL__LANE_TEST;
}

static enum rdl__item_kind item_kind(const char *name)
{
    for (int kind = 0; kind <= RDL__ITEM_FAILURE; kind++)
        if (strcmp(rdl__item_kind_name(kind), name) == 0)
            return kind;
    return RDL__ITEM_NOTE;
}

/* A client that is a controlled thread has the lane of both. */
static void draw_lane(struct drawing *d, const struct rdl__event *event)
{
    enum rdl__lane_kind kind = lane_kind(event->what);
    struct numbered *numbered = numbered_at(d, event->id);
    bool is_thread = kind == RDL__LANE_CLIENT && event->thread > 0 && event->thread < THREADS_MAX;

    if (!numbered) {
        d->numbered = rdl__reallocate(d->numbered, (d->numbered_count + 1) * sizeof *d->numbered);
        numbered = &d->numbered[d->numbered_count++];
        *numbered =
            (struct numbered){event->id, add_lane(d, event->text, kind, d->out->lane_count), NONE};
    }
    if (is_thread)
        d->threads[event->thread].lane = numbered->lane;
}

static uint32_t item_of_id(const struct drawing *d, uint32_t id)
{
    return id < d->id_count ? d->by_id[id] : NONE;
}

static void remember_id(struct drawing *d, uint32_t id, uint32_t number)
{
    if (id >= 1u << 24)
        return; /* not one of ours: a crashed case may have left anything */
    while (d->id_count <= id) {
        if ((d->id_count & (d->id_count - 1)) == 0)
            d->by_id = rdl__reallocate(d->by_id, (2 * d->id_count + 2) * sizeof *d->by_id);
        d->by_id[d->id_count++] = NONE;
    }
    d->by_id[id] = number;
}

/* What begins in a lane, and perhaps because of a call that another lane is in. */
static void draw_since(struct drawing *d, const struct rdl__event *event)
{
    enum rdl__item_kind kind = item_kind(event->what);
    struct numbered *lane = numbered_at(d, event->lane), *from = numbered_at(d, event->other);
    uint32_t number =
        add_item(d, kind, kind == RDL__ITEM_PHASE ? RDL__NO_LANE : lane_of_event(d, event));

    item(d, number)->title = keep(d, event->text);
    item(d, number)->open = true;
    remember_id(d, event->id, number);
    if (from)
        add_arrow(d, RDL__ARROW_CALLS, from->call, number);
    if (lane && kind == RDL__ITEM_CALL) {
        d->callers[number] = lane->call;
        lane->call = number;
    }
    d->out->moments++;
}

static void draw_until(struct drawing *d, const struct rdl__event *event)
{
    uint32_t number = item_of_id(d, event->id);

    if (number == NONE || !item(d, number)->open)
        return;
    item(d, number)->to = d->out->moments++;
    item(d, number)->open = false;
    if (*event->text)
        item(d, number)->detail = keep(d, event->text);
    for (uint32_t i = 0; i < d->numbered_count; i++)
        if (d->numbered[i].call == number)
            d->numbered[i].call = d->callers[number];
}

static void draw_point(struct drawing *d, const struct rdl__event *event)
{
    uint32_t number = add_item(d, item_kind(event->what), lane_of_event(d, event)), there;
    const struct numbered *other = event->other ? numbered_at(d, event->other) : NULL;

    item(d, number)->title = keep(d, event->text);
    item(d, number)->detail = keep(d, event->file);
    item(d, number)->fails = strcmp(event->file, "refused") == 0;
    remember_id(d, event->id, number);
    if (other) {
        there = add_item(d, item(d, number)->kind, other->lane);
        item(d, there)->title = item(d, number)->title;
        item(d, there)->detail = item(d, number)->detail;
        add_arrow(d, RDL__ARROW_SENDS, number, there);
    }
    d->out->moments++;
}

static void draw_state(struct drawing *d, const struct rdl__event *event)
{
    uint32_t number = item_of_id(d, event->id);
    struct rdl__item *it;
    struct rdl__text more = {0};

    if (number == NONE)
        return;
    it = item(d, number);
    if (strcmp(event->what, "before") == 0)
        it->before = keep(d, event->text);
    else if (strcmp(event->what, "after") == 0)
        it->after = keep(d, event->text);
    else if (strcmp(event->what, "became") == 0)
        it->detail = keep(d, event->text);
    else if (strcmp(event->what, "fails") == 0) {
        it->fails = it->matters = true;
        rdl__text_add(&more, "%s%s%s", it->detail, *it->detail ? "\n" : "", event->text);
        it->detail = keep_text(d, &more);
    } else {
        rdl__text_add(&more, "%s%s%s", it->possible, *it->possible ? "\n" : "", event->text);
        it->possible = keep_text(d, &more);
    }
}

static void draw_note(struct drawing *d, const struct rdl__event *event)
{
    uint32_t number;

    if (*event->what)
        return; /* of ours, for those who read: it is drawn as what it is */
    number = add_item(d, RDL__ITEM_NOTE, lane_of_event(d, event));
    item(d, number)->title = keep(d, event->text);
    d->out->moments++;
}

static void draw_event(struct drawing *d, const struct rdl__event *event)
{
    switch (event->kind) {
    case RDL__EVENT_LANE:
        draw_lane(d, event);
        break;
    case RDL__EVENT_SINCE:
        draw_since(d, event);
        break;
    case RDL__EVENT_UNTIL:
        draw_until(d, event);
        break;
    case RDL__EVENT_POINT:
        draw_point(d, event);
        break;
    case RDL__EVENT_STATE:
        draw_state(d, event);
        break;
    case RDL__EVENT_NOTE:
        draw_note(d, event);
        break;
    default:
        break; /* the story has it */
    }
}

/* ---- The end --------------------------------------------------------------------------------- */

static bool has_died(const struct rdl__outcome *outcome)
{
    return outcome->verdict == RDL__FAILED &&
           (outcome->cause == RDL__BY_CRASH || outcome->cause == RDL__BY_EXIT ||
            outcome->cause == RDL__BY_HANG);
}

/* From 1 on; 0: it concerns all, or is not known. */
static uint32_t failing_thread(const struct drawing *d)
{
    bool is_whose_turn_it_was = has_died(d->outcome) || d->outcome->cause == RDL__BY_ASSERT ||
                                d->outcome->cause == RDL__BY_MISUSE;

    if (!d->schedule->failed_thread && is_whose_turn_it_was && d->words->steps->begun)
        return d->words->steps->running + 1;
    return d->schedule->failed_thread;
}

static void draw_failure(struct drawing *d)
{
    const struct rdl__outcome *outcome = d->outcome;
    uint32_t failed = failing_thread(d), number;
    struct rdl__text title = {0}, place = {0};
    struct rdl__item *it;

    if (outcome->verdict != RDL__FAILED)
        return;
    number =
        add_item(d, RDL__ITEM_FAILURE,
                 failed && failed <= THREADS_MAX ? lane_of_thread(d, failed - 1) : RDL__NO_LANE);
    rdl__outcome_add_ending(&title, outcome);
    it = item(d, number);
    it->title = *outcome->check ? keep(d, outcome->check) : keep_text(d, &title);
    it->detail = keep(d, outcome->text);
    it->fails = it->matters = true;
    if (outcome->line) {
        rdl__text_add(&place, "%s:%d", rdl__file_briefly(d->words->lines, outcome->file),
                      outcome->line);
        it->place = keep_text(d, &place);
        it->file = keep(d, outcome->file);
        it->line = outcome->line;
    }
    d->out->moments++;
}

/* So is the call in which a thread, or the process, came to its end. */
static void blame_calls(struct drawing *d)
{
    uint32_t failed = d->outcome->verdict == RDL__FAILED ? failing_thread(d) : 0, lane = NONE;
    bool any_lane = has_died(d->outcome) && !d->words->steps->begun;

    if (failed && failed <= THREADS_MAX)
        lane = lane_of_thread(d, failed - 1);
    for (uint32_t i = d->out->count; i-- > 0 && (any_lane || lane != NONE);)
        if (item(d, i)->kind == RDL__ITEM_CALL && item(d, i)->open &&
            (any_lane || item(d, i)->lane == lane)) {
            item(d, i)->fails = true;
            return; /* those around it wait for this one */
        }
}

/* Who waits for ever is what is wrong, and not who waits for them to end. */
static void blame_waits(struct drawing *d)
{
    for (size_t i = 0; i < d->step_count && d->outcome->cause == RDL__BY_DEADLOCK; i++)
        if (d->steps[i].how == RDL__STEP_WAITS && d->steps[i].op != RDL__OP_JOIN &&
            d->of_step[i] != NONE && item(d, d->of_step[i])->open)
            item(d, d->of_step[i])->fails = true;
}

/* What has not ended lasts to the end of the picture. */
static void close_all(struct drawing *d)
{
    for (uint32_t i = 0; i < d->out->count; i++)
        if (item(d, i)->open)
            item(d, i)->to = d->out->moments ? d->out->moments - 1 : 0;
}

/* ---- Lanes in order -------------------------------------------------------------------------- */

/* Who decides, then who calls, then those who are called. */
static int kind_rank(enum rdl__lane_kind kind)
{
    static const int ranks[] = {[RDL__LANE_TEST] = 0,
                                [RDL__LANE_CLIENT] = 1,
                                [RDL__LANE_THREAD] = 2,
                                [RDL__LANE_COMPONENT] = 3,
                                [RDL__LANE_PORT] = 4};

    return ranks[kind];
}

static bool comes_before(const struct drawing *d, uint32_t a, uint32_t b)
{
    const struct rdl__lane *one = &d->out->lanes[a], *two = &d->out->lanes[b];

    if (one->kind != two->kind)
        return kind_rank(one->kind) < kind_rank(two->kind);
    if (one->kind == RDL__LANE_CLIENT) /* they have numbers, and may begin in any order */
        return strlen(one->name) != strlen(two->name) ? strlen(one->name) < strlen(two->name)
                                                      : strcmp(one->name, two->name) < 0;
    return d->ranks[a] != d->ranks[b] ? d->ranks[a] < d->ranks[b] : a < b;
}

static void sort_lanes(struct drawing *d)
{
    struct rdl__timeline *out = d->out;
    struct rdl__lane *sorted = rdl__allocate((out->lane_count + 1) * sizeof *sorted);
    uint32_t *place = rdl__allocate((out->lane_count + 1) * sizeof *place);

    for (uint32_t i = 0; i < out->lane_count; i++)
        for (uint32_t k = 0; k < out->lane_count; k++)
            place[i] += comes_before(d, k, i);
    for (uint32_t i = 0; i < out->lane_count; i++)
        sorted[place[i]] = out->lanes[i];
    for (uint32_t i = 0; i < out->count; i++)
        if (out->items[i].lane != RDL__NO_LANE)
            out->items[i].lane = place[out->items[i].lane];
    free(out->lanes);
    out->lanes = sorted;
    free(place);
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Steps and events in the order in which they happened. */
static void draw_all(struct drawing *d)
{
    struct rdl__event event;
    uint32_t position = 0;
    bool more = rdl__trace_next(d->trace, &position, &event);

    for (size_t i = 0; i < d->step_count; i++) {
        for (; more && event.step < d->steps[i].number;
             more = rdl__trace_next(d->trace, &position, &event))
            draw_event(d, &event);
        draw_step(d, i);
    }
    for (; more; more = rdl__trace_next(d->trace, &position, &event))
        draw_event(d, &event);
}

/* Notes alone are told by the story. */
static bool has_more_than_notes(const struct rdl__timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->count; i++)
        if (timeline->items[i].kind != RDL__ITEM_NOTE)
            return true;
    return false;
}

void rdl__timeline_read(struct rdl__timeline *out, const struct rdl__trace *trace,
                        const struct rdl__outcome *outcome, const struct rdl__step_words *words,
                        const struct rdl__schedule *schedule)
{
    struct drawing *d = rdl__allocate(sizeof *d);

    *out = (struct rdl__timeline){0};
    *d = (struct drawing){.out = out,
                          .trace = trace,
                          .outcome = outcome,
                          .words = words,
                          .schedule = schedule,
                          .interrupted = NONE};
    for (int i = 0; i < THREADS_MAX; i++)
        d->threads[i] = (struct thread){NONE, NONE};
    d->steps = rdl__steps_read_all(&trace->steps, &d->step_count);
    d->of_step = rdl__allocate((d->step_count + 1) * sizeof *d->of_step);
    memset(d->of_step, 0xff, (d->step_count + 1) * sizeof *d->of_step);
    draw_all(d);
    if (has_more_than_notes(out)) {
        draw_failure(d);
        blame_calls(d);
        blame_waits(d);
        close_all(d);
        rdl__timeline_read_sources(out, words->lines);
        sort_lanes(d);
        out->lost = trace->lost + (trace->steps.count - d->step_count);
    } else {
        rdl__timeline_release(out);
    }
    free(d->steps);
    free(d->of_step);
    free(d->ranks);
    free(d->numbered);
    free(d->by_id);
    free(d->callers);
    free(d);
}

void rdl__timeline_release(struct rdl__timeline *timeline)
{
    free(timeline->lanes);
    free(timeline->items);
    free(timeline->arrows);
    free(timeline->sources);
    rdl__arena_release(&timeline->memory);
    *timeline = (struct rdl__timeline){0};
}
