/* test_drive_misdeclared.c -- specs that do not make sense are refused, with the reason and
 * the place: tests/specs/misdeclared.c. */
#include "harness.h"

static void is_refused(const char *name, const char *why)
{
    int status;
    char *report = run(&status, "WRONG=%s \"$BUILD/specs/misdeclared\"", name);

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, "tests/specs/misdeclared.c:");
    EXPECT_CONTAINS(report, name);
    EXPECT_CONTAINS(report, why);
}

TEST(there_must_be_something_to_call)
{
    is_refused("no_call", "operation uncalled has no .call: what is to be done?");
    is_refused("no_create", "it has no .create: what is to be tested?");
}

TEST(operations_have_names_of_their_own)
{
    is_refused("twice_the_name", "it has two operations called fine");
}

TEST(an_operation_has_one_effect)
{
    is_refused("two_effects", "operation both has more than one of post, judge and post_any");
    is_refused("no_effect", "operation unsaid returns something, but has none of post, judge and "
                            "post_any to say what");
    is_refused("no_alternatives",
               "operation choiceless has post_any, but no .alternatives to choose from");
    is_refused("no_post_any",
               "operation chosen has .alternatives, but no post_any to choose by them");
    is_refused("negative_weight",
               "operation unweighed has a weight of 4294967295: is it negative?");
}

TEST(a_policy_goes_by_what_there_is)
{
    is_refused("no_priority", "its policy is RDL_PRIORITY, but no operation has a .priority");
    is_refused("unknown_operation",
               "its policy, fine over coarse, names operations that it does not have");
}

TEST(who_compares_states_hashes_them)
{
    is_refused("no_hash", "it has .same, but no .hash: equal states must have equal hashes");
    is_refused("no_same", "it has .hash, but no .same: equal states must have equal hashes");
}

TEST(a_state_is_small_enough_to_be_copied)
{
    is_refused("too_large", "its state has 1048577 bytes, which is too large to be copied");
}

TEST(preconditions_have_names_of_their_own_and_functions)
{
    is_refused("precondition_twice", "operation fine has two preconditions called S1");
    is_refused("precondition_unnamed", "precondition 2 of operation fine has no name");
    is_refused("precondition_missing", "precondition 1 of operation fine has no name");
    is_refused("precondition_unsaid", "precondition S1 of operation fine has no function");
    is_refused("precondition_long", "of operation fine is too long: what it means can be said "
                                    "after a colon");
    is_refused("preconditions_many", "its operations have 65 preconditions together: at most 64");
}

TEST(a_cluster_has_each_component_once)
{
    is_refused("one_twice", "cluster one_twice has no_create twice");
}

TEST(at_most_is_no_fewer_than_at_least)
{
    int status;
    char *report = run(&status, "WRONG=backwards \"$BUILD/specs/misdeclared\"");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(report, ".calls is {50, 10}: at least the one, at most the other");
}
