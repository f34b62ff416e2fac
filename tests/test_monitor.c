/* test_monitor.c -- the monitor that a spec makes by itself: who waits, who goes first. */
#include <signal.h>

#include "explore.h"
#include "raddle/spec.h"
#include "raddle/threads.h"

static struct rdl_resource *resource;

/* ---- A lock, under every policy ----------------------------------------------------- */

struct lock {
    bool held;
};
struct urgency {
    int level;
};

static bool lock_cpre(const struct lock *s, const struct urgency *a)
{
    (void)a;
    return !s->held;
}

static void lock_post(struct lock *s, const struct urgency *a)
{
    (void)a;
    s->held = true;
}

static int64_t lock_priority(const struct urgency *a)
{
    return a->level;
}

static bool unlock_pre(const struct lock *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->held;
}

static void unlock_post(struct lock *s, const struct rdl_nothing *a)
{
    (void)a;
    s->held = false;
}

RDL_TYPES(lock, struct lock, void);
RDL_OP(lock, lock, struct urgency, .cpre = lock_cpre, .post = lock_post, .priority = lock_priority);
RDL_OP(lock, unlock, struct rdl_nothing, .pre = unlock_pre, .post = unlock_post);

/* Last come, first served.  It counts on being told of a call's end with the state before. */
struct stack {
    int depth;
    bool wrong;
};
struct place {
    int depth;
};

static void stack_waiting(struct stack *p, struct place *info, const struct rdl_call *call,
                          const struct lock *s)
{
    (void)s;
    if (strcmp(call->operation->name, "lock") == 0)
        info->depth = ++p->depth;
}

static bool stack_enabled(const struct stack *p, const struct place *info,
                          const struct rdl_call *call, const struct lock *s,
                          const struct rdl_queue *q)
{
    (void)call, (void)s, (void)q;
    return !p->wrong && (info->depth == 0 || info->depth == p->depth);
}

static void stack_post_waiting(struct stack *p, const struct place *info,
                               const struct rdl_call *call, const struct lock *s)
{
    (void)call;
    p->depth -= info->depth != 0;
    p->wrong |= s->held == (info->depth != 0);
}

RDL_POLICY(lock, last_first, struct stack, struct place, .waiting = stack_waiting,
           .enabled = stack_enabled, .post_waiting = stack_post_waiting);

#define LOCK_SPEC(name, policy_)                                                                   \
    typedef struct lock rdl_state_##name;                                                          \
    typedef void rdl_object_##name;                                                                \
    typedef struct rdl_nothing rdl_client_##name;                                                  \
    RDL_SPEC(name, RDL_OPS(lock, lock, unlock), .policy = policy_)

LOCK_SPEC(always, RDL_ALWAYS);
LOCK_SPEC(fifo, RDL_FIFO);
LOCK_SPEC(fifo_per_op, RDL_FIFO_PER_OP);
LOCK_SPEC(priority, RDL_PRIORITY);
LOCK_SPEC(last_first, rdl_policy(lock, last_first));

static void acquire(int level)
{
    rdl_resource_call(resource, "lock", &(struct urgency){level}, NULL);
}

static void release(void)
{
    rdl_resource_call(resource, "unlock", NULL, NULL);
}

static void *enter_and_say(void *argument)
{
    int level = (int)(intptr_t)argument;

    acquire(level);
    put(0, "%d", level);
    release();
    return NULL;
}

/* Some arrive, one after the other, while it is held. */
static void let_arrive(const struct rdl_spec *spec, int count, const int *levels)
{
    pthread_t threads[SLOTS];

    resource = rdl_resource_new(spec, &(struct lock){.held = true});
    for (int i = 0; i < count; i++) {
        pthread_create(&threads[i], NULL, enter_and_say, (void *)(intptr_t)levels[i]);
        rdl_until_quiet(NULL);
    }
    release();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    rdl_resource_free(resource);
}

