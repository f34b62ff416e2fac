/* test_access.c -- code whose accesses to memory are watched: points and races. */
#include "instrumented/access.h"

#include "control/sched/track.h"
#include "explore.h"

/* All outcomes of a body, in terms of what its threads saw. */
static void (*current)(void);
static int shown;

static void show_seen(void)
{
    current();
    for (int i = 0; i < shown; i++)
        put(i, "%d", seen[i]);
}

static const char *outcomes(void (*body)(void), int show)
{
    current = body;
    shown = show;
    return outcomes_of(show_seen);
}

/* No schedule may hide it, or some must show it. */
static void expect_race(void (*body)(void), const char *wanted)
{
    EXPECT_STR(outcomes(body, 0), wanted);
}

TEST(unsynchronised_counters_race)
{
    expect_race(plain_counter, "race");
    EXPECT_STR(exploration->failure, "data race between thread 2 and thread 1");
    EXPECT_CONTAINS(exploration->details, "thread 2 wrote 4 bytes at ");
    EXPECT_CONTAINS(exploration->details, "thread 1 reads 4 bytes at ");
}

TEST(synchronised_counters_do_not)
{
    EXPECT_STR(outcomes(locked_counter, 1), "2");
    EXPECT_STR(outcomes(atomic_counter, 1), "2");
}

TEST(a_message_needs_release_and_acquire)
{
    expect_race(message_relaxed, "done | race");
    EXPECT_STR(outcomes(message_released, 1), "0 | 1");
    EXPECT_STR(outcomes(message_fenced, 1), "0 | 1");
    expect_race(message_half_fenced, "done | race");
}

TEST(release_sequences_are_those_of_the_standard)
{
    EXPECT_STR(outcomes(release_sequence, 1), "0 | 1");
    expect_race(broken_release_sequence, "done | race");
}

TEST(annotations_order_and_excuse)
{
    EXPECT_STR(outcomes(message_annotated, 1), "0 | 1");
    EXPECT_STR(outcomes(message_benign, 1), "0 | 1");
}

TEST(bytes_are_told_apart)
{
    EXPECT_STR(outcomes(neighbours, 1), "1");
    expect_race(bit_fields, "race");
    expect_race(atomic_and_plain, "race");
    EXPECT_CONTAINS(exploration->details, "atomically");
}

TEST(variables_on_stacks_may_be_shared)
{
    expect_race(stack_of_main, "race");
    EXPECT_STR(outcomes_by_chance(stacks_used_again, 300, 0), "done");
}

TEST(memory_changes_hands_through_the_allocator)
{
    expect_race(freed_while_read, "race");
    EXPECT_CONTAINS(exploration->details, "free");
    expect_race(reallocated_while_read, "race");
    EXPECT_STR(outcomes_by_chance(freed_and_allocated, 300, 0), "done");
}

TEST(the_end_of_a_thread_orders_nothing_but_joining_does)
{
    EXPECT_STR(outcomes_by_chance(detached_writer, 100, 0), "race");
    EXPECT_STR(outcomes(joined_writer, 1), "1");
}

TEST(copies_and_shared_reads_are_fine)
{
    EXPECT_STR(outcomes(copies_of_structs, 1), "1");
    EXPECT_STR(outcomes_by_chance(reads_side_by_side, 100, 0), "done");
    EXPECT_STR(outcomes_by_chance(compared_and_read_plainly, 100, 0), "done");
}

TEST(atomic_operations_come_in_all_orders)
{
    EXPECT_STR(outcomes(store_buffering, 2), "0 1 | 1 0 | 1 1");
    EXPECT_STR(outcomes(load_then_store, 1), "1 | 2");
}

TEST(values_are_not_kept_over_an_atomic_operation)
{
    current = ping_pong;
    shown = 1;
    EXPECT_STR(outcomes_by_chance(show_seen, 300, 0), "2");
}

TEST(calls_are_known_though_some_end_by_a_jump)
{
    int calls = 0;

    EXPECT_STR(outcomes_by_chance(calls_and_jumps, 20, 0), "race");
    for (const char *at = exploration->details; (at = strstr(at, "called at")); at++)
        calls++;
    EXPECT(calls <= 2);
}
