/* test_tape.c -- choices: their order, where they come from, what is recorded. */
#include "choice/tape.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "generate/doubles.h"
#include "harness.h"

enum { ROOM = 1000 };

static struct rdl__tape tape;
static struct rdl__choice choices[ROOM];
static struct rdl__span spans[ROOM];
static jmp_buf stopped;
static enum rdl__tape_stop why_stopped;

static void stop(void *context, enum rdl__tape_stop why)
{
    (void)context;
    why_stopped = why;
    longjmp(stopped, 1);
}

static void new_tape(void)
{
    tape = (struct rdl__tape){
        .choices = choices, .limit = ROOM, .spans = spans, .span_limit = ROOM, .stop = stop};
}

static void feed_from(const uint64_t *indexes, uint32_t count, enum rdl__then then)
{
    struct rdl__feed feed = {
        .indexes = indexes, .count = count, .then = then, .fill_at = RDL__NONE};

    rdl__tape_from_feed(&tape, &feed, 1);
}

TEST(integers_zig_zag_around_the_simplest_without_gap_or_repeat)
{
    for (uint64_t max = 0; max < 40; max++)
        for (uint64_t below = 0; below <= max; below++) {
            bool seen[40] = {0};
            uint64_t last = 0;

            for (uint64_t index = 0; index <= max; index++) {
                struct rdl__offset o = rdl__offset_of(index, max, below);
                uint64_t value = o.negative ? below - o.distance : below + o.distance;

                EXPECT(value <= max);
                EXPECT(!seen[value]);
                EXPECT(o.distance >= last);
                EXPECT_EQ(rdl__index_of(o, max, below), index);
                seen[value] = true;
                last = o.distance;
            }
        }
}

TEST(a_tape_that_is_cut_has_no_choices_and_no_spans_from_there_on)
{
    new_tape();
    rdl__tape_from_random(&tape, 1);
    rdl__span_begin(&tape, 1);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__span_begin(&tape, 2);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__span_end(&tape);
    rdl__span_begin(&tape, 3);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__tape_cut(&tape, 2);
    rdl__tape_finish(&tape);
    EXPECT_EQ(tape.count, 2);
    EXPECT_EQ(tape.span_count, 2);
    EXPECT_EQ(tape.spans[0].end, 2);
    EXPECT_EQ(tape.spans[1].start, 1);
    EXPECT_EQ(tape.spans[1].end, 2);
}

TEST(integers_of_64_bits_reach_both_ends)
{
    uint64_t below = UINT64_C(1) << 63;
    struct rdl__offset lowest = {below, true}, highest = {below - 1, false};

    EXPECT_EQ(rdl__index_of(lowest, UINT64_MAX, below), UINT64_MAX);
    EXPECT(rdl__offset_of(UINT64_MAX, UINT64_MAX, below).negative);
    EXPECT(rdl__offset_of(UINT64_MAX, UINT64_MAX, below).distance == below);
    EXPECT(rdl__offset_of(rdl__index_of(highest, UINT64_MAX, below), UINT64_MAX, below).distance ==
           below - 1);
    EXPECT(rdl__offset_of(UINT64_MAX, UINT64_MAX, 0).distance == UINT64_MAX);
}

TEST(what_was_chosen_can_be_chosen_again)
{
    uint64_t indexes[100];

    new_tape();
    rdl__tape_from_random(&tape, 42);
    for (uint64_t i = 0; i < 100; i++)
        indexes[i] = rdl__choose(&tape, RDL__INTEGER, i * i);
    feed_from(indexes, 100, RDL__THEN_STOP);
    for (uint64_t i = 0; i < 100; i++) {
        EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, i * i), indexes[i]);
        EXPECT_EQ(tape.choices[i].index, indexes[i]);
        EXPECT_EQ(tape.choices[i].max, i * i);
    }
}

TEST(an_index_that_is_too_large_becomes_the_largest)
{
    const uint64_t indexes[] = {1000, UINT64_MAX};

    new_tape();
    feed_from(indexes, 2, RDL__THEN_ZERO);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 5), 5);
    EXPECT_EQ(rdl__choose(&tape, RDL__BOOLEAN, 1), 1);
    EXPECT_EQ(tape.choices[0].index, 5); /* what was really chosen */
}

