/* test_events_mixed.c -- steps that are interleaved, replicated or nothing, branches that belong
 * together, calls and predicates; specs that are made anew again and again; walks; and why an
 * event was refused. */
#include "events_player.h"

/* ---- Interleaved ---------------------------------------------------------------------------- */

TEST(interleaved_steps_each_keep_their_order)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_interleaved(rdl_sequence(SENT(ping, 1), SENT(ping, 2)), rdl_repeat(2, SENT(pong, 1))),
        SENT(ping, 9));

    EXPECT_STR(play(spec, "p1 o1 p2 o1 p9"), "p1 o1 p2 o1 p9 | complete");
    EXPECT_STR(verdict(spec, "o1 o1 p1 p2 p9"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 o1 o1 p9"), "complete");
    EXPECT_STR(verdict(spec, "p2 o1"), "refused");
    EXPECT_STR(verdict(spec, "p1 o1 p2 p9"), "refused");
    EXPECT_STR(verdict(spec, "o1 p1 o1 o1"), "refused");
    EXPECT_STR(verdict(spec, "o1 p1 p2 o1"), "incomplete");
}

TEST(interleaved_steps_can_be_of_all_kinds)
{
    const struct rdl_step *spec =
        rdl_interleaved(rdl_star(SENT(ping, 1), SENT(ping, 2)),
                        rdl_either(SENT(pong, 1), rdl_unordered(SENT(pong, 2), SENT(pong, 3))),
                        rdl_optional(SENT(message, 1)));

    EXPECT_STR(verdict(spec, "o1"), "complete");
    EXPECT_STR(verdict(spec, "p1 o3 p2 m1 p1 o2 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 o3 m1 o2"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 o3 o1"), "refused");
    EXPECT_STR(verdict(spec, "m1 m1"), "refused");
}

TEST(interleaved_steps_can_be_interleaved)
{
    const struct rdl_step *spec =
        rdl_repeat(2, rdl_interleaved(rdl_sequence(rdl_interleaved(SENT(ping, 1), SENT(ping, 2)),
                                                   rdl_interleaved(SENT(ping, 3), SENT(ping, 4))),
                                      SENT(pong, 1)));

    EXPECT_STR(verdict(spec, "p2 o1 p1 p4 p3 o1 p1 p2 p3 p4"), "complete");
    EXPECT_STR(verdict(spec, "p2 p1 p3 p4 o1 p1 p2 p4 p3 o1"), "complete");
    EXPECT_STR(verdict(spec, "p2 o1 p3"), "refused");
    EXPECT_STR(verdict(spec, "p2 p1 p4 p3 p1"), "refused");
}

/* Whose an event is may become clear later. */
TEST(an_event_is_of_whichever_part_it_may_be)
{
    const struct rdl_step *spec = rdl_interleaved(rdl_sequence(SENT(ping, 1), SENT(ping, 2)),
                                                  rdl_sequence(SENT(ping, 1), SENT(ping, 3)));

    EXPECT_STR(verdict(spec, "p1 p2 p1 p3"), "complete");
    EXPECT_STR(verdict(spec, "p1 p3 p1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 p3 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p3"), "refused");
}

TEST(parts_have_their_own_rules)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_allow(OUT(message, 1)),
                     rdl_interleaved(rdl_sequence(rdl_allow(OUT(message, 2)), SENT(ping, 1)),
                                     rdl_sequence(rdl_disallow(OUT_ANY(message)), SENT(pong, 1))),
                     SENT(ping, 9));

    EXPECT_STR(verdict(spec, "m2 m1 p1 o1 p9 m1"), "complete");
    EXPECT_STR(verdict(spec, "p1 m1"), "refused"); /* only the other goes on */
    EXPECT_CONTAINS(rdl__text_string(&explained), "forbidden there by the rule");
    EXPECT_STR(verdict(spec, "p1 m2"), "refused");
    EXPECT_STR(verdict(spec, "o1 m1 m2 p1 m1 p9"), "complete");
    EXPECT_STR(verdict(spec, "o1 p1 m2"), "refused");
}

TEST(parts_require_what_they_require)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_require(OUT(message, 1)),
        rdl_interleaved(rdl_sequence(rdl_require(OUT(message, 2)), SENT(ping, 1), SENT(ping, 2)),
                        SENT(pong, 1)));

    EXPECT_STR(verdict(spec, "p1 m2 o1 m1 p2"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 o1 m2 m1"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 m1 o1"), "incomplete");
    EXPECT_CONTAINS(rdl__text_string(&expected), "out net message(2) (required)");
    EXPECT_STR(verdict(spec, "p1 m2 m2"), "refused");
}

