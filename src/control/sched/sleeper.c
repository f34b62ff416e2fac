/* sleeper.c -- threads that sleep until another one calls them. */
#include "control/sched/sleeper.h"

static struct rdl__sleeper *first, **end = &first;

void rdl__sleepers_begin(void)
{
    first = NULL;
    end = &first;
}

void rdl__lie_down(struct rdl__sleeper *sleeper, struct rdl__thread *self, uintptr_t object)
{
    *sleeper = (struct rdl__sleeper){.object = object, .thread = self};
    *end = sleeper;
    end = &sleeper->next;
}

void rdl__get_up(struct rdl__sleeper *sleeper)
{
    struct rdl__sleeper **at = &first;

    while (*at && *at != sleeper)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = sleeper->next;
    if (end == &sleeper->next)
        end = at;
}

struct rdl__sleeper *rdl__next_sleeper(uintptr_t object, const struct rdl__sleeper *after)
{
    struct rdl__sleeper *at = after ? after->next : first;

    while (at && (at->object != object || at->called))
        at = at->next;
    return at;
}

bool rdl__is_called(void *sleeper)
{
    return ((const struct rdl__sleeper *)sleeper)->called;
}
