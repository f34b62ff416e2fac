/* streams.c -- components and streams of their events, for test_drive_stream.  Tests whose names
 * begin with wrong_ are to fail. */
#include <raddle.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct number {
    int n;
};

RDL_EVENT(number, struct number);
RDL_EVENT(answer, struct number);
RDL_SLOT(int, the_number);

static struct rdl_port port = {.name = "port"}, other = {.name = "other"};
static int delivered;

static void count_in(void *it, const struct rdl_event *event)
{
    (void)it, (void)event;
    delivered++;
}

#define OUT(n) rdl_expect(rdl_out(&port, rdl_is(number, n)))
#define IN(n)  rdl_expect(rdl_in(&port, rdl_is(number, n)))

/* ---- Producers ------------------------------------------------------------------------------ */

static void emit_one(void *it)
{
    rdl_emit(&port, number, *(int *)it);
}

static void run_two(struct rdl_case *t, const struct rdl_step *spec)
{
    static int one = 1, two = 2;
    struct rdl_thread *first, *second;

    rdl_connect(t, &port);
    first = rdl_spawn(t, "first", emit_one, &one);
    second = rdl_spawn(t, "second", emit_one, &two);
    rdl_stream(t, spec);
    rdl_join(first);
    rdl_join(second);
}

RDL_EXPLORE(two_producers_in_any_order)
{
    run_two(t, rdl_unordered(OUT(1), OUT(2)));
}

RDL_EXPLORE(wrong_two_producers_in_order)
{
    run_two(t, rdl_sequence(OUT(1), OUT(2)));
}

RDL_PROPERTY(free_producers, .cases = 50)
{
    run_two(t, rdl_unordered(OUT(1), OUT(2)));
}

RDL_EXPLORE(wrong_one_too_few)
{
    run_two(t, rdl_sequence(rdl_unordered(OUT(1), OUT(2)), OUT(3)));
}

RDL_EXPLORE(wrong_one_too_many)
{
    run_two(t, rdl_sequence(rdl_either(OUT(1), OUT(2))));
}

/* ---- What reaches whom ---------------------------------------------------------------------- */

static void begin_counting(struct rdl_case *t)
{
    delivered = 0;
    rdl_connect(t, &port, .in = count_in);
    for (int i = 1; i <= 3; i++)
        rdl_send(&port, number, i);
}

RDL_EXPLORE(what_is_dropped_is_not_delivered)
{
    begin_counting(t);
    rdl_stream(t, rdl_sequence(rdl_drop(rdl_in(&port, rdl_any(number))), IN(2)));
    rdl_check_eq(delivered, 1);
}

static void take_one_only(void *it, const struct rdl_event *event)
{
    const struct number *given = event->data;

    (void)it;
    assert(given->n == 1);
}

RDL_EXPLORE(wrong_nothing_is_delivered_after_a_refusal)
{
    begin_counting(t);
    rdl_connect(t, &port, .in = take_one_only);
    rdl_stream(t, rdl_sequence(IN(1), IN(3)));
}

static bool is_three(const int *count)
{
    return *count == 3;
}

static bool is_none(const int *count)
{
    return *count == 0;
}

static const struct rdl_step *const released =
    rdl_sequence(rdl_unordered_at_end(IN(3), IN(2), IN(1)), rdl_inspect(is_three, &delivered));

RDL_EXPLORE(what_is_held_is_released_at_the_end)
{
    begin_counting(t);
    rdl_stream(t, released);
}

RDL_EXPLORE(wrong_inspection)
{
    begin_counting(t);
    rdl_stream(t, rdl_sequence(IN(1), rdl_inspect(is_none, &delivered), IN(2), IN(3)));
}

/* ---- Questions ------------------------------------------------------------------------------ */

static int ask(int n)
{
    struct number answer;

    rdl_ask(&port, answer, &answer, number, n);
    return answer.n;
}

static bool double_it(const struct number *request, struct number *out)
{
    out->n = 2 * request->n;
    return true;
}

#define DOUBLED rdl_answer(rdl_out(&port, rdl_any(number)), number, double_it, &port, answer)

static void ask_thrice(void *it)
{
    (void)it;
    for (int i = 0; i < 3; i++)
        assert(ask(i) == 2 * i);
}

