/* test_timeline.c -- the picture of a case: what becomes of steps, and of what drivers tell. */
#include <stdlib.h>
#include <string.h>

#include "check/plan.h"
#include "harness.h"

static struct rdl__trace trace;
static struct rdl__lines lines;
static struct rdl__outcome outcome;
static struct rdl__schedule schedule;
static struct rdl__timeline timeline;

static void begin(void)
{
    outcome = (struct rdl__outcome){0};
    schedule = (struct rdl__schedule){0};
    rdl__trace_start(&trace, true);
}

static void step(uint16_t thread, enum rdl__op_kind op, uintptr_t object, enum rdl__step_how how)
{
    struct rdl__step it = {.number = ++trace.steps.count,
                           .object = object,
                           .thread = thread,
                           .op = (uint8_t)op,
                           .thing = RDL__ON_MUTEX,
                           .how = (uint8_t)how};

    trace.steps.begun = true;
    trace.steps.running = thread;
    rdl__steps_add(&trace.steps, &it, RDL__STEP_IS_RECENT);
}

static void draw(void)
{
    struct rdl__objects objects = {.lines = &lines, .steps = &trace.steps};
    const struct rdl__step_words words = {&trace.steps, &lines, &objects};

    rdl__timeline_release(&timeline);
    rdl__timeline_read(&timeline, &trace, &outcome, &words, &schedule);
    rdl__objects_release(&objects);
}

/* The first item of this title; the test ends without one. */
static const struct rdl__item *titled(const char *title)
{
    for (uint32_t i = 0; i < timeline.count; i++)
        if (strcmp(timeline.items[i].title, title) == 0)
            return &timeline.items[i];
    printf("there is no item titled %s\n", title);
    abort();
}

static const char *lane_of(const struct rdl__item *item)
{
    return item->lane == RDL__NO_LANE ? "all" : timeline.lanes[item->lane].name;
}

TEST(a_case_without_threads_and_calls_is_no_picture)
{
    begin();
    rdl__trace_note(&trace, "", "just a note");
    draw();
    EXPECT_EQ(timeline.count, 0);
    EXPECT_EQ(timeline.moments, 0);
}

TEST(who_waits_does_so_until_another_has_done_something)
{
    begin();
    step(0, RDL__OP_LOCK, 64, RDL__STEP_DONE);
    step(1, RDL__OP_LOCK, 64, RDL__STEP_WAITS);
    step(0, RDL__OP_UNLOCK, 64, RDL__STEP_DONE);
    step(1, RDL__OP_LOCK, 64, RDL__STEP_DONE);
    draw();
    EXPECT_EQ(timeline.lane_count, 2);
    EXPECT_EQ(timeline.items[1].kind, RDL__ITEM_WAIT);
    EXPECT_EQ(timeline.items[1].from, 1);
    EXPECT_EQ(timeline.items[1].to, 3);
    EXPECT(!timeline.items[1].open);
    EXPECT_CONTAINS(timeline.items[1].detail, "which thread 0 has since");
    EXPECT_EQ(timeline.arrow_count, 1);
    EXPECT_EQ(timeline.arrows[0].kind, RDL__ARROW_WAKES);
    EXPECT_EQ(timeline.arrows[0].from, 2);
    EXPECT_EQ(timeline.arrows[0].to, 1);
}

TEST(who_waits_for_a_condition_is_woken_by_who_signals_it)
{
    begin();
    step(0, RDL__OP_WAIT, 64, RDL__STEP_DONE);
    step(0, RDL__OP_WAIT, 64, RDL__STEP_WAITS);
    step(1, RDL__OP_SIGNAL, 64, RDL__STEP_DONE);
    step(2, RDL__OP_WAIT, 64, RDL__STEP_DONE);
    step(0, RDL__OP_WAIT, 64, RDL__STEP_DONE);
    draw();
    EXPECT_EQ(timeline.arrow_count, 1);
    EXPECT_EQ(timeline.arrows[0].from, 2);
    EXPECT_EQ(timeline.arrows[0].to, 1);
}

TEST(who_waits_for_ever_is_what_is_wrong_with_a_deadlock)
{
    begin();
    step(0, RDL__OP_LOCK, 64, RDL__STEP_DONE);
    step(1, RDL__OP_LOCK, 64, RDL__STEP_WAITS);
    step(0, RDL__OP_JOIN, 0, RDL__STEP_WAITS);
    outcome.verdict = RDL__FAILED;
    outcome.cause = RDL__BY_DEADLOCK;
    strcpy(outcome.check, "deadlock");
    draw();
    EXPECT(timeline.items[1].open && timeline.items[1].fails);
    EXPECT(timeline.items[2].open && !timeline.items[2].fails);
    EXPECT_EQ(titled("deadlock")->kind, RDL__ITEM_FAILURE);
    EXPECT_EQ(timeline.items[1].to, titled("deadlock")->from);
}

TEST(a_preemption_leads_to_who_runs_instead)
{
    uint64_t shown[] = {2};

    begin();
    step(0, RDL__OP_LOCK, 64, RDL__STEP_DONE);
    step(0, RDL__OP_UNLOCK, 64, RDL__STEP_INTERRUPTED);
    step(1, RDL__OP_WRITE, 128, RDL__STEP_DONE);
    schedule.shown = shown;
    schedule.shown_count = 1;
    draw();
    EXPECT_EQ(timeline.items[1].kind, RDL__ITEM_SWITCH);
    EXPECT(timeline.items[1].matters);
    EXPECT(!timeline.items[0].matters);
    EXPECT_EQ(timeline.arrows[0].kind, RDL__ARROW_SWITCHES);
    EXPECT_EQ(timeline.arrows[0].to, 2);
}

