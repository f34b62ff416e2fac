/* specs.cc -- specs, policies, call-outs, clusters and tables in C++, of code that is C++, from
 * C++17 on. */
#include <raddle.h>

#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define AS_IT_IS __attribute__((optnone, noinline))
#else
#define AS_IT_IS __attribute__((noipa))
#endif

/* ---- A queue that blocks -------------------------------------------------------------------- */

class queue
{
    std::mutex lock;
    std::condition_variable changed;
    int items[4], first = 0, count = 0;
    const int capacity;

  public:
    explicit queue(int room) : capacity(room) {}

    void put(int item)
    {
        std::unique_lock<std::mutex> held(lock);

        changed.wait(held, [this] { return count < capacity; });
        items[(first + count++) % capacity] = item;
        changed.notify_all();
    }

    int take()
    {
        std::unique_lock<std::mutex> held(lock);

        changed.wait(held, [this] { return count > 0; });
        count--;
        changed.notify_all();
        return items[first++ % capacity];
    }

    int take_last()
    {
        std::unique_lock<std::mutex> held(lock);

        changed.wait(held, [this] { return count > 0; });
        changed.notify_all();
        return items[(first + --count) % capacity];
    }
};

struct contents {
    int capacity;
    rdl_fifo(int, 4) items;
};

struct item {
    int value;
};

