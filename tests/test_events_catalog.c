/* test_events_catalog.c -- branches, loops and events in any order.
 *
 * The groups of cases follow the test suite of KompicsTesting: Conditional, Kleene, Repeat,
 * Unordered.  All ways of reading a stream are followed here, so that where the original needed
 * a time-out to decide, nothing has to be waited for. */
#include "events_player.h"

static void enter_outer(void)
{
    tell("outer");
}

static void enter_inner(void)
{
    tell("inner");
}

static bool is_even(const struct number *it)
{
    return it->id % 2 == 0;
}

static bool is_odd(const struct number *it)
{
    return it->id % 2 != 0;
}

/* ---- Branches ------------------------------------------------------------------------------- */

TEST(branches_may_begin_alike)
{
    const struct rdl_step *spec =
        rdl_repeat(10, rdl_either(rdl_sequence(SENT(ping, 1), GOT(pong, 1), SENT(ping, 2)),
                                  rdl_sequence(SENT(ping, 1), GOT(pong, 1), GOT(pong, 3))));

    EXPECT_STR(verdict(spec, times(10, "p1 O1 p2")), "complete");
    EXPECT_STR(verdict(spec, times(10, "p1 O1 O3")), "complete");
    EXPECT_STR(verdict(spec, times(5, "p1 O1 O3 p1 O1 p2")), "complete");
    EXPECT_STR(verdict(spec, times(9, "p1 O1 O3")), "incomplete");
    EXPECT_STR(verdict(spec, times(11, "p1 O1 O3")), "refused");
    EXPECT_STR(verdict(spec, "p1 O1 p2 O3"), "refused");
}

/* Three levels, in which branches begin with the same events, or are the beginning of another. */
#define NESTED                                                                                     \
    rdl_sequence(                                                                                  \
        SENT(ping, 1),                                                                             \
        rdl_either(                                                                                \
            rdl_sequence(                                                                          \
                SENT(ping, 2),                                                                     \
                rdl_either(SENT(ping, 3),                                                          \
                           rdl_sequence(SENT(ping, 4),                                             \
                                        rdl_either(rdl_sequence(SENT(ping, 5), SENT(ping, 6)),     \
                                                   rdl_sequence(SENT(ping, 5), SENT(ping, 7)))))), \
            rdl_sequence(SENT(ping, 2), SENT(ping, 3), SENT(ping, 8)),                             \
            rdl_sequence(SENT(ping, 2),                                                            \
                         rdl_either(SENT(ping, 4), rdl_sequence(SENT(ping, 4), SENT(ping, 9))))),  \
        GOT(pong, 1))

TEST(branches_in_branches_in_branches)
{
    const char *good[] = {"p1 p2 p3 O1",    "p1 p2 p4 p5 p6 O1", "p1 p2 p4 p5 p7 O1",
                          "p1 p2 p3 p8 O1", "p1 p2 p4 O1",       "p1 p2 p4 p9 O1"};
    const char *bad[] = {"p1 O1",          "p1 p2 O1",          "p1 p2 p8",    "p1 p2 p4 p5 O1",
                         "p1 p2 p4 p6",    "p1 p2 p4 p5 p6 p7", "p1 p2 p3 p9", "p1 p2 p3 p8 p8",
                         "p1 p2 p4 p9 p5", "p1 p2 p3 O1 O1",    "p1 p3",       "p2"};
    const char *short_of[] = {"", "p1", "p1 p2", "p1 p2 p3", "p1 p2 p4", "p1 p2 p4 p5 p7"};

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        EXPECT_STR(verdict(NESTED, good[i]), "complete");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_STR(verdict(NESTED, bad[i]), "refused");
    for (size_t i = 0; i < sizeof short_of / sizeof *short_of; i++)
        EXPECT_STR(verdict(NESTED, short_of[i]), "incomplete");
}

TEST(one_of_four)
{
    const struct rdl_step *spec =
        rdl_either(SENT(ping, 1), SENT(ping, 2), SENT(ping, 3), rdl_repeat(2, SENT(ping, 4)));

    EXPECT_STR(play(spec, "p1"), "p1 | complete");
    EXPECT_STR(play(spec, "p3"), "p3 | complete");
    EXPECT_STR(play(spec, "p4 p4"), "p4 p4 | complete");
    EXPECT_STR(play(spec, "p4"), "p4 | incomplete");
    EXPECT_STR(play(spec, "p1 p2"), "p1 | refused");
    EXPECT_STR(play(spec, "p5"), "| refused");
    for (int i = 1; i <= 4; i++)
        EXPECT_CONTAINS(rdl__text_string(&expected), words("out net ping(%d)", i));
}

