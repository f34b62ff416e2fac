/* meet.c -- where the threads of a test wait for each other. */
#include "control/meet.h"

#include <string.h>
#include <unistd.h>

#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "generate/numbers.h"
#include "port/blocked.h"
#include "port/crash.h"
#include "port/hook.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool begun;
static bool watched;  /* one of those who wait looks whether all do */
static bool reserved; /* there is one who has to do that itself */
bool rdl__meeting;

/* Which meeting this is: one a case.  Who is left over from one before waits for ever. */
static uint64_t meeting;

/* Free threads that wait until all others do, and how often these did. */
static unsigned quiet_waiters;
static uint64_t lulls;

static unsigned asked; /* how often others did, since a gate was last come to */

/* Those who wait until it is quiet go on. */
static bool end_quiet_waits(void)
{
    if (quiet_waiters == 0)
        return false;
    quiet_waiters = 0;
    lulls++;
    pthread_cond_broadcast(&changed);
    return true;
}

/* A controlled thread that sleeps, or asks again for something, may still come to a gate: it is
 * given the time to, unless it does nothing else. */
static bool others_may_come(void)
{
    enum { ASKED_MAX = 1000 };

    return rdl__running && (rdl__time_will_tell() || rdl__sched.view.enabled_count > 0) &&
           ++asked <= ASKED_MAX;
}

static bool happens_next(void)
{
    if (end_quiet_waits() || rdl__clock_ticks())
        return true;
    if (others_may_come())
        return false;
    asked = 0;
    return rdl__alone_go_on() || rdl__orders_go_on(rdl__current) || rdl__gates_give_up();
}

/* The thread of the body itself is one of those that are waited for.  Those that others create are,
 * too, once anybody waits here; until then we only have to know of them. */
static void meet_freely(struct rdl_case *t)
{
    if (!rdl__meeting) {
        rdl__blocked_watch_caller(t);
        rdl__blocked_watch_new(NULL, RDL__NEXT(pthread_create));
    }
    rdl__meeting = true;
}

void rdl__meet_spawn(struct rdl_case *t)
{
    rdl__meet_lock();
    meet_freely(t);
    rdl__meet_unlock();
}

void rdl__meet_begin(struct rdl_case *t)
{
    rdl__meet_lock();
    if (!begun && !rdl__self()) {
        meet_freely(t);
        rdl__blocked_watch_new(t, RDL__NEXT(pthread_create));
    }
    rdl__when_quiet = happens_next;
    rdl__tell_waits = rdl__gates_note;
    begun = rdl__meeting = true;
    rdl__meet_unlock();
}

/* Of the thread of the body, which may have failed as it waited. */
static void go_on_as_ever(void)
{
    rdl__hooks_pass(false);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

void rdl__meet_end(void)
{
    __atomic_add_fetch(&meeting, 1, __ATOMIC_SEQ_CST);
    rdl__meeting = begun = watched = reserved = false;
    quiet_waiters = asked = 0;
    rdl__when_quiet = NULL;
    rdl__tell_waits = NULL;
    go_on_as_ever();
    rdl__blocked_watch_end();
    rdl__clock_reset();
    rdl__gates_end();
}

/* ---- Who is who ----------------------------------------------------------------------------- */

void rdl__meet_name(char out[RDL__MEET_NAME])
{
    const struct rdl__thread *self = rdl__self();
    const char *name = self ? rdl__thread_name(self) : rdl__blocked_name();
    size_t length = strnlen(name, RDL__MEET_NAME - 1);

    memcpy(out, name, length); /* at every gate: snprintf takes as long as all else */
    out[length] = '\0';
}

static enum rdl__meet_state state_of_controlled(const char *name)
{
    enum rdl__meet_state state = RDL__MEET_NOBODY;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        const struct rdl__thread *thread = rdl__sched.threads[id];

        if (strcmp(rdl__thread_name(thread), name) != 0)
            continue;
        if (thread->state == RDL__ALIVE)
            return RDL__MEET_WAITS;
        state = RDL__MEET_ENDED;
    }
    return state;
}

enum rdl__meet_state rdl__meet_state(const char *name)
{
    if (rdl__running)
        return state_of_controlled(name);
    switch (rdl__blocked_state(name)) {
    case RDL__LIVES:
        return RDL__MEET_WAITS;
    case RDL__DIED:
        return RDL__MEET_ENDED;
    default:
        return RDL__MEET_NOBODY;
    }
}

uint32_t rdl__meet_pick(struct rdl_case *t, uint32_t max)
{
    return rdl__running ? rdl__pick_one(max) : (uint32_t)rdl__draw_integer(t, 0, max, 0);
}

