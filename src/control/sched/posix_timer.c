/* posix_timer.c -- timers of timer_create: they send a signal, or start a thread.
 *
 * A timer that sends a signal does so when its (virtual) time has come, whoever runs;
 * to one thread, if the program said so by the number that gettid gave it.  Timers
 * that start threads are awaited by a service, which sleeps until the first is due, so
 * that other threads may come between the time and the thread.
 *
 * While a timer's signal waits for whoever is to get it, the timer sends no other:
 * expirations are counted, for timer_getoverrun.
 *
 * Timers of CPU time that send signals are the kernel's, and work in real time. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "control/sched/notice.h"
#include "control/sched/timer.h"
#include "control/sched/world.h"

#define sched     (&rdl__sched)

#define TIMERS_AT ((uintptr_t)0xffff800000180000) /* an address that nothing of a program's has */
enum {
    FIRST_ID = 1 << 30, /* numbers of the kernel's timers are small */
    AT_A_TIME = 4,      /* threads of a periodic timer; it goes on when one of them has ended */
};

/* What becomes of the timer's expirations. */
static struct notification {
    int how; /* SIGEV_SIGNAL and the like */
    int signal;
    union sigval value;
    struct rdl__thread *to;    /* the only thread that gets it; NULL: any */
    uint32_t to_number;        /* of that thread: others may be in its place later */
    struct rdl__notice notice; /* by a thread */
    bool was_due;              /* it expired before it was set anew, and no thread was started */
    bool sent;                 /* a signal, which may wait for whoever is to get it */
    uint64_t missed, missed_before; /* expirations since then; before the last that came through */
} notifications[RDL__TIMERS_MAX];

static struct rdl__thread *service; /* NULL: no timer starts threads */
static uint64_t settings;           /* how often a timer of its was set or deleted */

void rdl__posix_timers_begin(void)
{
    service = NULL;
}

static struct notification *notification_of(const struct rdl__timer *timer)
{
    return &notifications[rdl__timer_index(timer)];
}

static int id_of(const struct rdl__timer *timer)
{
    return FIRST_ID + (int)rdl__timer_index(timer);
}

/* ---- By signal ------------------------------------------------------------------------------- */

static bool kernel_has(int signal)
{
    rdl__signals set = 0;

    rdl__kernel(SYS_rt_sigpending, (long)&set, sizeof set, 0, 0, 0, 0);
    return set >> (signal - 1) & 1;
}

/* Signals that nobody lets through are the kernel's, and it does not say whose they are. */
static bool is_pending(const struct rdl__timer *timer)
{
    const struct notification *it = notification_of(timer);

    return it->sent && (rdl__timer_signal_waits(id_of(timer)) ||
                        (kernel_has(it->signal) && !rdl__signalfd_is_used));
}

static void ring(struct rdl__timer *timer, uint64_t times)
{
    struct notification *it = notification_of(timer);
    siginfo_t info = rdl__signal_info(it->signal, SI_TIMER);

    if (it->how == SIGEV_NONE || (it->to && it->to->number != it->to_number))
        return;
    if (is_pending(timer)) {
        it->missed += times;
        return;
    }
    it->missed = times - 1;
    it->sent = true;
    info.si_timerid = id_of(timer);
    info.si_overrun = 0;
    info.si_value = it->value;
    rdl__post_signal(it->to, &info);
}

static int as_overrun(uint64_t missed)
{
    return missed < INT_MAX ? (int)missed : INT_MAX;
}

void rdl__timer_told(siginfo_t *info)
{
    struct rdl__timer *timer =
        info->si_code == SI_TIMER ? rdl__timer_at((uint32_t)(info->si_timerid - FIRST_ID)) : NULL;
    struct notification *it = timer ? notification_of(timer) : NULL;

    if (!it || !it->sent)
        return;
    it->sent = false;
    it->missed_before = it->missed;
    info->si_overrun = as_overrun(it->missed);
}

/* ---- By thread ------------------------------------------------------------------------------- */

static void change_settings(void)
{
    settings++;
    rdl__changed(TIMERS_AT);
}

static bool are_changed(void *since)
{
    return settings != *(const uint64_t *)since;
}