TEST(a_stream_may_end_after_what_branches_have_in_common)
{
    const struct rdl_step *spec =
        rdl_either(rdl_sequence(SENT(ping, 1), GOT(pong, 1)),
                   rdl_sequence(SENT(ping, 1), GOT(pong, 1), rdl_repeat(2, SENT(ping, 2))));

    EXPECT_STR(play(spec, "p1 O1"), "p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 O1 p2"), "p1 O1 p2 | incomplete");
    EXPECT_STR(play(spec, "p1 O1 p2 p2"), "p1 O1 p2 p2 | complete");
    EXPECT_STR(play(spec, "p1 p2"), "p1 | refused");
}

TEST(branches_of_what_comes_in_any_order)
{
    const struct rdl_step *spec = rdl_repeat(
        2, rdl_either(rdl_sequence(rdl_unordered(SENT(ping, 1), SENT(ping, 2)), SENT(ping, 3)),
                      rdl_sequence(rdl_unordered(SENT(ping, 1), SENT(ping, 2)), GOT(pong, 3))));

    EXPECT_STR(verdict(spec, "p1 p2 p3 p2 p1 O3"), "complete");
    EXPECT_STR(verdict(spec, "p2 p1 O3 p1 p2 p3"), "complete");
    EXPECT_STR(verdict(spec, "p2 p1 O3 p1 p3"), "refused");
    EXPECT_STR(verdict(spec, "p2 p2"), "refused");
    EXPECT_STR(verdict(spec, "p2 p1 O3 p1 p2"), "incomplete");
}

static bool echo(const struct number *request, struct number *out)
{
    out->id = request->id;
    return true;
}

RDL_SLOT(struct number, the_request);

static void answer_it(struct number *out)
{
    out->id = rdl_slot(the_request).id + 100;
}

#define ECHO(n) rdl_answer(OUT(request, n), request, echo, &net, answer)
#define KEEP    rdl_expect(rdl_out(&net, rdl_bind_all(request, the_request)))
#define ANSWER  rdl_trigger_by(&net, answer, answer_it)

TEST(branches_may_answer_alike)
{
    const struct rdl_step *spec = rdl_either(rdl_sequence(ECHO(1), SENT(ping, 1)),
                                             rdl_sequence(ECHO(1), ECHO(2), SENT(ping, 2)));

    EXPECT_STR(play(spec, "q1 p1"), "q1=A1 p1 | complete");
    EXPECT_STR(play(spec, "q1 q2 p2"), "q1=A1 q2=A2 p2 | complete");
    EXPECT_STR(play(spec, "q1 p2"), "q1=A1 | refused");
    EXPECT_STR(play(spec, "q1 q2"), "q1=A1 q2=A2 | incomplete");
}

TEST(branches_may_answer_later)
{
    const struct rdl_step *spec = rdl_either(rdl_sequence(KEEP, SENT(ping, 1), ANSWER),
                                             rdl_sequence(KEEP, SENT(ping, 2), ANSWER));

    EXPECT_STR(play(spec, "q7 p1"), "q7 p1 !A107 | complete");
    EXPECT_STR(play(spec, "q8 p2"), "q8 p2 !A108 | complete");
    EXPECT_STR(play(spec, "q8 p3"), "q8 | refused");
}

TEST(a_branch_that_acts_waits_until_the_other_has_no_chance)
{
    const struct rdl_step *spec = rdl_sequence(
        SENT(ping, 1), rdl_either(rdl_sequence(rdl_trigger(&net, pong, 5), SENT(ping, 2)),
                                  rdl_sequence(GOT(pong, 1), SENT(ping, 3))));

    EXPECT_STR(play(spec, "p1 O1 p3"), "p1 O1 p3 | complete"); /* nothing was triggered */
    EXPECT_STR(play(spec, "p1 . p2"), "p1 !O5 p2 | complete");
    EXPECT_STR(play(spec, "p1 p2"), "p1 !O5 p2 | complete"); /* only possible after it */
    EXPECT_STR(play(spec, "p1 . O1"), "p1 !O5 | refused");
    EXPECT_STR(play(spec, "p1"), "p1 !O5 | incomplete");
}

