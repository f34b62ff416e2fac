/* test_soundness.c -- specs are tested themselves: planted defects are found, each with its
 * shortest run, and sound specs are left in peace. */
#include "soundness.h"

#include <stdio.h>

/* The headline and the text, or the label, or what was misused. */
static const char *verdict_with(struct rdl_options options)
{
    static char text[8192];
    const struct rdl__outcome *outcome;

    run_case(rdl__test_spec, options);
    outcome = &board->outcome;
    if (outcome->verdict == RDL__FAILED)
        snprintf(text, sizeof text, "%s\n%s", outcome->check, outcome->text);
    else if (outcome->verdict == RDL__MISUSED)
        snprintf(text, sizeof text, "misuse: %s", outcome->text);
    else
        snprintf(text, sizeof text, "sound: %s%s%s", board->stats.labels[0].name,
                 board->stats.label_count > 1 ? "; " : "",
                 board->stats.label_count > 1 ? board->stats.labels[1].name : "");
    return text;
}

#define VERDICT(spec_, ...)                                                                        \
    verdict_with((struct rdl_options){.spec = rdl_spec_##spec_, __VA_ARGS__})

/* Another spec of the same operations. */
#define LIKE(spec, name)                                                                           \
    typedef rdl_state_##spec rdl_state_##name;                                                     \
    typedef rdl_object_##spec rdl_object_##name;                                                   \
    typedef rdl_client_##spec rdl_client_##name

/* ---- A counter ---------------------------------------------------------------------- */

struct number {
    int is;
};

static void show_number(FILE *out, const struct number *s)
{
    fprintf(out, "%d", s->is);
}

static bool is_below_3(const struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->is < 3;
}

static void add_one(struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    s->is++;
}

static void start_again(struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    s->is = 0;
}

static bool is_negative(const struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->is < 0;
}

static bool never_mind(const struct number *s, const struct rdl_nothing *a)
{
    (void)s, (void)a;
    return false;
}

static bool is_at_most_1(const struct number *s)
{
    return s->is <= 1;
}

static bool is_positive(const struct number *s)
{
    return s->is > 0;
}

RDL_TYPES(counter, struct number, void);
RDL_OP(counter, add, struct rdl_nothing, .pre = is_below_3, .post = add_one);
RDL_OP(counter, reset, struct rdl_nothing, .post = start_again);
RDL_OP(counter, below, struct rdl_nothing, .cpre = is_negative);
RDL_OP(counter, unthinkable, struct rdl_nothing, .pre = never_mind);
RDL_SPEC(counter, RDL_OPS(counter, add, reset), .show = show_number);
LIKE(counter, counter_in_turn);
RDL_SPEC(counter_in_turn, RDL_OPS(counter, add, reset), .policy = RDL_FIFO, .show = show_number);
LIKE(counter, small);
RDL_SPEC(small, RDL_OPS(counter, add, reset), .policy = RDL_FIFO, .invariant = is_at_most_1,
         .show = show_number);
LIKE(counter, wrong_from_the_start);
RDL_SPEC(wrong_from_the_start, RDL_OPS(counter, add), .policy = RDL_FIFO, .invariant = is_positive);
LIKE(counter, waits_in_vain);
RDL_SPEC(waits_in_vain, RDL_OPS(counter, add, below), .policy = RDL_FIFO_PER_OP);
LIKE(counter, unthinkable);
RDL_SPEC(unthinkable, RDL_OPS(counter, reset, unthinkable), .policy = RDL_FIFO);

TEST(calls_that_never_wait_are_not_overtaken)
{
    EXPECT_CONTAINS(VERDICT(counter), "sound: ");
    EXPECT_CONTAINS(VERDICT(counter_in_turn), " states, all that can be reached with 2 clients");
    EXPECT_CONTAINS(VERDICT(counter_in_turn, .clients = 1), "can be reached with 1 client");
}

TEST(a_broken_invariant_is_shown_with_the_shortest_run)
{
    const char *text = VERDICT(small);

    EXPECT_CONTAINS(text, "the invariant of spec small does not hold in every state\n"
                          "   0  at the beginning: 0\n"
                          "   1  client 0 calls add()\n"
                          "   2  client 0 goes on in add(): 1\n"
                          "   3  client 0 calls add()\n"
                          "   4  client 0 goes on in add(): 2\n"
                          "the invariant does not hold now\n");
    EXPECT_LACKS(text, "also");
}

TEST(the_beginning_has_to_keep_the_invariant_too)
{
    EXPECT_CONTAINS(VERDICT(wrong_from_the_start),
                    "   0  at the beginning: {is = 0}\nthe invariant");
}

TEST(operations_that_can_never_run_are_named)
{
    const char *text = VERDICT(waits_in_vain, .may_block = true, .may_starve = true);

    EXPECT_CONTAINS(text, "operation below of spec waits_in_vain can never run\nbelow is called, "
                          "but its cpre and the policy (FIFO per operation) never let it go on");
    text = VERDICT(unthinkable);
    EXPECT_CONTAINS(text, "operation unthinkable of spec unthinkable can never run\n");
    EXPECT_CONTAINS(text, "is never called");
}

TEST(several_findings_are_told_together)
{
    const char *text = VERDICT(waits_in_vain);

    EXPECT_CONTAINS(text, "all clients of spec waits_in_vain can be blocked for ever\n"
                          "   0  at the beginning: {is = 0}\n"
                          "   1  client 0 calls below()\n"
                          "   2  client 1 calls below()\n"
                          "client 0 waits in below(): its cpre does not hold\n"
                          "client 1 waits in below(): its cpre does not hold\n");
    EXPECT_CONTAINS(text, "\nalso: operation below of spec waits_in_vain can never run\n");
    EXPECT_LACKS(text, "be overtaken for ever");
}

/* ---- Locks -------------------------------------------------------------------------- */

struct locks {
    bool held[2];
};
struct owner {
    bool has[2];
};
struct which {
    int is;
};

static void draw_which(struct rdl_case *t, const struct locks *s, struct which *a)
{
    (void)s;
    a->is = (int)rdl_int(t, 0, 1);
}

static void draw_held(struct rdl_case *t, const struct owner *me, struct which *a)
{
    a->is = (int)rdl_int(t, 0, 1);
    rdl_assume(t, me->has[a->is]);
}

static void draw_not_held(struct rdl_case *t, const struct owner *me, struct which *a)
{
    a->is = (int)rdl_int(t, 0, 1);
    rdl_assume(t, !me->has[a->is]);
}

static void draw_first(struct rdl_case *t, const struct owner *me, struct which *a)
{
    (void)t, (void)me;
    a->is = 0;
}

static bool has_none(const struct owner *me)
{
    return !me->has[0] && !me->has[1];
}

static bool has_first(const struct owner *me)
{
    return me->has[0];
}

static bool is_free(const struct locks *s, const struct which *a)
{
    return !s->held[a->is];
}

static void take(struct locks *s, const struct which *a)
{
    s->held[a->is] = true;
}

static void give(struct locks *s, const struct which *a)
{
    s->held[a->is] = false;
}

static void have(struct owner *me, const struct which *a)
{
    me->has[a->is] = true;
}

static void have_not(struct owner *me, const struct which *a)
{
    me->has[a->is] = false;
}

static int64_t group_of(const struct which *a)
{
    return a->is;
}

RDL_TYPES(locks, struct locks, void, struct owner);
RDL_OP(locks, lock, struct which, .may = has_none, .client_args = draw_first, .cpre = is_free,
       .post = take, .returned = have, .group = group_of);
RDL_OP(locks, unlock, struct which, .may = has_first, .client_args = draw_first, .post = give,
       .returned = have_not);
RDL_OP(locks, any, struct which, .args = draw_which, .client_args = draw_not_held, .cpre = is_free,
       .post = take, .returned = have, .group = group_of);
RDL_OP(locks, free_any, struct which, .client_args = draw_held, .post = give, .returned = have_not);
RDL_SPEC(locks, RDL_OPS(locks, lock, unlock), .policy = RDL_FIFO_PER_OP);
LIKE(locks, unfair);
RDL_SPEC(unfair, RDL_OPS(locks, lock, unlock), .policy = RDL_ALWAYS);
LIKE(locks, in_turn);
RDL_SPEC(in_turn, RDL_OPS(locks, lock, unlock), .policy = RDL_FIFO);
LIKE(locks, two_locks);
RDL_SPEC(two_locks, RDL_OPS(locks, any, free_any), .policy = RDL_FIFO_PER_OP);

TEST(a_lock_that_is_first_come_first_served_is_sound)
{
    EXPECT_CONTAINS(VERDICT(locks), "sound: ");
    EXPECT_CONTAINS(VERDICT(locks, .clients = 5), "all that can be reached with 5 clients");
}

TEST(a_lock_that_anybody_may_take_can_be_taken_by_others_for_ever)
{
    const char *text = VERDICT(unfair);

    EXPECT_CONTAINS(text, "a call of spec unfair can be overtaken for ever\n");
    EXPECT_CONTAINS(text, "   1  client 0 calls lock(0)\n"
                          "      and from here on, again and again:\n"
                          "   2  client 1 calls lock(0)\n"
                          "   3  client 1 goes on in lock(0): {held = [true, false]}\n"
                          "   4  client 1 calls unlock(0)\n"
                          "   5  client 1 goes on in unlock(0): {held = [false, false]}\n"
                          "client 0 waits all the time: its call could go on again and again, but "
                          "the policy (always) lets others go first\n");
    EXPECT_CONTAINS(VERDICT(unfair, .may_starve = true), "sound: ");
}

TEST(a_lock_in_the_order_of_arrival_can_be_given_back)
{
    EXPECT_CONTAINS(VERDICT(in_turn), "sound: ");
}

TEST(two_locks_taken_in_any_order_deadlock_in_six_steps)
{
    const char *text = VERDICT(two_locks, .may_starve = true);

    EXPECT_CONTAINS(text, "all clients of spec two_locks can be blocked for ever\n");
    EXPECT_CONTAINS(text, "   6  ");
    EXPECT_LACKS(text, "   7  ");
    EXPECT_CONTAINS(VERDICT(two_locks, .may_block = true, .may_starve = true), "sound: ");
    text = VERDICT(two_locks, .may_block = true);
    EXPECT_CONTAINS(text, "a call of spec two_locks can wait for ever while others go on\n");
    EXPECT_CONTAINS(text, "   3  client 1 calls any(0)\n      and from here on");
}

/* ---- Readers and writers ------------------------------------------------------------ */

struct room {
    int readers;
    bool writing;
};
struct visitor {
    bool reads, writes;
};

static bool is_outside(const struct visitor *me)
{
    return !me->reads && !me->writes;
}

static bool reads(const struct visitor *me)
{
    return me->reads;
}

static bool writes(const struct visitor *me)
{
    return me->writes;
}

static bool can_read(const struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    return !s->writing;
}

static bool can_write(const struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    return !s->writing && s->readers == 0;
}

static void read_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers++;
}

static void after_read_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers--;
}

