/* timer.c -- what happens at a time though no thread waits for it: timerfd, alarm.
 *
 * A timer that is a file is made as an event counter, which the kernel reads and
 * polls in just the same way; when its (virtual) time comes, we write to it.  alarm
 * and setitimer(ITIMER_REAL) are one timer, which sends SIGALRM.  All else
 * (timer_create, other interval timers) is handed on, and works in real time. */
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "control/sched/world.h"

#define sched (&rdl__sched)

enum { TIMERS_MAX = 64 };

struct timer {
    int fd; /* -1: none; the first timer is the alarm, and has none */
    clockid_t clock;
    uint64_t deadline; /* RDL__FOREVER: it is not set */
    uint64_t interval; /* 0: once */
    bool due;          /* it came, and nobody has noticed; till then it is not awaited again */
};

static struct timer timers[TIMERS_MAX];
static uint32_t timer_count;
static bool has_real_timers;
uint64_t rdl__timer_next = RDL__FOREVER;

void rdl__timers_begin(void)
{
    timer_count = 1;
    timers[0] = (struct timer){.fd = -1, .deadline = RDL__FOREVER};
    rdl__timer_next = RDL__FOREVER;
}

bool rdl__has_real_timers(void)
{
    return has_real_timers;
}

/* ---- Time comes ---------------------------------------------------------------------------- */

/* Those that are set count as deadlines: while there is one, time passes. */
static void find_next(void)
{
    uint64_t next = RDL__FOREVER;

    rdl__catch_up();
    for (uint32_t i = 0; i < timer_count; i++)
        if (!timers[i].due && timers[i].deadline < next)
            next = timers[i].deadline;
    sched->deadlines += (next != RDL__FOREVER) - (rdl__timer_next != RDL__FOREVER);
    rdl__timer_next = next;
}

static void note_timer(void)
{
    rdl__limit(RDL__LIMIT_BOUND, "timers were not tried at every moment", "");
}

static void set(struct timer *timer, uint64_t deadline, uint64_t interval)
{
    if (deadline != RDL__FOREVER)
        note_timer();
    timer->deadline = deadline;
    timer->interval = interval;
    timer->due = false;
    find_next();
}

/* How often it has expired; and when it will again. */
static uint64_t expire(struct timer *timer)
{
    uint64_t times = 1;

    if (timer->interval == 0) {
        timer->deadline = RDL__FOREVER;
        return times;
    }
    times += (sched->now - timer->deadline) / timer->interval;
    timer->deadline += times * timer->interval;
    return times;
}

void rdl__timers_run(void)
{
    for (uint32_t i = 0; i < timer_count; i++) {
        struct timer *timer = &timers[i];
        siginfo_t info;
        uint64_t times;

        if (timer->deadline > sched->now)
            continue;
        times = expire(timer);
        if (i == 0) {
            info = rdl__signal_info(SIGALRM, SI_KERNEL);
            rdl__post_signal(&info);
        } else {
            timer->due = true;
            rdl__kernel(SYS_write, timer->fd, (long)&times, sizeof times, 0, 0, 0);
            rdl__files_ask(rdl__any_file().object);
        }
    }
    find_next();
}

void rdl__timers_look(void)
{
    bool changed = false;

    for (uint32_t i = 1; i < timer_count; i++)
        if (timers[i].due && !rdl__file_is_ready(timers[i].fd, POLLIN)) {
            timers[i].due = false;
            changed = true;
        }
    if (changed)
        find_next();
}

/* ---- timerfd ------------------------------------------------------------------------------- */

/* NULL: not one of ours. */
static struct timer *timer_of(int fd)
{
    for (uint32_t i = 1; i < timer_count; i++)
        if (timers[i].fd == fd && fd >= 0)
            return &timers[i];
    return NULL;
}

void rdl__timer_closed(int fd)
{
    struct timer *timer = timer_of(fd);

    if (!timer)
        return;
    timer->fd = -1;
    set(timer, RDL__FOREVER, 0);
}

static struct timer *unused_timer(void)
{
    for (uint32_t i = 1; i < timer_count; i++)
        if (timers[i].fd < 0)
            return &timers[i];
    return timer_count < TIMERS_MAX ? &timers[timer_count++] : NULL;
}

RDL__INTERPOSE int timerfd_create(clockid_t clock, int flags)
{
    struct timer *timer = rdl__self() ? unused_timer() : NULL;
    int fd;

    if (!timer || flags & ~(TFD_CLOEXEC | TFD_NONBLOCK))
        return RDL__NEXT(timerfd_create)(clock, flags);
    rdl__come_to_numbers(RDL__CALLER);
    fd = (int)rdl__in_errno(rdl__kernel(SYS_eventfd2, 0, flags, 0, 0, 0, 0));
    *timer = (struct timer){.fd = fd, .clock = clock, .deadline = RDL__FOREVER};
    if (fd >= 0)
        rdl__file_born(fd);
    return fd;
}

