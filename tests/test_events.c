/* test_events.c -- the language of events: patterns, captures, loops, time, what is said of
 * specs that are wrong.  What events become of is in the tests of rules, answers and branches. */
#include "events_player.h"

#include <math.h>

/* ---- Patterns ------------------------------------------------------------------------------- */

static bool fits(const char *pattern, const char *text)
{
    const struct rdl_pattern it = {
        &net, RDL_OUT,
        (const struct rdl_condition[]){
            {.kind = RDL__COND_TEXT, .type = &rdl_event_frame, .value = pattern}, {.kind = 0}}};
    union data data;
    struct rdl_event event = read_event(words("t:%s", text), &data);

    return rdl__pattern_holds(&it, &event);
}

TEST(texts_fit_patterns)
{
    EXPECT(fits("", "") && fits("*", "") && fits("**", "") && fits("*", "anything"));
    EXPECT(fits("OK", "OK") && !fits("OK", "OKAY") && !fits("OK", "O") && !fits("", "O"));
    EXPECT(fits("+OK*", "+OK") && fits("+OK*", "+OK then") && !fits("+OK*", "+O"));
    EXPECT(fits("*b", "abab") && !fits("*b", "aba") && fits("*a*b*c*", "xxaxbxxcx"));
    EXPECT(!fits("*a*b*c*", "xxaxcxxbx") && fits("a*a", "aa") && !fits("a*a", "a"));
    EXPECT(fits("*abc", "ababc") && fits("*aab*", "aaaab"));
}

TEST(a_backslash_makes_characters_ordinary)
{
    EXPECT(fits("\\*", "*") && !fits("\\*", "x") && !fits("\\*", "") && !fits("\\*", "**"));
    EXPECT(fits("a\\*b", "a*b") && !fits("a\\*b", "axb") && fits("*\\*", "xx*"));
    EXPECT(fits("\\\\", "\\") && !fits("\\\\", "\\\\") && fits("\\a", "a"));
    EXPECT(!fits("*\\*", "xx") && fits("\\\\*", "\\anything") && fits("a\\", "a\\"));
}

TEST(frames_are_events_like_any_other)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_drop(rdl_out(&net, rdl_text("-*"))),
                     rdl_expect(rdl_out(&net, rdl_text("+OK*"))), rdl_expect(OUT_ANY(frame)));

    EXPECT_STR(play(spec, "t:-ERR t:+OK.. t:-1 t:-2"), "-t:-ERR t:+OK.. t:-1 -t:-2 | complete");
    EXPECT_STR(play(spec, "t:-ERR t:OK"), "-t:-ERR | refused");
    EXPECT_CONTAINS(rdl__text_string(&expected), "out net \"+OK*\"");
}

struct parcel {
    char tag;
    int weight; /* after padding */
    char to[6];
};
RDL_EVENT(parcel, struct parcel);

static enum rdl__taken offer_parcel(const struct rdl_step *spec, const struct parcel *value)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    struct parcel parcel = *value;
    struct rdl_event event = {&net, RDL_OUT, rdl_type(parcel), &parcel, sizeof parcel};
    struct rdl__effect effect;
    enum rdl__taken taken;

    rdl_clear_data_parcel(&parcel);
    taken = rdl__matcher_event(m, &event, &effect);
    rdl__matcher_free(m);
    rdl__program_free(program);
    return taken;
}

TEST(fields_are_compared_by_themselves)
{
    struct parcel parcel;

    memset(&parcel, 0xff, sizeof parcel); /* padding, too */
    parcel.tag = 'x', parcel.weight = 5, memset(parcel.to, 0, 6), memcpy(parcel.to, "Rome", 4);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_field(parcel, weight, 5))), &parcel),
              RDL__TAKEN);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_field(parcel, weight, 6))), &parcel),
              RDL__REFUSED);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_field(parcel, to, "Rome"))), &parcel),
              RDL__TAKEN);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_field(parcel, to, "Bonn"))), &parcel),
              RDL__REFUSED);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_field(parcel, to, "Rome"),
                                              rdl_field(parcel, weight, 6))),
                           &parcel),
              RDL__REFUSED);
}