static void write_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writing = true;
}

static void after_write_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writing = false;
}

static void begin_reading(struct visitor *me, const struct rdl_nothing *a)
{
    (void)a;
    me->reads = true;
}

static void begin_writing(struct visitor *me, const struct rdl_nothing *a)
{
    (void)a;
    me->writes = true;
}

static void go_outside(struct visitor *me, const struct rdl_nothing *a)
{
    (void)a;
    *me = (struct visitor){false, false};
}

static bool is_orderly(const struct room *s)
{
    return s->readers >= 0 && !(s->writing && s->readers);
}

/* Who came first goes first, of those who come in. */
static bool none_older(const struct room *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_older(q, "read") + rdl_older(q, "write") + rdl_older(q, "fair_read") +
               rdl_older(q, "fair_write") ==
           0;
}

RDL_TYPES(room, struct room, void, struct visitor);
RDL_OP(room, read, struct rdl_nothing, .may = is_outside, .cpre = can_read, .post = read_post,
       .returned = begin_reading);
RDL_OP(room, after_read, struct rdl_nothing, .may = reads, .post = after_read_post,
       .returned = go_outside);
RDL_OP(room, write, struct rdl_nothing, .may = is_outside, .cpre = can_write, .post = write_post,
       .returned = begin_writing);
