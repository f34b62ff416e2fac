/* streams.c -- components and streams of their events, for test_drive_stream.  Tests whose names
 * begin with wrong_ are to fail. */
#include <raddle.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

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

/* ---- Threads that the component makes itself ------------------------------------------------ */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opens = PTHREAD_COND_INITIALIZER;
static bool is_open, is_to_end;

static void *emit_when_open(void *unused)
{
    pthread_mutex_lock(&gate);
    while (!is_open)
        pthread_cond_wait(&gate_opens, &gate);
    pthread_mutex_unlock(&gate);
    rdl_emit(&port, number, 7);
    return unused;
}

static void open_gate(void *it, const struct rdl_event *event)
{
    (void)it, (void)event;
    pthread_mutex_lock(&gate);
    is_open = true;
    pthread_cond_signal(&gate_opens);
    pthread_mutex_unlock(&gate);
}

static void with_a_thread_of_its_own(struct rdl_case *t, const struct rdl_step *spec)
{
    pthread_t thread;

    is_open = false;
    rdl_connect(t, &port, .in = open_gate);
    pthread_create(&thread, NULL, emit_when_open, NULL);
    rdl_stream(t, spec);
    pthread_join(thread, NULL);
}

RDL_PROPERTY(threads_of_the_component, .cases = 100)
{
    with_a_thread_of_its_own(t, rdl_sequence(rdl_trigger(&port, number, 1), OUT(7)));
}

/* The event that has no place comes after all that is expected. */
RDL_PROPERTY(wrong_threads_of_the_component, .cases = 100)
{
    with_a_thread_of_its_own(t, rdl_trigger(&port, number, 1));
}

static void *tick(void *unused)
{
    struct timespec pause = {.tv_nsec = 1000000};

    for (bool ends = false; !ends;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&gate);
        ends = is_to_end;
        pthread_mutex_unlock(&gate);
    }
    return unused;
}

/* It is never at rest; and yet the stream is right. */
RDL_PROPERTY(a_thread_that_sleeps_again_and_again, .cases = 2)
{
    pthread_t ticker;

    is_to_end = false;
    rdl_connect(t, &port);
    pthread_create(&ticker, NULL, tick, NULL);
    rdl_emit(&port, number, 1);
    rdl_stream(t, OUT(1), .deadline_ms = 100);
    pthread_mutex_lock(&gate);
    is_to_end = true;
    pthread_mutex_unlock(&gate);
    pthread_join(ticker, NULL);
}

/* What a component needs stopped, even if the stream is wrong, is deferred. */
struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work;
    int left;
    bool ends;
};

static void *work(void *it)
{
    struct worker *worker = it;

    pthread_mutex_lock(&worker->lock);
    while (!worker->ends) {
        while (worker->left-- > 0)
            rdl_emit(&port, number, 5);
        pthread_cond_wait(&worker->work, &worker->lock);
    }
    pthread_mutex_unlock(&worker->lock);
    return NULL;
}

static void stop_worker(void *it)
{
    struct worker *worker = it;

    pthread_mutex_lock(&worker->lock);
    worker->ends = true;
    pthread_cond_signal(&worker->work);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
}

static void with_a_worker(struct rdl_case *t, const struct rdl_step *spec)
{
    struct worker *worker = rdl_new(t, struct worker);

    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->work, NULL);
    worker->left = 2;
    rdl_connect(t, &port);
    pthread_create(&worker->thread, NULL, work, worker);
    rdl_defer(t, stop_worker, worker);
    rdl_stream(t, spec);
}

RDL_EXPLORE(a_worker_is_stopped, .cases = 100)
{
    with_a_worker(t, rdl_repeat(2, OUT(5)));
}

RDL_EXPLORE(wrong_worker_is_stopped)
{
    with_a_worker(t, OUT(5));
}

/* ---- Whose answer it is --------------------------------------------------------------------- */

static bool twice(const struct number *request, struct number *out)
{
    out->n = 2 * request->n;
    return true;
}

