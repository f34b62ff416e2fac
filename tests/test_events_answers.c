/* test_events_answers.c -- what the test does: answers, triggers, functions, looking inside.
 *
 * The groups of cases follow the test suite of KompicsTesting: AnswerRequests, TriggerWithContext,
 * PingerPonger, Inspect, Builder.  Its futures are slots here: a request is kept, and a function
 * makes what is triggered later of it.  That of Builder which has to do with connecting
 * components, and its groups on faults and on the routing of requests, need real components. */
#include "events_player.h"

static int calls;

static bool echo(const struct number *request, struct number *out)
{
    out->id = request->id;
    return true;
}

static bool add_ten(const struct number *request, struct number *out)
{
    out->id = request->id + 10;
    return true;
}

static bool echo_if_small(const struct number *request, struct number *out)
{
    out->id = request->id;
    return request->id < 10;
}

#define ECHO(n)  rdl_answer(OUT(request, n), request, echo, &net, answer)
#define ECHO_ANY rdl_answer(OUT_ANY(request), request, echo, &net, answer)

/* ---- Answers -------------------------------------------------------------------------------- */

TEST(several_are_answered_after_the_last_in_order)
{
    const struct rdl_step *spec = rdl_repeat(
        2, SENT(ping, 1), rdl_answers(ECHO(1), ECHO(2), ECHO(3), ECHO(4)), SENT(ping, 2));
    const char *once = "p1 (q1) (q2) (q3) (q4) q1=A1 q2=A2 q3=A3 q4=A4 p2";

    EXPECT_STR(play(spec, times(2, "p1 q1 q2 q3 q4 p2")), words("%s %s | complete", once, once));
    EXPECT_STR(play(spec, "p1 q1 q3"), "p1 (q1) | refused");
    EXPECT_STR(play(spec, "p1 q1 q2 q3 p2"), "p1 (q1) (q2) (q3) | refused");
}

TEST(nothing_is_answered_while_one_is_missing)
{
    EXPECT_STR(play(rdl_answers(ECHO(1), ECHO(2), ECHO(3)), "q1 q2"), "(q1) (q2) | incomplete");
    EXPECT_STR(play(rdl_unordered_at_end(ECHO(1), ECHO(2), ECHO(3)), "q3 q2"),
               "(q3) (q2) | incomplete");
    EXPECT_STR(play(rdl_unordered_at_end(ECHO(1), ECHO(2), ECHO(3)), "q3 q2 q2"),
               "(q3) (q2) | refused");
}

TEST(answers_by_themselves_are_sent_at_once)
{
    const struct rdl_step *spec =
        rdl_repeat(2, ECHO(1), rdl_trigger(&net, pong, 5), ECHO(2), SENT(ping, 1),
                   rdl_answer(OUT(request, 3), request, add_ten, &side, answer));

    EXPECT_STR(play(spec, times(2, "q1 q2 p1 q3")),
               "q1=A1 !O5 q2=A2 p1 q3=A13' q1=A1 !O5 q2=A2 p1 q3=A13' | complete");
    EXPECT_STR(play(spec, "q1 p1"), "q1=A1 !O5 | refused");
    EXPECT_STR(play(spec, "Q1"), "| refused"); /* not one that the component sends */
}

TEST(answers_in_any_order)
{
    const struct rdl_step *spec = rdl_repeat(2, rdl_unordered(ECHO(1), ECHO(2), SENT(ping, 1)));
    const struct rdl_step *at_end =
        rdl_repeat(2, rdl_unordered_at_end(ECHO(1), ECHO(2), SENT(ping, 1)));

    EXPECT_STR(play(spec, "q2 p1 q1 q1 q2 p1"), "q2=A2 p1 q1=A1 q1=A1 q2=A2 p1 | complete");
    EXPECT_STR(play(spec, "q2 p1 q1 q1 q2"), "q2=A2 p1 q1=A1 q1=A1 q2=A2 | incomplete");
    EXPECT_STR(play(spec, "q2 p1 q2"), "q2=A2 p1 | refused");
    EXPECT_STR(play(at_end, "q2 p1 q1 q1 p1 q2"),
               "(q2) (p1) (q1) q2=A2 p1 q1=A1 (q1) (p1) (q2) q1=A1 p1 q2=A2 | complete");
    EXPECT_STR(play(at_end, "q2 p1 q1 q1 p1"),
               "(q2) (p1) (q1) q2=A2 p1 q1=A1 (q1) (p1) | incomplete");
}

