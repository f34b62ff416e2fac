/* mocks.cc -- mocks, expected calls, events, streams, gates, containers and generators in C++, from
 * C++17 on. */
#include <raddle.h>

#include <cstdlib>
#include <cstring>

#ifdef __clang__
#define AS_IT_IS __attribute__((optnone, noinline))
#else
#define AS_IT_IS __attribute__((noipa))
#endif

/* ---- Mocks ---------------------------------------------------------------------------------- */

extern "C" {
int flash_write(int block, const char *data, size_t length);
int missing(int a, double b);
}

AS_IT_IS int flash_write(int block, const char *data, size_t length)
{
    return block + (int)length + (data ? 0 : 1);
}

namespace device
{
AS_IT_IS double measure(int channel)
{
    return channel * 0.5;
}
} // namespace device

RDL_STUB(missing, a, b);

RDL_PROPERTY(functions_are_mocked, .cases = 20)
{
    struct rdl_mock *write = rdl_mock(t, flash_write, rdl_where("block", 3), rdl_returns(-1));
    size_t size;

    rdl_copies(write, "data", "length");
    rdl_mock(t, missing, rdl_arg(1), rdl_returns('a'));
    rdl_mock(t, device::measure, rdl_arg(2), rdl_returns(21.5));
    rdl_check_eq(flash_write(3, "xyz", 3), -1);
    rdl_check_eq(rdl_mock_calls(write), 1);
    rdl_check_eq(rdl_mock_arg(write, 0, "block", int), 3);
    rdl_check_mem(rdl_mock_copy(write, 0, "data", &size), "xyz", 3);
    rdl_check_eq(size, 3);
    rdl_check_eq(missing(1, 2.0), 'a');
    rdl_check_eq(device::measure(2), 21.5);
}

static int put_one_more(int block, const char *, size_t)
{
    return rdl_real(flash_write)(block, "ab", 2) + 100;
}

RDL_PROPERTY(functions_are_replaced, .cases = 20)
{
    rdl_replace(t, flash_write, put_one_more);
    rdl_check_eq(flash_write(1, "a", 1), 103);
    rdl_replace(t, flash_write, [](int, const char *, size_t) { return 5; });
    rdl_check_eq(flash_write(1, "a", 1), 5);
}

RDL_SLOT(int, the_block);

RDL_PROPERTY(calls_are_expected, .cases = 20)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_write, rdl_keeps(the_block), rdl_returns(0)),
                                     rdl_plus(rdl_call_to(flash_write, rdl_same_as(the_block),
                                                          rdl_str("b"), rdl_returns(1))),
                                     rdl_optional(rdl_call_to(missing))));
    rdl_check_eq(flash_write(4, "a", 1), 0);
    rdl_check_eq(flash_write(4, "b", 1), 1);
    rdl_check_eq(flash_write(4, "b", 1), 1);
    rdl_calls_done(t);
}

RDL_PROPERTY(fails_at_a_call_that_is_not_expected)
{
    rdl_expect_calls(t, rdl_call_to(flash_write, rdl_arg(1)));
    flash_write(2, "a", 1);
}

RDL_PROPERTY(faults_are_injected, .cases = 50)
{
    void *volatile memory;

    rdl_inject(t, malloc, rdl_returns(nullptr), rdl_sets_errno(12), rdl_at_call(1));
    memory = malloc(10);
    rdl_check(!memory);
    memory = malloc(10);
    rdl_check(memory);
    free(memory);
}

/* ---- Streams --------------------------------------------------------------------------------- */

struct ping {
    unsigned id;
};

RDL_EVENT(ping, struct ping);
RDL_EVENT(pong, struct ping);
RDL_SLOT(unsigned, the_id);
static struct rdl_port net = {"net", nullptr};

/* Made before main. */
static const struct rdl_step *const there_and_back =
    rdl_sequence(rdl_expect(rdl_out(&net, rdl_any(ping), rdl_bind(ping, id, the_id))),
                 rdl_expect(rdl_out(&net, rdl_bound(pong, id, the_id))));

RDL_STREAM_SPEC(pings, rdl_star(rdl_expect(rdl_out(&net, rdl_any(ping)))));

static void emit_two(void *second)
{
    rdl_emit(&net, ping, .id = 3);
    rdl_emit(&net, pong, .id = *(unsigned *)second);
}

static void stream_two(struct rdl_case *t, unsigned second, const struct rdl_step *spec)
{
    struct rdl_thread *component;

    rdl_connect(t, &net);
    component = rdl_spawn(t, "component", emit_two, &second);
    rdl_stream(t, spec, .deadline_ms = 1000);
    rdl_join(component);
}