TEST(calls_lead_from_caller_to_callee_and_end_with_their_answers)
{
    uint32_t box, store, outer, inner;

    begin();
    box = rdl__trace_lane(&trace, "component", "box");
    store = rdl__trace_lane(&trace, "component", "store");
    outer = rdl__trace_since(&trace, "call", box, "put(1)");
    rdl__trace_state(&trace, outer, "before", "{0}");
    inner = rdl__trace_call_between(&trace, box, store, "push(1)");
    rdl__trace_until(&trace, inner, "returns 0");
    rdl__trace_until(&trace, outer, "returns");
    rdl__trace_state(&trace, outer, "after", "{1}");
    rdl__trace_state(&trace, inner, "fails", "it should not have been called");
    draw();
    EXPECT_EQ(rdl__trace_lane(&trace, "component", "box"), box);
    EXPECT_EQ(timeline.lane_count, 2);
    EXPECT_STR(lane_of(titled("push(1)")), "store");
    EXPECT_STR(titled("put(1)")->before, "{0}");
    EXPECT_STR(titled("put(1)")->after, "{1}");
    EXPECT_STR(titled("push(1)")->detail, "returns 0\nit should not have been called");
    EXPECT(titled("push(1)")->fails);
    EXPECT(titled("put(1)")->from < titled("push(1)")->from);
    EXPECT(titled("put(1)")->to > titled("push(1)")->to);
    EXPECT_EQ(timeline.arrow_count, 1);
    EXPECT_EQ(timeline.arrows[0].kind, RDL__ARROW_CALLS);
}

TEST(clients_are_in_order_whoever_begins_and_are_the_threads_they_run_in)
{
    begin();
    trace.steps.begun = true;
    trace.steps.running = 7;
    rdl__trace_since(&trace, "call", rdl__trace_lane(&trace, "client", "client 10"), "take()");
    step(7, RDL__OP_LOCK, 64, RDL__STEP_DONE);
    trace.steps.running = 8;
    rdl__trace_since(&trace, "call", rdl__trace_lane(&trace, "client", "client 2"), "give()");
    draw();
    EXPECT_EQ(timeline.lane_count, 2);
    EXPECT_STR(timeline.lanes[0].name, "client 2");
    EXPECT_STR(lane_of(titled("take()")), "client 10");
    EXPECT_STR(lane_of(&timeline.items[1]), "client 10");
}

TEST(a_message_is_at_two_lanes_at_the_same_moment)
{
    uint32_t component, net;

    begin();
    component = rdl__trace_lane(&trace, "component", "component");
    net = rdl__trace_lane(&trace, "port", "net");
    rdl__trace_point(&trace, "message", component, net, "out net ping(1)", "dropped");
    draw();
    EXPECT_EQ(timeline.count, 2);
    EXPECT_EQ(timeline.moments, 1);
    EXPECT_EQ(timeline.items[0].from, timeline.items[1].from);
    EXPECT_STR(lane_of(&timeline.items[1]), "net");
    EXPECT_STR(timeline.items[1].detail, "dropped");
    EXPECT_EQ(timeline.arrows[0].kind, RDL__ARROW_SENDS);
}

/* As with one that is judged after it was emitted. */
TEST(what_becomes_of_a_message_may_be_told_later)
{
    uint32_t net, dropped, refused;

    begin();
    net = rdl__trace_lane(&trace, "port", "net");
    dropped = rdl__trace_point(&trace, "message", 0, net, "out net ping(1)", "");
    refused = rdl__trace_point(&trace, "message", 0, net, "out net ping(2)", "");
    rdl__trace_state(&trace, dropped, "became", "dropped");
    rdl__trace_state(&trace, refused, "fails", "refused");
    draw();
    EXPECT_STR(titled("out net ping(1)")->detail, "dropped");
    EXPECT(!titled("out net ping(1)")->fails);
    EXPECT_STR(titled("out net ping(2)")->detail, "refused");
    EXPECT(titled("out net ping(2)")->fails);
}

TEST(a_trace_that_is_off_draws_nothing)
{
    begin();
    trace.on = false;
    EXPECT_EQ(rdl__trace_lane(&trace, "client", "client 0"), 0);
    EXPECT_EQ(rdl__trace_since(&trace, "call", 0, "take()"), 0);
    rdl__trace_until(&trace, 0, "");
    rdl__trace_state(&trace, 0, "before", "{}");
    EXPECT_EQ(trace.used, 0);
}

/* What a crashed case has left may be anything. */
TEST(whatever_a_trace_holds_it_can_be_read)
{
    begin();
    rdl__trace_until(&trace, 77, "ends what never began");
    rdl__trace_state(&trace, 78, "before", "of what is not there");
    rdl__trace_add(&trace, &(struct rdl__event){.kind = RDL__EVENT_SINCE,
                                                .file = "",
                                                .what = "no such kind",
                                                .text = "begins",
                                                .text_length = 6,
                                                .id = UINT32_MAX,
                                                .lane = 12345,
                                                .other = 54321});
    rdl__trace_since(&trace, "call", 99, "in a lane that nobody has named");
    draw();
    EXPECT_EQ(timeline.count, 2);
    for (uint32_t i = 0; i < timeline.count; i++)
        EXPECT(timeline.items[i].to < timeline.moments);
    rdl__timeline_release(&timeline);
}
