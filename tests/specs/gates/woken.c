/* woken.c -- orders that say who is woken of those who wait for a condition, and when. */
#include <errno.h>
#include <pthread.h>
#include <raddle.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t lock;
static pthread_cond_t called;
static int calls;
static char went[8]; /* who went on, by the first letters of their names */

static void note(const char *name)
{
    size_t count = strlen(went);

    went[count] = name[0];
    went[count + 1] = '\0';
}

static void wait_for_call(void *name)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = calls;
    while (calls == seen)
        pthread_cond_wait(&called, &lock);
    note(name);
    pthread_mutex_unlock(&lock);
}

static void call(bool all)
{
    pthread_mutex_lock(&lock);
    calls++;
    if (all)
        pthread_cond_broadcast(&called);
    else
        pthread_cond_signal(&called);
    pthread_mutex_unlock(&lock);
}

static void begin(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&called, NULL);
    calls = 0;
    went[0] = '\0';
}

/* Ann waits first, then Bob, then Cid; who goes on in which order? */
static void three_wait(struct rdl_case *t, const char *order, bool all, const char *expected)
{
    static const char *const names[] = {"ann", "bob", "cid"};
    struct rdl_thread *threads[3];

    begin();
    rdl_order(t, order);
    for (int i = 0; i < 3; i++) {
        threads[i] = rdl_spawn(t, names[i], wait_for_call, (void *)names[i]);
        rdl_until_quiet(t);
    }
    for (int i = 0; i < (all ? 1 : 3); i++)
        call(all);
    for (int i = 0; i < 3; i++)
        rdl_join(threads[i]);
    rdl_check_str(went, expected);
}

#define LAST_FIRST "[cid ended] -> [bob woken], [bob ended] -> [ann woken]"

RDL_SCHEDULE(the_last_goes_on_first)
{
    three_wait(t, LAST_FIRST, false, "cba");
}

RDL_SCHEDULE(the_last_goes_on_first_free, .free_threads = true, .cases = 50)
{
    three_wait(t, LAST_FIRST, false, "cba");
}

RDL_SCHEDULE(the_last_of_all_goes_on_first)
{
    three_wait(t, LAST_FIRST, true, "cba");
}

RDL_SCHEDULE(the_last_of_all_goes_on_first_free, .free_threads = true, .cases = 50)
{
    three_wait(t, LAST_FIRST, true, "cba");
}

/* One signal is for him who is named, whoever has waited longer. */
static void one_is_named(struct rdl_case *t)
{
    static const char *const names[] = {"ann", "bob", "cid"};
    struct rdl_thread *threads[3];

    begin();
    rdl_order(t, "main:call -> [bob woken]");
    for (int i = 0; i < 3; i++) {
        threads[i] = rdl_spawn(t, names[i], wait_for_call, (void *)names[i]);
        rdl_until_quiet(t);
    }
    call(false);
    rdl_join(threads[1]);
    rdl_check_str(went, "b");
    call(true);
    rdl_join(threads[0]);
    rdl_join(threads[2]);
}

RDL_SCHEDULE(who_is_named_is_woken)
{
    one_is_named(t);
}

RDL_SCHEDULE(who_is_named_is_woken_free, .free_threads = true, .cases = 50)
{
    one_is_named(t);
}

#define BOB_AFTER_ANN "[ann ended] -> [bob woken], [bob ended] -> [cid woken]"

RDL_SCHEDULE(who_is_named_waits_for_others)
{
    three_wait(t, BOB_AFTER_ANN, true, "abc");
}

RDL_SCHEDULE(who_is_named_waits_for_others_free, .free_threads = true, .cases = 50)
{
    three_wait(t, BOB_AFTER_ANN, true, "abc");
}

__attribute__((noinline)) static void forget_calls(void)
{
    calls = -1;
}

/* Meanwhile the test has the mutex, which nobody could take from who is just woken. */
static void held_without_mutex(struct rdl_case *t)
{
    struct rdl_thread *ann;

    begin();
    rdl_order(t, "main:forget_calls -> [ann woken]");
    ann = rdl_spawn(t, "ann", wait_for_call, (void *)"ann");
    rdl_until_quiet(t);
    call(false);
    rdl_until_quiet(t);
    pthread_mutex_lock(&lock);
    note("main");
    pthread_mutex_unlock(&lock);
    forget_calls(); /* until now she is held */
    rdl_join(ann);
    rdl_check_str(went, "ma");
}

RDL_SCHEDULE(who_is_held_has_no_mutex)
{
    held_without_mutex(t);
}

RDL_SCHEDULE(who_is_held_has_no_mutex_free, .free_threads = true, .cases = 50)
{
    held_without_mutex(t);
}

/* ---- Time-outs, and those of C11 ------------------------------------------------------------- */

static mtx_t plain;
static cnd_t shown;
static bool is_shown;
static int answers[2];