static void ask_for_twice(void *it)
{
    int n = *(int *)it;
    struct number out;

    rdl_ask(&other, answer, &out, number, n);
    rdl_emit(&port, number, out.n == 2 * n);
}

static void two_ask(struct rdl_case *t, const struct rdl_step *spec)
{
    static int one = 1, two = 2;
    struct rdl_thread *first, *second;

    rdl_connect(t, &port);
    rdl_connect(t, &other);
    first = rdl_spawn(t, "first", ask_for_twice, &one);
    second = rdl_spawn(t, "second", ask_for_twice, &two);
    rdl_stream(t, spec);
    rdl_join(first);
    rdl_join(second);
}

#define TWICE(n) rdl_answer(rdl_out(&other, rdl_is(number, n)), number, twice, &other, answer)

RDL_EXPLORE(who_asks_gets_his_answer, .cases = 500)
{
    two_ask(t, rdl_unordered(TWICE(1), TWICE(2), OUT(1), OUT(1)));
}

RDL_PROPERTY(who_asks_gets_his_answer_free, .cases = 200)
{
    two_ask(t, rdl_unordered(TWICE(1), TWICE(2), OUT(1), OUT(1)));
}

RDL_EXPLORE(who_asks_gets_his_answer_at_the_end, .cases = 500)
{
    two_ask(t, rdl_sequence(rdl_unordered_at_end(TWICE(1), TWICE(2)), rdl_repeat(2, OUT(1))));
}

/* ---- What is not certain -------------------------------------------------------------------- */

static bool is_at_least_one(const struct number *it)
{
    return it->n >= 1;
}

static bool is_at_most_two(const struct number *it)
{
    return it->n <= 2;
}

/* Which predicates hold is known when an event has come. */
RDL_EXPLORE(wrong_two_predicates)
{
    rdl_connect(t, &port, .in = count_in);
    rdl_emit(&port, number, 1);
    rdl_stream(t,
               rdl_either(rdl_sequence(rdl_expect(rdl_out(&port, rdl_if(number, is_at_least_one))),
                                       rdl_trigger(&port, number, 10)),
                          rdl_sequence(rdl_expect(rdl_out(&port, rdl_if(number, is_at_most_two))),
                                       rdl_trigger(&port, number, 20))));
}

RDL_EXPLORE(a_branch_that_begins_with_an_action)
{
    rdl_connect(t, &port, .in = count_in);
    rdl_stream(t, rdl_either(rdl_trigger(&port, number, 10), OUT(1)));
}

static void emit_after_100_ms(void *unused)
{
    struct timespec pause = {.tv_nsec = 100000000};

    (void)unused;
    for (int i = 1; i <= 2; i++) {
        nanosleep(&pause, NULL);
        rdl_emit(&port, number, i);
    }
}

static void in_time(struct rdl_case *t, const struct rdl_step *spec)
{
    struct rdl_thread *thread;

    rdl_connect(t, &port);
    thread = rdl_spawn(t, "slow", emit_after_100_ms, NULL);
    rdl_stream(t, spec);
    rdl_join(thread);
}

RDL_EXPLORE(just_in_time)
{
    in_time(t, rdl_sequence(rdl_within(100, OUT(1)), rdl_within(100, OUT(2))));
}

RDL_EXPLORE(wrong_just_too_late)
{
    in_time(t, rdl_sequence(rdl_within(100, OUT(1)), rdl_within(99.99, OUT(2))));
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

RDL_EXPLORE(wrong_no_spec)
{
    rdl_connect(t, &port);
    rdl_stream(t, NULL);
}

RDL_EXPLORE(wrong_deadline)
{
    rdl_connect(t, &port);
    rdl_stream(t, OUT(1), .deadline_ms = -1);
}

RDL_EXPLORE(wrong_size)
{
    rdl_connect(t, &port);
    rdl_post(&port, RDL_OUT, rdl_type(number), &(struct number){1}, 2);
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
