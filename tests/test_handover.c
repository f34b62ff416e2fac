/* test_handover.c -- what the world outside orders: a thread that learns something by
 * a file or a signal knows what the other did before. */
#include "instrumented/handover.h"

#include "world.h"

TEST(what_is_read_was_written_before)
{
    EXPECT_STR(outcomes_by_chance(by_pipe, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_end_of_pipe, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_room_in_pipe, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_socket, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_event, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_stream, 200, 0), "done");
}

TEST(that_a_file_is_ready_is_something_to_learn)
{
    EXPECT_STR(outcomes_by_chance(by_poll, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_epoll, 200, 0), "done");
}

TEST(who_is_woken_or_signalled_comes_after_who_did_it)
{
    EXPECT_STR(outcomes_by_chance(by_futex, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_handler, 200, 0), "done");
    EXPECT_STR(outcomes_by_chance(by_sigwait, 200, 0), "done");
}

TEST(another_pipe_orders_nothing_and_neither_does_time)
{
    EXPECT_CONTAINS(outcomes_by_chance(by_sleeping, 200, 0), "race");
    EXPECT_CONTAINS(outcomes_by_chance(by_other_pipe, 200, 0), "race");
    EXPECT_CONTAINS(outcomes_by_chance(by_sleeping, 200, 0), "race");
}
