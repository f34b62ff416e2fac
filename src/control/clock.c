/* clock.c -- the test clock: raddle/clock.h. */
#include "raddle/clock.h"

#include <limits.h>
#include <stdio.h>

#include "control/meet.h"
#include "control/sched/inner.h"
#include "raddle/check.h"

/* Who waits for a time. */
struct sleeper {
    int time;
    struct sleeper *next;
};

static int now;
static struct sleeper *sleepers;

void rdl__clock_reset(void)
{
    now = 0;
    sleepers = NULL;
}

/* In the picture of the case. */
static void draw_tick(void)
{
    struct rdl__trace *trace = rdl__current ? rdl__current->trace : NULL;
    char title[32];

    if (!trace || !trace->on)
        return;
    snprintf(title, sizeof title, "t%d", now);
    rdl__trace_point(trace, "tick", rdl__trace_lane(trace, "test", "clock"), 0, title, "");
}

/* Of a free thread, whose steps are not known. */
static uint32_t draw_wait(const struct rdl_case *t, int time)
{
    char thread[RDL__MEET_NAME], title[40];

    if (!t->trace->on || rdl__self())
        return 0;
    rdl__meet_name(thread);
    snprintf(title, sizeof title, "waits for time %d", time);
    return rdl__trace_since(t->trace, "wait", rdl__trace_lane(t->trace, "thread", thread), title);
}

static void show(int time)
{
    now = time;
    draw_tick();
    rdl__meet_changed(&now);
}

bool rdl__clock_ticks(void)
{
    int next = INT_MAX;

    for (const struct sleeper *sleeper = sleepers; sleeper; sleeper = sleeper->next)
        if (sleeper->time < next)
            next = sleeper->time;
    if (!sleepers || next <= now)
        return false;
    show(next);
    return true;
}

void rdl_tick(struct rdl_case *t)
{
    rdl__meet_begin(t);
    rdl__meet_lock();
    if (now < INT_MAX)
        show(now + 1);
    rdl__meet_unlock();
}

static bool has_come(void *what)
{
    return now >= ((const struct sleeper *)what)->time;
}

static void forget(const struct sleeper *gone)
{
    struct sleeper **at = &sleepers;

    while (*at != gone)
        at = &(*at)->next;
    *at = gone->next;
}

void rdl__await_time(struct rdl_case *t, int time, const char *file, int line)
{
    struct sleeper self = {time, NULL};
    struct rdl__op op = {.kind = RDL__OP_TICK, .object = (uintptr_t)&now, .pc = RDL__CALLER};
    int before;

    rdl__meet_begin(t);
    rdl__meet_lock();
    before = now;
    if (before <= time) {
        uint32_t drawn = draw_wait(t, time);

        self.next = sleepers;
        sleepers = &self;
        rdl__meet_await(t, &op, has_come, &self);
        forget(&self);
        rdl__trace_until(t->trace, drawn, "");
    }
    rdl__meet_unlock();
    if (before > time)
        rdl__failed(file, line, "rdl_await", "the clock shows %d: time %d is over", before, time);
}

int rdl_clock(struct rdl_case *t)
{
    int time;

    rdl__meet_begin(t);
    rdl__meet_lock();
    time = now;
    rdl__meet_unlock();
    return time;
}