TEST(padding_makes_no_difference)
{
    struct parcel parcel;

    memset(&parcel, 0xff, sizeof parcel);
    parcel.tag = 'x', parcel.weight = 5, memset(parcel.to, 0, 6);
    EXPECT_EQ(
        offer_parcel(rdl_expect(rdl_out(&net, rdl_is(parcel, .tag = 'x', .weight = 5))), &parcel),
        RDL__TAKEN);
    EXPECT_EQ(offer_parcel(rdl_expect(rdl_out(&net, rdl_is(parcel, .weight = 5))), &parcel),
              RDL__REFUSED);
}

/* ---- Captures ------------------------------------------------------------------------------- */

RDL_SLOT(int, the_id);
RDL_SLOT(int, other_id);

#define BIND(event, slot)  rdl_expect(rdl_out(&net, rdl_bind(event, id, slot)))
#define BOUND(event, slot) rdl_expect(rdl_in(&net, rdl_bound(event, id, slot)))

TEST(what_was_bound_comes_again)
{
    const struct rdl_step *spec = rdl_repeat(2, BIND(ping, the_id), BOUND(pong, the_id));

    EXPECT_STR(play(spec, "p17 O17 p4 O4"), "p17 O17 p4 O4 | complete");
    EXPECT_STR(play(spec, "p17 O18"), "p17 | refused");
    EXPECT_CONTAINS(rdl__text_string(&expected), "in net pong whose id is the_id");
    EXPECT_STR(play(spec, "p17 O17 p4 O17"), "p17 O17 p4 | refused");
}

TEST(what_was_never_bound_fits_nothing)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_optional(BIND(ping, the_id)), BOUND(pong, the_id));

    EXPECT_STR(play(spec, "p3 O3"), "p3 O3 | complete");
    EXPECT_STR(play(spec, "O3"), "| refused");
    EXPECT_STR(play(spec, "O0"), "| refused");
}

TEST(each_branch_has_bound_its_own)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_either(rdl_sequence(BIND(ping, the_id), rdl_expect(OUT_ANY(ping))),
                                rdl_sequence(rdl_expect(OUT_ANY(ping)), BIND(ping, the_id))),
                     BOUND(pong, the_id), BOUND(pong, the_id));

    EXPECT_STR(play(spec, "p1 p2 O1 O1"), "p1 p2 O1 O1 | complete");
    EXPECT_STR(play(spec, "p1 p2 O2 O2"), "p1 p2 O2 O2 | complete");
    EXPECT_STR(play(spec, "p1 p2 O2 O1"), "p1 p2 O2 | refused");
    EXPECT_STR(play(spec, "p1 p2 O3"), "p1 p2 | refused");
}

TEST(one_of_many_is_answered_whichever_it_is)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_star(rdl_expect(OUT_ANY(ping))), BIND(ping, the_id),
                     rdl_star(rdl_expect(OUT_ANY(ping))), BOUND(pong, the_id));

    for (int i = 1; i <= 5; i++)
        EXPECT_STR(verdict(spec, words("p1 p2 p3 p4 p5 O%d", i)), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p4 p5 O6"), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p3 p4 p5 O2 O2"), "refused");
}

