/* test_events_rules.c -- what rules, requirements and defaults make of events.
 *
 * The groups of cases, and what each of them is about, follow the test suite of KompicsTesting:
 * AllowDisallowDrop, blockExpect, DefaultAction, MatchingFunction, EventSubtype.  Where an event
 * could be one that is required and one that a step waits for, all ways are followed here. */
#include "events_player.h"

static bool is_small(const struct number *it)
{
    return it->id < 10;
}

static bool is_even(const struct number *it)
{
    return it->id % 2 == 0;
}

/* ---- Allow, disallow, drop ------------------------------------------------------------------ */

TEST(what_is_allowed_comes_whenever_and_is_forwarded)
{
    const struct rdl_step *spec =
        rdl_repeat(2, rdl_allow(IN(pong, 7)), SENT(ping, 1), GOT(pong, 1));

    EXPECT_STR(play(spec, "O7 O7 p1 O7 O1 O7 p1 O1"), "O7 O7 p1 O7 O1 O7 p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 O1 p1 O1"), "p1 O1 p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 O6 O1 p1 O1"), "p1 | refused");
    EXPECT_STR(play(spec, "O7 p1 O1"), "O7 p1 O1 | incomplete");
    /* that of a block is over with it */
    EXPECT_STR(play(spec, "p1 O1 p1 O1 O7"), "p1 O1 p1 O1 | refused");
}

TEST(what_is_forbidden_is_refused_and_not_delivered)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_disallow(IN(pong, 2)), SENT(ping, 1), GOT(pong, 1));
    int line = __LINE__ - 1;

    EXPECT_STR(play(spec, "p1 O1"), "p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 O2 O1"), "p1 | refused");
    EXPECT_CONTAINS(rdl__text_string(&explained), words("test_events_rules.c:%d\n", line));
    EXPECT_CONTAINS(rdl__text_string(&expected), "in net pong(");
}

TEST(what_is_dropped_does_not_arrive)
{
    const struct rdl_step *spec = rdl_repeat(2, rdl_drop(IN(pong, 2)), SENT(ping, 1), GOT(pong, 1));

    EXPECT_STR(play(spec, "O2 p1 O2 O1 p1 O1"), "-O2 p1 -O2 O1 p1 O1 | complete");
    EXPECT_STR(play(spec, "O2 p1 O2 O3"), "-O2 p1 -O2 | refused");
}

TEST(a_rule_inside_counts_for_more_but_only_there)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_drop(IN(pong, 2)), SENT(ping, 1),
        rdl_sequence(rdl_allow(IN(pong, 2)), SENT(ping, 2), SENT(ping, 3)), SENT(ping, 4));

    EXPECT_STR(play(spec, "O2 p1 O2 p2 O2 p3 O2 p4 O2"),
               "-O2 p1 O2 p2 O2 p3 -O2 p4 -O2 | complete");
    EXPECT_STR(play(spec, "O2 p1 O3"), "-O2 p1 | refused");
}

TEST(a_rule_can_be_about_what_a_function_says)
{
    const struct rdl_step *allows =
        rdl_sequence(rdl_allow(rdl_in(&net, rdl_if(pong, is_small))), SENT(ping, 1), SENT(ping, 2));
    const struct rdl_step *forbids = rdl_sequence(
        rdl_allow(IN_ANY(pong)), rdl_disallow(rdl_in(&net, rdl_if(pong, is_small))), SENT(ping, 1));
    const struct rdl_step *drops =
        rdl_sequence(rdl_drop(rdl_in(&net, rdl_if(pong, is_small))), SENT(ping, 1), GOT(pong, 12));

    EXPECT_STR(play(allows, "O3 p1 O9 p2"), "O3 p1 O9 p2 | complete");
    EXPECT_STR(play(allows, "O3 p1 O10 p2"), "O3 p1 | refused");
    EXPECT_STR(play(forbids, "O10 p1"), "O10 p1 | complete");
    EXPECT_STR(play(forbids, "O10 O9 p1"), "O10 | refused");
    EXPECT_STR(play(drops, "O1 p1 O2 O12"), "-O1 p1 -O2 O12 | complete");
    EXPECT_STR(play(drops, "O1 p1 O13"), "-O1 p1 | refused");
}

