/* timer.c -- what happens at a time though no thread waits for it: timerfd, alarm.
 *
 * A timer that is a file is made as an event counter, which the kernel reads and
 * polls in just the same way; when its (virtual) time comes, we write to it.  alarm
 * and setitimer(ITIMER_REAL) are one timer, which sends SIGALRM.  Timers of
 * timer_create are in posix_timer.c.  Interval timers of CPU time are handed on, and
 * work in real time.
 *
 * Invariant: rdl__timer_next is the least deadline of those that no thread awaits. */
#include "control/sched/timer.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "control/sched/world.h"

#define sched (&rdl__sched)

static struct rdl__timer timers[RDL__TIMERS_MAX]; /* the first is the alarm */
static uint32_t timer_count;
static bool has_real_timers;
uint64_t rdl__timer_next = RDL__FOREVER;

static void ring(struct rdl__timer *timer, uint64_t times)
{
    siginfo_t info = rdl__signal_info(SIGALRM, SI_KERNEL);

    (void)timer;
    (void)times;
    rdl__post_signal(NULL, &info);
}

void rdl__timers_begin(void)
{
    timer_count = 1;
    timers[0] = (struct rdl__timer){.expired = ring, .fd = -1, .deadline = RDL__FOREVER};
    rdl__timer_next = RDL__FOREVER;
    rdl__posix_timers_begin();
}

bool rdl__has_real_timers(void)
{
    return has_real_timers;
}

void rdl__timers_are_real(void)
{
    has_real_timers = true;
}

/* ---- Time comes ---------------------------------------------------------------------------- */

/* Those that are set count as deadlines: while there is one, time passes. */
static void find_next(void)
{
    uint64_t next = RDL__FOREVER;

    rdl__catch_up();
    for (uint32_t i = 0; i < timer_count; i++)
        if (!timers[i].due && !timers[i].apart && timers[i].deadline < next)
            next = timers[i].deadline;
    sched->deadlines += (next != RDL__FOREVER) - (rdl__timer_next != RDL__FOREVER);
    rdl__timer_next = next;
}

void rdl__note_timer(void)
{
    rdl__limit(RDL__LIMIT_BOUND, "timers were not tried at every moment", "");
}

void rdl__timer_set(struct rdl__timer *timer, uint64_t deadline, uint64_t interval)
{
    if (deadline != RDL__FOREVER)
        rdl__note_timer();
    timer->deadline = deadline;
    timer->interval = interval;
    timer->due = false;
    find_next();
}

uint64_t rdl__timer_expire(struct rdl__timer *timer)
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
    for (uint32_t i = 0; i < timer_count; i++)
        if (timers[i].deadline <= sched->now && !timers[i].apart)
            timers[i].expired(&timers[i], rdl__timer_expire(&timers[i]));
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

/* ---- Timers come and go -------------------------------------------------------------------- */

struct rdl__timer *rdl__timer_new(clockid_t clock,
                                  void (*expired)(struct rdl__timer *timer, uint64_t times))
{
    uint32_t i = 1;

    while (i < timer_count && timers[i].expired)
        i++;
    if (i == RDL__TIMERS_MAX)
        return NULL;
    if (i == timer_count)
        timer_count++;
    timers[i] =
        (struct rdl__timer){.expired = expired, .fd = -1, .clock = clock, .deadline = RDL__FOREVER};
    return &timers[i];
}

void rdl__timer_free(struct rdl__timer *timer)
{
    timer->fd = -1;
    timer->expired = NULL;
    rdl__timer_set(timer, RDL__FOREVER, 0);
}

uint32_t rdl__timer_index(const struct rdl__timer *timer)
{
    return (uint32_t)(timer - timers);
}

struct rdl__timer *rdl__timer_at(uint32_t index)
{
    return index < timer_count && timers[index].expired ? &timers[index] : NULL;
}

/* ---- Settings ------------------------------------------------------------------------------ */

struct itimerspec rdl__timer_setting(const struct rdl__timer *timer)
{
    uint64_t left = timer->deadline > sched->now ? timer->deadline - sched->now : 1;

    if (timer->deadline == RDL__FOREVER)
        left = 0;
    return (struct itimerspec){.it_interval = rdl__timespec(timer->interval),
                               .it_value = rdl__timespec(left)};
}

bool rdl__is_setting(const struct itimerspec *setting)
{
    return rdl__is_span(&setting->it_value) && rdl__is_span(&setting->it_interval);
}

uint64_t rdl__timer_span(const struct timespec *span)
{
    return (uint64_t)span->tv_sec * RDL__NS + (uint64_t)span->tv_nsec;
}

