/* gates.c -- gates in code that does not know of them, for test_gates.  Tests whose names begin
 * with wrong_ are to fail. */
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A buffer that is cut while it is appended to another ----------------------------------- */

struct buffer {
    pthread_mutex_t lock;
    char bytes[32];
    int length;
};

static struct buffer source, target;

static void begin(void)
{
    source = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER, .bytes = "abcdef", .length = 6};
    target = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER};
}

__attribute__((noinline)) static int buffer_length(struct buffer *buffer)
{
    int length;

    pthread_mutex_lock(&buffer->lock);
    length = buffer->length;
    pthread_mutex_unlock(&buffer->lock);
    return length;
}

__attribute__((noinline)) static int buffer_copy(struct buffer *buffer, char *out, int count)
{
    int copied;

    pthread_mutex_lock(&buffer->lock);
    copied = count <= buffer->length ? count : -1;
    for (int i = 0; i < copied; i++)
        out[i] = buffer->bytes[i];
    pthread_mutex_unlock(&buffer->lock);
    return copied;
}

__attribute__((noinline)) static void buffer_truncate(struct buffer *buffer, int length)
{
    pthread_mutex_lock(&buffer->lock);
    buffer->length = length;
    pthread_mutex_unlock(&buffer->lock);
}

__attribute__((noinline)) static bool buffer_append(struct buffer *to, struct buffer *from)
{
    int count = buffer_length(from);
    int copied = buffer_copy(from, to->bytes + to->length, count);

    if (copied != count)
        return false;
    to->length += copied;
    return true;
}

static bool appended;

static void append_all(void *unused)
{
    (void)unused;
    appended = buffer_append(&target, &source);
}

static void cut(void *unused)
{
    (void)unused;
    buffer_truncate(&source, 3);
}

static void stale_length(struct rdl_case *t)
{
    struct rdl_gate *measured;
    struct rdl_thread *appender;

    begin();
    measured = rdl_gate_at(t, "buffer_append:/int copied =/", .thread = "appender");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    rdl_gate_reached(measured);
    buffer_truncate(&source, 3);
    rdl_gate_open(measured);
    rdl_join(appender);
    rdl_check(appended);
}

RDL_SCHEDULE(wrong_stale_length)
{
    stale_length(t);
}

RDL_SCHEDULE(wrong_stale_length_free, .free_threads = true)
{
    stale_length(t);
}

static void stale_length_by_order(struct rdl_case *t)
{
    struct rdl_thread *appender, *cutter;

    begin();
    rdl_order(t, "appender:buffer_length:return -> cutter:buffer_truncate,"
                 "[cutter ended] -> appender:buffer_copy");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    rdl_join(appender);
    rdl_join(cutter);
    rdl_check(appended);
}

RDL_SCHEDULE(wrong_stale_length_by_order)
{
    stale_length_by_order(t);
}

RDL_SCHEDULE(wrong_stale_length_by_order_free, .free_threads = true)
{
    stale_length_by_order(t);
}

static void all_orders(struct rdl_case *t)
{
    struct rdl_thread *appender, *cutter;

    begin();
    rdl_any_order(t, "appender:buffer_length", "appender:buffer_copy", "cutter:buffer_truncate");
    appender = rdl_spawn(t, "appender", append_all, NULL);
    cutter = rdl_spawn(t, "cutter", cut, NULL);
    rdl_join(appender);
    rdl_join(cutter);
    rdl_label(t, "%s", appended ? target.length == 6 ? "all" : "part" : "nothing");
}

RDL_SCHEDULE(all_orders_of_three)
{
    all_orders(t);
}

RDL_SCHEDULE(all_orders_of_three_free, .free_threads = true)
{
    all_orders(t);
}

/* ---- Orders that cannot be ------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int steps;

__attribute__((noinline)) static void in_the_lock(int who)
{
    steps = 10 * steps + who;
}

static void lock_and_step(void *it)
{
    pthread_mutex_lock(&lock);
    in_the_lock(*(int *)it);
    pthread_mutex_unlock(&lock);
}

static void two_in_order(struct rdl_case *t, const char *order)
{
    static int one = 1, two = 2;
    struct rdl_thread *first, *second;

    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    steps = 0;
    rdl_order(t, order);
    first = rdl_spawn(t, "first", lock_and_step, &one);
    second = rdl_spawn(t, "second", lock_and_step, &two);
    rdl_join(first);
    rdl_join(second);
}

RDL_SCHEDULE(second_goes_first)
{
    two_in_order(t, "second:in_the_lock -> first:lock_and_step");
    rdl_check_eq(steps, 21);
}

RDL_SCHEDULE(second_goes_first_free, .free_threads = true, .cases = 100)
{
    two_in_order(t, "second:in_the_lock -> first:lock_and_step");
    rdl_check_eq(steps, 21);
}

/* The first comes to the lock, and the second has it. */
RDL_SCHEDULE(first_is_blocked)
{
    two_in_order(t, "second:in_the_lock -> first:lock_and_step, [first blocked] -> "
                    "second:lock_and_step:/unlock/");
    rdl_check_eq(steps, 21);
}