TEST(a_rule_can_be_about_a_type)
{
    const struct rdl_step *both =
        rdl_sequence(rdl_allow(IN_ANY(pong)), rdl_drop(OUT_ANY(ping)), SENT(request, 1));
    const struct rdl_step *forbids = rdl_sequence(rdl_disallow(IN_ANY(pong)), SENT(request, 1));

    EXPECT_STR(play(both, "O1 p1 O2 q1 p2"), "O1 -p1 O2 q1 -p2 | complete");
    EXPECT_STR(play(both, "o1"), "| refused");  /* the other direction */
    EXPECT_STR(play(both, "O1'"), "| refused"); /* another port */
    EXPECT_STR(play(forbids, "O5 q1"), "| refused");
    EXPECT_STR(play(forbids, "q1"), "q1 | complete");
}

TEST(of_two_rules_in_one_place_the_last_counts)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_allow(IN_ANY(pong)), rdl_drop(rdl_in(&net, rdl_if(pong, is_small))),
                     rdl_disallow(rdl_in(&net, rdl_field(pong, id, 3))), SENT(ping, 1));
    const struct rdl_step *useless = rdl_sequence(rdl_drop(rdl_in(&net, rdl_if(pong, is_small))),
                                                  rdl_allow(IN_ANY(pong)), SENT(ping, 1));
    struct rdl__error error;
    struct rdl__program *program;
    int line = __LINE__ - 4;

    EXPECT_STR(play(spec, "O20 O2 p1 O20"), "O20 -O2 p1 O20 | complete");
    EXPECT_STR(play(spec, "O2 O3"), "-O2 | refused");
    EXPECT_STR(play(useless, "O2 p1"), "O2 p1 | complete");
    program = rdl__program_new(useless, &error);
    EXPECT(program);
    EXPECT_CONTAINS(rdl__program_warnings(program),
                    words("%s:%d: this rule never applies", __FILE__, line));
    rdl__program_free(program);
}

TEST(two_blocks_in_a_row_have_their_own_rules)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_allow(IN(pong, 1)), rdl_drop(IN(pong, 2)),
        rdl_repeat(2, rdl_drop(IN(pong, 1)), rdl_allow(IN(pong, 3)), SENT(ping, 1)),
        rdl_repeat(1, rdl_allow(IN(pong, 2)), rdl_disallow(IN(pong, 1)), SENT(ping, 2)));

    EXPECT_STR(play(spec, "O1 O2 O3 p1 O1 O2 O3 p1 O2 p2 O1 O2"),
               "-O1 -O2 O3 p1 -O1 -O2 O3 p1 O2 p2 O1 -O2 | complete");
    EXPECT_STR(play(spec, "p1 p1 O1"), "p1 p1 | refused");
    EXPECT_STR(play(spec, "p1 p1 O3"), "p1 p1 | refused");
}

TEST(a_step_that_waits_for_it_comes_before_any_rule)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_disallow(IN_ANY(pong)), SENT(ping, 1), GOT(pong, 1), SENT(ping, 2));

    EXPECT_STR(play(spec, "p1 O1 p2"), "p1 O1 p2 | complete");
    EXPECT_STR(play(spec, "p1 O1 O1"), "p1 O1 | refused");
}

TEST(a_rule_that_forbids_ends_only_the_branch_it_is_in)
{
    const struct rdl_step *spec =
        rdl_either(rdl_sequence(rdl_disallow(IN(pong, 1)), SENT(ping, 1), SENT(ping, 2)),
                   rdl_sequence(rdl_allow(IN(pong, 1)), SENT(ping, 1), SENT(ping, 3)));

    EXPECT_STR(play(spec, "p1 O1 p3"), "p1 O1 p3 | complete");
    EXPECT_STR(play(spec, "p1 O1"), "p1 O1 | incomplete");
    EXPECT_STR(rdl__text_string(&explained), ""); /* it was allowed, after all */
    EXPECT_STR(play(spec, "p1 O1 p2"), "p1 O1 | refused");
    EXPECT_STR(play(spec, "p1 p2"), "p1 p2 | complete");
}

/* ---- Requirements --------------------------------------------------------------------------- */