uint64_t rdl__timer_deadline(const struct rdl__timer *timer, bool absolute,
                             const struct timespec *value)
{
    if (rdl__timer_span(value) == 0)
        return RDL__FOREVER;
    return absolute ? rdl__deadline_at(timer->clock, value) : rdl__deadline_in(value);
}

/* ---- timerfd ------------------------------------------------------------------------------- */

/* NULL: not one of ours. */
static struct rdl__timer *timer_of(int fd)
{
    for (uint32_t i = 1; i < timer_count; i++)
        if (timers[i].fd == fd && fd >= 0)
            return &timers[i];
    return NULL;
}

void rdl__timer_closed(int fd)
{
    struct rdl__timer *timer = timer_of(fd);

    if (timer)
        rdl__timer_free(timer);
}

static void count_expirations(struct rdl__timer *timer, uint64_t times)
{
    timer->due = true;
    rdl__kernel(SYS_write, timer->fd, (long)&times, sizeof times, 0, 0, 0);
    rdl__files_ask(rdl__any_file().object);
}

RDL__INTERPOSE int timerfd_create(clockid_t clock, int flags)
{
    struct rdl__timer *timer = NULL;
    int fd;

    if (rdl__self() && !(flags & ~(TFD_CLOEXEC | TFD_NONBLOCK)))
        timer = rdl__timer_new(clock, count_expirations);
    if (!timer)
        return RDL__NEXT(timerfd_create)(clock, flags);
    rdl__come_to_numbers(RDL__CALLER);
    fd = (int)rdl__in_errno(rdl__kernel(SYS_eventfd2, 0, flags, 0, 0, 0, 0));
    timer->fd = fd;
    if (fd >= 0)
        rdl__file_born(fd);
    else
        rdl__timer_free(timer);
    return fd;
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
    struct rdl__timer *timer = self ? timer_of(fd) : NULL;
    struct rdl__file any = rdl__any_file();
    struct rdl__op op;
    uint64_t deadline;

    if (!timer)
        return RDL__NEXT(timerfd_settime)(fd, flags, setting, old);
    if (!rdl__is_setting(setting)) {
        errno = EINVAL;
        return -1;
    }
    op = rdl__file_op(&any, RDL__CALLER);
    rdl__point(self, &op);
    if (old)
        *old = rdl__timer_setting(timer);
    forget_expirations(fd);
    deadline = rdl__timer_deadline(timer, flags & TFD_TIMER_ABSTIME, &setting->it_value);
    rdl__timer_set(timer, deadline, rdl__timer_span(&setting->it_interval));
    if (deadline <= sched->now)
        rdl__timers_run();
    rdl__file_changed(self, &any);
    return 0;
}

RDL__INTERPOSE int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct rdl__timer *timer = rdl__self() ? timer_of(fd) : NULL;

    if (!timer)
        return RDL__NEXT(timerfd_gettime)(fd, out);
    *out = rdl__timer_setting(timer);
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
    struct itimerspec now = rdl__timer_setting(&timers[0]);

    return (struct itimerval){.it_interval = as_timeval(&now.it_interval),
                              .it_value = as_timeval(&now.it_value)};
}

/* What the thread did before comes before the handler. */
static void set_alarm(uint64_t deadline, uint64_t interval)
{
    rdl__signals_release(rdl__self());
    rdl__timer_set(&timers[0], deadline, interval);
}

RDL__INTERPOSE unsigned alarm(unsigned seconds)
{
    struct timespec span = {.tv_sec = seconds};
    struct itimerspec old;

    if (!rdl__self())
        return RDL__NEXT(alarm)(seconds);
    old = rdl__timer_setting(&timers[0]);
    set_alarm(seconds ? rdl__deadline_in(&span) : RDL__FOREVER, 0);
    return (unsigned)old.it_value.tv_sec + (old.it_value.tv_nsec >= RDL__NS / 2 ||
                                            (old.it_value.tv_sec == 0 && old.it_value.tv_nsec > 0));
}

RDL__INTERPOSE int setitimer(__itimer_which_t which, const struct itimerval *setting,
                             struct itimerval *old)
{
    struct timespec value, interval;

    if (rdl__self())
        rdl__note_timer();
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
    set_alarm(rdl__timer_span(&value) ? rdl__deadline_in(&value) : RDL__FOREVER,
              rdl__timer_span(&interval));
    return 0;
}

RDL__INTERPOSE int getitimer(__itimer_which_t which, struct itimerval *out)
{
    if (!rdl__self() || which != ITIMER_REAL)
        return RDL__NEXT(getitimer)(which, out);
    *out = alarm_setting();
    return 0;
}
