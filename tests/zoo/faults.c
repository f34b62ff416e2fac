/* faults.c -- properties that go wrong in every way a case can. */
#include <pthread.h>
#include <raddle.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int64_t number(struct rdl_case *t)
{
    int64_t n = rdl_int(t, 0, 100000);

    return n;
}

RDL_PROPERTY(passes, .tags = "good quick")
{
    rdl_check(number(t) >= 0);
}

RDL_PROPERTY(fails_a_check)
{
    int64_t n = number(t);

    rdl_note("n squared is %lld", (long long)(n * n));
    rdl_check_lt(n, 300);
}

RDL_PROPERTY(crashes)
{
    volatile int *volatile nowhere = NULL;

    printf("about to look at %d\n", (int)number(t));
    if (number(t) >= 300)
        *nowhere = 1;
}

RDL_PROPERTY(aborts)
{
    if (number(t) >= 300) {
        fprintf(stderr, "cannot go on\n");
        abort();
    }
}

RDL_PROPERTY(exits)
{
    if (number(t) >= 300)
        exit(3);
}

RDL_PROPERTY(exits_with_zero)
{
    if (number(t) >= 300)
        exit(0);
}

RDL_PROPERTY(hangs, .timeout_ms = 200)
{
    volatile int64_t n = number(t);

    while (n >= 300)
        continue;
}

static __attribute__((noinline)) void smash(char *at, size_t size)
{
    memset(at, 0x41, size);
}

RDL_PROPERTY(smashes_its_stack)
{
    char small[16];

    if (number(t) >= 300)
        smash(small, 4000);
    rdl_note("%d", small[0]);
}

static int recurse(volatile char *above, int depth)
{
    volatile char frame[4096];

    frame[0] = *above;
    if (depth < 0)
        return 0;
    return recurse(frame, depth + 1) + frame[0];
}

RDL_PROPERTY(uses_up_its_stack)
{
    volatile char top = 1;

    if (number(t) >= 300)
        rdl_note("%d", recurse(&top, 0));
}

static void *fail_elsewhere(void *n)
{
    rdl_check_lt(*(int64_t *)n, 300);
    return NULL;
}

RDL_PROPERTY(fails_on_another_thread)
{
    int64_t n = number(t);
    pthread_t thread;

    rdl_check_eq(pthread_create(&thread, NULL, fail_elsewhere, &n), 0);
    pthread_join(thread, NULL);
}

static int cases_before;

RDL_PROPERTY(remembers_other_cases)
{
    int64_t n = number(t);

    rdl_check(++cases_before < 50 || n < 10);
}

RDL_PROPERTY(depends_on_the_process)
{
    int64_t n = number(t);

    rdl_note("process %d", (int)getpid());
    rdl_check(n < 300);
}

RDL_PROPERTY(draws_by_the_process)
{
    int64_t n = rdl_int(t, 0, 1000 + getpid() % 1000);

    rdl_check(n < 300);
}

RDL_PROPERTY(has_three_bugs)
{
    int64_t n = number(t);

    rdl_check(n % 7 != 3 || n < 100);
    rdl_check(n % 2 != 0 || n < 50000);
    if (n > 90000)
        abort();
}

RDL_PROPERTY(crashes_always)
{
    number(t);
    abort();
}

RDL_PROPERTY(is_skipped, .skip = "there is no such device")
{
    abort();
}

RDL_PROPERTY(skips_itself)
{
    rdl_skip(t, "only on %s", "Sundays");
}

RDL_PROPERTY(discards_nearly_all)
{
    int64_t n = number(t);

    rdl_assume(t, n % 50 == 1);
}

RDL_PROPERTY(discards_all)
{
    rdl_discard(t);
}

RDL_PROPERTY(is_never_full)
{
    int64_t n = number(t);

    rdl_cover(t, 5.0, n > 100000, "full");
}

RDL_PROPERTY(has_statistics)
{
    int64_t n = number(t);

    rdl_cover(t, 1.0, n > 300, "large");
    rdl_classify(t, n % 2 == 0, "even");
    rdl_measure(t, (double)n, "n");
    rdl_label(t, "%s", "<all & sundry>");
}

RDL_PROPERTY(has_few_cases, .exhaustive = true)
{
    int64_t n = rdl_int(t, 0, 9);
    bool b = rdl_bool(t);

    rdl_check(n >= 0 || b);
}