RDL_OP(room, after_write, struct rdl_nothing, .may = writes, .post = after_write_post,
       .returned = go_outside);
RDL_OP(room, fair_read, struct rdl_nothing, .may = is_outside, .cpre = can_read,
       .enabled = none_older, .post = read_post, .returned = begin_reading);
RDL_OP(room, fair_write, struct rdl_nothing, .may = is_outside, .cpre = can_write,
       .enabled = none_older, .post = write_post, .returned = begin_writing);
static bool no_writer_waits(const struct room *s, const struct rdl_nothing *a,
                            const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "write") == 0;
}

RDL_OP(room, polite_read, struct rdl_nothing, .may = is_outside, .cpre = can_read,
       .enabled = no_writer_waits, .post = read_post, .returned = begin_reading);
LIKE(room, polite);
RDL_SPEC(polite, RDL_OPS(room, polite_read, after_read, write, after_write));
#define IN_AND_OUT RDL_OPS(room, read, after_read, write, after_write)
RDL_SPEC(room, IN_AND_OUT, .invariant = is_orderly);
LIKE(room, writers_first);
RDL_SPEC(writers_first, IN_AND_OUT, .policy = rdl_over(room, write, read), .invariant = is_orderly);
LIKE(room, readers_first);
RDL_SPEC(readers_first, IN_AND_OUT, .policy = rdl_over(room, read, write), .invariant = is_orderly);
LIKE(room, in_order);
RDL_SPEC(in_order, RDL_OPS(room, fair_read, after_read, fair_write, after_write),
         .policy = RDL_ALWAYS, .invariant = is_orderly);