RDL_SCHEDULE(first_is_blocked_free, .free_threads = true, .cases = 100)
{
    two_in_order(t, "second:in_the_lock -> first:lock_and_step, [first blocked] -> "
                    "second:lock_and_step:/unlock/");
    rdl_check_eq(steps, 21);
}

/* The first has the lock, and is not to go on before the second has had it. */
#define INFEASIBLE                                                                                 \
    "first:in_the_lock:return -> second:lock_and_step, second:in_the_lock -> "                     \
    "first:lock_and_step:/unlock/"

RDL_SCHEDULE(wrong_infeasible)
{
    two_in_order(t, INFEASIBLE);
}

RDL_SCHEDULE(wrong_infeasible_free, .free_threads = true)
{
    two_in_order(t, INFEASIBLE);
}

RDL_SCHEDULE(wrong_never_comes)
{
    two_in_order(t, "third:in_the_lock -> first:lock_and_step");
}

RDL_SCHEDULE(wrong_comes_once)
{
    two_in_order(t, "first:in_the_lock#2 -> second:lock_and_step");
}

RDL_SCHEDULE(wrong_comes_once_free, .free_threads = true)
{
    two_in_order(t, "first:in_the_lock#2 -> second:lock_and_step");
}

RDL_SCHEDULE(blanks_in_an_order)
{
    two_in_order(t, " second : in_the_lock  ->  first :  lock_and_step ");
}

RDL_SCHEDULE(wrong_not_kept)
{
    two_in_order(t, "first:in_the_lock -> third:in_the_lock");
}

/* ---- Gates by hand -------------------------------------------------------------------------- */

static struct rdl_gate *gate;
static int passed;

static void pass(void *unused)
{
    (void)unused;
    rdl_gate_wait(gate);
    __atomic_fetch_add(&passed, 1, __ATOMIC_SEQ_CST);
}

static void tokens(struct rdl_case *t)
{
    struct rdl_thread *threads[3];

    passed = 0;
    gate = rdl_gate(t, "turnstile");
    rdl_check(gate == rdl_gate(t, "turnstile"));
    rdl_gate_open(gate); /* before anybody is there */
    for (int i = 0; i < 3; i++)
        threads[i] = rdl_spawn(t, "walker", pass, NULL);
    rdl_check_eq(rdl_until_quiet(t), 2);
    rdl_check_eq(passed, 1);
    rdl_gate_open(gate);
    rdl_check_eq(rdl_until_quiet(t), 1);
    rdl_check_eq(passed, 2);
    rdl_gate_open_for_all(gate);
    for (int i = 0; i < 3; i++)
        rdl_join(threads[i]);
    pass(NULL);
    rdl_gate_close(gate);
    threads[0] = rdl_spawn(t, "late", pass, NULL);
    rdl_check_eq(rdl_until_quiet(t), 1);
    rdl_gate_open(gate);
    rdl_join(threads[0]);
    rdl_check_eq(passed, 5);
    for (int i = 0; i < 5; i++)
        rdl_gate_reached(gate);
    rdl_check(!rdl_gate_is_reached(gate));
}

RDL_SCHEDULE(tokens_are_kept)
{
    tokens(t);
}

RDL_SCHEDULE(tokens_are_kept_free, .free_threads = true, .cases = 50)
{
    tokens(t);
}

RDL_SCHEDULE(wrong_nobody_comes)
{
    rdl_gate_reached(rdl_gate(t, "deserted"));
}

RDL_SCHEDULE(wrong_nobody_comes_free, .free_threads = true)
{
    rdl_gate_reached(rdl_gate(t, "deserted"));
}

/* ---- What is there -------------------------------------------------------------------------- */

struct item {
    int id;
    struct {
        short low, high;
    } limits[2];
};

__attribute__((noinline)) static int add_up(const struct item *items, int count)
{
    int sum = 0;

    __asm__ volatile("" : "+r"(items), "+r"(count) : : "memory"); /* nobody knows what it does */
    for (int i = 0; i < count; i++)
        sum += items[i].id;
    return sum;
}

static int seen[4], seen_count;