TEST(parts_have_their_own_time)
{
    const struct rdl_step *spec = rdl_interleaved(
        rdl_within(10, SENT(ping, 1)), rdl_sequence(SENT(pong, 1), rdl_within(10, SENT(pong, 2))));

    EXPECT_STR(verdict(spec, "@10 p1 @50 o1 @60 o2"), "complete");
    EXPECT_STR(verdict(spec, "@5 o1 @10 p1 @16 o2"), "late");
    EXPECT_STR(verdict(spec, "@5 o1 @11 p1"), "late");
}

static bool echo(const struct number *request, struct number *out)
{
    out->id = request->id;
    return true;
}

static void nothing(void) {}

TEST(parts_answer_but_do_nothing_of_their_own)
{
    const struct rdl_step *answer = rdl_answer(OUT_ANY(request), request, echo, &net, answer);
    const struct rdl_step *act = rdl_do(nothing);
    const struct rdl_step *answers = rdl_answers(answer);

    EXPECT_STR(play(rdl_interleaved(SENT(ping, 1), answer), "q5 p1"), "q5=A5 p1 | complete");
    EXPECT_CONTAINS(
        error_of(rdl_interleaved(SENT(ping, 1), rdl_sequence(SENT(ping, 2), act))),
        words("%s:%d: where steps are interleaved the test does nothing", __FILE__, act->line));
    EXPECT_CONTAINS(error_of(rdl_interleaved(SENT(ping, 1), answers)), "does nothing of its own");
    EXPECT_CONTAINS(error_of(rdl_interleaved(SENT(ping, 1),
                                             rdl_unordered_at_end(SENT(ping, 2), SENT(ping, 3)))),
                    "does nothing of its own");
}

TEST(all_that_parts_wait_for_is_told)
{
    const struct rdl_step *spec =
        rdl_interleaved(rdl_sequence(SENT(ping, 1), SENT(ping, 2)), SENT(pong, 1), SENT(pong, 2));

    EXPECT_STR(verdict(spec, "p1 o2 p7"), "refused");
    EXPECT_CONTAINS(rdl__text_string(&expected), "  out net ping(2) (interleaved)  [");
    EXPECT_CONTAINS(rdl__text_string(&expected), "  out net pong(1) (interleaved)  [");
    EXPECT_LACKS(rdl__text_string(&expected), "pong(2)");
    EXPECT_LACKS(rdl__text_string(&expected), "ping(1)");
}

/* What has been bound by one part is known in the others. */
RDL_SLOT(int, the_id);

TEST(parts_share_what_is_bound)
{
    const struct rdl_step *spec = rdl_interleaved(
        rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id))),
        rdl_sequence(SENT(pong, 1), rdl_expect(rdl_out(&net, rdl_bound(message, id, the_id)))));

    EXPECT_STR(verdict(spec, "o1 p3 m3"), "complete");
    EXPECT_STR(verdict(spec, "p3 o1 m4"), "refused");
    EXPECT_STR(verdict(spec, "o1 m3"), "refused");
}

/* How many ways there are to read it, in the end. */
static uint32_t live_after(const struct rdl_step *spec, const char *stream)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new_unchecked(spec, &error);
    struct player p = {.m = rdl__matcher_new(program, 0, 0)};
    uint32_t live;

    play_words(&p, stream);
    EXPECT(!p.verdict);
    live = rdl__matcher_live(p.m);
    rdl__matcher_free(p.m);
    rdl__program_free(program);
    return live;
}