/* Of several findings, that this one is told of a call of that operation. */
static void expect_starved(const char *text, const char *operation, const char *why)
{
    const char *at = strstr(text, why);
    char waits[80];

    EXPECT(at != NULL);
    while (at > text && strncmp(at, "client", 6) != 0)
        at--;
    snprintf(waits, sizeof waits, "%.8s calls %s()", at, operation);
    EXPECT_CONTAINS(text, waits);
    snprintf(waits, sizeof waits, "%.8s goes on in %s()", at, operation);
    at = strstr(text, "again and again:");
    EXPECT(at != NULL);
    EXPECT_LACKS(at, waits);
}

TEST(writers_that_go_first_starve_readers)
{
    const char *text = VERDICT(writers_first, .clients = 3);

    EXPECT_CONTAINS(text, "a call of spec writers_first can be overtaken for ever\n");
    expect_starved(text, "read", "holds again and again, but the policy (write over read)");
}

/* When a writer cannot come in because of readers who take turns, its cpre never holds. */
TEST(readers_that_go_first_starve_writers)
{
    const char *text = VERDICT(readers_first, .clients = 3);

    EXPECT_CONTAINS(text, "a call of spec readers_first can be overtaken for ever\n");
    expect_starved(text, "write", "holds again and again, but the policy (read over write)");
    EXPECT_CONTAINS(text, "\nalso: a call of spec readers_first can wait for ever while others go "
                          "on\n");
    EXPECT_CONTAINS(text, "the cpre of its call never holds\n");
}

TEST(readers_and_writers_in_the_order_of_their_arrival_do_not_starve)
{
    EXPECT_CONTAINS(VERDICT(in_order), "sound: ");
    EXPECT_CONTAINS(VERDICT(in_order, .clients = 4), "sound: ");
}

