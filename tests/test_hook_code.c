/* test_hook_code.c -- hooks on each kind of instruction that is hard to move. */
#include "harness.h"
#include "hook_code.h"

TEST(what_is_moved_does_the_same_with_breakpoints)
{
    size_t jumps = 0, refused = 0;

    expect_the_same(true, &jumps, &refused);
    EXPECT_EQ(jumps, 0);
    EXPECT_EQ(refused, 0);
}

TEST(what_is_moved_does_the_same_with_jumps)
{
    size_t jumps = 0, refused = 0;

    expect_the_same(false, &jumps, &refused);
    EXPECT(jumps > 30);
    EXPECT_EQ(refused, 0);
}