static uint64_t first_deadline(void)
{
    uint64_t first = RDL__FOREVER;

    for (uint32_t i = 0; i < RDL__TIMERS_MAX; i++) {
        const struct rdl__timer *timer = rdl__timer_at(i);

        if (timer && timer->apart && timer->deadline < first)
            first = timer->deadline;
    }
    return first;
}

/* A thread that is late has missed expirations; and so has a timer with many threads at work. */
static void start_thread(struct rdl__thread *self, struct rdl__timer *timer)
{
    struct notification *it = notification_of(timer);
    uint64_t times = it->was_due;

    if (timer->deadline <= sched->now)
        times += rdl__timer_expire(timer);
    it->was_due = false;
    it->missed += times;
    if (times == 0 || (timer->interval && rdl__notices_under_way(it->notice.source) >= AT_A_TIME) ||
        rdl__notice_give(self, &it->notice) != 0)
        return;
    it->missed_before = it->missed - 1;
    it->missed = 0;
}

static void *serve(void *unused)
{
    struct rdl__thread *self = rdl__service_begin();
    struct rdl__op op = {.kind = RDL__OP_SLEEP,
                         .touch = RDL__READS,
                         .flags = RDL__OP_POLITE,
                         .size = 1,
                         .object = TIMERS_AT,
                         .pc = self->created_at};

    for (;;) {
        uint64_t seen = settings;

        rdl__await(self, &op, are_changed, &seen, first_deadline());
        for (uint32_t i = 0; i < RDL__TIMERS_MAX; i++) {
            struct rdl__timer *timer = rdl__timer_at(i);

            if (timer && timer->apart)
                start_thread(self, timer);
        }
    }
    return unused;
}

/* The service does it, not the timer. */
static void leave_it(struct rdl__timer *timer, uint64_t times)
{
    (void)timer;
    (void)times;
}

/* ---- Making and deleting --------------------------------------------------------------------- */

/* An error number: what the kernel says to a timer of this clock. */
static int try_clock(clockid_t clock)
{
    struct sigevent nothing = {.sigev_notify = SIGEV_NONE};
    int id;
    long result = rdl__kernel(SYS_timer_create, clock, (long)&nothing, (long)&id, 0, 0, 0);

    if (result < 0)
        return (int)-result;
    rdl__kernel(SYS_timer_delete, id, 0, 0, 0, 0, 0);
    return 0;
}

static void come_to_timers(struct rdl__thread *self, enum rdl__touch touch, uintptr_t pc)
{
    struct rdl__op op = {.kind = RDL__OP_IO,
                         .touch = (uint8_t)touch,
                         .size = 1,
                         .object = TIMERS_AT,
                         .also = rdl__signal_op(RDL__OP_SIGNAL, pc).object,
                         .pc = pc};

    if (!rdl__is_alone())
        rdl__point(self, &op);
}

/* False: it is not what a program may ask for. */
static bool note_event(struct notification *out, const struct sigevent *event, uintptr_t pc)
{
    *out = (struct notification){
        .how = event->sigev_notify, .signal = event->sigev_signo, .value = event->sigev_value};
    switch (event->sigev_notify) {
    case SIGEV_NONE:
        return true;
    case SIGEV_THREAD:
        out->notice = rdl__notice_of(event, "timer", pc);
        return true;
    case SIGEV_THREAD_ID:
        out->to = rdl__thread_numbered(event->_sigev_un._tid);
        if (!out->to || out->to->state != RDL__ALIVE)
            return false;
        out->to_number = out->to->number;
        break;
    case SIGEV_SIGNAL:
        break;
    default:
        return false;
    }
    return out->signal >= 1 && out->signal <= SIGRTMAX;
}

static int create(struct rdl__thread *self, clockid_t clock, const struct sigevent *event,
                  timer_t *out, uintptr_t pc)
{
    struct sigevent usual = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct notification it;
    struct rdl__timer *timer;
    int why;

    come_to_timers(self, RDL__WRITES, pc);
    why = try_clock(clock);
    if (why || !note_event(&it, event ? event : &usual, pc))
        return why ? why : EINVAL;
    if (it.how == SIGEV_THREAD && !service)
        service = rdl__service_new(self, "timer service", serve, pc);
    timer = it.how == SIGEV_THREAD && !service
                ? NULL
                : rdl__timer_new(clock, it.how == SIGEV_THREAD ? leave_it : ring);
    if (!timer)
        return EAGAIN;
    timer->apart = it.how == SIGEV_THREAD;
    if (!event)
        it.value.sival_int = id_of(timer);
    it.notice.source = TIMERS_AT + 1 + rdl__timer_index(timer);
    *notification_of(timer) = it;
    *out = (timer_t)(uintptr_t)id_of(timer);
    return 0;
}