RDL_EXPLORE(a_thread_asks)
{
    struct rdl_thread *thread;

    rdl_connect(t, &port);
    thread = rdl_spawn(t, "asker", ask_thrice, NULL);
    rdl_stream(t, rdl_repeat(3, DOUBLED));
    rdl_join(thread);
}

RDL_PROPERTY(a_free_thread_asks, .cases = 50)
{
    struct rdl_thread *thread;

    rdl_connect(t, &port);
    thread = rdl_spawn(t, "asker", ask_thrice, NULL);
    rdl_stream(t, rdl_repeat(3, DOUBLED));
    rdl_join(thread);
}

/* The component has no thread of its own: it is called by rdl_stream, and asks meanwhile. */
static void ask_while_called(void *it, const struct rdl_event *event)
{
    const struct number *given = event->data;

    (void)it;
    rdl_emit(&other, number, ask(given->n) + 1);
}

RDL_EXPLORE(who_is_called_may_ask)
{
    rdl_connect(t, &port);
    rdl_connect(t, &other, .in = ask_while_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&other, number, 20), DOUBLED,
                               rdl_expect(rdl_out(&other, rdl_is(number, 41)))));
}

RDL_EXPLORE(wrong_nobody_answers)
{
    rdl_connect(t, &port);
    rdl_connect(t, &other, .in = ask_while_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&other, number, 20),
                               rdl_expect(rdl_out(&port, rdl_any(number)))));
}

/* ---- Queues --------------------------------------------------------------------------------- */

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int items[16], count, taken;
};

static void put(struct queue *q, int n)
{
    pthread_mutex_lock(&q->lock);
    q->items[q->count++] = n;
    pthread_cond_signal(&q->filled);
    pthread_mutex_unlock(&q->lock);
}

static bool take(struct queue *q, struct number *out)
{
    pthread_mutex_lock(&q->lock);
    while (q->taken == q->count)
        pthread_cond_wait(&q->filled, &q->lock);
    out->n = q->items[q->taken++];
    pthread_mutex_unlock(&q->lock);
    return true;
}

static void put_and_double(void *it, const struct rdl_event *event)
{
    const struct number *given = event->data;

    put(it, 2 * given->n);
}

static void use_queue(struct rdl_case *t)
{
    static struct queue queue;

    queue = (struct queue){.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER};
    rdl_connect(t, &port, .in = put_and_double, .it = &queue);
    rdl_pump(t, &port, RDL_OUT, number, take, &queue);
    rdl_stream(t, rdl_sequence(rdl_trigger(&port, number, 1), rdl_trigger(&port, number, 2), OUT(2),
                               OUT(4), rdl_trigger(&port, number, 3), OUT(6)));
}

RDL_EXPLORE(events_come_out_of_a_queue)
{
    use_queue(t);
}

RDL_PROPERTY(events_come_freely_out_of_a_queue, .cases = 50)
{
    use_queue(t);
}

/* ---- Time ----------------------------------------------------------------------------------- */

static void emit_later(void *it)
{
    struct timespec second = {*(int *)it, 0};

    nanosleep(&second, NULL);
    rdl_emit(&port, number, 1);
}

static void run_late(struct rdl_case *t, int seconds, const struct rdl_step *spec)
{
    static int late;
    struct rdl_thread *thread;

    late = seconds;
    rdl_connect(t, &port);
    thread = rdl_spawn(t, "late", emit_later, &late);
    rdl_stream(t, spec);
    rdl_join(thread);
}

RDL_EXPLORE(in_time)
{
    run_late(t, 50, rdl_within(50001, OUT(1)));
}

RDL_EXPLORE(wrong_not_in_time)
{
    run_late(t, 50, rdl_within(49000, OUT(1)));
}

RDL_EXPLORE(wrong_much_too_late)
{
    run_late(t, 100, OUT(1));
}

RDL_EXPLORE(wrong_time_is_over_at_once)
{
    run_late(t, 1, rdl_within(0, OUT(1)));
}

/* ---- Sudden ends ---------------------------------------------------------------------------- */

