/* streams_and_gates.c -- streams of events from threads that are held at gates, put in order, or
 * wait for the test clock; for test_streams_and_gates.  Tests whose names begin with wrong_ are to
 * fail. */
#include <pthread.h>
#include <raddle.h>

#define BOTH(name, body)                                                                           \
    RDL_SCHEDULE(name)                                                                             \
    {                                                                                              \
        body(t);                                                                                   \
    }                                                                                              \
    RDL_SCHEDULE(name##_free, .free_threads = true, .cases = 30)                                   \
    {                                                                                              \
        body(t);                                                                                   \
    }

struct number {
    int n;
};
RDL_EVENT(said, struct number);

static struct rdl_port port = {.name = "port"};
static struct rdl_case *the_case;

__attribute__((noinline)) static void say(void *it)
{
    rdl_emit(&port, said, .n = *(const int *)it);
}

static void say_when_it_is_time(void *it)
{
    rdl_await(the_case, *(const int *)it);
    say(it);
}

static int one = 1, two = 2;

static void expect_two_first(struct rdl_case *t)
{
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&port, rdl_is(said, .n = 2))),
                               rdl_expect(rdl_out(&port, rdl_is(said, .n = 1)))));
}

static void order(struct rdl_case *t)
{
    struct rdl_thread *first, *second;

    rdl_connect(t, &port);
    rdl_order(t, "[second ended] -> first:say");
    first = rdl_spawn(t, "first", say, &one);
    second = rdl_spawn(t, "second", say, &two);
    expect_two_first(t);
    rdl_join(first);
    rdl_join(second);
}
BOTH(an_order_is_kept, order)

/* Both wait for their time, before the stream begins or while it runs. */
static void times(struct rdl_case *t)
{
    struct rdl_thread *first, *second;

    the_case = t;
    rdl_connect(t, &port);
    first = rdl_spawn(t, "first", say_when_it_is_time, &two);
    second = rdl_spawn(t, "second", say_when_it_is_time, &one);
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&port, rdl_is(said, .n = 1))),
                               rdl_expect(rdl_out(&port, rdl_is(said, .n = 2)))));
    rdl_join(first);
    rdl_join(second);
}
BOTH(the_clock_goes_on, times)

/* Nobody opens the gate while the stream runs: it ends nevertheless, once it is complete. */
static void held(struct rdl_case *t)
{
    struct rdl_gate *gate;
    struct rdl_thread *first, *second;

    rdl_connect(t, &port);
    gate = rdl_gate_at(t, "say", .thread = "first");
    first = rdl_spawn(t, "first", say, &one);
    second = rdl_spawn(t, "second", say, &two);
    rdl_stream(t, rdl_expect(rdl_out(&port, rdl_is(said, .n = 2))));
    rdl_gate_open(gate);
    rdl_stream(t, rdl_expect(rdl_out(&port, rdl_is(said, .n = 1))));
    rdl_join(first);
    rdl_join(second);
}
BOTH(a_stream_ends_while_one_is_held, held)

RDL_SCHEDULE(wrong_nobody_opens)
{
    rdl_connect(t, &port);
    rdl_gate_at(t, "say");
    rdl_spawn(t, "first", say, &one);
    rdl_stream(t, rdl_expect(rdl_out(&port, rdl_any(said))));
}

RDL_SCHEDULE(wrong_nobody_opens_free, .free_threads = true)
{
    rdl_connect(t, &port);
    rdl_gate_at(t, "say");
    rdl_spawn(t, "first", say, &one);
    rdl_stream(t, rdl_expect(rdl_out(&port, rdl_any(said))), .deadline_ms = 50);
}

RDL_MAIN