TEST(a_branch_may_be_a_loop)
{
    const struct rdl_step *counted =
        rdl_sequence(rdl_either(rdl_repeat(3, SENT(ping, 1)), SENT(ping, 1)), GOT(pong, 1));
    const struct rdl_step *star =
        rdl_sequence(rdl_either(rdl_star(SENT(ping, 1), GOT(pong, 1)), SENT(ping, 1)),
                     rdl_optional(GOT(pong, 2)));

    EXPECT_STR(verdict(counted, "p1 p1 p1 O1"), "complete");
    EXPECT_STR(verdict(counted, "p1 O1"), "complete");
    EXPECT_STR(verdict(counted, "p1 p1 O1"), "refused");
    EXPECT_STR(verdict(counted, "O1"), "refused");
    EXPECT_STR(verdict(star, ""), "complete");
    EXPECT_STR(verdict(star, "p1 O1 p1 O1 O2"), "complete");
    EXPECT_STR(verdict(star, "p1 O2"), "complete");
    EXPECT_STR(verdict(star, "p1"), "complete");
    EXPECT_STR(verdict(star, "p1 O1 p1"), "incomplete");
    EXPECT_STR(verdict(star, "p1 p1"), "refused");
}

/* ---- Any number of times -------------------------------------------------------------------- */

TEST(any_number_of_times)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_star(SENT(ping, 1), GOT(pong, 1)), SENT(ping, 2));

    EXPECT_STR(verdict(spec, "p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p2"), "complete");
    EXPECT_STR(verdict(spec, words("%sp2", times(50, "p1 O1"))), "complete");
    EXPECT_STR(verdict(spec, "p1 O1"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 p2"), "refused");
    EXPECT_STR(verdict(spec, "O1"), "refused");
}

TEST(what_a_loop_does_first_it_does_each_time_it_is_entered)
{
    const struct rdl_step *spec = rdl_sequence(
        SENT(ping, 1), rdl_star(SENT(ping, 2), rdl_do(enter_inner), SENT(ping, 3)), GOT(pong, 1));

    EXPECT_STR(play(spec, "p1 p2 p3 p2 p3 O1"), "p1 p2 inner p3 p2 inner p3 O1 | complete");
    EXPECT_STR(play(spec, "p1 O1"), "p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 p2 O1"), "p1 p2 inner | refused");
}

TEST(a_loop_that_begins_by_acting_is_entered_when_nothing_else_goes_on)
{
    const struct rdl_step *spec =
        rdl_sequence(SENT(ping, 1), rdl_star(rdl_do(enter_inner), SENT(ping, 2)), GOT(pong, 1));

    EXPECT_STR(play(spec, "p1 O1"), "p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 p2 p2 O1"), "p1 inner p2 inner p2 O1 | complete");
    EXPECT_STR(play(spec, "p1 p3"), "p1 | refused");
}

TEST(requirements_around_a_loop_are_met_in_it_or_after_it)
{
    const struct rdl_step *spec = rdl_sequence(rdl_require(IN(pong, 1)), rdl_require(IN(pong, 2)),
                                               rdl_star(SENT(ping, 1), SENT(ping, 2)));

    EXPECT_STR(verdict(spec, "p1 O1 p2 p1 p2 O2"), "complete");
    EXPECT_STR(verdict(spec, "O2 O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 O2 O1 p2 p1 p2 p1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p2"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 O1 O2"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 O1 p2 O1"), "refused");
}

