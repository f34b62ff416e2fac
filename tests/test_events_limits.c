/* test_events_limits.c -- long streams, many ways to read one, many events in any order. */
#include "events_player.h"

#include <malloc.h>

#include "base/random.h"

enum { MANY = 60 };

/* ---- Specs that are too long to be written down --------------------------------------------- */

static struct rdl__arena arena;

static void *keep(const void *it, size_t size)
{
    return memcpy(rdl__arena_alloc(&arena, size), it, size);
}

static const struct rdl_step *expect_ping(int id)
{
    struct rdl_condition conditions[] = {
        {.kind = RDL__COND_IS, .type = rdl_type(ping), .value = keep(&id, sizeof id)}, {0}};
    struct rdl_pattern pattern = {&net, RDL_OUT, keep(conditions, sizeof conditions)};

    return keep(rdl_expect(keep(&pattern, sizeof pattern)), sizeof(struct rdl_step));
}

/* So many pings, numbered as `number` says. */
static const struct rdl_step *pings(enum rdl__step_kind kind, int count, int (*number)(int))
{
    const struct rdl_step *parts[200] = {0};

    for (int i = 0; i < count; i++)
        parts[i] = expect_ping(number(i));
    return keep(
        &(struct rdl_step){
            .kind = kind, .file = __FILE__, .line = __LINE__, .parts = keep(parts, sizeof parts)},
        sizeof(struct rdl_step));
}

static int itself(int i)
{
    return i;
}

static int one_of_five(int i)
{
    return i % 5;
}

static struct rdl__program *compile(const struct rdl_step *spec)
{
    struct rdl__error error;
    struct rdl__program *program = rdl__program_new(spec, &error);

    if (!program)
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return program;
}

static enum rdl__taken offer_ping(struct rdl__matcher *m, int id)
{
    struct rdl_event event = {&net, RDL_OUT, rdl_type(ping), &(struct number){id}, sizeof id};
    struct rdl__effect effect;

    return rdl__matcher_event(m, &event, &effect);
}

/* ---- Long streams --------------------------------------------------------------------------- */

TEST(a_million_events_take_no_more_memory_than_a_thousand)
{
    struct rdl__program *program = compile(rdl_sequence(
        rdl_allow(OUT(ping, 9)),
        rdl_star(rdl_either(rdl_sequence(SENT(ping, 1), SENT(ping, 2)),
                            rdl_sequence(SENT(ping, 1), rdl_between(1, 3, SENT(ping, 3)))),
                 rdl_unordered(SENT(ping, 4), SENT(ping, 5)))));
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    const int stream[] = {1, 3, 3, 9, 5, 4, 1, 9, 2, 4, 5};
    size_t before = 0, length = sizeof stream / sizeof *stream;

    for (size_t i = 0; i < 100000 * length; i++) {
        if (offer_ping(m, stream[i % length]) != RDL__TAKEN)
            EXPECT(false);
        EXPECT(rdl__matcher_live(m) <= 4);
        if (i == 1000)
            before = mallinfo2().uordblks;
    }
    EXPECT_EQ(mallinfo2().uordblks, before);
    EXPECT_EQ(rdl__matcher_events(m), 100000 * length);
    EXPECT(rdl__matcher_is_complete(m));
    EXPECT_EQ(offer_ping(m, 2), RDL__REFUSED);
    rdl__matcher_free(m);
    rdl__program_free(program);
}

TEST(refusals_and_defaults_take_no_memory)
{
    struct rdl__program *program = compile(rdl_sequence(SENT(ping, 1), SENT(ping, 2)));
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    size_t before = 0;

    for (int i = 0; i < 10000; i++) {
        EXPECT_EQ(offer_ping(m, 3), RDL__REFUSED);
        if (i == 10)
            before = mallinfo2().uordblks;
    }
    EXPECT_EQ(mallinfo2().uordblks, before);
    EXPECT_EQ(offer_ping(m, 1), RDL__TAKEN); /* it stays where it was */
    rdl__matcher_free(m);
    rdl__program_free(program);
}

/* ---- Many ways ------------------------------------------------------------------------------ */

RDL_SLOT(int, one);
RDL_SLOT(int, two);
RDL_SLOT(int, three);

#define ANY        rdl_star(rdl_expect(OUT_ANY(ping)))
#define THIS(slot) rdl_expect(rdl_out(&net, rdl_bind(ping, id, slot)))

/* Any three of the events may have been those. */
#define THREE_OF_MANY                                                                              \
    rdl_sequence(ANY, THIS(one), ANY, THIS(two), ANY, THIS(three), ANY, SENT(pong, 1))

static int events_until_too_many(uint32_t live_max)
{
    struct rdl__program *program = compile(THREE_OF_MANY);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, live_max);
    enum rdl__taken taken;
    int i = 0;

    while ((taken = offer_ping(m, i)) == RDL__TAKEN && rdl__matcher_live(m) <= 10000)
        i++;
    EXPECT_EQ(taken, RDL__TOO_MANY);
    EXPECT_EQ(offer_ping(m, i), RDL__TOO_MANY);
    rdl__matcher_free(m);
    rdl__program_free(program);
    return i;
}