TEST(two_slots_in_any_order)
{
    const struct rdl_step *spec =
        rdl_sequence(BIND(ping, the_id), BIND(ping, other_id),
                     rdl_unordered(BOUND(pong, the_id), BOUND(pong, other_id)));

    EXPECT_STR(verdict(spec, "p1 p2 O1 O2"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 O2 O1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 O2 O2"), "refused");
    EXPECT_STR(verdict(spec, "p2 p2 O2 O2"), "complete");
}

TEST(rules_and_requirements_know_what_was_bound)
{
    const struct rdl_step *drops = rdl_sequence(
        BIND(ping, the_id),
        rdl_sequence(rdl_drop(rdl_in(&net, rdl_bound(pong, id, the_id))), SENT(ping, 9)));
    const struct rdl_step *requires = rdl_sequence(
        rdl_require(rdl_in(&net, rdl_bind(pong, id, the_id))), SENT(ping, 1), SENT(ping, 2));

    EXPECT_STR(play(drops, "p3 O3 p9"), "p3 -O3 p9 | complete");
    EXPECT_STR(play(drops, "p3 O4"), "p3 | refused");
    EXPECT_STR(play(requires, "p1 O4 p2"), "p1 O4 p2 | complete");
    EXPECT_CONTAINS(
        error_of(rdl_sequence(rdl_allow(rdl_in(&net, rdl_bind(pong, id, the_id))), SENT(ping, 9))),
        "a rule cannot bind anything");
}

static bool is_next(const struct number *it)
{
    return it->id == rdl_slot(the_id) + 1;
}

TEST(functions_know_what_was_bound)
{
    const struct rdl_step *spec = rdl_sequence(
        BIND(ping, the_id),
        rdl_star(rdl_expect(rdl_out(&net, rdl_if(ping, is_next), rdl_bind(ping, id, the_id)))));

    EXPECT_STR(play(spec, "p5 p6 p7"), "p5 p6 p7 | complete");
    EXPECT_STR(play(spec, "p5 p6 p8"), "p5 p6 | refused");
    EXPECT_STR(play(spec, "p5 p5"), "p5 | refused");
}

/* ---- Loops ---------------------------------------------------------------------------------- */

TEST(counters_belong_to_each_way_of_reading_it)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_star(SENT(ping, 1)), rdl_repeat(2, SENT(ping, 1)), SENT(ping, 2));

    for (int n = 0; n <= 6; n++)
        EXPECT_STR(verdict(spec, words("%sp2", times(n, "p1"))), n < 2 ? "refused" : "complete");
    EXPECT_STR(verdict(spec, times(6, "p1")), "incomplete");
}

TEST(at_least_and_at_most)
{
    const struct rdl_step *between = rdl_sequence(rdl_between(0, 3, SENT(ping, 1)), GOT(pong, 1));
    const struct rdl_step *more = rdl_sequence(rdl_between(2, 4, SENT(ping, 1)), GOT(pong, 1));
    const struct rdl_step *many = rdl_between(3, RDL_MANY, SENT(ping, 1));
    const struct rdl_step *plus = rdl_plus(SENT(ping, 1));

    for (int n = 0; n <= 6; n++) {
        EXPECT_STR(verdict(between, words("%sO1", times(n, "p1"))),
                   n <= 3 ? "complete" : "refused");
        EXPECT_STR(verdict(more, words("%sO1", times(n, "p1"))),
                   n >= 2 && n <= 4 ? "complete" : "refused");
        EXPECT_STR(verdict(many, times(n, "p1")), n >= 3 ? "complete" : "incomplete");
        EXPECT_STR(verdict(plus, times(n, "p1")), n >= 1 ? "complete" : "incomplete");
    }
}

TEST(not_at_all)
{
    const struct rdl_step *never = rdl_sequence(rdl_repeat(0, SENT(ping, 1)), SENT(ping, 2));
    const struct rdl_step *maybe = rdl_sequence(rdl_optional(SENT(ping, 1)), SENT(ping, 2));

    EXPECT_STR(play(never, "p2"), "p2 | complete");
    EXPECT_STR(play(never, "p1 p2"), "| refused");
    EXPECT_STR(play(maybe, "p2"), "p2 | complete");
    EXPECT_STR(play(maybe, "p1 p2"), "p1 p2 | complete");
    EXPECT_STR(play(maybe, "p1 p1 p2"), "p1 | refused");
    EXPECT_STR(play(rdl_repeat(0, SENT(ping, 1)), ""), "| complete");
}

TEST(loops_of_what_may_be_nothing_end)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_star(rdl_star(rdl_optional(SENT(ping, 1)), rdl_star(SENT(ping, 2)))), SENT(ping, 3));
    const struct rdl_step *counted = rdl_sequence(
        rdl_repeat(1000000, rdl_between(0, 1000000, rdl_optional(SENT(ping, 1)))), SENT(ping, 3));

    EXPECT_STR(verdict(spec, "p3"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 p2 p2 p1 p3"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 p4"), "refused");
    EXPECT_STR(verdict(counted, "p3"), "complete");
    EXPECT_STR(verdict(counted, "p1 p1 p1 p3"), "complete");
}