TEST(stars_in_stars)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_star(SENT(ping, 1), rdl_star(SENT(ping, 2), rdl_star(SENT(ping, 3)))), GOT(pong, 1));

    EXPECT_STR(verdict(spec, "O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 p2 p2 p3 p3 p2 p1 O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p1 p2 p3"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 p3"), "refused");
    EXPECT_STR(verdict(spec, "p2"), "refused");
}

TEST(loops_in_stars_and_stars_in_loops)
{
    const struct rdl_step *inside =
        rdl_sequence(rdl_star(rdl_repeat(3, SENT(ping, 1)), GOT(pong, 1)), GOT(pong, 2));
    const struct rdl_step *outside = rdl_repeat(3, rdl_star(SENT(ping, 1)), GOT(pong, 1));

    EXPECT_STR(verdict(inside, "O2"), "complete");
    EXPECT_STR(verdict(inside, words("%sO2", times(4, "p1 p1 p1 O1"))), "complete");
    EXPECT_STR(verdict(inside, "p1 p1 p1 O1 p1 p1 O1"), "refused");
    EXPECT_STR(verdict(inside, "p1 p1 p1 p1"), "refused");
    EXPECT_STR(verdict(outside, "O1 p1 p1 O1 p1 O1"), "complete");
    EXPECT_STR(verdict(outside, "O1 O1 O1"), "complete");
    EXPECT_STR(verdict(outside, "p1 O1 O1"), "incomplete");
    EXPECT_STR(verdict(outside, "p1 O1 O1 O1 O1"), "refused");
}

/* ---- So many times -------------------------------------------------------------------------- */

TEST(so_many_times)
{
    const struct rdl_step *spec = rdl_repeat(100, SENT(ping, 1), GOT(pong, 1));

    EXPECT_STR(verdict(spec, times(100, "p1 O1")), "complete");
    EXPECT_STR(verdict(spec, times(99, "p1 O1")), "incomplete");
    EXPECT_STR(verdict(spec, times(101, "p1 O1")), "refused");
    EXPECT_STR(verdict(spec, "p1 p1"), "refused");
}

TEST(loops_in_loops_count_for_themselves)
{
    const struct rdl_step *spec = rdl_repeat(
        4, SENT(ping, 1), rdl_repeat(3, SENT(ping, 2), rdl_repeat(2, SENT(ping, 3))), GOT(pong, 1));
    const char *once = words("p1 %sO1", times(3, "p2 p3 p3"));

    EXPECT_STR(verdict(spec, times(4, once)), "complete");
    EXPECT_STR(verdict(spec, times(3, once)), "incomplete");
    EXPECT_STR(verdict(spec, words("p1 %sO1", times(2, "p2 p3 p3"))), "refused");
    EXPECT_STR(verdict(spec, words("p1 %s", times(4, "p2 p3 p3"))), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p2"), "refused");
}

TEST(what_loops_do_is_done_from_the_outside_to_the_inside)
{
    const struct rdl_step *spec = rdl_repeat(
        2, rdl_do(enter_outer), rdl_repeat(2, rdl_do(enter_inner), SENT(ping, 1)), GOT(pong, 1));

    EXPECT_STR(play(spec, "p1 p1 O1 p1 p1 O1"),
               "outer inner p1 inner p1 O1 outer inner p1 inner p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 O1"), "outer inner p1 inner | refused");
}

/* ---- In any order --------------------------------------------------------------------------- */

TEST(one_event_in_any_order)
{
    EXPECT_STR(play(rdl_unordered(SENT(ping, 1)), "p1"), "p1 | complete");
    EXPECT_STR(play(rdl_unordered(SENT(ping, 1)), "p2"), "| refused");
    EXPECT_STR(play(rdl_unordered(SENT(ping, 1)), "p1 p1"), "p1 | refused");
    EXPECT_STR(play(rdl_unordered(GOT(pong, 1)), "O1"), "O1 | complete");
    EXPECT_STR(play(rdl_unordered(GOT(pong, 1)), "o1"), "| refused");
    EXPECT_STR(play(rdl_unordered(GOT(pong, 1)), ""), "| incomplete");
}

TEST(events_of_both_directions_in_any_order)
{
    const struct rdl_step *spec =
        rdl_repeat(2, rdl_unordered(SENT(ping, 1), GOT(pong, 1), SENT(ping, 2), GOT(pong, 2)));

    EXPECT_STR(verdict(spec, "O2 p2 O1 p1 p1 O1 p2 O2"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 O1 O2 O1 O2 p1 p2"), "complete");
    EXPECT_STR(verdict(spec, "O2 p2 O1 p1 p1 O1 p2"), "incomplete");
    EXPECT_CONTAINS(rdl__text_string(&expected), "in net pong(2) (in any order)");
    EXPECT_LACKS(rdl__text_string(&expected), "ping");
    EXPECT_STR(verdict(spec, "O2 p2 O2"), "refused");
}

TEST(what_a_function_says_in_any_order)
{
    const struct rdl_step *spec =
        rdl_unordered(rdl_expect(rdl_out(&net, rdl_if(ping, is_even))),
                      rdl_expect(rdl_out(&net, rdl_if(ping, is_odd))), rdl_expect(OUT_ANY(ping)));

    EXPECT_STR(verdict(spec, "p1 p2 p3"), "complete");
    EXPECT_STR(verdict(spec, "p2 p1 p4"), "complete");
    EXPECT_STR(verdict(spec, "p3 p1 p2"), "complete"); /* whichever took the first */
    EXPECT_STR(verdict(spec, "p2 p4 p6"), "refused");
    EXPECT_STR(verdict(spec, "p1 p3"), "incomplete");
}

TEST(any_order_between_two_steps)
{
    const struct rdl_step *spec = rdl_sequence(
        SENT(ping, 1), rdl_unordered(SENT(ping, 2), SENT(ping, 3), GOT(pong, 1)), SENT(ping, 4));

    EXPECT_STR(verdict(spec, "p1 O1 p3 p2 p4"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3 O1 p4"), "complete");
    EXPECT_STR(verdict(spec, "p2 p1"), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p4"), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p3 O1"), "incomplete");
}
