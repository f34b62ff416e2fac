/* clock.c -- the test clock, with the buffer of the paper that it comes from: one that takes a
 * line and gives characters. */
#include <pthread.h>
#include <raddle.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

enum { LINE = 2 };

static struct rdl_case *the_case;

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t sender, receiver;
    char contents[LINE];
    int length;
    bool backwards; /* a mistake that was made once */
};

static struct buffer buffer;

static void begin(struct rdl_case *t, bool backwards)
{
    the_case = t;
    buffer = (struct buffer){.lock = PTHREAD_MUTEX_INITIALIZER,
                             .sender = PTHREAD_COND_INITIALIZER,
                             .receiver = PTHREAD_COND_INITIALIZER,
                             .backwards = backwards};
}

static void send(const char *line)
{
    pthread_mutex_lock(&buffer.lock);
    while (buffer.length > 0)
        pthread_cond_wait(&buffer.sender, &buffer.lock);
    memcpy(buffer.contents, line, LINE);
    buffer.length = LINE;
    pthread_cond_signal(&buffer.receiver);
    pthread_mutex_unlock(&buffer.lock);
}

static char receive(void)
{
    char result;

    pthread_mutex_lock(&buffer.lock);
    while (buffer.length == 0)
        pthread_cond_wait(&buffer.receiver, &buffer.lock);
    result = buffer.contents[buffer.backwards ? buffer.length - 1 : LINE - buffer.length];
    if (--buffer.length == 0)
        pthread_cond_signal(&buffer.sender);
    pthread_mutex_unlock(&buffer.lock);
    return result;
}

static void produce(void *unused)
{
    (void)unused;
    rdl_await(the_case, 2);
    send("ab");
    rdl_await(the_case, 4);
    send("cd");
    rdl_await(the_case, 6);
}

static void consume(void *it)
{
    char *out = it;

    rdl_await(the_case, 1);
    *out++ = receive();
    rdl_await(the_case, 3);
    for (int time = 5; time <= 9; time += 2) {
        rdl_await(the_case, time);
        *out++ = receive();
    }
}

static void planned(struct rdl_case *t, bool backwards)
{
    char received[5] = "";
    struct rdl_thread *producer, *consumer;

    begin(t, backwards);
    producer = rdl_spawn(t, "producer", produce, NULL);
    consumer = rdl_spawn(t, "consumer", consume, received);
    rdl_join(producer);
    rdl_join(consumer);
    rdl_check_str(received, "abcd");
    rdl_check_eq(rdl_clock(t), 9);
}

RDL_SCHEDULE(the_planned_sequence)
{
    planned(t, false);
}

RDL_SCHEDULE(the_planned_sequence_free, .free_threads = true, .cases = 300)
{
    planned(t, false);
}

/* Whatever else is explored, calls come in the order of their times. */
RDL_EXPLORE(the_planned_sequence_in_all_schedules, .cases = 1000)
{
    planned(t, false);
}

RDL_SCHEDULE(wrong_backwards)
{
    planned(t, true);
}

RDL_SCHEDULE(wrong_backwards_free, .free_threads = true)
{
    planned(t, true);
}

/* ---- Late ----------------------------------------------------------------------------------- */

static void wait_for_a_line(void *unused)
{
    (void)unused;
    rdl_await(the_case, 1);
    receive();
    rdl_await(the_case, 2); /* there is none before 3 */
}

static void send_at_three(void *unused)
{
    (void)unused;
    rdl_await(the_case, 3);
    send("ab");
}

static void too_late(struct rdl_case *t)
{
    struct rdl_thread *one, *two;

    begin(t, false);
    one = rdl_spawn(t, "receiver", wait_for_a_line, NULL);
    two = rdl_spawn(t, "sender", send_at_three, NULL);
    rdl_join(one);
    rdl_join(two);
}

RDL_SCHEDULE(wrong_late)
{
    too_late(t);
}

RDL_SCHEDULE(wrong_late_free, .free_threads = true)
{
    too_late(t);
}

/* ---- Who is waited for ---------------------------------------------------------------------- */

static void *add_two(void *it)
{
    int *sum = it;

    for (volatile int i = 0; i < 1000000; i++)
        continue;
    *sum += 2;
    return NULL;
}