static bool is_seven(struct rdl_hit *hit, void *it)
{
    rdl_check(it == &seen_count);
    return rdl_hit_value(hit, "items->id", int) == 7;
}

static void note(struct rdl_hit *hit, void *it)
{
    (void)it;
    rdl_check_str(rdl_hit_function(hit), "add_up");
    rdl_check_str(rdl_hit_thread(hit), "main");
    seen[seen_count++] = rdl_hit_value(hit, "items->limits[1].high", short);
}

static void more(struct rdl_hit *hit, void *it)
{
    int one = 1;

    (void)it;
    rdl_check(rdl_hit_write(hit, "count", &one, sizeof one));
    rdl_check(!rdl_hit_read(hit, "nothing", &one, sizeof one));
}

RDL_SCHEDULE(variables_are_read_and_written)
{
    struct item items[2] = {{3, {{0, 0}, {0, 30}}}, {7, {{0, 0}, {0, 70}}}};

    seen_count = 0;
    rdl_at(t, "add_up", .when = is_seven, .call = note, .it = &seen_count);
    rdl_check_eq(add_up(items, 2), 10);
    rdl_check_eq(seen_count, 0);
    rdl_check_eq(add_up(items + 1, 1), 7);
    rdl_check_eq(seen_count, 1);
    rdl_check_eq(seen[0], 70);
    rdl_at(t, "add_up", .hit = 2, .hits = 1, .call = more);
    rdl_check_eq(add_up(items, 2), 10);
    rdl_check_eq(add_up(items, 2), 3); /* there is only one item, it thinks */
    rdl_check_eq(add_up(items, 2), 10);
}

static void ask_for_too_much(struct rdl_hit *hit, void *it)
{
    (void)it;
    (void)rdl_hit_value(hit, "cuont", int);
}

static void ask_for_another_type(struct rdl_hit *hit, void *it)
{
    (void)it;
    (void)rdl_hit_value(hit, "count", float);
}

RDL_SCHEDULE(wrong_type)
{
    rdl_at(t, "add_up", .call = ask_for_another_type);
    add_up(NULL, 0);
}

RDL_SCHEDULE(wrong_name)
{
    rdl_at(t, "add_up", .call = ask_for_too_much);
    add_up(NULL, 0);
}

/* ---- Each line, one at a time --------------------------------------------------------------- */

static volatile int balance;

__attribute__((noinline)) static void add_one(void)
{
    int before = balance;

    balance = before + 1;
}

static void add_one_more(void *unused)
{
    (void)unused;
    add_one();
}

static void stop_at_each_line(struct rdl_case *t)
{
    struct rdl_gate *stop = rdl_gate_at_each_line(t, "add_one", .thread = "stopped");
    struct rdl_thread *stopped, *other;
    bool was_stopped;

    balance = 0;
    stopped = rdl_spawn(t, "stopped", add_one_more, NULL);
    was_stopped = rdl_gate_is_reached(stop);
    other = rdl_spawn(t, "other", add_one_more, NULL);
    rdl_join(other);
    rdl_gate_open_for_all(stop);
    rdl_join(stopped);
    rdl_label(t, "%s%d", was_stopped ? "" : "not stopped, ", balance);
}

RDL_SCHEDULE(each_line_in_turn)
{
    stop_at_each_line(t);
}

RDL_SCHEDULE(each_line_in_turn_free, .free_threads = true)
{
    stop_at_each_line(t);
}

RDL_EXPLORE(one_at_a_time, .cases = 200)
{
    struct rdl_thread *first, *second;

    balance = 0;
    rdl_one_at_a_time(t, "add_one", "add_one:return");
    first = rdl_spawn(t, "first", add_one_more, NULL);
    second = rdl_spawn(t, "second", add_one_more, NULL);
    rdl_join(first);
    rdl_join(second);
    rdl_check_eq(balance, 2);
}

/* ---- Places and orders that are none -------------------------------------------------------- */

RDL_SCHEDULE(wrong_place)
{
    rdl_gate_at(t, "ad_one");
}

RDL_SCHEDULE(wrong_place_with_a_sign)
{
    rdl_gate_at(t, "ad_one:/!balance/"); /* which is no library */
    rdl_check(false);
}

RDL_SCHEDULE(wrong_no_place)
{
    rdl_at(t, NULL);
}

static int numbers[2];

__attribute__((noinline)) static void set_number(void *it)
{
    int i = *(const int *)it;

    numbers[i] = numbers[1 - i] + 1;
}

