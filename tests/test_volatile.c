/* test_volatile.c -- volatile variables and inline assembly: what races, and what is in order. */
#include "instrumented/volatile.h"

#include "choice/token.h"
#include "explore.h"

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

/* What comes out of it, as volatile accesses are taken. */
static void expect(void (*body)(void), int show, const char *acq_rel, const char *relaxed,
                   const char *plain)
{
    const char *const wanted[] = {acq_rel, relaxed, plain};

    for (volatiles = RDL__VOLATILE_ACQ_REL; volatiles <= RDL__VOLATILE_PLAIN; volatiles++)
        EXPECT_STR(outcomes(body, show), wanted[volatiles]);
    volatiles = RDL__VOLATILE_ACQ_REL;
}

TEST(a_volatile_flag_publishes_a_message)
{
    expect(message, 0, "done", "done | race", "race");
    expect(message_in_parts, 0, "done", "done | race", "race");
    EXPECT_STR(outcomes(message, 1), "0 | 1");
}

TEST(volatile_accesses_and_atomic_ones_do_not_race)
{
    expect(message_beside_atomics, 0, "done", "done | race", "race");
    expect(flag_alone, 1, "0 | 1", "0 | 1", "race");
}

TEST(moves_of_assembly_are_volatile_accesses)
{
    expect(message_by_assembly, 0, "done", "done | race", "race");
    EXPECT_STR(outcomes(answer_by_assembly, 1), "0 | 1");
    EXPECT_STR(outcomes_by_chance(waits_on_its_stack, 100, 0), "done | livelock");
}

TEST(an_access_between_compiler_barriers_is_a_volatile_one)
{
    expect(message_between_barriers, 0, "done", "done | race", "race");
    expect(barrier_on_one_side, 0, "race", "race", "race");
    expect(counted_between_barriers, 0, "race", "race", "race");
}

TEST(locks_of_assembly_are_locks)
{
    EXPECT_STR(outcomes_by_chance(lock_of_assembly, 300, 0), "done");
    EXPECT_STR(outcomes_by_chance(tickets_of_assembly, 300, 0), "done");
    EXPECT_STR(outcomes(pair_of_assembly, 2), "0 1 | 1 1");
    EXPECT_STR(outcomes(fence_of_assembly, 2), "0 1 | 1 0 | 1 1");
}

TEST(what_no_flag_publishes_races)
{
    expect(no_flag, 0, "race", "race", "race");
    expect(flag_too_early, 0, "done | race", "done | race", "race");
    expect(checked_twice, 0, "race", "race", "race");
}

TEST(a_plain_access_races_with_a_volatile_one)
{
    expect(flag_read_plainly, 0, "race", "race", "race");
    EXPECT_CONTAINS(exploration->details, "(volatile)");
    expect(flag_written_plainly, 0, "race", "race", "race");
}

TEST(updates_get_lost)
{
    expect(counted, 1, "1 | 2", "1 | 2", "race");
    expect(counted_by_assembly, 1, "race", "race", "race");
}

TEST(accesses_that_the_cpu_may_make_in_parts_race)
{
    expect(unaligned, 0, "race", "race", "race");
    expect(wide, 0, "race", "race", "race");
    expect(unaligned_assembly, 0, "race", "race", "race");
}