TEST(too_many_ways_are_told_from_a_wrong_stream)
{
    int large = events_until_too_many(0), small = events_until_too_many(100);

    EXPECT(large > 30 && large < 50);
    EXPECT(small > 4 && small < 15);
}

TEST(ways_beyond_the_limit_are_never_lost_in_silence)
{
    struct rdl__program *branches =
        compile(rdl_either(SENT(ping, 1), SENT(ping, 2), SENT(ping, 3), SENT(ping, 4)));
    struct rdl__program *after =
        compile(rdl_sequence(rdl_trigger(&net, pong, 1), rdl_either(SENT(ping, 1), SENT(ping, 2),
                                                                    SENT(ping, 3), SENT(ping, 4))));
    struct rdl__matcher *m = rdl__matcher_new(branches, 0, 3);

    EXPECT_EQ(offer_ping(m, 4), RDL__TOO_MANY);
    rdl__matcher_free(m);
    m = rdl__matcher_new(branches, 0, 4);
    EXPECT_EQ(offer_ping(m, 4), RDL__TAKEN);
    rdl__matcher_free(m);
    m = rdl__matcher_new(after, 0, 3);
    EXPECT(rdl__matcher_act(m, RDL__ALL_AGREE));
    rdl__matcher_acted(m);
    EXPECT_EQ(offer_ping(m, 4), RDL__TOO_MANY);
    rdl__matcher_free(m);
    rdl__program_free(branches);
    rdl__program_free(after);
}

static enum rdl__taken get_pong(struct rdl__matcher *m, int id)
{
    struct rdl_event event = {&net, RDL_IN, rdl_type(pong), &(struct number){id}, sizeof id};
    struct rdl__effect effect;

    return rdl__matcher_event(m, &event, &effect);
}

/* The most configurations there were, while this was sent and received so many times. */
static uint32_t most_live(const struct rdl__program *program, int times)
{
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    uint32_t most = 0;

    for (int i = 0; i < times; i++)
        for (int j = 1; j <= 3; j++) {
            EXPECT_EQ(offer_ping(m, j), RDL__TAKEN);
            EXPECT_EQ(get_pong(m, j == 2 ? 1 + i % 2 : 1), RDL__TAKEN);
            if (most < rdl__matcher_live(m))
                most = rdl__matcher_live(m);
        }
    rdl__matcher_free(m);
    return most;
}

TEST(an_unambiguous_stream_is_followed_in_one_way_however_long_it_is)
{
    struct rdl__program *fixed = compile(rdl_sequence(
        rdl_repeat(5000, SENT(ping, 1), GOT(pong, 1), SENT(ping, 2),
                   rdl_either(GOT(pong, 1), GOT(pong, 2)), SENT(ping, 3), GOT(pong, 1))));
    struct rdl__program *open = compile(rdl_sequence(
        rdl_star(SENT(ping, 1), GOT(pong, 1), SENT(ping, 2), rdl_either(GOT(pong, 1), GOT(pong, 2)),
                 SENT(ping, 3), GOT(pong, 1))));

    EXPECT_EQ(most_live(fixed, 5000), 1);
    EXPECT_EQ(most_live(open, 10), 2); /* it goes on, or is over */
    EXPECT_EQ(most_live(open, 5000), 2);
    rdl__program_free(fixed);
    rdl__program_free(open);
}

/* ---- Many in any order ---------------------------------------------------------------------- */

/* The stream that a step of the numbers gives; how many configurations there were at most. */
static uint32_t follow(const struct rdl__program *program, int count, int stride,
                       int (*number)(int), enum rdl__taken last)
{
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    uint32_t live_max = 0;

    for (int i = 0; i < count - 1; i++) {
        EXPECT_EQ(offer_ping(m, number(i * stride % count)), RDL__TAKEN);
        EXPECT(!rdl__matcher_is_complete(m));
        if (live_max < rdl__matcher_live(m))
            live_max = rdl__matcher_live(m);
    }
    if (last == RDL__TAKEN) {
        EXPECT_EQ(offer_ping(m, number((count - 1) * stride % count)), RDL__TAKEN);
        EXPECT(rdl__matcher_is_complete(m));
    } else {
        EXPECT_EQ(offer_ping(m, number(0)), RDL__REFUSED);
    }
    rdl__matcher_free(m);
    return live_max;
}

TEST(sixty_in_any_order)
{
    struct rdl__program *program = compile(pings(RDL__STEP_UNORDERED, MANY, itself));

    for (int stride = 1; stride < MANY; stride += 6) /* those that share no factor with it */
        if (stride % 5 != 0) {
            EXPECT_EQ(follow(program, MANY, stride, itself, RDL__TAKEN), 1);
            EXPECT_EQ(follow(program, MANY, stride, itself, RDL__REFUSED), 1);
        }
    rdl__program_free(program);
}