/* The policy of these is what their operations say. */
TEST(an_operation_that_lets_others_go_first_is_named)
{
    const char *text = VERDICT(polite, .clients = 3);

    EXPECT_CONTAINS(text, "a call of spec polite can be overtaken for ever\n");
    expect_starved(text, "polite_read", "but the policy (its .enabled) does not let it go on");
}

/* ---- What is drawn, and what is numbered -------------------------------------------- */

static void draw_large(struct rdl_case *t, const struct number *s, struct number *a)
{
    (void)s;
    a->is = (int)rdl_int(t, 0, 1000);
}

static void set_post(struct number *s, const struct number *a)
{
    s->is = a->is;
}

static bool is_not_100(const struct number *s)
{
    return s->is != 100;
}

static void draw_start(struct rdl_case *t, struct number *s)
{
    s->is = (int)rdl_int(t, 0, 4);
}

static bool is_not_4(const struct number *s)
{
    return s->is != 4;
}

static void keep_ref(struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    s->is = (int)rdl_this();
}

static void more_post(struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    s->is++;
}

static bool is_not_40(const struct number *s)
{
    return s->is != 40;
}

static bool is_not_9(const struct number *s)
{
    return s->is != 9;
}

/* Either one more or one less, but not below 0; the answer says which. */
static bool step_post(struct number *s, const struct rdl_nothing *a, unsigned which, int *r)
{
    (void)a;
    *r = which ? -1 : 1;
    s->is += *r;
    return s->is >= 0 && s->is <= 3;
}

static bool is_not_3(const struct number *s)
{
    return s->is != 3;
}

RDL_TYPES(drawn, struct number, void);
RDL_OP(drawn, set, struct number, .args = draw_large, .post = set_post);
RDL_OP(drawn, note, struct rdl_nothing, .post = keep_ref);
RDL_OP(drawn, more, struct rdl_nothing, .post = more_post);
RDL_OP_RETURNS(drawn, step, struct rdl_nothing, int, .alternatives = 2, .post_any = step_post);
RDL_SPEC(drawn, RDL_OPS(drawn, set));
LIKE(drawn, drawn_wrong);
RDL_SPEC(drawn_wrong, RDL_OPS(drawn, set), .policy = RDL_ALWAYS, .invariant = is_not_100);
LIKE(drawn, drawn_start);
RDL_SPEC(drawn_start, RDL_OPS(drawn, step), .policy = RDL_ALWAYS, .initial = draw_start,
         .invariant = is_not_4);
LIKE(drawn, far);
RDL_SPEC(far, RDL_OPS(drawn, more), .invariant = is_not_40);
LIKE(drawn, noted);
RDL_SPEC(noted, RDL_OPS(drawn, note), .policy = RDL_ALWAYS);
LIKE(drawn, noted_9);
RDL_SPEC(noted_9, RDL_OPS(drawn, note), .policy = RDL_ALWAYS, .invariant = is_not_9);
LIKE(drawn, steps);
RDL_SPEC(steps, RDL_OPS(drawn, step), .policy = RDL_ALWAYS, .invariant = is_not_3);

TEST(of_too_many_arguments_the_simplest_are_tried_and_that_is_said)
{
    EXPECT_CONTAINS(VERDICT(drawn, .clients = 1),
                    "can be reached with 1 client; not all arguments were tried");
    EXPECT_CONTAINS(VERDICT(drawn_wrong), "   2  client 0 goes on in set(100): {is = 100}\n");
}

TEST(all_beginnings_are_looked_at)
{
    EXPECT_CONTAINS(VERDICT(drawn_start), "   0  at the beginning: {is = 4}\n");
}

TEST(every_alternative_is_taken)
{
    EXPECT_CONTAINS(VERDICT(steps), "   6  client 0 goes on in step() -> 1: {is = 3}\n");
}

TEST(of_a_long_run_the_middle_is_left_out)
{
    const char *text = VERDICT(far);

    EXPECT_CONTAINS(text,
                    "  10  client 0 goes on in more(): {is = 5}\n      ... 50 more steps ...\n"
                    "  61  client 0 calls more()\n");
    EXPECT_CONTAINS(text, "  80  client 0 goes on in more(): {is = 40}\n");
}

