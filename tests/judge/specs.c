/* specs.c -- specs for run_judge.sh: a register, registers by key, a queue that blocks. */
#include <raddle/spec.h>

struct cell {
    int value;
};
struct value {
    int value;
};
struct setting {
    int key, value;
};

RDL_TYPES(cell, struct cell, void);

static void write_args(struct rdl_case *t, const struct cell *s, struct value *a)
{
    (void)s;
    a->value = rdl_int(t, 0, 9);
}
static void write_post(struct cell *s, const struct value *a)
{
    s->value = a->value;
}
static void read_post(struct cell *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->value;
}
RDL_OP(cell, write, struct value, .args = write_args, .post = write_post);
RDL_OP_RETURNS(cell, read, struct rdl_nothing, int, .post = read_post);
RDL_SPEC(cell, RDL_OPS(cell, write, read));

/* At the beginning each holds 1: the simplest of what is drawn. */
RDL_TYPES(cells, struct cell, void);

static void set_post(struct cell *s, const struct setting *a)
{
    s->value = a->value;
}
static void get_post(struct cell *s, const struct value *a, int *r)
{
    (void)a;
    *r = s->value;
}
static int64_t set_key(const struct setting *a)
{
    return a->key;
}
static int64_t get_key(const struct value *a)
{
    return a->value;
}
static void begin_with_one(struct rdl_case *t, struct cell *s)
{
    s->value = rdl_int(t, 1, 9);
}
RDL_OP(cells, set, struct setting, .key = set_key, .post = set_post);
RDL_OP_RETURNS(cells, get, struct value, int, .key = get_key, .post = get_post);
RDL_SPEC(cells, RDL_OPS(cells, set, get), .initial = begin_with_one);

struct items {
    int count, values[2];
};
RDL_TYPES(queue, struct items, void);

static bool put_cpre(const struct items *s, const struct value *a)
{
    (void)a;
    return s->count < 2;
}
static void put_post(struct items *s, const struct value *a)
{
    s->values[s->count++] = a->value;
}
static bool take_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}
static void take_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->values[0];
    s->values[0] = s->values[1];
    s->values[1] = 0;
    s->count--;
}
RDL_OP(queue, put, struct value, .cpre = put_cpre, .post = put_post);
RDL_OP_RETURNS(queue, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post);
RDL_SPEC(queue, RDL_OPS(queue, put, take), .policy = RDL_FIFO_PER_OP);

/* The answer is not explained by anything. */
RDL_TYPES(wrong, struct cell, void);
RDL_OP_RETURNS(wrong, ask, struct rdl_nothing, int);
RDL_SPEC(wrong, RDL_OPS(wrong, ask));