TEST(after_its_end_a_feed_goes_on_as_it_was_told)
{
    const uint64_t indexes[] = {3};
    bool differ = false;

    new_tape();
    feed_from(indexes, 1, RDL__THEN_ZERO);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 9), 3);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 9), 0);
    feed_from(indexes, 1, RDL__THEN_RANDOM);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 9), 3);
    for (int i = 0; i < 50; i++)
        differ = rdl__choose(&tape, RDL__INTEGER, UINT64_MAX) != 0 || differ;
    EXPECT(differ);
    feed_from(indexes, 1, RDL__THEN_STOP);
    if (setjmp(stopped) == 0) {
        rdl__choose(&tape, RDL__INTEGER, 9);
        rdl__choose(&tape, RDL__INTEGER, 9);
        EXPECT(false);
    }
    EXPECT_EQ(why_stopped, RDL__STALE);
}

TEST(a_strict_feed_stops_at_the_first_choice_of_another_shape)
{
    const uint64_t indexes[] = {3, 1};
    const uint8_t shapes[] = {rdl__shape(RDL__INTEGER, 9, 0), rdl__shape(RDL__BOOLEAN, 1, 0)};
    struct rdl__feed feed = {.indexes = indexes,
                             .shapes = shapes,
                             .count = 2,
                             .then = RDL__THEN_STOP,
                             .fill_at = RDL__NONE};

    new_tape();
    rdl__tape_from_feed(&tape, &feed, 1);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 9), 3);
    if (setjmp(stopped) == 0) {
        rdl__choose(&tape, RDL__INTEGER, 1);
        EXPECT(false);
    }
    EXPECT_EQ(why_stopped, RDL__STALE);
    EXPECT_EQ(tape.count, 1);
}

TEST(a_case_with_too_many_choices_is_stopped)
{
    new_tape();
    tape.limit = 10;
    rdl__tape_from_random(&tape, 1);
    if (setjmp(stopped) == 0) {
        for (int i = 0; i < 11; i++)
            rdl__choose(&tape, RDL__INTEGER, 9);
        EXPECT(false);
    }
    EXPECT_EQ(why_stopped, RDL__TOO_LONG);
    EXPECT_EQ(tape.count, 10);
}

/* Three choices: one before, some in a span, one after. */
static void draw_around_span(unsigned inside, uint64_t *out)
{
    *out++ = rdl__choose(&tape, RDL__INTEGER, 99);
    rdl__span_begin(&tape, 77);
    for (unsigned i = 0; i < inside; i++)
        *out++ = rdl__choose(&tape, RDL__INTEGER, 99);
    rdl__span_end(&tape);
    *out++ = rdl__choose(&tape, RDL__INTEGER, 99);
}

TEST(filling_a_span_takes_as_many_simplest_choices_as_the_span_makes)
{
    const uint64_t indexes[] = {11, 55};
    struct rdl__feed feed = {
        .indexes = indexes, .count = 2, .fill_at = 1, .fill_depth = 1, .fill_whole = true};

    for (unsigned inside = 1; inside < 6; inside++) {
        uint64_t out[8] = {0};

        new_tape();
        rdl__tape_from_feed(&tape, &feed, 1);
        draw_around_span(inside, out);
        EXPECT_EQ(out[0], 11);
        for (unsigned i = 1; i <= inside; i++)
            EXPECT_EQ(out[i], 0);
        EXPECT_EQ(out[inside + 1], 55);
    }
}

TEST(filling_the_rest_of_a_span_that_makes_no_more_choices_takes_none)
{
    const uint64_t indexes[] = {11, 22, 55};
    struct rdl__feed feed = {.indexes = indexes, .count = 3, .fill_at = 2, .fill_depth = 1};
    uint64_t out[8];

    new_tape();
    rdl__tape_from_feed(&tape, &feed, 1);
    draw_around_span(1, out);
    EXPECT_EQ(out[1], 22);
    EXPECT_EQ(out[2], 55);
    rdl__tape_from_feed(&tape, &feed, 1);
    draw_around_span(3, out);
    EXPECT_EQ(out[1], 22);
    EXPECT_EQ(out[2], 0);
    EXPECT_EQ(out[3], 0);
    EXPECT_EQ(out[4], 55);
}