TEST(sixty_in_any_order_with_many_alike)
{
    struct rdl__program *program = compile(pings(RDL__STEP_UNORDERED, MANY, one_of_five));

    EXPECT_EQ(follow(program, MANY, 1, one_of_five, RDL__TAKEN), 1);
    EXPECT_EQ(follow(program, MANY, 7, one_of_five, RDL__TAKEN), 1);
    rdl__program_free(program);
}

TEST(more_than_a_word_has_bits_in_any_order)
{
    enum { MORE = 130 };
    struct rdl__program *program = compile(pings(RDL__STEP_UNORDERED, MORE, itself));

    EXPECT_EQ(follow(program, MORE, 1, itself, RDL__TAKEN), 1);
    EXPECT_EQ(follow(program, MORE, 7, itself, RDL__TAKEN), 1);
    EXPECT_EQ(follow(program, MORE, 7, itself, RDL__REFUSED), 1);
    rdl__program_free(program);
}

TEST(sixty_are_required)
{
    const struct rdl_step *parts[MANY + 2] = {0};
    struct rdl__program *program;

    for (int i = 0; i < MANY; i++)
        parts[i] = keep(&(struct rdl_step){.kind = RDL__STEP_REQUIRE,
                                           .file = __FILE__,
                                           .line = __LINE__,
                                           .pattern = expect_ping(i)->pattern},
                        sizeof(struct rdl_step));
    program = compile(&(struct rdl_step){
        .kind = RDL__STEP_SEQUENCE, .file = __FILE__, .line = 1, .parts = parts});
    EXPECT_EQ(follow(program, MANY, 7, itself, RDL__TAKEN), 1);
    EXPECT_EQ(follow(program, MANY, 11, itself, RDL__REFUSED), 1);
    rdl__program_free(program);
}

/* ---- Deadlines ------------------------------------------------------------------------------ */

enum { OUTER_MS = 12, INNER_MS = 4, MS = 1000000 };

/* Rounds of pings, of which it cannot be told where one ends: any of them may have begun a new
 * round, and an outer round has to begin with a 2. */
#define ROUNDS                                                                                     \
    rdl_star(rdl_within(                                                                           \
        OUTER_MS, SENT(ping, 2),                                                                   \
        rdl_plus(rdl_within(INNER_MS, rdl_plus(rdl_either(SENT(ping, 1), SENT(ping, 2)))))))

TEST(rounds_that_may_have_ended_do_not_pile_up)
{
    struct rdl__program *program = compile(ROUNDS);
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);

    for (int i = 0; i < 1000; i++) {
        EXPECT(rdl__matcher_time(m, (uint64_t)i * MS / 1000));
        EXPECT_EQ(offer_ping(m, 2), RDL__TAKEN);
        EXPECT(rdl__matcher_live(m) < 16);
    }
    rdl__matcher_free(m);
    rdl__program_free(program);
}

/* The same, by keeping all that can be: when the rounds began, and what comes next. */
struct reading {
    int outer, inner;
    enum { BEGINS, BEGUN, PINGS } at;
};

static int follow_readings(struct reading *now, int count, int time, int id)
{
    struct reading next[4096];
    int next_count = 0;

    for (int i = 0; i < count; i++) {
        struct reading r = now[i];

        if (time > r.outer + OUTER_MS || (r.at != BEGINS && time > r.inner + INNER_MS))
            continue;
        if (r.at == BEGINS && id == 2)
            next[next_count++] = (struct reading){r.outer, time, BEGUN};
        if (r.at == BEGINS)
            continue;
        next[next_count++] = (struct reading){r.outer, r.inner, PINGS};
        next[next_count++] = (struct reading){r.outer, time, PINGS};
        next[next_count++] = (struct reading){time, time, BEGINS};
    }
    memcpy(now, next, (size_t)next_count * sizeof *next);
    return next_count;
}

TEST(later_deadlines_stand_for_earlier_ones)
{
    struct rdl__program *program = compile(ROUNDS);
    struct rdl__random random;
    int right = 0, wrong = 0;

    rdl__random_seed(&random, 1);
    for (int stream = 0; stream < 20000; stream++) {
        struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
        struct reading readings[4096] = {{0, 0, BEGINS}};
        int count = 1, time = 0;

        for (int i = 0; i < 7 && count > 0; i++) {
            int id = 1 + (int)rdl__random_upto(&random, 1);
            bool taken;

            time += (int)rdl__random_upto(&random, 4);
            count = follow_readings(readings, count, time, id);
            taken = rdl__matcher_time(m, (uint64_t)time * MS) && offer_ping(m, id) == RDL__TAKEN;
            EXPECT_EQ(taken, count > 0);
        }
        *(count > 0 ? &right : &wrong) += 1;
        rdl__matcher_free(m);
    }
    EXPECT(right > 2000 && wrong > 2000);
    rdl__program_free(program);
}
