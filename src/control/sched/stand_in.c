/* stand_in.c -- to be replaced */
#include "control/sched/inner.h"
#include "control/sched/sched.h"
#define W __attribute__((weak))
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
