/* exported.c -- planned calls whose arguments, answers and states are of all kinds, for
 * tests/run_export.sh: each is to arrive as it was planned, in the file that --export writes. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = -3 };

struct thing {
    enum colour colour;
    bool yes;
    char name[8], full[2], odd[4], letter;
    double real;
    float small;
    int64_t least, most;
    uint64_t large;
    unsigned three : 3;
    struct {
        short x, y;
    } points[2];
    rdl_vec(int, 3) numbers;
    const char *nothing;
};

union both {
    int number;
    char letters[8];
};

struct state {
    int calls;
    enum colour last;
};

static struct thing some_thing(void)
{
    struct thing thing = {.colour = BLUE,
                          .yes = true,
                          .name = "a\"b\\",
                          .full = {'x', 'y'},
                          .odd = {'a', '\0', 'b', '\n'},
                          .letter = '\'',
                          .real = 0.1,
                          .small = 0.3f,
                          .least = INT64_MIN,
                          .most = INT64_MAX,
                          .large = UINT64_MAX,
                          .three = 5,
                          .points = {{1, -2}, {3, 4}}};

    rdl_vec_push(&thing.numbers, 7);
    rdl_vec_push(&thing.numbers, -8);
    return thing;
}

static void thing_args(struct rdl_case *t, const struct state *s, struct thing *a)
{
    (void)t, (void)s;
    *a = some_thing();
}

static bool is_it(const struct thing *a)
{
    struct thing thing = some_thing();

    return a->colour == thing.colour && a->yes && memcmp(a->name, thing.name, 8) == 0 &&
           memcmp(a->full, thing.full, 2) == 0 && memcmp(a->odd, thing.odd, 4) == 0 &&
           a->letter == thing.letter && a->real == thing.real && a->small == thing.small &&
           a->least == thing.least && a->most == thing.most && a->large == thing.large &&
           a->three == 5 && memcmp(a->points, thing.points, sizeof a->points) == 0 &&
           a->numbers.count == 2 && a->numbers.items[1] == -8 && !a->nothing;
}

/* It answers what it was given, if that is what it should have been. */
static void echo_post(struct state *s, const struct thing *a, struct thing *r)
{
    *r = *a;
    s->calls++;
    s->last = a->colour;
}

static void echo_call(struct state *o, const struct thing *a, struct thing *r)
{
    if (!is_it(a))
        abort();
    echo_post(o, a, r);
}

static void both_args(struct rdl_case *t, const struct state *s, union both *a)
{
    (void)t, (void)s;
    memcpy(a->letters, "abcdefgh", 8);
}

static void both_post(struct state *s, const union both *a, double *r)
{
    (void)s;
    *r = a->letters[7] / 16.0;
}

static void both_call(struct state *o, const union both *a, double *r)
{
    if (memcmp(a->letters, "abcdefgh", 8) != 0)
        abort();
    both_post(o, a, r);
}

static bool nearly(const double *model, const double *real)
{
    return *model - *real < 0.01 && *real - *model < 0.01;
}

static void begin(struct rdl_case *t, struct state *s)
{
    (void)t;
    s->last = GREEN;
}

static struct state *create(struct rdl_case *t, const struct state *s)
{
    if (s->last != GREEN)
        abort();
    return rdl_copy(t, s, sizeof *s);
}

static bool twice(const struct state *s, const struct thing *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return s->calls == 1;
}

static bool any(const struct state *s, const union both *a, const struct rdl_queue *q)
{
    (void)s, (void)a, (void)q;
    return true;
}

RDL_TYPES(things, struct state, struct state);
RDL_OP_RETURNS(things, echo, struct thing, struct thing, .args = thing_args, .post = echo_post,
               .call = echo_call, .preconditions = {{"E1", twice}});
RDL_OP_RETURNS(things, both, union both, double, .args = both_args, .post = both_post,
               .call = both_call, .same = nearly, .preconditions = {{"B1", any}});
RDL_SPEC(things, RDL_OPS(things, echo, both), .initial = begin, .create = create);
RDL_TEST_PLAN(things_of_all_kinds, things);

/* Two who wait in the end: their threads could not be ended. */
static bool never(const struct state *s, const struct rdl_nothing *a)
{
    (void)s, (void)a;
    return false;
}

static void wait_call(struct state *o, const struct rdl_nothing *a)
{
    (void)o, (void)a;
}

static bool always(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)s, (void)a, (void)q;
    return true;
}

RDL_TYPES(waiting, struct state, struct state);
RDL_OP(waiting, wait, struct rdl_nothing, .cpre = never, .call = wait_call,
       .preconditions = {{"W1", always}});
RDL_SPEC(waiting, RDL_OPS(waiting, wait), .initial = begin, .create = create);
RDL_TEST_PLAN(waits_for_ever, waiting);

RDL_MAIN