/* Each run has numbers of its own, so there is no end of states. */
TEST(calls_have_numbers_where_the_spec_asks_for_them)
{
    EXPECT_CONTAINS(VERDICT(noted_9), "  17  client 1 goes on in note(): {is = 9}\n");
    EXPECT_CONTAINS(VERDICT(noted), "sound: the first 200,000 states of more, with 2 clients");
}

/* ---- Functions that do what they must not ------------------------------------------- */

static bool meddling_cpre(const struct number *s, const struct rdl_nothing *a)
{
    (void)a;
    ((struct number *)s)->is = 1;
    return true;
}

static void meddling_args(struct rdl_case *t, const struct number *s, struct number *a)
{
    (void)t;
    ((struct number *)s)->is = a->is + 1;
}

static void meddling_post(struct number *s, const struct number *a)
{
    s->is = ((struct number *)a)->is++;
}

static void moody_post(struct number *s, const struct rdl_nothing *a)
{
    static int mood;

    (void)a;
    s->is = mood++;
}

static bool guess_judge(struct number *s, const struct rdl_nothing *a, const int *r)
{
    (void)s, (void)a;
    return !r || *r > 0;
}

static bool meddling_invariant(const struct number *s)
{
    ((struct number *)s)->is++;
    return true;
}

RDL_TYPES(odd, struct number, void);
RDL_OP(odd, meddle, struct rdl_nothing, .cpre = meddling_cpre);
RDL_OP(odd, draw, struct number, .args = meddling_args);
RDL_OP(odd, change, struct number, .post = meddling_post);
RDL_OP(odd, swing, struct rdl_nothing, .post = moody_post);
RDL_OP_RETURNS(odd, guess, struct rdl_nothing, int, .judge = guess_judge);
RDL_SPEC(odd, RDL_OPS(odd, swing));
LIKE(odd, odd_cpre);
RDL_SPEC(odd_cpre, RDL_OPS(odd, meddle), .policy = RDL_ALWAYS);
LIKE(odd, odd_args);
RDL_SPEC(odd_args, RDL_OPS(odd, draw), .policy = RDL_ALWAYS);
LIKE(odd, odd_post);
RDL_SPEC(odd_post, RDL_OPS(odd, change), .policy = RDL_ALWAYS);
LIKE(odd, odd_mood);
RDL_SPEC(odd_mood, RDL_OPS(odd, swing), .policy = RDL_ALWAYS);
LIKE(odd, odd_guess);
RDL_SPEC(odd_guess, RDL_OPS(odd, guess), .policy = RDL_ALWAYS);
LIKE(odd, odd_invariant);
RDL_SPEC(odd_invariant, RDL_OPS(odd, swing), .policy = RDL_ALWAYS, .invariant = meddling_invariant);

TEST(functions_that_change_what_they_look_at_are_named)
{
    EXPECT_CONTAINS(VERDICT(odd_cpre), "spec odd_cpre: cpre of operation meddle changes the state");
    EXPECT_CONTAINS(VERDICT(odd_args), "spec odd_args: args of operation draw changes the state");
    EXPECT_CONTAINS(VERDICT(odd_post), "spec odd_post: post of operation change changes what it");
    EXPECT_CONTAINS(VERDICT(odd_invariant), "the invariant of spec odd_invariant changes");
}

TEST(a_post_that_depends_on_something_else_is_named)
{
    EXPECT_CONTAINS(VERDICT(odd_mood), "misuse: ");
    EXPECT_CONTAINS(VERDICT(odd_mood), "post of operation swing is not always the same");
}

TEST(what_cannot_be_predicted_cannot_be_explored)
{
    EXPECT_CONTAINS(VERDICT(odd_guess), "operation guess has judge, which does not say what "
                                        "happens: RDL_TEST_SPEC needs post or post_any");
    EXPECT_CONTAINS(VERDICT(counter, .clients = 17), ".clients = 17, where at most 16");
}