#define ARRIVALS(name)                                                                             \
    static void arrivals_##name(void)                                                              \
    {                                                                                              \
        let_arrive(rdl_spec_##name, 3, (const int[]){1, 3, 2});                                    \
    }

ARRIVALS(always)
ARRIVALS(fifo)
ARRIVALS(fifo_per_op)
ARRIVALS(priority)
ARRIVALS(last_first)

TEST(without_a_policy_any_call_may_be_first)
{
    EXPECT_STR(outcomes_by_chance(arrivals_always, 3000, 0), "123 | 132 | 213 | 231 | 312 | 321");
}

TEST(first_come_first_served)
{
    EXPECT_STR(outcomes_of(arrivals_fifo_per_op), "132");
}

TEST(of_those_that_could_go_on_the_first_is_served)
{
    EXPECT_STR(outcomes_of(arrivals_fifo), "132");
}

TEST(the_most_urgent_call_is_first)
{
    EXPECT_STR(outcomes_of(arrivals_priority), "321");
}

TEST(a_policy_of_ones_own_is_told_of_arrivals_and_of_ends)
{
    EXPECT_STR(outcomes_of(arrivals_last_first), "231");
}

static int inside;

static void *enter_and_look(void *unused)
{
    acquire(0);
    inside++;
    rdl_yield();
    if (inside != 1)
        put(0, "crowded");
    inside--;
    release();
    return unused;
}

static void excluding(void)
{
    inside = 0;
    resource = rdl_resource_new(rdl_spec_always, NULL);
    together(2, enter_and_look, enter_and_look);
    rdl_resource_free(resource);
}

static void excluding_three(void)
{
    inside = 0;
    resource = rdl_resource_new(rdl_spec_fifo_per_op, NULL);
    together(3, enter_and_look, enter_and_look, enter_and_look);
    rdl_resource_free(resource);
}

TEST(one_at_a_time_in_every_schedule)
{
    EXPECT_STR(outcomes_of(excluding), "done");
    EXPECT_STR(outcomes_by_chance(excluding_three, 3000, RDL_SPURIOUS_WAKEUPS), "done");
}

static void *hold(void *unused)
{
    acquire(0);
    return unused;
}

static void never_released(void)
{
    resource = rdl_resource_new(rdl_spec_always, NULL);
    together(2, hold, hold);
}

TEST(who_is_never_let_on_waits_for_ever)
{
    EXPECT_STR(outcomes_of(never_released), "deadlock");
}

/* ---- A buffer ----------------------------------------------------------------------- */

enum { ROOM = 2 };

struct buffer {
    int count;
    int values[ROOM];
};
struct value {
    int is;
};

static bool put_cpre(const struct buffer *s, const struct value *a)
{
    (void)a;
    return s->count < ROOM;
}

static void put_post(struct buffer *s, const struct value *a)
{
    s->values[s->count++] = a->is;
}

static bool get_cpre(const struct buffer *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}

static void get_post(struct buffer *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = s->values[0];
    memmove(s->values, s->values + 1, (ROOM - 1) * sizeof(int));
    s->values[--s->count] = 0;
}

/* The last of them is possible whenever anything is. */
static bool any_post(struct buffer *s, const struct rdl_nothing *a, unsigned which, int *r)
{
    s->values[0] = 99; /* of no consequence if it is not possible */
    (void)a;
    *r = (int)which;
    s->count -= (int)which;
    return s->count == 0 && which > 0;
}

static bool guess_judge(struct buffer *s, const struct rdl_nothing *a, const int *r)
{
    (void)s, (void)a;
    return !r || *r > 0;
}

RDL_TYPES(buffer, struct buffer, void);
RDL_OP(buffer, put, struct value, .cpre = put_cpre, .post = put_post);
RDL_OP_RETURNS(buffer, get, struct rdl_nothing, int, .cpre = get_cpre, .post = get_post);
RDL_OP_RETURNS(buffer, clear, struct rdl_nothing, int, .alternatives = ROOM + 1,
               .post_any = any_post);
RDL_OP_RETURNS(buffer, guess, struct rdl_nothing, int, .judge = guess_judge);
RDL_SPEC(buffer, RDL_OPS(buffer, put, get, clear, guess), .policy = RDL_ALWAYS);

static void put_value(int value)
{
    rdl_resource_call(resource, "put", &(struct value){value}, NULL);
}

static int get_value(void)
{
    int value = -1;

    rdl_resource_call(resource, "get", NULL, &value);
    return value;
}

static void *produce(void *unused)
{
    for (int i = 1; i <= 3; i++)
        put_value(i);
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= 3; i++)
        put(0, "%d", get_value());
    return unused;
}

