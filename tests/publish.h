/* publish.h -- what orders accesses to memory: all ways to tell another thread something.
 *
 * One thread writes a message and says so, in one of many ways; another that has heard it reads
 * the message.  That is no race in any schedule.  It is one if the message is written after it was
 * published, or if the other has heard of something else. */
#ifndef TESTS_PUBLISH_H
#define TESTS_PUBLISH_H

#include "explore.h"
#include "instrumented/publish.h"

static void expect_outcomes(const char *wanted, void (*body)(void), const char *variant)
{
    const char *seen = outcomes_of(body);

    if (strcmp(seen, wanted) != 0)
        test_fail(__FILE__, __LINE__, "%s, %s: %s, not %s; %s", channel->name, variant, seen,
                  wanted, exploration->failure);
}

enum { FEW = 500, CHANCES = 40 }; /* executions: most have that race */

static void expect_race(void (*body)(void), const char *variant)
{
    if (!strstr(explore(body, false, FEW, 0), "race"))
        test_fail(__FILE__, __LINE__, "%s, %s: there is no race", channel->name, variant);
}

TEST(who_has_heard_of_a_message_may_read_it)
{
    for (channel = channels; channel < channels + channel_count; channel++)
        expect_outcomes("done", written_before, "written before");
}

TEST(what_is_written_after_it_was_published_is_raced_for)
{
    for (channel = channels; channel < channels + channel_count; channel++)
        expect_race(written_after, "written after");
}

TEST(who_has_heard_of_something_else_races)
{
    for (channel = channels; channel < channels + channel_count; channel++)
        if (!channel->is_one)
            expect_race(heard_of_another, "heard of another");
}

TEST(that_is_so_among_many_threads)
{
    for (channel = channels; channel < channels + channel_count; channel += 5) {
        const char *seen = explore(written_before_among_many, true, CHANCES, 0);

        EXPECT_LACKS(seen, "race");
        EXPECT_LACKS(seen, "ended with");
        EXPECT_CONTAINS(explore(written_after_among_many, true, CHANCES, 0), "race");
    }
}

TEST(what_orders_nothing_hides_no_race)
{
    for (channel = no_channels; channel < no_channels + no_channel_count; channel++)
        expect_race(written_before, "orders nothing");
}

#endif