TEST(what_parts_have_done_is_forgotten_when_they_are_over)
{
    const struct rdl_step *parts = rdl_star(rdl_interleaved(
        rdl_repeat(2, SENT(ping, 1)),
        rdl_sequence(rdl_require(OUT(pong, 3)), rdl_unordered(SENT(pong, 1), SENT(pong, 2)))));
    const struct rdl_step *copies = rdl_star(
        rdl_replicated(rdl_interleaved(SENT(ping, 1), rdl_unordered(SENT(ping, 2), SENT(ping, 3)))),
        SENT(ping, 9));

    const struct rdl_step *two_ways =
        rdl_sequence(rdl_either(rdl_replicated(rdl_unordered(SENT(ping, 1), SENT(ping, 2))),
                                rdl_sequence(SENT(ping, 1), SENT(ping, 2))),
                     SENT(ping, 9));

    EXPECT_EQ(live_after(two_ways, "p1 p2"), 3); /* a copy, or two, or none */
    EXPECT_EQ(live_after(parts, times(3, "o2 p1 o3 o1 p1")), live_after(parts, ""));
    EXPECT_EQ(live_after(copies, "p9 p3 p1 p2 p9 p2 p1 p3 p9"), live_after(copies, "p9"));
}

/* ---- Replicated ----------------------------------------------------------------------------- */

TEST(copies_begin_whenever_they_like)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_replicated(SENT(ping, 1), SENT(ping, 2)), SENT(ping, 9));

    EXPECT_STR(verdict(spec, "p9"), "complete");
    EXPECT_STR(verdict(spec, "p1 p1 p2 p1 p2 p2 p9"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p1 p9"), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p2"), "refused");
    EXPECT_STR(verdict(spec, words("%s%sp9", times(8, "p1"), times(8, "p2"))), "complete");
    EXPECT_STR(verdict(spec, words("%sp9", times(1000, "p1 p1 p2 p2"))), "complete");
}

TEST(more_copies_than_can_be_followed_are_too_many)
{
    EXPECT_STR(verdict(rdl_replicated(SENT(ping, 1), SENT(ping, 2)), times(8, "p1")), "incomplete");
    EXPECT_STR(verdict(rdl_replicated(SENT(ping, 1), SENT(ping, 2)), times(9, "p1")), "too many");
    EXPECT_STR(verdict(rdl_replicated(SENT(ping, 1)), times(100, "p1")), "complete");
}

TEST(which_copy_is_which_makes_no_difference)
{
    const struct rdl_step *spec =
        rdl_replicated(SENT(ping, 1), rdl_repeat(2, SENT(ping, 2)), SENT(ping, 3));

    EXPECT_EQ(live_after(spec, "p1 p1 p1 p1"), 1);
    EXPECT_EQ(live_after(spec, "p1 p1 p1 p2 p2 p2"), 2); /* 1 1 1, or 2 1 0 */
    EXPECT_EQ(live_after(spec, "p1 p1 p2 p1 p2 p2 p2 p3"), 2);
}

TEST(copies_have_counters_and_rules_of_their_own)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_replicated(rdl_allow(OUT(message, 1)), SENT(ping, 1), rdl_between(1, 2, SENT(ping, 2)),
                       rdl_unordered(SENT(pong, 1), SENT(pong, 2))),
        SENT(ping, 9));

    EXPECT_STR(verdict(spec, "p1 p2 p1 p2 p2 m1 o2 o2 p2 o1 o1 p9"), "refused");
    EXPECT_STR(verdict(spec, "p1 p2 p1 p2 p2 m1 o2 o2 o1 o1 p9"), "complete");
    EXPECT_STR(verdict(spec, "p1 p2 p1 p2 p2 p2 o1"), "incomplete");
    EXPECT_STR(verdict(spec, "p1 p2 p1 p2 p2 p2 p2"), "refused");
    EXPECT_STR(verdict(spec, "m1"), "refused"); /* none has begun */
}