static void produce_and_consume(void)
{
    resource = rdl_resource_new(rdl_spec_buffer, NULL);
    together(2, produce, consume);
    rdl_resource_free(resource);
}

TEST(a_buffer_hands_on_values_in_their_order)
{
    EXPECT_STR(outcomes_of(produce_and_consume), "123");
}

static void *clear_it(void *unused)
{
    int cleared = -1;

    rdl_resource_call(resource, "clear", NULL, &cleared);
    put(0, "%d", cleared);
    return unused;
}

static void *put_one(void *unused)
{
    put_value(5);
    return unused;
}

static void clear_waits(void)
{
    resource = rdl_resource_new(rdl_spec_buffer, NULL);
    together(2, clear_it, put_one);
    rdl_resource_free(resource);
}

TEST(of_several_alternatives_the_first_possible_one_happens_and_without_one_the_call_waits)
{
    int value = -1;

    EXPECT_STR(outcomes_of(clear_waits), "1");
    resource = rdl_resource_new(rdl_spec_buffer, &(struct buffer){2, {7, 8}});
    EXPECT(rdl_resource_call(resource, "clear", NULL, &value));
    EXPECT_EQ(value, 2);
    rdl_resource_free(resource);
}

TEST(a_call_that_must_not_be_made_is_refused)
{
    resource = rdl_resource_new(rdl_spec_always, NULL);
    EXPECT(!rdl_resource_call(resource, "unlock", NULL, NULL));
    EXPECT(rdl_resource_call(resource, "lock", &(struct urgency){0}, NULL));
    EXPECT(rdl_resource_call(resource, "unlock", NULL, NULL));
    rdl_resource_free(resource);
    rdl_resource_free(NULL);
}

/* ---- Readers and writers ------------------------------------------------------------ */

struct room {
    int readers;
    bool writing;
};

static bool read_cpre(const struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    return !s->writing;
}

static void read_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers++;
}

static void after_read_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers--;
}

static bool write_cpre(const struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    return !s->writing && s->readers == 0;
}

static void write_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writing = true;
}

static void after_write_post(struct room *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writing = false;
}

RDL_TYPES(room, struct room, void);
RDL_OP(room, read, struct rdl_nothing, .cpre = read_cpre, .post = read_post);
RDL_OP(room, after_read, struct rdl_nothing, .post = after_read_post);
RDL_OP(room, write, struct rdl_nothing, .cpre = write_cpre, .post = write_post);
RDL_OP(room, after_write, struct rdl_nothing, .post = after_write_post);

#define ROOM_SPEC(name, first, second)                                                             \
    typedef struct room rdl_state_##name;                                                          \
    typedef void rdl_object_##name;                                                                \
    typedef struct rdl_nothing rdl_client_##name;                                                  \
    RDL_SPEC(name, RDL_OPS(room, read, after_read, write, after_write),                            \
             .policy = rdl_over(room, first, second))
ROOM_SPEC(writers_first, write, read);
ROOM_SPEC(readers_first, read, write);

static void do_it(const char *operation)
{
    rdl_resource_call(resource, operation, NULL, NULL);
}

static void *read_it(void *unused)
{
    do_it("read");
    put(0, "R");
    do_it("after_read");
    return unused;
}

static void *write_it(void *unused)
{
    do_it("write");
    put(0, "W");
    do_it("after_write");
    return unused;
}