TEST(what_came_half_way_in_any_order_is_forgotten_the_next_time)
{
    const struct rdl_step *spec =
        rdl_star(rdl_either(rdl_unordered(SENT(ping, 1), SENT(ping, 2), SENT(ping, 3)),
                            rdl_sequence(SENT(ping, 1), GOT(pong, 1))));

    EXPECT_STR(verdict(spec, "p1 O1 p2 p3 p1"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p1 O1 p3 p1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 O1 p2 p3"), "incomplete"); /* p1 was of the other branch */
    EXPECT_STR(verdict(spec, "p1 O1 p2 p3 p2"), "refused");
}

/* The first that can take it does not take it away from the others. */
TEST(what_is_required_may_come_while_branches_are_open)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_require(IN(pong, 1)), rdl_either(rdl_sequence(SENT(ping, 1), SENT(ping, 2)),
                                             rdl_sequence(SENT(ping, 3), SENT(ping, 4)),
                                             rdl_sequence(SENT(ping, 1), SENT(ping, 5))));
    const char *ways[] = {"1 2", "3 4", "1 5"};

    for (int i = 0; i < 3; i++) {
        char a = ways[i][0], b = ways[i][2];

        EXPECT_STR(verdict(spec, words("O1 p%c p%c", a, b)), "complete");
        EXPECT_STR(verdict(spec, words("p%c O1 p%c", a, b)), "complete");
        EXPECT_STR(verdict(spec, words("p%c p%c O1", a, b)), "complete");
        EXPECT_STR(verdict(spec, words("p%c p%c", a, b)), "incomplete");
        EXPECT_STR(verdict(spec, words("O1 p%c O1 p%c", a, b)), "refused");
    }
    EXPECT_STR(verdict(spec, "O1 p3 p2"), "refused");
}

TEST(after_the_end_the_outermost_rules_hold)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_allow(OUT(ping, 7)), rdl_drop(OUT(ping, 8)), SENT(ping, 1));

    EXPECT_STR(play(spec, "p1 p7 p8 p7"), "p1 p7 -p8 p7 | complete");
    EXPECT_STR(play(spec, "p1 p1"), "p1 | refused");
    EXPECT_CONTAINS(rdl__text_string(&expected), "nothing: the stream is complete");
    EXPECT_STR(play(spec, "p1 p9"), "p1 | refused");
}

TEST(a_spec_can_be_followed_again_and_by_several_at_once)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(
        rdl_repeat(2, rdl_unordered(SENT(ping, 1), SENT(ping, 2)), rdl_trigger(&net, pong, 1)),
        &error);
    struct rdl__matcher *half;
    union data data;
    struct rdl_event event = read_event("p1", &data);
    struct rdl__effect effect;

    EXPECT(program);
    half = rdl__matcher_new(program, 0, 0);
    EXPECT_EQ(rdl__matcher_event(half, &event, &effect), RDL__TAKEN);
    for (int i = 0; i < 3; i++) {
        EXPECT_STR(play_program(program, "p1 p2 p2 p1"), "p1 p2 !O1 p2 p1 !O1 | complete");
        EXPECT_STR(play_program(program, "p1 p2 p2"), "p1 p2 !O1 p2 | incomplete");
        EXPECT_STR(play_program(program, "p1 p1"), "p1 | refused");
    }
    EXPECT_EQ(rdl__matcher_event(half, &event, &effect), RDL__REFUSED);
    rdl__matcher_free(half);
    rdl__program_free(program);
}

/* ---- Time ----------------------------------------------------------------------------------- */

TEST(a_step_has_its_time)
{
    const struct rdl_step *spec =
        rdl_sequence(SENT(ping, 1), rdl_within(50, SENT(ping, 2)), SENT(ping, 3));

    EXPECT_STR(play(spec, "@500 p1 @549 p2 @9000 p3"), "p1 p2 p3 | complete");
    EXPECT_STR(play(spec, "@500 p1 @550 p2 p3"), "p1 p2 p3 | complete");
    EXPECT_STR(play(spec, "@500 p1 @551 p2 p3"), "p1 | late");
    EXPECT_CONTAINS(rdl__text_string(&expected), "out net ping(2)");
}