static void work_at_one(void *it)
{
    pthread_t helper;

    rdl_await(the_case, 1);
    pthread_create(&helper, NULL, add_two, it);
    pthread_detach(helper);
}

/* Threads that the code under test has made itself are waited for, too. */
static void threads_of_others(struct rdl_case *t)
{
    struct rdl_thread *worker;
    int sum = 0;

    the_case = t;
    worker = rdl_spawn(t, "worker", work_at_one, &sum);
    rdl_await(t, 2);
    rdl_check_eq(sum, 2);
    rdl_join(worker);
}

RDL_SCHEDULE(threads_of_others_are_waited_for)
{
    threads_of_others(t);
}

RDL_SCHEDULE(threads_of_others_are_waited_for_free, .free_threads = true, .cases = 100)
{
    threads_of_others(t);
}

static int add_two_by_c11(void *it)
{
    add_two(it);
    return 2;
}

/* Also those that were made before anybody asked for the time, and those of C11. */
static void threads_made_before(struct rdl_case *t)
{
    int sums[2] = {0, 0}, result;
    pthread_t posix;
    thrd_t c11;

    pthread_create(&posix, NULL, add_two, &sums[0]);
    thrd_create(&c11, add_two_by_c11, &sums[1]);
    rdl_await(t, 1);
    rdl_check_eq(sums[0] + sums[1], 4);
    pthread_join(posix, NULL);
    thrd_join(c11, &result);
    rdl_check_eq(result, 2);
}

RDL_SCHEDULE(threads_made_before_are_waited_for)
{
    threads_made_before(t);
}

RDL_SCHEDULE(threads_made_before_are_waited_for_free, .free_threads = true, .cases = 100)
{
    threads_made_before(t);
}

static void sleep_at_one(void *it)
{
    rdl_await(the_case, 1);
    usleep(2000);
    *(int *)it = 1;
}

static void sleepers(struct rdl_case *t)
{
    struct rdl_thread *sleeper;
    int woken = 0;

    the_case = t;
    sleeper = rdl_spawn(t, "sleeper", sleep_at_one, &woken);
    rdl_await(t, 2);
    rdl_check_eq(woken, 1);
    rdl_join(sleeper);
}

RDL_SCHEDULE(sleepers_are_waited_for)
{
    sleepers(t);
}

RDL_SCHEDULE(sleepers_are_waited_for_free, .free_threads = true, .cases = 10)
{
    sleepers(t);
}

static volatile bool over;

static void poll_until_over(void *unused)
{
    (void)unused;
    while (!over)
        usleep(100);
}

/* One that never stops asking does not stop the clock where time is virtual. */
RDL_SCHEDULE(who_asks_again_and_again_only_waits)
{
    struct rdl_thread *poller;

    over = false;
    poller = rdl_spawn(t, "poller", poll_until_over, NULL);
    rdl_await(t, 1);
    over = true;
    rdl_join(poller);
}

/* ---- Ticks of the test's own --------------------------------------------------------------- */

static void __attribute__((noinline)) do_step(int *steps)
{
    ++*steps;
}

static void do_three_steps(void *it)
{
    int steps = 0;

    while (steps < 3)
        do_step(&steps);
    *(int *)it = rdl_clock(the_case);
}

/* The clock goes on while the thread that comes to a place is busy: it would stand still else. */
static void ticks_at_a_place(struct rdl_case *t)
{
    struct rdl_thread *worker;
    int shown = -1;

    the_case = t;
    rdl_at(t, "do_step", .tick = true, .hit = 2);
    worker = rdl_spawn(t, "worker", do_three_steps, &shown);
    rdl_await(t, 5);
    rdl_check_eq(shown, 2);
    rdl_join(worker);
    rdl_tick(t);
    rdl_check_eq(rdl_clock(t), 6);
}

RDL_SCHEDULE(ticks_at_places)
{
    ticks_at_a_place(t);
}

RDL_SCHEDULE(ticks_at_places_free, .free_threads = true, .cases = 100)
{
    ticks_at_a_place(t);
}

RDL_SCHEDULE(the_present_is_not_waited_for)
{
    rdl_await(t, 0);
    rdl_await(t, 0);
    rdl_await(t, 1000000);
    rdl_check_eq(rdl_clock(t), 1000000);
}

RDL_MAIN