TEST(copies_of_what_makes_no_sense_are_refused)
{
    EXPECT_CONTAINS(error_of(rdl_replicated(rdl_no_events)), "no event is waited for");
    EXPECT_CONTAINS(error_of(rdl_replicated(rdl_within(5, SENT(ping, 1)))),
                    "nobody knows when a copy begins");
    EXPECT_CONTAINS(error_of(rdl_replicated(SENT(ping, 1), rdl_do(nothing))),
                    "does nothing of its own");
}

TEST(copies_are_not_warned_of)
{
    struct rdl__error error;
    struct rdl__program *program =
        rdl__program_new(rdl_replicated(SENT(ping, 1), SENT(ping, 2), SENT(ping, 3)), &error);

    EXPECT(program);
    EXPECT_STR(rdl__program_warnings(program), "");
    rdl__program_free(program);
}

/* ---- Branches that belong together ---------------------------------------------------------- */

TEST(branches_with_a_tag_are_taken_together)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_either_as("a", SENT(ping, 1), rdl_no_events), rdl_optional(SENT(ping, 5)),
                     rdl_either_as("b", SENT(pong, 1), SENT(pong, 2)),
                     rdl_either_as("a", SENT(ping, 3), SENT(ping, 4)));

    EXPECT_STR(verdict(spec, "p1 o1 p3"), "complete");
    EXPECT_STR(verdict(spec, "p1 o1 p4"), "refused");
    EXPECT_STR(verdict(spec, "o2 p4"), "complete");
    EXPECT_STR(verdict(spec, "p5 o2 p3"), "refused");
}

TEST(a_tag_is_decided_once_for_all_rounds)
{
    const struct rdl_step *spec =
        rdl_star(rdl_either_as("way", SENT(ping, 1), SENT(ping, 2)), SENT(ping, 3));

    EXPECT_STR(verdict(spec, "p1 p3 p1 p3"), "complete");
    EXPECT_STR(verdict(spec, "p2 p3 p2 p3"), "complete");
    EXPECT_STR(verdict(spec, "p2 p3 p1"), "refused");
}

TEST(a_tag_decides_for_all_parts)
{
    const struct rdl_step *spec =
        rdl_interleaved(rdl_either_as("way", SENT(ping, 1), SENT(ping, 2)),
                        rdl_either_as("way", SENT(pong, 1), SENT(pong, 2)));

    EXPECT_STR(verdict(spec, "p1 o1"), "complete");
    EXPECT_STR(verdict(spec, "o2 p2"), "complete");
    EXPECT_STR(verdict(spec, "o2 p1"), "refused");
}

TEST(alternatives_of_a_tag_are_as_many_everywhere)
{
    const struct rdl_step *two = rdl_either_as("way", SENT(ping, 1), SENT(ping, 2));
    const struct rdl_step *three = rdl_either_as("way", two, SENT(ping, 1), SENT(ping, 3));

    EXPECT_STR(error_of(rdl_sequence(two, three)),
               words("%s:%d: rdl_either_as \"way\" has 2 alternatives, but that at %s:%d has 3: "
                     "which are the same?",
                     __FILE__, two->line, __FILE__, two->line));
}

TEST(nothing_is_nothing)
{
    EXPECT_STR(play(rdl_no_events, ""), "| complete");
    EXPECT_STR(play(rdl_no_events, "p1"), "| refused");
    EXPECT_STR(verdict(rdl_sequence(rdl_no_events, SENT(ping, 1), rdl_no_events), "p1"),
               "complete");
    EXPECT_STR(verdict(rdl_either(rdl_no_events, SENT(ping, 1)), ""), "complete");
    EXPECT_STR(verdict(rdl_either(rdl_no_events, SENT(ping, 1)), "p1"), "complete");
    EXPECT_STR(verdict(rdl_interleaved(rdl_no_events, rdl_no_events), ""), "complete");
}

/* ---- Calls, predicates ---------------------------------------------------------------------- */

#define CALL(event, n, answer)                                                                     \
    RDL__STEP(RDL__STEP_CALL, .pattern = OUT(event, n), .value = &(const int){answer},             \
              .value_size = sizeof(int))