TEST(what_a_function_does_not_answer_is_not_such_an_event)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_drop(OUT_ANY(request)),
        rdl_repeat(2, rdl_answer(OUT_ANY(request), request, echo_if_small, &net, answer)));

    EXPECT_STR(play(spec, "q3 q12 q4 q5"), "q3=A3 -q12 q4=A4 -q5 | complete");
    EXPECT_STR(play(spec, "q3 q12"), "q3=A3 -q12 | incomplete");
}

TEST(what_is_allowed_passes_what_is_held)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_allow(IN_ANY(pong)), rdl_unordered_at_end(SENT(ping, 1), SENT(ping, 2)), SENT(ping, 3));

    EXPECT_STR(play(spec, "p2 O1 p1 O2 p3"), "(p2) O1 (p1) p2 p1 O2 p3 | complete");
    EXPECT_STR(play(spec, "p2 p3"), "(p2) | refused");
}

TEST(what_is_held_is_released_when_branches_hold_it_alike)
{
    const struct rdl_step *spec =
        rdl_either(rdl_sequence(rdl_unordered_at_end(ECHO(1), ECHO(2)), SENT(ping, 1)),
                   rdl_sequence(rdl_unordered_at_end(ECHO(1), ECHO(2)), SENT(ping, 2)));

    EXPECT_STR(play(spec, "q2 q1 p1"), "(q2) (q1) q2=A2 q1=A1 p1 | complete");
    EXPECT_STR(play(spec, "q1 q2 p2"), "(q1) (q2) q1=A1 q2=A2 p2 | complete");
    EXPECT_STR(play(spec, "q1 q2 p3"), "(q1) (q2) q1=A1 q2=A2 | refused");
}

TEST(branches_must_agree_on_the_answer)
{
    const struct rdl_step *spec = rdl_sequence(
        SENT(ping, 1),
        rdl_either(rdl_sequence(ECHO_ANY, SENT(ping, 2)),
                   rdl_sequence(rdl_answer(OUT(request, 3), request, add_ten, &net, answer),
                                SENT(ping, 3))));
    const struct rdl_step *forwards = rdl_either(rdl_sequence(ECHO(1), SENT(ping, 2)),
                                                 rdl_sequence(SENT(request, 1), SENT(ping, 3)));
    const struct rdl_step *drops =
        rdl_either(ECHO(1), rdl_sequence(rdl_drop(OUT(request, 1)), SENT(request, 2)));

    EXPECT_CONTAINS(error_of(spec), "what becomes of \"out net request(3)\" depends on");
    EXPECT_CONTAINS(error_of(spec), "by the stream\n    out net ping(1)\n    out net "
                                    "request(3)");
    EXPECT_CONTAINS(error_of(spec), __FILE__ ":");
    EXPECT_CONTAINS(error_of(forwards), "expected, and forwarded");
    EXPECT_CONTAINS(error_of(drops), "dropped");
}

static bool is_even(const struct number *it)
{
    return it->id % 2 == 0;
}

static bool is_small(const struct number *it)
{
    return it->id < 10;
}

