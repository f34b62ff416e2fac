/* stand_in.c -- to be replaced */
#include "control/sched/inner.h"
#include "control/sched/sched.h"
#include <time.h>
#define W __attribute__((weak))
W bool rdl__instrumented;
W bool rdl__outside_is_ready(void)
{
    return false;
}
W bool rdl__await_outside(void)
{
    return false;
}
W void rdl__signals_begin(struct rdl__thread *f)
{
    (void)f;
}
W void rdl__signals_switch(struct rdl__thread *f, struct rdl__thread *t)
{
    (void)f;
    (void)t;
}
W void rdl__handle_signals(struct rdl__thread *s)
{
    (void)s;
}
W bool rdl__has_interruption(const struct rdl__thread *s)
{
    return s->cancelled && s->cancel_state == PTHREAD_CANCEL_ENABLE && !s->exiting;
}
W void rdl__hb_begin(struct rdl__thread *f)
{
    (void)f;
}
W void rdl__hb_acquire(struct rdl__thread *s, uintptr_t o)
{
    (void)s;
    (void)o;
}
W void rdl__hb_release(struct rdl__thread *s, uintptr_t o)
{
    (void)s;
    (void)o;
}
W void rdl__hb_created(struct rdl__thread *s, struct rdl__thread *o)
{
    (void)s;
    (void)o;
}
W void rdl__hb_joined(struct rdl__thread *s, struct rdl__thread *o)
{
    (void)s;
    (void)o;
}
W uint64_t rdl__deadline_at(clockid_t c, const struct timespec *w)
{
    (void)c;
    return (uint64_t)w->tv_sec * 1000000000u + (uint64_t)w->tv_nsec;
}
W uint64_t rdl__deadline_in(const struct timespec *w)
{
    return rdl__sched.now + (uint64_t)w->tv_sec * 1000000000u + (uint64_t)w->tv_nsec;
}
static uint32_t pick_any(void *state, struct rdl__view *view)
{
    (void)state;
    return rdl__enabled_nth(view,
                            (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
}
static const struct rdl__strategy any_strategy = {.name = "random", .pick = pick_any};
W const struct rdl__strategy *const rdl__strategies[] = {&any_strategy, 0};
W const struct rdl__strategy *rdl__strategy_named(const char *n, unsigned *p)
{
    (void)n;
    *p = 0;
    return &any_strategy;
}