static int answer_of(const struct rdl_step *spec, const char *word)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new_unchecked(spec, &error);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    union data data;
    struct rdl_event event = read_event(word, &data);
    struct rdl__effect effect;
    enum rdl__taken taken = rdl__matcher_event(m, &event, &effect);
    int answer = taken == RDL__TAKEN ? *(const int *)effect.step->value : -(int)taken;

    rdl__matcher_free(m);
    rdl__program_free(program);
    return answer;
}

TEST(a_call_is_told_of_with_its_answer)
{
    const struct rdl_step *either = rdl_either(CALL(ping, 1, 10), CALL(ping, 2, 20));
    const struct rdl_step *same =
        rdl_either(rdl_sequence(CALL(ping, 1, 10), SENT(ping, 2)), CALL(ping, 1, 10));
    const struct rdl_step *torn =
        rdl_either(rdl_sequence(CALL(ping, 1, 10), SENT(ping, 2)), CALL(ping, 1, 11));

    EXPECT_EQ(answer_of(either, "p1"), 10);
    EXPECT_EQ(answer_of(either, "p2"), 20);
    EXPECT_EQ(answer_of(either, "p3"), -RDL__REFUSED);
    EXPECT_EQ(answer_of(same, "p1"), 10);
    EXPECT_EQ(answer_of(torn, "p1"), -RDL__CONFUSED);
    EXPECT_CONTAINS(error_of(torn), "answered as it says there");
    EXPECT_STR(error_of(same), "");
}

TEST(calls_are_not_in_logs)
{
    struct rdl__recorded recorded;
    struct rdl__error error;

    EXPECT(!rdl__recorded_init(&recorded, rdl_sequence(SENT(ping, 1), CALL(ping, 2, 0)), &error));
    EXPECT_CONTAINS(error.text, "a call of an operation, which no log tells of");
    rdl__recorded_release(&recorded);
}

TEST(logs_can_be_interleaved)
{
    struct rdl__recorded recorded;
    struct rdl__error error;
    const struct rdl_step *spec = rdl_sequence(
        rdl_interleaved(
            rdl_sequence(rdl_answer(OUT_ANY(request), request, echo, &net, answer), SENT(ping, 1)),
            SENT(pong, 1)),
        rdl_either_as("a", rdl_do(nothing), SENT(ping, 2)),
        rdl_either_as("a", SENT(ping, 3), SENT(ping, 4)));

    EXPECT(rdl__recorded_init(&recorded, spec, &error));
    EXPECT_STR(verdict(recorded.spec, "q5 o1 A5 p1 p3"), "complete");
    EXPECT_STR(verdict(recorded.spec, "q5 o1 p1 A5 p2 p4"), "complete");
    EXPECT_STR(verdict(recorded.spec, "q5 o1 p1 A5 p4"), "refused");
    EXPECT_STR(verdict(recorded.spec, "q5 o1 p1 A6"), "refused");
    rdl__recorded_release(&recorded);
}

static bool is_divisible(const void *it, const void *data)
{
    return ((const struct number *)data)->id % *(const int *)it == 0;
}

static void show_divisor(struct rdl__text *out, const void *it)
{
    rdl__text_add(out, " with a multiple of %d", *(const int *)it);
}

static const void *copy_divisor(struct rdl__arena *arena, const void *it)
{
    return memcpy(rdl__arena_alloc(arena, sizeof(int)), it, sizeof(int));
}

static const struct rdl__predicate divisible = {is_divisible, show_divisor, copy_divisor};

#define MULTIPLE(event, n)                                                                         \
    rdl_expect(rdl_out(&net, {.kind = RDL__COND_HOLDS,                                             \
                              .type = rdl_type(event),                                             \
                              .predicate = &divisible,                                             \
                              .value = &(const int){n}}))

TEST(a_predicate_is_asked_with_what_it_was_made_with)
{
    const struct rdl_step *spec = rdl_sequence(MULTIPLE(ping, 3), MULTIPLE(ping, 5));

    EXPECT_STR(verdict(spec, "p6 p10"), "complete");
    EXPECT_STR(verdict(spec, "p6 p9"), "refused");
    EXPECT_CONTAINS(rdl__text_string(&expected), "out net ping with a multiple of 5  [");
}