RDL__INTERPOSE int timer_create(clockid_t clock, struct sigevent *restrict event,
                                timer_t *restrict out)
{
    struct rdl__thread *self = rdl__self();
    bool by_thread = event && event->sigev_notify == SIGEV_THREAD;

    if (self && (by_thread || !rdl__is_cpu_clock(clock)))
        return (int)rdl__in_errno(-create(self, clock, event, out, RDL__CALLER));
    rdl__timers_are_real();
    if (self)
        rdl__note_timer();
    return RDL__NEXT(timer_create)(clock, event, out);
}

/* NULL: none of ours. */
static struct rdl__timer *timer_of(timer_t id)
{
    uintptr_t index = (uintptr_t)id - FIRST_ID;

    return rdl__self() && index > 0 && index < RDL__TIMERS_MAX ? rdl__timer_at((uint32_t)index)
                                                               : NULL;
}

RDL__INTERPOSE int timer_delete(timer_t id)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_timers(self, RDL__WRITES, RDL__CALLER);
    if (!timer_of(id))
        return RDL__NEXT(timer_delete)(id);
    rdl__timer_free(timer_of(id));
    change_settings();
    return 0;
}

/* ---- Setting --------------------------------------------------------------------------------- */

/* The service may be late. */
static struct itimerspec setting_of(const struct rdl__timer *timer)
{
    struct itimerspec setting = rdl__timer_setting(timer);

    if (timer->deadline > sched->now)
        return setting;
    setting.it_value = (struct timespec){0};
    if (timer->interval)
        setting.it_value =
            rdl__timespec(timer->interval - (sched->now - timer->deadline) % timer->interval);
    return setting;
}

static void set(struct rdl__thread *self, struct rdl__timer *timer, bool absolute,
                const struct itimerspec *setting, uintptr_t pc)
{
    struct notification *it = notification_of(timer);
    uint64_t deadline = rdl__timer_deadline(timer, absolute, &setting->it_value);

    if (timer->apart) {
        it->was_due |= timer->deadline <= sched->now;
        it->notice.pc = pc;
        rdl__hb_release(self, it->notice.source);
    } else {
        rdl__signals_release(self);
    }
    it->missed = it->missed_before = 0;
    rdl__timer_set(timer, deadline, rdl__timer_span(&setting->it_interval));
    if (timer->apart)
        change_settings();
    else if (deadline <= sched->now)
        rdl__timers_run();
}

RDL__INTERPOSE int timer_settime(timer_t id, int flags, const struct itimerspec *restrict setting,
                                 struct itimerspec *restrict old)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__timer *timer;

    if (self)
        come_to_timers(self, RDL__WRITES, RDL__CALLER);
    timer = timer_of(id);
    if (!timer)
        return RDL__NEXT(timer_settime)(id, flags, setting, old);
    if (!setting || !rdl__is_setting(setting)) {
        errno = EINVAL;
        return -1;
    }
    if (old)
        *old = setting_of(timer);
    set(self, timer, flags & TIMER_ABSTIME, setting, RDL__CALLER);
    rdl__handle_signals(self);
    return 0;
}

RDL__INTERPOSE int timer_gettime(timer_t id, struct itimerspec *out)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_timers(self, RDL__READS, RDL__CALLER);
    if (!timer_of(id))
        return RDL__NEXT(timer_gettime)(id, out);
    *out = setting_of(timer_of(id));
    return 0;
}

RDL__INTERPOSE int timer_getoverrun(timer_t id)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        come_to_timers(self, RDL__READS, RDL__CALLER);
    if (!timer_of(id))
        return RDL__NEXT(timer_getoverrun)(id);
    return as_overrun(notification_of(timer_of(id))->missed_before);
}