RDL_EXPLORE(a_stream_is_matched, .cases = 10)
{
    stream_two(t, 3, there_and_back);
}

RDL_EXPLORE(a_stream_is_matched_by_what_is_made_here, .cases = 10)
{
    const struct rdl_step *pongs = rdl_repeat(2, rdl_expect(rdl_out(&net, rdl_any(pong))));

    stream_two(t, 4,
               rdl_sequence(rdl_expect(rdl_out(&net, rdl_is(ping, .id = 3))),
                            rdl_either(rdl_expect(rdl_out(&net, rdl_field(pong, id, 4))), pongs)));
}

RDL_EXPLORE(fails_at_another_id)
{
    stream_two(t, 4, there_and_back);
}

static bool echo(const struct ping *request, struct ping *out)
{
    out->id = request->id;
    return true;
}

static void ask(void *out)
{
    rdl_ask(&net, pong, (struct ping *)out, ping, .id = 8);
}

RDL_EXPLORE(questions_are_answered, .cases = 10)
{
    struct ping answer = {0};
    struct rdl_thread *component;

    rdl_connect(t, &net);
    component = rdl_spawn(t, "component", ask, &answer);
    rdl_stream(t, rdl_answer(rdl_out(&net, rdl_any(ping)), ping, echo, &net, pong));
    rdl_join(component);
    rdl_check_eq(answer.id, 8);
}

/* ---- Gates ------------------------------------------------------------------------------------ */

static volatile int step;

AS_IT_IS static void walk(void *)
{
    step = 1;
    step = 2; /* the second one */
}

RDL_REQUIREMENT("REQ_HOLD", "a thread can be held");

RDL_SCHEDULE(a_thread_is_held)
{
    struct rdl_gate *gate = rdl_gate_at(t, "walk:/the second one/");
    struct rdl_thread *walker = rdl_spawn(t, "walker", walk, NULL);

    rdl_gate_reached(gate);
    rdl_check_eq(step, 1);
    rdl_requirement("REQ_HOLD");
    rdl_gate_open(gate);
    rdl_join(walker);
    rdl_check_eq(step, 2);
}

/* ---- Containers and generators ---------------------------------------------------------------- */

struct point {
    short x;
    int y;
};

struct model {
    rdl_vec(int, 8) vec;
    rdl_set(unsigned char, 8) set;
    rdl_multiset(int, 8) bag;
    rdl_map(int, point, 8) map;
};

RDL_PROPERTY(models_have_containers, .cases = 20)
{
    struct model *m = rdl_new(t, struct model);
    const struct model *seen = m;

    rdl_vec_push(&m->vec, 3);
    rdl_vec_insert(&m->vec, 0, 2);
    rdl_check_eq(rdl_vec_at(&m->vec, 0), 2);
    rdl_check_eq(rdl_vec_pop(&m->vec), 3);
    rdl_check(rdl_set_add(&m->set, (unsigned char)200));
    rdl_check(rdl_set_add(&m->set, (unsigned char)7));
    rdl_check_eq(seen->set.items[0], 7);
    rdl_check(rdl_set_has(&seen->set, (unsigned char)200));
    rdl_multiset_add(&m->bag, 1);
    rdl_multiset_add(&m->bag, -1);
    rdl_check_eq(seen->bag.items[0], -1);
    rdl_check_eq(rdl_multiset_count(&seen->bag, -1), 1);
    rdl_map_put(&m->map, 5, point{1, 2});
    rdl_check_eq(rdl_map_get(&m->map, 5)->y, 2);
    rdl_check(!rdl_map_has(&m->map, 6));
    rdl_check(rdl_map_remove(&m->map, 5));
    rdl_check(!rdl_is_full(&seen->vec));
}

static int digit(struct rdl_case *t)
{
    return (int)rdl_int(t, 0, 9);
}

static int ten(struct rdl_case *)
{
    return 10;
}

RDL_PROPERTY(generators_have_options, .cases = 100)
{
    size_t count, digits;
    int *numbers = rdl_ints(t, &count, .length = {0, 9}, .range = {0, 99});
    int *some = rdl_array(t, &digits, digit, .length = {1, 3});

    for (size_t i = 0; i < count; i++)
        rdl_check_le(numbers[i], 99);
    rdl_check_le(count, 9);
    rdl_check_ge(strlen(rdl_string(t, .length = {1, 8}, .of = "01")), 1);
    rdl_check_le(rdl_double(t, .range = {0.0, 1.0}), 1.0);
    rdl_check_le(some[digits - 1], 9);
    rdl_check_le(rdl_one_of(t, digit, ten), 10);
    rdl_check_le(rdl_frequency(t, 5, 1, 1), 2);
    rdl_check(rdl_identifier(t)[0]);
}

RDL_MAIN