RDL_PROPERTY(fails_in_one_of_few_cases, .exhaustive = true)
{
    int64_t n = rdl_int(t, 0, 99);
    int64_t m = rdl_int(t, 0, 99);

    rdl_check(!(n == 41 && m == 87));
}

RDL_PROPERTY(expects_to_fail, .expect_failure = true)
{
    rdl_check(number(t) < 300);
}

RDL_PROPERTY(expects_to_fail_in_vain, .expect_failure = true)
{
    number(t);
}

/* By chance one in 8^10; by looking for more of it, a few thousand cases. */
RDL_PROPERTY(opens_a_lock)
{
    static const int code[] = {3, 1, 4, 1, 5, 2, 6, 5, 3, 5};
    int right = 0;

    for (int i = 0; i < 10; i++)
        right += rdl_int(t, 0, 7) == code[i];
    rdl_maximise(t, right, "digits");
    rdl_check(right < 10);
}

RDL_PROPERTY(misuses_raddle)
{
    rdl_int(t, 5, 4);
}

RDL_PROPERTY(changes_shape)
{
    int64_t n = rdl_int(t, 0, getenv("OTHER_SHAPE") ? 50000 : 100000);

    if (getenv("MORE_CHOICES"))
        number(t);
    rdl_check(n < 300);
}

static int this_process;

RDL_PROPERTY(interrupts_the_search)
{
    number(t);
    if (++this_process == 500)
        kill(getppid(), SIGINT);
}

RDL_PROPERTY(interrupts_shrinking)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100});
    size_t zeros = 0;

    while (zeros < n && xs[zeros] == 0)
        zeros++;
    /* Chance does not do that; and a second signal would end us at once. */
    if (zeros >= 10 && getenv("ONCE") && unlink(getenv("ONCE")) == 0)
        kill(getppid(), SIGTERM);
    rdl_check(n < 20);
}

RDL_PROPERTY(leaves_children)
{
    if (number(t) >= 300) {
        if (fork() == 0)
            pause();
        exit(5);
    }
}

RDL_PROPERTY(reads_its_input)
{
    char c;

    number(t);
    rdl_check_eq(read(STDIN_FILENO, &c, 1), 0);
}

static void *set_up(struct rdl_case *t)
{
    static int value;

    value = (int)rdl_int(t, 1, 9);
    return &value;
}

static void tear_down(void *it)
{
    *(int *)it = -1;
}

static const struct rdl_fixture fixture = {.setup = set_up, .teardown = tear_down};

RDL_PROPERTY(has_a_fixture, .fixture = &fixture)
{
    int *value = rdl_fixture(t);

    rdl_check(*value >= 1 && *value <= 9);
}

RDL_PROPERTY(forks_and_returns)
{
    if (number(t) >= 300) {
        if (fork() == 0)
            return;
        wait(NULL);
    }
}

static void wait_for_ever(void)
{
    for (;;)
        pause();
}

static const struct rdl_fixture endless = {.teardown_once = wait_for_ever};

RDL_PROPERTY(never_stops_tearing_down, .fixture = &endless)
{
    number(t);
}

RDL_PROPERTY(closes_what_is_not_its_own)
{
    int64_t n = number(t);

    if (n >= 300) {
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
        rdl_check(n < 400);
    }
}

RDL_PROPERTY(closes_them_and_goes_on)
{
    if (number(t) >= 300)
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
}

RDL_PROPERTY(has_two_bugs_in_a_line)
{
    int64_t n = number(t);

    /* clang-format off */
    rdl_check(n % 2 == 0 || n < 600); rdl_check(n < 300);
    /* clang-format on */
}

RDL_PROPERTY(is_discarded_later)
{
    int64_t n = number(t);

    rdl_assume(t, !getenv("DISCARD"));
    rdl_check(n < 300);
}

RDL_PROPERTY(compares_numbers_as_they_are)
{
    unsigned one = 1;
    size_t none = 0;

    number(t);
    rdl_check_lt(-1, one);
    rdl_check_lt(-1, none);
    rdl_check_ne(-1, UINT32_MAX);
    rdl_check_gt(UINT64_MAX, INT64_MAX);
    rdl_check_lt(INT64_MIN, UINT64_MAX);
    rdl_check_eq(strlen("abc"), 3);
}

static void undo(void *it)
{
    rdl_note("undone: %s", (char *)it);
}

RDL_PROPERTY(undoes_what_it_did)
{
    int64_t n = number(t);

    rdl_defer(t, undo, (void *)"first");
    rdl_defer(t, undo, (void *)"second");
    rdl_check(n < 300);
}

RDL_MAIN