static struct itimerspec setting_of(const struct timer *timer)
{
    uint64_t left = timer->deadline > sched->now ? timer->deadline - sched->now : 1;

    if (timer->deadline == RDL__FOREVER)
        left = 0;
    return (struct itimerspec){.it_interval = rdl__timespec(timer->interval),
                               .it_value = rdl__timespec(left)};
}

static bool is_setting(const struct itimerspec *setting)
{
    return rdl__is_span(&setting->it_value) && rdl__is_span(&setting->it_interval);
}

static uint64_t ns_of(const struct timespec *span)
{
    return (uint64_t)span->tv_sec * RDL__NS + (uint64_t)span->tv_nsec;
}

/* Expirations that nobody has read are forgotten. */
static void forget_expirations(int fd)
{
    uint64_t times;

    if (rdl__file_is_ready(fd, POLLIN))
        rdl__kernel(SYS_read, fd, (long)&times, sizeof times, 0, 0, 0);
}

RDL__INTERPOSE int timerfd_settime(int fd, int flags, const struct itimerspec *setting,
                                   struct itimerspec *old)
{
    struct rdl__thread *self = rdl__self();
    struct timer *timer = self ? timer_of(fd) : NULL;
    struct rdl__file any = rdl__any_file();
    struct rdl__op op;
    uint64_t deadline;

    if (!timer)
        return RDL__NEXT(timerfd_settime)(fd, flags, setting, old);
    if (!is_setting(setting)) {
        errno = EINVAL;
        return -1;
    }
    op = rdl__file_op(&any, RDL__CALLER);
    rdl__point(self, &op);
    if (old)
        *old = setting_of(timer);
    forget_expirations(fd);
    deadline = flags & TFD_TIMER_ABSTIME ? rdl__deadline_at(timer->clock, &setting->it_value)
                                         : rdl__deadline_in(&setting->it_value);
    if (ns_of(&setting->it_value) == 0)
        deadline = RDL__FOREVER;
    set(timer, deadline, ns_of(&setting->it_interval));
    if (deadline <= sched->now)
        rdl__timers_run();
    rdl__file_changed(self, &any);
    return 0;
}

RDL__INTERPOSE int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct timer *timer = rdl__self() ? timer_of(fd) : NULL;

    if (!timer)
        return RDL__NEXT(timerfd_gettime)(fd, out);
    *out = setting_of(timer);
    return 0;
}

/* ---- alarm ----------------------------------------------------------------------------------- */

static struct timespec as_timespec(const struct timeval *time)
{
    return (struct timespec){.tv_sec = time->tv_sec, .tv_nsec = time->tv_usec * 1000};
}

static struct timeval as_timeval(const struct timespec *time)
{
    return (struct timeval){.tv_sec = time->tv_sec, .tv_usec = time->tv_nsec / 1000};
}

static struct itimerval alarm_setting(void)
{
    struct itimerspec now = setting_of(&timers[0]);

    return (struct itimerval){.it_interval = as_timeval(&now.it_interval),
                              .it_value = as_timeval(&now.it_value)};
}

RDL__INTERPOSE unsigned alarm(unsigned seconds)
{
    struct timespec span = {.tv_sec = seconds};
    struct itimerspec old;

    if (!rdl__self())
        return RDL__NEXT(alarm)(seconds);
    old = setting_of(&timers[0]);
    set(&timers[0], seconds ? rdl__deadline_in(&span) : RDL__FOREVER, 0);
    return (unsigned)old.it_value.tv_sec + (old.it_value.tv_nsec >= RDL__NS / 2 ||
                                            (old.it_value.tv_sec == 0 && old.it_value.tv_nsec > 0));
}

RDL__INTERPOSE int setitimer(__itimer_which_t which, const struct itimerval *setting,
                             struct itimerval *old)
{
    struct timespec value, interval;

    if (rdl__self())
        note_timer();
    if (!rdl__self() || which != ITIMER_REAL || !setting)
        return RDL__NEXT(setitimer)(which, setting, old);
    value = as_timespec(&setting->it_value);
    interval = as_timespec(&setting->it_interval);
    if (!rdl__is_span(&value) || !rdl__is_span(&interval)) {
        errno = EINVAL;
        return -1;
    }
    if (old)
        *old = alarm_setting();
    set(&timers[0], ns_of(&value) ? rdl__deadline_in(&value) : RDL__FOREVER, ns_of(&interval));
    return 0;
}

RDL__INTERPOSE int getitimer(__itimer_which_t which, struct itimerval *out)
{
    if (!rdl__self() || which != ITIMER_REAL)
        return RDL__NEXT(getitimer)(which, out);
    *out = alarm_setting();
    return 0;
}

/* These are real; all we need to know is that there are any. */
RDL__INTERPOSE int timer_create(clockid_t clock, struct sigevent *restrict event,
                                timer_t *restrict out)
{
    has_real_timers = true;
    if (rdl__self())
        note_timer();
    return RDL__NEXT(timer_create)(clock, event, out);
}
