/* linear.c -- what threads share freely: a spec of each, and a test of the right and of the
 * broken one.  tests/test_drive_linear.c says what is to come of them. */
#include <raddle.h>

#include "objects.h"

struct item {
    int key, value;
};

static void value_args(struct rdl_case *t, struct item *a)
{
    a->value = (int)rdl_int(t, 0, 99);
}

/* A spec of the right thing, one of the broken thing, and a test of each. */
#define BOTH(name, object, ...)                                                                    \
    static struct object *create_##name(struct rdl_case *t, const rdl_state_##name *s)             \
    {                                                                                              \
        (void)t, (void)s;                                                                          \
        return object##_new(false);                                                                \
    }                                                                                              \
    static struct object *create_broken_##name(struct rdl_case *t, const rdl_state_##name *s)      \
    {                                                                                              \
        (void)t, (void)s;                                                                          \
        return object##_new(true);                                                                 \
    }                                                                                              \
    typedef rdl_state_##name rdl_state_broken_##name;                                              \
    typedef rdl_object_##name rdl_object_broken_##name;                                            \
    typedef rdl_client_##name rdl_client_broken_##name;                                            \
    RDL_SPEC(name, RDL_OPS(name, __VA_ARGS__), .create = create_##name, .destroy = object##_free); \
    RDL_SPEC(broken_##name, RDL_OPS(name, __VA_ARGS__), .create = create_broken_##name,            \
             .destroy = object##_free);                                                            \
    RDL_TEST_LINEAR(name, name, .clients = 3, .calls = {1, 4}, .cases = 1000);                     \
    RDL_TEST_LINEAR(broken_##name, broken_##name, .clients = 3, .calls = {1, 4}, .cases = 3000)

/* ---- A counter ---------------------------------------------------------------------------- */

struct count {
    int next;
};

static void next_post(struct count *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->next++;
}

static void next_call(struct counter *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = counter_next(o);
}

RDL_TYPES(counter, struct count, struct counter);
RDL_OP_RETURNS(counter, next, struct rdl_nothing, int, .post = next_post, .call = next_call);
BOTH(counter, counter, next);

/* ---- A stack ------------------------------------------------------------------------------ */

struct pile {
    rdl_vec(int, 16) items;
};

static void push_args(struct rdl_case *t, const struct pile *s, struct item *a)
{
    (void)s;
    value_args(t, a);
}

static void push_post(struct pile *s, const struct item *a)
{
    rdl_vec_push(&s->items, a->value);
}

static void push_call(struct stack *o, const struct item *a)
{
    stack_push(o, a->value);
}

static void pop_post(struct pile *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_is_empty(&s->items) ? -1 : rdl_vec_pop(&s->items);
}

static void pop_call(struct stack *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = stack_pop(o);
}

RDL_TYPES(stack, struct pile, struct stack);
RDL_OP(stack, push, struct item, .args = push_args, .post = push_post, .call = push_call);
RDL_OP_RETURNS(stack, pop, struct rdl_nothing, int, .post = pop_post, .call = pop_call);
BOTH(stack, stack, push, pop);

/* ---- Registers: each is judged by itself, so the state is that of one ------------------------ */

struct value {
    int value;
};

static void key_args(struct rdl_case *t, const struct value *s, struct item *a)
{
    (void)s;
    a->key = (int)rdl_int(t, 0, REGISTERS - 1);
}

static void write_args(struct rdl_case *t, const struct value *s, struct item *a)
{
    key_args(t, s, a);
    value_args(t, a);
}

static int64_t key_of(const struct item *a)
{
    return a->key;
}

static void write_post(struct value *s, const struct item *a)
{
    s->value = a->value;
}

static void write_call(struct registers *o, const struct item *a)
{
    registers_write(o, a->key, a->value);
}

static void read_post(struct value *s, const struct item *a, int *r)
{
    (void)a;
    *r = s->value;
}

static void read_call(struct registers *o, const struct item *a, int *r)
{
    *r = registers_read(o, a->key);
}

RDL_TYPES(registers, struct value, struct registers);
RDL_OP(registers, write, struct item, .args = write_args, .key = key_of, .post = write_post,
       .call = write_call);
RDL_OP_RETURNS(registers, read, struct item, int, .args = key_args, .key = key_of,
               .post = read_post, .call = read_call);
BOTH(registers, registers, write, read);

/* ---- A queue: in the end, calls may wait ----------------------------------------------------- */

struct items {
    rdl_fifo(int, 2) fifo;
};

static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
{
    (void)s;
    value_args(t, a);
}

static bool put_cpre(const struct items *s, const struct item *a)
{
    (void)a;
    return !rdl_is_full(&s->fifo);
}

static void put_post(struct items *s, const struct item *a)
{
    rdl_fifo_put(&s->fifo, a->value);
}

static void put_call(struct queue *o, const struct item *a)
{
    queue_put(o, a->value);
}

static bool get_cpre(const struct items *s, const struct rdl_nothing *a)
{
    (void)a;
    return !rdl_is_empty(&s->fifo);
}

static void get_post(struct items *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = rdl_fifo_get(&s->fifo);
}

static void get_call(struct queue *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = queue_get(o);
}

RDL_TYPES(queue, struct items, struct queue);
RDL_OP(queue, put, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
       .call = put_call);
RDL_OP_RETURNS(queue, get, struct rdl_nothing, int, .cpre = get_cpre, .post = get_post,
               .call = get_call);
BOTH(queue, queue, put, get);

RDL_TEST_LINEAR(free_queue, queue, .clients = 3, .free_threads = true, .cases = 30);

RDL_MAIN