TEST(a_block_and_the_whole_have_their_time)
{
    const struct rdl_step *spec =
        rdl_within(100, SENT(ping, 1), rdl_repeat(3, rdl_within(30, SENT(ping, 2), SENT(ping, 3))));

    EXPECT_STR(play(spec, "@10 p1 @20 p2 @40 p3 @60 p2 @70 p3 @80 p2 @99 p3 @500"),
               "p1 p2 p3 p2 p3 p2 p3 | complete");
    EXPECT_STR(play(spec, "@10 p1 @20 p2 @41 p3"), "p1 p2 | late");
    EXPECT_STR(play(spec, "@10 p1 @20 p2 @40 p3 @60 p2 @70 p3 @99 p2 @101 p3"),
               "p1 p2 p3 p2 p3 p2 | late");
    EXPECT_STR(play(spec, "@101 p1"), "| late");
}

TEST(a_branch_whose_time_is_over_is_closed)
{
    const struct rdl_step *spec =
        rdl_either(rdl_within(10, SENT(ping, 1)), rdl_within(100, SENT(ping, 2)));

    EXPECT_STR(play(spec, "@10 p1"), "p1 | complete");
    EXPECT_STR(play(spec, "@50 p2"), "p2 | complete");
    EXPECT_STR(play(spec, "@50 p1"), "| refused");
    EXPECT_STR(play(spec, "@50 @101 p2"), "| late");
}

TEST(what_a_block_requires_must_come_in_its_time)
{
    const struct rdl_step *spec = rdl_within(10, rdl_require(IN(pong, 1)), SENT(ping, 1));

    EXPECT_STR(play(spec, "p1 @10 O1 @99"), "p1 O1 | complete");
    EXPECT_STR(play(spec, "p1 @11 O1"), "p1 | late");
}

TEST(the_first_deadline_is_known)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(
        rdl_sequence(rdl_either(rdl_within(20, SENT(ping, 1)), rdl_within(10.5, SENT(ping, 2))),
                     SENT(ping, 3)),
        &error);
    struct rdl__matcher *m = rdl__matcher_new(program, 1000, 0);
    union data data;
    struct rdl_event event = read_event("p1", &data);
    struct rdl__effect effect;

    EXPECT_EQ(rdl__matcher_deadline(m), 1000 + 10500000);
    EXPECT(rdl__matcher_time(m, 1000 + 10500000));
    EXPECT_EQ(rdl__matcher_live(m), 2);
    EXPECT(rdl__matcher_time(m, 1000 + 10500001));
    EXPECT_EQ(rdl__matcher_live(m), 1);
    EXPECT_EQ(rdl__matcher_deadline(m), 1000 + 20000000);
    EXPECT_EQ(rdl__matcher_event(m, &event, &effect), RDL__TAKEN);
    EXPECT(rdl__matcher_deadline(m) == UINT64_MAX);
    EXPECT_EQ(rdl__matcher_events(m), 1);
    rdl__matcher_free(m);
    rdl__program_free(program);
}

TEST(a_time_may_be_none_or_endless)
{
    EXPECT_STR(play(rdl_within(0, SENT(ping, 1)), "p1"), "p1 | complete");
    EXPECT_STR(play(rdl_within(0, SENT(ping, 1)), "@0.001 p1"), "| late");
    EXPECT_STR(play(rdl_within(INFINITY, SENT(ping, 1)), "@1e12 p1"), "p1 | complete");
    EXPECT_STR(play(rdl_within(1e300, SENT(ping, 1)), "@1e12 p1"), "p1 | complete");
    EXPECT_CONTAINS(error_of(rdl_within(-1, SENT(ping, 1))), "less than none");
    EXPECT_CONTAINS(error_of(rdl_within(NAN, SENT(ping, 1))), "less than none");
}

/* ---- Specs that are wrong ------------------------------------------------------------------- */

/* It is said where the culprit stands. */
static void expect_wrong(const struct rdl_step *spec, const struct rdl_step *culprit,
                         const char *what)
{
    EXPECT_CONTAINS(error_of(spec), words("%s:%d: ", __FILE__, culprit->line));
    EXPECT_CONTAINS(error_of(spec), what);
}

