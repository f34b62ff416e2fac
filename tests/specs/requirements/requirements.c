/* requirements.c -- a box with two places, whose spec says what each branch is there for. */
#include <raddle.h>
#include <stdlib.h>

#include "box.h"

RDL_REQUIREMENT("BOX_1", "What is put in comes out, last in first out.");
RDL_REQUIREMENT("BOX_2", "A full box refuses.");
RDL_REQUIREMENT("BOX_9", "Nobody speaks of this one.");

struct items {
    rdl_vec(int, 2) kept;
};

struct item {
    int value;
};

static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    a->value = rdl_int(t, 0, 9);
}

static void put_post(struct items *s, const struct item *a, bool *r)
{
    *r = s->kept.count < 2;
    if (!*r) {
        rdl_requirement("BOX_2");
        return;
    }
    if (a->value == 77) /* which is never drawn */
        rdl_requirement("BOX_4");
    rdl_vec_push(&s->kept, a->value);
}

static void put_call(struct box *b, const struct item *a, bool *r)
{
    *r = box_put(b, a->value);
}

static bool take_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->kept.count > 0;
}

static void take_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    if (s->kept.count == 2)
        rdl_requirement("BOX_3");
    *r = rdl_vec_pop(&s->kept);
}

static void take_call(struct box *b, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = box_take(b);
}

static struct box *create(struct rdl_case *t, const struct items *s)
{
    (void)t, (void)s;
    return box_new();
}

RDL_TYPES(box, struct items, struct box);
RDL_OP_RETURNS(box, put, struct item, bool, .args = put_args, .post = put_post, .call = put_call,
               .requirements = "BOX_1");
RDL_OP_RETURNS(box, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post,
               .call = take_call, .requirements = "BOX_1 BOX_5");
RDL_SPEC(box, RDL_OPS(box, put, take), .create = create, .destroy = box_free);

RDL_TEST_MODEL(a_box, box, .cases = 200);
RDL_TEST_RESOURCE(a_box_for_many, box, .cases = 50);
RDL_TEST_LINEAR(a_box_used_freely, box, .cases = 50);

/* The same where the answers are judged: what the judge only tries is not to count. */
struct coin {
    int heads;
};

static bool flip_post(struct coin *s, const struct rdl_nothing *a, unsigned which, bool *r)
{
    (void)a;
    if (which == 0)
        rdl_requirement("COIN_HEADS");
    else
        rdl_requirement("COIN_TAILS");
    *r = which == 0;
    s->heads += which == 0;
    return true;
}

static void flip_call(int *always, const struct rdl_nothing *a, bool *r)
{
    (void)a;
    *r = *always;
}

static int *create_coin(struct rdl_case *t, const struct coin *s)
{
    (void)s;
    return rdl_copy(t, &(int){1}, sizeof(int));
}

RDL_TYPES(coin, struct coin, int);
RDL_OP_RETURNS(coin, flip, struct rdl_nothing, bool, .alternatives = 2, .post_any = flip_post,
               .call = flip_call);
RDL_SPEC(coin, RDL_OPS(coin, flip), .create = create_coin);

RDL_TEST_MODEL(a_coin_of_two_heads, coin, .cases = 20, .calls = {0, 10});
RDL_TEST_LINEAR(a_coin_of_two_heads_flipped_by_many, coin, .cases = 20, .clients = 2);

/* And without a spec. */
RDL_PROPERTY(a_plain_property, .cases = 300)
{
    int n = rdl_int(t, 0, 1000);

    if (n > 100)
        rdl_requirement("PLAIN_LARGE");
    rdl_assume(t, n != 0);
    if (n == 0)
        rdl_requirement("PLAIN_DISCARDED");
}

RDL_MAIN