/* A writer arrives, then a reader, while somebody reads or writes. */
static void arrive_during(const struct rdl_spec *spec, struct room state, const char *end)
{
    pthread_t writer, reader;

    resource = rdl_resource_new(spec, &state);
    pthread_create(&writer, NULL, write_it, NULL);
    rdl_until_quiet(NULL);
    pthread_create(&reader, NULL, read_it, NULL);
    rdl_until_quiet(NULL);
    put(0, ".");
    do_it(end);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    rdl_resource_free(resource);
}

static void writers_first_while_reading(void)
{
    arrive_during(rdl_spec_writers_first, (struct room){.readers = 1}, "after_read");
}

static void writers_first_while_writing(void)
{
    arrive_during(rdl_spec_writers_first, (struct room){.writing = true}, "after_write");
}

static void readers_first_while_reading(void)
{
    arrive_during(rdl_spec_readers_first, (struct room){.readers = 1}, "after_read");
}

static void readers_first_while_writing(void)
{
    arrive_during(rdl_spec_readers_first, (struct room){.writing = true}, "after_write");
}

TEST(one_operation_goes_before_another_even_while_it_cannot_go_on)
{
    EXPECT_STR(outcomes_of(writers_first_while_reading), ".WR");
    EXPECT_STR(outcomes_of(writers_first_while_writing), ".WR");
    EXPECT_STR(outcomes_of(readers_first_while_reading), "R.W");
    EXPECT_STR(outcomes_of(readers_first_while_writing), ".RW");
}

/* ---- Real threads ------------------------------------------------------------------- */

enum { THREADS = 4, TIMES = 1000 };

static long total;

static void *count_up(void *unused)
{
    for (int i = 0; i < TIMES; i++) {
        acquire(i % 3);
        total++;
        release();
    }
    return unused;
}

TEST(real_threads_exclude_each_other_under_every_policy)
{
    const struct rdl_spec *specs[] = {rdl_spec_always, rdl_spec_fifo_per_op, rdl_spec_priority,
                                      rdl_spec_last_first};

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        total = 0;
        resource = rdl_resource_new(specs[i], NULL);
        together(THREADS, count_up, count_up, count_up, count_up);
        EXPECT_EQ(total, THREADS * TIMES);
        rdl_resource_free(resource);
    }
}

static void *put_many(void *unused)
{
    for (int i = 1; i <= TIMES; i++)
        put_value(i);
    return unused;
}

static void *get_many(void *unused)
{
    for (int i = 1; i <= TIMES; i++)
        __atomic_fetch_add(&total, get_value(), __ATOMIC_RELAXED);
    return unused;
}

TEST(real_threads_hand_on_all_values)
{
    total = 0;
    resource = rdl_resource_new(rdl_spec_buffer, NULL);
    together(THREADS, put_many, get_many, put_many, get_many);
    EXPECT_EQ(total, 2L * TIMES * (TIMES + 1) / 2);
    rdl_resource_free(resource);
}

/* ---- Wrong calls -------------------------------------------------------------------- */

/* What somebody who calls it like this is told before the end. */
static const char *last_words(const char *operation)
{
    static char words[300];
    int ends[2], status;
    ssize_t size;
    pid_t child;

    EXPECT(pipe(ends) == 0);
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        rdl_resource_call(rdl_resource_new(rdl_spec_buffer, NULL), operation, NULL, NULL);
        _exit(0);
    }
    close(ends[1]);
    size = read(ends[0], words, sizeof words - 1);
    words[size > 0 ? size : 0] = '\0';
    close(ends[0]);
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    return words;
}

TEST(wrong_calls_end_the_program_with_a_message)
{
    EXPECT_CONTAINS(last_words("pet"), "the monitor of spec buffer: there is no operation pet\n");
    EXPECT_CONTAINS(last_words("put"), "operation put has arguments, but is called with NULL\n");
    EXPECT_CONTAINS(last_words("guess"), "operation guess has judge, which does not say");
}