/* ---- Specs that are made anew --------------------------------------------------------------- */

static struct rdl__arena arena;

/* All that it is made of is gone when it returns. */
static const struct rdl_step *make_spec(int n)
{
    volatile int number = n;
    struct rdl_condition conditions[] = {rdl_field(ping, id, number), {.kind = 0}};
    struct rdl_pattern pattern = {&net, RDL_OUT, conditions};

    return rdl__step_copy(&arena,
                          rdl_sequence(rdl_expect(&pattern), CALL(ping, number + 1, number * 10),
                                       MULTIPLE(pong, number + 2),
                                       rdl_optional(rdl_expect(rdl_out(&net, rdl_text("+OK*")))),
                                       rdl_trigger(&net, pong, number + 3)));
}

TEST(a_copy_outlives_what_it_was_made_of)
{
    const struct rdl_step *one = make_spec(1), *four = make_spec(4);

    EXPECT_STR(play(one, "p1 p2 o9 t:+OK.."), "p1 p2 o9 t:+OK.. !O4 | complete");
    EXPECT_STR(play(four, "p4 p5 o12"), "p4 p5 o12 !O7 | complete");
    EXPECT_EQ(*(const int *)four->parts[1]->value, 40);
    rdl__arena_release(&arena);
}

TEST(a_program_and_its_matcher_can_be_made_anew)
{
    const struct rdl_step *specs[] = {
        SENT(ping, 1),
        rdl_interleaved(rdl_star(SENT(ping, 1)), rdl_unordered(SENT(ping, 2), SENT(ping, 3))),
        rdl_sequence(rdl_within(5, rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id)))),
                     rdl_either_as("a", SENT(ping, 2), SENT(ping, 3))),
        rdl_between(3, 2, SENT(ping, 1)),
        rdl_sequence(rdl_allow(OUT(ping, 1)), SENT(ping, 2)),
        rdl_no_events,
    };
    const char *verdicts[] = {"complete",   "incomplete", "incomplete",
                              "incomplete", "incomplete", "refused"};
    enum { COUNT = sizeof specs / sizeof *specs };
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new_unchecked(specs[0], &error);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    union data data;
    struct rdl_event event = read_event("p1", &data);
    struct rdl__effect effect;

    for (int i = 0; i < 1000; i++) {
        int which = i * 7 % COUNT;

        if (!rdl__program_reset(program, specs[which], &error)) {
            EXPECT_EQ(which, 3);
            continue;
        }
        rdl__matcher_reset(m, program, 0);
        EXPECT_EQ(rdl__matcher_events(m), 0);
        EXPECT_STR(rdl__matcher_event(m, &event, &effect) != RDL__TAKEN ? "refused"
                   : rdl__matcher_is_complete(m)                        ? "complete"
                                                                        : "incomplete",
                   verdicts[which]);
    }
    rdl__matcher_free(m);
    rdl__program_free(program);
}

/* ---- Why ------------------------------------------------------------------------------------ */

/* The last of the words is refused. */
static const char *why(const struct rdl_step *spec, const char *stream)
{
    static const char *const kinds[] = {"forbidden", "early",   "other data",
                                        "again",     "not now", "unknown"};
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new_unchecked(spec, &error);
    struct player p = {.m = rdl__matcher_new(program, 0, 0)};
    union data data;
    struct rdl_event event = read_event(strrchr(words(" %s", stream), ' ') + 1, &data);
    struct rdl__text text = {0};
    struct rdl__why why;

    play_words(&p, stream);
    EXPECT_STR(p.verdict, "refused");
    why = rdl__matcher_why(p.m, &event);
    rdl__text_add(&text, "%s", kinds[why.kind]);
    if (why.closest) {
        rdl__text_add(&text, ": ");
        rdl__pattern_show(&text, why.closest->pattern);
    }
    if (why.failed)
        rdl__text_add(&text, ", not %d", why.failed->kind);
    stream = words("%s", text.bytes);
    rdl__text_release(&text);
    rdl__matcher_free(p.m);
    rdl__program_free(program);
    return stream;
}