TEST(each_step_knows_where_it_stands)
{
    int line = __LINE__;
    const struct rdl_step *first = SENT(ping, 1);
    const struct rdl_step *spec =
        rdl_sequence(first, rdl_between(3, 2, SENT(ping, 1), GOT(pong, 1)));

    EXPECT_EQ(first->line, line + 1);
    EXPECT_STR(error_of(spec), words("%s:%d: at least 3 times, but at most 2", __FILE__, line + 3));
}

TEST(a_rule_stands_at_the_beginning)
{
    const struct rdl_step *allow = rdl_allow(IN(pong, 1));
    const struct rdl_step *require = rdl_require(IN(pong, 1));
    const struct rdl_step *otherwise = rdl_otherwise(ping, NULL);
    const struct rdl_step *ping = SENT(ping, 1);

    expect_wrong(rdl_sequence(ping, rdl_sequence(ping, allow)), allow,
                 "rules stand at the beginning of a sequence, before its steps");
    expect_wrong(rdl_either(ping, require), require,
                 "a rule stands at the beginning of a sequence");
    expect_wrong(rdl_sequence(ping, rdl_repeat(2, otherwise, ping)), otherwise,
                 "at the beginning of the whole spec only");
    expect_wrong(rdl_sequence(ping, rdl_unordered(ping, allow)), allow,
                 "made of rdl_expect and rdl_answer only");
}

RDL_SLOT(struct rdl_frame, the_frame);

TEST(a_pattern_must_make_sense)
{
    const struct rdl_step *types = rdl_expect(rdl_out(&net, rdl_any(ping), rdl_any(pong)));
    const struct rdl_step *no_port = rdl_expect(rdl_out(NULL, rdl_any(ping)));
    const struct rdl_step *no_target = rdl_trigger(NULL, pong, 1);
    const struct rdl_step *size = rdl_expect(rdl_out(&net, rdl_bind_all(letter, the_id)));
    const struct rdl_step *frame = rdl_expect(rdl_out(&net, rdl_bind_all(frame, the_frame)));
    const struct rdl_step *ping = SENT(ping, 1);

    expect_wrong(rdl_sequence(ping, frame), frame, "kept whole must be of a type of fixed size");
    expect_wrong(rdl_sequence(ping, types), types, "no event is of the types ping and pong");
    expect_wrong(rdl_sequence(ping, no_port), no_port, "a pattern without a port");
    expect_wrong(rdl_sequence(ping, no_target), no_target, "rdl_trigger without a port");
    expect_wrong(rdl_sequence(ping, size), size,
                 "all of letter has 8 bytes, but the slot the_id is for values of 4");
}

static void nothing(void) {}

static bool no_answer(const struct number *request, struct number *out)
{
    (void)request, (void)out;
    return false;
}

TEST(a_block_must_make_sense)
{
    const struct rdl_step *ping = SENT(ping, 1);
    const struct rdl_step *endless = rdl_plus(rdl_do(nothing));
    const struct rdl_step *empty = rdl_sequence(rdl_allow(IN(pong, 1)));
    const struct rdl_step *mute = rdl_answer(OUT_ANY(request), request, no_answer, NULL, answer);
    const struct rdl_step *frames = rdl_answer(OUT_ANY(ping), ping, NULL, &net, frame);

    expect_wrong(rdl_sequence(ping, endless), endless, "there would be no end of it");
    expect_wrong(rdl_either(ping, empty), empty, "in which nothing can happen");
    expect_wrong(rdl_sequence(rdl_answers(ping)), ping, "made of rdl_answer only");
    expect_wrong(rdl_sequence(ping, mute), mute, "an answer without a port");
    expect_wrong(rdl_sequence(ping, frames), frames, "of a type of fixed size");
}

static const char *warnings_of(const struct rdl_step *spec)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);
    const char *text = words("%s", program ? rdl__program_warnings(program) : error.text);

    if (program)
        rdl__program_free(program);
    return text;
}

TEST(steps_that_streams_lead_to_are_not_warned_of)
{
    int line = __LINE__;
    const struct rdl_step *spec =
        rdl_sequence(BIND(ping, the_id), rdl_star(SENT(ping, 2)), GOT(pong, 1));

    EXPECT_STR(warnings_of(spec), "");
    EXPECT_STR(warnings_of(rdl_star(rdl_do(nothing), SENT(ping, 1))), "");
    EXPECT(line > 0);
}