static void look_a_moment(void *unused)
{
    struct timespec until;

    (void)unused;
    timespec_get(&until, TIME_UTC);
    until.tv_nsec += 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    mtx_lock(&plain);
    answers[0] = cnd_timedwait(&shown, &plain, &until);
    answers[1] = is_shown;
    mtx_unlock(&plain);
}

static void show(void *unused)
{
    (void)unused;
    mtx_lock(&plain);
    is_shown = true;
    mtx_unlock(&plain);
}

/* Nobody tells it, and its time is up; but when it looks, something has been shown. */
static void time_is_up(struct rdl_case *t)
{
    struct rdl_thread *looker, *shower;

    mtx_init(&plain, mtx_plain);
    cnd_init(&shown);
    is_shown = false;
    rdl_order(t, "[shower ended] -> [looker woken]");
    looker = rdl_spawn(t, "looker", look_a_moment, NULL);
    rdl_until_quiet(t);
    shower = rdl_spawn(t, "shower", show, NULL);
    rdl_join(looker);
    rdl_join(shower);
    rdl_check_eq(answers[0], thrd_timedout);
    rdl_check(answers[1]);
}

RDL_SCHEDULE(time_is_up_and_it_is_held)
{
    time_is_up(t);
}

RDL_SCHEDULE(time_is_up_and_it_is_held_free, .free_threads = true, .cases = 50)
{
    time_is_up(t);
}

/* ---- Cancelled ------------------------------------------------------------------------------- */

static bool has_cleaned;

static void clean(void *unused)
{
    (void)unused;
    has_cleaned = pthread_mutex_trylock(&lock) == EBUSY; /* it has the mutex again */
    pthread_mutex_unlock(&lock);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, NULL);
    while (true)
        pthread_cond_wait(&called, &lock);
    pthread_cleanup_pop(0);
    return unused;
}

/* A signal must not go to who is not there any more. */
RDL_SCHEDULE(who_is_cancelled_is_not_woken, .free_threads = true, .cases = 50)
{
    pthread_t gone;
    struct rdl_thread *ann;
    void *result;

    begin();
    has_cleaned = false;
    rdl_order(t, "main:call -> [ann woken]");
    pthread_create(&gone, NULL, wait_for_ever, NULL);
    rdl_until_quiet(t);
    pthread_cancel(gone);
    pthread_join(gone, &result);
    rdl_check(result == PTHREAD_CANCELED);
    rdl_check(has_cleaned);
    ann = rdl_spawn(t, "ann", wait_for_call, (void *)"ann");
    rdl_until_quiet(t);
    call(false);
    rdl_join(ann);
    rdl_check_str(went, "a");
}

/* ---- As POSIX has it ------------------------------------------------------------------------- */

static int woken_with;

static void wait_once(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    woken_with = pthread_cond_wait(&called, &lock);
    pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
}

static void signal_and_die(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&called);
}

RDL_SCHEDULE(who_is_woken_is_told_that_the_owner_has_died, .free_threads = true, .cases = 50)
{
    pthread_mutexattr_t robust;
    struct rdl_thread *ann, *dier;

    begin();
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    rdl_order(t, "[dier ended] -> [ann woken]");
    ann = rdl_spawn(t, "ann", wait_once, NULL);
    rdl_until_quiet(t);
    dier = rdl_spawn(t, "dier", signal_and_die, NULL);
    rdl_join(dier);
    rdl_join(ann);
    rdl_check_eq(woken_with, EOWNERDEAD);
}

static void wait_for_two_calls(void *name)
{
    wait_for_call(name);
    wait_for_call(name);
}

/* Who waited for the condition that was there before does not take the signals of the new one. */
RDL_SCHEDULE(who_waits_for_what_is_gone_is_not_woken, .free_threads = true)
{
    struct rdl_thread *ann, *bob;

    begin();
    rdl_order(t, "main:call -> [bob woken#2]");
    ann = rdl_spawn(t, "ann", wait_for_call, (void *)"ann");
    rdl_until_quiet(t);
    rdl_leave(ann);
    begin();
    bob = rdl_spawn(t, "bob", wait_for_two_calls, (void *)"bob");
    for (int i = 0; i < 2; i++) {
        rdl_until_quiet(t);
        call(false);
    }
    rdl_join(bob);
    rdl_check_str(went, "bb");
}

/* ---- What cannot be -------------------------------------------------------------------------- */

RDL_SCHEDULE(wrong_wake_before_itself)
{
    three_wait(t, "[ann woken] -> [bob woken] -> [ann woken]", false, "");
}

RDL_SCHEDULE(wrong_wake_that_never_comes)
{
    three_wait(t, "[ann woken#2] -> [bob woken]", true, "");
}

RDL_SCHEDULE(wrong_wake_that_never_comes_free, .free_threads = true)
{
    three_wait(t, "[ann woken#2] -> [bob woken]", true, "");
}