TEST(it_is_told_why_an_event_was_refused)
{
    const struct rdl_step *spec = rdl_sequence(
        rdl_disallow(OUT_ANY(message)), SENT(ping, 1), SENT(ping, 2), SENT(pong, 3),
        rdl_interleaved(MULTIPLE(pong, 10), MULTIPLE(pong, 7)), rdl_expect(OUT_ANY(ping)));

    EXPECT_STR(why(spec, "p2"), "early: out net ping(2)");
    EXPECT_STR(why(spec, "p7"), words("other data: out net ping(1), not %d", RDL__COND_IS));
    EXPECT_STR(why(spec, "p1 p2 p1"), "again: out net ping(1)");
    EXPECT_STR(why(spec, "p1 p2 p7"), "early: out net any ping");
    EXPECT_STR(why(spec, "p1 p2 o3 o11"),
               words("other data: out net pong with a multiple of 10, not %d", RDL__COND_HOLDS));
    EXPECT_STR(why(spec, "p1 p2 o3 o10 o7 o3"), "again: out net pong(3)");
    EXPECT_STR(why(spec, "p1 p2 o3 o10 o7 o4"),
               words("not now: out net pong with a multiple of 10, not %d", RDL__COND_HOLDS));
    EXPECT_STR(why(spec, "m1"), "forbidden: out net any message");
    EXPECT_STR(why(spec, "a1"), "unknown");
    EXPECT_STR(why(spec, "P1"), "unknown");
}

/* ---- Walks ---------------------------------------------------------------------------------- */

static int choices[100], choice_count, choice_at;

static uint32_t choose(void *it, enum rdl__walk_choice what, uint32_t count)
{
    (void)it, (void)what;
    return choice_at < choice_count ? (uint32_t)choices[choice_at++] % count : 0;
}

static const char *walk(const struct rdl_step *spec, const char *digits)
{
    struct rdl__text text = {0};
    const struct rdl_step *const *steps;
    uint32_t count;

    choice_at = 0;
    for (choice_count = 0; digits[choice_count]; choice_count++)
        choices[choice_count] = digits[choice_count] - '0';
    steps = rdl__step_walk(&texts, spec, choose, NULL, &count);
    for (uint32_t i = 0; i < count; i++)
        rdl__text_add(&text, "%s%d", i ? " " : "",
                      *(const int *)steps[i]->pattern->conditions[0].value);
    digits = words("%s", rdl__text_string(&text));
    rdl__text_release(&text);
    return digits;
}

TEST(a_walk_goes_where_it_is_told)
{
    const struct rdl_step *spec =
        rdl_sequence(rdl_allow(OUT(ping, 99)), SENT(ping, 1),
                     rdl_either(SENT(ping, 2), CALL(ping, 3, 0)), rdl_between(1, 3, SENT(ping, 4)),
                     rdl_interleaved(rdl_sequence(SENT(ping, 5), SENT(ping, 6)), SENT(ping, 7)),
                     rdl_do(nothing));
    const struct rdl_step *tags = rdl_repeat(2, rdl_either_as("a", SENT(ping, 1), SENT(ping, 2)));

    EXPECT_STR(walk(spec, ""), "1 2 4 5 6 7");
    EXPECT_STR(walk(spec, "1"), "1 3 4 5 6 7");
    EXPECT_STR(walk(spec, "011"), "1 2 4 4 4 5 6 7");
    EXPECT_STR(walk(spec, "001"), "1 2 4 7 5 6");
    EXPECT_STR(walk(spec, "0001"), "1 2 4 5 7 6");
    EXPECT_STR(walk(tags, "1"), "2 2");
    EXPECT_STR(walk(rdl_sequence(rdl_require(OUT(ping, 8)), SENT(ping, 1), SENT(ping, 2)), "01"),
               "1 8 2");
    EXPECT_STR(walk(rdl_replicated(SENT(ping, 1), SENT(ping, 2)), "1101"), "1 1 2 2");
    EXPECT_STR(walk(rdl_no_events, ""), "");
}