static void fail_as(int n)
{
    volatile int zero = 0, *nowhere = NULL;

    if (n == 1)
        *nowhere = n;
    assert(n != 2);
    if (n == 3)
        exit(7);
    if (n == 4)
        abort();
    if (n == 5)
        zero = n / zero;
}

static void fail_when_called(void *it, const struct rdl_event *event)
{
    const struct number *given = event->data;

    (void)it;
    fail_as(given->n);
    rdl_emit(&port, number, 100);
}

static void fail_in_thread(void *it)
{
    rdl_emit(&port, number, 50);
    fail_as(*(int *)it);
    rdl_emit(&port, number, 51);
}

#define FAULT(kind, number) rdl_expect(rdl_out(&rdl_faults, rdl_is(fault, kind, number)))

RDL_EXPLORE(faults_of_who_is_called)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&port, number, 1), FAULT(RDL_FAULT_SIGNAL, SIGSEGV),
                               rdl_trigger(&port, number, 2), FAULT(RDL_FAULT_SIGNAL, SIGABRT),
                               rdl_trigger(&port, number, 3), FAULT(RDL_FAULT_EXIT, 7),
                               rdl_trigger(&port, number, 4), FAULT(RDL_FAULT_SIGNAL, SIGABRT),
                               rdl_trigger(&port, number, 5), FAULT(RDL_FAULT_SIGNAL, SIGFPE),
                               rdl_trigger(&port, number, 1), FAULT(RDL_FAULT_SIGNAL, SIGSEGV),
                               rdl_trigger(&port, number, 0), OUT(100)));
}

RDL_EXPLORE(faults_of_threads)
{
    for (int i = 1; i <= 5; i++) {
        struct rdl_thread *thread;

        rdl_connect(t, &port);
        rdl_connect(t, &rdl_faults);
        thread = rdl_spawn(t, "faulty", fail_in_thread, &i);
        rdl_stream(t, rdl_sequence(OUT(50), rdl_expect(rdl_out(&rdl_faults, rdl_any(fault)))));
        rdl_join(thread);
    }
}

/* What waits is not given to a component that has failed before. */
RDL_EXPLORE(wrong_fault_before_what_waits)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_send(&port, number, 2);
    rdl_send(&port, number, 0);
    rdl_stream(t, rdl_sequence(IN(2), IN(0), FAULT(RDL_FAULT_SIGNAL, SIGABRT)));
}

RDL_EXPLORE(wrong_other_fault)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&port, number, 1), FAULT(RDL_FAULT_SIGNAL, SIGABRT)));
}

RDL_EXPLORE(wrong_fault_that_nobody_asks_for)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&port, number, 1), OUT(100)));
}

RDL_EXPLORE(wrong_no_fault_comes)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_stream(
        t, rdl_sequence(rdl_trigger(&port, number, 0), OUT(100), FAULT(RDL_FAULT_SIGNAL, SIGSEGV)));
}

/* ---- Misuse and the rest -------------------------------------------------------------------- */

RDL_EXPLORE(wrong_not_connected)
{
    rdl_connect(t, &other);
    rdl_emit(&port, number, 1);
}

RDL_EXPLORE(wrong_nothing_takes_it)
{
    rdl_connect(t, &port);
    rdl_stream(t, rdl_trigger(&port, number, 1));
}

RDL_EXPLORE(wrong_spec)
{
    rdl_connect(t, &port);
    rdl_stream(t, rdl_sequence(OUT(1), rdl_allow(rdl_out(&port, rdl_any(number)))));
}

RDL_EXPLORE(a_branch_that_is_never_taken)
{
    rdl_connect(t, &port, .in = fail_when_called);
    rdl_stream(t, rdl_sequence(rdl_trigger(&port, number, 0), rdl_either(OUT(100), OUT(101))));
}

/* What comes is made up; the smallest stream that is wrong has one number, 8. */
RDL_EXPLORE(wrong_made_up)
{
    size_t count;
    int *numbers = rdl_ints(t, &count, .length = {0, 20}, .range = {0, 100});

    rdl_connect(t, &port);
    for (size_t i = 0; i < count; i++)
        rdl_emit(&port, number, numbers[i] < 8 ? 0 : numbers[i]);
    rdl_stream(t, rdl_sequence(rdl_star(OUT(0))));
}

RDL_MAIN