TEST(what_only_shows_later_to_be_ambiguous_confuses)
{
    const struct rdl_step *spec = rdl_either(
        rdl_answer(rdl_out(&net, rdl_if(request, is_even)), request, echo, &net, answer),
        rdl_answer(rdl_out(&net, rdl_if(request, is_small)), request, add_ten, &net, answer));

    EXPECT_STR(play(spec, "q12"), "q12=A12 | complete");
    EXPECT_STR(play(spec, "q3"), "q3=A13 | complete");
    EXPECT_STR(play(spec, "q4"), "| confused");
    EXPECT_CONTAINS(rdl__text_string(&explained), "want different things");
    EXPECT_STR(play(spec, "q13"), "| refused");
}

/* ---- Answers that are given later ----------------------------------------------------------- */

RDL_SLOT(struct number, first);
RDL_SLOT(struct number, second);
RDL_SLOT(struct number, third);

static void answer_first(struct number *out)
{
    calls++;
    out->id = rdl_slot(first).id + 100;
}

static void answer_second(struct number *out)
{
    out->id = rdl_slot(second).id + 200;
}

static void answer_third(struct number *out)
{
    out->id = rdl_slot(third).id + 300;
}

#define KEEP(slot)   rdl_expect(rdl_out(&net, rdl_bind_all(request, slot)))
#define ANSWER(slot) rdl_trigger_by(&net, answer, answer_##slot)

TEST(what_was_kept_is_answered_later_in_another_order)
{
    const struct rdl_step *spec =
        rdl_repeat(2, KEEP(first), KEEP(second), SENT(ping, 1), ANSWER(second), KEEP(third),
                   ANSWER(first), ANSWER(third));

    EXPECT_STR(play(spec, "q1 q2 p1 q3 q4 q5 p1 q6"),
               "q1 q2 p1 !A202 q3 !A101 !A303 q4 q5 p1 !A205 q6 !A104 !A306 | complete");
    EXPECT_STR(play(spec, "q1 p1"), "q1 | refused");
    EXPECT_STR(play(spec, "q1 q2 p1 q3"), "q1 q2 p1 !A202 q3 !A101 !A303 | incomplete");
}

TEST(what_was_kept_in_any_order_is_answered_later)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_unordered(
            rdl_expect(rdl_out(&net, rdl_field(request, id, 1), rdl_bind_all(request, first))),
            rdl_expect(rdl_out(&net, rdl_field(request, id, 2), rdl_bind_all(request, second))),
            rdl_expect(rdl_out(&net, rdl_field(request, id, 3), rdl_bind_all(request, third)))),
        ANSWER(first), ANSWER(second), ANSWER(third));

    EXPECT_STR(play(spec, "q3 q1 q2"), "q3 q1 q2 !A101 !A202 !A303 | complete");
    EXPECT_STR(play(spec, "q3 q1"), "q3 q1 | incomplete");
    EXPECT_STR(play(spec, "q3 q1 q1"), "q3 q1 | refused");
}

TEST(requests_that_are_kept_must_come_in_order)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_expect(rdl_out(&net, rdl_field(request, id, 1), rdl_bind_all(request, first))),
        rdl_expect(rdl_out(&net, rdl_field(request, id, 2), rdl_bind_all(request, second))),
        ANSWER(first), ANSWER(second));

    EXPECT_STR(play(spec, "q1 q2"), "q1 q2 !A101 !A202 | complete");
    EXPECT_STR(play(spec, "q2 q1"), "| refused");
}

TEST(what_was_kept_can_be_used_many_times)
{
    const struct rdl_step *once =
        rdl_sequence(KEEP(first), ANSWER(first), SENT(ping, 1), ANSWER(first), ANSWER(first));
    const struct rdl_step *often = rdl_repeat(5, KEEP(first), ANSWER(first), ANSWER(first));

    EXPECT_STR(play(once, "q4 p1"), "q4 !A104 p1 !A104 !A104 | complete");
    EXPECT_STR(play(once, "q4 p2"), "q4 !A104 | refused");
    calls = 0;
    EXPECT_STR(play(often, "q1 q2 q3 q4 q5"), "q1 !A101 !A101 q2 !A102 !A102 q3 !A103 !A103 "
                                              "q4 !A104 !A104 q5 !A105 !A105 | complete");
    EXPECT_EQ(calls, 10);
}