static void order_with_brackets(struct rdl_case *t)
{
    struct rdl_thread *first, *second;

    numbers[0] = numbers[1] = 0;
    rdl_order(t, "[first at set_number:/numbers[i] =/] -> second:set_number,"
                 "[second ended] -> first:set_number:/numbers[i] =/");
    first = rdl_spawn(t, "first", set_number, &(int){0});
    second = rdl_spawn(t, "second", set_number, &(int){1});
    rdl_join(first);
    rdl_join(second);
    rdl_check_eq(numbers[0], 2);
}

RDL_SCHEDULE(a_text_with_brackets)
{
    order_with_brackets(t);
}

RDL_SCHEDULE(a_text_with_brackets_free, .free_threads = true)
{
    order_with_brackets(t);
}

RDL_SCHEDULE(wrong_place_of_several)
{
    rdl_order(t, "first:add_one -> second:add_one, first:add_one -> second:ad_one");
}

RDL_SCHEDULE(wrong_place_of_a_library)
{
    rdl_gate_at(t, "libc.so.6!frintf");
}

RDL_SCHEDULE(wrong_number)
{
    rdl_order(t, "first:add_one#-1 -> second:add_one");
}

RDL_SCHEDULE(wrong_brackets)
{
    rdl_order(t, "[[first ended] ended] -> second:add_one");
}

RDL_SCHEDULE(wrong_event_of_any_order)
{
    rdl_any_order(t, "[first blocked]", "second:add_one");
}

/* Nobody is called third. */
static void wait_for_nobody(struct rdl_case *t)
{
    struct rdl_thread *first;

    rdl_order(t, "[third ended] -> first:add_one");
    first = rdl_spawn(t, "first", add_one_more, NULL);
    rdl_join(first);
}

RDL_SCHEDULE(wrong_thread)
{
    wait_for_nobody(t);
}

RDL_SCHEDULE(wrong_thread_free, .free_threads = true)
{
    wait_for_nobody(t);
}

/* A gate of an earlier case. */
RDL_PROPERTY(wrong_old_gate, .cases = 2)
{
    static struct rdl_gate *kept;

    if (kept)
        rdl_gate_open(kept);
    kept = rdl_gate(t, "gate");
}

RDL_SCHEDULE(wrong_left_at_a_gate)
{
    struct rdl_gate *kept = rdl_gate_at(t, "add_one");

    rdl_spawn(t, "first", add_one_more, NULL);
    rdl_gate_reached(kept);
}

RDL_SCHEDULE(wrong_left_at_a_gate_free, .free_threads = true)
{
    struct rdl_gate *kept = rdl_gate_at(t, "add_one");

    rdl_spawn(t, "first", add_one_more, NULL);
    rdl_gate_reached(kept);
}

RDL_SCHEDULE(wrong_order)
{
    rdl_order(t, "first:add_one second:add_one");
}

RDL_SCHEDULE(wrong_text_without_end)
{
    rdl_order(t, "first:add_one:/balance -> second:add_one");
}

RDL_SCHEDULE(wrong_mixture)
{
    rdl_order(t, "first:add_one && second:add_one || third:add_one -> fourth:add_one");
}

RDL_SCHEDULE(wrong_circle)
{
    rdl_order(t, "first:add_one -> second:add_one -> first:add_one");
}

/* ---- Who takes long, and who is left -------------------------------------------------------- */

__attribute__((noinline)) static void arrive(int *count)
{
    (*count)++;
}

static void sleep_and_arrive(void *it)
{
    for (int i = 0; i < 100; i++)
        usleep(10);
    arrive(it);
}

RDL_SCHEDULE(who_sleeps_may_still_come)
{
    struct rdl_gate *arrival = rdl_gate_at(t, "arrive");
    int count = 0;
    struct rdl_thread *sleeper = rdl_spawn(t, "sleeper", sleep_and_arrive, &count);

    rdl_check(rdl_gate_is_reached(arrival));
    rdl_gate_open(arrival);
    rdl_join(sleeper);
}

/* Were it let go on, it would do so with what is gone. */
RDL_SCHEDULE(wrong_check_while_one_is_held, .free_threads = true)
{
    struct rdl_gate *arrival = rdl_gate_at(t, "arrive");
    int *count = malloc(sizeof *count);

    rdl_spawn(t, "held", sleep_and_arrive, count);
    rdl_gate_reached(arrival);
    free(count);
    rdl_check(!arrival);
}

/* It has few lines, but as far as debugging information knows they are far apart. */
#line 2000
__attribute__((noinline)) static void add_one_at_length(void)
{
    balance++;
#line 2270
    balance++;
}

RDL_SCHEDULE(wrong_length)
{
    rdl_gate_at_each_line(t, "add_one_at_length");
    add_one_at_length();
}

RDL_MAIN