TEST(spans_hold_their_choices_and_know_their_parents)
{
    new_tape();
    rdl__tape_from_random(&tape, 1);
    rdl__span_begin(&tape, 1);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__span_begin(&tape, 2);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__span_end(&tape);
    rdl__span_begin(&tape, 3); /* left open */
    rdl__choose(&tape, RDL__INTEGER, 9);
    rdl__tape_finish(&tape);
    EXPECT_EQ(tape.span_count, 3);
    EXPECT_EQ(spans[0].start, 0);
    EXPECT_EQ(spans[0].end, 4);
    EXPECT_EQ(spans[0].parent, RDL__NONE);
    EXPECT_EQ(spans[1].start, 1);
    EXPECT_EQ(spans[1].end, 3);
    EXPECT_EQ(spans[1].parent, 0);
    EXPECT_EQ(spans[2].end, 4);
    EXPECT_EQ(tape.choices[2].depth, 2);
    EXPECT_EQ(tape.choices[3].low, 1);
}

TEST(spans_beyond_the_limit_are_lost_but_harmless)
{
    new_tape();
    tape.span_limit = 3;
    rdl__tape_from_random(&tape, 1);
    for (int i = 0; i < 10; i++)
        rdl__span_begin(&tape, 1);
    rdl__choose(&tape, RDL__INTEGER, 9);
    for (int i = 0; i < 10; i++)
        rdl__span_end(&tape);
    EXPECT_EQ(tape.depth, 0);
    EXPECT_EQ(tape.span_count, 3);
    EXPECT_EQ(spans[2].end, 1);
}

TEST(bytes_become_choices_and_run_out_into_simplest_ones)
{
    const uint8_t bytes[] = {7, 1, 2, 0xff};

    new_tape();
    rdl__tape_from_bytes(&tape, bytes, sizeof bytes);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 255), 7);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 65535), 0x0201);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 9), 0xff % 10);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, UINT64_MAX), 0);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 0), 0);
}

static uint64_t signed_byte(void)
{
    uint64_t index = rdl__tape_given(&tape, RDL__INTEGER, 255, 128);
    struct rdl__offset offset = rdl__offset_of(index, 255, 128);

    return offset.negative ? -offset.distance : offset.distance;
}

TEST(bytes_are_twos_complement_where_numbers_have_a_sign)
{
    const uint8_t bytes[] = {0, 1, 127, 128, 255};

    new_tape();
    rdl__tape_from_bytes(&tape, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        EXPECT_EQ(signed_byte(), (int8_t)bytes[i]);
}

TEST(a_backslash_in_bytes_ends_a_list_and_two_are_one)
{
    const uint8_t bytes[] = "a\\\\b\\xc";

    new_tape();
    rdl__tape_from_bytes(&tape, bytes, sizeof bytes - 1);
    for (const char *wanted = "a\\b"; *wanted; wanted++) {
        EXPECT_EQ(rdl__choose(&tape, RDL__MORE, 1), 1);
        EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 255), *wanted);
    }
    EXPECT_EQ(rdl__choose(&tape, RDL__MORE, 1), 0);
    EXPECT_EQ(rdl__choose(&tape, RDL__INTEGER, 255), 'c');
    EXPECT_EQ(rdl__choose(&tape, RDL__MORE, 1), 0); /* nothing is left */
}

TEST(a_list_of_nothing_ends_with_the_bytes)
{
    const uint8_t bytes[] = {1, 1, 1, 1};
    int more = 0;

    new_tape();
    rdl__tape_from_bytes(&tape, bytes, sizeof bytes);
    while (rdl__choose(&tape, RDL__MORE, 1))
        more++;
    EXPECT_EQ(more, 5);
}

TEST(every_double_has_one_code)
{
    struct rdl__random random;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = rdl__random_next(&random) >> 1; /* not negative */
        double x, back;

        if (i % 3 == 0)
            bits = rdl__random_upto(&random, 2000000);
        memcpy(&x, &bits, sizeof x);
        if (i % 3 == 0)
            x = (double)bits / (double)(UINT64_C(1) << i % 12);
        back = rdl__double_of(rdl__double_code(x));
        EXPECT(isnan(x) ? isnan(back) : back == x);
        EXPECT(rdl__double_code(back) == rdl__double_code(x) || isnan(x));
    }
}

TEST(doubles_are_ordered_from_simple_to_strange)
{
    const double order[] = {0,         1,    2,    1000, 0x1p53, 0x1p62, 0.5,   1.5,
                            1e6 + 0.5, 0.25, 0.75, 0.1,  1e-300, 0x1p63, 1e300, INFINITY};

    for (size_t i = 1; i < sizeof order / sizeof *order; i++)
        EXPECT(rdl__double_code(order[i - 1]) < rdl__double_code(order[i]));
    EXPECT(rdl__double_code(INFINITY) < rdl__double_code(NAN));
}