static bool add_first(const struct number *request, struct number *out)
{
    out->id = request->id + rdl_slot(first).id;
    return true;
}

TEST(an_answer_may_depend_on_what_was_kept)
{
    const struct rdl_step *spec = rdl_sequence(
        KEEP(first), rdl_repeat(2, rdl_answer(OUT_ANY(request), request, add_first, &net, answer)));

    EXPECT_STR(play(spec, "q40 q1 q2"), "q40 q1=A41 q2=A42 | complete");
    EXPECT_STR(play(spec, "q50 q1"), "q50 q1=A51 | incomplete");
}

TEST(branches_that_kept_something_else_must_agree_on_the_answer)
{
    const struct rdl_step *answer = rdl_answer(OUT_ANY(request), request, add_first, &net, answer);
    const struct rdl_step *spec =
        rdl_either(rdl_sequence(KEEP(first), rdl_expect(OUT_ANY(request)), answer),
                   rdl_sequence(rdl_expect(OUT_ANY(request)), KEEP(first), answer));

    EXPECT_STR(play(spec, "q5 q5 q1"), "q5 q5 q1=A6 | complete");
    EXPECT_STR(play(spec, "q5 q6 q1"), "q5 q6 | confused");
}

/* ---- Triggers and functions ----------------------------------------------------------------- */

static void next_number(struct number *out)
{
    out->id = ++calls;
}

TEST(what_makes_an_event_is_called_once_each_time)
{
    const struct rdl_step *spec =
        rdl_repeat(3, rdl_trigger_by(&net, pong, next_number), SENT(ping, 1));

    calls = 0;
    EXPECT_STR(play(spec, "p1 p1 p1"), "!O1 p1 !O2 p1 !O3 p1 | complete");
    calls = 0;
    EXPECT_STR(play(spec, "p1 p1"), "!O1 p1 !O2 p1 !O3 | incomplete");
    EXPECT_EQ(calls, 3);
    EXPECT_STR(play(spec, "p2"), "!O4 | refused");
}

TEST(branches_that_begin_by_the_same_do_it_once)
{
    const struct rdl_step *spec =
        rdl_either(rdl_sequence(rdl_trigger(&net, pong, 1), SENT(ping, 1)),
                   rdl_sequence(rdl_trigger(&net, pong, 1), SENT(ping, 2)));
    const struct rdl_step *differ = rdl_sequence(
        SENT(ping, 9), rdl_either(rdl_trigger(&net, pong, 1), rdl_trigger(&net, pong, 2)));

    EXPECT_STR(play(spec, "p1"), "!O1 p1 | complete");
    EXPECT_STR(play(spec, "p2"), "!O1 p2 | complete");
    EXPECT_STR(play(spec, "p3"), "!O1 | refused");
    EXPECT_CONTAINS(error_of(differ), "Nothing decides between them after the stream\n    out net "
                                      "ping(9)");
}

static void outer(void)
{
    tell("outer");
}

static void inner(void)
{
    tell("inner");
    calls++;
}

TEST(loops_of_nothing_but_functions)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_repeat(2, rdl_do(outer), rdl_repeat(3, rdl_do(inner))), rdl_repeat(2, rdl_do(outer)));
    const struct rdl_step *often =
        rdl_repeat(10, rdl_repeat(20, rdl_do(inner)), rdl_repeat(5, rdl_do(inner)));

    EXPECT_STR(play(spec, ""),
               "outer inner inner inner outer inner inner inner outer outer | complete");
    EXPECT_STR(verdict(spec, "p1"), "refused");
    calls = 0;
    EXPECT_STR(verdict(often, ""), "complete");
    EXPECT_EQ(calls, 10 * (20 + 5));
}