TEST(what_is_required_comes_once_at_any_place)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_require(IN(pong, 1)), SENT(ping, 1), SENT(ping, 2));

    EXPECT_STR(play(spec, "O1 p1 p2"), "O1 p1 p2 | complete");
    EXPECT_STR(play(spec, "p1 O1 p2"), "p1 O1 p2 | complete");
    EXPECT_STR(play(spec, "p1 p2 O1"), "p1 p2 O1 | complete");
    EXPECT_STR(play(spec, "p1 p2"), "p1 p2 | incomplete");
    EXPECT_CONTAINS(rdl__text_string(&expected), "(required)");
    EXPECT_STR(play(spec, "O1 p1 O1 p2"), "O1 p1 | refused");
}

TEST(what_is_required_may_come_in_a_block_inside)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_require(IN(pong, 1)), SENT(ping, 1),
                     rdl_repeat(2, SENT(ping, 2), SENT(ping, 3)), SENT(ping, 4));

    EXPECT_STR(verdict(spec, "p1 p2 p3 p2 O1 p3 p4"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p2 p3 p4 O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p2 p3 p4"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 p2 O1 p3 p2 O1 p3 p4"), "refused");
}

TEST(several_are_required_in_any_order)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_require(IN(pong, 1)), rdl_require(IN(pong, 2)), rdl_require(IN(pong, 3)),
                     rdl_repeat(2, SENT(ping, 1)));

    EXPECT_STR(verdict(spec, "O3 p1 O1 p1 O2"), "complete");
    EXPECT_STR(verdict(spec, "O1 O2 O3 p1 p1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 O2 O1 O3"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 O2 O1"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 O2 O1 O1"), "refused");
}

TEST(blocks_in_blocks_have_their_own_requirements)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_require(IN(pong, 1)), rdl_require(IN(pong, 2)), SENT(ping, 1),
        rdl_sequence(rdl_require(IN(pong, 3)), rdl_require(IN(pong, 4)), SENT(ping, 2)),
        SENT(ping, 3));

    EXPECT_STR(verdict(spec, "p1 O4 O1 p2 O3 p3 O2"), "complete");
    EXPECT_STR(verdict(spec, "O2 O1 p1 O3 O4 p2 p3"), "complete");
    EXPECT_STR(verdict(spec, "O3 p1 p2 O4 p3"), "refused"); /* before its block */
    EXPECT_STR(verdict(spec, "p1 O4 p2 p3"), "refused");    /* the block has not got its own */
    EXPECT_STR(verdict(spec, "p1 O4 O3 p2 p3 O1"), "incomplete");
}

TEST(the_same_may_be_required_several_times)
{
    const struct rdl_step *spec = rdl_sequence(rdl_require(IN(pong, 1)), rdl_require(IN(pong, 1)),
                                               rdl_require(IN(pong, 1)), SENT(ping, 1));

    EXPECT_STR(verdict(spec, "O1 p1 O1 O1"), "complete");
    EXPECT_STR(verdict(spec, "O1 p1 O1"), "incomplete");
    EXPECT_STR(verdict(spec, "O1 p1 O1 O1 O1"), "refused");
}

TEST(blocks_of_nothing_but_requirements)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_require(IN(pong, 1)),
                     rdl_sequence(rdl_require(IN(pong, 2)), rdl_sequence(rdl_require(IN(pong, 3)))),
                     rdl_sequence(rdl_require(IN(pong, 4))));

    EXPECT_STR(verdict(spec, "O1 O2 O3 O4"), "complete");
    EXPECT_STR(verdict(spec, "O3 O2 O4 O1"), "complete");
    EXPECT_STR(verdict(spec, "O3 O4 O2 O1"), "refused");
    EXPECT_STR(verdict(spec, "O3 O2 O1"), "incomplete");
}

TEST(what_is_required_is_required_each_time_round)
{
    const struct rdl_step *spec =
        rdl_repeat(3, rdl_require(IN(pong, 1)),
                   rdl_repeat(3, rdl_require(IN(pong, 2)), SENT(ping, 1)), SENT(ping, 2));
    const char *good = times(3, words("%sp2 O1", times(3, "p1 O2")));
    const char *short_of_one = words("%s%s", times(2, words("%sp2 O1", times(3, "p1 O2"))),
                                     words("%sp2", times(3, "O2 p1")));

    EXPECT_STR(verdict(spec, good), "complete");
    EXPECT_STR(verdict(spec, short_of_one), "incomplete");
    EXPECT_STR(verdict(spec, "p1 O2 p1 p1"), "refused");
    EXPECT_STR(verdict(spec, "p1 O2 O1 O2 O2"), "refused");
}

