/* test_hook_far.c -- hooks where there is no room near to the code, and code has to be made
 * writable to be written to. */
#include "harness.h"
#include "hook_code.h"
#include "port/code.h"

__attribute__((constructor)) static void make_it_hard(void)
{
    rdl__code_without_proc = true;
    rdl__code_only_far = true;
}

TEST(what_is_moved_far_away_does_the_same)
{
    size_t jumps = 0, refused = 0;

    expect_the_same(false, &jumps, &refused);
    EXPECT_EQ(jumps, 0);
    EXPECT_EQ(refused, 0);
}
