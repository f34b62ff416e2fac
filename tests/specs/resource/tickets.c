/* tickets.c -- tickets: one spec, and a test of each kind of them.
 *
 * tests/test_drive_resource.c says what is to come of each.  How many threads the process
 * has, and how much memory, goes to the file that $RECORD names, at the beginning of each
 * case. */
#include <fcntl.h>
#include <raddle.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "things.h"

static struct {
    long cases, threads, pages;
} * record;

__attribute__((constructor)) static void open_record(void)
{
    const char *path = getenv("RECORD");
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;

    if (file < 0 || ftruncate(file, sizeof *record) < 0)
        return;
    record = mmap(NULL, sizeof *record, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
}

static long pages_of_process(void)
{
    long all = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%ld %ld", &all, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident;
}

static void keep_record(void)
{
    struct stat tasks;
    long pages;

    if (!record || stat("/proc/self/task", &tasks) < 0)
        return;
    pages = record->cases++ % 64 == 0 ? pages_of_process() : 0;
    if ((long)tasks.st_nlink - 2 > record->threads)
        record->threads = (long)tasks.st_nlink - 2;
    if (pages > record->pages)
        record->pages = pages;
}

/* ---- The spec -------------------------------------------------------------------------- */

struct state {
    int count;
};

static void give_post(struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    s->count++;
}

static void give_call(struct tickets *o, const struct rdl_nothing *a)
{
    (void)a;
    tickets_give(o);
}

static bool take_cpre(const struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->count > 0;
}

static void take_post(struct state *s, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = --s->count;
}

static void take_call(struct tickets *o, const struct rdl_nothing *a, int *r)
{
    (void)a;
    *r = tickets_take(o);
}

static void plain_take_post(struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    s->count--;
}

static void plain_take_call(struct tickets *o, const struct rdl_nothing *a)
{
    (void)a;
    tickets_take(o);
}

RDL_TYPES(tickets, struct state, struct tickets);
RDL_OP(tickets, give, struct rdl_nothing, .post = give_post, .call = give_call);
RDL_OP_RETURNS(tickets, take, struct rdl_nothing, int, .cpre = take_cpre, .post = take_post,
               .call = take_call);
RDL_OP(tickets, plain_take, struct rdl_nothing, .cpre = take_cpre, .post = plain_take_post,
       .call = plain_take_call);

/* A spec `name`, with those operations, of tickets of that kind. */
#define SPEC_OF(name, kind, ...)                                                                   \
    static struct tickets *create_##name(struct rdl_case *t, const struct state *s)                \
    {                                                                                              \
        (void)t, (void)s;                                                                          \
        keep_record();                                                                             \
        return tickets_new(kind);                                                                  \
    }                                                                                              \
    typedef rdl_state_tickets rdl_state_##name;                                                    \
    typedef rdl_object_tickets rdl_object_##name;                                                  \
    typedef rdl_client_tickets rdl_client_##name;                                                  \
    RDL_SPEC(name, RDL_OPS(tickets, __VA_ARGS__), .create = create_##name, .destroy = tickets_free)

#define TEST_OF(name, kind)                                                                        \
    SPEC_OF(name, kind, give, take);                                                               \
    RDL_TEST_RESOURCE(name, name, .clients = 3, .phases = 8, .cases = 500)

TEST_OF(right, RIGHT);
TEST_OF(never_waits, NEVER_WAITS);
TEST_OF(counts_wrong, COUNTS_WRONG);
TEST_OF(tells_nobody, TELLS_NOBODY);
TEST_OF(two_steps, TWO_STEPS);
TEST_OF(keeps_the_lock, KEEPS_THE_LOCK);
TEST_OF(ends_abruptly, ENDS_ABRUPTLY);
TEST_OF(looks_unlocked, LOOKS_UNLOCKED);
TEST_OF(polls, POLLS);
TEST_OF(spins_locked, SPINS_LOCKED);
TEST_OF(waits_for_a_time, WAITS_FOR_A_TIME);
TEST_OF(sleeps, SLEEPS);
TEST_OF(spins, SPINS);

SPEC_OF(semaphore, IS_A_SEMAPHORE, give, plain_take);
RDL_TEST_RESOURCE(semaphore, semaphore, .clients = 3, .phases = 8, .cases = 500);

/* Threads that are left waiting. */
SPEC_OF(none_is_given, RIGHT, take);
RDL_TEST_RESOURCE(all_wait, none_is_given, .clients = 3, .phases = 8, .cases = 5000);

/* Threads that nobody controls. */
RDL_TEST_RESOURCE(right_and_free, right, .clients = 3, .phases = 8, .cases = 100,
                  .free_threads = true);
RDL_TEST_RESOURCE(never_waits_and_free, never_waits, .clients = 3, .phases = 8, .cases = 100,
                  .free_threads = true);
RDL_TEST_RESOURCE(tells_nobody_and_free, tells_nobody, .clients = 3, .phases = 8, .cases = 100,
                  .free_threads = true);

/* More clients than there can be, for who asks: it stops the program. */
static struct rdl_test crowd = {
    .name = "crowd",
    .file = __FILE__,
    .line = __LINE__,
    .body = rdl__test_resource,
    .options = {.explore = true, .phased = true, .clients = 65},
};

__attribute__((constructor)) static void register_crowd(void)
{
    crowd.options.spec = rdl_spec_right;
    if (getenv("CROWD"))
        rdl_register(&crowd);
}

RDL_MAIN