TEST(a_requirement_can_be_about_a_type_or_what_a_function_says)
{
    const struct rdl_step *spec = rdl_repeat(2, rdl_require(rdl_in(&net, rdl_if(pong, is_even))),
                                             rdl_require(IN_ANY(answer)), SENT(ping, 1));

    EXPECT_STR(verdict(spec, "O2 A9 p1 A1 p1 O4"), "complete");
    EXPECT_STR(verdict(spec, "O3"), "refused");
    EXPECT_STR(verdict(spec, "O2 A9 p1 A1 p1"), "incomplete");
}

TEST(what_is_required_counts_for_more_than_a_rule)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_drop(IN(pong, 1)), rdl_require(IN(pong, 1)), SENT(ping, 1));

    EXPECT_STR(play(spec, "O1 p1 O1"), "O1 p1 -O1 | complete");
    EXPECT_STR(play(spec, "p1"), "p1 | incomplete");
}

TEST(an_event_can_be_the_required_one_or_the_next)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_require(IN(pong, 1)), SENT(ping, 1), GOT(pong, 1), SENT(ping, 2));

    EXPECT_STR(verdict(spec, "O1 p1 O1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 O1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p2 O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p2"), "incomplete");
    EXPECT_STR(verdict(spec, "O1 p1 p2"), "refused");
}

/* ---- By default ----------------------------------------------------------------------------- */

static enum rdl_fate forward(const struct number *it)
{
    (void)it;
    return RDL_FORWARD;
}

static enum rdl_fate swallow(const struct number *it)
{
    (void)it;
    return RDL_SWALLOW;
}

static enum rdl_fate refuse(const struct number *it)
{
    (void)it;
    return RDL_REFUSE;
}

static enum rdl_fate forward_letter(const struct letter *it)
{
    (void)it;
    return RDL_FORWARD;
}

static enum rdl_fate by_number(const struct number *it)
{
    return it->id < 10 ? RDL_FORWARD : it->id < 20 ? RDL_SWALLOW : RDL_REFUSE;
}

TEST(events_that_nobody_named_are_dealt_with_by_default)
{
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(pong, forward), SENT(ping, 1)), "O1 p1 O2 o3'"),
               "O1 p1 O2 o3' | complete");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(pong, swallow), SENT(ping, 1)), "O1 p1 O2"),
               "-O1 p1 -O2 | complete");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(pong, refuse), SENT(ping, 1)), "O1 p1"),
               "| refused");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(pong, forward), SENT(ping, 1)), "O1 A1 p1"),
               "O1 | refused");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(ping, forward), SENT(ping, 1)), "p2 p2"),
               "p2 p2 | incomplete");
}

TEST(what_happens_by_default_may_depend_on_the_event)
{
    const struct rdl_step *spec = rdl_sequence(rdl_otherwise(pong, by_number), SENT(ping, 1));

    EXPECT_STR(play(spec, "O1 O11 p1 O12 O2"), "O1 -O11 p1 -O12 O2 | complete");
    EXPECT_STR(play(spec, "O1 O11 O21 p1"), "O1 -O11 | refused");
}

TEST(the_default_of_a_type_is_that_of_all_that_are_one)
{
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(message, forward), SENT(ping, 1)), "m1 l2 x3 p1"),
               "m1 l2 x3 p1 | complete");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(message, swallow), SENT(ping, 1)), "m1 l2 x3 p1"),
               "-m1 -l2 -x3 p1 | complete");
    EXPECT_STR(play(rdl_sequence(rdl_otherwise(message, refuse), SENT(ping, 1)), "x3 p1"),
               "| refused");
}

TEST(the_default_of_the_narrowest_type_counts)
{
    const struct rdl_step *spec = rdl_sequence(rdl_otherwise(letter, forward_letter),
                                               rdl_otherwise(message, refuse), SENT(ping, 1));
    const struct rdl_step *turned = rdl_sequence(
        rdl_otherwise(message, refuse), rdl_otherwise(letter, forward_letter), SENT(ping, 1));

    EXPECT_STR(play(spec, "l2 x3 p1 l1"), "l2 x3 p1 l1 | complete");
    EXPECT_STR(play(spec, "l2 m1 p1"), "l2 | refused");
    EXPECT_STR(play(turned, "l2 x3 p1 l1"), "l2 x3 p1 l1 | complete");
    EXPECT_STR(play(turned, "l2 m1 p1"), "l2 | refused");
}