void rdl__meet_picked(struct rdl_case *t, const char *what, const char *picked)
{
    struct rdl__text text = {0};

    if (rdl__running || !rdl__showing(t))
        return;
    rdl__text_add(&text, "%s", picked);
    rdl__show(t, t->test->file, t->test->line, what, t->tape->count - 1, &text);
    rdl__text_release(&text);
}

/* A free thread that is cancelled meanwhile must not end here, where others count on it.  And
 * gates in the C library are not about what it does here. */
static __thread int cancel_state;
static __thread bool passed_before;

void rdl__meet_lock(void)
{
    if (rdl__self())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    passed_before = rdl__hooks_pass(true);
    pthread_mutex_lock(&lock);
}

void rdl__meet_unlock(void)
{
    if (rdl__self())
        return;
    pthread_mutex_unlock(&lock);
    rdl__hooks_pass(passed_before);
    pthread_setcancelstate(cancel_state, NULL);
}

void rdl__meet_changed(const void *object)
{
    if (!rdl__running) {
        pthread_cond_broadcast(&changed);
        return;
    }
    asked = 0;
    rdl__got_on();
    rdl__changed((uintptr_t)object);
}

/* ---- Waiting -------------------------------------------------------------------------------- */

struct awaited {
    bool (*ready)(void *what);
    void *what;
    uint64_t meeting;
    bool reserves;
};

static bool is_over(const struct awaited *awaited)
{
    return __atomic_load_n(&meeting, __ATOMIC_SEQ_CST) != awaited->meeting;
}

static bool is_there(void *it)
{
    const struct awaited *awaited = it;
    bool there;

    pthread_mutex_lock(&lock);
    there = is_over(awaited) || (reserved && !awaited->reserves) || awaited->ready(awaited->what);
    pthread_mutex_unlock(&lock);
    return there;
}

/* For all who wait: is there nobody who could do anything? */
static void keep_watch(struct rdl_case *t, const struct awaited *awaited)
{
    bool there = false, stuck;

    while (!there) {
        pthread_mutex_unlock(&lock);
        there = rdl__blocked_until(t, is_there, (void *)awaited);
        pthread_mutex_lock(&lock);
        stuck = !there && !happens_next();
        pthread_mutex_unlock(&lock); /* a failure may be the end of the case */
        if (stuck && !rdl__blocked_idle)
            rdl__gates_stuck(t);
        there = is_there((void *)awaited);
        pthread_mutex_lock(&lock);
    }
}

/* What the thread knows is gone with its case: it must not go on. */
static void stay_if_over(const struct awaited *awaited)
{
    if (!is_over(awaited))
        return;
    pthread_mutex_unlock(&lock);
    while (true)
        pause();
}

static void await_freely(struct rdl_case *t, bool (*ready)(void *what), void *what)
{
    const struct awaited awaited = {ready, what, __atomic_load_n(&meeting, __ATOMIC_SEQ_CST),
                                    false};

    while (!ready(what)) {
        if (watched || reserved) {
            pthread_cond_wait(&changed, &lock);
            stay_if_over(&awaited);
            continue;
        }
        watched = true;
        keep_watch(t, &awaited);
        stay_if_over(&awaited);
        watched = false;
        pthread_cond_broadcast(&changed); /* another keeps watch */
    }
}

void rdl__meet_await(struct rdl_case *t, const struct rdl__op *op, bool (*ready)(void *what),
                     void *what)
{
    struct rdl__thread *self = rdl__self();

    if (!self) {
        await_freely(t, ready, what);
        return;
    }
    rdl__sched.quiet_waiters++;
    rdl__await(self, op, ready, what, RDL__FOREVER);
    rdl__sched.quiet_waiters--;
}

bool rdl__meet_until(struct rdl_case *t, bool (*ready)(void *what), void *what, bool at_once)
{
    const struct awaited awaited = {ready, what, __atomic_load_n(&meeting, __ATOMIC_SEQ_CST), true};
    bool there;

    pthread_mutex_lock(&lock);
    reserved = true;
    while (watched)
        pthread_cond_wait(&changed, &lock);
    watched = true;
    do {
        pthread_mutex_unlock(&lock);
        there = rdl__blocked_until(t, is_there, (void *)&awaited);
        pthread_mutex_lock(&lock);
    } while (!there && !at_once && happens_next());
    watched = reserved = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return there;
}

static bool lull_has_come(void *before)
{
    return lulls > *(const uint64_t *)before;
}

/* Only one may look whether all are blocked: it does not look so itself. */
int rdl__meet_until_quiet(struct rdl_case *t)
{
    uint64_t before;

    if (!begun)
        return rdl__blocked_until_quiet(t);
    rdl__meet_lock();
    before = lulls;
    quiet_waiters++;
    await_freely(t, lull_has_come, &before);
    rdl__meet_unlock();
    return rdl__blocked_others(t);
}