TEST(a_loop_that_is_not_entered_does_nothing)
{
    EXPECT_STR(play(rdl_sequence(rdl_repeat(0, rdl_do(inner)), SENT(ping, 1)), "p1"),
               "p1 | complete");
    EXPECT_STR(play(rdl_sequence(rdl_optional(SENT(ping, 2), rdl_do(inner)), SENT(ping, 1)), "p1"),
               "p1 | complete");
    EXPECT_STR(
        play(rdl_sequence(rdl_optional(SENT(ping, 2), rdl_do(inner)), SENT(ping, 1)), "p2 p1"),
        "p2 inner p1 | complete");
}

/* A stream that is complete needs no more to be done; but if more comes, it is. */
TEST(a_loop_after_which_nothing_comes_is_entered_by_an_event_that_needs_it)
{
    const struct rdl_step *spec =
        rdl_sequence(SENT(ping, 1), rdl_star(rdl_do(inner), SENT(ping, 2)));

    EXPECT_STR(play(spec, "p1"), "p1 | complete");
    EXPECT_STR(play(spec, "p1 . p2 . p2"), "p1 inner p2 inner p2 | complete");
    EXPECT_STR(play(spec, "p1 p3"), "p1 | refused");
    EXPECT_CONTAINS(error_of(rdl_star(rdl_either(rdl_sequence(rdl_do(inner), SENT(ping, 1)),
                                                 rdl_sequence(rdl_do(outer), SENT(ping, 2))))),
                    "Nothing decides between them after the beginning");
}

TEST(an_event_that_no_action_makes_possible_is_refused)
{
    const struct rdl_step *loop =
        rdl_sequence(rdl_plus(rdl_do(inner), rdl_optional(SENT(ping, 1))), SENT(ping, 2));
    const struct rdl_step *two = rdl_star(rdl_do(inner), rdl_optional(SENT(ping, 1)), rdl_do(outer),
                                          rdl_optional(SENT(ping, 2)));

    EXPECT_STR(play(loop, "p1 p1 p2"), "inner p1 inner p1 p2 | complete");
    EXPECT_STR(verdict(loop, "p1 p9"), "refused");
    EXPECT_STR(play(two, "p2 p2 p1"), "inner outer p2 inner outer p2 inner p1 outer | complete");
    EXPECT_STR(verdict(two, "p2 p9"), "refused");
    EXPECT_STR(verdict(rdl_between(0, 5, rdl_do(inner), rdl_optional(SENT(ping, 1))), "p9"),
               "refused");
}

/* ---- Looking inside ------------------------------------------------------------------------- */

struct component {
    int limit;
};

static bool is_below_limit(const struct component *it)
{
    return calls++ < it->limit;
}

TEST(the_component_is_looked_at_each_time)
{
    static const struct component component = {3};
    const struct rdl_step *spec = rdl_star(SENT(ping, 1), rdl_inspect(is_below_limit, &component));

    calls = 0;
    EXPECT_STR(play(spec, "p1"), "p1 | complete");
    EXPECT_EQ(calls, 1);
    calls = 0;
    EXPECT_STR(play(spec, "p1 p1 p1"), "p1 p1 p1 | complete");
    EXPECT_EQ(calls, 3);
    calls = 0;
    EXPECT_STR(play(spec, "p1 p1 p1 p1 p1"), "p1 p1 p1 p1 | false");
    EXPECT_EQ(calls, 4);
}

static int state;

static void raise_state(struct number *out)
{
    out->id = ++state;
}

static bool is_one(const int *it)
{
    return *it == 1;
}

TEST(the_component_is_looked_at_after_what_was_triggered)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_trigger_by(&net, pong, raise_state), rdl_inspect(is_one, &state));

    state = 0;
    EXPECT_STR(play(spec, ""), "!O1 | complete");
    EXPECT_STR(play(spec, ""), "!O2 | false");
}
