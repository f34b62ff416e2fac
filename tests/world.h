/* world.h -- what tests of the world outside share: checks within bodies.
 *
 * A check that fails becomes part of the outcome, as the line it stands in. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include <sched.h>

#include "explore.h"

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            put(SLOTS - 1, "line %d ", __LINE__);                                                  \
    } while (0)

#define CHECK_EQ(seen, wanted) check_equal(__LINE__, (intmax_t)(seen), (intmax_t)(wanted))

static inline void check_equal(int line, intmax_t seen, intmax_t wanted)
{
    if (seen != wanted)
        put(SLOTS - 1, "line %d: %jd ", line, seen);
}

static inline pthread_t start(void *(*body)(void *argument), const void *argument)
{
    pthread_t thread;

    CHECK_EQ(pthread_create(&thread, NULL, body, (void *)argument), 0);
    return thread;
}

static inline void *join(pthread_t thread)
{
    void *result = NULL;

    CHECK_EQ(pthread_join(thread, &result), 0);
    return result;
}

/* Until nobody else can run. */
static inline void let_others_wait(void)
{
    while (rdl__sched.view.enabled_count > 1)
        sched_yield();
}

#endif
