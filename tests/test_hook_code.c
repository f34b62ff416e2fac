/* test_hook_code.c -- hooks on each kind of instruction that is hard to move; and in each way
 * in which CPUs keep their vector registers. */
#include "harness.h"
#include "hook_code.h"
#include "port/hook_enter.h"

extern uint32_t rdl__hook_vectors_how; /* hook_enter.c */
extern uint64_t rdl__hook_vectors_size;

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

TEST(vector_registers_are_kept_in_any_way_there_is)
{
    uint32_t how;
    uint64_t size;

    rdl__hook_enter_prepare();
    how = rdl__hook_vectors_how;
    size = rdl__hook_vectors_size;
    if (how != 3) /* a CPU that knows fewer ways */
        return;
    rdl__hook_vectors_size = 4096;
    for (rdl__hook_vectors_how = 0; rdl__hook_vectors_how < how; rdl__hook_vectors_how++) {
        size_t jumps = 0, refused = 0;

        expect_the_same(false, &jumps, &refused);
    }
    rdl__hook_vectors_how = how;
    rdl__hook_vectors_size = size;
}