TEST(a_rule_counts_for_more_than_a_default)
{
    const struct rdl_step *spec = rdl_sequence(rdl_otherwise(pong, forward), rdl_drop(IN(pong, 1)),
                                               rdl_disallow(IN(pong, 2)), SENT(ping, 1));

    EXPECT_STR(play(spec, "O1 O3 p1"), "-O1 O3 p1 | complete");
    EXPECT_STR(play(spec, "O1 O3 O2 p1"), "-O1 O3 | refused");
}

/* ---- Same, and one of a type ---------------------------------------------------------------- */

static bool same_last_digit(const struct number *a, const struct number *b)
{
    return a->id % 10 == b->id % 10;
}

static bool never_same(const struct number *a, const struct number *b)
{
    (void)a, (void)b;
    return false;
}

RDL_EVENT(rounded, struct number, .same = same_last_digit);
RDL_EVENT(unlike, struct number, .same = never_same);

static enum rdl__taken offer_number(const struct rdl_step *spec, const struct rdl_event_type *type,
                                    int id)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    struct number number = {id};
    struct rdl_event event = {&net, RDL_OUT, type, &number, sizeof number};
    struct rdl__effect effect;
    enum rdl__taken taken = rdl__matcher_event(m, &event, &effect);

    rdl__matcher_free(m);
    rdl__program_free(program);
    return taken;
}

TEST(a_type_says_which_of_its_events_are_the_same)
{
    EXPECT_EQ(offer_number(SENT(rounded, 3), rdl_type(rounded), 13), RDL__TAKEN);
    EXPECT_EQ(offer_number(SENT(rounded, 3), rdl_type(rounded), 14), RDL__REFUSED);
    EXPECT_EQ(offer_number(SENT(rounded, 3), rdl_type(ping), 3), RDL__REFUSED);
    EXPECT_EQ(offer_number(SENT(unlike, 3), rdl_type(unlike), 3), RDL__REFUSED);
    EXPECT_EQ(offer_number(rdl_expect(OUT_ANY(unlike)), rdl_type(unlike), 3), RDL__TAKEN);
    EXPECT_EQ(offer_number(SENT(ping, 3), rdl_type(ping), 3), RDL__TAKEN);
    EXPECT_EQ(offer_number(SENT(ping, 3), rdl_type(ping), 13), RDL__REFUSED);
}

TEST(an_event_is_one_of_each_type_it_is_a)
{
    const struct rdl_step *broad = rdl_repeat(3, rdl_expect(OUT_ANY(message)));
    const struct rdl_step *narrow = rdl_sequence(rdl_expect(OUT_ANY(letter)),
                                                 rdl_expect(rdl_out(&net, rdl_is(letter, {2}, 2))));

    EXPECT_STR(play(broad, "m1 l2 x3"), "m1 l2 x3 | complete");
    EXPECT_STR(play(broad, "m1 p1"), "m1 | refused");
    EXPECT_STR(play(narrow, "l1 l2"), "l1 l2 | complete");
    EXPECT_STR(play(narrow, "x1 x2"), "x1 x2 | complete");
    EXPECT_STR(play(narrow, "m1"), "| refused");
    EXPECT_STR(play(narrow, "l1 l3"), "l1 | refused");
}

TEST(conditions_about_a_broader_type_may_be_added)
{
    const struct rdl_step *spec =
        rdl_star(rdl_expect(rdl_out(&net, rdl_field(message, id, 3), rdl_any(letter))));

    EXPECT_STR(play(spec, "l3 x3"), "l3 x3 | complete");
    EXPECT_STR(play(spec, "l3 m3"), "l3 | refused");
    EXPECT_STR(play(spec, "l4"), "| refused");
    EXPECT_CONTAINS(error_of(rdl_expect(rdl_out(&net, rdl_any(ping), rdl_any(pong)))),
                    "no event is of the types ping and pong");
}