#define QUEUE_SPEC(spec, take_it)                                                                  \
    RDL_TYPES(spec, struct contents, queue);                                                       \
    RDL_EXTERN_OP(spec, put, struct item);                                                         \
    RDL_EXTERN_OP_RETURNS(spec, take, struct rdl_nothing, int);                                    \
    RDL_ARGS(spec, put, a->value = (int)rdl_int(t, 0, 9));                                         \
    RDL_CPRE(spec, put, (int)s->items.count < s->capacity);                                        \
    RDL_POST(spec, put, rdl_fifo_put(&s->items, a->value));                                        \
    RDL_DO(spec, put, o->put(a->value));                                                           \
    RDL_CPRE(spec, take, s->items.count > 0);                                                      \
    RDL_POST_RETURNS(spec, take, *r = rdl_fifo_get(&s->items));                                    \
    RDL_DO_RETURNS(spec, take, *r = o->take_it());                                                 \
    RDL_OP(spec, put, struct item, .args = spec##_put_args, .cpre = spec##_put_cpre,               \
           .post = spec##_put_post, .call = spec##_put_call);                                      \
    RDL_OP_RETURNS(spec, take, struct rdl_nothing, int, .cpre = spec##_take_cpre,                  \
                   .post = spec##_take_post, .call = spec##_take_call);                            \
    RDL_SPEC(spec, RDL_OPS(spec, put, take), .initial = some_capacity, .create = new_queue,        \
             .destroy = delete_queue)

static void some_capacity(struct rdl_case *t, struct contents *s)
{
    s->capacity = (int)rdl_int(t, 2, 4);
}

static queue *new_queue(struct rdl_case *, const struct contents *s)
{
    return new queue(s->capacity);
}

static void delete_queue(queue *q)
{
    delete q;
}

QUEUE_SPEC(well, take);
QUEUE_SPEC(ill, take_last);

RDL_TEST_MODEL(a_queue_alone, well, .cases = 200, .tags = "queue", .calls = {0, 50});
RDL_TEST_RESOURCE(a_queue_under_concurrent_calls, well, .cases = 200, .clients = 3,
                  .concurrent = 3);
RDL_TEST_LINEAR(a_queue_used_freely, well, .cases = 100);
RDL_TEST_SPEC(the_spec_is_sound, well, .may_block = true, .may_starve = true);
RDL_TEST_TABLE(by_hand, well, {1, "consumer", RDL_CALL(well, take), RDL_BLOCKS},
               {2, "producer", RDL_CALL(well, put, {7}), RDL_RETURNS},
               {3, "consumer", RDL_CONTINUED(well, take), RDL_ANSWERS(well, take, 7)},
               {4, "producer", RDL_CALL(well, put, {.value = 8})});
RDL_TEST_MODEL(fails_as_the_last_is_first, ill);

/* ---- A log, and the store that it writes to ------------------------------------------------- */

extern "C" {
int store_put(int value);
void store_clear(void);
int log_write(int value);
}

static int stored[3], stored_count;

AS_IT_IS int store_put(int value)
{
    if (stored_count == 3)
        return 1;
    stored[stored_count++] = value;
    return 0;
}

AS_IT_IS void store_clear(void)
{
    stored_count = 0;
}

AS_IT_IS int log_write(int value)
{
    if (store_put(value) == 0)
        return 0;
    store_clear();
    return store_put(value);
}

struct stored {
    rdl_fifo(int, 3) items;
};

RDL_TYPES(store, struct stored, char);
RDL_EXTERN_OP_RETURNS(store, put, struct item, int);
RDL_EXTERN_OP(store, clear, struct rdl_nothing);

RDL_ARGS(store, put, a->value = (int)rdl_int(t, 0, 9));
RDL_POST_RETURNS(store, put, *r = rdl_is_full(&s->items);
                 if (!*r) rdl_fifo_put(&s->items, a->value));
RDL_DO_RETURNS(store, put, *r = store_put(a->value));
RDL_POST(store, clear, rdl_clear(&s->items));
RDL_DO(store, clear, store_clear());

static int put_instead(int value)
{
    struct item args = {value};

    return rdl_mocked_returns(store, put, &args, rdl_real(store_put)(value));
}

static void clear_instead(void)
{
    struct rdl_nothing none;

    rdl_mocked(store, clear, &none, rdl_real(store_clear)());
}

static bool is_full(const struct stored *s)
{
    return rdl_is_full(&s->items);
}

static bool is_put_into_a_full_one(const struct stored *s, const struct item *,
                                   const struct rdl_queue *)
{
    return is_full(s);
}

static char *create(struct rdl_case *, const struct stored *)
{
    static char it;

    stored_count = 0;
    return &it;
}

RDL_OP_RETURNS(store, put, struct item, int, .weight = 3, .args = store_put_args,
               .post = store_put_post, .call = store_put_call, RDL_MOCKS(store_put, put_instead),
               .callers = "log", .preconditions = {{"full", is_put_into_a_full_one}},
               .requirements = "REQ_STORE");
RDL_OP(store, clear, struct rdl_nothing, .post = store_clear_post, .call = store_clear_call,
       RDL_MOCKS(store_clear, clear_instead), .callers = "log");
RDL_SPEC(store, RDL_OPS(store, put, clear), .create = create, .interesting = {{"full", is_full}},
         .policy = rdl_over(store, clear, put));
RDL_DEVIATION(store, put, "holds one less", s->items.count == 2, *r = 1);

struct written {
    uint32_t count;
};

RDL_TYPES(log, struct written, char);
RDL_EXTERN_OP_RETURNS(log, write, struct item, int);
RDL_ARGS(log, write, a->value = (int)rdl_int(t, 0, 9));
RDL_POST_RETURNS(log, write, s->count = s->count == 3 ? 1 : s->count + 1; *r = 0);
RDL_CALLOUTS(
    log, write,
    s->count == 3
        ? rdl_sequence(rdl_call_returns(store, put, 1, .value = a->value), rdl_call(store, clear),
                       rdl_call_like_returns(store, put, 0, rdl_field(store_put, value, a->value)))
        : rdl_call_returns(store, put, 0, .value = a->value));
RDL_DO_RETURNS(log, write, *r = log_write(a->value));
RDL_OP_RETURNS(log, write, struct item, int, .args = log_write_args, .post = log_write_post,
               .call = log_write_call, .callouts = log_write_callouts);

static char *create_log(struct rdl_case *t, const struct written *)
{
    return create(t, NULL);
}

RDL_SPEC(log, RDL_OPS(log, write), .create = create_log);

RDL_TEST_MODEL(the_store_alone, store, .cases = 100);
RDL_TEST_PLAN(the_store_by_its_preconditions, store, .clients = 1);
RDL_TEST_MODEL(the_log_without_a_store, log, .cases = 100, .mocked = RDL_SPECS(store));
RDL_TEST_MODEL(the_log_and_a_store_that_plays, log, .cases = 100, .stand_ins = RDL_SPECS(store));
RDL_TEST_MODEL(a_store_that_deviates, log, .expect_failure = true, .stand_ins = RDL_SPECS(store),
               .deviation = "holds one less");
RDL_CLUSTER(both, RDL_SPECS(log, store));
RDL_TEST_CLUSTER(the_specs_agree, both, .cases = 100);
RDL_TEST_CLUSTER(all_are_real, both, .cases = 100, .real = "all");

/* ---- A policy, and a monitor that the spec makes --------------------------------------------- */

struct door {
    bool open;
};

struct turns {
    int last;
};

static void note_turn(struct turns *p, int *info, const struct rdl_call *call, const struct door *)
{
    p->last = (int)call->number % 2;
    *info = p->last;
}

RDL_TYPES(door, struct door, struct rdl_resource);
RDL_EXTERN_OP(door, pass, struct rdl_nothing);
RDL_EXTERN_OP(door, open, struct rdl_nothing);
RDL_CPRE(door, pass, s->open);
RDL_POST(door, pass, s->open = false);
RDL_POST(door, open, s->open = true);
RDL_OP(door, pass, struct rdl_nothing, .cpre = door_pass_cpre, .post = door_pass_post);
RDL_OP(door, open, struct rdl_nothing, .post = door_open_post);
RDL_POLICY(door, turns, struct turns, int, .waiting = note_turn);
RDL_SPEC(door, RDL_OPS(door, pass, open), .policy = rdl_policy(door, turns));
RDL_TEST_RESOURCE(a_door_that_the_spec_makes, door, .cases = 50, .clients = 2, .reference = true);

RDL_MAIN
